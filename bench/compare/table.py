"""The figures of compare.py."""

import itertools
import math

from compare import sources

SAME = 0.02  # versions whose measured times differ by less are equally fast
UNCERTAIN = ("unknown", "waits", "short")


def half_width(a, b, constants):
    """As time_ratio() of src/timing/result/time_ratio.cc, for an H200."""
    half = constants["kSameKindWidth"] if a.kind == b.kind else constants["kOtherKindWidth"]
    half += constants["kWidthPerLog"] * abs(math.log(a.predicted_us / b.predicted_us))
    return half * (constants["kUncertainKind"] if {a.kind, b.kind} & set(UNCERTAIN) else 1)


def pairs_of(groups):
    for group in groups:
        for a, b in itertools.combinations(group.versions, 2):
            yield group, a, b


def mean(values):
    """Geometric; nan of none."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def figures(groups):
    """What one row of the table shows."""
    constants = sources.constants()
    count = named = right = wrong = forced = different = covered = 0
    for _, a, b in pairs_of(groups):
        measured = math.log(a.measured_us / b.measured_us)
        predicted = math.log(a.predicted_us / b.predicted_us)
        half = half_width(a, b, constants)
        count += 1
        covered += abs(measured - predicted) <= half
        is_named = abs(predicted) > half
        named += is_named
        if abs(measured) < SAME:
            continue
        different += 1
        agrees = measured * predicted > 0
        forced += agrees
        right += is_named and agrees
        wrong += is_named and not agrees
    picks = [min(group.versions, key=lambda v: v.predicted_us) for group in groups]
    regret = [pick.measured_us / min(v.measured_us for v in group.versions) for pick, group in zip(picks, groups)]
    return {
        "groups": len(groups),
        "pairs": count,
        "abstains": 1 - named / count if count else math.nan,
        "right": right / (right + wrong) if right + wrong else math.nan,
        "wrong": wrong,
        "sign": forced / different if different else math.nan,
        "covered": covered / count if count else math.nan,
        "regret": mean(regret) - 1,
        "worst": max(regret, default=math.nan) - 1,
        "best": sum(each <= 1 + SAME for each in regret) / len(regret) if regret else math.nan,
    }


COLUMNS = ("groups", "pairs", "abstains", "right", "wrong", "sign", "covered", "best", "regret", "worst")


def cell(name, value):
    if name in ("groups", "pairs", "wrong"):
        return f"{value:>8}"
    return f"{100 * value:>6.1f} %" if not math.isnan(value) else f"{'–':>8}"


def print_rows(title, groups):
    print(f"\n{title}")
    print(" ".join(f"{name:>8}" for name in COLUMNS) + "  source")
    rows = [(name, [group for group in groups if group.source == name]) for name in sources.NAMES]
    names = sorted({group.name.partition("/")[0] for group in groups if group.source == "spaces"})
    rows += [(f"  {name}", [g for g in groups if g.source == "spaces" and g.name.startswith(name + "/")]) for name in names]
    for name, part in rows:
        if part:
            row = figures(part)
            print(" ".join(cell(column, row[column]) for column in COLUMNS) + f"  {name}")


def print_table(groups):
    print_rows("held out", [group for group in groups if group.held_out])
    print_rows("the other half", [group for group in groups if not group.held_out])


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else math.nan


def print_fit(groups):
    """The 80th percentile of |log(measured ratio / predicted ratio)| in the half that is not held out, by what the
    interval's width depends on."""
    rows = []
    for group, a, b in pairs_of(group for group in groups if not group.held_out):
        predicted = math.log(a.predicted_us / b.predicted_us)
        error = abs(math.log(a.measured_us / b.measured_us) - predicted)
        uncertain = bool({a.kind, b.kind} & set(UNCERTAIN))
        rows.append((group.source, uncertain, a.kind == b.kind, abs(predicted), error))
    print(f"{'source':<8} {'kinds':<10} {'|log ratio|':<12} {'pairs':>6} {'median':>7} {'80 %':>7} {'90 %':>7}")
    for source in (*sources.NAMES, "all"):
        for kinds, fits in (
            ("alike", lambda r: r[2] and not r[1]),
            ("different", lambda r: not r[2] and not r[1]),
            ("uncertain", lambda r: r[1]),
        ):
            for low, high in ((0, 0.2), (0.2, 0.6), (0.6, 9)):
                errors = [r[4] for r in rows if source in (r[0], "all") and fits(r) and low <= r[3] < high]
                if errors:
                    print(
                        f"{source:<8} {kinds:<10} {low:.1f} … {high:<6} {len(errors):>6} "
                        + " ".join(f"{quantile(errors, share):7.3f}" for share in (0.5, 0.8, 0.9))
                    )
