"""Random kernels: declarations, statements, an ending, and what the semantics allow."""

from coarsening.expressions import VARIABLES, Context
from coarsening.program import BINS, SLOTS, TABLE, Program
from coarsening.statements import Statements

LANES = r"shfl|shuffle|vote|ballot|lane|warp"
BARRIER = r"bar"


class Grammar(Statements):
    def declarations(self):
        block = "(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x"
        local = ", local[4] = {v1, v2, 3u, v0}" if "local" in self.parts else ""
        size = "" if self.dynamic else self.threads
        lines = [
            "const unsigned tx = threadIdx.x, um = m;",
            "const unsigned lt = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;",
            f"const int gi = ({block}) * {self.threads} + lt;",
            f"unsigned* mine = out + gi * {SLOTS};",
            f"{'extern ' if self.dynamic else ''}__shared__ unsigned tile[{size}];",
            f"__shared__ unsigned bins[{BINS}];",
            f"unsigned v0 = in[gi & {TABLE - 1}], v1 = gi * 7u, v2 = tx;",
            "unsigned v3 = um, v4 = 1, v5 = lt ^ blockIdx.x;",
            f"unsigned u0 = um + 2{local};",
            "unsigned long long w0 = gi;",
            "float f0 = 1.0f, f1 = static_cast<float>(lt & 15);",
        ]
        return "\n".join(lines)

    def ending(self):
        live = self.chance.sample(VARIABLES, self.chance.randint(2, len(VARIABLES)))
        words = [f"mine[{i % SLOTS}] += {name} * {2 * i + 1}u;" for i, name in enumerate(live)]
        words += ["mine[1] ^= __float_as_uint(f0);"] if "float" in self.parts else []
        words += ["mine[3] ^= static_cast<unsigned>(w0 ^ w0 >> 32);"] if "wide" in self.parts else []
        words += ["mine[2] -= local[v0 & 3];"] if "local" in self.parts else []
        words += ["mine[0] ^= u0;"] if self.chance.random() < 0.5 else []
        if self.chance.random() < 0.4:
            return "if (gi < n) {\n  " + "\n  ".join(words) + "\n}"
        return "\n".join(words)

    def possible(self):
        """What the semantics allow along each axis, and the pattern of the reason."""
        # With shuffles and votes, rows of threads are whole warps: y is free.
        threads_x = "warps" if self.features & {"shuffle", "vote"} else "yes"
        blocks = self.possible_blocks
        sizes = (("thread-x", self.block[0], threads_x), ("thread-y", self.block[1], "yes"))
        sizes += (("block-x", self.grid[0], blocks), ("block-y", self.grid[1], blocks))
        reasons = [LANES] if threads_x == "warps" else []
        reasons += [BARRIER] if self.possible_blocks == "either" else []
        return {axis: allowed for axis, size, allowed in sizes if size > 1}, "|".join(reasons)

    def program(self):
        nodes = []
        if self.chance.random() < 0.6:
            nodes += self.many(Context(sync=True, returns=False))
        if not nodes or self.chance.random() < 0.6:
            self.budget = self.chance.randint(3, 12)
            nodes += self.many(Context(sync=False, returns=True))
        ending = self.ending()
        possible, reason = self.possible()
        total = self.threads * self.grid[0] * self.grid[1] * self.grid[2]
        return Program(
            name=self.name,
            grid=self.grid,
            block=self.block,
            smem=4 * self.threads if self.dynamic else 0,
            n=total - self.chance.randint(0, total // 3),
            m=self.chance.randint(0, 9),
            declarations=self.declarations(),
            nodes=nodes,
            ending=ending,
            features=sorted(self.features),
            possible=possible,
            reason=reason,
        )

    def many(self, context):
        """Statements one after the other, none of which takes more than its share of the budget."""
        nodes = []
        count = self.chance.randint(2, 5)
        share = -(-self.budget // count)
        for _ in range(count):
            self.budget = share
            nodes.append(self.statement(context))
        return nodes


def make_program(seed, number):
    """The same for the same seed and number, whatever came before."""
    return Grammar(f"{seed}:{number}", f"random_{seed}_{number}").program()
