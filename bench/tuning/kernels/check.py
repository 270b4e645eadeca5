#!/usr/bin/env python3
"""Checks the kernels and specs of this folder without a GPU.

  check.py count                 tunables, product and valid configurations of every spec
  check.py compile [SPEC…]       compiles corner and random configurations with nvcc
  check.py run [SPEC…]           … and executes them with burin, on small problems whose sizes the
                                 tiles do not divide, against the spec's reference kernel
  check.py predict [SPEC…]       … and predicts their times on an H200, for the first problem size
Options: --random N (configurations besides the corners, default 10), --seed S, --burin PATH,
         --folder DIR (of the specs)
"""
import argparse
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import tomllib

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
NVCC = "/usr/local/cuda/bin/nvcc"

# Small problems for the emulator. Configurations are chosen for the full problem; what a kernel needs
# (such as rows of whole vectors) must hold here too.
SMALL = {
    "transpose": {"rows": 150, "columns": 203},
    "gemm": {"m": 130, "n": 100, "k": 52},
    "convolution": {"width": 147, "height": 61},
    "reduction": {"n": 40052, "sms": 3},
    "stencil": {"nx": 75, "ny": 37, "nz": 19},
    "nbody": {"n": 1100},
    "softmax": {"rows": 37, "columns": 1028},
    "matrix_product": {"n": 75},
    "coulombic_potential": {"width": 131, "height": 37, "atoms": 50},
    "sum_of_absolute_differences": {"width": 76, "height": 12},
    "mri_fhd": {"n": 600, "samples": 3072},
    "contraction_d1_5": {"extent": 9},
    "contraction_d1_6": {"extent": 9},
    "histogram": {"n": 40048, "sms": 3},
    "batched_matvec": {"n": 36, "batch": 37},
    "layer_norm": {"rows": 37, "columns": 1032},
    "spmv": {"rows": 1003, "entries_per_row": 20},
}


def ceildiv(a, b):
    return -(-a // b)


def evaluate(expression, names):
    return eval(str(expression), {"ceildiv": ceildiv, "min": min, "max": max}, names)


def fill(template, names):
    return re.sub(r"\{([^}]*)\}", lambda m: str(evaluate(m[1], names)), template)


class Spec:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.data = tomllib.loads(path.read_text())
        source = self.data["source"]
        self.source = path.parent / (source if isinstance(source, str) else source["cuda"])
        problem = dict(self.data.get("problem", {}))
        sizes = problem.pop("sizes", [{}])
        self.sizes = [problem | size for size in sizes]
        self.tunables = self.data["tunables"]
        launch = self.data.get("launch")
        self.launches = self.data["launches"] if launch is None else [launch]
        self.settings = self.data.get("settings", []) if launch is None else launch.get("settings", [])

    def names(self, configuration, size):
        names = size | configuration
        for name, expression in self.data.get("names", {}).items():
            names[name] = evaluate(expression, names)
        return names

    def configurations(self, size):
        compiled = [compile(r, r, "eval") for r in self.data.get("restrictions", [])]
        derived = [(n, compile(e, e, "eval")) for n, e in self.data.get("names", {}).items()]
        functions = {"ceildiv": ceildiv, "min": min, "max": max}
        for values in itertools.product(*self.tunables.values()):
            names = size | dict(zip(self.tunables, values))
            for name, expression in derived:
                names[name] = eval(expression, functions, names)
            if all(eval(r, functions, names) for r in compiled):
                yield dict(zip(self.tunables, values))


def samples(spec, count, seed, size):
    """Corners (first, last, the most and the least of every tunable) and random configurations."""
    valid = list(spec.configurations(size))
    chosen = [valid[0], valid[-1]]
    for pick in (min, max):
        chosen.append(pick(valid, key=lambda c: sum(spec.tunables[n].index(v) for n, v in c.items())))
    chosen += random.Random(seed).sample(valid, min(count, len(valid)))
    return [dict(t) for t in dict.fromkeys(tuple(c.items()) for c in chosen)]


def describe(configuration):
    return ", ".join(f"{n}={v}" for n, v in configuration.items())


def nvcc(spec, configuration, size, output):
    names = spec.names(configuration, size)
    options = [fill(o, names) for o in spec.data.get("compile", {}).get("options", [])]
    command = [NVCC, "-cubin", "-arch=sm_90", "-Werror=all-warnings", "-Xptxas=-v", "-o", output, *options,
               *(f"-D{n}={v}" for n, v in configuration.items()), str(spec.source)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stdout + done.stderr)
    return sum(int(m) for m in re.findall(r"(\d+) bytes spill stores", done.stderr))


def launch_options(burin, verb, cubin, kernel, grid, block, smem, arguments, settings):
    command = [burin, verb, str(cubin), "--kernel", kernel, "--grid", ",".join(map(str, grid)), "--block",
               ",".join(map(str, block)), "-q", "--threads", "2"]
    if smem:
        command += ["--smem", str(smem)]
    for argument in arguments:
        command += ["--arg", argument]
    for setting in settings:
        command += ["--set", setting]
    return command


def burin_run(burin, cubin, kernel, grid, block, smem, arguments, settings, outputs, check=None):
    command = launch_options(burin, "run", cubin, kernel, grid, block, smem, arguments, settings)
    command.append("--force")
    for index, path in outputs.items():
        command += ["--out", f"{index}={path}"]
    if check:
        command += ["--check", check]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(command) + "\n" + done.stdout[-3000:] + done.stderr)


