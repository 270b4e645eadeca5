"""Sweeps: does the model rank the block shapes as the GPU does, and how good is its choice?"""

import dataclasses
import statistics

from . import figures
from .holdout import held_out
from .predict import predict_all
from .sweeps import launch_of, name_of, shapes

WORTHWHILE = 1.3  # a sweep whose slowest and fastest shape differ by less says nothing


@dataclasses.dataclass
class Choice:
    sweep: str
    kernel: str
    range: float  # slowest over fastest, measured
    spearman: float | None
    chosen: str  # the shape predicted best; "" where there is none
    best: str  # the shape measured best
    efficiency: float  # the best's time over the chosen one's, both measured
    problem: str = ""

    @property
    def group(self):
        return "held out" if held_out(self.kernel) else "tuning"

    @property
    def counts(self):
        return self.range >= WORTHWHILE and not self.problem


def measured_times(entry):
    """{shape: microseconds}; those measured again in turn by the median of all rounds."""
    times = {shape: time_us for shape, (time_us, _) in entry["shapes"].items()}
    times.update({shape: statistics.median(rounds) for shape, rounds in entry["best"].items()})
    return times


def choose(sweep, measured, predicted):
    """Both are {shape: microseconds}, of the same shapes."""
    names = list(measured)
    chosen = min(names, key=lambda name: predicted[name])
    best = min(names, key=lambda name: measured[name])
    return Choice(
        sweep.name,
        sweep.kernel,
        max(measured.values()) / measured[best],
        figures.spearman([predicted[n] for n in names], [measured[n] for n in names]),
        chosen,
        best,
        measured[best] / measured[chosen],
    )


def choose_all(sweeps, results, options):
    """[Choice] of the sweeps that were measured, and all predictions."""
    wanted = [
        sweep
        for sweep in sweeps
        if "shapes" in results.launches.get(sweep.name, {})
        and (options.all or not held_out(sweep.kernel))
    ]
    work = [(launch_of(sweep, shape), []) for sweep in wanted for shape in shapes()]
    predictions = predict_all(work, options)
    told = iter(predictions)
    choices = []
    for sweep in wanted:
        measured = measured_times(results.launches[sweep.name])
        found = {name_of(shape): next(told) for shape in shapes()}
        predicted = {shape: p.time_us for shape, p in found.items()}
        missing = [shape for shape, time_us in predicted.items() if time_us is None]
        if missing:
            problem = f"{missing[0]}: {found[missing[0]].problem}"
            best = min(measured, key=measured.get)
            reach = max(measured.values()) / measured[best]
            choices.append(Choice(sweep.name, sweep.kernel, reach, None, "", best, 0.0, problem))
        else:
            choices.append(choose(sweep, measured, predicted))
    return choices, predictions
