"""The second spellings of classes in TorchOpt 0.7.3."""

from torchopt.optim import Adadelta as AdaDelta
from torchopt.optim import Adagrad as AdaGrad
from torchopt.optim import Adamax as AdaMax
from torchopt.optim import MetaAdadelta as MetaAdaDelta
from torchopt.optim import MetaAdagrad as MetaAdaGrad
from torchopt.optim import MetaAdamax as MetaAdaMax
from torchopt.optim import MetaRMSprop as MetaRMSProp
from torchopt.optim import RMSprop as RMSProp

__all__ = [
    "AdaDelta",
    "AdaGrad",
    "AdaMax",
    "MetaAdaDelta",
    "MetaAdaGrad",
    "MetaAdaMax",
    "MetaRMSProp",
    "RMSProp",
]
