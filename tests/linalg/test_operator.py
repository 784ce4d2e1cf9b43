"""Products of operators against Jacobians written out, eagerly and inside transformations."""

import pytest
import torch
from torch.utils.checkpoint import checkpoint

from torchopt import linalg, linear_solve

F64 = torch.float64
PRODUCTS = ["reverse", "forward"]


def draw(*shape, seed=0):
    return torch.randn(*shape, dtype=F64, generator=torch.Generator().manual_seed(seed))


W = draw(3, 4, seed=1)


def curved(x):
    """A function of R4 to R3 whose Jacobian is not constant."""
    return torch.tanh(W @ x) * x[0] + x[1:].square()


def valley(x):
    """A function of R4 to R with a full Hessian."""
    return (curved(x) ** 2).sum() + torch.exp(x[0] * x[3])


def close(found, wanted):
    torch.testing.assert_close(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("hvp", PRODUCTS)
@pytest.mark.parametrize("grad", [True, False])
def test_products_are_those_of_the_jacobian(hvp, grad):
    x, v, u = draw(4), draw(4, seed=2), draw(3, seed=3)
    J = torch.func.jacrev(curved)(x)
    with torch.set_grad_enabled(grad):
        operator = linalg.jacobian_operator(curved, x, jvp=hvp)
        close(operator(v).detach(), J @ v)
        torch.testing.assert_close(operator.T(u).detach(), J.T @ u)
        close(operator.T.T(v).detach(), J @ v)
        assert operator.T(u).requires_grad == grad


@pytest.mark.parametrize("hvp", PRODUCTS)
def test_products_are_those_of_the_hessian(hvp):
    x, v = draw(4), draw(4, seed=2)
    operator = linalg.hessian_operator(valley, x, hvp=hvp)
    H = torch.func.hessian(valley)(x)
    close(operator(v).detach(), H @ v)
    assert operator.symmetric
    assert operator.T is operator


def test_gauss_newton_is_the_normal_matrix():
    x, v = draw(4), draw(4, seed=2)
    J = torch.func.jacrev(curved)(x)
    operator = linalg.gauss_newton_operator(curved, x)
    torch.testing.assert_close(operator(v).detach(), J.T @ J @ v)
    assert operator.symmetric


@pytest.mark.parametrize("hvp", PRODUCTS)
def test_products_under_transformations_are_those_of_eager_mode(hvp):
    xs, vs, us = draw(5, 4), draw(5, 4, seed=2), draw(5, 3, seed=3)

    def products(x, v, u):
        J = linalg.jacobian_operator(curved, x, jvp=hvp)
        H = linalg.hessian_operator(valley, x, hvp=hvp)
        return J(v), J.T(u), H(v), H(v)

    found = torch.func.vmap(products)(xs, vs, us)
    for i, row in enumerate(zip(xs, vs, us, strict=True)):
        for batched, eager in zip(found, products(*row), strict=True):
            close(batched[i], eager.detach())


@pytest.mark.parametrize("hvp", PRODUCTS)
def test_products_are_differentiable_in_the_point_and_in_what_is_read(hvp):
    x, v, scale = draw(4), draw(4, seed=2), torch.tensor(0.7, dtype=F64)

    def found(x, scale):
        return linalg.hessian_operator(lambda x: scale**2 * valley(x), x, hvp=hvp)(v).sum()

    def wanted(x, scale):
        return (torch.func.hessian(lambda x: scale**2 * valley(x))(x) @ v).sum()

    expected = torch.func.grad(wanted, argnums=(0, 1))(x, scale)
    for transformed in torch.func.grad(found, argnums=(0, 1))(x, scale), None:
        if transformed is None:
            x.requires_grad_(), scale.requires_grad_()
            transformed = torch.autograd.grad(found(x, scale), (x, scale))
        torch.testing.assert_close(transformed, expected, rtol=1e-10, atol=1e-10)


def test_one_evaluation_serves_all_products():
    calls = []

    def counted(x):
        calls.append(x)
        return curved(x)

    J = linalg.jacobian_operator(counted, draw(4))
    assert not calls
    with torch.no_grad():
        for seed in range(4):
            J.T(draw(3, seed=seed))
        assert len(calls) == 1
        J(draw(4))
        before = len(calls)
        for seed in range(4):
            J(draw(4, seed=seed))
        assert len(calls) == before


def test_trees_keep_their_structure():
    x = {"a": draw(2), "n": None, "b": (draw(2, 3), torch.tensor(0.4, dtype=F64))}
    v = {"a": draw(2, seed=2), "n": None, "b": (draw(2, 3, seed=3), torch.tensor(1.5, dtype=F64))}

    def f(x):
        return {"y": x["b"][0].sin() @ x["b"][0].T @ x["a"], "z": None, "s": x["b"][1] * x["a"][0]}

    def flat(a, m, s):
        out = f({"a": a, "n": None, "b": (m, s)})
        return out["y"], out["s"]

    for hvp in PRODUCTS:
        operator = linalg.jacobian_operator(f, x, jvp=hvp)
        out = operator(v)
        point, tangent = ((t["a"], *t["b"]) for t in (x, v))
        _, (y, s) = torch.func.jvp(flat, point, tangent)
        assert out["z"] is None
        close((out["y"].detach(), out["s"].detach()), (y, s))
        back = operator.T({"y": y, "z": None, "s": s})
        wanted = torch.func.vjp(flat, *point)[1]((y, s))
        assert back["n"] is None
        torch.testing.assert_close((back["a"], *back["b"]), wanted, check_dtype=True)


def test_what_does_not_depend_on_the_point_has_the_derivative_zero():
    x = {"a": draw(2), "b": draw(3)}
    operator = linalg.jacobian_operator(lambda x: x["a"] ** 2, x)
    assert torch.equal(operator.T(draw(2))["b"], torch.zeros(3, dtype=F64))


def test_a_function_that_autograd_cannot_see_through_is_an_error():
    for function in (lambda x: torch.ones(2, dtype=F64), lambda x: x.detach() ** 2):
        with pytest.raises(ValueError, match="does not depend on its argument"):
            linalg.jacobian_operator(function, draw(2)).T(draw(2))


def test_the_point_that_is_also_read_otherwise_is_another_variable():
    x = draw(4).requires_grad_()
    operator = linalg.hessian_operator(lambda y: ((y - x) ** 2 * x).sum(), x)
    v = draw(4, seed=2)
    torch.testing.assert_close(operator(v), 2 * x * v)


def test_eager_products_go_through_checkpoints_hooks_and_batch_norm():
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Tanh(), torch.nn.Linear(4, 1)
    ).double()
    data, weight = draw(6, 3, seed=8), model[0].weight.detach()

    def loss(w, run):
        hidden = data @ w.T + model[0].bias
        return run(model[1:], hidden).square().sum()

    def plain(w):
        return loss(w, lambda f, h: f(h))

    def rematerialized(w):
        return loss(w, lambda f, h: checkpoint(f, h, use_reentrant=False))

    v = draw(4, 3, seed=9)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        found = linalg.hessian_operator(rematerialized, weight)(v)

    def gradient(w):
        w = w.clone().requires_grad_()
        return torch.autograd.grad(plain(w), w)[0]

    h = 1e-5
    wanted = (gradient(weight + h * v) - gradient(weight - h * v)) / (2 * h)
    torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-7)


