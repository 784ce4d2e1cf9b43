#!/usr/bin/env bash
# Runs the native code under AddressSanitizer and UndefinedBehaviorSanitizer: kernels and pool from C++, then the
# driver through PyTorch. Takes the Python to use as an optional argument; needs g++.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(uname)" != Linux ]; then
  echo "sanitize: only on Linux"
  exit
fi
python="${1:-python3}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1"
sources=src/torchopt/native/csrc
cp tests/native/sample_kernels.h "$scratch/formulas.h"

for instructions in "" $(grep -qw avx2 /proc/cpuinfo && echo -mavx2); do
  # shellcheck disable=SC2086
  g++ -std=c++17 -O1 $instructions $sanitizers -ffp-contract=off -Wall -Wextra -Werror -Wno-psabi -pthread \
    -I"$sources" -I"$scratch" \
    "$sources"/kernels*.cpp "$sources/pool.cpp" tests/native/stress.cpp -o "$scratch/stress"
  "$scratch/stress"
done

# The sanitizers' own library must come first in a process that was built without them; the second is for exceptions.
preload="$(g++ -print-file-name=libasan.so) $(g++ -print-file-name=libubsan.so) $(g++ -print-file-name=libstdc++.so.6)"
# Python and PyTorch keep memory until they exit: leaks are tests/native/test_pool.py's to find.
LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH=src \
  TORCHOPT_CXXFLAGS="$sanitizers" TORCHOPT_CACHE="$scratch/cache" CXX=g++ \
  "$python" tests/native/stress_driver.py
