"""Each memory policy gives the gradient of the unrolled graph, which equals finite differences."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import _public
import torchopt
from _alive import Alive
from _cases import covering
from torchopt.diff import Explicit

DTYPE = torch.float64
STEPS = 3  # no square, for "sqrt"


class ConvNet(nn.Module):
    """Convolution, batch normalization with running statistics, pooling."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, padding=1)
        self.norm = nn.BatchNorm2d(3)
        self.head = nn.Linear(3, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.tanh(self.norm(self.conv(x))).mean((2, 3)))


class Block(nn.Module):
    """A transformer block with dropout."""

    def __init__(self, dropout: float, recompute: str = "") -> None:
        super().__init__()
        self.norm = nn.LayerNorm(6)
        self.qkv = nn.Linear(6, 18)
        self.out = nn.Linear(6, 6)
        self.dropout = nn.Dropout(dropout)
        self.recompute = recompute

    def forward(self, x: Tensor) -> Tensor:
        if self.recompute:
            return torchopt.remat(self.inner)(x)
        return self.inner(x)

    def inner(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 2, 3)).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.dropout(F.gelu(self.out(mixed.transpose(1, 2).flatten(2))))


class Transformer(nn.Module):
    """Two blocks over four tokens."""

    def __init__(self, dropout: float = 0.2, recompute: str = "") -> None:
        super().__init__()
        self.embed = nn.Linear(3, 6)
        self.blocks = nn.Sequential(*(Block(dropout, recompute) for _ in range(2)))
        self.head = nn.Linear(6, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.blocks(self.embed(x)).mean(1))


MODELS: dict[str, tuple[Callable[[], nn.Module], tuple[int, ...]]] = {
    "mlp": (lambda: nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2)), (6, 3)),
    "mlp with dropout": (
        lambda: nn.Sequential(nn.Linear(3, 5), nn.Dropout(), nn.Linear(5, 2)),
        (6, 3),
    ),
    "conv net with batch normalization": (ConvNet, (4, 1, 5, 5)),
    "transformer with dropout": (Transformer, (3, 4, 3)),
    "attention": (lambda: nn.Sequential(Block(0.0), nn.Flatten(), nn.Linear(24, 2)), (3, 4, 6)),
    "transformer of blocks": (lambda: Transformer(recompute=True), (3, 4, 3)),
}
OPTIMIZERS: dict[str, Callable[[Tensor], Any]] = {
    "sgd": lambda lr: torchopt.sgd(lr, momentum=0.9),
    "adam": lambda lr: torchopt.adam(lr / 5),
    "rmsprop": lambda lr: torchopt.rmsprop(lr / 5),
    "adamw, clipped": lambda lr: torchopt.chain(
        torchopt.transform.clip_grad_norm(0.5), torchopt.adamw(lr / 5, weight_decay=0.1)
    ),
}
#: "forward" is in test_explicit.py: it has a scalar variable.
BACKWARD = {name: mode for name, mode in _public.POLICIES.items() if name != "forward"}
POLICIES: dict[str, Explicit] = {
    **BACKWARD,
    "one checkpoint": Explicit("tree", carries=1),
    "no checkpoint": Explicit("tree", carries=0),
    "step on disk": Explicit("step", offload="disk"),
    "tree on the host": Explicit("tree", offload="cpu"),
    "graph on disk": Explicit(offload="disk"),
    "step, forward over reverse": Explicit("step", hvp="forward"),
}


