"""`pip install --no-build-isolation .`: the Python package, from the top of the repository."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "python"))

from package import install  # noqa: E402

install(pathlib.Path("python"))
