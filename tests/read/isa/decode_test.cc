// The decoded fields that the program model and the emulator rely on, beyond the printed text.
#include "read/isa/decode.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "read/isa/print.h"

namespace burin::read {
namespace {

using Kind = Operand::Kind;

Instruction decoded(std::uint64_t high, std::uint64_t low, std::uint16_t sm) {
  return decode(low, high, {sm}, 0);
}

std::string text(const Instruction& instruction) {
  std::string out;
  print(instruction, out);
  return out;
}

using Range = std::tuple<RegisterFile, unsigned, unsigned>;
std::vector<Range> reads(const Instruction& instruction) {
  std::vector<Range> all;
  for_each_read(instruction,
                [&](RegisterFile f, unsigned i, unsigned n) { all.emplace_back(f, i, n); });
  return all;
}
std::vector<Range> writes(const Instruction& instruction) {
  std::vector<Range> all;
  for_each_write(instruction,
                 [&](RegisterFile f, unsigned i, unsigned n) { all.emplace_back(f, i, n); });
  return all;
}

TEST(Decode, ControlBits) {
  const Instruction i = decoded(0x002ee8000c1e1b00, 0x000008100c087981, 90);
  EXPECT_EQ(i.control.stall, 4);
  EXPECT_FALSE(i.control.yield);
  EXPECT_EQ(i.control.write_barrier, 3);
  EXPECT_EQ(i.control.read_barrier, 7);
  EXPECT_EQ(i.control.wait_mask, 0x02);
  EXPECT_EQ(i.control.reuse, 0);
  // Bit 109 clear asks for another warp next.
  EXPECT_FALSE(decoded(0x000fe20000010200, 0x800000ff03047221, 80).control.yield);
  EXPECT_TRUE(decoded(0x000fc80000010200, 0x800000ff03047221, 80).control.yield);
}

// Both addresses of a copy into shared memory may have a uniform register, from one place in the
// word: the offset in shared memory, and behind it the descriptor, where there is one.
TEST(Decode, ACopyToSharedMemoryAtAnOffsetOfTheWarp) {
  const Instruction plain = decoded(0x0005e2000b92094b, 0x0280000044410dae, 90);
  EXPECT_EQ(text(plain), "@P0 LDGSTS.E.LTC128B [R65+UR11+0x2800], [R68.64]");
  const Instruction described = decoded(0x000fe2000b901c56, 0x0001000002ff7dae, 90);
  EXPECT_EQ(text(described), "LDGSTS.E.BYPASS.128 [UR22+0x10], desc[UR23][R2.64]");
}

TEST(Decode, LoadOf64BitsThroughADescriptor) {
  const Instruction i = decoded(0x002ee8000c1e1b00, 0x000008100c087981, 90);
  EXPECT_EQ(text(i), "LDG.E.64 R8, desc[UR16][R12.64+0x8]");
  EXPECT_EQ(i.opcode->pipe, Pipe::kLsu);
  EXPECT_EQ(i.opcode->space, Space::kGlobal);
  EXPECT_TRUE(i.opcode->loads);
  EXPECT_FALSE(i.opcode->stores);
  EXPECT_EQ(i.modifier("width"), "64");
  EXPECT_EQ(writes(i), (std::vector<Range>{{RegisterFile::kGeneral, 8, 2}}));
  EXPECT_EQ(reads(i),
            (std::vector<Range>{{RegisterFile::kGeneral, 12, 2}, {RegisterFile::kUniform, 16, 2}}));
}

TEST(Decode, DescriptorThatNvdisasmHidesBeforeSm90) {
  const Instruction i = decoded(0x00c4e2000c1e1b00, 0x00000808f4027981, 86);
  EXPECT_EQ(text(i), "LDG.E.64 R2, [R244.64+0x8]");
  ASSERT_EQ(i.operands()[2].kind, Kind::kMemory);
  EXPECT_EQ(i.operands()[2].descriptor, 8);
  EXPECT_TRUE(i.operands()[2].hidden_descriptor);
}

TEST(Decode, CarriesAreReadAndWritten) {
  const Instruction i = decoded(0x000fe40007f1e0ff, 0x000000040d047210, 75);
  EXPECT_EQ(text(i), "IADD3 R4, P0, R13, R4, RZ");
  EXPECT_EQ(writes(i),
            (std::vector<Range>{{RegisterFile::kGeneral, 4, 1}, {RegisterFile::kPredicate, 0, 1}}));
  const Instruction x = decoded(0x000fe400007fe4ff, 0x00000018ff187210, 75);
  EXPECT_EQ(text(x), "IADD3.X R24, RZ, R24, RZ, P0, !PT");
  EXPECT_EQ(reads(x), (std::vector<Range>{{RegisterFile::kGeneral, 24, 1},
                                          {RegisterFile::kPredicate, 0, 1}}));
}

TEST(Decode, WideProductsAndDoublesTakePairs) {
  const Instruction wide = decoded(0x000fe200078e00ff, 0x000000201a047825, 90);
  EXPECT_EQ(text(wide), "IMAD.WIDE.U32 R4, R26, 0x20, RZ");
  EXPECT_EQ(writes(wide), (std::vector<Range>{{RegisterFile::kGeneral, 4, 2}}));
  const Instruction dfma = decoded(0x000fd00000000010, 0x000000121c1c722b, 90);
  EXPECT_EQ(reads(dfma), (std::vector<Range>{{RegisterFile::kGeneral, 28, 2},
                                             {RegisterFile::kGeneral, 18, 2},
                                             {RegisterFile::kGeneral, 16, 2}}));
  EXPECT_EQ(dfma.opcode->pipe, Pipe::kFp64);
}

// The scheduling bits are the same in all words below.
Instruction plain(std::uint64_t high, std::uint64_t low, std::uint16_t sm) {
  return decoded(0x000fe20000000000 | high, low, sm);
}
Range general(unsigned first, unsigned count) {
  return {RegisterFile::kGeneral, first, count};
}
Range uniform(unsigned first, unsigned count) {
  return {RegisterFile::kUniform, first, count};
}
Range predicate(unsigned p) {
  return {RegisterFile::kPredicate, p, 1};
}

TEST(Decode, PredicateSetsAreReadAndWrittenOneByOne) {
  const Instruction r2p = plain(0, 0x0000000600007804, 75);
  EXPECT_EQ(text(r2p), "R2P PR, R0, 0x6");
  EXPECT_EQ(writes(r2p), (std::vector<Range>{predicate(1), predicate(2)}));
  const Instruction p2r = plain(0, 0x00000004ff177803, 90);
  EXPECT_EQ(text(p2r), "P2R R23, PR, RZ, 0x4");
  EXPECT_EQ(reads(p2r), (std::vector<Range>{predicate(2)}));
}

TEST(Decode, MatrixFragmentsFollowShapeAndType) {
  struct Case {
    std::uint64_t high, low;
    std::uint16_t sm;
    const char* text;
    std::vector<Range> written, read;
  };
  const Case cases[] = {
      {0x18ff,
       0x0000002c0440723c,
       80,
       "HMMA.16816.F32 R64, R4, R44, RZ",
       {general(64, 4)},
       {general(4, 4), general(44, 2)}},
      {0x0006,
       0x00000006040a723c,
       75,
       "HMMA.1688.F16 R10, R4, R6, R6",
       {general(10, 2)},
       {general(4, 2), general(6, 1), general(6, 2)}},
      {0x45a04,
       0x0000028c8804723c,
       90,
       "HMMA.SP.16832.F32.BF16 R4, R136, R140, R4, R2, 0x0",
       {general(4, 4)},
       {general(136, 4), general(140, 4), general(4, 4), general(2, 1)}},
      {0x54ff,
       0x0000000909087237,
       90,
       "IMMA.8816.S8.S8 R8, R9.ROW, R9.COL, RZ",
       {general(8, 2)},
       {general(9, 1), general(9, 1)}},
      {0x1010,
       0x000000101010723f,
       90,
       "DMMA.16x8x4 R16, R16, R16, R16",
       {general(16, 8)},
       {general(16, 4), general(16, 2), general(16, 8)}},
      {0x08701818,
       0x03e00000101879f0,
       90,
       "HGMMA.64x256x16.F32.BF16 R24, gdesc[UR16], R24",
       {general(24, 128)},
       {uniform(16, 4), general(24, 128)}},
  };
  for (const Case& c : cases) {
    const Instruction i = plain(c.high, c.low, c.sm);
    EXPECT_EQ(text(i), c.text);
    EXPECT_EQ(writes(i), c.written) << c.text;
    EXPECT_EQ(reads(i), c.read) << c.text;
  }
}

TEST(Decode, TexturesWriteWhatTheirMaskAsksFor) {
  const Instruction all = plain(0x00099e0f00, 0x200006381c147f60, 90);
  EXPECT_EQ(text(all), "TEX.LL R0, R20, R28, R56, UR6, 0x0, 2D");
  EXPECT_EQ(writes(all), (std::vector<Range>{general(0, 2), general(20, 2)}));
  EXPECT_EQ(reads(all), (std::vector<Range>{general(28, 2), general(56, 1), uniform(6, 1)}));
  const Instruction one = plain(0x00099e01ff, 0x2000043f34377f60, 90);
  EXPECT_EQ(text(one), "TEX.LL RZ, R55, R52, R63, UR4, 0x0, 2D, 0x1");
  EXPECT_EQ(writes(one), (std::vector<Range>{general(55, 1)}));
}

TEST(Decode, BulkCopiesReadTheirCoordinates) {
  const Instruction i = plain(0x0008011000, 0x00000610040075b4, 90);
  EXPECT_EQ(text(i), "UTMALDG.3D [UR16], [UR4], desc[UR6]");
  EXPECT_EQ(reads(i), (std::vector<Range>{uniform(16, 5), uniform(4, 2), uniform(6, 2)}));
}

TEST(Decode, GuardIsARead) {
  const Instruction i = decoded(0x000fe20000000f00, 0x0000000800172202, 90);
  EXPECT_EQ(text(i), "@P2 MOV R23, R8");
  EXPECT_FALSE(i.guard.always());
  EXPECT_EQ(reads(i).front(), (Range{RegisterFile::kPredicate, 2, 1}));
}

TEST(Decode, BranchTargetsAreOffsetsInTheFunction) {
  const Instruction forward = decode(0x000000000014a947, 0x002fea0003800000, {90}, 0x100);
  EXPECT_EQ(forward.opcode->flow, Opcode::kBranch);
  EXPECT_EQ(forward.operands().back().kind, Kind::kTarget);
  EXPECT_EQ(forward.operands().back().value, 0x100 + 16 + 4 * 0x14);
  const Instruction itself = decode(0xfffffff000007947, 0x000fc0000383ffff, {75}, 0x720);
  EXPECT_EQ(itself.operands().back().value, 0x720);
}

TEST(Decode, UnknownWordsKeepTheirBits) {
  const Instruction i = decoded(0x1234, 0x0, 90);
  EXPECT_FALSE(i.known());
  EXPECT_EQ(i.high, 0x1234u);
  EXPECT_EQ(text(i), "UNKNOWN 0x00000000000012340000000000000000");
  EXPECT_FALSE(decoded(0x000fe20000000f00, 0x0000000800172202, 60).known());
}

TEST(Decode, CodeMustBeWholeInstructions) {
  const std::vector<std::uint8_t> bytes(24);
  const auto all = decode_all(bytes, {90});
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.error().message.find("24 bytes"), std::string::npos);
  EXPECT_FALSE(decode_all({}, {52}).ok());
  EXPECT_TRUE(decode_all(Bytes(bytes).first(16), {90}).ok());
}

// No word at all may break the decoder or the printer, whatever its bits.
TEST(Decode, RandomWordsOnEveryArchitecture) {
  std::uint64_t state = 88172645463325252;
  const auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  std::string out;
  static constexpr std::uint16_t kArchitectures[] = {70, 75, 80, 86, 89, 90, 100, 103, 120, 121};
  for (const std::uint16_t sm : kArchitectures) {
    for (std::uint64_t opcode = 0; opcode < 4096; ++opcode) {
      for (int i = 0; i < 8; ++i) {
        const Instruction instruction = decode((next() & ~0xfffull) | opcode, next(), {sm}, 0);
        out.clear();
        print(instruction, out);
        ASSERT_FALSE(out.empty());
        for (const Operand& o : instruction.operands()) ASSERT_LE(o.count, 128);
      }
    }
  }
}

}  // namespace
}  // namespace burin::read
