// What a library of kernels and the driver agree on; plain C, no torch.
#pragma once

#include <cstdint>

extern "C" {

// One fused elementwise formula, in both dtypes.
//
// in[k] == NULL means zeros, out[k] == NULL means not wanted. `sums` receives, in double, each summed term over this
// range. `stream` != 0 asks for stores that bypass the cache.
struct TorchoptKernel {
  const char* name;
  int32_t inputs, outputs, scalars, sums;
  void (*run_f32)(const double* scalars, const float* const* in, float* const* out, double* sums, int64_t n,
                  int32_t stream);
  void (*run_f64)(const double* scalars, const double* const* in, double* const* out, double* sums, int64_t n,
                  int32_t stream);
};

// The table of a library of kernels, and its length.
__attribute__((visibility("default"))) const TorchoptKernel* torchopt_kernels(int64_t* count);
}
