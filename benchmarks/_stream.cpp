// STREAM's triad, a[i] = b[i] + s * c[i], in float: huge pages, and stores that bypass the cache where there are such.
#include <cstddef>
#include <cstdlib>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

extern "C" float* stream_new(std::size_t n) {
  constexpr std::size_t page = std::size_t(2) << 20;
  const std::size_t bytes = (n * sizeof(float) + page - 1) / page * page;
  void* memory = nullptr;
  if (posix_memalign(&memory, page, bytes) != 0) std::abort();
#if defined(__linux__)
  madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  float* a = static_cast<float*>(memory);
  for (std::size_t i = 0; i < n; ++i) a[i] = float(i % 7);
  return a;
}

extern "C" void stream_delete(float* a) { std::free(a); }

extern "C" void stream_triad(float* a, const float* b, const float* c, std::size_t n) {
  const float s = 0.5f;
  std::size_t i = 0;
#if defined(__AVX__)
  const __m256 factor = _mm256_set1_ps(s);
  for (; i + 8 <= n; i += 8)
    _mm256_stream_ps(a + i, _mm256_add_ps(_mm256_load_ps(b + i), _mm256_mul_ps(factor, _mm256_load_ps(c + i))));
  _mm_sfence();
#endif
  for (; i < n; ++i) a[i] = b[i] + s * c[i];
}
