"""`docs/coming-from`: programs give the numbers of the other libraries, tables have all names.

The numbers and the names are in `reference/other_libraries.json`, which
`reference/make_other_libraries.py` has made with those libraries.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

import torchopt
from _few_shot import network, tasks
from test_docs import ROOT, run

PAGES = "docs/coming-from"
REFERENCE = json.loads((Path(__file__).parent / "reference/other_libraries.json").read_text())
LIBRARIES = ["higher", "learn2learn", "Torchmeta", "functorch", "JAXopt", "Optax"]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """A function that returns what the programs of a library's page define."""

    @cache
    def of(library: str) -> Any:
        with pytest.MonkeyPatch.context() as monkeypatch, torch.random.fork_rng():
            monkeypatch.chdir(tmp_path_factory.mktemp("page"))
            return run(f"{PAGES}/{library}.md", monkeypatch)

    return of


def assert_equal(actual: Any, expected: Any) -> None:
    """Assert that tensors have the numbers that another library has computed, to 1e-8."""
    flat = [t.detach().flatten().tolist() if isinstance(t, torch.Tensor) else t for t in actual]
    for ours, theirs in zip(flat, expected, strict=True):
        ours, theirs = torch.tensor(ours).double(), torch.tensor(theirs).double()
        torch.testing.assert_close(ours, theirs, rtol=1e-8, atol=1e-8)


def gradients(tree: Any) -> list[torch.Tensor]:
    found = [p.grad for p in tree]
    assert all(grad is not None for grad in found)
    return [grad for grad in found if grad is not None]


def eps(step: torch.Tensor) -> torch.Tensor:
    return 1e-8 / torch.sqrt(1 - 0.999 ** (step + 1))


HIGHER = {
    "momentum": torchopt.sgd(0.1, momentum=0.9),
    "adam": torchopt.adam(0.05, eps=eps),
    "grad_callback": torchopt.chain(
        torchopt.transform.clip_grad_norm(0.5), torchopt.sgd(0.1, momentum=0.9)
    ),
}


@pytest.mark.parametrize("name", HIGHER)
def test_two_tasks_have_the_losses_and_gradients_of_higher(
    page: Callable[[str], Any], name: str
) -> None:
    net = network()
    losses = page("higher").meta_backward(net, torchopt.MetaOptimizer(net, HIGHER[name]), tasks())
    assert_equal(losses, REFERENCE["higher"][name]["losses"])
    assert_equal(gradients(net.parameters()), REFERENCE["higher"][name]["gradients"])
    before = network()
    assert_equal(net.buffers(), [b.flatten().tolist() for b in before.buffers()])


def test_an_optimizer_in_mid_run_goes_on_as_in_higher(page: Callable[[str], Any]) -> None:
    net = network()
    trained = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    for _ in range(2):
        trained.zero_grad()
        page("higher").loss_fn(net, *tasks()[0][0]).backward()
        trained.step()
    trained.zero_grad()
    transformation, state = torchopt.from_torch(trained, dict(net.named_parameters()))
    inner = torchopt.MetaOptimizer(net, transformation)
    inner.load_state_dict([state])
    losses = page("higher").meta_backward(net, inner, tasks())
    assert_equal(losses, REFERENCE["higher"]["trained"]["losses"])
    assert_equal(gradients(net.parameters()), REFERENCE["higher"]["trained"]["gradients"])


def test_a_learned_rate_for_each_step_has_the_gradient_of_an_override_of_higher(
    page: Callable[[str], Any],
) -> None:
    net = network()
    rates = torch.tensor([0.1, 0.2, 0.05], dtype=torch.float64, requires_grad=True)
    inner = torchopt.MetaSGD(net, lr=torchopt.schedule.table_schedule(rates), momentum=0.9)
    losses = page("higher").meta_backward(net, inner, tasks())
    expected = REFERENCE["higher"]["override"]
    assert_equal(losses, expected["losses"])
    assert_equal(gradients(net.parameters()), expected["gradients"])
    assert_equal(gradients([rates]), [expected["rates"]])


def test_parameters_in_time_and_the_gradients_of_one_task_are_those_of_higher(
    page: Callable[[str], Any],
) -> None:
    net = network()
    inner = torchopt.MetaSGD(net, lr=0.1, momentum=0.9)
    start, momentum = torchopt.extract_state_dict(net), torchopt.extract_state_dict(inner)
    expected = REFERENCE["higher"]["copied"]
    for index, (support, query) in enumerate(tasks()):
        times = page("higher").adapt(net, inner, support)
        loss = page("higher").loss_fn(net, *query)
        assert_equal([loss], [[expected["losses"][index]]])
        assert_equal(times[1].values(), expected["time=1"][index])
        assert_equal(torch.autograd.grad(loss, tuple(times[0].values())), expected["time=0"][index])
        torchopt.recover_state_dict(net, start)
        torchopt.recover_state_dict(inner, momentum)


