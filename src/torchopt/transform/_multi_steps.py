"""Update once for the gradients of several steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchopt import checks
from torchopt.autodiff.half import narrow, stored, wide
from torchopt.io.calls import called
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree
from torchopt.transform._rule import check_state
from torchopt.transform._select import as_condition, counter_like, overwrite, update_if, zeros_like
from torchopt.transform.chaining import GradientTransformation
from torchopt.transform.checking import check_transformation


class MultiStepsState(NamedTuple):
    """Counters, the state of the inner transformation, the sums, and what the test has returned."""

    mini_step: Any
    gradient_step: Any
    inner_opt_state: Any
    acc_grads: Any
    skip_state: Any = ()


def skip_not_finite(
    updates: TensorTree, gradient_step: object, params: object
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Whether an element of the updates is NaN or infinite; for :class:`MultiSteps`.

    Args:
        updates: A tree of tensors.
        gradient_step: Not read.
        params: Not read.

    Returns:
        The answer, and a dict of it, ``should_skip``, and of the number of such elements,
        ``num_not_finite``.

    Example:
        >>> import torch
        >>> skip_not_finite((torch.tensor([1.0, float("inf")]),), None, None)[0]
        tensor(True)
    """
    counts = [
        u.detach().isfinite().logical_not().sum() for u in pytree.leaves(updates) if u is not None
    ]
    number = _sum(counts, torch.zeros((), dtype=torch.int64, device="cpu"))
    return number > 0, {"should_skip": number > 0, "num_not_finite": number}


