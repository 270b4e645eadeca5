"""Are the shares that `burin explain` prints the changes that `--what-if` predicts?

Each launch is explained twice, with different seeds: once for the shares, once for the predicted time
under each change, with another step than explain's own. A share and (predicted time / time - 1) / step
should be the same number. Both are held to 0 … 1, as shares are."""

import concurrent.futures
import dataclasses
import json
import os

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


def change_of(row):
    factor = 1 + STEP if row["mode"] == "latency" else 1 / (1 + STEP)
    return f"{row['resource']}.{row['mode']}={factor:.9g}x"


def held(share):
    return min(1.0, max(0.0, share))


def check(launch, machine, options):
    """The rows of one launch, explain's processor time over predict's, and why there are none."""
    predicted = ask("predict", launch, machine, options)
    full = ask("explain", launch, machine, options)
    shares = ask("explain", launch, machine, options, ["--no-regions"])
    if not (shares.content and predicted.content and full.content):
        return [], None, shares.problem or predicted.problem or full.problem
    rows = shares.content["sensitivity"]
    changes = [word for row in rows for word in ("--what-if", change_of(row))]
    more = ["--no-regions", "--seed", str(SEED), *changes]
    changed = ask("explain", launch, machine, options, more)
    if not changed.content:
        return [], None, changed.problem
    time = changed.content["time_us"]
    found = []
    for row, predicted_with in zip(rows, changed.content["what_if"]):
        by_what_if = held((predicted_with["time_us"] / time - 1) / STEP)
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
    return found, full.cpu_seconds / predicted.cpu_seconds, ""


def share_within(rows, most):
    return 100 * sum(row.distance <= most for row in rows) / len(rows)


def print_check(launches, machine, options):
    rows, costs, problems = [], [], []
    workers = options.jobs or os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        answers = pool.map(lambda launch: check(launch, machine, options), launches)
        for launch, (found, cost, problem) in zip(launches, answers):
            rows += found
            costs += [(cost, launch.name)] if cost else []
            if problem:
                problems.append(f"{launch.name}: {problem}")
    rows.sort(key=lambda row: -row.distance)
    print(f"{'launch':32} {'resource':10} {'mode':11} {'share':>7} {'±':>6} {'what-if':>8}")
    for row in rows[: options.worst]:
        print(
            f"{row.launch:32} {row.resource:10} {row.mode:11} {100 * row.share:6.1f}% "
            f"{100 * row.uncertainty:5.1f} {100 * row.by_what_if:7.1f}%"
        )
    if rows:
        print(
            f"\n{len(rows)} rows of {len(launches)} launches with a share of 10 % or more: "
            f"{share_within(rows, NEAR):.1f} % within 10 points, "
            f"{share_within(rows, FAR):.1f} % within 20, largest {100 * rows[0].distance:.1f}"
        )
    costs.sort()
    if costs:
        median = costs[len(costs) // 2][0]
        print(
            f"explain takes {median:.1f} times the processor time of predict in the median, "
            f"{costs[int(0.95 * len(costs))][0]:.1f} at P95, "
            f"{costs[-1][0]:.1f} at most ({costs[-1][1]})"
        )
    for problem in problems:
        print(problem)
    if options.json:
        found = {
            "rows": [dataclasses.asdict(row) for row in rows],
            "costs": {name: cost for cost, name in costs},
            "problems": problems,
        }
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return rows
