"""The modules of the published TorchOpt 0.7.3, so that programs that import them run.

The table has the names of 0.7.3, module by module, that have no such place here. What it wrote in a
module stands before the bar, what it imported there behind it. They are looked up when asked for, in
rooms above this one, too.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PUBLISHED = """
alias.adadelta: adadelta | GradientTransformation chain flip_sign_and_add_weight_decay
    scale_by_adadelta scale_by_neg_lr
alias.adagrad: adagrad | GradientTransformation chain flip_sign_and_add_weight_decay
    scale_by_neg_lr scale_by_rss scale_by_schedule
alias.adam: adam | GradientTransformation chain flip_sign_and_add_weight_decay
    scale_by_accelerated_adam scale_by_adam scale_by_neg_lr
alias.adamax: adamax | GradientTransformation chain flip_sign_and_add_weight_decay scale_by_adamax
    scale_by_neg_lr
alias.adamw: adamw | GradientTransformation add_decayed_weights chain
    flip_sign_and_add_weight_decay scale_by_accelerated_adam scale_by_adam scale_by_neg_lr
alias.radam: radam | GradientTransformation chain flip_sign_and_add_weight_decay scale_by_neg_lr
    scale_by_radam
alias.rmsprop: rmsprop | GradientTransformation chain flip_sign_and_add_weight_decay
    scale_by_neg_lr scale_by_rms scale_by_stddev trace
alias.sgd: sgd | GradientTransformation chain flip_sign_and_add_weight_decay scale_by_neg_lr trace
alias.utils: flip_sign_and_add_weight_decay scale_by_neg_lr | EmptyState GradientTransformation
    identity pytree scale scale_by_schedule
clip: | EmptyState GradientTransformation pytree
combine: | ChainedGradientTransformation GradientTransformation identity pytree
diff: | ImplicitMetaGradientModule ZeroOrderGradientModule
diff.implicit.decorator: custom_root | linear_solve pytree
diff.implicit.nn.module: ImplicitMetaGradientModule | MetaGradientModule custom_root reparametrize
    swap_state
diff.zero_order.decorator: | pytree
diff.zero_order.nn.module: ZeroOrderGradientModule | Samplable reparametrize zero_order
distributed: | dist rpc
distributed.api: TensorDimensionPartitioner batch_partitioner dim_partitioner mean_reducer
    parallelize parallelize_async parallelize_sync remote_async_call remote_sync_call sum_reducer |
    get_worker_id get_world_rank get_world_size pytree rpc
distributed.world: WorldInfo auto_init_rpc barrier get_local_rank get_local_world_size get_rank
    get_worker_id get_world_info get_world_rank get_world_size not_on_rank on_rank
    rank_non_zero_only rank_zero_only | rpc
hook: | EmptyState GradientTransformation pytree
linalg.cg: cg | pytree tree_vdot_real
linalg.ns: ns ns_inv | pytree
linear_solve.cg: solve_cg | linalg
linear_solve.inv: solve_inv | linalg pytree
linear_solve.normal_cg: solve_normal_cg | linalg
nn.module: MetaGradientModule | pytree
nn.stateless: reparameterize reparametrize swap_state
optim.adadelta: AdaDelta Adadelta | Optimizer alias
optim.adagrad: AdaGrad Adagrad | Optimizer alias
optim.adam: Adam | Optimizer alias
optim.adamax: AdaMax Adamax | Optimizer alias
optim.adamw: AdamW | Optimizer alias
optim.base: Optimizer | GradientTransformation UninitializedState apply_updates pytree
optim.func: | FuncOptimizer
optim.func.base: FuncOptimizer | GradientTransformation UninitializedState apply_updates
optim.meta: | MetaAdaDelta MetaAdaGrad MetaAdaMax MetaAdadelta MetaAdagrad MetaAdam MetaAdamW
    MetaAdamax MetaOptimizer MetaRAdam MetaRMSProp MetaRMSprop MetaSGD
