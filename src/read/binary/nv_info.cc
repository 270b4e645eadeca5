#include "read/binary/nv_info.h"

#include <algorithm>

namespace burin::read {
namespace {

enum Code : std::uint8_t {
  kMaxThreads = 0x05,
  kParameterBank = 0x0a,
  kRequiredBlock = 0x10,
  kFrameSize = 0x11,
  kMinStackSize = 0x12,
  kParameter = 0x17,
  kParameterBytes = 0x19,
  kMaxRegisters = 0x1b,
  kMaxStackSize = 0x23,
  kRegisters = 0x2f,
  kIndirectBranchTargets = 0x34,
  kCluster = 0x3d,
  kParameterWide = 0x45,
  kBarriers = 0x4c,
};

struct Attribute {
  std::uint8_t code = 0;
  std::uint16_t value = 0;  // of a short attribute
  Bytes payload;            // of a long one
};

// Calls `visit` for each attribute; false where the list is cut short.
template <typename Visit>
bool for_each_attribute(Bytes info, Visit visit) {
  constexpr std::uint8_t kLong = 4;
  Cursor in(info);
  while (!in.at_end()) {
    const std::uint8_t format = in.u8();
    Attribute attribute{in.u8(), in.u16(), {}};
    if (format == kLong) attribute.payload = in.bytes(attribute.value);
    if (!in.ok()) return false;
    visit(attribute);
  }
  return true;
}

std::optional<std::array<std::uint32_t, 3>> dimensions(Bytes payload) {
  Cursor in(payload);
  std::array<std::uint32_t, 3> xyz{in.u32(), in.u32(), in.u32()};
  if (!in.ok()) return std::nullopt;
  return xyz;
}

struct NumberedParameter {
  std::uint16_t ordinal = 0;
  Parameter parameter;
};

std::optional<NumberedParameter> parameter(const Attribute& attribute) {
  Cursor in(attribute.payload);
  in.skip(4);  // index
  NumberedParameter read;
  read.ordinal = in.u16();
  read.parameter.offset = in.u16();
  read.parameter.size = attribute.code == kParameterWide ? in.u16() : in.u32() >> 18;
  if (!in.ok()) return std::nullopt;
  return read;
}

// A run of {u32 branch, u32 zero, u32 count, u32 target[count]}, all byte offsets in the section.
void read_indirect_branches(Bytes payload, std::vector<IndirectBranch>& branches) {
  Cursor in(payload);
  while (!in.at_end()) {
    IndirectBranch branch;
    branch.offset = in.u32();
    in.skip(4);
    const std::uint32_t count = in.u32();
    if (!in.ok() || count > in.remaining() / 4) return;
    branch.targets.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) branch.targets.push_back(in.u32());
    branches.push_back(std::move(branch));
  }
}

}  // namespace

bool apply_function_info(Bytes info, Function& function) {
  std::vector<NumberedParameter> parameters;
  const bool whole = for_each_attribute(info, [&](const Attribute& attribute) {
    Cursor in(attribute.payload);
    switch (attribute.code) {
      case kMaxThreads:
        function.max_threads = dimensions(attribute.payload);
        break;
      case kRequiredBlock:
        function.required_block = dimensions(attribute.payload);
        break;
      case kCluster:
        function.cluster = dimensions(attribute.payload);
        break;
      case kParameterBank:
        in.skip(4);  // symbol of the bank's section
        function.parameter_base = in.u16();
        function.parameter_bytes = in.u16();
        break;
      case kParameterBytes:
        function.parameter_bytes = attribute.value;
        break;
      case kParameter:
      case kParameterWide:
        if (const auto read = parameter(attribute)) parameters.push_back(*read);
        break;
      case kMaxRegisters:
        if (attribute.value != 0xff) function.max_registers = attribute.value;
        break;
      case kBarriers:
        function.barriers = attribute.value;
        break;
      case kIndirectBranchTargets:
        read_indirect_branches(attribute.payload, function.indirect_branches);
        break;
    }
  });
  std::sort(parameters.begin(), parameters.end(),
            [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
  for (const NumberedParameter& p : parameters) function.parameters.push_back(p.parameter);
  return whole;
}

bool apply_image_info(Bytes info, std::span<Function* const> by_symbol) {
  return for_each_attribute(info, [&](const Attribute& attribute) {
    if (attribute.payload.empty()) return;
    Cursor in(attribute.payload);
    const std::uint32_t symbol = in.u32();
    const std::uint32_t value = in.u32();
    if (!in.ok() || symbol >= by_symbol.size() || by_symbol[symbol] == nullptr) return;
    Function& function = *by_symbol[symbol];
    switch (attribute.code) {
      case kRegisters:
        function.registers = value;
        break;
      case kFrameSize:
        function.local_bytes = value;
        break;
      case kMinStackSize:
        function.stack_bytes = value;
        break;
      case kMaxStackSize:  // relocatable code: the linker works out the minimum
        function.stack_bytes = std::max(function.stack_bytes, value);
        break;
    }
  });
}

}  // namespace burin::read
