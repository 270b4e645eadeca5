#!/usr/bin/env bash
# Makes sure that what burin needs is installed, and installs what is missing where it can (apt, as
# root or with sudo). Looks for the things themselves, not for packages, so that a machine which
# has them from elsewhere is left alone. When all is there it does nothing, in a moment.
#
#   setup.sh         what `make build` and `make demo` need; Node.js and npm for the HTML report,
#                    without which the build leaves the report out (BURIN_WEB=OFF: not wanted)
#   setup.sh test    also the tests, benchmarks and the LLVM 19 tools for the checks
#   setup.sh web     what `make test-web` needs: Node.js, npm and Chromium
#
# Without the LLVM tools the checks that need them are skipped in words; without anything else this
# ends with status 1 and one sentence that names the packages.
set -uo pipefail

need_program() { command -v "$1" > /dev/null || missing+=("$2"); }

# need_python MODULE…: modules of Debian's interpreter, which are packages of the same names.
need_python() {
  local module
  for module; do
    /usr/bin/python3 -c "import $module" 2> /dev/null || missing+=("python3-$module")
  done
}

# Reads "HEADER PACKAGE" lines; one run of the preprocessor answers for all of them.
need_headers() {
  local header package program=""
  while read -r header package; do
    program+="#if !__has_include(<$header>)"$'\n'"missing $package"$'\n'"#endif"$'\n'
    if ! command -v c++ > /dev/null; then missing+=("$package"); fi
  done
  if command -v c++ > /dev/null; then
    mapfile -t -O "${#missing[@]}" missing < <(
      c++ -std=c++20 -E -P -x c++ - <<< "$program" | sed -n 's/^missing //p')
  fi
}

find_missing() {
  missing=()
  need_program c++ g++
  need_program cmake cmake
  need_program ninja ninja-build
  need_program python3 python3
  need_headers <<< "fmt/format.h libfmt-dev
nlohmann/json.hpp nlohmann-json3-dev
CLI/CLI.hpp libcli11-dev
zstd.h libzstd-dev
lz4.h liblz4-dev
zlib.h zlib1g-dev
toml++/toml.h libtomlplusplus-dev
sqlite3.h libsqlite3-dev"
  if [[ $mode == web ]]; then
    need_program node nodejs
    need_program npm npm
    [[ -n ${CHROMIUM:-} ]] || need_program chromium chromium
    need_headers <<< "httplib.h libcpp-httplib-dev"
  fi
  [[ $mode == test ]] || return 0
  need_headers <<< "gtest/gtest.h libgtest-dev
gmock/gmock.h libgmock-dev
benchmark/benchmark.h libbenchmark-dev"
}

find_missing_checks() {
  missing=()
  need_program clang++-19 clang-19
  need_program clang-format-19 clang-format-19
  need_program clang-tidy-19 clang-tidy-19
  # `burin serve`, and the Python module with its tests.
  need_headers <<< "httplib.h libcpp-httplib-dev
pybind11/pybind11.h pybind11-dev"
  compgen -G "/usr/include/python3.*/Python.h" > /dev/null || missing+=(python3-dev)
  need_python numpy setuptools wheel pip
  # Tuning on many processes, and on OpenCL's CPU device.
  need_program mpirun openmpi-bin
  compgen -G "/etc/OpenCL/vendors/pocl*.icd" > /dev/null ||
    missing+=(pocl-opencl-icd ocl-icd-libopencl1)
  # Also asks for the run-time libraries that clang's sanitizers and libFuzzer link with.
  local resources
  resources=$(clang++-19 -print-resource-dir 2> /dev/null)
  compgen -G "${resources:-/none}/lib/*/libclang_rt.fuzzer*" > /dev/null ||
    missing+=(libclang-rt-19-dev)
}

# The HTML report is bundled at build time.
find_missing_for_report() {
  missing=()
  [[ ${BURIN_WEB:-} == OFF ]] && return
  need_program node nodejs
  need_program npm npm
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo "$@"; fi
}

can_install() {
  command -v apt-get > /dev/null && { [[ $(id -u) == 0 ]] || command -v sudo > /dev/null; }
}

install() {
  can_install || return 1
  echo "Installing: $*" >&2
  local log
  log=$(mktemp)
  {
    { [[ -n ${updated:-} ]] || as_root apt-get -o DPkg::Lock::Timeout=300 update; updated=yes; } &&
      as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
        install -y --no-install-recommends "$@"
  } > "$log" 2>&1
  local status=$?
  if [[ $status != 0 ]]; then tail -n 5 "$log" >&2; fi
  rm -f "$log"
  return $status
}

mode=${1:-build}
find_missing
if [[ ${#missing[@]} -gt 0 ]]; then
  install "${missing[@]}"
  find_missing
  if [[ ${#missing[@]} -gt 0 ]]; then
    echo "setup: install these packages (Debian's names) and run this again: ${missing[*]}" >&2
    exit 1
  fi
fi

find_missing_for_report
if [[ ${#missing[@]} -gt 0 ]] && ! install "${missing[@]}"; then
  echo "setup: HTML reports are left out of the build; for them, install: ${missing[*]}" >&2
fi

if [[ $mode == test ]]; then
  find_missing_checks
  if [[ ${#missing[@]} -gt 0 ]]; then
    install "${missing[@]}"
    find_missing_checks
    if [[ ${#missing[@]} -gt 0 ]]; then
      echo "setup: the checks that need these packages are skipped: ${missing[*]}" >&2
    fi
  fi
fi
exit 0
