"""Random kernels: what may stand where.

Two promises are kept. All threads of a block are together wherever a barrier, a shuffle or a vote stands:
these are written in uniform flow only, and never after a return. And no thread reads what another may be
writing: a thread writes its own words of `out`, shared words between two barriers, and adds to others'
words by integer atomics whose result is not used.
"""

from coarsening.expressions import VARIABLES, Expressions
from coarsening.program import BINS, SLOTS, TABLE, Node

FLOATS = ["f0", "f1"]


class Statements(Expressions):
    def assign(self, context):
        name = self.chance.choice(VARIABLES)
        sign = self.chance.choice(["=", "=", "+=", "^=", "-="])
        return Node(f"{name} {sign} {self.expression(context, 3)};")

    def assign_float(self, context):
        c = self.chance
        a, b = c.sample(FLOATS, 2)
        value = f"static_cast<float>(({self.expression(context, 1)}) & 255)"
        forms = [f"{a} = {a} * 0.5f + {value};", f"{a} = {b} * 0.25f - {value} * 0.125f;"]
        forms += [f"{a} = fminf({a}, {value}) + 0.5f * {b};", f"{a} = sqrtf(fabsf({a} - {value}));"]
        return Node(c.choice(forms))

    def assign_wide(self, context):
        a, b = self.expression(context, 1), self.expression(context, 1)
        return Node(f"w0 = w0 * 3u + static_cast<unsigned long long>({a}) * ({b});")

    def swap(self, context):
        a, b = self.chance.sample(VARIABLES, 2)
        more = self.chance.randint(0, 2)
        return Node(f"{{\n  unsigned old = {a};\n  {a} = {b};\n  {b} = old + {more}u;\n}}")

    def store(self, context):
        return Node(f"mine[({self.expression(context, 1)}) & {SLOTS - 1}] = {self.expression(context, 2)};")

    def store_local(self, context):
        self.features.add("local")
        return Node(f"local[({self.expression(context, 1)}) & 3] = {self.expression(context, 2)};")

    def load_pair(self, context):
        a, b = self.chance.sample(VARIABLES, 2)
        where = f"({self.expression(context, 1)}) & {TABLE // 2 - 1}"
        load = f"uint2 pair = reinterpret_cast<const uint2*>(in)[{where}];"
        return Node(f"{{\n  {load}\n  {a} += pair.x;\n  {b} ^= pair.y;\n}}")

    def atomic(self, context):
        self.features.add("atomics")
        where = f"({self.expression(context, 1)}) & {BINS // 4 - 1}"
        kind, first = self.chance.choice([("Add", 0), ("Max", 4), ("Xor", 8), ("Min", 12)])
        return Node(f"atomic{kind}(&acc[{first} + ({where})], {self.expression(context, 1)});")

    def add_bin(self, context):
        where, value = self.expression(context, 1), self.expression(context, 1)
        return Node(f"atomicAdd(&bins[({where}) & {BINS - 1}], {value});")

    def predicated(self, context):
        self.features.add("predicated")
        a, b = self.chance.sample(VARIABLES, 2)
        test = self.chance.choice(["gt", "lo", "ne", "hs"])
        jumps = self.chance.random() < 0.1
        jump, label = ("@!p bra over;\\n", "over:\\n") if jumps else ("", "")
        words = f"setp.{test}.u32 p, %0, %2;\\n@p add.u32 %0, %0, %1;\\n"
        words += f"{jump}@!p xor.b32 %1, %1, %2;\\n{label}"
        operands = f'"+r"({a}), "+r"({b}) : "r"({self.expression(context, 0)})'
        return Node(f'asm("{{\\n.reg .pred p;\\n{words}}}" : {operands});')

    def branch(self, context):
        inner = context.inside(sync=False, uniform_loop=False)
        node = Node(f"if ({self.condition(context)}) {{", self.block_of(inner), tail="}")
        if self.chance.random() < 0.5:
            node.middle, node.other = "} else {", self.block_of(inner)
        return node

    def uniform_branch(self, context):
        by_block = self.chance.random() < 0.3
        test = f"({self.uniform(context, by_block)}) % 3u != {self.chance.randint(0, 2)}u"
        inner = context.inside(blocks_differ=context.blocks_differ or by_block)
        node = Node(f"if ({test}) {{", self.block_of(inner), tail="}")
        if self.chance.random() < 0.4:
            node.middle, node.other = "} else {", self.block_of(inner)
        return node

    def pragma(self):
        return self.chance.choice(["#pragma unroll 1\n", "#pragma unroll 1\n", "#pragma unroll 2\n", ""])

    def uniform_loop(self, context):
        k, by_block = self.fresh("k"), self.chance.random() < 0.2
        bound = f"1u + ({self.uniform(context, by_block)}) % 4u"
        inner = context.inside(
            counters=(*context.counters, k),
            uniform_counters=(*context.uniform_counters, k),
            loop=False,
            uniform_loop=True,
            blocks_differ=context.blocks_differ or by_block,
        )
        # The bound is computed once: the body may change u0.
        head = f"{self.pragma()}for (unsigned {k} = 0, end_{k} = {bound}; {k} < end_{k}; ++{k}) {{"
        return Node(head, self.block_of(inner), tail="}")

    def divergent_loop(self, context):
        k = self.fresh("k")
        inner = context.inside(counters=(*context.counters, k), sync=False, loop=True, uniform_loop=False)
        start = f"({self.expression(context, 1)}) & 7"
        test = f"({self.expression(context, 1)}) % 7u != 3u"
        head, tail = self.chance.choice(
            [
                (f"for (unsigned {k} = {start}; {k} > 0; --{k}) {{", "}"),
                (f"for (unsigned {k} = 0, end_{k} = {start}; {k} < end_{k}; ++{k}) {{", "}"),
                (f"for (unsigned {k} = 0; {test} && {k} < 6; ++{k}) {{", "}"),
                (f"for (unsigned {k} = tx & 3; {k} < 9; {k} += 2 + (lt & 1)) {{", "}"),
            ]
        )
        return Node(self.pragma() + head, self.block_of(inner), tail=tail)

    def do_loop(self, context):
        k = self.fresh("k")
        inner = context.inside(counters=(*context.counters, k), sync=False, loop=True, uniform_loop=False)
        head = f"unsigned {k} = {self.expression(context, 1)} & 3;\ndo {{"
        tail = f"}} while ({k}-- > 0 && {self.condition(context)});\n}}"
        return Node("{\n" + head, self.block_of(inner), tail=tail)

    def jump_loops(self, context):
        """Two loops, left at once by a goto."""
        self.features.add("goto")
        k, j, label = self.fresh("k"), self.fresh("k"), self.fresh("out_of_loops_")
        inner = context.inside(counters=(*context.counters, k, j), sync=False, loop=True, uniform_loop=False)
        body = self.block_of(inner)
        body.insert(self.chance.randint(0, len(body)), Node(f"if ({self.condition(inner)}) goto {label};"))
        head = f"#pragma unroll 1\nfor (unsigned {k} = 0; {k} < 3; ++{k}) {{\n#pragma unroll 1\n"
        head += f"for (unsigned {j} = ({self.leaf(context)}) & 3; {j} < 5; ++{j}) {{"
        return Node(head, body, tail=f"}}\n}}\n{label}:;")

    def switch(self, context):
        self.features.add("switch")
        cases = self.chance.choice([3, 4, 8])
        inner = context.inside(sync=False, loop=False, uniform_loop=False)
        text = []
        for case in range(cases):
            if self.chance.random() < 0.15:
                continue
            end = "" if self.chance.random() < 0.2 else "\nbreak;"
            lines = [line for node in (self.simple(inner), self.simple(inner)) for line in node.lines(0)]
            text.append(f"case {case}: {{\n  " + "\n  ".join(lines) + "\n}" + end)
        if self.chance.random() < 0.5:
            text.append(f"default:\n  {self.assign(inner).head}")
        mask = max(3, cases - 1)
        return Node(f"switch (({self.expression(context, 1)}) & {mask}) {{\n" + "\n".join(text) + "\n}")

    def leave_loop(self, context):
        word = self.chance.choice(["break", "continue"])
        return Node(f"if ({self.condition(context)}) {word};")

    def leave_kernel(self, context):
        self.features.add("early_return")
        if self.chance.random() < 0.4:
            return Node(f"if ({self.condition(context)}) return;")
        return Node(f"if ({self.condition(context)}) {{\n  {self.store(context).head}\n  return;\n}}")

    def note_barrier(self, context):
        self.features |= {"barrier", "shared"}
        if context.blocks_differ:
            self.possible_blocks = "either"

    def exchange(self, context):
        """A tile of shared memory: written, read by other threads, free again."""
        self.note_barrier(context)
        inner = context.inside(sync=False, tile=True, loop=False, uniform_loop=False)
        value = self.expression(context, 2)
        head = f"tile[lt] = {value};"
        if self.chance.random() < 0.3:
            head = f"if ({self.condition(context)}) tile[lt] = {value};\n"
            head += f"else tile[lt] = {self.leaf(context)};"
        reader = self.chance.choice(VARIABLES)
        body = self.block_of(inner)
        body.append(Node(f"{reader} += tile[(lt + {self.chance.randint(1, 60)}) % {self.threads}];"))
        return Node(head + "\n__syncthreads();\n{", body, tail="}\n__syncthreads();")

    def count_bins(self, context):
        self.note_barrier(context)
        self.features.add("atomics")
        inner = context.inside(sync=False, bins=True, loop=False, uniform_loop=False)
        head = f"for (unsigned b = lt; b < {BINS}; b += {self.threads}) bins[b] = 0;\n__syncthreads();\n{{"
        reader = self.chance.choice(VARIABLES)
        read = f"{reader} ^= bins[({self.leaf(context)}) & {BINS - 1}];"
        tail = f"}}\n__syncthreads();\n{read}\n__syncthreads();"
        body = [self.add_bin(inner), *self.block_of(inner)]
        return Node(head, body, tail=tail)

    def shuffle(self, context):
        self.features.add("shuffle")
        a, b = self.chance.choice(VARIABLES), self.chance.choice(VARIABLES)
        lane, value = self.chance.choice([1, 2, 4, 8, 16]), self.expression(context, 1)
        forms = [
            f"{a} += __shfl_xor_sync(~0u, {value}, {lane});",
            f"{a} ^= __shfl_down_sync(~0u, {value}, {lane});",
            f"{a} -= __shfl_up_sync(~0u, {b}, {lane}, 16);",
            f"{a} = __shfl_sync(~0u, {value}, {b} & 31);",
        ]
        return Node(self.chance.choice(forms))

    def vote(self, context):
        self.features.add("vote")
        name, test = self.chance.choice(VARIABLES), self.condition(context)
        forms = [f"{name} += __ballot_sync(~0u, {test});", f"if (__any_sync(~0u, {test})) {name} += 3u;"]
        forms += [f"{name} ^= __all_sync(~0u, {test}) ? 5u : 9u;"]
        return Node(self.chance.choice(forms))

    def assign_uniform(self, context):
        by_block = not self.blocks_share_u0
        return Node(f"u0 = {self.uniform(context, by_block)} & 1023u;")

    def leave_uniform_loop(self, context):
        word = self.chance.choice(["break", "continue"])
        return Node(f"if (({self.uniform(context, context.blocks_differ)}) % 5u == 2u) {word};")

    def simple(self, context):
        makers = [self.assign] * 8 + [self.store]
        optional = {
            "float": [self.assign_float] * 2,
            "memory": [self.store] * 3,
            "local": [self.store_local] * 2,
            "swap": [self.swap] * 2,
            "pair": [self.load_pair],
            "atomic": [self.atomic],
            "predicated": [self.predicated] * 2,
            "wide": [self.assign_wide],
        }
        for part in sorted(self.parts & set(optional)):
            makers += optional[part]
        return self.chance.choice(makers)(context)

    def statement(self, context):
        makers = [self.simple] * 8
        if context.depth < 4:
            makers += [self.branch] * 3 + [self.divergent_loop] * 3 + [self.uniform_loop, self.uniform_branch]
            optional = {"do": self.do_loop, "switch": self.switch, "goto": self.jump_loops}
            makers += [make for part, make in optional.items() if part in self.parts]
        if context.loop:
            makers += [self.leave_loop] * 2
        if context.uniform_loop:
            makers += [self.leave_uniform_loop]
        if context.returns and "return" in self.parts:
            makers += [self.leave_kernel] * 2
        if context.bins:
            makers += [self.add_bin] * 3
        if context.sync:
            makers += [self.exchange] * 6 + [self.count_bins] * 2 + [self.uniform_loop] * 4
            makers += [self.uniform_branch] * 2
            makers += [self.assign_uniform] if not (self.blocks_share_u0 and context.blocks_differ) else []
            makers += ([self.shuffle] * 4 + [self.vote] * 2) if self.whole_warps and self.lanes else []
        return self.chance.choice(makers)(context)

    def block_of(self, context):
        """One to four statements, fewer as the budget runs out."""
        nodes = []
        for _ in range(self.chance.randint(1, 4)):
            self.budget -= 1
            nodes.append(self.statement(context) if self.budget > 0 else self.assign(context))
            if self.budget <= 0:
                break
        return nodes
