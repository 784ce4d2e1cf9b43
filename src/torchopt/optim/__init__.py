"""Object-oriented optimizers: in-place ones for training, ``Meta*`` ones to differentiate through.

Each is a function of :mod:`torchopt.optimizers` with a class statement; other defaults are named.
"""

from typing import TYPE_CHECKING

from torchopt import optimizers
from torchopt.io.names import publish as _publish
from torchopt.optim._constructor import constructor, module_and, params_and
from torchopt.optim._exchange import from_torch as from_torch
from torchopt.optim._exchange import to_torch as to_torch
from torchopt.optim._meta import MetaOptimizer as MetaOptimizer
from torchopt.optim._meta import optimizers_of as optimizers_of
from torchopt.optim._optimizer import Optimizer as Optimizer
from torchopt.optim._sgd import sgd
from torchopt.optim.states import ModuleState as ModuleState

if TYPE_CHECKING:  # as 0.7.3 names it
    from torchopt.compat import FuncOptimizer as FuncOptimizer


class SGD(Optimizer):
    """Options after ``momentum`` are keyword-only: 0.7.3 and ``torch.optim`` order them differently."""

    @constructor(params_and(sgd))
    def __init__(self) -> None: ...


class MetaSGD(MetaOptimizer):
    """Options after ``momentum`` are keyword-only: 0.7.3 and ``torch.optim`` order them differently."""

    @constructor(module_and(sgd, moment_requires_grad=True))
    def __init__(self) -> None: ...


class Adam(Optimizer):
    _decoupled = False

    @constructor(params_and(optimizers.adam))
    def __init__(self) -> None: ...


class MetaAdam(MetaOptimizer):
    @constructor(module_and(optimizers.adam, moment_requires_grad=True))
    def __init__(self) -> None: ...


class AdamW(Optimizer):
    _decoupled = True

    @constructor(params_and(optimizers.adamw))
    def __init__(self) -> None: ...


class MetaAdamW(MetaOptimizer):
    @constructor(module_and(optimizers.adamw))
    def __init__(self) -> None: ...


class RMSprop(Optimizer):
    @constructor(params_and(optimizers.rmsprop))
    def __init__(self) -> None: ...


class MetaRMSprop(MetaOptimizer):
    @constructor(module_and(optimizers.rmsprop))
    def __init__(self) -> None: ...


class Adagrad(Optimizer):
    @constructor(params_and(optimizers.adagrad))
    def __init__(self) -> None: ...


class MetaAdagrad(MetaOptimizer):
    @constructor(module_and(optimizers.adagrad))
    def __init__(self) -> None: ...


class Adadelta(Optimizer):
    @constructor(params_and(optimizers.adadelta, lr=1.0))
    def __init__(self) -> None: ...


class MetaAdadelta(MetaOptimizer):
    @constructor(module_and(optimizers.adadelta, lr=1.0, moment_requires_grad=True))
    def __init__(self) -> None: ...


class Adamax(Optimizer):
    @constructor(params_and(optimizers.adamax, lr=2e-3, eps=1e-8))
    def __init__(self) -> None: ...


class MetaAdamax(MetaOptimizer):
    @constructor(module_and(optimizers.adamax, lr=2e-3, eps=1e-8, moment_requires_grad=True))
    def __init__(self) -> None: ...


class RAdam(Optimizer):
    _decoupled = False

    @constructor(params_and(optimizers.radam, eps=1e-8))
    def __init__(self) -> None: ...


class MetaRAdam(MetaOptimizer):
    @constructor(module_and(optimizers.radam, eps=1e-8, moment_requires_grad=True))
    def __init__(self) -> None: ...


class Adafactor(Optimizer):
    @constructor(params_and(optimizers.adafactor))
    def __init__(self) -> None: ...


class Kron(Optimizer):
    @constructor(params_and(optimizers.kron))
    def __init__(self) -> None: ...


class GaLore(Optimizer):
    @constructor(params_and(optimizers.galore))
    def __init__(self) -> None: ...


class Muon(Optimizer):
    @constructor(params_and(optimizers.muon))
    def __init__(self) -> None: ...


class Shampoo(Optimizer):
    @constructor(params_and(optimizers.shampoo))
    def __init__(self) -> None: ...


class SM3(Optimizer):
    @constructor(params_and(optimizers.sm3))
    def __init__(self) -> None: ...


class SOAP(Optimizer):
    @constructor(params_and(optimizers.soap))
    def __init__(self) -> None: ...


