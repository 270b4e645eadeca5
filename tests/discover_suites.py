#!/usr/bin/env python3
"""Registers the tests of a program with ctest: discover_suites.py PROGRAM PREFIX OUTPUT

Writes OUTPUT, which ctest includes: one test for each suite of the program, named PREFIX:SUITE. A
test for each case would start a process for each, which takes longer than most cases do, and far
longer under the sanitizers. What a suite holds is asked of the program itself, so that none can be
forgotten. A long suite becomes several tests, SUITE, SUITE+, SUITE++ …, for ctest to run side by side.
"""

import os
import subprocess
import sys

CASES_AT_MOST = 40
TIMEOUT_S = 600


def suites(listing):
    """{suite: [case, …]} from what --gtest_list_tests prints."""
    found = {}
    for line in listing.splitlines():
        words = line.split()
        if line.startswith("  "):
            found[suite].append(words[0])
        elif words and words[0].endswith("."):
            suite = words[0][:-1]
            found[suite] = []
    return found


def quoted(text):
    return f"[==[{text}]==]"


def tests(program, prefix, listing):
    """What ctest shall include."""
    text = ""
    for suite, cases in suites(listing).items():
        for first in range(0, len(cases), CASES_AT_MOST):
            part = cases[first : first + CASES_AT_MOST]
            chosen = f"{suite}.*" if len(part) == len(cases) else ":".join(f"{suite}.{c}" for c in part)
            name = quoted(f"{prefix}:{suite}" + "+" * (first // CASES_AT_MOST))
            text += f"add_test({name} {quoted(program)} {quoted('--gtest_filter=' + chosen)})\n"
            text += f"set_tests_properties({name} PROPERTIES TIMEOUT {TIMEOUT_S})\n"
    return text


def main():
    program, prefix, output = sys.argv[1:]
    listing = subprocess.run([program, "--gtest_list_tests"], check=True, capture_output=True, text=True)
    with open(output + ".new", "w", encoding="utf-8") as file:
        file.write(tests(os.path.abspath(program), prefix, listing.stdout))
    os.replace(output + ".new", output)


if __name__ == "__main__":
    main()
