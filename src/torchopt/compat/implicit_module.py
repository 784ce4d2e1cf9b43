"""A module whose inner parameters are solved for, and differentiated by their optimality conditions."""

from __future__ import annotations

import abc
import functools
import inspect
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, ClassVar

import torch
from torch import nn

from torchopt import checks
from torchopt.autodiff.compiling import uncompiled
from torchopt.autodiff.exact_normalization import ExactDerivatives
from torchopt.autodiff.tracking import tracking, untracked
from torchopt.compat.stateless import swap_state
from torchopt.diff.implicit.mode import default_linear_solve
from torchopt.diff.kinds import Minimum
from torchopt.linear_solve.checking import check_linear_solver
from torchopt.modules import functional
from torchopt.modules.meta_module import MetaGradientModule
from torchopt.operators.implicit_function import implicit

__all__ = ["ImplicitMetaGradientModule"]


class ImplicitMetaGradientModule(MetaGradientModule, abc.ABC):
    r"""A module whose inner parameters are the solution of a problem with its meta-parameters.

    A subclass implements :meth:`solve`, which trains the inner parameters by whatever means, and
    either :meth:`objective`, whose gradient is zero at the solution, or :meth:`optimality`, which is.
    After ``module.solve(...)`` the module's parameters are differentiable functions of the
    meta-parameters, and of everything else that the conditions read, to any order; see
    :class:`torchopt.diff.Implicit`.

    ``solve`` runs without a graph; gradients inside need ``torch.enable_grad()``. It starts from the
    parameters' current values. If it raises, the parameters are left as they were.

    Class arguments:
        linear_solve: The linear solver of the derivative; see :mod:`torchopt.linear_solve`. By default
            ``CG()`` with an ``objective``, ``GMRES()`` with an ``optimality``.

    Args:
        *args: The variables of the outer problem; see :class:`torchopt.nn.MetaGradientModule`.
        **kwargs: The same by name.

    Raises:
        TypeError: If a subclass has neither ``objective`` nor ``optimality``, or if one without
            ``solve`` is instantiated.

    Example:
        >>> import torch, torchopt
        >>> class Shrunk(torchopt.compat.ImplicitMetaGradientModule):
        ...     def __init__(self, penalty):
        ...         super().__init__()
        ...         self.penalty = penalty
        ...         self.x = torch.nn.Parameter(torch.zeros(()))
        ...     def objective(self, y):
        ...         return (self.x - y) ** 2 + self.penalty * self.x ** 2
        ...     def solve(self, y):
        ...         self.x.copy_(y / (1 + self.penalty))
        >>> penalty = torch.tensor(1.0, requires_grad=True)
        >>> module = Shrunk(penalty)
        >>> module.solve(torch.tensor(2.0))
        >>> module.x.backward()
        >>> penalty.grad
        tensor(-0.5000)

    References:
        Ren et al., *TorchOpt*, JMLR 2023, listing 2. Rajeswaran et al., *Meta-Learning with Implicit
        Gradients*, NeurIPS 2019.
    """

    linear_solve: ClassVar[Callable[..., Any] | None] = None
    _by_objective: ClassVar[bool]
    # The parameters that `solve` trains; between its calls, their solution stands in their places.
    _inner_leaves: dict[str, nn.Parameter]

    def __init_subclass__(
        cls, linear_solve: Callable[..., Any] | None = None, **kwargs: Any
    ) -> None:
        """Check a subclass, and make its ``solve`` differentiable."""
        super().__init_subclass__(**kwargs)
        check_linear_solver(linear_solve)
        if linear_solve is not None:
            cls.linear_solve = staticmethod(linear_solve)
        base = ImplicitMetaGradientModule
        for name in ("solve", "objective", "optimality"):
            method = inspect.getattr_static(cls, name)
            for kind in (staticmethod, classmethod):
                if isinstance(method, kind):
                    raise TypeError(
                        f"method {name}() must not be a {kind.__name__}. "
                        f"Let `{cls.__name__}` define it as a method of instances."
                    )
            if not callable(method):
                raise TypeError(
                    f"method {name}() must be callable. `{cls.__name__}` has an object of type "
                    f"{type(method).__name__} in its place."
                )
        if cls.objective is base.objective and cls.optimality is base.optimality:
            raise TypeError(
                f"ImplicitMetaGradientModule requires either an optimality() method or an "
                f"objective() method. `{cls.__name__}` has none."
            )
        cls._by_objective = cls.optimality is base.optimality
        if "solve" in cls.__dict__:
            enable_implicit_gradients(cls)

    @abc.abstractmethod
    def solve(self, *input: Any, **kwargs: Any) -> Any:
        """Solve the inner problem: change the module's parameters in place.

        Args:
            *input: What the problem depends on, passed to :meth:`objective` or :meth:`optimality` too.
            **kwargs: The same by name.

        Returns:
            Anything.
        """
        raise NotImplementedError

    def optimality(self, *input: Any, **kwargs: Any) -> Any:
        """Return what is zero at the solution; by default the gradient of :meth:`objective`.

        Args:
            *input: What :meth:`solve` was given.
            **kwargs: The same by name.

        Returns:
            One tensor for each parameter, in the order of ``parameters()``, or by name.
        """
        tensors = _parameters_of(self)
        gradient = self._gradient(tensors, input, kwargs)
        return tuple(gradient[name] for name in tensors)

    def objective(self, *input: Any, **kwargs: Any) -> torch.Tensor:
        """Return the scalar that the solution minimizes.

        Args:
            *input: What :meth:`solve` was given.
            **kwargs: The same by name.
        """
        raise NotImplementedError

    def _gradient(self, tensors: dict[str, Any], input: tuple[Any, ...], kwargs: Any) -> Any:
        def objective(x: dict[str, torch.Tensor]) -> torch.Tensor:
            return _with(self, x, "objective", input, kwargs)

        return Minimum(objective).evaluate(tensors, (), conditions=True).residual

    def _conditions(self, x: dict[str, Any], input: tuple[Any, ...], kwargs: Any) -> Any:
        if self._by_objective:
            return self._gradient(x, input, kwargs)
        conditions = _with(self, x, "optimality", input, kwargs)
        if isinstance(conditions, torch.Tensor):
            conditions = (conditions,)
        if isinstance(conditions, (tuple, list)):
            if len(conditions) != len(x):
                raise ValueError(
                    f"`{type(self).__name__}.optimality` returned {len(conditions)} tensors, but the "
                    f"module has {len(x)} parameters: return one for each, in the order of "
                    f"`parameters()`."
                )
            conditions = dict(zip(x, conditions, strict=True))
        return conditions


