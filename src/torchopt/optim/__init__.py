"""Object-oriented optimizers: in-place ones for training, ``Meta*`` ones to differentiate through.

Each is a function of :mod:`torchopt.alias` with a class statement; other defaults are named.
"""

from torchopt import alias
from torchopt.io.names import publish as _publish
from torchopt.optim._constructor import constructor, module_and, params_and
from torchopt.optim._exchange import from_torch, to_torch
from torchopt.optim._func import FuncOptimizer
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._meta import optimizers_of as optimizers_of
from torchopt.optim._optimizer import Optimizer
from torchopt.optim._sgd import meta_sgd, sgd

__all__ = [
    "LAMB",
    "LARS",
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "DAdaptAdamW",
    "DoG",
    "Fromage",
    "FuncOptimizer",
    "MetaAdaDelta",
    "MetaAdaGrad",
    "MetaAdaMax",
    "MetaAdadelta",
    "MetaAdagrad",
    "MetaAdam",
    "MetaAdamW",
    "MetaAdamax",
    "MetaDAdaptAdamW",
    "MetaDoG",
    "MetaFromage",
    "MetaLAMB",
    "MetaLARS",
    "MetaNovoGrad",
    "MetaOptimizer",
    "MetaProdigy",
    "MetaRAdam",
    "MetaRMSProp",
    "MetaRMSprop",
    "MetaSGD",
    "NovoGrad",
    "Optimizer",
    "Prodigy",
    "RAdam",
    "RMSProp",
    "RMSprop",
    "from_torch",
    "to_torch",
]


class SGD(Optimizer):
    """The order of positional arguments is not that of :func:`torchopt.sgd`."""

    @constructor(params_and(sgd, lr=1e-3))
    def __init__(self) -> None: ...


class MetaSGD(MetaOptimizer):
    """The order of positional arguments is not that of :func:`torchopt.sgd`."""

    @constructor(module_and(meta_sgd))
    def __init__(self) -> None: ...


class Adam(Optimizer):
    _decoupled = False

    @constructor(params_and(alias.adam))
    def __init__(self) -> None: ...


class MetaAdam(MetaOptimizer):
    @constructor(module_and(alias.adam, moment_requires_grad=True))
    def __init__(self) -> None: ...


class AdamW(Optimizer):
    _decoupled = True

    @constructor(params_and(alias.adamw))
    def __init__(self) -> None: ...


class MetaAdamW(MetaOptimizer):
    @constructor(module_and(alias.adamw))
    def __init__(self) -> None: ...


class RMSprop(Optimizer):
    @constructor(params_and(alias.rmsprop))
    def __init__(self) -> None: ...


class MetaRMSprop(MetaOptimizer):
    @constructor(module_and(alias.rmsprop))
    def __init__(self) -> None: ...


class Adagrad(Optimizer):
    @constructor(params_and(alias.adagrad))
    def __init__(self) -> None: ...


class MetaAdagrad(MetaOptimizer):
    @constructor(module_and(alias.adagrad))
    def __init__(self) -> None: ...


class Adadelta(Optimizer):
    @constructor(params_and(alias.adadelta, lr=1.0))
    def __init__(self) -> None: ...


class MetaAdadelta(MetaOptimizer):
    @constructor(module_and(alias.adadelta, lr=1.0, moment_requires_grad=True))
    def __init__(self) -> None: ...


class Adamax(Optimizer):
    @constructor(params_and(alias.adamax, lr=2e-3, eps=1e-8))
    def __init__(self) -> None: ...


class MetaAdamax(MetaOptimizer):
    @constructor(module_and(alias.adamax, lr=2e-3, eps=1e-8, moment_requires_grad=True))
    def __init__(self) -> None: ...


class RAdam(Optimizer):
    _decoupled = False

    @constructor(params_and(alias.radam, eps=1e-8))
    def __init__(self) -> None: ...


class MetaRAdam(MetaOptimizer):
    @constructor(module_and(alias.radam, eps=1e-8, moment_requires_grad=True))
    def __init__(self) -> None: ...


class LAMB(Optimizer):
    @constructor(params_and(alias.lamb))
    def __init__(self) -> None: ...


class MetaLAMB(MetaOptimizer):
    @constructor(module_and(alias.lamb, moment_requires_grad=True))
    def __init__(self) -> None: ...


class LARS(Optimizer):
    @constructor(params_and(alias.lars))
    def __init__(self) -> None: ...


class MetaLARS(MetaOptimizer):
    @constructor(module_and(alias.lars, moment_requires_grad=True))
    def __init__(self) -> None: ...


class Fromage(Optimizer):
    @constructor(params_and(alias.fromage))
    def __init__(self) -> None: ...


class MetaFromage(MetaOptimizer):
    @constructor(module_and(alias.fromage))
    def __init__(self) -> None: ...


class NovoGrad(Optimizer):
    @constructor(params_and(alias.novograd))
    def __init__(self) -> None: ...


class MetaNovoGrad(MetaOptimizer):
    @constructor(module_and(alias.novograd, moment_requires_grad=True))
    def __init__(self) -> None: ...


class Prodigy(Optimizer):
    @constructor(params_and(alias.prodigy))
    def __init__(self) -> None: ...


class MetaProdigy(MetaOptimizer):
    @constructor(module_and(alias.prodigy))
    def __init__(self) -> None: ...


class DAdaptAdamW(Optimizer):
    @constructor(params_and(alias.dadapt_adamw))
    def __init__(self) -> None: ...


class MetaDAdaptAdamW(MetaOptimizer):
    @constructor(module_and(alias.dadapt_adamw))
    def __init__(self) -> None: ...


class DoG(Optimizer):
    @constructor(params_and(alias.dog))
    def __init__(self) -> None: ...


class MetaDoG(MetaOptimizer):
    @constructor(module_and(alias.dog))
    def __init__(self) -> None: ...


# The published package has two spellings.
AdaDelta = Adadelta
MetaAdaDelta = MetaAdadelta
AdaGrad = Adagrad
MetaAdaGrad = MetaAdagrad
AdaMax = Adamax
MetaAdaMax = MetaAdamax
RMSProp = RMSprop
MetaRMSProp = MetaRMSprop

_publish(__name__)
