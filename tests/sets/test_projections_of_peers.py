"""Projections have the numbers of JAXopt, stored by `reference/make_sets.py`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from test_docs import ROOT
from torchopt import sets

STORED = json.loads((Path(__file__).parents[1] / "reference/sets.json").read_text())

#: Each projection of JAXopt, of ``(x, *arguments)``.
JAXOPT: dict[str, Callable[..., torch.Tensor]] = {
    "projection_non_negative": lambda x: sets.NonNegative().project(x),
    "projection_box": lambda x, lower, upper: sets.Box(lower, upper).project(x),
    "projection_hypercube": lambda x, unit: sets.Box(0.0, unit).project(x),
    "projection_simplex": lambda x, r: sets.Simplex(r).project(x),
    "projection_sparse_simplex": lambda x, k, r: sets.SparseSimplex(r, k=k).project(x),
    "projection_l1_sphere": lambda x, r: sets.L1Sphere(r).project(x),
    "projection_l1_ball": lambda x, r: sets.L1Ball(r).project(x),
    "projection_l2_sphere": lambda x, r: sets.L2Sphere(r).project(x),
    "projection_l2_ball": lambda x, r: sets.L2Ball(r).project(x),
    "projection_linf_ball": lambda x, r: sets.LinfBall(r).project(x),
    "projection_hyperplane": lambda x, a, b: sets.Hyperplane(a, b).project(x),
    "projection_halfspace": lambda x, a, b: sets.HalfSpace(a, b).project(x),
    "projection_affine_set": lambda x, a, b: sets.AffineSet(a, b).project(x),
    "projection_box_section": lambda x, lower, upper, w, c: sets.BoxSection(
        c, w, lower=lower, upper=upper
    ).project(x),
    "projection_polyhedron": lambda x, a, b, g, h: sets.Polyhedron(g, h, A=a, b=b).project(x),
    "projection_transport": lambda x, p, q: sets.TransportPolytope(p, q).project(x),
    "projection_birkhoff": lambda x: sets.Birkhoff().project(x),
    "kl_projection_transport": lambda x, p, q: sets.TransportPolytope(p, q).mirror_step(
        torch.ones_like(x), -x, 1.0
    ),
    "kl_projection_birkhoff": lambda x: sets.Birkhoff().mirror_step(torch.ones_like(x), -x, 1.0),
}


def tensors(values: list[Any]) -> list[Any]:
    return [torch.tensor(v, dtype=torch.float64) if isinstance(v, list) else v for v in values]


def test_each_projection_of_jaxopt_is_compared() -> None:
    assert sorted(JAXOPT) == STORED["names"]


@pytest.mark.parametrize("name", JAXOPT)
def test_numbers_and_gradients_are_those_of_jaxopt(name: str) -> None:
    case = STORED["jaxopt"][name]
    x, value, weights, gradient = tensors([case[k] for k in ("x", "value", "weights", "gradient")])
    x.requires_grad_()
    found = JAXOPT[name](x, *tensors(case["arguments"]))
    torch.testing.assert_close(found.detach(), value, rtol=0, atol=1e-9)
    (ours,) = torch.autograd.grad((weights * found).sum(), x)
    if name not in ("projection_transport", "projection_birkhoff"):  # where theirs is zero
        torch.testing.assert_close(ours, gradient, rtol=0, atol=1e-5)


def test_the_page_for_those_who_come_from_jaxopt_has_each_projection() -> None:
    page = (ROOT / "docs/coming-from/jaxopt.md").read_text()
    for name in STORED["names"]:
        assert f"| `{name}(x" in page
