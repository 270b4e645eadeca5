"""Recorded tuning spaces: T4 and Kernel Tuner's cache files. Times are in milliseconds."""

import dataclasses
import gzip
import hashlib
import json
import statistics


@dataclasses.dataclass
class Configuration:
    parameters: dict
    time_ms: float  # the median of the recorded runs
    spread: float  # of the middle half of the runs, as a share of the median: clocks that move

    @property
    def name(self):
        return ",".join(f"{key}={value}" for key, value in sorted(self.parameters.items()))

    @property
    def number(self):
        """Chooses the sample and the halves: the same on every GPU and every computer."""
        return int(hashlib.sha256(self.name.encode()).hexdigest(), 16)

    @property
    def half(self):
        return "held out" if self.number % 2 else "tuning"


def configuration(parameters, runs):
    """None where nothing was measured."""
    runs = [run for run in runs if isinstance(run, (int, float)) and run > 0]
    if not runs:
        return None
    median = statistics.median(runs)
    quarters = statistics.quantiles(runs, n=4) if len(runs) > 3 else [median] * 3
    return Configuration(parameters, median, (quarters[2] - quarters[0]) / median)


def content(path):
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8")
    with opened as file:
        text = file.read()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        pass
    try:  # a tuner that was interrupted leaves its cache file open
        return json.loads(text.rstrip().rstrip(",") + "}}")
    except json.JSONDecodeError as error:
        raise SystemExit(f"{path} is not JSON: {error}") from None


def read(path):
    """(the GPU's name or None, the configurations that have a time)."""
    record = content(path)
    if "cache" in record:
        keys = record["tune_params_keys"]
        found = [
            configuration({key: entry[key] for key in keys}, entry.get("times") or [entry.get("time")])
            for entry in record["cache"].values()
        ]
        return record.get("device_name"), [each for each in found if each]
    if "results" in record:
        valid = [entry for entry in record["results"] if entry.get("invalidity", "correct") == "correct"]
        found = [configuration(entry["configuration"], entry["times"]["runtimes"]) for entry in valid]
        return None, [each for each in found if each]
    raise SystemExit(f"{path} is neither T4 nor a cache file: it has no results and no cache")


def sample(configurations, size):
    """The first by their number, and the fastest of each half, which may not be among them:
    (configuration, whether it is one of the first)."""
    first = sorted(configurations, key=lambda each: each.number // 2)[:size]
    halves = [[each for each in configurations if each.half == half] for half in ("held out", "tuning")]
    fastest = [min(half, key=lambda each: each.time_ms) for half in halves if half]
    return [(each, True) for each in first] + [(each, False) for each in fastest if each not in first]
