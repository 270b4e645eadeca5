#!/usr/bin/env python3
"""Builds the decoder's oracle: instruction words with the text that nvdisasm gives them.

    build_oracle.py [--library /path/libtorch_cuda.so]…     then: scripts/corpus.py pack oracle

Needs nvcc, ptxas and nvdisasm of one CUDA toolkit; nothing else but Python. The words come from our
own kernels (corpus/oracle, examples, the golden tests), from open libraries where given, and
from our own words with other registers put in. README.md says what the result holds.
"""

import argparse
import collections
import ctypes
import datetime
import hashlib
import lzma
import mmap
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import cubin
import make_ptx

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURES = ("sm_75 sm_80 sm_86 sm_89 sm_90 sm_90a sm_100a sm_103a sm_110a sm_120a sm_121a").split()
# Of these only the forms that the other lacks are asked about: the rest is the same.
SIBLINGS = {"sm_103a": "sm_100a", "sm_110a": "sm_100a", "sm_121a": "sm_120a"}
SOURCES = ("corpus/oracle/*.cu", "examples/*.cu", "tests/data/golden/*.cu")
OWN, CHANGED, SPECIAL = "own kernels", "own kernels, other registers", "special registers"
S2R = 0x919
NOP = 0x000FC000000000000000000000007918
CHUNK = 64  # words a call of nvdisasm: few, since one bad word costs another call

# A legal schedule (stall 1, no scoreboards). nvdisasm prints none of it but the reuse flags, so one
# value for all makes equal what is equal, and the file smaller.
CONTROL, REUSE = 0x7F1 << 105, 7 << 122


def plain(word):
    return word & ((1 << 105) - 1) | word & REUSE | CONTROL


def rank_of(word):
    """A fixed, arbitrary order, so that the same words are kept on every run."""
    return hashlib.blake2b(word.to_bytes(16, "little"), digest_size=8).digest()


def shape(word):
    """Finer than the key: which registers are the zero register, and where a modifier may hide."""
    fields = tuple((word >> at & 0xFF) == 0xFF for at in (16, 24, 32, 64))
    return fields + (word >> 58 & 63 if word >> 9 & 7 in (1, 3, 5, 6, 7) else 0, word >> 12 & 15 == 7)


class Sample:
    """The words of one architecture and one source: for each key a few, as unlike as can be."""

    def __init__(self, most):
        self.most, self.by_key, self.seen = most, collections.defaultdict(dict), 0

    def add(self, words):
        for word in words:
            self.seen += 1
            word = plain(word)
            shapes = self.by_key[cubin.key(word)]
            kept = shapes.setdefault(shape(word), set())
            if len(kept) < self.most:
                kept.add(word)

    def merge(self, other):
        self.seen += other.seen
        for key, shapes in other.by_key.items():
            mine = self.by_key[key]
            for name, words in shapes.items():
                kept = mine.setdefault(name, set())
                kept.update(sorted(words, key=rank_of)[: self.most - len(kept)])

    def ranked(self):
        """Yields (rank, word): rank 0 holds one word of every key, rank 1 a second, and so on."""
        for key in sorted(self.by_key):
            piles = [sorted(words, key=rank_of) for words in self.by_key[key].values()]
            piles.sort(key=lambda pile: rank_of(pile[0]))
            turn = [word for row in range(self.most) for pile in piles for word in pile[row : row + 1]]
            yield from enumerate(turn[: self.most])


def changed(word):
    """The word with other registers: bits that keep the alignment of pairs and quads."""
    noise = int.from_bytes(rank_of(word), "little")
    for at, bits in ((16, 0x38), (24, 0x38), (32, 0x38), (64, 0x38)):
        if word >> at & 0xFF != 0xFF:
            word ^= (noise & bits) << at
        noise >>= 8
    return word


def special(word):
    """S2R with each special register there may be."""
    return [word & ~(0xFF << 72) | number << 72 for number in range(256)]


# Our own kernels.


