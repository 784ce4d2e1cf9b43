"""What type checkers know of names of TorchOpt 0.7.3, and refuse of those that it has not.

`make types` checks this file; nothing runs it.
"""

import torch

import torchopt
import torchopt.accelerated_op
import torchopt.utils
from torchopt.alias import adam
from torchopt.base import EmptyState, GradientTransformation
from torchopt.combine import chain
from torchopt.hook import register_hook
from torchopt.update import apply_updates

net = torch.nn.Linear(1, 1)
tx: GradientTransformation = chain(adam(0.1), torchopt.clip.clip_grad_norm(1.0))
same: torchopt.GradientTransformation = tx
torchopt.Adam(net.parameters()).step()
torchopt.MetaAdamW(net).step(net(torch.ones(1)))
torchopt.utils.stop_gradient(torchopt.module_detach_(torchopt.module_clone(net)))
torchopt.accelerated_op_available("cpu")
torchopt.accelerated_op.is_available("cpu")
solution: torchopt.Solution[torch.Tensor, None] = torchopt.minimize(
    torch.sum, torch.ones(1), solver=torchopt.optimizers.adan(0.1), steps=1
)
apply_updates(net.weight, net.weight)
register_hook(lambda g: g)
EmptyState()
torchopt.optim.Lion(net.parameters())
torchopt.compat.solve_cg(rtol=1e-3)
torchopt.adan(0.1)  # type: ignore[attr-defined]
torchopt.Lion(net.parameters())  # type: ignore[attr-defined]
torchopt.solve(net)  # type: ignore[attr-defined]
