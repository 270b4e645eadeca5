// How well the decoder's text agrees with nvdisasm's, level by level.
//
// The words of an oracle are split in two by a hash of their bits. The decoder's tables were
// written with one half in view; every figure is reported on the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "read/architecture.h"

namespace burin::oracle {

struct OracleWord {
  read::Architecture arch;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint32_t offset = 0;
  std::string text;  // nvdisasm's, without the semicolon

  bool held_back() const;  // true: in the half that figures are reported on
};

// Reads a file of build/corpus/oracle: lines `ARCH HEX OFFSET TEXT`, or the older `ARCH HEX TEXT`
// in groups opened by `#90 1 …` whose word i stood at 16 * (i mod 256).
Result<std::vector<OracleWord>> load(const std::string& path);

// Each level counts words that agree on it and on all levels before it.
struct Score {
  std::uint64_t words = 0;
  std::uint64_t mnemonic = 0;
  std::uint64_t kinds = 0;      // number and kinds of operands, guard included
  std::uint64_t registers = 0;  // and which registers they are
  std::uint64_t values = 0;     // and every number in them
  std::uint64_t text = 0;       // and all modifiers: the whole line

  void add(std::string_view expected, std::string_view got);
};

// The decoder's own text for a word.
std::string decoded_text(const OracleWord& word);

}  // namespace burin::oracle
