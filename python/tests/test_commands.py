"""The functions of the package against the command line, and with arrays."""

import array
import json
import os
import pickle
import subprocess
import threading
import unittest

import burin
from common import CAPTURE, SOURCE, VECTOR_ADD, Case, needs_numpy, numpy

ARGS = ["buf:64K:f32", "buf:64K:f32", "buf:64K", 16384]


def command_line(*words):
    done = subprocess.run([os.environ["BURIN_BINARY"], *words, "--json"], capture_output=True,
                          check=True, cwd=SOURCE)
    return json.loads(done.stdout)


class Options(Case):
    def test_wrong_values_are_a_sentence(self):
        def predict(**options):
            burin.predict(VECTOR_ADD, 64, 256, ARGS, **options)

        for options, sentence in (
            ({"warm": "yes"}, "warm: expected True or False, not 'yes'"),
            ({"threads": -1}, "threads: expected a whole number, not negative, not -1"),
            ({"machine": 5}, "machine: expected a string, not 5"),
            ({"trips": [7]}, r"trips: expected a list of strings, not \[7\]"),
        ):
            with self.assertRaisesRegex(TypeError, sentence):
                predict(**options)
        with self.assertRaisesRegex(burin.Error, "grid: expected one to three whole numbers, not 1.5"):
            burin.predict(VECTOR_ADD, 1.5, 256, ARGS)

    def test_submodules_are_imported_when_used(self):
        self.assertTrue(callable(burin.triton.predict))
        self.assertTrue(callable(burin.kernel_tuner.Space))
        with self.assertRaisesRegex(AttributeError, "no attribute 'tritn'"):
            burin.tritn


class Files(Case):
    def test_kernels(self):
        kernel = burin.open(VECTOR_ADD).kernels[0]
        self.assertEqual((kernel.name, kernel.arch, kernel.registers, kernel.shared_bytes,
                          kernel.instructions), ("vector_add", "sm_90", 26, 0, 104))
        self.assertIn("registers", dir(kernel))
        with self.assertRaisesRegex(AttributeError, "Kernel has no regs; it has name, "):
            kernel.regs
        with self.assertRaisesRegex(AttributeError, "cannot be changed"):
            kernel.registers = 3

    def test_bytes(self):
        with open(VECTOR_ADD, "rb") as file:
            opened = burin.open(file.read())
        kernel = opened.kernel("vector_add")
        del opened  # the kernel keeps what it needs
        self.assertGreater(burin.predict(kernel, 16, 256, ARGS).time_us, 0)

    def test_table(self):
        rows = burin.open(VECTOR_ADD).table(pandas=False)
        self.assertEqual([(r["name"], r["registers"]) for r in rows], [("vector_add", 26)])

    def test_capture(self):
        capture = burin.open(CAPTURE)
        self.assertIsInstance(capture, burin.Capture)
        rows = capture.table(pandas=False)
        self.assertEqual([(r["kernel"], r["gpu"], r["time_us"]) for r in rows],
                         [("softmax_rows", "NVIDIA H200", 180.287)])
        self.assertEqual(capture.kernel_table(pandas=False)[0]["launches"], 1)
        self.assertEqual(capture.launch(1), CAPTURE + ":1")
        try:
            import pandas
        except ImportError:
            with self.assertRaises(ImportError):
                capture.table(pandas=True)
            self.assertEqual(capture.table(), rows)
        else:
            self.assertIsInstance(capture.table(), pandas.DataFrame)

    def test_sentences(self):
        self.assertEqual(self.sentence(burin.open, "/no/such/file"),
                         "/no/such/file: cannot open: No such file or directory")
        self.assertRegex(self.sentence(burin.open, SOURCE / "README.md"),
                         "README.md: is a text file, not a CUDA binary")
        self.assertRegex(self.sentence(burin.open(VECTOR_ADD).kernel, "transpose"),
                         "no kernel is named transpose; it has vector_add")


