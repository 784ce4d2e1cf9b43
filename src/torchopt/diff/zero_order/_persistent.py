"""Persistent evolution strategies: estimates for long unrolled problems, a truncation at a time."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.conversion import as_floating
from torchopt.autodiff.environment import Environment
from torchopt.autodiff.generators import seed_of
from torchopt.autodiff.tracking import copied
from torchopt.diff.zero_order._estimator import check_sigma, finite
from torchopt.diff.zero_order._evaluation import EVALUATION, Evaluation, Loop, evaluating
from torchopt.io.calls import CallRepr
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import TensorTree

_LOOP = Loop()


class Particles(NamedTuple):
    """What is carried from one truncation to the next.

    Attributes:
        states: The state of each particle: a tree with a leading axis of particles, first those at
            the positive perturbations, then those at the negative ones.
        noise: What the directions of the pairs add up to, of shape ``(n, d)``.
        seed: From which the next directions follow.
    """

    states: Any
    noise: torch.Tensor
    seed: int


@dataclass(frozen=True)
class TruncatedGradient:
    """What a truncation adds to the gradient. Later releases may add attributes.

    Attributes:
        loss: The mean of the losses of its particles.
        grads: The estimate, a tree like the parameters.
        particles: For the next truncation.
    """

    loss: torch.Tensor
    grads: TensorTree
    particles: Particles


@dataclass(frozen=True, kw_only=True)
class _Truncated(CallRepr, abc.ABC):
    num_samples: int = 1
    sigma: float = 0.1
    evaluation: Evaluation = _LOOP

    def __post_init__(self) -> None:
        checks.check_count("num_samples", self.num_samples, 1, of="directions")
        check_sigma(self.sigma)
        checks.check("evaluation", self.evaluation, EVALUATION)

    def init(
        self,
        params: TensorTree,
        state: TensorTree,
        *,
        generator: torch.Generator | int | None = None,
    ) -> Particles:
        """Return the particles at the beginning of an episode.

        Args:
            params: The parameters, a tree of floating tensors.
            state: The state in which each particle begins, a tree of tensors.
            generator: The source of the directions: a ``torch.Generator``, a number, or None for
                PyTorch's default generator.

        Raises:
            TypeError: If a leaf of the state is not a tensor.
        """
        checks.check_not_empty(pytree.flatten(params)[1], "params")
        leaves, spec = pytree.flatten(state)
        for index, leaf in enumerate(leaves):
            if not isinstance(leaf, torch.Tensor):
                raise TypeError(
                    f"`{checks.leaf_path(spec, index, 'state')}` is an object of type "
                    f"{type(leaf).__name__}: make it a tensor, since each particle has its own."
                )
        count = 2 * self.num_samples
        states = [t.detach().expand(count, *t.shape).clone() for t in leaves]
        noise = torch.zeros(self.num_samples, pytree.ravel(params)[0].numel(), device="cpu")
        return Particles(pytree.unflatten(spec, states), noise, seed_of(generator))

    def __call__(
        self, fn: Callable[..., Any], /, params: TensorTree, particles: Particles, *args: Any
    ) -> TruncatedGradient:
        """Run one truncation and estimate what it adds to the gradient.

        Args:
            fn: ``fn(params, state, *args)`` returns the loss of the truncation, a scalar, and the
                state after it.
            params: The parameters; they may change between truncations, slowly.
            particles: What :meth:`init` returned, or the ``particles`` of the last call.
            *args: Given to ``fn``.

        Returns:
            The gradient, the particles for the next call, and the mean of their losses.

        Raises:
            ValueError: If a loss is no scalar, or if the particles are not those of these parameters
                and of this number of pairs.
            NonFiniteError: If a loss is NaN or infinite.
            TypeError: If a leaf of the parameters is not a floating tensor.
        """
        n = self.num_samples
        state_leaves, state_spec = pytree.flatten(particles.states)
        environment = Environment()
        with evaluating():
            checks.check_floating(*pytree.flatten(params), "params")
            theta, unravel = pytree.ravel(params)
            theta = theta.detach()
            if particles.noise.shape != (n, theta.numel()):
                pairs, size = particles.noise.shape
                raise ValueError(
                    f"`particles` are {pairs} pairs for {size} unknowns, but there are {n} pairs and "
                    f"`params` has {theta.numel()}: begin with `init`."
                )
            fresh = torch.Generator("cpu").manual_seed(particles.seed)
            draw = torch.randn(
                n, theta.numel(), dtype=theta.dtype, generator=fresh, device=fresh.device
            )
            seed = seed_of(fresh)
            moved, noise = self._directions(draw.to(theta.device), particles.noise.to(theta))

            def function(row: Sequence[torch.Tensor]) -> list[torch.Tensor]:
                with environment.evaluation(trace=True):
                    state = pytree.unflatten(state_spec, [t.clone() for t in row[1:]])
                    out = fn(unravel(row[0]), state, *copied(args))
                loss, state = checks.pair_of(out, "`fn`", "loss, state")
                loss = as_floating(loss)
                checks.check_loss(loss, needs_grad=False)
                leaves, spec = pytree.flatten(state)
                checks.check_same_structure(
                    state_spec, spec, root="fn(params, state)[1]", reference="`state`"
                )
                return [loss.reshape(()), *leaves]

            steps = self.sigma * torch.cat([moved, -moved])
            losses, *leaves = self.evaluation(function, [theta + steps, *state_leaves])
            finite(losses[None], "raise")
            gradient = (losses[:n] - losses[n:]).to(noise) @ noise / (2 * n * self.sigma)
        states = pytree.unflatten(state_spec, leaves)
        return TruncatedGradient(losses.mean(), unravel(gradient), Particles(states, noise, seed))

    @abc.abstractmethod
    def _directions(
        self, draw: torch.Tensor, noise: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return where to move in a truncation, and what the losses are multiplied by."""


