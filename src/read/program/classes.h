// Instruction classes for the summaries in reports, named in terms that a CUDA programmer uses.
//
//   IMAD, LOP3   "integer"  (including logic, comparisons and selections)
//   FFMA         "FP32"
//   LDG          "global loads"
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "read/isa/instruction.h"

namespace burin::read {

// All classes, in the order of the reports.
std::span<const std::string_view> instruction_classes();

// The index of the instruction's class in instruction_classes().
std::size_t class_of(const Instruction& instruction);

}  // namespace burin::read
