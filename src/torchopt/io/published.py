"""The modules of the published TorchOpt 0.7.3, so that programs that import them run.

The table has the names of 0.7.3, module by module, that have no such place here. In a module that is
made here, what 0.7.3 imported there is found, too, such as ``pytree``. Names are looked up when asked
for, in rooms above this one, too.
"""

from __future__ import annotations

import functools
import importlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PUBLISHED = """
accelerated_op.adam_op: AdamOp
alias.adadelta: adadelta
alias.adagrad: adagrad
alias.adam: adam
alias.adamax: adamax
alias.adamw: adamw
alias.radam: radam
alias.rmsprop: rmsprop
alias.sgd: sgd
alias.utils: flip_sign_and_add_weight_decay scale_by_neg_lr
base: IdentityGradientTransformation
clip: EmptyState GradientTransformation pytree
combine: ChainedGradientTransformation GradientTransformation identity pytree
diff: ImplicitMetaGradientModule ZeroOrderGradientModule
diff.implicit: ImplicitMetaGradientModule custom_root
diff.implicit.decorator: custom_root
diff.implicit.nn: ImplicitMetaGradientModule
diff.implicit.nn.module: ImplicitMetaGradientModule enable_implicit_gradients
    make_optimality_from_objective
diff.zero_order: ZeroOrderGradientModule zero_order
diff.zero_order.decorator: zero_order
diff.zero_order.nn: ZeroOrderGradientModule
diff.zero_order.nn.module: ZeroOrderGradientModule enable_zero_order_gradients
distributed: TensorDimensionPartitioner WorldInfo auto_init_rpc barrier batch_partitioner
    dim_partitioner dist get_local_rank get_local_world_size get_rank get_worker_id get_world_info
    get_world_rank get_world_size is_available mean_reducer not_on_rank on_rank parallelize
    parallelize_async parallelize_sync rank_non_zero_only rank_zero_only remote_async_call
    remote_sync_call rpc sum_reducer
hook: EmptyState GradientTransformation pytree
linalg: cg ns ns_inv
linalg.cg: cg
linalg.ns: ns ns_inv
linalg.utils: cat_shapes normalize_matvec
linear_solve: solve_cg solve_inv solve_normal_cg
linear_solve.cg: solve_cg
linear_solve.inv: solve_inv
linear_solve.normal_cg: solve_normal_cg
nn: ImplicitMetaGradientModule ZeroOrderGradientModule reparameterize reparametrize swap_state
nn.module: MetaGradientModule
nn.stateless: reparameterize reparametrize swap_state
optim: AdaDelta AdaGrad AdaMax MetaAdaDelta MetaAdaGrad MetaAdaMax MetaRMSProp RMSProp
optim.adadelta: AdaDelta Adadelta
optim.adagrad: AdaGrad Adagrad
optim.adam: Adam
optim.adamax: AdaMax Adamax
optim.adamw: AdamW
optim.base: Optimizer
optim: FuncOptimizer
optim.func: FuncOptimizer
optim.func.base: FuncOptimizer
optim.meta: MetaAdaDelta MetaAdaGrad MetaAdaMax MetaAdadelta MetaAdagrad MetaAdam MetaAdamW
    MetaAdamax MetaOptimizer MetaRAdam MetaRMSProp MetaRMSprop MetaSGD
optim.meta.adadelta: MetaAdaDelta MetaAdadelta
optim.meta.adagrad: MetaAdaGrad MetaAdagrad
optim.meta.adam: MetaAdam
optim.meta.adamax: MetaAdaMax MetaAdamax
optim.meta.adamw: MetaAdamW
optim.meta.base: MetaOptimizer
optim.meta.radam: MetaRAdam
optim.meta.rmsprop: MetaRMSProp MetaRMSprop
optim.meta.sgd: MetaSGD
optim.radam: RAdam
optim.rmsprop: RMSProp RMSprop
optim.sgd: SGD
pytree: tree_as_rref tree_flatten_as_tuple tree_matmul tree_pos tree_to_here tree_wait
schedule: exponential_decay
schedule.exponential_decay: exponential_decay
schedule.polynomial: linear_schedule polynomial_schedule
transform.add_decayed_weights: MaskedState add_decayed_weights masked
transform.nan_to_num: nan_to_num
transform: scale_by_accelerated_adam
transform.scale: ScaleState scale
transform.scale_by_adadelta: ScaleByAdadeltaState scale_by_adadelta
transform.scale_by_adam: ScaleByAdamState scale_by_accelerated_adam scale_by_adam
transform.scale_by_adamax: ScaleByAdamaxState scale_by_adamax
transform.scale_by_radam: ScaleByRAdamState scale_by_radam
transform.scale_by_rms: ScaleByRmsState scale_by_rms
transform.scale_by_rss: ScaleByRssState scale_by_rss
transform.scale_by_schedule: ScaleByScheduleState scale_by_schedule
transform.scale_by_stddev: ScaleByRStdDevState scale_by_stddev
transform.trace: TraceState trace
transform.utils: inc_count tree_map_flat tree_map_flat_ update_moment
typing: ChainedGradientTransformation Device Distribution EmptyState Future GradientTransformation
    LinearSolver ListOfOptionalTensors ListOfTensors ModuleTensorContainers OptState OptionalTensor
    OptionalTensorOrOptionalTensors OptionalTensorTree Params PyTree RRef SampleFunc Scalar
    ScalarOrSchedule SequenceOfOptionalTensors SequenceOfTensors Size Tensor TensorContainer
    TensorOrTensors TupleOfOptionalTensors TupleOfTensors UninitializedState Updates
update: pytree
visual: ModuleState pytree
"""

