// Decoder accuracy against nvdisasm, per architecture, on the half of each oracle that the tables
// were not written from:  bench_oracle_accuracy [--known] [--misses N] ORACLE.txt…
// --known looks at the other half; only there are misses printed.
#include <cstring>
#include <map>

#include "base/format.h"
#include "oracle/score.h"

using namespace burin;

int main(int argc, char** argv) {
  bool known = false;
  long misses = 0;
  std::map<read::Architecture, oracle::Score> scores;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--known") == 0) {
      known = true;
    } else if (std::strcmp(argv[i], "--misses") == 0 && i + 1 < argc) {
      misses = std::strtol(argv[++i], nullptr, 10);
    } else {
      const auto words = oracle::load(argv[i]);
      if (!words) {
        fmt::print(stderr, "{}\n", words.error().message);
        return 3;
      }
      for (const oracle::OracleWord& word : *words) {
        if (word.held_back() == known) continue;
        const std::string got = oracle::decoded_text(word);
        scores[word.arch].add(word.text, got);
        if (known && got != word.text && misses-- > 0) {
          fmt::print("{} {:016x}{:016x}\n  nvdisasm {}\n  burin    {}\n",
                     read::to_string(word.arch), word.high, word.low, word.text, got);
        }
      }
    }
  }
  if (scores.empty()) {
    fmt::print(stderr, "usage: bench_oracle_accuracy [--known] [--misses N] ORACLE.txt…\n");
    return 2;
  }
  fmt::print("{:9} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "arch", "words", "mnemonic", "kinds",
             "registers", "values", "text");
  for (const auto& [arch, s] : scores) {
    const auto percent = [&](std::uint64_t n) {
      return fmt::format("{:.2f} %", 100.0 * static_cast<double>(n) / static_cast<double>(s.words));
    };
    fmt::print("{:9} {:>7} {:>9} {:>9} {:>9} {:>9} {:>9}\n", read::to_string(arch), s.words,
               percent(s.mnemonic), percent(s.kinds), percent(s.registers), percent(s.values),
               percent(s.text));
  }
}
