"""Rows between two sides."""

from __future__ import annotations

import pytest
import torch
from _solved_programs import random_program

import torchopt
from torchopt.errors import NotConvergedWarning


def test_rows_with_two_sides_are_twice_as_many_rows() -> None:
    Q, c, G, h, *_ = random_program(4, 5, 6, 0)
    lower = h - 0.4
    lower[:, 0], h[1, 1] = -torch.inf, torch.inf
    leaves = [t.requires_grad_() for t in (Q, c, G, h, lower)]
    two = torchopt.quadratic_program(Q, c, G=G, h=h, h_lower=lower)
    one = torchopt.quadratic_program(Q, c, G=torch.cat([G, -G], 1), h=torch.cat([h, -lower], 1))
    torch.testing.assert_close(two.params, one.params)
    upper, under = one.stats.inequality_duals.chunk(2, -1)
    assert (under > 1e-3).any()
    torch.testing.assert_close(two.stats.inequality_duals, upper - under)
    ours = torch.autograd.grad(two.params.square().sum(), leaves)
    theirs = torch.autograd.grad(one.params.square().sum(), leaves)
    torch.testing.assert_close(ours, theirs)


def test_equal_sides_are_an_equality_and_a_lower_side_needs_no_upper_one() -> None:
    Q, c, _, _, A, b = random_program(1, 4, 0, 2).row(0)
    b.requires_grad_()
    two, one = (
        torchopt.quadratic_program(Q, c, G=A, h=b, h_lower=b),
        torchopt.quadratic_program(Q, c, A=A, b=b),
    )
    torch.testing.assert_close(two.params, one.params)
    torch.testing.assert_close(two.stats.inequality_duals, one.stats.equality_duals)
    (ours,) = torch.autograd.grad(two.params.sum(), b)
    torch.testing.assert_close(ours, torch.autograd.grad(one.params.sum(), b)[0])
    eye, one = torch.eye(4).double(), torch.ones(4).double()
    above = torchopt.quadratic_program(eye, c, G=eye, h_lower=one)
    torch.testing.assert_close(above.params, (-c).clamp(min=1))
    assert (above.stats.inequality_duals <= 0).all()


def test_an_infinite_side_that_nothing_reaches_is_infeasible() -> None:
    eye, one = torch.eye(2).double(), torch.ones(2).double()
    with pytest.warns(NotConvergedWarning, match="infeasible"):
        solution = torchopt.quadratic_program(eye, one, G=eye, h=one, h_lower=torch.inf * one)
    assert solution.stats.certificate.infeasible
    assert (solution.stats.certificate.z <= 0).all()


@pytest.mark.parametrize(
    ("lower", "error", "text"),
    [
        ([0.0, 1.0], TypeError, "`h_lower` is an object of type list"),
        (torch.ones(3), ValueError, "`h_lower` has shape"),
        (torch.ones(2, dtype=torch.int64), TypeError, "torch.int64"),
    ],
)
def test_a_lower_side_that_does_not_fit_is_named(lower, error, text) -> None:
    with pytest.raises(error, match=text):
        torchopt.quadratic_program(torch.eye(2), torch.ones(2), G=torch.eye(2), h_lower=lower)
