#!/usr/bin/env bash
# Times prism beside PyTorch's newest release, which it installs into build/peers (several GB).
# Arguments go to compare.py: --data FILE, --threads N..., --runs N
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
"$root/scripts/install_packages.sh" python3-venv
"$root/scripts/build.sh" release prism_times
venv=$root/build/peers
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
fi
"$venv/bin/pip" install --quiet --upgrade torch numpy
exec "$venv/bin/python" "$root/bench/peers/compare.py" "$root/build/release/bench/prism_times" "$@"
