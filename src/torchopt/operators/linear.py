"""Matrix-free linear operators on trees: a product, its transpose, and where both come from.

The transpose of a linear map is its pullback, and so is the product with a Jacobian: ``u -> Jᵀ u`` is
the pullback of a function, ``v -> J v`` the pullback of that. Where products need no derivatives, as in
a linear solve, each holds the graph of **one** evaluation for all of them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

import torch

from torchopt import checks
from torchopt.autodiff.tracking import with_ends
from torchopt.operators._products import forward_product, zip_map
from torchopt.operators._pullback import Map, Pullback
from torchopt.pytree import flattening as pytree
from torchopt.pytree.typing import Numeric, TensorTree

MixedHVP: TypeAlias = Literal["reverse", "finite_difference"]
"""How the product of a vector with mixed second derivatives is computed."""

JVP: TypeAlias = Literal["reverse", "forward"]
"""How the product with a Jacobian is computed, which for a gradient is a Hessian-vector product."""

HVP: TypeAlias = Literal[JVP, "gauss_newton"]
"""How the product with the Hessian of a problem is computed."""


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

    matvec: Map
    rmatvec: Map | None = None
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


@dataclass(frozen=True, eq=False)
class ProductOfTrees:
    """A product of trees that is made of one of lists of their tensors.

    Attributes:
        of_tensors: The product of lists.
        combine: Makes a tree of such a list.
    """

    of_tensors: Map
    combine: Callable[[Sequence[torch.Tensor]], TensorTree]

    def __call__(self, v: TensorTree) -> TensorTree:
        """Return the product."""
        return self.combine(self.of_tensors(pytree.partition(v)[0]))


def as_operator(
    A: LinearOperator | Map | TensorTree, like: TensorTree, *, symmetric: bool = False
) -> LinearOperator:
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


def block_operator(
    A: Any, *, symmetric: bool = False, square: bool = True, name: str = "A"
) -> LinearOperator:
    """Make an operator of a tree of matrices, the blocks on its diagonal."""
    matrices, spec = pytree.flatten(A)
    for index, matrix in enumerate(matrices):
        is_matrix = isinstance(matrix, torch.Tensor) and matrix.dim() == 2
        if is_matrix and (not square or len({*matrix.shape}) == 1):
            continue
        what = (
            f"a tensor of shape {tuple(matrix.shape)}"
            if isinstance(matrix, torch.Tensor)
            else f"an object of type {type(matrix).__name__}"
        )
        raise TypeError(
            f"`{checks.leaf_path(spec, index, name)}` is {what}, but it must be a square matrix: pass "
            f"square matrices, or a function that returns the product."
        )
    return LinearOperator(
        functools.partial(_block_product, matrices, spec, name),
        functools.partial(_block_product, [matrix.mT for matrix in matrices], spec, name),
        symmetric,
    )


def jacobian_operator(
    function: Map, /, x: TensorTree, *, symmetric: bool = False, jvp: JVP = "reverse"
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
        jvp: How ``J v`` is computed: ``"reverse"`` by the pullback of the pullback, on one held
            graph (no forward-mode formulas needed); ``"forward"`` by forward mode, one evaluation for
            each product, which holds no graph of second order. ``Jᵀ u`` is always a pullback on a held
            graph, but where ``symmetric``.

    Returns:
        The operator.

    Raises:
        ValueError: If ``jvp`` is none of these, or (in eager mode) ``function`` does not depend on
            its argument.

    Example:
        >>> import torch
        >>> J = jacobian_operator(torch.sin, torch.zeros(2))
        >>> J(torch.tensor([1.0, 2.0])).detach()
        tensor([1., 2.])

    References:
        Griewank and Walther, Evaluating Derivatives, 2008, chapter 3.
    """
    checks.check_choice("jvp", jvp, JVP)
    return derivative_operator(function, x, symmetric=symmetric, jvp=jvp)


def derivative_operator(
    function: Map,
    x: TensorTree,
    *,
    symmetric: bool = False,
    jvp: JVP = "reverse",
    gradient: bool = False,
) -> LinearOperator:
    """Return what :func:`jacobian_operator` does.

    Args:
        function: A function of one tree that returns a tree.
        x: The point.
        symmetric: Whether the Jacobian is symmetric.
        jvp: How the product is computed.
        gradient: Whether the function differentiates by its argument, with grad mode on, and takes care
            of what ends tangents.
    """
    if jvp == "forward":
        matvec = functools.partial(forward_product, function, x, gradient)
        return LinearOperator(
            matvec, matvec if symmetric else Pullback(function, lambda: x), symmetric
        )
    rmatvec = Pullback(function, lambda: x)
    if symmetric:
        return LinearOperator(rmatvec, rmatvec, symmetric=True)
    return LinearOperator(Pullback(rmatvec, rmatvec.zeros), rmatvec)


