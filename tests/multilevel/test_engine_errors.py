"""What is wrong with a program is said in one sentence, and nothing is then changed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
import torch
from _toys import Inner, Outer, data, flat, net, reweight, run, tensors, typed

import torchopt
from torchopt import diff
from torchopt.multilevel import Config, Engine, EngineConfig, Level, Problem


class Scalar(Problem):
    """Reads what it is told to read."""

    reads: tuple[str, ...] = ()

    def training_step(self, batch: Any) -> Any:
        others = sum((getattr(self, name).params for name in self.reads), torch.zeros(()))
        return (self.params - others - 1) ** 2


def scalar(name: str, *reads: str, config: Config | None = None) -> Problem:
    p = torch.tensor(0.5, requires_grad=True)
    problem = Scalar(name, config, params=p, optimizer=torch.optim.SGD([p], 0.1))
    problem.reads = reads
    return problem


def engine(problems: Any, edges: Any, **options: Any) -> Engine:
    return Engine(problems, EngineConfig(**options), edges)


BOTH = {"u2l": {"a": ["b"]}, "l2u": {"b": ["a"]}}


# Before the first step


SWAPPED = {"u2l": {"b": ["a"]}, "l2u": {"a": ["b"]}}  # of BOTH: the same reads, the other way up


@pytest.mark.parametrize("settings", [{"diff": diff.Explicit()}, {"unroll_steps": 4}])
def test_swapped_dependencies_by_the_setting_of_the_lower_one(settings: dict[str, Any]) -> None:
    problems = [scalar("a", "b"), scalar("b", "a", config=typed(**settings))]
    engine(problems, BOTH)
    with pytest.raises(ValueError, match=r"'b' has .*: are `u2l` and `l2u` swapped") as caught:
        engine(problems, SWAPPED)
    assert next(iter(settings)) in str(caught.value)


class Judged(Scalar):
    """Reads others only, as a validation loss does."""

    def training_step(self, batch: Any) -> Any:
        return sum((getattr(self, name).params - 1) ** 2 for name in self.reads)


def test_swapped_dependencies_by_a_lower_loss_without_own_parameters() -> None:
    p = torch.tensor(0.5, requires_grad=True)
    top = Judged("a", typed(type="cg"), params=p, optimizer=torch.optim.SGD([p], 0.1))
    top.reads = ("b",)
    low = scalar("b", "a", config=typed(type="cg"))
    before = flat([p])
    program = engine([top, low], SWAPPED, train_iters=2)
    with pytest.raises(ValueError, match=r"'a' does not depend on its own .* swapped"):
        program.run()
    assert torch.equal(flat([p]), before)
    engine([top, low], BOTH, train_iters=2).run()


def test_a_lower_loss_without_a_graph_is_not_called_swapped() -> None:
    low = scalar("b", "a")
    low.training_step = torch.no_grad()(low.training_step)
    with pytest.raises(ValueError, match=r"^the loss of problem 'b' does not require grad, "):
        engine([scalar("a", "b"), low], BOTH, train_iters=2).run()


def parts() -> tuple[Any, Any]:
    module = net(1)
    return module, torch.optim.SGD(module.parameters(), 0.1)


def alone(**kwargs: Any) -> Engine:
    class Alone(Problem):
        def training_step(self, batch: Any) -> Any:
            return self.module(data()[0][0]).sum()

    return Engine([Alone("alone", **kwargs)], EngineConfig(train_iters=1))


def of_one_tensor() -> Engine:
    a, b = scalar("a", "b"), scalar("b", "a")
    b._params, b.optimizer = a._params, torch.optim.SGD([a._params], 0.1)
    return engine([a, b], BOTH)


def misspelled() -> Engine:
    return reweight(inner=type("Misspelled", (Inner,), {"configure_optimiser": lambda self: None}))


def frozen() -> Engine:
    module, optimizer = parts()
    module.requires_grad_(False)
    return alone(module=module, optimizer=optimizer)


def of_parts(**others: Any) -> Engine:
    module, optimizer = parts()
    return alone(**{"module": module, "optimizer": optimizer, **others})


def optimized_by(make: Any, kind: Any = "darts") -> Engine:
    return reweight(typed(type=kind), optimizer=make)


Call = Callable[[], Any]
WRONG: list[tuple[Call, type[Exception], str]] = []
# Names and edges.
WRONG += [
    (lambda problems=problems, edges=edges: engine(problems, edges), ValueError, match)
    for problems, edges, match in (
        (
            [scalar("a", "b"), scalar("b", "a")],
            {"u2l": {"a": ["b"], "b": ["a"]}, "l2u": {"b": ["a"], "a": ["b"]}},
            "cycle",
        ),
        ([scalar("a"), scalar("b")], {"u2l": {"a": ["c"]}, "l2u": {"b": ["a"]}}, "'c'"),
        ([scalar("a", "b"), scalar("b", "a"), scalar("c")], BOTH, "'c'"),
        ([scalar("a"), scalar("b", "a")], {"u2l": {"a": ["b"]}}, "no outer loss depends on"),
        ([scalar("a"), scalar("a")], BOTH, "'a'"),
        *(
            (
                [scalar("a", name), scalar(name, "a")],
                {"u2l": {"a": [name]}, "l2u": {name: ["a"]}},
                rf"{name!r}, which hides an attribute",
            )
            for name in (
                *("module", "training_step", "params", "forward", "config"),
                *("run", "validation", "problems", "global_step", "sink"),
            )
        ),
    )
]
WRONG += [
    (lambda name=name: Scalar(name), ValueError, "use an identifier")
    for name in ("", "two words", "1st", 3)
]
# Edges that the first step finds missing, or superfluous.
WRONG += [
    (
        lambda a=a, b=b: engine([scalar("a", *a), scalar("b", *b)], BOTH).run(),
        ValueError,
        f"{words}, but autograd finds no way",
    )
    for a, b, words in (
        (("b",), (), "'b' depends on the parameters of problem 'a'"),
        ((), ("a",), "'a' depends on the solution of problem 'b'"),
    )
]
# Parts of a problem.
WRONG += [
    (of_one_tensor, ValueError, "'a' and 'b' train the same tensor"),
    (misspelled, TypeError, "defines `configure_optimiser`, which nothing calls"),
    (frozen, ValueError, "holds no tensor that requires grad"),
    (lambda: alone(module=parts()[0]), ValueError, "'alone' has no optimizer"),
    (lambda: alone(optimizer=parts()[1]), ValueError, "neither a `module` nor `params`"),
    (lambda: of_parts(module=net(2)), ValueError, "is in neither its `module` nor its `params`"),
    (lambda: of_parts(optimizer=3), TypeError, "an object of type int"),
    (lambda: of_parts(optimizer=torch.optim.LBFGS(net(1).parameters())), TypeError, "L-BFGS"),
    (
        lambda: of_parts(train_data_loader=3),
        TypeError,
        "the loader of problem 'alone' is an object of type int",
    ),
    (lambda: of_parts(config={"type": "cg"}), TypeError, "of type dict: pass a"),
    (
        lambda: of_parts(module=lambda x: x),
        TypeError,
        "`module` of problem 'alone' is an object of type function",
    ),
    (
        lambda: optimized_by(lambda p: torchopt.transform.scale(-0.1)),
        ValueError,
        r"does not tell it: pass diff=torchopt\.diff\.OneStep\(\)",
    ),
    (
        lambda: optimized_by(lambda p: torchopt.MetaAdam(torch.nn.Linear(2, 1), lr=0.1)),
        TypeError,
        "the optimizer is an object of type MetaAdam: pass one of",
    ),
]
# Settings.
WRONG += [
    (lambda kwargs=kwargs: Config(**kwargs), ValueError, match)
    for kwargs, match in (
        ({"precision": "fp8"}, "`precision` is 'fp8'"),
        ({"precision": "fp32"}, "`precision` is 'fp32'"),
        ({"unroll_steps": 0}, "`unroll_steps` is 0"),
        ({"unroll_steps": True}, "`unroll_steps` is True"),
        ({"gradient_clipping": -1.0}, "`gradient_clipping` is -1.0"),
        ({"gradient_clipping": "1"}, "`gradient_clipping` is '1'"),
        ({"gradient_clipping": 0.0}, "`gradient_clipping` is 0.0: use a positive number, or None"),
        ({"log_step": -1}, "`log_step` is -1"),
        ({"log_step": "a"}, "`log_step` is 'a'"),
    )
]
WRONG += [
    (lambda mode=mode: Config(diff=mode), TypeError, match)
    for mode, match in (
        (3, "`diff` is a int: pass a differentiation mode"),
        ("implicit", "`diff` is the string 'implicit': pass a differentiation mode"),
        (diff.OneStep, r"`diff` is the class OneStep: .*`diff=OneStep\(\)`"),
        (torchopt.linear_solve.Neumann(), "`diff` is the linear solver Neumann: pass it to"),
    )
]
WRONG += [
    (lambda kwargs=kwargs: EngineConfig(**kwargs), ValueError, match)
    for kwargs, match in (
        ({"train_iters": -1}, "`train_iters` is -1"),
        ({"valid_step": 0}, "`valid_step` is 0"),
        ({"strategy": "ddp"}, "`strategy` is 'ddp'"),
        ({"early_stopping_mode": "least"}, "`early_stopping_mode` is 'least'"),
        *(
            ({"sink": kind}, r"`sink` names no sink.*'tensorbord'")
            for kind in ("tensorbord", ["jsonl", "tensorbord"], ("none", ["tensorbord"]))
        ),
    )
]
# Arguments of the engine, and names that it has not.
WRONG += [
    (lambda: Engine(scalar("a")), TypeError, "`problems` is problem 'a' itself: pass a list"),
    (lambda: Engine([scalar("a")], Config()), TypeError, "an object of type Config: pass a"),
    (lambda: Engine([3]), TypeError, "an object of type int: pass `Problem`s"),
    (lambda: Engine([]), ValueError, "no problem"),
    (lambda: reweight().middle, AttributeError, r"no attribute 'middle'.*outer, inner"),
    (lambda: reweight().problems[0].middle, AttributeError, "is an edge missing"),
    (lambda: reweight().hypergradient("middle"), AttributeError, r"'middle'.*outer, inner"),
]


# Without data, and values of levels that are not there.
class Reads(Scalar):
    """Reads its batch in some way."""

    read: Callable[[Any], Any]

    def training_step(self, batch: Any) -> Any:
        return self.read(batch)


def without_data(read: Callable[[Any], Any]) -> None:
    p = torch.tensor(0.5, requires_grad=True)
    problem = Reads("a", params=p, optimizer=torch.optim.SGD([p], 0.1))
    problem.read = read
    engine([problem], None, train_iters=1).run()


def of_levels(name: str) -> None:
    sgd = torchopt.sgd(0.1)
    low = Level("low", lambda x, values, _: (x - values[name]).square(), solver=sgd)
    top = Level("top", lambda x, values, _: (x - values["low"]).square(), solver=sgd, lowers=[low])
    top.step(top.init(dict.fromkeys(("low", "top"), torch.ones(()))))


WRONG += [
    (
        lambda read=read: without_data(read),
        TypeError,
        rf"'a' has no data.*{why}.*`train_data_loader`",
    )
    for read, why in (
        (lambda batch: batch[0] + batch[1], "not subscriptable"),
        (lambda batch: sum(*batch), "NoneType"),
        (lambda batch: batch.sum(), "no attribute 'sum'"),
        (torch.sum, "not NoneType"),
    )
]
WRONG += [
    (lambda name=name: of_levels(name), KeyError, rf"level 'low' reads '{name}'.*, 'top': name one")
    for name in ("phi", "low")
]


@pytest.mark.parametrize(("call", "error", "match"), WRONG)
def test_what_is_wrong_is_said_in_one_sentence(
    call: Call, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["unroll", "zero_order", "sama"])
def test_an_optimizer_that_is_no_transformation(kind: str) -> None:
    class Own(torch.optim.SGD):
        def step(self, closure: Any = None) -> Any:
            return super().step(closure)

    with pytest.raises(TypeError, match="problem 'inner': Own has a `step` of its own"):
        reweight(typed(type=kind), optimizer=lambda p: Own(p, 0.1))
    reweight(typed(type="darts"), optimizer=lambda p: Own(p, 0.1))


# What a loss may return


@pytest.mark.parametrize(
    ("value", "error", "match"),
    [
        (lambda loss: {"los": loss}, TypeError, 'a dictionary without a "loss"'),
        (lambda loss: None, TypeError, "the loss of problem 'inner' is an object of type NoneType"),
        (lambda loss: (loss, loss), TypeError, "an object of type tuple"),
        (lambda loss: torch.stack([loss, loss]), ValueError, r"has shape \(2,\)"),
    ],
)
@pytest.mark.parametrize("kind", ["darts", "unroll"])
def test_losses_of_wrong_kinds(value: Any, error: Any, match: str, kind: str) -> None:
    class Wrong(Inner):
        def training_step(self, batch: Any) -> Any:
            return value(super().training_step(batch))

    with pytest.raises(error, match=match):
        reweight(typed(type=kind), inner=Wrong, train_iters=1).run()


# Amid the run


@pytest.mark.parametrize(
    ("fault", "kind", "where"),
    [
        *product(["nan", "exception"], ["sama", "unroll"], ["inner", "outer"]),
        ("nan", "zero_order", "inner"),
    ],
)
def test_a_step_that_fails_leaves_all_as_the_last_one_left_it(
    where: str, kind: str, fault: str
) -> None:
    class BoomError(Exception):
        pass

    def spoilt(base: type[Problem]) -> type[Problem]:
        class Spoilt(base):  # type: ignore[valid-type, misc]
            spoils = False

            def training_step(self, batch: Any) -> Any:
                out = super().training_step(batch)
                if not self.spoils:
                    return out
                if fault == "exception":
                    raise BoomError
                return (out["loss"] if isinstance(out, dict) else out) * float("nan")

        return Spoilt

    made = reweight(
        typed(type=kind, unroll_steps=3),
        inner=spoilt(Inner) if where == "inner" else Inner,
        outer=spoilt(Outer) if where == "outer" else Outer,
        optimizer=lambda p: torch.optim.Adam(p, 0.05),
        scheduler=lambda o: torch.optim.lr_scheduler.StepLR(o, 2, 0.5),
    )
    ticks = 2 if where == "outer" else 4
    run(made, ticks)
    spoilt_problem = getattr(made, where)
    type(spoilt_problem).spoils = True
    made_inner, count, upper = made.inner, made.outer.count, flat(made.outer.parameters())
    values = flat(made_inner.trainable_parameters())
    error: Any = BoomError if fault == "exception" else ValueError
    with pytest.raises(error, match=None if fault == "exception" else f"problem {where!r} is NaN"):
        made.train_step()
    assert made.outer.count == count
    assert torch.equal(upper, flat(made.outer.parameters()))
    assert made.global_step == ticks
    assert not any(node.live for node in made._nodes.values())
    if where == "inner":
        assert torch.equal(flat(made_inner.module.parameters()), values)
    steps = made_inner.optimizer.state[made_inner.module[0].weight]["step"]
    assert int(steps) == made_inner.count == (3 if where == "outer" else 4)
    assert made_inner.scheduler.last_epoch == made_inner.count
    type(spoilt_problem).spoils = False
    run(made, 1)
    assert (made_inner.count, made.outer.count) == ((3, 1) if where == "outer" else (5, 1))
    run(made, 4)
    assert made.outer.count == (2 if where == "outer" else 3)
    assert flat(made.outer.parameters()).isfinite().all()


def train(kind: str, where: str, *, fails: bool) -> Engine:
    """Make six global steps, one of which is interrupted once."""
    base, moment = (Inner, 1) if where == "inner" else (Outer, 3)

    class Failing(base):  # type: ignore[valid-type, misc]
        failures = [1] if fails else []

        def training_step(self, batch: Any) -> Any:
            if self.failures and made.inner.count == moment:
                self.failures.clear()
                raise KeyboardInterrupt
            return super().training_step(batch)

        def get_batch(self) -> Any:  # the same one again
            return data(8, 3)[self.count]

    made = reweight(
        typed(type=kind, unroll_steps=3, cg_iterations=3),
        **{where: Failing},  # type: ignore[arg-type]
        optimizer=lambda p: torch.optim.Adam(p, 0.05),
        check=False,
    )
    while made.global_step < 6:
        try:
            made.train_step()
        except KeyboardInterrupt:
            assert fails
    return made


@pytest.mark.parametrize("kind", ["sama", "cg", "unroll"])
@pytest.mark.parametrize("where", ["inner", "outer"])
def test_a_step_that_is_made_again_is_the_same(kind: str, where: str) -> None:
    """Also unrolled ones, whose graph is lost with the failure."""
    a, b = (
        [flat(tensors(p)) for p in train(kind, where, fails=fails).problems]
        for fails in (False, True)
    )
    torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-14)
