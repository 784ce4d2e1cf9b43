"""Runnable programs: ``python -m torchopt.examples`` lists them.

A program is a package here with a function ``main(argv) -> exit status``. Programs use the public
face of the library only, and nothing imports them.
"""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["PROGRAMS", "require_extra"]

PROGRAMS = {
    "maml": "learn to read the letters of a script from one example each (MAML and relatives)",
    "imaml": "meta-learn without unrolling: implicit MAML beside MAML, on the same letters",
    "hpo": "find one penalty per weight by the gradient of the validation loss",
    "deq": "classify digits by a network whose layer is a fixed point",
    "es_maml": "meta-learn from values alone: a robot that moves in clicks, and sine waves",
    "nac": "learn whom to train against: auto-curricula for random games of skill",
    "mezo": "fine-tune a transformer in the memory of inference",
    "lola": "two agents that differentiate through one another's learning, on two workers",
    "graph": "draw and explain gradient graphs: of MAML, an implicit and a trilevel problem",
    "reweight": "learn from labels half of which are wrong, by one weight for each image",
    "hpo_multilevel": "find penalties, smoothing and noise of a network while it trains",
    "distill": "learn ten images that teach a fresh network to read digits",
    "darts": "search a small cell by gradient, and compare with all of its architectures",
    "trilevel": "learn what to ignore in pretraining, by what finetuning makes of it: three levels",
    "maml_multilevel": "MAML as a program of two levels: the numbers of Core's example",
    "ttt": "a transformer that learns from a text while it reads it: test-time training",
    "attribution": "predict how digits are read without some of the images that taught it",
}


def require_extra(*packages: str) -> None:
    """Raise unless the packages of the ``examples`` extra are installed.

    Args:
        *packages: Names as in an ``import`` statement.

    Raises:
        ModuleNotFoundError: If one is missing; the message says what to install.
    """
    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        raise ModuleNotFoundError(
            f"this example needs {' and '.join(missing)}: run `pip install torchopt[examples]`.",
            name=missing[0],
        )
