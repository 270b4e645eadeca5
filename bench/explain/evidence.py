"""Whether the counters prove that a launch is bound as its list says.

A launch is bound by a resource's throughput where that resource was full and no other was fuller (DRAM,
whose peak no program reaches, where it was nearly full and all others nearly empty); by its latency where nothing was full, warps waited for what it delays, and twice as many warps took hardly
longer. What ncu has no count of (fetch, dispatch, barrier) is proven by the rest being empty and by what
warps waited for. So are atomics on a few words: ncu's counts of the L2 cache are means over its slices,
of which one or a few do all the work.
"""

import dataclasses

from .lists import doubled, expected

FULL = 80  # per cent from which a resource counts as full
NEARLY = 70  # … for DRAM, where all others are below half of EMPTY
EMPTY = 60  # below which it does not bound
ATOMICS_WAIT = ("lg_throttle", "drain", "long_scoreboard")  # of warps whose atomics queue at a slice
LONGER = 1.25  # of the time with twice the warps, where a latency bounds

# Which counters tell how full a resource is: the largest of them counts.
COUNTERS_OF = {
    "fma": ("fma", "fmaheavy"),
    "tensor": ("tensor", "tensor_hmma", "tensor_dmma"),
    "lsu": ("lsu", "lsu_in"),
    "l1": ("l1", "l1_any", "l1_tags"),
    "l2": ("l2", "l2_any"),
}
# Counters that another resource fills too: a shuffle passes the data stage of shared memory, and what
# shared memory or DRAM moves also passes L1 or the L2 cache.
FILLED_BY = {
    "lsu": {"shared", "l1"},
    "shared": {"l1"},
    "dram": {"l2"},
}
# What warps wait for where a resource's latency, or a rate that ncu does not count, bounds them.
STALLS_OF = {
    "fma": ("wait",),
    "alu": ("wait",),
    "fp64": ("wait",),
    "uniform": ("wait",),
    "tensor": ("wait",),
    "xu": ("short_scoreboard", "wait"),
    "shared": ("short_scoreboard",),
    "lsu": ("short_scoreboard",),
    "constant": ("short_scoreboard",),
    "l1": ("long_scoreboard",),
    "l2": ("long_scoreboard",),
    "dram": ("long_scoreboard",),
    "barrier": ("barrier",),
    "fetch": ("no_instruction",),
}
UNCOUNTED = {"fetch", "dispatch", "barrier"}


@dataclasses.dataclass
class Evidence:
    proven: bool
    words: str


def fullness(counters):
    """{resource: per cent of what it sustains}, of those that ncu counts."""
    full = counters["full"]
    resources = {}
    for resource in "issue fma alu fp64 xu tensor uniform lsu shared l1 l2 dram constant".split():
        values = [full[name] for name in COUNTERS_OF.get(resource, (resource,)) if name in full]
        if values:
            resources[resource] = max(values)
    return resources


def stall_shares(counters):
    """{reason: share of the time of warps}; to issue is one of them."""
    total = sum(counters["stalls"].values())
    return {reason: value / total for reason, value in counters["stalls"].items()}


def by_throughput(resource, counters):
    full = fullness(counters)
    shares = stall_shares(counters)
    others = {name: value for name, value in full.items() if name != resource}
    for name in FILLED_BY.get(resource, ()):
        others.pop(name, None)
    second = max(others, key=others.get)
    if resource == "l2" and max(full.values()) < EMPTY / 2:
        waiting = sum(shares[reason] for reason in ATOMICS_WAIT)
        words = f"no unit full ({second} {others[second]:.0f} %)"
        return Evidence(waiting > 0.8, f"{words}, {' + '.join(ATOMICS_WAIT)} {100 * waiting:.0f} %")
    if resource not in UNCOUNTED:
        proven = full[resource] >= FULL and others[second] < full[resource]
        if resource == "dram" and others[second] < EMPTY / 2:
            proven = proven or full[resource] >= NEARLY
        words = f"{resource} {full[resource]:.0f} % full, then {second} {others[second]:.0f} %"
        return Evidence(proven, words)
    proven = others[second] < EMPTY
    words = f"no unit full ({second} {others[second]:.0f} %)"
    for reason in STALLS_OF.get(resource, ()):
        proven = proven and shares[reason] == max(shares.values())
        words += f", {reason} {100 * shares[reason]:.0f} %"
    return Evidence(proven, words)


def by_latency(resource, counters, longer):
    full = fullness(counters)
    shares = stall_shares(counters)
    fullest = max(full, key=full.get)
    reasons = STALLS_OF[resource]
    waiting = sum(shares[reason] for reason in reasons)
    proven = full[fullest] < EMPTY and waiting > 0.5 and longer is not None and longer < LONGER
    words = f"{' + '.join(reasons)} {100 * waiting:.0f} %, {fullest} {full[fullest]:.0f} % full"
    if longer is not None:
        words += f", twice the warps {longer:.2f}×"
    if resource in ("l1", "l2", "dram"):
        l1 = counters["l1_hits"] / counters["l1_sectors"]
        l2 = counters["l2_sm_hits"] / counters["l2_sm_sectors"]
        words += f", hits L1 {100 * l1:.0f} % L2 {100 * l2:.0f} %"
        level = "l1" if l1 > 0.5 else "l2" if l2 > 0.5 else "dram"
        proven = proven and level == resource
    return Evidence(proven, words)


def evidence_of(launch, results):
    """None where the launch was not counted."""
    entry = results.launches.get(launch.name, {})
    if "counters" not in entry:
        return None
    resource, mode = expected(launch)
    if mode == "throughput":
        return by_throughput(resource, entry["counters"])
    twice = results.launches.get(doubled(launch).name, {}).get("cold")
    longer = twice["us"] / entry["cold"]["us"] if twice else None
    return by_latency(resource, entry["counters"], longer)
