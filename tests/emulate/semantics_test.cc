// Thousands of instruction words, each with 512 lanes of random and special inputs, against what an
// H200 gave for them (bench/exactness/semantics makes the data). One test per mnemonic.
#include <gtest/gtest.h>
#include <zstd.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/format.h"
#include "one_op.h"

namespace burin::emulate {
namespace {

constexpr std::size_t kInputWords = 64;
constexpr std::size_t kOutputWords = 8;
constexpr std::size_t kConstantWords = 64;
constexpr std::size_t kConstantOffset = 0x220;
constexpr std::uint16_t kDestination = 64;
constexpr std::uint16_t kUniformDestination = kUniformSlot + 40;

struct Recording {
  std::vector<char> bytes;
  std::size_t words = 0;
  std::size_t rows = 0;

  std::uint32_t at(std::size_t position) const {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + position, 4);
    return value;
  }
  std::size_t inputs() const { return 8; }
  std::size_t constants() const { return inputs() + 4 * rows * kWarpLanes * kInputWords; }
  std::size_t code() const { return constants() + 4 * kConstantWords; }
  std::size_t outputs() const { return code() + 16 * words; }

  std::uint32_t input(std::size_t row, std::size_t lane, std::size_t word) const {
    return at(inputs() + 4 * ((row * kWarpLanes + lane) * kInputWords + word));
  }
  std::uint32_t output(std::size_t test, std::size_t row, std::size_t lane,
                       std::size_t word) const {
    return at(outputs() + 4 * (((test * rows + row) * kWarpLanes + lane) * kOutputWords + word));
  }
  OneOp::Word word(std::size_t test) const {
    OneOp::Word w;
    std::memcpy(&w.low, bytes.data() + code() + 16 * test, 8);
    std::memcpy(&w.high, bytes.data() + code() + 16 * test + 8, 8);
    return w;
  }
};

const Recording& recording() {
  static const Recording kRecording = [] {
    Recording r;
    const auto file = MappedFile::open(BURIN_SOURCE_DIR "/tests/data/semantics/h200.bin.zst");
    if (!file) return r;
    const Bytes packed = file->bytes();
    r.bytes.resize(ZSTD_getFrameContentSize(packed.data(), packed.size()));
    ZSTD_decompress(r.bytes.data(), r.bytes.size(), packed.data(), packed.size());
    r.words = r.at(0);
    r.rows = r.at(4);
    return r;
  }();
  return kRecording;
}

const std::map<std::string, std::vector<std::size_t>>& by_mnemonic() {
  static const auto kTests = [] {
    std::map<std::string, std::vector<std::size_t>> tests;
    for (std::size_t t = 0; t < recording().words; ++t) {
      const OneOp::Word w = recording().word(t);
      tests[std::string(read::decode(w.low, w.high, {90, 'a'}, 0).mnemonic())].push_back(t);
    }
    return tests;
  }();
  return kTests;
}

ConstantMemory constant_banks() {
  ConstantMemory memory;
  std::vector<std::uint8_t>& bytes = memory.banks[0].bytes;
  bytes.resize(kConstantOffset + 4 * kConstantWords);
  std::memcpy(bytes.data() + kConstantOffset, recording().bytes.data() + recording().constants(),
              4 * kConstantWords);
  return memory;
}

void prepare(Warp& warp, std::size_t row) {
  const Recording& r = recording();
  warp.unknown = {};
  warp.predicates = {};
  warp.predicates[kTrueSlot] = kAllLanes;
  warp.predicate_unknown = {};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    warp.slots[0][lane] = lane;  // the frame's thread number
    for (unsigned k = 0; k < 32; ++k) warp.slots[8 + k][lane] = r.input(row, lane, k);
    for (unsigned k = 0; k < 16; ++k)
      warp.slots[kUniformSlot + 8 + k][lane] = r.input(row, lane, 48 + k);
    for (unsigned k = 0; k < 4; ++k) {
      warp.slots[kDestination + k][lane] = r.input(row, lane, 28 + k);
      warp.slots[kUniformDestination + k][lane] = r.input(row, lane, 48 + 12 + k);
    }
    for (unsigned p = 0; p < 7; ++p) {
      warp.predicates[p] |= (r.input(row, lane, 32) >> p & 1) << lane;
      warp.predicates[kUniformPredicateSlot + p] |= (r.input(row, lane, 63) >> p & 1) << lane;
    }
  }
}

bool writes_uniform(const read::Instruction& i) {
  return i.opcode->pipe == read::Pipe::kUniform || i.mnemonic() == "REDUX" ||
         i.mnemonic() == "VOTEU";
}

class Semantics : public testing::TestWithParam<std::string> {};

TEST_P(Semantics, EqualsTheGpu) {
  const Recording& r = recording();
  const ConstantMemory banks = constant_banks();
  std::vector<std::string> wrong;
  for (const std::size_t test : by_mnemonic().at(GetParam())) {
    const OneOp::Word word = r.word(test);
    const read::Instruction i = read::decode(word.low, word.high, {90, 'a'}, 0);
    const bool uniform = writes_uniform(i);
    OneOp op(word, {90, 'a'}, banks);
    std::string difference;
    for (std::size_t row = 0; row < r.rows && difference.empty(); ++row) {
      Warp& warp = op.warp();
      prepare(warp, row);
      if (!op.run()) {
        difference = "refused";
        break;
      }
      for (unsigned lane = 0; lane < kWarpLanes && difference.empty(); ++lane) {
        for (unsigned k = 0; k < 4; ++k) {
          const std::uint32_t got =
              warp.slots[(uniform ? kUniformDestination : kDestination) + k][lane];
          const std::uint32_t want = r.output(test, row, lane, k);
          if (got != want) {
            difference = fmt::format("row {} lane {} register {}: {:08x}, the GPU has {:08x}", row,
                                     lane, k, got, want);
            break;
          }
        }
        std::uint32_t predicates = 0;
        std::uint32_t uniform_predicates = 0;
        for (unsigned p = 0; p < 7; ++p) {
          predicates |= (warp.predicates[p] >> lane & 1) << p;
          uniform_predicates |= (warp.predicates[kUniformPredicateSlot + p] >> lane & 1) << p;
        }
        const std::uint32_t want = r.output(test, row, lane, 4);
        const std::uint32_t want_uniform = r.output(test, row, lane, 5);
        if (difference.empty() && predicates != want) {
          difference = fmt::format("row {} lane {} predicates {:02x}, the GPU has {:02x}", row,
                                   lane, predicates, want);
        }
        if (difference.empty() && uniform && uniform_predicates != want_uniform) {
          difference = fmt::format("row {} lane {} uniform predicates {:02x}, the GPU has {:02x}",
                                   row, lane, uniform_predicates, want_uniform);
        }
      }
    }
    if (!difference.empty()) wrong.push_back(op.text() + ": " + difference);
  }
  std::string report;
  for (std::size_t k = 0; k < wrong.size() && k < 10; ++k) report += wrong[k] + "\n";
  EXPECT_TRUE(wrong.empty()) << wrong.size() << " of " << by_mnemonic().at(GetParam()).size()
                             << " words differ:\n"
                             << report;
}

std::vector<std::string> mnemonics() {
  std::vector<std::string> names;
  for (const auto& [name, tests] : by_mnemonic()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(H200, Semantics, testing::ValuesIn(mnemonics()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace burin::emulate
