"""Precision: casts, scaled gradients, steps that are left out."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

import pytest
import torch
from _toys import TYPES, Inner, data, net, reweight, typed
from torch import nn

import torchopt
from _cases import diagonal
from torchopt import checkpoint, diff
from torchopt.multilevel import Config, compat
from torchopt.multilevel._precision import Precision

OPTIMIZERS = {
    "SGD": lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9),
    "Adam": lambda ps: torch.optim.Adam(ps, lr=0.1),
    "fused AdamW": lambda ps: torch.optim.AdamW(ps, lr=0.1, fused=True),
    "torchopt.optim.Adam": lambda ps: torchopt.optim.Adam(ps, lr=0.1),
}


def problem() -> tuple[nn.Linear, torch.Tensor]:
    torch.manual_seed(0)
    return nn.Linear(5, 3), torch.randn(7, 5)


def assign(module: nn.Module, loss: torch.Tensor) -> None:
    params = list(module.parameters())
    for p, gradient in zip(params, torch.autograd.grad(loss, params), strict=True):
        p.grad = gradient


def flat(state: Any) -> list[torch.Tensor]:
    leaves = torchopt.pytree.tree_leaves(state)
    return [leaf.clone() for leaf in leaves if isinstance(leaf, torch.Tensor)]


@pytest.mark.parametrize(("name", "unscale"), diagonal([*OPTIMIZERS], [False, True]))
def test_a_scaled_step_is_a_step_with_the_gradients(name: str, unscale: bool) -> None:
    module, x = problem()
    plain = copy.deepcopy(module)
    optimizer = OPTIMIZERS[name](module.parameters())
    reference = OPTIMIZERS[name](plain.parameters())
    precision = Precision("fp16", scale=4096.0)  # a power of two: exact
    for step in range(3):
        # Not under `autocast`: what is tested is the scale.
        assign(module, precision.scale(module(x).square().mean() * (step + 1)))
        assign(plain, plain(x).square().mean() * (step + 1))
        if unscale:
            precision.unscale(optimizer)
            for p, q in zip(module.parameters(), plain.parameters(), strict=True):
                torch.testing.assert_close(p.grad, q.grad, rtol=1e-6, atol=0)
        assert precision.step(optimizer)
        reference.step()
    for p, q in zip(module.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(p, q, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "bad", "first"),
    diagonal([*OPTIMIZERS], [float("inf"), float("nan")], [False, True, True]),
)
def test_an_overflow_changes_only_the_scale(name: str, bad: float, first: bool) -> None:
    module, x = problem()
    optimizer = OPTIMIZERS[name](module.parameters())
    precision = Precision("fp16", scale=1024.0)
    if not first:
        assign(module, precision.scale(module(x).square().mean()))
        assert precision.step(optimizer)
    params, state = flat(list(module.parameters())), flat(optimizer.state_dict())
    assign(module, precision.scale(module(x).square().mean()))
    module.bias.grad[1] = bad
    assert not precision.step(optimizer)
    assert all(a.equal(b) for a, b in zip(flat(list(module.parameters())), params, strict=True))
    after = flat(optimizer.state_dict())
    # The fused one has made its state by then, of zeros.
    assert all(a.equal(b) for a, b in zip(after, state or [t * 0 for t in after], strict=True))
    assert precision.state_dict()["scaler"]["scale"] == 512.0
    assign(module, precision.scale(module(x).square().mean()))
    assert precision.step(optimizer)


def test_the_scale_grows_and_its_state_is_saved(tmp_path: Any) -> None:
    def steps(precision: Precision, count: int) -> list[float]:
        module, x = problem()
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        scales = []
        for _ in range(count):
            assign(module, precision.scale(module(x).square().mean()))
            precision.step(optimizer)
            scales.append(precision.state_dict()["scaler"]["scale"])
        return scales

    precision = Precision("fp16", scale=8.0, growth_interval=3)
    assert steps(precision, 4) == [8.0, 8.0, 16.0, 16.0]
    checkpoint.save(precision.state_dict(), tmp_path / "p")
    for resumed in (Precision("fp16", scale=2.0, growth_interval=3), precision):
        resumed.load_state_dict(checkpoint.load(tmp_path / "p"))
        assert steps(resumed, 3) == [16.0, 32.0, 32.0]


# Hypergradients


def hypergradient(
    config: Config, dtype: torch.dtype, *, optimizer: Any = None, size: float = 1.0
) -> torch.Tensor:
    """Return the hypergradient of a program after a step, all in a dtype."""

    class Sized(Inner):
        def training_step(self, batch: Any) -> Any:
            x, y = batch
            losses = (self.module(x) - y).square()
            # A difference is taken of what does not detach.
            return size * (torch.sigmoid(self.outer(losses)) * losses).mean()

    made = reweight(
        config,
        inner=Sized,
        module=net(1).to(dtype),
        optimizer=optimizer or (lambda p: torch.optim.SGD(p, 0.1)),
        loader=[tuple(t.to(dtype) for t in data(1, 3)[0])],
        upper_loader=[tuple(t.to(dtype) for t in data(1, 4)[0])],
    )
    made.outer.module.to(dtype)
    torch.manual_seed(0)
    made.train_step()
    torch.manual_seed(0)
    grads = made.hypergradient("outer")[0]
    return torch.cat([g.double().flatten() for g in grads])


def off(found: torch.Tensor, expected: torch.Tensor) -> float:
    return float((found - expected).norm() / expected.norm())


MODES: dict[str, dict[str, Any]] = {
    **{name: {"type": name} for name in TYPES if name != "zero_order"},
    "neumann": {"type": "neumann", "neumann_alpha": 0.5, "neumann_iterations": 4},
    "cg": {"type": "cg", "cg_iterations": 3},
    "one step": {"diff": diff.OneStep(hvp="finite_difference")},
    "one step, reverse": {"diff": diff.OneStep()},
    # Of products in bfloat16, whose numbers are 2**-8 apart.
    "implicit": {"diff": diff.Implicit(torchopt.linear_solve.CG(ridge=1.0, rtol=2**-6))},
    "explicit": {"diff": diff.Explicit("step", hvp="finite_difference")},
    "estimate": {"diff": diff.ZeroOrder(diff.zero_order.Coordinate(sigma=0.01))},
}
UNROLLED = {"unroll", "explicit", "estimate"}
CASES = [
    (mode, p) for mode in MODES for p in ("bf16", "fp16") if p == "bf16" or mode not in UNROLLED
]


@pytest.mark.parametrize(
    ("mode", "precision", "optimizer"),
    [(*case, ("SGD", "Adam")[k // 2 % 2]) for k, case in enumerate(CASES)],
)
def test_a_hypergradient_is_that_of_float64(mode: str, precision: Any, optimizer: str) -> None:
    # Not so small that the square root of Adam is all that is left of a gradient.
    chosen = {
        "SGD": lambda p: torch.optim.SGD(p, 0.1),
        "Adam": lambda p: torch.optim.Adam(p, 0.01, eps=1e-2),
    }[optimizer]
    config = typed(unroll_steps=2, **MODES[mode])
    expected = hypergradient(config, torch.float64, optimizer=chosen)
    found = hypergradient(
        typed(unroll_steps=2, precision=precision, **MODES[mode]), torch.float32, optimizer=chosen
    )
    assert off(found, expected) < 0.05


@pytest.mark.parametrize(
    ("mode", "size"), diagonal(["darts", "sama", "cg", "one step, reverse"], [1e-8, 1e-4])
)
def test_a_loss_too_small_for_float16_has_a_hypergradient(mode: str, size: float) -> None:
    """It is not that of the scaled loss that trains."""
    expected = hypergradient(typed(unroll_steps=2, **MODES[mode]), torch.float64, size=size)
    config = typed(unroll_steps=2, precision="fp16", **MODES[mode])
    assert off(hypergradient(config, torch.float32, size=size), expected) < 0.02


class Recording(Inner):
    """Notes in which formats its map was computed."""

    dtypes: ClassVar[set[torch.dtype]] = set()

    def training_step(self, batch: Any) -> Any:
        self.dtypes.add(self.module(batch[0]).dtype)
        x, y = batch
        return super().training_step((x, y.to(x)))


@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("library", [Config, compat.configs.Config])
def test_a_program_with_the_default_type_trains(library: Any, precision: torch.dtype) -> None:
    made = reweight(
        library(precision={torch.bfloat16: "bf16", torch.float16: "fp16"}[precision]),
        inner=Recording,
        module=net(0).float(),
        optimizer=lambda p: torch.optim.Adam(p, 0.02),
        loader=[tuple(t.float() for t in batch) for batch in data(4)],
        upper_loader=[tuple(t.float() for t in batch) for batch in data(3, 9)],
        train_iters=12,
    )
    made.outer.module.float()
    Recording.dtypes.clear()
    made.run()
    assert made.outer.count == 12
    # Differences, and hypergradients in float16, are taken outside of autocast.
    apart = precision == torch.float16 or library is not Config
    assert Recording.dtypes == {precision, torch.float32} if apart else {precision}