#: Rooms of 0.7.3 whose names have another place here, or none: files, which type checkers know.
#: They, and packages called `compat`, are in no list of names of the package.
ROOMS = """
accelerated_op alias base clip combine distributed.api distributed.autograd distributed.world hook
update utils
"""

#: What 0.7.3 had in the package itself and has another place here.
TOP = {
    name: f"torchopt.{home}"
    for home, names in {
        "accelerated_op": "accelerated_op_available",
        "optim": """
            Adadelta Adagrad Adam AdamW Adamax MetaAdadelta MetaAdagrad MetaAdamW
            MetaAdamax MetaRAdam MetaRMSprop RAdam RMSprop SGD
        """,
        "transform": "clip_grad_norm nan_to_num register_hook",
        "compat": """
            AdaDelta AdaGrad AdaMax MetaAdaDelta MetaAdaGrad MetaAdaMax MetaRMSProp RMSProp
            FuncOptimizer module_detach_
        """,
        "nn": "module_clone",
    }.items()
    for name in names.split()
}

#: Where a name is, if it is in no package around its module: first what has no other place here.
PLACES = """
torchopt.compat.former torchopt.compat.types torchopt torchopt.transform torchopt.nn
torchopt.diff.implicit torchopt.diff.zero_order torchopt.pytree torchopt.utils torchopt.typing
torchopt.compat torchopt.compat.implicit_module torchopt.compat.zero_order_module
torchopt.distributed.api torchopt.distributed.world
"""

#: What moved is here.
COMPAT = "torchopt.compat"

#: Each module may have imported any of these.
TYPES = "torchopt.typing"


@functools.cache
def names() -> dict[str, list[str]]:
    """Return the names that each module wrote, by its full name."""
    table: dict[str, list[str]] = {}
    for word in PUBLISHED.split():
        if word.endswith(":"):
            here = table.setdefault(f"torchopt.{word[:-1]}", [])
        else:
            here.append(word)
    return table


def install(room: str) -> None:
    """Let the modules in a room be imported, and those that exist have the names that they lack."""
    for path, own in names().items():
        if not f"{path}.".startswith(f"{room}."):
            continue
        module, listed = sys.modules.get(path), {*own}
        if module is None:
            module = sys.modules[path] = ModuleType(path, f"Names of {path} in TorchOpt 0.7.3.")
            module.__spec__ = ModuleSpec(path, None)
            shown = sorted(name for name in own if not name.startswith("_"))
            vars(module).update(__all__=shown, __dir__=lambda shown=shown: shown)
            parent, _, child = path.rpartition(".")
            # `torchopt.alias.adam` is the function, although there is a module of that name.
            if child not in (*sys.modules[parent].__all__, *names().get(parent, [])):
                setattr(sys.modules[parent], child, module)
            listed = set()  # all
        vars(module)["__getattr__"] = functools.partial(_find, path, listed)


def _find(path: str, listed: set[str], name: str) -> Any:
    # At once where Python looks at modules that are being imported, such as `inspect`.
    known = not name.startswith("__") and (
        not listed
        or name in listed
        or name in names()[TYPES]
        or name in importlib.import_module(TYPES).__all__
    )
    if name in names()[path]:
        compat = importlib.import_module(COMPAT)
        if name in compat.__all__:
            return getattr(compat, name)
    if path == "torchopt.pytree" and name in sys.modules["optree"].__all__:
        return getattr(importlib.import_module(f"{COMPAT}.trees"), name)
    room = path
    while known and (room := room.rpartition(".")[0]) != "torchopt":
        if name in vars(sys.modules[room]):
            return vars(sys.modules[room])[name]
    for place in map(importlib.import_module, PLACES.split() if known else ()):
        lazy = (*getattr(place, "__all__", ()), *(TOP if place.__name__ == "torchopt" else ()))
        if name in vars(place) or name in lazy:
            return getattr(place, name)
    raise sys.modules["torchopt.io.names"].no_such(path, name)
