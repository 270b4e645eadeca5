#!/usr/bin/env python3
"""What the GitHub action of action.yml does, on any computer: compares two builds and advises on the new one.

    ci_report.py BEFORE AFTER [--launches FILE] [--fail-on EXPR]… [--advise-fail-on EXPR]…
                 [--summary FILE] [--sarif FILE] [--burin FILE] [--machine NAME]

BEFORE and AFTER are two binaries (cubin, fatbin, object, static or shared library, executable), or two
folders, whose binaries are paired by their paths. Each line of the launches file names a kernel and one
launch of it:

    --kernel saxpy --grid 4096 --block 256 --arg i32:1048576 --arg f32:2 --arg buf:4M:f32 --arg buf:4M:f32

These launches are predicted with both builds, and `burin advise` runs on the new one. All other kernels are
compared by registers, spills and instructions. No GPU is used.

Gates are those of `burin diff --fail-on`; without any, `spills`, and with launches `slower`. The summary is
Markdown (default: standard output). Exit status: 0 no gate was crossed, 1 one was, 3 a file could not be read.
"""

import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BINARIES = {".cubin", ".fatbin", ".o", ".a", ".so", ".exe", ""}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--launches", type=pathlib.Path)
    parser.add_argument("--fail-on", action="append", default=[], metavar="EXPR")
    parser.add_argument("--advise-fail-on", action="append", default=[], metavar="EXPR")
    parser.add_argument("--summary", type=pathlib.Path)
    parser.add_argument("--sarif", type=pathlib.Path)
    parser.add_argument("--burin", default="burin")
    parser.add_argument("--machine", default="")
    return parser.parse_args()


def fail(sentence):
    print(f"ci_report: {sentence}", file=sys.stderr)
    sys.exit(3)


def run(options, *words):
    command = [str(word) for word in (options.burin, *words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def kernels_of(options, file):
    """The names of the kernels in a binary, mangled and not; None where it holds no GPU code or cannot be read."""
    done = run(options, "inspect", file, "--json", "-q")
    if done.returncode != 0:
        return None
    kernels = [kernel for image in json.loads(done.stdout)["images"] for kernel in image["kernels"]]
    return {name for kernel in kernels for name in (kernel["name"], kernel["demangled"])} or None


def paired(options):
    """(name, before, after, kernels) of each binary that both builds have, and the paths that only one has."""
    if options.after.is_file():
        kernels = kernels_of(options, options.after)
        if kernels is None:
            fail(f"{run(options, 'inspect', options.after).stderr.strip() or f'{options.after} has no kernels'}")
        return [(options.after.name, options.before, options.after, kernels)], []
    found, alone = [], []
    sides = [
        {path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.suffix in BINARIES}
        for folder in (options.before, options.after)
    ]
    for path in sorted(sides[0] | sides[1]):
        kernels = kernels_of(options, (options.after if path in sides[1] else options.before) / path)
        if kernels is None:
            continue  # no GPU code
        if path in sides[0] and path in sides[1]:
            found.append((str(path), options.before / path, options.after / path, kernels))
        else:
            alone.append(f"`{path}` is only in the build {'before' if path in sides[0] else 'after'}")
    return found, alone


def read_launches(options):
    """(line, name of its kernel, number of the line) of each launch."""
    if not options.launches:
        return []
    launches = []
    for number, line in enumerate(options.launches.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name = re.search(r"--kernel[ =](\S+)", line)
        if name is None:
            fail(f"{options.launches}:{number}: a launch needs --kernel")
        launches.append((line.strip(), name[1], number))
    return launches


def compare(options, binary, launches, folder):
    """The summary of one binary, the sentences of its gates, and whether it could not be compared."""
    _, before, after, _ = binary
    words = ["diff", before, after, "--markdown", "-q"]
    gates = options.fail_on or (["spills", "slower"] if launches else ["spills"])
    if not launches:
        gates = [gate for gate in gates if not re.match(r"(time|slower)\b", gate)]
    for gate in gates:
        words += ["--fail-on", gate]
    if options.machine:
        words += ["--machine", options.machine]
    if launches:
        lines = folder / "launches.txt"
        texts = {number: line for line, _, number in launches}  # the numbers of lines stay as they are
        lines.write_text("".join(texts.get(k + 1, "") + "\n" for k in range(max(texts))), encoding="utf-8")
        words += ["--launches", lines]
    done = run(options, *words)
    problems = done.stderr.replace(str(folder / "launches.txt"), str(options.launches))
    return done.stdout, problems.splitlines(), done.returncode


def advise(options, after, line, folder, number):
    """SARIF runs for one launch of the new build, and the sentences of its gates."""
    file = folder / f"{number}.sarif"
    words = ["advise", after, *shlex.split(line), "--sarif", file, "-q"]
    for gate in options.advise_fail_on:
        words += ["--fail-on", gate]
    if options.machine:
        words += ["--machine", options.machine]
    done = run(options, *words)
    runs = json.loads(file.read_text(encoding="utf-8")) if file.exists() else None
    return runs, done.stderr.splitlines(), done.returncode


def report(options):
    status, text, sentences, sarif = 0, [], [], None
    launches = read_launches(options)
    binaries, alone = paired(options)
    used = set()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for binary in binaries:
            mine = [launch for launch in launches if any(launch[1] in kernel for kernel in binary[3])]
            used.update(line for line, *_ in mine)
            summary, told, code = compare(options, binary, mine, folder)
            text.append(summary or f"`{binary[0]}` could not be compared: {' '.join(told)}\n")
            sentences += told
            status = max(status, code)
            for line, *_ in mine:
                runs, told, code = advise(options, binary[2], line, folder, len(sentences))
                sentences += told
                status = max(status, code)
                if runs and sarif:
                    sarif["runs"] += runs["runs"]
                sarif = sarif or runs
    text += [f"{sentence}.\n" for sentence in alone]
    text += [f"No binary has a kernel for the launch `{line}`.\n" for line, *_ in launches if line not in used]
    if not binaries:
        fail(f"{options.before} and {options.after} have no binary with GPU code in common")
    if sentences:
        text.append("Limits that were exceeded, and problems:\n\n" + "".join(f"- {each}\n" for each in sentences))
    return status, "\n".join(text), sarif


def main():
    options = arguments()
    for path in (options.before, options.after, options.launches):
        if path and not path.exists():
            fail(f"{path} does not exist")
    if shutil.which(options.burin) is None:
        fail(f"{options.burin}: no such program; name burin with BURIN or --burin")
    if options.before.is_dir() != options.after.is_dir():
        fail("BEFORE and AFTER must be two files or two folders")
    status, text, sarif = report(options)
    if options.summary:
        with options.summary.open("a", encoding="utf-8") as file:
            file.write(text)
    else:
        print(text, end="")
    if options.sarif:
        empty = {"version": "2.1.0", "runs": []}
        options.sarif.write_text(json.dumps(sarif or empty), encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
