#!/usr/bin/env python3
"""The intervals that predictions come with: computed from measured launches, and how well they hold.

    intervals.py FILE…              the rows of src/timing/result/certainty.cc, from the launches of
                                    the tuning set
    intervals.py FILE… --held-out   how many held-out launches their intervals cover, and how wide
                                    these are

FILE is what `accuracy.py table --all --json FILE` or `suite.py LIST --json FILE` wrote. The launches
of one kernel count together as one, so that a kernel with many launches does not decide a row.
"""

import argparse
import collections
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import suite  # noqa: E402

MIN_KERNELS = 8  # rows of fewer take half of what all launches say


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


def print_rows(launches):
    kinds = by_kind(launches)
    everything = [pair for pairs in kinds.values() for pair in pairs]
    print(f"{'kind, bound ≥':<16} {'kernels':>8} {'low':>6} {'high':>6}")
    for kind, pairs in sorted(kinds.items()):
        kernels = round(sum(weight for _, weight in pairs))
        low, high = (weighted_quantile(pairs, share) for share in (0.1, 0.9))
        if kernels < MIN_KERNELS:
            low = math.sqrt(low * weighted_quantile(everything, 0.1))
            high = math.sqrt(high * weighted_quantile(everything, 0.9))
        print(f"{kind:<16} {kernels:>8} {min(low, 0.98):>6.2f} {max(high, 1.02):>6.2f}")


def print_coverage(launches):
    covered = sum(s["low_us"] <= measured <= s["high_us"] for _, _, measured, _, s in launches)
    narrow = sum(math.sqrt(s["high_us"] / s["low_us"]) <= 1.2 for *_, s in launches)
    print(
        f"{len(launches)} launches: intervals cover {100 * covered / len(launches):.0f} %, within "
        f"±20 %: {100 * narrow / len(launches):.0f} %"
    )
    for kind in sorted({kind_of(s) for *_, s in launches}):
        of_kind = [one for one in launches if kind_of(one[4]) == kind]
        inside = sum(s["low_us"] <= measured <= s["high_us"] for _, _, measured, _, s in of_kind)
        print(f"{kind:<16} {len(of_kind):>8} {100 * inside / len(of_kind):>6.0f} %")


def main():
    options = arguments()
    launches = []
    for path in options.files:
        launches += launches_of(json.loads(path.read_text()))
    wanted = [launch for launch in launches if launch[1] == options.held_out]
    if not wanted:
        sys.exit("no such launches")
    (print_coverage if options.held_out else print_rows)(wanted)


if __name__ == "__main__":
    main()
