"""The tables of accuracy.py in words."""

import dataclasses
import json

from . import figures
from .compare import agreements, dram_bytes, hit_rates, is_measured, top_stall

SLOW_SECONDS, LARGE_BYTES = 2.0, 1 << 30
GROUPS = ("tuning", "held out")
COUNTERS = {
    "dram_read": "DRAM bytes read within 15 %",
    "dram_write": "DRAM bytes written within 15 % (over 4× the L2)",
    "l1": "L1 hit rate within 10 points",
    "l2": "L2 hit rate within 10 points",
    "stall": "top stall reason",
}


def percent(value, width=0):
    return "–".rjust(width) if value is None else f"{100 * value:.1f} %".rjust(width)


def signed(row, model):
    time_us = row.times_us.get(model)
    if time_us is None:
        return "–"
    return f"{100 * figures.signed_error(time_us, row.measured_us):+.1f} %"


def print_rows(rows, models):
    print(f"{'launch':34} {'measured µs':>12} " + "".join(f"{m:>12} {'error':>10} " for m in models))
    for row in rows:
        line = f"{row.launch:34} {row.measured_us:12.2f} "
        for model in models:
            time_us = row.times_us.get(model)
            shown = "–" if time_us is None else f"{time_us:.2f}"
            line += f"{shown:>12} {signed(row, model):>10} "
        if row.prediction is not None and row.prediction.problem:
            line += row.prediction.problem
        print(line.rstrip())


def pair(predicted, measured, scale=1.0, digits=0):
    """Both in one column: 12/13."""
    texts = ["–" if v is None else f"{v * scale:.{digits}f}" for v in (predicted, measured)]
    return "/".join(texts)


def print_details(rows):
    """What the model thinks of each launch besides its time, and what was counted."""
    print(
        f"\n{'predicted/counted':34} {'warp inst k':>19} {'DRAM read MB':>15} {'written MB':>15} "
        f"{'L1 %':>8} {'L2 %':>8}  top stall"
    )
    for row in rows:
        if row.prediction is None or row.prediction.content is None:
            continue
        content, counted = row.prediction.content, row.counters
        rates = hit_rates(counted)
        read, write = dram_bytes(content)
        stalls = [top_stall(content.get("stalls", {})), top_stall(counted["stalls"])]
        print(
            f"{row.launch:34} "
            f"{pair(content.get('instructions'), counted['instructions'], 1e-3):>19} "
            f"{pair(read, counted['dram_read_bytes'], 1e-6, 1):>15} "
            f"{pair(write, counted['dram_write_bytes'], 1e-6, 1):>15} "
            f"{pair(content.get('l1_hit_rate'), rates['l1'], 100):>8} "
            f"{pair(content.get('l2_hit_rate'), rates['l2'], 100):>8}  "
            + (stalls[0] if stalls[0] == stalls[1] else f"{stalls[0]}/{stalls[1]}")
        )


def read_ratio(row):
    """Predicted DRAM bytes read over those counted."""
    read, _ = dram_bytes(row.prediction.content)
    return (read or 0) / max(1, row.counters["dram_read_bytes"])


def print_misses(rows):
    """Launches of the tuning part whose traffic or hit rates disagree: too little read first."""
    told = [
        row
        for row in rows
        if row.group == "tuning" and row.prediction is not None and row.prediction.content
    ]
    print(
        f"\n{'predicted/counted':34} {'read':>6} {'DRAM read MB':>19} {'written MB':>15} "
        f"{'L1 %':>8} {'L2 %':>8} {'time':>6}  disagree"
    )
    for row in sorted(told, key=read_ratio):
        agrees = agreements(row)
        wrong = [key for key in ("dram_read", "dram_write", "l1", "l2") if agrees.get(key) is False]
        if not wrong:
            continue
        content, counted = row.prediction.content, row.counters
        rates = hit_rates(counted)
        read, write = dram_bytes(content)
        print(
            f"{row.launch:34} {read_ratio(row):6.2f} "
            f"{pair(read, counted['dram_read_bytes'], 1e-6, 3):>19} "
            f"{pair(write, counted['dram_write_bytes'], 1e-6, 1):>15} "
            f"{pair(content.get('l1_hit_rate'), rates['l1'], 100):>8} "
            f"{pair(content.get('l2_hit_rate'), rates['l2'], 100):>8} "
            f"{row.times_us['ours'] / row.measured_us:6.2f}  {' '.join(wrong)}"
        )


def worst_first(rows):
    """Without a prediction first, then by our error."""
    return sorted(rows, key=lambda row: -(row.error("ours") or float("inf")))


