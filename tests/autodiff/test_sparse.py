"""Derivatives in the values of sparse tensors are refused; gradients that would be sparse are dense."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

import torchopt
from torchopt.diff import Explicit, Implicit
from torchopt.errors import LostGraphError

pytestmark = pytest.mark.filterwarnings("ignore:Sparse:UserWarning")

F64 = torch.float64
ROWS, COLUMNS = torch.tensor([0, 0, 1, 3, 3]), torch.tensor([0, 2, 1, 0, 2])
INDICES = torch.stack([ROWS, COLUMNS])
SHAPE = (4, 3)  # the third row is empty
ORDER = torch.tensor([0, 3, 2, 1, 4])  # by columns
BEGINS, COLUMN_BEGINS = torch.tensor([0, 2, 3, 3, 5]), torch.tensor([0, 2, 3, 5])


def dense(v: Tensor) -> Tensor:
    return torch.zeros(SHAPE, dtype=v.dtype).index_put((ROWS, COLUMNS), v)


def coo(v: Tensor) -> Tensor:
    return torch.sparse_coo_tensor(INDICES, v, SHAPE)


def csr(v: Tensor) -> Tensor:
    return torch.sparse_csr_tensor(BEGINS, COLUMNS, v, SHAPE)


MAKERS: dict[str, Callable[[Tensor], Tensor]] = {
    "coo": coo,
    "coo_by_keywords": lambda v: torch.sparse_coo_tensor(values=v, indices=INDICES, size=SHAPE),
    "coo_of_dense": lambda v: dense(v).to_sparse(),
    "csr": csr,
    "csr_of_dense": lambda v: dense(v).to_sparse_csr(),
    "csc": lambda v: torch.sparse_csc_tensor(COLUMN_BEGINS, ROWS[ORDER], v[ORDER], SHAPE),
    "csr_compressed": lambda v: torch.sparse_compressed_tensor(
        BEGINS, COLUMNS, v, SHAPE, layout=torch.sparse_csr
    ),
    "blocks": lambda v: dense(v).to_sparse_bsr((2, 1)),
    "leaf": lambda v: coo(v.detach()).requires_grad_(),
    "leaf_scaled": lambda v: 2 * coo(v.detach()).requires_grad_(),
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
    "sparse_addmm": lambda S, B: torch.sparse.addmm(ADDED, S, mat2=B),
    "linear": lambda S, B: F.linear(B.mT.contiguous(), S),
    "to_dense": lambda S, B: S.to_dense().sin() @ B,
    "values": lambda S, B: (S.coalesce() if S.is_sparse else S).values().exp() * B.sum(),
}
POINT = torch.linspace(-1.0, 2.0, 11, dtype=F64)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("make", MAKERS)
def test_values_that_require_grad_are_refused_where_derivatives_are_of_any_order(
    op: str, make: str
) -> None:
    v, B = POINT[:5].clone().requires_grad_(), POINT[5:].reshape(3, 2)
    with torchopt.higher_order(), pytest.raises(LostGraphError, match=r"index_add"):
        OPS[op](MAKERS[make](v), B)


@pytest.mark.parametrize("make", ["coo", "coo_by_keywords", "csr", "csc", "csr_compressed"])
def test_they_are_refused_where_the_tensor_is_made_whatever_reads_it(make: str) -> None:
    v = POINT[:5].clone().requires_grad_()
    with torchopt.higher_order():
        with pytest.raises(LostGraphError, match="index_add"):
            MAKERS[make](v)
        with torch.no_grad():
            MAKERS[make](v)


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("make", ["coo", "csr"])
def test_constant_values_are_not(op: str, make: str) -> None:
    v, B = POINT[:5], POINT[5:].reshape(3, 2).requires_grad_()
    with torchopt.higher_order():
        found = OPS[op](MAKERS[make](v), B)
    expected = v.exp() * B.sum() if op == "values" else OPS[op](dense(v), B)
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(
        *(torch.autograd.grad(y.sin().sum(), B)[0] for y in (found, expected))
    )


DATA = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.5, 1.0]], dtype=F64)


def solution(make: Callable[[Tensor], Tensor], phi: Tensor, options: dict[str, Any]) -> Tensor:
    def objective(v: Tensor) -> Tensor:
        return (make(v) @ DATA - phi).square().sum() + 0.1 * v.pow(4).sum()

    start = torch.ones(5, dtype=F64)
    return torchopt.minimize(objective, start, **options).params.square().sum()


@pytest.mark.parametrize("make", ["coo", "csr"])
@pytest.mark.parametrize("options", [{}, {"solver": torchopt.sgd(0.01), "steps": 3}], ids=str)
def test_a_problem_that_is_only_solved_takes_them_as_the_error_says(
    make: str, options: dict[str, Any]
) -> None:
    phi = torch.tensor(0.5, dtype=F64)
    with pytest.raises(LostGraphError, match=r"solve under `torch\.no_grad\(\)`"):
        solution(MAKERS[make], phi, options)
    with torch.no_grad():
        found, expected = (solution(f, phi, options) for f in (MAKERS[make], dense))
    torch.testing.assert_close(found, expected)


SOLVES: dict[str, dict[str, Any]] = {
    "graph": {"solver": torchopt.sgd(0.02), "steps": 4, "diff": Explicit()},
    "step": {"solver": torchopt.adam(0.1), "steps": 4, "diff": Explicit("step")},
    "tree": {"solver": torchopt.sgd(0.02), "steps": 4, "diff": Explicit("tree")},
    "implicit": {"solver": torchopt.solver.LBFGS(), "diff": Implicit()},
    "newton": {"solver": torchopt.solver.Newton(), "diff": Implicit()},
}
DIFFERENCES = {
    "solver": torchopt.sgd(0.02),
    "steps": 4,
    "diff": Explicit("step", hvp="finite_difference"),
}
PHI = torch.tensor(0.5, dtype=F64)
Scalar = Callable[[Tensor], Tensor]


def eager(f: Scalar) -> Tensor:
    phi = PHI.clone().requires_grad_()
    return torch.autograd.grad(f(phi), phi)[0]


TRANSFORMS: dict[str, Callable[[Scalar], Tensor]] = {
    "eager": eager,
    "grad": lambda f: torch.func.grad(f)(PHI),
    "jacrev": lambda f: torch.func.jacrev(f)(PHI),
    "grad_of_grad": lambda f: torch.func.grad(torch.func.grad(f))(PHI),
    "jvp": lambda f: torch.func.jvp(f, (PHI,), (torch.ones_like(PHI),))[1],
    "hessian": lambda f: torch.func.hessian(f)(PHI),
    "vmap": lambda f: torch.func.vmap(f)(PHI.repeat(2))[0],
    "vmap_of_grad": lambda f: torch.func.vmap(torch.func.grad(f))(PHI.repeat(2))[0],
    "grad_of_vmap": lambda f: torch.func.grad(lambda p: torch.func.vmap(f)(p.repeat(2))[0])(PHI),
}


@pytest.mark.parametrize(
    ("make", "transform", "mode"),
    [
        (("coo", "coo_of_dense", "csr")[k % 3], *pair)
        for k, pair in enumerate(itertools.product(TRANSFORMS, SOLVES))
    ],
)
def test_no_mode_returns_a_number_made_of_lost_graphs(make: str, transform: str, mode: str) -> None:
    with pytest.raises(LostGraphError, match="index_add"):
        TRANSFORMS[transform](lambda phi: solution(MAKERS[make], phi, SOLVES[mode]))


@pytest.mark.parametrize("make", ["coo", "csr"])
def test_differences_of_first_derivatives_need_no_graph(make: str) -> None:
    found, expected = (
        eager(lambda phi, m=m: solution(m, phi, DIFFERENCES)) for m in (MAKERS[make], dense)
    )
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("mode", ["graph", "step", "implicit"])
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
    def derivatives(*, sparse: bool) -> list[Tensor]:
        x = POINT[:9].clone().requires_grad_()
        with torchopt.higher_order():
            rows = ROWS_OF[name](x.reshape(3, 3), sparse)
            weights = torch.arange(1, 1 + rows.numel()).reshape(rows.shape).cos()
            value = (rows.sin() * weights).sum()
        (g,) = torch.autograd.grad(value, x, create_graph=True)
        (h,) = torch.autograd.grad(g, x, POINT[:9].cos(), create_graph=True)
        return [value, g, h, torch.autograd.grad(h, x, POINT[:9].sin())[0]]

    torch.testing.assert_close(derivatives(sparse=True), derivatives(sparse=False))
