#!/usr/bin/env bash
# Prints the figures of bench/: the decoder's accuracy on each oracle, then every other program.
set -euo pipefail
cd "$(dirname "$0")/.."

for program in build/bench/bench_*; do
  [[ -x $program ]] || continue
  printf '\n== %s\n' "$(basename "$program")"
  case $program in
    *_oracle_accuracy) "$program" tests/data/oracle/*.txt.gz ;;
    *) "$program" ;;
  esac
done
