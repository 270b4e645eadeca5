#!/usr/bin/env python3
"""Chooses the instruction words whose results are recorded on a GPU.

    select_words.py OUT build/corpus/oracle/sm_90.txt …

Takes words of arithmetic instructions from the decoder's oracle, gives each the registers that the
test frame (frame.py) fills, and writes one line per word: WORD TEXT. Of words that differ only in
registers and immediates it keeps a few.
"""
import collections
import re
import sys

from frame import DESTINATION, SOURCES, UNIFORM_DESTINATION, UNIFORM_SOURCES

# What is not plain arithmetic on registers: memory, control, special registers, asynchronous units.
LEFT_OUT = set("""
ATOM ATOMG ATOMS RED REDG REDAS LD LDG LDS LDL LDC LDSM LDGSTS LDGMC LDGDEPBAR ST STG STS STL STSM STAS ULDC
UTMALDG UTMASTG UTMAREDG UTMAPF UTMACCTL UTMACMDFLUSH UBLKCP UBLKRED UBLKPF SYNCS ARRIVES MEMBAR ERRBAR
CGAERRBAR FENCE CCTL CCTLL QSPC TEX TLD TLD4 TXQ TXD TMML SULD SUST SURED SUATOM HGMMA IGMMA QGMMA BGMMA
WARPGROUP WARPSYNC BAR B2R BRA BRX BRXU CALL RET EXIT KILL BSSY BSYNC BREAK BMOV YIELD NANOSLEEP BPT NOP DEPBAR
ENDCOLLECTIVE PREEXIT ACQBULK PMTRIG USETMAXREG UCGABAR_ARV UCGABAR_WAIT ELECT LEPC RPCMOV S2R S2UR CS2R R2UR
UR2UP R2P GETLMEMBASE
""".split())
KEPT = 2  # words of one kind
KEPT_OF = dict.fromkeys("LOP3 PLOP3 ULOP3 UPLOP3 PRMT UPRMT SHF USHF IMAD LEA SHFL SEL MOV P2R".split(), 10)


def field(word, low, bits):
    return word >> low & (1 << bits) - 1


def with_field(word, low, bits, value):
    return word & ~(((1 << bits) - 1) << low) | value << low


def kind_of(text):
    text = re.sub(r"\bU?R(\d+|Z)\b", "R", text.replace(".reuse", ""))
    text = re.sub(r"-?\b0x[0-9a-f]+\b|-?\b\d+(\.\d+)?(e[+-]?\d+)?\b|[+-](INF|QNAN|SNAN)", "#", text)
    return re.sub(r"!?\bU?P[0-6T]\b", "P", text)


def place(word, text):
    """The word with the frame's registers, or None where a field is not what the text shows."""
    body = re.sub(r"^@!?U?P\w+ ", "", text)
    mnemonic, _, operands = body.partition(" ")
    tokens = re.findall(r"\bU?R(?:\d+|Z)\b", operands)
    word = with_field(word, 12, 4, 7)  # no guard
    constant = re.search(r"\bc\[0x[0-9a-f]+\]\s*\[0x[0-9a-f]+\]", operands)
    if "cx[" in operands or ("c[" in operands and not constant):
        return None
    if constant:
        word = with_field(word, 54, 5, 0)
        word = with_field(word, 38, 16, 0x240)
    form = field(word, 9, 3)
    first = re.match(r"(?:U?P[0-6T], )*(U?R)(\d+|Z)\b", operands)  # predicates may stand before it
    if first and first[1] == "UR":
        word = with_field(word, 16, 6, UNIFORM_DESTINATION)
    elif first and field(word, 16, 8) == (255 if first[2] == "Z" else int(first[2])):
        word = with_field(word, 16, 8, DESTINATION)
    for low, register, uniform_register in zip((24, 32, 64), SOURCES, UNIFORM_SOURCES):
        if low == 32 and form in (2, 3, 4, 5):
            continue
        if mnemonic.startswith("U") or (low == 32 and form in (6, 7)):
            value = field(word, low, 6)
            if f"UR{value}" in tokens or (value == 63 and low != 64 and "URZ" in tokens):
                word = with_field(word, low, 6, uniform_register)
        else:
            value = field(word, low, 8)
            # RZ in the last field may stand for no operand at all: it stays.
            if f"R{value}" in tokens or (value == 255 and low != 64 and "RZ" in tokens):
                word = with_field(word, low, 8, register)
    return word


def main():
    out, *oracles = sys.argv[1:]
    kept = collections.Counter()
    seen = set()
    lines = []
    for name in oracles:
        for line in open(name):
            if line.startswith("#"):
                continue
            _, hexadecimal, _, text = line.split(None, 3)
            text = text.strip().rstrip(" ;")
            body = re.sub(r"^@!?U?P\w+ ", "", text)
            mnemonic = re.split(r"[ .]", body)[0]
            # Sparse products have a register more than the frame fills.
            if mnemonic in LEFT_OUT or ".SP." in body or "?" in text or "INVALID" in text:
                continue
            kind = kind_of(body)
            if kept[kind] >= KEPT_OF.get(mnemonic, KEPT):
                continue
            word = place(int(hexadecimal, 16), text)
            if word is None or word in seen:
                continue
            seen.add(word)
            kept[kind] += 1
            lines.append((word, body))
    with open(out, "w") as f:
        for word, body in lines:
            f.write(f"{word:032x} {body}\n")
    print(f"{len(lines)} words of {len(kept)} kinds")


main()
