"""The tables of bench/saturation.py."""

import math

GAIN = 1.10  # kernels that gain less by tuning say nothing about where to tune


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else float("nan")


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def groups(rows):
    """(title, rows) of the held-out kernels and of the others."""
    for title, side in (("held out", True), ("tuning", False)):
        mine = [row for row in rows if row["held_out"] == side]
        if mine:
            yield title, mine


def counting(rows):
    return [row for row in rows if row["gain"] >= GAIN]


def speedup_kept(row, rule):
    """The speedup over the default as a share of that of tuning at the target."""
    return row[rule]["kept"]


def size_text(row):
    return "target" if row["saturation_point"] is None else f"{row['saturation_point']}"


def print_table(rows):
    print("kept: share of the speedup that tuning at the target reaches. saved: kernel time, times less.")
    print("The ladder starts where a fifth of the plateau is reached; every time is of one launch.")
    for title, mine in groups(rows):
        print(f"\n{title}")
        print(
            f"{'':17}{'config':>7}{'tuned':>7}{'saturated':>11} |{'paper: at':>11}{'kept':>8}{'saved':>8}"
            f" |{'ladder from':>13}{'kept':>8}{'saved':>8}{'curve':>8}{'search':>8}{'verify':>8}"
        )
        for row in sorted(mine, key=lambda row: -row["gain"]):
            plain, ladder = row["plain"], row["ladder"]
            print(
                f"{row['kernel']:17}{row['configurations']:7}{row['gain']:6.2f}×{size_text(row):>11} |"
                f"{plain['size']:11}{plain['kept']:8.1%}{plain['saved']:7.1f}× |"
                f"{ladder['size']:13}{ladder['kept']:8.1%}{ladder['saved']:7.1f}×"
                f"{ladder['curve']:8.1%}{ladder['tuning']:8.1%}{ladder['verification']:8.1%}"
            )
        counted = counting(mine)
        print(
            f"{f'{len(counted)} that gain {GAIN:g}×':42} |"
            f"{'':11}{mean([speedup_kept(row, 'plain') for row in counted]):8.1%}"
            f"{geometric_mean([row['plain']['saved'] for row in counted]):7.1f}× |"
            f"{'':13}{mean([speedup_kept(row, 'ladder') for row in counted]):8.1%}"
            f"{geometric_mean([row['ladder']['saved'] for row in counted]):7.1f}×"
        )


def print_thresholds(by_threshold):
    """As Fig. 7: kernel speedup and search speedup over the threshold, paper's rule."""
    print(f"Paper's rule, kernels that gain {GAIN:g}× or more: speedup over the default, share of the best, saved")
    print(f"{'threshold':>9}" + "".join(f"{title:>34}" for title in ("held out", "tuning")))
    for threshold, rows in by_threshold.items():
        line = f"{threshold:7} %"
        for _, mine in groups(rows):
            counted = counting(mine)
            speedup = geometric_mean([row["gain"] * row["plain"]["kept"] for row in counted])
            line += (
                f"{speedup:14.3f}×{mean([row['plain']['kept'] for row in counted]):10.1%}"
                f"{geometric_mean([row['plain']['saved_formula_2'] for row in counted]):8.1f}×"
            )
        print(line)
    rows = by_threshold[10]
    line = f"{'ladder':>9}"
    for _, mine in groups(rows):
        counted = counting(mine)
        speedup = geometric_mean([row["gain"] * row["ladder"]["kept"] for row in counted])
        line += (
            f"{speedup:14.3f}×{mean([row['ladder']['kept'] for row in counted]):10.1%}"
            f"{geometric_mean([row['ladder']['saved'] for row in counted]):8.1f}×"
        )
    print(line)


def print_curves(rows):
    """For each kernel a line per size: throughput of the default and of each factor as shares of their
    value at the target, and what the winner of the size reaches at the target."""
    for row in rows:
        factors = sorted({int(factor) for size in row["sizes"] for factor in size["factors"]})
        target = row["sizes"][-1]
        print(f"\n{row['kernel']}: {row['base']}; best at the target: {row['best']} ({row['gain']:.2f}×)")
        print(f"{'size':>12}" + "".join(f"{f'{factor}×':>9}" for factor in [1, *factors]) + f"{'winner':>9}")
        for size in row["sizes"]:
            shares = [size["throughput"] / target["throughput"]]
            shares += [
                size["factors"][str(factor)] / target["throughput"] if str(factor) in size["factors"] else None
                for factor in factors
            ]
            cells = "".join(f"{'–' if share is None else f'{share:.1%}':>9}" for share in shares)
            mark = "  saturation point" if size["size"] == row["saturation_point"] else ""
            print(f"{size['size']:12}{cells}{size['winner_at_target']:9.1%}{mark}")
        if row["saturation_point"] is None:
            print(f"{'':12}{row['reason']}")
    print("\nThroughput as a share of the default's at the target; winner: performance at the target of the")
    print("configuration that is fastest at the size, as a share of the best.")
