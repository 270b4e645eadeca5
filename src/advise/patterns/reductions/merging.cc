#include "advise/patterns/reductions/merging.h"

#include <algorithm>
#include <array>

#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::array<Merging, 6> kMergings = {{
    {"ADD", "atomicAdd", "0"},
    {"MIN", "atomicMin", "the largest value of their type"},
    {"MAX", "atomicMax", "the smallest value of their type"},
    {"AND", "atomicAnd", "~0"},
    {"OR", "atomicOr", "0"},
    {"XOR", "atomicXor", "0"},
}};

}  // namespace

const Merging* merging_of(const read::Instruction& instruction) {
  if (!read::is_atomic(instruction)) return nullptr;
  std::string_view operation = instruction.modifier("operation");
  if (operation == "POPC.INC") operation = "ADD";  // atomicAdd(…, 1) of shared memory
  const auto* found = std::ranges::find(kMergings, operation, &Merging::operation);
  return found == kMergings.end() ? nullptr : found;
}

}  // namespace burin::advise
