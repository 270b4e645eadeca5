#include "base/bytes.h"

#include <algorithm>

namespace burin {

void Cursor::fail() {
  ok_ = false;
  position_ = bytes_.size();
}

Bytes Cursor::bytes(std::uint64_t size) {
  if (!ok_ || size > remaining()) {
    fail();
    return {};
  }
  Bytes view = bytes_.subspan(position_, size);
  position_ += size;
  return view;
}

void Cursor::seek(std::uint64_t position) {
  if (!ok_ || position > bytes_.size()) return fail();
  position_ = position;
}

void Cursor::align(std::uint64_t granule) {
  if (!ok_) return;
  const std::uint64_t aligned = (position_ + granule - 1) & ~(granule - 1);
  position_ = std::min<std::uint64_t>(aligned, bytes_.size());
}

std::uint64_t Cursor::uleb128() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = u8();
    if (!ok_) return 0;
    const std::uint64_t bits = byte & 0x7f;
    if (shift > 63 || (shift == 63 && bits > 1)) {
      fail();
      return 0;
    }
    value |= bits << shift;
    if ((byte & 0x80) == 0) return value;
  }
}

std::int64_t Cursor::sleb128() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = u8();
    if (!ok_) return 0;
    const std::uint8_t bits = byte & 0x7f;
    if (shift > 63 || (shift == 63 && bits != 0 && bits != 0x7f)) {
      fail();
      return 0;
    }
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) {
      if (shift + 7 < 64 && (byte & 0x40)) value |= ~std::uint64_t{0} << (shift + 7);
      return static_cast<std::int64_t>(value);
    }
  }
}

std::string_view Cursor::c_string() {
  if (!ok_) return {};
  const Bytes rest = bytes_.subspan(position_);
  const auto zero = std::find(rest.begin(), rest.end(), std::uint8_t{0});
  if (zero == rest.end()) {
    fail();
    return {};
  }
  const std::size_t size = static_cast<std::size_t>(zero - rest.begin());
  position_ += size + 1;
  return {reinterpret_cast<const char*>(rest.data()), size};
}

}  // namespace burin
