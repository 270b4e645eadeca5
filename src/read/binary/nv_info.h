// Reads the .nv.info sections, in which ptxas describes an image and each of its functions to the
// driver: a list of attributes {u8 format, u8 code, u16 value}. Unknown codes are skipped.
#pragma once

#include <span>

#include "base/bytes.h"
#include "read/binary/image.h"

namespace burin::read {

// Applies .nv.info.<function>: parameters, launch bounds, barriers, indirect branches. Returns
// false if the section is truncated; attributes before the cut have been applied.
bool apply_function_info(Bytes info, Function& function);

// Applies .nv.info: registers and stack size of every function, by symbol index. `by_symbol[i]` is
// null if symbol i is not a function with its own section. Returns false if the section is
// truncated.
bool apply_image_info(Bytes info, std::span<Function* const> by_symbol);

}  // namespace burin::read
