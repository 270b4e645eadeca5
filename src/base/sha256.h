// SHA-256 (FIPS 180-4), used to identify contents: inputs with equal digests are treated as equal.
//
// No library is used: OpenSSL's libcrypto is larger than burin and changes its ABI between
// distribution releases, and this is a single function of 50 lines on which no secret depends. The
// tests check it against the examples of the standard.
//
//   Sha256 hash;
//   hash.add(bytes);
//   hash.add("text");
//   std::string name = hash.hex();   // 64 hexadecimal digits; `hash` must not be used after this
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace burin {

class Sha256 {
 public:
  void add(Bytes bytes);
  void add(std::string_view text) {
    add(Bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()));
  }

  std::string hex();

 private:
  void take_block(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t size_ = 0;  // bytes added so far
};

std::string sha256_hex(Bytes bytes);

}  // namespace burin
