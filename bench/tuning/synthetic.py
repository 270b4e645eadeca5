"""Recorded spaces that no GPU recorded: analytic models of kernels, for choosing the constants of strategies.

    python3 bench/tuning/synthetic.py FOLDER

writes one T4 file for each model. They have what makes real spaces hard: occupancy cliffs, spilling,
bank conflicts, partial waves, configurations that fail, parameters that matter only together, and
noise. Nothing is fitted to a real kernel or GPU; the numbers are those of a GPU with 100 SMs.
"""

import gzip
import hashlib
import itertools
import json
import math
import pathlib
import sys

SMS, THREADS, BLOCKS, REGISTERS, SHARED = 100, 2048, 32, 65536, 100 * 1024


def noise(name, config):
    """Uniform in -1 … 1, always the same for a configuration."""
    digest = hashlib.sha256(f"{name}:{sorted(config.items())}".encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**47 - 1


def resident(threads, registers, shared):
    """Blocks that an SM holds at once."""
    registers = 8 * math.ceil(registers / 8) * 32 * math.ceil(threads / 32)
    return min(BLOCKS, THREADS // threads, REGISTERS // max(1, registers), SHARED // max(1, shared))


def waves(blocks, at_once):
    return math.ceil(blocks / (at_once * SMS)) * at_once * SMS / blocks


def gemm(c):
    threads = c["tile_m"] // c["thread_m"] * (c["tile_n"] // c["thread_n"])
    if threads < 32 or threads > 1024 or c["tile_k"] * c["tile_m"] < threads * c["vector"]:
        return None
    registers = 24 + c["thread_m"] * c["thread_n"] + 2 * (c["thread_m"] + c["thread_n"])
    shared = 4 * c["tile_k"] * (c["tile_m"] + c["tile_n"]) * (2 if c["double_buffer"] else 1)
    if shared > SHARED:
        return "compile"
    spill = max(0, registers - 128) / 16
    at_once = resident(threads, min(registers, 128), shared)
    if at_once == 0:
        return "runtime"
    warps = at_once * threads / 32
    reuse = 2 / (1 / c["thread_m"] + 1 / c["thread_n"])
    compute = 1 + 6 / reuse + 0.3 * (c["layout"] == "row") * (c["tile_k"] < 16)
    hide = min(1, (warps + (6 if c["double_buffer"] else 0)) / 18)
    load = (1 / c["tile_m"] + 1 / c["tile_n"]) * 90 / math.sqrt(c["vector"])
    return 3000 * (compute / hide + load) * waves(4096 * 4096 // (c["tile_m"] * c["tile_n"]), at_once) * (1 + spill)


def transpose(c):
    threads = c["tile"] * c["rows"]
    if threads > 1024 or c["rows"] > c["tile"] or c["tile"] % c["vector"]:
        return None
    conflicts = 1 if c["pad"] else min(32, c["tile"])
    coalesced = min(1, c["tile"] * c["vector"] / 32)
    at_once = resident(threads, 20 + c["tile"] // c["rows"], 4 * c["tile"] * (c["tile"] + c["pad"]))
    if at_once == 0:
        return "runtime"
    hide = min(1, at_once * threads * (c["tile"] // c["rows"]) / 3000)
    return 150 * max(1 / (coalesced * hide), 0.1 * conflicts)


def reduction(c):
    if c["block"] * c["items"] > 16384:
        return None
    at_once = resident(c["block"], 16 + 2 * c["items"] // c["vector"] + 4 * c["vector"], 4 * c["block"])
    blocks = 2**25 // (c["block"] * c["items"])
    hide = min(1, at_once * c["block"] * min(c["items"], 8) * c["vector"] / 9000)
    tail = (1 if c["shuffle"] else 5) * math.log2(c["block"]) / c["items"]
    second = 0.02 * blocks if c["atomic"] else 30 + 0.001 * blocks
    return (100 / hide + 2 * tail) * waves(blocks, at_once) + second + (15 if c["block"] % 32 else 0)


def stencil(c):
    threads = c["x"] * c["y"]
    if threads < 32 or threads > 1024:
        return None
    registers = 22 + 5 * c["z_per_thread"] + (8 if c["prefetch"] else 0)
    shared = 4 * (c["x"] + 2) * (c["y"] + 2) * 3 if c["shared"] else 0
    at_once = resident(threads, min(255, registers), shared)
    if at_once == 0:
        return "runtime"
    halo = (1 + 2 / c["y"]) * (1 + 2 / c["z_per_thread"]) * (1 if c["x"] % 32 == 0 else 1.35)
    if c["shared"]:
        halo = 1 + 0.25 * (halo - 1)
    hide = min(1, at_once * threads * (1.6 if c["prefetch"] else 1) / 1700)
    blocks = 512**3 // (threads * c["z_per_thread"])
    return 400 * halo / hide * waves(blocks, at_once) + (40 if c["shared"] else 0)


def n_body(c):
    if c["tile"] % c["unroll"] or c["tile"] > 4 * c["block"]:
        return None
    registers = 24 + 6 * c["bodies"] + c["unroll"]
    at_once = resident(c["block"], registers, 16 * c["tile"] if c["shared"] else 0)
    if at_once == 0:
        return "runtime"
    issue = 20 * (1 + 0.8 / c["unroll"] + 0.5 / c["bodies"]) * (0.8 if c["rsqrt"] == "fast" else 1)
    loads = (6 if c["shared"] else 14 if c["layout"] == "aos" else 10) / c["bodies"]
    hide = min(1, at_once * c["block"] * c["bodies"] / 1100)
    blocks = 131072 // (c["block"] * c["bodies"])
    return 60 * (issue + loads) / hide * waves(blocks, at_once)


def softmax(c):
    registers = 16 + 8192 // c["block"] // c["rows"] if c["in_registers"] else 24
    if registers > 255:
        return "compile"
    at_once = resident(c["block"], registers, 0 if c["in_registers"] else 4 * 8192)
    if at_once == 0:
        return "runtime"
    passes = 2 if c["in_registers"] else 2.3
    return 90 * passes / min(1, at_once * c["block"] * c["vector"] / 2500) + 0.02 * c["block"] * c["rows"]


def rugged(c):
    total = 0
    for (a, x), (b, y) in itertools.combinations(c.items(), 2):
        total += noise(f"{a}{b}", {a: x, b: y})
    return 500 * math.exp(0.35 * total)


def fragile(c):
    if c["a"] * c["b"] * c["c"] > 4096 or c["a"] + c["b"] > 160:
        return "runtime"
    if c["mode"] == "tensor" and (c["c"] < 8 or c["a"] < 16):
        return "compile"
    speed = math.log2(c["a"] * c["b"]) + 0.7 * math.log2(c["c"]) + (2 if c["mode"] == "tensor" else 0)
    return 4000 / (1 + speed) * (1 + 0.2 * abs(math.log2(c["a"] / c["b"])))


def copy(c):
    at_once = resident(c["block"], 16 + 4 * c["vector"] * c["items"], 0)
    if at_once == 0:
        return "runtime"
    hide = min(1, at_once * c["block"] * c["vector"] * c["items"] / 6000)
    return 200 / hide + (3 if c["stream"] else 0) + 0.5 * c["items"]


P2 = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
SPACES = {
    "gemm": (gemm, {"tile_m": P2[4:8], "tile_n": P2[4:8], "tile_k": P2[3:6], "thread_m": P2[:4],
                    "thread_n": P2[:4], "vector": P2[:3], "double_buffer": [False, True],
                    "layout": ["row", "column"]}),
    "transpose": (transpose, {"tile": [8, 16, 24, 32, 48, 64], "rows": P2[:6], "pad": [0, 1], "vector": P2[:3]}),
    "reduction": (reduction, {"block": list(range(32, 1025, 32)), "items": [1, 2, 3, 4, 6, 8, 12, 16, 32],
                              "vector": P2[:3], "shuffle": [0, 1], "atomic": [0, 1]}),
    "stencil": (stencil, {"x": [8, 16, 32, 48, 64, 96, 128, 256], "y": [1, 2, 3, 4, 6, 8, 16],
                          "z_per_thread": [1, 2, 3, 4, 5, 8, 10, 16], "shared": [0, 1], "prefetch": [0, 1]}),
    "n_body": (n_body, {"block": [32, 64, 96, 128, 192, 256, 384, 512], "tile": P2[5:10], "unroll": P2[:6],
                        "bodies": [1, 2, 4], "shared": [0, 1], "layout": ["aos", "soa"],
                        "rsqrt": ["exact", "fast"]}),
    "softmax": (softmax, {"block": P2[5:], "rows": [1, 2, 4], "vector": P2[:3], "in_registers": [0, 1]}),
    "rugged": (rugged, {"p": list(range(6)), "q": list(range(6)), "r": [1, 2, 4, 8], "s": ["a", "b", "c"],
                        "t": [0, 1], "u": [16, 32, 64]}),
    "fragile": (fragile, {"a": P2[2:8], "b": P2[2:8], "c": P2[:6], "mode": ["scalar", "vector", "tensor"],
                          "unused": [1, 2, 3]}),
    "copy": (copy, {"block": list(range(64, 1025, 64)), "vector": P2[:3], "items": P2[:5], "stream": [0, 1]}),
}


def record(name):
    model, parameters = SPACES[name]
    results = []
    for values in itertools.product(*parameters.values()):
        config = dict(zip(parameters, values))
        time_us = model(config)
        if time_us is None:  # excluded by a restriction
            continue
        size = sum(math.log2(1 + v) for v in values if isinstance(v, int) and v < 64)
        result = {
            "configuration": config,
            "times": {"compilation": 400 * (1 + 0.05 * size**1.5) * (1 + 0.1 * noise(name + "c", config))},
            "invalidity": time_us if isinstance(time_us, str) else "correct",
            "objectives": ["time"],
            "measurements": [],
        }
        if not isinstance(time_us, str):
            time_us *= math.exp(0.03 * noise(name, config))
            result["times"]["runtimes"] = [time_us / 1000] * 20
            result["measurements"] = [{"name": "time", "value": time_us / 1000, "unit": "ms"}]
        results.append(result)
    return {"metadata": {"timeunit": "ms", "kernel_name": name, "device_name": "synthetic"},
            "results": results, "schema_version": "1.0.0"}


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in SPACES:
        file = record(name)
        valid = sorted(r["measurements"][0]["value"] for r in file["results"] if r["measurements"])
        print(f"{name:10} {len(file['results']):6} points, {len(valid):6} valid, "
              f"{valid[0]:.3f} to {valid[len(valid) // 2]:.3f} to {valid[-1]:.3f} ms")
        with gzip.GzipFile(folder / f"synthetic_{name}.json.gz", "wb", mtime=0) as out:
            out.write(json.dumps(file).encode())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
