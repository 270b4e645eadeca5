#!/usr/bin/env bash
# The step of action.yml, which also runs without GitHub: it takes its input from the environment.
#
#   BUILD="make kernels" BINARIES=build/kernels BASE=origin/main scripts/ci_action.sh
#   BEFORE=old.a AFTER=new.a LAUNCHES=.burin/launches.txt scripts/ci_action.sh
#
# Variables: BURIN (default: build/burin of this repository), BUILD and BINARIES with BASE, or BEFORE and AFTER;
# LAUNCHES, MACHINE; FAIL_ON and ADVISE_FAIL_ON, one limit per line; SARIF, a file to write. The summary goes to
# $GITHUB_STEP_SUMMARY, or to standard output.
set -euo pipefail

own=$(cd "$(dirname "$0")/.." && pwd)
burin=${BURIN:-$own/build/burin}

if [[ -n ${BUILD:-} ]]; then
  : "${BINARIES:?BINARIES names what BUILD makes}" "${BASE:?BASE names the commit to compare with}"
  base=$(mktemp -d)
  trap 'git worktree remove --force "$base/tree" > /dev/null 2>&1; rm -rf "$base"' EXIT
  git worktree add --quiet --detach "$base/tree" "$BASE"
  (cd "$base/tree" && bash -c "$BUILD") >&2
  bash -c "$BUILD" >&2
  BEFORE=$base/tree/$BINARIES
  AFTER=$BINARIES
fi
: "${BEFORE:?give BUILD and BINARIES, or BEFORE and AFTER}" "${AFTER:?}"

words=("$BEFORE" "$AFTER" --burin "$burin")
[[ -z ${LAUNCHES:-} ]] || words+=(--launches "$LAUNCHES")
[[ -z ${MACHINE:-} ]] || words+=(--machine "$MACHINE")
while IFS= read -r gate; do [[ -z $gate ]] || words+=(--fail-on "$gate"); done <<< "${FAIL_ON:-}"
while IFS= read -r gate; do [[ -z $gate ]] || words+=(--advise-fail-on "$gate"); done <<< "${ADVISE_FAIL_ON:-}"
[[ -z ${SARIF:-} ]] || words+=(--sarif "$SARIF")
[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || words+=(--summary "$GITHUB_STEP_SUMMARY")

status=0
python3 "$own/scripts/ci_report.py" "${words[@]}" || status=$?
if [[ -n ${GITHUB_OUTPUT:-} && -n ${SARIF:-} && -s ${SARIF:-} ]]; then echo "sarif=$SARIF" >> "$GITHUB_OUTPUT"; fi
exit "$status"
