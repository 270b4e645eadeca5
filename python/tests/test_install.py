"""`pip install --no-build-isolation .` puts a package in place that works. The module is the one that
the build has made (BURIN_MODULE); without that, pip has CMake make it."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from common import SOURCE, VECTOR_ADD, Case

has_pip = all(importlib.util.find_spec(name) for name in ("pip", "setuptools", "wheel"))


@unittest.skipIf(not has_pip, "pip, setuptools or wheel is missing")
class Install(Case):
    def test_from_the_top_and_from_its_folder(self):
        for folder in (SOURCE, SOURCE / "python"):
            with self.subTest(folder=folder), tempfile.TemporaryDirectory() as to:
                done = subprocess.run(
                    [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps",
                     "--no-index", "--disable-pip-version-check", "--quiet", "--target", to, str(folder)],
                    capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                package = pathlib.Path(to) / "burin"
                self.assertTrue((package / "py.typed").exists())
                self.assertTrue((package / "_burin.pyi").exists())
                said = subprocess.run(
                    [sys.executable, "-c", "import burin, sys; print(burin.__file__); "
                     "print(burin.open(sys.argv[1]).kernels[0].registers)", VECTOR_ADD],
                    capture_output=True, text=True, cwd=to, env={**os.environ, "PYTHONPATH": to})
                self.assertEqual(said.stdout.split(), [str(package / "__init__.py"), "26"], said.stderr)


if __name__ == "__main__":
    unittest.main()
