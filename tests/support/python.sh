#!/usr/bin/env bash
# python.sh SCRIPT ARGUMENTS...: the script with the python3 that is there, or the one that PRISM_PYTHON names.
set -euo pipefail
python=${PRISM_PYTHON:-python3}
if ! command -v "$python" >/dev/null; then
  echo "skipped: there is no $python (PRISM_PYTHON names another)"
  exit 0
fi
exec "$python" "$@"
