"""Functional optimizers: a chain of transformations each, one file each."""

from typing import TYPE_CHECKING

from torchopt.alias._adabelief import adabelief as adabelief
from torchopt.alias._adadelta import adadelta as adadelta
from torchopt.alias._adafactor import adafactor as adafactor
from torchopt.alias._adagrad import adagrad as adagrad
from torchopt.alias._adam import adam as adam
from torchopt.alias._adamax import adamax as adamax
from torchopt.alias._adamaxw import adamaxw as adamaxw
from torchopt.alias._adamw import adamw as adamw
from torchopt.alias._adan import adan as adan
from torchopt.alias._ademamix import ademamix as ademamix
from torchopt.alias._adopt import adopt as adopt
from torchopt.alias._amsgrad import amsgrad as amsgrad
from torchopt.alias._asgd import asgd as asgd
from torchopt.alias._cocob import cocob as cocob
from torchopt.alias._dadapt_adamw import dadapt_adamw as dadapt_adamw
from torchopt.alias._dog import dog as dog
from torchopt.alias._fromage import fromage as fromage
from torchopt.alias._galore import galore as galore
from torchopt.alias._kron import kron as kron
from torchopt.alias._lamb import lamb as lamb
from torchopt.alias._lars import lars as lars
from torchopt.alias._lbfgs import lbfgs as lbfgs
from torchopt.alias._lion import lion as lion
from torchopt.alias._madgrad import madgrad as madgrad
from torchopt.alias._momo import momo as momo
from torchopt.alias._muon import muon as muon
from torchopt.alias._nadam import nadam as nadam
from torchopt.alias._nadamw import nadamw as nadamw
from torchopt.alias._noisy_sgd import noisy_sgd as noisy_sgd
from torchopt.alias._novograd import novograd as novograd
from torchopt.alias._optimistic_adam import optimistic_adam as optimistic_adam
from torchopt.alias._optimistic_gradient_descent import (
    optimistic_gradient_descent as optimistic_gradient_descent,
)
from torchopt.alias._polyak_sgd import polyak_sgd as polyak_sgd
from torchopt.alias._prodigy import prodigy as prodigy
from torchopt.alias._radam import radam as radam
from torchopt.alias._rmsprop import rmsprop as rmsprop
from torchopt.alias._rprop import rprop as rprop
from torchopt.alias._schedule_free_adamw import schedule_free_adamw as schedule_free_adamw
from torchopt.alias._schedule_free_sgd import schedule_free_sgd as schedule_free_sgd
from torchopt.alias._sgd import sgd as sgd
from torchopt.alias._shampoo import shampoo as shampoo
from torchopt.alias._sign_sgd import sign_sgd as sign_sgd
from torchopt.alias._signum import signum as signum
from torchopt.alias._sm3 import sm3 as sm3
from torchopt.alias._soap import soap as soap
from torchopt.alias._sophia import sophia as sophia
from torchopt.alias._yogi import yogi as yogi
from torchopt.io.names import HOMES
from torchopt.io.names import publish as _publish

if not TYPE_CHECKING:  # to checkers, all functions here are exported
    __all__ = [name for name, home in HOMES.items() if home == __name__]

_publish(__name__)
