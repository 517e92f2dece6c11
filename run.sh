#!/usr/bin/env bash
# Builds and runs the main job: no decay, full decay and PRISM side by side, in one table.
# Arguments go to it: ./run.sh --help
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# On the made-up data an epoch has few steps: they may be larger.
[ $# -gt 0 ] || set -- --lr 0.003
"$root/scripts/install_packages.sh"
"$root/scripts/build.sh" release experiment
exec "$root/build/release/examples/experiment" "$@"
