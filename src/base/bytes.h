// Views of bytes and a bounds-checked, little-endian reader for untrusted input. After the first
// read past the end, a Cursor has failed and all further reads return zero, so a parser can read a
// whole header and check once:
//
//   Cursor in(file);
//   Header h{in.u32(), in.u16(), in.u16()};
//   if (!in.ok()) return Error{"the header is cut short"};
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace burin {

using Bytes = std::span<const std::uint8_t>;

// a + b and a * b; nullopt if the result does not fit in 64 bits.
inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}
inline std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// bytes[offset, offset + size); nullopt if that range is not inside `bytes`.
inline std::optional<Bytes> slice(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.subspan(offset, size);
}

class Cursor {
 public:
  explicit Cursor(Bytes bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }
  bool at_end() const { return remaining() == 0; }

  std::uint8_t u8() { return read<std::uint8_t>(); }
  std::uint16_t u16() { return read<std::uint16_t>(); }
  std::uint32_t u32() { return read<std::uint32_t>(); }
  std::uint64_t u64() { return read<std::uint64_t>(); }
  std::int8_t i8() { return static_cast<std::int8_t>(u8()); }

  // Reads an LEB128 number. The cursor fails if the value does not fit in 64 bits.
  std::uint64_t uleb128();
  std::int64_t sleb128();

  // The text up to the next zero byte, which is consumed. The cursor fails if there is no zero byte
  // before the end.
  std::string_view c_string();

  // The next `size` bytes, as a view; empty after a failure.
  Bytes bytes(std::uint64_t size);

  void skip(std::uint64_t size) { (void)bytes(size); }
  void seek(std::uint64_t position);
  void align(std::uint64_t granule);  // `granule` is a power of two; the end counts as aligned

 private:
  template <typename T>
  T read() {
    Bytes raw = bytes(sizeof(T));
    if (raw.empty()) return 0;
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(T{raw[i]} << (8 * i));
    return value;
  }
  void fail();

  Bytes bytes_;
  std::uint64_t position_ = 0;
  bool ok_ = true;
};

}  // namespace burin
