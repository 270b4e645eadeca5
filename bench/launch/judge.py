"""Every chooser at every judged size: the time of its shape against the optimum."""

import concurrent.futures
import dataclasses
import math

from .choosers import CannotChoose

GOOD = 0.97


@dataclasses.dataclass
class Case:
    kernel: object
    target: object  # Recorded
    chooser: str
    shape: tuple | None
    time_us: float
    problem: str = ""

    @property
    def share(self):
        """Of the optimum that is reached: 1 is the best shape."""
        return self.target.optimum_us / self.time_us


def judge_one(kernel, target, trained, name, choose):
    """A shape that could not be launched, or none, counts as the slowest one."""
    try:
        shape = choose(kernel, trained, target)
    except CannotChoose as problem:
        return Case(kernel, target, name, None, target.slowest_us, str(problem))
    if shape not in target.times:
        return Case(kernel, target, name, shape, target.slowest_us, "not a shape that works at this size")
    return Case(kernel, target, name, shape, target.times[shape])


def judge(kernels, choosers, training=None, jobs=1):
    """{chooser: [Case]}. `training` is {kernel name: [Recorded]}; default: what was measured at the trained
    sizes."""

    def judge_kernel(kernel):
        trained = kernel.trained if training is None else training.get(kernel.name, [])
        return [
            judge_one(kernel, target, trained, name, choose)
            for name, choose in choosers.items()
            for target in kernel.judged
        ]

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        cases = [case for found in pool.map(judge_kernel, kernels) for case in found]
    return {name: [case for case in cases if case.chooser == name] for name in choosers}


def emulated_training(kernels, emulated):
    """{kernel name: [Recorded]}: what the emulator predicts at the trained sizes."""
    training = {}
    for kernel in kernels:
        known = emulated.get(kernel.name)
        found = [known.at(trained.size) for trained in kernel.trained] if known else []
        training[kernel.name] = [recorded for recorded in found if recorded is not None]
    return training


@dataclasses.dataclass
class Summary:
    cases: int
    mean: float  # geometric, of the shares of the optimum
    worst: Case
    good: float  # the share of cases that reach GOOD
    failed: int  # cases without a shape that works


def summary(cases):
    """None if there are no cases."""
    if not cases:
        return None
    shares = [case.share for case in cases]
    return Summary(
        len(cases),
        math.exp(sum(math.log(share) for share in shares) / len(shares)),
        min(cases, key=lambda case: case.share),
        sum(share >= GOOD for share in shares) / len(shares),
        sum(bool(case.problem) for case in cases),
    )
