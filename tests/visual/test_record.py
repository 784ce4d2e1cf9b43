"""`visual.record`: every way out of the graph is a cut with its line; what stays inside is none."""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import torchopt
from torchopt import visual

VALUES = torch.tensor([0.4, -1.2, 2.5], dtype=torch.float64)


def leaf() -> torch.Tensor:
    return VALUES.clone().requires_grad_()


def without_grad(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return x * 2


def in_inference_mode(x: torch.Tensor) -> torch.Tensor:
    with torch.inference_mode():
        return x * 2


WAYS_OUT: dict[str, tuple[Callable[[torch.Tensor], Any], str, str]] = {
    "detach": (lambda x: x.detach(), "detach", ".detach()"),
    "torch.detach": (lambda x: torch.detach(x), "detach", ".detach()"),
    "detach_": (lambda x: (x * 2).detach_(), "detach", ".detach_()"),
    "data": (lambda x: x.data, "data", ".data"),
    "no_grad": (without_grad, "no_grad", "mul() under no_grad"),
    "inference": (in_inference_mode, "no_grad", "mul() under no_grad"),
    "grad": (lambda x: torch.autograd.grad(x.sin().sum(), x), "create_graph", "autograd.grad"),
    "backward": (lambda x: x.sin().sum().backward(), "backward", "backward()"),
    "item": (lambda x: x[0].item(), "number", ".item()"),
    "tolist": (lambda x: x.tolist(), "number", ".tolist()"),
    "float": (lambda x: float(x.detach()[1]), "number", "float()"),
    "numpy": (lambda x: x.detach().numpy(), "number", ".numpy()"),
    "argmax": (lambda x: x.argmax(), "no derivative", "argmax()"),
    "comparison": (lambda x: x > 0, "no derivative", "gt()"),
    "long": (lambda x: x.long(), "no derivative", "long()"),
    "round": (lambda x: x.round(), "flat", "round()"),
    "sign": (lambda x: torch.sign(x), "flat", "sign()"),
    "deepcopy": (lambda x: copy.deepcopy(nn.Parameter(x)), "copy", "copy.deepcopy()"),
}


@pytest.mark.parametrize("name", WAYS_OUT)
def test_way_out_of_the_graph_is_a_cut_with_its_line(name: str) -> None:
    leave, cause, what = WAYS_OUT[name]
    x = leaf()
    with visual.record() as recording:
        leave(x)
    cut = recording.cuts[-1]
    assert cut.cause == cause
    assert what in cut.what
    assert cut.source.startswith("test_record.py:")
    code = leave.__code__
    number = int(cut.source.split(":")[1].split()[0])
    assert code.co_firstlineno <= number <= code.co_firstlineno + 2


INSIDE: dict[str, Callable[[torch.Tensor], Any]] = {
    "operations": lambda x: (x * 2).sin().sum(),
    "shape": lambda x: (x.shape, x.dim(), x.size(0), len(x), x.is_leaf, x.dtype, x.device),
    "repr": lambda x: (repr(x), f"{x}"),
    "factory": lambda x: (torch.zeros_like(x), x.new_ones(2), torch.rand_like(x)),
    "grad": lambda x: torch.autograd.grad(x.sin().sum(), x, create_graph=True),
    "clone": lambda x: x.clone().view(3, 1).T,
    "hooks": lambda x: x.register_hook(lambda g: g),
    "view": lambda x: torch.view_as_complex(torch.stack([x, x], -1)).real,
}


@pytest.mark.parametrize("name", INSIDE)
def test_what_stays_in_the_graph_is_no_cut(name: str) -> None:
    with visual.record() as recording:
        INSIDE[name](leaf())
    assert recording.cuts == []


def test_operations_inside_of_an_autograd_function_are_no_cuts() -> None:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * 2 + x.detach() * 0

        @staticmethod
        def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return g * 2 * (x == x)

    x = leaf()
    with visual.record() as recording:
        torch.autograd.grad(Double.apply(x).sum(), x, create_graph=True)
    assert recording.cuts == []


def test_steps_of_meta_optimizers_cut_nothing_off() -> None:
    net = nn.Linear(3, 1).double()
    start = dict(net.named_parameters())
    with visual.record() as recording:
        for make in (torchopt.MetaSGD, torchopt.MetaAdam, torchopt.optim.MetaRMSprop):
            inner = make(net, lr=0.1)
            for _ in range(2):
                inner.step(net(VALUES).square().sum())
        out = net(VALUES).sum()
    assert all(recording.cuts_before(p) == () for p in net.parameters())
    assert [f.cause for f in visual.explain(out, start, recording=recording)] == ["", ""]


def test_cut_is_remembered_by_what_is_computed_from_its_result() -> None:
    x, w = leaf(), leaf()
    with visual.record() as recording:
        constant = (x * 2).detach()
        far = torch.stack([constant.exp(), constant]).sum(0)
        y = far * w
    (cut,) = recording.cuts
    assert recording.cuts_before(far) == (cut,)
    assert recording.cuts_before(y) == (cut,)
    assert recording.cuts_before(y.grad_fn) == (cut,)
    assert recording.cuts_before(w) == ()
    assert cut.reads[0].name() == "MulBackward0"


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), "SGD"),
        (lambda p: torch.optim.SGD(p, lr=0.1, foreach=True), "SGD"),
        (lambda p: torch.optim.Adam(p, lr=0.1), "Adam"),
        (lambda p: torch.optim.AdamW(p, lr=0.1, fused=True), "AdamW"),
        (lambda p: torch.optim.RMSprop(p, lr=0.1), "RMSprop"),
        (lambda p: torchopt.optim.Adam(p, lr=0.1), "Adam"),
        (lambda p: torchopt.optim.SGD(p, lr=0.1), "SGD"),
    ],
)
def test_step_of_an_optimizer_is_a_write_in_place(make: Callable[[Any], Any], name: str) -> None:
    x = leaf()
    with visual.record() as recording:
        optimizer = make([x])
        x.sin().sum().backward()
        optimizer.step()  # here
    (cut,) = recording.cuts_before(x)
    assert (cut.cause, cut.what) == ("in-place", f"{name}.step()")
    assert cut.source.endswith("# here")
    assert "backward" in [earlier.cause for earlier in cut.earlier]


