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
struct k_3d788a14d92e_forward {
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
    const V t25 = t23;
    const V t26 = select_gt(tiny<V>(), t23, tiny<V>(), t25);
    const V t27 = select_ge(t23, tiny<V>(), t23, t26);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t17 / t30;
    const V t33 = u8 * t31;
    const V t34 = -t33;
    y[0] = t34;
    y[1] = t17;
    y[2] = t22;
  }
};

// adam: update, vjp
template <class S, class V>
struct k_3d788a14d92e_vjp {
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
    const V t25 = t23;
    const V t26 = select_gt(tiny<V>(), t23, tiny<V>(), t25);
    const V t27 = select_ge(t23, tiny<V>(), t23, t26);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t17 / t30;
    const V t41 = u8 * x[3];
    const V t43 = t41 / t30;
    const V t45 = t31 * t43;
    const V t47 = x[4] - t43;
    const V t49 = u6 * t45;
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t28;
    const V t53 = select_ge(t23, tiny<V>(), t52, splat<V>(S(0.0)));
    const V t57 = x[5] + t53;
    const V t58 = u4 * t57;
    const V t61 = u3 * t57;
    const V t64 = t12 * t58;
    const V t65 = t64 + t64;
    const V t66 = u2 * t47;
    const V t68 = t65 + t66;
    const V t71 = u1 * t47;
    const V t74 = u0 * t68;
    y[0] = t74;
    y[1] = t71;
    y[2] = t61;
  }
};

// adam: update, vjps
template <class S, class V>
struct k_3d788a14d92e_vjps {
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
    const V t25 = t23;
    const V t26 = select_gt(tiny<V>(), t23, tiny<V>(), t25);
    const V t27 = select_ge(t23, tiny<V>(), t23, t26);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t17 / t30;
    const V t39 = t31 * x[3];
    const V t40 = -t39;
    const V t41 = u8 * x[3];
    const V t43 = t41 / t30;
    const V t45 = t31 * t43;
    const V t47 = x[4] - t43;
    const V t48 = t28 * t45;
    const V t49 = u6 * t45;
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t28;
    const V t53 = select_ge(t23, tiny<V>(), t52, splat<V>(S(0.0)));
    const V t57 = x[5] + t53;
    const V t58 = u4 * t57;
    const V t59 = t18 * t57;
    const V t61 = u3 * t57;
    const V t62 = x[2] * t57;
    const V t63 = t62 - t59;
    const V t64 = t12 * t58;
    const V t65 = t64 + t64;
    const V t66 = u2 * t47;
    const V t67 = t12 * t47;
    const V t68 = t65 + t66;
    const V t71 = u1 * t47;
    const V t72 = x[1] * t47;
    const V t73 = t72 - t67;
    const V t74 = u0 * t68;
    const V t75 = x[0] * t68;
    y[0] = t74;
    y[1] = t71;
    y[2] = t61;
    y[3] = t75;
    y[4] = t73;
    y[5] = t63;
    y[6] = splat<V>(S(0.0));
    y[7] = splat<V>(S(0.0));
    y[8] = t48;
    y[9] = t45;
    y[10] = t53;
    y[11] = t40;
  }
};

// adam: update, jvp
template <class S, class V>
struct k_3d788a14d92e_jvp {
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
    const V t25 = t23;
    const V t26 = select_gt(tiny<V>(), t23, tiny<V>(), t25);
    const V t27 = select_ge(t23, tiny<V>(), t23, t26);
    const V t28 = sqrt_(t27);
    const V t29 = u6 * t28;
    const V t30 = u7 + t29;
    const V t31 = t17 / t30;
    const V t47 = u0 * x[3];
    const V t48 = x[0] * u8;
    const V t49 = t47 + t48;
    const V t50 = u1 * x[4];
    const V t51 = x[1] * u9;
    const V t52 = t50 + t51;
    const V t54 = u2 * t49;
    const V t55 = t12 * u9;
    const V t57 = t54 - t55;
    const V t58 = t52 + t57;
    const V t59 = t12 * t49;
    const V t60 = t59 + t59;
    const V t61 = u3 * x[5];
    const V t62 = x[2] * u10;
    const V t63 = t61 + t62;
    const V t65 = u4 * t60;
    const V t66 = t18 * u10;
    const V t68 = t65 - t66;
    const V t69 = t63 + t68;
    const V t70 = u11 + t69;
    const V t71 = select_ge(t23, tiny<V>(), t70, splat<V>(S(0.0)));
    const V t73 = t71 * splat<V>(S(0.5));
    const V t74 = t73 / t28;
    const V t75 = t28 * u12;
    const V t76 = u6 * t74;
    const V t77 = t75 + t76;
    const V t78 = u13 + t77;
    const V t79 = t31 * t78;
    const V t80 = t58 - t79;
    const V t81 = t80 / t30;
    const V t82 = t31 * u14;
    const V t83 = u15 * t81;
    const V t84 = t82 + t83;
    const V t85 = -t84;
    y[0] = t85;
    y[1] = t58;
    y[2] = t69;
  }
};

// adam: update, vjp_vjp
template <class S, class V>
struct k_3d788a14d92e_vjp_vjp {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t20 / t33;
    const V t36 = u8 * x[3];
    const V t37 = t36 / t33;
    const V t38 = t34 * t37;
    const V t40 = u6 * t38;
    const V t42 = t40 * splat<V>(S(0.5));
    const V t43 = t42 / t31;
    const V t44 = select_ge(t26, tiny<V>(), t43, splat<V>(S(0.0)));
    const V t45 = x[5] + t44;
    const V t46 = u4 * t45;
    const V t58 = u0 * x[6];
    const V t60 = u1 * x[7];
    const V t62 = u2 * t58;
    const V t63 = t60 + t62;
    const V t64 = t58 + t58;
    const V t65 = t46 * t64;
    const V t66 = t15 * t64;
    const V t68 = u3 * x[8];
    const V t70 = u4 * t66;
    const V t71 = t68 + t70;
    const V t72 = select_ge(t26, tiny<V>(), t71, splat<V>(S(0.0)));
    const V t74 = t72 / t31;
    const V t75 = t43 * t74;
    const V t77 = splat<V>(S(0.5)) * t74;
    const V t80 = u6 * t77;
    const V t82 = t37 * t80;
    const V t83 = t34 * t80;
    const V t84 = t83 - t63;
    const V t85 = t84 / t33;
    const V t86 = t37 * t85;
    const V t87 = -t86;
    const V t89 = u8 * t85;
    const V t90 = t82 / t33;
    const V t91 = t34 * t90;
    const V t93 = t87 - t91;
    const V t95 = u6 * t93;
    const V t97 = t95 - t75;
    const V t98 = splat<V>(S(0.5)) * t97;
    const V t99 = t98 / t31;
    const V t100 = select_ge(t26, tiny<V>(), t99, splat<V>(S(0.0)));
    const V t104 = u4 * t100;
    const V t109 = u3 * t100;
    const V t112 = t15 * t104;
    const V t113 = t65 + t112;
    const V t114 = t112 + t113;
    const V t115 = u2 * t90;
    const V t117 = t114 + t115;
    const V t122 = u1 * t90;
    const V t125 = u0 * t117;
    y[0] = t125;
    y[1] = t122;
    y[2] = t109;
    y[3] = t89;
    y[4] = t63;
    y[5] = t71;
  }
};

// adam: update, vjps_vjps
template <class S, class V>
struct k_3d788a14d92e_vjps_vjps {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t20 / t33;
    const V t38 = u8 * x[3];
    const V t39 = t38 / t33;
    const V t40 = t34 * t39;
    const V t41 = x[4] - t39;
    const V t43 = u6 * t40;
    const V t45 = t43 * splat<V>(S(0.5));
    const V t46 = t45 / t31;
    const V t47 = select_ge(t26, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t48 = x[5] + t47;
    const V t49 = u4 * t48;
    const V t54 = t15 * t49;
    const V t55 = t54 + t54;
    const V t56 = u2 * t41;
    const V t58 = t55 + t56;
    const V t77 = t58 * u9;
    const V t78 = x[0] * u9;
    const V t79 = t58 * x[6];
    const V t80 = u0 * x[6];
    const V t81 = t78 + t80;
    const V t83 = t41 * u10;
    const V t84 = x[1] * u10;
    const V t85 = t41 * x[7];
    const V t86 = u1 * x[7];
    const V t87 = t84 + t86;
    const V t89 = t15 * u10;
    const V t91 = t87 - t89;
    const V t92 = t41 * t81;
    const V t93 = u2 * t81;
    const V t94 = t91 + t93;
    const V t95 = t81 + t81;
    const V t96 = t49 * t95;
    const V t97 = t15 * t95;
    const V t98 = t96 - t83;
    const V t100 = t48 * u11;
    const V t101 = x[2] * u11;
    const V t102 = t48 * x[8];
    const V t103 = u3 * x[8];
    const V t104 = t101 + t103;
    const V t106 = t21 * u11;
    const V t108 = t104 - t106;
    const V t109 = t48 * t97;
    const V t110 = u4 * t97;
    const V t111 = t108 + t110;
    const V t112 = u12 + t111;
    const V t113 = select_ge(t26, tiny<V>(), t112, splat<V>(S(0.0)));
    const V t116 = t113 / t31;
    const V t117 = t46 * t116;
    const V t119 = splat<V>(S(0.5)) * t116;
    const V t121 = t40 * t119;
    const V t122 = u6 * t119;
    const V t123 = u13 + t122;
    const V t124 = t40 * u14;
    const V t125 = t31 * u14;
    const V t126 = t124 - t117;
    const V t127 = t123 + t125;
    const V t129 = t39 * t127;
    const V t130 = t34 * t127;
    const V t131 = t130 - t94;
    const V t132 = t131 / t33;
    const V t133 = t39 * t132;
    const V t134 = -t133;
    const V t135 = x[3] * t132;
    const V t136 = u8 * t132;
    const V t138 = x[3] * u15;
    const V t140 = t34 * u15;
    const V t142 = t129 - t138;
    const V t143 = t136 - t140;
    const V t144 = t142 / t33;
    const V t145 = t34 * t144;
    const V t147 = t134 - t145;
    const V t148 = t31 * t147;
    const V t149 = u6 * t147;
    const V t150 = t121 + t148;
    const V t151 = t126 + t149;
    const V t152 = splat<V>(S(0.5)) * t151;
    const V t153 = t152 / t31;
    const V t154 = select_ge(t26, tiny<V>(), t153, splat<V>(S(0.0)));
    const V t158 = u4 * t154;
    const V t159 = t21 * t154;
    const V t160 = t158 - t100;
    const V t161 = t109 + t159;
    const V t163 = t102 - t161;
    const V t164 = u3 * t154;
    const V t165 = x[2] * t154;
    const V t166 = t100 + t164;
    const V t167 = t163 + t165;
    const V t168 = t15 * t160;
    const V t169 = t98 + t168;
    const V t170 = t168 + t169;
    const V t171 = u2 * t144;
    const V t172 = t15 * t144;
    const V t173 = t170 + t171;
    const V t174 = t92 + t172;
    const V t177 = t85 - t174;
    const V t178 = u1 * t144;
    const V t179 = x[1] * t144;
    const V t180 = t83 + t178;
    const V t181 = t177 + t179;
    const V t182 = u0 * t173;
    const V t183 = x[0] * t173;
    const V t184 = t77 + t182;
    const V t185 = t79 + t183;
    y[0] = t184;
    y[1] = t180;
    y[2] = t166;
    y[3] = t143;
    y[4] = t94;
    y[5] = t111;
    y[6] = t185;
    y[7] = t181;
    y[8] = t167;
    y[9] = splat<V>(S(0.0));
    y[10] = splat<V>(S(0.0));
    y[11] = t150;
    y[12] = t147;
    y[13] = t154;
    y[14] = t135;
  }
};

// adam: parameters, forward
template <class S, class V>
struct k_80ee7513e8a4_forward {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t18 / t31;
    const V t34 = u8 * t32;
    const V t36 = x[1] - t34;
    y[0] = t36;
    y[1] = t18;
    y[2] = t23;
  }
};

// adam: parameters, vjp
template <class S, class V>
struct k_80ee7513e8a4_vjp {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t18 / t31;
    const V t42 = u8 * x[4];
    const V t44 = t42 / t31;
    const V t46 = t32 * t44;
    const V t48 = x[5] - t44;
    const V t50 = u6 * t46;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t29;
    const V t54 = select_ge(t24, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t58 = x[6] + t54;
    const V t59 = u4 * t58;
    const V t62 = u3 * t58;
    const V t65 = t13 * t59;
    const V t66 = t65 + t65;
    const V t67 = u2 * t48;
    const V t69 = t66 + t67;
    const V t72 = u1 * t48;
    const V t75 = u0 * t69;
    y[0] = t75;
    y[1] = x[4];
    y[2] = t72;
    y[3] = t62;
  }
};

// adam: parameters, vjps
template <class S, class V>
struct k_80ee7513e8a4_vjps {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t18 / t31;
    const V t40 = t32 * x[4];
    const V t41 = -t40;
    const V t42 = u8 * x[4];
    const V t44 = t42 / t31;
    const V t46 = t32 * t44;
    const V t48 = x[5] - t44;
    const V t49 = t29 * t46;
    const V t50 = u6 * t46;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t29;
    const V t54 = select_ge(t24, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t58 = x[6] + t54;
    const V t59 = u4 * t58;
    const V t60 = t19 * t58;
    const V t62 = u3 * t58;
    const V t63 = x[3] * t58;
    const V t64 = t63 - t60;
    const V t65 = t13 * t59;
    const V t66 = t65 + t65;
    const V t67 = u2 * t48;
    const V t68 = t13 * t48;
    const V t69 = t66 + t67;
    const V t72 = u1 * t48;
    const V t73 = x[2] * t48;
    const V t74 = t73 - t68;
    const V t75 = u0 * t69;
    const V t76 = x[0] * t69;
    y[0] = t75;
    y[1] = x[4];
    y[2] = t72;
    y[3] = t62;
    y[4] = t76;
    y[5] = t74;
    y[6] = t64;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t49;
    y[10] = t46;
    y[11] = t54;
    y[12] = t41;
  }
};

// adam: parameters, jvp
template <class S, class V>
struct k_80ee7513e8a4_jvp {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u6 * t29;
    const V t31 = u7 + t30;
    const V t32 = t18 / t31;
    const V t49 = u0 * x[4];
    const V t50 = x[0] * u8;
    const V t51 = t49 + t50;
    const V t52 = u1 * x[6];
    const V t53 = x[2] * u9;
    const V t54 = t52 + t53;
    const V t56 = u2 * t51;
    const V t57 = t13 * u9;
    const V t59 = t56 - t57;
    const V t60 = t54 + t59;
    const V t61 = t13 * t51;
    const V t62 = t61 + t61;
    const V t63 = u3 * x[7];
    const V t64 = x[3] * u10;
    const V t65 = t63 + t64;
    const V t67 = u4 * t62;
    const V t68 = t19 * u10;
    const V t70 = t67 - t68;
    const V t71 = t65 + t70;
    const V t72 = u11 + t71;
    const V t73 = select_ge(t24, tiny<V>(), t72, splat<V>(S(0.0)));
    const V t75 = t73 * splat<V>(S(0.5));
    const V t76 = t75 / t29;
    const V t77 = t29 * u12;
    const V t78 = u6 * t76;
    const V t79 = t77 + t78;
    const V t80 = u13 + t79;
    const V t81 = t32 * t80;
    const V t82 = t60 - t81;
    const V t83 = t82 / t31;
    const V t84 = t32 * u14;
    const V t85 = u15 * t83;
    const V t86 = t84 + t85;
    const V t87 = x[5] - t86;
    y[0] = t87;
    y[1] = t60;
    y[2] = t71;
  }
};

// adam: parameters, vjp_vjp
template <class S, class V>
struct k_80ee7513e8a4_vjp_vjp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t21 / t34;
    const V t37 = u8 * x[4];
    const V t38 = t37 / t34;
    const V t39 = t35 * t38;
    const V t41 = u6 * t39;
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t32;
    const V t45 = select_ge(t27, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t46 = x[6] + t45;
    const V t47 = u4 * t46;
    const V t60 = u0 * x[7];
    const V t62 = u1 * x[9];
    const V t64 = u2 * t60;
    const V t65 = t62 + t64;
    const V t66 = t60 + t60;
    const V t67 = t47 * t66;
    const V t68 = t16 * t66;
    const V t70 = u3 * x[10];
    const V t72 = u4 * t68;
    const V t73 = t70 + t72;
    const V t74 = select_ge(t27, tiny<V>(), t73, splat<V>(S(0.0)));
    const V t76 = t74 / t32;
    const V t77 = t44 * t76;
    const V t79 = splat<V>(S(0.5)) * t76;
    const V t82 = u6 * t79;
    const V t84 = t38 * t82;
    const V t85 = t35 * t82;
    const V t86 = t85 - t65;
    const V t87 = t86 / t34;
    const V t88 = t38 * t87;
    const V t89 = -t88;
    const V t91 = u8 * t87;
    const V t92 = x[8] + t91;
    const V t93 = t84 / t34;
    const V t94 = t35 * t93;
    const V t96 = t89 - t94;
    const V t98 = u6 * t96;
    const V t100 = t98 - t77;
    const V t101 = splat<V>(S(0.5)) * t100;
    const V t102 = t101 / t32;
    const V t103 = select_ge(t27, tiny<V>(), t102, splat<V>(S(0.0)));
    const V t107 = u4 * t103;
    const V t112 = u3 * t103;
    const V t115 = t16 * t107;
    const V t116 = t67 + t115;
    const V t117 = t115 + t116;
    const V t118 = u2 * t93;
    const V t120 = t117 + t118;
    const V t125 = u1 * t93;
    const V t128 = u0 * t120;
    y[0] = t128;
    y[1] = splat<V>(S(0.0));
    y[2] = t125;
    y[3] = t112;
    y[4] = t92;
    y[5] = t65;
    y[6] = t73;
  }
};

// adam: parameters, vjps_vjps
template <class S, class V>
struct k_80ee7513e8a4_vjps_vjps {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t21 / t34;
    const V t39 = u8 * x[4];
    const V t40 = t39 / t34;
    const V t41 = t35 * t40;
    const V t42 = x[5] - t40;
    const V t44 = u6 * t41;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t32;
    const V t48 = select_ge(t27, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[6] + t48;
    const V t50 = u4 * t49;
    const V t55 = t16 * t50;
    const V t56 = t55 + t55;
    const V t57 = u2 * t42;
    const V t59 = t56 + t57;
    const V t79 = t59 * u9;
    const V t80 = x[0] * u9;
    const V t81 = t59 * x[7];
    const V t82 = u0 * x[7];
    const V t83 = t80 + t82;
    const V t85 = t42 * u10;
    const V t86 = x[2] * u10;
    const V t87 = t42 * x[9];
    const V t88 = u1 * x[9];
    const V t89 = t86 + t88;
    const V t91 = t16 * u10;
    const V t93 = t89 - t91;
    const V t94 = t42 * t83;
    const V t95 = u2 * t83;
    const V t96 = t93 + t95;
    const V t97 = t83 + t83;
    const V t98 = t50 * t97;
    const V t99 = t16 * t97;
    const V t100 = t98 - t85;
    const V t102 = t49 * u11;
    const V t103 = x[3] * u11;
    const V t104 = t49 * x[10];
    const V t105 = u3 * x[10];
    const V t106 = t103 + t105;
    const V t108 = t22 * u11;
    const V t110 = t106 - t108;
    const V t111 = t49 * t99;
    const V t112 = u4 * t99;
    const V t113 = t110 + t112;
    const V t114 = u12 + t113;
    const V t115 = select_ge(t27, tiny<V>(), t114, splat<V>(S(0.0)));
    const V t118 = t115 / t32;
    const V t119 = t47 * t118;
    const V t121 = splat<V>(S(0.5)) * t118;
    const V t123 = t41 * t121;
    const V t124 = u6 * t121;
    const V t125 = u13 + t124;
    const V t126 = t41 * u14;
    const V t127 = t32 * u14;
    const V t128 = t126 - t119;
    const V t129 = t125 + t127;
    const V t131 = t40 * t129;
    const V t132 = t35 * t129;
    const V t133 = t132 - t96;
    const V t134 = t133 / t34;
    const V t135 = t40 * t134;
    const V t136 = -t135;
    const V t137 = x[4] * t134;
    const V t138 = u8 * t134;
    const V t139 = x[8] + t138;
    const V t141 = x[4] * u15;
    const V t143 = t35 * u15;
    const V t145 = t131 - t141;
    const V t146 = t139 - t143;
    const V t147 = t145 / t34;
    const V t148 = t35 * t147;
    const V t150 = t136 - t148;
    const V t151 = t32 * t150;
    const V t152 = u6 * t150;
    const V t153 = t123 + t151;
    const V t154 = t128 + t152;
    const V t155 = splat<V>(S(0.5)) * t154;
    const V t156 = t155 / t32;
    const V t157 = select_ge(t27, tiny<V>(), t156, splat<V>(S(0.0)));
    const V t161 = u4 * t157;
    const V t162 = t22 * t157;
    const V t163 = t161 - t102;
    const V t164 = t111 + t162;
    const V t166 = t104 - t164;
    const V t167 = u3 * t157;
    const V t168 = x[3] * t157;
    const V t169 = t102 + t167;
    const V t170 = t166 + t168;
    const V t171 = t16 * t163;
    const V t172 = t100 + t171;
    const V t173 = t171 + t172;
    const V t174 = u2 * t147;
    const V t175 = t16 * t147;
    const V t176 = t173 + t174;
    const V t177 = t94 + t175;
    const V t180 = t87 - t177;
    const V t181 = u1 * t147;
    const V t182 = x[2] * t147;
    const V t183 = t85 + t181;
    const V t184 = t180 + t182;
    const V t185 = u0 * t176;
    const V t186 = x[0] * t176;
    const V t187 = t79 + t185;
    const V t188 = t81 + t186;
    y[0] = t187;
    y[1] = splat<V>(S(0.0));
    y[2] = t183;
    y[3] = t169;
    y[4] = t146;
    y[5] = t96;
    y[6] = t113;
    y[7] = t188;
    y[8] = t184;
    y[9] = t170;
    y[10] = splat<V>(S(0.0));
    y[11] = splat<V>(S(0.0));
    y[12] = t153;
    y[13] = t150;
    y[14] = t157;
    y[15] = t137;
  }
};

// adam, weight decay: update, forward
template <class S, class V>
struct k_cae059d09728_forward {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t37 = u9 * t35;
    const V t38 = -t37;
    y[0] = t38;
    y[1] = t21;
    y[2] = t26;
  }
};

// adam, weight decay: update, vjp
template <class S, class V>
struct k_cae059d09728_vjp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t45 = u9 * x[4];
    const V t47 = t45 / t34;
    const V t49 = t35 * t47;
    const V t51 = x[5] - t47;
    const V t53 = u7 * t49;
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t32;
    const V t57 = select_ge(t27, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t61 = x[6] + t57;
    const V t62 = u5 * t61;
    const V t65 = u4 * t61;
    const V t68 = t16 * t62;
    const V t69 = t68 + t68;
    const V t70 = u3 * t51;
    const V t72 = t69 + t70;
    const V t75 = u2 * t51;
    const V t78 = u1 * t72;
    const V t80 = u0 * t72;
    y[0] = t80;
    y[1] = t78;
    y[2] = t75;
    y[3] = t65;
  }
};

// adam, weight decay: update, vjps
template <class S, class V>
struct k_cae059d09728_vjps {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t43 = t35 * x[4];
    const V t44 = -t43;
    const V t45 = u9 * x[4];
    const V t47 = t45 / t34;
    const V t49 = t35 * t47;
    const V t51 = x[5] - t47;
    const V t52 = t32 * t49;
    const V t53 = u7 * t49;
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t32;
    const V t57 = select_ge(t27, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t61 = x[6] + t57;
    const V t62 = u5 * t61;
    const V t63 = t22 * t61;
    const V t65 = u4 * t61;
    const V t66 = x[3] * t61;
    const V t67 = t66 - t63;
    const V t68 = t16 * t62;
    const V t69 = t68 + t68;
    const V t70 = u3 * t51;
    const V t71 = t16 * t51;
    const V t72 = t69 + t70;
    const V t75 = u2 * t51;
    const V t76 = x[2] * t51;
    const V t77 = t76 - t71;
    const V t78 = u1 * t72;
    const V t79 = x[1] * t72;
    const V t80 = u0 * t72;
    const V t81 = x[0] * t72;
    y[0] = t80;
    y[1] = t78;
    y[2] = t75;
    y[3] = t65;
    y[4] = t81;
    y[5] = t79;
    y[6] = t77;
    y[7] = t67;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t52;
    y[11] = t49;
    y[12] = t57;
    y[13] = t44;
  }
};

// adam, weight decay: update, jvp
template <class S, class V>
struct k_cae059d09728_jvp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t53 = u0 * x[4];
    const V t54 = x[0] * u9;
    const V t55 = t53 + t54;
    const V t56 = u1 * x[5];
    const V t57 = x[1] * u10;
    const V t58 = t56 + t57;
    const V t59 = t55 + t58;
    const V t60 = u2 * x[6];
    const V t61 = x[2] * u11;
    const V t62 = t60 + t61;
    const V t64 = u3 * t59;
    const V t65 = t16 * u11;
    const V t67 = t64 - t65;
    const V t68 = t62 + t67;
    const V t69 = t16 * t59;
    const V t70 = t69 + t69;
    const V t71 = u4 * x[7];
    const V t72 = x[3] * u12;
    const V t73 = t71 + t72;
    const V t75 = u5 * t70;
    const V t76 = t22 * u12;
    const V t78 = t75 - t76;
    const V t79 = t73 + t78;
    const V t80 = u13 + t79;
    const V t81 = select_ge(t27, tiny<V>(), t80, splat<V>(S(0.0)));
    const V t83 = t81 * splat<V>(S(0.5));
    const V t84 = t83 / t32;
    const V t85 = t32 * u14;
    const V t86 = u7 * t84;
    const V t87 = t85 + t86;
    const V t88 = u15 + t87;
    const V t89 = t35 * t88;
    const V t90 = t68 - t89;
    const V t91 = t90 / t34;
    const V t92 = t35 * u16;
    const V t93 = u17 * t91;
    const V t94 = t92 + t93;
    const V t95 = -t94;
    y[0] = t95;
    y[1] = t68;
    y[2] = t79;
  }
};

// adam, weight decay: update, vjp_vjp
template <class S, class V>
struct k_cae059d09728_vjp_vjp {
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
    const V t32 = t30;
    const V t33 = select_gt(tiny<V>(), t30, tiny<V>(), t32);
    const V t34 = select_ge(t30, tiny<V>(), t30, t33);
    const V t35 = sqrt_(t34);
    const V t36 = u7 * t35;
    const V t37 = u8 + t36;
    const V t38 = t24 / t37;
    const V t40 = u9 * x[4];
    const V t41 = t40 / t37;
    const V t42 = t38 * t41;
    const V t44 = u7 * t42;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t35;
    const V t48 = select_ge(t30, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[6] + t48;
    const V t50 = u5 * t49;
    const V t64 = u0 * x[7];
    const V t66 = u1 * x[8];
    const V t67 = t64 + t66;
    const V t69 = u2 * x[9];
    const V t71 = u3 * t67;
    const V t72 = t69 + t71;
    const V t73 = t67 + t67;
    const V t74 = t50 * t73;
    const V t75 = t19 * t73;
    const V t77 = u4 * x[10];
    const V t79 = u5 * t75;
    const V t80 = t77 + t79;
    const V t81 = select_ge(t30, tiny<V>(), t80, splat<V>(S(0.0)));
    const V t83 = t81 / t35;
    const V t84 = t47 * t83;
    const V t86 = splat<V>(S(0.5)) * t83;
    const V t89 = u7 * t86;
    const V t91 = t41 * t89;
    const V t92 = t38 * t89;
    const V t93 = t92 - t72;
    const V t94 = t93 / t37;
    const V t95 = t41 * t94;
    const V t96 = -t95;
    const V t98 = u9 * t94;
    const V t99 = t91 / t37;
    const V t100 = t38 * t99;
    const V t102 = t96 - t100;
    const V t104 = u7 * t102;
    const V t106 = t104 - t84;
    const V t107 = splat<V>(S(0.5)) * t106;
    const V t108 = t107 / t35;
    const V t109 = select_ge(t30, tiny<V>(), t108, splat<V>(S(0.0)));
    const V t113 = u5 * t109;
    const V t118 = u4 * t109;
    const V t121 = t19 * t113;
    const V t122 = t74 + t121;
    const V t123 = t121 + t122;
    const V t124 = u3 * t99;
    const V t126 = t123 + t124;
    const V t131 = u2 * t99;
    const V t134 = u1 * t126;
    const V t137 = u0 * t126;
    y[0] = t137;
    y[1] = t134;
    y[2] = t131;
    y[3] = t118;
    y[4] = t98;
    y[5] = t72;
    y[6] = t80;
  }
};

// adam, weight decay: update, vjps_vjps
template <class S, class V>
struct k_cae059d09728_vjps_vjps {
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
    const V t32 = t30;
    const V t33 = select_gt(tiny<V>(), t30, tiny<V>(), t32);
    const V t34 = select_ge(t30, tiny<V>(), t30, t33);
    const V t35 = sqrt_(t34);
    const V t36 = u7 * t35;
    const V t37 = u8 + t36;
    const V t38 = t24 / t37;
    const V t42 = u9 * x[4];
    const V t43 = t42 / t37;
    const V t44 = t38 * t43;
    const V t45 = x[5] - t43;
    const V t47 = u7 * t44;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t35;
    const V t51 = select_ge(t30, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[6] + t51;
    const V t53 = u5 * t52;
    const V t58 = t19 * t53;
    const V t59 = t58 + t58;
    const V t60 = u3 * t45;
    const V t62 = t59 + t60;
    const V t85 = t62 * u10;
    const V t86 = x[0] * u10;
    const V t87 = t62 * x[7];
    const V t88 = u0 * x[7];
    const V t89 = t86 + t88;
    const V t90 = t62 * u11;
    const V t91 = x[1] * u11;
    const V t92 = t89 + t91;
    const V t93 = t62 * x[8];
    const V t94 = u1 * x[8];
    const V t95 = t92 + t94;
    const V t97 = t45 * u12;
    const V t98 = x[2] * u12;
    const V t99 = t45 * x[9];
    const V t100 = u2 * x[9];
    const V t101 = t98 + t100;
    const V t103 = t19 * u12;
    const V t105 = t101 - t103;
    const V t106 = t45 * t95;
    const V t107 = u3 * t95;
    const V t108 = t105 + t107;
    const V t109 = t95 + t95;
    const V t110 = t53 * t109;
    const V t111 = t19 * t109;
    const V t112 = t110 - t97;
    const V t114 = t52 * u13;
    const V t115 = x[3] * u13;
    const V t116 = t52 * x[10];
    const V t117 = u4 * x[10];
    const V t118 = t115 + t117;
    const V t120 = t25 * u13;
    const V t122 = t118 - t120;
    const V t123 = t52 * t111;
    const V t124 = u5 * t111;
    const V t125 = t122 + t124;
    const V t126 = u14 + t125;
    const V t127 = select_ge(t30, tiny<V>(), t126, splat<V>(S(0.0)));
    const V t130 = t127 / t35;
    const V t131 = t50 * t130;
    const V t133 = splat<V>(S(0.5)) * t130;
    const V t135 = t44 * t133;
    const V t136 = u7 * t133;
    const V t137 = u15 + t136;
    const V t138 = t44 * u16;
    const V t139 = t35 * u16;
    const V t140 = t138 - t131;
    const V t141 = t137 + t139;
    const V t143 = t43 * t141;
    const V t144 = t38 * t141;
    const V t145 = t144 - t108;
    const V t146 = t145 / t37;
    const V t147 = t43 * t146;
    const V t148 = -t147;
    const V t149 = x[4] * t146;
    const V t150 = u9 * t146;
    const V t152 = x[4] * u17;
    const V t154 = t38 * u17;
    const V t156 = t143 - t152;
    const V t157 = t150 - t154;
    const V t158 = t156 / t37;
    const V t159 = t38 * t158;
    const V t161 = t148 - t159;
    const V t162 = t35 * t161;
    const V t163 = u7 * t161;
    const V t164 = t135 + t162;
    const V t165 = t140 + t163;
    const V t166 = splat<V>(S(0.5)) * t165;
    const V t167 = t166 / t35;
    const V t168 = select_ge(t30, tiny<V>(), t167, splat<V>(S(0.0)));
    const V t172 = u5 * t168;
    const V t173 = t25 * t168;
    const V t174 = t172 - t114;
    const V t175 = t123 + t173;
    const V t177 = t116 - t175;
    const V t178 = u4 * t168;
    const V t179 = x[3] * t168;
    const V t180 = t114 + t178;
    const V t181 = t177 + t179;
    const V t182 = t19 * t174;
    const V t183 = t112 + t182;
    const V t184 = t182 + t183;
    const V t185 = u3 * t158;
    const V t186 = t19 * t158;
    const V t187 = t184 + t185;
    const V t188 = t106 + t186;
    const V t191 = t99 - t188;
    const V t192 = u2 * t158;
    const V t193 = x[2] * t158;
    const V t194 = t97 + t192;
    const V t195 = t191 + t193;
    const V t196 = u1 * t187;
    const V t197 = x[1] * t187;
    const V t198 = t90 + t196;
    const V t199 = t93 + t197;
    const V t200 = u0 * t187;
    const V t201 = x[0] * t187;
    const V t202 = t85 + t200;
    const V t203 = t87 + t201;
    y[0] = t202;
    y[1] = t198;
    y[2] = t194;
    y[3] = t180;
    y[4] = t157;
    y[5] = t108;
    y[6] = t125;
    y[7] = t203;
    y[8] = t199;
    y[9] = t195;
    y[10] = t181;
    y[11] = splat<V>(S(0.0));
    y[12] = splat<V>(S(0.0));
    y[13] = t164;
    y[14] = t161;
    y[15] = t168;
    y[16] = t149;
  }
};

// adam, weight decay: parameters, forward
template <class S, class V>
struct k_773735b6e9d1_forward {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t37 = u9 * t35;
    const V t39 = x[1] - t37;
    y[0] = t39;
    y[1] = t21;
    y[2] = t26;
  }
};

// adam, weight decay: parameters, vjp
template <class S, class V>
struct k_773735b6e9d1_vjp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t45 = u9 * x[4];
    const V t47 = t45 / t34;
    const V t49 = t35 * t47;
    const V t51 = x[5] - t47;
    const V t53 = u7 * t49;
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t32;
    const V t57 = select_ge(t27, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t61 = x[6] + t57;
    const V t62 = u5 * t61;
    const V t65 = u4 * t61;
    const V t68 = t16 * t62;
    const V t69 = t68 + t68;
    const V t70 = u3 * t51;
    const V t72 = t69 + t70;
    const V t75 = u2 * t51;
    const V t78 = u1 * t72;
    const V t80 = x[4] + t78;
    const V t81 = u0 * t72;
    y[0] = t81;
    y[1] = t80;
    y[2] = t75;
    y[3] = t65;
  }
};

// adam, weight decay: parameters, vjps
template <class S, class V>
struct k_773735b6e9d1_vjps {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t43 = t35 * x[4];
    const V t44 = -t43;
    const V t45 = u9 * x[4];
    const V t47 = t45 / t34;
    const V t49 = t35 * t47;
    const V t51 = x[5] - t47;
    const V t52 = t32 * t49;
    const V t53 = u7 * t49;
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t32;
    const V t57 = select_ge(t27, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t61 = x[6] + t57;
    const V t62 = u5 * t61;
    const V t63 = t22 * t61;
    const V t65 = u4 * t61;
    const V t66 = x[3] * t61;
    const V t67 = t66 - t63;
    const V t68 = t16 * t62;
    const V t69 = t68 + t68;
    const V t70 = u3 * t51;
    const V t71 = t16 * t51;
    const V t72 = t69 + t70;
    const V t75 = u2 * t51;
    const V t76 = x[2] * t51;
    const V t77 = t76 - t71;
    const V t78 = u1 * t72;
    const V t79 = x[1] * t72;
    const V t80 = x[4] + t78;
    const V t81 = u0 * t72;
    const V t82 = x[0] * t72;
    y[0] = t81;
    y[1] = t80;
    y[2] = t75;
    y[3] = t65;
    y[4] = t82;
    y[5] = t79;
    y[6] = t77;
    y[7] = t67;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t52;
    y[11] = t49;
    y[12] = t57;
    y[13] = t44;
  }
};

// adam, weight decay: parameters, jvp
template <class S, class V>
struct k_773735b6e9d1_jvp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u7 * t32;
    const V t34 = u8 + t33;
    const V t35 = t21 / t34;
    const V t53 = u0 * x[4];
    const V t54 = x[0] * u9;
    const V t55 = t53 + t54;
    const V t56 = u1 * x[5];
    const V t57 = x[1] * u10;
    const V t58 = t56 + t57;
    const V t59 = t55 + t58;
    const V t60 = u2 * x[6];
    const V t61 = x[2] * u11;
    const V t62 = t60 + t61;
    const V t64 = u3 * t59;
    const V t65 = t16 * u11;
    const V t67 = t64 - t65;
    const V t68 = t62 + t67;
    const V t69 = t16 * t59;
    const V t70 = t69 + t69;
    const V t71 = u4 * x[7];
    const V t72 = x[3] * u12;
    const V t73 = t71 + t72;
    const V t75 = u5 * t70;
    const V t76 = t22 * u12;
    const V t78 = t75 - t76;
    const V t79 = t73 + t78;
    const V t80 = u13 + t79;
    const V t81 = select_ge(t27, tiny<V>(), t80, splat<V>(S(0.0)));
    const V t83 = t81 * splat<V>(S(0.5));
    const V t84 = t83 / t32;
    const V t85 = t32 * u14;
    const V t86 = u7 * t84;
    const V t87 = t85 + t86;
    const V t88 = u15 + t87;
    const V t89 = t35 * t88;
    const V t90 = t68 - t89;
    const V t91 = t90 / t34;
    const V t92 = t35 * u16;
    const V t93 = u17 * t91;
    const V t94 = t92 + t93;
    const V t95 = x[5] - t94;
    y[0] = t95;
    y[1] = t68;
    y[2] = t79;
  }
};

// adam, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_773735b6e9d1_vjp_vjp {
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
    const V t32 = t30;
    const V t33 = select_gt(tiny<V>(), t30, tiny<V>(), t32);
    const V t34 = select_ge(t30, tiny<V>(), t30, t33);
    const V t35 = sqrt_(t34);
    const V t36 = u7 * t35;
    const V t37 = u8 + t36;
    const V t38 = t24 / t37;
    const V t40 = u9 * x[4];
    const V t41 = t40 / t37;
    const V t42 = t38 * t41;
    const V t44 = u7 * t42;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t35;
    const V t48 = select_ge(t30, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[6] + t48;
    const V t50 = u5 * t49;
    const V t65 = u0 * x[7];
    const V t67 = u1 * x[8];
    const V t68 = t65 + t67;
    const V t70 = u2 * x[9];
    const V t72 = u3 * t68;
    const V t73 = t70 + t72;
    const V t74 = t68 + t68;
    const V t75 = t50 * t74;
    const V t76 = t19 * t74;
    const V t78 = u4 * x[10];
    const V t80 = u5 * t76;
    const V t81 = t78 + t80;
    const V t82 = select_ge(t30, tiny<V>(), t81, splat<V>(S(0.0)));
    const V t84 = t82 / t35;
    const V t85 = t47 * t84;
    const V t87 = splat<V>(S(0.5)) * t84;
    const V t90 = u7 * t87;
    const V t92 = t41 * t90;
    const V t93 = t38 * t90;
    const V t94 = t93 - t73;
    const V t95 = t94 / t37;
    const V t96 = t41 * t95;
    const V t97 = -t96;
    const V t99 = u9 * t95;
    const V t100 = x[8] + t99;
    const V t101 = t92 / t37;
    const V t102 = t38 * t101;
    const V t104 = t97 - t102;
    const V t106 = u7 * t104;
    const V t108 = t106 - t85;
    const V t109 = splat<V>(S(0.5)) * t108;
    const V t110 = t109 / t35;
    const V t111 = select_ge(t30, tiny<V>(), t110, splat<V>(S(0.0)));
    const V t115 = u5 * t111;
    const V t120 = u4 * t111;
    const V t123 = t19 * t115;
    const V t124 = t75 + t123;
    const V t125 = t123 + t124;
    const V t126 = u3 * t101;
    const V t128 = t125 + t126;
    const V t133 = u2 * t101;
    const V t136 = u1 * t128;
    const V t139 = u0 * t128;
    y[0] = t139;
    y[1] = t136;
    y[2] = t133;
    y[3] = t120;
    y[4] = t100;
    y[5] = t73;
    y[6] = t81;
  }
};

// adam, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_773735b6e9d1_vjps_vjps {
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
    const V t32 = t30;
    const V t33 = select_gt(tiny<V>(), t30, tiny<V>(), t32);
    const V t34 = select_ge(t30, tiny<V>(), t30, t33);
    const V t35 = sqrt_(t34);
    const V t36 = u7 * t35;
    const V t37 = u8 + t36;
    const V t38 = t24 / t37;
    const V t42 = u9 * x[4];
    const V t43 = t42 / t37;
    const V t44 = t38 * t43;
    const V t45 = x[5] - t43;
    const V t47 = u7 * t44;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t35;
    const V t51 = select_ge(t30, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[6] + t51;
    const V t53 = u5 * t52;
    const V t58 = t19 * t53;
    const V t59 = t58 + t58;
    const V t60 = u3 * t45;
    const V t62 = t59 + t60;
    const V t86 = t62 * u10;
    const V t87 = x[0] * u10;
    const V t88 = t62 * x[7];
    const V t89 = u0 * x[7];
    const V t90 = t87 + t89;
    const V t91 = t62 * u11;
    const V t92 = x[1] * u11;
    const V t93 = t90 + t92;
    const V t94 = t62 * x[8];
    const V t95 = u1 * x[8];
    const V t96 = t93 + t95;
    const V t98 = t45 * u12;
    const V t99 = x[2] * u12;
    const V t100 = t45 * x[9];
    const V t101 = u2 * x[9];
    const V t102 = t99 + t101;
    const V t104 = t19 * u12;
    const V t106 = t102 - t104;
    const V t107 = t45 * t96;
    const V t108 = u3 * t96;
    const V t109 = t106 + t108;
    const V t110 = t96 + t96;
    const V t111 = t53 * t110;
    const V t112 = t19 * t110;
    const V t113 = t111 - t98;
    const V t115 = t52 * u13;
    const V t116 = x[3] * u13;
    const V t117 = t52 * x[10];
    const V t118 = u4 * x[10];
    const V t119 = t116 + t118;
    const V t121 = t25 * u13;
    const V t123 = t119 - t121;
    const V t124 = t52 * t112;
    const V t125 = u5 * t112;
    const V t126 = t123 + t125;
    const V t127 = u14 + t126;
    const V t128 = select_ge(t30, tiny<V>(), t127, splat<V>(S(0.0)));
    const V t131 = t128 / t35;
    const V t132 = t50 * t131;
    const V t134 = splat<V>(S(0.5)) * t131;
    const V t136 = t44 * t134;
    const V t137 = u7 * t134;
    const V t138 = u15 + t137;
    const V t139 = t44 * u16;
    const V t140 = t35 * u16;
    const V t141 = t139 - t132;
    const V t142 = t138 + t140;
    const V t144 = t43 * t142;
    const V t145 = t38 * t142;
    const V t146 = t145 - t109;
    const V t147 = t146 / t37;
    const V t148 = t43 * t147;
    const V t149 = -t148;
    const V t150 = x[4] * t147;
    const V t151 = u9 * t147;
    const V t152 = x[8] + t151;
    const V t154 = x[4] * u17;
    const V t156 = t38 * u17;
    const V t158 = t144 - t154;
    const V t159 = t152 - t156;
    const V t160 = t158 / t37;
    const V t161 = t38 * t160;
    const V t163 = t149 - t161;
    const V t164 = t35 * t163;
    const V t165 = u7 * t163;
    const V t166 = t136 + t164;
    const V t167 = t141 + t165;
    const V t168 = splat<V>(S(0.5)) * t167;
    const V t169 = t168 / t35;
    const V t170 = select_ge(t30, tiny<V>(), t169, splat<V>(S(0.0)));
    const V t174 = u5 * t170;
    const V t175 = t25 * t170;
    const V t176 = t174 - t115;
    const V t177 = t124 + t175;
    const V t179 = t117 - t177;
    const V t180 = u4 * t170;
    const V t181 = x[3] * t170;
    const V t182 = t115 + t180;
    const V t183 = t179 + t181;
    const V t184 = t19 * t176;
    const V t185 = t113 + t184;
    const V t186 = t184 + t185;
    const V t187 = u3 * t160;
    const V t188 = t19 * t160;
    const V t189 = t186 + t187;
    const V t190 = t107 + t188;
    const V t193 = t100 - t190;
    const V t194 = u2 * t160;
    const V t195 = x[2] * t160;
    const V t196 = t98 + t194;
    const V t197 = t193 + t195;
    const V t198 = u1 * t189;
    const V t199 = x[1] * t189;
    const V t200 = t91 + t198;
    const V t201 = t94 + t199;
    const V t202 = u0 * t189;
    const V t203 = x[0] * t189;
    const V t204 = t86 + t202;
    const V t205 = t88 + t203;
    y[0] = t204;
    y[1] = t200;
    y[2] = t196;
    y[3] = t182;
    y[4] = t159;
    y[5] = t109;
    y[6] = t126;
    y[7] = t205;
    y[8] = t201;
    y[9] = t197;
    y[10] = t183;
    y[11] = splat<V>(S(0.0));
    y[12] = splat<V>(S(0.0));
    y[13] = t166;
    y[14] = t163;
    y[15] = t170;
    y[16] = t150;
  }
};

// adamw: update, forward
template <class S, class V>
struct k_f31ff8132845_forward {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t37 = u9 * t35;
    const V t38 = -t37;
    y[0] = t38;
    y[1] = t19;
    y[2] = t24;
  }
};

// adamw: update, vjp
template <class S, class V>
struct k_f31ff8132845_vjp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t45 = u8 * x[4];
    const V t47 = u9 * t45;
    const V t48 = -t47;
    const V t51 = t45 / t32;
    const V t53 = t33 * t51;
    const V t55 = x[5] - t51;
    const V t57 = u6 * t53;
    const V t59 = t57 * splat<V>(S(0.5));
    const V t60 = t59 / t30;
    const V t61 = select_ge(t25, tiny<V>(), t60, splat<V>(S(0.0)));
    const V t65 = x[6] + t61;
    const V t66 = u4 * t65;
    const V t69 = u3 * t65;
    const V t72 = t14 * t66;
    const V t73 = t72 + t72;
    const V t74 = u2 * t55;
    const V t76 = t73 + t74;
    const V t79 = u1 * t55;
    const V t82 = u0 * t76;
    y[0] = t82;
    y[1] = t48;
    y[2] = t79;
    y[3] = t69;
  }
};

// adamw: update, vjps
template <class S, class V>
struct k_f31ff8132845_vjps {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t43 = t35 * x[4];
    const V t44 = -t43;
    const V t45 = u9 * x[4];
    const V t47 = u8 * t45;
    const V t48 = -t47;
    const V t49 = x[1] * t45;
    const V t50 = -t49;
    const V t51 = t45 / t32;
    const V t53 = t33 * t51;
    const V t55 = x[5] - t51;
    const V t56 = t30 * t53;
    const V t57 = u6 * t53;
    const V t59 = t57 * splat<V>(S(0.5));
    const V t60 = t59 / t30;
    const V t61 = select_ge(t25, tiny<V>(), t60, splat<V>(S(0.0)));
    const V t65 = x[6] + t61;
    const V t66 = u4 * t65;
    const V t67 = t20 * t65;
    const V t69 = u3 * t65;
    const V t70 = x[3] * t65;
    const V t71 = t70 - t67;
    const V t72 = t14 * t66;
    const V t73 = t72 + t72;
    const V t74 = u2 * t55;
    const V t75 = t14 * t55;
    const V t76 = t73 + t74;
    const V t79 = u1 * t55;
    const V t80 = x[2] * t55;
    const V t81 = t80 - t75;
    const V t82 = u0 * t76;
    const V t83 = x[0] * t76;
    y[0] = t82;
    y[1] = t48;
    y[2] = t79;
    y[3] = t69;
    y[4] = t83;
    y[5] = t81;
    y[6] = t71;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t56;
    y[10] = t53;
    y[11] = t61;
    y[12] = t50;
    y[13] = t44;
  }
};

// adamw: update, jvp
template <class S, class V>
struct k_f31ff8132845_jvp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t53 = u0 * x[4];
    const V t54 = x[0] * u9;
    const V t55 = t53 + t54;
    const V t56 = u1 * x[6];
    const V t57 = x[2] * u10;
    const V t58 = t56 + t57;
    const V t60 = u2 * t55;
    const V t61 = t14 * u10;
    const V t63 = t60 - t61;
    const V t64 = t58 + t63;
    const V t65 = t14 * t55;
    const V t66 = t65 + t65;
    const V t67 = u3 * x[7];
    const V t68 = x[3] * u11;
    const V t69 = t67 + t68;
    const V t71 = u4 * t66;
    const V t72 = t20 * u11;
    const V t74 = t71 - t72;
    const V t75 = t69 + t74;
    const V t76 = u12 + t75;
    const V t77 = select_ge(t25, tiny<V>(), t76, splat<V>(S(0.0)));
    const V t79 = t77 * splat<V>(S(0.5));
    const V t80 = t79 / t30;
    const V t81 = t30 * u13;
    const V t82 = u6 * t80;
    const V t83 = t81 + t82;
    const V t84 = u14 + t83;
    const V t85 = t33 * t84;
    const V t86 = t64 - t85;
    const V t87 = t86 / t32;
    const V t88 = u8 * x[5];
    const V t89 = x[1] * u15;
    const V t90 = t88 + t89;
    const V t91 = t87 + t90;
    const V t92 = t35 * u16;
    const V t93 = u17 * t91;
    const V t94 = t92 + t93;
    const V t95 = -t94;
    y[0] = t95;
    y[1] = t64;
    y[2] = t75;
  }
};

// adamw: update, vjp_vjp
template <class S, class V>
struct k_f31ff8132845_vjp_vjp {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 * t33;
    const V t35 = u7 + t34;
    const V t36 = t22 / t35;
    const V t38 = u8 * x[4];
    const V t41 = t38 / t35;
    const V t42 = t36 * t41;
    const V t44 = u6 * t42;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t33;
    const V t48 = select_ge(t28, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[6] + t48;
    const V t50 = u4 * t49;
    const V t63 = u0 * x[7];
    const V t65 = u1 * x[9];
    const V t67 = u2 * t63;
    const V t68 = t65 + t67;
    const V t69 = t63 + t63;
    const V t70 = t50 * t69;
    const V t71 = t17 * t69;
    const V t73 = u3 * x[10];
    const V t75 = u4 * t71;
    const V t76 = t73 + t75;
    const V t77 = select_ge(t28, tiny<V>(), t76, splat<V>(S(0.0)));
    const V t79 = t77 / t33;
    const V t80 = t47 * t79;
    const V t82 = splat<V>(S(0.5)) * t79;
    const V t85 = u6 * t82;
    const V t87 = t41 * t85;
    const V t88 = t36 * t85;
    const V t89 = t88 - t68;
    const V t90 = t89 / t35;
    const V t91 = t41 * t90;
    const V t92 = -t91;
    const V t96 = u9 * x[8];
    const V t98 = t90 - t96;
    const V t100 = u8 * t98;
    const V t101 = t87 / t35;
    const V t102 = t36 * t101;
    const V t104 = t92 - t102;
    const V t106 = u6 * t104;
    const V t108 = t106 - t80;
    const V t109 = splat<V>(S(0.5)) * t108;
    const V t110 = t109 / t33;
    const V t111 = select_ge(t28, tiny<V>(), t110, splat<V>(S(0.0)));
    const V t115 = u4 * t111;
    const V t120 = u3 * t111;
    const V t123 = t17 * t115;
    const V t124 = t70 + t123;
    const V t125 = t123 + t124;
    const V t126 = u2 * t101;
    const V t128 = t125 + t126;
    const V t133 = u1 * t101;
    const V t136 = u0 * t128;
    y[0] = t136;
    y[1] = splat<V>(S(0.0));
    y[2] = t133;
    y[3] = t120;
    y[4] = t100;
    y[5] = t68;
    y[6] = t76;
  }
};

// adamw: update, vjps_vjps
template <class S, class V>
struct k_f31ff8132845_vjps_vjps {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 * t33;
    const V t35 = u7 + t34;
    const V t36 = t22 / t35;
    const V t37 = x[1] * u8;
    const V t38 = t36 + t37;
    const V t42 = u9 * x[4];
    const V t47 = t42 / t35;
    const V t48 = t36 * t47;
    const V t49 = x[5] - t47;
    const V t51 = u6 * t48;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t33;
    const V t55 = select_ge(t28, tiny<V>(), t54, splat<V>(S(0.0)));
    const V t56 = x[6] + t55;
    const V t57 = u4 * t56;
    const V t62 = t17 * t57;
    const V t63 = t62 + t62;
    const V t64 = u2 * t49;
    const V t66 = t63 + t64;
    const V t87 = t66 * u10;
    const V t88 = x[0] * u10;
    const V t89 = t66 * x[7];
    const V t90 = u0 * x[7];
    const V t91 = t88 + t90;
    const V t93 = t49 * u11;
    const V t94 = x[2] * u11;
    const V t95 = t49 * x[9];
    const V t96 = u1 * x[9];
    const V t97 = t94 + t96;
    const V t99 = t17 * u11;
    const V t101 = t97 - t99;
    const V t102 = t49 * t91;
    const V t103 = u2 * t91;
    const V t104 = t101 + t103;
    const V t105 = t91 + t91;
    const V t106 = t57 * t105;
    const V t107 = t17 * t105;
    const V t108 = t106 - t93;
    const V t110 = t56 * u12;
    const V t111 = x[3] * u12;
    const V t112 = t56 * x[10];
    const V t113 = u3 * x[10];
    const V t114 = t111 + t113;
    const V t116 = t23 * u12;
    const V t118 = t114 - t116;
    const V t119 = t56 * t107;
    const V t120 = u4 * t107;
    const V t121 = t118 + t120;
    const V t122 = u13 + t121;
    const V t123 = select_ge(t28, tiny<V>(), t122, splat<V>(S(0.0)));
    const V t126 = t123 / t33;
    const V t127 = t54 * t126;
    const V t129 = splat<V>(S(0.5)) * t126;
    const V t131 = t48 * t129;
    const V t132 = u6 * t129;
    const V t133 = u14 + t132;
    const V t134 = t48 * u15;
    const V t135 = t33 * u15;
    const V t136 = t134 - t127;
    const V t137 = t133 + t135;
    const V t139 = t47 * t137;
    const V t140 = t36 * t137;
    const V t141 = t140 - t104;
    const V t142 = t141 / t35;
    const V t143 = t47 * t142;
    const V t144 = -t143;
    const V t146 = t42 * u16;
    const V t147 = -t146;
    const V t148 = x[1] * u16;
    const V t150 = t142 - t148;
    const V t152 = t42 * x[8];
    const V t153 = -t152;
    const V t154 = u8 * x[8];
    const V t156 = t150 - t154;
    const V t157 = x[4] * t156;
    const V t158 = u9 * t156;
    const V t160 = x[4] * u17;
    const V t162 = t38 * u17;
    const V t164 = t158 - t162;
    const V t165 = t139 - t160;
    const V t166 = u8 * t160;
    const V t168 = x[1] * t160;
    const V t170 = t147 - t166;
    const V t171 = t153 - t168;
    const V t172 = t165 / t35;
    const V t173 = t36 * t172;
    const V t175 = t144 - t173;
    const V t176 = t33 * t175;
    const V t177 = u6 * t175;
    const V t178 = t131 + t176;
    const V t179 = t136 + t177;
    const V t180 = splat<V>(S(0.5)) * t179;
    const V t181 = t180 / t33;
    const V t182 = select_ge(t28, tiny<V>(), t181, splat<V>(S(0.0)));
    const V t186 = u4 * t182;
    const V t187 = t23 * t182;
    const V t188 = t186 - t110;
    const V t189 = t119 + t187;
    const V t191 = t112 - t189;
    const V t192 = u3 * t182;
    const V t193 = x[3] * t182;
    const V t194 = t110 + t192;
    const V t195 = t191 + t193;
    const V t196 = t17 * t188;
    const V t197 = t108 + t196;
    const V t198 = t196 + t197;
    const V t199 = u2 * t172;
    const V t200 = t17 * t172;
    const V t201 = t198 + t199;
    const V t202 = t102 + t200;
    const V t205 = t95 - t202;
    const V t206 = u1 * t172;
    const V t207 = x[2] * t172;
    const V t208 = t93 + t206;
    const V t209 = t205 + t207;
    const V t210 = u0 * t201;
    const V t211 = x[0] * t201;
    const V t212 = t87 + t210;
    const V t213 = t89 + t211;
    y[0] = t212;
    y[1] = t170;
    y[2] = t208;
    y[3] = t194;
    y[4] = t164;
    y[5] = t104;
    y[6] = t121;
    y[7] = t213;
    y[8] = t209;
    y[9] = t195;
    y[10] = splat<V>(S(0.0));
    y[11] = splat<V>(S(0.0));
    y[12] = t178;
    y[13] = t175;
    y[14] = t182;
    y[15] = t171;
    y[16] = t157;
  }
};

// adamw: parameters, forward
template <class S, class V>
struct k_1e262230d77d_forward {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t37 = u9 * t35;
    const V t39 = x[1] - t37;
    y[0] = t39;
    y[1] = t19;
    y[2] = t24;
  }
};

// adamw: parameters, vjp
template <class S, class V>
struct k_1e262230d77d_vjp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t45 = u8 * x[4];
    const V t47 = u9 * t45;
    const V t51 = x[4] - t47;
    const V t52 = t45 / t32;
    const V t54 = t33 * t52;
    const V t56 = x[5] - t52;
    const V t58 = u6 * t54;
    const V t60 = t58 * splat<V>(S(0.5));
    const V t61 = t60 / t30;
    const V t62 = select_ge(t25, tiny<V>(), t61, splat<V>(S(0.0)));
    const V t66 = x[6] + t62;
    const V t67 = u4 * t66;
    const V t70 = u3 * t66;
    const V t73 = t14 * t67;
    const V t74 = t73 + t73;
    const V t75 = u2 * t56;
    const V t77 = t74 + t75;
    const V t80 = u1 * t56;
    const V t83 = u0 * t77;
    y[0] = t83;
    y[1] = t51;
    y[2] = t80;
    y[3] = t70;
  }
};

// adamw: parameters, vjps
template <class S, class V>
struct k_1e262230d77d_vjps {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t43 = t35 * x[4];
    const V t44 = -t43;
    const V t45 = u9 * x[4];
    const V t47 = u8 * t45;
    const V t49 = x[1] * t45;
    const V t50 = -t49;
    const V t51 = x[4] - t47;
    const V t52 = t45 / t32;
    const V t54 = t33 * t52;
    const V t56 = x[5] - t52;
    const V t57 = t30 * t54;
    const V t58 = u6 * t54;
    const V t60 = t58 * splat<V>(S(0.5));
    const V t61 = t60 / t30;
    const V t62 = select_ge(t25, tiny<V>(), t61, splat<V>(S(0.0)));
    const V t66 = x[6] + t62;
    const V t67 = u4 * t66;
    const V t68 = t20 * t66;
    const V t70 = u3 * t66;
    const V t71 = x[3] * t66;
    const V t72 = t71 - t68;
    const V t73 = t14 * t67;
    const V t74 = t73 + t73;
    const V t75 = u2 * t56;
    const V t76 = t14 * t56;
    const V t77 = t74 + t75;
    const V t80 = u1 * t56;
    const V t81 = x[2] * t56;
    const V t82 = t81 - t76;
    const V t83 = u0 * t77;
    const V t84 = x[0] * t77;
    y[0] = t83;
    y[1] = t51;
    y[2] = t80;
    y[3] = t70;
    y[4] = t84;
    y[5] = t82;
    y[6] = t72;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t57;
    y[10] = t54;
    y[11] = t62;
    y[12] = t50;
    y[13] = t44;
  }
};

// adamw: parameters, jvp
template <class S, class V>
struct k_1e262230d77d_jvp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t19 / t32;
    const V t34 = x[1] * u8;
    const V t35 = t33 + t34;
    const V t53 = u0 * x[4];
    const V t54 = x[0] * u9;
    const V t55 = t53 + t54;
    const V t56 = u1 * x[6];
    const V t57 = x[2] * u10;
    const V t58 = t56 + t57;
    const V t60 = u2 * t55;
    const V t61 = t14 * u10;
    const V t63 = t60 - t61;
    const V t64 = t58 + t63;
    const V t65 = t14 * t55;
    const V t66 = t65 + t65;
    const V t67 = u3 * x[7];
    const V t68 = x[3] * u11;
    const V t69 = t67 + t68;
    const V t71 = u4 * t66;
    const V t72 = t20 * u11;
    const V t74 = t71 - t72;
    const V t75 = t69 + t74;
    const V t76 = u12 + t75;
    const V t77 = select_ge(t25, tiny<V>(), t76, splat<V>(S(0.0)));
    const V t79 = t77 * splat<V>(S(0.5));
    const V t80 = t79 / t30;
    const V t81 = t30 * u13;
    const V t82 = u6 * t80;
    const V t83 = t81 + t82;
    const V t84 = u14 + t83;
    const V t85 = t33 * t84;
    const V t86 = t64 - t85;
    const V t87 = t86 / t32;
    const V t88 = u8 * x[5];
    const V t89 = x[1] * u15;
    const V t90 = t88 + t89;
    const V t91 = t87 + t90;
    const V t92 = t35 * u16;
    const V t93 = u17 * t91;
    const V t94 = t92 + t93;
    const V t95 = x[5] - t94;
    y[0] = t95;
    y[1] = t64;
    y[2] = t75;
  }
};

// adamw: parameters, vjp_vjp
template <class S, class V>
struct k_1e262230d77d_vjp_vjp {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 * t33;
    const V t35 = u7 + t34;
    const V t36 = t22 / t35;
    const V t38 = u8 * x[4];
    const V t41 = t38 / t35;
    const V t42 = t36 * t41;
    const V t44 = u6 * t42;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t33;
    const V t48 = select_ge(t28, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[6] + t48;
    const V t50 = u4 * t49;
    const V t63 = u0 * x[7];
    const V t65 = u1 * x[9];
    const V t67 = u2 * t63;
    const V t68 = t65 + t67;
    const V t69 = t63 + t63;
    const V t70 = t50 * t69;
    const V t71 = t17 * t69;
    const V t73 = u3 * x[10];
    const V t75 = u4 * t71;
    const V t76 = t73 + t75;
    const V t77 = select_ge(t28, tiny<V>(), t76, splat<V>(S(0.0)));
    const V t79 = t77 / t33;
    const V t80 = t47 * t79;
    const V t82 = splat<V>(S(0.5)) * t79;
    const V t85 = u6 * t82;
    const V t87 = t41 * t85;
    const V t88 = t36 * t85;
    const V t89 = t88 - t68;
    const V t90 = t89 / t35;
    const V t91 = t41 * t90;
    const V t92 = -t91;
    const V t96 = u9 * x[8];
    const V t98 = t90 - t96;
    const V t100 = u8 * t98;
    const V t101 = x[8] + t100;
    const V t102 = t87 / t35;
    const V t103 = t36 * t102;
    const V t105 = t92 - t103;
    const V t107 = u6 * t105;
    const V t109 = t107 - t80;
    const V t110 = splat<V>(S(0.5)) * t109;
    const V t111 = t110 / t33;
    const V t112 = select_ge(t28, tiny<V>(), t111, splat<V>(S(0.0)));
    const V t116 = u4 * t112;
    const V t121 = u3 * t112;
    const V t124 = t17 * t116;
    const V t125 = t70 + t124;
    const V t126 = t124 + t125;
    const V t127 = u2 * t102;
    const V t129 = t126 + t127;
    const V t134 = u1 * t102;
    const V t137 = u0 * t129;
    y[0] = t137;
    y[1] = splat<V>(S(0.0));
    y[2] = t134;
    y[3] = t121;
    y[4] = t101;
    y[5] = t68;
    y[6] = t76;
  }
};

// adamw: parameters, vjps_vjps
template <class S, class V>
struct k_1e262230d77d_vjps_vjps {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 * t33;
    const V t35 = u7 + t34;
    const V t36 = t22 / t35;
    const V t37 = x[1] * u8;
    const V t38 = t36 + t37;
    const V t42 = u9 * x[4];
    const V t47 = t42 / t35;
    const V t48 = t36 * t47;
    const V t49 = x[5] - t47;
    const V t51 = u6 * t48;
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t33;
    const V t55 = select_ge(t28, tiny<V>(), t54, splat<V>(S(0.0)));
    const V t56 = x[6] + t55;
    const V t57 = u4 * t56;
    const V t62 = t17 * t57;
    const V t63 = t62 + t62;
    const V t64 = u2 * t49;
    const V t66 = t63 + t64;
    const V t87 = t66 * u10;
    const V t88 = x[0] * u10;
    const V t89 = t66 * x[7];
    const V t90 = u0 * x[7];
    const V t91 = t88 + t90;
    const V t93 = t49 * u11;
    const V t94 = x[2] * u11;
    const V t95 = t49 * x[9];
    const V t96 = u1 * x[9];
    const V t97 = t94 + t96;
    const V t99 = t17 * u11;
    const V t101 = t97 - t99;
    const V t102 = t49 * t91;
    const V t103 = u2 * t91;
    const V t104 = t101 + t103;
    const V t105 = t91 + t91;
    const V t106 = t57 * t105;
    const V t107 = t17 * t105;
    const V t108 = t106 - t93;
    const V t110 = t56 * u12;
    const V t111 = x[3] * u12;
    const V t112 = t56 * x[10];
    const V t113 = u3 * x[10];
    const V t114 = t111 + t113;
    const V t116 = t23 * u12;
    const V t118 = t114 - t116;
    const V t119 = t56 * t107;
    const V t120 = u4 * t107;
    const V t121 = t118 + t120;
    const V t122 = u13 + t121;
    const V t123 = select_ge(t28, tiny<V>(), t122, splat<V>(S(0.0)));
    const V t126 = t123 / t33;
    const V t127 = t54 * t126;
    const V t129 = splat<V>(S(0.5)) * t126;
    const V t131 = t48 * t129;
    const V t132 = u6 * t129;
    const V t133 = u14 + t132;
    const V t134 = t48 * u15;
    const V t135 = t33 * u15;
    const V t136 = t134 - t127;
    const V t137 = t133 + t135;
    const V t139 = t47 * t137;
    const V t140 = t36 * t137;
    const V t141 = t140 - t104;
    const V t142 = t141 / t35;
    const V t143 = t47 * t142;
    const V t144 = -t143;
    const V t147 = t42 * u16;
    const V t148 = -t147;
    const V t149 = x[1] * u16;
    const V t151 = t142 - t149;
    const V t152 = t42 * x[8];
    const V t153 = -t152;
    const V t154 = u8 * x[8];
    const V t156 = t151 - t154;
    const V t157 = x[4] * t156;
    const V t158 = u9 * t156;
    const V t159 = x[8] + t158;
    const V t161 = x[4] * u17;
    const V t163 = t38 * u17;
    const V t165 = t159 - t163;
    const V t166 = t139 - t161;
    const V t167 = u8 * t161;
    const V t169 = x[1] * t161;
    const V t171 = t148 - t167;
    const V t172 = t153 - t169;
    const V t173 = t166 / t35;
    const V t174 = t36 * t173;
    const V t176 = t144 - t174;
    const V t177 = t33 * t176;
    const V t178 = u6 * t176;
    const V t179 = t131 + t177;
    const V t180 = t136 + t178;
    const V t181 = splat<V>(S(0.5)) * t180;
    const V t182 = t181 / t33;
    const V t183 = select_ge(t28, tiny<V>(), t182, splat<V>(S(0.0)));
    const V t187 = u4 * t183;
    const V t188 = t23 * t183;
    const V t189 = t187 - t110;
    const V t190 = t119 + t188;
    const V t192 = t112 - t190;
    const V t193 = u3 * t183;
    const V t194 = x[3] * t183;
    const V t195 = t110 + t193;
    const V t196 = t192 + t194;
    const V t197 = t17 * t189;
    const V t198 = t108 + t197;
    const V t199 = t197 + t198;
    const V t200 = u2 * t173;
    const V t201 = t17 * t173;
    const V t202 = t199 + t200;
    const V t203 = t102 + t201;
    const V t206 = t95 - t203;
    const V t207 = u1 * t173;
    const V t208 = x[2] * t173;
    const V t209 = t93 + t207;
    const V t210 = t206 + t208;
    const V t211 = u0 * t202;
    const V t212 = x[0] * t202;
    const V t213 = t87 + t211;
    const V t214 = t89 + t212;
    y[0] = t213;
    y[1] = t171;
    y[2] = t209;
    y[3] = t195;
    y[4] = t165;
    y[5] = t104;
    y[6] = t121;
    y[7] = t214;
    y[8] = t210;
    y[9] = t196;
    y[10] = splat<V>(S(0.0));
    y[11] = splat<V>(S(0.0));
    y[12] = t179;
    y[13] = t176;
    y[14] = t183;
    y[15] = t172;
    y[16] = t157;
  }
};

// adam, amsgrad: update, forward
template <class S, class V>
struct k_705a2fb2d333_forward {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t18 / t32;
    const V t35 = u8 * t33;
    const V t36 = -t35;
    y[0] = t36;
    y[1] = t18;
    y[2] = t23;
    y[3] = t24;
  }
};

// adam, amsgrad: update, vjp
template <class S, class V>
struct k_705a2fb2d333_vjp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t18 / t32;
    const V t44 = u8 * x[4];
    const V t46 = t44 / t32;
    const V t48 = t33 * t46;
    const V t50 = x[5] - t46;
    const V t52 = u6 * t48;
    const V t54 = t52 * splat<V>(S(0.5));
    const V t55 = t54 / t30;
    const V t56 = select_ge(t25, tiny<V>(), t55, splat<V>(S(0.0)));
    const V t60 = x[7] + t56;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = select_eq(x[3], t23, t61, t60);
    const V t63 = select_gt(t23, x[3], splat<V>(S(0.0)), t62);
    const V t64 = select_gt(x[3], t23, splat<V>(S(0.0)), t62);
    const V t65 = x[6] + t64;
    const V t66 = u4 * t65;
    const V t69 = u3 * t65;
    const V t72 = t13 * t66;
    const V t73 = t72 + t72;
    const V t74 = u2 * t50;
    const V t76 = t73 + t74;
    const V t79 = u1 * t50;
    const V t82 = u0 * t76;
    y[0] = t82;
    y[1] = t79;
    y[2] = t69;
    y[3] = t63;
  }
};

// adam, amsgrad: update, vjps
template <class S, class V>
struct k_705a2fb2d333_vjps {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t18 / t32;
    const V t42 = t33 * x[4];
    const V t43 = -t42;
    const V t44 = u8 * x[4];
    const V t46 = t44 / t32;
    const V t48 = t33 * t46;
    const V t50 = x[5] - t46;
    const V t51 = t30 * t48;
    const V t52 = u6 * t48;
    const V t54 = t52 * splat<V>(S(0.5));
    const V t55 = t54 / t30;
    const V t56 = select_ge(t25, tiny<V>(), t55, splat<V>(S(0.0)));
    const V t60 = x[7] + t56;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = select_eq(x[3], t23, t61, t60);
    const V t63 = select_gt(t23, x[3], splat<V>(S(0.0)), t62);
    const V t64 = select_gt(x[3], t23, splat<V>(S(0.0)), t62);
    const V t65 = x[6] + t64;
    const V t66 = u4 * t65;
    const V t67 = t19 * t65;
    const V t69 = u3 * t65;
    const V t70 = x[2] * t65;
    const V t71 = t70 - t67;
    const V t72 = t13 * t66;
    const V t73 = t72 + t72;
    const V t74 = u2 * t50;
    const V t75 = t13 * t50;
    const V t76 = t73 + t74;
    const V t79 = u1 * t50;
    const V t80 = x[1] * t50;
    const V t81 = t80 - t75;
    const V t82 = u0 * t76;
    const V t83 = x[0] * t76;
    y[0] = t82;
    y[1] = t79;
    y[2] = t69;
    y[3] = t63;
    y[4] = t83;
    y[5] = t81;
    y[6] = t71;
    y[7] = splat<V>(S(0.0));
    y[8] = splat<V>(S(0.0));
    y[9] = t51;
    y[10] = t48;
    y[11] = t56;
    y[12] = t43;
  }
};

// adam, amsgrad: update, jvp
template <class S, class V>
struct k_705a2fb2d333_jvp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u6 * t30;
    const V t32 = u7 + t31;
    const V t33 = t18 / t32;
    const V t50 = u0 * x[4];
    const V t51 = x[0] * u8;
    const V t52 = t50 + t51;
    const V t53 = u1 * x[5];
    const V t54 = x[1] * u9;
    const V t55 = t53 + t54;
    const V t57 = u2 * t52;
    const V t58 = t13 * u9;
    const V t60 = t57 - t58;
    const V t61 = t55 + t60;
    const V t62 = t13 * t52;
    const V t63 = t62 + t62;
    const V t64 = u3 * x[6];
    const V t65 = x[2] * u10;
    const V t66 = t64 + t65;
    const V t68 = u4 * t63;
    const V t69 = t19 * u10;
    const V t71 = t68 - t69;
    const V t72 = t66 + t71;
    const V t73 = x[7] + t72;
    const V t75 = t73 * splat<V>(S(0.5));
    const V t76 = select_eq(x[3], t23, t75, t73);
    const V t77 = select_gt(t23, x[3], t72, t76);
    const V t78 = select_gt(x[3], t23, x[7], t77);
    const V t79 = u11 + t78;
    const V t80 = select_ge(t25, tiny<V>(), t79, splat<V>(S(0.0)));
    const V t81 = splat<V>(S(0.5)) * t80;
    const V t82 = t81 / t30;
    const V t83 = t30 * u12;
    const V t84 = u6 * t82;
    const V t85 = t83 + t84;
    const V t86 = u13 + t85;
    const V t87 = t33 * t86;
    const V t88 = t61 - t87;
    const V t89 = t88 / t32;
    const V t90 = t33 * u14;
    const V t91 = u15 * t89;
    const V t92 = t90 + t91;
    const V t93 = -t92;
    y[0] = t93;
    y[1] = t61;
    y[2] = t72;
    y[3] = t78;
  }
};

// adam, amsgrad: update, vjp_vjp
template <class S, class V>
struct k_705a2fb2d333_vjp_vjp {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u6 * t34;
    const V t36 = u7 + t35;
    const V t37 = t22 / t36;
    const V t39 = u8 * x[4];
    const V t40 = t39 / t36;
    const V t41 = t37 * t40;
    const V t43 = u6 * t41;
    const V t45 = t43 * splat<V>(S(0.5));
    const V t46 = t45 / t34;
    const V t47 = select_ge(t29, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t48 = x[7] + t47;
    const V t49 = splat<V>(S(0.5)) * t48;
    const V t50 = select_eq(x[3], t27, t49, t48);
    const V t52 = select_gt(x[3], t27, splat<V>(S(0.0)), t50);
    const V t53 = x[6] + t52;
    const V t54 = u4 * t53;
    const V t67 = u0 * x[8];
    const V t69 = u1 * x[9];
    const V t71 = u2 * t67;
    const V t72 = t69 + t71;
    const V t73 = t67 + t67;
    const V t74 = t54 * t73;
    const V t75 = t17 * t73;
    const V t77 = u3 * x[10];
    const V t79 = u4 * t75;
    const V t80 = t77 + t79;
    const V t82 = select_gt(x[3], t27, splat<V>(S(0.0)), t80);
    const V t84 = select_gt(t27, x[3], splat<V>(S(0.0)), x[11]);
    const V t86 = t82 + t84;
    const V t87 = select_eq(x[3], t27, t86, splat<V>(S(0.0)));
    const V t88 = select_eq(x[3], t27, splat<V>(S(0.0)), t86);
    const V t90 = splat<V>(S(0.5)) * t87;
    const V t91 = t88 + t90;
    const V t92 = select_ge(t29, tiny<V>(), t91, splat<V>(S(0.0)));
    const V t95 = t92 / t34;
    const V t96 = t46 * t95;
    const V t98 = splat<V>(S(0.5)) * t95;
    const V t102 = u6 * t98;
    const V t104 = t40 * t102;
    const V t105 = t37 * t102;
    const V t106 = t105 - t72;
    const V t107 = t106 / t36;
    const V t108 = t40 * t107;
    const V t109 = -t108;
    const V t111 = u8 * t107;
    const V t112 = t104 / t36;
    const V t113 = t37 * t112;
    const V t115 = t109 - t113;
    const V t117 = u6 * t115;
    const V t119 = t117 - t96;
    const V t120 = splat<V>(S(0.5)) * t119;
    const V t121 = t120 / t34;
    const V t122 = select_ge(t29, tiny<V>(), t121, splat<V>(S(0.0)));
    const V t126 = splat<V>(S(0.5)) * t122;
    const V t127 = select_eq(x[3], t27, t126, t122);
    const V t128 = select_gt(t27, x[3], splat<V>(S(0.0)), t127);
    const V t129 = select_gt(x[3], t27, splat<V>(S(0.0)), t127);
    const V t130 = u4 * t129;
    const V t135 = u3 * t129;
    const V t138 = t17 * t130;
    const V t139 = t74 + t138;
    const V t140 = t138 + t139;
    const V t141 = u2 * t112;
    const V t143 = t140 + t141;
    const V t148 = u1 * t112;
    const V t151 = u0 * t143;
    y[0] = t151;
    y[1] = t148;
    y[2] = t135;
    y[3] = t128;
    y[4] = t111;
    y[5] = t72;
    y[6] = t80;
    y[7] = t91;
  }
};

// adam, amsgrad: update, vjps_vjps
template <class S, class V>
struct k_705a2fb2d333_vjps_vjps {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u6 * t34;
    const V t36 = u7 + t35;
    const V t37 = t22 / t36;
    const V t41 = u8 * x[4];
    const V t42 = t41 / t36;
    const V t43 = t37 * t42;
    const V t44 = x[5] - t42;
    const V t46 = u6 * t43;
    const V t48 = t46 * splat<V>(S(0.5));
    const V t49 = t48 / t34;
    const V t50 = select_ge(t29, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t51 = x[7] + t50;
    const V t52 = splat<V>(S(0.5)) * t51;
    const V t53 = select_eq(x[3], t27, t52, t51);
    const V t55 = select_gt(x[3], t27, splat<V>(S(0.0)), t53);
    const V t56 = x[6] + t55;
    const V t57 = u4 * t56;
    const V t62 = t17 * t57;
    const V t63 = t62 + t62;
    const V t64 = u2 * t44;
    const V t66 = t63 + t64;
    const V t86 = t66 * u9;
    const V t87 = x[0] * u9;
    const V t88 = t66 * x[8];
    const V t89 = u0 * x[8];
    const V t90 = t87 + t89;
    const V t92 = t44 * u10;
    const V t93 = x[1] * u10;
    const V t94 = t44 * x[9];
    const V t95 = u1 * x[9];
    const V t96 = t93 + t95;
    const V t98 = t17 * u10;
    const V t100 = t96 - t98;
    const V t101 = t44 * t90;
    const V t102 = u2 * t90;
    const V t103 = t100 + t102;
    const V t104 = t90 + t90;
    const V t105 = t57 * t104;
    const V t106 = t17 * t104;
    const V t107 = t105 - t92;
    const V t109 = t56 * u11;
    const V t110 = x[2] * u11;
    const V t111 = t56 * x[10];
    const V t112 = u3 * x[10];
    const V t113 = t110 + t112;
    const V t115 = t23 * u11;
    const V t117 = t113 - t115;
    const V t118 = t56 * t106;
    const V t119 = u4 * t106;
    const V t120 = t117 + t119;
    const V t122 = select_gt(x[3], t27, splat<V>(S(0.0)), t120);
    const V t125 = select_gt(t27, x[3], splat<V>(S(0.0)), x[11]);
    const V t127 = t122 + t125;
    const V t128 = select_eq(x[3], t27, t127, splat<V>(S(0.0)));
    const V t129 = select_eq(x[3], t27, splat<V>(S(0.0)), t127);
    const V t131 = splat<V>(S(0.5)) * t128;
    const V t132 = t129 + t131;
    const V t133 = u12 + t132;
    const V t134 = select_ge(t29, tiny<V>(), t133, splat<V>(S(0.0)));
    const V t137 = t134 / t34;
    const V t138 = t49 * t137;
    const V t140 = splat<V>(S(0.5)) * t137;
    const V t143 = t43 * t140;
    const V t144 = u6 * t140;
    const V t145 = u13 + t144;
    const V t146 = t43 * u14;
    const V t147 = t34 * u14;
    const V t148 = t146 - t138;
    const V t149 = t145 + t147;
    const V t151 = t42 * t149;
    const V t152 = t37 * t149;
    const V t153 = t152 - t103;
    const V t154 = t153 / t36;
    const V t155 = t42 * t154;
    const V t156 = -t155;
    const V t157 = x[4] * t154;
    const V t158 = u8 * t154;
    const V t160 = x[4] * u15;
    const V t162 = t37 * u15;
    const V t164 = t151 - t160;
    const V t165 = t158 - t162;
    const V t166 = t164 / t36;
    const V t167 = t37 * t166;
    const V t169 = t156 - t167;
    const V t170 = t34 * t169;
    const V t171 = u6 * t169;
    const V t172 = t143 + t170;
    const V t173 = t148 + t171;
    const V t174 = splat<V>(S(0.5)) * t173;
    const V t175 = t174 / t34;
    const V t176 = select_ge(t29, tiny<V>(), t175, splat<V>(S(0.0)));
    const V t180 = splat<V>(S(0.5)) * t176;
    const V t181 = select_eq(x[3], t27, t180, t176);
    const V t182 = select_gt(t27, x[3], splat<V>(S(0.0)), t181);
    const V t183 = select_gt(x[3], t27, splat<V>(S(0.0)), t181);
    const V t184 = u4 * t183;
    const V t185 = t23 * t183;
    const V t186 = t184 - t109;
    const V t187 = t118 + t185;
    const V t189 = t111 - t187;
    const V t190 = u3 * t183;
    const V t191 = x[2] * t183;
    const V t192 = t109 + t190;
    const V t193 = t189 + t191;
    const V t194 = t17 * t186;
    const V t195 = t107 + t194;
    const V t196 = t194 + t195;
    const V t197 = u2 * t166;
    const V t198 = t17 * t166;
    const V t199 = t196 + t197;
    const V t200 = t101 + t198;
    const V t203 = t94 - t200;
    const V t204 = u1 * t166;
    const V t205 = x[1] * t166;
    const V t206 = t92 + t204;
    const V t207 = t203 + t205;
    const V t208 = u0 * t199;
    const V t209 = x[0] * t199;
    const V t210 = t86 + t208;
    const V t211 = t88 + t209;
    y[0] = t210;
    y[1] = t206;
    y[2] = t192;
    y[3] = t182;
    y[4] = t165;
    y[5] = t103;
    y[6] = t120;
    y[7] = t132;
    y[8] = t211;
    y[9] = t207;
    y[10] = t193;
    y[11] = splat<V>(S(0.0));
    y[12] = splat<V>(S(0.0));
    y[13] = t172;
    y[14] = t169;
    y[15] = t176;
    y[16] = t157;
  }
};

// adam, amsgrad: parameters, forward
template <class S, class V>
struct k_59740b47a65f_forward {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t19 / t33;
    const V t36 = u8 * t34;
    const V t38 = x[1] - t36;
    y[0] = t38;
    y[1] = t19;
    y[2] = t24;
    y[3] = t25;
  }
};

// adam, amsgrad: parameters, vjp
template <class S, class V>
struct k_59740b47a65f_vjp {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t19 / t33;
    const V t45 = u8 * x[5];
    const V t47 = t45 / t33;
    const V t49 = t34 * t47;
    const V t51 = x[6] - t47;
    const V t53 = u6 * t49;
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t31;
    const V t57 = select_ge(t26, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t61 = x[8] + t57;
    const V t62 = splat<V>(S(0.5)) * t61;
    const V t63 = select_eq(x[4], t24, t62, t61);
    const V t64 = select_gt(t24, x[4], splat<V>(S(0.0)), t63);
    const V t65 = select_gt(x[4], t24, splat<V>(S(0.0)), t63);
    const V t66 = x[7] + t65;
    const V t67 = u4 * t66;
    const V t70 = u3 * t66;
    const V t73 = t14 * t67;
    const V t74 = t73 + t73;
    const V t75 = u2 * t51;
    const V t77 = t74 + t75;
    const V t80 = u1 * t51;
    const V t83 = u0 * t77;
    y[0] = t83;
    y[1] = x[5];
    y[2] = t80;
    y[3] = t70;
    y[4] = t64;
  }
};

// adam, amsgrad: parameters, vjps
template <class S, class V>
struct k_59740b47a65f_vjps {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t19 / t33;
    const V t43 = t34 * x[5];
    const V t44 = -t43;
    const V t45 = u8 * x[5];
    const V t47 = t45 / t33;
    const V t49 = t34 * t47;
    const V t51 = x[6] - t47;
    const V t52 = t31 * t49;
    const V t53 = u6 * t49;
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t31;
    const V t57 = select_ge(t26, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t61 = x[8] + t57;
    const V t62 = splat<V>(S(0.5)) * t61;
    const V t63 = select_eq(x[4], t24, t62, t61);
    const V t64 = select_gt(t24, x[4], splat<V>(S(0.0)), t63);
    const V t65 = select_gt(x[4], t24, splat<V>(S(0.0)), t63);
    const V t66 = x[7] + t65;
    const V t67 = u4 * t66;
    const V t68 = t20 * t66;
    const V t70 = u3 * t66;
    const V t71 = x[3] * t66;
    const V t72 = t71 - t68;
    const V t73 = t14 * t67;
    const V t74 = t73 + t73;
    const V t75 = u2 * t51;
    const V t76 = t14 * t51;
    const V t77 = t74 + t75;
    const V t80 = u1 * t51;
    const V t81 = x[2] * t51;
    const V t82 = t81 - t76;
    const V t83 = u0 * t77;
    const V t84 = x[0] * t77;
    y[0] = t83;
    y[1] = x[5];
    y[2] = t80;
    y[3] = t70;
    y[4] = t64;
    y[5] = t84;
    y[6] = t82;
    y[7] = t72;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t52;
    y[11] = t49;
    y[12] = t57;
    y[13] = t44;
  }
};

// adam, amsgrad: parameters, jvp
template <class S, class V>
struct k_59740b47a65f_jvp {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u6 * t31;
    const V t33 = u7 + t32;
    const V t34 = t19 / t33;
    const V t52 = u0 * x[5];
    const V t53 = x[0] * u8;
    const V t54 = t52 + t53;
    const V t55 = u1 * x[7];
    const V t56 = x[2] * u9;
    const V t57 = t55 + t56;
    const V t59 = u2 * t54;
    const V t60 = t14 * u9;
    const V t62 = t59 - t60;
    const V t63 = t57 + t62;
    const V t64 = t14 * t54;
    const V t65 = t64 + t64;
    const V t66 = u3 * x[8];
    const V t67 = x[3] * u10;
    const V t68 = t66 + t67;
    const V t70 = u4 * t65;
    const V t71 = t20 * u10;
    const V t73 = t70 - t71;
    const V t74 = t68 + t73;
    const V t75 = x[9] + t74;
    const V t77 = t75 * splat<V>(S(0.5));
    const V t78 = select_eq(x[4], t24, t77, t75);
    const V t79 = select_gt(t24, x[4], t74, t78);
    const V t80 = select_gt(x[4], t24, x[9], t79);
    const V t81 = u11 + t80;
    const V t82 = select_ge(t26, tiny<V>(), t81, splat<V>(S(0.0)));
    const V t83 = splat<V>(S(0.5)) * t82;
    const V t84 = t83 / t31;
    const V t85 = t31 * u12;
    const V t86 = u6 * t84;
    const V t87 = t85 + t86;
    const V t88 = u13 + t87;
    const V t89 = t34 * t88;
    const V t90 = t63 - t89;
    const V t91 = t90 / t33;
    const V t92 = t34 * u14;
    const V t93 = u15 * t91;
    const V t94 = t92 + t93;
    const V t95 = x[6] - t94;
    y[0] = t95;
    y[1] = t63;
    y[2] = t74;
    y[3] = t80;
  }
};

// adam, amsgrad: parameters, vjp_vjp
template <class S, class V>
struct k_59740b47a65f_vjp_vjp {
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
    const V t32 = t30;
    const V t33 = select_gt(tiny<V>(), t30, tiny<V>(), t32);
    const V t34 = select_ge(t30, tiny<V>(), t30, t33);
    const V t35 = sqrt_(t34);
    const V t36 = u6 * t35;
    const V t37 = u7 + t36;
    const V t38 = t23 / t37;
    const V t40 = u8 * x[5];
    const V t41 = t40 / t37;
    const V t42 = t38 * t41;
    const V t44 = u6 * t42;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t35;
    const V t48 = select_ge(t30, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[8] + t48;
    const V t50 = splat<V>(S(0.5)) * t49;
    const V t51 = select_eq(x[4], t28, t50, t49);
    const V t53 = select_gt(x[4], t28, splat<V>(S(0.0)), t51);
    const V t54 = x[7] + t53;
    const V t55 = u4 * t54;
    const V t69 = u0 * x[9];
    const V t71 = u1 * x[11];
    const V t73 = u2 * t69;
    const V t74 = t71 + t73;
    const V t75 = t69 + t69;
    const V t76 = t55 * t75;
    const V t77 = t18 * t75;
    const V t79 = u3 * x[12];
    const V t81 = u4 * t77;
    const V t82 = t79 + t81;
    const V t84 = select_gt(x[4], t28, splat<V>(S(0.0)), t82);
    const V t86 = select_gt(t28, x[4], splat<V>(S(0.0)), x[13]);
    const V t88 = t84 + t86;
    const V t89 = select_eq(x[4], t28, t88, splat<V>(S(0.0)));
    const V t90 = select_eq(x[4], t28, splat<V>(S(0.0)), t88);
    const V t92 = splat<V>(S(0.5)) * t89;
    const V t93 = t90 + t92;
    const V t94 = select_ge(t30, tiny<V>(), t93, splat<V>(S(0.0)));
    const V t97 = t94 / t35;
    const V t98 = t47 * t97;
    const V t100 = splat<V>(S(0.5)) * t97;
    const V t104 = u6 * t100;
    const V t106 = t41 * t104;
    const V t107 = t38 * t104;
    const V t108 = t107 - t74;
    const V t109 = t108 / t37;
    const V t110 = t41 * t109;
    const V t111 = -t110;
    const V t113 = u8 * t109;
    const V t114 = x[10] + t113;
    const V t115 = t106 / t37;
    const V t116 = t38 * t115;
    const V t118 = t111 - t116;
    const V t120 = u6 * t118;
    const V t122 = t120 - t98;
    const V t123 = splat<V>(S(0.5)) * t122;
    const V t124 = t123 / t35;
    const V t125 = select_ge(t30, tiny<V>(), t124, splat<V>(S(0.0)));
    const V t129 = splat<V>(S(0.5)) * t125;
    const V t130 = select_eq(x[4], t28, t129, t125);
    const V t131 = select_gt(t28, x[4], splat<V>(S(0.0)), t130);
    const V t132 = select_gt(x[4], t28, splat<V>(S(0.0)), t130);
    const V t133 = u4 * t132;
    const V t138 = u3 * t132;
    const V t141 = t18 * t133;
    const V t142 = t76 + t141;
    const V t143 = t141 + t142;
    const V t144 = u2 * t115;
    const V t146 = t143 + t144;
    const V t151 = u1 * t115;
    const V t154 = u0 * t146;
    y[0] = t154;
    y[1] = splat<V>(S(0.0));
    y[2] = t151;
    y[3] = t138;
    y[4] = t131;
    y[5] = t114;
    y[6] = t74;
    y[7] = t82;
    y[8] = t93;
  }
};

// adam, amsgrad: parameters, vjps_vjps
template <class S, class V>
struct k_59740b47a65f_vjps_vjps {
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
    const V t32 = t30;
    const V t33 = select_gt(tiny<V>(), t30, tiny<V>(), t32);
    const V t34 = select_ge(t30, tiny<V>(), t30, t33);
    const V t35 = sqrt_(t34);
    const V t36 = u6 * t35;
    const V t37 = u7 + t36;
    const V t38 = t23 / t37;
    const V t42 = u8 * x[5];
    const V t43 = t42 / t37;
    const V t44 = t38 * t43;
    const V t45 = x[6] - t43;
    const V t47 = u6 * t44;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t35;
    const V t51 = select_ge(t30, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[8] + t51;
    const V t53 = splat<V>(S(0.5)) * t52;
    const V t54 = select_eq(x[4], t28, t53, t52);
    const V t56 = select_gt(x[4], t28, splat<V>(S(0.0)), t54);
    const V t57 = x[7] + t56;
    const V t58 = u4 * t57;
    const V t63 = t18 * t58;
    const V t64 = t63 + t63;
    const V t65 = u2 * t45;
    const V t67 = t64 + t65;
    const V t88 = t67 * u9;
    const V t89 = x[0] * u9;
    const V t90 = t67 * x[9];
    const V t91 = u0 * x[9];
    const V t92 = t89 + t91;
    const V t94 = t45 * u10;
    const V t95 = x[2] * u10;
    const V t96 = t45 * x[11];
    const V t97 = u1 * x[11];
    const V t98 = t95 + t97;
    const V t100 = t18 * u10;
    const V t102 = t98 - t100;
    const V t103 = t45 * t92;
    const V t104 = u2 * t92;
    const V t105 = t102 + t104;
    const V t106 = t92 + t92;
    const V t107 = t58 * t106;
    const V t108 = t18 * t106;
    const V t109 = t107 - t94;
    const V t111 = t57 * u11;
    const V t112 = x[3] * u11;
    const V t113 = t57 * x[12];
    const V t114 = u3 * x[12];
    const V t115 = t112 + t114;
    const V t117 = t24 * u11;
    const V t119 = t115 - t117;
    const V t120 = t57 * t108;
    const V t121 = u4 * t108;
    const V t122 = t119 + t121;
    const V t124 = select_gt(x[4], t28, splat<V>(S(0.0)), t122);
    const V t127 = select_gt(t28, x[4], splat<V>(S(0.0)), x[13]);
    const V t129 = t124 + t127;
    const V t130 = select_eq(x[4], t28, t129, splat<V>(S(0.0)));
    const V t131 = select_eq(x[4], t28, splat<V>(S(0.0)), t129);
    const V t133 = splat<V>(S(0.5)) * t130;
    const V t134 = t131 + t133;
    const V t135 = u12 + t134;
    const V t136 = select_ge(t30, tiny<V>(), t135, splat<V>(S(0.0)));
    const V t139 = t136 / t35;
    const V t140 = t50 * t139;
    const V t142 = splat<V>(S(0.5)) * t139;
    const V t145 = t44 * t142;
    const V t146 = u6 * t142;
    const V t147 = u13 + t146;
    const V t148 = t44 * u14;
    const V t149 = t35 * u14;
    const V t150 = t148 - t140;
    const V t151 = t147 + t149;
    const V t153 = t43 * t151;
    const V t154 = t38 * t151;
    const V t155 = t154 - t105;
    const V t156 = t155 / t37;
    const V t157 = t43 * t156;
    const V t158 = -t157;
    const V t159 = x[5] * t156;
    const V t160 = u8 * t156;
    const V t161 = x[10] + t160;
    const V t163 = x[5] * u15;
    const V t165 = t38 * u15;
    const V t167 = t153 - t163;
    const V t168 = t161 - t165;
    const V t169 = t167 / t37;
    const V t170 = t38 * t169;
    const V t172 = t158 - t170;
    const V t173 = t35 * t172;
    const V t174 = u6 * t172;
    const V t175 = t145 + t173;
    const V t176 = t150 + t174;
    const V t177 = splat<V>(S(0.5)) * t176;
    const V t178 = t177 / t35;
    const V t179 = select_ge(t30, tiny<V>(), t178, splat<V>(S(0.0)));
    const V t183 = splat<V>(S(0.5)) * t179;
    const V t184 = select_eq(x[4], t28, t183, t179);
    const V t185 = select_gt(t28, x[4], splat<V>(S(0.0)), t184);
    const V t186 = select_gt(x[4], t28, splat<V>(S(0.0)), t184);
    const V t187 = u4 * t186;
    const V t188 = t24 * t186;
    const V t189 = t187 - t111;
    const V t190 = t120 + t188;
    const V t192 = t113 - t190;
    const V t193 = u3 * t186;
    const V t194 = x[3] * t186;
    const V t195 = t111 + t193;
    const V t196 = t192 + t194;
    const V t197 = t18 * t189;
    const V t198 = t109 + t197;
    const V t199 = t197 + t198;
    const V t200 = u2 * t169;
    const V t201 = t18 * t169;
    const V t202 = t199 + t200;
    const V t203 = t103 + t201;
    const V t206 = t96 - t203;
    const V t207 = u1 * t169;
    const V t208 = x[2] * t169;
    const V t209 = t94 + t207;
    const V t210 = t206 + t208;
    const V t211 = u0 * t202;
    const V t212 = x[0] * t202;
    const V t213 = t88 + t211;
    const V t214 = t90 + t212;
    y[0] = t213;
    y[1] = splat<V>(S(0.0));
    y[2] = t209;
    y[3] = t195;
    y[4] = t185;
    y[5] = t168;
    y[6] = t105;
    y[7] = t122;
    y[8] = t134;
    y[9] = t214;
    y[10] = t210;
    y[11] = t196;
    y[12] = splat<V>(S(0.0));
    y[13] = splat<V>(S(0.0));
    y[14] = t175;
    y[15] = t172;
    y[16] = t179;
    y[17] = t159;
  }
};

// adam, amsgrad, weight decay: update, forward
template <class S, class V>
struct k_94329b327754_forward {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t39 = u9 * t37;
    const V t40 = -t39;
    y[0] = t40;
    y[1] = t22;
    y[2] = t27;
    y[3] = t28;
  }
};

// adam, amsgrad, weight decay: update, vjp
template <class S, class V>
struct k_94329b327754_vjp {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t48 = u9 * x[5];
    const V t50 = t48 / t36;
    const V t52 = t37 * t50;
    const V t54 = x[6] - t50;
    const V t56 = u7 * t52;
    const V t58 = t56 * splat<V>(S(0.5));
    const V t59 = t58 / t34;
    const V t60 = select_ge(t29, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t64 = x[8] + t60;
    const V t65 = splat<V>(S(0.5)) * t64;
    const V t66 = select_eq(x[4], t27, t65, t64);
    const V t67 = select_gt(t27, x[4], splat<V>(S(0.0)), t66);
    const V t68 = select_gt(x[4], t27, splat<V>(S(0.0)), t66);
    const V t69 = x[7] + t68;
    const V t70 = u5 * t69;
    const V t73 = u4 * t69;
    const V t76 = t17 * t70;
    const V t77 = t76 + t76;
    const V t78 = u3 * t54;
    const V t80 = t77 + t78;
    const V t83 = u2 * t54;
    const V t86 = u1 * t80;
    const V t88 = u0 * t80;
    y[0] = t88;
    y[1] = t86;
    y[2] = t83;
    y[3] = t73;
    y[4] = t67;
  }
};

// adam, amsgrad, weight decay: update, vjps
template <class S, class V>
struct k_94329b327754_vjps {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t46 = t37 * x[5];
    const V t47 = -t46;
    const V t48 = u9 * x[5];
    const V t50 = t48 / t36;
    const V t52 = t37 * t50;
    const V t54 = x[6] - t50;
    const V t55 = t34 * t52;
    const V t56 = u7 * t52;
    const V t58 = t56 * splat<V>(S(0.5));
    const V t59 = t58 / t34;
    const V t60 = select_ge(t29, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t64 = x[8] + t60;
    const V t65 = splat<V>(S(0.5)) * t64;
    const V t66 = select_eq(x[4], t27, t65, t64);
    const V t67 = select_gt(t27, x[4], splat<V>(S(0.0)), t66);
    const V t68 = select_gt(x[4], t27, splat<V>(S(0.0)), t66);
    const V t69 = x[7] + t68;
    const V t70 = u5 * t69;
    const V t71 = t23 * t69;
    const V t73 = u4 * t69;
    const V t74 = x[3] * t69;
    const V t75 = t74 - t71;
    const V t76 = t17 * t70;
    const V t77 = t76 + t76;
    const V t78 = u3 * t54;
    const V t79 = t17 * t54;
    const V t80 = t77 + t78;
    const V t83 = u2 * t54;
    const V t84 = x[2] * t54;
    const V t85 = t84 - t79;
    const V t86 = u1 * t80;
    const V t87 = x[1] * t80;
    const V t88 = u0 * t80;
    const V t89 = x[0] * t80;
    y[0] = t88;
    y[1] = t86;
    y[2] = t83;
    y[3] = t73;
    y[4] = t67;
    y[5] = t89;
    y[6] = t87;
    y[7] = t85;
    y[8] = t75;
    y[9] = splat<V>(S(0.0));
    y[10] = splat<V>(S(0.0));
    y[11] = t55;
    y[12] = t52;
    y[13] = t60;
    y[14] = t47;
  }
};

// adam, amsgrad, weight decay: update, jvp
template <class S, class V>
struct k_94329b327754_jvp {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t56 = u0 * x[5];
    const V t57 = x[0] * u9;
    const V t58 = t56 + t57;
    const V t59 = u1 * x[6];
    const V t60 = x[1] * u10;
    const V t61 = t59 + t60;
    const V t62 = t58 + t61;
    const V t63 = u2 * x[7];
    const V t64 = x[2] * u11;
    const V t65 = t63 + t64;
    const V t67 = u3 * t62;
    const V t68 = t17 * u11;
    const V t70 = t67 - t68;
    const V t71 = t65 + t70;
    const V t72 = t17 * t62;
    const V t73 = t72 + t72;
    const V t74 = u4 * x[8];
    const V t75 = x[3] * u12;
    const V t76 = t74 + t75;
    const V t78 = u5 * t73;
    const V t79 = t23 * u12;
    const V t81 = t78 - t79;
    const V t82 = t76 + t81;
    const V t83 = x[9] + t82;
    const V t85 = t83 * splat<V>(S(0.5));
    const V t86 = select_eq(x[4], t27, t85, t83);
    const V t87 = select_gt(t27, x[4], t82, t86);
    const V t88 = select_gt(x[4], t27, x[9], t87);
    const V t89 = u13 + t88;
    const V t90 = select_ge(t29, tiny<V>(), t89, splat<V>(S(0.0)));
    const V t91 = splat<V>(S(0.5)) * t90;
    const V t92 = t91 / t34;
    const V t93 = t34 * u14;
    const V t94 = u7 * t92;
    const V t95 = t93 + t94;
    const V t96 = u15 + t95;
    const V t97 = t37 * t96;
    const V t98 = t71 - t97;
    const V t99 = t98 / t36;
    const V t100 = t37 * u16;
    const V t101 = u17 * t99;
    const V t102 = t100 + t101;
    const V t103 = -t102;
    y[0] = t103;
    y[1] = t71;
    y[2] = t82;
    y[3] = t88;
  }
};

// adam, amsgrad, weight decay: update, vjp_vjp
template <class S, class V>
struct k_94329b327754_vjp_vjp {
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
    const V t35 = t33;
    const V t36 = select_gt(tiny<V>(), t33, tiny<V>(), t35);
    const V t37 = select_ge(t33, tiny<V>(), t33, t36);
    const V t38 = sqrt_(t37);
    const V t39 = u7 * t38;
    const V t40 = u8 + t39;
    const V t41 = t26 / t40;
    const V t43 = u9 * x[5];
    const V t44 = t43 / t40;
    const V t45 = t41 * t44;
    const V t47 = u7 * t45;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t38;
    const V t51 = select_ge(t33, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[8] + t51;
    const V t53 = splat<V>(S(0.5)) * t52;
    const V t54 = select_eq(x[4], t31, t53, t52);
    const V t56 = select_gt(x[4], t31, splat<V>(S(0.0)), t54);
    const V t57 = x[7] + t56;
    const V t58 = u5 * t57;
    const V t73 = u0 * x[9];
    const V t75 = u1 * x[10];
    const V t76 = t73 + t75;
    const V t78 = u2 * x[11];
    const V t80 = u3 * t76;
    const V t81 = t78 + t80;
    const V t82 = t76 + t76;
    const V t83 = t58 * t82;
    const V t84 = t21 * t82;
    const V t86 = u4 * x[12];
    const V t88 = u5 * t84;
    const V t89 = t86 + t88;
    const V t91 = select_gt(x[4], t31, splat<V>(S(0.0)), t89);
    const V t93 = select_gt(t31, x[4], splat<V>(S(0.0)), x[13]);
    const V t95 = t91 + t93;
    const V t96 = select_eq(x[4], t31, t95, splat<V>(S(0.0)));
    const V t97 = select_eq(x[4], t31, splat<V>(S(0.0)), t95);
    const V t99 = splat<V>(S(0.5)) * t96;
    const V t100 = t97 + t99;
    const V t101 = select_ge(t33, tiny<V>(), t100, splat<V>(S(0.0)));
    const V t104 = t101 / t38;
    const V t105 = t50 * t104;
    const V t107 = splat<V>(S(0.5)) * t104;
    const V t111 = u7 * t107;
    const V t113 = t44 * t111;
    const V t114 = t41 * t111;
    const V t115 = t114 - t81;
    const V t116 = t115 / t40;
    const V t117 = t44 * t116;
    const V t118 = -t117;
    const V t120 = u9 * t116;
    const V t121 = t113 / t40;
    const V t122 = t41 * t121;
    const V t124 = t118 - t122;
    const V t126 = u7 * t124;
    const V t128 = t126 - t105;
    const V t129 = splat<V>(S(0.5)) * t128;
    const V t130 = t129 / t38;
    const V t131 = select_ge(t33, tiny<V>(), t130, splat<V>(S(0.0)));
    const V t135 = splat<V>(S(0.5)) * t131;
    const V t136 = select_eq(x[4], t31, t135, t131);
    const V t137 = select_gt(t31, x[4], splat<V>(S(0.0)), t136);
    const V t138 = select_gt(x[4], t31, splat<V>(S(0.0)), t136);
    const V t139 = u5 * t138;
    const V t144 = u4 * t138;
    const V t147 = t21 * t139;
    const V t148 = t83 + t147;
    const V t149 = t147 + t148;
    const V t150 = u3 * t121;
    const V t152 = t149 + t150;
    const V t157 = u2 * t121;
    const V t160 = u1 * t152;
    const V t163 = u0 * t152;
    y[0] = t163;
    y[1] = t160;
    y[2] = t157;
    y[3] = t144;
    y[4] = t137;
    y[5] = t120;
    y[6] = t81;
    y[7] = t89;
    y[8] = t100;
  }
};

// adam, amsgrad, weight decay: update, vjps_vjps
template <class S, class V>
struct k_94329b327754_vjps_vjps {
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
    const V t35 = t33;
    const V t36 = select_gt(tiny<V>(), t33, tiny<V>(), t35);
    const V t37 = select_ge(t33, tiny<V>(), t33, t36);
    const V t38 = sqrt_(t37);
    const V t39 = u7 * t38;
    const V t40 = u8 + t39;
    const V t41 = t26 / t40;
    const V t45 = u9 * x[5];
    const V t46 = t45 / t40;
    const V t47 = t41 * t46;
    const V t48 = x[6] - t46;
    const V t50 = u7 * t47;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t38;
    const V t54 = select_ge(t33, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t55 = x[8] + t54;
    const V t56 = splat<V>(S(0.5)) * t55;
    const V t57 = select_eq(x[4], t31, t56, t55);
    const V t59 = select_gt(x[4], t31, splat<V>(S(0.0)), t57);
    const V t60 = x[7] + t59;
    const V t61 = u5 * t60;
    const V t66 = t21 * t61;
    const V t67 = t66 + t66;
    const V t68 = u3 * t48;
    const V t70 = t67 + t68;
    const V t94 = t70 * u10;
    const V t95 = x[0] * u10;
    const V t96 = t70 * x[9];
    const V t97 = u0 * x[9];
    const V t98 = t95 + t97;
    const V t99 = t70 * u11;
    const V t100 = x[1] * u11;
    const V t101 = t98 + t100;
    const V t102 = t70 * x[10];
    const V t103 = u1 * x[10];
    const V t104 = t101 + t103;
    const V t106 = t48 * u12;
    const V t107 = x[2] * u12;
    const V t108 = t48 * x[11];
    const V t109 = u2 * x[11];
    const V t110 = t107 + t109;
    const V t112 = t21 * u12;
    const V t114 = t110 - t112;
    const V t115 = t48 * t104;
    const V t116 = u3 * t104;
    const V t117 = t114 + t116;
    const V t118 = t104 + t104;
    const V t119 = t61 * t118;
    const V t120 = t21 * t118;
    const V t121 = t119 - t106;
    const V t123 = t60 * u13;
    const V t124 = x[3] * u13;
    const V t125 = t60 * x[12];
    const V t126 = u4 * x[12];
    const V t127 = t124 + t126;
    const V t129 = t27 * u13;
    const V t131 = t127 - t129;
    const V t132 = t60 * t120;
    const V t133 = u5 * t120;
    const V t134 = t131 + t133;
    const V t136 = select_gt(x[4], t31, splat<V>(S(0.0)), t134);
    const V t139 = select_gt(t31, x[4], splat<V>(S(0.0)), x[13]);
    const V t141 = t136 + t139;
    const V t142 = select_eq(x[4], t31, t141, splat<V>(S(0.0)));
    const V t143 = select_eq(x[4], t31, splat<V>(S(0.0)), t141);
    const V t145 = splat<V>(S(0.5)) * t142;
    const V t146 = t143 + t145;
    const V t147 = u14 + t146;
    const V t148 = select_ge(t33, tiny<V>(), t147, splat<V>(S(0.0)));
    const V t151 = t148 / t38;
    const V t152 = t53 * t151;
    const V t154 = splat<V>(S(0.5)) * t151;
    const V t157 = t47 * t154;
    const V t158 = u7 * t154;
    const V t159 = u15 + t158;
    const V t160 = t47 * u16;
    const V t161 = t38 * u16;
    const V t162 = t160 - t152;
    const V t163 = t159 + t161;
    const V t165 = t46 * t163;
    const V t166 = t41 * t163;
    const V t167 = t166 - t117;
    const V t168 = t167 / t40;
    const V t169 = t46 * t168;
    const V t170 = -t169;
    const V t171 = x[5] * t168;
    const V t172 = u9 * t168;
    const V t174 = x[5] * u17;
    const V t176 = t41 * u17;
    const V t178 = t165 - t174;
    const V t179 = t172 - t176;
    const V t180 = t178 / t40;
    const V t181 = t41 * t180;
    const V t183 = t170 - t181;
    const V t184 = t38 * t183;
    const V t185 = u7 * t183;
    const V t186 = t157 + t184;
    const V t187 = t162 + t185;
    const V t188 = splat<V>(S(0.5)) * t187;
    const V t189 = t188 / t38;
    const V t190 = select_ge(t33, tiny<V>(), t189, splat<V>(S(0.0)));
    const V t194 = splat<V>(S(0.5)) * t190;
    const V t195 = select_eq(x[4], t31, t194, t190);
    const V t196 = select_gt(t31, x[4], splat<V>(S(0.0)), t195);
    const V t197 = select_gt(x[4], t31, splat<V>(S(0.0)), t195);
    const V t198 = u5 * t197;
    const V t199 = t27 * t197;
    const V t200 = t198 - t123;
    const V t201 = t132 + t199;
    const V t203 = t125 - t201;
    const V t204 = u4 * t197;
    const V t205 = x[3] * t197;
    const V t206 = t123 + t204;
    const V t207 = t203 + t205;
    const V t208 = t21 * t200;
    const V t209 = t121 + t208;
    const V t210 = t208 + t209;
    const V t211 = u3 * t180;
    const V t212 = t21 * t180;
    const V t213 = t210 + t211;
    const V t214 = t115 + t212;
    const V t217 = t108 - t214;
    const V t218 = u2 * t180;
    const V t219 = x[2] * t180;
    const V t220 = t106 + t218;
    const V t221 = t217 + t219;
    const V t222 = u1 * t213;
    const V t223 = x[1] * t213;
    const V t224 = t99 + t222;
    const V t225 = t102 + t223;
    const V t226 = u0 * t213;
    const V t227 = x[0] * t213;
    const V t228 = t94 + t226;
    const V t229 = t96 + t227;
    y[0] = t228;
    y[1] = t224;
    y[2] = t220;
    y[3] = t206;
    y[4] = t196;
    y[5] = t179;
    y[6] = t117;
    y[7] = t134;
    y[8] = t146;
    y[9] = t229;
    y[10] = t225;
    y[11] = t221;
    y[12] = t207;
    y[13] = splat<V>(S(0.0));
    y[14] = splat<V>(S(0.0));
    y[15] = t186;
    y[16] = t183;
    y[17] = t190;
    y[18] = t171;
  }
};

// adam, amsgrad, weight decay: parameters, forward
template <class S, class V>
struct k_f3e0a78d49df_forward {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t39 = u9 * t37;
    const V t41 = x[1] - t39;
    y[0] = t41;
    y[1] = t22;
    y[2] = t27;
    y[3] = t28;
  }
};

// adam, amsgrad, weight decay: parameters, vjp
template <class S, class V>
struct k_f3e0a78d49df_vjp {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t48 = u9 * x[5];
    const V t50 = t48 / t36;
    const V t52 = t37 * t50;
    const V t54 = x[6] - t50;
    const V t56 = u7 * t52;
    const V t58 = t56 * splat<V>(S(0.5));
    const V t59 = t58 / t34;
    const V t60 = select_ge(t29, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t64 = x[8] + t60;
    const V t65 = splat<V>(S(0.5)) * t64;
    const V t66 = select_eq(x[4], t27, t65, t64);
    const V t67 = select_gt(t27, x[4], splat<V>(S(0.0)), t66);
    const V t68 = select_gt(x[4], t27, splat<V>(S(0.0)), t66);
    const V t69 = x[7] + t68;
    const V t70 = u5 * t69;
    const V t73 = u4 * t69;
    const V t76 = t17 * t70;
    const V t77 = t76 + t76;
    const V t78 = u3 * t54;
    const V t80 = t77 + t78;
    const V t83 = u2 * t54;
    const V t86 = u1 * t80;
    const V t88 = x[5] + t86;
    const V t89 = u0 * t80;
    y[0] = t89;
    y[1] = t88;
    y[2] = t83;
    y[3] = t73;
    y[4] = t67;
  }
};

// adam, amsgrad, weight decay: parameters, vjps
template <class S, class V>
struct k_f3e0a78d49df_vjps {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t46 = t37 * x[5];
    const V t47 = -t46;
    const V t48 = u9 * x[5];
    const V t50 = t48 / t36;
    const V t52 = t37 * t50;
    const V t54 = x[6] - t50;
    const V t55 = t34 * t52;
    const V t56 = u7 * t52;
    const V t58 = t56 * splat<V>(S(0.5));
    const V t59 = t58 / t34;
    const V t60 = select_ge(t29, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t64 = x[8] + t60;
    const V t65 = splat<V>(S(0.5)) * t64;
    const V t66 = select_eq(x[4], t27, t65, t64);
    const V t67 = select_gt(t27, x[4], splat<V>(S(0.0)), t66);
    const V t68 = select_gt(x[4], t27, splat<V>(S(0.0)), t66);
    const V t69 = x[7] + t68;
    const V t70 = u5 * t69;
    const V t71 = t23 * t69;
    const V t73 = u4 * t69;
    const V t74 = x[3] * t69;
    const V t75 = t74 - t71;
    const V t76 = t17 * t70;
    const V t77 = t76 + t76;
    const V t78 = u3 * t54;
    const V t79 = t17 * t54;
    const V t80 = t77 + t78;
    const V t83 = u2 * t54;
    const V t84 = x[2] * t54;
    const V t85 = t84 - t79;
    const V t86 = u1 * t80;
    const V t87 = x[1] * t80;
    const V t88 = x[5] + t86;
    const V t89 = u0 * t80;
    const V t90 = x[0] * t80;
    y[0] = t89;
    y[1] = t88;
    y[2] = t83;
    y[3] = t73;
    y[4] = t67;
    y[5] = t90;
    y[6] = t87;
    y[7] = t85;
    y[8] = t75;
    y[9] = splat<V>(S(0.0));
    y[10] = splat<V>(S(0.0));
    y[11] = t55;
    y[12] = t52;
    y[13] = t60;
    y[14] = t47;
  }
};

// adam, amsgrad, weight decay: parameters, jvp
template <class S, class V>
struct k_f3e0a78d49df_jvp {
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
    const V t31 = t29;
    const V t32 = select_gt(tiny<V>(), t29, tiny<V>(), t31);
    const V t33 = select_ge(t29, tiny<V>(), t29, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u7 * t34;
    const V t36 = u8 + t35;
    const V t37 = t22 / t36;
    const V t56 = u0 * x[5];
    const V t57 = x[0] * u9;
    const V t58 = t56 + t57;
    const V t59 = u1 * x[6];
    const V t60 = x[1] * u10;
    const V t61 = t59 + t60;
    const V t62 = t58 + t61;
    const V t63 = u2 * x[7];
    const V t64 = x[2] * u11;
    const V t65 = t63 + t64;
    const V t67 = u3 * t62;
    const V t68 = t17 * u11;
    const V t70 = t67 - t68;
    const V t71 = t65 + t70;
    const V t72 = t17 * t62;
    const V t73 = t72 + t72;
    const V t74 = u4 * x[8];
    const V t75 = x[3] * u12;
    const V t76 = t74 + t75;
    const V t78 = u5 * t73;
    const V t79 = t23 * u12;
    const V t81 = t78 - t79;
    const V t82 = t76 + t81;
    const V t83 = x[9] + t82;
    const V t85 = t83 * splat<V>(S(0.5));
    const V t86 = select_eq(x[4], t27, t85, t83);
    const V t87 = select_gt(t27, x[4], t82, t86);
    const V t88 = select_gt(x[4], t27, x[9], t87);
    const V t89 = u13 + t88;
    const V t90 = select_ge(t29, tiny<V>(), t89, splat<V>(S(0.0)));
    const V t91 = splat<V>(S(0.5)) * t90;
    const V t92 = t91 / t34;
    const V t93 = t34 * u14;
    const V t94 = u7 * t92;
    const V t95 = t93 + t94;
    const V t96 = u15 + t95;
    const V t97 = t37 * t96;
    const V t98 = t71 - t97;
    const V t99 = t98 / t36;
    const V t100 = t37 * u16;
    const V t101 = u17 * t99;
    const V t102 = t100 + t101;
    const V t103 = x[6] - t102;
    y[0] = t103;
    y[1] = t71;
    y[2] = t82;
    y[3] = t88;
  }
};

// adam, amsgrad, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_f3e0a78d49df_vjp_vjp {
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
    const V t35 = t33;
    const V t36 = select_gt(tiny<V>(), t33, tiny<V>(), t35);
    const V t37 = select_ge(t33, tiny<V>(), t33, t36);
    const V t38 = sqrt_(t37);
    const V t39 = u7 * t38;
    const V t40 = u8 + t39;
    const V t41 = t26 / t40;
    const V t43 = u9 * x[5];
    const V t44 = t43 / t40;
    const V t45 = t41 * t44;
    const V t47 = u7 * t45;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t38;
    const V t51 = select_ge(t33, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[8] + t51;
    const V t53 = splat<V>(S(0.5)) * t52;
    const V t54 = select_eq(x[4], t31, t53, t52);
    const V t56 = select_gt(x[4], t31, splat<V>(S(0.0)), t54);
    const V t57 = x[7] + t56;
    const V t58 = u5 * t57;
    const V t74 = u0 * x[9];
    const V t76 = u1 * x[10];
    const V t77 = t74 + t76;
    const V t79 = u2 * x[11];
    const V t81 = u3 * t77;
    const V t82 = t79 + t81;
    const V t83 = t77 + t77;
    const V t84 = t58 * t83;
    const V t85 = t21 * t83;
    const V t87 = u4 * x[12];
    const V t89 = u5 * t85;
    const V t90 = t87 + t89;
    const V t92 = select_gt(x[4], t31, splat<V>(S(0.0)), t90);
    const V t94 = select_gt(t31, x[4], splat<V>(S(0.0)), x[13]);
    const V t96 = t92 + t94;
    const V t97 = select_eq(x[4], t31, t96, splat<V>(S(0.0)));
    const V t98 = select_eq(x[4], t31, splat<V>(S(0.0)), t96);
    const V t100 = splat<V>(S(0.5)) * t97;
    const V t101 = t98 + t100;
    const V t102 = select_ge(t33, tiny<V>(), t101, splat<V>(S(0.0)));
    const V t105 = t102 / t38;
    const V t106 = t50 * t105;
    const V t108 = splat<V>(S(0.5)) * t105;
    const V t112 = u7 * t108;
    const V t114 = t44 * t112;
    const V t115 = t41 * t112;
    const V t116 = t115 - t82;
    const V t117 = t116 / t40;
    const V t118 = t44 * t117;
    const V t119 = -t118;
    const V t121 = u9 * t117;
    const V t122 = x[10] + t121;
    const V t123 = t114 / t40;
    const V t124 = t41 * t123;
    const V t126 = t119 - t124;
    const V t128 = u7 * t126;
    const V t130 = t128 - t106;
    const V t131 = splat<V>(S(0.5)) * t130;
    const V t132 = t131 / t38;
    const V t133 = select_ge(t33, tiny<V>(), t132, splat<V>(S(0.0)));
    const V t137 = splat<V>(S(0.5)) * t133;
    const V t138 = select_eq(x[4], t31, t137, t133);
    const V t139 = select_gt(t31, x[4], splat<V>(S(0.0)), t138);
    const V t140 = select_gt(x[4], t31, splat<V>(S(0.0)), t138);
    const V t141 = u5 * t140;
    const V t146 = u4 * t140;
    const V t149 = t21 * t141;
    const V t150 = t84 + t149;
    const V t151 = t149 + t150;
    const V t152 = u3 * t123;
    const V t154 = t151 + t152;
    const V t159 = u2 * t123;
    const V t162 = u1 * t154;
    const V t165 = u0 * t154;
    y[0] = t165;
    y[1] = t162;
    y[2] = t159;
    y[3] = t146;
    y[4] = t139;
    y[5] = t122;
    y[6] = t82;
    y[7] = t90;
    y[8] = t101;
  }
};

// adam, amsgrad, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_f3e0a78d49df_vjps_vjps {
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
    const V t35 = t33;
    const V t36 = select_gt(tiny<V>(), t33, tiny<V>(), t35);
    const V t37 = select_ge(t33, tiny<V>(), t33, t36);
    const V t38 = sqrt_(t37);
    const V t39 = u7 * t38;
    const V t40 = u8 + t39;
    const V t41 = t26 / t40;
    const V t45 = u9 * x[5];
    const V t46 = t45 / t40;
    const V t47 = t41 * t46;
    const V t48 = x[6] - t46;
    const V t50 = u7 * t47;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t38;
    const V t54 = select_ge(t33, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t55 = x[8] + t54;
    const V t56 = splat<V>(S(0.5)) * t55;
    const V t57 = select_eq(x[4], t31, t56, t55);
    const V t59 = select_gt(x[4], t31, splat<V>(S(0.0)), t57);
    const V t60 = x[7] + t59;
    const V t61 = u5 * t60;
    const V t66 = t21 * t61;
    const V t67 = t66 + t66;
    const V t68 = u3 * t48;
    const V t70 = t67 + t68;
    const V t95 = t70 * u10;
    const V t96 = x[0] * u10;
    const V t97 = t70 * x[9];
    const V t98 = u0 * x[9];
    const V t99 = t96 + t98;
    const V t100 = t70 * u11;
    const V t101 = x[1] * u11;
    const V t102 = t99 + t101;
    const V t103 = t70 * x[10];
    const V t104 = u1 * x[10];
    const V t105 = t102 + t104;
    const V t107 = t48 * u12;
    const V t108 = x[2] * u12;
    const V t109 = t48 * x[11];
    const V t110 = u2 * x[11];
    const V t111 = t108 + t110;
    const V t113 = t21 * u12;
    const V t115 = t111 - t113;
    const V t116 = t48 * t105;
    const V t117 = u3 * t105;
    const V t118 = t115 + t117;
    const V t119 = t105 + t105;
    const V t120 = t61 * t119;
    const V t121 = t21 * t119;
    const V t122 = t120 - t107;
    const V t124 = t60 * u13;
    const V t125 = x[3] * u13;
    const V t126 = t60 * x[12];
    const V t127 = u4 * x[12];
    const V t128 = t125 + t127;
    const V t130 = t27 * u13;
    const V t132 = t128 - t130;
    const V t133 = t60 * t121;
    const V t134 = u5 * t121;
    const V t135 = t132 + t134;
    const V t137 = select_gt(x[4], t31, splat<V>(S(0.0)), t135);
    const V t140 = select_gt(t31, x[4], splat<V>(S(0.0)), x[13]);
    const V t142 = t137 + t140;
    const V t143 = select_eq(x[4], t31, t142, splat<V>(S(0.0)));
    const V t144 = select_eq(x[4], t31, splat<V>(S(0.0)), t142);
    const V t146 = splat<V>(S(0.5)) * t143;
    const V t147 = t144 + t146;
    const V t148 = u14 + t147;
    const V t149 = select_ge(t33, tiny<V>(), t148, splat<V>(S(0.0)));
    const V t152 = t149 / t38;
    const V t153 = t53 * t152;
    const V t155 = splat<V>(S(0.5)) * t152;
    const V t158 = t47 * t155;
    const V t159 = u7 * t155;
    const V t160 = u15 + t159;
    const V t161 = t47 * u16;
    const V t162 = t38 * u16;
    const V t163 = t161 - t153;
    const V t164 = t160 + t162;
    const V t166 = t46 * t164;
    const V t167 = t41 * t164;
    const V t168 = t167 - t118;
    const V t169 = t168 / t40;
    const V t170 = t46 * t169;
    const V t171 = -t170;
    const V t172 = x[5] * t169;
    const V t173 = u9 * t169;
    const V t174 = x[10] + t173;
    const V t176 = x[5] * u17;
    const V t178 = t41 * u17;
    const V t180 = t166 - t176;
    const V t181 = t174 - t178;
    const V t182 = t180 / t40;
    const V t183 = t41 * t182;
    const V t185 = t171 - t183;
    const V t186 = t38 * t185;
    const V t187 = u7 * t185;
    const V t188 = t158 + t186;
    const V t189 = t163 + t187;
    const V t190 = splat<V>(S(0.5)) * t189;
    const V t191 = t190 / t38;
    const V t192 = select_ge(t33, tiny<V>(), t191, splat<V>(S(0.0)));
    const V t196 = splat<V>(S(0.5)) * t192;
    const V t197 = select_eq(x[4], t31, t196, t192);
    const V t198 = select_gt(t31, x[4], splat<V>(S(0.0)), t197);
    const V t199 = select_gt(x[4], t31, splat<V>(S(0.0)), t197);
    const V t200 = u5 * t199;
    const V t201 = t27 * t199;
    const V t202 = t200 - t124;
    const V t203 = t133 + t201;
    const V t205 = t126 - t203;
    const V t206 = u4 * t199;
    const V t207 = x[3] * t199;
    const V t208 = t124 + t206;
    const V t209 = t205 + t207;
    const V t210 = t21 * t202;
    const V t211 = t122 + t210;
    const V t212 = t210 + t211;
    const V t213 = u3 * t182;
    const V t214 = t21 * t182;
    const V t215 = t212 + t213;
    const V t216 = t116 + t214;
    const V t219 = t109 - t216;
    const V t220 = u2 * t182;
    const V t221 = x[2] * t182;
    const V t222 = t107 + t220;
    const V t223 = t219 + t221;
    const V t224 = u1 * t215;
    const V t225 = x[1] * t215;
    const V t226 = t100 + t224;
    const V t227 = t103 + t225;
    const V t228 = u0 * t215;
    const V t229 = x[0] * t215;
    const V t230 = t95 + t228;
    const V t231 = t97 + t229;
    y[0] = t230;
    y[1] = t226;
    y[2] = t222;
    y[3] = t208;
    y[4] = t198;
    y[5] = t181;
    y[6] = t118;
    y[7] = t135;
    y[8] = t147;
    y[9] = t231;
    y[10] = t227;
    y[11] = t223;
    y[12] = t209;
    y[13] = splat<V>(S(0.0));
    y[14] = splat<V>(S(0.0));
    y[15] = t188;
    y[16] = t185;
    y[17] = t192;
    y[18] = t172;
  }
};

// adamw, amsgrad: update, forward
template <class S, class V>
struct k_6c58500b3775_forward {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t36 = x[1] * u8;
    const V t37 = t35 + t36;
    const V t39 = u9 * t37;
    const V t40 = -t39;
    y[0] = t40;
    y[1] = t20;
    y[2] = t25;
    y[3] = t26;
  }
};

// adamw, amsgrad: update, vjp
template <class S, class V>
struct k_6c58500b3775_vjp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t48 = u8 * x[5];
    const V t50 = u9 * t48;
    const V t51 = -t50;
    const V t54 = t48 / t34;
    const V t56 = t35 * t54;
    const V t58 = x[6] - t54;
    const V t60 = u6 * t56;
    const V t62 = t60 * splat<V>(S(0.5));
    const V t63 = t62 / t32;
    const V t64 = select_ge(t27, tiny<V>(), t63, splat<V>(S(0.0)));
    const V t68 = x[8] + t64;
    const V t69 = splat<V>(S(0.5)) * t68;
    const V t70 = select_eq(x[4], t25, t69, t68);
    const V t71 = select_gt(t25, x[4], splat<V>(S(0.0)), t70);
    const V t72 = select_gt(x[4], t25, splat<V>(S(0.0)), t70);
    const V t73 = x[7] + t72;
    const V t74 = u4 * t73;
    const V t77 = u3 * t73;
    const V t80 = t15 * t74;
    const V t81 = t80 + t80;
    const V t82 = u2 * t58;
    const V t84 = t81 + t82;
    const V t87 = u1 * t58;
    const V t90 = u0 * t84;
    y[0] = t90;
    y[1] = t51;
    y[2] = t87;
    y[3] = t77;
    y[4] = t71;
  }
};

// adamw, amsgrad: update, vjps
template <class S, class V>
struct k_6c58500b3775_vjps {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t36 = x[1] * u8;
    const V t37 = t35 + t36;
    const V t46 = t37 * x[5];
    const V t47 = -t46;
    const V t48 = u9 * x[5];
    const V t50 = u8 * t48;
    const V t51 = -t50;
    const V t52 = x[1] * t48;
    const V t53 = -t52;
    const V t54 = t48 / t34;
    const V t56 = t35 * t54;
    const V t58 = x[6] - t54;
    const V t59 = t32 * t56;
    const V t60 = u6 * t56;
    const V t62 = t60 * splat<V>(S(0.5));
    const V t63 = t62 / t32;
    const V t64 = select_ge(t27, tiny<V>(), t63, splat<V>(S(0.0)));
    const V t68 = x[8] + t64;
    const V t69 = splat<V>(S(0.5)) * t68;
    const V t70 = select_eq(x[4], t25, t69, t68);
    const V t71 = select_gt(t25, x[4], splat<V>(S(0.0)), t70);
    const V t72 = select_gt(x[4], t25, splat<V>(S(0.0)), t70);
    const V t73 = x[7] + t72;
    const V t74 = u4 * t73;
    const V t75 = t21 * t73;
    const V t77 = u3 * t73;
    const V t78 = x[3] * t73;
    const V t79 = t78 - t75;
    const V t80 = t15 * t74;
    const V t81 = t80 + t80;
    const V t82 = u2 * t58;
    const V t83 = t15 * t58;
    const V t84 = t81 + t82;
    const V t87 = u1 * t58;
    const V t88 = x[2] * t58;
    const V t89 = t88 - t83;
    const V t90 = u0 * t84;
    const V t91 = x[0] * t84;
    y[0] = t90;
    y[1] = t51;
    y[2] = t87;
    y[3] = t77;
    y[4] = t71;
    y[5] = t91;
    y[6] = t89;
    y[7] = t79;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t59;
    y[11] = t56;
    y[12] = t64;
    y[13] = t53;
    y[14] = t47;
  }
};

// adamw, amsgrad: update, jvp
template <class S, class V>
struct k_6c58500b3775_jvp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t36 = x[1] * u8;
    const V t37 = t35 + t36;
    const V t56 = u0 * x[5];
    const V t57 = x[0] * u9;
    const V t58 = t56 + t57;
    const V t59 = u1 * x[7];
    const V t60 = x[2] * u10;
    const V t61 = t59 + t60;
    const V t63 = u2 * t58;
    const V t64 = t15 * u10;
    const V t66 = t63 - t64;
    const V t67 = t61 + t66;
    const V t68 = t15 * t58;
    const V t69 = t68 + t68;
    const V t70 = u3 * x[8];
    const V t71 = x[3] * u11;
    const V t72 = t70 + t71;
    const V t74 = u4 * t69;
    const V t75 = t21 * u11;
    const V t77 = t74 - t75;
    const V t78 = t72 + t77;
    const V t79 = x[9] + t78;
    const V t81 = t79 * splat<V>(S(0.5));
    const V t82 = select_eq(x[4], t25, t81, t79);
    const V t83 = select_gt(t25, x[4], t78, t82);
    const V t84 = select_gt(x[4], t25, x[9], t83);
    const V t85 = u12 + t84;
    const V t86 = select_ge(t27, tiny<V>(), t85, splat<V>(S(0.0)));
    const V t87 = splat<V>(S(0.5)) * t86;
    const V t88 = t87 / t32;
    const V t89 = t32 * u13;
    const V t90 = u6 * t88;
    const V t91 = t89 + t90;
    const V t92 = u14 + t91;
    const V t93 = t35 * t92;
    const V t94 = t67 - t93;
    const V t95 = t94 / t34;
    const V t96 = u8 * x[6];
    const V t97 = x[1] * u15;
    const V t98 = t96 + t97;
    const V t99 = t95 + t98;
    const V t100 = t37 * u16;
    const V t101 = u17 * t99;
    const V t102 = t100 + t101;
    const V t103 = -t102;
    y[0] = t103;
    y[1] = t67;
    y[2] = t78;
    y[3] = t84;
  }
};

// adamw, amsgrad: update, vjp_vjp
template <class S, class V>
struct k_6c58500b3775_vjp_vjp {
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
    const V t33 = t31;
    const V t34 = select_gt(tiny<V>(), t31, tiny<V>(), t33);
    const V t35 = select_ge(t31, tiny<V>(), t31, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 * t36;
    const V t38 = u7 + t37;
    const V t39 = t24 / t38;
    const V t41 = u8 * x[5];
    const V t44 = t41 / t38;
    const V t45 = t39 * t44;
    const V t47 = u6 * t45;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t36;
    const V t51 = select_ge(t31, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[8] + t51;
    const V t53 = splat<V>(S(0.5)) * t52;
    const V t54 = select_eq(x[4], t29, t53, t52);
    const V t56 = select_gt(x[4], t29, splat<V>(S(0.0)), t54);
    const V t57 = x[7] + t56;
    const V t58 = u4 * t57;
    const V t72 = u0 * x[9];
    const V t74 = u1 * x[11];
    const V t76 = u2 * t72;
    const V t77 = t74 + t76;
    const V t78 = t72 + t72;
    const V t79 = t58 * t78;
    const V t80 = t19 * t78;
    const V t82 = u3 * x[12];
    const V t84 = u4 * t80;
    const V t85 = t82 + t84;
    const V t87 = select_gt(x[4], t29, splat<V>(S(0.0)), t85);
    const V t89 = select_gt(t29, x[4], splat<V>(S(0.0)), x[13]);
    const V t91 = t87 + t89;
    const V t92 = select_eq(x[4], t29, t91, splat<V>(S(0.0)));
    const V t93 = select_eq(x[4], t29, splat<V>(S(0.0)), t91);
    const V t95 = splat<V>(S(0.5)) * t92;
    const V t96 = t93 + t95;
    const V t97 = select_ge(t31, tiny<V>(), t96, splat<V>(S(0.0)));
    const V t100 = t97 / t36;
    const V t101 = t50 * t100;
    const V t103 = splat<V>(S(0.5)) * t100;
    const V t107 = u6 * t103;
    const V t109 = t44 * t107;
    const V t110 = t39 * t107;
    const V t111 = t110 - t77;
    const V t112 = t111 / t38;
    const V t113 = t44 * t112;
    const V t114 = -t113;
    const V t118 = u9 * x[10];
    const V t120 = t112 - t118;
    const V t122 = u8 * t120;
    const V t123 = t109 / t38;
    const V t124 = t39 * t123;
    const V t126 = t114 - t124;
    const V t128 = u6 * t126;
    const V t130 = t128 - t101;
    const V t131 = splat<V>(S(0.5)) * t130;
    const V t132 = t131 / t36;
    const V t133 = select_ge(t31, tiny<V>(), t132, splat<V>(S(0.0)));
    const V t137 = splat<V>(S(0.5)) * t133;
    const V t138 = select_eq(x[4], t29, t137, t133);
    const V t139 = select_gt(t29, x[4], splat<V>(S(0.0)), t138);
    const V t140 = select_gt(x[4], t29, splat<V>(S(0.0)), t138);
    const V t141 = u4 * t140;
    const V t146 = u3 * t140;
    const V t149 = t19 * t141;
    const V t150 = t79 + t149;
    const V t151 = t149 + t150;
    const V t152 = u2 * t123;
    const V t154 = t151 + t152;
    const V t159 = u1 * t123;
    const V t162 = u0 * t154;
    y[0] = t162;
    y[1] = splat<V>(S(0.0));
    y[2] = t159;
    y[3] = t146;
    y[4] = t139;
    y[5] = t122;
    y[6] = t77;
    y[7] = t85;
    y[8] = t96;
  }
};

// adamw, amsgrad: update, vjps_vjps
template <class S, class V>
struct k_6c58500b3775_vjps_vjps {
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
    const V t33 = t31;
    const V t34 = select_gt(tiny<V>(), t31, tiny<V>(), t33);
    const V t35 = select_ge(t31, tiny<V>(), t31, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 * t36;
    const V t38 = u7 + t37;
    const V t39 = t24 / t38;
    const V t40 = x[1] * u8;
    const V t41 = t39 + t40;
    const V t45 = u9 * x[5];
    const V t50 = t45 / t38;
    const V t51 = t39 * t50;
    const V t52 = x[6] - t50;
    const V t54 = u6 * t51;
    const V t56 = t54 * splat<V>(S(0.5));
    const V t57 = t56 / t36;
    const V t58 = select_ge(t31, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t59 = x[8] + t58;
    const V t60 = splat<V>(S(0.5)) * t59;
    const V t61 = select_eq(x[4], t29, t60, t59);
    const V t63 = select_gt(x[4], t29, splat<V>(S(0.0)), t61);
    const V t64 = x[7] + t63;
    const V t65 = u4 * t64;
    const V t70 = t19 * t65;
    const V t71 = t70 + t70;
    const V t72 = u2 * t52;
    const V t74 = t71 + t72;
    const V t96 = t74 * u10;
    const V t97 = x[0] * u10;
    const V t98 = t74 * x[9];
    const V t99 = u0 * x[9];
    const V t100 = t97 + t99;
    const V t102 = t52 * u11;
    const V t103 = x[2] * u11;
    const V t104 = t52 * x[11];
    const V t105 = u1 * x[11];
    const V t106 = t103 + t105;
    const V t108 = t19 * u11;
    const V t110 = t106 - t108;
    const V t111 = t52 * t100;
    const V t112 = u2 * t100;
    const V t113 = t110 + t112;
    const V t114 = t100 + t100;
    const V t115 = t65 * t114;
    const V t116 = t19 * t114;
    const V t117 = t115 - t102;
    const V t119 = t64 * u12;
    const V t120 = x[3] * u12;
    const V t121 = t64 * x[12];
    const V t122 = u3 * x[12];
    const V t123 = t120 + t122;
    const V t125 = t25 * u12;
    const V t127 = t123 - t125;
    const V t128 = t64 * t116;
    const V t129 = u4 * t116;
    const V t130 = t127 + t129;
    const V t132 = select_gt(x[4], t29, splat<V>(S(0.0)), t130);
    const V t135 = select_gt(t29, x[4], splat<V>(S(0.0)), x[13]);
    const V t137 = t132 + t135;
    const V t138 = select_eq(x[4], t29, t137, splat<V>(S(0.0)));
    const V t139 = select_eq(x[4], t29, splat<V>(S(0.0)), t137);
    const V t141 = splat<V>(S(0.5)) * t138;
    const V t142 = t139 + t141;
    const V t143 = u13 + t142;
    const V t144 = select_ge(t31, tiny<V>(), t143, splat<V>(S(0.0)));
    const V t147 = t144 / t36;
    const V t148 = t57 * t147;
    const V t150 = splat<V>(S(0.5)) * t147;
    const V t153 = t51 * t150;
    const V t154 = u6 * t150;
    const V t155 = u14 + t154;
    const V t156 = t51 * u15;
    const V t157 = t36 * u15;
    const V t158 = t156 - t148;
    const V t159 = t155 + t157;
    const V t161 = t50 * t159;
    const V t162 = t39 * t159;
    const V t163 = t162 - t113;
    const V t164 = t163 / t38;
    const V t165 = t50 * t164;
    const V t166 = -t165;
    const V t168 = t45 * u16;
    const V t169 = -t168;
    const V t170 = x[1] * u16;
    const V t172 = t164 - t170;
    const V t174 = t45 * x[10];
    const V t175 = -t174;
    const V t176 = u8 * x[10];
    const V t178 = t172 - t176;
    const V t179 = x[5] * t178;
    const V t180 = u9 * t178;
    const V t182 = x[5] * u17;
    const V t184 = t41 * u17;
    const V t186 = t180 - t184;
    const V t187 = t161 - t182;
    const V t188 = u8 * t182;
    const V t190 = x[1] * t182;
    const V t192 = t169 - t188;
    const V t193 = t175 - t190;
    const V t194 = t187 / t38;
    const V t195 = t39 * t194;
    const V t197 = t166 - t195;
    const V t198 = t36 * t197;
    const V t199 = u6 * t197;
    const V t200 = t153 + t198;
    const V t201 = t158 + t199;
    const V t202 = splat<V>(S(0.5)) * t201;
    const V t203 = t202 / t36;
    const V t204 = select_ge(t31, tiny<V>(), t203, splat<V>(S(0.0)));
    const V t208 = splat<V>(S(0.5)) * t204;
    const V t209 = select_eq(x[4], t29, t208, t204);
    const V t210 = select_gt(t29, x[4], splat<V>(S(0.0)), t209);
    const V t211 = select_gt(x[4], t29, splat<V>(S(0.0)), t209);
    const V t212 = u4 * t211;
    const V t213 = t25 * t211;
    const V t214 = t212 - t119;
    const V t215 = t128 + t213;
    const V t217 = t121 - t215;
    const V t218 = u3 * t211;
    const V t219 = x[3] * t211;
    const V t220 = t119 + t218;
    const V t221 = t217 + t219;
    const V t222 = t19 * t214;
    const V t223 = t117 + t222;
    const V t224 = t222 + t223;
    const V t225 = u2 * t194;
    const V t226 = t19 * t194;
    const V t227 = t224 + t225;
    const V t228 = t111 + t226;
    const V t231 = t104 - t228;
    const V t232 = u1 * t194;
    const V t233 = x[2] * t194;
    const V t234 = t102 + t232;
    const V t235 = t231 + t233;
    const V t236 = u0 * t227;
    const V t237 = x[0] * t227;
    const V t238 = t96 + t236;
    const V t239 = t98 + t237;
    y[0] = t238;
    y[1] = t192;
    y[2] = t234;
    y[3] = t220;
    y[4] = t210;
    y[5] = t186;
    y[6] = t113;
    y[7] = t130;
    y[8] = t142;
    y[9] = t239;
    y[10] = t235;
    y[11] = t221;
    y[12] = splat<V>(S(0.0));
    y[13] = splat<V>(S(0.0));
    y[14] = t200;
    y[15] = t197;
    y[16] = t204;
    y[17] = t193;
    y[18] = t179;
  }
};

// adamw, amsgrad: parameters, forward
template <class S, class V>
struct k_c97f031b8760_forward {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t36 = x[1] * u8;
    const V t37 = t35 + t36;
    const V t39 = u9 * t37;
    const V t41 = x[1] - t39;
    y[0] = t41;
    y[1] = t20;
    y[2] = t25;
    y[3] = t26;
  }
};

// adamw, amsgrad: parameters, vjp
template <class S, class V>
struct k_c97f031b8760_vjp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t48 = u8 * x[5];
    const V t50 = u9 * t48;
    const V t54 = x[5] - t50;
    const V t55 = t48 / t34;
    const V t57 = t35 * t55;
    const V t59 = x[6] - t55;
    const V t61 = u6 * t57;
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = t63 / t32;
    const V t65 = select_ge(t27, tiny<V>(), t64, splat<V>(S(0.0)));
    const V t69 = x[8] + t65;
    const V t70 = splat<V>(S(0.5)) * t69;
    const V t71 = select_eq(x[4], t25, t70, t69);
    const V t72 = select_gt(t25, x[4], splat<V>(S(0.0)), t71);
    const V t73 = select_gt(x[4], t25, splat<V>(S(0.0)), t71);
    const V t74 = x[7] + t73;
    const V t75 = u4 * t74;
    const V t78 = u3 * t74;
    const V t81 = t15 * t75;
    const V t82 = t81 + t81;
    const V t83 = u2 * t59;
    const V t85 = t82 + t83;
    const V t88 = u1 * t59;
    const V t91 = u0 * t85;
    y[0] = t91;
    y[1] = t54;
    y[2] = t88;
    y[3] = t78;
    y[4] = t72;
  }
};

// adamw, amsgrad: parameters, vjps
template <class S, class V>
struct k_c97f031b8760_vjps {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t36 = x[1] * u8;
    const V t37 = t35 + t36;
    const V t46 = t37 * x[5];
    const V t47 = -t46;
    const V t48 = u9 * x[5];
    const V t50 = u8 * t48;
    const V t52 = x[1] * t48;
    const V t53 = -t52;
    const V t54 = x[5] - t50;
    const V t55 = t48 / t34;
    const V t57 = t35 * t55;
    const V t59 = x[6] - t55;
    const V t60 = t32 * t57;
    const V t61 = u6 * t57;
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = t63 / t32;
    const V t65 = select_ge(t27, tiny<V>(), t64, splat<V>(S(0.0)));
    const V t69 = x[8] + t65;
    const V t70 = splat<V>(S(0.5)) * t69;
    const V t71 = select_eq(x[4], t25, t70, t69);
    const V t72 = select_gt(t25, x[4], splat<V>(S(0.0)), t71);
    const V t73 = select_gt(x[4], t25, splat<V>(S(0.0)), t71);
    const V t74 = x[7] + t73;
    const V t75 = u4 * t74;
    const V t76 = t21 * t74;
    const V t78 = u3 * t74;
    const V t79 = x[3] * t74;
    const V t80 = t79 - t76;
    const V t81 = t15 * t75;
    const V t82 = t81 + t81;
    const V t83 = u2 * t59;
    const V t84 = t15 * t59;
    const V t85 = t82 + t83;
    const V t88 = u1 * t59;
    const V t89 = x[2] * t59;
    const V t90 = t89 - t84;
    const V t91 = u0 * t85;
    const V t92 = x[0] * t85;
    y[0] = t91;
    y[1] = t54;
    y[2] = t88;
    y[3] = t78;
    y[4] = t72;
    y[5] = t92;
    y[6] = t90;
    y[7] = t80;
    y[8] = splat<V>(S(0.0));
    y[9] = splat<V>(S(0.0));
    y[10] = t60;
    y[11] = t57;
    y[12] = t65;
    y[13] = t53;
    y[14] = t47;
  }
};

// adamw, amsgrad: parameters, jvp
template <class S, class V>
struct k_c97f031b8760_jvp {
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
    const V t29 = t27;
    const V t30 = select_gt(tiny<V>(), t27, tiny<V>(), t29);
    const V t31 = select_ge(t27, tiny<V>(), t27, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u6 * t32;
    const V t34 = u7 + t33;
    const V t35 = t20 / t34;
    const V t36 = x[1] * u8;
    const V t37 = t35 + t36;
    const V t56 = u0 * x[5];
    const V t57 = x[0] * u9;
    const V t58 = t56 + t57;
    const V t59 = u1 * x[7];
    const V t60 = x[2] * u10;
    const V t61 = t59 + t60;
    const V t63 = u2 * t58;
    const V t64 = t15 * u10;
    const V t66 = t63 - t64;
    const V t67 = t61 + t66;
    const V t68 = t15 * t58;
    const V t69 = t68 + t68;
    const V t70 = u3 * x[8];
    const V t71 = x[3] * u11;
    const V t72 = t70 + t71;
    const V t74 = u4 * t69;
    const V t75 = t21 * u11;
    const V t77 = t74 - t75;
    const V t78 = t72 + t77;
    const V t79 = x[9] + t78;
    const V t81 = t79 * splat<V>(S(0.5));
    const V t82 = select_eq(x[4], t25, t81, t79);
    const V t83 = select_gt(t25, x[4], t78, t82);
    const V t84 = select_gt(x[4], t25, x[9], t83);
    const V t85 = u12 + t84;
    const V t86 = select_ge(t27, tiny<V>(), t85, splat<V>(S(0.0)));
    const V t87 = splat<V>(S(0.5)) * t86;
    const V t88 = t87 / t32;
    const V t89 = t32 * u13;
    const V t90 = u6 * t88;
    const V t91 = t89 + t90;
    const V t92 = u14 + t91;
    const V t93 = t35 * t92;
    const V t94 = t67 - t93;
    const V t95 = t94 / t34;
    const V t96 = u8 * x[6];
    const V t97 = x[1] * u15;
    const V t98 = t96 + t97;
    const V t99 = t95 + t98;
    const V t100 = t37 * u16;
    const V t101 = u17 * t99;
    const V t102 = t100 + t101;
    const V t103 = x[6] - t102;
    y[0] = t103;
    y[1] = t67;
    y[2] = t78;
    y[3] = t84;
  }
};

// adamw, amsgrad: parameters, vjp_vjp
template <class S, class V>
struct k_c97f031b8760_vjp_vjp {
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
    const V t33 = t31;
    const V t34 = select_gt(tiny<V>(), t31, tiny<V>(), t33);
    const V t35 = select_ge(t31, tiny<V>(), t31, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 * t36;
    const V t38 = u7 + t37;
    const V t39 = t24 / t38;
    const V t41 = u8 * x[5];
    const V t44 = t41 / t38;
    const V t45 = t39 * t44;
    const V t47 = u6 * t45;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t36;
    const V t51 = select_ge(t31, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[8] + t51;
    const V t53 = splat<V>(S(0.5)) * t52;
    const V t54 = select_eq(x[4], t29, t53, t52);
    const V t56 = select_gt(x[4], t29, splat<V>(S(0.0)), t54);
    const V t57 = x[7] + t56;
    const V t58 = u4 * t57;
    const V t72 = u0 * x[9];
    const V t74 = u1 * x[11];
    const V t76 = u2 * t72;
    const V t77 = t74 + t76;
    const V t78 = t72 + t72;
    const V t79 = t58 * t78;
    const V t80 = t19 * t78;
    const V t82 = u3 * x[12];
    const V t84 = u4 * t80;
    const V t85 = t82 + t84;
    const V t87 = select_gt(x[4], t29, splat<V>(S(0.0)), t85);
    const V t89 = select_gt(t29, x[4], splat<V>(S(0.0)), x[13]);
    const V t91 = t87 + t89;
    const V t92 = select_eq(x[4], t29, t91, splat<V>(S(0.0)));
    const V t93 = select_eq(x[4], t29, splat<V>(S(0.0)), t91);
    const V t95 = splat<V>(S(0.5)) * t92;
    const V t96 = t93 + t95;
    const V t97 = select_ge(t31, tiny<V>(), t96, splat<V>(S(0.0)));
    const V t100 = t97 / t36;
    const V t101 = t50 * t100;
    const V t103 = splat<V>(S(0.5)) * t100;
    const V t107 = u6 * t103;
    const V t109 = t44 * t107;
    const V t110 = t39 * t107;
    const V t111 = t110 - t77;
    const V t112 = t111 / t38;
    const V t113 = t44 * t112;
    const V t114 = -t113;
    const V t118 = u9 * x[10];
    const V t120 = t112 - t118;
    const V t122 = u8 * t120;
    const V t123 = x[10] + t122;
    const V t124 = t109 / t38;
    const V t125 = t39 * t124;
    const V t127 = t114 - t125;
    const V t129 = u6 * t127;
    const V t131 = t129 - t101;
    const V t132 = splat<V>(S(0.5)) * t131;
    const V t133 = t132 / t36;
    const V t134 = select_ge(t31, tiny<V>(), t133, splat<V>(S(0.0)));
    const V t138 = splat<V>(S(0.5)) * t134;
    const V t139 = select_eq(x[4], t29, t138, t134);
    const V t140 = select_gt(t29, x[4], splat<V>(S(0.0)), t139);
    const V t141 = select_gt(x[4], t29, splat<V>(S(0.0)), t139);
    const V t142 = u4 * t141;
    const V t147 = u3 * t141;
    const V t150 = t19 * t142;
    const V t151 = t79 + t150;
    const V t152 = t150 + t151;
    const V t153 = u2 * t124;
    const V t155 = t152 + t153;
    const V t160 = u1 * t124;
    const V t163 = u0 * t155;
    y[0] = t163;
    y[1] = splat<V>(S(0.0));
    y[2] = t160;
    y[3] = t147;
    y[4] = t140;
    y[5] = t123;
    y[6] = t77;
    y[7] = t85;
    y[8] = t96;
  }
};

// adamw, amsgrad: parameters, vjps_vjps
template <class S, class V>
struct k_c97f031b8760_vjps_vjps {
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
    const V t33 = t31;
    const V t34 = select_gt(tiny<V>(), t31, tiny<V>(), t33);
    const V t35 = select_ge(t31, tiny<V>(), t31, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 * t36;
    const V t38 = u7 + t37;
    const V t39 = t24 / t38;
    const V t40 = x[1] * u8;
    const V t41 = t39 + t40;
    const V t45 = u9 * x[5];
    const V t50 = t45 / t38;
    const V t51 = t39 * t50;
    const V t52 = x[6] - t50;
    const V t54 = u6 * t51;
    const V t56 = t54 * splat<V>(S(0.5));
    const V t57 = t56 / t36;
    const V t58 = select_ge(t31, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t59 = x[8] + t58;
    const V t60 = splat<V>(S(0.5)) * t59;
    const V t61 = select_eq(x[4], t29, t60, t59);
    const V t63 = select_gt(x[4], t29, splat<V>(S(0.0)), t61);
    const V t64 = x[7] + t63;
    const V t65 = u4 * t64;
    const V t70 = t19 * t65;
    const V t71 = t70 + t70;
    const V t72 = u2 * t52;
    const V t74 = t71 + t72;
    const V t96 = t74 * u10;
    const V t97 = x[0] * u10;
    const V t98 = t74 * x[9];
    const V t99 = u0 * x[9];
    const V t100 = t97 + t99;
    const V t102 = t52 * u11;
    const V t103 = x[2] * u11;
    const V t104 = t52 * x[11];
    const V t105 = u1 * x[11];
    const V t106 = t103 + t105;
    const V t108 = t19 * u11;
    const V t110 = t106 - t108;
    const V t111 = t52 * t100;
    const V t112 = u2 * t100;
    const V t113 = t110 + t112;
    const V t114 = t100 + t100;
    const V t115 = t65 * t114;
    const V t116 = t19 * t114;
    const V t117 = t115 - t102;
    const V t119 = t64 * u12;
    const V t120 = x[3] * u12;
    const V t121 = t64 * x[12];
    const V t122 = u3 * x[12];
    const V t123 = t120 + t122;
    const V t125 = t25 * u12;
    const V t127 = t123 - t125;
    const V t128 = t64 * t116;
    const V t129 = u4 * t116;
    const V t130 = t127 + t129;
    const V t132 = select_gt(x[4], t29, splat<V>(S(0.0)), t130);
    const V t135 = select_gt(t29, x[4], splat<V>(S(0.0)), x[13]);
    const V t137 = t132 + t135;
    const V t138 = select_eq(x[4], t29, t137, splat<V>(S(0.0)));
    const V t139 = select_eq(x[4], t29, splat<V>(S(0.0)), t137);
    const V t141 = splat<V>(S(0.5)) * t138;
    const V t142 = t139 + t141;
    const V t143 = u13 + t142;
    const V t144 = select_ge(t31, tiny<V>(), t143, splat<V>(S(0.0)));
    const V t147 = t144 / t36;
    const V t148 = t57 * t147;
    const V t150 = splat<V>(S(0.5)) * t147;
    const V t153 = t51 * t150;
    const V t154 = u6 * t150;
    const V t155 = u14 + t154;
    const V t156 = t51 * u15;
    const V t157 = t36 * u15;
    const V t158 = t156 - t148;
    const V t159 = t155 + t157;
    const V t161 = t50 * t159;
    const V t162 = t39 * t159;
    const V t163 = t162 - t113;
    const V t164 = t163 / t38;
    const V t165 = t50 * t164;
    const V t166 = -t165;
    const V t169 = t45 * u16;
    const V t170 = -t169;
    const V t171 = x[1] * u16;
    const V t173 = t164 - t171;
    const V t174 = t45 * x[10];
    const V t175 = -t174;
    const V t176 = u8 * x[10];
    const V t178 = t173 - t176;
    const V t179 = x[5] * t178;
    const V t180 = u9 * t178;
    const V t181 = x[10] + t180;
    const V t183 = x[5] * u17;
    const V t185 = t41 * u17;
    const V t187 = t181 - t185;
    const V t188 = t161 - t183;
    const V t189 = u8 * t183;
    const V t191 = x[1] * t183;
    const V t193 = t170 - t189;
    const V t194 = t175 - t191;
    const V t195 = t188 / t38;
    const V t196 = t39 * t195;
    const V t198 = t166 - t196;
    const V t199 = t36 * t198;
    const V t200 = u6 * t198;
    const V t201 = t153 + t199;
    const V t202 = t158 + t200;
    const V t203 = splat<V>(S(0.5)) * t202;
    const V t204 = t203 / t36;
    const V t205 = select_ge(t31, tiny<V>(), t204, splat<V>(S(0.0)));
    const V t209 = splat<V>(S(0.5)) * t205;
    const V t210 = select_eq(x[4], t29, t209, t205);
    const V t211 = select_gt(t29, x[4], splat<V>(S(0.0)), t210);
    const V t212 = select_gt(x[4], t29, splat<V>(S(0.0)), t210);
    const V t213 = u4 * t212;
    const V t214 = t25 * t212;
    const V t215 = t213 - t119;
    const V t216 = t128 + t214;
    const V t218 = t121 - t216;
    const V t219 = u3 * t212;
    const V t220 = x[3] * t212;
    const V t221 = t119 + t219;
    const V t222 = t218 + t220;
    const V t223 = t19 * t215;
    const V t224 = t117 + t223;
    const V t225 = t223 + t224;
    const V t226 = u2 * t195;
    const V t227 = t19 * t195;
    const V t228 = t225 + t226;
    const V t229 = t111 + t227;
    const V t232 = t104 - t229;
    const V t233 = u1 * t195;
    const V t234 = x[2] * t195;
    const V t235 = t102 + t233;
    const V t236 = t232 + t234;
    const V t237 = u0 * t228;
    const V t238 = x[0] * t228;
    const V t239 = t96 + t237;
    const V t240 = t98 + t238;
    y[0] = t239;
    y[1] = t193;
    y[2] = t235;
    y[3] = t221;
    y[4] = t211;
    y[5] = t187;
    y[6] = t113;
    y[7] = t130;
    y[8] = t142;
    y[9] = t240;
    y[10] = t236;
    y[11] = t222;
    y[12] = splat<V>(S(0.0));
    y[13] = splat<V>(S(0.0));
    y[14] = t201;
    y[15] = t198;
    y[16] = t205;
    y[17] = t194;
    y[18] = t179;
  }
};

// rmsprop: update, forward
template <class S, class V>
struct k_065bbbef2486_forward {
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
    const V t14 = t12;
    const V t15 = select_gt(tiny<V>(), t12, tiny<V>(), t14);
    const V t16 = select_ge(t12, tiny<V>(), t12, t15);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t6 / t18;
    const V t21 = u4 * t19;
    const V t22 = -t21;
    y[0] = t22;
    y[1] = t12;
  }
};

// rmsprop: update, vjp
template <class S, class V>
struct k_065bbbef2486_vjp {
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
    const V t14 = t12;
    const V t15 = select_gt(tiny<V>(), t12, tiny<V>(), t14);
    const V t16 = select_ge(t12, tiny<V>(), t12, t15);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t6 / t18;
    const V t28 = u4 * x[2];
    const V t30 = t28 / t18;
    const V t32 = t19 * t30;
    const V t35 = t32 * splat<V>(S(0.5));
    const V t36 = t35 / t17;
    const V t37 = select_ge(t12, tiny<V>(), t36, splat<V>(S(0.0)));
    const V t39 = x[3] + t37;
    const V t42 = u2 * t39;
    const V t45 = u1 * t39;
    const V t48 = t6 * t42;
    const V t49 = t48 - t30;
    const V t50 = t48 + t49;
    const V t51 = u0 * t50;
    y[0] = t51;
    y[1] = t45;
  }
};

// rmsprop: update, vjps
template <class S, class V>
struct k_065bbbef2486_vjps {
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
    const V t14 = t12;
    const V t15 = select_gt(tiny<V>(), t12, tiny<V>(), t14);
    const V t16 = select_ge(t12, tiny<V>(), t12, t15);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t6 / t18;
    const V t26 = t19 * x[2];
    const V t27 = -t26;
    const V t28 = u4 * x[2];
    const V t30 = t28 / t18;
    const V t32 = t19 * t30;
    const V t35 = t32 * splat<V>(S(0.5));
    const V t36 = t35 / t17;
    const V t37 = select_ge(t12, tiny<V>(), t36, splat<V>(S(0.0)));
    const V t39 = x[3] + t37;
    const V t42 = u2 * t39;
    const V t43 = t7 * t39;
    const V t45 = u1 * t39;
    const V t46 = x[1] * t39;
    const V t47 = t46 - t43;
    const V t48 = t6 * t42;
    const V t49 = t48 - t30;
    const V t50 = t48 + t49;
    const V t51 = u0 * t50;
    const V t52 = x[0] * t50;
    y[0] = t51;
    y[1] = t45;
    y[2] = t52;
    y[3] = t47;
    y[4] = t32;
    y[5] = t27;
  }
};

// rmsprop: update, jvp
template <class S, class V>
struct k_065bbbef2486_jvp {
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
    const V t14 = t12;
    const V t15 = select_gt(tiny<V>(), t12, tiny<V>(), t14);
    const V t16 = select_ge(t12, tiny<V>(), t12, t15);
    const V t17 = sqrt_(t16);
    const V t18 = u3 + t17;
    const V t19 = t6 / t18;
    const V t29 = u0 * x[2];
    const V t30 = x[0] * u4;
    const V t31 = t29 + t30;
    const V t32 = t6 * t31;
    const V t33 = t32 + t32;
    const V t34 = u1 * x[3];
    const V t35 = x[1] * u5;
    const V t36 = t34 + t35;
    const V t38 = u2 * t33;
    const V t39 = t7 * u5;
    const V t41 = t38 - t39;
    const V t42 = t36 + t41;
    const V t43 = select_ge(t12, tiny<V>(), t42, splat<V>(S(0.0)));
    const V t45 = t43 * splat<V>(S(0.5));
    const V t46 = t45 / t17;
    const V t47 = u6 + t46;
    const V t48 = t19 * t47;
    const V t49 = t31 - t48;
    const V t50 = t49 / t18;
    const V t51 = t19 * u7;
    const V t52 = u8 * t50;
    const V t53 = t51 + t52;
    const V t54 = -t53;
    y[0] = t54;
    y[1] = t42;
  }
};

// rmsprop: update, vjp_vjp
template <class S, class V>
struct k_065bbbef2486_vjp_vjp {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t23 = u4 * x[2];
    const V t24 = t23 / t20;
    const V t25 = t21 * t24;
    const V t27 = t25 * splat<V>(S(0.5));
    const V t28 = t27 / t19;
    const V t29 = select_ge(t14, tiny<V>(), t28, splat<V>(S(0.0)));
    const V t30 = x[3] + t29;
    const V t31 = u2 * t30;
    const V t40 = u0 * x[4];
    const V t42 = t40 + t40;
    const V t43 = t31 * t42;
    const V t44 = t8 * t42;
    const V t46 = u1 * x[5];
    const V t48 = u2 * t44;
    const V t49 = t46 + t48;
    const V t50 = select_ge(t14, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t52 = t50 / t19;
    const V t53 = t28 * t52;
    const V t55 = splat<V>(S(0.5)) * t52;
    const V t57 = t24 * t55;
    const V t58 = t21 * t55;
    const V t59 = t58 - t40;
    const V t60 = t59 / t20;
    const V t61 = t24 * t60;
    const V t62 = -t61;
    const V t64 = u4 * t60;
    const V t65 = t57 / t20;
    const V t66 = t21 * t65;
    const V t68 = t43 + t65;
    const V t69 = t62 - t66;
    const V t70 = t69 - t53;
    const V t71 = splat<V>(S(0.5)) * t70;
    const V t72 = t71 / t19;
    const V t73 = select_ge(t14, tiny<V>(), t72, splat<V>(S(0.0)));
    const V t77 = u2 * t73;
    const V t82 = u1 * t73;
    const V t85 = t8 * t77;
    const V t86 = t68 + t85;
    const V t87 = t85 + t86;
    const V t88 = u0 * t87;
    y[0] = t88;
    y[1] = t82;
    y[2] = t64;
    y[3] = t49;
  }
};

// rmsprop: update, vjps_vjps
template <class S, class V>
struct k_065bbbef2486_vjps_vjps {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t25 = u4 * x[2];
    const V t26 = t25 / t20;
    const V t27 = t21 * t26;
    const V t29 = t27 * splat<V>(S(0.5));
    const V t30 = t29 / t19;
    const V t31 = select_ge(t14, tiny<V>(), t30, splat<V>(S(0.0)));
    const V t32 = x[3] + t31;
    const V t33 = u2 * t32;
    const V t38 = t8 * t33;
    const V t39 = t38 - t26;
    const V t40 = t38 + t39;
    const V t49 = t40 * u5;
    const V t50 = x[0] * u5;
    const V t51 = t40 * x[4];
    const V t52 = u0 * x[4];
    const V t53 = t50 + t52;
    const V t55 = t53 + t53;
    const V t56 = t33 * t55;
    const V t57 = t8 * t55;
    const V t59 = t32 * u6;
    const V t60 = x[1] * u6;
    const V t61 = t32 * x[5];
    const V t62 = u1 * x[5];
    const V t63 = t60 + t62;
    const V t65 = t9 * u6;
    const V t67 = t63 - t65;
    const V t68 = t32 * t57;
    const V t69 = u2 * t57;
    const V t70 = t67 + t69;
    const V t71 = select_ge(t14, tiny<V>(), t70, splat<V>(S(0.0)));
    const V t73 = t71 / t19;
    const V t74 = t30 * t73;
    const V t76 = splat<V>(S(0.5)) * t73;
    const V t78 = u7 + t76;
    const V t79 = t26 * t78;
    const V t80 = t21 * t78;
    const V t81 = t80 - t53;
    const V t82 = t81 / t20;
    const V t83 = t26 * t82;
    const V t84 = -t83;
    const V t85 = x[2] * t82;
    const V t86 = u4 * t82;
    const V t88 = x[2] * u8;
    const V t90 = t21 * u8;
    const V t92 = t79 - t88;
    const V t93 = t86 - t90;
    const V t94 = t92 / t20;
    const V t95 = t21 * t94;
    const V t97 = t56 + t94;
    const V t98 = t84 - t95;
    const V t99 = t98 - t74;
    const V t100 = splat<V>(S(0.5)) * t99;
    const V t101 = t100 / t19;
    const V t102 = select_ge(t14, tiny<V>(), t101, splat<V>(S(0.0)));
    const V t106 = u2 * t102;
    const V t107 = t9 * t102;
    const V t108 = t106 - t59;
    const V t109 = t68 + t107;
    const V t111 = t61 - t109;
    const V t112 = u1 * t102;
    const V t113 = x[1] * t102;
    const V t114 = t59 + t112;
    const V t115 = t111 + t113;
    const V t116 = t8 * t108;
    const V t117 = t97 + t116;
    const V t118 = t116 + t117;
    const V t119 = u0 * t118;
    const V t120 = x[0] * t118;
    const V t121 = t49 + t119;
    const V t122 = t51 + t120;
    y[0] = t121;
    y[1] = t114;
    y[2] = t93;
    y[3] = t70;
    y[4] = t122;
    y[5] = t115;
    y[6] = t98;
    y[7] = t85;
  }
};

// rmsprop: parameters, forward
template <class S, class V>
struct k_f28ce4727f89_forward {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t7 / t19;
    const V t22 = u4 * t20;
    const V t24 = x[1] - t22;
    y[0] = t24;
    y[1] = t13;
  }
};

// rmsprop: parameters, vjp
template <class S, class V>
struct k_f28ce4727f89_vjp {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t7 / t19;
    const V t29 = u4 * x[3];
    const V t31 = t29 / t19;
    const V t33 = t20 * t31;
    const V t36 = t33 * splat<V>(S(0.5));
    const V t37 = t36 / t18;
    const V t38 = select_ge(t13, tiny<V>(), t37, splat<V>(S(0.0)));
    const V t40 = x[4] + t38;
    const V t43 = u2 * t40;
    const V t46 = u1 * t40;
    const V t49 = t7 * t43;
    const V t50 = t49 - t31;
    const V t51 = t49 + t50;
    const V t52 = u0 * t51;
    y[0] = t52;
    y[1] = x[3];
    y[2] = t46;
  }
};

// rmsprop: parameters, vjps
template <class S, class V>
struct k_f28ce4727f89_vjps {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t7 / t19;
    const V t27 = t20 * x[3];
    const V t28 = -t27;
    const V t29 = u4 * x[3];
    const V t31 = t29 / t19;
    const V t33 = t20 * t31;
    const V t36 = t33 * splat<V>(S(0.5));
    const V t37 = t36 / t18;
    const V t38 = select_ge(t13, tiny<V>(), t37, splat<V>(S(0.0)));
    const V t40 = x[4] + t38;
    const V t43 = u2 * t40;
    const V t44 = t8 * t40;
    const V t46 = u1 * t40;
    const V t47 = x[2] * t40;
    const V t48 = t47 - t44;
    const V t49 = t7 * t43;
    const V t50 = t49 - t31;
    const V t51 = t49 + t50;
    const V t52 = u0 * t51;
    const V t53 = x[0] * t51;
    y[0] = t52;
    y[1] = x[3];
    y[2] = t46;
    y[3] = t53;
    y[4] = t48;
    y[5] = t33;
    y[6] = t28;
  }
};

// rmsprop: parameters, jvp
template <class S, class V>
struct k_f28ce4727f89_jvp {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u3 + t18;
    const V t20 = t7 / t19;
    const V t31 = u0 * x[3];
    const V t32 = x[0] * u4;
    const V t33 = t31 + t32;
    const V t34 = t7 * t33;
    const V t35 = t34 + t34;
    const V t36 = u1 * x[5];
    const V t37 = x[2] * u5;
    const V t38 = t36 + t37;
    const V t40 = u2 * t35;
    const V t41 = t8 * u5;
    const V t43 = t40 - t41;
    const V t44 = t38 + t43;
    const V t45 = select_ge(t13, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t18;
    const V t49 = u6 + t48;
    const V t50 = t20 * t49;
    const V t51 = t33 - t50;
    const V t52 = t51 / t19;
    const V t53 = t20 * u7;
    const V t54 = u8 * t52;
    const V t55 = t53 + t54;
    const V t56 = x[4] - t55;
    y[0] = t56;
    y[1] = t44;
  }
};

// rmsprop: parameters, vjp_vjp
template <class S, class V>
struct k_f28ce4727f89_vjp_vjp {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t24 = u4 * x[3];
    const V t25 = t24 / t21;
    const V t26 = t22 * t25;
    const V t28 = t26 * splat<V>(S(0.5));
    const V t29 = t28 / t20;
    const V t30 = select_ge(t15, tiny<V>(), t29, splat<V>(S(0.0)));
    const V t31 = x[4] + t30;
    const V t32 = u2 * t31;
    const V t42 = u0 * x[5];
    const V t44 = t42 + t42;
    const V t45 = t32 * t44;
    const V t46 = t9 * t44;
    const V t48 = u1 * x[7];
    const V t50 = u2 * t46;
    const V t51 = t48 + t50;
    const V t52 = select_ge(t15, tiny<V>(), t51, splat<V>(S(0.0)));
    const V t54 = t52 / t20;
    const V t55 = t29 * t54;
    const V t57 = splat<V>(S(0.5)) * t54;
    const V t59 = t25 * t57;
    const V t60 = t22 * t57;
    const V t61 = t60 - t42;
    const V t62 = t61 / t21;
    const V t63 = t25 * t62;
    const V t64 = -t63;
    const V t66 = u4 * t62;
    const V t67 = x[6] + t66;
    const V t68 = t59 / t21;
    const V t69 = t22 * t68;
    const V t71 = t45 + t68;
    const V t72 = t64 - t69;
    const V t73 = t72 - t55;
    const V t74 = splat<V>(S(0.5)) * t73;
    const V t75 = t74 / t20;
    const V t76 = select_ge(t15, tiny<V>(), t75, splat<V>(S(0.0)));
    const V t80 = u2 * t76;
    const V t85 = u1 * t76;
    const V t88 = t9 * t80;
    const V t89 = t71 + t88;
    const V t90 = t88 + t89;
    const V t91 = u0 * t90;
    y[0] = t91;
    y[1] = splat<V>(S(0.0));
    y[2] = t85;
    y[3] = t67;
    y[4] = t51;
  }
};

// rmsprop: parameters, vjps_vjps
template <class S, class V>
struct k_f28ce4727f89_vjps_vjps {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t26 = u4 * x[3];
    const V t27 = t26 / t21;
    const V t28 = t22 * t27;
    const V t30 = t28 * splat<V>(S(0.5));
    const V t31 = t30 / t20;
    const V t32 = select_ge(t15, tiny<V>(), t31, splat<V>(S(0.0)));
    const V t33 = x[4] + t32;
    const V t34 = u2 * t33;
    const V t39 = t9 * t34;
    const V t40 = t39 - t27;
    const V t41 = t39 + t40;
    const V t51 = t41 * u5;
    const V t52 = x[0] * u5;
    const V t53 = t41 * x[5];
    const V t54 = u0 * x[5];
    const V t55 = t52 + t54;
    const V t57 = t55 + t55;
    const V t58 = t34 * t57;
    const V t59 = t9 * t57;
    const V t61 = t33 * u6;
    const V t62 = x[2] * u6;
    const V t63 = t33 * x[7];
    const V t64 = u1 * x[7];
    const V t65 = t62 + t64;
    const V t67 = t10 * u6;
    const V t69 = t65 - t67;
    const V t70 = t33 * t59;
    const V t71 = u2 * t59;
    const V t72 = t69 + t71;
    const V t73 = select_ge(t15, tiny<V>(), t72, splat<V>(S(0.0)));
    const V t75 = t73 / t20;
    const V t76 = t31 * t75;
    const V t78 = splat<V>(S(0.5)) * t75;
    const V t80 = u7 + t78;
    const V t81 = t27 * t80;
    const V t82 = t22 * t80;
    const V t83 = t82 - t55;
    const V t84 = t83 / t21;
    const V t85 = t27 * t84;
    const V t86 = -t85;
    const V t87 = x[3] * t84;
    const V t88 = u4 * t84;
    const V t89 = x[6] + t88;
    const V t91 = x[3] * u8;
    const V t93 = t22 * u8;
    const V t95 = t81 - t91;
    const V t96 = t89 - t93;
    const V t97 = t95 / t21;
    const V t98 = t22 * t97;
    const V t100 = t58 + t97;
    const V t101 = t86 - t98;
    const V t102 = t101 - t76;
    const V t103 = splat<V>(S(0.5)) * t102;
    const V t104 = t103 / t20;
    const V t105 = select_ge(t15, tiny<V>(), t104, splat<V>(S(0.0)));
    const V t109 = u2 * t105;
    const V t110 = t10 * t105;
    const V t111 = t109 - t61;
    const V t112 = t70 + t110;
    const V t114 = t63 - t112;
    const V t115 = u1 * t105;
    const V t116 = x[2] * t105;
    const V t117 = t61 + t115;
    const V t118 = t114 + t116;
    const V t119 = t9 * t111;
    const V t120 = t100 + t119;
    const V t121 = t119 + t120;
    const V t122 = u0 * t121;
    const V t123 = x[0] * t121;
    const V t124 = t51 + t122;
    const V t125 = t53 + t123;
    y[0] = t124;
    y[1] = splat<V>(S(0.0));
    y[2] = t117;
    y[3] = t96;
    y[4] = t72;
    y[5] = t125;
    y[6] = t118;
    y[7] = t101;
    y[8] = t87;
  }
};

// rmsprop, weight decay: update, forward
template <class S, class V>
struct k_e35ad45a2472_forward {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t25 = u5 * t23;
    const V t26 = -t25;
    y[0] = t26;
    y[1] = t16;
  }
};

// rmsprop, weight decay: update, vjp
template <class S, class V>
struct k_e35ad45a2472_vjp {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t32 = u5 * x[3];
    const V t34 = t32 / t22;
    const V t36 = t23 * t34;
    const V t39 = t36 * splat<V>(S(0.5));
    const V t40 = t39 / t21;
    const V t41 = select_ge(t16, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t43 = x[4] + t41;
    const V t46 = u3 * t43;
    const V t49 = u2 * t43;
    const V t52 = t10 * t46;
    const V t53 = t52 - t34;
    const V t54 = t52 + t53;
    const V t55 = u1 * t54;
    const V t57 = u0 * t54;
    y[0] = t57;
    y[1] = t55;
    y[2] = t49;
  }
};

// rmsprop, weight decay: update, vjps
template <class S, class V>
struct k_e35ad45a2472_vjps {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t30 = t23 * x[3];
    const V t31 = -t30;
    const V t32 = u5 * x[3];
    const V t34 = t32 / t22;
    const V t36 = t23 * t34;
    const V t39 = t36 * splat<V>(S(0.5));
    const V t40 = t39 / t21;
    const V t41 = select_ge(t16, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t43 = x[4] + t41;
    const V t46 = u3 * t43;
    const V t47 = t11 * t43;
    const V t49 = u2 * t43;
    const V t50 = x[2] * t43;
    const V t51 = t50 - t47;
    const V t52 = t10 * t46;
    const V t53 = t52 - t34;
    const V t54 = t52 + t53;
    const V t55 = u1 * t54;
    const V t56 = x[1] * t54;
    const V t57 = u0 * t54;
    const V t58 = x[0] * t54;
    y[0] = t57;
    y[1] = t55;
    y[2] = t49;
    y[3] = t58;
    y[4] = t56;
    y[5] = t51;
    y[6] = t36;
    y[7] = t31;
  }
};

// rmsprop, weight decay: update, jvp
template <class S, class V>
struct k_e35ad45a2472_jvp {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t35 = u0 * x[3];
    const V t36 = x[0] * u5;
    const V t37 = t35 + t36;
    const V t38 = u1 * x[4];
    const V t39 = x[1] * u6;
    const V t40 = t38 + t39;
    const V t41 = t37 + t40;
    const V t42 = t10 * t41;
    const V t43 = t42 + t42;
    const V t44 = u2 * x[5];
    const V t45 = x[2] * u7;
    const V t46 = t44 + t45;
    const V t48 = u3 * t43;
    const V t49 = t11 * u7;
    const V t51 = t48 - t49;
    const V t52 = t46 + t51;
    const V t53 = select_ge(t16, tiny<V>(), t52, splat<V>(S(0.0)));
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t21;
    const V t57 = u8 + t56;
    const V t58 = t23 * t57;
    const V t59 = t41 - t58;
    const V t60 = t59 / t22;
    const V t61 = t23 * u9;
    const V t62 = u10 * t60;
    const V t63 = t61 + t62;
    const V t64 = -t63;
    y[0] = t64;
    y[1] = t52;
  }
};

// rmsprop, weight decay: update, vjp_vjp
template <class S, class V>
struct k_e35ad45a2472_vjp_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t27 = u5 * x[3];
    const V t28 = t27 / t24;
    const V t29 = t25 * t28;
    const V t31 = t29 * splat<V>(S(0.5));
    const V t32 = t31 / t23;
    const V t33 = select_ge(t18, tiny<V>(), t32, splat<V>(S(0.0)));
    const V t34 = x[4] + t33;
    const V t35 = u3 * t34;
    const V t46 = u0 * x[5];
    const V t48 = u1 * x[6];
    const V t49 = t46 + t48;
    const V t51 = t49 + t49;
    const V t52 = t35 * t51;
    const V t53 = t12 * t51;
    const V t55 = u2 * x[7];
    const V t57 = u3 * t53;
    const V t58 = t55 + t57;
    const V t59 = select_ge(t18, tiny<V>(), t58, splat<V>(S(0.0)));
    const V t61 = t59 / t23;
    const V t62 = t32 * t61;
    const V t64 = splat<V>(S(0.5)) * t61;
    const V t66 = t28 * t64;
    const V t67 = t25 * t64;
    const V t68 = t67 - t49;
    const V t69 = t68 / t24;
    const V t70 = t28 * t69;
    const V t71 = -t70;
    const V t73 = u5 * t69;
    const V t74 = t66 / t24;
    const V t75 = t25 * t74;
    const V t77 = t52 + t74;
    const V t78 = t71 - t75;
    const V t79 = t78 - t62;
    const V t80 = splat<V>(S(0.5)) * t79;
    const V t81 = t80 / t23;
    const V t82 = select_ge(t18, tiny<V>(), t81, splat<V>(S(0.0)));
    const V t86 = u3 * t82;
    const V t91 = u2 * t82;
    const V t94 = t12 * t86;
    const V t95 = t77 + t94;
    const V t96 = t94 + t95;
    const V t97 = u1 * t96;
    const V t100 = u0 * t96;
    y[0] = t100;
    y[1] = t97;
    y[2] = t91;
    y[3] = t73;
    y[4] = t58;
  }
};

// rmsprop, weight decay: update, vjps_vjps
template <class S, class V>
struct k_e35ad45a2472_vjps_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t29 = u5 * x[3];
    const V t30 = t29 / t24;
    const V t31 = t25 * t30;
    const V t33 = t31 * splat<V>(S(0.5));
    const V t34 = t33 / t23;
    const V t35 = select_ge(t18, tiny<V>(), t34, splat<V>(S(0.0)));
    const V t36 = x[4] + t35;
    const V t37 = u3 * t36;
    const V t42 = t12 * t37;
    const V t43 = t42 - t30;
    const V t44 = t42 + t43;
    const V t57 = t44 * u6;
    const V t58 = x[0] * u6;
    const V t59 = t44 * x[5];
    const V t60 = u0 * x[5];
    const V t61 = t58 + t60;
    const V t62 = t44 * u7;
    const V t63 = x[1] * u7;
    const V t64 = t61 + t63;
    const V t65 = t44 * x[6];
    const V t66 = u1 * x[6];
    const V t67 = t64 + t66;
    const V t69 = t67 + t67;
    const V t70 = t37 * t69;
    const V t71 = t12 * t69;
    const V t73 = t36 * u8;
    const V t74 = x[2] * u8;
    const V t75 = t36 * x[7];
    const V t76 = u2 * x[7];
    const V t77 = t74 + t76;
    const V t79 = t13 * u8;
    const V t81 = t77 - t79;
    const V t82 = t36 * t71;
    const V t83 = u3 * t71;
    const V t84 = t81 + t83;
    const V t85 = select_ge(t18, tiny<V>(), t84, splat<V>(S(0.0)));
    const V t87 = t85 / t23;
    const V t88 = t34 * t87;
    const V t90 = splat<V>(S(0.5)) * t87;
    const V t92 = u9 + t90;
    const V t93 = t30 * t92;
    const V t94 = t25 * t92;
    const V t95 = t94 - t67;
    const V t96 = t95 / t24;
    const V t97 = t30 * t96;
    const V t98 = -t97;
    const V t99 = x[3] * t96;
    const V t100 = u5 * t96;
    const V t102 = x[3] * u10;
    const V t104 = t25 * u10;
    const V t106 = t93 - t102;
    const V t107 = t100 - t104;
    const V t108 = t106 / t24;
    const V t109 = t25 * t108;
    const V t111 = t70 + t108;
    const V t112 = t98 - t109;
    const V t113 = t112 - t88;
    const V t114 = splat<V>(S(0.5)) * t113;
    const V t115 = t114 / t23;
    const V t116 = select_ge(t18, tiny<V>(), t115, splat<V>(S(0.0)));
    const V t120 = u3 * t116;
    const V t121 = t13 * t116;
    const V t122 = t120 - t73;
    const V t123 = t82 + t121;
    const V t125 = t75 - t123;
    const V t126 = u2 * t116;
    const V t127 = x[2] * t116;
    const V t128 = t73 + t126;
    const V t129 = t125 + t127;
    const V t130 = t12 * t122;
    const V t131 = t111 + t130;
    const V t132 = t130 + t131;
    const V t133 = u1 * t132;
    const V t134 = x[1] * t132;
    const V t135 = t62 + t133;
    const V t136 = t65 + t134;
    const V t137 = u0 * t132;
    const V t138 = x[0] * t132;
    const V t139 = t57 + t137;
    const V t140 = t59 + t138;
    y[0] = t139;
    y[1] = t135;
    y[2] = t128;
    y[3] = t107;
    y[4] = t84;
    y[5] = t140;
    y[6] = t136;
    y[7] = t129;
    y[8] = t112;
    y[9] = t99;
  }
};

// rmsprop, weight decay: parameters, forward
template <class S, class V>
struct k_d5c6067a55cc_forward {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t25 = u5 * t23;
    const V t27 = x[1] - t25;
    y[0] = t27;
    y[1] = t16;
  }
};

// rmsprop, weight decay: parameters, vjp
template <class S, class V>
struct k_d5c6067a55cc_vjp {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t32 = u5 * x[3];
    const V t34 = t32 / t22;
    const V t36 = t23 * t34;
    const V t39 = t36 * splat<V>(S(0.5));
    const V t40 = t39 / t21;
    const V t41 = select_ge(t16, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t43 = x[4] + t41;
    const V t46 = u3 * t43;
    const V t49 = u2 * t43;
    const V t52 = t10 * t46;
    const V t53 = t52 - t34;
    const V t54 = t52 + t53;
    const V t55 = u1 * t54;
    const V t57 = x[3] + t55;
    const V t58 = u0 * t54;
    y[0] = t58;
    y[1] = t57;
    y[2] = t49;
  }
};

// rmsprop, weight decay: parameters, vjps
template <class S, class V>
struct k_d5c6067a55cc_vjps {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t30 = t23 * x[3];
    const V t31 = -t30;
    const V t32 = u5 * x[3];
    const V t34 = t32 / t22;
    const V t36 = t23 * t34;
    const V t39 = t36 * splat<V>(S(0.5));
    const V t40 = t39 / t21;
    const V t41 = select_ge(t16, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t43 = x[4] + t41;
    const V t46 = u3 * t43;
    const V t47 = t11 * t43;
    const V t49 = u2 * t43;
    const V t50 = x[2] * t43;
    const V t51 = t50 - t47;
    const V t52 = t10 * t46;
    const V t53 = t52 - t34;
    const V t54 = t52 + t53;
    const V t55 = u1 * t54;
    const V t56 = x[1] * t54;
    const V t57 = x[3] + t55;
    const V t58 = u0 * t54;
    const V t59 = x[0] * t54;
    y[0] = t58;
    y[1] = t57;
    y[2] = t49;
    y[3] = t59;
    y[4] = t56;
    y[5] = t51;
    y[6] = t36;
    y[7] = t31;
  }
};

// rmsprop, weight decay: parameters, jvp
template <class S, class V>
struct k_d5c6067a55cc_jvp {
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
    const V t18 = t16;
    const V t19 = select_gt(tiny<V>(), t16, tiny<V>(), t18);
    const V t20 = select_ge(t16, tiny<V>(), t16, t19);
    const V t21 = sqrt_(t20);
    const V t22 = u4 + t21;
    const V t23 = t10 / t22;
    const V t35 = u0 * x[3];
    const V t36 = x[0] * u5;
    const V t37 = t35 + t36;
    const V t38 = u1 * x[4];
    const V t39 = x[1] * u6;
    const V t40 = t38 + t39;
    const V t41 = t37 + t40;
    const V t42 = t10 * t41;
    const V t43 = t42 + t42;
    const V t44 = u2 * x[5];
    const V t45 = x[2] * u7;
    const V t46 = t44 + t45;
    const V t48 = u3 * t43;
    const V t49 = t11 * u7;
    const V t51 = t48 - t49;
    const V t52 = t46 + t51;
    const V t53 = select_ge(t16, tiny<V>(), t52, splat<V>(S(0.0)));
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t21;
    const V t57 = u8 + t56;
    const V t58 = t23 * t57;
    const V t59 = t41 - t58;
    const V t60 = t59 / t22;
    const V t61 = t23 * u9;
    const V t62 = u10 * t60;
    const V t63 = t61 + t62;
    const V t64 = x[4] - t63;
    y[0] = t64;
    y[1] = t52;
  }
};

// rmsprop, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_d5c6067a55cc_vjp_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t27 = u5 * x[3];
    const V t28 = t27 / t24;
    const V t29 = t25 * t28;
    const V t31 = t29 * splat<V>(S(0.5));
    const V t32 = t31 / t23;
    const V t33 = select_ge(t18, tiny<V>(), t32, splat<V>(S(0.0)));
    const V t34 = x[4] + t33;
    const V t35 = u3 * t34;
    const V t47 = u0 * x[5];
    const V t49 = u1 * x[6];
    const V t50 = t47 + t49;
    const V t52 = t50 + t50;
    const V t53 = t35 * t52;
    const V t54 = t12 * t52;
    const V t56 = u2 * x[7];
    const V t58 = u3 * t54;
    const V t59 = t56 + t58;
    const V t60 = select_ge(t18, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t62 = t60 / t23;
    const V t63 = t32 * t62;
    const V t65 = splat<V>(S(0.5)) * t62;
    const V t67 = t28 * t65;
    const V t68 = t25 * t65;
    const V t69 = t68 - t50;
    const V t70 = t69 / t24;
    const V t71 = t28 * t70;
    const V t72 = -t71;
    const V t74 = u5 * t70;
    const V t75 = x[6] + t74;
    const V t76 = t67 / t24;
    const V t77 = t25 * t76;
    const V t79 = t53 + t76;
    const V t80 = t72 - t77;
    const V t81 = t80 - t63;
    const V t82 = splat<V>(S(0.5)) * t81;
    const V t83 = t82 / t23;
    const V t84 = select_ge(t18, tiny<V>(), t83, splat<V>(S(0.0)));
    const V t88 = u3 * t84;
    const V t93 = u2 * t84;
    const V t96 = t12 * t88;
    const V t97 = t79 + t96;
    const V t98 = t96 + t97;
    const V t99 = u1 * t98;
    const V t102 = u0 * t98;
    y[0] = t102;
    y[1] = t99;
    y[2] = t93;
    y[3] = t75;
    y[4] = t59;
  }
};

// rmsprop, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_d5c6067a55cc_vjps_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t29 = u5 * x[3];
    const V t30 = t29 / t24;
    const V t31 = t25 * t30;
    const V t33 = t31 * splat<V>(S(0.5));
    const V t34 = t33 / t23;
    const V t35 = select_ge(t18, tiny<V>(), t34, splat<V>(S(0.0)));
    const V t36 = x[4] + t35;
    const V t37 = u3 * t36;
    const V t42 = t12 * t37;
    const V t43 = t42 - t30;
    const V t44 = t42 + t43;
    const V t58 = t44 * u6;
    const V t59 = x[0] * u6;
    const V t60 = t44 * x[5];
    const V t61 = u0 * x[5];
    const V t62 = t59 + t61;
    const V t63 = t44 * u7;
    const V t64 = x[1] * u7;
    const V t65 = t62 + t64;
    const V t66 = t44 * x[6];
    const V t67 = u1 * x[6];
    const V t68 = t65 + t67;
    const V t70 = t68 + t68;
    const V t71 = t37 * t70;
    const V t72 = t12 * t70;
    const V t74 = t36 * u8;
    const V t75 = x[2] * u8;
    const V t76 = t36 * x[7];
    const V t77 = u2 * x[7];
    const V t78 = t75 + t77;
    const V t80 = t13 * u8;
    const V t82 = t78 - t80;
    const V t83 = t36 * t72;
    const V t84 = u3 * t72;
    const V t85 = t82 + t84;
    const V t86 = select_ge(t18, tiny<V>(), t85, splat<V>(S(0.0)));
    const V t88 = t86 / t23;
    const V t89 = t34 * t88;
    const V t91 = splat<V>(S(0.5)) * t88;
    const V t93 = u9 + t91;
    const V t94 = t30 * t93;
    const V t95 = t25 * t93;
    const V t96 = t95 - t68;
    const V t97 = t96 / t24;
    const V t98 = t30 * t97;
    const V t99 = -t98;
    const V t100 = x[3] * t97;
    const V t101 = u5 * t97;
    const V t102 = x[6] + t101;
    const V t104 = x[3] * u10;
    const V t106 = t25 * u10;
    const V t108 = t94 - t104;
    const V t109 = t102 - t106;
    const V t110 = t108 / t24;
    const V t111 = t25 * t110;
    const V t113 = t71 + t110;
    const V t114 = t99 - t111;
    const V t115 = t114 - t89;
    const V t116 = splat<V>(S(0.5)) * t115;
    const V t117 = t116 / t23;
    const V t118 = select_ge(t18, tiny<V>(), t117, splat<V>(S(0.0)));
    const V t122 = u3 * t118;
    const V t123 = t13 * t118;
    const V t124 = t122 - t74;
    const V t125 = t83 + t123;
    const V t127 = t76 - t125;
    const V t128 = u2 * t118;
    const V t129 = x[2] * t118;
    const V t130 = t74 + t128;
    const V t131 = t127 + t129;
    const V t132 = t12 * t124;
    const V t133 = t113 + t132;
    const V t134 = t132 + t133;
    const V t135 = u1 * t134;
    const V t136 = x[1] * t134;
    const V t137 = t63 + t135;
    const V t138 = t66 + t136;
    const V t139 = u0 * t134;
    const V t140 = x[0] * t134;
    const V t141 = t58 + t139;
    const V t142 = t60 + t140;
    y[0] = t141;
    y[1] = t137;
    y[2] = t130;
    y[3] = t109;
    y[4] = t85;
    y[5] = t142;
    y[6] = t138;
    y[7] = t131;
    y[8] = t114;
    y[9] = t100;
  }
};

// rmsprop, momentum: update, forward
template <class S, class V>
struct k_5015714e471e_forward {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t22 = x[2] * u4;
    const V t23 = t21 + t22;
    const V t25 = u5 * t23;
    const V t26 = -t25;
    y[0] = t26;
    y[1] = t14;
    y[2] = t23;
  }
};

// rmsprop, momentum: update, vjp
template <class S, class V>
struct k_5015714e471e_vjp {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t33 = u4 * x[3];
    const V t35 = x[5] - t33;
    const V t36 = u5 * t35;
    const V t38 = t35 / t20;
    const V t39 = t21 * t38;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t44 = t42 / t19;
    const V t45 = -t44;
    const V t46 = select_ge(t14, tiny<V>(), t45, splat<V>(S(0.0)));
    const V t48 = x[4] + t46;
    const V t51 = u2 * t48;
    const V t54 = u1 * t48;
    const V t57 = t8 * t51;
    const V t58 = t38 + t57;
    const V t59 = t57 + t58;
    const V t60 = u0 * t59;
    y[0] = t60;
    y[1] = t54;
    y[2] = t36;
  }
};

// rmsprop, momentum: update, vjps
template <class S, class V>
struct k_5015714e471e_vjps {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t22 = x[2] * u4;
    const V t23 = t21 + t22;
    const V t31 = t23 * x[3];
    const V t32 = -t31;
    const V t33 = u5 * x[3];
    const V t35 = x[5] - t33;
    const V t36 = u4 * t35;
    const V t37 = x[2] * t35;
    const V t38 = t35 / t20;
    const V t39 = t21 * t38;
    const V t40 = -t39;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t44 = t42 / t19;
    const V t45 = -t44;
    const V t46 = select_ge(t14, tiny<V>(), t45, splat<V>(S(0.0)));
    const V t48 = x[4] + t46;
    const V t51 = u2 * t48;
    const V t52 = t9 * t48;
    const V t54 = u1 * t48;
    const V t55 = x[1] * t48;
    const V t56 = t55 - t52;
    const V t57 = t8 * t51;
    const V t58 = t38 + t57;
    const V t59 = t57 + t58;
    const V t60 = u0 * t59;
    const V t61 = x[0] * t59;
    y[0] = t60;
    y[1] = t54;
    y[2] = t36;
    y[3] = t61;
    y[4] = t56;
    y[5] = t40;
    y[6] = t37;
    y[7] = t32;
  }
};

// rmsprop, momentum: update, jvp
template <class S, class V>
struct k_5015714e471e_jvp {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t22 = x[2] * u4;
    const V t23 = t21 + t22;
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
    const V t49 = select_ge(t14, tiny<V>(), t48, splat<V>(S(0.0)));
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t19;
    const V t53 = u7 + t52;
    const V t54 = t21 * t53;
    const V t55 = t37 - t54;
    const V t56 = t55 / t20;
    const V t57 = u4 * x[5];
    const V t58 = x[2] * u8;
    const V t59 = t57 + t58;
    const V t60 = t56 + t59;
    const V t61 = t23 * u9;
    const V t62 = u10 * t60;
    const V t63 = t61 + t62;
    const V t64 = -t63;
    y[0] = t64;
    y[1] = t48;
    y[2] = t60;
  }
};

// rmsprop, momentum: update, vjp_vjp
template <class S, class V>
struct k_5015714e471e_vjp_vjp {
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
    const V t19 = t17;
    const V t20 = select_gt(tiny<V>(), t17, tiny<V>(), t19);
    const V t21 = select_ge(t17, tiny<V>(), t17, t20);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t22;
    const V t24 = t11 / t23;
    const V t26 = u4 * x[3];
    const V t27 = x[5] - t26;
    const V t29 = t27 / t23;
    const V t30 = t24 * t29;
    const V t32 = t30 * splat<V>(S(0.5));
    const V t33 = t32 / t22;
    const V t34 = -t33;
    const V t35 = select_ge(t17, tiny<V>(), t34, splat<V>(S(0.0)));
    const V t36 = x[4] + t35;
    const V t37 = u2 * t36;
    const V t47 = u0 * x[6];
    const V t48 = t47 + t47;
    const V t49 = t37 * t48;
    const V t50 = t11 * t48;
    const V t52 = u1 * x[7];
    const V t54 = u2 * t50;
    const V t55 = t52 + t54;
    const V t56 = select_ge(t17, tiny<V>(), t55, splat<V>(S(0.0)));
    const V t59 = t56 / t22;
    const V t61 = t33 * t59;
    const V t63 = splat<V>(S(0.5)) * t59;
    const V t67 = t29 * t63;
    const V t69 = t24 * t63;
    const V t71 = t47 - t69;
    const V t72 = t71 / t23;
    const V t73 = t29 * t72;
    const V t76 = u5 * x[8];
    const V t77 = t72 + t76;
    const V t81 = u4 * t77;
    const V t82 = -t81;
    const V t83 = t67 / t23;
    const V t85 = t24 * t83;
    const V t87 = t49 - t83;
    const V t88 = t85 - t73;
    const V t89 = t61 + t88;
    const V t90 = splat<V>(S(0.5)) * t89;
    const V t91 = t90 / t22;
    const V t92 = select_ge(t17, tiny<V>(), t91, splat<V>(S(0.0)));
    const V t96 = u2 * t92;
    const V t101 = u1 * t92;
    const V t104 = t11 * t96;
    const V t105 = t87 + t104;
    const V t106 = t104 + t105;
    const V t107 = u0 * t106;
    y[0] = t107;
    y[1] = t101;
    y[2] = splat<V>(S(0.0));
    y[3] = t82;
    y[4] = t55;
    y[5] = t77;
  }
};

// rmsprop, momentum: update, vjps_vjps
template <class S, class V>
struct k_5015714e471e_vjps_vjps {
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
    const V t19 = t17;
    const V t20 = select_gt(tiny<V>(), t17, tiny<V>(), t19);
    const V t21 = select_ge(t17, tiny<V>(), t17, t20);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t22;
    const V t24 = t11 / t23;
    const V t25 = x[2] * u4;
    const V t26 = t24 + t25;
    const V t30 = u5 * x[3];
    const V t31 = x[5] - t30;
    const V t34 = t31 / t23;
    const V t35 = t24 * t34;
    const V t38 = t35 * splat<V>(S(0.5));
    const V t39 = t38 / t22;
    const V t40 = -t39;
    const V t41 = select_ge(t17, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t42 = x[4] + t41;
    const V t43 = u2 * t42;
    const V t48 = t11 * t43;
    const V t49 = t34 + t48;
    const V t50 = t48 + t49;
    const V t61 = t50 * u6;
    const V t62 = x[0] * u6;
    const V t63 = t50 * x[6];
    const V t64 = u0 * x[6];
    const V t65 = t62 + t64;
    const V t66 = t65 + t65;
    const V t67 = t43 * t66;
    const V t68 = t11 * t66;
    const V t70 = t42 * u7;
    const V t71 = x[1] * u7;
    const V t72 = t42 * x[7];
    const V t73 = u1 * x[7];
    const V t74 = t71 + t73;
    const V t76 = t12 * u7;
    const V t78 = t74 - t76;
    const V t79 = t42 * t68;
    const V t80 = u2 * t68;
    const V t81 = t78 + t80;
    const V t82 = select_ge(t17, tiny<V>(), t81, splat<V>(S(0.0)));
    const V t85 = t82 / t22;
    const V t87 = t39 * t85;
    const V t89 = splat<V>(S(0.5)) * t85;
    const V t90 = -t89;
    const V t94 = t90 - u8;
    const V t95 = t34 * t94;
    const V t96 = t24 * t94;
    const V t97 = t65 + t96;
    const V t98 = t97 / t23;
    const V t99 = t34 * t98;
    const V t100 = -t99;
    const V t101 = t31 * u9;
    const V t102 = x[2] * u9;
    const V t103 = t98 + t102;
    const V t104 = t31 * x[8];
    const V t105 = u4 * x[8];
    const V t106 = t103 + t105;
    const V t108 = x[3] * t106;
    const V t109 = -t108;
    const V t110 = u5 * t106;
    const V t111 = -t110;
    const V t113 = x[3] * u10;
    const V t115 = t26 * u10;
    const V t117 = t111 - t115;
    const V t118 = t95 - t113;
    const V t119 = u4 * t113;
    const V t121 = x[2] * t113;
    const V t123 = t101 - t119;
    const V t124 = t104 - t121;
    const V t125 = t118 / t23;
    const V t126 = t24 * t125;
    const V t128 = t67 + t125;
    const V t129 = t100 - t126;
    const V t130 = t87 + t129;
    const V t131 = splat<V>(S(0.5)) * t130;
    const V t132 = t131 / t22;
    const V t133 = select_ge(t17, tiny<V>(), t132, splat<V>(S(0.0)));
    const V t137 = u2 * t133;
    const V t138 = t12 * t133;
    const V t139 = t137 - t70;
    const V t140 = t79 + t138;
    const V t142 = t72 - t140;
    const V t143 = u1 * t133;
    const V t144 = x[1] * t133;
    const V t145 = t70 + t143;
    const V t146 = t142 + t144;
    const V t147 = t11 * t139;
    const V t148 = t128 + t147;
    const V t149 = t147 + t148;
    const V t150 = u0 * t149;
    const V t151 = x[0] * t149;
    const V t152 = t61 + t150;
    const V t153 = t63 + t151;
    y[0] = t152;
    y[1] = t145;
    y[2] = t123;
    y[3] = t117;
    y[4] = t81;
    y[5] = t106;
    y[6] = t153;
    y[7] = t146;
    y[8] = t129;
    y[9] = t124;
    y[10] = t109;
  }
};

// rmsprop, momentum: parameters, forward
template <class S, class V>
struct k_198db5e77509_forward {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t23 = x[3] * u4;
    const V t24 = t22 + t23;
    const V t26 = u5 * t24;
    const V t28 = x[1] - t26;
    y[0] = t28;
    y[1] = t15;
    y[2] = t24;
  }
};

// rmsprop, momentum: parameters, vjp
template <class S, class V>
struct k_198db5e77509_vjp {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t34 = u4 * x[4];
    const V t36 = x[6] - t34;
    const V t37 = u5 * t36;
    const V t39 = t36 / t21;
    const V t40 = t22 * t39;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t45 = t43 / t20;
    const V t46 = -t45;
    const V t47 = select_ge(t15, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t49 = x[5] + t47;
    const V t52 = u2 * t49;
    const V t55 = u1 * t49;
    const V t58 = t9 * t52;
    const V t59 = t39 + t58;
    const V t60 = t58 + t59;
    const V t61 = u0 * t60;
    y[0] = t61;
    y[1] = x[4];
    y[2] = t55;
    y[3] = t37;
  }
};

// rmsprop, momentum: parameters, vjps
template <class S, class V>
struct k_198db5e77509_vjps {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t23 = x[3] * u4;
    const V t24 = t22 + t23;
    const V t32 = t24 * x[4];
    const V t33 = -t32;
    const V t34 = u5 * x[4];
    const V t36 = x[6] - t34;
    const V t37 = u4 * t36;
    const V t38 = x[3] * t36;
    const V t39 = t36 / t21;
    const V t40 = t22 * t39;
    const V t41 = -t40;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t45 = t43 / t20;
    const V t46 = -t45;
    const V t47 = select_ge(t15, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t49 = x[5] + t47;
    const V t52 = u2 * t49;
    const V t53 = t10 * t49;
    const V t55 = u1 * t49;
    const V t56 = x[2] * t49;
    const V t57 = t56 - t53;
    const V t58 = t9 * t52;
    const V t59 = t39 + t58;
    const V t60 = t58 + t59;
    const V t61 = u0 * t60;
    const V t62 = x[0] * t60;
    y[0] = t61;
    y[1] = x[4];
    y[2] = t55;
    y[3] = t37;
    y[4] = t62;
    y[5] = t57;
    y[6] = t41;
    y[7] = t38;
    y[8] = t33;
  }
};

// rmsprop, momentum: parameters, jvp
template <class S, class V>
struct k_198db5e77509_jvp {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t23 = x[3] * u4;
    const V t24 = t22 + t23;
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
    const V t51 = select_ge(t15, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t20;
    const V t55 = u7 + t54;
    const V t56 = t22 * t55;
    const V t57 = t39 - t56;
    const V t58 = t57 / t21;
    const V t59 = u4 * x[7];
    const V t60 = x[3] * u8;
    const V t61 = t59 + t60;
    const V t62 = t58 + t61;
    const V t63 = t24 * u9;
    const V t64 = u10 * t62;
    const V t65 = t63 + t64;
    const V t66 = x[5] - t65;
    y[0] = t66;
    y[1] = t50;
    y[2] = t62;
  }
};

// rmsprop, momentum: parameters, vjp_vjp
template <class S, class V>
struct k_198db5e77509_vjp_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t12 / t24;
    const V t27 = u4 * x[4];
    const V t28 = x[6] - t27;
    const V t30 = t28 / t24;
    const V t31 = t25 * t30;
    const V t33 = t31 * splat<V>(S(0.5));
    const V t34 = t33 / t23;
    const V t35 = -t34;
    const V t36 = select_ge(t18, tiny<V>(), t35, splat<V>(S(0.0)));
    const V t37 = x[5] + t36;
    const V t38 = u2 * t37;
    const V t49 = u0 * x[7];
    const V t50 = t49 + t49;
    const V t51 = t38 * t50;
    const V t52 = t12 * t50;
    const V t54 = u1 * x[9];
    const V t56 = u2 * t52;
    const V t57 = t54 + t56;
    const V t58 = select_ge(t18, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t61 = t58 / t23;
    const V t63 = t34 * t61;
    const V t65 = splat<V>(S(0.5)) * t61;
    const V t69 = t30 * t65;
    const V t71 = t25 * t65;
    const V t73 = t49 - t71;
    const V t74 = t73 / t24;
    const V t75 = t30 * t74;
    const V t78 = u5 * x[10];
    const V t79 = t74 + t78;
    const V t83 = u4 * t79;
    const V t85 = x[8] - t83;
    const V t86 = t69 / t24;
    const V t88 = t25 * t86;
    const V t90 = t51 - t86;
    const V t91 = t88 - t75;
    const V t92 = t63 + t91;
    const V t93 = splat<V>(S(0.5)) * t92;
    const V t94 = t93 / t23;
    const V t95 = select_ge(t18, tiny<V>(), t94, splat<V>(S(0.0)));
    const V t99 = u2 * t95;
    const V t104 = u1 * t95;
    const V t107 = t12 * t99;
    const V t108 = t90 + t107;
    const V t109 = t107 + t108;
    const V t110 = u0 * t109;
    y[0] = t110;
    y[1] = splat<V>(S(0.0));
    y[2] = t104;
    y[3] = splat<V>(S(0.0));
    y[4] = t85;
    y[5] = t57;
    y[6] = t79;
  }
};

// rmsprop, momentum: parameters, vjps_vjps
template <class S, class V>
struct k_198db5e77509_vjps_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u4;
    const V t27 = t25 + t26;
    const V t31 = u5 * x[4];
    const V t32 = x[6] - t31;
    const V t35 = t32 / t24;
    const V t36 = t25 * t35;
    const V t39 = t36 * splat<V>(S(0.5));
    const V t40 = t39 / t23;
    const V t41 = -t40;
    const V t42 = select_ge(t18, tiny<V>(), t41, splat<V>(S(0.0)));
    const V t43 = x[5] + t42;
    const V t44 = u2 * t43;
    const V t49 = t12 * t44;
    const V t50 = t35 + t49;
    const V t51 = t49 + t50;
    const V t63 = t51 * u6;
    const V t64 = x[0] * u6;
    const V t65 = t51 * x[7];
    const V t66 = u0 * x[7];
    const V t67 = t64 + t66;
    const V t68 = t67 + t67;
    const V t69 = t44 * t68;
    const V t70 = t12 * t68;
    const V t72 = t43 * u7;
    const V t73 = x[2] * u7;
    const V t74 = t43 * x[9];
    const V t75 = u1 * x[9];
    const V t76 = t73 + t75;
    const V t78 = t13 * u7;
    const V t80 = t76 - t78;
    const V t81 = t43 * t70;
    const V t82 = u2 * t70;
    const V t83 = t80 + t82;
    const V t84 = select_ge(t18, tiny<V>(), t83, splat<V>(S(0.0)));
    const V t87 = t84 / t23;
    const V t89 = t40 * t87;
    const V t91 = splat<V>(S(0.5)) * t87;
    const V t92 = -t91;
    const V t96 = t92 - u8;
    const V t97 = t35 * t96;
    const V t98 = t25 * t96;
    const V t99 = t67 + t98;
    const V t100 = t99 / t24;
    const V t101 = t35 * t100;
    const V t102 = -t101;
    const V t103 = t32 * u9;
    const V t104 = x[3] * u9;
    const V t105 = t100 + t104;
    const V t106 = t32 * x[10];
    const V t107 = u4 * x[10];
    const V t108 = t105 + t107;
    const V t110 = x[4] * t108;
    const V t111 = -t110;
    const V t112 = u5 * t108;
    const V t114 = x[8] - t112;
    const V t116 = x[4] * u10;
    const V t118 = t27 * u10;
    const V t120 = t114 - t118;
    const V t121 = t97 - t116;
    const V t122 = u4 * t116;
    const V t124 = x[3] * t116;
    const V t126 = t103 - t122;
    const V t127 = t106 - t124;
    const V t128 = t121 / t24;
    const V t129 = t25 * t128;
    const V t131 = t69 + t128;
    const V t132 = t102 - t129;
    const V t133 = t89 + t132;
    const V t134 = splat<V>(S(0.5)) * t133;
    const V t135 = t134 / t23;
    const V t136 = select_ge(t18, tiny<V>(), t135, splat<V>(S(0.0)));
    const V t140 = u2 * t136;
    const V t141 = t13 * t136;
    const V t142 = t140 - t72;
    const V t143 = t81 + t141;
    const V t145 = t74 - t143;
    const V t146 = u1 * t136;
    const V t147 = x[2] * t136;
    const V t148 = t72 + t146;
    const V t149 = t145 + t147;
    const V t150 = t12 * t142;
    const V t151 = t131 + t150;
    const V t152 = t150 + t151;
    const V t153 = u0 * t152;
    const V t154 = x[0] * t152;
    const V t155 = t63 + t153;
    const V t156 = t65 + t154;
    y[0] = t155;
    y[1] = splat<V>(S(0.0));
    y[2] = t148;
    y[3] = t126;
    y[4] = t120;
    y[5] = t83;
    y[6] = t108;
    y[7] = t156;
    y[8] = t149;
    y[9] = t132;
    y[10] = t127;
    y[11] = t111;
  }
};

// rmsprop, momentum, weight decay: update, forward
template <class S, class V>
struct k_06f4155c64fa_forward {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t29 = u6 * t27;
    const V t30 = -t29;
    y[0] = t30;
    y[1] = t18;
    y[2] = t27;
  }
};

// rmsprop, momentum, weight decay: update, vjp
template <class S, class V>
struct k_06f4155c64fa_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t37 = u5 * x[4];
    const V t39 = x[6] - t37;
    const V t40 = u6 * t39;
    const V t42 = t39 / t24;
    const V t43 = t25 * t42;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t48 = t46 / t23;
    const V t49 = -t48;
    const V t50 = select_ge(t18, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t52 = x[5] + t50;
    const V t55 = u3 * t52;
    const V t58 = u2 * t52;
    const V t61 = t12 * t55;
    const V t62 = t42 + t61;
    const V t63 = t61 + t62;
    const V t64 = u1 * t63;
    const V t66 = u0 * t63;
    y[0] = t66;
    y[1] = t64;
    y[2] = t58;
    y[3] = t40;
  }
};

// rmsprop, momentum, weight decay: update, vjps
template <class S, class V>
struct k_06f4155c64fa_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t35 = t27 * x[4];
    const V t36 = -t35;
    const V t37 = u6 * x[4];
    const V t39 = x[6] - t37;
    const V t40 = u5 * t39;
    const V t41 = x[3] * t39;
    const V t42 = t39 / t24;
    const V t43 = t25 * t42;
    const V t44 = -t43;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t48 = t46 / t23;
    const V t49 = -t48;
    const V t50 = select_ge(t18, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t52 = x[5] + t50;
    const V t55 = u3 * t52;
    const V t56 = t13 * t52;
    const V t58 = u2 * t52;
    const V t59 = x[2] * t52;
    const V t60 = t59 - t56;
    const V t61 = t12 * t55;
    const V t62 = t42 + t61;
    const V t63 = t61 + t62;
    const V t64 = u1 * t63;
    const V t65 = x[1] * t63;
    const V t66 = u0 * t63;
    const V t67 = x[0] * t63;
    y[0] = t66;
    y[1] = t64;
    y[2] = t58;
    y[3] = t40;
    y[4] = t67;
    y[5] = t65;
    y[6] = t60;
    y[7] = t44;
    y[8] = t41;
    y[9] = t36;
  }
};

// rmsprop, momentum, weight decay: update, jvp
template <class S, class V>
struct k_06f4155c64fa_jvp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
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
    const V t59 = select_ge(t18, tiny<V>(), t58, splat<V>(S(0.0)));
    const V t61 = t59 * splat<V>(S(0.5));
    const V t62 = t61 / t23;
    const V t63 = u9 + t62;
    const V t64 = t25 * t63;
    const V t65 = t47 - t64;
    const V t66 = t65 / t24;
    const V t67 = u5 * x[7];
    const V t68 = x[3] * u10;
    const V t69 = t67 + t68;
    const V t70 = t66 + t69;
    const V t71 = t27 * u11;
    const V t72 = u12 * t70;
    const V t73 = t71 + t72;
    const V t74 = -t73;
    y[0] = t74;
    y[1] = t58;
    y[2] = t70;
  }
};

// rmsprop, momentum, weight decay: update, vjp_vjp
template <class S, class V>
struct k_06f4155c64fa_vjp_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t30 = u5 * x[4];
    const V t31 = x[6] - t30;
    const V t33 = t31 / t27;
    const V t34 = t28 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t26;
    const V t38 = -t37;
    const V t39 = select_ge(t21, tiny<V>(), t38, splat<V>(S(0.0)));
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
    const V t65 = select_ge(t21, tiny<V>(), t64, splat<V>(S(0.0)));
    const V t68 = t65 / t26;
    const V t70 = t37 * t68;
    const V t72 = splat<V>(S(0.5)) * t68;
    const V t76 = t33 * t72;
    const V t78 = t28 * t72;
    const V t80 = t56 - t78;
    const V t81 = t80 / t27;
    const V t82 = t33 * t81;
    const V t85 = u6 * x[10];
    const V t86 = t81 + t85;
    const V t90 = u5 * t86;
    const V t91 = -t90;
    const V t92 = t76 / t27;
    const V t94 = t28 * t92;
    const V t96 = t58 - t92;
    const V t97 = t94 - t82;
    const V t98 = t70 + t97;
    const V t99 = splat<V>(S(0.5)) * t98;
    const V t100 = t99 / t26;
    const V t101 = select_ge(t21, tiny<V>(), t100, splat<V>(S(0.0)));
    const V t105 = u3 * t101;
    const V t110 = u2 * t101;
    const V t113 = t15 * t105;
    const V t114 = t96 + t113;
    const V t115 = t113 + t114;
    const V t116 = u1 * t115;
    const V t119 = u0 * t115;
    y[0] = t119;
    y[1] = t116;
    y[2] = t110;
    y[3] = splat<V>(S(0.0));
    y[4] = t91;
    y[5] = t64;
    y[6] = t86;
  }
};

// rmsprop, momentum, weight decay: update, vjps_vjps
template <class S, class V>
struct k_06f4155c64fa_vjps_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t29 = x[3] * u5;
    const V t30 = t28 + t29;
    const V t34 = u6 * x[4];
    const V t35 = x[6] - t34;
    const V t38 = t35 / t27;
    const V t39 = t28 * t38;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t43 = t42 / t26;
    const V t44 = -t43;
    const V t45 = select_ge(t21, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t46 = x[5] + t45;
    const V t47 = u3 * t46;
    const V t52 = t15 * t47;
    const V t53 = t38 + t52;
    const V t54 = t52 + t53;
    const V t69 = t54 * u7;
    const V t70 = x[0] * u7;
    const V t71 = t54 * x[7];
    const V t72 = u0 * x[7];
    const V t73 = t70 + t72;
    const V t74 = t54 * u8;
    const V t75 = x[1] * u8;
    const V t76 = t73 + t75;
    const V t77 = t54 * x[8];
    const V t78 = u1 * x[8];
    const V t79 = t76 + t78;
    const V t80 = t79 + t79;
    const V t81 = t47 * t80;
    const V t82 = t15 * t80;
    const V t84 = t46 * u9;
    const V t85 = x[2] * u9;
    const V t86 = t46 * x[9];
    const V t87 = u2 * x[9];
    const V t88 = t85 + t87;
    const V t90 = t16 * u9;
    const V t92 = t88 - t90;
    const V t93 = t46 * t82;
    const V t94 = u3 * t82;
    const V t95 = t92 + t94;
    const V t96 = select_ge(t21, tiny<V>(), t95, splat<V>(S(0.0)));
    const V t99 = t96 / t26;
    const V t101 = t43 * t99;
    const V t103 = splat<V>(S(0.5)) * t99;
    const V t104 = -t103;
    const V t108 = t104 - u10;
    const V t109 = t38 * t108;
    const V t110 = t28 * t108;
    const V t111 = t79 + t110;
    const V t112 = t111 / t27;
    const V t113 = t38 * t112;
    const V t114 = -t113;
    const V t115 = t35 * u11;
    const V t116 = x[3] * u11;
    const V t117 = t112 + t116;
    const V t118 = t35 * x[10];
    const V t119 = u5 * x[10];
    const V t120 = t117 + t119;
    const V t122 = x[4] * t120;
    const V t123 = -t122;
    const V t124 = u6 * t120;
    const V t125 = -t124;
    const V t127 = x[4] * u12;
    const V t129 = t30 * u12;
    const V t131 = t125 - t129;
    const V t132 = t109 - t127;
    const V t133 = u5 * t127;
    const V t135 = x[3] * t127;
    const V t137 = t115 - t133;
    const V t138 = t118 - t135;
    const V t139 = t132 / t27;
    const V t140 = t28 * t139;
    const V t142 = t81 + t139;
    const V t143 = t114 - t140;
    const V t144 = t101 + t143;
    const V t145 = splat<V>(S(0.5)) * t144;
    const V t146 = t145 / t26;
    const V t147 = select_ge(t21, tiny<V>(), t146, splat<V>(S(0.0)));
    const V t151 = u3 * t147;
    const V t152 = t16 * t147;
    const V t153 = t151 - t84;
    const V t154 = t93 + t152;
    const V t156 = t86 - t154;
    const V t157 = u2 * t147;
    const V t158 = x[2] * t147;
    const V t159 = t84 + t157;
    const V t160 = t156 + t158;
    const V t161 = t15 * t153;
    const V t162 = t142 + t161;
    const V t163 = t161 + t162;
    const V t164 = u1 * t163;
    const V t165 = x[1] * t163;
    const V t166 = t74 + t164;
    const V t167 = t77 + t165;
    const V t168 = u0 * t163;
    const V t169 = x[0] * t163;
    const V t170 = t69 + t168;
    const V t171 = t71 + t169;
    y[0] = t170;
    y[1] = t166;
    y[2] = t159;
    y[3] = t137;
    y[4] = t131;
    y[5] = t95;
    y[6] = t120;
    y[7] = t171;
    y[8] = t167;
    y[9] = t160;
    y[10] = t143;
    y[11] = t138;
    y[12] = t123;
  }
};

// rmsprop, momentum, weight decay: parameters, forward
template <class S, class V>
struct k_625b13878b50_forward {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t29 = u6 * t27;
    const V t31 = x[1] - t29;
    y[0] = t31;
    y[1] = t18;
    y[2] = t27;
  }
};

// rmsprop, momentum, weight decay: parameters, vjp
template <class S, class V>
struct k_625b13878b50_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t37 = u5 * x[4];
    const V t39 = x[6] - t37;
    const V t40 = u6 * t39;
    const V t42 = t39 / t24;
    const V t43 = t25 * t42;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t48 = t46 / t23;
    const V t49 = -t48;
    const V t50 = select_ge(t18, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t52 = x[5] + t50;
    const V t55 = u3 * t52;
    const V t58 = u2 * t52;
    const V t61 = t12 * t55;
    const V t62 = t42 + t61;
    const V t63 = t61 + t62;
    const V t64 = u1 * t63;
    const V t66 = x[4] + t64;
    const V t67 = u0 * t63;
    y[0] = t67;
    y[1] = t66;
    y[2] = t58;
    y[3] = t40;
  }
};

// rmsprop, momentum, weight decay: parameters, vjps
template <class S, class V>
struct k_625b13878b50_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t35 = t27 * x[4];
    const V t36 = -t35;
    const V t37 = u6 * x[4];
    const V t39 = x[6] - t37;
    const V t40 = u5 * t39;
    const V t41 = x[3] * t39;
    const V t42 = t39 / t24;
    const V t43 = t25 * t42;
    const V t44 = -t43;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t48 = t46 / t23;
    const V t49 = -t48;
    const V t50 = select_ge(t18, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t52 = x[5] + t50;
    const V t55 = u3 * t52;
    const V t56 = t13 * t52;
    const V t58 = u2 * t52;
    const V t59 = x[2] * t52;
    const V t60 = t59 - t56;
    const V t61 = t12 * t55;
    const V t62 = t42 + t61;
    const V t63 = t61 + t62;
    const V t64 = u1 * t63;
    const V t65 = x[1] * t63;
    const V t66 = x[4] + t64;
    const V t67 = u0 * t63;
    const V t68 = x[0] * t63;
    y[0] = t67;
    y[1] = t66;
    y[2] = t58;
    y[3] = t40;
    y[4] = t68;
    y[5] = t65;
    y[6] = t60;
    y[7] = t44;
    y[8] = t41;
    y[9] = t36;
  }
};

// rmsprop, momentum, weight decay: parameters, jvp
template <class S, class V>
struct k_625b13878b50_jvp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
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
    const V t59 = select_ge(t18, tiny<V>(), t58, splat<V>(S(0.0)));
    const V t61 = t59 * splat<V>(S(0.5));
    const V t62 = t61 / t23;
    const V t63 = u9 + t62;
    const V t64 = t25 * t63;
    const V t65 = t47 - t64;
    const V t66 = t65 / t24;
    const V t67 = u5 * x[7];
    const V t68 = x[3] * u10;
    const V t69 = t67 + t68;
    const V t70 = t66 + t69;
    const V t71 = t27 * u11;
    const V t72 = u12 * t70;
    const V t73 = t71 + t72;
    const V t74 = x[5] - t73;
    y[0] = t74;
    y[1] = t58;
    y[2] = t70;
  }
};

// rmsprop, momentum, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_625b13878b50_vjp_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t30 = u5 * x[4];
    const V t31 = x[6] - t30;
    const V t33 = t31 / t27;
    const V t34 = t28 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t26;
    const V t38 = -t37;
    const V t39 = select_ge(t21, tiny<V>(), t38, splat<V>(S(0.0)));
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
    const V t66 = select_ge(t21, tiny<V>(), t65, splat<V>(S(0.0)));
    const V t69 = t66 / t26;
    const V t71 = t37 * t69;
    const V t73 = splat<V>(S(0.5)) * t69;
    const V t77 = t33 * t73;
    const V t79 = t28 * t73;
    const V t81 = t57 - t79;
    const V t82 = t81 / t27;
    const V t83 = t33 * t82;
    const V t86 = u6 * x[10];
    const V t87 = t82 + t86;
    const V t91 = u5 * t87;
    const V t93 = x[8] - t91;
    const V t94 = t77 / t27;
    const V t96 = t28 * t94;
    const V t98 = t59 - t94;
    const V t99 = t96 - t83;
    const V t100 = t71 + t99;
    const V t101 = splat<V>(S(0.5)) * t100;
    const V t102 = t101 / t26;
    const V t103 = select_ge(t21, tiny<V>(), t102, splat<V>(S(0.0)));
    const V t107 = u3 * t103;
    const V t112 = u2 * t103;
    const V t115 = t15 * t107;
    const V t116 = t98 + t115;
    const V t117 = t115 + t116;
    const V t118 = u1 * t117;
    const V t121 = u0 * t117;
    y[0] = t121;
    y[1] = t118;
    y[2] = t112;
    y[3] = splat<V>(S(0.0));
    y[4] = t93;
    y[5] = t65;
    y[6] = t87;
  }
};

// rmsprop, momentum, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_625b13878b50_vjps_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t29 = x[3] * u5;
    const V t30 = t28 + t29;
    const V t34 = u6 * x[4];
    const V t35 = x[6] - t34;
    const V t38 = t35 / t27;
    const V t39 = t28 * t38;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t43 = t42 / t26;
    const V t44 = -t43;
    const V t45 = select_ge(t21, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t46 = x[5] + t45;
    const V t47 = u3 * t46;
    const V t52 = t15 * t47;
    const V t53 = t38 + t52;
    const V t54 = t52 + t53;
    const V t70 = t54 * u7;
    const V t71 = x[0] * u7;
    const V t72 = t54 * x[7];
    const V t73 = u0 * x[7];
    const V t74 = t71 + t73;
    const V t75 = t54 * u8;
    const V t76 = x[1] * u8;
    const V t77 = t74 + t76;
    const V t78 = t54 * x[8];
    const V t79 = u1 * x[8];
    const V t80 = t77 + t79;
    const V t81 = t80 + t80;
    const V t82 = t47 * t81;
    const V t83 = t15 * t81;
    const V t85 = t46 * u9;
    const V t86 = x[2] * u9;
    const V t87 = t46 * x[9];
    const V t88 = u2 * x[9];
    const V t89 = t86 + t88;
    const V t91 = t16 * u9;
    const V t93 = t89 - t91;
    const V t94 = t46 * t83;
    const V t95 = u3 * t83;
    const V t96 = t93 + t95;
    const V t97 = select_ge(t21, tiny<V>(), t96, splat<V>(S(0.0)));
    const V t100 = t97 / t26;
    const V t102 = t43 * t100;
    const V t104 = splat<V>(S(0.5)) * t100;
    const V t105 = -t104;
    const V t109 = t105 - u10;
    const V t110 = t38 * t109;
    const V t111 = t28 * t109;
    const V t112 = t80 + t111;
    const V t113 = t112 / t27;
    const V t114 = t38 * t113;
    const V t115 = -t114;
    const V t116 = t35 * u11;
    const V t117 = x[3] * u11;
    const V t118 = t113 + t117;
    const V t119 = t35 * x[10];
    const V t120 = u5 * x[10];
    const V t121 = t118 + t120;
    const V t123 = x[4] * t121;
    const V t124 = -t123;
    const V t125 = u6 * t121;
    const V t127 = x[8] - t125;
    const V t129 = x[4] * u12;
    const V t131 = t30 * u12;
    const V t133 = t127 - t131;
    const V t134 = t110 - t129;
    const V t135 = u5 * t129;
    const V t137 = x[3] * t129;
    const V t139 = t116 - t135;
    const V t140 = t119 - t137;
    const V t141 = t134 / t27;
    const V t142 = t28 * t141;
    const V t144 = t82 + t141;
    const V t145 = t115 - t142;
    const V t146 = t102 + t145;
    const V t147 = splat<V>(S(0.5)) * t146;
    const V t148 = t147 / t26;
    const V t149 = select_ge(t21, tiny<V>(), t148, splat<V>(S(0.0)));
    const V t153 = u3 * t149;
    const V t154 = t16 * t149;
    const V t155 = t153 - t85;
    const V t156 = t94 + t154;
    const V t158 = t87 - t156;
    const V t159 = u2 * t149;
    const V t160 = x[2] * t149;
    const V t161 = t85 + t159;
    const V t162 = t158 + t160;
    const V t163 = t15 * t155;
    const V t164 = t144 + t163;
    const V t165 = t163 + t164;
    const V t166 = u1 * t165;
    const V t167 = x[1] * t165;
    const V t168 = t75 + t166;
    const V t169 = t78 + t167;
    const V t170 = u0 * t165;
    const V t171 = x[0] * t165;
    const V t172 = t70 + t170;
    const V t173 = t72 + t171;
    y[0] = t172;
    y[1] = t168;
    y[2] = t161;
    y[3] = t139;
    y[4] = t133;
    y[5] = t96;
    y[6] = t121;
    y[7] = t173;
    y[8] = t169;
    y[9] = t162;
    y[10] = t145;
    y[11] = t140;
    y[12] = t124;
  }
};

// rmsprop, Nesterov: update, forward
template <class S, class V>
struct k_06a96e70db3c_forward {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t22 = x[2] * u4;
    const V t23 = t21 + t22;
    const V t24 = u4 * t23;
    const V t25 = t21 + t24;
    const V t27 = u5 * t25;
    const V t28 = -t27;
    y[0] = t28;
    y[1] = t14;
    y[2] = t23;
  }
};

// rmsprop, Nesterov: update, vjp
template <class S, class V>
struct k_06a96e70db3c_vjp {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t35 = u4 * x[3];
    const V t39 = u5 * t35;
    const V t41 = x[5] - t39;
    const V t42 = t41 - t35;
    const V t43 = u5 * t41;
    const V t46 = t42 / t20;
    const V t47 = t21 * t46;
    const V t50 = t47 * splat<V>(S(0.5));
    const V t52 = t50 / t19;
    const V t53 = -t52;
    const V t54 = select_ge(t14, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t56 = x[4] + t54;
    const V t59 = u2 * t56;
    const V t62 = u1 * t56;
    const V t65 = t8 * t59;
    const V t66 = t46 + t65;
    const V t67 = t65 + t66;
    const V t68 = u0 * t67;
    y[0] = t68;
    y[1] = t62;
    y[2] = t43;
  }
};

// rmsprop, Nesterov: update, vjps
template <class S, class V>
struct k_06a96e70db3c_vjps {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t22 = x[2] * u4;
    const V t23 = t21 + t22;
    const V t24 = u4 * t23;
    const V t25 = t21 + t24;
    const V t33 = t25 * x[3];
    const V t34 = -t33;
    const V t35 = u5 * x[3];
    const V t37 = t23 * t35;
    const V t39 = u4 * t35;
    const V t41 = x[5] - t39;
    const V t42 = t41 - t35;
    const V t43 = u4 * t41;
    const V t44 = x[2] * t41;
    const V t45 = t44 - t37;
    const V t46 = t42 / t20;
    const V t47 = t21 * t46;
    const V t48 = -t47;
    const V t50 = t47 * splat<V>(S(0.5));
    const V t52 = t50 / t19;
    const V t53 = -t52;
    const V t54 = select_ge(t14, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t56 = x[4] + t54;
    const V t59 = u2 * t56;
    const V t60 = t9 * t56;
    const V t62 = u1 * t56;
    const V t63 = x[1] * t56;
    const V t64 = t63 - t60;
    const V t65 = t8 * t59;
    const V t66 = t46 + t65;
    const V t67 = t65 + t66;
    const V t68 = u0 * t67;
    const V t69 = x[0] * t67;
    y[0] = t68;
    y[1] = t62;
    y[2] = t43;
    y[3] = t69;
    y[4] = t64;
    y[5] = t48;
    y[6] = t45;
    y[7] = t34;
  }
};

// rmsprop, Nesterov: update, jvp
template <class S, class V>
struct k_06a96e70db3c_jvp {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t19;
    const V t21 = t8 / t20;
    const V t22 = x[2] * u4;
    const V t23 = t21 + t22;
    const V t24 = u4 * t23;
    const V t25 = t21 + t24;
    const V t37 = u0 * x[3];
    const V t38 = x[0] * u5;
    const V t39 = t37 + t38;
    const V t40 = t8 * t39;
    const V t41 = t40 + t40;
    const V t42 = u1 * x[4];
    const V t43 = x[1] * u6;
    const V t44 = t42 + t43;
    const V t46 = u2 * t41;
    const V t47 = t9 * u6;
    const V t49 = t46 - t47;
    const V t50 = t44 + t49;
    const V t51 = select_ge(t14, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t53 = t51 * splat<V>(S(0.5));
    const V t54 = t53 / t19;
    const V t55 = u7 + t54;
    const V t56 = t21 * t55;
    const V t57 = t39 - t56;
    const V t58 = t57 / t20;
    const V t59 = u4 * x[5];
    const V t60 = x[2] * u8;
    const V t61 = t59 + t60;
    const V t62 = t58 + t61;
    const V t63 = t23 * u8;
    const V t64 = u4 * t62;
    const V t65 = t63 + t64;
    const V t66 = t58 + t65;
    const V t67 = t25 * u9;
    const V t68 = u10 * t66;
    const V t69 = t67 + t68;
    const V t70 = -t69;
    y[0] = t70;
    y[1] = t50;
    y[2] = t62;
  }
};

// rmsprop, Nesterov: update, vjp_vjp
template <class S, class V>
struct k_06a96e70db3c_vjp_vjp {
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
    const V t19 = t17;
    const V t20 = select_gt(tiny<V>(), t17, tiny<V>(), t19);
    const V t21 = select_ge(t17, tiny<V>(), t17, t20);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t22;
    const V t24 = t11 / t23;
    const V t26 = u4 * x[3];
    const V t27 = u5 * t26;
    const V t28 = x[5] - t27;
    const V t29 = t28 - t26;
    const V t31 = t29 / t23;
    const V t32 = t24 * t31;
    const V t34 = t32 * splat<V>(S(0.5));
    const V t35 = t34 / t22;
    const V t36 = -t35;
    const V t37 = select_ge(t17, tiny<V>(), t36, splat<V>(S(0.0)));
    const V t38 = x[4] + t37;
    const V t39 = u2 * t38;
    const V t49 = u0 * x[6];
    const V t50 = t49 + t49;
    const V t51 = t39 * t50;
    const V t52 = t11 * t50;
    const V t54 = u1 * x[7];
    const V t56 = u2 * t52;
    const V t57 = t54 + t56;
    const V t58 = select_ge(t17, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t61 = t58 / t22;
    const V t63 = t35 * t61;
    const V t65 = splat<V>(S(0.5)) * t61;
    const V t69 = t31 * t65;
    const V t71 = t24 * t65;
    const V t73 = t49 - t71;
    const V t74 = t73 / t23;
    const V t75 = t31 * t74;
    const V t78 = u5 * x[8];
    const V t79 = -t74;
    const V t80 = t74 + t78;
    const V t84 = u5 * t80;
    const V t87 = t79 - t84;
    const V t89 = u4 * t87;
    const V t90 = t69 / t23;
    const V t92 = t24 * t90;
    const V t94 = t51 - t90;
    const V t95 = t92 - t75;
    const V t96 = t63 + t95;
    const V t97 = splat<V>(S(0.5)) * t96;
    const V t98 = t97 / t22;
    const V t99 = select_ge(t17, tiny<V>(), t98, splat<V>(S(0.0)));
    const V t103 = u2 * t99;
    const V t108 = u1 * t99;
    const V t111 = t11 * t103;
    const V t112 = t94 + t111;
    const V t113 = t111 + t112;
    const V t114 = u0 * t113;
    y[0] = t114;
    y[1] = t108;
    y[2] = splat<V>(S(0.0));
    y[3] = t89;
    y[4] = t57;
    y[5] = t80;
  }
};

// rmsprop, Nesterov: update, vjps_vjps
template <class S, class V>
struct k_06a96e70db3c_vjps_vjps {
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
    const V t19 = t17;
    const V t20 = select_gt(tiny<V>(), t17, tiny<V>(), t19);
    const V t21 = select_ge(t17, tiny<V>(), t17, t20);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t22;
    const V t24 = t11 / t23;
    const V t25 = x[2] * u4;
    const V t26 = t24 + t25;
    const V t27 = u4 * t26;
    const V t28 = t24 + t27;
    const V t32 = u5 * x[3];
    const V t34 = u4 * t32;
    const V t35 = x[5] - t34;
    const V t36 = t35 - t32;
    const V t40 = t36 / t23;
    const V t41 = t24 * t40;
    const V t44 = t41 * splat<V>(S(0.5));
    const V t45 = t44 / t22;
    const V t46 = -t45;
    const V t47 = select_ge(t17, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t48 = x[4] + t47;
    const V t49 = u2 * t48;
    const V t54 = t11 * t49;
    const V t55 = t40 + t54;
    const V t56 = t54 + t55;
    const V t67 = t56 * u6;
    const V t68 = x[0] * u6;
    const V t69 = t56 * x[6];
    const V t70 = u0 * x[6];
    const V t71 = t68 + t70;
    const V t72 = t71 + t71;
    const V t73 = t49 * t72;
    const V t74 = t11 * t72;
    const V t76 = t48 * u7;
    const V t77 = x[1] * u7;
    const V t78 = t48 * x[7];
    const V t79 = u1 * x[7];
    const V t80 = t77 + t79;
    const V t82 = t12 * u7;
    const V t84 = t80 - t82;
    const V t85 = t48 * t74;
    const V t86 = u2 * t74;
    const V t87 = t84 + t86;
    const V t88 = select_ge(t17, tiny<V>(), t87, splat<V>(S(0.0)));
    const V t91 = t88 / t22;
    const V t93 = t45 * t91;
    const V t95 = splat<V>(S(0.5)) * t91;
    const V t96 = -t95;
    const V t100 = t96 - u8;
    const V t101 = t40 * t100;
    const V t102 = t24 * t100;
    const V t103 = t71 + t102;
    const V t104 = t103 / t23;
    const V t105 = t40 * t104;
    const V t106 = -t105;
    const V t108 = t35 * u9;
    const V t109 = x[2] * u9;
    const V t110 = t35 * x[8];
    const V t111 = u4 * x[8];
    const V t112 = t109 + t111;
    const V t113 = -t104;
    const V t114 = t104 + t112;
    const V t116 = t32 * t114;
    const V t118 = u4 * t114;
    const V t120 = t110 - t116;
    const V t121 = t113 - t118;
    const V t122 = t32 * u9;
    const V t123 = -t122;
    const V t124 = t26 * u9;
    const V t126 = t121 - t124;
    const V t127 = x[3] * t126;
    const V t128 = u5 * t126;
    const V t130 = x[3] * u10;
    const V t132 = t28 * u10;
    const V t134 = t128 - t132;
    const V t135 = t101 - t130;
    const V t136 = t26 * t130;
    const V t138 = u4 * t130;
    const V t140 = t120 - t136;
    const V t141 = t123 - t138;
    const V t142 = t135 + t141;
    const V t143 = u4 * t141;
    const V t144 = x[2] * t141;
    const V t145 = t108 + t143;
    const V t146 = t140 + t144;
    const V t147 = t142 / t23;
    const V t148 = t24 * t147;
    const V t150 = t73 + t147;
    const V t151 = t106 - t148;
    const V t152 = t93 + t151;
    const V t153 = splat<V>(S(0.5)) * t152;
    const V t154 = t153 / t22;
    const V t155 = select_ge(t17, tiny<V>(), t154, splat<V>(S(0.0)));
    const V t159 = u2 * t155;
    const V t160 = t12 * t155;
    const V t161 = t159 - t76;
    const V t162 = t85 + t160;
    const V t164 = t78 - t162;
    const V t165 = u1 * t155;
    const V t166 = x[1] * t155;
    const V t167 = t76 + t165;
    const V t168 = t164 + t166;
    const V t169 = t11 * t161;
    const V t170 = t150 + t169;
    const V t171 = t169 + t170;
    const V t172 = u0 * t171;
    const V t173 = x[0] * t171;
    const V t174 = t67 + t172;
    const V t175 = t69 + t173;
    y[0] = t174;
    y[1] = t167;
    y[2] = t145;
    y[3] = t134;
    y[4] = t87;
    y[5] = t114;
    y[6] = t175;
    y[7] = t168;
    y[8] = t151;
    y[9] = t146;
    y[10] = t127;
  }
};

// rmsprop, Nesterov: parameters, forward
template <class S, class V>
struct k_19d3e1b17344_forward {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t23 = x[3] * u4;
    const V t24 = t22 + t23;
    const V t25 = u4 * t24;
    const V t26 = t22 + t25;
    const V t28 = u5 * t26;
    const V t30 = x[1] - t28;
    y[0] = t30;
    y[1] = t15;
    y[2] = t24;
  }
};

// rmsprop, Nesterov: parameters, vjp
template <class S, class V>
struct k_19d3e1b17344_vjp {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t36 = u4 * x[4];
    const V t40 = u5 * t36;
    const V t42 = x[6] - t40;
    const V t43 = t42 - t36;
    const V t44 = u5 * t42;
    const V t47 = t43 / t21;
    const V t48 = t22 * t47;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t20;
    const V t54 = -t53;
    const V t55 = select_ge(t15, tiny<V>(), t54, splat<V>(S(0.0)));
    const V t57 = x[5] + t55;
    const V t60 = u2 * t57;
    const V t63 = u1 * t57;
    const V t66 = t9 * t60;
    const V t67 = t47 + t66;
    const V t68 = t66 + t67;
    const V t69 = u0 * t68;
    y[0] = t69;
    y[1] = x[4];
    y[2] = t63;
    y[3] = t44;
  }
};

// rmsprop, Nesterov: parameters, vjps
template <class S, class V>
struct k_19d3e1b17344_vjps {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t23 = x[3] * u4;
    const V t24 = t22 + t23;
    const V t25 = u4 * t24;
    const V t26 = t22 + t25;
    const V t34 = t26 * x[4];
    const V t35 = -t34;
    const V t36 = u5 * x[4];
    const V t38 = t24 * t36;
    const V t40 = u4 * t36;
    const V t42 = x[6] - t40;
    const V t43 = t42 - t36;
    const V t44 = u4 * t42;
    const V t45 = x[3] * t42;
    const V t46 = t45 - t38;
    const V t47 = t43 / t21;
    const V t48 = t22 * t47;
    const V t49 = -t48;
    const V t51 = t48 * splat<V>(S(0.5));
    const V t53 = t51 / t20;
    const V t54 = -t53;
    const V t55 = select_ge(t15, tiny<V>(), t54, splat<V>(S(0.0)));
    const V t57 = x[5] + t55;
    const V t60 = u2 * t57;
    const V t61 = t10 * t57;
    const V t63 = u1 * t57;
    const V t64 = x[2] * t57;
    const V t65 = t64 - t61;
    const V t66 = t9 * t60;
    const V t67 = t47 + t66;
    const V t68 = t66 + t67;
    const V t69 = u0 * t68;
    const V t70 = x[0] * t68;
    y[0] = t69;
    y[1] = x[4];
    y[2] = t63;
    y[3] = t44;
    y[4] = t70;
    y[5] = t65;
    y[6] = t49;
    y[7] = t46;
    y[8] = t35;
  }
};

// rmsprop, Nesterov: parameters, jvp
template <class S, class V>
struct k_19d3e1b17344_jvp {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t20;
    const V t22 = t9 / t21;
    const V t23 = x[3] * u4;
    const V t24 = t22 + t23;
    const V t25 = u4 * t24;
    const V t26 = t22 + t25;
    const V t39 = u0 * x[4];
    const V t40 = x[0] * u5;
    const V t41 = t39 + t40;
    const V t42 = t9 * t41;
    const V t43 = t42 + t42;
    const V t44 = u1 * x[6];
    const V t45 = x[2] * u6;
    const V t46 = t44 + t45;
    const V t48 = u2 * t43;
    const V t49 = t10 * u6;
    const V t51 = t48 - t49;
    const V t52 = t46 + t51;
    const V t53 = select_ge(t15, tiny<V>(), t52, splat<V>(S(0.0)));
    const V t55 = t53 * splat<V>(S(0.5));
    const V t56 = t55 / t20;
    const V t57 = u7 + t56;
    const V t58 = t22 * t57;
    const V t59 = t41 - t58;
    const V t60 = t59 / t21;
    const V t61 = u4 * x[7];
    const V t62 = x[3] * u8;
    const V t63 = t61 + t62;
    const V t64 = t60 + t63;
    const V t65 = t24 * u8;
    const V t66 = u4 * t64;
    const V t67 = t65 + t66;
    const V t68 = t60 + t67;
    const V t69 = t26 * u9;
    const V t70 = u10 * t68;
    const V t71 = t69 + t70;
    const V t72 = x[5] - t71;
    y[0] = t72;
    y[1] = t52;
    y[2] = t64;
  }
};

// rmsprop, Nesterov: parameters, vjp_vjp
template <class S, class V>
struct k_19d3e1b17344_vjp_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t12 / t24;
    const V t27 = u4 * x[4];
    const V t28 = u5 * t27;
    const V t29 = x[6] - t28;
    const V t30 = t29 - t27;
    const V t32 = t30 / t24;
    const V t33 = t25 * t32;
    const V t35 = t33 * splat<V>(S(0.5));
    const V t36 = t35 / t23;
    const V t37 = -t36;
    const V t38 = select_ge(t18, tiny<V>(), t37, splat<V>(S(0.0)));
    const V t39 = x[5] + t38;
    const V t40 = u2 * t39;
    const V t51 = u0 * x[7];
    const V t52 = t51 + t51;
    const V t53 = t40 * t52;
    const V t54 = t12 * t52;
    const V t56 = u1 * x[9];
    const V t58 = u2 * t54;
    const V t59 = t56 + t58;
    const V t60 = select_ge(t18, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t63 = t60 / t23;
    const V t65 = t36 * t63;
    const V t67 = splat<V>(S(0.5)) * t63;
    const V t71 = t32 * t67;
    const V t73 = t25 * t67;
    const V t75 = t51 - t73;
    const V t76 = t75 / t24;
    const V t77 = t32 * t76;
    const V t80 = u5 * x[10];
    const V t81 = -t76;
    const V t82 = t76 + t80;
    const V t86 = u5 * t82;
    const V t89 = t81 - t86;
    const V t91 = u4 * t89;
    const V t92 = x[8] + t91;
    const V t93 = t71 / t24;
    const V t95 = t25 * t93;
    const V t97 = t53 - t93;
    const V t98 = t95 - t77;
    const V t99 = t65 + t98;
    const V t100 = splat<V>(S(0.5)) * t99;
    const V t101 = t100 / t23;
    const V t102 = select_ge(t18, tiny<V>(), t101, splat<V>(S(0.0)));
    const V t106 = u2 * t102;
    const V t111 = u1 * t102;
    const V t114 = t12 * t106;
    const V t115 = t97 + t114;
    const V t116 = t114 + t115;
    const V t117 = u0 * t116;
    y[0] = t117;
    y[1] = splat<V>(S(0.0));
    y[2] = t111;
    y[3] = splat<V>(S(0.0));
    y[4] = t92;
    y[5] = t59;
    y[6] = t82;
  }
};

// rmsprop, Nesterov: parameters, vjps_vjps
template <class S, class V>
struct k_19d3e1b17344_vjps_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u4;
    const V t27 = t25 + t26;
    const V t28 = u4 * t27;
    const V t29 = t25 + t28;
    const V t33 = u5 * x[4];
    const V t35 = u4 * t33;
    const V t36 = x[6] - t35;
    const V t37 = t36 - t33;
    const V t41 = t37 / t24;
    const V t42 = t25 * t41;
    const V t45 = t42 * splat<V>(S(0.5));
    const V t46 = t45 / t23;
    const V t47 = -t46;
    const V t48 = select_ge(t18, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[5] + t48;
    const V t50 = u2 * t49;
    const V t55 = t12 * t50;
    const V t56 = t41 + t55;
    const V t57 = t55 + t56;
    const V t69 = t57 * u6;
    const V t70 = x[0] * u6;
    const V t71 = t57 * x[7];
    const V t72 = u0 * x[7];
    const V t73 = t70 + t72;
    const V t74 = t73 + t73;
    const V t75 = t50 * t74;
    const V t76 = t12 * t74;
    const V t78 = t49 * u7;
    const V t79 = x[2] * u7;
    const V t80 = t49 * x[9];
    const V t81 = u1 * x[9];
    const V t82 = t79 + t81;
    const V t84 = t13 * u7;
    const V t86 = t82 - t84;
    const V t87 = t49 * t76;
    const V t88 = u2 * t76;
    const V t89 = t86 + t88;
    const V t90 = select_ge(t18, tiny<V>(), t89, splat<V>(S(0.0)));
    const V t93 = t90 / t23;
    const V t95 = t46 * t93;
    const V t97 = splat<V>(S(0.5)) * t93;
    const V t98 = -t97;
    const V t102 = t98 - u8;
    const V t103 = t41 * t102;
    const V t104 = t25 * t102;
    const V t105 = t73 + t104;
    const V t106 = t105 / t24;
    const V t107 = t41 * t106;
    const V t108 = -t107;
    const V t110 = t36 * u9;
    const V t111 = x[3] * u9;
    const V t112 = t36 * x[10];
    const V t113 = u4 * x[10];
    const V t114 = t111 + t113;
    const V t115 = -t106;
    const V t116 = t106 + t114;
    const V t118 = t33 * t116;
    const V t120 = u4 * t116;
    const V t122 = t112 - t118;
    const V t123 = t115 - t120;
    const V t124 = t33 * u9;
    const V t125 = -t124;
    const V t126 = t27 * u9;
    const V t128 = t123 - t126;
    const V t129 = x[4] * t128;
    const V t130 = u5 * t128;
    const V t131 = x[8] + t130;
    const V t133 = x[4] * u10;
    const V t135 = t29 * u10;
    const V t137 = t131 - t135;
    const V t138 = t103 - t133;
    const V t139 = t27 * t133;
    const V t141 = u4 * t133;
    const V t143 = t122 - t139;
    const V t144 = t125 - t141;
    const V t145 = t138 + t144;
    const V t146 = u4 * t144;
    const V t147 = x[3] * t144;
    const V t148 = t110 + t146;
    const V t149 = t143 + t147;
    const V t150 = t145 / t24;
    const V t151 = t25 * t150;
    const V t153 = t75 + t150;
    const V t154 = t108 - t151;
    const V t155 = t95 + t154;
    const V t156 = splat<V>(S(0.5)) * t155;
    const V t157 = t156 / t23;
    const V t158 = select_ge(t18, tiny<V>(), t157, splat<V>(S(0.0)));
    const V t162 = u2 * t158;
    const V t163 = t13 * t158;
    const V t164 = t162 - t78;
    const V t165 = t87 + t163;
    const V t167 = t80 - t165;
    const V t168 = u1 * t158;
    const V t169 = x[2] * t158;
    const V t170 = t78 + t168;
    const V t171 = t167 + t169;
    const V t172 = t12 * t164;
    const V t173 = t153 + t172;
    const V t174 = t172 + t173;
    const V t175 = u0 * t174;
    const V t176 = x[0] * t174;
    const V t177 = t69 + t175;
    const V t178 = t71 + t176;
    y[0] = t177;
    y[1] = splat<V>(S(0.0));
    y[2] = t170;
    y[3] = t148;
    y[4] = t137;
    y[5] = t89;
    y[6] = t116;
    y[7] = t178;
    y[8] = t171;
    y[9] = t154;
    y[10] = t149;
    y[11] = t129;
  }
};

// rmsprop, Nesterov, weight decay: update, forward
template <class S, class V>
struct k_878c473d493f_forward {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t28 = u5 * t27;
    const V t29 = t25 + t28;
    const V t31 = u6 * t29;
    const V t32 = -t31;
    y[0] = t32;
    y[1] = t18;
    y[2] = t27;
  }
};

// rmsprop, Nesterov, weight decay: update, vjp
template <class S, class V>
struct k_878c473d493f_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t39 = u5 * x[4];
    const V t43 = u6 * t39;
    const V t45 = x[6] - t43;
    const V t46 = t45 - t39;
    const V t47 = u6 * t45;
    const V t50 = t46 / t24;
    const V t51 = t25 * t50;
    const V t54 = t51 * splat<V>(S(0.5));
    const V t56 = t54 / t23;
    const V t57 = -t56;
    const V t58 = select_ge(t18, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t60 = x[5] + t58;
    const V t63 = u3 * t60;
    const V t66 = u2 * t60;
    const V t69 = t12 * t63;
    const V t70 = t50 + t69;
    const V t71 = t69 + t70;
    const V t72 = u1 * t71;
    const V t74 = u0 * t71;
    y[0] = t74;
    y[1] = t72;
    y[2] = t66;
    y[3] = t47;
  }
};

// rmsprop, Nesterov, weight decay: update, vjps
template <class S, class V>
struct k_878c473d493f_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t28 = u5 * t27;
    const V t29 = t25 + t28;
    const V t37 = t29 * x[4];
    const V t38 = -t37;
    const V t39 = u6 * x[4];
    const V t41 = t27 * t39;
    const V t43 = u5 * t39;
    const V t45 = x[6] - t43;
    const V t46 = t45 - t39;
    const V t47 = u5 * t45;
    const V t48 = x[3] * t45;
    const V t49 = t48 - t41;
    const V t50 = t46 / t24;
    const V t51 = t25 * t50;
    const V t52 = -t51;
    const V t54 = t51 * splat<V>(S(0.5));
    const V t56 = t54 / t23;
    const V t57 = -t56;
    const V t58 = select_ge(t18, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t60 = x[5] + t58;
    const V t63 = u3 * t60;
    const V t64 = t13 * t60;
    const V t66 = u2 * t60;
    const V t67 = x[2] * t60;
    const V t68 = t67 - t64;
    const V t69 = t12 * t63;
    const V t70 = t50 + t69;
    const V t71 = t69 + t70;
    const V t72 = u1 * t71;
    const V t73 = x[1] * t71;
    const V t74 = u0 * t71;
    const V t75 = x[0] * t71;
    y[0] = t74;
    y[1] = t72;
    y[2] = t66;
    y[3] = t47;
    y[4] = t75;
    y[5] = t73;
    y[6] = t68;
    y[7] = t52;
    y[8] = t49;
    y[9] = t38;
  }
};

// rmsprop, Nesterov, weight decay: update, jvp
template <class S, class V>
struct k_878c473d493f_jvp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t28 = u5 * t27;
    const V t29 = t25 + t28;
    const V t43 = u0 * x[4];
    const V t44 = x[0] * u6;
    const V t45 = t43 + t44;
    const V t46 = u1 * x[5];
    const V t47 = x[1] * u7;
    const V t48 = t46 + t47;
    const V t49 = t45 + t48;
    const V t50 = t12 * t49;
    const V t51 = t50 + t50;
    const V t52 = u2 * x[6];
    const V t53 = x[2] * u8;
    const V t54 = t52 + t53;
    const V t56 = u3 * t51;
    const V t57 = t13 * u8;
    const V t59 = t56 - t57;
    const V t60 = t54 + t59;
    const V t61 = select_ge(t18, tiny<V>(), t60, splat<V>(S(0.0)));
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = t63 / t23;
    const V t65 = u9 + t64;
    const V t66 = t25 * t65;
    const V t67 = t49 - t66;
    const V t68 = t67 / t24;
    const V t69 = u5 * x[7];
    const V t70 = x[3] * u10;
    const V t71 = t69 + t70;
    const V t72 = t68 + t71;
    const V t73 = t27 * u10;
    const V t74 = u5 * t72;
    const V t75 = t73 + t74;
    const V t76 = t68 + t75;
    const V t77 = t29 * u11;
    const V t78 = u12 * t76;
    const V t79 = t77 + t78;
    const V t80 = -t79;
    y[0] = t80;
    y[1] = t60;
    y[2] = t72;
  }
};

// rmsprop, Nesterov, weight decay: update, vjp_vjp
template <class S, class V>
struct k_878c473d493f_vjp_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t30 = u5 * x[4];
    const V t31 = u6 * t30;
    const V t32 = x[6] - t31;
    const V t33 = t32 - t30;
    const V t35 = t33 / t27;
    const V t36 = t28 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t26;
    const V t40 = -t39;
    const V t41 = select_ge(t21, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t42 = x[5] + t41;
    const V t43 = u3 * t42;
    const V t55 = u0 * x[7];
    const V t57 = u1 * x[8];
    const V t58 = t55 + t57;
    const V t59 = t58 + t58;
    const V t60 = t43 * t59;
    const V t61 = t15 * t59;
    const V t63 = u2 * x[9];
    const V t65 = u3 * t61;
    const V t66 = t63 + t65;
    const V t67 = select_ge(t21, tiny<V>(), t66, splat<V>(S(0.0)));
    const V t70 = t67 / t26;
    const V t72 = t39 * t70;
    const V t74 = splat<V>(S(0.5)) * t70;
    const V t78 = t35 * t74;
    const V t80 = t28 * t74;
    const V t82 = t58 - t80;
    const V t83 = t82 / t27;
    const V t84 = t35 * t83;
    const V t87 = u6 * x[10];
    const V t88 = -t83;
    const V t89 = t83 + t87;
    const V t93 = u6 * t89;
    const V t96 = t88 - t93;
    const V t98 = u5 * t96;
    const V t99 = t78 / t27;
    const V t101 = t28 * t99;
    const V t103 = t60 - t99;
    const V t104 = t101 - t84;
    const V t105 = t72 + t104;
    const V t106 = splat<V>(S(0.5)) * t105;
    const V t107 = t106 / t26;
    const V t108 = select_ge(t21, tiny<V>(), t107, splat<V>(S(0.0)));
    const V t112 = u3 * t108;
    const V t117 = u2 * t108;
    const V t120 = t15 * t112;
    const V t121 = t103 + t120;
    const V t122 = t120 + t121;
    const V t123 = u1 * t122;
    const V t126 = u0 * t122;
    y[0] = t126;
    y[1] = t123;
    y[2] = t117;
    y[3] = splat<V>(S(0.0));
    y[4] = t98;
    y[5] = t66;
    y[6] = t89;
  }
};

// rmsprop, Nesterov, weight decay: update, vjps_vjps
template <class S, class V>
struct k_878c473d493f_vjps_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t29 = x[3] * u5;
    const V t30 = t28 + t29;
    const V t31 = u5 * t30;
    const V t32 = t28 + t31;
    const V t36 = u6 * x[4];
    const V t38 = u5 * t36;
    const V t39 = x[6] - t38;
    const V t40 = t39 - t36;
    const V t44 = t40 / t27;
    const V t45 = t28 * t44;
    const V t48 = t45 * splat<V>(S(0.5));
    const V t49 = t48 / t26;
    const V t50 = -t49;
    const V t51 = select_ge(t21, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[5] + t51;
    const V t53 = u3 * t52;
    const V t58 = t15 * t53;
    const V t59 = t44 + t58;
    const V t60 = t58 + t59;
    const V t75 = t60 * u7;
    const V t76 = x[0] * u7;
    const V t77 = t60 * x[7];
    const V t78 = u0 * x[7];
    const V t79 = t76 + t78;
    const V t80 = t60 * u8;
    const V t81 = x[1] * u8;
    const V t82 = t79 + t81;
    const V t83 = t60 * x[8];
    const V t84 = u1 * x[8];
    const V t85 = t82 + t84;
    const V t86 = t85 + t85;
    const V t87 = t53 * t86;
    const V t88 = t15 * t86;
    const V t90 = t52 * u9;
    const V t91 = x[2] * u9;
    const V t92 = t52 * x[9];
    const V t93 = u2 * x[9];
    const V t94 = t91 + t93;
    const V t96 = t16 * u9;
    const V t98 = t94 - t96;
    const V t99 = t52 * t88;
    const V t100 = u3 * t88;
    const V t101 = t98 + t100;
    const V t102 = select_ge(t21, tiny<V>(), t101, splat<V>(S(0.0)));
    const V t105 = t102 / t26;
    const V t107 = t49 * t105;
    const V t109 = splat<V>(S(0.5)) * t105;
    const V t110 = -t109;
    const V t114 = t110 - u10;
    const V t115 = t44 * t114;
    const V t116 = t28 * t114;
    const V t117 = t85 + t116;
    const V t118 = t117 / t27;
    const V t119 = t44 * t118;
    const V t120 = -t119;
    const V t122 = t39 * u11;
    const V t123 = x[3] * u11;
    const V t124 = t39 * x[10];
    const V t125 = u5 * x[10];
    const V t126 = t123 + t125;
    const V t127 = -t118;
    const V t128 = t118 + t126;
    const V t130 = t36 * t128;
    const V t132 = u5 * t128;
    const V t134 = t124 - t130;
    const V t135 = t127 - t132;
    const V t136 = t36 * u11;
    const V t137 = -t136;
    const V t138 = t30 * u11;
    const V t140 = t135 - t138;
    const V t141 = x[4] * t140;
    const V t142 = u6 * t140;
    const V t144 = x[4] * u12;
    const V t146 = t32 * u12;
    const V t148 = t142 - t146;
    const V t149 = t115 - t144;
    const V t150 = t30 * t144;
    const V t152 = u5 * t144;
    const V t154 = t134 - t150;
    const V t155 = t137 - t152;
    const V t156 = t149 + t155;
    const V t157 = u5 * t155;
    const V t158 = x[3] * t155;
    const V t159 = t122 + t157;
    const V t160 = t154 + t158;
    const V t161 = t156 / t27;
    const V t162 = t28 * t161;
    const V t164 = t87 + t161;
    const V t165 = t120 - t162;
    const V t166 = t107 + t165;
    const V t167 = splat<V>(S(0.5)) * t166;
    const V t168 = t167 / t26;
    const V t169 = select_ge(t21, tiny<V>(), t168, splat<V>(S(0.0)));
    const V t173 = u3 * t169;
    const V t174 = t16 * t169;
    const V t175 = t173 - t90;
    const V t176 = t99 + t174;
    const V t178 = t92 - t176;
    const V t179 = u2 * t169;
    const V t180 = x[2] * t169;
    const V t181 = t90 + t179;
    const V t182 = t178 + t180;
    const V t183 = t15 * t175;
    const V t184 = t164 + t183;
    const V t185 = t183 + t184;
    const V t186 = u1 * t185;
    const V t187 = x[1] * t185;
    const V t188 = t80 + t186;
    const V t189 = t83 + t187;
    const V t190 = u0 * t185;
    const V t191 = x[0] * t185;
    const V t192 = t75 + t190;
    const V t193 = t77 + t191;
    y[0] = t192;
    y[1] = t188;
    y[2] = t181;
    y[3] = t159;
    y[4] = t148;
    y[5] = t101;
    y[6] = t128;
    y[7] = t193;
    y[8] = t189;
    y[9] = t182;
    y[10] = t165;
    y[11] = t160;
    y[12] = t141;
  }
};

// rmsprop, Nesterov, weight decay: parameters, forward
template <class S, class V>
struct k_ccf3f10c56e6_forward {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t28 = u5 * t27;
    const V t29 = t25 + t28;
    const V t31 = u6 * t29;
    const V t33 = x[1] - t31;
    y[0] = t33;
    y[1] = t18;
    y[2] = t27;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjp
template <class S, class V>
struct k_ccf3f10c56e6_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t39 = u5 * x[4];
    const V t43 = u6 * t39;
    const V t45 = x[6] - t43;
    const V t46 = t45 - t39;
    const V t47 = u6 * t45;
    const V t50 = t46 / t24;
    const V t51 = t25 * t50;
    const V t54 = t51 * splat<V>(S(0.5));
    const V t56 = t54 / t23;
    const V t57 = -t56;
    const V t58 = select_ge(t18, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t60 = x[5] + t58;
    const V t63 = u3 * t60;
    const V t66 = u2 * t60;
    const V t69 = t12 * t63;
    const V t70 = t50 + t69;
    const V t71 = t69 + t70;
    const V t72 = u1 * t71;
    const V t74 = x[4] + t72;
    const V t75 = u0 * t71;
    y[0] = t75;
    y[1] = t74;
    y[2] = t66;
    y[3] = t47;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjps
template <class S, class V>
struct k_ccf3f10c56e6_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t28 = u5 * t27;
    const V t29 = t25 + t28;
    const V t37 = t29 * x[4];
    const V t38 = -t37;
    const V t39 = u6 * x[4];
    const V t41 = t27 * t39;
    const V t43 = u5 * t39;
    const V t45 = x[6] - t43;
    const V t46 = t45 - t39;
    const V t47 = u5 * t45;
    const V t48 = x[3] * t45;
    const V t49 = t48 - t41;
    const V t50 = t46 / t24;
    const V t51 = t25 * t50;
    const V t52 = -t51;
    const V t54 = t51 * splat<V>(S(0.5));
    const V t56 = t54 / t23;
    const V t57 = -t56;
    const V t58 = select_ge(t18, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t60 = x[5] + t58;
    const V t63 = u3 * t60;
    const V t64 = t13 * t60;
    const V t66 = u2 * t60;
    const V t67 = x[2] * t60;
    const V t68 = t67 - t64;
    const V t69 = t12 * t63;
    const V t70 = t50 + t69;
    const V t71 = t69 + t70;
    const V t72 = u1 * t71;
    const V t73 = x[1] * t71;
    const V t74 = x[4] + t72;
    const V t75 = u0 * t71;
    const V t76 = x[0] * t71;
    y[0] = t75;
    y[1] = t74;
    y[2] = t66;
    y[3] = t47;
    y[4] = t76;
    y[5] = t73;
    y[6] = t68;
    y[7] = t52;
    y[8] = t49;
    y[9] = t38;
  }
};

// rmsprop, Nesterov, weight decay: parameters, jvp
template <class S, class V>
struct k_ccf3f10c56e6_jvp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t23;
    const V t25 = t12 / t24;
    const V t26 = x[3] * u5;
    const V t27 = t25 + t26;
    const V t28 = u5 * t27;
    const V t29 = t25 + t28;
    const V t43 = u0 * x[4];
    const V t44 = x[0] * u6;
    const V t45 = t43 + t44;
    const V t46 = u1 * x[5];
    const V t47 = x[1] * u7;
    const V t48 = t46 + t47;
    const V t49 = t45 + t48;
    const V t50 = t12 * t49;
    const V t51 = t50 + t50;
    const V t52 = u2 * x[6];
    const V t53 = x[2] * u8;
    const V t54 = t52 + t53;
    const V t56 = u3 * t51;
    const V t57 = t13 * u8;
    const V t59 = t56 - t57;
    const V t60 = t54 + t59;
    const V t61 = select_ge(t18, tiny<V>(), t60, splat<V>(S(0.0)));
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = t63 / t23;
    const V t65 = u9 + t64;
    const V t66 = t25 * t65;
    const V t67 = t49 - t66;
    const V t68 = t67 / t24;
    const V t69 = u5 * x[7];
    const V t70 = x[3] * u10;
    const V t71 = t69 + t70;
    const V t72 = t68 + t71;
    const V t73 = t27 * u10;
    const V t74 = u5 * t72;
    const V t75 = t73 + t74;
    const V t76 = t68 + t75;
    const V t77 = t29 * u11;
    const V t78 = u12 * t76;
    const V t79 = t77 + t78;
    const V t80 = x[5] - t79;
    y[0] = t80;
    y[1] = t60;
    y[2] = t72;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_ccf3f10c56e6_vjp_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t30 = u5 * x[4];
    const V t31 = u6 * t30;
    const V t32 = x[6] - t31;
    const V t33 = t32 - t30;
    const V t35 = t33 / t27;
    const V t36 = t28 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t26;
    const V t40 = -t39;
    const V t41 = select_ge(t21, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t42 = x[5] + t41;
    const V t43 = u3 * t42;
    const V t56 = u0 * x[7];
    const V t58 = u1 * x[8];
    const V t59 = t56 + t58;
    const V t60 = t59 + t59;
    const V t61 = t43 * t60;
    const V t62 = t15 * t60;
    const V t64 = u2 * x[9];
    const V t66 = u3 * t62;
    const V t67 = t64 + t66;
    const V t68 = select_ge(t21, tiny<V>(), t67, splat<V>(S(0.0)));
    const V t71 = t68 / t26;
    const V t73 = t39 * t71;
    const V t75 = splat<V>(S(0.5)) * t71;
    const V t79 = t35 * t75;
    const V t81 = t28 * t75;
    const V t83 = t59 - t81;
    const V t84 = t83 / t27;
    const V t85 = t35 * t84;
    const V t88 = u6 * x[10];
    const V t89 = -t84;
    const V t90 = t84 + t88;
    const V t94 = u6 * t90;
    const V t97 = t89 - t94;
    const V t99 = u5 * t97;
    const V t100 = x[8] + t99;
    const V t101 = t79 / t27;
    const V t103 = t28 * t101;
    const V t105 = t61 - t101;
    const V t106 = t103 - t85;
    const V t107 = t73 + t106;
    const V t108 = splat<V>(S(0.5)) * t107;
    const V t109 = t108 / t26;
    const V t110 = select_ge(t21, tiny<V>(), t109, splat<V>(S(0.0)));
    const V t114 = u3 * t110;
    const V t119 = u2 * t110;
    const V t122 = t15 * t114;
    const V t123 = t105 + t122;
    const V t124 = t122 + t123;
    const V t125 = u1 * t124;
    const V t128 = u0 * t124;
    y[0] = t128;
    y[1] = t125;
    y[2] = t119;
    y[3] = splat<V>(S(0.0));
    y[4] = t100;
    y[5] = t67;
    y[6] = t90;
  }
};

// rmsprop, Nesterov, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_ccf3f10c56e6_vjps_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t26;
    const V t28 = t15 / t27;
    const V t29 = x[3] * u5;
    const V t30 = t28 + t29;
    const V t31 = u5 * t30;
    const V t32 = t28 + t31;
    const V t36 = u6 * x[4];
    const V t38 = u5 * t36;
    const V t39 = x[6] - t38;
    const V t40 = t39 - t36;
    const V t44 = t40 / t27;
    const V t45 = t28 * t44;
    const V t48 = t45 * splat<V>(S(0.5));
    const V t49 = t48 / t26;
    const V t50 = -t49;
    const V t51 = select_ge(t21, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[5] + t51;
    const V t53 = u3 * t52;
    const V t58 = t15 * t53;
    const V t59 = t44 + t58;
    const V t60 = t58 + t59;
    const V t76 = t60 * u7;
    const V t77 = x[0] * u7;
    const V t78 = t60 * x[7];
    const V t79 = u0 * x[7];
    const V t80 = t77 + t79;
    const V t81 = t60 * u8;
    const V t82 = x[1] * u8;
    const V t83 = t80 + t82;
    const V t84 = t60 * x[8];
    const V t85 = u1 * x[8];
    const V t86 = t83 + t85;
    const V t87 = t86 + t86;
    const V t88 = t53 * t87;
    const V t89 = t15 * t87;
    const V t91 = t52 * u9;
    const V t92 = x[2] * u9;
    const V t93 = t52 * x[9];
    const V t94 = u2 * x[9];
    const V t95 = t92 + t94;
    const V t97 = t16 * u9;
    const V t99 = t95 - t97;
    const V t100 = t52 * t89;
    const V t101 = u3 * t89;
    const V t102 = t99 + t101;
    const V t103 = select_ge(t21, tiny<V>(), t102, splat<V>(S(0.0)));
    const V t106 = t103 / t26;
    const V t108 = t49 * t106;
    const V t110 = splat<V>(S(0.5)) * t106;
    const V t111 = -t110;
    const V t115 = t111 - u10;
    const V t116 = t44 * t115;
    const V t117 = t28 * t115;
    const V t118 = t86 + t117;
    const V t119 = t118 / t27;
    const V t120 = t44 * t119;
    const V t121 = -t120;
    const V t123 = t39 * u11;
    const V t124 = x[3] * u11;
    const V t125 = t39 * x[10];
    const V t126 = u5 * x[10];
    const V t127 = t124 + t126;
    const V t128 = -t119;
    const V t129 = t119 + t127;
    const V t131 = t36 * t129;
    const V t133 = u5 * t129;
    const V t135 = t125 - t131;
    const V t136 = t128 - t133;
    const V t137 = t36 * u11;
    const V t138 = -t137;
    const V t139 = t30 * u11;
    const V t141 = t136 - t139;
    const V t142 = x[4] * t141;
    const V t143 = u6 * t141;
    const V t144 = x[8] + t143;
    const V t146 = x[4] * u12;
    const V t148 = t32 * u12;
    const V t150 = t144 - t148;
    const V t151 = t116 - t146;
    const V t152 = t30 * t146;
    const V t154 = u5 * t146;
    const V t156 = t135 - t152;
    const V t157 = t138 - t154;
    const V t158 = t151 + t157;
    const V t159 = u5 * t157;
    const V t160 = x[3] * t157;
    const V t161 = t123 + t159;
    const V t162 = t156 + t160;
    const V t163 = t158 / t27;
    const V t164 = t28 * t163;
    const V t166 = t88 + t163;
    const V t167 = t121 - t164;
    const V t168 = t108 + t167;
    const V t169 = splat<V>(S(0.5)) * t168;
    const V t170 = t169 / t26;
    const V t171 = select_ge(t21, tiny<V>(), t170, splat<V>(S(0.0)));
    const V t175 = u3 * t171;
    const V t176 = t16 * t171;
    const V t177 = t175 - t91;
    const V t178 = t100 + t176;
    const V t180 = t93 - t178;
    const V t181 = u2 * t171;
    const V t182 = x[2] * t171;
    const V t183 = t91 + t181;
    const V t184 = t180 + t182;
    const V t185 = t15 * t177;
    const V t186 = t166 + t185;
    const V t187 = t185 + t186;
    const V t188 = u1 * t187;
    const V t189 = x[1] * t187;
    const V t190 = t81 + t188;
    const V t191 = t84 + t189;
    const V t192 = u0 * t187;
    const V t193 = x[0] * t187;
    const V t194 = t76 + t192;
    const V t195 = t78 + t193;
    y[0] = t194;
    y[1] = t190;
    y[2] = t183;
    y[3] = t161;
    y[4] = t150;
    y[5] = t102;
    y[6] = t129;
    y[7] = t195;
    y[8] = t191;
    y[9] = t184;
    y[10] = t167;
    y[11] = t162;
    y[12] = t142;
  }
};

// rmsprop, centered: update, forward
template <class S, class V>
struct k_8d14730b0944_forward {
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
    const V t22 = t20;
    const V t23 = select_gt(tiny<V>(), t20, tiny<V>(), t22);
    const V t24 = select_ge(t20, tiny<V>(), t20, t23);
    const V t25 = sqrt_(t24);
    const V t26 = u3 + t25;
    const V t27 = t7 / t26;
    const V t29 = u4 * t27;
    const V t30 = -t29;
    y[0] = t30;
    y[1] = t12;
    y[2] = t16;
  }
};

// rmsprop, centered: update, vjp
template <class S, class V>
struct k_8d14730b0944_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t7 / t24;
    const V t35 = u4 * x[3];
    const V t37 = t35 / t24;
    const V t39 = t25 * t37;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t43 = t42 / t23;
    const V t44 = select_ge(t18, tiny<V>(), t43, splat<V>(S(0.0)));
    const V t49 = x[5] + t44;
    const V t50 = t12 * t44;
    const V t52 = x[4] - t50;
    const V t53 = t52 - t50;
    const V t55 = u2 * t49;
    const V t56 = u1 * t49;
    const V t58 = t7 * t55;
    const V t59 = t58 - t37;
    const V t60 = t58 + t59;
    const V t61 = u2 * t53;
    const V t63 = t60 + t61;
    const V t67 = u1 * t53;
    const V t70 = u0 * t63;
    y[0] = t70;
    y[1] = t67;
    y[2] = t56;
  }
};

// rmsprop, centered: update, vjps
template <class S, class V>
struct k_8d14730b0944_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t7 / t24;
    const V t33 = t25 * x[3];
    const V t34 = -t33;
    const V t35 = u4 * x[3];
    const V t37 = t35 / t24;
    const V t39 = t25 * t37;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t43 = t42 / t23;
    const V t44 = select_ge(t18, tiny<V>(), t43, splat<V>(S(0.0)));
    const V t49 = x[5] + t44;
    const V t50 = t12 * t44;
    const V t52 = x[4] - t50;
    const V t53 = t52 - t50;
    const V t54 = t13 * t49;
    const V t55 = u2 * t49;
    const V t56 = u1 * t49;
    const V t57 = x[2] * t49;
    const V t58 = t7 * t55;
    const V t59 = t58 - t37;
    const V t60 = t58 + t59;
    const V t61 = u2 * t53;
    const V t62 = t7 * t53;
    const V t63 = t60 + t61;
    const V t64 = t54 + t62;
    const V t66 = t57 - t64;
    const V t67 = u1 * t53;
    const V t68 = x[1] * t53;
    const V t69 = t66 + t68;
    const V t70 = u0 * t63;
    const V t71 = x[0] * t63;
    y[0] = t70;
    y[1] = t67;
    y[2] = t56;
    y[3] = t71;
    y[4] = t69;
    y[5] = t39;
    y[6] = t34;
  }
};

// rmsprop, centered: update, jvp
template <class S, class V>
struct k_8d14730b0944_jvp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t23;
    const V t25 = t7 / t24;
    const V t36 = u0 * x[3];
    const V t37 = x[0] * u4;
    const V t38 = t36 + t37;
    const V t39 = u1 * x[4];
    const V t40 = x[1] * u5;
    const V t41 = t39 + t40;
    const V t43 = u2 * t38;
    const V t44 = t7 * u5;
    const V t46 = t43 - t44;
    const V t47 = t41 + t46;
    const V t48 = t7 * t38;
    const V t49 = t48 + t48;
    const V t50 = u1 * x[5];
    const V t51 = x[2] * u5;
    const V t52 = t50 + t51;
    const V t53 = t13 * u5;
    const V t55 = u2 * t49;
    const V t56 = t55 - t53;
    const V t57 = t52 + t56;
    const V t58 = t12 * t47;
    const V t59 = t58 + t58;
    const V t60 = t57 - t59;
    const V t61 = select_ge(t18, tiny<V>(), t60, splat<V>(S(0.0)));
    const V t63 = t61 * splat<V>(S(0.5));
    const V t64 = t63 / t23;
    const V t65 = u6 + t64;
    const V t66 = t25 * t65;
    const V t67 = t38 - t66;
    const V t68 = t67 / t24;
    const V t69 = t25 * u7;
    const V t70 = u8 * t68;
    const V t71 = t69 + t70;
    const V t72 = -t71;
    y[0] = t72;
    y[1] = t47;
    y[2] = t57;
  }
};

// rmsprop, centered: update, vjp_vjp
template <class S, class V>
struct k_8d14730b0944_vjp_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u3 + t26;
    const V t28 = t10 / t27;
    const V t30 = u4 * x[3];
    const V t31 = t30 / t27;
    const V t32 = t28 * t31;
    const V t34 = t32 * splat<V>(S(0.5));
    const V t35 = t34 / t26;
    const V t36 = select_ge(t21, tiny<V>(), t35, splat<V>(S(0.0)));
    const V t37 = x[5] + t36;
    const V t41 = u2 * t37;
    const V t54 = u0 * x[6];
    const V t56 = u1 * x[7];
    const V t58 = u2 * t54;
    const V t59 = t56 + t58;
    const V t61 = t54 + t54;
    const V t62 = t41 * t61;
    const V t63 = t10 * t61;
    const V t65 = u1 * x[8];
    const V t68 = u2 * t63;
    const V t70 = t65 + t68;
    const V t71 = -t59;
    const V t72 = t71 - t59;
    const V t73 = t36 * t72;
    const V t74 = t15 * t72;
    const V t75 = t70 + t74;
    const V t76 = select_ge(t21, tiny<V>(), t75, splat<V>(S(0.0)));
    const V t78 = t76 / t26;
    const V t79 = t35 * t78;
    const V t81 = splat<V>(S(0.5)) * t78;
    const V t83 = t31 * t81;
    const V t84 = t28 * t81;
    const V t85 = t84 - t54;
    const V t86 = t85 / t27;
    const V t87 = t31 * t86;
    const V t88 = -t87;
    const V t90 = u4 * t86;
    const V t91 = t83 / t27;
    const V t92 = t28 * t91;
    const V t94 = t62 + t91;
    const V t95 = t88 - t92;
    const V t96 = t95 - t79;
    const V t97 = splat<V>(S(0.5)) * t96;
    const V t98 = t97 / t26;
    const V t99 = select_ge(t21, tiny<V>(), t98, splat<V>(S(0.0)));
    const V t104 = t15 * t99;
    const V t106 = t73 - t104;
    const V t107 = t106 - t104;
    const V t109 = u2 * t99;
    const V t111 = u1 * t99;
    const V t114 = t10 * t109;
    const V t115 = t94 + t114;
    const V t116 = t114 + t115;
    const V t117 = u2 * t107;
    const V t119 = t116 + t117;
    const V t123 = u1 * t107;
    const V t126 = u0 * t119;
    y[0] = t126;
    y[1] = t123;
    y[2] = t111;
    y[3] = t90;
    y[4] = t59;
    y[5] = t70;
  }
};

// rmsprop, centered: update, vjps_vjps
template <class S, class V>
struct k_8d14730b0944_vjps_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u3 + t26;
    const V t28 = t10 / t27;
    const V t32 = u4 * x[3];
    const V t33 = t32 / t27;
    const V t34 = t28 * t33;
    const V t36 = t34 * splat<V>(S(0.5));
    const V t37 = t36 / t26;
    const V t38 = select_ge(t21, tiny<V>(), t37, splat<V>(S(0.0)));
    const V t39 = x[5] + t38;
    const V t40 = t15 * t38;
    const V t41 = x[4] - t40;
    const V t42 = t41 - t40;
    const V t44 = u2 * t39;
    const V t47 = t10 * t44;
    const V t48 = t47 - t33;
    const V t49 = t47 + t48;
    const V t50 = u2 * t42;
    const V t52 = t49 + t50;
    const V t67 = t52 * u5;
    const V t68 = x[0] * u5;
    const V t69 = t52 * x[6];
    const V t70 = u0 * x[6];
    const V t71 = t68 + t70;
    const V t72 = t42 * u6;
    const V t73 = x[1] * u6;
    const V t74 = t42 * x[7];
    const V t75 = u1 * x[7];
    const V t76 = t73 + t75;
    const V t79 = t10 * u6;
    const V t81 = t76 - t79;
    const V t82 = t42 * t71;
    const V t83 = u2 * t71;
    const V t84 = t81 + t83;
    const V t86 = t71 + t71;
    const V t87 = t44 * t86;
    const V t88 = t10 * t86;
    const V t89 = t87 - t72;
    const V t90 = t39 * u6;
    const V t91 = x[2] * u6;
    const V t92 = t39 * x[8];
    const V t93 = u1 * x[8];
    const V t94 = t74 + t92;
    const V t95 = t91 + t93;
    const V t96 = t39 * t88;
    const V t97 = u2 * t88;
    const V t98 = t82 + t96;
    const V t99 = t95 + t97;
    const V t101 = t16 * u6;
    const V t103 = t99 - t101;
    const V t104 = -t84;
    const V t105 = t104 - t84;
    const V t106 = t38 * t105;
    const V t107 = t15 * t105;
    const V t108 = t103 + t107;
    const V t109 = select_ge(t21, tiny<V>(), t108, splat<V>(S(0.0)));
    const V t111 = t109 / t26;
    const V t112 = t37 * t111;
    const V t114 = splat<V>(S(0.5)) * t111;
    const V t116 = u7 + t114;
    const V t117 = t33 * t116;
    const V t118 = t28 * t116;
    const V t119 = t118 - t71;
    const V t120 = t119 / t27;
    const V t121 = t33 * t120;
    const V t122 = -t121;
    const V t123 = x[3] * t120;
    const V t124 = u4 * t120;
    const V t126 = x[3] * u8;
    const V t128 = t28 * u8;
    const V t130 = t117 - t126;
    const V t131 = t124 - t128;
    const V t132 = t130 / t27;
    const V t133 = t28 * t132;
    const V t135 = t89 + t132;
    const V t136 = t122 - t133;
    const V t137 = t136 - t112;
    const V t138 = splat<V>(S(0.5)) * t137;
    const V t139 = t138 / t26;
    const V t140 = select_ge(t21, tiny<V>(), t139, splat<V>(S(0.0)));
    const V t145 = t15 * t140;
    const V t147 = t106 - t145;
    const V t148 = t147 - t145;
    const V t149 = t16 * t140;
    const V t150 = u2 * t140;
    const V t151 = t98 + t149;
    const V t152 = t150 - t90;
    const V t153 = u1 * t140;
    const V t154 = x[2] * t140;
    const V t155 = t90 + t153;
    const V t156 = t94 + t154;
    const V t157 = t10 * t152;
    const V t158 = t135 + t157;
    const V t159 = t157 + t158;
    const V t160 = u2 * t148;
    const V t161 = t10 * t148;
    const V t162 = t159 + t160;
    const V t163 = t151 + t161;
    const V t165 = t156 - t163;
    const V t166 = u1 * t148;
    const V t167 = x[1] * t148;
    const V t168 = t72 + t166;
    const V t169 = t165 + t167;
    const V t170 = u0 * t162;
    const V t171 = x[0] * t162;
    const V t172 = t67 + t170;
    const V t173 = t69 + t171;
    y[0] = t172;
    y[1] = t168;
    y[2] = t155;
    y[3] = t131;
    y[4] = t84;
    y[5] = t103;
    y[6] = t173;
    y[7] = t169;
    y[8] = t136;
    y[9] = t123;
  }
};

// rmsprop, centered: parameters, forward
template <class S, class V>
struct k_e3a68c4534e5_forward {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u3 + t26;
    const V t28 = t8 / t27;
    const V t30 = u4 * t28;
    const V t32 = x[1] - t30;
    y[0] = t32;
    y[1] = t13;
    y[2] = t17;
  }
};

// rmsprop, centered: parameters, vjp
template <class S, class V>
struct k_e3a68c4534e5_vjp {
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
    const V t21 = t19;
    const V t22 = select_gt(tiny<V>(), t19, tiny<V>(), t21);
    const V t23 = select_ge(t19, tiny<V>(), t19, t22);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t8 / t25;
    const V t36 = u4 * x[4];
    const V t38 = t36 / t25;
    const V t40 = t26 * t38;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t44 = t43 / t24;
    const V t45 = select_ge(t19, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t50 = x[6] + t45;
    const V t51 = t13 * t45;
    const V t53 = x[5] - t51;
    const V t54 = t53 - t51;
    const V t56 = u2 * t50;
    const V t57 = u1 * t50;
    const V t59 = t8 * t56;
    const V t60 = t59 - t38;
    const V t61 = t59 + t60;
    const V t62 = u2 * t54;
    const V t64 = t61 + t62;
    const V t68 = u1 * t54;
    const V t71 = u0 * t64;
    y[0] = t71;
    y[1] = x[4];
    y[2] = t68;
    y[3] = t57;
  }
};

// rmsprop, centered: parameters, vjps
template <class S, class V>
struct k_e3a68c4534e5_vjps {
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
    const V t21 = t19;
    const V t22 = select_gt(tiny<V>(), t19, tiny<V>(), t21);
    const V t23 = select_ge(t19, tiny<V>(), t19, t22);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t8 / t25;
    const V t34 = t26 * x[4];
    const V t35 = -t34;
    const V t36 = u4 * x[4];
    const V t38 = t36 / t25;
    const V t40 = t26 * t38;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t44 = t43 / t24;
    const V t45 = select_ge(t19, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t50 = x[6] + t45;
    const V t51 = t13 * t45;
    const V t53 = x[5] - t51;
    const V t54 = t53 - t51;
    const V t55 = t14 * t50;
    const V t56 = u2 * t50;
    const V t57 = u1 * t50;
    const V t58 = x[3] * t50;
    const V t59 = t8 * t56;
    const V t60 = t59 - t38;
    const V t61 = t59 + t60;
    const V t62 = u2 * t54;
    const V t63 = t8 * t54;
    const V t64 = t61 + t62;
    const V t65 = t55 + t63;
    const V t67 = t58 - t65;
    const V t68 = u1 * t54;
    const V t69 = x[2] * t54;
    const V t70 = t67 + t69;
    const V t71 = u0 * t64;
    const V t72 = x[0] * t64;
    y[0] = t71;
    y[1] = x[4];
    y[2] = t68;
    y[3] = t57;
    y[4] = t72;
    y[5] = t70;
    y[6] = t40;
    y[7] = t35;
  }
};

// rmsprop, centered: parameters, jvp
template <class S, class V>
struct k_e3a68c4534e5_jvp {
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
    const V t21 = t19;
    const V t22 = select_gt(tiny<V>(), t19, tiny<V>(), t21);
    const V t23 = select_ge(t19, tiny<V>(), t19, t22);
    const V t24 = sqrt_(t23);
    const V t25 = u3 + t24;
    const V t26 = t8 / t25;
    const V t38 = u0 * x[4];
    const V t39 = x[0] * u4;
    const V t40 = t38 + t39;
    const V t41 = u1 * x[6];
    const V t42 = x[2] * u5;
    const V t43 = t41 + t42;
    const V t45 = u2 * t40;
    const V t46 = t8 * u5;
    const V t48 = t45 - t46;
    const V t49 = t43 + t48;
    const V t50 = t8 * t40;
    const V t51 = t50 + t50;
    const V t52 = u1 * x[7];
    const V t53 = x[3] * u5;
    const V t54 = t52 + t53;
    const V t55 = t14 * u5;
    const V t57 = u2 * t51;
    const V t58 = t57 - t55;
    const V t59 = t54 + t58;
    const V t60 = t13 * t49;
    const V t61 = t60 + t60;
    const V t62 = t59 - t61;
    const V t63 = select_ge(t19, tiny<V>(), t62, splat<V>(S(0.0)));
    const V t65 = t63 * splat<V>(S(0.5));
    const V t66 = t65 / t24;
    const V t67 = u6 + t66;
    const V t68 = t26 * t67;
    const V t69 = t40 - t68;
    const V t70 = t69 / t25;
    const V t71 = t26 * u7;
    const V t72 = u8 * t70;
    const V t73 = t71 + t72;
    const V t74 = x[5] - t73;
    y[0] = t74;
    y[1] = t49;
    y[2] = t59;
  }
};

// rmsprop, centered: parameters, vjp_vjp
template <class S, class V>
struct k_e3a68c4534e5_vjp_vjp {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u3 + t27;
    const V t29 = t11 / t28;
    const V t31 = u4 * x[4];
    const V t32 = t31 / t28;
    const V t33 = t29 * t32;
    const V t35 = t33 * splat<V>(S(0.5));
    const V t36 = t35 / t27;
    const V t37 = select_ge(t22, tiny<V>(), t36, splat<V>(S(0.0)));
    const V t38 = x[6] + t37;
    const V t42 = u2 * t38;
    const V t56 = u0 * x[7];
    const V t58 = u1 * x[9];
    const V t60 = u2 * t56;
    const V t61 = t58 + t60;
    const V t63 = t56 + t56;
    const V t64 = t42 * t63;
    const V t65 = t11 * t63;
    const V t67 = u1 * x[10];
    const V t70 = u2 * t65;
    const V t72 = t67 + t70;
    const V t73 = -t61;
    const V t74 = t73 - t61;
    const V t75 = t37 * t74;
    const V t76 = t16 * t74;
    const V t77 = t72 + t76;
    const V t78 = select_ge(t22, tiny<V>(), t77, splat<V>(S(0.0)));
    const V t80 = t78 / t27;
    const V t81 = t36 * t80;
    const V t83 = splat<V>(S(0.5)) * t80;
    const V t85 = t32 * t83;
    const V t86 = t29 * t83;
    const V t87 = t86 - t56;
    const V t88 = t87 / t28;
    const V t89 = t32 * t88;
    const V t90 = -t89;
    const V t92 = u4 * t88;
    const V t93 = x[8] + t92;
    const V t94 = t85 / t28;
    const V t95 = t29 * t94;
    const V t97 = t64 + t94;
    const V t98 = t90 - t95;
    const V t99 = t98 - t81;
    const V t100 = splat<V>(S(0.5)) * t99;
    const V t101 = t100 / t27;
    const V t102 = select_ge(t22, tiny<V>(), t101, splat<V>(S(0.0)));
    const V t107 = t16 * t102;
    const V t109 = t75 - t107;
    const V t110 = t109 - t107;
    const V t112 = u2 * t102;
    const V t114 = u1 * t102;
    const V t117 = t11 * t112;
    const V t118 = t97 + t117;
    const V t119 = t117 + t118;
    const V t120 = u2 * t110;
    const V t122 = t119 + t120;
    const V t126 = u1 * t110;
    const V t129 = u0 * t122;
    y[0] = t129;
    y[1] = splat<V>(S(0.0));
    y[2] = t126;
    y[3] = t114;
    y[4] = t93;
    y[5] = t61;
    y[6] = t72;
  }
};

// rmsprop, centered: parameters, vjps_vjps
template <class S, class V>
struct k_e3a68c4534e5_vjps_vjps {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u3 + t27;
    const V t29 = t11 / t28;
    const V t33 = u4 * x[4];
    const V t34 = t33 / t28;
    const V t35 = t29 * t34;
    const V t37 = t35 * splat<V>(S(0.5));
    const V t38 = t37 / t27;
    const V t39 = select_ge(t22, tiny<V>(), t38, splat<V>(S(0.0)));
    const V t40 = x[6] + t39;
    const V t41 = t16 * t39;
    const V t42 = x[5] - t41;
    const V t43 = t42 - t41;
    const V t45 = u2 * t40;
    const V t48 = t11 * t45;
    const V t49 = t48 - t34;
    const V t50 = t48 + t49;
    const V t51 = u2 * t43;
    const V t53 = t50 + t51;
    const V t69 = t53 * u5;
    const V t70 = x[0] * u5;
    const V t71 = t53 * x[7];
    const V t72 = u0 * x[7];
    const V t73 = t70 + t72;
    const V t74 = t43 * u6;
    const V t75 = x[2] * u6;
    const V t76 = t43 * x[9];
    const V t77 = u1 * x[9];
    const V t78 = t75 + t77;
    const V t81 = t11 * u6;
    const V t83 = t78 - t81;
    const V t84 = t43 * t73;
    const V t85 = u2 * t73;
    const V t86 = t83 + t85;
    const V t88 = t73 + t73;
    const V t89 = t45 * t88;
    const V t90 = t11 * t88;
    const V t91 = t89 - t74;
    const V t92 = t40 * u6;
    const V t93 = x[3] * u6;
    const V t94 = t40 * x[10];
    const V t95 = u1 * x[10];
    const V t96 = t76 + t94;
    const V t97 = t93 + t95;
    const V t98 = t40 * t90;
    const V t99 = u2 * t90;
    const V t100 = t84 + t98;
    const V t101 = t97 + t99;
    const V t103 = t17 * u6;
    const V t105 = t101 - t103;
    const V t106 = -t86;
    const V t107 = t106 - t86;
    const V t108 = t39 * t107;
    const V t109 = t16 * t107;
    const V t110 = t105 + t109;
    const V t111 = select_ge(t22, tiny<V>(), t110, splat<V>(S(0.0)));
    const V t113 = t111 / t27;
    const V t114 = t38 * t113;
    const V t116 = splat<V>(S(0.5)) * t113;
    const V t118 = u7 + t116;
    const V t119 = t34 * t118;
    const V t120 = t29 * t118;
    const V t121 = t120 - t73;
    const V t122 = t121 / t28;
    const V t123 = t34 * t122;
    const V t124 = -t123;
    const V t125 = x[4] * t122;
    const V t126 = u4 * t122;
    const V t127 = x[8] + t126;
    const V t129 = x[4] * u8;
    const V t131 = t29 * u8;
    const V t133 = t119 - t129;
    const V t134 = t127 - t131;
    const V t135 = t133 / t28;
    const V t136 = t29 * t135;
    const V t138 = t91 + t135;
    const V t139 = t124 - t136;
    const V t140 = t139 - t114;
    const V t141 = splat<V>(S(0.5)) * t140;
    const V t142 = t141 / t27;
    const V t143 = select_ge(t22, tiny<V>(), t142, splat<V>(S(0.0)));
    const V t148 = t16 * t143;
    const V t150 = t108 - t148;
    const V t151 = t150 - t148;
    const V t152 = t17 * t143;
    const V t153 = u2 * t143;
    const V t154 = t100 + t152;
    const V t155 = t153 - t92;
    const V t156 = u1 * t143;
    const V t157 = x[3] * t143;
    const V t158 = t92 + t156;
    const V t159 = t96 + t157;
    const V t160 = t11 * t155;
    const V t161 = t138 + t160;
    const V t162 = t160 + t161;
    const V t163 = u2 * t151;
    const V t164 = t11 * t151;
    const V t165 = t162 + t163;
    const V t166 = t154 + t164;
    const V t168 = t159 - t166;
    const V t169 = u1 * t151;
    const V t170 = x[2] * t151;
    const V t171 = t74 + t169;
    const V t172 = t168 + t170;
    const V t173 = u0 * t165;
    const V t174 = x[0] * t165;
    const V t175 = t69 + t173;
    const V t176 = t71 + t174;
    y[0] = t175;
    y[1] = splat<V>(S(0.0));
    y[2] = t171;
    y[3] = t158;
    y[4] = t134;
    y[5] = t86;
    y[6] = t105;
    y[7] = t176;
    y[8] = t172;
    y[9] = t139;
    y[10] = t125;
  }
};

// rmsprop, centered, weight decay: update, forward
template <class S, class V>
struct k_8ff31621764d_forward {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t11 / t30;
    const V t33 = u5 * t31;
    const V t34 = -t33;
    y[0] = t34;
    y[1] = t16;
    y[2] = t20;
  }
};

// rmsprop, centered, weight decay: update, vjp
template <class S, class V>
struct k_8ff31621764d_vjp {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t39 = u5 * x[4];
    const V t41 = t39 / t28;
    const V t43 = t29 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t27;
    const V t48 = select_ge(t22, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t53 = x[6] + t48;
    const V t54 = t16 * t48;
    const V t56 = x[5] - t54;
    const V t57 = t56 - t54;
    const V t59 = u3 * t53;
    const V t60 = u2 * t53;
    const V t62 = t11 * t59;
    const V t63 = t62 - t41;
    const V t64 = t62 + t63;
    const V t65 = u3 * t57;
    const V t67 = t64 + t65;
    const V t71 = u2 * t57;
    const V t74 = u1 * t67;
    const V t76 = u0 * t67;
    y[0] = t76;
    y[1] = t74;
    y[2] = t71;
    y[3] = t60;
  }
};

// rmsprop, centered, weight decay: update, vjps
template <class S, class V>
struct k_8ff31621764d_vjps {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t37 = t29 * x[4];
    const V t38 = -t37;
    const V t39 = u5 * x[4];
    const V t41 = t39 / t28;
    const V t43 = t29 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t27;
    const V t48 = select_ge(t22, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t53 = x[6] + t48;
    const V t54 = t16 * t48;
    const V t56 = x[5] - t54;
    const V t57 = t56 - t54;
    const V t58 = t17 * t53;
    const V t59 = u3 * t53;
    const V t60 = u2 * t53;
    const V t61 = x[3] * t53;
    const V t62 = t11 * t59;
    const V t63 = t62 - t41;
    const V t64 = t62 + t63;
    const V t65 = u3 * t57;
    const V t66 = t11 * t57;
    const V t67 = t64 + t65;
    const V t68 = t58 + t66;
    const V t70 = t61 - t68;
    const V t71 = u2 * t57;
    const V t72 = x[2] * t57;
    const V t73 = t70 + t72;
    const V t74 = u1 * t67;
    const V t75 = x[1] * t67;
    const V t76 = u0 * t67;
    const V t77 = x[0] * t67;
    y[0] = t76;
    y[1] = t74;
    y[2] = t71;
    y[3] = t60;
    y[4] = t77;
    y[5] = t75;
    y[6] = t73;
    y[7] = t43;
    y[8] = t38;
  }
};

// rmsprop, centered, weight decay: update, jvp
template <class S, class V>
struct k_8ff31621764d_jvp {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t42 = u0 * x[4];
    const V t43 = x[0] * u5;
    const V t44 = t42 + t43;
    const V t45 = u1 * x[5];
    const V t46 = x[1] * u6;
    const V t47 = t45 + t46;
    const V t48 = t44 + t47;
    const V t49 = u2 * x[6];
    const V t50 = x[2] * u7;
    const V t51 = t49 + t50;
    const V t53 = u3 * t48;
    const V t54 = t11 * u7;
    const V t56 = t53 - t54;
    const V t57 = t51 + t56;
    const V t58 = t11 * t48;
    const V t59 = t58 + t58;
    const V t60 = u2 * x[7];
    const V t61 = x[3] * u7;
    const V t62 = t60 + t61;
    const V t63 = t17 * u7;
    const V t65 = u3 * t59;
    const V t66 = t65 - t63;
    const V t67 = t62 + t66;
    const V t68 = t16 * t57;
    const V t69 = t68 + t68;
    const V t70 = t67 - t69;
    const V t71 = select_ge(t22, tiny<V>(), t70, splat<V>(S(0.0)));
    const V t73 = t71 * splat<V>(S(0.5));
    const V t74 = t73 / t27;
    const V t75 = u8 + t74;
    const V t76 = t29 * t75;
    const V t77 = t48 - t76;
    const V t78 = t77 / t28;
    const V t79 = t29 * u9;
    const V t80 = u10 * t78;
    const V t81 = t79 + t80;
    const V t82 = -t81;
    y[0] = t82;
    y[1] = t57;
    y[2] = t67;
  }
};

// rmsprop, centered, weight decay: update, vjp_vjp
template <class S, class V>
struct k_8ff31621764d_vjp_vjp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u4 + t30;
    const V t32 = t14 / t31;
    const V t34 = u5 * x[4];
    const V t35 = t34 / t31;
    const V t36 = t32 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t30;
    const V t40 = select_ge(t25, tiny<V>(), t39, splat<V>(S(0.0)));
    const V t41 = x[6] + t40;
    const V t45 = u3 * t41;
    const V t60 = u0 * x[7];
    const V t62 = u1 * x[8];
    const V t63 = t60 + t62;
    const V t65 = u2 * x[9];
    const V t67 = u3 * t63;
    const V t68 = t65 + t67;
    const V t70 = t63 + t63;
    const V t71 = t45 * t70;
    const V t72 = t14 * t70;
    const V t74 = u2 * x[10];
    const V t77 = u3 * t72;
    const V t79 = t74 + t77;
    const V t80 = -t68;
    const V t81 = t80 - t68;
    const V t82 = t40 * t81;
    const V t83 = t19 * t81;
    const V t84 = t79 + t83;
    const V t85 = select_ge(t25, tiny<V>(), t84, splat<V>(S(0.0)));
    const V t87 = t85 / t30;
    const V t88 = t39 * t87;
    const V t90 = splat<V>(S(0.5)) * t87;
    const V t92 = t35 * t90;
    const V t93 = t32 * t90;
    const V t94 = t93 - t63;
    const V t95 = t94 / t31;
    const V t96 = t35 * t95;
    const V t97 = -t96;
    const V t99 = u5 * t95;
    const V t100 = t92 / t31;
    const V t101 = t32 * t100;
    const V t103 = t71 + t100;
    const V t104 = t97 - t101;
    const V t105 = t104 - t88;
    const V t106 = splat<V>(S(0.5)) * t105;
    const V t107 = t106 / t30;
    const V t108 = select_ge(t25, tiny<V>(), t107, splat<V>(S(0.0)));
    const V t113 = t19 * t108;
    const V t115 = t82 - t113;
    const V t116 = t115 - t113;
    const V t118 = u3 * t108;
    const V t120 = u2 * t108;
    const V t123 = t14 * t118;
    const V t124 = t103 + t123;
    const V t125 = t123 + t124;
    const V t126 = u3 * t116;
    const V t128 = t125 + t126;
    const V t132 = u2 * t116;
    const V t135 = u1 * t128;
    const V t138 = u0 * t128;
    y[0] = t138;
    y[1] = t135;
    y[2] = t132;
    y[3] = t120;
    y[4] = t99;
    y[5] = t68;
    y[6] = t79;
  }
};

// rmsprop, centered, weight decay: update, vjps_vjps
template <class S, class V>
struct k_8ff31621764d_vjps_vjps {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u4 + t30;
    const V t32 = t14 / t31;
    const V t36 = u5 * x[4];
    const V t37 = t36 / t31;
    const V t38 = t32 * t37;
    const V t40 = t38 * splat<V>(S(0.5));
    const V t41 = t40 / t30;
    const V t42 = select_ge(t25, tiny<V>(), t41, splat<V>(S(0.0)));
    const V t43 = x[6] + t42;
    const V t44 = t19 * t42;
    const V t45 = x[5] - t44;
    const V t46 = t45 - t44;
    const V t48 = u3 * t43;
    const V t51 = t14 * t48;
    const V t52 = t51 - t37;
    const V t53 = t51 + t52;
    const V t54 = u3 * t46;
    const V t56 = t53 + t54;
    const V t75 = t56 * u6;
    const V t76 = x[0] * u6;
    const V t77 = t56 * x[7];
    const V t78 = u0 * x[7];
    const V t79 = t76 + t78;
    const V t80 = t56 * u7;
    const V t81 = x[1] * u7;
    const V t82 = t79 + t81;
    const V t83 = t56 * x[8];
    const V t84 = u1 * x[8];
    const V t85 = t82 + t84;
    const V t86 = t46 * u8;
    const V t87 = x[2] * u8;
    const V t88 = t46 * x[9];
    const V t89 = u2 * x[9];
    const V t90 = t87 + t89;
    const V t93 = t14 * u8;
    const V t95 = t90 - t93;
    const V t96 = t46 * t85;
    const V t97 = u3 * t85;
    const V t98 = t95 + t97;
    const V t100 = t85 + t85;
    const V t101 = t48 * t100;
    const V t102 = t14 * t100;
    const V t103 = t101 - t86;
    const V t104 = t43 * u8;
    const V t105 = x[3] * u8;
    const V t106 = t43 * x[10];
    const V t107 = u2 * x[10];
    const V t108 = t88 + t106;
    const V t109 = t105 + t107;
    const V t110 = t43 * t102;
    const V t111 = u3 * t102;
    const V t112 = t96 + t110;
    const V t113 = t109 + t111;
    const V t115 = t20 * u8;
    const V t117 = t113 - t115;
    const V t118 = -t98;
    const V t119 = t118 - t98;
    const V t120 = t42 * t119;
    const V t121 = t19 * t119;
    const V t122 = t117 + t121;
    const V t123 = select_ge(t25, tiny<V>(), t122, splat<V>(S(0.0)));
    const V t125 = t123 / t30;
    const V t126 = t41 * t125;
    const V t128 = splat<V>(S(0.5)) * t125;
    const V t130 = u9 + t128;
    const V t131 = t37 * t130;
    const V t132 = t32 * t130;
    const V t133 = t132 - t85;
    const V t134 = t133 / t31;
    const V t135 = t37 * t134;
    const V t136 = -t135;
    const V t137 = x[4] * t134;
    const V t138 = u5 * t134;
    const V t140 = x[4] * u10;
    const V t142 = t32 * u10;
    const V t144 = t131 - t140;
    const V t145 = t138 - t142;
    const V t146 = t144 / t31;
    const V t147 = t32 * t146;
    const V t149 = t103 + t146;
    const V t150 = t136 - t147;
    const V t151 = t150 - t126;
    const V t152 = splat<V>(S(0.5)) * t151;
    const V t153 = t152 / t30;
    const V t154 = select_ge(t25, tiny<V>(), t153, splat<V>(S(0.0)));
    const V t159 = t19 * t154;
    const V t161 = t120 - t159;
    const V t162 = t161 - t159;
    const V t163 = t20 * t154;
    const V t164 = u3 * t154;
    const V t165 = t112 + t163;
    const V t166 = t164 - t104;
    const V t167 = u2 * t154;
    const V t168 = x[3] * t154;
    const V t169 = t104 + t167;
    const V t170 = t108 + t168;
    const V t171 = t14 * t166;
    const V t172 = t149 + t171;
    const V t173 = t171 + t172;
    const V t174 = u3 * t162;
    const V t175 = t14 * t162;
    const V t176 = t173 + t174;
    const V t177 = t165 + t175;
    const V t179 = t170 - t177;
    const V t180 = u2 * t162;
    const V t181 = x[2] * t162;
    const V t182 = t86 + t180;
    const V t183 = t179 + t181;
    const V t184 = u1 * t176;
    const V t185 = x[1] * t176;
    const V t186 = t80 + t184;
    const V t187 = t83 + t185;
    const V t188 = u0 * t176;
    const V t189 = x[0] * t176;
    const V t190 = t75 + t188;
    const V t191 = t77 + t189;
    y[0] = t190;
    y[1] = t186;
    y[2] = t182;
    y[3] = t169;
    y[4] = t145;
    y[5] = t98;
    y[6] = t117;
    y[7] = t191;
    y[8] = t187;
    y[9] = t183;
    y[10] = t150;
    y[11] = t137;
  }
};

// rmsprop, centered, weight decay: parameters, forward
template <class S, class V>
struct k_c4262fdb9e3e_forward {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t11 / t30;
    const V t33 = u5 * t31;
    const V t35 = x[1] - t33;
    y[0] = t35;
    y[1] = t16;
    y[2] = t20;
  }
};

// rmsprop, centered, weight decay: parameters, vjp
template <class S, class V>
struct k_c4262fdb9e3e_vjp {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t39 = u5 * x[4];
    const V t41 = t39 / t28;
    const V t43 = t29 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t27;
    const V t48 = select_ge(t22, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t53 = x[6] + t48;
    const V t54 = t16 * t48;
    const V t56 = x[5] - t54;
    const V t57 = t56 - t54;
    const V t59 = u3 * t53;
    const V t60 = u2 * t53;
    const V t62 = t11 * t59;
    const V t63 = t62 - t41;
    const V t64 = t62 + t63;
    const V t65 = u3 * t57;
    const V t67 = t64 + t65;
    const V t71 = u2 * t57;
    const V t74 = u1 * t67;
    const V t76 = x[4] + t74;
    const V t77 = u0 * t67;
    y[0] = t77;
    y[1] = t76;
    y[2] = t71;
    y[3] = t60;
  }
};

// rmsprop, centered, weight decay: parameters, vjps
template <class S, class V>
struct k_c4262fdb9e3e_vjps {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t37 = t29 * x[4];
    const V t38 = -t37;
    const V t39 = u5 * x[4];
    const V t41 = t39 / t28;
    const V t43 = t29 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t27;
    const V t48 = select_ge(t22, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t53 = x[6] + t48;
    const V t54 = t16 * t48;
    const V t56 = x[5] - t54;
    const V t57 = t56 - t54;
    const V t58 = t17 * t53;
    const V t59 = u3 * t53;
    const V t60 = u2 * t53;
    const V t61 = x[3] * t53;
    const V t62 = t11 * t59;
    const V t63 = t62 - t41;
    const V t64 = t62 + t63;
    const V t65 = u3 * t57;
    const V t66 = t11 * t57;
    const V t67 = t64 + t65;
    const V t68 = t58 + t66;
    const V t70 = t61 - t68;
    const V t71 = u2 * t57;
    const V t72 = x[2] * t57;
    const V t73 = t70 + t72;
    const V t74 = u1 * t67;
    const V t75 = x[1] * t67;
    const V t76 = x[4] + t74;
    const V t77 = u0 * t67;
    const V t78 = x[0] * t67;
    y[0] = t77;
    y[1] = t76;
    y[2] = t71;
    y[3] = t60;
    y[4] = t78;
    y[5] = t75;
    y[6] = t73;
    y[7] = t43;
    y[8] = t38;
  }
};

// rmsprop, centered, weight decay: parameters, jvp
template <class S, class V>
struct k_c4262fdb9e3e_jvp {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u4 + t27;
    const V t29 = t11 / t28;
    const V t42 = u0 * x[4];
    const V t43 = x[0] * u5;
    const V t44 = t42 + t43;
    const V t45 = u1 * x[5];
    const V t46 = x[1] * u6;
    const V t47 = t45 + t46;
    const V t48 = t44 + t47;
    const V t49 = u2 * x[6];
    const V t50 = x[2] * u7;
    const V t51 = t49 + t50;
    const V t53 = u3 * t48;
    const V t54 = t11 * u7;
    const V t56 = t53 - t54;
    const V t57 = t51 + t56;
    const V t58 = t11 * t48;
    const V t59 = t58 + t58;
    const V t60 = u2 * x[7];
    const V t61 = x[3] * u7;
    const V t62 = t60 + t61;
    const V t63 = t17 * u7;
    const V t65 = u3 * t59;
    const V t66 = t65 - t63;
    const V t67 = t62 + t66;
    const V t68 = t16 * t57;
    const V t69 = t68 + t68;
    const V t70 = t67 - t69;
    const V t71 = select_ge(t22, tiny<V>(), t70, splat<V>(S(0.0)));
    const V t73 = t71 * splat<V>(S(0.5));
    const V t74 = t73 / t27;
    const V t75 = u8 + t74;
    const V t76 = t29 * t75;
    const V t77 = t48 - t76;
    const V t78 = t77 / t28;
    const V t79 = t29 * u9;
    const V t80 = u10 * t78;
    const V t81 = t79 + t80;
    const V t82 = x[5] - t81;
    y[0] = t82;
    y[1] = t57;
    y[2] = t67;
  }
};

// rmsprop, centered, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_c4262fdb9e3e_vjp_vjp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u4 + t30;
    const V t32 = t14 / t31;
    const V t34 = u5 * x[4];
    const V t35 = t34 / t31;
    const V t36 = t32 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t30;
    const V t40 = select_ge(t25, tiny<V>(), t39, splat<V>(S(0.0)));
    const V t41 = x[6] + t40;
    const V t45 = u3 * t41;
    const V t61 = u0 * x[7];
    const V t63 = u1 * x[8];
    const V t64 = t61 + t63;
    const V t66 = u2 * x[9];
    const V t68 = u3 * t64;
    const V t69 = t66 + t68;
    const V t71 = t64 + t64;
    const V t72 = t45 * t71;
    const V t73 = t14 * t71;
    const V t75 = u2 * x[10];
    const V t78 = u3 * t73;
    const V t80 = t75 + t78;
    const V t81 = -t69;
    const V t82 = t81 - t69;
    const V t83 = t40 * t82;
    const V t84 = t19 * t82;
    const V t85 = t80 + t84;
    const V t86 = select_ge(t25, tiny<V>(), t85, splat<V>(S(0.0)));
    const V t88 = t86 / t30;
    const V t89 = t39 * t88;
    const V t91 = splat<V>(S(0.5)) * t88;
    const V t93 = t35 * t91;
    const V t94 = t32 * t91;
    const V t95 = t94 - t64;
    const V t96 = t95 / t31;
    const V t97 = t35 * t96;
    const V t98 = -t97;
    const V t100 = u5 * t96;
    const V t101 = x[8] + t100;
    const V t102 = t93 / t31;
    const V t103 = t32 * t102;
    const V t105 = t72 + t102;
    const V t106 = t98 - t103;
    const V t107 = t106 - t89;
    const V t108 = splat<V>(S(0.5)) * t107;
    const V t109 = t108 / t30;
    const V t110 = select_ge(t25, tiny<V>(), t109, splat<V>(S(0.0)));
    const V t115 = t19 * t110;
    const V t117 = t83 - t115;
    const V t118 = t117 - t115;
    const V t120 = u3 * t110;
    const V t122 = u2 * t110;
    const V t125 = t14 * t120;
    const V t126 = t105 + t125;
    const V t127 = t125 + t126;
    const V t128 = u3 * t118;
    const V t130 = t127 + t128;
    const V t134 = u2 * t118;
    const V t137 = u1 * t130;
    const V t140 = u0 * t130;
    y[0] = t140;
    y[1] = t137;
    y[2] = t134;
    y[3] = t122;
    y[4] = t101;
    y[5] = t69;
    y[6] = t80;
  }
};

// rmsprop, centered, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_c4262fdb9e3e_vjps_vjps {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u4 + t30;
    const V t32 = t14 / t31;
    const V t36 = u5 * x[4];
    const V t37 = t36 / t31;
    const V t38 = t32 * t37;
    const V t40 = t38 * splat<V>(S(0.5));
    const V t41 = t40 / t30;
    const V t42 = select_ge(t25, tiny<V>(), t41, splat<V>(S(0.0)));
    const V t43 = x[6] + t42;
    const V t44 = t19 * t42;
    const V t45 = x[5] - t44;
    const V t46 = t45 - t44;
    const V t48 = u3 * t43;
    const V t51 = t14 * t48;
    const V t52 = t51 - t37;
    const V t53 = t51 + t52;
    const V t54 = u3 * t46;
    const V t56 = t53 + t54;
    const V t76 = t56 * u6;
    const V t77 = x[0] * u6;
    const V t78 = t56 * x[7];
    const V t79 = u0 * x[7];
    const V t80 = t77 + t79;
    const V t81 = t56 * u7;
    const V t82 = x[1] * u7;
    const V t83 = t80 + t82;
    const V t84 = t56 * x[8];
    const V t85 = u1 * x[8];
    const V t86 = t83 + t85;
    const V t87 = t46 * u8;
    const V t88 = x[2] * u8;
    const V t89 = t46 * x[9];
    const V t90 = u2 * x[9];
    const V t91 = t88 + t90;
    const V t94 = t14 * u8;
    const V t96 = t91 - t94;
    const V t97 = t46 * t86;
    const V t98 = u3 * t86;
    const V t99 = t96 + t98;
    const V t101 = t86 + t86;
    const V t102 = t48 * t101;
    const V t103 = t14 * t101;
    const V t104 = t102 - t87;
    const V t105 = t43 * u8;
    const V t106 = x[3] * u8;
    const V t107 = t43 * x[10];
    const V t108 = u2 * x[10];
    const V t109 = t89 + t107;
    const V t110 = t106 + t108;
    const V t111 = t43 * t103;
    const V t112 = u3 * t103;
    const V t113 = t97 + t111;
    const V t114 = t110 + t112;
    const V t116 = t20 * u8;
    const V t118 = t114 - t116;
    const V t119 = -t99;
    const V t120 = t119 - t99;
    const V t121 = t42 * t120;
    const V t122 = t19 * t120;
    const V t123 = t118 + t122;
    const V t124 = select_ge(t25, tiny<V>(), t123, splat<V>(S(0.0)));
    const V t126 = t124 / t30;
    const V t127 = t41 * t126;
    const V t129 = splat<V>(S(0.5)) * t126;
    const V t131 = u9 + t129;
    const V t132 = t37 * t131;
    const V t133 = t32 * t131;
    const V t134 = t133 - t86;
    const V t135 = t134 / t31;
    const V t136 = t37 * t135;
    const V t137 = -t136;
    const V t138 = x[4] * t135;
    const V t139 = u5 * t135;
    const V t140 = x[8] + t139;
    const V t142 = x[4] * u10;
    const V t144 = t32 * u10;
    const V t146 = t132 - t142;
    const V t147 = t140 - t144;
    const V t148 = t146 / t31;
    const V t149 = t32 * t148;
    const V t151 = t104 + t148;
    const V t152 = t137 - t149;
    const V t153 = t152 - t127;
    const V t154 = splat<V>(S(0.5)) * t153;
    const V t155 = t154 / t30;
    const V t156 = select_ge(t25, tiny<V>(), t155, splat<V>(S(0.0)));
    const V t161 = t19 * t156;
    const V t163 = t121 - t161;
    const V t164 = t163 - t161;
    const V t165 = t20 * t156;
    const V t166 = u3 * t156;
    const V t167 = t113 + t165;
    const V t168 = t166 - t105;
    const V t169 = u2 * t156;
    const V t170 = x[3] * t156;
    const V t171 = t105 + t169;
    const V t172 = t109 + t170;
    const V t173 = t14 * t168;
    const V t174 = t151 + t173;
    const V t175 = t173 + t174;
    const V t176 = u3 * t164;
    const V t177 = t14 * t164;
    const V t178 = t175 + t176;
    const V t179 = t167 + t177;
    const V t181 = t172 - t179;
    const V t182 = u2 * t164;
    const V t183 = x[2] * t164;
    const V t184 = t87 + t182;
    const V t185 = t181 + t183;
    const V t186 = u1 * t178;
    const V t187 = x[1] * t178;
    const V t188 = t81 + t186;
    const V t189 = t84 + t187;
    const V t190 = u0 * t178;
    const V t191 = x[0] * t178;
    const V t192 = t76 + t190;
    const V t193 = t78 + t191;
    y[0] = t192;
    y[1] = t188;
    y[2] = t184;
    y[3] = t171;
    y[4] = t147;
    y[5] = t99;
    y[6] = t118;
    y[7] = t193;
    y[8] = t189;
    y[9] = t185;
    y[10] = t152;
    y[11] = t138;
  }
};

// rmsprop, centered, momentum: update, forward
template <class S, class V>
struct k_4777bdc6fcf4_forward {
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
    const V t24 = t22;
    const V t25 = select_gt(tiny<V>(), t22, tiny<V>(), t24);
    const V t26 = select_ge(t22, tiny<V>(), t22, t25);
    const V t27 = sqrt_(t26);
    const V t28 = u3 + t27;
    const V t29 = t9 / t28;
    const V t30 = x[3] * u4;
    const V t31 = t29 + t30;
    const V t33 = u5 * t31;
    const V t34 = -t33;
    y[0] = t34;
    y[1] = t14;
    y[2] = t18;
    y[3] = t31;
  }
};

// rmsprop, centered, momentum: update, vjp
template <class S, class V>
struct k_4777bdc6fcf4_vjp {
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
    const V t22 = t20;
    const V t23 = select_gt(tiny<V>(), t20, tiny<V>(), t22);
    const V t24 = select_ge(t20, tiny<V>(), t20, t23);
    const V t25 = sqrt_(t24);
    const V t26 = u3 + t25;
    const V t27 = t9 / t26;
    const V t40 = u4 * x[4];
    const V t42 = x[7] - t40;
    const V t43 = u5 * t42;
    const V t45 = t42 / t26;
    const V t46 = t27 * t45;
    const V t49 = t46 * splat<V>(S(0.5));
    const V t51 = t49 / t25;
    const V t52 = -t51;
    const V t53 = select_ge(t20, tiny<V>(), t52, splat<V>(S(0.0)));
    const V t58 = x[6] + t53;
    const V t59 = t14 * t53;
    const V t61 = x[5] - t59;
    const V t62 = t61 - t59;
    const V t64 = u2 * t58;
    const V t65 = u1 * t58;
    const V t67 = t9 * t64;
    const V t68 = t45 + t67;
    const V t69 = t67 + t68;
    const V t70 = u2 * t62;
    const V t72 = t69 + t70;
    const V t76 = u1 * t62;
    const V t79 = u0 * t72;
    y[0] = t79;
    y[1] = t76;
    y[2] = t65;
    y[3] = t43;
  }
};

// rmsprop, centered, momentum: update, vjps
template <class S, class V>
struct k_4777bdc6fcf4_vjps {
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
    const V t22 = t20;
    const V t23 = select_gt(tiny<V>(), t20, tiny<V>(), t22);
    const V t24 = select_ge(t20, tiny<V>(), t20, t23);
    const V t25 = sqrt_(t24);
    const V t26 = u3 + t25;
    const V t27 = t9 / t26;
    const V t28 = x[3] * u4;
    const V t29 = t27 + t28;
    const V t38 = t29 * x[4];
    const V t39 = -t38;
    const V t40 = u5 * x[4];
    const V t42 = x[7] - t40;
    const V t43 = u4 * t42;
    const V t44 = x[3] * t42;
    const V t45 = t42 / t26;
    const V t46 = t27 * t45;
    const V t47 = -t46;
    const V t49 = t46 * splat<V>(S(0.5));
    const V t51 = t49 / t25;
    const V t52 = -t51;
    const V t53 = select_ge(t20, tiny<V>(), t52, splat<V>(S(0.0)));
    const V t58 = x[6] + t53;
    const V t59 = t14 * t53;
    const V t61 = x[5] - t59;
    const V t62 = t61 - t59;
    const V t63 = t15 * t58;
    const V t64 = u2 * t58;
    const V t65 = u1 * t58;
    const V t66 = x[2] * t58;
    const V t67 = t9 * t64;
    const V t68 = t45 + t67;
    const V t69 = t67 + t68;
    const V t70 = u2 * t62;
    const V t71 = t9 * t62;
    const V t72 = t69 + t70;
    const V t73 = t63 + t71;
    const V t75 = t66 - t73;
    const V t76 = u1 * t62;
    const V t77 = x[1] * t62;
    const V t78 = t75 + t77;
    const V t79 = u0 * t72;
    const V t80 = x[0] * t72;
    y[0] = t79;
    y[1] = t76;
    y[2] = t65;
    y[3] = t43;
    y[4] = t80;
    y[5] = t78;
    y[6] = t47;
    y[7] = t44;
    y[8] = t39;
  }
};

// rmsprop, centered, momentum: update, jvp
template <class S, class V>
struct k_4777bdc6fcf4_jvp {
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
    const V t22 = t20;
    const V t23 = select_gt(tiny<V>(), t20, tiny<V>(), t22);
    const V t24 = select_ge(t20, tiny<V>(), t20, t23);
    const V t25 = sqrt_(t24);
    const V t26 = u3 + t25;
    const V t27 = t9 / t26;
    const V t28 = x[3] * u4;
    const V t29 = t27 + t28;
    const V t42 = u0 * x[4];
    const V t43 = x[0] * u5;
    const V t44 = t42 + t43;
    const V t45 = u1 * x[5];
    const V t46 = x[1] * u6;
    const V t47 = t45 + t46;
    const V t49 = u2 * t44;
    const V t50 = t9 * u6;
    const V t52 = t49 - t50;
    const V t53 = t47 + t52;
    const V t54 = t9 * t44;
    const V t55 = t54 + t54;
    const V t56 = u1 * x[6];
    const V t57 = x[2] * u6;
    const V t58 = t56 + t57;
    const V t59 = t15 * u6;
    const V t61 = u2 * t55;
    const V t62 = t61 - t59;
    const V t63 = t58 + t62;
    const V t64 = t14 * t53;
    const V t65 = t64 + t64;
    const V t66 = t63 - t65;
    const V t67 = select_ge(t20, tiny<V>(), t66, splat<V>(S(0.0)));
    const V t69 = t67 * splat<V>(S(0.5));
    const V t70 = t69 / t25;
    const V t71 = u7 + t70;
    const V t72 = t27 * t71;
    const V t73 = t44 - t72;
    const V t74 = t73 / t26;
    const V t75 = u4 * x[7];
    const V t76 = x[3] * u8;
    const V t77 = t75 + t76;
    const V t78 = t74 + t77;
    const V t79 = t29 * u9;
    const V t80 = u10 * t78;
    const V t81 = t79 + t80;
    const V t82 = -t81;
    y[0] = t82;
    y[1] = t53;
    y[2] = t63;
    y[3] = t78;
  }
};

// rmsprop, centered, momentum: update, vjp_vjp
template <class S, class V>
struct k_4777bdc6fcf4_vjp_vjp {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u3 + t29;
    const V t31 = t13 / t30;
    const V t33 = u4 * x[4];
    const V t34 = x[7] - t33;
    const V t36 = t34 / t30;
    const V t37 = t31 * t36;
    const V t39 = t37 * splat<V>(S(0.5));
    const V t40 = t39 / t29;
    const V t41 = -t40;
    const V t42 = select_ge(t24, tiny<V>(), t41, splat<V>(S(0.0)));
    const V t43 = x[6] + t42;
    const V t47 = u2 * t43;
    const V t61 = u0 * x[8];
    const V t63 = u1 * x[9];
    const V t65 = u2 * t61;
    const V t66 = t63 + t65;
    const V t67 = t61 + t61;
    const V t68 = t47 * t67;
    const V t69 = t13 * t67;
    const V t71 = u1 * x[10];
    const V t74 = u2 * t69;
    const V t76 = t71 + t74;
    const V t77 = -t66;
    const V t78 = t77 - t66;
    const V t79 = t42 * t78;
    const V t80 = t18 * t78;
    const V t81 = t76 + t80;
    const V t82 = select_ge(t24, tiny<V>(), t81, splat<V>(S(0.0)));
    const V t85 = t82 / t29;
    const V t87 = t40 * t85;
    const V t89 = splat<V>(S(0.5)) * t85;
    const V t93 = t36 * t89;
    const V t95 = t31 * t89;
    const V t97 = t61 - t95;
    const V t98 = t97 / t30;
    const V t99 = t36 * t98;
    const V t102 = u5 * x[11];
    const V t103 = t98 + t102;
    const V t107 = u4 * t103;
    const V t108 = -t107;
    const V t109 = t93 / t30;
    const V t111 = t31 * t109;
    const V t113 = t68 - t109;
    const V t114 = t111 - t99;
    const V t115 = t87 + t114;
    const V t116 = splat<V>(S(0.5)) * t115;
    const V t117 = t116 / t29;
    const V t118 = select_ge(t24, tiny<V>(), t117, splat<V>(S(0.0)));
    const V t123 = t18 * t118;
    const V t125 = t79 - t123;
    const V t126 = t125 - t123;
    const V t128 = u2 * t118;
    const V t130 = u1 * t118;
    const V t133 = t13 * t128;
    const V t134 = t113 + t133;
    const V t135 = t133 + t134;
    const V t136 = u2 * t126;
    const V t138 = t135 + t136;
    const V t142 = u1 * t126;
    const V t145 = u0 * t138;
    y[0] = t145;
    y[1] = t142;
    y[2] = t130;
    y[3] = splat<V>(S(0.0));
    y[4] = t108;
    y[5] = t66;
    y[6] = t76;
    y[7] = t103;
  }
};

// rmsprop, centered, momentum: update, vjps_vjps
template <class S, class V>
struct k_4777bdc6fcf4_vjps_vjps {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u3 + t29;
    const V t31 = t13 / t30;
    const V t32 = x[3] * u4;
    const V t33 = t31 + t32;
    const V t37 = u5 * x[4];
    const V t38 = x[7] - t37;
    const V t41 = t38 / t30;
    const V t42 = t31 * t41;
    const V t45 = t42 * splat<V>(S(0.5));
    const V t46 = t45 / t29;
    const V t47 = -t46;
    const V t48 = select_ge(t24, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t49 = x[6] + t48;
    const V t50 = t18 * t48;
    const V t51 = x[5] - t50;
    const V t52 = t51 - t50;
    const V t54 = u2 * t49;
    const V t57 = t13 * t54;
    const V t58 = t41 + t57;
    const V t59 = t57 + t58;
    const V t60 = u2 * t52;
    const V t62 = t59 + t60;
    const V t79 = t62 * u6;
    const V t80 = x[0] * u6;
    const V t81 = t62 * x[8];
    const V t82 = u0 * x[8];
    const V t83 = t80 + t82;
    const V t84 = t52 * u7;
    const V t85 = x[1] * u7;
    const V t86 = t52 * x[9];
    const V t87 = u1 * x[9];
    const V t88 = t85 + t87;
    const V t91 = t13 * u7;
    const V t93 = t88 - t91;
    const V t94 = t52 * t83;
    const V t95 = u2 * t83;
    const V t96 = t93 + t95;
    const V t97 = t83 + t83;
    const V t98 = t54 * t97;
    const V t99 = t13 * t97;
    const V t100 = t98 - t84;
    const V t101 = t49 * u7;
    const V t102 = x[2] * u7;
    const V t103 = t49 * x[10];
    const V t104 = u1 * x[10];
    const V t105 = t86 + t103;
    const V t106 = t102 + t104;
    const V t107 = t49 * t99;
    const V t108 = u2 * t99;
    const V t109 = t94 + t107;
    const V t110 = t106 + t108;
    const V t112 = t19 * u7;
    const V t114 = t110 - t112;
    const V t115 = -t96;
    const V t116 = t115 - t96;
    const V t117 = t48 * t116;
    const V t118 = t18 * t116;
    const V t119 = t114 + t118;
    const V t120 = select_ge(t24, tiny<V>(), t119, splat<V>(S(0.0)));
    const V t123 = t120 / t29;
    const V t125 = t46 * t123;
    const V t127 = splat<V>(S(0.5)) * t123;
    const V t128 = -t127;
    const V t132 = t128 - u8;
    const V t133 = t41 * t132;
    const V t134 = t31 * t132;
    const V t135 = t83 + t134;
    const V t136 = t135 / t30;
    const V t137 = t41 * t136;
    const V t138 = -t137;
    const V t139 = t38 * u9;
    const V t140 = x[3] * u9;
    const V t141 = t136 + t140;
    const V t142 = t38 * x[11];
    const V t143 = u4 * x[11];
    const V t144 = t141 + t143;
    const V t146 = x[4] * t144;
    const V t147 = -t146;
    const V t148 = u5 * t144;
    const V t149 = -t148;
    const V t151 = x[4] * u10;
    const V t153 = t33 * u10;
    const V t155 = t149 - t153;
    const V t156 = t133 - t151;
    const V t157 = u4 * t151;
    const V t159 = x[3] * t151;
    const V t161 = t139 - t157;
    const V t162 = t142 - t159;
    const V t163 = t156 / t30;
    const V t164 = t31 * t163;
    const V t166 = t100 + t163;
    const V t167 = t138 - t164;
    const V t168 = t125 + t167;
    const V t169 = splat<V>(S(0.5)) * t168;
    const V t170 = t169 / t29;
    const V t171 = select_ge(t24, tiny<V>(), t170, splat<V>(S(0.0)));
    const V t176 = t18 * t171;
    const V t178 = t117 - t176;
    const V t179 = t178 - t176;
    const V t180 = t19 * t171;
    const V t181 = u2 * t171;
    const V t182 = t109 + t180;
    const V t183 = t181 - t101;
    const V t184 = u1 * t171;
    const V t185 = x[2] * t171;
    const V t186 = t101 + t184;
    const V t187 = t105 + t185;
    const V t188 = t13 * t183;
    const V t189 = t166 + t188;
    const V t190 = t188 + t189;
    const V t191 = u2 * t179;
    const V t192 = t13 * t179;
    const V t193 = t190 + t191;
    const V t194 = t182 + t192;
    const V t196 = t187 - t194;
    const V t197 = u1 * t179;
    const V t198 = x[1] * t179;
    const V t199 = t84 + t197;
    const V t200 = t196 + t198;
    const V t201 = u0 * t193;
    const V t202 = x[0] * t193;
    const V t203 = t79 + t201;
    const V t204 = t81 + t202;
    y[0] = t203;
    y[1] = t199;
    y[2] = t186;
    y[3] = t161;
    y[4] = t155;
    y[5] = t96;
    y[6] = t114;
    y[7] = t144;
    y[8] = t204;
    y[9] = t200;
    y[10] = t167;
    y[11] = t162;
    y[12] = t147;
  }
};

// rmsprop, centered, momentum: parameters, forward
template <class S, class V>
struct k_80c8aeedcf75_forward {
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
    const V t25 = t23;
    const V t26 = select_gt(tiny<V>(), t23, tiny<V>(), t25);
    const V t27 = select_ge(t23, tiny<V>(), t23, t26);
    const V t28 = sqrt_(t27);
    const V t29 = u3 + t28;
    const V t30 = t10 / t29;
    const V t31 = x[4] * u4;
    const V t32 = t30 + t31;
    const V t34 = u5 * t32;
    const V t36 = x[1] - t34;
    y[0] = t36;
    y[1] = t15;
    y[2] = t19;
    y[3] = t32;
  }
};

// rmsprop, centered, momentum: parameters, vjp
template <class S, class V>
struct k_80c8aeedcf75_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u3 + t26;
    const V t28 = t10 / t27;
    const V t41 = u4 * x[5];
    const V t43 = x[8] - t41;
    const V t44 = u5 * t43;
    const V t46 = t43 / t27;
    const V t47 = t28 * t46;
    const V t50 = t47 * splat<V>(S(0.5));
    const V t52 = t50 / t26;
    const V t53 = -t52;
    const V t54 = select_ge(t21, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t59 = x[7] + t54;
    const V t60 = t15 * t54;
    const V t62 = x[6] - t60;
    const V t63 = t62 - t60;
    const V t65 = u2 * t59;
    const V t66 = u1 * t59;
    const V t68 = t10 * t65;
    const V t69 = t46 + t68;
    const V t70 = t68 + t69;
    const V t71 = u2 * t63;
    const V t73 = t70 + t71;
    const V t77 = u1 * t63;
    const V t80 = u0 * t73;
    y[0] = t80;
    y[1] = x[5];
    y[2] = t77;
    y[3] = t66;
    y[4] = t44;
  }
};

// rmsprop, centered, momentum: parameters, vjps
template <class S, class V>
struct k_80c8aeedcf75_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u3 + t26;
    const V t28 = t10 / t27;
    const V t29 = x[4] * u4;
    const V t30 = t28 + t29;
    const V t39 = t30 * x[5];
    const V t40 = -t39;
    const V t41 = u5 * x[5];
    const V t43 = x[8] - t41;
    const V t44 = u4 * t43;
    const V t45 = x[4] * t43;
    const V t46 = t43 / t27;
    const V t47 = t28 * t46;
    const V t48 = -t47;
    const V t50 = t47 * splat<V>(S(0.5));
    const V t52 = t50 / t26;
    const V t53 = -t52;
    const V t54 = select_ge(t21, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t59 = x[7] + t54;
    const V t60 = t15 * t54;
    const V t62 = x[6] - t60;
    const V t63 = t62 - t60;
    const V t64 = t16 * t59;
    const V t65 = u2 * t59;
    const V t66 = u1 * t59;
    const V t67 = x[3] * t59;
    const V t68 = t10 * t65;
    const V t69 = t46 + t68;
    const V t70 = t68 + t69;
    const V t71 = u2 * t63;
    const V t72 = t10 * t63;
    const V t73 = t70 + t71;
    const V t74 = t64 + t72;
    const V t76 = t67 - t74;
    const V t77 = u1 * t63;
    const V t78 = x[2] * t63;
    const V t79 = t76 + t78;
    const V t80 = u0 * t73;
    const V t81 = x[0] * t73;
    y[0] = t80;
    y[1] = x[5];
    y[2] = t77;
    y[3] = t66;
    y[4] = t44;
    y[5] = t81;
    y[6] = t79;
    y[7] = t48;
    y[8] = t45;
    y[9] = t40;
  }
};

// rmsprop, centered, momentum: parameters, jvp
template <class S, class V>
struct k_80c8aeedcf75_jvp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u3 + t26;
    const V t28 = t10 / t27;
    const V t29 = x[4] * u4;
    const V t30 = t28 + t29;
    const V t44 = u0 * x[5];
    const V t45 = x[0] * u5;
    const V t46 = t44 + t45;
    const V t47 = u1 * x[7];
    const V t48 = x[2] * u6;
    const V t49 = t47 + t48;
    const V t51 = u2 * t46;
    const V t52 = t10 * u6;
    const V t54 = t51 - t52;
    const V t55 = t49 + t54;
    const V t56 = t10 * t46;
    const V t57 = t56 + t56;
    const V t58 = u1 * x[8];
    const V t59 = x[3] * u6;
    const V t60 = t58 + t59;
    const V t61 = t16 * u6;
    const V t63 = u2 * t57;
    const V t64 = t63 - t61;
    const V t65 = t60 + t64;
    const V t66 = t15 * t55;
    const V t67 = t66 + t66;
    const V t68 = t65 - t67;
    const V t69 = select_ge(t21, tiny<V>(), t68, splat<V>(S(0.0)));
    const V t71 = t69 * splat<V>(S(0.5));
    const V t72 = t71 / t26;
    const V t73 = u7 + t72;
    const V t74 = t28 * t73;
    const V t75 = t46 - t74;
    const V t76 = t75 / t27;
    const V t77 = u4 * x[9];
    const V t78 = x[4] * u8;
    const V t79 = t77 + t78;
    const V t80 = t76 + t79;
    const V t81 = t30 * u9;
    const V t82 = u10 * t80;
    const V t83 = t81 + t82;
    const V t84 = x[6] - t83;
    y[0] = t84;
    y[1] = t55;
    y[2] = t65;
    y[3] = t80;
  }
};

// rmsprop, centered, momentum: parameters, vjp_vjp
template <class S, class V>
struct k_80c8aeedcf75_vjp_vjp {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u3 + t30;
    const V t32 = t14 / t31;
    const V t34 = u4 * x[5];
    const V t35 = x[8] - t34;
    const V t37 = t35 / t31;
    const V t38 = t32 * t37;
    const V t40 = t38 * splat<V>(S(0.5));
    const V t41 = t40 / t30;
    const V t42 = -t41;
    const V t43 = select_ge(t25, tiny<V>(), t42, splat<V>(S(0.0)));
    const V t44 = x[7] + t43;
    const V t48 = u2 * t44;
    const V t63 = u0 * x[9];
    const V t65 = u1 * x[11];
    const V t67 = u2 * t63;
    const V t68 = t65 + t67;
    const V t69 = t63 + t63;
    const V t70 = t48 * t69;
    const V t71 = t14 * t69;
    const V t73 = u1 * x[12];
    const V t76 = u2 * t71;
    const V t78 = t73 + t76;
    const V t79 = -t68;
    const V t80 = t79 - t68;
    const V t81 = t43 * t80;
    const V t82 = t19 * t80;
    const V t83 = t78 + t82;
    const V t84 = select_ge(t25, tiny<V>(), t83, splat<V>(S(0.0)));
    const V t87 = t84 / t30;
    const V t89 = t41 * t87;
    const V t91 = splat<V>(S(0.5)) * t87;
    const V t95 = t37 * t91;
    const V t97 = t32 * t91;
    const V t99 = t63 - t97;
    const V t100 = t99 / t31;
    const V t101 = t37 * t100;
    const V t104 = u5 * x[13];
    const V t105 = t100 + t104;
    const V t109 = u4 * t105;
    const V t111 = x[10] - t109;
    const V t112 = t95 / t31;
    const V t114 = t32 * t112;
    const V t116 = t70 - t112;
    const V t117 = t114 - t101;
    const V t118 = t89 + t117;
    const V t119 = splat<V>(S(0.5)) * t118;
    const V t120 = t119 / t30;
    const V t121 = select_ge(t25, tiny<V>(), t120, splat<V>(S(0.0)));
    const V t126 = t19 * t121;
    const V t128 = t81 - t126;
    const V t129 = t128 - t126;
    const V t131 = u2 * t121;
    const V t133 = u1 * t121;
    const V t136 = t14 * t131;
    const V t137 = t116 + t136;
    const V t138 = t136 + t137;
    const V t139 = u2 * t129;
    const V t141 = t138 + t139;
    const V t145 = u1 * t129;
    const V t148 = u0 * t141;
    y[0] = t148;
    y[1] = splat<V>(S(0.0));
    y[2] = t145;
    y[3] = t133;
    y[4] = splat<V>(S(0.0));
    y[5] = t111;
    y[6] = t68;
    y[7] = t78;
    y[8] = t105;
  }
};

// rmsprop, centered, momentum: parameters, vjps_vjps
template <class S, class V>
struct k_80c8aeedcf75_vjps_vjps {
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
    const V t27 = t25;
    const V t28 = select_gt(tiny<V>(), t25, tiny<V>(), t27);
    const V t29 = select_ge(t25, tiny<V>(), t25, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u3 + t30;
    const V t32 = t14 / t31;
    const V t33 = x[4] * u4;
    const V t34 = t32 + t33;
    const V t38 = u5 * x[5];
    const V t39 = x[8] - t38;
    const V t42 = t39 / t31;
    const V t43 = t32 * t42;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t30;
    const V t48 = -t47;
    const V t49 = select_ge(t25, tiny<V>(), t48, splat<V>(S(0.0)));
    const V t50 = x[7] + t49;
    const V t51 = t19 * t49;
    const V t52 = x[6] - t51;
    const V t53 = t52 - t51;
    const V t55 = u2 * t50;
    const V t58 = t14 * t55;
    const V t59 = t42 + t58;
    const V t60 = t58 + t59;
    const V t61 = u2 * t53;
    const V t63 = t60 + t61;
    const V t81 = t63 * u6;
    const V t82 = x[0] * u6;
    const V t83 = t63 * x[9];
    const V t84 = u0 * x[9];
    const V t85 = t82 + t84;
    const V t86 = t53 * u7;
    const V t87 = x[2] * u7;
    const V t88 = t53 * x[11];
    const V t89 = u1 * x[11];
    const V t90 = t87 + t89;
    const V t93 = t14 * u7;
    const V t95 = t90 - t93;
    const V t96 = t53 * t85;
    const V t97 = u2 * t85;
    const V t98 = t95 + t97;
    const V t99 = t85 + t85;
    const V t100 = t55 * t99;
    const V t101 = t14 * t99;
    const V t102 = t100 - t86;
    const V t103 = t50 * u7;
    const V t104 = x[3] * u7;
    const V t105 = t50 * x[12];
    const V t106 = u1 * x[12];
    const V t107 = t88 + t105;
    const V t108 = t104 + t106;
    const V t109 = t50 * t101;
    const V t110 = u2 * t101;
    const V t111 = t96 + t109;
    const V t112 = t108 + t110;
    const V t114 = t20 * u7;
    const V t116 = t112 - t114;
    const V t117 = -t98;
    const V t118 = t117 - t98;
    const V t119 = t49 * t118;
    const V t120 = t19 * t118;
    const V t121 = t116 + t120;
    const V t122 = select_ge(t25, tiny<V>(), t121, splat<V>(S(0.0)));
    const V t125 = t122 / t30;
    const V t127 = t47 * t125;
    const V t129 = splat<V>(S(0.5)) * t125;
    const V t130 = -t129;
    const V t134 = t130 - u8;
    const V t135 = t42 * t134;
    const V t136 = t32 * t134;
    const V t137 = t85 + t136;
    const V t138 = t137 / t31;
    const V t139 = t42 * t138;
    const V t140 = -t139;
    const V t141 = t39 * u9;
    const V t142 = x[4] * u9;
    const V t143 = t138 + t142;
    const V t144 = t39 * x[13];
    const V t145 = u4 * x[13];
    const V t146 = t143 + t145;
    const V t148 = x[5] * t146;
    const V t149 = -t148;
    const V t150 = u5 * t146;
    const V t152 = x[10] - t150;
    const V t154 = x[5] * u10;
    const V t156 = t34 * u10;
    const V t158 = t152 - t156;
    const V t159 = t135 - t154;
    const V t160 = u4 * t154;
    const V t162 = x[4] * t154;
    const V t164 = t141 - t160;
    const V t165 = t144 - t162;
    const V t166 = t159 / t31;
    const V t167 = t32 * t166;
    const V t169 = t102 + t166;
    const V t170 = t140 - t167;
    const V t171 = t127 + t170;
    const V t172 = splat<V>(S(0.5)) * t171;
    const V t173 = t172 / t30;
    const V t174 = select_ge(t25, tiny<V>(), t173, splat<V>(S(0.0)));
    const V t179 = t19 * t174;
    const V t181 = t119 - t179;
    const V t182 = t181 - t179;
    const V t183 = t20 * t174;
    const V t184 = u2 * t174;
    const V t185 = t111 + t183;
    const V t186 = t184 - t103;
    const V t187 = u1 * t174;
    const V t188 = x[3] * t174;
    const V t189 = t103 + t187;
    const V t190 = t107 + t188;
    const V t191 = t14 * t186;
    const V t192 = t169 + t191;
    const V t193 = t191 + t192;
    const V t194 = u2 * t182;
    const V t195 = t14 * t182;
    const V t196 = t193 + t194;
    const V t197 = t185 + t195;
    const V t199 = t190 - t197;
    const V t200 = u1 * t182;
    const V t201 = x[2] * t182;
    const V t202 = t86 + t200;
    const V t203 = t199 + t201;
    const V t204 = u0 * t196;
    const V t205 = x[0] * t196;
    const V t206 = t81 + t204;
    const V t207 = t83 + t205;
    y[0] = t206;
    y[1] = splat<V>(S(0.0));
    y[2] = t202;
    y[3] = t189;
    y[4] = t164;
    y[5] = t158;
    y[6] = t98;
    y[7] = t116;
    y[8] = t146;
    y[9] = t207;
    y[10] = t203;
    y[11] = t170;
    y[12] = t165;
    y[13] = t149;
  }
};

// rmsprop, centered, momentum, weight decay: update, forward
template <class S, class V>
struct k_c3d422daa1b8_forward {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u4 + t31;
    const V t33 = t13 / t32;
    const V t34 = x[4] * u5;
    const V t35 = t33 + t34;
    const V t37 = u6 * t35;
    const V t38 = -t37;
    y[0] = t38;
    y[1] = t18;
    y[2] = t22;
    y[3] = t35;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjp
template <class S, class V>
struct k_c3d422daa1b8_vjp {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t44 = u5 * x[5];
    const V t46 = x[8] - t44;
    const V t47 = u6 * t46;
    const V t49 = t46 / t30;
    const V t50 = t31 * t49;
    const V t53 = t50 * splat<V>(S(0.5));
    const V t55 = t53 / t29;
    const V t56 = -t55;
    const V t57 = select_ge(t24, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t62 = x[7] + t57;
    const V t63 = t18 * t57;
    const V t65 = x[6] - t63;
    const V t66 = t65 - t63;
    const V t68 = u3 * t62;
    const V t69 = u2 * t62;
    const V t71 = t13 * t68;
    const V t72 = t49 + t71;
    const V t73 = t71 + t72;
    const V t74 = u3 * t66;
    const V t76 = t73 + t74;
    const V t80 = u2 * t66;
    const V t83 = u1 * t76;
    const V t85 = u0 * t76;
    y[0] = t85;
    y[1] = t83;
    y[2] = t80;
    y[3] = t69;
    y[4] = t47;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjps
template <class S, class V>
struct k_c3d422daa1b8_vjps {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t32 = x[4] * u5;
    const V t33 = t31 + t32;
    const V t42 = t33 * x[5];
    const V t43 = -t42;
    const V t44 = u6 * x[5];
    const V t46 = x[8] - t44;
    const V t47 = u5 * t46;
    const V t48 = x[4] * t46;
    const V t49 = t46 / t30;
    const V t50 = t31 * t49;
    const V t51 = -t50;
    const V t53 = t50 * splat<V>(S(0.5));
    const V t55 = t53 / t29;
    const V t56 = -t55;
    const V t57 = select_ge(t24, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t62 = x[7] + t57;
    const V t63 = t18 * t57;
    const V t65 = x[6] - t63;
    const V t66 = t65 - t63;
    const V t67 = t19 * t62;
    const V t68 = u3 * t62;
    const V t69 = u2 * t62;
    const V t70 = x[3] * t62;
    const V t71 = t13 * t68;
    const V t72 = t49 + t71;
    const V t73 = t71 + t72;
    const V t74 = u3 * t66;
    const V t75 = t13 * t66;
    const V t76 = t73 + t74;
    const V t77 = t67 + t75;
    const V t79 = t70 - t77;
    const V t80 = u2 * t66;
    const V t81 = x[2] * t66;
    const V t82 = t79 + t81;
    const V t83 = u1 * t76;
    const V t84 = x[1] * t76;
    const V t85 = u0 * t76;
    const V t86 = x[0] * t76;
    y[0] = t85;
    y[1] = t83;
    y[2] = t80;
    y[3] = t69;
    y[4] = t47;
    y[5] = t86;
    y[6] = t84;
    y[7] = t82;
    y[8] = t51;
    y[9] = t48;
    y[10] = t43;
  }
};

// rmsprop, centered, momentum, weight decay: update, jvp
template <class S, class V>
struct k_c3d422daa1b8_jvp {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t32 = x[4] * u5;
    const V t33 = t31 + t32;
    const V t48 = u0 * x[5];
    const V t49 = x[0] * u6;
    const V t50 = t48 + t49;
    const V t51 = u1 * x[6];
    const V t52 = x[1] * u7;
    const V t53 = t51 + t52;
    const V t54 = t50 + t53;
    const V t55 = u2 * x[7];
    const V t56 = x[2] * u8;
    const V t57 = t55 + t56;
    const V t59 = u3 * t54;
    const V t60 = t13 * u8;
    const V t62 = t59 - t60;
    const V t63 = t57 + t62;
    const V t64 = t13 * t54;
    const V t65 = t64 + t64;
    const V t66 = u2 * x[8];
    const V t67 = x[3] * u8;
    const V t68 = t66 + t67;
    const V t69 = t19 * u8;
    const V t71 = u3 * t65;
    const V t72 = t71 - t69;
    const V t73 = t68 + t72;
    const V t74 = t18 * t63;
    const V t75 = t74 + t74;
    const V t76 = t73 - t75;
    const V t77 = select_ge(t24, tiny<V>(), t76, splat<V>(S(0.0)));
    const V t79 = t77 * splat<V>(S(0.5));
    const V t80 = t79 / t29;
    const V t81 = u9 + t80;
    const V t82 = t31 * t81;
    const V t83 = t54 - t82;
    const V t84 = t83 / t30;
    const V t85 = u5 * x[9];
    const V t86 = x[4] * u10;
    const V t87 = t85 + t86;
    const V t88 = t84 + t87;
    const V t89 = t33 * u11;
    const V t90 = u12 * t88;
    const V t91 = t89 + t90;
    const V t92 = -t91;
    y[0] = t92;
    y[1] = t63;
    y[2] = t73;
    y[3] = t88;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjp_vjp
template <class S, class V>
struct k_c3d422daa1b8_vjp_vjp {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u4 + t33;
    const V t35 = t17 / t34;
    const V t37 = u5 * x[5];
    const V t38 = x[8] - t37;
    const V t40 = t38 / t34;
    const V t41 = t35 * t40;
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t33;
    const V t45 = -t44;
    const V t46 = select_ge(t28, tiny<V>(), t45, splat<V>(S(0.0)));
    const V t47 = x[7] + t46;
    const V t51 = u3 * t47;
    const V t67 = u0 * x[9];
    const V t69 = u1 * x[10];
    const V t70 = t67 + t69;
    const V t72 = u2 * x[11];
    const V t74 = u3 * t70;
    const V t75 = t72 + t74;
    const V t76 = t70 + t70;
    const V t77 = t51 * t76;
    const V t78 = t17 * t76;
    const V t80 = u2 * x[12];
    const V t83 = u3 * t78;
    const V t85 = t80 + t83;
    const V t86 = -t75;
    const V t87 = t86 - t75;
    const V t88 = t46 * t87;
    const V t89 = t22 * t87;
    const V t90 = t85 + t89;
    const V t91 = select_ge(t28, tiny<V>(), t90, splat<V>(S(0.0)));
    const V t94 = t91 / t33;
    const V t96 = t44 * t94;
    const V t98 = splat<V>(S(0.5)) * t94;
    const V t102 = t40 * t98;
    const V t104 = t35 * t98;
    const V t106 = t70 - t104;
    const V t107 = t106 / t34;
    const V t108 = t40 * t107;
    const V t111 = u6 * x[13];
    const V t112 = t107 + t111;
    const V t116 = u5 * t112;
    const V t117 = -t116;
    const V t118 = t102 / t34;
    const V t120 = t35 * t118;
    const V t122 = t77 - t118;
    const V t123 = t120 - t108;
    const V t124 = t96 + t123;
    const V t125 = splat<V>(S(0.5)) * t124;
    const V t126 = t125 / t33;
    const V t127 = select_ge(t28, tiny<V>(), t126, splat<V>(S(0.0)));
    const V t132 = t22 * t127;
    const V t134 = t88 - t132;
    const V t135 = t134 - t132;
    const V t137 = u3 * t127;
    const V t139 = u2 * t127;
    const V t142 = t17 * t137;
    const V t143 = t122 + t142;
    const V t144 = t142 + t143;
    const V t145 = u3 * t135;
    const V t147 = t144 + t145;
    const V t151 = u2 * t135;
    const V t154 = u1 * t147;
    const V t157 = u0 * t147;
    y[0] = t157;
    y[1] = t154;
    y[2] = t151;
    y[3] = t139;
    y[4] = splat<V>(S(0.0));
    y[5] = t117;
    y[6] = t75;
    y[7] = t85;
    y[8] = t112;
  }
};

// rmsprop, centered, momentum, weight decay: update, vjps_vjps
template <class S, class V>
struct k_c3d422daa1b8_vjps_vjps {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u4 + t33;
    const V t35 = t17 / t34;
    const V t36 = x[4] * u5;
    const V t37 = t35 + t36;
    const V t41 = u6 * x[5];
    const V t42 = x[8] - t41;
    const V t45 = t42 / t34;
    const V t46 = t35 * t45;
    const V t49 = t46 * splat<V>(S(0.5));
    const V t50 = t49 / t33;
    const V t51 = -t50;
    const V t52 = select_ge(t28, tiny<V>(), t51, splat<V>(S(0.0)));
    const V t53 = x[7] + t52;
    const V t54 = t22 * t52;
    const V t55 = x[6] - t54;
    const V t56 = t55 - t54;
    const V t58 = u3 * t53;
    const V t61 = t17 * t58;
    const V t62 = t45 + t61;
    const V t63 = t61 + t62;
    const V t64 = u3 * t56;
    const V t66 = t63 + t64;
    const V t87 = t66 * u7;
    const V t88 = x[0] * u7;
    const V t89 = t66 * x[9];
    const V t90 = u0 * x[9];
    const V t91 = t88 + t90;
    const V t92 = t66 * u8;
    const V t93 = x[1] * u8;
    const V t94 = t91 + t93;
    const V t95 = t66 * x[10];
    const V t96 = u1 * x[10];
    const V t97 = t94 + t96;
    const V t98 = t56 * u9;
    const V t99 = x[2] * u9;
    const V t100 = t56 * x[11];
    const V t101 = u2 * x[11];
    const V t102 = t99 + t101;
    const V t105 = t17 * u9;
    const V t107 = t102 - t105;
    const V t108 = t56 * t97;
    const V t109 = u3 * t97;
    const V t110 = t107 + t109;
    const V t111 = t97 + t97;
    const V t112 = t58 * t111;
    const V t113 = t17 * t111;
    const V t114 = t112 - t98;
    const V t115 = t53 * u9;
    const V t116 = x[3] * u9;
    const V t117 = t53 * x[12];
    const V t118 = u2 * x[12];
    const V t119 = t100 + t117;
    const V t120 = t116 + t118;
    const V t121 = t53 * t113;
    const V t122 = u3 * t113;
    const V t123 = t108 + t121;
    const V t124 = t120 + t122;
    const V t126 = t23 * u9;
    const V t128 = t124 - t126;
    const V t129 = -t110;
    const V t130 = t129 - t110;
    const V t131 = t52 * t130;
    const V t132 = t22 * t130;
    const V t133 = t128 + t132;
    const V t134 = select_ge(t28, tiny<V>(), t133, splat<V>(S(0.0)));
    const V t137 = t134 / t33;
    const V t139 = t50 * t137;
    const V t141 = splat<V>(S(0.5)) * t137;
    const V t142 = -t141;
    const V t146 = t142 - u10;
    const V t147 = t45 * t146;
    const V t148 = t35 * t146;
    const V t149 = t97 + t148;
    const V t150 = t149 / t34;
    const V t151 = t45 * t150;
    const V t152 = -t151;
    const V t153 = t42 * u11;
    const V t154 = x[4] * u11;
    const V t155 = t150 + t154;
    const V t156 = t42 * x[13];
    const V t157 = u5 * x[13];
    const V t158 = t155 + t157;
    const V t160 = x[5] * t158;
    const V t161 = -t160;
    const V t162 = u6 * t158;
    const V t163 = -t162;
    const V t165 = x[5] * u12;
    const V t167 = t37 * u12;
    const V t169 = t163 - t167;
    const V t170 = t147 - t165;
    const V t171 = u5 * t165;
    const V t173 = x[4] * t165;
    const V t175 = t153 - t171;
    const V t176 = t156 - t173;
    const V t177 = t170 / t34;
    const V t178 = t35 * t177;
    const V t180 = t114 + t177;
    const V t181 = t152 - t178;
    const V t182 = t139 + t181;
    const V t183 = splat<V>(S(0.5)) * t182;
    const V t184 = t183 / t33;
    const V t185 = select_ge(t28, tiny<V>(), t184, splat<V>(S(0.0)));
    const V t190 = t22 * t185;
    const V t192 = t131 - t190;
    const V t193 = t192 - t190;
    const V t194 = t23 * t185;
    const V t195 = u3 * t185;
    const V t196 = t123 + t194;
    const V t197 = t195 - t115;
    const V t198 = u2 * t185;
    const V t199 = x[3] * t185;
    const V t200 = t115 + t198;
    const V t201 = t119 + t199;
    const V t202 = t17 * t197;
    const V t203 = t180 + t202;
    const V t204 = t202 + t203;
    const V t205 = u3 * t193;
    const V t206 = t17 * t193;
    const V t207 = t204 + t205;
    const V t208 = t196 + t206;
    const V t210 = t201 - t208;
    const V t211 = u2 * t193;
    const V t212 = x[2] * t193;
    const V t213 = t98 + t211;
    const V t214 = t210 + t212;
    const V t215 = u1 * t207;
    const V t216 = x[1] * t207;
    const V t217 = t92 + t215;
    const V t218 = t95 + t216;
    const V t219 = u0 * t207;
    const V t220 = x[0] * t207;
    const V t221 = t87 + t219;
    const V t222 = t89 + t220;
    y[0] = t221;
    y[1] = t217;
    y[2] = t213;
    y[3] = t200;
    y[4] = t175;
    y[5] = t169;
    y[6] = t110;
    y[7] = t128;
    y[8] = t158;
    y[9] = t222;
    y[10] = t218;
    y[11] = t214;
    y[12] = t181;
    y[13] = t176;
    y[14] = t161;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, forward
template <class S, class V>
struct k_2c686566f6ac_forward {
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
    const V t28 = t26;
    const V t29 = select_gt(tiny<V>(), t26, tiny<V>(), t28);
    const V t30 = select_ge(t26, tiny<V>(), t26, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u4 + t31;
    const V t33 = t13 / t32;
    const V t34 = x[4] * u5;
    const V t35 = t33 + t34;
    const V t37 = u6 * t35;
    const V t39 = x[1] - t37;
    y[0] = t39;
    y[1] = t18;
    y[2] = t22;
    y[3] = t35;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjp
template <class S, class V>
struct k_2c686566f6ac_vjp {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t44 = u5 * x[5];
    const V t46 = x[8] - t44;
    const V t47 = u6 * t46;
    const V t49 = t46 / t30;
    const V t50 = t31 * t49;
    const V t53 = t50 * splat<V>(S(0.5));
    const V t55 = t53 / t29;
    const V t56 = -t55;
    const V t57 = select_ge(t24, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t62 = x[7] + t57;
    const V t63 = t18 * t57;
    const V t65 = x[6] - t63;
    const V t66 = t65 - t63;
    const V t68 = u3 * t62;
    const V t69 = u2 * t62;
    const V t71 = t13 * t68;
    const V t72 = t49 + t71;
    const V t73 = t71 + t72;
    const V t74 = u3 * t66;
    const V t76 = t73 + t74;
    const V t80 = u2 * t66;
    const V t83 = u1 * t76;
    const V t85 = x[5] + t83;
    const V t86 = u0 * t76;
    y[0] = t86;
    y[1] = t85;
    y[2] = t80;
    y[3] = t69;
    y[4] = t47;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjps
template <class S, class V>
struct k_2c686566f6ac_vjps {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t32 = x[4] * u5;
    const V t33 = t31 + t32;
    const V t42 = t33 * x[5];
    const V t43 = -t42;
    const V t44 = u6 * x[5];
    const V t46 = x[8] - t44;
    const V t47 = u5 * t46;
    const V t48 = x[4] * t46;
    const V t49 = t46 / t30;
    const V t50 = t31 * t49;
    const V t51 = -t50;
    const V t53 = t50 * splat<V>(S(0.5));
    const V t55 = t53 / t29;
    const V t56 = -t55;
    const V t57 = select_ge(t24, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t62 = x[7] + t57;
    const V t63 = t18 * t57;
    const V t65 = x[6] - t63;
    const V t66 = t65 - t63;
    const V t67 = t19 * t62;
    const V t68 = u3 * t62;
    const V t69 = u2 * t62;
    const V t70 = x[3] * t62;
    const V t71 = t13 * t68;
    const V t72 = t49 + t71;
    const V t73 = t71 + t72;
    const V t74 = u3 * t66;
    const V t75 = t13 * t66;
    const V t76 = t73 + t74;
    const V t77 = t67 + t75;
    const V t79 = t70 - t77;
    const V t80 = u2 * t66;
    const V t81 = x[2] * t66;
    const V t82 = t79 + t81;
    const V t83 = u1 * t76;
    const V t84 = x[1] * t76;
    const V t85 = x[5] + t83;
    const V t86 = u0 * t76;
    const V t87 = x[0] * t76;
    y[0] = t86;
    y[1] = t85;
    y[2] = t80;
    y[3] = t69;
    y[4] = t47;
    y[5] = t87;
    y[6] = t84;
    y[7] = t82;
    y[8] = t51;
    y[9] = t48;
    y[10] = t43;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, jvp
template <class S, class V>
struct k_2c686566f6ac_jvp {
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
    const V t26 = t24;
    const V t27 = select_gt(tiny<V>(), t24, tiny<V>(), t26);
    const V t28 = select_ge(t24, tiny<V>(), t24, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u4 + t29;
    const V t31 = t13 / t30;
    const V t32 = x[4] * u5;
    const V t33 = t31 + t32;
    const V t48 = u0 * x[5];
    const V t49 = x[0] * u6;
    const V t50 = t48 + t49;
    const V t51 = u1 * x[6];
    const V t52 = x[1] * u7;
    const V t53 = t51 + t52;
    const V t54 = t50 + t53;
    const V t55 = u2 * x[7];
    const V t56 = x[2] * u8;
    const V t57 = t55 + t56;
    const V t59 = u3 * t54;
    const V t60 = t13 * u8;
    const V t62 = t59 - t60;
    const V t63 = t57 + t62;
    const V t64 = t13 * t54;
    const V t65 = t64 + t64;
    const V t66 = u2 * x[8];
    const V t67 = x[3] * u8;
    const V t68 = t66 + t67;
    const V t69 = t19 * u8;
    const V t71 = u3 * t65;
    const V t72 = t71 - t69;
    const V t73 = t68 + t72;
    const V t74 = t18 * t63;
    const V t75 = t74 + t74;
    const V t76 = t73 - t75;
    const V t77 = select_ge(t24, tiny<V>(), t76, splat<V>(S(0.0)));
    const V t79 = t77 * splat<V>(S(0.5));
    const V t80 = t79 / t29;
    const V t81 = u9 + t80;
    const V t82 = t31 * t81;
    const V t83 = t54 - t82;
    const V t84 = t83 / t30;
    const V t85 = u5 * x[9];
    const V t86 = x[4] * u10;
    const V t87 = t85 + t86;
    const V t88 = t84 + t87;
    const V t89 = t33 * u11;
    const V t90 = u12 * t88;
    const V t91 = t89 + t90;
    const V t92 = x[6] - t91;
    y[0] = t92;
    y[1] = t63;
    y[2] = t73;
    y[3] = t88;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_2c686566f6ac_vjp_vjp {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u4 + t33;
    const V t35 = t17 / t34;
    const V t37 = u5 * x[5];
    const V t38 = x[8] - t37;
    const V t40 = t38 / t34;
    const V t41 = t35 * t40;
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t33;
    const V t45 = -t44;
    const V t46 = select_ge(t28, tiny<V>(), t45, splat<V>(S(0.0)));
    const V t47 = x[7] + t46;
    const V t51 = u3 * t47;
    const V t68 = u0 * x[9];
    const V t70 = u1 * x[10];
    const V t71 = t68 + t70;
    const V t73 = u2 * x[11];
    const V t75 = u3 * t71;
    const V t76 = t73 + t75;
    const V t77 = t71 + t71;
    const V t78 = t51 * t77;
    const V t79 = t17 * t77;
    const V t81 = u2 * x[12];
    const V t84 = u3 * t79;
    const V t86 = t81 + t84;
    const V t87 = -t76;
    const V t88 = t87 - t76;
    const V t89 = t46 * t88;
    const V t90 = t22 * t88;
    const V t91 = t86 + t90;
    const V t92 = select_ge(t28, tiny<V>(), t91, splat<V>(S(0.0)));
    const V t95 = t92 / t33;
    const V t97 = t44 * t95;
    const V t99 = splat<V>(S(0.5)) * t95;
    const V t103 = t40 * t99;
    const V t105 = t35 * t99;
    const V t107 = t71 - t105;
    const V t108 = t107 / t34;
    const V t109 = t40 * t108;
    const V t112 = u6 * x[13];
    const V t113 = t108 + t112;
    const V t117 = u5 * t113;
    const V t119 = x[10] - t117;
    const V t120 = t103 / t34;
    const V t122 = t35 * t120;
    const V t124 = t78 - t120;
    const V t125 = t122 - t109;
    const V t126 = t97 + t125;
    const V t127 = splat<V>(S(0.5)) * t126;
    const V t128 = t127 / t33;
    const V t129 = select_ge(t28, tiny<V>(), t128, splat<V>(S(0.0)));
    const V t134 = t22 * t129;
    const V t136 = t89 - t134;
    const V t137 = t136 - t134;
    const V t139 = u3 * t129;
    const V t141 = u2 * t129;
    const V t144 = t17 * t139;
    const V t145 = t124 + t144;
    const V t146 = t144 + t145;
    const V t147 = u3 * t137;
    const V t149 = t146 + t147;
    const V t153 = u2 * t137;
    const V t156 = u1 * t149;
    const V t159 = u0 * t149;
    y[0] = t159;
    y[1] = t156;
    y[2] = t153;
    y[3] = t141;
    y[4] = splat<V>(S(0.0));
    y[5] = t119;
    y[6] = t76;
    y[7] = t86;
    y[8] = t113;
  }
};

// rmsprop, centered, momentum, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_2c686566f6ac_vjps_vjps {
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
    const V t30 = t28;
    const V t31 = select_gt(tiny<V>(), t28, tiny<V>(), t30);
    const V t32 = select_ge(t28, tiny<V>(), t28, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u4 + t33;
    const V t35 = t17 / t34;
    const V t36 = x[4] * u5;
    const V t37 = t35 + t36;
    const V t41 = u6 * x[5];
    const V t42 = x[8] - t41;
    const V t45 = t42 / t34;
    const V t46 = t35 * t45;
    const V t49 = t46 * splat<V>(S(0.5));
    const V t50 = t49 / t33;
    const V t51 = -t50;
    const V t52 = select_ge(t28, tiny<V>(), t51, splat<V>(S(0.0)));
    const V t53 = x[7] + t52;
    const V t54 = t22 * t52;
    const V t55 = x[6] - t54;
    const V t56 = t55 - t54;
    const V t58 = u3 * t53;
    const V t61 = t17 * t58;
    const V t62 = t45 + t61;
    const V t63 = t61 + t62;
    const V t64 = u3 * t56;
    const V t66 = t63 + t64;
    const V t88 = t66 * u7;
    const V t89 = x[0] * u7;
    const V t90 = t66 * x[9];
    const V t91 = u0 * x[9];
    const V t92 = t89 + t91;
    const V t93 = t66 * u8;
    const V t94 = x[1] * u8;
    const V t95 = t92 + t94;
    const V t96 = t66 * x[10];
    const V t97 = u1 * x[10];
    const V t98 = t95 + t97;
    const V t99 = t56 * u9;
    const V t100 = x[2] * u9;
    const V t101 = t56 * x[11];
    const V t102 = u2 * x[11];
    const V t103 = t100 + t102;
    const V t106 = t17 * u9;
    const V t108 = t103 - t106;
    const V t109 = t56 * t98;
    const V t110 = u3 * t98;
    const V t111 = t108 + t110;
    const V t112 = t98 + t98;
    const V t113 = t58 * t112;
    const V t114 = t17 * t112;
    const V t115 = t113 - t99;
    const V t116 = t53 * u9;
    const V t117 = x[3] * u9;
    const V t118 = t53 * x[12];
    const V t119 = u2 * x[12];
    const V t120 = t101 + t118;
    const V t121 = t117 + t119;
    const V t122 = t53 * t114;
    const V t123 = u3 * t114;
    const V t124 = t109 + t122;
    const V t125 = t121 + t123;
    const V t127 = t23 * u9;
    const V t129 = t125 - t127;
    const V t130 = -t111;
    const V t131 = t130 - t111;
    const V t132 = t52 * t131;
    const V t133 = t22 * t131;
    const V t134 = t129 + t133;
    const V t135 = select_ge(t28, tiny<V>(), t134, splat<V>(S(0.0)));
    const V t138 = t135 / t33;
    const V t140 = t50 * t138;
    const V t142 = splat<V>(S(0.5)) * t138;
    const V t143 = -t142;
    const V t147 = t143 - u10;
    const V t148 = t45 * t147;
    const V t149 = t35 * t147;
    const V t150 = t98 + t149;
    const V t151 = t150 / t34;
    const V t152 = t45 * t151;
    const V t153 = -t152;
    const V t154 = t42 * u11;
    const V t155 = x[4] * u11;
    const V t156 = t151 + t155;
    const V t157 = t42 * x[13];
    const V t158 = u5 * x[13];
    const V t159 = t156 + t158;
    const V t161 = x[5] * t159;
    const V t162 = -t161;
    const V t163 = u6 * t159;
    const V t165 = x[10] - t163;
    const V t167 = x[5] * u12;
    const V t169 = t37 * u12;
    const V t171 = t165 - t169;
    const V t172 = t148 - t167;
    const V t173 = u5 * t167;
    const V t175 = x[4] * t167;
    const V t177 = t154 - t173;
    const V t178 = t157 - t175;
    const V t179 = t172 / t34;
    const V t180 = t35 * t179;
    const V t182 = t115 + t179;
    const V t183 = t153 - t180;
    const V t184 = t140 + t183;
    const V t185 = splat<V>(S(0.5)) * t184;
    const V t186 = t185 / t33;
    const V t187 = select_ge(t28, tiny<V>(), t186, splat<V>(S(0.0)));
    const V t192 = t22 * t187;
    const V t194 = t132 - t192;
    const V t195 = t194 - t192;
    const V t196 = t23 * t187;
    const V t197 = u3 * t187;
    const V t198 = t124 + t196;
    const V t199 = t197 - t116;
    const V t200 = u2 * t187;
    const V t201 = x[3] * t187;
    const V t202 = t116 + t200;
    const V t203 = t120 + t201;
    const V t204 = t17 * t199;
    const V t205 = t182 + t204;
    const V t206 = t204 + t205;
    const V t207 = u3 * t195;
    const V t208 = t17 * t195;
    const V t209 = t206 + t207;
    const V t210 = t198 + t208;
    const V t212 = t203 - t210;
    const V t213 = u2 * t195;
    const V t214 = x[2] * t195;
    const V t215 = t99 + t213;
    const V t216 = t212 + t214;
    const V t217 = u1 * t209;
    const V t218 = x[1] * t209;
    const V t219 = t93 + t217;
    const V t220 = t96 + t218;
    const V t221 = u0 * t209;
    const V t222 = x[0] * t209;
    const V t223 = t88 + t221;
    const V t224 = t90 + t222;
    y[0] = t223;
    y[1] = t219;
    y[2] = t215;
    y[3] = t202;
    y[4] = t177;
    y[5] = t171;
    y[6] = t111;
    y[7] = t129;
    y[8] = t159;
    y[9] = t224;
    y[10] = t220;
    y[11] = t216;
    y[12] = t183;
    y[13] = t178;
    y[14] = t162;
  }
};

// adagrad: update, forward
template <class S, class V>
struct k_fb43d4fea87a_forward {
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
    const V t9 = t7;
    const V t10 = select_gt(tiny<V>(), t7, tiny<V>(), t9);
    const V t11 = select_ge(t7, tiny<V>(), t7, t10);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t5 / t13;
    const V t16 = u2 * t14;
    const V t17 = -t16;
    y[0] = t17;
    y[1] = t7;
  }
};

// adagrad: update, vjp
template <class S, class V>
struct k_fb43d4fea87a_vjp {
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
    const V t9 = t7;
    const V t10 = select_gt(tiny<V>(), t7, tiny<V>(), t9);
    const V t11 = select_ge(t7, tiny<V>(), t7, t10);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t5 / t13;
    const V t23 = u2 * x[2];
    const V t25 = t23 / t13;
    const V t27 = t14 * t25;
    const V t30 = t27 * splat<V>(S(0.5));
    const V t31 = t30 / t12;
    const V t32 = select_ge(t7, tiny<V>(), t31, splat<V>(S(0.0)));
    const V t34 = x[3] + t32;
    const V t37 = t5 * t34;
    const V t38 = t37 - t25;
    const V t39 = t37 + t38;
    const V t40 = u0 * t39;
    y[0] = t40;
    y[1] = t34;
  }
};

// adagrad: update, vjps
template <class S, class V>
struct k_fb43d4fea87a_vjps {
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
    const V t9 = t7;
    const V t10 = select_gt(tiny<V>(), t7, tiny<V>(), t9);
    const V t11 = select_ge(t7, tiny<V>(), t7, t10);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t5 / t13;
    const V t21 = t14 * x[2];
    const V t22 = -t21;
    const V t23 = u2 * x[2];
    const V t25 = t23 / t13;
    const V t27 = t14 * t25;
    const V t30 = t27 * splat<V>(S(0.5));
    const V t31 = t30 / t12;
    const V t32 = select_ge(t7, tiny<V>(), t31, splat<V>(S(0.0)));
    const V t34 = x[3] + t32;
    const V t37 = t5 * t34;
    const V t38 = t37 - t25;
    const V t39 = t37 + t38;
    const V t40 = u0 * t39;
    const V t41 = x[0] * t39;
    y[0] = t40;
    y[1] = t34;
    y[2] = t41;
    y[3] = t27;
    y[4] = t22;
  }
};

// adagrad: update, jvp
template <class S, class V>
struct k_fb43d4fea87a_jvp {
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
    const V t9 = t7;
    const V t10 = select_gt(tiny<V>(), t7, tiny<V>(), t9);
    const V t11 = select_ge(t7, tiny<V>(), t7, t10);
    const V t12 = sqrt_(t11);
    const V t13 = u1 + t12;
    const V t14 = t5 / t13;
    const V t23 = u0 * x[2];
    const V t24 = x[0] * u2;
    const V t25 = t23 + t24;
    const V t26 = t5 * t25;
    const V t27 = t26 + t26;
    const V t28 = x[3] + t27;
    const V t29 = select_ge(t7, tiny<V>(), t28, splat<V>(S(0.0)));
    const V t31 = t29 * splat<V>(S(0.5));
    const V t32 = t31 / t12;
    const V t33 = u3 + t32;
    const V t34 = t14 * t33;
    const V t35 = t25 - t34;
    const V t36 = t35 / t13;
    const V t37 = t14 * u4;
    const V t38 = u5 * t36;
    const V t39 = t37 + t38;
    const V t40 = -t39;
    y[0] = t40;
    y[1] = t28;
  }
};

// adagrad: update, vjp_vjp
template <class S, class V>
struct k_fb43d4fea87a_vjp_vjp {
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
    const V t11 = t9;
    const V t12 = select_gt(tiny<V>(), t9, tiny<V>(), t11);
    const V t13 = select_ge(t9, tiny<V>(), t9, t12);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t7 / t15;
    const V t18 = u2 * x[2];
    const V t19 = t18 / t15;
    const V t20 = t16 * t19;
    const V t22 = t20 * splat<V>(S(0.5));
    const V t23 = t22 / t14;
    const V t24 = select_ge(t9, tiny<V>(), t23, splat<V>(S(0.0)));
    const V t25 = x[3] + t24;
    const V t33 = u0 * x[4];
    const V t35 = t33 + t33;
    const V t36 = t25 * t35;
    const V t37 = t7 * t35;
    const V t38 = x[5] + t37;
    const V t39 = select_ge(t9, tiny<V>(), t38, splat<V>(S(0.0)));
    const V t41 = t39 / t14;
    const V t42 = t23 * t41;
    const V t44 = splat<V>(S(0.5)) * t41;
    const V t46 = t19 * t44;
    const V t47 = t16 * t44;
    const V t48 = t47 - t33;
    const V t49 = t48 / t15;
    const V t50 = t19 * t49;
    const V t51 = -t50;
    const V t53 = u2 * t49;
    const V t54 = t46 / t15;
    const V t55 = t16 * t54;
    const V t57 = t36 + t54;
    const V t58 = t51 - t55;
    const V t59 = t58 - t42;
    const V t60 = splat<V>(S(0.5)) * t59;
    const V t61 = t60 / t14;
    const V t62 = select_ge(t9, tiny<V>(), t61, splat<V>(S(0.0)));
    const V t66 = t7 * t62;
    const V t67 = t57 + t66;
    const V t68 = t66 + t67;
    const V t69 = u0 * t68;
    y[0] = t69;
    y[1] = t62;
    y[2] = t53;
    y[3] = t38;
  }
};

// adagrad: update, vjps_vjps
template <class S, class V>
struct k_fb43d4fea87a_vjps_vjps {
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
    const V t11 = t9;
    const V t12 = select_gt(tiny<V>(), t9, tiny<V>(), t11);
    const V t13 = select_ge(t9, tiny<V>(), t9, t12);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t7 / t15;
    const V t20 = u2 * x[2];
    const V t21 = t20 / t15;
    const V t22 = t16 * t21;
    const V t24 = t22 * splat<V>(S(0.5));
    const V t25 = t24 / t14;
    const V t26 = select_ge(t9, tiny<V>(), t25, splat<V>(S(0.0)));
    const V t27 = x[3] + t26;
    const V t28 = t7 * t27;
    const V t29 = t28 - t21;
    const V t30 = t28 + t29;
    const V t38 = t30 * u3;
    const V t39 = x[0] * u3;
    const V t40 = t30 * x[4];
    const V t41 = u0 * x[4];
    const V t42 = t39 + t41;
    const V t44 = t42 + t42;
    const V t45 = t27 * t44;
    const V t46 = t7 * t44;
    const V t47 = x[5] + t46;
    const V t48 = select_ge(t9, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t50 = t48 / t14;
    const V t51 = t25 * t50;
    const V t53 = splat<V>(S(0.5)) * t50;
    const V t55 = u4 + t53;
    const V t56 = t21 * t55;
    const V t57 = t16 * t55;
    const V t58 = t57 - t42;
    const V t59 = t58 / t15;
    const V t60 = t21 * t59;
    const V t61 = -t60;
    const V t62 = x[2] * t59;
    const V t63 = u2 * t59;
    const V t65 = x[2] * u5;
    const V t67 = t16 * u5;
    const V t69 = t56 - t65;
    const V t70 = t63 - t67;
    const V t71 = t69 / t15;
    const V t72 = t16 * t71;
    const V t74 = t45 + t71;
    const V t75 = t61 - t72;
    const V t76 = t75 - t51;
    const V t77 = splat<V>(S(0.5)) * t76;
    const V t78 = t77 / t14;
    const V t79 = select_ge(t9, tiny<V>(), t78, splat<V>(S(0.0)));
    const V t83 = t7 * t79;
    const V t84 = t74 + t83;
    const V t85 = t83 + t84;
    const V t86 = u0 * t85;
    const V t87 = x[0] * t85;
    const V t88 = t38 + t86;
    const V t89 = t40 + t87;
    y[0] = t88;
    y[1] = t79;
    y[2] = t70;
    y[3] = t47;
    y[4] = t89;
    y[5] = t75;
    y[6] = t62;
  }
};

// adagrad: parameters, forward
template <class S, class V>
struct k_aab3dd281450_forward {
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
    const V t10 = t8;
    const V t11 = select_gt(tiny<V>(), t8, tiny<V>(), t10);
    const V t12 = select_ge(t8, tiny<V>(), t8, t11);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t6 / t14;
    const V t17 = u2 * t15;
    const V t19 = x[1] - t17;
    y[0] = t19;
    y[1] = t8;
  }
};

// adagrad: parameters, vjp
template <class S, class V>
struct k_aab3dd281450_vjp {
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
    const V t10 = t8;
    const V t11 = select_gt(tiny<V>(), t8, tiny<V>(), t10);
    const V t12 = select_ge(t8, tiny<V>(), t8, t11);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t6 / t14;
    const V t24 = u2 * x[3];
    const V t26 = t24 / t14;
    const V t28 = t15 * t26;
    const V t31 = t28 * splat<V>(S(0.5));
    const V t32 = t31 / t13;
    const V t33 = select_ge(t8, tiny<V>(), t32, splat<V>(S(0.0)));
    const V t35 = x[4] + t33;
    const V t38 = t6 * t35;
    const V t39 = t38 - t26;
    const V t40 = t38 + t39;
    const V t41 = u0 * t40;
    y[0] = t41;
    y[1] = x[3];
    y[2] = t35;
  }
};

// adagrad: parameters, vjps
template <class S, class V>
struct k_aab3dd281450_vjps {
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
    const V t10 = t8;
    const V t11 = select_gt(tiny<V>(), t8, tiny<V>(), t10);
    const V t12 = select_ge(t8, tiny<V>(), t8, t11);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t6 / t14;
    const V t22 = t15 * x[3];
    const V t23 = -t22;
    const V t24 = u2 * x[3];
    const V t26 = t24 / t14;
    const V t28 = t15 * t26;
    const V t31 = t28 * splat<V>(S(0.5));
    const V t32 = t31 / t13;
    const V t33 = select_ge(t8, tiny<V>(), t32, splat<V>(S(0.0)));
    const V t35 = x[4] + t33;
    const V t38 = t6 * t35;
    const V t39 = t38 - t26;
    const V t40 = t38 + t39;
    const V t41 = u0 * t40;
    const V t42 = x[0] * t40;
    y[0] = t41;
    y[1] = x[3];
    y[2] = t35;
    y[3] = t42;
    y[4] = t28;
    y[5] = t23;
  }
};

// adagrad: parameters, jvp
template <class S, class V>
struct k_aab3dd281450_jvp {
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
    const V t10 = t8;
    const V t11 = select_gt(tiny<V>(), t8, tiny<V>(), t10);
    const V t12 = select_ge(t8, tiny<V>(), t8, t11);
    const V t13 = sqrt_(t12);
    const V t14 = u1 + t13;
    const V t15 = t6 / t14;
    const V t25 = u0 * x[3];
    const V t26 = x[0] * u2;
    const V t27 = t25 + t26;
    const V t28 = t6 * t27;
    const V t29 = t28 + t28;
    const V t30 = x[5] + t29;
    const V t31 = select_ge(t8, tiny<V>(), t30, splat<V>(S(0.0)));
    const V t33 = t31 * splat<V>(S(0.5));
    const V t34 = t33 / t13;
    const V t35 = u3 + t34;
    const V t36 = t15 * t35;
    const V t37 = t27 - t36;
    const V t38 = t37 / t14;
    const V t39 = t15 * u4;
    const V t40 = u5 * t38;
    const V t41 = t39 + t40;
    const V t42 = x[4] - t41;
    y[0] = t42;
    y[1] = t30;
  }
};

// adagrad: parameters, vjp_vjp
template <class S, class V>
struct k_aab3dd281450_vjp_vjp {
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
    const V t12 = t10;
    const V t13 = select_gt(tiny<V>(), t10, tiny<V>(), t12);
    const V t14 = select_ge(t10, tiny<V>(), t10, t13);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t8 / t16;
    const V t19 = u2 * x[3];
    const V t20 = t19 / t16;
    const V t21 = t17 * t20;
    const V t23 = t21 * splat<V>(S(0.5));
    const V t24 = t23 / t15;
    const V t25 = select_ge(t10, tiny<V>(), t24, splat<V>(S(0.0)));
    const V t26 = x[4] + t25;
    const V t35 = u0 * x[5];
    const V t37 = t35 + t35;
    const V t38 = t26 * t37;
    const V t39 = t8 * t37;
    const V t40 = x[7] + t39;
    const V t41 = select_ge(t10, tiny<V>(), t40, splat<V>(S(0.0)));
    const V t43 = t41 / t15;
    const V t44 = t24 * t43;
    const V t46 = splat<V>(S(0.5)) * t43;
    const V t48 = t20 * t46;
    const V t49 = t17 * t46;
    const V t50 = t49 - t35;
    const V t51 = t50 / t16;
    const V t52 = t20 * t51;
    const V t53 = -t52;
    const V t55 = u2 * t51;
    const V t56 = x[6] + t55;
    const V t57 = t48 / t16;
    const V t58 = t17 * t57;
    const V t60 = t38 + t57;
    const V t61 = t53 - t58;
    const V t62 = t61 - t44;
    const V t63 = splat<V>(S(0.5)) * t62;
    const V t64 = t63 / t15;
    const V t65 = select_ge(t10, tiny<V>(), t64, splat<V>(S(0.0)));
    const V t69 = t8 * t65;
    const V t70 = t60 + t69;
    const V t71 = t69 + t70;
    const V t72 = u0 * t71;
    y[0] = t72;
    y[1] = splat<V>(S(0.0));
    y[2] = t65;
    y[3] = t56;
    y[4] = t40;
  }
};

// adagrad: parameters, vjps_vjps
template <class S, class V>
struct k_aab3dd281450_vjps_vjps {
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
    const V t12 = t10;
    const V t13 = select_gt(tiny<V>(), t10, tiny<V>(), t12);
    const V t14 = select_ge(t10, tiny<V>(), t10, t13);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t8 / t16;
    const V t21 = u2 * x[3];
    const V t22 = t21 / t16;
    const V t23 = t17 * t22;
    const V t25 = t23 * splat<V>(S(0.5));
    const V t26 = t25 / t15;
    const V t27 = select_ge(t10, tiny<V>(), t26, splat<V>(S(0.0)));
    const V t28 = x[4] + t27;
    const V t29 = t8 * t28;
    const V t30 = t29 - t22;
    const V t31 = t29 + t30;
    const V t40 = t31 * u3;
    const V t41 = x[0] * u3;
    const V t42 = t31 * x[5];
    const V t43 = u0 * x[5];
    const V t44 = t41 + t43;
    const V t46 = t44 + t44;
    const V t47 = t28 * t46;
    const V t48 = t8 * t46;
    const V t49 = x[7] + t48;
    const V t50 = select_ge(t10, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t52 = t50 / t15;
    const V t53 = t26 * t52;
    const V t55 = splat<V>(S(0.5)) * t52;
    const V t57 = u4 + t55;
    const V t58 = t22 * t57;
    const V t59 = t17 * t57;
    const V t60 = t59 - t44;
    const V t61 = t60 / t16;
    const V t62 = t22 * t61;
    const V t63 = -t62;
    const V t64 = x[3] * t61;
    const V t65 = u2 * t61;
    const V t66 = x[6] + t65;
    const V t68 = x[3] * u5;
    const V t70 = t17 * u5;
    const V t72 = t58 - t68;
    const V t73 = t66 - t70;
    const V t74 = t72 / t16;
    const V t75 = t17 * t74;
    const V t77 = t47 + t74;
    const V t78 = t63 - t75;
    const V t79 = t78 - t53;
    const V t80 = splat<V>(S(0.5)) * t79;
    const V t81 = t80 / t15;
    const V t82 = select_ge(t10, tiny<V>(), t81, splat<V>(S(0.0)));
    const V t86 = t8 * t82;
    const V t87 = t77 + t86;
    const V t88 = t86 + t87;
    const V t89 = u0 * t88;
    const V t90 = x[0] * t88;
    const V t91 = t40 + t89;
    const V t92 = t42 + t90;
    y[0] = t91;
    y[1] = splat<V>(S(0.0));
    y[2] = t82;
    y[3] = t73;
    y[4] = t49;
    y[5] = t92;
    y[6] = t78;
    y[7] = t64;
  }
};

// adagrad, weight decay: update, forward
template <class S, class V>
struct k_1f55e887eb59_forward {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t20 = u3 * t18;
    const V t21 = -t20;
    y[0] = t21;
    y[1] = t11;
  }
};

// adagrad, weight decay: update, vjp
template <class S, class V>
struct k_1f55e887eb59_vjp {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t27 = u3 * x[3];
    const V t29 = t27 / t17;
    const V t31 = t18 * t29;
    const V t34 = t31 * splat<V>(S(0.5));
    const V t35 = t34 / t16;
    const V t36 = select_ge(t11, tiny<V>(), t35, splat<V>(S(0.0)));
    const V t38 = x[4] + t36;
    const V t41 = t9 * t38;
    const V t42 = t41 - t29;
    const V t43 = t41 + t42;
    const V t44 = u1 * t43;
    const V t46 = u0 * t43;
    y[0] = t46;
    y[1] = t44;
    y[2] = t38;
  }
};

// adagrad, weight decay: update, vjps
template <class S, class V>
struct k_1f55e887eb59_vjps {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t25 = t18 * x[3];
    const V t26 = -t25;
    const V t27 = u3 * x[3];
    const V t29 = t27 / t17;
    const V t31 = t18 * t29;
    const V t34 = t31 * splat<V>(S(0.5));
    const V t35 = t34 / t16;
    const V t36 = select_ge(t11, tiny<V>(), t35, splat<V>(S(0.0)));
    const V t38 = x[4] + t36;
    const V t41 = t9 * t38;
    const V t42 = t41 - t29;
    const V t43 = t41 + t42;
    const V t44 = u1 * t43;
    const V t45 = x[1] * t43;
    const V t46 = u0 * t43;
    const V t47 = x[0] * t43;
    y[0] = t46;
    y[1] = t44;
    y[2] = t38;
    y[3] = t47;
    y[4] = t45;
    y[5] = t31;
    y[6] = t26;
  }
};

// adagrad, weight decay: update, jvp
template <class S, class V>
struct k_1f55e887eb59_jvp {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t29 = u0 * x[3];
    const V t30 = x[0] * u3;
    const V t31 = t29 + t30;
    const V t32 = u1 * x[4];
    const V t33 = x[1] * u4;
    const V t34 = t32 + t33;
    const V t35 = t31 + t34;
    const V t36 = t9 * t35;
    const V t37 = t36 + t36;
    const V t38 = x[5] + t37;
    const V t39 = select_ge(t11, tiny<V>(), t38, splat<V>(S(0.0)));
    const V t41 = t39 * splat<V>(S(0.5));
    const V t42 = t41 / t16;
    const V t43 = u5 + t42;
    const V t44 = t18 * t43;
    const V t45 = t35 - t44;
    const V t46 = t45 / t17;
    const V t47 = t18 * u6;
    const V t48 = u7 * t46;
    const V t49 = t47 + t48;
    const V t50 = -t49;
    y[0] = t50;
    y[1] = t38;
  }
};

// adagrad, weight decay: update, vjp_vjp
template <class S, class V>
struct k_1f55e887eb59_vjp_vjp {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t22 = u3 * x[3];
    const V t23 = t22 / t19;
    const V t24 = t20 * t23;
    const V t26 = t24 * splat<V>(S(0.5));
    const V t27 = t26 / t18;
    const V t28 = select_ge(t13, tiny<V>(), t27, splat<V>(S(0.0)));
    const V t29 = x[4] + t28;
    const V t39 = u0 * x[5];
    const V t41 = u1 * x[6];
    const V t42 = t39 + t41;
    const V t44 = t42 + t42;
    const V t45 = t29 * t44;
    const V t46 = t11 * t44;
    const V t47 = x[7] + t46;
    const V t48 = select_ge(t13, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t50 = t48 / t18;
    const V t51 = t27 * t50;
    const V t53 = splat<V>(S(0.5)) * t50;
    const V t55 = t23 * t53;
    const V t56 = t20 * t53;
    const V t57 = t56 - t42;
    const V t58 = t57 / t19;
    const V t59 = t23 * t58;
    const V t60 = -t59;
    const V t62 = u3 * t58;
    const V t63 = t55 / t19;
    const V t64 = t20 * t63;
    const V t66 = t45 + t63;
    const V t67 = t60 - t64;
    const V t68 = t67 - t51;
    const V t69 = splat<V>(S(0.5)) * t68;
    const V t70 = t69 / t18;
    const V t71 = select_ge(t13, tiny<V>(), t70, splat<V>(S(0.0)));
    const V t75 = t11 * t71;
    const V t76 = t66 + t75;
    const V t77 = t75 + t76;
    const V t78 = u1 * t77;
    const V t81 = u0 * t77;
    y[0] = t81;
    y[1] = t78;
    y[2] = t71;
    y[3] = t62;
    y[4] = t47;
  }
};

// adagrad, weight decay: update, vjps_vjps
template <class S, class V>
struct k_1f55e887eb59_vjps_vjps {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = u3 * x[3];
    const V t25 = t24 / t19;
    const V t26 = t20 * t25;
    const V t28 = t26 * splat<V>(S(0.5));
    const V t29 = t28 / t18;
    const V t30 = select_ge(t13, tiny<V>(), t29, splat<V>(S(0.0)));
    const V t31 = x[4] + t30;
    const V t32 = t11 * t31;
    const V t33 = t32 - t25;
    const V t34 = t32 + t33;
    const V t46 = t34 * u4;
    const V t47 = x[0] * u4;
    const V t48 = t34 * x[5];
    const V t49 = u0 * x[5];
    const V t50 = t47 + t49;
    const V t51 = t34 * u5;
    const V t52 = x[1] * u5;
    const V t53 = t50 + t52;
    const V t54 = t34 * x[6];
    const V t55 = u1 * x[6];
    const V t56 = t53 + t55;
    const V t58 = t56 + t56;
    const V t59 = t31 * t58;
    const V t60 = t11 * t58;
    const V t61 = x[7] + t60;
    const V t62 = select_ge(t13, tiny<V>(), t61, splat<V>(S(0.0)));
    const V t64 = t62 / t18;
    const V t65 = t29 * t64;
    const V t67 = splat<V>(S(0.5)) * t64;
    const V t69 = u6 + t67;
    const V t70 = t25 * t69;
    const V t71 = t20 * t69;
    const V t72 = t71 - t56;
    const V t73 = t72 / t19;
    const V t74 = t25 * t73;
    const V t75 = -t74;
    const V t76 = x[3] * t73;
    const V t77 = u3 * t73;
    const V t79 = x[3] * u7;
    const V t81 = t20 * u7;
    const V t83 = t70 - t79;
    const V t84 = t77 - t81;
    const V t85 = t83 / t19;
    const V t86 = t20 * t85;
    const V t88 = t59 + t85;
    const V t89 = t75 - t86;
    const V t90 = t89 - t65;
    const V t91 = splat<V>(S(0.5)) * t90;
    const V t92 = t91 / t18;
    const V t93 = select_ge(t13, tiny<V>(), t92, splat<V>(S(0.0)));
    const V t97 = t11 * t93;
    const V t98 = t88 + t97;
    const V t99 = t97 + t98;
    const V t100 = u1 * t99;
    const V t101 = x[1] * t99;
    const V t102 = t51 + t100;
    const V t103 = t54 + t101;
    const V t104 = u0 * t99;
    const V t105 = x[0] * t99;
    const V t106 = t46 + t104;
    const V t107 = t48 + t105;
    y[0] = t106;
    y[1] = t102;
    y[2] = t93;
    y[3] = t84;
    y[4] = t61;
    y[5] = t107;
    y[6] = t103;
    y[7] = t89;
    y[8] = t76;
  }
};

// adagrad, weight decay: parameters, forward
template <class S, class V>
struct k_5b9ce9dcc7f9_forward {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t20 = u3 * t18;
    const V t22 = x[1] - t20;
    y[0] = t22;
    y[1] = t11;
  }
};

// adagrad, weight decay: parameters, vjp
template <class S, class V>
struct k_5b9ce9dcc7f9_vjp {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t27 = u3 * x[3];
    const V t29 = t27 / t17;
    const V t31 = t18 * t29;
    const V t34 = t31 * splat<V>(S(0.5));
    const V t35 = t34 / t16;
    const V t36 = select_ge(t11, tiny<V>(), t35, splat<V>(S(0.0)));
    const V t38 = x[4] + t36;
    const V t41 = t9 * t38;
    const V t42 = t41 - t29;
    const V t43 = t41 + t42;
    const V t44 = u1 * t43;
    const V t46 = x[3] + t44;
    const V t47 = u0 * t43;
    y[0] = t47;
    y[1] = t46;
    y[2] = t38;
  }
};

// adagrad, weight decay: parameters, vjps
template <class S, class V>
struct k_5b9ce9dcc7f9_vjps {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t25 = t18 * x[3];
    const V t26 = -t25;
    const V t27 = u3 * x[3];
    const V t29 = t27 / t17;
    const V t31 = t18 * t29;
    const V t34 = t31 * splat<V>(S(0.5));
    const V t35 = t34 / t16;
    const V t36 = select_ge(t11, tiny<V>(), t35, splat<V>(S(0.0)));
    const V t38 = x[4] + t36;
    const V t41 = t9 * t38;
    const V t42 = t41 - t29;
    const V t43 = t41 + t42;
    const V t44 = u1 * t43;
    const V t45 = x[1] * t43;
    const V t46 = x[3] + t44;
    const V t47 = u0 * t43;
    const V t48 = x[0] * t43;
    y[0] = t47;
    y[1] = t46;
    y[2] = t38;
    y[3] = t48;
    y[4] = t45;
    y[5] = t31;
    y[6] = t26;
  }
};

// adagrad, weight decay: parameters, jvp
template <class S, class V>
struct k_5b9ce9dcc7f9_jvp {
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
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u2 + t16;
    const V t18 = t9 / t17;
    const V t29 = u0 * x[3];
    const V t30 = x[0] * u3;
    const V t31 = t29 + t30;
    const V t32 = u1 * x[4];
    const V t33 = x[1] * u4;
    const V t34 = t32 + t33;
    const V t35 = t31 + t34;
    const V t36 = t9 * t35;
    const V t37 = t36 + t36;
    const V t38 = x[5] + t37;
    const V t39 = select_ge(t11, tiny<V>(), t38, splat<V>(S(0.0)));
    const V t41 = t39 * splat<V>(S(0.5));
    const V t42 = t41 / t16;
    const V t43 = u5 + t42;
    const V t44 = t18 * t43;
    const V t45 = t35 - t44;
    const V t46 = t45 / t17;
    const V t47 = t18 * u6;
    const V t48 = u7 * t46;
    const V t49 = t47 + t48;
    const V t50 = x[4] - t49;
    y[0] = t50;
    y[1] = t38;
  }
};

// adagrad, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_5b9ce9dcc7f9_vjp_vjp {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t22 = u3 * x[3];
    const V t23 = t22 / t19;
    const V t24 = t20 * t23;
    const V t26 = t24 * splat<V>(S(0.5));
    const V t27 = t26 / t18;
    const V t28 = select_ge(t13, tiny<V>(), t27, splat<V>(S(0.0)));
    const V t29 = x[4] + t28;
    const V t40 = u0 * x[5];
    const V t42 = u1 * x[6];
    const V t43 = t40 + t42;
    const V t45 = t43 + t43;
    const V t46 = t29 * t45;
    const V t47 = t11 * t45;
    const V t48 = x[7] + t47;
    const V t49 = select_ge(t13, tiny<V>(), t48, splat<V>(S(0.0)));
    const V t51 = t49 / t18;
    const V t52 = t27 * t51;
    const V t54 = splat<V>(S(0.5)) * t51;
    const V t56 = t23 * t54;
    const V t57 = t20 * t54;
    const V t58 = t57 - t43;
    const V t59 = t58 / t19;
    const V t60 = t23 * t59;
    const V t61 = -t60;
    const V t63 = u3 * t59;
    const V t64 = x[6] + t63;
    const V t65 = t56 / t19;
    const V t66 = t20 * t65;
    const V t68 = t46 + t65;
    const V t69 = t61 - t66;
    const V t70 = t69 - t52;
    const V t71 = splat<V>(S(0.5)) * t70;
    const V t72 = t71 / t18;
    const V t73 = select_ge(t13, tiny<V>(), t72, splat<V>(S(0.0)));
    const V t77 = t11 * t73;
    const V t78 = t68 + t77;
    const V t79 = t77 + t78;
    const V t80 = u1 * t79;
    const V t83 = u0 * t79;
    y[0] = t83;
    y[1] = t80;
    y[2] = t73;
    y[3] = t64;
    y[4] = t48;
  }
};

// adagrad, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_5b9ce9dcc7f9_vjps_vjps {
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = u3 * x[3];
    const V t25 = t24 / t19;
    const V t26 = t20 * t25;
    const V t28 = t26 * splat<V>(S(0.5));
    const V t29 = t28 / t18;
    const V t30 = select_ge(t13, tiny<V>(), t29, splat<V>(S(0.0)));
    const V t31 = x[4] + t30;
    const V t32 = t11 * t31;
    const V t33 = t32 - t25;
    const V t34 = t32 + t33;
    const V t47 = t34 * u4;
    const V t48 = x[0] * u4;
    const V t49 = t34 * x[5];
    const V t50 = u0 * x[5];
    const V t51 = t48 + t50;
    const V t52 = t34 * u5;
    const V t53 = x[1] * u5;
    const V t54 = t51 + t53;
    const V t55 = t34 * x[6];
    const V t56 = u1 * x[6];
    const V t57 = t54 + t56;
    const V t59 = t57 + t57;
    const V t60 = t31 * t59;
    const V t61 = t11 * t59;
    const V t62 = x[7] + t61;
    const V t63 = select_ge(t13, tiny<V>(), t62, splat<V>(S(0.0)));
    const V t65 = t63 / t18;
    const V t66 = t29 * t65;
    const V t68 = splat<V>(S(0.5)) * t65;
    const V t70 = u6 + t68;
    const V t71 = t25 * t70;
    const V t72 = t20 * t70;
    const V t73 = t72 - t57;
    const V t74 = t73 / t19;
    const V t75 = t25 * t74;
    const V t76 = -t75;
    const V t77 = x[3] * t74;
    const V t78 = u3 * t74;
    const V t79 = x[6] + t78;
    const V t81 = x[3] * u7;
    const V t83 = t20 * u7;
    const V t85 = t71 - t81;
    const V t86 = t79 - t83;
    const V t87 = t85 / t19;
    const V t88 = t20 * t87;
    const V t90 = t60 + t87;
    const V t91 = t76 - t88;
    const V t92 = t91 - t66;
    const V t93 = splat<V>(S(0.5)) * t92;
    const V t94 = t93 / t18;
    const V t95 = select_ge(t13, tiny<V>(), t94, splat<V>(S(0.0)));
    const V t99 = t11 * t95;
    const V t100 = t90 + t99;
    const V t101 = t99 + t100;
    const V t102 = u1 * t101;
    const V t103 = x[1] * t101;
    const V t104 = t52 + t102;
    const V t105 = t55 + t103;
    const V t106 = u0 * t101;
    const V t107 = x[0] * t101;
    const V t108 = t47 + t106;
    const V t109 = t49 + t107;
    y[0] = t108;
    y[1] = t104;
    y[2] = t95;
    y[3] = t86;
    y[4] = t62;
    y[5] = t109;
    y[6] = t105;
    y[7] = t91;
    y[8] = t77;
  }
};

// adagrad, decay: update, forward
template <class S, class V>
struct k_e009bd3d6434_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = h[2] * h[3];
    const double t19 = t17 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
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
    const V t11 = t9;
    const V t12 = select_gt(tiny<V>(), t9, tiny<V>(), t11);
    const V t13 = select_ge(t9, tiny<V>(), t9, t12);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t7 / t15;
    const V t20 = t16 / u2;
    const V t22 = u3 * t20;
    const V t23 = -t22;
    y[0] = t23;
    y[1] = t9;
  }
};

// adagrad, decay: update, vjp
template <class S, class V>
struct k_e009bd3d6434_vjp {
  static constexpr int inputs = 4, outputs = 2, scalars = 5, sums = 0, uniforms = 4;
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
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = t9;
    const V t12 = select_gt(tiny<V>(), t9, tiny<V>(), t11);
    const V t13 = select_ge(t9, tiny<V>(), t9, t12);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t7 / t15;
    const V t29 = u2 * x[2];
    const V t31 = t29 / u3;
    const V t37 = t31 / t15;
    const V t39 = t16 * t37;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t43 = t42 / t14;
    const V t44 = select_ge(t9, tiny<V>(), t43, splat<V>(S(0.0)));
    const V t46 = x[3] + t44;
    const V t49 = t7 * t46;
    const V t50 = t49 - t37;
    const V t51 = t49 + t50;
    const V t52 = u0 * t51;
    y[0] = t52;
    y[1] = t46;
  }
};

// adagrad, decay: update, vjps
template <class S, class V>
struct k_e009bd3d6434_vjps {
  static constexpr int inputs = 4, outputs = 2, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = h[2] * h[3];
    const double t19 = t17 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
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
    const V t11 = t9;
    const V t12 = select_gt(tiny<V>(), t9, tiny<V>(), t11);
    const V t13 = select_ge(t9, tiny<V>(), t9, t12);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t7 / t15;
    const V t20 = t16 / u2;
    const V t27 = t20 * x[2];
    const V t28 = -t27;
    const V t29 = u3 * x[2];
    const V t31 = t29 / u2;
    const V t33 = t20 * t31;
    const V t35 = u4 * t33;
    const V t36 = u5 * t33;
    const V t37 = t31 / t15;
    const V t39 = t16 * t37;
    const V t42 = t39 * splat<V>(S(0.5));
    const V t43 = t42 / t14;
    const V t44 = select_ge(t9, tiny<V>(), t43, splat<V>(S(0.0)));
    const V t46 = x[3] + t44;
    const V t49 = t7 * t46;
    const V t50 = t49 - t37;
    const V t51 = t49 + t50;
    const V t52 = u0 * t51;
    const V t53 = x[0] * t51;
    y[0] = t52;
    y[1] = t46;
    y[2] = t53;
    y[3] = t39;
    y[4] = t35;
    y[5] = t36;
    y[6] = t28;
  }
};

// adagrad, decay: update, jvp
template <class S, class V>
struct k_e009bd3d6434_jvp {
  static constexpr int inputs = 4, outputs = 2, scalars = 10, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t17 = h[2] * h[3];
    const double t19 = t17 + double(1.0);
    const double t45 = h[3] * h[7];
    const double t46 = h[2] * h[8];
    const double t47 = t45 + t46;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t19);
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
    const V t7 = x[0] * u0;
    const V t8 = t7 * t7;
    const V t9 = x[1] + t8;
    const V t11 = t9;
    const V t12 = select_gt(tiny<V>(), t9, tiny<V>(), t11);
    const V t13 = select_ge(t9, tiny<V>(), t9, t12);
    const V t14 = sqrt_(t13);
    const V t15 = u1 + t14;
    const V t16 = t7 / t15;
    const V t20 = t16 / u2;
    const V t31 = u0 * x[2];
    const V t32 = x[0] * u3;
    const V t33 = t31 + t32;
    const V t34 = t7 * t33;
    const V t35 = t34 + t34;
    const V t36 = x[3] + t35;
    const V t37 = select_ge(t9, tiny<V>(), t36, splat<V>(S(0.0)));
    const V t39 = t37 * splat<V>(S(0.5));
    const V t40 = t39 / t14;
    const V t41 = u4 + t40;
    const V t42 = t16 * t41;
    const V t43 = t33 - t42;
    const V t44 = t43 / t15;
    const V t48 = t20 * u5;
    const V t49 = t44 - t48;
    const V t50 = t49 / u2;
    const V t51 = t20 * u6;
    const V t52 = u7 * t50;
    const V t53 = t51 + t52;
    const V t54 = -t53;
    y[0] = t54;
    y[1] = t36;
  }
};

// adagrad, decay: update, vjp_vjp
template <class S, class V>
struct k_e009bd3d6434_vjp_vjp {
  static constexpr int inputs = 6, outputs = 4, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[2] * h[3];
    const double t21 = t19 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[4]);
    u[3] = S(t21);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[1] + t10;
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u1 + t16;
    const V t18 = t9 / t17;
    const V t23 = u2 * x[2];
    const V t24 = t23 / u3;
    const V t25 = t24 / t17;
    const V t26 = t18 * t25;
    const V t28 = t26 * splat<V>(S(0.5));
    const V t29 = t28 / t16;
    const V t30 = select_ge(t11, tiny<V>(), t29, splat<V>(S(0.0)));
    const V t31 = x[3] + t30;
    const V t39 = u0 * x[4];
    const V t41 = t39 + t39;
    const V t42 = t31 * t41;
    const V t43 = t9 * t41;
    const V t44 = x[5] + t43;
    const V t45 = select_ge(t11, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t47 = t45 / t16;
    const V t48 = t29 * t47;
    const V t50 = splat<V>(S(0.5)) * t47;
    const V t52 = t25 * t50;
    const V t53 = t18 * t50;
    const V t54 = t53 - t39;
    const V t55 = t54 / t17;
    const V t56 = t25 * t55;
    const V t57 = -t56;
    const V t58 = t55 / u3;
    const V t62 = u2 * t58;
    const V t67 = t52 / t17;
    const V t68 = t18 * t67;
    const V t70 = t42 + t67;
    const V t71 = t57 - t68;
    const V t72 = t71 - t48;
    const V t73 = splat<V>(S(0.5)) * t72;
    const V t74 = t73 / t16;
    const V t75 = select_ge(t11, tiny<V>(), t74, splat<V>(S(0.0)));
    const V t79 = t9 * t75;
    const V t80 = t70 + t79;
    const V t81 = t79 + t80;
    const V t82 = u0 * t81;
    y[0] = t82;
    y[1] = t75;
    y[2] = t62;
    y[3] = t44;
  }
};

// adagrad, decay: update, vjps_vjps
template <class S, class V>
struct k_e009bd3d6434_vjps_vjps {
  static constexpr int inputs = 6, outputs = 4, scalars = 10, sums = 5, uniforms = 12;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = h[2] * h[3];
    const double t21 = t19 + double(1.0);
    const double t75 = h[2] * h[8];
    const double t77 = h[3] * h[7];
    const double t78 = t75 + t77;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t21);
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
    const V t9 = x[0] * u0;
    const V t10 = t9 * t9;
    const V t11 = x[1] + t10;
    const V t13 = t11;
    const V t14 = select_gt(tiny<V>(), t11, tiny<V>(), t13);
    const V t15 = select_ge(t11, tiny<V>(), t11, t14);
    const V t16 = sqrt_(t15);
    const V t17 = u1 + t16;
    const V t18 = t9 / t17;
    const V t22 = t18 / u2;
    const V t26 = u3 * x[2];
    const V t27 = t26 / u2;
    const V t28 = t22 * t27;
    const V t31 = t27 / t17;
    const V t32 = t18 * t31;
    const V t34 = t32 * splat<V>(S(0.5));
    const V t35 = t34 / t16;
    const V t36 = select_ge(t11, tiny<V>(), t35, splat<V>(S(0.0)));
    const V t37 = x[3] + t36;
    const V t38 = t9 * t37;
    const V t39 = t38 - t31;
    const V t40 = t38 + t39;
    const V t50 = t40 * u4;
    const V t51 = x[0] * u4;
    const V t52 = t40 * x[4];
    const V t53 = u0 * x[4];
    const V t54 = t51 + t53;
    const V t56 = t54 + t54;
    const V t57 = t37 * t56;
    const V t58 = t9 * t56;
    const V t59 = x[5] + t58;
    const V t60 = select_ge(t11, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t62 = t60 / t16;
    const V t63 = t35 * t62;
    const V t65 = splat<V>(S(0.5)) * t62;
    const V t67 = u5 + t65;
    const V t68 = t31 * t67;
    const V t69 = t18 * t67;
    const V t70 = t69 - t54;
    const V t71 = t70 / t17;
    const V t72 = t31 * t71;
    const V t73 = -t72;
    const V t74 = t28 * u6;
    const V t76 = t28 * u7;
    const V t79 = t27 * u8;
    const V t80 = t22 * u8;
    const V t81 = t71 + t80;
    const V t82 = t81 / u2;
    const V t83 = t27 * t82;
    const V t84 = -t83;
    const V t85 = x[2] * t82;
    const V t86 = u3 * t82;
    const V t88 = x[2] * u9;
    const V t90 = t22 * u9;
    const V t92 = t79 - t88;
    const V t93 = t86 - t90;
    const V t94 = t92 / u2;
    const V t95 = t22 * t94;
    const V t97 = t68 + t94;
    const V t98 = t84 - t95;
    const V t99 = u10 * t98;
    const V t100 = u11 * t98;
    const V t101 = t74 + t99;
    const V t102 = t76 + t100;
    const V t103 = t97 / t17;
    const V t104 = t18 * t103;
    const V t106 = t57 + t103;
    const V t107 = t73 - t104;
    const V t108 = t107 - t63;
    const V t109 = splat<V>(S(0.5)) * t108;
    const V t110 = t109 / t16;
    const V t111 = select_ge(t11, tiny<V>(), t110, splat<V>(S(0.0)));
    const V t115 = t9 * t111;
    const V t116 = t106 + t115;
    const V t117 = t115 + t116;
    const V t118 = u0 * t117;
    const V t119 = x[0] * t117;
    const V t120 = t50 + t118;
    const V t121 = t52 + t119;
    y[0] = t120;
    y[1] = t111;
    y[2] = t93;
    y[3] = t59;
    y[4] = t121;
    y[5] = t107;
    y[6] = t101;
    y[7] = t102;
    y[8] = t85;
  }
};

// adagrad, decay: parameters, forward
template <class S, class V>
struct k_29d28be4c2ad_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = h[2] * h[3];
    const double t20 = t18 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
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
    const V t12 = t10;
    const V t13 = select_gt(tiny<V>(), t10, tiny<V>(), t12);
    const V t14 = select_ge(t10, tiny<V>(), t10, t13);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t8 / t16;
    const V t21 = t17 / u2;
    const V t23 = u3 * t21;
    const V t25 = x[1] - t23;
    y[0] = t25;
    y[1] = t10;
  }
};

// adagrad, decay: parameters, vjp
template <class S, class V>
struct k_29d28be4c2ad_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 0, uniforms = 4;
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
    const V t8 = x[0] * u0;
    const V t9 = t8 * t8;
    const V t10 = x[2] + t9;
    const V t12 = t10;
    const V t13 = select_gt(tiny<V>(), t10, tiny<V>(), t12);
    const V t14 = select_ge(t10, tiny<V>(), t10, t13);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t8 / t16;
    const V t30 = u2 * x[3];
    const V t32 = t30 / u3;
    const V t38 = t32 / t16;
    const V t40 = t17 * t38;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t44 = t43 / t15;
    const V t45 = select_ge(t10, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t47 = x[4] + t45;
    const V t50 = t8 * t47;
    const V t51 = t50 - t38;
    const V t52 = t50 + t51;
    const V t53 = u0 * t52;
    y[0] = t53;
    y[1] = x[3];
    y[2] = t47;
  }
};

// adagrad, decay: parameters, vjps
template <class S, class V>
struct k_29d28be4c2ad_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 5, sums = 5, uniforms = 6;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = h[2] * h[3];
    const double t20 = t18 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
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
    const V t12 = t10;
    const V t13 = select_gt(tiny<V>(), t10, tiny<V>(), t12);
    const V t14 = select_ge(t10, tiny<V>(), t10, t13);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t8 / t16;
    const V t21 = t17 / u2;
    const V t28 = t21 * x[3];
    const V t29 = -t28;
    const V t30 = u3 * x[3];
    const V t32 = t30 / u2;
    const V t34 = t21 * t32;
    const V t36 = u4 * t34;
    const V t37 = u5 * t34;
    const V t38 = t32 / t16;
    const V t40 = t17 * t38;
    const V t43 = t40 * splat<V>(S(0.5));
    const V t44 = t43 / t15;
    const V t45 = select_ge(t10, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t47 = x[4] + t45;
    const V t50 = t8 * t47;
    const V t51 = t50 - t38;
    const V t52 = t50 + t51;
    const V t53 = u0 * t52;
    const V t54 = x[0] * t52;
    y[0] = t53;
    y[1] = x[3];
    y[2] = t47;
    y[3] = t54;
    y[4] = t40;
    y[5] = t36;
    y[6] = t37;
    y[7] = t29;
  }
};

// adagrad, decay: parameters, jvp
template <class S, class V>
struct k_29d28be4c2ad_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 10, sums = 0, uniforms = 8;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = h[2] * h[3];
    const double t20 = t18 + double(1.0);
    const double t47 = h[3] * h[7];
    const double t48 = h[2] * h[8];
    const double t49 = t47 + t48;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t20);
    u[3] = S(h[5]);
    u[4] = S(h[6]);
    u[5] = S(t49);
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
    const V t12 = t10;
    const V t13 = select_gt(tiny<V>(), t10, tiny<V>(), t12);
    const V t14 = select_ge(t10, tiny<V>(), t10, t13);
    const V t15 = sqrt_(t14);
    const V t16 = u1 + t15;
    const V t17 = t8 / t16;
    const V t21 = t17 / u2;
    const V t33 = u0 * x[3];
    const V t34 = x[0] * u3;
    const V t35 = t33 + t34;
    const V t36 = t8 * t35;
    const V t37 = t36 + t36;
    const V t38 = x[5] + t37;
    const V t39 = select_ge(t10, tiny<V>(), t38, splat<V>(S(0.0)));
    const V t41 = t39 * splat<V>(S(0.5));
    const V t42 = t41 / t15;
    const V t43 = u4 + t42;
    const V t44 = t17 * t43;
    const V t45 = t35 - t44;
    const V t46 = t45 / t16;
    const V t50 = t21 * u5;
    const V t51 = t46 - t50;
    const V t52 = t51 / u2;
    const V t53 = t21 * u6;
    const V t54 = u7 * t52;
    const V t55 = t53 + t54;
    const V t56 = x[4] - t55;
    y[0] = t56;
    y[1] = t38;
  }
};

// adagrad, decay: parameters, vjp_vjp
template <class S, class V>
struct k_29d28be4c2ad_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 5, sums = 0, uniforms = 4;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = h[2] * h[3];
    const double t22 = t20 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[4]);
    u[3] = S(t22);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V u2 = splat<V>(u[2]);
    const V u3 = splat<V>(u[3]);
    const V t10 = x[0] * u0;
    const V t11 = t10 * t10;
    const V t12 = x[2] + t11;
    const V t14 = t12;
    const V t15 = select_gt(tiny<V>(), t12, tiny<V>(), t14);
    const V t16 = select_ge(t12, tiny<V>(), t12, t15);
    const V t17 = sqrt_(t16);
    const V t18 = u1 + t17;
    const V t19 = t10 / t18;
    const V t24 = u2 * x[3];
    const V t25 = t24 / u3;
    const V t26 = t25 / t18;
    const V t27 = t19 * t26;
    const V t29 = t27 * splat<V>(S(0.5));
    const V t30 = t29 / t17;
    const V t31 = select_ge(t12, tiny<V>(), t30, splat<V>(S(0.0)));
    const V t32 = x[4] + t31;
    const V t41 = u0 * x[5];
    const V t43 = t41 + t41;
    const V t44 = t32 * t43;
    const V t45 = t10 * t43;
    const V t46 = x[7] + t45;
    const V t47 = select_ge(t12, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t49 = t47 / t17;
    const V t50 = t30 * t49;
    const V t52 = splat<V>(S(0.5)) * t49;
    const V t54 = t26 * t52;
    const V t55 = t19 * t52;
    const V t56 = t55 - t41;
    const V t57 = t56 / t18;
    const V t58 = t26 * t57;
    const V t59 = -t58;
    const V t60 = t57 / u3;
    const V t64 = u2 * t60;
    const V t65 = x[6] + t64;
    const V t70 = t54 / t18;
    const V t71 = t19 * t70;
    const V t73 = t44 + t70;
    const V t74 = t59 - t71;
    const V t75 = t74 - t50;
    const V t76 = splat<V>(S(0.5)) * t75;
    const V t77 = t76 / t17;
    const V t78 = select_ge(t12, tiny<V>(), t77, splat<V>(S(0.0)));
    const V t82 = t10 * t78;
    const V t83 = t73 + t82;
    const V t84 = t82 + t83;
    const V t85 = u0 * t84;
    y[0] = t85;
    y[1] = splat<V>(S(0.0));
    y[2] = t78;
    y[3] = t65;
    y[4] = t46;
  }
};

// adagrad, decay: parameters, vjps_vjps
template <class S, class V>
struct k_29d28be4c2ad_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 10, sums = 5, uniforms = 12;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t20 = h[2] * h[3];
    const double t22 = t20 + double(1.0);
    const double t77 = h[2] * h[8];
    const double t79 = h[3] * h[7];
    const double t80 = t77 + t79;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(t22);
    u[3] = S(h[4]);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[8]);
    u[7] = S(h[7]);
    u[8] = S(t80);
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
    const V t14 = t12;
    const V t15 = select_gt(tiny<V>(), t12, tiny<V>(), t14);
    const V t16 = select_ge(t12, tiny<V>(), t12, t15);
    const V t17 = sqrt_(t16);
    const V t18 = u1 + t17;
    const V t19 = t10 / t18;
    const V t23 = t19 / u2;
    const V t27 = u3 * x[3];
    const V t28 = t27 / u2;
    const V t29 = t23 * t28;
    const V t32 = t28 / t18;
    const V t33 = t19 * t32;
    const V t35 = t33 * splat<V>(S(0.5));
    const V t36 = t35 / t17;
    const V t37 = select_ge(t12, tiny<V>(), t36, splat<V>(S(0.0)));
    const V t38 = x[4] + t37;
    const V t39 = t10 * t38;
    const V t40 = t39 - t32;
    const V t41 = t39 + t40;
    const V t52 = t41 * u4;
    const V t53 = x[0] * u4;
    const V t54 = t41 * x[5];
    const V t55 = u0 * x[5];
    const V t56 = t53 + t55;
    const V t58 = t56 + t56;
    const V t59 = t38 * t58;
    const V t60 = t10 * t58;
    const V t61 = x[7] + t60;
    const V t62 = select_ge(t12, tiny<V>(), t61, splat<V>(S(0.0)));
    const V t64 = t62 / t17;
    const V t65 = t36 * t64;
    const V t67 = splat<V>(S(0.5)) * t64;
    const V t69 = u5 + t67;
    const V t70 = t32 * t69;
    const V t71 = t19 * t69;
    const V t72 = t71 - t56;
    const V t73 = t72 / t18;
    const V t74 = t32 * t73;
    const V t75 = -t74;
    const V t76 = t29 * u6;
    const V t78 = t29 * u7;
    const V t81 = t28 * u8;
    const V t82 = t23 * u8;
    const V t83 = t73 + t82;
    const V t84 = t83 / u2;
    const V t85 = t28 * t84;
    const V t86 = -t85;
    const V t87 = x[3] * t84;
    const V t88 = u3 * t84;
    const V t89 = x[6] + t88;
    const V t91 = x[3] * u9;
    const V t93 = t23 * u9;
    const V t95 = t81 - t91;
    const V t96 = t89 - t93;
    const V t97 = t95 / u2;
    const V t98 = t23 * t97;
    const V t100 = t70 + t97;
    const V t101 = t86 - t98;
    const V t102 = u10 * t101;
    const V t103 = u11 * t101;
    const V t104 = t76 + t102;
    const V t105 = t78 + t103;
    const V t106 = t100 / t18;
    const V t107 = t19 * t106;
    const V t109 = t59 + t106;
    const V t110 = t75 - t107;
    const V t111 = t110 - t65;
    const V t112 = splat<V>(S(0.5)) * t111;
    const V t113 = t112 / t17;
    const V t114 = select_ge(t12, tiny<V>(), t113, splat<V>(S(0.0)));
    const V t118 = t10 * t114;
    const V t119 = t109 + t118;
    const V t120 = t118 + t119;
    const V t121 = u0 * t120;
    const V t122 = x[0] * t120;
    const V t123 = t52 + t121;
    const V t124 = t54 + t122;
    y[0] = t123;
    y[1] = splat<V>(S(0.0));
    y[2] = t114;
    y[3] = t96;
    y[4] = t61;
    y[5] = t124;
    y[6] = t110;
    y[7] = t104;
    y[8] = t105;
    y[9] = t87;
  }
};

// adagrad, decay, weight decay: update, forward
template <class S, class V>
struct k_7537beabceff_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = t20 / u3;
    const V t26 = u4 * t24;
    const V t27 = -t26;
    y[0] = t27;
    y[1] = t13;
  }
};

// adagrad, decay, weight decay: update, vjp
template <class S, class V>
struct k_7537beabceff_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 0, uniforms = 5;
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t33 = u3 * x[3];
    const V t35 = t33 / u4;
    const V t41 = t35 / t19;
    const V t43 = t20 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t18;
    const V t48 = select_ge(t13, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t50 = x[4] + t48;
    const V t53 = t11 * t50;
    const V t54 = t53 - t41;
    const V t55 = t53 + t54;
    const V t56 = u1 * t55;
    const V t58 = u0 * t55;
    y[0] = t58;
    y[1] = t56;
    y[2] = t50;
  }
};

// adagrad, decay, weight decay: update, vjps
template <class S, class V>
struct k_7537beabceff_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = t20 / u3;
    const V t31 = t24 * x[3];
    const V t32 = -t31;
    const V t33 = u4 * x[3];
    const V t35 = t33 / u3;
    const V t37 = t24 * t35;
    const V t39 = u5 * t37;
    const V t40 = u6 * t37;
    const V t41 = t35 / t19;
    const V t43 = t20 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t18;
    const V t48 = select_ge(t13, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t50 = x[4] + t48;
    const V t53 = t11 * t50;
    const V t54 = t53 - t41;
    const V t55 = t53 + t54;
    const V t56 = u1 * t55;
    const V t57 = x[1] * t55;
    const V t58 = u0 * t55;
    const V t59 = x[0] * t55;
    y[0] = t58;
    y[1] = t56;
    y[2] = t50;
    y[3] = t59;
    y[4] = t57;
    y[5] = t43;
    y[6] = t39;
    y[7] = t40;
    y[8] = t32;
  }
};

// adagrad, decay, weight decay: update, jvp
template <class S, class V>
struct k_7537beabceff_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 12, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    const double t55 = h[4] * h[9];
    const double t56 = h[3] * h[10];
    const double t57 = t55 + t56;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
    u[4] = S(h[6]);
    u[5] = S(h[7]);
    u[6] = S(h[8]);
    u[7] = S(t57);
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = t20 / u3;
    const V t37 = u0 * x[3];
    const V t38 = x[0] * u4;
    const V t39 = t37 + t38;
    const V t40 = u1 * x[4];
    const V t41 = x[1] * u5;
    const V t42 = t40 + t41;
    const V t43 = t39 + t42;
    const V t44 = t11 * t43;
    const V t45 = t44 + t44;
    const V t46 = x[5] + t45;
    const V t47 = select_ge(t13, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t18;
    const V t51 = u6 + t50;
    const V t52 = t20 * t51;
    const V t53 = t43 - t52;
    const V t54 = t53 / t19;
    const V t58 = t24 * u7;
    const V t59 = t54 - t58;
    const V t60 = t59 / u3;
    const V t61 = t24 * u8;
    const V t62 = u9 * t60;
    const V t63 = t61 + t62;
    const V t64 = -t63;
    y[0] = t64;
    y[1] = t46;
  }
};

// adagrad, decay, weight decay: update, vjp_vjp
template <class S, class V>
struct k_7537beabceff_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t23 = h[3] * h[4];
    const double t25 = t23 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[5]);
    u[4] = S(t25);
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u2 + t20;
    const V t22 = t13 / t21;
    const V t27 = u3 * x[3];
    const V t28 = t27 / u4;
    const V t29 = t28 / t21;
    const V t30 = t22 * t29;
    const V t32 = t30 * splat<V>(S(0.5));
    const V t33 = t32 / t20;
    const V t34 = select_ge(t15, tiny<V>(), t33, splat<V>(S(0.0)));
    const V t35 = x[4] + t34;
    const V t45 = u0 * x[5];
    const V t47 = u1 * x[6];
    const V t48 = t45 + t47;
    const V t50 = t48 + t48;
    const V t51 = t35 * t50;
    const V t52 = t13 * t50;
    const V t53 = x[7] + t52;
    const V t54 = select_ge(t15, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t56 = t54 / t20;
    const V t57 = t33 * t56;
    const V t59 = splat<V>(S(0.5)) * t56;
    const V t61 = t29 * t59;
    const V t62 = t22 * t59;
    const V t63 = t62 - t48;
    const V t64 = t63 / t21;
    const V t65 = t29 * t64;
    const V t66 = -t65;
    const V t67 = t64 / u4;
    const V t71 = u3 * t67;
    const V t76 = t61 / t21;
    const V t77 = t22 * t76;
    const V t79 = t51 + t76;
    const V t80 = t66 - t77;
    const V t81 = t80 - t57;
    const V t82 = splat<V>(S(0.5)) * t81;
    const V t83 = t82 / t20;
    const V t84 = select_ge(t15, tiny<V>(), t83, splat<V>(S(0.0)));
    const V t88 = t13 * t84;
    const V t89 = t79 + t88;
    const V t90 = t88 + t89;
    const V t91 = u1 * t90;
    const V t94 = u0 * t90;
    y[0] = t94;
    y[1] = t91;
    y[2] = t84;
    y[3] = t71;
    y[4] = t53;
  }
};

// adagrad, decay, weight decay: update, vjps_vjps
template <class S, class V>
struct k_7537beabceff_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 12, sums = 6, uniforms = 14;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t23 = h[3] * h[4];
    const double t25 = t23 + double(1.0);
    const double t89 = h[3] * h[10];
    const double t91 = h[4] * h[9];
    const double t92 = t89 + t91;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t25);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[8]);
    u[8] = S(h[10]);
    u[9] = S(h[9]);
    u[10] = S(t92);
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u2 + t20;
    const V t22 = t13 / t21;
    const V t26 = t22 / u3;
    const V t30 = u4 * x[3];
    const V t31 = t30 / u3;
    const V t32 = t26 * t31;
    const V t35 = t31 / t21;
    const V t36 = t22 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t20;
    const V t40 = select_ge(t15, tiny<V>(), t39, splat<V>(S(0.0)));
    const V t41 = x[4] + t40;
    const V t42 = t13 * t41;
    const V t43 = t42 - t35;
    const V t44 = t42 + t43;
    const V t58 = t44 * u5;
    const V t59 = x[0] * u5;
    const V t60 = t44 * x[5];
    const V t61 = u0 * x[5];
    const V t62 = t59 + t61;
    const V t63 = t44 * u6;
    const V t64 = x[1] * u6;
    const V t65 = t62 + t64;
    const V t66 = t44 * x[6];
    const V t67 = u1 * x[6];
    const V t68 = t65 + t67;
    const V t70 = t68 + t68;
    const V t71 = t41 * t70;
    const V t72 = t13 * t70;
    const V t73 = x[7] + t72;
    const V t74 = select_ge(t15, tiny<V>(), t73, splat<V>(S(0.0)));
    const V t76 = t74 / t20;
    const V t77 = t39 * t76;
    const V t79 = splat<V>(S(0.5)) * t76;
    const V t81 = u7 + t79;
    const V t82 = t35 * t81;
    const V t83 = t22 * t81;
    const V t84 = t83 - t68;
    const V t85 = t84 / t21;
    const V t86 = t35 * t85;
    const V t87 = -t86;
    const V t88 = t32 * u8;
    const V t90 = t32 * u9;
    const V t93 = t31 * u10;
    const V t94 = t26 * u10;
    const V t95 = t85 + t94;
    const V t96 = t95 / u3;
    const V t97 = t31 * t96;
    const V t98 = -t97;
    const V t99 = x[3] * t96;
    const V t100 = u4 * t96;
    const V t102 = x[3] * u11;
    const V t104 = t26 * u11;
    const V t106 = t93 - t102;
    const V t107 = t100 - t104;
    const V t108 = t106 / u3;
    const V t109 = t26 * t108;
    const V t111 = t82 + t108;
    const V t112 = t98 - t109;
    const V t113 = u12 * t112;
    const V t114 = u13 * t112;
    const V t115 = t88 + t113;
    const V t116 = t90 + t114;
    const V t117 = t111 / t21;
    const V t118 = t22 * t117;
    const V t120 = t71 + t117;
    const V t121 = t87 - t118;
    const V t122 = t121 - t77;
    const V t123 = splat<V>(S(0.5)) * t122;
    const V t124 = t123 / t20;
    const V t125 = select_ge(t15, tiny<V>(), t124, splat<V>(S(0.0)));
    const V t129 = t13 * t125;
    const V t130 = t120 + t129;
    const V t131 = t129 + t130;
    const V t132 = u1 * t131;
    const V t133 = x[1] * t131;
    const V t134 = t63 + t132;
    const V t135 = t66 + t133;
    const V t136 = u0 * t131;
    const V t137 = x[0] * t131;
    const V t138 = t58 + t136;
    const V t139 = t60 + t137;
    y[0] = t138;
    y[1] = t134;
    y[2] = t125;
    y[3] = t107;
    y[4] = t73;
    y[5] = t139;
    y[6] = t135;
    y[7] = t121;
    y[8] = t115;
    y[9] = t116;
    y[10] = t99;
  }
};

// adagrad, decay, weight decay: parameters, forward
template <class S, class V>
struct k_cb5f77132374_forward {
  static constexpr int inputs = 3, outputs = 2, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = t20 / u3;
    const V t26 = u4 * t24;
    const V t28 = x[1] - t26;
    y[0] = t28;
    y[1] = t13;
  }
};

// adagrad, decay, weight decay: parameters, vjp
template <class S, class V>
struct k_cb5f77132374_vjp {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 0, uniforms = 5;
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
    const V t9 = x[0] * u0;
    const V t10 = x[1] * u1;
    const V t11 = t9 + t10;
    const V t12 = t11 * t11;
    const V t13 = x[2] + t12;
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t33 = u3 * x[3];
    const V t35 = t33 / u4;
    const V t41 = t35 / t19;
    const V t43 = t20 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t18;
    const V t48 = select_ge(t13, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t50 = x[4] + t48;
    const V t53 = t11 * t50;
    const V t54 = t53 - t41;
    const V t55 = t53 + t54;
    const V t56 = u1 * t55;
    const V t58 = x[3] + t56;
    const V t59 = u0 * t55;
    y[0] = t59;
    y[1] = t58;
    y[2] = t50;
  }
};

// adagrad, decay, weight decay: parameters, vjps
template <class S, class V>
struct k_cb5f77132374_vjps {
  static constexpr int inputs = 5, outputs = 3, scalars = 6, sums = 6, uniforms = 7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = t20 / u3;
    const V t31 = t24 * x[3];
    const V t32 = -t31;
    const V t33 = u4 * x[3];
    const V t35 = t33 / u3;
    const V t37 = t24 * t35;
    const V t39 = u5 * t37;
    const V t40 = u6 * t37;
    const V t41 = t35 / t19;
    const V t43 = t20 * t41;
    const V t46 = t43 * splat<V>(S(0.5));
    const V t47 = t46 / t18;
    const V t48 = select_ge(t13, tiny<V>(), t47, splat<V>(S(0.0)));
    const V t50 = x[4] + t48;
    const V t53 = t11 * t50;
    const V t54 = t53 - t41;
    const V t55 = t53 + t54;
    const V t56 = u1 * t55;
    const V t57 = x[1] * t55;
    const V t58 = x[3] + t56;
    const V t59 = u0 * t55;
    const V t60 = x[0] * t55;
    y[0] = t59;
    y[1] = t58;
    y[2] = t50;
    y[3] = t60;
    y[4] = t57;
    y[5] = t43;
    y[6] = t39;
    y[7] = t40;
    y[8] = t32;
  }
};

// adagrad, decay, weight decay: parameters, jvp
template <class S, class V>
struct k_cb5f77132374_jvp {
  static constexpr int inputs = 6, outputs = 2, scalars = 12, sums = 0, uniforms = 10;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t21 = h[3] * h[4];
    const double t23 = t21 + double(1.0);
    const double t55 = h[4] * h[9];
    const double t56 = h[3] * h[10];
    const double t57 = t55 + t56;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t23);
    u[4] = S(h[6]);
    u[5] = S(h[7]);
    u[6] = S(h[8]);
    u[7] = S(t57);
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
    const V t15 = t13;
    const V t16 = select_gt(tiny<V>(), t13, tiny<V>(), t15);
    const V t17 = select_ge(t13, tiny<V>(), t13, t16);
    const V t18 = sqrt_(t17);
    const V t19 = u2 + t18;
    const V t20 = t11 / t19;
    const V t24 = t20 / u3;
    const V t37 = u0 * x[3];
    const V t38 = x[0] * u4;
    const V t39 = t37 + t38;
    const V t40 = u1 * x[4];
    const V t41 = x[1] * u5;
    const V t42 = t40 + t41;
    const V t43 = t39 + t42;
    const V t44 = t11 * t43;
    const V t45 = t44 + t44;
    const V t46 = x[5] + t45;
    const V t47 = select_ge(t13, tiny<V>(), t46, splat<V>(S(0.0)));
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t18;
    const V t51 = u6 + t50;
    const V t52 = t20 * t51;
    const V t53 = t43 - t52;
    const V t54 = t53 / t19;
    const V t58 = t24 * u7;
    const V t59 = t54 - t58;
    const V t60 = t59 / u3;
    const V t61 = t24 * u8;
    const V t62 = u9 * t60;
    const V t63 = t61 + t62;
    const V t64 = x[4] - t63;
    y[0] = t64;
    y[1] = t46;
  }
};

// adagrad, decay, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_cb5f77132374_vjp_vjp {
  static constexpr int inputs = 8, outputs = 5, scalars = 6, sums = 0, uniforms = 5;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t23 = h[3] * h[4];
    const double t25 = t23 + double(1.0);
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(h[5]);
    u[4] = S(t25);
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u2 + t20;
    const V t22 = t13 / t21;
    const V t27 = u3 * x[3];
    const V t28 = t27 / u4;
    const V t29 = t28 / t21;
    const V t30 = t22 * t29;
    const V t32 = t30 * splat<V>(S(0.5));
    const V t33 = t32 / t20;
    const V t34 = select_ge(t15, tiny<V>(), t33, splat<V>(S(0.0)));
    const V t35 = x[4] + t34;
    const V t46 = u0 * x[5];
    const V t48 = u1 * x[6];
    const V t49 = t46 + t48;
    const V t51 = t49 + t49;
    const V t52 = t35 * t51;
    const V t53 = t13 * t51;
    const V t54 = x[7] + t53;
    const V t55 = select_ge(t15, tiny<V>(), t54, splat<V>(S(0.0)));
    const V t57 = t55 / t20;
    const V t58 = t33 * t57;
    const V t60 = splat<V>(S(0.5)) * t57;
    const V t62 = t29 * t60;
    const V t63 = t22 * t60;
    const V t64 = t63 - t49;
    const V t65 = t64 / t21;
    const V t66 = t29 * t65;
    const V t67 = -t66;
    const V t68 = t65 / u4;
    const V t72 = u3 * t68;
    const V t73 = x[6] + t72;
    const V t78 = t62 / t21;
    const V t79 = t22 * t78;
    const V t81 = t52 + t78;
    const V t82 = t67 - t79;
    const V t83 = t82 - t58;
    const V t84 = splat<V>(S(0.5)) * t83;
    const V t85 = t84 / t20;
    const V t86 = select_ge(t15, tiny<V>(), t85, splat<V>(S(0.0)));
    const V t90 = t13 * t86;
    const V t91 = t81 + t90;
    const V t92 = t90 + t91;
    const V t93 = u1 * t92;
    const V t96 = u0 * t92;
    y[0] = t96;
    y[1] = t93;
    y[2] = t86;
    y[3] = t73;
    y[4] = t54;
  }
};

// adagrad, decay, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_cb5f77132374_vjps_vjps {
  static constexpr int inputs = 8, outputs = 5, scalars = 12, sums = 6, uniforms = 14;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t23 = h[3] * h[4];
    const double t25 = t23 + double(1.0);
    const double t90 = h[3] * h[10];
    const double t92 = h[4] * h[9];
    const double t93 = t90 + t92;
    u[0] = S(h[0]);
    u[1] = S(h[1]);
    u[2] = S(h[2]);
    u[3] = S(t25);
    u[4] = S(h[5]);
    u[5] = S(h[6]);
    u[6] = S(h[7]);
    u[7] = S(h[8]);
    u[8] = S(h[10]);
    u[9] = S(h[9]);
    u[10] = S(t93);
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u2 + t20;
    const V t22 = t13 / t21;
    const V t26 = t22 / u3;
    const V t30 = u4 * x[3];
    const V t31 = t30 / u3;
    const V t32 = t26 * t31;
    const V t35 = t31 / t21;
    const V t36 = t22 * t35;
    const V t38 = t36 * splat<V>(S(0.5));
    const V t39 = t38 / t20;
    const V t40 = select_ge(t15, tiny<V>(), t39, splat<V>(S(0.0)));
    const V t41 = x[4] + t40;
    const V t42 = t13 * t41;
    const V t43 = t42 - t35;
    const V t44 = t42 + t43;
    const V t59 = t44 * u5;
    const V t60 = x[0] * u5;
    const V t61 = t44 * x[5];
    const V t62 = u0 * x[5];
    const V t63 = t60 + t62;
    const V t64 = t44 * u6;
    const V t65 = x[1] * u6;
    const V t66 = t63 + t65;
    const V t67 = t44 * x[6];
    const V t68 = u1 * x[6];
    const V t69 = t66 + t68;
    const V t71 = t69 + t69;
    const V t72 = t41 * t71;
    const V t73 = t13 * t71;
    const V t74 = x[7] + t73;
    const V t75 = select_ge(t15, tiny<V>(), t74, splat<V>(S(0.0)));
    const V t77 = t75 / t20;
    const V t78 = t39 * t77;
    const V t80 = splat<V>(S(0.5)) * t77;
    const V t82 = u7 + t80;
    const V t83 = t35 * t82;
    const V t84 = t22 * t82;
    const V t85 = t84 - t69;
    const V t86 = t85 / t21;
    const V t87 = t35 * t86;
    const V t88 = -t87;
    const V t89 = t32 * u8;
    const V t91 = t32 * u9;
    const V t94 = t31 * u10;
    const V t95 = t26 * u10;
    const V t96 = t86 + t95;
    const V t97 = t96 / u3;
    const V t98 = t31 * t97;
    const V t99 = -t98;
    const V t100 = x[3] * t97;
    const V t101 = u4 * t97;
    const V t102 = x[6] + t101;
    const V t104 = x[3] * u11;
    const V t106 = t26 * u11;
    const V t108 = t94 - t104;
    const V t109 = t102 - t106;
    const V t110 = t108 / u3;
    const V t111 = t26 * t110;
    const V t113 = t83 + t110;
    const V t114 = t99 - t111;
    const V t115 = u12 * t114;
    const V t116 = u13 * t114;
    const V t117 = t89 + t115;
    const V t118 = t91 + t116;
    const V t119 = t113 / t21;
    const V t120 = t22 * t119;
    const V t122 = t72 + t119;
    const V t123 = t88 - t120;
    const V t124 = t123 - t78;
    const V t125 = splat<V>(S(0.5)) * t124;
    const V t126 = t125 / t20;
    const V t127 = select_ge(t15, tiny<V>(), t126, splat<V>(S(0.0)));
    const V t131 = t13 * t127;
    const V t132 = t122 + t131;
    const V t133 = t131 + t132;
    const V t134 = u1 * t133;
    const V t135 = x[1] * t133;
    const V t136 = t64 + t134;
    const V t137 = t67 + t135;
    const V t138 = u0 * t133;
    const V t139 = x[0] * t133;
    const V t140 = t59 + t138;
    const V t141 = t61 + t139;
    y[0] = t140;
    y[1] = t136;
    y[2] = t127;
    y[3] = t109;
    y[4] = t74;
    y[5] = t141;
    y[6] = t137;
    y[7] = t123;
    y[8] = t117;
    y[9] = t118;
    y[10] = t100;
  }
};

// adadelta: update, forward
template <class S, class V>
struct k_3d30ffd790ca_forward {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t13;
    const V t21 = t20;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t21);
    const V t23 = select_ge(t20, tiny<V>(), t20, t22);
    const V t24 = sqrt_(t23);
    const V t25 = t19 / t24;
    const V t26 = t7 * t25;
    const V t27 = t26 * t26;
    const V t28 = x[2] * u1;
    const V t29 = u2 * t27;
    const V t30 = t28 + t29;
    const V t32 = u4 * t26;
    const V t33 = -t32;
    y[0] = t33;
    y[1] = t13;
    y[2] = t30;
  }
};

// adadelta: update, vjp
template <class S, class V>
struct k_3d30ffd790ca_vjp {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t13;
    const V t21 = t20;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t21);
    const V t23 = select_ge(t20, tiny<V>(), t20, t22);
    const V t24 = sqrt_(t23);
    const V t25 = t19 / t24;
    const V t26 = t7 * t25;
    const V t40 = u4 * x[3];
    const V t43 = u2 * x[5];
    const V t44 = u1 * x[5];
    const V t46 = t26 * t43;
    const V t47 = t46 - t40;
    const V t48 = t46 + t47;
    const V t49 = t25 * t48;
    const V t50 = t7 * t48;
    const V t51 = t50 / t24;
    const V t52 = t25 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t57 = t55 / t24;
    const V t58 = -t57;
    const V t59 = select_ge(t20, tiny<V>(), t58, splat<V>(S(0.0)));
    const V t63 = x[4] + t59;
    const V t64 = t51 * splat<V>(S(0.5));
    const V t65 = t64 / t19;
    const V t66 = select_ge(t14, tiny<V>(), t65, splat<V>(S(0.0)));
    const V t71 = t44 + t66;
    const V t73 = u2 * t63;
    const V t78 = u1 * t63;
    const V t81 = t7 * t73;
    const V t82 = t49 + t81;
    const V t83 = t81 + t82;
    const V t84 = u0 * t83;
    y[0] = t84;
    y[1] = t78;
    y[2] = t71;
  }
};

// adadelta: update, vjps
template <class S, class V>
struct k_3d30ffd790ca_vjps {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t13;
    const V t21 = t20;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t21);
    const V t23 = select_ge(t20, tiny<V>(), t20, t22);
    const V t24 = sqrt_(t23);
    const V t25 = t19 / t24;
    const V t26 = t7 * t25;
    const V t27 = t26 * t26;
    const V t38 = t26 * x[3];
    const V t39 = -t38;
    const V t40 = u4 * x[3];
    const V t42 = t27 * x[5];
    const V t43 = u2 * x[5];
    const V t44 = u1 * x[5];
    const V t45 = x[2] * x[5];
    const V t46 = t26 * t43;
    const V t47 = t46 - t40;
    const V t48 = t46 + t47;
    const V t49 = t25 * t48;
    const V t50 = t7 * t48;
    const V t51 = t50 / t24;
    const V t52 = t25 * t51;
    const V t55 = t52 * splat<V>(S(0.5));
    const V t57 = t55 / t24;
    const V t58 = -t57;
    const V t59 = select_ge(t20, tiny<V>(), t58, splat<V>(S(0.0)));
    const V t63 = x[4] + t59;
    const V t64 = t51 * splat<V>(S(0.5));
    const V t65 = t64 / t19;
    const V t66 = select_ge(t14, tiny<V>(), t65, splat<V>(S(0.0)));
    const V t71 = t44 + t66;
    const V t72 = t59 + t66;
    const V t73 = u2 * t63;
    const V t74 = t8 * t63;
    const V t75 = t42 + t74;
    const V t77 = t45 - t75;
    const V t78 = u1 * t63;
    const V t79 = x[1] * t63;
    const V t80 = t77 + t79;
    const V t81 = t7 * t73;
    const V t82 = t49 + t81;
    const V t83 = t81 + t82;
    const V t84 = u0 * t83;
    const V t85 = x[0] * t83;
    y[0] = t84;
    y[1] = t78;
    y[2] = t71;
    y[3] = t85;
    y[4] = t80;
    y[5] = t72;
    y[6] = t39;
  }
};

// adadelta: update, jvp
template <class S, class V>
struct k_3d30ffd790ca_jvp {
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
    const V t16 = t14;
    const V t17 = select_gt(tiny<V>(), t14, tiny<V>(), t16);
    const V t18 = select_ge(t14, tiny<V>(), t14, t17);
    const V t19 = sqrt_(t18);
    const V t20 = u3 + t13;
    const V t21 = t20;
    const V t22 = select_gt(tiny<V>(), t20, tiny<V>(), t21);
    const V t23 = select_ge(t20, tiny<V>(), t20, t22);
    const V t24 = sqrt_(t23);
    const V t25 = t19 / t24;
    const V t26 = t7 * t25;
    const V t27 = t26 * t26;
    const V t41 = u0 * x[3];
    const V t42 = x[0] * u4;
    const V t43 = t41 + t42;
    const V t44 = t7 * t43;
    const V t45 = t44 + t44;
    const V t46 = u1 * x[4];
    const V t47 = x[1] * u5;
    const V t48 = t46 + t47;
    const V t50 = u2 * t45;
    const V t51 = t8 * u5;
    const V t53 = t50 - t51;
    const V t54 = t48 + t53;
    const V t55 = x[5] + u6;
    const V t56 = select_ge(t14, tiny<V>(), t55, splat<V>(S(0.0)));
    const V t58 = t56 * splat<V>(S(0.5));
    const V t59 = t58 / t19;
    const V t60 = u6 + t54;
    const V t61 = select_ge(t20, tiny<V>(), t60, splat<V>(S(0.0)));
    const V t62 = splat<V>(S(0.5)) * t61;
    const V t63 = t62 / t24;
    const V t64 = t25 * t63;
    const V t65 = t59 - t64;
    const V t66 = t65 / t24;
    const V t67 = t25 * t43;
    const V t68 = t7 * t66;
    const V t69 = t67 + t68;
    const V t70 = t26 * t69;
    const V t71 = t70 + t70;
    const V t72 = u1 * x[5];
    const V t73 = x[2] * u5;
    const V t74 = t72 + t73;
    const V t75 = t27 * u5;
    const V t77 = u2 * t71;
    const V t78 = t77 - t75;
    const V t79 = t74 + t78;
    const V t80 = t26 * u7;
    const V t81 = u8 * t69;
    const V t82 = t80 + t81;
    const V t83 = -t82;
    y[0] = t83;
    y[1] = t54;
    y[2] = t79;
  }
};

// adadelta: update, vjp_vjp
template <class S, class V>
struct k_3d30ffd790ca_vjp_vjp {
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
    const V t19 = t17;
    const V t20 = select_gt(tiny<V>(), t17, tiny<V>(), t19);
    const V t21 = select_ge(t17, tiny<V>(), t17, t20);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t16;
    const V t24 = t23;
    const V t25 = select_gt(tiny<V>(), t23, tiny<V>(), t24);
    const V t26 = select_ge(t23, tiny<V>(), t23, t25);
    const V t27 = sqrt_(t26);
    const V t28 = t22 / t27;
    const V t29 = t10 * t28;
    const V t31 = u4 * x[3];
    const V t32 = u2 * x[5];
    const V t34 = t29 * t32;
    const V t35 = t34 - t31;
    const V t36 = t34 + t35;
    const V t38 = t10 * t36;
    const V t39 = t38 / t27;
    const V t40 = t28 * t39;
    const V t42 = t40 * splat<V>(S(0.5));
    const V t43 = t42 / t27;
    const V t44 = -t43;
    const V t45 = select_ge(t23, tiny<V>(), t44, splat<V>(S(0.0)));
    const V t46 = x[4] + t45;
    const V t47 = t39 * splat<V>(S(0.5));
    const V t48 = t47 / t22;
    const V t51 = u2 * t46;
    const V t61 = u0 * x[6];
    const V t62 = t61 + t61;
    const V t63 = t51 * t62;
    const V t64 = t10 * t62;
    const V t66 = u1 * x[7];
    const V t68 = u2 * t64;
    const V t69 = t66 + t68;
    const V t70 = select_ge(t17, tiny<V>(), x[8], splat<V>(S(0.0)));
    const V t72 = t70 / t22;
    const V t73 = t48 * t72;
    const V t75 = splat<V>(S(0.5)) * t72;
    const V t77 = select_ge(t23, tiny<V>(), t69, splat<V>(S(0.0)));
    const V t81 = t77 / t27;
    const V t83 = t43 * t81;
    const V t85 = splat<V>(S(0.5)) * t81;
    const V t90 = t39 * t85;
    const V t92 = t28 * t85;
    const V t94 = t75 - t92;
    const V t95 = t94 / t27;
    const V t96 = t39 * t95;
    const V t98 = t83 - t96;
    const V t99 = t36 * t95;
    const V t100 = t10 * t95;
    const V t101 = t63 + t99;
    const V t102 = t36 * t61;
    const V t103 = t28 * t61;
    const V t104 = t102 - t90;
    const V t105 = t100 + t103;
    const V t107 = t105 + t105;
    const V t108 = t32 * t107;
    const V t109 = t29 * t107;
    const V t111 = u1 * x[8];
    const V t114 = u2 * t109;
    const V t116 = t111 + t114;
    const V t119 = u4 * t105;
    const V t120 = -t119;
    const V t121 = t28 * t108;
    const V t122 = t10 * t108;
    const V t123 = t101 + t121;
    const V t124 = t104 + t122;
    const V t125 = t124 / t27;
    const V t126 = t28 * t125;
    const V t128 = t125 - t73;
    const V t129 = t98 - t126;
    const V t130 = splat<V>(S(0.5)) * t129;
    const V t131 = t130 / t27;
    const V t132 = select_ge(t23, tiny<V>(), t131, splat<V>(S(0.0)));
    const V t136 = splat<V>(S(0.5)) * t128;
    const V t137 = t136 / t22;
    const V t138 = select_ge(t17, tiny<V>(), t137, splat<V>(S(0.0)));
    const V t144 = u2 * t132;
    const V t149 = u1 * t132;
    const V t152 = t10 * t144;
    const V t153 = t123 + t152;
    const V t154 = t152 + t153;
    const V t155 = u0 * t154;
    y[0] = t155;
    y[1] = t149;
    y[2] = t138;
    y[3] = t120;
    y[4] = t69;
    y[5] = t116;
  }
};

// adadelta: update, vjps_vjps
template <class S, class V>
struct k_3d30ffd790ca_vjps_vjps {
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
    const V t19 = t17;
    const V t20 = select_gt(tiny<V>(), t17, tiny<V>(), t19);
    const V t21 = select_ge(t17, tiny<V>(), t17, t20);
    const V t22 = sqrt_(t21);
    const V t23 = u3 + t16;
    const V t24 = t23;
    const V t25 = select_gt(tiny<V>(), t23, tiny<V>(), t24);
    const V t26 = select_ge(t23, tiny<V>(), t23, t25);
    const V t27 = sqrt_(t26);
    const V t28 = t22 / t27;
    const V t29 = t10 * t28;
    const V t30 = t29 * t29;
    const V t34 = u4 * x[3];
    const V t36 = u2 * x[5];
    const V t39 = t29 * t36;
    const V t40 = t39 - t34;
    const V t41 = t39 + t40;
    const V t42 = t28 * t41;
    const V t43 = t10 * t41;
    const V t44 = t43 / t27;
    const V t45 = t28 * t44;
    const V t47 = t45 * splat<V>(S(0.5));
    const V t48 = t47 / t27;
    const V t49 = -t48;
    const V t50 = select_ge(t23, tiny<V>(), t49, splat<V>(S(0.0)));
    const V t51 = x[4] + t50;
    const V t52 = t44 * splat<V>(S(0.5));
    const V t53 = t52 / t22;
    const V t57 = u2 * t51;
    const V t64 = t10 * t57;
    const V t65 = t42 + t64;
    const V t66 = t64 + t65;
    const V t76 = t66 * u5;
    const V t77 = x[0] * u5;
    const V t78 = t66 * x[6];
    const V t79 = u0 * x[6];
    const V t80 = t77 + t79;
    const V t81 = t80 + t80;
    const V t82 = t57 * t81;
    const V t83 = t10 * t81;
    const V t84 = t51 * u6;
    const V t85 = x[1] * u6;
    const V t86 = t51 * x[7];
    const V t87 = u1 * x[7];
    const V t88 = t85 + t87;
    const V t91 = t11 * u6;
    const V t93 = t88 - t91;
    const V t94 = t51 * t83;
    const V t95 = u2 * t83;
    const V t96 = t93 + t95;
    const V t97 = x[8] + u7;
    const V t98 = select_ge(t17, tiny<V>(), t97, splat<V>(S(0.0)));
    const V t100 = t98 / t22;
    const V t101 = t53 * t100;
    const V t103 = splat<V>(S(0.5)) * t100;
    const V t105 = u7 + t96;
    const V t106 = select_ge(t23, tiny<V>(), t105, splat<V>(S(0.0)));
    const V t110 = t106 / t27;
    const V t112 = t48 * t110;
    const V t114 = splat<V>(S(0.5)) * t110;
    const V t119 = t44 * t114;
    const V t121 = t28 * t114;
    const V t123 = t103 - t121;
    const V t124 = t123 / t27;
    const V t125 = t44 * t124;
    const V t127 = t112 - t125;
    const V t128 = t41 * t124;
    const V t129 = t10 * t124;
    const V t130 = t82 + t128;
    const V t131 = t41 * t80;
    const V t132 = t28 * t80;
    const V t133 = t131 - t119;
    const V t134 = t129 + t132;
    const V t136 = t134 + t134;
    const V t137 = t36 * t136;
    const V t138 = t29 * t136;
    const V t139 = x[5] * u6;
    const V t140 = x[2] * u6;
    const V t141 = x[5] * x[8];
    const V t142 = u1 * x[8];
    const V t143 = t86 + t141;
    const V t144 = t140 + t142;
    const V t145 = x[5] * t138;
    const V t146 = u2 * t138;
    const V t147 = t94 + t145;
    const V t148 = t144 + t146;
    const V t150 = t30 * u6;
    const V t152 = t148 - t150;
    const V t153 = x[3] * t134;
    const V t154 = -t153;
    const V t155 = u4 * t134;
    const V t156 = -t155;
    const V t158 = x[3] * u8;
    const V t160 = t29 * u8;
    const V t162 = t137 - t158;
    const V t163 = t156 - t160;
    const V t164 = t29 * t139;
    const V t166 = t162 - t164;
    const V t167 = t166 - t164;
    const V t168 = t28 * t167;
    const V t169 = t10 * t167;
    const V t170 = t130 + t168;
    const V t171 = t133 + t169;
    const V t172 = t171 / t27;
    const V t173 = t28 * t172;
    const V t175 = t172 - t101;
    const V t176 = t127 - t173;
    const V t177 = splat<V>(S(0.5)) * t176;
    const V t178 = t177 / t27;
    const V t179 = select_ge(t23, tiny<V>(), t178, splat<V>(S(0.0)));
    const V t183 = splat<V>(S(0.5)) * t175;
    const V t184 = t183 / t22;
    const V t185 = select_ge(t17, tiny<V>(), t184, splat<V>(S(0.0)));
    const V t190 = t139 + t185;
    const V t191 = t179 + t185;
    const V t192 = u2 * t179;
    const V t193 = t11 * t179;
    const V t194 = t192 - t84;
    const V t195 = t147 + t193;
    const V t197 = t143 - t195;
    const V t198 = u1 * t179;
    const V t199 = x[1] * t179;
    const V t200 = t84 + t198;
    const V t201 = t197 + t199;
    const V t202 = t10 * t194;
    const V t203 = t170 + t202;
    const V t204 = t202 + t203;
    const V t205 = u0 * t204;
    const V t206 = x[0] * t204;
    const V t207 = t76 + t205;
    const V t208 = t78 + t206;
    y[0] = t207;
    y[1] = t200;
    y[2] = t190;
    y[3] = t163;
    y[4] = t96;
    y[5] = t152;
    y[6] = t208;
    y[7] = t201;
    y[8] = t191;
    y[9] = t154;
  }
};

// adadelta: parameters, forward
template <class S, class V>
struct k_9560ac56e2d4_forward {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t14;
    const V t22 = t21;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t22);
    const V t24 = select_ge(t21, tiny<V>(), t21, t23);
    const V t25 = sqrt_(t24);
    const V t26 = t20 / t25;
    const V t27 = t8 * t26;
    const V t28 = t27 * t27;
    const V t29 = x[3] * u1;
    const V t30 = u2 * t28;
    const V t31 = t29 + t30;
    const V t33 = u4 * t27;
    const V t35 = x[1] - t33;
    y[0] = t35;
    y[1] = t14;
    y[2] = t31;
  }
};

// adadelta: parameters, vjp
template <class S, class V>
struct k_9560ac56e2d4_vjp {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t14;
    const V t22 = t21;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t22);
    const V t24 = select_ge(t21, tiny<V>(), t21, t23);
    const V t25 = sqrt_(t24);
    const V t26 = t20 / t25;
    const V t27 = t8 * t26;
    const V t41 = u4 * x[4];
    const V t44 = u2 * x[6];
    const V t45 = u1 * x[6];
    const V t47 = t27 * t44;
    const V t48 = t47 - t41;
    const V t49 = t47 + t48;
    const V t50 = t26 * t49;
    const V t51 = t8 * t49;
    const V t52 = t51 / t25;
    const V t53 = t26 * t52;
    const V t56 = t53 * splat<V>(S(0.5));
    const V t58 = t56 / t25;
    const V t59 = -t58;
    const V t60 = select_ge(t21, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t64 = x[5] + t60;
    const V t65 = t52 * splat<V>(S(0.5));
    const V t66 = t65 / t20;
    const V t67 = select_ge(t15, tiny<V>(), t66, splat<V>(S(0.0)));
    const V t72 = t45 + t67;
    const V t74 = u2 * t64;
    const V t79 = u1 * t64;
    const V t82 = t8 * t74;
    const V t83 = t50 + t82;
    const V t84 = t82 + t83;
    const V t85 = u0 * t84;
    y[0] = t85;
    y[1] = x[4];
    y[2] = t79;
    y[3] = t72;
  }
};

// adadelta: parameters, vjps
template <class S, class V>
struct k_9560ac56e2d4_vjps {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t14;
    const V t22 = t21;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t22);
    const V t24 = select_ge(t21, tiny<V>(), t21, t23);
    const V t25 = sqrt_(t24);
    const V t26 = t20 / t25;
    const V t27 = t8 * t26;
    const V t28 = t27 * t27;
    const V t39 = t27 * x[4];
    const V t40 = -t39;
    const V t41 = u4 * x[4];
    const V t43 = t28 * x[6];
    const V t44 = u2 * x[6];
    const V t45 = u1 * x[6];
    const V t46 = x[3] * x[6];
    const V t47 = t27 * t44;
    const V t48 = t47 - t41;
    const V t49 = t47 + t48;
    const V t50 = t26 * t49;
    const V t51 = t8 * t49;
    const V t52 = t51 / t25;
    const V t53 = t26 * t52;
    const V t56 = t53 * splat<V>(S(0.5));
    const V t58 = t56 / t25;
    const V t59 = -t58;
    const V t60 = select_ge(t21, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t64 = x[5] + t60;
    const V t65 = t52 * splat<V>(S(0.5));
    const V t66 = t65 / t20;
    const V t67 = select_ge(t15, tiny<V>(), t66, splat<V>(S(0.0)));
    const V t72 = t45 + t67;
    const V t73 = t60 + t67;
    const V t74 = u2 * t64;
    const V t75 = t9 * t64;
    const V t76 = t43 + t75;
    const V t78 = t46 - t76;
    const V t79 = u1 * t64;
    const V t80 = x[2] * t64;
    const V t81 = t78 + t80;
    const V t82 = t8 * t74;
    const V t83 = t50 + t82;
    const V t84 = t82 + t83;
    const V t85 = u0 * t84;
    const V t86 = x[0] * t84;
    y[0] = t85;
    y[1] = x[4];
    y[2] = t79;
    y[3] = t72;
    y[4] = t86;
    y[5] = t81;
    y[6] = t73;
    y[7] = t40;
  }
};

// adadelta: parameters, jvp
template <class S, class V>
struct k_9560ac56e2d4_jvp {
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
    const V t17 = t15;
    const V t18 = select_gt(tiny<V>(), t15, tiny<V>(), t17);
    const V t19 = select_ge(t15, tiny<V>(), t15, t18);
    const V t20 = sqrt_(t19);
    const V t21 = u3 + t14;
    const V t22 = t21;
    const V t23 = select_gt(tiny<V>(), t21, tiny<V>(), t22);
    const V t24 = select_ge(t21, tiny<V>(), t21, t23);
    const V t25 = sqrt_(t24);
    const V t26 = t20 / t25;
    const V t27 = t8 * t26;
    const V t28 = t27 * t27;
    const V t43 = u0 * x[4];
    const V t44 = x[0] * u4;
    const V t45 = t43 + t44;
    const V t46 = t8 * t45;
    const V t47 = t46 + t46;
    const V t48 = u1 * x[6];
    const V t49 = x[2] * u5;
    const V t50 = t48 + t49;
    const V t52 = u2 * t47;
    const V t53 = t9 * u5;
    const V t55 = t52 - t53;
    const V t56 = t50 + t55;
    const V t57 = x[7] + u6;
    const V t58 = select_ge(t15, tiny<V>(), t57, splat<V>(S(0.0)));
    const V t60 = t58 * splat<V>(S(0.5));
    const V t61 = t60 / t20;
    const V t62 = u6 + t56;
    const V t63 = select_ge(t21, tiny<V>(), t62, splat<V>(S(0.0)));
    const V t64 = splat<V>(S(0.5)) * t63;
    const V t65 = t64 / t25;
    const V t66 = t26 * t65;
    const V t67 = t61 - t66;
    const V t68 = t67 / t25;
    const V t69 = t26 * t45;
    const V t70 = t8 * t68;
    const V t71 = t69 + t70;
    const V t72 = t27 * t71;
    const V t73 = t72 + t72;
    const V t74 = u1 * x[7];
    const V t75 = x[3] * u5;
    const V t76 = t74 + t75;
    const V t77 = t28 * u5;
    const V t79 = u2 * t73;
    const V t80 = t79 - t77;
    const V t81 = t76 + t80;
    const V t82 = t27 * u7;
    const V t83 = u8 * t71;
    const V t84 = t82 + t83;
    const V t85 = x[5] - t84;
    y[0] = t85;
    y[1] = t56;
    y[2] = t81;
  }
};

// adadelta: parameters, vjp_vjp
template <class S, class V>
struct k_9560ac56e2d4_vjp_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t32 = u4 * x[4];
    const V t33 = u2 * x[6];
    const V t35 = t30 * t33;
    const V t36 = t35 - t32;
    const V t37 = t35 + t36;
    const V t39 = t11 * t37;
    const V t40 = t39 / t28;
    const V t41 = t29 * t40;
    const V t43 = t41 * splat<V>(S(0.5));
    const V t44 = t43 / t28;
    const V t45 = -t44;
    const V t46 = select_ge(t24, tiny<V>(), t45, splat<V>(S(0.0)));
    const V t47 = x[5] + t46;
    const V t48 = t40 * splat<V>(S(0.5));
    const V t49 = t48 / t23;
    const V t52 = u2 * t47;
    const V t63 = u0 * x[7];
    const V t64 = t63 + t63;
    const V t65 = t52 * t64;
    const V t66 = t11 * t64;
    const V t68 = u1 * x[9];
    const V t70 = u2 * t66;
    const V t71 = t68 + t70;
    const V t72 = select_ge(t18, tiny<V>(), x[10], splat<V>(S(0.0)));
    const V t74 = t72 / t23;
    const V t75 = t49 * t74;
    const V t77 = splat<V>(S(0.5)) * t74;
    const V t79 = select_ge(t24, tiny<V>(), t71, splat<V>(S(0.0)));
    const V t83 = t79 / t28;
    const V t85 = t44 * t83;
    const V t87 = splat<V>(S(0.5)) * t83;
    const V t92 = t40 * t87;
    const V t94 = t29 * t87;
    const V t96 = t77 - t94;
    const V t97 = t96 / t28;
    const V t98 = t40 * t97;
    const V t100 = t85 - t98;
    const V t101 = t37 * t97;
    const V t102 = t11 * t97;
    const V t103 = t65 + t101;
    const V t104 = t37 * t63;
    const V t105 = t29 * t63;
    const V t106 = t104 - t92;
    const V t107 = t102 + t105;
    const V t109 = t107 + t107;
    const V t110 = t33 * t109;
    const V t111 = t30 * t109;
    const V t113 = u1 * x[10];
    const V t116 = u2 * t111;
    const V t118 = t113 + t116;
    const V t121 = u4 * t107;
    const V t123 = x[8] - t121;
    const V t124 = t29 * t110;
    const V t125 = t11 * t110;
    const V t126 = t103 + t124;
    const V t127 = t106 + t125;
    const V t128 = t127 / t28;
    const V t129 = t29 * t128;
    const V t131 = t128 - t75;
    const V t132 = t100 - t129;
    const V t133 = splat<V>(S(0.5)) * t132;
    const V t134 = t133 / t28;
    const V t135 = select_ge(t24, tiny<V>(), t134, splat<V>(S(0.0)));
    const V t139 = splat<V>(S(0.5)) * t131;
    const V t140 = t139 / t23;
    const V t141 = select_ge(t18, tiny<V>(), t140, splat<V>(S(0.0)));
    const V t147 = u2 * t135;
    const V t152 = u1 * t135;
    const V t155 = t11 * t147;
    const V t156 = t126 + t155;
    const V t157 = t155 + t156;
    const V t158 = u0 * t157;
    y[0] = t158;
    y[1] = splat<V>(S(0.0));
    y[2] = t152;
    y[3] = t141;
    y[4] = t123;
    y[5] = t71;
    y[6] = t118;
  }
};

// adadelta: parameters, vjps_vjps
template <class S, class V>
struct k_9560ac56e2d4_vjps_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u3 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t31 = t30 * t30;
    const V t35 = u4 * x[4];
    const V t37 = u2 * x[6];
    const V t40 = t30 * t37;
    const V t41 = t40 - t35;
    const V t42 = t40 + t41;
    const V t43 = t29 * t42;
    const V t44 = t11 * t42;
    const V t45 = t44 / t28;
    const V t46 = t29 * t45;
    const V t48 = t46 * splat<V>(S(0.5));
    const V t49 = t48 / t28;
    const V t50 = -t49;
    const V t51 = select_ge(t24, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[5] + t51;
    const V t53 = t45 * splat<V>(S(0.5));
    const V t54 = t53 / t23;
    const V t58 = u2 * t52;
    const V t65 = t11 * t58;
    const V t66 = t43 + t65;
    const V t67 = t65 + t66;
    const V t78 = t67 * u5;
    const V t79 = x[0] * u5;
    const V t80 = t67 * x[7];
    const V t81 = u0 * x[7];
    const V t82 = t79 + t81;
    const V t83 = t82 + t82;
    const V t84 = t58 * t83;
    const V t85 = t11 * t83;
    const V t86 = t52 * u6;
    const V t87 = x[2] * u6;
    const V t88 = t52 * x[9];
    const V t89 = u1 * x[9];
    const V t90 = t87 + t89;
    const V t93 = t12 * u6;
    const V t95 = t90 - t93;
    const V t96 = t52 * t85;
    const V t97 = u2 * t85;
    const V t98 = t95 + t97;
    const V t99 = x[10] + u7;
    const V t100 = select_ge(t18, tiny<V>(), t99, splat<V>(S(0.0)));
    const V t102 = t100 / t23;
    const V t103 = t54 * t102;
    const V t105 = splat<V>(S(0.5)) * t102;
    const V t107 = u7 + t98;
    const V t108 = select_ge(t24, tiny<V>(), t107, splat<V>(S(0.0)));
    const V t112 = t108 / t28;
    const V t114 = t49 * t112;
    const V t116 = splat<V>(S(0.5)) * t112;
    const V t121 = t45 * t116;
    const V t123 = t29 * t116;
    const V t125 = t105 - t123;
    const V t126 = t125 / t28;
    const V t127 = t45 * t126;
    const V t129 = t114 - t127;
    const V t130 = t42 * t126;
    const V t131 = t11 * t126;
    const V t132 = t84 + t130;
    const V t133 = t42 * t82;
    const V t134 = t29 * t82;
    const V t135 = t133 - t121;
    const V t136 = t131 + t134;
    const V t138 = t136 + t136;
    const V t139 = t37 * t138;
    const V t140 = t30 * t138;
    const V t141 = x[6] * u6;
    const V t142 = x[3] * u6;
    const V t143 = x[6] * x[10];
    const V t144 = u1 * x[10];
    const V t145 = t88 + t143;
    const V t146 = t142 + t144;
    const V t147 = x[6] * t140;
    const V t148 = u2 * t140;
    const V t149 = t96 + t147;
    const V t150 = t146 + t148;
    const V t152 = t31 * u6;
    const V t154 = t150 - t152;
    const V t155 = x[4] * t136;
    const V t156 = -t155;
    const V t157 = u4 * t136;
    const V t159 = x[8] - t157;
    const V t161 = x[4] * u8;
    const V t163 = t30 * u8;
    const V t165 = t139 - t161;
    const V t166 = t159 - t163;
    const V t167 = t30 * t141;
    const V t169 = t165 - t167;
    const V t170 = t169 - t167;
    const V t171 = t29 * t170;
    const V t172 = t11 * t170;
    const V t173 = t132 + t171;
    const V t174 = t135 + t172;
    const V t175 = t174 / t28;
    const V t176 = t29 * t175;
    const V t178 = t175 - t103;
    const V t179 = t129 - t176;
    const V t180 = splat<V>(S(0.5)) * t179;
    const V t181 = t180 / t28;
    const V t182 = select_ge(t24, tiny<V>(), t181, splat<V>(S(0.0)));
    const V t186 = splat<V>(S(0.5)) * t178;
    const V t187 = t186 / t23;
    const V t188 = select_ge(t18, tiny<V>(), t187, splat<V>(S(0.0)));
    const V t193 = t141 + t188;
    const V t194 = t182 + t188;
    const V t195 = u2 * t182;
    const V t196 = t12 * t182;
    const V t197 = t195 - t86;
    const V t198 = t149 + t196;
    const V t200 = t145 - t198;
    const V t201 = u1 * t182;
    const V t202 = x[2] * t182;
    const V t203 = t86 + t201;
    const V t204 = t200 + t202;
    const V t205 = t11 * t197;
    const V t206 = t173 + t205;
    const V t207 = t205 + t206;
    const V t208 = u0 * t207;
    const V t209 = x[0] * t207;
    const V t210 = t78 + t208;
    const V t211 = t80 + t209;
    y[0] = t210;
    y[1] = splat<V>(S(0.0));
    y[2] = t203;
    y[3] = t193;
    y[4] = t166;
    y[5] = t98;
    y[6] = t154;
    y[7] = t211;
    y[8] = t204;
    y[9] = t194;
    y[10] = t156;
  }
};

// adadelta, weight decay: update, forward
template <class S, class V>
struct k_40ae0a541932_forward {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t31 = t30 * t30;
    const V t32 = x[3] * u2;
    const V t33 = u3 * t31;
    const V t34 = t32 + t33;
    const V t36 = u5 * t30;
    const V t37 = -t36;
    y[0] = t37;
    y[1] = t17;
    y[2] = t34;
  }
};

// adadelta, weight decay: update, vjp
template <class S, class V>
struct k_40ae0a541932_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t44 = u5 * x[4];
    const V t47 = u3 * x[6];
    const V t48 = u2 * x[6];
    const V t50 = t30 * t47;
    const V t51 = t50 - t44;
    const V t52 = t50 + t51;
    const V t53 = t29 * t52;
    const V t54 = t11 * t52;
    const V t55 = t54 / t28;
    const V t56 = t29 * t55;
    const V t59 = t56 * splat<V>(S(0.5));
    const V t61 = t59 / t28;
    const V t62 = -t61;
    const V t63 = select_ge(t24, tiny<V>(), t62, splat<V>(S(0.0)));
    const V t67 = x[5] + t63;
    const V t68 = t55 * splat<V>(S(0.5));
    const V t69 = t68 / t23;
    const V t70 = select_ge(t18, tiny<V>(), t69, splat<V>(S(0.0)));
    const V t75 = t48 + t70;
    const V t77 = u3 * t67;
    const V t82 = u2 * t67;
    const V t85 = t11 * t77;
    const V t86 = t53 + t85;
    const V t87 = t85 + t86;
    const V t88 = u1 * t87;
    const V t90 = u0 * t87;
    y[0] = t90;
    y[1] = t88;
    y[2] = t82;
    y[3] = t75;
  }
};

// adadelta, weight decay: update, vjps
template <class S, class V>
struct k_40ae0a541932_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t31 = t30 * t30;
    const V t42 = t30 * x[4];
    const V t43 = -t42;
    const V t44 = u5 * x[4];
    const V t46 = t31 * x[6];
    const V t47 = u3 * x[6];
    const V t48 = u2 * x[6];
    const V t49 = x[3] * x[6];
    const V t50 = t30 * t47;
    const V t51 = t50 - t44;
    const V t52 = t50 + t51;
    const V t53 = t29 * t52;
    const V t54 = t11 * t52;
    const V t55 = t54 / t28;
    const V t56 = t29 * t55;
    const V t59 = t56 * splat<V>(S(0.5));
    const V t61 = t59 / t28;
    const V t62 = -t61;
    const V t63 = select_ge(t24, tiny<V>(), t62, splat<V>(S(0.0)));
    const V t67 = x[5] + t63;
    const V t68 = t55 * splat<V>(S(0.5));
    const V t69 = t68 / t23;
    const V t70 = select_ge(t18, tiny<V>(), t69, splat<V>(S(0.0)));
    const V t75 = t48 + t70;
    const V t76 = t63 + t70;
    const V t77 = u3 * t67;
    const V t78 = t12 * t67;
    const V t79 = t46 + t78;
    const V t81 = t49 - t79;
    const V t82 = u2 * t67;
    const V t83 = x[2] * t67;
    const V t84 = t81 + t83;
    const V t85 = t11 * t77;
    const V t86 = t53 + t85;
    const V t87 = t85 + t86;
    const V t88 = u1 * t87;
    const V t89 = x[1] * t87;
    const V t90 = u0 * t87;
    const V t91 = x[0] * t87;
    y[0] = t90;
    y[1] = t88;
    y[2] = t82;
    y[3] = t75;
    y[4] = t91;
    y[5] = t89;
    y[6] = t84;
    y[7] = t76;
    y[8] = t43;
  }
};

// adadelta, weight decay: update, jvp
template <class S, class V>
struct k_40ae0a541932_jvp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t31 = t30 * t30;
    const V t47 = u0 * x[4];
    const V t48 = x[0] * u5;
    const V t49 = t47 + t48;
    const V t50 = u1 * x[5];
    const V t51 = x[1] * u6;
    const V t52 = t50 + t51;
    const V t53 = t49 + t52;
    const V t54 = t11 * t53;
    const V t55 = t54 + t54;
    const V t56 = u2 * x[6];
    const V t57 = x[2] * u7;
    const V t58 = t56 + t57;
    const V t60 = u3 * t55;
    const V t61 = t12 * u7;
    const V t63 = t60 - t61;
    const V t64 = t58 + t63;
    const V t65 = x[7] + u8;
    const V t66 = select_ge(t18, tiny<V>(), t65, splat<V>(S(0.0)));
    const V t68 = t66 * splat<V>(S(0.5));
    const V t69 = t68 / t23;
    const V t70 = u8 + t64;
    const V t71 = select_ge(t24, tiny<V>(), t70, splat<V>(S(0.0)));
    const V t72 = splat<V>(S(0.5)) * t71;
    const V t73 = t72 / t28;
    const V t74 = t29 * t73;
    const V t75 = t69 - t74;
    const V t76 = t75 / t28;
    const V t77 = t29 * t53;
    const V t78 = t11 * t76;
    const V t79 = t77 + t78;
    const V t80 = t30 * t79;
    const V t81 = t80 + t80;
    const V t82 = u2 * x[7];
    const V t83 = x[3] * u7;
    const V t84 = t82 + t83;
    const V t85 = t31 * u7;
    const V t87 = u3 * t81;
    const V t88 = t87 - t85;
    const V t89 = t84 + t88;
    const V t90 = t30 * u9;
    const V t91 = u10 * t79;
    const V t92 = t90 + t91;
    const V t93 = -t92;
    y[0] = t93;
    y[1] = t64;
    y[2] = t89;
  }
};

// adadelta, weight decay: update, vjp_vjp
template <class S, class V>
struct k_40ae0a541932_vjp_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t20;
    const V t28 = t27;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t28);
    const V t30 = select_ge(t27, tiny<V>(), t27, t29);
    const V t31 = sqrt_(t30);
    const V t32 = t26 / t31;
    const V t33 = t14 * t32;
    const V t35 = u5 * x[4];
    const V t36 = u3 * x[6];
    const V t38 = t33 * t36;
    const V t39 = t38 - t35;
    const V t40 = t38 + t39;
    const V t42 = t14 * t40;
    const V t43 = t42 / t31;
    const V t44 = t32 * t43;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t31;
    const V t48 = -t47;
    const V t49 = select_ge(t27, tiny<V>(), t48, splat<V>(S(0.0)));
    const V t50 = x[5] + t49;
    const V t51 = t43 * splat<V>(S(0.5));
    const V t52 = t51 / t26;
    const V t55 = u3 * t50;
    const V t67 = u0 * x[7];
    const V t69 = u1 * x[8];
    const V t70 = t67 + t69;
    const V t71 = t70 + t70;
    const V t72 = t55 * t71;
    const V t73 = t14 * t71;
    const V t75 = u2 * x[9];
    const V t77 = u3 * t73;
    const V t78 = t75 + t77;
    const V t79 = select_ge(t21, tiny<V>(), x[10], splat<V>(S(0.0)));
    const V t81 = t79 / t26;
    const V t82 = t52 * t81;
    const V t84 = splat<V>(S(0.5)) * t81;
    const V t86 = select_ge(t27, tiny<V>(), t78, splat<V>(S(0.0)));
    const V t90 = t86 / t31;
    const V t92 = t47 * t90;
    const V t94 = splat<V>(S(0.5)) * t90;
    const V t99 = t43 * t94;
    const V t101 = t32 * t94;
    const V t103 = t84 - t101;
    const V t104 = t103 / t31;
    const V t105 = t43 * t104;
    const V t107 = t92 - t105;
    const V t108 = t40 * t104;
    const V t109 = t14 * t104;
    const V t110 = t72 + t108;
    const V t111 = t40 * t70;
    const V t112 = t32 * t70;
    const V t113 = t111 - t99;
    const V t114 = t109 + t112;
    const V t116 = t114 + t114;
    const V t117 = t36 * t116;
    const V t118 = t33 * t116;
    const V t120 = u2 * x[10];
    const V t123 = u3 * t118;
    const V t125 = t120 + t123;
    const V t128 = u5 * t114;
    const V t129 = -t128;
    const V t130 = t32 * t117;
    const V t131 = t14 * t117;
    const V t132 = t110 + t130;
    const V t133 = t113 + t131;
    const V t134 = t133 / t31;
    const V t135 = t32 * t134;
    const V t137 = t134 - t82;
    const V t138 = t107 - t135;
    const V t139 = splat<V>(S(0.5)) * t138;
    const V t140 = t139 / t31;
    const V t141 = select_ge(t27, tiny<V>(), t140, splat<V>(S(0.0)));
    const V t145 = splat<V>(S(0.5)) * t137;
    const V t146 = t145 / t26;
    const V t147 = select_ge(t21, tiny<V>(), t146, splat<V>(S(0.0)));
    const V t153 = u3 * t141;
    const V t158 = u2 * t141;
    const V t161 = t14 * t153;
    const V t162 = t132 + t161;
    const V t163 = t161 + t162;
    const V t164 = u1 * t163;
    const V t167 = u0 * t163;
    y[0] = t167;
    y[1] = t164;
    y[2] = t158;
    y[3] = t147;
    y[4] = t129;
    y[5] = t78;
    y[6] = t125;
  }
};

// adadelta, weight decay: update, vjps_vjps
template <class S, class V>
struct k_40ae0a541932_vjps_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t20;
    const V t28 = t27;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t28);
    const V t30 = select_ge(t27, tiny<V>(), t27, t29);
    const V t31 = sqrt_(t30);
    const V t32 = t26 / t31;
    const V t33 = t14 * t32;
    const V t34 = t33 * t33;
    const V t38 = u5 * x[4];
    const V t40 = u3 * x[6];
    const V t43 = t33 * t40;
    const V t44 = t43 - t38;
    const V t45 = t43 + t44;
    const V t46 = t32 * t45;
    const V t47 = t14 * t45;
    const V t48 = t47 / t31;
    const V t49 = t32 * t48;
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t31;
    const V t53 = -t52;
    const V t54 = select_ge(t27, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t55 = x[5] + t54;
    const V t56 = t48 * splat<V>(S(0.5));
    const V t57 = t56 / t26;
    const V t61 = u3 * t55;
    const V t68 = t14 * t61;
    const V t69 = t46 + t68;
    const V t70 = t68 + t69;
    const V t84 = t70 * u6;
    const V t85 = x[0] * u6;
    const V t86 = t70 * x[7];
    const V t87 = u0 * x[7];
    const V t88 = t85 + t87;
    const V t89 = t70 * u7;
    const V t90 = x[1] * u7;
    const V t91 = t88 + t90;
    const V t92 = t70 * x[8];
    const V t93 = u1 * x[8];
    const V t94 = t91 + t93;
    const V t95 = t94 + t94;
    const V t96 = t61 * t95;
    const V t97 = t14 * t95;
    const V t98 = t55 * u8;
    const V t99 = x[2] * u8;
    const V t100 = t55 * x[9];
    const V t101 = u2 * x[9];
    const V t102 = t99 + t101;
    const V t105 = t15 * u8;
    const V t107 = t102 - t105;
    const V t108 = t55 * t97;
    const V t109 = u3 * t97;
    const V t110 = t107 + t109;
    const V t111 = x[10] + u9;
    const V t112 = select_ge(t21, tiny<V>(), t111, splat<V>(S(0.0)));
    const V t114 = t112 / t26;
    const V t115 = t57 * t114;
    const V t117 = splat<V>(S(0.5)) * t114;
    const V t119 = u9 + t110;
    const V t120 = select_ge(t27, tiny<V>(), t119, splat<V>(S(0.0)));
    const V t124 = t120 / t31;
    const V t126 = t52 * t124;
    const V t128 = splat<V>(S(0.5)) * t124;
    const V t133 = t48 * t128;
    const V t135 = t32 * t128;
    const V t137 = t117 - t135;
    const V t138 = t137 / t31;
    const V t139 = t48 * t138;
    const V t141 = t126 - t139;
    const V t142 = t45 * t138;
    const V t143 = t14 * t138;
    const V t144 = t96 + t142;
    const V t145 = t45 * t94;
    const V t146 = t32 * t94;
    const V t147 = t145 - t133;
    const V t148 = t143 + t146;
    const V t150 = t148 + t148;
    const V t151 = t40 * t150;
    const V t152 = t33 * t150;
    const V t153 = x[6] * u8;
    const V t154 = x[3] * u8;
    const V t155 = x[6] * x[10];
    const V t156 = u2 * x[10];
    const V t157 = t100 + t155;
    const V t158 = t154 + t156;
    const V t159 = x[6] * t152;
    const V t160 = u3 * t152;
    const V t161 = t108 + t159;
    const V t162 = t158 + t160;
    const V t164 = t34 * u8;
    const V t166 = t162 - t164;
    const V t167 = x[4] * t148;
    const V t168 = -t167;
    const V t169 = u5 * t148;
    const V t170 = -t169;
    const V t172 = x[4] * u10;
    const V t174 = t33 * u10;
    const V t176 = t151 - t172;
    const V t177 = t170 - t174;
    const V t178 = t33 * t153;
    const V t180 = t176 - t178;
    const V t181 = t180 - t178;
    const V t182 = t32 * t181;
    const V t183 = t14 * t181;
    const V t184 = t144 + t182;
    const V t185 = t147 + t183;
    const V t186 = t185 / t31;
    const V t187 = t32 * t186;
    const V t189 = t186 - t115;
    const V t190 = t141 - t187;
    const V t191 = splat<V>(S(0.5)) * t190;
    const V t192 = t191 / t31;
    const V t193 = select_ge(t27, tiny<V>(), t192, splat<V>(S(0.0)));
    const V t197 = splat<V>(S(0.5)) * t189;
    const V t198 = t197 / t26;
    const V t199 = select_ge(t21, tiny<V>(), t198, splat<V>(S(0.0)));
    const V t204 = t153 + t199;
    const V t205 = t193 + t199;
    const V t206 = u3 * t193;
    const V t207 = t15 * t193;
    const V t208 = t206 - t98;
    const V t209 = t161 + t207;
    const V t211 = t157 - t209;
    const V t212 = u2 * t193;
    const V t213 = x[2] * t193;
    const V t214 = t98 + t212;
    const V t215 = t211 + t213;
    const V t216 = t14 * t208;
    const V t217 = t184 + t216;
    const V t218 = t216 + t217;
    const V t219 = u1 * t218;
    const V t220 = x[1] * t218;
    const V t221 = t89 + t219;
    const V t222 = t92 + t220;
    const V t223 = u0 * t218;
    const V t224 = x[0] * t218;
    const V t225 = t84 + t223;
    const V t226 = t86 + t224;
    y[0] = t225;
    y[1] = t221;
    y[2] = t214;
    y[3] = t204;
    y[4] = t177;
    y[5] = t110;
    y[6] = t166;
    y[7] = t226;
    y[8] = t222;
    y[9] = t215;
    y[10] = t205;
    y[11] = t168;
  }
};

// adadelta, weight decay: parameters, forward
template <class S, class V>
struct k_51ade69e9247_forward {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t31 = t30 * t30;
    const V t32 = x[3] * u2;
    const V t33 = u3 * t31;
    const V t34 = t32 + t33;
    const V t36 = u5 * t30;
    const V t38 = x[1] - t36;
    y[0] = t38;
    y[1] = t17;
    y[2] = t34;
  }
};

// adadelta, weight decay: parameters, vjp
template <class S, class V>
struct k_51ade69e9247_vjp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t44 = u5 * x[4];
    const V t47 = u3 * x[6];
    const V t48 = u2 * x[6];
    const V t50 = t30 * t47;
    const V t51 = t50 - t44;
    const V t52 = t50 + t51;
    const V t53 = t29 * t52;
    const V t54 = t11 * t52;
    const V t55 = t54 / t28;
    const V t56 = t29 * t55;
    const V t59 = t56 * splat<V>(S(0.5));
    const V t61 = t59 / t28;
    const V t62 = -t61;
    const V t63 = select_ge(t24, tiny<V>(), t62, splat<V>(S(0.0)));
    const V t67 = x[5] + t63;
    const V t68 = t55 * splat<V>(S(0.5));
    const V t69 = t68 / t23;
    const V t70 = select_ge(t18, tiny<V>(), t69, splat<V>(S(0.0)));
    const V t75 = t48 + t70;
    const V t77 = u3 * t67;
    const V t82 = u2 * t67;
    const V t85 = t11 * t77;
    const V t86 = t53 + t85;
    const V t87 = t85 + t86;
    const V t88 = u1 * t87;
    const V t90 = x[4] + t88;
    const V t91 = u0 * t87;
    y[0] = t91;
    y[1] = t90;
    y[2] = t82;
    y[3] = t75;
  }
};

// adadelta, weight decay: parameters, vjps
template <class S, class V>
struct k_51ade69e9247_vjps {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t31 = t30 * t30;
    const V t42 = t30 * x[4];
    const V t43 = -t42;
    const V t44 = u5 * x[4];
    const V t46 = t31 * x[6];
    const V t47 = u3 * x[6];
    const V t48 = u2 * x[6];
    const V t49 = x[3] * x[6];
    const V t50 = t30 * t47;
    const V t51 = t50 - t44;
    const V t52 = t50 + t51;
    const V t53 = t29 * t52;
    const V t54 = t11 * t52;
    const V t55 = t54 / t28;
    const V t56 = t29 * t55;
    const V t59 = t56 * splat<V>(S(0.5));
    const V t61 = t59 / t28;
    const V t62 = -t61;
    const V t63 = select_ge(t24, tiny<V>(), t62, splat<V>(S(0.0)));
    const V t67 = x[5] + t63;
    const V t68 = t55 * splat<V>(S(0.5));
    const V t69 = t68 / t23;
    const V t70 = select_ge(t18, tiny<V>(), t69, splat<V>(S(0.0)));
    const V t75 = t48 + t70;
    const V t76 = t63 + t70;
    const V t77 = u3 * t67;
    const V t78 = t12 * t67;
    const V t79 = t46 + t78;
    const V t81 = t49 - t79;
    const V t82 = u2 * t67;
    const V t83 = x[2] * t67;
    const V t84 = t81 + t83;
    const V t85 = t11 * t77;
    const V t86 = t53 + t85;
    const V t87 = t85 + t86;
    const V t88 = u1 * t87;
    const V t89 = x[1] * t87;
    const V t90 = x[4] + t88;
    const V t91 = u0 * t87;
    const V t92 = x[0] * t87;
    y[0] = t91;
    y[1] = t90;
    y[2] = t82;
    y[3] = t75;
    y[4] = t92;
    y[5] = t89;
    y[6] = t84;
    y[7] = t76;
    y[8] = t43;
  }
};

// adadelta, weight decay: parameters, jvp
template <class S, class V>
struct k_51ade69e9247_jvp {
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
    const V t20 = t18;
    const V t21 = select_gt(tiny<V>(), t18, tiny<V>(), t20);
    const V t22 = select_ge(t18, tiny<V>(), t18, t21);
    const V t23 = sqrt_(t22);
    const V t24 = u4 + t17;
    const V t25 = t24;
    const V t26 = select_gt(tiny<V>(), t24, tiny<V>(), t25);
    const V t27 = select_ge(t24, tiny<V>(), t24, t26);
    const V t28 = sqrt_(t27);
    const V t29 = t23 / t28;
    const V t30 = t11 * t29;
    const V t31 = t30 * t30;
    const V t47 = u0 * x[4];
    const V t48 = x[0] * u5;
    const V t49 = t47 + t48;
    const V t50 = u1 * x[5];
    const V t51 = x[1] * u6;
    const V t52 = t50 + t51;
    const V t53 = t49 + t52;
    const V t54 = t11 * t53;
    const V t55 = t54 + t54;
    const V t56 = u2 * x[6];
    const V t57 = x[2] * u7;
    const V t58 = t56 + t57;
    const V t60 = u3 * t55;
    const V t61 = t12 * u7;
    const V t63 = t60 - t61;
    const V t64 = t58 + t63;
    const V t65 = x[7] + u8;
    const V t66 = select_ge(t18, tiny<V>(), t65, splat<V>(S(0.0)));
    const V t68 = t66 * splat<V>(S(0.5));
    const V t69 = t68 / t23;
    const V t70 = u8 + t64;
    const V t71 = select_ge(t24, tiny<V>(), t70, splat<V>(S(0.0)));
    const V t72 = splat<V>(S(0.5)) * t71;
    const V t73 = t72 / t28;
    const V t74 = t29 * t73;
    const V t75 = t69 - t74;
    const V t76 = t75 / t28;
    const V t77 = t29 * t53;
    const V t78 = t11 * t76;
    const V t79 = t77 + t78;
    const V t80 = t30 * t79;
    const V t81 = t80 + t80;
    const V t82 = u2 * x[7];
    const V t83 = x[3] * u7;
    const V t84 = t82 + t83;
    const V t85 = t31 * u7;
    const V t87 = u3 * t81;
    const V t88 = t87 - t85;
    const V t89 = t84 + t88;
    const V t90 = t30 * u9;
    const V t91 = u10 * t79;
    const V t92 = t90 + t91;
    const V t93 = x[5] - t92;
    y[0] = t93;
    y[1] = t64;
    y[2] = t89;
  }
};

// adadelta, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_51ade69e9247_vjp_vjp {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t20;
    const V t28 = t27;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t28);
    const V t30 = select_ge(t27, tiny<V>(), t27, t29);
    const V t31 = sqrt_(t30);
    const V t32 = t26 / t31;
    const V t33 = t14 * t32;
    const V t35 = u5 * x[4];
    const V t36 = u3 * x[6];
    const V t38 = t33 * t36;
    const V t39 = t38 - t35;
    const V t40 = t38 + t39;
    const V t42 = t14 * t40;
    const V t43 = t42 / t31;
    const V t44 = t32 * t43;
    const V t46 = t44 * splat<V>(S(0.5));
    const V t47 = t46 / t31;
    const V t48 = -t47;
    const V t49 = select_ge(t27, tiny<V>(), t48, splat<V>(S(0.0)));
    const V t50 = x[5] + t49;
    const V t51 = t43 * splat<V>(S(0.5));
    const V t52 = t51 / t26;
    const V t55 = u3 * t50;
    const V t68 = u0 * x[7];
    const V t70 = u1 * x[8];
    const V t71 = t68 + t70;
    const V t72 = t71 + t71;
    const V t73 = t55 * t72;
    const V t74 = t14 * t72;
    const V t76 = u2 * x[9];
    const V t78 = u3 * t74;
    const V t79 = t76 + t78;
    const V t80 = select_ge(t21, tiny<V>(), x[10], splat<V>(S(0.0)));
    const V t82 = t80 / t26;
    const V t83 = t52 * t82;
    const V t85 = splat<V>(S(0.5)) * t82;
    const V t87 = select_ge(t27, tiny<V>(), t79, splat<V>(S(0.0)));
    const V t91 = t87 / t31;
    const V t93 = t47 * t91;
    const V t95 = splat<V>(S(0.5)) * t91;
    const V t100 = t43 * t95;
    const V t102 = t32 * t95;
    const V t104 = t85 - t102;
    const V t105 = t104 / t31;
    const V t106 = t43 * t105;
    const V t108 = t93 - t106;
    const V t109 = t40 * t105;
    const V t110 = t14 * t105;
    const V t111 = t73 + t109;
    const V t112 = t40 * t71;
    const V t113 = t32 * t71;
    const V t114 = t112 - t100;
    const V t115 = t110 + t113;
    const V t117 = t115 + t115;
    const V t118 = t36 * t117;
    const V t119 = t33 * t117;
    const V t121 = u2 * x[10];
    const V t124 = u3 * t119;
    const V t126 = t121 + t124;
    const V t129 = u5 * t115;
    const V t131 = x[8] - t129;
    const V t132 = t32 * t118;
    const V t133 = t14 * t118;
    const V t134 = t111 + t132;
    const V t135 = t114 + t133;
    const V t136 = t135 / t31;
    const V t137 = t32 * t136;
    const V t139 = t136 - t83;
    const V t140 = t108 - t137;
    const V t141 = splat<V>(S(0.5)) * t140;
    const V t142 = t141 / t31;
    const V t143 = select_ge(t27, tiny<V>(), t142, splat<V>(S(0.0)));
    const V t147 = splat<V>(S(0.5)) * t139;
    const V t148 = t147 / t26;
    const V t149 = select_ge(t21, tiny<V>(), t148, splat<V>(S(0.0)));
    const V t155 = u3 * t143;
    const V t160 = u2 * t143;
    const V t163 = t14 * t155;
    const V t164 = t134 + t163;
    const V t165 = t163 + t164;
    const V t166 = u1 * t165;
    const V t169 = u0 * t165;
    y[0] = t169;
    y[1] = t166;
    y[2] = t160;
    y[3] = t149;
    y[4] = t131;
    y[5] = t79;
    y[6] = t126;
  }
};

// adadelta, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_51ade69e9247_vjps_vjps {
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
    const V t23 = t21;
    const V t24 = select_gt(tiny<V>(), t21, tiny<V>(), t23);
    const V t25 = select_ge(t21, tiny<V>(), t21, t24);
    const V t26 = sqrt_(t25);
    const V t27 = u4 + t20;
    const V t28 = t27;
    const V t29 = select_gt(tiny<V>(), t27, tiny<V>(), t28);
    const V t30 = select_ge(t27, tiny<V>(), t27, t29);
    const V t31 = sqrt_(t30);
    const V t32 = t26 / t31;
    const V t33 = t14 * t32;
    const V t34 = t33 * t33;
    const V t38 = u5 * x[4];
    const V t40 = u3 * x[6];
    const V t43 = t33 * t40;
    const V t44 = t43 - t38;
    const V t45 = t43 + t44;
    const V t46 = t32 * t45;
    const V t47 = t14 * t45;
    const V t48 = t47 / t31;
    const V t49 = t32 * t48;
    const V t51 = t49 * splat<V>(S(0.5));
    const V t52 = t51 / t31;
    const V t53 = -t52;
    const V t54 = select_ge(t27, tiny<V>(), t53, splat<V>(S(0.0)));
    const V t55 = x[5] + t54;
    const V t56 = t48 * splat<V>(S(0.5));
    const V t57 = t56 / t26;
    const V t61 = u3 * t55;
    const V t68 = t14 * t61;
    const V t69 = t46 + t68;
    const V t70 = t68 + t69;
    const V t85 = t70 * u6;
    const V t86 = x[0] * u6;
    const V t87 = t70 * x[7];
    const V t88 = u0 * x[7];
    const V t89 = t86 + t88;
    const V t90 = t70 * u7;
    const V t91 = x[1] * u7;
    const V t92 = t89 + t91;
    const V t93 = t70 * x[8];
    const V t94 = u1 * x[8];
    const V t95 = t92 + t94;
    const V t96 = t95 + t95;
    const V t97 = t61 * t96;
    const V t98 = t14 * t96;
    const V t99 = t55 * u8;
    const V t100 = x[2] * u8;
    const V t101 = t55 * x[9];
    const V t102 = u2 * x[9];
    const V t103 = t100 + t102;
    const V t106 = t15 * u8;
    const V t108 = t103 - t106;
    const V t109 = t55 * t98;
    const V t110 = u3 * t98;
    const V t111 = t108 + t110;
    const V t112 = x[10] + u9;
    const V t113 = select_ge(t21, tiny<V>(), t112, splat<V>(S(0.0)));
    const V t115 = t113 / t26;
    const V t116 = t57 * t115;
    const V t118 = splat<V>(S(0.5)) * t115;
    const V t120 = u9 + t111;
    const V t121 = select_ge(t27, tiny<V>(), t120, splat<V>(S(0.0)));
    const V t125 = t121 / t31;
    const V t127 = t52 * t125;
    const V t129 = splat<V>(S(0.5)) * t125;
    const V t134 = t48 * t129;
    const V t136 = t32 * t129;
    const V t138 = t118 - t136;
    const V t139 = t138 / t31;
    const V t140 = t48 * t139;
    const V t142 = t127 - t140;
    const V t143 = t45 * t139;
    const V t144 = t14 * t139;
    const V t145 = t97 + t143;
    const V t146 = t45 * t95;
    const V t147 = t32 * t95;
    const V t148 = t146 - t134;
    const V t149 = t144 + t147;
    const V t151 = t149 + t149;
    const V t152 = t40 * t151;
    const V t153 = t33 * t151;
    const V t154 = x[6] * u8;
    const V t155 = x[3] * u8;
    const V t156 = x[6] * x[10];
    const V t157 = u2 * x[10];
    const V t158 = t101 + t156;
    const V t159 = t155 + t157;
    const V t160 = x[6] * t153;
    const V t161 = u3 * t153;
    const V t162 = t109 + t160;
    const V t163 = t159 + t161;
    const V t165 = t34 * u8;
    const V t167 = t163 - t165;
    const V t168 = x[4] * t149;
    const V t169 = -t168;
    const V t170 = u5 * t149;
    const V t172 = x[8] - t170;
    const V t174 = x[4] * u10;
    const V t176 = t33 * u10;
    const V t178 = t152 - t174;
    const V t179 = t172 - t176;
    const V t180 = t33 * t154;
    const V t182 = t178 - t180;
    const V t183 = t182 - t180;
    const V t184 = t32 * t183;
    const V t185 = t14 * t183;
    const V t186 = t145 + t184;
    const V t187 = t148 + t185;
    const V t188 = t187 / t31;
    const V t189 = t32 * t188;
    const V t191 = t188 - t116;
    const V t192 = t142 - t189;
    const V t193 = splat<V>(S(0.5)) * t192;
    const V t194 = t193 / t31;
    const V t195 = select_ge(t27, tiny<V>(), t194, splat<V>(S(0.0)));
    const V t199 = splat<V>(S(0.5)) * t191;
    const V t200 = t199 / t26;
    const V t201 = select_ge(t21, tiny<V>(), t200, splat<V>(S(0.0)));
    const V t206 = t154 + t201;
    const V t207 = t195 + t201;
    const V t208 = u3 * t195;
    const V t209 = t15 * t195;
    const V t210 = t208 - t99;
    const V t211 = t162 + t209;
    const V t213 = t158 - t211;
    const V t214 = u2 * t195;
    const V t215 = x[2] * t195;
    const V t216 = t99 + t214;
    const V t217 = t213 + t215;
    const V t218 = t14 * t210;
    const V t219 = t186 + t218;
    const V t220 = t218 + t219;
    const V t221 = u1 * t220;
    const V t222 = x[1] * t220;
    const V t223 = t90 + t221;
    const V t224 = t93 + t222;
    const V t225 = u0 * t220;
    const V t226 = x[0] * t220;
    const V t227 = t85 + t225;
    const V t228 = t87 + t226;
    y[0] = t227;
    y[1] = t223;
    y[2] = t216;
    y[3] = t206;
    y[4] = t179;
    y[5] = t111;
    y[6] = t167;
    y[7] = t228;
    y[8] = t224;
    y[9] = t217;
    y[10] = t207;
    y[11] = t169;
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
    const V t44 = select_eq(t15, t17, t43, t36);
    const V t45 = select_gt(t17, t15, splat<V>(S(0.0)), t44);
    const V t46 = select_gt(t15, t17, splat<V>(S(0.0)), t44);
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
    const V t44 = select_eq(t15, t17, t43, t36);
    const V t45 = select_gt(t17, t15, splat<V>(S(0.0)), t44);
    const V t46 = select_gt(t15, t17, splat<V>(S(0.0)), t44);
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
    const V t54 = select_eq(t15, t17, t53, t51);
    const V t55 = select_gt(t17, t15, t50, t54);
    const V t56 = select_gt(t15, t17, t47, t55);
    const V t57 = t19 * u10;
    const V t58 = t44 - t57;
    const V t59 = t58 / u5;
    const V t60 = t20 * t56;
    const V t61 = t59 - t60;
    const V t62 = t61 / t18;
    const V t63 = t20 * u11;
    const V t64 = u12 * t62;
    const V t65 = t63 + t64;
    const V t66 = -t65;
    y[0] = t66;
    y[1] = t44;
    y[2] = t56;
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
    const V t58 = select_gt(t18, t20, splat<V>(S(0.0)), t55);
    const V t60 = select_gt(t20, t18, splat<V>(S(0.0)), t54);
    const V t62 = t58 + t60;
    const V t63 = select_eq(t18, t20, t62, splat<V>(S(0.0)));
    const V t64 = select_eq(t18, t20, splat<V>(S(0.0)), t62);
    const V t65 = splat<V>(S(0.5)) * t63;
    const V t67 = t64 + t65;
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
    const V t90 = select_eq(t18, t20, t89, t84);
    const V t91 = select_gt(t20, t18, splat<V>(S(0.0)), t90);
    const V t92 = select_gt(t18, t20, splat<V>(S(0.0)), t90);
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
    const V t36 = select_eq(t18, t20, t35, t30);
    const V t37 = select_gt(t20, t18, splat<V>(S(0.0)), t36);
    const V t38 = select_gt(t18, t20, splat<V>(S(0.0)), t36);
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
    const V t87 = select_gt(t18, t20, splat<V>(S(0.0)), t85);
    const V t89 = select_gt(t20, t18, splat<V>(S(0.0)), t82);
    const V t91 = t87 + t89;
    const V t92 = select_eq(t18, t20, t91, splat<V>(S(0.0)));
    const V t93 = select_eq(t18, t20, splat<V>(S(0.0)), t91);
    const V t94 = splat<V>(S(0.5)) * t92;
    const V t96 = t93 + t94;
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
    const V t129 = select_eq(t18, t20, t128, t123);
    const V t130 = select_gt(t20, t18, splat<V>(S(0.0)), t129);
    const V t131 = select_gt(t18, t20, splat<V>(S(0.0)), t129);
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
    const V t45 = select_eq(t16, t18, t44, t37);
    const V t46 = select_gt(t18, t16, splat<V>(S(0.0)), t45);
    const V t47 = select_gt(t16, t18, splat<V>(S(0.0)), t45);
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
    const V t45 = select_eq(t16, t18, t44, t37);
    const V t46 = select_gt(t18, t16, splat<V>(S(0.0)), t45);
    const V t47 = select_gt(t16, t18, splat<V>(S(0.0)), t45);
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
    const V t56 = select_eq(t16, t18, t55, t53);
    const V t57 = select_gt(t18, t16, t52, t56);
    const V t58 = select_gt(t16, t18, t49, t57);
    const V t59 = t20 * u10;
    const V t60 = t46 - t59;
    const V t61 = t60 / u5;
    const V t62 = t21 * t58;
    const V t63 = t61 - t62;
    const V t64 = t63 / t19;
    const V t65 = t21 * u11;
    const V t66 = u12 * t64;
    const V t67 = t65 + t66;
    const V t68 = x[5] - t67;
    y[0] = t68;
    y[1] = t46;
    y[2] = t58;
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
    const V t60 = select_gt(t19, t21, splat<V>(S(0.0)), t57);
    const V t62 = select_gt(t21, t19, splat<V>(S(0.0)), t56);
    const V t64 = t60 + t62;
    const V t65 = select_eq(t19, t21, t64, splat<V>(S(0.0)));
    const V t66 = select_eq(t19, t21, splat<V>(S(0.0)), t64);
    const V t67 = splat<V>(S(0.5)) * t65;
    const V t69 = t66 + t67;
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
    const V t93 = select_eq(t19, t21, t92, t87);
    const V t94 = select_gt(t21, t19, splat<V>(S(0.0)), t93);
    const V t95 = select_gt(t19, t21, splat<V>(S(0.0)), t93);
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
    const V t37 = select_eq(t19, t21, t36, t31);
    const V t38 = select_gt(t21, t19, splat<V>(S(0.0)), t37);
    const V t39 = select_gt(t19, t21, splat<V>(S(0.0)), t37);
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
    const V t89 = select_gt(t19, t21, splat<V>(S(0.0)), t87);
    const V t91 = select_gt(t21, t19, splat<V>(S(0.0)), t84);
    const V t93 = t89 + t91;
    const V t94 = select_eq(t19, t21, t93, splat<V>(S(0.0)));
    const V t95 = select_eq(t19, t21, splat<V>(S(0.0)), t93);
    const V t96 = splat<V>(S(0.5)) * t94;
    const V t98 = t95 + t96;
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
    const V t132 = select_eq(t19, t21, t131, t126);
    const V t133 = select_gt(t21, t19, splat<V>(S(0.0)), t132);
    const V t134 = select_gt(t19, t21, splat<V>(S(0.0)), t132);
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
    const V t48 = select_eq(t19, t21, t47, t40);
    const V t49 = select_gt(t21, t19, splat<V>(S(0.0)), t48);
    const V t50 = select_gt(t19, t21, splat<V>(S(0.0)), t48);
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
    const V t48 = select_eq(t19, t21, t47, t40);
    const V t49 = select_gt(t21, t19, splat<V>(S(0.0)), t48);
    const V t50 = select_gt(t19, t21, splat<V>(S(0.0)), t48);
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
    const V t64 = select_eq(t19, t21, t63, t61);
    const V t65 = select_gt(t21, t19, t60, t64);
    const V t66 = select_gt(t19, t21, t57, t65);
    const V t67 = t23 * u12;
    const V t68 = t54 - t67;
    const V t69 = t68 / u6;
    const V t70 = t24 * t66;
    const V t71 = t69 - t70;
    const V t72 = t71 / t22;
    const V t73 = t24 * u13;
    const V t74 = u14 * t72;
    const V t75 = t73 + t74;
    const V t76 = -t75;
    y[0] = t76;
    y[1] = t54;
    y[2] = t66;
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
    const V t67 = select_gt(t22, t24, splat<V>(S(0.0)), t64);
    const V t69 = select_gt(t24, t22, splat<V>(S(0.0)), t63);
    const V t71 = t67 + t69;
    const V t72 = select_eq(t22, t24, t71, splat<V>(S(0.0)));
    const V t73 = select_eq(t22, t24, splat<V>(S(0.0)), t71);
    const V t74 = splat<V>(S(0.5)) * t72;
    const V t76 = t73 + t74;
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
    const V t99 = select_eq(t22, t24, t98, t93);
    const V t100 = select_gt(t24, t22, splat<V>(S(0.0)), t99);
    const V t101 = select_gt(t22, t24, splat<V>(S(0.0)), t99);
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
    const V t40 = select_eq(t22, t24, t39, t34);
    const V t41 = select_gt(t24, t22, splat<V>(S(0.0)), t40);
    const V t42 = select_gt(t22, t24, splat<V>(S(0.0)), t40);
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
    const V t101 = select_gt(t22, t24, splat<V>(S(0.0)), t99);
    const V t103 = select_gt(t24, t22, splat<V>(S(0.0)), t96);
    const V t105 = t101 + t103;
    const V t106 = select_eq(t22, t24, t105, splat<V>(S(0.0)));
    const V t107 = select_eq(t22, t24, splat<V>(S(0.0)), t105);
    const V t108 = splat<V>(S(0.5)) * t106;
    const V t110 = t107 + t108;
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
    const V t143 = select_eq(t22, t24, t142, t137);
    const V t144 = select_gt(t24, t22, splat<V>(S(0.0)), t143);
    const V t145 = select_gt(t22, t24, splat<V>(S(0.0)), t143);
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
    const V t48 = select_eq(t19, t21, t47, t40);
    const V t49 = select_gt(t21, t19, splat<V>(S(0.0)), t48);
    const V t50 = select_gt(t19, t21, splat<V>(S(0.0)), t48);
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
    const V t48 = select_eq(t19, t21, t47, t40);
    const V t49 = select_gt(t21, t19, splat<V>(S(0.0)), t48);
    const V t50 = select_gt(t19, t21, splat<V>(S(0.0)), t48);
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
    const V t64 = select_eq(t19, t21, t63, t61);
    const V t65 = select_gt(t21, t19, t60, t64);
    const V t66 = select_gt(t19, t21, t57, t65);
    const V t67 = t23 * u12;
    const V t68 = t54 - t67;
    const V t69 = t68 / u6;
    const V t70 = t24 * t66;
    const V t71 = t69 - t70;
    const V t72 = t71 / t22;
    const V t73 = t24 * u13;
    const V t74 = u14 * t72;
    const V t75 = t73 + t74;
    const V t76 = x[5] - t75;
    y[0] = t76;
    y[1] = t54;
    y[2] = t66;
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
    const V t68 = select_gt(t22, t24, splat<V>(S(0.0)), t65);
    const V t70 = select_gt(t24, t22, splat<V>(S(0.0)), t64);
    const V t72 = t68 + t70;
    const V t73 = select_eq(t22, t24, t72, splat<V>(S(0.0)));
    const V t74 = select_eq(t22, t24, splat<V>(S(0.0)), t72);
    const V t75 = splat<V>(S(0.5)) * t73;
    const V t77 = t74 + t75;
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
    const V t101 = select_eq(t22, t24, t100, t95);
    const V t102 = select_gt(t24, t22, splat<V>(S(0.0)), t101);
    const V t103 = select_gt(t22, t24, splat<V>(S(0.0)), t101);
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
    const V t40 = select_eq(t22, t24, t39, t34);
    const V t41 = select_gt(t24, t22, splat<V>(S(0.0)), t40);
    const V t42 = select_gt(t22, t24, splat<V>(S(0.0)), t40);
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
    const V t102 = select_gt(t22, t24, splat<V>(S(0.0)), t100);
    const V t104 = select_gt(t24, t22, splat<V>(S(0.0)), t97);
    const V t106 = t102 + t104;
    const V t107 = select_eq(t22, t24, t106, splat<V>(S(0.0)));
    const V t108 = select_eq(t22, t24, splat<V>(S(0.0)), t106);
    const V t109 = splat<V>(S(0.5)) * t107;
    const V t111 = t108 + t109;
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
    const V t145 = select_eq(t22, t24, t144, t139);
    const V t146 = select_gt(t24, t22, splat<V>(S(0.0)), t145);
    const V t147 = select_gt(t22, t24, splat<V>(S(0.0)), t145);
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
struct k_fb4b2b1b07ac_forward {
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
    const V t27 = t22;
    const V t28 = select_gt(tiny<V>(), t22, tiny<V>(), t27);
    const V t29 = select_ge(t22, tiny<V>(), t22, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u5 + t30;
    const V t32 = u6 / t31;
    const V t33 = t17 / u7;
    const V t35 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t32);
    const V t36 = t33 * t35;
    const V t38 = u9 * t36;
    const V t39 = -t38;
    y[0] = t39;
    y[1] = t17;
    y[2] = t22;
  }
};

// radam: update, vjp
template <class S, class V>
struct k_fb4b2b1b07ac_vjp {
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
    const V t26 = t22;
    const V t27 = select_gt(tiny<V>(), t22, tiny<V>(), t26);
    const V t28 = select_ge(t22, tiny<V>(), t22, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u5 + t29;
    const V t31 = u6 / t30;
    const V t32 = t17 / u7;
    const V t34 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t31);
    const V t44 = u9 * x[3];
    const V t46 = t34 * t44;
    const V t48 = t32 * t44;
    const V t49 = -t48;
    const V t51 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t49);
    const V t52 = t46 / u7;
    const V t56 = x[4] - t52;
    const V t57 = t51 / t30;
    const V t58 = t31 * t57;
    const V t61 = t58 * splat<V>(S(0.5));
    const V t63 = t61 / t29;
    const V t64 = -t63;
    const V t65 = select_ge(t22, tiny<V>(), t64, splat<V>(S(0.0)));
    const V t67 = x[5] + t65;
    const V t74 = u4 * t67;
    const V t78 = u3 * t67;
    const V t81 = t12 * t74;
    const V t82 = t81 + t81;
    const V t83 = u2 * t56;
    const V t85 = t82 + t83;
    const V t88 = u1 * t56;
    const V t91 = u0 * t85;
    y[0] = t91;
    y[1] = t88;
    y[2] = t78;
  }
};

// radam: update, vjps
template <class S, class V>
struct k_fb4b2b1b07ac_vjps {
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
    const V t26 = t22;
    const V t27 = select_gt(tiny<V>(), t22, tiny<V>(), t26);
    const V t28 = select_ge(t22, tiny<V>(), t22, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u5 + t29;
    const V t31 = u6 / t30;
    const V t32 = t17 / u7;
    const V t34 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t31);
    const V t35 = t32 * t34;
    const V t42 = t35 * x[3];
    const V t43 = -t42;
    const V t44 = u9 * x[3];
    const V t46 = t34 * t44;
    const V t48 = t32 * t44;
    const V t49 = -t48;
    const V t51 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t49);
    const V t52 = t46 / u7;
    const V t54 = t32 * t52;
    const V t56 = x[4] - t52;
    const V t57 = t51 / t30;
    const V t58 = t31 * t57;
    const V t59 = -t58;
    const V t61 = t58 * splat<V>(S(0.5));
    const V t63 = t61 / t29;
    const V t64 = -t63;
    const V t65 = select_ge(t22, tiny<V>(), t64, splat<V>(S(0.0)));
    const V t67 = x[5] + t65;
    const V t70 = u10 * t57;
    const V t71 = u11 * t57;
    const V t72 = splat<V>(S(0.5)) * t71;
    const V t73 = t72 / u10;
    const V t74 = u4 * t67;
    const V t75 = t18 * t67;
    const V t78 = u3 * t67;
    const V t79 = x[2] * t67;
    const V t80 = t79 - t75;
    const V t81 = t12 * t74;
    const V t82 = t81 + t81;
    const V t83 = u2 * t56;
    const V t84 = t12 * t56;
    const V t85 = t82 + t83;
    const V t88 = u1 * t56;
    const V t89 = x[1] * t56;
    const V t90 = t89 - t84;
    const V t91 = u0 * t85;
    const V t92 = x[0] * t85;
    y[0] = t91;
    y[1] = t88;
    y[2] = t78;
    y[3] = t92;
    y[4] = t90;
    y[5] = t80;
    y[6] = t59;
    y[7] = t54;
    y[8] = t73;
    y[9] = splat<V>(S(0.0));
    y[10] = t70;
    y[11] = t43;
  }
};

// radam: update, jvp
template <class S, class V>
struct k_fb4b2b1b07ac_jvp {
  static constexpr int inputs = 6, outputs = 3, scalars = 18, sums = 0, uniforms = 17;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t15 = double(1.0) - h[1];
    const double t20 = double(1.0) - h[2];
    const double t23 = sqrt_(h[5]);
    const double t24 = h[7] * t23;
    const double t74 = h[14] * double(0.5);
    const double t75 = t74 / t23;
    const double t76 = t23 * h[16];
    const double t77 = h[7] * t75;
    const double t78 = t76 + t77;
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
    const V t12 = x[0] * u0;
    const V t13 = x[1] * u1;
    const V t16 = t12 * u2;
    const V t17 = t13 + t16;
    const V t18 = t12 * t12;
    const V t19 = x[2] * u3;
    const V t21 = t18 * u4;
    const V t22 = t19 + t21;
    const V t26 = t22;
    const V t27 = select_gt(tiny<V>(), t22, tiny<V>(), t26);
    const V t28 = select_ge(t22, tiny<V>(), t22, t27);
    const V t29 = sqrt_(t28);
    const V t30 = u5 + t29;
    const V t31 = u6 / t30;
    const V t32 = t17 / u7;
    const V t34 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t31);
    const V t35 = t32 * t34;
    const V t50 = u0 * x[3];
    const V t51 = x[0] * u9;
    const V t52 = t50 + t51;
    const V t53 = u1 * x[4];
    const V t54 = x[1] * u10;
    const V t55 = t53 + t54;
    const V t57 = u2 * t52;
    const V t58 = t12 * u10;
    const V t60 = t57 - t58;
    const V t61 = t55 + t60;
    const V t62 = t12 * t52;
    const V t63 = t62 + t62;
    const V t64 = u3 * x[5];
    const V t65 = x[2] * u11;
    const V t66 = t64 + t65;
    const V t68 = u4 * t63;
    const V t69 = t18 * u11;
    const V t71 = t68 - t69;
    const V t72 = t66 + t71;
    const V t79 = select_ge(t22, tiny<V>(), t72, splat<V>(S(0.0)));
    const V t80 = splat<V>(S(0.5)) * t79;
    const V t81 = t80 / t29;
    const V t82 = u12 + t81;
    const V t83 = t31 * t82;
    const V t84 = u13 - t83;
    const V t85 = t84 / t30;
    const V t86 = t32 * u14;
    const V t87 = t61 - t86;
    const V t88 = t87 / u7;
    const V t89 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t85);
    const V t90 = t34 * t88;
    const V t91 = t32 * t89;
    const V t92 = t90 + t91;
    const V t93 = t35 * u15;
    const V t94 = u16 * t92;
    const V t95 = t93 + t94;
    const V t96 = -t95;
    y[0] = t96;
    y[1] = t61;
    y[2] = t72;
  }
};

// radam: update, vjp_vjp
template <class S, class V>
struct k_fb4b2b1b07ac_vjp_vjp {
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
    const V t29 = t25;
    const V t30 = select_gt(tiny<V>(), t25, tiny<V>(), t29);
    const V t31 = select_ge(t25, tiny<V>(), t25, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u5 + t32;
    const V t34 = u6 / t33;
    const V t35 = t20 / u7;
    const V t37 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t34);
    const V t38 = u9 * x[3];
    const V t40 = t35 * t38;
    const V t41 = -t40;
    const V t42 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t41);
    const V t45 = t42 / t33;
    const V t46 = t34 * t45;
    const V t48 = t46 * splat<V>(S(0.5));
    const V t49 = t48 / t32;
    const V t50 = -t49;
    const V t51 = select_ge(t25, tiny<V>(), t50, splat<V>(S(0.0)));
    const V t52 = x[5] + t51;
    const V t53 = u4 * t52;
    const V t65 = u0 * x[6];
    const V t67 = u1 * x[7];
    const V t69 = u2 * t65;
    const V t70 = t67 + t69;
    const V t71 = t65 + t65;
    const V t72 = t53 * t71;
    const V t73 = t15 * t71;
    const V t75 = u3 * x[8];
    const V t77 = u4 * t73;
    const V t78 = t75 + t77;
    const V t79 = select_ge(t25, tiny<V>(), t78, splat<V>(S(0.0)));
    const V t82 = t79 / t32;
    const V t84 = t49 * t82;
    const V t86 = splat<V>(S(0.5)) * t82;
    const V t90 = t45 * t86;
    const V t92 = t34 * t86;
    const V t94 = t92 / t33;
    const V t95 = -t94;
    const V t96 = t45 * t94;
    const V t99 = t70 / u7;
    const V t104 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t95);
    const V t107 = t38 * t104;
    const V t109 = t35 * t104;
    const V t110 = -t109;
    const V t111 = t38 * t99;
    const V t112 = -t111;
    const V t113 = t37 * t99;
    const V t115 = t110 - t113;
    const V t117 = u9 * t115;
    const V t119 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t112);
    const V t120 = t119 - t90;
    const V t121 = t107 / u7;
    const V t126 = t120 / t33;
    const V t127 = t34 * t126;
    const V t129 = t96 - t127;
    const V t130 = t84 + t129;
    const V t131 = splat<V>(S(0.5)) * t130;
    const V t132 = t131 / t32;
    const V t133 = select_ge(t25, tiny<V>(), t132, splat<V>(S(0.0)));
    const V t141 = u4 * t133;
    const V t147 = u3 * t133;
    const V t150 = t15 * t141;
    const V t151 = t72 + t150;
    const V t152 = t150 + t151;
    const V t153 = u2 * t121;
    const V t157 = t152 - t153;
    const V t162 = u1 * t121;
    const V t163 = -t162;
    const V t167 = u0 * t157;
    y[0] = t167;
    y[1] = t163;
    y[2] = t147;
    y[3] = t117;
    y[4] = t70;
    y[5] = t78;
  }
};

// radam: update, vjps_vjps
template <class S, class V>
struct k_fb4b2b1b07ac_vjps_vjps {
  static constexpr int inputs = 9, outputs = 6, scalars = 18, sums = 9, uniforms = 22;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t18 = double(1.0) - h[1];
    const double t23 = double(1.0) - h[2];
    const double t26 = sqrt_(h[5]);
    const double t27 = h[7] * t26;
    const double t124 = h[14] / t26;
    const double t128 = double(0.5) * t124;
    const double t130 = h[7] * t128;
    const double t132 = t26 * h[16];
    const double t134 = t130 + t132;
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
    const V t15 = x[0] * u0;
    const V t16 = x[1] * u1;
    const V t19 = t15 * u2;
    const V t20 = t16 + t19;
    const V t21 = t15 * t15;
    const V t22 = x[2] * u3;
    const V t24 = t21 * u4;
    const V t25 = t22 + t24;
    const V t29 = t25;
    const V t30 = select_gt(tiny<V>(), t25, tiny<V>(), t29);
    const V t31 = select_ge(t25, tiny<V>(), t25, t30);
    const V t32 = sqrt_(t31);
    const V t33 = u5 + t32;
    const V t34 = u6 / t33;
    const V t35 = t20 / u7;
    const V t37 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t34);
    const V t38 = t35 * t37;
    const V t41 = u9 * x[3];
    const V t42 = t37 * t41;
    const V t43 = t35 * t41;
    const V t44 = -t43;
    const V t45 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t44);
    const V t46 = t42 / u7;
    const V t48 = x[4] - t46;
    const V t49 = t45 / t33;
    const V t50 = t34 * t49;
    const V t53 = t50 * splat<V>(S(0.5));
    const V t54 = t53 / t32;
    const V t55 = -t54;
    const V t56 = select_ge(t25, tiny<V>(), t55, splat<V>(S(0.0)));
    const V t57 = x[5] + t56;
    const V t59 = u10 * t49;
    const V t60 = splat<V>(S(0.5)) * t59;
    const V t61 = t60 / u11;
    const V t62 = u4 * t57;
    const V t67 = t15 * t62;
    const V t68 = t67 + t67;
    const V t69 = u2 * t48;
    const V t71 = t68 + t69;
    const V t89 = t71 * u12;
    const V t90 = x[0] * u12;
    const V t91 = t71 * x[6];
    const V t92 = u0 * x[6];
    const V t93 = t90 + t92;
    const V t95 = t48 * u13;
    const V t96 = x[1] * u13;
    const V t97 = t48 * x[7];
    const V t98 = u1 * x[7];
    const V t99 = t96 + t98;
    const V t101 = t15 * u13;
    const V t103 = t99 - t101;
    const V t104 = t48 * t93;
    const V t105 = u2 * t93;
    const V t106 = t103 + t105;
    const V t107 = t93 + t93;
    const V t108 = t62 * t107;
    const V t109 = t15 * t107;
    const V t110 = t108 - t95;
    const V t112 = t57 * u14;
    const V t113 = x[2] * u14;
    const V t114 = t57 * x[8];
    const V t115 = u3 * x[8];
    const V t116 = t113 + t115;
    const V t118 = t21 * u14;
    const V t120 = t116 - t118;
    const V t121 = t57 * t109;
    const V t122 = u4 * t109;
    const V t123 = t120 + t122;
    const V t125 = t61 * u15;
    const V t129 = t49 * u16;
    const V t131 = t49 * u17;
    const V t133 = t131 - t125;
    const V t135 = select_ge(t25, tiny<V>(), t123, splat<V>(S(0.0)));
    const V t139 = t135 / t32;
    const V t141 = t54 * t139;
    const V t143 = splat<V>(S(0.5)) * t139;
    const V t144 = -t143;
    const V t149 = t144 - u18;
    const V t150 = t49 * t149;
    const V t151 = t34 * t149;
    const V t152 = u19 + t151;
    const V t153 = t152 / t33;
    const V t154 = t49 * t153;
    const V t155 = -t154;
    const V t157 = t46 * u20;
    const V t158 = t35 * u20;
    const V t159 = t158 - t106;
    const V t160 = t159 / u7;
    const V t161 = t46 * t160;
    const V t162 = -t161;
    const V t164 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t153);
    const V t167 = t41 * t164;
    const V t169 = t35 * t164;
    const V t171 = t157 - t167;
    const V t172 = t41 * t160;
    const V t173 = t37 * t160;
    const V t174 = t173 - t169;
    const V t175 = x[3] * t174;
    const V t176 = u9 * t174;
    const V t178 = x[3] * u21;
    const V t180 = t38 * u21;
    const V t182 = t176 - t180;
    const V t183 = t37 * t178;
    const V t185 = t35 * t178;
    const V t187 = t171 - t183;
    const V t188 = t172 - t185;
    const V t190 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t188);
    const V t191 = t150 + t190;
    const V t192 = t187 / u7;
    const V t193 = t35 * t192;
    const V t195 = t162 - t193;
    const V t196 = t191 / t33;
    const V t197 = t34 * t196;
    const V t199 = t155 - t197;
    const V t200 = t141 + t199;
    const V t201 = splat<V>(S(0.5)) * t200;
    const V t202 = t201 / t32;
    const V t203 = select_ge(t25, tiny<V>(), t202, splat<V>(S(0.0)));
    const V t207 = u11 * t196;
    const V t208 = u10 * t196;
    const V t209 = t129 + t207;
    const V t210 = t133 + t208;
    const V t211 = splat<V>(S(0.5)) * t210;
    const V t212 = t211 / u11;
    const V t213 = u4 * t203;
    const V t214 = t21 * t203;
    const V t215 = t213 - t112;
    const V t216 = t121 + t214;
    const V t219 = t114 - t216;
    const V t220 = u3 * t203;
    const V t221 = x[2] * t203;
    const V t222 = t112 + t220;
    const V t223 = t219 + t221;
    const V t224 = t15 * t215;
    const V t225 = t110 + t224;
    const V t226 = t224 + t225;
    const V t227 = u2 * t192;
    const V t228 = t15 * t192;
    const V t229 = t226 + t227;
    const V t230 = t104 + t228;
    const V t233 = t97 - t230;
    const V t234 = u1 * t192;
    const V t235 = x[1] * t192;
    const V t236 = t95 + t234;
    const V t237 = t233 + t235;
    const V t238 = u0 * t229;
    const V t239 = x[0] * t229;
    const V t240 = t89 + t238;
    const V t241 = t91 + t239;
    y[0] = t240;
    y[1] = t236;
    y[2] = t222;
    y[3] = t182;
    y[4] = t106;
    y[5] = t123;
    y[6] = t241;
    y[7] = t237;
    y[8] = t223;
    y[9] = t199;
    y[10] = t195;
    y[11] = t212;
    y[12] = splat<V>(S(0.0));
    y[13] = t209;
    y[14] = t175;
  }
};

// radam: parameters, forward
template <class S, class V>
struct k_1285a3fb539a_forward {
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
    const V t28 = t23;
    const V t29 = select_gt(tiny<V>(), t23, tiny<V>(), t28);
    const V t30 = select_ge(t23, tiny<V>(), t23, t29);
    const V t31 = sqrt_(t30);
    const V t32 = u5 + t31;
    const V t33 = u6 / t32;
    const V t34 = t18 / u7;
    const V t36 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t33);
    const V t37 = t34 * t36;
    const V t39 = u9 * t37;
    const V t41 = x[1] - t39;
    y[0] = t41;
    y[1] = t18;
    y[2] = t23;
  }
};

// radam: parameters, vjp
template <class S, class V>
struct k_1285a3fb539a_vjp {
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
    const V t27 = t23;
    const V t28 = select_gt(tiny<V>(), t23, tiny<V>(), t27);
    const V t29 = select_ge(t23, tiny<V>(), t23, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u5 + t30;
    const V t32 = u6 / t31;
    const V t33 = t18 / u7;
    const V t35 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t32);
    const V t45 = u9 * x[4];
    const V t47 = t35 * t45;
    const V t49 = t33 * t45;
    const V t50 = -t49;
    const V t52 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t50);
    const V t53 = t47 / u7;
    const V t57 = x[5] - t53;
    const V t58 = t52 / t31;
    const V t59 = t32 * t58;
    const V t62 = t59 * splat<V>(S(0.5));
    const V t64 = t62 / t30;
    const V t65 = -t64;
    const V t66 = select_ge(t23, tiny<V>(), t65, splat<V>(S(0.0)));
    const V t68 = x[6] + t66;
    const V t75 = u4 * t68;
    const V t79 = u3 * t68;
    const V t82 = t13 * t75;
    const V t83 = t82 + t82;
    const V t84 = u2 * t57;
    const V t86 = t83 + t84;
    const V t89 = u1 * t57;
    const V t92 = u0 * t86;
    y[0] = t92;
    y[1] = x[4];
    y[2] = t89;
    y[3] = t79;
  }
};

// radam: parameters, vjps
template <class S, class V>
struct k_1285a3fb539a_vjps {
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
    const V t27 = t23;
    const V t28 = select_gt(tiny<V>(), t23, tiny<V>(), t27);
    const V t29 = select_ge(t23, tiny<V>(), t23, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u5 + t30;
    const V t32 = u6 / t31;
    const V t33 = t18 / u7;
    const V t35 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t32);
    const V t36 = t33 * t35;
    const V t43 = t36 * x[4];
    const V t44 = -t43;
    const V t45 = u9 * x[4];
    const V t47 = t35 * t45;
    const V t49 = t33 * t45;
    const V t50 = -t49;
    const V t52 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t50);
    const V t53 = t47 / u7;
    const V t55 = t33 * t53;
    const V t57 = x[5] - t53;
    const V t58 = t52 / t31;
    const V t59 = t32 * t58;
    const V t60 = -t59;
    const V t62 = t59 * splat<V>(S(0.5));
    const V t64 = t62 / t30;
    const V t65 = -t64;
    const V t66 = select_ge(t23, tiny<V>(), t65, splat<V>(S(0.0)));
    const V t68 = x[6] + t66;
    const V t71 = u10 * t58;
    const V t72 = u11 * t58;
    const V t73 = splat<V>(S(0.5)) * t72;
    const V t74 = t73 / u10;
    const V t75 = u4 * t68;
    const V t76 = t19 * t68;
    const V t79 = u3 * t68;
    const V t80 = x[3] * t68;
    const V t81 = t80 - t76;
    const V t82 = t13 * t75;
    const V t83 = t82 + t82;
    const V t84 = u2 * t57;
    const V t85 = t13 * t57;
    const V t86 = t83 + t84;
    const V t89 = u1 * t57;
    const V t90 = x[2] * t57;
    const V t91 = t90 - t85;
    const V t92 = u0 * t86;
    const V t93 = x[0] * t86;
    y[0] = t92;
    y[1] = x[4];
    y[2] = t89;
    y[3] = t79;
    y[4] = t93;
    y[5] = t91;
    y[6] = t81;
    y[7] = t60;
    y[8] = t55;
    y[9] = t74;
    y[10] = splat<V>(S(0.0));
    y[11] = t71;
    y[12] = t44;
  }
};

// radam: parameters, jvp
template <class S, class V>
struct k_1285a3fb539a_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 18, sums = 0, uniforms = 17;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t16 = double(1.0) - h[1];
    const double t21 = double(1.0) - h[2];
    const double t24 = sqrt_(h[5]);
    const double t25 = h[7] * t24;
    const double t76 = h[14] * double(0.5);
    const double t77 = t76 / t24;
    const double t78 = t24 * h[16];
    const double t79 = h[7] * t77;
    const double t80 = t78 + t79;
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
    u[13] = S(t80);
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
    const V t27 = t23;
    const V t28 = select_gt(tiny<V>(), t23, tiny<V>(), t27);
    const V t29 = select_ge(t23, tiny<V>(), t23, t28);
    const V t30 = sqrt_(t29);
    const V t31 = u5 + t30;
    const V t32 = u6 / t31;
    const V t33 = t18 / u7;
    const V t35 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t32);
    const V t36 = t33 * t35;
    const V t52 = u0 * x[4];
    const V t53 = x[0] * u9;
    const V t54 = t52 + t53;
    const V t55 = u1 * x[6];
    const V t56 = x[2] * u10;
    const V t57 = t55 + t56;
    const V t59 = u2 * t54;
    const V t60 = t13 * u10;
    const V t62 = t59 - t60;
    const V t63 = t57 + t62;
    const V t64 = t13 * t54;
    const V t65 = t64 + t64;
    const V t66 = u3 * x[7];
    const V t67 = x[3] * u11;
    const V t68 = t66 + t67;
    const V t70 = u4 * t65;
    const V t71 = t19 * u11;
    const V t73 = t70 - t71;
    const V t74 = t68 + t73;
    const V t81 = select_ge(t23, tiny<V>(), t74, splat<V>(S(0.0)));
    const V t82 = splat<V>(S(0.5)) * t81;
    const V t83 = t82 / t30;
    const V t84 = u12 + t83;
    const V t85 = t32 * t84;
    const V t86 = u13 - t85;
    const V t87 = t86 / t31;
    const V t88 = t33 * u14;
    const V t89 = t63 - t88;
    const V t90 = t89 / u7;
    const V t91 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t87);
    const V t92 = t35 * t90;
    const V t93 = t33 * t91;
    const V t94 = t92 + t93;
    const V t95 = t36 * u15;
    const V t96 = u16 * t94;
    const V t97 = t95 + t96;
    const V t98 = x[5] - t97;
    y[0] = t98;
    y[1] = t63;
    y[2] = t74;
  }
};

// radam: parameters, vjp_vjp
template <class S, class V>
struct k_1285a3fb539a_vjp_vjp {
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u5 + t33;
    const V t35 = u6 / t34;
    const V t36 = t21 / u7;
    const V t38 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t39 = u9 * x[4];
    const V t41 = t36 * t39;
    const V t42 = -t41;
    const V t43 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t42);
    const V t46 = t43 / t34;
    const V t47 = t35 * t46;
    const V t49 = t47 * splat<V>(S(0.5));
    const V t50 = t49 / t33;
    const V t51 = -t50;
    const V t52 = select_ge(t26, tiny<V>(), t51, splat<V>(S(0.0)));
    const V t53 = x[6] + t52;
    const V t54 = u4 * t53;
    const V t67 = u0 * x[7];
    const V t69 = u1 * x[9];
    const V t71 = u2 * t67;
    const V t72 = t69 + t71;
    const V t73 = t67 + t67;
    const V t74 = t54 * t73;
    const V t75 = t16 * t73;
    const V t77 = u3 * x[10];
    const V t79 = u4 * t75;
    const V t80 = t77 + t79;
    const V t81 = select_ge(t26, tiny<V>(), t80, splat<V>(S(0.0)));
    const V t84 = t81 / t33;
    const V t86 = t50 * t84;
    const V t88 = splat<V>(S(0.5)) * t84;
    const V t92 = t46 * t88;
    const V t94 = t35 * t88;
    const V t96 = t94 / t34;
    const V t97 = -t96;
    const V t98 = t46 * t96;
    const V t101 = t72 / u7;
    const V t106 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t97);
    const V t109 = t39 * t106;
    const V t111 = t36 * t106;
    const V t112 = -t111;
    const V t113 = t39 * t101;
    const V t114 = -t113;
    const V t115 = t38 * t101;
    const V t117 = t112 - t115;
    const V t119 = u9 * t117;
    const V t120 = x[8] + t119;
    const V t122 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t114);
    const V t123 = t122 - t92;
    const V t124 = t109 / u7;
    const V t129 = t123 / t34;
    const V t130 = t35 * t129;
    const V t132 = t98 - t130;
    const V t133 = t86 + t132;
    const V t134 = splat<V>(S(0.5)) * t133;
    const V t135 = t134 / t33;
    const V t136 = select_ge(t26, tiny<V>(), t135, splat<V>(S(0.0)));
    const V t144 = u4 * t136;
    const V t150 = u3 * t136;
    const V t153 = t16 * t144;
    const V t154 = t74 + t153;
    const V t155 = t153 + t154;
    const V t156 = u2 * t124;
    const V t160 = t155 - t156;
    const V t165 = u1 * t124;
    const V t166 = -t165;
    const V t170 = u0 * t160;
    y[0] = t170;
    y[1] = splat<V>(S(0.0));
    y[2] = t166;
    y[3] = t150;
    y[4] = t120;
    y[5] = t72;
    y[6] = t80;
  }
};

// radam: parameters, vjps_vjps
template <class S, class V>
struct k_1285a3fb539a_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 18, sums = 9, uniforms = 22;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[1];
    const double t24 = double(1.0) - h[2];
    const double t27 = sqrt_(h[5]);
    const double t28 = h[7] * t27;
    const double t126 = h[14] / t27;
    const double t130 = double(0.5) * t126;
    const double t132 = h[7] * t130;
    const double t134 = t27 * h[16];
    const double t136 = t132 + t134;
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
    u[15] = S(t126);
    u[16] = S(t130);
    u[17] = S(h[16]);
    u[18] = S(h[12]);
    u[19] = S(t136);
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u5 + t33;
    const V t35 = u6 / t34;
    const V t36 = t21 / u7;
    const V t38 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t39 = t36 * t38;
    const V t42 = u9 * x[4];
    const V t43 = t38 * t42;
    const V t44 = t36 * t42;
    const V t45 = -t44;
    const V t46 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t45);
    const V t47 = t43 / u7;
    const V t49 = x[5] - t47;
    const V t50 = t46 / t34;
    const V t51 = t35 * t50;
    const V t54 = t51 * splat<V>(S(0.5));
    const V t55 = t54 / t33;
    const V t56 = -t55;
    const V t57 = select_ge(t26, tiny<V>(), t56, splat<V>(S(0.0)));
    const V t58 = x[6] + t57;
    const V t60 = u10 * t50;
    const V t61 = splat<V>(S(0.5)) * t60;
    const V t62 = t61 / u11;
    const V t63 = u4 * t58;
    const V t68 = t16 * t63;
    const V t69 = t68 + t68;
    const V t70 = u2 * t49;
    const V t72 = t69 + t70;
    const V t91 = t72 * u12;
    const V t92 = x[0] * u12;
    const V t93 = t72 * x[7];
    const V t94 = u0 * x[7];
    const V t95 = t92 + t94;
    const V t97 = t49 * u13;
    const V t98 = x[2] * u13;
    const V t99 = t49 * x[9];
    const V t100 = u1 * x[9];
    const V t101 = t98 + t100;
    const V t103 = t16 * u13;
    const V t105 = t101 - t103;
    const V t106 = t49 * t95;
    const V t107 = u2 * t95;
    const V t108 = t105 + t107;
    const V t109 = t95 + t95;
    const V t110 = t63 * t109;
    const V t111 = t16 * t109;
    const V t112 = t110 - t97;
    const V t114 = t58 * u14;
    const V t115 = x[3] * u14;
    const V t116 = t58 * x[10];
    const V t117 = u3 * x[10];
    const V t118 = t115 + t117;
    const V t120 = t22 * u14;
    const V t122 = t118 - t120;
    const V t123 = t58 * t111;
    const V t124 = u4 * t111;
    const V t125 = t122 + t124;
    const V t127 = t62 * u15;
    const V t131 = t50 * u16;
    const V t133 = t50 * u17;
    const V t135 = t133 - t127;
    const V t137 = select_ge(t26, tiny<V>(), t125, splat<V>(S(0.0)));
    const V t141 = t137 / t33;
    const V t143 = t55 * t141;
    const V t145 = splat<V>(S(0.5)) * t141;
    const V t146 = -t145;
    const V t151 = t146 - u18;
    const V t152 = t50 * t151;
    const V t153 = t35 * t151;
    const V t154 = u19 + t153;
    const V t155 = t154 / t34;
    const V t156 = t50 * t155;
    const V t157 = -t156;
    const V t159 = t47 * u20;
    const V t160 = t36 * u20;
    const V t161 = t160 - t108;
    const V t162 = t161 / u7;
    const V t163 = t47 * t162;
    const V t164 = -t163;
    const V t166 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t155);
    const V t169 = t42 * t166;
    const V t171 = t36 * t166;
    const V t173 = t159 - t169;
    const V t174 = t42 * t162;
    const V t175 = t38 * t162;
    const V t176 = t175 - t171;
    const V t177 = x[4] * t176;
    const V t178 = u9 * t176;
    const V t179 = x[8] + t178;
    const V t181 = x[4] * u21;
    const V t183 = t39 * u21;
    const V t185 = t179 - t183;
    const V t186 = t38 * t181;
    const V t188 = t36 * t181;
    const V t190 = t173 - t186;
    const V t191 = t174 - t188;
    const V t193 = select_eq(u8, splat<V>(S(0.0)), splat<V>(S(0.0)), t191);
    const V t194 = t152 + t193;
    const V t195 = t190 / u7;
    const V t196 = t36 * t195;
    const V t198 = t164 - t196;
    const V t199 = t194 / t34;
    const V t200 = t35 * t199;
    const V t202 = t157 - t200;
    const V t203 = t143 + t202;
    const V t204 = splat<V>(S(0.5)) * t203;
    const V t205 = t204 / t33;
    const V t206 = select_ge(t26, tiny<V>(), t205, splat<V>(S(0.0)));
    const V t210 = u11 * t199;
    const V t211 = u10 * t199;
    const V t212 = t131 + t210;
    const V t213 = t135 + t211;
    const V t214 = splat<V>(S(0.5)) * t213;
    const V t215 = t214 / u11;
    const V t216 = u4 * t206;
    const V t217 = t22 * t206;
    const V t218 = t216 - t114;
    const V t219 = t123 + t217;
    const V t222 = t116 - t219;
    const V t223 = u3 * t206;
    const V t224 = x[3] * t206;
    const V t225 = t114 + t223;
    const V t226 = t222 + t224;
    const V t227 = t16 * t218;
    const V t228 = t112 + t227;
    const V t229 = t227 + t228;
    const V t230 = u2 * t195;
    const V t231 = t16 * t195;
    const V t232 = t229 + t230;
    const V t233 = t106 + t231;
    const V t236 = t99 - t233;
    const V t237 = u1 * t195;
    const V t238 = x[2] * t195;
    const V t239 = t97 + t237;
    const V t240 = t236 + t238;
    const V t241 = u0 * t232;
    const V t242 = x[0] * t232;
    const V t243 = t91 + t241;
    const V t244 = t93 + t242;
    y[0] = t243;
    y[1] = splat<V>(S(0.0));
    y[2] = t239;
    y[3] = t225;
    y[4] = t185;
    y[5] = t108;
    y[6] = t125;
    y[7] = t244;
    y[8] = t240;
    y[9] = t226;
    y[10] = t202;
    y[11] = t198;
    y[12] = t215;
    y[13] = splat<V>(S(0.0));
    y[14] = t212;
    y[15] = t177;
  }
};

// radam, weight decay: update, forward
template <class S, class V>
struct k_5ba0aa26914c_forward {
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
    const V t31 = t26;
    const V t32 = select_gt(tiny<V>(), t26, tiny<V>(), t31);
    const V t33 = select_ge(t26, tiny<V>(), t26, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u6 + t34;
    const V t36 = u7 / t35;
    const V t37 = t21 / u8;
    const V t39 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t36);
    const V t40 = t37 * t39;
    const V t42 = u10 * t40;
    const V t43 = -t42;
    y[0] = t43;
    y[1] = t21;
    y[2] = t26;
  }
};

// radam, weight decay: update, vjp
template <class S, class V>
struct k_5ba0aa26914c_vjp {
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 + t33;
    const V t35 = u7 / t34;
    const V t36 = t21 / u8;
    const V t38 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t48 = u10 * x[4];
    const V t50 = t38 * t48;
    const V t52 = t36 * t48;
    const V t53 = -t52;
    const V t55 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t53);
    const V t56 = t50 / u8;
    const V t60 = x[5] - t56;
    const V t61 = t55 / t34;
    const V t62 = t35 * t61;
    const V t65 = t62 * splat<V>(S(0.5));
    const V t67 = t65 / t33;
    const V t68 = -t67;
    const V t69 = select_ge(t26, tiny<V>(), t68, splat<V>(S(0.0)));
    const V t71 = x[6] + t69;
    const V t78 = u5 * t71;
    const V t82 = u4 * t71;
    const V t85 = t16 * t78;
    const V t86 = t85 + t85;
    const V t87 = u3 * t60;
    const V t89 = t86 + t87;
    const V t92 = u2 * t60;
    const V t95 = u1 * t89;
    const V t97 = u0 * t89;
    y[0] = t97;
    y[1] = t95;
    y[2] = t92;
    y[3] = t82;
  }
};

// radam, weight decay: update, vjps
template <class S, class V>
struct k_5ba0aa26914c_vjps {
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 + t33;
    const V t35 = u7 / t34;
    const V t36 = t21 / u8;
    const V t38 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t39 = t36 * t38;
    const V t46 = t39 * x[4];
    const V t47 = -t46;
    const V t48 = u10 * x[4];
    const V t50 = t38 * t48;
    const V t52 = t36 * t48;
    const V t53 = -t52;
    const V t55 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t53);
    const V t56 = t50 / u8;
    const V t58 = t36 * t56;
    const V t60 = x[5] - t56;
    const V t61 = t55 / t34;
    const V t62 = t35 * t61;
    const V t63 = -t62;
    const V t65 = t62 * splat<V>(S(0.5));
    const V t67 = t65 / t33;
    const V t68 = -t67;
    const V t69 = select_ge(t26, tiny<V>(), t68, splat<V>(S(0.0)));
    const V t71 = x[6] + t69;
    const V t74 = u11 * t61;
    const V t75 = u12 * t61;
    const V t76 = splat<V>(S(0.5)) * t75;
    const V t77 = t76 / u11;
    const V t78 = u5 * t71;
    const V t79 = t22 * t71;
    const V t82 = u4 * t71;
    const V t83 = x[3] * t71;
    const V t84 = t83 - t79;
    const V t85 = t16 * t78;
    const V t86 = t85 + t85;
    const V t87 = u3 * t60;
    const V t88 = t16 * t60;
    const V t89 = t86 + t87;
    const V t92 = u2 * t60;
    const V t93 = x[2] * t60;
    const V t94 = t93 - t88;
    const V t95 = u1 * t89;
    const V t96 = x[1] * t89;
    const V t97 = u0 * t89;
    const V t98 = x[0] * t89;
    y[0] = t97;
    y[1] = t95;
    y[2] = t92;
    y[3] = t82;
    y[4] = t98;
    y[5] = t96;
    y[6] = t94;
    y[7] = t84;
    y[8] = t63;
    y[9] = t58;
    y[10] = t77;
    y[11] = splat<V>(S(0.0));
    y[12] = t74;
    y[13] = t47;
  }
};

// radam, weight decay: update, jvp
template <class S, class V>
struct k_5ba0aa26914c_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 19;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    const double t84 = h[16] * double(0.5);
    const double t85 = t84 / t27;
    const double t86 = t27 * h[18];
    const double t87 = h[8] * t85;
    const double t88 = t86 + t87;
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
    u[15] = S(t88);
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 + t33;
    const V t35 = u7 / t34;
    const V t36 = t21 / u8;
    const V t38 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t39 = t36 * t38;
    const V t56 = u0 * x[4];
    const V t57 = x[0] * u10;
    const V t58 = t56 + t57;
    const V t59 = u1 * x[5];
    const V t60 = x[1] * u11;
    const V t61 = t59 + t60;
    const V t62 = t58 + t61;
    const V t63 = u2 * x[6];
    const V t64 = x[2] * u12;
    const V t65 = t63 + t64;
    const V t67 = u3 * t62;
    const V t68 = t16 * u12;
    const V t70 = t67 - t68;
    const V t71 = t65 + t70;
    const V t72 = t16 * t62;
    const V t73 = t72 + t72;
    const V t74 = u4 * x[7];
    const V t75 = x[3] * u13;
    const V t76 = t74 + t75;
    const V t78 = u5 * t73;
    const V t79 = t22 * u13;
    const V t81 = t78 - t79;
    const V t82 = t76 + t81;
    const V t89 = select_ge(t26, tiny<V>(), t82, splat<V>(S(0.0)));
    const V t90 = splat<V>(S(0.5)) * t89;
    const V t91 = t90 / t33;
    const V t92 = u14 + t91;
    const V t93 = t35 * t92;
    const V t94 = u15 - t93;
    const V t95 = t94 / t34;
    const V t96 = t36 * u16;
    const V t97 = t71 - t96;
    const V t98 = t97 / u8;
    const V t99 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t95);
    const V t100 = t38 * t98;
    const V t101 = t36 * t99;
    const V t102 = t100 + t101;
    const V t103 = t39 * u17;
    const V t104 = u18 * t102;
    const V t105 = t103 + t104;
    const V t106 = -t105;
    y[0] = t106;
    y[1] = t71;
    y[2] = t82;
  }
};

// radam, weight decay: update, vjp_vjp
template <class S, class V>
struct k_5ba0aa26914c_vjp_vjp {
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
    const V t33 = t29;
    const V t34 = select_gt(tiny<V>(), t29, tiny<V>(), t33);
    const V t35 = select_ge(t29, tiny<V>(), t29, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 + t36;
    const V t38 = u7 / t37;
    const V t39 = t24 / u8;
    const V t41 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t38);
    const V t42 = u10 * x[4];
    const V t44 = t39 * t42;
    const V t45 = -t44;
    const V t46 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t45);
    const V t49 = t46 / t37;
    const V t50 = t38 * t49;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t36;
    const V t54 = -t53;
    const V t55 = select_ge(t29, tiny<V>(), t54, splat<V>(S(0.0)));
    const V t56 = x[6] + t55;
    const V t57 = u5 * t56;
    const V t71 = u0 * x[7];
    const V t73 = u1 * x[8];
    const V t74 = t71 + t73;
    const V t76 = u2 * x[9];
    const V t78 = u3 * t74;
    const V t79 = t76 + t78;
    const V t80 = t74 + t74;
    const V t81 = t57 * t80;
    const V t82 = t19 * t80;
    const V t84 = u4 * x[10];
    const V t86 = u5 * t82;
    const V t87 = t84 + t86;
    const V t88 = select_ge(t29, tiny<V>(), t87, splat<V>(S(0.0)));
    const V t91 = t88 / t36;
    const V t93 = t53 * t91;
    const V t95 = splat<V>(S(0.5)) * t91;
    const V t99 = t49 * t95;
    const V t101 = t38 * t95;
    const V t103 = t101 / t37;
    const V t104 = -t103;
    const V t105 = t49 * t103;
    const V t108 = t79 / u8;
    const V t113 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t104);
    const V t116 = t42 * t113;
    const V t118 = t39 * t113;
    const V t119 = -t118;
    const V t120 = t42 * t108;
    const V t121 = -t120;
    const V t122 = t41 * t108;
    const V t124 = t119 - t122;
    const V t126 = u10 * t124;
    const V t128 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t121);
    const V t129 = t128 - t99;
    const V t130 = t116 / u8;
    const V t135 = t129 / t37;
    const V t136 = t38 * t135;
    const V t138 = t105 - t136;
    const V t139 = t93 + t138;
    const V t140 = splat<V>(S(0.5)) * t139;
    const V t141 = t140 / t36;
    const V t142 = select_ge(t29, tiny<V>(), t141, splat<V>(S(0.0)));
    const V t150 = u5 * t142;
    const V t156 = u4 * t142;
    const V t159 = t19 * t150;
    const V t160 = t81 + t159;
    const V t161 = t159 + t160;
    const V t162 = u3 * t130;
    const V t166 = t161 - t162;
    const V t171 = u2 * t130;
    const V t172 = -t171;
    const V t176 = u1 * t166;
    const V t179 = u0 * t166;
    y[0] = t179;
    y[1] = t176;
    y[2] = t172;
    y[3] = t156;
    y[4] = t126;
    y[5] = t79;
    y[6] = t87;
  }
};

// radam, weight decay: update, vjps_vjps
template <class S, class V>
struct k_5ba0aa26914c_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 24;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    const double t30 = sqrt_(h[6]);
    const double t31 = h[8] * t30;
    const double t138 = h[16] / t30;
    const double t142 = double(0.5) * t138;
    const double t144 = h[8] * t142;
    const double t146 = t30 * h[18];
    const double t148 = t144 + t146;
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
    u[17] = S(t138);
    u[18] = S(t142);
    u[19] = S(h[18]);
    u[20] = S(h[14]);
    u[21] = S(t148);
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
    const V t33 = t29;
    const V t34 = select_gt(tiny<V>(), t29, tiny<V>(), t33);
    const V t35 = select_ge(t29, tiny<V>(), t29, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 + t36;
    const V t38 = u7 / t37;
    const V t39 = t24 / u8;
    const V t41 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t38);
    const V t42 = t39 * t41;
    const V t45 = u10 * x[4];
    const V t46 = t41 * t45;
    const V t47 = t39 * t45;
    const V t48 = -t47;
    const V t49 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t48);
    const V t50 = t46 / u8;
    const V t52 = x[5] - t50;
    const V t53 = t49 / t37;
    const V t54 = t38 * t53;
    const V t57 = t54 * splat<V>(S(0.5));
    const V t58 = t57 / t36;
    const V t59 = -t58;
    const V t60 = select_ge(t29, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t61 = x[6] + t60;
    const V t63 = u11 * t53;
    const V t64 = splat<V>(S(0.5)) * t63;
    const V t65 = t64 / u12;
    const V t66 = u5 * t61;
    const V t71 = t19 * t66;
    const V t72 = t71 + t71;
    const V t73 = u3 * t52;
    const V t75 = t72 + t73;
    const V t97 = t75 * u13;
    const V t98 = x[0] * u13;
    const V t99 = t75 * x[7];
    const V t100 = u0 * x[7];
    const V t101 = t98 + t100;
    const V t102 = t75 * u14;
    const V t103 = x[1] * u14;
    const V t104 = t101 + t103;
    const V t105 = t75 * x[8];
    const V t106 = u1 * x[8];
    const V t107 = t104 + t106;
    const V t109 = t52 * u15;
    const V t110 = x[2] * u15;
    const V t111 = t52 * x[9];
    const V t112 = u2 * x[9];
    const V t113 = t110 + t112;
    const V t115 = t19 * u15;
    const V t117 = t113 - t115;
    const V t118 = t52 * t107;
    const V t119 = u3 * t107;
    const V t120 = t117 + t119;
    const V t121 = t107 + t107;
    const V t122 = t66 * t121;
    const V t123 = t19 * t121;
    const V t124 = t122 - t109;
    const V t126 = t61 * u16;
    const V t127 = x[3] * u16;
    const V t128 = t61 * x[10];
    const V t129 = u4 * x[10];
    const V t130 = t127 + t129;
    const V t132 = t25 * u16;
    const V t134 = t130 - t132;
    const V t135 = t61 * t123;
    const V t136 = u5 * t123;
    const V t137 = t134 + t136;
    const V t139 = t65 * u17;
    const V t143 = t53 * u18;
    const V t145 = t53 * u19;
    const V t147 = t145 - t139;
    const V t149 = select_ge(t29, tiny<V>(), t137, splat<V>(S(0.0)));
    const V t153 = t149 / t36;
    const V t155 = t58 * t153;
    const V t157 = splat<V>(S(0.5)) * t153;
    const V t158 = -t157;
    const V t163 = t158 - u20;
    const V t164 = t53 * t163;
    const V t165 = t38 * t163;
    const V t166 = u21 + t165;
    const V t167 = t166 / t37;
    const V t168 = t53 * t167;
    const V t169 = -t168;
    const V t171 = t50 * u22;
    const V t172 = t39 * u22;
    const V t173 = t172 - t120;
    const V t174 = t173 / u8;
    const V t175 = t50 * t174;
    const V t176 = -t175;
    const V t178 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t167);
    const V t181 = t45 * t178;
    const V t183 = t39 * t178;
    const V t185 = t171 - t181;
    const V t186 = t45 * t174;
    const V t187 = t41 * t174;
    const V t188 = t187 - t183;
    const V t189 = x[4] * t188;
    const V t190 = u10 * t188;
    const V t192 = x[4] * u23;
    const V t194 = t42 * u23;
    const V t196 = t190 - t194;
    const V t197 = t41 * t192;
    const V t199 = t39 * t192;
    const V t201 = t185 - t197;
    const V t202 = t186 - t199;
    const V t204 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t202);
    const V t205 = t164 + t204;
    const V t206 = t201 / u8;
    const V t207 = t39 * t206;
    const V t209 = t176 - t207;
    const V t210 = t205 / t37;
    const V t211 = t38 * t210;
    const V t213 = t169 - t211;
    const V t214 = t155 + t213;
    const V t215 = splat<V>(S(0.5)) * t214;
    const V t216 = t215 / t36;
    const V t217 = select_ge(t29, tiny<V>(), t216, splat<V>(S(0.0)));
    const V t221 = u12 * t210;
    const V t222 = u11 * t210;
    const V t223 = t143 + t221;
    const V t224 = t147 + t222;
    const V t225 = splat<V>(S(0.5)) * t224;
    const V t226 = t225 / u12;
    const V t227 = u5 * t217;
    const V t228 = t25 * t217;
    const V t229 = t227 - t126;
    const V t230 = t135 + t228;
    const V t233 = t128 - t230;
    const V t234 = u4 * t217;
    const V t235 = x[3] * t217;
    const V t236 = t126 + t234;
    const V t237 = t233 + t235;
    const V t238 = t19 * t229;
    const V t239 = t124 + t238;
    const V t240 = t238 + t239;
    const V t241 = u3 * t206;
    const V t242 = t19 * t206;
    const V t243 = t240 + t241;
    const V t244 = t118 + t242;
    const V t247 = t111 - t244;
    const V t248 = u2 * t206;
    const V t249 = x[2] * t206;
    const V t250 = t109 + t248;
    const V t251 = t247 + t249;
    const V t252 = u1 * t243;
    const V t253 = x[1] * t243;
    const V t254 = t102 + t252;
    const V t255 = t105 + t253;
    const V t256 = u0 * t243;
    const V t257 = x[0] * t243;
    const V t258 = t97 + t256;
    const V t259 = t99 + t257;
    y[0] = t258;
    y[1] = t254;
    y[2] = t250;
    y[3] = t236;
    y[4] = t196;
    y[5] = t120;
    y[6] = t137;
    y[7] = t259;
    y[8] = t255;
    y[9] = t251;
    y[10] = t237;
    y[11] = t213;
    y[12] = t209;
    y[13] = t226;
    y[14] = splat<V>(S(0.0));
    y[15] = t223;
    y[16] = t189;
  }
};

// radam, weight decay: parameters, forward
template <class S, class V>
struct k_69e590d0b9f2_forward {
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
    const V t31 = t26;
    const V t32 = select_gt(tiny<V>(), t26, tiny<V>(), t31);
    const V t33 = select_ge(t26, tiny<V>(), t26, t32);
    const V t34 = sqrt_(t33);
    const V t35 = u6 + t34;
    const V t36 = u7 / t35;
    const V t37 = t21 / u8;
    const V t39 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t36);
    const V t40 = t37 * t39;
    const V t42 = u10 * t40;
    const V t44 = x[1] - t42;
    y[0] = t44;
    y[1] = t21;
    y[2] = t26;
  }
};

// radam, weight decay: parameters, vjp
template <class S, class V>
struct k_69e590d0b9f2_vjp {
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 + t33;
    const V t35 = u7 / t34;
    const V t36 = t21 / u8;
    const V t38 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t48 = u10 * x[4];
    const V t50 = t38 * t48;
    const V t52 = t36 * t48;
    const V t53 = -t52;
    const V t55 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t53);
    const V t56 = t50 / u8;
    const V t60 = x[5] - t56;
    const V t61 = t55 / t34;
    const V t62 = t35 * t61;
    const V t65 = t62 * splat<V>(S(0.5));
    const V t67 = t65 / t33;
    const V t68 = -t67;
    const V t69 = select_ge(t26, tiny<V>(), t68, splat<V>(S(0.0)));
    const V t71 = x[6] + t69;
    const V t78 = u5 * t71;
    const V t82 = u4 * t71;
    const V t85 = t16 * t78;
    const V t86 = t85 + t85;
    const V t87 = u3 * t60;
    const V t89 = t86 + t87;
    const V t92 = u2 * t60;
    const V t95 = u1 * t89;
    const V t97 = x[4] + t95;
    const V t98 = u0 * t89;
    y[0] = t98;
    y[1] = t97;
    y[2] = t92;
    y[3] = t82;
  }
};

// radam, weight decay: parameters, vjps
template <class S, class V>
struct k_69e590d0b9f2_vjps {
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 + t33;
    const V t35 = u7 / t34;
    const V t36 = t21 / u8;
    const V t38 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t39 = t36 * t38;
    const V t46 = t39 * x[4];
    const V t47 = -t46;
    const V t48 = u10 * x[4];
    const V t50 = t38 * t48;
    const V t52 = t36 * t48;
    const V t53 = -t52;
    const V t55 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t53);
    const V t56 = t50 / u8;
    const V t58 = t36 * t56;
    const V t60 = x[5] - t56;
    const V t61 = t55 / t34;
    const V t62 = t35 * t61;
    const V t63 = -t62;
    const V t65 = t62 * splat<V>(S(0.5));
    const V t67 = t65 / t33;
    const V t68 = -t67;
    const V t69 = select_ge(t26, tiny<V>(), t68, splat<V>(S(0.0)));
    const V t71 = x[6] + t69;
    const V t74 = u11 * t61;
    const V t75 = u12 * t61;
    const V t76 = splat<V>(S(0.5)) * t75;
    const V t77 = t76 / u11;
    const V t78 = u5 * t71;
    const V t79 = t22 * t71;
    const V t82 = u4 * t71;
    const V t83 = x[3] * t71;
    const V t84 = t83 - t79;
    const V t85 = t16 * t78;
    const V t86 = t85 + t85;
    const V t87 = u3 * t60;
    const V t88 = t16 * t60;
    const V t89 = t86 + t87;
    const V t92 = u2 * t60;
    const V t93 = x[2] * t60;
    const V t94 = t93 - t88;
    const V t95 = u1 * t89;
    const V t96 = x[1] * t89;
    const V t97 = x[4] + t95;
    const V t98 = u0 * t89;
    const V t99 = x[0] * t89;
    y[0] = t98;
    y[1] = t97;
    y[2] = t92;
    y[3] = t82;
    y[4] = t99;
    y[5] = t96;
    y[6] = t94;
    y[7] = t84;
    y[8] = t63;
    y[9] = t58;
    y[10] = t77;
    y[11] = splat<V>(S(0.0));
    y[12] = t74;
    y[13] = t47;
  }
};

// radam, weight decay: parameters, jvp
template <class S, class V>
struct k_69e590d0b9f2_jvp {
  static constexpr int inputs = 8, outputs = 3, scalars = 20, sums = 0, uniforms = 19;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t19 = double(1.0) - h[2];
    const double t24 = double(1.0) - h[3];
    const double t27 = sqrt_(h[6]);
    const double t28 = h[8] * t27;
    const double t84 = h[16] * double(0.5);
    const double t85 = t84 / t27;
    const double t86 = t27 * h[18];
    const double t87 = h[8] * t85;
    const double t88 = t86 + t87;
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
    u[15] = S(t88);
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
    const V t30 = t26;
    const V t31 = select_gt(tiny<V>(), t26, tiny<V>(), t30);
    const V t32 = select_ge(t26, tiny<V>(), t26, t31);
    const V t33 = sqrt_(t32);
    const V t34 = u6 + t33;
    const V t35 = u7 / t34;
    const V t36 = t21 / u8;
    const V t38 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t35);
    const V t39 = t36 * t38;
    const V t56 = u0 * x[4];
    const V t57 = x[0] * u10;
    const V t58 = t56 + t57;
    const V t59 = u1 * x[5];
    const V t60 = x[1] * u11;
    const V t61 = t59 + t60;
    const V t62 = t58 + t61;
    const V t63 = u2 * x[6];
    const V t64 = x[2] * u12;
    const V t65 = t63 + t64;
    const V t67 = u3 * t62;
    const V t68 = t16 * u12;
    const V t70 = t67 - t68;
    const V t71 = t65 + t70;
    const V t72 = t16 * t62;
    const V t73 = t72 + t72;
    const V t74 = u4 * x[7];
    const V t75 = x[3] * u13;
    const V t76 = t74 + t75;
    const V t78 = u5 * t73;
    const V t79 = t22 * u13;
    const V t81 = t78 - t79;
    const V t82 = t76 + t81;
    const V t89 = select_ge(t26, tiny<V>(), t82, splat<V>(S(0.0)));
    const V t90 = splat<V>(S(0.5)) * t89;
    const V t91 = t90 / t33;
    const V t92 = u14 + t91;
    const V t93 = t35 * t92;
    const V t94 = u15 - t93;
    const V t95 = t94 / t34;
    const V t96 = t36 * u16;
    const V t97 = t71 - t96;
    const V t98 = t97 / u8;
    const V t99 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t95);
    const V t100 = t38 * t98;
    const V t101 = t36 * t99;
    const V t102 = t100 + t101;
    const V t103 = t39 * u17;
    const V t104 = u18 * t102;
    const V t105 = t103 + t104;
    const V t106 = x[5] - t105;
    y[0] = t106;
    y[1] = t71;
    y[2] = t82;
  }
};

// radam, weight decay: parameters, vjp_vjp
template <class S, class V>
struct k_69e590d0b9f2_vjp_vjp {
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
    const V t33 = t29;
    const V t34 = select_gt(tiny<V>(), t29, tiny<V>(), t33);
    const V t35 = select_ge(t29, tiny<V>(), t29, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 + t36;
    const V t38 = u7 / t37;
    const V t39 = t24 / u8;
    const V t41 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t38);
    const V t42 = u10 * x[4];
    const V t44 = t39 * t42;
    const V t45 = -t44;
    const V t46 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t45);
    const V t49 = t46 / t37;
    const V t50 = t38 * t49;
    const V t52 = t50 * splat<V>(S(0.5));
    const V t53 = t52 / t36;
    const V t54 = -t53;
    const V t55 = select_ge(t29, tiny<V>(), t54, splat<V>(S(0.0)));
    const V t56 = x[6] + t55;
    const V t57 = u5 * t56;
    const V t72 = u0 * x[7];
    const V t74 = u1 * x[8];
    const V t75 = t72 + t74;
    const V t77 = u2 * x[9];
    const V t79 = u3 * t75;
    const V t80 = t77 + t79;
    const V t81 = t75 + t75;
    const V t82 = t57 * t81;
    const V t83 = t19 * t81;
    const V t85 = u4 * x[10];
    const V t87 = u5 * t83;
    const V t88 = t85 + t87;
    const V t89 = select_ge(t29, tiny<V>(), t88, splat<V>(S(0.0)));
    const V t92 = t89 / t36;
    const V t94 = t53 * t92;
    const V t96 = splat<V>(S(0.5)) * t92;
    const V t100 = t49 * t96;
    const V t102 = t38 * t96;
    const V t104 = t102 / t37;
    const V t105 = -t104;
    const V t106 = t49 * t104;
    const V t109 = t80 / u8;
    const V t114 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t105);
    const V t117 = t42 * t114;
    const V t119 = t39 * t114;
    const V t120 = -t119;
    const V t121 = t42 * t109;
    const V t122 = -t121;
    const V t123 = t41 * t109;
    const V t125 = t120 - t123;
    const V t127 = u10 * t125;
    const V t128 = x[8] + t127;
    const V t130 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t122);
    const V t131 = t130 - t100;
    const V t132 = t117 / u8;
    const V t137 = t131 / t37;
    const V t138 = t38 * t137;
    const V t140 = t106 - t138;
    const V t141 = t94 + t140;
    const V t142 = splat<V>(S(0.5)) * t141;
    const V t143 = t142 / t36;
    const V t144 = select_ge(t29, tiny<V>(), t143, splat<V>(S(0.0)));
    const V t152 = u5 * t144;
    const V t158 = u4 * t144;
    const V t161 = t19 * t152;
    const V t162 = t82 + t161;
    const V t163 = t161 + t162;
    const V t164 = u3 * t132;
    const V t168 = t163 - t164;
    const V t173 = u2 * t132;
    const V t174 = -t173;
    const V t178 = u1 * t168;
    const V t181 = u0 * t168;
    y[0] = t181;
    y[1] = t178;
    y[2] = t174;
    y[3] = t158;
    y[4] = t128;
    y[5] = t80;
    y[6] = t88;
  }
};

// radam, weight decay: parameters, vjps_vjps
template <class S, class V>
struct k_69e590d0b9f2_vjps_vjps {
  static constexpr int inputs = 11, outputs = 7, scalars = 20, sums = 10, uniforms = 24;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    const double t22 = double(1.0) - h[2];
    const double t27 = double(1.0) - h[3];
    const double t30 = sqrt_(h[6]);
    const double t31 = h[8] * t30;
    const double t139 = h[16] / t30;
    const double t143 = double(0.5) * t139;
    const double t145 = h[8] * t143;
    const double t147 = t30 * h[18];
    const double t149 = t145 + t147;
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
    u[17] = S(t139);
    u[18] = S(t143);
    u[19] = S(h[18]);
    u[20] = S(h[14]);
    u[21] = S(t149);
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
    const V t33 = t29;
    const V t34 = select_gt(tiny<V>(), t29, tiny<V>(), t33);
    const V t35 = select_ge(t29, tiny<V>(), t29, t34);
    const V t36 = sqrt_(t35);
    const V t37 = u6 + t36;
    const V t38 = u7 / t37;
    const V t39 = t24 / u8;
    const V t41 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(1.0)), t38);
    const V t42 = t39 * t41;
    const V t45 = u10 * x[4];
    const V t46 = t41 * t45;
    const V t47 = t39 * t45;
    const V t48 = -t47;
    const V t49 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t48);
    const V t50 = t46 / u8;
    const V t52 = x[5] - t50;
    const V t53 = t49 / t37;
    const V t54 = t38 * t53;
    const V t57 = t54 * splat<V>(S(0.5));
    const V t58 = t57 / t36;
    const V t59 = -t58;
    const V t60 = select_ge(t29, tiny<V>(), t59, splat<V>(S(0.0)));
    const V t61 = x[6] + t60;
    const V t63 = u11 * t53;
    const V t64 = splat<V>(S(0.5)) * t63;
    const V t65 = t64 / u12;
    const V t66 = u5 * t61;
    const V t71 = t19 * t66;
    const V t72 = t71 + t71;
    const V t73 = u3 * t52;
    const V t75 = t72 + t73;
    const V t98 = t75 * u13;
    const V t99 = x[0] * u13;
    const V t100 = t75 * x[7];
    const V t101 = u0 * x[7];
    const V t102 = t99 + t101;
    const V t103 = t75 * u14;
    const V t104 = x[1] * u14;
    const V t105 = t102 + t104;
    const V t106 = t75 * x[8];
    const V t107 = u1 * x[8];
    const V t108 = t105 + t107;
    const V t110 = t52 * u15;
    const V t111 = x[2] * u15;
    const V t112 = t52 * x[9];
    const V t113 = u2 * x[9];
    const V t114 = t111 + t113;
    const V t116 = t19 * u15;
    const V t118 = t114 - t116;
    const V t119 = t52 * t108;
    const V t120 = u3 * t108;
    const V t121 = t118 + t120;
    const V t122 = t108 + t108;
    const V t123 = t66 * t122;
    const V t124 = t19 * t122;
    const V t125 = t123 - t110;
    const V t127 = t61 * u16;
    const V t128 = x[3] * u16;
    const V t129 = t61 * x[10];
    const V t130 = u4 * x[10];
    const V t131 = t128 + t130;
    const V t133 = t25 * u16;
    const V t135 = t131 - t133;
    const V t136 = t61 * t124;
    const V t137 = u5 * t124;
    const V t138 = t135 + t137;
    const V t140 = t65 * u17;
    const V t144 = t53 * u18;
    const V t146 = t53 * u19;
    const V t148 = t146 - t140;
    const V t150 = select_ge(t29, tiny<V>(), t138, splat<V>(S(0.0)));
    const V t154 = t150 / t36;
    const V t156 = t58 * t154;
    const V t158 = splat<V>(S(0.5)) * t154;
    const V t159 = -t158;
    const V t164 = t159 - u20;
    const V t165 = t53 * t164;
    const V t166 = t38 * t164;
    const V t167 = u21 + t166;
    const V t168 = t167 / t37;
    const V t169 = t53 * t168;
    const V t170 = -t169;
    const V t172 = t50 * u22;
    const V t173 = t39 * u22;
    const V t174 = t173 - t121;
    const V t175 = t174 / u8;
    const V t176 = t50 * t175;
    const V t177 = -t176;
    const V t179 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t168);
    const V t182 = t45 * t179;
    const V t184 = t39 * t179;
    const V t186 = t172 - t182;
    const V t187 = t45 * t175;
    const V t188 = t41 * t175;
    const V t189 = t188 - t184;
    const V t190 = x[4] * t189;
    const V t191 = u10 * t189;
    const V t192 = x[8] + t191;
    const V t194 = x[4] * u23;
    const V t196 = t42 * u23;
    const V t198 = t192 - t196;
    const V t199 = t41 * t194;
    const V t201 = t39 * t194;
    const V t203 = t186 - t199;
    const V t204 = t187 - t201;
    const V t206 = select_eq(u9, splat<V>(S(0.0)), splat<V>(S(0.0)), t204);
    const V t207 = t165 + t206;
    const V t208 = t203 / u8;
    const V t209 = t39 * t208;
    const V t211 = t177 - t209;
    const V t212 = t207 / t37;
    const V t213 = t38 * t212;
    const V t215 = t170 - t213;
    const V t216 = t156 + t215;
    const V t217 = splat<V>(S(0.5)) * t216;
    const V t218 = t217 / t36;
    const V t219 = select_ge(t29, tiny<V>(), t218, splat<V>(S(0.0)));
    const V t223 = u12 * t212;
    const V t224 = u11 * t212;
    const V t225 = t144 + t223;
    const V t226 = t148 + t224;
    const V t227 = splat<V>(S(0.5)) * t226;
    const V t228 = t227 / u12;
    const V t229 = u5 * t219;
    const V t230 = t25 * t219;
    const V t231 = t229 - t127;
    const V t232 = t136 + t230;
    const V t235 = t129 - t232;
    const V t236 = u4 * t219;
    const V t237 = x[3] * t219;
    const V t238 = t127 + t236;
    const V t239 = t235 + t237;
    const V t240 = t19 * t231;
    const V t241 = t125 + t240;
    const V t242 = t240 + t241;
    const V t243 = u3 * t208;
    const V t244 = t19 * t208;
    const V t245 = t242 + t243;
    const V t246 = t119 + t244;
    const V t249 = t112 - t246;
    const V t250 = u2 * t208;
    const V t251 = x[2] * t208;
    const V t252 = t110 + t250;
    const V t253 = t249 + t251;
    const V t254 = u1 * t245;
    const V t255 = x[1] * t245;
    const V t256 = t103 + t254;
    const V t257 = t106 + t255;
    const V t258 = u0 * t245;
    const V t259 = x[0] * t245;
    const V t260 = t98 + t258;
    const V t261 = t100 + t259;
    y[0] = t260;
    y[1] = t256;
    y[2] = t252;
    y[3] = t238;
    y[4] = t198;
    y[5] = t121;
    y[6] = t138;
    y[7] = t261;
    y[8] = t257;
    y[9] = t253;
    y[10] = t239;
    y[11] = t215;
    y[12] = t211;
    y[13] = t228;
    y[14] = splat<V>(S(0.0));
    y[15] = t225;
    y[16] = t190;
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
  KERNEL(k_3d788a14d92e_forward) \
  KERNEL(k_3d788a14d92e_vjp) \
  KERNEL(k_3d788a14d92e_vjps) \
  KERNEL(k_3d788a14d92e_jvp) \
  KERNEL(k_3d788a14d92e_vjp_vjp) \
  KERNEL(k_3d788a14d92e_vjps_vjps) \
  KERNEL(k_80ee7513e8a4_forward) \
  KERNEL(k_80ee7513e8a4_vjp) \
  KERNEL(k_80ee7513e8a4_vjps) \
  KERNEL(k_80ee7513e8a4_jvp) \
  KERNEL(k_80ee7513e8a4_vjp_vjp) \
  KERNEL(k_80ee7513e8a4_vjps_vjps) \
  KERNEL(k_cae059d09728_forward) \
  KERNEL(k_cae059d09728_vjp) \
  KERNEL(k_cae059d09728_vjps) \
  KERNEL(k_cae059d09728_jvp) \
  KERNEL(k_cae059d09728_vjp_vjp) \
  KERNEL(k_cae059d09728_vjps_vjps) \
  KERNEL(k_773735b6e9d1_forward) \
  KERNEL(k_773735b6e9d1_vjp) \
  KERNEL(k_773735b6e9d1_vjps) \
  KERNEL(k_773735b6e9d1_jvp) \
  KERNEL(k_773735b6e9d1_vjp_vjp) \
  KERNEL(k_773735b6e9d1_vjps_vjps) \
  KERNEL(k_f31ff8132845_forward) \
  KERNEL(k_f31ff8132845_vjp) \
  KERNEL(k_f31ff8132845_vjps) \
  KERNEL(k_f31ff8132845_jvp) \
  KERNEL(k_f31ff8132845_vjp_vjp) \
  KERNEL(k_f31ff8132845_vjps_vjps) \
  KERNEL(k_1e262230d77d_forward) \
  KERNEL(k_1e262230d77d_vjp) \
  KERNEL(k_1e262230d77d_vjps) \
  KERNEL(k_1e262230d77d_jvp) \
  KERNEL(k_1e262230d77d_vjp_vjp) \
  KERNEL(k_1e262230d77d_vjps_vjps) \
  KERNEL(k_705a2fb2d333_forward) \
  KERNEL(k_705a2fb2d333_vjp) \
  KERNEL(k_705a2fb2d333_vjps) \
  KERNEL(k_705a2fb2d333_jvp) \
  KERNEL(k_705a2fb2d333_vjp_vjp) \
  KERNEL(k_705a2fb2d333_vjps_vjps) \
  KERNEL(k_59740b47a65f_forward) \
  KERNEL(k_59740b47a65f_vjp) \
  KERNEL(k_59740b47a65f_vjps) \
  KERNEL(k_59740b47a65f_jvp) \
  KERNEL(k_59740b47a65f_vjp_vjp) \
  KERNEL(k_59740b47a65f_vjps_vjps) \
  KERNEL(k_94329b327754_forward) \
  KERNEL(k_94329b327754_vjp) \
  KERNEL(k_94329b327754_vjps) \
  KERNEL(k_94329b327754_jvp) \
  KERNEL(k_94329b327754_vjp_vjp) \
  KERNEL(k_94329b327754_vjps_vjps) \
  KERNEL(k_f3e0a78d49df_forward) \
  KERNEL(k_f3e0a78d49df_vjp) \
  KERNEL(k_f3e0a78d49df_vjps) \
  KERNEL(k_f3e0a78d49df_jvp) \
  KERNEL(k_f3e0a78d49df_vjp_vjp) \
  KERNEL(k_f3e0a78d49df_vjps_vjps) \
  KERNEL(k_6c58500b3775_forward) \
  KERNEL(k_6c58500b3775_vjp) \
  KERNEL(k_6c58500b3775_vjps) \
  KERNEL(k_6c58500b3775_jvp) \
  KERNEL(k_6c58500b3775_vjp_vjp) \
  KERNEL(k_6c58500b3775_vjps_vjps) \
  KERNEL(k_c97f031b8760_forward) \
  KERNEL(k_c97f031b8760_vjp) \
  KERNEL(k_c97f031b8760_vjps) \
  KERNEL(k_c97f031b8760_jvp) \
  KERNEL(k_c97f031b8760_vjp_vjp) \
  KERNEL(k_c97f031b8760_vjps_vjps) \
  KERNEL(k_065bbbef2486_forward) \
  KERNEL(k_065bbbef2486_vjp) \
  KERNEL(k_065bbbef2486_vjps) \
  KERNEL(k_065bbbef2486_jvp) \
  KERNEL(k_065bbbef2486_vjp_vjp) \
  KERNEL(k_065bbbef2486_vjps_vjps) \
  KERNEL(k_f28ce4727f89_forward) \
  KERNEL(k_f28ce4727f89_vjp) \
  KERNEL(k_f28ce4727f89_vjps) \
  KERNEL(k_f28ce4727f89_jvp) \
  KERNEL(k_f28ce4727f89_vjp_vjp) \
  KERNEL(k_f28ce4727f89_vjps_vjps) \
  KERNEL(k_e35ad45a2472_forward) \
  KERNEL(k_e35ad45a2472_vjp) \
  KERNEL(k_e35ad45a2472_vjps) \
  KERNEL(k_e35ad45a2472_jvp) \
  KERNEL(k_e35ad45a2472_vjp_vjp) \
  KERNEL(k_e35ad45a2472_vjps_vjps) \
  KERNEL(k_d5c6067a55cc_forward) \
  KERNEL(k_d5c6067a55cc_vjp) \
  KERNEL(k_d5c6067a55cc_vjps) \
  KERNEL(k_d5c6067a55cc_jvp) \
  KERNEL(k_d5c6067a55cc_vjp_vjp) \
  KERNEL(k_d5c6067a55cc_vjps_vjps) \
  KERNEL(k_5015714e471e_forward) \
  KERNEL(k_5015714e471e_vjp) \
  KERNEL(k_5015714e471e_vjps) \
  KERNEL(k_5015714e471e_jvp) \
  KERNEL(k_5015714e471e_vjp_vjp) \
  KERNEL(k_5015714e471e_vjps_vjps) \
  KERNEL(k_198db5e77509_forward) \
  KERNEL(k_198db5e77509_vjp) \
  KERNEL(k_198db5e77509_vjps) \
  KERNEL(k_198db5e77509_jvp) \
  KERNEL(k_198db5e77509_vjp_vjp) \
  KERNEL(k_198db5e77509_vjps_vjps) \
  KERNEL(k_06f4155c64fa_forward) \
  KERNEL(k_06f4155c64fa_vjp) \
  KERNEL(k_06f4155c64fa_vjps) \
  KERNEL(k_06f4155c64fa_jvp) \
  KERNEL(k_06f4155c64fa_vjp_vjp) \
  KERNEL(k_06f4155c64fa_vjps_vjps) \
  KERNEL(k_625b13878b50_forward) \
  KERNEL(k_625b13878b50_vjp) \
  KERNEL(k_625b13878b50_vjps) \
  KERNEL(k_625b13878b50_jvp) \
  KERNEL(k_625b13878b50_vjp_vjp) \
  KERNEL(k_625b13878b50_vjps_vjps) \
  KERNEL(k_06a96e70db3c_forward) \
  KERNEL(k_06a96e70db3c_vjp) \
  KERNEL(k_06a96e70db3c_vjps) \
  KERNEL(k_06a96e70db3c_jvp) \
  KERNEL(k_06a96e70db3c_vjp_vjp) \
  KERNEL(k_06a96e70db3c_vjps_vjps) \
  KERNEL(k_19d3e1b17344_forward) \
  KERNEL(k_19d3e1b17344_vjp) \
  KERNEL(k_19d3e1b17344_vjps) \
  KERNEL(k_19d3e1b17344_jvp) \
  KERNEL(k_19d3e1b17344_vjp_vjp) \
  KERNEL(k_19d3e1b17344_vjps_vjps) \
  KERNEL(k_878c473d493f_forward) \
  KERNEL(k_878c473d493f_vjp) \
  KERNEL(k_878c473d493f_vjps) \
  KERNEL(k_878c473d493f_jvp) \
  KERNEL(k_878c473d493f_vjp_vjp) \
  KERNEL(k_878c473d493f_vjps_vjps) \
  KERNEL(k_ccf3f10c56e6_forward) \
  KERNEL(k_ccf3f10c56e6_vjp) \
  KERNEL(k_ccf3f10c56e6_vjps) \
  KERNEL(k_ccf3f10c56e6_jvp) \
  KERNEL(k_ccf3f10c56e6_vjp_vjp) \
  KERNEL(k_ccf3f10c56e6_vjps_vjps) \
  KERNEL(k_8d14730b0944_forward) \
  KERNEL(k_8d14730b0944_vjp) \
  KERNEL(k_8d14730b0944_vjps) \
  KERNEL(k_8d14730b0944_jvp) \
  KERNEL(k_8d14730b0944_vjp_vjp) \
  KERNEL(k_8d14730b0944_vjps_vjps) \
  KERNEL(k_e3a68c4534e5_forward) \
  KERNEL(k_e3a68c4534e5_vjp) \
  KERNEL(k_e3a68c4534e5_vjps) \
  KERNEL(k_e3a68c4534e5_jvp) \
  KERNEL(k_e3a68c4534e5_vjp_vjp) \
  KERNEL(k_e3a68c4534e5_vjps_vjps) \
  KERNEL(k_8ff31621764d_forward) \
  KERNEL(k_8ff31621764d_vjp) \
  KERNEL(k_8ff31621764d_vjps) \
  KERNEL(k_8ff31621764d_jvp) \
  KERNEL(k_8ff31621764d_vjp_vjp) \
  KERNEL(k_8ff31621764d_vjps_vjps) \
  KERNEL(k_c4262fdb9e3e_forward) \
  KERNEL(k_c4262fdb9e3e_vjp) \
  KERNEL(k_c4262fdb9e3e_vjps) \
  KERNEL(k_c4262fdb9e3e_jvp) \
  KERNEL(k_c4262fdb9e3e_vjp_vjp) \
  KERNEL(k_c4262fdb9e3e_vjps_vjps) \
  KERNEL(k_4777bdc6fcf4_forward) \
  KERNEL(k_4777bdc6fcf4_vjp) \
  KERNEL(k_4777bdc6fcf4_vjps) \
  KERNEL(k_4777bdc6fcf4_jvp) \
  KERNEL(k_4777bdc6fcf4_vjp_vjp) \
  KERNEL(k_4777bdc6fcf4_vjps_vjps) \
  KERNEL(k_80c8aeedcf75_forward) \
  KERNEL(k_80c8aeedcf75_vjp) \
  KERNEL(k_80c8aeedcf75_vjps) \
  KERNEL(k_80c8aeedcf75_jvp) \
  KERNEL(k_80c8aeedcf75_vjp_vjp) \
  KERNEL(k_80c8aeedcf75_vjps_vjps) \
  KERNEL(k_c3d422daa1b8_forward) \
  KERNEL(k_c3d422daa1b8_vjp) \
  KERNEL(k_c3d422daa1b8_vjps) \
  KERNEL(k_c3d422daa1b8_jvp) \
  KERNEL(k_c3d422daa1b8_vjp_vjp) \
  KERNEL(k_c3d422daa1b8_vjps_vjps) \
  KERNEL(k_2c686566f6ac_forward) \
  KERNEL(k_2c686566f6ac_vjp) \
  KERNEL(k_2c686566f6ac_vjps) \
  KERNEL(k_2c686566f6ac_jvp) \
  KERNEL(k_2c686566f6ac_vjp_vjp) \
  KERNEL(k_2c686566f6ac_vjps_vjps) \
  KERNEL(k_fb43d4fea87a_forward) \
  KERNEL(k_fb43d4fea87a_vjp) \
  KERNEL(k_fb43d4fea87a_vjps) \
  KERNEL(k_fb43d4fea87a_jvp) \
  KERNEL(k_fb43d4fea87a_vjp_vjp) \
  KERNEL(k_fb43d4fea87a_vjps_vjps) \
  KERNEL(k_aab3dd281450_forward) \
  KERNEL(k_aab3dd281450_vjp) \
  KERNEL(k_aab3dd281450_vjps) \
  KERNEL(k_aab3dd281450_jvp) \
  KERNEL(k_aab3dd281450_vjp_vjp) \
  KERNEL(k_aab3dd281450_vjps_vjps) \
  KERNEL(k_1f55e887eb59_forward) \
  KERNEL(k_1f55e887eb59_vjp) \
  KERNEL(k_1f55e887eb59_vjps) \
  KERNEL(k_1f55e887eb59_jvp) \
  KERNEL(k_1f55e887eb59_vjp_vjp) \
  KERNEL(k_1f55e887eb59_vjps_vjps) \
  KERNEL(k_5b9ce9dcc7f9_forward) \
  KERNEL(k_5b9ce9dcc7f9_vjp) \
  KERNEL(k_5b9ce9dcc7f9_vjps) \
  KERNEL(k_5b9ce9dcc7f9_jvp) \
  KERNEL(k_5b9ce9dcc7f9_vjp_vjp) \
  KERNEL(k_5b9ce9dcc7f9_vjps_vjps) \
  KERNEL(k_e009bd3d6434_forward) \
  KERNEL(k_e009bd3d6434_vjp) \
  KERNEL(k_e009bd3d6434_vjps) \
  KERNEL(k_e009bd3d6434_jvp) \
  KERNEL(k_e009bd3d6434_vjp_vjp) \
  KERNEL(k_e009bd3d6434_vjps_vjps) \
  KERNEL(k_29d28be4c2ad_forward) \
  KERNEL(k_29d28be4c2ad_vjp) \
  KERNEL(k_29d28be4c2ad_vjps) \
  KERNEL(k_29d28be4c2ad_jvp) \
  KERNEL(k_29d28be4c2ad_vjp_vjp) \
  KERNEL(k_29d28be4c2ad_vjps_vjps) \
  KERNEL(k_7537beabceff_forward) \
  KERNEL(k_7537beabceff_vjp) \
  KERNEL(k_7537beabceff_vjps) \
  KERNEL(k_7537beabceff_jvp) \
  KERNEL(k_7537beabceff_vjp_vjp) \
  KERNEL(k_7537beabceff_vjps_vjps) \
  KERNEL(k_cb5f77132374_forward) \
  KERNEL(k_cb5f77132374_vjp) \
  KERNEL(k_cb5f77132374_vjps) \
  KERNEL(k_cb5f77132374_jvp) \
  KERNEL(k_cb5f77132374_vjp_vjp) \
  KERNEL(k_cb5f77132374_vjps_vjps) \
  KERNEL(k_3d30ffd790ca_forward) \
  KERNEL(k_3d30ffd790ca_vjp) \
  KERNEL(k_3d30ffd790ca_vjps) \
  KERNEL(k_3d30ffd790ca_jvp) \
  KERNEL(k_3d30ffd790ca_vjp_vjp) \
  KERNEL(k_3d30ffd790ca_vjps_vjps) \
  KERNEL(k_9560ac56e2d4_forward) \
  KERNEL(k_9560ac56e2d4_vjp) \
  KERNEL(k_9560ac56e2d4_vjps) \
  KERNEL(k_9560ac56e2d4_jvp) \
  KERNEL(k_9560ac56e2d4_vjp_vjp) \
  KERNEL(k_9560ac56e2d4_vjps_vjps) \
  KERNEL(k_40ae0a541932_forward) \
  KERNEL(k_40ae0a541932_vjp) \
  KERNEL(k_40ae0a541932_vjps) \
  KERNEL(k_40ae0a541932_jvp) \
  KERNEL(k_40ae0a541932_vjp_vjp) \
  KERNEL(k_40ae0a541932_vjps_vjps) \
  KERNEL(k_51ade69e9247_forward) \
  KERNEL(k_51ade69e9247_vjp) \
  KERNEL(k_51ade69e9247_vjps) \
  KERNEL(k_51ade69e9247_jvp) \
  KERNEL(k_51ade69e9247_vjp_vjp) \
  KERNEL(k_51ade69e9247_vjps_vjps) \
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
  KERNEL(k_fb4b2b1b07ac_forward) \
  KERNEL(k_fb4b2b1b07ac_vjp) \
  KERNEL(k_fb4b2b1b07ac_vjps) \
  KERNEL(k_fb4b2b1b07ac_jvp) \
  KERNEL(k_fb4b2b1b07ac_vjp_vjp) \
  KERNEL(k_fb4b2b1b07ac_vjps_vjps) \
  KERNEL(k_1285a3fb539a_forward) \
  KERNEL(k_1285a3fb539a_vjp) \
  KERNEL(k_1285a3fb539a_vjps) \
  KERNEL(k_1285a3fb539a_jvp) \
  KERNEL(k_1285a3fb539a_vjp_vjp) \
  KERNEL(k_1285a3fb539a_vjps_vjps) \
  KERNEL(k_5ba0aa26914c_forward) \
  KERNEL(k_5ba0aa26914c_vjp) \
  KERNEL(k_5ba0aa26914c_vjps) \
  KERNEL(k_5ba0aa26914c_jvp) \
  KERNEL(k_5ba0aa26914c_vjp_vjp) \
  KERNEL(k_5ba0aa26914c_vjps_vjps) \
  KERNEL(k_69e590d0b9f2_forward) \
  KERNEL(k_69e590d0b9f2_vjp) \
  KERNEL(k_69e590d0b9f2_vjps) \
  KERNEL(k_69e590d0b9f2_jvp) \
  KERNEL(k_69e590d0b9f2_vjp_vjp) \
  KERNEL(k_69e590d0b9f2_vjps_vjps)