@dataclass(frozen=True, kw_only=True)
class PersistentES(_Truncated):
    r"""Persistent evolution strategies (PES): unbiased estimates from truncated unrolls.

    Each of :math:`n` antithetic pairs of particles lives through an episode in a state of its own.
    In each truncation it is moved along a new direction, and its losses are multiplied by the sum
    of all its directions so far:

    .. math::
        \frac{1}{n} \sum_i \Bigl( \sum_{\tau \le t} \varepsilon_{i \tau} \Bigr)
        \frac{L_t(\theta + \sigma \varepsilon_{i \cdot}) - L_t(\theta - \sigma \varepsilon_{i \cdot})}
        {2 \sigma}

    The sum of the estimates over the truncations of an episode is unbiased for the gradient of the
    smoothed sum of losses, where an estimate from a truncation alone would not see what earlier
    parameters did to its state. Memory is that of the states; nothing is unrolled backward.

    Where the loss is linear (or, with antithetic pairs, quadratic) with the gradient
    :math:`g_\tau` in the parameters of truncation :math:`\tau`, the total variance in truncation
    :math:`t` is
    :math:`\bigl( \lVert \sum_\tau g_\tau \rVert^2 + t d \sum_\tau \lVert g_\tau \rVert^2 \bigr) / n`.

    Args:
        num_samples: The number of pairs of particles.
        sigma: The scale of the perturbation.
        evaluation: How to evaluate the particles: ``Loop()`` or ``Vmap(chunk_size)``.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        The learning rate of gradient descent on a quadratic, five steps at a time:

        >>> import torch
        >>> def truncation(lr, x):
        ...     for _ in range(5):
        ...         x = x - lr * x
        ...     return (x**2).sum(), x
        >>> estimator = PersistentES(num_samples=8, sigma=0.01)
        >>> lr = torch.tensor(0.1)
        >>> particles = estimator.init(lr, torch.ones(2), generator=0)
        >>> for _ in range(3):
        ...     truncated = estimator(truncation, lr, particles)
        ...     particles = truncated.particles
        >>> truncated.grads.shape, particles.states.shape
        (torch.Size([]), torch.Size([16, 2]))

    References:
        Vicol, Metz and Sohl-Dickstein, *Unbiased Gradient Estimation in Unrolled Computation Graphs
        with Persistent Evolution Strategies*, 2021, algorithm 2.
    """

    def _directions(
        self, draw: torch.Tensor, noise: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return draw, noise + draw


@dataclass(frozen=True, kw_only=True)
class NoiseReuseES(_Truncated):
    r"""Noise-reuse evolution strategies (NRES): each particle keeps its direction for the episode.

    Like :class:`PersistentES`, with one direction in all truncations. It is unbiased for the function
    smoothed by it; the variance does not grow with the number of truncations where their gradients
    point the same way: with the symbols there, it is
    :math:`(d + 1) \lVert \sum_\tau g_\tau \rVert^2 / n`.

    Args:
        num_samples: The number of pairs of particles.
        sigma: The scale of the perturbation.
        evaluation: How to evaluate the particles: ``Loop()`` or ``Vmap(chunk_size)``.

    Raises:
        ValueError: If a value is out of its range.

    Example:
        >>> import torch
        >>> estimator = NoiseReuseES(num_samples=8, sigma=0.01)
        >>> lr = torch.tensor(0.1)
        >>> particles = estimator.init(lr, torch.ones(2), generator=0)
        >>> def step(lr, x):
        ...     x = x - lr * x
        ...     return (x**2).sum(), x
        >>> bool(estimator(step, lr, particles).grads < 0)  # a larger one is better
        True

    References:
        Li et al., *Variance-Reduced Gradient Estimation via Noise-Reuse in Online Evolution
        Strategies*, 2023, algorithm 3.
    """

    def _directions(
        self, draw: torch.Tensor, noise: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        # There is none before the first truncation.
        kept = draw if not bool(noise.any()) else noise
        return kept, kept
