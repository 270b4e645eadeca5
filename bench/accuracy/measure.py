"""The launches and sweeps on the GPU: times with cold and warm caches, the clock, and counters.

Everything is written as it comes, and what is there is not measured again, so that a run may be
killed, or end by `--seconds`, and be taken up. Of the held-out kernels no time is printed.
"""

import datetime
import statistics
import time

from common.buffers import digest
from common.build import cubins_of
from common.worker import Worker, request
from exactness.record import symbol_of, toolkit

from . import counters
from .holdout import held_out
from .sweeps import launch_of, name_of, shapes

LIMIT_SECONDS = 60
BATCH = 40  # launches below one ncu
BEST, ROUNDS = 5, 3  # shapes of a sweep that are measured again in turn, and how often


class Clock:
    """Tells when the time of this run is over."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds

    def left(self):
        return self.end - time.monotonic()


def text_of(launch):
    return " ".join([launch.kernel, *launch.options])


def summary(result):
    """Median and quartiles in microseconds, and the clock in MHz."""
    times = result["times_us"]
    quarters = statistics.quantiles(times, n=4, method="inclusive")
    return {
        "us": round(statistics.median(times), 3),
        "quartiles_us": [round(quarters[0], 3), round(quarters[2], 3)],
        "clock_mhz": round(statistics.median(result["clock_mhz"] or [0])),
    }


def is_current(entry, launch, options):
    """Whether the entry tells of this launch of this cubin."""
    return (
        entry is not None
        and "error" not in entry
        and entry["launch"] == text_of(launch)
        and entry["cubin_hash"] == digest((options.cubins / launch.cubin).read_bytes())
    )


def new_entry(launch, options):
    return {
        "launch": text_of(launch),
        "cubin_hash": digest((options.cubins / launch.cubin).read_bytes()),
    }


class Symbols:
    """The kernels' names in the symbol tables, each asked for once."""

    def __init__(self, options):
        self.options = options
        self.known = {}

    def of(self, launch):
        key = (launch.cubin, launch.kernel)
        if key not in self.known:
            self.known[key] = symbol_of(launch, self.options)
        return self.known[key]


def ask(worker, launch, symbols, options, **more):
    """What the worker answers, or a sentence. Events around a kernel time 3 µs too much: no answer."""
    line = request(launch, options.cubins / launch.cubin, symbols.of(launch), **more)
    result = worker.ask(line, LIMIT_SECONDS)
    if not isinstance(result, str) and result["times_us"] and result["timer"] != "cupti":
        return f"the GPU's own stamps did not come: {result['timer_note']}"
    return result


def note_machine(results, result):
    results.content["gpu"] = result["gpu"]
    results.content["driver"] = result["driver"]
    results.content["timer"] = result["timer"]
    results.content["date"] = datetime.date.today().isoformat()


def measure_one(worker, launch, symbols, results, options):
    entry = new_entry(launch, options)
    for caches, warm_up_ms in (("cold", 50), ("warm", 10)):
        result = ask(
            worker,
            launch,
            symbols,
            options,
            repeats=1,
            outputs="",
            launches=options.launches,
            caches=caches,
            warm_up_ms=warm_up_ms,
            keep_buffers=True,
        )
        if isinstance(result, str):
            results.launches[launch.name] = {**new_entry(launch, options), "error": result}
            print(f"{launch.name}: {result}", flush=True)
            return
        entry[caches] = summary(result)
    entry["runs"] = options.launches
    note_machine(results, result)
    results.launches[launch.name] = entry
    shown = "held out" if held_out(launch.kernel) else f"{entry['cold']['us']} µs"
    print(f"{launch.name}: {shown}", flush=True)


def measure_times(launches, results, symbols, options, clock):
    left_over = 0
    for group in cubins_of(launches).values():
        todo = [l for l in group if not is_current(results.launches.get(l.name), l, options)]
        worker = Worker(options.burin)
        try:
            for launch in todo:
                if clock.left() < 10:
                    left_over += 1
                else:
                    measure_one(worker, launch, symbols, results, options)
        finally:
            worker.close()
        if todo:
            results.write()
    return left_over


