#include "base/crc32.h"

#include <array>

namespace burin {
namespace {

constexpr std::size_t kAtOnce = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kAtOnce>;

// tables[k][b]: what byte b does to the checksum when k bytes follow it.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320u : 0);
    tables[0][byte] = value;
  }
  for (std::size_t k = 1; k < kAtOnce; ++k) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t value = tables[k - 1][byte];
      tables[k][byte] = (value >> 8) ^ tables[0][value & 0xff];
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32(Bytes bytes, std::uint32_t before) {
  std::uint32_t value = ~before;
  std::size_t i = 0;
  for (; i + kAtOnce <= bytes.size(); i += kAtOnce) {
    const std::uint32_t low =
        value ^ (bytes[i] | std::uint32_t{bytes[i + 1]} << 8 | std::uint32_t{bytes[i + 2]} << 16 |
                 std::uint32_t{bytes[i + 3]} << 24);
    value = kTables[7][low & 0xff] ^ kTables[6][(low >> 8) & 0xff] ^
            kTables[5][(low >> 16) & 0xff] ^ kTables[4][low >> 24] ^ kTables[3][bytes[i + 4]] ^
            kTables[2][bytes[i + 5]] ^ kTables[1][bytes[i + 6]] ^ kTables[0][bytes[i + 7]];
  }
  for (; i < bytes.size(); ++i) value = (value >> 8) ^ kTables[0][(value ^ bytes[i]) & 0xff];
  return ~value;
}

}  // namespace burin
