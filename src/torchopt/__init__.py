"""Differentiable optimization for PyTorch: a solution map and a way to differentiate it.

``import torchopt`` is quick: rooms and names are imported when they are first asked for.
"""

import importlib
import sys
import threading
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchopt.io import names as _names
from torchopt.version import DISTRIBUTION as _DISTRIBUTION
from torchopt.version import __version__ as __version__

if (
    Path(__file__).with_name("_C").exists()
):  # of the published package; `metadata` would take longer
    raise ImportError(
        f"the published torchopt is installed into the same folder as {_DISTRIBUTION}, and each has "
        f"replaced files of the other: run `pip uninstall torchopt {_DISTRIBUTION}`, and install "
        f"{_DISTRIBUTION} again."
    )

if TYPE_CHECKING:
    from torchopt import accelerated_op as accelerated_op
    from torchopt import alias as alias
    from torchopt import base as base
    from torchopt import checkpoint as checkpoint
    from torchopt import clip as clip
    from torchopt import combine as combine
    from torchopt import compat as compat
    from torchopt import diff as diff
    from torchopt import distributed as distributed
    from torchopt import errors as errors
    from torchopt import experimental as experimental
    from torchopt import hook as hook
    from torchopt import linalg as linalg
    from torchopt import linear_solve as linear_solve
    from torchopt import logging as logging
    from torchopt import meta as meta
    from torchopt import multilevel as multilevel
    from torchopt import nn as nn
    from torchopt import optim as optim
    from torchopt import optimizers as optimizers
    from torchopt import prox as prox
    from torchopt import pytree as pytree
    from torchopt import quadratic as quadratic
    from torchopt import schedule as schedule
    from torchopt import sets as sets
    from torchopt import solver as solver
    from torchopt import transform as transform
    from torchopt import typing as typing
    from torchopt import update as update
    from torchopt import utils as utils
    from torchopt import visual as visual
    from torchopt.autodiff.exact import higher_order as higher_order
    from torchopt.autodiff.remat import remat as remat
    from torchopt.clip import clip_grad_norm as clip_grad_norm
    from torchopt.combine import chain as chain
    from torchopt.diff import Constraints as Constraints
    from torchopt.hook import register_hook as register_hook
    from torchopt.meta import check_meta_grad as check_meta_grad
    from torchopt.meta import meta_grad_and_value as meta_grad_and_value
    from torchopt.meta import vmap_tasks as vmap_tasks
    from torchopt.optim import *
    from torchopt.optimizers import *
    from torchopt.solver import fixed_point as fixed_point
    from torchopt.solver import least_squares as least_squares
    from torchopt.solver import minimize as minimize
    from torchopt.solver import plan as plan
    from torchopt.solver import quadratic_program as quadratic_program
    from torchopt.solver import root as root
    from torchopt.solver import solve as solve
    from torchopt.transform import nan_to_num as nan_to_num
    from torchopt.update import apply_updates as apply_updates
    from torchopt.utils import extract_state_dict as extract_state_dict
    from torchopt.utils import module_clone as module_clone
    from torchopt.utils import module_detach_ as module_detach_
    from torchopt.utils import recover_state_dict as recover_state_dict
    from torchopt.utils import stop_gradient as stop_gradient

    accelerated_op_available = accelerated_op.is_available

if not TYPE_CHECKING:  # else any name would be known
    _ROOMS = """
        accelerated_op alias base checkpoint clip combine compat diff distributed errors experimental
        hook linalg linear_solve logging meta multilevel nn optim optimizers prox pytree quadratic
        schedule sets solver transform typing update utils visual
    """
    __all__ = sorted({"__version__", *_ROOMS.split(), *_names.HOMES})  # noqa: PLE0605

    # Python's locks of modules, taken by several threads, can make it import one in part.
    _lock = threading.RLock()

    def _asked_by(frame: Any) -> str:
        name = str(frame.f_globals.get("__name__")) if frame else ""
        # Behind `from torchopt import ...` is the import system.
        return _asked_by(frame.f_back) if "importlib" in name else name

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise _names.no_such(__name__, name)
        home = _names.HOMES.get(name)
        # A room that is being imported holds Python's lock of it, for which the thread that holds
        # ours may wait.
        inside = _asked_by(sys._getframe().f_back).startswith("torchopt.")
        with nullcontext() if inside else _lock:
            thing = importlib.import_module(home or f"torchopt.{name}")
        globals()[name] = thing = getattr(thing, name) if home else thing
        return thing

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


_names.allow_data()
