// A library of kernels: the formulas of one header, compiled for one instruction set. Knows nothing of torch.
// Here are its table and the float kernels; kernels_f64.cpp, which another compiler reads meanwhile, has the others.
#include "formulas_run.h"

namespace torchopt {
#define TORCHOPT_DOUBLE(formula) extern TORCHOPT_RUN(formula, double)
TORCHOPT_KERNELS(TORCHOPT_DOUBLE)
TORCHOPT_DOUBLE(probe)
}  // namespace torchopt

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
