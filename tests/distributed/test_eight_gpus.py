"""The program of the page on eight GPUs, on processes that `torchrun` starts."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
import torch
from _programs import launch
from torch.distributed import run as torchrun

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/eight-gpus.md").read_text(encoding="utf-8")
PROGRAM = PAGE.split("```{code-block} python\n")[1].split("```")[0]
PROGRAM = PROGRAM.replace("WIDTH = 6, 16,", "WIDTH = 4, 16,")  # steps, of a second for each process

pytestmark = [pytest.mark.slow, pytest.mark.processes]


KILL = """
import os, signal
from pathlib import Path

os.environ |= {"CUDA_VISIBLE_DEVICES": "", "GLOO_SOCKET_IFNAME": "lo"}
from torchopt.diff import _resume

_resume.SHARE = 1.0  # each step is written
save = _resume.Folder.save


def killed(self, kind, index, state):
    save(self, kind, index, state)
    if (kind, index) == ("pulled", 2) and os.environ["RANK"] == "1":
        if not Path("killed").exists():
            Path("killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)


_resume.Folder.save = killed
loaded = _resume.Folder.load


def noted(self, kind, index):
    state = loaded(self, kind, index)
    if state is not None and kind == "pulled":
        Path(f"goes on {os.environ['RANK']} {index}").touch()
    return state


_resume.Folder.load = noted
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="kills a process by a signal")
def test_two_processes_one_of_which_was_killed_have_the_derivative_of_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    ended = launch(["-c", f"import os\nos.chdir({str(one)!r})\n{PROGRAM}"], 1)
    assert ended.codes == [0], ended.errors
    expected = torch.load(one / "influence.pt", weights_only=True)

    (two / "train.py").write_text(KILL + PROGRAM, encoding="utf-8")
    monkeypatch.chdir(two)
    monkeypatch.setenv("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1")
    monkeypatch.setenv("TORCHELASTIC_SIGNALS_TO_HANDLE", "SIGUSR2")  # those of pytest stay
    options = ["--standalone", "--nproc-per-node=2", "--max-restarts=1"]
    torchrun.main([*options, "--run-path", "--start-method=forkserver", str(two / "train.py")])
    found = torch.load("influence.pt", weights_only=True)
    assert expected.abs().max() > 1e-5
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4 * float(expected.abs().max()))
    names = {path.name for path in two.iterdir()}
    assert {"killed", "goes on 0 2", "goes on 1 2"} <= names
