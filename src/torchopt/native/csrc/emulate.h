// The part of CUDA's language that cuda.cuh speaks, for g++ on a CPU: threads of a block are fibers
// that take turns at barriers, so kernels are compiled as they are.
#pragma once

#include <cmath>
#include <cstddef>

#define __global__
#define __device__
#define __forceinline__ inline
#define __grid_constant__
#define __launch_bounds__(threads)
// One block runs at a time in an operating system's thread.
#define __shared__ static thread_local

struct Index {
  unsigned x;
};

extern thread_local Index threadIdx, blockIdx, gridDim;

// Returns when all threads of the block have called it.
void __syncthreads();

double __shfl_down_sync(unsigned mask, double value, unsigned distance);
