"""Object-oriented optimizers: in-place ones for training, ``Meta*`` ones to differentiate through."""

from torchopt.optim._adadelta import AdaDelta, Adadelta, MetaAdaDelta, MetaAdadelta
from torchopt.optim._adagrad import AdaGrad, Adagrad, MetaAdaGrad, MetaAdagrad
from torchopt.optim._adam import Adam, MetaAdam
from torchopt.optim._adamax import AdaMax, Adamax, MetaAdaMax, MetaAdamax
from torchopt.optim._adamw import AdamW, MetaAdamW
from torchopt.optim._func import FuncOptimizer
from torchopt.optim._meta import MetaOptimizer
from torchopt.optim._optimizer import Optimizer
from torchopt.optim._radam import MetaRAdam, RAdam
from torchopt.optim._rmsprop import MetaRMSProp, MetaRMSprop, RMSProp, RMSprop
from torchopt.optim._sgd import SGD, MetaSGD

__all__ = [
    "SGD",
    "AdaDelta",
    "AdaGrad",
    "AdaMax",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "FuncOptimizer",
    "MetaAdaDelta",
    "MetaAdaGrad",
    "MetaAdaMax",
    "MetaAdadelta",
    "MetaAdagrad",
    "MetaAdam",
    "MetaAdamW",
    "MetaAdamax",
    "MetaOptimizer",
    "MetaRAdam",
    "MetaRMSProp",
    "MetaRMSprop",
    "MetaSGD",
    "Optimizer",
    "RAdam",
    "RMSProp",
    "RMSprop",
]
