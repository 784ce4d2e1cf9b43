"""What steps on a device wait for falls only; and the device that tells it is as a GPU is."""

from __future__ import annotations

import _fresh

COUNTED = """
from tools import trunk, waits
kept = trunk.read(waits.NUMBERS)
print(*trunk.risen(waits.measured(kept), kept), sep="\\n")
"""

AS_A_GPU = """
import threading
import torch
from tools.waits import DEVICE, waits

x = torch.ones(3, device=DEVICE, requires_grad=True)

for look in (bool, float, torch.Tensor.item, torch.Tensor.tolist, torch.Tensor.cpu):
    assert waits(lambda: look(x.detach().sum())) == 1, look
assert waits(lambda: torch.nonzero(x)) == waits(lambda: torch.equal(x, x + 1)) == 1
assert waits(lambda: (x + 1).exp().sum().backward()) == 0

threads = []
y = x * 2
y.register_hook(lambda _: threads.append(threading.get_ident()))
y.sum().backward()
assert threads != [threading.get_ident()]

for mix in (lambda: x + torch.ones(3), lambda: torch.stack([x[0], torch.ones(())])):
    try:
        mix()
    except RuntimeError as error:
        assert "two devices" in str(error)
    else:
        raise AssertionError("tensors of two devices have mixed")
assert (x + torch.ones(())).device.type == "pretend"

try:
    torch.randn(3, device=DEVICE, generator=torch.Generator())
except RuntimeError as error:
    assert "generator" in str(error)
else:
    raise AssertionError("a generator of the CPU has drawn on the device")
torch.manual_seed(3)
drawn = torch.randn(3, device=DEVICE)
torch.manual_seed(3)
torch.randn(3)
assert torch.equal(drawn, torch.randn(3, device=DEVICE))

view = x.detach()[1:].view(2, 1)
view.add_(1)
assert x.tolist() == [1.0, 2.0, 2.0]
"""

AS_ON_THE_CPU = """
import warnings
import torch
import torchopt
from tools.waits import DEVICE
from torchopt.linear_solve import CG, Dense, GMRES

def outcome(program, device):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            program(torch.linspace(0.2, 0.9, 3, dtype=torch.float64).to(device))
            said = [w.message for w in warned]
        except Exception as error:
            said = [error]
    return [(f"{type(x).__name__}: {x}", {k: f"{v:.6g}" for k, v in vars(x).items()}) for x in said]

def minimum(x, solver):
    return torchopt.minimize(lambda x: (x**4).sum() + (x - 1).square().prod(), x, solver=solver)

for program, words in (
    (lambda b: CG()(lambda v: 2 * v, b * torch.nan), "NonFiniteError: the right-hand side `b`"),
    (lambda b: CG()(lambda v: v * torch.nan, b), "NonFiniteError: the solution"),
    (lambda b: Dense()(lambda v: v.log(), b), "NonFiniteError: the matrix"),
    (lambda b: Dense()(lambda v: v + 1, b), "LinearSolveError: Dense needs a linear"),
    (lambda b: Dense()(lambda v: v * 0, b), "LinearSolveError: Dense did not"),
    (lambda b: CG(maxiter=1)(lambda v: v * b, b), "LinearSolveWarning: CG did not"),
    (
        lambda b: torch.func.vmap(GMRES(maxiter=1, on_failure="raise").__call__, (None, 0))(
            lambda v: v * b, torch.stack([b, b.sqrt()])
        ),
        "LinearSolveError: GMRES did not converge for 2 of 2 problems",
    ),
    (lambda b: minimum(b, torchopt.solver.LBFGS(maxiter=2)), "NotConvergedWarning: LBFGS did"),
    (
        lambda b: torchopt.root(lambda x: (x - b).abs().sqrt() - 0.1, b),
        "NonFiniteError: the matrix of a linear solve has NaN",
    ),
):
    there, here = outcome(program, DEVICE), outcome(program, "cpu")
    assert there == here and words in str(there), (there, here)
"""

GUESSED = """
import warnings
import torch
import torchopt
from tools.waits import DEVICE
from torchopt.solver import BFGS, LBFGS, LBFGSB, Broyden, GaussNewton, Newton, NonlinearCG
from torchopt.solver import ProximalGradient

warnings.simplefilter("ignore")

def run(find, function, solver, device):
    evaluations = 0
    def counted(x, a):
        nonlocal evaluations
        evaluations += 1
        return function(x * a)
    a = torch.ones((), dtype=torch.float64, device=device, requires_grad=True)
    start = torch.tensor([-1.2, 1.0, 0.5], dtype=torch.float64, device=device)
    solution = find(counted, start, (a,), solver=solver, diff=torchopt.diff.Explicit())
    slope, = torch.autograd.grad(solution.params.square().sum(), a)
    return slope.item(), (evaluations, int(solution.iterations), solution.params.tolist())

def valley(x):
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

def bent(x):
    return torch.cat([10 * (x[1:] - x[:-1] ** 2), 1 - x[:1]])

missed = 0
for find, function, solvers in (
    (torchopt.minimize, valley, (BFGS, LBFGS, LBFGSB, NonlinearCG, Newton, ProximalGradient)),
    (torchopt.root, bent, (Newton, Broyden)),
    (torchopt.least_squares, bent, (GaussNewton,)),
):
    for cls in solvers:
        for solver in (cls(maxiter=9), cls(maxiter=5, rtol=0)):
            (slope, here), (slope_there, there) = (
                run(find, function, solver, device) for device in ("cpu", DEVICE)
            )
            assert here == there, (solver, here, there)
            assert abs(slope - slope_there) < 1e-6 * abs(slope), (solver, slope, slope_there)
            missed += here[0] > here[1] + 5
assert missed > 5
"""


def test_what_is_waited_for_falls_only() -> None:
    risen = _fresh.run(COUNTED).strip()
    assert not risen, (
        f"{risen}\nIf it has to be, say why in the commit; "
        "`python tools/waits.py --write` writes down what has fallen."
    )


def test_the_device_is_as_a_gpu_is() -> None:
    _fresh.run(AS_A_GPU)


def test_checks_that_wait_for_the_next_look_say_what_they_say_on_a_cpu() -> None:
    _fresh.run(AS_ON_THE_CPU)


def test_steps_that_guess_wrong_are_those_of_a_cpu_without_more_evaluations() -> None:
    _fresh.run(GUESSED)
