// A buffer in the GPU's memory and what it holds when the kernel starts. It is a recipe, not bytes:
// any part is made on demand, so a buffer of gigabytes costs what is touched.
//
//   Buffer weights{.size = 1 << 20, .kind = Fill::kF32, .seed = 7};
//   std::array<std::uint8_t, 4096> page;
//   weights.fill(8192, page);   // the third page; the same bytes whenever and wherever it is asked
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/file.h"

namespace burin::launch {

enum class Fill : std::uint8_t {
  kNone,    // contents not given
  kZero,    // all bytes 0
  kF16,     // uniform in [0,1)
  kF32,     // likewise
  kF64,     // likewise
  kU8,      // uniform bytes
  kInt,     // 32-bit integers below `limit`
  kPerm,    // a permutation of the 32-bit indices 0 … size / 4 - 1
  kRowptr,  // 32-bit CSR row pointers, `limit` entries a row on average
  kFile,    // the bytes of `file`
  kBytes,   // `bytes`
  kUndef,   // uninitialised memory
};

// What a buffer's bytes are to the kernel that reads them.
enum class Contents : std::uint8_t {
  kKnown,
  kUnknown,    // something, but we were not told what
  kUndefined,  // nobody has written it: reading it is a mistake
};

inline constexpr std::uint64_t kMaxBufferBytes = std::uint64_t{1} << 40;

struct Buffer {
  std::uint64_t size = 0;  // a multiple of element_bytes(kind)
  Fill kind = Fill::kNone;
  std::uint64_t limit = 0;                                   // kInt, kRowptr: the N; 1 to 2^32
  std::uint64_t seed = 0;                                    // of the generator
  std::shared_ptr<const MappedFile> file{};                  // kFile: exactly `size` bytes
  std::shared_ptr<const std::vector<std::uint8_t>> bytes{};  // kBytes: likewise

  Contents contents() const;

  // The bytes [offset, offset + out.size()) of the buffer, which must have them. Zeros where the
  // contents are not known.
  void fill(std::uint64_t offset, std::span<std::uint8_t> out) const;
};

// Of the values that a fill is made of: 1, 2, 4 or 8.
unsigned element_bytes(Fill kind);

}  // namespace burin::launch
