// Every formula on a GPU: one kernel that runs a generated functor over lists of tensors, in one
// pass. All that a launch needs travels in its parameter, so that nothing is copied to the device
// and a launch can be captured in a CUDA graph. NVRTC compiles this file without any header; g++
// compiles it too, after emulate.h, to run it on a CPU.

#define TORCHOPT_INLINE __device__ __forceinline__

namespace torchopt {

using i64 = long long;
using u64 = unsigned long long;

constexpr int threads = 256;           // of a block
constexpr int warp = 32;               // lanes of a warp
constexpr int parameter_bytes = 4096;  // what a launch takes on every GPU and driver
constexpr int vector_bytes = 16;       // the widest load

// Arrays of size 0 are not C++.
__device__ constexpr int at_least_one(int n) { return n > 0 ? n : 1; }

// ---------------------------------------------------------------------------------------------
// What functors call. Compiled with -fmad=false and neither -use_fast_math nor -ftz, so that
// + - * / and roots round as on a CPU.

template <class V, class S>
TORCHOPT_INLINE V splat(S x) {
  return V(x);
}

TORCHOPT_INLINE float sqrt_(float x) { return sqrtf(x); }
TORCHOPT_INLINE double sqrt_(double x) { return sqrt(x); }
TORCHOPT_INLINE float abs_(float x) { return fabsf(x); }
TORCHOPT_INLINE double abs_(double x) { return fabs(x); }
TORCHOPT_INLINE float exp_(float x) { return expf(x); }
TORCHOPT_INLINE double exp_(double x) { return exp(x); }
TORCHOPT_INLINE float log_(float x) { return logf(x); }
TORCHOPT_INLINE double log_(double x) { return log(x); }
TORCHOPT_INLINE float tanh_(float x) { return tanhf(x); }
TORCHOPT_INLINE double tanh_(double x) { return tanh(x); }
TORCHOPT_INLINE float pow_(float x, float y) { return powf(x, y); }
TORCHOPT_INLINE double pow_(double x, double y) { return pow(x, y); }

// 0 at both zeros, and at NaN, as torch.sign.
template <class V>
TORCHOPT_INLINE V sign_(V x) {
  return x > V(0) ? V(1) : x < V(0) ? V(-1) : V(0);
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

// The smallest normal number.
template <class V>
TORCHOPT_INLINE V tiny() {
  return sizeof(V) == sizeof(float) ? V(0x1p-126) : V(0x1p-1022);
}

// ---------------------------------------------------------------------------------------------
// The parameter of a launch. _launch.py packs the same bytes.

// A hyperparameter is a number, or somewhere on the device: then nobody waits for its value.
struct Scalar {
  const float* f32;
  const double* f64;
  double value;

  TORCHOPT_INLINE double read() const { return f32 ? double(*f32) : f64 ? *f64 : value; }
};

// Words are the columns of a table whose rows are leaves: sizes, and the first chunk of each leaf, in
// elements and chunks; then pointers. No leaf is empty. An argument is a column of pointers; of column
// 0, an input is all zeros, and an output is not wanted.
template <class Functor>
struct Table {
  static constexpr int arguments = Functor::inputs + Functor::outputs;
  static constexpr int scalars = at_least_one(Functor::scalars);
  static constexpr int words = parameter_bytes / 8 - 3 - arguments - 3 * scalars;

  double* partials;  // [chunks of this launch][Functor::sums]
  i64 leaves;
  i64 chunk;  // elements of a block
  i64 argument[arguments];
  Scalar scalar[scalars];
  i64 word[words];

  TORCHOPT_INLINE i64 size(int leaf) const { return word[leaf]; }
  TORCHOPT_INLINE i64 first_chunk(int leaf) const { return word[leaves + leaf]; }

  // The leaf of a block, by bisection.
  TORCHOPT_INLINE int leaf_of(i64 block) const {
    int leaf = 0;
    for (int end = int(leaves); end - leaf > 1;) {
      const int middle = (leaf + end) / 2;
      if (first_chunk(middle) <= block) {
        leaf = middle;
      } else {
        end = middle;
      }
    }
    return leaf;
  }

  template <class S>
  TORCHOPT_INLINE S* pointer(int k, int leaf) const {
    const i64 column = argument[k];
    return column != 0 ? reinterpret_cast<S*>(word[column * leaves + leaf]) : nullptr;
  }
};

// ---------------------------------------------------------------------------------------------
// Sums over a block: halves of a warp onto each other, then warp after warp. The order depends on
// nothing, so a sum has the same bits in every run; atomics would not.

TORCHOPT_INLINE double warp_sum(double x) {
  for (int distance = warp / 2; distance > 0; distance /= 2) {
    x += __shfl_down_sync(0xffffffffu, x, distance);
  }
  return x;  // in lane 0
}

template <int sums>
TORCHOPT_INLINE void block_sum(const double* terms, double* result) {
  __shared__ double rows[threads / warp][sums];
#pragma unroll
  for (int j = 0; j < sums; ++j) {
    const double x = warp_sum(terms[j]);
    if (threadIdx.x % warp == 0) rows[threadIdx.x / warp][j] = x;
  }
  __syncthreads();
  for (int j = threadIdx.x; j < sums; j += threads) {
    double x = 0;
    for (int row = 0; row < threads / warp; ++row) x += rows[row][j];
    result[j] = x;
  }
}

// ---------------------------------------------------------------------------------------------

template <class S, int width>
struct alignas(width * sizeof(S)) Pack {
  S lane[width];
};

// `width` consecutive elements from `i` on: everything is loaded before anything is stored, so
// that an output may be an input.
template <class Functor, class S, int width>
TORCHOPT_INLINE void elements(const S* uniforms, S* const* input, S* const* output, i64 i,
                              double* terms) {
  using Vector = Pack<S, width>;
  Vector x[at_least_one(Functor::inputs)], y[at_least_one(Functor::outputs)];
#pragma unroll
  for (int k = 0; k < Functor::inputs; ++k) {
    x[k] = input[k] ? *reinterpret_cast<const Vector*>(input[k] + i) : Vector{};
  }
#pragma unroll
  for (int lane = 0; lane < width; ++lane) {
    S from[at_least_one(Functor::inputs)], to[Functor::outputs + Functor::sums];
#pragma unroll
    for (int k = 0; k < Functor::inputs; ++k) from[k] = x[k].lane[lane];
    Functor::element(uniforms, from, to);
#pragma unroll
    for (int k = 0; k < Functor::outputs; ++k) y[k].lane[lane] = to[k];
#pragma unroll
    for (int j = 0; j < Functor::sums; ++j) terms[j] += double(to[Functor::outputs + j]);
  }
#pragma unroll
  for (int k = 0; k < Functor::outputs; ++k) {
    if (output[k]) *reinterpret_cast<Vector*>(output[k] + i) = y[k];
  }
}

// A block does one chunk of one leaf.
template <class Functor, class S>
__global__ void __launch_bounds__(threads) fused(const __grid_constant__ Table<Functor> table) {
  static_assert(sizeof(Table<Functor>) == parameter_bytes, "_launch.py packs this many bytes");
  constexpr int inputs = Functor::inputs, outputs = Functor::outputs;
  constexpr int width = vector_bytes / sizeof(S);

  // Once for a block: double arithmetic is slow on many GPUs, and it may have powers in it.
  __shared__ S uniforms[at_least_one(Functor::uniforms)];
  if (threadIdx.x == 0) {
    double scalars[Table<Functor>::scalars];
#pragma unroll
    for (int k = 0; k < Functor::scalars; ++k) scalars[k] = table.scalar[k].read();
    Functor::prepare(scalars, uniforms);
  }
  __syncthreads();

  const i64 block = blockIdx.x;
  const int leaf = table.leaf_of(block);
  const i64 size = table.size(leaf);
  const i64 begin = (block - table.first_chunk(leaf)) * table.chunk;
  const i64 end = begin + table.chunk < size ? begin + table.chunk : size;
  const int thread = threadIdx.x;

  S *input[at_least_one(inputs)], *output[at_least_one(outputs)];
  u64 addresses = 0;
#pragma unroll
  for (int k = 0; k < inputs; ++k) {
    input[k] = table.template pointer<S>(k, leaf);
    addresses |= reinterpret_cast<u64>(input[k]);
  }
#pragma unroll
  for (int k = 0; k < outputs; ++k) {
    output[k] = table.template pointer<S>(inputs + k, leaf);
    addresses |= reinterpret_cast<u64>(output[k]);
  }

  double terms[at_least_one(Functor::sums)] = {};
  const i64 vectors = addresses % vector_bytes == 0 ? (end - begin) / width : 0;
  for (i64 v = thread; v < vectors; v += threads) {
    elements<Functor, S, width>(uniforms, input, output, begin + v * width, terms);
  }
  for (i64 i = begin + vectors * width + thread; i < end; i += threads) {
    elements<Functor, S, 1>(uniforms, input, output, i, terms);
  }

  if constexpr (Functor::sums > 0) {
    block_sum<Functor::sums>(terms, table.partials + block * Functor::sums);
  }
}

// ---------------------------------------------------------------------------------------------

struct Partials {
  const double* partials;  // [chunks][gridDim.x]
  double* result;
  i64 chunks;
};

// Block j adds up the j-th sum of all chunks.
__global__ void __launch_bounds__(threads) finish(const __grid_constant__ Partials p) {
  double term = 0;
  for (i64 i = threadIdx.x; i < p.chunks; i += threads) {
    term += p.partials[i * gridDim.x + blockIdx.x];
  }
  block_sum<1>(&term, p.result + blockIdx.x);
}

}  // namespace torchopt