def _with(
    module: nn.Module, tensors: dict[str, Any], method: str, input: tuple[Any, ...], kwargs: Any
) -> Any:
    """Call a method of a module with some of its tensors replaced."""
    with ExactDerivatives() if checks.transforms_active() else nullcontext():
        shown = functional.functional_copy(module, tensors)
        return getattr(shown.module, method)(*input, **kwargs)


def make_optimality_from_objective(
    cls: type[ImplicitMetaGradientModule],
) -> type[ImplicitMetaGradientModule]:
    """Let the optimality of a class be the gradient of its objective.

    Raises:
        TypeError: If it has none.
    """
    if cls.objective is ImplicitMetaGradientModule.objective:
        raise TypeError("The objective function is not defined.")
    cls.optimality = ImplicitMetaGradientModule.optimality  # type: ignore[method-assign]
    cls._by_objective = True
    return cls


def enable_implicit_gradients(
    cls: type[ImplicitMetaGradientModule],
) -> type[ImplicitMetaGradientModule]:
    """Make the method ``solve`` of a class differentiable; of a subclass it is at once.

    Raises:
        TypeError: If it is differentiable.
    """
    if getattr(cls.solve, "__implicit_gradients_enabled__", False):
        raise TypeError("Implicit gradients are already enabled for the `solve` method.")
    cls.solve = _implicitly(cls.solve)  # type: ignore[method-assign]
    return cls


def _implicitly(solve: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(solve)
    @uncompiled
    def wrapped(self: ImplicitMetaGradientModule, *input: Any, **kwargs: Any) -> Any:
        slots = dict(self.named_parameters())
        leaves = _restore_leaves(self)
        before = {name: p.detach().clone() for name, p in leaves.items()}
        try:
            with untracked():
                output = solve(self, *input, **kwargs)
        except BaseException:
            with torch.no_grad():
                for name, p in leaves.items():
                    p.copy_(before[name])
            swap_state(self, slots)
            raise
        if not tracking():
            return output
        meta = [t for _, t in self.named_meta_parameters()]
        # The graph of the solution holds its conditions, and this module the solution: conditions of
        # this module would be a cycle through the graph, which no collector sees.
        still = functional.functional_copy(self).module
        x = implicit(
            lambda x, _meta, input, kwargs: still._conditions(x, input, kwargs),
            {name: p.detach() for name, p in self.named_parameters()},
            linear_solve=self.linear_solve or default_linear_solve(symmetric=self._by_objective),
            inputs=(meta, input, kwargs),
            symmetric=self._by_objective,
        )
        # Copies: programs write into a module's parameters by `.data`, which no graph would notice.
        swap_state(self, {name: t.clone() for name, t in x.items()})
        return output

    wrapped.__implicit_gradients_enabled__ = True  # type: ignore[attr-defined]
    return wrapped


def _restore_leaves(module: ImplicitMetaGradientModule) -> dict[str, nn.Parameter]:
    """Put the parameters that `solve` trains back into their places, with the current values."""
    current = _parameters_of(module)
    known: dict[str, nn.Parameter] = vars(module).setdefault("_inner_leaves", {})
    for name, p in current.items():
        if p.is_leaf:
            known[name] = p
            continue
        with torch.no_grad():
            leaf = known.get(name)
            if leaf is None or (leaf.shape, leaf.dtype, leaf.device) != (
                p.shape,
                p.dtype,
                p.device,
            ):
                leaf = nn.Parameter(p.detach().clone())
            leaf.copy_(p)
            known[name] = leaf
    swap_state(module, {name: known[name] for name, p in current.items() if not p.is_leaf})
    return {name: known[name] for name in current}


def _parameters_of(module: ImplicitMetaGradientModule) -> dict[str, nn.Parameter]:
    tensors = dict(module.named_parameters())
    if not tensors:
        raise RuntimeError(
            f"The module has no parameters. Assign to `{type(module).__name__}` an `nn.Parameter`, or "
            f"a module that was not passed to the constructor."
        )
    return tensors