def test_a_held_graph_can_be_mapped_over_a_batch_of_vectors():
    x = draw(4)
    H = linalg.hessian_operator(valley, x)
    columns = torch.func.vmap(H)(torch.eye(4, dtype=F64))
    with torch.no_grad():
        H(x)
        held = torch.func.vmap(H)(torch.eye(4, dtype=F64))
    torch.testing.assert_close(held, columns.detach())
    torch.testing.assert_close(columns.detach(), torch.func.hessian(valley)(x))


def test_transpose_of_a_function_is_derived():
    A = draw(4, 4)
    operator = linalg.as_operator(lambda v: {"w": A @ v["w"]}, {"w": draw(4)})
    u = {"w": draw(4, seed=2)}
    torch.testing.assert_close(operator.T(u)["w"], A.T @ u["w"])
    found = torch.func.vmap(lambda A: linalg.as_operator(lambda v: A @ v, u["w"]).T(u["w"]))(
        torch.stack([A, 2 * A])
    )
    torch.testing.assert_close(found[1], 2 * A.T @ u["w"])
    known = linalg.as_operator(linalg.LinearOperator(lambda v: A @ v), draw(4))
    torch.testing.assert_close(known.T(u["w"]), A.T @ u["w"])
    assert linalg.as_operator(known, draw(4)) is known


def test_matrices_are_operators():
    A, B = draw(2, 2), draw(3, 3)
    operator = linalg.as_operator({"a": A, "b": B}, {"a": draw(2), "b": draw(3)})
    v = {"a": draw(2, seed=2), "b": draw(3, seed=3)}
    torch.testing.assert_close(operator(v), {"a": A @ v["a"], "b": B @ v["b"]})
    torch.testing.assert_close(operator.T(v), {"a": A.T @ v["a"], "b": B.T @ v["b"]})


def test_shifted_adds_to_both_products():
    A = draw(3, 3)
    v = draw(3, seed=2)
    operator = linalg.as_operator(A, v)
    unit = torch.eye(3, dtype=F64)
    torch.testing.assert_close(operator.shifted(0.5)(v), (A + 0.5 * unit) @ v)
    torch.testing.assert_close(operator.shifted(0.5).T(v), (A + 0.5 * unit).T @ v)
    assert operator.shifted(0.0) is operator
    assert operator.shifted(None) is operator


def test_wrong_arguments_are_an_error():
    with pytest.raises(ValueError, match="this operator has no transpose"):
        _ = linalg.LinearOperator(lambda v: v).T
    with pytest.raises(ValueError, match="`jvp` is 'backward': use one of 'reverse'"):
        linalg.jacobian_operator(curved, draw(4), jvp="backward")
    with pytest.raises(TypeError, match=r"`A\['m'\]` is a tensor of shape \(2, 3\)"):
        linalg.as_operator({"m": draw(2, 3)}, {"m": draw(3)})
    with pytest.raises(ValueError, match=r"`A` has shape \(3, 3\), but its vector has \(2,\)"):
        linear_solve.CG()(draw(3, 3), draw(2))
    with pytest.raises(ValueError, match=r"`preconditioner` has shape \(2, 2\), but its vector"):
        linear_solve.CG(preconditioner=draw(2, 2))(draw(3, 3), draw(3))
    with pytest.raises(TypeError, match="`A` is an object of type float"):
        linalg.as_operator(2.0, draw(3))
    with pytest.raises(ValueError, match="must be a scalar"):
        linalg.hessian_operator(curved, draw(4))(draw(4))
    with pytest.raises(ValueError, match="does not have the tree structure"):
        linalg.jacobian_operator(lambda x: x["a"], {"a": draw(2)}, jvp="forward")(draw(2))
