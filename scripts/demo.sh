#!/usr/bin/env bash
# Builds burin and lets it explain the example kernels. The cubins are prebuilt: no GPU and no CUDA are
# needed. The last lines tell how much processor time it took.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh
cmake --preset release -D BURIN_TESTS=OFF -D BURIN_BENCH=OFF > /dev/null
cmake --build build --target burin

# show MOST_LINES TITLE ARGUMENTS…: runs `burin ARGUMENTS` and shows the first lines it prints.
show() {
  local most=$1 title=$2
  shift 2
  printf '\n# %s\n$ burin %s\n' "$title" "$*"
  # A finding (exit status 1) is what some of these are shown for.
  { build/burin "$@" || [ $? -eq 1 ]; } | awk -v most="$most" '
    NR <= most { print }
    END { if (NR > most) printf "… %d more lines\n", NR - most }'
}

for example in vector_add reduction histogram; do
  show 20 "What is in $example.cu, built for sm_90?" inspect "examples/$example.sm_90.cubin"
done
show 40 "Its instructions, with the scheduling bits that ptxas wrote into them" \
  inspect --sass examples/transpose.sm_90.cubin
show 40 "The same beside the source" inspect --lines examples/stencil.sm_90.cubin
show 30 "The loops of a matrix product" inspect --loops examples/matrix_product.sm_90.cubin
show 20 "For other programs" inspect --json examples/vector_add.sm_80.cubin

show 40 "A kernel executed on this CPU: what ran, on which line, and how well it reads memory" \
  run examples/transpose.sm_90.cubin --kernel transpose --grid 8,8 --block 32,8 \
  --arg buf:256K:f32 --arg buf:256K:undef --arg i32:256 --sectors
show 12 "A mistake found without a GPU: two threads, one address, no barrier between" \
  run examples/mistakes.sm_90.cubin --kernel race --grid 1 --block 64 --arg buf:256:int:100
show 12 "And a buffer that is one element too short" \
  run examples/vector_add.sm_90.cubin --grid 2 --block 128 \
  --arg buf:4000:f32 --arg buf:4000:f32 --arg buf:3996:undef --arg i32:1000

show 40 "How long it would take on an H200, and why, with no GPU at hand" \
  predict examples/transpose.sm_90.cubin --kernel transpose --grid 256,256 --block 32,8 \
  --arg buf:256M:f32 --arg buf:256M:undef --arg i32:8192 --machine h200

show 30 "Which resource its time follows, and where" \
  explain examples/transpose.sm_90.cubin --kernel transpose --grid 256,256 --block 32,8 \
  --arg buf:256M:f32 --arg buf:256M:undef --arg i32:8192 --machine h200

show 40 "What to change in it, on which line, and what that would gain" \
  advise examples/transpose.sm_90.cubin --kernel transpose --grid 256,256 --block 32,8 \
  --arg buf:256M:f32 --arg buf:256M:undef --arg i32:8192 --machine h200 --top 2

printf '\nNext: burin inspect --help, burin run --help, burin predict --help, docs/, and your own kernel.\n'
times > build/demo_times # not in a pipe: a subshell would tell its own
printf 'Processor time from the set-up to here, user and system: %s\n' "$(tail -n 1 build/demo_times)"
