"""What coarsening gains on the recorded spaces of the 16 kinds, and how much of that `burin coarsen
--best` finds without a GPU.

A configuration of a space is the original block, factors and strides of coarsening, and unrolling. The
default is a block of 256 threads (32 by 8 in two dimensions), not coarsened, unrolled as the compiler
likes.
"""

import dataclasses
import gzip
import json
import math
import pathlib
import subprocess
import tomllib

from tuning.spaces import held_out

FOLDER = pathlib.Path(__file__).resolve().parent
KINDS = FOLDER / "kinds"
SPACES = FOLDER / "spaces"
CLEAR = 1.05  # kernels whose best coarsening gains less are not counted for --best


@dataclasses.dataclass
class Recorded:
    kernel: str
    size: dict  # {"n": 1024}
    times: dict  # {configuration as a sorted tuple: µs}

    @property
    def default(self):
        plain = dict(next(iter(self.times)))
        plain = {name: 0 if "stride" in name or "unroll" in name else 1 for name in plain}
        plain |= {"block_size_x": 32, "block_size_y": 8} if "block_size_y" in plain else {"block_size_x": 256}
        return plain

    def time(self, **changes):
        """Of the default with some changes; None where that was not recorded."""
        return self.times.get(tuple(sorted((self.default | changes).items())))

    def coarsened(self):
        """{configuration: µs} of those that differ from the default by coarsening alone."""
        fixed = {k: v for k, v in self.default.items() if not k.startswith("coarsen")}
        return {key: time for key, time in self.times.items() if fixed.items() <= dict(key).items()}


def read_space(file):
    content = json.loads(gzip.decompress(file.read_bytes()))
    kernel, _, size = file.name.removesuffix(".json.gz").partition(".")
    words = size.split("_")
    times = {
        tuple(sorted(result["configuration"].items())): 1000 * result["measurements"][0]["value"]
        for result in content["results"]
        if result["invalidity"] == "correct"
    }
    return Recorded(kernel, {words[i]: int(words[i + 1]) for i in range(0, len(words), 2)}, times)


def read_spaces(part):
    """Every size of every kernel of a part, by kernel and size; held-out ones first."""
    spaces = [read_space(file) for file in SPACES.glob("*.json.gz")]
    wanted = {"held-out": (True,), "visible": (False,), "all": (True, False)}[part]
    spaces = [space for space in spaces if held_out(space.kernel) in wanted]
    return sorted(spaces, key=lambda s: (not held_out(s.kernel), s.kernel, s.size["n"]))


def launch_words(space):
    """The default launch as `burin coarsen` takes it."""
    spec = tomllib.loads((KINDS / f"{space.kernel}.toml").read_text(encoding="utf-8"))
    names = space.size | space.default | {"ceildiv": lambda a, b: -(-a // b)}

    def value(text):
        return str(int(eval(str(text), {"__builtins__": {}}, names)))  # our own specs

    def filled(text):
        head, brace, rest = text.partition("{")
        return head + value(rest.partition("}")[0]) + rest.partition("}")[2] if brace else text

    words = ["--grid", ",".join(map(value, spec["launch"]["grid"]))]
    words += ["--block", ",".join(map(value, spec["launch"]["block"]))]
    for argument in spec["launch"]["args"]:
        words += ["--arg", filled(argument)]
    for name, number in space.default.items():
        if name.startswith("block_size"):
            words += ["--nvcc-flag", f"-D{name}={number}"]
    return [str(KINDS / f"{space.kernel}.cu"), *words]


def changes_of(coarsenings, space):
    """Coarsenings as `burin coarsen --json` writes them, as tunables of the space."""
    changes = {}
    for one in coarsenings:
        name = f"coarsen_{one['level']}_{one['axis']}"
        changes[name] = one["factor"]
        if one["level"] == "thread":
            left = space.default[f"block_size_{one['axis']}"] // one["factor"]
            stride = one.get("stride", 0)
            changes[f"coarsen_stride_{one['axis']}"] = 0 if stride == left else stride
    return {k: v for k, v in changes.items() if k in space.default or v != 0}


def best_of(burin, space, more=()):
    """What `burin coarsen --best` answers, or None with a sentence where it cannot predict the kernel."""
    command = [str(burin), "coarsen", *launch_words(space), "--best", "--json", "-q", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{space.kernel}, {space.size}: {done.stderr.strip()}")
        return None
    return json.loads(done.stdout)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def text_of(space, key):
    changed = {k: v for k, v in dict(key).items() if space.default[k] != v}
    return ", ".join(f"{k}={v}" for k, v in changed.items()) or "as it is"


def gains(options):
    """Prints, for each kernel at its largest size, the best of coarsening alone and of the whole space."""
    spaces = read_spaces(options.part)
    last = {space.kernel: space for space in spaces}.values() if not options.all else spaces
    print(f"{'kernel':16} {'size':>10} {'default µs':>11} {'coarsened':>9} {'all axes':>8}  best coarsening alone")
    rows = []
    for space in last:
        base = space.time()
        alone = min(space.coarsened().items(), key=lambda item: item[1])
        rows.append((base / alone[1], base / min(space.times.values())))
        star = " (held out)" if held_out(space.kernel) else ""
        print(f"{space.kernel:16} {space.size['n']:>10} {base:>11.2f} {rows[-1][0]:>8.2f}x {rows[-1][1]:>7.2f}x  {text_of(space, alone[0])}{star}")
    print(f"{'geometric mean':38} {geometric_mean([r[0] for r in rows]):>9.2f}x {geometric_mean([r[1] for r in rows]):>7.2f}x")
    return 0
