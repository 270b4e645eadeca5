#!/usr/bin/env python3
"""Files that tests and benchmarks read but that are tracked packed, because packed they are a seventh as large.

    corpus.py unpack [NAME…]    to build/corpus/NAME, unless its files are there already
    corpus.py pack NAME…        build/corpus/NAME into its archive again, after files in it were made anew
    corpus.py list [NAME…]      the files of an archive and their sizes

NAME is one of
    cubins      corpus/cubins.tar.xz                   what nvcc made of corpus/**/*.cu
    oracle      corpus/oracle.tar.xz                   instruction words with nvdisasm's text for them
    captures    bench/advice/results/captures.tar.xz   recordings of the slow kernels of bench/advice
    launch_spaces, launch_others, launch_emulated      bench/launch: measured times of every shape, those at
                                                       other sizes, and predicted ones
    carving_counts                                     bench/carving: what was counted of every configuration
    audit                                              bench/audit: kernels by engineers who audited burin advise

The build unpacks what the tests need, and the benchmarks unpack what they need, so calling this by hand is only
needed after `pack` or `git pull`. Any number of processes may unpack at once.
"""

import argparse
import contextlib
import fcntl
import hashlib
import io
import lzma
import os
import pathlib
import shutil
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
ARCHIVES = {
    "cubins": "corpus/cubins.tar.xz",
    "oracle": "corpus/oracle.tar.xz",
    "captures": "bench/advice/results/captures.tar.xz",
    "launch_spaces": "bench/launch/spaces.tar.xz",
    "launch_others": "bench/launch/others.tar.xz",
    "launch_emulated": "bench/launch/emulated.tar.xz",
    "carving_counts": "bench/carving/counts.tar.xz",
    "audit": "bench/audit/kernels.tar.xz",
}
STAMP = ".archive"  # in an unpacked folder: the SHA-256 of the archive whose files it holds
UNPACKED_TIME = 0  # every unpacked file's modification time; another one means that it was made here


def archive_of(name):
    return ROOT / ARCHIVES[name]


def folder_of(name):
    return ROOT / "build/corpus" / name


@contextlib.contextmanager
def locked():
    """One process at a time changes build/corpus."""
    folder = ROOT / "build/corpus"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def stamp_of(folder):
    try:
        return (folder / STAMP).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


def files_in(folder):
    return sorted(path for path in folder.iterdir() if path.name != STAMP)


def made_here(folder):
    """The files that were not unpacked but made since, and that no archive may have."""
    return [path.name for path in files_in(folder) if path.stat().st_mtime != UNPACKED_TIME]


def members(data):
    """(name, content) of each file of an archive; an archive is a flat list of files."""
    plain = lzma.decompress(data)  # at once, so that an archive that was cut short is noticed
    with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as tar:
        for member in tar:
            if not member.isfile() or "/" in member.name or member.name.startswith("."):
                raise tarfile.TarError(f"{member.name} is no plain file at its top")
            yield member.name, tar.extractfile(member).read()


def mark_unpacked(folder, archive_data):
    for path in files_in(folder):
        os.utime(path, (UNPACKED_TIME, UNPACKED_TIME))
    digest = hashlib.sha256(archive_data).hexdigest()
    (folder / STAMP).write_text(digest + "\n", encoding="utf-8")


def unpack(name):
    """The folder build/corpus/NAME, as the archive has it."""
    folder = folder_of(name)
    data = archive_of(name).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    with locked():
        if stamp_of(folder) == digest:
            os.utime(folder / STAMP)  # newer than the archive: nothing to do for a build
            return folder
        if folder.exists() and (own := made_here(folder)):
            sys.exit(
                f"corpus: {archive_of(name)} has changed, but {folder} has files that were made here "
                f"({own[0]}{' and others' if len(own) > 1 else ''}); keep them with "
                f"`scripts/corpus.py pack {name}` or delete the folder"
            )
        fresh = folder.with_name(f"{name}.new")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for member, content in members(data):
            (fresh / member).write_bytes(content)
        mark_unpacked(fresh, data)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    return folder


def packed(files):
    """The archive of these files; the same files always give the same bytes."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in files:
            member = tarfile.TarInfo(path.name)  # owner, group and time stay 0
            content = path.read_bytes()
            member.size, member.mode = len(content), 0o644
            tar.addfile(member, io.BytesIO(content))
    return lzma.compress(plain.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def pack(name):
    archive, folder = archive_of(name), folder_of(name)
    if not folder.is_dir() or not files_in(folder):
        sys.exit(f"corpus: there is nothing in {folder} to pack")
    with locked():
        files = files_in(folder)
        data = packed(files)
        fresh = archive.with_name(archive.name + ".new")
        fresh.write_bytes(data)
        fresh.rename(archive)
        mark_unpacked(folder, data)
    print(f"{archive.relative_to(ROOT)}: {len(files)} files, {len(data):,} bytes")


def show(name):
    for member, content in members(archive_of(name).read_bytes()):
        print(f"{len(content):>10,}  {name}/{member}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["unpack", "pack", "list"])
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"of {', '.join(ARCHIVES)}")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in ARCHIVES]
    if unknown:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(ARCHIVES)}")
    if options.what == "pack" and not options.names:
        parser.error("name what to pack")
    do = {"unpack": unpack, "pack": pack, "list": show}[options.what]
    for name in options.names or ARCHIVES:
        try:
            do(name)
        except (OSError, EOFError, lzma.LZMAError, tarfile.TarError) as problem:
            sys.exit(f"corpus: cannot {options.what} {name} ({ARCHIVES[name]}): {problem}")


if __name__ == "__main__":
    sys.exit(main())