@dataclass
class Task:
    """A model that learns by an inner loop with weighted examples; what its outer variables are."""

    model: str
    optimizer: str
    steps: int = STEPS

    def __post_init__(self) -> None:
        torch.manual_seed(11)
        make, shape = MODELS[self.model]
        self.module = make().to(DTYPE)
        self.model_of = functools.partial(torchopt.nn.functional_call, self.module)
        self.params = tuple(self.module.parameters())
        self.x = torch.randn(self.steps, *shape, dtype=DTYPE)
        self.y = torch.randint(0, 2, (self.steps, shape[0]))
        self.weights = torch.randn(shape[0], dtype=DTYPE, requires_grad=True)
        self.lr = torch.tensor(0.1, dtype=DTYPE, requires_grad=True)
        self.buffers = [b.clone() for b in self.module.buffers()]

    def variables(self) -> list[Tensor]:
        return [*self.params, self.weights, self.lr]

    def outer(self, mode: Explicit, micro_batches: int = 1) -> Tensor:
        """Return the outer loss, always from the same buffers and random numbers."""
        with torch.no_grad():
            for b, kept in zip(self.module.buffers(), self.buffers, strict=True):
                b.copy_(kept)
        torch.manual_seed(5)
        model, params = self.model_of, self.params

        def inner(p: Any, scale: Tensor, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
            x, y = batch
            logits = model(p, x)
            weights = self.weights[: len(y)].sigmoid()
            return (scale * weights * F.cross_entropy(logits, y, reduction="none")).mean(), logits

        solution = torchopt.minimize(
            inner,
            params,
            (self.weights.exp().mean(),),
            solver=OPTIMIZERS[self.optimizer](self.lr),
            steps=self.steps,
            batches=lambda step: (self.x[step], self.y[step]),
            micro_batches=micro_batches,
            diff=mode,
            has_aux=True,
        )
        self.after = [b.clone() for b in self.module.buffers()], torch.get_rng_state()
        loss = F.cross_entropy(model(solution.params, self.x[0]), self.y[0])
        return loss + solution.aux.square().mean() / 10

    def gradient(self, mode: Explicit, micro_batches: int = 1) -> tuple[Tensor, ...]:
        return torch.autograd.grad(self.outer(mode, micro_batches), self.variables())


def assert_all_close(found: Any, expected: Any, tolerance: float = 1e-9) -> None:
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    ("task_of", "policies"),
    covering(
        # Each optimizer with one model, each model with one optimizer.
        [
            *(("mlp", name) for name in OPTIMIZERS),
            *((name, "adam") for name in MODELS if name != "mlp"),
        ],
        [[*POLICIES][k::3] for k in range(3)],
    ),
    ids=", ".join,
)
def test_every_policy_gives_the_gradient_of_the_graph_and_leaves_the_same_behind(
    task_of: tuple[str, str], policies: list[str]
) -> None:
    task = Task(*task_of)
    expected = task.gradient(Explicit())
    buffers, generator = task.after
    for name, mode in ((name, POLICIES[name]) for name in policies):
        assert_all_close(task.gradient(mode), expected)
        after, random = task.after
        assert all(map(torch.equal, after, buffers)), name
        assert torch.equal(random, generator), name


@pytest.mark.parametrize("model", MODELS)
def test_the_gradient_of_the_graph_equals_finite_differences(model: str) -> None:
    task = Task(model, "adam")
    expected = task.gradient(Explicit())
    generator = torch.Generator().manual_seed(1)
    variables = task.variables()
    for _ in range(2):
        directions = [torch.randn(v.shape, generator=generator, dtype=DTYPE) for v in variables]
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                for v, d in zip(variables, directions, strict=True):
                    v.add_(d, alpha=sign * 3e-7)
                values.append(task.outer(Explicit()))
                for v, d in zip(variables, directions, strict=True):
                    v.sub_(d, alpha=sign * 3e-7)
        difference = (values[0] - values[1]) / 6e-7
        along = sum((g * d).sum() for g, d in zip(expected, directions, strict=True))
        torch.testing.assert_close(along, difference, rtol=1e-6, atol=1e-8)


@functools.cache
def three_orders(memory: Any) -> list[Tensor]:
    task = Task("mlp", "adam")
    found: list[Tensor] = []
    value = task.outer(_public.keeping(memory))
    for order in range(3):
        grads = torch.autograd.grad(value, task.variables(), create_graph=order < 2)
        found += [g.detach() for g in grads]
        value = torch.stack([g.sin().sum() for g in grads]).sum()
    return found


