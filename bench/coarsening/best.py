"""How good is `burin coarsen --best`, which measures nothing?

Three steps, each kept in best.json beside this file: --choose asks burin for the coarsening of every
recorded kernel at every size (no GPU), --measure times the original and the chosen kernel in turn on
the GPU of this computer, and without either the table is printed. The best that is possible is the
fastest coarsening of the same launch in the recorded space.
"""

import concurrent.futures
import json
import math
import pathlib
import statistics
import subprocess
import tempfile

from common.worker import SCHEMA, Worker
from coarsening.device import symbol_of
from coarsening.gains import CLEAR, FOLDER, best_of, geometric_mean, launch_words, read_spaces
from tuning.spaces import held_out

FILE = FOLDER / "best.json"
ROUNDS = 5
LAUNCHES = 8  # of each kernel in a round
SLOWER = 1.02  # no kernel may get slower by more


def read_rows():
    rows = json.loads(FILE.read_text(encoding="utf-8"))["rows"] if FILE.exists() else []
    return {(row["kernel"], row["n"]): row for row in rows}


def write_rows(rows):
    lines = ",\n".join(json.dumps(rows[key]) for key in sorted(rows))
    FILE.write_text(f'{{"schema": "burin.best_coarsening/1", "rows": [\n{lines}\n]}}\n', encoding="utf-8")


def choose(options):
    rows = read_rows()
    spaces = [s for s in read_spaces(options.part) if (s.kernel, s.size["n"]) not in rows]

    def one(space):
        answer = best_of(options.burin, space)
        row = {"kernel": space.kernel, "n": space.size["n"], "coarsenings": []}
        if answer is not None:
            row["coarsenings"] = answer["coarsenings"]
            row["predicted_us"] = [round(time, 3) for time in answer["predicted_us"]]
        return row

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(one, spaces):
            rows[row["kernel"], row["n"]] = row
            write_rows(rows)
            print(row, flush=True)
    return 0


def option_words(coarsenings):
    words = []
    for one in coarsenings:
        stride = f",stride={one['stride']}" if one.get("stride") else ""
        words += [f"--coarsen-{one['level']}", f"{one['axis']}={one['factor']}{stride}"]
    return words


def compiled(options, space, coarsenings, folder, name):
    """(PTX, grid, block, smem) of the coarsened kernel; of the original without coarsenings."""
    words = launch_words(space)
    output = pathlib.Path(folder, name)
    if not coarsenings:
        flags = [words[i + 1] for i, word in enumerate(words) if word == "--nvcc-flag"]
        command = ["nvcc", "-arch=sm_90", "-ptx", *flags, words[0], "-o", str(output)]
        subprocess.run(command, check=True, capture_output=True)
        launch = {word[2:]: words[i + 1] for i, word in enumerate(words) if word in ("--grid", "--block")}
        shape = [(list(map(int, launch[key].split(","))) + [1, 1])[:3] for key in ("grid", "block")]
        return output, *shape, 0
    command = [str(options.burin), "coarsen", *words, *option_words(coarsenings), "-o", str(output), "--json", "-q"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    launch = json.loads(done.stdout)["launch"]
    return output, launch["grid"], launch["block"], launch["smem"]


def timed(worker, space, program):
    ptx, grid, block, smem = program
    words = launch_words(space)
    request = {
        "schema": SCHEMA,
        "program": str(ptx),
        "kernel": symbol_of(ptx.read_text(encoding="utf-8"), space.kernel),
        "grid": grid,
        "block": block,
        "smem": smem,
        "arguments": [words[i + 1] for i, word in enumerate(words) if word == "--arg"],
        "keep_buffers": True,
        "stopping": {"least": LAUNCHES, "most": LAUNCHES},
    }
    answer = worker.ask(json.dumps(request), 120)
    if isinstance(answer, str):
        raise SystemExit(f"{space.kernel}: {answer}")
    return answer["times_us"]


def measure(options):
    rows = read_rows()
    worker = Worker(options.burin)
    for space in read_spaces(options.part):
        row = rows.get((space.kernel, space.size["n"]))
        if not row or not row["coarsenings"] or "measured_us" in row:
            continue
        with tempfile.TemporaryDirectory() as folder:
            programs = [
                compiled(options, space, [], folder, "original.ptx"),
                compiled(options, space, row["coarsenings"], folder, "coarsened.ptx"),
            ]
            times = [[], []]
            for _ in range(ROUNDS):
                for program, of in zip(programs, times):
                    of += timed(worker, space, program)
        row["measured_us"] = [round(statistics.median(of), 3) for of in times]
        write_rows(rows)
        print(row, flush=True)
    worker.close()
    return 0


def text_of(coarsenings):
    return " ".join(option_words(coarsenings)).replace("--coarsen-", "") or "as it is"


def table(options):
    rows = read_rows()
    failed = False
    print(f"{'kernel':16} {'n':>10} {'possible':>8} {'predicted':>9} {'reached':>8}  chosen")
    for part in ("held-out", "visible") if options.part == "all" else (options.part,):
        possible, reached, slower = [], [], []
        for space in read_spaces(part):
            row = rows.get((space.kernel, space.size["n"]))
            if row is None:
                continue
            best = space.time() / min(space.coarsened().values())
            before, after = row.get("measured_us", (1, 1)) if row["coarsenings"] else (1, 1)
            gain = before / after
            said = row["predicted_us"][0] / row["predicted_us"][1] if row["coarsenings"] else 1
            best = max(best, gain)
            if best >= CLEAR:
                possible.append(best)
                reached.append(gain)
            if gain * SLOWER < 1:
                slower.append(space.kernel)
            print(f"{space.kernel:16} {space.size['n']:>10} {best:>7.2f}x {said:>8.2f}x {gain:>7.2f}x  {text_of(row['coarsenings'])}")
        share = sum(map(math.log, reached)) / sum(map(math.log, possible)) if possible else float("nan")
        print(
            f"{part}: {len(possible)} launches could gain {CLEAR - 1:.0%} or more: {geometric_mean(possible):.2f}x possible, "
            f"{geometric_mean(reached):.2f}x reached, {share:.0%} of the summed logarithms; slower by more than 2 %: {len(slower)}"
        )
        failed = failed or share < 0.7 or bool(slower)
    return 1 if failed else 0


def run(options):
    if options.choose:
        return choose(options)
    return measure(options) if options.measure else table(options)