optim.meta.adadelta: MetaAdaDelta MetaAdadelta | MetaOptimizer alias
optim.meta.adagrad: MetaAdaGrad MetaAdagrad | MetaOptimizer alias
optim.meta.adam: MetaAdam | MetaOptimizer alias
optim.meta.adamax: MetaAdaMax MetaAdamax | MetaOptimizer alias
optim.meta.adamw: MetaAdamW | MetaOptimizer alias
optim.meta.base: MetaOptimizer | GradientTransformation UninitializedState apply_updates pytree
optim.meta.radam: MetaRAdam | MetaOptimizer alias
optim.meta.rmsprop: MetaRMSProp MetaRMSprop | MetaOptimizer alias
optim.meta.sgd: MetaSGD | MetaOptimizer alias
optim.radam: RAdam | Optimizer alias
optim.rmsprop: RMSProp RMSprop | Optimizer alias
optim.sgd: SGD | Optimizer alias
schedule.exponential_decay: exponential_decay
schedule.polynomial: linear_schedule polynomial_schedule
transform.add_decayed_weights: MaskedState add_decayed_weights masked | EmptyState
    GradientTransformation identity pytree
transform.nan_to_num: nan_to_num | EmptyState GradientTransformation pytree
transform.scale: scale | EmptyState GradientTransformation ScaleState pytree
transform.scale_by_adadelta: ScaleByAdadeltaState scale_by_adadelta | GradientTransformation pytree
transform.scale_by_adam: ScaleByAdamState scale_by_accelerated_adam scale_by_adam |
    GradientTransformation pytree
transform.scale_by_adamax: ScaleByAdamaxState scale_by_adamax | GradientTransformation pytree
transform.scale_by_radam: ScaleByRAdamState scale_by_radam | GradientTransformation pytree
transform.scale_by_rms: ScaleByRmsState scale_by_rms | GradientTransformation pytree
transform.scale_by_rss: ScaleByRssState scale_by_rss | GradientTransformation pytree
transform.scale_by_schedule: ScaleByScheduleState scale_by_schedule | GradientTransformation pytree
transform.scale_by_stddev: ScaleByRStdDevState scale_by_stddev | GradientTransformation pytree
transform.trace: TraceState trace | GradientTransformation identity pytree
update: | pytree
visual: | ModuleState pytree
"""

#: Where a name is, if it is in no package around its module: first what has no other place here.
PLACES = """
torchopt.compat.former torchopt torchopt.base torchopt.transform torchopt.nn torchopt.diff.implicit
torchopt.diff.zero_order torchopt.pytree torchopt.utils torchopt.typing
"""
#: Each module may have imported any of these.
TYPES = "torchopt.typing"


@functools.cache
def names() -> dict[str, tuple[list[str], list[str]]]:
    """Return the names that each module wrote, and those that it imported, by its full name."""
    table: dict[str, tuple[list[str], list[str]]] = {}
    for word in PUBLISHED.split():
        if word.endswith(":"):
            target = table.setdefault(f"torchopt.{word[:-1]}", ([], []))
            here = target[0]
        elif word == "|":
            here = target[1]
        else:
            here.append(word)
    return table


def install(room: str) -> None:
    """Let the modules in a room be imported, and those that exist have the names that they lack."""
    for path, (own, imported) in names().items():
        if not f"{path}.".startswith(f"{room}."):
            continue
        module = sys.modules.get(path)
        if module is None:
            module = sys.modules[path] = ModuleType(path, f"Names of {path} in TorchOpt 0.7.3.")
            module.__spec__ = ModuleSpec(path, None)
            listed = sorted(name for name in own if not name.startswith("_"))
            vars(module).update(__all__=listed, __dir__=lambda listed=listed: listed)
            parent, _, child = path.rpartition(".")
            # `torchopt.alias.adam` is the function, although there is a module of that name.
            if child not in sys.modules[parent].__all__:
                setattr(sys.modules[parent], child, module)
        vars(module)["__getattr__"] = _finder(path, {*own, *imported})


def _finder(path: str, listed: set[str]) -> Callable[[str], Any]:
    def find(name: str) -> Any:
        # At once where Python looks at modules that are being imported, such as `inspect`.
        internal = name.startswith("__")
        if internal or (name not in listed and name not in importlib.import_module(TYPES).__all__):
            raise AttributeError(f"module {path!r} has no attribute {name!r}")
        room = path
        while (room := room.rpartition(".")[0]) != "torchopt":
            if name in vars(sys.modules[room]):
                return vars(sys.modules[room])[name]
        return next(
            getattr(place, name)
            for place in map(importlib.import_module, PLACES.split())
            if name in vars(place) or name in place.__all__
        )

    return find
