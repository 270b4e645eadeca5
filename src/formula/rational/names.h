// The names that the expressions of a rational program may use, in the order of a Chooser's slots.
//
//   names_of(program, Scope::kShape)    {"n", "bytes", "bx", "by", "bz", "launch_x", …, "smem"}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/rational/rational_program.h"

namespace burin::formula {

enum class Scope : std::uint8_t {
  kAxis,        // the sizes
  kShape,       // grid, shared memory, constraints
  kDefinition,  // definitions and time: all names, of which a definition sees those before it
};
std::vector<std::string> names_of(const RationalProgram& program, Scope scope);

// Slots by index: the sizes come first, then the axes, then these.
inline constexpr std::size_t kShapeSlots = 7;  // bx by bz launch_x launch_y launch_z smem
inline constexpr std::size_t kGridSlots = 3;   // grid_x grid_y grid_z, also where there is no grid

// An argument of a kernel as a size names it: "arg2_at8_i32".
struct ArgumentName {
  std::uint32_t parameter = 0;
  std::uint32_t offset = 0;  // bytes into the parameter
  std::uint32_t bytes = 4;
  bool is_signed = true;
};
std::optional<ArgumentName> argument_named(std::string_view name);

// The names besides arguments that a size may use: grid_x … block_z, smem.
std::vector<std::string> own_launch_names();

bool is_identifier(std::string_view text);

}  // namespace burin::formula
