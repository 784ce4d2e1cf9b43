"""Functional optimizers, each a chain of transformations."""

from inspect import isfunction as _isfunction
from typing import TYPE_CHECKING

from torchopt.io.names import publish as _publish
from torchopt.optimizers._adabelief import adabelief as adabelief
from torchopt.optimizers._adadelta import adadelta as adadelta
from torchopt.optimizers._adafactor import adafactor as adafactor
from torchopt.optimizers._adagrad import adagrad as adagrad
from torchopt.optimizers._adam import adam as adam
from torchopt.optimizers._adamax import adamax as adamax
from torchopt.optimizers._adamaxw import adamaxw as adamaxw
from torchopt.optimizers._adamw import adamw as adamw
from torchopt.optimizers._adan import adan as adan
from torchopt.optimizers._ademamix import ademamix as ademamix
from torchopt.optimizers._adopt import adopt as adopt
from torchopt.optimizers._amsgrad import amsgrad as amsgrad
from torchopt.optimizers._asgd import asgd as asgd
from torchopt.optimizers._cocob import cocob as cocob
from torchopt.optimizers._dadapt_adamw import dadapt_adamw as dadapt_adamw
from torchopt.optimizers._dog import dog as dog
from torchopt.optimizers._fromage import fromage as fromage
from torchopt.optimizers._galore import galore as galore
from torchopt.optimizers._kron import kron as kron
from torchopt.optimizers._lamb import lamb as lamb
from torchopt.optimizers._lars import lars as lars
from torchopt.optimizers._lbfgs import lbfgs as lbfgs
from torchopt.optimizers._lion import lion as lion
from torchopt.optimizers._madgrad import madgrad as madgrad
from torchopt.optimizers._momo import momo as momo
from torchopt.optimizers._muon import muon as muon
from torchopt.optimizers._nadam import nadam as nadam
from torchopt.optimizers._nadamw import nadamw as nadamw
from torchopt.optimizers._noisy_sgd import noisy_sgd as noisy_sgd
from torchopt.optimizers._novograd import novograd as novograd
from torchopt.optimizers._optimistic_adam import optimistic_adam as optimistic_adam
from torchopt.optimizers._optimistic_gradient_descent import (
    optimistic_gradient_descent as optimistic_gradient_descent,
)
from torchopt.optimizers._polyak_sgd import polyak_sgd as polyak_sgd
from torchopt.optimizers._prodigy import prodigy as prodigy
from torchopt.optimizers._radam import radam as radam
from torchopt.optimizers._rmsprop import rmsprop as rmsprop
from torchopt.optimizers._rprop import rprop as rprop
from torchopt.optimizers._schedule_free_adamw import schedule_free_adamw as schedule_free_adamw
from torchopt.optimizers._schedule_free_sgd import schedule_free_sgd as schedule_free_sgd
from torchopt.optimizers._sgd import sgd as sgd
from torchopt.optimizers._shampoo import shampoo as shampoo
from torchopt.optimizers._sign_sgd import sign_sgd as sign_sgd
from torchopt.optimizers._signum import signum as signum
from torchopt.optimizers._sm3 import sm3 as sm3
from torchopt.optimizers._soap import soap as soap
from torchopt.optimizers._sophia import sophia as sophia
from torchopt.optimizers._yogi import yogi as yogi

if not TYPE_CHECKING:  # to checkers, all functions here are exported
    __all__ = [name for name, f in globals().items() if _isfunction(f) and name[0] != "_"]

_publish(__name__)
