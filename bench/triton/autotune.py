"""What `burin.triton.autotune` saves, and what it loses: triton.autotune over all configurations of
three kernels, against measuring only the top k by predicted time.

    python3 bench/triton/autotune.py --out results.json [--top-k 4] [--only softmax]

Needs a GPU, PyTorch, Triton and the package burin. For each kernel and problem: every configuration
is compiled and measured (triton.testing.do_bench, which flushes the L2 cache before each launch) and
predicted. `lost` is the time of the configuration that pruning picks over that of the best, minus 1.
Both ways start with an empty cache of Triton, so that both compile.
"""

import argparse
import json
import os
import platform
import shutil
import tempfile
import time
import warnings

os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="triton-cache-")

import torch
import triton
import triton.language as tl

import burin
import burin.triton


@triton.jit
def matmul(a, b, c, M, N, K, stride_am, stride_bk, stride_cm,
           BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inner = tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    at_a = a + rows[:, None] * stride_am + inner[None, :]
    at_b = b + inner[:, None] * stride_bk + columns[None, :]
    for _ in range(0, K, BLOCK_K):
        total = tl.dot(tl.load(at_a), tl.load(at_b), total)
        at_a += BLOCK_K
        at_b += BLOCK_K * stride_bk
    tl.store(c + rows[:, None] * stride_cm + columns[None, :], total.to(tl.float16))


@triton.jit
def softmax(out, x, columns, BLOCK: tl.constexpr, ROWS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, BLOCK)
    inside = column[None, :] < columns
    at = row[:, None] * columns + column[None, :]
    value = tl.load(x + at, inside, other=float("-inf"))
    value = tl.exp(value - tl.max(value, 1)[:, None])
    tl.store(out + at, value / tl.sum(value, 1)[:, None], inside)


@triton.jit
def layer_norm(out, x, weight, bias, columns, epsilon, BLOCK: tl.constexpr):
    x += tl.program_id(0) * columns
    out += tl.program_id(0) * columns
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    squares = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        value = tl.load(x + column, column < columns, other=0.0)
        total += value
        squares += value * value
    mean = tl.sum(total, 0) / columns
    scale = 1 / tl.sqrt(tl.sum(squares, 0) / columns - mean * mean + epsilon)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < columns
        value = (tl.load(x + column, inside) - mean) * scale
        value = value * tl.load(weight + column, inside) + tl.load(bias + column, inside)
        tl.store(out + column, value, inside)


def config(warps=4, stages=3, **values):
    return triton.Config(values, num_warps=warps, num_stages=stages)


def matmul_problem(size):
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(2))
    c = torch.empty_like(a)
    configs = [config(warps, stages, BLOCK_M=m, BLOCK_N=n, BLOCK_K=k)
               for m, n in ((64, 64), (64, 128), (128, 64), (128, 128), (128, 256))
               for k in (32, 64) for warps in (4, 8) for stages in (2, 4)]
    grid = lambda meta: (triton.cdiv(size, meta["BLOCK_M"]), triton.cdiv(size, meta["BLOCK_N"]))
    return matmul, configs, grid, (a, b, c, size, size, size, size, size, size)


def softmax_problem(rows, columns):
    x = torch.randn(rows, columns, device="cuda")
    block = triton.next_power_of_2(columns)
    configs = [config(warps, BLOCK=block, ROWS=r) for r in (1, 2, 4, 8) for warps in (1, 2, 4, 8, 16)]
    grid = lambda meta: (triton.cdiv(rows, meta["ROWS"]),)
    return softmax, configs, grid, (torch.empty_like(x), x, columns)


def layer_norm_problem(rows, columns):
    x = torch.randn(rows, columns, device="cuda")
    configs = [config(warps, stages, BLOCK=block) for block in (256, 512, 1024, 2048, 4096)
               for warps in (1, 2, 4, 8, 16) for stages in (1, 3)]
    weight, bias = torch.randn(columns, device="cuda"), torch.randn(columns, device="cuda")
    return layer_norm, configs, lambda meta: (rows,), (torch.empty_like(x), x, weight, bias, columns, 1e-5)


