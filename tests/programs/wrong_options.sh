#!/usr/bin/env bash
# wrong_options.sh BUILD_SCRIPT PROGRAM...: each program exits with 2 for an option that it does not have; so does the
# script if its arguments are missing, and it builds all targets that it is given.
set -euo pipefail
script=$(realpath "$1")
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*" >&2; exit 1; }
for program in "$@"; do
  for option in --no-such-option --seed=none --seed=-1; do
    status=0
    "$program" "$option" >"$folder/out" 2>&1 || status=$?
    [ "$status" = 2 ] || fail "$program exits with $status for $option"
  done
  "$program" --help >"$folder/out" || fail "$program --help exits with $?"
done
# Paths that cannot be looked up at all.
ln -s loop "$folder/loop"
long=$(printf '%300s' '' | tr ' ' a)
for program in "$@"; do
  [ "$(basename "$program")" = experiment ] || continue
  for place in "$folder/loop/x.json" "$folder/loop" "$folder/$long/x.json" "$folder/$long"; do
    status=0
    "$program" --json "$place" --save "$folder/models" >"$folder/out" 2>&1 || status=$?
    [ "$status" = 2 ] && grep -q -- '--json: ' "$folder/out" ||
      fail "exit status $status for --json $place: $(cat "$folder/out")"
  done
  # --save, whose path is compared with that of --json.
  status=0
  "$program" --json "$folder/x.json" --save "$folder/loop/models" >"$folder/out" 2>&1 || status=$?
  [ "$status" = 2 ] || fail "exit status $status for --save in a loop: $(cat "$folder/out")"
done
for arguments in "" release; do
  status=0
  # shellcheck disable=SC2086
  "$script" $arguments >"$folder/out" 2>&1 || status=$?
  [ "$status" = 2 ] && grep -q '^usage: build.sh PRESET TARGET' "$folder/out" ||
    fail "build.sh $arguments: exit status $status, $(cat "$folder/out")"
done
printf '#!/bin/sh\necho "$*" >>"%s/calls"\n' "$folder" >"$folder/cmake"
chmod +x "$folder/cmake"
PATH=$folder:$PATH "$script" release one two 2>/dev/null
grep -qx -- '--build --preset release --target one two' "$folder/calls" || fail "not all targets are built: $(cat "$folder/calls")"
