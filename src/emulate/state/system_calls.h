// The functions that every CUDA program may call on the device and that no module contains: the
// driver provides them. The loader writes their addresses into the constant bank; here each has an
// address beyond any code.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "read/binary/image.h"
#include "read/isa/instruction.h"

namespace burin::emulate {

enum class SystemCall : std::uint8_t { kPrint, kAllocate, kFree, kAssert };
inline constexpr unsigned kSystemCalls = 4;

std::string_view name(SystemCall call);  // "vprintf"
std::optional<SystemCall> system_call_named(std::string_view symbol);

// The address that a call jumps to, and back.
std::uint64_t address_of(SystemCall call);
std::optional<SystemCall> system_call_at(std::uint32_t address);

// Returns whether the module has the function's address in a constant bank.
bool calls(const read::Image& image, SystemCall call);

}  // namespace burin::emulate
