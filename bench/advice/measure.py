"""The pairs on a GPU: both kernels of each timed in turn, their results compared, the slow ones sampled.

Everything is written as it comes, and what is there is not measured again, so that a run may be
killed and be taken up.
"""

import json
import pathlib
import sqlite3
import statistics
import subprocess
import tempfile

from accuracy.measure import Clock, Symbols, ask, note_machine, text_of
from common import buffers
from common.worker import Worker, request
from exactness.record import toolkit

ROUNDS, LAUNCHES = 3, 10  # slow and fixed in turn, so many timed launches each time
LIMIT_SECONDS = 60
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLED_US = 1500  # so long a slow kernel is sampled, over several launches


def summary(times):
    quarters = statistics.quantiles(times, n=4, method="inclusive")
    return {
        "us": round(statistics.median(times), 3),
        "quartiles_us": [round(quarters[0], 3), round(quarters[2], 3)],
    }


def identity(pair, options):
    """What was measured: another launch or another cubin of that name is measured anew."""
    if pair.program:
        return {"program": buffers.digest(pair.program.read_bytes())}
    both = (pair.slow, pair.fixed)
    return {
        "launches": [text_of(launch) for launch in both],
        "cubins": [buffers.digest((options.cubins / launch.cubin).read_bytes()) for launch in both],
    }


def is_current(entry, pair, options):
    return entry is not None and "error" not in entry and entry["of"] == identity(pair, options)


def caches_of(launch):
    return launch.notes.get("caches", "cold")


def asked(worker, launch, symbols, options, **more):
    result = ask(worker, launch, symbols, options, repeats=1, caches=caches_of(launch), **more)
    if isinstance(result, str):
        raise ValueError(f"{launch.name}: {result}")
    return result


def outputs(worker, launch, symbols, options, folder):
    asked(worker, launch, symbols, options, launches=0, outputs=folder)
    return {i: pathlib.Path(folder, f"{i}.bin").read_bytes() for i in launch.buffers}


