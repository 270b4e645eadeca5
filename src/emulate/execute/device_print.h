// The text that a kernel's printf prints.
//
//   format_print("x = %.2f\n", arguments)   // "x = 1.50\n"
//
// CUDA's vprintf gets the format and a buffer with the arguments in order: integers of 4
// bytes; long, pointers and doubles of 8, aligned to 8.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace burin::emulate {

// Where the arguments come from. A value or string that is not known is nothing, and printed as
// "Unknown".
struct PrintArguments {
  // The `bytes` (4 or 8) at this offset in the buffer.
  std::function<std::optional<std::uint64_t>(unsigned offset, unsigned bytes)> value;
  std::function<std::optional<std::string>(std::uint64_t address)> string;
};

struct Printed {
  std::string text;
  unsigned arguments = 0;  // taken from the buffer
};
Printed format_print(std::string_view format, const PrintArguments& arguments);

}  // namespace burin::emulate
