// Reused buffers for outputs: a fresh page costs more to fault in than a kernel takes to fill it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace torchopt {

struct Buffer {
  void* data;
  size_t size;
  // Lists of free buffers: of one size class (last freed first), and of all of them (first freed first).
  Buffer *class_next, *class_previous, *older, *newer;
};

// A buffer of at least `bytes`, aligned to 64 bytes; throws std::bad_alloc. Any thread may release it.
Buffer* acquire(size_t bytes);
void release(Buffer* buffer) noexcept;

// Whether this process was forked: the threads of its parent's parallel loops are not there.
bool forked() noexcept;

}  // namespace torchopt

#define TORCHOPT_EXPORT extern "C" __attribute__((visibility("default")))

// What Python asks: {bytes in use, bytes cached, limit of bytes cached, hits, misses}; give cached bytes back until
// `keep` are left, and say how many were given back; change the limit.
TORCHOPT_EXPORT void torchopt_pool_stats(int64_t* five);
TORCHOPT_EXPORT int64_t torchopt_pool_trim(int64_t keep);
TORCHOPT_EXPORT void torchopt_pool_set_limit(int64_t bytes);
