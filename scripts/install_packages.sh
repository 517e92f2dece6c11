#!/usr/bin/env bash
# Installs the missing packages of those that building needs and those named as arguments.
set -euo pipefail
packages=(g++ cmake ninja-build libxtensor-dev libxsimd-dev libtbb-dev zlib1g-dev doctest-dev
          libbenchmark-dev libcli11-dev nlohmann-json3-dev "$@")

if ! command -v apt-get >/dev/null; then
  echo "No apt-get here: taking for granted what Debian calls ${packages[*]}." >&2
  exit 0
fi
missing=()
for package in "${packages[@]}"; do
  # Any gnuplot will do: the others conflict with this one. So will any cmake and ninja.
  case $package in
    gnuplot-nox) program=gnuplot ;;
    ninja-build) program=ninja ;;
    cmake) program=cmake ;;
    *) program= ;;
  esac
  if [ -n "$program" ] && command -v "$program" >/dev/null; then continue; fi
  # A line for each architecture of the package.
  status=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null || true)
  grep -qx installed <<<"$status" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Missing packages: ${missing[*]}. Install them as root, or install sudo." >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "Installing ${missing[*]}" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update &&
       "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y --no-remove --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
