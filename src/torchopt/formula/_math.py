"""Functions for formulas: each takes tensors, numbers, and the expressions that record a formula.

PyTorch is imported where a tensor is at hand: expressions are recorded without it.
"""

from __future__ import annotations

import math
from typing import Any

from torchopt.formula import _expression
from torchopt.formula._expression import Condition, Expression


def safe_sqrt(x: Any) -> Any:
    """Square root whose derivatives at zero are zero.

    The second moment and the first vanish together, and their quotient has a finite derivative;
    the infinite one of the root is selected away before it is taken, never multiplied by zero.
    Zero gives the root of the smallest normal number, which vanishes in a sum with any epsilon.

    Args:
        x: A tensor of any shape, not negative.

    Returns:
        The elementwise root, of the same shape and dtype; NaN where ``x`` is NaN.

    Example:
        >>> import torch
        >>> x = torch.tensor([0.0, 4.0], requires_grad=True)
        >>> safe_sqrt(x).sum().backward()
        >>> x.grad
        tensor([0.0000, 0.2500])
    """
    if isinstance(x, Expression):
        return x.clamp(min=x.tiny()).sqrt()
    import torch

    return x.clamp(min=torch.finfo(x.dtype).tiny).sqrt()


def squarable(x: Any) -> Any:
    """Return a value that has a finite square: one that is too large becomes the largest.

    Its derivative is then zero. Infinity stays.

    Args:
        x: A tensor of any shape.

    Example:
        >>> import torch
        >>> squarable(torch.tensor([1.0, -1e30])).square()
        tensor([1.0000e+00, 8.5071e+37])
    """
    if isinstance(x, Expression):
        most = 1 / x.tiny().sqrt()
    else:
        import torch

        most = torch.finfo(x.dtype).tiny ** -0.5
    return where(x - x == 0, x.clamp(-most, most), x)


def running_mean(old: Any, new: Any, decay: Any) -> Any:
    """Return the running mean ``decay * old + (1 - decay) * new``.

    Args:
        old: The mean so far.
        new: The next value, of the same shape.
        decay: A number, or a tensor that broadcasts.

    Example:
        >>> import torch
        >>> running_mean(torch.tensor(4.0), torch.tensor(8.0), 0.75)
        tensor(5.)
    """
    return decay * old + (1 - decay) * new


def smooth_sign(x: Any, width: Any = None) -> Any:
    """Sign, or the differentiable ``tanh(x / width)``, whose limit for small widths it is.

    The derivative of the sign is zero almost everywhere, and so are derivatives through it.

    Args:
        x: A tensor of any shape.
        width: A positive number, or a tensor that broadcasts; None for the sign itself.

    Returns:
        Values between -1 and 1, of the shape and dtype of ``x``. The sign of NaN is 0, as that of
        ``torch.sign``; the hyperbolic tangent of NaN is NaN.

    Example:
        >>> import torch
        >>> x = torch.tensor([-2.0, 0.0, 1.0])
        >>> smooth_sign(x), smooth_sign(x, 2.0)
        (tensor([-1.,  0.,  1.]), tensor([-0.7616,  0.0000,  0.4621]))
    """
    return x.sign() if width is None else (x / width).tanh()


def sqrt(x: Any) -> Any:
    """Square root of a number, a tensor or an expression.

    Example:
        >>> sqrt(4.0)
        2.0
    """
    return math.sqrt(x) if isinstance(x, float) else x.sqrt()


def where(condition: Any, true: Any, false: Any) -> Any:
    """Return one of two values; the condition is a boolean, a tensor or an expression.

    Example:
        >>> where(3 > 2, 1.0, 0.0)
        1.0
    """
    if any(isinstance(x, (Expression, Condition)) for x in (condition, true, false)):
        return _expression.where(condition, true, false)
    import torch

    if isinstance(condition, bool):
        tensors = [x for x in (true, false) if isinstance(x, torch.Tensor)]
        if not tensors:
            return true if condition else false
        # As a tensor, so that both remain in the autograd graph whatever the condition is now.
        condition = torch.tensor(condition, device=tensors[0].device)
    return torch.where(condition, true, false)
