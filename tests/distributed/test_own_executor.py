"""An executor of one's own, with public names only."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import torch

from torchopt.distributed import Executor, remote_map


class Here(Executor):
    """Runs each call at once, and counts them."""

    calls = 0

    @property
    def workers(self) -> tuple[str, ...]:
        return ("here",)

    def submit(self, worker: str, function: Callable[..., Any], *args: Any) -> Future[Any]:
        assert worker == "here"
        self.calls += 1
        future: Future[Any] = Future()
        future.set_result(function(*args))
        return future

    def discard(self, worker: str, reason: str) -> None:
        raise AssertionError("no worker is lost here")

    def close(self) -> None:
        self.calls = 0


def test_calls_of_an_executor_of_ones_own_are_differentiable() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with Here() as executor:
        losses = remote_map(torch.dot, [x, x], [x, 3 * x], executor=executor)
        assert executor.calls >= 2
        (g,) = torch.autograd.grad(sum(losses), x)
    assert torch.equal(g, 8 * x.detach())
    assert executor.calls == 0