class Commands(Case):
    def test_predict_answers_as_the_command_line(self):
        answer = burin.predict(VECTOR_ADD, 16, 256, ARGS, machine="h200")
        there = command_line("predict", VECTOR_ADD, "--kernel", "vector_add", "--grid", "16",
                             "--block", "256", *[w for a in ARGS[:3] for w in ("--arg", a)],
                             "--arg", "i32:16384", "--machine", "h200")
        self.assertEqual(answer.json, there)
        self.assertEqual(answer.launch.grid, [16, 1, 1])
        self.assertTrue(str(answer).startswith("vector_add on h200: "))
        self.assertEqual(pickle.loads(pickle.dumps(answer)), answer)

    def test_explain_and_advise(self):
        kernel = burin.open(VECTOR_ADD).kernel("vector_add")
        explained = kernel.explain((16,), (256, 1), ARGS, machine="h200", no_regions=True,
                                   what_if="dram.bandwidth=2x")
        self.assertEqual(explained.schema, "burin.explain/1")
        self.assertEqual(len(explained.what_if), 1)
        advice = kernel.advise("16", "256", ARGS, machine="h200", top=2)
        self.assertEqual((advice.schema, advice.kernel), ("burin.advise/1", "vector_add"))
        self.assertIsInstance(advice.findings, list)

    def test_captured_launch(self):
        predicted = burin.predict(CAPTURE + ":1")
        self.assertEqual((predicted.kernel, predicted.recorded_us), ("softmax_rows", 180.287))
        self.assertRegex(self.sentence(burin.predict, burin.open(CAPTURE)), "capture.launch")
        self.assertRegex(self.sentence(burin.predict, CAPTURE + ":1", 4, 4), "already defines it")

    def test_options(self):
        cold = burin.predict(VECTOR_ADD, 16, 256, ARGS, machine="h200")
        warm = burin.predict(VECTOR_ADD, 16, 256, ARGS, machine="h200", warm=True)
        self.assertLess(warm.time_us, cold.time_us)
        with self.assertRaisesRegex(TypeError, "no option wram; did you mean warm?"):
            burin.predict(VECTOR_ADD, 16, 256, ARGS, wram=True)
        self.assertRegex(self.sentence(burin.predict, VECTOR_ADD, 16, 256, ARGS, machine="h300"),
                         "^unknown machine .*h300")
        self.assertRegex(self.sentence(burin.predict, VECTOR_ADD, None, 256, ARGS), "^--grid")
        self.assertRegex(self.sentence(burin.predict, VECTOR_ADD, (1, 2, 3, 4), 256, ARGS), "^grid: ")
        self.assertRegex(self.sentence(burin.predict, VECTOR_ADD, 16, 256, ARGS[:2]), "parameter")

    def test_other_threads_run_meanwhile(self):
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                stop.wait(0.0005)

        thread = threading.Thread(target=count)
        thread.start()
        try:
            before = counted[0]
            burin.predict(VECTOR_ADD, 4096, 256, ["buf:4M:f32", "buf:4M:f32", "buf:4M", 1 << 20])
            self.assertGreater(counted[0] - before, 5)
        finally:
            stop.set()
            thread.join()

    def test_machines(self):
        self.assertIn("h200", [m.name for m in burin.machines().machines])
        self.assertRegex(self.sentence(burin.machines, "h300"), "h300")


class RunsWithArrays(Case):
    @needs_numpy
    def test_results(self):
        a = numpy.arange(1000, dtype=numpy.float32)
        b = numpy.full((10, 100), 0.5, dtype=numpy.float32)
        ran = burin.run(VECTOR_ADD, 4, 256, [a, b, burin.Empty(1000), 1000])
        self.assertTrue(ran.passed)
        self.assertEqual(ran.faults, [])
        numpy.testing.assert_array_equal(ran.arrays[2], a + 0.5)
        self.assertEqual(ran.arrays[1].shape, (10, 100))
        self.assertIsNone(ran.arrays[3])
        ran.arrays[2][0] = 7  # it is the caller's

    @needs_numpy
    def test_in_place(self):
        a = numpy.ones(64, dtype=numpy.float32)
        c = numpy.zeros((8, 8), dtype=numpy.float32)
        ran = burin.run(VECTOR_ADD, 1, 64, [a, a, c, 64], out=[2])
        self.assertIs(ran.arrays[2], c)
        self.assertEqual(c.sum(), 128)

    def test_without_numpy(self):
        a = array.array("f", [1, 2, 3, 4])
        ran = burin.run(VECTOR_ADD, 1, 32, [a, a, array.array("f", [0] * 4), 4])
        self.assertEqual(list(ran.arrays[2]), [2, 4, 6, 8])

    @needs_numpy
    def test_faults_are_in_the_answer(self):
        a = numpy.ones(32, dtype=numpy.float32)
        ran = burin.run(VECTOR_ADD, 1, 64, [a, a, a.copy(), 64])
        self.assertFalse(ran.passed)
        self.assertTrue(ran.faults)

    @needs_numpy
    def test_unknown_bytes_are_named(self):
        with self.assertWarnsRegex(burin.Warning, "argument 2: 128 of its 128 bytes are Unknown"):
            ran = burin.run(VECTOR_ADD, 1, 32, ["buf:128", "buf:128", numpy.zeros(32, "f4"), 32])
        self.assertEqual(ran.unknown_bytes, {2: 128})


