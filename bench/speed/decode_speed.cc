// How fast one core decodes and prints instructions, over the words of the oracles given:
//   bench_decode_speed build/corpus/oracle/sm_90.txt…
// The goal is 3 million instructions a second. A listing's words repeat more than the oracle's,
// whose forms are all different, so this is the hard case.
#include <ctime>

#include "base/format.h"
#include "oracle/score.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"

using namespace burin;

int main(int argc, char** argv) {
  std::vector<oracle::OracleWord> words;
  for (int i = 1; i < argc; ++i) {
    const auto part = oracle::load(argv[i]);
    if (!part) {
      fmt::print(stderr, "{}\n", part.error().message);
      return 3;
    }
    words.insert(words.end(), part->begin(), part->end());
  }
  if (words.empty()) {
    fmt::print(stderr, "usage: bench_decode_speed ORACLE.txt…\n");
    return 2;
  }
  // CPU time, so that a busy machine does not count.
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  read::Instruction instruction;
  std::string text;
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  double decode_only = 0;
  double both = 0;
  while (both < 2.0) {
    double start = now();
    for (const oracle::OracleWord& w : words) {
      read::decode_into(w.low, w.high, w.arch, w.offset, instruction);
      bytes += instruction.operand_count;
    }
    decode_only += now() - start;
    start = now();
    for (const oracle::OracleWord& w : words) {
      read::decode_into(w.low, w.high, w.arch, w.offset, instruction);
      text.clear();
      read::print(instruction, text);
      bytes += text.size();
    }
    both += now() - start;
    count += words.size();
  }
  fmt::print("{} words, {} rounds (checksum {})\n", words.size(), count / words.size(), bytes);
  fmt::print("decoded             {:.2f} million instructions a second\n",
             static_cast<double>(count) / decode_only / 1e6);
  fmt::print("decoded and printed {:.2f} million instructions a second\n",
             static_cast<double>(count) / both / 1e6);
}
