"""Single loops against their formulas in NumPy, on the same batches, and against closed forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import cosine_similarity, scaled_dot_product_attention

import torchopt
from _functions import FirstOnly, autocast
from reference import bilevel
from torchopt.diff import Implicit
from torchopt.multilevel import (
    BOME,
    F2SA,
    PBGD,
    SABA,
    SOBA,
    Level,
    MoreauEnvelope,
    SingleLoop,
    SingleLoopState,
)

DTYPE = torch.float64
INNER, OUTER, SIZE, STEPS = 10, 4, 16, 30
RNG = np.random.RandomState(2442)
G = bilevel.Quadratic.draw(128, INNER, OUTER, RNG, least=0.1)
F = bilevel.Quadratic.draw(64, INNER, OUTER, RNG, least=0.1)
X0, Y0 = RNG.randn(OUTER), RNG.randn(INNER)


def drawn(inner_steps: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each step, the samples of a batch for each inner step, and of one for the upper level."""
    rng = np.random.RandomState(1)
    return [
        (rng.randint(0, 128, (inner_steps, SIZE)), rng.randint(0, 64, SIZE)) for _ in range(STEPS)
    ]


def of_reference(inner_steps: int) -> Iterator[tuple[list[bilevel.Quadratic], bilevel.Quadratic]]:
    for lower, upper in drawn(inner_steps):
        yield [G.of(batch) for batch in lower], F.of(upper)


def quadratic(q: bilevel.Quadratic, x: Tensor, y: Tensor, batch: Any) -> Tensor:
    parts = {k: torch.from_numpy(v) for k, v in vars(q).items()}
    A, B, C, a, b = (p[batch].mean(0) if batch is not None else p.mean(0) for p in parts.values())
    return y @ A @ y / 2 + x @ B @ x / 2 + x @ C @ y + a @ y + b @ x


def program(upper: Any, lower: Any, steps: int = 1) -> Level:
    low = Level(
        "y", lambda y, values, batch: quadratic(G, values["x"], y, batch), solver=lower, steps=steps
    )
    return Level(
        "x",
        lambda x, values, batch: quadratic(F, x, values["y"], batch),
        solver=upper,
        lowers=[low],
    )


START = {"x": torch.from_numpy(X0), "y": torch.from_numpy(Y0)}


