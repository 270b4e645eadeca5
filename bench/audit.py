#!/usr/bin/env python3
"""Does burin advise still say what auditors found to be false, wrong to follow, or slower?

    audit.py                   every claim, and how many are still made (needs nvcc, no GPU)
    audit.py --match KERNEL    some of them, with the findings
    audit.py followed          what following findings gained, beside what they promised (no GPU)
    audit.py measure           measures that (needs a GPU and nvcc)

Two engineers who did not know burin's code wrote 106 kernels and judged all 180 findings. audit/claims.txt
has what they refuted: a claim is still made if a finding of that rule matches. README.md beside it has
the counts before anything was mended.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import re
import shlex
import subprocess
import sys

from accuracy.measure import Clock
from audit.followed import measure, print_table, read_followed
from common.corpus import unpacked
from common.results import Results

ROOT = pathlib.Path(__file__).resolve().parents[1]
AUDIT = ROOT / "bench/audit"
GAIN = 1.1  # a promise worth refuting
KINDS = {
    "false": "statements about the code that are false",
    "wrong": "steps that give wrong results if followed",
    "loses": "first findings that promise 1.1x or more, and lose time",
    "off": "first findings whose promise is off by more than 1.6x",
}


@dataclasses.dataclass
class Claim:
    kind: str
    rule: str  # "": any
    pattern: str
    why: str

    def is_made(self, findings):
        """`loses` and `off` are about the first finding's promise, the others about what is said."""
        if self.kind in ("loses", "off"):
            return bool(findings) and findings[0]["rule"] == self.rule and findings[0]["speedup"] >= GAIN
        return any(
            (not self.rule or finding["rule"] == self.rule)
            and re.search(self.pattern, finding["text"] + " " + finding["hint"])
            for finding in findings
        )


def read_claims(path):
    """[(options of a launch, its claims)]."""
    launches = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("launch "):
            launches.append((shlex.split(line)[1:], []))
        elif line and not line.startswith("#"):
            launches[-1][1].append(Claim(*(part.strip() for part in line.split(" | "))))
    return launches


def findings_of(burin, kernels, options):
    command = [burin, "advise", kernels / options[0], *options[1:], "--machine", "h200"]
    ended = subprocess.run([*command, "--json", "--top", "20", "-q"], capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{options[0]}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)["findings"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["claims", "followed", "measure"], default="claims")
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    parser.add_argument("--match", default="", metavar="KERNEL")
    parser.add_argument("--results", type=pathlib.Path, default=AUDIT / "results/followed.h200.json")
    parser.add_argument("--cubins", type=pathlib.Path, default=ROOT / "build/audit")
    parser.add_argument("--jobs", type=int, help="compilers at a time (default: one per core)")
    parser.add_argument("--seconds", type=float, default=300, help="measure: then the rest is for next time")
    options = parser.parse_args()
    if options.what == "claims":
        return print_claims(options)
    followed = [one for one in read_followed() if options.match in one.name]
    results = Results.read(options.results, "burin.audit/1")
    if options.what == "measure":
        return measure(followed, results, options, Clock(options.seconds))
    return print_table(followed, results)


def print_claims(options):
    kernels = unpacked("audit")
    claims, made = collections.Counter(), collections.Counter()
    for launch, of_launch in read_claims(AUDIT / "claims.txt"):
        if options.match not in launch[0]:
            continue
        findings = findings_of(options.burin.resolve(), kernels, launch)
        if options.match:
            for finding in findings:
                print(f"{finding['speedup']:.2f}x {finding['rule']}: {finding['text']} {finding['hint']}\n")
        for claim in of_launch:
            claims[claim.kind] += 1
            made[claim.kind] += claim.is_made(findings)
            if claim.is_made(findings):
                print(f"{launch[0]:20} {claim.kind:6} {claim.rule:28} {claim.why}", flush=True)
    print()
    for kind, what in KINDS.items():
        if claims[kind]:
            print(f"{made[kind]} of {claims[kind]} still made: {what}")


if __name__ == "__main__":
    sys.exit(main())
