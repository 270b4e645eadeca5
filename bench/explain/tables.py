"""What explain.py prints: burin's words beside the H200's."""

import json
import math
import statistics

from . import evidence
from .lists import STAGES, VERSIONS, WEAK_FP64, expected, for_arch, pairs, series, stage, versions

WITHIN = 1.15  # how far a predicted speedup may be from the measured one
SERIES = {"block": "threads per block", "coarsen": "rows per thread"}


def measured_us(launch, results):
    entry = results.launches.get(launch.name, {})
    return entry["cold"]["us"] if "cold" in entry else None


def number(value, digits=1):
    return "-" if value is None else f"{value:.{digits}f}"


def ratio(over, under):
    return over / under if over and under else None


class Table:
    """Rows of texts, printed in columns; numbers to the right."""

    def __init__(self, *heads):
        self.rows = [heads]

    def add(self, *cells):
        self.rows.append([str(cell) for cell in cells])

    def print(self):
        widths = [max(map(len, column)) for column in zip(*self.rows)]
        for row in self.rows:
            cells = [
                cell.rjust(width) if cell[:1].isdigit() or cell == "-" else cell.ljust(width)
                for cell, width in zip(row, widths)
            ]
            print("  ".join(cells).rstrip())
        print(flush=True)


def print_bound(lists, told, results):
    """Each kernel's resource and mode: the one it was built for, the one that is named, the evidence."""
    table = Table("kernel", "built for", "named", "", "measured", "predicted", "proven", "evidence")
    right = proven = 0
    launches = lists["bound"]
    for launch in launches:
        resource, mode = expected(launch)
        found = told[launch.name].explained.bottleneck
        agrees = found is not None and found[:2] == (resource, mode)
        shown = evidence.evidence_of(launch, results)
        right += agrees
        proven += shown is not None and shown.proven
        table.add(
            launch.name,
            f"{resource} {mode}",
            told[launch.name].named,
            "" if agrees else "NO",
            number(measured_us(launch, results)),
            number(told[launch.name].time_us),
            "-" if shown is None else "yes" if shown.proven else "NO",
            "" if shown is None else shown.words,
        )
    print("Kernels bound by one resource in one mode; times in µs")
    table.print()
    print(f"{right} of {len(launches)} named as built, {proven} proven by the counters\n")
    return {"kernels": len(launches), "named": right, "proven": proven}


def bend(times):
    """The inner point of a curve at which the gain of a step falls most."""
    gains = [math.log(before / after) for before, after in zip(times, times[1:])]
    falls = [before - after for before, after in zip(gains, gains[1:])]
    return 1 + falls.index(max(falls))


def print_series(lists, told, results, name):
    points = series(lists, name)
    table = Table(SERIES[name], "occupancy", "measured", "predicted", "named", "counters")
    for x, launch in points:
        answer = told[launch.name]
        entry = results.launches.get(launch.name, {})
        words = ""
        if "counters" in entry:
            full = evidence.fullness(entry["counters"])
            fullest = sorted(full, key=full.get, reverse=True)[:2]
            shares = evidence.stall_shares(entry["counters"])
            reason = max(shares, key=shares.get)
            words = ", ".join(f"{part} {full[part]:.0f} % full" for part in fullest)
            words += f", {reason} {100 * shares[reason]:.0f} %"
        content = answer.predicted.content
        table.add(
            x,
            number(content and content["occupancy"], 2),
            number(measured_us(launch, results)),
            number(answer.time_us),
            answer.named,
            words,
        )
    print(f"A matrix product against {SERIES[name]}; µs")
    table.print()
    times = [measured_us(launch, results) for _, launch in points]
    modes = [(told[launch.name].explained.bottleneck or (None, None))[1] for _, launch in points]
    found = {"points": [x for x, _ in points], "measured_us": times, "modes": modes}
    if all(times):
        found["bend"] = points[bend(times)][0]
        found["mode_changes"] = [
            points[k][0] for k in range(1, len(modes)) if modes[k] != modes[k - 1]
        ]
        changes = ", ".join(map(str, found["mode_changes"])) or "nowhere"
        print(f"the measured curve bends at {found['bend']}; the named mode changes at {changes}\n")
    return found


