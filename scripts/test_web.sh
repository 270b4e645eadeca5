#!/usr/bin/env bash
# `make test-web`: the HTML report in headless Chromium, from a bare machine. FILES are tests of
# web/tests/; none: all.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh web
cmake --preset release -D BURIN_WEB=ON > /dev/null
cmake --build build --target burin
export BURIN=$PWD/build/burin
cd web
[[ -d node_modules/playwright-core ]] || npm ci --no-audit --no-fund --ignore-scripts > /dev/null
node node_modules/typescript/bin/tsc --noEmit
node --test --test-concurrency=1 "${@:-tests/}"
