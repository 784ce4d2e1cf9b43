"""Search distributions: evolution strategies as functional transformations."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import torch

from torchopt import checks
from torchopt.autodiff.conversion import as_floating
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.generators import seed_of
from torchopt.autodiff.tracking import copied
from torchopt.diff.flat_problem import External
from torchopt.diff.kinds import Kind, Minimum
from torchopt.diff.zero_order._estimator import NonFinite, Shaping, check_sigma, finite, shaped
from torchopt.diff.zero_order._evaluation import Evaluation, Loop, evaluating
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree

Scale: TypeAlias = Literal["fixed", "isotropic", "diagonal"]
SearchShaping: TypeAlias = Literal["utilities", "rank", "z_score"]
_LOOP = Loop()


class SearchState(NamedTuple):
    """A normal search distribution.

    Attributes:
        mean: The mean, a tree like the parameters.
        scale: The standard deviations: a vector of size ``d``, or of size 1.
        seed: From which the next population follows.
    """

    mean: Any
    scale: torch.Tensor
    seed: int


@dataclass(frozen=True, kw_only=True)
class GaussianSearch(CallRepr):
    r"""A normal distribution that moves to where the values are low, with learned scale.

    Members of the population are :math:`\mu + s \odot \varepsilon_k`. With weights :math:`w_k` made of
    their values,

    .. math::
        \mu \leftarrow \mu + \eta \, s \odot \sum_k w_k \varepsilon_k, \qquad
        s \leftarrow s \odot \exp\Bigl( \frac{\eta_s}{2} \sum_k w_k (\varepsilon_k^2 - 1) \Bigr),

    which follows the natural gradient of the expected value; for an isotropic scale the mean of
    :math:`\varepsilon_k^2 - 1` over the entries is taken. With ``"utilities"`` this is separable
    natural evolution (SNES); with antithetic pairs and ``"z_score"`` it is parameter-exploring policy
    gradients (PGPE) with a scale that stays positive.

    Three functions: ``init(params)`` makes a state, ``ask(state)`` the population, ``tell(state,
    values)`` the next state. :meth:`solver` makes of them a solver of an inner problem.

    Args:
        population: The number of members, even if ``antithetic``. By default :math:`4 + 3 \log d`,
            rounded up to an even number.
        sigma: The scale to begin with.
        scale: ``"diagonal"``, ``"isotropic"``, or ``"fixed"``.
        lr: The learning rate :math:`\eta` of the mean.
        scale_lr: The learning rate :math:`\eta_s` of the scale. By default
            :math:`(3 + \log d) / (5 \sqrt d)`.
        shaping: What the weights are made of: ``"utilities"`` or ``"rank"``, of the order of the
            values; ``"z_score"``; or None for the values themselves, less their mean.
        antithetic: Whether the second half of the population mirrors the first.
        nonfinite: What to do about members with values that are NaN or infinite: ``"raise"``, or
            ``"drop"`` to leave them out with a :class:`~torchopt.errors.NonFiniteWarning`.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> search = GaussianSearch(population=16, sigma=1.0)
        >>> state = search.init(torch.tensor([3.0, -2.0]), generator=0)
        >>> for _ in range(200):
        ...     x = search.ask(state)
        ...     state = search.tell(state, (x**2).sum(1))
        >>> bool(state.mean.norm() < 1e-3)
        True

    References:
        Wierstra et al., *Natural Evolution Strategies*, 2014, algorithm 6. Sehnke et al.,
        *Parameter-Exploring Policy Gradients*, 2010. Salimans et al., 2017.
    """

    population: int | None = None
    sigma: float = 1.0
    scale: Scale = "diagonal"
    lr: float = 1.0
    scale_lr: float | None = None
    shaping: SearchShaping | None = "utilities"
    antithetic: bool = True
    nonfinite: NonFinite = "raise"

    def __post_init__(self) -> None:
        n = self.population
        checks.check_count("population", n, 2, of="members", optional=True)
        if n is not None and self.antithetic and n % 2:
            raise ValueError(
                f"`population` is {n}, but antithetic members come in pairs: use an even number, "
                f"or `antithetic=False`."
            )
        check_sigma(self.sigma)
        check_sigma(self.lr, "lr")
        if self.scale_lr is not None:
            check_sigma(self.scale_lr, "scale_lr")
        checks.check_choice("scale", self.scale, Scale)
        checks.check_choice("shaping", self.shaping, SearchShaping, optional=True)
        checks.check_choice("nonfinite", self.nonfinite, NonFinite)

    def init(
        self, params: TensorTree, *, generator: torch.Generator | int | None = None
    ) -> SearchState:
        """Return the distribution to begin with.

        Args:
            params: Its mean, a tree of floating tensors.
            generator: The source of the populations: a ``torch.Generator``, a number, or None for
                PyTorch's default generator.

        Raises:
            TypeError: If a leaf is not a floating tensor.
            ValueError: If there are no unknowns.
        """
        leaves, spec = pytree.flatten(params)
        checks.check_floating(leaves, spec, "params")
        if not any(t is not None and t.numel() for t in leaves):
            raise ValueError(
                "`params` has no unknowns: pass a tree with at least one number in it."
            )
        vector, unravel = pytree.ravel(params)
        vector = vector.detach()
        size = vector.numel() if self.scale == "diagonal" else 1
        scale = torch.full((size,), self.sigma, dtype=vector.dtype, device=vector.device)
        return SearchState(unravel(vector.clone()), scale, seed_of(generator))

    def ask(self, state: SearchState) -> TensorTree:
        """Return the population: a tree like the parameters, with a leading axis of members."""
        mean, unravel = pytree.ravel(state.mean)
        points = mean + state.scale * self._noise(state, mean)[0]
        members = [pytree.leaves(unravel(point)) for point in points]
        columns = [None if c[0] is None else torch.stack(c) for c in zip(*members, strict=True)]
        return pytree.unflatten(pytree.flatten(state.mean)[1], columns)

    def tell(self, state: SearchState, values: torch.Tensor | Sequence[Numeric]) -> SearchState:
        """Return the distribution after its population was evaluated; low values are good.

        Args:
            state: The state from which the population was asked.
            values: The value of each member, a vector: a tensor, an array, or a list.

        Raises:
            ValueError: If there is not one value for each member.
            NonFiniteError: If values are NaN or infinite; with ``nonfinite="drop"``, if all are.
        """
        mean, unravel = pytree.ravel(state.mean)
        noise, seed = self._noise(state, mean)
        values = as_floating(values).detach().to(mean.device)
        values = values.to(torch.promote_types(values.dtype, mean.dtype))  # a count has many digits
        if values.shape != (len(noise),):
            raise ValueError(
                f"`values` has shape {tuple(values.shape)}, but the population has {len(noise)} "
                f"members: pass one value for each."
            )
        good = finite(values[None], self.nonfinite)
        noise, weights = noise[good], self._weights(values[good]).to(mean.dtype)
        d = mean.numel()
        moved = mean + self.lr * state.scale * (weights @ noise)
        scale = state.scale
        if self.scale != "fixed":
            rate = (3 + math.log(d)) / (5 * d**0.5) if self.scale_lr is None else self.scale_lr
            excess = weights @ (noise.square() - 1)
            if self.scale == "isotropic":
                excess = excess.mean(0, keepdim=True)
            scale = scale * (rate / 2 * excess).exp()
        return SearchState(unravel(moved), scale, seed)

    def solver(
        self,
        *,
        steps: int,
        generator: torch.Generator | int | None = None,
        evaluation: Evaluation = _LOOP,
    ) -> External:
        """Return a solver for :func:`torchopt.minimize`, whose objective it evaluates.

        For an objective that has no gradient, pass ``diff=ZeroOrder()`` there.

        Args:
            steps: The number of populations.
            generator: See :meth:`init`.
            evaluation: How to evaluate a population: ``Loop()`` or ``Vmap(chunk_size)``.

        Raises:
            ValueError: If ``steps`` is negative; when it solves a problem, if this is no
                minimization, or a value is not a scalar.

        Example:
            >>> import torch, torchopt
            >>> target = torch.tensor([1.0, 2.0], requires_grad=True)
            >>> solution = torchopt.minimize(
            ...     lambda x, target: ((x - target) ** 2).sum(), torch.zeros(2), (target,),
            ...     solver=GaussianSearch(population=20, sigma=0.5).solver(steps=300, generator=0))
            >>> solution.params.sum().backward()
            >>> target.grad
            tensor([1., 1.])
        """
        checks.check_count("steps", steps, of="populations")
        return _SearchSolver(self, steps, generator, evaluation)

    def _noise(self, state: SearchState, like: torch.Tensor) -> tuple[torch.Tensor, int]:
        d = like.numel()
        n = self.population
        if n is None:
            n = 2 * math.ceil((4 + 3 * math.log(d)) / 2)
        generator = torch.Generator("cpu").manual_seed(state.seed)
        seed = seed_of(generator)
        rows = n // 2 if self.antithetic else n
        noise = torch.randn(
            rows, d, dtype=like.dtype, generator=generator, device=generator.device
        ).to(like.device)
        return (torch.cat([noise, -noise]) if self.antithetic else noise), seed

    def _weights(self, values: torch.Tensor) -> torch.Tensor:
        n = len(values)
        if self.shaping != "utilities":
            shaping: Shaping | None = self.shaping
            return -shaped(values - values.mean(), shaping) / n
        ranks = torch.arange(1, n + 1, dtype=values.dtype, device=values.device)
        utilities = (math.log(n / 2 + 1) - ranks.log()).clamp(min=0)
        utilities = utilities / utilities.sum() - 1 / n
        # Equal values share the mean weight of their ranks.
        _, place, count = values.unique(return_inverse=True, return_counts=True)
        starts = count.cumsum(0) - count
        total = torch.cat([utilities.new_zeros(1), utilities.cumsum(0)])
        return ((total[starts + count] - total[starts]) / count)[place]


@dataclass(frozen=True)
class _SearchSolver(CallRepr):
    """A search that is run for a number of populations."""

    search: GaussianSearch
    steps: int
    generator: torch.Generator | int | None
    evaluation: Evaluation

    def function_for(self, kind: Kind) -> Callable[..., TensorTree]:
        """Return ``solve(params, *args) -> params`` for a minimization."""
        if not isinstance(kind, Minimum):
            raise ValueError(
                f"`GaussianSearch` minimizes an objective, but the problem is a `{kind.title}`: use a "
                f"solver of `torchopt.solver`."
            )
        return lambda params, *args: self._solve(kind, params, args)

    def _solve(self, kind: Minimum, params: TensorTree, args: tuple[Any, ...]) -> TensorTree:
        state = self.search.init(params, generator=self.generator)
        unravel = pytree.ravel(state.mean)[1]

        def function(row: Sequence[torch.Tensor]) -> list[torch.Tensor]:
            with environment.evaluation(trace=True):
                value = as_floating(kind.value(unravel(row[0]), copied(args))[0])
            checks.check_loss(value, what="the objective", needs_grad=False, value=False)
            return [value.reshape(())]

        with evaluating():
            for _ in range(self.steps):
                # The members of a population see the same random numbers.
                environment = Environment()
                mean = pytree.ravel(state.mean)[0]
                points = mean + state.scale * self.search._noise(state, mean)[0]
                (values,) = self.evaluation(function, [points])
                state = self.search.tell(state, values)
        return state.mean
