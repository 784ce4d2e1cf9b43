"""Functional optimizers: a chain of transformations each, one file each."""

from torchopt.alias._adabelief import adabelief
from torchopt.alias._adadelta import adadelta
from torchopt.alias._adagrad import adagrad
from torchopt.alias._adam import adam
from torchopt.alias._adamax import adamax
from torchopt.alias._adamaxw import adamaxw
from torchopt.alias._adamw import adamw
from torchopt.alias._adan import adan
from torchopt.alias._asgd import asgd
from torchopt.alias._lion import lion
from torchopt.alias._nadam import nadam
from torchopt.alias._nadamw import nadamw
from torchopt.alias._radam import radam
from torchopt.alias._rmsprop import rmsprop
from torchopt.alias._rprop import rprop
from torchopt.alias._sgd import sgd
from torchopt.alias._yogi import yogi
from torchopt.io.names import publish as _publish

__all__ = [
    "adabelief",
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamaxw",
    "adamw",
    "adan",
    "asgd",
    "lion",
    "nadam",
    "nadamw",
    "radam",
    "rmsprop",
    "rprop",
    "sgd",
    "yogi",
]

_publish(__name__)
