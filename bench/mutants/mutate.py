"""Ways to damage a cubin, or the options of a launch. Each returns what it made and a few words on it."""

import struct

WORD = 16  # bytes of an instruction
HEADER = 64  # bytes of an ELF header, and of a section's


def sections(data):
    """(name, offset, size) of the sections, as far as the headers can be read."""
    if len(data) < HEADER or data[:4] != b"\x7fELF":
        return []
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    rows = []
    for k in range(count):
        at = table + k * size
        if at + HEADER > len(data):
            break
        name, _, _, _, offset, length = struct.unpack_from("<IIQQQQ", data, at)
        rows.append((name, offset, length))
    start = rows[names][1] if names < len(rows) else 0

    def text(name):
        end = data.find(b"\0", start + name)
        return data[start + name : end].decode(errors="replace") if end >= 0 else ""

    return [(text(n), o, s) for n, o, s in rows if 0 < s and o + s <= len(data)]


def code_words(data):
    """Offsets of the instructions."""
    return [
        at
        for name, offset, size in sections(data)
        if name.startswith(".text")
        for at in range(offset, offset + size - WORD + 1, WORD)
    ]


def put(data, at, new):
    return data[:at] + new + data[at + len(new) :]


def flip_bits(chance, data):
    count = chance.choice((1, 1, 2, 8))
    changed = bytearray(data)
    for _ in range(count):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed), f"{count} bits flipped"


def overwrite(chance, data):
    at = chance.randrange(len(data))
    size = min(len(data) - at, chance.choice((1, 2, 4, 8, 16, 64)))
    value = chance.choice((None, 0, 0xFF))
    new = chance.randbytes(size) if value is None else bytes([value]) * size
    return put(data, at, new), f"{size} bytes overwritten at {at:#x}"


def truncate(chance, data):
    size = chance.randrange(1, len(data))
    return data[:size], f"cut off at {size:#x}"


def swap_sections(chance, data):
    found = sections(data)
    if len(found) < 2:
        return flip_bits(chance, data)
    (one, a, size_a), (other, b, size_b) = chance.sample(found, 2)
    size = min(size_a, size_b)
    first, second = data[a : a + size], data[b : b + size]
    return put(put(data, a, second), b, first), f"{one} and {other} swapped"


def patch_instruction(chance, data):
    words = code_words(data)
    if not words:
        return flip_bits(chance, data)
    at = chance.choice((chance.choice(words), words[-1]))
    kind = chance.choice(("noise", "another", "bit", "operand"))
    word = bytearray(data[at : at + WORD])
    if kind == "noise":
        word = chance.randbytes(WORD)
    elif kind == "another":
        other = chance.choice(words)
        word = data[other : other + WORD]
    elif kind == "bit":
        word[chance.randrange(WORD)] ^= 1 << chance.randrange(8)
    else:  # registers and immediates
        word[chance.randrange(2, 9)] = chance.randrange(256)
    return put(data, at, bytes(word)), f"instruction at {at:#x} patched ({kind})"


def damage_header(chance, data):
    if len(data) < HEADER:
        return flip_bits(chance, data)
    (table,) = struct.unpack_from("<Q", data, 40)
    (count,) = struct.unpack_from("<H", data, 60)
    start = chance.choice((0, table + HEADER * chance.randrange(max(1, count))))
    at = min(start + chance.randrange(HEADER), len(data) - 1)
    size = min(len(data) - at, chance.choice((1, 2, 4, 8)))
    new = chance.choice((chance.randbytes(size), b"\xff" * size, bytes(size)))
    return put(data, at, new), f"header damaged at {at:#x}"


def mutate_file(chance, data):
    ways = (flip_bits, overwrite, truncate, swap_sections, patch_instruction, patch_instruction, damage_header)
    return chance.choice(ways)(chance, data) if data else (data, "empty")


def other_number(chance, text):
    """A number instead of an argument's: an extreme, or one near to it."""
    try:
        value = int(text, 0)
    except ValueError:
        return chance.choice(("0", "-1", "nan", "inf", "1e30"))
    return str(chance.choice((0, 1, -1, value + 1, 1000 * value, 2**31 - 1, -(2**31), value // 1000)))


def other_argument(chance, text):
    kind, _, rest = text.partition(":")
    if kind != "buf":
        return f"{kind}:{other_number(chance, rest)}"
    size, colon, fill = rest.partition(":")
    if chance.random() < 0.3:
        fill = chance.choice(("zero", "undef", "f32", "u8", "int:7", "perm", "none"))
        return f"buf:{size}:{fill}"
    return f"buf:{other_number(chance, size)}{colon}{fill}"


def other_shape(chance, text):
    axes = text.split(",")
    k = chance.randrange(len(axes))
    axes[k] = chance.choice(("1", "0", "33", "1000", "1024", "65535", "2147483647"))
    return ",".join(axes)


def mutate_options(chance, options):
    pairs = list(zip(options[::2], options[1::2]))
    k = chance.randrange(len(pairs))
    name, value = pairs[k]
    if chance.random() < 0.1 or name not in ("--arg", "--grid", "--block"):
        del pairs[k]
        what = f"{name} {value} left out"
    else:
        new = other_argument(chance, value) if name == "--arg" else other_shape(chance, value)
        pairs[k] = (name, new)
        what = f"{name} {value} → {new}"
    return [word for pair in pairs for word in pair], what
