#!/usr/bin/env bash
# gpu.sh [FOLDER]: the tests and benchmarks of prism/cuda.hpp on this machine's GPU, each with its
# output in FOLDER (default: build/cuda/gpu). A failure does not stop the others; failures are
# listed at the end, with steps that were skipped. Builds the programs, unless PRISM_PROGRAMS names a
# folder of programs built elsewhere (with -DPRISM_NATIVE=OFF), with their shared libraries (oneTBB,
# Google Benchmark) in its lib/; PRISM_CHECKED_PROGRAMS names those for memcheck, built with
# -DCMAKE_CUDA_FLAGS=-DPRISM_SEPARATE_ALLOCATIONS (default: the same programs). PRISM_STEP_SECONDS
# limits each step (default: 900); PRISM_STEPS, a pattern such as 'tests|golden', chooses steps. If
# PRISM_PEERS names a folder with the train.bin and test.bin of prism_times --write, PyTorch is timed
# on them. If PRISM_DATA names the folder of the data sets, Gowalla is trained on the GPU and on the
# host, with three seeds, and then Table 1 on the GPU for PRISM_HOURS (default: 0.2).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/build/cuda/gpu}
mkdir -p "$out"
export PATH=${CUDA_HOME:-/usr/local/cuda}/bin:$PATH
export PRISM_GOLDEN=${PRISM_GOLDEN:-$root/tests/golden/cases}
programs=${PRISM_PROGRAMS:-}
if [ -z "$programs" ]; then
  "$root/scripts/install_packages.sh"
  cmake -S "$root" -B "$root/build/cuda" -G Ninja -DPRISM_CUDA=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CUDA_ARCHITECTURES=native
  programs=$root/build/cuda
fi
# build TARGET...: one that does not compile fails its own step, and leaves the others.
build() {
  if [ -n "${PRISM_PROGRAMS:-}" ]; then return; fi
  cmake --build "$programs" --target "$@" -- -k 0 || true
}
if [ -d "$programs/lib" ]; then export LD_LIBRARY_PATH=$programs/lib:${LD_LIBRARY_PATH:-}; fi
failed=()
chosen() { [[ $1 =~ ^(${PRISM_STEPS:-.*})$ ]]; }
step() {
  local name=$1
  shift
  if ! chosen "$name"; then return; fi
  printf '\n== %s\n' "$name"
  timeout --kill-after=20 "${limit:-${PRISM_STEP_SECONDS:-900}}" "$@" 2>&1 |
    tee "$out/$name.txt" || failed+=("$name")
  # Programs that find no device end with 0.
  if grep -qE '^skipped: ' "$out/$name.txt"; then failed+=("$name (skipped)"); fi
}
step device nvidia-smi
build cuda_two_files_tests cuda_training_tests cuda_golden_tests cuda_operations_tests cuda_training
step two_files "$programs/tests/cuda/cuda_two_files_tests"
step tests "$programs/tests/cuda/cuda_training_tests"
step golden "$programs/tests/cuda/cuda_golden_tests"
step operations "$programs/tests/cuda/cuda_operations_tests"
step training "$programs/bench/cuda/cuda_training" --benchmark_counters_tabular=true
if [ -n "${PRISM_PEERS:-}" ]; then
  for batch in 4096 16384; do
    step "pytorch_$batch" python3 "$root/bench/peers/pytorch.py" "$PRISM_PEERS" --device cuda \
      --batch "$batch"
    step "pytorch_${batch}_compiled" python3 "$root/bench/peers/pytorch.py" "$PRISM_PEERS" \
      --device cuda --batch "$batch" --compile
  done
fi
if [ -n "${PRISM_DATA:-}" ]; then
  build experiment reproduce  # minutes each, so after the tests
  # One training at a time, for their seconds per epoch.
  for device in cuda host; do
    for seed in 123 246 492; do
      step "gowalla_${device}_$seed" "$programs/programs/experiment" --device "$device" --quiet \
        --data "$PRISM_DATA/gowalla/interactions.tsv.gz" --loss SSM \
        --sampler SharedUniformNegatives --negatives 1024 --tau 0.1 --lr 0.01 \
        --initializer PRISM --seed "$seed"
    done
  done
  # It ends by itself after PRISM_HOURS, once its epoch and its documents are done.
  limit=$(awk -v hours="${PRISM_HOURS:-0.2}" 'BEGIN { print int(hours * 3600) + 600 }') \
    step table1 "$programs/programs/reproduce" --device cuda --workers 1 --data "$PRISM_DATA" \
    --results "$out/results" --only table1 --no-documents --budget "${PRISM_HOURS:-0.2}"
fi
# Memcheck knows the bounds of allocations: in its programs each list of working memory has its own.
checked=${PRISM_CHECKED_PROGRAMS:-$programs}
if [ -z "${PRISM_PROGRAMS:-}${PRISM_CHECKED_PROGRAMS:-}" ] &&
  { chosen memcheck_training || chosen memcheck_operations; }; then
  checked=$root/build/cuda_checked
  { cmake -S "$root" -B "$checked" -G Ninja -DPRISM_CUDA=ON -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CUDA_ARCHITECTURES=native -DCMAKE_CUDA_FLAGS=-DPRISM_SEPARATE_ALLOCATIONS &&
    cmake --build "$checked" --target cuda_training_tests cuda_operations_tests -- -k 0; } || true
fi
if [ -d "$checked/lib" ]; then export LD_LIBRARY_PATH=$checked/lib:${LD_LIBRARY_PATH:-}; fi
# sanitizer TOOL FOLDER
sanitizer() {
  # The second has the tiles of float, which the models of the first do not use.
  for tests in training operations; do
    step "$1_$tests" compute-sanitizer --tool "$1" --error-exitcode 1 \
      "$2/tests/cuda/cuda_${tests}_tests"
  done
}
sanitizer memcheck "$checked"
sanitizer racecheck "$programs"
sanitizer synccheck "$programs"
if [ ${#failed[@]} -gt 0 ]; then
  printf '\nfailed: %s\n' "${failed[*]}"
  exit 1
fi
