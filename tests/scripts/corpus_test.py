#!/usr/bin/env python3
"""scripts/corpus.py in a repository made for the test: its own copy of the script, and one small archive."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {"a.cubin": b"first", "b.cubin": b"second" * 1000}


class Corpus(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "scripts").mkdir()
        (self.root / "corpus").mkdir()
        shutil.copy(ROOT / "scripts/corpus.py", self.root / "scripts")
        self.archive = self.root / "corpus/cubins.tar.xz"
        self.folder = self.root / "build/corpus/cubins"
        self.write(FILES)
        self.run_script("pack")

    def write(self, files):
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (self.folder / name).write_bytes(content)

    def start(self, what):
        command = [sys.executable, self.root / "scripts/corpus.py", what, "cubins"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run_script(self, what, status=0):
        process = self.start(what)
        out, err = process.communicate()
        self.assertEqual(process.returncode, status, err)
        return out if status == 0 else err

    def unpacked(self):
        files = self.folder.glob("*.cubin")
        return {path.name: path.read_bytes() for path in files}

    def another_archive(self, files):
        """An archive of these files, while the unpacked folder is as it was."""
        kept = self.folder.with_name("kept")
        self.folder.rename(kept)
        self.write(files)
        self.run_script("pack")
        shutil.rmtree(self.folder)
        kept.rename(self.folder)

    def test_what_was_packed_is_unpacked(self):
        shutil.rmtree(self.root / "build")
        self.run_script("unpack")
        self.assertEqual(self.unpacked(), FILES)

    def test_the_same_files_give_the_same_archive(self):
        before = self.archive.read_bytes()
        shutil.rmtree(self.folder)
        self.write(dict(reversed(FILES.items())))
        os.utime(self.folder / "a.cubin", (1e9, 1e9))
        (self.folder / "a.cubin").chmod(0o600)
        self.run_script("pack")
        self.assertEqual(self.archive.read_bytes(), before)

    def test_nothing_is_written_twice(self):
        before = (self.folder / "a.cubin").stat()
        self.run_script("unpack")
        self.assertEqual((self.folder / "a.cubin").stat().st_ino, before.st_ino)

    def test_the_build_sees_that_nothing_is_to_be_done(self):
        os.utime(self.folder / ".archive", (1e9, 1e9))
        self.run_script("unpack")
        stamp = (self.folder / ".archive").stat().st_mtime
        self.assertGreaterEqual(stamp, self.archive.stat().st_mtime)

    def test_another_archive_replaces_all_files(self):
        self.another_archive({"b.cubin": b"third", "c.cubin": b"fourth"})
        self.run_script("unpack")
        self.assertEqual(self.unpacked(), {"b.cubin": b"third", "c.cubin": b"fourth"})

    def test_files_made_here_are_not_overwritten(self):
        self.another_archive({"b.cubin": b"third"})
        self.write({"a.cubin": b"built today"})
        said = self.run_script("unpack", status=1)
        self.assertIn("files that were made here (a.cubin)", said)
        self.assertEqual(self.unpacked(), {**FILES, "a.cubin": b"built today"})

    def test_many_may_unpack_at_once(self):
        for _ in range(3):
            shutil.rmtree(self.folder)
            processes = [self.start("unpack") for _ in range(6)]
            for process in processes:
                _, err = process.communicate()
                self.assertEqual(process.returncode, 0, err)
            self.assertEqual(self.unpacked(), FILES)

    def test_a_broken_archive_is_refused_in_a_sentence(self):
        self.archive.write_bytes(self.archive.read_bytes()[:-40])
        said = self.run_script("unpack", status=1)
        self.assertIn("corpus: cannot unpack cubins (corpus/cubins.tar.xz): ", said)
        self.assertNotIn("Traceback", said)
        self.assertEqual(self.unpacked(), FILES)

    def test_a_missing_archive_is_refused_in_a_sentence(self):
        self.archive.unlink()
        said = self.run_script("unpack", status=1)
        self.assertRegex(said, r"^corpus: cannot unpack cubins .*No such file.*cubins\.tar\.xz'\n$")

    def test_where_nothing_can_be_written_a_sentence_says_so(self):
        shutil.rmtree(self.root / "build")
        (self.root / "build").write_text("in the way", encoding="utf-8")
        said = self.run_script("unpack", status=1)
        self.assertIn("corpus: cannot unpack cubins", said)
        self.assertNotIn("Traceback", said)

    def test_an_empty_folder_is_not_packed(self):
        shutil.rmtree(self.folder)
        self.assertIn("nothing in", self.run_script("pack", status=1))

    def test_the_files_are_listed(self):
        self.assertEqual(self.run_script("list").split(), ["5", "cubins/a.cubin", "6,000", "cubins/b.cubin"])


if __name__ == "__main__":
    unittest.main()
