#!/usr/bin/env python3
"""How long an agent waits for the first answer of `burin mcp`, and how large the answer is.

    mcp.py                    each tool on each example kernel, every call to a server of its own
    mcp.py --burin PATH       another burin than build/burin

A row is one call: seconds until the answer by the clock, from the start of the server; processor
seconds of the server and its workers; tokens of the answer (four characters each). The goals: every
first answer under 1 s, no answer above 4,000 tokens. Processor time is beside the clock's because
other programs on the computer make the clock's longer.
"""

import argparse
import json
import pathlib
import resource
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
MOST_SECONDS, MOST_TOKENS = 1.0, 4000
CHARACTERS_PER_TOKEN = 4


def launch(name, grid, block, *args):
    file = f"examples/{name}.sm_90.cubin"
    return {"file": file, "kernel": name, "grid": grid, "block": block, "args": list(args), "machine": "h200"}


LAUNCHES = [
    launch("vector_add", "1056", "256", "buf:256M:f32", "buf:256M:f32", "buf:256M:undef", "i32:67108864"),
    launch("reduction", "1056", "256", "buf:256M:f32", "buf:4:zero", "i32:67108864"),
    launch("histogram", "1056", "256", "buf:64M:u8", "buf:1K:zero", "i32:67108864"),
    launch("transpose", "256,256", "32,8", "buf:256M:f32", "buf:256M:undef", "i32:8192"),
    launch("matrix_product", "128,128", "16,16", "buf:16M:f32", "buf:16M:f32", "buf:16M:undef", "i32:2048"),
]


def call(burin, tool, arguments):
    """Seconds by the clock, processor seconds, the answer's text, whether it is an error."""
    handshake = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    server = subprocess.run(
        [burin, "mcp"],
        cwd=ROOT,
        input="".join(json.dumps(message) + "\n" for message in messages),
        capture_output=True,
        text=True,
    )
    seconds = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answers = [json.loads(line) for line in server.stdout.splitlines()]
    result = next((answer for answer in answers if answer.get("id") == 2), {}).get("result")
    if result is None:
        return seconds, processor, server.stdout + server.stderr, True
    return seconds, processor, result["content"][0]["text"], result["isError"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--burin", type=pathlib.Path, default=ROOT / "build/burin")
    burin = parser.parse_args().burin.resolve()
    print(f"{'tool':10}{'kernel':16}{'seconds':>9}{'processor':>11}{'tokens':>8}")
    rows, refused = [], 0
    for tool in ("inspect", "predict", "explain", "advise"):
        for arguments in LAUNCHES:
            asked = {"file": arguments["file"]} if tool == "inspect" else arguments
            seconds, processor, text, is_error = call(burin, tool, asked)
            tokens = len(text) / CHARACTERS_PER_TOKEN
            rows.append((seconds, processor, tokens))
            print(f"{tool:10}{arguments['kernel']:16}{seconds:9.2f}{processor:11.2f}{tokens:8.0f}")
            if is_error:
                refused += 1
                print(f"  refused: {text[:200]}")
    print(
        f"\n{len(rows)} first answers: {sum(row[0] < MOST_SECONDS for row in rows)} under {MOST_SECONDS:g} s, "
        f"{sum(row[1] < MOST_SECONDS for row in rows)} under {MOST_SECONDS:g} processor-second; "
        f"the longest {max(row[0] for row in rows):.2f} s; "
        f"the largest {max(row[2] for row in rows):,.0f} tokens (at most {MOST_TOKENS:,} asked); {refused} refused"
    )
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
