#!/usr/bin/env bash
# Makes burin_VERSION_ARCH.deb and burin-VERSION-Linux-ARCH.tar.gz in build-package/: the program, linked statically with
# everything but the C library, the libraries for other programs, headers and documents.
#
#   package.sh            builds and packs
#   package.sh check      also unpacks the .tar.gz elsewhere and runs it with an empty environment
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
cmake --preset release -B build-package -D BURIN_STATIC=ON -D BURIN_TESTS=OFF -D BURIN_BENCH=OFF > /dev/null
cmake --build build-package -j "${JOBS:-$(nproc)}"
(cd build-package && rm -f burin*.deb burin*.tar.gz && cpack > cpack.log) || { tail -n 5 build-package/cpack.log >&2; exit 1; }
ls -l build-package/burin*.deb build-package/burin*.tar.gz

if [[ ${1:-} == check ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  tar -xzf build-package/burin*.tar.gz -C "$folder" --strip-components=1
  ldd "$folder/bin/burin"
  env -i "$folder/bin/burin" --version
  env -i "$folder/bin/burin" advise examples/transpose.sm_90.cubin --kernel transpose --grid 256,256 --block 32,8 \
    --arg buf:256M:f32 --arg buf:256M:undef --arg i32:8192 --machine h200 | head -n 4
fi
