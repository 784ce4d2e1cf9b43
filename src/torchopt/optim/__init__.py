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
    "SGD",
    "SM3",
    "SOAP",
    "AdaDelta",
    "AdaGrad",
    "AdaMax",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "FuncOptimizer",
    "GaLore",
    "MetaAdaDelta",
    "MetaAdaGrad",
    "MetaAdaMax",
    "MetaAdadelta",
    "MetaAdafactor",
    "MetaAdagrad",
    "MetaAdam",
    "MetaAdamW",
    "MetaAdamax",
    "MetaGaLore",
    "MetaMuon",
    "MetaOptimizer",
    "MetaRAdam",
    "MetaRMSProp",
    "MetaRMSprop",
    "MetaSGD",
    "MetaSM3",
    "MetaSOAP",
    "MetaShampoo",
    "Muon",
    "Optimizer",
    "RAdam",
    "RMSProp",
    "RMSprop",
    "Shampoo",
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


class Adafactor(Optimizer):
    @constructor(params_and(alias.adafactor))
    def __init__(self) -> None: ...


class MetaAdafactor(MetaOptimizer):
    @constructor(module_and(alias.adafactor))
    def __init__(self) -> None: ...


class GaLore(Optimizer):
    @constructor(params_and(alias.galore))
    def __init__(self) -> None: ...


class MetaGaLore(MetaOptimizer):
    @constructor(module_and(alias.galore))
    def __init__(self) -> None: ...


class Muon(Optimizer):
    @constructor(params_and(alias.muon))
    def __init__(self) -> None: ...


class MetaMuon(MetaOptimizer):
    @constructor(module_and(alias.muon))
    def __init__(self) -> None: ...


class Shampoo(Optimizer):
    @constructor(params_and(alias.shampoo))
    def __init__(self) -> None: ...


class MetaShampoo(MetaOptimizer):
    @constructor(module_and(alias.shampoo))
    def __init__(self) -> None: ...


class SM3(Optimizer):
    @constructor(params_and(alias.sm3))
    def __init__(self) -> None: ...


class MetaSM3(MetaOptimizer):
    @constructor(module_and(alias.sm3))
    def __init__(self) -> None: ...


class SOAP(Optimizer):
    @constructor(params_and(alias.soap))
    def __init__(self) -> None: ...


class MetaSOAP(MetaOptimizer):
    @constructor(module_and(alias.soap))
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