def compile_source(source, arch, options):
    """The sample of one CUDA source, or None where it does not compile for the architecture."""
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "own.cubin")
        flags = ["-rdc=true"] if source.stem == "linked" else []
        done = subprocess.run([options.nvcc, "-cubin", f"-arch={arch}", "-w", *flags, "-o", target, source],
                              capture_output=True)  # fmt: skip
        if done.returncode != 0:
            return None
        sample = Sample(options.per_key)
        sample.add(cubin.words(pathlib.Path(target).read_bytes()))
        return sample


def assemble_table(table, arch, options):
    sample = Sample(options.per_key)
    for _, _, images in make_ptx.assemble_all([table], arch, 1, options.ptxas):
        for image in images:
            sample.add(cubin.words(image))
    return sample


def own_words(options):
    samples = {arch: Sample(options.per_key) for arch in options.arch}
    sources = sorted(p for pattern in SOURCES for p in ROOT.glob(pattern))
    refused = collections.defaultdict(list)
    with ProcessPoolExecutor(options.threads) as pool:
        jobs = {}
        for work, inputs in ((assemble_table, make_ptx.tables()), (compile_source, sources)):
            for path in inputs:
                for arch in options.arch:
                    jobs[pool.submit(work, path, arch, options)] = arch, path.name
        for job, (arch, name) in jobs.items():
            sample = job.result()
            if sample:
                samples[arch].merge(sample)
            else:
                refused[name].append(arch)
    for name, where in sorted(refused.items()):
        print(f"  {name}: not for {' '.join(where)}")
    return samples


# Open libraries: the cubins of the fatbins inside.


def codec(*names):
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return None


def unpack(data, flags, size):
    """A fatbin entry's cubin, or None where it is no cubin or no decompressor is at hand."""
    out = ctypes.create_string_buffer(size) if size else None
    if flags & 0x8000:
        zstd = codec("libzstd.so.1", "libzstd.so")
        if not zstd or not out:
            return None
        zstd.ZSTD_decompress.restype = ctypes.c_size_t
        zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t] * 2
        data = out.raw if zstd.ZSTD_decompress(out, size, data, len(data)) == size else None
    elif flags & 0x2000:
        lz4 = codec("liblz4.so.1", "liblz4.so")
        if not lz4 or not out:
            return None
        data = out.raw if lz4.LZ4_decompress_safe(data, out, len(data), size) == size else None
    return data if data and data[:4] == b"\x7fELF" else None


def entries(path):
    """[(arch, offset, stored size, flags, raw size)] of the cubins in the fatbins of a file."""
    result = []
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(b"\x50\xed\x55\xba")
        while 0 <= at <= len(data) - 16:
            _, version, header, size = struct.unpack_from("<IHHQ", data, at)
            end = at + header + size
            if version != 1 or header != 16 or end > len(data):
                at = data.find(b"\x50\xed\x55\xba", at + 4)
                continue
            entry = at + header
            while entry + 64 <= end:
                kind, _, length, stored, packed = struct.unpack_from("<HHIQI", data, entry)
                (sm,) = struct.unpack_from("<I", data, entry + 28)
                flags, _, raw = struct.unpack_from("<QQQ", data, entry + 40)
                if length < 64 or entry + length + stored > end:
                    break
                if kind == 2:
                    variant = "a" if flags & 0x100000 else "f" if flags & 0x200000 else ""
                    amount = packed if flags & 0xA000 and packed else stored
                    result.append((f"sm_{sm}{variant}", entry + length, amount, flags, raw))
                entry += length + stored
            at = data.find(b"\x50\xed\x55\xba", end)
    return result


def read_entries(path, batch, most):
    samples = {}
    with open(path, "rb") as file:
        for arch, offset, size, flags, raw in batch:
            file.seek(offset)
            image = unpack(file.read(size), flags, raw)
            if image:
                samples.setdefault(arch, Sample(most)).add(cubin.words(image))
    return samples


