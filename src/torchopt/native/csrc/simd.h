// Vectors of S, the helper functions that formulas call, and the loop over a range of elements.
//
// One compiled loop per formula and dtype, since there are hundreds: absent inputs read a block of zeros, unwanted
// outputs go to a block of scratch, and a tail goes through padded vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define TORCHOPT_INLINE inline __attribute__((always_inline))

#if defined(__clang__)
#define TORCHOPT_UNROLL _Pragma("clang loop unroll(full)")
#else
#define TORCHOPT_UNROLL _Pragma("GCC unroll 64")
#endif

namespace torchopt {

#if defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <class S>
struct VectorOf {
  typedef S type __attribute__((vector_size(kVectorBytes)));
};
template <class S>
using Vector = typename VectorOf<S>::type;

template <class V>
using Lane = std::remove_reference_t<decltype(std::declval<V&>()[0])>;

template <class S>
constexpr int kWidth = kVectorBytes / int(sizeof(S));

// ---- what formulas call: on vectors, and on double in `prepare`

template <class V, class S>
TORCHOPT_INLINE V splat(S value) {
  if constexpr (std::is_floating_point_v<V>) {
    return V(value);
  } else {
    return Lane<V>(value) - V{};  // minus zero keeps the sign of a zero, plus zero would not
  }
}

template <class V>
TORCHOPT_INLINE V tiny() {
  if constexpr (std::is_floating_point_v<V>) {
    return std::numeric_limits<V>::min();
  } else {
    return splat<V>(std::numeric_limits<Lane<V>>::min());
  }
}

template <class V>
TORCHOPT_INLINE V select_gt(V a, V b, V x, V y) {
  return a > b ? x : y;
}
template <class V>
TORCHOPT_INLINE V select_ge(V a, V b, V x, V y) {
  return a >= b ? x : y;
}
template <class V>
TORCHOPT_INLINE V select_eq(V a, V b, V x, V y) {
  return a == b ? x : y;
}

template <class V>
TORCHOPT_INLINE V sign_(V x) {
  const V zero{}, one = splat<V>(1);
  return select_gt(x, zero, one, select_gt(zero, x, -one, zero));  // 0 at NaN, as torch.sign
}

// Calls a function of the C library lane by lane.
template <class V, class F>
TORCHOPT_INLINE V each_lane(F function, V x) {
  V result;
  for (int i = 0; i < kWidth<Lane<V>>; ++i) result[i] = function(x[i]);
  return result;
}

#define TORCHOPT_LANEWISE(name, function)                                       \
  template <class V>                                                            \
  TORCHOPT_INLINE V name(V x) {                                                 \
    if constexpr (std::is_floating_point_v<V>) {                                \
      return function(x);                                                       \
    } else {                                                                    \
      return each_lane([](Lane<V> lane) { return function(lane); }, x);         \
    }                                                                           \
  }
TORCHOPT_LANEWISE(exp_, std::exp)
TORCHOPT_LANEWISE(log_, std::log)
TORCHOPT_LANEWISE(tanh_, std::tanh)
#undef TORCHOPT_LANEWISE

template <class V>
TORCHOPT_INLINE V pow_(V x, V y) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::pow(x, y);
  } else {
    V result;
    for (int i = 0; i < kWidth<Lane<V>>; ++i) result[i] = std::pow(x[i], y[i]);
    return result;
  }
}

template <class V>
TORCHOPT_INLINE V abs_(V x) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::fabs(x);
  } else {
    using Bits = std::conditional_t<sizeof(Lane<V>) == 4, uint32_t, uint64_t>;
    return (V)((Vector<Bits>)x & ~((Vector<Bits>)(-V{})));  // the sign bit is all that -0 has
  }
}

template <class V>
TORCHOPT_INLINE V sqrt_(V x) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::sqrt(x);
  } else if constexpr (sizeof(Lane<V>) == 4) {
#if defined(__AVX__)
    return (V)_mm256_sqrt_ps((__m256)x);
#elif defined(__x86_64__)
    return (V)_mm_sqrt_ps((__m128)x);
#elif defined(__aarch64__)
    return (V)vsqrtq_f32((float32x4_t)x);
#else
    return each_lane([](float lane) { return std::sqrt(lane); }, x);
#endif
  } else {
#if defined(__AVX__)
    return (V)_mm256_sqrt_pd((__m256d)x);
#elif defined(__x86_64__)
    return (V)_mm_sqrt_pd((__m128d)x);
#elif defined(__aarch64__)
    return (V)vsqrtq_f64((float64x2_t)x);
#else
    return each_lane([](double lane) { return std::sqrt(lane); }, x);
#endif
  }
}

