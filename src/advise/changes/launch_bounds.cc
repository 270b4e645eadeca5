// Fewer registers per thread, so that more blocks are resident: by __launch_bounds__ if the
// kernel's text can be edited, otherwise by -maxrregcount.
#include <algorithm>
#include <set>

#include "advise/changes/propose.h"
#include "base/format.h"

namespace burin::advise {
namespace {

constexpr std::uint64_t kMinBoundedRegisters = 16;

std::uint64_t limit_of(const machine::Occupancy& occupancy, std::string_view name) {
  for (const machine::Occupancy::Limit& limit : occupancy.limits) {
    if (limit.name == name) return limit.blocks;
  }
  return machine::Occupancy::kUnlimited;
}

// Numbers of resident blocks that fewer registers would allow, nearest first.
std::vector<std::uint64_t> wanted_blocks(const Case& c) {
  const std::uint64_t now = limit_of(c.occupancy, "registers");
  std::uint64_t most = machine::Occupancy::kUnlimited;
  for (const machine::Occupancy::Limit& limit : c.occupancy.limits) {
    if (limit.name != "registers") most = std::min(most, limit.blocks);
  }
  if (now >= most || now != c.occupancy.blocks) return {};
  std::set<std::uint64_t> wanted;
  for (const std::uint64_t blocks : {now + 1, now + (now + 1) / 2, 2 * now, most}) {
    machine::KernelNeeds needs = c.needs;
    needs.registers = kMinBoundedRegisters;
    const Result<machine::Occupancy> least = machine::occupancy(c.machine, needs);
    if (blocks <= most && least && blocks <= limit_of(*least, "registers")) wanted.insert(blocks);
  }
  return {wanted.begin(), wanted.end()};
}

// The maximum number of registers with which that many blocks are resident.
std::uint64_t registers_for(const Case& c, std::uint64_t blocks) {
  machine::KernelNeeds needs = c.needs;
  while (needs.registers > kMinBoundedRegisters) {
    const Result<machine::Occupancy> held = machine::occupancy(c.machine, needs);
    if (held && held->blocks >= blocks) break;
    --needs.registers;
  }
  return needs.registers;
}

struct BoundsText {
  std::size_t open = CudaText::kNone;  // of an existing __launch_bounds__( … )
  std::size_t comma = CudaText::kNone;
  std::size_t second_comma = CudaText::kNone;
};

BoundsText bounds_text(const CudaText& source, const FunctionText& f) {
  BoundsText found;
  for (std::size_t i = f.qualifier; i < f.name_token; ++i) {
    if (!source.is(i, "__launch_bounds__")) continue;
    found.open = source.next(i);
    const std::size_t close = source.partner(found.open);
    for (std::size_t k = found.open + 1; k < close && close != CudaText::kNone; ++k) {
      if (source.is(k, "(")) k = source.partner(k);
      if (!source.is(k, ",")) continue;
      (found.comma == CudaText::kNone ? found.comma : found.second_comma) = k;
    }
  }
  return found;
}

Result<TextEdit> bounds_edit(const ProposalInput& input, std::uint64_t blocks) {
  if (input.kernel() == nullptr) return Error{input.no_kernel};
  const CudaText& source = input.source;
  const FunctionText& f = *input.kernel();
  if (f.is_template) {
    return Error{"the kernel is a template: other instances may have other block sizes"};
  }
  for (std::size_t i = f.qualifier; i < f.name_token; ++i) {
    if (source.is_word(i) && source.is_macro(source.of(i))) {
      return Error{fmt::format("the macro {} is part of the kernel's declaration", source.of(i))};
    }
  }
  const BoundsText bounds = bounds_text(source, f);
  const auto end_of = [&](std::size_t token) {
    return source.tokens()[token].offset + source.tokens()[token].length;
  };
  if (bounds.open == CudaText::kNone) {
    return TextEdit{source.tokens()[f.name_token].offset, 0,
                    fmt::format("__launch_bounds__({}, {}) ", input.c.block.total(), blocks)};
  }
  const std::size_t close = source.partner(bounds.open);
  if (close == CudaText::kNone) return Error{"its __launch_bounds__ cannot be read"};
  if (bounds.comma == CudaText::kNone) {
    return TextEdit{source.tokens()[close].offset, 0, fmt::format(", {}", blocks)};
  }
  const std::size_t last = bounds.second_comma == CudaText::kNone ? close : bounds.second_comma;
  return TextEdit{end_of(bounds.comma), source.tokens()[last].offset - end_of(bounds.comma),
                  fmt::format(" {}", blocks)};
}

}  // namespace

void propose_launch_bounds(const ProposalInput& input, Proposals& all) {
  for (const std::uint64_t blocks : wanted_blocks(input.c)) {
    const Result<TextEdit> edit = bounds_edit(input, blocks);
    Change change{.family = "registers", .rules = {"occupancy-increase"}};
    if (edit) {
      change.place = input.at(input.kernel()->first_line);
      change.title = fmt::format("__launch_bounds__({}, {})", input.c.block.total(), blocks);
      change.condition =
          fmt::format("Blocks must not have more than {} threads.", input.c.block.total());
      change.edits = {*edit};
    } else {
      const std::uint64_t registers = registers_for(input.c, blocks);
      if (blocks == wanted_blocks(input.c).front()) {
        all.refused.push_back({"__launch_bounds__", edit.error().message});
      }
      change.title = fmt::format("nvcc -maxrregcount={}", registers);
      change.condition = "It applies to all kernels of the file.";
      change.flags = {fmt::format("-maxrregcount={}", registers)};
    }
    all.changes.push_back(std::move(change));
  }
}

}  // namespace burin::advise
