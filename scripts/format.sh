#!/usr/bin/env bash
# Puts every C++ source into the format of .clang-format; with --check, only says what is not in it.
# Always version 19: another one formats a little differently.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-format-19 > /dev/null; then
  echo "skipped: clang-format-19 is not installed"
  exit 0
fi
mode=(-i)
if [[ ${1:-} == --check ]]; then mode=(--dry-run -Werror); fi
find src tests fuzz bench -path tests/data -prune -o \( -name '*.h' -o -name '*.cc' \) -print0 |
  xargs -0 clang-format-19 "${mode[@]}"
