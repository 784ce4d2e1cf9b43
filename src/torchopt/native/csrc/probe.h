// A formula that calls the helpers whose results are exact, in the form of the generated ones: each library carries
// it, and the loader compares it with torch before it trusts the library.
#pragma once

namespace torchopt {

template <class S, class V>
struct probe {
  static constexpr int inputs = 3, outputs = 2, scalars = 2, sums = 1, uniforms = 2;
  static constexpr unsigned long long reads = 0x7;

  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(sqrt_(h[1]));
  }

  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V root = sqrt_(abs_(x[0])) + u1;
    const V side = select_ge(x[0], x[1], x[2], -x[2]) * sign_(x[1]);
    y[0] = u0 * side / root;
    y[1] = select_gt(x[2], tiny<V>(), x[2], select_eq(x[2], V{}, u0, x[1]));
    y[2] = x[0] * x[1];
  }
};

}  // namespace torchopt
