#!/usr/bin/env python3
"""Fills a folder with the PTX that Triton and torch.compile make, for `round_trip.py --ptx FOLDER`.

    triton_ptx.py FOLDER

Needs a GPU, PyTorch and Triton. The kernels: element-wise, reductions, scans, atomic operations, products on the
tensor cores in three types, each with several block sizes, warps and stages; and what torch.compile makes of common
layers with their gradients.
"""

import itertools
import os
import pathlib
import sys

os.environ["TRITON_CACHE_DIR"] = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)).resolve())
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.environ["TRITON_CACHE_DIR"] + "/inductor"

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_rows(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row * columns + at, powers / tl.sum(powers, 0), at < columns)


@triton.jit
def running_sum(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.cumsum(tl.load(x + at, at < n, other=0.0), 0), at < n)


@triton.jit
def count_values(x, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(counts + tl.load(x + at, at < n, other=0), 1, at < n)


@triton.jit
def product(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for step in range(0, k, K):
        left = tl.load(a + rows[:, None] * k + step + depth[None, :])
        right = tl.load(b + (step + depth)[:, None] * n + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total)


def triton_kernels():
    x = torch.rand(512, 1000, device="cuda")
    y = torch.empty_like(x)
    for block, warps in itertools.product((1024, 2048), (2, 4, 8)):
        softmax_rows[(512,)](x, y, 1000, BLOCK=block, num_warps=warps)
        running_sum[(64,)](x, y, 64 * block, BLOCK=block, num_warps=warps)
        numbers = torch.randint(0, 100, (64 * block,), device="cuda")
        count_values[(64,)](numbers, torch.zeros(100, dtype=torch.int32, device="cuda"), 64 * block, BLOCK=block,
                            num_warps=warps)
    for kind in (torch.float16, torch.bfloat16, torch.float32):
        a, b = (torch.rand(512, 512, device="cuda").to(kind) for _ in range(2))
        c = torch.empty(512, 512, device="cuda")
        for tile, warps, stages in itertools.product((64, 128), (4, 8), (2, 3)):
            product[(512 // tile, 512 // tile)](a, b, c, 512, 512, 512, M=tile, N=tile, K=32, num_warps=warps,
                                                num_stages=stages)


def compiled_layers():
    for layer in (torch.nn.LayerNorm(768), torch.nn.GELU(), torch.nn.Softmax(-1), torch.nn.BatchNorm1d(768),
                  torch.nn.Sequential(torch.nn.Linear(768, 768), torch.nn.GELU(), torch.nn.Dropout(0.1))):
        layer = torch.compile(layer.cuda())
        x = torch.rand(1024, 768, device="cuda", requires_grad=True)
        layer(x).square().mean().backward()
    order = torch.compile(lambda t: (t.sort(-1).values, t.cumsum(0), t.argmax(-1), t.float().var(0)))
    order(torch.rand(256, 300, device="cuda"))


triton_kernels()
try:
    compiled_layers()
except Exception as problem:  # torch.compile needs a C compiler and headers that may be missing
    print(f"torch.compile: {type(problem).__name__}: {str(problem)[:300]}")
torch.cuda.synchronize()
