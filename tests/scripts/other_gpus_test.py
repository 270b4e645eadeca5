#!/usr/bin/env python3
"""bench/other_gpus.py: recorded spaces read, samples and halves chosen, figures, and the whole command
with a burin that a script plays."""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from other_gpus import predictions, records, table  # noqa: E402

BURIN = """#!/usr/bin/env python3
import json, pathlib, sys
words = sys.argv[1:]
if words[0] == "machines":
    print(json.dumps({"machines": [{"architecture": "sm_86"}]}))
    sys.exit()
value = lambda name: words[words.index(name) + 1]
assert value("--arch") == "sm_86" and "--warm" in words and value("--clock") == "700.0"
width = int(value("--block").split(",")[0])
assert value("--grid") == f"{-(-100 // width)},7"
assert f"#define width {width}\\n" in pathlib.Path(words[1]).read_text()
if width == 3:
    sys.exit("burin: a sentence")
print(json.dumps({"time_us": 1000 * width, "bound": {"unit": "lsu", "time_us": 1},
                  "certainty": {"low_us": 900 * width, "high_us": 1100 * width, "kind": "shared"}}))
"""


def entry(width, times):
    return {"width": width, "times": times, "time": times[0]}


CACHE = {
    "device_name": "a GPU", "tune_params_keys": ["width"],
    "cache": {str(width): entry(width, [width * 1.25] * 8) for width in range(1, 9)}
    | {"9": entry(9, ["InvalidConfig"])},
}


class Records(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, text, name="record.json"):
        path = self.folder / name
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return records.read(path)

    def test_both_formats_give_the_same(self):
        whole = json.dumps(CACHE)
        gpu, cached = self.read(whole, "record.json.gz")
        self.assertEqual((gpu, len(cached)), ("a GPU", 8))
        self.assertEqual(self.read(whole[:-2] + ",")[1], cached)  # interrupted
        results = [
            {"configuration": {"width": each["width"]}, "times": {"runtimes": each["times"]},
             "invalidity": "correct" if each["width"] < 9 else "runtime"}
            for each in CACHE["cache"].values()
        ]
        self.assertEqual(self.read(json.dumps({"results": results})), (None, cached))

    def test_what_is_no_record_is_said(self):
        for text in ("{}", "no", "[1]"):
            with self.assertRaises(SystemExit) as ended:
                self.read(text)
            self.assertIn("record.json", str(ended.exception))

    def test_clocks_that_move_are_a_spread(self):
        self.assertEqual(records.configuration({}, [2.0] * 8).spread, 0)
        self.assertGreater(records.configuration({}, [1.0, 2.0] * 4).spread, 0.5)

    def test_the_sample_is_that_of_the_configurations_and_has_the_fastest(self):
        configurations = self.read(json.dumps(CACHE))[1]
        chosen = records.sample(configurations, 3)
        self.assertEqual(records.sample(configurations[::-1], 3)[:3], chosen[:3])
        self.assertEqual([sampled for _, sampled in chosen[:3]], [True] * 3)
        for half in ("held out", "tuning"):
            fastest = min((c for c in configurations if c.half == half), key=lambda c: c.time_ms)
            self.assertIn(fastest, [each for each, _ in chosen])