def measure_sweep(worker, sweep, symbols, options):
    """The entry of a sweep: every shape once, then the best ones in turn."""
    entry = {**new_entry(sweep, options), "runs": options.launches, "shapes": {}, "best": {}}

    def median_of(shape):
        result = ask(
            worker,
            launch_of(sweep, shape),
            symbols,
            options,
            repeats=1,
            outputs="",
            launches=options.launches,
            warm_up_ms=5,
            keep_buffers=True,
        )
        if isinstance(result, str):
            raise ValueError(f"{sweep.name} as {name_of(shape)}: {result}")
        return summary(result), result

    for shape in shapes():
        found, result = median_of(shape)
        low, high = found["quartiles_us"]
        entry["shapes"][name_of(shape)] = [found["us"], round(high - low, 3)]
    ordered = sorted(shapes(), key=lambda shape: entry["shapes"][name_of(shape)][0])
    for _ in range(ROUNDS):
        for shape in ordered[:BEST]:
            entry["best"].setdefault(name_of(shape), []).append(median_of(shape)[0]["us"])
    entry["clock_mhz"] = found["clock_mhz"]
    return entry, result


def measure_sweeps(sweeps, results, symbols, options, clock):
    worker = Worker(options.burin)
    left_over = 0
    try:
        for sweep in sweeps:
            if is_current(results.launches.get(sweep.name), sweep, options):
                continue
            if clock.left() < 20:
                left_over += 1
                continue
            began = time.monotonic()
            try:
                entry, result = measure_sweep(worker, sweep, symbols, options)
            except ValueError as problem:
                print(problem, flush=True)
                results.launches[sweep.name] = {**new_entry(sweep, options), "error": str(problem)}
                continue
            note_machine(results, result)
            results.launches[sweep.name] = entry
            results.write()
            print(f"{sweep.name}: {time.monotonic() - began:.1f} s", flush=True)
    finally:
        worker.close()
    return left_over


def measure_counters(launches, results, symbols, options, clock, wanted=None):
    """In batches; where one stops, the launch that stopped it is left out and the rest go on.

    `wanted` has the metrics in place of those of counters.py, {ncu's name: where it goes}.
    """
    wanted = wanted or counters.metric_names()
    todo = [
        launch
        for launch in launches
        if is_current(results.launches.get(launch.name), launch, options)
        and (options.recount or "counters" not in results.launches[launch.name])
    ]
    if not todo:
        return 0
    names = counters.known_names(options.ncu, wanted)
    results.content["unknown_metrics"] = sorted(set(wanted) - set(names))
    while todo and clock.left() > 30:
        batch = todo[:BATCH]
        lines = [
            request(l, options.cubins / l.cubin, symbols.of(l), repeats=1, outputs="", launches=0)
            for l in batch
        ]
        began = time.monotonic()
        entries, words = counters.count(
            lines, options.burin, options.ncu, names, int(clock.left())
        )
        for launch, (kernel, found) in zip(batch, entries):
            if launch.kernel not in kernel:
                raise SystemExit(f"ncu tells of {kernel} where {launch.kernel} was launched")
            results.launches[launch.name]["counters"] = found
        print(f"{len(entries)} launches counted in {time.monotonic() - began:.0f} s", flush=True)
        if len(entries) < len(batch):
            print(f"ncu stopped at {batch[len(entries)].name}: {words}", flush=True)
        results.write()
        todo = todo[len(entries) + (len(entries) < len(batch)) :]
    return len(todo)


def measure_all(launches, sweeps, results, sweep_results, options):
    clock, symbols = Clock(options.seconds), Symbols(options)
    results.content["toolkit"] = sweep_results.content["toolkit"] = toolkit()
    left = 0
    if "times" in options.steps:
        left += measure_times(launches, results, symbols, options, clock)
    if "sweeps" in options.steps:
        left += measure_sweeps(sweeps, sweep_results, symbols, options, clock)
    if "counters" in options.steps:
        try:
            left += measure_counters(launches, results, symbols, options, clock)
        except OSError as problem:
            print(f"{options.ncu}: {problem}")
            left += 1
    errors = [name for name, entry in results.launches.items() if "error" in entry]
    print(f"{len(results.launches)} launches, {len(errors)} with an error; {left} left for next time")
    tell_range(launches, results)
    return 1 if left or errors else 0


def tell_range(launches, results):
    """Which launches are too short or too long, without their times."""
    for launch in launches:
        time_us = results.launches.get(launch.name, {}).get("cold", {}).get("us")
        if time_us is not None and not 10 <= time_us <= 10_000:
            print(f"{launch.name} takes {'under 10 µs' if time_us < 10 else 'over 10 ms'}")
