// The grammar of kernel arguments, common to every command that launches a kernel:
//
//   i32:5  u32:7  i64:-1  u64:0x7f00  f32:1.5  f64:1e-9  hex:0011223344  (bytes in memory order)
//   buf:BYTES[:FILL][:seed=K]
//     FILL  zero  f16 f32 f64  u8  int:N  perm  rowptr:N  file:PATH  undef   (none: Unknown)
//   map:I:TYPE:SIZES:BOX[:stride=…][:step=…][:swizzle=…][:interleave=…][:l2=…][:fill=nan]
//     a tensor map over the buffer of argument I (tensor_map.h)
//
// and, where one configuration is several launches or an OpenCL kernel (parse_step_arguments):
//
//   @I           the buffer of argument I of the first launch
//   local:BYTES  local memory of a work-group, for a __local pointer of OpenCL
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

struct BufferReference {
  std::size_t argument = 0;  // of the first launch, counted from 0
};

struct LocalMemory {
  std::uint64_t bytes = 0;  // per work-group
};

// One argument of a kernel: a value, as its bytes in memory order; a buffer, whose address is
// passed to the kernel; a tensor map over the buffer of another argument, whose 128 bytes are
// passed; a buffer of the first of several launches; or local memory of OpenCL.
struct Argument {
  std::string text;  // as the user wrote it
  std::variant<std::vector<std::uint8_t>, Buffer, TensorMap, BufferReference, LocalMemory> value;

  const Buffer* buffer() const { return std::get_if<Buffer>(&value); }
  const TensorMap* tensor_map() const { return std::get_if<TensorMap>(&value); }
  const BufferReference* reference() const { return std::get_if<BufferReference>(&value); }
  const LocalMemory* local_memory() const { return std::get_if<LocalMemory>(&value); }
  std::size_t size() const;  // bytes in the parameter block: 8 for a buffer
};

// Parses one argument. `position`, counted from 0, is the default seed, so that two buffers of one
// launch differ. It also appears in error messages:
//
//   argument 1 'f33:5': there is no type f33; did you mean f32?
//
// A malformed text is a usage error, and so are @I and local:BYTES; a file that cannot be used is
// an input error.
Result<Argument> parse_argument(std::string_view text, std::size_t position);

Result<std::vector<Argument>> parse_arguments(std::span<const std::string> texts);

// Also takes @I and local:BYTES. Whether argument I exists and is a buffer is for the caller to
// check (measure/request.h).
Result<Argument> parse_step_argument(std::string_view text, std::size_t position);

Result<std::vector<Argument>> parse_step_arguments(std::span<const std::string> texts);

}  // namespace burin::launch
