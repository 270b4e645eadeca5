"""Triton kernels: predicted from what Triton compiled, and autotuned with fewer measurements.

    import burin.triton

    compiled = softmax_kernel.warmup(x, y, n, BLOCK=1024, grid=(rows,))
    burin.triton.predict(compiled, [x, y, n], (rows,)).time_us

    @burin.triton.autotune(configs, key=["M", "N", "K"], top_k=4)
    @triton.jit
    def matmul_kernel(…): …

Triton is imported only by `autotune`; the rest reads what it left in memory or in its cache.
"""

from __future__ import annotations

import inspect
import itertools
import json as _json
import os
import struct
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import commands
from .answer import Advice, Explanation, Prediction
from .arguments import USAGE
from .errors import Error, Warning
from .files import File, Kernel, open, open_bytes

_INTEGERS = {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8,
             "u1": 1, "u8": 1, "u16": 2, "u32": 4, "u64": 8}
_METADATA = ("num_warps", "shared", "num_ctas", "num_stages", "global_scratch_size",
             "profile_scratch_size", "triton_version", "name")
_FLOAT_FILLS = {2: "f16", 4: "f32", 8: "f64"}
_MAX_COPIED_BYTES = 256 << 20  # of an integer tensor on a GPU


def cache_folder() -> str:
    """Where Triton caches what it compiles: TRITON_CACHE_DIR, or ~/.triton/cache."""
    return os.environ.get("TRITON_CACHE_DIR") or os.path.join(
        os.environ.get("TRITON_HOME") or os.path.expanduser("~"), ".triton", "cache")


def cached(folder: Optional[str] = None) -> File:
    """All kernels in a cache of Triton, as :func:`burin.open` returns them.

    >>> burin.triton.cached().table()  # doctest: +SKIP
    """
    return open(folder or cache_folder())  # type: ignore[return-value]


def kernel_of(compiled: Any) -> Kernel:
    """The kernel inside Triton's CompiledKernel, or of a cubin in its cache.

    A path may name the cubin, or a folder of the cache that has one kernel.
    """
    if isinstance(compiled, Kernel):
        return compiled
    if isinstance(compiled, (str, os.PathLike)):
        return commands._only_kernel(compiled, {})
    asm, metadata = getattr(compiled, "asm", None), getattr(compiled, "metadata", None)
    if asm is None or metadata is None:
        raise Error(f"{type(compiled).__name__} is not a compiled Triton kernel; pass what "
                    "kernel.warmup(…) or kernel[grid](…) returns, or a cubin of its cache", USAGE)
    if "cubin" not in asm:
        raise Error(f"the Triton kernel is compiled to {', '.join(asm)}, not to a cubin; burin reads "
                    "code for NVIDIA's GPUs")
    fields = metadata._asdict() if hasattr(metadata, "_asdict") else dict(metadata)
    missing = [name for name in ("num_warps", "shared", "name") if name not in fields]
    if missing:
        raise Error(f"the Triton kernel's metadata has no {missing[0]}; burin reads that of Triton "
                    "2.1 to 3.8")
    kept = {name: fields[name] for name in _METADATA if name in fields}
    name = "".join(c if c.isalnum() or c in "_.-" else "_" for c in fields["name"])[:150]
    file = open_bytes(name + ".cubin", {name + ".cubin": asm["cubin"],
                                        name + ".json": _json.dumps(kept).encode()})
    return file.kernel(fields["name"])


