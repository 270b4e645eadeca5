"""The instruction words of a cubin: just enough ELF to find its code sections."""

import struct

CONTROL_BITS = 105  # from here up a word holds scheduling, not meaning


def code_sections(data):
    """Yields (section name, offset, size) of each code section of the cubin `data`."""
    if data[:5] != b"\x7fELF\x02":
        raise ValueError("not a 64-bit ELF file")
    (table,) = struct.unpack_from("<Q", data, 40)
    entry_size, count, names_index = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * entry_size) for i in range(count)]
    names = sections[names_index]
    for name, _, _, _, offset, size in sections:
        start = names[4] + name
        title = data[start : data.index(b"\0", start)].decode()
        if title.startswith(".text"):
            yield title, offset, size


def words(data):
    """Yields every 16-byte instruction of the cubin `data` as an integer."""
    for _, offset, size in code_sections(data):
        for at in range(offset, offset + size - size % 16, 16):
            yield int.from_bytes(data[at : at + 16], "little")


def key(word):
    """What tells one form of an instruction from another: its opcode and the bits 72 to 104."""
    return word & 0xFFF, word >> 72 & 0x1FFFFFFFF
