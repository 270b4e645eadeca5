// Every integer instruction of the decoder's corpus, executed on random and on awkward numbers.
#include <gtest/gtest.h>

#include <memory>

#include "corpus.h"
#include "launch/random.h"
#include "one_op.h"
#include "reference.h"
#include "sanitized.h"

namespace burin::emulate {
namespace {

// Numbers at which carries, signs and shift amounts turn, among random ones; or so few that they
// are often equal.
enum class Kind { kMany, kFew };
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed, Kind kind = Kind::kMany) : seed_(seed), kind_(kind) {}
  std::uint32_t next() {
    static constexpr std::uint32_t kAwkward[] = {
        0,      1,      2,       7,          8,          16,         31,         32,
        33,     63,     64,      65,         0x7f,       0x80,       0xff,       0x7fff,
        0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    const std::uint64_t word = launch::random_word(seed_, index_++);
    if (kind_ == Kind::kFew) return static_cast<std::uint32_t>(word % 3 - 1);  // -1, 0 or 1
    return word % 2 == 0 ? kAwkward[(word >> 8) % std::size(kAwkward)]
                         : static_cast<std::uint32_t>(word >> 32);
  }

 private:
  std::uint64_t seed_;
  Kind kind_;
  std::uint64_t index_ = 0;
};

ConstantMemory make_constants() {
  Numbers numbers(1);
  ConstantMemory out;
  for (const std::uint32_t bank : {0u, 2u, 3u, 4u}) {
    auto& bytes = out.banks[bank].bytes;
    for (unsigned k = 0; k < 0x1000; k += 4) {
      const std::uint32_t word = numbers.next();
      for (unsigned b = 0; b < 4; ++b) bytes.push_back(static_cast<std::uint8_t>(word >> (8 * b)));
    }
  }
  return out;
}

const ConstantMemory& constants() {
  static const ConstantMemory kConstants = make_constants();
  return kConstants;
}

void fill(Warp& warp, std::uint64_t seed, Kind kind = Kind::kMany) {
  Numbers numbers(seed, kind);
  for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
    const std::uint32_t first = numbers.next();
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const std::uint32_t own = numbers.next();
      warp.slots[slot][i] = slot == kZeroSlot ? 0 : slot >= kUniformSlot ? first : own;
    }
  }
  for (std::uint8_t p = 0; p < kPredicateSlots; ++p) {
    const auto word = static_cast<Mask>(launch::random_word(seed, 1000 + p));
    warp.predicates[p] = p < kUniformPredicateSlot ? word : (word & 1) != 0 ? kAllLanes : 0;
  }
  warp.predicates[kTrueSlot] = kAllLanes;
}

constexpr const char* kMnemonics[] = {
    "IADD3", "UIADD3", "IMAD",  "UIMAD",    "LEA",       "ULEA",   "LOP3",    "ULOP3",
    "PLOP3", "UPLOP3", "ISETP", "UISETP",   "IMNMX",     "VIMNMX", "VIMNMX3", "VIADDMNMX",
    "VIADD", "IABS",   "IDP",   "VABSDIFF", "VABSDIFF4", "BMSK",   "UBMSK",   "SGXT",
    "USGXT", "SHF",    "USHF",  "FLO",      "UFLO",      "POPC",   "UPOPC",   "BREV",
    "UBREV", "PRMT",   "UPRMT", "MOV",      "UMOV",      "SEL",    "USEL"};

void expect_as_reference(const char* mnemonic) {
  for (const CorpusWord& word : corpus(mnemonic)) {
    OneOp op({word.low, word.high}, word.arch, constants());
    for (std::uint64_t round = 0; round < 2; ++round) {
      fill(op.warp(), launch::random_word(word.low ^ word.high, round));
      const auto before = std::make_unique<Warp>(op.warp());
      ASSERT_TRUE(op.run(round == 0 ? kAllLanes : 0x7ffe3b51)) << op.grid().error()->message;
      const auto expected = std::make_unique<Warp>(*before);
      for_each_lane(op.warp().exec, [&](unsigned lane) {
        const auto outcome = reference(op.instruction(), *before, lane, constants());
        ASSERT_TRUE(outcome);
        for (const auto& [slot, value] : outcome->registers) expected->slots[slot][lane] = value;
        for (const auto& [slot, value] : outcome->predicates) {
          const Mask bit = Mask{1} << lane;
          Mask& p = expected->predicates[slot];
          p = value ? p | bit : p & ~bit;
        }
      });
      for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
        for (unsigned i = 0; slot != kSinkSlot && i < kWarpLanes; ++i) {
          ASSERT_EQ(op.warp().slots[slot][i], expected->slots[slot][i])
              << word.text << " slot " << slot << " lane " << i;
        }
        ASSERT_EQ(op.warp().unknown[slot], 0u) << word.text;
      }
      for (std::uint8_t p = 0; p < kPredicateSinkSlot; ++p) {
        ASSERT_EQ(op.warp().predicates[p], expected->predicates[p])
            << word.text << " predicate " << int{p};
        ASSERT_EQ(op.warp().predicate_unknown[p], 0u) << word.text;
      }
    }
  }
}

