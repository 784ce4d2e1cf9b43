"""Gradient transformations and how to combine them, one file each."""

from torchopt.io.names import publish as _publish
from torchopt.ops import running_mean, safe_sqrt
from torchopt.transform._add_decayed_weights import add_decayed_weights
from torchopt.transform._clip_grad_norm import clip_grad_norm
from torchopt.transform._flat import Flat
from torchopt.transform._learned import LearnedState, ParameterFeatures, learned
from torchopt.transform._masked import MaskedState, masked
from torchopt.transform._nan_to_num import nan_to_num
from torchopt.transform._scale import (
    ScaleByDecayState,
    ScaleByScheduleState,
    ScaleState,
    scale,
    scale_by_learning_rate,
    scale_by_schedule,
)
from torchopt.transform._scale_by_adadelta import ScaleByAdadeltaState, scale_by_adadelta
from torchopt.transform._scale_by_adam import (
    ScaleByAdamState,
    ScaleByAmsgradState,
    scale_by_accelerated_adam,
    scale_by_adam,
)
from torchopt.transform._scale_by_adamax import ScaleByAdamaxState, scale_by_adamax
from torchopt.transform._scale_by_amsgrad import scale_by_amsgrad
from torchopt.transform._scale_by_radam import ScaleByRAdamState, scale_by_radam
from torchopt.transform._scale_by_rms import (
    ScaleByRmsState,
    ScaleByRStdDevState,
    scale_by_rms,
    scale_by_stddev,
)
from torchopt.transform._scale_by_rss import ScaleByRssState, scale_by_rss
from torchopt.transform._trace import TraceState, trace
from torchopt.transform.advancing import advance
from torchopt.transform.chaining import chain, elementwise, leafwise
from torchopt.transform.chaining_leaves import chain_flat as _chain_flat
from torchopt.transform.hooks import register_hook
from torchopt.transform.options import with_forms as _with_forms

__all__ = [
    "Flat",
    "LearnedState",
    "MaskedState",
    "ParameterFeatures",
    "ScaleByAdadeltaState",
    "ScaleByAdamState",
    "ScaleByAdamaxState",
    "ScaleByAmsgradState",
    "ScaleByDecayState",
    "ScaleByRAdamState",
    "ScaleByRStdDevState",
    "ScaleByRmsState",
    "ScaleByRssState",
    "ScaleByScheduleState",
    "ScaleState",
    "TraceState",
    "add_decayed_weights",
    "advance",
    "chain",
    "clip_grad_norm",
    "elementwise",
    "leafwise",
    "learned",
    "masked",
    "nan_to_num",
    "register_hook",
    "running_mean",
    "safe_sqrt",
    "scale",
    "scale_by_accelerated_adam",
    "scale_by_adadelta",
    "scale_by_adam",
    "scale_by_adamax",
    "scale_by_amsgrad",
    "scale_by_learning_rate",
    "scale_by_radam",
    "scale_by_rms",
    "scale_by_rss",
    "scale_by_schedule",
    "scale_by_stddev",
    "trace",
]

for _function in map(globals().get, __all__):
    if getattr(_function, "__annotations__", {}).get("return") == "GradientTransformation":
        _with_forms(_function)
chain.flat = _chain_flat  # type: ignore[attr-defined]

_publish(__name__)
