"""Functional optimizers: a chain of transformations each, one file each."""

from torchopt.alias._adadelta import adadelta
from torchopt.alias._adafactor import adafactor
from torchopt.alias._adagrad import adagrad
from torchopt.alias._adam import adam
from torchopt.alias._adamax import adamax
from torchopt.alias._adamw import adamw
from torchopt.alias._galore import galore
from torchopt.alias._muon import muon
from torchopt.alias._radam import radam
from torchopt.alias._rmsprop import rmsprop
from torchopt.alias._sgd import sgd
from torchopt.alias._shampoo import shampoo
from torchopt.alias._sm3 import sm3
from torchopt.alias._soap import soap
from torchopt.io.names import publish as _publish

__all__ = [
    "adadelta",
    "adafactor",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "galore",
    "muon",
    "radam",
    "rmsprop",
    "sgd",
    "shampoo",
    "sm3",
    "soap",
]

_publish(__name__)
