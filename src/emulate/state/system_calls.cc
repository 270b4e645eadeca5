#include "emulate/state/system_calls.h"

#include <algorithm>
#include <array>

namespace burin::emulate {

namespace {

// Beyond the largest function that burin reads (read::kMaxInstructions).
constexpr std::uint32_t kFirst = 0xffff0000;
constexpr std::array<std::string_view, kSystemCalls> kNames = {"vprintf", "malloc", "free",
                                                               "__assertfail"};

}  // namespace

std::string_view name(SystemCall call) {
  return kNames[static_cast<std::size_t>(call)];
}

std::optional<SystemCall> system_call_named(std::string_view symbol) {
  const auto found = std::ranges::find(kNames, symbol);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<SystemCall>(found - kNames.begin());
}

std::uint64_t address_of(SystemCall call) {
  return kFirst + read::kInstructionBytes * static_cast<std::uint32_t>(call);
}

std::optional<SystemCall> system_call_at(std::uint32_t address) {
  if (address < kFirst || address % read::kInstructionBytes != 0) return std::nullopt;
  const std::uint32_t number = (address - kFirst) / read::kInstructionBytes;
  if (number >= kSystemCalls) return std::nullopt;
  return static_cast<SystemCall>(number);
}

bool calls(const read::Image& image, SystemCall call) {
  return std::ranges::any_of(image.addresses, [&](const read::AddressSlot& slot) {
    return slot.target == read::AddressSlot::Target::kOutside && slot.symbol == name(call);
  });
}

}  // namespace burin::emulate
