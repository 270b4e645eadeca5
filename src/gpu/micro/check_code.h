// Checks that a compiled microbenchmark times what was intended: decodes and counts the
// instructions between the first and the last clock read.
//
//   Result<void> right = check_code(image, {"chase", "LDG", 64});
//   // "chase: 63 LDG between its clock reads where 64 were meant"
#pragma once

#include "base/result.h"
#include "gpu/micro/micro.h"
#include "read/binary/image.h"

namespace burin::gpu {

Result<void> check_code(const read::Image& image, const CodeCheck& check);

// Like check_code(), for decoded instructions. Error messages name `check.kernel`.
Result<void> check_instructions(std::span<const read::Instruction> instructions,
                                const CodeCheck& check);

}  // namespace burin::gpu
