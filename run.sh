#!/usr/bin/env bash
# Builds and runs the main job: no decay, full decay and PRISM side by side, in one table.
# Passes its arguments on: ./run.sh --help
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$root/scripts/install_packages.sh"
"$root/scripts/build.sh" release experiment
exec "$root/build/release/programs/experiment" "$@"
