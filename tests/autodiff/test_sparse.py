"""Derivatives in the values of sparse tensors, against the same products of dense ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import torchopt
from torchopt.diff import Explicit, Implicit

pytestmark = pytest.mark.filterwarnings("ignore:Sparse:UserWarning")

F64 = torch.float64
ROWS, COLUMNS = torch.tensor([0, 0, 1, 3, 3]), torch.tensor([0, 2, 1, 0, 2])
INDICES = torch.stack([ROWS, COLUMNS])
SHAPE = (4, 3)  # the third row is empty
ORDER = torch.tensor([0, 3, 2, 1, 4])  # by columns
BEGINS, COLUMN_BEGINS = torch.tensor([0, 2, 3, 3, 5]), torch.tensor([0, 2, 3, 5])


def dense(v: Tensor) -> Tensor:
    return torch.zeros(SHAPE, dtype=v.dtype).index_put((ROWS, COLUMNS), v)


def twice_each(v: Tensor) -> Tensor:
    places = torch.cat([INDICES, INDICES], 1)
    return torch.sparse_coo_tensor(places, torch.cat([0.25 * v, 0.75 * v]), SHAPE)


def coo(v: Tensor) -> Tensor:
    return torch.sparse_coo_tensor(INDICES, v, SHAPE)


def csr(v: Tensor) -> Tensor:
    return torch.sparse_csr_tensor(BEGINS, COLUMNS, v, SHAPE)


MAKERS: dict[str, Callable[[Tensor], Tensor]] = {
    "coo": coo,
    "coo_with_duplicates": twice_each,
    "coo_by_keywords": lambda v: torch.sparse_coo_tensor(values=v, indices=INDICES, size=SHAPE),
    "coo_coalesced": lambda v: twice_each(v).coalesce(),
    "coo_transposed": lambda v: torch.sparse_coo_tensor(INDICES.flip(0), v, SHAPE[::-1]).t(),
    "coo_scaled": lambda v: 2 * torch.sparse_coo_tensor(INDICES, v / 2, SHAPE),
    "coo_of_dense": lambda v: dense(v).to_sparse(),
    "csr": csr,
    "csr_of_coo": lambda v: twice_each(v).to_sparse_csr(),
    "csc": lambda v: torch.sparse_csc_tensor(COLUMN_BEGINS, ROWS[ORDER], v[ORDER], SHAPE),
    "csr_compressed": lambda v: torch.sparse_compressed_tensor(
        BEGINS, COLUMNS, v, SHAPE, layout=torch.sparse_csr
    ),
}
LEFT = torch.tensor([[1.0, -2.0, 0.5, 3.0], [0.3, 1.0, -1.0, 2.0]], dtype=F64)
ADDED = LEFT.mT.contiguous()
OPS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "mm": torch.mm,
    "sparse_mm": torch.sparse.mm,
    "matmul": lambda S, B: S @ B,
    "dense_times_sparse": lambda S, B: LEFT @ S + B[0, 0],
    "mv": lambda S, B: S.mv(B[:, 0]),
    "vector_times_sparse": lambda S, B: LEFT[0] @ S + B[0, 0],
    "addmm": lambda S, B: torch.addmm(ADDED, S, B, beta=0.5, alpha=2.0),
    "addmm_without": lambda S, B: torch.sparse.addmm(ADDED * torch.nan, S, B, beta=0.0),
    "linear": lambda S, B: F.linear(B.mT.contiguous(), S),
    "to_dense": lambda S, B: S.to_dense().sin() @ B,
}


def loss(
    op: Callable[[Tensor, Tensor], Tensor], make: Callable[[Tensor], Tensor], x: Tensor
) -> Tensor:
    out = op(make(x[:5]), x[5:].reshape(3, 2))
    return (out.sin() * torch.arange(1, out.numel() + 1, dtype=F64).cos().reshape(out.shape)).sum()


POINT = torch.linspace(-1.0, 2.0, 11, dtype=F64)
FIRST, SECOND = POINT.cos(), POINT.sin()


def derivatives(f: Callable[[Tensor], Tensor]) -> list[Tensor]:
    x = POINT.clone().requires_grad_()
    with torchopt.higher_order():
        value = f(x)
    (g,) = torch.autograd.grad(value, x, create_graph=True)
    (h,) = torch.autograd.grad(g, x, FIRST, create_graph=True)
    return [value, g, h, torch.autograd.grad(h, x, SECOND)[0]]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("make", MAKERS)
def test_derivatives_to_third_order_are_those_of_dense_matrices(op: str, make: str) -> None:
    found = derivatives(lambda x: loss(OPS[op], MAKERS[make], x))
    expected = derivatives(lambda x: loss(OPS[op], dense, x))
    torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("make", ["coo", "coo_with_duplicates", "csr"])
def test_products_of_two_sparse_matrices_are_sparse_and_have_all_derivatives(make: str) -> None:
    shape = MAKERS[make](POINT[:5]).layout

    def square(S: Tensor, B: Tensor) -> Tensor:
        product = S @ torch.sparse.mm(MAKERS[make](B.flatten()[:5]).t().to_sparse(layout=shape), S)
        assert product.layout == shape
        return product.to_dense()

    def truth(S: Tensor, B: Tensor) -> Tensor:
        return S @ (dense(B.flatten()[:5]).mT @ S)

    found = derivatives(lambda x: loss(square, MAKERS[make], x))
    expected = derivatives(lambda x: loss(truth, dense, x))
    torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("make", ["coo", "csr"])
def test_dtypes_are_those_of_dense_products(make: str, dtype: torch.dtype) -> None:
    v = POINT[:5].to(dtype).requires_grad_()
    with torchopt.higher_order():
        found = MAKERS[make](v) @ POINT[5:].to(dtype).reshape(3, 2)
    expected = dense(v) @ POINT[5:].to(dtype).reshape(3, 2)
    torch.testing.assert_close(found, expected)


SOLVES = {
    "graph": {"solver": torchopt.sgd(0.02), "steps": 4, "diff": Explicit()},
    "step": {"solver": torchopt.adam(0.1), "steps": 4, "diff": Explicit("step")},
    "tree": {"solver": torchopt.sgd(0.02), "steps": 4, "diff": Explicit("tree")},
    "differences": {
        "solver": torchopt.sgd(0.02),
        "steps": 4,
        "diff": Explicit("step", hvp="finite_difference"),
    },
    "implicit": {"solver": torchopt.solver.LBFGS(), "diff": Implicit()},
    "newton": {"solver": torchopt.solver.Newton(), "diff": Implicit()},
}


@pytest.mark.parametrize("make", ["coo", "coo_with_duplicates", "csr"])
@pytest.mark.parametrize("mode", SOLVES)
def test_meta_gradient_equals_difference_of_runs(mode: str, make: str) -> None:
    data = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]], dtype=F64)

    def outer(phi: Tensor, make: Callable[[Tensor], Tensor]) -> Tensor:
        def objective(v: Tensor) -> Tensor:
            gap = torch.sparse.mm(make(v), data) if make is not dense else dense(v) @ data
            return (gap - phi).square().sum() + 0.1 * v.pow(4).sum()

        start = torch.ones(5, dtype=F64)
        return torchopt.minimize(objective, start, **SOLVES[mode]).params.square().sum()

    phi = torch.tensor([0.3, 0.7], dtype=F64, requires_grad=True)
    (found,) = torch.autograd.grad(outer(phi, MAKERS[make]), phi)
    h = 1e-4 * torch.eye(2, dtype=F64)
    with torch.no_grad():
        expected = [(outer(phi + d, dense) - outer(phi - d, dense)) / 2e-4 for d in h]
    torch.testing.assert_close(found, torch.stack(expected), rtol=1e-5, atol=1e-7)


Scalar = Callable[[Tensor], Tensor]
PHI = torch.tensor(0.5, dtype=F64)
TRANSFORMS: dict[str, Callable[[Scalar], Tensor]] = {
    "grad": lambda f: torch.func.grad(f)(PHI),
    "jacrev": lambda f: torch.func.jacrev(f)(PHI),
    "grad_of_grad": lambda f: torch.func.grad(torch.func.grad(f))(PHI),
    "jvp": lambda f: torch.func.jvp(f, (PHI,), (torch.ones_like(PHI),))[1],
    "hessian": lambda f: torch.func.hessian(f)(PHI),
    "vmap": lambda f: torch.func.vmap(f)(PHI.repeat(2))[0],
    "vmap_of_grad": lambda f: torch.func.vmap(torch.func.grad(f))(PHI.repeat(2))[0],
    "grad_of_vmap": lambda f: torch.func.grad(lambda p: torch.func.vmap(f)(p.repeat(2))[0])(PHI),
}


RIGHT = [("implicit", "jvp", make) for make in ("coo", "coo_coalesced", "coo_scaled")]
"""Where no sparse tensor itself is differentiated in forward mode."""


@pytest.mark.parametrize("mode", ["graph", "step", "implicit"])
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("make", ["coo", "coo_coalesced", "coo_scaled", "csr", "csr_of_coo", "csc"])
def test_solutions_under_transforms_are_right_or_refused_in_a_sentence(
    make: str, transform: str, mode: str
) -> None:
    data = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]], dtype=F64)

    def outer(phi: Tensor, make: Callable[[Tensor], Tensor]) -> Tensor:
        def objective(v: Tensor) -> Tensor:
            return (make(v) @ data - phi).square().sum() + 0.1 * v.pow(4).sum()

        start = torch.ones(5, dtype=F64)
        return torchopt.minimize(objective, start, **SOLVES[mode]).params.square().sum()

    if make.startswith("cs"):
        why = "compressed layout"
    elif (
        "vmap" in transform
        or (make, transform) == ("coo_scaled", "jacrev")
        or (make, transform, mode) == ("coo_scaled", "hessian", "implicit")
    ):
        why = "no `vmap` of sparse tensors"
    elif transform in ("jvp", "hessian") and (mode, transform, make) not in RIGHT:
        why = "no forward mode for sparse tensors"
    else:
        found = TRANSFORMS[transform](lambda phi: outer(phi, MAKERS[make]))
        expected = TRANSFORMS[transform](lambda phi: outer(phi, dense))
        torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-9)
        return
    with pytest.raises(NotImplementedError, match=why):
        TRANSFORMS[transform](lambda phi: outer(phi, MAKERS[make]))


@pytest.mark.parametrize("mode", ["graph", "step", "implicit", "newton"])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_embeddings_with_sparse_gradients_are_embeddings(transform: str, mode: str) -> None:
    places, start = torch.tensor([0, 2, 2]), torch.linspace(-1, 1, 8, dtype=F64).reshape(4, 2)

    def outer(phi: Tensor, *, sparse: bool) -> Tensor:
        def objective(w: Tensor) -> Tensor:
            rows = F.embedding(places, w, sparse=sparse)
            return (rows.sin() - phi).square().sum() + 0.1 * w.square().sum()

        return torchopt.minimize(objective, start, **SOLVES[mode]).params.square().sum()

    found, expected = (
        TRANSFORMS[transform](lambda p, s=s: outer(p, sparse=s)) for s in (True, False)
    )
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-12)


PICKED = torch.tensor([[0, 2, 1], [1, 1, 0]])
ROWS_OF: dict[str, Callable[[Tensor, bool], Tensor]] = {
    "embedding": lambda w, sparse: F.embedding(PICKED, w, None, None, 2.0, False, sparse),
    "torch_embedding": lambda w, sparse: torch.embedding(w, PICKED, sparse=sparse),
    "gather": lambda w, sparse: torch.gather(w, 1, PICKED, sparse_grad=sparse),
    "method": lambda w, sparse: w.gather(1, PICKED, sparse_grad=sparse),
}


@pytest.mark.parametrize("name", ROWS_OF)
def test_sparse_gradients_have_all_derivatives(name: str) -> None:
    def f(x: Tensor, *, sparse: bool) -> Tensor:
        rows = ROWS_OF[name](x[:9].reshape(3, 3), sparse)
        return (rows.sin() * torch.arange(1, 1 + rows.numel()).reshape(rows.shape).cos()).sum()

    found = derivatives(lambda x: f(x, sparse=True))
    torch.testing.assert_close(found, derivatives(lambda x: f(x, sparse=False)))


def test_batches_of_products_have_all_derivatives() -> None:
    places = torch.tensor([[0, 0, 1], [1, 0, 1], [0, 2, 2]])

    def batch(S: Tensor, B: Tensor) -> Tensor:
        return torch.bmm(S, torch.stack([B, B.sin()]))

    found = derivatives(
        lambda x: loss(batch, lambda v: torch.sparse_coo_tensor(places, v[:3], (2, 2, 3)), x)
    )
    expected = derivatives(
        lambda x: loss(
            batch, lambda v: torch.zeros(2, 2, 3, dtype=F64).index_put(tuple(places), v[:3]), x
        )
    )
    torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("make", ["coo", "csr"])
def test_values_have_all_derivatives(make: str) -> None:
    def values(S: Tensor, B: Tensor) -> Tensor:
        S = S.coalesce() if S.layout == torch.sparse_coo else S
        return S.values().exp() * B.sum()

    found = derivatives(lambda x: loss(values, MAKERS[make], x))
    expected = derivatives(lambda x: loss(lambda v, B: v.exp() * B.sum(), lambda v: v, x))
    torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-12)


def test_in_place_changes_of_a_sparse_tensor_count() -> None:
    def doubled(S: Tensor, B: Tensor) -> Tensor:
        return S.mul_(2.0) @ B

    found = derivatives(lambda x: loss(doubled, coo, x))
    expected = derivatives(lambda x: loss(doubled, dense, x))
    torch.testing.assert_close(found, expected, rtol=1e-11, atol=1e-12)
