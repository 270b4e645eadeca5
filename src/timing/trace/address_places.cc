#include "timing/trace/address_places.h"

#include <algorithm>

namespace burin::timing {

namespace {

// Steps of all searches; beyond it, addresses may be anywhere.
constexpr std::uint64_t kMaxSearched = 4'000'000;
constexpr std::uint64_t kNear = 1 << 16;  // bytes by which a pointer may lie outside its allocation

const read::Operand* constant_operand(const read::Instruction& instruction) {
  const auto found = std::ranges::find(instruction.operands(), read::Operand::Kind::kConstant,
                                       [](const read::Operand& o) { return o.kind; });
  return found == instruction.operands().end() ? nullptr : &*found;
}

bool is_indexed(const read::Operand& constant) {
  const auto present = [](std::uint16_t index) {
    return index != read::Operand::kNoRegister && index != read::kZeroRegister;
  };
  return present(constant.base) || present(constant.uniform) || present(constant.descriptor);
}

bool is_wide(const read::Instruction& load) {
  return std::ranges::any_of(load.operands(), [](const read::Operand& o) {
    return o.kind == read::Operand::Kind::kRegister && o.written && o.count > 1;
  });
}

}  // namespace

bool AllocationSet::meets(const AllocationSet& other) const {
  if (empty() || other.empty()) return false;
  if (any || other.any) return true;
  return std::ranges::any_of(allocations, [&](std::uint32_t a) {
    return std::ranges::binary_search(other.allocations, a);
  });
}

void AllocationSet::add(const AllocationSet& other) {
  any |= other.any;
  allocations.insert(allocations.end(), other.allocations.begin(), other.allocations.end());
  std::ranges::sort(allocations);
  const auto same = std::ranges::unique(allocations);
  allocations.erase(same.begin(), same.end());
}

AddressPlaces::AddressPlaces(const read::Kernel& kernel, const emulate::ConstantMemory& constants,
                             const emulate::GlobalMemory& memory)
    : kernel_(kernel),
      constants_(constants),
      extents_(memory.extents()),
      seen_(kernel.instructions.size()) {}

// The allocations that a constant operand points into. Either half of a pointer identifies them.
void AddressPlaces::add_constants(const read::Instruction& instruction, AllocationSet& to) const {
  for (const read::Operand& o : instruction.operands()) {
    if (o.kind != read::Operand::Kind::kConstant) continue;
    if (is_indexed(o)) {
      to.any = true;
      continue;
    }
    const std::uint64_t low = static_cast<std::uint64_t>(o.value) / 8 * 8;
    const std::uint64_t pointer = constants_.word(o.bank, low).value |
                                  std::uint64_t{constants_.word(o.bank, low + 4).value} << 32;
    for (std::uint32_t k = 0; k < extents_.size(); ++k) {
      const emulate::GlobalMemory::Extent& e = extents_[k];
      if (pointer + kNear >= e.address && pointer <= e.address + e.bytes + kNear) {
        to.allocations.push_back(k);
      }
    }
  }
}

// The values that the instruction's result is computed from.
void AddressPlaces::follow(std::uint32_t instruction, AllocationSet& to) {
  const read::Instruction& i = kernel_.instructions[instruction];
  if (!i.known()) {
    to.any = true;
    return;
  }
  if (i.opcode->loads && i.opcode->space != read::Space::kConstant) {
    to.any |= i.opcode->space != read::Space::kGlobal || is_wide(i);
    return;
  }
  if (constant_operand(i) != nullptr) add_constants(i, to);
  for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
    if (d.kind != read::Dependence::Kind::kRegister || seen_[d.producer] == search_) continue;
    seen_[d.producer] = search_;
    open_.push_back(d.producer);
  }
}

AllocationSet AddressPlaces::of(std::uint32_t instruction) {
  AllocationSet places;
  ++search_;
  open_.clear();
  for (const read::Dependence& d : kernel_.dependences_of(instruction)) {
    if (seen_[d.producer] == search_) continue;
    if (!read::feeds_address(kernel_.instructions[instruction], d)) continue;
    seen_[d.producer] = search_;
    open_.push_back(d.producer);
  }
  while (!open_.empty() && !places.any) {
    const std::uint32_t next = open_.back();
    open_.pop_back();
    follow(next, places);
    if (++steps_ > kMaxSearched) places.any = true;
  }
  places.add({});  // sorts them
  if (places.allocations.empty()) places.any = true;
  return places;
}

}  // namespace burin::timing
