#!/usr/bin/env bash
# python.sh SCRIPT ARGUMENTS...: runs the script with python3, or with the interpreter that PRISM_PYTHON names.
set -euo pipefail
python=${PRISM_PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
  echo "skipped: there is no $python (PRISM_PYTHON names another)"
  exit 0
fi
exec "$python" "$@"
