"""The benchmark of memory policies runs with tiny settings, and stops at a wrong gradient."""

import functools
from multiprocessing.connection import Connection
from typing import Any

import pytest

from _cases import diagonal
from _warm import CONTEXT
from benchmarks import _memory, _runner, memory
from benchmarks._lane import Lane

TINY = {
    "transformer": {"width": 8, "blocks": 1, "examples": 4, "length": 4},
    "mlp": {"width": 4, "blocks": 1, "examples": 8},
}
PLACE = {"optimizer": "adam", "steps": 3, "dtype": "float64", "device": "cpu"}


class Fork:
    """A `ProcessLane` in a process that need not import PyTorch."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._ours, theirs = CONTEXT.Pipe()
        CONTEXT.Process(target=_serve, args=(theirs,)).start()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()

    def __getattr__(self, name: str) -> Any:
        def ask(*arguments: Any) -> Any:
            self._ours.send((name, arguments))
            return self._ours.recv()

        return ask


def _serve(connection: Connection) -> None:
    lane = Lane()
    while True:
        try:
            name, arguments = connection.recv()
        except EOFError:
            return
        connection.send(getattr(lane, name)(*arguments))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    with pytest.MonkeyPatch.context() as patch:
        weighed = {"mlp": {"width": 64, "blocks": 2, "examples": 2048}}  # megabytes, not zero
        patch.setattr(memory, "ProcessLane", Fork)
        patch.setattr(memory, "MODELS", weighed)
        patch.setattr(memory, "SMALL", TINY)
        patch.setattr(memory, "LONG", {"mlp": ("tree",)})
        output = str(tmp_path_factory.mktemp("memory") / "out.md")
        tiny = "--models mlp --steps 2 3 --policies graph tree"
        return memory.main([*tiny.split(), "--output", output])


@pytest.mark.slow
@pytest.mark.processes
def test_has_a_row_for_each_policy_of_each_number_of_steps(report: str) -> None:
    fewest, more, growth = (part for part in report.split("## ")[1:])
    assert "\n| graph " in fewest
    assert "\n| tree " in fewest
    assert "\n| graph " not in more
    assert "\n| tree " in more
    assert "\n| tree " in growth


@functools.cache
def gradient_of_the_graph(model: str) -> list[list[float]]:
    return [
        g.flatten().tolist() for g in _memory.unroll({"model": model, **TINY[model], **PLACE})()
    ]


@pytest.mark.parametrize(("policy", "model"), diagonal(memory.POLICIES, [*TINY]))
def test_each_policy_has_the_gradient_of_the_graph(model: str, policy: memory.Policy) -> None:
    case = {"model": model, **TINY[model], **PLACE}
    truth = gradient_of_the_graph(model)
    found = [g.flatten().tolist() for g in _memory.unroll(policy.case(case))()]
    assert len(found) == (1 if policy.mode.get("memory") == "forward" else len(truth))
    for ours, theirs in zip(found, truth[: len(found)], strict=True):
        assert _runner.difference(theirs, ours) <= policy.tolerance


class _Lane:
    """A lane whose gradients are given: first the truth, then that of the policy."""

    def __init__(self, *gradients: list[float]) -> None:
        self._gradients = iter(gradients)

    def gradient(self, target: str, case: dict[str, object]) -> list[float]:
        return next(self._gradients)


@pytest.mark.parametrize("wrong", [2.1, float("nan")])
def test_a_wrong_gradient_stops_the_benchmark(wrong: float) -> None:
    # The learning rate's derivative is large, and must not hide the start's.
    lane = _Lane([1e9, 1.0, 2.0], [1e9, 1.0, wrong])
    with pytest.raises(ValueError, match=r"step differs by 0\.0e\+00 and (5\.0e-02|nan)"):
        memory.check(lane, [memory.Policy("step")], {})  # type: ignore[arg-type]