def test_evaluation_of_a_copy_has_the_losses_of_higher(page: Callable[[str], Any]) -> None:
    net = network()
    torchopt.MetaSGD(net, lr=0.1)  # a copy is made of a module that a meta-optimizer holds
    losses = []
    for support, query in tasks():
        twin = copy.deepcopy(net)
        inner = torch.optim.SGD(twin.parameters(), lr=0.1, momentum=0.9)
        for _ in range(3):
            inner.zero_grad()
            page("higher").loss_fn(twin, *support).backward()
            inner.step()
        losses.append(page("higher").loss_fn(twin, *query).item())
    assert_equal(losses, REFERENCE["higher"]["momentum"]["losses"])
    assert all(p.grad is None for p in net.parameters())


LEARN2LEARN: dict[str, dict[str, Any]] = {
    "MAML": {},
    "first_order": {"diff": torchopt.diff.Explicit(first_order=True)},
    "MetaSGD": {},
    "GBML": {},
    "GBML adapted": {},
}


@pytest.mark.parametrize("name", LEARN2LEARN)
def test_two_tasks_have_the_losses_and_gradients_of_learn2learn(
    page: Callable[[str], Any], name: str
) -> None:
    net = network()
    named = dict(net.named_parameters())
    learned: dict[str, Any] = {}
    solver = torchopt.sgd(0.1)
    if name == "MetaSGD":
        learned = {key: torch.full_like(p, 0.1, requires_grad=True) for key, p in named.items()}
        solver = torchopt.sgd(learned)
    elif name.startswith("GBML"):
        scales = {key: page("learn2learn").Scale(p) for key, p in named.items()}
        learned = {key: scale.alpha for key, scale in scales.items()}
        solver = torchopt.chain(page("learn2learn").transformed(scales), torchopt.sgd(0.2))
    if name == "GBML adapted":
        losses = page("learn2learn").adapted_transform(net, learned, tasks(), lr=0.2)
    else:
        losses = page("learn2learn").maml(net, tasks(), solver, **LEARN2LEARN[name])
    expected = REFERENCE["learn2learn"][name]
    assert_equal(losses, expected["losses"])
    assert_equal(gradients(net.parameters()), expected["gradients"])
    assert_equal(gradients(learned.values()), expected.get("learned", []))
    assert_equal(net.buffers(), expected["buffers"])


def test_gradient_updates_have_the_losses_and_gradients_of_torchmeta(
    page: Callable[[str], Any],
) -> None:
    net = network()
    step_size = {
        name: torch.full_like(p, 0.1, requires_grad=True) for name, p in net.named_parameters()
    }
    losses = page("torchmeta").gradient_updates(net, tasks(), step_size)
    expected = REFERENCE["torchmeta"]["gradient_update_parameters"]
    assert_equal(losses, expected["losses"])
    assert_equal(gradients(net.parameters()), expected["gradients"])
    assert_equal(gradients(step_size.values()), expected["step_size"])
    assert_equal(net.buffers(), expected["buffers"])


def test_a_chain_with_a_schedule_has_the_numbers_of_optax(page: Callable[[str], Any]) -> None:
    params = {
        "w": torch.tensor([1.0, -2.0], dtype=torch.float64),
        "b": torch.tensor(3.0, dtype=torch.float64),
    }
    # Optax adds no 1e-6 to the norm: nearly a common factor, by which Adam divides.
    trained = page("optax").train(
        torchopt.chain(torchopt.transform.clip_grad_norm(1.0), torchopt.adam(page("optax").cosine)),
        params,
    )
    expected = REFERENCE["optax"]["chain"]
    assert_equal([trained["w"], trained["b"].reshape(1)], [expected["w"], [expected["b"]]])


# Tables


def rows(library: str) -> list[tuple[str, str]]:
    """Return the two cells of each row of a library's tables."""
    text = (ROOT / PAGES / f"{library.lower()}.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (.+?) \| (.+) \|$", text, re.MULTILINE)
    return [(left, right) for left, right in cells if left.startswith("`")]


def code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_table_of_a_library_has_each_of_its_names_once(library: str) -> None:
    named = [
        word for left, _ in rows(library) for word in code(left) if re.fullmatch(r"[\w.]+", word)
    ]
    assert sorted(named) == sorted(REFERENCE[library.lower()]["names"])


@pytest.mark.parametrize("library", LIBRARIES)
def test_what_a_table_names_in_place_of_a_name_is_public(library: str) -> None:
    recorded = [file.read_text(encoding="utf-8") for file in (ROOT / "docs/names").iterdir()]
    public = set(re.findall(r"torchopt[\w.]*\w", "".join(recorded)))
    ours: set[str] = set()
    for left, right in rows(library):
        named = re.findall(r"torchopt[\w.]*\w", " ".join(code(right)))
        ours.update(named)
        if right.startswith("the same of `torchopt."):
            # What is spelt otherwise is named in full behind it.
            others = {word.split(".")[-1].lower() for word in named[1:]}
            ours.update(f"{named[0]}.{name}" for name in code(left) if name.lower() not in others)
    assert len(ours) > 3
    assert ours <= public
