"""Predicted against measured, launch by launch."""

import dataclasses

from . import figures, roofline
from .holdout import held_out
from .predict import predict_all

SHORT_US = 10  # launches under it stand apart
L2_BYTES = 60 << 20

# Of each model: what `burin predict` is told besides the launch.
MODELS = {
    "ours": lambda rates: [],
    "saake": lambda rates: ["--model", "saake"],
    "saake_l2": lambda rates: ["--model", "saake", "--l2-hit", f"{rates['l2_read'] or 0:.4f}"],
}
ALL_MODELS = [*MODELS, "roofline"]


@dataclasses.dataclass
class Row:
    launch: str
    kernel: str
    measured_us: float
    counters: dict
    times_us: dict  # model: predicted time, None where there is none
    prediction: object  # ours; None where it was not asked for

    @property
    def group(self):
        return "held out" if held_out(self.kernel) else "tuning"

    @property
    def is_short(self):
        return self.measured_us < SHORT_US

    def error(self, model):
        time_us = self.times_us.get(model)
        return None if time_us is None else figures.error(time_us, self.measured_us)


def hit_rates(counters):
    """Measured, of all sectors and of those read; None where a cache was not asked for any."""

    def rate(hits, lookups):
        return hits / lookups if lookups else None

    return {
        "l1": rate(counters["l1_hits"], counters["l1_sectors"]),
        "l2": rate(counters["l2_sm_hits"], counters["l2_sm_sectors"]),
        "l2_read": rate(counters["l2_sm_read_hits"], counters["l2_sm_read_sectors"]),
    }


def reason_of(name):
    """A stall's name in one spelling: no_instructions, no_instruction; dispatch_stall, dispatch."""
    return name.lower().removesuffix("_stall").removesuffix("s")


def top_stall(stalls):
    """The reason that most warps wait for; None where nothing stalls."""
    waits = {reason_of(name): share for name, share in stalls.items()}
    waits.pop("selected", None)
    waits.pop("issued", None)
    top = max(waits, key=waits.get, default=None)
    return top if top is not None and waits[top] > 0 else None


def dram_bytes(prediction):
    """(read, write); write is None where they are told together, both where they are not told."""
    if "dram_read_bytes" in prediction:
        return prediction["dram_read_bytes"], prediction["dram_write_bytes"]
    told = prediction.get("dram_bytes")
    if isinstance(told, dict):
        return told["read"], told["write"]
    return told, None


def agreements(row):
    """{what: whether it agrees}, of what both sides tell."""
    content, counters = row.prediction.content, row.counters
    found = {}
    if content is None or not counters:
        return found
    read, write = dram_bytes(content)
    if read is not None:
        measured = counters["dram_read_bytes"] + (
            counters["dram_write_bytes"] if write is None else 0
        )
        found["dram_read"] = figures.within(read, measured, 0.15)
        if write is not None and counters["dram_write_bytes"] > 4 * L2_BYTES:
            found["dram_write"] = figures.within(write, counters["dram_write_bytes"], 0.15)
    rates = hit_rates(counters)
    for level in ("l1", "l2"):
        predicted = content.get(f"{level}_hit_rate")
        if predicted is not None and rates[level] is not None:
            found[level] = abs(predicted - rates[level]) <= 0.10
    if content.get("stalls"):
        found["stall"] = top_stall(content["stalls"]) == top_stall(counters["stalls"])
    return found


def is_measured(launch, results):
    """Whether the results tell of this launch as the list has it now."""
    entry = results.launches.get(launch.name, {})
    return "counters" in entry and entry["launch"] == " ".join([launch.kernel, *launch.options])


def compare_all(launches, results, options):
    """[Row] of the launches that were measured."""
    measured = [
        launch
        for launch in launches
        if is_measured(launch, results) and (options.all or not held_out(launch.kernel))
    ]
    asked = [model for model in options.models if model in MODELS]
    work = []
    for launch in measured:
        rates = hit_rates(results.launches[launch.name]["counters"])
        state = ["--warm"] if options.caches == "warm" else []
        work += [(launch, [*MODELS[model](rates), *state]) for model in asked]
    predictions = iter(predict_all(work, options))
    rows = []
    for launch in measured:
        entry = results.launches[launch.name]
        told = {model: next(predictions) for model in asked}
        times = {model: prediction.time_us for model, prediction in told.items()}
        if "roofline" in options.models:
            times["roofline"] = roofline.time_us(entry["counters"])
        rows.append(
            Row(
                launch.name,
                launch.kernel,
                entry[options.caches]["us"],
                entry["counters"],
                times,
                told.get("ours"),
            )
        )
    return rows
