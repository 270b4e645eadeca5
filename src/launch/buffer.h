// A buffer in GPU memory and its contents when the kernel starts. The contents are a recipe, not
// stored bytes: any part is generated on demand, so a buffer of gigabytes costs only the parts that
// are touched.
//
//   Buffer weights{.size = 1 << 20, .kind = Fill::kF32, .seed = 7};
//   std::array<std::uint8_t, 4096> page;
//   weights.fill(8192, page);   // the third page; always the same bytes
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/file.h"

namespace burin::launch {

enum class Fill : std::uint8_t {
  kNone,    // contents not given: Unknown
  kZero,    // all bytes 0
  kF16,     // uniform in [0,1)
  kF32,     // uniform in [0,1)
  kF64,     // uniform in [0,1)
  kU8,      // uniform bytes
  kInt,     // 32-bit integers below `limit`
  kPerm,    // a permutation of the 32-bit indices 0 … size / 4 - 1
  kRowptr,  // 32-bit CSR row pointers, `limit` entries a row on average
  kFile,    // the bytes of `file`
  kBytes,   // the bytes of `bytes`
  kUndef,   // uninitialised memory
};

// What is known about a buffer's bytes when the kernel reads them.
enum class Contents : std::uint8_t {
  kKnown,
  kUnknown,    // initialised, with values that are not given
  kUndefined,  // never written: reading it is an error
};

inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 40;

struct Buffer {
  std::uint64_t size = 0;  // a multiple of element_bytes(kind)
  Fill kind = Fill::kNone;
  std::uint64_t limit = 0;                                   // kInt, kRowptr: the N; 1 to 2^32
  std::uint64_t seed = 0;                                    // seed of the generator
  std::shared_ptr<const MappedFile> file{};                  // kFile: exactly `size` bytes
  std::shared_ptr<const std::vector<std::uint8_t>> bytes{};  // kBytes: exactly `size` bytes

  Contents contents() const;

  // Generates the bytes [offset, offset + out.size()), which must be inside the buffer. Bytes whose
  // contents are not known are zeros.
  void fill(std::uint64_t offset, std::span<std::uint8_t> out) const;
};

// Returns the size of the values that a fill generates: 1, 2, 4 or 8 bytes.
unsigned element_bytes(Fill kind);

}  // namespace burin::launch
