// Runs kernels and pool from C++ under the sanitizers: each range is allocated to the byte, so that one element too
// many is seen, and the pool is used by several threads at once, across a fork, with a limit that it must keep.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "kernel.h"
#include "pool.h"

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "stress: %s\n", what);
  std::exit(1);
}

template <class S, class Run>
void run_kernel(const TorchoptKernel& kernel, Run run, int64_t n, uint32_t absent, bool in_place, int32_t stream) {
  std::vector<std::unique_ptr<S[]>> inputs, outputs;
  std::vector<const S*> in;
  std::vector<S*> out;
  for (int k = 0; k < kernel.inputs; ++k) {
    inputs.emplace_back(new S[n]);
    for (int64_t i = 0; i < n; ++i) inputs.back()[i] = S((i % 13) + k + 1) / 4;
    in.push_back(absent >> k & 1 ? nullptr : inputs.back().get());
  }
  for (int k = 0; k < kernel.outputs; ++k) {
    outputs.emplace_back(new S[n]);
    S* const target = in_place && k < kernel.inputs ? inputs[k].get() : outputs.back().get();
    out.push_back(absent >> (k + 8) & 1 ? nullptr : target);
  }
  const std::vector<double> scalars(kernel.scalars, 0.5);
  std::vector<double> sums(kernel.sums);
  run(scalars.data(), in.data(), out.data(), sums.data(), n, stream);
}

void run_kernels() {
  int64_t count;
  const TorchoptKernel* const kernels = torchopt_kernels(&count);
  std::mt19937 random(0);
  for (int64_t k = 0; k < count; ++k) {
    for (const int64_t n : {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 63, 1023, 1024, 1025, 4099}) {
      for (int repeat = 0; repeat < 8; ++repeat) {
        const uint32_t absent = repeat < 2 ? 0 : random();
        const bool in_place = repeat % 2 != 0;
        run_kernel<float>(kernels[k], kernels[k].run_f32, n, absent, in_place, repeat % 3 == 0);
        run_kernel<double>(kernels[k], kernels[k].run_f64, n, absent, in_place, repeat % 3 == 0);
      }
    }
  }
}

void use_pool(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<torchopt::Buffer*> held;
  for (int step = 0; step < 3000; ++step) {
    if (held.size() < 8 && random() % 2 == 0) {
      const size_t bytes = size_t(random() % 4096) << (random() % 12);
      held.push_back(torchopt::acquire(bytes));
      require(held.back()->size >= bytes, "a buffer is too small");
      require(reinterpret_cast<uintptr_t>(held.back()->data) % 64 == 0, "a buffer is not aligned");
      static_cast<char*>(held.back()->data)[held.back()->size - 1] = 1;
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      torchopt::release(held.back());
      held.pop_back();
    }
    if (step % 500 == 0) torchopt_pool_trim(1 << 20);
  }
  for (torchopt::Buffer* buffer : held) torchopt::release(buffer);
}

void use_pool_in_threads() {
  torchopt_pool_set_limit(16 << 20);
  std::vector<std::thread> threads;
  for (uint32_t seed = 0; seed < 4; ++seed) threads.emplace_back(use_pool, seed);
  const pid_t child = fork();  // while the others hold its lock
  if (child == 0) {
    require(torchopt::forked(), "a child does not know that it is one");
    torchopt::release(torchopt::acquire(1 << 20));
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  require(status == 0, "a forked child failed");
  for (std::thread& thread : threads) thread.join();
  int64_t stats[5];
  torchopt_pool_stats(stats);
  require(stats[0] == 0, "bytes are in use after all was released");
  require(stats[1] <= stats[2], "more is cached than the limit");
  require(torchopt_pool_trim(0) == stats[1], "trimming did not give everything back");
}

}  // namespace

int main() {
  run_kernels();
  use_pool_in_threads();
  std::puts("kernels and pool: clean");
}
