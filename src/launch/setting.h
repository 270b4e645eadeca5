// The value of a module variable (`__constant__ float coefficients[16];`) when the kernel starts,
// replacing the value in the file. Given by --set, and the same on the emulator and on a GPU.
//
//   coefficients=f32:seed=3      a fill, as buffers have them; the variable's size is its size
//   table=file:table.bin
//   scale=f32:1.5                a value, as arguments have them, of exactly the variable's size
//
// A variable is named as in the source or as in the symbol table.
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
  std::string symbol;           // name of the variable in the symbol table
  read::VariablePlace place{};  // location of the variable
  Argument value;               // bytes, or a buffer of the variable's size

  std::vector<std::uint8_t> bytes() const;  // contents of the whole variable
};

// Parses and resolves the settings. A text that is not SYMBOL=FILL is a usage error; a variable
// that the image does not contain, or that is set twice, is an input error. The position of a text
// is the default seed of its fill.
Result<std::vector<Setting>> resolve_settings(std::span<const std::string> texts,
                                              const read::Image& image);

}  // namespace burin::launch
