// Reads fatbins. A fatbin is a header {u32 magic, u16 version, u16 header bytes, u64 bytes that
// follow} and then one entry per image, each with its own header.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "read/binary/container.h"

namespace burin::read {

inline constexpr std::uint32_t kFatbinMagic = 0xba55ed50;

bool is_fatbin(Bytes bytes);  // starts with the fatbin magic

struct FatbinSpan {
  std::uint64_t bytes = 0;  // bytes from the start that were understood
  std::string problem;      // a sentence if part of it was not understood; otherwise ""
};

// Appends the entries of the fatbin at the start of `bytes`, up to the first damaged part.
FatbinSpan read_fatbin(Bytes bytes, std::vector<Entry>& entries);

// Appends the entries of every fatbin in `bytes`; a fatbin may start at any 8-byte boundary.
// Damaged parts are reported in Container::problems.
void scan_fatbins(Bytes bytes, Container& container);

// Like scan_fatbins(), for a data section in which a program may have embedded a fatbin as an
// array. Only complete, undamaged fatbins are taken; everything else is treated as data.
void scan_data_for_fatbins(Bytes bytes, Container& container);

}  // namespace burin::read