def hessian_operator(objective: Map, /, x: TensorTree, *, hvp: JVP = "reverse") -> LinearOperator:
    r"""Return the Hessian of an objective at a point, as a symmetric operator.

    .. math:: H = \nabla^2 f(x)

    Args:
        objective: A function of one tree that returns a scalar.
        x: The point.
        hvp: As ``jvp`` of :func:`jacobian_operator`, of the gradient: ``"reverse"`` is reverse over
            reverse, and ``"forward"`` forward over reverse.

    Returns:
        The operator.

    Raises:
        ValueError: If ``hvp`` is unknown or the objective is not a scalar.

    Example:
        >>> import torch
        >>> H = hessian_operator(lambda x: (x ** 3).sum(), torch.tensor([1.0, 2.0]))
        >>> H(torch.tensor([1.0, 1.0])).detach()
        tensor([ 6., 12.])
    """
    checks.check_choice("hvp", hvp, JVP)
    return derivative_operator(
        functools.partial(_gradient, objective), x, symmetric=True, jvp=hvp, gradient=True
    )


def gauss_newton_operator(
    residuals: Map, /, x: TensorTree, *, jvp: JVP = "reverse"
) -> LinearOperator:
    r"""Return the Gauss-Newton approximation of the Hessian of ``½ ‖r(x)‖²``, as an operator.

    .. math:: J^\top J, \quad J = \frac{\partial r}{\partial x}(x)

    It is symmetric and positive semidefinite, and the Hessian itself where the residuals vanish or are
    linear.

    Args:
        residuals: A function of one tree that returns the tree of residuals.
        x: The point.
        jvp: How the product with ``J`` is computed, as for :func:`jacobian_operator`.

    Returns:
        The operator.

    Raises:
        ValueError: If ``jvp`` is unknown.

    Example:
        >>> import torch
        >>> G = gauss_newton_operator(lambda x: torch.stack([x.sum(), 2 * x[0]]), torch.zeros(2))
        >>> G(torch.tensor([1.0, 0.0]))
        tensor([5., 1.])

    References:
        Nocedal and Wright, Numerical Optimization, 2006, equation 10.24.
    """
    return normal_operator(jacobian_operator(residuals, x, jvp=jvp))


def normal_operator(J: LinearOperator) -> LinearOperator:
    """Return ``Jᵀ J``."""
    transpose = J.T
    return LinearOperator(lambda v: transpose(J(v)), symmetric=True)


def _gradient(objective: Map, x: TensorTree) -> TensorTree:
    """Return the gradient: the pullback of one."""

    def checked(x: TensorTree) -> torch.Tensor:
        value = with_ends(objective, x)
        checks.check_loss(value, what="the objective's value", advice="look at the inputs")
        return cast(torch.Tensor, value.squeeze())

    pullback = Pullback(checked, lambda: x)
    return pullback(pytree.map_leaves(torch.ones_like, pullback.zeros()))


def _zeros(tree: TensorTree) -> TensorTree:
    return pytree.map_leaves(torch.zeros_like, tree)


def _shifted(ridge: Numeric, product: Map) -> Map:
    return lambda v: zip_map(lambda a, b: a + ridge * b, product(v), v)


def _block_product(matrices: list[torch.Tensor], spec: Any, name: str, v: TensorTree) -> TensorTree:
    vectors, vector_spec = pytree.flatten(v)
    checks.check_same_structure(spec, vector_spec, root="vector", reference=f"`{name}`")
    pairs = [*zip(matrices, vectors, strict=True)]
    for index, (m, x) in enumerate(pairs):
        if not x.dim() or x.shape[:2][-1 if x.dim() == 1 else 0] != m.shape[1]:
            path = checks.leaf_path(spec, index, name)
            raise ValueError(
                f"`{path}` has shape {tuple(m.shape)}, but its vector has {tuple(x.shape)}: pass a "
                f"matrix with a column for each element, or a function that returns the product."
            )
    return pytree.unflatten(spec, [m @ x for m, x in pairs])