class Figures(unittest.TestCase):
    @staticmethod
    def row(predicted, recorded, **more):
        return {"half": "tuning", "sampled": True, "spread": 0, "recorded_ms": recorded, "limit": "lsu",
                "predicted_ms": predicted, "low_ms": 0.9 * predicted, "high_ms": 1.1 * predicted} | more

    def test_of_steady_rows_of_the_sample(self):
        rows = [self.row(2, 1), self.row(4, 2), self.row(8, 4), self.row(9, 10), self.row(3, 30, spread=0.2),
                self.row(1.5, 0.5, sampled=False),
                {"half": "tuning", "sampled": True, "spread": 0, "recorded_ms": 1, "error": "no"}]
        found = table.figures(rows)
        self.assertEqual((found["configurations"], found["unsteady"], found["failed"]), (4, 1, 1))
        self.assertAlmostEqual(found["median"], 1)
        self.assertAlmostEqual(found["ratio"], 2)
        self.assertAlmostEqual(found["alike"], 0)
        self.assertAlmostEqual(found["spearman"], 1)
        self.assertAlmostEqual(found["reaches"], 1)
        self.assertAlmostEqual(found["covered"], 0)

    def test_the_pick_is_judged_by_its_recorded_time(self):
        self.assertAlmostEqual(table.figures([self.row(1, 4), self.row(2, 3)])["reaches"], 3 / 4)

    def test_nothing_predicted(self):
        self.assertIsNone(table.figures([{"half": "tuning", "sampled": True, "spread": 0, "error": "no"}]))


class Kept(unittest.TestCase):
    """The document and the machine files tell what the kept rows give."""

    def test_figures_are_told_where_they_belong(self):
        document = (ROOT / "docs/validation.md").read_text(encoding="utf-8")
        paths = sorted((ROOT / "bench/other_gpus/rows").glob("*.json"))
        self.assertTrue(paths)
        for path in paths:
            file = json.loads(path.read_text(encoding="utf-8"))
            for line in table.markdown(file):
                self.assertIn(line, document)
            machine = json.loads((ROOT / f"data/machines/{file['machine']}.json").read_text(encoding="utf-8"))
            self.assertIn(table.told(file), machine["sources"]["validation"])


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "burin").write_text(BURIN)
        (self.folder / "burin").chmod(0o755)
        (self.folder / "record.json").write_text(json.dumps(CACHE))
        (self.folder / "source.cu").write_text("kernel")
        kernel = {"kernel": "k", "block": ["width"], "grid": ["ceil(100 / width)", "7"], "arguments": ["i32:1"]}
        (self.folder / "kernel.json").write_text(json.dumps(kernel))

    def predict(self, *more):
        at = self.folder
        command = [sys.executable, ROOT / "bench/other_gpus.py", "predict", at / "record.json", "--burin", at / "burin",
                   "--kernel", at / "kernel.json", "--source", at / "source.cu", "--rows", at / "rows.json", *more]
        return subprocess.run(command, capture_output=True, text=True)

    def test_rows_are_kept_continued_and_not_mixed(self):
        wanted = ("--machine", "rtx3090", "--clock", "700")
        first = self.predict(*wanted, "--sample", "2")
        self.assertEqual(first.returncode, 0, first.stderr)
        some = json.loads((self.folder / "rows.json").read_text())["rows"]
        self.assertLess(len(some), 8)
        second = self.predict(*wanted, "--sample", "8")
        self.assertNotIn(f"{8 - len(some) + 1} of", second.stderr)
        file = json.loads((self.folder / "rows.json").read_text())
        self.assertEqual((file["gpu"], file["clock_mhz"], file["configurations"]), ("a GPU", 700, 8))
        self.assertEqual(len(file["rows"]), 8)
        self.assertEqual(file["rows"]["width=3"]["error"], "a sentence")
        self.assertEqual(file["rows"]["width=4"]["limit"], "lsu")
        self.assertIn("held out", second.stdout)
        other = self.predict("--machine", "rtx4090", "--clock", "700")
        self.assertEqual(other.returncode, 1)
        self.assertIn("is of machine rtx3090, not rtx4090", other.stderr)

    def test_the_kernels_that_are_described(self):
        for path in predictions.KERNELS.glob("*.json"):
            kernel = predictions.kernel_named(path.stem)
            self.assertTrue(kernel["source"] and kernel["arguments"], path)
        self.assertEqual(len(predictions.evaluated(
            predictions.kernel_named("dedispersion")["floats"]["shifts"], {})), 1536)
        with self.assertRaises(SystemExit):
            predictions.kernel_named("none")


if __name__ == "__main__":
    unittest.main()
