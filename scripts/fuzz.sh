#!/usr/bin/env bash
# fuzz.sh MINUTES [TARGET…]: runs the fuzz targets (all of them unless named) for MINUTES each, as many at
# a time as there are cores. New inputs stay in build-fuzz/corpus; a crash leaves its input in
# build-fuzz/. Fix the bug, then keep that input in fuzz/corpus/TARGET: `make test` replays it.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=$(awk -v minutes="$1" 'BEGIN { print int(minutes * 60) }')
shift
if ! command -v clang++-19 > /dev/null; then
  echo "fuzz: libFuzzer needs clang-19 and libclang-rt-19-dev, which are not installed" >&2
  exit 1
fi
targets=("$@")
if [[ $# == 0 ]]; then
  for source in fuzz/*.cc; do
    name=$(basename "$source" .cc)
    if [[ $name != replay_main ]]; then targets+=("$name"); fi
  done
fi

cmake --preset fuzz > /dev/null
cmake --build build-fuzz --target "${targets[@]/#/fuzz_}"

fuzz_one() {
  local name=$1
  mkdir -p "build-fuzz/corpus/$name" "fuzz/corpus/$name"
  if "build-fuzz/fuzz/fuzz_$name" "build-fuzz/corpus/$name" "fuzz/corpus/$name" \
    -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
    -artifact_prefix="build-fuzz/$name-" > "build-fuzz/$name.log" 2>&1; then
    echo "$name: clean, $(sed -n 's/^Done \([0-9]*\) runs.*/\1 runs/p' "build-fuzz/$name.log")"
  else
    tail -n 40 "build-fuzz/$name.log" >&2
    echo "$name: FAILED, see build-fuzz/$name.log" >&2
    return 1
  fi
}
export -f fuzz_one
export seconds
printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'fuzz_one "$1"' _
