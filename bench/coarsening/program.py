"""A random kernel as a tree of statements, which can be printed as CUDA C++ and made smaller.

Every node can be left out by itself and the kernel still compiles, terminates and is free of races:
a node that synchronises holds its barriers itself.
"""

import copy
import dataclasses

TABLE = 256  # words of the read-only input
SLOTS = 4  # words of its own that each thread may write
BINS = 16  # words that all threads add to

HELPERS = """\
// Random kernels: DO NOT EDIT, written by bench/coarsening/generate.py.
#pragma nv_diag_suppress 128, 177, 186, 550  // what is not used, not reached or always false

__device__ __noinline__ unsigned mixed(unsigned a, unsigned b) {
  a ^= a >> 13;
  if (a & 4) a += b * 5u;
  for (unsigned k = b & 3; k > 0; --k) a = a * 17u + k;
  return a;
}

__device__ __noinline__ unsigned chosen(unsigned a, unsigned b, unsigned c) {
  if ((a & 7) == 3) return b;
  while (c > 9) {
    c /= 3;
    if ((c ^ a) & 1) return c + a;
  }
  return a - b;
}
"""


@dataclasses.dataclass
class Node:
    head: str  # a statement, or what stands before the body
    body: list = None  # of nodes
    middle: str = None  # "} else {"
    other: list = None  # the nodes after it
    tail: str = ""

    def lines(self, indent):
        space = "  " * indent
        found = [space + line for line in self.head.splitlines()]
        if self.body is not None:
            found += [line for node in self.body for line in node.lines(indent + 1)]
            if self.middle:
                found.append(space + self.middle)
                found += [line for node in self.other for line in node.lines(indent + 1)]
            found += [space + line for line in self.tail.splitlines()]
        return found

    def lists(self):
        """Every list of nodes below this node."""
        for nodes in (self.body, self.other):
            if nodes is not None:
                yield nodes
                for node in nodes:
                    yield from node.lists()


@dataclasses.dataclass
class Program:
    name: str
    grid: list
    block: list
    smem: int  # bytes of dynamic shared memory
    n: int  # threads that the guards let through
    m: int  # a uniform number for loops
    declarations: str
    nodes: list
    ending: str
    features: list
    possible: dict
    reason: str

    @property
    def threads(self):
        return self.block[0] * self.block[1] * self.block[2]

    @property
    def total(self):
        return self.threads * self.grid[0] * self.grid[1] * self.grid[2]

    @property
    def arguments(self):
        return [
            f"buf:{4 * TABLE}:int:4294967295",
            f"buf:{4 * SLOTS * self.total}:int:1000000",
            f"buf:{4 * BINS}:int:4294967295",
            f"i32:{self.n}",
            f"i32:{self.m}",
        ]

    def text(self):
        """The kernel alone; HELPERS go before the first of a file."""
        lines = [
            f'extern "C" __global__ void {self.name}(const unsigned* __restrict__ in, unsigned* out, '
            "unsigned* acc, int n, int m) {"
        ]
        lines += ["  " + line for line in self.declarations.splitlines()]
        lines += [line for node in self.nodes for line in node.lines(1)]
        lines += ["  " + line for line in self.ending.splitlines()]
        return "\n".join(lines) + "\n}\n"

    def entry(self, file):
        """The kernel's line of launches.json."""
        entry = {"kernel": self.name, "file": file}
        entry |= {"grid": ",".join(map(str, self.grid)), "block": ",".join(map(str, self.block))}
        entry |= {"args": self.arguments, "smem": self.smem, "kind": "random", "features": self.features}
        entry |= {"expected": "coarsens", "possible": self.possible, "reason": self.reason}
        return entry

    def lists(self):
        yield self.nodes
        for node in self.nodes:
            yield from node.lists()

    def count(self):
        return sum(len(nodes) for nodes in self.lists())

    def without(self, list_number, begin, end):
        """A copy without some nodes of one list."""
        smaller = copy.deepcopy(self)
        nodes = next(nodes for number, nodes in enumerate(smaller.lists()) if number == list_number)
        del nodes[begin:end]
        return smaller


def reduced(program, still_wrong, tries=200):
    """The program with every node left out without which it is still wrong: halves first, then ever
    smaller pieces of each list."""
    progress = True
    while progress and tries > 0:
        progress = False
        for number in range(len(list(program.lists()))):
            lists = list(program.lists())
            if number >= len(lists):
                break
            piece = len(lists[number])
            while piece > 0:
                at = 0
                while at < len(list(program.lists())[number]) and tries > 0:
                    smaller = program.without(number, at, at + piece)
                    tries -= 1
                    if still_wrong(smaller):
                        program, progress = smaller, True
                    else:
                        at += piece
                piece //= 2
    return program