def skip_large_updates(
    updates: TensorTree, gradient_step: object, params: object, max_squared_norm: Numeric
) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Whether the squared norm of the updates is not below a bound, or NaN; for :class:`MultiSteps`.

    Args:
        updates: A tree of tensors.
        gradient_step: Not read.
        params: Not read.
        max_squared_norm: The bound on the sum of all squares, a number or a tensor. Bind it with
            ``functools.partial(skip_large_updates, max_squared_norm=...)``.

    Returns:
        The answer, and a dict of it, ``should_skip``, and of the squared norm, ``norm_squared``.

    Example:
        >>> import torch
        >>> skip_large_updates((torch.tensor([3.0, 4.0]),), None, None, 24.0)[0]
        tensor(True)
    """
    squares = [wide(u.detach()).square().sum() for u in pytree.leaves(updates) if u is not None]
    total = _sum(squares, torch.zeros((), device="cpu"))
    skip = (total < max_squared_norm).logical_not()
    return skip, {"should_skip": skip, "norm_squared": total}


def _sum(terms: list[torch.Tensor], nothing: torch.Tensor) -> torch.Tensor:
    return sum((t.to(terms[0].device) for t in terms[1:]), terms[0]) if terms else nothing


@dataclass(frozen=True, eq=False)
class _MultiSteps:
    opt: GradientTransformation
    every_k_schedule: Any
    use_grad_mean: bool
    should_skip_update_fn: Callable[..., Any] | None
    accumulator_dtype: torch.dtype | None

    def init(self, params: Any) -> MultiStepsState:
        count = counter_like(params)
        skip_state: Any = ()
        if self.should_skip_update_fn is not None:
            _, skip_state = self.should_skip_update_fn(zeros_like(params), count, params)
        dtype = self.accumulator_dtype
        sums = pytree.map_leaves(lambda p: torch.zeros_like(p, dtype=dtype), params)
        return MultiStepsState(count, count, self.opt.init(params), sums, skip_state)

    def update(
        self, updates: Any, state: Any, params: Any = None, *, inplace: bool = True, **extra: Any
    ) -> tuple[Any, MultiStepsState]:
        check_state(state, (MultiStepsState,))
        step, skip, skip_state = state.gradient_step, None, state.skip_state
        k = (
            self.every_k_schedule(step)
            if callable(self.every_k_schedule)
            else self.every_k_schedule
        )
        emit = state.mini_step == k - 1
        mini_step = (state.mini_step + 1) % k
        if self.should_skip_update_fn is not None:
            skip, skip_state = self.should_skip_update_fn(updates, step, params)
            skip = as_condition(skip, "should_skip_update_fn")
            emit = emit & skip.logical_not()
            mini_step = torch.where(skip, state.mini_step, mini_step)

        grads, spec = pytree.flatten(updates)
        old, structure = pytree.flatten(state.acc_grads)
        checks.check_same_structure(
            structure, spec, root="updates", reference="the tree that `init` was given"
        )
        for index, (a, g) in enumerate(zip(old, grads, strict=True)):
            if g is not None and (a is None or a.shape != g.shape):
                shape = "no shape: its parameter was None" if a is None else f"{tuple(a.shape)}"
                raise ValueError(
                    f"`{checks.leaf_path(spec, index, 'updates')}` has shape {tuple(g.shape)}, but its "
                    f"sum in the state has {shape}: call `init` with the parameters of the gradients."
                )
        new = [a if g is None else _added(a, g, skip) for a, g in zip(old, grads, strict=True)]
        given = [
            None if g is None else self._given(a, g, k) for a, g in zip(new, grads, strict=True)
        ]
        mean = pytree.unflatten(spec, given)
        updates, inner = update_if(
            emit,
            self.opt,
            mean,
            state.inner_opt_state,
            zeros_like(mean),
            params=params,
            inplace=inplace,
            extra=extra,
        )
        # What a leaf without a gradient has accumulated waits for its next gradient.
        kept = [
            a if g is None else torch.where(emit.to(a.device), 0.0, a).to(a.dtype)
            for a, g in zip(new, grads, strict=True)
        ]
        if inplace:
            kept = overwrite(kept, old, grads)
        sums = pytree.unflatten(structure, kept)
        return updates, MultiStepsState(mini_step, step + emit, inner, sums, skip_state)

    def _given(self, total: torch.Tensor, g: torch.Tensor, k: Any) -> torch.Tensor:
        if not self.use_grad_mean:
            return narrow(total, g.dtype)
        mean = total / (k.to(g.device) if isinstance(k, torch.Tensor) else k)
        return narrow(mean, g.dtype)


def _added(total: torch.Tensor, g: torch.Tensor, skip: torch.Tensor | None) -> torch.Tensor:
    # Select before the sum, so that a skipped NaN is neither added nor sent backward.
    g = g if skip is None else torch.where(skip.to(g.device), 0.0, g)
    sums = wide(total)
    return stored(sums + narrow(g, sums.dtype), total.dtype)


class MultiSteps(GradientTransformation):
    r"""Accumulate the gradients of several steps, and update once for their mean.

    .. math::
        a_i = a_{i-1} + g_i, \qquad
        u_i = \begin{cases}
            u\left(\tfrac{1}{k} a_k\right) & i = k, \text{ and then } a_k \leftarrow 0 \\
            0 & i < k
        \end{cases}

    It is a gradient transformation itself. The inner one is computed at each step, for zeros where its
    result is not used, so that no program branches on the step: it can be mapped and compiled.

    Args:
        opt: The inner transformation.
        every_k_schedule: The number of steps :math:`k`, at least 1, or a function of the number of
            inner updates so far (an integer tensor without dimensions) that returns one.
        use_grad_mean: Whether ``opt`` is given the mean; otherwise the sum.
        should_skip_update_fn: ``(updates, gradient_step, params) -> (skip, skip_state)`` with a boolean
            tensor without dimensions and any tree of tensors, such as :func:`skip_not_finite`. A
            step that is skipped counts as if it had not been done, and its update is zero.
        accumulator_dtype: The dtype of the sums; by default that of the parameters. (Optax: float32.)

    A leaf whose gradient is None gets None. What it has accumulated is kept, and goes into the next
    inner update at which it has a gradient. Further arguments, such as ``value``, are those of the last
    step.

    Raises:
        TypeError: If ``opt`` is no gradient transformation; in ``update``, if
            ``should_skip_update_fn`` does not return a boolean.
        ValueError: If ``every_k_schedule`` is a number below 1.

    Example:
        >>> import torch, torchopt
        >>> tx = MultiSteps(torchopt.sgd(1.0), every_k_schedule=2)
        >>> params = (torch.tensor([0.0]),)
        >>> u, state = tx.update((torch.tensor([1.0]),), tx.init(params))
        >>> v, state = tx.update((torch.tensor([3.0]),), state)
        >>> u, v, tx.has_updated(state)
        ((tensor([0.]),), (tensor([-2.]),), tensor(True))

    References:
        Optax's ``MultiSteps``.
    """

    _made: _MultiSteps

    def __new__(
        cls,
        opt: GradientTransformation,
        /,
        every_k_schedule: int | Callable[[torch.Tensor], Any],
        *,
        use_grad_mean: bool = True,
        should_skip_update_fn: Callable[..., Any] | None = None,
        accumulator_dtype: torch.dtype | None = None,
    ) -> MultiSteps:
        """Return the transformation."""
        check_transformation(opt, "opt")
        if not callable(every_k_schedule):
            checks.check_count("every_k_schedule", every_k_schedule, 1, of="steps")
        made = _MultiSteps(
            opt, every_k_schedule, use_grad_mean, should_skip_update_fn, accumulator_dtype
        )
        self = super().__new__(cls, made.init, made.update)
        self._made = made
        self.reads = opt.reads
        return self

    @property
    def inner_opt(self) -> GradientTransformation:
        """The inner transformation."""
        return self._made.opt

    def has_updated(self, state: MultiStepsState) -> torch.Tensor:
        """Whether the last step was an inner update, as a boolean tensor."""
        return (state.mini_step == 0) & (state.gradient_step > 0)

    def __getnewargs_ex__(self) -> tuple[tuple[Any], dict[str, Any]]:
        options = dict(vars(self._made))
        return (options.pop("opt"),), options

    def __repr__(self) -> str:
        known = {
            "use_grad_mean": True,
            "should_skip_update_fn": None,
            "accumulator_dtype": None,
        }
        values = dict(vars(self._made))
        return called("MultiSteps", values, known, [values.pop("opt")])
