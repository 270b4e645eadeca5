"""The tables of bench/launch.py."""

from .judge import GOOD, summary
from .spaces import shape_text, size_text


def groups(kernels):
    """(title, kernels) of the held-out kernels and of the others."""
    for title, side in (("held out", True), ("tuning", False)):
        mine = [kernel for kernel in kernels if kernel.held_out == side]
        if mine:
            yield title, mine


def of_kernels(cases, kernels):
    names = {kernel.name for kernel in kernels}
    return [case for case in cases if case.kernel.name in names]


def print_summaries(title, kernels, judged):
    cases = sum(len(kernel.judged) for kernel in kernels)
    print(f"\n{title}: {len(kernels)} kernels, {cases} cases")
    print(f"{'':22}{'mean':>7}{'worst':>7}{f'≥ {GOOD}':>8}{'failed':>8}  worst case")
    for name, all_cases in judged.items():
        found = summary(of_kernels(all_cases, kernels))
        if found is None:
            continue
        worst = found.worst
        place = f"{worst.kernel.name} {size_text(worst.target.size)}" if worst.share < 1 else "–"
        print(f"{name:22}{found.mean:7.3f}{worst.share:7.3f}{found.good:8.0%}{found.failed:8}  {place}")


def print_cases(title, kernels, cases):
    """As Table 6.1 of the KLARAPTOR thesis, with the slowest shape of its Fig. 1.1."""
    mine = of_kernels(cases, kernels)
    if not mine:
        return
    print(f"\n{title}, {mine[0].chooser}, times in ms")
    print(f"{'':20}{'size':32}{'chosen':>12}{'shape':>12}{'optimal':>12}{'shape':>12}{'slowest':>12}{'share':>8}")
    previous = None
    for case in mine:
        dimensions = case.kernel.spec.dimensions
        chosen = "–" if case.shape is None else shape_text(case.shape, dimensions)
        print(
            f"{case.kernel.name if case.kernel.name != previous else '':20}{size_text(case.target.size):32}"
            f"{case.time_us / 1000:12.4f}{chosen:>12}"
            f"{case.target.optimum_us / 1000:12.4f}{shape_text(case.target.best, dimensions):>12}"
            f"{case.target.slowest_us / 1000:12.4f}{case.share:8.3f}"
            + (f"  {case.problem}" if case.problem else "")
        )
        previous = case.kernel.name


def print_problems(judged):
    for name, cases in judged.items():
        problems = sorted({case.problem for case in cases if case.problem})
        for problem in problems[:3]:
            count = sum(case.problem == problem for case in cases)
            print(f"{name}: {count} of {len(cases)} cases: {problem}")


def launches_to_repay(case, default_us, fit_seconds):
    """Launches after which the fit has cost less than the default shape; None if the default is as fast."""
    gained_us = default_us - case.time_us
    return 1e6 * fit_seconds / gained_us if gained_us > 0 else None


def print_costs(kernels, cases, seconds):
    """What a fit costs, and when it is repaid, at the largest judged size of each kernel."""
    print("\nfit: processor seconds. search: every shape launched once at every size, seconds. repaid: launches of "
          "the largest\njudged size after which the fit costs less than 32 × 8 (256) would.")
    print(f"{'':20}{'fit':>8}{'search':>10}{'slowest ms':>12}{'chosen ms':>12}{'repaid':>12}")
    for kernel in kernels:
        mine = of_kernels(cases, [kernel])
        if kernel.name not in seconds or not mine:
            continue
        last = max(mine, key=lambda case: case.target.work)
        default = (256, 1, 1) if kernel.spec.dimensions == 1 else (32, 8, 1)
        default_us = last.target.times.get(default, last.target.slowest_us)
        repaid = launches_to_repay(last, default_us, seconds[kernel.name])
        search = sum(sum(recorded.times.values()) for recorded in kernel.recorded) / 1e6
        print(f"{kernel.name:20}{seconds[kernel.name]:8.2f}{search:10.2f}{last.target.slowest_us / 1000:12.4f}"
              f"{last.time_us / 1000:12.4f}{'never' if repaid is None else f'{repaid:,.0f}':>12}")
    known = [seconds[kernel.name] for kernel in kernels if kernel.name in seconds]
    if known:
        print(f"{'most':20}{max(known):8.2f}")


def as_rows(judged):
    """For --json: one dictionary for each case."""
    return [
        {"kernel": case.kernel.name, "held_out": case.kernel.held_out, "size": case.target.size,
         "chooser": case.chooser, "shape": case.shape, "time_us": case.time_us, "best": case.target.best,
         "optimum_us": case.target.optimum_us, "slowest_us": case.target.slowest_us, "share": case.share,
         "problem": case.problem}
        for cases in judged.values()
        for case in cases
    ]
