#!/usr/bin/env python3
"""Holds every corpus/**/launches.txt against the sources beside it, without compiling them.

Counts and kinds of arguments, names, files and notes are checked here; that the launches do run is
for the comparison with the GPU.
"""

import collections
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "corpus"
SCALARS = {"i32": 4, "u32": 4, "f32": 4, "i64": 8, "u64": 8, "f64": 8}
TYPES = {"int": 4, "unsigned": 4, "float": 4, "long long": 8, "unsigned long long": 8, "double": 8}
NOTES = re.compile(
    r"tolerance=\d+:(f16|bf16|f32|f64):[0-9.e-]+|unordered=\d+(:sum:(f16|bf16|f32|f64):[0-9.e-]+)?"
    r"|ignore=\d+|count=varies|near=\d+%|arch=90a?|flags=\S+"
)

Launch = collections.namedtuple("Launch", "name file kernel options notes")


def launches_of(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        end = words.index(";") if ";" in words else len(words)
        yield Launch(*words[:3], words[3:end], words[end + 1 :])


def kernels_of(source):
    """The kernels of a .cu: name to the list of its parameters' types."""
    text = re.sub(r"//[^\n]*", "", source.read_text(encoding="utf-8"))
    found = {}
    pattern = r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)\(([^)]*)\)"
    for name, parameters in re.findall(pattern, text):
        declared = [" ".join(p.split()) for p in parameters.split(",")]
        found[name] = [re.sub(r" ?\w+$", "", p) for p in declared]
    return found


def arguments_of(launch):
    return [launch.options[k + 1] for k, word in enumerate(launch.options) if word == "--arg"]

# Kernels that are only timed, predicted or launched in other shapes.
OTHERS = (
    "kinds.cu",
    "uneven_shapes.cu",
    "image_shapes.cu",
    "search_shapes.cu",
    "launch_shapes.cu",
    "idle.cu",
)


class Launches(unittest.TestCase):
    def all_launches(self):
        files = sorted(KERNELS.rglob("launches.txt"))
        self.assertTrue(files)
        for path in files:
            for launch in launches_of(path):
                yield path.parent, launch

    def test_names_are_unique(self):
        counts = collections.Counter(launch.name for _, launch in self.all_launches())
        self.assertEqual([name for name, count in counts.items() if count > 1], [])

    def test_notes_are_understood(self):
        for _, launch in self.all_launches():
            buffers = arguments_of(launch)
            for note in launch.notes:
                with self.subTest(launch.name, note=note):
                    self.assertRegex(note, rf"^({NOTES.pattern})$")
                    if note.startswith(("tolerance=", "unordered=", "ignore=")):
                        index = int(re.search(r"\d+", note).group())
                        self.assertTrue(buffers[index].startswith("buf:"))

    def test_each_kernel_here_has_three_launches(self):
        counts = collections.Counter((x.file, x.kernel) for x in launches_of(KERNELS / "launches.txt"))
        for source in sorted(KERNELS.glob("*.cu")):
            if source.name in OTHERS:
                continue
            for kernel in kernels_of(source):
                with self.subTest(kernel):
                    self.assertGreaterEqual(counts.pop((source.name, kernel), 0), 3)
        self.assertEqual(list(counts), [])  # launches of kernels that do not exist

    def test_arguments_fit_the_parameters(self):
        for launch in launches_of(KERNELS / "launches.txt"):
            kernels = kernels_of(KERNELS / launch.file)
            parameters, arguments = kernels[launch.kernel], arguments_of(launch)
            with self.subTest(launch.name):
                self.assertEqual(len(parameters), len(arguments))
                for parameter, argument in zip(parameters, arguments):
                    kind = argument.split(":")[0]
                    if "*" in parameter:
                        self.assertEqual(kind, "buf")
                    elif kind != "hex":  # a structure: only the compiler knows its size
                        self.assertEqual(TYPES[parameter], SCALARS[kind], parameter)

    def test_the_table_has_each_kernel(self):
        readme = (KERNELS / "README.md").read_text(encoding="utf-8")
        for source in sorted(KERNELS.glob("*.cu")):
            if source.name in OTHERS:
                continue
            for kernel in kernels_of(source):
                self.assertIn(f"| `{kernel}` |", readme)


if __name__ == "__main__":
    unittest.main()