def _tensor_text(value: Any, where: str) -> Any:
    """A tensor as a buffer. Values of integers count, as they may be indices; of floats they do not,
    since the time of an instruction does not depend on them."""
    if not hasattr(value, "data_ptr") or not hasattr(value, "element_size"):
        if hasattr(value, "__cuda_array_interface__"):
            given = value.__cuda_array_interface__
            if given.get("strides") is not None:
                raise Error(f"{where}: the array is not contiguous; pass a copy", USAGE)
            item = int(given["typestr"][2:])
            count = 1
            for n in given["shape"]:
                count *= n
            fill = _FLOAT_FILLS.get(item, "u8") if given["typestr"][1] == "f" else "zero"
            return f"buf:{max(1, count * item)}:{fill}"
        return value
    item = value.element_size()
    span = (1 + sum((n - 1) * s for n, s in zip(value.shape, value.stride()))) * item
    if value.numel() == 0:
        return "u64:0"
    if value.dtype.is_floating_point:
        return f"buf:{span}:{_FLOAT_FILLS.get(item, 'u8')}"
    if value.is_contiguous() and span <= _MAX_COPIED_BYTES:
        return value.detach().cpu().numpy()
    return f"buf:{span}"


def _scalar_text(value: Any, kind: str, where: str) -> str:
    value = value.item() if hasattr(value, "item") else value
    if kind in _INTEGERS:
        bits = int(value) & (1 << 8 * _INTEGERS[kind]) - 1
        return "hex:" + bits.to_bytes(_INTEGERS[kind], "little").hex()
    if kind == "fp64":
        return f"f64:{float(value)!r}"
    if kind in ("fp32", "f32", "float"):
        return f"f32:{float(value)!r}"
    if kind in ("fp16", "f16"):
        return "hex:" + struct.pack("<e", float(value)).hex()
    if kind == "bf16":
        return "hex:" + struct.pack("<f", float(value))[2:].hex()
    raise Error(f"{where}: burin cannot pass Triton's type {kind}"
                + (" (a tensor descriptor); use pointers instead" if "desc" in kind else ""), USAGE)


def arguments_of(compiled: Any, args: Union[Sequence, Mapping]) -> list:
    """The arguments that the compiled kernel takes: constants and values that Triton compiled into
    the code (such as a stride of 1) are left out.

    `args` has all arguments of the kernel by name, all of them in order, or in order those that are
    not constants.
    """
    signature = getattr(getattr(compiled, "src", None), "signature", None)
    if not isinstance(signature, dict):
        if isinstance(args, Mapping):
            raise Error("the names of the arguments are not in Triton's cache; pass a list", USAGE)
        return [_tensor_text(value, f"argument {k}") for k, value in enumerate(args)]
    names = {name: kind for name, kind in signature.items()}
    taken = [name for name, kind in names.items() if kind != "constexpr"]
    if isinstance(args, Mapping):
        values = dict(args)
    elif len(args) == len(names):
        values = dict(zip(names, args))
    elif len(args) == len(taken):
        values = dict(zip(taken, args))
    else:
        fn = getattr(getattr(compiled, "src", None), "fn", None)
        declared = [p.name for p in getattr(fn, "params", []) if not getattr(p, "is_constexpr", False)]
        if len(args) != len(declared):
            raise Error(f"the kernel takes {len(taken)} arguments ({', '.join(map(str, taken))}), and "
                        f"{len(args)} were passed", USAGE)
        values = dict(zip(declared, args))
    made = []
    for name in taken:
        if name not in values:
            raise Error(f"argument {name} of the Triton kernel is missing", USAGE)
        kind = names[name]
        if not isinstance(kind, str):
            raise Error(f"argument {name}: burin cannot pass tuples to Triton kernels", USAGE)
        if isinstance(values[name], str):
            made.append(values[name])
        elif kind.startswith("*"):
            made.append(_tensor_text(values[name], f"argument {name}"))
        else:
            made.append(_scalar_text(values[name], kind, f"argument {name}"))
    return made


