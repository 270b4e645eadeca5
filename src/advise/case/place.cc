#include "advise/case/place.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"
#include "read/binary/demangle.h"

namespace burin::advise {

KernelPlaces::KernelPlaces(const read::Kernel& kernel)
    : kernel_(kernel), function_of_block_(kernel.blocks.size()) {
  // A block's function is the entry that its dominators lead to; an unreachable block's is the
  // kernel.
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    std::uint32_t root = b;
    while (kernel.blocks[root].immediate_dominator != read::kNoIndex) {
      root = kernel.blocks[root].immediate_dominator;
    }
    const auto entry = std::ranges::find(kernel.entries, root);
    if (entry == kernel.entries.end()) continue;
    function_of_block_[b] = static_cast<std::uint32_t>(entry - kernel.entries.begin());
  }
}

std::uint32_t KernelPlaces::loop_of(std::uint32_t instruction) const {
  return kernel_.blocks[kernel_.block_of[instruction]].loop;
}

bool KernelPlaces::in_loop(std::uint32_t instruction, std::uint32_t loop) const {
  for (std::uint32_t l = loop_of(instruction); l != read::kNoIndex; l = kernel_.loops[l].parent) {
    if (l == loop) return true;
  }
  return false;
}

std::uint32_t KernelPlaces::common_loop(std::uint32_t a, std::uint32_t b) const {
  for (std::uint32_t l = loop_of(a); l != read::kNoIndex; l = kernel_.loops[l].parent) {
    if (in_loop(b, l)) return l;
  }
  return read::kNoIndex;
}

std::uint32_t KernelPlaces::outermost(std::uint32_t loop) const {
  while (loop != read::kNoIndex && kernel_.loops[loop].parent != read::kNoIndex) {
    loop = kernel_.loops[loop].parent;
  }
  return loop;
}

read::InstructionSet KernelPlaces::instructions_of_loop(std::uint32_t loop) const {
  read::InstructionSet set(kernel_.instructions.size());
  for (const std::uint32_t b : kernel_.loops[loop].blocks) {
    const read::BasicBlock& block = kernel_.blocks[b];
    std::fill(set.begin() + block.first, set.begin() + block.last + 1, std::uint8_t{1});
  }
  return set;
}

read::InstructionSet KernelPlaces::loops_around(const read::InstructionSet& instructions) const {
  read::InstructionSet around(instructions.size());
  for (std::uint32_t i = 0; i < instructions.size(); ++i) {
    const std::uint32_t loop = instructions[i] == 0 ? read::kNoIndex : loop_of(i);
    if (loop == read::kNoIndex || around[i] != 0) continue;
    const read::InstructionSet all = instructions_of_loop(loop);
    for (std::size_t k = 0; k < around.size(); ++k) around[k] |= all[k];
  }
  return around;
}

std::optional<read::LoopLines> KernelPlaces::loop_lines(std::uint32_t loop) const {
  const read::LoopLines lines = read::lines_of(kernel_, kernel_.loops[loop]);
  return lines.first == 0 ? std::nullopt : std::optional(lines);
}

std::string KernelPlaces::loop_name(std::uint32_t loop) const {
  if (loop == read::kNoIndex) return {};
  if (const std::optional<read::LoopLines> lines = loop_lines(loop)) {
    return "loop at " + line_name(lines->file, lines->first, lines->last);
  }
  const std::uint32_t header = kernel_.blocks[kernel_.loops[loop].header].first;
  return fmt::format("loop at 0x{:04x}", kernel_.instructions[header].offset);
}

std::uint32_t KernelPlaces::function_of(std::uint32_t instruction) const {
  return function_of_block_[kernel_.block_of[instruction]];
}

std::size_t KernelPlaces::functions() const {
  return kernel_.entries.size();
}

std::string KernelPlaces::function_name(std::uint32_t function) const {
  if (function == 0) return kernel_.function->demangled;
  const std::uint32_t first = kernel_.blocks[kernel_.entries[function]].first;
  const std::uint32_t offset = kernel_.instructions[first].offset;
  for (const auto& [at, name] : kernel_.function->labels) {
    if (at != offset) continue;
    // "$kernel$function" for a function placed after its kernel.
    const std::size_t mangled = name.rfind("$_Z");
    return mangled == std::string_view::npos ? std::string(name)
                                             : read::demangle(name.substr(mangled + 1));
  }
  return "an unnamed device function";
}

bool KernelPlaces::of_compiler(std::uint32_t function) const {
  // "$__internal_0_$__cuda_sm20_rem_u64", "$kernel$__internal_trig_reduction_slowpathd"
  const std::string name = "$" + function_name(function);
  return function != 0 && (name.find("$__internal_") != std::string::npos ||
                           name.find("$__cuda_") != std::string::npos);
}

std::vector<std::string_view> KernelPlaces::inlined(std::uint32_t instruction) const {
  std::vector<std::string_view> names;
  const read::Image& image = *kernel_.image;
  for (std::int32_t at = kernel_.location_at(kernel_.instructions[instruction].offset); at >= 0;
       at = image.locations[static_cast<std::size_t>(at)].inlined_from) {
    const read::Location& location = image.locations[static_cast<std::size_t>(at)];
    if (!location.function.empty()) names.push_back(short_name(location.function));
  }
  return names;
}

std::string KernelPlaces::function_text(std::uint32_t instruction) const {
  const std::uint32_t function = function_of(instruction);
  if (of_compiler(function)) return function_name(function);  // its line is that of other code
  const std::vector<std::string_view> names = inlined(instruction);
  if (!names.empty()) return std::string(names.front());
  return std::string(short_name(function_name(function)));
}

std::string place_name(const read::Kernel& kernel, std::uint32_t instruction) {
  const analyze::SourceLine line = analyze::line_of(kernel, instruction);
  if (line.line == 0)
    return fmt::format("offset 0x{:04x}", kernel.instructions[instruction].offset);
  return line_name(line.file, line.line);
}

std::string_view short_name(std::string_view demangled) {
  const std::string_view head = demangled.substr(0, demangled.find_first_of("(<"));
  const std::size_t space = head.find_last_of(" :");
  return space == std::string_view::npos ? head : head.substr(space + 1);
}

}  // namespace burin::advise
