#!/usr/bin/env bash
# tidy.sh [FILE…]: clang-tidy over every source of src/ (or the files named), with the checks of
# .clang-tidy. Silent when there is nothing to say. It takes as long as all of `make test`, so it is no
# part of it: before a commit, name the files that changed.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-tidy-19 > /dev/null; then
  echo "skipped: clang-tidy-19 is not installed"
  exit 0
fi
if [[ $# == 0 ]]; then mapfile -t files < <(find src -name '*.cc' | sort); else files=("$@"); fi

# Each source for itself, as a reader meets it: no unity build. Nothing is built.
cmake --preset debug -D CMAKE_CXX_COMPILER=clang++-19 -B build-tidy > /dev/null

# The analyzer takes most of the time. It reads what meets bytes from outside; in the rest, loops
# over lanes first of all, it found nothing. The other checks read everything.
check() {
  local file=$1 without=(--checks='-clang-analyzer-*')
  [[ $file =~ ^src/(base|store|read|launch|machine|measure)/ ]] && without=()
  clang-tidy-19 -p build-tidy --quiet "${without[@]}" "$file"
}
export -f check

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$1"' check > "$log" 2>&1; then
  grep -v 'warnings.* generated' "$log" >&2 || true
  exit 1
fi
