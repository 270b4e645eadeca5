"""The code around one instruction whose result is recorded, and the cubin that holds it.

Before each word the frame has put random values into R8 … R39 (per lane), UR8 … UR23, P0 … P6, UP0 … UP6 and
the constants c[0x0][0x220] … ; behind it come the waits, and stores of R64 … R67, the predicates, and
for the uniform datapath UR40 … UR43 and the uniform predicates.
"""
import struct

DESTINATION = 64
SOURCES = (8, 16, 24)
UNIFORM_DESTINATION = 40
UNIFORM_SOURCES = (8, 12, 16)
INPUT_WORDS = 64        # per lane: R8 … R39, the predicates, 15 to spare, then the uniform ones
OUTPUT_WORDS = 8        # per lane and word: R64 … R67, predicates, uniform predicates
CONSTANT_WORDS = 64     # from c[0x0][0x220] on
WAITING = set("BREV F2F F2I FLO FRND I2F MATCH MUFU POPC REDUX SHFL MOVM".split())


def control(stall=15, write=7, read=7, wait=0):
    return (stall | write << 5 | read << 8 | wait << 11) << 105


def word(low, high, **scheduling):
    return (high << 64 | low) & (1 << 105) - 1 | control(**scheduling)


def nop(**s):
    return word(0x7918, 0, **s)


def mov(to, source, **s):
    return word(0x7202 | to << 16 | source << 32, 0xf00, **s)


def mov_uniform(to, source, **s):       # MOV R, UR
    return word(0x7c02 | to << 16 | source << 32, 0x0000000008000f00, **s)


def store(offset, source, wide, **s):   # STG.E[.128] desc[UR4][R2.64+offset], R
    return word(0x7986 | 2 << 24 | source << 32 | (offset & 0xffffff) << 40,
                0x0c101d04 if wide else 0x0c101904, **s)


def load(to, base, offset, **s):        # LDG.E.128 R, desc[UR4][R.64+offset]
    return word(0x7981 | to << 16 | base << 24 | 4 << 32 | (offset & 0xffffff) << 40, 0x0c1e1d00, **s)


def prologue(words):
    """R2 = out + (block · words · 32 + lane) · 32 bytes …, R8 … from the input's row of this lane."""
    code = [
        word(0x7ab9 | 4 << 16 | 0x8200 << 32, 0x0a00),                         # ULDC.64 UR4, c[0x0][0x208]
        word(0x7919, 0x2100, write=0),                                         # S2R R0, SR_TID.X
        word(0x7919 | 1 << 16, 0x2500, write=0),                               # S2R R1, SR_CTAID.X
        word(0x7b82 | 4 << 16 | 0xff << 24 | 0x210 // 4 << 40, 0x0a00, write=1),   # LDC.64 R4, c[0x0][0x210]
        word(0x7b82 | 2 << 16 | 0xff << 24 | 0x218 // 4 << 40, 0x0a00, write=1),   # LDC.64 R2, c[0x0][0x218]
        nop(wait=3), nop(),
        word(0x7824 | 6 << 16 | 1 << 24 | 32 << 32, 0x078e0200),               # IMAD R6, R1, 0x20, R0
        nop(),
        word(0x7825 | 4 << 16 | 6 << 24 | 4 * INPUT_WORDS << 32, 0x078e0004),      # IMAD.WIDE.U32 R4, R6, …, R4
        word(0x7825 | 2 << 16 | 1 << 24 | 128 * OUTPUT_WORDS * words << 32, 0x078e0002),
        nop(),
        word(0x7825 | 2 << 16 | 0 << 24 | 4 * OUTPUT_WORDS << 32, 0x078e0002),     # + lane
        nop(), nop(),
    ]
    for k in range(0, INPUT_WORDS, 4):
        code.append(load(8 + k if k < 48 else 72 + k - 48, 4, 4 * k, write=0))
    code += [nop(wait=1), nop()]
    for k in range(16):                                                        # R2UR UR8+k, R72+k
        code.append(word(0x72ca | 8 + k << 16 | 72 + k << 24, 0x000e0000))
    code += [nop()] * 2
    return code


def around(test, mnemonic, number):
    code = [mov(DESTINATION + k, 36 + k, wait=2) for k in range(4)]
    code += [mov(68, 255), mov(69, 255)]
    code.append(word(0x7804 | 40 << 24 | 0x7f << 32, 0))                       # R2P PR, R40, 0x7f
    code += [word(0x7c82 | UNIFORM_DESTINATION + k << 16 | 20 + k << 32, 0x0800_0000) for k in range(4)]  # UMOV
    code.append(word(0x7884 | 23 << 24 | 0x7f << 32, 0x08000000))              # UR2UP UPR, UR23, 0x7f
    code += [nop()] * 2
    waits = mnemonic in WAITING
    code.append(test & (1 << 105) - 1 | control(write=0 if waits else 7))
    code += [nop(wait=1 if waits else 0)] + [nop()] * 8
    if mnemonic.startswith("U") or mnemonic in ("REDUX", "VOTEU"):
        code += [mov_uniform(DESTINATION + k, UNIFORM_DESTINATION + k) for k in range(4)]
        code.append(word(0x7883 | 44 << 16 | 63 << 24 | 0x7f << 32, 0x08000000))   # UP2UR UR44, UPR, URZ, 0x7f
        code += [nop()] * 2
        code.append(mov_uniform(69, 44))
    code.append(word(0x7803 | 68 << 16 | 0xff << 24 | 0x7f << 32, 0))          # P2R R68, PR, RZ, 0x7f
    code += [nop()] * 2
    offset = 128 * OUTPUT_WORDS * number
    code.append(store(offset, DESTINATION, True, read=1))
    code.append(store(offset + 16, 68, True, read=1))
    return code


def body(tests):
    """Code for all (word, mnemonic) of `tests`."""
    code = prologue(len(tests))
    for number, (test, mnemonic) in enumerate(tests):
        code += around(test, mnemonic, number)
    code.append(word(0x794d, 0x03800000, wait=63))                             # EXIT
    return code


def cubin(base, tests):
    """`base`, a cubin with one kernel, with its code replaced. It must have room."""
    image = bytearray(base)
    shoff, = struct.unpack_from("<Q", image, 0x28)
    count, names = struct.unpack_from("<HH", image, 0x3c)
    sections = [struct.unpack_from("<IIQQQQIIQQ", image, shoff + 64 * i) for i in range(count)]
    table = sections[names][4]
    for s in sections:
        name = image[table + s[0]:image.index(0, table + s[0])].decode()
        if name.startswith(".text."):
            code = body(tests)
            room = s[5] // 16
            if len(code) > room:
                raise ValueError(f"{len(code)} instructions in room for {room}")
            code += [nop()] * (room - len(code))
            image[s[4]:s[4] + s[5]] = b"".join(w.to_bytes(16, "little") for w in code)
            return bytes(image)
    raise ValueError("no code in the base cubin")
