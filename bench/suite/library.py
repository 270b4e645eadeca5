"""Calls of libraries through PyTorch: `library.py PROGRAM`, one of the functions below.

cuBLAS, cuDNN, cuFFT and PyTorch's own kernels. Each call runs three times.
"""

import sys

import torch
from torch.nn import functional

torch.manual_seed(0)
cuda = {"device": "cuda"}


def each(*calls):
    for call in calls:
        for _ in range(3):
            call()
    torch.cuda.synchronize()


def products(kind, shapes):
    for m, n, k in shapes:
        a, b = torch.randn(m, k, **cuda).to(kind), torch.randn(n, k, **cuda).to(kind)
        c = b.t().contiguous()
        each(lambda: a @ b.t(), lambda: a @ c)  # noqa: B023


SHAPES = [(1024, 1024, 1024), (4096, 4096, 4096), (8192, 2048, 512), (512, 8192, 2048), (16, 4096, 4096),
          (2048, 768, 3072), (384, 384, 16384), (3000, 1100, 700)]  # fmt: skip


def gemm_bf16():
    products(torch.bfloat16, SHAPES)


def gemm_fp16():
    products(torch.float16, SHAPES)


def gemm_fp32():
    products(torch.float32, SHAPES[:1] + SHAPES[2:])


def gemm_tf32():
    torch.backends.cuda.matmul.allow_tf32 = True
    products(torch.float32, SHAPES)


def gemm_batched():
    for kind in (torch.float32, torch.bfloat16):
        a, b = torch.randn(64, 256, 128, **cuda).to(kind), torch.randn(64, 128, 256, **cuda).to(kind)
        bias, x = torch.randn(1024, **cuda).to(kind), torch.randn(2048, 1024, **cuda).to(kind)
        w = torch.randn(1024, 1024, **cuda).to(kind)
        each(lambda: torch.bmm(a, b), lambda: torch.addmm(bias, x, w))  # noqa: B023
        v = torch.randn(1024, **cuda).to(kind)
        each(lambda: w @ v)  # noqa: B023


def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    backends = (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION)
    for length, size in ((1024, 64), (2048, 128)):
        q, k, v = (torch.randn(2, 16, length, size, dtype=torch.bfloat16, requires_grad=True, **cuda)
                   for _ in range(3))  # fmt: skip
        for backend in backends:
            for causal in (False, True):
                with sdpa_kernel(backend):
                    for _ in range(2):
                        out = functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                        out.backward(torch.ones_like(out))
    torch.cuda.synchronize()


def convolutions():
    for kind in (torch.float32, torch.float16):
        for layout in (torch.contiguous_format, torch.channels_last):
            for wide, out, side, size, step in ((64, 64, 56, 3, 1), (128, 256, 28, 1, 1), (3, 64, 128, 7, 2)):
                x = torch.randn(32, wide, side, side, **cuda).to(kind).to(memory_format=layout)
                w = torch.randn(out, wide, size, size, **cuda).to(kind).to(memory_format=layout)
                x.requires_grad = w.requires_grad = True
                for _ in range(2):
                    y = functional.conv2d(x, w, stride=step, padding=size // 2)
                    y.backward(torch.ones_like(y))
    torch.cuda.synchronize()


def fourier():
    for shape, kind in (((4096, 1024), torch.complex64), ((256, 10000), torch.complex64),
                        ((1024, 1024), torch.complex64), ((512, 2048), torch.complex128)):  # fmt: skip
        x = torch.randn(*shape, dtype=kind, **cuda)
        each(lambda: torch.fft.fft(x))  # noqa: B023
        each(lambda: torch.fft.rfft(x.real))  # noqa: B023
    square, cube = torch.randn(1024, 1024, **cuda), torch.randn(96, 96, 96, **cuda)
    each(lambda: torch.fft.fft2(square), lambda: torch.fft.fftn(cube))


def elementwise():
    x, y = torch.randn(2048, 2048, **cuda), torch.randn(2048, 2048, **cuda)
    half, mask = x.bfloat16(), x > 0
    row = torch.randn(2048, **cuda)
    each(lambda: x + y, lambda: x * row, lambda: torch.exp(x), lambda: functional.gelu(half),
         lambda: torch.where(mask, x, y), lambda: x.t().contiguous(), lambda: half.float(),
         lambda: torch.cat([x, y], 1), lambda: x[::2, ::2].contiguous(), lambda: torch.tanh(half),
         lambda: functional.dropout(x, 0.1), lambda: x.pow(3), lambda: x.permute(1, 0) + y,
         lambda: functional.pad(x, (1, 1, 1, 1)), lambda: torch.lerp(x, y, 0.3))  # fmt: skip


def reductions():
    x, half = torch.randn(2048, 2048, **cuda), torch.randn(4096, 4096, **cuda).bfloat16()
    each(lambda: x.sum(), lambda: x.sum(0), lambda: x.sum(1), lambda: half.mean(-1), lambda: x.max(1),
         lambda: torch.softmax(x, 1), lambda: torch.log_softmax(half, -1), lambda: x.std(),
         lambda: functional.layer_norm(half, (4096,)), lambda: x.argmax(), lambda: x.norm(),
         lambda: torch.cumsum(x, 1), lambda: torch.softmax(x, 0), lambda: x.var(1))  # fmt: skip


def indexing():
    table, rows = torch.randn(50000, 256, **cuda), torch.randint(0, 50000, (8192,), **cuda)
    x = torch.randn(1 << 20, **cuda)
    places, wide = torch.randint(0, 1 << 20, (1 << 20,), **cuda), torch.randn(256, 8192, **cuda)
    each(lambda: functional.embedding(rows, table), lambda: x[places], lambda: torch.topk(wide, 50),
         lambda: torch.sort(x), lambda: x[x > 0.5], lambda: torch.nonzero(x > 1.0),
         lambda: torch.zeros_like(x).index_add_(0, places, x), lambda: torch.bincount(rows % 1000),
         lambda: torch.gather(wide, 1, places[: 256 * 1024].view(256, 1024) % 8192),
         lambda: torch.multinomial(torch.softmax(wide, 1), 4), lambda: torch.unique(rows),
         lambda: torch.histc(x, 100), lambda: torch.tril(wide), lambda: table.index_select(0, rows))  # fmt: skip


def optimizers():
    sizes = [(768, 768)] * 6 + [(3072, 768)] * 3 + [(768,)] * 20 + [(50, 7)]
    for build in (torch.optim.AdamW, torch.optim.SGD, torch.optim.RMSprop):
        for how in ({"foreach": True}, {"fused": True}):
            if build is torch.optim.RMSprop and "fused" in how:
                continue
            weights = [torch.randn(*size, requires_grad=True, **cuda) for size in sizes]
            for weight in weights:
                weight.grad = torch.randn_like(weight)
            optimizer = build(weights, lr=1e-3, **how)
            each(lambda: optimizer.step())  # noqa: B023
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
    torch.cuda.synchronize()


def factorisations():
    a = torch.randn(512, 512, **cuda)
    spd = a @ a.t() + 512 * torch.eye(512, **cuda)
    each(lambda: torch.linalg.cholesky(spd), lambda: torch.linalg.lu_factor(a), lambda: torch.linalg.inv(a))


if __name__ == "__main__":
    globals()[sys.argv[1]]()