def this_machine() -> Optional[str]:
    """The machine of the GPU that PyTorch uses here; None if there is none that burin knows."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return None
    gpu = torch.cuda.get_device_name().lower()
    known = [m["name"] for m in commands.machines().json["machines"]]
    return max((name for name in known if name in gpu), key=len, default=None)


def _grid(grid: Any, meta: Mapping) -> Any:
    return grid(dict(meta)) if callable(grid) else grid


def predict(kernel: Any, args: Union[Sequence, Mapping] = (), grid: Any = None, *,
            machine: Optional[str] = None, **options: Any) -> Prediction:
    """How long a launch of a compiled Triton kernel takes. No GPU is used.

    `kernel` is Triton's CompiledKernel, or a cubin in its cache. Block size and shared memory are
    Triton's. Tensors may be on the GPU: of floats only the size matters, integers are copied.

    >>> compiled = add_kernel.warmup(x, y, out, n, BLOCK=1024, grid=(977,))  # doctest: +SKIP
    >>> burin.triton.predict(compiled, [x, y, out, n], 977).time_us  # doctest: +SKIP
    """
    return commands.predict(kernel_of(kernel), grid, None, arguments_of(kernel, args),
                            machine=machine or this_machine(), **options)


def explain(kernel: Any, args: Union[Sequence, Mapping] = (), grid: Any = None, *,
            machine: Optional[str] = None, **options: Any) -> Explanation:
    """:func:`burin.explain` of a compiled Triton kernel."""
    return commands.explain(kernel_of(kernel), grid, None, arguments_of(kernel, args),
                            machine=machine or this_machine(), **options)


def advise(kernel: Any, args: Union[Sequence, Mapping] = (), grid: Any = None, *,
           machine: Optional[str] = None, **options: Any) -> Advice:
    """:func:`burin.advise` of a compiled Triton kernel."""
    return commands.advise(kernel_of(kernel), grid, None, arguments_of(kernel, args),
                           machine=machine or this_machine(), **options)


class PerfModel:
    """A performance model for ``triton.autotune(prune_configs_by={"perf_model": …, "top_k": k})``:
    the predicted time of a configuration in µs.

    Calling it compiles the configuration and predicts its launch. A configuration that does not
    compile, or that needs more than a block has, takes forever; one that burin cannot predict takes
    no time, so that it is measured.
    """

    def __init__(self, fn: Any = None, machine: Optional[str] = None, **options: Any) -> None:
        self.fn = fn
        self.machine = machine
        self.options = options
        self.times: dict = {}  # configuration, as text, to predicted µs

    def compile(self, grid: Any = None, warmup: Any = None, **values: Any) -> Any:
        """Triton's CompiledKernel for these arguments and meta-parameters; nothing is launched."""
        if self.fn is None:
            raise Error("the performance model does not know its kernel; use "
                        "burin.triton.perf_model(kernel) or burin.triton.autotune", USAGE)
        return self.fn.warmup(grid=grid, **values)

    def _values(self, given: Mapping) -> dict:
        fn = self.fn
        while not hasattr(fn, "params") and hasattr(fn, "fn"):
            fn = fn.fn
        defaults = {p.name: p.default for p in getattr(fn, "params", [])
                    if getattr(p, "default", inspect.Parameter.empty) is not inspect.Parameter.empty}
        return {**defaults, **given}

    def time_us(self, compiled: Any, grid: Any = None, warmup: Any = None, **values: Any) -> float:
        """The predicted time of a launch of what :meth:`compile` returned."""
        try:
            given = self._values(values)
            return predict(compiled, given, _grid(grid, given),
                           machine=self.machine, **self.options).time_us
        except Error as problem:
            if "shared memory" in problem.message or "threads" in problem.message:
                return float("inf")  # more than a block may have
            warnings.warn(f"not predicted, so measured: {problem.message}", Warning, stacklevel=2)
            return 0.0

    def __call__(self, **given: Any) -> float:
        try:
            compiled = self.compile(**given)
        except Error:
            raise
        except Exception as problem:  # whatever Triton's compiler raises
            warnings.warn(f"does not compile: {problem}", Warning, stacklevel=2)
            return float("inf")
        return self.time_us(compiled, **given)

    def prune(self, configs: Sequence, named_args: Mapping, top_k: int, **kwargs: Any) -> list:
        """The `top_k` configurations with the smallest predicted times: for ``early_config_prune``.

        While Triton compiles one configuration, those before it are predicted by other threads.
        """
        if len(configs) <= top_k:
            return list(configs)
        cores = len(os.sched_getaffinity(0))
        workers = max(1, min(8, cores - 1))
        self.options.setdefault("threads", max(1, cores // workers))
        if self.machine is None:
            self.machine = this_machine()
        with ThreadPoolExecutor(workers) as pool:
            futures = []
            for config in configs:
                given = {**named_args, **kwargs, **config.all_kwargs()}
                try:
                    compiled = self.compile(**given)
                except Exception as problem:  # whatever Triton's compiler raises
                    warnings.warn(f"{config}: does not compile: {problem}", Warning, stacklevel=2)
                    continue
                futures.append((config, pool.submit(self.time_us, compiled, **given)))
            timed = [(future.result(), place, config) for place, (config, future) in enumerate(futures)]
        self.times.update({str(config): time for time, _, config in timed})
        chosen = [config for time, _, config in sorted(timed, key=lambda t: t[:2])
                  if time != float("inf")][:top_k]
        return chosen or list(configs)


def perf_model(fn: Any, machine: Optional[str] = None, **options: Any) -> PerfModel:
    """A :class:`PerfModel` of a ``@triton.jit`` function.

    >>> tuned = triton.autotune(configs, key=["n"], prune_configs_by={
    ...     "perf_model": burin.triton.perf_model(kernel), "top_k": 4})(kernel)  # doctest: +SKIP
    """
    return PerfModel(fn, machine, **options)


def try_options(fn: Any, args: Mapping, grid: Any, *, num_warps: Sequence[int] = (1, 2, 4, 8, 16),
                machine: Optional[str] = None, **meta: Any) -> list:
    """Compiles a ``@triton.jit`` function with other numbers of warps and predicts each. No GPU is used.

    `args` maps the names of the arguments to their values. Meta-parameters are given by name; one
    that is a list is tried with each of its values, as is ``num_stages=[2, 3, 4]``. The result has
    one dict per combination, with its meta-parameters and "time_us", fastest first. What does not
    compile, or needs more than a block has, is left out.

    >>> burin.triton.try_options(softmax_kernel, dict(out=out, x=x, n=n), (4096,),
    ...                          BLOCK=[1024, 2048])[0]  # doctest: +SKIP
    {'BLOCK': 2048, 'num_warps': 8, 'time_us': 21.4}
    """
    model = PerfModel(fn, machine or this_machine())
    choices = {name: list(value) if isinstance(value, (list, tuple)) else [value]
               for name, value in {**meta, "num_warps": num_warps}.items()}
    tried = []
    for values in itertools.product(*choices.values()):
        combination = dict(zip(choices, values))
        time_us = model(grid=grid, **args, **combination)
        if 0 < time_us < float("inf"):
            tried.append({**combination, "time_us": time_us})
    return sorted(tried, key=lambda t: t["time_us"])


def autotune(configs: Sequence, key: Sequence[str], top_k: int = 4, machine: Optional[str] = None,
             options: Optional[dict] = None, **triton_options: Any) -> Callable:
    """``triton.autotune`` that measures only the `top_k` configurations with the smallest predicted
    times. `options` are those of :func:`burin.predict`, `triton_options` those of triton.autotune.

    >>> @burin.triton.autotune(configs, key=["M", "N", "K"], top_k=4)  # doctest: +SKIP
    ... @triton.jit
    ... def matmul_kernel(a, b, c, M, N, K, BLOCK_M: tl.constexpr): ...
    """
    import triton

    def decorate(fn: Any) -> Any:
        model = PerfModel(fn, machine, **(options or {}))

        def prune(configs: Sequence, named_args: Mapping, **kwargs: Any) -> list:
            return model.prune(configs, named_args, top_k, **kwargs)

        tuned = triton.autotune(configs=configs, key=key,
                                prune_configs_by={"early_config_prune": prune}, **triton_options)(fn)
        tuned.burin_model = model
        return tuned

    return decorate
