#!/usr/bin/env bash
# run.sh MODULE: pyarrow_test.py with the python3 that is there, or the one that PRISM_PYTHON names.
set -euo pipefail
python=${PRISM_PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
  echo "skipped: there is no $python (PRISM_PYTHON names another)"
  exit 0
fi
exec "$python" "$(dirname "${BASH_SOURCE[0]}")/pyarrow_test.py" "$1"