def print_errors(rows, models):
    print(f"  {'model':10} {'median':>9} {'P90':>9} {'over 2.5×':>14} {'no prediction':>14}")
    for model in models:
        errors = [row.error(model) for row in rows]
        known = [e for e in errors if e is not None]
        found = figures.spread(known)
        far = f"{found['far']} of {found['count']}"
        print(
            f"  {model:10} {percent(found['median'], 9)} {percent(found['p90'], 9)} {far:>14} "
            f"{len(errors) - len(known):>14}"
        )


def print_counters(rows):
    found = [agreements(row) for row in rows if row.prediction is not None]
    for key, title in COUNTERS.items():
        told = [agreement[key] for agreement in found if key in agreement]
        if told:
            print(f"  {title}: {sum(told)} of {len(told)} launches, {percent(sum(told) / len(told))}")


def print_cost(predictions, title):
    """Burin's own time and memory."""
    told = [p for p in predictions if p is not None]
    if not told:
        return
    seconds, cpu = [p.seconds for p in told], [p.cpu_seconds for p in told]
    peaks = [p.peak_bytes / (1 << 20) for p in told]
    slow = sum(s > SLOW_SECONDS for s in seconds)
    large = sum(p.peak_bytes > LARGE_BYTES for p in told)
    print(
        f"{title}: median {figures.percentile(seconds, 0.5):.2f} s "
        f"({figures.percentile(cpu, 0.5):.2f} s of CPU) and {figures.percentile(peaks, 0.5):.0f} MiB, "
        f"at most {max(seconds):.2f} s ({max(cpu):.2f} s) and {max(peaks):.0f} MiB; "
        f"{slow} over {SLOW_SECONDS:g} s, {large} over 1 GiB"
    )


def print_launches(rows, options):
    shown = worst_first(rows)[: options.worst] if options.worst else rows
    print_rows(shown, options.models)
    if options.details:
        print_details(shown)
    if options.misses:
        print_misses(rows)
    for group in GROUPS:
        members = [row for row in rows if row.group == group]
        for title, part in (
            ("", [row for row in members if not row.is_short]),
            (", under 10 µs", [row for row in members if row.is_short]),
        ):
            if part:
                kernels = len({row.kernel for row in part})
                print(f"\n{group}{title}: {len(part)} launches of {kernels} kernels")
                print_errors(part, options.models)
                print_counters(part)
    print()
    print_cost([row.prediction for row in rows], "burin itself")


def print_left_out(launches, results):
    missing = [launch.name for launch in launches if not is_measured(launch, results)]
    if missing:
        print(f"not measured as they stand now: {', '.join(missing)}")


def print_choices(choices, predictions):
    print(f"\n{'sweep':26} {'range':>6} {'Spearman':>9} {'chosen':>9} {'best':>9} {'efficiency':>11}")
    for choice in choices:
        rank = "–" if choice.spearman is None else f"{choice.spearman:.3f}"
        line = f"{choice.sweep:26} {choice.range:6.2f} {rank:>9} {choice.chosen:>9} "
        line += f"{choice.best:>9} {choice.efficiency:11.3f} {choice.problem}"
        print(line.rstrip() + ("" if choice.counts else "  (not counted)"))
    for group in GROUPS:
        counted = [choice for choice in choices if choice.group == group and choice.counts]
        if counted:
            found = [choice.spearman or 0.0 for choice in counted]
            efficiencies = [choice.efficiency for choice in counted]
            print(
                f"{group}: {len(counted)} sweeps, median Spearman "
                f"{figures.percentile(found, 0.5):.3f}, efficiency of the chosen shape "
                f"{figures.geometric_mean(efficiencies):.3f} (geometric mean), "
                f"{min(efficiencies):.3f} at least"
            )
    print_cost(predictions, "burin itself in sweeps")


def write_json(path, rows, choices):
    content = {
        "schema": "burin.accuracy-table/1",
        "launches": [
            {
                "launch": row.launch,
                "group": row.group,
                "measured_us": row.measured_us,
                "times_us": row.times_us,
                "agreements": agreements(row) if row.prediction is not None else {},
                "seconds": row.prediction.seconds if row.prediction is not None else None,
                "cpu_seconds": row.prediction.cpu_seconds if row.prediction is not None else None,
                "peak_bytes": row.prediction.peak_bytes if row.prediction is not None else None,
                "prediction": row.prediction.content if row.prediction is not None else None,
            }
            for row in rows
        ],
        "sweeps": [{**dataclasses.asdict(choice), "group": choice.group} for choice in choices],
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
