#!/usr/bin/env python3
"""Packs what run_words.py recorded into the test's data: pack.py FOLDER OUT.bin; then `zstd --ultra -22 --long OUT.bin`.

Layout, little-endian: u32 words, u32 rows; the inputs [row][lane][64] and the 64 constants, as u32;
the words, 16 bytes each; for each word its outputs [row][lane][8] as u32: R64 … R67, the predicates,
the uniform predicates, two to spare.
"""
import struct
import sys

folder, out = sys.argv[1:3]
words = [int(line.split()[0], 16) for line in open(f"{folder}/results.txt")]
with open(out, "wb") as f:
    f.write(struct.pack("<II", len(words), 16))
    f.write(open(f"{folder}/inputs.bin", "rb").read())
    for word in words:
        f.write(word.to_bytes(16, "little"))
    f.write(open(f"{folder}/results.bin", "rb").read())
