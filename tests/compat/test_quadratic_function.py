"""qpth's function: closed forms, qpth's shapes, and the gradients of `quadratic_program`."""

import pytest
import torch

import torchopt
from torchopt.compat import QPFunction

F64 = torch.float64
NONE = torch.empty(0, dtype=F64)
solve = QPFunction(verbose=False)


def draw(*shape, seed):
    return torch.randn(shape, dtype=F64, generator=torch.Generator().manual_seed(seed))


def test_the_solution_of_a_diagonal_program_in_a_half_space_is_the_clamped_one():
    curvature, p, bound = torch.tensor([1.0, 2.0, 5.0], dtype=F64), draw(4, 3, seed=0), 0.3
    for Q in (torch.diag(curvature), torch.diag(curvature).expand(4, 3, 3)):
        x = solve(Q, p, torch.eye(3, dtype=F64), torch.full((3,), bound, dtype=F64), NONE, NONE)
        torch.testing.assert_close(x, (-p / curvature).clamp(max=bound))


def test_equalities_alone_give_the_solution_of_the_linear_system():
    root, p, A, b = (draw(*s, seed=i) for i, s in enumerate([(4, 4), (4,), (2, 4), (2,)]))
    Q = root @ root.T + torch.eye(4, dtype=F64)
    system = torch.cat([torch.cat([Q, A.T], 1), torch.cat([A, torch.zeros(2, 2)], 1)])
    x = solve(Q, p, NONE, NONE, A, b)
    assert x.shape == (1, 4)  # qpth's solution always has a batch
    torch.testing.assert_close(x[0], torch.linalg.solve(system, torch.cat([-p, b]))[:4])


@pytest.mark.parametrize("batched", ["p", "h", "Q", "b"])
def test_gradients_are_right_in_each_block_and_those_of_quadratic_program(batched):
    root, p, G, A = (draw(*s, seed=i) for i, s in enumerate([(3, 3), (3,), (4, 3), (1, 3)]))
    inside = draw(3, seed=9)
    h = G @ inside + torch.tensor([0.0, 0.1, 0.5, 1.0], dtype=F64)  # some are active
    blocks = {"Q": root @ root.T + torch.eye(3), "p": p, "G": G, "h": h, "A": A, "b": A @ inside}
    blocks[batched] = torch.stack([blocks[batched], blocks[batched] * 1.1])
    leaves = [x.detach().requires_grad_() for x in blocks.values()]

    def symmetric(Q, *rest):
        return solve((Q + Q.mT) / 2, *rest)

    assert torch.autograd.gradcheck(symmetric, leaves)
    Q, p, G, h, A, b = leaves
    expected = torchopt.quadratic_program(Q, p, G=G, h=h, A=A, b=b).params
    found = solve(*leaves)
    torch.testing.assert_close(found, expected)
    weights = draw(*found.shape, seed=7)
    for x, y in zip(
        torch.autograd.grad((weights * found).sum(), leaves),
        torch.autograd.grad((weights * expected).sum(), leaves),
        strict=True,
    ):
        torch.testing.assert_close(x, y)


def test_it_is_made_as_in_qpth_and_says_what_is_wrong():
    made = QPFunction(1e-8, -1, 3, 30, None, False)
    p = torch.ones(1, 2, dtype=torch.float32)
    x = made(torch.eye(2), p, -torch.eye(2), torch.zeros(2), torch.empty(0), torch.empty(0))
    assert (x.dtype, x.tolist()) == (torch.float32, [[0.0, 0.0]])
    with pytest.raises(ValueError, match="`maxiter` is 0"):
        QPFunction(maxIter=0)
    with pytest.warns(torchopt.errors.NotConvergedWarning, match="infeasible"):
        solve(
            *(x.double() for x in (torch.eye(1), p[:, :1], torch.eye(1), -torch.ones(1))),
            torch.eye(1).double(),
            torch.ones(1).double(),
        )
