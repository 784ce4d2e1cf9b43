"""The comparison of a user's meta-gradient with finite differences."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import torch

from torchopt import checks
from torchopt.autodiff.generators import generator_of
from torchopt.errors import InconclusiveWarning, MetaGradientError
from torchopt.io.table import table
from torchopt.io.terminal import progress
from torchopt.meta._comparison import Comparison, Direction, FunctionWithGradient, Verdict
from torchopt.meta._culprits import Cause, find_causes
from torchopt.pytree.typing import TensorTree


@dataclass(frozen=True)
class MetaGradCheck:
    """What :func:`torchopt.check_meta_grad` found: true if the gradient is right; a table as text.

    Attributes:
        directions: What was compared.
        causes: What makes the gradient wrong, as far as known.
    """

    directions: tuple[Direction, ...]
    causes: tuple[Cause, ...] = field(default=())

    @property
    def verdict(self) -> Verdict:
        """``"wrong"`` if any direction is; ``"right"`` if any is; ``"inconclusive"`` if none tells."""
        verdicts = {row.verdict for row in self.directions}
        if "wrong" in verdicts:
            return "wrong"
        return "right" if "right" in verdicts else "inconclusive"

    def __bool__(self) -> bool:
        return self.verdict == "right"

    def __str__(self) -> str:
        rows = [
            ("direction", "order", "gradient", "difference", "its error", "relative", "verdict")
        ]
        for d in self.directions:
            numbers = (f"{d.gradient:.6g}", f"{d.difference:.6g}", f"{d.error:.1e}")
            rows.append((d.name, str(d.order), *numbers, f"{d.relative:.1e}", d.verdict))
        return "\n".join([*table(rows, rule=True), *map(str, self.causes)])

    __repr__ = __str__


_Params = TypeVar("_Params")


def check_meta_grad(
    fn: Callable[[_Params], torch.Tensor],
    /,
    params: _Params,
    *,
    grad: Callable[[_Params], TensorTree] | None = None,
    order: int = 1,
    directions: int = 3,
    rtol: float | None = None,
    generator: torch.Generator | int = 0,
    raise_exception: bool = True,
    verbose: bool = False,
) -> MetaGradCheck:
    """Compare a meta-gradient with finite differences, and name what makes it wrong.

    The check evaluates the outer loss at nearby points along random directions, each with decreasing
    steps until the differences agree with each other. If they never agree (kinks, noise), the check is
    inconclusive and names no cause. Every evaluation sees the same random numbers and buffers of
    modules. If the gradient is wrong, directions within one leaf find the leaf, and trials find the
    cause: an operator, a ``detach()``, an inner gradient without its graph.

    The check takes about 20 evaluations of ``fn``, and a few hundred if something is wrong. It finds
    errors above 2e-5 of the whole gradient in float64 and above 8e-3 in float32.

    Args:
        fn: ``fn(params)`` runs the inner problem, with any library, and returns the outer loss.
        params: A tree of tensors, or a module, whose parameters are varied in place and restored.
        grad: ``grad(params)`` returns the gradient to check, like ``torch.func.grad(fn)``. By default
            :func:`torch.autograd.grad` computes it.
        order: 2 also compares the derivative of the meta-gradient, 3 its second derivative.
        directions: The number of random directions.
        rtol: The relative error above which a derivative is wrong: by default the machine epsilon to
            the power of 0.3.
        generator: Draws the directions: a ``torch.Generator``, or a seed.
        raise_exception: Whether to raise if the gradient is wrong.
        verbose: Whether to count the evaluations, on a terminal.

    Returns:
        The comparison; it is true if the gradient is right.

    Raises:
        MetaGradientError: If the gradient is wrong.
        ValueError: If ``fn`` returns a different value each time, or does not depend on ``params``.
        NonFiniteError: If the outer loss is NaN or infinite at ``params``.
        TypeError: If a leaf is not a real floating-point tensor.

    Example:
        >>> import torch
        >>> def outer(phi):
        ...     theta = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        ...     loss = (theta - phi).square().sum()
        ...     (g,) = torch.autograd.grad(loss, theta)  # create_graph=True is missing
        ...     return (theta - 0.1 * g).square().sum() + phi.sum()
        >>> phi = torch.tensor([1.0, 2.0], dtype=torch.float64)
        >>> result = check_meta_grad(outer, phi, raise_exception=False)
        >>> result.verdict, result.causes[0].kind
        ('wrong', 'create_graph')
    """
    if order < 1 or directions < 1:
        raise ValueError(f"`order` and `directions` must be at least 1, not {order}, {directions}.")
    with progress("check_meta_grad", None, verbose=verbose) as bar:
        program = FunctionWithGradient(fn, params, grad, bar)
        return _checked(program, order, directions, rtol, generator_of(generator), raise_exception)


def _checked(
    program: FunctionWithGradient,
    order: int,
    directions: int,
    rtol: float | None,
    generator: torch.Generator,
    raise_exception: bool,
) -> MetaGradCheck:
    rtol = program.eps**0.3 if rtol is None else rtol
    rows: list[Direction] = []
    for k in range(1, order + 1):
        if k > 1:
            program = program.derivative(program.draw(generator))
        comparison = Comparison(program, k, rtol, generator, directions)
        rows += comparison.run()
        if any(row.verdict == "wrong" for row in rows):
            causes = find_causes(comparison)
            if comparison.raised is not None and not causes:
                raise comparison.raised  # PyTorch said it itself
            result = MetaGradCheck(tuple(rows), tuple(causes))
            if raise_exception:
                message = _message(result, refused=comparison.raised is not None)
                raise MetaGradientError(message, result) from comparison.raised
            return result
    result = MetaGradCheck(tuple(rows))
    if result.verdict == "inconclusive":
        checks.warn(
            "finite differences of the outer loss do not agree with each other (a kink at this point, "
            "noise, or a dtype too coarse), so that they tell nothing about the gradient: check in "
            "float64, at another point.",
            InconclusiveWarning,
        )
    return result


def _message(result: MetaGradCheck, *, refused: bool = False) -> str:
    wrong = [row for row in result.directions if row.verdict == "wrong"]
    order = wrong[0].order
    what = "the meta-gradient" if order == 1 else f"derivative {order} of the outer loss"
    leaves = [row.name for row in wrong if row.name != "all"]
    shown = ", ".join(f"`{name}`" for name in leaves[:3]) + (", ..." if len(leaves) > 3 else "")
    where = f" in {shown}" if leaves else ""
    worst = max((row.relative for row in wrong), key=lambda r: math.inf if math.isnan(r) else r)
    size = f"wrong by {100 * worst:.3g} %" if math.isfinite(worst) else "not finite"
    size = "refused by PyTorch" if refused else size
    text = f"{what} is {size}{where}.\n\n{result}"
    if result.causes:
        return text
    return f"{text}\nNo cause was found: see `torchopt.visual.explain`, or check parts of it alone."
