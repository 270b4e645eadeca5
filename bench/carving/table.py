"""Judges carving on recorded spaces, from counts that were recorded before: no compiler, no GPU."""

import concurrent.futures
import json
import pathlib
import shutil
import subprocess
import sys

from tuning.spaces import find_spaces, held_out

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "tuning" / "kernels"
SELECTIONS = ("as published", "modern metrics", "predicted time", "30 % compiled")
SMALL = 300  # configurations; of a smaller space 20 % may be kept, else 5 %


def take(folder, to):
    for file in sorted(folder.glob("*.csv")):
        shutil.copy(file, to)
    print("now `scripts/corpus.py pack carving_counts` keeps them")


def carve(burin, name, space, counts, more):
    """The rows of one space by `burin carve`; None where its counts are not complete."""
    kernel, _, size = name.partition(".")
    file = counts / f"{kernel}.csv"
    if not file.exists():
        return None
    command = [burin, "carve", KERNELS / f"{kernel}.toml", "--counts", file,
               "--run", "--device", f"replay:{space}", "--time-limit", "0", "--json", "--quiet", *more]
    if size:
        variable, _, value = size.rpartition("_")
        command += ["--size", f"{variable}={value}"]
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{name}: {ran.stderr.strip()}")
    carved = json.loads(ran.stdout)["sizes"][0]
    return carved if carved["complete"] else None


def rows_of(burin, name, space, counts, more):
    carved = carve(burin, name, space, counts, more)
    if carved is None:
        return None
    rows = {row["selection"]: row for row in carved["rows"]}
    fewer = carve(burin, name, space, counts, [*more, "--compile", "0.3"])
    rows["30 % compiled"] = next(row for row in fewer["rows"] if row["selection"] == "modern metrics")
    rows["30 % compiled"]["compiled"] = fewer["compiled"]
    return {"space": name, "held_out": held_out(name), "points": carved["configurations"], "rows": rows}


def all_rows(burin, counts, more=(), jobs=2):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        found = pool.map(lambda item: rows_of(burin, *item, counts, list(more)), find_spaces([]).items())
        return [space for space in found if space is not None]


def percent(share):
    return f"{100 * share:.1f}"


def show(title, spaces, selection):
    """A line for each space, and what the goal asks for."""
    print(f"\n{title}: {selection}\n")
    print("| space | points | kept | pruned % | of best % | random % | beats % | picks to 90 % | to 95 % "
          "| random to 90 % | to 95 % | time saved % |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    shares = []
    for space in spaces:
        row = space["rows"].get(selection)
        if row is None:
            continue
        shares.append((row["share_of_best"], row["random_share_of_best"], row["pruned"]))
        print(f"| {space['space']} | {space['points']} | {row['kept']} | {percent(row['pruned'])} "
              f"| {percent(row['share_of_best'])} | {percent(row['random_share_of_best'])} "
              f"| {percent(row['percentile'])} | {row['picks_to_90'] or '–'} | {row['picks_to_95'] or '–'} "
              f"| {row['random_to_90']} | {row['random_to_95']} | {percent(row['cost_saved'] or 0)} |")
    if shares:
        mean = [sum(column) / len(shares) for column in zip(*shares)]
        worst = min(share for share, _, _ in shares)
        above = sum(share > random for share, random, _ in shares)
        print(f"| **mean** | | | **{percent(mean[2])}** | **{percent(mean[0])}** | **{percent(mean[1])}** "
              f"| | | | | | |\n\nworst {percent(worst)} %; above random on {above} of {len(shares)} spaces")


def table(burin, folder, more, jobs, output):
    spaces = all_rows(burin, folder, more, jobs)
    for selection in SELECTIONS:
        show("held out", [space for space in spaces if space["held_out"]], selection)
        show("the others", [space for space in spaces if not space["held_out"]], selection)
    if output:
        output.write_text(json.dumps(spaces, indent=1) + "\n")
    return 0 if spaces else 1
