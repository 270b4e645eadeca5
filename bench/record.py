#!/usr/bin/env python3
"""What does recording miss, and what does it cost?

    record.py build [--programs DIR]    compiles bench/record/*.cu into DIR (needs nvcc)
    record.py count                     records them and the Python programs beside them, and counts
                                        their launches with ncu (needs a GPU)
    record.py overhead                  times programs alone and recorded (needs a GPU)
    record.py show                      prints the figures

The figures go to bench/record/results/record.h200.json. `--only TEXT` takes the programs with TEXT in
their name. `count` exits 1 where a count differs.
"""

import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCES = ROOT / "bench/record"

# name, program, its words, launches (None: ncu tells)
PROGRAMS = [
    ("shapes", "shapes", [], 8),
    ("graphs", "graphs", [], 90),
    ("late_modules", "late_modules",
     [str(ROOT / "examples/vector_add.sm_90.cubin"), "vector_add"], 7),
    ("threads", "threads", [], 1600),
    ("threads_few", "threads", ["25"], 200),
    ("tiny_launches", "tiny_launches", [], 10000),
    ("tiny_few", "tiny_launches", ["500"], 500),
    ("variables", "variables", [], 3),
    ("triton_kernels.py", "triton_kernels.py", [], None),
    ("gemm.py", "gemm.py", [], None),
    ("graphs.py", "graphs.py", [], None),
    ("transformer.py", "transformer.py", ["3"], None),
]  # fmt: skip
NCU_LIMIT = 300  # seconds: it takes 11 ms for each launch


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["build", "count", "overhead", "show"])
    parser.add_argument("--burin", default=str(ROOT / "build/burin"))
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/record")
    parser.add_argument("--captures", type=pathlib.Path, help="keeps the captures there")
    parser.add_argument(
        "--results", type=pathlib.Path, default=ROOT / "bench/record/results/record.h200.json"
    )
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--limit", type=float, default=60, help="seconds for a program (60)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind (3)")
    parser.add_argument("--ncu", default="ncu", help="'' counts nothing")
    return parser.parse_args()


def build(options):
    options.programs.mkdir(parents=True, exist_ok=True)
    for source in sorted(SOURCES.glob("*.cu")):
        out = options.programs / source.stem
        command = ["nvcc", "-std=c++17", "-arch=sm_90", "-lineinfo", "-o", out, source, "-lcuda"]
        subprocess.run(command, check=True)
        print(out)


def words_of(name, words, options):
    if name.endswith(".py"):
        return ["python3", str(SOURCES / name), *words]
    return [str(options.programs / name), *words]


def run(words, limit):
    """(seconds, output, status); status -1 where it took too long."""
    begin = time.perf_counter()
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return limit, "", -1
    return time.perf_counter() - begin, done.stdout + done.stderr, done.returncode


def record(words, options, capture, *flags):
    """What `burin record --json` says, with the program's own output under "said"."""
    command = [options.burin, "record", "--json", "--force", "-o", str(capture), *flags, "--"]
    seconds, output, status = run([*command, *words], options.limit)
    begin = output.find('{"schema":"burin.record')
    if status != 0 or begin < 0:
        return {"error": output.strip()[-300:] or f"status {status} after {seconds:.0f} s"}
    report = json.JSONDecoder().raw_decode(output[begin:])[0]
    report["said"] = output[:begin]
    return report


def ncu_count(words, options):
    # The caches and the clock do not matter for a count, and taking care of them takes time.
    command = [options.ncu, "--clock-control", "none", "--cache-control", "none"]
    command += ["--csv", "--metrics", "launch__grid_size"]
    _, output, status = run([*command, *words], NCU_LIMIT)
    return None if status != 0 else len(re.findall(r'"launch__grid_size"', output))


def count(name, program, words, expected, options):
    command = words_of(program, words, options)
    report = record(command, options, options.captures / f"{name}.burin")
    counted = None
    if options.ncu:
        counted = ncu_count(command, options)
    entry = {
        "expected": expected,
        "ncu": counted,
        "recorded": report.get("launches"),
        "without_time": report.get("launches_without_time"),
        "kernels": len(report.get("kernels", [])),
        "samples": report.get("samples"),
        "samples_lost": report.get("samples_lost"),
        "problems": [problem["sentence"] for problem in report.get("problems", [])],
    }
    if "error" in report:
        entry["error"] = report["error"]
    print(f"{name}: {json.dumps(entry)}", flush=True)
    return entry


