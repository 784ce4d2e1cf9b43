"""The update rules of the named optimizers on one element, and the chains of them that get kernels.

A rule takes the gradient, the parameter ``p`` if it reads it, its slots, and by keyword the scalars of
its transformation, in their order. It returns the update and the new slots. The mathematics stand in
the docstrings of :mod:`torchopt.transform`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

from torchopt.formula._chain import Part, compose
from torchopt.formula._graph import Graph
from torchopt.formula._math import running_mean, safe_sqrt, where

#: A tensor, or the expression that records the rule.
Element = Any
Rule = Callable[..., tuple[Element, ...]]


def scale(g: Element, *, step_size: Any) -> tuple[Element]:
    """Multiply by a factor; ahead of other rules, it is the factor of their kernel."""
    return (step_size * g,)


def descend(g: Element, *, lr: Any) -> tuple[Element]:
    """Multiply by the negative learning rate."""
    return (-lr * g,)


def decay(g: Element, p: Element, *, weight_decay: Any) -> tuple[Element]:
    """Add the parameter, scaled."""
    return (g + weight_decay * p,)


def lr_decay(g: Element, *, lr_decay: Any, elapsed: Any) -> tuple[Element]:
    """Divide by a number that grows with the steps."""
    return (g / (1 + elapsed * lr_decay),)


def momentum(g: Element, buffer: Element, *, momentum: Any) -> tuple[Element, ...]:
    """Accumulate gradients."""
    buffer = momentum * buffer + g
    return buffer, buffer


def nesterov(g: Element, buffer: Element, *, momentum: Any) -> tuple[Element, ...]:
    """Accumulate gradients, and look ahead."""
    buffer = momentum * buffer + g
    return g + momentum * buffer, buffer


def dampened(
    g: Element, buffer: Element, *, momentum: Any, dampening: Any, first: Any
) -> tuple[Element, ...]:
    """Accumulate dampened gradients; the first enters whole, as in ``torch.optim.SGD``."""
    buffer = momentum * buffer + where(first, g, (1 - dampening) * g)
    return buffer, buffer


def adam(
    g: Element,
    mu: Element,
    nu: Element,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    eps_root: Any,
    gain: Any,
    floor: Any,
    shift: Any,
) -> tuple[Element, ...]:
    """Adam."""
    mu, nu = running_mean(mu, g, b1), running_mean(nu, g * g, b2)
    return _adaptive(mu, nu, eps_root, gain, floor, shift), mu, nu


def amsgrad(
    g: Element,
    mu: Element,
    nu: Element,
    nu_max: Element,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    eps_root: Any,
    gain: Any,
    floor: Any,
    shift: Any,
) -> tuple[Element, ...]:
    """Adam, divided by the largest second moment so far."""
    mu, nu = running_mean(mu, g, b1), running_mean(nu, g * g, b2)
    nu_max = nu_max.maximum(nu)
    return _adaptive(mu, nu_max, eps_root, gain, floor, shift), mu, nu, nu_max


def _adaptive(mu: Element, nu: Element, eps_root: Any, gain: Any, floor: Any, shift: Any) -> Any:
    # Both bias corrections have been moved into the denominator.
    radicand = nu if isinstance(eps_root, Real) and eps_root == 0 else nu + shift
    return mu / (safe_sqrt(radicand) * gain + floor)


def adamax(
    g: Element, mu: Element, nu: Element, *, b1: Any, b2: Any, eps: Any, c1: Any
) -> tuple[Element, ...]:
    """Adamax."""
    mu = running_mean(mu, g, b1)
    nu = (b2 * nu).maximum(g.abs() + eps)
    return (mu / c1) / nu, mu, nu


def radam(
    g: Element,
    mu: Element,
    nu: Element,
    *,
    b1: Any,
    b2: Any,
    eps: Any,
    c1: Any,
    c2: Any,
    rectified: Any,
    r: Any,
) -> tuple[Element, ...]:
    """RAdam."""
    mu, nu = running_mean(mu, g, b1), running_mean(nu, g * g, b2)
    adaptive = r * c2**0.5 / (safe_sqrt(nu) + eps)
    return (mu / c1) * where(rectified, adaptive, 1.0), mu, nu


def rms(g: Element, nu: Element, *, alpha: Any, eps: Any) -> tuple[Element, ...]:
    """RMSprop."""
    nu = running_mean(nu, g * g, alpha)
    return g / (safe_sqrt(nu) + eps), nu


def stddev(g: Element, mu: Element, nu: Element, *, alpha: Any, eps: Any) -> tuple[Element, ...]:
    """RMSprop, centered."""
    mu, nu = running_mean(mu, g, alpha), running_mean(nu, g * g, alpha)
    variance = nu.addcmul(mu, mu, value=-1)
    return g / (safe_sqrt(variance) + eps), mu, nu


def rss(g: Element, sum_of_squares: Element, *, eps: Any) -> tuple[Element, ...]:
    """Adagrad."""
    sum_of_squares = sum_of_squares + g * g
    return g / (safe_sqrt(sum_of_squares) + eps), sum_of_squares


def adadelta(g: Element, mu: Element, nu: Element, *, rho: Any, eps: Any) -> tuple[Element, ...]:
    """Adadelta."""
    mu = running_mean(mu, g * g, rho)
    u = safe_sqrt(nu + eps) / safe_sqrt(mu + eps) * g
    return u, mu, running_mean(nu, u * u, rho)


#: What stands between weight decay and learning rate, for each optimizer and variant.
RESCALINGS: tuple[tuple[Rule, ...], ...] = (
    *((), (momentum,), (nesterov,), (dampened,)),  # SGD
    *((adam,), (amsgrad,), (adamax,), (radam,), (adadelta,)),
    *((rms,), (rms, momentum), (rms, nesterov), (stddev,), (stddev, momentum)),  # RMSprop
    *((rss,), (rss, lr_decay)),  # Adagrad
)


def formulas() -> Iterator[Graph]:
    """Yield the formula of each named optimizer, of its updates and of its new parameters."""
    chains = [chain for rules in RESCALINGS for chain in (rules, (decay, *rules))]
    chains += [(adam, decay), (amsgrad, decay)]  # AdamW
    for chain in chains:
        for apply in (False, True):
            yield formula(chain, apply=apply)


def formula(chain: tuple[Rule, ...], *, apply: bool) -> Graph:
    """Return the formula of a chain before the learning rate; with ``apply``, of new parameters."""
    composed = compose(tuple(map(_part, (*chain, descend))), apply)
    assert composed is not None, chain
    return composed


def _part(rule: Rule) -> Part:
    arguments = inspect.signature(rule).parameters.values()
    scalars = tuple(x.name for x in arguments if x.kind is x.KEYWORD_ONLY)
    needs_params = any(x.name == "p" for x in arguments)
    slots = len(arguments) - len(scalars) - 1 - needs_params
    return Part(rule, slots, scalars, needs_params)
