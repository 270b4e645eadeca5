#!/usr/bin/env python3
"""Is the repository still light? All tracked files together, as a clone has them:

    git ls-files -z | xargs -0 du -cb | tail -1

What is large and seldom read as text goes into an archive of scripts/corpus.py.
"""

import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST_BYTES = 32 << 20


def tracked_files():
    """None where this is no checkout of git."""
    try:
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    except FileNotFoundError:
        return None
    if done.returncode != 0 or not (ROOT / ".git").exists():
        return None
    return [ROOT / name.decode() for name in done.stdout.split(b"\0") if name]


class RepositorySize(unittest.TestCase):
    def test_tracked_files_stay_under_32_mib(self):
        files = tracked_files()
        if files is None:
            self.skipTest("this is no checkout of git")
        sizes = {path: path.lstat().st_size for path in files if path.exists()}
        largest = sorted(sizes, key=sizes.get, reverse=True)[:5]
        told = ", ".join(f"{path.relative_to(ROOT)} ({sizes[path]:,} bytes)" for path in largest)
        self.assertLessEqual(sum(sizes.values()), MOST_BYTES, f"the largest are {told}")


if __name__ == "__main__":
    unittest.main()
