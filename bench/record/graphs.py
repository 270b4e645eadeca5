"""A captured PyTorch forward pass, replayed: ten launches of one CUDA graph."""

import torch

layer = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU()).cuda()
x = torch.randn(64, 512, device="cuda")
with torch.no_grad():
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            layer(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = layer(x)
    for _ in range(10):
        graph.replay()
torch.cuda.synchronize()
print(f"{y.sum().item():.3f}")
