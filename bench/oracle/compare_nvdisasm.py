#!/usr/bin/env python3
"""Compares burin's listing of cubins with nvdisasm's: every instruction's text, file and line.

    compare_nvdisasm.py [--burin build/burin] [--show N] FILE.cubin…

Needs nvdisasm. Where nvdisasm names a symbol or a label (unlinked code, calls), burin prints the bits
or the offset; those are counted apart.
"""
import argparse
import json
import re
import subprocess


def ours(burin, cubin):
    command = [burin, "inspect", "--json", "--sass", cubin]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    found = {}
    for image in answer["images"]:
        for function in image["kernels"] + image.get("functions", []):
            for i in function.get("instructions", []):
                line = i["line"] and (i["line"]["file"].split("/")[-1], i["line"]["line"])
                found[function["name"], i["offset"]] = (" ".join(i["text"].split()), line)
    return found


def theirs(nvdisasm, cubin):
    text = subprocess.run([nvdisasm, "-ndf", "-gi", cubin], capture_output=True, text=True, check=True).stdout
    section, line, fresh = None, None, True
    for row in text.split("\n"):
        if match := re.search(r"\.section\s+\.text\.([^,\s]+)", row):
            section, line, fresh = match[1], None, True
        elif match := re.match(r'\s*//## File "([^"]*)", line (\d+)', row):
            if fresh:  # the innermost of a chain of inlined calls comes first
                line, fresh = (match[1].split("/")[-1], int(match[2])), False
        elif (match := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", row)) and section:
            fresh = True
            yield (section, int(match[1], 16)), " ".join(match[2].split()), line


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("cubins", nargs="+")
    parser.add_argument("--burin", default="build/burin")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    parser.add_argument("--show", type=int, default=20)
    options = parser.parse_args()
    count = symbols = texts = with_line = lines = 0
    for cubin in options.cubins:
        mine = ours(options.burin, cubin)
        for key, text, line in theirs(options.nvdisasm, cubin):
            if key not in mine:
                continue
            count += 1
            if "`(" in text or "@" in text.split(" ", 1)[-1] or ".L_" in text:
                symbols += 1
            elif text != mine[key][0]:
                texts += 1
                if texts <= options.show:
                    print(f"{cubin} {key[0]}+{key[1]:#x}\n  nvdisasm {text}\n  burin    {mine[key][0]}")
            if line is not None:
                with_line += 1
                lines += line != mine[key][1]
    print(f"{count} instructions in {len(options.cubins)} cubins; {symbols} name a symbol or label")
    print(f"text: {texts} of {count - symbols} differ; file and line: {lines} of {with_line} differ")


if __name__ == "__main__":
    main()
