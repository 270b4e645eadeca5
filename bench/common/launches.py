"""launches.txt: one launch a line, NAME FILE KERNEL OPTIONS… [; NOTE…]."""

import dataclasses
import pathlib
import re

LISTS = {"tolerance", "unordered", "ignore"}
WORDS = {"count", "near", "arch", "flags", "bound", "caches"}


@dataclasses.dataclass
class Launch:
    name: str  # "saxpy/odd"
    source: pathlib.Path
    kernel: str
    options: list  # the words behind it, as `burin run` takes them
    notes: dict  # "tolerance": ["1:f32:1e-5"], "arch": "90a"
    place: str  # file:line

    @property
    def arch(self):
        return "sm_" + self.notes.get("arch", "90")

    @property
    def flags(self):
        return [flag for flag in self.notes.get("flags", "").split(",") if flag]

    @property
    def cubin(self):
        """The file's name: stream.sm_90.cubin, options.use_fast_math.sm_90.cubin."""
        marks = [re.sub(r"[^A-Za-z0-9_]+", "_", flag.lstrip("-")) for flag in self.flags]
        return ".".join([self.source.stem, *marks, self.arch, "cubin"])

    def values(self, option):
        """All values of an option: values("--arg")."""
        return [
            value for word, value in zip(self.options[::2], self.options[1::2]) if word == option
        ]

    def value(self, option):
        return (self.values(option) or [None])[0]

    @property
    def buffers(self):
        """The positions of the arguments that are buffers."""
        return [i for i, text in enumerate(self.values("--arg")) if text.startswith("buf:")]

    def note_of(self, kind, argument):
        """The rest of the note KIND=ARGUMENT:REST ('' where there is no rest), or None."""
        for text in self.notes.get(kind, []):
            number, _, rest = text.partition(":")
            if int(number) == argument:
                return rest
        return None


class BadLaunch(SystemExit):
    """Ends the script with its sentence."""


def parse_notes(words, place):
    notes = {}
    for word in words:
        key, separator, value = word.partition("=")
        if not separator or key not in LISTS | WORDS:
            raise BadLaunch(f"{place}: '{word}' is not a note")
        if key in LISTS:
            notes.setdefault(key, []).append(value)
        else:
            notes[key] = value
    return notes


def parse(line, folder, place):
    words = line.split()
    cut = words.index(";") if ";" in words else len(words)
    if cut < 3 or cut % 2 == 0:
        raise BadLaunch(f"{place}: a launch is NAME FILE KERNEL and options with one value each")
    name, source, kernel, *options = words[:cut]
    notes = parse_notes(words[cut + 1 :], place)
    return Launch(name, folder / source, kernel, options, notes, place)


def read_list(file, folder):
    """The launches of one list, whose sources are named from `folder`; names are unique."""
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    return check(
        [
            parse(line, folder, f"{file}:{number}")
            for number, line in lines
            if line.strip() and not line.lstrip().startswith("#")
        ]
    )


def read_all(root):
    files = sorted(root.glob("**/launches.txt"))
    return check([launch for file in files for launch in read_list(file, file.parent)])


def check(launches):
    names, sources = set(), {}
    for launch in launches:
        if launch.name in names:
            raise BadLaunch(f"{launch.place}: there are two launches {launch.name}")
        names.add(launch.name)
        if sources.setdefault(launch.cubin, launch.source) != launch.source:
            raise BadLaunch(f"{launch.place}: another folder has a {launch.source.name} too")
    return launches