def is_right(entry):
    wanted = {entry["expected"], entry["ncu"]} - {None}
    return wanted == {entry["recorded"]} and entry["without_time"] == 0


def compared(name, words, numbers, options, *flags):
    """Medians of what the program prints, alone and recorded, and of the whole run by the clock."""
    words = words_of(name, words, options)
    alone, recorded = [], []
    for _ in range(options.rounds):
        seconds, output, _ = run(words, options.limit)
        alone.append([*numbers(output), seconds])
        report = record(words, options, options.captures / "overhead.burin", *flags)
        if "error" in report:
            print(f"{name}: {report['error']}", flush=True)
            return {"error": report["error"]}
        recorded.append([*numbers(report["said"]), report["wall_seconds"]])
    columns = [
        (statistics.median(a), statistics.median(b)) for a, b in zip(zip(*alone), zip(*recorded))
    ]
    entry = [{"alone": a, "recorded": b, "overhead": b / a - 1} for a, b in columns]
    print(f"{name} {' '.join(flags)}: {json.dumps(entry)}", flush=True)
    return entry


def steady_numbers(output):
    return [float(word) for word in output.split()[:2]]


def seconds_numbers(output):
    return [float(re.search(r"seconds ([0-9.]+)", output)[1])]


# name, program, its words, how to read its output, what the numbers are, options of burin record
OVERHEADS = [
    ("steady", "steady", ["4000"], steady_numbers, ["gpu_seconds", "wall_seconds"], []),
    ("steady_no_samples", "steady", ["4000"], steady_numbers, ["gpu_seconds", "wall_seconds"],
     ["--no-samples"]),
    ("tiny", "tiny_launches", [], seconds_numbers, ["wall_seconds"], []),
    ("tiny_bare", "tiny_launches", [], seconds_numbers, ["wall_seconds"],
     ["--no-samples", "--no-stacks"]),
    ("transformer", "transformer.py", ["22"], seconds_numbers, ["wall_seconds"], []),
]  # fmt: skip


def read_results(options):
    options.captures = options.captures or options.programs / "captures"
    options.captures.mkdir(parents=True, exist_ok=True)
    if options.results.exists():
        return json.loads(options.results.read_text())
    return {"schema": "burin.bench.record/1", "counts": {}, "overhead": {}}


def write_results(results, options):
    options.results.write_text(json.dumps(results, indent=1) + "\n")


def count_all(options):
    results = read_results(options)
    for name, program, words, expected in PROGRAMS:
        if options.only in name:
            results["counts"][name] = count(name, program, words, expected, options)
            write_results(results, options)
    return 0 if all(is_right(entry) for entry in results["counts"].values()) else 1


def overhead_all(options):
    results = read_results(options)
    for name, program, words, numbers, names, flags in OVERHEADS:
        if options.only in name:
            entry = compared(program, words, numbers, options, *flags)
            if "error" not in entry:
                results["overhead"][name] = dict(zip([*names, "process_seconds"], entry))
            write_results(results, options)
    return 0


def show(options):
    results = json.loads(options.results.read_text())
    print(f"{'program':20} {'ncu':>7} {'itself':>7} {'recorded':>9} {'samples':>12} {'lost':>8}")
    for name, entry in results["counts"].items():
        mark = "" if is_right(entry) else "  differs"
        ncu, itself = ("-" if entry[key] is None else entry[key] for key in ("ncu", "expected"))
        print(
            f"{name:20} {ncu:>7} {itself:>7} {entry['recorded']:>9} {entry['samples']:>12,}"
            f" {entry['samples_lost']:>8,}{mark}"
        )
    print(f"\n{'overhead':20} {'measure':>16} {'alone':>10} {'recorded':>10}")
    for name, entry in results["overhead"].items():
        for number, values in entry.items():
            print(
                f"{name:20} {number:>16} {values['alone']:>9.4f}s {values['recorded']:>9.4f}s"
                f" {100 * values['overhead']:>7.1f} %"
            )
    return 0


def main():
    options = arguments()
    work = {
        "build": build,
        "count": count_all,
        "overhead": overhead_all,
        "show": show,
    }
    return work[options.what](options)


if __name__ == "__main__":
    sys.exit(main())
