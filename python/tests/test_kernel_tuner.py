"""Kernel Tuner's spaces, cache files and strategies. It need not be installed."""

import importlib.util
import json
import os
import pathlib
import shutil
import tempfile
import types
import unittest

import burin.kernel_tuner as bkt
from common import SOURCE, Case

VECTOR_ADD = str(SOURCE / "examples/vector_add.cu")
ARGS = ["buf:64K:f32", "buf:64K:f32", "buf:64K", 16384]
needs_nvcc = unittest.skipIf(
    not shutil.which("nvcc") and not os.path.exists("/usr/local/cuda/bin/nvcc"), "nvcc is missing")


class Spaces(Case):
    def test_launch_shapes_are_kernel_tuners(self):
        space = bkt.Space("k", "k.cu", (1000, 30), [], {
            "block_size_x": [32, 64], "block_size_y": [4], "tile": [1, 2]},
            grid_div_x=["block_size_x", "tile"], restrictions=["block_size_x*tile < 128"])
        self.assertEqual([space.key(c) for c in space.configurations()], ["32,4,1", "32,4,2", "64,4,1"])
        config = {"block_size_x": 32, "block_size_y": 4, "tile": 2}
        self.assertEqual((space.grid(config), space.block(config)), ((16, 8, 1), (32, 4, 1)))
        one = bkt.Space("k", "k.cu", 1000, [], {"tile": [1]}, restrictions=lambda c: c["tile"] > 1)
        self.assertEqual((one.grid({}), one.block({}), list(one.configurations())),
                         ((4, 1, 1), (256, 1, 1), []))
        self.assertEqual(self.sentence(bkt.Space, "k", "k.cu", 1, [], {"tile": []}),
                         "tune_params: tile has no values")

    @needs_nvcc
    def test_predicted_space(self):
        space = bkt.Space("vector_add", VECTOR_ADD, 16384, ARGS, {"block_size_x": [64, 256, 2048]},
                          machine="h200")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cache.json"
            space.write_cache(path)
            cache = json.loads(path.read_text())
            rows = bkt.read_cache(path)
            cut = pathlib.Path(folder) / "cut.json"  # as Kernel Tuner leaves it while it tunes
            cut.write_text(json.dumps(cache)[:-2] + ",")
            self.assertEqual(bkt.read_cache(cut), rows)
        self.assertEqual((cache["device_name"], cache["problem_size"], list(cache["cache"])),
                         ("burin h200", [16384], ["64", "256", "2048"]))
        self.assertEqual(cache["cache"]["2048"]["time"], "InvalidConfig")
        times = [row["time"] for row in rows[:2]]
        self.assertEqual(times, [row["time"] for row in map(
            space.predict, ({"block_size_x": 64}, {"block_size_x": 256}))])
        self.assertTrue(all(0 < time < 1 for time in times))  # milliseconds

        ran = []
        runner = types.SimpleNamespace(run=lambda elements, options: ran.extend(elements) or elements)
        searchspace = types.SimpleNamespace(sorted_list=lambda: [(2048,), (64,), (256,)])
        bkt.Strategy(space, max_fevals=2).tune(searchspace, runner, None)
        self.assertEqual(ran, [(row["block_size_x"],) for row in space.rows()[:2]])

    @needs_nvcc
    @unittest.skipIf(importlib.util.find_spec("kernel_tuner") is None, "Kernel Tuner is missing")
    def test_kernel_tuner_itself(self):
        import kernel_tuner
        import numpy

        a = numpy.ones(16384, "f4")
        args = [a, a, numpy.zeros_like(a), numpy.int32(16384)]
        params = {"block_size_x": [32, 64, 256, 1024]}
        space = bkt.Space("vector_add", VECTOR_ADD, 16384, args, params, machine="h200")
        with tempfile.TemporaryDirectory() as folder:
            cache = os.path.join(folder, "cache.json")
            space.write_cache(cache)
            for strategy, count in ((None, 4), (bkt.Strategy(space, max_fevals=2), 2)):
                rows, _ = kernel_tuner.tune_kernel("vector_add", VECTOR_ADD, 16384, args, params,
                                                   simulation_mode=True, cache=cache, lang="CUDA",
                                                   strategy=strategy, quiet=True)
                self.assertEqual(len(rows), count)
                self.assertEqual(min(row["time"] for row in rows), space.rows()[0]["time"])

    @needs_nvcc
    def test_what_does_not_compile_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "k.cu"
            path.write_text("__global__ void k() { no; }")
            space = bkt.Space("k", path, 64, [], {"block_size_x": [64]})
            self.assertEqual(space.predict({"block_size_x": 64})["time"], "CompilationFailedConfig")
            self.assertRegex(self.sentence(space.write_cache, path.with_suffix(".json")),
                             "no configuration of k can be predicted")
            self.assertFalse(path.with_suffix(".json").exists())

    def test_bad_cache_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.json"
            for text, sentence in (("{", "it is not JSON"), ("[]", "it has no cache")):
                path.write_text(text)
                self.assertEqual(self.sentence(bkt.read_cache, path),
                                 f"{path}: is not a cache file of Kernel Tuner: {sentence}")
            self.assertRegex(self.sentence(bkt.read_cache, folder), "cannot be read")


if __name__ == "__main__":
    unittest.main()