@pytest.mark.parametrize("memory", [*BACKWARD, 1])
def test_derivatives_of_the_meta_gradient_are_those_of_the_graph(memory: Any) -> None:
    assert_all_close(three_orders(memory), three_orders("graph"), 1e-8)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param("mlp", marks=pytest.mark.slow),
        "conv net with batch normalization",
        "transformer of blocks",
    ],
)
def test_forward_mode_gives_the_hypergradients_of_the_graph(model: str) -> None:
    task = Task(model, "adam", steps=2)
    for p in task.params:
        p.requires_grad_(False)
    variables = [task.weights, task.lr]
    expected = torch.autograd.grad(task.outer(Explicit()), variables)
    found = torch.autograd.grad(task.outer(Explicit("forward")), variables)
    assert_all_close(found, expected)


@pytest.mark.parametrize("model", ["mlp", "transformer with dropout"])
def test_a_finite_difference_is_near_the_exact_product(model: str) -> None:
    task = Task(model, "adam")
    found = task.gradient(Explicit("step", hvp="finite_difference"))
    assert_all_close(found, task.gradient(Explicit()), 1e-6)


@pytest.mark.parametrize("memory", ["graph", "step", "tree"])
@pytest.mark.parametrize("hvp", ["reverse", "forward"])
def test_micro_batches_give_the_gradient_of_the_whole_batch(memory: str, hvp: str) -> None:
    if memory == "graph":
        hvp = "reverse"
    x = torch.randn(STEPS, 6, 3, dtype=DTYPE, requires_grad=True)
    w = torch.randn(3, dtype=DTYPE, requires_grad=True)
    start = torch.randn(3, dtype=DTYPE, requires_grad=True)

    def run(mode: Explicit, parts: int) -> tuple[Tensor, ...]:
        solution = torchopt.minimize(
            lambda p, batch: ((batch @ p).sin() + (batch @ (p * w)) ** 2).mean(),
            start,
            solver=torchopt.adam(0.1),
            steps=STEPS,
            batches=x,
            micro_batches=parts,
            diff=mode,
        )
        return torch.autograd.grad(solution.params.square().sum(), (start, w, x))

    assert_all_close(run(_public.keeping(memory, hvp=hvp), 3), run(Explicit(), 1))  # type: ignore[arg-type]


def test_micro_batches_see_the_random_numbers_of_the_first_run() -> None:
    task = Task("mlp with dropout", "adam")
    expected = task.gradient(Explicit(), micro_batches=3)
    for name in ("step", "tree on the host", "step, forward over reverse"):
        assert_all_close(task.gradient(POLICIES[name], micro_batches=3), expected)


def least_squares(mode: Explicit, variables: tuple[Tensor, ...], power: int) -> Tensor:
    start, target = variables
    x = torch.linspace(-1, 1, 7, dtype=DTYPE)
    solution = torchopt.least_squares(
        lambda p, t: p[0] * x + p[1] ** power * x.square() - t,
        start,
        (target,),
        solver=torchopt.sgd(0.02, momentum=0.5),
        steps=4,
        diff=mode,
    )
    return solution.params.sin().sum()


