#include "emulate/state/warp.h"

#include "base/format.h"
#include "emulate/state/block.h"
#include "emulate/state/grid.h"
#include "read/isa/print.h"
#include "read/program/library.h"
#include "read/program/source.h"

namespace burin::emulate {

void Warp::change(Source::Change how, const Lanes& from, Lanes& to) {
  constexpr std::uint32_t kSign = 0x80000000;
  const auto each = [&](auto f) {
    for (unsigned i = 0; i < kWarpLanes; ++i) to.lane[i] = f(from.lane[i]);
  };
  switch (how) {
    case Source::Change::kNone:
      return each([](std::uint32_t v) { return v; });
    case Source::Change::kNegate:
      return each([](std::uint32_t v) { return 0 - v; });
    case Source::Change::kInvert:
      return each([](std::uint32_t v) { return ~v; });
    case Source::Change::kFloatNegate:
      return each([](std::uint32_t v) { return v ^ kSign; });
    case Source::Change::kFloatAbsolute:
      return each([](std::uint32_t v) { return v & ~kSign; });
    case Source::Change::kFloatNegateAbsolute:
      return each([](std::uint32_t v) { return v | kSign; });
  }
}

namespace {

// "scan.cu:30", "scan.cu:30 (in __ldg)"; "" without line information.
std::string line_place(const read::Kernel& kernel, std::uint32_t instruction) {
  const read::UserLine at = read::user_line(*kernel.image, kernel.location_at(16 * instruction));
  if (at.location == nullptr) return "";
  const std::string line =
      fmt::format("{}:{}", read::path_of(*kernel.image, *at.location), at.location->line);
  return at.call.empty() ? line : fmt::format("{} (in {})", line, at.call);
}

}  // namespace

std::string named_place(const read::Kernel& kernel, std::uint32_t instruction) {
  const std::string line = line_place(kernel, instruction);
  return line.empty() ? fmt::format("offset {:#x}", 16 * instruction) : line;
}

std::string Warp::place() const {
  const std::string line = line_place(*program->kernel, pc);
  return fmt::format("offset {:#x}{}{}", 16 * pc, line.empty() ? "" : ", ", line);
}

void Warp::refuse(std::string_view why) {
  std::string text;
  read::print(program->kernel->instructions[pc], text);
  block->grid->stop({fmt::format("cannot execute `{}` ({}): {}", text, place(), why)});
}

void Warp::fault(Fault::Kind kind, unsigned lane, std::uint64_t address, std::uint8_t bytes,
                 std::string detail, std::uint64_t count) {
  // What happens only if an Unknown condition holds is not held against the kernel.
  if (((doubtful | forked | kept) >> lane & 1) != 0) return;
  const launch::Dims& size = block->grid->launch->block;
  const std::uint32_t linear = kWarpLanes * index + lane;
  const launch::Dims thread{linear % size.x, linear / size.x % size.y, linear / size.x / size.y};
  block->grid->faults.add({.kind = kind,
                           .instruction = pc,
                           .block = block->index,
                           .thread = thread,
                           .address = address,
                           .bytes = bytes,
                           .detail = std::move(detail),
                           .count = count});
}

bool Warp::fault_again(Fault::Kind kind, unsigned lane, std::uint64_t count) {
  if (((doubtful | forked | kept) >> lane & 1) != 0) return true;
  return block->grid->faults.repeat(kind, pc, block->index, count);
}

void Warp::note_write(std::uint16_t slot) {
  for (Fork& fork : splits[current].forks) fork.slots.set(slot);
}

void Warp::note_predicate_write(std::uint8_t slot) {
  for (Fork& fork : splits[current].forks) fork.predicates.set(slot);
}

}  // namespace burin::emulate
