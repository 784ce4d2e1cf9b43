"""Gaussian noise: random numbers are a function of a key, the step and the place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.generators import check_generator, seed_of
from torchopt.autodiff.shards import divided, layout_of
from torchopt.io.calls import records_call
from torchopt.ops import safe_sqrt
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Hyperparameter
from torchopt.transform import hyperparameters
from torchopt.transform._inplace import targets_of, write
from torchopt.transform._rule import check_state
from torchopt.transform.chaining import GradientTransformation


class AddNoiseState(NamedTuple):
    """The number of updates done, and the key of the random numbers, two integers."""

    count: Any
    key: Any


def standard_normal(key: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """Return normal numbers that are a function of a key and of the place in the tensor.

    No generator is advanced: a step that is computed again has the same numbers, on each device, under
    ``vmap`` and in compiled code.

    Args:
        key: An integer, as a tensor without dimensions.
        like: A tensor with the shape, dtype and device of the result; of a DTensor, of the whole.

    Example:
        >>> import torch
        >>> x = standard_normal(torch.tensor(3), torch.empty(10_000))
        >>> abs(x.mean().item()) < 0.05, abs(x.std().item() - 1) < 0.05
        (True, True)
    """
    place = torch.arange(1, 1 + like.numel(), device=like.device).reshape(like.shape)
    bits = _mix(_mix(key.to(like.device)) + _GAMMA * place)
    uniform = hyperparameters.as_float(torch.zeros((), device=like.device)).dtype
    digits = 53 if uniform == torch.float64 else 24
    # In the middle of one of the intervals of equal length between 0 and 1.
    middle = (_shifted(bits, 64 - digits).to(uniform) + 0.5) * 2.0**-digits
    return torch.special.ndtri(middle).to(like.dtype)


#: SplitMix64 (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, 2014): products
#: of 64-bit integers wrap around.
_GAMMA, _FIRST, _SECOND = (
    x - (1 << 64) for x in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def _mix(x: torch.Tensor) -> torch.Tensor:
    x = (x ^ _shifted(x, 30)) * _FIRST
    x = (x ^ _shifted(x, 27)) * _SECOND
    return x ^ _shifted(x, 31)


def _shifted(x: torch.Tensor, by: int) -> torch.Tensor:
    # As of an unsigned integer: zeros come in.
    return torch.bitwise_right_shift(x, by) & ((1 << (64 - by)) - 1)


@dataclass(frozen=True, eq=False)
class _AddNoise:
    eta: Any
    gamma: Any
    generator: torch.Generator | int | None

    def init(self, params: Any) -> AddNoiseState:
        leaves, spec = pytree.flatten(params)
        checks.check_floating(leaves, spec, "params")
        return AddNoiseState(
            torch.zeros((), dtype=torch.int64, device="cpu"),
            torch.tensor(seed_of(self.generator), device="cpu"),
        )

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True
    ) -> tuple[Any, AddNoiseState]:
        check_state(state, (AddNoiseState,))
        leaves, spec = pytree.flatten(updates)
        checks.check_floating(leaves, spec, "updates")
        counts = [state.count] * len(leaves)
        eta, gamma = (
            hyperparameters.per_leaf(name, value, counts, leaves, spec, like=params)
            for name, value in (("eta", self.eta), ("gamma", self.gamma))
        )
        count = state.count + 1
        key = _mix(_mix(state.key) + count)
        t = hyperparameters.as_float(count)
        noisy = [
            g if g is None else _noisy(g, key + index, eta[index], gamma[index], t)
            for index, g in enumerate(leaves)
        ]
        if inplace and (targets := targets_of([leaves], [g for g in leaves if g is not None])):
            (noisy,) = write([noisy], targets)
        # A copy: what a compiled loop returns must not be what it is given.
        return pytree.unflatten(spec, noisy), AddNoiseState(count, state.key.clone())


def _noisy(g: torch.Tensor, key: torch.Tensor, eta: Any, gamma: Any, t: Any) -> torch.Tensor:
    if isinstance(gamma, torch.Tensor):  # the derivative of a power is on one device
        t = t.to(gamma.device)
    deviation = safe_sqrt(eta / t**gamma).to(g.device)
    noise = (deviation * standard_normal(key, g)).to(g.dtype)
    # Each process makes all of it, and keeps its part.
    return g + (divided(noise, layout_of(g)) if hasattr(g, "full_tensor") else noise)


@records_call
def add_noise(
    eta: Hyperparameter = 0.01,
    gamma: Hyperparameter = 0.55,
    generator: torch.Generator | int | None = 0,
) -> GradientTransformation:
    r"""Add Gaussian noise to updates, whose variance falls with the steps.

    .. math:: u_t = g_t + \sqrt{\frac{\eta}{t^\gamma}} \, n_t, \qquad n_t \sim N(0, 1)

    The noise :math:`n_t` is a function of the key in the state, the step, and the place in the tree. No
    generator is advanced, so a step that is computed again has the same noise, also in compiled code.
    The tasks of a ``vmap`` share their noise, unless they have keys of their own:
    ``torchopt.pytree.tree_set(state, key=keys)``. So do the groups of an optimizer class, unless each
    has its own ``generator``, such as another number.

    Args:
        eta: Variance :math:`\eta` at the first step, not negative.
        gamma: The power :math:`\gamma` of the step that divides the variance.
        generator: Where the key comes from: a number is the key itself, a ``torch.Generator`` draws
            one in each ``init``, and None means PyTorch's own generator. By default the key is
            0, since processes that train one model need the same noise: it is that of each run, too.

    Returns:
        A gradient transformation, differentiable in ``eta`` and ``gamma`` with the noise as a constant.
        Both may be a number, a schedule, a tensor that requires grad, or a tree of these.

    Raises:
        TypeError: If ``generator`` is something else.
        ValueError: If ``eta`` is negative.

    Example:
        >>> import torch
        >>> tx = add_noise(eta=0.25, generator=3)
        >>> g = (torch.zeros(10_000),)
        >>> u, state = tx.update(g, tx.init(g))
        >>> round(u[0].std().item(), 1)
        0.5

    References:
        Neelakantan et al., *Adding Gradient Noise Improves Learning for Very Deep Networks*, 2015,
        section 2.
    """
    hyperparameters.check("eta", eta)
    hyperparameters.check("gamma", gamma, lower=None)
    check_generator(generator)
    noise = _AddNoise(eta, gamma, generator)
    return GradientTransformation(noise.init, noise.update)
