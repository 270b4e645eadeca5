"""Every example of docs/python.md and of the docstrings gives what it says."""

import doctest
import os
import unittest

import burin
import burin.answer
import burin.arguments
import burin.errors
import burin.files
import burin.table
from common import SOURCE, numpy


def load_tests(loader, tests, pattern):
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    for module in (burin.answer, burin.arguments, burin.errors, burin.files, burin.table):
        tests.addTests(doctest.DocTestSuite(module, optionflags=options))
    if numpy is not None:
        tests.addTests(doctest.DocFileSuite(
            str(SOURCE / "docs/python.md"), module_relative=False, optionflags=options))
    return tests


if __name__ == "__main__":
    os.chdir(SOURCE)
    unittest.main()
