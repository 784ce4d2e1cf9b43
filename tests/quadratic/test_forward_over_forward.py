"""A quadratic program in forward mode, which an outer level of forward mode differentiates."""

import torch
from _solve import solve_qp
from torch.func import jvp


def test_forward_over_forward_mode_of_a_quadratic_program_is_its_second_derivative():
    # The nearest point to c on the plane (1, t, 0) x = 1, where t moves: x = c - a (a c - 1) / a a.
    c = torch.tensor([3.0, 2.0, -1.0], dtype=torch.float64)

    def formula(t):
        a = torch.stack([torch.ones_like(t), t, torch.zeros_like(t)])
        return c - a * (a @ c - 1) / (a @ a)

    def program(t):
        a = torch.stack([torch.ones_like(t), t, torch.zeros_like(t)])
        eye = torch.eye(3, dtype=torch.float64)
        return solve_qp(eye, -c, a[None], torch.ones(1, dtype=torch.float64)).x

    t, one = torch.tensor(0.4, dtype=torch.float64), torch.tensor(1.0, dtype=torch.float64)

    def second(f):
        return jvp(lambda t: jvp(f, (t,), (one,))[1], (t,), (one,))[1]

    torch.testing.assert_close(second(program), second(formula), rtol=1e-8, atol=1e-8)
