"""The figures of kept rows: how far predicted times are from recorded ones."""

import json
import statistics

from accuracy.figures import error, percentile, spearman

STEADY = 0.05  # where the recorded runs of a configuration spread more, the clock moved
HEADER = "configurations  median     P90  ratio  alike  Spearman  reaches  covered  unsteady  failed"


def figures(rows):
    """Of rows of one half. Errors are of the random sample; the fastest of the space, which may not be
    in it, counts for `reaches` alone. None where nothing was predicted."""
    predicted = [row for row in rows if "predicted_ms" in row]
    sampled = [row for row in rows if row["sampled"]]
    judged = [row for row in predicted if row["sampled"] and row["spread"] <= STEADY]
    if not judged:
        return None
    times = [(row["predicted_ms"], row["recorded_ms"]) for row in judged]
    ratio = statistics.median(p / r for p, r in times)
    chosen = min(predicted, key=lambda row: row["predicted_ms"])
    return {
        "configurations": len(judged),
        "median": percentile([error(p, r) for p, r in times], 0.5),
        "p90": percentile([error(p, r) for p, r in times], 0.9),
        "ratio": ratio,
        "alike": percentile([error(p / ratio, r) for p, r in times], 0.5),
        "spearman": spearman(*zip(*times)) if len(times) > 2 else None,
        "reaches": min(row["recorded_ms"] for row in predicted) / chosen["recorded_ms"],
        "covered": statistics.mean(row["low_ms"] <= row["recorded_ms"] <= row["high_ms"] for row in judged),
        "unsteady": sum(row["spread"] > STEADY for row in sampled),
        "failed": sum("error" in row for row in sampled),
    }


def line(label, rows):
    found = figures(rows)
    if found is None:
        return f"  {label:22} nothing predicted"
    rank = "–" if found["spearman"] is None else f"{found['spearman']:.2f}"
    return (
        f"  {label:22} {found['configurations']:14} {found['median']:6.1%} {found['p90']:6.0%} "
        f"{found['ratio']:6.2f} {found['alike']:6.1%} {rank:>9} {found['reaches']:8.2f} "
        f"{found['covered']:8.0%} {found['unsteady']:9} {found['failed']:7}"
    )


def print_limits(rows):
    for limit in sorted({row["limit"] for row in rows if "limit" in row}):
        print(line(f"  {limit}", [row for row in rows if row.get("limit") == limit]))


def print_worst(rows, count):
    judged = [(name, row) for name, row in rows.items()
              if row["half"] == "tuning" and "predicted_ms" in row and row["spread"] <= STEADY]
    judged.sort(key=lambda item: -error(item[1]["predicted_ms"], item[1]["recorded_ms"]))
    for name, row in judged[:count]:
        ratio = row["predicted_ms"] / row["recorded_ms"]
        print(f"    {ratio:5.2f} of {row['recorded_ms']:.3f} ms, {row['limit']}: {name}")


def told(file):
    """How the `validation` of a machine file tells of these rows."""
    found = figures([row for row in file["rows"].values() if row["half"] == "held out"])
    return f"{file['kernel']}, {found['configurations']} configurations held out, median error {100 * found['median']:.1f} %"


def markdown(file):
    """The lines of docs/validation.md."""
    clock = f" at {file['clock_mhz']:g} MHz" if file["clock_mhz"] else ""
    gpu = file["gpu"].removeprefix("NVIDIA ")
    for half in ("held out", "tuning"):
        found = figures([row for row in file["rows"].values() if row["half"] == half])
        bold = "**" if half == "held out" else ""
        yield (
            f"| {file['kernel']}, {gpu}{clock} | `{file['machine']}` | {half} | {found['configurations']} "
            f"| {bold}{found['median']:.1%}{bold} | {found['p90']:.0%} | {found['ratio']:.2f} | {found['alike']:.1%} "
            f"| {found['spearman']:.2f} | {found['reaches']:.2f} | {found['covered']:.0%} |"
        ).replace("%", " %")


def print_markdown(paths):
    print("| kernel, GPU | machine | half | configurations | median | P90 | predicted ÷ recorded | alike | Spearman "
          "| predicted best reaches | in the 80 % interval |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for path in paths:
        print("\n".join(markdown(json.loads(path.read_text(encoding="utf-8")))))


def print_table(paths, limits, worst):
    for path in paths:
        file = json.loads(path.read_text(encoding="utf-8"))
        clock = f" at {file['clock_mhz']:g} MHz" if file["clock_mhz"] else ""
        print(f"{file['kernel']} on {file['gpu']}, {file['machine']}{clock} "
              f"({file['configurations']} configurations, {file['toolkit']}, {file['date']})")
        print(f"  {'':22} {HEADER}")
        for half in ("held out", "tuning"):
            rows = [row for row in file["rows"].values() if row["half"] == half]
            print(line(half, rows))
            if limits:
                print_limits(rows)
        print_worst(file["rows"], worst)
