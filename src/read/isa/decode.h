// Decodes 16-byte SASS instruction words into Instructions, for sm_75 to sm_121.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "read/isa/instruction.h"

namespace burin::read {

// True if the decoder has tables for this architecture (sm_70 uses those of sm_75).
bool can_decode(Architecture arch);

// Decodes one instruction word. Never fails: for a word that is not in the tables, `known()` of the
// result is false. `offset` is the word's byte offset in its function; branch targets are relative
// to it.
Instruction decode(std::uint64_t low, std::uint64_t high, Architecture arch, std::uint32_t offset);

// Like decode(), but reuses `out`: for listings of millions of words.
void decode_into(std::uint64_t low, std::uint64_t high, Architecture arch, std::uint32_t offset,
                 Instruction& out);

// Decodes instruction `index` of a function's code. `index` must lie inside `code`.
void decode_at(Bytes code, std::uint32_t index, Architecture arch, Instruction& out);

// Decodes all of a function's code. Returns an Error if its size is not a multiple of 16 bytes.
Result<std::vector<Instruction>> decode_all(Bytes code, Architecture arch);

}  // namespace burin::read
