// The grammar of kernel arguments, common to every command that launches a kernel:
//
//   i32:5  u32:7  i64:-1  u64:0x7f00  f32:1.5  f64:1e-9  hex:0011223344  (bytes in memory order)
//   buf:BYTES[:FILL][:seed=K]
//     FILL  zero  f16 f32 f64  u8  int:N  perm  rowptr:N  file:PATH  undef   (none: Unknown)
//   map:I:TYPE:SIZES:BOX[:stride=…][:step=…][:swizzle=…][:interleave=…][:l2=…][:fill=nan]
//     a tensor map over the buffer of argument I (tensor_map.h)
//
// docs/arguments.md describes the grammar.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "launch/buffer.h"
#include "launch/tensor_map.h"

namespace burin::launch {

// One argument of a kernel: a value, as its bytes in memory order; a buffer, whose address is
// passed to the kernel; or a tensor map over the buffer of another argument, whose 128 bytes are
// passed.
struct Argument {
  std::string text;  // as the user wrote it
  std::variant<std::vector<std::uint8_t>, Buffer, TensorMap> value;

  const Buffer* buffer() const { return std::get_if<Buffer>(&value); }
  const TensorMap* tensor_map() const { return std::get_if<TensorMap>(&value); }
  std::size_t size() const;  // bytes in the parameter block: 8 for a buffer
};

// Parses one argument. `position`, counted from 0, is the default seed, so that two buffers of one
// launch differ. It also appears in error messages:
//
//   argument 1 'f33:5': there is no type f33; did you mean f32?
//
// A malformed text is a usage error; a file that cannot be used is an input error.
Result<Argument> parse_argument(std::string_view text, std::size_t position);

Result<std::vector<Argument>> parse_arguments(std::span<const std::string> texts);

}  // namespace burin::launch
