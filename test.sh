#!/usr/bin/env bash
# Builds everything but the benchmarks and runs every test. Arguments go to ctest: ./test.sh -R golden
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$root/scripts/install_packages.sh"
"$root/scripts/build.sh" release all
passed=0
ctest --test-dir "$root/build/release" --output-on-failure -j "$(nproc)" "$@" || passed=$?
# Prints why tests were skipped, and what they need, which ctest does not show.
grep -oE 'skipped: .*' "$root/build/release/Testing/Temporary/LastTest.log" | sort -u || true
exit "$passed"
