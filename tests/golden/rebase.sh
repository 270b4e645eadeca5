#!/bin/sh
# Writes every golden dump anew: tests/golden/rebase.sh [BURIN], by default build/burin.
# Read the diff before you commit it: it is what your change does.
set -eu
cd "$(dirname "$0")/../.."
burin=${1:-build/burin}
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
for file in tests/data/golden/*.cubin tests/data/golden/*.fatbin; do
  "$burin" inspect --dump "$file" > "$new/$(basename "$file").txt"
done
mkdir "$new/explain"
for name in $(sed 's/ .*//' tests/golden/explain/launches.list); do
  tests/golden/explain.sh "$burin" "$name" > "$new/explain/$name.txt"
done
rm -f tests/golden/*.txt tests/golden/explain/*.txt
mv "$new"/explain/*.txt tests/golden/explain/
mv "$new"/*.txt tests/golden/
echo "$(ls tests/golden/*.txt tests/golden/explain/*.txt | wc -l) files in tests/golden"
