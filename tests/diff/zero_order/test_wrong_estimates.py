"""Wrong settings and wrong calls of the mode, its estimators and its relatives: one sentence each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import torchopt
from torchopt.diff import ZeroOrder
from torchopt.diff import zero_order as zo

G = torch.tensor([0.7, -1.1, 0.4, 0.2], dtype=torch.float64)
X = torch.tensor([0.3, -0.2, 0.5, 1.1], dtype=torch.float64)
EXACT = zo.Coordinate(sigma=0.1)
COMPLEX = torch.ones(4, dtype=torch.complex128, requires_grad=True)
ONES, TWO = torch.ones(3), torch.ones(2)
MIXED = {"a": torch.ones(2), "k": torch.tensor([3, 4])}
Wrong = tuple[Callable[[], Any], type[Exception], str]


def smooth(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x * G).sum() + x.prod()


def estimated(estimator: Any, fn: Any = smooth, x: torch.Tensor = X) -> Any:
    x = x.clone().requires_grad_()
    return torch.autograd.grad(ZeroOrder(estimator, generator=0)(fn)(x), x)


def search(**options: Any) -> Any:
    return zo.GaussianSearch(**{"population": 6, **options})


def told(values: Any, params: Any = G) -> Any:
    return search().tell(search().init(params), values)


def persistent(fn: Any, params: Any = TWO, state: Any = TWO, estimator: Any = None) -> Any:
    es = estimator or zo.PersistentES()
    return es(fn, params, es.init(params, state, generator=0))


def other_particles(pairs: int, params: torch.Tensor) -> Any:
    particles = zo.NoiseReuseES(num_samples=3).init(TWO, TWO, generator=0)
    return zo.NoiseReuseES(num_samples=pairs)(lambda p, s: (p.sum(), s), params, particles)


def replayed(closure: Any, params: Any = ONES) -> Any:
    return zo.SeedReplay(num_samples=2)(closure, params)


SETTINGS: list[Wrong] = [
    (make, ValueError, words)
    for make, words in (
        (lambda: zo.Naive(num_samples=0), "`num_samples` is 0: use a whole number of directions"),
        (lambda: zo.Naive(num_samples=2.0), "`num_samples` is 2.0"),
        (lambda: zo.Naive(sigma=0.0), "`sigma` is 0.0: use a positive number"),
        (lambda: zo.Naive(sigma=float("nan")), "`sigma` is nan"),
        (lambda: zo.Naive(baseline="median"), "`baseline` is 'median': use one of 'mean', 'leave"),
        (lambda: zo.Naive(nonfinite=None), "`nonfinite` is None: use one of 'raise', 'drop'"),
        (lambda: zo.Naive(num_samples=1, baseline="leave_one_out"), "`num_samples` of at least 2"),
        (lambda: zo.Naive(distribution=lambda s: 2 * torch.randn(s)), "unit variance"),
        (lambda: zo.Naive(distribution=lambda s: torch.rand(s) * 12**0.5), "zero mean"),
        (lambda: zo.Naive(distribution=torch.distributions.Normal(0.0, 2.0)), "unit variance"),
        (lambda: zo.Naive(distribution=torch.distributions.Normal(1.0, 1.0)), "zero mean"),
        (lambda: zo.Naive(distribution=lambda s: torch.randn(3)), r"sample of shape \(3,\)"),
        (lambda: zo.Orthogonal(lengths="long"), "`lengths` is 'long'"),
        (lambda: zo.LowRank(rank=0), "`rank` is 0"),
        (lambda: zo.Guided(subspace=G[None], alpha=1.5), "`alpha` is 1.5: use a number at least 0"),
        (lambda: zo.Guided(subspace={"a": G, "b": G[:2]}), "the same first axis"),
        (lambda: zo.Guided(subspace=G[None] / 0), "NaN or infinite"),
        (lambda: zo.Guided(subspace=torch.zeros(2, 3)), "`subspace` is zero"),
        (lambda: zo.Vmap(chunk_size=0), "`chunk_size` is 0"),
        (lambda: zo.zero_order(torch.randn, method="central"), "`method` is 'central': use one o"),
        (lambda: search(population=7), "`population` is 7, but antithetic members come in pairs"),
        (
            lambda: search(population=1),
            "`population` is 1: use a whole number of members, at least 2",
        ),
        (lambda: search(sigma=0), "`sigma` is 0"),
        (lambda: search(lr=-1.0), "`lr` is -1.0"),
        (lambda: search(scale_lr=0.0), "`scale_lr` is 0.0"),
        (lambda: search(scale="full"), "`scale` is 'full': use one of 'fixed', 'isotropic', 'dia"),
        (lambda: search(shaping="square"), "`shaping` is 'square': use one of 'utilities', 'rank"),
        (lambda: zo.PersistentES(num_samples=0), "`num_samples` is 0"),
        (lambda: zo.SeedReplay(num_samples=0), "`num_samples` is 0"),
        (lambda: zo.SeedReplay(sigma=-1), "`sigma` is -1"),
    )
]
SETTINGS += [
    (make, TypeError, words)
    for make, words in (
        (lambda: zo.Coordinate(num_samples=3), "num_samples"),
        (lambda: zo.Naive(distribution=torch.distributions.Normal), "the class Normal: pass a"),
        (lambda: zo.zero_order(3), "`distribution` is an object of type int"),
        (lambda: zo.NoiseReuseES(evaluation=1), "`evaluation` is an object of type int"),
        (lambda: ZeroOrder(zo.Naive), "`estimator` is the class Naive: make an object of it"),
        (lambda: ZeroOrder(EXACT, evaluation=3), "`evaluation` is an object of type int"),
        *(
            (lambda n=n: ZeroOrder(EXACT)(smooth, argnums=n), "`argnums` is")
            for n in (0.5, "0", True, (0.0,))
        ),
    )
]
CALLS: list[Wrong] = [
    (call, ValueError, words)
    for call, words in (
        (lambda: ZeroOrder(EXACT)(smooth, argnums=1)(X), "`argnums` is 1, but the function was c"),
        (lambda: ZeroOrder(EXACT)(smooth, (0, 0))(X), "a position twice"),
        (lambda: ZeroOrder(EXACT)(smooth)(torch.tensor(1)), "none of the arguments has a floatin"),
        (
            lambda: torchopt.minimize(
                lambda x: x, X, solver=torchopt.sgd(0.1), steps=1, diff=ZeroOrder(EXACT)
            ),
            r"has shape \(4,\), but it must be a scalar",
        ),
        (
            lambda: estimated(zo.Guided(subspace=G[None, :3])),
            "1 gradients of size 3, but .* have 4",
        ),
        (lambda: estimated(zo.ForwardGradient(), lambda x: float(x.sum())), "forward-mode diff"),
        (
            lambda: estimated(EXACT, lambda x: None),
            "returned no numbers .*: return numbers, in the sam",
        ),
        (
            lambda: estimated(EXACT, lambda x: "a"),
            "returned no numbers .*: return numbers, in the sam",
        ),
        (
            lambda: zo.Sobol().directions(torch.zeros(30_000), torch.Generator()),
            r"30000 unknowns.*at most 21201.*use `Orthogonal`",
        ),
        (lambda: told(torch.zeros(5)), r"`values` has shape \(5,\), but the population has 6"),
        (lambda: search().solver(steps=-1), "`steps` is -1"),
        (
            lambda: torchopt.minimize(lambda x: x, ONES, solver=search().solver(steps=1)),
            r"the objective has shape \(3,\), but it must be a scalar",
        ),
        (lambda: search().init([]), "`params` has no unknowns"),
        (lambda: search().init(torch.zeros(0)), "`params` has no unknowns"),
        (lambda: persistent(lambda p, s: (s, s)), r"has shape \(2,\), but it must be a scalar"),
        (lambda: persistent(lambda p, s: (s.sum(), [s])), "not have the tree structure of `state`"),
        (lambda: persistent(lambda p, s: (s.sum() * torch.nan, s)), "NaN"),
        (lambda: other_particles(3, ONES), "begin with `init`"),
        (lambda: other_particles(4, TWO), "begin with `init`"),
        (lambda: replayed(lambda: ONES), r"has shape \(3,\), but it must be a scalar"),
        (lambda: replayed(lambda: TWO.sum()), "reads none of `params`"),
        (lambda: replayed(lambda: ONES.mul_(2).sum()), "writes to a parameter of shape"),
        (lambda: replayed(lambda: ONES.sum() * torch.nan), "2 of 2 directions have values that ar"),
    )
]
CALLS += [
    (call, TypeError, words)
    for call, words in (
        (lambda: ZeroOrder(EXACT)(smooth, has_aux=True)(X), r"must return a pair \(value, aux\)"),
        (lambda: ZeroOrder(EXACT)(smooth, X), r"`argnums` is tensor.*`ZeroOrder\(\)\(fn\)\(x\)`"),
        (
            lambda: ZeroOrder(EXACT)(lambda x, z: (x * z.real).sum())(X, COMPLEX),
            "complex tensor among the arguments requires grad",
        ),
        (lambda: estimated(EXACT, lambda x: 1j), "returned complex values"),
        (lambda: estimated(EXACT, lambda x: torch.complex(x, x)), "returned complex values"),
        (lambda: search().init(MIXED), r"params\['k'\]"),
        (lambda: persistent(lambda p, s: (p["a"].sum(), s), MIXED), r"params\['k'\]"),
        (
            lambda: persistent(None, state={"t": 0}),
            r"`state\['t'\]` is an object of type int: make",
        ),
        (lambda: persistent(lambda p, s: s), r"must return a pair \(loss, state\)"),
        (lambda: replayed(lambda: {"loss": ONES.sum()}), "an object of type dict: return a scalar"),
        (lambda: replayed(lambda: ONES.sum(), {"i": torch.tensor(1)}), "has no floating tensors"),
    )
]


class Whole(zo.Antithetic):
    """An estimate that is no vector."""

    def gradient(self, noise: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return noise


CALLS += [
    (
        lambda: estimated(Whole()),
        TypeError,
        r"`Whole.gradient` returned torch.Size\(\[16, 4\]\): ret",
    )
]
CALLS += [
    (lambda make=make, seed=seed: make(seed), (TypeError, ValueError), "`generator` is")
    for seed in (True, "a", 1.5, 1 << 64)
    for make in (
        lambda seed: ZeroOrder(EXACT, generator=seed),
        lambda seed: zo.SeedReplay()(lambda: ONES.sum(), [ONES], generator=seed),
        lambda seed: zo.GaussianSearch().init(ONES, generator=seed),
        lambda seed: zo.PersistentES().init(ONES, ONES, generator=seed),
    )
]


@pytest.mark.parametrize(("call", "error", "words"), [*SETTINGS, *CALLS])
def test_wrong_settings_and_calls_get_one_sentence(
    call: Callable[[], Any], error: Any, words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_what_is_nearly_wrong_is_taken() -> None:
    assert search(population=7, antithetic=False).population == 7
    x = X.clone().requires_grad_()
    ZeroOrder(EXACT)(lambda x, z: (x * z.real).sum())(x, COMPLEX.detach()).backward()  # a constant
    torch.testing.assert_close(x.grad, torch.ones_like(X))
