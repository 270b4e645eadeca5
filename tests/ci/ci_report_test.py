#!/usr/bin/env python3
"""The action's report on two builds of the corpus: planted regressions are found, and nothing is claimed of code
that is the same.

    ci_report_test.py BURIN
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BURIN = str(pathlib.Path(sys.argv.pop(1)).resolve())
sys.path.insert(0, str(ROOT / "bench"))

from advice.pairs import read_pairs  # noqa: E402
from common.corpus import KERNELS, unpacked  # noqa: E402

# Each got slower by at least 1.3 times on an H200 (bench/advice/results).
PLANTED = ("nearest_points", "local_contrast", "transpose_scaled", "row_norms")
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


def report(*words, **environment):
    return subprocess.run(
        [ROOT / "scripts/ci_action.sh"], cwd=ROOT, text=True, capture_output=True, check=False,
        env={**os.environ, "BURIN": BURIN, "MACHINE": "h200", **environment},
    )  # fmt: skip


class Builds:
    """Two folders of cubins with their launches: the fixed kernels before, and after `after` of each pair."""

    def __init__(self, folder, after):
        self.before, self.after = folder / "before", folder / "after"
        cubins, lines = unpacked("cubins"), []
        for pair in read_pairs(ROOT / "bench/advice/pairs.txt", KERNELS):
            if pair.name not in PLANTED:
                continue
            for side, which in ((self.before, "fixed"), (self.after, after)):
                side.mkdir(exist_ok=True)
                shutil.copy(cubins / getattr(pair, which).cubin, side / f"{pair.name}.cubin")
            launch = getattr(pair, after)
            lines.append(f"--kernel {launch.kernel} {' '.join(launch.options)}")
        self.launches = folder / "launches.txt"
        self.launches.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def environment(self):
        return {"BEFORE": str(self.before), "AFTER": str(self.after), "LAUNCHES": str(self.launches)}


class Report(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def rows(self, text):
        return [line for line in text.splitlines() if line.startswith("| `")]

    def test_planted_regressions_are_all_found(self):
        sarif, summary = self.folder / "advice.sarif", self.folder / "summary.md"
        done = report(
            **Builds(self.folder, "slow").environment(), SARIF=str(sarif), GITHUB_STEP_SUMMARY=str(summary)
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = self.rows(summary.read_text(encoding="utf-8"))
        self.assertEqual(len(rows), len(PLANTED))
        for row in rows:
            self.assertIn("**slower**", row)
        runs = json.loads(sarif.read_text(encoding="utf-8"))["runs"]
        self.assertEqual(len(runs), len(PLANTED))
        self.assertTrue(all(run["results"] for run in runs))

    def test_nothing_is_claimed_of_the_same_code(self):
        done = report(**Builds(self.folder, "fixed").environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = self.rows(done.stdout)
        self.assertEqual(len(rows), len(PLANTED))
        for row in rows:
            self.assertTrue(row.endswith("| same |"), row)

    def test_without_launches_counts_are_compared(self):
        builds = Builds(self.folder, "slow")
        done = report(BEFORE=str(builds.before), AFTER=str(builds.after), FAIL_ON="instructions\nslower")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("instructions is", done.stdout)
        self.assertNotIn("faster**", done.stdout)

    @unittest.skipUnless(NVCC, "no compiler for CUDA")
    def test_flags_that_do_not_matter_change_nothing(self):
        for side, flags in (("before", []), ("after", ["-lineinfo", "-DUNUSED=1"])):
            (self.folder / side).mkdir()
            for name in ("transpose", "reduction", "stencil"):
                source = ROOT / f"examples/{name}.cu"
                subprocess.run([NVCC, "-arch=sm_90", "-c", *flags, source, "-o", self.folder / side / f"{name}.o"], check=True)
        launches = self.folder / "launches.txt"
        launches.write_text(
            "--kernel transpose_padded --grid 32,32 --block 32,8 --arg buf:4M:f32 --arg buf:4M:undef --arg i32:1024\n",
            encoding="utf-8",
        )
        done = report(
            BEFORE=str(self.folder / "before"), AFTER=str(self.folder / "after"), LAUNCHES=str(launches),
            FAIL_ON="slower\nspills\nregisters\ninstructions\ntime>1.0001",
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertNotIn("**", done.stdout)
        self.assertNotIn("unclear |", done.stdout)

    @unittest.skipUnless(NVCC, "no compiler for CUDA")
    def test_both_versions_are_built(self):
        repository = self.folder / "repository"
        repository.mkdir()
        git = ["git", "-C", repository, "-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", "init", "--quiet", repository], check=True)
        kernel = 'extern "C" __global__ void scale(float* x, int n) {{ int i = {}; if (i < n) x[i] *= 2; }}\n'
        for expression in ("blockIdx.x * blockDim.x + threadIdx.x", "(blockIdx.x * blockDim.x + threadIdx.x) * 32 % n"):
            (repository / "scale.cu").write_text(kernel.format(expression), encoding="utf-8")
            subprocess.run([*git, "add", "."], check=True)
            subprocess.run([*git, "commit", "--quiet", "-m", "scale"], check=True)
        (self.folder / "launches.txt").write_text(
            "--kernel scale --grid 16384 --block 256 --arg buf:16M:f32 --arg i32:4194304\n", encoding="utf-8"
        )
        done = subprocess.run(
            [ROOT / "scripts/ci_action.sh"], cwd=repository, text=True, capture_output=True, check=False,
            env={**os.environ, "BURIN": BURIN, "MACHINE": "h200", "BUILD": f"{NVCC} -arch=sm_90 -cubin scale.cu -o scale.cubin",
                 "BINARIES": "scale.cubin", "BASE": "HEAD~1", "LAUNCHES": str(self.folder / "launches.txt")},
        )  # fmt: skip
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("**slower**", done.stdout)
        left = subprocess.run([*git, "worktree", "list"], text=True, capture_output=True, check=True).stdout
        self.assertEqual(len(left.splitlines()), 1)

    def test_what_cannot_be_compared_is_a_sentence(self):
        done = report(BEFORE="nothing", AFTER="examples")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stderr, "ci_report: nothing does not exist\n")
        done = report(BEFORE="README.md", AFTER="README.md")
        self.assertRegex(done.stderr, r"^ci_report: burin: README\.md: .+\n$")


if __name__ == "__main__":
    unittest.main()
