#!/usr/bin/env bash
# Repeats the paper's tables and figures; arguments go to it: ./reproduce.sh --help
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$root/scripts/install_packages.sh" gnuplot-nox
"$root/scripts/build.sh" release reproduce
exec "$root/build/release/examples/reproduce" "$@"
