"""followed.txt: findings that somebody followed, and what that gained on the GPU.

    part NAME                          of the entries that follow
    followed RULE PROMISE KERNEL/N     the finding and the speedup that it promised; `missed` and `mine`: a
                                       change that no finding named, with the speedup that burin predicts
    before LAUNCH                      in the format of corpus/launches.txt, without the name in front
    after LAUNCH

Sources are those of kernels.tar.xz (scripts/corpus.py).
"""

import dataclasses
import pathlib
import statistics

from advice.measure import measure_times
from advice.pairs import Pair
from common import build
from common.corpus import unpacked
from common.launches import BadLaunch, parse
from exactness.record import toolkit

FOLDER = pathlib.Path(__file__).resolve().parent
KINDS = {"before": "slow", "after": "fixed"}
UNADVISED = ("missed", "mine")


@dataclasses.dataclass
class Followed(Pair):
    promise: float = 1.0
    part: str = ""

    @property
    def is_first(self):
        """Whether it was the kernel's first finding: the first entry of its kernel."""
        return self.name.endswith("/1") and self.rule not in UNADVISED


def read_followed(file=FOLDER / "followed.txt"):
    found, kernels, part = [], unpacked("audit"), ""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        place = f"{file}:{number}"
        if not word or word.startswith("#"):
            continue
        if word == "part":
            part = rest
        elif word == "followed":
            rule, promise, name = rest.split()
            found.append(Followed(rule, name, place=place, promise=float(promise), part=part))
        elif word in KINDS and found:
            launch = parse(f"{found[-1].name}/{word} {rest}", kernels, place)
            setattr(found[-1], KINDS[word], launch)
        else:
            raise BadLaunch(f"{place}: '{word}' is not part, followed, before or after")
    return found


def measure(followed, results, options, clock):
    build.compile_all([launch for one in followed for launch in (one.slow, one.fixed)], options)
    results.content["toolkit"] = toolkit()
    return measure_times(followed, results, options, clock)


def print_table(followed, results):
    """What was promised and what was gained, of every finding that was followed."""
    print(f"{'kernel':24} {'rule':28} {'promised':>8} {'gained':>8}")
    gains = {}  # [(entry, gain)] by part
    for one in followed:
        entry = results.launches.get(one.name, {"error": "not measured"})
        if "error" in entry:
            print(f"{one.name:24} {one.rule:28} {one.promise:7.2f}x  {entry['error']}")
            continue
        promised = "       -" if one.rule in UNADVISED else f"{one.promise:7.2f}x"
        note = "" if entry["same"] == "equal" else f"  {entry['same']}"
        print(f"{one.name:24} {one.rule:28} {promised} {entry['speedup']:7.2f}x{note}")
        if one.rule not in UNADVISED:
            gains.setdefault(one.part, []).append((one, entry["speedup"]))
    for part, measured in gains.items():
        errors = [abs(one.promise - gain) / gain for one, gain in measured]
        firsts = [(one, gain) for one, gain in measured if one.is_first]
        of_firsts = [abs(one.promise - gain) / gain for one, gain in firsts]
        print(
            f"\n{part}: {len(firsts)} first findings, median error of the promise "
            f"{100 * statistics.median(of_firsts):.1f} %, {sum(gain > 1.02 for _, gain in firsts)} gain, "
            f"{sum(gain < 0.98 for _, gain in firsts)} lose time; all {len(measured)} findings: "
            f"{100 * statistics.median(errors):.1f} %, {sum(gain < 0.98 for _, gain in measured)} lose"
        )
