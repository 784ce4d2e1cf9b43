"""Gradient transformations, and ways to combine them."""

from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.transform._adaptive_grad_clip import adaptive_grad_clip as adaptive_grad_clip
from torchopt.transform._add_noise import AddNoiseState as AddNoiseState
from torchopt.transform._add_noise import add_noise as add_noise
from torchopt.transform._apply_if_finite import ApplyIfFiniteState as ApplyIfFiniteState
from torchopt.transform._apply_if_finite import apply_if_finite as apply_if_finite
from torchopt.transform._centralize import centralize as centralize
from torchopt.transform._clip import clip as clip
from torchopt.transform._clip_by_block_rms import clip_by_block_rms as clip_by_block_rms
from torchopt.transform._clip_grad_norm import clip_grad_norm as clip_grad_norm
from torchopt.transform._conditionally import ConditionallyMaskState as ConditionallyMaskState
from torchopt.transform._conditionally import (
    ConditionallyTransformState as ConditionallyTransformState,
)
from torchopt.transform._conditionally import conditionally_mask as conditionally_mask
from torchopt.transform._conditionally import conditionally_transform as conditionally_transform
from torchopt.transform._differentially_private_aggregate import (
    DifferentiallyPrivateAggregateState as DifferentiallyPrivateAggregateState,
)
from torchopt.transform._differentially_private_aggregate import (
    differentially_private_aggregate as differentially_private_aggregate,
)
from torchopt.transform._ema import EmaState as EmaState
from torchopt.transform._ema import ema as ema
from torchopt.transform._freeze import freeze as freeze
from torchopt.transform._freeze import selective_transform as selective_transform
from torchopt.transform._freeze import set_to_zero as set_to_zero
from torchopt.transform._inject_hyperparams import InjectHyperparamsState as InjectHyperparamsState
from torchopt.transform._inject_hyperparams import inject_hyperparams as inject_hyperparams
from torchopt.transform._learned import LearnedState as LearnedState
from torchopt.transform._learned import ParameterFeatures as ParameterFeatures
from torchopt.transform._learned import learned as learned
from torchopt.transform._linesearch import (
    ScaleByBacktrackingLinesearchState as ScaleByBacktrackingLinesearchState,
)
from torchopt.transform._linesearch import ScaleByZoomLinesearchState as ScaleByZoomLinesearchState
from torchopt.transform._linesearch import (
    scale_by_backtracking_linesearch as scale_by_backtracking_linesearch,
)
from torchopt.transform._linesearch import scale_by_zoom_linesearch as scale_by_zoom_linesearch
from torchopt.transform._lookahead import LookaheadState as LookaheadState
from torchopt.transform._lookahead import ResetState as ResetState
from torchopt.transform._lookahead import lookahead as lookahead
from torchopt.transform._masked import MaskedState as MaskedState
from torchopt.transform._masked import masked as masked
from torchopt.transform._mechanize import MechanicState as MechanicState
from torchopt.transform._mechanize import mechanize as mechanize
from torchopt.transform._monitoring import MonitorState as MonitorState
from torchopt.transform._monitoring import SnapshotState as SnapshotState
from torchopt.transform._monitoring import measure_with_ema as measure_with_ema
from torchopt.transform._monitoring import monitor as monitor
from torchopt.transform._monitoring import snapshot as snapshot
from torchopt.transform._multi_steps import MultiSteps as MultiSteps
from torchopt.transform._multi_steps import MultiStepsState as MultiStepsState
from torchopt.transform._multi_steps import skip_large_updates as skip_large_updates
from torchopt.transform._multi_steps import skip_not_finite as skip_not_finite
from torchopt.transform._named_chain import named_chain as named_chain
from torchopt.transform._nan_to_num import nan_to_num as nan_to_num
from torchopt.transform._normalize_by_update_norm import (
    normalize_by_update_norm as normalize_by_update_norm,
)
from torchopt.transform._partition import PartitionState as PartitionState
from torchopt.transform._partition import partition as partition
from torchopt.transform._per_example_clip import (
    per_example_global_norm_clip as per_example_global_norm_clip,
)
from torchopt.transform._per_example_clip import (
    per_example_layer_norm_clip as per_example_layer_norm_clip,
)
from torchopt.transform._polyak_average import PolyakAverageState as PolyakAverageState
from torchopt.transform._polyak_average import polyak_average as polyak_average
from torchopt.transform._project import project as project
from torchopt.transform._reduce_on_plateau import ReduceLROnPlateauState as ReduceLROnPlateauState
from torchopt.transform._reduce_on_plateau import reduce_on_plateau as reduce_on_plateau
from torchopt.transform._sam import SAMState as SAMState
from torchopt.transform._sam import asam as asam
from torchopt.transform._sam import sam as sam
from torchopt.transform._scale import ScaleByDecayState as ScaleByDecayState
from torchopt.transform._scale import ScaleByScheduleState as ScaleByScheduleState
from torchopt.transform._scale import add_decayed_weights as add_decayed_weights
from torchopt.transform._scale import scale as scale
from torchopt.transform._scale import scale_by_learning_rate as scale_by_learning_rate
from torchopt.transform._scale import scale_by_schedule as scale_by_schedule
from torchopt.transform._scale_by_adadelta import ScaleByAdadeltaState as ScaleByAdadeltaState
from torchopt.transform._scale_by_adadelta import scale_by_adadelta as scale_by_adadelta
from torchopt.transform._scale_by_adafactor import ScaleByAdafactorState as ScaleByAdafactorState
from torchopt.transform._scale_by_adafactor import scale_by_adafactor as scale_by_adafactor
from torchopt.transform._scale_by_adam import ScaleByAdamState as ScaleByAdamState
from torchopt.transform._scale_by_adam import ScaleByAmsgradState as ScaleByAmsgradState
from torchopt.transform._scale_by_adam import scale_by_adam as scale_by_adam
from torchopt.transform._scale_by_adamax import ScaleByAdamaxState as ScaleByAdamaxState
from torchopt.transform._scale_by_adamax import scale_by_adamax as scale_by_adamax
from torchopt.transform._scale_by_adan import ScaleByAdanState as ScaleByAdanState
from torchopt.transform._scale_by_adan import scale_by_adan as scale_by_adan
from torchopt.transform._scale_by_ademamix import ScaleByAdemamixState as ScaleByAdemamixState
from torchopt.transform._scale_by_ademamix import scale_by_ademamix as scale_by_ademamix
from torchopt.transform._scale_by_adopt import ScaleByAdoptState as ScaleByAdoptState
from torchopt.transform._scale_by_adopt import scale_by_adopt as scale_by_adopt
from torchopt.transform._scale_by_amsgrad import scale_by_amsgrad as scale_by_amsgrad
from torchopt.transform._scale_by_asgd import ScaleByAsgdState as ScaleByAsgdState
from torchopt.transform._scale_by_asgd import scale_by_asgd as scale_by_asgd
from torchopt.transform._scale_by_belief import ScaleByBeliefState as ScaleByBeliefState
from torchopt.transform._scale_by_belief import scale_by_belief as scale_by_belief
from torchopt.transform._scale_by_cocob import ScaleByCocobState as ScaleByCocobState
from torchopt.transform._scale_by_cocob import scale_by_cocob as scale_by_cocob
from torchopt.transform._scale_by_dadapt_adam import (
    ScaleByDAdaptAdamState as ScaleByDAdaptAdamState,
)
from torchopt.transform._scale_by_dadapt_adam import scale_by_dadapt_adam as scale_by_dadapt_adam
from torchopt.transform._scale_by_dog import ScaleByDogState as ScaleByDogState
from torchopt.transform._scale_by_dog import scale_by_dog as scale_by_dog
from torchopt.transform._scale_by_galore import ScaleByGaloreState as ScaleByGaloreState
from torchopt.transform._scale_by_galore import scale_by_galore as scale_by_galore
from torchopt.transform._scale_by_kron import ScaleByKronState as ScaleByKronState
from torchopt.transform._scale_by_kron import scale_by_kron as scale_by_kron
from torchopt.transform._scale_by_lbfgs import ScaleByLBFGSState as ScaleByLBFGSState
from torchopt.transform._scale_by_lbfgs import scale_by_lbfgs as scale_by_lbfgs
from torchopt.transform._scale_by_lion import ScaleByLionState as ScaleByLionState
from torchopt.transform._scale_by_lion import scale_by_lion as scale_by_lion
from torchopt.transform._scale_by_madgrad import ScaleByMadgradState as ScaleByMadgradState
from torchopt.transform._scale_by_madgrad import scale_by_madgrad as scale_by_madgrad
from torchopt.transform._scale_by_momo import ScaleByMomoState as ScaleByMomoState
from torchopt.transform._scale_by_momo import scale_by_momo as scale_by_momo
from torchopt.transform._scale_by_muon import ScaleByMuonState as ScaleByMuonState
from torchopt.transform._scale_by_muon import scale_by_muon as scale_by_muon
from torchopt.transform._scale_by_nadam import ScaleByNAdamState as ScaleByNAdamState
from torchopt.transform._scale_by_nadam import scale_by_nadam as scale_by_nadam
from torchopt.transform._scale_by_novograd import ScaleByNovogradState as ScaleByNovogradState
from torchopt.transform._scale_by_novograd import scale_by_novograd as scale_by_novograd
from torchopt.transform._scale_by_optimistic_gradient import (
    ScaleByOptimisticGradientState as ScaleByOptimisticGradientState,
)
from torchopt.transform._scale_by_optimistic_gradient import (
    scale_by_optimistic_gradient as scale_by_optimistic_gradient,
)
from torchopt.transform._scale_by_polyak import scale_by_polyak as scale_by_polyak
from torchopt.transform._scale_by_prodigy import ScaleByProdigyState as ScaleByProdigyState
from torchopt.transform._scale_by_prodigy import scale_by_prodigy as scale_by_prodigy
from torchopt.transform._scale_by_radam import ScaleByRAdamState as ScaleByRAdamState
from torchopt.transform._scale_by_radam import scale_by_radam as scale_by_radam
from torchopt.transform._scale_by_rms import ScaleByCorrectedRmsState as ScaleByCorrectedRmsState
from torchopt.transform._scale_by_rms import ScaleByRmsState as ScaleByRmsState
from torchopt.transform._scale_by_rms import ScaleByRStdDevState as ScaleByRStdDevState
from torchopt.transform._scale_by_rms import scale_by_rms as scale_by_rms
from torchopt.transform._scale_by_rms import scale_by_stddev as scale_by_stddev
from torchopt.transform._scale_by_rprop import ScaleByRpropState as ScaleByRpropState
from torchopt.transform._scale_by_rprop import scale_by_rprop as scale_by_rprop
from torchopt.transform._scale_by_rss import ScaleByRssState as ScaleByRssState
from torchopt.transform._scale_by_rss import scale_by_rss as scale_by_rss
from torchopt.transform._scale_by_shampoo import ScaleByShampooState as ScaleByShampooState
from torchopt.transform._scale_by_shampoo import scale_by_shampoo as scale_by_shampoo
from torchopt.transform._scale_by_sign import ScaleBySignumState as ScaleBySignumState
from torchopt.transform._scale_by_sign import scale_by_sign as scale_by_sign
from torchopt.transform._scale_by_sign import scale_by_signum as scale_by_signum
from torchopt.transform._scale_by_sm3 import ScaleBySM3State as ScaleBySM3State
from torchopt.transform._scale_by_sm3 import scale_by_sm3 as scale_by_sm3
from torchopt.transform._scale_by_soap import ScaleBySOAPState as ScaleBySOAPState
from torchopt.transform._scale_by_soap import scale_by_soap as scale_by_soap
from torchopt.transform._scale_by_sophia import ScaleBySophiaState as ScaleBySophiaState
from torchopt.transform._scale_by_sophia import gauss_newton_bartlett as gauss_newton_bartlett
from torchopt.transform._scale_by_sophia import hutchinson as hutchinson
from torchopt.transform._scale_by_sophia import scale_by_sophia as scale_by_sophia
from torchopt.transform._scale_by_trust_ratio import scale_by_trust_ratio as scale_by_trust_ratio
from torchopt.transform._scale_by_yogi import ScaleByYogiState as ScaleByYogiState
from torchopt.transform._scale_by_yogi import scale_by_yogi as scale_by_yogi
from torchopt.transform._schedule_free import ScheduleFreeState as ScheduleFreeState
from torchopt.transform._schedule_free import schedule_free as schedule_free
from torchopt.transform._schedule_free import schedule_free_eval_params as schedule_free_eval_params
from torchopt.transform._trace import TraceState as TraceState
from torchopt.transform._trace import trace as trace
from torchopt.transform.advancing import advance as advance
from torchopt.transform.applying import apply_updates as apply_updates
from torchopt.transform.beyond_elements import leafwise as leafwise
from torchopt.transform.beyond_elements import reduced as reduced
from torchopt.transform.chaining import (
    ChainedGradientTransformation as ChainedGradientTransformation,
)
from torchopt.transform.chaining import EmptyState as EmptyState
from torchopt.transform.chaining import GradientTransformation as GradientTransformation
from torchopt.transform.chaining import (
    GradientTransformationExtraArgs as GradientTransformationExtraArgs,
)
from torchopt.transform.chaining import UninitializedState as UninitializedState
from torchopt.transform.chaining import chain as chain
from torchopt.transform.chaining import elementwise as elementwise
from torchopt.transform.chaining import identity as identity
from torchopt.transform.chaining_leaves import chain_flat as _chain_flat
from torchopt.transform.hooks import nan_to_num_hook as nan_to_num_hook
from torchopt.transform.hooks import register_hook as register_hook
from torchopt.transform.hooks import zero_nan_hook as zero_nan_hook
from torchopt.transform.options import with_forms as _with_forms

if not TYPE_CHECKING:  # to checkers, all names here are exported
    __all__ = [
        name for name, thing in sorted(globals().items()) if callable(thing) and name[0] != "_"
    ]
    for _function in map(globals().get, __all__):
        if getattr(_function, "__annotations__", {}).get("return") == "GradientTransformation":
            _with_forms(_function)
chain.flat = _chain_flat  # type: ignore[attr-defined]

_publish(__name__)
