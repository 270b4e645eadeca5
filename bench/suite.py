#!/usr/bin/env python3
"""How far are burin's predictions from the times of programs that you have built?

    suite.py LIST                   records each command line of LIST (needs a GPU), predicts every
                                    launch, and prints the table
    suite.py LIST --captures DIR    keeps the captures there, and records only what is not there yet
    suite.py LIST --no-record       compares the captures that are in DIR (no GPU)
    suite.py --from FILE            prints the table of a file that --json wrote (no GPU, no captures)
    suite.py LIST --compared DIR    keeps the comparisons there as well: a run that was stopped goes on

A program is held out if the first byte of the SHA-256 of its name is a multiple of three. While
tuning the model, --tuning-only leaves held-out programs out; --held-out takes only them.

LIST has a command line per line; # starts a comment, and `NAME: COMMAND` gives it a name. A line
that is nothing but the name of a capture (*.burin) is compared without recording.

    # rodinia.txt
    backprop: ./backprop 65536
    ./hotspot 1024 2 2 temp_1024 power_1024 output.out
    nw.burin

The table has a row for each kernel, with the time of its launches, measured and predicted, and how
far the stall reasons agree with the samples. Figures over all kernels follow: geometric mean, median and
90th percentile of the errors, where an error is the larger time over the smaller, less 1; how much
of the GPU time was predicted; how many intervals cover the measured time, and how wide they are; how
many predictions are below a lower bound, were raised to one, or ask for a measurement.
"""

import argparse
import concurrent.futures
import gzip
import hashlib
import json
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("list", type=pathlib.Path, metavar="LIST", nargs="?")
    parser.add_argument("--from", dest="kept", type=pathlib.Path, metavar="FILE", help="what --json wrote, or its .gz")
    parser.add_argument("--burin", default=str(ROOT / "build/burin"))
    parser.add_argument("--captures", type=pathlib.Path, metavar="DIR", help="keeps them there")
    parser.add_argument(
        "--compared", type=pathlib.Path, metavar="DIR", help="keeps the comparisons there, and makes only those missing"
    )
    parser.add_argument("--machine", help="predict for this one (default: the GPU's own)")
    parser.add_argument("--warm", action="store_true", help="predict with warm caches")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a program (600)")
    parser.add_argument("--period", metavar="N", help="a sample every 2^N cycles, for short programs")
    parser.add_argument("--jobs", type=int, default=1, help="captures compared at a time (1)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="writes it all there")
    parser.add_argument("--record", default="", metavar="OPTIONS", help="more options of burin record")
    parser.add_argument("--no-record", action="store_true", help="only captures that are there")
    parser.add_argument("--tuning-only", action="store_true", help="without held-out programs")
    parser.add_argument("--held-out", action="store_true", help="only the held-out programs")
    parser.add_argument("--match", default="", metavar="PATTERN", help="programs whose name fits")
    return parser.parse_args()


def is_held_out(name):
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def wanted(name, options):
    name = pathlib.Path(name).name.removesuffix(".burin")
    if not re.search(options.match, name):
        return False
    return not (options.tuning_only if is_held_out(name) else options.held_out)


def read_list(text):
    """[(name, words)] of the command lines; no words where the name is that of a capture."""
    programs = []
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        named = re.match(r"([\w.+-]+):\s+(.*)", line)
        words = shlex.split(named[2] if named else line)
        if len(words) == 1 and words[0].endswith(".burin"):
            programs.append((words[0], []))
            continue
        name = named[1] if named else pathlib.Path(words[0]).name
        taken = {known for known, _ in programs}
        number = 2
        while name in taken:
            name, number = f"{name.split('#')[0]}#{number}", number + 1
        programs.append((name, words))
    return programs


def record(words, capture, options):
    """Nothing where it went well, else why not."""
    period = ["--period", options.period] if options.period else []
    more = shlex.split(options.record)
    command = [options.burin, "record", *period, *more, "-o", str(capture), "--", *words]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=options.limit, check=False
        )
    except subprocess.TimeoutExpired:
        return f"did not end in {options.limit:g} seconds"
    if done.returncode == 0 and capture.exists():
        return None
    last = done.stderr.strip().splitlines()
    return last[-1] if last else f"burin record ended with status {done.returncode}"


def kept_comparison(capture, options):
    return options.compared / f"{capture.stem}.json" if options.compared else None