def library_words(path, options, deadline):
    """{arch: Sample}; as many entries as the time allows, taken evenly from the whole file."""
    found = [e for e in entries(path) if e[0].rstrip("af") in {a.rstrip("af") for a in options.arch}]
    found.sort(key=lambda e: rank_of(e[1]))
    batches = [found[i : i + 8] for i in range(0, len(found), 8)]
    samples, done = {}, 0
    with ProcessPoolExecutor(options.threads) as pool:
        waiting = iter(batches)
        jobs = {}

        def submit():
            batch = next(waiting, None) if time.time() < deadline else None
            if batch:
                jobs[pool.submit(read_entries, path, batch, options.per_key)] = len(batch)

        for _ in range(options.threads * 2):
            submit()
        while jobs:
            for job in as_completed(list(jobs)):
                done += jobs.pop(job)
                for arch, sample in job.result().items():
                    samples.setdefault(arch, Sample(options.per_key)).merge(sample)
                submit()
                break
    print(f"  {pathlib.Path(path).name}: {done} of {len(found)} images read")
    return samples


# nvdisasm.

LINE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(.*?;)", re.M)
ADDRESS = re.compile(r"at address 0x([0-9a-f]+)")


def name_for(arch, nvdisasm):
    """The architecture as this nvdisasm knows it, or None: SM90a, or SM90 where it is older."""
    for name in (arch.replace("sm_", "SM"), arch.replace("sm_", "SM").rstrip("af")):
        if disassemble(name, [NOP], nvdisasm):
            return name
    return None


def disassemble(name, words, nvdisasm):
    """[(word, offset, text)]; a word that nvdisasm refuses is left out and the rest tried again."""
    words = list(words)
    with tempfile.NamedTemporaryFile() as file:
        while words:
            pathlib.Path(file.name).write_bytes(b"".join(w.to_bytes(16, "little") for w in words))
            done = subprocess.run([nvdisasm, "-ndf", "-b", name, file.name], capture_output=True, text=True)
            if done.returncode == 0:
                texts = {int(at, 16): text for at, text in LINE.findall(done.stdout)}
                return [(w, i * 16, texts[i * 16]) for i, w in enumerate(words) if i * 16 in texts]
            bad = ADDRESS.search(done.stderr)
            index = int(bad[1], 16) // 16 if bad else None
            if index is not None and index < len(words):
                del words[index]
            elif len(words) == 1:
                return []
            else:
                half = len(words) // 2
                return sum((disassemble(name, part, nvdisasm) for part in (words[:half], words[half:])), [])
    return []


def build(options):
    start = time.time()
    deadline = start + options.seconds
    print(f"own kernels for {len(options.arch)} architectures")
    groups = {(arch, OWN): sample for arch, sample in own_words(options).items()}
    print(f"  {time.time() - start:.0f} s")
    for path in options.library:
        share = (deadline - time.time()) * 0.4 / len(options.library)
        for arch, sample in library_words(path, options, time.time() + share).items():
            groups[arch, f"library {pathlib.Path(path).name}"] = sample
        print(f"  {time.time() - start:.0f} s")

    names = {arch: name_for(arch, options.nvdisasm) for arch in {arch for arch, _ in groups}}
    for arch in sorted(arch for arch, name in names.items() if not name):
        print(f"  {arch} is left out: this nvdisasm does not know it")
    groups = {which: sample for which, sample in groups.items() if names[which[0]]}

    # The most telling words first, in case the time ends: by rank, our own before the libraries'.
    jobs = []
    for (arch, source), sample in groups.items():
        sibling = groups.get((SIBLINGS.get(arch), source))
        ranks = collections.defaultdict(list)
        for rank, word in sample.ranked():
            if sibling and cubin.key(word) in sibling.by_key:
                continue
            ranks[rank, source].append(word)
            if source == OWN and rank == 0 and changed(word) != word:
                ranks[1, CHANGED].append(changed(word))
            if source == OWN and word & 0xFFF == S2R and not ranks[0, SPECIAL]:
                ranks[0, SPECIAL] = special(word)
        for (rank, name), words in ranks.items():
            for first in range(0, len(words), CHUNK):
                jobs.append((rank, name != OWN, arch, name, words[first : first + CHUNK]))
    jobs.sort(key=lambda job: job[:3])
    print(f"{sum(len(j[4]) for j in jobs)} words for nvdisasm in {len(jobs)} calls")

    lines, asked, lock = collections.defaultdict(list), collections.Counter(), threading.Lock()

    def work(job):
        rank, _, arch, name, words = job
        if time.time() > deadline:
            return
        found = disassemble(names[arch], words, options.nvdisasm)
        with lock:
            asked[arch, name] += len(words)
            lines[arch, name] += [(priority(rank, row[0]), *row) for row in found]

    with ThreadPoolExecutor(options.threads) as pool:
        list(pool.map(work, jobs))
    print(f"  {time.time() - start:.0f} s, asked about {sum(asked.values())}")
    write(groups, lines, asked, options)


