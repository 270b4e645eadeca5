"""pairs.txt: kernels with one planted inefficiency each, and what mends it.

    pair RULE NAME
    held-out                no rule is tuned by this pair; it is looked at in summary only
    no-samples              its samples are not kept: they would be large, or the pair came late
    planted TEXT            lines of the slow kernel's source that hold TEXT; `launch`: no line, but how
                            it is launched
    slow LAUNCH             in the format of corpus/launches.txt, without the name in front
    fixed LAUNCH

Two programs of several launches each stand in place of slow and fixed where that is what costs time:

    program FILE            bench/advice/FILE, which runs the slow sequence, and with `fixed` the fixed one
"""

import dataclasses
import pathlib

from common.launches import BadLaunch, Launch, parse


@dataclasses.dataclass
class Pair:
    rule: str
    name: str
    held_out: bool = False
    has_samples: bool = True
    planted: list = dataclasses.field(default_factory=list)  # texts
    slow: Launch | None = None
    fixed: Launch | None = None
    program: pathlib.Path | None = None
    place: str = ""

    @property
    def source(self):
        return self.slow.source if self.slow else self.program

    @property
    def on_launch(self):
        """Whether the launch is at fault rather than a line."""
        return self.planted == ["launch"]

    def lines(self):
        """The numbers of the planted lines."""
        text = self.source.read_text(encoding="utf-8").splitlines()
        return {
            number
            for number, line in enumerate(text, 1)
            if any(planted in line for planted in self.planted)
        }


def read_pairs(file, kernels):
    """The pairs of a list; the sources of its launches are named from the folder `kernels`."""
    pairs = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        place = f"{file}:{number}"
        if not word or word.startswith("#"):
            continue
        if word == "pair":
            rule, name = rest.split()
            pairs.append(Pair(rule, name, place=place))
        elif not pairs:
            raise BadLaunch(f"{place}: a pair begins with 'pair RULE NAME'")
        elif word == "held-out":
            pairs[-1].held_out = True
        elif word == "no-samples":
            pairs[-1].has_samples = False
        elif word == "planted":
            pairs[-1].planted.append(rest.strip())
        elif word == "program":
            pairs[-1].program = file.parent / rest.strip()
        elif word in ("slow", "fixed"):
            launch = parse(f"{pairs[-1].name}/{word} {rest}", kernels, place)
            setattr(pairs[-1], word, launch)
        else:
            words = "pair, held-out, no-samples, planted, slow, fixed or program"
            raise BadLaunch(f"{place}: '{word}' is not {words}")
    return check(pairs)


def check(pairs):
    names = set()
    for pair in pairs:
        if pair.name in names:
            raise BadLaunch(f"{pair.place}: there are two pairs {pair.name}")
        names.add(pair.name)
        if pair.program is None and (pair.slow is None or pair.fixed is None):
            raise BadLaunch(f"{pair.place}: {pair.name} lacks a slow or a fixed launch")
        if not pair.planted or (not pair.on_launch and not pair.lines()):
            raise BadLaunch(f"{pair.place}: no line of {pair.source} holds what {pair.name} plants")
    return pairs


def launches_of(pairs):
    return [launch for pair in pairs if pair.slow for launch in (pair.slow, pair.fixed)]
