#!/usr/bin/env python3
"""The pairs of advice.py, what its table shows of those held out, and what a capture tells of its place."""

import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from advice.measure import forget_place  # noqa: E402
from advice.pairs import launches_of, read_pairs  # noqa: E402
from common.corpus import KERNELS, unpacked  # noqa: E402
from common.results import read_text  # noqa: E402

# Stands for burin: whatever the launch, its loops should be unrolled.
BURIN = """#!/usr/bin/env python3
import json
place = {"file": None, "line": None}
found = {"rule": "loop-unrolling", "speedup": 1.5, "speedup_paper": 1.4, "where": place, "cause": place}
print(json.dumps({"findings": [found]}))
"""


def read(file=ROOT / "bench/advice/pairs.txt"):
    return read_pairs(file, KERNELS)


class Pairs(unittest.TestCase):
    def test_rules_that_need_no_program_have_pairs_enough(self):
        programs = {pair.rule for pair in read() if pair.program}
        pairs = collections.Counter(pair.rule for pair in read())
        few = [rule for rule, count in pairs.items() if count < 3 and rule not in programs]
        self.assertEqual(few, [])

    def test_a_slow_kernel_is_as_long_as_a_real_one(self):
        short = {"share_secrets": 28, "ripley_counts": 28, "vegetation_index": 21}  # others wrote these
        for pair in read():
            length = len(pair.source.read_text(encoding="utf-8").splitlines())
            self.assertGreaterEqual(length, short.get(pair.name, 30), pair.name)

    def test_every_pair_was_measured_and_is_worth_it(self):
        kept = json.loads(read_text(ROOT / "bench/advice/results/advice.h200.json.gz"))
        captures, cubins = unpacked("captures"), unpacked("cubins")
        for pair in read():
            self.assertGreaterEqual(kept["launches"][pair.name]["speedup"], 1.03, pair.name)
            kept_samples = (captures / f"{pair.name}.burin").exists()
            self.assertEqual(kept_samples, pair.has_samples, pair.name)
            for launch in launches_of([pair]):
                self.assertTrue((cubins / launch.cubin).exists(), launch.place)

    def test_an_unknown_word_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "pairs.txt")
            file.write_text("pair coalescing row_norms\nheldout\n", encoding="utf-8")
            with self.assertRaisesRegex(SystemExit, r"pairs\.txt:2: 'heldout' is not"):
                read(file)


class Table(unittest.TestCase):
    """On lists in which one pair is held out."""

    rule = "loop-unrolling"

    def setUp(self):
        self.lists = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for file in (ROOT / "bench/advice").glob("*.txt"):
            text = file.read_text(encoding="utf-8")
            first = f"pair {self.rule} column_statistics\n"
            (self.lists / file.name).write_text(text.replace(first, first + "held-out\n"), encoding="utf-8")

    def table(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            burin = pathlib.Path(folder, "burin")
            burin.write_text(BURIN, encoding="utf-8")
            burin.chmod(0o755)
            told = pathlib.Path(folder, "told.json")
            command = [sys.executable, ROOT / "bench/advice.py", "table", "--burin", burin, *words]
            command += ["--lists", self.lists]
            command += ["--source", "emulated", "--no-roofline", "--match", f"^{self.rule}$", "--json", told]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            return done.stdout, json.loads(told.read_text(encoding="utf-8"))["emulated"]

    def names(self, held_out):
        pairs = read(self.lists / "pairs.txt")
        return {p.name for p in pairs if p.rule == self.rule and p.held_out == held_out}

    def test_no_row_of_a_held_out_pair_is_printed(self):
        text, told = self.table()
        for name in self.names(True):
            self.assertNotIn(name, text)
        for name in self.names(False):
            self.assertIn(name, text)
        self.assertEqual(told["figures"]["held out"]["pairs"], len(self.names(True)))
        self.assertTrue(re.search(r"^held out +\d", text, re.MULTILINE))

    def test_tuning_and_held_out_part_the_pairs(self):
        for word, held_out in (("--tuning", False), ("--held-out", True)):
            _, told = self.table(word)
            self.assertEqual({row["pair"] for row in told["rows"]}, self.names(held_out))


class Captures(unittest.TestCase):
    def test_a_capture_forgets_where_it_was_made(self):
        with tempfile.TemporaryDirectory() as folder:
            capture = pathlib.Path(folder, "a.burin")
            shutil.copy(unpacked("captures") / "backproject.burin", capture)
            self.assertIn(b"build/burin", capture.read_bytes())
            forget_place(capture, "build")
            self.assertNotIn(b"build/burin", capture.read_bytes())


if __name__ == "__main__":
    unittest.main()
