"""Saturation points with the emulator as the device, against those of the recorded times."""

import json
import math
import subprocess


def emulate(options, name):
    """The output of `burin saturate` for the default configuration at every size; None and the reason."""
    command = [
        options.burin, "saturate", options.specs / f"{name}.toml", "--device", f"emulator:{options.machine}",
        "--all-sizes", "--coarsenings", "none", "--threshold", str(options.threshold), "--json",
    ]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip()
    return json.loads(done.stdout), ""


def step_of(sizes, point):
    """The index of a saturation point; without one the target is tuned at, the last size."""
    return len(sizes) - 1 if point is None else sizes.index(point)


def correlation(pairs):
    """Pearson's, of (x, y); None if one of them does not vary."""
    xs, ys = [x for x, _ in pairs], [y for _, y in pairs]
    mx, my = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = math.sqrt(sum((x - mx) ** 2 for x in xs) * sum((y - my) ** 2 for y in ys))
    return sum((x - mx) * (y - my) for x, y in pairs) / spread if spread > 0 else None


def compare(options, measured):
    rows = []
    print(f"{'':17}{'measured':>12}{'emulated':>12}{'steps':>7}{'memory':>8}   throughput, emulated ÷ measured, by size")
    for row in measured:
        found, reason = emulate(options, row["kernel"])
        if found is None:
            print(f"{row['kernel']:17}{reason}")
            rows.append({"kernel": row["kernel"], "error": reason})
            continue
        sizes = [size["size"] for size in row["sizes"]]
        emulated = found["configurations"][0]["saturation_point"]
        emulated = None if emulated is None else int(emulated)
        apart = step_of(sizes, emulated) - step_of(sizes, row["saturation_point"])
        busy = [(sample["throughput"], sample["memory_busy"]) for sample in found["configurations"][0]["samples"]]
        memory = correlation(busy)
        samples = {sample["size"]: sample["throughput"] for sample in found["configurations"][0]["samples"]}
        ratios = [samples[size["size"]] / size["throughput"] for size in row["sizes"] if size["size"] in samples]
        print(
            f"{row['kernel']:17}{row['saturation_point'] or 'target':>12}{emulated or 'target':>12}{apart:+7}"
            f"{'–' if memory is None else f'{memory:.2f}':>8}   "
            + " ".join(f"{ratio:.2f}" for ratio in ratios),
            flush=True,
        )
        rows.append({"kernel": row["kernel"], "measured": row["saturation_point"], "emulated": emulated,
                     "steps": apart, "memory": memory, "ratios": ratios})
    compared = [row for row in rows if "steps" in row]
    near = sum(abs(row["steps"]) <= 1 for row in compared)
    print(f"within one size step: {near} of {len(rows)} kernels ({near / max(1, len(rows)):.0%})")
    print("memory: correlation of throughput with the busy share of the memory units over the sizes (Fig. 4)")
    return rows
