"""How long `burin advise` takes on each naive kernel, on two cores. The compiler's time is not counted: the kernel is in
burin's cache by then. Prints times alone, so the held-out half may be among them.

    kernel                   wall s  CPU s
    prefix_sum_rows             4.1    7.7
"""

import os
import subprocess
import sys
import time

from paths.cases import burin_options

GOAL_SECONDS = 5
CORES = 2


def timed(command, cores):
    """Wall and CPU seconds of a command on these cores; None where it fails."""
    before, began = os.times(), time.monotonic()
    done = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    wall, after = time.monotonic() - began, os.times()
    if done.returncode != 0:
        print(f"{command[2]}: {done.stderr.strip()[:300]}", file=sys.stderr)
        return None
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return wall, used


def print_speed(cases, burin):
    """A row per kernel, the slowest first; the exit status says whether all are within the goal."""
    cores = set(sorted(os.sched_getaffinity(0))[:CORES])
    rows, failed = [], []
    for case in cases:
        naive = next(version for version in case.versions if version.name == "naive")
        launch = [naive.source, *burin_options(case, naive), "--machine", "h200", "-q"]
        timed([burin, "predict", *launch], cores)  # compiles it
        taken = timed([burin, "advise", *launch, "--threads", CORES], cores)
        if taken is None:
            failed.append(case.name)
        else:
            rows.append((case.name, *taken))
    rows.sort(key=lambda row: -row[1])
    print(f"{'kernel':24} wall s  CPU s")
    for name, wall, used in rows:
        print(f"{name:24} {wall:6.1f} {used:6.1f}")
    slow = [name for name, wall, _ in rows if wall > GOAL_SECONDS]
    print(f"above {GOAL_SECONDS} s: {len(slow)} of {len(rows)}{': ' + ', '.join(slow) if slow else ''}")
    return 1 if slow or failed else 0