class NAdam(Optimizer):
    @constructor(params_and(optimizers.nadam))
    def __init__(self) -> None: ...


class NAdamW(Optimizer):
    _decoupled = True

    @constructor(params_and(optimizers.nadamw))
    def __init__(self) -> None: ...


class ASGD(Optimizer):
    @constructor(params_and(optimizers.asgd))
    def __init__(self) -> None: ...


class Rprop(Optimizer):
    @constructor(params_and(optimizers.rprop))
    def __init__(self) -> None: ...


class Lion(Optimizer):
    @constructor(params_and(optimizers.lion))
    def __init__(self) -> None: ...


class AdaBelief(Optimizer):
    @constructor(params_and(optimizers.adabelief))
    def __init__(self) -> None: ...


class Yogi(Optimizer):
    @constructor(params_and(optimizers.yogi))
    def __init__(self) -> None: ...


class Adan(Optimizer):
    @constructor(params_and(optimizers.adan))
    def __init__(self) -> None: ...


class AdamaxW(Optimizer):
    @constructor(params_and(optimizers.adamaxw))
    def __init__(self) -> None: ...


class AdEMAMix(Optimizer):
    @constructor(params_and(optimizers.ademamix))
    def __init__(self) -> None: ...


class ADOPT(Optimizer):
    @constructor(params_and(optimizers.adopt))
    def __init__(self) -> None: ...


class AMSGrad(Optimizer):
    @constructor(params_and(optimizers.amsgrad))
    def __init__(self) -> None: ...


class COCOB(Optimizer):
    @constructor(params_and(optimizers.cocob))
    def __init__(self) -> None: ...


class MADGRAD(Optimizer):
    @constructor(params_and(optimizers.madgrad))
    def __init__(self) -> None: ...


class NoisySGD(Optimizer):
    @constructor(params_and(optimizers.noisy_sgd))
    def __init__(self) -> None: ...


class OptimisticAdam(Optimizer):
    @constructor(params_and(optimizers.optimistic_adam))
    def __init__(self) -> None: ...


class OptimisticGradientDescent(Optimizer):
    @constructor(params_and(optimizers.optimistic_gradient_descent))
    def __init__(self) -> None: ...


class SignSGD(Optimizer):
    @constructor(params_and(optimizers.sign_sgd))
    def __init__(self) -> None: ...


class Signum(Optimizer):
    @constructor(params_and(optimizers.signum))
    def __init__(self) -> None: ...


class LAMB(Optimizer):
    @constructor(params_and(optimizers.lamb))
    def __init__(self) -> None: ...


class LARS(Optimizer):
    @constructor(params_and(optimizers.lars))
    def __init__(self) -> None: ...


class Fromage(Optimizer):
    @constructor(params_and(optimizers.fromage))
    def __init__(self) -> None: ...


class NovoGrad(Optimizer):
    @constructor(params_and(optimizers.novograd))
    def __init__(self) -> None: ...


class Prodigy(Optimizer):
    @constructor(params_and(optimizers.prodigy))
    def __init__(self) -> None: ...


class DAdaptAdamW(Optimizer):
    @constructor(params_and(optimizers.dadapt_adamw))
    def __init__(self) -> None: ...


class DoG(Optimizer):
    @constructor(params_and(optimizers.dog))
    def __init__(self) -> None: ...


class ScheduleFreeAdamW(Optimizer):
    @constructor(params_and(optimizers.schedule_free_adamw))
    def __init__(self) -> None: ...


class ScheduleFreeSGD(Optimizer):
    @constructor(params_and(optimizers.schedule_free_sgd))
    def __init__(self) -> None: ...


class LBFGS(Optimizer):
    """With a line search, ``step`` takes a closure. A step is one iteration."""

    @constructor(params_and(optimizers.lbfgs))
    def __init__(self) -> None: ...


class MoMo(Optimizer):
    """``step`` takes a closure, which returns the loss."""

    @constructor(params_and(optimizers.momo))
    def __init__(self) -> None: ...


class PolyakSGD(Optimizer):
    """``step`` takes a closure, which returns the loss."""

    @constructor(params_and(optimizers.polyak_sgd))
    def __init__(self) -> None: ...


if not TYPE_CHECKING:  # to checkers, all classes here are exported
    __all__ = [name for name, thing in sorted(globals().items()) if isinstance(thing, type)]
    __all__ += ["from_torch", "to_torch"]

_publish(__name__)
