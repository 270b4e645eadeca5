"""Wheels and folders, from the package and from the command line."""

import os
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

import burin
from common import VECTOR_ADD, WHEEL, Case


def burin_command(*words):
    done = subprocess.run([os.environ["BURIN_BINARY"], *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Wheels(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.wheel = str(self.path / "pkg-1.0-py3-none-any.whl")
        with zipfile.ZipFile(self.wheel, "w", zipfile.ZIP_DEFLATED) as out:
            out.write(VECTOR_ADD, "pkg/lib/add.so")
            out.writestr("pkg/__init__.py", "")

    def test_a_wheel_is_read(self):
        opened = burin.open(self.wheel)
        self.assertEqual((opened.format, [k.name for k in opened.kernels]), ("zip", ["vector_add"]))
        kernel = opened.kernels[0]
        self.assertEqual(kernel.path, self.wheel + "/pkg/lib/add.so")
        answer = burin.predict(kernel, 1, 32, ["buf:128:f32", "buf:128:f32", "buf:128", 32])
        self.assertEqual(answer.kernel, "vector_add")
        for file in (self.wheel, kernel.path):
            status, out, _ = burin_command("inspect", file)
            self.assertEqual(status, 0)
            self.assertIn("vector_add", out)
        status, out, _ = burin_command("advise", self.wheel, "--grid", "1", "--block", "32", "--arg",
                                       "buf:128:f32", "--arg", "buf:128:f32", "--arg", "buf:128",
                                       "--arg", "i32:32", "--machine", "h200")
        self.assertEqual((status, out.split(":")[0]), (0, "vector_add on h200"))

    def test_sentences(self):
        empty = str(self.path / "empty.whl")
        with zipfile.ZipFile(empty, "w") as out:
            out.writestr("pkg/__init__.py", "")
        sentence = (empty + ": contains no GPU code: no member is a cubin, or a library with a fatbin")
        self.assertEqual(self.sentence(burin.open, empty), sentence)
        self.assertEqual(burin_command("inspect", empty), (3, "", f"burin: {sentence}\n"))
        self.assertRegex(self.sentence(burin.open, WHEEL + "/pkg/dense.so"), "has no member pkg/dense.so")
        cut = self.path / "cut.whl"
        cut.write_bytes(pathlib.Path(self.wheel).read_bytes()[:-40])
        self.assertRegex(self.sentence(burin.open, cut), "the zip file is damaged")


if __name__ == "__main__":
    unittest.main()
