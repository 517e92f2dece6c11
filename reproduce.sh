#!/usr/bin/env bash
# Repeats the paper's tables and figures. Passes its arguments on: ./reproduce.sh --help
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
packages=(gnuplot-nox)
results=(--results "$root/docs/evidence/results")
for argument in "$@"; do
  case $argument in
    --no-documents | --list) packages=() ;;
    --results | --results=*) results=() ;;
  esac
done
if [ -z "${PRISM_DATA:-}" ] && [ -d "$root/data" ]; then export PRISM_DATA=$root/data; fi
"$root/scripts/install_packages.sh" "${packages[@]}"
"$root/scripts/build.sh" release reproduce
exec "$root/build/release/programs/reproduce" "${results[@]}" "$@"
