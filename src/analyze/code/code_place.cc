#include "analyze/code/code_place.h"

#include <algorithm>

#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/print.h"
#include "read/program/source.h"

namespace burin::analyze {

std::string CodePlace::name() const {
  return file.empty() ? fmt::format("0x{:04x}", offset) : line_name(file, line);
}

namespace {

// The first block of the function that contains the instruction.
std::uint32_t entry_of(const read::Kernel& kernel, std::uint32_t instruction) {
  std::uint32_t entry = kernel.block_of[instruction];
  while (kernel.blocks[entry].immediate_dominator != read::kNoIndex) {
    entry = kernel.blocks[entry].immediate_dominator;
  }
  return entry;
}

// Whether the line table has no row for the routine that contains the instruction, as for a
// division of 64 bits that the compiler adds after the kernel: the last row is that of other code.
bool has_no_line(const read::Kernel& kernel, std::uint32_t instruction) {
  const std::uint32_t entry = entry_of(kernel, instruction);
  if (entry == 0) return false;
  const std::uint32_t first = kernel.instructions[kernel.blocks[entry].first].offset;
  const std::vector<read::LineRow>& rows = kernel.function->lines;
  const std::uint32_t offset = kernel.instructions[instruction].offset;
  return std::ranges::none_of(
      rows, [&](const read::LineRow& row) { return row.offset >= first && row.offset <= offset; });
}

// The lines that call the routine which contains the instruction, each once. Empty for code of the
// kernel itself.
std::vector<CodePlace::Call> calls_of(const read::Kernel& kernel, std::uint32_t instruction) {
  const std::uint32_t entry = entry_of(kernel, instruction);
  std::vector<CodePlace::Call> calls;
  for (const read::BasicBlock& block : kernel.blocks) {
    if (block.callee != entry) continue;
    const SourceLine line = line_of(kernel, block.last);
    const auto same = [&](const CodePlace::Call& c) {
      return c.line == line.line && c.file == line.file;
    };
    if (line.line == 0 || std::ranges::any_of(calls, same)) continue;
    calls.push_back({.file = line.file, .line = line.line, .function = {}});
  }
  return calls;
}

}  // namespace

CodePlace code_place(const read::Kernel& kernel, std::uint32_t instruction) {
  CodePlace place;
  const bool unknown = has_no_line(kernel, instruction);
  const SourceLine line = unknown ? SourceLine{} : line_of(kernel, instruction);
  place.file = line.file;
  place.line = line.line;
  place.offset = kernel.instructions[instruction].offset;
  read::print(kernel.instructions[instruction], place.instruction);
  while (place.instruction.ends_with(' ') || place.instruction.ends_with(';')) {
    place.instruction.pop_back();
  }
  place.called = calls_of(kernel, instruction);
  if (unknown) return place;
  const auto chain = read::call_chain(*kernel.image, kernel.location_at(place.offset));
  if (chain.size() < 2) return place;
  for (const read::Location* at : chain) {
    place.inlined.push_back({read::path_of(*kernel.image, *at), at->line, at->function});
  }
  return place;
}

}  // namespace burin::analyze