def priority(rank, word):
    """All of rank 0 is kept before any of rank 1, and so on; within one, the hash decides."""
    return rank and rank + rank_of(word)[0] / 256


def render(arch, groups, lines, asked, limit, release):
    """The text of one architecture's file, with the words up to priority `limit`."""
    out = [
        "# Instruction words and the text nvdisasm gives them: ARCH WORD OFFSET TEXT, by bench/oracle.",
        f"# nvdisasm {release}; made on {datetime.date.today()}",
        "# Scheduling bits 105-121 are all set alike; TEXT holds for the word at byte OFFSET.",
    ]
    short = arch.replace("sm_", "SM")
    for (where, name), rows in sorted(lines.items()):
        if where != arch:
            continue
        kept = sorted((row for row in rows if row[0] <= limit), key=lambda r: (r[1] & 0xFFF, r[3], r[1]))
        seen = groups[arch, OWN if name in (CHANGED, SPECIAL) else name].seen
        out.append(f"# source: {name}; {seen} words seen, {asked[arch, name]} asked, {len(kept)} kept")
        out += [f"{short} {word:032x} {offset:x} {text}" for _, word, offset, text in kept]
    return "\n".join(out) + "\n"


def write(groups, lines, asked, options):
    version = subprocess.run([options.nvdisasm, "--version"], capture_output=True, text=True).stdout
    release = (re.search(r"release (.*)", version) or ["", "?"])[1]
    priorities = sorted(row[0] for rows in lines.values() for row in rows)
    keep = len(priorities)
    while keep:
        files = {}
        for arch in sorted({arch for arch, _ in lines}):
            text = render(arch, groups, lines, asked, priorities[keep - 1], release)
            files[arch] = text, len(lzma.compress(text.encode()))
        total = sum(packed_bytes for _, packed_bytes in files.values())
        if total <= options.mib * 2**20 or priorities[keep - 1] == 0:
            break
        keep = int(keep * options.mib * 2**20 / total * 0.98)
    os.makedirs(options.out, exist_ok=True)
    for arch, (text, packed_bytes) in files.items():
        (pathlib.Path(options.out) / f"{arch}.txt").write_text(text, encoding="utf-8")
        print(f"{arch:8} {text.count(chr(10)):7} lines {packed_bytes / 1024:8.0f} KiB packed")
    print(f"{total / 2**20:.2f} MiB in all; {keep} of {len(priorities)} words")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default=str(ROOT / "build/corpus/oracle"))
    parser.add_argument("--arch", nargs="+", default=ARCHITECTURES)
    parser.add_argument("--library", action="append", default=[], help="a file that carries cubins")
    parser.add_argument("--per-key", type=int, default=4, help="words of one form, at most")
    parser.add_argument("--mib", type=float, default=2, help="the most all files may take, packed")
    parser.add_argument("--seconds", type=float, default=420)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    for tool in ("nvcc", "ptxas", "nvdisasm"):
        parser.add_argument(f"--{tool}", default=shutil.which(tool) or f"/usr/local/cuda/bin/{tool}")
    options = parser.parse_args()
    for tool in ("nvcc", "ptxas", "nvdisasm"):
        if not shutil.which(getattr(options, tool)):
            sys.exit(f"{tool} was not found: install the CUDA toolkit or give --{tool}")
    build(options)


if __name__ == "__main__":
    main()
