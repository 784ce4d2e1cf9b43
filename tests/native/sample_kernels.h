// Formulas in the form of the generated ones, written by hand for the tests of the driver.

// sgd with momentum
template <class S, class V>
struct k_momentum_forward {
  static constexpr int inputs = 2, outputs = 2, scalars = 2, sums = 0, uniforms = 2;
  static constexpr unsigned long long reads = 0x3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[0]);
    u[1] = S(-h[1]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V u0 = splat<V>(u[0]);
    const V u1 = splat<V>(u[1]);
    const V t0 = u0 * x[1] + x[0];
    y[0] = u1 * t0;
    y[1] = t0;
  }
};

// adam (g, m, v) -> (update, m, v); scalars lr, beta1, beta2, eps, 1 / (1 - beta1^t), 1 / (1 - beta2^t)
template <class S, class V>
struct k_adam_forward {
  static constexpr int inputs = 3, outputs = 3, scalars = 6, sums = 0, uniforms = 7;
  static constexpr unsigned long long reads = 0x7;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[1]);
    u[1] = S(1 - h[1]);
    u[2] = S(h[2]);
    u[3] = S(1 - h[2]);
    u[4] = S(-h[0] * h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[3]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V m = splat<V>(u[0]) * x[1] + splat<V>(u[1]) * x[0];
    const V v = splat<V>(u[2]) * x[2] + splat<V>(u[3]) * (x[0] * x[0]);
    y[0] = splat<V>(u[4]) * m / (sqrt_(v * splat<V>(u[5])) + splat<V>(u[6]));
    y[1] = m;
    y[2] = v;
  }
};

// adam's vjp (g, m, v, du, dm, dv) -> (dg, dm, dv), and the derivative with respect to lr summed over all elements
template <class S, class V>
struct k_adam_vjp {
  static constexpr int inputs = 6, outputs = 3, scalars = 6, sums = 1, uniforms = 9;
  static constexpr unsigned long long reads = 0x3f;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) {
    u[0] = S(h[1]);
    u[1] = S(1 - h[1]);
    u[2] = S(h[2]);
    u[3] = S(1 - h[2]);
    u[4] = S(-h[0] * h[4]);
    u[5] = S(h[5]);
    u[6] = S(h[3]);
    u[7] = S(0.5 * h[5]);
    u[8] = S(-h[4]);
  }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    const V m = splat<V>(u[0]) * x[1] + splat<V>(u[1]) * x[0];
    const V v = splat<V>(u[2]) * x[2] + splat<V>(u[3]) * (x[0] * x[0]);
    const V root = sqrt_(v * splat<V>(u[5]));
    const V inverse = splat<V>(S(1)) / (root + splat<V>(u[6]));
    const V a = x[3] * splat<V>(u[4]) * inverse;
    const V b = -(a * m) * inverse * splat<V>(u[7]) / select_gt(root, V{}, root, splat<V>(S(1)));
    const V cm = x[4] + a;
    const V cv = x[5] + select_gt(root, V{}, b, V{});
    y[0] = splat<V>(u[1]) * cm + splat<V>(S(2)) * splat<V>(u[3]) * x[0] * cv;
    y[1] = splat<V>(u[0]) * cm;
    y[2] = splat<V>(u[2]) * cv;
    y[3] = x[3] * splat<V>(u[8]) * m * inverse;
  }
};

// sums only, and scalars in the same place as no uniform
template <class S, class V>
struct k_dot_vjp {
  static constexpr int inputs = 2, outputs = 0, scalars = 0, sums = 2, uniforms = 0;
  static constexpr unsigned long long reads = 0x3;
  static TORCHOPT_INLINE void prepare(const double*, S*) {}
  static TORCHOPT_INLINE void element(const S*, const V* x, V* y) {
    y[0] = x[0] * x[1];
    y[1] = x[0];
  }
};

// the slow functions
template <class S, class V>
struct k_smooth_forward {
  static constexpr int inputs = 2, outputs = 3, scalars = 1, sums = 0, uniforms = 1;
  static constexpr unsigned long long reads = 0x3;
  static TORCHOPT_INLINE void prepare(const double* h, S* u) { u[0] = S(exp_(log_(h[0]))); }
  static TORCHOPT_INLINE void element(const S* u, const V* x, V* y) {
    y[0] = tanh_(x[0]) * splat<V>(u[0]);
    y[1] = log_(exp_(x[1]));
    y[2] = pow_(abs_(x[0]), x[1]);
  }
};

#define TORCHOPT_KERNELS(KERNEL) \
  KERNEL(k_momentum_forward)     \
  KERNEL(k_adam_forward)         \
  KERNEL(k_adam_vjp)             \
  KERNEL(k_dot_vjp)              \
  KERNEL(k_smooth_forward)
