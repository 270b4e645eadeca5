#include "advise/case/origin.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "advise/case/requests.h"
#include "base/format.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

Origins::Mask own_origin(const read::Instruction& instruction) {
  static constexpr struct {
    std::string_view name;
    Origins::Mask mask;
  } kRows[] = {{"SR_TID.X", Origins::kThreadX},
               {"SR_TID.Y", Origins::kThreadY},
               {"SR_TID.Z", Origins::kThreadZ},
               {"SR_LANEID", Origins::kThreadX},
               {"SR_CTAID.X", Origins::kBlock | Origins::kBlockX},
               {"SR_CTAID.Y", Origins::kBlock | Origins::kBlockY},
               {"SR_CTAID.Z", Origins::kBlock | Origins::kBlockZ}};
  Origins::Mask mask = 0;
  for (const read::Operand& o : instruction.operands()) {
    if (o.kind != read::Operand::Kind::kSpecial) continue;
    const auto* row = std::ranges::find(kRows, o.suffix, [](const auto& r) { return r.name; });
    if (row != std::end(kRows)) mask |= row->mask;
  }
  const bool loads = instruction.known() && instruction.opcode->loads &&
                     instruction.opcode->space != read::Space::kConstant;
  if (loads) mask |= Origins::kMemory | Origins::kLoaded;
  return mask;
}

// Whether a value that is loaded from an address with these origins may differ between lanes.
bool differs_by_lane(Origins::Mask address) {
  constexpr Origins::Mask kByLane =
      Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ | Origins::kLoadedByLane;
  return (address & kByLane) != 0;
}

// Loads and stores of one stack slot.
struct FramePlace {
  std::vector<std::uint32_t> loads;
  std::vector<std::uint32_t> stores;
};

// The stack slots that hold a single value and are loaded and stored in a loop. An array element
// would be accessed with an index there.
std::vector<FramePlace> single_values(const read::Kernel& kernel) {
  std::map<std::int64_t, FramePlace> places;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const read::Instruction& at = kernel.instructions[i];
    const std::optional<std::int64_t> place = frame_place(at);
    if (place) (at.opcode->loads ? places[*place].loads : places[*place].stores).push_back(i);
  }
  const auto loop_of = [&](std::uint32_t i) { return kernel.blocks[kernel.block_of[i]].loop; };
  std::vector<FramePlace> found;
  for (auto& [offset, place] : places) {
    const bool kept = std::ranges::any_of(place.loads, [&](std::uint32_t load) {
      return loop_of(load) != read::kNoIndex &&
             std::ranges::find(place.stores, loop_of(load), loop_of) != place.stores.end();
    });
    if (kept) found.push_back(std::move(place));
  }
  return found;
}

}  // namespace

Origins::Origins(const read::Kernel& kernel) : kernel_(kernel), masks_(kernel.instructions.size()) {
  const read::InstructionSet spills = spills_in(kernel);
  for (std::size_t i = 0; i < masks_.size(); ++i) {
    masks_[i] = own_origin(kernel.instructions[i]);
    if (spills[i] != 0) masks_[i] &= static_cast<Mask>(~kLoaded);
  }
  const std::vector<FramePlace> values = single_values(kernel);
  for (const FramePlace& place : values) {
    for (const std::uint32_t load : place.loads) masks_[load] &= static_cast<Mask>(~kLoaded);
  }
  // Values circulate in loops, so this iterates until nothing changes.
  for (bool changed = true; changed;) {
    changed = false;
    for (const read::Dependence& d : kernel.dependences) {
      if (d.kind != read::Dependence::Kind::kRegister) continue;
      // A guard decides whether the instruction executes; a predicate operand affects its result.
      const bool guard = d.file == read::RegisterFile::kPredicate &&
                         kernel.instructions[d.consumer].guard.index == d.index;
      const Mask kept = guard ? ~(kLoaded | kLoadedByLane) : ~Mask{0};
      const Mask both = masks_[d.consumer] | (masks_[d.producer] & kept);
      changed |= both != masks_[d.consumer];
      masks_[d.consumer] = both;
    }
    for (std::uint32_t i = 0; i < masks_.size(); ++i) {
      if ((masks_[i] & kLoaded) == 0 || (masks_[i] & kLoadedByLane) != 0) continue;
      const bool loads = (own_origin(kernel.instructions[i]) & kLoaded) != 0;
      const bool atomic = read::is_atomic(kernel.instructions[i]);
      if (!loads || !(atomic || differs_by_lane(of_address(i)))) continue;
      masks_[i] |= kLoadedByLane;
      changed = true;
    }
    for (const FramePlace& place : values) {
      Mask stored = 0;
      for (const std::uint32_t store : place.stores) stored |= masks_[store];
      for (const std::uint32_t load : place.loads) {
        changed |= (masks_[load] | stored) != masks_[load];
        masks_[load] |= stored;
      }
    }
  }
}

Origins::Mask Origins::of_address(std::uint32_t instruction) const {
  Mask mask = 0;
  for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
    if (read::feeds_address(kernel_.instructions[instruction], d)) mask |= masks_[d.producer];
  }
  return mask;
}

std::set<std::uint32_t> Origins::address_parameters(std::uint32_t instruction) const {
  std::set<std::uint32_t> found;
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> open;
  const auto visit = [&](std::uint32_t producer) {
    if (seen.insert(producer).second) open.push_back(producer);
  };
  for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
    if (read::feeds_address(kernel_.instructions[instruction], d)) visit(d.producer);
  }
  const std::uint32_t base = kernel_.function->parameter_base;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const read::Instruction& i = kernel_.instructions[at];
    for (const read::Operand& o : i.operands()) {
      if (o.kind == read::Operand::Kind::kConstant && o.bank == 0 && o.value >= base) {
        found.insert(static_cast<std::uint32_t>(o.value) - base);
      }
    }
    if ((own_origin(i) & kMemory) != 0) continue;
    for (const read::Dependence& d : kernel_.dependences_of(at)) {
      if (d.kind == read::Dependence::Kind::kRegister) visit(d.producer);
    }
  }
  return found;
}

std::optional<std::size_t> pointer_at(const read::Function& function, std::uint32_t offset) {
  const auto at = std::ranges::find_if(function.parameters, [&](const read::Parameter& p) {
    return p.size == 8 && offset >= p.offset && offset < p.offset + p.size;
  });
  if (at == function.parameters.end()) return std::nullopt;
  return static_cast<std::size_t>(at - function.parameters.begin());
}

std::set<std::uint32_t> written_parameters(const read::Kernel& kernel) {
  const Origins origins(kernel);
  std::set<std::uint32_t> written;
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const read::Instruction& at = kernel.instructions[i];
    if (!at.known() || !at.opcode->stores) continue;
    if (at.opcode->space != read::Space::kGlobal && at.opcode->space != read::Space::kGeneric)
      continue;
    for (const std::uint32_t offset : origins.address_parameters(i)) {
      if (const auto pointer = pointer_at(*kernel.function, offset)) {
        written.insert(kernel.function->parameters[*pointer].offset);
      }
    }
  }
  return written;
}

}  // namespace burin::advise
