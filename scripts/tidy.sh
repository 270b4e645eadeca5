#!/usr/bin/env bash
# tidy.sh BUILD [FILE…]: clang-tidy over every source of src/ (or the files named), with the checks of
# .clang-tidy and the compile commands of the folder BUILD. Silent when there is nothing to say.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-tidy-19 > /dev/null; then
  echo "skipped: clang-tidy-19 is not installed"
  exit 0
fi
build=$1
shift
if [[ $# == 0 ]]; then mapfile -t files < <(find src -name '*.cc' | sort); else files=("$@"); fi

# The analyzer takes most of the time. It reads what meets bytes from outside; in the rest, loops
# over lanes first of all, it found nothing. The other checks read everything.
check() {
  local file=$1 without=(--checks='-clang-analyzer-*')
  [[ $file =~ ^src/(base|store|read|launch|machine|measure)/ ]] && without=()
  clang-tidy-19 -p "$build" --quiet "${without[@]}" "$file"
}
export -f check
export build

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" bash -c 'check "$1"' check > "$log" 2>&1; then
  grep -v 'warnings.* generated' "$log" >&2 || true
  exit 1
fi