@needs_numpy
class BadArrays(Case):
    def refused(self, *args, out=()):
        return self.sentence(burin.run, VECTOR_ADD, 1, 32, list(args), out=out)

    def test_each_has_its_sentence(self):
        good = numpy.zeros(32, "f4")
        for bad, sentence in [
            (numpy.zeros((32, 2), "f4")[:, 0],
             "argument 1: the array is not contiguous, so its bytes are not one buffer; pass "
             "numpy.ascontiguousarray(x)"),
            (numpy.array([None] * 32), "argument 1: an array of object has no bytes that a GPU could "
                                       "use; convert it to a number type"),
            (numpy.array(["a"] * 32), "argument 1: an array of <U1 has no bytes that a GPU could use; "
                                      "convert it to a number type"),
            (numpy.zeros(32, ">f4"), "argument 1: the array is big-endian (>f4), and GPUs are "
                                     "little-endian; pass x.astype(x.dtype.newbyteorder('<'))"),
            (numpy.zeros(0, "f4"), "argument 1: the array is empty; a buffer has at least 1 byte"),
        ]:
            self.assertEqual(self.refused(good, bad, good, 32), sentence)
        self.assertRegex(self.refused(good, [1, 2], good, 32),
                         "argument 1: list is not an array, a number or a text")

    def test_outputs(self):
        good, fixed = numpy.zeros(32, "f4"), numpy.zeros(32, "f4")
        fixed.flags.writeable = False
        burin.run(VECTOR_ADD, 1, 32, [fixed, fixed, good, 32])  # inputs may be
        self.assertEqual(self.refused(good, good, fixed, 32, out=[2]),
                         "out: argument 2 is read-only, so it cannot take a result; pass a copy")
        self.assertEqual(self.refused(good, good, good, 32, out=[3]),
                         "out: argument 3 is not an array, so it cannot take a result")

    def test_gpu_arrays(self):
        class OnGpu:
            __cuda_array_interface__ = {}

        good = numpy.zeros(32, "f4")
        self.assertRegex(self.refused(good, OnGpu(), good, 32), "argument 1: the array is in GPU memory")

    def test_the_kernel_name_tells_types(self):
        from burin.arguments import Arguments, parameter_types

        self.assertEqual(parameter_types("void f<float>(float*, double const*, int)"),
                         ["float*", "double*", "int"])
        self.assertIsNone(parameter_types("vector_add"))
        name, sizes = "scale(float*, int, float)", [{"size": 8}, {"size": 4}, {"size": 4}]
        x = numpy.zeros(4)
        self.assertEqual(self.sentence(Arguments, [x, 1, 2.0], sizes, name),
                         "argument 0: the array is float64 and the kernel takes float*; pass "
                         "x.astype('float32')")
        self.assertEqual(self.sentence(Arguments, [x.astype("f4"), 1.5, 2.0], sizes, name),
                         "argument 1: the kernel takes a whole number here, not 1.5")
        self.assertEqual(Arguments([x.astype("f4"), 1, 2], sizes, name).texts[1:], ["i32:1", "f32:2.0"])
        self.assertEqual(self.sentence(Arguments, [x.astype("f4"), 1 << 40, 2.0], sizes, name),
                         "argument 1: 1099511627776 does not fit in the 4 bytes of the parameter")


if __name__ == "__main__":
    unittest.main()
