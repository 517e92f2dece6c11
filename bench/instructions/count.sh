#!/usr/bin/env bash
# count.sh PROGRAM: a line for each piece of work of instructions.cpp, its instructions and its name.
set -euo pipefail
program=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
valgrind --tool=callgrind --quiet --callgrind-out-file=counts --collect-atstart=no \
  --toggle-collect=counted_work --dump-after=counted_work "$program" >names
call=0
while read -r name; do
  call=$((call + 1))
  printf '%s\t%s\n' "$(sed -n 's/^\(totals\|summary\): //p' "counts.$call" | head -n 1)" "$name"
done <names
