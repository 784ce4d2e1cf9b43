"""Gradient transformations and how to combine them, one file each."""

from torchopt.io.names import publish as _publish
from torchopt.ops import running_mean, safe_sqrt
from torchopt.transform._adaptive_grad_clip import adaptive_grad_clip
from torchopt.transform._add_noise import AddNoiseState, add_noise
from torchopt.transform._apply_if_finite import ApplyIfFiniteState, apply_if_finite
from torchopt.transform._centralize import centralize
from torchopt.transform._clip import clip
from torchopt.transform._clip_by_block_rms import clip_by_block_rms
from torchopt.transform._clip_grad_norm import clip_grad_norm
from torchopt.transform._conditionally import (
    ConditionallyMaskState,
    ConditionallyTransformState,
    conditionally_mask,
    conditionally_transform,
)
from torchopt.transform._differentially_private_aggregate import (
    DifferentiallyPrivateAggregateState,
    differentially_private_aggregate,
)
from torchopt.transform._ema import EmaState, ema
from torchopt.transform._flat import Flat
from torchopt.transform._freeze import freeze, selective_transform, set_to_zero
from torchopt.transform._inject_hyperparams import InjectHyperparamsState, inject_hyperparams
from torchopt.transform._learned import LearnedState, ParameterFeatures, learned
from torchopt.transform._linesearch import (
    ScaleByBacktrackingLinesearchState,
    ScaleByZoomLinesearchState,
    scale_by_backtracking_linesearch,
    scale_by_zoom_linesearch,
)
from torchopt.transform._lookahead import LookaheadState, ResetState, lookahead
from torchopt.transform._masked import MaskedState, masked
from torchopt.transform._mechanize import MechanicState, mechanize
from torchopt.transform._monitoring import (
    MonitorState,
    SnapshotState,
    measure_with_ema,
    monitor,
    snapshot,
)
from torchopt.transform._multi_steps import (
    MultiSteps,
    MultiStepsState,
    skip_large_updates,
    skip_not_finite,
)
from torchopt.transform._named_chain import named_chain
from torchopt.transform._nan_to_num import nan_to_num
from torchopt.transform._normalize_by_update_norm import normalize_by_update_norm
from torchopt.transform._partition import PartitionState, partition
from torchopt.transform._per_example_clip import (
    per_example_global_norm_clip,
    per_example_layer_norm_clip,
)
from torchopt.transform._polyak_average import PolyakAverageState, polyak_average
from torchopt.transform._project import project
from torchopt.transform._reduce_on_plateau import ReduceLROnPlateauState, reduce_on_plateau
from torchopt.transform._sam import SAMState, asam, sam
from torchopt.transform._scale import (
    ScaleByDecayState,
    ScaleByScheduleState,
    ScaleState,
    add_decayed_weights,
    scale,
    scale_by_learning_rate,
    scale_by_schedule,
)
from torchopt.transform._scale_by_adadelta import ScaleByAdadeltaState, scale_by_adadelta
from torchopt.transform._scale_by_adafactor import ScaleByAdafactorState, scale_by_adafactor
from torchopt.transform._scale_by_adam import (
    ScaleByAdamState,
    ScaleByAmsgradState,
    scale_by_accelerated_adam,
    scale_by_adam,
)
from torchopt.transform._scale_by_adamax import ScaleByAdamaxState, scale_by_adamax
from torchopt.transform._scale_by_adan import ScaleByAdanState, scale_by_adan
from torchopt.transform._scale_by_ademamix import ScaleByAdemamixState, scale_by_ademamix
from torchopt.transform._scale_by_adopt import ScaleByAdoptState, scale_by_adopt
from torchopt.transform._scale_by_amsgrad import scale_by_amsgrad
from torchopt.transform._scale_by_asgd import ScaleByAsgdState, scale_by_asgd
from torchopt.transform._scale_by_belief import ScaleByBeliefState, scale_by_belief
from torchopt.transform._scale_by_cocob import ScaleByCocobState, scale_by_cocob
from torchopt.transform._scale_by_dadapt_adam import ScaleByDAdaptAdamState, scale_by_dadapt_adam
from torchopt.transform._scale_by_dog import ScaleByDogState, scale_by_dog
from torchopt.transform._scale_by_galore import ScaleByGaloreState, scale_by_galore
from torchopt.transform._scale_by_kron import ScaleByKronState, scale_by_kron
from torchopt.transform._scale_by_lbfgs import ScaleByLBFGSState, scale_by_lbfgs
from torchopt.transform._scale_by_lion import ScaleByLionState, scale_by_lion
from torchopt.transform._scale_by_madgrad import ScaleByMadgradState, scale_by_madgrad
from torchopt.transform._scale_by_momo import ScaleByMomoState, scale_by_momo
from torchopt.transform._scale_by_muon import ScaleByMuonState, scale_by_muon
from torchopt.transform._scale_by_nadam import ScaleByNAdamState, scale_by_nadam
from torchopt.transform._scale_by_novograd import ScaleByNovogradState, scale_by_novograd
from torchopt.transform._scale_by_optimistic_gradient import (
    ScaleByOptimisticGradientState,
    scale_by_optimistic_gradient,
)
from torchopt.transform._scale_by_polyak import scale_by_polyak
from torchopt.transform._scale_by_prodigy import ScaleByProdigyState, scale_by_prodigy
from torchopt.transform._scale_by_radam import ScaleByRAdamState, scale_by_radam
from torchopt.transform._scale_by_rms import (
    ScaleByCorrectedRmsState,
    ScaleByRmsState,
    ScaleByRStdDevState,
    scale_by_rms,
    scale_by_stddev,
)
from torchopt.transform._scale_by_rprop import ScaleByRpropState, scale_by_rprop
from torchopt.transform._scale_by_rss import ScaleByRssState, scale_by_rss
from torchopt.transform._scale_by_shampoo import ScaleByShampooState, scale_by_shampoo
from torchopt.transform._scale_by_sign import ScaleBySignumState, scale_by_sign, scale_by_signum
from torchopt.transform._scale_by_sm3 import ScaleBySM3State, scale_by_sm3
from torchopt.transform._scale_by_soap import ScaleBySOAPState, scale_by_soap
from torchopt.transform._scale_by_sophia import (
    ScaleBySophiaState,
    gauss_newton_bartlett,
    hutchinson,
    scale_by_sophia,
)
from torchopt.transform._scale_by_trust_ratio import scale_by_trust_ratio
from torchopt.transform._scale_by_yogi import ScaleByYogiState, scale_by_yogi
from torchopt.transform._schedule_free import (
    ScheduleFreeState,
    schedule_free,
    schedule_free_eval_params,
)
from torchopt.transform._trace import TraceState, trace
from torchopt.transform.advancing import advance
from torchopt.transform.beyond_elements import leafwise, reduced
from torchopt.transform.chaining import chain, elementwise
from torchopt.transform.chaining_leaves import chain_flat as _chain_flat
from torchopt.transform.hooks import register_hook
from torchopt.transform.options import with_forms as _with_forms

