#!/usr/bin/env bash
# build.sh PRESET TARGET...: configures and builds quietly; shows errors and warnings.
set -euo pipefail
if [ $# -lt 2 ]; then
  echo "usage: build.sh PRESET TARGET..., such as: build.sh release experiment recommend" >&2
  exit 2
fi
preset=$1
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
options=()
[ "$preset" != release ] || options=(-DPRISM_WERROR="${PRISM_WERROR:-OFF}"
                                     -DPRISM_STATE_HASH="${PRISM_STATE_HASH:-OFF}"
                                     -DPRISM_INSTRUCTION_COUNTS="${PRISM_INSTRUCTION_COUNTS:-OFF}")
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! cmake --preset "$preset" "${options[@]}" >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
if ! cmake --build --preset "$preset" --target "$@" -- -n | grep 'no work to do' >/dev/null; then
  echo "Building ($preset: $*)" >&2
fi
# Into the log; on a terminal a line that changes, such as [3/40], says how far it is.
follow() {
  : >"$log"
  while IFS= read -r line || [[ -n $line ]]; do
    printf '%s\n' "$line" >>"$log"
    if [[ -t 2 && $line =~ ^\[[0-9]+/[0-9]+\] ]]; then printf '\r%s' "${BASH_REMATCH[0]}" >&2; fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}
if ! cmake --build --preset "$preset" --target "$@" 2>&1 | follow; then
  cat "$log" >&2
  exit 1
fi
grep -E 'warning:' "$log" >&2 || true
