"""`pip install --no-build-isolation .`: the Python package, from its own folder."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from package import install  # noqa: E402

install(pathlib.Path("."))
