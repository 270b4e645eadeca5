#!/usr/bin/env python3
"""An installed burin: its files, its version, and a program built against it with find_package.

    install_test.py BUILD_FOLDER
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1))


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], cwd=ROOT, text=True, capture_output=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.folder.name, "prefix")
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_the_version_is_that_of_the_project(self):
        project = re.search(r"project\(burin VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        self.assertEqual(run(self.prefix / "bin/burin", "--version"), f"burin {project[1]}\n")
        self.assertIn(f"\n## {project[1]}", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))

    def test_the_installed_program_works_without_an_environment(self):
        text = run(self.prefix / "bin/burin", "inspect", ROOT / "examples/reduction.sm_90.cubin", env={})
        self.assertIn("reduction.cu:14", text)

    def test_the_library_of_the_recorder_is_where_the_program_looks(self):
        self.assertTrue((self.prefix / "lib/burin/libburin_record.so").exists())

    def test_no_other_header_is_installed(self):
        headers = sorted(str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*.h"))
        self.assertEqual(headers, ["include/burin/base/result.h", "include/burin/burin.h", "include/burin_launch.h"])

    def test_a_program_is_built_against_it(self):
        tour = pathlib.Path(self.folder.name, "tour")
        run("cmake", "-S", ROOT / "examples/library", "-B", tour, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", tour)
        lines = run(tour / "tour").splitlines()
        self.assertRegex(lines[0], r"^transpose_padded: \d+ registers, \d+ instructions, the first LDC R1, c\[0x0\]\[0x28\]$")
        self.assertRegex("\n".join(lines), r"\d+ µs on h200 \(\d+ to \d+\), busiest: shared")
        self.assertRegex("\n".join(lines), r"2\.\d\d× bank-conflicts at .*transpose\.cu:22")

    def test_a_file_that_is_missing_is_a_sentence(self):
        tour = pathlib.Path(self.folder.name, "tour")
        if not (tour / "tour").exists():
            run("cmake", "-S", ROOT / "examples/library", "-B", tour, f"-DCMAKE_PREFIX_PATH={self.prefix}")
            run("cmake", "--build", tour)
        done = subprocess.run([tour / "tour", "nothing.cubin"], text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertRegex(done.stderr, r"^nothing\.cubin: .+\n$")


if __name__ == "__main__":
    unittest.main()
