// What a variable of the module (`__constant__ float coefficients[16];`) holds when the kernel
// starts, in place of what the file says: of --set, the same on the emulator and on a GPU.
//
//   coefficients=f32:seed=3      a fill, as buffers have them; the variable's size is its size
//   table=file:table.bin
//   scale=f32:1.5                a value, as arguments have them, of exactly the variable's size
//
// Variables are named as the source does, or as the symbol table does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/argument.h"
#include "read/binary/image.h"

namespace burin::launch {

struct Setting {
  std::string text;             // as the user wrote it
  std::string symbol;           // of the variable, as the symbol table has it
  read::VariablePlace place{};  // where it lies
  Argument value;               // bytes, or a buffer of its size

  std::vector<std::uint8_t> bytes() const;  // of the whole variable
};

// A text that is not SYMBOL=FILL is wrong usage; a variable that the image does not hold, or that
// is set twice, is bad input. The position of a text is its fill's default seed.
Result<std::vector<Setting>> resolve_settings(std::span<const std::string> texts,
                                              const read::Image& image);

}  // namespace burin::launch
