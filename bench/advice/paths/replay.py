"""Does today's advice still say what the followers were told, and promise what they measured?

Each kept step was applied to a version whose source is kept too: `burin advise` runs on that source again (no GPU), and
the finding that the follower carried out is looked up in it by its rule. Its promise is compared with the gain that was
measured then. A step whose finding is gone, or ranks below another one, would not be followed today.

    step                            promised then  now  achieved  first finding now
    rgb_to_gray step2                       1.34     -      0.79  (nothing)
"""

import json
import math
import re
import subprocess
import sys
import time

from paths.cases import ROOT, STEP_NAMES, burin_options
from paths.table import SAME, time_of

WORTHWHILE = 1.05  # the report shows smaller findings only if asked for
RULE = re.compile(r"^\s*\d+\s+[\d.]+×\s+([a-z0-9-]+)")


def rule_of(step):
    """The rule of the advice that the follower carried out, or an empty string."""
    found = RULE.match(step.notes.get("advice", ""))
    return found.group(1) if found else ""


def from_version(case, step, entries):
    """The version that a step was applied to: "from" of its notes, or the last right one before it."""
    right = [name for name in STEP_NAMES if name < step.name and time_of(entries, name) is not None]
    name = step.notes.get("from", right[-1] if right else "naive")
    return next(version for version in case.versions if version.name == name)


def advised(case, version, burin, more):
    """What burin says of a version, as JSON, or None where it fails; and the seconds that it took."""
    command = [burin, "advise", version.source, *burin_options(case, version), "--machine", "h200", "--json", "-q", *more]
    began = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, cwd=ROOT)
    seconds = time.monotonic() - began
    if done.returncode != 0:
        print(f"{case.name} {version.name}: {done.stderr.strip()[:300]}", file=sys.stderr)
        return None, seconds
    return json.loads(done.stdout), seconds


class Replayed:
    """One kept step: what was promised for it, what it gained, and what burin says today of the version before it."""

    def __init__(self, case, step, entries, findings):
        before = from_version(case, step, entries)
        self.name = f"{case.name} {step.name}"
        self.rule = rule_of(step)
        self.then = step.notes.get("promised")
        self.achieved = time_of(entries, before.name) / time_of(entries, step.name)
        shown = [finding for finding in findings if finding["speedup"] >= WORTHWHILE or finding.get("tried")]
        rules = [finding["rule"] for finding in findings]
        self.rank = rules.index(self.rule) if self.rule in rules else None
        self.now = findings[self.rank]["speedup"] if self.rank is not None else None
        self.shown = bool(shown)
        self.first = f"{shown[0]['speedup']:.2f}× {shown[0]['rule']}" if shown else "(nothing)"

    @property
    def followed_today(self):
        return self.rank == 0 and self.shown

    def line(self):
        now = f"{self.now:.2f}" if self.now is not None else "-"
        first = "" if self.followed_today else self.first
        return f"{self.name:<30}{self.rule:<30}{self.then or 0:>7.2f}{now:>8}{self.achieved:>10.2f}  {first}"


def median(numbers):
    numbers = sorted(numbers)
    return numbers[len(numbers) // 2] if numbers else math.nan


def print_replay(cases, content, burin, more):
    """Advice on every version that has a kept step after it, and on the last ones, with the times that it takes."""
    steps, slow = [], []
    print(f"{'step':<30}{'rule':<30}{'then':>7}{'now':>8}{'achieved':>10}  first finding now, if another")
    for case in cases:
        entries = content["kernels"].get(case.name, {})
        said = {}
        for version in case.versions:
            if version.name == "reference" or version.is_library or version.flags:
                continue
            report, seconds = advised(case, version, burin, more)
            slow += [(seconds, f"{case.name} {version.name}")]
            if report is not None:
                said[version.name] = report["findings"]
        last = None
        for step in case.versions:
            if step.name not in STEP_NAMES or time_of(entries, step.name) is None:
                continue
            last = step
            before = from_version(case, step, entries)
            if before.name in said:
                steps.append(Replayed(case, step, entries, said[before.name]))
                print(steps[-1].line(), flush=True)
        if last is not None and last.name in said and said[last.name]:
            first = said[last.name][0]
            print(f"{case.name + ' after ' + last.name:<85}  {first['speedup']:.2f}× {first['rule']}", flush=True)
    print_summary(steps, slow)


def print_summary(steps, slow):
    for title, some in [("same rule, any rank", [s for s in steps if s.now]), ("first", [s for s in steps if s.followed_today])]:
        errors = [abs(math.log(s.now / s.achieved)) for s in some]
        slower = sum(s.achieved < 1 / (1 + SAME) for s in some)
        print(f"{title}: {len(some)} of {len(steps)} steps, off by {100 * (math.exp(median(errors)) - 1):.0f} % (median), "
              f"{slower} slower than 2 %")
    slow.sort(reverse=True)
    print("slowest advice: " + ", ".join(f"{name} {seconds:.1f} s" for seconds, name in slow[:6]))
