#!/usr/bin/env bash
# compare.sh PROGRAM EXPECTED: counts instructions anew, and fails if a count is more than 2% away from
# the list, lower ones too: the list is then to be replaced.
set -euo pipefail
command -v valgrind >/dev/null || { echo "skipped: needs valgrind"; exit 0; }
found=$(mktemp)
trap 'rm -f "$found"' EXIT
"$(dirname "${BASH_SOURCE[0]}")/count.sh" "$1" >"$found"
awk -F '\t' '
  FNR == NR { expected[$2] = $1; next }
  !($2 in expected) { print $2 ": not in the list"; bad = 1; next }
  {
    change = 100 * ($1 / expected[$2] - 1)
    if (change > 2 || change < -2) { printf "%s: %d instructions, %+.1f%%\n", $2, $1, change; bad = 1 }
    delete expected[$2]
  }
  END {
    for (name in expected) { print name ": not counted"; bad = 1 }
    if (bad) print "if that is meant: count.sh PROGRAM > expected.txt"
    exit bad
  }' "$2" "$found"