// ---- memory

template <class S>
TORCHOPT_INLINE Vector<S> load(const S* address) {
  Vector<S> value;
  std::memcpy(&value, address, sizeof value);  // one unaligned load
  return value;
}

template <class S>
TORCHOPT_INLINE void store(S* address, Vector<S> value) {
  std::memcpy(address, &value, sizeof value);
}

// Stores that go past the cache; `address` is a multiple of kVectorBytes.
template <class S>
TORCHOPT_INLINE void store_streaming(S* address, Vector<S> value) {
#if defined(__AVX__)
  _mm256_stream_si256((__m256i*)address, (__m256i)value);
#elif defined(__x86_64__)
  _mm_stream_si128((__m128i*)address, (__m128i)value);
#elif defined(__clang__)
  __builtin_nontemporal_store(value, (Vector<S>*)address);
#else
  store(address, value);
#endif
}

// Streaming stores are weakly ordered: other threads may look after this only.
TORCHOPT_INLINE void finish_streaming() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// ---- the loop

constexpr int kLineBytes = 64;  // of the cache

// Vectors in one turn of the loop: two that fill a line are stored together, since a streaming store of half a line
// costs as much as one of the whole. Longer formulas have no registers for a second vector.
template <class Formula>
constexpr int kVectors =
    2 * kVectorBytes == kLineBytes && Formula::sums == 0 && Formula::inputs + Formula::outputs <= 16 ? 2 : 1;

// How many bytes ahead of a loop over lines inputs are fetched: the processor by itself stops at the end of each page.
constexpr int64_t kAhead = 2048;

// Elements that pass through the first-level cache at a time; sums are in S within a block and in double beyond.
template <class S>
constexpr int64_t kBlock = 4096 / int64_t(sizeof(S));

// Applies a formula to whole turns; `lanes` receives kWidth partial sums of each summed term. If `streamed` is not
// zero, its bits say which outputs go past the cache, and others are not written.
template <class Formula, class S>
void apply_block(const S* uniforms, const S* const* in, S* const* out, S* lanes, int64_t n, uint64_t streamed) {
  using V = Vector<S>;
  constexpr int inputs = Formula::inputs, outputs = Formula::outputs, sums = Formula::sums;
  constexpr int vectors = kVectors<Formula>;
  constexpr bool lines = vectors * kVectorBytes == kLineBytes;
  // Copies, which no store through an output can change: they stay in registers.
  S u[Formula::uniforms + 1];
  const S* from[inputs + 1];
  S* to[outputs + 1];
  std::copy_n(uniforms, Formula::uniforms, u);
  std::copy_n(in, inputs, from);
  std::copy_n(out, outputs, to);
  V total[sums + 1] = {};
  for (int64_t i = 0; i < n; i += vectors * kWidth<S>) {
    V x[vectors][inputs + 1], y[vectors][outputs + sums + 1];
    TORCHOPT_UNROLL
    for (int k = 0; k < inputs; ++k) {
      if (lines && (Formula::reads >> k & 1)) {
        __builtin_prefetch(reinterpret_cast<const char*>(from[k] + i) + kAhead);
      }
    }
    TORCHOPT_UNROLL
    for (int j = 0; j < vectors; ++j) {
      TORCHOPT_UNROLL
      for (int k = 0; k < inputs; ++k) x[j][k] = load(from[k] + i + j * kWidth<S>);
      Formula::element(u, x[j], y[j]);
    }
    if (streamed == 0) {
      TORCHOPT_UNROLL
      for (int k = 0; k < outputs; ++k) {
        TORCHOPT_UNROLL
        for (int j = 0; j < vectors; ++j) store(to[k] + i + j * kWidth<S>, y[j][k]);
      }
    } else {
      TORCHOPT_UNROLL
      for (int k = 0; k < outputs; ++k) {
        if (!(streamed >> k & 1)) continue;
        TORCHOPT_UNROLL
        for (int j = 0; j < vectors; ++j) store_streaming(to[k] + i + j * kWidth<S>, y[j][k]);
      }
    }
    TORCHOPT_UNROLL
    for (int k = 0; k < sums; ++k) total[k] += y[0][outputs + k];  // with one vector in a turn
  }
  TORCHOPT_UNROLL
  for (int k = 0; k < sums; ++k) store(lanes + k * kWidth<S>, total[k]);
}

