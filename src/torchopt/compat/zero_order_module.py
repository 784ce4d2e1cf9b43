"""A module whose output has an estimated derivative with respect to its parameters."""

from __future__ import annotations

import abc
import functools
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import torch
from torch import nn

from torchopt.autodiff.module_tensors import holding
from torchopt.autodiff.tracking import copied
from torchopt.compat.zero_order_function import Method, estimator_of
from torchopt.diff import ZeroOrder

__all__ = ["ZeroOrderGradientModule"]


class ZeroOrderGradientModule(nn.Module, abc.ABC):
    r"""A module whose ``forward`` is a black box, differentiated from its values.

    A subclass implements ``forward``, which may do anything, and :meth:`sample`, which draws
    perturbations. The derivative with respect to the module's parameters is estimated; see
    :class:`torchopt.diff.ZeroOrder`. While ``forward`` runs, the module has moved parameters; a
    parameter must be read from the module, not from a list that holds it.

    Class arguments:
        method: ``"naive"``, ``"forward"`` or ``"antithetic"``.
        num_samples: The number of directions.
        sigma: The scale of the perturbation.

    Raises:
        TypeError: If a subclass without ``forward`` or ``sample`` is instantiated.
        RuntimeError: If it is called and has no parameters.
        ValueError: If ``method`` is unknown, or a number is out of its range.

    Example:
        >>> import torch, torchopt
        >>> class Stairs(torchopt.compat.ZeroOrderGradientModule, method="antithetic", num_samples=50):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.x = torch.nn.Parameter(torch.zeros(2))
        ...     def forward(self, height):
        ...         return (height * self.x).round().sum()
        ...     def sample(self, sample_shape=torch.Size()):
        ...         return torch.randn(sample_shape)
        >>> module = Stairs()
        >>> module(10.0).backward()
        >>> module.x.grad.shape
        torch.Size([2])

    References:
        Ren et al., *TorchOpt*, JMLR 2023, listing 3.
    """

    _mode: ClassVar[tuple[Method, int, float]] = ("naive", 1, 1.0)

    def __init_subclass__(
        cls,
        method: Method | None = None,
        num_samples: int | None = None,
        sigma: float | None = None,
        **kwargs: Any,
    ) -> None:
        """Check a subclass, and make its ``forward`` differentiable."""
        super().__init_subclass__(**kwargs)
        old = cls._mode
        cls._mode = (
            old[0] if method is None else method,
            old[1] if num_samples is None else num_samples,
            old[2] if sigma is None else sigma,
        )
        estimator_of(cls._mode[0], torch.randn, *cls._mode[1:])  # raises if it is none
        if "forward" in cls.__dict__:
            enable_zero_order_gradients(cls, *cls._mode)

    @abc.abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Return the module's output; all numbers in it are differentiated."""

    @abc.abstractmethod
    def sample(self, sample_shape: torch.Size = torch.Size()) -> Any:  # noqa: B008
        """Return perturbations of zero mean and unit variance, of a given shape."""


def enable_zero_order_gradients(
    cls: type[ZeroOrderGradientModule],
    method: Method = "naive",
    num_samples: int = 1,
    sigma: float = 1.0,
) -> type[ZeroOrderGradientModule]:
    """Make the method ``forward`` of a class differentiable; of a subclass it is at once.

    Raises:
        TypeError: If it is differentiable.
    """
    if getattr(cls.forward, "__zero_order_gradients_enabled__", False):
        raise TypeError(
            "Zero-order gradient estimation is already enabled for the `forward` method."
        )
    cls._mode = (method, num_samples, sigma)
    cls.forward = _estimated(cls.forward)  # type: ignore[method-assign]
    return cls


def _estimated(forward: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(forward)
    def wrapped(self: ZeroOrderGradientModule, *args: Any, **kwargs: Any) -> Any:
        params = dict(self.named_parameters())
        if not params:
            raise RuntimeError(
                f"The module has no parameters. Assign to `{type(self).__name__}` an `nn.Parameter` to "
                f"differentiate for."
            )

        names = {id(p): name for name, p in params.items()}  # one name of a tied parameter

        def function(tensors: Mapping[str, torch.Tensor]) -> Any:
            tables = [m._parameters for m in self.modules()]
            moved = [
                {key: tensors[names[id(p)]] for key, p in table.items() if p is not None}
                for table in tables
            ]
            with holding(list(zip(tables, moved, strict=True))):
                return _Body(self, functools.partial(forward, self))(
                    *copied(args), **copied(kwargs)
                )

        method, num_samples, sigma = self._mode
        return ZeroOrder(estimator_of(method, self.sample, num_samples, sigma))(function)(params)

    wrapped.__zero_order_gradients_enabled__ = True  # type: ignore[attr-defined]
    return wrapped


class _Body(nn.Module):
    """A module's ``forward``, called as that of a module, so that its buffers are replayed."""

    def __init__(self, module: nn.Module, body: Callable[..., Any]) -> None:
        super().__init__()
        self._buffers = module._buffers
        self._body = body

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self._body(*args, **kwargs)
