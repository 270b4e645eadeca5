#!/usr/bin/env python3
"""What the machine files took from h200.json is today's; a new calibration reaches them."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def refresh(*arguments):
    script = ROOT / "scripts/refresh_machines.py"
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)


class RefreshMachines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for file in (ROOT / "data/machines").glob("*.json"):
            shutil.copy(file, self.folder)

    def value(self, machine, entry):
        return json.loads((self.folder / f"{machine}.json").read_text())["entries"][entry]["value"]

    def test_the_files_are_up_to_date(self):
        done = refresh("--check")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_a_new_value_reaches_those_that_took_it_and_no_other(self):
        file = self.folder / "h200.json"
        machine = json.loads(file.read_text())
        machine["entries"]["class.move.latency"]["value"] = 77
        machine["entries"]["l2.latency"]["value"] = 299
        file.write_text(json.dumps(machine))
        published = self.value("a100", "l2.latency")
        self.assertEqual(refresh("--check", self.folder).returncode, 1)
        self.assertNotEqual(self.value("a100", "class.move.latency"), 77)
        self.assertEqual(refresh(self.folder).returncode, 0)
        self.assertEqual(self.value("a100", "class.move.latency"), 77)
        self.assertEqual(self.value("a100", "l2.latency"), published)
        self.assertEqual(refresh("--check", self.folder).returncode, 0)

    def test_times_follow_the_clock(self):
        time = self.value("h200", "dispatch.launch") / self.value("h200", "sm.clock_mhz")
        cycles = time * self.value("rtx4090", "sm.clock_mhz")
        self.assertAlmostEqual(self.value("rtx4090", "dispatch.launch"), cycles, places=3)

    def test_a_variant_takes_its_part_of_the_h200(self):
        file = self.folder / "h200.json"
        machine = json.loads(file.read_text())
        machine["entries"]["l2.requests"]["value"] *= 2
        machine["entries"]["dram.scattered"]["value"] *= 2
        file.write_text(json.dumps(machine))
        before = self.value("rtx_a4000", "l2.requests"), self.value("a100_pcie_40gb", "dram.scattered")
        self.assertEqual(refresh(self.folder).returncode, 0)
        self.assertAlmostEqual(self.value("rtx_a4000", "l2.requests"), 2 * before[0], places=3)
        self.assertAlmostEqual(self.value("a100_pcie_40gb", "dram.scattered"), 2 * before[1], places=3)
        entries = json.loads((self.folder / "rtx_a4000.json").read_text())["entries"]
        self.assertNotIn("limit.warps", entries)


if __name__ == "__main__":
    unittest.main()
