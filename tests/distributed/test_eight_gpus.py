"""The program of the page on eight GPUs, on processes that `torchrun` starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from _programs import launch

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/eight-gpus.md").read_text(encoding="utf-8")

pytestmark = [pytest.mark.slow, pytest.mark.processes]


def influence(folder: Path, processes: int, before: str = "") -> torch.Tensor:
    """Run the program, with something before it; return the derivative that it writes."""
    program = before + PAGE.split("```{code-block} python\n")[1].split("```")[0]
    folder.mkdir()
    if processes == 1:
        ended = launch(["-c", f"import os\nos.chdir({str(folder)!r})\n{program}"], 1)
        assert ended.codes == [0], ended.errors
    else:
        (folder / "train.py").write_text(program, encoding="utf-8")
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        command += [f"--nproc-per-node={processes}", "--max-restarts=1", "train.py"]
        paths = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        own = {"OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "GLOO_SOCKET_IFNAME": "lo"}
        own |= {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "PYTHONPATH": os.pathsep.join(paths)}
        done = subprocess.run(
            command, cwd=folder, env=os.environ | own, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr
    found: torch.Tensor = torch.load(folder / "influence.pt", weights_only=True)
    return found


KILL = """
import os, signal
from pathlib import Path
from torchopt.diff import _resume

_resume.SHARE = 1.0  # each step is written
save = _resume.Folder.save


def killed(self, kind, index, state):
    save(self, kind, index, state)
    if (kind, index) == ("pulled", 3) and os.environ["RANK"] == "1":
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
def test_two_processes_one_of_which_was_killed_have_the_derivative_of_one(tmp_path: Path) -> None:
    expected = influence(tmp_path / "one", 1)
    found = influence(tmp_path / "run", 2, KILL)
    assert expected.abs().max() > 1e-5
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4 * float(expected.abs().max()))
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"killed", "goes on 0 3", "goes on 1 3"} <= names
