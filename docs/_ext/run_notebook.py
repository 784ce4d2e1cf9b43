"""Run a notebook: each in a process of its own, forked from one that has made these imports."""

from __future__ import annotations

import os
import tempfile
import time
import warnings

import matplotlib.pyplot  # noqa: F401 (lists the fonts once, and may warn while it does)
import torch._dynamo  # noqa: F401 (which PyTorch's first optimizer would import in each notebook)
from ipykernel.inprocess.blocking import BlockingInProcessKernelClient
from ipykernel.inprocess.ipkernel import InProcessKernel
from jupyter_cache.base import CacheBundleIn, ProjectNb
from nbformat.v4 import output_from_msg
from traitlets.config import Config

from torchopt.io.names import import_rooms

import_rooms()
warnings.filterwarnings(
    "ignore", 'Creating legend with loc="best"'
)  # hangs on the time it took
HISTORY = Config(HistoryManager={"hist_file": ":memory:"})  # not the user's
OUTPUTS = {"display_data", "execute_result", "stream"}


def run(notebook: ProjectNb) -> CacheBundleIn:
    """Run the cells in an empty folder; return what the cache keeps."""
    kernel = InProcessKernel(config=HISTORY)
    kernel.shell.enable_matplotlib("inline")
    notebook.nb.metadata.language_info = kernel.language_info
    client = BlockingInProcessKernelClient(kernel=kernel, session=kernel.session)
    client.start_channels()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for cell in notebook.nb.cells:
            if cell.cell_type == "code":
                client.execute(cell.source)
                reply = client.get_shell_msg()["content"]
                if reply["status"] != "ok":
                    raise RuntimeError("\n".join([notebook.uri, *reply["traceback"]]))
                cell.execution_count = reply["execution_count"]
                messages = client.iopub_channel.get_msgs()
                cell.outputs = [
                    output_from_msg(m) for m in messages if m["msg_type"] in OUTPUTS
                ]
        os.chdir(os.sep)
    data = {"execution_seconds": time.perf_counter() - start}
    return CacheBundleIn(notebook.nb, notebook.uri, data=data)
