// The classes by which reports sum up instructions: what they do, in words a CUDA programmer uses.
//
//   IMAD, LOP3   "integer"  (logic, comparisons and selections too)
//   FFMA         "FP32"
//   LDG          "global loads"
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "read/isa/instruction.h"

namespace burin::read {

// All classes, in the order in which reports show them.
std::span<const std::string_view> instruction_classes();

// The position of the instruction's class among them.
std::size_t class_of(const Instruction& instruction);

}  // namespace burin::read
