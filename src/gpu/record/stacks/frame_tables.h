// Finds the caller of a function from the unwind tables in .eh_frame: one row per instruction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace burin::gpu {

// DWARF register numbers of x86-64.
enum FrameRegister : std::uint8_t { kRbx = 3, kRbp = 6, kRsp = 7, kReturnAddress = 16 };
inline constexpr std::size_t kFrameRegisters = 17;

struct FrameRow {
  std::uint8_t base = kRsp;      // the caller's stack pointer is this register …
  std::int64_t base_offset = 0;  // … plus this offset, bytes
  // Where the caller's registers were saved, as offsets from its stack pointer in bytes; nullopt:
  // the register is unchanged.
  std::array<std::optional<std::int64_t>, kFrameRegisters> saved{};
  bool is_outermost = false;  // there is no caller
};

// Converts an address from a register or table to a pointer.
template <typename T>
const T* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

struct CodeObject {
  std::string_view path;     // "" for the program itself
  std::uintptr_t begin = 0;  // load address
};

// The program or library that contains the address.
std::optional<CodeObject> loaded_object(std::uintptr_t address);

// The program or library that contains the instruction, if the instruction is in a function with an
// unwind table; otherwise nullopt.
std::optional<CodeObject> object_of(std::uintptr_t instruction);

// The unwind row for the instruction. Returns nullopt if there is no table or its encoding is not
// supported.
std::optional<FrameRow> frame_row(std::uintptr_t instruction);

// True if the instruction directly follows a call, in a function with an unwind table.
bool is_behind_call(std::uintptr_t instruction);

}  // namespace burin::gpu
