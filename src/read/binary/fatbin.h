// Fatbins: a header {u32 magic, u16 version, u16 header bytes, u64 bytes that follow} and then
// entries, each with a header of its own, one per image.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "read/binary/container.h"

namespace burin::read {

inline constexpr std::uint32_t kFatbinMagic = 0xba55ed50;

bool is_fatbin(Bytes bytes);  // begins with the magic

struct FatbinSpan {
  std::uint64_t bytes = 0;  // how far it was understood
  std::string problem;      // a sentence where that is not all of it
};

// Adds the entries of the fatbin at the start of `bytes`, as far as it can be understood.
FatbinSpan read_fatbin(Bytes bytes, std::vector<Entry>& entries);

// Adds every fatbin in `bytes`, wherever it starts (on an 8-byte boundary). What is damaged goes
// into Container::problems.
void scan_fatbins(Bytes bytes, Container& container);

// The same for a section of any data, into which programs may have put a fatbin as an array: only
// whole and sound ones count, all else is taken for data.
void scan_data_for_fatbins(Bytes bytes, Container& container);

}  // namespace burin::read