def compare(worker, pair, symbols, options):
    """Whether both kernels leave the same: 'equal', 'tolerance' with the error, or how they differ."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        left = outputs(worker, pair.slow, symbols, options, one)
        right = outputs(worker, pair.fixed, symbols, options, other)
    told = []
    for i, data in left.items():
        entry = buffers.keep(data, pair.slow, i)
        verdict, detail = buffers.compare(right[i], entry, pair.slow, i)
        if verdict == "NO":
            return detail
        if verdict != "equal":
            told.append(detail)
    return "; ".join(told) or "equal"


def measure_launches(worker, pair, symbols, results, options):
    entry = {"rule": pair.rule, "of": identity(pair, options), "caches": caches_of(pair.slow)}
    entry["same"] = compare(worker, pair, symbols, options)
    times = ([], [])
    for turn in range(ROUNDS):
        for launch, found in zip((pair.slow, pair.fixed), times):
            more = {"warm_up_ms": 30 if turn == 0 else 5}
            result = asked(worker, launch, symbols, options, outputs="", launches=LAUNCHES, **more)
            found.extend(result["times_us"])
    entry["slow"], entry["fixed"] = summary(times[0]), summary(times[1])
    note_machine(results, result)
    return entry


def run_program(pair, options, *words):
    command = [options.programs / pair.program.stem, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0:
        raise ValueError(f"{pair.name}: {done.stderr.strip()}")
    return json.loads(done.stdout) if done.stdout else {}


def measure_program(pair, options):
    times = [run_program(pair, options, "time") for _ in range(3)]
    difference = run_program(pair, options, "compare")["largest_difference"]
    entry = {"rule": pair.rule, "of": identity(pair, options), "caches": "as left"}
    entry["same"] = "equal" if difference == 0 else f"off by {difference:.2g}"
    for kind in ("slow", "fixed"):
        entry[kind] = {"us": round(statistics.median(each[f"{kind}_us"] for each in times), 2)}
    return entry


def measure_times(pairs, results, options, clock):
    worker, symbols = Worker(options.burin), Symbols(options)
    left = 0
    try:
        for pair in pairs:
            if is_current(results.launches.get(pair.name), pair, options):
                continue
            if clock.left() < 10:
                left += 1
                continue
            try:
                if pair.program:
                    entry = measure_program(pair, options)
                else:
                    entry = measure_launches(worker, pair, symbols, results, options)
                entry["speedup"] = round(entry["slow"]["us"] / entry["fixed"]["us"], 4)
            except (ValueError, OSError, subprocess.SubprocessError) as problem:
                entry = {"rule": pair.rule, "error": str(problem)}
            results.launches[pair.name] = entry
            results.write()
            print(pair.rule, pair.name, told(entry), flush=True)
    finally:
        worker.close()
    return left


def measure_roofline(launches, results, options):
    """The times of the launches near the roofline, kept beside the pairs."""
    worker, symbols = Worker(options.burin), Symbols(options)
    found = results.content.setdefault("roofline", {})
    try:
        for launch in launches:
            result = asked(worker, launch, symbols, options, outputs="", launches=20)
            found[launch.name] = {"launch": text_of(launch), **summary(result["times_us"])}
            print(launch.name, found[launch.name]["us"], "µs", flush=True)
    finally:
        worker.close()
    results.write()


def told(entry):
    if "error" in entry:
        return entry["error"]
    slow, fixed, speedup = entry["slow"]["us"], entry["fixed"]["us"], entry["speedup"]
    low = " LOW" if speedup < 1.15 else ""
    return f"{slow} µs → {fixed} µs: {speedup:.2f}×{low}; {entry['same']}"


def record(options, capture, command, words=None):
    """Runs a command below `burin record`; raises where there is no capture."""
    recorder = [options.burin, "record", "--period", "12", "--no-stacks", "--force", "-q"]
    done = subprocess.run(
        [*map(str, recorder), "-o", str(capture), "--", *map(str, command)],
        input=words,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    if done.returncode != 0:
        raise ValueError(done.stderr.strip()[-500:])
    print(done.stdout[-1500:], flush=True)


def cut(options, capture, kernel, file):
    command = [options.burin, "cut", f"{capture}:{kernel}", "-o", file, "--strip-memory"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{kernel}: {done.stderr.strip()}", flush=True)


def forget_place(capture, root=ROOT):
    """Names files from the repository's root: where that was on the computer is nobody's business."""
    if not capture.exists():
        return
    database = sqlite3.connect(capture)
    words = [("info", "value"), *(("process", each) for each in ("command", "folder", "settings"))]
    for table, column in words:
        database.execute(f"UPDATE {table} SET {column} = replace({column}, ? || '/', '')", [str(root)])
        database.execute(f"UPDATE {table} SET {column} = replace({column}, ?, '.')", [str(root)])
    database.commit()
    database.execute("VACUUM")  # else the old words stay in unused pages
    database.close()


def sample_all(pairs, results, options):
    """One recording of all slow kernels, each long enough, and then a small capture of each."""
    options.captures.mkdir(parents=True, exist_ok=True)
    symbols, lines = Symbols(options), []
    whole = options.captures / "all.burin"
    singles = [pair for pair in pairs if pair.slow and pair.name in results.launches]
    for pair in singles:
        time_us = results.launches[pair.name].get("slow", {}).get("us", 100)
        count = max(2, min(40, round(SAMPLED_US / time_us)))
        more = {"repeats": 1, "outputs": "", "launches": count, "warm_up_ms": 1}
        cubin = options.cubins / pair.slow.cubin
        symbol = symbols.of(pair.slow)
        lines.append(request(pair.slow, cubin, symbol, caches=caches_of(pair.slow), **more))
    # The worker keeps away from CUPTI, which the recorder has: its own times are not needed here.
    worker = ["env", "BURIN_LIBCUPTI=none", options.burin, "worker"]
    record(options, whole, worker, "\n".join(lines) + "\n")
    for pair in singles:
        cut(options, whole, f"{pair.slow.kernel}#2", options.captures / f"{pair.name}.burin")
    whole.unlink()
    for pair in pairs:
        if pair.program:
            record(
                options,
                options.captures / f"{pair.name}.burin",
                [options.programs / pair.program.stem],
            )
        forget_place(options.captures / f"{pair.name}.burin")


def build_programs(pairs, options):
    options.programs.mkdir(parents=True, exist_ok=True)
    for pair in pairs:
        if pair.program:
            out = options.programs / pair.program.stem
            command = ["nvcc", "-std=c++17", "-arch=sm_90", "-lineinfo", "-o", out, pair.program]
            subprocess.run(command, check=True)


def measure_all(pairs, roofline, results, options):
    clock = Clock(options.seconds)
    results.content["toolkit"] = toolkit()
    build_programs(pairs, options)
    left = 0
    if "times" in options.steps:
        left = measure_times(pairs, results, options, clock)
    if "samples" in options.steps:
        sample_all(pairs, results, options)
    if "roofline" in options.steps:
        measure_roofline(roofline, results, options)
    errors = [name for name, entry in results.launches.items() if "error" in entry]
    print(f"{len(results.launches)} pairs, {len(errors)} with an error; {left} left for next time")
    return 1 if left or errors else 0
