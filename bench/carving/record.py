"""Counts every configuration of the specs in bench/tuning/kernels: `burin carve --count-only`.

One file per spec, NAME.csv, which holds all its problem sizes. It grows as configurations are
counted, so that a run that is stopped goes on where it was.
"""

import pathlib
import subprocess
import time

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "tuning" / "kernels"

# Small spaces first: if the time is short, most of them are complete.
SPECS = ("coulombic_potential", "matrix_product", "layer_norm", "softmax", "mri_fhd", "sum_of_absolute_differences",
         "convolution", "batched_matvec", "nbody", "histogram", "transpose", "spmv", "stencil", "gemm",
         "reduction", "contraction_d1_5", "contraction_d1_6")


def record(burin, out, names, seconds, compilers, predict):
    """Returns the number of specs that could not be counted."""
    out.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    failures = 0
    for name in names or SPECS:
        done = out / f"{name}.done"
        left = end - time.monotonic()
        if done.exists() or left < 2:
            continue
        started = time.monotonic()
        command = [burin, "carve", KERNELS / f"{name}.toml", "--counts", out / f"{name}.csv",
                   "--count-only", "--quiet", "--time-limit", f"{left:.0f}"]
        if predict:
            command.append("--predict")
        if compilers:
            command += ["--compilers", str(compilers)]
        ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        print(f"{name}: {time.monotonic() - started:.0f} s, exit status {ran.returncode}: "
              f"{(ran.stdout or ran.stderr).strip()[:300]}", flush=True)
        if ran.returncode != 0:
            failures += 1
        elif "stopped" not in ran.stdout:
            done.touch()
    return failures
