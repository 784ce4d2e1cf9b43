r"""Reading with a gradient step after each chunk, and training through these steps.

A document has chunks :math:`c_1, \dots, c_K`. The fast weights :math:`W` start where training put
them; then each chunk is predicted, counted, and learned from:

.. math::
    W_k = W_{k-1} - \eta \odot \nabla \ell(c_k;\; W_{k-1}), \qquad
    L(W_0, \theta, \eta) = \frac{1}{K} \sum_{k=1}^K \ell(c_k;\; W_{k-1}, \theta)

Training lowers :math:`L`, by its gradient through all the steps, with respect to the start, the
other weights :math:`\theta`, and the learning rates :math:`\eta`, one for each tensor.

References:
    Sun et al., *Learning to (Learn at Test Time)*, 2024. Tandon et al., *End-to-End Test-Time
    Training for Long Context*, 2025. Krause et al., *Dynamic Evaluation of Neural Sequence Models*,
    2018 (the same steps, without training for them).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch.nn.functional import cross_entropy

import torchopt
from torchopt.examples.ttt.config import Config
from torchopt.examples.ttt.model import make_parts
from torchopt.nn import functional_call

__all__ = ["Meta", "Reader"]

Params = dict[str, torch.Tensor]


class Meta(NamedTuple):
    """What training learns.

    Attributes:
        backbone: The weights below the fast ones.
        fast: Where the fast weights start, in each document.
        head: The weights above.
        rates: The logarithms of the learning rates of the inner steps, by the names of the fast
            weights; none if there are no steps.
    """

    backbone: Params
    fast: Params
    head: Params
    rates: Params


class Reader:
    """A transformer that may learn while it reads.

    Args:
        config: The settings.
        learns: Whether it takes inner steps.
        first_order: Whether training takes the gradients of the inner steps as constants.

    Attributes:
        meta: What training has learned so far.
    """

    def __init__(self, config: Config, *, learns: bool, first_order: bool = False) -> None:
        self._chunk = config.chunk
        self._diff = torchopt.diff.Explicit(first_order=first_order)
        parts = make_parts(config)
        self._backbone, self._mlp, self._head = parts
        backbone, fast, head = (
            {name: p.detach() for name, p in part.named_parameters()} for part in parts
        )
        self.meta = Meta(backbone, fast, head, {})
        if learns:
            self.meta = self.with_rate(config.rate)
        lr, rate_lr = (
            torchopt.schedule.linear_schedule(peak, 0.05 * peak, config.steps, 0)
            for peak in (config.lr, config.rate_lr)
        )
        lrs = torchopt.pytree.tree_map(lambda _: lr, self.meta)
        lrs = lrs._replace(rates=dict.fromkeys(self.meta.rates, rate_lr))
        self._outer = torchopt.chain(torchopt.clip_grad_norm(1.0), torchopt.adam(lrs))
        self._state = self._outer.init(self.meta)
        self._all_losses = torchopt.vmap_tasks(self.losses, in_dims=(None, 0))

    def with_rate(self, rate: float) -> Meta:
        """Return what was learned, with this learning rate for all inner steps."""
        rates = {name: p.new_tensor(rate).log() for name, p in self.meta.fast.items()}
        return self.meta._replace(rates=rates)

    def losses(self, meta: Meta, text: torch.Tensor) -> torch.Tensor:
        """Return the loss of each chunk of a document, from before it is learned from.

        Args:
            meta: What was learned in training.
            text: The document, whose first character is given.
        """
        features, following = functional_call(self._backbone, meta.backbone, text[:-1]), text[1:]

        def objective(
            fast: Params, x: torch.Tensor, y: torch.Tensor
        ) -> tuple[torch.Tensor, torch.Tensor]:
            logits = functional_call(self._head, meta.head, functional_call(self._mlp, fast, x))
            loss = cross_entropy(logits, y)
            return loss, loss

        found, fast = [], meta.fast
        rates = {name: rate.exp() for name, rate in meta.rates.items()}
        solver = torchopt.sgd(rates) if rates else None
        chunks = zip(features.split(self._chunk), following.split(self._chunk), strict=True)
        for chunk in chunks:
            if solver is None:
                found.append(objective(fast, *chunk)[0])
                continue
            step = torchopt.minimize(
                objective, fast, chunk, solver=solver, steps=1, diff=self._diff, has_aux=True
            )
            found.append(step.aux)
            fast = step.params
        return torch.stack(found)

    def train_step(self, texts: torch.Tensor) -> float:
        """Do a step of training on some documents; return the bits per character."""
        grads, loss = torch.func.grad_and_value(self._outer_loss)(self.meta, texts)
        updates, self._state = self._outer.update(
            grads, self._state, params=self.meta, inplace=False
        )
        self.meta = torchopt.apply_updates(self.meta, updates, inplace=False)
        return loss.item() / math.log(2)

    @torch.no_grad()
    def bits(self, texts: torch.Tensor, meta: Meta | None = None) -> torch.Tensor:
        """Return bits per character, of shape ``(documents, chunks)``; by default as trained."""
        losses: torch.Tensor = self._all_losses(self.meta if meta is None else meta, texts)
        return losses / math.log(2)

    def _outer_loss(self, meta: Meta, texts: torch.Tensor) -> torch.Tensor:
        loss: torch.Tensor = self._all_losses(meta, texts).mean()
        return loss
