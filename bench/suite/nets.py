"""Small networks in PyTorch: `nets.py PROGRAM`, one of the functions below.

The work that counts runs inside the NVTX range `step`, after two steps that load and choose kernels.
"""

import sys

import torch
from torch import nn

torch.manual_seed(0)
cuda = {"device": "cuda"}


class Block(nn.Module):
    """A decoder layer: attention with a causal mask, and a gated perceptron."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.gate = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.qkv(self.first(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        y = self.second(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    def __init__(self, width=768, heads=12, layers=2, words=8192):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.layers = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, words):
        x = self.embed(words)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def convnet():
    def layer(wide, out, step):
        return [nn.Conv2d(wide, out, 3, step, 1, bias=False), nn.BatchNorm2d(out), nn.ReLU()]

    layers = layer(3, 32, 2) + layer(32, 64, 1) + layer(64, 128, 2) + layer(128, 128, 1)
    return nn.Sequential(*layers, nn.MaxPool2d(2), *layer(128, 256, 1), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(256, 1000)).cuda()  # fmt: skip


def repeat(step, times=3):
    for turn in range(times):
        if turn == times - 1:
            torch.cuda.synchronize()
            torch.cuda.nvtx.range_push("step")
        step()
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()


def train(model, inputs, targets, kind, foreach=True, run=None):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, foreach=foreach)
    run = model if run is None else run

    def step():
        with torch.autocast("cuda", kind, enabled=kind != torch.float32):
            out = run(inputs)
        loss = nn.functional.cross_entropy(out.float().view(-1, out.shape[-1]), targets.view(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    repeat(step)


def words(batch=8, length=512):
    return torch.randint(0, 8192, (batch, length), **cuda)


def perceptron_infer_fp32():
    model = nn.Sequential(nn.Linear(784, 2048), nn.GELU(), nn.Linear(2048, 2048), nn.GELU(),
                          nn.Linear(2048, 10), nn.Softmax(-1)).cuda()  # fmt: skip
    x = torch.randn(512, 784, **cuda)
    with torch.inference_mode():
        repeat(lambda: model(x))


def decoder_infer_bf16():
    model, x = Decoder().cuda().bfloat16(), words(4)
    with torch.inference_mode():
        repeat(lambda: model(x))


def decoder_train_bf16():
    train(Decoder().cuda(), words(), words(), torch.bfloat16)


def decoder_train_fp32():
    train(Decoder(512, 8).cuda(), words(4), words(4), torch.float32)


def decoder_compiled_infer():
    model, x = torch.compile(Decoder().cuda().bfloat16()), words(4)
    with torch.inference_mode():
        repeat(lambda: model(x))


def decoder_compiled_train():
    model = Decoder(512, 8).cuda()
    train(model, words(4), words(4), torch.bfloat16, run=torch.compile(model))


def convnet_infer_fp32():
    model, x = convnet().eval(), torch.randn(32, 3, 128, 128, **cuda)
    with torch.inference_mode():
        repeat(lambda: model(x))


def convnet_train_bf16():
    model = convnet().to(memory_format=torch.channels_last)
    x = torch.randn(64, 3, 128, 128, **cuda).to(memory_format=torch.channels_last)
    train(model, x, torch.randint(0, 1000, (64,), **cuda), torch.bfloat16)


def recurrent_infer():
    model, x = nn.LSTM(256, 512, 2).cuda(), torch.randn(16, 64, 256, **cuda)
    with torch.inference_mode():
        repeat(lambda: model(x))


def decoder_graph_infer():
    model, x = Decoder().cuda().bfloat16().eval(), words(4)
    with torch.inference_mode():
        for _ in range(2):
            model(x)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(x)
        repeat(graph.replay)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