def compare(capture, options):
    """The comparison of `burin inspect`, with the kernels' names in it, or a sentence."""
    kept = kept_comparison(capture, options)
    if kept and kept.exists():
        return json.loads(kept.read_text())
    command = [options.burin, "inspect", str(capture), "--compare", "--json"]
    if options.machine:
        command += ["--machine", options.machine]
    if options.warm:
        command += ["--warm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return done.stderr.strip() or f"burin inspect ended with status {done.returncode}"
    report = json.loads(done.stdout)
    names = {kernel["id"]: kernel["demangled"] for kernel in report["kernels"]}
    groups = report["comparison"]["groups"]
    for group in groups:
        group["name"] = names[group["kernel"]]
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.with_suffix(".part").write_text(json.dumps(groups))
        kept.with_suffix(".part").rename(kept)
    return groups


KEPT = ("launches", "measured_us", "predicted_us", "error", "unknown_share", "certainty", "bound",
        "caches", "total_us", "example")  # fmt: skip


def by_kernel(program, groups):
    """A row for each kernel: its launches' times, measured and predicted, added up."""
    rows = {}
    for group in groups:
        row = rows.setdefault(
            group["name"],
            {"program": program, "kernel": group["name"], "launches": 0, "compared": 0}
            | {"measured_us": 0.0, "predicted_us": 0.0, "stalls": [], "problems": []}
            | {"total_us": 0.0, "groups": []},
        )
        row["launches"] += group["launches"]
        row["total_us"] += group.get("total_us", group["measured_us"] * group["launches"])
        row["groups"].append({key: group[key] for key in KEPT if key in group})
        if "error" in group:
            row["compared"] += group["launches"]
            row["measured_us"] += group["measured_us"] * group["launches"]
            row["predicted_us"] += group["predicted_us"] * group["launches"]
        if "problem" in group:
            row["problems"].append(group["problem"])
        if "stall_overlap" in group:
            row["stalls"].append(group["stall_overlap"])
    for row in rows.values():
        row["stalls"] = statistics.median(row["stalls"]) if row["stalls"] else None
        if row["compared"]:
            ratio = row["predicted_us"] / row["measured_us"]
            row["ratio"] = ratio
            row["error"] = max(ratio, 1 / ratio) - 1
    return list(rows.values())


def launch_figures(rows):
    """Of the distinct launches: bounds, intervals, deferred ones."""
    groups = [group for row in rows for group in row["groups"] if "error" in group]
    sure = [group for group in groups if "certainty" in group]
    if not sure:
        return {}
    covered = sum(
        g["certainty"]["low_us"] <= g["measured_us"] <= g["certainty"]["high_us"] for g in sure
    )
    widths = [
        math.sqrt(g["certainty"]["high_us"] / g["certainty"]["low_us"]) - 1 for g in sure
    ]
    deferred = [g["error"] for g in sure if g["certainty"]["defer"]]
    others = [g["error"] for g in sure if not g["certainty"]["defer"]]
    long = [g["error"] for g in groups if g["measured_us"] >= 10]
    return {
        "distinct_launches": len(groups),
        "median_of_long": statistics.median(long) if long else None,
        "covered": covered / len(sure),
        "within_20_wide": sum(width <= 0.2 for width in widths) / len(sure),
        "below_bound": sum(
            g["predicted_us"] < 0.9999 * g["bound"]["time_us"] for g in groups if "bound" in g
        ),
        "raised": sum(g["bound"]["raised"] for g in groups if "bound" in g),
        "deferred": len(deferred),
        "deferred_error": statistics.median(deferred) if deferred else None,
        "other_error": statistics.median(others) if others else None,
    }


def figures(rows):
    errors = sorted(row["error"] for row in rows if "error" in row)
    stalls = [row["stalls"] for row in rows if row["stalls"] is not None]
    if not errors:
        return None
    timed = [row for row in rows if "error" in row]
    all_us = sum(row["total_us"] for row in rows)
    compared_us = sum(row["measured_us"] for row in timed)
    return launch_figures(rows) | {
        "kernels": len(errors),
        "over_2_5": sum(error > 1.5 for error in errors),
        "predicted_time": min(1, compared_us / all_us) if all_us else 0,
        "error_by_time": sum(row["error"] * row["measured_us"] for row in timed) / compared_us,
        "sum_ratio": sum(row["predicted_us"] for row in timed) / compared_us,
        "geometric_mean": math.exp(statistics.fmean(math.log1p(error) for error in errors)) - 1,
        "median": statistics.median(errors),
        "p90": errors[min(len(errors) - 1, math.ceil(0.9 * len(errors)) - 1)],
        "worst": errors[-1],
        "within_10": sum(error <= 0.10 for error in errors) / len(errors),
        "within_20": sum(error <= 0.20 for error in errors) / len(errors),
        "stall_agreement": statistics.median(stalls) if stalls else None,
    }


def time_text(us):
    return f"{us:.4g} µs" if us < 10_000 else f"{us / 1000:.4g} ms"


def print_table(rows, problems):
    print(f"{'program':<20} {'launches':>8} {'measured':>12} {'predicted':>12} "
          f"{'error':>8} {'stalls':>7}  kernel")  # fmt: skip
    for row in rows:
        known = "error" in row
        error = f"{'-' if row['ratio'] < 1 else '+'}{100 * row['error']:.1f} %" if known else "-"
        stalls = "-" if row["stalls"] is None else f"{100 * row['stalls']:.0f} %"
        measured = time_text(row["measured_us"]) if known else "-"
        predicted = time_text(row["predicted_us"]) if known else "-"
        print(
            f"{row['program'][:20]:<20} {row['launches']:>8} {measured:>12} {predicted:>12} "
            f"{error:>8} {stalls:>7}  {row['kernel'][:80]}"
        )
        for problem in sorted(set(row["problems"])):
            print(f"{'':<20} {problem}")
    for program, sentence in problems:
        print(f"{program[:20]:<20} {sentence}")
    sums = figures(rows)
    print()
    if sums is None:
        print("no launch has both a measured and a predicted time")
        return
    print(
        f"{sums['kernels']} kernels: error geometric mean {100 * sums['geometric_mean']:.1f} %, "
        f"median {100 * sums['median']:.1f} %, P90 {100 * sums['p90']:.1f} %, "
        f"worst {100 * sums['worst']:.1f} %; within 10 %: {100 * sums['within_10']:.0f} %, "
        f"within 20 %: {100 * sums['within_20']:.0f} %"
    )
    print(
        f"over 2.5×: {sums['over_2_5']}; predicted {100 * sums['predicted_time']:.1f} % of the GPU "
        f"time, weighted by time {100 * sums['error_by_time']:.1f} %, sum of predictions over sum "
        f"of times {sums['sum_ratio']:.2f}"
    )
    if "covered" in sums:
        long = "-" if sums["median_of_long"] is None else f"{100 * sums['median_of_long']:.1f} %"
        print(
            f"{sums['distinct_launches']} distinct launches, those of 10 µs and more: median {long}; "
            f"intervals cover {100 * sums['covered']:.0f} %, within ±20 %: "
            f"{100 * sums['within_20_wide']:.0f} %; below a bound: {sums['below_bound']}, raised: "
            f"{sums['raised']}, deferred: {sums['deferred']}"
        )
    if sums["stall_agreement"] is not None:
        print(f"stall reasons agree to {100 * sums['stall_agreement']:.0f} % (median)")


def run(options, folder):
    rows, problems = [], []
    base = options.list.resolve().parent
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        compared = []  # one program is recorded while those before it are compared
        for name, words in read_list(options.list.read_text()):
            if not wanted(name, options):
                continue
            capture = folder / f"{name}.burin" if words else base / name
            kept = kept_comparison(capture, options)
            is_there = capture.exists() or (kept and kept.exists())
            if options.no_record and not is_there:
                problems.append((name, "there is no capture"))
                continue
            if words and not is_there:
                print(f"recording {name}", file=sys.stderr)
                if sentence := record(words, capture, options):
                    problems.append((name, sentence))
                    continue
            compared.append((name, pool.submit(compare, capture, options)))
        for name, comparison in compared:
            groups = comparison.result()
            if isinstance(groups, str):
                problems.append((name, groups))
            else:
                rows += by_kernel(name.removesuffix(".burin"), groups)
    print_table(rows, problems)
    if options.json:
        whole = {"schema": "burin.suite/1", "rows": rows, "problems": problems}
        options.json.write_text(json.dumps(whole | {"figures": figures(rows)}, indent=1) + "\n")
    return 3 if problems else 0


def show_kept(options):
    data = options.kept.read_bytes()
    whole = json.loads(gzip.decompress(data) if options.kept.suffix == ".gz" else data)
    rows = [row for row in whole["rows"] if wanted(row["program"], options)]
    print_table(rows, [problem for problem in whole["problems"] if wanted(problem[0], options)])
    return 0


def main():
    options = arguments()
    if options.kept:
        return show_kept(options)
    if not options.list:
        sys.exit("suite.py: which programs? Name a LIST, or a file of results with --from")
    if options.captures:
        options.captures.mkdir(parents=True, exist_ok=True)
        return run(options, options.captures.resolve())
    with tempfile.TemporaryDirectory() as folder:
        return run(options, pathlib.Path(folder))


if __name__ == "__main__":
    sys.exit(main())
