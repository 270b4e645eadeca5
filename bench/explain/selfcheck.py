"""Are the shares that `burin explain` prints the changes that `--what-if` predicts?

Each launch is explained twice, with different seeds: once for the shares, once for the predicted time
under each change, with another step than explain's own. A share and (predicted time / time - 1) / step
should be the same number. Both are held to 0 … 1, as shares are."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import time

from explain.explained import ask

STEP = 0.15  # explain's own is 0.2
SEED = 1
COUNTED = 0.1  # rows of which either number is at least this
NEAR, FAR = 0.1, 0.2


@dataclasses.dataclass
class Row:
    launch: str
    resource: str
    mode: str
    share: float
    by_what_if: float
    uncertainty: float

    @property
    def distance(self):
        return abs(self.share - self.by_what_if)


@dataclasses.dataclass
class Checked:
    """What is found on one launch."""

    rows: list
    cost: float | None  # explain's processor time over predict's
    wait: float | None  # the same by the clock, which other programs on the computer disturb
    problem: str  # why there are no rows


def change_of(row):
    factor = 1 + STEP if row["mode"] == "latency" else 1 / (1 + STEP)
    return f"{row['resource']}.{row['mode']}={factor:.9g}x"


def held(share):
    return min(1.0, max(0.0, share))


def check(launch, machine, options):
    """The rows of one launch, explain's processor time over predict's, and why there are none."""
    predicted = ask("predict", launch, machine, options)
    full = ask("explain", launch, machine, options)
    if not (predicted.content and full.content):
        return Checked([], None, None, predicted.problem or full.problem)
    rows = full.content["sensitivity"]
    changes = [word for row in rows for word in ("--what-if", change_of(row))]
    more = ["--no-regions", "--seed", str(SEED), *changes]
    changed = ask("explain", launch, machine, options, more)
    if not changed.content:
        return Checked([], None, None, changed.problem)
    unchanged = changed.content["time_us"]
    found = []
    for row, predicted_with in zip(rows, changed.content["what_if"]):
        by_what_if = held((predicted_with["time_us"] / unchanged - 1) / STEP)
        if max(row["share"], by_what_if) < COUNTED:
            continue
        found.append(
            Row(
                launch.name,
                row["resource"],
                row["mode"],
                row["share"],
                by_what_if,
                row["uncertainty"],
            )
        )
    cost, wait = full.cpu_seconds / predicted.cpu_seconds, full.seconds / predicted.seconds
    return Checked(found, cost, wait, "")


class Kept:
    """The launches that were checked, in options.json: a run that ends early is taken up by the next."""

    def __init__(self, options):
        self.file = options.json
        self.burin = hashlib.sha256(options.burin.read_bytes()).hexdigest()
        self.launches = {}  # Checked by name
        if self.file and self.file.exists():
            content = json.loads(self.file.read_text(encoding="utf-8"))
            if content.get("burin") == self.burin:
                for name, one in content["launches"].items():
                    rows = [Row(name, *row) for row in one["rows"]]
                    self.launches[name] = Checked(rows, one["cost"], one["wait"], one["problem"])

    def write(self):
        launches = {
            name: {
                "rows": [dataclasses.astuple(row)[1:] for row in one.rows],
                "cost": one.cost,
                "wait": one.wait,
                "problem": one.problem,
            }
            for name, one in self.launches.items()
        }
        content = {"burin": self.burin, "launches": launches}
        self.file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def check_all(launches, machine, options):
    """{name: Checked}: of a run that was out of time, only the launches that it began in time."""
    kept = Kept(options)
    begin = time.monotonic()

    def check_in_time(launch):
        if launch.name in kept.launches:
            return kept.launches[launch.name]
        if options.seconds and time.monotonic() - begin > options.seconds:
            return None
        return check(launch, machine, options)

    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        for launch, checked in zip(launches, pool.map(check_in_time, launches)):
            if checked:
                kept.launches[launch.name] = checked
    if options.json:
        kept.write()
    return {launch.name: kept.launches[launch.name] for launch in launches if launch.name in kept.launches}


def share_within(rows, most):
    return 100 * sum(row.distance <= most for row in rows) / len(rows)


def print_cost(of, costs):
    costs = sorted((cost, name) for name, cost in costs.items() if cost)
    if costs:
        print(
            f"explain takes {costs[len(costs) // 2][0]:.1f} times the {of} time of predict in the "
            f"median, {costs[int(0.95 * len(costs))][0]:.1f} at P95, "
            f"{costs[-1][0]:.1f} at most ({costs[-1][1]})"
        )


def print_check(launches, machine, options):
    checked = check_all(launches, machine, options)
    rows = [row for one in checked.values() for row in one.rows]
    rows.sort(key=lambda row: -row.distance)
    print(f"{'launch':32} {'resource':10} {'mode':11} {'share':>7} {'±':>6} {'what-if':>8}")
    for row in rows[: options.worst]:
        print(
            f"{row.launch:32} {row.resource:10} {row.mode:11} {100 * row.share:6.1f}% "
            f"{100 * row.uncertainty:5.1f} {100 * row.by_what_if:7.1f}%"
        )
    if rows:
        print(
            f"\n{len(rows)} rows of {len(checked)} launches with a share of 10 % or more: "
            f"{share_within(rows, NEAR):.1f} % within 10 points, "
            f"{share_within(rows, FAR):.1f} % within 20, largest {100 * rows[0].distance:.1f}"
        )
    print_cost("processor", {name: one.cost for name, one in checked.items()})
    clock = "clock" if (options.jobs or os.cpu_count()) == 1 else "clock (disturbed: --jobs is not 1)"
    print_cost(clock, {name: one.wait for name, one in checked.items()})
    for name, one in checked.items():
        if one.problem:
            print(f"{name}: {one.problem}")
    if len(checked) < len(launches):
        print(f"{len(launches) - len(checked)} launches are left: run this again")
