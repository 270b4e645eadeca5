"""Saturation points with the emulator as the device, against those of the recorded times.

What was emulated is kept in emulated.json, for each machine and kernel: the saturation point, and for each size
the throughput and the busy share of the busiest memory unit.
"""

import json
import math
import pathlib
import subprocess

KEPT = pathlib.Path(__file__).resolve().parent / "emulated.json"


def emulate(options, machine, name):
    """What `burin saturate` predicts for the default configuration at every size; None and the reason."""
    command = [
        options.burin, "saturate", options.specs / f"{name}.toml", "--device", f"emulator:{machine}",
        "--all-sizes", "--coarsenings", "none", "--threshold", str(options.threshold), "--json",
    ]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    found = json.loads(done.stdout)["configurations"][0]
    point = found["saturation_point"]
    samples = [[sample["size"], float(f"{sample['throughput']:.5g}"), round(sample["memory_busy"], 4)]
               for sample in found["samples"]]
    return {"saturation_point": None if point is None else int(point), "samples": samples}, ""


def write(kept):
    """A line for each kernel."""
    machines = []
    for machine, kernels in kept.items():
        lines = ",\n".join(f'  "{name}": {json.dumps(kernels[name])}' for name in sorted(kernels))
        machines.append(f' "{machine}": {{\n{lines}\n }}')
    KEPT.write_text("{\n" + ",\n".join(machines) + "\n}\n", encoding="utf-8")


def emulated(options, machine, names):
    """{kernel: what was found, or the reason why nothing was}; emulates what is not kept."""
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    mine = {} if options.again or options.threshold != 10 else dict(kept.get(machine, {}))
    fresh = [name for name in names if name not in mine]
    for name in fresh:
        found, reason = emulate(options, machine, name)
        mine[name] = reason if found is None else found
    if fresh and options.threshold == 10:
        found = {name: row for name, row in mine.items() if isinstance(row, dict)}
        write({**kept, machine: {**kept.get(machine, {}), **found}})
    return {name: mine[name] for name in names}


def step_of(sizes, point):
    """The index of a saturation point; without one the target is tuned at, the last size."""
    return len(sizes) - 1 if point is None else sizes.index(point)


def correlation(pairs):
    """Pearson's, of (x, y); None if one of them does not vary."""
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))
    return sum((x - mx) * (y - my) for x, y in pairs) / spread if spread > 0 else None


def memory_correlation(samples):
    return correlation([(throughput, busy) for _, throughput, busy in samples])


def compare(options, measured):
    rows = []
    found = emulated(options, options.machine, [row["kernel"] for row in measured])
    print(f"{'':17}{'measured':>12}{'emulated':>12}{'steps':>7}{'memory':>8}   throughput, emulated ÷ measured, by size")
    for row in measured:
        name = row["kernel"]
        if isinstance(found[name], str):
            print(f"{name:17}{found[name]}")
            rows.append({"kernel": name, "error": found[name]})
            continue
        sizes = [size["size"] for size in row["sizes"]]
        point = found[name]["saturation_point"]
        apart = step_of(sizes, point) - step_of(sizes, row["saturation_point"])
        memory = memory_correlation(found[name]["samples"])
        samples = {size: throughput for size, throughput, _ in found[name]["samples"]}
        ratios = [samples[size["size"]] / size["throughput"] for size in row["sizes"] if size["size"] in samples]
        print(
            f"{name:17}{row['saturation_point'] or 'target':>12}{point or 'target':>12}{apart:+7}"
            f"{'–' if memory is None else f'{memory:.2f}':>8}   "
            + " ".join(f"{ratio:.2f}" for ratio in ratios),
            flush=True,
        )
        rows.append({"kernel": name, "measured": row["saturation_point"], "emulated": point,
                     "steps": apart, "memory": memory, "ratios": ratios})
    compared = [row for row in rows if "steps" in row]
    near = sum(abs(row["steps"]) <= 1 for row in compared)
    print(f"within one size step: {near} of {len(rows)} kernels ({near / max(1, len(rows)):.0%})")
    print("memory: correlation of throughput with the busy share of the memory units over the sizes (Fig. 4)")
    return rows
