"""The functions that make an optimizer, where TorchOpt 0.7.3 has them."""

from torchopt.io.names import publish as _publish
from torchopt.optimizers import adadelta, adagrad, adam, adamax, adamw, radam, rmsprop, sgd

__all__ = ["adadelta", "adagrad", "adam", "adamax", "adamw", "radam", "rmsprop", "sgd"]

_publish(__name__)