__all__ = [
    "AddNoiseState",
    "ApplyIfFiniteState",
    "ConditionallyMaskState",
    "ConditionallyTransformState",
    "DifferentiallyPrivateAggregateState",
    "EmaState",
    "Flat",
    "InjectHyperparamsState",
    "LearnedState",
    "LookaheadState",
    "MaskedState",
    "MechanicState",
    "MonitorState",
    "MultiSteps",
    "MultiStepsState",
    "ParameterFeatures",
    "PartitionState",
    "PolyakAverageState",
    "ReduceLROnPlateauState",
    "ResetState",
    "SAMState",
    "ScaleByAdadeltaState",
    "ScaleByAdafactorState",
    "ScaleByAdamState",
    "ScaleByAdamaxState",
    "ScaleByAdanState",
    "ScaleByAdemamixState",
    "ScaleByAdoptState",
    "ScaleByAmsgradState",
    "ScaleByAsgdState",
    "ScaleByBacktrackingLinesearchState",
    "ScaleByBeliefState",
    "ScaleByCocobState",
    "ScaleByCorrectedRmsState",
    "ScaleByDAdaptAdamState",
    "ScaleByDecayState",
    "ScaleByDogState",
    "ScaleByGaloreState",
    "ScaleByKronState",
    "ScaleByLBFGSState",
    "ScaleByLionState",
    "ScaleByMadgradState",
    "ScaleByMomoState",
    "ScaleByMuonState",
    "ScaleByNAdamState",
    "ScaleByNovogradState",
    "ScaleByOptimisticGradientState",
    "ScaleByProdigyState",
    "ScaleByRAdamState",
    "ScaleByRStdDevState",
    "ScaleByRmsState",
    "ScaleByRpropState",
    "ScaleByRssState",
    "ScaleBySM3State",
    "ScaleBySOAPState",
    "ScaleByScheduleState",
    "ScaleByShampooState",
    "ScaleBySignumState",
    "ScaleBySophiaState",
    "ScaleByYogiState",
    "ScaleByZoomLinesearchState",
    "ScaleState",
    "ScheduleFreeState",
    "SnapshotState",
    "TraceState",
    "adaptive_grad_clip",
    "add_decayed_weights",
    "add_noise",
    "advance",
    "apply_if_finite",
    "asam",
    "centralize",
    "chain",
    "clip",
    "clip_by_block_rms",
    "clip_grad_norm",
    "conditionally_mask",
    "conditionally_transform",
    "differentially_private_aggregate",
    "elementwise",
    "ema",
    "freeze",
    "gauss_newton_bartlett",
    "hutchinson",
    "inject_hyperparams",
    "leafwise",
    "learned",
    "lookahead",
    "masked",
    "measure_with_ema",
    "mechanize",
    "monitor",
    "named_chain",
    "nan_to_num",
    "normalize_by_update_norm",
    "partition",
    "per_example_global_norm_clip",
    "per_example_layer_norm_clip",
    "polyak_average",
    "project",
    "reduce_on_plateau",
    "reduced",
    "register_hook",
    "running_mean",
    "safe_sqrt",
    "sam",
    "scale",
    "scale_by_accelerated_adam",
    "scale_by_adadelta",
    "scale_by_adafactor",
    "scale_by_adam",
    "scale_by_adamax",
    "scale_by_adan",
    "scale_by_ademamix",
    "scale_by_adopt",
    "scale_by_amsgrad",
    "scale_by_asgd",
    "scale_by_backtracking_linesearch",
    "scale_by_belief",
    "scale_by_cocob",
    "scale_by_dadapt_adam",
    "scale_by_dog",
    "scale_by_galore",
    "scale_by_kron",
    "scale_by_lbfgs",
    "scale_by_learning_rate",
    "scale_by_lion",
    "scale_by_madgrad",
    "scale_by_momo",
    "scale_by_muon",
    "scale_by_nadam",
    "scale_by_novograd",
    "scale_by_optimistic_gradient",
    "scale_by_polyak",
    "scale_by_prodigy",
    "scale_by_radam",
    "scale_by_rms",
    "scale_by_rprop",
    "scale_by_rss",
    "scale_by_schedule",
    "scale_by_shampoo",
    "scale_by_sign",
    "scale_by_signum",
    "scale_by_sm3",
    "scale_by_soap",
    "scale_by_sophia",
    "scale_by_stddev",
    "scale_by_trust_ratio",
    "scale_by_yogi",
    "scale_by_zoom_linesearch",
    "schedule_free",
    "schedule_free_eval_params",
    "selective_transform",
    "set_to_zero",
    "skip_large_updates",
    "skip_not_finite",
    "snapshot",
    "trace",
]

for _function in map(globals().get, __all__):
    if getattr(_function, "__annotations__", {}).get("return") == "GradientTransformation":
        _with_forms(_function)
chain.flat = _chain_flat  # type: ignore[attr-defined]

_publish(__name__)
