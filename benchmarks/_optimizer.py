"""Adam's step, differentiated, in every way there is: the contenders of `benchmarks.optimizer`.

Parameters, gradients and both moments require grad, and all of what the step returns has a cotangent.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from benchmarks._lane import Case

LR, B1, B2, EPS = 1e-3, 0.9, 0.999, 1e-8
Tensors = list[torch.Tensor]
Step = Callable[[], Sequence[torch.Tensor]]


class Problem(NamedTuple):
    """The lists that a step starts from, and a cotangent for each tensor that it returns."""

    params: Tensors
    grads: Tensors
    mu: Tensors
    nu: Tensors
    cotangents: Tensors


def problem(case: Case) -> Problem:
    """Return seeded tensors of the case's shapes, the same on every device."""
    dtype, generator = getattr(torch, case["dtype"]), torch.Generator().manual_seed(0)

    def draw(low: float) -> Tensors:
        uniform = [torch.rand(s, generator=generator, dtype=dtype) for s in case["shapes"]]
        return [x.mul_(1 - low).add_(low).to(case["device"]).requires_grad_() for x in uniform]

    params, grads, mu, nu = draw(-1.0), draw(-1.0), draw(-1.0), draw(0.1)
    return Problem(params, grads, mu, nu, [x.detach() for x in draw(-1.0)])


def _backward(p: Problem, outputs: Sequence[torch.Tensor]) -> Sequence[torch.Tensor]:
    inputs = [*p.params, *p.grads, *p.mu, *p.nu]
    return torch.autograd.grad(outputs, inputs, [*p.cotangents] * 3)


def adam(p: Problem, t: int = 1) -> tuple[Tensors, Tensors, Tensors]:
    """Step ``t`` in PyTorch's operations, tensor by tensor."""
    c1, c2 = 1 - B1**t, 1 - B2**t
    params, mus, nus = [], [], []
    for w, g, mu, nu in zip(*p[:4], strict=True):
        mu = B1 * mu + (1 - B1) * g
        nu = B2 * nu + (1 - B2) * g * g
        params.append(w - LR * (mu / c1) / ((nu / c2).sqrt() + EPS))
        mus.append(mu)
        nus.append(nu)
    return params, mus, nus


def plain(case: Case) -> Step:
    """PyTorch's operations; several steps in a chain if the case says so."""
    p = problem(case)

    def step() -> Sequence[torch.Tensor]:
        at = p
        for t in range(1, case.get("steps", 1) + 1):
            params, mu, nu = adam(at, t)
            at = at._replace(params=params, mu=mu, nu=nu)
        return _backward(p, [*at.params, *at.mu, *at.nu])

    return step


def compiled(case: Case) -> Step:
    """The same under torch.compile."""
    p = problem(case)
    torch.compiler.reset()
    step = torch.compile(adam, dynamic=False)
    return lambda: _backward(p, [x for column in step(p) for x in column])


def foreach(case: Case) -> Step:
    """PyTorch's operations on lists of tensors."""
    p = problem(case)

    def step() -> Sequence[torch.Tensor]:
        mu = torch._foreach_add(torch._foreach_mul(p.mu, B1), torch._foreach_mul(p.grads, 1 - B1))
        squares = torch._foreach_mul(p.grads, p.grads)
        nu = torch._foreach_add(torch._foreach_mul(p.nu, B2), torch._foreach_mul(squares, 1 - B2))
        roots = torch._foreach_sqrt(torch._foreach_div(nu, 1 - B2))
        quotient = torch._foreach_div(
            torch._foreach_div(mu, 1 - B1), torch._foreach_add(roots, EPS)
        )
        params = torch._foreach_sub(p.params, torch._foreach_mul(quotient, LR))
        return _backward(p, [*params, *mu, *nu])

    return step


def in_place(case: Case) -> Step:
    """PyTorch's fused Adam: in place, no derivative, forward only; a bound."""
    p = Problem(*([x.detach().clone() for x in column] for column in problem(case)))
    steps = [torch.ones((), device=case["device"]) for _ in p.params]

    def step() -> Sequence[torch.Tensor]:
        _fused_adam(p.params, p.grads, p.mu, p.nu, steps)
        return p.params

    return step


def _fused_adam(params: Tensors, grads: Tensors, mu: Tensors, nu: Tensors, steps: Tensors) -> None:
    torch._fused_adam_(
        params, grads, mu, nu, [], steps, lr=LR, beta1=B1, beta2=B2, weight_decay=0.0, eps=EPS,
        amsgrad=False, maximize=False,
    )  # fmt: skip


