#!/bin/bash
# What only a machine with a GPU can show: the tests there, the kernels, and the benchmarks' tables.
#
#   bash tools/gpu_check.sh [SECTION...]      from a checkout; by default all sections, in eight minutes
#
# Sections: native scale optimizer memory meta programs suite. Each has a limit of time of its own
# (T_SCALE=150, in seconds), the suite what is left of T_ALL=480, and one that fails stops no other.
# Tables go to benchmarks/results/cuda, the rest to $OUT (runs/gpu). No network is needed: packages that
# the interpreter ($PY) lacks are taken from wheels in the folder $WHEELS. DEVICE=cpu runs tiny sizes, to
# see that the commands are right, with nine times the limits.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
DEVICE=${DEVICE:-cuda} PY=${PY:-python3} OUT=${OUT:-runs/gpu}
RESULTS=benchmarks/results/$DEVICE
[ "$DEVICE" = cuda ] || RESULTS=$OUT
SITE=$(mktemp -d)
mkdir -p "$OUT"
export PYTHONPATH=$PWD/src:$PWD:$SITE PYTHONUNBUFFERED=1
BEGUN=$SECONDS FAILED=""
say() { echo "== [$((SECONDS - BEGUN)) s] $*"; }

prepare() {
  local package missing=()
  for package in optree typing_extensions pytest xdist random_order hypothesis graphviz; do
    "$PY" -c "import importlib.util as u; exit(u.find_spec('$package') is None)" || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ] && [ -n "${WHEELS:-}" ]; then
    "$PY" -m pip install --quiet --no-index --no-deps --target "$SITE" "$WHEELS"/*.whl
  elif [ ${#missing[@]} -gt 0 ]; then
    say "absent, of what the tests need: ${missing[*]}"
  fi
  # JAX of this interpreter counts as that of the peers' environment; the published package has none.
  mkdir -p "$SITE/peers/bin"
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$PY")" > "$SITE/peers/bin/python"
  chmod +x "$SITE/peers/bin/python"
  # Ends a session early, with its summary.
  cat > "$SITE/stops.py" << 'PLUGIN'
import os, threading


def pytest_sessionstart(session):
    if hasattr(session.config, "workerinput"):
        return

    def stop():
        session.shouldstop = "out of time"
        if (distributed := session.config.pluginmanager.getplugin("dsession")) is not None:
            distributed.shouldstop = "out of time"

    timer = threading.Timer(float(os.environ["STOP_AFTER"]), stop)
    timer.daemon = True
    timer.start()
PLUGIN
  nvidia-smi -L 2> /dev/null || echo "no GPU was found"
  "$PY" -m torchopt
}

section() { # NAME SECONDS COMMAND...
  local name=$1 limit=$(($2 * PATIENCE)) code
  shift 2
  say "$name: at most $limit s"
  STOP_AFTER=$((limit - 10)) timeout -k 5 "$limit" "$@" > "$OUT/$name.txt" 2> "$OUT/$name.err"
  code=$?
  tail -n 3 "$OUT/$name.err" | cut -c1-300
  tail -n 40 "$OUT/$name.txt" | cut -c1-200
  say "$name: exit status $code"
  [ $code = 0 ] || FAILED="$FAILED $name"
}

PYTEST=("$PY" -m pytest -q -p stops -p no:cacheprovider -rfE --tb=short)
JOBS=14 SIZE=124M PROGRAMS=4096 PATIENCE=1 FEW=()
[ "$DEVICE" = cuda ] || { JOBS=0 SIZE=tiny PROGRAMS=16 PATIENCE=9 FEW=(--rounds 1); }
HERE=(--device "$DEVICE")

native() {
  section native "${T_NATIVE:-40}" "${PYTEST[@]}" -n 8 -m "not slow" -k "not emulated" tests/native/cuda
}
optimizer() {
  local cases=(1e3 1e6 1e7 5e7 "MLP, 6 tensors" "ResNet-18, 62 tensors" "300 small tensors")
  local without=("torchopt 0.7.3" "plain, tuned allocator") more=(--optimizers adam sgd)
  "$PY" -c "import importlib.util as u; exit(u.find_spec('jax') is None)" || without+=(JAX)
  [ "$DEVICE" = cuda ] || { cases=("MLP, 6 tensors"); more+=(--compile 0 --budget 0); }
  section optimizer "${T_OPTIMIZER:-90}" "$PY" -m benchmarks.optimizer "${HERE[@]}" --cases "${cases[@]}" \
    --without "${without[@]}" --peers "$SITE/peers" "${more[@]}" --rounds 5 "${FEW[@]}" --output "$RESULTS/optimizer.md"
}
scale() {
  local limit=${T_SCALE:-100}
  section scale "$limit" "$PY" -m benchmarks.scale "${HERE[@]}" "${FEW[@]}" --size "$SIZE" \
    --seconds $((limit - 25)) --output "$RESULTS/scale.md"
}
programs() {
  local device
  for device in cpu $([ "$DEVICE" = cpu ] || echo "$DEVICE"); do
    section "programs_$device" "${T_PROGRAMS:-25}" "$PY" -m benchmarks.constraints --device "$device" \
      --sizes 20 --batch "$PROGRAMS" --rounds 3 "${FEW[@]}"
  done
}
memory() {
  local policies=(graph step tree "step, blocks by remat")
  [ "$DEVICE" = cuda ] && policies+=("graph, on the host" "step, on the host")
  local more=()
  [ "$DEVICE" = cuda ] || more=(--examples 1 --blocks 1)
  section memory "${T_MEMORY:-50}" "$PY" -m benchmarks.memory "${HERE[@]}" "${more[@]}" --models transformer \
    --steps 10 --policies "${policies[@]}" --output "$RESULTS/memory.md"
}
meta() {
  local contenders=("by hand" torch.func "ours: loop" "ours: batched") steps=(1)
  [ "$DEVICE" = cuda ] && contenders+=("ours: compiled") && steps=(1 5 20)
  "$PY" -c "import importlib.util as u; exit(u.find_spec('jax') is None)" && contenders+=(JAX)
  section meta "${T_META:-50}" "$PY" -m benchmarks.meta_step "${HERE[@]}" "${FEW[@]}" --models sinusoid \
    --steps "${steps[@]}" --tasks 1 32 --contenders "${contenders[@]}" --first \
    --peers "$SITE/peers" --output "$RESULTS/meta_step.md"
}
suite() {
  local tests=(tests) left=$((${T_ALL:-480} - SECONDS + BEGUN))
  [ "$DEVICE" = cuda ] || tests=(tests/formula)
  TORCHOPT_TEST_DEVICE=$DEVICE section suite "${T_SUITE:-$((left > 60 ? left : 60))}" "${PYTEST[@]}" -n "$JOBS" --dist worksteal \
    -m "not slow and not processes and not compiled and not browser" "${tests[@]}"
  grep -E '^(FAILED|ERROR)' "$OUT/suite.txt" | sed 's/ - .*//; s/\[.*//' | sort | uniq -c | sort -rn \
    > "$OUT/suite_summary.txt"
  head -n 40 "$OUT/suite_summary.txt"
}

say prepare
prepare
[ $# -gt 0 ] || set -- native scale optimizer memory meta programs suite
for name in "$@"; do
  case $name in
    native | optimizer | scale | programs | memory | meta | suite) "$name" ;;
    *) say "no section $name" && FAILED="$FAILED $name" ;;
  esac
done
rm -rf "$SITE"
say "end${FAILED:+; failed:$FAILED}"
[ -z "$FAILED" ]
