"""What steps on a device wait for falls only; and the device that tells it is as a GPU is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def test_what_is_waited_for_falls_only() -> None:
    risen = _fresh.run(COUNTED).strip()
    assert not risen, (
        f"{risen}\nIf it has to be, say why in the commit; "
        "`python tools/waits.py --write` writes down what has fallen."
    )


def test_the_device_is_as_a_gpu_is() -> None:
    _fresh.run(AS_A_GPU)


def test_what_failed_on_a_gpu_is_right_there() -> None:
    file = Path(__file__).with_name("test_faults_of_a_gpu.py")
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", str(file)]
    pretended = os.environ | {"TORCHOPT_TEST_DEVICE": "pretend"}
    run = subprocess.run(
        command, env=pretended, cwd=file.parents[1], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stdout + run.stderr
