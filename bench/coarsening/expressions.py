"""Random kernels: their shapes, and expressions over what a thread may read."""

import dataclasses
import random

from coarsening.program import SLOTS, TABLE

VARIABLES = [f"v{i}" for i in range(6)]
PARTS = "local memory float wide atomic switch goto predicated do return pair swap".split()


@dataclasses.dataclass(frozen=True)
class Context:
    """Where a statement stands."""

    sync: bool  # all threads of the block are here together
    returns: bool  # a thread may leave the kernel
    loop: bool = False  # inside a divergent loop: break and continue
    depth: int = 0
    counters: tuple = ()  # of the loops around it
    uniform_counters: tuple = ()
    tile: bool = False  # the shared tile may be read
    bins: bool = False  # shared bins may be added to
    blocks_differ: bool = False  # some blocks do not come here
    uniform_loop: bool = False  # the innermost loop is uniform, and all threads are in it

    def inside(self, **changes):
        return dataclasses.replace(self, depth=self.depth + 1, **changes)


class Expressions:
    def __init__(self, seed, name):
        self.chance = random.Random(f"coarsening {seed}")
        self.name = name
        self.budget = self.chance.randint(4, 18)  # statements
        # Each kernel has only some of the parts: a few at a time meet more often than all at once.
        share = self.chance.choice([0.2, 0.4, 0.7, 1.0])
        self.parts = {part for part in PARTS if self.chance.random() < share}
        self.parts |= {"call"} if self.chance.random() < 0.2 else set()
        self.blocks_share_u0 = self.chance.random() < 0.7
        self.features = set()
        self.names = 0
        self.choose_shape()
        self.possible_blocks = "yes"

    def choose_shape(self):
        pick = self.chance.choice
        self.whole_warps = self.chance.random() < 0.6
        self.lanes = self.chance.random() < 0.4  # shuffles and votes
        if self.whole_warps:
            shapes = "32,1,1 64,1,1 64,1,1 128,1,1 128,1,1 256,1,1 32,4,1 64,2,1"
        else:
            shapes = "16,4,1 8,8,1 48,1,1 80,1,1 24,2,1 8,4,2 16,2,2 96,1,1"
        grids = "4,1,1 4,1,1 2,1,1 2,2,1 3,1,1 4,2,1 2,1,2"
        self.block = [int(n) for n in pick(shapes.split()).split(",")]
        self.grid = [int(n) for n in pick(grids.split()).split(",")]
        self.threads = self.block[0] * self.block[1] * self.block[2]
        self.dynamic = self.chance.random() < 0.3

    def fresh(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def uniform(self, context, blocks=True):
        """The same for all threads of a block; with `blocks`, perhaps not for all blocks."""
        leaves = ["um", str(self.chance.randint(0, 9)), "blockDim.x", "gridDim.x"]
        leaves += context.uniform_counters
        leaves += ["u0"] if blocks or self.blocks_share_u0 else []
        if blocks:
            leaves += ["blockIdx.x", "blockIdx.y + 1", f"in[blockIdx.x * 5 & {TABLE - 1}]"]
        a, b = self.chance.choice(leaves), self.chance.choice(leaves)
        return self.chance.choice([a, f"({a} + {b})", f"({a} * 3u ^ {b})", f"in[({a}) & {TABLE - 1}]"])

    def leaf(self, context):
        c = self.chance
        choices = [lambda: c.choice(VARIABLES)] * 6
        choices += [lambda: str(c.choice([0, 1, 2, 3, 5, 7, 12, 31, 255, 65535, 2654435761])) + "u"] * 2
        choices += [lambda: c.choice(["tx", "gi", "lt", "threadIdx.y", "threadIdx.x * 3u", "blockIdx.x"])] * 2
        choices += [lambda: c.choice(["um", "u0", "blockDim.x", "gridDim.x"])]
        choices += [lambda: f"in[{c.choice(VARIABLES)} & {TABLE - 1}]"] * 2
        optional = {
            "local": lambda: f"local[{c.choice(VARIABLES)} & 3]",
            "memory": lambda: f"mine[{c.choice(VARIABLES)} & {SLOTS - 1}]",
            "wide": lambda: "static_cast<unsigned>(w0 >> 7)",
            "float": lambda: "__float_as_uint(f0)",
        }
        choices += [make for part, make in optional.items() if part in self.parts]
        if context.counters:
            choices += [lambda: c.choice(context.counters)] * 3
        if context.tile:
            choices += [lambda: f"tile[({c.choice(VARIABLES)} + {c.randint(0, 40)}) % {self.threads}]"] * 4
        return c.choice(choices)()

    def expression(self, context, size=2):
        c = self.chance
        if size <= 0 or c.random() < 0.25:
            return self.leaf(context)
        a, b = self.expression(context, size - 1), self.expression(context, size - 2)
        forms = ["({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} ^ {b})", "({a} & {b})", "({a} | {b})"]
        forms += ["({a} << ({b} & 7))", "({a} >> ({b} & 15))", "min({a}, {b})", "max({a}, {b})"]
        forms += ["({a} / ({b} | 1u))", "({a} % ({b} | 1u))", "__popc({a})", "__brev({a})"]
        forms += ["__umulhi({a}, {b})"]
        forms += [f"(({{a}} & 8u) ? {{b}} : {c.choice(VARIABLES)})"]
        if "call" in self.parts and size > 1:
            self.features.add("call")
            forms += ["mixed({a}, {b})", "chosen({a}, {b}, 77u)"]
        return c.choice(forms).format(a=a, b=b)

    def condition(self, context):
        c = self.chance
        a, b = self.expression(context, 1), self.expression(context, 0)
        forms = [f"(({a}) & {c.choice([1, 2, 3, 4, 8, 16])}) != 0", f"{a} < {b}", f"({a}) % 3u == 1"]
        forms += [f"gi < n - {c.randint(0, 20)}", "f0 < f1", f"tx > {c.randint(0, self.block[0])}"]
        forms += [f"({a}) % 5u > ({b}) % 4u", f"(lt & 31) == {c.randint(0, 31)}"]
        return c.choice(forms)
