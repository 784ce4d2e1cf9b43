// Generated from the formulas by tools/generate_kernels.py; do not edit.
#pragma once

// sgd: update, forward
template <class S, class V>
struct k_4e37e7097b37_forward {
  static constexpr int inputs = 1, outputs = 1, scalars = 2, sums = 0, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t3 = x[0] * u0;
    const V t5 = u1 * t3;
    const V t6 = -t5;
    y[0] = t6;
  }
};

// sgd: update, vjp
template <class S, class V>
struct k_4e37e7097b37_vjp {
  static constexpr int inputs = 2, outputs = 1, scalars = 2, sums = 0, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[1]);
    u[1] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t11 = u0 * x[1];
    const V t13 = u1 * t11;
    const V t14 = -t13;
    y[0] = t14;
  }
};

// sgd: update, vjps
template <class S, class V>
struct k_4e37e7097b37_vjps {
  static constexpr int inputs = 2, outputs = 1, scalars = 2, sums = 2, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t3 = x[0] * u0;
    const V t9 = t3 * x[1];
    const V t10 = -t9;
    const V t11 = u1 * x[1];
    const V t13 = u0 * t11;
    const V t14 = -t13;
    const V t15 = x[0] * t11;
    const V t16 = -t15;
    y[0] = t14;
    y[1] = t16;
    y[2] = t10;
  }
};

// sgd: update, jvp
template <class S, class V>
struct k_4e37e7097b37_jvp {
  static constexpr int inputs = 2, outputs = 1, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[2]);
    u[2] = S(h[3]);
    u[3] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t3 = x[0] * u0;
    const V t10 = u0 * x[1];
    const V t11 = x[0] * u1;
    const V t12 = t10 + t11;
    const V t13 = t3 * u2;
    const V t14 = u3 * t12;
    const V t15 = t13 + t14;
    const V t16 = -t15;
    y[0] = t16;
  }
};

// sgd: update, vjp_vjp
template <class S, class V>
struct k_4e37e7097b37_vjp_vjp {
  static constexpr int inputs = 3, outputs = 2, scalars = 2, sums = 0, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t12 = u0 * x[2];
    const V t16 = u1 * t12;
    const V t17 = -t16;
    y[0] = splat<V>(S(0.0));
    y[1] = t17;
  }
};

// sgd: update, vjps_vjps
template <class S, class V>
struct k_4e37e7097b37_vjps_vjps {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 2, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t4 = x[0] * u0;
    const V t7 = u1 * x[1];
    const V t17 = t7 * u2;
    const V t18 = -t17;
    const V t19 = x[0] * u2;
    const V t20 = -t19;
    const V t22 = t7 * x[2];
    const V t23 = -t22;
    const V t24 = u0 * x[2];
    const V t26 = t20 - t24;
    const V t27 = x[1] * t26;
    const V t28 = u1 * t26;
    const V t30 = x[1] * u3;
    const V t32 = t4 * u3;
    const V t34 = t28 - t32;
    const V t35 = u0 * t30;
    const V t37 = x[0] * t30;
    const V t39 = t18 - t35;
    const V t40 = t23 - t37;
    y[0] = t39;
    y[1] = t34;
    y[2] = t40;
    y[3] = t27;
  }
};

// sgd: parameters, forward
template <class S, class V>
struct k_a8056da14675_forward {
  static constexpr int inputs = 2, outputs = 1, scalars = 2, sums = 0, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t4 = x[0] * u0;
    const V t6 = u1 * t4;
    const V t8 = x[1] - t6;
    y[0] = t8;
  }
};

// sgd: parameters, vjp
template <class S, class V>
struct k_a8056da14675_vjp {
  static constexpr int inputs = 3, outputs = 2, scalars = 2, sums = 0, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[1]);
    u[1] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t12 = u0 * x[2];
    const V t14 = u1 * t12;
    const V t15 = -t14;
    y[0] = t15;
    y[1] = x[2];
  }
};

// sgd: parameters, vjps
template <class S, class V>
struct k_a8056da14675_vjps {
  static constexpr int inputs = 3, outputs = 2, scalars = 2, sums = 2, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t4 = x[0] * u0;
    const V t10 = t4 * x[2];
    const V t11 = -t10;
    const V t12 = u1 * x[2];
    const V t14 = u0 * t12;
    const V t15 = -t14;
    const V t16 = x[0] * t12;
    const V t17 = -t16;
    y[0] = t15;
    y[1] = x[2];
    y[2] = t17;
    y[3] = t11;
  }
};

// sgd: parameters, jvp
template <class S, class V>
struct k_a8056da14675_jvp {
  static constexpr int inputs = 4, outputs = 1, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[2]);
    u[2] = S(h[3]);
    u[3] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t4 = x[0] * u0;
    const V t12 = u0 * x[2];
    const V t13 = x[0] * u1;
    const V t14 = t12 + t13;
    const V t15 = t4 * u2;
    const V t16 = u3 * t14;
    const V t17 = t15 + t16;
    const V t18 = x[3] - t17;
    y[0] = t18;
  }
};

// sgd: parameters, vjp_vjp
template <class S, class V>
struct k_a8056da14675_vjp_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 2, sums = 0, uniforms = 2;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t14 = u0 * x[3];
    const V t18 = u1 * t14;
    const V t20 = x[4] - t18;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = t20;
  }
};

// sgd: parameters, vjps_vjps
template <class S, class V>
struct k_a8056da14675_vjps_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 2, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t5 = x[0] * u0;
    const V t8 = u1 * x[2];
    const V t19 = t8 * u2;
    const V t20 = -t19;
    const V t21 = x[0] * u2;
    const V t22 = -t21;
    const V t24 = t8 * x[3];
    const V t25 = -t24;
    const V t26 = u0 * x[3];
    const V t28 = t22 - t26;
    const V t29 = x[2] * t28;
    const V t30 = u1 * t28;
    const V t31 = x[4] + t30;
    const V t33 = x[2] * u3;
    const V t35 = t5 * u3;
    const V t37 = t31 - t35;
    const V t38 = u0 * t33;
    const V t40 = x[0] * t33;
    const V t42 = t20 - t38;
    const V t43 = t25 - t40;
    y[0] = t42;
    y[1] = splat<V>(S(0.0));
    y[2] = t37;
    y[3] = t43;
    y[4] = t29;
  }
};

// sgd, weight decay: update, forward
template <class S, class V>
struct k_d4fc3a655214_forward {
  static constexpr int inputs = 2, outputs = 1, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t9 = u2 * t7;
    const V t10 = -t9;
    y[0] = t10;
  }
};

// sgd, weight decay: update, vjp
template <class S, class V>
struct k_d4fc3a655214_vjp {
  static constexpr int inputs = 3, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[2]);
    u[1] = S(h[1]);
    u[2] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t15 = u0 * x[2];
    const V t17 = u1 * t15;
    const V t18 = -t17;
    const V t21 = u2 * t15;
    const V t22 = -t21;
    y[0] = t22;
    y[1] = t18;
  }
};

// sgd, weight decay: update, vjps
template <class S, class V>
struct k_d4fc3a655214_vjps {
  static constexpr int inputs = 3, outputs = 2, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t13 = t7 * x[2];
    const V t14 = -t13;
    const V t15 = u2 * x[2];
    const V t17 = u1 * t15;
    const V t18 = -t17;
    const V t19 = x[1] * t15;
    const V t20 = -t19;
    const V t21 = u0 * t15;
    const V t22 = -t21;
    const V t23 = x[0] * t15;
    const V t24 = -t23;
    y[0] = t22;
    y[1] = t18;
    y[2] = t24;
    y[3] = t20;
    y[4] = t14;
  }
};

// sgd, weight decay: update, jvp
template <class S, class V>
struct k_d4fc3a655214_jvp {
  static constexpr int inputs = 4, outputs = 1, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t16 = u0 * x[2];
    const V t17 = x[0] * u2;
    const V t18 = t16 + t17;
    const V t19 = u1 * x[3];
    const V t20 = x[1] * u3;
    const V t21 = t19 + t20;
    const V t22 = t18 + t21;
    const V t23 = t7 * u4;
    const V t24 = u5 * t22;
    const V t25 = t23 + t24;
    const V t26 = -t25;
    y[0] = t26;
  }
};

// sgd, weight decay: update, vjp_vjp
template <class S, class V>
struct k_d4fc3a655214_vjp_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t17 = u0 * x[3];
    const V t18 = -t17;
    const V t22 = u1 * x[4];
    const V t24 = t18 - t22;
    const V t26 = u2 * t24;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = t26;
  }
};

// sgd, weight decay: update, vjps_vjps
template <class S, class V>
struct k_d4fc3a655214_vjps_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t6 = x[0] * u0;
    const V t7 = x[1] * u1;
    const V t8 = t6 + t7;
    const V t11 = u2 * x[2];
    const V t27 = t11 * u3;
    const V t28 = -t27;
    const V t29 = x[0] * u3;
    const V t30 = -t29;
    const V t32 = t11 * x[3];
    const V t33 = -t32;
    const V t34 = u0 * x[3];
    const V t36 = t30 - t34;
    const V t38 = t11 * u4;
    const V t39 = -t38;
    const V t40 = x[1] * u4;
    const V t42 = t36 - t40;
    const V t44 = t11 * x[4];
    const V t45 = -t44;
    const V t46 = u1 * x[4];
    const V t48 = t42 - t46;
    const V t49 = x[2] * t48;
    const V t50 = u2 * t48;
    const V t52 = x[2] * u5;
    const V t54 = t8 * u5;
    const V t56 = t50 - t54;
    const V t57 = u1 * t52;
    const V t59 = x[1] * t52;
    const V t61 = t39 - t57;
    const V t62 = t45 - t59;
    const V t63 = u0 * t52;
    const V t65 = x[0] * t52;
    const V t67 = t28 - t63;
    const V t68 = t33 - t65;
    y[0] = t67;
    y[1] = t61;
    y[2] = t56;
    y[3] = t68;
    y[4] = t62;
    y[5] = t49;
  }
};

// sgd, weight decay: parameters, forward
template <class S, class V>
struct k_379aa1e3c3e8_forward {
  static constexpr int inputs = 2, outputs = 1, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t9 = u2 * t7;
    const V t11 = x[1] - t9;
    y[0] = t11;
  }
};

// sgd, weight decay: parameters, vjp
template <class S, class V>
struct k_379aa1e3c3e8_vjp {
  static constexpr int inputs = 3, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[2]);
    u[1] = S(h[1]);
    u[2] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t15 = u0 * x[2];
    const V t17 = u1 * t15;
    const V t21 = x[2] - t17;
    const V t22 = u2 * t15;
    const V t23 = -t22;
    y[0] = t23;
    y[1] = t21;
  }
};

// sgd, weight decay: parameters, vjps
template <class S, class V>
struct k_379aa1e3c3e8_vjps {
  static constexpr int inputs = 3, outputs = 2, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t13 = t7 * x[2];
    const V t14 = -t13;
    const V t15 = u2 * x[2];
    const V t17 = u1 * t15;
    const V t19 = x[1] * t15;
    const V t20 = -t19;
    const V t21 = x[2] - t17;
    const V t22 = u0 * t15;
    const V t23 = -t22;
    const V t24 = x[0] * t15;
    const V t25 = -t24;
    y[0] = t23;
    y[1] = t21;
    y[2] = t25;
    y[3] = t20;
    y[4] = t14;
  }
};

// sgd, weight decay: parameters, jvp
template <class S, class V>
struct k_379aa1e3c3e8_jvp {
  static constexpr int inputs = 4, outputs = 1, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t16 = u0 * x[2];
    const V t17 = x[0] * u2;
    const V t18 = t16 + t17;
    const V t19 = u1 * x[3];
    const V t20 = x[1] * u3;
    const V t21 = t19 + t20;
    const V t22 = t18 + t21;
    const V t23 = t7 * u4;
    const V t24 = u5 * t22;
    const V t25 = t23 + t24;
    const V t26 = x[3] - t25;
    y[0] = t26;
  }
};

// sgd, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_379aa1e3c3e8_vjp_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t17 = u0 * x[3];
    const V t18 = -t17;
    const V t22 = u1 * x[4];
    const V t24 = t18 - t22;
    const V t26 = u2 * t24;
    const V t27 = x[4] + t26;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = t27;
  }
};

// sgd, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_379aa1e3c3e8_vjps_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t6 = x[0] * u0;
    const V t7 = x[1] * u1;
    const V t8 = t6 + t7;
    const V t11 = u2 * x[2];
    const V t27 = t11 * u3;
    const V t28 = -t27;
    const V t29 = x[0] * u3;
    const V t30 = -t29;
    const V t32 = t11 * x[3];
    const V t33 = -t32;
    const V t34 = u0 * x[3];
    const V t36 = t30 - t34;
    const V t39 = t11 * u4;
    const V t40 = -t39;
    const V t41 = x[1] * u4;
    const V t43 = t36 - t41;
    const V t44 = t11 * x[4];
    const V t45 = -t44;
    const V t46 = u1 * x[4];
    const V t48 = t43 - t46;
    const V t49 = x[2] * t48;
    const V t50 = u2 * t48;
    const V t51 = x[4] + t50;
    const V t53 = x[2] * u5;
    const V t55 = t8 * u5;
    const V t57 = t51 - t55;
    const V t58 = u1 * t53;
    const V t60 = x[1] * t53;
    const V t62 = t40 - t58;
    const V t63 = t45 - t60;
    const V t64 = u0 * t53;
    const V t66 = x[0] * t53;
    const V t68 = t28 - t64;
    const V t69 = t33 - t66;
    y[0] = t68;
    y[1] = t62;
    y[2] = t57;
    y[3] = t69;
    y[4] = t63;
    y[5] = t49;
  }
};

// sgd, momentum: update, forward
template <class S, class V>
struct k_5089319ce6fb_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t9 = u2 * t7;
    const V t10 = -t9;
    y[0] = t10;
    y[1] = t7;
  }
};

// sgd, momentum: update, vjp
template <class S, class V>
struct k_5089319ce6fb_vjp {
  static constexpr int inputs = 4, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[2]);
    u[1] = S(h[1]);
    u[2] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t16 = u0 * x[2];
    const V t18 = x[3] - t16;
    const V t19 = u1 * t18;
    const V t21 = u2 * t18;
    y[0] = t21;
    y[1] = t19;
  }
};

// sgd, momentum: update, vjps
template <class S, class V>
struct k_5089319ce6fb_vjps {
  static constexpr int inputs = 4, outputs = 2, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t14 = t7 * x[2];
    const V t15 = -t14;
    const V t16 = u2 * x[2];
    const V t18 = x[3] - t16;
    const V t19 = u1 * t18;
    const V t20 = x[1] * t18;
    const V t21 = u0 * t18;
    const V t22 = x[0] * t18;
    y[0] = t21;
    y[1] = t19;
    y[2] = t22;
    y[3] = t20;
    y[4] = t15;
  }
};

// sgd, momentum: update, jvp
template <class S, class V>
struct k_5089319ce6fb_jvp {
  static constexpr int inputs = 4, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t16 = u0 * x[2];
    const V t17 = x[0] * u2;
    const V t18 = t16 + t17;
    const V t19 = u1 * x[3];
    const V t20 = x[1] * u3;
    const V t21 = t19 + t20;
    const V t22 = t18 + t21;
    const V t23 = t7 * u4;
    const V t24 = u5 * t22;
    const V t25 = t23 + t24;
    const V t26 = -t25;
    y[0] = t26;
    y[1] = t22;
  }
};

// sgd, momentum: update, vjp_vjp
template <class S, class V>
struct k_5089319ce6fb_vjp_vjp {
  static constexpr int inputs = 6, outputs = 4, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t15 = u0 * x[4];
    const V t17 = u1 * x[5];
    const V t18 = t15 + t17;
    const V t22 = u2 * t18;
    const V t23 = -t22;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = t23;
    y[3] = t18;
  }
};

// sgd, momentum: update, vjps_vjps
template <class S, class V>
struct k_5089319ce6fb_vjps_vjps {
  static constexpr int inputs = 6, outputs = 4, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t12 = u2 * x[2];
    const V t13 = x[3] - t12;
    const V t24 = t13 * u3;
    const V t25 = x[0] * u3;
    const V t26 = t13 * x[4];
    const V t27 = u0 * x[4];
    const V t28 = t25 + t27;
    const V t29 = t13 * u4;
    const V t30 = x[1] * u4;
    const V t31 = t28 + t30;
    const V t32 = t13 * x[5];
    const V t33 = u1 * x[5];
    const V t34 = t31 + t33;
    const V t36 = x[2] * t34;
    const V t37 = -t36;
    const V t38 = u2 * t34;
    const V t39 = -t38;
    const V t41 = x[2] * u5;
    const V t43 = t9 * u5;
    const V t45 = t39 - t43;
    const V t46 = u1 * t41;
    const V t48 = x[1] * t41;
    const V t50 = t29 - t46;
    const V t51 = t32 - t48;
    const V t52 = u0 * t41;
    const V t54 = x[0] * t41;
    const V t56 = t24 - t52;
    const V t57 = t26 - t54;
    y[0] = t56;
    y[1] = t50;
    y[2] = t45;
    y[3] = t34;
    y[4] = t57;
    y[5] = t51;
    y[6] = t37;
  }
};

// sgd, momentum: parameters, forward
template <class S, class V>
struct k_2800278b96fb_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t6 = x[0] * u0;
    const V t7 = x[2] * u1;
    const V t8 = t6 + t7;
    const V t10 = u2 * t8;
    const V t12 = x[1] - t10;
    y[0] = t12;
    y[1] = t8;
  }
};

// sgd, momentum: parameters, vjp
template <class S, class V>
struct k_2800278b96fb_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[2]);
    u[1] = S(h[1]);
    u[2] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t17 = u0 * x[3];
    const V t19 = x[4] - t17;
    const V t20 = u1 * t19;
    const V t22 = u2 * t19;
    y[0] = t22;
    y[1] = x[3];
    y[2] = t20;
  }
};

// sgd, momentum: parameters, vjps
template <class S, class V>
struct k_2800278b96fb_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t6 = x[0] * u0;
    const V t7 = x[2] * u1;
    const V t8 = t6 + t7;
    const V t15 = t8 * x[3];
    const V t16 = -t15;
    const V t17 = u2 * x[3];
    const V t19 = x[4] - t17;
    const V t20 = u1 * t19;
    const V t21 = x[2] * t19;
    const V t22 = u0 * t19;
    const V t23 = x[0] * t19;
    y[0] = t22;
    y[1] = x[3];
    y[2] = t20;
    y[3] = t23;
    y[4] = t21;
    y[5] = t16;
  }
};

// sgd, momentum: parameters, jvp
template <class S, class V>
struct k_2800278b96fb_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t6 = x[0] * u0;
    const V t7 = x[2] * u1;
    const V t8 = t6 + t7;
    const V t18 = u0 * x[3];
    const V t19 = x[0] * u2;
    const V t20 = t18 + t19;
    const V t21 = u1 * x[5];
    const V t22 = x[2] * u3;
    const V t23 = t21 + t22;
    const V t24 = t20 + t23;
    const V t25 = t8 * u4;
    const V t26 = u5 * t24;
    const V t27 = t25 + t26;
    const V t28 = x[4] - t27;
    y[0] = t28;
    y[1] = t24;
  }
};

// sgd, momentum: parameters, vjp_vjp
template <class S, class V>
struct k_2800278b96fb_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t17 = u0 * x[5];
    const V t19 = u1 * x[7];
    const V t20 = t17 + t19;
    const V t24 = u2 * t20;
    const V t26 = x[6] - t24;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t26;
    y[4] = t20;
  }
};

// sgd, momentum: parameters, vjps_vjps
template <class S, class V>
struct k_2800278b96fb_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t10 = t8 + t9;
    const V t13 = u2 * x[3];
    const V t14 = x[4] - t13;
    const V t26 = t14 * u3;
    const V t27 = x[0] * u3;
    const V t28 = t14 * x[5];
    const V t29 = u0 * x[5];
    const V t30 = t27 + t29;
    const V t31 = t14 * u4;
    const V t32 = x[2] * u4;
    const V t33 = t30 + t32;
    const V t34 = t14 * x[7];
    const V t35 = u1 * x[7];
    const V t36 = t33 + t35;
    const V t38 = x[3] * t36;
    const V t39 = -t38;
    const V t40 = u2 * t36;
    const V t42 = x[6] - t40;
    const V t44 = x[3] * u5;
    const V t46 = t10 * u5;
    const V t48 = t42 - t46;
    const V t49 = u1 * t44;
    const V t51 = x[2] * t44;
    const V t53 = t31 - t49;
    const V t54 = t34 - t51;
    const V t55 = u0 * t44;
    const V t57 = x[0] * t44;
    const V t59 = t26 - t55;
    const V t60 = t28 - t57;
    y[0] = t59;
    y[1] = splat<V>(S(0.0));
    y[2] = t53;
    y[3] = t48;
    y[4] = t36;
    y[5] = t60;
    y[6] = t54;
    y[7] = t39;
  }
};

// sgd, momentum, weight decay: update, forward
template <class S, class V>
struct k_d75c95efa386_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t13 = u3 * t11;
    const V t14 = -t13;
    y[0] = t14;
    y[1] = t11;
  }
};

// sgd, momentum, weight decay: update, vjp
template <class S, class V>
struct k_d75c95efa386_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[3]);
    u[1] = S(h[2]);
    u[2] = S(h[1]);
    u[3] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t20 = u0 * x[3];
    const V t22 = x[4] - t20;
    const V t23 = u1 * t22;
    const V t25 = u2 * t22;
    const V t27 = u3 * t22;
    y[0] = t27;
    y[1] = t25;
    y[2] = t23;
  }
};

// sgd, momentum, weight decay: update, vjps
template <class S, class V>
struct k_d75c95efa386_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 4, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t18 = t11 * x[3];
    const V t19 = -t18;
    const V t20 = u3 * x[3];
    const V t22 = x[4] - t20;
    const V t23 = u2 * t22;
    const V t24 = x[2] * t22;
    const V t25 = u1 * t22;
    const V t26 = x[1] * t22;
    const V t27 = u0 * t22;
    const V t28 = x[0] * t22;
    y[0] = t27;
    y[1] = t25;
    y[2] = t23;
    y[3] = t28;
    y[4] = t26;
    y[5] = t24;
    y[6] = t19;
  }
};

// sgd, momentum, weight decay: update, jvp
template <class S, class V>
struct k_d75c95efa386_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 8, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t22 = u0 * x[3];
    const V t23 = x[0] * u3;
    const V t24 = t22 + t23;
    const V t25 = u1 * x[4];
    const V t26 = x[1] * u4;
    const V t27 = t25 + t26;
    const V t28 = t24 + t27;
    const V t29 = u2 * x[5];
    const V t30 = x[2] * u5;
    const V t31 = t29 + t30;
    const V t32 = t28 + t31;
    const V t33 = t11 * u6;
    const V t34 = u7 * t32;
    const V t35 = t33 + t34;
    const V t36 = -t35;
    y[0] = t36;
    y[1] = t32;
  }
};

// sgd, momentum, weight decay: update, vjp_vjp
template <class S, class V>
struct k_d75c95efa386_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t19 = u0 * x[5];
    const V t21 = u1 * x[6];
    const V t22 = t19 + t21;
    const V t24 = u2 * x[7];
    const V t25 = t22 + t24;
    const V t29 = u3 * t25;
    const V t30 = -t29;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t30;
    y[4] = t25;
  }
};

// sgd, momentum, weight decay: update, vjps_vjps
template <class S, class V>
struct k_d75c95efa386_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 8, sums = 4, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t13 = t11 + t12;
    const V t16 = u3 * x[3];
    const V t17 = x[4] - t16;
    const V t32 = t17 * u4;
    const V t33 = x[0] * u4;
    const V t34 = t17 * x[5];
    const V t35 = u0 * x[5];
    const V t36 = t33 + t35;
    const V t37 = t17 * u5;
    const V t38 = x[1] * u5;
    const V t39 = t36 + t38;
    const V t40 = t17 * x[6];
    const V t41 = u1 * x[6];
    const V t42 = t39 + t41;
    const V t43 = t17 * u6;
    const V t44 = x[2] * u6;
    const V t45 = t42 + t44;
    const V t46 = t17 * x[7];
    const V t47 = u2 * x[7];
    const V t48 = t45 + t47;
    const V t50 = x[3] * t48;
    const V t51 = -t50;
    const V t52 = u3 * t48;
    const V t53 = -t52;
    const V t55 = x[3] * u7;
    const V t57 = t13 * u7;
    const V t59 = t53 - t57;
    const V t60 = u2 * t55;
    const V t62 = x[2] * t55;
    const V t64 = t43 - t60;
    const V t65 = t46 - t62;
    const V t66 = u1 * t55;
    const V t68 = x[1] * t55;
    const V t70 = t37 - t66;
    const V t71 = t40 - t68;
    const V t72 = u0 * t55;
    const V t74 = x[0] * t55;
    const V t76 = t32 - t72;
    const V t77 = t34 - t74;
    y[0] = t76;
    y[1] = t70;
    y[2] = t64;
    y[3] = t59;
    y[4] = t48;
    y[5] = t77;
    y[6] = t71;
    y[7] = t65;
    y[8] = t51;
  }
};

// sgd, momentum, weight decay: parameters, forward
template <class S, class V>
struct k_fcba79638e62_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t13 = u3 * t11;
    const V t15 = x[1] - t13;
    y[0] = t15;
    y[1] = t11;
  }
};

// sgd, momentum, weight decay: parameters, vjp
template <class S, class V>
struct k_fcba79638e62_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[3]);
    u[1] = S(h[2]);
    u[2] = S(h[1]);
    u[3] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t20 = u0 * x[3];
    const V t22 = x[4] - t20;
    const V t23 = u1 * t22;
    const V t25 = u2 * t22;
    const V t27 = x[3] + t25;
    const V t28 = u3 * t22;
    y[0] = t28;
    y[1] = t27;
    y[2] = t23;
  }
};

// sgd, momentum, weight decay: parameters, vjps
template <class S, class V>
struct k_fcba79638e62_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 4, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t18 = t11 * x[3];
    const V t19 = -t18;
    const V t20 = u3 * x[3];
    const V t22 = x[4] - t20;
    const V t23 = u2 * t22;
    const V t24 = x[2] * t22;
    const V t25 = u1 * t22;
    const V t26 = x[1] * t22;
    const V t27 = x[3] + t25;
    const V t28 = u0 * t22;
    const V t29 = x[0] * t22;
    y[0] = t28;
    y[1] = t27;
    y[2] = t23;
    y[3] = t29;
    y[4] = t26;
    y[5] = t24;
    y[6] = t19;
  }
};

// sgd, momentum, weight decay: parameters, jvp
template <class S, class V>
struct k_fcba79638e62_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 8, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t22 = u0 * x[3];
    const V t23 = x[0] * u3;
    const V t24 = t22 + t23;
    const V t25 = u1 * x[4];
    const V t26 = x[1] * u4;
    const V t27 = t25 + t26;
    const V t28 = t24 + t27;
    const V t29 = u2 * x[5];
    const V t30 = x[2] * u5;
    const V t31 = t29 + t30;
    const V t32 = t28 + t31;
    const V t33 = t11 * u6;
    const V t34 = u7 * t32;
    const V t35 = t33 + t34;
    const V t36 = x[4] - t35;
    y[0] = t36;
    y[1] = t32;
  }
};

// sgd, momentum, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_fcba79638e62_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t20 = u0 * x[5];
    const V t22 = u1 * x[6];
    const V t23 = t20 + t22;
    const V t25 = u2 * x[7];
    const V t26 = t23 + t25;
    const V t30 = u3 * t26;
    const V t32 = x[6] - t30;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t32;
    y[4] = t26;
  }
};

// sgd, momentum, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_fcba79638e62_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 8, sums = 4, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t13 = t11 + t12;
    const V t16 = u3 * x[3];
    const V t17 = x[4] - t16;
    const V t33 = t17 * u4;
    const V t34 = x[0] * u4;
    const V t35 = t17 * x[5];
    const V t36 = u0 * x[5];
    const V t37 = t34 + t36;
    const V t38 = t17 * u5;
    const V t39 = x[1] * u5;
    const V t40 = t37 + t39;
    const V t41 = t17 * x[6];
    const V t42 = u1 * x[6];
    const V t43 = t40 + t42;
    const V t44 = t17 * u6;
    const V t45 = x[2] * u6;
    const V t46 = t43 + t45;
    const V t47 = t17 * x[7];
    const V t48 = u2 * x[7];
    const V t49 = t46 + t48;
    const V t51 = x[3] * t49;
    const V t52 = -t51;
    const V t53 = u3 * t49;
    const V t55 = x[6] - t53;
    const V t57 = x[3] * u7;
    const V t59 = t13 * u7;
    const V t61 = t55 - t59;
    const V t62 = u2 * t57;
    const V t64 = x[2] * t57;
    const V t66 = t44 - t62;
    const V t67 = t47 - t64;
    const V t68 = u1 * t57;
    const V t70 = x[1] * t57;
    const V t72 = t38 - t68;
    const V t73 = t41 - t70;
    const V t74 = u0 * t57;
    const V t76 = x[0] * t57;
    const V t78 = t33 - t74;
    const V t79 = t35 - t76;
    y[0] = t78;
    y[1] = t72;
    y[2] = t66;
    y[3] = t61;
    y[4] = t49;
    y[5] = t79;
    y[6] = t73;
    y[7] = t67;
    y[8] = t52;
  }
};

// sgd, Nesterov: update, forward
template <class S, class V>
struct k_883b38f4a025_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t8 = u1 * t7;
    const V t9 = t5 + t8;
    const V t11 = u2 * t9;
    const V t12 = -t11;
    y[0] = t12;
    y[1] = t7;
  }
};

// sgd, Nesterov: update, vjp
template <class S, class V>
struct k_883b38f4a025_vjp {
  static constexpr int inputs = 4, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[2]);
    u[1] = S(h[1]);
    u[2] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t18 = u0 * x[2];
    const V t22 = u1 * t18;
    const V t24 = x[3] - t22;
    const V t25 = t24 - t18;
    const V t26 = u1 * t24;
    const V t29 = u2 * t25;
    y[0] = t29;
    y[1] = t26;
  }
};

// sgd, Nesterov: update, vjps
template <class S, class V>
struct k_883b38f4a025_vjps {
  static constexpr int inputs = 4, outputs = 2, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t8 = u1 * t7;
    const V t9 = t5 + t8;
    const V t16 = t9 * x[2];
    const V t17 = -t16;
    const V t18 = u2 * x[2];
    const V t20 = t7 * t18;
    const V t22 = u1 * t18;
    const V t24 = x[3] - t22;
    const V t25 = t24 - t18;
    const V t26 = u1 * t24;
    const V t27 = x[1] * t24;
    const V t28 = t27 - t20;
    const V t29 = u0 * t25;
    const V t30 = x[0] * t25;
    y[0] = t29;
    y[1] = t26;
    y[2] = t30;
    y[3] = t28;
    y[4] = t17;
  }
};

// sgd, Nesterov: update, jvp
template <class S, class V>
struct k_883b38f4a025_jvp {
  static constexpr int inputs = 4, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t5 = x[0] * u0;
    const V t6 = x[1] * u1;
    const V t7 = t5 + t6;
    const V t8 = u1 * t7;
    const V t9 = t5 + t8;
    const V t18 = u0 * x[2];
    const V t19 = x[0] * u2;
    const V t20 = t18 + t19;
    const V t21 = u1 * x[3];
    const V t22 = x[1] * u3;
    const V t23 = t21 + t22;
    const V t24 = t20 + t23;
    const V t25 = t7 * u3;
    const V t26 = u1 * t24;
    const V t27 = t25 + t26;
    const V t28 = t20 + t27;
    const V t29 = t9 * u4;
    const V t30 = u5 * t28;
    const V t31 = t29 + t30;
    const V t32 = -t31;
    y[0] = t32;
    y[1] = t24;
  }
};

// sgd, Nesterov: update, vjp_vjp
template <class S, class V>
struct k_883b38f4a025_vjp_vjp {
  static constexpr int inputs = 6, outputs = 4, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t17 = u0 * x[4];
    const V t19 = u1 * x[5];
    const V t20 = -t17;
    const V t21 = t17 + t19;
    const V t25 = u1 * t21;
    const V t28 = t20 - t25;
    const V t30 = u2 * t28;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = t30;
    y[3] = t21;
  }
};

// sgd, Nesterov: update, vjps_vjps
template <class S, class V>
struct k_883b38f4a025_vjps_vjps {
  static constexpr int inputs = 6, outputs = 4, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = u1 * t9;
    const V t11 = t7 + t10;
    const V t14 = u2 * x[2];
    const V t16 = u1 * t14;
    const V t17 = x[3] - t16;
    const V t18 = t17 - t14;
    const V t30 = t18 * u3;
    const V t31 = x[0] * u3;
    const V t32 = t18 * x[4];
    const V t33 = u0 * x[4];
    const V t34 = t31 + t33;
    const V t36 = t17 * u4;
    const V t37 = x[1] * u4;
    const V t38 = t17 * x[5];
    const V t39 = u1 * x[5];
    const V t40 = t37 + t39;
    const V t41 = -t34;
    const V t42 = t34 + t40;
    const V t44 = t14 * t42;
    const V t46 = u1 * t42;
    const V t48 = t38 - t44;
    const V t49 = t41 - t46;
    const V t50 = t14 * u4;
    const V t51 = -t50;
    const V t52 = t9 * u4;
    const V t54 = t49 - t52;
    const V t55 = x[2] * t54;
    const V t56 = u2 * t54;
    const V t58 = x[2] * u5;
    const V t60 = t11 * u5;
    const V t62 = t56 - t60;
    const V t63 = t9 * t58;
    const V t65 = u1 * t58;
    const V t67 = t48 - t63;
    const V t68 = t51 - t65;
    const V t69 = t68 - t58;
    const V t70 = u1 * t68;
    const V t71 = x[1] * t68;
    const V t72 = t36 + t70;
    const V t73 = t67 + t71;
    const V t74 = u0 * t69;
    const V t75 = x[0] * t69;
    const V t76 = t30 + t74;
    const V t77 = t32 + t75;
    y[0] = t76;
    y[1] = t72;
    y[2] = t62;
    y[3] = t42;
    y[4] = t77;
    y[5] = t73;
    y[6] = t55;
  }
};

// sgd, Nesterov: parameters, forward
template <class S, class V>
struct k_34183b052808_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t6 = x[0] * u0;
    const V t7 = x[2] * u1;
    const V t8 = t6 + t7;
    const V t9 = u1 * t8;
    const V t10 = t6 + t9;
    const V t12 = u2 * t10;
    const V t14 = x[1] - t12;
    y[0] = t14;
    y[1] = t8;
  }
};

// sgd, Nesterov: parameters, vjp
template <class S, class V>
struct k_34183b052808_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[2]);
    u[1] = S(h[1]);
    u[2] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t19 = u0 * x[3];
    const V t23 = u1 * t19;
    const V t25 = x[4] - t23;
    const V t26 = t25 - t19;
    const V t27 = u1 * t25;
    const V t30 = u2 * t26;
    y[0] = t30;
    y[1] = x[3];
    y[2] = t27;
  }
};

// sgd, Nesterov: parameters, vjps
template <class S, class V>
struct k_34183b052808_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t6 = x[0] * u0;
    const V t7 = x[2] * u1;
    const V t8 = t6 + t7;
    const V t9 = u1 * t8;
    const V t10 = t6 + t9;
    const V t17 = t10 * x[3];
    const V t18 = -t17;
    const V t19 = u2 * x[3];
    const V t21 = t8 * t19;
    const V t23 = u1 * t19;
    const V t25 = x[4] - t23;
    const V t26 = t25 - t19;
    const V t27 = u1 * t25;
    const V t28 = x[2] * t25;
    const V t29 = t28 - t21;
    const V t30 = u0 * t26;
    const V t31 = x[0] * t26;
    y[0] = t30;
    y[1] = x[3];
    y[2] = t27;
    y[3] = t31;
    y[4] = t29;
    y[5] = t18;
  }
};

// sgd, Nesterov: parameters, jvp
template <class S, class V>
struct k_34183b052808_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t6 = x[0] * u0;
    const V t7 = x[2] * u1;
    const V t8 = t6 + t7;
    const V t9 = u1 * t8;
    const V t10 = t6 + t9;
    const V t20 = u0 * x[3];
    const V t21 = x[0] * u2;
    const V t22 = t20 + t21;
    const V t23 = u1 * x[5];
    const V t24 = x[2] * u3;
    const V t25 = t23 + t24;
    const V t26 = t22 + t25;
    const V t27 = t8 * u3;
    const V t28 = u1 * t26;
    const V t29 = t27 + t28;
    const V t30 = t22 + t29;
    const V t31 = t10 * u4;
    const V t32 = u5 * t30;
    const V t33 = t31 + t32;
    const V t34 = x[4] - t33;
    y[0] = t34;
    y[1] = t26;
  }
};

// sgd, Nesterov: parameters, vjp_vjp
template <class S, class V>
struct k_34183b052808_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t19 = u0 * x[5];
    const V t21 = u1 * x[7];
    const V t22 = -t19;
    const V t23 = t19 + t21;
    const V t27 = u1 * t23;
    const V t30 = t22 - t27;
    const V t32 = u2 * t30;
    const V t33 = x[6] + t32;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t33;
    y[4] = t23;
  }
};

// sgd, Nesterov: parameters, vjps_vjps
template <class S, class V>
struct k_34183b052808_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t10 = t8 + t9;
    const V t11 = u1 * t10;
    const V t12 = t8 + t11;
    const V t15 = u2 * x[3];
    const V t17 = u1 * t15;
    const V t18 = x[4] - t17;
    const V t19 = t18 - t15;
    const V t32 = t19 * u3;
    const V t33 = x[0] * u3;
    const V t34 = t19 * x[5];
    const V t35 = u0 * x[5];
    const V t36 = t33 + t35;
    const V t38 = t18 * u4;
    const V t39 = x[2] * u4;
    const V t40 = t18 * x[7];
    const V t41 = u1 * x[7];
    const V t42 = t39 + t41;
    const V t43 = -t36;
    const V t44 = t36 + t42;
    const V t46 = t15 * t44;
    const V t48 = u1 * t44;
    const V t50 = t40 - t46;
    const V t51 = t43 - t48;
    const V t52 = t15 * u4;
    const V t53 = -t52;
    const V t54 = t10 * u4;
    const V t56 = t51 - t54;
    const V t57 = x[3] * t56;
    const V t58 = u2 * t56;
    const V t59 = x[6] + t58;
    const V t61 = x[3] * u5;
    const V t63 = t12 * u5;
    const V t65 = t59 - t63;
    const V t66 = t10 * t61;
    const V t68 = u1 * t61;
    const V t70 = t50 - t66;
    const V t71 = t53 - t68;
    const V t72 = t71 - t61;
    const V t73 = u1 * t71;
    const V t74 = x[2] * t71;
    const V t75 = t38 + t73;
    const V t76 = t70 + t74;
    const V t77 = u0 * t72;
    const V t78 = x[0] * t72;
    const V t79 = t32 + t77;
    const V t80 = t34 + t78;
    y[0] = t79;
    y[1] = splat<V>(S(0.0));
    y[2] = t75;
    y[3] = t65;
    y[4] = t44;
    y[5] = t80;
    y[6] = t76;
    y[7] = t57;
  }
};

// sgd, Nesterov, weight decay: update, forward
template <class S, class V>
struct k_c06653bbbc24_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t12 = u2 * t11;
    const V t13 = t9 + t12;
    const V t15 = u3 * t13;
    const V t16 = -t15;
    y[0] = t16;
    y[1] = t11;
  }
};

// sgd, Nesterov, weight decay: update, vjp
template <class S, class V>
struct k_c06653bbbc24_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[3]);
    u[1] = S(h[2]);
    u[2] = S(h[1]);
    u[3] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t22 = u0 * x[3];
    const V t26 = u1 * t22;
    const V t28 = x[4] - t26;
    const V t29 = t28 - t22;
    const V t30 = u1 * t28;
    const V t33 = u2 * t29;
    const V t35 = u3 * t29;
    y[0] = t35;
    y[1] = t33;
    y[2] = t30;
  }
};

// sgd, Nesterov, weight decay: update, vjps
template <class S, class V>
struct k_c06653bbbc24_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 4, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t12 = u2 * t11;
    const V t13 = t9 + t12;
    const V t20 = t13 * x[3];
    const V t21 = -t20;
    const V t22 = u3 * x[3];
    const V t24 = t11 * t22;
    const V t26 = u2 * t22;
    const V t28 = x[4] - t26;
    const V t29 = t28 - t22;
    const V t30 = u2 * t28;
    const V t31 = x[2] * t28;
    const V t32 = t31 - t24;
    const V t33 = u1 * t29;
    const V t34 = x[1] * t29;
    const V t35 = u0 * t29;
    const V t36 = x[0] * t29;
    y[0] = t35;
    y[1] = t33;
    y[2] = t30;
    y[3] = t36;
    y[4] = t34;
    y[5] = t32;
    y[6] = t21;
  }
};

// sgd, Nesterov, weight decay: update, jvp
template <class S, class V>
struct k_c06653bbbc24_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 8, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t12 = u2 * t11;
    const V t13 = t9 + t12;
    const V t24 = u0 * x[3];
    const V t25 = x[0] * u3;
    const V t26 = t24 + t25;
    const V t27 = u1 * x[4];
    const V t28 = x[1] * u4;
    const V t29 = t27 + t28;
    const V t30 = t26 + t29;
    const V t31 = u2 * x[5];
    const V t32 = x[2] * u5;
    const V t33 = t31 + t32;
    const V t34 = t30 + t33;
    const V t35 = t11 * u5;
    const V t36 = u2 * t34;
    const V t37 = t35 + t36;
    const V t38 = t30 + t37;
    const V t39 = t13 * u6;
    const V t40 = u7 * t38;
    const V t41 = t39 + t40;
    const V t42 = -t41;
    y[0] = t42;
    y[1] = t34;
  }
};

// sgd, Nesterov, weight decay: update, vjp_vjp
template <class S, class V>
struct k_c06653bbbc24_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t21 = u0 * x[5];
    const V t23 = u1 * x[6];
    const V t24 = t21 + t23;
    const V t26 = u2 * x[7];
    const V t27 = -t24;
    const V t28 = t24 + t26;
    const V t32 = u2 * t28;
    const V t35 = t27 - t32;
    const V t37 = u3 * t35;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t37;
    y[4] = t28;
  }
};

// sgd, Nesterov, weight decay: update, vjps_vjps
template <class S, class V>
struct k_c06653bbbc24_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 8, sums = 4, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t13 = t11 + t12;
    const V t14 = u2 * t13;
    const V t15 = t11 + t14;
    const V t18 = u3 * x[3];
    const V t20 = u2 * t18;
    const V t21 = x[4] - t20;
    const V t22 = t21 - t18;
    const V t38 = t22 * u4;
    const V t39 = x[0] * u4;
    const V t40 = t22 * x[5];
    const V t41 = u0 * x[5];
    const V t42 = t39 + t41;
    const V t43 = t22 * u5;
    const V t44 = x[1] * u5;
    const V t45 = t42 + t44;
    const V t46 = t22 * x[6];
    const V t47 = u1 * x[6];
    const V t48 = t45 + t47;
    const V t50 = t21 * u6;
    const V t51 = x[2] * u6;
    const V t52 = t21 * x[7];
    const V t53 = u2 * x[7];
    const V t54 = t51 + t53;
    const V t55 = -t48;
    const V t56 = t48 + t54;
    const V t58 = t18 * t56;
    const V t60 = u2 * t56;
    const V t62 = t52 - t58;
    const V t63 = t55 - t60;
    const V t64 = t18 * u6;
    const V t65 = -t64;
    const V t66 = t13 * u6;
    const V t68 = t63 - t66;
    const V t69 = x[3] * t68;
    const V t70 = u3 * t68;
    const V t72 = x[3] * u7;
    const V t74 = t15 * u7;
    const V t76 = t70 - t74;
    const V t77 = t13 * t72;
    const V t79 = u2 * t72;
    const V t81 = t62 - t77;
    const V t82 = t65 - t79;
    const V t83 = t82 - t72;
    const V t84 = u2 * t82;
    const V t85 = x[2] * t82;
    const V t86 = t50 + t84;
    const V t87 = t81 + t85;
    const V t88 = u1 * t83;
    const V t89 = x[1] * t83;
    const V t90 = t43 + t88;
    const V t91 = t46 + t89;
    const V t92 = u0 * t83;
    const V t93 = x[0] * t83;
    const V t94 = t38 + t92;
    const V t95 = t40 + t93;
    y[0] = t94;
    y[1] = t90;
    y[2] = t86;
    y[3] = t76;
    y[4] = t56;
    y[5] = t95;
    y[6] = t91;
    y[7] = t87;
    y[8] = t69;
  }
};

// sgd, Nesterov, weight decay: parameters, forward
template <class S, class V>
struct k_57769c785950_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t12 = u2 * t11;
    const V t13 = t9 + t12;
    const V t15 = u3 * t13;
    const V t17 = x[1] - t15;
    y[0] = t17;
    y[1] = t11;
  }
};

// sgd, Nesterov, weight decay: parameters, vjp
template <class S, class V>
struct k_57769c785950_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[3]);
    u[1] = S(h[2]);
    u[2] = S(h[1]);
    u[3] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t22 = u0 * x[3];
    const V t26 = u1 * t22;
    const V t28 = x[4] - t26;
    const V t29 = t28 - t22;
    const V t30 = u1 * t28;
    const V t33 = u2 * t29;
    const V t35 = x[3] + t33;
    const V t36 = u3 * t29;
    y[0] = t36;
    y[1] = t35;
    y[2] = t30;
  }
};

// sgd, Nesterov, weight decay: parameters, vjps
template <class S, class V>
struct k_57769c785950_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 4, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t12 = u2 * t11;
    const V t13 = t9 + t12;
    const V t20 = t13 * x[3];
    const V t21 = -t20;
    const V t22 = u3 * x[3];
    const V t24 = t11 * t22;
    const V t26 = u2 * t22;
    const V t28 = x[4] - t26;
    const V t29 = t28 - t22;
    const V t30 = u2 * t28;
    const V t31 = x[2] * t28;
    const V t32 = t31 - t24;
    const V t33 = u1 * t29;
    const V t34 = x[1] * t29;
    const V t35 = x[3] + t33;
    const V t36 = u0 * t29;
    const V t37 = x[0] * t29;
    y[0] = t36;
    y[1] = t35;
    y[2] = t30;
    y[3] = t37;
    y[4] = t34;
    y[5] = t32;
    y[6] = t21;
  }
};

// sgd, Nesterov, weight decay: parameters, jvp
template <class S, class V>
struct k_57769c785950_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 8, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = x[2] * u2;
    const V t11 = t9 + t10;
    const V t12 = u2 * t11;
    const V t13 = t9 + t12;
    const V t24 = u0 * x[3];
    const V t25 = x[0] * u3;
    const V t26 = t24 + t25;
    const V t27 = u1 * x[4];
    const V t28 = x[1] * u4;
    const V t29 = t27 + t28;
    const V t30 = t26 + t29;
    const V t31 = u2 * x[5];
    const V t32 = x[2] * u5;
    const V t33 = t31 + t32;
    const V t34 = t30 + t33;
    const V t35 = t11 * u5;
    const V t36 = u2 * t34;
    const V t37 = t35 + t36;
    const V t38 = t30 + t37;
    const V t39 = t13 * u6;
    const V t40 = u7 * t38;
    const V t41 = t39 + t40;
    const V t42 = x[4] - t41;
    y[0] = t42;
    y[1] = t34;
  }
};

// sgd, Nesterov, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_57769c785950_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t22 = u0 * x[5];
    const V t24 = u1 * x[6];
    const V t25 = t22 + t24;
    const V t27 = u2 * x[7];
    const V t28 = -t25;
    const V t29 = t25 + t27;
    const V t33 = u2 * t29;
    const V t36 = t28 - t33;
    const V t38 = u3 * t36;
    const V t39 = x[6] + t38;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t39;
    y[4] = t29;
  }
};

// sgd, Nesterov, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_57769c785950_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 8, sums = 4, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t13 = t11 + t12;
    const V t14 = u2 * t13;
    const V t15 = t11 + t14;
    const V t18 = u3 * x[3];
    const V t20 = u2 * t18;
    const V t21 = x[4] - t20;
    const V t22 = t21 - t18;
    const V t39 = t22 * u4;
    const V t40 = x[0] * u4;
    const V t41 = t22 * x[5];
    const V t42 = u0 * x[5];
    const V t43 = t40 + t42;
    const V t44 = t22 * u5;
    const V t45 = x[1] * u5;
    const V t46 = t43 + t45;
    const V t47 = t22 * x[6];
    const V t48 = u1 * x[6];
    const V t49 = t46 + t48;
    const V t51 = t21 * u6;
    const V t52 = x[2] * u6;
    const V t53 = t21 * x[7];
    const V t54 = u2 * x[7];
    const V t55 = t52 + t54;
    const V t56 = -t49;
    const V t57 = t49 + t55;
    const V t59 = t18 * t57;
    const V t61 = u2 * t57;
    const V t63 = t53 - t59;
    const V t64 = t56 - t61;
    const V t65 = t18 * u6;
    const V t66 = -t65;
    const V t67 = t13 * u6;
    const V t69 = t64 - t67;
    const V t70 = x[3] * t69;
    const V t71 = u3 * t69;
    const V t72 = x[6] + t71;
    const V t74 = x[3] * u7;
    const V t76 = t15 * u7;
    const V t78 = t72 - t76;
    const V t79 = t13 * t74;
    const V t81 = u2 * t74;
    const V t83 = t63 - t79;
    const V t84 = t66 - t81;
    const V t85 = t84 - t74;
    const V t86 = u2 * t84;
    const V t87 = x[2] * t84;
    const V t88 = t51 + t86;
    const V t89 = t83 + t87;
    const V t90 = u1 * t85;
    const V t91 = x[1] * t85;
    const V t92 = t44 + t90;
    const V t93 = t47 + t91;
    const V t94 = u0 * t85;
    const V t95 = x[0] * t85;
    const V t96 = t39 + t94;
    const V t97 = t41 + t95;
    y[0] = t96;
    y[1] = t92;
    y[2] = t88;
    y[3] = t78;
    y[4] = t57;
    y[5] = t97;
    y[6] = t93;
    y[7] = t89;
    y[8] = t70;
  }
};

// sgd, dampening: update, forward
template <class S, class V>
struct k_7f11db12decc_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 5, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t13 = select_eq(u3, splat<V>(S(0.0)), t11, t7);
    const V t14 = t8 + t13;
    const V t16 = u4 * t14;
    const V t17 = -t16;
    y[0] = t17;
    y[1] = t14;
  }
};

// sgd, dampening: update, vjp
template <class S, class V>
struct k_7f11db12decc_vjp {
  static constexpr int inputs = 4, outputs = 2, scalars = 5, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[2];
    u[0] = S(h[4]);
    u[1] = S(h[3]);
    u[2] = S(t10);
    u[3] = S(h[1]);
    u[4] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t22 = u0 * x[2];
    const V t24 = x[3] - t22;
    const V t25 = select_eq(u1, splat<V>(S(0.0)), t24, splat<V>(S(0.0)));
    const V t26 = select_eq(u1, splat<V>(S(0.0)), splat<V>(S(0.0)), t24);
    const V t27 = u2 * t25;
    const V t29 = t26 + t27;
    const V t31 = u3 * t24;
    const V t33 = u4 * t29;
    y[0] = t33;
    y[1] = t31;
  }
};

// sgd, dampening: update, vjps
template <class S, class V>
struct k_7f11db12decc_vjps {
  static constexpr int inputs = 4, outputs = 2, scalars = 5, sums = 5, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t13 = select_eq(u3, splat<V>(S(0.0)), t11, t7);
    const V t14 = t8 + t13;
    const V t20 = t14 * x[2];
    const V t21 = -t20;
    const V t22 = u4 * x[2];
    const V t24 = x[3] - t22;
    const V t25 = select_eq(u3, splat<V>(S(0.0)), t24, splat<V>(S(0.0)));
    const V t26 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t24);
    const V t27 = u2 * t25;
    const V t28 = t7 * t25;
    const V t29 = t26 + t27;
    const V t30 = -t28;
    const V t31 = u1 * t24;
    const V t32 = x[1] * t24;
    const V t33 = u0 * t29;
    const V t34 = x[0] * t29;
    y[0] = t33;
    y[1] = t31;
    y[2] = t34;
    y[3] = t32;
    y[4] = t30;
    y[5] = splat<V>(S(0.0));
    y[6] = t21;
  }
};

// sgd, dampening: update, jvp
template <class S, class V>
struct k_7f11db12decc_jvp {
  static constexpr int inputs = 4, outputs = 2, scalars = 10, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[3]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[9]);
    u[8] = S(h[4]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t13 = select_eq(u3, splat<V>(S(0.0)), t11, t7);
    const V t14 = t8 + t13;
    const V t24 = u0 * x[2];
    const V t25 = x[0] * u4;
    const V t26 = t24 + t25;
    const V t27 = u1 * x[3];
    const V t28 = x[1] * u5;
    const V t29 = t27 + t28;
    const V t31 = u2 * t26;
    const V t32 = t7 * u6;
    const V t34 = t31 - t32;
    const V t35 = select_eq(u3, splat<V>(S(0.0)), t34, t26);
    const V t36 = t29 + t35;
    const V t37 = t14 * u7;
    const V t38 = u8 * t36;
    const V t39 = t37 + t38;
    const V t40 = -t39;
    y[0] = t40;
    y[1] = t36;
  }
};

// sgd, dampening: update, vjp_vjp
template <class S, class V>
struct k_7f11db12decc_vjp_vjp {
  static constexpr int inputs = 6, outputs = 4, scalars = 5, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t23 = u0 * x[4];
    const V t25 = u1 * x[5];
    const V t27 = u2 * t23;
    const V t29 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t23);
    const V t30 = t25 + t29;
    const V t31 = select_eq(u3, splat<V>(S(0.0)), t27, splat<V>(S(0.0)));
    const V t33 = t30 + t31;
    const V t38 = u4 * t33;
    const V t39 = -t38;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = t39;
    y[3] = t33;
  }
};

// sgd, dampening: update, vjps_vjps
template <class S, class V>
struct k_7f11db12decc_vjps_vjps {
  static constexpr int inputs = 6, outputs = 4, scalars = 10, sums = 5, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[9]);
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t15 = select_eq(u3, splat<V>(S(0.0)), t13, t9);
    const V t16 = t10 + t15;
    const V t19 = u4 * x[2];
    const V t20 = x[3] - t19;
    const V t21 = select_eq(u3, splat<V>(S(0.0)), t20, splat<V>(S(0.0)));
    const V t22 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t20);
    const V t23 = u2 * t21;
    const V t25 = t22 + t23;
    const V t38 = t25 * u5;
    const V t39 = x[0] * u5;
    const V t40 = t25 * x[4];
    const V t41 = u0 * x[4];
    const V t42 = t39 + t41;
    const V t43 = t20 * u6;
    const V t44 = x[1] * u6;
    const V t45 = t20 * x[5];
    const V t46 = u1 * x[5];
    const V t47 = t44 + t46;
    const V t49 = t21 * u7;
    const V t51 = t9 * u7;
    const V t53 = t21 * t42;
    const V t54 = u2 * t42;
    const V t55 = t54 - t51;
    const V t57 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t42);
    const V t59 = t47 + t57;
    const V t60 = select_eq(u3, splat<V>(S(0.0)), t55, splat<V>(S(0.0)));
    const V t62 = t59 + t60;
    const V t65 = x[2] * t62;
    const V t66 = -t65;
    const V t67 = u4 * t62;
    const V t68 = -t67;
    const V t70 = x[2] * u8;
    const V t71 = -t70;
    const V t72 = t16 * u8;
    const V t74 = t68 - t72;
    const V t75 = select_eq(u3, splat<V>(S(0.0)), t71, splat<V>(S(0.0)));
    const V t76 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t71);
    const V t77 = t76 - t49;
    const V t78 = u2 * t75;
    const V t79 = t9 * t75;
    const V t80 = t77 + t78;
    const V t81 = t53 + t79;
    const V t82 = -t81;
    const V t83 = u1 * t70;
    const V t85 = x[1] * t70;
    const V t87 = t43 - t83;
    const V t88 = t45 - t85;
    const V t89 = u0 * t80;
    const V t90 = x[0] * t80;
    const V t91 = t38 + t89;
    const V t92 = t40 + t90;
    y[0] = t91;
    y[1] = t87;
    y[2] = t74;
    y[3] = t62;
    y[4] = t92;
    y[5] = t88;
    y[6] = t82;
    y[7] = splat<V>(S(0.0));
    y[8] = t66;
  }
};

// sgd, dampening: parameters, forward
template <class S, class V>
struct k_9201249e767a_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 5, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t14 = select_eq(u3, splat<V>(S(0.0)), t12, t8);
    const V t15 = t9 + t14;
    const V t17 = u4 * t15;
    const V t19 = x[1] - t17;
    y[0] = t19;
    y[1] = t15;
  }
};

// sgd, dampening: parameters, vjp
template <class S, class V>
struct k_9201249e767a_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[2];
    u[0] = S(h[4]);
    u[1] = S(h[3]);
    u[2] = S(t11);
    u[3] = S(h[1]);
    u[4] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t23 = u0 * x[3];
    const V t25 = x[4] - t23;
    const V t26 = select_eq(u1, splat<V>(S(0.0)), t25, splat<V>(S(0.0)));
    const V t27 = select_eq(u1, splat<V>(S(0.0)), splat<V>(S(0.0)), t25);
    const V t28 = u2 * t26;
    const V t30 = t27 + t28;
    const V t32 = u3 * t25;
    const V t34 = u4 * t30;
    y[0] = t34;
    y[1] = x[3];
    y[2] = t32;
  }
};

// sgd, dampening: parameters, vjps
template <class S, class V>
struct k_9201249e767a_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 5, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t14 = select_eq(u3, splat<V>(S(0.0)), t12, t8);
    const V t15 = t9 + t14;
    const V t21 = t15 * x[3];
    const V t22 = -t21;
    const V t23 = u4 * x[3];
    const V t25 = x[4] - t23;
    const V t26 = select_eq(u3, splat<V>(S(0.0)), t25, splat<V>(S(0.0)));
    const V t27 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t25);
    const V t28 = u2 * t26;
    const V t29 = t8 * t26;
    const V t30 = t27 + t28;
    const V t31 = -t29;
    const V t32 = u1 * t25;
    const V t33 = x[2] * t25;
    const V t34 = u0 * t30;
    const V t35 = x[0] * t30;
    y[0] = t34;
    y[1] = x[3];
    y[2] = t32;
    y[3] = t35;
    y[4] = t33;
    y[5] = t31;
    y[6] = splat<V>(S(0.0));
    y[7] = t22;
  }
};

// sgd, dampening: parameters, jvp
template <class S, class V>
struct k_9201249e767a_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 10, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[3]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[9]);
    u[8] = S(h[4]);
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
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t14 = select_eq(u3, splat<V>(S(0.0)), t12, t8);
    const V t15 = t9 + t14;
    const V t26 = u0 * x[3];
    const V t27 = x[0] * u4;
    const V t28 = t26 + t27;
    const V t29 = u1 * x[5];
    const V t30 = x[2] * u5;
    const V t31 = t29 + t30;
    const V t33 = u2 * t28;
    const V t34 = t8 * u6;
    const V t36 = t33 - t34;
    const V t37 = select_eq(u3, splat<V>(S(0.0)), t36, t28);
    const V t38 = t31 + t37;
    const V t39 = t15 * u7;
    const V t40 = u8 * t38;
    const V t41 = t39 + t40;
    const V t42 = x[4] - t41;
    y[0] = t42;
    y[1] = t38;
  }
};

// sgd, dampening: parameters, vjp_vjp
template <class S, class V>
struct k_9201249e767a_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 5, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t25 = u0 * x[5];
    const V t27 = u1 * x[7];
    const V t29 = u2 * t25;
    const V t31 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t25);
    const V t32 = t27 + t31;
    const V t33 = select_eq(u3, splat<V>(S(0.0)), t29, splat<V>(S(0.0)));
    const V t35 = t32 + t33;
    const V t40 = u4 * t35;
    const V t42 = x[6] - t40;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t42;
    y[4] = t35;
  }
};

// sgd, dampening: parameters, vjps_vjps
template <class S, class V>
struct k_9201249e767a_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 10, sums = 5, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[9]);
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
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t16 = select_eq(u3, splat<V>(S(0.0)), t14, t10);
    const V t17 = t11 + t16;
    const V t20 = u4 * x[3];
    const V t21 = x[4] - t20;
    const V t22 = select_eq(u3, splat<V>(S(0.0)), t21, splat<V>(S(0.0)));
    const V t23 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t21);
    const V t24 = u2 * t22;
    const V t26 = t23 + t24;
    const V t40 = t26 * u5;
    const V t41 = x[0] * u5;
    const V t42 = t26 * x[5];
    const V t43 = u0 * x[5];
    const V t44 = t41 + t43;
    const V t45 = t21 * u6;
    const V t46 = x[2] * u6;
    const V t47 = t21 * x[7];
    const V t48 = u1 * x[7];
    const V t49 = t46 + t48;
    const V t51 = t22 * u7;
    const V t53 = t10 * u7;
    const V t55 = t22 * t44;
    const V t56 = u2 * t44;
    const V t57 = t56 - t53;
    const V t59 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t44);
    const V t61 = t49 + t59;
    const V t62 = select_eq(u3, splat<V>(S(0.0)), t57, splat<V>(S(0.0)));
    const V t64 = t61 + t62;
    const V t67 = x[3] * t64;
    const V t68 = -t67;
    const V t69 = u4 * t64;
    const V t71 = x[6] - t69;
    const V t73 = x[3] * u8;
    const V t74 = -t73;
    const V t75 = t17 * u8;
    const V t77 = t71 - t75;
    const V t78 = select_eq(u3, splat<V>(S(0.0)), t74, splat<V>(S(0.0)));
    const V t79 = select_eq(u3, splat<V>(S(0.0)), splat<V>(S(0.0)), t74);
    const V t80 = t79 - t51;
    const V t81 = u2 * t78;
    const V t82 = t10 * t78;
    const V t83 = t80 + t81;
    const V t84 = t55 + t82;
    const V t85 = -t84;
    const V t86 = u1 * t73;
    const V t88 = x[2] * t73;
    const V t90 = t45 - t86;
    const V t91 = t47 - t88;
    const V t92 = u0 * t83;
    const V t93 = x[0] * t83;
    const V t94 = t40 + t92;
    const V t95 = t42 + t93;
    y[0] = t94;
    y[1] = splat<V>(S(0.0));
    y[2] = t90;
    y[3] = t77;
    y[4] = t64;
    y[5] = t95;
    y[6] = t91;
    y[7] = t85;
    y[8] = splat<V>(S(0.0));
    y[9] = t68;
  }
};

// sgd, dampening, weight decay: update, forward
template <class S, class V>
struct k_8d80ae49480e_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t17 = select_eq(u4, splat<V>(S(0.0)), t15, t11);
    const V t18 = t12 + t17;
    const V t20 = u5 * t18;
    const V t21 = -t20;
    y[0] = t21;
    y[1] = t18;
  }
};

// sgd, dampening, weight decay: update, vjp
template <class S, class V>
struct k_8d80ae49480e_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[5]);
    u[1] = S(h[4]);
    u[2] = S(t14);
    u[3] = S(h[2]);
    u[4] = S(h[1]);
    u[5] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t26 = u0 * x[3];
    const V t28 = x[4] - t26;
    const V t29 = select_eq(u1, splat<V>(S(0.0)), t28, splat<V>(S(0.0)));
    const V t30 = select_eq(u1, splat<V>(S(0.0)), splat<V>(S(0.0)), t28);
    const V t31 = u2 * t29;
    const V t33 = t30 + t31;
    const V t35 = u3 * t28;
    const V t37 = u4 * t33;
    const V t39 = u5 * t33;
    y[0] = t39;
    y[1] = t37;
    y[2] = t35;
  }
};

// sgd, dampening, weight decay: update, vjps
template <class S, class V>
struct k_8d80ae49480e_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 6, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t17 = select_eq(u4, splat<V>(S(0.0)), t15, t11);
    const V t18 = t12 + t17;
    const V t24 = t18 * x[3];
    const V t25 = -t24;
    const V t26 = u5 * x[3];
    const V t28 = x[4] - t26;
    const V t29 = select_eq(u4, splat<V>(S(0.0)), t28, splat<V>(S(0.0)));
    const V t30 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t28);
    const V t31 = u3 * t29;
    const V t32 = t11 * t29;
    const V t33 = t30 + t31;
    const V t34 = -t32;
    const V t35 = u2 * t28;
    const V t36 = x[2] * t28;
    const V t37 = u1 * t33;
    const V t38 = x[1] * t33;
    const V t39 = u0 * t33;
    const V t40 = x[0] * t33;
    y[0] = t39;
    y[1] = t37;
    y[2] = t35;
    y[3] = t40;
    y[4] = t38;
    y[5] = t36;
    y[6] = t34;
    y[7] = splat<V>(S(0.0));
    y[8] = t25;
  }
};

// sgd, dampening, weight decay: update, jvp
template <class S, class V>
struct k_8d80ae49480e_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 12, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[4]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[8]);
    u[8] = S(h[9]);
    u[9] = S(h[11]);
    u[10] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t17 = select_eq(u4, splat<V>(S(0.0)), t15, t11);
    const V t18 = t12 + t17;
    const V t30 = u0 * x[3];
    const V t31 = x[0] * u5;
    const V t32 = t30 + t31;
    const V t33 = u1 * x[4];
    const V t34 = x[1] * u6;
    const V t35 = t33 + t34;
    const V t36 = t32 + t35;
    const V t37 = u2 * x[5];
    const V t38 = x[2] * u7;
    const V t39 = t37 + t38;
    const V t41 = u3 * t36;
    const V t42 = t11 * u8;
    const V t44 = t41 - t42;
    const V t45 = select_eq(u4, splat<V>(S(0.0)), t44, t36);
    const V t46 = t39 + t45;
    const V t47 = t18 * u9;
    const V t48 = u10 * t46;
    const V t49 = t47 + t48;
    const V t50 = -t49;
    y[0] = t50;
    y[1] = t46;
  }
};

// sgd, dampening, weight decay: update, vjp_vjp
template <class S, class V>
struct k_8d80ae49480e_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t12);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t27 = u0 * x[5];
    const V t29 = u1 * x[6];
    const V t30 = t27 + t29;
    const V t32 = u2 * x[7];
    const V t34 = u3 * t30;
    const V t36 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t30);
    const V t37 = t32 + t36;
    const V t38 = select_eq(u4, splat<V>(S(0.0)), t34, splat<V>(S(0.0)));
    const V t40 = t37 + t38;
    const V t45 = u5 * t40;
    const V t46 = -t45;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t46;
    y[4] = t40;
  }
};

// sgd, dampening, weight decay: update, vjps_vjps
template <class S, class V>
struct k_8d80ae49480e_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 12, sums = 6, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t19 = select_eq(u4, splat<V>(S(0.0)), t17, t13);
    const V t20 = t14 + t19;
    const V t23 = u5 * x[3];
    const V t24 = x[4] - t23;
    const V t25 = select_eq(u4, splat<V>(S(0.0)), t24, splat<V>(S(0.0)));
    const V t26 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t24);
    const V t27 = u3 * t25;
    const V t29 = t26 + t27;
    const V t46 = t29 * u6;
    const V t47 = x[0] * u6;
    const V t48 = t29 * x[5];
    const V t49 = u0 * x[5];
    const V t50 = t47 + t49;
    const V t51 = t29 * u7;
    const V t52 = x[1] * u7;
    const V t53 = t50 + t52;
    const V t54 = t29 * x[6];
    const V t55 = u1 * x[6];
    const V t56 = t53 + t55;
    const V t57 = t24 * u8;
    const V t58 = x[2] * u8;
    const V t59 = t24 * x[7];
    const V t60 = u2 * x[7];
    const V t61 = t58 + t60;
    const V t63 = t25 * u9;
    const V t65 = t13 * u9;
    const V t67 = t25 * t56;
    const V t68 = u3 * t56;
    const V t69 = t68 - t65;
    const V t71 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t56);
    const V t73 = t61 + t71;
    const V t74 = select_eq(u4, splat<V>(S(0.0)), t69, splat<V>(S(0.0)));
    const V t76 = t73 + t74;
    const V t79 = x[3] * t76;
    const V t80 = -t79;
    const V t81 = u5 * t76;
    const V t82 = -t81;
    const V t84 = x[3] * u10;
    const V t85 = -t84;
    const V t86 = t20 * u10;
    const V t88 = t82 - t86;
    const V t89 = select_eq(u4, splat<V>(S(0.0)), t85, splat<V>(S(0.0)));
    const V t90 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t85);
    const V t91 = t90 - t63;
    const V t92 = u3 * t89;
    const V t93 = t13 * t89;
    const V t94 = t91 + t92;
    const V t95 = t67 + t93;
    const V t96 = -t95;
    const V t97 = u2 * t84;
    const V t99 = x[2] * t84;
    const V t101 = t57 - t97;
    const V t102 = t59 - t99;
    const V t103 = u1 * t94;
    const V t104 = x[1] * t94;
    const V t105 = t51 + t103;
    const V t106 = t54 + t104;
    const V t107 = u0 * t94;
    const V t108 = x[0] * t94;
    const V t109 = t46 + t107;
    const V t110 = t48 + t108;
    y[0] = t109;
    y[1] = t105;
    y[2] = t101;
    y[3] = t88;
    y[4] = t76;
    y[5] = t110;
    y[6] = t106;
    y[7] = t102;
    y[8] = t96;
    y[9] = splat<V>(S(0.0));
    y[10] = t80;
  }
};

// sgd, dampening, weight decay: parameters, forward
template <class S, class V>
struct k_13439dea7260_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t17 = select_eq(u4, splat<V>(S(0.0)), t15, t11);
    const V t18 = t12 + t17;
    const V t20 = u5 * t18;
    const V t22 = x[1] - t20;
    y[0] = t22;
    y[1] = t18;
  }
};

// sgd, dampening, weight decay: parameters, vjp
template <class S, class V>
struct k_13439dea7260_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[5]);
    u[1] = S(h[4]);
    u[2] = S(t14);
    u[3] = S(h[2]);
    u[4] = S(h[1]);
    u[5] = S(h[0]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t26 = u0 * x[3];
    const V t28 = x[4] - t26;
    const V t29 = select_eq(u1, splat<V>(S(0.0)), t28, splat<V>(S(0.0)));
    const V t30 = select_eq(u1, splat<V>(S(0.0)), splat<V>(S(0.0)), t28);
    const V t31 = u2 * t29;
    const V t33 = t30 + t31;
    const V t35 = u3 * t28;
    const V t37 = u4 * t33;
    const V t39 = x[3] + t37;
    const V t40 = u5 * t33;
    y[0] = t40;
    y[1] = t39;
    y[2] = t35;
  }
};

// sgd, dampening, weight decay: parameters, vjps
template <class S, class V>
struct k_13439dea7260_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 6, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t17 = select_eq(u4, splat<V>(S(0.0)), t15, t11);
    const V t18 = t12 + t17;
    const V t24 = t18 * x[3];
    const V t25 = -t24;
    const V t26 = u5 * x[3];
    const V t28 = x[4] - t26;
    const V t29 = select_eq(u4, splat<V>(S(0.0)), t28, splat<V>(S(0.0)));
    const V t30 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t28);
    const V t31 = u3 * t29;
    const V t32 = t11 * t29;
    const V t33 = t30 + t31;
    const V t34 = -t32;
    const V t35 = u2 * t28;
    const V t36 = x[2] * t28;
    const V t37 = u1 * t33;
    const V t38 = x[1] * t33;
    const V t39 = x[3] + t37;
    const V t40 = u0 * t33;
    const V t41 = x[0] * t33;
    y[0] = t40;
    y[1] = t39;
    y[2] = t35;
    y[3] = t41;
    y[4] = t38;
    y[5] = t36;
    y[6] = t34;
    y[7] = splat<V>(S(0.0));
    y[8] = t25;
  }
};

// sgd, dampening, weight decay: parameters, jvp
template <class S, class V>
struct k_13439dea7260_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 12, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[4]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[8]);
    u[8] = S(h[9]);
    u[9] = S(h[11]);
    u[10] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t17 = select_eq(u4, splat<V>(S(0.0)), t15, t11);
    const V t18 = t12 + t17;
    const V t30 = u0 * x[3];
    const V t31 = x[0] * u5;
    const V t32 = t30 + t31;
    const V t33 = u1 * x[4];
    const V t34 = x[1] * u6;
    const V t35 = t33 + t34;
    const V t36 = t32 + t35;
    const V t37 = u2 * x[5];
    const V t38 = x[2] * u7;
    const V t39 = t37 + t38;
    const V t41 = u3 * t36;
    const V t42 = t11 * u8;
    const V t44 = t41 - t42;
    const V t45 = select_eq(u4, splat<V>(S(0.0)), t44, t36);
    const V t46 = t39 + t45;
    const V t47 = t18 * u9;
    const V t48 = u10 * t46;
    const V t49 = t47 + t48;
    const V t50 = x[4] - t49;
    y[0] = t50;
    y[1] = t46;
  }
};

// sgd, dampening, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_13439dea7260_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t12);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t28 = u0 * x[5];
    const V t30 = u1 * x[6];
    const V t31 = t28 + t30;
    const V t33 = u2 * x[7];
    const V t35 = u3 * t31;
    const V t37 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t31);
    const V t38 = t33 + t37;
    const V t39 = select_eq(u4, splat<V>(S(0.0)), t35, splat<V>(S(0.0)));
    const V t41 = t38 + t39;
    const V t46 = u5 * t41;
    const V t48 = x[6] - t46;
    y[0] = splat<V>(S(0.0));
    y[1] = splat<V>(S(0.0));
    y[2] = splat<V>(S(0.0));
    y[3] = t48;
    y[4] = t41;
  }
};

// sgd, dampening, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_13439dea7260_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 12, sums = 6, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t19 = select_eq(u4, splat<V>(S(0.0)), t17, t13);
    const V t20 = t14 + t19;
    const V t23 = u5 * x[3];
    const V t24 = x[4] - t23;
    const V t25 = select_eq(u4, splat<V>(S(0.0)), t24, splat<V>(S(0.0)));
    const V t26 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t24);
    const V t27 = u3 * t25;
    const V t29 = t26 + t27;
    const V t47 = t29 * u6;
    const V t48 = x[0] * u6;
    const V t49 = t29 * x[5];
    const V t50 = u0 * x[5];
    const V t51 = t48 + t50;
    const V t52 = t29 * u7;
    const V t53 = x[1] * u7;
    const V t54 = t51 + t53;
    const V t55 = t29 * x[6];
    const V t56 = u1 * x[6];
    const V t57 = t54 + t56;
    const V t58 = t24 * u8;
    const V t59 = x[2] * u8;
    const V t60 = t24 * x[7];
    const V t61 = u2 * x[7];
    const V t62 = t59 + t61;
    const V t64 = t25 * u9;
    const V t66 = t13 * u9;
    const V t68 = t25 * t57;
    const V t69 = u3 * t57;
    const V t70 = t69 - t66;
    const V t72 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t57);
    const V t74 = t62 + t72;
    const V t75 = select_eq(u4, splat<V>(S(0.0)), t70, splat<V>(S(0.0)));
    const V t77 = t74 + t75;
    const V t80 = x[3] * t77;
    const V t81 = -t80;
    const V t82 = u5 * t77;
    const V t84 = x[6] - t82;
    const V t86 = x[3] * u10;
    const V t87 = -t86;
    const V t88 = t20 * u10;
    const V t90 = t84 - t88;
    const V t91 = select_eq(u4, splat<V>(S(0.0)), t87, splat<V>(S(0.0)));
    const V t92 = select_eq(u4, splat<V>(S(0.0)), splat<V>(S(0.0)), t87);
    const V t93 = t92 - t64;
    const V t94 = u3 * t91;
    const V t95 = t13 * t91;
    const V t96 = t93 + t94;
    const V t97 = t68 + t95;
    const V t98 = -t97;
    const V t99 = u2 * t86;
    const V t101 = x[2] * t86;
    const V t103 = t58 - t99;
    const V t104 = t60 - t101;
    const V t105 = u1 * t96;
    const V t106 = x[1] * t96;
    const V t107 = t52 + t105;
    const V t108 = t55 + t106;
    const V t109 = u0 * t96;
    const V t110 = x[0] * t96;
    const V t111 = t47 + t109;
    const V t112 = t49 + t110;
    y[0] = t111;
    y[1] = t107;
    y[2] = t103;
    y[3] = t90;
    y[4] = t77;
    y[5] = t112;
    y[6] = t108;
    y[7] = t104;
    y[8] = t98;
    y[9] = splat<V>(S(0.0));
    y[10] = t81;
  }
};

// adam: update, forward
template <class S, class V>
struct k_e2a19f643724_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t23 = u5 + t22;
    const V t25 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t26 = sqrt_(t25);
    const V t27 = u6 * t26;
    const V t28 = u7 + t27;
    const V t29 = t17 / t28;
    const V t31 = u8 * t29;
    const V t32 = -t31;
    y[0] = t32;
    y[1] = t17;
    y[2] = t22;
  }
};

// adam: update, vjp
template <class S, class V>
struct k_e2a19f643724_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t23 = u5 + t22;
    const V t25 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t26 = sqrt_(t25);
    const V t27 = u6 * t26;
    const V t28 = u7 + t27;
    const V t29 = t17 / t28;
    const V t39 = u8 * x[3];
    const V t41 = t39 / t28;
    const V t43 = t29 * t41;
    const V t45 = x[4] - t41;
    const V t47 = u6 * t43;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t26;
    const V t52 = select_gt(tiny<V>(), t23, splat<V>(S(0.0)), t50);
    const V t53 = x[5] + t52;
    const V t54 = u4 * t53;
    const V t57 = u3 * t53;
    const V t60 = t12 * t54;
    const V t61 = t60 + t60;
    const V t62 = u2 * t45;
    const V t64 = t61 + t62;
    const V t67 = u1 * t45;
    const V t70 = u0 * t64;
    y[0] = t70;
    y[1] = t67;
    y[2] = t57;
  }
};

// adam: update, vjps
template <class S, class V>
struct k_e2a19f643724_vjps {
  static constexpr int inputs = 6, outputs = 3, scalars = 9, sums = 9, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t23 = u5 + t22;
    const V t25 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t26 = sqrt_(t25);
    const V t27 = u6 * t26;
    const V t28 = u7 + t27;
    const V t29 = t17 / t28;
    const V t37 = t29 * x[3];
    const V t38 = -t37;
    const V t39 = u8 * x[3];
    const V t41 = t39 / t28;
    const V t43 = t29 * t41;
    const V t45 = x[4] - t41;
    const V t46 = t26 * t43;
    const V t47 = u6 * t43;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t26;
    const V t52 = select_gt(tiny<V>(), t23, splat<V>(S(0.0)), t50);
    const V t53 = x[5] + t52;
    const V t54 = u4 * t53;
    const V t55 = t18 * t53;
    const V t57 = u3 * t53;
    const V t58 = x[2] * t53;
    const V t59 = t58 - t55;
    const V t60 = t12 * t54;
    const V t61 = t60 + t60;
    const V t62 = u2 * t45;
    const V t63 = t12 * t45;
    const V t64 = t61 + t62;
    const V t67 = u1 * t45;
    const V t68 = x[1] * t45;
    const V t69 = t68 - t63;
    const V t70 = u0 * t64;
    const V t71 = x[0] * t64;
    y[0] = t70;
    y[1] = t67;
    y[2] = t57;
    y[3] = t71;
    y[4] = t69;
    y[5] = t59;
    y[6] = splat<V>(S(0.0));
    y[7] = splat<V>(S(0.0));
    y[8] = t46;
    y[9] = t43;
    y[10] = t52;
    y[11] = t38;
  }
};

// adam: update, jvp
template <class S, class V>
struct k_e2a19f643724_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 18, sums = 0, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[16]);
    u[12] = S(h[14]);
    u[13] = S(h[15]);
    u[14] = S(h[17]);
    u[15] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t23 = u5 + t22;
    const V t25 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t26 = sqrt_(t25);
    const V t27 = u6 * t26;
    const V t28 = u7 + t27;
    const V t29 = t17 / t28;
    const V t45 = u0 * x[3];
    const V t46 = x[0] * u8;
    const V t47 = t45 + t46;
    const V t48 = u1 * x[4];
    const V t49 = x[1] * u9;
    const V t50 = t48 + t49;
    const V t52 = u2 * t47;
    const V t53 = t12 * u9;
    const V t55 = t52 - t53;
    const V t56 = t50 + t55;
    const V t57 = t12 * t47;
    const V t58 = t57 + t57;
    const V t59 = u3 * x[5];
    const V t60 = x[2] * u10;
    const V t61 = t59 + t60;
    const V t63 = u4 * t58;
    const V t64 = t18 * u10;
    const V t66 = t63 - t64;
    const V t67 = t61 + t66;
    const V t68 = u11 + t67;
    const V t69 = select_gt(tiny<V>(), t23, splat<V>(S(0.0)), t68);
    const V t71 = t69 * splat<V>(S(0.5));
    const V t72 = t71 / t26;
    const V t73 = t26 * u12;
    const V t74 = u6 * t72;
    const V t75 = t73 + t74;
    const V t76 = u13 + t75;
    const V t77 = t29 * t76;
    const V t78 = t56 - t77;
    const V t79 = t78 / t28;
    const V t80 = t29 * u14;
    const V t81 = u15 * t79;
    const V t82 = t80 + t81;
    const V t83 = -t82;
    y[0] = t83;
    y[1] = t56;
    y[2] = t67;
  }
};

// adam: update, vjp_vjp
template <class S, class V>
struct k_e2a19f643724_vjp_vjp {
  static constexpr int inputs = 9, outputs = 6, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[2] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = u5 + t25;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t20 / t31;
    const V t34 = u8 * x[3];
    const V t35 = t34 / t31;
    const V t36 = t32 * t35;
    const V t38 = u6 * t36;
    const V t40 = t38 * splat<V>(S(0.5));
    const V t41 = t40 / t29;
    const V t42 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t41);
    const V t43 = x[5] + t42;
    const V t44 = u4 * t43;
    const V t56 = u0 * x[6];
    const V t58 = u1 * x[7];
    const V t60 = u2 * t56;
    const V t61 = t58 + t60;
    const V t62 = t56 + t56;
    const V t63 = t44 * t62;
    const V t64 = t15 * t62;
    const V t66 = u3 * x[8];
    const V t68 = u4 * t64;
    const V t69 = t66 + t68;
    const V t71 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t69);
    const V t72 = t71 / t29;
    const V t73 = t41 * t72;
    const V t75 = splat<V>(S(0.5)) * t72;
    const V t78 = u6 * t75;
    const V t80 = t35 * t78;
    const V t81 = t32 * t78;
    const V t82 = t81 - t61;
    const V t83 = t82 / t31;
    const V t84 = t35 * t83;
    const V t85 = -t84;
    const V t87 = u8 * t83;
    const V t88 = t80 / t31;
    const V t89 = t32 * t88;
    const V t91 = t85 - t89;
    const V t93 = u6 * t91;
    const V t95 = t93 - t73;
    const V t96 = splat<V>(S(0.5)) * t95;
    const V t97 = t96 / t29;
    const V t99 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t97);
    const V t100 = u4 * t99;
    const V t105 = u3 * t99;
    const V t108 = t15 * t100;
    const V t109 = t63 + t108;
    const V t110 = t108 + t109;
    const V t111 = u2 * t88;
    const V t113 = t110 + t111;
    const V t118 = u1 * t88;
    const V t121 = u0 * t113;
    y[0] = t121;
    y[1] = t118;
    y[2] = t105;
    y[3] = t87;
    y[4] = t61;
    y[5] = t69;
  }
};

// adam: update, vjps_vjps
template <class S, class V>
struct k_e2a19f643724_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 18, sums = 9, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[16]);
    u[13] = S(h[15]);
    u[14] = S(h[14]);
    u[15] = S(h[17]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[2] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = u5 + t25;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t20 / t31;
    const V t36 = u8 * x[3];
    const V t37 = t36 / t31;
    const V t38 = t32 * t37;
    const V t39 = x[4] - t37;
    const V t41 = u6 * t38;
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t29;
    const V t45 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t44);
    const V t46 = x[5] + t45;
    const V t47 = u4 * t46;
    const V t52 = t15 * t47;
    const V t53 = t52 + t52;
    const V t54 = u2 * t39;
    const V t56 = t53 + t54;
    const V t75 = t56 * u9;
    const V t76 = x[0] * u9;
    const V t77 = t56 * x[6];
    const V t78 = u0 * x[6];
    const V t79 = t76 + t78;
    const V t81 = t39 * u10;
    const V t82 = x[1] * u10;
    const V t83 = t39 * x[7];
    const V t84 = u1 * x[7];
    const V t85 = t82 + t84;
    const V t87 = t15 * u10;
    const V t89 = t85 - t87;
    const V t90 = t39 * t79;
    const V t91 = u2 * t79;
    const V t92 = t89 + t91;
    const V t93 = t79 + t79;
    const V t94 = t47 * t93;
    const V t95 = t15 * t93;
    const V t96 = t94 - t81;
    const V t98 = t46 * u11;
    const V t99 = x[2] * u11;
    const V t100 = t46 * x[8];
    const V t101 = u3 * x[8];
    const V t102 = t99 + t101;
    const V t104 = t21 * u11;
    const V t106 = t102 - t104;
    const V t107 = t46 * t95;
    const V t108 = u4 * t95;
    const V t109 = t106 + t108;
    const V t110 = u12 + t109;
    const V t112 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t110);
    const V t114 = t112 / t29;
    const V t115 = t44 * t114;
    const V t117 = splat<V>(S(0.5)) * t114;
    const V t119 = t38 * t117;
    const V t120 = u6 * t117;
    const V t121 = u13 + t120;
    const V t122 = t38 * u14;
    const V t123 = t29 * u14;
    const V t124 = t122 - t115;
    const V t125 = t121 + t123;
    const V t127 = t37 * t125;
    const V t128 = t32 * t125;
    const V t129 = t128 - t92;
    const V t130 = t129 / t31;
    const V t131 = t37 * t130;
    const V t132 = -t131;
    const V t133 = x[3] * t130;
    const V t134 = u8 * t130;
    const V t136 = x[3] * u15;
    const V t138 = t32 * u15;
    const V t140 = t127 - t136;
    const V t141 = t134 - t138;
    const V t142 = t140 / t31;
    const V t143 = t32 * t142;
    const V t145 = t132 - t143;
    const V t146 = t29 * t145;
    const V t147 = u6 * t145;
    const V t148 = t119 + t146;
    const V t149 = t124 + t147;
    const V t150 = splat<V>(S(0.5)) * t149;
    const V t151 = t150 / t29;
    const V t153 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t151);
    const V t154 = u4 * t153;
    const V t155 = t21 * t153;
    const V t156 = t154 - t98;
    const V t157 = t107 + t155;
    const V t159 = t100 - t157;
    const V t160 = u3 * t153;
    const V t161 = x[2] * t153;
    const V t162 = t98 + t160;
    const V t163 = t159 + t161;
    const V t164 = t15 * t156;
    const V t165 = t96 + t164;
    const V t166 = t164 + t165;
    const V t167 = u2 * t142;
    const V t168 = t15 * t142;
    const V t169 = t166 + t167;
    const V t170 = t90 + t168;
    const V t173 = t83 - t170;
    const V t174 = u1 * t142;
    const V t175 = x[1] * t142;
    const V t176 = t81 + t174;
    const V t177 = t173 + t175;
    const V t178 = u0 * t169;
    const V t179 = x[0] * t169;
    const V t180 = t75 + t178;
    const V t181 = t77 + t179;
    y[0] = t180;
    y[1] = t176;
    y[2] = t162;
    y[3] = t141;
    y[4] = t92;
    y[5] = t109;
    y[6] = t181;
    y[7] = t177;
    y[8] = t163;
    y[9] = splat<V>(S(0.0));
    y[10] = splat<V>(S(0.0));
    y[11] = t148;
    y[12] = t145;
    y[13] = t153;
    y[14] = t133;
  }
};

// adam: parameters, forward
template <class S, class V>
struct k_f8087d32726b_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = u5 + t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u6 * t27;
    const V t29 = u7 + t28;
    const V t30 = t18 / t29;
    const V t32 = u8 * t30;
    const V t34 = x[1] - t32;
    y[0] = t34;
    y[1] = t18;
    y[2] = t23;
  }
};

// adam: parameters, vjp
template <class S, class V>
struct k_f8087d32726b_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = u5 + t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u6 * t27;
    const V t29 = u7 + t28;
    const V t30 = t18 / t29;
    const V t40 = u8 * x[4];
    const V t42 = t40 / t29;
    const V t44 = t30 * t42;
    const V t46 = x[5] - t42;
    const V t48 = u6 * t44;
    const V t50 = t48 * splat<V>(S(0.5));
    const V t51 = t50 / t27;
    const V t53 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t51);
    const V t54 = x[6] + t53;
    const V t55 = u4 * t54;
    const V t58 = u3 * t54;
    const V t61 = t13 * t55;
    const V t62 = t61 + t61;
    const V t63 = u2 * t46;
    const V t65 = t62 + t63;
    const V t68 = u1 * t46;
    const V t71 = u0 * t65;
    y[0] = t71;
    y[1] = x[4];
    y[2] = t68;
    y[3] = t58;
  }
};

// adam: parameters, vjps
template <class S, class V>
struct k_f8087d32726b_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 9, sums = 9, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = u5 + t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u6 * t27;
    const V t29 = u7 + t28;
    const V t30 = t18 / t29;
    const V t38 = t30 * x[4];
    const V t39 = -t38;
    const V t40 = u8 * x[4];
    const V t42 = t40 / t29;
    const V t44 = t30 * t42;
    const V t46 = x[5] - t42;
    const V t47 = t27 * t44;
    const V t48 = u6 * t44;
    const V t50 = t48 * splat<V>(S(0.5));
    const V t51 = t50 / t27;
    const V t53 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t51);
    const V t54 = x[6] + t53;
    const V t55 = u4 * t54;
    const V t56 = t19 * t54;
    const V t58 = u3 * t54;
    const V t59 = x[3] * t54;
    const V t60 = t59 - t56;
    const V t61 = t13 * t55;
    const V t62 = t61 + t61;
    const V t63 = u2 * t46;
    const V t64 = t13 * t46;
    const V t65 = t62 + t63;
    const V t68 = u1 * t46;
    const V t69 = x[2] * t46;
    const V t70 = t69 - t64;
    const V t71 = u0 * t65;
    const V t72 = x[0] * t65;
    y[0] = t71;
    y[1] = x[4];
    y[2] = t68;
    y[3] = t58;
    y[4] = t72;
    y[5] = t70;
    y[6] = t60;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t47;
    y[10] = t44;
    y[11] = t53;
    y[12] = t39;
  }
};

// adam: parameters, jvp
template <class S, class V>
struct k_f8087d32726b_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 18, sums = 0, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[16]);
    u[12] = S(h[14]);
    u[13] = S(h[15]);
    u[14] = S(h[17]);
    u[15] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = u5 + t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u6 * t27;
    const V t29 = u7 + t28;
    const V t30 = t18 / t29;
    const V t47 = u0 * x[4];
    const V t48 = x[0] * u8;
    const V t49 = t47 + t48;
    const V t50 = u1 * x[6];
    const V t51 = x[2] * u9;
    const V t52 = t50 + t51;
    const V t54 = u2 * t49;
    const V t55 = t13 * u9;
    const V t57 = t54 - t55;
    const V t58 = t52 + t57;
    const V t59 = t13 * t49;
    const V t60 = t59 + t59;
    const V t61 = u3 * x[7];
    const V t62 = x[3] * u10;
    const V t63 = t61 + t62;
    const V t65 = u4 * t60;
    const V t66 = t19 * u10;
    const V t68 = t65 - t66;
    const V t69 = t63 + t68;
    const V t70 = u11 + t69;
    const V t71 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t70);
    const V t73 = t71 * splat<V>(S(0.5));
    const V t74 = t73 / t27;
    const V t75 = t27 * u12;
    const V t76 = u6 * t74;
    const V t77 = t75 + t76;
    const V t78 = u13 + t77;
    const V t79 = t30 * t78;
    const V t80 = t58 - t79;
    const V t81 = t80 / t29;
    const V t82 = t30 * u14;
    const V t83 = u15 * t81;
    const V t84 = t82 + t83;
    const V t85 = x[5] - t84;
    y[0] = t85;
    y[1] = t58;
    y[2] = t69;
  }
};

// adam: parameters, vjp_vjp
template <class S, class V>
struct k_f8087d32726b_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[1];
    const double t24 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
    u[3] = S(h[2]);
    u[4] = S(t24);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t16 = x[0] * u0;
    const V t17 = x[2] * u1;
    const V t20 = t16 * u2;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u3;
    const V t25 = t22 * u4;
    const V t26 = t23 + t25;
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t21 / t32;
    const V t35 = u8 * x[4];
    const V t36 = t35 / t32;
    const V t37 = t33 * t36;
    const V t39 = u6 * t37;
    const V t41 = t39 * splat<V>(S(0.5));
    const V t42 = t41 / t30;
    const V t43 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t42);
    const V t44 = x[6] + t43;
    const V t45 = u4 * t44;
    const V t58 = u0 * x[7];
    const V t60 = u1 * x[9];
    const V t62 = u2 * t58;
    const V t63 = t60 + t62;
    const V t64 = t58 + t58;
    const V t65 = t45 * t64;
    const V t66 = t16 * t64;
    const V t68 = u3 * x[10];
    const V t70 = u4 * t66;
    const V t71 = t68 + t70;
    const V t73 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t71);
    const V t74 = t73 / t30;
    const V t75 = t42 * t74;
    const V t77 = splat<V>(S(0.5)) * t74;
    const V t80 = u6 * t77;
    const V t82 = t36 * t80;
    const V t83 = t33 * t80;
    const V t84 = t83 - t63;
    const V t85 = t84 / t32;
    const V t86 = t36 * t85;
    const V t87 = -t86;
    const V t89 = u8 * t85;
    const V t90 = x[8] + t89;
    const V t91 = t82 / t32;
    const V t92 = t33 * t91;
    const V t94 = t87 - t92;
    const V t96 = u6 * t94;
    const V t98 = t96 - t75;
    const V t99 = splat<V>(S(0.5)) * t98;
    const V t100 = t99 / t30;
    const V t102 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t100);
    const V t103 = u4 * t102;
    const V t108 = u3 * t102;
    const V t111 = t16 * t103;
    const V t112 = t65 + t111;
    const V t113 = t111 + t112;
    const V t114 = u2 * t91;
    const V t116 = t113 + t114;
    const V t121 = u1 * t91;
    const V t124 = u0 * t116;
    y[0] = t124;
    y[1] = splat<V>(S(0.0));
    y[2] = t121;
    y[3] = t108;
    y[4] = t90;
    y[5] = t63;
    y[6] = t71;
  }
};

// adam: parameters, vjps_vjps
template <class S, class V>
struct k_f8087d32726b_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 18, sums = 9, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[1];
    const double t24 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
    u[3] = S(h[2]);
    u[4] = S(t24);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[16]);
    u[13] = S(h[15]);
    u[14] = S(h[14]);
    u[15] = S(h[17]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t16 = x[0] * u0;
    const V t17 = x[2] * u1;
    const V t20 = t16 * u2;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u3;
    const V t25 = t22 * u4;
    const V t26 = t23 + t25;
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t21 / t32;
    const V t37 = u8 * x[4];
    const V t38 = t37 / t32;
    const V t39 = t33 * t38;
    const V t40 = x[5] - t38;
    const V t42 = u6 * t39;
    const V t44 = t42 * splat<V>(S(0.5));
    const V t45 = t44 / t30;
    const V t46 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t45);
    const V t47 = x[6] + t46;
    const V t48 = u4 * t47;
    const V t53 = t16 * t48;
    const V t54 = t53 + t53;
    const V t55 = u2 * t40;
    const V t57 = t54 + t55;
    const V t77 = t57 * u9;
    const V t78 = x[0] * u9;
    const V t79 = t57 * x[7];
    const V t80 = u0 * x[7];
    const V t81 = t78 + t80;
    const V t83 = t40 * u10;
    const V t84 = x[2] * u10;
    const V t85 = t40 * x[9];
    const V t86 = u1 * x[9];
    const V t87 = t84 + t86;
    const V t89 = t16 * u10;
    const V t91 = t87 - t89;
    const V t92 = t40 * t81;
    const V t93 = u2 * t81;
    const V t94 = t91 + t93;
    const V t95 = t81 + t81;
    const V t96 = t48 * t95;
    const V t97 = t16 * t95;
    const V t98 = t96 - t83;
    const V t100 = t47 * u11;
    const V t101 = x[3] * u11;
    const V t102 = t47 * x[10];
    const V t103 = u3 * x[10];
    const V t104 = t101 + t103;
    const V t106 = t22 * u11;
    const V t108 = t104 - t106;
    const V t109 = t47 * t97;
    const V t110 = u4 * t97;
    const V t111 = t108 + t110;
    const V t112 = u12 + t111;
    const V t114 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t112);
    const V t116 = t114 / t30;
    const V t117 = t45 * t116;
    const V t119 = splat<V>(S(0.5)) * t116;
    const V t121 = t39 * t119;
    const V t122 = u6 * t119;
    const V t123 = u13 + t122;
    const V t124 = t39 * u14;
    const V t125 = t30 * u14;
    const V t126 = t124 - t117;
    const V t127 = t123 + t125;
    const V t129 = t38 * t127;
    const V t130 = t33 * t127;
    const V t131 = t130 - t94;
    const V t132 = t131 / t32;
    const V t133 = t38 * t132;
    const V t134 = -t133;
    const V t135 = x[4] * t132;
    const V t136 = u8 * t132;
    const V t137 = x[8] + t136;
    const V t139 = x[4] * u15;
    const V t141 = t33 * u15;
    const V t143 = t129 - t139;
    const V t144 = t137 - t141;
    const V t145 = t143 / t32;
    const V t146 = t33 * t145;
    const V t148 = t134 - t146;
    const V t149 = t30 * t148;
    const V t150 = u6 * t148;
    const V t151 = t121 + t149;
    const V t152 = t126 + t150;
    const V t153 = splat<V>(S(0.5)) * t152;
    const V t154 = t153 / t30;
    const V t156 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t154);
    const V t157 = u4 * t156;
    const V t158 = t22 * t156;
    const V t159 = t157 - t100;
    const V t160 = t109 + t158;
    const V t162 = t102 - t160;
    const V t163 = u3 * t156;
    const V t164 = x[3] * t156;
    const V t165 = t100 + t163;
    const V t166 = t162 + t164;
    const V t167 = t16 * t159;
    const V t168 = t98 + t167;
    const V t169 = t167 + t168;
    const V t170 = u2 * t145;
    const V t171 = t16 * t145;
    const V t172 = t169 + t170;
    const V t173 = t92 + t171;
    const V t176 = t85 - t173;
    const V t177 = u1 * t145;
    const V t178 = x[2] * t145;
    const V t179 = t83 + t177;
    const V t180 = t176 + t178;
    const V t181 = u0 * t172;
    const V t182 = x[0] * t172;
    const V t183 = t77 + t181;
    const V t184 = t79 + t182;
    y[0] = t183;
    y[1] = splat<V>(S(0.0));
    y[2] = t179;
    y[3] = t165;
    y[4] = t144;
    y[5] = t94;
    y[6] = t111;
    y[7] = t184;
    y[8] = t180;
    y[9] = t166;
    y[10] = splat<V>(S(0.0));
    y[11] = splat<V>(S(0.0));
    y[12] = t151;
    y[13] = t148;
    y[14] = t156;
    y[15] = t135;
  }
};

// adam, weight decay: update, forward
template <class S, class V>
struct k_2d3fb09d88d8_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t35 = u9 * t33;
    const V t36 = -t35;
    y[0] = t36;
    y[1] = t21;
    y[2] = t26;
  }
};

// adam, weight decay: update, vjp
template <class S, class V>
struct k_2d3fb09d88d8_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t43 = u9 * x[4];
    const V t45 = t43 / t32;
    const V t47 = t33 * t45;
    const V t49 = x[5] - t45;
    const V t51 = u7 * t47;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t30;
    const V t56 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t54);
    const V t57 = x[6] + t56;
    const V t58 = u5 * t57;
    const V t61 = u4 * t57;
    const V t64 = t16 * t58;
    const V t65 = t64 + t64;
    const V t66 = u3 * t49;
    const V t68 = t65 + t66;
    const V t71 = u2 * t49;
    const V t74 = u1 * t68;
    const V t76 = u0 * t68;
    y[0] = t76;
    y[1] = t74;
    y[2] = t71;
    y[3] = t61;
  }
};

// adam, weight decay: update, vjps
template <class S, class V>
struct k_2d3fb09d88d8_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t41 = t33 * x[4];
    const V t42 = -t41;
    const V t43 = u9 * x[4];
    const V t45 = t43 / t32;
    const V t47 = t33 * t45;
    const V t49 = x[5] - t45;
    const V t50 = t30 * t47;
    const V t51 = u7 * t47;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t30;
    const V t56 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t54);
    const V t57 = x[6] + t56;
    const V t58 = u5 * t57;
    const V t59 = t22 * t57;
    const V t61 = u4 * t57;
    const V t62 = x[3] * t57;
    const V t63 = t62 - t59;
    const V t64 = t16 * t58;
    const V t65 = t64 + t64;
    const V t66 = u3 * t49;
    const V t67 = t16 * t49;
    const V t68 = t65 + t66;
    const V t71 = u2 * t49;
    const V t72 = x[2] * t49;
    const V t73 = t72 - t67;
    const V t74 = u1 * t68;
    const V t75 = x[1] * t68;
    const V t76 = u0 * t68;
    const V t77 = x[0] * t68;
    y[0] = t76;
    y[1] = t74;
    y[2] = t71;
    y[3] = t61;
    y[4] = t77;
    y[5] = t75;
    y[6] = t73;
    y[7] = t63;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t50;
    y[11] = t47;
    y[12] = t56;
    y[13] = t42;
  }
};

// adam, weight decay: update, jvp
template <class S, class V>
struct k_2d3fb09d88d8_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[13]);
    u[13] = S(h[18]);
    u[14] = S(h[16]);
    u[15] = S(h[17]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t51 = u0 * x[4];
    const V t52 = x[0] * u9;
    const V t53 = t51 + t52;
    const V t54 = u1 * x[5];
    const V t55 = x[1] * u10;
    const V t56 = t54 + t55;
    const V t57 = t53 + t56;
    const V t58 = u2 * x[6];
    const V t59 = x[2] * u11;
    const V t60 = t58 + t59;
    const V t62 = u3 * t57;
    const V t63 = t16 * u11;
    const V t65 = t62 - t63;
    const V t66 = t60 + t65;
    const V t67 = t16 * t57;
    const V t68 = t67 + t67;
    const V t69 = u4 * x[7];
    const V t70 = x[3] * u12;
    const V t71 = t69 + t70;
    const V t73 = u5 * t68;
    const V t74 = t22 * u12;
    const V t76 = t73 - t74;
    const V t77 = t71 + t76;
    const V t78 = u13 + t77;
    const V t79 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t78);
    const V t81 = t79 * splat<V>(S(0.5));
    const V t82 = t81 / t30;
    const V t83 = t30 * u14;
    const V t84 = u7 * t82;
    const V t85 = t83 + t84;
    const V t86 = u15 + t85;
    const V t87 = t33 * t86;
    const V t88 = t66 - t87;
    const V t89 = t88 / t32;
    const V t90 = t33 * u16;
    const V t91 = u17 * t89;
    const V t92 = t90 + t91;
    const V t93 = -t92;
    y[0] = t93;
    y[1] = t66;
    y[2] = t77;
  }
};

// adam, weight decay: update, vjp_vjp
template <class S, class V>
struct k_2d3fb09d88d8_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t30 = u6 + t29;
    const V t32 = select_gt(tiny<V>(), t30, tiny<V>(), t30);
    const V t33 = sqrt_(t32);
    const V t34 = u7 * t33;
    const V t35 = u8 + t34;
    const V t36 = t24 / t35;
    const V t38 = u9 * x[4];
    const V t39 = t38 / t35;
    const V t40 = t36 * t39;
    const V t42 = u7 * t40;
    const V t44 = t42 * splat<V>(S(0.5));
    const V t45 = t44 / t33;
    const V t46 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t45);
    const V t47 = x[6] + t46;
    const V t48 = u5 * t47;
    const V t62 = u0 * x[7];
    const V t64 = u1 * x[8];
    const V t65 = t62 + t64;
    const V t67 = u2 * x[9];
    const V t69 = u3 * t65;
    const V t70 = t67 + t69;
    const V t71 = t65 + t65;
    const V t72 = t48 * t71;
    const V t73 = t19 * t71;
    const V t75 = u4 * x[10];
    const V t77 = u5 * t73;
    const V t78 = t75 + t77;
    const V t80 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t78);
    const V t81 = t80 / t33;
    const V t82 = t45 * t81;
    const V t84 = splat<V>(S(0.5)) * t81;
    const V t87 = u7 * t84;
    const V t89 = t39 * t87;
    const V t90 = t36 * t87;
    const V t91 = t90 - t70;
    const V t92 = t91 / t35;
    const V t93 = t39 * t92;
    const V t94 = -t93;
    const V t96 = u9 * t92;
    const V t97 = t89 / t35;
    const V t98 = t36 * t97;
    const V t100 = t94 - t98;
    const V t102 = u7 * t100;
    const V t104 = t102 - t82;
    const V t105 = splat<V>(S(0.5)) * t104;
    const V t106 = t105 / t33;
    const V t108 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t106);
    const V t109 = u5 * t108;
    const V t114 = u4 * t108;
    const V t117 = t19 * t109;
    const V t118 = t72 + t117;
    const V t119 = t117 + t118;
    const V t120 = u3 * t97;
    const V t122 = t119 + t120;
    const V t127 = u2 * t97;
    const V t130 = u1 * t122;
    const V t133 = u0 * t122;
    y[0] = t133;
    y[1] = t130;
    y[2] = t127;
    y[3] = t114;
    y[4] = t96;
    y[5] = t70;
    y[6] = t78;
  }
};

// adam, weight decay: update, vjps_vjps
template <class S, class V>
struct k_2d3fb09d88d8_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[18]);
    u[15] = S(h[17]);
    u[16] = S(h[16]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t30 = u6 + t29;
    const V t32 = select_gt(tiny<V>(), t30, tiny<V>(), t30);
    const V t33 = sqrt_(t32);
    const V t34 = u7 * t33;
    const V t35 = u8 + t34;
    const V t36 = t24 / t35;
    const V t40 = u9 * x[4];
    const V t41 = t40 / t35;
    const V t42 = t36 * t41;
    const V t43 = x[5] - t41;
    const V t45 = u7 * t42;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t33;
    const V t49 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t48);
    const V t50 = x[6] + t49;
    const V t51 = u5 * t50;
    const V t56 = t19 * t51;
    const V t57 = t56 + t56;
    const V t58 = u3 * t43;
    const V t60 = t57 + t58;
    const V t83 = t60 * u10;
    const V t84 = x[0] * u10;
    const V t85 = t60 * x[7];
    const V t86 = u0 * x[7];
    const V t87 = t84 + t86;
    const V t88 = t60 * u11;
    const V t89 = x[1] * u11;
    const V t90 = t87 + t89;
    const V t91 = t60 * x[8];
    const V t92 = u1 * x[8];
    const V t93 = t90 + t92;
    const V t95 = t43 * u12;
    const V t96 = x[2] * u12;
    const V t97 = t43 * x[9];
    const V t98 = u2 * x[9];
    const V t99 = t96 + t98;
    const V t101 = t19 * u12;
    const V t103 = t99 - t101;
    const V t104 = t43 * t93;
    const V t105 = u3 * t93;
    const V t106 = t103 + t105;
    const V t107 = t93 + t93;
    const V t108 = t51 * t107;
    const V t109 = t19 * t107;
    const V t110 = t108 - t95;
    const V t112 = t50 * u13;
    const V t113 = x[3] * u13;
    const V t114 = t50 * x[10];
    const V t115 = u4 * x[10];
    const V t116 = t113 + t115;
    const V t118 = t25 * u13;
    const V t120 = t116 - t118;
    const V t121 = t50 * t109;
    const V t122 = u5 * t109;
    const V t123 = t120 + t122;
    const V t124 = u14 + t123;
    const V t126 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t124);
    const V t128 = t126 / t33;
    const V t129 = t48 * t128;
    const V t131 = splat<V>(S(0.5)) * t128;
    const V t133 = t42 * t131;
    const V t134 = u7 * t131;
    const V t135 = u15 + t134;
    const V t136 = t42 * u16;
    const V t137 = t33 * u16;
    const V t138 = t136 - t129;
    const V t139 = t135 + t137;
    const V t141 = t41 * t139;
    const V t142 = t36 * t139;
    const V t143 = t142 - t106;
    const V t144 = t143 / t35;
    const V t145 = t41 * t144;
    const V t146 = -t145;
    const V t147 = x[4] * t144;
    const V t148 = u9 * t144;
    const V t150 = x[4] * u17;
    const V t152 = t36 * u17;
    const V t154 = t141 - t150;
    const V t155 = t148 - t152;
    const V t156 = t154 / t35;
    const V t157 = t36 * t156;
    const V t159 = t146 - t157;
    const V t160 = t33 * t159;
    const V t161 = u7 * t159;
    const V t162 = t133 + t160;
    const V t163 = t138 + t161;
    const V t164 = splat<V>(S(0.5)) * t163;
    const V t165 = t164 / t33;
    const V t167 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t165);
    const V t168 = u5 * t167;
    const V t169 = t25 * t167;
    const V t170 = t168 - t112;
    const V t171 = t121 + t169;
    const V t173 = t114 - t171;
    const V t174 = u4 * t167;
    const V t175 = x[3] * t167;
    const V t176 = t112 + t174;
    const V t177 = t173 + t175;
    const V t178 = t19 * t170;
    const V t179 = t110 + t178;
    const V t180 = t178 + t179;
    const V t181 = u3 * t156;
    const V t182 = t19 * t156;
    const V t183 = t180 + t181;
    const V t184 = t104 + t182;
    const V t187 = t97 - t184;
    const V t188 = u2 * t156;
    const V t189 = x[2] * t156;
    const V t190 = t95 + t188;
    const V t191 = t187 + t189;
    const V t192 = u1 * t183;
    const V t193 = x[1] * t183;
    const V t194 = t88 + t192;
    const V t195 = t91 + t193;
    const V t196 = u0 * t183;
    const V t197 = x[0] * t183;
    const V t198 = t83 + t196;
    const V t199 = t85 + t197;
    y[0] = t198;
    y[1] = t194;
    y[2] = t190;
    y[3] = t176;
    y[4] = t155;
    y[5] = t106;
    y[6] = t123;
    y[7] = t199;
    y[8] = t195;
    y[9] = t191;
    y[10] = t177;
    y[11] = splat<V>(S(0.0));
    y[12] = splat<V>(S(0.0));
    y[13] = t162;
    y[14] = t159;
    y[15] = t167;
    y[16] = t147;
  }
};

// adam, weight decay: parameters, forward
template <class S, class V>
struct k_b4172ea6239a_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t35 = u9 * t33;
    const V t37 = x[1] - t35;
    y[0] = t37;
    y[1] = t21;
    y[2] = t26;
  }
};

// adam, weight decay: parameters, vjp
template <class S, class V>
struct k_b4172ea6239a_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t43 = u9 * x[4];
    const V t45 = t43 / t32;
    const V t47 = t33 * t45;
    const V t49 = x[5] - t45;
    const V t51 = u7 * t47;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t30;
    const V t56 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t54);
    const V t57 = x[6] + t56;
    const V t58 = u5 * t57;
    const V t61 = u4 * t57;
    const V t64 = t16 * t58;
    const V t65 = t64 + t64;
    const V t66 = u3 * t49;
    const V t68 = t65 + t66;
    const V t71 = u2 * t49;
    const V t74 = u1 * t68;
    const V t76 = x[4] + t74;
    const V t77 = u0 * t68;
    y[0] = t77;
    y[1] = t76;
    y[2] = t71;
    y[3] = t61;
  }
};

// adam, weight decay: parameters, vjps
template <class S, class V>
struct k_b4172ea6239a_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t41 = t33 * x[4];
    const V t42 = -t41;
    const V t43 = u9 * x[4];
    const V t45 = t43 / t32;
    const V t47 = t33 * t45;
    const V t49 = x[5] - t45;
    const V t50 = t30 * t47;
    const V t51 = u7 * t47;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t30;
    const V t56 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t54);
    const V t57 = x[6] + t56;
    const V t58 = u5 * t57;
    const V t59 = t22 * t57;
    const V t61 = u4 * t57;
    const V t62 = x[3] * t57;
    const V t63 = t62 - t59;
    const V t64 = t16 * t58;
    const V t65 = t64 + t64;
    const V t66 = u3 * t49;
    const V t67 = t16 * t49;
    const V t68 = t65 + t66;
    const V t71 = u2 * t49;
    const V t72 = x[2] * t49;
    const V t73 = t72 - t67;
    const V t74 = u1 * t68;
    const V t75 = x[1] * t68;
    const V t76 = x[4] + t74;
    const V t77 = u0 * t68;
    const V t78 = x[0] * t68;
    y[0] = t77;
    y[1] = t76;
    y[2] = t71;
    y[3] = t61;
    y[4] = t78;
    y[5] = t75;
    y[6] = t73;
    y[7] = t63;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t50;
    y[11] = t47;
    y[12] = t56;
    y[13] = t42;
  }
};

// adam, weight decay: parameters, jvp
template <class S, class V>
struct k_b4172ea6239a_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[13]);
    u[13] = S(h[18]);
    u[14] = S(h[16]);
    u[15] = S(h[17]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t27 = u6 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u7 * t30;
    const V t32 = u8 + t31;
    const V t33 = t21 / t32;
    const V t51 = u0 * x[4];
    const V t52 = x[0] * u9;
    const V t53 = t51 + t52;
    const V t54 = u1 * x[5];
    const V t55 = x[1] * u10;
    const V t56 = t54 + t55;
    const V t57 = t53 + t56;
    const V t58 = u2 * x[6];
    const V t59 = x[2] * u11;
    const V t60 = t58 + t59;
    const V t62 = u3 * t57;
    const V t63 = t16 * u11;
    const V t65 = t62 - t63;
    const V t66 = t60 + t65;
    const V t67 = t16 * t57;
    const V t68 = t67 + t67;
    const V t69 = u4 * x[7];
    const V t70 = x[3] * u12;
    const V t71 = t69 + t70;
    const V t73 = u5 * t68;
    const V t74 = t22 * u12;
    const V t76 = t73 - t74;
    const V t77 = t71 + t76;
    const V t78 = u13 + t77;
    const V t79 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t78);
    const V t81 = t79 * splat<V>(S(0.5));
    const V t82 = t81 / t30;
    const V t83 = t30 * u14;
    const V t84 = u7 * t82;
    const V t85 = t83 + t84;
    const V t86 = u15 + t85;
    const V t87 = t33 * t86;
    const V t88 = t66 - t87;
    const V t89 = t88 / t32;
    const V t90 = t33 * u16;
    const V t91 = u17 * t89;
    const V t92 = t90 + t91;
    const V t93 = x[5] - t92;
    y[0] = t93;
    y[1] = t66;
    y[2] = t77;
  }
};

// adam, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_b4172ea6239a_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t30 = u6 + t29;
    const V t32 = select_gt(tiny<V>(), t30, tiny<V>(), t30);
    const V t33 = sqrt_(t32);
    const V t34 = u7 * t33;
    const V t35 = u8 + t34;
    const V t36 = t24 / t35;
    const V t38 = u9 * x[4];
    const V t39 = t38 / t35;
    const V t40 = t36 * t39;
    const V t42 = u7 * t40;
    const V t44 = t42 * splat<V>(S(0.5));
    const V t45 = t44 / t33;
    const V t46 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t45);
    const V t47 = x[6] + t46;
    const V t48 = u5 * t47;
    const V t63 = u0 * x[7];
    const V t65 = u1 * x[8];
    const V t66 = t63 + t65;
    const V t68 = u2 * x[9];
    const V t70 = u3 * t66;
    const V t71 = t68 + t70;
    const V t72 = t66 + t66;
    const V t73 = t48 * t72;
    const V t74 = t19 * t72;
    const V t76 = u4 * x[10];
    const V t78 = u5 * t74;
    const V t79 = t76 + t78;
    const V t81 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t79);
    const V t82 = t81 / t33;
    const V t83 = t45 * t82;
    const V t85 = splat<V>(S(0.5)) * t82;
    const V t88 = u7 * t85;
    const V t90 = t39 * t88;
    const V t91 = t36 * t88;
    const V t92 = t91 - t71;
    const V t93 = t92 / t35;
    const V t94 = t39 * t93;
    const V t95 = -t94;
    const V t97 = u9 * t93;
    const V t98 = x[8] + t97;
    const V t99 = t90 / t35;
    const V t100 = t36 * t99;
    const V t102 = t95 - t100;
    const V t104 = u7 * t102;
    const V t106 = t104 - t83;
    const V t107 = splat<V>(S(0.5)) * t106;
    const V t108 = t107 / t33;
    const V t110 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t108);
    const V t111 = u5 * t110;
    const V t116 = u4 * t110;
    const V t119 = t19 * t111;
    const V t120 = t73 + t119;
    const V t121 = t119 + t120;
    const V t122 = u3 * t99;
    const V t124 = t121 + t122;
    const V t129 = u2 * t99;
    const V t132 = u1 * t124;
    const V t135 = u0 * t124;
    y[0] = t135;
    y[1] = t132;
    y[2] = t129;
    y[3] = t116;
    y[4] = t98;
    y[5] = t71;
    y[6] = t79;
  }
};

// adam, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_b4172ea6239a_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[18]);
    u[15] = S(h[17]);
    u[16] = S(h[16]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t30 = u6 + t29;
    const V t32 = select_gt(tiny<V>(), t30, tiny<V>(), t30);
    const V t33 = sqrt_(t32);
    const V t34 = u7 * t33;
    const V t35 = u8 + t34;
    const V t36 = t24 / t35;
    const V t40 = u9 * x[4];
    const V t41 = t40 / t35;
    const V t42 = t36 * t41;
    const V t43 = x[5] - t41;
    const V t45 = u7 * t42;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t33;
    const V t49 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t48);
    const V t50 = x[6] + t49;
    const V t51 = u5 * t50;
    const V t56 = t19 * t51;
    const V t57 = t56 + t56;
    const V t58 = u3 * t43;
    const V t60 = t57 + t58;
    const V t84 = t60 * u10;
    const V t85 = x[0] * u10;
    const V t86 = t60 * x[7];
    const V t87 = u0 * x[7];
    const V t88 = t85 + t87;
    const V t89 = t60 * u11;
    const V t90 = x[1] * u11;
    const V t91 = t88 + t90;
    const V t92 = t60 * x[8];
    const V t93 = u1 * x[8];
    const V t94 = t91 + t93;
    const V t96 = t43 * u12;
    const V t97 = x[2] * u12;
    const V t98 = t43 * x[9];
    const V t99 = u2 * x[9];
    const V t100 = t97 + t99;
    const V t102 = t19 * u12;
    const V t104 = t100 - t102;
    const V t105 = t43 * t94;
    const V t106 = u3 * t94;
    const V t107 = t104 + t106;
    const V t108 = t94 + t94;
    const V t109 = t51 * t108;
    const V t110 = t19 * t108;
    const V t111 = t109 - t96;
    const V t113 = t50 * u13;
    const V t114 = x[3] * u13;
    const V t115 = t50 * x[10];
    const V t116 = u4 * x[10];
    const V t117 = t114 + t116;
    const V t119 = t25 * u13;
    const V t121 = t117 - t119;
    const V t122 = t50 * t110;
    const V t123 = u5 * t110;
    const V t124 = t121 + t123;
    const V t125 = u14 + t124;
    const V t127 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t125);
    const V t129 = t127 / t33;
    const V t130 = t48 * t129;
    const V t132 = splat<V>(S(0.5)) * t129;
    const V t134 = t42 * t132;
    const V t135 = u7 * t132;
    const V t136 = u15 + t135;
    const V t137 = t42 * u16;
    const V t138 = t33 * u16;
    const V t139 = t137 - t130;
    const V t140 = t136 + t138;
    const V t142 = t41 * t140;
    const V t143 = t36 * t140;
    const V t144 = t143 - t107;
    const V t145 = t144 / t35;
    const V t146 = t41 * t145;
    const V t147 = -t146;
    const V t148 = x[4] * t145;
    const V t149 = u9 * t145;
    const V t150 = x[8] + t149;
    const V t152 = x[4] * u17;
    const V t154 = t36 * u17;
    const V t156 = t142 - t152;
    const V t157 = t150 - t154;
    const V t158 = t156 / t35;
    const V t159 = t36 * t158;
    const V t161 = t147 - t159;
    const V t162 = t33 * t161;
    const V t163 = u7 * t161;
    const V t164 = t134 + t162;
    const V t165 = t139 + t163;
    const V t166 = splat<V>(S(0.5)) * t165;
    const V t167 = t166 / t33;
    const V t169 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t167);
    const V t170 = u5 * t169;
    const V t171 = t25 * t169;
    const V t172 = t170 - t113;
    const V t173 = t122 + t171;
    const V t175 = t115 - t173;
    const V t176 = u4 * t169;
    const V t177 = x[3] * t169;
    const V t178 = t113 + t176;
    const V t179 = t175 + t177;
    const V t180 = t19 * t172;
    const V t181 = t111 + t180;
    const V t182 = t180 + t181;
    const V t183 = u3 * t158;
    const V t184 = t19 * t158;
    const V t185 = t182 + t183;
    const V t186 = t105 + t184;
    const V t189 = t98 - t186;
    const V t190 = u2 * t158;
    const V t191 = x[2] * t158;
    const V t192 = t96 + t190;
    const V t193 = t189 + t191;
    const V t194 = u1 * t185;
    const V t195 = x[1] * t185;
    const V t196 = t89 + t194;
    const V t197 = t92 + t195;
    const V t198 = u0 * t185;
    const V t199 = x[0] * t185;
    const V t200 = t84 + t198;
    const V t201 = t86 + t199;
    y[0] = t200;
    y[1] = t196;
    y[2] = t192;
    y[3] = t178;
    y[4] = t157;
    y[5] = t107;
    y[6] = t124;
    y[7] = t201;
    y[8] = t197;
    y[9] = t193;
    y[10] = t179;
    y[11] = splat<V>(S(0.0));
    y[12] = splat<V>(S(0.0));
    y[13] = t164;
    y[14] = t161;
    y[15] = t169;
    y[16] = t148;
  }
};

// adamw: update, forward
template <class S, class V>
struct k_f1d79a01c820_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t32 = x[1] * u8;
    const V t33 = t31 + t32;
    const V t35 = u9 * t33;
    const V t36 = -t35;
    y[0] = t36;
    y[1] = t19;
    y[2] = t24;
  }
};

// adamw: update, vjp
template <class S, class V>
struct k_f1d79a01c820_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t43 = u8 * x[4];
    const V t45 = u9 * t43;
    const V t46 = -t45;
    const V t49 = t43 / t30;
    const V t51 = t31 * t49;
    const V t53 = x[5] - t49;
    const V t55 = u6 * t51;
    const V t57 = t55 * splat<V>(S(0.5));
    const V t58 = t57 / t28;
    const V t60 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t58);
    const V t61 = x[6] + t60;
    const V t62 = u4 * t61;
    const V t65 = u3 * t61;
    const V t68 = t14 * t62;
    const V t69 = t68 + t68;
    const V t70 = u2 * t53;
    const V t72 = t69 + t70;
    const V t75 = u1 * t53;
    const V t78 = u0 * t72;
    y[0] = t78;
    y[1] = t46;
    y[2] = t75;
    y[3] = t65;
  }
};

// adamw: update, vjps
template <class S, class V>
struct k_f1d79a01c820_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t32 = x[1] * u8;
    const V t33 = t31 + t32;
    const V t41 = t33 * x[4];
    const V t42 = -t41;
    const V t43 = u9 * x[4];
    const V t45 = u8 * t43;
    const V t46 = -t45;
    const V t47 = x[1] * t43;
    const V t48 = -t47;
    const V t49 = t43 / t30;
    const V t51 = t31 * t49;
    const V t53 = x[5] - t49;
    const V t54 = t28 * t51;
    const V t55 = u6 * t51;
    const V t57 = t55 * splat<V>(S(0.5));
    const V t58 = t57 / t28;
    const V t60 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t58);
    const V t61 = x[6] + t60;
    const V t62 = u4 * t61;
    const V t63 = t20 * t61;
    const V t65 = u3 * t61;
    const V t66 = x[3] * t61;
    const V t67 = t66 - t63;
    const V t68 = t14 * t62;
    const V t69 = t68 + t68;
    const V t70 = u2 * t53;
    const V t71 = t14 * t53;
    const V t72 = t69 + t70;
    const V t75 = u1 * t53;
    const V t76 = x[2] * t53;
    const V t77 = t76 - t71;
    const V t78 = u0 * t72;
    const V t79 = x[0] * t72;
    y[0] = t78;
    y[1] = t46;
    y[2] = t75;
    y[3] = t65;
    y[4] = t79;
    y[5] = t77;
    y[6] = t67;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t54;
    y[10] = t51;
    y[11] = t60;
    y[12] = t48;
    y[13] = t42;
  }
};

// adamw: update, jvp
template <class S, class V>
struct k_f1d79a01c820_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[17]);
    u[13] = S(h[15]);
    u[14] = S(h[16]);
    u[15] = S(h[18]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t32 = x[1] * u8;
    const V t33 = t31 + t32;
    const V t51 = u0 * x[4];
    const V t52 = x[0] * u9;
    const V t53 = t51 + t52;
    const V t54 = u1 * x[6];
    const V t55 = x[2] * u10;
    const V t56 = t54 + t55;
    const V t58 = u2 * t53;
    const V t59 = t14 * u10;
    const V t61 = t58 - t59;
    const V t62 = t56 + t61;
    const V t63 = t14 * t53;
    const V t64 = t63 + t63;
    const V t65 = u3 * x[7];
    const V t66 = x[3] * u11;
    const V t67 = t65 + t66;
    const V t69 = u4 * t64;
    const V t70 = t20 * u11;
    const V t72 = t69 - t70;
    const V t73 = t67 + t72;
    const V t74 = u12 + t73;
    const V t75 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t74);
    const V t77 = t75 * splat<V>(S(0.5));
    const V t78 = t77 / t28;
    const V t79 = t28 * u13;
    const V t80 = u6 * t78;
    const V t81 = t79 + t80;
    const V t82 = u14 + t81;
    const V t83 = t31 * t82;
    const V t84 = t62 - t83;
    const V t85 = t84 / t30;
    const V t86 = u8 * x[5];
    const V t87 = x[1] * u15;
    const V t88 = t86 + t87;
    const V t89 = t85 + t88;
    const V t90 = t33 * u16;
    const V t91 = u17 * t89;
    const V t92 = t90 + t91;
    const V t93 = -t92;
    y[0] = t93;
    y[1] = t62;
    y[2] = t73;
  }
};

// adamw: update, vjp_vjp
template <class S, class V>
struct k_f1d79a01c820_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[1];
    const double t25 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[2]);
    u[4] = S(t25);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t17 = x[0] * u0;
    const V t18 = x[2] * u1;
    const V t21 = t17 * u2;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u3;
    const V t26 = t23 * u4;
    const V t27 = t24 + t26;
    const V t28 = u5 + t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t22 / t33;
    const V t36 = u8 * x[4];
    const V t39 = t36 / t33;
    const V t40 = t34 * t39;
    const V t42 = u6 * t40;
    const V t44 = t42 * splat<V>(S(0.5));
    const V t45 = t44 / t31;
    const V t46 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t45);
    const V t47 = x[6] + t46;
    const V t48 = u4 * t47;
    const V t61 = u0 * x[7];
    const V t63 = u1 * x[9];
    const V t65 = u2 * t61;
    const V t66 = t63 + t65;
    const V t67 = t61 + t61;
    const V t68 = t48 * t67;
    const V t69 = t17 * t67;
    const V t71 = u3 * x[10];
    const V t73 = u4 * t69;
    const V t74 = t71 + t73;
    const V t76 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t74);
    const V t77 = t76 / t31;
    const V t78 = t45 * t77;
    const V t80 = splat<V>(S(0.5)) * t77;
    const V t83 = u6 * t80;
    const V t85 = t39 * t83;
    const V t86 = t34 * t83;
    const V t87 = t86 - t66;
    const V t88 = t87 / t33;
    const V t89 = t39 * t88;
    const V t90 = -t89;
    const V t94 = u9 * x[8];
    const V t96 = t88 - t94;
    const V t98 = u8 * t96;
    const V t99 = t85 / t33;
    const V t100 = t34 * t99;
    const V t102 = t90 - t100;
    const V t104 = u6 * t102;
    const V t106 = t104 - t78;
    const V t107 = splat<V>(S(0.5)) * t106;
    const V t108 = t107 / t31;
    const V t110 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t108);
    const V t111 = u4 * t110;
    const V t116 = u3 * t110;
    const V t119 = t17 * t111;
    const V t120 = t68 + t119;
    const V t121 = t119 + t120;
    const V t122 = u2 * t99;
    const V t124 = t121 + t122;
    const V t129 = u1 * t99;
    const V t132 = u0 * t124;
    y[0] = t132;
    y[1] = splat<V>(S(0.0));
    y[2] = t129;
    y[3] = t116;
    y[4] = t98;
    y[5] = t66;
    y[6] = t74;
  }
};

// adamw: update, vjps_vjps
template <class S, class V>
struct k_f1d79a01c820_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[1];
    const double t25 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[2]);
    u[4] = S(t25);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[17]);
    u[14] = S(h[16]);
    u[15] = S(h[15]);
    u[16] = S(h[18]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t17 = x[0] * u0;
    const V t18 = x[2] * u1;
    const V t21 = t17 * u2;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u3;
    const V t26 = t23 * u4;
    const V t27 = t24 + t26;
    const V t28 = u5 + t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t22 / t33;
    const V t35 = x[1] * u8;
    const V t36 = t34 + t35;
    const V t40 = u9 * x[4];
    const V t45 = t40 / t33;
    const V t46 = t34 * t45;
    const V t47 = x[5] - t45;
    const V t49 = u6 * t46;
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t31;
    const V t53 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t52);
    const V t54 = x[6] + t53;
    const V t55 = u4 * t54;
    const V t60 = t17 * t55;
    const V t61 = t60 + t60;
    const V t62 = u2 * t47;
    const V t64 = t61 + t62;
    const V t85 = t64 * u10;
    const V t86 = x[0] * u10;
    const V t87 = t64 * x[7];
    const V t88 = u0 * x[7];
    const V t89 = t86 + t88;
    const V t91 = t47 * u11;
    const V t92 = x[2] * u11;
    const V t93 = t47 * x[9];
    const V t94 = u1 * x[9];
    const V t95 = t92 + t94;
    const V t97 = t17 * u11;
    const V t99 = t95 - t97;
    const V t100 = t47 * t89;
    const V t101 = u2 * t89;
    const V t102 = t99 + t101;
    const V t103 = t89 + t89;
    const V t104 = t55 * t103;
    const V t105 = t17 * t103;
    const V t106 = t104 - t91;
    const V t108 = t54 * u12;
    const V t109 = x[3] * u12;
    const V t110 = t54 * x[10];
    const V t111 = u3 * x[10];
    const V t112 = t109 + t111;
    const V t114 = t23 * u12;
    const V t116 = t112 - t114;
    const V t117 = t54 * t105;
    const V t118 = u4 * t105;
    const V t119 = t116 + t118;
    const V t120 = u13 + t119;
    const V t122 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t120);
    const V t124 = t122 / t31;
    const V t125 = t52 * t124;
    const V t127 = splat<V>(S(0.5)) * t124;
    const V t129 = t46 * t127;
    const V t130 = u6 * t127;
    const V t131 = u14 + t130;
    const V t132 = t46 * u15;
    const V t133 = t31 * u15;
    const V t134 = t132 - t125;
    const V t135 = t131 + t133;
    const V t137 = t45 * t135;
    const V t138 = t34 * t135;
    const V t139 = t138 - t102;
    const V t140 = t139 / t33;
    const V t141 = t45 * t140;
    const V t142 = -t141;
    const V t144 = t40 * u16;
    const V t145 = -t144;
    const V t146 = x[1] * u16;
    const V t148 = t140 - t146;
    const V t150 = t40 * x[8];
    const V t151 = -t150;
    const V t152 = u8 * x[8];
    const V t154 = t148 - t152;
    const V t155 = x[4] * t154;
    const V t156 = u9 * t154;
    const V t158 = x[4] * u17;
    const V t160 = t36 * u17;
    const V t162 = t156 - t160;
    const V t163 = t137 - t158;
    const V t164 = u8 * t158;
    const V t166 = x[1] * t158;
    const V t168 = t145 - t164;
    const V t169 = t151 - t166;
    const V t170 = t163 / t33;
    const V t171 = t34 * t170;
    const V t173 = t142 - t171;
    const V t174 = t31 * t173;
    const V t175 = u6 * t173;
    const V t176 = t129 + t174;
    const V t177 = t134 + t175;
    const V t178 = splat<V>(S(0.5)) * t177;
    const V t179 = t178 / t31;
    const V t181 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t179);
    const V t182 = u4 * t181;
    const V t183 = t23 * t181;
    const V t184 = t182 - t108;
    const V t185 = t117 + t183;
    const V t187 = t110 - t185;
    const V t188 = u3 * t181;
    const V t189 = x[3] * t181;
    const V t190 = t108 + t188;
    const V t191 = t187 + t189;
    const V t192 = t17 * t184;
    const V t193 = t106 + t192;
    const V t194 = t192 + t193;
    const V t195 = u2 * t170;
    const V t196 = t17 * t170;
    const V t197 = t194 + t195;
    const V t198 = t100 + t196;
    const V t201 = t93 - t198;
    const V t202 = u1 * t170;
    const V t203 = x[2] * t170;
    const V t204 = t91 + t202;
    const V t205 = t201 + t203;
    const V t206 = u0 * t197;
    const V t207 = x[0] * t197;
    const V t208 = t85 + t206;
    const V t209 = t87 + t207;
    y[0] = t208;
    y[1] = t168;
    y[2] = t204;
    y[3] = t190;
    y[4] = t162;
    y[5] = t102;
    y[6] = t119;
    y[7] = t209;
    y[8] = t205;
    y[9] = t191;
    y[10] = splat<V>(S(0.0));
    y[11] = splat<V>(S(0.0));
    y[12] = t176;
    y[13] = t173;
    y[14] = t181;
    y[15] = t169;
    y[16] = t155;
  }
};

// adamw: parameters, forward
template <class S, class V>
struct k_3804b7aea1ed_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t32 = x[1] * u8;
    const V t33 = t31 + t32;
    const V t35 = u9 * t33;
    const V t37 = x[1] - t35;
    y[0] = t37;
    y[1] = t19;
    y[2] = t24;
  }
};

// adamw: parameters, vjp
template <class S, class V>
struct k_3804b7aea1ed_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t43 = u8 * x[4];
    const V t45 = u9 * t43;
    const V t49 = x[4] - t45;
    const V t50 = t43 / t30;
    const V t52 = t31 * t50;
    const V t54 = x[5] - t50;
    const V t56 = u6 * t52;
    const V t58 = t56 * splat<V>(S(0.5));
    const V t59 = t58 / t28;
    const V t61 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t59);
    const V t62 = x[6] + t61;
    const V t63 = u4 * t62;
    const V t66 = u3 * t62;
    const V t69 = t14 * t63;
    const V t70 = t69 + t69;
    const V t71 = u2 * t54;
    const V t73 = t70 + t71;
    const V t76 = u1 * t54;
    const V t79 = u0 * t73;
    y[0] = t79;
    y[1] = t49;
    y[2] = t76;
    y[3] = t66;
  }
};

// adamw: parameters, vjps
template <class S, class V>
struct k_3804b7aea1ed_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t32 = x[1] * u8;
    const V t33 = t31 + t32;
    const V t41 = t33 * x[4];
    const V t42 = -t41;
    const V t43 = u9 * x[4];
    const V t45 = u8 * t43;
    const V t47 = x[1] * t43;
    const V t48 = -t47;
    const V t49 = x[4] - t45;
    const V t50 = t43 / t30;
    const V t52 = t31 * t50;
    const V t54 = x[5] - t50;
    const V t55 = t28 * t52;
    const V t56 = u6 * t52;
    const V t58 = t56 * splat<V>(S(0.5));
    const V t59 = t58 / t28;
    const V t61 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t59);
    const V t62 = x[6] + t61;
    const V t63 = u4 * t62;
    const V t64 = t20 * t62;
    const V t66 = u3 * t62;
    const V t67 = x[3] * t62;
    const V t68 = t67 - t64;
    const V t69 = t14 * t63;
    const V t70 = t69 + t69;
    const V t71 = u2 * t54;
    const V t72 = t14 * t54;
    const V t73 = t70 + t71;
    const V t76 = u1 * t54;
    const V t77 = x[2] * t54;
    const V t78 = t77 - t72;
    const V t79 = u0 * t73;
    const V t80 = x[0] * t73;
    y[0] = t79;
    y[1] = t49;
    y[2] = t76;
    y[3] = t66;
    y[4] = t80;
    y[5] = t78;
    y[6] = t68;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t55;
    y[10] = t52;
    y[11] = t61;
    y[12] = t48;
    y[13] = t42;
  }
};

// adamw: parameters, jvp
template <class S, class V>
struct k_3804b7aea1ed_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[17]);
    u[13] = S(h[15]);
    u[14] = S(h[16]);
    u[15] = S(h[18]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t19 / t30;
    const V t32 = x[1] * u8;
    const V t33 = t31 + t32;
    const V t51 = u0 * x[4];
    const V t52 = x[0] * u9;
    const V t53 = t51 + t52;
    const V t54 = u1 * x[6];
    const V t55 = x[2] * u10;
    const V t56 = t54 + t55;
    const V t58 = u2 * t53;
    const V t59 = t14 * u10;
    const V t61 = t58 - t59;
    const V t62 = t56 + t61;
    const V t63 = t14 * t53;
    const V t64 = t63 + t63;
    const V t65 = u3 * x[7];
    const V t66 = x[3] * u11;
    const V t67 = t65 + t66;
    const V t69 = u4 * t64;
    const V t70 = t20 * u11;
    const V t72 = t69 - t70;
    const V t73 = t67 + t72;
    const V t74 = u12 + t73;
    const V t75 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t74);
    const V t77 = t75 * splat<V>(S(0.5));
    const V t78 = t77 / t28;
    const V t79 = t28 * u13;
    const V t80 = u6 * t78;
    const V t81 = t79 + t80;
    const V t82 = u14 + t81;
    const V t83 = t31 * t82;
    const V t84 = t62 - t83;
    const V t85 = t84 / t30;
    const V t86 = u8 * x[5];
    const V t87 = x[1] * u15;
    const V t88 = t86 + t87;
    const V t89 = t85 + t88;
    const V t90 = t33 * u16;
    const V t91 = u17 * t89;
    const V t92 = t90 + t91;
    const V t93 = x[5] - t92;
    y[0] = t93;
    y[1] = t62;
    y[2] = t73;
  }
};

// adamw: parameters, vjp_vjp
template <class S, class V>
struct k_3804b7aea1ed_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[1];
    const double t25 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[2]);
    u[4] = S(t25);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t17 = x[0] * u0;
    const V t18 = x[2] * u1;
    const V t21 = t17 * u2;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u3;
    const V t26 = t23 * u4;
    const V t27 = t24 + t26;
    const V t28 = u5 + t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t22 / t33;
    const V t36 = u8 * x[4];
    const V t39 = t36 / t33;
    const V t40 = t34 * t39;
    const V t42 = u6 * t40;
    const V t44 = t42 * splat<V>(S(0.5));
    const V t45 = t44 / t31;
    const V t46 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t45);
    const V t47 = x[6] + t46;
    const V t48 = u4 * t47;
    const V t61 = u0 * x[7];
    const V t63 = u1 * x[9];
    const V t65 = u2 * t61;
    const V t66 = t63 + t65;
    const V t67 = t61 + t61;
    const V t68 = t48 * t67;
    const V t69 = t17 * t67;
    const V t71 = u3 * x[10];
    const V t73 = u4 * t69;
    const V t74 = t71 + t73;
    const V t76 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t74);
    const V t77 = t76 / t31;
    const V t78 = t45 * t77;
    const V t80 = splat<V>(S(0.5)) * t77;
    const V t83 = u6 * t80;
    const V t85 = t39 * t83;
    const V t86 = t34 * t83;
    const V t87 = t86 - t66;
    const V t88 = t87 / t33;
    const V t89 = t39 * t88;
    const V t90 = -t89;
    const V t94 = u9 * x[8];
    const V t96 = t88 - t94;
    const V t98 = u8 * t96;
    const V t99 = x[8] + t98;
    const V t100 = t85 / t33;
    const V t101 = t34 * t100;
    const V t103 = t90 - t101;
    const V t105 = u6 * t103;
    const V t107 = t105 - t78;
    const V t108 = splat<V>(S(0.5)) * t107;
    const V t109 = t108 / t31;
    const V t111 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t109);
    const V t112 = u4 * t111;
    const V t117 = u3 * t111;
    const V t120 = t17 * t112;
    const V t121 = t68 + t120;
    const V t122 = t120 + t121;
    const V t123 = u2 * t100;
    const V t125 = t122 + t123;
    const V t130 = u1 * t100;
    const V t133 = u0 * t125;
    y[0] = t133;
    y[1] = splat<V>(S(0.0));
    y[2] = t130;
    y[3] = t117;
    y[4] = t99;
    y[5] = t66;
    y[6] = t74;
  }
};

// adamw: parameters, vjps_vjps
template <class S, class V>
struct k_3804b7aea1ed_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[1];
    const double t25 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[2]);
    u[4] = S(t25);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[17]);
    u[14] = S(h[16]);
    u[15] = S(h[15]);
    u[16] = S(h[18]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t17 = x[0] * u0;
    const V t18 = x[2] * u1;
    const V t21 = t17 * u2;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u3;
    const V t26 = t23 * u4;
    const V t27 = t24 + t26;
    const V t28 = u5 + t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t22 / t33;
    const V t35 = x[1] * u8;
    const V t36 = t34 + t35;
    const V t40 = u9 * x[4];
    const V t45 = t40 / t33;
    const V t46 = t34 * t45;
    const V t47 = x[5] - t45;
    const V t49 = u6 * t46;
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t31;
    const V t53 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t52);
    const V t54 = x[6] + t53;
    const V t55 = u4 * t54;
    const V t60 = t17 * t55;
    const V t61 = t60 + t60;
    const V t62 = u2 * t47;
    const V t64 = t61 + t62;
    const V t85 = t64 * u10;
    const V t86 = x[0] * u10;
    const V t87 = t64 * x[7];
    const V t88 = u0 * x[7];
    const V t89 = t86 + t88;
    const V t91 = t47 * u11;
    const V t92 = x[2] * u11;
    const V t93 = t47 * x[9];
    const V t94 = u1 * x[9];
    const V t95 = t92 + t94;
    const V t97 = t17 * u11;
    const V t99 = t95 - t97;
    const V t100 = t47 * t89;
    const V t101 = u2 * t89;
    const V t102 = t99 + t101;
    const V t103 = t89 + t89;
    const V t104 = t55 * t103;
    const V t105 = t17 * t103;
    const V t106 = t104 - t91;
    const V t108 = t54 * u12;
    const V t109 = x[3] * u12;
    const V t110 = t54 * x[10];
    const V t111 = u3 * x[10];
    const V t112 = t109 + t111;
    const V t114 = t23 * u12;
    const V t116 = t112 - t114;
    const V t117 = t54 * t105;
    const V t118 = u4 * t105;
    const V t119 = t116 + t118;
    const V t120 = u13 + t119;
    const V t122 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t120);
    const V t124 = t122 / t31;
    const V t125 = t52 * t124;
    const V t127 = splat<V>(S(0.5)) * t124;
    const V t129 = t46 * t127;
    const V t130 = u6 * t127;
    const V t131 = u14 + t130;
    const V t132 = t46 * u15;
    const V t133 = t31 * u15;
    const V t134 = t132 - t125;
    const V t135 = t131 + t133;
    const V t137 = t45 * t135;
    const V t138 = t34 * t135;
    const V t139 = t138 - t102;
    const V t140 = t139 / t33;
    const V t141 = t45 * t140;
    const V t142 = -t141;
    const V t145 = t40 * u16;
    const V t146 = -t145;
    const V t147 = x[1] * u16;
    const V t149 = t140 - t147;
    const V t150 = t40 * x[8];
    const V t151 = -t150;
    const V t152 = u8 * x[8];
    const V t154 = t149 - t152;
    const V t155 = x[4] * t154;
    const V t156 = u9 * t154;
    const V t157 = x[8] + t156;
    const V t159 = x[4] * u17;
    const V t161 = t36 * u17;
    const V t163 = t157 - t161;
    const V t164 = t137 - t159;
    const V t165 = u8 * t159;
    const V t167 = x[1] * t159;
    const V t169 = t146 - t165;
    const V t170 = t151 - t167;
    const V t171 = t164 / t33;
    const V t172 = t34 * t171;
    const V t174 = t142 - t172;
    const V t175 = t31 * t174;
    const V t176 = u6 * t174;
    const V t177 = t129 + t175;
    const V t178 = t134 + t176;
    const V t179 = splat<V>(S(0.5)) * t178;
    const V t180 = t179 / t31;
    const V t182 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t180);
    const V t183 = u4 * t182;
    const V t184 = t23 * t182;
    const V t185 = t183 - t108;
    const V t186 = t117 + t184;
    const V t188 = t110 - t186;
    const V t189 = u3 * t182;
    const V t190 = x[3] * t182;
    const V t191 = t108 + t189;
    const V t192 = t188 + t190;
    const V t193 = t17 * t185;
    const V t194 = t106 + t193;
    const V t195 = t193 + t194;
    const V t196 = u2 * t171;
    const V t197 = t17 * t171;
    const V t198 = t195 + t196;
    const V t199 = t100 + t197;
    const V t202 = t93 - t199;
    const V t203 = u1 * t171;
    const V t204 = x[2] * t171;
    const V t205 = t91 + t203;
    const V t206 = t202 + t204;
    const V t207 = u0 * t198;
    const V t208 = x[0] * t198;
    const V t209 = t85 + t207;
    const V t210 = t87 + t208;
    y[0] = t209;
    y[1] = t169;
    y[2] = t205;
    y[3] = t191;
    y[4] = t163;
    y[5] = t102;
    y[6] = t119;
    y[7] = t210;
    y[8] = t206;
    y[9] = t192;
    y[10] = splat<V>(S(0.0));
    y[11] = splat<V>(S(0.0));
    y[12] = t177;
    y[13] = t174;
    y[14] = t182;
    y[15] = t170;
    y[16] = t155;
  }
};

// adam, amsgrad: update, forward
template <class S, class V>
struct k_94052f48c91e_forward {
  static constexpr int inputs = 4, outputs = 4, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[2] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = select_gt(x[3], t23, x[3], select_eq(x[3], x[3], t23, x[3]));
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t18 / t30;
    const V t33 = u8 * t31;
    const V t34 = -t33;
    y[0] = t34;
    y[1] = t18;
    y[2] = t23;
    y[3] = t24;
  }
};

// adam, amsgrad: update, vjp
template <class S, class V>
struct k_94052f48c91e_vjp {
  static constexpr int inputs = 8, outputs = 4, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[2] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = select_gt(x[3], t23, x[3], select_eq(x[3], x[3], t23, x[3]));
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t18 / t30;
    const V t42 = u8 * x[4];
    const V t44 = t42 / t30;
    const V t46 = t31 * t44;
    const V t48 = x[5] - t44;
    const V t50 = u6 * t46;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t28;
    const V t55 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t53);
    const V t56 = x[7] + t55;
    const V t57 = splat<V>(S(0.5)) * t56;
    const V t58 = select_eq(x[3], t23, t57, splat<V>(S(0.0)));
    const V t59 = select_gt(x[3], t23, t56, t58);
    const V t60 = select_gt(t23, x[3], t56, t58);
    const V t61 = x[6] + t60;
    const V t62 = u4 * t61;
    const V t65 = u3 * t61;
    const V t68 = t13 * t62;
    const V t69 = t68 + t68;
    const V t70 = u2 * t48;
    const V t72 = t69 + t70;
    const V t75 = u1 * t48;
    const V t78 = u0 * t72;
    y[0] = t78;
    y[1] = t75;
    y[2] = t65;
    y[3] = t59;
  }
};

// adam, amsgrad: update, vjps
template <class S, class V>
struct k_94052f48c91e_vjps {
  static constexpr int inputs = 8, outputs = 4, scalars = 9, sums = 9, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[2] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = select_gt(x[3], t23, x[3], select_eq(x[3], x[3], t23, x[3]));
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t18 / t30;
    const V t40 = t31 * x[4];
    const V t41 = -t40;
    const V t42 = u8 * x[4];
    const V t44 = t42 / t30;
    const V t46 = t31 * t44;
    const V t48 = x[5] - t44;
    const V t49 = t28 * t46;
    const V t50 = u6 * t46;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t28;
    const V t55 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t53);
    const V t56 = x[7] + t55;
    const V t57 = splat<V>(S(0.5)) * t56;
    const V t58 = select_eq(x[3], t23, t57, splat<V>(S(0.0)));
    const V t59 = select_gt(x[3], t23, t56, t58);
    const V t60 = select_gt(t23, x[3], t56, t58);
    const V t61 = x[6] + t60;
    const V t62 = u4 * t61;
    const V t63 = t19 * t61;
    const V t65 = u3 * t61;
    const V t66 = x[2] * t61;
    const V t67 = t66 - t63;
    const V t68 = t13 * t62;
    const V t69 = t68 + t68;
    const V t70 = u2 * t48;
    const V t71 = t13 * t48;
    const V t72 = t69 + t70;
    const V t75 = u1 * t48;
    const V t76 = x[1] * t48;
    const V t77 = t76 - t71;
    const V t78 = u0 * t72;
    const V t79 = x[0] * t72;
    y[0] = t78;
    y[1] = t75;
    y[2] = t65;
    y[3] = t59;
    y[4] = t79;
    y[5] = t77;
    y[6] = t67;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t49;
    y[10] = t46;
    y[11] = t55;
    y[12] = t41;
  }
};

// adam, amsgrad: update, jvp
template <class S, class V>
struct k_94052f48c91e_jvp {
  static constexpr int inputs = 8, outputs = 4, scalars = 18, sums = 0, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[16]);
    u[12] = S(h[14]);
    u[13] = S(h[15]);
    u[14] = S(h[17]);
    u[15] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[2] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t24 = select_gt(x[3], t23, x[3], select_eq(x[3], x[3], t23, x[3]));
    const V t25 = u5 + t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t18 / t30;
    const V t48 = u0 * x[4];
    const V t49 = x[0] * u8;
    const V t50 = t48 + t49;
    const V t51 = u1 * x[5];
    const V t52 = x[1] * u9;
    const V t53 = t51 + t52;
    const V t55 = u2 * t50;
    const V t56 = t13 * u9;
    const V t58 = t55 - t56;
    const V t59 = t53 + t58;
    const V t60 = t13 * t50;
    const V t61 = t60 + t60;
    const V t62 = u3 * x[6];
    const V t63 = x[2] * u10;
    const V t64 = t62 + t63;
    const V t66 = u4 * t61;
    const V t67 = t19 * u10;
    const V t69 = t66 - t67;
    const V t70 = t64 + t69;
    const V t71 = x[7] + t70;
    const V t73 = t71 * splat<V>(S(0.5));
    const V t74 = select_eq(x[3], t23, t73, t70);
    const V t75 = select_gt(x[3], t23, x[7], t74);
    const V t76 = u11 + t75;
    const V t77 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t76);
    const V t78 = splat<V>(S(0.5)) * t77;
    const V t79 = t78 / t28;
    const V t80 = t28 * u12;
    const V t81 = u6 * t79;
    const V t82 = t80 + t81;
    const V t83 = u13 + t82;
    const V t84 = t31 * t83;
    const V t85 = t59 - t84;
    const V t86 = t85 / t30;
    const V t87 = t31 * u14;
    const V t88 = u15 * t86;
    const V t89 = t87 + t88;
    const V t90 = -t89;
    y[0] = t90;
    y[1] = t59;
    y[2] = t70;
    y[3] = t75;
  }
};

// adam, amsgrad: update, vjp_vjp
template <class S, class V>
struct k_94052f48c91e_vjp_vjp {
  static constexpr int inputs = 12, outputs = 8, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[1];
    const double t25 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[2]);
    u[4] = S(t25);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t21 = t17 * u2;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[2] * u3;
    const V t26 = t23 * u4;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[3], t27, x[3], select_eq(x[3], x[3], t27, x[3]));
    const V t29 = u5 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t22 / t34;
    const V t37 = u8 * x[4];
    const V t38 = t37 / t34;
    const V t39 = t35 * t38;
    const V t41 = u6 * t39;
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t32;
    const V t45 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t44);
    const V t46 = x[7] + t45;
    const V t47 = splat<V>(S(0.5)) * t46;
    const V t48 = select_eq(x[3], t27, t47, splat<V>(S(0.0)));
    const V t50 = select_gt(t27, x[3], t46, t48);
    const V t51 = x[6] + t50;
    const V t52 = u4 * t51;
    const V t65 = u0 * x[8];
    const V t67 = u1 * x[9];
    const V t69 = u2 * t65;
    const V t70 = t67 + t69;
    const V t71 = t65 + t65;
    const V t72 = t52 * t71;
    const V t73 = t17 * t71;
    const V t75 = u3 * x[10];
    const V t77 = u4 * t73;
    const V t78 = t75 + t77;
    const V t79 = select_gt(t27, x[3], t78, splat<V>(S(0.0)));
    const V t80 = select_gt(t27, x[3], splat<V>(S(0.0)), t78);
    const V t81 = select_gt(x[3], t27, x[11], splat<V>(S(0.0)));
    const V t82 = select_gt(x[3], t27, splat<V>(S(0.0)), x[11]);
    const V t83 = t79 + t81;
    const V t84 = t80 + t82;
    const V t85 = select_eq(x[3], t27, t84, splat<V>(S(0.0)));
    const V t88 = splat<V>(S(0.5)) * t85;
    const V t89 = t83 + t88;
    const V t91 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t89);
    const V t93 = t91 / t32;
    const V t94 = t44 * t93;
    const V t96 = splat<V>(S(0.5)) * t93;
    const V t100 = u6 * t96;
    const V t102 = t38 * t100;
    const V t103 = t35 * t100;
    const V t104 = t103 - t70;
    const V t105 = t104 / t34;
    const V t106 = t38 * t105;
    const V t107 = -t106;
    const V t109 = u8 * t105;
    const V t110 = t102 / t34;
    const V t111 = t35 * t110;
    const V t113 = t107 - t111;
    const V t115 = u6 * t113;
    const V t117 = t115 - t94;
    const V t118 = splat<V>(S(0.5)) * t117;
    const V t119 = t118 / t32;
    const V t121 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t119);
    const V t122 = splat<V>(S(0.5)) * t121;
    const V t123 = select_eq(x[3], t27, t122, splat<V>(S(0.0)));
    const V t124 = select_gt(x[3], t27, t121, t123);
    const V t125 = select_gt(t27, x[3], t121, t123);
    const V t126 = u4 * t125;
    const V t131 = u3 * t125;
    const V t134 = t17 * t126;
    const V t135 = t72 + t134;
    const V t136 = t134 + t135;
    const V t137 = u2 * t110;
    const V t139 = t136 + t137;
    const V t144 = u1 * t110;
    const V t147 = u0 * t139;
    y[0] = t147;
    y[1] = t144;
    y[2] = t131;
    y[3] = t124;
    y[4] = t109;
    y[5] = t70;
    y[6] = t78;
    y[7] = t89;
  }
};

// adam, amsgrad: update, vjps_vjps
template <class S, class V>
struct k_94052f48c91e_vjps_vjps {
  static constexpr int inputs = 12, outputs = 8, scalars = 18, sums = 9, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[1];
    const double t25 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[2]);
    u[4] = S(t25);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[16]);
    u[13] = S(h[15]);
    u[14] = S(h[14]);
    u[15] = S(h[17]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t21 = t17 * u2;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[2] * u3;
    const V t26 = t23 * u4;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[3], t27, x[3], select_eq(x[3], x[3], t27, x[3]));
    const V t29 = u5 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t22 / t34;
    const V t39 = u8 * x[4];
    const V t40 = t39 / t34;
    const V t41 = t35 * t40;
    const V t42 = x[5] - t40;
    const V t44 = u6 * t41;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t32;
    const V t48 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t47);
    const V t49 = x[7] + t48;
    const V t50 = splat<V>(S(0.5)) * t49;
    const V t51 = select_eq(x[3], t27, t50, splat<V>(S(0.0)));
    const V t53 = select_gt(t27, x[3], t49, t51);
    const V t54 = x[6] + t53;
    const V t55 = u4 * t54;
    const V t60 = t17 * t55;
    const V t61 = t60 + t60;
    const V t62 = u2 * t42;
    const V t64 = t61 + t62;
    const V t84 = t64 * u9;
    const V t85 = x[0] * u9;
    const V t86 = t64 * x[8];
    const V t87 = u0 * x[8];
    const V t88 = t85 + t87;
    const V t90 = t42 * u10;
    const V t91 = x[1] * u10;
    const V t92 = t42 * x[9];
    const V t93 = u1 * x[9];
    const V t94 = t91 + t93;
    const V t96 = t17 * u10;
    const V t98 = t94 - t96;
    const V t99 = t42 * t88;
    const V t100 = u2 * t88;
    const V t101 = t98 + t100;
    const V t102 = t88 + t88;
    const V t103 = t55 * t102;
    const V t104 = t17 * t102;
    const V t105 = t103 - t90;
    const V t107 = t54 * u11;
    const V t108 = x[2] * u11;
    const V t109 = t54 * x[10];
    const V t110 = u3 * x[10];
    const V t111 = t108 + t110;
    const V t113 = t23 * u11;
    const V t115 = t111 - t113;
    const V t116 = t54 * t104;
    const V t117 = u4 * t104;
    const V t118 = t115 + t117;
    const V t119 = select_gt(t27, x[3], t118, splat<V>(S(0.0)));
    const V t120 = select_gt(t27, x[3], splat<V>(S(0.0)), t118);
    const V t121 = select_gt(x[3], t27, x[11], splat<V>(S(0.0)));
    const V t122 = select_gt(x[3], t27, splat<V>(S(0.0)), x[11]);
    const V t123 = t119 + t121;
    const V t124 = t120 + t122;
    const V t125 = select_eq(x[3], t27, t124, splat<V>(S(0.0)));
    const V t129 = splat<V>(S(0.5)) * t125;
    const V t130 = t123 + t129;
    const V t131 = u12 + t130;
    const V t133 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t131);
    const V t135 = t133 / t32;
    const V t136 = t47 * t135;
    const V t138 = splat<V>(S(0.5)) * t135;
    const V t141 = t41 * t138;
    const V t142 = u6 * t138;
    const V t143 = u13 + t142;
    const V t144 = t41 * u14;
    const V t145 = t32 * u14;
    const V t146 = t144 - t136;
    const V t147 = t143 + t145;
    const V t149 = t40 * t147;
    const V t150 = t35 * t147;
    const V t151 = t150 - t101;
    const V t152 = t151 / t34;
    const V t153 = t40 * t152;
    const V t154 = -t153;
    const V t155 = x[4] * t152;
    const V t156 = u8 * t152;
    const V t158 = x[4] * u15;
    const V t160 = t35 * u15;
    const V t162 = t149 - t158;
    const V t163 = t156 - t160;
    const V t164 = t162 / t34;
    const V t165 = t35 * t164;
    const V t167 = t154 - t165;
    const V t168 = t32 * t167;
    const V t169 = u6 * t167;
    const V t170 = t141 + t168;
    const V t171 = t146 + t169;
    const V t172 = splat<V>(S(0.5)) * t171;
    const V t173 = t172 / t32;
    const V t175 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t173);
    const V t176 = splat<V>(S(0.5)) * t175;
    const V t177 = select_eq(x[3], t27, t176, splat<V>(S(0.0)));
    const V t178 = select_gt(x[3], t27, t175, t177);
    const V t179 = select_gt(t27, x[3], t175, t177);
    const V t180 = u4 * t179;
    const V t181 = t23 * t179;
    const V t182 = t180 - t107;
    const V t183 = t116 + t181;
    const V t185 = t109 - t183;
    const V t186 = u3 * t179;
    const V t187 = x[2] * t179;
    const V t188 = t107 + t186;
    const V t189 = t185 + t187;
    const V t190 = t17 * t182;
    const V t191 = t105 + t190;
    const V t192 = t190 + t191;
    const V t193 = u2 * t164;
    const V t194 = t17 * t164;
    const V t195 = t192 + t193;
    const V t196 = t99 + t194;
    const V t199 = t92 - t196;
    const V t200 = u1 * t164;
    const V t201 = x[1] * t164;
    const V t202 = t90 + t200;
    const V t203 = t199 + t201;
    const V t204 = u0 * t195;
    const V t205 = x[0] * t195;
    const V t206 = t84 + t204;
    const V t207 = t86 + t205;
    y[0] = t206;
    y[1] = t202;
    y[2] = t188;
    y[3] = t178;
    y[4] = t163;
    y[5] = t101;
    y[6] = t118;
    y[7] = t130;
    y[8] = t207;
    y[9] = t203;
    y[10] = t189;
    y[11] = splat<V>(S(0.0));
    y[12] = splat<V>(S(0.0));
    y[13] = t170;
    y[14] = t167;
    y[15] = t175;
    y[16] = t155;
  }
};

// adam, amsgrad: parameters, forward
template <class S, class V>
struct k_3057abbad783_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = select_gt(x[4], t24, x[4], select_eq(x[4], x[4], t24, x[4]));
    const V t26 = u5 + t25;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t19 / t31;
    const V t34 = u8 * t32;
    const V t36 = x[1] - t34;
    y[0] = t36;
    y[1] = t19;
    y[2] = t24;
    y[3] = t25;
  }
};

// adam, amsgrad: parameters, vjp
template <class S, class V>
struct k_3057abbad783_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = select_gt(x[4], t24, x[4], select_eq(x[4], x[4], t24, x[4]));
    const V t26 = u5 + t25;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t19 / t31;
    const V t43 = u8 * x[5];
    const V t45 = t43 / t31;
    const V t47 = t32 * t45;
    const V t49 = x[6] - t45;
    const V t51 = u6 * t47;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t29;
    const V t56 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t54);
    const V t57 = x[8] + t56;
    const V t58 = splat<V>(S(0.5)) * t57;
    const V t59 = select_eq(x[4], t24, t58, splat<V>(S(0.0)));
    const V t60 = select_gt(x[4], t24, t57, t59);
    const V t61 = select_gt(t24, x[4], t57, t59);
    const V t62 = x[7] + t61;
    const V t63 = u4 * t62;
    const V t66 = u3 * t62;
    const V t69 = t14 * t63;
    const V t70 = t69 + t69;
    const V t71 = u2 * t49;
    const V t73 = t70 + t71;
    const V t76 = u1 * t49;
    const V t79 = u0 * t73;
    y[0] = t79;
    y[1] = x[5];
    y[2] = t76;
    y[3] = t66;
    y[4] = t60;
  }
};

// adam, amsgrad: parameters, vjps
template <class S, class V>
struct k_3057abbad783_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 9, sums = 9, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = select_gt(x[4], t24, x[4], select_eq(x[4], x[4], t24, x[4]));
    const V t26 = u5 + t25;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t19 / t31;
    const V t41 = t32 * x[5];
    const V t42 = -t41;
    const V t43 = u8 * x[5];
    const V t45 = t43 / t31;
    const V t47 = t32 * t45;
    const V t49 = x[6] - t45;
    const V t50 = t29 * t47;
    const V t51 = u6 * t47;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t29;
    const V t56 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t54);
    const V t57 = x[8] + t56;
    const V t58 = splat<V>(S(0.5)) * t57;
    const V t59 = select_eq(x[4], t24, t58, splat<V>(S(0.0)));
    const V t60 = select_gt(x[4], t24, t57, t59);
    const V t61 = select_gt(t24, x[4], t57, t59);
    const V t62 = x[7] + t61;
    const V t63 = u4 * t62;
    const V t64 = t20 * t62;
    const V t66 = u3 * t62;
    const V t67 = x[3] * t62;
    const V t68 = t67 - t64;
    const V t69 = t14 * t63;
    const V t70 = t69 + t69;
    const V t71 = u2 * t49;
    const V t72 = t14 * t49;
    const V t73 = t70 + t71;
    const V t76 = u1 * t49;
    const V t77 = x[2] * t49;
    const V t78 = t77 - t72;
    const V t79 = u0 * t73;
    const V t80 = x[0] * t73;
    y[0] = t79;
    y[1] = x[5];
    y[2] = t76;
    y[3] = t66;
    y[4] = t60;
    y[5] = t80;
    y[6] = t78;
    y[7] = t68;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t50;
    y[11] = t47;
    y[12] = t56;
    y[13] = t42;
  }
};

// adam, amsgrad: parameters, jvp
template <class S, class V>
struct k_3057abbad783_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 18, sums = 0, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    const double t22 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(t22);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[16]);
    u[12] = S(h[14]);
    u[13] = S(h[15]);
    u[14] = S(h[17]);
    u[15] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u3;
    const V t23 = t20 * u4;
    const V t24 = t21 + t23;
    const V t25 = select_gt(x[4], t24, x[4], select_eq(x[4], x[4], t24, x[4]));
    const V t26 = u5 + t25;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t19 / t31;
    const V t50 = u0 * x[5];
    const V t51 = x[0] * u8;
    const V t52 = t50 + t51;
    const V t53 = u1 * x[7];
    const V t54 = x[2] * u9;
    const V t55 = t53 + t54;
    const V t57 = u2 * t52;
    const V t58 = t14 * u9;
    const V t60 = t57 - t58;
    const V t61 = t55 + t60;
    const V t62 = t14 * t52;
    const V t63 = t62 + t62;
    const V t64 = u3 * x[8];
    const V t65 = x[3] * u10;
    const V t66 = t64 + t65;
    const V t68 = u4 * t63;
    const V t69 = t20 * u10;
    const V t71 = t68 - t69;
    const V t72 = t66 + t71;
    const V t73 = x[9] + t72;
    const V t75 = t73 * splat<V>(S(0.5));
    const V t76 = select_eq(x[4], t24, t75, t72);
    const V t77 = select_gt(x[4], t24, x[9], t76);
    const V t78 = u11 + t77;
    const V t79 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t78);
    const V t80 = splat<V>(S(0.5)) * t79;
    const V t81 = t80 / t29;
    const V t82 = t29 * u12;
    const V t83 = u6 * t81;
    const V t84 = t82 + t83;
    const V t85 = u13 + t84;
    const V t86 = t32 * t85;
    const V t87 = t61 - t86;
    const V t88 = t87 / t31;
    const V t89 = t32 * u14;
    const V t90 = u15 * t88;
    const V t91 = t89 + t90;
    const V t92 = x[6] - t91;
    y[0] = t92;
    y[1] = t61;
    y[2] = t72;
    y[3] = t77;
  }
};

// adam, amsgrad: parameters, vjp_vjp
template <class S, class V>
struct k_3057abbad783_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 9, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = double(1.0) - h[1];
    const double t26 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t21);
    u[3] = S(h[2]);
    u[4] = S(t26);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
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
    const V t18 = x[0] * u0;
    const V t19 = x[2] * u1;
    const V t22 = t18 * u2;
    const V t23 = t19 + t22;
    const V t24 = t18 * t18;
    const V t25 = x[3] * u3;
    const V t27 = t24 * u4;
    const V t28 = t25 + t27;
    const V t29 = select_gt(x[4], t28, x[4], select_eq(x[4], x[4], t28, x[4]));
    const V t30 = u5 + t29;
    const V t32 = select_gt(tiny<V>(), t30, tiny<V>(), t30);
    const V t33 = sqrt_(t32);
    const V t34 = u6 * t33;
    const V t35 = u7 + t34;
    const V t36 = t23 / t35;
    const V t38 = u8 * x[5];
    const V t39 = t38 / t35;
    const V t40 = t36 * t39;
    const V t42 = u6 * t40;
    const V t44 = t42 * splat<V>(S(0.5));
    const V t45 = t44 / t33;
    const V t46 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t45);
    const V t47 = x[8] + t46;
    const V t48 = splat<V>(S(0.5)) * t47;
    const V t49 = select_eq(x[4], t28, t48, splat<V>(S(0.0)));
    const V t51 = select_gt(t28, x[4], t47, t49);
    const V t52 = x[7] + t51;
    const V t53 = u4 * t52;
    const V t67 = u0 * x[9];
    const V t69 = u1 * x[11];
    const V t71 = u2 * t67;
    const V t72 = t69 + t71;
    const V t73 = t67 + t67;
    const V t74 = t53 * t73;
    const V t75 = t18 * t73;
    const V t77 = u3 * x[12];
    const V t79 = u4 * t75;
    const V t80 = t77 + t79;
    const V t81 = select_gt(t28, x[4], t80, splat<V>(S(0.0)));
    const V t82 = select_gt(t28, x[4], splat<V>(S(0.0)), t80);
    const V t83 = select_gt(x[4], t28, x[13], splat<V>(S(0.0)));
    const V t84 = select_gt(x[4], t28, splat<V>(S(0.0)), x[13]);
    const V t85 = t81 + t83;
    const V t86 = t82 + t84;
    const V t87 = select_eq(x[4], t28, t86, splat<V>(S(0.0)));
    const V t90 = splat<V>(S(0.5)) * t87;
    const V t91 = t85 + t90;
    const V t93 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t91);
    const V t95 = t93 / t33;
    const V t96 = t45 * t95;
    const V t98 = splat<V>(S(0.5)) * t95;
    const V t102 = u6 * t98;
    const V t104 = t39 * t102;
    const V t105 = t36 * t102;
    const V t106 = t105 - t72;
    const V t107 = t106 / t35;
    const V t108 = t39 * t107;
    const V t109 = -t108;
    const V t111 = u8 * t107;
    const V t112 = x[10] + t111;
    const V t113 = t104 / t35;
    const V t114 = t36 * t113;
    const V t116 = t109 - t114;
    const V t118 = u6 * t116;
    const V t120 = t118 - t96;
    const V t121 = splat<V>(S(0.5)) * t120;
    const V t122 = t121 / t33;
    const V t124 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t122);
    const V t125 = splat<V>(S(0.5)) * t124;
    const V t126 = select_eq(x[4], t28, t125, splat<V>(S(0.0)));
    const V t127 = select_gt(x[4], t28, t124, t126);
    const V t128 = select_gt(t28, x[4], t124, t126);
    const V t129 = u4 * t128;
    const V t134 = u3 * t128;
    const V t137 = t18 * t129;
    const V t138 = t74 + t137;
    const V t139 = t137 + t138;
    const V t140 = u2 * t113;
    const V t142 = t139 + t140;
    const V t147 = u1 * t113;
    const V t150 = u0 * t142;
    y[0] = t150;
    y[1] = splat<V>(S(0.0));
    y[2] = t147;
    y[3] = t134;
    y[4] = t127;
    y[5] = t112;
    y[6] = t72;
    y[7] = t80;
    y[8] = t91;
  }
};

// adam, amsgrad: parameters, vjps_vjps
template <class S, class V>
struct k_3057abbad783_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 18, sums = 9, uniforms = 16;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = double(1.0) - h[1];
    const double t26 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t21);
    u[3] = S(h[2]);
    u[4] = S(t26);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[16]);
    u[13] = S(h[15]);
    u[14] = S(h[14]);
    u[15] = S(h[17]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V t18 = x[0] * u0;
    const V t19 = x[2] * u1;
    const V t22 = t18 * u2;
    const V t23 = t19 + t22;
    const V t24 = t18 * t18;
    const V t25 = x[3] * u3;
    const V t27 = t24 * u4;
    const V t28 = t25 + t27;
    const V t29 = select_gt(x[4], t28, x[4], select_eq(x[4], x[4], t28, x[4]));
    const V t30 = u5 + t29;
    const V t32 = select_gt(tiny<V>(), t30, tiny<V>(), t30);
    const V t33 = sqrt_(t32);
    const V t34 = u6 * t33;
    const V t35 = u7 + t34;
    const V t36 = t23 / t35;
    const V t40 = u8 * x[5];
    const V t41 = t40 / t35;
    const V t42 = t36 * t41;
    const V t43 = x[6] - t41;
    const V t45 = u6 * t42;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t33;
    const V t49 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t48);
    const V t50 = x[8] + t49;
    const V t51 = splat<V>(S(0.5)) * t50;
    const V t52 = select_eq(x[4], t28, t51, splat<V>(S(0.0)));
    const V t54 = select_gt(t28, x[4], t50, t52);
    const V t55 = x[7] + t54;
    const V t56 = u4 * t55;
    const V t61 = t18 * t56;
    const V t62 = t61 + t61;
    const V t63 = u2 * t43;
    const V t65 = t62 + t63;
    const V t86 = t65 * u9;
    const V t87 = x[0] * u9;
    const V t88 = t65 * x[9];
    const V t89 = u0 * x[9];
    const V t90 = t87 + t89;
    const V t92 = t43 * u10;
    const V t93 = x[2] * u10;
    const V t94 = t43 * x[11];
    const V t95 = u1 * x[11];
    const V t96 = t93 + t95;
    const V t98 = t18 * u10;
    const V t100 = t96 - t98;
    const V t101 = t43 * t90;
    const V t102 = u2 * t90;
    const V t103 = t100 + t102;
    const V t104 = t90 + t90;
    const V t105 = t56 * t104;
    const V t106 = t18 * t104;
    const V t107 = t105 - t92;
    const V t109 = t55 * u11;
    const V t110 = x[3] * u11;
    const V t111 = t55 * x[12];
    const V t112 = u3 * x[12];
    const V t113 = t110 + t112;
    const V t115 = t24 * u11;
    const V t117 = t113 - t115;
    const V t118 = t55 * t106;
    const V t119 = u4 * t106;
    const V t120 = t117 + t119;
    const V t121 = select_gt(t28, x[4], t120, splat<V>(S(0.0)));
    const V t122 = select_gt(t28, x[4], splat<V>(S(0.0)), t120);
    const V t123 = select_gt(x[4], t28, x[13], splat<V>(S(0.0)));
    const V t124 = select_gt(x[4], t28, splat<V>(S(0.0)), x[13]);
    const V t125 = t121 + t123;
    const V t126 = t122 + t124;
    const V t127 = select_eq(x[4], t28, t126, splat<V>(S(0.0)));
    const V t131 = splat<V>(S(0.5)) * t127;
    const V t132 = t125 + t131;
    const V t133 = u12 + t132;
    const V t135 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t133);
    const V t137 = t135 / t33;
    const V t138 = t48 * t137;
    const V t140 = splat<V>(S(0.5)) * t137;
    const V t143 = t42 * t140;
    const V t144 = u6 * t140;
    const V t145 = u13 + t144;
    const V t146 = t42 * u14;
    const V t147 = t33 * u14;
    const V t148 = t146 - t138;
    const V t149 = t145 + t147;
    const V t151 = t41 * t149;
    const V t152 = t36 * t149;
    const V t153 = t152 - t103;
    const V t154 = t153 / t35;
    const V t155 = t41 * t154;
    const V t156 = -t155;
    const V t157 = x[5] * t154;
    const V t158 = u8 * t154;
    const V t159 = x[10] + t158;
    const V t161 = x[5] * u15;
    const V t163 = t36 * u15;
    const V t165 = t151 - t161;
    const V t166 = t159 - t163;
    const V t167 = t165 / t35;
    const V t168 = t36 * t167;
    const V t170 = t156 - t168;
    const V t171 = t33 * t170;
    const V t172 = u6 * t170;
    const V t173 = t143 + t171;
    const V t174 = t148 + t172;
    const V t175 = splat<V>(S(0.5)) * t174;
    const V t176 = t175 / t33;
    const V t178 = select_gt(tiny<V>(), t30, splat<V>(S(0.0)), t176);
    const V t179 = splat<V>(S(0.5)) * t178;
    const V t180 = select_eq(x[4], t28, t179, splat<V>(S(0.0)));
    const V t181 = select_gt(x[4], t28, t178, t180);
    const V t182 = select_gt(t28, x[4], t178, t180);
    const V t183 = u4 * t182;
    const V t184 = t24 * t182;
    const V t185 = t183 - t109;
    const V t186 = t118 + t184;
    const V t188 = t111 - t186;
    const V t189 = u3 * t182;
    const V t190 = x[3] * t182;
    const V t191 = t109 + t189;
    const V t192 = t188 + t190;
    const V t193 = t18 * t185;
    const V t194 = t107 + t193;
    const V t195 = t193 + t194;
    const V t196 = u2 * t167;
    const V t197 = t18 * t167;
    const V t198 = t195 + t196;
    const V t199 = t101 + t197;
    const V t202 = t94 - t199;
    const V t203 = u1 * t167;
    const V t204 = x[2] * t167;
    const V t205 = t92 + t203;
    const V t206 = t202 + t204;
    const V t207 = u0 * t198;
    const V t208 = x[0] * t198;
    const V t209 = t86 + t207;
    const V t210 = t88 + t208;
    y[0] = t209;
    y[1] = splat<V>(S(0.0));
    y[2] = t205;
    y[3] = t191;
    y[4] = t181;
    y[5] = t166;
    y[6] = t103;
    y[7] = t120;
    y[8] = t132;
    y[9] = t210;
    y[10] = t206;
    y[11] = t192;
    y[12] = splat<V>(S(0.0));
    y[13] = splat<V>(S(0.0));
    y[14] = t173;
    y[15] = t170;
    y[16] = t178;
    y[17] = t157;
  }
};

// adam, amsgrad, weight decay: update, forward
template <class S, class V>
struct k_c81233e4369c_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t37 = u9 * t35;
    const V t38 = -t37;
    y[0] = t38;
    y[1] = t22;
    y[2] = t27;
    y[3] = t28;
  }
};

// adam, amsgrad, weight decay: update, vjp
template <class S, class V>
struct k_c81233e4369c_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t46 = u9 * x[5];
    const V t48 = t46 / t34;
    const V t50 = t35 * t48;
    const V t52 = x[6] - t48;
    const V t54 = u7 * t50;
    const V t56 = t54 * splat<V>(S(0.5));
    const V t57 = t56 / t32;
    const V t59 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t57);
    const V t60 = x[8] + t59;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = select_eq(x[4], t27, t61, splat<V>(S(0.0)));
    const V t63 = select_gt(x[4], t27, t60, t62);
    const V t64 = select_gt(t27, x[4], t60, t62);
    const V t65 = x[7] + t64;
    const V t66 = u5 * t65;
    const V t69 = u4 * t65;
    const V t72 = t17 * t66;
    const V t73 = t72 + t72;
    const V t74 = u3 * t52;
    const V t76 = t73 + t74;
    const V t79 = u2 * t52;
    const V t82 = u1 * t76;
    const V t84 = u0 * t76;
    y[0] = t84;
    y[1] = t82;
    y[2] = t79;
    y[3] = t69;
    y[4] = t63;
  }
};

// adam, amsgrad, weight decay: update, vjps
template <class S, class V>
struct k_c81233e4369c_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t44 = t35 * x[5];
    const V t45 = -t44;
    const V t46 = u9 * x[5];
    const V t48 = t46 / t34;
    const V t50 = t35 * t48;
    const V t52 = x[6] - t48;
    const V t53 = t32 * t50;
    const V t54 = u7 * t50;
    const V t56 = t54 * splat<V>(S(0.5));
    const V t57 = t56 / t32;
    const V t59 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t57);
    const V t60 = x[8] + t59;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = select_eq(x[4], t27, t61, splat<V>(S(0.0)));
    const V t63 = select_gt(x[4], t27, t60, t62);
    const V t64 = select_gt(t27, x[4], t60, t62);
    const V t65 = x[7] + t64;
    const V t66 = u5 * t65;
    const V t67 = t23 * t65;
    const V t69 = u4 * t65;
    const V t70 = x[3] * t65;
    const V t71 = t70 - t67;
    const V t72 = t17 * t66;
    const V t73 = t72 + t72;
    const V t74 = u3 * t52;
    const V t75 = t17 * t52;
    const V t76 = t73 + t74;
    const V t79 = u2 * t52;
    const V t80 = x[2] * t52;
    const V t81 = t80 - t75;
    const V t82 = u1 * t76;
    const V t83 = x[1] * t76;
    const V t84 = u0 * t76;
    const V t85 = x[0] * t76;
    y[0] = t84;
    y[1] = t82;
    y[2] = t79;
    y[3] = t69;
    y[4] = t63;
    y[5] = t85;
    y[6] = t83;
    y[7] = t81;
    y[8] = t71;
    y[9] = splat<V>(S(0.0));
    y[10] = splat<V>(S(0.0));
    y[11] = t53;
    y[12] = t50;
    y[13] = t59;
    y[14] = t45;
  }
};

// adam, amsgrad, weight decay: update, jvp
template <class S, class V>
struct k_c81233e4369c_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[13]);
    u[13] = S(h[18]);
    u[14] = S(h[16]);
    u[15] = S(h[17]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t54 = u0 * x[5];
    const V t55 = x[0] * u9;
    const V t56 = t54 + t55;
    const V t57 = u1 * x[6];
    const V t58 = x[1] * u10;
    const V t59 = t57 + t58;
    const V t60 = t56 + t59;
    const V t61 = u2 * x[7];
    const V t62 = x[2] * u11;
    const V t63 = t61 + t62;
    const V t65 = u3 * t60;
    const V t66 = t17 * u11;
    const V t68 = t65 - t66;
    const V t69 = t63 + t68;
    const V t70 = t17 * t60;
    const V t71 = t70 + t70;
    const V t72 = u4 * x[8];
    const V t73 = x[3] * u12;
    const V t74 = t72 + t73;
    const V t76 = u5 * t71;
    const V t77 = t23 * u12;
    const V t79 = t76 - t77;
    const V t80 = t74 + t79;
    const V t81 = x[9] + t80;
    const V t83 = t81 * splat<V>(S(0.5));
    const V t84 = select_eq(x[4], t27, t83, t80);
    const V t85 = select_gt(x[4], t27, x[9], t84);
    const V t86 = u13 + t85;
    const V t87 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t86);
    const V t88 = splat<V>(S(0.5)) * t87;
    const V t89 = t88 / t32;
    const V t90 = t32 * u14;
    const V t91 = u7 * t89;
    const V t92 = t90 + t91;
    const V t93 = u15 + t92;
    const V t94 = t35 * t93;
    const V t95 = t69 - t94;
    const V t96 = t95 / t34;
    const V t97 = t35 * u16;
    const V t98 = u17 * t96;
    const V t99 = t97 + t98;
    const V t100 = -t99;
    y[0] = t100;
    y[1] = t69;
    y[2] = t80;
    y[3] = t85;
  }
};

// adam, amsgrad, weight decay: update, vjp_vjp
template <class S, class V>
struct k_c81233e4369c_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t24 = double(1.0) - h[2];
    const double t29 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t24);
    u[4] = S(h[3]);
    u[5] = S(t29);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t19 = x[0] * u0;
    const V t20 = x[1] * u1;
    const V t21 = t19 + t20;
    const V t22 = x[2] * u2;
    const V t25 = t21 * u3;
    const V t26 = t22 + t25;
    const V t27 = t21 * t21;
    const V t28 = x[3] * u4;
    const V t30 = t27 * u5;
    const V t31 = t28 + t30;
    const V t32 = select_gt(x[4], t31, x[4], select_eq(x[4], x[4], t31, x[4]));
    const V t33 = u6 + t32;
    const V t35 = select_gt(tiny<V>(), t33, tiny<V>(), t33);
    const V t36 = sqrt_(t35);
    const V t37 = u7 * t36;
    const V t38 = u8 + t37;
    const V t39 = t26 / t38;
    const V t41 = u9 * x[5];
    const V t42 = t41 / t38;
    const V t43 = t39 * t42;
    const V t45 = u7 * t43;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t36;
    const V t49 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t48);
    const V t50 = x[8] + t49;
    const V t51 = splat<V>(S(0.5)) * t50;
    const V t52 = select_eq(x[4], t31, t51, splat<V>(S(0.0)));
    const V t54 = select_gt(t31, x[4], t50, t52);
    const V t55 = x[7] + t54;
    const V t56 = u5 * t55;
    const V t71 = u0 * x[9];
    const V t73 = u1 * x[10];
    const V t74 = t71 + t73;
    const V t76 = u2 * x[11];
    const V t78 = u3 * t74;
    const V t79 = t76 + t78;
    const V t80 = t74 + t74;
    const V t81 = t56 * t80;
    const V t82 = t21 * t80;
    const V t84 = u4 * x[12];
    const V t86 = u5 * t82;
    const V t87 = t84 + t86;
    const V t88 = select_gt(t31, x[4], t87, splat<V>(S(0.0)));
    const V t89 = select_gt(t31, x[4], splat<V>(S(0.0)), t87);
    const V t90 = select_gt(x[4], t31, x[13], splat<V>(S(0.0)));
    const V t91 = select_gt(x[4], t31, splat<V>(S(0.0)), x[13]);
    const V t92 = t88 + t90;
    const V t93 = t89 + t91;
    const V t94 = select_eq(x[4], t31, t93, splat<V>(S(0.0)));
    const V t97 = splat<V>(S(0.5)) * t94;
    const V t98 = t92 + t97;
    const V t100 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t98);
    const V t102 = t100 / t36;
    const V t103 = t48 * t102;
    const V t105 = splat<V>(S(0.5)) * t102;
    const V t109 = u7 * t105;
    const V t111 = t42 * t109;
    const V t112 = t39 * t109;
    const V t113 = t112 - t79;
    const V t114 = t113 / t38;
    const V t115 = t42 * t114;
    const V t116 = -t115;
    const V t118 = u9 * t114;
    const V t119 = t111 / t38;
    const V t120 = t39 * t119;
    const V t122 = t116 - t120;
    const V t124 = u7 * t122;
    const V t126 = t124 - t103;
    const V t127 = splat<V>(S(0.5)) * t126;
    const V t128 = t127 / t36;
    const V t130 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t128);
    const V t131 = splat<V>(S(0.5)) * t130;
    const V t132 = select_eq(x[4], t31, t131, splat<V>(S(0.0)));
    const V t133 = select_gt(x[4], t31, t130, t132);
    const V t134 = select_gt(t31, x[4], t130, t132);
    const V t135 = u5 * t134;
    const V t140 = u4 * t134;
    const V t143 = t21 * t135;
    const V t144 = t81 + t143;
    const V t145 = t143 + t144;
    const V t146 = u3 * t119;
    const V t148 = t145 + t146;
    const V t153 = u2 * t119;
    const V t156 = u1 * t148;
    const V t159 = u0 * t148;
    y[0] = t159;
    y[1] = t156;
    y[2] = t153;
    y[3] = t140;
    y[4] = t133;
    y[5] = t118;
    y[6] = t79;
    y[7] = t87;
    y[8] = t98;
  }
};

// adam, amsgrad, weight decay: update, vjps_vjps
template <class S, class V>
struct k_c81233e4369c_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t24 = double(1.0) - h[2];
    const double t29 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t24);
    u[4] = S(h[3]);
    u[5] = S(t29);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[18]);
    u[15] = S(h[17]);
    u[16] = S(h[16]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t19 = x[0] * u0;
    const V t20 = x[1] * u1;
    const V t21 = t19 + t20;
    const V t22 = x[2] * u2;
    const V t25 = t21 * u3;
    const V t26 = t22 + t25;
    const V t27 = t21 * t21;
    const V t28 = x[3] * u4;
    const V t30 = t27 * u5;
    const V t31 = t28 + t30;
    const V t32 = select_gt(x[4], t31, x[4], select_eq(x[4], x[4], t31, x[4]));
    const V t33 = u6 + t32;
    const V t35 = select_gt(tiny<V>(), t33, tiny<V>(), t33);
    const V t36 = sqrt_(t35);
    const V t37 = u7 * t36;
    const V t38 = u8 + t37;
    const V t39 = t26 / t38;
    const V t43 = u9 * x[5];
    const V t44 = t43 / t38;
    const V t45 = t39 * t44;
    const V t46 = x[6] - t44;
    const V t48 = u7 * t45;
    const V t50 = t48 * splat<V>(S(0.5));
    const V t51 = t50 / t36;
    const V t52 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t51);
    const V t53 = x[8] + t52;
    const V t54 = splat<V>(S(0.5)) * t53;
    const V t55 = select_eq(x[4], t31, t54, splat<V>(S(0.0)));
    const V t57 = select_gt(t31, x[4], t53, t55);
    const V t58 = x[7] + t57;
    const V t59 = u5 * t58;
    const V t64 = t21 * t59;
    const V t65 = t64 + t64;
    const V t66 = u3 * t46;
    const V t68 = t65 + t66;
    const V t92 = t68 * u10;
    const V t93 = x[0] * u10;
    const V t94 = t68 * x[9];
    const V t95 = u0 * x[9];
    const V t96 = t93 + t95;
    const V t97 = t68 * u11;
    const V t98 = x[1] * u11;
    const V t99 = t96 + t98;
    const V t100 = t68 * x[10];
    const V t101 = u1 * x[10];
    const V t102 = t99 + t101;
    const V t104 = t46 * u12;
    const V t105 = x[2] * u12;
    const V t106 = t46 * x[11];
    const V t107 = u2 * x[11];
    const V t108 = t105 + t107;
    const V t110 = t21 * u12;
    const V t112 = t108 - t110;
    const V t113 = t46 * t102;
    const V t114 = u3 * t102;
    const V t115 = t112 + t114;
    const V t116 = t102 + t102;
    const V t117 = t59 * t116;
    const V t118 = t21 * t116;
    const V t119 = t117 - t104;
    const V t121 = t58 * u13;
    const V t122 = x[3] * u13;
    const V t123 = t58 * x[12];
    const V t124 = u4 * x[12];
    const V t125 = t122 + t124;
    const V t127 = t27 * u13;
    const V t129 = t125 - t127;
    const V t130 = t58 * t118;
    const V t131 = u5 * t118;
    const V t132 = t129 + t131;
    const V t133 = select_gt(t31, x[4], t132, splat<V>(S(0.0)));
    const V t134 = select_gt(t31, x[4], splat<V>(S(0.0)), t132);
    const V t135 = select_gt(x[4], t31, x[13], splat<V>(S(0.0)));
    const V t136 = select_gt(x[4], t31, splat<V>(S(0.0)), x[13]);
    const V t137 = t133 + t135;
    const V t138 = t134 + t136;
    const V t139 = select_eq(x[4], t31, t138, splat<V>(S(0.0)));
    const V t143 = splat<V>(S(0.5)) * t139;
    const V t144 = t137 + t143;
    const V t145 = u14 + t144;
    const V t147 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t145);
    const V t149 = t147 / t36;
    const V t150 = t51 * t149;
    const V t152 = splat<V>(S(0.5)) * t149;
    const V t155 = t45 * t152;
    const V t156 = u7 * t152;
    const V t157 = u15 + t156;
    const V t158 = t45 * u16;
    const V t159 = t36 * u16;
    const V t160 = t158 - t150;
    const V t161 = t157 + t159;
    const V t163 = t44 * t161;
    const V t164 = t39 * t161;
    const V t165 = t164 - t115;
    const V t166 = t165 / t38;
    const V t167 = t44 * t166;
    const V t168 = -t167;
    const V t169 = x[5] * t166;
    const V t170 = u9 * t166;
    const V t172 = x[5] * u17;
    const V t174 = t39 * u17;
    const V t176 = t163 - t172;
    const V t177 = t170 - t174;
    const V t178 = t176 / t38;
    const V t179 = t39 * t178;
    const V t181 = t168 - t179;
    const V t182 = t36 * t181;
    const V t183 = u7 * t181;
    const V t184 = t155 + t182;
    const V t185 = t160 + t183;
    const V t186 = splat<V>(S(0.5)) * t185;
    const V t187 = t186 / t36;
    const V t189 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t187);
    const V t190 = splat<V>(S(0.5)) * t189;
    const V t191 = select_eq(x[4], t31, t190, splat<V>(S(0.0)));
    const V t192 = select_gt(x[4], t31, t189, t191);
    const V t193 = select_gt(t31, x[4], t189, t191);
    const V t194 = u5 * t193;
    const V t195 = t27 * t193;
    const V t196 = t194 - t121;
    const V t197 = t130 + t195;
    const V t199 = t123 - t197;
    const V t200 = u4 * t193;
    const V t201 = x[3] * t193;
    const V t202 = t121 + t200;
    const V t203 = t199 + t201;
    const V t204 = t21 * t196;
    const V t205 = t119 + t204;
    const V t206 = t204 + t205;
    const V t207 = u3 * t178;
    const V t208 = t21 * t178;
    const V t209 = t206 + t207;
    const V t210 = t113 + t208;
    const V t213 = t106 - t210;
    const V t214 = u2 * t178;
    const V t215 = x[2] * t178;
    const V t216 = t104 + t214;
    const V t217 = t213 + t215;
    const V t218 = u1 * t209;
    const V t219 = x[1] * t209;
    const V t220 = t97 + t218;
    const V t221 = t100 + t219;
    const V t222 = u0 * t209;
    const V t223 = x[0] * t209;
    const V t224 = t92 + t222;
    const V t225 = t94 + t223;
    y[0] = t224;
    y[1] = t220;
    y[2] = t216;
    y[3] = t202;
    y[4] = t192;
    y[5] = t177;
    y[6] = t115;
    y[7] = t132;
    y[8] = t144;
    y[9] = t225;
    y[10] = t221;
    y[11] = t217;
    y[12] = t203;
    y[13] = splat<V>(S(0.0));
    y[14] = splat<V>(S(0.0));
    y[15] = t184;
    y[16] = t181;
    y[17] = t189;
    y[18] = t169;
  }
};

// adam, amsgrad, weight decay: parameters, forward
template <class S, class V>
struct k_0be81c520c43_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t37 = u9 * t35;
    const V t39 = x[1] - t37;
    y[0] = t39;
    y[1] = t22;
    y[2] = t27;
    y[3] = t28;
  }
};

// adam, amsgrad, weight decay: parameters, vjp
template <class S, class V>
struct k_0be81c520c43_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t46 = u9 * x[5];
    const V t48 = t46 / t34;
    const V t50 = t35 * t48;
    const V t52 = x[6] - t48;
    const V t54 = u7 * t50;
    const V t56 = t54 * splat<V>(S(0.5));
    const V t57 = t56 / t32;
    const V t59 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t57);
    const V t60 = x[8] + t59;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = select_eq(x[4], t27, t61, splat<V>(S(0.0)));
    const V t63 = select_gt(x[4], t27, t60, t62);
    const V t64 = select_gt(t27, x[4], t60, t62);
    const V t65 = x[7] + t64;
    const V t66 = u5 * t65;
    const V t69 = u4 * t65;
    const V t72 = t17 * t66;
    const V t73 = t72 + t72;
    const V t74 = u3 * t52;
    const V t76 = t73 + t74;
    const V t79 = u2 * t52;
    const V t82 = u1 * t76;
    const V t84 = x[5] + t82;
    const V t85 = u0 * t76;
    y[0] = t85;
    y[1] = t84;
    y[2] = t79;
    y[3] = t69;
    y[4] = t63;
  }
};

// adam, amsgrad, weight decay: parameters, vjps
template <class S, class V>
struct k_0be81c520c43_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t44 = t35 * x[5];
    const V t45 = -t44;
    const V t46 = u9 * x[5];
    const V t48 = t46 / t34;
    const V t50 = t35 * t48;
    const V t52 = x[6] - t48;
    const V t53 = t32 * t50;
    const V t54 = u7 * t50;
    const V t56 = t54 * splat<V>(S(0.5));
    const V t57 = t56 / t32;
    const V t59 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t57);
    const V t60 = x[8] + t59;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = select_eq(x[4], t27, t61, splat<V>(S(0.0)));
    const V t63 = select_gt(x[4], t27, t60, t62);
    const V t64 = select_gt(t27, x[4], t60, t62);
    const V t65 = x[7] + t64;
    const V t66 = u5 * t65;
    const V t67 = t23 * t65;
    const V t69 = u4 * t65;
    const V t70 = x[3] * t65;
    const V t71 = t70 - t67;
    const V t72 = t17 * t66;
    const V t73 = t72 + t72;
    const V t74 = u3 * t52;
    const V t75 = t17 * t52;
    const V t76 = t73 + t74;
    const V t79 = u2 * t52;
    const V t80 = x[2] * t52;
    const V t81 = t80 - t75;
    const V t82 = u1 * t76;
    const V t83 = x[1] * t76;
    const V t84 = x[5] + t82;
    const V t85 = u0 * t76;
    const V t86 = x[0] * t76;
    y[0] = t85;
    y[1] = t84;
    y[2] = t79;
    y[3] = t69;
    y[4] = t63;
    y[5] = t86;
    y[6] = t83;
    y[7] = t81;
    y[8] = t71;
    y[9] = splat<V>(S(0.0));
    y[10] = splat<V>(S(0.0));
    y[11] = t53;
    y[12] = t50;
    y[13] = t59;
    y[14] = t45;
  }
};

// adam, amsgrad, weight decay: parameters, jvp
template <class S, class V>
struct k_0be81c520c43_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    const double t25 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(t25);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[13]);
    u[13] = S(h[18]);
    u[14] = S(h[16]);
    u[15] = S(h[17]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u4;
    const V t26 = t23 * u5;
    const V t27 = t24 + t26;
    const V t28 = select_gt(x[4], t27, x[4], select_eq(x[4], x[4], t27, x[4]));
    const V t29 = u6 + t28;
    const V t31 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t22 / t34;
    const V t54 = u0 * x[5];
    const V t55 = x[0] * u9;
    const V t56 = t54 + t55;
    const V t57 = u1 * x[6];
    const V t58 = x[1] * u10;
    const V t59 = t57 + t58;
    const V t60 = t56 + t59;
    const V t61 = u2 * x[7];
    const V t62 = x[2] * u11;
    const V t63 = t61 + t62;
    const V t65 = u3 * t60;
    const V t66 = t17 * u11;
    const V t68 = t65 - t66;
    const V t69 = t63 + t68;
    const V t70 = t17 * t60;
    const V t71 = t70 + t70;
    const V t72 = u4 * x[8];
    const V t73 = x[3] * u12;
    const V t74 = t72 + t73;
    const V t76 = u5 * t71;
    const V t77 = t23 * u12;
    const V t79 = t76 - t77;
    const V t80 = t74 + t79;
    const V t81 = x[9] + t80;
    const V t83 = t81 * splat<V>(S(0.5));
    const V t84 = select_eq(x[4], t27, t83, t80);
    const V t85 = select_gt(x[4], t27, x[9], t84);
    const V t86 = u13 + t85;
    const V t87 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t86);
    const V t88 = splat<V>(S(0.5)) * t87;
    const V t89 = t88 / t32;
    const V t90 = t32 * u14;
    const V t91 = u7 * t89;
    const V t92 = t90 + t91;
    const V t93 = u15 + t92;
    const V t94 = t35 * t93;
    const V t95 = t69 - t94;
    const V t96 = t95 / t34;
    const V t97 = t35 * u16;
    const V t98 = u17 * t96;
    const V t99 = t97 + t98;
    const V t100 = x[6] - t99;
    y[0] = t100;
    y[1] = t69;
    y[2] = t80;
    y[3] = t85;
  }
};

// adam, amsgrad, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_0be81c520c43_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t24 = double(1.0) - h[2];
    const double t29 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t24);
    u[4] = S(h[3]);
    u[5] = S(t29);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t19 = x[0] * u0;
    const V t20 = x[1] * u1;
    const V t21 = t19 + t20;
    const V t22 = x[2] * u2;
    const V t25 = t21 * u3;
    const V t26 = t22 + t25;
    const V t27 = t21 * t21;
    const V t28 = x[3] * u4;
    const V t30 = t27 * u5;
    const V t31 = t28 + t30;
    const V t32 = select_gt(x[4], t31, x[4], select_eq(x[4], x[4], t31, x[4]));
    const V t33 = u6 + t32;
    const V t35 = select_gt(tiny<V>(), t33, tiny<V>(), t33);
    const V t36 = sqrt_(t35);
    const V t37 = u7 * t36;
    const V t38 = u8 + t37;
    const V t39 = t26 / t38;
    const V t41 = u9 * x[5];
    const V t42 = t41 / t38;
    const V t43 = t39 * t42;
    const V t45 = u7 * t43;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t36;
    const V t49 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t48);
    const V t50 = x[8] + t49;
    const V t51 = splat<V>(S(0.5)) * t50;
    const V t52 = select_eq(x[4], t31, t51, splat<V>(S(0.0)));
    const V t54 = select_gt(t31, x[4], t50, t52);
    const V t55 = x[7] + t54;
    const V t56 = u5 * t55;
    const V t72 = u0 * x[9];
    const V t74 = u1 * x[10];
    const V t75 = t72 + t74;
    const V t77 = u2 * x[11];
    const V t79 = u3 * t75;
    const V t80 = t77 + t79;
    const V t81 = t75 + t75;
    const V t82 = t56 * t81;
    const V t83 = t21 * t81;
    const V t85 = u4 * x[12];
    const V t87 = u5 * t83;
    const V t88 = t85 + t87;
    const V t89 = select_gt(t31, x[4], t88, splat<V>(S(0.0)));
    const V t90 = select_gt(t31, x[4], splat<V>(S(0.0)), t88);
    const V t91 = select_gt(x[4], t31, x[13], splat<V>(S(0.0)));
    const V t92 = select_gt(x[4], t31, splat<V>(S(0.0)), x[13]);
    const V t93 = t89 + t91;
    const V t94 = t90 + t92;
    const V t95 = select_eq(x[4], t31, t94, splat<V>(S(0.0)));
    const V t98 = splat<V>(S(0.5)) * t95;
    const V t99 = t93 + t98;
    const V t101 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t99);
    const V t103 = t101 / t36;
    const V t104 = t48 * t103;
    const V t106 = splat<V>(S(0.5)) * t103;
    const V t110 = u7 * t106;
    const V t112 = t42 * t110;
    const V t113 = t39 * t110;
    const V t114 = t113 - t80;
    const V t115 = t114 / t38;
    const V t116 = t42 * t115;
    const V t117 = -t116;
    const V t119 = u9 * t115;
    const V t120 = x[10] + t119;
    const V t121 = t112 / t38;
    const V t122 = t39 * t121;
    const V t124 = t117 - t122;
    const V t126 = u7 * t124;
    const V t128 = t126 - t104;
    const V t129 = splat<V>(S(0.5)) * t128;
    const V t130 = t129 / t36;
    const V t132 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t130);
    const V t133 = splat<V>(S(0.5)) * t132;
    const V t134 = select_eq(x[4], t31, t133, splat<V>(S(0.0)));
    const V t135 = select_gt(x[4], t31, t132, t134);
    const V t136 = select_gt(t31, x[4], t132, t134);
    const V t137 = u5 * t136;
    const V t142 = u4 * t136;
    const V t145 = t21 * t137;
    const V t146 = t82 + t145;
    const V t147 = t145 + t146;
    const V t148 = u3 * t121;
    const V t150 = t147 + t148;
    const V t155 = u2 * t121;
    const V t158 = u1 * t150;
    const V t161 = u0 * t150;
    y[0] = t161;
    y[1] = t158;
    y[2] = t155;
    y[3] = t142;
    y[4] = t135;
    y[5] = t120;
    y[6] = t80;
    y[7] = t88;
    y[8] = t99;
  }
};

// adam, amsgrad, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_0be81c520c43_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t24 = double(1.0) - h[2];
    const double t29 = double(1.0) - h[3];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t24);
    u[4] = S(h[3]);
    u[5] = S(t29);
    u[6] = S(h[8]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[18]);
    u[15] = S(h[17]);
    u[16] = S(h[16]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t19 = x[0] * u0;
    const V t20 = x[1] * u1;
    const V t21 = t19 + t20;
    const V t22 = x[2] * u2;
    const V t25 = t21 * u3;
    const V t26 = t22 + t25;
    const V t27 = t21 * t21;
    const V t28 = x[3] * u4;
    const V t30 = t27 * u5;
    const V t31 = t28 + t30;
    const V t32 = select_gt(x[4], t31, x[4], select_eq(x[4], x[4], t31, x[4]));
    const V t33 = u6 + t32;
    const V t35 = select_gt(tiny<V>(), t33, tiny<V>(), t33);
    const V t36 = sqrt_(t35);
    const V t37 = u7 * t36;
    const V t38 = u8 + t37;
    const V t39 = t26 / t38;
    const V t43 = u9 * x[5];
    const V t44 = t43 / t38;
    const V t45 = t39 * t44;
    const V t46 = x[6] - t44;
    const V t48 = u7 * t45;
    const V t50 = t48 * splat<V>(S(0.5));
    const V t51 = t50 / t36;
    const V t52 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t51);
    const V t53 = x[8] + t52;
    const V t54 = splat<V>(S(0.5)) * t53;
    const V t55 = select_eq(x[4], t31, t54, splat<V>(S(0.0)));
    const V t57 = select_gt(t31, x[4], t53, t55);
    const V t58 = x[7] + t57;
    const V t59 = u5 * t58;
    const V t64 = t21 * t59;
    const V t65 = t64 + t64;
    const V t66 = u3 * t46;
    const V t68 = t65 + t66;
    const V t93 = t68 * u10;
    const V t94 = x[0] * u10;
    const V t95 = t68 * x[9];
    const V t96 = u0 * x[9];
    const V t97 = t94 + t96;
    const V t98 = t68 * u11;
    const V t99 = x[1] * u11;
    const V t100 = t97 + t99;
    const V t101 = t68 * x[10];
    const V t102 = u1 * x[10];
    const V t103 = t100 + t102;
    const V t105 = t46 * u12;
    const V t106 = x[2] * u12;
    const V t107 = t46 * x[11];
    const V t108 = u2 * x[11];
    const V t109 = t106 + t108;
    const V t111 = t21 * u12;
    const V t113 = t109 - t111;
    const V t114 = t46 * t103;
    const V t115 = u3 * t103;
    const V t116 = t113 + t115;
    const V t117 = t103 + t103;
    const V t118 = t59 * t117;
    const V t119 = t21 * t117;
    const V t120 = t118 - t105;
    const V t122 = t58 * u13;
    const V t123 = x[3] * u13;
    const V t124 = t58 * x[12];
    const V t125 = u4 * x[12];
    const V t126 = t123 + t125;
    const V t128 = t27 * u13;
    const V t130 = t126 - t128;
    const V t131 = t58 * t119;
    const V t132 = u5 * t119;
    const V t133 = t130 + t132;
    const V t134 = select_gt(t31, x[4], t133, splat<V>(S(0.0)));
    const V t135 = select_gt(t31, x[4], splat<V>(S(0.0)), t133);
    const V t136 = select_gt(x[4], t31, x[13], splat<V>(S(0.0)));
    const V t137 = select_gt(x[4], t31, splat<V>(S(0.0)), x[13]);
    const V t138 = t134 + t136;
    const V t139 = t135 + t137;
    const V t140 = select_eq(x[4], t31, t139, splat<V>(S(0.0)));
    const V t144 = splat<V>(S(0.5)) * t140;
    const V t145 = t138 + t144;
    const V t146 = u14 + t145;
    const V t148 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t146);
    const V t150 = t148 / t36;
    const V t151 = t51 * t150;
    const V t153 = splat<V>(S(0.5)) * t150;
    const V t156 = t45 * t153;
    const V t157 = u7 * t153;
    const V t158 = u15 + t157;
    const V t159 = t45 * u16;
    const V t160 = t36 * u16;
    const V t161 = t159 - t151;
    const V t162 = t158 + t160;
    const V t164 = t44 * t162;
    const V t165 = t39 * t162;
    const V t166 = t165 - t116;
    const V t167 = t166 / t38;
    const V t168 = t44 * t167;
    const V t169 = -t168;
    const V t170 = x[5] * t167;
    const V t171 = u9 * t167;
    const V t172 = x[10] + t171;
    const V t174 = x[5] * u17;
    const V t176 = t39 * u17;
    const V t178 = t164 - t174;
    const V t179 = t172 - t176;
    const V t180 = t178 / t38;
    const V t181 = t39 * t180;
    const V t183 = t169 - t181;
    const V t184 = t36 * t183;
    const V t185 = u7 * t183;
    const V t186 = t156 + t184;
    const V t187 = t161 + t185;
    const V t188 = splat<V>(S(0.5)) * t187;
    const V t189 = t188 / t36;
    const V t191 = select_gt(tiny<V>(), t33, splat<V>(S(0.0)), t189);
    const V t192 = splat<V>(S(0.5)) * t191;
    const V t193 = select_eq(x[4], t31, t192, splat<V>(S(0.0)));
    const V t194 = select_gt(x[4], t31, t191, t193);
    const V t195 = select_gt(t31, x[4], t191, t193);
    const V t196 = u5 * t195;
    const V t197 = t27 * t195;
    const V t198 = t196 - t122;
    const V t199 = t131 + t197;
    const V t201 = t124 - t199;
    const V t202 = u4 * t195;
    const V t203 = x[3] * t195;
    const V t204 = t122 + t202;
    const V t205 = t201 + t203;
    const V t206 = t21 * t198;
    const V t207 = t120 + t206;
    const V t208 = t206 + t207;
    const V t209 = u3 * t180;
    const V t210 = t21 * t180;
    const V t211 = t208 + t209;
    const V t212 = t114 + t210;
    const V t215 = t107 - t212;
    const V t216 = u2 * t180;
    const V t217 = x[2] * t180;
    const V t218 = t105 + t216;
    const V t219 = t215 + t217;
    const V t220 = u1 * t211;
    const V t221 = x[1] * t211;
    const V t222 = t98 + t220;
    const V t223 = t101 + t221;
    const V t224 = u0 * t211;
    const V t225 = x[0] * t211;
    const V t226 = t93 + t224;
    const V t227 = t95 + t225;
    y[0] = t226;
    y[1] = t222;
    y[2] = t218;
    y[3] = t204;
    y[4] = t194;
    y[5] = t179;
    y[6] = t116;
    y[7] = t133;
    y[8] = t145;
    y[9] = t227;
    y[10] = t223;
    y[11] = t219;
    y[12] = t205;
    y[13] = splat<V>(S(0.0));
    y[14] = splat<V>(S(0.0));
    y[15] = t186;
    y[16] = t183;
    y[17] = t191;
    y[18] = t170;
  }
};

// adamw, amsgrad: update, forward
template <class S, class V>
struct k_96aba1419e00_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t37 = u9 * t35;
    const V t38 = -t37;
    y[0] = t38;
    y[1] = t20;
    y[2] = t25;
    y[3] = t26;
  }
};

// adamw, amsgrad: update, vjp
template <class S, class V>
struct k_96aba1419e00_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t46 = u8 * x[5];
    const V t48 = u9 * t46;
    const V t49 = -t48;
    const V t52 = t46 / t32;
    const V t54 = t33 * t52;
    const V t56 = x[6] - t52;
    const V t58 = u6 * t54;
    const V t60 = t58 * splat<V>(S(0.5));
    const V t61 = t60 / t30;
    const V t63 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t61);
    const V t64 = x[8] + t63;
    const V t65 = splat<V>(S(0.5)) * t64;
    const V t66 = select_eq(x[4], t25, t65, splat<V>(S(0.0)));
    const V t67 = select_gt(x[4], t25, t64, t66);
    const V t68 = select_gt(t25, x[4], t64, t66);
    const V t69 = x[7] + t68;
    const V t70 = u4 * t69;
    const V t73 = u3 * t69;
    const V t76 = t15 * t70;
    const V t77 = t76 + t76;
    const V t78 = u2 * t56;
    const V t80 = t77 + t78;
    const V t83 = u1 * t56;
    const V t86 = u0 * t80;
    y[0] = t86;
    y[1] = t49;
    y[2] = t83;
    y[3] = t73;
    y[4] = t67;
  }
};

// adamw, amsgrad: update, vjps
template <class S, class V>
struct k_96aba1419e00_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t44 = t35 * x[5];
    const V t45 = -t44;
    const V t46 = u9 * x[5];
    const V t48 = u8 * t46;
    const V t49 = -t48;
    const V t50 = x[1] * t46;
    const V t51 = -t50;
    const V t52 = t46 / t32;
    const V t54 = t33 * t52;
    const V t56 = x[6] - t52;
    const V t57 = t30 * t54;
    const V t58 = u6 * t54;
    const V t60 = t58 * splat<V>(S(0.5));
    const V t61 = t60 / t30;
    const V t63 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t61);
    const V t64 = x[8] + t63;
    const V t65 = splat<V>(S(0.5)) * t64;
    const V t66 = select_eq(x[4], t25, t65, splat<V>(S(0.0)));
    const V t67 = select_gt(x[4], t25, t64, t66);
    const V t68 = select_gt(t25, x[4], t64, t66);
    const V t69 = x[7] + t68;
    const V t70 = u4 * t69;
    const V t71 = t21 * t69;
    const V t73 = u3 * t69;
    const V t74 = x[3] * t69;
    const V t75 = t74 - t71;
    const V t76 = t15 * t70;
    const V t77 = t76 + t76;
    const V t78 = u2 * t56;
    const V t79 = t15 * t56;
    const V t80 = t77 + t78;
    const V t83 = u1 * t56;
    const V t84 = x[2] * t56;
    const V t85 = t84 - t79;
    const V t86 = u0 * t80;
    const V t87 = x[0] * t80;
    y[0] = t86;
    y[1] = t49;
    y[2] = t83;
    y[3] = t73;
    y[4] = t67;
    y[5] = t87;
    y[6] = t85;
    y[7] = t75;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t57;
    y[11] = t54;
    y[12] = t63;
    y[13] = t51;
    y[14] = t45;
  }
};

// adamw, amsgrad: update, jvp
template <class S, class V>
struct k_96aba1419e00_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[17]);
    u[13] = S(h[15]);
    u[14] = S(h[16]);
    u[15] = S(h[18]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t54 = u0 * x[5];
    const V t55 = x[0] * u9;
    const V t56 = t54 + t55;
    const V t57 = u1 * x[7];
    const V t58 = x[2] * u10;
    const V t59 = t57 + t58;
    const V t61 = u2 * t56;
    const V t62 = t15 * u10;
    const V t64 = t61 - t62;
    const V t65 = t59 + t64;
    const V t66 = t15 * t56;
    const V t67 = t66 + t66;
    const V t68 = u3 * x[8];
    const V t69 = x[3] * u11;
    const V t70 = t68 + t69;
    const V t72 = u4 * t67;
    const V t73 = t21 * u11;
    const V t75 = t72 - t73;
    const V t76 = t70 + t75;
    const V t77 = x[9] + t76;
    const V t79 = t77 * splat<V>(S(0.5));
    const V t80 = select_eq(x[4], t25, t79, t76);
    const V t81 = select_gt(x[4], t25, x[9], t80);
    const V t82 = u12 + t81;
    const V t83 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t82);
    const V t84 = splat<V>(S(0.5)) * t83;
    const V t85 = t84 / t30;
    const V t86 = t30 * u13;
    const V t87 = u6 * t85;
    const V t88 = t86 + t87;
    const V t89 = u14 + t88;
    const V t90 = t33 * t89;
    const V t91 = t65 - t90;
    const V t92 = t91 / t32;
    const V t93 = u8 * x[6];
    const V t94 = x[1] * u15;
    const V t95 = t93 + t94;
    const V t96 = t92 + t95;
    const V t97 = t35 * u16;
    const V t98 = u17 * t96;
    const V t99 = t97 + t98;
    const V t100 = -t99;
    y[0] = t100;
    y[1] = t65;
    y[2] = t76;
    y[3] = t81;
  }
};

// adamw, amsgrad: update, vjp_vjp
template <class S, class V>
struct k_96aba1419e00_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[1];
    const double t27 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t22);
    u[3] = S(h[2]);
    u[4] = S(t27);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t19 = x[0] * u0;
    const V t20 = x[2] * u1;
    const V t23 = t19 * u2;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u3;
    const V t28 = t25 * u4;
    const V t29 = t26 + t28;
    const V t30 = select_gt(x[4], t29, x[4], select_eq(x[4], x[4], t29, x[4]));
    const V t31 = u5 + t30;
    const V t33 = select_gt(tiny<V>(), t31, tiny<V>(), t31);
    const V t34 = sqrt_(t33);
    const V t35 = u6 * t34;
    const V t36 = u7 + t35;
    const V t37 = t24 / t36;
    const V t39 = u8 * x[5];
    const V t42 = t39 / t36;
    const V t43 = t37 * t42;
    const V t45 = u6 * t43;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t34;
    const V t49 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t48);
    const V t50 = x[8] + t49;
    const V t51 = splat<V>(S(0.5)) * t50;
    const V t52 = select_eq(x[4], t29, t51, splat<V>(S(0.0)));
    const V t54 = select_gt(t29, x[4], t50, t52);
    const V t55 = x[7] + t54;
    const V t56 = u4 * t55;
    const V t70 = u0 * x[9];
    const V t72 = u1 * x[11];
    const V t74 = u2 * t70;
    const V t75 = t72 + t74;
    const V t76 = t70 + t70;
    const V t77 = t56 * t76;
    const V t78 = t19 * t76;
    const V t80 = u3 * x[12];
    const V t82 = u4 * t78;
    const V t83 = t80 + t82;
    const V t84 = select_gt(t29, x[4], t83, splat<V>(S(0.0)));
    const V t85 = select_gt(t29, x[4], splat<V>(S(0.0)), t83);
    const V t86 = select_gt(x[4], t29, x[13], splat<V>(S(0.0)));
    const V t87 = select_gt(x[4], t29, splat<V>(S(0.0)), x[13]);
    const V t88 = t84 + t86;
    const V t89 = t85 + t87;
    const V t90 = select_eq(x[4], t29, t89, splat<V>(S(0.0)));
    const V t93 = splat<V>(S(0.5)) * t90;
    const V t94 = t88 + t93;
    const V t96 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t94);
    const V t98 = t96 / t34;
    const V t99 = t48 * t98;
    const V t101 = splat<V>(S(0.5)) * t98;
    const V t105 = u6 * t101;
    const V t107 = t42 * t105;
    const V t108 = t37 * t105;
    const V t109 = t108 - t75;
    const V t110 = t109 / t36;
    const V t111 = t42 * t110;
    const V t112 = -t111;
    const V t116 = u9 * x[10];
    const V t118 = t110 - t116;
    const V t120 = u8 * t118;
    const V t121 = t107 / t36;
    const V t122 = t37 * t121;
    const V t124 = t112 - t122;
    const V t126 = u6 * t124;
    const V t128 = t126 - t99;
    const V t129 = splat<V>(S(0.5)) * t128;
    const V t130 = t129 / t34;
    const V t132 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t130);
    const V t133 = splat<V>(S(0.5)) * t132;
    const V t134 = select_eq(x[4], t29, t133, splat<V>(S(0.0)));
    const V t135 = select_gt(x[4], t29, t132, t134);
    const V t136 = select_gt(t29, x[4], t132, t134);
    const V t137 = u4 * t136;
    const V t142 = u3 * t136;
    const V t145 = t19 * t137;
    const V t146 = t77 + t145;
    const V t147 = t145 + t146;
    const V t148 = u2 * t121;
    const V t150 = t147 + t148;
    const V t155 = u1 * t121;
    const V t158 = u0 * t150;
    y[0] = t158;
    y[1] = splat<V>(S(0.0));
    y[2] = t155;
    y[3] = t142;
    y[4] = t135;
    y[5] = t120;
    y[6] = t75;
    y[7] = t83;
    y[8] = t94;
  }
};

// adamw, amsgrad: update, vjps_vjps
template <class S, class V>
struct k_96aba1419e00_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[1];
    const double t27 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t22);
    u[3] = S(h[2]);
    u[4] = S(t27);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[17]);
    u[14] = S(h[16]);
    u[15] = S(h[15]);
    u[16] = S(h[18]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t19 = x[0] * u0;
    const V t20 = x[2] * u1;
    const V t23 = t19 * u2;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u3;
    const V t28 = t25 * u4;
    const V t29 = t26 + t28;
    const V t30 = select_gt(x[4], t29, x[4], select_eq(x[4], x[4], t29, x[4]));
    const V t31 = u5 + t30;
    const V t33 = select_gt(tiny<V>(), t31, tiny<V>(), t31);
    const V t34 = sqrt_(t33);
    const V t35 = u6 * t34;
    const V t36 = u7 + t35;
    const V t37 = t24 / t36;
    const V t38 = x[1] * u8;
    const V t39 = t37 + t38;
    const V t43 = u9 * x[5];
    const V t48 = t43 / t36;
    const V t49 = t37 * t48;
    const V t50 = x[6] - t48;
    const V t52 = u6 * t49;
    const V t54 = t52 * splat<V>(S(0.5));
    const V t55 = t54 / t34;
    const V t56 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t55);
    const V t57 = x[8] + t56;
    const V t58 = splat<V>(S(0.5)) * t57;
    const V t59 = select_eq(x[4], t29, t58, splat<V>(S(0.0)));
    const V t61 = select_gt(t29, x[4], t57, t59);
    const V t62 = x[7] + t61;
    const V t63 = u4 * t62;
    const V t68 = t19 * t63;
    const V t69 = t68 + t68;
    const V t70 = u2 * t50;
    const V t72 = t69 + t70;
    const V t94 = t72 * u10;
    const V t95 = x[0] * u10;
    const V t96 = t72 * x[9];
    const V t97 = u0 * x[9];
    const V t98 = t95 + t97;
    const V t100 = t50 * u11;
    const V t101 = x[2] * u11;
    const V t102 = t50 * x[11];
    const V t103 = u1 * x[11];
    const V t104 = t101 + t103;
    const V t106 = t19 * u11;
    const V t108 = t104 - t106;
    const V t109 = t50 * t98;
    const V t110 = u2 * t98;
    const V t111 = t108 + t110;
    const V t112 = t98 + t98;
    const V t113 = t63 * t112;
    const V t114 = t19 * t112;
    const V t115 = t113 - t100;
    const V t117 = t62 * u12;
    const V t118 = x[3] * u12;
    const V t119 = t62 * x[12];
    const V t120 = u3 * x[12];
    const V t121 = t118 + t120;
    const V t123 = t25 * u12;
    const V t125 = t121 - t123;
    const V t126 = t62 * t114;
    const V t127 = u4 * t114;
    const V t128 = t125 + t127;
    const V t129 = select_gt(t29, x[4], t128, splat<V>(S(0.0)));
    const V t130 = select_gt(t29, x[4], splat<V>(S(0.0)), t128);
    const V t131 = select_gt(x[4], t29, x[13], splat<V>(S(0.0)));
    const V t132 = select_gt(x[4], t29, splat<V>(S(0.0)), x[13]);
    const V t133 = t129 + t131;
    const V t134 = t130 + t132;
    const V t135 = select_eq(x[4], t29, t134, splat<V>(S(0.0)));
    const V t139 = splat<V>(S(0.5)) * t135;
    const V t140 = t133 + t139;
    const V t141 = u13 + t140;
    const V t143 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t141);
    const V t145 = t143 / t34;
    const V t146 = t55 * t145;
    const V t148 = splat<V>(S(0.5)) * t145;
    const V t151 = t49 * t148;
    const V t152 = u6 * t148;
    const V t153 = u14 + t152;
    const V t154 = t49 * u15;
    const V t155 = t34 * u15;
    const V t156 = t154 - t146;
    const V t157 = t153 + t155;
    const V t159 = t48 * t157;
    const V t160 = t37 * t157;
    const V t161 = t160 - t111;
    const V t162 = t161 / t36;
    const V t163 = t48 * t162;
    const V t164 = -t163;
    const V t166 = t43 * u16;
    const V t167 = -t166;
    const V t168 = x[1] * u16;
    const V t170 = t162 - t168;
    const V t172 = t43 * x[10];
    const V t173 = -t172;
    const V t174 = u8 * x[10];
    const V t176 = t170 - t174;
    const V t177 = x[5] * t176;
    const V t178 = u9 * t176;
    const V t180 = x[5] * u17;
    const V t182 = t39 * u17;
    const V t184 = t178 - t182;
    const V t185 = t159 - t180;
    const V t186 = u8 * t180;
    const V t188 = x[1] * t180;
    const V t190 = t167 - t186;
    const V t191 = t173 - t188;
    const V t192 = t185 / t36;
    const V t193 = t37 * t192;
    const V t195 = t164 - t193;
    const V t196 = t34 * t195;
    const V t197 = u6 * t195;
    const V t198 = t151 + t196;
    const V t199 = t156 + t197;
    const V t200 = splat<V>(S(0.5)) * t199;
    const V t201 = t200 / t34;
    const V t203 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t201);
    const V t204 = splat<V>(S(0.5)) * t203;
    const V t205 = select_eq(x[4], t29, t204, splat<V>(S(0.0)));
    const V t206 = select_gt(x[4], t29, t203, t205);
    const V t207 = select_gt(t29, x[4], t203, t205);
    const V t208 = u4 * t207;
    const V t209 = t25 * t207;
    const V t210 = t208 - t117;
    const V t211 = t126 + t209;
    const V t213 = t119 - t211;
    const V t214 = u3 * t207;
    const V t215 = x[3] * t207;
    const V t216 = t117 + t214;
    const V t217 = t213 + t215;
    const V t218 = t19 * t210;
    const V t219 = t115 + t218;
    const V t220 = t218 + t219;
    const V t221 = u2 * t192;
    const V t222 = t19 * t192;
    const V t223 = t220 + t221;
    const V t224 = t109 + t222;
    const V t227 = t102 - t224;
    const V t228 = u1 * t192;
    const V t229 = x[2] * t192;
    const V t230 = t100 + t228;
    const V t231 = t227 + t229;
    const V t232 = u0 * t223;
    const V t233 = x[0] * t223;
    const V t234 = t94 + t232;
    const V t235 = t96 + t233;
    y[0] = t234;
    y[1] = t190;
    y[2] = t230;
    y[3] = t216;
    y[4] = t206;
    y[5] = t184;
    y[6] = t111;
    y[7] = t128;
    y[8] = t140;
    y[9] = t235;
    y[10] = t231;
    y[11] = t217;
    y[12] = splat<V>(S(0.0));
    y[13] = splat<V>(S(0.0));
    y[14] = t198;
    y[15] = t195;
    y[16] = t203;
    y[17] = t191;
    y[18] = t177;
  }
};

// adamw, amsgrad: parameters, forward
template <class S, class V>
struct k_b57b80251779_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t37 = u9 * t35;
    const V t39 = x[1] - t37;
    y[0] = t39;
    y[1] = t20;
    y[2] = t25;
    y[3] = t26;
  }
};

// adamw, amsgrad: parameters, vjp
template <class S, class V>
struct k_b57b80251779_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t46 = u8 * x[5];
    const V t48 = u9 * t46;
    const V t52 = x[5] - t48;
    const V t53 = t46 / t32;
    const V t55 = t33 * t53;
    const V t57 = x[6] - t53;
    const V t59 = u6 * t55;
    const V t61 = t59 * splat<V>(S(0.5));
    const V t62 = t61 / t30;
    const V t64 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t62);
    const V t65 = x[8] + t64;
    const V t66 = splat<V>(S(0.5)) * t65;
    const V t67 = select_eq(x[4], t25, t66, splat<V>(S(0.0)));
    const V t68 = select_gt(x[4], t25, t65, t67);
    const V t69 = select_gt(t25, x[4], t65, t67);
    const V t70 = x[7] + t69;
    const V t71 = u4 * t70;
    const V t74 = u3 * t70;
    const V t77 = t15 * t71;
    const V t78 = t77 + t77;
    const V t79 = u2 * t57;
    const V t81 = t78 + t79;
    const V t84 = u1 * t57;
    const V t87 = u0 * t81;
    y[0] = t87;
    y[1] = t52;
    y[2] = t84;
    y[3] = t74;
    y[4] = t68;
  }
};

// adamw, amsgrad: parameters, vjps
template <class S, class V>
struct k_b57b80251779_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 10, sums = 10, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t44 = t35 * x[5];
    const V t45 = -t44;
    const V t46 = u9 * x[5];
    const V t48 = u8 * t46;
    const V t50 = x[1] * t46;
    const V t51 = -t50;
    const V t52 = x[5] - t48;
    const V t53 = t46 / t32;
    const V t55 = t33 * t53;
    const V t57 = x[6] - t53;
    const V t58 = t30 * t55;
    const V t59 = u6 * t55;
    const V t61 = t59 * splat<V>(S(0.5));
    const V t62 = t61 / t30;
    const V t64 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t62);
    const V t65 = x[8] + t64;
    const V t66 = splat<V>(S(0.5)) * t65;
    const V t67 = select_eq(x[4], t25, t66, splat<V>(S(0.0)));
    const V t68 = select_gt(x[4], t25, t65, t67);
    const V t69 = select_gt(t25, x[4], t65, t67);
    const V t70 = x[7] + t69;
    const V t71 = u4 * t70;
    const V t72 = t21 * t70;
    const V t74 = u3 * t70;
    const V t75 = x[3] * t70;
    const V t76 = t75 - t72;
    const V t77 = t15 * t71;
    const V t78 = t77 + t77;
    const V t79 = u2 * t57;
    const V t80 = t15 * t57;
    const V t81 = t78 + t79;
    const V t84 = u1 * t57;
    const V t85 = x[2] * t57;
    const V t86 = t85 - t80;
    const V t87 = u0 * t81;
    const V t88 = x[0] * t81;
    y[0] = t87;
    y[1] = t52;
    y[2] = t84;
    y[3] = t74;
    y[4] = t68;
    y[5] = t88;
    y[6] = t86;
    y[7] = t76;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t58;
    y[11] = t55;
    y[12] = t64;
    y[13] = t51;
    y[14] = t45;
  }
};

// adamw, amsgrad: parameters, jvp
template <class S, class V>
struct k_b57b80251779_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 20, sums = 0, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[10]);
    u[10] = S(h[11]);
    u[11] = S(h[12]);
    u[12] = S(h[17]);
    u[13] = S(h[15]);
    u[14] = S(h[16]);
    u[15] = S(h[18]);
    u[16] = S(h[19]);
    u[17] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t15 = x[0] * u0;
    const V t16 = x[2] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[3] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t26 = select_gt(x[4], t25, x[4], select_eq(x[4], x[4], t25, x[4]));
    const V t27 = u5 + t26;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t27);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t20 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t54 = u0 * x[5];
    const V t55 = x[0] * u9;
    const V t56 = t54 + t55;
    const V t57 = u1 * x[7];
    const V t58 = x[2] * u10;
    const V t59 = t57 + t58;
    const V t61 = u2 * t56;
    const V t62 = t15 * u10;
    const V t64 = t61 - t62;
    const V t65 = t59 + t64;
    const V t66 = t15 * t56;
    const V t67 = t66 + t66;
    const V t68 = u3 * x[8];
    const V t69 = x[3] * u11;
    const V t70 = t68 + t69;
    const V t72 = u4 * t67;
    const V t73 = t21 * u11;
    const V t75 = t72 - t73;
    const V t76 = t70 + t75;
    const V t77 = x[9] + t76;
    const V t79 = t77 * splat<V>(S(0.5));
    const V t80 = select_eq(x[4], t25, t79, t76);
    const V t81 = select_gt(x[4], t25, x[9], t80);
    const V t82 = u12 + t81;
    const V t83 = select_gt(tiny<V>(), t27, splat<V>(S(0.0)), t82);
    const V t84 = splat<V>(S(0.5)) * t83;
    const V t85 = t84 / t30;
    const V t86 = t30 * u13;
    const V t87 = u6 * t85;
    const V t88 = t86 + t87;
    const V t89 = u14 + t88;
    const V t90 = t33 * t89;
    const V t91 = t65 - t90;
    const V t92 = t91 / t32;
    const V t93 = u8 * x[6];
    const V t94 = x[1] * u15;
    const V t95 = t93 + t94;
    const V t96 = t92 + t95;
    const V t97 = t35 * u16;
    const V t98 = u17 * t96;
    const V t99 = t97 + t98;
    const V t100 = x[6] - t99;
    y[0] = t100;
    y[1] = t65;
    y[2] = t76;
    y[3] = t81;
  }
};

// adamw, amsgrad: parameters, vjp_vjp
template <class S, class V>
struct k_b57b80251779_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 10, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[1];
    const double t27 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t22);
    u[3] = S(h[2]);
    u[4] = S(t27);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[9]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t19 = x[0] * u0;
    const V t20 = x[2] * u1;
    const V t23 = t19 * u2;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u3;
    const V t28 = t25 * u4;
    const V t29 = t26 + t28;
    const V t30 = select_gt(x[4], t29, x[4], select_eq(x[4], x[4], t29, x[4]));
    const V t31 = u5 + t30;
    const V t33 = select_gt(tiny<V>(), t31, tiny<V>(), t31);
    const V t34 = sqrt_(t33);
    const V t35 = u6 * t34;
    const V t36 = u7 + t35;
    const V t37 = t24 / t36;
    const V t39 = u8 * x[5];
    const V t42 = t39 / t36;
    const V t43 = t37 * t42;
    const V t45 = u6 * t43;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t34;
    const V t49 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t48);
    const V t50 = x[8] + t49;
    const V t51 = splat<V>(S(0.5)) * t50;
    const V t52 = select_eq(x[4], t29, t51, splat<V>(S(0.0)));
    const V t54 = select_gt(t29, x[4], t50, t52);
    const V t55 = x[7] + t54;
    const V t56 = u4 * t55;
    const V t70 = u0 * x[9];
    const V t72 = u1 * x[11];
    const V t74 = u2 * t70;
    const V t75 = t72 + t74;
    const V t76 = t70 + t70;
    const V t77 = t56 * t76;
    const V t78 = t19 * t76;
    const V t80 = u3 * x[12];
    const V t82 = u4 * t78;
    const V t83 = t80 + t82;
    const V t84 = select_gt(t29, x[4], t83, splat<V>(S(0.0)));
    const V t85 = select_gt(t29, x[4], splat<V>(S(0.0)), t83);
    const V t86 = select_gt(x[4], t29, x[13], splat<V>(S(0.0)));
    const V t87 = select_gt(x[4], t29, splat<V>(S(0.0)), x[13]);
    const V t88 = t84 + t86;
    const V t89 = t85 + t87;
    const V t90 = select_eq(x[4], t29, t89, splat<V>(S(0.0)));
    const V t93 = splat<V>(S(0.5)) * t90;
    const V t94 = t88 + t93;
    const V t96 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t94);
    const V t98 = t96 / t34;
    const V t99 = t48 * t98;
    const V t101 = splat<V>(S(0.5)) * t98;
    const V t105 = u6 * t101;
    const V t107 = t42 * t105;
    const V t108 = t37 * t105;
    const V t109 = t108 - t75;
    const V t110 = t109 / t36;
    const V t111 = t42 * t110;
    const V t112 = -t111;
    const V t116 = u9 * x[10];
    const V t118 = t110 - t116;
    const V t120 = u8 * t118;
    const V t121 = x[10] + t120;
    const V t122 = t107 / t36;
    const V t123 = t37 * t122;
    const V t125 = t112 - t123;
    const V t127 = u6 * t125;
    const V t129 = t127 - t99;
    const V t130 = splat<V>(S(0.5)) * t129;
    const V t131 = t130 / t34;
    const V t133 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t131);
    const V t134 = splat<V>(S(0.5)) * t133;
    const V t135 = select_eq(x[4], t29, t134, splat<V>(S(0.0)));
    const V t136 = select_gt(x[4], t29, t133, t135);
    const V t137 = select_gt(t29, x[4], t133, t135);
    const V t138 = u4 * t137;
    const V t143 = u3 * t137;
    const V t146 = t19 * t138;
    const V t147 = t77 + t146;
    const V t148 = t146 + t147;
    const V t149 = u2 * t122;
    const V t151 = t148 + t149;
    const V t156 = u1 * t122;
    const V t159 = u0 * t151;
    y[0] = t159;
    y[1] = splat<V>(S(0.0));
    y[2] = t156;
    y[3] = t143;
    y[4] = t136;
    y[5] = t121;
    y[6] = t75;
    y[7] = t83;
    y[8] = t94;
  }
};

// adamw, amsgrad: parameters, vjps_vjps
template <class S, class V>
struct k_b57b80251779_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 20, sums = 10, uniforms = 18;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[1];
    const double t27 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t22);
    u[3] = S(h[2]);
    u[4] = S(t27);
    u[5] = S(h[7]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[17]);
    u[14] = S(h[16]);
    u[15] = S(h[15]);
    u[16] = S(h[18]);
    u[17] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V t19 = x[0] * u0;
    const V t20 = x[2] * u1;
    const V t23 = t19 * u2;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u3;
    const V t28 = t25 * u4;
    const V t29 = t26 + t28;
    const V t30 = select_gt(x[4], t29, x[4], select_eq(x[4], x[4], t29, x[4]));
    const V t31 = u5 + t30;
    const V t33 = select_gt(tiny<V>(), t31, tiny<V>(), t31);
    const V t34 = sqrt_(t33);
    const V t35 = u6 * t34;
    const V t36 = u7 + t35;
    const V t37 = t24 / t36;
    const V t38 = x[1] * u8;
    const V t39 = t37 + t38;
    const V t43 = u9 * x[5];
    const V t48 = t43 / t36;
    const V t49 = t37 * t48;
    const V t50 = x[6] - t48;
    const V t52 = u6 * t49;
    const V t54 = t52 * splat<V>(S(0.5));
    const V t55 = t54 / t34;
    const V t56 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t55);
    const V t57 = x[8] + t56;
    const V t58 = splat<V>(S(0.5)) * t57;
    const V t59 = select_eq(x[4], t29, t58, splat<V>(S(0.0)));
    const V t61 = select_gt(t29, x[4], t57, t59);
    const V t62 = x[7] + t61;
    const V t63 = u4 * t62;
    const V t68 = t19 * t63;
    const V t69 = t68 + t68;
    const V t70 = u2 * t50;
    const V t72 = t69 + t70;
    const V t94 = t72 * u10;
    const V t95 = x[0] * u10;
    const V t96 = t72 * x[9];
    const V t97 = u0 * x[9];
    const V t98 = t95 + t97;
    const V t100 = t50 * u11;
    const V t101 = x[2] * u11;
    const V t102 = t50 * x[11];
    const V t103 = u1 * x[11];
    const V t104 = t101 + t103;
    const V t106 = t19 * u11;
    const V t108 = t104 - t106;
    const V t109 = t50 * t98;
    const V t110 = u2 * t98;
    const V t111 = t108 + t110;
    const V t112 = t98 + t98;
    const V t113 = t63 * t112;
    const V t114 = t19 * t112;
    const V t115 = t113 - t100;
    const V t117 = t62 * u12;
    const V t118 = x[3] * u12;
    const V t119 = t62 * x[12];
    const V t120 = u3 * x[12];
    const V t121 = t118 + t120;
    const V t123 = t25 * u12;
    const V t125 = t121 - t123;
    const V t126 = t62 * t114;
    const V t127 = u4 * t114;
    const V t128 = t125 + t127;
    const V t129 = select_gt(t29, x[4], t128, splat<V>(S(0.0)));
    const V t130 = select_gt(t29, x[4], splat<V>(S(0.0)), t128);
    const V t131 = select_gt(x[4], t29, x[13], splat<V>(S(0.0)));
    const V t132 = select_gt(x[4], t29, splat<V>(S(0.0)), x[13]);
    const V t133 = t129 + t131;
    const V t134 = t130 + t132;
    const V t135 = select_eq(x[4], t29, t134, splat<V>(S(0.0)));
    const V t139 = splat<V>(S(0.5)) * t135;
    const V t140 = t133 + t139;
    const V t141 = u13 + t140;
    const V t143 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t141);
    const V t145 = t143 / t34;
    const V t146 = t55 * t145;
    const V t148 = splat<V>(S(0.5)) * t145;
    const V t151 = t49 * t148;
    const V t152 = u6 * t148;
    const V t153 = u14 + t152;
    const V t154 = t49 * u15;
    const V t155 = t34 * u15;
    const V t156 = t154 - t146;
    const V t157 = t153 + t155;
    const V t159 = t48 * t157;
    const V t160 = t37 * t157;
    const V t161 = t160 - t111;
    const V t162 = t161 / t36;
    const V t163 = t48 * t162;
    const V t164 = -t163;
    const V t167 = t43 * u16;
    const V t168 = -t167;
    const V t169 = x[1] * u16;
    const V t171 = t162 - t169;
    const V t172 = t43 * x[10];
    const V t173 = -t172;
    const V t174 = u8 * x[10];
    const V t176 = t171 - t174;
    const V t177 = x[5] * t176;
    const V t178 = u9 * t176;
    const V t179 = x[10] + t178;
    const V t181 = x[5] * u17;
    const V t183 = t39 * u17;
    const V t185 = t179 - t183;
    const V t186 = t159 - t181;
    const V t187 = u8 * t181;
    const V t189 = x[1] * t181;
    const V t191 = t168 - t187;
    const V t192 = t173 - t189;
    const V t193 = t186 / t36;
    const V t194 = t37 * t193;
    const V t196 = t164 - t194;
    const V t197 = t34 * t196;
    const V t198 = u6 * t196;
    const V t199 = t151 + t197;
    const V t200 = t156 + t198;
    const V t201 = splat<V>(S(0.5)) * t200;
    const V t202 = t201 / t34;
    const V t204 = select_gt(tiny<V>(), t31, splat<V>(S(0.0)), t202);
    const V t205 = splat<V>(S(0.5)) * t204;
    const V t206 = select_eq(x[4], t29, t205, splat<V>(S(0.0)));
    const V t207 = select_gt(x[4], t29, t204, t206);
    const V t208 = select_gt(t29, x[4], t204, t206);
    const V t209 = u4 * t208;
    const V t210 = t25 * t208;
    const V t211 = t209 - t117;
    const V t212 = t126 + t210;
    const V t214 = t119 - t212;
    const V t215 = u3 * t208;
    const V t216 = x[3] * t208;
    const V t217 = t117 + t215;
    const V t218 = t214 + t216;
    const V t219 = t19 * t211;
    const V t220 = t115 + t219;
    const V t221 = t219 + t220;
    const V t222 = u2 * t193;
    const V t223 = t19 * t193;
    const V t224 = t221 + t222;
    const V t225 = t109 + t223;
    const V t228 = t102 - t225;
    const V t229 = u1 * t193;
    const V t230 = x[2] * t193;
    const V t231 = t100 + t229;
    const V t232 = t228 + t230;
    const V t233 = u0 * t224;
    const V t234 = x[0] * t224;
    const V t235 = t94 + t233;
    const V t236 = t96 + t234;
    y[0] = t235;
    y[1] = t191;
    y[2] = t231;
    y[3] = t217;
    y[4] = t207;
    y[5] = t185;
    y[6] = t111;
    y[7] = t128;
    y[8] = t140;
    y[9] = t236;
    y[10] = t232;
    y[11] = t218;
    y[12] = splat<V>(S(0.0));
    y[13] = splat<V>(S(0.0));
    y[14] = t199;
    y[15] = t196;
    y[16] = t204;
    y[17] = t192;
    y[18] = t177;
  }
};

// rmsprop: update, forward
template <class S, class V>
struct k_acb079b14e2e_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t14 = select_gt(tiny<V>(), t12, tiny<V>(), t12);
    const V t15 = sqrt_(t14);
    const V t16 = u3 + t15;
    const V t17 = t6 / t16;
    const V t19 = u4 * t17;
    const V t20 = -t19;
    y[0] = t20;
    y[1] = t12;
  }
};

// rmsprop: update, vjp
template <class S, class V>
struct k_acb079b14e2e_vjp {
  static constexpr int inputs = 4, outputs = 2, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t14 = select_gt(tiny<V>(), t12, tiny<V>(), t12);
    const V t15 = sqrt_(t14);
    const V t16 = u3 + t15;
    const V t17 = t6 / t16;
    const V t26 = u4 * x[2];
    const V t28 = t26 / t16;
    const V t30 = t17 * t28;
    const V t33 = t30 * splat<V>(S(0.5));
    const V t34 = t33 / t15;
    const V t36 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t34);
    const V t37 = x[3] + t36;
    const V t38 = u2 * t37;
    const V t41 = u1 * t37;
    const V t44 = t6 * t38;
    const V t45 = t44 - t28;
    const V t46 = t44 + t45;
    const V t47 = u0 * t46;
    y[0] = t47;
    y[1] = t41;
  }
};

// rmsprop: update, vjps
template <class S, class V>
struct k_acb079b14e2e_vjps {
  static constexpr int inputs = 4, outputs = 2, scalars = 4, sums = 4, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t14 = select_gt(tiny<V>(), t12, tiny<V>(), t12);
    const V t15 = sqrt_(t14);
    const V t16 = u3 + t15;
    const V t17 = t6 / t16;
    const V t24 = t17 * x[2];
    const V t25 = -t24;
    const V t26 = u4 * x[2];
    const V t28 = t26 / t16;
    const V t30 = t17 * t28;
    const V t33 = t30 * splat<V>(S(0.5));
    const V t34 = t33 / t15;
    const V t36 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t34);
    const V t37 = x[3] + t36;
    const V t38 = u2 * t37;
    const V t39 = t7 * t37;
    const V t41 = u1 * t37;
    const V t42 = x[1] * t37;
    const V t43 = t42 - t39;
    const V t44 = t6 * t38;
    const V t45 = t44 - t28;
    const V t46 = t44 + t45;
    const V t47 = u0 * t46;
    const V t48 = x[0] * t46;
    y[0] = t47;
    y[1] = t41;
    y[2] = t48;
    y[3] = t43;
    y[4] = t30;
    y[5] = t25;
  }
};

// rmsprop: update, jvp
template <class S, class V>
struct k_acb079b14e2e_jvp {
  static constexpr int inputs = 4, outputs = 2, scalars = 8, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[3]);
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
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t14 = select_gt(tiny<V>(), t12, tiny<V>(), t12);
    const V t15 = sqrt_(t14);
    const V t16 = u3 + t15;
    const V t17 = t6 / t16;
    const V t27 = u0 * x[2];
    const V t28 = x[0] * u4;
    const V t29 = t27 + t28;
    const V t30 = t6 * t29;
    const V t31 = t30 + t30;
    const V t32 = u1 * x[3];
    const V t33 = x[1] * u5;
    const V t34 = t32 + t33;
    const V t36 = u2 * t31;
    const V t37 = t7 * u5;
    const V t39 = t36 - t37;
    const V t40 = t34 + t39;
    const V t41 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t40);
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t15;
    const V t45 = u6 + t44;
    const V t46 = t17 * t45;
    const V t47 = t29 - t46;
    const V t48 = t47 / t16;
    const V t49 = t17 * u7;
    const V t50 = u8 * t48;
    const V t51 = t49 + t50;
    const V t52 = -t51;
    y[0] = t52;
    y[1] = t40;
  }
};

// rmsprop: update, vjp_vjp
template <class S, class V>
struct k_acb079b14e2e_vjp_vjp {
  static constexpr int inputs = 6, outputs = 4, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t21 = u4 * x[2];
    const V t22 = t21 / t18;
    const V t23 = t19 * t22;
    const V t25 = t23 * splat<V>(S(0.5));
    const V t26 = t25 / t17;
    const V t27 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t26);
    const V t28 = x[3] + t27;
    const V t29 = u2 * t28;
    const V t38 = u0 * x[4];
    const V t40 = t38 + t38;
    const V t41 = t29 * t40;
    const V t42 = t8 * t40;
    const V t44 = u1 * x[5];
    const V t46 = u2 * t42;
    const V t47 = t44 + t46;
    const V t49 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t47);
    const V t50 = t49 / t17;
    const V t51 = t26 * t50;
    const V t53 = splat<V>(S(0.5)) * t50;
    const V t55 = t22 * t53;
    const V t56 = t19 * t53;
    const V t57 = t56 - t38;
    const V t58 = t57 / t18;
    const V t59 = t22 * t58;
    const V t60 = -t59;
    const V t62 = u4 * t58;
    const V t63 = t55 / t18;
    const V t64 = t19 * t63;
    const V t66 = t41 + t63;
    const V t67 = t60 - t64;
    const V t68 = t67 - t51;
    const V t69 = splat<V>(S(0.5)) * t68;
    const V t70 = t69 / t17;
    const V t72 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t70);
    const V t73 = u2 * t72;
    const V t78 = u1 * t72;
    const V t81 = t8 * t73;
    const V t82 = t66 + t81;
    const V t83 = t81 + t82;
    const V t84 = u0 * t83;
    y[0] = t84;
    y[1] = t78;
    y[2] = t62;
    y[3] = t47;
  }
};

// rmsprop: update, vjps_vjps
template <class S, class V>
struct k_acb079b14e2e_vjps_vjps {
  static constexpr int inputs = 6, outputs = 4, scalars = 8, sums = 4, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
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
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t23 = u4 * x[2];
    const V t24 = t23 / t18;
    const V t25 = t19 * t24;
    const V t27 = t25 * splat<V>(S(0.5));
    const V t28 = t27 / t17;
    const V t29 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t28);
    const V t30 = x[3] + t29;
    const V t31 = u2 * t30;
    const V t36 = t8 * t31;
    const V t37 = t36 - t24;
    const V t38 = t36 + t37;
    const V t47 = t38 * u5;
    const V t48 = x[0] * u5;
    const V t49 = t38 * x[4];
    const V t50 = u0 * x[4];
    const V t51 = t48 + t50;
    const V t53 = t51 + t51;
    const V t54 = t31 * t53;
    const V t55 = t8 * t53;
    const V t57 = t30 * u6;
    const V t58 = x[1] * u6;
    const V t59 = t30 * x[5];
    const V t60 = u1 * x[5];
    const V t61 = t58 + t60;
    const V t63 = t9 * u6;
    const V t65 = t61 - t63;
    const V t66 = t30 * t55;
    const V t67 = u2 * t55;
    const V t68 = t65 + t67;
    const V t70 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t68);
    const V t71 = t70 / t17;
    const V t72 = t28 * t71;
    const V t74 = splat<V>(S(0.5)) * t71;
    const V t76 = u7 + t74;
    const V t77 = t24 * t76;
    const V t78 = t19 * t76;
    const V t79 = t78 - t51;
    const V t80 = t79 / t18;
    const V t81 = t24 * t80;
    const V t82 = -t81;
    const V t83 = x[2] * t80;
    const V t84 = u4 * t80;
    const V t86 = x[2] * u8;
    const V t88 = t19 * u8;
    const V t90 = t77 - t86;
    const V t91 = t84 - t88;
    const V t92 = t90 / t18;
    const V t93 = t19 * t92;
    const V t95 = t54 + t92;
    const V t96 = t82 - t93;
    const V t97 = t96 - t72;
    const V t98 = splat<V>(S(0.5)) * t97;
    const V t99 = t98 / t17;
    const V t101 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t99);
    const V t102 = u2 * t101;
    const V t103 = t9 * t101;
    const V t104 = t102 - t57;
    const V t105 = t66 + t103;
    const V t107 = t59 - t105;
    const V t108 = u1 * t101;
    const V t109 = x[1] * t101;
    const V t110 = t57 + t108;
    const V t111 = t107 + t109;
    const V t112 = t8 * t104;
    const V t113 = t95 + t112;
    const V t114 = t112 + t113;
    const V t115 = u0 * t114;
    const V t116 = x[0] * t114;
    const V t117 = t47 + t115;
    const V t118 = t49 + t116;
    y[0] = t117;
    y[1] = t110;
    y[2] = t91;
    y[3] = t68;
    y[4] = t118;
    y[5] = t111;
    y[6] = t96;
    y[7] = t83;
  }
};

// rmsprop: parameters, forward
template <class S, class V>
struct k_0bb3c1bdc788_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u3 + t16;
    const V t18 = t7 / t17;
    const V t20 = u4 * t18;
    const V t22 = x[1] - t20;
    y[0] = t22;
    y[1] = t13;
  }
};

// rmsprop: parameters, vjp
template <class S, class V>
struct k_0bb3c1bdc788_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u3 + t16;
    const V t18 = t7 / t17;
    const V t27 = u4 * x[3];
    const V t29 = t27 / t17;
    const V t31 = t18 * t29;
    const V t34 = t31 * splat<V>(S(0.5));
    const V t35 = t34 / t16;
    const V t37 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t35);
    const V t38 = x[4] + t37;
    const V t39 = u2 * t38;
    const V t42 = u1 * t38;
    const V t45 = t7 * t39;
    const V t46 = t45 - t29;
    const V t47 = t45 + t46;
    const V t48 = u0 * t47;
    y[0] = t48;
    y[1] = x[3];
    y[2] = t42;
  }
};

// rmsprop: parameters, vjps
template <class S, class V>
struct k_0bb3c1bdc788_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 4, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u3 + t16;
    const V t18 = t7 / t17;
    const V t25 = t18 * x[3];
    const V t26 = -t25;
    const V t27 = u4 * x[3];
    const V t29 = t27 / t17;
    const V t31 = t18 * t29;
    const V t34 = t31 * splat<V>(S(0.5));
    const V t35 = t34 / t16;
    const V t37 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t35);
    const V t38 = x[4] + t37;
    const V t39 = u2 * t38;
    const V t40 = t8 * t38;
    const V t42 = u1 * t38;
    const V t43 = x[2] * t38;
    const V t44 = t43 - t40;
    const V t45 = t7 * t39;
    const V t46 = t45 - t29;
    const V t47 = t45 + t46;
    const V t48 = u0 * t47;
    const V t49 = x[0] * t47;
    y[0] = t48;
    y[1] = x[3];
    y[2] = t42;
    y[3] = t49;
    y[4] = t44;
    y[5] = t31;
    y[6] = t26;
  }
};

// rmsprop: parameters, jvp
template <class S, class V>
struct k_0bb3c1bdc788_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 8, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u3 + t16;
    const V t18 = t7 / t17;
    const V t29 = u0 * x[3];
    const V t30 = x[0] * u4;
    const V t31 = t29 + t30;
    const V t32 = t7 * t31;
    const V t33 = t32 + t32;
    const V t34 = u1 * x[5];
    const V t35 = x[2] * u5;
    const V t36 = t34 + t35;
    const V t38 = u2 * t33;
    const V t39 = t8 * u5;
    const V t41 = t38 - t39;
    const V t42 = t36 + t41;
    const V t43 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t42);
    const V t45 = t43 * splat<V>(S(0.5));
    const V t46 = t45 / t16;
    const V t47 = u6 + t46;
    const V t48 = t18 * t47;
    const V t49 = t31 - t48;
    const V t50 = t49 / t17;
    const V t51 = t18 * u7;
    const V t52 = u8 * t50;
    const V t53 = t51 + t52;
    const V t54 = x[4] - t53;
    y[0] = t54;
    y[1] = t42;
  }
};

// rmsprop: parameters, vjp_vjp
template <class S, class V>
struct k_0bb3c1bdc788_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t22 = u4 * x[3];
    const V t23 = t22 / t19;
    const V t24 = t20 * t23;
    const V t26 = t24 * splat<V>(S(0.5));
    const V t27 = t26 / t18;
    const V t28 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t27);
    const V t29 = x[4] + t28;
    const V t30 = u2 * t29;
    const V t40 = u0 * x[5];
    const V t42 = t40 + t40;
    const V t43 = t30 * t42;
    const V t44 = t9 * t42;
    const V t46 = u1 * x[7];
    const V t48 = u2 * t44;
    const V t49 = t46 + t48;
    const V t51 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t49);
    const V t52 = t51 / t18;
    const V t53 = t27 * t52;
    const V t55 = splat<V>(S(0.5)) * t52;
    const V t57 = t23 * t55;
    const V t58 = t20 * t55;
    const V t59 = t58 - t40;
    const V t60 = t59 / t19;
    const V t61 = t23 * t60;
    const V t62 = -t61;
    const V t64 = u4 * t60;
    const V t65 = x[6] + t64;
    const V t66 = t57 / t19;
    const V t67 = t20 * t66;
    const V t69 = t43 + t66;
    const V t70 = t62 - t67;
    const V t71 = t70 - t53;
    const V t72 = splat<V>(S(0.5)) * t71;
    const V t73 = t72 / t18;
    const V t75 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t73);
    const V t76 = u2 * t75;
    const V t81 = u1 * t75;
    const V t84 = t9 * t76;
    const V t85 = t69 + t84;
    const V t86 = t84 + t85;
    const V t87 = u0 * t86;
    y[0] = t87;
    y[1] = splat<V>(S(0.0));
    y[2] = t81;
    y[3] = t65;
    y[4] = t49;
  }
};

// rmsprop: parameters, vjps_vjps
template <class S, class V>
struct k_0bb3c1bdc788_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 8, sums = 4, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
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
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t24 = u4 * x[3];
    const V t25 = t24 / t19;
    const V t26 = t20 * t25;
    const V t28 = t26 * splat<V>(S(0.5));
    const V t29 = t28 / t18;
    const V t30 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t29);
    const V t31 = x[4] + t30;
    const V t32 = u2 * t31;
    const V t37 = t9 * t32;
    const V t38 = t37 - t25;
    const V t39 = t37 + t38;
    const V t49 = t39 * u5;
    const V t50 = x[0] * u5;
    const V t51 = t39 * x[5];
    const V t52 = u0 * x[5];
    const V t53 = t50 + t52;
    const V t55 = t53 + t53;
    const V t56 = t32 * t55;
    const V t57 = t9 * t55;
    const V t59 = t31 * u6;
    const V t60 = x[2] * u6;
    const V t61 = t31 * x[7];
    const V t62 = u1 * x[7];
    const V t63 = t60 + t62;
    const V t65 = t10 * u6;
    const V t67 = t63 - t65;
    const V t68 = t31 * t57;
    const V t69 = u2 * t57;
    const V t70 = t67 + t69;
    const V t72 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t70);
    const V t73 = t72 / t18;
    const V t74 = t29 * t73;
    const V t76 = splat<V>(S(0.5)) * t73;
    const V t78 = u7 + t76;
    const V t79 = t25 * t78;
    const V t80 = t20 * t78;
    const V t81 = t80 - t53;
    const V t82 = t81 / t19;
    const V t83 = t25 * t82;
    const V t84 = -t83;
    const V t85 = x[3] * t82;
    const V t86 = u4 * t82;
    const V t87 = x[6] + t86;
    const V t89 = x[3] * u8;
    const V t91 = t20 * u8;
    const V t93 = t79 - t89;
    const V t94 = t87 - t91;
    const V t95 = t93 / t19;
    const V t96 = t20 * t95;
    const V t98 = t56 + t95;
    const V t99 = t84 - t96;
    const V t100 = t99 - t74;
    const V t101 = splat<V>(S(0.5)) * t100;
    const V t102 = t101 / t18;
    const V t104 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t102);
    const V t105 = u2 * t104;
    const V t106 = t10 * t104;
    const V t107 = t105 - t59;
    const V t108 = t68 + t106;
    const V t110 = t61 - t108;
    const V t111 = u1 * t104;
    const V t112 = x[2] * t104;
    const V t113 = t59 + t111;
    const V t114 = t110 + t112;
    const V t115 = t9 * t107;
    const V t116 = t98 + t115;
    const V t117 = t115 + t116;
    const V t118 = u0 * t117;
    const V t119 = x[0] * t117;
    const V t120 = t49 + t118;
    const V t121 = t51 + t119;
    y[0] = t120;
    y[1] = splat<V>(S(0.0));
    y[2] = t113;
    y[3] = t94;
    y[4] = t70;
    y[5] = t121;
    y[6] = t114;
    y[7] = t99;
    y[8] = t85;
  }
};

// rmsprop, weight decay: update, forward
template <class S, class V>
struct k_c9565a70b966_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t23 = u5 * t21;
    const V t24 = -t23;
    y[0] = t24;
    y[1] = t16;
  }
};

// rmsprop, weight decay: update, vjp
template <class S, class V>
struct k_c9565a70b966_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t30 = u5 * x[3];
    const V t32 = t30 / t20;
    const V t34 = t21 * t32;
    const V t37 = t34 * splat<V>(S(0.5));
    const V t38 = t37 / t19;
    const V t40 = select_gt(tiny<V>(), t16, splat<V>(S(0.0)), t38);
    const V t41 = x[4] + t40;
    const V t42 = u3 * t41;
    const V t45 = u2 * t41;
    const V t48 = t10 * t42;
    const V t49 = t48 - t32;
    const V t50 = t48 + t49;
    const V t51 = u1 * t50;
    const V t53 = u0 * t50;
    y[0] = t53;
    y[1] = t51;
    y[2] = t45;
  }
};

// rmsprop, weight decay: update, vjps
template <class S, class V>
struct k_c9565a70b966_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t28 = t21 * x[3];
    const V t29 = -t28;
    const V t30 = u5 * x[3];
    const V t32 = t30 / t20;
    const V t34 = t21 * t32;
    const V t37 = t34 * splat<V>(S(0.5));
    const V t38 = t37 / t19;
    const V t40 = select_gt(tiny<V>(), t16, splat<V>(S(0.0)), t38);
    const V t41 = x[4] + t40;
    const V t42 = u3 * t41;
    const V t43 = t11 * t41;
    const V t45 = u2 * t41;
    const V t46 = x[2] * t41;
    const V t47 = t46 - t43;
    const V t48 = t10 * t42;
    const V t49 = t48 - t32;
    const V t50 = t48 + t49;
    const V t51 = u1 * t50;
    const V t52 = x[1] * t50;
    const V t53 = u0 * t50;
    const V t54 = x[0] * t50;
    y[0] = t53;
    y[1] = t51;
    y[2] = t45;
    y[3] = t54;
    y[4] = t52;
    y[5] = t47;
    y[6] = t34;
    y[7] = t29;
  }
};

// rmsprop, weight decay: update, jvp
template <class S, class V>
struct k_c9565a70b966_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t33 = u0 * x[3];
    const V t34 = x[0] * u5;
    const V t35 = t33 + t34;
    const V t36 = u1 * x[4];
    const V t37 = x[1] * u6;
    const V t38 = t36 + t37;
    const V t39 = t35 + t38;
    const V t40 = t10 * t39;
    const V t41 = t40 + t40;
    const V t42 = u2 * x[5];
    const V t43 = x[2] * u7;
    const V t44 = t42 + t43;
    const V t46 = u3 * t41;
    const V t47 = t11 * u7;
    const V t49 = t46 - t47;
    const V t50 = t44 + t49;
    const V t51 = select_gt(tiny<V>(), t16, splat<V>(S(0.0)), t50);
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t19;
    const V t55 = u8 + t54;
    const V t56 = t21 * t55;
    const V t57 = t39 - t56;
    const V t58 = t57 / t20;
    const V t59 = t21 * u9;
    const V t60 = u10 * t58;
    const V t61 = t59 + t60;
    const V t62 = -t61;
    y[0] = t62;
    y[1] = t50;
  }
};

// rmsprop, weight decay: update, vjp_vjp
template <class S, class V>
struct k_c9565a70b966_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t25 = u5 * x[3];
    const V t26 = t25 / t22;
    const V t27 = t23 * t26;
    const V t29 = t27 * splat<V>(S(0.5));
    const V t30 = t29 / t21;
    const V t31 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t30);
    const V t32 = x[4] + t31;
    const V t33 = u3 * t32;
    const V t44 = u0 * x[5];
    const V t46 = u1 * x[6];
    const V t47 = t44 + t46;
    const V t49 = t47 + t47;
    const V t50 = t33 * t49;
    const V t51 = t12 * t49;
    const V t53 = u2 * x[7];
    const V t55 = u3 * t51;
    const V t56 = t53 + t55;
    const V t58 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t56);
    const V t59 = t58 / t21;
    const V t60 = t30 * t59;
    const V t62 = splat<V>(S(0.5)) * t59;
    const V t64 = t26 * t62;
    const V t65 = t23 * t62;
    const V t66 = t65 - t47;
    const V t67 = t66 / t22;
    const V t68 = t26 * t67;
    const V t69 = -t68;
    const V t71 = u5 * t67;
    const V t72 = t64 / t22;
    const V t73 = t23 * t72;
    const V t75 = t50 + t72;
    const V t76 = t69 - t73;
    const V t77 = t76 - t60;
    const V t78 = splat<V>(S(0.5)) * t77;
    const V t79 = t78 / t21;
    const V t81 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t79);
    const V t82 = u3 * t81;
    const V t87 = u2 * t81;
    const V t90 = t12 * t82;
    const V t91 = t75 + t90;
    const V t92 = t90 + t91;
    const V t93 = u1 * t92;
    const V t96 = u0 * t92;
    y[0] = t96;
    y[1] = t93;
    y[2] = t87;
    y[3] = t71;
    y[4] = t56;
  }
};

// rmsprop, weight decay: update, vjps_vjps
template <class S, class V>
struct k_c9565a70b966_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t27 = u5 * x[3];
    const V t28 = t27 / t22;
    const V t29 = t23 * t28;
    const V t31 = t29 * splat<V>(S(0.5));
    const V t32 = t31 / t21;
    const V t33 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t32);
    const V t34 = x[4] + t33;
    const V t35 = u3 * t34;
    const V t40 = t12 * t35;
    const V t41 = t40 - t28;
    const V t42 = t40 + t41;
    const V t55 = t42 * u6;
    const V t56 = x[0] * u6;
    const V t57 = t42 * x[5];
    const V t58 = u0 * x[5];
    const V t59 = t56 + t58;
    const V t60 = t42 * u7;
    const V t61 = x[1] * u7;
    const V t62 = t59 + t61;
    const V t63 = t42 * x[6];
    const V t64 = u1 * x[6];
    const V t65 = t62 + t64;
    const V t67 = t65 + t65;
    const V t68 = t35 * t67;
    const V t69 = t12 * t67;
    const V t71 = t34 * u8;
    const V t72 = x[2] * u8;
    const V t73 = t34 * x[7];
    const V t74 = u2 * x[7];
    const V t75 = t72 + t74;
    const V t77 = t13 * u8;
    const V t79 = t75 - t77;
    const V t80 = t34 * t69;
    const V t81 = u3 * t69;
    const V t82 = t79 + t81;
    const V t84 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t82);
    const V t85 = t84 / t21;
    const V t86 = t32 * t85;
    const V t88 = splat<V>(S(0.5)) * t85;
    const V t90 = u9 + t88;
    const V t91 = t28 * t90;
    const V t92 = t23 * t90;
    const V t93 = t92 - t65;
    const V t94 = t93 / t22;
    const V t95 = t28 * t94;
    const V t96 = -t95;
    const V t97 = x[3] * t94;
    const V t98 = u5 * t94;
    const V t100 = x[3] * u10;
    const V t102 = t23 * u10;
    const V t104 = t91 - t100;
    const V t105 = t98 - t102;
    const V t106 = t104 / t22;
    const V t107 = t23 * t106;
    const V t109 = t68 + t106;
    const V t110 = t96 - t107;
    const V t111 = t110 - t86;
    const V t112 = splat<V>(S(0.5)) * t111;
    const V t113 = t112 / t21;
    const V t115 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t113);
    const V t116 = u3 * t115;
    const V t117 = t13 * t115;
    const V t118 = t116 - t71;
    const V t119 = t80 + t117;
    const V t121 = t73 - t119;
    const V t122 = u2 * t115;
    const V t123 = x[2] * t115;
    const V t124 = t71 + t122;
    const V t125 = t121 + t123;
    const V t126 = t12 * t118;
    const V t127 = t109 + t126;
    const V t128 = t126 + t127;
    const V t129 = u1 * t128;
    const V t130 = x[1] * t128;
    const V t131 = t60 + t129;
    const V t132 = t63 + t130;
    const V t133 = u0 * t128;
    const V t134 = x[0] * t128;
    const V t135 = t55 + t133;
    const V t136 = t57 + t134;
    y[0] = t135;
    y[1] = t131;
    y[2] = t124;
    y[3] = t105;
    y[4] = t82;
    y[5] = t136;
    y[6] = t132;
    y[7] = t125;
    y[8] = t110;
    y[9] = t97;
  }
};

// rmsprop, weight decay: parameters, forward
template <class S, class V>
struct k_e82250393d0d_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t23 = u5 * t21;
    const V t25 = x[1] - t23;
    y[0] = t25;
    y[1] = t16;
  }
};

// rmsprop, weight decay: parameters, vjp
template <class S, class V>
struct k_e82250393d0d_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t30 = u5 * x[3];
    const V t32 = t30 / t20;
    const V t34 = t21 * t32;
    const V t37 = t34 * splat<V>(S(0.5));
    const V t38 = t37 / t19;
    const V t40 = select_gt(tiny<V>(), t16, splat<V>(S(0.0)), t38);
    const V t41 = x[4] + t40;
    const V t42 = u3 * t41;
    const V t45 = u2 * t41;
    const V t48 = t10 * t42;
    const V t49 = t48 - t32;
    const V t50 = t48 + t49;
    const V t51 = u1 * t50;
    const V t53 = x[3] + t51;
    const V t54 = u0 * t50;
    y[0] = t54;
    y[1] = t53;
    y[2] = t45;
  }
};

// rmsprop, weight decay: parameters, vjps
template <class S, class V>
struct k_e82250393d0d_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t28 = t21 * x[3];
    const V t29 = -t28;
    const V t30 = u5 * x[3];
    const V t32 = t30 / t20;
    const V t34 = t21 * t32;
    const V t37 = t34 * splat<V>(S(0.5));
    const V t38 = t37 / t19;
    const V t40 = select_gt(tiny<V>(), t16, splat<V>(S(0.0)), t38);
    const V t41 = x[4] + t40;
    const V t42 = u3 * t41;
    const V t43 = t11 * t41;
    const V t45 = u2 * t41;
    const V t46 = x[2] * t41;
    const V t47 = t46 - t43;
    const V t48 = t10 * t42;
    const V t49 = t48 - t32;
    const V t50 = t48 + t49;
    const V t51 = u1 * t50;
    const V t52 = x[1] * t50;
    const V t53 = x[3] + t51;
    const V t54 = u0 * t50;
    const V t55 = x[0] * t50;
    y[0] = t54;
    y[1] = t53;
    y[2] = t45;
    y[3] = t55;
    y[4] = t52;
    y[5] = t47;
    y[6] = t34;
    y[7] = t29;
  }
};

// rmsprop, weight decay: parameters, jvp
template <class S, class V>
struct k_e82250393d0d_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t8 = x[0] * u0;
    const V t9 = x[1] * u1;
    const V t10 = t8 + t9;
    const V t11 = t10 * t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t18 = select_gt(tiny<V>(), t16, tiny<V>(), t16);
    const V t19 = sqrt_(t18);
    const V t20 = u4 + t19;
    const V t21 = t10 / t20;
    const V t33 = u0 * x[3];
    const V t34 = x[0] * u5;
    const V t35 = t33 + t34;
    const V t36 = u1 * x[4];
    const V t37 = x[1] * u6;
    const V t38 = t36 + t37;
    const V t39 = t35 + t38;
    const V t40 = t10 * t39;
    const V t41 = t40 + t40;
    const V t42 = u2 * x[5];
    const V t43 = x[2] * u7;
    const V t44 = t42 + t43;
    const V t46 = u3 * t41;
    const V t47 = t11 * u7;
    const V t49 = t46 - t47;
    const V t50 = t44 + t49;
    const V t51 = select_gt(tiny<V>(), t16, splat<V>(S(0.0)), t50);
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t19;
    const V t55 = u8 + t54;
    const V t56 = t21 * t55;
    const V t57 = t39 - t56;
    const V t58 = t57 / t20;
    const V t59 = t21 * u9;
    const V t60 = u10 * t58;
    const V t61 = t59 + t60;
    const V t62 = x[4] - t61;
    y[0] = t62;
    y[1] = t50;
  }
};

// rmsprop, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_e82250393d0d_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t25 = u5 * x[3];
    const V t26 = t25 / t22;
    const V t27 = t23 * t26;
    const V t29 = t27 * splat<V>(S(0.5));
    const V t30 = t29 / t21;
    const V t31 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t30);
    const V t32 = x[4] + t31;
    const V t33 = u3 * t32;
    const V t45 = u0 * x[5];
    const V t47 = u1 * x[6];
    const V t48 = t45 + t47;
    const V t50 = t48 + t48;
    const V t51 = t33 * t50;
    const V t52 = t12 * t50;
    const V t54 = u2 * x[7];
    const V t56 = u3 * t52;
    const V t57 = t54 + t56;
    const V t59 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t57);
    const V t60 = t59 / t21;
    const V t61 = t30 * t60;
    const V t63 = splat<V>(S(0.5)) * t60;
    const V t65 = t26 * t63;
    const V t66 = t23 * t63;
    const V t67 = t66 - t48;
    const V t68 = t67 / t22;
    const V t69 = t26 * t68;
    const V t70 = -t69;
    const V t72 = u5 * t68;
    const V t73 = x[6] + t72;
    const V t74 = t65 / t22;
    const V t75 = t23 * t74;
    const V t77 = t51 + t74;
    const V t78 = t70 - t75;
    const V t79 = t78 - t61;
    const V t80 = splat<V>(S(0.5)) * t79;
    const V t81 = t80 / t21;
    const V t83 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t81);
    const V t84 = u3 * t83;
    const V t89 = u2 * t83;
    const V t92 = t12 * t84;
    const V t93 = t77 + t92;
    const V t94 = t92 + t93;
    const V t95 = u1 * t94;
    const V t98 = u0 * t94;
    y[0] = t98;
    y[1] = t95;
    y[2] = t89;
    y[3] = t73;
    y[4] = t57;
  }
};

// rmsprop, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_e82250393d0d_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t27 = u5 * x[3];
    const V t28 = t27 / t22;
    const V t29 = t23 * t28;
    const V t31 = t29 * splat<V>(S(0.5));
    const V t32 = t31 / t21;
    const V t33 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t32);
    const V t34 = x[4] + t33;
    const V t35 = u3 * t34;
    const V t40 = t12 * t35;
    const V t41 = t40 - t28;
    const V t42 = t40 + t41;
    const V t56 = t42 * u6;
    const V t57 = x[0] * u6;
    const V t58 = t42 * x[5];
    const V t59 = u0 * x[5];
    const V t60 = t57 + t59;
    const V t61 = t42 * u7;
    const V t62 = x[1] * u7;
    const V t63 = t60 + t62;
    const V t64 = t42 * x[6];
    const V t65 = u1 * x[6];
    const V t66 = t63 + t65;
    const V t68 = t66 + t66;
    const V t69 = t35 * t68;
    const V t70 = t12 * t68;
    const V t72 = t34 * u8;
    const V t73 = x[2] * u8;
    const V t74 = t34 * x[7];
    const V t75 = u2 * x[7];
    const V t76 = t73 + t75;
    const V t78 = t13 * u8;
    const V t80 = t76 - t78;
    const V t81 = t34 * t70;
    const V t82 = u3 * t70;
    const V t83 = t80 + t82;
    const V t85 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t83);
    const V t86 = t85 / t21;
    const V t87 = t32 * t86;
    const V t89 = splat<V>(S(0.5)) * t86;
    const V t91 = u9 + t89;
    const V t92 = t28 * t91;
    const V t93 = t23 * t91;
    const V t94 = t93 - t66;
    const V t95 = t94 / t22;
    const V t96 = t28 * t95;
    const V t97 = -t96;
    const V t98 = x[3] * t95;
    const V t99 = u5 * t95;
    const V t100 = x[6] + t99;
    const V t102 = x[3] * u10;
    const V t104 = t23 * u10;
    const V t106 = t92 - t102;
    const V t107 = t100 - t104;
    const V t108 = t106 / t22;
    const V t109 = t23 * t108;
    const V t111 = t69 + t108;
    const V t112 = t97 - t109;
    const V t113 = t112 - t87;
    const V t114 = splat<V>(S(0.5)) * t113;
    const V t115 = t114 / t21;
    const V t117 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t115);
    const V t118 = u3 * t117;
    const V t119 = t13 * t117;
    const V t120 = t118 - t72;
    const V t121 = t81 + t119;
    const V t123 = t74 - t121;
    const V t124 = u2 * t117;
    const V t125 = x[2] * t117;
    const V t126 = t72 + t124;
    const V t127 = t123 + t125;
    const V t128 = t12 * t120;
    const V t129 = t111 + t128;
    const V t130 = t128 + t129;
    const V t131 = u1 * t130;
    const V t132 = x[1] * t130;
    const V t133 = t61 + t131;
    const V t134 = t64 + t132;
    const V t135 = u0 * t130;
    const V t136 = x[0] * t130;
    const V t137 = t56 + t135;
    const V t138 = t58 + t136;
    y[0] = t137;
    y[1] = t133;
    y[2] = t126;
    y[3] = t107;
    y[4] = t83;
    y[5] = t138;
    y[6] = t134;
    y[7] = t127;
    y[8] = t112;
    y[9] = t98;
  }
};

// rmsprop, momentum: update, forward
template <class S, class V>
struct k_e9062becbae0_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t20 = x[2] * u4;
    const V t21 = t19 + t20;
    const V t23 = u5 * t21;
    const V t24 = -t23;
    y[0] = t24;
    y[1] = t14;
    y[2] = t21;
  }
};

// rmsprop, momentum: update, vjp
template <class S, class V>
struct k_e9062becbae0_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t31 = u4 * x[3];
    const V t33 = x[5] - t31;
    const V t34 = u5 * t33;
    const V t36 = t33 / t18;
    const V t37 = t19 * t36;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t42 = t40 / t17;
    const V t43 = -t42;
    const V t45 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t43);
    const V t46 = x[4] + t45;
    const V t47 = u2 * t46;
    const V t50 = u1 * t46;
    const V t53 = t8 * t47;
    const V t54 = t36 + t53;
    const V t55 = t53 + t54;
    const V t56 = u0 * t55;
    y[0] = t56;
    y[1] = t50;
    y[2] = t34;
  }
};

// rmsprop, momentum: update, vjps
template <class S, class V>
struct k_e9062becbae0_vjps {
  static constexpr int inputs = 6, outputs = 3, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t20 = x[2] * u4;
    const V t21 = t19 + t20;
    const V t29 = t21 * x[3];
    const V t30 = -t29;
    const V t31 = u5 * x[3];
    const V t33 = x[5] - t31;
    const V t34 = u4 * t33;
    const V t35 = x[2] * t33;
    const V t36 = t33 / t18;
    const V t37 = t19 * t36;
    const V t38 = -t37;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t42 = t40 / t17;
    const V t43 = -t42;
    const V t45 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t43);
    const V t46 = x[4] + t45;
    const V t47 = u2 * t46;
    const V t48 = t9 * t46;
    const V t50 = u1 * t46;
    const V t51 = x[1] * t46;
    const V t52 = t51 - t48;
    const V t53 = t8 * t47;
    const V t54 = t36 + t53;
    const V t55 = t53 + t54;
    const V t56 = u0 * t55;
    const V t57 = x[0] * t55;
    y[0] = t56;
    y[1] = t50;
    y[2] = t34;
    y[3] = t57;
    y[4] = t52;
    y[5] = t38;
    y[6] = t35;
    y[7] = t30;
  }
};

// rmsprop, momentum: update, jvp
template <class S, class V>
struct k_e9062becbae0_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t20 = x[2] * u4;
    const V t21 = t19 + t20;
    const V t33 = u0 * x[3];
    const V t34 = x[0] * u5;
    const V t35 = t33 + t34;
    const V t36 = t8 * t35;
    const V t37 = t36 + t36;
    const V t38 = u1 * x[4];
    const V t39 = x[1] * u6;
    const V t40 = t38 + t39;
    const V t42 = u2 * t37;
    const V t43 = t9 * u6;
    const V t45 = t42 - t43;
    const V t46 = t40 + t45;
    const V t47 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t46);
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t17;
    const V t51 = u7 + t50;
    const V t52 = t19 * t51;
    const V t53 = t35 - t52;
    const V t54 = t53 / t18;
    const V t55 = u4 * x[5];
    const V t56 = x[2] * u8;
    const V t57 = t55 + t56;
    const V t58 = t54 + t57;
    const V t59 = t21 * u9;
    const V t60 = u10 * t58;
    const V t61 = t59 + t60;
    const V t62 = -t61;
    y[0] = t62;
    y[1] = t46;
    y[2] = t58;
  }
};

// rmsprop, momentum: update, vjp_vjp
template <class S, class V>
struct k_e9062becbae0_vjp_vjp {
  static constexpr int inputs = 9, outputs = 6, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t11 = x[0] * u0;
    const V t12 = t11 * t11;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t19 = select_gt(tiny<V>(), t17, tiny<V>(), t17);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t11 / t21;
    const V t24 = u4 * x[3];
    const V t25 = x[5] - t24;
    const V t27 = t25 / t21;
    const V t28 = t22 * t27;
    const V t30 = t28 * splat<V>(S(0.5));
    const V t31 = t30 / t20;
    const V t32 = -t31;
    const V t33 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t32);
    const V t34 = x[4] + t33;
    const V t35 = u2 * t34;
    const V t45 = u0 * x[6];
    const V t46 = t45 + t45;
    const V t47 = t35 * t46;
    const V t48 = t11 * t46;
    const V t50 = u1 * x[7];
    const V t52 = u2 * t48;
    const V t53 = t50 + t52;
    const V t55 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t53);
    const V t57 = t55 / t20;
    const V t59 = t31 * t57;
    const V t61 = splat<V>(S(0.5)) * t57;
    const V t65 = t27 * t61;
    const V t67 = t22 * t61;
    const V t69 = t45 - t67;
    const V t70 = t69 / t21;
    const V t71 = t27 * t70;
    const V t74 = u5 * x[8];
    const V t75 = t70 + t74;
    const V t79 = u4 * t75;
    const V t80 = -t79;
    const V t81 = t65 / t21;
    const V t83 = t22 * t81;
    const V t85 = t47 - t81;
    const V t86 = t83 - t71;
    const V t87 = t59 + t86;
    const V t88 = splat<V>(S(0.5)) * t87;
    const V t89 = t88 / t20;
    const V t91 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t89);
    const V t92 = u2 * t91;
    const V t97 = u1 * t91;
    const V t100 = t11 * t92;
    const V t101 = t85 + t100;
    const V t102 = t100 + t101;
    const V t103 = u0 * t102;
    y[0] = t103;
    y[1] = t97;
    y[2] = splat<V>(S(0.0));
    y[3] = t80;
    y[4] = t53;
    y[5] = t75;
  }
};

// rmsprop, momentum: update, vjps_vjps
template <class S, class V>
struct k_e9062becbae0_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t11 = x[0] * u0;
    const V t12 = t11 * t11;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t19 = select_gt(tiny<V>(), t17, tiny<V>(), t17);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t11 / t21;
    const V t23 = x[2] * u4;
    const V t24 = t22 + t23;
    const V t28 = u5 * x[3];
    const V t29 = x[5] - t28;
    const V t32 = t29 / t21;
    const V t33 = t22 * t32;
    const V t36 = t33 * splat<V>(S(0.5));
    const V t37 = t36 / t20;
    const V t38 = -t37;
    const V t39 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t38);
    const V t40 = x[4] + t39;
    const V t41 = u2 * t40;
    const V t46 = t11 * t41;
    const V t47 = t32 + t46;
    const V t48 = t46 + t47;
    const V t59 = t48 * u6;
    const V t60 = x[0] * u6;
    const V t61 = t48 * x[6];
    const V t62 = u0 * x[6];
    const V t63 = t60 + t62;
    const V t64 = t63 + t63;
    const V t65 = t41 * t64;
    const V t66 = t11 * t64;
    const V t68 = t40 * u7;
    const V t69 = x[1] * u7;
    const V t70 = t40 * x[7];
    const V t71 = u1 * x[7];
    const V t72 = t69 + t71;
    const V t74 = t12 * u7;
    const V t76 = t72 - t74;
    const V t77 = t40 * t66;
    const V t78 = u2 * t66;
    const V t79 = t76 + t78;
    const V t81 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t79);
    const V t83 = t81 / t20;
    const V t85 = t37 * t83;
    const V t87 = splat<V>(S(0.5)) * t83;
    const V t88 = -t87;
    const V t92 = t88 - u8;
    const V t93 = t32 * t92;
    const V t94 = t22 * t92;
    const V t95 = t63 + t94;
    const V t96 = t95 / t21;
    const V t97 = t32 * t96;
    const V t98 = -t97;
    const V t99 = t29 * u9;
    const V t100 = x[2] * u9;
    const V t101 = t96 + t100;
    const V t102 = t29 * x[8];
    const V t103 = u4 * x[8];
    const V t104 = t101 + t103;
    const V t106 = x[3] * t104;
    const V t107 = -t106;
    const V t108 = u5 * t104;
    const V t109 = -t108;
    const V t111 = x[3] * u10;
    const V t113 = t24 * u10;
    const V t115 = t109 - t113;
    const V t116 = t93 - t111;
    const V t117 = u4 * t111;
    const V t119 = x[2] * t111;
    const V t121 = t99 - t117;
    const V t122 = t102 - t119;
    const V t123 = t116 / t21;
    const V t124 = t22 * t123;
    const V t126 = t65 + t123;
    const V t127 = t98 - t124;
    const V t128 = t85 + t127;
    const V t129 = splat<V>(S(0.5)) * t128;
    const V t130 = t129 / t20;
    const V t132 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t130);
    const V t133 = u2 * t132;
    const V t134 = t12 * t132;
    const V t135 = t133 - t68;
    const V t136 = t77 + t134;
    const V t138 = t70 - t136;
    const V t139 = u1 * t132;
    const V t140 = x[1] * t132;
    const V t141 = t68 + t139;
    const V t142 = t138 + t140;
    const V t143 = t11 * t135;
    const V t144 = t126 + t143;
    const V t145 = t143 + t144;
    const V t146 = u0 * t145;
    const V t147 = x[0] * t145;
    const V t148 = t59 + t146;
    const V t149 = t61 + t147;
    y[0] = t148;
    y[1] = t141;
    y[2] = t121;
    y[3] = t115;
    y[4] = t79;
    y[5] = t104;
    y[6] = t149;
    y[7] = t142;
    y[8] = t127;
    y[9] = t122;
    y[10] = t107;
  }
};

// rmsprop, momentum: parameters, forward
template <class S, class V>
struct k_26785e69bb0a_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t21 = x[3] * u4;
    const V t22 = t20 + t21;
    const V t24 = u5 * t22;
    const V t26 = x[1] - t24;
    y[0] = t26;
    y[1] = t15;
    y[2] = t22;
  }
};

// rmsprop, momentum: parameters, vjp
template <class S, class V>
struct k_26785e69bb0a_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t32 = u4 * x[4];
    const V t34 = x[6] - t32;
    const V t35 = u5 * t34;
    const V t37 = t34 / t19;
    const V t38 = t20 * t37;
    const V t41 = t38 * splat<V>(S(0.5));
    const V t43 = t41 / t18;
    const V t44 = -t43;
    const V t46 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t44);
    const V t47 = x[5] + t46;
    const V t48 = u2 * t47;
    const V t51 = u1 * t47;
    const V t54 = t9 * t48;
    const V t55 = t37 + t54;
    const V t56 = t54 + t55;
    const V t57 = u0 * t56;
    y[0] = t57;
    y[1] = x[4];
    y[2] = t51;
    y[3] = t35;
  }
};

// rmsprop, momentum: parameters, vjps
template <class S, class V>
struct k_26785e69bb0a_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t21 = x[3] * u4;
    const V t22 = t20 + t21;
    const V t30 = t22 * x[4];
    const V t31 = -t30;
    const V t32 = u5 * x[4];
    const V t34 = x[6] - t32;
    const V t35 = u4 * t34;
    const V t36 = x[3] * t34;
    const V t37 = t34 / t19;
    const V t38 = t20 * t37;
    const V t39 = -t38;
    const V t41 = t38 * splat<V>(S(0.5));
    const V t43 = t41 / t18;
    const V t44 = -t43;
    const V t46 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t44);
    const V t47 = x[5] + t46;
    const V t48 = u2 * t47;
    const V t49 = t10 * t47;
    const V t51 = u1 * t47;
    const V t52 = x[2] * t47;
    const V t53 = t52 - t49;
    const V t54 = t9 * t48;
    const V t55 = t37 + t54;
    const V t56 = t54 + t55;
    const V t57 = u0 * t56;
    const V t58 = x[0] * t56;
    y[0] = t57;
    y[1] = x[4];
    y[2] = t51;
    y[3] = t35;
    y[4] = t58;
    y[5] = t53;
    y[6] = t39;
    y[7] = t36;
    y[8] = t31;
  }
};

// rmsprop, momentum: parameters, jvp
template <class S, class V>
struct k_26785e69bb0a_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t21 = x[3] * u4;
    const V t22 = t20 + t21;
    const V t35 = u0 * x[4];
    const V t36 = x[0] * u5;
    const V t37 = t35 + t36;
    const V t38 = t9 * t37;
    const V t39 = t38 + t38;
    const V t40 = u1 * x[6];
    const V t41 = x[2] * u6;
    const V t42 = t40 + t41;
    const V t44 = u2 * t39;
    const V t45 = t10 * u6;
    const V t47 = t44 - t45;
    const V t48 = t42 + t47;
    const V t49 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t48);
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t18;
    const V t53 = u7 + t52;
    const V t54 = t20 * t53;
    const V t55 = t37 - t54;
    const V t56 = t55 / t19;
    const V t57 = u4 * x[7];
    const V t58 = x[3] * u8;
    const V t59 = t57 + t58;
    const V t60 = t56 + t59;
    const V t61 = t22 * u9;
    const V t62 = u10 * t60;
    const V t63 = t61 + t62;
    const V t64 = x[5] - t63;
    y[0] = t64;
    y[1] = t48;
    y[2] = t60;
  }
};

// rmsprop, momentum: parameters, vjp_vjp
template <class S, class V>
struct k_26785e69bb0a_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t12 = x[0] * u0;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t21;
    const V t23 = t12 / t22;
    const V t25 = u4 * x[4];
    const V t26 = x[6] - t25;
    const V t28 = t26 / t22;
    const V t29 = t23 * t28;
    const V t31 = t29 * splat<V>(S(0.5));
    const V t32 = t31 / t21;
    const V t33 = -t32;
    const V t34 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t33);
    const V t35 = x[5] + t34;
    const V t36 = u2 * t35;
    const V t47 = u0 * x[7];
    const V t48 = t47 + t47;
    const V t49 = t36 * t48;
    const V t50 = t12 * t48;
    const V t52 = u1 * x[9];
    const V t54 = u2 * t50;
    const V t55 = t52 + t54;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t55);
    const V t59 = t57 / t21;
    const V t61 = t32 * t59;
    const V t63 = splat<V>(S(0.5)) * t59;
    const V t67 = t28 * t63;
    const V t69 = t23 * t63;
    const V t71 = t47 - t69;
    const V t72 = t71 / t22;
    const V t73 = t28 * t72;
    const V t76 = u5 * x[10];
    const V t77 = t72 + t76;
    const V t81 = u4 * t77;
    const V t83 = x[8] - t81;
    const V t84 = t67 / t22;
    const V t86 = t23 * t84;
    const V t88 = t49 - t84;
    const V t89 = t86 - t73;
    const V t90 = t61 + t89;
    const V t91 = splat<V>(S(0.5)) * t90;
    const V t92 = t91 / t21;
    const V t94 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t92);
    const V t95 = u2 * t94;
    const V t100 = u1 * t94;
    const V t103 = t12 * t95;
    const V t104 = t88 + t103;
    const V t105 = t103 + t104;
    const V t106 = u0 * t105;
    y[0] = t106;
    y[1] = splat<V>(S(0.0));
    y[2] = t100;
    y[3] = splat<V>(S(0.0));
    y[4] = t83;
    y[5] = t55;
    y[6] = t77;
  }
};

// rmsprop, momentum: parameters, vjps_vjps
template <class S, class V>
struct k_26785e69bb0a_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t12 = x[0] * u0;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u4;
    const V t25 = t23 + t24;
    const V t29 = u5 * x[4];
    const V t30 = x[6] - t29;
    const V t33 = t30 / t22;
    const V t34 = t23 * t33;
    const V t37 = t34 * splat<V>(S(0.5));
    const V t38 = t37 / t21;
    const V t39 = -t38;
    const V t40 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t39);
    const V t41 = x[5] + t40;
    const V t42 = u2 * t41;
    const V t47 = t12 * t42;
    const V t48 = t33 + t47;
    const V t49 = t47 + t48;
    const V t61 = t49 * u6;
    const V t62 = x[0] * u6;
    const V t63 = t49 * x[7];
    const V t64 = u0 * x[7];
    const V t65 = t62 + t64;
    const V t66 = t65 + t65;
    const V t67 = t42 * t66;
    const V t68 = t12 * t66;
    const V t70 = t41 * u7;
    const V t71 = x[2] * u7;
    const V t72 = t41 * x[9];
    const V t73 = u1 * x[9];
    const V t74 = t71 + t73;
    const V t76 = t13 * u7;
    const V t78 = t74 - t76;
    const V t79 = t41 * t68;
    const V t80 = u2 * t68;
    const V t81 = t78 + t80;
    const V t83 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t81);
    const V t85 = t83 / t21;
    const V t87 = t38 * t85;
    const V t89 = splat<V>(S(0.5)) * t85;
    const V t90 = -t89;
    const V t94 = t90 - u8;
    const V t95 = t33 * t94;
    const V t96 = t23 * t94;
    const V t97 = t65 + t96;
    const V t98 = t97 / t22;
    const V t99 = t33 * t98;
    const V t100 = -t99;
    const V t101 = t30 * u9;
    const V t102 = x[3] * u9;
    const V t103 = t98 + t102;
    const V t104 = t30 * x[10];
    const V t105 = u4 * x[10];
    const V t106 = t103 + t105;
    const V t108 = x[4] * t106;
    const V t109 = -t108;
    const V t110 = u5 * t106;
    const V t112 = x[8] - t110;
    const V t114 = x[4] * u10;
    const V t116 = t25 * u10;
    const V t118 = t112 - t116;
    const V t119 = t95 - t114;
    const V t120 = u4 * t114;
    const V t122 = x[3] * t114;
    const V t124 = t101 - t120;
    const V t125 = t104 - t122;
    const V t126 = t119 / t22;
    const V t127 = t23 * t126;
    const V t129 = t67 + t126;
    const V t130 = t100 - t127;
    const V t131 = t87 + t130;
    const V t132 = splat<V>(S(0.5)) * t131;
    const V t133 = t132 / t21;
    const V t135 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t133);
    const V t136 = u2 * t135;
    const V t137 = t13 * t135;
    const V t138 = t136 - t70;
    const V t139 = t79 + t137;
    const V t141 = t72 - t139;
    const V t142 = u1 * t135;
    const V t143 = x[2] * t135;
    const V t144 = t70 + t142;
    const V t145 = t141 + t143;
    const V t146 = t12 * t138;
    const V t147 = t129 + t146;
    const V t148 = t146 + t147;
    const V t149 = u0 * t148;
    const V t150 = x[0] * t148;
    const V t151 = t61 + t149;
    const V t152 = t63 + t150;
    y[0] = t151;
    y[1] = splat<V>(S(0.0));
    y[2] = t144;
    y[3] = t124;
    y[4] = t118;
    y[5] = t81;
    y[6] = t106;
    y[7] = t152;
    y[8] = t145;
    y[9] = t130;
    y[10] = t125;
    y[11] = t109;
  }
};

// rmsprop, momentum, weight decay: update, forward
template <class S, class V>
struct k_9bb740909167_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t27 = u6 * t25;
    const V t28 = -t27;
    y[0] = t28;
    y[1] = t18;
    y[2] = t25;
  }
};

// rmsprop, momentum, weight decay: update, vjp
template <class S, class V>
struct k_9bb740909167_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t35 = u5 * x[4];
    const V t37 = x[6] - t35;
    const V t38 = u6 * t37;
    const V t40 = t37 / t22;
    const V t41 = t23 * t40;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t46 = t44 / t21;
    const V t47 = -t46;
    const V t49 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t47);
    const V t50 = x[5] + t49;
    const V t51 = u3 * t50;
    const V t54 = u2 * t50;
    const V t57 = t12 * t51;
    const V t58 = t40 + t57;
    const V t59 = t57 + t58;
    const V t60 = u1 * t59;
    const V t62 = u0 * t59;
    y[0] = t62;
    y[1] = t60;
    y[2] = t54;
    y[3] = t38;
  }
};

// rmsprop, momentum, weight decay: update, vjps
template <class S, class V>
struct k_9bb740909167_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t33 = t25 * x[4];
    const V t34 = -t33;
    const V t35 = u6 * x[4];
    const V t37 = x[6] - t35;
    const V t38 = u5 * t37;
    const V t39 = x[3] * t37;
    const V t40 = t37 / t22;
    const V t41 = t23 * t40;
    const V t42 = -t41;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t46 = t44 / t21;
    const V t47 = -t46;
    const V t49 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t47);
    const V t50 = x[5] + t49;
    const V t51 = u3 * t50;
    const V t52 = t13 * t50;
    const V t54 = u2 * t50;
    const V t55 = x[2] * t50;
    const V t56 = t55 - t52;
    const V t57 = t12 * t51;
    const V t58 = t40 + t57;
    const V t59 = t57 + t58;
    const V t60 = u1 * t59;
    const V t61 = x[1] * t59;
    const V t62 = u0 * t59;
    const V t63 = x[0] * t59;
    y[0] = t62;
    y[1] = t60;
    y[2] = t54;
    y[3] = t38;
    y[4] = t63;
    y[5] = t61;
    y[6] = t56;
    y[7] = t42;
    y[8] = t39;
    y[9] = t34;
  }
};

// rmsprop, momentum, weight decay: update, jvp
template <class S, class V>
struct k_9bb740909167_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t39 = u0 * x[4];
    const V t40 = x[0] * u6;
    const V t41 = t39 + t40;
    const V t42 = u1 * x[5];
    const V t43 = x[1] * u7;
    const V t44 = t42 + t43;
    const V t45 = t41 + t44;
    const V t46 = t12 * t45;
    const V t47 = t46 + t46;
    const V t48 = u2 * x[6];
    const V t49 = x[2] * u8;
    const V t50 = t48 + t49;
    const V t52 = u3 * t47;
    const V t53 = t13 * u8;
    const V t55 = t52 - t53;
    const V t56 = t50 + t55;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t56);
    const V t59 = t57 * splat<V>(S(0.5));
    const V t60 = t59 / t21;
    const V t61 = u9 + t60;
    const V t62 = t23 * t61;
    const V t63 = t45 - t62;
    const V t64 = t63 / t22;
    const V t65 = u5 * x[7];
    const V t66 = x[3] * u10;
    const V t67 = t65 + t66;
    const V t68 = t64 + t67;
    const V t69 = t25 * u11;
    const V t70 = u12 * t68;
    const V t71 = t69 + t70;
    const V t72 = -t71;
    y[0] = t72;
    y[1] = t56;
    y[2] = t68;
  }
};

// rmsprop, momentum, weight decay: update, vjp_vjp
template <class S, class V>
struct k_9bb740909167_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t28 = u5 * x[4];
    const V t29 = x[6] - t28;
    const V t31 = t29 / t25;
    const V t32 = t26 * t31;
    const V t34 = t32 * splat<V>(S(0.5));
    const V t35 = t34 / t24;
    const V t36 = -t35;
    const V t37 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t36);
    const V t38 = x[5] + t37;
    const V t39 = u3 * t38;
    const V t51 = u0 * x[7];
    const V t53 = u1 * x[8];
    const V t54 = t51 + t53;
    const V t55 = t54 + t54;
    const V t56 = t39 * t55;
    const V t57 = t15 * t55;
    const V t59 = u2 * x[9];
    const V t61 = u3 * t57;
    const V t62 = t59 + t61;
    const V t64 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t62);
    const V t66 = t64 / t24;
    const V t68 = t35 * t66;
    const V t70 = splat<V>(S(0.5)) * t66;
    const V t74 = t31 * t70;
    const V t76 = t26 * t70;
    const V t78 = t54 - t76;
    const V t79 = t78 / t25;
    const V t80 = t31 * t79;
    const V t83 = u6 * x[10];
    const V t84 = t79 + t83;
    const V t88 = u5 * t84;
    const V t89 = -t88;
    const V t90 = t74 / t25;
    const V t92 = t26 * t90;
    const V t94 = t56 - t90;
    const V t95 = t92 - t80;
    const V t96 = t68 + t95;
    const V t97 = splat<V>(S(0.5)) * t96;
    const V t98 = t97 / t24;
    const V t100 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t98);
    const V t101 = u3 * t100;
    const V t106 = u2 * t100;
    const V t109 = t15 * t101;
    const V t110 = t94 + t109;
    const V t111 = t109 + t110;
    const V t112 = u1 * t111;
    const V t115 = u0 * t111;
    y[0] = t115;
    y[1] = t112;
    y[2] = t106;
    y[3] = splat<V>(S(0.0));
    y[4] = t89;
    y[5] = t62;
    y[6] = t84;
  }
};

// rmsprop, momentum, weight decay: update, vjps_vjps
template <class S, class V>
struct k_9bb740909167_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t27 = x[3] * u5;
    const V t28 = t26 + t27;
    const V t32 = u6 * x[4];
    const V t33 = x[6] - t32;
    const V t36 = t33 / t25;
    const V t37 = t26 * t36;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t41 = t40 / t24;
    const V t42 = -t41;
    const V t43 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t42);
    const V t44 = x[5] + t43;
    const V t45 = u3 * t44;
    const V t50 = t15 * t45;
    const V t51 = t36 + t50;
    const V t52 = t50 + t51;
    const V t67 = t52 * u7;
    const V t68 = x[0] * u7;
    const V t69 = t52 * x[7];
    const V t70 = u0 * x[7];
    const V t71 = t68 + t70;
    const V t72 = t52 * u8;
    const V t73 = x[1] * u8;
    const V t74 = t71 + t73;
    const V t75 = t52 * x[8];
    const V t76 = u1 * x[8];
    const V t77 = t74 + t76;
    const V t78 = t77 + t77;
    const V t79 = t45 * t78;
    const V t80 = t15 * t78;
    const V t82 = t44 * u9;
    const V t83 = x[2] * u9;
    const V t84 = t44 * x[9];
    const V t85 = u2 * x[9];
    const V t86 = t83 + t85;
    const V t88 = t16 * u9;
    const V t90 = t86 - t88;
    const V t91 = t44 * t80;
    const V t92 = u3 * t80;
    const V t93 = t90 + t92;
    const V t95 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t93);
    const V t97 = t95 / t24;
    const V t99 = t41 * t97;
    const V t101 = splat<V>(S(0.5)) * t97;
    const V t102 = -t101;
    const V t106 = t102 - u10;
    const V t107 = t36 * t106;
    const V t108 = t26 * t106;
    const V t109 = t77 + t108;
    const V t110 = t109 / t25;
    const V t111 = t36 * t110;
    const V t112 = -t111;
    const V t113 = t33 * u11;
    const V t114 = x[3] * u11;
    const V t115 = t110 + t114;
    const V t116 = t33 * x[10];
    const V t117 = u5 * x[10];
    const V t118 = t115 + t117;
    const V t120 = x[4] * t118;
    const V t121 = -t120;
    const V t122 = u6 * t118;
    const V t123 = -t122;
    const V t125 = x[4] * u12;
    const V t127 = t28 * u12;
    const V t129 = t123 - t127;
    const V t130 = t107 - t125;
    const V t131 = u5 * t125;
    const V t133 = x[3] * t125;
    const V t135 = t113 - t131;
    const V t136 = t116 - t133;
    const V t137 = t130 / t25;
    const V t138 = t26 * t137;
    const V t140 = t79 + t137;
    const V t141 = t112 - t138;
    const V t142 = t99 + t141;
    const V t143 = splat<V>(S(0.5)) * t142;
    const V t144 = t143 / t24;
    const V t146 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t144);
    const V t147 = u3 * t146;
    const V t148 = t16 * t146;
    const V t149 = t147 - t82;
    const V t150 = t91 + t148;
    const V t152 = t84 - t150;
    const V t153 = u2 * t146;
    const V t154 = x[2] * t146;
    const V t155 = t82 + t153;
    const V t156 = t152 + t154;
    const V t157 = t15 * t149;
    const V t158 = t140 + t157;
    const V t159 = t157 + t158;
    const V t160 = u1 * t159;
    const V t161 = x[1] * t159;
    const V t162 = t72 + t160;
    const V t163 = t75 + t161;
    const V t164 = u0 * t159;
    const V t165 = x[0] * t159;
    const V t166 = t67 + t164;
    const V t167 = t69 + t165;
    y[0] = t166;
    y[1] = t162;
    y[2] = t155;
    y[3] = t135;
    y[4] = t129;
    y[5] = t93;
    y[6] = t118;
    y[7] = t167;
    y[8] = t163;
    y[9] = t156;
    y[10] = t141;
    y[11] = t136;
    y[12] = t121;
  }
};

// rmsprop, momentum, weight decay: parameters, forward
template <class S, class V>
struct k_c47d8a9eaebf_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t27 = u6 * t25;
    const V t29 = x[1] - t27;
    y[0] = t29;
    y[1] = t18;
    y[2] = t25;
  }
};

// rmsprop, momentum, weight decay: parameters, vjp
template <class S, class V>
struct k_c47d8a9eaebf_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t35 = u5 * x[4];
    const V t37 = x[6] - t35;
    const V t38 = u6 * t37;
    const V t40 = t37 / t22;
    const V t41 = t23 * t40;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t46 = t44 / t21;
    const V t47 = -t46;
    const V t49 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t47);
    const V t50 = x[5] + t49;
    const V t51 = u3 * t50;
    const V t54 = u2 * t50;
    const V t57 = t12 * t51;
    const V t58 = t40 + t57;
    const V t59 = t57 + t58;
    const V t60 = u1 * t59;
    const V t62 = x[4] + t60;
    const V t63 = u0 * t59;
    y[0] = t63;
    y[1] = t62;
    y[2] = t54;
    y[3] = t38;
  }
};

// rmsprop, momentum, weight decay: parameters, vjps
template <class S, class V>
struct k_c47d8a9eaebf_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t33 = t25 * x[4];
    const V t34 = -t33;
    const V t35 = u6 * x[4];
    const V t37 = x[6] - t35;
    const V t38 = u5 * t37;
    const V t39 = x[3] * t37;
    const V t40 = t37 / t22;
    const V t41 = t23 * t40;
    const V t42 = -t41;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t46 = t44 / t21;
    const V t47 = -t46;
    const V t49 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t47);
    const V t50 = x[5] + t49;
    const V t51 = u3 * t50;
    const V t52 = t13 * t50;
    const V t54 = u2 * t50;
    const V t55 = x[2] * t50;
    const V t56 = t55 - t52;
    const V t57 = t12 * t51;
    const V t58 = t40 + t57;
    const V t59 = t57 + t58;
    const V t60 = u1 * t59;
    const V t61 = x[1] * t59;
    const V t62 = x[4] + t60;
    const V t63 = u0 * t59;
    const V t64 = x[0] * t59;
    y[0] = t63;
    y[1] = t62;
    y[2] = t54;
    y[3] = t38;
    y[4] = t64;
    y[5] = t61;
    y[6] = t56;
    y[7] = t42;
    y[8] = t39;
    y[9] = t34;
  }
};

// rmsprop, momentum, weight decay: parameters, jvp
template <class S, class V>
struct k_c47d8a9eaebf_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t39 = u0 * x[4];
    const V t40 = x[0] * u6;
    const V t41 = t39 + t40;
    const V t42 = u1 * x[5];
    const V t43 = x[1] * u7;
    const V t44 = t42 + t43;
    const V t45 = t41 + t44;
    const V t46 = t12 * t45;
    const V t47 = t46 + t46;
    const V t48 = u2 * x[6];
    const V t49 = x[2] * u8;
    const V t50 = t48 + t49;
    const V t52 = u3 * t47;
    const V t53 = t13 * u8;
    const V t55 = t52 - t53;
    const V t56 = t50 + t55;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t56);
    const V t59 = t57 * splat<V>(S(0.5));
    const V t60 = t59 / t21;
    const V t61 = u9 + t60;
    const V t62 = t23 * t61;
    const V t63 = t45 - t62;
    const V t64 = t63 / t22;
    const V t65 = u5 * x[7];
    const V t66 = x[3] * u10;
    const V t67 = t65 + t66;
    const V t68 = t64 + t67;
    const V t69 = t25 * u11;
    const V t70 = u12 * t68;
    const V t71 = t69 + t70;
    const V t72 = x[5] - t71;
    y[0] = t72;
    y[1] = t56;
    y[2] = t68;
  }
};

// rmsprop, momentum, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_c47d8a9eaebf_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t28 = u5 * x[4];
    const V t29 = x[6] - t28;
    const V t31 = t29 / t25;
    const V t32 = t26 * t31;
    const V t34 = t32 * splat<V>(S(0.5));
    const V t35 = t34 / t24;
    const V t36 = -t35;
    const V t37 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t36);
    const V t38 = x[5] + t37;
    const V t39 = u3 * t38;
    const V t52 = u0 * x[7];
    const V t54 = u1 * x[8];
    const V t55 = t52 + t54;
    const V t56 = t55 + t55;
    const V t57 = t39 * t56;
    const V t58 = t15 * t56;
    const V t60 = u2 * x[9];
    const V t62 = u3 * t58;
    const V t63 = t60 + t62;
    const V t65 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t63);
    const V t67 = t65 / t24;
    const V t69 = t35 * t67;
    const V t71 = splat<V>(S(0.5)) * t67;
    const V t75 = t31 * t71;
    const V t77 = t26 * t71;
    const V t79 = t55 - t77;
    const V t80 = t79 / t25;
    const V t81 = t31 * t80;
    const V t84 = u6 * x[10];
    const V t85 = t80 + t84;
    const V t89 = u5 * t85;
    const V t91 = x[8] - t89;
    const V t92 = t75 / t25;
    const V t94 = t26 * t92;
    const V t96 = t57 - t92;
    const V t97 = t94 - t81;
    const V t98 = t69 + t97;
    const V t99 = splat<V>(S(0.5)) * t98;
    const V t100 = t99 / t24;
    const V t102 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t100);
    const V t103 = u3 * t102;
    const V t108 = u2 * t102;
    const V t111 = t15 * t103;
    const V t112 = t96 + t111;
    const V t113 = t111 + t112;
    const V t114 = u1 * t113;
    const V t117 = u0 * t113;
    y[0] = t117;
    y[1] = t114;
    y[2] = t108;
    y[3] = splat<V>(S(0.0));
    y[4] = t91;
    y[5] = t63;
    y[6] = t85;
  }
};

// rmsprop, momentum, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_c47d8a9eaebf_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t27 = x[3] * u5;
    const V t28 = t26 + t27;
    const V t32 = u6 * x[4];
    const V t33 = x[6] - t32;
    const V t36 = t33 / t25;
    const V t37 = t26 * t36;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t41 = t40 / t24;
    const V t42 = -t41;
    const V t43 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t42);
    const V t44 = x[5] + t43;
    const V t45 = u3 * t44;
    const V t50 = t15 * t45;
    const V t51 = t36 + t50;
    const V t52 = t50 + t51;
    const V t68 = t52 * u7;
    const V t69 = x[0] * u7;
    const V t70 = t52 * x[7];
    const V t71 = u0 * x[7];
    const V t72 = t69 + t71;
    const V t73 = t52 * u8;
    const V t74 = x[1] * u8;
    const V t75 = t72 + t74;
    const V t76 = t52 * x[8];
    const V t77 = u1 * x[8];
    const V t78 = t75 + t77;
    const V t79 = t78 + t78;
    const V t80 = t45 * t79;
    const V t81 = t15 * t79;
    const V t83 = t44 * u9;
    const V t84 = x[2] * u9;
    const V t85 = t44 * x[9];
    const V t86 = u2 * x[9];
    const V t87 = t84 + t86;
    const V t89 = t16 * u9;
    const V t91 = t87 - t89;
    const V t92 = t44 * t81;
    const V t93 = u3 * t81;
    const V t94 = t91 + t93;
    const V t96 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t94);
    const V t98 = t96 / t24;
    const V t100 = t41 * t98;
    const V t102 = splat<V>(S(0.5)) * t98;
    const V t103 = -t102;
    const V t107 = t103 - u10;
    const V t108 = t36 * t107;
    const V t109 = t26 * t107;
    const V t110 = t78 + t109;
    const V t111 = t110 / t25;
    const V t112 = t36 * t111;
    const V t113 = -t112;
    const V t114 = t33 * u11;
    const V t115 = x[3] * u11;
    const V t116 = t111 + t115;
    const V t117 = t33 * x[10];
    const V t118 = u5 * x[10];
    const V t119 = t116 + t118;
    const V t121 = x[4] * t119;
    const V t122 = -t121;
    const V t123 = u6 * t119;
    const V t125 = x[8] - t123;
    const V t127 = x[4] * u12;
    const V t129 = t28 * u12;
    const V t131 = t125 - t129;
    const V t132 = t108 - t127;
    const V t133 = u5 * t127;
    const V t135 = x[3] * t127;
    const V t137 = t114 - t133;
    const V t138 = t117 - t135;
    const V t139 = t132 / t25;
    const V t140 = t26 * t139;
    const V t142 = t80 + t139;
    const V t143 = t113 - t140;
    const V t144 = t100 + t143;
    const V t145 = splat<V>(S(0.5)) * t144;
    const V t146 = t145 / t24;
    const V t148 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t146);
    const V t149 = u3 * t148;
    const V t150 = t16 * t148;
    const V t151 = t149 - t83;
    const V t152 = t92 + t150;
    const V t154 = t85 - t152;
    const V t155 = u2 * t148;
    const V t156 = x[2] * t148;
    const V t157 = t83 + t155;
    const V t158 = t154 + t156;
    const V t159 = t15 * t151;
    const V t160 = t142 + t159;
    const V t161 = t159 + t160;
    const V t162 = u1 * t161;
    const V t163 = x[1] * t161;
    const V t164 = t73 + t162;
    const V t165 = t76 + t163;
    const V t166 = u0 * t161;
    const V t167 = x[0] * t161;
    const V t168 = t68 + t166;
    const V t169 = t70 + t167;
    y[0] = t168;
    y[1] = t164;
    y[2] = t157;
    y[3] = t137;
    y[4] = t131;
    y[5] = t94;
    y[6] = t119;
    y[7] = t169;
    y[8] = t165;
    y[9] = t158;
    y[10] = t143;
    y[11] = t138;
    y[12] = t122;
  }
};

// rmsprop, Nesterov: update, forward
template <class S, class V>
struct k_513a3197a409_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t20 = x[2] * u4;
    const V t21 = t19 + t20;
    const V t22 = u4 * t21;
    const V t23 = t19 + t22;
    const V t25 = u5 * t23;
    const V t26 = -t25;
    y[0] = t26;
    y[1] = t14;
    y[2] = t21;
  }
};

// rmsprop, Nesterov: update, vjp
template <class S, class V>
struct k_513a3197a409_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t33 = u4 * x[3];
    const V t37 = u5 * t33;
    const V t39 = x[5] - t37;
    const V t40 = t39 - t33;
    const V t41 = u5 * t39;
    const V t44 = t40 / t18;
    const V t45 = t19 * t44;
    const V t48 = t45 * splat<V>(S(0.5));
    const V t50 = t48 / t17;
    const V t51 = -t50;
    const V t53 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t51);
    const V t54 = x[4] + t53;
    const V t55 = u2 * t54;
    const V t58 = u1 * t54;
    const V t61 = t8 * t55;
    const V t62 = t44 + t61;
    const V t63 = t61 + t62;
    const V t64 = u0 * t63;
    y[0] = t64;
    y[1] = t58;
    y[2] = t41;
  }
};

// rmsprop, Nesterov: update, vjps
template <class S, class V>
struct k_513a3197a409_vjps {
  static constexpr int inputs = 6, outputs = 3, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t20 = x[2] * u4;
    const V t21 = t19 + t20;
    const V t22 = u4 * t21;
    const V t23 = t19 + t22;
    const V t31 = t23 * x[3];
    const V t32 = -t31;
    const V t33 = u5 * x[3];
    const V t35 = t21 * t33;
    const V t37 = u4 * t33;
    const V t39 = x[5] - t37;
    const V t40 = t39 - t33;
    const V t41 = u4 * t39;
    const V t42 = x[2] * t39;
    const V t43 = t42 - t35;
    const V t44 = t40 / t18;
    const V t45 = t19 * t44;
    const V t46 = -t45;
    const V t48 = t45 * splat<V>(S(0.5));
    const V t50 = t48 / t17;
    const V t51 = -t50;
    const V t53 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t51);
    const V t54 = x[4] + t53;
    const V t55 = u2 * t54;
    const V t56 = t9 * t54;
    const V t58 = u1 * t54;
    const V t59 = x[1] * t54;
    const V t60 = t59 - t56;
    const V t61 = t8 * t55;
    const V t62 = t44 + t61;
    const V t63 = t61 + t62;
    const V t64 = u0 * t63;
    const V t65 = x[0] * t63;
    y[0] = t64;
    y[1] = t58;
    y[2] = t41;
    y[3] = t65;
    y[4] = t60;
    y[5] = t46;
    y[6] = t43;
    y[7] = t32;
  }
};

// rmsprop, Nesterov: update, jvp
template <class S, class V>
struct k_513a3197a409_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t8 / t18;
    const V t20 = x[2] * u4;
    const V t21 = t19 + t20;
    const V t22 = u4 * t21;
    const V t23 = t19 + t22;
    const V t35 = u0 * x[3];
    const V t36 = x[0] * u5;
    const V t37 = t35 + t36;
    const V t38 = t8 * t37;
    const V t39 = t38 + t38;
    const V t40 = u1 * x[4];
    const V t41 = x[1] * u6;
    const V t42 = t40 + t41;
    const V t44 = u2 * t39;
    const V t45 = t9 * u6;
    const V t47 = t44 - t45;
    const V t48 = t42 + t47;
    const V t49 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t48);
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t17;
    const V t53 = u7 + t52;
    const V t54 = t19 * t53;
    const V t55 = t37 - t54;
    const V t56 = t55 / t18;
    const V t57 = u4 * x[5];
    const V t58 = x[2] * u8;
    const V t59 = t57 + t58;
    const V t60 = t56 + t59;
    const V t61 = t21 * u8;
    const V t62 = u4 * t60;
    const V t63 = t61 + t62;
    const V t64 = t56 + t63;
    const V t65 = t23 * u9;
    const V t66 = u10 * t64;
    const V t67 = t65 + t66;
    const V t68 = -t67;
    y[0] = t68;
    y[1] = t48;
    y[2] = t60;
  }
};

// rmsprop, Nesterov: update, vjp_vjp
template <class S, class V>
struct k_513a3197a409_vjp_vjp {
  static constexpr int inputs = 9, outputs = 6, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t11 = x[0] * u0;
    const V t12 = t11 * t11;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t19 = select_gt(tiny<V>(), t17, tiny<V>(), t17);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t11 / t21;
    const V t24 = u4 * x[3];
    const V t25 = u5 * t24;
    const V t26 = x[5] - t25;
    const V t27 = t26 - t24;
    const V t29 = t27 / t21;
    const V t30 = t22 * t29;
    const V t32 = t30 * splat<V>(S(0.5));
    const V t33 = t32 / t20;
    const V t34 = -t33;
    const V t35 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t34);
    const V t36 = x[4] + t35;
    const V t37 = u2 * t36;
    const V t47 = u0 * x[6];
    const V t48 = t47 + t47;
    const V t49 = t37 * t48;
    const V t50 = t11 * t48;
    const V t52 = u1 * x[7];
    const V t54 = u2 * t50;
    const V t55 = t52 + t54;
    const V t57 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t55);
    const V t59 = t57 / t20;
    const V t61 = t33 * t59;
    const V t63 = splat<V>(S(0.5)) * t59;
    const V t67 = t29 * t63;
    const V t69 = t22 * t63;
    const V t71 = t47 - t69;
    const V t72 = t71 / t21;
    const V t73 = t29 * t72;
    const V t76 = u5 * x[8];
    const V t77 = -t72;
    const V t78 = t72 + t76;
    const V t82 = u5 * t78;
    const V t85 = t77 - t82;
    const V t87 = u4 * t85;
    const V t88 = t67 / t21;
    const V t90 = t22 * t88;
    const V t92 = t49 - t88;
    const V t93 = t90 - t73;
    const V t94 = t61 + t93;
    const V t95 = splat<V>(S(0.5)) * t94;
    const V t96 = t95 / t20;
    const V t98 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t96);
    const V t99 = u2 * t98;
    const V t104 = u1 * t98;
    const V t107 = t11 * t99;
    const V t108 = t92 + t107;
    const V t109 = t107 + t108;
    const V t110 = u0 * t109;
    y[0] = t110;
    y[1] = t104;
    y[2] = splat<V>(S(0.0));
    y[3] = t87;
    y[4] = t55;
    y[5] = t78;
  }
};

// rmsprop, Nesterov: update, vjps_vjps
template <class S, class V>
struct k_513a3197a409_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t11 = x[0] * u0;
    const V t12 = t11 * t11;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t19 = select_gt(tiny<V>(), t17, tiny<V>(), t17);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t11 / t21;
    const V t23 = x[2] * u4;
    const V t24 = t22 + t23;
    const V t25 = u4 * t24;
    const V t26 = t22 + t25;
    const V t30 = u5 * x[3];
    const V t32 = u4 * t30;
    const V t33 = x[5] - t32;
    const V t34 = t33 - t30;
    const V t38 = t34 / t21;
    const V t39 = t22 * t38;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t43 = t42 / t20;
    const V t44 = -t43;
    const V t45 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t44);
    const V t46 = x[4] + t45;
    const V t47 = u2 * t46;
    const V t52 = t11 * t47;
    const V t53 = t38 + t52;
    const V t54 = t52 + t53;
    const V t65 = t54 * u6;
    const V t66 = x[0] * u6;
    const V t67 = t54 * x[6];
    const V t68 = u0 * x[6];
    const V t69 = t66 + t68;
    const V t70 = t69 + t69;
    const V t71 = t47 * t70;
    const V t72 = t11 * t70;
    const V t74 = t46 * u7;
    const V t75 = x[1] * u7;
    const V t76 = t46 * x[7];
    const V t77 = u1 * x[7];
    const V t78 = t75 + t77;
    const V t80 = t12 * u7;
    const V t82 = t78 - t80;
    const V t83 = t46 * t72;
    const V t84 = u2 * t72;
    const V t85 = t82 + t84;
    const V t87 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t85);
    const V t89 = t87 / t20;
    const V t91 = t43 * t89;
    const V t93 = splat<V>(S(0.5)) * t89;
    const V t94 = -t93;
    const V t98 = t94 - u8;
    const V t99 = t38 * t98;
    const V t100 = t22 * t98;
    const V t101 = t69 + t100;
    const V t102 = t101 / t21;
    const V t103 = t38 * t102;
    const V t104 = -t103;
    const V t106 = t33 * u9;
    const V t107 = x[2] * u9;
    const V t108 = t33 * x[8];
    const V t109 = u4 * x[8];
    const V t110 = t107 + t109;
    const V t111 = -t102;
    const V t112 = t102 + t110;
    const V t114 = t30 * t112;
    const V t116 = u4 * t112;
    const V t118 = t108 - t114;
    const V t119 = t111 - t116;
    const V t120 = t30 * u9;
    const V t121 = -t120;
    const V t122 = t24 * u9;
    const V t124 = t119 - t122;
    const V t125 = x[3] * t124;
    const V t126 = u5 * t124;
    const V t128 = x[3] * u10;
    const V t130 = t26 * u10;
    const V t132 = t126 - t130;
    const V t133 = t99 - t128;
    const V t134 = t24 * t128;
    const V t136 = u4 * t128;
    const V t138 = t118 - t134;
    const V t139 = t121 - t136;
    const V t140 = t133 + t139;
    const V t141 = u4 * t139;
    const V t142 = x[2] * t139;
    const V t143 = t106 + t141;
    const V t144 = t138 + t142;
    const V t145 = t140 / t21;
    const V t146 = t22 * t145;
    const V t148 = t71 + t145;
    const V t149 = t104 - t146;
    const V t150 = t91 + t149;
    const V t151 = splat<V>(S(0.5)) * t150;
    const V t152 = t151 / t20;
    const V t154 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t152);
    const V t155 = u2 * t154;
    const V t156 = t12 * t154;
    const V t157 = t155 - t74;
    const V t158 = t83 + t156;
    const V t160 = t76 - t158;
    const V t161 = u1 * t154;
    const V t162 = x[1] * t154;
    const V t163 = t74 + t161;
    const V t164 = t160 + t162;
    const V t165 = t11 * t157;
    const V t166 = t148 + t165;
    const V t167 = t165 + t166;
    const V t168 = u0 * t167;
    const V t169 = x[0] * t167;
    const V t170 = t65 + t168;
    const V t171 = t67 + t169;
    y[0] = t170;
    y[1] = t163;
    y[2] = t143;
    y[3] = t132;
    y[4] = t85;
    y[5] = t112;
    y[6] = t171;
    y[7] = t164;
    y[8] = t149;
    y[9] = t144;
    y[10] = t125;
  }
};

// rmsprop, Nesterov: parameters, forward
template <class S, class V>
struct k_347831f79ed8_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t21 = x[3] * u4;
    const V t22 = t20 + t21;
    const V t23 = u4 * t22;
    const V t24 = t20 + t23;
    const V t26 = u5 * t24;
    const V t28 = x[1] - t26;
    y[0] = t28;
    y[1] = t15;
    y[2] = t22;
  }
};

// rmsprop, Nesterov: parameters, vjp
template <class S, class V>
struct k_347831f79ed8_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t34 = u4 * x[4];
    const V t38 = u5 * t34;
    const V t40 = x[6] - t38;
    const V t41 = t40 - t34;
    const V t42 = u5 * t40;
    const V t45 = t41 / t19;
    const V t46 = t20 * t45;
    const V t49 = t46 * splat<V>(S(0.5));
    const V t51 = t49 / t18;
    const V t52 = -t51;
    const V t54 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t52);
    const V t55 = x[5] + t54;
    const V t56 = u2 * t55;
    const V t59 = u1 * t55;
    const V t62 = t9 * t56;
    const V t63 = t45 + t62;
    const V t64 = t62 + t63;
    const V t65 = u0 * t64;
    y[0] = t65;
    y[1] = x[4];
    y[2] = t59;
    y[3] = t42;
  }
};

// rmsprop, Nesterov: parameters, vjps
template <class S, class V>
struct k_347831f79ed8_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t21 = x[3] * u4;
    const V t22 = t20 + t21;
    const V t23 = u4 * t22;
    const V t24 = t20 + t23;
    const V t32 = t24 * x[4];
    const V t33 = -t32;
    const V t34 = u5 * x[4];
    const V t36 = t22 * t34;
    const V t38 = u4 * t34;
    const V t40 = x[6] - t38;
    const V t41 = t40 - t34;
    const V t42 = u4 * t40;
    const V t43 = x[3] * t40;
    const V t44 = t43 - t36;
    const V t45 = t41 / t19;
    const V t46 = t20 * t45;
    const V t47 = -t46;
    const V t49 = t46 * splat<V>(S(0.5));
    const V t51 = t49 / t18;
    const V t52 = -t51;
    const V t54 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t52);
    const V t55 = x[5] + t54;
    const V t56 = u2 * t55;
    const V t57 = t10 * t55;
    const V t59 = u1 * t55;
    const V t60 = x[2] * t55;
    const V t61 = t60 - t57;
    const V t62 = t9 * t56;
    const V t63 = t45 + t62;
    const V t64 = t62 + t63;
    const V t65 = u0 * t64;
    const V t66 = x[0] * t64;
    y[0] = t65;
    y[1] = x[4];
    y[2] = t59;
    y[3] = t42;
    y[4] = t66;
    y[5] = t61;
    y[6] = t47;
    y[7] = t44;
    y[8] = t33;
  }
};

// rmsprop, Nesterov: parameters, jvp
template <class S, class V>
struct k_347831f79ed8_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t9 / t19;
    const V t21 = x[3] * u4;
    const V t22 = t20 + t21;
    const V t23 = u4 * t22;
    const V t24 = t20 + t23;
    const V t37 = u0 * x[4];
    const V t38 = x[0] * u5;
    const V t39 = t37 + t38;
    const V t40 = t9 * t39;
    const V t41 = t40 + t40;
    const V t42 = u1 * x[6];
    const V t43 = x[2] * u6;
    const V t44 = t42 + t43;
    const V t46 = u2 * t41;
    const V t47 = t10 * u6;
    const V t49 = t46 - t47;
    const V t50 = t44 + t49;
    const V t51 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t50);
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t18;
    const V t55 = u7 + t54;
    const V t56 = t20 * t55;
    const V t57 = t39 - t56;
    const V t58 = t57 / t19;
    const V t59 = u4 * x[7];
    const V t60 = x[3] * u8;
    const V t61 = t59 + t60;
    const V t62 = t58 + t61;
    const V t63 = t22 * u8;
    const V t64 = u4 * t62;
    const V t65 = t63 + t64;
    const V t66 = t58 + t65;
    const V t67 = t24 * u9;
    const V t68 = u10 * t66;
    const V t69 = t67 + t68;
    const V t70 = x[5] - t69;
    y[0] = t70;
    y[1] = t50;
    y[2] = t62;
  }
};

// rmsprop, Nesterov: parameters, vjp_vjp
template <class S, class V>
struct k_347831f79ed8_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t12 = x[0] * u0;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t21;
    const V t23 = t12 / t22;
    const V t25 = u4 * x[4];
    const V t26 = u5 * t25;
    const V t27 = x[6] - t26;
    const V t28 = t27 - t25;
    const V t30 = t28 / t22;
    const V t31 = t23 * t30;
    const V t33 = t31 * splat<V>(S(0.5));
    const V t34 = t33 / t21;
    const V t35 = -t34;
    const V t36 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t35);
    const V t37 = x[5] + t36;
    const V t38 = u2 * t37;
    const V t49 = u0 * x[7];
    const V t50 = t49 + t49;
    const V t51 = t38 * t50;
    const V t52 = t12 * t50;
    const V t54 = u1 * x[9];
    const V t56 = u2 * t52;
    const V t57 = t54 + t56;
    const V t59 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t57);
    const V t61 = t59 / t21;
    const V t63 = t34 * t61;
    const V t65 = splat<V>(S(0.5)) * t61;
    const V t69 = t30 * t65;
    const V t71 = t23 * t65;
    const V t73 = t49 - t71;
    const V t74 = t73 / t22;
    const V t75 = t30 * t74;
    const V t78 = u5 * x[10];
    const V t79 = -t74;
    const V t80 = t74 + t78;
    const V t84 = u5 * t80;
    const V t87 = t79 - t84;
    const V t89 = u4 * t87;
    const V t90 = x[8] + t89;
    const V t91 = t69 / t22;
    const V t93 = t23 * t91;
    const V t95 = t51 - t91;
    const V t96 = t93 - t75;
    const V t97 = t63 + t96;
    const V t98 = splat<V>(S(0.5)) * t97;
    const V t99 = t98 / t21;
    const V t101 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t99);
    const V t102 = u2 * t101;
    const V t107 = u1 * t101;
    const V t110 = t12 * t102;
    const V t111 = t95 + t110;
    const V t112 = t110 + t111;
    const V t113 = u0 * t112;
    y[0] = t113;
    y[1] = splat<V>(S(0.0));
    y[2] = t107;
    y[3] = splat<V>(S(0.0));
    y[4] = t90;
    y[5] = t57;
    y[6] = t80;
  }
};

// rmsprop, Nesterov: parameters, vjps_vjps
template <class S, class V>
struct k_347831f79ed8_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t12 = x[0] * u0;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u4;
    const V t25 = t23 + t24;
    const V t26 = u4 * t25;
    const V t27 = t23 + t26;
    const V t31 = u5 * x[4];
    const V t33 = u4 * t31;
    const V t34 = x[6] - t33;
    const V t35 = t34 - t31;
    const V t39 = t35 / t22;
    const V t40 = t23 * t39;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t44 = t43 / t21;
    const V t45 = -t44;
    const V t46 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t45);
    const V t47 = x[5] + t46;
    const V t48 = u2 * t47;
    const V t53 = t12 * t48;
    const V t54 = t39 + t53;
    const V t55 = t53 + t54;
    const V t67 = t55 * u6;
    const V t68 = x[0] * u6;
    const V t69 = t55 * x[7];
    const V t70 = u0 * x[7];
    const V t71 = t68 + t70;
    const V t72 = t71 + t71;
    const V t73 = t48 * t72;
    const V t74 = t12 * t72;
    const V t76 = t47 * u7;
    const V t77 = x[2] * u7;
    const V t78 = t47 * x[9];
    const V t79 = u1 * x[9];
    const V t80 = t77 + t79;
    const V t82 = t13 * u7;
    const V t84 = t80 - t82;
    const V t85 = t47 * t74;
    const V t86 = u2 * t74;
    const V t87 = t84 + t86;
    const V t89 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t87);
    const V t91 = t89 / t21;
    const V t93 = t44 * t91;
    const V t95 = splat<V>(S(0.5)) * t91;
    const V t96 = -t95;
    const V t100 = t96 - u8;
    const V t101 = t39 * t100;
    const V t102 = t23 * t100;
    const V t103 = t71 + t102;
    const V t104 = t103 / t22;
    const V t105 = t39 * t104;
    const V t106 = -t105;
    const V t108 = t34 * u9;
    const V t109 = x[3] * u9;
    const V t110 = t34 * x[10];
    const V t111 = u4 * x[10];
    const V t112 = t109 + t111;
    const V t113 = -t104;
    const V t114 = t104 + t112;
    const V t116 = t31 * t114;
    const V t118 = u4 * t114;
    const V t120 = t110 - t116;
    const V t121 = t113 - t118;
    const V t122 = t31 * u9;
    const V t123 = -t122;
    const V t124 = t25 * u9;
    const V t126 = t121 - t124;
    const V t127 = x[4] * t126;
    const V t128 = u5 * t126;
    const V t129 = x[8] + t128;
    const V t131 = x[4] * u10;
    const V t133 = t27 * u10;
    const V t135 = t129 - t133;
    const V t136 = t101 - t131;
    const V t137 = t25 * t131;
    const V t139 = u4 * t131;
    const V t141 = t120 - t137;
    const V t142 = t123 - t139;
    const V t143 = t136 + t142;
    const V t144 = u4 * t142;
    const V t145 = x[3] * t142;
    const V t146 = t108 + t144;
    const V t147 = t141 + t145;
    const V t148 = t143 / t22;
    const V t149 = t23 * t148;
    const V t151 = t73 + t148;
    const V t152 = t106 - t149;
    const V t153 = t93 + t152;
    const V t154 = splat<V>(S(0.5)) * t153;
    const V t155 = t154 / t21;
    const V t157 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t155);
    const V t158 = u2 * t157;
    const V t159 = t13 * t157;
    const V t160 = t158 - t76;
    const V t161 = t85 + t159;
    const V t163 = t78 - t161;
    const V t164 = u1 * t157;
    const V t165 = x[2] * t157;
    const V t166 = t76 + t164;
    const V t167 = t163 + t165;
    const V t168 = t12 * t160;
    const V t169 = t151 + t168;
    const V t170 = t168 + t169;
    const V t171 = u0 * t170;
    const V t172 = x[0] * t170;
    const V t173 = t67 + t171;
    const V t174 = t69 + t172;
    y[0] = t173;
    y[1] = splat<V>(S(0.0));
    y[2] = t166;
    y[3] = t146;
    y[4] = t135;
    y[5] = t87;
    y[6] = t114;
    y[7] = t174;
    y[8] = t167;
    y[9] = t152;
    y[10] = t147;
    y[11] = t127;
  }
};

// rmsprop, Nesterov, weight decay: update, forward
template <class S, class V>
struct k_4cc953762d61_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t26 = u5 * t25;
    const V t27 = t23 + t26;
    const V t29 = u6 * t27;
    const V t30 = -t29;
    y[0] = t30;
    y[1] = t18;
    y[2] = t25;
  }
};

// rmsprop, Nesterov, weight decay: update, vjp
template <class S, class V>
struct k_4cc953762d61_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t37 = u5 * x[4];
    const V t41 = u6 * t37;
    const V t43 = x[6] - t41;
    const V t44 = t43 - t37;
    const V t45 = u6 * t43;
    const V t48 = t44 / t22;
    const V t49 = t23 * t48;
    const V t52 = t49 * splat<V>(S(0.5));
    const V t54 = t52 / t21;
    const V t55 = -t54;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t55);
    const V t58 = x[5] + t57;
    const V t59 = u3 * t58;
    const V t62 = u2 * t58;
    const V t65 = t12 * t59;
    const V t66 = t48 + t65;
    const V t67 = t65 + t66;
    const V t68 = u1 * t67;
    const V t70 = u0 * t67;
    y[0] = t70;
    y[1] = t68;
    y[2] = t62;
    y[3] = t45;
  }
};

// rmsprop, Nesterov, weight decay: update, vjps
template <class S, class V>
struct k_4cc953762d61_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t26 = u5 * t25;
    const V t27 = t23 + t26;
    const V t35 = t27 * x[4];
    const V t36 = -t35;
    const V t37 = u6 * x[4];
    const V t39 = t25 * t37;
    const V t41 = u5 * t37;
    const V t43 = x[6] - t41;
    const V t44 = t43 - t37;
    const V t45 = u5 * t43;
    const V t46 = x[3] * t43;
    const V t47 = t46 - t39;
    const V t48 = t44 / t22;
    const V t49 = t23 * t48;
    const V t50 = -t49;
    const V t52 = t49 * splat<V>(S(0.5));
    const V t54 = t52 / t21;
    const V t55 = -t54;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t55);
    const V t58 = x[5] + t57;
    const V t59 = u3 * t58;
    const V t60 = t13 * t58;
    const V t62 = u2 * t58;
    const V t63 = x[2] * t58;
    const V t64 = t63 - t60;
    const V t65 = t12 * t59;
    const V t66 = t48 + t65;
    const V t67 = t65 + t66;
    const V t68 = u1 * t67;
    const V t69 = x[1] * t67;
    const V t70 = u0 * t67;
    const V t71 = x[0] * t67;
    y[0] = t70;
    y[1] = t68;
    y[2] = t62;
    y[3] = t45;
    y[4] = t71;
    y[5] = t69;
    y[6] = t64;
    y[7] = t50;
    y[8] = t47;
    y[9] = t36;
  }
};

// rmsprop, Nesterov, weight decay: update, jvp
template <class S, class V>
struct k_4cc953762d61_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t26 = u5 * t25;
    const V t27 = t23 + t26;
    const V t41 = u0 * x[4];
    const V t42 = x[0] * u6;
    const V t43 = t41 + t42;
    const V t44 = u1 * x[5];
    const V t45 = x[1] * u7;
    const V t46 = t44 + t45;
    const V t47 = t43 + t46;
    const V t48 = t12 * t47;
    const V t49 = t48 + t48;
    const V t50 = u2 * x[6];
    const V t51 = x[2] * u8;
    const V t52 = t50 + t51;
    const V t54 = u3 * t49;
    const V t55 = t13 * u8;
    const V t57 = t54 - t55;
    const V t58 = t52 + t57;
    const V t59 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t58);
    const V t61 = t59 * splat<V>(S(0.5));
    const V t62 = t61 / t21;
    const V t63 = u9 + t62;
    const V t64 = t23 * t63;
    const V t65 = t47 - t64;
    const V t66 = t65 / t22;
    const V t67 = u5 * x[7];
    const V t68 = x[3] * u10;
    const V t69 = t67 + t68;
    const V t70 = t66 + t69;
    const V t71 = t25 * u10;
    const V t72 = u5 * t70;
    const V t73 = t71 + t72;
    const V t74 = t66 + t73;
    const V t75 = t27 * u11;
    const V t76 = u12 * t74;
    const V t77 = t75 + t76;
    const V t78 = -t77;
    y[0] = t78;
    y[1] = t58;
    y[2] = t70;
  }
};

// rmsprop, Nesterov, weight decay: update, vjp_vjp
template <class S, class V>
struct k_4cc953762d61_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t28 = u5 * x[4];
    const V t29 = u6 * t28;
    const V t30 = x[6] - t29;
    const V t31 = t30 - t28;
    const V t33 = t31 / t25;
    const V t34 = t26 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t24;
    const V t38 = -t37;
    const V t39 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t38);
    const V t40 = x[5] + t39;
    const V t41 = u3 * t40;
    const V t53 = u0 * x[7];
    const V t55 = u1 * x[8];
    const V t56 = t53 + t55;
    const V t57 = t56 + t56;
    const V t58 = t41 * t57;
    const V t59 = t15 * t57;
    const V t61 = u2 * x[9];
    const V t63 = u3 * t59;
    const V t64 = t61 + t63;
    const V t66 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t64);
    const V t68 = t66 / t24;
    const V t70 = t37 * t68;
    const V t72 = splat<V>(S(0.5)) * t68;
    const V t76 = t33 * t72;
    const V t78 = t26 * t72;
    const V t80 = t56 - t78;
    const V t81 = t80 / t25;
    const V t82 = t33 * t81;
    const V t85 = u6 * x[10];
    const V t86 = -t81;
    const V t87 = t81 + t85;
    const V t91 = u6 * t87;
    const V t94 = t86 - t91;
    const V t96 = u5 * t94;
    const V t97 = t76 / t25;
    const V t99 = t26 * t97;
    const V t101 = t58 - t97;
    const V t102 = t99 - t82;
    const V t103 = t70 + t102;
    const V t104 = splat<V>(S(0.5)) * t103;
    const V t105 = t104 / t24;
    const V t107 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t105);
    const V t108 = u3 * t107;
    const V t113 = u2 * t107;
    const V t116 = t15 * t108;
    const V t117 = t101 + t116;
    const V t118 = t116 + t117;
    const V t119 = u1 * t118;
    const V t122 = u0 * t118;
    y[0] = t122;
    y[1] = t119;
    y[2] = t113;
    y[3] = splat<V>(S(0.0));
    y[4] = t96;
    y[5] = t64;
    y[6] = t87;
  }
};

// rmsprop, Nesterov, weight decay: update, vjps_vjps
template <class S, class V>
struct k_4cc953762d61_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t27 = x[3] * u5;
    const V t28 = t26 + t27;
    const V t29 = u5 * t28;
    const V t30 = t26 + t29;
    const V t34 = u6 * x[4];
    const V t36 = u5 * t34;
    const V t37 = x[6] - t36;
    const V t38 = t37 - t34;
    const V t42 = t38 / t25;
    const V t43 = t26 * t42;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t24;
    const V t48 = -t47;
    const V t49 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t48);
    const V t50 = x[5] + t49;
    const V t51 = u3 * t50;
    const V t56 = t15 * t51;
    const V t57 = t42 + t56;
    const V t58 = t56 + t57;
    const V t73 = t58 * u7;
    const V t74 = x[0] * u7;
    const V t75 = t58 * x[7];
    const V t76 = u0 * x[7];
    const V t77 = t74 + t76;
    const V t78 = t58 * u8;
    const V t79 = x[1] * u8;
    const V t80 = t77 + t79;
    const V t81 = t58 * x[8];
    const V t82 = u1 * x[8];
    const V t83 = t80 + t82;
    const V t84 = t83 + t83;
    const V t85 = t51 * t84;
    const V t86 = t15 * t84;
    const V t88 = t50 * u9;
    const V t89 = x[2] * u9;
    const V t90 = t50 * x[9];
    const V t91 = u2 * x[9];
    const V t92 = t89 + t91;
    const V t94 = t16 * u9;
    const V t96 = t92 - t94;
    const V t97 = t50 * t86;
    const V t98 = u3 * t86;
    const V t99 = t96 + t98;
    const V t101 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t99);
    const V t103 = t101 / t24;
    const V t105 = t47 * t103;
    const V t107 = splat<V>(S(0.5)) * t103;
    const V t108 = -t107;
    const V t112 = t108 - u10;
    const V t113 = t42 * t112;
    const V t114 = t26 * t112;
    const V t115 = t83 + t114;
    const V t116 = t115 / t25;
    const V t117 = t42 * t116;
    const V t118 = -t117;
    const V t120 = t37 * u11;
    const V t121 = x[3] * u11;
    const V t122 = t37 * x[10];
    const V t123 = u5 * x[10];
    const V t124 = t121 + t123;
    const V t125 = -t116;
    const V t126 = t116 + t124;
    const V t128 = t34 * t126;
    const V t130 = u5 * t126;
    const V t132 = t122 - t128;
    const V t133 = t125 - t130;
    const V t134 = t34 * u11;
    const V t135 = -t134;
    const V t136 = t28 * u11;
    const V t138 = t133 - t136;
    const V t139 = x[4] * t138;
    const V t140 = u6 * t138;
    const V t142 = x[4] * u12;
    const V t144 = t30 * u12;
    const V t146 = t140 - t144;
    const V t147 = t113 - t142;
    const V t148 = t28 * t142;
    const V t150 = u5 * t142;
    const V t152 = t132 - t148;
    const V t153 = t135 - t150;
    const V t154 = t147 + t153;
    const V t155 = u5 * t153;
    const V t156 = x[3] * t153;
    const V t157 = t120 + t155;
    const V t158 = t152 + t156;
    const V t159 = t154 / t25;
    const V t160 = t26 * t159;
    const V t162 = t85 + t159;
    const V t163 = t118 - t160;
    const V t164 = t105 + t163;
    const V t165 = splat<V>(S(0.5)) * t164;
    const V t166 = t165 / t24;
    const V t168 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t166);
    const V t169 = u3 * t168;
    const V t170 = t16 * t168;
    const V t171 = t169 - t88;
    const V t172 = t97 + t170;
    const V t174 = t90 - t172;
    const V t175 = u2 * t168;
    const V t176 = x[2] * t168;
    const V t177 = t88 + t175;
    const V t178 = t174 + t176;
    const V t179 = t15 * t171;
    const V t180 = t162 + t179;
    const V t181 = t179 + t180;
    const V t182 = u1 * t181;
    const V t183 = x[1] * t181;
    const V t184 = t78 + t182;
    const V t185 = t81 + t183;
    const V t186 = u0 * t181;
    const V t187 = x[0] * t181;
    const V t188 = t73 + t186;
    const V t189 = t75 + t187;
    y[0] = t188;
    y[1] = t184;
    y[2] = t177;
    y[3] = t157;
    y[4] = t146;
    y[5] = t99;
    y[6] = t126;
    y[7] = t189;
    y[8] = t185;
    y[9] = t178;
    y[10] = t163;
    y[11] = t158;
    y[12] = t139;
  }
};

// rmsprop, Nesterov, weight decay: parameters, forward
template <class S, class V>
struct k_7f9849195505_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t26 = u5 * t25;
    const V t27 = t23 + t26;
    const V t29 = u6 * t27;
    const V t31 = x[1] - t29;
    y[0] = t31;
    y[1] = t18;
    y[2] = t25;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjp
template <class S, class V>
struct k_7f9849195505_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t37 = u5 * x[4];
    const V t41 = u6 * t37;
    const V t43 = x[6] - t41;
    const V t44 = t43 - t37;
    const V t45 = u6 * t43;
    const V t48 = t44 / t22;
    const V t49 = t23 * t48;
    const V t52 = t49 * splat<V>(S(0.5));
    const V t54 = t52 / t21;
    const V t55 = -t54;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t55);
    const V t58 = x[5] + t57;
    const V t59 = u3 * t58;
    const V t62 = u2 * t58;
    const V t65 = t12 * t59;
    const V t66 = t48 + t65;
    const V t67 = t65 + t66;
    const V t68 = u1 * t67;
    const V t70 = x[4] + t68;
    const V t71 = u0 * t67;
    y[0] = t71;
    y[1] = t70;
    y[2] = t62;
    y[3] = t45;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjps
template <class S, class V>
struct k_7f9849195505_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t26 = u5 * t25;
    const V t27 = t23 + t26;
    const V t35 = t27 * x[4];
    const V t36 = -t35;
    const V t37 = u6 * x[4];
    const V t39 = t25 * t37;
    const V t41 = u5 * t37;
    const V t43 = x[6] - t41;
    const V t44 = t43 - t37;
    const V t45 = u5 * t43;
    const V t46 = x[3] * t43;
    const V t47 = t46 - t39;
    const V t48 = t44 / t22;
    const V t49 = t23 * t48;
    const V t50 = -t49;
    const V t52 = t49 * splat<V>(S(0.5));
    const V t54 = t52 / t21;
    const V t55 = -t54;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t55);
    const V t58 = x[5] + t57;
    const V t59 = u3 * t58;
    const V t60 = t13 * t58;
    const V t62 = u2 * t58;
    const V t63 = x[2] * t58;
    const V t64 = t63 - t60;
    const V t65 = t12 * t59;
    const V t66 = t48 + t65;
    const V t67 = t65 + t66;
    const V t68 = u1 * t67;
    const V t69 = x[1] * t67;
    const V t70 = x[4] + t68;
    const V t71 = u0 * t67;
    const V t72 = x[0] * t67;
    y[0] = t71;
    y[1] = t70;
    y[2] = t62;
    y[3] = t45;
    y[4] = t72;
    y[5] = t69;
    y[6] = t64;
    y[7] = t50;
    y[8] = t47;
    y[9] = t36;
  }
};

// rmsprop, Nesterov, weight decay: parameters, jvp
template <class S, class V>
struct k_7f9849195505_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t12 = t10 + t11;
    const V t13 = t12 * t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t12 / t22;
    const V t24 = x[3] * u5;
    const V t25 = t23 + t24;
    const V t26 = u5 * t25;
    const V t27 = t23 + t26;
    const V t41 = u0 * x[4];
    const V t42 = x[0] * u6;
    const V t43 = t41 + t42;
    const V t44 = u1 * x[5];
    const V t45 = x[1] * u7;
    const V t46 = t44 + t45;
    const V t47 = t43 + t46;
    const V t48 = t12 * t47;
    const V t49 = t48 + t48;
    const V t50 = u2 * x[6];
    const V t51 = x[2] * u8;
    const V t52 = t50 + t51;
    const V t54 = u3 * t49;
    const V t55 = t13 * u8;
    const V t57 = t54 - t55;
    const V t58 = t52 + t57;
    const V t59 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t58);
    const V t61 = t59 * splat<V>(S(0.5));
    const V t62 = t61 / t21;
    const V t63 = u9 + t62;
    const V t64 = t23 * t63;
    const V t65 = t47 - t64;
    const V t66 = t65 / t22;
    const V t67 = u5 * x[7];
    const V t68 = x[3] * u10;
    const V t69 = t67 + t68;
    const V t70 = t66 + t69;
    const V t71 = t25 * u10;
    const V t72 = u5 * t70;
    const V t73 = t71 + t72;
    const V t74 = t66 + t73;
    const V t75 = t27 * u11;
    const V t76 = u12 * t74;
    const V t77 = t75 + t76;
    const V t78 = x[5] - t77;
    y[0] = t78;
    y[1] = t58;
    y[2] = t70;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_7f9849195505_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t28 = u5 * x[4];
    const V t29 = u6 * t28;
    const V t30 = x[6] - t29;
    const V t31 = t30 - t28;
    const V t33 = t31 / t25;
    const V t34 = t26 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t24;
    const V t38 = -t37;
    const V t39 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t38);
    const V t40 = x[5] + t39;
    const V t41 = u3 * t40;
    const V t54 = u0 * x[7];
    const V t56 = u1 * x[8];
    const V t57 = t54 + t56;
    const V t58 = t57 + t57;
    const V t59 = t41 * t58;
    const V t60 = t15 * t58;
    const V t62 = u2 * x[9];
    const V t64 = u3 * t60;
    const V t65 = t62 + t64;
    const V t67 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t65);
    const V t69 = t67 / t24;
    const V t71 = t37 * t69;
    const V t73 = splat<V>(S(0.5)) * t69;
    const V t77 = t33 * t73;
    const V t79 = t26 * t73;
    const V t81 = t57 - t79;
    const V t82 = t81 / t25;
    const V t83 = t33 * t82;
    const V t86 = u6 * x[10];
    const V t87 = -t82;
    const V t88 = t82 + t86;
    const V t92 = u6 * t88;
    const V t95 = t87 - t92;
    const V t97 = u5 * t95;
    const V t98 = x[8] + t97;
    const V t99 = t77 / t25;
    const V t101 = t26 * t99;
    const V t103 = t59 - t99;
    const V t104 = t101 - t83;
    const V t105 = t71 + t104;
    const V t106 = splat<V>(S(0.5)) * t105;
    const V t107 = t106 / t24;
    const V t109 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t107);
    const V t110 = u3 * t109;
    const V t115 = u2 * t109;
    const V t118 = t15 * t110;
    const V t119 = t103 + t118;
    const V t120 = t118 + t119;
    const V t121 = u1 * t120;
    const V t124 = u0 * t120;
    y[0] = t124;
    y[1] = t121;
    y[2] = t115;
    y[3] = splat<V>(S(0.0));
    y[4] = t98;
    y[5] = t65;
    y[6] = t88;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_7f9849195505_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t15 = t13 + t14;
    const V t16 = t15 * t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t24;
    const V t26 = t15 / t25;
    const V t27 = x[3] * u5;
    const V t28 = t26 + t27;
    const V t29 = u5 * t28;
    const V t30 = t26 + t29;
    const V t34 = u6 * x[4];
    const V t36 = u5 * t34;
    const V t37 = x[6] - t36;
    const V t38 = t37 - t34;
    const V t42 = t38 / t25;
    const V t43 = t26 * t42;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t24;
    const V t48 = -t47;
    const V t49 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t48);
    const V t50 = x[5] + t49;
    const V t51 = u3 * t50;
    const V t56 = t15 * t51;
    const V t57 = t42 + t56;
    const V t58 = t56 + t57;
    const V t74 = t58 * u7;
    const V t75 = x[0] * u7;
    const V t76 = t58 * x[7];
    const V t77 = u0 * x[7];
    const V t78 = t75 + t77;
    const V t79 = t58 * u8;
    const V t80 = x[1] * u8;
    const V t81 = t78 + t80;
    const V t82 = t58 * x[8];
    const V t83 = u1 * x[8];
    const V t84 = t81 + t83;
    const V t85 = t84 + t84;
    const V t86 = t51 * t85;
    const V t87 = t15 * t85;
    const V t89 = t50 * u9;
    const V t90 = x[2] * u9;
    const V t91 = t50 * x[9];
    const V t92 = u2 * x[9];
    const V t93 = t90 + t92;
    const V t95 = t16 * u9;
    const V t97 = t93 - t95;
    const V t98 = t50 * t87;
    const V t99 = u3 * t87;
    const V t100 = t97 + t99;
    const V t102 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t100);
    const V t104 = t102 / t24;
    const V t106 = t47 * t104;
    const V t108 = splat<V>(S(0.5)) * t104;
    const V t109 = -t108;
    const V t113 = t109 - u10;
    const V t114 = t42 * t113;
    const V t115 = t26 * t113;
    const V t116 = t84 + t115;
    const V t117 = t116 / t25;
    const V t118 = t42 * t117;
    const V t119 = -t118;
    const V t121 = t37 * u11;
    const V t122 = x[3] * u11;
    const V t123 = t37 * x[10];
    const V t124 = u5 * x[10];
    const V t125 = t122 + t124;
    const V t126 = -t117;
    const V t127 = t117 + t125;
    const V t129 = t34 * t127;
    const V t131 = u5 * t127;
    const V t133 = t123 - t129;
    const V t134 = t126 - t131;
    const V t135 = t34 * u11;
    const V t136 = -t135;
    const V t137 = t28 * u11;
    const V t139 = t134 - t137;
    const V t140 = x[4] * t139;
    const V t141 = u6 * t139;
    const V t142 = x[8] + t141;
    const V t144 = x[4] * u12;
    const V t146 = t30 * u12;
    const V t148 = t142 - t146;
    const V t149 = t114 - t144;
    const V t150 = t28 * t144;
    const V t152 = u5 * t144;
    const V t154 = t133 - t150;
    const V t155 = t136 - t152;
    const V t156 = t149 + t155;
    const V t157 = u5 * t155;
    const V t158 = x[3] * t155;
    const V t159 = t121 + t157;
    const V t160 = t154 + t158;
    const V t161 = t156 / t25;
    const V t162 = t26 * t161;
    const V t164 = t86 + t161;
    const V t165 = t119 - t162;
    const V t166 = t106 + t165;
    const V t167 = splat<V>(S(0.5)) * t166;
    const V t168 = t167 / t24;
    const V t170 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t168);
    const V t171 = u3 * t170;
    const V t172 = t16 * t170;
    const V t173 = t171 - t89;
    const V t174 = t98 + t172;
    const V t176 = t91 - t174;
    const V t177 = u2 * t170;
    const V t178 = x[2] * t170;
    const V t179 = t89 + t177;
    const V t180 = t176 + t178;
    const V t181 = t15 * t173;
    const V t182 = t164 + t181;
    const V t183 = t181 + t182;
    const V t184 = u1 * t183;
    const V t185 = x[1] * t183;
    const V t186 = t79 + t184;
    const V t187 = t82 + t185;
    const V t188 = u0 * t183;
    const V t189 = x[0] * t183;
    const V t190 = t74 + t188;
    const V t191 = t76 + t189;
    y[0] = t190;
    y[1] = t186;
    y[2] = t179;
    y[3] = t159;
    y[4] = t148;
    y[5] = t100;
    y[6] = t127;
    y[7] = t191;
    y[8] = t187;
    y[9] = t180;
    y[10] = t165;
    y[11] = t160;
    y[12] = t140;
  }
};

// rmsprop, centered: update, forward
template <class S, class V>
struct k_e42d7e79889a_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t13 = t7 * t7;
    const V t14 = x[2] * u1;
    const V t15 = u2 * t13;
    const V t16 = t14 + t15;
    const V t17 = t12 * t12;
    const V t20 = t16 - t17;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t20);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t7 / t24;
    const V t27 = u4 * t25;
    const V t28 = -t27;
    y[0] = t28;
    y[1] = t12;
    y[2] = t16;
  }
};

// rmsprop, centered: update, vjp
template <class S, class V>
struct k_e42d7e79889a_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t13 = t7 * t7;
    const V t14 = x[2] * u1;
    const V t15 = u2 * t13;
    const V t16 = t14 + t15;
    const V t17 = t12 * t12;
    const V t18 = t16 - t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t21;
    const V t23 = t7 / t22;
    const V t33 = u4 * x[3];
    const V t35 = t33 / t22;
    const V t37 = t23 * t35;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t41 = t40 / t21;
    const V t43 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t41);
    const V t45 = x[5] + t43;
    const V t46 = t12 * t43;
    const V t48 = x[4] - t46;
    const V t49 = t48 - t46;
    const V t51 = u2 * t45;
    const V t52 = u1 * t45;
    const V t54 = t7 * t51;
    const V t55 = t54 - t35;
    const V t56 = t54 + t55;
    const V t57 = u2 * t49;
    const V t59 = t56 + t57;
    const V t63 = u1 * t49;
    const V t66 = u0 * t59;
    y[0] = t66;
    y[1] = t63;
    y[2] = t52;
  }
};

// rmsprop, centered: update, vjps
template <class S, class V>
struct k_e42d7e79889a_vjps {
  static constexpr int inputs = 6, outputs = 3, scalars = 4, sums = 4, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t13 = t7 * t7;
    const V t14 = x[2] * u1;
    const V t15 = u2 * t13;
    const V t16 = t14 + t15;
    const V t17 = t12 * t12;
    const V t18 = t16 - t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t21;
    const V t23 = t7 / t22;
    const V t31 = t23 * x[3];
    const V t32 = -t31;
    const V t33 = u4 * x[3];
    const V t35 = t33 / t22;
    const V t37 = t23 * t35;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t41 = t40 / t21;
    const V t43 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t41);
    const V t45 = x[5] + t43;
    const V t46 = t12 * t43;
    const V t48 = x[4] - t46;
    const V t49 = t48 - t46;
    const V t50 = t13 * t45;
    const V t51 = u2 * t45;
    const V t52 = u1 * t45;
    const V t53 = x[2] * t45;
    const V t54 = t7 * t51;
    const V t55 = t54 - t35;
    const V t56 = t54 + t55;
    const V t57 = u2 * t49;
    const V t58 = t7 * t49;
    const V t59 = t56 + t57;
    const V t60 = t50 + t58;
    const V t62 = t53 - t60;
    const V t63 = u1 * t49;
    const V t64 = x[1] * t49;
    const V t65 = t62 + t64;
    const V t66 = u0 * t59;
    const V t67 = x[0] * t59;
    y[0] = t66;
    y[1] = t63;
    y[2] = t52;
    y[3] = t67;
    y[4] = t65;
    y[5] = t37;
    y[6] = t32;
  }
};

// rmsprop, centered: update, jvp
template <class S, class V>
struct k_e42d7e79889a_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 8, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t10 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t10);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t11 = t7 * u2;
    const V t12 = t8 + t11;
    const V t13 = t7 * t7;
    const V t14 = x[2] * u1;
    const V t15 = u2 * t13;
    const V t16 = t14 + t15;
    const V t17 = t12 * t12;
    const V t18 = t16 - t17;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t21;
    const V t23 = t7 / t22;
    const V t34 = u0 * x[3];
    const V t35 = x[0] * u4;
    const V t36 = t34 + t35;
    const V t37 = u1 * x[4];
    const V t38 = x[1] * u5;
    const V t39 = t37 + t38;
    const V t41 = u2 * t36;
    const V t42 = t7 * u5;
    const V t44 = t41 - t42;
    const V t45 = t39 + t44;
    const V t46 = t7 * t36;
    const V t47 = t46 + t46;
    const V t48 = u1 * x[5];
    const V t49 = x[2] * u5;
    const V t50 = t48 + t49;
    const V t51 = t13 * u5;
    const V t53 = u2 * t47;
    const V t54 = t53 - t51;
    const V t55 = t50 + t54;
    const V t56 = t12 * t45;
    const V t57 = t56 + t56;
    const V t58 = t55 - t57;
    const V t59 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t58);
    const V t61 = t59 * splat<V>(S(0.5));
    const V t62 = t61 / t21;
    const V t63 = u6 + t62;
    const V t64 = t23 * t63;
    const V t65 = t36 - t64;
    const V t66 = t65 / t22;
    const V t67 = t23 * u7;
    const V t68 = u8 * t66;
    const V t69 = t67 + t68;
    const V t70 = -t69;
    y[0] = t70;
    y[1] = t45;
    y[2] = t55;
  }
};

// rmsprop, centered: update, vjp_vjp
template <class S, class V>
struct k_e42d7e79889a_vjp_vjp {
  static constexpr int inputs = 9, outputs = 6, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = t10 * t10;
    const V t17 = x[2] * u1;
    const V t18 = u2 * t16;
    const V t19 = t17 + t18;
    const V t20 = t15 * t15;
    const V t21 = t19 - t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t10 / t25;
    const V t28 = u4 * x[3];
    const V t29 = t28 / t25;
    const V t30 = t26 * t29;
    const V t32 = t30 * splat<V>(S(0.5));
    const V t33 = t32 / t24;
    const V t34 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t33);
    const V t35 = x[5] + t34;
    const V t39 = u2 * t35;
    const V t52 = u0 * x[6];
    const V t54 = u1 * x[7];
    const V t56 = u2 * t52;
    const V t57 = t54 + t56;
    const V t59 = t52 + t52;
    const V t60 = t39 * t59;
    const V t61 = t10 * t59;
    const V t63 = u1 * x[8];
    const V t66 = u2 * t61;
    const V t68 = t63 + t66;
    const V t69 = -t57;
    const V t70 = t69 - t57;
    const V t71 = t34 * t70;
    const V t72 = t15 * t70;
    const V t73 = t68 + t72;
    const V t75 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t73);
    const V t76 = t75 / t24;
    const V t77 = t33 * t76;
    const V t79 = splat<V>(S(0.5)) * t76;
    const V t81 = t29 * t79;
    const V t82 = t26 * t79;
    const V t83 = t82 - t52;
    const V t84 = t83 / t25;
    const V t85 = t29 * t84;
    const V t86 = -t85;
    const V t88 = u4 * t84;
    const V t89 = t81 / t25;
    const V t90 = t26 * t89;
    const V t92 = t60 + t89;
    const V t93 = t86 - t90;
    const V t94 = t93 - t77;
    const V t95 = splat<V>(S(0.5)) * t94;
    const V t96 = t95 / t24;
    const V t98 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t96);
    const V t100 = t15 * t98;
    const V t102 = t71 - t100;
    const V t103 = t102 - t100;
    const V t105 = u2 * t98;
    const V t107 = u1 * t98;
    const V t110 = t10 * t105;
    const V t111 = t92 + t110;
    const V t112 = t110 + t111;
    const V t113 = u2 * t103;
    const V t115 = t112 + t113;
    const V t119 = u1 * t103;
    const V t122 = u0 * t115;
    y[0] = t122;
    y[1] = t119;
    y[2] = t107;
    y[3] = t88;
    y[4] = t57;
    y[5] = t68;
  }
};

// rmsprop, centered: update, vjps_vjps
template <class S, class V>
struct k_e42d7e79889a_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 8, sums = 4, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
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
    const V t10 = x[0] * u0;
    const V t11 = x[1] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = t10 * t10;
    const V t17 = x[2] * u1;
    const V t18 = u2 * t16;
    const V t19 = t17 + t18;
    const V t20 = t15 * t15;
    const V t21 = t19 - t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t10 / t25;
    const V t30 = u4 * x[3];
    const V t31 = t30 / t25;
    const V t32 = t26 * t31;
    const V t34 = t32 * splat<V>(S(0.5));
    const V t35 = t34 / t24;
    const V t36 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t35);
    const V t37 = x[5] + t36;
    const V t38 = t15 * t36;
    const V t39 = x[4] - t38;
    const V t40 = t39 - t38;
    const V t42 = u2 * t37;
    const V t45 = t10 * t42;
    const V t46 = t45 - t31;
    const V t47 = t45 + t46;
    const V t48 = u2 * t40;
    const V t50 = t47 + t48;
    const V t65 = t50 * u5;
    const V t66 = x[0] * u5;
    const V t67 = t50 * x[6];
    const V t68 = u0 * x[6];
    const V t69 = t66 + t68;
    const V t70 = t40 * u6;
    const V t71 = x[1] * u6;
    const V t72 = t40 * x[7];
    const V t73 = u1 * x[7];
    const V t74 = t71 + t73;
    const V t77 = t10 * u6;
    const V t79 = t74 - t77;
    const V t80 = t40 * t69;
    const V t81 = u2 * t69;
    const V t82 = t79 + t81;
    const V t84 = t69 + t69;
    const V t85 = t42 * t84;
    const V t86 = t10 * t84;
    const V t87 = t85 - t70;
    const V t88 = t37 * u6;
    const V t89 = x[2] * u6;
    const V t90 = t37 * x[8];
    const V t91 = u1 * x[8];
    const V t92 = t72 + t90;
    const V t93 = t89 + t91;
    const V t94 = t37 * t86;
    const V t95 = u2 * t86;
    const V t96 = t80 + t94;
    const V t97 = t93 + t95;
    const V t99 = t16 * u6;
    const V t101 = t97 - t99;
    const V t102 = -t82;
    const V t103 = t102 - t82;
    const V t104 = t36 * t103;
    const V t105 = t15 * t103;
    const V t106 = t101 + t105;
    const V t108 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t106);
    const V t109 = t108 / t24;
    const V t110 = t35 * t109;
    const V t112 = splat<V>(S(0.5)) * t109;
    const V t114 = u7 + t112;
    const V t115 = t31 * t114;
    const V t116 = t26 * t114;
    const V t117 = t116 - t69;
    const V t118 = t117 / t25;
    const V t119 = t31 * t118;
    const V t120 = -t119;
    const V t121 = x[3] * t118;
    const V t122 = u4 * t118;
    const V t124 = x[3] * u8;
    const V t126 = t26 * u8;
    const V t128 = t115 - t124;
    const V t129 = t122 - t126;
    const V t130 = t128 / t25;
    const V t131 = t26 * t130;
    const V t133 = t87 + t130;
    const V t134 = t120 - t131;
    const V t135 = t134 - t110;
    const V t136 = splat<V>(S(0.5)) * t135;
    const V t137 = t136 / t24;
    const V t139 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t137);
    const V t141 = t15 * t139;
    const V t143 = t104 - t141;
    const V t144 = t143 - t141;
    const V t145 = t16 * t139;
    const V t146 = u2 * t139;
    const V t147 = t96 + t145;
    const V t148 = t146 - t88;
    const V t149 = u1 * t139;
    const V t150 = x[2] * t139;
    const V t151 = t88 + t149;
    const V t152 = t92 + t150;
    const V t153 = t10 * t148;
    const V t154 = t133 + t153;
    const V t155 = t153 + t154;
    const V t156 = u2 * t144;
    const V t157 = t10 * t144;
    const V t158 = t155 + t156;
    const V t159 = t147 + t157;
    const V t161 = t152 - t159;
    const V t162 = u1 * t144;
    const V t163 = x[1] * t144;
    const V t164 = t70 + t162;
    const V t165 = t161 + t163;
    const V t166 = u0 * t158;
    const V t167 = x[0] * t158;
    const V t168 = t65 + t166;
    const V t169 = t67 + t167;
    y[0] = t168;
    y[1] = t164;
    y[2] = t151;
    y[3] = t129;
    y[4] = t82;
    y[5] = t101;
    y[6] = t169;
    y[7] = t165;
    y[8] = t134;
    y[9] = t121;
  }
};

// rmsprop, centered: parameters, forward
template <class S, class V>
struct k_ba472c48d19e_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = t8 * t8;
    const V t15 = x[3] * u1;
    const V t16 = u2 * t14;
    const V t17 = t15 + t16;
    const V t18 = t13 * t13;
    const V t21 = t17 - t18;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t8 / t25;
    const V t28 = u4 * t26;
    const V t30 = x[1] - t28;
    y[0] = t30;
    y[1] = t13;
    y[2] = t17;
  }
};

// rmsprop, centered: parameters, vjp
template <class S, class V>
struct k_ba472c48d19e_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = t8 * t8;
    const V t15 = x[3] * u1;
    const V t16 = u2 * t14;
    const V t17 = t15 + t16;
    const V t18 = t13 * t13;
    const V t19 = t17 - t18;
    const V t21 = select_gt(tiny<V>(), t19, tiny<V>(), t19);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t22;
    const V t24 = t8 / t23;
    const V t34 = u4 * x[4];
    const V t36 = t34 / t23;
    const V t38 = t24 * t36;
    const V t41 = t38 * splat<V>(S(0.5));
    const V t42 = t41 / t22;
    const V t44 = select_gt(tiny<V>(), t19, splat<V>(S(0.0)), t42);
    const V t46 = x[6] + t44;
    const V t47 = t13 * t44;
    const V t49 = x[5] - t47;
    const V t50 = t49 - t47;
    const V t52 = u2 * t46;
    const V t53 = u1 * t46;
    const V t55 = t8 * t52;
    const V t56 = t55 - t36;
    const V t57 = t55 + t56;
    const V t58 = u2 * t50;
    const V t60 = t57 + t58;
    const V t64 = u1 * t50;
    const V t67 = u0 * t60;
    y[0] = t67;
    y[1] = x[4];
    y[2] = t64;
    y[3] = t53;
  }
};

// rmsprop, centered: parameters, vjps
template <class S, class V>
struct k_ba472c48d19e_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 4, sums = 4, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = t8 * t8;
    const V t15 = x[3] * u1;
    const V t16 = u2 * t14;
    const V t17 = t15 + t16;
    const V t18 = t13 * t13;
    const V t19 = t17 - t18;
    const V t21 = select_gt(tiny<V>(), t19, tiny<V>(), t19);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t22;
    const V t24 = t8 / t23;
    const V t32 = t24 * x[4];
    const V t33 = -t32;
    const V t34 = u4 * x[4];
    const V t36 = t34 / t23;
    const V t38 = t24 * t36;
    const V t41 = t38 * splat<V>(S(0.5));
    const V t42 = t41 / t22;
    const V t44 = select_gt(tiny<V>(), t19, splat<V>(S(0.0)), t42);
    const V t46 = x[6] + t44;
    const V t47 = t13 * t44;
    const V t49 = x[5] - t47;
    const V t50 = t49 - t47;
    const V t51 = t14 * t46;
    const V t52 = u2 * t46;
    const V t53 = u1 * t46;
    const V t54 = x[3] * t46;
    const V t55 = t8 * t52;
    const V t56 = t55 - t36;
    const V t57 = t55 + t56;
    const V t58 = u2 * t50;
    const V t59 = t8 * t50;
    const V t60 = t57 + t58;
    const V t61 = t51 + t59;
    const V t63 = t54 - t61;
    const V t64 = u1 * t50;
    const V t65 = x[2] * t50;
    const V t66 = t63 + t65;
    const V t67 = u0 * t60;
    const V t68 = x[0] * t60;
    y[0] = t67;
    y[1] = x[4];
    y[2] = t64;
    y[3] = t53;
    y[4] = t68;
    y[5] = t66;
    y[6] = t38;
    y[7] = t33;
  }
};

// rmsprop, centered: parameters, jvp
template <class S, class V>
struct k_ba472c48d19e_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 8, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[3]);
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
    const V t8 = x[0] * u0;
    const V t9 = x[2] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = t8 * t8;
    const V t15 = x[3] * u1;
    const V t16 = u2 * t14;
    const V t17 = t15 + t16;
    const V t18 = t13 * t13;
    const V t19 = t17 - t18;
    const V t21 = select_gt(tiny<V>(), t19, tiny<V>(), t19);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t22;
    const V t24 = t8 / t23;
    const V t36 = u0 * x[4];
    const V t37 = x[0] * u4;
    const V t38 = t36 + t37;
    const V t39 = u1 * x[6];
    const V t40 = x[2] * u5;
    const V t41 = t39 + t40;
    const V t43 = u2 * t38;
    const V t44 = t8 * u5;
    const V t46 = t43 - t44;
    const V t47 = t41 + t46;
    const V t48 = t8 * t38;
    const V t49 = t48 + t48;
    const V t50 = u1 * x[7];
    const V t51 = x[3] * u5;
    const V t52 = t50 + t51;
    const V t53 = t14 * u5;
    const V t55 = u2 * t49;
    const V t56 = t55 - t53;
    const V t57 = t52 + t56;
    const V t58 = t13 * t47;
    const V t59 = t58 + t58;
    const V t60 = t57 - t59;
    const V t61 = select_gt(tiny<V>(), t19, splat<V>(S(0.0)), t60);
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = t63 / t22;
    const V t65 = u6 + t64;
    const V t66 = t24 * t65;
    const V t67 = t38 - t66;
    const V t68 = t67 / t23;
    const V t69 = t24 * u7;
    const V t70 = u8 * t68;
    const V t71 = t69 + t70;
    const V t72 = x[5] - t71;
    y[0] = t72;
    y[1] = t47;
    y[2] = t57;
  }
};

// rmsprop, centered: parameters, vjp_vjp
template <class S, class V>
struct k_ba472c48d19e_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t14);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t11 = x[0] * u0;
    const V t12 = x[2] * u1;
    const V t15 = t11 * u2;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u1;
    const V t19 = u2 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u3 + t25;
    const V t27 = t11 / t26;
    const V t29 = u4 * x[4];
    const V t30 = t29 / t26;
    const V t31 = t27 * t30;
    const V t33 = t31 * splat<V>(S(0.5));
    const V t34 = t33 / t25;
    const V t35 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t34);
    const V t36 = x[6] + t35;
    const V t40 = u2 * t36;
    const V t54 = u0 * x[7];
    const V t56 = u1 * x[9];
    const V t58 = u2 * t54;
    const V t59 = t56 + t58;
    const V t61 = t54 + t54;
    const V t62 = t40 * t61;
    const V t63 = t11 * t61;
    const V t65 = u1 * x[10];
    const V t68 = u2 * t63;
    const V t70 = t65 + t68;
    const V t71 = -t59;
    const V t72 = t71 - t59;
    const V t73 = t35 * t72;
    const V t74 = t16 * t72;
    const V t75 = t70 + t74;
    const V t77 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t75);
    const V t78 = t77 / t25;
    const V t79 = t34 * t78;
    const V t81 = splat<V>(S(0.5)) * t78;
    const V t83 = t30 * t81;
    const V t84 = t27 * t81;
    const V t85 = t84 - t54;
    const V t86 = t85 / t26;
    const V t87 = t30 * t86;
    const V t88 = -t87;
    const V t90 = u4 * t86;
    const V t91 = x[8] + t90;
    const V t92 = t83 / t26;
    const V t93 = t27 * t92;
    const V t95 = t62 + t92;
    const V t96 = t88 - t93;
    const V t97 = t96 - t79;
    const V t98 = splat<V>(S(0.5)) * t97;
    const V t99 = t98 / t25;
    const V t101 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t99);
    const V t103 = t16 * t101;
    const V t105 = t73 - t103;
    const V t106 = t105 - t103;
    const V t108 = u2 * t101;
    const V t110 = u1 * t101;
    const V t113 = t11 * t108;
    const V t114 = t95 + t113;
    const V t115 = t113 + t114;
    const V t116 = u2 * t106;
    const V t118 = t115 + t116;
    const V t122 = u1 * t106;
    const V t125 = u0 * t118;
    y[0] = t125;
    y[1] = splat<V>(S(0.0));
    y[2] = t122;
    y[3] = t110;
    y[4] = t91;
    y[5] = t59;
    y[6] = t70;
  }
};

// rmsprop, centered: parameters, vjps_vjps
template <class S, class V>
struct k_ba472c48d19e_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 8, sums = 4, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t14);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
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
    const V t11 = x[0] * u0;
    const V t12 = x[2] * u1;
    const V t15 = t11 * u2;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u1;
    const V t19 = u2 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u3 + t25;
    const V t27 = t11 / t26;
    const V t31 = u4 * x[4];
    const V t32 = t31 / t26;
    const V t33 = t27 * t32;
    const V t35 = t33 * splat<V>(S(0.5));
    const V t36 = t35 / t25;
    const V t37 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t36);
    const V t38 = x[6] + t37;
    const V t39 = t16 * t37;
    const V t40 = x[5] - t39;
    const V t41 = t40 - t39;
    const V t43 = u2 * t38;
    const V t46 = t11 * t43;
    const V t47 = t46 - t32;
    const V t48 = t46 + t47;
    const V t49 = u2 * t41;
    const V t51 = t48 + t49;
    const V t67 = t51 * u5;
    const V t68 = x[0] * u5;
    const V t69 = t51 * x[7];
    const V t70 = u0 * x[7];
    const V t71 = t68 + t70;
    const V t72 = t41 * u6;
    const V t73 = x[2] * u6;
    const V t74 = t41 * x[9];
    const V t75 = u1 * x[9];
    const V t76 = t73 + t75;
    const V t79 = t11 * u6;
    const V t81 = t76 - t79;
    const V t82 = t41 * t71;
    const V t83 = u2 * t71;
    const V t84 = t81 + t83;
    const V t86 = t71 + t71;
    const V t87 = t43 * t86;
    const V t88 = t11 * t86;
    const V t89 = t87 - t72;
    const V t90 = t38 * u6;
    const V t91 = x[3] * u6;
    const V t92 = t38 * x[10];
    const V t93 = u1 * x[10];
    const V t94 = t74 + t92;
    const V t95 = t91 + t93;
    const V t96 = t38 * t88;
    const V t97 = u2 * t88;
    const V t98 = t82 + t96;
    const V t99 = t95 + t97;
    const V t101 = t17 * u6;
    const V t103 = t99 - t101;
    const V t104 = -t84;
    const V t105 = t104 - t84;
    const V t106 = t37 * t105;
    const V t107 = t16 * t105;
    const V t108 = t103 + t107;
    const V t110 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t108);
    const V t111 = t110 / t25;
    const V t112 = t36 * t111;
    const V t114 = splat<V>(S(0.5)) * t111;
    const V t116 = u7 + t114;
    const V t117 = t32 * t116;
    const V t118 = t27 * t116;
    const V t119 = t118 - t71;
    const V t120 = t119 / t26;
    const V t121 = t32 * t120;
    const V t122 = -t121;
    const V t123 = x[4] * t120;
    const V t124 = u4 * t120;
    const V t125 = x[8] + t124;
    const V t127 = x[4] * u8;
    const V t129 = t27 * u8;
    const V t131 = t117 - t127;
    const V t132 = t125 - t129;
    const V t133 = t131 / t26;
    const V t134 = t27 * t133;
    const V t136 = t89 + t133;
    const V t137 = t122 - t134;
    const V t138 = t137 - t112;
    const V t139 = splat<V>(S(0.5)) * t138;
    const V t140 = t139 / t25;
    const V t142 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t140);
    const V t144 = t16 * t142;
    const V t146 = t106 - t144;
    const V t147 = t146 - t144;
    const V t148 = t17 * t142;
    const V t149 = u2 * t142;
    const V t150 = t98 + t148;
    const V t151 = t149 - t90;
    const V t152 = u1 * t142;
    const V t153 = x[3] * t142;
    const V t154 = t90 + t152;
    const V t155 = t94 + t153;
    const V t156 = t11 * t151;
    const V t157 = t136 + t156;
    const V t158 = t156 + t157;
    const V t159 = u2 * t147;
    const V t160 = t11 * t147;
    const V t161 = t158 + t159;
    const V t162 = t150 + t160;
    const V t164 = t155 - t162;
    const V t165 = u1 * t147;
    const V t166 = x[2] * t147;
    const V t167 = t72 + t165;
    const V t168 = t164 + t166;
    const V t169 = u0 * t161;
    const V t170 = x[0] * t161;
    const V t171 = t67 + t169;
    const V t172 = t69 + t170;
    y[0] = t171;
    y[1] = splat<V>(S(0.0));
    y[2] = t167;
    y[3] = t154;
    y[4] = t132;
    y[5] = t84;
    y[6] = t103;
    y[7] = t172;
    y[8] = t168;
    y[9] = t137;
    y[10] = t123;
  }
};

// rmsprop, centered, weight decay: update, forward
template <class S, class V>
struct k_7b6cbb048a3d_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t24 = t20 - t21;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t31 = u5 * t29;
    const V t32 = -t31;
    y[0] = t32;
    y[1] = t16;
    y[2] = t20;
  }
};

// rmsprop, centered, weight decay: update, vjp
template <class S, class V>
struct k_7b6cbb048a3d_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u4 + t25;
    const V t27 = t11 / t26;
    const V t37 = u5 * x[4];
    const V t39 = t37 / t26;
    const V t41 = t27 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t25;
    const V t47 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t45);
    const V t49 = x[6] + t47;
    const V t50 = t16 * t47;
    const V t52 = x[5] - t50;
    const V t53 = t52 - t50;
    const V t55 = u3 * t49;
    const V t56 = u2 * t49;
    const V t58 = t11 * t55;
    const V t59 = t58 - t39;
    const V t60 = t58 + t59;
    const V t61 = u3 * t53;
    const V t63 = t60 + t61;
    const V t67 = u2 * t53;
    const V t70 = u1 * t63;
    const V t72 = u0 * t63;
    y[0] = t72;
    y[1] = t70;
    y[2] = t67;
    y[3] = t56;
  }
};

// rmsprop, centered, weight decay: update, vjps
template <class S, class V>
struct k_7b6cbb048a3d_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u4 + t25;
    const V t27 = t11 / t26;
    const V t35 = t27 * x[4];
    const V t36 = -t35;
    const V t37 = u5 * x[4];
    const V t39 = t37 / t26;
    const V t41 = t27 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t25;
    const V t47 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t45);
    const V t49 = x[6] + t47;
    const V t50 = t16 * t47;
    const V t52 = x[5] - t50;
    const V t53 = t52 - t50;
    const V t54 = t17 * t49;
    const V t55 = u3 * t49;
    const V t56 = u2 * t49;
    const V t57 = x[3] * t49;
    const V t58 = t11 * t55;
    const V t59 = t58 - t39;
    const V t60 = t58 + t59;
    const V t61 = u3 * t53;
    const V t62 = t11 * t53;
    const V t63 = t60 + t61;
    const V t64 = t54 + t62;
    const V t66 = t57 - t64;
    const V t67 = u2 * t53;
    const V t68 = x[2] * t53;
    const V t69 = t66 + t68;
    const V t70 = u1 * t63;
    const V t71 = x[1] * t63;
    const V t72 = u0 * t63;
    const V t73 = x[0] * t63;
    y[0] = t72;
    y[1] = t70;
    y[2] = t67;
    y[3] = t56;
    y[4] = t73;
    y[5] = t71;
    y[6] = t69;
    y[7] = t41;
    y[8] = t36;
  }
};

// rmsprop, centered, weight decay: update, jvp
template <class S, class V>
struct k_7b6cbb048a3d_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u4 + t25;
    const V t27 = t11 / t26;
    const V t40 = u0 * x[4];
    const V t41 = x[0] * u5;
    const V t42 = t40 + t41;
    const V t43 = u1 * x[5];
    const V t44 = x[1] * u6;
    const V t45 = t43 + t44;
    const V t46 = t42 + t45;
    const V t47 = u2 * x[6];
    const V t48 = x[2] * u7;
    const V t49 = t47 + t48;
    const V t51 = u3 * t46;
    const V t52 = t11 * u7;
    const V t54 = t51 - t52;
    const V t55 = t49 + t54;
    const V t56 = t11 * t46;
    const V t57 = t56 + t56;
    const V t58 = u2 * x[7];
    const V t59 = x[3] * u7;
    const V t60 = t58 + t59;
    const V t61 = t17 * u7;
    const V t63 = u3 * t57;
    const V t64 = t63 - t61;
    const V t65 = t60 + t64;
    const V t66 = t16 * t55;
    const V t67 = t66 + t66;
    const V t68 = t65 - t67;
    const V t69 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t68);
    const V t71 = t69 * splat<V>(S(0.5));
    const V t72 = t71 / t25;
    const V t73 = u8 + t72;
    const V t74 = t27 * t73;
    const V t75 = t46 - t74;
    const V t76 = t75 / t26;
    const V t77 = t27 * u9;
    const V t78 = u10 * t76;
    const V t79 = t77 + t78;
    const V t80 = -t79;
    y[0] = t80;
    y[1] = t55;
    y[2] = t65;
  }
};

// rmsprop, centered, weight decay: update, vjp_vjp
template <class S, class V>
struct k_7b6cbb048a3d_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t17);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = x[2] * u2;
    const V t18 = t14 * u3;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u2;
    const V t22 = u3 * t20;
    const V t23 = t21 + t22;
    const V t24 = t19 * t19;
    const V t25 = t23 - t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u4 + t28;
    const V t30 = t14 / t29;
    const V t32 = u5 * x[4];
    const V t33 = t32 / t29;
    const V t34 = t30 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t28;
    const V t38 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t37);
    const V t39 = x[6] + t38;
    const V t43 = u3 * t39;
    const V t58 = u0 * x[7];
    const V t60 = u1 * x[8];
    const V t61 = t58 + t60;
    const V t63 = u2 * x[9];
    const V t65 = u3 * t61;
    const V t66 = t63 + t65;
    const V t68 = t61 + t61;
    const V t69 = t43 * t68;
    const V t70 = t14 * t68;
    const V t72 = u2 * x[10];
    const V t75 = u3 * t70;
    const V t77 = t72 + t75;
    const V t78 = -t66;
    const V t79 = t78 - t66;
    const V t80 = t38 * t79;
    const V t81 = t19 * t79;
    const V t82 = t77 + t81;
    const V t84 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t82);
    const V t85 = t84 / t28;
    const V t86 = t37 * t85;
    const V t88 = splat<V>(S(0.5)) * t85;
    const V t90 = t33 * t88;
    const V t91 = t30 * t88;
    const V t92 = t91 - t61;
    const V t93 = t92 / t29;
    const V t94 = t33 * t93;
    const V t95 = -t94;
    const V t97 = u5 * t93;
    const V t98 = t90 / t29;
    const V t99 = t30 * t98;
    const V t101 = t69 + t98;
    const V t102 = t95 - t99;
    const V t103 = t102 - t86;
    const V t104 = splat<V>(S(0.5)) * t103;
    const V t105 = t104 / t28;
    const V t107 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t105);
    const V t109 = t19 * t107;
    const V t111 = t80 - t109;
    const V t112 = t111 - t109;
    const V t114 = u3 * t107;
    const V t116 = u2 * t107;
    const V t119 = t14 * t114;
    const V t120 = t101 + t119;
    const V t121 = t119 + t120;
    const V t122 = u3 * t112;
    const V t124 = t121 + t122;
    const V t128 = u2 * t112;
    const V t131 = u1 * t124;
    const V t134 = u0 * t124;
    y[0] = t134;
    y[1] = t131;
    y[2] = t128;
    y[3] = t116;
    y[4] = t97;
    y[5] = t66;
    y[6] = t77;
  }
};

// rmsprop, centered, weight decay: update, vjps_vjps
template <class S, class V>
struct k_7b6cbb048a3d_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t17);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = x[2] * u2;
    const V t18 = t14 * u3;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u2;
    const V t22 = u3 * t20;
    const V t23 = t21 + t22;
    const V t24 = t19 * t19;
    const V t25 = t23 - t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u4 + t28;
    const V t30 = t14 / t29;
    const V t34 = u5 * x[4];
    const V t35 = t34 / t29;
    const V t36 = t30 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t28;
    const V t40 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t39);
    const V t41 = x[6] + t40;
    const V t42 = t19 * t40;
    const V t43 = x[5] - t42;
    const V t44 = t43 - t42;
    const V t46 = u3 * t41;
    const V t49 = t14 * t46;
    const V t50 = t49 - t35;
    const V t51 = t49 + t50;
    const V t52 = u3 * t44;
    const V t54 = t51 + t52;
    const V t73 = t54 * u6;
    const V t74 = x[0] * u6;
    const V t75 = t54 * x[7];
    const V t76 = u0 * x[7];
    const V t77 = t74 + t76;
    const V t78 = t54 * u7;
    const V t79 = x[1] * u7;
    const V t80 = t77 + t79;
    const V t81 = t54 * x[8];
    const V t82 = u1 * x[8];
    const V t83 = t80 + t82;
    const V t84 = t44 * u8;
    const V t85 = x[2] * u8;
    const V t86 = t44 * x[9];
    const V t87 = u2 * x[9];
    const V t88 = t85 + t87;
    const V t91 = t14 * u8;
    const V t93 = t88 - t91;
    const V t94 = t44 * t83;
    const V t95 = u3 * t83;
    const V t96 = t93 + t95;
    const V t98 = t83 + t83;
    const V t99 = t46 * t98;
    const V t100 = t14 * t98;
    const V t101 = t99 - t84;
    const V t102 = t41 * u8;
    const V t103 = x[3] * u8;
    const V t104 = t41 * x[10];
    const V t105 = u2 * x[10];
    const V t106 = t86 + t104;
    const V t107 = t103 + t105;
    const V t108 = t41 * t100;
    const V t109 = u3 * t100;
    const V t110 = t94 + t108;
    const V t111 = t107 + t109;
    const V t113 = t20 * u8;
    const V t115 = t111 - t113;
    const V t116 = -t96;
    const V t117 = t116 - t96;
    const V t118 = t40 * t117;
    const V t119 = t19 * t117;
    const V t120 = t115 + t119;
    const V t122 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t120);
    const V t123 = t122 / t28;
    const V t124 = t39 * t123;
    const V t126 = splat<V>(S(0.5)) * t123;
    const V t128 = u9 + t126;
    const V t129 = t35 * t128;
    const V t130 = t30 * t128;
    const V t131 = t130 - t83;
    const V t132 = t131 / t29;
    const V t133 = t35 * t132;
    const V t134 = -t133;
    const V t135 = x[4] * t132;
    const V t136 = u5 * t132;
    const V t138 = x[4] * u10;
    const V t140 = t30 * u10;
    const V t142 = t129 - t138;
    const V t143 = t136 - t140;
    const V t144 = t142 / t29;
    const V t145 = t30 * t144;
    const V t147 = t101 + t144;
    const V t148 = t134 - t145;
    const V t149 = t148 - t124;
    const V t150 = splat<V>(S(0.5)) * t149;
    const V t151 = t150 / t28;
    const V t153 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t151);
    const V t155 = t19 * t153;
    const V t157 = t118 - t155;
    const V t158 = t157 - t155;
    const V t159 = t20 * t153;
    const V t160 = u3 * t153;
    const V t161 = t110 + t159;
    const V t162 = t160 - t102;
    const V t163 = u2 * t153;
    const V t164 = x[3] * t153;
    const V t165 = t102 + t163;
    const V t166 = t106 + t164;
    const V t167 = t14 * t162;
    const V t168 = t147 + t167;
    const V t169 = t167 + t168;
    const V t170 = u3 * t158;
    const V t171 = t14 * t158;
    const V t172 = t169 + t170;
    const V t173 = t161 + t171;
    const V t175 = t166 - t173;
    const V t176 = u2 * t158;
    const V t177 = x[2] * t158;
    const V t178 = t84 + t176;
    const V t179 = t175 + t177;
    const V t180 = u1 * t172;
    const V t181 = x[1] * t172;
    const V t182 = t78 + t180;
    const V t183 = t81 + t181;
    const V t184 = u0 * t172;
    const V t185 = x[0] * t172;
    const V t186 = t73 + t184;
    const V t187 = t75 + t185;
    y[0] = t186;
    y[1] = t182;
    y[2] = t178;
    y[3] = t165;
    y[4] = t143;
    y[5] = t96;
    y[6] = t115;
    y[7] = t187;
    y[8] = t183;
    y[9] = t179;
    y[10] = t148;
    y[11] = t135;
  }
};

// rmsprop, centered, weight decay: parameters, forward
template <class S, class V>
struct k_d7be38a1fee6_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t24 = t20 - t21;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t31 = u5 * t29;
    const V t33 = x[1] - t31;
    y[0] = t33;
    y[1] = t16;
    y[2] = t20;
  }
};

// rmsprop, centered, weight decay: parameters, vjp
template <class S, class V>
struct k_d7be38a1fee6_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u4 + t25;
    const V t27 = t11 / t26;
    const V t37 = u5 * x[4];
    const V t39 = t37 / t26;
    const V t41 = t27 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t25;
    const V t47 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t45);
    const V t49 = x[6] + t47;
    const V t50 = t16 * t47;
    const V t52 = x[5] - t50;
    const V t53 = t52 - t50;
    const V t55 = u3 * t49;
    const V t56 = u2 * t49;
    const V t58 = t11 * t55;
    const V t59 = t58 - t39;
    const V t60 = t58 + t59;
    const V t61 = u3 * t53;
    const V t63 = t60 + t61;
    const V t67 = u2 * t53;
    const V t70 = u1 * t63;
    const V t72 = x[4] + t70;
    const V t73 = u0 * t63;
    y[0] = t73;
    y[1] = t72;
    y[2] = t67;
    y[3] = t56;
  }
};

// rmsprop, centered, weight decay: parameters, vjps
template <class S, class V>
struct k_d7be38a1fee6_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u4 + t25;
    const V t27 = t11 / t26;
    const V t35 = t27 * x[4];
    const V t36 = -t35;
    const V t37 = u5 * x[4];
    const V t39 = t37 / t26;
    const V t41 = t27 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t25;
    const V t47 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t45);
    const V t49 = x[6] + t47;
    const V t50 = t16 * t47;
    const V t52 = x[5] - t50;
    const V t53 = t52 - t50;
    const V t54 = t17 * t49;
    const V t55 = u3 * t49;
    const V t56 = u2 * t49;
    const V t57 = x[3] * t49;
    const V t58 = t11 * t55;
    const V t59 = t58 - t39;
    const V t60 = t58 + t59;
    const V t61 = u3 * t53;
    const V t62 = t11 * t53;
    const V t63 = t60 + t61;
    const V t64 = t54 + t62;
    const V t66 = t57 - t64;
    const V t67 = u2 * t53;
    const V t68 = x[2] * t53;
    const V t69 = t66 + t68;
    const V t70 = u1 * t63;
    const V t71 = x[1] * t63;
    const V t72 = x[4] + t70;
    const V t73 = u0 * t63;
    const V t74 = x[0] * t63;
    y[0] = t73;
    y[1] = t72;
    y[2] = t67;
    y[3] = t56;
    y[4] = t74;
    y[5] = t71;
    y[6] = t69;
    y[7] = t41;
    y[8] = t36;
  }
};

// rmsprop, centered, weight decay: parameters, jvp
template <class S, class V>
struct k_d7be38a1fee6_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t14);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = x[2] * u2;
    const V t15 = t11 * u3;
    const V t16 = t12 + t15;
    const V t17 = t11 * t11;
    const V t18 = x[3] * u2;
    const V t19 = u3 * t17;
    const V t20 = t18 + t19;
    const V t21 = t16 * t16;
    const V t22 = t20 - t21;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u4 + t25;
    const V t27 = t11 / t26;
    const V t40 = u0 * x[4];
    const V t41 = x[0] * u5;
    const V t42 = t40 + t41;
    const V t43 = u1 * x[5];
    const V t44 = x[1] * u6;
    const V t45 = t43 + t44;
    const V t46 = t42 + t45;
    const V t47 = u2 * x[6];
    const V t48 = x[2] * u7;
    const V t49 = t47 + t48;
    const V t51 = u3 * t46;
    const V t52 = t11 * u7;
    const V t54 = t51 - t52;
    const V t55 = t49 + t54;
    const V t56 = t11 * t46;
    const V t57 = t56 + t56;
    const V t58 = u2 * x[7];
    const V t59 = x[3] * u7;
    const V t60 = t58 + t59;
    const V t61 = t17 * u7;
    const V t63 = u3 * t57;
    const V t64 = t63 - t61;
    const V t65 = t60 + t64;
    const V t66 = t16 * t55;
    const V t67 = t66 + t66;
    const V t68 = t65 - t67;
    const V t69 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t68);
    const V t71 = t69 * splat<V>(S(0.5));
    const V t72 = t71 / t25;
    const V t73 = u8 + t72;
    const V t74 = t27 * t73;
    const V t75 = t46 - t74;
    const V t76 = t75 / t26;
    const V t77 = t27 * u9;
    const V t78 = u10 * t76;
    const V t79 = t77 + t78;
    const V t80 = x[5] - t79;
    y[0] = t80;
    y[1] = t55;
    y[2] = t65;
  }
};

// rmsprop, centered, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_d7be38a1fee6_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t17);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = x[2] * u2;
    const V t18 = t14 * u3;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u2;
    const V t22 = u3 * t20;
    const V t23 = t21 + t22;
    const V t24 = t19 * t19;
    const V t25 = t23 - t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u4 + t28;
    const V t30 = t14 / t29;
    const V t32 = u5 * x[4];
    const V t33 = t32 / t29;
    const V t34 = t30 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t28;
    const V t38 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t37);
    const V t39 = x[6] + t38;
    const V t43 = u3 * t39;
    const V t59 = u0 * x[7];
    const V t61 = u1 * x[8];
    const V t62 = t59 + t61;
    const V t64 = u2 * x[9];
    const V t66 = u3 * t62;
    const V t67 = t64 + t66;
    const V t69 = t62 + t62;
    const V t70 = t43 * t69;
    const V t71 = t14 * t69;
    const V t73 = u2 * x[10];
    const V t76 = u3 * t71;
    const V t78 = t73 + t76;
    const V t79 = -t67;
    const V t80 = t79 - t67;
    const V t81 = t38 * t80;
    const V t82 = t19 * t80;
    const V t83 = t78 + t82;
    const V t85 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t83);
    const V t86 = t85 / t28;
    const V t87 = t37 * t86;
    const V t89 = splat<V>(S(0.5)) * t86;
    const V t91 = t33 * t89;
    const V t92 = t30 * t89;
    const V t93 = t92 - t62;
    const V t94 = t93 / t29;
    const V t95 = t33 * t94;
    const V t96 = -t95;
    const V t98 = u5 * t94;
    const V t99 = x[8] + t98;
    const V t100 = t91 / t29;
    const V t101 = t30 * t100;
    const V t103 = t70 + t100;
    const V t104 = t96 - t101;
    const V t105 = t104 - t87;
    const V t106 = splat<V>(S(0.5)) * t105;
    const V t107 = t106 / t28;
    const V t109 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t107);
    const V t111 = t19 * t109;
    const V t113 = t81 - t111;
    const V t114 = t113 - t111;
    const V t116 = u3 * t109;
    const V t118 = u2 * t109;
    const V t121 = t14 * t116;
    const V t122 = t103 + t121;
    const V t123 = t121 + t122;
    const V t124 = u3 * t114;
    const V t126 = t123 + t124;
    const V t130 = u2 * t114;
    const V t133 = u1 * t126;
    const V t136 = u0 * t126;
    y[0] = t136;
    y[1] = t133;
    y[2] = t130;
    y[3] = t118;
    y[4] = t99;
    y[5] = t67;
    y[6] = t78;
  }
};

// rmsprop, centered, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_d7be38a1fee6_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t17);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = x[2] * u2;
    const V t18 = t14 * u3;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u2;
    const V t22 = u3 * t20;
    const V t23 = t21 + t22;
    const V t24 = t19 * t19;
    const V t25 = t23 - t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u4 + t28;
    const V t30 = t14 / t29;
    const V t34 = u5 * x[4];
    const V t35 = t34 / t29;
    const V t36 = t30 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t28;
    const V t40 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t39);
    const V t41 = x[6] + t40;
    const V t42 = t19 * t40;
    const V t43 = x[5] - t42;
    const V t44 = t43 - t42;
    const V t46 = u3 * t41;
    const V t49 = t14 * t46;
    const V t50 = t49 - t35;
    const V t51 = t49 + t50;
    const V t52 = u3 * t44;
    const V t54 = t51 + t52;
    const V t74 = t54 * u6;
    const V t75 = x[0] * u6;
    const V t76 = t54 * x[7];
    const V t77 = u0 * x[7];
    const V t78 = t75 + t77;
    const V t79 = t54 * u7;
    const V t80 = x[1] * u7;
    const V t81 = t78 + t80;
    const V t82 = t54 * x[8];
    const V t83 = u1 * x[8];
    const V t84 = t81 + t83;
    const V t85 = t44 * u8;
    const V t86 = x[2] * u8;
    const V t87 = t44 * x[9];
    const V t88 = u2 * x[9];
    const V t89 = t86 + t88;
    const V t92 = t14 * u8;
    const V t94 = t89 - t92;
    const V t95 = t44 * t84;
    const V t96 = u3 * t84;
    const V t97 = t94 + t96;
    const V t99 = t84 + t84;
    const V t100 = t46 * t99;
    const V t101 = t14 * t99;
    const V t102 = t100 - t85;
    const V t103 = t41 * u8;
    const V t104 = x[3] * u8;
    const V t105 = t41 * x[10];
    const V t106 = u2 * x[10];
    const V t107 = t87 + t105;
    const V t108 = t104 + t106;
    const V t109 = t41 * t101;
    const V t110 = u3 * t101;
    const V t111 = t95 + t109;
    const V t112 = t108 + t110;
    const V t114 = t20 * u8;
    const V t116 = t112 - t114;
    const V t117 = -t97;
    const V t118 = t117 - t97;
    const V t119 = t40 * t118;
    const V t120 = t19 * t118;
    const V t121 = t116 + t120;
    const V t123 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t121);
    const V t124 = t123 / t28;
    const V t125 = t39 * t124;
    const V t127 = splat<V>(S(0.5)) * t124;
    const V t129 = u9 + t127;
    const V t130 = t35 * t129;
    const V t131 = t30 * t129;
    const V t132 = t131 - t84;
    const V t133 = t132 / t29;
    const V t134 = t35 * t133;
    const V t135 = -t134;
    const V t136 = x[4] * t133;
    const V t137 = u5 * t133;
    const V t138 = x[8] + t137;
    const V t140 = x[4] * u10;
    const V t142 = t30 * u10;
    const V t144 = t130 - t140;
    const V t145 = t138 - t142;
    const V t146 = t144 / t29;
    const V t147 = t30 * t146;
    const V t149 = t102 + t146;
    const V t150 = t135 - t147;
    const V t151 = t150 - t125;
    const V t152 = splat<V>(S(0.5)) * t151;
    const V t153 = t152 / t28;
    const V t155 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t153);
    const V t157 = t19 * t155;
    const V t159 = t119 - t157;
    const V t160 = t159 - t157;
    const V t161 = t20 * t155;
    const V t162 = u3 * t155;
    const V t163 = t111 + t161;
    const V t164 = t162 - t103;
    const V t165 = u2 * t155;
    const V t166 = x[3] * t155;
    const V t167 = t103 + t165;
    const V t168 = t107 + t166;
    const V t169 = t14 * t164;
    const V t170 = t149 + t169;
    const V t171 = t169 + t170;
    const V t172 = u3 * t160;
    const V t173 = t14 * t160;
    const V t174 = t171 + t172;
    const V t175 = t163 + t173;
    const V t177 = t168 - t175;
    const V t178 = u2 * t160;
    const V t179 = x[2] * t160;
    const V t180 = t85 + t178;
    const V t181 = t177 + t179;
    const V t182 = u1 * t174;
    const V t183 = x[1] * t174;
    const V t184 = t79 + t182;
    const V t185 = t82 + t183;
    const V t186 = u0 * t174;
    const V t187 = x[0] * t174;
    const V t188 = t74 + t186;
    const V t189 = t76 + t187;
    y[0] = t188;
    y[1] = t184;
    y[2] = t180;
    y[3] = t167;
    y[4] = t145;
    y[5] = t97;
    y[6] = t116;
    y[7] = t189;
    y[8] = t185;
    y[9] = t181;
    y[10] = t150;
    y[11] = t136;
  }
};

// rmsprop, centered, momentum: update, forward
template <class S, class V>
struct k_01bc5abc131c_forward {
  static constexpr int inputs = 4, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = t9 * t9;
    const V t16 = x[2] * u1;
    const V t17 = u2 * t15;
    const V t18 = t16 + t17;
    const V t19 = t14 * t14;
    const V t22 = t18 - t19;
    const V t24 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t25 = sqrt_(t24);
    const V t26 = u3 + t25;
    const V t27 = t9 / t26;
    const V t28 = x[3] * u4;
    const V t29 = t27 + t28;
    const V t31 = u5 * t29;
    const V t32 = -t31;
    y[0] = t32;
    y[1] = t14;
    y[2] = t18;
    y[3] = t29;
  }
};

// rmsprop, centered, momentum: update, vjp
template <class S, class V>
struct k_01bc5abc131c_vjp {
  static constexpr int inputs = 8, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = t9 * t9;
    const V t16 = x[2] * u1;
    const V t17 = u2 * t15;
    const V t18 = t16 + t17;
    const V t19 = t14 * t14;
    const V t20 = t18 - t19;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t20);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t9 / t24;
    const V t38 = u4 * x[4];
    const V t40 = x[7] - t38;
    const V t41 = u5 * t40;
    const V t43 = t40 / t24;
    const V t44 = t25 * t43;
    const V t47 = t44 * splat<V>(S(0.5));
    const V t49 = t47 / t23;
    const V t50 = -t49;
    const V t52 = select_gt(tiny<V>(), t20, splat<V>(S(0.0)), t50);
    const V t54 = x[6] + t52;
    const V t55 = t14 * t52;
    const V t57 = x[5] - t55;
    const V t58 = t57 - t55;
    const V t60 = u2 * t54;
    const V t61 = u1 * t54;
    const V t63 = t9 * t60;
    const V t64 = t43 + t63;
    const V t65 = t63 + t64;
    const V t66 = u2 * t58;
    const V t68 = t65 + t66;
    const V t72 = u1 * t58;
    const V t75 = u0 * t68;
    y[0] = t75;
    y[1] = t72;
    y[2] = t61;
    y[3] = t41;
  }
};

// rmsprop, centered, momentum: update, vjps
template <class S, class V>
struct k_01bc5abc131c_vjps {
  static constexpr int inputs = 8, outputs = 4, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = t9 * t9;
    const V t16 = x[2] * u1;
    const V t17 = u2 * t15;
    const V t18 = t16 + t17;
    const V t19 = t14 * t14;
    const V t20 = t18 - t19;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t20);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t9 / t24;
    const V t26 = x[3] * u4;
    const V t27 = t25 + t26;
    const V t36 = t27 * x[4];
    const V t37 = -t36;
    const V t38 = u5 * x[4];
    const V t40 = x[7] - t38;
    const V t41 = u4 * t40;
    const V t42 = x[3] * t40;
    const V t43 = t40 / t24;
    const V t44 = t25 * t43;
    const V t45 = -t44;
    const V t47 = t44 * splat<V>(S(0.5));
    const V t49 = t47 / t23;
    const V t50 = -t49;
    const V t52 = select_gt(tiny<V>(), t20, splat<V>(S(0.0)), t50);
    const V t54 = x[6] + t52;
    const V t55 = t14 * t52;
    const V t57 = x[5] - t55;
    const V t58 = t57 - t55;
    const V t59 = t15 * t54;
    const V t60 = u2 * t54;
    const V t61 = u1 * t54;
    const V t62 = x[2] * t54;
    const V t63 = t9 * t60;
    const V t64 = t43 + t63;
    const V t65 = t63 + t64;
    const V t66 = u2 * t58;
    const V t67 = t9 * t58;
    const V t68 = t65 + t66;
    const V t69 = t59 + t67;
    const V t71 = t62 - t69;
    const V t72 = u1 * t58;
    const V t73 = x[1] * t58;
    const V t74 = t71 + t73;
    const V t75 = u0 * t68;
    const V t76 = x[0] * t68;
    y[0] = t75;
    y[1] = t72;
    y[2] = t61;
    y[3] = t41;
    y[4] = t76;
    y[5] = t74;
    y[6] = t45;
    y[7] = t42;
    y[8] = t37;
  }
};

// rmsprop, centered, momentum: update, jvp
template <class S, class V>
struct k_01bc5abc131c_jvp {
  static constexpr int inputs = 8, outputs = 4, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = t9 * t9;
    const V t16 = x[2] * u1;
    const V t17 = u2 * t15;
    const V t18 = t16 + t17;
    const V t19 = t14 * t14;
    const V t20 = t18 - t19;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t20);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t9 / t24;
    const V t26 = x[3] * u4;
    const V t27 = t25 + t26;
    const V t40 = u0 * x[4];
    const V t41 = x[0] * u5;
    const V t42 = t40 + t41;
    const V t43 = u1 * x[5];
    const V t44 = x[1] * u6;
    const V t45 = t43 + t44;
    const V t47 = u2 * t42;
    const V t48 = t9 * u6;
    const V t50 = t47 - t48;
    const V t51 = t45 + t50;
    const V t52 = t9 * t42;
    const V t53 = t52 + t52;
    const V t54 = u1 * x[6];
    const V t55 = x[2] * u6;
    const V t56 = t54 + t55;
    const V t57 = t15 * u6;
    const V t59 = u2 * t53;
    const V t60 = t59 - t57;
    const V t61 = t56 + t60;
    const V t62 = t14 * t51;
    const V t63 = t62 + t62;
    const V t64 = t61 - t63;
    const V t65 = select_gt(tiny<V>(), t20, splat<V>(S(0.0)), t64);
    const V t67 = t65 * splat<V>(S(0.5));
    const V t68 = t67 / t23;
    const V t69 = u7 + t68;
    const V t70 = t25 * t69;
    const V t71 = t42 - t70;
    const V t72 = t71 / t24;
    const V t73 = u4 * x[7];
    const V t74 = x[3] * u8;
    const V t75 = t73 + t74;
    const V t76 = t72 + t75;
    const V t77 = t27 * u9;
    const V t78 = u10 * t76;
    const V t79 = t77 + t78;
    const V t80 = -t79;
    y[0] = t80;
    y[1] = t51;
    y[2] = t61;
    y[3] = t76;
  }
};

// rmsprop, centered, momentum: update, vjp_vjp
template <class S, class V>
struct k_01bc5abc131c_vjp_vjp {
  static constexpr int inputs = 12, outputs = 8, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[2] * u1;
    const V t21 = u2 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u3 + t27;
    const V t29 = t13 / t28;
    const V t31 = u4 * x[4];
    const V t32 = x[7] - t31;
    const V t34 = t32 / t28;
    const V t35 = t29 * t34;
    const V t37 = t35 * splat<V>(S(0.5));
    const V t38 = t37 / t27;
    const V t39 = -t38;
    const V t40 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t39);
    const V t41 = x[6] + t40;
    const V t45 = u2 * t41;
    const V t59 = u0 * x[8];
    const V t61 = u1 * x[9];
    const V t63 = u2 * t59;
    const V t64 = t61 + t63;
    const V t65 = t59 + t59;
    const V t66 = t45 * t65;
    const V t67 = t13 * t65;
    const V t69 = u1 * x[10];
    const V t72 = u2 * t67;
    const V t74 = t69 + t72;
    const V t75 = -t64;
    const V t76 = t75 - t64;
    const V t77 = t40 * t76;
    const V t78 = t18 * t76;
    const V t79 = t74 + t78;
    const V t81 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t79);
    const V t83 = t81 / t27;
    const V t85 = t38 * t83;
    const V t87 = splat<V>(S(0.5)) * t83;
    const V t91 = t34 * t87;
    const V t93 = t29 * t87;
    const V t95 = t59 - t93;
    const V t96 = t95 / t28;
    const V t97 = t34 * t96;
    const V t100 = u5 * x[11];
    const V t101 = t96 + t100;
    const V t105 = u4 * t101;
    const V t106 = -t105;
    const V t107 = t91 / t28;
    const V t109 = t29 * t107;
    const V t111 = t66 - t107;
    const V t112 = t109 - t97;
    const V t113 = t85 + t112;
    const V t114 = splat<V>(S(0.5)) * t113;
    const V t115 = t114 / t27;
    const V t117 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t115);
    const V t119 = t18 * t117;
    const V t121 = t77 - t119;
    const V t122 = t121 - t119;
    const V t124 = u2 * t117;
    const V t126 = u1 * t117;
    const V t129 = t13 * t124;
    const V t130 = t111 + t129;
    const V t131 = t129 + t130;
    const V t132 = u2 * t122;
    const V t134 = t131 + t132;
    const V t138 = u1 * t122;
    const V t141 = u0 * t134;
    y[0] = t141;
    y[1] = t138;
    y[2] = t126;
    y[3] = splat<V>(S(0.0));
    y[4] = t106;
    y[5] = t64;
    y[6] = t74;
    y[7] = t101;
  }
};

// rmsprop, centered, momentum: update, vjps_vjps
template <class S, class V>
struct k_01bc5abc131c_vjps_vjps {
  static constexpr int inputs = 12, outputs = 8, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t13 = x[0] * u0;
    const V t14 = x[1] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[2] * u1;
    const V t21 = u2 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u3 + t27;
    const V t29 = t13 / t28;
    const V t30 = x[3] * u4;
    const V t31 = t29 + t30;
    const V t35 = u5 * x[4];
    const V t36 = x[7] - t35;
    const V t39 = t36 / t28;
    const V t40 = t29 * t39;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t44 = t43 / t27;
    const V t45 = -t44;
    const V t46 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t45);
    const V t47 = x[6] + t46;
    const V t48 = t18 * t46;
    const V t49 = x[5] - t48;
    const V t50 = t49 - t48;
    const V t52 = u2 * t47;
    const V t55 = t13 * t52;
    const V t56 = t39 + t55;
    const V t57 = t55 + t56;
    const V t58 = u2 * t50;
    const V t60 = t57 + t58;
    const V t77 = t60 * u6;
    const V t78 = x[0] * u6;
    const V t79 = t60 * x[8];
    const V t80 = u0 * x[8];
    const V t81 = t78 + t80;
    const V t82 = t50 * u7;
    const V t83 = x[1] * u7;
    const V t84 = t50 * x[9];
    const V t85 = u1 * x[9];
    const V t86 = t83 + t85;
    const V t89 = t13 * u7;
    const V t91 = t86 - t89;
    const V t92 = t50 * t81;
    const V t93 = u2 * t81;
    const V t94 = t91 + t93;
    const V t95 = t81 + t81;
    const V t96 = t52 * t95;
    const V t97 = t13 * t95;
    const V t98 = t96 - t82;
    const V t99 = t47 * u7;
    const V t100 = x[2] * u7;
    const V t101 = t47 * x[10];
    const V t102 = u1 * x[10];
    const V t103 = t84 + t101;
    const V t104 = t100 + t102;
    const V t105 = t47 * t97;
    const V t106 = u2 * t97;
    const V t107 = t92 + t105;
    const V t108 = t104 + t106;
    const V t110 = t19 * u7;
    const V t112 = t108 - t110;
    const V t113 = -t94;
    const V t114 = t113 - t94;
    const V t115 = t46 * t114;
    const V t116 = t18 * t114;
    const V t117 = t112 + t116;
    const V t119 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t117);
    const V t121 = t119 / t27;
    const V t123 = t44 * t121;
    const V t125 = splat<V>(S(0.5)) * t121;
    const V t126 = -t125;
    const V t130 = t126 - u8;
    const V t131 = t39 * t130;
    const V t132 = t29 * t130;
    const V t133 = t81 + t132;
    const V t134 = t133 / t28;
    const V t135 = t39 * t134;
    const V t136 = -t135;
    const V t137 = t36 * u9;
    const V t138 = x[3] * u9;
    const V t139 = t134 + t138;
    const V t140 = t36 * x[11];
    const V t141 = u4 * x[11];
    const V t142 = t139 + t141;
    const V t144 = x[4] * t142;
    const V t145 = -t144;
    const V t146 = u5 * t142;
    const V t147 = -t146;
    const V t149 = x[4] * u10;
    const V t151 = t31 * u10;
    const V t153 = t147 - t151;
    const V t154 = t131 - t149;
    const V t155 = u4 * t149;
    const V t157 = x[3] * t149;
    const V t159 = t137 - t155;
    const V t160 = t140 - t157;
    const V t161 = t154 / t28;
    const V t162 = t29 * t161;
    const V t164 = t98 + t161;
    const V t165 = t136 - t162;
    const V t166 = t123 + t165;
    const V t167 = splat<V>(S(0.5)) * t166;
    const V t168 = t167 / t27;
    const V t170 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t168);
    const V t172 = t18 * t170;
    const V t174 = t115 - t172;
    const V t175 = t174 - t172;
    const V t176 = t19 * t170;
    const V t177 = u2 * t170;
    const V t178 = t107 + t176;
    const V t179 = t177 - t99;
    const V t180 = u1 * t170;
    const V t181 = x[2] * t170;
    const V t182 = t99 + t180;
    const V t183 = t103 + t181;
    const V t184 = t13 * t179;
    const V t185 = t164 + t184;
    const V t186 = t184 + t185;
    const V t187 = u2 * t175;
    const V t188 = t13 * t175;
    const V t189 = t186 + t187;
    const V t190 = t178 + t188;
    const V t192 = t183 - t190;
    const V t193 = u1 * t175;
    const V t194 = x[1] * t175;
    const V t195 = t82 + t193;
    const V t196 = t192 + t194;
    const V t197 = u0 * t189;
    const V t198 = x[0] * t189;
    const V t199 = t77 + t197;
    const V t200 = t79 + t198;
    y[0] = t199;
    y[1] = t195;
    y[2] = t182;
    y[3] = t159;
    y[4] = t153;
    y[5] = t94;
    y[6] = t112;
    y[7] = t142;
    y[8] = t200;
    y[9] = t196;
    y[10] = t165;
    y[11] = t160;
    y[12] = t145;
  }
};

// rmsprop, centered, momentum: parameters, forward
template <class S, class V>
struct k_df6f48e1cfa4_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = t10 * t10;
    const V t17 = x[3] * u1;
    const V t18 = u2 * t16;
    const V t19 = t17 + t18;
    const V t20 = t15 * t15;
    const V t23 = t19 - t20;
    const V t25 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t26 = sqrt_(t25);
    const V t27 = u3 + t26;
    const V t28 = t10 / t27;
    const V t29 = x[4] * u4;
    const V t30 = t28 + t29;
    const V t32 = u5 * t30;
    const V t34 = x[1] - t32;
    y[0] = t34;
    y[1] = t15;
    y[2] = t19;
    y[3] = t30;
  }
};

// rmsprop, centered, momentum: parameters, vjp
template <class S, class V>
struct k_df6f48e1cfa4_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = t10 * t10;
    const V t17 = x[3] * u1;
    const V t18 = u2 * t16;
    const V t19 = t17 + t18;
    const V t20 = t15 * t15;
    const V t21 = t19 - t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t10 / t25;
    const V t39 = u4 * x[5];
    const V t41 = x[8] - t39;
    const V t42 = u5 * t41;
    const V t44 = t41 / t25;
    const V t45 = t26 * t44;
    const V t48 = t45 * splat<V>(S(0.5));
    const V t50 = t48 / t24;
    const V t51 = -t50;
    const V t53 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t51);
    const V t55 = x[7] + t53;
    const V t56 = t15 * t53;
    const V t58 = x[6] - t56;
    const V t59 = t58 - t56;
    const V t61 = u2 * t55;
    const V t62 = u1 * t55;
    const V t64 = t10 * t61;
    const V t65 = t44 + t64;
    const V t66 = t64 + t65;
    const V t67 = u2 * t59;
    const V t69 = t66 + t67;
    const V t73 = u1 * t59;
    const V t76 = u0 * t69;
    y[0] = t76;
    y[1] = x[5];
    y[2] = t73;
    y[3] = t62;
    y[4] = t42;
  }
};

// rmsprop, centered, momentum: parameters, vjps
template <class S, class V>
struct k_df6f48e1cfa4_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = t10 * t10;
    const V t17 = x[3] * u1;
    const V t18 = u2 * t16;
    const V t19 = t17 + t18;
    const V t20 = t15 * t15;
    const V t21 = t19 - t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t10 / t25;
    const V t27 = x[4] * u4;
    const V t28 = t26 + t27;
    const V t37 = t28 * x[5];
    const V t38 = -t37;
    const V t39 = u5 * x[5];
    const V t41 = x[8] - t39;
    const V t42 = u4 * t41;
    const V t43 = x[4] * t41;
    const V t44 = t41 / t25;
    const V t45 = t26 * t44;
    const V t46 = -t45;
    const V t48 = t45 * splat<V>(S(0.5));
    const V t50 = t48 / t24;
    const V t51 = -t50;
    const V t53 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t51);
    const V t55 = x[7] + t53;
    const V t56 = t15 * t53;
    const V t58 = x[6] - t56;
    const V t59 = t58 - t56;
    const V t60 = t16 * t55;
    const V t61 = u2 * t55;
    const V t62 = u1 * t55;
    const V t63 = x[3] * t55;
    const V t64 = t10 * t61;
    const V t65 = t44 + t64;
    const V t66 = t64 + t65;
    const V t67 = u2 * t59;
    const V t68 = t10 * t59;
    const V t69 = t66 + t67;
    const V t70 = t60 + t68;
    const V t72 = t63 - t70;
    const V t73 = u1 * t59;
    const V t74 = x[2] * t59;
    const V t75 = t72 + t74;
    const V t76 = u0 * t69;
    const V t77 = x[0] * t69;
    y[0] = t76;
    y[1] = x[5];
    y[2] = t73;
    y[3] = t62;
    y[4] = t42;
    y[5] = t77;
    y[6] = t75;
    y[7] = t46;
    y[8] = t43;
    y[9] = t38;
  }
};

// rmsprop, centered, momentum: parameters, jvp
template <class S, class V>
struct k_df6f48e1cfa4_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = t10 * t10;
    const V t17 = x[3] * u1;
    const V t18 = u2 * t16;
    const V t19 = t17 + t18;
    const V t20 = t15 * t15;
    const V t21 = t19 - t20;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t10 / t25;
    const V t27 = x[4] * u4;
    const V t28 = t26 + t27;
    const V t42 = u0 * x[5];
    const V t43 = x[0] * u5;
    const V t44 = t42 + t43;
    const V t45 = u1 * x[7];
    const V t46 = x[2] * u6;
    const V t47 = t45 + t46;
    const V t49 = u2 * t44;
    const V t50 = t10 * u6;
    const V t52 = t49 - t50;
    const V t53 = t47 + t52;
    const V t54 = t10 * t44;
    const V t55 = t54 + t54;
    const V t56 = u1 * x[8];
    const V t57 = x[3] * u6;
    const V t58 = t56 + t57;
    const V t59 = t16 * u6;
    const V t61 = u2 * t55;
    const V t62 = t61 - t59;
    const V t63 = t58 + t62;
    const V t64 = t15 * t53;
    const V t65 = t64 + t64;
    const V t66 = t63 - t65;
    const V t67 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t66);
    const V t69 = t67 * splat<V>(S(0.5));
    const V t70 = t69 / t24;
    const V t71 = u7 + t70;
    const V t72 = t26 * t71;
    const V t73 = t44 - t72;
    const V t74 = t73 / t25;
    const V t75 = u4 * x[9];
    const V t76 = x[4] * u8;
    const V t77 = t75 + t76;
    const V t78 = t74 + t77;
    const V t79 = t28 * u9;
    const V t80 = u10 * t78;
    const V t81 = t79 + t80;
    const V t82 = x[6] - t81;
    y[0] = t82;
    y[1] = t53;
    y[2] = t63;
    y[3] = t78;
  }
};

// rmsprop, centered, momentum: parameters, vjp_vjp
template <class S, class V>
struct k_df6f48e1cfa4_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u1;
    const V t22 = u2 * t20;
    const V t23 = t21 + t22;
    const V t24 = t19 * t19;
    const V t25 = t23 - t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u3 + t28;
    const V t30 = t14 / t29;
    const V t32 = u4 * x[5];
    const V t33 = x[8] - t32;
    const V t35 = t33 / t29;
    const V t36 = t30 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t28;
    const V t40 = -t39;
    const V t41 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t40);
    const V t42 = x[7] + t41;
    const V t46 = u2 * t42;
    const V t61 = u0 * x[9];
    const V t63 = u1 * x[11];
    const V t65 = u2 * t61;
    const V t66 = t63 + t65;
    const V t67 = t61 + t61;
    const V t68 = t46 * t67;
    const V t69 = t14 * t67;
    const V t71 = u1 * x[12];
    const V t74 = u2 * t69;
    const V t76 = t71 + t74;
    const V t77 = -t66;
    const V t78 = t77 - t66;
    const V t79 = t41 * t78;
    const V t80 = t19 * t78;
    const V t81 = t76 + t80;
    const V t83 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t81);
    const V t85 = t83 / t28;
    const V t87 = t39 * t85;
    const V t89 = splat<V>(S(0.5)) * t85;
    const V t93 = t35 * t89;
    const V t95 = t30 * t89;
    const V t97 = t61 - t95;
    const V t98 = t97 / t29;
    const V t99 = t35 * t98;
    const V t102 = u5 * x[13];
    const V t103 = t98 + t102;
    const V t107 = u4 * t103;
    const V t109 = x[10] - t107;
    const V t110 = t93 / t29;
    const V t112 = t30 * t110;
    const V t114 = t68 - t110;
    const V t115 = t112 - t99;
    const V t116 = t87 + t115;
    const V t117 = splat<V>(S(0.5)) * t116;
    const V t118 = t117 / t28;
    const V t120 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t118);
    const V t122 = t19 * t120;
    const V t124 = t79 - t122;
    const V t125 = t124 - t122;
    const V t127 = u2 * t120;
    const V t129 = u1 * t120;
    const V t132 = t14 * t127;
    const V t133 = t114 + t132;
    const V t134 = t132 + t133;
    const V t135 = u2 * t125;
    const V t137 = t134 + t135;
    const V t141 = u1 * t125;
    const V t144 = u0 * t137;
    y[0] = t144;
    y[1] = splat<V>(S(0.0));
    y[2] = t141;
    y[3] = t129;
    y[4] = splat<V>(S(0.0));
    y[5] = t109;
    y[6] = t66;
    y[7] = t76;
    y[8] = t103;
  }
};

// rmsprop, centered, momentum: parameters, vjps_vjps
template <class S, class V>
struct k_df6f48e1cfa4_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t14 = x[0] * u0;
    const V t15 = x[2] * u1;
    const V t18 = t14 * u2;
    const V t19 = t15 + t18;
    const V t20 = t14 * t14;
    const V t21 = x[3] * u1;
    const V t22 = u2 * t20;
    const V t23 = t21 + t22;
    const V t24 = t19 * t19;
    const V t25 = t23 - t24;
    const V t27 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t28 = sqrt_(t27);
    const V t29 = u3 + t28;
    const V t30 = t14 / t29;
    const V t31 = x[4] * u4;
    const V t32 = t30 + t31;
    const V t36 = u5 * x[5];
    const V t37 = x[8] - t36;
    const V t40 = t37 / t29;
    const V t41 = t30 * t40;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t28;
    const V t46 = -t45;
    const V t47 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t46);
    const V t48 = x[7] + t47;
    const V t49 = t19 * t47;
    const V t50 = x[6] - t49;
    const V t51 = t50 - t49;
    const V t53 = u2 * t48;
    const V t56 = t14 * t53;
    const V t57 = t40 + t56;
    const V t58 = t56 + t57;
    const V t59 = u2 * t51;
    const V t61 = t58 + t59;
    const V t79 = t61 * u6;
    const V t80 = x[0] * u6;
    const V t81 = t61 * x[9];
    const V t82 = u0 * x[9];
    const V t83 = t80 + t82;
    const V t84 = t51 * u7;
    const V t85 = x[2] * u7;
    const V t86 = t51 * x[11];
    const V t87 = u1 * x[11];
    const V t88 = t85 + t87;
    const V t91 = t14 * u7;
    const V t93 = t88 - t91;
    const V t94 = t51 * t83;
    const V t95 = u2 * t83;
    const V t96 = t93 + t95;
    const V t97 = t83 + t83;
    const V t98 = t53 * t97;
    const V t99 = t14 * t97;
    const V t100 = t98 - t84;
    const V t101 = t48 * u7;
    const V t102 = x[3] * u7;
    const V t103 = t48 * x[12];
    const V t104 = u1 * x[12];
    const V t105 = t86 + t103;
    const V t106 = t102 + t104;
    const V t107 = t48 * t99;
    const V t108 = u2 * t99;
    const V t109 = t94 + t107;
    const V t110 = t106 + t108;
    const V t112 = t20 * u7;
    const V t114 = t110 - t112;
    const V t115 = -t96;
    const V t116 = t115 - t96;
    const V t117 = t47 * t116;
    const V t118 = t19 * t116;
    const V t119 = t114 + t118;
    const V t121 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t119);
    const V t123 = t121 / t28;
    const V t125 = t45 * t123;
    const V t127 = splat<V>(S(0.5)) * t123;
    const V t128 = -t127;
    const V t132 = t128 - u8;
    const V t133 = t40 * t132;
    const V t134 = t30 * t132;
    const V t135 = t83 + t134;
    const V t136 = t135 / t29;
    const V t137 = t40 * t136;
    const V t138 = -t137;
    const V t139 = t37 * u9;
    const V t140 = x[4] * u9;
    const V t141 = t136 + t140;
    const V t142 = t37 * x[13];
    const V t143 = u4 * x[13];
    const V t144 = t141 + t143;
    const V t146 = x[5] * t144;
    const V t147 = -t146;
    const V t148 = u5 * t144;
    const V t150 = x[10] - t148;
    const V t152 = x[5] * u10;
    const V t154 = t32 * u10;
    const V t156 = t150 - t154;
    const V t157 = t133 - t152;
    const V t158 = u4 * t152;
    const V t160 = x[4] * t152;
    const V t162 = t139 - t158;
    const V t163 = t142 - t160;
    const V t164 = t157 / t29;
    const V t165 = t30 * t164;
    const V t167 = t100 + t164;
    const V t168 = t138 - t165;
    const V t169 = t125 + t168;
    const V t170 = splat<V>(S(0.5)) * t169;
    const V t171 = t170 / t28;
    const V t173 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t171);
    const V t175 = t19 * t173;
    const V t177 = t117 - t175;
    const V t178 = t177 - t175;
    const V t179 = t20 * t173;
    const V t180 = u2 * t173;
    const V t181 = t109 + t179;
    const V t182 = t180 - t101;
    const V t183 = u1 * t173;
    const V t184 = x[3] * t173;
    const V t185 = t101 + t183;
    const V t186 = t105 + t184;
    const V t187 = t14 * t182;
    const V t188 = t167 + t187;
    const V t189 = t187 + t188;
    const V t190 = u2 * t178;
    const V t191 = t14 * t178;
    const V t192 = t189 + t190;
    const V t193 = t181 + t191;
    const V t195 = t186 - t193;
    const V t196 = u1 * t178;
    const V t197 = x[2] * t178;
    const V t198 = t84 + t196;
    const V t199 = t195 + t197;
    const V t200 = u0 * t192;
    const V t201 = x[0] * t192;
    const V t202 = t79 + t200;
    const V t203 = t81 + t201;
    y[0] = t202;
    y[1] = splat<V>(S(0.0));
    y[2] = t198;
    y[3] = t185;
    y[4] = t162;
    y[5] = t156;
    y[6] = t96;
    y[7] = t114;
    y[8] = t144;
    y[9] = t203;
    y[10] = t199;
    y[11] = t168;
    y[12] = t163;
    y[13] = t147;
  }
};

// rmsprop, centered, momentum, weight decay: update, forward
template <class S, class V>
struct k_b2fe431e6e6d_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t26 = t22 - t23;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t32 = x[4] * u5;
    const V t33 = t31 + t32;
    const V t35 = u6 * t33;
    const V t36 = -t35;
    y[0] = t36;
    y[1] = t18;
    y[2] = t22;
    y[3] = t33;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjp
template <class S, class V>
struct k_b2fe431e6e6d_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t13 / t28;
    const V t42 = u5 * x[5];
    const V t44 = x[8] - t42;
    const V t45 = u6 * t44;
    const V t47 = t44 / t28;
    const V t48 = t29 * t47;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t27;
    const V t54 = -t53;
    const V t56 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t54);
    const V t58 = x[7] + t56;
    const V t59 = t18 * t56;
    const V t61 = x[6] - t59;
    const V t62 = t61 - t59;
    const V t64 = u3 * t58;
    const V t65 = u2 * t58;
    const V t67 = t13 * t64;
    const V t68 = t47 + t67;
    const V t69 = t67 + t68;
    const V t70 = u3 * t62;
    const V t72 = t69 + t70;
    const V t76 = u2 * t62;
    const V t79 = u1 * t72;
    const V t81 = u0 * t72;
    y[0] = t81;
    y[1] = t79;
    y[2] = t76;
    y[3] = t65;
    y[4] = t45;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjps
template <class S, class V>
struct k_b2fe431e6e6d_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t13 / t28;
    const V t30 = x[4] * u5;
    const V t31 = t29 + t30;
    const V t40 = t31 * x[5];
    const V t41 = -t40;
    const V t42 = u6 * x[5];
    const V t44 = x[8] - t42;
    const V t45 = u5 * t44;
    const V t46 = x[4] * t44;
    const V t47 = t44 / t28;
    const V t48 = t29 * t47;
    const V t49 = -t48;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t27;
    const V t54 = -t53;
    const V t56 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t54);
    const V t58 = x[7] + t56;
    const V t59 = t18 * t56;
    const V t61 = x[6] - t59;
    const V t62 = t61 - t59;
    const V t63 = t19 * t58;
    const V t64 = u3 * t58;
    const V t65 = u2 * t58;
    const V t66 = x[3] * t58;
    const V t67 = t13 * t64;
    const V t68 = t47 + t67;
    const V t69 = t67 + t68;
    const V t70 = u3 * t62;
    const V t71 = t13 * t62;
    const V t72 = t69 + t70;
    const V t73 = t63 + t71;
    const V t75 = t66 - t73;
    const V t76 = u2 * t62;
    const V t77 = x[2] * t62;
    const V t78 = t75 + t77;
    const V t79 = u1 * t72;
    const V t80 = x[1] * t72;
    const V t81 = u0 * t72;
    const V t82 = x[0] * t72;
    y[0] = t81;
    y[1] = t79;
    y[2] = t76;
    y[3] = t65;
    y[4] = t45;
    y[5] = t82;
    y[6] = t80;
    y[7] = t78;
    y[8] = t49;
    y[9] = t46;
    y[10] = t41;
  }
};

// rmsprop, centered, momentum, weight decay: update, jvp
template <class S, class V>
struct k_b2fe431e6e6d_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t13 / t28;
    const V t30 = x[4] * u5;
    const V t31 = t29 + t30;
    const V t46 = u0 * x[5];
    const V t47 = x[0] * u6;
    const V t48 = t46 + t47;
    const V t49 = u1 * x[6];
    const V t50 = x[1] * u7;
    const V t51 = t49 + t50;
    const V t52 = t48 + t51;
    const V t53 = u2 * x[7];
    const V t54 = x[2] * u8;
    const V t55 = t53 + t54;
    const V t57 = u3 * t52;
    const V t58 = t13 * u8;
    const V t60 = t57 - t58;
    const V t61 = t55 + t60;
    const V t62 = t13 * t52;
    const V t63 = t62 + t62;
    const V t64 = u2 * x[8];
    const V t65 = x[3] * u8;
    const V t66 = t64 + t65;
    const V t67 = t19 * u8;
    const V t69 = u3 * t63;
    const V t70 = t69 - t67;
    const V t71 = t66 + t70;
    const V t72 = t18 * t61;
    const V t73 = t72 + t72;
    const V t74 = t71 - t73;
    const V t75 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t74);
    const V t77 = t75 * splat<V>(S(0.5));
    const V t78 = t77 / t27;
    const V t79 = u9 + t78;
    const V t80 = t29 * t79;
    const V t81 = t52 - t80;
    const V t82 = t81 / t28;
    const V t83 = u5 * x[9];
    const V t84 = x[4] * u10;
    const V t85 = t83 + t84;
    const V t86 = t82 + t85;
    const V t87 = t31 * u11;
    const V t88 = u12 * t86;
    const V t89 = t87 + t88;
    const V t90 = -t89;
    y[0] = t90;
    y[1] = t61;
    y[2] = t71;
    y[3] = t86;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjp_vjp
template <class S, class V>
struct k_b2fe431e6e6d_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u2;
    const V t25 = u3 * t23;
    const V t26 = t24 + t25;
    const V t27 = t22 * t22;
    const V t28 = t26 - t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u4 + t31;
    const V t33 = t17 / t32;
    const V t35 = u5 * x[5];
    const V t36 = x[8] - t35;
    const V t38 = t36 / t32;
    const V t39 = t33 * t38;
    const V t41 = t39 * splat<V>(S(0.5));
    const V t42 = t41 / t31;
    const V t43 = -t42;
    const V t44 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t43);
    const V t45 = x[7] + t44;
    const V t49 = u3 * t45;
    const V t65 = u0 * x[9];
    const V t67 = u1 * x[10];
    const V t68 = t65 + t67;
    const V t70 = u2 * x[11];
    const V t72 = u3 * t68;
    const V t73 = t70 + t72;
    const V t74 = t68 + t68;
    const V t75 = t49 * t74;
    const V t76 = t17 * t74;
    const V t78 = u2 * x[12];
    const V t81 = u3 * t76;
    const V t83 = t78 + t81;
    const V t84 = -t73;
    const V t85 = t84 - t73;
    const V t86 = t44 * t85;
    const V t87 = t22 * t85;
    const V t88 = t83 + t87;
    const V t90 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t88);
    const V t92 = t90 / t31;
    const V t94 = t42 * t92;
    const V t96 = splat<V>(S(0.5)) * t92;
    const V t100 = t38 * t96;
    const V t102 = t33 * t96;
    const V t104 = t68 - t102;
    const V t105 = t104 / t32;
    const V t106 = t38 * t105;
    const V t109 = u6 * x[13];
    const V t110 = t105 + t109;
    const V t114 = u5 * t110;
    const V t115 = -t114;
    const V t116 = t100 / t32;
    const V t118 = t33 * t116;
    const V t120 = t75 - t116;
    const V t121 = t118 - t106;
    const V t122 = t94 + t121;
    const V t123 = splat<V>(S(0.5)) * t122;
    const V t124 = t123 / t31;
    const V t126 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t124);
    const V t128 = t22 * t126;
    const V t130 = t86 - t128;
    const V t131 = t130 - t128;
    const V t133 = u3 * t126;
    const V t135 = u2 * t126;
    const V t138 = t17 * t133;
    const V t139 = t120 + t138;
    const V t140 = t138 + t139;
    const V t141 = u3 * t131;
    const V t143 = t140 + t141;
    const V t147 = u2 * t131;
    const V t150 = u1 * t143;
    const V t153 = u0 * t143;
    y[0] = t153;
    y[1] = t150;
    y[2] = t147;
    y[3] = t135;
    y[4] = splat<V>(S(0.0));
    y[5] = t115;
    y[6] = t73;
    y[7] = t83;
    y[8] = t110;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjps_vjps
template <class S, class V>
struct k_b2fe431e6e6d_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u2;
    const V t25 = u3 * t23;
    const V t26 = t24 + t25;
    const V t27 = t22 * t22;
    const V t28 = t26 - t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u4 + t31;
    const V t33 = t17 / t32;
    const V t34 = x[4] * u5;
    const V t35 = t33 + t34;
    const V t39 = u6 * x[5];
    const V t40 = x[8] - t39;
    const V t43 = t40 / t32;
    const V t44 = t33 * t43;
    const V t47 = t44 * splat<V>(S(0.5));
    const V t48 = t47 / t31;
    const V t49 = -t48;
    const V t50 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t49);
    const V t51 = x[7] + t50;
    const V t52 = t22 * t50;
    const V t53 = x[6] - t52;
    const V t54 = t53 - t52;
    const V t56 = u3 * t51;
    const V t59 = t17 * t56;
    const V t60 = t43 + t59;
    const V t61 = t59 + t60;
    const V t62 = u3 * t54;
    const V t64 = t61 + t62;
    const V t85 = t64 * u7;
    const V t86 = x[0] * u7;
    const V t87 = t64 * x[9];
    const V t88 = u0 * x[9];
    const V t89 = t86 + t88;
    const V t90 = t64 * u8;
    const V t91 = x[1] * u8;
    const V t92 = t89 + t91;
    const V t93 = t64 * x[10];
    const V t94 = u1 * x[10];
    const V t95 = t92 + t94;
    const V t96 = t54 * u9;
    const V t97 = x[2] * u9;
    const V t98 = t54 * x[11];
    const V t99 = u2 * x[11];
    const V t100 = t97 + t99;
    const V t103 = t17 * u9;
    const V t105 = t100 - t103;
    const V t106 = t54 * t95;
    const V t107 = u3 * t95;
    const V t108 = t105 + t107;
    const V t109 = t95 + t95;
    const V t110 = t56 * t109;
    const V t111 = t17 * t109;
    const V t112 = t110 - t96;
    const V t113 = t51 * u9;
    const V t114 = x[3] * u9;
    const V t115 = t51 * x[12];
    const V t116 = u2 * x[12];
    const V t117 = t98 + t115;
    const V t118 = t114 + t116;
    const V t119 = t51 * t111;
    const V t120 = u3 * t111;
    const V t121 = t106 + t119;
    const V t122 = t118 + t120;
    const V t124 = t23 * u9;
    const V t126 = t122 - t124;
    const V t127 = -t108;
    const V t128 = t127 - t108;
    const V t129 = t50 * t128;
    const V t130 = t22 * t128;
    const V t131 = t126 + t130;
    const V t133 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t131);
    const V t135 = t133 / t31;
    const V t137 = t48 * t135;
    const V t139 = splat<V>(S(0.5)) * t135;
    const V t140 = -t139;
    const V t144 = t140 - u10;
    const V t145 = t43 * t144;
    const V t146 = t33 * t144;
    const V t147 = t95 + t146;
    const V t148 = t147 / t32;
    const V t149 = t43 * t148;
    const V t150 = -t149;
    const V t151 = t40 * u11;
    const V t152 = x[4] * u11;
    const V t153 = t148 + t152;
    const V t154 = t40 * x[13];
    const V t155 = u5 * x[13];
    const V t156 = t153 + t155;
    const V t158 = x[5] * t156;
    const V t159 = -t158;
    const V t160 = u6 * t156;
    const V t161 = -t160;
    const V t163 = x[5] * u12;
    const V t165 = t35 * u12;
    const V t167 = t161 - t165;
    const V t168 = t145 - t163;
    const V t169 = u5 * t163;
    const V t171 = x[4] * t163;
    const V t173 = t151 - t169;
    const V t174 = t154 - t171;
    const V t175 = t168 / t32;
    const V t176 = t33 * t175;
    const V t178 = t112 + t175;
    const V t179 = t150 - t176;
    const V t180 = t137 + t179;
    const V t181 = splat<V>(S(0.5)) * t180;
    const V t182 = t181 / t31;
    const V t184 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t182);
    const V t186 = t22 * t184;
    const V t188 = t129 - t186;
    const V t189 = t188 - t186;
    const V t190 = t23 * t184;
    const V t191 = u3 * t184;
    const V t192 = t121 + t190;
    const V t193 = t191 - t113;
    const V t194 = u2 * t184;
    const V t195 = x[3] * t184;
    const V t196 = t113 + t194;
    const V t197 = t117 + t195;
    const V t198 = t17 * t193;
    const V t199 = t178 + t198;
    const V t200 = t198 + t199;
    const V t201 = u3 * t189;
    const V t202 = t17 * t189;
    const V t203 = t200 + t201;
    const V t204 = t192 + t202;
    const V t206 = t197 - t204;
    const V t207 = u2 * t189;
    const V t208 = x[2] * t189;
    const V t209 = t96 + t207;
    const V t210 = t206 + t208;
    const V t211 = u1 * t203;
    const V t212 = x[1] * t203;
    const V t213 = t90 + t211;
    const V t214 = t93 + t212;
    const V t215 = u0 * t203;
    const V t216 = x[0] * t203;
    const V t217 = t85 + t215;
    const V t218 = t87 + t216;
    y[0] = t217;
    y[1] = t213;
    y[2] = t209;
    y[3] = t196;
    y[4] = t173;
    y[5] = t167;
    y[6] = t108;
    y[7] = t126;
    y[8] = t156;
    y[9] = t218;
    y[10] = t214;
    y[11] = t210;
    y[12] = t179;
    y[13] = t174;
    y[14] = t159;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, forward
template <class S, class V>
struct k_1482bb70c296_forward {
  static constexpr int inputs = 5, outputs = 4, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t26 = t22 - t23;
    const V t28 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t32 = x[4] * u5;
    const V t33 = t31 + t32;
    const V t35 = u6 * t33;
    const V t37 = x[1] - t35;
    y[0] = t37;
    y[1] = t18;
    y[2] = t22;
    y[3] = t33;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjp
template <class S, class V>
struct k_1482bb70c296_vjp {
  static constexpr int inputs = 9, outputs = 5, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t13 / t28;
    const V t42 = u5 * x[5];
    const V t44 = x[8] - t42;
    const V t45 = u6 * t44;
    const V t47 = t44 / t28;
    const V t48 = t29 * t47;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t27;
    const V t54 = -t53;
    const V t56 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t54);
    const V t58 = x[7] + t56;
    const V t59 = t18 * t56;
    const V t61 = x[6] - t59;
    const V t62 = t61 - t59;
    const V t64 = u3 * t58;
    const V t65 = u2 * t58;
    const V t67 = t13 * t64;
    const V t68 = t47 + t67;
    const V t69 = t67 + t68;
    const V t70 = u3 * t62;
    const V t72 = t69 + t70;
    const V t76 = u2 * t62;
    const V t79 = u1 * t72;
    const V t81 = x[5] + t79;
    const V t82 = u0 * t72;
    y[0] = t82;
    y[1] = t81;
    y[2] = t76;
    y[3] = t65;
    y[4] = t45;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjps
template <class S, class V>
struct k_1482bb70c296_vjps {
  static constexpr int inputs = 9, outputs = 5, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t13 / t28;
    const V t30 = x[4] * u5;
    const V t31 = t29 + t30;
    const V t40 = t31 * x[5];
    const V t41 = -t40;
    const V t42 = u6 * x[5];
    const V t44 = x[8] - t42;
    const V t45 = u5 * t44;
    const V t46 = x[4] * t44;
    const V t47 = t44 / t28;
    const V t48 = t29 * t47;
    const V t49 = -t48;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t27;
    const V t54 = -t53;
    const V t56 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t54);
    const V t58 = x[7] + t56;
    const V t59 = t18 * t56;
    const V t61 = x[6] - t59;
    const V t62 = t61 - t59;
    const V t63 = t19 * t58;
    const V t64 = u3 * t58;
    const V t65 = u2 * t58;
    const V t66 = x[3] * t58;
    const V t67 = t13 * t64;
    const V t68 = t47 + t67;
    const V t69 = t67 + t68;
    const V t70 = u3 * t62;
    const V t71 = t13 * t62;
    const V t72 = t69 + t70;
    const V t73 = t63 + t71;
    const V t75 = t66 - t73;
    const V t76 = u2 * t62;
    const V t77 = x[2] * t62;
    const V t78 = t75 + t77;
    const V t79 = u1 * t72;
    const V t80 = x[1] * t72;
    const V t81 = x[5] + t79;
    const V t82 = u0 * t72;
    const V t83 = x[0] * t72;
    y[0] = t82;
    y[1] = t81;
    y[2] = t76;
    y[3] = t65;
    y[4] = t45;
    y[5] = t83;
    y[6] = t80;
    y[7] = t78;
    y[8] = t49;
    y[9] = t46;
    y[10] = t41;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, jvp
template <class S, class V>
struct k_1482bb70c296_jvp {
  static constexpr int inputs = 10, outputs = 4, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u2;
    const V t21 = u3 * t19;
    const V t22 = t20 + t21;
    const V t23 = t18 * t18;
    const V t24 = t22 - t23;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t24);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t13 / t28;
    const V t30 = x[4] * u5;
    const V t31 = t29 + t30;
    const V t46 = u0 * x[5];
    const V t47 = x[0] * u6;
    const V t48 = t46 + t47;
    const V t49 = u1 * x[6];
    const V t50 = x[1] * u7;
    const V t51 = t49 + t50;
    const V t52 = t48 + t51;
    const V t53 = u2 * x[7];
    const V t54 = x[2] * u8;
    const V t55 = t53 + t54;
    const V t57 = u3 * t52;
    const V t58 = t13 * u8;
    const V t60 = t57 - t58;
    const V t61 = t55 + t60;
    const V t62 = t13 * t52;
    const V t63 = t62 + t62;
    const V t64 = u2 * x[8];
    const V t65 = x[3] * u8;
    const V t66 = t64 + t65;
    const V t67 = t19 * u8;
    const V t69 = u3 * t63;
    const V t70 = t69 - t67;
    const V t71 = t66 + t70;
    const V t72 = t18 * t61;
    const V t73 = t72 + t72;
    const V t74 = t71 - t73;
    const V t75 = select_gt(tiny<V>(), t24, splat<V>(S(0.0)), t74);
    const V t77 = t75 * splat<V>(S(0.5));
    const V t78 = t77 / t27;
    const V t79 = u9 + t78;
    const V t80 = t29 * t79;
    const V t81 = t52 - t80;
    const V t82 = t81 / t28;
    const V t83 = u5 * x[9];
    const V t84 = x[4] * u10;
    const V t85 = t83 + t84;
    const V t86 = t82 + t85;
    const V t87 = t31 * u11;
    const V t88 = u12 * t86;
    const V t89 = t87 + t88;
    const V t90 = x[6] - t89;
    y[0] = t90;
    y[1] = t61;
    y[2] = t71;
    y[3] = t86;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_1482bb70c296_vjp_vjp {
  static constexpr int inputs = 14, outputs = 9, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u2;
    const V t25 = u3 * t23;
    const V t26 = t24 + t25;
    const V t27 = t22 * t22;
    const V t28 = t26 - t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u4 + t31;
    const V t33 = t17 / t32;
    const V t35 = u5 * x[5];
    const V t36 = x[8] - t35;
    const V t38 = t36 / t32;
    const V t39 = t33 * t38;
    const V t41 = t39 * splat<V>(S(0.5));
    const V t42 = t41 / t31;
    const V t43 = -t42;
    const V t44 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t43);
    const V t45 = x[7] + t44;
    const V t49 = u3 * t45;
    const V t66 = u0 * x[9];
    const V t68 = u1 * x[10];
    const V t69 = t66 + t68;
    const V t71 = u2 * x[11];
    const V t73 = u3 * t69;
    const V t74 = t71 + t73;
    const V t75 = t69 + t69;
    const V t76 = t49 * t75;
    const V t77 = t17 * t75;
    const V t79 = u2 * x[12];
    const V t82 = u3 * t77;
    const V t84 = t79 + t82;
    const V t85 = -t74;
    const V t86 = t85 - t74;
    const V t87 = t44 * t86;
    const V t88 = t22 * t86;
    const V t89 = t84 + t88;
    const V t91 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t89);
    const V t93 = t91 / t31;
    const V t95 = t42 * t93;
    const V t97 = splat<V>(S(0.5)) * t93;
    const V t101 = t38 * t97;
    const V t103 = t33 * t97;
    const V t105 = t69 - t103;
    const V t106 = t105 / t32;
    const V t107 = t38 * t106;
    const V t110 = u6 * x[13];
    const V t111 = t106 + t110;
    const V t115 = u5 * t111;
    const V t117 = x[10] - t115;
    const V t118 = t101 / t32;
    const V t120 = t33 * t118;
    const V t122 = t76 - t118;
    const V t123 = t120 - t107;
    const V t124 = t95 + t123;
    const V t125 = splat<V>(S(0.5)) * t124;
    const V t126 = t125 / t31;
    const V t128 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t126);
    const V t130 = t22 * t128;
    const V t132 = t87 - t130;
    const V t133 = t132 - t130;
    const V t135 = u3 * t128;
    const V t137 = u2 * t128;
    const V t140 = t17 * t135;
    const V t141 = t122 + t140;
    const V t142 = t140 + t141;
    const V t143 = u3 * t133;
    const V t145 = t142 + t143;
    const V t149 = u2 * t133;
    const V t152 = u1 * t145;
    const V t155 = u0 * t145;
    y[0] = t155;
    y[1] = t152;
    y[2] = t149;
    y[3] = t137;
    y[4] = splat<V>(S(0.0));
    y[5] = t117;
    y[6] = t74;
    y[7] = t84;
    y[8] = t111;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_1482bb70c296_vjps_vjps {
  static constexpr int inputs = 14, outputs = 9, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t20);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t17 = t15 + t16;
    const V t18 = x[2] * u2;
    const V t21 = t17 * u3;
    const V t22 = t18 + t21;
    const V t23 = t17 * t17;
    const V t24 = x[3] * u2;
    const V t25 = u3 * t23;
    const V t26 = t24 + t25;
    const V t27 = t22 * t22;
    const V t28 = t26 - t27;
    const V t30 = select_gt(tiny<V>(), t28, tiny<V>(), t28);
    const V t31 = sqrt_(t30);
    const V t32 = u4 + t31;
    const V t33 = t17 / t32;
    const V t34 = x[4] * u5;
    const V t35 = t33 + t34;
    const V t39 = u6 * x[5];
    const V t40 = x[8] - t39;
    const V t43 = t40 / t32;
    const V t44 = t33 * t43;
    const V t47 = t44 * splat<V>(S(0.5));
    const V t48 = t47 / t31;
    const V t49 = -t48;
    const V t50 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t49);
    const V t51 = x[7] + t50;
    const V t52 = t22 * t50;
    const V t53 = x[6] - t52;
    const V t54 = t53 - t52;
    const V t56 = u3 * t51;
    const V t59 = t17 * t56;
    const V t60 = t43 + t59;
    const V t61 = t59 + t60;
    const V t62 = u3 * t54;
    const V t64 = t61 + t62;
    const V t86 = t64 * u7;
    const V t87 = x[0] * u7;
    const V t88 = t64 * x[9];
    const V t89 = u0 * x[9];
    const V t90 = t87 + t89;
    const V t91 = t64 * u8;
    const V t92 = x[1] * u8;
    const V t93 = t90 + t92;
    const V t94 = t64 * x[10];
    const V t95 = u1 * x[10];
    const V t96 = t93 + t95;
    const V t97 = t54 * u9;
    const V t98 = x[2] * u9;
    const V t99 = t54 * x[11];
    const V t100 = u2 * x[11];
    const V t101 = t98 + t100;
    const V t104 = t17 * u9;
    const V t106 = t101 - t104;
    const V t107 = t54 * t96;
    const V t108 = u3 * t96;
    const V t109 = t106 + t108;
    const V t110 = t96 + t96;
    const V t111 = t56 * t110;
    const V t112 = t17 * t110;
    const V t113 = t111 - t97;
    const V t114 = t51 * u9;
    const V t115 = x[3] * u9;
    const V t116 = t51 * x[12];
    const V t117 = u2 * x[12];
    const V t118 = t99 + t116;
    const V t119 = t115 + t117;
    const V t120 = t51 * t112;
    const V t121 = u3 * t112;
    const V t122 = t107 + t120;
    const V t123 = t119 + t121;
    const V t125 = t23 * u9;
    const V t127 = t123 - t125;
    const V t128 = -t109;
    const V t129 = t128 - t109;
    const V t130 = t50 * t129;
    const V t131 = t22 * t129;
    const V t132 = t127 + t131;
    const V t134 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t132);
    const V t136 = t134 / t31;
    const V t138 = t48 * t136;
    const V t140 = splat<V>(S(0.5)) * t136;
    const V t141 = -t140;
    const V t145 = t141 - u10;
    const V t146 = t43 * t145;
    const V t147 = t33 * t145;
    const V t148 = t96 + t147;
    const V t149 = t148 / t32;
    const V t150 = t43 * t149;
    const V t151 = -t150;
    const V t152 = t40 * u11;
    const V t153 = x[4] * u11;
    const V t154 = t149 + t153;
    const V t155 = t40 * x[13];
    const V t156 = u5 * x[13];
    const V t157 = t154 + t156;
    const V t159 = x[5] * t157;
    const V t160 = -t159;
    const V t161 = u6 * t157;
    const V t163 = x[10] - t161;
    const V t165 = x[5] * u12;
    const V t167 = t35 * u12;
    const V t169 = t163 - t167;
    const V t170 = t146 - t165;
    const V t171 = u5 * t165;
    const V t173 = x[4] * t165;
    const V t175 = t152 - t171;
    const V t176 = t155 - t173;
    const V t177 = t170 / t32;
    const V t178 = t33 * t177;
    const V t180 = t113 + t177;
    const V t181 = t151 - t178;
    const V t182 = t138 + t181;
    const V t183 = splat<V>(S(0.5)) * t182;
    const V t184 = t183 / t31;
    const V t186 = select_gt(tiny<V>(), t28, splat<V>(S(0.0)), t184);
    const V t188 = t22 * t186;
    const V t190 = t130 - t188;
    const V t191 = t190 - t188;
    const V t192 = t23 * t186;
    const V t193 = u3 * t186;
    const V t194 = t122 + t192;
    const V t195 = t193 - t114;
    const V t196 = u2 * t186;
    const V t197 = x[3] * t186;
    const V t198 = t114 + t196;
    const V t199 = t118 + t197;
    const V t200 = t17 * t195;
    const V t201 = t180 + t200;
    const V t202 = t200 + t201;
    const V t203 = u3 * t191;
    const V t204 = t17 * t191;
    const V t205 = t202 + t203;
    const V t206 = t194 + t204;
    const V t208 = t199 - t206;
    const V t209 = u2 * t191;
    const V t210 = x[2] * t191;
    const V t211 = t97 + t209;
    const V t212 = t208 + t210;
    const V t213 = u1 * t205;
    const V t214 = x[1] * t205;
    const V t215 = t91 + t213;
    const V t216 = t94 + t214;
    const V t217 = u0 * t205;
    const V t218 = x[0] * t205;
    const V t219 = t86 + t217;
    const V t220 = t88 + t218;
    y[0] = t219;
    y[1] = t215;
    y[2] = t211;
    y[3] = t198;
    y[4] = t175;
    y[5] = t169;
    y[6] = t109;
    y[7] = t127;
    y[8] = t157;
    y[9] = t220;
    y[10] = t216;
    y[11] = t212;
    y[12] = t181;
    y[13] = t176;
    y[14] = t160;
  }
};

// adagrad: update, forward
template <class S, class V>
struct k_35609e18bc32_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = t5 * t5;
    const V t7 = x[1] + t6;
    const V t9 = select_gt(tiny<V>(), t7, tiny<V>(), t7);
    const V t10 = sqrt_(t9);
    const V t11 = u1 + t10;
    const V t12 = t5 / t11;
    const V t14 = u2 * t12;
    const V t15 = -t14;
    y[0] = t15;
    y[1] = t7;
  }
};

// adagrad: update, vjp
template <class S, class V>
struct k_35609e18bc32_vjp {
  static constexpr int inputs = 4, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = t5 * t5;
    const V t7 = x[1] + t6;
    const V t9 = select_gt(tiny<V>(), t7, tiny<V>(), t7);
    const V t10 = sqrt_(t9);
    const V t11 = u1 + t10;
    const V t12 = t5 / t11;
    const V t21 = u2 * x[2];
    const V t23 = t21 / t11;
    const V t25 = t12 * t23;
    const V t28 = t25 * splat<V>(S(0.5));
    const V t29 = t28 / t10;
    const V t31 = select_gt(tiny<V>(), t7, splat<V>(S(0.0)), t29);
    const V t32 = x[3] + t31;
    const V t33 = t5 * t32;
    const V t34 = t33 - t23;
    const V t35 = t33 + t34;
    const V t36 = u0 * t35;
    y[0] = t36;
    y[1] = t32;
  }
};

// adagrad: update, vjps
template <class S, class V>
struct k_35609e18bc32_vjps {
  static constexpr int inputs = 4, outputs = 2, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t5 = x[0] * u0;
    const V t6 = t5 * t5;
    const V t7 = x[1] + t6;
    const V t9 = select_gt(tiny<V>(), t7, tiny<V>(), t7);
    const V t10 = sqrt_(t9);
    const V t11 = u1 + t10;
    const V t12 = t5 / t11;
    const V t19 = t12 * x[2];
    const V t20 = -t19;
    const V t21 = u2 * x[2];
    const V t23 = t21 / t11;
    const V t25 = t12 * t23;
    const V t28 = t25 * splat<V>(S(0.5));
    const V t29 = t28 / t10;
    const V t31 = select_gt(tiny<V>(), t7, splat<V>(S(0.0)), t29);
    const V t32 = x[3] + t31;
    const V t33 = t5 * t32;
    const V t34 = t33 - t23;
    const V t35 = t33 + t34;
    const V t36 = u0 * t35;
    const V t37 = x[0] * t35;
    y[0] = t36;
    y[1] = t32;
    y[2] = t37;
    y[3] = t25;
    y[4] = t20;
  }
};

// adagrad: update, jvp
template <class S, class V>
struct k_35609e18bc32_jvp {
  static constexpr int inputs = 4, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t5 = x[0] * u0;
    const V t6 = t5 * t5;
    const V t7 = x[1] + t6;
    const V t9 = select_gt(tiny<V>(), t7, tiny<V>(), t7);
    const V t10 = sqrt_(t9);
    const V t11 = u1 + t10;
    const V t12 = t5 / t11;
    const V t21 = u0 * x[2];
    const V t22 = x[0] * u2;
    const V t23 = t21 + t22;
    const V t24 = t5 * t23;
    const V t25 = t24 + t24;
    const V t26 = x[3] + t25;
    const V t27 = select_gt(tiny<V>(), t7, splat<V>(S(0.0)), t26);
    const V t29 = t27 * splat<V>(S(0.5));
    const V t30 = t29 / t10;
    const V t31 = u3 + t30;
    const V t32 = t12 * t31;
    const V t33 = t23 - t32;
    const V t34 = t33 / t11;
    const V t35 = t12 * u4;
    const V t36 = u5 * t34;
    const V t37 = t35 + t36;
    const V t38 = -t37;
    y[0] = t38;
    y[1] = t26;
  }
};

// adagrad: update, vjp_vjp
template <class S, class V>
struct k_35609e18bc32_vjp_vjp {
  static constexpr int inputs = 6, outputs = 4, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = select_gt(tiny<V>(), t9, tiny<V>(), t9);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t7 / t13;
    const V t16 = u2 * x[2];
    const V t17 = t16 / t13;
    const V t18 = t14 * t17;
    const V t20 = t18 * splat<V>(S(0.5));
    const V t21 = t20 / t12;
    const V t22 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t21);
    const V t23 = x[3] + t22;
    const V t31 = u0 * x[4];
    const V t33 = t31 + t31;
    const V t34 = t23 * t33;
    const V t35 = t7 * t33;
    const V t36 = x[5] + t35;
    const V t38 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t36);
    const V t39 = t38 / t12;
    const V t40 = t21 * t39;
    const V t42 = splat<V>(S(0.5)) * t39;
    const V t44 = t17 * t42;
    const V t45 = t14 * t42;
    const V t46 = t45 - t31;
    const V t47 = t46 / t13;
    const V t48 = t17 * t47;
    const V t49 = -t48;
    const V t51 = u2 * t47;
    const V t52 = t44 / t13;
    const V t53 = t14 * t52;
    const V t55 = t34 + t52;
    const V t56 = t49 - t53;
    const V t57 = t56 - t40;
    const V t58 = splat<V>(S(0.5)) * t57;
    const V t59 = t58 / t12;
    const V t61 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t59);
    const V t62 = t7 * t61;
    const V t63 = t55 + t62;
    const V t64 = t62 + t63;
    const V t65 = u0 * t64;
    y[0] = t65;
    y[1] = t61;
    y[2] = t51;
    y[3] = t36;
  }
};

// adagrad: update, vjps_vjps
template <class S, class V>
struct k_35609e18bc32_vjps_vjps {
  static constexpr int inputs = 6, outputs = 4, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = select_gt(tiny<V>(), t9, tiny<V>(), t9);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t7 / t13;
    const V t18 = u2 * x[2];
    const V t19 = t18 / t13;
    const V t20 = t14 * t19;
    const V t22 = t20 * splat<V>(S(0.5));
    const V t23 = t22 / t12;
    const V t24 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t23);
    const V t25 = x[3] + t24;
    const V t26 = t7 * t25;
    const V t27 = t26 - t19;
    const V t28 = t26 + t27;
    const V t36 = t28 * u3;
    const V t37 = x[0] * u3;
    const V t38 = t28 * x[4];
    const V t39 = u0 * x[4];
    const V t40 = t37 + t39;
    const V t42 = t40 + t40;
    const V t43 = t25 * t42;
    const V t44 = t7 * t42;
    const V t45 = x[5] + t44;
    const V t47 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t45);
    const V t48 = t47 / t12;
    const V t49 = t23 * t48;
    const V t51 = splat<V>(S(0.5)) * t48;
    const V t53 = u4 + t51;
    const V t54 = t19 * t53;
    const V t55 = t14 * t53;
    const V t56 = t55 - t40;
    const V t57 = t56 / t13;
    const V t58 = t19 * t57;
    const V t59 = -t58;
    const V t60 = x[2] * t57;
    const V t61 = u2 * t57;
    const V t63 = x[2] * u5;
    const V t65 = t14 * u5;
    const V t67 = t54 - t63;
    const V t68 = t61 - t65;
    const V t69 = t67 / t13;
    const V t70 = t14 * t69;
    const V t72 = t43 + t69;
    const V t73 = t59 - t70;
    const V t74 = t73 - t49;
    const V t75 = splat<V>(S(0.5)) * t74;
    const V t76 = t75 / t12;
    const V t78 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t76);
    const V t79 = t7 * t78;
    const V t80 = t72 + t79;
    const V t81 = t79 + t80;
    const V t82 = u0 * t81;
    const V t83 = x[0] * t81;
    const V t84 = t36 + t82;
    const V t85 = t38 + t83;
    y[0] = t84;
    y[1] = t78;
    y[2] = t68;
    y[3] = t45;
    y[4] = t85;
    y[5] = t73;
    y[6] = t60;
  }
};

// adagrad: parameters, forward
template <class S, class V>
struct k_8f0b9274e38a_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[2] + t7;
    const V t10 = select_gt(tiny<V>(), t8, tiny<V>(), t8);
    const V t11 = sqrt_(t10);
    const V t12 = u1 + t11;
    const V t13 = t6 / t12;
    const V t15 = u2 * t13;
    const V t17 = x[1] - t15;
    y[0] = t17;
    y[1] = t8;
  }
};

// adagrad: parameters, vjp
template <class S, class V>
struct k_8f0b9274e38a_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[2] + t7;
    const V t10 = select_gt(tiny<V>(), t8, tiny<V>(), t8);
    const V t11 = sqrt_(t10);
    const V t12 = u1 + t11;
    const V t13 = t6 / t12;
    const V t22 = u2 * x[3];
    const V t24 = t22 / t12;
    const V t26 = t13 * t24;
    const V t29 = t26 * splat<V>(S(0.5));
    const V t30 = t29 / t11;
    const V t32 = select_gt(tiny<V>(), t8, splat<V>(S(0.0)), t30);
    const V t33 = x[4] + t32;
    const V t34 = t6 * t33;
    const V t35 = t34 - t24;
    const V t36 = t34 + t35;
    const V t37 = u0 * t36;
    y[0] = t37;
    y[1] = x[3];
    y[2] = t33;
  }
};

// adagrad: parameters, vjps
template <class S, class V>
struct k_8f0b9274e38a_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 3, sums = 3, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[2] + t7;
    const V t10 = select_gt(tiny<V>(), t8, tiny<V>(), t8);
    const V t11 = sqrt_(t10);
    const V t12 = u1 + t11;
    const V t13 = t6 / t12;
    const V t20 = t13 * x[3];
    const V t21 = -t20;
    const V t22 = u2 * x[3];
    const V t24 = t22 / t12;
    const V t26 = t13 * t24;
    const V t29 = t26 * splat<V>(S(0.5));
    const V t30 = t29 / t11;
    const V t32 = select_gt(tiny<V>(), t8, splat<V>(S(0.0)), t30);
    const V t33 = x[4] + t32;
    const V t34 = t6 * t33;
    const V t35 = t34 - t24;
    const V t36 = t34 + t35;
    const V t37 = u0 * t36;
    const V t38 = x[0] * t36;
    y[0] = t37;
    y[1] = x[3];
    y[2] = t33;
    y[3] = t38;
    y[4] = t26;
    y[5] = t21;
  }
};

// adagrad: parameters, jvp
template <class S, class V>
struct k_8f0b9274e38a_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 6, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[3]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t6 = x[0] * u0;
    const V t7 = t6 * t6;
    const V t8 = x[2] + t7;
    const V t10 = select_gt(tiny<V>(), t8, tiny<V>(), t8);
    const V t11 = sqrt_(t10);
    const V t12 = u1 + t11;
    const V t13 = t6 / t12;
    const V t23 = u0 * x[3];
    const V t24 = x[0] * u2;
    const V t25 = t23 + t24;
    const V t26 = t6 * t25;
    const V t27 = t26 + t26;
    const V t28 = x[5] + t27;
    const V t29 = select_gt(tiny<V>(), t8, splat<V>(S(0.0)), t28);
    const V t31 = t29 * splat<V>(S(0.5));
    const V t32 = t31 / t11;
    const V t33 = u3 + t32;
    const V t34 = t13 * t33;
    const V t35 = t25 - t34;
    const V t36 = t35 / t12;
    const V t37 = t13 * u4;
    const V t38 = u5 * t36;
    const V t39 = t37 + t38;
    const V t40 = x[4] - t39;
    y[0] = t40;
    y[1] = t28;
  }
};

// adagrad: parameters, vjp_vjp
template <class S, class V>
struct k_8f0b9274e38a_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 3, sums = 0, uniforms = 3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] + t9;
    const V t12 = select_gt(tiny<V>(), t10, tiny<V>(), t10);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t8 / t14;
    const V t17 = u2 * x[3];
    const V t18 = t17 / t14;
    const V t19 = t15 * t18;
    const V t21 = t19 * splat<V>(S(0.5));
    const V t22 = t21 / t13;
    const V t23 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t22);
    const V t24 = x[4] + t23;
    const V t33 = u0 * x[5];
    const V t35 = t33 + t33;
    const V t36 = t24 * t35;
    const V t37 = t8 * t35;
    const V t38 = x[7] + t37;
    const V t40 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t38);
    const V t41 = t40 / t13;
    const V t42 = t22 * t41;
    const V t44 = splat<V>(S(0.5)) * t41;
    const V t46 = t18 * t44;
    const V t47 = t15 * t44;
    const V t48 = t47 - t33;
    const V t49 = t48 / t14;
    const V t50 = t18 * t49;
    const V t51 = -t50;
    const V t53 = u2 * t49;
    const V t54 = x[6] + t53;
    const V t55 = t46 / t14;
    const V t56 = t15 * t55;
    const V t58 = t36 + t55;
    const V t59 = t51 - t56;
    const V t60 = t59 - t42;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = t61 / t13;
    const V t64 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t62);
    const V t65 = t8 * t64;
    const V t66 = t58 + t65;
    const V t67 = t65 + t66;
    const V t68 = u0 * t67;
    y[0] = t68;
    y[1] = splat<V>(S(0.0));
    y[2] = t64;
    y[3] = t54;
    y[4] = t38;
  }
};

// adagrad: parameters, vjps_vjps
template <class S, class V>
struct k_8f0b9274e38a_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 3, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] + t9;
    const V t12 = select_gt(tiny<V>(), t10, tiny<V>(), t10);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t8 / t14;
    const V t19 = u2 * x[3];
    const V t20 = t19 / t14;
    const V t21 = t15 * t20;
    const V t23 = t21 * splat<V>(S(0.5));
    const V t24 = t23 / t13;
    const V t25 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t24);
    const V t26 = x[4] + t25;
    const V t27 = t8 * t26;
    const V t28 = t27 - t20;
    const V t29 = t27 + t28;
    const V t38 = t29 * u3;
    const V t39 = x[0] * u3;
    const V t40 = t29 * x[5];
    const V t41 = u0 * x[5];
    const V t42 = t39 + t41;
    const V t44 = t42 + t42;
    const V t45 = t26 * t44;
    const V t46 = t8 * t44;
    const V t47 = x[7] + t46;
    const V t49 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t47);
    const V t50 = t49 / t13;
    const V t51 = t24 * t50;
    const V t53 = splat<V>(S(0.5)) * t50;
    const V t55 = u4 + t53;
    const V t56 = t20 * t55;
    const V t57 = t15 * t55;
    const V t58 = t57 - t42;
    const V t59 = t58 / t14;
    const V t60 = t20 * t59;
    const V t61 = -t60;
    const V t62 = x[3] * t59;
    const V t63 = u2 * t59;
    const V t64 = x[6] + t63;
    const V t66 = x[3] * u5;
    const V t68 = t15 * u5;
    const V t70 = t56 - t66;
    const V t71 = t64 - t68;
    const V t72 = t70 / t14;
    const V t73 = t15 * t72;
    const V t75 = t45 + t72;
    const V t76 = t61 - t73;
    const V t77 = t76 - t51;
    const V t78 = splat<V>(S(0.5)) * t77;
    const V t79 = t78 / t13;
    const V t81 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t79);
    const V t82 = t8 * t81;
    const V t83 = t75 + t82;
    const V t84 = t82 + t83;
    const V t85 = u0 * t84;
    const V t86 = x[0] * t84;
    const V t87 = t38 + t85;
    const V t88 = t40 + t86;
    y[0] = t87;
    y[1] = splat<V>(S(0.0));
    y[2] = t81;
    y[3] = t71;
    y[4] = t47;
    y[5] = t88;
    y[6] = t76;
    y[7] = t62;
  }
};

// adagrad, weight decay: update, forward
template <class S, class V>
struct k_991619e4da3c_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t18 = u3 * t16;
    const V t19 = -t18;
    y[0] = t19;
    y[1] = t11;
  }
};

// adagrad, weight decay: update, vjp
template <class S, class V>
struct k_991619e4da3c_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t25 = u3 * x[3];
    const V t27 = t25 / t15;
    const V t29 = t16 * t27;
    const V t32 = t29 * splat<V>(S(0.5));
    const V t33 = t32 / t14;
    const V t35 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t33);
    const V t36 = x[4] + t35;
    const V t37 = t9 * t36;
    const V t38 = t37 - t27;
    const V t39 = t37 + t38;
    const V t40 = u1 * t39;
    const V t42 = u0 * t39;
    y[0] = t42;
    y[1] = t40;
    y[2] = t36;
  }
};

// adagrad, weight decay: update, vjps
template <class S, class V>
struct k_991619e4da3c_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 4, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t23 = t16 * x[3];
    const V t24 = -t23;
    const V t25 = u3 * x[3];
    const V t27 = t25 / t15;
    const V t29 = t16 * t27;
    const V t32 = t29 * splat<V>(S(0.5));
    const V t33 = t32 / t14;
    const V t35 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t33);
    const V t36 = x[4] + t35;
    const V t37 = t9 * t36;
    const V t38 = t37 - t27;
    const V t39 = t37 + t38;
    const V t40 = u1 * t39;
    const V t41 = x[1] * t39;
    const V t42 = u0 * t39;
    const V t43 = x[0] * t39;
    y[0] = t42;
    y[1] = t40;
    y[2] = t36;
    y[3] = t43;
    y[4] = t41;
    y[5] = t29;
    y[6] = t24;
  }
};

// adagrad, weight decay: update, jvp
template <class S, class V>
struct k_991619e4da3c_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 8, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t27 = u0 * x[3];
    const V t28 = x[0] * u3;
    const V t29 = t27 + t28;
    const V t30 = u1 * x[4];
    const V t31 = x[1] * u4;
    const V t32 = t30 + t31;
    const V t33 = t29 + t32;
    const V t34 = t9 * t33;
    const V t35 = t34 + t34;
    const V t36 = x[5] + t35;
    const V t37 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t36);
    const V t39 = t37 * splat<V>(S(0.5));
    const V t40 = t39 / t14;
    const V t41 = u5 + t40;
    const V t42 = t16 * t41;
    const V t43 = t33 - t42;
    const V t44 = t43 / t15;
    const V t45 = t16 * u6;
    const V t46 = u7 * t44;
    const V t47 = t45 + t46;
    const V t48 = -t47;
    y[0] = t48;
    y[1] = t36;
  }
};

// adagrad, weight decay: update, vjp_vjp
template <class S, class V>
struct k_991619e4da3c_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t20 = u3 * x[3];
    const V t21 = t20 / t17;
    const V t22 = t18 * t21;
    const V t24 = t22 * splat<V>(S(0.5));
    const V t25 = t24 / t16;
    const V t26 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t25);
    const V t27 = x[4] + t26;
    const V t37 = u0 * x[5];
    const V t39 = u1 * x[6];
    const V t40 = t37 + t39;
    const V t42 = t40 + t40;
    const V t43 = t27 * t42;
    const V t44 = t11 * t42;
    const V t45 = x[7] + t44;
    const V t47 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t45);
    const V t48 = t47 / t16;
    const V t49 = t25 * t48;
    const V t51 = splat<V>(S(0.5)) * t48;
    const V t53 = t21 * t51;
    const V t54 = t18 * t51;
    const V t55 = t54 - t40;
    const V t56 = t55 / t17;
    const V t57 = t21 * t56;
    const V t58 = -t57;
    const V t60 = u3 * t56;
    const V t61 = t53 / t17;
    const V t62 = t18 * t61;
    const V t64 = t43 + t61;
    const V t65 = t58 - t62;
    const V t66 = t65 - t49;
    const V t67 = splat<V>(S(0.5)) * t66;
    const V t68 = t67 / t16;
    const V t70 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t68);
    const V t71 = t11 * t70;
    const V t72 = t64 + t71;
    const V t73 = t71 + t72;
    const V t74 = u1 * t73;
    const V t77 = u0 * t73;
    y[0] = t77;
    y[1] = t74;
    y[2] = t70;
    y[3] = t60;
    y[4] = t45;
  }
};

// adagrad, weight decay: update, vjps_vjps
template <class S, class V>
struct k_991619e4da3c_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 8, sums = 4, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = u3 * x[3];
    const V t23 = t22 / t17;
    const V t24 = t18 * t23;
    const V t26 = t24 * splat<V>(S(0.5));
    const V t27 = t26 / t16;
    const V t28 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t27);
    const V t29 = x[4] + t28;
    const V t30 = t11 * t29;
    const V t31 = t30 - t23;
    const V t32 = t30 + t31;
    const V t44 = t32 * u4;
    const V t45 = x[0] * u4;
    const V t46 = t32 * x[5];
    const V t47 = u0 * x[5];
    const V t48 = t45 + t47;
    const V t49 = t32 * u5;
    const V t50 = x[1] * u5;
    const V t51 = t48 + t50;
    const V t52 = t32 * x[6];
    const V t53 = u1 * x[6];
    const V t54 = t51 + t53;
    const V t56 = t54 + t54;
    const V t57 = t29 * t56;
    const V t58 = t11 * t56;
    const V t59 = x[7] + t58;
    const V t61 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t59);
    const V t62 = t61 / t16;
    const V t63 = t27 * t62;
    const V t65 = splat<V>(S(0.5)) * t62;
    const V t67 = u6 + t65;
    const V t68 = t23 * t67;
    const V t69 = t18 * t67;
    const V t70 = t69 - t54;
    const V t71 = t70 / t17;
    const V t72 = t23 * t71;
    const V t73 = -t72;
    const V t74 = x[3] * t71;
    const V t75 = u3 * t71;
    const V t77 = x[3] * u7;
    const V t79 = t18 * u7;
    const V t81 = t68 - t77;
    const V t82 = t75 - t79;
    const V t83 = t81 / t17;
    const V t84 = t18 * t83;
    const V t86 = t57 + t83;
    const V t87 = t73 - t84;
    const V t88 = t87 - t63;
    const V t89 = splat<V>(S(0.5)) * t88;
    const V t90 = t89 / t16;
    const V t92 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t90);
    const V t93 = t11 * t92;
    const V t94 = t86 + t93;
    const V t95 = t93 + t94;
    const V t96 = u1 * t95;
    const V t97 = x[1] * t95;
    const V t98 = t49 + t96;
    const V t99 = t52 + t97;
    const V t100 = u0 * t95;
    const V t101 = x[0] * t95;
    const V t102 = t44 + t100;
    const V t103 = t46 + t101;
    y[0] = t102;
    y[1] = t98;
    y[2] = t92;
    y[3] = t82;
    y[4] = t59;
    y[5] = t103;
    y[6] = t99;
    y[7] = t87;
    y[8] = t74;
  }
};

// adagrad, weight decay: parameters, forward
template <class S, class V>
struct k_3e684cdc2ad5_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t18 = u3 * t16;
    const V t20 = x[1] - t18;
    y[0] = t20;
    y[1] = t11;
  }
};

// adagrad, weight decay: parameters, vjp
template <class S, class V>
struct k_3e684cdc2ad5_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t25 = u3 * x[3];
    const V t27 = t25 / t15;
    const V t29 = t16 * t27;
    const V t32 = t29 * splat<V>(S(0.5));
    const V t33 = t32 / t14;
    const V t35 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t33);
    const V t36 = x[4] + t35;
    const V t37 = t9 * t36;
    const V t38 = t37 - t27;
    const V t39 = t37 + t38;
    const V t40 = u1 * t39;
    const V t42 = x[3] + t40;
    const V t43 = u0 * t39;
    y[0] = t43;
    y[1] = t42;
    y[2] = t36;
  }
};

// adagrad, weight decay: parameters, vjps
template <class S, class V>
struct k_3e684cdc2ad5_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 4, sums = 4, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t23 = t16 * x[3];
    const V t24 = -t23;
    const V t25 = u3 * x[3];
    const V t27 = t25 / t15;
    const V t29 = t16 * t27;
    const V t32 = t29 * splat<V>(S(0.5));
    const V t33 = t32 / t14;
    const V t35 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t33);
    const V t36 = x[4] + t35;
    const V t37 = t9 * t36;
    const V t38 = t37 - t27;
    const V t39 = t37 + t38;
    const V t40 = u1 * t39;
    const V t41 = x[1] * t39;
    const V t42 = x[3] + t40;
    const V t43 = u0 * t39;
    const V t44 = x[0] * t39;
    y[0] = t43;
    y[1] = t42;
    y[2] = t36;
    y[3] = t44;
    y[4] = t41;
    y[5] = t29;
    y[6] = t24;
  }
};

// adagrad, weight decay: parameters, jvp
template <class S, class V>
struct k_3e684cdc2ad5_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 8, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = x[1] * u1;
    const V t9 = t7 + t8;
    const V t10 = t9 * t9;
    const V t11 = x[2] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u2 + t14;
    const V t16 = t9 / t15;
    const V t27 = u0 * x[3];
    const V t28 = x[0] * u3;
    const V t29 = t27 + t28;
    const V t30 = u1 * x[4];
    const V t31 = x[1] * u4;
    const V t32 = t30 + t31;
    const V t33 = t29 + t32;
    const V t34 = t9 * t33;
    const V t35 = t34 + t34;
    const V t36 = x[5] + t35;
    const V t37 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t36);
    const V t39 = t37 * splat<V>(S(0.5));
    const V t40 = t39 / t14;
    const V t41 = u5 + t40;
    const V t42 = t16 * t41;
    const V t43 = t33 - t42;
    const V t44 = t43 / t15;
    const V t45 = t16 * u6;
    const V t46 = u7 * t44;
    const V t47 = t45 + t46;
    const V t48 = x[4] - t47;
    y[0] = t48;
    y[1] = t36;
  }
};

// adagrad, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_3e684cdc2ad5_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 4, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t20 = u3 * x[3];
    const V t21 = t20 / t17;
    const V t22 = t18 * t21;
    const V t24 = t22 * splat<V>(S(0.5));
    const V t25 = t24 / t16;
    const V t26 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t25);
    const V t27 = x[4] + t26;
    const V t38 = u0 * x[5];
    const V t40 = u1 * x[6];
    const V t41 = t38 + t40;
    const V t43 = t41 + t41;
    const V t44 = t27 * t43;
    const V t45 = t11 * t43;
    const V t46 = x[7] + t45;
    const V t48 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t46);
    const V t49 = t48 / t16;
    const V t50 = t25 * t49;
    const V t52 = splat<V>(S(0.5)) * t49;
    const V t54 = t21 * t52;
    const V t55 = t18 * t52;
    const V t56 = t55 - t41;
    const V t57 = t56 / t17;
    const V t58 = t21 * t57;
    const V t59 = -t58;
    const V t61 = u3 * t57;
    const V t62 = x[6] + t61;
    const V t63 = t54 / t17;
    const V t64 = t18 * t63;
    const V t66 = t44 + t63;
    const V t67 = t59 - t64;
    const V t68 = t67 - t50;
    const V t69 = splat<V>(S(0.5)) * t68;
    const V t70 = t69 / t16;
    const V t72 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t70);
    const V t73 = t11 * t72;
    const V t74 = t66 + t73;
    const V t75 = t73 + t74;
    const V t76 = u1 * t75;
    const V t79 = u0 * t75;
    y[0] = t79;
    y[1] = t76;
    y[2] = t72;
    y[3] = t62;
    y[4] = t46;
  }
};

// adagrad, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_3e684cdc2ad5_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 8, sums = 4, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[3]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = u3 * x[3];
    const V t23 = t22 / t17;
    const V t24 = t18 * t23;
    const V t26 = t24 * splat<V>(S(0.5));
    const V t27 = t26 / t16;
    const V t28 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t27);
    const V t29 = x[4] + t28;
    const V t30 = t11 * t29;
    const V t31 = t30 - t23;
    const V t32 = t30 + t31;
    const V t45 = t32 * u4;
    const V t46 = x[0] * u4;
    const V t47 = t32 * x[5];
    const V t48 = u0 * x[5];
    const V t49 = t46 + t48;
    const V t50 = t32 * u5;
    const V t51 = x[1] * u5;
    const V t52 = t49 + t51;
    const V t53 = t32 * x[6];
    const V t54 = u1 * x[6];
    const V t55 = t52 + t54;
    const V t57 = t55 + t55;
    const V t58 = t29 * t57;
    const V t59 = t11 * t57;
    const V t60 = x[7] + t59;
    const V t62 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t60);
    const V t63 = t62 / t16;
    const V t64 = t27 * t63;
    const V t66 = splat<V>(S(0.5)) * t63;
    const V t68 = u6 + t66;
    const V t69 = t23 * t68;
    const V t70 = t18 * t68;
    const V t71 = t70 - t55;
    const V t72 = t71 / t17;
    const V t73 = t23 * t72;
    const V t74 = -t73;
    const V t75 = x[3] * t72;
    const V t76 = u3 * t72;
    const V t77 = x[6] + t76;
    const V t79 = x[3] * u7;
    const V t81 = t18 * u7;
    const V t83 = t69 - t79;
    const V t84 = t77 - t81;
    const V t85 = t83 / t17;
    const V t86 = t18 * t85;
    const V t88 = t58 + t85;
    const V t89 = t74 - t86;
    const V t90 = t89 - t64;
    const V t91 = splat<V>(S(0.5)) * t90;
    const V t92 = t91 / t16;
    const V t94 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t92);
    const V t95 = t11 * t94;
    const V t96 = t88 + t95;
    const V t97 = t95 + t96;
    const V t98 = u1 * t97;
    const V t99 = x[1] * t97;
    const V t100 = t50 + t98;
    const V t101 = t53 + t99;
    const V t102 = u0 * t97;
    const V t103 = x[0] * t97;
    const V t104 = t45 + t102;
    const V t105 = t47 + t103;
    y[0] = t104;
    y[1] = t100;
    y[2] = t94;
    y[3] = t84;
    y[4] = t60;
    y[5] = t105;
    y[6] = t101;
    y[7] = t89;
    y[8] = t75;
  }
};

// adagrad, decay: update, forward
template <class S, class V>
struct k_ba8b5fde3626_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = h[2] * h[3];
    const double t17 = t15 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = select_gt(tiny<V>(), t9, tiny<V>(), t9);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t7 / t13;
    const V t18 = t14 / u2;
    const V t20 = u3 * t18;
    const V t21 = -t20;
    y[0] = t21;
    y[1] = t9;
  }
};

// adagrad, decay: update, vjp
template <class S, class V>
struct k_ba8b5fde3626_vjp {
  static constexpr int inputs = 4, outputs = 2, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = h[2] * h[3];
    const double t17 = t15 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[4]);
    u[3] = S(t17);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = select_gt(tiny<V>(), t9, tiny<V>(), t9);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t7 / t13;
    const V t27 = u2 * x[2];
    const V t29 = t27 / u3;
    const V t35 = t29 / t13;
    const V t37 = t14 * t35;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t41 = t40 / t12;
    const V t43 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t41);
    const V t44 = x[3] + t43;
    const V t45 = t7 * t44;
    const V t46 = t45 - t35;
    const V t47 = t45 + t46;
    const V t48 = u0 * t47;
    y[0] = t48;
    y[1] = t44;
  }
};

// adagrad, decay: update, vjps
template <class S, class V>
struct k_ba8b5fde3626_vjps {
  static constexpr int inputs = 4, outputs = 2, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = h[2] * h[3];
    const double t17 = t15 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[4]);
    u[4] = S(h[3]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = select_gt(tiny<V>(), t9, tiny<V>(), t9);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t7 / t13;
    const V t18 = t14 / u2;
    const V t25 = t18 * x[2];
    const V t26 = -t25;
    const V t27 = u3 * x[2];
    const V t29 = t27 / u2;
    const V t31 = t18 * t29;
    const V t33 = u4 * t31;
    const V t34 = u5 * t31;
    const V t35 = t29 / t13;
    const V t37 = t14 * t35;
    const V t40 = t37 * splat<V>(S(0.5));
    const V t41 = t40 / t12;
    const V t43 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t41);
    const V t44 = x[3] + t43;
    const V t45 = t7 * t44;
    const V t46 = t45 - t35;
    const V t47 = t45 + t46;
    const V t48 = u0 * t47;
    const V t49 = x[0] * t47;
    y[0] = t48;
    y[1] = t44;
    y[2] = t49;
    y[3] = t37;
    y[4] = t33;
    y[5] = t34;
    y[6] = t26;
  }
};

// adagrad, decay: update, jvp
template <class S, class V>
struct k_ba8b5fde3626_jvp {
  static constexpr int inputs = 4, outputs = 2, scalars = 10, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = h[2] * h[3];
    const double t17 = t15 + double(1.0);
    const double t43 = h[3] * h[7];
    const double t44 = h[2] * h[8];
    const double t45 = t43 + t44;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t17);
    u[3] = S(h[5]);
    u[4] = S(h[6]);
    u[5] = S(t45);
    u[6] = S(h[9]);
    u[7] = S(h[4]);
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
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = select_gt(tiny<V>(), t9, tiny<V>(), t9);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t7 / t13;
    const V t18 = t14 / u2;
    const V t29 = u0 * x[2];
    const V t30 = x[0] * u3;
    const V t31 = t29 + t30;
    const V t32 = t7 * t31;
    const V t33 = t32 + t32;
    const V t34 = x[3] + t33;
    const V t35 = select_gt(tiny<V>(), t9, splat<V>(S(0.0)), t34);
    const V t37 = t35 * splat<V>(S(0.5));
    const V t38 = t37 / t12;
    const V t39 = u4 + t38;
    const V t40 = t14 * t39;
    const V t41 = t31 - t40;
    const V t42 = t41 / t13;
    const V t46 = t18 * u5;
    const V t47 = t42 - t46;
    const V t48 = t47 / u2;
    const V t49 = t18 * u6;
    const V t50 = u7 * t48;
    const V t51 = t49 + t50;
    const V t52 = -t51;
    y[0] = t52;
    y[1] = t34;
  }
};

// adagrad, decay: update, vjp_vjp
template <class S, class V>
struct k_ba8b5fde3626_vjp_vjp {
  static constexpr int inputs = 6, outputs = 4, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = h[2] * h[3];
    const double t19 = t17 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[4]);
    u[3] = S(t19);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[1] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t9 / t15;
    const V t21 = u2 * x[2];
    const V t22 = t21 / u3;
    const V t23 = t22 / t15;
    const V t24 = t16 * t23;
    const V t26 = t24 * splat<V>(S(0.5));
    const V t27 = t26 / t14;
    const V t28 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t27);
    const V t29 = x[3] + t28;
    const V t37 = u0 * x[4];
    const V t39 = t37 + t37;
    const V t40 = t29 * t39;
    const V t41 = t9 * t39;
    const V t42 = x[5] + t41;
    const V t44 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t42);
    const V t45 = t44 / t14;
    const V t46 = t27 * t45;
    const V t48 = splat<V>(S(0.5)) * t45;
    const V t50 = t23 * t48;
    const V t51 = t16 * t48;
    const V t52 = t51 - t37;
    const V t53 = t52 / t15;
    const V t54 = t23 * t53;
    const V t55 = -t54;
    const V t56 = t53 / u3;
    const V t60 = u2 * t56;
    const V t65 = t50 / t15;
    const V t66 = t16 * t65;
    const V t68 = t40 + t65;
    const V t69 = t55 - t66;
    const V t70 = t69 - t46;
    const V t71 = splat<V>(S(0.5)) * t70;
    const V t72 = t71 / t14;
    const V t74 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t72);
    const V t75 = t9 * t74;
    const V t76 = t68 + t75;
    const V t77 = t75 + t76;
    const V t78 = u0 * t77;
    y[0] = t78;
    y[1] = t74;
    y[2] = t60;
    y[3] = t42;
  }
};

// adagrad, decay: update, vjps_vjps
template <class S, class V>
struct k_ba8b5fde3626_vjps_vjps {
  static constexpr int inputs = 6, outputs = 4, scalars = 10, sums = 5, uniforms = 12;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = h[2] * h[3];
    const double t19 = t17 + double(1.0);
    const double t73 = h[2] * h[8];
    const double t75 = h[3] * h[7];
    const double t76 = t73 + t75;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[8]);
    u[7] = S(h[7]);
    u[8] = S(t76);
    u[9] = S(h[9]);
    u[10] = S(h[3]);
    u[11] = S(h[2]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[1] + t10;
    const V t13 = select_gt(tiny<V>(), t11, tiny<V>(), t11);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t9 / t15;
    const V t20 = t16 / u2;
    const V t24 = u3 * x[2];
    const V t25 = t24 / u2;
    const V t26 = t20 * t25;
    const V t29 = t25 / t15;
    const V t30 = t16 * t29;
    const V t32 = t30 * splat<V>(S(0.5));
    const V t33 = t32 / t14;
    const V t34 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t33);
    const V t35 = x[3] + t34;
    const V t36 = t9 * t35;
    const V t37 = t36 - t29;
    const V t38 = t36 + t37;
    const V t48 = t38 * u4;
    const V t49 = x[0] * u4;
    const V t50 = t38 * x[4];
    const V t51 = u0 * x[4];
    const V t52 = t49 + t51;
    const V t54 = t52 + t52;
    const V t55 = t35 * t54;
    const V t56 = t9 * t54;
    const V t57 = x[5] + t56;
    const V t59 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t57);
    const V t60 = t59 / t14;
    const V t61 = t33 * t60;
    const V t63 = splat<V>(S(0.5)) * t60;
    const V t65 = u5 + t63;
    const V t66 = t29 * t65;
    const V t67 = t16 * t65;
    const V t68 = t67 - t52;
    const V t69 = t68 / t15;
    const V t70 = t29 * t69;
    const V t71 = -t70;
    const V t72 = t26 * u6;
    const V t74 = t26 * u7;
    const V t77 = t25 * u8;
    const V t78 = t20 * u8;
    const V t79 = t69 + t78;
    const V t80 = t79 / u2;
    const V t81 = t25 * t80;
    const V t82 = -t81;
    const V t83 = x[2] * t80;
    const V t84 = u3 * t80;
    const V t86 = x[2] * u9;
    const V t88 = t20 * u9;
    const V t90 = t77 - t86;
    const V t91 = t84 - t88;
    const V t92 = t90 / u2;
    const V t93 = t20 * t92;
    const V t95 = t66 + t92;
    const V t96 = t82 - t93;
    const V t97 = u10 * t96;
    const V t98 = u11 * t96;
    const V t99 = t72 + t97;
    const V t100 = t74 + t98;
    const V t101 = t95 / t15;
    const V t102 = t16 * t101;
    const V t104 = t55 + t101;
    const V t105 = t71 - t102;
    const V t106 = t105 - t61;
    const V t107 = splat<V>(S(0.5)) * t106;
    const V t108 = t107 / t14;
    const V t110 = select_gt(tiny<V>(), t11, splat<V>(S(0.0)), t108);
    const V t111 = t9 * t110;
    const V t112 = t104 + t111;
    const V t113 = t111 + t112;
    const V t114 = u0 * t113;
    const V t115 = x[0] * t113;
    const V t116 = t48 + t114;
    const V t117 = t50 + t115;
    y[0] = t116;
    y[1] = t110;
    y[2] = t91;
    y[3] = t57;
    y[4] = t117;
    y[5] = t105;
    y[6] = t99;
    y[7] = t100;
    y[8] = t83;
  }
};

// adagrad, decay: parameters, forward
template <class S, class V>
struct k_025da1b49934_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = h[2] * h[3];
    const double t18 = t16 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] + t9;
    const V t12 = select_gt(tiny<V>(), t10, tiny<V>(), t10);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t8 / t14;
    const V t19 = t15 / u2;
    const V t21 = u3 * t19;
    const V t23 = x[1] - t21;
    y[0] = t23;
    y[1] = t10;
  }
};

// adagrad, decay: parameters, vjp
template <class S, class V>
struct k_025da1b49934_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = h[2] * h[3];
    const double t18 = t16 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[4]);
    u[3] = S(t18);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] + t9;
    const V t12 = select_gt(tiny<V>(), t10, tiny<V>(), t10);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t8 / t14;
    const V t28 = u2 * x[3];
    const V t30 = t28 / u3;
    const V t36 = t30 / t14;
    const V t38 = t15 * t36;
    const V t41 = t38 * splat<V>(S(0.5));
    const V t42 = t41 / t13;
    const V t44 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t42);
    const V t45 = x[4] + t44;
    const V t46 = t8 * t45;
    const V t47 = t46 - t36;
    const V t48 = t46 + t47;
    const V t49 = u0 * t48;
    y[0] = t49;
    y[1] = x[3];
    y[2] = t45;
  }
};

// adagrad, decay: parameters, vjps
template <class S, class V>
struct k_025da1b49934_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = h[2] * h[3];
    const double t18 = t16 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[4]);
    u[4] = S(h[3]);
    u[5] = S(h[2]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] + t9;
    const V t12 = select_gt(tiny<V>(), t10, tiny<V>(), t10);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t8 / t14;
    const V t19 = t15 / u2;
    const V t26 = t19 * x[3];
    const V t27 = -t26;
    const V t28 = u3 * x[3];
    const V t30 = t28 / u2;
    const V t32 = t19 * t30;
    const V t34 = u4 * t32;
    const V t35 = u5 * t32;
    const V t36 = t30 / t14;
    const V t38 = t15 * t36;
    const V t41 = t38 * splat<V>(S(0.5));
    const V t42 = t41 / t13;
    const V t44 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t42);
    const V t45 = x[4] + t44;
    const V t46 = t8 * t45;
    const V t47 = t46 - t36;
    const V t48 = t46 + t47;
    const V t49 = u0 * t48;
    const V t50 = x[0] * t48;
    y[0] = t49;
    y[1] = x[3];
    y[2] = t45;
    y[3] = t50;
    y[4] = t38;
    y[5] = t34;
    y[6] = t35;
    y[7] = t27;
  }
};

// adagrad, decay: parameters, jvp
template <class S, class V>
struct k_025da1b49934_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 10, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = h[2] * h[3];
    const double t18 = t16 + double(1.0);
    const double t45 = h[3] * h[7];
    const double t46 = h[2] * h[8];
    const double t47 = t45 + t46;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[5]);
    u[4] = S(h[6]);
    u[5] = S(t47);
    u[6] = S(h[9]);
    u[7] = S(h[4]);
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
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] + t9;
    const V t12 = select_gt(tiny<V>(), t10, tiny<V>(), t10);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t8 / t14;
    const V t19 = t15 / u2;
    const V t31 = u0 * x[3];
    const V t32 = x[0] * u3;
    const V t33 = t31 + t32;
    const V t34 = t8 * t33;
    const V t35 = t34 + t34;
    const V t36 = x[5] + t35;
    const V t37 = select_gt(tiny<V>(), t10, splat<V>(S(0.0)), t36);
    const V t39 = t37 * splat<V>(S(0.5));
    const V t40 = t39 / t13;
    const V t41 = u4 + t40;
    const V t42 = t15 * t41;
    const V t43 = t33 - t42;
    const V t44 = t43 / t14;
    const V t48 = t19 * u5;
    const V t49 = t44 - t48;
    const V t50 = t49 / u2;
    const V t51 = t19 * u6;
    const V t52 = u7 * t50;
    const V t53 = t51 + t52;
    const V t54 = x[4] - t53;
    y[0] = t54;
    y[1] = t36;
  }
};

// adagrad, decay: parameters, vjp_vjp
template <class S, class V>
struct k_025da1b49934_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = h[2] * h[3];
    const double t20 = t18 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[4]);
    u[3] = S(t20);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t10 = x[0] * u0;
    const V t11 = t10 * t10;
    const V t12 = x[2] + t11;
    const V t14 = select_gt(tiny<V>(), t12, tiny<V>(), t12);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t10 / t16;
    const V t22 = u2 * x[3];
    const V t23 = t22 / u3;
    const V t24 = t23 / t16;
    const V t25 = t17 * t24;
    const V t27 = t25 * splat<V>(S(0.5));
    const V t28 = t27 / t15;
    const V t29 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t28);
    const V t30 = x[4] + t29;
    const V t39 = u0 * x[5];
    const V t41 = t39 + t39;
    const V t42 = t30 * t41;
    const V t43 = t10 * t41;
    const V t44 = x[7] + t43;
    const V t46 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t44);
    const V t47 = t46 / t15;
    const V t48 = t28 * t47;
    const V t50 = splat<V>(S(0.5)) * t47;
    const V t52 = t24 * t50;
    const V t53 = t17 * t50;
    const V t54 = t53 - t39;
    const V t55 = t54 / t16;
    const V t56 = t24 * t55;
    const V t57 = -t56;
    const V t58 = t55 / u3;
    const V t62 = u2 * t58;
    const V t63 = x[6] + t62;
    const V t68 = t52 / t16;
    const V t69 = t17 * t68;
    const V t71 = t42 + t68;
    const V t72 = t57 - t69;
    const V t73 = t72 - t48;
    const V t74 = splat<V>(S(0.5)) * t73;
    const V t75 = t74 / t15;
    const V t77 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t75);
    const V t78 = t10 * t77;
    const V t79 = t71 + t78;
    const V t80 = t78 + t79;
    const V t81 = u0 * t80;
    y[0] = t81;
    y[1] = splat<V>(S(0.0));
    y[2] = t77;
    y[3] = t63;
    y[4] = t44;
  }
};

// adagrad, decay: parameters, vjps_vjps
template <class S, class V>
struct k_025da1b49934_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 10, sums = 5, uniforms = 12;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = h[2] * h[3];
    const double t20 = t18 + double(1.0);
    const double t75 = h[2] * h[8];
    const double t77 = h[3] * h[7];
    const double t78 = t75 + t77;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[8]);
    u[7] = S(h[7]);
    u[8] = S(t78);
    u[9] = S(h[9]);
    u[10] = S(h[3]);
    u[11] = S(h[2]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V t10 = x[0] * u0;
    const V t11 = t10 * t10;
    const V t12 = x[2] + t11;
    const V t14 = select_gt(tiny<V>(), t12, tiny<V>(), t12);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t10 / t16;
    const V t21 = t17 / u2;
    const V t25 = u3 * x[3];
    const V t26 = t25 / u2;
    const V t27 = t21 * t26;
    const V t30 = t26 / t16;
    const V t31 = t17 * t30;
    const V t33 = t31 * splat<V>(S(0.5));
    const V t34 = t33 / t15;
    const V t35 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t34);
    const V t36 = x[4] + t35;
    const V t37 = t10 * t36;
    const V t38 = t37 - t30;
    const V t39 = t37 + t38;
    const V t50 = t39 * u4;
    const V t51 = x[0] * u4;
    const V t52 = t39 * x[5];
    const V t53 = u0 * x[5];
    const V t54 = t51 + t53;
    const V t56 = t54 + t54;
    const V t57 = t36 * t56;
    const V t58 = t10 * t56;
    const V t59 = x[7] + t58;
    const V t61 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t59);
    const V t62 = t61 / t15;
    const V t63 = t34 * t62;
    const V t65 = splat<V>(S(0.5)) * t62;
    const V t67 = u5 + t65;
    const V t68 = t30 * t67;
    const V t69 = t17 * t67;
    const V t70 = t69 - t54;
    const V t71 = t70 / t16;
    const V t72 = t30 * t71;
    const V t73 = -t72;
    const V t74 = t27 * u6;
    const V t76 = t27 * u7;
    const V t79 = t26 * u8;
    const V t80 = t21 * u8;
    const V t81 = t71 + t80;
    const V t82 = t81 / u2;
    const V t83 = t26 * t82;
    const V t84 = -t83;
    const V t85 = x[3] * t82;
    const V t86 = u3 * t82;
    const V t87 = x[6] + t86;
    const V t89 = x[3] * u9;
    const V t91 = t21 * u9;
    const V t93 = t79 - t89;
    const V t94 = t87 - t91;
    const V t95 = t93 / u2;
    const V t96 = t21 * t95;
    const V t98 = t68 + t95;
    const V t99 = t84 - t96;
    const V t100 = u10 * t99;
    const V t101 = u11 * t99;
    const V t102 = t74 + t100;
    const V t103 = t76 + t101;
    const V t104 = t98 / t16;
    const V t105 = t17 * t104;
    const V t107 = t57 + t104;
    const V t108 = t73 - t105;
    const V t109 = t108 - t63;
    const V t110 = splat<V>(S(0.5)) * t109;
    const V t111 = t110 / t15;
    const V t113 = select_gt(tiny<V>(), t12, splat<V>(S(0.0)), t111);
    const V t114 = t10 * t113;
    const V t115 = t107 + t114;
    const V t116 = t114 + t115;
    const V t117 = u0 * t116;
    const V t118 = x[0] * t116;
    const V t119 = t50 + t117;
    const V t120 = t52 + t118;
    y[0] = t119;
    y[1] = splat<V>(S(0.0));
    y[2] = t113;
    y[3] = t94;
    y[4] = t59;
    y[5] = t120;
    y[6] = t108;
    y[7] = t102;
    y[8] = t103;
    y[9] = t85;
  }
};

// adagrad, decay, weight decay: update, forward
template <class S, class V>
struct k_730dec375520_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t21);
    u[4] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = t18 / u3;
    const V t24 = u4 * t22;
    const V t25 = -t24;
    y[0] = t25;
    y[1] = t13;
  }
};

// adagrad, decay, weight decay: update, vjp
template <class S, class V>
struct k_730dec375520_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[5]);
    u[4] = S(t21);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t31 = u3 * x[3];
    const V t33 = t31 / u4;
    const V t39 = t33 / t17;
    const V t41 = t18 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t16;
    const V t47 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t45);
    const V t48 = x[4] + t47;
    const V t49 = t11 * t48;
    const V t50 = t49 - t39;
    const V t51 = t49 + t50;
    const V t52 = u1 * t51;
    const V t54 = u0 * t51;
    y[0] = t54;
    y[1] = t52;
    y[2] = t48;
  }
};

// adagrad, decay, weight decay: update, vjps
template <class S, class V>
struct k_730dec375520_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t21);
    u[4] = S(h[5]);
    u[5] = S(h[4]);
    u[6] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = t18 / u3;
    const V t29 = t22 * x[3];
    const V t30 = -t29;
    const V t31 = u4 * x[3];
    const V t33 = t31 / u3;
    const V t35 = t22 * t33;
    const V t37 = u5 * t35;
    const V t38 = u6 * t35;
    const V t39 = t33 / t17;
    const V t41 = t18 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t16;
    const V t47 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t45);
    const V t48 = x[4] + t47;
    const V t49 = t11 * t48;
    const V t50 = t49 - t39;
    const V t51 = t49 + t50;
    const V t52 = u1 * t51;
    const V t53 = x[1] * t51;
    const V t54 = u0 * t51;
    const V t55 = x[0] * t51;
    y[0] = t54;
    y[1] = t52;
    y[2] = t48;
    y[3] = t55;
    y[4] = t53;
    y[5] = t41;
    y[6] = t37;
    y[7] = t38;
    y[8] = t30;
  }
};

// adagrad, decay, weight decay: update, jvp
template <class S, class V>
struct k_730dec375520_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 12, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    const double t53 = h[4] * h[9];
    const double t54 = h[3] * h[10];
    const double t55 = t53 + t54;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t21);
    u[4] = S(h[6]);
    u[5] = S(h[7]);
    u[6] = S(h[8]);
    u[7] = S(t55);
    u[8] = S(h[11]);
    u[9] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = t18 / u3;
    const V t35 = u0 * x[3];
    const V t36 = x[0] * u4;
    const V t37 = t35 + t36;
    const V t38 = u1 * x[4];
    const V t39 = x[1] * u5;
    const V t40 = t38 + t39;
    const V t41 = t37 + t40;
    const V t42 = t11 * t41;
    const V t43 = t42 + t42;
    const V t44 = x[5] + t43;
    const V t45 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t44);
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t16;
    const V t49 = u6 + t48;
    const V t50 = t18 * t49;
    const V t51 = t41 - t50;
    const V t52 = t51 / t17;
    const V t56 = t22 * u7;
    const V t57 = t52 - t56;
    const V t58 = t57 / u3;
    const V t59 = t22 * u8;
    const V t60 = u9 * t58;
    const V t61 = t59 + t60;
    const V t62 = -t61;
    y[0] = t62;
    y[1] = t44;
  }
};

// adagrad, decay, weight decay: update, vjp_vjp
template <class S, class V>
struct k_730dec375520_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[5]);
    u[4] = S(t23);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = t13 * t13;
    const V t15 = x[2] + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t13 / t19;
    const V t25 = u3 * x[3];
    const V t26 = t25 / u4;
    const V t27 = t26 / t19;
    const V t28 = t20 * t27;
    const V t30 = t28 * splat<V>(S(0.5));
    const V t31 = t30 / t18;
    const V t32 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t31);
    const V t33 = x[4] + t32;
    const V t43 = u0 * x[5];
    const V t45 = u1 * x[6];
    const V t46 = t43 + t45;
    const V t48 = t46 + t46;
    const V t49 = t33 * t48;
    const V t50 = t13 * t48;
    const V t51 = x[7] + t50;
    const V t53 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t51);
    const V t54 = t53 / t18;
    const V t55 = t31 * t54;
    const V t57 = splat<V>(S(0.5)) * t54;
    const V t59 = t27 * t57;
    const V t60 = t20 * t57;
    const V t61 = t60 - t46;
    const V t62 = t61 / t19;
    const V t63 = t27 * t62;
    const V t64 = -t63;
    const V t65 = t62 / u4;
    const V t69 = u3 * t65;
    const V t74 = t59 / t19;
    const V t75 = t20 * t74;
    const V t77 = t49 + t74;
    const V t78 = t64 - t75;
    const V t79 = t78 - t55;
    const V t80 = splat<V>(S(0.5)) * t79;
    const V t81 = t80 / t18;
    const V t83 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t81);
    const V t84 = t13 * t83;
    const V t85 = t77 + t84;
    const V t86 = t84 + t85;
    const V t87 = u1 * t86;
    const V t90 = u0 * t86;
    y[0] = t90;
    y[1] = t87;
    y[2] = t83;
    y[3] = t69;
    y[4] = t51;
  }
};

// adagrad, decay, weight decay: update, vjps_vjps
template <class S, class V>
struct k_730dec375520_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 12, sums = 6, uniforms = 14;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    const double t87 = h[3] * h[10];
    const double t89 = h[4] * h[9];
    const double t90 = t87 + t89;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[8]);
    u[8] = S(h[10]);
    u[9] = S(h[9]);
    u[10] = S(t90);
    u[11] = S(h[11]);
    u[12] = S(h[4]);
    u[13] = S(h[3]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = t13 * t13;
    const V t15 = x[2] + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t13 / t19;
    const V t24 = t20 / u3;
    const V t28 = u4 * x[3];
    const V t29 = t28 / u3;
    const V t30 = t24 * t29;
    const V t33 = t29 / t19;
    const V t34 = t20 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t18;
    const V t38 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t37);
    const V t39 = x[4] + t38;
    const V t40 = t13 * t39;
    const V t41 = t40 - t33;
    const V t42 = t40 + t41;
    const V t56 = t42 * u5;
    const V t57 = x[0] * u5;
    const V t58 = t42 * x[5];
    const V t59 = u0 * x[5];
    const V t60 = t57 + t59;
    const V t61 = t42 * u6;
    const V t62 = x[1] * u6;
    const V t63 = t60 + t62;
    const V t64 = t42 * x[6];
    const V t65 = u1 * x[6];
    const V t66 = t63 + t65;
    const V t68 = t66 + t66;
    const V t69 = t39 * t68;
    const V t70 = t13 * t68;
    const V t71 = x[7] + t70;
    const V t73 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t71);
    const V t74 = t73 / t18;
    const V t75 = t37 * t74;
    const V t77 = splat<V>(S(0.5)) * t74;
    const V t79 = u7 + t77;
    const V t80 = t33 * t79;
    const V t81 = t20 * t79;
    const V t82 = t81 - t66;
    const V t83 = t82 / t19;
    const V t84 = t33 * t83;
    const V t85 = -t84;
    const V t86 = t30 * u8;
    const V t88 = t30 * u9;
    const V t91 = t29 * u10;
    const V t92 = t24 * u10;
    const V t93 = t83 + t92;
    const V t94 = t93 / u3;
    const V t95 = t29 * t94;
    const V t96 = -t95;
    const V t97 = x[3] * t94;
    const V t98 = u4 * t94;
    const V t100 = x[3] * u11;
    const V t102 = t24 * u11;
    const V t104 = t91 - t100;
    const V t105 = t98 - t102;
    const V t106 = t104 / u3;
    const V t107 = t24 * t106;
    const V t109 = t80 + t106;
    const V t110 = t96 - t107;
    const V t111 = u12 * t110;
    const V t112 = u13 * t110;
    const V t113 = t86 + t111;
    const V t114 = t88 + t112;
    const V t115 = t109 / t19;
    const V t116 = t20 * t115;
    const V t118 = t69 + t115;
    const V t119 = t85 - t116;
    const V t120 = t119 - t75;
    const V t121 = splat<V>(S(0.5)) * t120;
    const V t122 = t121 / t18;
    const V t124 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t122);
    const V t125 = t13 * t124;
    const V t126 = t118 + t125;
    const V t127 = t125 + t126;
    const V t128 = u1 * t127;
    const V t129 = x[1] * t127;
    const V t130 = t61 + t128;
    const V t131 = t64 + t129;
    const V t132 = u0 * t127;
    const V t133 = x[0] * t127;
    const V t134 = t56 + t132;
    const V t135 = t58 + t133;
    y[0] = t134;
    y[1] = t130;
    y[2] = t124;
    y[3] = t105;
    y[4] = t71;
    y[5] = t135;
    y[6] = t131;
    y[7] = t119;
    y[8] = t113;
    y[9] = t114;
    y[10] = t97;
  }
};

// adagrad, decay, weight decay: parameters, forward
template <class S, class V>
struct k_ff39933d5823_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t21);
    u[4] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = t18 / u3;
    const V t24 = u4 * t22;
    const V t26 = x[1] - t24;
    y[0] = t26;
    y[1] = t13;
  }
};

// adagrad, decay, weight decay: parameters, vjp
template <class S, class V>
struct k_ff39933d5823_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[5]);
    u[4] = S(t21);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t31 = u3 * x[3];
    const V t33 = t31 / u4;
    const V t39 = t33 / t17;
    const V t41 = t18 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t16;
    const V t47 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t45);
    const V t48 = x[4] + t47;
    const V t49 = t11 * t48;
    const V t50 = t49 - t39;
    const V t51 = t49 + t50;
    const V t52 = u1 * t51;
    const V t54 = x[3] + t52;
    const V t55 = u0 * t51;
    y[0] = t55;
    y[1] = t54;
    y[2] = t48;
  }
};

// adagrad, decay, weight decay: parameters, vjps
template <class S, class V>
struct k_ff39933d5823_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t21);
    u[4] = S(h[5]);
    u[5] = S(h[4]);
    u[6] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = t18 / u3;
    const V t29 = t22 * x[3];
    const V t30 = -t29;
    const V t31 = u4 * x[3];
    const V t33 = t31 / u3;
    const V t35 = t22 * t33;
    const V t37 = u5 * t35;
    const V t38 = u6 * t35;
    const V t39 = t33 / t17;
    const V t41 = t18 * t39;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t16;
    const V t47 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t45);
    const V t48 = x[4] + t47;
    const V t49 = t11 * t48;
    const V t50 = t49 - t39;
    const V t51 = t49 + t50;
    const V t52 = u1 * t51;
    const V t53 = x[1] * t51;
    const V t54 = x[3] + t52;
    const V t55 = u0 * t51;
    const V t56 = x[0] * t51;
    y[0] = t55;
    y[1] = t54;
    y[2] = t48;
    y[3] = t56;
    y[4] = t53;
    y[5] = t41;
    y[6] = t37;
    y[7] = t38;
    y[8] = t30;
  }
};

// adagrad, decay, weight decay: parameters, jvp
template <class S, class V>
struct k_ff39933d5823_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 12, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[3] * h[4];
    const double t21 = t19 + double(1.0);
    const double t53 = h[4] * h[9];
    const double t54 = h[3] * h[10];
    const double t55 = t53 + t54;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t21);
    u[4] = S(h[6]);
    u[5] = S(h[7]);
    u[6] = S(h[8]);
    u[7] = S(t55);
    u[8] = S(h[11]);
    u[9] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = select_gt(tiny<V>(), t13, tiny<V>(), t13);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t11 / t17;
    const V t22 = t18 / u3;
    const V t35 = u0 * x[3];
    const V t36 = x[0] * u4;
    const V t37 = t35 + t36;
    const V t38 = u1 * x[4];
    const V t39 = x[1] * u5;
    const V t40 = t38 + t39;
    const V t41 = t37 + t40;
    const V t42 = t11 * t41;
    const V t43 = t42 + t42;
    const V t44 = x[5] + t43;
    const V t45 = select_gt(tiny<V>(), t13, splat<V>(S(0.0)), t44);
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t16;
    const V t49 = u6 + t48;
    const V t50 = t18 * t49;
    const V t51 = t41 - t50;
    const V t52 = t51 / t17;
    const V t56 = t22 * u7;
    const V t57 = t52 - t56;
    const V t58 = t57 / u3;
    const V t59 = t22 * u8;
    const V t60 = u9 * t58;
    const V t61 = t59 + t60;
    const V t62 = x[4] - t61;
    y[0] = t62;
    y[1] = t44;
  }
};

// adagrad, decay, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_ff39933d5823_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[5]);
    u[4] = S(t23);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = t13 * t13;
    const V t15 = x[2] + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t13 / t19;
    const V t25 = u3 * x[3];
    const V t26 = t25 / u4;
    const V t27 = t26 / t19;
    const V t28 = t20 * t27;
    const V t30 = t28 * splat<V>(S(0.5));
    const V t31 = t30 / t18;
    const V t32 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t31);
    const V t33 = x[4] + t32;
    const V t44 = u0 * x[5];
    const V t46 = u1 * x[6];
    const V t47 = t44 + t46;
    const V t49 = t47 + t47;
    const V t50 = t33 * t49;
    const V t51 = t13 * t49;
    const V t52 = x[7] + t51;
    const V t54 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t52);
    const V t55 = t54 / t18;
    const V t56 = t31 * t55;
    const V t58 = splat<V>(S(0.5)) * t55;
    const V t60 = t27 * t58;
    const V t61 = t20 * t58;
    const V t62 = t61 - t47;
    const V t63 = t62 / t19;
    const V t64 = t27 * t63;
    const V t65 = -t64;
    const V t66 = t63 / u4;
    const V t70 = u3 * t66;
    const V t71 = x[6] + t70;
    const V t76 = t60 / t19;
    const V t77 = t20 * t76;
    const V t79 = t50 + t76;
    const V t80 = t65 - t77;
    const V t81 = t80 - t56;
    const V t82 = splat<V>(S(0.5)) * t81;
    const V t83 = t82 / t18;
    const V t85 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t83);
    const V t86 = t13 * t85;
    const V t87 = t79 + t86;
    const V t88 = t86 + t87;
    const V t89 = u1 * t88;
    const V t92 = u0 * t88;
    y[0] = t92;
    y[1] = t89;
    y[2] = t85;
    y[3] = t71;
    y[4] = t52;
  }
};

// adagrad, decay, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_ff39933d5823_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 12, sums = 6, uniforms = 14;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    const double t88 = h[3] * h[10];
    const double t90 = h[4] * h[9];
    const double t91 = t88 + t90;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[8]);
    u[8] = S(h[10]);
    u[9] = S(h[9]);
    u[10] = S(t91);
    u[11] = S(h[11]);
    u[12] = S(h[4]);
    u[13] = S(h[3]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = t13 * t13;
    const V t15 = x[2] + t14;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t13 / t19;
    const V t24 = t20 / u3;
    const V t28 = u4 * x[3];
    const V t29 = t28 / u3;
    const V t30 = t24 * t29;
    const V t33 = t29 / t19;
    const V t34 = t20 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t18;
    const V t38 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t37);
    const V t39 = x[4] + t38;
    const V t40 = t13 * t39;
    const V t41 = t40 - t33;
    const V t42 = t40 + t41;
    const V t57 = t42 * u5;
    const V t58 = x[0] * u5;
    const V t59 = t42 * x[5];
    const V t60 = u0 * x[5];
    const V t61 = t58 + t60;
    const V t62 = t42 * u6;
    const V t63 = x[1] * u6;
    const V t64 = t61 + t63;
    const V t65 = t42 * x[6];
    const V t66 = u1 * x[6];
    const V t67 = t64 + t66;
    const V t69 = t67 + t67;
    const V t70 = t39 * t69;
    const V t71 = t13 * t69;
    const V t72 = x[7] + t71;
    const V t74 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t72);
    const V t75 = t74 / t18;
    const V t76 = t37 * t75;
    const V t78 = splat<V>(S(0.5)) * t75;
    const V t80 = u7 + t78;
    const V t81 = t33 * t80;
    const V t82 = t20 * t80;
    const V t83 = t82 - t67;
    const V t84 = t83 / t19;
    const V t85 = t33 * t84;
    const V t86 = -t85;
    const V t87 = t30 * u8;
    const V t89 = t30 * u9;
    const V t92 = t29 * u10;
    const V t93 = t24 * u10;
    const V t94 = t84 + t93;
    const V t95 = t94 / u3;
    const V t96 = t29 * t95;
    const V t97 = -t96;
    const V t98 = x[3] * t95;
    const V t99 = u4 * t95;
    const V t100 = x[6] + t99;
    const V t102 = x[3] * u11;
    const V t104 = t24 * u11;
    const V t106 = t92 - t102;
    const V t107 = t100 - t104;
    const V t108 = t106 / u3;
    const V t109 = t24 * t108;
    const V t111 = t81 + t108;
    const V t112 = t97 - t109;
    const V t113 = u12 * t112;
    const V t114 = u13 * t112;
    const V t115 = t87 + t113;
    const V t116 = t89 + t114;
    const V t117 = t111 / t19;
    const V t118 = t20 * t117;
    const V t120 = t70 + t117;
    const V t121 = t86 - t118;
    const V t122 = t121 - t76;
    const V t123 = splat<V>(S(0.5)) * t122;
    const V t124 = t123 / t18;
    const V t126 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t124);
    const V t127 = t13 * t126;
    const V t128 = t120 + t127;
    const V t129 = t127 + t128;
    const V t130 = u1 * t129;
    const V t131 = x[1] * t129;
    const V t132 = t62 + t130;
    const V t133 = t65 + t131;
    const V t134 = u0 * t129;
    const V t135 = x[0] * t129;
    const V t136 = t57 + t134;
    const V t137 = t59 + t135;
    y[0] = t136;
    y[1] = t132;
    y[2] = t126;
    y[3] = t107;
    y[4] = t72;
    y[5] = t137;
    y[6] = t133;
    y[7] = t121;
    y[8] = t115;
    y[9] = t116;
    y[10] = t98;
  }
};

// adadelta: update, forward
template <class S, class V>
struct k_ddbf3229e8d3_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = x[2] + u3;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t13;
    const V t19 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t20 = sqrt_(t19);
    const V t21 = t17 / t20;
    const V t22 = t7 * t21;
    const V t23 = t22 * t22;
    const V t24 = x[2] * u1;
    const V t25 = u2 * t23;
    const V t26 = t24 + t25;
    const V t28 = u4 * t22;
    const V t29 = -t28;
    y[0] = t29;
    y[1] = t13;
    y[2] = t26;
  }
};

// adadelta: update, vjp
template <class S, class V>
struct k_ddbf3229e8d3_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = x[2] + u3;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t13;
    const V t19 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t20 = sqrt_(t19);
    const V t21 = t17 / t20;
    const V t22 = t7 * t21;
    const V t36 = u4 * x[3];
    const V t39 = u2 * x[5];
    const V t40 = u1 * x[5];
    const V t42 = t22 * t39;
    const V t43 = t42 - t36;
    const V t44 = t42 + t43;
    const V t45 = t21 * t44;
    const V t46 = t7 * t44;
    const V t47 = t46 / t20;
    const V t48 = t21 * t47;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t20;
    const V t54 = -t53;
    const V t56 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t54);
    const V t57 = x[4] + t56;
    const V t58 = t47 * splat<V>(S(0.5));
    const V t59 = t58 / t17;
    const V t61 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t59);
    const V t63 = t40 + t61;
    const V t65 = u2 * t57;
    const V t70 = u1 * t57;
    const V t73 = t7 * t65;
    const V t74 = t45 + t73;
    const V t75 = t73 + t74;
    const V t76 = u0 * t75;
    y[0] = t76;
    y[1] = t70;
    y[2] = t63;
  }
};

// adadelta: update, vjps
template <class S, class V>
struct k_ddbf3229e8d3_vjps {
  static constexpr int inputs = 6, outputs = 3, scalars = 4, sums = 4, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = x[2] + u3;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t13;
    const V t19 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t20 = sqrt_(t19);
    const V t21 = t17 / t20;
    const V t22 = t7 * t21;
    const V t23 = t22 * t22;
    const V t34 = t22 * x[3];
    const V t35 = -t34;
    const V t36 = u4 * x[3];
    const V t38 = t23 * x[5];
    const V t39 = u2 * x[5];
    const V t40 = u1 * x[5];
    const V t41 = x[2] * x[5];
    const V t42 = t22 * t39;
    const V t43 = t42 - t36;
    const V t44 = t42 + t43;
    const V t45 = t21 * t44;
    const V t46 = t7 * t44;
    const V t47 = t46 / t20;
    const V t48 = t21 * t47;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t20;
    const V t54 = -t53;
    const V t56 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t54);
    const V t57 = x[4] + t56;
    const V t58 = t47 * splat<V>(S(0.5));
    const V t59 = t58 / t17;
    const V t61 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t59);
    const V t63 = t40 + t61;
    const V t64 = t56 + t61;
    const V t65 = u2 * t57;
    const V t66 = t8 * t57;
    const V t67 = t38 + t66;
    const V t69 = t41 - t67;
    const V t70 = u1 * t57;
    const V t71 = x[1] * t57;
    const V t72 = t69 + t71;
    const V t73 = t7 * t65;
    const V t74 = t45 + t73;
    const V t75 = t73 + t74;
    const V t76 = u0 * t75;
    const V t77 = x[0] * t75;
    y[0] = t76;
    y[1] = t70;
    y[2] = t63;
    y[3] = t77;
    y[4] = t72;
    y[5] = t64;
    y[6] = t35;
  }
};

// adadelta: update, jvp
template <class S, class V>
struct k_ddbf3229e8d3_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 8, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t11 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t11);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[3]);
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
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] * u1;
    const V t12 = t8 * u2;
    const V t13 = t9 + t12;
    const V t14 = x[2] + u3;
    const V t16 = select_gt(tiny<V>(), t14, tiny<V>(), t14);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t13;
    const V t19 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t20 = sqrt_(t19);
    const V t21 = t17 / t20;
    const V t22 = t7 * t21;
    const V t23 = t22 * t22;
    const V t37 = u0 * x[3];
    const V t38 = x[0] * u4;
    const V t39 = t37 + t38;
    const V t40 = t7 * t39;
    const V t41 = t40 + t40;
    const V t42 = u1 * x[4];
    const V t43 = x[1] * u5;
    const V t44 = t42 + t43;
    const V t46 = u2 * t41;
    const V t47 = t8 * u5;
    const V t49 = t46 - t47;
    const V t50 = t44 + t49;
    const V t51 = x[5] + u6;
    const V t52 = select_gt(tiny<V>(), t14, splat<V>(S(0.0)), t51);
    const V t54 = t52 * splat<V>(S(0.5));
    const V t55 = t54 / t17;
    const V t56 = u6 + t50;
    const V t57 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t56);
    const V t58 = splat<V>(S(0.5)) * t57;
    const V t59 = t58 / t20;
    const V t60 = t21 * t59;
    const V t61 = t55 - t60;
    const V t62 = t61 / t20;
    const V t63 = t21 * t39;
    const V t64 = t7 * t62;
    const V t65 = t63 + t64;
    const V t66 = t22 * t65;
    const V t67 = t66 + t66;
    const V t68 = u1 * x[5];
    const V t69 = x[2] * u5;
    const V t70 = t68 + t69;
    const V t71 = t23 * u5;
    const V t73 = u2 * t67;
    const V t74 = t73 - t71;
    const V t75 = t70 + t74;
    const V t76 = t22 * u7;
    const V t77 = u8 * t65;
    const V t78 = t76 + t77;
    const V t79 = -t78;
    y[0] = t79;
    y[1] = t50;
    y[2] = t75;
  }
};

// adadelta: update, vjp_vjp
template <class S, class V>
struct k_ddbf3229e8d3_vjp_vjp {
  static constexpr int inputs = 9, outputs = 6, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t14);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t10 = x[0] * u0;
    const V t11 = t10 * t10;
    const V t12 = x[1] * u1;
    const V t15 = t11 * u2;
    const V t16 = t12 + t15;
    const V t17 = x[2] + u3;
    const V t19 = select_gt(tiny<V>(), t17, tiny<V>(), t17);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t16;
    const V t22 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t23 = sqrt_(t22);
    const V t24 = t20 / t23;
    const V t25 = t10 * t24;
    const V t27 = u4 * x[3];
    const V t28 = u2 * x[5];
    const V t30 = t25 * t28;
    const V t31 = t30 - t27;
    const V t32 = t30 + t31;
    const V t34 = t10 * t32;
    const V t35 = t34 / t23;
    const V t36 = t24 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t23;
    const V t40 = -t39;
    const V t41 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t40);
    const V t42 = x[4] + t41;
    const V t43 = t35 * splat<V>(S(0.5));
    const V t44 = t43 / t20;
    const V t47 = u2 * t42;
    const V t57 = u0 * x[6];
    const V t58 = t57 + t57;
    const V t59 = t47 * t58;
    const V t60 = t10 * t58;
    const V t62 = u1 * x[7];
    const V t64 = u2 * t60;
    const V t65 = t62 + t64;
    const V t67 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), x[8]);
    const V t68 = t67 / t20;
    const V t69 = t44 * t68;
    const V t71 = splat<V>(S(0.5)) * t68;
    const V t74 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t65);
    const V t77 = t74 / t23;
    const V t79 = t39 * t77;
    const V t81 = splat<V>(S(0.5)) * t77;
    const V t86 = t35 * t81;
    const V t88 = t24 * t81;
    const V t90 = t71 - t88;
    const V t91 = t90 / t23;
    const V t92 = t35 * t91;
    const V t94 = t79 - t92;
    const V t95 = t32 * t91;
    const V t96 = t10 * t91;
    const V t97 = t59 + t95;
    const V t98 = t32 * t57;
    const V t99 = t24 * t57;
    const V t100 = t98 - t86;
    const V t101 = t96 + t99;
    const V t103 = t101 + t101;
    const V t104 = t28 * t103;
    const V t105 = t25 * t103;
    const V t107 = u1 * x[8];
    const V t110 = u2 * t105;
    const V t112 = t107 + t110;
    const V t115 = u4 * t101;
    const V t116 = -t115;
    const V t117 = t24 * t104;
    const V t118 = t10 * t104;
    const V t119 = t97 + t117;
    const V t120 = t100 + t118;
    const V t121 = t120 / t23;
    const V t122 = t24 * t121;
    const V t124 = t121 - t69;
    const V t125 = t94 - t122;
    const V t126 = splat<V>(S(0.5)) * t125;
    const V t127 = t126 / t23;
    const V t129 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t127);
    const V t130 = splat<V>(S(0.5)) * t124;
    const V t131 = t130 / t20;
    const V t133 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t131);
    const V t136 = u2 * t129;
    const V t141 = u1 * t129;
    const V t144 = t10 * t136;
    const V t145 = t119 + t144;
    const V t146 = t144 + t145;
    const V t147 = u0 * t146;
    y[0] = t147;
    y[1] = t141;
    y[2] = t133;
    y[3] = t116;
    y[4] = t65;
    y[5] = t112;
  }
};

// adadelta: update, vjps_vjps
template <class S, class V>
struct k_ddbf3229e8d3_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 8, sums = 4, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t14 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t14);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
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
    const V t10 = x[0] * u0;
    const V t11 = t10 * t10;
    const V t12 = x[1] * u1;
    const V t15 = t11 * u2;
    const V t16 = t12 + t15;
    const V t17 = x[2] + u3;
    const V t19 = select_gt(tiny<V>(), t17, tiny<V>(), t17);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t16;
    const V t22 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t23 = sqrt_(t22);
    const V t24 = t20 / t23;
    const V t25 = t10 * t24;
    const V t26 = t25 * t25;
    const V t30 = u4 * x[3];
    const V t32 = u2 * x[5];
    const V t35 = t25 * t32;
    const V t36 = t35 - t30;
    const V t37 = t35 + t36;
    const V t38 = t24 * t37;
    const V t39 = t10 * t37;
    const V t40 = t39 / t23;
    const V t41 = t24 * t40;
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t23;
    const V t45 = -t44;
    const V t46 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t45);
    const V t47 = x[4] + t46;
    const V t48 = t40 * splat<V>(S(0.5));
    const V t49 = t48 / t20;
    const V t53 = u2 * t47;
    const V t60 = t10 * t53;
    const V t61 = t38 + t60;
    const V t62 = t60 + t61;
    const V t72 = t62 * u5;
    const V t73 = x[0] * u5;
    const V t74 = t62 * x[6];
    const V t75 = u0 * x[6];
    const V t76 = t73 + t75;
    const V t77 = t76 + t76;
    const V t78 = t53 * t77;
    const V t79 = t10 * t77;
    const V t80 = t47 * u6;
    const V t81 = x[1] * u6;
    const V t82 = t47 * x[7];
    const V t83 = u1 * x[7];
    const V t84 = t81 + t83;
    const V t87 = t11 * u6;
    const V t89 = t84 - t87;
    const V t90 = t47 * t79;
    const V t91 = u2 * t79;
    const V t92 = t89 + t91;
    const V t93 = x[8] + u7;
    const V t95 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t93);
    const V t96 = t95 / t20;
    const V t97 = t49 * t96;
    const V t99 = splat<V>(S(0.5)) * t96;
    const V t101 = u7 + t92;
    const V t103 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t101);
    const V t106 = t103 / t23;
    const V t108 = t44 * t106;
    const V t110 = splat<V>(S(0.5)) * t106;
    const V t115 = t40 * t110;
    const V t117 = t24 * t110;
    const V t119 = t99 - t117;
    const V t120 = t119 / t23;
    const V t121 = t40 * t120;
    const V t123 = t108 - t121;
    const V t124 = t37 * t120;
    const V t125 = t10 * t120;
    const V t126 = t78 + t124;
    const V t127 = t37 * t76;
    const V t128 = t24 * t76;
    const V t129 = t127 - t115;
    const V t130 = t125 + t128;
    const V t132 = t130 + t130;
    const V t133 = t32 * t132;
    const V t134 = t25 * t132;
    const V t135 = x[5] * u6;
    const V t136 = x[2] * u6;
    const V t137 = x[5] * x[8];
    const V t138 = u1 * x[8];
    const V t139 = t82 + t137;
    const V t140 = t136 + t138;
    const V t141 = x[5] * t134;
    const V t142 = u2 * t134;
    const V t143 = t90 + t141;
    const V t144 = t140 + t142;
    const V t146 = t26 * u6;
    const V t148 = t144 - t146;
    const V t149 = x[3] * t130;
    const V t150 = -t149;
    const V t151 = u4 * t130;
    const V t152 = -t151;
    const V t154 = x[3] * u8;
    const V t156 = t25 * u8;
    const V t158 = t133 - t154;
    const V t159 = t152 - t156;
    const V t160 = t25 * t135;
    const V t162 = t158 - t160;
    const V t163 = t162 - t160;
    const V t164 = t24 * t163;
    const V t165 = t10 * t163;
    const V t166 = t126 + t164;
    const V t167 = t129 + t165;
    const V t168 = t167 / t23;
    const V t169 = t24 * t168;
    const V t171 = t168 - t97;
    const V t172 = t123 - t169;
    const V t173 = splat<V>(S(0.5)) * t172;
    const V t174 = t173 / t23;
    const V t176 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t174);
    const V t177 = splat<V>(S(0.5)) * t171;
    const V t178 = t177 / t20;
    const V t180 = select_gt(tiny<V>(), t17, splat<V>(S(0.0)), t178);
    const V t182 = t135 + t180;
    const V t183 = t176 + t180;
    const V t184 = u2 * t176;
    const V t185 = t11 * t176;
    const V t186 = t184 - t80;
    const V t187 = t143 + t185;
    const V t189 = t139 - t187;
    const V t190 = u1 * t176;
    const V t191 = x[1] * t176;
    const V t192 = t80 + t190;
    const V t193 = t189 + t191;
    const V t194 = t10 * t186;
    const V t195 = t166 + t194;
    const V t196 = t194 + t195;
    const V t197 = u0 * t196;
    const V t198 = x[0] * t196;
    const V t199 = t72 + t197;
    const V t200 = t74 + t198;
    y[0] = t199;
    y[1] = t192;
    y[2] = t182;
    y[3] = t159;
    y[4] = t92;
    y[5] = t148;
    y[6] = t200;
    y[7] = t193;
    y[8] = t183;
    y[9] = t150;
  }
};

// adadelta: parameters, forward
template <class S, class V>
struct k_a844449959ae_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[3] + u3;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t14;
    const V t20 = select_gt(tiny<V>(), t19, tiny<V>(), t19);
    const V t21 = sqrt_(t20);
    const V t22 = t18 / t21;
    const V t23 = t8 * t22;
    const V t24 = t23 * t23;
    const V t25 = x[3] * u1;
    const V t26 = u2 * t24;
    const V t27 = t25 + t26;
    const V t29 = u4 * t23;
    const V t31 = x[1] - t29;
    y[0] = t31;
    y[1] = t14;
    y[2] = t27;
  }
};

// adadelta: parameters, vjp
template <class S, class V>
struct k_a844449959ae_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[3] + u3;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t14;
    const V t20 = select_gt(tiny<V>(), t19, tiny<V>(), t19);
    const V t21 = sqrt_(t20);
    const V t22 = t18 / t21;
    const V t23 = t8 * t22;
    const V t37 = u4 * x[4];
    const V t40 = u2 * x[6];
    const V t41 = u1 * x[6];
    const V t43 = t23 * t40;
    const V t44 = t43 - t37;
    const V t45 = t43 + t44;
    const V t46 = t22 * t45;
    const V t47 = t8 * t45;
    const V t48 = t47 / t21;
    const V t49 = t22 * t48;
    const V t52 = t49 * splat<V>(S(0.5));
    const V t54 = t52 / t21;
    const V t55 = -t54;
    const V t57 = select_gt(tiny<V>(), t19, splat<V>(S(0.0)), t55);
    const V t58 = x[5] + t57;
    const V t59 = t48 * splat<V>(S(0.5));
    const V t60 = t59 / t18;
    const V t62 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t60);
    const V t64 = t41 + t62;
    const V t66 = u2 * t58;
    const V t71 = u1 * t58;
    const V t74 = t8 * t66;
    const V t75 = t46 + t74;
    const V t76 = t74 + t75;
    const V t77 = u0 * t76;
    y[0] = t77;
    y[1] = x[4];
    y[2] = t71;
    y[3] = t64;
  }
};

// adadelta: parameters, vjps
template <class S, class V>
struct k_a844449959ae_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 4, sums = 4, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[3] + u3;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t14;
    const V t20 = select_gt(tiny<V>(), t19, tiny<V>(), t19);
    const V t21 = sqrt_(t20);
    const V t22 = t18 / t21;
    const V t23 = t8 * t22;
    const V t24 = t23 * t23;
    const V t35 = t23 * x[4];
    const V t36 = -t35;
    const V t37 = u4 * x[4];
    const V t39 = t24 * x[6];
    const V t40 = u2 * x[6];
    const V t41 = u1 * x[6];
    const V t42 = x[3] * x[6];
    const V t43 = t23 * t40;
    const V t44 = t43 - t37;
    const V t45 = t43 + t44;
    const V t46 = t22 * t45;
    const V t47 = t8 * t45;
    const V t48 = t47 / t21;
    const V t49 = t22 * t48;
    const V t52 = t49 * splat<V>(S(0.5));
    const V t54 = t52 / t21;
    const V t55 = -t54;
    const V t57 = select_gt(tiny<V>(), t19, splat<V>(S(0.0)), t55);
    const V t58 = x[5] + t57;
    const V t59 = t48 * splat<V>(S(0.5));
    const V t60 = t59 / t18;
    const V t62 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t60);
    const V t64 = t41 + t62;
    const V t65 = t57 + t62;
    const V t66 = u2 * t58;
    const V t67 = t9 * t58;
    const V t68 = t39 + t67;
    const V t70 = t42 - t68;
    const V t71 = u1 * t58;
    const V t72 = x[2] * t58;
    const V t73 = t70 + t72;
    const V t74 = t8 * t66;
    const V t75 = t46 + t74;
    const V t76 = t74 + t75;
    const V t77 = u0 * t76;
    const V t78 = x[0] * t76;
    y[0] = t77;
    y[1] = x[4];
    y[2] = t71;
    y[3] = t64;
    y[4] = t78;
    y[5] = t73;
    y[6] = t65;
    y[7] = t36;
  }
};

// adadelta: parameters, jvp
template <class S, class V>
struct k_a844449959ae_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 8, sums = 0, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[3]);
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
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[3] + u3;
    const V t17 = select_gt(tiny<V>(), t15, tiny<V>(), t15);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t14;
    const V t20 = select_gt(tiny<V>(), t19, tiny<V>(), t19);
    const V t21 = sqrt_(t20);
    const V t22 = t18 / t21;
    const V t23 = t8 * t22;
    const V t24 = t23 * t23;
    const V t39 = u0 * x[4];
    const V t40 = x[0] * u4;
    const V t41 = t39 + t40;
    const V t42 = t8 * t41;
    const V t43 = t42 + t42;
    const V t44 = u1 * x[6];
    const V t45 = x[2] * u5;
    const V t46 = t44 + t45;
    const V t48 = u2 * t43;
    const V t49 = t9 * u5;
    const V t51 = t48 - t49;
    const V t52 = t46 + t51;
    const V t53 = x[7] + u6;
    const V t54 = select_gt(tiny<V>(), t15, splat<V>(S(0.0)), t53);
    const V t56 = t54 * splat<V>(S(0.5));
    const V t57 = t56 / t18;
    const V t58 = u6 + t52;
    const V t59 = select_gt(tiny<V>(), t19, splat<V>(S(0.0)), t58);
    const V t60 = splat<V>(S(0.5)) * t59;
    const V t61 = t60 / t21;
    const V t62 = t22 * t61;
    const V t63 = t57 - t62;
    const V t64 = t63 / t21;
    const V t65 = t22 * t41;
    const V t66 = t8 * t64;
    const V t67 = t65 + t66;
    const V t68 = t23 * t67;
    const V t69 = t68 + t68;
    const V t70 = u1 * x[7];
    const V t71 = x[3] * u5;
    const V t72 = t70 + t71;
    const V t73 = t24 * u5;
    const V t75 = u2 * t69;
    const V t76 = t75 - t73;
    const V t77 = t72 + t76;
    const V t78 = t23 * u7;
    const V t79 = u8 * t67;
    const V t80 = t78 + t79;
    const V t81 = x[5] - t80;
    y[0] = t81;
    y[1] = t52;
    y[2] = t77;
  }
};

// adadelta: parameters, vjp_vjp
template <class S, class V>
struct k_a844449959ae_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 4, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V t11 = x[0] * u0;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u3;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t28 = u4 * x[4];
    const V t29 = u2 * x[6];
    const V t31 = t26 * t29;
    const V t32 = t31 - t28;
    const V t33 = t31 + t32;
    const V t35 = t11 * t33;
    const V t36 = t35 / t24;
    const V t37 = t25 * t36;
    const V t39 = t37 * splat<V>(S(0.5));
    const V t40 = t39 / t24;
    const V t41 = -t40;
    const V t42 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t41);
    const V t43 = x[5] + t42;
    const V t44 = t36 * splat<V>(S(0.5));
    const V t45 = t44 / t21;
    const V t48 = u2 * t43;
    const V t59 = u0 * x[7];
    const V t60 = t59 + t59;
    const V t61 = t48 * t60;
    const V t62 = t11 * t60;
    const V t64 = u1 * x[9];
    const V t66 = u2 * t62;
    const V t67 = t64 + t66;
    const V t69 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), x[10]);
    const V t70 = t69 / t21;
    const V t71 = t45 * t70;
    const V t73 = splat<V>(S(0.5)) * t70;
    const V t76 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t67);
    const V t79 = t76 / t24;
    const V t81 = t40 * t79;
    const V t83 = splat<V>(S(0.5)) * t79;
    const V t88 = t36 * t83;
    const V t90 = t25 * t83;
    const V t92 = t73 - t90;
    const V t93 = t92 / t24;
    const V t94 = t36 * t93;
    const V t96 = t81 - t94;
    const V t97 = t33 * t93;
    const V t98 = t11 * t93;
    const V t99 = t61 + t97;
    const V t100 = t33 * t59;
    const V t101 = t25 * t59;
    const V t102 = t100 - t88;
    const V t103 = t98 + t101;
    const V t105 = t103 + t103;
    const V t106 = t29 * t105;
    const V t107 = t26 * t105;
    const V t109 = u1 * x[10];
    const V t112 = u2 * t107;
    const V t114 = t109 + t112;
    const V t117 = u4 * t103;
    const V t119 = x[8] - t117;
    const V t120 = t25 * t106;
    const V t121 = t11 * t106;
    const V t122 = t99 + t120;
    const V t123 = t102 + t121;
    const V t124 = t123 / t24;
    const V t125 = t25 * t124;
    const V t127 = t124 - t71;
    const V t128 = t96 - t125;
    const V t129 = splat<V>(S(0.5)) * t128;
    const V t130 = t129 / t24;
    const V t132 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t130);
    const V t133 = splat<V>(S(0.5)) * t127;
    const V t134 = t133 / t21;
    const V t136 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t134);
    const V t139 = u2 * t132;
    const V t144 = u1 * t132;
    const V t147 = t11 * t139;
    const V t148 = t122 + t147;
    const V t149 = t147 + t148;
    const V t150 = u0 * t149;
    y[0] = t150;
    y[1] = splat<V>(S(0.0));
    y[2] = t144;
    y[3] = t136;
    y[4] = t119;
    y[5] = t67;
    y[6] = t114;
  }
};

// adadelta: parameters, vjps_vjps
template <class S, class V>
struct k_a844449959ae_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 8, sums = 4, uniforms = 9;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
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
    const V t11 = x[0] * u0;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u3;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u3 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t27 = t26 * t26;
    const V t31 = u4 * x[4];
    const V t33 = u2 * x[6];
    const V t36 = t26 * t33;
    const V t37 = t36 - t31;
    const V t38 = t36 + t37;
    const V t39 = t25 * t38;
    const V t40 = t11 * t38;
    const V t41 = t40 / t24;
    const V t42 = t25 * t41;
    const V t44 = t42 * splat<V>(S(0.5));
    const V t45 = t44 / t24;
    const V t46 = -t45;
    const V t47 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t46);
    const V t48 = x[5] + t47;
    const V t49 = t41 * splat<V>(S(0.5));
    const V t50 = t49 / t21;
    const V t54 = u2 * t48;
    const V t61 = t11 * t54;
    const V t62 = t39 + t61;
    const V t63 = t61 + t62;
    const V t74 = t63 * u5;
    const V t75 = x[0] * u5;
    const V t76 = t63 * x[7];
    const V t77 = u0 * x[7];
    const V t78 = t75 + t77;
    const V t79 = t78 + t78;
    const V t80 = t54 * t79;
    const V t81 = t11 * t79;
    const V t82 = t48 * u6;
    const V t83 = x[2] * u6;
    const V t84 = t48 * x[9];
    const V t85 = u1 * x[9];
    const V t86 = t83 + t85;
    const V t89 = t12 * u6;
    const V t91 = t86 - t89;
    const V t92 = t48 * t81;
    const V t93 = u2 * t81;
    const V t94 = t91 + t93;
    const V t95 = x[10] + u7;
    const V t97 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t95);
    const V t98 = t97 / t21;
    const V t99 = t50 * t98;
    const V t101 = splat<V>(S(0.5)) * t98;
    const V t103 = u7 + t94;
    const V t105 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t103);
    const V t108 = t105 / t24;
    const V t110 = t45 * t108;
    const V t112 = splat<V>(S(0.5)) * t108;
    const V t117 = t41 * t112;
    const V t119 = t25 * t112;
    const V t121 = t101 - t119;
    const V t122 = t121 / t24;
    const V t123 = t41 * t122;
    const V t125 = t110 - t123;
    const V t126 = t38 * t122;
    const V t127 = t11 * t122;
    const V t128 = t80 + t126;
    const V t129 = t38 * t78;
    const V t130 = t25 * t78;
    const V t131 = t129 - t117;
    const V t132 = t127 + t130;
    const V t134 = t132 + t132;
    const V t135 = t33 * t134;
    const V t136 = t26 * t134;
    const V t137 = x[6] * u6;
    const V t138 = x[3] * u6;
    const V t139 = x[6] * x[10];
    const V t140 = u1 * x[10];
    const V t141 = t84 + t139;
    const V t142 = t138 + t140;
    const V t143 = x[6] * t136;
    const V t144 = u2 * t136;
    const V t145 = t92 + t143;
    const V t146 = t142 + t144;
    const V t148 = t27 * u6;
    const V t150 = t146 - t148;
    const V t151 = x[4] * t132;
    const V t152 = -t151;
    const V t153 = u4 * t132;
    const V t155 = x[8] - t153;
    const V t157 = x[4] * u8;
    const V t159 = t26 * u8;
    const V t161 = t135 - t157;
    const V t162 = t155 - t159;
    const V t163 = t26 * t137;
    const V t165 = t161 - t163;
    const V t166 = t165 - t163;
    const V t167 = t25 * t166;
    const V t168 = t11 * t166;
    const V t169 = t128 + t167;
    const V t170 = t131 + t168;
    const V t171 = t170 / t24;
    const V t172 = t25 * t171;
    const V t174 = t171 - t99;
    const V t175 = t125 - t172;
    const V t176 = splat<V>(S(0.5)) * t175;
    const V t177 = t176 / t24;
    const V t179 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t177);
    const V t180 = splat<V>(S(0.5)) * t174;
    const V t181 = t180 / t21;
    const V t183 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t181);
    const V t185 = t137 + t183;
    const V t186 = t179 + t183;
    const V t187 = u2 * t179;
    const V t188 = t12 * t179;
    const V t189 = t187 - t82;
    const V t190 = t145 + t188;
    const V t192 = t141 - t190;
    const V t193 = u1 * t179;
    const V t194 = x[2] * t179;
    const V t195 = t82 + t193;
    const V t196 = t192 + t194;
    const V t197 = t11 * t189;
    const V t198 = t169 + t197;
    const V t199 = t197 + t198;
    const V t200 = u0 * t199;
    const V t201 = x[0] * t199;
    const V t202 = t74 + t200;
    const V t203 = t76 + t201;
    y[0] = t202;
    y[1] = splat<V>(S(0.0));
    y[2] = t195;
    y[3] = t185;
    y[4] = t162;
    y[5] = t94;
    y[6] = t150;
    y[7] = t203;
    y[8] = t196;
    y[9] = t186;
    y[10] = t152;
  }
};

// adadelta, weight decay: update, forward
template <class S, class V>
struct k_39fcf31a6146_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t27 = t26 * t26;
    const V t28 = x[3] * u2;
    const V t29 = u3 * t27;
    const V t30 = t28 + t29;
    const V t32 = u5 * t26;
    const V t33 = -t32;
    y[0] = t33;
    y[1] = t17;
    y[2] = t30;
  }
};

// adadelta, weight decay: update, vjp
template <class S, class V>
struct k_39fcf31a6146_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t40 = u5 * x[4];
    const V t43 = u3 * x[6];
    const V t44 = u2 * x[6];
    const V t46 = t26 * t43;
    const V t47 = t46 - t40;
    const V t48 = t46 + t47;
    const V t49 = t25 * t48;
    const V t50 = t11 * t48;
    const V t51 = t50 / t24;
    const V t52 = t25 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t57 = t55 / t24;
    const V t58 = -t57;
    const V t60 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t58);
    const V t61 = x[5] + t60;
    const V t62 = t51 * splat<V>(S(0.5));
    const V t63 = t62 / t21;
    const V t65 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t63);
    const V t67 = t44 + t65;
    const V t69 = u3 * t61;
    const V t74 = u2 * t61;
    const V t77 = t11 * t69;
    const V t78 = t49 + t77;
    const V t79 = t77 + t78;
    const V t80 = u1 * t79;
    const V t82 = u0 * t79;
    y[0] = t82;
    y[1] = t80;
    y[2] = t74;
    y[3] = t67;
  }
};

// adadelta, weight decay: update, vjps
template <class S, class V>
struct k_39fcf31a6146_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t27 = t26 * t26;
    const V t38 = t26 * x[4];
    const V t39 = -t38;
    const V t40 = u5 * x[4];
    const V t42 = t27 * x[6];
    const V t43 = u3 * x[6];
    const V t44 = u2 * x[6];
    const V t45 = x[3] * x[6];
    const V t46 = t26 * t43;
    const V t47 = t46 - t40;
    const V t48 = t46 + t47;
    const V t49 = t25 * t48;
    const V t50 = t11 * t48;
    const V t51 = t50 / t24;
    const V t52 = t25 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t57 = t55 / t24;
    const V t58 = -t57;
    const V t60 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t58);
    const V t61 = x[5] + t60;
    const V t62 = t51 * splat<V>(S(0.5));
    const V t63 = t62 / t21;
    const V t65 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t63);
    const V t67 = t44 + t65;
    const V t68 = t60 + t65;
    const V t69 = u3 * t61;
    const V t70 = t12 * t61;
    const V t71 = t42 + t70;
    const V t73 = t45 - t71;
    const V t74 = u2 * t61;
    const V t75 = x[2] * t61;
    const V t76 = t73 + t75;
    const V t77 = t11 * t69;
    const V t78 = t49 + t77;
    const V t79 = t77 + t78;
    const V t80 = u1 * t79;
    const V t81 = x[1] * t79;
    const V t82 = u0 * t79;
    const V t83 = x[0] * t79;
    y[0] = t82;
    y[1] = t80;
    y[2] = t74;
    y[3] = t67;
    y[4] = t83;
    y[5] = t81;
    y[6] = t76;
    y[7] = t68;
    y[8] = t39;
  }
};

// adadelta, weight decay: update, jvp
template <class S, class V>
struct k_39fcf31a6146_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t27 = t26 * t26;
    const V t43 = u0 * x[4];
    const V t44 = x[0] * u5;
    const V t45 = t43 + t44;
    const V t46 = u1 * x[5];
    const V t47 = x[1] * u6;
    const V t48 = t46 + t47;
    const V t49 = t45 + t48;
    const V t50 = t11 * t49;
    const V t51 = t50 + t50;
    const V t52 = u2 * x[6];
    const V t53 = x[2] * u7;
    const V t54 = t52 + t53;
    const V t56 = u3 * t51;
    const V t57 = t12 * u7;
    const V t59 = t56 - t57;
    const V t60 = t54 + t59;
    const V t61 = x[7] + u8;
    const V t62 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t61);
    const V t64 = t62 * splat<V>(S(0.5));
    const V t65 = t64 / t21;
    const V t66 = u8 + t60;
    const V t67 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t66);
    const V t68 = splat<V>(S(0.5)) * t67;
    const V t69 = t68 / t24;
    const V t70 = t25 * t69;
    const V t71 = t65 - t70;
    const V t72 = t71 / t24;
    const V t73 = t25 * t49;
    const V t74 = t11 * t72;
    const V t75 = t73 + t74;
    const V t76 = t26 * t75;
    const V t77 = t76 + t76;
    const V t78 = u2 * x[7];
    const V t79 = x[3] * u7;
    const V t80 = t78 + t79;
    const V t81 = t27 * u7;
    const V t83 = u3 * t77;
    const V t84 = t83 - t81;
    const V t85 = t80 + t84;
    const V t86 = t26 * u9;
    const V t87 = u10 * t75;
    const V t88 = t86 + t87;
    const V t89 = -t88;
    y[0] = t89;
    y[1] = t60;
    y[2] = t85;
  }
};

// adadelta, weight decay: update, vjp_vjp
template <class S, class V>
struct k_39fcf31a6146_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t18);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = t14 * t14;
    const V t16 = x[2] * u2;
    const V t19 = t15 * u3;
    const V t20 = t16 + t19;
    const V t21 = x[3] + u4;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t20;
    const V t26 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t27 = sqrt_(t26);
    const V t28 = t24 / t27;
    const V t29 = t14 * t28;
    const V t31 = u5 * x[4];
    const V t32 = u3 * x[6];
    const V t34 = t29 * t32;
    const V t35 = t34 - t31;
    const V t36 = t34 + t35;
    const V t38 = t14 * t36;
    const V t39 = t38 / t27;
    const V t40 = t28 * t39;
    const V t42 = t40 * splat<V>(S(0.5));
    const V t43 = t42 / t27;
    const V t44 = -t43;
    const V t45 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t44);
    const V t46 = x[5] + t45;
    const V t47 = t39 * splat<V>(S(0.5));
    const V t48 = t47 / t24;
    const V t51 = u3 * t46;
    const V t63 = u0 * x[7];
    const V t65 = u1 * x[8];
    const V t66 = t63 + t65;
    const V t67 = t66 + t66;
    const V t68 = t51 * t67;
    const V t69 = t14 * t67;
    const V t71 = u2 * x[9];
    const V t73 = u3 * t69;
    const V t74 = t71 + t73;
    const V t76 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), x[10]);
    const V t77 = t76 / t24;
    const V t78 = t48 * t77;
    const V t80 = splat<V>(S(0.5)) * t77;
    const V t83 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t74);
    const V t86 = t83 / t27;
    const V t88 = t43 * t86;
    const V t90 = splat<V>(S(0.5)) * t86;
    const V t95 = t39 * t90;
    const V t97 = t28 * t90;
    const V t99 = t80 - t97;
    const V t100 = t99 / t27;
    const V t101 = t39 * t100;
    const V t103 = t88 - t101;
    const V t104 = t36 * t100;
    const V t105 = t14 * t100;
    const V t106 = t68 + t104;
    const V t107 = t36 * t66;
    const V t108 = t28 * t66;
    const V t109 = t107 - t95;
    const V t110 = t105 + t108;
    const V t112 = t110 + t110;
    const V t113 = t32 * t112;
    const V t114 = t29 * t112;
    const V t116 = u2 * x[10];
    const V t119 = u3 * t114;
    const V t121 = t116 + t119;
    const V t124 = u5 * t110;
    const V t125 = -t124;
    const V t126 = t28 * t113;
    const V t127 = t14 * t113;
    const V t128 = t106 + t126;
    const V t129 = t109 + t127;
    const V t130 = t129 / t27;
    const V t131 = t28 * t130;
    const V t133 = t130 - t78;
    const V t134 = t103 - t131;
    const V t135 = splat<V>(S(0.5)) * t134;
    const V t136 = t135 / t27;
    const V t138 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t136);
    const V t139 = splat<V>(S(0.5)) * t133;
    const V t140 = t139 / t24;
    const V t142 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t140);
    const V t145 = u3 * t138;
    const V t150 = u2 * t138;
    const V t153 = t14 * t145;
    const V t154 = t128 + t153;
    const V t155 = t153 + t154;
    const V t156 = u1 * t155;
    const V t159 = u0 * t155;
    y[0] = t159;
    y[1] = t156;
    y[2] = t150;
    y[3] = t142;
    y[4] = t125;
    y[5] = t74;
    y[6] = t121;
  }
};

// adadelta, weight decay: update, vjps_vjps
template <class S, class V>
struct k_39fcf31a6146_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t18);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = t14 * t14;
    const V t16 = x[2] * u2;
    const V t19 = t15 * u3;
    const V t20 = t16 + t19;
    const V t21 = x[3] + u4;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t20;
    const V t26 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t27 = sqrt_(t26);
    const V t28 = t24 / t27;
    const V t29 = t14 * t28;
    const V t30 = t29 * t29;
    const V t34 = u5 * x[4];
    const V t36 = u3 * x[6];
    const V t39 = t29 * t36;
    const V t40 = t39 - t34;
    const V t41 = t39 + t40;
    const V t42 = t28 * t41;
    const V t43 = t14 * t41;
    const V t44 = t43 / t27;
    const V t45 = t28 * t44;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t27;
    const V t49 = -t48;
    const V t50 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t49);
    const V t51 = x[5] + t50;
    const V t52 = t44 * splat<V>(S(0.5));
    const V t53 = t52 / t24;
    const V t57 = u3 * t51;
    const V t64 = t14 * t57;
    const V t65 = t42 + t64;
    const V t66 = t64 + t65;
    const V t80 = t66 * u6;
    const V t81 = x[0] * u6;
    const V t82 = t66 * x[7];
    const V t83 = u0 * x[7];
    const V t84 = t81 + t83;
    const V t85 = t66 * u7;
    const V t86 = x[1] * u7;
    const V t87 = t84 + t86;
    const V t88 = t66 * x[8];
    const V t89 = u1 * x[8];
    const V t90 = t87 + t89;
    const V t91 = t90 + t90;
    const V t92 = t57 * t91;
    const V t93 = t14 * t91;
    const V t94 = t51 * u8;
    const V t95 = x[2] * u8;
    const V t96 = t51 * x[9];
    const V t97 = u2 * x[9];
    const V t98 = t95 + t97;
    const V t101 = t15 * u8;
    const V t103 = t98 - t101;
    const V t104 = t51 * t93;
    const V t105 = u3 * t93;
    const V t106 = t103 + t105;
    const V t107 = x[10] + u9;
    const V t109 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t107);
    const V t110 = t109 / t24;
    const V t111 = t53 * t110;
    const V t113 = splat<V>(S(0.5)) * t110;
    const V t115 = u9 + t106;
    const V t117 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t115);
    const V t120 = t117 / t27;
    const V t122 = t48 * t120;
    const V t124 = splat<V>(S(0.5)) * t120;
    const V t129 = t44 * t124;
    const V t131 = t28 * t124;
    const V t133 = t113 - t131;
    const V t134 = t133 / t27;
    const V t135 = t44 * t134;
    const V t137 = t122 - t135;
    const V t138 = t41 * t134;
    const V t139 = t14 * t134;
    const V t140 = t92 + t138;
    const V t141 = t41 * t90;
    const V t142 = t28 * t90;
    const V t143 = t141 - t129;
    const V t144 = t139 + t142;
    const V t146 = t144 + t144;
    const V t147 = t36 * t146;
    const V t148 = t29 * t146;
    const V t149 = x[6] * u8;
    const V t150 = x[3] * u8;
    const V t151 = x[6] * x[10];
    const V t152 = u2 * x[10];
    const V t153 = t96 + t151;
    const V t154 = t150 + t152;
    const V t155 = x[6] * t148;
    const V t156 = u3 * t148;
    const V t157 = t104 + t155;
    const V t158 = t154 + t156;
    const V t160 = t30 * u8;
    const V t162 = t158 - t160;
    const V t163 = x[4] * t144;
    const V t164 = -t163;
    const V t165 = u5 * t144;
    const V t166 = -t165;
    const V t168 = x[4] * u10;
    const V t170 = t29 * u10;
    const V t172 = t147 - t168;
    const V t173 = t166 - t170;
    const V t174 = t29 * t149;
    const V t176 = t172 - t174;
    const V t177 = t176 - t174;
    const V t178 = t28 * t177;
    const V t179 = t14 * t177;
    const V t180 = t140 + t178;
    const V t181 = t143 + t179;
    const V t182 = t181 / t27;
    const V t183 = t28 * t182;
    const V t185 = t182 - t111;
    const V t186 = t137 - t183;
    const V t187 = splat<V>(S(0.5)) * t186;
    const V t188 = t187 / t27;
    const V t190 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t188);
    const V t191 = splat<V>(S(0.5)) * t185;
    const V t192 = t191 / t24;
    const V t194 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t192);
    const V t196 = t149 + t194;
    const V t197 = t190 + t194;
    const V t198 = u3 * t190;
    const V t199 = t15 * t190;
    const V t200 = t198 - t94;
    const V t201 = t157 + t199;
    const V t203 = t153 - t201;
    const V t204 = u2 * t190;
    const V t205 = x[2] * t190;
    const V t206 = t94 + t204;
    const V t207 = t203 + t205;
    const V t208 = t14 * t200;
    const V t209 = t180 + t208;
    const V t210 = t208 + t209;
    const V t211 = u1 * t210;
    const V t212 = x[1] * t210;
    const V t213 = t85 + t211;
    const V t214 = t88 + t212;
    const V t215 = u0 * t210;
    const V t216 = x[0] * t210;
    const V t217 = t80 + t215;
    const V t218 = t82 + t216;
    y[0] = t217;
    y[1] = t213;
    y[2] = t206;
    y[3] = t196;
    y[4] = t173;
    y[5] = t106;
    y[6] = t162;
    y[7] = t218;
    y[8] = t214;
    y[9] = t207;
    y[10] = t197;
    y[11] = t164;
  }
};

// adadelta, weight decay: parameters, forward
template <class S, class V>
struct k_0bac7a291a8d_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t27 = t26 * t26;
    const V t28 = x[3] * u2;
    const V t29 = u3 * t27;
    const V t30 = t28 + t29;
    const V t32 = u5 * t26;
    const V t34 = x[1] - t32;
    y[0] = t34;
    y[1] = t17;
    y[2] = t30;
  }
};

// adadelta, weight decay: parameters, vjp
template <class S, class V>
struct k_0bac7a291a8d_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t40 = u5 * x[4];
    const V t43 = u3 * x[6];
    const V t44 = u2 * x[6];
    const V t46 = t26 * t43;
    const V t47 = t46 - t40;
    const V t48 = t46 + t47;
    const V t49 = t25 * t48;
    const V t50 = t11 * t48;
    const V t51 = t50 / t24;
    const V t52 = t25 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t57 = t55 / t24;
    const V t58 = -t57;
    const V t60 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t58);
    const V t61 = x[5] + t60;
    const V t62 = t51 * splat<V>(S(0.5));
    const V t63 = t62 / t21;
    const V t65 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t63);
    const V t67 = t44 + t65;
    const V t69 = u3 * t61;
    const V t74 = u2 * t61;
    const V t77 = t11 * t69;
    const V t78 = t49 + t77;
    const V t79 = t77 + t78;
    const V t80 = u1 * t79;
    const V t82 = x[4] + t80;
    const V t83 = u0 * t79;
    y[0] = t83;
    y[1] = t82;
    y[2] = t74;
    y[3] = t67;
  }
};

// adadelta, weight decay: parameters, vjps
template <class S, class V>
struct k_0bac7a291a8d_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t27 = t26 * t26;
    const V t38 = t26 * x[4];
    const V t39 = -t38;
    const V t40 = u5 * x[4];
    const V t42 = t27 * x[6];
    const V t43 = u3 * x[6];
    const V t44 = u2 * x[6];
    const V t45 = x[3] * x[6];
    const V t46 = t26 * t43;
    const V t47 = t46 - t40;
    const V t48 = t46 + t47;
    const V t49 = t25 * t48;
    const V t50 = t11 * t48;
    const V t51 = t50 / t24;
    const V t52 = t25 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t57 = t55 / t24;
    const V t58 = -t57;
    const V t60 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t58);
    const V t61 = x[5] + t60;
    const V t62 = t51 * splat<V>(S(0.5));
    const V t63 = t62 / t21;
    const V t65 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t63);
    const V t67 = t44 + t65;
    const V t68 = t60 + t65;
    const V t69 = u3 * t61;
    const V t70 = t12 * t61;
    const V t71 = t42 + t70;
    const V t73 = t45 - t71;
    const V t74 = u2 * t61;
    const V t75 = x[2] * t61;
    const V t76 = t73 + t75;
    const V t77 = t11 * t69;
    const V t78 = t49 + t77;
    const V t79 = t77 + t78;
    const V t80 = u1 * t79;
    const V t81 = x[1] * t79;
    const V t82 = x[4] + t80;
    const V t83 = u0 * t79;
    const V t84 = x[0] * t79;
    y[0] = t83;
    y[1] = t82;
    y[2] = t74;
    y[3] = t67;
    y[4] = t84;
    y[5] = t81;
    y[6] = t76;
    y[7] = t68;
    y[8] = t39;
  }
};

// adadelta, weight decay: parameters, jvp
template <class S, class V>
struct k_0bac7a291a8d_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t15);
    u[4] = S(h[3]);
    u[5] = S(h[5]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[4]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] * u2;
    const V t16 = t12 * u3;
    const V t17 = t13 + t16;
    const V t18 = x[3] + u4;
    const V t20 = select_gt(tiny<V>(), t18, tiny<V>(), t18);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t17;
    const V t23 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t24 = sqrt_(t23);
    const V t25 = t21 / t24;
    const V t26 = t11 * t25;
    const V t27 = t26 * t26;
    const V t43 = u0 * x[4];
    const V t44 = x[0] * u5;
    const V t45 = t43 + t44;
    const V t46 = u1 * x[5];
    const V t47 = x[1] * u6;
    const V t48 = t46 + t47;
    const V t49 = t45 + t48;
    const V t50 = t11 * t49;
    const V t51 = t50 + t50;
    const V t52 = u2 * x[6];
    const V t53 = x[2] * u7;
    const V t54 = t52 + t53;
    const V t56 = u3 * t51;
    const V t57 = t12 * u7;
    const V t59 = t56 - t57;
    const V t60 = t54 + t59;
    const V t61 = x[7] + u8;
    const V t62 = select_gt(tiny<V>(), t18, splat<V>(S(0.0)), t61);
    const V t64 = t62 * splat<V>(S(0.5));
    const V t65 = t64 / t21;
    const V t66 = u8 + t60;
    const V t67 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t66);
    const V t68 = splat<V>(S(0.5)) * t67;
    const V t69 = t68 / t24;
    const V t70 = t25 * t69;
    const V t71 = t65 - t70;
    const V t72 = t71 / t24;
    const V t73 = t25 * t49;
    const V t74 = t11 * t72;
    const V t75 = t73 + t74;
    const V t76 = t26 * t75;
    const V t77 = t76 + t76;
    const V t78 = u2 * x[7];
    const V t79 = x[3] * u7;
    const V t80 = t78 + t79;
    const V t81 = t27 * u7;
    const V t83 = u3 * t77;
    const V t84 = t83 - t81;
    const V t85 = t80 + t84;
    const V t86 = t26 * u9;
    const V t87 = u10 * t75;
    const V t88 = t86 + t87;
    const V t89 = x[5] - t88;
    y[0] = t89;
    y[1] = t60;
    y[2] = t85;
  }
};

// adadelta, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_0bac7a291a8d_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 5, sums = 0, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t18);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = t14 * t14;
    const V t16 = x[2] * u2;
    const V t19 = t15 * u3;
    const V t20 = t16 + t19;
    const V t21 = x[3] + u4;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t20;
    const V t26 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t27 = sqrt_(t26);
    const V t28 = t24 / t27;
    const V t29 = t14 * t28;
    const V t31 = u5 * x[4];
    const V t32 = u3 * x[6];
    const V t34 = t29 * t32;
    const V t35 = t34 - t31;
    const V t36 = t34 + t35;
    const V t38 = t14 * t36;
    const V t39 = t38 / t27;
    const V t40 = t28 * t39;
    const V t42 = t40 * splat<V>(S(0.5));
    const V t43 = t42 / t27;
    const V t44 = -t43;
    const V t45 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t44);
    const V t46 = x[5] + t45;
    const V t47 = t39 * splat<V>(S(0.5));
    const V t48 = t47 / t24;
    const V t51 = u3 * t46;
    const V t64 = u0 * x[7];
    const V t66 = u1 * x[8];
    const V t67 = t64 + t66;
    const V t68 = t67 + t67;
    const V t69 = t51 * t68;
    const V t70 = t14 * t68;
    const V t72 = u2 * x[9];
    const V t74 = u3 * t70;
    const V t75 = t72 + t74;
    const V t77 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), x[10]);
    const V t78 = t77 / t24;
    const V t79 = t48 * t78;
    const V t81 = splat<V>(S(0.5)) * t78;
    const V t84 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t75);
    const V t87 = t84 / t27;
    const V t89 = t43 * t87;
    const V t91 = splat<V>(S(0.5)) * t87;
    const V t96 = t39 * t91;
    const V t98 = t28 * t91;
    const V t100 = t81 - t98;
    const V t101 = t100 / t27;
    const V t102 = t39 * t101;
    const V t104 = t89 - t102;
    const V t105 = t36 * t101;
    const V t106 = t14 * t101;
    const V t107 = t69 + t105;
    const V t108 = t36 * t67;
    const V t109 = t28 * t67;
    const V t110 = t108 - t96;
    const V t111 = t106 + t109;
    const V t113 = t111 + t111;
    const V t114 = t32 * t113;
    const V t115 = t29 * t113;
    const V t117 = u2 * x[10];
    const V t120 = u3 * t115;
    const V t122 = t117 + t120;
    const V t125 = u5 * t111;
    const V t127 = x[8] - t125;
    const V t128 = t28 * t114;
    const V t129 = t14 * t114;
    const V t130 = t107 + t128;
    const V t131 = t110 + t129;
    const V t132 = t131 / t27;
    const V t133 = t28 * t132;
    const V t135 = t132 - t79;
    const V t136 = t104 - t133;
    const V t137 = splat<V>(S(0.5)) * t136;
    const V t138 = t137 / t27;
    const V t140 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t138);
    const V t141 = splat<V>(S(0.5)) * t135;
    const V t142 = t141 / t24;
    const V t144 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t142);
    const V t147 = u3 * t140;
    const V t152 = u2 * t140;
    const V t155 = t14 * t147;
    const V t156 = t130 + t155;
    const V t157 = t155 + t156;
    const V t158 = u1 * t157;
    const V t161 = u0 * t157;
    y[0] = t161;
    y[1] = t158;
    y[2] = t152;
    y[3] = t144;
    y[4] = t127;
    y[5] = t75;
    y[6] = t122;
  }
};

// adadelta, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_0bac7a291a8d_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 5, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t18);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t14 = t12 + t13;
    const V t15 = t14 * t14;
    const V t16 = x[2] * u2;
    const V t19 = t15 * u3;
    const V t20 = t16 + t19;
    const V t21 = x[3] + u4;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t21);
    const V t24 = sqrt_(t23);
    const V t25 = u4 + t20;
    const V t26 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t27 = sqrt_(t26);
    const V t28 = t24 / t27;
    const V t29 = t14 * t28;
    const V t30 = t29 * t29;
    const V t34 = u5 * x[4];
    const V t36 = u3 * x[6];
    const V t39 = t29 * t36;
    const V t40 = t39 - t34;
    const V t41 = t39 + t40;
    const V t42 = t28 * t41;
    const V t43 = t14 * t41;
    const V t44 = t43 / t27;
    const V t45 = t28 * t44;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t27;
    const V t49 = -t48;
    const V t50 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t49);
    const V t51 = x[5] + t50;
    const V t52 = t44 * splat<V>(S(0.5));
    const V t53 = t52 / t24;
    const V t57 = u3 * t51;
    const V t64 = t14 * t57;
    const V t65 = t42 + t64;
    const V t66 = t64 + t65;
    const V t81 = t66 * u6;
    const V t82 = x[0] * u6;
    const V t83 = t66 * x[7];
    const V t84 = u0 * x[7];
    const V t85 = t82 + t84;
    const V t86 = t66 * u7;
    const V t87 = x[1] * u7;
    const V t88 = t85 + t87;
    const V t89 = t66 * x[8];
    const V t90 = u1 * x[8];
    const V t91 = t88 + t90;
    const V t92 = t91 + t91;
    const V t93 = t57 * t92;
    const V t94 = t14 * t92;
    const V t95 = t51 * u8;
    const V t96 = x[2] * u8;
    const V t97 = t51 * x[9];
    const V t98 = u2 * x[9];
    const V t99 = t96 + t98;
    const V t102 = t15 * u8;
    const V t104 = t99 - t102;
    const V t105 = t51 * t94;
    const V t106 = u3 * t94;
    const V t107 = t104 + t106;
    const V t108 = x[10] + u9;
    const V t110 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t108);
    const V t111 = t110 / t24;
    const V t112 = t53 * t111;
    const V t114 = splat<V>(S(0.5)) * t111;
    const V t116 = u9 + t107;
    const V t118 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t116);
    const V t121 = t118 / t27;
    const V t123 = t48 * t121;
    const V t125 = splat<V>(S(0.5)) * t121;
    const V t130 = t44 * t125;
    const V t132 = t28 * t125;
    const V t134 = t114 - t132;
    const V t135 = t134 / t27;
    const V t136 = t44 * t135;
    const V t138 = t123 - t136;
    const V t139 = t41 * t135;
    const V t140 = t14 * t135;
    const V t141 = t93 + t139;
    const V t142 = t41 * t91;
    const V t143 = t28 * t91;
    const V t144 = t142 - t130;
    const V t145 = t140 + t143;
    const V t147 = t145 + t145;
    const V t148 = t36 * t147;
    const V t149 = t29 * t147;
    const V t150 = x[6] * u8;
    const V t151 = x[3] * u8;
    const V t152 = x[6] * x[10];
    const V t153 = u2 * x[10];
    const V t154 = t97 + t152;
    const V t155 = t151 + t153;
    const V t156 = x[6] * t149;
    const V t157 = u3 * t149;
    const V t158 = t105 + t156;
    const V t159 = t155 + t157;
    const V t161 = t30 * u8;
    const V t163 = t159 - t161;
    const V t164 = x[4] * t145;
    const V t165 = -t164;
    const V t166 = u5 * t145;
    const V t168 = x[8] - t166;
    const V t170 = x[4] * u10;
    const V t172 = t29 * u10;
    const V t174 = t148 - t170;
    const V t175 = t168 - t172;
    const V t176 = t29 * t150;
    const V t178 = t174 - t176;
    const V t179 = t178 - t176;
    const V t180 = t28 * t179;
    const V t181 = t14 * t179;
    const V t182 = t141 + t180;
    const V t183 = t144 + t181;
    const V t184 = t183 / t27;
    const V t185 = t28 * t184;
    const V t187 = t184 - t112;
    const V t188 = t138 - t185;
    const V t189 = splat<V>(S(0.5)) * t188;
    const V t190 = t189 / t27;
    const V t192 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t190);
    const V t193 = splat<V>(S(0.5)) * t187;
    const V t194 = t193 / t24;
    const V t196 = select_gt(tiny<V>(), t21, splat<V>(S(0.0)), t194);
    const V t198 = t150 + t196;
    const V t199 = t192 + t196;
    const V t200 = u3 * t192;
    const V t201 = t15 * t192;
    const V t202 = t200 - t95;
    const V t203 = t158 + t201;
    const V t205 = t154 - t203;
    const V t206 = u2 * t192;
    const V t207 = x[2] * t192;
    const V t208 = t95 + t206;
    const V t209 = t205 + t207;
    const V t210 = t14 * t202;
    const V t211 = t182 + t210;
    const V t212 = t210 + t211;
    const V t213 = u1 * t212;
    const V t214 = x[1] * t212;
    const V t215 = t86 + t213;
    const V t216 = t89 + t214;
    const V t217 = u0 * t212;
    const V t218 = x[0] * t212;
    const V t219 = t81 + t217;
    const V t220 = t83 + t218;
    y[0] = t219;
    y[1] = t215;
    y[2] = t208;
    y[3] = t198;
    y[4] = t175;
    y[5] = t107;
    y[6] = t163;
    y[7] = t220;
    y[8] = t216;
    y[9] = t209;
    y[10] = t199;
    y[11] = t165;
  }
};

// adamax: update, forward
template <class S, class V>
struct k_63ee7fee3444_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[2] * u3;
    const V t16 = abs_(t9);
    const V t17 = u4 + t16;
    const V t18 = select_gt(t15, t17, t15, select_eq(t15, t15, t17, t15));
    const V t19 = t14 / u5;
    const V t20 = t19 / t18;
    const V t22 = u6 * t20;
    const V t23 = -t22;
    y[0] = t23;
    y[1] = t14;
    y[2] = t18;
  }
};

// adamax: update, vjp
template <class S, class V>
struct k_63ee7fee3444_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[2] * u3;
    const V t16 = abs_(t9);
    const V t17 = u4 + t16;
    const V t18 = select_gt(t15, t17, t15, select_eq(t15, t15, t17, t15));
    const V t19 = t14 / u5;
    const V t20 = t19 / t18;
    const V t30 = u6 * x[3];
    const V t32 = t30 / t18;
    const V t34 = t20 * t32;
    const V t36 = x[5] + t34;
    const V t37 = t32 / u5;
    const V t41 = x[4] - t37;
    const V t43 = t36 * splat<V>(S(0.5));
    const V t44 = select_eq(t15, t17, t43, splat<V>(S(0.0)));
    const V t45 = select_gt(t15, t17, t36, t44);
    const V t46 = select_gt(t17, t15, t36, t44);
    const V t47 = sign_(t9);
    const V t48 = t46 * t47;
    const V t49 = u3 * t45;
    const V t51 = u2 * t41;
    const V t53 = t48 + t51;
    const V t55 = u1 * t41;
    const V t58 = u0 * t53;
    y[0] = t58;
    y[1] = t55;
    y[2] = t49;
  }
};

// adamax: update, vjps
template <class S, class V>
struct k_63ee7fee3444_vjps {
  static constexpr int inputs = 6, outputs = 3, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[2] * u3;
    const V t16 = abs_(t9);
    const V t17 = u4 + t16;
    const V t18 = select_gt(t15, t17, t15, select_eq(t15, t15, t17, t15));
    const V t19 = t14 / u5;
    const V t20 = t19 / t18;
    const V t28 = t20 * x[3];
    const V t29 = -t28;
    const V t30 = u6 * x[3];
    const V t32 = t30 / t18;
    const V t34 = t20 * t32;
    const V t36 = x[5] + t34;
    const V t37 = t32 / u5;
    const V t39 = t19 * t37;
    const V t41 = x[4] - t37;
    const V t43 = t36 * splat<V>(S(0.5));
    const V t44 = select_eq(t15, t17, t43, splat<V>(S(0.0)));
    const V t45 = select_gt(t15, t17, t36, t44);
    const V t46 = select_gt(t17, t15, t36, t44);
    const V t47 = sign_(t9);
    const V t48 = t46 * t47;
    const V t49 = u3 * t45;
    const V t50 = x[2] * t45;
    const V t51 = u2 * t41;
    const V t52 = t9 * t41;
    const V t53 = t48 + t51;
    const V t55 = u1 * t41;
    const V t56 = x[1] * t41;
    const V t57 = t56 - t52;
    const V t58 = u0 * t53;
    const V t59 = x[0] * t53;
    y[0] = t58;
    y[1] = t55;
    y[2] = t49;
    y[3] = t59;
    y[4] = t57;
    y[5] = t50;
    y[6] = t46;
    y[7] = t39;
    y[8] = t29;
  }
};

// adamax: update, jvp
template <class S, class V>
struct k_63ee7fee3444_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t12 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t12);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t13 = t9 * u2;
    const V t14 = t10 + t13;
    const V t15 = x[2] * u3;
    const V t16 = abs_(t9);
    const V t17 = u4 + t16;
    const V t18 = select_gt(t15, t17, t15, select_eq(t15, t15, t17, t15));
    const V t19 = t14 / u5;
    const V t20 = t19 / t18;
    const V t33 = u0 * x[3];
    const V t34 = x[0] * u6;
    const V t35 = t33 + t34;
    const V t36 = u1 * x[4];
    const V t37 = x[1] * u7;
    const V t38 = t36 + t37;
    const V t40 = u2 * t35;
    const V t41 = t9 * u7;
    const V t43 = t40 - t41;
    const V t44 = t38 + t43;
    const V t45 = u3 * x[5];
    const V t46 = x[2] * u8;
    const V t47 = t45 + t46;
    const V t48 = sign_(t9);
    const V t49 = t35 * t48;
    const V t50 = u9 + t49;
    const V t51 = t47 + t50;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = select_eq(t15, t17, t53, t50);
    const V t55 = select_gt(t15, t17, t47, t54);
    const V t56 = t19 * u10;
    const V t57 = t44 - t56;
    const V t58 = t57 / u5;
    const V t59 = t20 * t55;
    const V t60 = t58 - t59;
    const V t61 = t60 / t18;
    const V t62 = t20 * u11;
    const V t63 = u12 * t61;
    const V t64 = t62 + t63;
    const V t65 = -t64;
    y[0] = t65;
    y[1] = t44;
    y[2] = t55;
  }
};

// adamax: update, vjp_vjp
template <class S, class V>
struct k_63ee7fee3444_vjp_vjp {
  static constexpr int inputs = 9, outputs = 6, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = x[2] * u3;
    const V t19 = abs_(t12);
    const V t20 = u4 + t19;
    const V t21 = select_gt(t18, t20, t18, select_eq(t18, t18, t20, t18));
    const V t22 = t17 / u5;
    const V t23 = t22 / t21;
    const V t25 = u6 * x[3];
    const V t26 = t25 / t21;
    const V t36 = sign_(t12);
    const V t47 = u0 * x[6];
    const V t49 = u1 * x[7];
    const V t51 = u2 * t47;
    const V t52 = t49 + t51;
    const V t54 = u3 * x[8];
    const V t55 = t36 * t47;
    const V t57 = select_gt(t20, t18, t55, splat<V>(S(0.0)));
    const V t58 = select_gt(t20, t18, splat<V>(S(0.0)), t55);
    const V t59 = select_gt(t18, t20, t54, splat<V>(S(0.0)));
    const V t60 = select_gt(t18, t20, splat<V>(S(0.0)), t54);
    const V t61 = t57 + t59;
    const V t62 = t58 + t60;
    const V t63 = select_eq(t18, t20, t62, splat<V>(S(0.0)));
    const V t65 = splat<V>(S(0.5)) * t63;
    const V t67 = t61 + t65;
    const V t69 = t52 / u5;
    const V t73 = t26 * t67;
    const V t74 = t23 * t67;
    const V t75 = t74 - t69;
    const V t76 = t75 / t21;
    const V t77 = t26 * t76;
    const V t78 = -t77;
    const V t80 = u6 * t76;
    const V t81 = t73 / t21;
    const V t82 = t23 * t81;
    const V t84 = t78 - t82;
    const V t85 = t81 / u5;
    const V t89 = splat<V>(S(0.5)) * t84;
    const V t90 = select_eq(t18, t20, t89, splat<V>(S(0.0)));
    const V t91 = select_gt(t18, t20, t84, t90);
    const V t92 = select_gt(t20, t18, t84, t90);
    const V t93 = t36 * t92;
    const V t94 = u3 * t91;
    const V t97 = u2 * t85;
    const V t99 = t93 + t97;
    const V t103 = u1 * t85;
    const V t106 = u0 * t99;
    y[0] = t106;
    y[1] = t103;
    y[2] = t94;
    y[3] = t80;
    y[4] = t52;
    y[5] = t67;
  }
};

// adamax: update, vjps_vjps
template <class S, class V>
struct k_63ee7fee3444_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = x[2] * u3;
    const V t19 = abs_(t12);
    const V t20 = u4 + t19;
    const V t21 = select_gt(t18, t20, t18, select_eq(t18, t18, t20, t18));
    const V t22 = t17 / u5;
    const V t23 = t22 / t21;
    const V t27 = u6 * x[3];
    const V t28 = t27 / t21;
    const V t29 = t23 * t28;
    const V t30 = x[5] + t29;
    const V t31 = t28 / u5;
    const V t33 = x[4] - t31;
    const V t35 = t30 * splat<V>(S(0.5));
    const V t36 = select_eq(t18, t20, t35, splat<V>(S(0.0)));
    const V t37 = select_gt(t18, t20, t30, t36);
    const V t38 = select_gt(t20, t18, t30, t36);
    const V t39 = sign_(t12);
    const V t40 = t38 * t39;
    const V t43 = u2 * t33;
    const V t45 = t40 + t43;
    const V t60 = t45 * u7;
    const V t61 = x[0] * u7;
    const V t62 = t45 * x[6];
    const V t63 = u0 * x[6];
    const V t64 = t61 + t63;
    const V t66 = t33 * u8;
    const V t67 = x[1] * u8;
    const V t68 = t33 * x[7];
    const V t69 = u1 * x[7];
    const V t70 = t67 + t69;
    const V t72 = t12 * u8;
    const V t74 = t70 - t72;
    const V t75 = t33 * t64;
    const V t76 = u2 * t64;
    const V t77 = t74 + t76;
    const V t78 = t37 * u9;
    const V t79 = x[2] * u9;
    const V t80 = t37 * x[8];
    const V t81 = u3 * x[8];
    const V t82 = t79 + t81;
    const V t83 = t39 * t64;
    const V t85 = u10 + t83;
    const V t86 = select_gt(t20, t18, t85, splat<V>(S(0.0)));
    const V t87 = select_gt(t20, t18, splat<V>(S(0.0)), t85);
    const V t88 = select_gt(t18, t20, t82, splat<V>(S(0.0)));
    const V t89 = select_gt(t18, t20, splat<V>(S(0.0)), t82);
    const V t90 = t86 + t88;
    const V t91 = t87 + t89;
    const V t92 = select_eq(t18, t20, t91, splat<V>(S(0.0)));
    const V t94 = splat<V>(S(0.5)) * t92;
    const V t96 = t90 + t94;
    const V t98 = t31 * u11;
    const V t99 = t22 * u11;
    const V t100 = t99 - t77;
    const V t101 = t100 / u5;
    const V t102 = t31 * t101;
    const V t103 = -t102;
    const V t104 = t28 * t96;
    const V t105 = t23 * t96;
    const V t106 = t101 + t105;
    const V t107 = t106 / t21;
    const V t108 = t28 * t107;
    const V t109 = -t108;
    const V t110 = x[3] * t107;
    const V t111 = u6 * t107;
    const V t113 = x[3] * u12;
    const V t115 = t23 * u12;
    const V t117 = t104 - t113;
    const V t118 = t111 - t115;
    const V t119 = t117 / t21;
    const V t120 = t23 * t119;
    const V t122 = t98 + t119;
    const V t123 = t109 - t120;
    const V t124 = t122 / u5;
    const V t125 = t22 * t124;
    const V t127 = t103 - t125;
    const V t128 = splat<V>(S(0.5)) * t123;
    const V t129 = select_eq(t18, t20, t128, splat<V>(S(0.0)));
    const V t130 = select_gt(t18, t20, t123, t129);
    const V t131 = select_gt(t20, t18, t123, t129);
    const V t132 = t39 * t131;
    const V t133 = t132 - t66;
    const V t134 = u3 * t130;
    const V t135 = x[2] * t130;
    const V t136 = t78 + t134;
    const V t137 = t80 + t135;
    const V t138 = u2 * t124;
    const V t139 = t12 * t124;
    const V t140 = t133 + t138;
    const V t141 = t75 + t139;
    const V t143 = t68 - t141;
    const V t144 = u1 * t124;
    const V t145 = x[1] * t124;
    const V t146 = t66 + t144;
    const V t147 = t143 + t145;
    const V t148 = u0 * t140;
    const V t149 = x[0] * t140;
    const V t150 = t60 + t148;
    const V t151 = t62 + t149;
    y[0] = t150;
    y[1] = t146;
    y[2] = t136;
    y[3] = t118;
    y[4] = t77;
    y[5] = t96;
    y[6] = t151;
    y[7] = t147;
    y[8] = t137;
    y[9] = t131;
    y[10] = t127;
    y[11] = t110;
  }
};

// adamax: parameters, forward
template <class S, class V>
struct k_66607b786bb5_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = x[3] * u3;
    const V t17 = abs_(t10);
    const V t18 = u4 + t17;
    const V t19 = select_gt(t16, t18, t16, select_eq(t16, t16, t18, t16));
    const V t20 = t15 / u5;
    const V t21 = t20 / t19;
    const V t23 = u6 * t21;
    const V t25 = x[1] - t23;
    y[0] = t25;
    y[1] = t15;
    y[2] = t19;
  }
};

// adamax: parameters, vjp
template <class S, class V>
struct k_66607b786bb5_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = x[3] * u3;
    const V t17 = abs_(t10);
    const V t18 = u4 + t17;
    const V t19 = select_gt(t16, t18, t16, select_eq(t16, t16, t18, t16));
    const V t20 = t15 / u5;
    const V t21 = t20 / t19;
    const V t31 = u6 * x[4];
    const V t33 = t31 / t19;
    const V t35 = t21 * t33;
    const V t37 = x[6] + t35;
    const V t38 = t33 / u5;
    const V t42 = x[5] - t38;
    const V t44 = t37 * splat<V>(S(0.5));
    const V t45 = select_eq(t16, t18, t44, splat<V>(S(0.0)));
    const V t46 = select_gt(t16, t18, t37, t45);
    const V t47 = select_gt(t18, t16, t37, t45);
    const V t48 = sign_(t10);
    const V t49 = t47 * t48;
    const V t50 = u3 * t46;
    const V t52 = u2 * t42;
    const V t54 = t49 + t52;
    const V t56 = u1 * t42;
    const V t59 = u0 * t54;
    y[0] = t59;
    y[1] = x[4];
    y[2] = t56;
    y[3] = t50;
  }
};

// adamax: parameters, vjps
template <class S, class V>
struct k_66607b786bb5_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = x[3] * u3;
    const V t17 = abs_(t10);
    const V t18 = u4 + t17;
    const V t19 = select_gt(t16, t18, t16, select_eq(t16, t16, t18, t16));
    const V t20 = t15 / u5;
    const V t21 = t20 / t19;
    const V t29 = t21 * x[4];
    const V t30 = -t29;
    const V t31 = u6 * x[4];
    const V t33 = t31 / t19;
    const V t35 = t21 * t33;
    const V t37 = x[6] + t35;
    const V t38 = t33 / u5;
    const V t40 = t20 * t38;
    const V t42 = x[5] - t38;
    const V t44 = t37 * splat<V>(S(0.5));
    const V t45 = select_eq(t16, t18, t44, splat<V>(S(0.0)));
    const V t46 = select_gt(t16, t18, t37, t45);
    const V t47 = select_gt(t18, t16, t37, t45);
    const V t48 = sign_(t10);
    const V t49 = t47 * t48;
    const V t50 = u3 * t46;
    const V t51 = x[3] * t46;
    const V t52 = u2 * t42;
    const V t53 = t10 * t42;
    const V t54 = t49 + t52;
    const V t56 = u1 * t42;
    const V t57 = x[2] * t42;
    const V t58 = t57 - t53;
    const V t59 = u0 * t54;
    const V t60 = x[0] * t54;
    y[0] = t59;
    y[1] = x[4];
    y[2] = t56;
    y[3] = t50;
    y[4] = t60;
    y[5] = t58;
    y[6] = t51;
    y[7] = t47;
    y[8] = t40;
    y[9] = t30;
  }
};

// adamax: parameters, jvp
template <class S, class V>
struct k_66607b786bb5_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 12, sums = 0, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t13 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t13);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[6]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[5]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t10 = x[0] * u0;
    const V t11 = x[2] * u1;
    const V t14 = t10 * u2;
    const V t15 = t11 + t14;
    const V t16 = x[3] * u3;
    const V t17 = abs_(t10);
    const V t18 = u4 + t17;
    const V t19 = select_gt(t16, t18, t16, select_eq(t16, t16, t18, t16));
    const V t20 = t15 / u5;
    const V t21 = t20 / t19;
    const V t35 = u0 * x[4];
    const V t36 = x[0] * u6;
    const V t37 = t35 + t36;
    const V t38 = u1 * x[6];
    const V t39 = x[2] * u7;
    const V t40 = t38 + t39;
    const V t42 = u2 * t37;
    const V t43 = t10 * u7;
    const V t45 = t42 - t43;
    const V t46 = t40 + t45;
    const V t47 = u3 * x[7];
    const V t48 = x[3] * u8;
    const V t49 = t47 + t48;
    const V t50 = sign_(t10);
    const V t51 = t37 * t50;
    const V t52 = u9 + t51;
    const V t53 = t49 + t52;
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = select_eq(t16, t18, t55, t52);
    const V t57 = select_gt(t16, t18, t49, t56);
    const V t58 = t20 * u10;
    const V t59 = t46 - t58;
    const V t60 = t59 / u5;
    const V t61 = t21 * t57;
    const V t62 = t60 - t61;
    const V t63 = t62 / t19;
    const V t64 = t21 * u11;
    const V t65 = u12 * t63;
    const V t66 = t64 + t65;
    const V t67 = x[5] - t66;
    y[0] = t67;
    y[1] = t46;
    y[2] = t57;
  }
};

// adamax: parameters, vjp_vjp
template <class S, class V>
struct k_66607b786bb5_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 6, sums = 0, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V u4 = splat<V>(u[4]);
    const V u5 = splat<V>(u[5]);
    const V u6 = splat<V>(u[6]);
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u3;
    const V t20 = abs_(t13);
    const V t21 = u4 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u5;
    const V t24 = t23 / t22;
    const V t26 = u6 * x[4];
    const V t27 = t26 / t22;
    const V t37 = sign_(t13);
    const V t49 = u0 * x[7];
    const V t51 = u1 * x[9];
    const V t53 = u2 * t49;
    const V t54 = t51 + t53;
    const V t56 = u3 * x[10];
    const V t57 = t37 * t49;
    const V t59 = select_gt(t21, t19, t57, splat<V>(S(0.0)));
    const V t60 = select_gt(t21, t19, splat<V>(S(0.0)), t57);
    const V t61 = select_gt(t19, t21, t56, splat<V>(S(0.0)));
    const V t62 = select_gt(t19, t21, splat<V>(S(0.0)), t56);
    const V t63 = t59 + t61;
    const V t64 = t60 + t62;
    const V t65 = select_eq(t19, t21, t64, splat<V>(S(0.0)));
    const V t67 = splat<V>(S(0.5)) * t65;
    const V t69 = t63 + t67;
    const V t71 = t54 / u5;
    const V t75 = t27 * t69;
    const V t76 = t24 * t69;
    const V t77 = t76 - t71;
    const V t78 = t77 / t22;
    const V t79 = t27 * t78;
    const V t80 = -t79;
    const V t82 = u6 * t78;
    const V t83 = x[8] + t82;
    const V t84 = t75 / t22;
    const V t85 = t24 * t84;
    const V t87 = t80 - t85;
    const V t88 = t84 / u5;
    const V t92 = splat<V>(S(0.5)) * t87;
    const V t93 = select_eq(t19, t21, t92, splat<V>(S(0.0)));
    const V t94 = select_gt(t19, t21, t87, t93);
    const V t95 = select_gt(t21, t19, t87, t93);
    const V t96 = t37 * t95;
    const V t97 = u3 * t94;
    const V t100 = u2 * t88;
    const V t102 = t96 + t100;
    const V t106 = u1 * t88;
    const V t109 = u0 * t102;
    y[0] = t109;
    y[1] = splat<V>(S(0.0));
    y[2] = t106;
    y[3] = t97;
    y[4] = t83;
    y[5] = t54;
    y[6] = t69;
  }
};

// adamax: parameters, vjps_vjps
template <class S, class V>
struct k_66607b786bb5_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 12, sums = 6, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u3;
    const V t20 = abs_(t13);
    const V t21 = u4 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u5;
    const V t24 = t23 / t22;
    const V t28 = u6 * x[4];
    const V t29 = t28 / t22;
    const V t30 = t24 * t29;
    const V t31 = x[6] + t30;
    const V t32 = t29 / u5;
    const V t34 = x[5] - t32;
    const V t36 = t31 * splat<V>(S(0.5));
    const V t37 = select_eq(t19, t21, t36, splat<V>(S(0.0)));
    const V t38 = select_gt(t19, t21, t31, t37);
    const V t39 = select_gt(t21, t19, t31, t37);
    const V t40 = sign_(t13);
    const V t41 = t39 * t40;
    const V t44 = u2 * t34;
    const V t46 = t41 + t44;
    const V t62 = t46 * u7;
    const V t63 = x[0] * u7;
    const V t64 = t46 * x[7];
    const V t65 = u0 * x[7];
    const V t66 = t63 + t65;
    const V t68 = t34 * u8;
    const V t69 = x[2] * u8;
    const V t70 = t34 * x[9];
    const V t71 = u1 * x[9];
    const V t72 = t69 + t71;
    const V t74 = t13 * u8;
    const V t76 = t72 - t74;
    const V t77 = t34 * t66;
    const V t78 = u2 * t66;
    const V t79 = t76 + t78;
    const V t80 = t38 * u9;
    const V t81 = x[3] * u9;
    const V t82 = t38 * x[10];
    const V t83 = u3 * x[10];
    const V t84 = t81 + t83;
    const V t85 = t40 * t66;
    const V t87 = u10 + t85;
    const V t88 = select_gt(t21, t19, t87, splat<V>(S(0.0)));
    const V t89 = select_gt(t21, t19, splat<V>(S(0.0)), t87);
    const V t90 = select_gt(t19, t21, t84, splat<V>(S(0.0)));
    const V t91 = select_gt(t19, t21, splat<V>(S(0.0)), t84);
    const V t92 = t88 + t90;
    const V t93 = t89 + t91;
    const V t94 = select_eq(t19, t21, t93, splat<V>(S(0.0)));
    const V t96 = splat<V>(S(0.5)) * t94;
    const V t98 = t92 + t96;
    const V t100 = t32 * u11;
    const V t101 = t23 * u11;
    const V t102 = t101 - t79;
    const V t103 = t102 / u5;
    const V t104 = t32 * t103;
    const V t105 = -t104;
    const V t106 = t29 * t98;
    const V t107 = t24 * t98;
    const V t108 = t103 + t107;
    const V t109 = t108 / t22;
    const V t110 = t29 * t109;
    const V t111 = -t110;
    const V t112 = x[4] * t109;
    const V t113 = u6 * t109;
    const V t114 = x[8] + t113;
    const V t116 = x[4] * u12;
    const V t118 = t24 * u12;
    const V t120 = t106 - t116;
    const V t121 = t114 - t118;
    const V t122 = t120 / t22;
    const V t123 = t24 * t122;
    const V t125 = t100 + t122;
    const V t126 = t111 - t123;
    const V t127 = t125 / u5;
    const V t128 = t23 * t127;
    const V t130 = t105 - t128;
    const V t131 = splat<V>(S(0.5)) * t126;
    const V t132 = select_eq(t19, t21, t131, splat<V>(S(0.0)));
    const V t133 = select_gt(t19, t21, t126, t132);
    const V t134 = select_gt(t21, t19, t126, t132);
    const V t135 = t40 * t134;
    const V t136 = t135 - t68;
    const V t137 = u3 * t133;
    const V t138 = x[3] * t133;
    const V t139 = t80 + t137;
    const V t140 = t82 + t138;
    const V t141 = u2 * t127;
    const V t142 = t13 * t127;
    const V t143 = t136 + t141;
    const V t144 = t77 + t142;
    const V t146 = t70 - t144;
    const V t147 = u1 * t127;
    const V t148 = x[2] * t127;
    const V t149 = t68 + t147;
    const V t150 = t146 + t148;
    const V t151 = u0 * t143;
    const V t152 = x[0] * t143;
    const V t153 = t62 + t151;
    const V t154 = t64 + t152;
    y[0] = t153;
    y[1] = splat<V>(S(0.0));
    y[2] = t149;
    y[3] = t139;
    y[4] = t121;
    y[5] = t79;
    y[6] = t98;
    y[7] = t154;
    y[8] = t150;
    y[9] = t140;
    y[10] = t134;
    y[11] = t130;
    y[12] = t112;
  }
};

// adamax, weight decay: update, forward
template <class S, class V>
struct k_153f350c876a_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 7, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t26 = u7 * t24;
    const V t27 = -t26;
    y[0] = t27;
    y[1] = t18;
    y[2] = t22;
  }
};

// adamax, weight decay: update, vjp
template <class S, class V>
struct k_153f350c876a_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 7, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t34 = u7 * x[4];
    const V t36 = t34 / t22;
    const V t38 = t24 * t36;
    const V t40 = x[6] + t38;
    const V t41 = t36 / u6;
    const V t45 = x[5] - t41;
    const V t47 = t40 * splat<V>(S(0.5));
    const V t48 = select_eq(t19, t21, t47, splat<V>(S(0.0)));
    const V t49 = select_gt(t19, t21, t40, t48);
    const V t50 = select_gt(t21, t19, t40, t48);
    const V t51 = sign_(t13);
    const V t52 = t50 * t51;
    const V t53 = u4 * t49;
    const V t55 = u3 * t45;
    const V t57 = t52 + t55;
    const V t59 = u2 * t45;
    const V t62 = u1 * t57;
    const V t64 = u0 * t57;
    y[0] = t64;
    y[1] = t62;
    y[2] = t59;
    y[3] = t53;
  }
};

// adamax, weight decay: update, vjps
template <class S, class V>
struct k_153f350c876a_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 7, sums = 7, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t32 = t24 * x[4];
    const V t33 = -t32;
    const V t34 = u7 * x[4];
    const V t36 = t34 / t22;
    const V t38 = t24 * t36;
    const V t40 = x[6] + t38;
    const V t41 = t36 / u6;
    const V t43 = t23 * t41;
    const V t45 = x[5] - t41;
    const V t47 = t40 * splat<V>(S(0.5));
    const V t48 = select_eq(t19, t21, t47, splat<V>(S(0.0)));
    const V t49 = select_gt(t19, t21, t40, t48);
    const V t50 = select_gt(t21, t19, t40, t48);
    const V t51 = sign_(t13);
    const V t52 = t50 * t51;
    const V t53 = u4 * t49;
    const V t54 = x[3] * t49;
    const V t55 = u3 * t45;
    const V t56 = t13 * t45;
    const V t57 = t52 + t55;
    const V t59 = u2 * t45;
    const V t60 = x[2] * t45;
    const V t61 = t60 - t56;
    const V t62 = u1 * t57;
    const V t63 = x[1] * t57;
    const V t64 = u0 * t57;
    const V t65 = x[0] * t57;
    y[0] = t64;
    y[1] = t62;
    y[2] = t59;
    y[3] = t53;
    y[4] = t65;
    y[5] = t63;
    y[6] = t61;
    y[7] = t54;
    y[8] = t50;
    y[9] = t43;
    y[10] = t33;
  }
};

// adamax, weight decay: update, jvp
template <class S, class V>
struct k_153f350c876a_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 14, sums = 0, uniforms = 15;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[6]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t39 = u0 * x[4];
    const V t40 = x[0] * u7;
    const V t41 = t39 + t40;
    const V t42 = u1 * x[5];
    const V t43 = x[1] * u8;
    const V t44 = t42 + t43;
    const V t45 = t41 + t44;
    const V t46 = u2 * x[6];
    const V t47 = x[2] * u9;
    const V t48 = t46 + t47;
    const V t50 = u3 * t45;
    const V t51 = t13 * u9;
    const V t53 = t50 - t51;
    const V t54 = t48 + t53;
    const V t55 = u4 * x[7];
    const V t56 = x[3] * u10;
    const V t57 = t55 + t56;
    const V t58 = sign_(t13);
    const V t59 = t45 * t58;
    const V t60 = u11 + t59;
    const V t61 = t57 + t60;
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = select_eq(t19, t21, t63, t60);
    const V t65 = select_gt(t19, t21, t57, t64);
    const V t66 = t23 * u12;
    const V t67 = t54 - t66;
    const V t68 = t67 / u6;
    const V t69 = t24 * t65;
    const V t70 = t68 - t69;
    const V t71 = t70 / t22;
    const V t72 = t24 * u13;
    const V t73 = u14 * t71;
    const V t74 = t72 + t73;
    const V t75 = -t74;
    y[0] = t75;
    y[1] = t54;
    y[2] = t65;
  }
};

// adamax, weight decay: update, vjp_vjp
template <class S, class V>
struct k_153f350c876a_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 7, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = x[3] * u4;
    const V t23 = abs_(t16);
    const V t24 = u5 + t23;
    const V t25 = select_gt(t22, t24, t22, select_eq(t22, t22, t24, t22));
    const V t26 = t21 / u6;
    const V t27 = t26 / t25;
    const V t29 = u7 * x[4];
    const V t30 = t29 / t25;
    const V t40 = sign_(t16);
    const V t53 = u0 * x[7];
    const V t55 = u1 * x[8];
    const V t56 = t53 + t55;
    const V t58 = u2 * x[9];
    const V t60 = u3 * t56;
    const V t61 = t58 + t60;
    const V t63 = u4 * x[10];
    const V t64 = t40 * t56;
    const V t66 = select_gt(t24, t22, t64, splat<V>(S(0.0)));
    const V t67 = select_gt(t24, t22, splat<V>(S(0.0)), t64);
    const V t68 = select_gt(t22, t24, t63, splat<V>(S(0.0)));
    const V t69 = select_gt(t22, t24, splat<V>(S(0.0)), t63);
    const V t70 = t66 + t68;
    const V t71 = t67 + t69;
    const V t72 = select_eq(t22, t24, t71, splat<V>(S(0.0)));
    const V t74 = splat<V>(S(0.5)) * t72;
    const V t76 = t70 + t74;
    const V t78 = t61 / u6;
    const V t82 = t30 * t76;
    const V t83 = t27 * t76;
    const V t84 = t83 - t78;
    const V t85 = t84 / t25;
    const V t86 = t30 * t85;
    const V t87 = -t86;
    const V t89 = u7 * t85;
    const V t90 = t82 / t25;
    const V t91 = t27 * t90;
    const V t93 = t87 - t91;
    const V t94 = t90 / u6;
    const V t98 = splat<V>(S(0.5)) * t93;
    const V t99 = select_eq(t22, t24, t98, splat<V>(S(0.0)));
    const V t100 = select_gt(t22, t24, t93, t99);
    const V t101 = select_gt(t24, t22, t93, t99);
    const V t102 = t40 * t101;
    const V t103 = u4 * t100;
    const V t106 = u3 * t94;
    const V t108 = t102 + t106;
    const V t112 = u2 * t94;
    const V t115 = u1 * t108;
    const V t118 = u0 * t108;
    y[0] = t118;
    y[1] = t115;
    y[2] = t112;
    y[3] = t103;
    y[4] = t89;
    y[5] = t61;
    y[6] = t76;
  }
};

// adamax, weight decay: update, vjps_vjps
template <class S, class V>
struct k_153f350c876a_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 14, sums = 7, uniforms = 15;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
    u[13] = S(h[12]);
    u[14] = S(h[13]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = x[3] * u4;
    const V t23 = abs_(t16);
    const V t24 = u5 + t23;
    const V t25 = select_gt(t22, t24, t22, select_eq(t22, t22, t24, t22));
    const V t26 = t21 / u6;
    const V t27 = t26 / t25;
    const V t31 = u7 * x[4];
    const V t32 = t31 / t25;
    const V t33 = t27 * t32;
    const V t34 = x[6] + t33;
    const V t35 = t32 / u6;
    const V t37 = x[5] - t35;
    const V t39 = t34 * splat<V>(S(0.5));
    const V t40 = select_eq(t22, t24, t39, splat<V>(S(0.0)));
    const V t41 = select_gt(t22, t24, t34, t40);
    const V t42 = select_gt(t24, t22, t34, t40);
    const V t43 = sign_(t16);
    const V t44 = t42 * t43;
    const V t47 = u3 * t37;
    const V t49 = t44 + t47;
    const V t68 = t49 * u8;
    const V t69 = x[0] * u8;
    const V t70 = t49 * x[7];
    const V t71 = u0 * x[7];
    const V t72 = t69 + t71;
    const V t73 = t49 * u9;
    const V t74 = x[1] * u9;
    const V t75 = t72 + t74;
    const V t76 = t49 * x[8];
    const V t77 = u1 * x[8];
    const V t78 = t75 + t77;
    const V t80 = t37 * u10;
    const V t81 = x[2] * u10;
    const V t82 = t37 * x[9];
    const V t83 = u2 * x[9];
    const V t84 = t81 + t83;
    const V t86 = t16 * u10;
    const V t88 = t84 - t86;
    const V t89 = t37 * t78;
    const V t90 = u3 * t78;
    const V t91 = t88 + t90;
    const V t92 = t41 * u11;
    const V t93 = x[3] * u11;
    const V t94 = t41 * x[10];
    const V t95 = u4 * x[10];
    const V t96 = t93 + t95;
    const V t97 = t43 * t78;
    const V t99 = u12 + t97;
    const V t100 = select_gt(t24, t22, t99, splat<V>(S(0.0)));
    const V t101 = select_gt(t24, t22, splat<V>(S(0.0)), t99);
    const V t102 = select_gt(t22, t24, t96, splat<V>(S(0.0)));
    const V t103 = select_gt(t22, t24, splat<V>(S(0.0)), t96);
    const V t104 = t100 + t102;
    const V t105 = t101 + t103;
    const V t106 = select_eq(t22, t24, t105, splat<V>(S(0.0)));
    const V t108 = splat<V>(S(0.5)) * t106;
    const V t110 = t104 + t108;
    const V t112 = t35 * u13;
    const V t113 = t26 * u13;
    const V t114 = t113 - t91;
    const V t115 = t114 / u6;
    const V t116 = t35 * t115;
    const V t117 = -t116;
    const V t118 = t32 * t110;
    const V t119 = t27 * t110;
    const V t120 = t115 + t119;
    const V t121 = t120 / t25;
    const V t122 = t32 * t121;
    const V t123 = -t122;
    const V t124 = x[4] * t121;
    const V t125 = u7 * t121;
    const V t127 = x[4] * u14;
    const V t129 = t27 * u14;
    const V t131 = t118 - t127;
    const V t132 = t125 - t129;
    const V t133 = t131 / t25;
    const V t134 = t27 * t133;
    const V t136 = t112 + t133;
    const V t137 = t123 - t134;
    const V t138 = t136 / u6;
    const V t139 = t26 * t138;
    const V t141 = t117 - t139;
    const V t142 = splat<V>(S(0.5)) * t137;
    const V t143 = select_eq(t22, t24, t142, splat<V>(S(0.0)));
    const V t144 = select_gt(t22, t24, t137, t143);
    const V t145 = select_gt(t24, t22, t137, t143);
    const V t146 = t43 * t145;
    const V t147 = t146 - t80;
    const V t148 = u4 * t144;
    const V t149 = x[3] * t144;
    const V t150 = t92 + t148;
    const V t151 = t94 + t149;
    const V t152 = u3 * t138;
    const V t153 = t16 * t138;
    const V t154 = t147 + t152;
    const V t155 = t89 + t153;
    const V t157 = t82 - t155;
    const V t158 = u2 * t138;
    const V t159 = x[2] * t138;
    const V t160 = t80 + t158;
    const V t161 = t157 + t159;
    const V t162 = u1 * t154;
    const V t163 = x[1] * t154;
    const V t164 = t73 + t162;
    const V t165 = t76 + t163;
    const V t166 = u0 * t154;
    const V t167 = x[0] * t154;
    const V t168 = t68 + t166;
    const V t169 = t70 + t167;
    y[0] = t168;
    y[1] = t164;
    y[2] = t160;
    y[3] = t150;
    y[4] = t132;
    y[5] = t91;
    y[6] = t110;
    y[7] = t169;
    y[8] = t165;
    y[9] = t161;
    y[10] = t151;
    y[11] = t145;
    y[12] = t141;
    y[13] = t124;
  }
};

// adamax, weight decay: parameters, forward
template <class S, class V>
struct k_9633e8f74366_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 7, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t26 = u7 * t24;
    const V t28 = x[1] - t26;
    y[0] = t28;
    y[1] = t18;
    y[2] = t22;
  }
};

// adamax, weight decay: parameters, vjp
template <class S, class V>
struct k_9633e8f74366_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 7, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t34 = u7 * x[4];
    const V t36 = t34 / t22;
    const V t38 = t24 * t36;
    const V t40 = x[6] + t38;
    const V t41 = t36 / u6;
    const V t45 = x[5] - t41;
    const V t47 = t40 * splat<V>(S(0.5));
    const V t48 = select_eq(t19, t21, t47, splat<V>(S(0.0)));
    const V t49 = select_gt(t19, t21, t40, t48);
    const V t50 = select_gt(t21, t19, t40, t48);
    const V t51 = sign_(t13);
    const V t52 = t50 * t51;
    const V t53 = u4 * t49;
    const V t55 = u3 * t45;
    const V t57 = t52 + t55;
    const V t59 = u2 * t45;
    const V t62 = u1 * t57;
    const V t64 = x[4] + t62;
    const V t65 = u0 * t57;
    y[0] = t65;
    y[1] = t64;
    y[2] = t59;
    y[3] = t53;
  }
};

// adamax, weight decay: parameters, vjps
template <class S, class V>
struct k_9633e8f74366_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 7, sums = 7, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t32 = t24 * x[4];
    const V t33 = -t32;
    const V t34 = u7 * x[4];
    const V t36 = t34 / t22;
    const V t38 = t24 * t36;
    const V t40 = x[6] + t38;
    const V t41 = t36 / u6;
    const V t43 = t23 * t41;
    const V t45 = x[5] - t41;
    const V t47 = t40 * splat<V>(S(0.5));
    const V t48 = select_eq(t19, t21, t47, splat<V>(S(0.0)));
    const V t49 = select_gt(t19, t21, t40, t48);
    const V t50 = select_gt(t21, t19, t40, t48);
    const V t51 = sign_(t13);
    const V t52 = t50 * t51;
    const V t53 = u4 * t49;
    const V t54 = x[3] * t49;
    const V t55 = u3 * t45;
    const V t56 = t13 * t45;
    const V t57 = t52 + t55;
    const V t59 = u2 * t45;
    const V t60 = x[2] * t45;
    const V t61 = t60 - t56;
    const V t62 = u1 * t57;
    const V t63 = x[1] * t57;
    const V t64 = x[4] + t62;
    const V t65 = u0 * t57;
    const V t66 = x[0] * t57;
    y[0] = t65;
    y[1] = t64;
    y[2] = t59;
    y[3] = t53;
    y[4] = t66;
    y[5] = t63;
    y[6] = t61;
    y[7] = t54;
    y[8] = t50;
    y[9] = t43;
    y[10] = t33;
  }
};

// adamax, weight decay: parameters, jvp
template <class S, class V>
struct k_9633e8f74366_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 14, sums = 0, uniforms = 15;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t16);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[7]);
    u[8] = S(h[8]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[6]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V t11 = x[0] * u0;
    const V t12 = x[1] * u1;
    const V t13 = t11 + t12;
    const V t14 = x[2] * u2;
    const V t17 = t13 * u3;
    const V t18 = t14 + t17;
    const V t19 = x[3] * u4;
    const V t20 = abs_(t13);
    const V t21 = u5 + t20;
    const V t22 = select_gt(t19, t21, t19, select_eq(t19, t19, t21, t19));
    const V t23 = t18 / u6;
    const V t24 = t23 / t22;
    const V t39 = u0 * x[4];
    const V t40 = x[0] * u7;
    const V t41 = t39 + t40;
    const V t42 = u1 * x[5];
    const V t43 = x[1] * u8;
    const V t44 = t42 + t43;
    const V t45 = t41 + t44;
    const V t46 = u2 * x[6];
    const V t47 = x[2] * u9;
    const V t48 = t46 + t47;
    const V t50 = u3 * t45;
    const V t51 = t13 * u9;
    const V t53 = t50 - t51;
    const V t54 = t48 + t53;
    const V t55 = u4 * x[7];
    const V t56 = x[3] * u10;
    const V t57 = t55 + t56;
    const V t58 = sign_(t13);
    const V t59 = t45 * t58;
    const V t60 = u11 + t59;
    const V t61 = t57 + t60;
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = select_eq(t19, t21, t63, t60);
    const V t65 = select_gt(t19, t21, t57, t64);
    const V t66 = t23 * u12;
    const V t67 = t54 - t66;
    const V t68 = t67 / u6;
    const V t69 = t24 * t65;
    const V t70 = t68 - t69;
    const V t71 = t70 / t22;
    const V t72 = t24 * u13;
    const V t73 = u14 * t71;
    const V t74 = t72 + t73;
    const V t75 = x[5] - t74;
    y[0] = t75;
    y[1] = t54;
    y[2] = t65;
  }
};

// adamax, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_9633e8f74366_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 7, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
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
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = x[3] * u4;
    const V t23 = abs_(t16);
    const V t24 = u5 + t23;
    const V t25 = select_gt(t22, t24, t22, select_eq(t22, t22, t24, t22));
    const V t26 = t21 / u6;
    const V t27 = t26 / t25;
    const V t29 = u7 * x[4];
    const V t30 = t29 / t25;
    const V t40 = sign_(t16);
    const V t54 = u0 * x[7];
    const V t56 = u1 * x[8];
    const V t57 = t54 + t56;
    const V t59 = u2 * x[9];
    const V t61 = u3 * t57;
    const V t62 = t59 + t61;
    const V t64 = u4 * x[10];
    const V t65 = t40 * t57;
    const V t67 = select_gt(t24, t22, t65, splat<V>(S(0.0)));
    const V t68 = select_gt(t24, t22, splat<V>(S(0.0)), t65);
    const V t69 = select_gt(t22, t24, t64, splat<V>(S(0.0)));
    const V t70 = select_gt(t22, t24, splat<V>(S(0.0)), t64);
    const V t71 = t67 + t69;
    const V t72 = t68 + t70;
    const V t73 = select_eq(t22, t24, t72, splat<V>(S(0.0)));
    const V t75 = splat<V>(S(0.5)) * t73;
    const V t77 = t71 + t75;
    const V t79 = t62 / u6;
    const V t83 = t30 * t77;
    const V t84 = t27 * t77;
    const V t85 = t84 - t79;
    const V t86 = t85 / t25;
    const V t87 = t30 * t86;
    const V t88 = -t87;
    const V t90 = u7 * t86;
    const V t91 = x[8] + t90;
    const V t92 = t83 / t25;
    const V t93 = t27 * t92;
    const V t95 = t88 - t93;
    const V t96 = t92 / u6;
    const V t100 = splat<V>(S(0.5)) * t95;
    const V t101 = select_eq(t22, t24, t100, splat<V>(S(0.0)));
    const V t102 = select_gt(t22, t24, t95, t101);
    const V t103 = select_gt(t24, t22, t95, t101);
    const V t104 = t40 * t103;
    const V t105 = u4 * t102;
    const V t108 = u3 * t96;
    const V t110 = t104 + t108;
    const V t114 = u2 * t96;
    const V t117 = u1 * t110;
    const V t120 = u0 * t110;
    y[0] = t120;
    y[1] = t117;
    y[2] = t114;
    y[3] = t105;
    y[4] = t91;
    y[5] = t62;
    y[6] = t77;
  }
};

// adamax, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_9633e8f74366_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 14, sums = 7, uniforms = 15;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(h[4]);
    u[6] = S(h[5]);
    u[7] = S(h[6]);
    u[8] = S(h[7]);
    u[9] = S(h[8]);
    u[10] = S(h[9]);
    u[11] = S(h[10]);
    u[12] = S(h[11]);
    u[13] = S(h[12]);
    u[14] = S(h[13]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = x[3] * u4;
    const V t23 = abs_(t16);
    const V t24 = u5 + t23;
    const V t25 = select_gt(t22, t24, t22, select_eq(t22, t22, t24, t22));
    const V t26 = t21 / u6;
    const V t27 = t26 / t25;
    const V t31 = u7 * x[4];
    const V t32 = t31 / t25;
    const V t33 = t27 * t32;
    const V t34 = x[6] + t33;
    const V t35 = t32 / u6;
    const V t37 = x[5] - t35;
    const V t39 = t34 * splat<V>(S(0.5));
    const V t40 = select_eq(t22, t24, t39, splat<V>(S(0.0)));
    const V t41 = select_gt(t22, t24, t34, t40);
    const V t42 = select_gt(t24, t22, t34, t40);
    const V t43 = sign_(t16);
    const V t44 = t42 * t43;
    const V t47 = u3 * t37;
    const V t49 = t44 + t47;
    const V t69 = t49 * u8;
    const V t70 = x[0] * u8;
    const V t71 = t49 * x[7];
    const V t72 = u0 * x[7];
    const V t73 = t70 + t72;
    const V t74 = t49 * u9;
    const V t75 = x[1] * u9;
    const V t76 = t73 + t75;
    const V t77 = t49 * x[8];
    const V t78 = u1 * x[8];
    const V t79 = t76 + t78;
    const V t81 = t37 * u10;
    const V t82 = x[2] * u10;
    const V t83 = t37 * x[9];
    const V t84 = u2 * x[9];
    const V t85 = t82 + t84;
    const V t87 = t16 * u10;
    const V t89 = t85 - t87;
    const V t90 = t37 * t79;
    const V t91 = u3 * t79;
    const V t92 = t89 + t91;
    const V t93 = t41 * u11;
    const V t94 = x[3] * u11;
    const V t95 = t41 * x[10];
    const V t96 = u4 * x[10];
    const V t97 = t94 + t96;
    const V t98 = t43 * t79;
    const V t100 = u12 + t98;
    const V t101 = select_gt(t24, t22, t100, splat<V>(S(0.0)));
    const V t102 = select_gt(t24, t22, splat<V>(S(0.0)), t100);
    const V t103 = select_gt(t22, t24, t97, splat<V>(S(0.0)));
    const V t104 = select_gt(t22, t24, splat<V>(S(0.0)), t97);
    const V t105 = t101 + t103;
    const V t106 = t102 + t104;
    const V t107 = select_eq(t22, t24, t106, splat<V>(S(0.0)));
    const V t109 = splat<V>(S(0.5)) * t107;
    const V t111 = t105 + t109;
    const V t113 = t35 * u13;
    const V t114 = t26 * u13;
    const V t115 = t114 - t92;
    const V t116 = t115 / u6;
    const V t117 = t35 * t116;
    const V t118 = -t117;
    const V t119 = t32 * t111;
    const V t120 = t27 * t111;
    const V t121 = t116 + t120;
    const V t122 = t121 / t25;
    const V t123 = t32 * t122;
    const V t124 = -t123;
    const V t125 = x[4] * t122;
    const V t126 = u7 * t122;
    const V t127 = x[8] + t126;
    const V t129 = x[4] * u14;
    const V t131 = t27 * u14;
    const V t133 = t119 - t129;
    const V t134 = t127 - t131;
    const V t135 = t133 / t25;
    const V t136 = t27 * t135;
    const V t138 = t113 + t135;
    const V t139 = t124 - t136;
    const V t140 = t138 / u6;
    const V t141 = t26 * t140;
    const V t143 = t118 - t141;
    const V t144 = splat<V>(S(0.5)) * t139;
    const V t145 = select_eq(t22, t24, t144, splat<V>(S(0.0)));
    const V t146 = select_gt(t22, t24, t139, t145);
    const V t147 = select_gt(t24, t22, t139, t145);
    const V t148 = t43 * t147;
    const V t149 = t148 - t81;
    const V t150 = u4 * t146;
    const V t151 = x[3] * t146;
    const V t152 = t93 + t150;
    const V t153 = t95 + t151;
    const V t154 = u3 * t140;
    const V t155 = t16 * t140;
    const V t156 = t149 + t154;
    const V t157 = t90 + t155;
    const V t159 = t83 - t157;
    const V t160 = u2 * t140;
    const V t161 = x[2] * t140;
    const V t162 = t81 + t160;
    const V t163 = t159 + t161;
    const V t164 = u1 * t156;
    const V t165 = x[1] * t156;
    const V t166 = t74 + t164;
    const V t167 = t77 + t165;
    const V t168 = u0 * t156;
    const V t169 = x[0] * t156;
    const V t170 = t69 + t168;
    const V t171 = t71 + t169;
    y[0] = t170;
    y[1] = t166;
    y[2] = t162;
    y[3] = t152;
    y[4] = t134;
    y[5] = t92;
    y[6] = t111;
    y[7] = t171;
    y[8] = t167;
    y[9] = t163;
    y[10] = t153;
    y[11] = t147;
    y[12] = t143;
    y[13] = t125;
  }
};

// radam: update, forward
template <class S, class V>
struct k_6e064461a7cd_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 9, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    const double t24 = sqrt_(h[5]);
    const double t25 = h[7] * t24;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[3]);
    u[6] = S(t25);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t27 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t28 = sqrt_(t27);
    const V t29 = u5 + t28;
    const V t30 = u6 / t29;
    const V t31 = t17 / u7;
    const V t33 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t30);
    const V t34 = t31 * t33;
    const V t36 = u9 * t34;
    const V t37 = -t36;
    y[0] = t37;
    y[1] = t17;
    y[2] = t22;
  }
};

// radam: update, vjp
template <class S, class V>
struct k_6e064461a7cd_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 9, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    const double t23 = sqrt_(h[5]);
    const double t24 = h[7] * t23;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[3]);
    u[6] = S(t24);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t26 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t27 = sqrt_(t26);
    const V t28 = u5 + t27;
    const V t29 = u6 / t28;
    const V t30 = t17 / u7;
    const V t32 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t29);
    const V t42 = u9 * x[3];
    const V t44 = t32 * t42;
    const V t46 = t30 * t42;
    const V t47 = -t46;
    const V t49 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t47);
    const V t50 = t44 / u7;
    const V t54 = x[4] - t50;
    const V t55 = t49 / t28;
    const V t56 = t29 * t55;
    const V t59 = t56 * splat<V>(S(0.5));
    const V t61 = t59 / t27;
    const V t62 = -t61;
    const V t64 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t62);
    const V t65 = x[5] + t64;
    const V t70 = u4 * t65;
    const V t74 = u3 * t65;
    const V t77 = t12 * t70;
    const V t78 = t77 + t77;
    const V t79 = u2 * t54;
    const V t81 = t78 + t79;
    const V t84 = u1 * t54;
    const V t87 = u0 * t81;
    y[0] = t87;
    y[1] = t84;
    y[2] = t74;
  }
};

// radam: update, vjps
template <class S, class V>
struct k_6e064461a7cd_vjps {
  static constexpr int inputs = 6, outputs = 3, scalars = 9, sums = 9, uniforms = 12;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    const double t23 = sqrt_(h[5]);
    const double t24 = h[7] * t23;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[3]);
    u[6] = S(t24);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
    u[10] = S(t23);
    u[11] = S(h[7]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t26 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t27 = sqrt_(t26);
    const V t28 = u5 + t27;
    const V t29 = u6 / t28;
    const V t30 = t17 / u7;
    const V t32 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t29);
    const V t33 = t30 * t32;
    const V t40 = t33 * x[3];
    const V t41 = -t40;
    const V t42 = u9 * x[3];
    const V t44 = t32 * t42;
    const V t46 = t30 * t42;
    const V t47 = -t46;
    const V t49 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t47);
    const V t50 = t44 / u7;
    const V t52 = t30 * t50;
    const V t54 = x[4] - t50;
    const V t55 = t49 / t28;
    const V t56 = t29 * t55;
    const V t57 = -t56;
    const V t59 = t56 * splat<V>(S(0.5));
    const V t61 = t59 / t27;
    const V t62 = -t61;
    const V t64 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t62);
    const V t65 = x[5] + t64;
    const V t66 = u10 * t55;
    const V t67 = u11 * t55;
    const V t68 = splat<V>(S(0.5)) * t67;
    const V t69 = t68 / u10;
    const V t70 = u4 * t65;
    const V t71 = t18 * t65;
    const V t74 = u3 * t65;
    const V t75 = x[2] * t65;
    const V t76 = t75 - t71;
    const V t77 = t12 * t70;
    const V t78 = t77 + t77;
    const V t79 = u2 * t54;
    const V t80 = t12 * t54;
    const V t81 = t78 + t79;
    const V t84 = u1 * t54;
    const V t85 = x[1] * t54;
    const V t86 = t85 - t80;
    const V t87 = u0 * t81;
    const V t88 = x[0] * t81;
    y[0] = t87;
    y[1] = t84;
    y[2] = t74;
    y[3] = t88;
    y[4] = t86;
    y[5] = t76;
    y[6] = t57;
    y[7] = t52;
    y[8] = t69;
    y[9] = splat<V>(S(0.0));
    y[10] = t66;
    y[11] = t41;
  }
};

// radam: update, jvp
template <class S, class V>
struct k_6e064461a7cd_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 18, sums = 0, uniforms = 17;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    const double t23 = sqrt_(h[5]);
    const double t24 = h[7] * t23;
    const double t72 = h[14] * double(0.5);
    const double t73 = t72 / t23;
    const double t74 = t23 * h[16];
    const double t75 = h[7] * t73;
    const double t76 = t74 + t75;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t15);
    u[3] = S(h[2]);
    u[4] = S(t20);
    u[5] = S(h[3]);
    u[6] = S(t24);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(t76);
    u[14] = S(h[13]);
    u[15] = S(h[17]);
    u[16] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t26 = select_gt(tiny<V>(), t22, tiny<V>(), t22);
    const V t27 = sqrt_(t26);
    const V t28 = u5 + t27;
    const V t29 = u6 / t28;
    const V t30 = t17 / u7;
    const V t32 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t29);
    const V t33 = t30 * t32;
    const V t48 = u0 * x[3];
    const V t49 = x[0] * u9;
    const V t50 = t48 + t49;
    const V t51 = u1 * x[4];
    const V t52 = x[1] * u10;
    const V t53 = t51 + t52;
    const V t55 = u2 * t50;
    const V t56 = t12 * u10;
    const V t58 = t55 - t56;
    const V t59 = t53 + t58;
    const V t60 = t12 * t50;
    const V t61 = t60 + t60;
    const V t62 = u3 * x[5];
    const V t63 = x[2] * u11;
    const V t64 = t62 + t63;
    const V t66 = u4 * t61;
    const V t67 = t18 * u11;
    const V t69 = t66 - t67;
    const V t70 = t64 + t69;
    const V t77 = select_gt(tiny<V>(), t22, splat<V>(S(0.0)), t70);
    const V t78 = splat<V>(S(0.5)) * t77;
    const V t79 = t78 / t27;
    const V t80 = u12 + t79;
    const V t81 = t29 * t80;
    const V t82 = u13 - t81;
    const V t83 = t82 / t28;
    const V t84 = t30 * u14;
    const V t85 = t59 - t84;
    const V t86 = t85 / u7;
    const V t87 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t83);
    const V t88 = t32 * t86;
    const V t89 = t30 * t87;
    const V t90 = t88 + t89;
    const V t91 = t33 * u15;
    const V t92 = u16 * t90;
    const V t93 = t91 + t92;
    const V t94 = -t93;
    y[0] = t94;
    y[1] = t59;
    y[2] = t70;
  }
};

// radam: update, vjp_vjp
template <class S, class V>
struct k_6e064461a7cd_vjp_vjp {
  static constexpr int inputs = 9, outputs = 6, scalars = 9, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    const double t26 = sqrt_(h[5]);
    const double t27 = h[7] * t26;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[3]);
    u[6] = S(t27);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[2] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t29 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t30 = sqrt_(t29);
    const V t31 = u5 + t30;
    const V t32 = u6 / t31;
    const V t33 = t20 / u7;
    const V t35 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t32);
    const V t36 = u9 * x[3];
    const V t38 = t33 * t36;
    const V t39 = -t38;
    const V t40 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t39);
    const V t43 = t40 / t31;
    const V t44 = t32 * t43;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t30;
    const V t48 = -t47;
    const V t49 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t48);
    const V t50 = x[5] + t49;
    const V t51 = u4 * t50;
    const V t63 = u0 * x[6];
    const V t65 = u1 * x[7];
    const V t67 = u2 * t63;
    const V t68 = t65 + t67;
    const V t69 = t63 + t63;
    const V t70 = t51 * t69;
    const V t71 = t15 * t69;
    const V t73 = u3 * x[8];
    const V t75 = u4 * t71;
    const V t76 = t73 + t75;
    const V t78 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t76);
    const V t80 = t78 / t30;
    const V t82 = t47 * t80;
    const V t84 = splat<V>(S(0.5)) * t80;
    const V t88 = t43 * t84;
    const V t90 = t32 * t84;
    const V t92 = t90 / t31;
    const V t93 = -t92;
    const V t94 = t43 * t92;
    const V t97 = t68 / u7;
    const V t102 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t93);
    const V t105 = t36 * t102;
    const V t107 = t33 * t102;
    const V t108 = -t107;
    const V t109 = t36 * t97;
    const V t110 = -t109;
    const V t111 = t35 * t97;
    const V t113 = t108 - t111;
    const V t115 = u9 * t113;
    const V t117 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t110);
    const V t118 = t117 - t88;
    const V t119 = t105 / u7;
    const V t124 = t118 / t31;
    const V t125 = t32 * t124;
    const V t127 = t94 - t125;
    const V t128 = t82 + t127;
    const V t129 = splat<V>(S(0.5)) * t128;
    const V t130 = t129 / t30;
    const V t132 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t130);
    const V t137 = u4 * t132;
    const V t143 = u3 * t132;
    const V t146 = t15 * t137;
    const V t147 = t70 + t146;
    const V t148 = t146 + t147;
    const V t149 = u2 * t119;
    const V t153 = t148 - t149;
    const V t158 = u1 * t119;
    const V t159 = -t158;
    const V t163 = u0 * t153;
    y[0] = t163;
    y[1] = t159;
    y[2] = t143;
    y[3] = t115;
    y[4] = t68;
    y[5] = t76;
  }
};

// radam: update, vjps_vjps
template <class S, class V>
struct k_6e064461a7cd_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 18, sums = 9, uniforms = 22;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    const double t26 = sqrt_(h[5]);
    const double t27 = h[7] * t26;
    const double t122 = h[14] / t26;
    const double t126 = double(0.5) * t122;
    const double t128 = h[7] * t126;
    const double t130 = t26 * h[16];
    const double t132 = t128 + t130;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t18);
    u[3] = S(h[2]);
    u[4] = S(t23);
    u[5] = S(h[3]);
    u[6] = S(t27);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
    u[10] = S(h[7]);
    u[11] = S(t26);
    u[12] = S(h[9]);
    u[13] = S(h[10]);
    u[14] = S(h[11]);
    u[15] = S(t122);
    u[16] = S(t126);
    u[17] = S(h[16]);
    u[18] = S(h[12]);
    u[19] = S(t132);
    u[20] = S(h[13]);
    u[21] = S(h[17]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V u18 = splat<V>(u[18]);
    const V u19 = splat<V>(u[19]);
    const V u20 = splat<V>(u[20]);
    const V u21 = splat<V>(u[21]);
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[2] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t29 = select_gt(tiny<V>(), t25, tiny<V>(), t25);
    const V t30 = sqrt_(t29);
    const V t31 = u5 + t30;
    const V t32 = u6 / t31;
    const V t33 = t20 / u7;
    const V t35 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t32);
    const V t36 = t33 * t35;
    const V t39 = u9 * x[3];
    const V t40 = t35 * t39;
    const V t41 = t33 * t39;
    const V t42 = -t41;
    const V t43 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t42);
    const V t44 = t40 / u7;
    const V t46 = x[4] - t44;
    const V t47 = t43 / t31;
    const V t48 = t32 * t47;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t52 = t51 / t30;
    const V t53 = -t52;
    const V t54 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t53);
    const V t55 = x[5] + t54;
    const V t57 = u10 * t47;
    const V t58 = splat<V>(S(0.5)) * t57;
    const V t59 = t58 / u11;
    const V t60 = u4 * t55;
    const V t65 = t15 * t60;
    const V t66 = t65 + t65;
    const V t67 = u2 * t46;
    const V t69 = t66 + t67;
    const V t87 = t69 * u12;
    const V t88 = x[0] * u12;
    const V t89 = t69 * x[6];
    const V t90 = u0 * x[6];
    const V t91 = t88 + t90;
    const V t93 = t46 * u13;
    const V t94 = x[1] * u13;
    const V t95 = t46 * x[7];
    const V t96 = u1 * x[7];
    const V t97 = t94 + t96;
    const V t99 = t15 * u13;
    const V t101 = t97 - t99;
    const V t102 = t46 * t91;
    const V t103 = u2 * t91;
    const V t104 = t101 + t103;
    const V t105 = t91 + t91;
    const V t106 = t60 * t105;
    const V t107 = t15 * t105;
    const V t108 = t106 - t93;
    const V t110 = t55 * u14;
    const V t111 = x[2] * u14;
    const V t112 = t55 * x[8];
    const V t113 = u3 * x[8];
    const V t114 = t111 + t113;
    const V t116 = t21 * u14;
    const V t118 = t114 - t116;
    const V t119 = t55 * t107;
    const V t120 = u4 * t107;
    const V t121 = t118 + t120;
    const V t123 = t59 * u15;
    const V t127 = t47 * u16;
    const V t129 = t47 * u17;
    const V t131 = t129 - t123;
    const V t134 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t121);
    const V t137 = t134 / t30;
    const V t139 = t52 * t137;
    const V t141 = splat<V>(S(0.5)) * t137;
    const V t142 = -t141;
    const V t147 = t142 - u18;
    const V t148 = t47 * t147;
    const V t149 = t32 * t147;
    const V t150 = u19 + t149;
    const V t151 = t150 / t31;
    const V t152 = t47 * t151;
    const V t153 = -t152;
    const V t155 = t44 * u20;
    const V t156 = t33 * u20;
    const V t157 = t156 - t104;
    const V t158 = t157 / u7;
    const V t159 = t44 * t158;
    const V t160 = -t159;
    const V t162 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t151);
    const V t165 = t39 * t162;
    const V t167 = t33 * t162;
    const V t169 = t155 - t165;
    const V t170 = t39 * t158;
    const V t171 = t35 * t158;
    const V t172 = t171 - t167;
    const V t173 = x[3] * t172;
    const V t174 = u9 * t172;
    const V t176 = x[3] * u21;
    const V t178 = t36 * u21;
    const V t180 = t174 - t178;
    const V t181 = t35 * t176;
    const V t183 = t33 * t176;
    const V t185 = t169 - t181;
    const V t186 = t170 - t183;
    const V t188 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t186);
    const V t189 = t148 + t188;
    const V t190 = t185 / u7;
    const V t191 = t33 * t190;
    const V t193 = t160 - t191;
    const V t194 = t189 / t31;
    const V t195 = t32 * t194;
    const V t197 = t153 - t195;
    const V t198 = t139 + t197;
    const V t199 = splat<V>(S(0.5)) * t198;
    const V t200 = t199 / t30;
    const V t202 = select_gt(tiny<V>(), t25, splat<V>(S(0.0)), t200);
    const V t203 = u11 * t194;
    const V t204 = u10 * t194;
    const V t205 = t127 + t203;
    const V t206 = t131 + t204;
    const V t207 = splat<V>(S(0.5)) * t206;
    const V t208 = t207 / u11;
    const V t209 = u4 * t202;
    const V t210 = t21 * t202;
    const V t211 = t209 - t110;
    const V t212 = t119 + t210;
    const V t215 = t112 - t212;
    const V t216 = u3 * t202;
    const V t217 = x[2] * t202;
    const V t218 = t110 + t216;
    const V t219 = t215 + t217;
    const V t220 = t15 * t211;
    const V t221 = t108 + t220;
    const V t222 = t220 + t221;
    const V t223 = u2 * t190;
    const V t224 = t15 * t190;
    const V t225 = t222 + t223;
    const V t226 = t102 + t224;
    const V t229 = t95 - t226;
    const V t230 = u1 * t190;
    const V t231 = x[1] * t190;
    const V t232 = t93 + t230;
    const V t233 = t229 + t231;
    const V t234 = u0 * t225;
    const V t235 = x[0] * t225;
    const V t236 = t87 + t234;
    const V t237 = t89 + t235;
    y[0] = t236;
    y[1] = t232;
    y[2] = t218;
    y[3] = t180;
    y[4] = t104;
    y[5] = t121;
    y[6] = t237;
    y[7] = t233;
    y[8] = t219;
    y[9] = t197;
    y[10] = t193;
    y[11] = t208;
    y[12] = splat<V>(S(0.0));
    y[13] = t205;
    y[14] = t173;
  }
};

// radam: parameters, forward
template <class S, class V>
struct k_3783ba5df1c8_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 9, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    const double t25 = sqrt_(h[5]);
    const double t26 = h[7] * t25;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[3]);
    u[6] = S(t26);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t28 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t29 = sqrt_(t28);
    const V t30 = u5 + t29;
    const V t31 = u6 / t30;
    const V t32 = t18 / u7;
    const V t34 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t31);
    const V t35 = t32 * t34;
    const V t37 = u9 * t35;
    const V t39 = x[1] - t37;
    y[0] = t39;
    y[1] = t18;
    y[2] = t23;
  }
};

// radam: parameters, vjp
template <class S, class V>
struct k_3783ba5df1c8_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 9, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    const double t24 = sqrt_(h[5]);
    const double t25 = h[7] * t24;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[3]);
    u[6] = S(t25);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t27 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t28 = sqrt_(t27);
    const V t29 = u5 + t28;
    const V t30 = u6 / t29;
    const V t31 = t18 / u7;
    const V t33 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t30);
    const V t43 = u9 * x[4];
    const V t45 = t33 * t43;
    const V t47 = t31 * t43;
    const V t48 = -t47;
    const V t50 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t48);
    const V t51 = t45 / u7;
    const V t55 = x[5] - t51;
    const V t56 = t50 / t29;
    const V t57 = t30 * t56;
    const V t60 = t57 * splat<V>(S(0.5));
    const V t62 = t60 / t28;
    const V t63 = -t62;
    const V t65 = select_gt(tiny<V>(), t23, splat<V>(S(0.0)), t63);
    const V t66 = x[6] + t65;
    const V t71 = u4 * t66;
    const V t75 = u3 * t66;
    const V t78 = t13 * t71;
    const V t79 = t78 + t78;
    const V t80 = u2 * t55;
    const V t82 = t79 + t80;
    const V t85 = u1 * t55;
    const V t88 = u0 * t82;
    y[0] = t88;
    y[1] = x[4];
    y[2] = t85;
    y[3] = t75;
  }
};

// radam: parameters, vjps
template <class S, class V>
struct k_3783ba5df1c8_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 9, sums = 9, uniforms = 12;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    const double t24 = sqrt_(h[5]);
    const double t25 = h[7] * t24;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[3]);
    u[6] = S(t25);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
    u[10] = S(t24);
    u[11] = S(h[7]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t27 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t28 = sqrt_(t27);
    const V t29 = u5 + t28;
    const V t30 = u6 / t29;
    const V t31 = t18 / u7;
    const V t33 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t30);
    const V t34 = t31 * t33;
    const V t41 = t34 * x[4];
    const V t42 = -t41;
    const V t43 = u9 * x[4];
    const V t45 = t33 * t43;
    const V t47 = t31 * t43;
    const V t48 = -t47;
    const V t50 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t48);
    const V t51 = t45 / u7;
    const V t53 = t31 * t51;
    const V t55 = x[5] - t51;
    const V t56 = t50 / t29;
    const V t57 = t30 * t56;
    const V t58 = -t57;
    const V t60 = t57 * splat<V>(S(0.5));
    const V t62 = t60 / t28;
    const V t63 = -t62;
    const V t65 = select_gt(tiny<V>(), t23, splat<V>(S(0.0)), t63);
    const V t66 = x[6] + t65;
    const V t67 = u10 * t56;
    const V t68 = u11 * t56;
    const V t69 = splat<V>(S(0.5)) * t68;
    const V t70 = t69 / u10;
    const V t71 = u4 * t66;
    const V t72 = t19 * t66;
    const V t75 = u3 * t66;
    const V t76 = x[3] * t66;
    const V t77 = t76 - t72;
    const V t78 = t13 * t71;
    const V t79 = t78 + t78;
    const V t80 = u2 * t55;
    const V t81 = t13 * t55;
    const V t82 = t79 + t80;
    const V t85 = u1 * t55;
    const V t86 = x[2] * t55;
    const V t87 = t86 - t81;
    const V t88 = u0 * t82;
    const V t89 = x[0] * t82;
    y[0] = t88;
    y[1] = x[4];
    y[2] = t85;
    y[3] = t75;
    y[4] = t89;
    y[5] = t87;
    y[6] = t77;
    y[7] = t58;
    y[8] = t53;
    y[9] = t70;
    y[10] = splat<V>(S(0.0));
    y[11] = t67;
    y[12] = t42;
  }
};

// radam: parameters, jvp
template <class S, class V>
struct k_3783ba5df1c8_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 18, sums = 0, uniforms = 17;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    const double t24 = sqrt_(h[5]);
    const double t25 = h[7] * t24;
    const double t74 = h[14] * double(0.5);
    const double t75 = t74 / t24;
    const double t76 = t24 * h[16];
    const double t77 = h[7] * t75;
    const double t78 = t76 + t77;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t16);
    u[3] = S(h[2]);
    u[4] = S(t21);
    u[5] = S(h[3]);
    u[6] = S(t25);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[9]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(t78);
    u[14] = S(h[13]);
    u[15] = S(h[17]);
    u[16] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V t13 = x[0] * u0;
    const V t14 = x[2] * u1;
    const V t17 = t13 * u2;
    const V t18 = t14 + t17;
    const V t19 = t13 * t13;
    const V t20 = x[3] * u3;
    const V t22 = t19 * u4;
    const V t23 = t20 + t22;
    const V t27 = select_gt(tiny<V>(), t23, tiny<V>(), t23);
    const V t28 = sqrt_(t27);
    const V t29 = u5 + t28;
    const V t30 = u6 / t29;
    const V t31 = t18 / u7;
    const V t33 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t30);
    const V t34 = t31 * t33;
    const V t50 = u0 * x[4];
    const V t51 = x[0] * u9;
    const V t52 = t50 + t51;
    const V t53 = u1 * x[6];
    const V t54 = x[2] * u10;
    const V t55 = t53 + t54;
    const V t57 = u2 * t52;
    const V t58 = t13 * u10;
    const V t60 = t57 - t58;
    const V t61 = t55 + t60;
    const V t62 = t13 * t52;
    const V t63 = t62 + t62;
    const V t64 = u3 * x[7];
    const V t65 = x[3] * u11;
    const V t66 = t64 + t65;
    const V t68 = u4 * t63;
    const V t69 = t19 * u11;
    const V t71 = t68 - t69;
    const V t72 = t66 + t71;
    const V t79 = select_gt(tiny<V>(), t23, splat<V>(S(0.0)), t72);
    const V t80 = splat<V>(S(0.5)) * t79;
    const V t81 = t80 / t28;
    const V t82 = u12 + t81;
    const V t83 = t30 * t82;
    const V t84 = u13 - t83;
    const V t85 = t84 / t29;
    const V t86 = t31 * u14;
    const V t87 = t61 - t86;
    const V t88 = t87 / u7;
    const V t89 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t85);
    const V t90 = t33 * t88;
    const V t91 = t31 * t89;
    const V t92 = t90 + t91;
    const V t93 = t34 * u15;
    const V t94 = u16 * t92;
    const V t95 = t93 + t94;
    const V t96 = x[5] - t95;
    y[0] = t96;
    y[1] = t61;
    y[2] = t72;
  }
};

// radam: parameters, vjp_vjp
template <class S, class V>
struct k_3783ba5df1c8_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 9, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[1];
    const double t24 = double(1.0) - h[2];
    const double t27 = sqrt_(h[5]);
    const double t28 = h[7] * t27;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
    u[3] = S(h[2]);
    u[4] = S(t24);
    u[5] = S(h[3]);
    u[6] = S(t28);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V t16 = x[0] * u0;
    const V t17 = x[2] * u1;
    const V t20 = t16 * u2;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u3;
    const V t25 = t22 * u4;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u5 + t31;
    const V t33 = u6 / t32;
    const V t34 = t21 / u7;
    const V t36 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t37 = u9 * x[4];
    const V t39 = t34 * t37;
    const V t40 = -t39;
    const V t41 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t40);
    const V t44 = t41 / t32;
    const V t45 = t33 * t44;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t31;
    const V t49 = -t48;
    const V t50 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t49);
    const V t51 = x[6] + t50;
    const V t52 = u4 * t51;
    const V t65 = u0 * x[7];
    const V t67 = u1 * x[9];
    const V t69 = u2 * t65;
    const V t70 = t67 + t69;
    const V t71 = t65 + t65;
    const V t72 = t52 * t71;
    const V t73 = t16 * t71;
    const V t75 = u3 * x[10];
    const V t77 = u4 * t73;
    const V t78 = t75 + t77;
    const V t80 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t78);
    const V t82 = t80 / t31;
    const V t84 = t48 * t82;
    const V t86 = splat<V>(S(0.5)) * t82;
    const V t90 = t44 * t86;
    const V t92 = t33 * t86;
    const V t94 = t92 / t32;
    const V t95 = -t94;
    const V t96 = t44 * t94;
    const V t99 = t70 / u7;
    const V t104 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t95);
    const V t107 = t37 * t104;
    const V t109 = t34 * t104;
    const V t110 = -t109;
    const V t111 = t37 * t99;
    const V t112 = -t111;
    const V t113 = t36 * t99;
    const V t115 = t110 - t113;
    const V t117 = u9 * t115;
    const V t118 = x[8] + t117;
    const V t120 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t112);
    const V t121 = t120 - t90;
    const V t122 = t107 / u7;
    const V t127 = t121 / t32;
    const V t128 = t33 * t127;
    const V t130 = t96 - t128;
    const V t131 = t84 + t130;
    const V t132 = splat<V>(S(0.5)) * t131;
    const V t133 = t132 / t31;
    const V t135 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t133);
    const V t140 = u4 * t135;
    const V t146 = u3 * t135;
    const V t149 = t16 * t140;
    const V t150 = t72 + t149;
    const V t151 = t149 + t150;
    const V t152 = u2 * t122;
    const V t156 = t151 - t152;
    const V t161 = u1 * t122;
    const V t162 = -t161;
    const V t166 = u0 * t156;
    y[0] = t166;
    y[1] = splat<V>(S(0.0));
    y[2] = t162;
    y[3] = t146;
    y[4] = t118;
    y[5] = t70;
    y[6] = t78;
  }
};

// radam: parameters, vjps_vjps
template <class S, class V>
struct k_3783ba5df1c8_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 18, sums = 9, uniforms = 22;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[1];
    const double t24 = double(1.0) - h[2];
    const double t27 = sqrt_(h[5]);
    const double t28 = h[7] * t27;
    const double t124 = h[14] / t27;
    const double t128 = double(0.5) * t124;
    const double t130 = h[7] * t128;
    const double t132 = t27 * h[16];
    const double t134 = t130 + t132;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
    u[3] = S(h[2]);
    u[4] = S(t24);
    u[5] = S(h[3]);
    u[6] = S(t28);
    u[7] = S(h[4]);
    u[8] = S(h[6]);
    u[9] = S(h[8]);
    u[10] = S(h[7]);
    u[11] = S(t27);
    u[12] = S(h[9]);
    u[13] = S(h[10]);
    u[14] = S(h[11]);
    u[15] = S(t124);
    u[16] = S(t128);
    u[17] = S(h[16]);
    u[18] = S(h[12]);
    u[19] = S(t134);
    u[20] = S(h[13]);
    u[21] = S(h[17]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V u18 = splat<V>(u[18]);
    const V u19 = splat<V>(u[19]);
    const V u20 = splat<V>(u[20]);
    const V u21 = splat<V>(u[21]);
    const V t16 = x[0] * u0;
    const V t17 = x[2] * u1;
    const V t20 = t16 * u2;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u3;
    const V t25 = t22 * u4;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u5 + t31;
    const V t33 = u6 / t32;
    const V t34 = t21 / u7;
    const V t36 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t37 = t34 * t36;
    const V t40 = u9 * x[4];
    const V t41 = t36 * t40;
    const V t42 = t34 * t40;
    const V t43 = -t42;
    const V t44 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t43);
    const V t45 = t41 / u7;
    const V t47 = x[5] - t45;
    const V t48 = t44 / t32;
    const V t49 = t33 * t48;
    const V t52 = t49 * splat<V>(S(0.5));
    const V t53 = t52 / t31;
    const V t54 = -t53;
    const V t55 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t54);
    const V t56 = x[6] + t55;
    const V t58 = u10 * t48;
    const V t59 = splat<V>(S(0.5)) * t58;
    const V t60 = t59 / u11;
    const V t61 = u4 * t56;
    const V t66 = t16 * t61;
    const V t67 = t66 + t66;
    const V t68 = u2 * t47;
    const V t70 = t67 + t68;
    const V t89 = t70 * u12;
    const V t90 = x[0] * u12;
    const V t91 = t70 * x[7];
    const V t92 = u0 * x[7];
    const V t93 = t90 + t92;
    const V t95 = t47 * u13;
    const V t96 = x[2] * u13;
    const V t97 = t47 * x[9];
    const V t98 = u1 * x[9];
    const V t99 = t96 + t98;
    const V t101 = t16 * u13;
    const V t103 = t99 - t101;
    const V t104 = t47 * t93;
    const V t105 = u2 * t93;
    const V t106 = t103 + t105;
    const V t107 = t93 + t93;
    const V t108 = t61 * t107;
    const V t109 = t16 * t107;
    const V t110 = t108 - t95;
    const V t112 = t56 * u14;
    const V t113 = x[3] * u14;
    const V t114 = t56 * x[10];
    const V t115 = u3 * x[10];
    const V t116 = t113 + t115;
    const V t118 = t22 * u14;
    const V t120 = t116 - t118;
    const V t121 = t56 * t109;
    const V t122 = u4 * t109;
    const V t123 = t120 + t122;
    const V t125 = t60 * u15;
    const V t129 = t48 * u16;
    const V t131 = t48 * u17;
    const V t133 = t131 - t125;
    const V t136 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t123);
    const V t139 = t136 / t31;
    const V t141 = t53 * t139;
    const V t143 = splat<V>(S(0.5)) * t139;
    const V t144 = -t143;
    const V t149 = t144 - u18;
    const V t150 = t48 * t149;
    const V t151 = t33 * t149;
    const V t152 = u19 + t151;
    const V t153 = t152 / t32;
    const V t154 = t48 * t153;
    const V t155 = -t154;
    const V t157 = t45 * u20;
    const V t158 = t34 * u20;
    const V t159 = t158 - t106;
    const V t160 = t159 / u7;
    const V t161 = t45 * t160;
    const V t162 = -t161;
    const V t164 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t153);
    const V t167 = t40 * t164;
    const V t169 = t34 * t164;
    const V t171 = t157 - t167;
    const V t172 = t40 * t160;
    const V t173 = t36 * t160;
    const V t174 = t173 - t169;
    const V t175 = x[4] * t174;
    const V t176 = u9 * t174;
    const V t177 = x[8] + t176;
    const V t179 = x[4] * u21;
    const V t181 = t37 * u21;
    const V t183 = t177 - t181;
    const V t184 = t36 * t179;
    const V t186 = t34 * t179;
    const V t188 = t171 - t184;
    const V t189 = t172 - t186;
    const V t191 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t189);
    const V t192 = t150 + t191;
    const V t193 = t188 / u7;
    const V t194 = t34 * t193;
    const V t196 = t162 - t194;
    const V t197 = t192 / t32;
    const V t198 = t33 * t197;
    const V t200 = t155 - t198;
    const V t201 = t141 + t200;
    const V t202 = splat<V>(S(0.5)) * t201;
    const V t203 = t202 / t31;
    const V t205 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t203);
    const V t206 = u11 * t197;
    const V t207 = u10 * t197;
    const V t208 = t129 + t206;
    const V t209 = t133 + t207;
    const V t210 = splat<V>(S(0.5)) * t209;
    const V t211 = t210 / u11;
    const V t212 = u4 * t205;
    const V t213 = t22 * t205;
    const V t214 = t212 - t112;
    const V t215 = t121 + t213;
    const V t218 = t114 - t215;
    const V t219 = u3 * t205;
    const V t220 = x[3] * t205;
    const V t221 = t112 + t219;
    const V t222 = t218 + t220;
    const V t223 = t16 * t214;
    const V t224 = t110 + t223;
    const V t225 = t223 + t224;
    const V t226 = u2 * t193;
    const V t227 = t16 * t193;
    const V t228 = t225 + t226;
    const V t229 = t104 + t227;
    const V t232 = t97 - t229;
    const V t233 = u1 * t193;
    const V t234 = x[2] * t193;
    const V t235 = t95 + t233;
    const V t236 = t232 + t234;
    const V t237 = u0 * t228;
    const V t238 = x[0] * t228;
    const V t239 = t89 + t237;
    const V t240 = t91 + t238;
    y[0] = t239;
    y[1] = splat<V>(S(0.0));
    y[2] = t235;
    y[3] = t221;
    y[4] = t183;
    y[5] = t106;
    y[6] = t123;
    y[7] = t240;
    y[8] = t236;
    y[9] = t222;
    y[10] = t200;
    y[11] = t196;
    y[12] = t211;
    y[13] = splat<V>(S(0.0));
    y[14] = t208;
    y[15] = t175;
  }
};

// radam, weight decay: update, forward
template <class S, class V>
struct k_d17d682ab494_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t28 = sqrt_(h[6]);
    const double t29 = h[8] * t28;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t29);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t32 = sqrt_(t31);
    const V t33 = u6 + t32;
    const V t34 = u7 / t33;
    const V t35 = t21 / u8;
    const V t37 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t34);
    const V t38 = t35 * t37;
    const V t40 = u10 * t38;
    const V t41 = -t40;
    y[0] = t41;
    y[1] = t21;
    y[2] = t26;
  }
};

// radam, weight decay: update, vjp
template <class S, class V>
struct k_d17d682ab494_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t28);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u6 + t31;
    const V t33 = u7 / t32;
    const V t34 = t21 / u8;
    const V t36 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t46 = u10 * x[4];
    const V t48 = t36 * t46;
    const V t50 = t34 * t46;
    const V t51 = -t50;
    const V t53 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t51);
    const V t54 = t48 / u8;
    const V t58 = x[5] - t54;
    const V t59 = t53 / t32;
    const V t60 = t33 * t59;
    const V t63 = t60 * splat<V>(S(0.5));
    const V t65 = t63 / t31;
    const V t66 = -t65;
    const V t68 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t66);
    const V t69 = x[6] + t68;
    const V t74 = u5 * t69;
    const V t78 = u4 * t69;
    const V t81 = t16 * t74;
    const V t82 = t81 + t81;
    const V t83 = u3 * t58;
    const V t85 = t82 + t83;
    const V t88 = u2 * t58;
    const V t91 = u1 * t85;
    const V t93 = u0 * t85;
    y[0] = t93;
    y[1] = t91;
    y[2] = t88;
    y[3] = t78;
  }
};

// radam, weight decay: update, vjps
template <class S, class V>
struct k_d17d682ab494_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 10, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t28);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
    u[11] = S(t27);
    u[12] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u6 + t31;
    const V t33 = u7 / t32;
    const V t34 = t21 / u8;
    const V t36 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t37 = t34 * t36;
    const V t44 = t37 * x[4];
    const V t45 = -t44;
    const V t46 = u10 * x[4];
    const V t48 = t36 * t46;
    const V t50 = t34 * t46;
    const V t51 = -t50;
    const V t53 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t51);
    const V t54 = t48 / u8;
    const V t56 = t34 * t54;
    const V t58 = x[5] - t54;
    const V t59 = t53 / t32;
    const V t60 = t33 * t59;
    const V t61 = -t60;
    const V t63 = t60 * splat<V>(S(0.5));
    const V t65 = t63 / t31;
    const V t66 = -t65;
    const V t68 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t66);
    const V t69 = x[6] + t68;
    const V t70 = u11 * t59;
    const V t71 = u12 * t59;
    const V t72 = splat<V>(S(0.5)) * t71;
    const V t73 = t72 / u11;
    const V t74 = u5 * t69;
    const V t75 = t22 * t69;
    const V t78 = u4 * t69;
    const V t79 = x[3] * t69;
    const V t80 = t79 - t75;
    const V t81 = t16 * t74;
    const V t82 = t81 + t81;
    const V t83 = u3 * t58;
    const V t84 = t16 * t58;
    const V t85 = t82 + t83;
    const V t88 = u2 * t58;
    const V t89 = x[2] * t58;
    const V t90 = t89 - t84;
    const V t91 = u1 * t85;
    const V t92 = x[1] * t85;
    const V t93 = u0 * t85;
    const V t94 = x[0] * t85;
    y[0] = t93;
    y[1] = t91;
    y[2] = t88;
    y[3] = t78;
    y[4] = t94;
    y[5] = t92;
    y[6] = t90;
    y[7] = t80;
    y[8] = t61;
    y[9] = t56;
    y[10] = t73;
    y[11] = splat<V>(S(0.0));
    y[12] = t70;
    y[13] = t45;
  }
};

// radam, weight decay: update, jvp
template <class S, class V>
struct k_d17d682ab494_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 19;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    const double t82 = h[16] * double(0.5);
    const double t83 = t82 / t27;
    const double t84 = t27 * h[18];
    const double t85 = h[8] * t83;
    const double t86 = t84 + t85;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t28);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[14]);
    u[15] = S(t86);
    u[16] = S(h[15]);
    u[17] = S(h[19]);
    u[18] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V u18 = splat<V>(u[18]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u6 + t31;
    const V t33 = u7 / t32;
    const V t34 = t21 / u8;
    const V t36 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t37 = t34 * t36;
    const V t54 = u0 * x[4];
    const V t55 = x[0] * u10;
    const V t56 = t54 + t55;
    const V t57 = u1 * x[5];
    const V t58 = x[1] * u11;
    const V t59 = t57 + t58;
    const V t60 = t56 + t59;
    const V t61 = u2 * x[6];
    const V t62 = x[2] * u12;
    const V t63 = t61 + t62;
    const V t65 = u3 * t60;
    const V t66 = t16 * u12;
    const V t68 = t65 - t66;
    const V t69 = t63 + t68;
    const V t70 = t16 * t60;
    const V t71 = t70 + t70;
    const V t72 = u4 * x[7];
    const V t73 = x[3] * u13;
    const V t74 = t72 + t73;
    const V t76 = u5 * t71;
    const V t77 = t22 * u13;
    const V t79 = t76 - t77;
    const V t80 = t74 + t79;
    const V t87 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t80);
    const V t88 = splat<V>(S(0.5)) * t87;
    const V t89 = t88 / t31;
    const V t90 = u14 + t89;
    const V t91 = t33 * t90;
    const V t92 = u15 - t91;
    const V t93 = t92 / t32;
    const V t94 = t34 * u16;
    const V t95 = t69 - t94;
    const V t96 = t95 / u8;
    const V t97 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t93);
    const V t98 = t36 * t96;
    const V t99 = t34 * t97;
    const V t100 = t98 + t99;
    const V t101 = t37 * u17;
    const V t102 = u18 * t100;
    const V t103 = t101 + t102;
    const V t104 = -t103;
    y[0] = t104;
    y[1] = t69;
    y[2] = t80;
  }
};

// radam, weight decay: update, vjp_vjp
template <class S, class V>
struct k_d17d682ab494_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    const double t30 = sqrt_(h[6]);
    const double t31 = h[8] * t30;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[4]);
    u[7] = S(t31);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t33 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t34 = sqrt_(t33);
    const V t35 = u6 + t34;
    const V t36 = u7 / t35;
    const V t37 = t24 / u8;
    const V t39 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t36);
    const V t40 = u10 * x[4];
    const V t42 = t37 * t40;
    const V t43 = -t42;
    const V t44 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t43);
    const V t47 = t44 / t35;
    const V t48 = t36 * t47;
    const V t50 = t48 * splat<V>(S(0.5));
    const V t51 = t50 / t34;
    const V t52 = -t51;
    const V t53 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t52);
    const V t54 = x[6] + t53;
    const V t55 = u5 * t54;
    const V t69 = u0 * x[7];
    const V t71 = u1 * x[8];
    const V t72 = t69 + t71;
    const V t74 = u2 * x[9];
    const V t76 = u3 * t72;
    const V t77 = t74 + t76;
    const V t78 = t72 + t72;
    const V t79 = t55 * t78;
    const V t80 = t19 * t78;
    const V t82 = u4 * x[10];
    const V t84 = u5 * t80;
    const V t85 = t82 + t84;
    const V t87 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t85);
    const V t89 = t87 / t34;
    const V t91 = t51 * t89;
    const V t93 = splat<V>(S(0.5)) * t89;
    const V t97 = t47 * t93;
    const V t99 = t36 * t93;
    const V t101 = t99 / t35;
    const V t102 = -t101;
    const V t103 = t47 * t101;
    const V t106 = t77 / u8;
    const V t111 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t102);
    const V t114 = t40 * t111;
    const V t116 = t37 * t111;
    const V t117 = -t116;
    const V t118 = t40 * t106;
    const V t119 = -t118;
    const V t120 = t39 * t106;
    const V t122 = t117 - t120;
    const V t124 = u10 * t122;
    const V t126 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t119);
    const V t127 = t126 - t97;
    const V t128 = t114 / u8;
    const V t133 = t127 / t35;
    const V t134 = t36 * t133;
    const V t136 = t103 - t134;
    const V t137 = t91 + t136;
    const V t138 = splat<V>(S(0.5)) * t137;
    const V t139 = t138 / t34;
    const V t141 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t139);
    const V t146 = u5 * t141;
    const V t152 = u4 * t141;
    const V t155 = t19 * t146;
    const V t156 = t79 + t155;
    const V t157 = t155 + t156;
    const V t158 = u3 * t128;
    const V t162 = t157 - t158;
    const V t167 = u2 * t128;
    const V t168 = -t167;
    const V t172 = u1 * t162;
    const V t175 = u0 * t162;
    y[0] = t175;
    y[1] = t172;
    y[2] = t168;
    y[3] = t152;
    y[4] = t124;
    y[5] = t77;
    y[6] = t85;
  }
};

// radam, weight decay: update, vjps_vjps
template <class S, class V>
struct k_d17d682ab494_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 24;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    const double t30 = sqrt_(h[6]);
    const double t31 = h[8] * t30;
    const double t136 = h[16] / t30;
    const double t140 = double(0.5) * t136;
    const double t142 = h[8] * t140;
    const double t144 = t30 * h[18];
    const double t146 = t142 + t144;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[4]);
    u[7] = S(t31);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
    u[11] = S(h[8]);
    u[12] = S(t30);
    u[13] = S(h[10]);
    u[14] = S(h[11]);
    u[15] = S(h[12]);
    u[16] = S(h[13]);
    u[17] = S(t136);
    u[18] = S(t140);
    u[19] = S(h[18]);
    u[20] = S(h[14]);
    u[21] = S(t146);
    u[22] = S(h[15]);
    u[23] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V u18 = splat<V>(u[18]);
    const V u19 = splat<V>(u[19]);
    const V u20 = splat<V>(u[20]);
    const V u21 = splat<V>(u[21]);
    const V u22 = splat<V>(u[22]);
    const V u23 = splat<V>(u[23]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t33 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t34 = sqrt_(t33);
    const V t35 = u6 + t34;
    const V t36 = u7 / t35;
    const V t37 = t24 / u8;
    const V t39 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t36);
    const V t40 = t37 * t39;
    const V t43 = u10 * x[4];
    const V t44 = t39 * t43;
    const V t45 = t37 * t43;
    const V t46 = -t45;
    const V t47 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t46);
    const V t48 = t44 / u8;
    const V t50 = x[5] - t48;
    const V t51 = t47 / t35;
    const V t52 = t36 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t56 = t55 / t34;
    const V t57 = -t56;
    const V t58 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t57);
    const V t59 = x[6] + t58;
    const V t61 = u11 * t51;
    const V t62 = splat<V>(S(0.5)) * t61;
    const V t63 = t62 / u12;
    const V t64 = u5 * t59;
    const V t69 = t19 * t64;
    const V t70 = t69 + t69;
    const V t71 = u3 * t50;
    const V t73 = t70 + t71;
    const V t95 = t73 * u13;
    const V t96 = x[0] * u13;
    const V t97 = t73 * x[7];
    const V t98 = u0 * x[7];
    const V t99 = t96 + t98;
    const V t100 = t73 * u14;
    const V t101 = x[1] * u14;
    const V t102 = t99 + t101;
    const V t103 = t73 * x[8];
    const V t104 = u1 * x[8];
    const V t105 = t102 + t104;
    const V t107 = t50 * u15;
    const V t108 = x[2] * u15;
    const V t109 = t50 * x[9];
    const V t110 = u2 * x[9];
    const V t111 = t108 + t110;
    const V t113 = t19 * u15;
    const V t115 = t111 - t113;
    const V t116 = t50 * t105;
    const V t117 = u3 * t105;
    const V t118 = t115 + t117;
    const V t119 = t105 + t105;
    const V t120 = t64 * t119;
    const V t121 = t19 * t119;
    const V t122 = t120 - t107;
    const V t124 = t59 * u16;
    const V t125 = x[3] * u16;
    const V t126 = t59 * x[10];
    const V t127 = u4 * x[10];
    const V t128 = t125 + t127;
    const V t130 = t25 * u16;
    const V t132 = t128 - t130;
    const V t133 = t59 * t121;
    const V t134 = u5 * t121;
    const V t135 = t132 + t134;
    const V t137 = t63 * u17;
    const V t141 = t51 * u18;
    const V t143 = t51 * u19;
    const V t145 = t143 - t137;
    const V t148 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t135);
    const V t151 = t148 / t34;
    const V t153 = t56 * t151;
    const V t155 = splat<V>(S(0.5)) * t151;
    const V t156 = -t155;
    const V t161 = t156 - u20;
    const V t162 = t51 * t161;
    const V t163 = t36 * t161;
    const V t164 = u21 + t163;
    const V t165 = t164 / t35;
    const V t166 = t51 * t165;
    const V t167 = -t166;
    const V t169 = t48 * u22;
    const V t170 = t37 * u22;
    const V t171 = t170 - t118;
    const V t172 = t171 / u8;
    const V t173 = t48 * t172;
    const V t174 = -t173;
    const V t176 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t165);
    const V t179 = t43 * t176;
    const V t181 = t37 * t176;
    const V t183 = t169 - t179;
    const V t184 = t43 * t172;
    const V t185 = t39 * t172;
    const V t186 = t185 - t181;
    const V t187 = x[4] * t186;
    const V t188 = u10 * t186;
    const V t190 = x[4] * u23;
    const V t192 = t40 * u23;
    const V t194 = t188 - t192;
    const V t195 = t39 * t190;
    const V t197 = t37 * t190;
    const V t199 = t183 - t195;
    const V t200 = t184 - t197;
    const V t202 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t200);
    const V t203 = t162 + t202;
    const V t204 = t199 / u8;
    const V t205 = t37 * t204;
    const V t207 = t174 - t205;
    const V t208 = t203 / t35;
    const V t209 = t36 * t208;
    const V t211 = t167 - t209;
    const V t212 = t153 + t211;
    const V t213 = splat<V>(S(0.5)) * t212;
    const V t214 = t213 / t34;
    const V t216 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t214);
    const V t217 = u12 * t208;
    const V t218 = u11 * t208;
    const V t219 = t141 + t217;
    const V t220 = t145 + t218;
    const V t221 = splat<V>(S(0.5)) * t220;
    const V t222 = t221 / u12;
    const V t223 = u5 * t216;
    const V t224 = t25 * t216;
    const V t225 = t223 - t124;
    const V t226 = t133 + t224;
    const V t229 = t126 - t226;
    const V t230 = u4 * t216;
    const V t231 = x[3] * t216;
    const V t232 = t124 + t230;
    const V t233 = t229 + t231;
    const V t234 = t19 * t225;
    const V t235 = t122 + t234;
    const V t236 = t234 + t235;
    const V t237 = u3 * t204;
    const V t238 = t19 * t204;
    const V t239 = t236 + t237;
    const V t240 = t116 + t238;
    const V t243 = t109 - t240;
    const V t244 = u2 * t204;
    const V t245 = x[2] * t204;
    const V t246 = t107 + t244;
    const V t247 = t243 + t245;
    const V t248 = u1 * t239;
    const V t249 = x[1] * t239;
    const V t250 = t100 + t248;
    const V t251 = t103 + t249;
    const V t252 = u0 * t239;
    const V t253 = x[0] * t239;
    const V t254 = t95 + t252;
    const V t255 = t97 + t253;
    y[0] = t254;
    y[1] = t250;
    y[2] = t246;
    y[3] = t232;
    y[4] = t194;
    y[5] = t118;
    y[6] = t135;
    y[7] = t255;
    y[8] = t251;
    y[9] = t247;
    y[10] = t233;
    y[11] = t211;
    y[12] = t207;
    y[13] = t222;
    y[14] = splat<V>(S(0.0));
    y[15] = t219;
    y[16] = t187;
  }
};

// radam, weight decay: parameters, forward
template <class S, class V>
struct k_b3ba9dbef460_forward {
  static constexpr int inputs = 4, outputs = 3, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t28 = sqrt_(h[6]);
    const double t29 = h[8] * t28;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t29);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t32 = sqrt_(t31);
    const V t33 = u6 + t32;
    const V t34 = u7 / t33;
    const V t35 = t21 / u8;
    const V t37 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t34);
    const V t38 = t35 * t37;
    const V t40 = u10 * t38;
    const V t42 = x[1] - t40;
    y[0] = t42;
    y[1] = t21;
    y[2] = t26;
  }
};

// radam, weight decay: parameters, vjp
template <class S, class V>
struct k_b3ba9dbef460_vjp {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t28);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u6 + t31;
    const V t33 = u7 / t32;
    const V t34 = t21 / u8;
    const V t36 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t46 = u10 * x[4];
    const V t48 = t36 * t46;
    const V t50 = t34 * t46;
    const V t51 = -t50;
    const V t53 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t51);
    const V t54 = t48 / u8;
    const V t58 = x[5] - t54;
    const V t59 = t53 / t32;
    const V t60 = t33 * t59;
    const V t63 = t60 * splat<V>(S(0.5));
    const V t65 = t63 / t31;
    const V t66 = -t65;
    const V t68 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t66);
    const V t69 = x[6] + t68;
    const V t74 = u5 * t69;
    const V t78 = u4 * t69;
    const V t81 = t16 * t74;
    const V t82 = t81 + t81;
    const V t83 = u3 * t58;
    const V t85 = t82 + t83;
    const V t88 = u2 * t58;
    const V t91 = u1 * t85;
    const V t93 = x[4] + t91;
    const V t94 = u0 * t85;
    y[0] = t94;
    y[1] = t93;
    y[2] = t88;
    y[3] = t78;
  }
};

// radam, weight decay: parameters, vjps
template <class S, class V>
struct k_b3ba9dbef460_vjps {
  static constexpr int inputs = 7, outputs = 4, scalars = 10, sums = 10, uniforms = 13;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t28);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
    u[11] = S(t27);
    u[12] = S(h[8]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u6 + t31;
    const V t33 = u7 / t32;
    const V t34 = t21 / u8;
    const V t36 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t37 = t34 * t36;
    const V t44 = t37 * x[4];
    const V t45 = -t44;
    const V t46 = u10 * x[4];
    const V t48 = t36 * t46;
    const V t50 = t34 * t46;
    const V t51 = -t50;
    const V t53 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t51);
    const V t54 = t48 / u8;
    const V t56 = t34 * t54;
    const V t58 = x[5] - t54;
    const V t59 = t53 / t32;
    const V t60 = t33 * t59;
    const V t61 = -t60;
    const V t63 = t60 * splat<V>(S(0.5));
    const V t65 = t63 / t31;
    const V t66 = -t65;
    const V t68 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t66);
    const V t69 = x[6] + t68;
    const V t70 = u11 * t59;
    const V t71 = u12 * t59;
    const V t72 = splat<V>(S(0.5)) * t71;
    const V t73 = t72 / u11;
    const V t74 = u5 * t69;
    const V t75 = t22 * t69;
    const V t78 = u4 * t69;
    const V t79 = x[3] * t69;
    const V t80 = t79 - t75;
    const V t81 = t16 * t74;
    const V t82 = t81 + t81;
    const V t83 = u3 * t58;
    const V t84 = t16 * t58;
    const V t85 = t82 + t83;
    const V t88 = u2 * t58;
    const V t89 = x[2] * t58;
    const V t90 = t89 - t84;
    const V t91 = u1 * t85;
    const V t92 = x[1] * t85;
    const V t93 = x[4] + t91;
    const V t94 = u0 * t85;
    const V t95 = x[0] * t85;
    y[0] = t94;
    y[1] = t93;
    y[2] = t88;
    y[3] = t78;
    y[4] = t95;
    y[5] = t92;
    y[6] = t90;
    y[7] = t80;
    y[8] = t61;
    y[9] = t56;
    y[10] = t73;
    y[11] = splat<V>(S(0.0));
    y[12] = t70;
    y[13] = t45;
  }
};

// radam, weight decay: parameters, jvp
template <class S, class V>
struct k_b3ba9dbef460_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 19;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    const double t82 = h[16] * double(0.5);
    const double t83 = t82 / t27;
    const double t84 = t27 * h[18];
    const double t85 = h[8] * t83;
    const double t86 = t84 + t85;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t19);
    u[4] = S(h[3]);
    u[5] = S(t24);
    u[6] = S(h[4]);
    u[7] = S(t28);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[10]);
    u[11] = S(h[11]);
    u[12] = S(h[12]);
    u[13] = S(h[13]);
    u[14] = S(h[14]);
    u[15] = S(t86);
    u[16] = S(h[15]);
    u[17] = S(h[19]);
    u[18] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V u18 = splat<V>(u[18]);
    const V t14 = x[0] * u0;
    const V t15 = x[1] * u1;
    const V t16 = t14 + t15;
    const V t17 = x[2] * u2;
    const V t20 = t16 * u3;
    const V t21 = t17 + t20;
    const V t22 = t16 * t16;
    const V t23 = x[3] * u4;
    const V t25 = t22 * u5;
    const V t26 = t23 + t25;
    const V t30 = select_gt(tiny<V>(), t26, tiny<V>(), t26);
    const V t31 = sqrt_(t30);
    const V t32 = u6 + t31;
    const V t33 = u7 / t32;
    const V t34 = t21 / u8;
    const V t36 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t37 = t34 * t36;
    const V t54 = u0 * x[4];
    const V t55 = x[0] * u10;
    const V t56 = t54 + t55;
    const V t57 = u1 * x[5];
    const V t58 = x[1] * u11;
    const V t59 = t57 + t58;
    const V t60 = t56 + t59;
    const V t61 = u2 * x[6];
    const V t62 = x[2] * u12;
    const V t63 = t61 + t62;
    const V t65 = u3 * t60;
    const V t66 = t16 * u12;
    const V t68 = t65 - t66;
    const V t69 = t63 + t68;
    const V t70 = t16 * t60;
    const V t71 = t70 + t70;
    const V t72 = u4 * x[7];
    const V t73 = x[3] * u13;
    const V t74 = t72 + t73;
    const V t76 = u5 * t71;
    const V t77 = t22 * u13;
    const V t79 = t76 - t77;
    const V t80 = t74 + t79;
    const V t87 = select_gt(tiny<V>(), t26, splat<V>(S(0.0)), t80);
    const V t88 = splat<V>(S(0.5)) * t87;
    const V t89 = t88 / t31;
    const V t90 = u14 + t89;
    const V t91 = t33 * t90;
    const V t92 = u15 - t91;
    const V t93 = t92 / t32;
    const V t94 = t34 * u16;
    const V t95 = t69 - t94;
    const V t96 = t95 / u8;
    const V t97 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t93);
    const V t98 = t36 * t96;
    const V t99 = t34 * t97;
    const V t100 = t98 + t99;
    const V t101 = t37 * u17;
    const V t102 = u18 * t100;
    const V t103 = t101 + t102;
    const V t104 = x[5] - t103;
    y[0] = t104;
    y[1] = t69;
    y[2] = t80;
  }
};

// radam, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_b3ba9dbef460_vjp_vjp {
  static constexpr int inputs = 11, outputs = 7, scalars = 10, sums = 0, uniforms = 11;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    const double t30 = sqrt_(h[6]);
    const double t31 = h[8] * t30;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[4]);
    u[7] = S(t31);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t33 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t34 = sqrt_(t33);
    const V t35 = u6 + t34;
    const V t36 = u7 / t35;
    const V t37 = t24 / u8;
    const V t39 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t36);
    const V t40 = u10 * x[4];
    const V t42 = t37 * t40;
    const V t43 = -t42;
    const V t44 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t43);
    const V t47 = t44 / t35;
    const V t48 = t36 * t47;
    const V t50 = t48 * splat<V>(S(0.5));
    const V t51 = t50 / t34;
    const V t52 = -t51;
    const V t53 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t52);
    const V t54 = x[6] + t53;
    const V t55 = u5 * t54;
    const V t70 = u0 * x[7];
    const V t72 = u1 * x[8];
    const V t73 = t70 + t72;
    const V t75 = u2 * x[9];
    const V t77 = u3 * t73;
    const V t78 = t75 + t77;
    const V t79 = t73 + t73;
    const V t80 = t55 * t79;
    const V t81 = t19 * t79;
    const V t83 = u4 * x[10];
    const V t85 = u5 * t81;
    const V t86 = t83 + t85;
    const V t88 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t86);
    const V t90 = t88 / t34;
    const V t92 = t51 * t90;
    const V t94 = splat<V>(S(0.5)) * t90;
    const V t98 = t47 * t94;
    const V t100 = t36 * t94;
    const V t102 = t100 / t35;
    const V t103 = -t102;
    const V t104 = t47 * t102;
    const V t107 = t78 / u8;
    const V t112 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t103);
    const V t115 = t40 * t112;
    const V t117 = t37 * t112;
    const V t118 = -t117;
    const V t119 = t40 * t107;
    const V t120 = -t119;
    const V t121 = t39 * t107;
    const V t123 = t118 - t121;
    const V t125 = u10 * t123;
    const V t126 = x[8] + t125;
    const V t128 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t120);
    const V t129 = t128 - t98;
    const V t130 = t115 / u8;
    const V t135 = t129 / t35;
    const V t136 = t36 * t135;
    const V t138 = t104 - t136;
    const V t139 = t92 + t138;
    const V t140 = splat<V>(S(0.5)) * t139;
    const V t141 = t140 / t34;
    const V t143 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t141);
    const V t148 = u5 * t143;
    const V t154 = u4 * t143;
    const V t157 = t19 * t148;
    const V t158 = t80 + t157;
    const V t159 = t157 + t158;
    const V t160 = u3 * t130;
    const V t164 = t159 - t160;
    const V t169 = u2 * t130;
    const V t170 = -t169;
    const V t174 = u1 * t164;
    const V t177 = u0 * t164;
    y[0] = t177;
    y[1] = t174;
    y[2] = t170;
    y[3] = t154;
    y[4] = t126;
    y[5] = t78;
    y[6] = t86;
  }
};

// radam, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_b3ba9dbef460_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 24;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    const double t30 = sqrt_(h[6]);
    const double t31 = h[8] * t30;
    const double t137 = h[16] / t30;
    const double t141 = double(0.5) * t137;
    const double t143 = h[8] * t141;
    const double t145 = t30 * h[18];
    const double t147 = t143 + t145;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t22);
    u[4] = S(h[3]);
    u[5] = S(t27);
    u[6] = S(h[4]);
    u[7] = S(t31);
    u[8] = S(h[5]);
    u[9] = S(h[7]);
    u[10] = S(h[9]);
    u[11] = S(h[8]);
    u[12] = S(t30);
    u[13] = S(h[10]);
    u[14] = S(h[11]);
    u[15] = S(h[12]);
    u[16] = S(h[13]);
    u[17] = S(t137);
    u[18] = S(t141);
    u[19] = S(h[18]);
    u[20] = S(h[14]);
    u[21] = S(t147);
    u[22] = S(h[15]);
    u[23] = S(h[19]);
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
    const V u9 = splat<V>(u[9]);
    const V u10 = splat<V>(u[10]);
    const V u11 = splat<V>(u[11]);
    const V u12 = splat<V>(u[12]);
    const V u13 = splat<V>(u[13]);
    const V u14 = splat<V>(u[14]);
    const V u15 = splat<V>(u[15]);
    const V u16 = splat<V>(u[16]);
    const V u17 = splat<V>(u[17]);
    const V u18 = splat<V>(u[18]);
    const V u19 = splat<V>(u[19]);
    const V u20 = splat<V>(u[20]);
    const V u21 = splat<V>(u[21]);
    const V u22 = splat<V>(u[22]);
    const V u23 = splat<V>(u[23]);
    const V t17 = x[0] * u0;
    const V t18 = x[1] * u1;
    const V t19 = t17 + t18;
    const V t20 = x[2] * u2;
    const V t23 = t19 * u3;
    const V t24 = t20 + t23;
    const V t25 = t19 * t19;
    const V t26 = x[3] * u4;
    const V t28 = t25 * u5;
    const V t29 = t26 + t28;
    const V t33 = select_gt(tiny<V>(), t29, tiny<V>(), t29);
    const V t34 = sqrt_(t33);
    const V t35 = u6 + t34;
    const V t36 = u7 / t35;
    const V t37 = t24 / u8;
    const V t39 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t36);
    const V t40 = t37 * t39;
    const V t43 = u10 * x[4];
    const V t44 = t39 * t43;
    const V t45 = t37 * t43;
    const V t46 = -t45;
    const V t47 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t46);
    const V t48 = t44 / u8;
    const V t50 = x[5] - t48;
    const V t51 = t47 / t35;
    const V t52 = t36 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t56 = t55 / t34;
    const V t57 = -t56;
    const V t58 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t57);
    const V t59 = x[6] + t58;
    const V t61 = u11 * t51;
    const V t62 = splat<V>(S(0.5)) * t61;
    const V t63 = t62 / u12;
    const V t64 = u5 * t59;
    const V t69 = t19 * t64;
    const V t70 = t69 + t69;
    const V t71 = u3 * t50;
    const V t73 = t70 + t71;
    const V t96 = t73 * u13;
    const V t97 = x[0] * u13;
    const V t98 = t73 * x[7];
    const V t99 = u0 * x[7];
    const V t100 = t97 + t99;
    const V t101 = t73 * u14;
    const V t102 = x[1] * u14;
    const V t103 = t100 + t102;
    const V t104 = t73 * x[8];
    const V t105 = u1 * x[8];
    const V t106 = t103 + t105;
    const V t108 = t50 * u15;
    const V t109 = x[2] * u15;
    const V t110 = t50 * x[9];
    const V t111 = u2 * x[9];
    const V t112 = t109 + t111;
    const V t114 = t19 * u15;
    const V t116 = t112 - t114;
    const V t117 = t50 * t106;
    const V t118 = u3 * t106;
    const V t119 = t116 + t118;
    const V t120 = t106 + t106;
    const V t121 = t64 * t120;
    const V t122 = t19 * t120;
    const V t123 = t121 - t108;
    const V t125 = t59 * u16;
    const V t126 = x[3] * u16;
    const V t127 = t59 * x[10];
    const V t128 = u4 * x[10];
    const V t129 = t126 + t128;
    const V t131 = t25 * u16;
    const V t133 = t129 - t131;
    const V t134 = t59 * t122;
    const V t135 = u5 * t122;
    const V t136 = t133 + t135;
    const V t138 = t63 * u17;
    const V t142 = t51 * u18;
    const V t144 = t51 * u19;
    const V t146 = t144 - t138;
    const V t149 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t136);
    const V t152 = t149 / t34;
    const V t154 = t56 * t152;
    const V t156 = splat<V>(S(0.5)) * t152;
    const V t157 = -t156;
    const V t162 = t157 - u20;
    const V t163 = t51 * t162;
    const V t164 = t36 * t162;
    const V t165 = u21 + t164;
    const V t166 = t165 / t35;
    const V t167 = t51 * t166;
    const V t168 = -t167;
    const V t170 = t48 * u22;
    const V t171 = t37 * u22;
    const V t172 = t171 - t119;
    const V t173 = t172 / u8;
    const V t174 = t48 * t173;
    const V t175 = -t174;
    const V t177 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t166);
    const V t180 = t43 * t177;
    const V t182 = t37 * t177;
    const V t184 = t170 - t180;
    const V t185 = t43 * t173;
    const V t186 = t39 * t173;
    const V t187 = t186 - t182;
    const V t188 = x[4] * t187;
    const V t189 = u10 * t187;
    const V t190 = x[8] + t189;
    const V t192 = x[4] * u23;
    const V t194 = t40 * u23;
    const V t196 = t190 - t194;
    const V t197 = t39 * t192;
    const V t199 = t37 * t192;
    const V t201 = t184 - t197;
    const V t202 = t185 - t199;
    const V t204 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t202);
    const V t205 = t163 + t204;
    const V t206 = t201 / u8;
    const V t207 = t37 * t206;
    const V t209 = t175 - t207;
    const V t210 = t205 / t35;
    const V t211 = t36 * t210;
    const V t213 = t168 - t211;
    const V t214 = t154 + t213;
    const V t215 = splat<V>(S(0.5)) * t214;
    const V t216 = t215 / t34;
    const V t218 = select_gt(tiny<V>(), t29, splat<V>(S(0.0)), t216);
    const V t219 = u12 * t210;
    const V t220 = u11 * t210;
    const V t221 = t142 + t219;
    const V t222 = t146 + t220;
    const V t223 = splat<V>(S(0.5)) * t222;
    const V t224 = t223 / u12;
    const V t225 = u5 * t218;
    const V t226 = t25 * t218;
    const V t227 = t225 - t125;
    const V t228 = t134 + t226;
    const V t231 = t127 - t228;
    const V t232 = u4 * t218;
    const V t233 = x[3] * t218;
    const V t234 = t125 + t232;
    const V t235 = t231 + t233;
    const V t236 = t19 * t227;
    const V t237 = t123 + t236;
    const V t238 = t236 + t237;
    const V t239 = u3 * t206;
    const V t240 = t19 * t206;
    const V t241 = t238 + t239;
    const V t242 = t117 + t240;
    const V t245 = t110 - t242;
    const V t246 = u2 * t206;
    const V t247 = x[2] * t206;
    const V t248 = t108 + t246;
    const V t249 = t245 + t247;
    const V t250 = u1 * t241;
    const V t251 = x[1] * t241;
    const V t252 = t101 + t250;
    const V t253 = t104 + t251;
    const V t254 = u0 * t241;
    const V t255 = x[0] * t241;
    const V t256 = t96 + t254;
    const V t257 = t98 + t255;
    y[0] = t256;
    y[1] = t252;
    y[2] = t248;
    y[3] = t234;
    y[4] = t196;
    y[5] = t119;
    y[6] = t136;
    y[7] = t257;
    y[8] = t253;
    y[9] = t249;
    y[10] = t235;
    y[11] = t213;
    y[12] = t209;
    y[13] = t224;
    y[14] = splat<V>(S(0.0));
    y[15] = t221;
    y[16] = t188;
  }
};

#define TORCHOPT_KERNELS(KERNEL) \
  KERNEL(k_4e37e7097b37_forward) \
  KERNEL(k_4e37e7097b37_vjp) \
  KERNEL(k_4e37e7097b37_vjps) \
  KERNEL(k_4e37e7097b37_jvp) \
  KERNEL(k_4e37e7097b37_vjp_vjp) \
  KERNEL(k_4e37e7097b37_vjps_vjps) \
  KERNEL(k_a8056da14675_forward) \
  KERNEL(k_a8056da14675_vjp) \
  KERNEL(k_a8056da14675_vjps) \
  KERNEL(k_a8056da14675_jvp) \
  KERNEL(k_a8056da14675_vjp_vjp) \
  KERNEL(k_a8056da14675_vjps_vjps) \
  KERNEL(k_d4fc3a655214_forward) \
  KERNEL(k_d4fc3a655214_vjp) \
  KERNEL(k_d4fc3a655214_vjps) \
  KERNEL(k_d4fc3a655214_jvp) \
  KERNEL(k_d4fc3a655214_vjp_vjp) \
  KERNEL(k_d4fc3a655214_vjps_vjps) \
  KERNEL(k_379aa1e3c3e8_forward) \
  KERNEL(k_379aa1e3c3e8_vjp) \
  KERNEL(k_379aa1e3c3e8_vjps) \
  KERNEL(k_379aa1e3c3e8_jvp) \
  KERNEL(k_379aa1e3c3e8_vjp_vjp) \
  KERNEL(k_379aa1e3c3e8_vjps_vjps) \
  KERNEL(k_5089319ce6fb_forward) \
  KERNEL(k_5089319ce6fb_vjp) \
  KERNEL(k_5089319ce6fb_vjps) \
  KERNEL(k_5089319ce6fb_jvp) \
  KERNEL(k_5089319ce6fb_vjp_vjp) \
  KERNEL(k_5089319ce6fb_vjps_vjps) \
  KERNEL(k_2800278b96fb_forward) \
  KERNEL(k_2800278b96fb_vjp) \
  KERNEL(k_2800278b96fb_vjps) \
  KERNEL(k_2800278b96fb_jvp) \
  KERNEL(k_2800278b96fb_vjp_vjp) \
  KERNEL(k_2800278b96fb_vjps_vjps) \
  KERNEL(k_d75c95efa386_forward) \
  KERNEL(k_d75c95efa386_vjp) \
  KERNEL(k_d75c95efa386_vjps) \
  KERNEL(k_d75c95efa386_jvp) \
  KERNEL(k_d75c95efa386_vjp_vjp) \
  KERNEL(k_d75c95efa386_vjps_vjps) \
  KERNEL(k_fcba79638e62_forward) \
  KERNEL(k_fcba79638e62_vjp) \
  KERNEL(k_fcba79638e62_vjps) \
  KERNEL(k_fcba79638e62_jvp) \
  KERNEL(k_fcba79638e62_vjp_vjp) \
  KERNEL(k_fcba79638e62_vjps_vjps) \
  KERNEL(k_883b38f4a025_forward) \
  KERNEL(k_883b38f4a025_vjp) \
  KERNEL(k_883b38f4a025_vjps) \
  KERNEL(k_883b38f4a025_jvp) \
  KERNEL(k_883b38f4a025_vjp_vjp) \
  KERNEL(k_883b38f4a025_vjps_vjps) \
  KERNEL(k_34183b052808_forward) \
  KERNEL(k_34183b052808_vjp) \
  KERNEL(k_34183b052808_vjps) \
  KERNEL(k_34183b052808_jvp) \
  KERNEL(k_34183b052808_vjp_vjp) \
  KERNEL(k_34183b052808_vjps_vjps) \
  KERNEL(k_c06653bbbc24_forward) \
  KERNEL(k_c06653bbbc24_vjp) \
  KERNEL(k_c06653bbbc24_vjps) \
  KERNEL(k_c06653bbbc24_jvp) \
  KERNEL(k_c06653bbbc24_vjp_vjp) \
  KERNEL(k_c06653bbbc24_vjps_vjps) \
  KERNEL(k_57769c785950_forward) \
  KERNEL(k_57769c785950_vjp) \
  KERNEL(k_57769c785950_vjps) \
  KERNEL(k_57769c785950_jvp) \
  KERNEL(k_57769c785950_vjp_vjp) \
  KERNEL(k_57769c785950_vjps_vjps) \
  KERNEL(k_7f11db12decc_forward) \
  KERNEL(k_7f11db12decc_vjp) \
  KERNEL(k_7f11db12decc_vjps) \
  KERNEL(k_7f11db12decc_jvp) \
  KERNEL(k_7f11db12decc_vjp_vjp) \
  KERNEL(k_7f11db12decc_vjps_vjps) \
  KERNEL(k_9201249e767a_forward) \
  KERNEL(k_9201249e767a_vjp) \
  KERNEL(k_9201249e767a_vjps) \
  KERNEL(k_9201249e767a_jvp) \
  KERNEL(k_9201249e767a_vjp_vjp) \
  KERNEL(k_9201249e767a_vjps_vjps) \
  KERNEL(k_8d80ae49480e_forward) \
  KERNEL(k_8d80ae49480e_vjp) \
  KERNEL(k_8d80ae49480e_vjps) \
  KERNEL(k_8d80ae49480e_jvp) \
  KERNEL(k_8d80ae49480e_vjp_vjp) \
  KERNEL(k_8d80ae49480e_vjps_vjps) \
  KERNEL(k_13439dea7260_forward) \
  KERNEL(k_13439dea7260_vjp) \
  KERNEL(k_13439dea7260_vjps) \
  KERNEL(k_13439dea7260_jvp) \
  KERNEL(k_13439dea7260_vjp_vjp) \
  KERNEL(k_13439dea7260_vjps_vjps) \
  KERNEL(k_e2a19f643724_forward) \
  KERNEL(k_e2a19f643724_vjp) \
  KERNEL(k_e2a19f643724_vjps) \
  KERNEL(k_e2a19f643724_jvp) \
  KERNEL(k_e2a19f643724_vjp_vjp) \
  KERNEL(k_e2a19f643724_vjps_vjps) \
  KERNEL(k_f8087d32726b_forward) \
  KERNEL(k_f8087d32726b_vjp) \
  KERNEL(k_f8087d32726b_vjps) \
  KERNEL(k_f8087d32726b_jvp) \
  KERNEL(k_f8087d32726b_vjp_vjp) \
  KERNEL(k_f8087d32726b_vjps_vjps) \
  KERNEL(k_2d3fb09d88d8_forward) \
  KERNEL(k_2d3fb09d88d8_vjp) \
  KERNEL(k_2d3fb09d88d8_vjps) \
  KERNEL(k_2d3fb09d88d8_jvp) \
  KERNEL(k_2d3fb09d88d8_vjp_vjp) \
  KERNEL(k_2d3fb09d88d8_vjps_vjps) \
  KERNEL(k_b4172ea6239a_forward) \
  KERNEL(k_b4172ea6239a_vjp) \
  KERNEL(k_b4172ea6239a_vjps) \
  KERNEL(k_b4172ea6239a_jvp) \
  KERNEL(k_b4172ea6239a_vjp_vjp) \
  KERNEL(k_b4172ea6239a_vjps_vjps) \
  KERNEL(k_f1d79a01c820_forward) \
  KERNEL(k_f1d79a01c820_vjp) \
  KERNEL(k_f1d79a01c820_vjps) \
  KERNEL(k_f1d79a01c820_jvp) \
  KERNEL(k_f1d79a01c820_vjp_vjp) \
  KERNEL(k_f1d79a01c820_vjps_vjps) \
  KERNEL(k_3804b7aea1ed_forward) \
  KERNEL(k_3804b7aea1ed_vjp) \
  KERNEL(k_3804b7aea1ed_vjps) \
  KERNEL(k_3804b7aea1ed_jvp) \
  KERNEL(k_3804b7aea1ed_vjp_vjp) \
  KERNEL(k_3804b7aea1ed_vjps_vjps) \
  KERNEL(k_94052f48c91e_forward) \
  KERNEL(k_94052f48c91e_vjp) \
  KERNEL(k_94052f48c91e_vjps) \
  KERNEL(k_94052f48c91e_jvp) \
  KERNEL(k_94052f48c91e_vjp_vjp) \
  KERNEL(k_94052f48c91e_vjps_vjps) \
  KERNEL(k_3057abbad783_forward) \
  KERNEL(k_3057abbad783_vjp) \
  KERNEL(k_3057abbad783_vjps) \
  KERNEL(k_3057abbad783_jvp) \
  KERNEL(k_3057abbad783_vjp_vjp) \
  KERNEL(k_3057abbad783_vjps_vjps) \
  KERNEL(k_c81233e4369c_forward) \
  KERNEL(k_c81233e4369c_vjp) \
  KERNEL(k_c81233e4369c_vjps) \
  KERNEL(k_c81233e4369c_jvp) \
  KERNEL(k_c81233e4369c_vjp_vjp) \
  KERNEL(k_c81233e4369c_vjps_vjps) \
  KERNEL(k_0be81c520c43_forward) \
  KERNEL(k_0be81c520c43_vjp) \
  KERNEL(k_0be81c520c43_vjps) \
  KERNEL(k_0be81c520c43_jvp) \
  KERNEL(k_0be81c520c43_vjp_vjp) \
  KERNEL(k_0be81c520c43_vjps_vjps) \
  KERNEL(k_96aba1419e00_forward) \
  KERNEL(k_96aba1419e00_vjp) \
  KERNEL(k_96aba1419e00_vjps) \
  KERNEL(k_96aba1419e00_jvp) \
  KERNEL(k_96aba1419e00_vjp_vjp) \
  KERNEL(k_96aba1419e00_vjps_vjps) \
  KERNEL(k_b57b80251779_forward) \
  KERNEL(k_b57b80251779_vjp) \
  KERNEL(k_b57b80251779_vjps) \
  KERNEL(k_b57b80251779_jvp) \
  KERNEL(k_b57b80251779_vjp_vjp) \
  KERNEL(k_b57b80251779_vjps_vjps) \
  KERNEL(k_acb079b14e2e_forward) \
  KERNEL(k_acb079b14e2e_vjp) \
  KERNEL(k_acb079b14e2e_vjps) \
  KERNEL(k_acb079b14e2e_jvp) \
  KERNEL(k_acb079b14e2e_vjp_vjp) \
  KERNEL(k_acb079b14e2e_vjps_vjps) \
  KERNEL(k_0bb3c1bdc788_forward) \
  KERNEL(k_0bb3c1bdc788_vjp) \
  KERNEL(k_0bb3c1bdc788_vjps) \
  KERNEL(k_0bb3c1bdc788_jvp) \
  KERNEL(k_0bb3c1bdc788_vjp_vjp) \
  KERNEL(k_0bb3c1bdc788_vjps_vjps) \
  KERNEL(k_c9565a70b966_forward) \
  KERNEL(k_c9565a70b966_vjp) \
  KERNEL(k_c9565a70b966_vjps) \
  KERNEL(k_c9565a70b966_jvp) \
  KERNEL(k_c9565a70b966_vjp_vjp) \
  KERNEL(k_c9565a70b966_vjps_vjps) \
  KERNEL(k_e82250393d0d_forward) \
  KERNEL(k_e82250393d0d_vjp) \
  KERNEL(k_e82250393d0d_vjps) \
  KERNEL(k_e82250393d0d_jvp) \
  KERNEL(k_e82250393d0d_vjp_vjp) \
  KERNEL(k_e82250393d0d_vjps_vjps) \
  KERNEL(k_e9062becbae0_forward) \
  KERNEL(k_e9062becbae0_vjp) \
  KERNEL(k_e9062becbae0_vjps) \
  KERNEL(k_e9062becbae0_jvp) \
  KERNEL(k_e9062becbae0_vjp_vjp) \
  KERNEL(k_e9062becbae0_vjps_vjps) \
  KERNEL(k_26785e69bb0a_forward) \
  KERNEL(k_26785e69bb0a_vjp) \
  KERNEL(k_26785e69bb0a_vjps) \
  KERNEL(k_26785e69bb0a_jvp) \
  KERNEL(k_26785e69bb0a_vjp_vjp) \
  KERNEL(k_26785e69bb0a_vjps_vjps) \
  KERNEL(k_9bb740909167_forward) \
  KERNEL(k_9bb740909167_vjp) \
  KERNEL(k_9bb740909167_vjps) \
  KERNEL(k_9bb740909167_jvp) \
  KERNEL(k_9bb740909167_vjp_vjp) \
  KERNEL(k_9bb740909167_vjps_vjps) \
  KERNEL(k_c47d8a9eaebf_forward) \
  KERNEL(k_c47d8a9eaebf_vjp) \
  KERNEL(k_c47d8a9eaebf_vjps) \
  KERNEL(k_c47d8a9eaebf_jvp) \
  KERNEL(k_c47d8a9eaebf_vjp_vjp) \
  KERNEL(k_c47d8a9eaebf_vjps_vjps) \
  KERNEL(k_513a3197a409_forward) \
  KERNEL(k_513a3197a409_vjp) \
  KERNEL(k_513a3197a409_vjps) \
  KERNEL(k_513a3197a409_jvp) \
  KERNEL(k_513a3197a409_vjp_vjp) \
  KERNEL(k_513a3197a409_vjps_vjps) \
  KERNEL(k_347831f79ed8_forward) \
  KERNEL(k_347831f79ed8_vjp) \
  KERNEL(k_347831f79ed8_vjps) \
  KERNEL(k_347831f79ed8_jvp) \
  KERNEL(k_347831f79ed8_vjp_vjp) \
  KERNEL(k_347831f79ed8_vjps_vjps) \
  KERNEL(k_4cc953762d61_forward) \
  KERNEL(k_4cc953762d61_vjp) \
  KERNEL(k_4cc953762d61_vjps) \
  KERNEL(k_4cc953762d61_jvp) \
  KERNEL(k_4cc953762d61_vjp_vjp) \
  KERNEL(k_4cc953762d61_vjps_vjps) \
  KERNEL(k_7f9849195505_forward) \
  KERNEL(k_7f9849195505_vjp) \
  KERNEL(k_7f9849195505_vjps) \
  KERNEL(k_7f9849195505_jvp) \
  KERNEL(k_7f9849195505_vjp_vjp) \
  KERNEL(k_7f9849195505_vjps_vjps) \
  KERNEL(k_e42d7e79889a_forward) \
  KERNEL(k_e42d7e79889a_vjp) \
  KERNEL(k_e42d7e79889a_vjps) \
  KERNEL(k_e42d7e79889a_jvp) \
  KERNEL(k_e42d7e79889a_vjp_vjp) \
  KERNEL(k_e42d7e79889a_vjps_vjps) \
  KERNEL(k_ba472c48d19e_forward) \
  KERNEL(k_ba472c48d19e_vjp) \
  KERNEL(k_ba472c48d19e_vjps) \
  KERNEL(k_ba472c48d19e_jvp) \
  KERNEL(k_ba472c48d19e_vjp_vjp) \
  KERNEL(k_ba472c48d19e_vjps_vjps) \
  KERNEL(k_7b6cbb048a3d_forward) \
  KERNEL(k_7b6cbb048a3d_vjp) \
  KERNEL(k_7b6cbb048a3d_vjps) \
  KERNEL(k_7b6cbb048a3d_jvp) \
  KERNEL(k_7b6cbb048a3d_vjp_vjp) \
  KERNEL(k_7b6cbb048a3d_vjps_vjps) \
  KERNEL(k_d7be38a1fee6_forward) \
  KERNEL(k_d7be38a1fee6_vjp) \
  KERNEL(k_d7be38a1fee6_vjps) \
  KERNEL(k_d7be38a1fee6_jvp) \
  KERNEL(k_d7be38a1fee6_vjp_vjp) \
  KERNEL(k_d7be38a1fee6_vjps_vjps) \
  KERNEL(k_01bc5abc131c_forward) \
  KERNEL(k_01bc5abc131c_vjp) \
  KERNEL(k_01bc5abc131c_vjps) \
  KERNEL(k_01bc5abc131c_jvp) \
  KERNEL(k_01bc5abc131c_vjp_vjp) \
  KERNEL(k_01bc5abc131c_vjps_vjps) \
  KERNEL(k_df6f48e1cfa4_forward) \
  KERNEL(k_df6f48e1cfa4_vjp) \
  KERNEL(k_df6f48e1cfa4_vjps) \
  KERNEL(k_df6f48e1cfa4_jvp) \
  KERNEL(k_df6f48e1cfa4_vjp_vjp) \
  KERNEL(k_df6f48e1cfa4_vjps_vjps) \
  KERNEL(k_b2fe431e6e6d_forward) \
  KERNEL(k_b2fe431e6e6d_vjp) \
  KERNEL(k_b2fe431e6e6d_vjps) \
  KERNEL(k_b2fe431e6e6d_jvp) \
  KERNEL(k_b2fe431e6e6d_vjp_vjp) \
  KERNEL(k_b2fe431e6e6d_vjps_vjps) \
  KERNEL(k_1482bb70c296_forward) \
  KERNEL(k_1482bb70c296_vjp) \
  KERNEL(k_1482bb70c296_vjps) \
  KERNEL(k_1482bb70c296_jvp) \
  KERNEL(k_1482bb70c296_vjp_vjp) \
  KERNEL(k_1482bb70c296_vjps_vjps) \
  KERNEL(k_35609e18bc32_forward) \
  KERNEL(k_35609e18bc32_vjp) \
  KERNEL(k_35609e18bc32_vjps) \
  KERNEL(k_35609e18bc32_jvp) \
  KERNEL(k_35609e18bc32_vjp_vjp) \
  KERNEL(k_35609e18bc32_vjps_vjps) \
  KERNEL(k_8f0b9274e38a_forward) \
  KERNEL(k_8f0b9274e38a_vjp) \
  KERNEL(k_8f0b9274e38a_vjps) \
  KERNEL(k_8f0b9274e38a_jvp) \
  KERNEL(k_8f0b9274e38a_vjp_vjp) \
  KERNEL(k_8f0b9274e38a_vjps_vjps) \
  KERNEL(k_991619e4da3c_forward) \
  KERNEL(k_991619e4da3c_vjp) \
  KERNEL(k_991619e4da3c_vjps) \
  KERNEL(k_991619e4da3c_jvp) \
  KERNEL(k_991619e4da3c_vjp_vjp) \
  KERNEL(k_991619e4da3c_vjps_vjps) \
  KERNEL(k_3e684cdc2ad5_forward) \
  KERNEL(k_3e684cdc2ad5_vjp) \
  KERNEL(k_3e684cdc2ad5_vjps) \
  KERNEL(k_3e684cdc2ad5_jvp) \
  KERNEL(k_3e684cdc2ad5_vjp_vjp) \
  KERNEL(k_3e684cdc2ad5_vjps_vjps) \
  KERNEL(k_ba8b5fde3626_forward) \
  KERNEL(k_ba8b5fde3626_vjp) \
  KERNEL(k_ba8b5fde3626_vjps) \
  KERNEL(k_ba8b5fde3626_jvp) \
  KERNEL(k_ba8b5fde3626_vjp_vjp) \
  KERNEL(k_ba8b5fde3626_vjps_vjps) \
  KERNEL(k_025da1b49934_forward) \
  KERNEL(k_025da1b49934_vjp) \
  KERNEL(k_025da1b49934_vjps) \
  KERNEL(k_025da1b49934_jvp) \
  KERNEL(k_025da1b49934_vjp_vjp) \
  KERNEL(k_025da1b49934_vjps_vjps) \
  KERNEL(k_730dec375520_forward) \
  KERNEL(k_730dec375520_vjp) \
  KERNEL(k_730dec375520_vjps) \
  KERNEL(k_730dec375520_jvp) \
  KERNEL(k_730dec375520_vjp_vjp) \
  KERNEL(k_730dec375520_vjps_vjps) \
  KERNEL(k_ff39933d5823_forward) \
  KERNEL(k_ff39933d5823_vjp) \
  KERNEL(k_ff39933d5823_vjps) \
  KERNEL(k_ff39933d5823_jvp) \
  KERNEL(k_ff39933d5823_vjp_vjp) \
  KERNEL(k_ff39933d5823_vjps_vjps) \
  KERNEL(k_ddbf3229e8d3_forward) \
  KERNEL(k_ddbf3229e8d3_vjp) \
  KERNEL(k_ddbf3229e8d3_vjps) \
  KERNEL(k_ddbf3229e8d3_jvp) \
  KERNEL(k_ddbf3229e8d3_vjp_vjp) \
  KERNEL(k_ddbf3229e8d3_vjps_vjps) \
  KERNEL(k_a844449959ae_forward) \
  KERNEL(k_a844449959ae_vjp) \
  KERNEL(k_a844449959ae_vjps) \
  KERNEL(k_a844449959ae_jvp) \
  KERNEL(k_a844449959ae_vjp_vjp) \
  KERNEL(k_a844449959ae_vjps_vjps) \
  KERNEL(k_39fcf31a6146_forward) \
  KERNEL(k_39fcf31a6146_vjp) \
  KERNEL(k_39fcf31a6146_vjps) \
  KERNEL(k_39fcf31a6146_jvp) \
  KERNEL(k_39fcf31a6146_vjp_vjp) \
  KERNEL(k_39fcf31a6146_vjps_vjps) \
  KERNEL(k_0bac7a291a8d_forward) \
  KERNEL(k_0bac7a291a8d_vjp) \
  KERNEL(k_0bac7a291a8d_vjps) \
  KERNEL(k_0bac7a291a8d_jvp) \
  KERNEL(k_0bac7a291a8d_vjp_vjp) \
  KERNEL(k_0bac7a291a8d_vjps_vjps) \
  KERNEL(k_63ee7fee3444_forward) \
  KERNEL(k_63ee7fee3444_vjp) \
  KERNEL(k_63ee7fee3444_vjps) \
  KERNEL(k_63ee7fee3444_jvp) \
  KERNEL(k_63ee7fee3444_vjp_vjp) \
  KERNEL(k_63ee7fee3444_vjps_vjps) \
  KERNEL(k_66607b786bb5_forward) \
  KERNEL(k_66607b786bb5_vjp) \
  KERNEL(k_66607b786bb5_vjps) \
  KERNEL(k_66607b786bb5_jvp) \
  KERNEL(k_66607b786bb5_vjp_vjp) \
  KERNEL(k_66607b786bb5_vjps_vjps) \
  KERNEL(k_153f350c876a_forward) \
  KERNEL(k_153f350c876a_vjp) \
  KERNEL(k_153f350c876a_vjps) \
  KERNEL(k_153f350c876a_jvp) \
  KERNEL(k_153f350c876a_vjp_vjp) \
  KERNEL(k_153f350c876a_vjps_vjps) \
  KERNEL(k_9633e8f74366_forward) \
  KERNEL(k_9633e8f74366_vjp) \
  KERNEL(k_9633e8f74366_vjps) \
  KERNEL(k_9633e8f74366_jvp) \
  KERNEL(k_9633e8f74366_vjp_vjp) \
  KERNEL(k_9633e8f74366_vjps_vjps) \
  KERNEL(k_6e064461a7cd_forward) \
  KERNEL(k_6e064461a7cd_vjp) \
  KERNEL(k_6e064461a7cd_vjps) \
  KERNEL(k_6e064461a7cd_jvp) \
  KERNEL(k_6e064461a7cd_vjp_vjp) \
  KERNEL(k_6e064461a7cd_vjps_vjps) \
  KERNEL(k_3783ba5df1c8_forward) \
  KERNEL(k_3783ba5df1c8_vjp) \
  KERNEL(k_3783ba5df1c8_vjps) \
  KERNEL(k_3783ba5df1c8_jvp) \
  KERNEL(k_3783ba5df1c8_vjp_vjp) \
  KERNEL(k_3783ba5df1c8_vjps_vjps) \
  KERNEL(k_d17d682ab494_forward) \
  KERNEL(k_d17d682ab494_vjp) \
  KERNEL(k_d17d682ab494_vjps) \
  KERNEL(k_d17d682ab494_jvp) \
  KERNEL(k_d17d682ab494_vjp_vjp) \
  KERNEL(k_d17d682ab494_vjps_vjps) \
  KERNEL(k_b3ba9dbef460_forward) \
  KERNEL(k_b3ba9dbef460_vjp) \
  KERNEL(k_b3ba9dbef460_vjps) \
  KERNEL(k_b3ba9dbef460_jvp) \
  KERNEL(k_b3ba9dbef460_vjp_vjp) \
  KERNEL(k_b3ba9dbef460_vjps_vjps)
