"""What the tests share: the examples, and a fault as its sentence."""

import os
import pathlib
import unittest

import burin

SOURCE = pathlib.Path(os.environ.get("BURIN_SOURCE", pathlib.Path(__file__).resolve().parents[2]))
VECTOR_ADD = str(SOURCE / "examples/vector_add.sm_90.cubin")
CAPTURE = str(SOURCE / "tests/data/capture/triton_softmax.burin")
WHEEL = str(SOURCE / "fuzz/corpus/zip/wheel.whl")

try:
    import numpy
except ImportError:
    numpy = None

needs_numpy = unittest.skipIf(numpy is None, "NumPy is not installed")


class Case(unittest.TestCase):
    maxDiff = None

    def sentence(self, function, *args, **options):
        """The sentence of the burin.Error that the call raises."""
        with self.assertRaises(burin.Error) as caught:
            function(*args, **options)
        self.assertEqual(str(caught.exception), caught.exception.message)
        return caught.exception.message
