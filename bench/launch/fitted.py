"""`burin fit` and `burin choose` as a chooser."""

import csv
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading

from .choosers import CannotChoose

LIMIT_SECONDS = 600


def write_trials(file, recorded):
    """The trials of some recorded sizes, as `burin fit --trials` reads them."""
    names = list(recorded[0].size)
    with open(file, "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["block_x", "block_y", "block_z", "time_us", *names])
        for space in recorded:
            for shape, repeats in space.repeats.items():
                for time_us in repeats:
                    rows.writerow([*shape, f"{time_us:.6g}", *(space.size[name] for name in names)])


def small_spec(spec, sizes):
    """The text of a spec with other sizes, for another folder: what is judged must not be sampled."""
    text = spec.path.read_text(encoding="utf-8")
    rows = "".join(f"  {{ {', '.join(f'{name} = {value}' for name, value in size.items())} }},\n" for size in sizes)
    text = re.sub(r"^sizes = \[\n.*?^\]", f"sizes = [\n{rows}]", text, count=1, flags=re.DOTALL | re.MULTILINE)
    source = f'source = "{spec.path.parent.resolve()}/'
    return re.sub(r'^source = "', lambda _: source, text, count=1, flags=re.MULTILINE)


def added_sizes(burin, kernel, folder, device):
    """The sizes that `burin fit` measures besides the trained ones."""
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        spec = pathlib.Path(temporary) / "small.toml"
        samples = spec.with_suffix(".csv")
        spec.write_text(small_spec(kernel.spec, [trained.size for trained in kernel.trained]), encoding="utf-8")
        run([burin, "fit", spec, "--device", device, "--samples", "1", "--explore", "0", "--samples-file", samples,
             "-o", spec.with_suffix(".rp")])
        with open(samples, newline="", encoding="utf-8") as rows:
            names = list(kernel.spec.sizes[0])
            seen = dict.fromkeys(tuple(int(row[name]) for name in names) for row in csv.DictReader(rows))
    sizes = [dict(zip(names, values, strict=True)) for values in seen]
    known = [trained.size for trained in kernel.trained]
    return [size for size in sizes if size not in known]


def run(command):
    """(output, processor seconds) of a command; CannotChoose with its message if it fails."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        try:
            process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=errors)
        except OSError as error:
            raise CannotChoose(f"{command[0]}: {error.strerror}") from error
        alarm = threading.Timer(LIMIT_SECONDS, process.kill)
        alarm.start()
        _, status, usage = os.wait4(process.pid, 0)
        alarm.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        text, problem = out.read(), errors.read().strip()
    if process.returncode != 0:
        lines = problem.splitlines() or [f"exit status {process.returncode}"]
        raise CannotChoose(f"burin {command[1]}: {lines[0]}")
    return text, usage.ru_utime + usage.ru_stime


def choose(burin, program, size):
    """What `burin choose` answers, and its shape."""
    command = [burin, "choose", program, "--json"]
    for name, value in size.items():
        command += ["--set", f"{name}={value}"]
    text, _ = run(command)
    try:
        answer = json.loads(text)
        if answer["schema"] != "burin.choose/1":
            raise CannotChoose(f"burin choose: schema {answer['schema']}")
        shape = tuple(int(axis) for axis in answer["block"])
    except (ValueError, KeyError, TypeError) as error:
        raise CannotChoose("burin choose: its JSON is not as expected") from error
    return answer, (*shape, 1, 1)[:3]


def programs(burin, folder):
    """A chooser by rational programs that were made before, NAME.rp."""

    def choose_by(kernel, trained, target):
        program = pathlib.Path(folder) / f"{kernel.name}.rp"
        if not program.exists():
            raise CannotChoose(f"there is no {program.name}")
        return choose(burin, program, target.size)[1]

    return choose_by


class Fitted:
    """A chooser that fits once for each kernel. `from_spec`: burin gets a spec that has the trained sizes alone, with
    the trials if they were `measured`; else it samples the emulator itself. `others`: the trials include the
    sizes that burin adds. Rational programs and their inputs are left in `folder`."""

    def __init__(self, burin, folder, options=(), from_spec=False, measured=False, others=False):
        self.burin = burin
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.options = list(options)
        self.from_spec = from_spec
        self.with_trials = measured or not from_spec
        self.others = others
        self.programs = {}  # {kernel: path, or what went wrong}
        self.seconds = {}  # {kernel: processor seconds of the fit}
        self.answers = {}  # {(kernel, size): what burin choose answered}

    def fit(self, kernel, trained):
        program = self.folder / f"{kernel.name}.rp"
        command = [self.burin, "fit"]
        if self.from_spec:
            spec = program.with_suffix(".toml")
            spec.write_text(small_spec(kernel.spec, [t.size for t in kernel.trained]), encoding="utf-8")
            command += [spec]
        if self.with_trials:
            trials = program.with_suffix(".csv")
            write_trials(trials, [*trained, *(kernel.others if self.others else [])])
            command += ["--trials", trials]
        _, self.seconds[kernel.name] = run([*command, "-o", program, *self.options])
        return program

    def program(self, kernel, trained):
        if kernel.name not in self.programs:
            try:
                self.programs[kernel.name] = self.fit(kernel, trained)
            except CannotChoose as problem:
                self.programs[kernel.name] = problem
        found = self.programs[kernel.name]
        if isinstance(found, CannotChoose):
            raise found
        return found

    def __call__(self, kernel, trained, target):
        if not trained and not self.from_spec:
            raise CannotChoose("nothing was trained")
        answer, shape = choose(self.burin, self.program(kernel, trained), target.size)
        self.answers[kernel.name, tuple(target.size.items())] = answer
        return shape
