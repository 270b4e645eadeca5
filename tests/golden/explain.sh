#!/bin/sh
# What `burin explain` says of a launch, without its figures, which change with every better number of a
# machine: tests/golden/explain.sh BURIN NAME, a line of tests/golden/explain/launches.list.
set -eu
cd "$(dirname "$0")/../.."
arguments=$(sed -n "s/^$2 //p" tests/golden/explain/launches.list)
# shellcheck disable=SC2086
"$1" explain $arguments |
  sed -E 's/ *[0-9.]+ (%|µs|ms|×)/ # \1/g; s/(# %  )[0-9]+ +/\1# /; s/^[0-9]+ (rows?)/# \1/; s/and [0-9]+ (more links)/and # \1/; s/[0-9]+ of [0-9]+ (GFLOP)/# of # \1/; s/intensity [0-9.,]+ (FLOP per)/intensity # \1/; s/^at [0-9]+ blocks?/at # blocks/; s/^( *[0-9]+) +[0-9]+ +#/\1 #/'
