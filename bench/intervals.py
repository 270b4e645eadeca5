#!/usr/bin/env python3
"""The intervals that predictions come with: computed from measured launches, and how well they hold.

    intervals.py FILE…              the rows of src/timing/result/certainty.cc, from the launches of
                                    the tuning set
    intervals.py FILE… --held-out   how many held-out launches these rows cover, and how wide they are;
                                    and the intervals that the files have

How far out the percentiles are taken is what covers 80 % of the kernels of a program that the rows have not
seen, with a standard error (over programs) to spare: each program of the tuning set is left out in turn.

FILE is what `suite.py LIST --json FILE` or `accuracy.py table --all --json FILE` wrote, or its .gz. The
launches of one kernel count together as one, so that a kernel with many launches does not decide a
row. Of n kernels, the n + 1st lies between the k-th and the k-th from the end with a probability of
1 - 2 k / (n + 1) (conformal prediction).
"""

import argparse
import collections
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suite  # noqa: E402
from common.results import read_text  # noqa: E402

COVERED = 0.8  # of the launches, is what an interval promises
TAILS = [k / 100 for k in range(10, 0, -1)]  # shares on either side, the widest intervals last
MIN_KERNELS = 8  # rows of fewer take half of what all launches say
LEAST = 1.02  # no interval is narrower to either side


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--held-out", action="store_true")
    return parser.parse_args()


def launches_of(content):
    """(kernel, is held out, measured, predicted, certainty) of each launch."""
    if content["schema"].startswith("burin.accuracy-table"):
        for row in content["launches"]:
            told = row["prediction"]
            if told and "certainty" in told and "bound" in told:
                held = row["group"] == "held out"
                sure = told["certainty"] | {"bound_share": told["bound"]["time_us"] / told["time_us"]}
                yield row["launch"], held, row["measured_us"], told["time_us"], sure
        return
    for row in content["rows"]:
        held = suite.is_held_out(row["program"])
        for group in row["groups"]:
            if "error" in group and "certainty" in group:
                times = group["measured_us"], group["predicted_us"]
                share = group["bound"]["time_us"] / group["predicted_us"]
                sure = group["certainty"] | {"bound_share": share}
                yield f"{row['program']} {row['kernel']}", held, *times, sure


def weighted_quantile(values, share):
    """Of [(value, weight)]."""
    values = sorted(values)
    total, seen = sum(weight for _, weight in values), 0.0
    for value, weight in values:
        seen += weight
        if seen >= share * total:
            return value
    return values[-1][0]


# Kinds with several rows, by the share of the time that the largest lower bound takes: from …
SHARES = {"short": (0.5, 0), "latency": (0.5, 0.25, 0)}


def kind_of(sure):
    share = next(least for least in SHARES.get(sure["kind"], (0,)) if sure["bound_share"] >= least)
    return f"{sure['kind']} {share:g}"


def by_kind(launches):
    """{kind: [(measured over predicted, weight)]}, a kernel's launches together weighing 1."""
    counts = collections.Counter((kernel, kind_of(sure)) for kernel, _, _, _, sure in launches)
    kinds = collections.defaultdict(list)
    for kernel, _, measured, predicted, sure in launches:
        kinds[kind_of(sure)].append((measured / predicted, 1 / counts[kernel, kind_of(sure)]))
    return kinds


def percentiles(pairs, tail):
    """The interval of a kind, with this share of its kernels on either side."""
    kernels = sum(weight for _, weight in pairs)
    share = max(math.floor(tail * (kernels + 1)), 0.5) / kernels
    low, high = weighted_quantile(pairs, share), weighted_quantile(pairs, 1 - share)
    return min(low, 1 / LEAST), max(high, LEAST)


def rows_of(launches, tail):
    """{kind: (kernels, low, high)}."""
    kinds = by_kind(launches)
    everything = percentiles([pair for pairs in kinds.values() for pair in pairs], tail)
    rows = {}
    for kind, pairs in sorted(kinds.items()):
        kernels = round(sum(weight for _, weight in pairs))
        interval = percentiles(pairs, tail)
        if kernels < MIN_KERNELS:
            interval = tuple(math.sqrt(own * of_all) for own, of_all in zip(interval, everything))
        rows[kind] = kernels, *interval
    return rows


def left_out(launches, tail):
    """The share of kernels that rows without their program cover, and its standard error over programs."""
    programs = collections.defaultdict(list)
    for launch in launches:
        programs[launch[0].split(" ")[0]].append(launch)
    counts = collections.Counter(launch[0] for launch in launches)
    covered, kernels = [], []
    for name, own in programs.items():
        rows = rows_of([launch for other, of in programs.items() if other != name for launch in of], tail)
        known = [launch for launch in own if kind_of(launch[4]) in rows]
        inside = [rows[kind_of(sure)][1] * told <= us <= rows[kind_of(sure)][2] * told for _, _, us, told, sure in known]
        weights = [1 / counts[launch[0]] for launch in known]
        covered.append(sum(w for w, i in zip(weights, inside) if i))
        kernels.append(sum(weights))
    share = sum(covered) / sum(kernels)
    spread = sum((c - share * k) ** 2 for c, k in zip(covered, kernels))
    return share, math.sqrt(spread) / sum(kernels)


def find_tail(launches):
    """The largest tail whose intervals hold for programs that they have not seen."""
    if len({launch[0].split(" ")[0] for launch in launches}) < 2:
        return TAILS[0]
    for tail in TAILS:
        share, error = left_out(launches, tail)
        if share - error >= COVERED:
            return tail
    return TAILS[-1]


def print_rows(rows):
    print(f"{'kind, bound ≥':<16} {'kernels':>8} {'low':>6} {'high':>6}")
    for kind, (kernels, low, high) in rows.items():
        print(f"{kind:<16} {kernels:>8} {low:>6.2f} {high:>6.2f}")


def print_coverage(launches, interval_of, what):
    """`interval_of`: the interval of a launch's certainty and predicted time."""
    inside, narrow = collections.Counter(), 0
    for _, _, measured, predicted, sure in launches:
        low, high = interval_of(sure, predicted)
        inside[kind_of(sure)] += low <= measured <= high
        narrow += math.sqrt(high / low) <= 1.2
    print(
        f"{len(launches)} launches, {what}: cover {100 * inside.total() / len(launches):.1f} %, "
        f"within ±20 %: {100 * narrow / len(launches):.0f} %"
    )
    for kind, count in sorted(collections.Counter(kind_of(s) for *_, s in launches).items()):
        print(f"{kind:<16} {count:>8} {100 * inside[kind] / count:>6.0f} %")


def read(path):
    return list(launches_of(json.loads(read_text(path))))


def main():
    options = arguments()
    launches = [launch for path in options.files for launch in read(path)]
    tuning = [launch for launch in launches if not launch[1]]
    tail = find_tail(tuning)
    rows = rows_of(tuning, tail)
    if not options.held_out:
        share, error = left_out(tuning, tail)
        print(f"{100 * tail:.0f} % of the kernels on either side; programs left out in turn: covers "
              f"{100 * share:.1f} ± {100 * error:.1f} % of their kernels")
        print_rows(rows)
        return
    held = [launch for launch in launches if launch[1] and kind_of(launch[4]) in rows]
    if not held:
        sys.exit("no held-out launches")

    def by_rows(sure, predicted):
        _, low, high = rows[kind_of(sure)]
        return low * predicted, high * predicted

    print_coverage(held, by_rows, "intervals by the rows of the tuning set")
    print()
    print_coverage(held, lambda sure, _: (sure["low_us"], sure["high_us"]), "intervals in the files")


if __name__ == "__main__":
    main()
