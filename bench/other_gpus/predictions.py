"""Predicts configurations of a recorded tuning space for a machine, and keeps the rows."""

import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import time

from other_gpus import records

SCHEMA = "burin.other-gpus/1"
NO_UNIT = ("latency", "short", "unknown", "waits")  # kinds of launches that no unit limits
KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"


def kernel_named(name):
    path = pathlib.Path(name)
    if path.suffix != ".json":
        path = KERNELS / f"{name}.json"
    if not path.exists():
        known = ", ".join(sorted(each.stem for each in KERNELS.glob("*.json")))
        raise SystemExit(f"{path} does not exist; bench/other_gpus/kernels has {known}")
    kernel = json.loads(path.read_text(encoding="utf-8"))
    kernel["name"] = path.stem
    kernel["folder"] = path.parent
    return kernel


def evaluated(expression, parameters):
    """An expression of the kernel's file, over the parameters of a configuration."""
    return eval(expression, {"__builtins__": {}, "ceil": math.ceil, "range": range}, dict(parameters))  # noqa: S307


def text_of(kernel, sources, parameters):
    """The source as a tuner gives it to the compiler: the parameters, then the files."""
    prelude = [kernel["folder"] / kernel["prelude"]] if "prelude" in kernel else []
    text = "\n".join(path.read_text(encoding="utf-8") for path in prelude + sources)
    for pattern, replacement in kernel.get("replace", {}).items():
        text = re.sub(pattern, replacement, text)
    return "".join(f"#define {name} {value}\n" for name, value in parameters.items()) + text


def written_floats(kernel, folder):
    """The buffers whose contents matter, as files: name -> path."""
    paths = {}
    for name, expression in kernel.get("floats", {}).items():
        values = evaluated(expression, {})
        paths[name] = folder / f"{name}.bin"
        paths[name].write_bytes(struct.pack(f"<{len(values)}f", *values))
    return paths


def row_of(report, seconds):
    certainty = report["certainty"]
    kind = certainty["kind"]
    return {
        "predicted_ms": round(report["time_us"] / 1000, 6),
        "low_ms": round(certainty["low_us"] / 1000, 6),
        "high_ms": round(certainty["high_us"] / 1000, 6),
        "limit": kind if kind in NO_UNIT else report["bound"]["unit"],
        "seconds": round(seconds, 1),
    }


class Predictor:
    def __init__(self, options, kernel, folder):
        self.options = options
        self.kernel = kernel
        self.folder = folder
        self.floats = written_floats(kernel, folder)
        found = self.burin("machines", options.machine, "--json", limit=60)
        self.arch = json.loads(found.stdout)["machines"][0]["architecture"] if found.stdout else None
        if not self.arch:
            raise SystemExit(found.stderr.strip())

    def burin(self, *words, limit):
        command = [str(self.options.burin), *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)

    def predict(self, each):
        source = self.folder / f"{each.number:x}.cu"
        source.write_text(text_of(self.kernel, self.options.source, each.parameters), encoding="utf-8")
        words = ["predict", source, "--arch", self.arch, "--kernel", self.kernel["kernel"], "--warm", "--json"]
        for name in ("grid", "block"):
            sizes = [evaluated(expression, each.parameters) for expression in self.kernel[name]]
            words += [f"--{name}", ",".join(str(size) for size in sizes)]
        for argument in self.kernel["arguments"]:
            words += ["--arg", argument.format(**self.floats)]
        for value in self.kernel.get("set", []):
            words += ["--set", value]
        if self.options.clock:
            words += ["--clock", self.options.clock]
        for folder in {path.resolve().parent for path in self.options.source}:
            words += [f"--nvcc-flag=-I{folder}"]
        words += ["--machine", self.options.machine, "--threads", 1]
        began = time.monotonic()
        try:
            done = self.burin(*words, limit=self.options.limit)
        except subprocess.TimeoutExpired:
            return {"error": f"took more than {self.options.limit:g} s"}
        finally:
            source.unlink()
        if not done.stdout:
            return {"error": done.stderr.strip().split("\n")[-1].removeprefix("burin: ").replace(str(source), "the source")}
        return row_of(json.loads(done.stdout), time.monotonic() - began)


def kept(options, kernel, gpu, total):
    """The file of the rows as it is, or a new one."""
    head = {
        "schema": SCHEMA, "gpu": gpu, "kernel": kernel["name"], "machine": pathlib.Path(options.machine).stem,
        "clock_mhz": options.clock, "record": options.record.name, "configurations": total,
    }
    if not options.rows.exists():
        return {**head, "rows": {}}
    file = json.loads(options.rows.read_text(encoding="utf-8"))
    for key, value in head.items():
        if key != "record" and file.get(key) != value:
            raise SystemExit(f"{options.rows} is of {key} {file.get(key)}, not {value}; give --rows another file")
    return file


def write(path, file):
    """Whole or not at all; one configuration a line, so that changes can be read."""
    head = {key: value for key, value in file.items() if key != "rows"}
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(file["rows"].items())]
    temporary = pathlib.Path(f"{path}.{os.getpid()}")
    text = json.dumps(head, ensure_ascii=False)[:-1] + ', "rows": {\n' + ",\n".join(lines) + "\n}}\n"
    temporary.write_text(text, encoding="utf-8")
    temporary.rename(path)


def toolkit():
    told = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"V([\d.]+)", told)
    return f"nvcc {found.group(1)}" if found else None


def predict(options):
    kernel = kernel_named(options.kernel)
    gpu, configurations = records.read(options.record)
    chosen = records.sample(configurations, options.sample)
    file = kept(options, kernel, options.gpu or gpu, len(configurations))
    wanted = [
        (each, sampled) for each, sampled in chosen
        if options.half in (None, each.half) and (options.again or each.name not in file["rows"])
    ]
    file["toolkit"] = toolkit()
    file["date"] = datetime.date.today().isoformat()
    options.rows.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        predictor = Predictor(options, kernel, pathlib.Path(folder))

        def work(item):
            return None if time.monotonic() > end else predictor.predict(item[0])

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for done, ((each, sampled), row) in enumerate(zip(wanted, pool.map(work, wanted)), 1):
                if row is None:
                    continue
                file["rows"][each.name] = {
                    "half": each.half, "sampled": sampled, "recorded_ms": round(each.time_ms, 6),
                    "spread": round(each.spread, 4), **row,
                }
                write(options.rows, file)
                said = row.get("error") or f"{row['predicted_ms'] / each.time_ms:.2f} of the recorded {each.time_ms:.3f} ms"
                print(f"{done} of {len(wanted)}: {said}", file=sys.stderr)
    write(options.rows, file)
