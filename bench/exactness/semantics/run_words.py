#!/usr/bin/env python3
"""Runs instruction words on the GPU and records what each gives. Needs a GPU, no compiler.

    run_words.py WORDS BASE.cubin OUT-FOLDER

WORDS comes from select_words.py. Every word runs for ROWS blocks of one warp on the inputs of
make_inputs(). A word that the GPU refuses is found by halving and listed in refused.txt; the others go
to results.txt: WORD HASH, and results.bin: for each word in that order, [row][lane][8] 32-bit words.
"""
import concurrent.futures
import ctypes
import hashlib
import os
import struct
import subprocess
import sys

import frame

ROWS = 16
CHUNK = 256


def make_inputs():
    """Values that matter: small and large integers, floats of every class in 16, 32 and 64 bits."""
    state = 0x243f6a8885a308d3

    def random64():
        nonlocal state
        state = (state + 0x9e3779b97f4a7c15) & (1 << 64) - 1
        z = state
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & (1 << 64) - 1
        z = (z ^ z >> 27) * 0x94d049bb133111eb & (1 << 64) - 1
        return z ^ z >> 31

    special = [0, 0x80000000, 1, 0xffffffff, 0x7fffffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
               0x7f800001, 0x3f800000, 0xbf800000, 0x00800000, 0x007fffff, 0x80000001, 0x4f000000, 0xcf000000,
               0x4f800000, 0x5f000000, 0x3f000000, 0x3effffff, 0x3f7fffff, 0x34000000, 0x33800000, 0x7f7fffff,
               0x00000020, 0x0000001f, 0x00000040, 0x00010000, 0x0000ffff, 0x7c003c00, 0xfc007c01, 0x03ff0400,
               0x80000001, 0x7bff7bff, 0x7ff00000, 0xfff00000, 0x7ff80000, 0x3ff00000, 0x00100000, 0x000fffff,
               0x41e00000, 0xc1e00000, 0x43e00000, 0x43f00000, 0x7f807f80, 0x3f803f80, 0x00010001, 0x40490fdb]

    def value():
        kind = random64() % 8
        bits = random64()
        if kind < 2:
            return bits & 0xffffffff
        if kind == 2:
            return special[bits % len(special)]
        if kind == 3:   # a float near 1: results that cancel
            return (bits & 0x80ffffff) | 0x3f000000
        if kind == 4:   # a float of moderate size
            return (bits & 0x807fffff) | ((bits >> 32) % 64 + 96) << 23
        if kind == 5:   # two halves of moderate size
            one = (bits & 0x83ff) | ((bits >> 16) % 20 + 6) << 10
            two = (bits >> 32 & 0x83ff) | ((bits >> 48) % 20 + 6) << 10
            return one | two << 16
        if kind == 6:   # small integers
            return ((bits >> 8) % 160 - 80) & 0xffffffff
        return (bits & 0x800fffff) | ((bits >> 32) % 128 + 0x3c0) << 20   # the high word of a double

    words = []
    for _ in range(ROWS):
        row = [[value() for _ in range(frame.INPUT_WORDS)] for _ in range(32)]
        uniform = [value() for _ in range(16)]
        for lane in row:
            lane[32] &= 0xff       # the predicates
            lane[48:64] = uniform  # the same in every lane
        for lane in row:
            words += lane
    constants = [value() for _ in range(frame.CONSTANT_WORDS)]
    return words, constants


