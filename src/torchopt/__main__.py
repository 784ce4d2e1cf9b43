"""``python -m torchopt``: what is installed, what is missing, and a self-test of a second or two."""

from __future__ import annotations

import argparse
import platform
import re
import sys
import time
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path

import torch

import torchopt
from torchopt.version import DISTRIBUTION

__all__ = ["extras", "main", "self_test"]

#: Extras of those who work on the package itself.
_DEVELOPMENT = {"docs", "lint", "test"}
_REQUIREMENT = re.compile(r"""^([\w.-]+).*\bextra == ["']([\w-]+)["']""")


def extras() -> dict[str, list[str]]:
    """Return the packages that are missing for each extra; none, if it can be used.

    Example:
        >>> isinstance(extras(), dict)
        True
    """
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:  # a source tree that is not installed
        return {}
    missing: dict[str, list[str]] = {}
    for package, extra in filter(None, map(_optional, requirements)):
        found = missing.setdefault(extra, [])
        try:
            metadata.version(package)
        except metadata.PackageNotFoundError:
            found.append(package)
    return missing


def _optional(requirement: str) -> tuple[str, str] | None:
    found = _REQUIREMENT.match(requirement)
    return None if found is None or found[2] in _DEVELOPMENT else (found[1], found[2])


def self_test() -> tuple[float, float]:
    """Return the largest relative error of meta-gradients, and the seconds that these took.

    The inner loss is ``a (x - p)² / 2``. After ``n`` steps of gradient descent from 0 with rate
    ``r``, ``x = p (1 - q)`` with ``q = (1 - r a)ⁿ``, so that ``d(x²)/dp = 2 p (1 - q)²``, and at the
    minimum ``2 p``.

    Example:
        >>> error, _ = self_test()
        >>> error < 1e-12
        True
    """
    began = time.perf_counter()
    a, rate, steps = 3.0, 0.1, 5
    p = torch.tensor([0.5, -2.0], dtype=torch.float64, requires_grad=True)
    start = torch.zeros_like(p)
    unrolled = torchopt.minimize(
        lambda x: a * (x - p).square().sum() / 2, start, solver=torchopt.sgd(rate), steps=steps
    )
    implicit = torchopt.minimize(
        lambda x: a * (x - p).square().sum() / 2, start, solver=torchopt.solver.Newton()
    )
    errors = []
    for solution, factor in ((unrolled, 1 - (1 - rate * a) ** steps), (implicit, 1.0)):
        (gradient,) = torch.autograd.grad(solution.params.square().sum(), p)
        expected = 2 * p.detach() * factor**2
        errors.append(float(((gradient - expected) / expected).abs().max()))
    return max(errors), time.perf_counter() - began


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report.

    Args:
        arguments: The command line, which has no options; by default that of the process.

    Returns:
        The exit status: zero if the self-test passes.
    """
    argparse.ArgumentParser(prog="python -m torchopt", description=__doc__).parse_args(arguments)
    for line in _installed():
        print(line)
    error, seconds = self_test()
    passed = error < 1e-9
    verdict = "as in closed form" if passed else "WRONG"
    print(f"{'self-test':10} meta-gradients {verdict}: relative error {error:.0e}, {seconds:.1f} s")
    return int(not passed)


def _installed() -> Iterator[str]:
    yield f"{'torchopt':10} {torchopt.__version__} in {Path(__file__).parent}"
    yield f"{'python':10} {platform.python_version()} on {platform.platform(terse=True)}"
    yield f"{'torch':10} {torch.__version__}, {_device()}"
    state = torchopt.experimental.status()
    live = "live" if state.live else "PyTorch's operations instead"
    yield f"{'kernels':10} {live}: {state.reason}"
    for path in filter(None, (state.path, state.driver)):
        yield f"{'':10} {path}"
    for extra, missing in extras().items():
        hint = f'pip install "{DISTRIBUTION}[{extra}]" (lacks {", ".join(missing)})'
        yield f"{'extra':10} {extra:12} {hint if missing else 'installed'}"


def _device() -> str:
    if not torch.cuda.is_available():
        return "no GPU"
    names = [torch.cuda.get_device_name(k) for k in range(torch.cuda.device_count())]
    return f"CUDA {torch.version.cuda}: {', '.join(names)}"


if __name__ == "__main__":
    sys.exit(main())
