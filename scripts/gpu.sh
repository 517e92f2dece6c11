#!/usr/bin/env bash
# gpu.sh [FOLDER]: the tests and benchmarks of prism/cuda.hpp on this machine's GPU, each with its
# output in FOLDER (default: build/cuda/gpu). Builds what is not built; PRISM_PROGRAMS names a folder
# of programs that were built elsewhere. Where PRISM_PEERS names a folder with the train.bin and
# test.bin of prism_times --write, PyTorch is timed on them. Where PRISM_DATA names the folder of the
# data sets, Gowalla is trained on the GPU and on the host, with three seeds, and then Table 1 on the
# GPU for PRISM_HOURS (default: 0.2).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=${1:-$root/build/cuda/gpu}
mkdir -p "$out"
programs=${PRISM_PROGRAMS:-}
if [ -z "$programs" ]; then
  targets=(cuda_training_tests cuda_golden_tests cuda_training)
  if [ -n "${PRISM_DATA:-}" ]; then targets+=(experiment reproduce); fi
  cmake -S "$root" -B "$root/build/cuda" -G Ninja -DPRISM_CUDA=ON -DCMAKE_BUILD_TYPE=Release
  cmake --build "$root/build/cuda" --target "${targets[@]}"
  programs=$root/build/cuda
fi
step() {
  local name=$1
  shift
  printf '\n== %s\n' "$name"
  "$@" 2>&1 | tee "$out/$name.txt"
}
nvidia-smi | tee "$out/device.txt"
step golden "$programs/tests/cuda/cuda_golden_tests"
step tests "$programs/tests/cuda/cuda_training_tests"
if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck synccheck; do
    step "$tool" compute-sanitizer --tool "$tool" --error-exitcode 1 \
      "$programs/tests/cuda/cuda_training_tests"
  done
fi
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
  for device in cuda host; do
    step "gowalla_$device" "$programs/examples/experiment" --device "$device" --quiet \
      --data "$PRISM_DATA/gowalla/interactions.tsv.gz" --loss SSM --sampler SharedUniformNegatives \
      --negatives 1024 --tau 0.1 --lr 0.01 --initializer PRISM --seed 123,246,492
  done
  step table1 "$programs/examples/reproduce" --device cuda --data "$PRISM_DATA" \
    --results "$out/results" --only table1 --no-documents --budget "${PRISM_HOURS:-0.2}"
fi