def execute(cubin, count):
    """The kernel's output for `count` words; raises where the GPU refuses."""
    cuda = ctypes.CDLL("libcuda.so.1")

    def check(status):
        if status != 0:
            raise RuntimeError(f"CUDA error {status}")

    device, context, module, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuInit(0))
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(cuda.cuCtxSetCurrent(context))
    check(cuda.cuModuleLoadData(ctypes.byref(module), cubin))
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"frame"))
    words, constants = make_inputs()
    source = struct.pack(f"<{len(words)}I", *words)
    size = ROWS * 32 * frame.OUTPUT_WORDS * 4 * count
    a, b = ctypes.c_uint64(), ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(a), ctypes.c_size_t(len(source))))
    check(cuda.cuMemAlloc_v2(ctypes.byref(b), ctypes.c_size_t(size)))
    check(cuda.cuMemcpyHtoD_v2(a, source, ctypes.c_size_t(len(source))))
    check(cuda.cuMemsetD8_v2(b, 0, ctypes.c_size_t(size)))
    block = (ctypes.c_uint32 * frame.CONSTANT_WORDS)(*constants)
    arguments = (ctypes.c_void_p * 3)(*[ctypes.cast(ctypes.byref(x), ctypes.c_void_p) for x in (a, b, block)])
    check(cuda.cuLaunchKernel(function, ROWS, 1, 1, 32, 1, 1, 0, None, arguments, None))
    check(cuda.cuCtxSynchronize())
    out = ctypes.create_string_buffer(size)
    check(cuda.cuMemcpyDtoH_v2(out, b, ctypes.c_size_t(size)))
    return out.raw


def run_in_child(base, tests, scratch):
    """{word: bytes} of what ran; words that cannot run are missing."""
    name = os.path.join(scratch, hashlib.md5(repr(tests).encode()).hexdigest())
    with open(name + ".cubin", "wb") as f:
        f.write(frame.cubin(base, tests))
    try:
        done = subprocess.run([sys.executable, __file__, "--child", name, str(len(tests))], timeout=60).returncode == 0
    except subprocess.TimeoutExpired:
        done = False
    if not done:
        if len(tests) == 1:
            return {}
        half = len(tests) // 2
        return run_in_child(base, tests[:half], scratch) | run_in_child(base, tests[half:], scratch)
    raw = open(name + ".out", "rb").read()
    lane = 4 * frame.OUTPUT_WORDS
    row = 32 * lane * len(tests)
    return {test: b"".join(raw[r * row + i * 32 * lane:r * row + (i + 1) * 32 * lane] for r in range(ROWS))
            for i, (test, _) in enumerate(tests)}


def main():
    if sys.argv[1] == "--child":
        with open(sys.argv[2] + ".cubin", "rb") as f:
            out = execute(f.read(), int(sys.argv[3]))
        with open(sys.argv[2] + ".out", "wb") as f:
            f.write(out)
        return
    words, base, folder = sys.argv[1:4]
    os.makedirs(folder, exist_ok=True)
    scratch = os.path.join("/tmp", "semantics")
    os.makedirs(scratch, exist_ok=True)
    tests = []
    text_of = {}
    for line in open(words):
        word, text = line.rstrip("\n").split(" ", 1)
        tests.append((int(word, 16), text.split()[0].split(".")[0]))
        text_of[int(word, 16)] = text
    tests.sort(key=lambda t: t[1])
    base = open(base, "rb").read()
    chunks = []
    for test in tests:   # one mnemonic a chunk, so that a refusal costs little
        if not chunks or len(chunks[-1]) >= CHUNK or chunks[-1][-1][1] != test[1]:
            chunks.append([])
        chunks[-1].append(test)
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        results = {}
        for part in pool.map(lambda c: run_in_child(base, c, scratch), chunks):
            results |= part
    with open(os.path.join(folder, "results.txt"), "w") as text, \
            open(os.path.join(folder, "results.bin"), "wb") as binary, \
            open(os.path.join(folder, "refused.txt"), "w") as refused:
        for word, _ in tests:
            if word not in results:
                refused.write(f"{word:032x} {text_of[word]}\n")
                continue
            binary.write(results[word])
            digest = hashlib.sha256(results[word]).hexdigest()[:16]
            text.write(f"{word:032x} {digest} {text_of[word]}\n")
    inputs, constants = make_inputs()
    with open(os.path.join(folder, "inputs.bin"), "wb") as f:
        f.write(struct.pack(f"<{len(inputs) + len(constants)}I", *inputs, *constants))
    print(f"{len(results)} of {len(tests)} words ran")


main()
