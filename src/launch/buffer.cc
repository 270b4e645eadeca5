#include "launch/buffer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

#include "launch/random.h"

namespace burin::launch {

static_assert(std::endian::native == std::endian::little, "buffers hold little-endian values");

namespace {

// Writes the bytes from `offset` on of the sequence make(0), make(1), …; either end of `out` may
// cut an element.
template <typename Make>
void fill_elements(std::uint64_t offset, std::span<std::uint8_t> out, Make make) {
  using Element = decltype(make(std::uint64_t{0}));
  std::uint64_t index = offset / sizeof(Element);
  std::size_t skip = offset % sizeof(Element);
  while (!out.empty()) {
    const Element element = make(index++);
    const std::size_t size = std::min(sizeof(Element) - skip, out.size());
    if (size == sizeof(Element)) {  // a copy of constant size is one store
      std::memcpy(out.data(), &element, sizeof(Element));
    } else {
      std::memcpy(out.data(), reinterpret_cast<const char*>(&element) + skip, size);
    }
    out = out.subspan(size);
    skip = 0;
  }
}

// Row pointer `index` of `rows` + 1. It strays from index * per_row by at most half a row either
// way, so two neighbours never cross, and the ends do not stray.
std::uint32_t row_pointer(std::uint64_t index, std::uint64_t rows, std::uint64_t per_row,
                          std::uint64_t seed) {
  std::uint64_t pointer = index * per_row;
  if (index != 0 && index != rows) {
    pointer += below(random_word(seed, index), per_row + 1);
    pointer -= per_row / 2;
  }
  return static_cast<std::uint32_t>(pointer);
}

}  // namespace

unsigned element_bytes(Fill kind) {
  switch (kind) {
    case Fill::kF16:
      return 2;
    case Fill::kF32:
    case Fill::kInt:
    case Fill::kPerm:
    case Fill::kRowptr:
      return 4;
    case Fill::kF64:
      return 8;
    case Fill::kNone:
    case Fill::kZero:
    case Fill::kU8:
    case Fill::kFile:
    case Fill::kBytes:
    case Fill::kUndef:
      break;
  }
  return 1;
}

Contents Buffer::contents() const {
  if (kind == Fill::kNone) return Contents::kUnknown;
  return kind == Fill::kUndef ? Contents::kUndefined : Contents::kKnown;
}

void Buffer::fill(std::uint64_t offset, std::span<std::uint8_t> out) const {
  assert(offset <= size && out.size() <= size - offset);
  if (out.empty()) return;
  const auto word = [key = seed](std::uint64_t i) { return random_word(key, i); };
  switch (kind) {
    case Fill::kNone:
    case Fill::kZero:
    case Fill::kUndef:
      std::fill(out.begin(), out.end(), std::uint8_t{0});
      break;
    case Fill::kU8:
      fill_elements(offset, out, word);
      break;
    case Fill::kF16:
      fill_elements(offset, out, [&](std::uint64_t i) { return unit_f16(word(i)); });
      break;
    case Fill::kF32:
      fill_elements(offset, out, [&](std::uint64_t i) { return unit_f32(word(i)); });
      break;
    case Fill::kF64:
      fill_elements(offset, out, [&](std::uint64_t i) { return unit_f64(word(i)); });
      break;
    case Fill::kInt:
      fill_elements(offset, out, [&](std::uint64_t i) { return below(word(i), limit); });
      break;
    case Fill::kPerm:
      fill_elements(offset, out, Permutation(size / 4, seed));
      break;
    case Fill::kRowptr:
      fill_elements(offset, out, [&, rows = size / 4 - 1](std::uint64_t i) {
        return row_pointer(i, rows, limit, seed);
      });
      break;
    case Fill::kFile:
      std::memcpy(out.data(), file->bytes().data() + offset, out.size());
      break;
    case Fill::kBytes:
      std::memcpy(out.data(), bytes->data() + offset, out.size());
      break;
  }
}

}  // namespace burin::launch
