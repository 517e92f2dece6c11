#!/usr/bin/env bash
# build.sh [serve]: builds the site into build/site, or serves it while its pages are written. Fails on
# a link that leads nowhere.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
python3 -m venv build/site_packages
build/site_packages/bin/pip install -q 'mkdocs>=1.6,<2' 'mkdocs-material>=9.5,<10'
export NO_MKDOCS_2_WARNING=1
exec build/site_packages/bin/mkdocs "${1:-build}" --quiet