def in_file(argument, path):
    return f"buf:{argument.split(':')[1]}:file:{path}"


def run_launches(spec, configuration, size, cubin, burin, folder):
    """Runs a configuration; returns the files of the first launch's buffers."""
    names = spec.names(configuration, size)
    files = {}
    first = []
    for position, launch in enumerate(spec.launches):
        repeat = evaluate(launch.get("repeat", 1), names)
        for invocation in range(repeat):
            arguments = [fill(a, names | {"invocation": invocation}) for a in launch["args"]]
            if position == 0 and invocation == 0:
                first = arguments
            shared = {}  # argument of this launch: buffer of the first launch
            for i, argument in enumerate(arguments):
                if argument.startswith("@"):
                    shared[i] = int(argument[1:])
                elif position == 0 and argument.startswith("buf:"):
                    shared[i] = i
                if i in shared and shared[i] in files:
                    arguments[i] = in_file(first[shared[i]], files[shared[i]])
            outputs = {i: folder / f"{position}_{invocation % 2}_{b}" for i, b in shared.items()}
            default_block = [n for n in ("block_size_x", "block_size_y", "block_size_z") if n in names]
            burin_run(burin, cubin, launch.get("kernel", spec.data.get("kernel")),
                      [evaluate(e, names) for e in launch["grid"]],
                      [evaluate(e, names) for e in launch.get("block", default_block)],
                      evaluate(launch.get("shared_bytes", 0), names), arguments, spec.settings, outputs)
            files |= {b: outputs[i] for i, b in shared.items()}
    return files


def check_run(spec, configuration, size, cubin, burin, folder):
    files = run_launches(spec, configuration, size, cubin, burin, folder)
    names = spec.names(configuration, size)
    reference = spec.data["reference"]
    arguments = [fill(a, names | {"invocation": 0}) for a in spec.launches[0]["args"]]
    for index in reference["outputs"]:
        kind = arguments[index].split(":")[2]
        tolerance = reference["tolerance"]
        check = f"{index}={files[index]}" + (f":{kind}:{tolerance}" if tolerance else "")
        burin_run(burin, cubin, reference["kernel"], [evaluate(e, names) for e in reference["grid"]],
                  [evaluate(e, names) for e in reference["block"]], 0, arguments, spec.settings, {}, check)


def predicted_us(spec, configuration, size, cubin, burin):
    """The sum over all launches. Repeated ones count as often as they are launched."""
    names = spec.names(configuration, size) | {"invocation": 0}
    first = [fill(a, names) for a in spec.launches[0]["args"]]
    total = 0
    for launch in spec.launches:
        arguments = [fill(a, names) for a in launch["args"]]
        arguments = [first[int(a[1:])] if a.startswith("@") else a for a in arguments]
        command = launch_options(burin, "predict", cubin, launch.get("kernel", spec.data.get("kernel")),
                                 [evaluate(e, names) for e in launch["grid"]],
                                 [evaluate(e, names) for e in launch["block"]],
                                 evaluate(launch.get("shared_bytes", 0), names), arguments, spec.settings)
        done = subprocess.run([*command, "--machine", "h200", "--json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(" ".join(command) + "\n" + done.stderr)
        total += json.loads(done.stdout)["time_us"] * evaluate(launch.get("repeat", 1), names)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["count", "compile", "run", "predict"])
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--random", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--burin", default=str(ROOT / "build/burin"))
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    arguments = parser.parse_args()
    failures = 0
    if arguments.what == "count":
        print("| kernel | tunables | product | valid | problem size |\n|---|---|---|---|---|")
    for path in sorted(arguments.folder.glob("*.toml")):
        spec = Spec(path)
        if arguments.specs and spec.name not in arguments.specs:
            continue
        if arguments.what == "count":
            total = 1
            for values in spec.tunables.values():
                total *= len(values)
            counts = sorted({sum(1 for _ in spec.configurations(size)) for size in spec.sizes})
            sizes = "; ".join(", ".join(f"{n} = {v}" for n, v in size.items()) for size in spec.sizes)
            names = ", ".join(f"{n} ({len(v)})" for n, v in spec.tunables.items())
            print(f"| {spec.name} | {names} | {total} | {', '.join(map(str, counts))} | {sizes} |", flush=True)
            continue
        chosen = samples(spec, arguments.random, arguments.seed, spec.sizes[0])
        size = spec.sizes[0]
        if arguments.what == "run":
            size |= {n: v for n, v in SMALL[spec.name].items() if n in size}
        spilled = 0
        times = []
        with tempfile.TemporaryDirectory() as folder:
            cubin = pathlib.Path(folder) / "kernel.cubin"
            for configuration in chosen:
                try:
                    spilled += nvcc(spec, configuration, size, cubin) > 0
                    if arguments.what == "run":
                        check_run(spec, configuration, size, cubin, arguments.burin, pathlib.Path(folder))
                    elif arguments.what == "predict":
                        times.append(predicted_us(spec, configuration, size, cubin, arguments.burin))
                except RuntimeError as error:
                    failures += 1
                    print(f"{spec.name}: {describe(configuration)}\n{error}", flush=True)
        print(f"{spec.name}: {len(chosen)} configurations, {spilled} of them spill registers" +
              (f"; predicted µs: {' '.join(f'{t:.0f}' for t in sorted(times))}" if times else ""), flush=True)
    return 1 if failures else 0


sys.exit(main())
