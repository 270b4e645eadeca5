"""Triton kernels, as its cache and its CompiledKernel have them. Triton itself need not be
installed: the kernel is one of our own, beside metadata of the form that Triton 3.6 writes."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import warnings

import burin
import burin.triton
from common import VECTOR_ADD, Case, needs_numpy, numpy

METADATA = {"name": "vector_add", "num_warps": 8, "num_ctas": 1, "num_stages": 3, "shared": 0,
            "global_scratch_size": None, "global_scratch_align": None, "profile_scratch_size": 0,
            "triton_version": "3.6.0", "target": {"backend": "cuda", "arch": 90, "warp_size": 32}}
SIGNATURE = {"a": "*fp32", "b": "*fp32", "out": "*fp32", "n": "i32", "one": "constexpr",
             "BLOCK": "constexpr"}
ARGS = ["buf:64K:f32", "buf:64K:f32", "buf:64K", "i32:16384"]


def compiled_kernel(metadata=METADATA, signature=SIGNATURE, asm=None):
    fields = collections.namedtuple("KernelMetadata", sorted(metadata))
    cubin = pathlib.Path(VECTOR_ADD).read_bytes()
    return types.SimpleNamespace(asm=asm or {"ptx": "…", "cubin": cubin}, metadata=fields(**metadata),
                                 src=types.SimpleNamespace(signature=signature))


class Tensor:
    """What burin asks of a torch.Tensor on a GPU."""

    def __init__(self, shape, stride=None, item=4, is_float=True):
        self.shape, self.item = shape, item
        self._stride = stride or tuple(int(numpy.prod(shape[k + 1:])) for k in range(len(shape)))
        self.dtype = types.SimpleNamespace(is_floating_point=is_float)

    data_ptr = lambda self: 0x7f0000000000
    element_size = lambda self: self.item
    stride = lambda self: self._stride
    numel = lambda self: int(numpy.prod(self.shape))
    is_contiguous = lambda self: True
    detach = cpu = lambda self: self
    numpy = lambda self: numpy.arange(self.numel(), dtype="i4").reshape(self.shape)


class Cache(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.cache = pathlib.Path(self.folder.name)
        self.add("HASH1", METADATA)

    def add(self, entry, metadata):
        (self.cache / entry).mkdir()
        (self.cache / entry / "vector_add.cubin").write_bytes(pathlib.Path(VECTOR_ADD).read_bytes())
        (self.cache / entry / "vector_add.json").write_text(json.dumps(metadata))
        (self.cache / entry / "__grp__vector_add.json").write_text("{}")
        return str(self.cache / entry / "vector_add.cubin")

    def command(self, *words):
        done = subprocess.run([os.environ["BURIN_BINARY"], *words], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    def test_kernels(self):
        cached = burin.triton.cached(str(self.cache))
        self.assertEqual((cached.format, [k.name for k in cached.kernels]), ("folder", ["vector_add"]))
        status, out, _ = self.command("inspect", str(self.cache))
        self.assertEqual(status, 0)
        self.assertIn("HASH1/vector_add.cubin\n", out)

    def test_block_size_and_shared_memory_are_tritons(self):
        for path in (self.cache, self.cache / "HASH1", self.cache / "HASH1/vector_add.cubin"):
            answer = burin.triton.predict(path, ARGS, 16, machine="h200")
            self.assertEqual(answer.launch.block, [256, 1, 1])
        shared = self.add("HASH2", {**METADATA, "num_warps": 4, "shared": 1024})
        answer = burin.triton.predict(shared, ARGS, (16,), machine="h200")
        self.assertEqual((answer.launch.block, answer.launch.dynamic_shared_bytes), ([128, 1, 1], 1024))
        words = [w for a in ARGS for w in ("--arg", a)]
        status, out, _ = self.command("advise", shared, "--grid", "16", *words, "--machine", "h200")
        self.assertEqual((status, out.split(":")[0]), (0, "vector_add on h200"))

    def test_several_builds_are_not_guessed(self):
        self.add("HASH2", METADATA)
        words = [w for a in ARGS for w in ("--arg", a)]
        status, _, problem = self.command("predict", str(self.cache), "--grid", "16", *words)
        self.assertEqual((status, problem), (3, f"burin: {self.cache}: has 2 builds of vector_add for "
                         "sm_90; name one: HASH1/vector_add.cubin and HASH2/vector_add.cubin\n"))
        self.assertRegex(self.sentence(burin.triton.predict, self.cache, ARGS, 16), "has 2 kernels")

    def test_another_version(self):
        other = self.add("HASH9", {"triton_version": "9.0", "num_warps": 4})
        self.assertEqual(
            self.sentence(burin.triton.predict, other, ARGS, 16),
            str(self.cache / "HASH9/vector_add.json") + ": has no shared; burin reads the metadata of "
            "Triton 2.1 to 3.8, and this is of 9.0")


class Compiled(Case):
    def test_predict(self):
        answer = burin.triton.predict(compiled_kernel(), ARGS, (16,), machine="h200")
        self.assertEqual((answer.kernel, answer.launch.block), ("vector_add", [256, 1, 1]))
        self.assertEqual(answer.time_us, burin.predict(
            VECTOR_ADD, 16, 256, ARGS, machine="h200").time_us)
        self.assertEqual(burin.triton.explain(compiled_kernel(), ARGS, 16, machine="h200",
                                              no_regions=True).schema, "burin.explain/1")

    @needs_numpy
    def test_arguments(self):
        kernel, x = compiled_kernel(), Tensor((64, 32))
        wanted = ["buf:8192:f32", "buf:8192:f32", "buf:8192:f32", "hex:00080000"]
        for args in ([x, x, x, 2048, 1, 256], [x, x, x, 2048],
                     {"a": x, "b": x, "out": x, "n": 2048, "one": 1, "BLOCK": 256, "more": 0}):
            self.assertEqual(burin.triton.arguments_of(kernel, args), wanted)
        made = burin.triton.arguments_of(kernel, [Tensor((64, 8), (40, 1), 2), Tensor((4,), is_float=False),
                                                  Tensor((3,), item=1), -1])
        self.assertEqual(made[0], f"buf:{(63 * 40 + 8) * 2}:f16")  # from the first to the last element
        self.assertEqual(list(made[1]), [0, 1, 2, 3])              # indices are copied
        self.assertEqual(made[2:], ["buf:3:u8", "hex:ffffffff"])

    def test_sentences(self):
        predict = burin.triton.predict
        self.assertEqual(self.sentence(predict, compiled_kernel(), ["buf:4"], 16),
                         "the kernel takes 4 arguments (a, b, out, n), and 1 were passed")
        self.assertEqual(self.sentence(predict, compiled_kernel(), {"a": "buf:4"}, 16),
                         "argument b of the Triton kernel is missing")
        self.assertEqual(self.sentence(predict, compiled_kernel(asm={"hsaco": b""}), ARGS, 16),
                         "the Triton kernel is compiled to hsaco, not to a cubin; burin reads code for "
                         "NVIDIA's GPUs")
        self.assertEqual(self.sentence(predict, compiled_kernel({"name": "k", "shared": 0}), ARGS, 16),
                         "the Triton kernel's metadata has no num_warps; burin reads that of Triton 2.1 "
                         "to 3.8")
        self.assertRegex(self.sentence(predict, 7, ARGS, 16), "int is not a compiled Triton kernel")
        described = compiled_kernel(signature={**SIGNATURE, "n": "tensordesc<fp16[64, 64]>"})
        self.assertRegex(self.sentence(predict, described, ["buf:4"] * 3 + [1], 16), "tensor descriptor")


class Config:
    def __init__(self, BLOCK, num_warps=4):
        self.kwargs, self.num_warps = {"BLOCK": BLOCK}, num_warps

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps}

    def __str__(self):
        return f"BLOCK: {self.kwargs['BLOCK']}, num_warps: {self.num_warps}"


class Function:
    """What burin asks of a @triton.jit function: warmup() compiles and launches nothing."""

    params = [types.SimpleNamespace(name="one", default=1, is_constexpr=False)]

    def __init__(self):
        self.compiled = []

    def warmup(self, *, grid, num_warps, BLOCK, **given):
        if BLOCK == 13:
            raise ValueError("arange's range must be a power of 2")
        self.compiled.append(BLOCK)
        return compiled_kernel({**METADATA, "num_warps": num_warps})


class Autotune(Case):
    ARGS = dict(zip(("a", "b", "out", "n"), ARGS))
    # One block of few warps is slower than many blocks.
    CONFIGS = [Config(16384), Config(4096), Config(1024), Config(256), Config(13)]

    @staticmethod
    def grid(meta):
        return (-(-16384 // meta["BLOCK"]),)

    def test_the_smallest_predicted_times_are_kept(self):
        fn = Function()
        model = burin.triton.PerfModel(fn, machine="h200")
        with self.assertWarnsRegex(burin.Warning, "does not compile: arange's range"):
            kept = model.prune(self.CONFIGS, self.ARGS, 2, grid=self.grid, warmup=False)
        self.assertEqual(fn.compiled, [16384, 4096, 1024, 256])
        times = [model.times[str(c)] for c in self.CONFIGS[:4]]
        self.assertEqual([str(c) for c in kept],
                         [str(c) for _, c in sorted(zip(times, self.CONFIGS), key=lambda t: t[0])[:2]])
        self.assertNotIn("BLOCK: 16384, num_warps: 4", [str(c) for c in kept])
        self.assertEqual(model.prune(self.CONFIGS[:2], self.ARGS, 2), self.CONFIGS[:2])

    def test_perf_model(self):
        model = burin.triton.perf_model(Function(), machine="h200")
        few, many = (model(**self.ARGS, **c.all_kwargs(), grid=self.grid, warmup=False)
                     for c in (self.CONFIGS[0], self.CONFIGS[2]))
        self.assertGreater(few, many)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.assertEqual(model(**self.ARGS, **Config(13).all_kwargs(), grid=4), float("inf"))
            # What burin cannot predict is measured.
            self.assertEqual(model(**dict(self.ARGS, a="buf:nonsense"), **Config(64).all_kwargs(),
                                   grid=4), 0.0)
        self.assertRegex(self.sentence(burin.triton.PerfModel(), grid=1), "does not know its kernel")

    def test_other_numbers_of_warps_are_compiled_and_predicted(self):
        fn = Function()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tried = burin.triton.try_options(fn, self.ARGS, self.grid, num_warps=[4, 8],
                                             machine="h200", BLOCK=[16384, 1024, 13])
        self.assertEqual(fn.compiled, [16384, 16384, 1024, 1024])
        self.assertEqual(sorted((t["BLOCK"], t["num_warps"]) for t in tried),
                         [(1024, 4), (1024, 8), (16384, 4), (16384, 8)])
        self.assertEqual([t["time_us"] for t in tried], sorted(t["time_us"] for t in tried))
        # One block of few warps is slower than many blocks.
        self.assertEqual(tried[0]["BLOCK"], 1024)

    def test_autotune(self):
        def autotune(configs, key, prune_configs_by, **options):
            def decorate(fn):
                prune = prune_configs_by["early_config_prune"]
                return types.SimpleNamespace(fn=fn, options=options, tune=lambda args, **kwargs: prune(
                    configs, args, **kwargs))
            return decorate

        sys.modules["triton"] = types.SimpleNamespace(autotune=autotune)
        self.addCleanup(sys.modules.pop, "triton")
        fn = Function()
        tuned = burin.triton.autotune(self.CONFIGS[:4], key=["n"], top_k=1, machine="h200",
                                      restore_value=["out"])(fn)
        self.assertIs(tuned.fn, fn)
        self.assertEqual(tuned.options, {"restore_value": ["out"]})
        self.assertEqual(len(tuned.tune(self.ARGS, grid=self.grid, warmup=False)), 1)
        self.assertEqual(len(tuned.burin_model.times), 4)


if __name__ == "__main__":
    unittest.main()
