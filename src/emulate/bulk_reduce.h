// What bulk copies that reduce do to each element in memory: memory = operation(memory, value).
//
//   const Reduction* add = find_reduction("ADD", TensorType::kBf16);
//   add->combine(0x3f80, 0x3f80)      // 0x4000: 1 + 1 in bf16
#pragma once

#include <cstdint>
#include <string_view>

#include "launch/tensor_map.h"

namespace burin {

struct Reduction {
  std::string_view operation;  // as the instruction names it
  TensorType type = TensorType::kU32;
  std::uint64_t (*combine)(std::uint64_t memory, std::uint64_t value) = nullptr;
};

// Null where the hardware has no such reduction.
const Reduction* find_reduction(std::string_view operation, TensorType type);

}  // namespace burin
