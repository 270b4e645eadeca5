// The .nv.info sections: what ptxas tells the driver about an image and each of its functions, as a
// list of attributes {u8 format, u8 code, u16 value}. Codes that burin does not know are skipped.
#pragma once

#include <span>

#include "base/bytes.h"
#include "read/binary/image.h"

namespace burin::read {

// .nv.info.<function>: parameters, launch bounds, barriers, indirect branches. False where the
// section is cut short; what came before the cut has been taken.
bool apply_function_info(Bytes info, Function& function);

// .nv.info: registers and stack of every function, by symbol number. `by_symbol` is null for
// symbols that are no function with a section of its own.
bool apply_image_info(Bytes info, std::span<Function* const> by_symbol);

}  // namespace burin::read
