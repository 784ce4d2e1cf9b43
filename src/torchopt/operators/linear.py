"""Matrix-free linear operators on trees: a product, its transpose, and where both come from.

The transpose of a linear map is its pullback, and so is the product with a Jacobian: ``u -> Jᵀ u`` is
the pullback of a function, ``v -> J v`` the pullback of that. Where products need no derivatives, as in
a linear solve, each holds the graph of **one** evaluation for all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

import torch
from torch.autograd import forward_ad

from torchopt import errors
from torchopt.autodiff.captured import Reads, Substitute
from torchopt.autodiff.compiling import eagerly
from torchopt.autodiff.exact import ExactDerivatives
from torchopt.autodiff.freezing import FrozenConstants
from torchopt.autodiff.frozen import unwatched
from torchopt.autodiff.graph import leaves_reached
from torchopt.autodiff.higher_order import higher_order
from torchopt.autodiff.loops import norm, wide
from torchopt.autodiff.tracking import tracking, with_ends, without_graph
from torchopt.operators.central_difference import Central, moved_by
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree

__all__ = [
    "LinearOperator",
    "Product",
    "as_operator",
    "gauss_newton_operator",
    "hessian_operator",
    "jacobian_operator",
    "normal_operator",
]

_Map: TypeAlias = Callable[[Any], Any]

Product: TypeAlias = Literal["reverse", "forward", "finite_difference"]
"""How the product with a Jacobian is computed."""


@dataclass(frozen=True)
class LinearOperator:
    """A linear map of trees, given by its products.

    Attributes:
        matvec: The product ``v -> A v``.
        rmatvec: The product ``u -> Aᵀ u`` with the transpose; not needed where it is symmetric.
        symmetric: Whether ``A`` is its own transpose.

    Example:
        >>> import torch
        >>> A = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
        >>> operator = LinearOperator(lambda v: A @ v, lambda u: A.T @ u)
        >>> operator.shifted(0.5).T(torch.tensor([1.0, 1.0]))
        tensor([1.5000, 3.5000])
    """

    matvec: _Map
    rmatvec: _Map | None = None
    symmetric: bool = False

    def __call__(self, v: TensorTree) -> TensorTree:
        """Return ``A v``."""
        return self.matvec(v)

    @property
    def T(self) -> LinearOperator:  # noqa: N802
        """The transpose.

        Raises:
            ValueError: If the product with the transpose is not known.
        """
        if self.symmetric:
            return self
        if self.rmatvec is None:
            raise ValueError(
                "this operator has no transpose: give it `rmatvec`, or `symmetric=True` where it is, "
                "or let `torchopt.linalg.as_operator` derive it."
            )
        return LinearOperator(self.rmatvec, self.matvec)

    def shifted(self, ridge: Numeric | None) -> LinearOperator:
        """Return ``A + ridge I``; itself where ``ridge`` is None or the number zero."""
        if ridge is None or (not isinstance(ridge, torch.Tensor) and ridge == 0):
            return self
        shifted = functools.partial(_shifted, ridge)
        return LinearOperator(
            shifted(self.matvec),
            None if self.rmatvec is None else shifted(self.rmatvec),
            self.symmetric,
        )


def as_operator(A: Any, like: TensorTree, *, symmetric: bool = False) -> LinearOperator:
    """Make an operator of a function or a matrix, with its transpose.

    Args:
        A: A linear function of trees, an operator, a square matrix, or a tree of square matrices (one
            for each leaf of the vectors, which together are a block-diagonal matrix).
        like: A tree like the vectors that it is applied to; only its shapes matter.
        symmetric: Whether it is its own transpose. An operator says so itself.

    Returns:
        The operator. The transpose of a function is derived by differentiating it once.

    Raises:
        TypeError: If ``A`` is none of these.

    Example:
        >>> import torch
        >>> double = as_operator(lambda v: {"a": 2 * v["a"]}, {"a": torch.zeros(2)})
        >>> double.T({"a": torch.ones(2)})
        {'a': tensor([2., 2.])}
    """
    if isinstance(A, LinearOperator):
        if A.symmetric or A.rmatvec is not None:
            return A
        return LinearOperator(A.matvec, Pullback(A.matvec, functools.partial(_zeros, like)))
    if callable(A):
        transpose = A if symmetric else Pullback(A, functools.partial(_zeros, like))
        return LinearOperator(A, transpose, symmetric)
    return block_operator(A, symmetric=symmetric)


def block_operator(A: Any, *, symmetric: bool = False, square: bool = True) -> LinearOperator:
    """Make an operator of a tree of matrices, the blocks on its diagonal."""
    matrices, spec = pytree.flatten(A)
    for index, matrix in enumerate(matrices):
        is_matrix = isinstance(matrix, torch.Tensor) and matrix.dim() == 2
        if is_matrix and (not square or len({*matrix.shape}) == 1):
            continue
        found = (
            f"a tensor of shape {tuple(matrix.shape)}"
            if isinstance(matrix, torch.Tensor)
            else f"an object of type {type(matrix).__name__}"
        )
        raise TypeError(
            f"`{errors.leaf_path(spec, index, 'A')}` is {found}, but it must be a square matrix: pass "
            f"square matrices, or a function that returns the product."
        )
    return LinearOperator(
        functools.partial(_block_product, matrices, spec),
        functools.partial(_block_product, [matrix.mT for matrix in matrices], spec),
        symmetric,
    )


def jacobian_operator(
    function: _Map, x: TensorTree, *, symmetric: bool = False, product: Product = "reverse"
) -> LinearOperator:
    r"""Return the Jacobian of a function at a point, as an operator.

    .. math:: J = \frac{\partial F}{\partial x}(x)

    While grad mode is on, the products are differentiable in ``x`` and in all that ``function`` reads;
    under ``torch.no_grad()``, as in a linear solve, all products share one evaluation.

    Args:
        function: A function of one tree that returns a tree.
        x: The point.
        symmetric: Whether the Jacobian is symmetric, as that of a gradient is: then the cheaper of
            both products stands for both.
        product: How ``J v`` is computed: ``"reverse"`` by the pullback of the pullback, on one held
            graph (no forward-mode formulas needed); ``"forward"`` by forward mode, one evaluation for
            each product, which holds no graph of second order; ``"finite_difference"`` by
            the central difference ``(F(x + εv) - F(x - εv)) / 2ε``, which differentiates nothing:
            any kernel will do. What ``F`` detaches, computes under ``torch.no_grad()`` or reads as a
            number is held constant, as for autograd (if autograd sees nothing of ``F``, nothing is). A
            custom ``autograd.Function`` moves by its ``forward``, also where its ``backward`` is no
            derivative of that: write ``x + (quantize(x) - x).detach()`` for a straight-through one.
            The first, second, fourth, ... of these is checked by another step,
            and a better one searched for: ``RuntimeError`` if none is good to a tenth. ``Jᵀ u`` is
            always a pullback on a held graph, but where ``symmetric``.

    Returns:
        The operator.

    Raises:
        ValueError: If ``product`` is none of these, or (in eager mode) ``function`` does not depend on
            its argument.

    Example:
        >>> import torch
        >>> J = jacobian_operator(torch.sin, torch.zeros(2))
        >>> J(torch.tensor([1.0, 2.0])).detach()
        tensor([1., 2.])

    References:
        Griewank and Walther, Evaluating Derivatives, 2008, chapter 3. Nocedal and Wright, Numerical
        Optimization, 2006, equation 8.7 (the step of the central difference).
    """
    return derivative_operator(function, x, symmetric=symmetric, product=product)


def derivative_operator(
    function: _Map,
    x: TensorTree,
    *,
    symmetric: bool = False,
    product: Product = "reverse",
    gradient: bool = False,
) -> LinearOperator:
    """Return what :func:`jacobian_operator` does.

    Args:
        function: A function of one tree that returns a tree.
        x: The point.
        symmetric: Whether the Jacobian is symmetric.
        product: How the product is computed.
        gradient: Whether the function differentiates by its argument, with grad mode on, and takes care
            of what ends tangents.
    """
    if product not in get_args(Product):
        raise ValueError(
            f"`product` is {product!r}: use one of {', '.join(map(repr, get_args(Product)))}."
        )
    if product != "reverse":
        matvec = (
            functools.partial(_forward_product, function, x, gradient)
            if product == "forward"
            else _DifferenceProduct(function, x, gradient)
        )
        return LinearOperator(
            matvec, matvec if symmetric else Pullback(function, lambda: x), symmetric
        )
    rmatvec = Pullback(function, lambda: x)
    if symmetric:
        return LinearOperator(rmatvec, rmatvec, symmetric=True)
    return LinearOperator(Pullback(rmatvec, rmatvec.zeros), rmatvec)


def hessian_operator(
    objective: _Map, x: TensorTree, *, product: Product = "reverse"
) -> LinearOperator:
    r"""Return the Hessian of an objective at a point, as a symmetric operator.

    .. math:: H = \nabla^2 f(x)

    Args:
        objective: A function of one tree that returns a scalar.
        x: The point.
        product: As for :func:`jacobian_operator`, of the gradient: ``"reverse"`` is reverse over
            reverse, ``"forward"`` forward over reverse, and ``"finite_difference"`` asks for first
            derivatives only.

    Returns:
        The operator.

    Raises:
        ValueError: If ``product`` is unknown or the objective is not a scalar.

    Example:
        >>> import torch
        >>> H = hessian_operator(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
        >>> H(torch.tensor([1.0, 1.0])).detach()
        tensor([ 6., 12.])
    """
    return derivative_operator(
        functools.partial(_gradient, objective), x, symmetric=True, product=product, gradient=True
    )


def gauss_newton_operator(
    residuals: _Map, x: TensorTree, *, product: Product = "reverse"
) -> LinearOperator:
    r"""Return the Gauss-Newton approximation of the Hessian of ``½ ‖r(x)‖²``, as an operator.

    .. math:: J^\top J, \quad J = \frac{\partial r}{\partial x}(x)

    It is symmetric and positive semidefinite, and the Hessian itself where the residuals vanish or are
    linear.

    Args:
        residuals: A function of one tree that returns the tree of residuals.
        x: The point.
        product: How the product with ``J`` is computed, as for :func:`jacobian_operator`.

    Returns:
        The operator.

    Raises:
        ValueError: If ``product`` is unknown.

    Example:
        >>> import torch
        >>> G = gauss_newton_operator(lambda x: torch.stack([x.sum(), 2 * x[0]]), torch.zeros(2))
        >>> G(torch.tensor([1.0, 0.0]))
        tensor([5., 1.])

    References:
        Nocedal and Wright, Numerical Optimization, 2006, equation 10.24.
    """
    return normal_operator(jacobian_operator(residuals, x, product=product))


def normal_operator(J: LinearOperator) -> LinearOperator:
    """Return ``Jᵀ J``."""
    transpose = J.T
    return LinearOperator(lambda v: transpose(J(v)), symmetric=True)


class Pullback:
    """``u -> Jᵀ u`` of a function at a point, on the graph of one evaluation, built at first use.

    Args:
        function: A function of one tree.
        point: Returns where it is differentiated.
        constant: Whether it may be independent of its argument; otherwise that is an error.
    """

    def __init__(self, function: _Map, point: Callable[[], Any], *, constant: bool = False) -> None:
        self._function = function
        self._point = point
        self._constant = constant

    def __call__(self, u: TensorTree) -> TensorTree:
        """Return ``Jᵀ u``."""
        leaves, spec, present, outputs, out_spec, vjp = self._held
        given, found = pytree.flatten(u)
        errors.check_same_structure(
            out_spec, found, root="vector", reference="what the operator's transpose returns"
        )
        cotangents = [given[i] for i in range(len(given)) if outputs[i] is not None]
        grads = iter(vjp(cotangents, constant=self._constant))
        out = [next(grads) if i in present else None for i in range(len(leaves))]
        return pytree.unflatten(spec, out)

    def zeros(self) -> TensorTree:
        """Return the zero tree of cotangents."""
        _, _, _, outputs, out_spec, _ = self._held
        return _zeros(pytree.unflatten(out_spec, outputs))

    @property
    def _held(self) -> tuple[list[Any], Any, set[int], list[Any], Any, Callable[..., Any]]:
        # Where products carry derivatives, or are looked at, they must show what they read each time.
        modes = torch.overrides._get_current_function_mode_stack()
        watched = any(isinstance(mode, Reads | Substitute) for mode in modes)
        return self._evaluated() if tracking() or watched else self._cached

    @functools.cached_property
    def _cached(self) -> tuple[list[Any], Any, set[int], list[Any], Any, Callable[..., Any]]:
        return self._evaluated()

    def _evaluated(self) -> tuple[list[Any], Any, set[int], list[Any], Any, Callable[..., Any]]:
        leaves, spec = pytree.flatten(self._point())
        present = {i for i, leaf in enumerate(leaves) if leaf is not None}
        structure: list[Any] = []

        def evaluate(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
            it = iter(tensors)
            filled = [next(it) if i in present else None for i in range(len(leaves))]
            with eagerly():
                outputs, out_spec = pytree.flatten(self._function(pytree.unflatten(spec, filled)))
            structure[:] = [out_spec, [y is not None for y in outputs]]
            return [y for y in outputs if y is not None]

        tensors = [leaves[i] for i in sorted(present)]
        differentiate = _functional_vjp if errors.transforms_active() else _eager_vjp
        found, vjp = differentiate(evaluate, tensors)
        out_spec, given = structure
        it = iter(found)
        outputs = [next(it).detach() if there else None for there in given]
        return leaves, spec, present, outputs, out_spec, vjp


def _functional_vjp(
    evaluate: Callable[[list[torch.Tensor]], list[torch.Tensor]], tensors: list[torch.Tensor]
) -> tuple[list[torch.Tensor], Callable[..., list[torch.Tensor]]]:
    def exact(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        with ExactDerivatives():
            return evaluate(tensors)

    outputs, vjp, *_ = torch.func.vjp(exact, tensors)
    return outputs, lambda cotangents, constant: vjp(cotangents)[0]


def _eager_vjp(
    evaluate: Callable[[list[torch.Tensor]], list[torch.Tensor]], tensors: list[torch.Tensor]
) -> tuple[list[torch.Tensor], Callable[..., list[torch.Tensor]]]:
    if torch.is_inference_mode_enabled():
        raise RuntimeError(
            "there are no derivatives inside `torch.inference_mode()`, and this solver needs some: use "
            "`torch.no_grad()`."
        )
    with torch.enable_grad():
        # Aliases: what the function reads by another way is another variable there.
        aliases = [t.view_as(t) for t in tensors]
        inputs = [t if t.requires_grad else t.requires_grad_() for t in aliases]
        outputs = evaluate(inputs)
    return outputs, functools.partial(pulled_back, outputs, inputs)


def pulled_back(
    outputs: Sequence[torch.Tensor],
    inputs: Sequence[torch.Tensor],
    cotangents: Sequence[torch.Tensor],
    *,
    constant: bool = False,
) -> list[torch.Tensor]:
    """Return the cotangents of inputs for those of outputs, on a graph that is kept.

    Raises:
        ValueError: If no output depends on any input, but where ``constant`` allows it.
    """
    tracked = [(y, c) for y, c in zip(outputs, cotangents, strict=True) if y.requires_grad]
    grads: Sequence[torch.Tensor | None] = [None] * len(inputs)
    if tracked and inputs:
        grads = torch.autograd.grad(
            [y for y, _ in tracked],
            inputs,
            [c for _, c in tracked],
            retain_graph=True,
            create_graph=torch.is_grad_enabled(),
            allow_unused=True,
        )
    if outputs and not constant and all(g is None for g in grads):
        raise ValueError(
            "the function of a derivative operator does not depend on its argument, as far as autograd "
            "can see: compute it from the argument, without `.detach()` or `torch.no_grad()`; of a "
            'kernel without second derivatives take products by `product="finite_difference"`.'
        )
    return [torch.zeros_like(t) if g is None else g for g, t in zip(grads, inputs, strict=True)]


def _gradient(objective: _Map, x: TensorTree) -> TensorTree:
    """Return the gradient: the pullback of one."""

    def checked(x: TensorTree) -> torch.Tensor:
        value = with_ends(lambda: objective(x))
        with unwatched():
            errors.check_loss(value, what="the objective's value")
        return cast(torch.Tensor, value.squeeze())

    pullback = Pullback(checked, lambda: x)
    return pullback(pytree.map_leaves(torch.ones_like, pullback.zeros()))


def _forward_product(function: _Map, x: TensorTree, gradient: bool, v: TensorTree) -> TensorTree:
    def exact(x: TensorTree) -> TensorTree:
        with eagerly(), higher_order():
            return function(x) if gradient else with_ends(lambda: function(x))

    if errors.transforms_active():
        leaves, spec = pytree.flatten(x)
        tangents, _ = pytree.flatten(v)
        present = [i for i, leaf in enumerate(leaves) if leaf is not None]
        structure: list[Any] = []

        def evaluate(*tensors: torch.Tensor) -> list[torch.Tensor]:
            filled = list(leaves)
            for i, t in zip(present, tensors, strict=True):
                filled[i] = t
            outputs, out_spec = pytree.flatten(exact(pytree.unflatten(spec, filled)))
            structure[:] = [out_spec, [y is not None for y in outputs]]
            return [y for y in outputs if y is not None]

        _, found, *_ = torch.func.jvp(
            evaluate, tuple(leaves[i] for i in present), tuple(tangents[i] for i in present)
        )
        it = iter(found)
        return pytree.unflatten(structure[0], [next(it) if t else None for t in structure[1]])
    # On, also where a solver runs without derivatives of its own.
    with forward_ad._set_fwd_grad_enabled(True), forward_ad.dual_level():
        dual = _zip_map(forward_ad.make_dual, x, v)
        return pytree.map_leaves(_tangent, exact(dual))


def _tangent(y: torch.Tensor) -> torch.Tensor:
    primal, tangent = forward_ad.unpack_dual(y)
    return torch.zeros_like(primal) if tangent is None else tangent


class _DifferenceProduct:
    """``v -> J v`` by central differences, of what autograd does not hold constant.

    Args:
        function: A function of one tree.
        x: The point.
        gradient: Whether the function tracks a copy of its argument, and differentiates by that.
    """

    def __init__(self, function: _Map, x: TensorTree, gradient: bool) -> None:
        self._function = function
        self._x = x
        self._tracks = gradient
        self._central: Central | None = None
        self._cuts = FrozenConstants(instead='use `"reverse"` for the product')
        self._depends: list[bool] = []  # whether autograd sees that an output depends on anything

    def __call__(self, v: TensorTree) -> TensorTree:
        points, directions = (
            [wide(t) for t in pytree.flatten(tree)[0] if t is not None] for tree in (self._x, v)
        )
        if self._central is None:
            instead = 'use `"reverse"` or `"forward"` for the product, or a higher precision'
            self._central = Central(pytree.flatten(self._x)[0], instead)
            self._look()
        structure: list[Any] = []

        def along(h: torch.Tensor) -> list[torch.Tensor | None]:
            leaves, spec = self._evaluated(_zip_map(lambda a, d: moved_by(a, d, h), self._x, v))
            structure[:] = [spec]
            if not self._depends or self._tracks:
                return leaves
            pairs = zip(leaves, self._depends, strict=True)
            return [y if y is None or moves else torch.zeros_like(y) for y, moves in pairs]

        length = norm(directions)
        unit = (1 + norm(points)) / torch.where(length > 0, length, 1)
        found = self._central(along, unit)
        return pytree.unflatten(structure[0], found)

    def _look(self) -> None:
        """Evaluate the function at the point, for what it holds constant there."""
        transformed = errors.transforms_active()
        x = self._x
        if not transformed and not torch.is_grad_enabled():
            x = pytree.map_leaves(without_graph, x)  # as are the points nearby
        with self._cuts.recording() as watch:
            if transformed and not self._tracks:
                self._transformed()
            else:
                self._outputs(x)
            watch.close()
        if transformed and self._cuts.events:
            raise RuntimeError(
                f"the function reads values inside of a transform of `torch.func`, which finite "
                f"differences cannot hold constant there: {self._cuts.instead}."
            )
        if not transformed and not self._tracks and not any(self._depends):
            # It differentiates a copy by itself, or autograd sees nothing of it: then all moves.
            self._tracks = True
            self._look()

    def _evaluated(self, x: TensorTree) -> tuple[list[Any], Any]:
        if not self._cuts.events:
            return self._plain(x)
        with self._cuts.holding() as watch:
            found = self._outputs(x)
            watch.close()
        return found

    def _outputs(self, x: TensorTree) -> tuple[list[Any], Any]:
        """Evaluate the function with grad mode on and a point that requires grad."""
        if self._tracks:
            return self._plain(x)
        tracking = torch.is_grad_enabled()
        with torch.enable_grad():
            at = pytree.map_leaves(_requiring_grad, x)
            leaves, spec = self._plain(pytree.map_leaves(torch.clone, at))  # it may write to copies
        own = set(map(id, pytree.flatten(at)[0])) - set(map(id, pytree.flatten(x)[0]))
        outputs = [y for y in leaves if y is not None]
        self._depends = [y is not None and y.requires_grad for y in leaves]
        if not tracking or own.issuperset(map(id, leaves_reached(outputs))):
            leaves = [y if y is None else without_graph(y) for y in leaves]
        return leaves, spec

    def _plain(self, x: TensorTree) -> tuple[list[Any], Any]:
        with eagerly():
            return pytree.flatten(self._function(x))

    def _transformed(self) -> None:
        """Evaluate the function inside of a transform, at a point that is differentiated there."""
        leaves, spec = pytree.flatten(self._x)
        present = [i for i, leaf in enumerate(leaves) if leaf is not None]

        def evaluate(*tensors: torch.Tensor) -> list[torch.Tensor]:
            filled = list(leaves)
            for i, t in zip(present, tensors, strict=True):
                filled[i] = t
            outputs, _ = self._plain(pytree.unflatten(spec, filled))
            return [y for y in outputs if y is not None]

        torch.func.vjp(evaluate, *(leaves[i] for i in present))


def _requiring_grad(t: torch.Tensor) -> torch.Tensor:
    return t if t.requires_grad else t.clone().requires_grad_()


def _zip_map(function: Callable[..., Any], x: TensorTree, y: TensorTree) -> TensorTree:
    xs, spec = pytree.flatten(x)
    ys, found = pytree.flatten(y)
    errors.check_same_structure(spec, found, root="vector", reference="the point")
    pairs = zip(xs, ys, strict=True)
    return pytree.unflatten(spec, [None if a is None else function(a, b) for a, b in pairs])


def _zeros(tree: TensorTree) -> TensorTree:
    return pytree.map_leaves(torch.zeros_like, tree)


def _shifted(ridge: Numeric, product: _Map) -> _Map:
    return lambda v: _zip_map(lambda a, b: a + ridge * b, product(v), v)


def _block_product(matrices: list[torch.Tensor], spec: Any, v: TensorTree) -> TensorTree:
    vectors, found = pytree.flatten(v)
    errors.check_same_structure(spec, found, root="vector", reference="`A`")
    return pytree.unflatten(spec, [m @ x for m, x in zip(matrices, vectors, strict=True)])
