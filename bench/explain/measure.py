"""The launches on the GPU: times as in accuracy.py, and ncu's counters as evidence.

Everything is written as it comes, and what is there is not measured again.
"""

from accuracy import measure
from exactness.record import toolkit

from . import metrics
from .lists import all_doubled, all_launches

SECONDS = 500  # then the rest is for next time


def counted(lists):
    """The launches whose counters are kept: all but the contraction's first and last versions."""
    return [
        launch for launch in all_launches(lists) if not launch.name.endswith(("/first", "/last"))
    ]


def measure_all(lists, results, options):
    clock, symbols = measure.Clock(options.seconds or SECONDS), measure.Symbols(options)
    results.content["toolkit"] = toolkit()
    launches = all_launches(lists) + all_doubled(lists)
    current = {launch.name for launch in launches}
    for name in [name for name in results.launches if name not in current]:
        del results.launches[name]
    left = 0
    if "times" in options.steps:
        left += measure.measure_times(launches, results, symbols, options, clock)
    if "counters" in options.steps:
        left += measure.measure_counters(
            counted(lists), results, symbols, options, clock, metrics.metric_names()
        )
    results.write()
    errors = [name for name, entry in results.launches.items() if "error" in entry]
    print(f"{len(results.launches)} launches, {len(errors)} with an error; {left} left for next time")
    return 1 if left or errors else 0
