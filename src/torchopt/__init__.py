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
from torchopt.io import published as _published
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
    from torchopt import checkpoint as checkpoint
    from torchopt import diff as diff
    from torchopt import distributed as distributed
    from torchopt import errors as errors
    from torchopt import experimental as experimental
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
    from torchopt import visual as visual
    from torchopt.autodiff.exact import higher_order as higher_order
    from torchopt.autodiff.remat import remat as remat
    from torchopt.diff import Constraints as Constraints
    from torchopt.diff import Solution as Solution
    from torchopt.meta import check_meta_grad as check_meta_grad
    from torchopt.meta import check_solution as check_solution
    from torchopt.meta import check_training as check_training
    from torchopt.meta import meta_grad_and_value as meta_grad_and_value
    from torchopt.meta import vmap_tasks as vmap_tasks
    from torchopt.optim import MetaAdam as MetaAdam
    from torchopt.optim import MetaOptimizer as MetaOptimizer
    from torchopt.optim import MetaSGD as MetaSGD
    from torchopt.optim import Optimizer as Optimizer
    from torchopt.optim import from_torch as from_torch
    from torchopt.optim import to_torch as to_torch
    from torchopt.optim.states import extract_state_dict as extract_state_dict
    from torchopt.optim.states import recover_state_dict as recover_state_dict
    from torchopt.optim.states import stop_gradient as stop_gradient
    from torchopt.optimizers import adadelta as adadelta
    from torchopt.optimizers import adagrad as adagrad
    from torchopt.optimizers import adam as adam
    from torchopt.optimizers import adamax as adamax
    from torchopt.optimizers import adamw as adamw
    from torchopt.optimizers import lbfgs as lbfgs
    from torchopt.optimizers import lion as lion
    from torchopt.optimizers import muon as muon
    from torchopt.optimizers import radam as radam
    from torchopt.optimizers import rmsprop as rmsprop
    from torchopt.optimizers import sgd as sgd
    from torchopt.solver import fixed_point as fixed_point
    from torchopt.solver import least_squares as least_squares
    from torchopt.solver import minimize as minimize
    from torchopt.solver import plan as plan
    from torchopt.solver import quadratic_program as quadratic_program
    from torchopt.solver import root as root
    from torchopt.transform import GradientTransformation as GradientTransformation
    from torchopt.transform import apply_updates as apply_updates
    from torchopt.transform import chain as chain

# What TorchOpt 0.7.3 has here, and has another place now: no list of names has it.
if TYPE_CHECKING:
    from torchopt import accelerated_op as accelerated_op
    from torchopt import alias as alias
    from torchopt import base as base
    from torchopt import clip as clip
    from torchopt import combine as combine
    from torchopt import compat as compat
    from torchopt import hook as hook
    from torchopt import update as update
    from torchopt import utils as utils
    from torchopt.accelerated_op import accelerated_op_available as accelerated_op_available
    from torchopt.compat import AdaDelta as AdaDelta
    from torchopt.compat import AdaGrad as AdaGrad
    from torchopt.compat import AdaMax as AdaMax
    from torchopt.compat import FuncOptimizer as FuncOptimizer
    from torchopt.compat import MetaAdaDelta as MetaAdaDelta
    from torchopt.compat import MetaAdaGrad as MetaAdaGrad
    from torchopt.compat import MetaAdaMax as MetaAdaMax
    from torchopt.compat import MetaRMSProp as MetaRMSProp
    from torchopt.compat import RMSProp as RMSProp
    from torchopt.compat import module_detach_ as module_detach_
    from torchopt.nn import module_clone as module_clone
    from torchopt.optim import SGD as SGD
    from torchopt.optim import Adadelta as Adadelta
    from torchopt.optim import Adagrad as Adagrad
    from torchopt.optim import Adam as Adam
    from torchopt.optim import Adamax as Adamax
    from torchopt.optim import AdamW as AdamW
    from torchopt.optim import MetaAdadelta as MetaAdadelta
    from torchopt.optim import MetaAdagrad as MetaAdagrad
    from torchopt.optim import MetaAdamax as MetaAdamax
    from torchopt.optim import MetaAdamW as MetaAdamW
    from torchopt.optim import MetaRAdam as MetaRAdam
    from torchopt.optim import MetaRMSprop as MetaRMSprop
    from torchopt.optim import RAdam as RAdam
    from torchopt.optim import RMSprop as RMSprop
    from torchopt.transform import clip_grad_norm as clip_grad_norm
    from torchopt.transform import nan_to_num as nan_to_num
    from torchopt.transform import register_hook as register_hook

if not TYPE_CHECKING:  # else any name would be known
    _ROOMS = """
        checkpoint diff distributed errors experimental linalg linear_solve logging meta multilevel nn
        optim optimizers prox pytree quadratic schedule sets solver transform typing visual
    """
    __all__ = sorted({"__version__", *_ROOMS.split(), *_names.HOMES})  # noqa: PLE0605

    # Python's locks of modules, taken by several threads, can make it import one in part.
    _lock = threading.RLock()

    def _asked_by(frame: Any) -> str:
        # Behind `from torchopt import ...` is the import system.
        behind = frame.f_back if _is_import_system(frame) else None
        return _asked_by(behind) if behind else str(frame and frame.f_globals.get("__name__"))

    def _is_import_system(frame: Any) -> bool:
        return frame is not None and "importlib" in str(frame.f_globals.get("__name__"))

    def __getattr__(name: str) -> Any:
        home = _names.HOMES.get(name) or _published.TOP.get(name)
        known = home or name in (*_ROOMS.split(), *_published.ROOMS.split(), "compat")
        frame = sys._getframe().f_back
        # A room that is being imported holds Python's lock of it, for which the thread that holds
        # ours may wait.
        inside = _asked_by(frame).startswith("torchopt.")
        with nullcontext() if inside else _lock:
            if not known:
                # The import system asks here before it looks for a module.
                if inside or name.startswith("_") or _is_import_system(frame):
                    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
                raise _names.no_such(__name__, name, ("optimizers", "optim", *_ROOMS.split()))
            thing = importlib.import_module(home or f"torchopt.{name}")
        globals()[name] = thing = getattr(thing, name) if home else thing
        return thing

    def __dir__() -> list[str]:
        return __all__


_names.allow_data()
