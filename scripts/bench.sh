#!/usr/bin/env bash
# `make bench`: prints the figures of the docs, each with the command that made it.
#   scripts/bench.sh [LIBRARY…]   libraries to read whole; by default those of a CUDA toolkit at hand
set -euo pipefail
cd "$(dirname "$0")/.."

run() {
  printf '\n$ %s\n' "$*"
  "$@"
}
cuda=${CUDA_HOME:-/usr/local/cuda}
oracle=build/corpus/oracle

run scripts/corpus.py unpack oracle
run build/bench/bench_oracle_accuracy $oracle/libtorch.txt
run build/bench/bench_oracle_accuracy $oracle/sm_*.txt
run build/bench/bench_decode_speed $oracle/sm_90.txt

run bench/exactness.py replay --failures
run bench/run_speed.py
run build/bench/bench_execute_speed $oracle/sm_90.txt

run bench/explain.py table
run bench/explain.py table --part bound --regions

if [[ -x $cuda/bin/ptxas ]]; then
  large=build/bench/large.cubin
  [[ -f $large ]] || run python3 bench/speed/make_large_cubin.py --ptxas "$cuda/bin/ptxas" "$large"
  printf '\n$ build/burin inspect --sass %s  (%s bytes)\n' "$large" "$(stat -c %s "$large")"
  time build/burin inspect --sass "$large" | grep -c ':S[0-9]'
else
  echo "no ptxas: the listing of a large cubin is not timed"
fi

libraries=("$@")
if [[ ${#libraries[@]} == 0 && -d $cuda/lib64 ]]; then
  mapfile -t libraries < <(find -L "$cuda/lib64" -maxdepth 1 -name 'lib*.so' -size +1M | sort)
fi
if [[ ${#libraries[@]} != 0 ]]; then
  run build/bench/bench_robustness "${libraries[@]}"
else
  echo "no libraries to read: name some, or install a CUDA toolkit"
fi
