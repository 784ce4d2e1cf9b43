"""Where a run's numbers go: one sink for each destination, one method to write them.

Select a sink by its name (see :func:`make_sink`), or make one. Any object with the methods of
:class:`Sink` will do.
"""

from torchopt.io.names import publish as _publish
from torchopt.logging._console import Console
from torchopt.logging._csv import CSV
from torchopt.logging._jsonl import JSONLines
from torchopt.logging._progress import Progress
from torchopt.logging._sink import Several, Sink
from torchopt.logging._tensorboard import TensorBoard
from torchopt.logging._wandb import WandB
from torchopt.logging.making import make_sink

__all__ = [
    "CSV",
    "Console",
    "JSONLines",
    "Progress",
    "Several",
    "Sink",
    "TensorBoard",
    "WandB",
    "make_sink",
]

_publish(__name__)