PROBLEMS = {
    "matmul 2048": lambda: matmul_problem(2048),
    "softmax 8192x1000": lambda: softmax_problem(8192, 1000),
    "layer norm 8192x4096": lambda: layer_norm_problem(8192, 4096),
}


def forget(kernel):
    """Empties what Triton keeps of the kernel, in memory and on disk."""
    kernel.device_caches.clear()
    shutil.rmtree(os.environ["TRITON_CACHE_DIR"], ignore_errors=True)


def tuned(decorate, kernel, grid, args):
    forget(kernel)
    made = decorate(kernel)
    torch.cuda.synchronize()
    start = time.perf_counter()
    made[grid](*args)
    torch.cuda.synchronize()
    return made, time.perf_counter() - start


def compare(name, top_k):
    kernel, configs, grid, args = PROBLEMS[name]()
    everything, all_s = tuned(triton.autotune(configs, key=[]), kernel, grid, args)
    measured = {str(c): t[0] * 1000 for c, t in everything.configs_timings.items()}
    pruned, pruned_s = tuned(burin.triton.autotune(configs, key=[], top_k=top_k), kernel, grid, args)
    predicted = dict(pruned.burin_model.times)
    best = min(measured.values())
    kept = sorted(predicted, key=predicted.get)
    order = [measured[c] for c in kept if measured.get(c, float("inf")) < float("inf")]
    row = {
        "problem": name, "configurations": len(configs), "top_k": top_k,
        "all_s": all_s, "pruned_s": pruned_s,
        "best_us": best, "best": min(measured, key=measured.get),
        "picked_us": measured[str(pruned.best_config)], "picked": str(pruned.best_config),
        "lost": measured[str(pruned.best_config)] / best - 1,
        "lost_top_1": order[0] / best - 1,
        "lost_without_measuring_k": {k: min(order[:k]) / best - 1 for k in (1, 2, 4, 8) if k <= len(order)},
        "median_error": sorted(max(predicted[c], measured[c]) / min(predicted[c], measured[c]) - 1
                               for c in predicted if 0 < predicted[c] < float("inf")
                               and measured.get(c, float("inf")) < float("inf"))[len(order) // 2],
        "worst_of_all": max(t for t in measured.values() if t < float("inf")) / best,
        "measured_us": measured, "predicted_us": predicted,
    }
    # Where the time goes: compiling alone, and predicting alone.
    forget(kernel)
    model = burin.triton.PerfModel(kernel, machine=burin.triton.this_machine())
    named_args = dict(zip(kernel.arg_names, args))
    start = time.perf_counter()
    compiled = [(c, model.compile(grid=grid, **named_args, **c.all_kwargs())) for c in configs]
    row["compile_s"] = time.perf_counter() - start
    start = time.perf_counter()
    for c, k in compiled[:6]:
        model.time_us(k, grid=grid, **named_args, **c.all_kwargs())
    row["predict_s_each"] = (time.perf_counter() - start) / len(compiled[:6])
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="autotune.json")
    parser.add_argument("--top-k", type=int, default=4)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    warnings.simplefilter("always")
    result = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "triton": triton.__version__, "burin": burin.__version__,
              "python": platform.python_version(), "cores": os.cpu_count(), "rows": [], "failed": {}}
    for name in PROBLEMS:
        if given.only not in name:
            continue
        try:
            row = compare(name, given.top_k)
        except Exception as problem:  # the other problems are still worth measuring
            import traceback

            traceback.print_exc()
            result["failed"][name] = repr(problem)
        else:
            result["rows"].append(row)
            print(f"{name}: {row['configurations']} configurations, all {row['all_s']:.1f} s, top "
                  f"{row['top_k']} {row['pruned_s']:.1f} s; best {row['best_us']:.1f} µs, picked "
                  f"{row['picked_us']:.1f} µs, lost {100 * row['lost']:.1f} %; compiling "
                  f"{row['compile_s']:.1f} s, predicting {row['predict_s_each']:.2f} s each", flush=True)
        with open(given.out, "w") as out:
            json.dump(result, out, indent=1)
    print(json.dumps(result["failed"]))


if __name__ == "__main__":
    main()
