"""burin: why a GPU kernel is slow, on which line, what to change, and what it gains; without a GPU.

    import burin
    kernel = burin.open("a.out").kernel("transpose")
    p = burin.predict(kernel, (256, 256), (32, 8), ["buf:256M:f32", "buf:256M", 8192], machine="h200")
    print(p.time_us)   # one field of the JSON
    print(p)           # the whole report

docs/python.md is the guide. `burin.triton` and `burin.kernel_tuner` join it with those; they are
imported when first used.
"""

from ._burin import __version__
from .answer import Advice, Answer, Explanation, Prediction, Run
from .arguments import Empty
from .commands import advise, explain, machines, predict, run
from .errors import Error, Warning
from .files import Capture, File, Kernel, open

# Without `open` and `Warning`: `from burin import *` must not replace Python's own.
__all__ = ["Advice", "Answer", "Capture", "Empty", "Error", "Explanation", "File", "Kernel",
           "Prediction", "Run", "advise", "explain", "machines", "predict", "run"]


def __getattr__(name):
    if name in ("triton", "kernel_tuner"):
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
