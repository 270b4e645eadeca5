#include "emulate/access/variables.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "emulate/state/system_calls.h"

namespace burin::emulate {

namespace {

// Of the byte at `offset` among the variables of that kind.
std::uint64_t address_of(read::VariablePlace::Kind kind, std::uint64_t offset,
                         const Variables& variables) {
  for (const launch::PlacedVariable& placed : variables.placed) {
    const read::VariablePlace& place = placed.place;
    if (place.kind == kind && place.offset <= offset && offset - place.offset < place.size) {
      return placed.address + (offset - place.offset);
    }
  }
  return (kind == read::VariablePlace::Kind::kZero ? variables.zero : variables.initial) + offset;
}

std::optional<std::uint64_t> address_of(const read::AddressSlot& slot, const Variables& variables) {
  switch (slot.target) {
    case read::AddressSlot::Target::kInitialVariables:
      return address_of(read::VariablePlace::Kind::kInitial, slot.value, variables);
    case read::AddressSlot::Target::kZeroVariables:
      return address_of(read::VariablePlace::Kind::kZero, slot.value, variables);
    case read::AddressSlot::Target::kOutside:
      if (const auto call = system_call_named(slot.symbol)) return address_of(*call);
      break;
  }
  return std::nullopt;
}

void put(std::vector<std::uint8_t>& bytes, std::uint64_t offset, std::uint64_t value) {
  for (unsigned k = 0; k < 8; ++k) bytes[offset + k] = static_cast<std::uint8_t>(value >> (8 * k));
}

void write(GlobalMemory& memory, std::uint64_t address, Bytes bytes, bool unknown = false) {
  for (std::size_t at = 0; at < bytes.size();) {
    Datum part;
    if (unknown) part.unknown = 0xffff;
    const std::size_t size = std::min<std::size_t>(16 - (address + at) % 16, bytes.size() - at);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size, part.bytes.begin());
    memory.write(address + at, static_cast<unsigned>(size), part);
    at += size;
  }
}

}  // namespace

Variables place_variables(const read::Image& image, std::span<const launch::PlacedVariable> placed,
                          GlobalMemory& memory) {
  Variables variables{.placed = placed};
  if (image.zero_variable_bytes != 0) {
    variables.zero = memory.add("the module's variables",
                                {.size = image.zero_variable_bytes, .kind = launch::Fill::kZero});
  }
  if (image.initial_variables.empty()) return variables;
  std::vector<std::uint8_t> bytes(image.initial_variables.begin(), image.initial_variables.end());
  variables.initial =
      memory.add("the module's variables", {.size = bytes.size(), .kind = launch::Fill::kZero});
  for (const read::AddressSlot& slot : image.addresses) {
    if (slot.bank != read::AddressSlot::kNoBank) continue;
    if (const auto address = address_of(slot, variables)) put(bytes, slot.offset, *address);
  }
  write(memory, variables.initial, bytes);
  return variables;
}

void write_addresses(const read::Image& image, const Variables& variables,
                     ConstantMemory& constants) {
  for (const read::AddressSlot& slot : image.addresses) {
    const auto found = constants.banks.find(slot.bank);
    if (found == constants.banks.end()) continue;
    ConstantMemory::Bank& bank = found->second;
    if (slot.offset + 8 > bank.bytes.size()) continue;
    if (const auto address = address_of(slot, variables)) {
      put(bank.bytes, slot.offset, *address);
      continue;
    }
    bank.unknown.resize(bank.bytes.size());
    std::fill_n(bank.unknown.begin() + static_cast<std::ptrdiff_t>(slot.offset), 8, true);
  }
}

void apply_settings(std::span<const launch::Setting> settings, const Variables& variables,
                    GlobalMemory& memory, ConstantMemory& constants) {
  for (const launch::Setting& setting : settings) {
    const std::vector<std::uint8_t> bytes = setting.bytes();
    const read::VariablePlace& place = setting.place;
    if (place.kind != read::VariablePlace::Kind::kConstant) {
      write(memory, address_of(place.kind, place.offset, variables), bytes);
      continue;
    }
    ConstantMemory::Bank& bank = constants.banks[place.bank];
    const auto at = static_cast<std::ptrdiff_t>(place.offset);
    if (bank.bytes.size() < place.offset + bytes.size()) {
      bank.bytes.resize(place.offset + bytes.size());
    }
    std::ranges::copy(bytes, bank.bytes.begin() + at);
    if (!bank.unknown.empty()) std::fill_n(bank.unknown.begin() + at, bytes.size(), false);
  }
}

void forget_variables(std::span<const read::VariablePlace> places, const Variables& variables,
                      GlobalMemory& memory, ConstantMemory& constants) {
  for (const read::VariablePlace& place : places) {
    if (place.kind != read::VariablePlace::Kind::kConstant) {
      const std::vector<std::uint8_t> nothing(place.size);
      write(memory, address_of(place.kind, place.offset, variables), nothing, true);
      continue;
    }
    const auto found = constants.banks.find(place.bank);
    if (found == constants.banks.end()) continue;
    ConstantMemory::Bank& bank = found->second;
    bank.unknown.resize(bank.bytes.size());
    const std::uint64_t end = std::min<std::uint64_t>(place.offset + place.size, bank.bytes.size());
    for (std::uint64_t at = place.offset; at < end; ++at) bank.unknown[at] = true;
  }
}

}  // namespace burin::emulate