// A formula as data, and the memory that one run of it works in (lent by `run`, which knows the sizes).
template <class S>
struct Job {
  int inputs, outputs, sums;
  int64_t turn;  // elements in one turn of the loop
  void (*apply_block)(const S* uniforms, const S* const* in, S* const* out, S* lanes, int64_t n,
                      uint64_t streamed);
  const S* uniforms;
  const S** x;
  S** y;
  S* scratch;  // kBlock
  S* padded;   // (inputs + outputs) * turn
  S* lanes;    // sums * kWidth
};

template <class S>
TORCHOPT_INLINE void add_lanes(const Job<S>& job, double* sums, int64_t lanes) {
  for (int k = 0; k < job.sums; ++k) {
    double total = 0;
    for (int64_t i = 0; i < lanes; ++i) total += double(job.lanes[k * kWidth<S> + i]);
    sums[k] += total;
  }
}

template <class S>
__attribute__((noinline)) void run_job(const Job<S>& job, const S* const* in, S* const* out, double* sums, int64_t n,
                                       bool stream) {
  alignas(64) static const S zeros[kBlock<S>] = {};
  std::fill_n(sums, job.sums, 0.0);
  uint64_t streamed = 0;
  for (int k = 0; stream && k < job.outputs; ++k) {
    if (reinterpret_cast<uintptr_t>(out[k]) % kVectorBytes != 0) {
      streamed = 0;  // such stores need aligned addresses
      break;
    }
    if (out[k]) streamed |= uint64_t(1) << k;
  }

  const int64_t turn = job.turn, whole = n / turn * turn;
  for (int64_t start = 0; start < whole; start += kBlock<S>) {
    for (int k = 0; k < job.inputs; ++k) job.x[k] = in[k] ? in[k] + start : zeros;
    for (int k = 0; k < job.outputs; ++k) job.y[k] = out[k] ? out[k] + start : job.scratch;
    job.apply_block(job.uniforms, job.x, job.y, job.lanes, std::min(kBlock<S>, whole - start), streamed);
    add_lanes(job, sums, kWidth<S>);
  }
  if (streamed != 0) finish_streaming();

  if (const int64_t rest = n - whole; rest > 0) {
    S* padded = job.padded;
    std::fill_n(padded, (job.inputs + job.outputs) * turn, S(0));
    for (int k = 0; k < job.inputs; ++k, padded += turn) {
      if (in[k]) std::copy_n(in[k] + whole, rest, padded);
      job.x[k] = padded;
    }
    for (int k = 0; k < job.outputs; ++k, padded += turn) job.y[k] = padded;
    job.apply_block(job.uniforms, job.x, job.y, job.lanes, turn, 0);
    add_lanes(job, sums, rest);  // not the lanes of padding
    for (int k = 0; k < job.outputs; ++k) {
      if (out[k]) std::copy_n(job.y[k], rest, out[k] + whole);
    }
  }
}

template <template <class, class> class K, class S>
void run(const double* scalars, const S* const* in, S* const* out, double* sums, int64_t n, int32_t stream) {
  using Formula = K<S, Vector<S>>;
  constexpr int inputs = Formula::inputs, outputs = Formula::outputs, terms = Formula::sums;
  constexpr int turn = kVectors<Formula> * kWidth<S>;
  static_assert(outputs <= 64);
  S uniforms[Formula::uniforms + 1];
  Formula::prepare(scalars, uniforms);
  const S* x[inputs + 1];
  S* y[outputs + 1];
  alignas(64) S scratch[kBlock<S>];
  alignas(64) S padded[(inputs + outputs) * turn + 1];
  alignas(64) S lanes[terms * kWidth<S> + 1];
  const Job<S> job{inputs, outputs,  terms, turn, &apply_block<Formula, S>,
                   uniforms, x,      y,     scratch, padded, lanes};
  run_job(job, in, out, sums, n, stream != 0);
}

}  // namespace torchopt
