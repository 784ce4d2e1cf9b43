"""Compiled kernels: what builds, loads, tests and feeds them; nothing else in the library compiles.

Importing this room loads nothing; the first question does, such as :func:`is_live`.
``python -m torchopt.native status`` says what is live and why.
"""

from torchopt.native._load import Status as Status
from torchopt.native._load import compile_kernels as compile_kernels
from torchopt.native._load import extension as extension
from torchopt.native._load import is_live as is_live
from torchopt.native._load import kernels as kernels
from torchopt.native._load import status as status
from torchopt.native._pool import memory_stats as memory_stats
from torchopt.native._pool import set_memory_limit as set_memory_limit
from torchopt.native._pool import trim as trim
