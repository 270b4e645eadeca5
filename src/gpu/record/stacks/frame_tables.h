// Where a function's caller is: one row of the tables in .eh_frame, for one instruction.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace burin::gpu {

// DWARF's numbers of x86-64's registers.
enum FrameRegister : std::uint8_t { kRbx = 3, kRbp = 6, kRsp = 7, kReturnAddress = 16 };
inline constexpr std::size_t kFrameRegisters = 17;

struct FrameRow {
  std::uint8_t base = kRsp;      // the caller's stack pointer is this register
  std::int64_t base_offset = 0;  // plus so much
  // Where the registers of the caller were saved, from its stack pointer; none: they are unchanged.
  std::array<std::optional<std::int64_t>, kFrameRegisters> saved{};
  bool is_outermost = false;  // there is no caller
};

// What stands at an address that came out of a register or a table.
template <typename T>
const T* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

struct CodeObject {
  std::string_view path;     // "" for the program itself
  std::uintptr_t begin = 0;  // where it is loaded
};

// The program or library that the address falls in.
std::optional<CodeObject> loaded_object(std::uintptr_t address);

// The object that holds the instruction and a function with a table around it; nothing where there
// is neither.
std::optional<CodeObject> object_of(std::uintptr_t instruction);

// Nothing where there is no table, or one that says it in a way that is not understood.
std::optional<FrameRow> frame_row(std::uintptr_t instruction);

// Whether a call ends right before this instruction of a function with a table.
bool is_behind_call(std::uintptr_t instruction);

}  // namespace burin::gpu
