// The reductions of bulk copies, applied to each element: memory = operation(memory, value).
//
//   const Reduction* add = find_reduction(ReduceOperation::kAdd, TensorType::kBf16);
//   add->combine(0x3f80, 0x3f80)      // 0x4000: 1 + 1 in bf16
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "launch/tensor_map.h"

namespace burin::emulate {

enum class ReduceOperation : std::uint8_t { kAdd, kMin, kMax, kInc, kDec, kAnd, kOr, kXor };
// Parses the name used by the instructions, for example "ADD".
std::optional<ReduceOperation> parse_reduce_operation(std::string_view name);

struct Reduction {
  ReduceOperation operation = ReduceOperation::kAdd;
  launch::TensorType type = launch::TensorType::kU32;
  std::uint64_t (*combine)(std::uint64_t memory, std::uint64_t value) = nullptr;
};

// Returns null if the hardware has no such reduction.
const Reduction* find_reduction(ReduceOperation operation, launch::TensorType type);

}  // namespace burin::emulate
