#include "pool.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>

namespace torchopt {
namespace {

constexpr size_t kSmallest = 1024;
constexpr size_t kPage = size_t(64) << 10;     // the largest page of the processors that torch runs on
constexpr size_t kHugePage = size_t(2) << 20;
constexpr int kClasses = 8 * 48;

int log2_floor(size_t value) { return 63 - __builtin_clzll(value); }

// Eight classes to each doubling, so that at most an eighth is unused; whole pages beyond the smallest.
size_t round_to_class(size_t bytes) {
  bytes = std::max(bytes, kSmallest);
  size_t step = std::max(size_t(1) << log2_floor(bytes) >> 3, size_t(64));
  if (bytes >= kHugePage) step = std::max(step, kHugePage);
  else if (bytes >= kPage) step = std::max(step, kPage);
  if (bytes > SIZE_MAX - step) throw std::bad_alloc();
  return (bytes + step - 1) / step * step;
}

int class_of(size_t size) {
  const int log = log2_floor(size);
  return std::min(8 * (log - 10) + int(size >> (log - 3)) - 8, kClasses - 1);
}

// Memory from the system: pages of its own from kPage on, so that giving them back is certain.
void* map(size_t size) {
  if (size < kPage) {
    void* data = nullptr;
    if (posix_memalign(&data, 64, size) != 0) throw std::bad_alloc();
    return data;
  }
  const size_t alignment = size >= kHugePage ? kHugePage : 1;
  const size_t reserved = size + alignment - 1;
  void* start = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  if (alignment == 1) return start;
  char* data = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(start) + alignment - 1) / alignment * alignment);
  const size_t before = size_t(data - static_cast<char*>(start));
  // The ends that alignment does not need; the kernel keeps whole pages of `reserved`.
  if (before > 0) munmap(start, before);
  if (alignment - 1 > before) munmap(data + size, alignment - 1 - before);
#ifdef MADV_HUGEPAGE
  madvise(data, size, MADV_HUGEPAGE);  // a wish: without huge pages it is slower, not wrong
#endif
  return data;
}

void unmap(void* data, size_t size) noexcept {
  if (size < kPage) {
    std::free(data);
  } else {
    munmap(data, size);
  }
}

// An eighth of the memory of the machine or, in a container, of the container.
int64_t default_limit() {
  int64_t memory = int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    int64_t container = 0;
    if (std::ifstream(file) >> container && container > 0) memory = std::min(memory, container);
  }
  return memory / 8;
}

struct Pool {
  std::mutex mutex;
  Buffer* free_of_class[kClasses] = {};
  Buffer *oldest = nullptr, *newest = nullptr;
  int64_t in_use = 0, cached = 0, limit = default_limit(), hits = 0, misses = 0;

  void push(Buffer* buffer) {
    Buffer*& head = free_of_class[class_of(buffer->size)];
    buffer->class_previous = nullptr;
    buffer->class_next = head;
    if (head) head->class_previous = buffer;
    head = buffer;
    buffer->newer = nullptr;
    buffer->older = newest;
    (newest ? newest->newer : oldest) = buffer;
    newest = buffer;
    cached += int64_t(buffer->size);
  }

  void remove(Buffer* buffer) {
    (buffer->class_previous ? buffer->class_previous->class_next : free_of_class[class_of(buffer->size)]) =
        buffer->class_next;
    if (buffer->class_next) buffer->class_next->class_previous = buffer->class_previous;
    (buffer->older ? buffer->older->newer : oldest) = buffer->newer;
    (buffer->newer ? buffer->newer->older : newest) = buffer->older;
    cached -= int64_t(buffer->size);
  }

  // Takes the oldest free buffers out until `keep` bytes are left, as a list to be unmapped without the lock.
  Buffer* take_beyond(int64_t keep) {
    Buffer* taken = nullptr;
    while (oldest && cached > keep) {
      Buffer* buffer = oldest;
      remove(buffer);
      buffer->class_next = taken;
      taken = buffer;
    }
    return taken;
  }
};

bool in_forked_child = false;

// Never destroyed: tensors may outlive the statics of this library.
Pool& pool() {
  static Pool* const instance = [] {
    Pool* made = new Pool;
    pthread_atfork([] { pool().mutex.lock(); }, [] { pool().mutex.unlock(); },
                   [] {
                     pool().mutex.unlock();
                     in_forked_child = true;
                   });
    return made;
  }();
  return *instance;
}

int64_t unmap_all(Buffer* list) noexcept {
  int64_t bytes = 0;
  while (list) {
    Buffer* const next = list->class_next;
    bytes += int64_t(list->size);
    unmap(list->data, list->size);
    delete list;
    list = next;
  }
  return bytes;
}

}  // namespace

bool forked() noexcept { return in_forked_child; }

Buffer* acquire(size_t bytes) {
  const size_t size = round_to_class(bytes);
  Pool& shared = pool();
  {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    // The last class holds all that is larger still.
    for (Buffer* found = shared.free_of_class[class_of(size)]; found; found = found->class_next) {
      if (found->size != size) continue;
      shared.remove(found);
      shared.in_use += int64_t(size);
      ++shared.hits;
      return found;
    }
  }
  Buffer* made = new Buffer{};
  made->size = size;
  try {
    made->data = map(size);
  } catch (const std::bad_alloc&) {
    torchopt_pool_trim(0);  // what is cached may be what is missing
    try {
      made->data = map(size);
    } catch (const std::bad_alloc&) {
      delete made;
      throw;
    }
  }
  const std::lock_guard<std::mutex> lock(shared.mutex);
  shared.in_use += int64_t(size);
  ++shared.misses;
  return made;
}

void release(Buffer* buffer) noexcept {
  Pool& shared = pool();
  Buffer* beyond;
  {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    shared.in_use -= int64_t(buffer->size);
    shared.push(buffer);
    beyond = shared.take_beyond(shared.limit);
  }
  unmap_all(beyond);
}

}  // namespace torchopt

using torchopt::pool;

void torchopt_pool_stats(int64_t* five) {
  auto& shared = pool();
  const std::lock_guard<std::mutex> lock(shared.mutex);
  const int64_t values[] = {shared.in_use, shared.cached, shared.limit, shared.hits, shared.misses};
  std::copy_n(values, 5, five);
}

int64_t torchopt_pool_trim(int64_t keep) {
  auto& shared = pool();
  std::unique_lock<std::mutex> lock(shared.mutex);
  torchopt::Buffer* const taken = shared.take_beyond(keep);
  lock.unlock();
  return torchopt::unmap_all(taken);
}

void torchopt_pool_set_limit(int64_t bytes) {
  auto& shared = pool();
  {
    const std::lock_guard<std::mutex> lock(shared.mutex);
    shared.limit = bytes;
  }
  torchopt_pool_trim(bytes);
}
