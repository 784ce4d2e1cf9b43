// A library of kernels: the formulas of one header, compiled for one instruction set. Knows nothing of torch.
// formulas.h is generated (torchopt/formula): the functors, and TORCHOPT_KERNELS, which lists them.
#include "kernel.h"

#include "simd.h"

namespace torchopt {
#include "formulas.h"
}  // namespace torchopt

#include "probe.h"

namespace {

using namespace torchopt;

#define TORCHOPT_ENTRY(formula)                                                                          \
  {#formula,                                                                                             \
   formula<float, Vector<float>>::inputs,                                                                \
   formula<float, Vector<float>>::outputs,                                                               \
   formula<float, Vector<float>>::scalars,                                                               \
   formula<float, Vector<float>>::sums,                                                                  \
   &run<formula, float>,                                                                                 \
   &run<formula, double>},

const TorchoptKernel kTable[] = {TORCHOPT_KERNELS(TORCHOPT_ENTRY) TORCHOPT_ENTRY(probe)};

}  // namespace

const TorchoptKernel* torchopt_kernels(int64_t* count) {
  *count = int64_t(sizeof kTable / sizeof kTable[0]);
  return kTable;
}