def print_versions(lists, told, results):
    """The contraction's versions: what bounds each, and whether the next one's gain was foreseen."""
    table = Table("version", "measured", "predicted", "gain", "foreseen", "off", "named", "next")
    other = Table("version", f"predicted on {WEAK_FP64[0]}", "named there")
    before, rows = None, []
    for name, launch in zip(VERSIONS, versions(lists)):
        answer = told[launch.name]
        times = (measured_us(launch, results), answer.time_us)
        gain, foreseen, off = None, None, None
        if before:
            gain, foreseen = ratio(before[0], times[0]), ratio(before[1], times[1])
            off = foreseen / gain - 1 if gain and foreseen else None
        table.add(
            name,
            number(times[0]),
            number(times[1]),
            number(gain, 2),
            number(foreseen, 2),
            "-" if off is None else f"{100 * off:+.0f} %",
            answer.named,
            second_of(answer),
        )
        rows.append({"version": name, "measured_us": times[0], "predicted_us": times[1], "off": off})
        there = told[for_arch(launch, WEAK_FP64[1]).cubin + launch.name]
        other.add(name, number(there.time_us), there.named)
        before = times
    print("A tensor contraction, the original and three improvements; µs, gains over the version before")
    table.print()
    other.print()
    whole = ratio(rows[0]["measured_us"], rows[-1]["measured_us"])
    foreseen = ratio(rows[0]["predicted_us"], rows[-1]["predicted_us"])
    if whole and foreseen:
        offs = [abs(row["off"]) for row in rows[1:]] + [abs(foreseen / whole - 1)]
        print(f"last over first: {whole:.2f} measured, {foreseen:.2f} predicted")
        print(f"furthest off {100 * max(offs):.0f} %; ", end="")
        print(f"all within 15 %: {'yes' if max(offs) <= WITHIN - 1 else 'NO'}\n")
    return rows


def second_of(answer):
    """The second largest row of the sensitivity table."""
    content = answer.explained.content
    if not content or len(content.get("sensitivity", [])) < 2:
        return "-"
    rows = sorted(content["sensitivity"], key=lambda row: row["share"], reverse=True)
    return f"{rows[1]['resource']} {rows[1]['mode']} {100 * rows[1]['share']:.0f} %"


def print_pairs(lists, results):
    """First and last version on six contractions at three extents, in GFLOP/s, as measured."""
    found = pairs(lists)
    extents = sorted({extent for _, extent, _, _ in found})
    columns = [(extent, which) for extent in extents for which in ("first", "last")]
    table = Table("output", *(f"{extent} {which}" for extent, which in columns))
    speeds = {}
    for order in dict.fromkeys(order for order, _, _, _ in found):
        cells = []
        for _, extent, first, last in [pair for pair in found if pair[0] == order]:
            for which, launch in (("first", first), ("last", last)):
                time_us = measured_us(launch, results)
                speed = 2e-3 * extent**7 / time_us if time_us else None
                cells.append(number(speed, 0))
                if speed:
                    speeds.setdefault((extent, which), []).append(speed)
        table.add(order, *cells)
    means = {key: statistics.geometric_mean(values) for key, values in speeds.items()}
    table.add("geometric mean", *(number(means.get(column), 0) for column in columns))
    print("First and last version by order of the output's indices and extent; GFLOP/s measured")
    table.print()
    return {f"{extent} {which}": round(mean, 1) for (extent, which), mean in means.items()}


def print_stages(lists, told, results):
    heads = ("stage", "kernel", "measured", "predicted", "named", "throughput", "latency")
    table = Table(*heads)
    sums = []
    for name in STAGES:
        launches = stage(lists, name)
        measured = [measured_us(launch, results) for launch in launches]
        predicted = [told[launch.name].time_us for launch in launches]
        for launch, left, right in zip(launches, measured, predicted):
            answer = told[launch.name]
            shares = [largest(answer, mode) for mode in ("throughput", "latency")]
            table.add(name, launch.kernel, number(left), number(right), answer.named, *shares)
        total = [sum(times) if all(times) else None for times in (measured, predicted)]
        table.add(name, "sum", number(total[0]), number(total[1]), "", "", "")
        sums.append({"stage": name, "measured_us": total[0], "predicted_us": total[1]})
    print("Fifteen stencils in three stages of fusion; µs")
    table.print()
    return sums


def largest(answer, mode):
    """The row of one mode that most of the time follows: 'l2 43 %'."""
    content = answer.explained.content
    rows = [row for row in (content or {}).get("sensitivity", []) if row["mode"] == mode]
    if not rows:
        return "-"
    row = max(rows, key=lambda row: row["share"])
    return f"{row['resource']} {100 * row['share']:.0f} %"


def print_speed(told, options):
    """How much processor time explain takes against predict, and how much longer one waits for it."""
    answers = [
        answer for answer in told.values() if answer.explained.content and answer.predicted.content
    ]
    if not answers:
        return {}
    ratios = [answer.explained.cpu_seconds / answer.predicted.cpu_seconds for answer in answers]
    waits = [answer.explained.seconds / answer.predicted.seconds for answer in answers]
    most = max(answer.explained.cpu_seconds for answer in answers)
    print(
        f"burin explain {'with' if options.regions else 'without'} regions takes "
        f"{statistics.median(ratios):.1f} times the processor's time of predict (median), "
        f"{max(ratios):.1f} at most; {most:.1f} s at most. One waits "
        f"{statistics.median(waits):.1f} times as long (median; --jobs 1 for others not to be in the way)"
    )
    return {
        "median": statistics.median(ratios),
        "most": max(ratios),
        "slowest_seconds": most,
        "wait_median": statistics.median(waits),
    }


def write_json(path, found):
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
