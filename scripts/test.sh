#!/usr/bin/env bash
# `make test`: everything that must hold before a commit, from a bare machine. Stops at the first
# thing that does not hold, and says which it was.
set -euo pipefail
cd "$(dirname "$0")/.."

jobs=$(nproc)
step="set-up"
trap 'status=$?; [[ $status == 0 ]] || echo "make test: failed in: $step" >&2' EXIT

begin() {
  step=$1
  printf '\n== %s (%d s so far)\n' "$step" "$SECONDS"
}

# run_tests PRESET FOLDER: every test; those that had to skip a case are named, since ctest does not.
run_tests() {
  ctest --preset "$1" -j "$jobs" --progress
  sed -n 's/^\[  SKIPPED \] \([^ ]*\.[^ ]*\)$/skipped: \1/p' "$2/Testing/Temporary/LastTest.log"
}

scripts/setup.sh test

begin "release build, warnings as errors"
cmake --preset release -D BURIN_TESTS=ON -D BURIN_BENCH=ON > /dev/null
cmake --build build

begin "tests"
run_tests release build

begin "format"
scripts/format.sh --check

# With clang where there is one, so that both compilers are held to the warnings.
begin "build under the sanitizers"
cxx=$(command -v clang++-19 || command -v c++)
cmake --preset sanitize -D CMAKE_CXX_COMPILER="$cxx" > /dev/null
cmake --build build-sanitize

begin "tests and fuzz corpora under the sanitizers"
run_tests sanitize build-sanitize

printf '\nAll holds (%d s).\n' "$SECONDS"