// What is Unknown must not show: with other numbers in its place, the same lanes come out known,
// and with the same values.
void expect_unknown_hidden(const CorpusWord& word, OneOp& one, OneOp& two, std::uint64_t seed,
                           Kind kind) {
  for (Warp* warp : {&one.warp(), &two.warp()}) {
    fill(*warp, seed, kind);
    for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
      if (slot == kZeroSlot) continue;
      const auto some =
          static_cast<Mask>(launch::random_word(seed, slot) & launch::random_word(~seed, slot));
      warp->unknown[slot] = slot < kUniformSlot ? some : (some & 1) != 0 ? kAllLanes : 0;
    }
    for (std::uint8_t p = 0; p < kPredicateSlots; ++p) {
      if (p == kTrueSlot) continue;
      const auto some =
          static_cast<Mask>(launch::random_word(~seed, 900 + p) & launch::random_word(seed, p));
      warp->predicate_unknown[p] = p < kUniformPredicateSlot ? some
                                   : (some & 1) != 0         ? kAllLanes
                                                             : 0;
    }
  }
  const auto other = std::make_unique<Warp>();
  fill(*other, ~seed, kind);
  for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
    blend(two.warp().slots[slot], other->slots[slot], two.warp().unknown[slot]);
  }
  for (std::uint8_t p = 0; p < kPredicateSlots; ++p) {
    const Mask unknown = two.warp().predicate_unknown[p];
    two.warp().predicates[p] =
        (two.warp().predicates[p] & ~unknown) | (other->predicates[p] & unknown);
  }
  if (!one.run() || !two.run()) return;
  for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
    ASSERT_EQ(one.warp().unknown[slot], two.warp().unknown[slot]) << word.text;
    for_each_lane(slot == kSinkSlot ? 0 : ~one.warp().unknown[slot], [&](unsigned i) {
      ASSERT_EQ(one.warp().slots[slot][i], two.warp().slots[slot][i])
          << word.text << " slot " << slot << " lane " << i;
    });
  }
  for (std::uint8_t p = 0; p < kPredicateSinkSlot; ++p) {
    const Mask unknown = one.warp().predicate_unknown[p];
    ASSERT_EQ(unknown, two.warp().predicate_unknown[p]) << word.text;
    ASSERT_EQ(one.warp().predicates[p] & ~unknown, two.warp().predicates[p] & ~unknown)
        << word.text << " predicate " << int{p};
  }
}

void expect_unknown_hidden(const char* mnemonic) {
  for (const CorpusWord& word : corpus(mnemonic)) {
    OneOp one({word.low, word.high}, word.arch, constants());
    OneOp two({word.low, word.high}, word.arch, constants());
    for (std::uint64_t round = 0; round < (kSanitized ? 2 : 8); ++round) {
      expect_unknown_hidden(word, one, two, launch::random_word(word.low ^ word.high, round),
                            round == 0 ? Kind::kMany : Kind::kFew);
    }
  }
}

void for_each_mnemonic(void (*check)(const char*)) {
  for (const char* mnemonic : kMnemonics) {
    EXPECT_FALSE(corpus(mnemonic).empty()) << mnemonic;
    check(mnemonic);
  }
}

TEST(IntegerCorpus, DoesWhatTheReferenceSays) {
  for_each_mnemonic(expect_as_reference);
}

TEST(IntegerCorpus, ResultsThatAreKnownDoNotDependOnUnknownSources) {
  for_each_mnemonic(expect_unknown_hidden);
}

}  // namespace
}  // namespace burin::emulate
