#include "report/inspect/flow.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "read/isa/print.h"
#include "read/program/loop_lines.h"
#include "read/program/names.h"
#include "read/program/source.h"
#include "read/program/words.h"

namespace burin::report {
namespace {

std::string source_text(const read::LoopLines& lines) {
  return lines.first == 0 ? "" : line_name(lines.file, lines.first, lines.last);
}

// Text for the inside of a DOT string, and a whole one.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}
std::string dot_string(std::string_view text) {
  return '"' + escaped(text) + '"';
}

void write_node(Output& out, const read::Kernel& kernel, std::uint32_t index) {
  const read::BasicBlock& block = kernel.blocks[index];
  const read::Instruction& first = kernel.instructions[block.first];
  std::string last;
  read::print(kernel.instructions[block.last], last);
  out.put("  b", index, " [label=", '"', Hex{first.offset, 4}, "\\n");
  const auto chain = read::call_chain(*kernel.image, kernel.location_at(first.offset));
  if (!chain.empty()) {
    const read::Location& at = *chain.front();
    out.put(escaped(line_name(read::path_of(*kernel.image, at), at.line)), "\\n");
  }
  out.put(count_of(block.last - block.first + 1, "instruction"), "\\n", escaped(last), '"');
  if (block.exits) out.put(", peripheries=2");
  if (block.unresolved) out.put(", color=red");
  out.put("];\n");
}

// The clusters of all loops inside `parent`, each with the nodes that are in no deeper loop.
// The blocks of each loop without its inner loops; the last entry is the code outside loops.
// Unreachable code is left out: it is the padding after the last instruction.
struct Nest {
  std::vector<std::vector<std::uint32_t>> blocks;
  std::vector<std::vector<std::uint32_t>> loops;

  explicit Nest(const read::Kernel& kernel)
      : blocks(kernel.loops.size() + 1), loops(kernel.loops.size() + 1) {
    for (std::uint32_t i = 0; i < kernel.blocks.size(); ++i)
      if (kernel.blocks[i].reachable) blocks[place(kernel.blocks[i].loop)].push_back(i);
    for (std::uint32_t i = 0; i < kernel.loops.size(); ++i)
      loops[place(kernel.loops[i].parent)].push_back(i);
  }
  std::size_t place(std::uint32_t loop) const {
    return loop == read::kNoIndex ? loops.size() - 1 : loop;
  }
};

void write_clusters(Output& out, const read::Kernel& kernel, const Nest& nest,
                    std::uint32_t parent) {
  for (const std::uint32_t block : nest.blocks[nest.place(parent)]) write_node(out, kernel, block);
  for (const std::uint32_t loop : nest.loops[nest.place(parent)]) {
    const std::string lines = source_text(lines_of(kernel, kernel.loops[loop]));
    out.put("  subgraph cluster", loop, " {\n  label=", dot_string("loop " + lines), ";\n");
    write_clusters(out, kernel, nest, loop);
    out.put("  }\n");
  }
}

}  // namespace

LoopSize size_of(const read::Kernel& kernel, std::uint32_t loop) {
  LoopSize size{0, 0, 0xffffffff, 0};
  for (const std::uint32_t index : kernel.loops[loop].blocks) {
    const read::BasicBlock& block = kernel.blocks[index];
    const std::uint32_t count = block.last - block.first + 1;
    size.instructions += count;
    if (block.loop == loop) size.own += count;
    size.first_offset = std::min(size.first_offset, kernel.instructions[block.first].offset);
    size.last_offset = std::max(size.last_offset, kernel.instructions[block.last].offset);
  }
  return size;
}

void write_loops(Output& out, const read::Kernel& kernel) {
  out.put(Style::kBold, "// ", read::to_string(kernel.image->arch), "  ",
          kernel.function->demangled, Style::kPlain, ": ", count_of(kernel.loops.size(), "loop"),
          '\n');
  if (!kernel.loops.empty()) {
    out.put(Style::kDim, "offset            depth  blocks  instrs     own  source\n",
            Style::kPlain);
  }
  for (std::uint32_t i = 0; i < kernel.loops.size(); ++i) {
    const read::Loop& loop = kernel.loops[i];
    const LoopSize size = size_of(kernel, i);
    std::string& text = out.buffer();
    const std::size_t start = text.size();
    for (std::uint32_t depth = 1; depth < loop.depth; ++depth) text += "  ";
    append(text, Hex{size.first_offset, 4, true});
    text += '-';
    append(text, Hex{size.last_offset, 4, true});
    pad_since(text, start, 18);
    out.put(Right{loop.depth, 5}, Right{loop.blocks.size(), 8}, Right{size.instructions, 8},
            Right{size.own, 8});
    if (const std::string source = source_text(lines_of(kernel, loop)); !source.empty()) {
      out.put("  ", source);
    }
    out.put(loop.irreducible ? "  (irreducible: multiple entry blocks)" : "", '\n');
  }
  out.put('\n');
}

void write_dot(Output& out, const read::Kernel& kernel) {
  const std::string title = read::to_string(kernel.image->arch) + "  " + kernel.function->demangled;
  out.put("digraph ", dot_string(kernel.function->name), " {\n");
  out.put("  label=", dot_string(title), ";\n  node [shape=box, fontname=monospace];\n");
  write_clusters(out, kernel, Nest(kernel), read::kNoIndex);
  for (std::uint32_t i = 0; i < kernel.blocks.size(); ++i) {
    if (!kernel.blocks[i].reachable) continue;
    for (const read::Edge& edge : kernel.blocks[i].successors) {
      out.put("  b", i, " -> b", edge.block);
      if (edge.kind != read::Edge::Kind::kFallThrough)
        out.put(" [label=", dot_string(read::name(edge.kind)), ']');
      out.put(";\n");
    }
  }
  out.put("}\n");
}

}  // namespace burin::report
