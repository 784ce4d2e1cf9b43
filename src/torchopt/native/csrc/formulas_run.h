// What both sources of a library of kernels read.
// formulas.h is generated (torchopt/formula): the functors, and TORCHOPT_KERNELS, which lists them.
#pragma once

#include "kernel.h"

#include "simd.h"

namespace torchopt {
#include "formulas.h"
}  // namespace torchopt

#include "probe.h"

// Instantiates a kernel in a source, or with `extern` leaves it to the other one.
#define TORCHOPT_RUN(formula, S) \
  template void run<formula, S>(const double*, const S* const*, S* const*, double*, int64_t, int32_t);
