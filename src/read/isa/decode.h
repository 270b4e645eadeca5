// 16 bytes to an Instruction, for sm_75 to sm_121.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "read/isa/instruction.h"

namespace burin::read {

// True where the decoder has tables for this architecture (sm_70 shares sm_75's).
bool can_decode(Architecture arch);

// Decodes one word. Never fails: a word outside the tables comes back with `known()` false.
// `offset` is the word's place in its function; branch targets are relative to it.
Instruction decode(std::uint64_t low, std::uint64_t high, Architecture arch, std::uint32_t offset);

// The same into an Instruction that is used again, for listings of millions of words.
void decode_into(std::uint64_t low, std::uint64_t high, Architecture arch, std::uint32_t offset,
                 Instruction& out);

// Instruction `index` of a function's code, which must reach that far.
void decode_at(Bytes code, std::uint32_t index, Architecture arch, Instruction& out);

// A whole function's code. A tail of fewer than 16 bytes is an error.
Result<std::vector<Instruction>> decode_all(Bytes code, Architecture arch);

}  // namespace burin::read