def test_writes_by_hand_are_cuts_if_they_depend_on_something_else() -> None:
    x, w = leaf(), leaf()
    with visual.record() as recording:
        with torch.no_grad():
            x.clamp_(-1, 1)
            x *= 0.5
            x.uniform_()
        x.data = x.data.double() * 2
        x.data.mul_(0.5)
        assert recording.cuts_before(x) == ()
        x.data.mul_(w.detach())
        assert [c.cause for c in recording.cuts_before(x)] == ["in-place"]
        with torch.no_grad():
            x[0] = w[1]
    (cut,) = recording.cuts_before(x)
    assert [c.cause for c in cut.earlier].count("in-place") == 1


def test_lines_are_recorded_without_a_warning_and_modes_are_left_as_they_were() -> None:
    before = torch.is_anomaly_enabled()
    x = leaf()
    with visual.record():
        assert torch.is_anomaly_enabled()
        assert not torch.is_anomaly_check_nan_enabled()
        y = x.sin().sum()  # here
    assert torch.is_anomaly_enabled() is before
    assert "# here" in "".join(y.grad_fn.metadata["traceback_"])
    with pytest.raises(KeyError), visual.record():
        raise KeyError
    assert torch.is_anomaly_enabled() is before
    assert torch.overrides._get_current_function_mode() is None


def test_recording_and_graph_go_when_they_are_dropped() -> None:
    x, w = leaf(), leaf()
    with visual.record() as recording:
        torch.autograd.grad((x * w).sin().sum(), x)
        optimizer = torch.optim.Adam([w], lr=0.1)
        (x.round() * w).sum().backward()
        optimizer.step()
        y = ((x * 2).detach() * w).exp().sum()
    visual.explain(y, {"x": x, "w": w}, recording=recording)
    refs = [weakref.ref(t) for t in (x, w, recording, recording.cuts[0])]
    del x, w, y, optimizer, recording
    gc.collect()
    assert [ref() for ref in refs] == [None] * 4


def test_a_recording_prints_its_cuts_shortly() -> None:
    with visual.record() as recording:
        leaf().detach()
    assert isinstance(recording, visual.Recording)
    assert len(repr(recording.cuts[0])) < 200
    assert "cause='detach'" in repr(recording)
