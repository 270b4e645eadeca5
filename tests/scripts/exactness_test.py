#!/usr/bin/env python3
"""Records launches on a GPU that a script plays, and replays them in an emulator that it plays too."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Stands for burin: buffer 1 gets the numbers 0, 1, 2, …, times $FACTOR when emulated.
BURIN = r'''
import json, os, pathlib, struct, sys

def numbers(factor):
    values = [i * factor for i in range(100)]
    if os.environ.get("ORDER") == "reversed" and factor == 1.0:
        values.reverse()
    return struct.pack("<100f", *values)

if sys.argv[1] == "inspect":
    print(json.dumps({"images": [{"kernels": [{"name": "_Z1kPf"}]}]}))
elif sys.argv[1] == "worker":
    for line in sys.stdin:
        request = json.loads(line)
        if request["arguments"][0] == "i32:13":
            print(json.dumps({"stage": "running the kernel"}), flush=True)
            os.abort()
        if request["outputs"]:
            pathlib.Path(request["outputs"], "1.bin").write_bytes(numbers(1.0))
        runs = request["repeats"]
        agreeing = 1 if request["arguments"][0] == "i32:7" else runs
        output = {"argument": 1, "path": "", "changed": True, "agreeing": agreeing}
        result = {"gpu": "Fake GPU", "driver": "1.0", "outputs": [output], "repeats": runs,
                  "agreeing": agreeing, "times_us": [2.0] * request["launches"], "timer": "cupti",
                  "timer_note": "", "clock_mhz": [1000], "caches": "cold"}
        print(json.dumps({"result": result}), flush=True)
elif sys.argv[1] == "run":
    out = sys.argv[sys.argv.index("--out") + 1].split("=")[1]
    pathlib.Path(out).write_bytes(numbers(float(os.environ["FACTOR"])))
    print(json.dumps({"warp_instructions": int(os.environ["COUNT"])}))
'''

# Stands for ncu: every launch has 640 instructions.
NCU = r'''
import json, sys
print("==PROF== Connected")
print('"ID","Kernel Name","Metric Name","Metric Value"')
for line in sys.stdin:
    for i in range(json.loads(line)["repeats"]):
        print(f'"{i}","k","smsp__inst_executed.sum","640"')
'''

LAUNCHES = """
# a comment
exact/one k.cu k --grid 2,3 --block 32 --smem 1K --arg i32:1 --arg buf:400:undef
near/one k.cu k --grid 1 --block 32 --arg i32:2 --arg buf:400:undef ; tolerance=1:f32:1e-5
summed/one k.cu k --grid 1 --block 32 --arg i32:3 --arg buf:400:undef ; unordered=1:sum:f32:1e-5
sorted/one k.cu k --grid 1 --block 32 --arg i32:4 --arg buf:400:undef ; unordered=1 count=varies
noisy/one k.cu k --grid 1 --block 32 --arg i32:7 --arg buf:400:undef
"""


class Exactness(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.program("burin", BURIN)
        self.program("ncu", NCU)
        (self.root / "cubin").mkdir()
        (self.root / "cubin/k.sm_90.cubin").write_bytes(b"code")
        self.write_launches(LAUNCHES)

    def program(self, name, text):
        path = self.root / name
        path.write_text(f"#!{sys.executable}\n{textwrap.dedent(text)}", encoding="utf-8")
        path.chmod(0o755)

    def write_launches(self, text):
        (self.root / "launches.txt").write_text(text, encoding="utf-8")

    def run_script(self, what, *more, **environment):
        command = [sys.executable, ROOT / "bench/exactness.py", what, "--burin", self.root / "burin"]
        command += ["--kernels", self.root, "--results", self.root / "results.json", *more]
        if what == "record":
            command += ["--ncu", self.root / "ncu", "--runs", "3"]
        environment = {"FACTOR": "1.0", "COUNT": "640", **environment}
        return subprocess.run(
            command, capture_output=True, text=True, env={**os.environ, **environment}, check=False
        )

    def recorded(self):
        return json.loads((self.root / "results.json").read_text(encoding="utf-8"))

    def row(self, done, launch):
        return next(line for line in done.stdout.splitlines() if line.startswith(launch)).split()

    def test_records_what_the_gpu_left(self):
        done = self.run_script("record")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        entry = self.recorded()["launches"]["exact/one"]
        self.assertEqual(entry["instructions"], {"value": 640, "agreeing": 3, "runs": 3})
        self.assertEqual(entry["median_us"], 2.0)
        self.assertEqual((entry["runs"], entry["agreeing"]), (3, 3))
        self.assertEqual(self.recorded()["gpu"], "Fake GPU")

    def test_the_same_is_equal(self):
        self.run_script("record")
        done = self.run_script("replay")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.row(done, "exact/one")[1:3], ["equal", "equal"])
        self.assertIn("5 kernels, 5 launches", done.stdout)

    def test_other_bits_are_found(self):
        self.run_script("record")
        done = self.run_script("replay", FACTOR="1.000001")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.row(done, "exact/one")[1], "NO")
        self.assertEqual(self.row(done, "near/one")[1], "tolerance")
        self.assertEqual(self.row(done, "summed/one")[1], "unordered")
        self.assertEqual(self.row(done, "sorted/one")[1], "NO")
        self.assertEqual(self.row(done, "noisy/one")[1], "varies")
        done = self.run_script("replay", FACTOR="1.001")
        self.assertEqual(self.row(done, "near/one")[1], "NO")
        self.assertEqual(self.row(done, "summed/one")[1], "NO")

    def test_another_order_is_no_difference_where_it_is_open(self):
        self.run_script("record", ORDER="reversed")
        done = self.run_script("replay")
        self.assertEqual(self.row(done, "sorted/one")[1], "unordered")
        self.assertEqual(self.row(done, "exact/one")[1], "NO")

    def test_another_count_is_found(self):
        self.run_script("record")
        done = self.run_script("replay", COUNT="641")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.row(done, "exact/one")[2], "NO")
        self.assertEqual(self.row(done, "sorted/one")[2], "varies")

    def test_another_cubin_is_not_compared(self):
        self.run_script("record")
        (self.root / "cubin/k.sm_90.cubin").write_bytes(b"other code")
        done = self.run_script("replay")
        self.assertEqual(done.returncode, 1)
        self.assertIn("k.sm_90.cubin is not the one recorded", done.stdout)

    def test_a_crash_costs_one_launch_and_resuming_takes_up_the_rest(self):
        crash = LAUNCHES + "crash/one k.cu k --grid 1 --block 32 --arg i32:13 --arg buf:400:undef\n"
        self.write_launches(crash.replace("noisy", "last"))
        done = self.run_script("record")
        self.assertEqual(done.returncode, 1)
        entries = self.recorded()["launches"]
        self.assertEqual(len(entries), 6)
        self.assertIn("crashed while running the kernel", entries["crash/one"]["error"])
        done = self.run_script("record", "--resume")
        self.assertIn("crash/one", done.stdout)
        self.assertNotIn("exact/one", done.stdout)

    def test_parts_make_up_the_whole(self):
        (self.root / "cubin/m.sm_90a.cubin").write_bytes(b"more")
        self.write_launches(LAUNCHES + "m/one m.cu k --grid 1 --arg i32:1 --arg buf:400 ; arch=90a\n")
        self.run_script("record", "--part", "1/2")
        self.assertNotIn("m/one", self.recorded()["launches"])
        self.run_script("record", "--part", "2/2")
        self.assertEqual(len(self.recorded()["launches"]), 6)

    def test_wrong_lines_are_refused(self):
        for line in ("x/one k.cu k --grid", "x/one k.cu", "x/one k.cu k --grid 1 ; speed=high"):
            self.write_launches(line)
            self.assertIn("launches.txt:1", self.run_script("replay").stderr, line)


if __name__ == "__main__":
    unittest.main()
