"""Warp instructions: of the few blocks that `burin predict` executes, and of all that `burin run` does.

A prediction stands on a sample of the grid. Whether the sample is a fair one needs no GPU to tell: the
whole launch is executed once, and its instructions are kept in bench/accuracy/results/executed.json.
"""

import concurrent.futures
import json
import os

from .predict import predict_all, run

MOST_INSTRUCTIONS = 50_000_000  # more would take minutes: those launches are passed over
FAIR = 0.10


def execute(launch, options):
    """The warp instructions of the whole launch; None where they are too many."""
    command = [options.burin, "run", options.cubins / launch.cubin, "--kernel", launch.kernel]
    command += [*launch.options, "--json", "--threads", "1", "--check-shared", "off"]
    command += ["--max-instructions", str(MOST_INSTRUCTIONS)]
    status, text, _, _, _ = run(command, 10 * options.limit)
    return json.loads(text)["warp_instructions"] if status == 0 else None


def executed_counts(launches, options):
    """{launch: its instructions, or None}, from the file or by executing what is not in it."""
    path = options.results / "executed.json"
    kept = json.loads(path.read_text())["launches"] if path.exists() else {}
    wording = {launch.name: " ".join([launch.kernel, *launch.options]) for launch in launches}
    missing = [
        launch
        for launch in launches
        if kept.get(launch.name, {}).get("launch") != wording[launch.name]
    ]
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        counts = pool.map(lambda launch: execute(launch, options), missing)
        for launch, count in zip(missing, counts):
            kept[launch.name] = {"launch": wording[launch.name], "warp_instructions": count}
    if missing:
        content = {"schema": "burin.executed/1", "launches": dict(sorted(kept.items()))}
        path.write_text(json.dumps(content, indent=1) + "\n")
    return {launch.name: kept[launch.name]["warp_instructions"] for launch in launches}


def print_counts(launches, options):
    predictions = predict_all([(launch, ()) for launch in launches], options)
    predicted = {}
    for launch, prediction in zip(launches, predictions):
        if prediction.content is None:
            print(f"{launch.name:32}  {prediction.problem}")
        else:
            predicted[launch.name] = prediction.content["instructions"]
    few = [l for l in launches if predicted.get(l.name, MOST_INSTRUCTIONS) < MOST_INSTRUCTIONS]
    counts = executed_counts(few, options)
    chosen = [launch for launch in few if counts[launch.name]]
    fair = 0
    for launch in chosen:
        ratio = predicted[launch.name] / counts[launch.name]
        fair += abs(ratio - 1) <= FAIR
        if abs(ratio - 1) > FAIR:
            print(f"{launch.name:32}  predicted / executed {ratio:.2f}")
    print(
        f"{fair} of {len(chosen)} launches within {FAIR:.0%}; "
        f"{len(launches) - len(chosen)} with more than {MOST_INSTRUCTIONS:,} instructions passed over"
    )
    return 0