class _Fused(torch.autograd.Function):
    """PyTorch's fused Adam on copies, with its derivative written in operations on lists."""

    @staticmethod
    def forward(ctx: Any, count: int, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        grads = list(tensors[count : 2 * count])
        params, mu, nu = (
            [x.clone() for x in tensors[i * count : (i + 1) * count]] for i in (0, 2, 3)
        )
        steps = [torch.ones((), device=x.device) for x in params]
        _fused_adam(params, grads, mu, nu, steps)
        ctx.save_for_backward(*grads, *mu, *nu)
        ctx.count = count
        return (*params, *mu, *nu)

    @staticmethod
    def backward(ctx: Any, *cotangents: torch.Tensor) -> Any:
        count = ctx.count
        grads, mu, nu = (list(ctx.saved_tensors[i * count : (i + 1) * count]) for i in range(3))
        of_params, of_mu, of_nu = (list(cotangents[i * count : (i + 1) * count]) for i in range(3))
        c1, c2 = 1 - B1, 1 - B2
        roots = torch._foreach_sqrt(torch._foreach_div(nu, c2))
        # With respect to the new moments: the update is lr * mu / c1 / (root + eps).
        slopes = torch._foreach_div(of_params, torch._foreach_add(roots, EPS))
        of_mu = list(torch._foreach_sub(of_mu, torch._foreach_mul(slopes, LR / c1)))
        curved = torch._foreach_div(torch._foreach_mul(slopes, mu), torch._foreach_add(roots, EPS))
        torch._foreach_div_(curved, roots)
        of_nu = list(torch._foreach_add(of_nu, torch._foreach_mul(curved, LR / (2 * c1 * c2))))
        of_grads = torch._foreach_mul(torch._foreach_mul(of_nu, grads), 2 * (1 - B2))
        torch._foreach_add_(of_grads, of_mu, alpha=1 - B1)
        before = (*torch._foreach_mul(of_mu, B1), *torch._foreach_mul(of_nu, B2))
        return (None, *of_params, *of_grads, *before)


def fused_by_hand(case: Case) -> Step:
    """PyTorch's fused Adam, differentiated by hand."""
    p = problem(case)
    inputs = [*p.params, *p.grads, *p.mu, *p.nu]
    return lambda: _backward(p, _Fused.apply(len(p.params), *inputs))


def _ours(case: Case, *, fused: bool | None) -> Step:
    import torchopt
    from torchopt.transform import advance

    p = problem(case)
    tx = torchopt.adam(LR, (B1, B2), EPS, use_accelerated_op=fused)
    *before, moments, decay, lr = tx.init(p.params)
    at = len(before)
    state = (*before, moments._replace(mu=p.mu, nu=p.nu), decay, lr)

    def step() -> Sequence[torch.Tensor]:
        params, after = p.params, state
        for _ in range(case.get("steps", 1)):
            params, after = advance(tx, p.grads, after, params)
        return _backward(p, [*params, *after[at].mu, *after[at].nu])

    return step


def ours(case: Case) -> Step:
    """`torchopt.adam`, lists of tensors."""
    return _ours(case, fused=None)


def ours_unfused(case: Case) -> Step:
    """`torchopt.adam(use_accelerated_op=False)`."""
    return _ours(case, fused=False)


def published(case: Case) -> Step:
    """TorchOpt 0.7.3: its Adam in PyTorch's operations, since its operator does not load."""
    import torchopt

    p = problem(case)
    tx = torchopt.adam(LR, (B1, B2), EPS)
    state = tx.init(p.params)
    first = state[0]._replace(mu=p.mu, nu=p.nu)

    def step() -> Sequence[torch.Tensor]:
        updates, after = tx.update(p.grads, (first, *state[1:]), params=p.params, inplace=False)
        params = torchopt.apply_updates(p.params, updates, inplace=False)
        return _backward(p, [*params, *after[0].mu, *after[0].nu])

    return step


def _kernel(case: Case, *, backward: bool) -> Step:
    import torchopt
    from torchopt.ops import ABSENT, LIST, call, signature
    from torchopt.transform.chaining import owner_of

    p = Problem(*([x.detach() for x in column] for column in problem(case)))
    graph = owner_of(torchopt.adam(LR, (B1, B2), EPS)).segments[0].graph(True)
    assert graph is not None
    columns = [p.grads, p.params, p.mu, p.nu]
    if backward:
        graph = graph.vjp
        columns += [[x.clone() for x in p.cotangents] for _ in range(3)]
    # As autograd calls it: without what it does not read, and what is a cotangent as it is.
    inputs = tuple(LIST if name in graph.reads else ABSENT for name in graph.tensors)
    outputs = tuple(ABSENT if y.op == "tensor" else LIST for y in graph.outputs)
    how = signature(graph, len(p.params), inputs, outputs)
    tensors = [x for column, mode in zip(columns, inputs, strict=True) if mode for x in column]
    return lambda: call(how, [0.5] * len(graph.scalars), tensors)


def forward_kernel(case: Case) -> Step:
    """The forward kernel alone: 4 tensors read, 3 written."""
    return _kernel(case, backward=False)


def backward_kernel(case: Case) -> Step:
    """The vjp kernel alone: 6 tensors read, 3 written."""
    return _kernel(case, backward=True)


def triad(case: Case) -> Step:
    """STREAM's triad: 2 arrays read, 1 written. On the CPU it is compiled here, for one thread."""
    if case["device"] != "cpu":
        size = sum(math.prod(shape) for shape in case["shapes"])
        a, b, c = (torch.zeros(size, device=case["device"]) for _ in range(3))
        return lambda: (torch.add(b, c, alpha=3.0, out=a),)
    from torchopt.native import _build

    directory = Path(tempfile.mkdtemp())
    source, library = Path(__file__).with_name("_stream.cpp"), directory / "stream.so"
    compiler = _build.compiler()
    assert compiler is not None, "STREAM needs a C++ compiler"
    command = [*compiler, "-O3", "-march=native", "-shared", "-fPIC", str(source)]
    subprocess.run([*command, "-o", str(library)], check=True)
    stream = ctypes.CDLL(str(library))
    stream.stream_new.restype = ctypes.c_void_p
    stream.stream_new.argtypes = [ctypes.c_size_t]
    stream.stream_triad.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_size_t]
    size = sum(math.prod(shape) for shape in case["shapes"])
    arrays = [stream.stream_new(size) for _ in range(3)]

    def step() -> Sequence[torch.Tensor]:
        stream.stream_triad(*arrays, size)
        return ()

    return step
