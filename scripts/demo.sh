#!/usr/bin/env bash
# Lets burin explain the example kernels. The cubins are prebuilt: no GPU and no CUDA are needed.
set -euo pipefail
cd "$(dirname "$0")/.."

# show MOST_LINES TITLE ARGUMENTS…: runs `burin ARGUMENTS` and shows the first lines it prints.
show() {
  local most=$1 title=$2
  shift 2
  printf '\n# %s\n$ burin %s\n' "$title" "$*"
  build/burin "$@" | awk -v most="$most" '
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

printf '\nNext: burin inspect --help, docs/inspect.md, and your own binary.\n'
