#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# saved_models.sh PROGRAM KILLS [SEED]: models saved by one process and loaded by another; a process
# that saves is killed KILLS times, and the folder that it leaves is compared with what it saves.
set -euo pipefail
program=$1
kills=$2
RANDOM=${3:-$$}
folder=$(mktemp -d)
trap 'kill -KILL $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
fail() { echo "$*" >&2; exit 1; }

"$program" save "$folder/all" >"$folder/saved"
"$program" load "$folder/all" >"$folder/loaded"
diff "$folder/saved" "$folder/loaded" || fail "a loaded model ranks otherwise than the saved one"

while_saving=0
for ((k = 0; k < kills; ++k)); do
  "$program" alternate "$folder/model" &
  process=$!
  # Not before the first model is there; then at any moment.
  while [ ! -e "$folder/model" ]; do sleep 0.01; done
  sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
  kill -KILL "$process"
  wait "$process" 2>/dev/null || true
  [ "$(ls "$folder" | grep -c partial)" = 0 ] || while_saving=$((while_saving + 1))
  [ "$(ls "$folder" | grep -c partial)" -le 1 ] || fail "kill $k: folders left by an earlier process"
  "$program" check "$folder/model" || fail "kill $k: what is left is not what was saved"
done
# Two processes save at the same time: each model is complete.
"$program" alternate "$folder/model" & one=$!
"$program" alternate "$folder/model" & two=$!
for ((k = 0; k < 20; ++k)); do "$program" check "$folder/model" || fail "two processes mix"; done
kill -0 $one && kill -0 $two || fail "a process that saved beside another has ended"
kill -KILL $one $two
wait 2>/dev/null || true
timeout 0.5 "$program" alternate "$folder/model" || true
left=$(ls "$folder" | grep -c partial || true)
[ "$left" -le 1 ] || fail "$left folders of killed processes are left after the next save"
echo "$(wc -l <"$folder/loaded") models loaded; $kills kills ($while_saving while one was being saved):" \
  "0 mixed, 0 corrupt"
