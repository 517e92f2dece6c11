#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# kill_and_resume.sh PROGRAM KILLS [SEED]: kills PROGRAM (train.cpp) with SIGKILL KILLS times, at
# random moments, resumes it from its checkpoint each time, and compares the final result of every
# run with that of an uninterrupted one.
set -u
program=$1
kills=$2
RANDOM=${3:-$$}
models=(adam adam_decay dense mlp lightgcn mawu macr)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  echo "$1" >&2
  exit 1
}
# A random whole number below $1, which may be above 32767.
below() { echo $(((RANDOM * 32768 + RANDOM) % $1)); }

killed=0 saving=0 after_checkpoint=0 lost=0 corrupt=0 runs=0 different=0
for ((m = 0; m < ${#models[@]}; ++m)); do
  model=${models[m]}
  checkpoint=$folder/$model.checkpoint
  begin=$(date +%s%N)
  whole=$("$program" "$model" "$checkpoint" | grep hash) || fail "$model does not train"
  microseconds=$((($(date +%s%N) - begin) / 1000 + 1))
  rm "$checkpoint"

  target=$((kills * (m + 1) / ${#models[@]}))
  finished=0 step=0
  # Until it has been killed often enough, and then until it has finished.
  while ((killed < target || finished == 0)); do
    finished=0
    "$program" "$model" "$checkpoint" >"$folder/out" 2>"$folder/errors" &
    process=$!
    if ((killed < target)); then
      wait_for=$(below "$microseconds")
      sleep "$(printf '%d.%06d' $((wait_for / 1000000)) $((wait_for % 1000000)))"
      kill -KILL "$process" 2>/dev/null
    fi
    wait "$process" 2>/dev/null
    status=$?
    from=$(sed -n 's/^from //p' "$folder/out")
    # No run may resume from an earlier step than the run before it did.
    if [[ -n $from ]]; then
      ((from < step)) && lost=$((lost + 1)) && echo "$model: back at step $from after $step" >&2
      step=$from
    fi
    case $status in
      137)
        killed=$((killed + 1))
        [[ -e $checkpoint.partial ]] && saving=$((saving + 1))
        if [[ -e $checkpoint ]]; then
          after_checkpoint=$((after_checkpoint + 1))
        elif ((step > 0)); then
          lost=$((lost + 1))
        fi
        ;;
      0)
        finished=1
        runs=$((runs + 1))
        if [[ $(grep hash "$folder/out") != "$whole" ]]; then
          different=$((different + 1))
          echo "$model: a resumed run differs from the unbroken one" >&2
        fi
        rm "$checkpoint"
        step=0
        ;;
      *)
        corrupt=$((corrupt + 1))
        cat "$folder/errors" >&2
        rm -f "$checkpoint"
        step=0
        ;;
    esac
  done
done
echo "$killed kills ($after_checkpoint after a checkpoint was there, $saving while one was being" \
  "written): $lost lost, $corrupt corrupt; $runs runs ended, $different of them not as unbroken"
((killed == 0 || after_checkpoint > 0)) || { echo "no run was killed after a checkpoint was there" >&2; exit 1; }
((lost == 0 && corrupt == 0 && different == 0))