def decayed(value: float, power: float, per_step: int = 1, times: Any = lambda i: 1.0) -> Any:
    """A rate that falls with the number of outer steps."""
    return lambda count: (
        value / (int(count) // per_step + 1) ** power * times(int(count) // per_step)
    )


def growing(i: Any, first: float = 1.0, step: float = 0.1) -> float:
    """The penalty of the benchmark after some steps."""
    return first + sum(step / (j + 1) ** (1 / 7) for j in range(int(i)))


sgd = torchopt.sgd
K = 5
Row = tuple[Any, int, Callable[[], tuple[Any, Any]], Callable[..., Iterator[Any]]]
LOOPS: dict[str, Row] = {
    "F2SA": (
        F2SA(growing, solver=sgd(decayed(0.05, 5 / 7, K, growing))),
        K,
        lambda: (sgd(decayed(0.05, 4 / 7)), sgd(decayed(0.05, 4 / 7, K))),
        lambda batches: bilevel.f2sa(
            X0, Y0, batches, inner=decayed(0.05, 5 / 7), star=decayed(0.05, 4 / 7),
            outer=decayed(0.05, 4 / 7), penalty=growing,
        ),
    ),
    "BOME": (
        BOME(0.5), K, lambda: (sgd(0.05), sgd(0.1)),
        lambda batches: bilevel.bome(X0, Y0, batches, inner=0.1, outer=0.05, eta=0.5),
    ),
    "PBGD": (
        PBGD(3.0), K, lambda: (sgd(0.05), sgd(0.15)),
        lambda batches: bilevel.pbgd(X0, Y0, batches, alpha=0.05, beta=0.15, gamma=3.0),
    ),
    "PBGD-Free": (
        PBGD(3.0, value_function=False), K, lambda: (sgd(0.05), sgd(0.15)),
        lambda batches: bilevel.pbgd_free(X0, Y0, batches, outer=0.05, inner=0.15, gamma=3.0),
    ),
    "Moreau": (
        MoreauEnvelope(growing, gamma=2.0, solver=sgd(0.2)), 1, lambda: (sgd(0.05), sgd(0.1)),
        lambda batches: bilevel.meha(
            X0, Y0, batches, eta=0.2, alpha=0.1, beta=lambda k: 0.05 * growing(k), gamma=2.0,
            penalty=growing,
        ),
    ),
    "SOBA": (
        SOBA(), 1, lambda: (sgd(decayed(0.1, 0.5)), sgd(decayed(0.2, 0.5))),
        lambda batches: bilevel.soba(
            X0, Y0, batches, inner=decayed(0.2, 0.5), outer=decayed(0.1, 0.5)
        ),
    ),
    "MA-SOBA": (
        SOBA(), 1, lambda: (
            torchopt.chain(torchopt.transform.ema(0.7, debias=False), sgd(0.1)), sgd(0.2)),
        lambda batches: bilevel.soba(
            X0, Y0, batches, inner=lambda i: 0.2, outer=lambda i: 0.1, average=0.3
        ),
    ),
}  # fmt: skip


def batches_of(lower: np.ndarray, upper: np.ndarray) -> dict[str, Tensor]:
    return {"y": torch.from_numpy(lower), "x": torch.from_numpy(upper)}


def run(name: str, stop: int = STEPS, state: Any = None) -> Iterator[SingleLoopState]:
    method, inner_steps, solvers, _ = LOOPS[name]
    loop = SingleLoop(program(*solvers(), inner_steps), method)
    state = loop.init(START) if state is None else state
    for lower, upper in drawn(inner_steps)[int(state.count) : stop]:
        state = loop.step(state, batches_of(lower, upper)).state
        yield state


def sequences(state: SingleLoopState) -> list[Tensor]:
    parts = [state.levels.params, state.levels.lowers["y"].params, state.second]
    return [p for p in parts if p is not None]


@pytest.mark.parametrize("name", LOOPS)
def test_iterates_are_those_of_the_paper_on_the_same_batches(name: str) -> None:
    expected = LOOPS[name][3](of_reference(LOOPS[name][1]))
    for found, wanted in zip(run(name), expected, strict=True):
        for a, b in zip(sequences(found), wanted, strict=True):
            np.testing.assert_allclose(a.numpy(), b, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", LOOPS)
def test_a_state_that_was_saved_goes_on_bit_for_bit(name: str, tmp_path: Path) -> None:
    *_, middle = run(name, 7)
    torchopt.checkpoint.save(middle, tmp_path / "state.pt")
    *_, resumed = run(name, 12, torchopt.checkpoint.load(tmp_path / "state.pt"))
    *_, whole = run(name, 12)
    assert all(map(torch.equal, sequences(resumed), sequences(whole)))


def test_saba_is_its_formula_on_the_same_batches_and_needs_their_numbers(tmp_path: Path) -> None:
    rng = np.random.RandomState(3)
    order = [(rng.randint(0, 8), rng.randint(0, 4)) for _ in range(STEPS)]

    def batch(i: int) -> np.ndarray:
        return np.arange(SIZE * i, SIZE * (i + 1))

    expected = bilevel.saba(
        X0, Y0, ((i, j, G.of(batch(i)), F.of(batch(j))) for i, j in order),
        sizes=(8, 4), inner=0.2, outer=0.1,
    )  # fmt: skip
    loop = SingleLoop(program(sgd(0.1), sgd(0.2)), SABA(lower_batches=8, upper_batches=4))
    state = loop.init(START)
    for (i, j), wanted in zip(order, expected, strict=True):
        pairs = [(torch.tensor(k), torch.from_numpy(batch(k))) for k in (i, j)]
        state = loop.step(state, {"y": pairs[:1], "x": pairs[1]}).state
        torchopt.checkpoint.save(state, tmp_path / "state.pt")
        state = torchopt.checkpoint.load(tmp_path / "state.pt")
        for a, b in zip(sequences(state), wanted, strict=True):
            np.testing.assert_allclose(a.numpy(), b, rtol=1e-10, atol=1e-12)
    with pytest.raises(TypeError, match=re.escape("a pair `(index, batch)`")):
        loop.step(state, batches_of(*drawn(1)[0]))
    with pytest.raises(IndexError, match="index 8 is out of bounds"):  # not that of the means
        loop.step(state, {"y": [(torch.tensor(8), pairs[0][1])], "x": pairs[1]})


def solution() -> Tensor:
    """The x at which the total derivative of the upper loss is zero, by linear algebra."""
    f, g = (q.of(np.arange(len(q.a))) for q in (F, G))
    J = -np.linalg.solve(g.A, g.C.T)  # dy / dx
    y0 = -np.linalg.solve(g.A, g.a)
    H = J.T @ f.A @ J + f.B + f.C @ J + J.T @ f.C.T
    return torch.from_numpy(-np.linalg.solve(H, J.T @ (f.A @ y0 + f.a) + f.C @ y0 + f.b))


#: The method, lower steps, rates of the levels, steps, and the relative error of x.
ENDS: dict[str, tuple[Any, int, float, float, int, float]] = {
    "F2SA": (F2SA(1e3), 3, 1.0, 2.0, 30, 1e-3),
    "PBGD": (PBGD(100.0), 8, 1.0, 2.0, 60, 1e-2),
    "BOME": (BOME(0.5), 8, 1.0, 1.0, 60, 0.1),
    "Moreau": (MoreauEnvelope(1e3, gamma=10.0), 3, 1.0, 1.0, 60, 1e-3),
    "SOBA": (SOBA(), 1, 0.5, 1.0, 60, 1e-5),
}


@pytest.mark.parametrize("name", ENDS)
def test_without_noise_the_end_is_the_solution_of_the_bilevel_program(name: str) -> None:
    method, steps, upper, lower, count, tolerance = ENDS[name]
    loop = SingleLoop(program(sgd(upper), sgd(lower), steps), method)
    state = loop.init(START)
    for _ in range(count):
        state = loop.step(state).state
    end = solution()
    assert (state.levels.params - end).norm() < tolerance * end.norm()


METHODS = (F2SA(), PBGD(), PBGD(value_function=False), BOME(), MoreauEnvelope(), SOBA())


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_all_but_soba_take_first_derivatives_only(method: Any) -> None:
    low = Level(
        "y", lambda y, v, batch: (FirstOnly.apply(y, y) * v["x"].exp() - y).sum(), solver=sgd(0.1)
    )
    top = Level(
        "x",
        lambda x, v, batch: ((v["y"] - 1).square().sum() + x.square(), x.detach()),
        solver=sgd(0.1),
        lowers=[low],
        has_aux=True,
    )
    loop = SingleLoop(top, method)
    state = loop.init({"x": torch.tensor(0.3), "y": torch.ones(2)})
    if isinstance(method, SOBA):
        with pytest.raises(RuntimeError, match="cannot be differentiated again"):
            loop.step(state)
        return
    step = loop.step(state)
    assert step.state.levels.params < state.levels.params
    assert not step.loss.requires_grad
    assert step.aux == {"x": torch.tensor(0.3)}


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_several_programs_run_as_one(method: Any) -> None:
    low = Level(
        "y", lambda y, v, batch: (y - v["x"]).square().sum() * v["x"].exp(), solver=sgd(0.1)
    )
    top = Level(
        "x", lambda x, v, batch: (v["y"] - 1).square().sum() + x**2, solver=sgd(0.1), lowers=[low]
    )
    loop = SingleLoop(top, method)

    def trained(x: Tensor) -> Tensor:
        state = loop.init({"x": x, "y": torch.zeros(2, dtype=DTYPE)})
        for _ in range(3):
            state = loop.step(state).state
        return state.levels.params

    starts = torch.tensor([0.5, -1.0], dtype=DTYPE)
    alone = torch.stack([trained(x) for x in starts])
    torch.testing.assert_close(torch.func.vmap(trained)(starts), alone)


def attended(dtype: torch.dtype, wrap: Callable[[Any], Any], method: Any) -> Tensor:
    """Return how the keys of an attention have moved, by whose weights values are regressed."""
    tokens, target, weights = (
        torch.randn(*shape, generator=torch.Generator().manual_seed(i)).to(dtype)
        for i, shape in enumerate([(4, 1, 6, 8), (4, 1, 6, 8), (8, 8)])
    )
    kernel = wrap(
        lambda keys, w: scaled_dot_product_attention(tokens, tokens @ keys, tokens @ w).to(dtype)
    )
    low = Level(
        "w",
        lambda w, v, batch: (
            (kernel(v["keys"], w) - target).square().mean() + 0.05 * w.square().sum()
        ),
        solver=sgd(2.0),
        steps=20,
    )
    top = Level(
        "keys", lambda keys, v, batch: (weights * v["w"]).sum(), solver=sgd(1.0), lowers=[low]
    )
    loop = SingleLoop(top, method)
    keys = 0.3 * torch.randn(8, 8, generator=torch.Generator().manual_seed(9)).to(dtype)
    state = loop.init({"keys": keys, "w": torch.zeros(8, 8, dtype=dtype)})
    for _ in range(2):
        state = loop.step(state).state
    return (state.levels.params - keys).double().flatten()


@pytest.mark.parametrize(
    ("wrap", "cosine"),
    [(autocast, 0.99), (lambda f: torch.compile(f, backend="aot_eager"), 1 - 1e-4)],
    ids=["bfloat16", "compiled"],
)
@pytest.mark.parametrize("method", [F2SA(), PBGD()], ids=repr)
def test_fused_attention(method: Any, wrap: Any, cosine: float) -> None:
    with sdpa_kernel(SDPBackend.MATH):
        expected = attended(DTYPE, lambda f: f, method)
    with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        found = attended(torch.float32, wrap, method)
    assert cosine_similarity(found, expected, dim=0) > cosine


def test_what_is_wrong_is_one_sentence() -> None:
    one = Level("y", lambda y, values, batch: y.sum(), solver=sgd(0.1), steps=2)
    two = Level("x", lambda x, values, batch: x.sum(), solver=sgd(0.1), lowers=[one])
    for error, text, call in [
        (ValueError, "has one level below it", lambda: SingleLoop(one, F2SA())),
        (ValueError, "has one level below it", lambda: SingleLoop(
            Level("w", lambda *_: 0, solver=sgd(0.1), lowers=[two]), F2SA())),
        (ValueError, "leave `steps` out", lambda: SingleLoop(two, SOBA())),
        (TypeError, "`torchopt.multilevel.F2SA()`", lambda: SingleLoop(two, Implicit())),  # type: ignore[arg-type]
        (TypeError, "`torchopt.multilevel.Level`", lambda: SingleLoop(F2SA(), F2SA())),  # type: ignore[arg-type]
        (ValueError, "a function of the number of steps", lambda: F2SA(-1.0)),
        (ValueError, "a positive number", lambda: BOME(0.0)),
        (ValueError, "a positive number", lambda: MoreauEnvelope(gamma=-1.0)),
        (ValueError, "`lower_batches`", lambda: SABA(lower_batches=0, upper_batches=1)),
        (TypeError, "a gradient transformation", lambda: SOBA("sgd")),  # type: ignore[arg-type]
        (TypeError, "the state that `init`", lambda: SingleLoop(two, F2SA()).step(None)),  # type: ignore[arg-type]
    ]:  # fmt: skip
        with pytest.raises(error, match=re.escape(text)):
            call()
