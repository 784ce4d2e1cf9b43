"""Functors written by hand in the format that the operators emit, and their formulas in torch."""

from __future__ import annotations

import torch

from torchopt.native.cuda import Functor

ADAM = Functor(
    "k_adam_0",
    """
// Adam: gradient, first and second moment -> update and moments
template <class S, class V>
struct k_adam_0 {
  static constexpr int inputs = 3, outputs = 3, scalars = 5, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t0 = double(1.0) - h[0];
    const double t1 = double(1.0) - h[1];
    const double t2 = double(1.0) - pow_(h[0], h[4]);
    const double t3 = double(1.0) - pow_(h[1], h[4]);
    const double t4 = -h[3];
    const double t5 = t4 / t2;
    const double t6 = double(1.0) / t3;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t0);
    u[4] = S(t1);
    u[5] = S(t5);
    u[6] = S(t6);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t1 = u0 * x[1];
    const V t2 = u3 * x[0];
    const V t3 = t1 + t2;
    const V t4 = u1 * x[2];
    const V t5 = x[0] * x[0];
    const V t6 = u4 * t5;
    const V t7 = t4 + t6;
    const V t8 = u6 * t7;
    const V t9 = sqrt_(t8);
    const V t10 = t9 + u2;
    const V t11 = t3 / t10;
    const V t12 = u5 * t11;
    y[0] = t12;
    y[1] = t3;
    y[2] = t7;
  }
};
""",
    inputs=3, outputs=3, scalars=5, sums=0,
)  # fmt: skip


def adam(g: torch.Tensor, m: torch.Tensor, v: torch.Tensor, h: torch.Tensor) -> list[torch.Tensor]:
    b1, b2, eps, lr, t = h
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g * g
    root = (v / (1 - b2**t)).sqrt()
    return [-lr / (1 - b1**t) * m / (root + eps), m, v]


# Its derivative with respect to the tensors and, as sums, to b1 and lr.
ADAM_VJP = Functor(
    "k_adam_1",
    """
template <class S, class V>
struct k_adam_1 {
  static constexpr int inputs = 6, outputs = 3, scalars = 5, sums = 2, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t0 = pow_(h[0], h[4]);
    const double c1 = double(1.0) - t0;
    const double c2 = double(1.0) / (double(1.0) - pow_(h[1], h[4]));
    const double t1 = -h[3] / c1;
    // the derivative of log(1 / (1 - b1^t)) with respect to b1
    const double t2 = h[4] * t0 / h[0] / c1;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(double(1.0) - h[0]);
    u[4] = S(double(1.0) - h[1]);
    u[5] = S(t1);
    u[6] = S(c2);
    u[7] = S(t2);
    u[8] = S(double(1.0) / h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V u7 = splat<V>(u[7]);
    const V u8 = splat<V>(u[8]);
    const V m = u0 * x[1] + u3 * x[0];
    const V v = u1 * x[2] + u4 * (x[0] * x[0]);
    const V root = sqrt_(u6 * v);
    const V bottom = root + u2;
    const V update = u5 * m / bottom;
    const V dm = x[4] + u5 * x[3] / bottom;
    const V dv = x[5] - splat<V>(S(0.5)) * u6 * x[3] * update / (bottom * root);
    const V g2 = x[0] * dv;
    y[0] = u3 * dm + u4 * (g2 + g2);
    y[1] = u0 * dm;
    y[2] = u1 * dv;
    y[3] = x[3] * update * u7 + dm * (x[1] - x[0]);
    y[4] = x[3] * update * u8;
  }
};
""",
    inputs=6, outputs=3, scalars=5, sums=2,
)  # fmt: skip

# Everything else that a functor may call; y2 shows the order of signs, zeros and NaN.
MIXED = Functor(
    "k_mixed_0",
    """
template <class S, class V>
struct k_mixed_0 {
  static constexpr int inputs = 2, outputs = 3, scalars = 1, sums = 1, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t0 = tanh_(h[0]) + exp_(-abs_(h[0])) * sign_(h[0]) + log_(abs_(h[0]));
    const double t1 = select_gt(h[0], double(0.5), sqrt_(h[0]), double(0.25));
    const double t2 = select_ge(t1, t1, t1, t0);
    u[0] = S(t0);
    u[1] = S(select_eq(t2, t1, t2, t0));
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t0 = abs_(x[0]) + tiny<V>();
    const V t1 = log_(t0);
    const V t2 = pow_(t0, u1);
    const V t3 = exp_(-t0);
    const V t4 = tanh_(x[1]);
    const V t5 = select_gt(x[0], x[1], t1, t2);
    y[0] = t5 + u0 * t3;
    y[1] = select_ge(x[0], x[1], t4, select_eq(x[1], x[1], t3, t2));
    y[2] = sign_(x[0]);
    y[3] = t4 * t3;
  }
};
""",
    inputs=2, outputs=3, scalars=1, sums=1,
)  # fmt: skip


def mixed(a: torch.Tensor, b: torch.Tensor, h: torch.Tensor) -> list[torch.Tensor]:
    tiny = torch.finfo(a.dtype).tiny
    u0 = (torch.tanh(h) + torch.exp(-h.abs()) * torch.sign(h) + torch.log(h.abs())).to(a.dtype)
    u1 = (h.sqrt() if h > 0.5 else torch.full_like(h, 0.25)).to(a.dtype)
    size = a.abs() + tiny
    power, fall, bounded = size**u1, torch.exp(-size), torch.tanh(b)
    return [
        torch.where(a > b, torch.log(size), power) + u0 * fall,
        torch.where(a >= b, bounded, torch.where(b == b, fall, power)),
        torch.sign(a),
        bounded * fall,
    ]


# One product and one sum, which -fmad=true would round once.
AXPY = Functor(
    "k_axpy_0",
    """
template <class S, class V>
struct k_axpy_0 {
  static constexpr int inputs = 2, outputs = 1, scalars = 1, sums = 0, uniforms = 1;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) { u[0] = S(h[0]); }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    y[0] = u0 * x[0] + x[1];
  }
};
""",
    inputs=2, outputs=1, scalars=1, sums=0,
)  # fmt: skip

TEXTS = {functor.name: functor.text for functor in (ADAM, ADAM_VJP, MIXED, AXPY)}
