"""One value for each step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch

from torchopt import checks
from torchopt.autodiff.loops import is_readable
from torchopt.autodiff.transforms import unseen_by_modes
from torchopt.io.calls import Partial, records_call
from torchopt.pytree.typing import Numeric, Schedule
from torchopt.schedule._arguments import check_finite
from torchopt.transform.hyperparameters import as_float

_VALUES = checks.Word(
    "use one dimension, with a value for each step",
    (torch.Tensor, tuple),
    lambda rates: getattr(rates, "ndim", 1) == 1 and len(rates),
)


@records_call
def table_schedule(rates: torch.Tensor | Sequence[Numeric]) -> Schedule:
    """Look the value of each step up in a table, such as learning rates that are meta-parameters.

    Args:
        rates: One value for each step, the first for step 0: a tensor with one dimension, which may
            require grad, or a sequence of numbers and scalar tensors. Keep them on the device of the
            parameters.

    Returns:
        A function of the step count, as of :func:`polynomial_schedule`; a count between two steps has
        the value of the first. It raises ``ValueError`` for a step beyond the table where the count
        can be read at no cost. It cannot in compiled code, under ``vmap`` and on an accelerator: the
        value is then NaN.

    Raises:
        TypeError: If ``rates`` is a number: a constant rate needs no table.
        ValueError: If ``rates`` is empty, or is a tensor without exactly one dimension, or an entry is
            complex or not finite, where that can be read at no cost.

    Example:
        >>> schedule = table_schedule([0.3, 0.2, 0.1])
        >>> [schedule(count) for count in range(3)]
        [0.3, 0.2, 0.1]
        >>> schedule(3)
        Traceback (most recent call last):
        ValueError: `rates` has values for 3 steps, the last for step 2, but step 3 was asked for: use
        as many values as steps.

        Rates that are learned; each has a derivative:

        >>> import torch, torchopt
        >>> rates = torch.tensor([0.25, 0.25], requires_grad=True)
        >>> sgd = torchopt.sgd(table_schedule(rates))
        >>> x = torchopt.minimize(lambda x: x ** 2, torch.tensor(1.0), solver=sgd, steps=2).params
        >>> torch.autograd.grad(x, rates)[0]
        tensor([-1., -1.])
    """
    if isinstance(rates, Iterable) and not isinstance(rates, torch.Tensor):
        rates = tuple(rates)
        _check_entries(rates)
        tensors = [rate for rate in rates if isinstance(rate, torch.Tensor)]
        if tensors:  # numbers of other dtypes would be rounded to that of the first
            like = tensors[0].device
            rates = torch.stack(
                [torch.as_tensor(x, dtype=torch.float64, device=like) for x in rates]
            )
    checks.check("rates", rates, _VALUES)
    if isinstance(rates, torch.Tensor) and not checks.transforms_active():
        with unseen_by_modes():  # none is to see that values are read
            known = rates.detach()
            _check_entries(known.tolist() if is_readable(known) else known[:1])
    numbers = None if isinstance(rates, torch.Tensor) else rates
    column = torch.tensor(rates, dtype=torch.float64, device="cpu") if numbers else rates
    return Partial(_looked_up, column=column, numbers=numbers)


def _looked_up(count: Numeric, *, column: torch.Tensor, numbers: tuple[float, ...] | None) -> Any:
    size = column.shape[0]
    if not isinstance(count, torch.Tensor):
        index = math.floor(count)
        _check(index, size)
        return column[index] if numbers is None else float(numbers[index])
    if is_readable(count):
        _check(math.floor(count.item()), size)
    # Without a copy to the host, which would wait for the device.
    device = column.device if count.is_cpu else count.device
    steps = (count.floor() if count.is_floating_point() else count).to(device, torch.int64)
    here = steps.clamp(0, size - 1).reshape(1)
    value = as_float(column.to(device).index_select(0, here).squeeze(0))
    return torch.where((steps >= 0) & (steps < size), value, math.nan)


def _check_entries(rates: Iterable[Any]) -> None:
    check_finite(**{f"rates[{index}]": rate for index, rate in enumerate(rates)})


def _check(index: int, size: int) -> None:
    if not 0 <= index < size:
        raise ValueError(
            f"`rates` has values for {size} steps, the last for step {size - 1}, but step {index} was "
            f"asked for: use as many values as steps."
        )
