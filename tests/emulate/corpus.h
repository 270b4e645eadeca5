// The decoder's corpus as instructions to execute: one word of every variant that occurs on the
// architectures the emulator runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "read/isa/instruction.h"

namespace burin::emulate {

struct CorpusWord {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  read::Architecture arch;
  std::string text;
};

// A variant is a mnemonic with its modifiers and the kinds and signs of its operands. Throws
// where the corpus cannot be read.
const std::vector<CorpusWord>& corpus(std::string_view mnemonic);

}  // namespace burin::emulate
