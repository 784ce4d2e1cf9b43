"""Functional optimizers: a chain of transformations each, one file each."""

from torchopt.alias._adadelta import adadelta
from torchopt.alias._adagrad import adagrad
from torchopt.alias._adam import adam
from torchopt.alias._adamax import adamax
from torchopt.alias._adamw import adamw
from torchopt.alias._dadapt_adamw import dadapt_adamw
from torchopt.alias._dog import dog
from torchopt.alias._fromage import fromage
from torchopt.alias._lamb import lamb
from torchopt.alias._lars import lars
from torchopt.alias._novograd import novograd
from torchopt.alias._prodigy import prodigy
from torchopt.alias._radam import radam
from torchopt.alias._rmsprop import rmsprop
from torchopt.alias._sgd import sgd
from torchopt.io.names import publish as _publish

__all__ = [
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "dadapt_adamw",
    "dog",
    "fromage",
    "lamb",
    "lars",
    "novograd",
    "prodigy",
    "radam",
    "rmsprop",
    "sgd",
]

_publish(__name__)
