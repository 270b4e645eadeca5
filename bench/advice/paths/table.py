"""How much of the gap between the naive kernel and the reference did following the advice close?

    third set, held out            naive     step1     step2 reference   share  steps
    transpose                     310.0µs   151.2µs             140.1µs    90 %  1 faster
"""

import math
import textwrap

from paths.cases import STEP_NAMES
from paths.split import SETS

SAME = 0.02  # times within 2 % are unchanged
VERDICTS = ("faster", "unchanged", "slower", "wrong")


def time_of(entries, version):
    entry = entries.get(version, {})
    return entry.get("median_us") if entry.get("status") == "ok" else None


def shown(time):
    if time is None:
        return ""
    return f"{time / 1000:.2f}ms" if time >= 1000 else f"{time:.1f}µs"


def verdict(before, after):
    if after is None:
        return "wrong"
    if after > before * (1 + SAME):
        return "slower"
    return "faster" if after < before * (1 - SAME) else "unchanged"


class Row:
    """One kernel: its times, and what became of its steps."""

    def __init__(self, case, entries):
        self.case = case
        self.entries = entries
        self.naive = time_of(entries, "naive")
        self.reference = time_of(entries, "reference")
        self.steps = [version for version in case.versions if version.name in STEP_NAMES]
        self.measured = [step for step in self.steps if step.name in entries]
        times = [self.naive, *[time_of(entries, step.name) for step in self.measured]]
        self.best = min((time for time in times if time is not None), default=None)

    @property
    def complete(self):
        return self.naive is not None and self.reference is not None

    @property
    def possible(self):
        """The logarithm of the reference's speedup."""
        return math.log(self.naive / self.reference)

    @property
    def achieved(self):
        return math.log(self.naive / self.best)

    def before(self, step):
        """The time of the version that the step started from: "from" of its notes, or the last right one before it."""
        right = [s.name for s in self.steps if s.name < step.name and time_of(self.entries, s.name) is not None]
        return time_of(self.entries, step.notes.get("from", right[-1] if right else "naive"))

    def verdicts(self):
        return [
            verdict(self.before(step), time_of(self.entries, step.name))
            for step in self.measured
            if self.before(step) is not None
        ]

    def stale(self):
        """Versions that have changed since they were measured, or were not measured."""
        return [v.name for v in self.case.versions if self.entries.get(v.name, {}).get("source") != v.hash]


def counted(verdicts):
    return ", ".join(f"{verdicts.count(word)} {word}" for word in VERDICTS if word in verdicts)


def share(rows):
    """Realised share of the logarithmic gain."""
    possible = sum(row.possible for row in rows)
    return sum(row.achieved for row in rows) / possible if possible > 0 else math.nan


def geometric_mean(logarithms):
    return math.exp(sum(logarithms) / len(logarithms))


def print_set(title, rows):
    columns = [name for name in STEP_NAMES if any(name in row.entries for row in rows)]
    heads = "".join(f"{name:>10}" for name in ["naive", *columns, "reference"])
    print(f"\n{title:<24}{heads}{'possible':>10}{'share':>8}  steps")
    for row in rows:
        times = "".join(f"{shown(time_of(row.entries, name)):>10}" for name in ["naive", *columns, "reference"])
        possible = f"{math.exp(row.possible):.2f}×" if row.complete else ""
        # A share of a gap of a few percent would only show noise.
        has_share = row.complete and row.case.followed and row.possible > math.log(1.05)
        part = f"{100 * row.achieved / row.possible:.0f} %" if has_share else ""
        words = counted(row.verdicts()) or ("" if row.case.followed else "not followed yet")
        print(f"{row.case.name:<24}{times}{possible:>10}{part:>8}  {words}")
        for name in row.stale():
            print(f"{'':<24}{name}: not measured, or changed since")
        for name, entry in row.entries.items():
            if entry["status"] != "ok":
                print(f"{'':<24}{name} {entry['status']}: {entry['reason']}")
    print_summary(rows)


def print_summary(rows):
    complete = [row for row in rows if row.complete]
    if complete:
        print(f"references: {geometric_mean([row.possible for row in complete]):.2f}× faster than naive "
              f"(geometric mean of {len(complete)})")
    followed = [row for row in complete if row.case.followed]
    if followed:
        verdicts = [word for row in followed for word in row.verdicts()]
        print(f"followed: {len(followed)} of {len(rows)} kernels, steps: {counted(verdicts) or 'none'}")
        firsts = [row.verdicts()[0] for row in followed if row.verdicts()]
        print(f"first advice on the naive kernels: {counted(firsts) or 'none'}")
        print(f"realised share of the log-gain: {100 * share(followed):.1f} % "
              f"({geometric_mean([row.achieved for row in followed]):.2f}× of "
              f"{geometric_mean([row.possible for row in followed]):.2f}×)")


def print_promises(rows):
    """Promised against achieved, one line per step that has a promise."""
    errors = []
    for row in rows:
        for step in row.measured:
            before, after = row.before(step), time_of(row.entries, step.name)
            promised = step.notes.get("promised")
            if promised is None or before is None or after is None:
                continue
            if not errors:
                print(f"\n{'promised against achieved':<32}{'promised':>10}{'achieved':>10}  advice")
            errors.append(abs(math.log(promised * after / before)))
            advice = textwrap.shorten(step.notes.get("advice", ""), 90, placeholder=" …")
            print(f"{row.case.name + ' ' + step.name:<32}{promised:>9.2f}×{before / after:>9.2f}×  {advice}")
    if errors:
        errors.sort()
        print(f"off by a factor of {math.exp(errors[len(errors) // 2]):.2f} (median of {len(errors)}); "
              f"within 1.25×: {sum(error <= math.log(1.25) for error in errors)}")


def print_table(cases, content, tuning_only):
    if not content["kernels"]:
        print("nothing measured yet: `bench/advice/paths.py measure` on a computer with a GPU")
        return 1
    print(f"{content['gpu']}, driver {content['driver']}, CUDA {content['toolkit']}, {content['clock_mhz']:.0f} MHz, "
          f"{content['date']}; medians of {content['launches']} launches, L2 not flushed")
    for title in SETS:
        mine = [case for case in cases if case.set == title and not (case.held_out and tuning_only)]
        if not mine:
            continue
        rows = [Row(case, content["kernels"].get(case.name, {})) for case in mine]
        print_set(f"{title} set{', held out' if mine[0].held_out else ''}", rows)
        print_promises(rows)
    return 0
