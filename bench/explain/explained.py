"""`burin explain` and `burin predict` on many launches, each in a process of its own."""

import concurrent.futures
import dataclasses
import json
import os

from accuracy.predict import run


@dataclasses.dataclass
class Answer:
    content: dict | None  # what --json told
    problem: str  # why there is none
    cpu_seconds: float  # burin's own, of all its threads: other programs may run beside it
    seconds: float  # that one waits, longer where they do

    @property
    def time_us(self):
        return self.content["time_us"] if self.content else None

    @property
    def bottleneck(self):
        """(resource, mode, share of the time), or None."""
        if not self.content or "bottleneck" not in self.content:
            return None
        found = self.content["bottleneck"]
        return found["resource"], found["mode"], found["share"]


def ask(command, launch, machine, options, more=()):
    words = [options.burin, command, options.cubins / launch.cubin, "--kernel", launch.kernel]
    words += [*launch.options, "--machine", machine, "--json", *more]
    status, text, said, seconds, usage = run(words, options.limit)
    content, problem = None, ""
    if status is None:
        problem = f"no end in {options.limit:g} seconds"
    elif status != 0:
        problem = said.splitlines()[-1] if said else f"exit status {status}"
    else:
        try:
            content = json.loads(text)
        except ValueError as wrong:
            problem = f"its JSON is not understood: {wrong}"
    return Answer(content, problem, usage.ru_utime + usage.ru_stime, seconds)


@dataclasses.dataclass
class Told:
    """What burin says of a launch."""

    predicted: Answer
    explained: Answer

    @property
    def time_us(self):
        return self.predicted.time_us

    @property
    def named(self):
        """'dram throughput 58 %', or why not."""
        found = self.explained.bottleneck
        if found is None:
            return self.explained.problem or "-"
        return f"{found[0]} {found[1]} {100 * found[2]:.0f} %"


def tell(launch, options, machine="h200"):
    more = [] if options.regions else ["--no-regions"]
    return Told(
        ask("predict", launch, machine, options), ask("explain", launch, machine, options, more)
    )


def tell_all(work, options):
    """[Told] for [(launch, machine)], in order."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        return list(pool.map(lambda item: tell(item[0], options, item[1]), work))
