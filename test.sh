#!/usr/bin/env bash
# Builds everything and runs every test. Arguments go to ctest: ./test.sh -R golden
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$root/scripts/install_packages.sh"
"$root/scripts/build.sh" release all
ctest --test-dir "$root/build/release" --output-on-failure -j "$(nproc)" "$@"
