// The kernels of doubles of a library of kernels.
#include "formulas_run.h"

namespace torchopt {
#define TORCHOPT_DOUBLE(formula) TORCHOPT_RUN(formula, double)
TORCHOPT_KERNELS(TORCHOPT_DOUBLE)
TORCHOPT_DOUBLE(probe)
}  // namespace torchopt