def test_gauss_newton_is_exact_for_linear_residuals_and_leaves_out_curvature_of_others() -> None:
    generator = torch.Generator().manual_seed(3)
    variables = tuple(
        torch.randn(n, generator=generator, dtype=DTYPE).requires_grad_() for n in (2, 7)
    )

    def gradient(mode: Explicit, power: int) -> tuple[Tensor, ...]:
        return torch.autograd.grad(least_squares(mode, variables, power), variables)

    exact = Explicit("step", hvp="gauss_newton")
    assert_all_close(gradient(exact, 1), gradient(Explicit(), 1))
    # By hand: the Jacobian of a step is I - lr JᵀJ, with momentum, at the points of the true run.
    start, target = (v.detach() for v in variables)
    x = torch.linspace(-1, 1, 7, dtype=DTYPE)
    p, velocity = start.clone(), torch.zeros(2, dtype=DTYPE)
    along_p, along_v = torch.eye(2, dtype=DTYPE), torch.zeros(2, 2, dtype=DTYPE)
    for k in range(4):
        jacobian = torch.stack([x, 2 * p[1] * x.square()], 1)
        residual = p[0] * x + p[1] ** 2 * x.square() - target
        velocity = (0.5 * velocity if k else 0) + jacobian.T @ residual
        along_v = (0.5 * along_v if k else 0) + jacobian.T @ jacobian @ along_p
        p, along_p = p - 0.02 * velocity, along_p - 0.02 * along_v
    torch.testing.assert_close(gradient(exact, 2)[0], p.cos() @ along_p, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("memory", ["step", "tree", 1])
def test_a_chain_evaluates_the_objective_as_often_as_the_schedule_says(memory: Any) -> None:
    from torchopt.diff._checkpoints import advances, slots, spine

    calls = 0

    def objective(p: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return p.pow(4).sum()

    start = torch.ones(3, dtype=DTYPE, requires_grad=True)
    steps = 20
    solution = torchopt.minimize(
        objective, start, solver=torchopt.sgd(0.01), steps=steps, diff=_public.keeping(memory)
    )
    assert calls == steps
    solution.params.sum().backward()
    free = slots(memory, steps)
    # The first run leaves the carries of its spine behind; each step is done once for its derivative.
    assert calls == steps + (advances(steps, free) - spine(0, steps, free)[-1]) + steps
    assert calls <= 80 or memory == 1


@pytest.mark.parametrize("hvp", ["reverse", "forward"])
@pytest.mark.parametrize("memory", ["step", "sqrt", "tree", 1])
def test_gradients_that_are_put_away_are_not_computed_again(memory: Any, hvp: str) -> None:
    from torchopt.diff._checkpoints import advances, slots, spine

    calls, steps, parts = 0, 20, 3
    weight = torch.ones(6, dtype=DTYPE, requires_grad=True)
    start = torch.linspace(-1, 1, 3, dtype=DTYPE, requires_grad=True)
    x = torch.randn(steps, 6, 3, dtype=DTYPE, generator=torch.Generator().manual_seed(0))
    at = torch.arange(6).repeat(steps, 1)

    def objective(p: Tensor, batch: tuple[Tensor, Tensor]) -> Tensor:
        nonlocal calls
        calls += 1
        x, at = batch
        scale = torch.rand((), dtype=DTYPE) + 0.5
        return (weight[at] * (scale * x @ p).sin()).mean()

    def gradient(mode: Explicit) -> tuple[Tensor, ...]:
        torch.manual_seed(0)
        solution = torchopt.minimize(
            objective,
            start,
            solver=torchopt.chain(torchopt.transform.add_noise(0.1, 0.5), torchopt.adam(0.1)),
            steps=steps,
            batches=(x, at),
            micro_batches=parts,
            diff=mode,
        )
        return torch.autograd.grad(solution.params.pow(3).sum(), (start, weight))

    expected = gradient(Explicit())
    calls = 0
    mode = _public.keeping(memory, hvp=hvp, offload="cpu")  # type: ignore[arg-type]
    assert_all_close(gradient(mode), expected)
    free = slots(memory, steps)
    kept = spine(0, steps, free)
    again = advances(steps, free) - kept[-1]
    # The first run, what is between checkpoints, the gradients that are not kept, and the products.
    assert calls == parts * (steps + again + (steps - len(kept)) + steps)


@pytest.mark.parametrize("hvp", ["reverse", "forward", "finite_difference"])
@pytest.mark.parametrize("what", ["cos", "sign"])
def test_a_change_after_a_gradient_was_put_away_is_an_error(what: str, hvp: str) -> None:
    scale = torch.ones(3, dtype=DTYPE)
    start = torch.linspace(-1, 1, 3, dtype=DTYPE, requires_grad=True)
    solution = torchopt.minimize(
        lambda p, x: (scale * p).sin().sum() + (p * x).sum() ** 4,
        start,
        solver=torchopt.adam(0.1),
        steps=4,
        batches=torch.ones(4, 6, 3, dtype=DTYPE),
        micro_batches=2,
        diff=Explicit("step", hvp=hvp, offload="disk"),  # type: ignore[arg-type]
    )
    scale.mul_(2 if what == "cos" else -1)
    with pytest.raises(torchopt.errors.ReplayError, match="step 3 gave another gradient"):
        solution.params.sum().backward()


def test_a_graph_can_be_gone_through_twice() -> None:
    task = Task("mlp", "adam")
    for name in ("step", "tree", "step on disk", "graph on disk"):
        value = task.outer(POLICIES[name])
        first = torch.autograd.grad(value, task.variables(), retain_graph=True)
        assert_all_close(torch.autograd.grad(value, task.variables()), first, 0.0)
        with pytest.raises(RuntimeError, match="second time"):
            torch.autograd.grad(value, task.variables())


@functools.cache
def inside_transforms(memory: Any) -> list[Tensor]:
    """Derivatives of first and second order over a batch of problems, and a batch of derivatives."""
    generator = torch.Generator().manual_seed(4)
    x = torch.randn(3, 4, generator=generator, dtype=DTYPE)
    phi = torch.tensor(0.3, dtype=DTYPE)

    def outer(phi: Tensor, x: Tensor) -> Tensor:
        solution = torchopt.minimize(
            lambda p: ((p - x).pow(4) * phi.exp()).sum() + F.dropout(p, 0.5).sum(),
            torch.zeros_like(x),
            solver=torchopt.adam(0.1),
            steps=STEPS,
            diff=_public.keeping(memory),
        )
        return solution.params.sin().sum()

    def batched(phi: Tensor) -> Tensor:
        torch.manual_seed(9)
        return torch.func.vmap(lambda x: outer(phi, x), randomness="different")(x).sum()

    found = [torch.func.grad(batched)(phi), torch.func.grad(torch.func.grad(batched))(phi)]
    torch.manual_seed(2)
    return [*found, torch.func.vmap(torch.func.grad(outer), (None, 0), randomness="same")(phi, x)]


@pytest.mark.parametrize("memory", [*_public.POLICIES, 0])
def test_policies_work_inside_transforms(memory: Any) -> None:
    for found, expected in zip(inside_transforms(memory), inside_transforms("graph"), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("hvp", "offload", "copies"),
    [("reverse", None, 17), ("reverse", "disk", 15), ("forward", None, 22)],
)
def test_more_micro_batches_take_no_more_copies_of_the_model(
    hvp: Any, offload: Any, copies: int
) -> None:
    start = torch.linspace(-1, 1, 4096, dtype=DTYPE)
    weight = torch.ones((), dtype=DTYPE, requires_grad=True)
    data = torch.randn(4, 16, len(start), dtype=DTYPE)

    def most(micro_batches: int) -> tuple[float, float]:
        """Return how many are alive at most in a run and in the backward pass."""
        with Alive(start.nbytes) as alive:
            params = torchopt.minimize(
                lambda p, w, rows: (rows @ torch.tanh(w * p)).square().mean(),
                start,
                (weight,),
                solver=torchopt.adam(0.1),
                steps=4,
                batches=data,
                diff=Explicit("tree", carries=0, hvp=hvp, offload=offload),
                micro_batches=micro_batches,
            ).params
            run, alive.most = alive.most, 0
            torch.autograd.grad(params.sum(), weight)
        return run / start.nbytes, alive.most / start.nbytes

    run, backward = most(8)
    assert (run, backward) == most(2)
    # The start, a carry and its cotangents are nine; then a gradient, its direction and its graph.
    # The moments that are read from files are let go after the update.
    # Where no kernel does the update, its operations hold two more; what goes to files passes the host.
    assert run <= (10 if start.is_cpu else 12)
    assert backward <= copies + (0 if start.is_cpu else 4 if offload else 2)


@pytest.mark.parametrize(
    ("memory", "steps", "most", "by_module"),
    [
        ("step", 40, 40, True),
        ("tree", 40, 6, True),
        pytest.param("tree", 160, 8, False, marks=pytest.mark.slow),
        (3, 30, 3, False),
    ],
)
def test_no_more_checkpoints_are_alive_than_a_policy_says(
    memory: Any, steps: int, most: int, by_module: bool
) -> None:
    size = 997
    vector = size * DTYPE.itemsize
    start = torch.randn(size, dtype=DTYPE, requires_grad=True)
    scale = nn.PReLU(size, dtype=DTYPE)
    negative = -torch.ones(1, dtype=DTYPE)

    def objective(p: Tensor) -> Tensor:
        if by_module:
            p = -torchopt.nn.functional_call(scale, {"weight": p}, negative.expand(1, size))
        return p.pow(4).sum()

    def work() -> tuple[int, int, int]:
        """Return how many are alive at most and after a run, and after the backward pass."""
        with Alive(vector) as alive:
            solution = torchopt.minimize(
                objective,
                start,
                solver=torchopt.sgd(0.01),
                steps=steps,
                diff=_public.keeping(memory),
            )
            kept = alive.now
            (found,) = torch.autograd.grad(solution.params.sum(), start)
            del found
            assert solution.params.grad_fn is not None
            return alive.most, kept, alive.now

    peak, kept, after = (each / vector for each in work())
    assert most / 2 <= kept <= most + 2  # the solution, and a view of the start
    # A step at work has its input, cotangents and temporaries besides.
    assert peak <= most + 16
    # The checkpoints are gone, though the graph's node is still there.
    assert after <= 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"memory": "all"}, "`memory` is 'all': use one of 'graph', 'step', 'sqrt', 'tree'"),
        ({"memory": 3}, "`memory` is 3: use one of 'graph'"),
        ({"carries": 3}, "`carries` is for memory=\"tree\", not for memory='graph'"),
        ({"memory": "tree", "carries": -1}, "`carries` is -1"),
        ({"truncate": -1}, "`truncate` is -1"),
        ({"truncate": True}, "`truncate` is True"),
        ({"offload": "tape"}, "`offload` is 'tape'"),
        ({"memory": "step", "hvp": "exact"}, "`hvp` is 'exact'"),
        ({"hvp": "forward"}, "steps that are computed again"),
        ({"memory": "forward", "offload": "cpu"}, "leave `offload` out"),
    ],
)
def test_bad_options_are_refused_at_construction(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Explicit(**arguments)


def test_bad_micro_batches_are_refused() -> None:
    start = torch.ones(3)
    given: dict[str, Any] = {"solver": torchopt.sgd(0.1), "steps": 2}
    with pytest.raises(ValueError, match="no `batches`"):
        torchopt.minimize(lambda p: p.sum(), start, micro_batches=2, **given)
    with pytest.raises(ValueError, match="a whole number of parts, at least 1"):
        torchopt.minimize(lambda p: p.sum(), start, micro_batches=0, **given)
    with pytest.raises(ValueError, match="not a multiple of the 2 micro-batches"):
        torchopt.minimize(
            lambda p, b: (p * b).sum(), start, batches=torch.ones(2, 3), micro_batches=2, **given
        )
    with pytest.raises(ValueError, match="sums of squares"):
        torchopt.minimize(
            lambda p: p.sum(),
            start.requires_grad_(),
            diff=Explicit("tree", carries=1, hvp="gauss_newton"),
            **given,
        )
