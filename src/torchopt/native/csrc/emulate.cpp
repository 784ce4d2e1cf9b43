// Runs the kernels of cuda.cuh on a CPU, thread by thread, for tests on machines without a GPU.
// formulas.h is generated (torchopt/formula): the functors, and TORCHOPT_KERNELS, which lists them.
#include "emulate.h"

#include "cuda.cuh"

namespace torchopt {
#include "formulas.h"
}  // namespace torchopt

#include <ucontext.h>

#include <cstdint>
#include <cstring>
#include <vector>

thread_local Index threadIdx, blockIdx, gridDim;

namespace {

using torchopt::threads;
using torchopt::warp;

constexpr std::size_t stack_bytes = 64 * 1024;

// A block of fibers. Its scheduler passes over all of them, last thread first: a kernel that lacks
// a barrier reads what thread 0 has not written yet.
struct Block {
  using Body = void (*)(const void* parameter);

  std::vector<char> stacks = std::vector<char>(threads * stack_bytes);
  ucontext_t scheduler;
  ucontext_t fiber[threads];
  bool running[threads];
  double exchanged[threads];
  Body body;
  const void* parameter;

  // True if every thread came through; false if some waited at a barrier that others never reached.
  bool run() {
    for (int t = 0; t < threads; ++t) {
      running[t] = true;
      getcontext(&fiber[t]);
      fiber[t].uc_stack.ss_sp = &stacks[t * stack_bytes];
      fiber[t].uc_stack.ss_size = stack_bytes;
      fiber[t].uc_link = &scheduler;
      makecontext(&fiber[t], &Block::enter, 0);
    }
    for (int alive = threads; alive > 0;) {
      const int before = alive;
      for (int t = threads - 1; t >= 0; --t) {
        if (!running[t]) continue;
        threadIdx.x = unsigned(t);
        swapcontext(&scheduler, &fiber[t]);
        if (!running[t]) --alive;
      }
      if (alive > 0 && alive < before) return false;
    }
    return true;
  }

  void wait() {
    const unsigned t = threadIdx.x;
    swapcontext(&fiber[t], &scheduler);
  }

  static void enter();
};

thread_local Block* current = nullptr;

void Block::enter() {
  current->body(current->parameter);
  current->running[threadIdx.x] = false;
}

template <class Functor, class S>
void fused(const void* parameter) {
  torchopt::fused<Functor, S>(*static_cast<const torchopt::Table<Functor>*>(parameter));
}

void finish(const void* parameter) {
  torchopt::finish(*static_cast<const torchopt::Partials*>(parameter));
}

struct Entry {
  const char* name;
  Block::Body f32, f64;
};

#define ENTRY(name)                                   \
  {#name, fused<torchopt::name<float, float>, float>, \
   fused<torchopt::name<double, double>, double>},
const Entry entries[] = {TORCHOPT_KERNELS(ENTRY){"finish", finish, finish}};
#undef ENTRY

}  // namespace

void __syncthreads() { current->wait(); }

double __shfl_down_sync(unsigned, double value, unsigned distance) {
  const unsigned t = threadIdx.x;
  current->exchanged[t] = value;
  __syncthreads();  // all warps run the same shuffles, so a block may wait where a warp would
  const double result = t % warp + distance < warp ? current->exchanged[t + distance] : value;
  __syncthreads();
  return result;
}

#define EXPORT extern "C" __attribute__((visibility("default")))

// The kernel of a functor, or `finish`; null if there is none of this name.
EXPORT void* torchopt_emulated_function(const char* name, int is_double) {
  for (const Entry& entry : entries) {
    if (std::strcmp(entry.name, name) == 0) {
      return reinterpret_cast<void*>(is_double ? entry.f64 : entry.f32);
    }
  }
  return nullptr;
}

// Runs blocks one after another. Returns 0; 1 if threads of a block did not meet at a barrier; 2 if
// the kernels are not for blocks of this size.
EXPORT int torchopt_emulated_launch(void* function, unsigned grid, unsigned block,
                                    const void* parameter) {
  if (block != unsigned(threads)) return 2;
  static thread_local Block fibers;
  fibers.body = reinterpret_cast<Block::Body>(function);
  fibers.parameter = parameter;
  current = &fibers;
  gridDim.x = grid;
  for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x) {
    if (!fibers.run()) return 1;
  }
  return 0;
}
