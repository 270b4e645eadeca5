// The tensor cores' instructions against what an H200 made of the same inputs.
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "emulate/access/shared_matrix.h"
#include "emulate/one_op.h"
#include "emulate/tensor_cases.h"

namespace burin::emulate {
namespace {

using tensor_cases::Elements;
using tensor_cases::Format;
using tensor_cases::Role;

constexpr std::uint32_t kStart = 1024;  // of the kernel's own shared memory

struct Checksum {  // FNV-1a of 32-bit words
  std::uint32_t value = 0x811c9dc5;
  void add(std::uint32_t word) {
    for (unsigned k = 0; k < 4; ++k) value = (value ^ (word >> (8 * k) & 0xff)) * 0x01000193;
  }
};

Format format_named(const std::string& name) {
  static const std::map<std::string, Format> kFormats = {
      {"-", Format::kBits},       {"kBits", Format::kBits},      {"kF16", Format::kF16},
      {"kBf16", Format::kBf16},   {"kTf32", Format::kTf32},      {"kE4m3", Format::kE4m3},
      {"kE5m2", Format::kE5m2},   {"kF32", Format::kF32},        {"kF64", Format::kF64},
      {"kPairs", Format::kPairs}, {"kSingles", Format::kSingles}};
  return kFormats.at(name);
}

std::ifstream recorded(const char* name) {
  std::ifstream in(std::string(BURIN_SOURCE_DIR "/tests/data/tensor/") + name);
  EXPECT_TRUE(in.good()) << name;
  while (in.peek() == '#') in.ignore(1000, '\n');
  return in;
}

struct Product {
  unsigned number, registers_a, registers_b, registers_c, cases;
  OneOp::Word word;
  std::string name, a, b, c, metadata;
};
bool read(std::istream& in, Product& p) {
  return static_cast<bool>(in >> std::dec >> p.number >> std::hex >> p.word.low >> p.word.high >>
                           p.name >> std::dec >> p.registers_a >> p.registers_b >> p.registers_c >>
                           p.a >> p.b >> p.c >> p.metadata >> p.cases);
}

void put(Warp& warp, unsigned slot, const Elements& elements, unsigned first, unsigned registers) {
  for (unsigned r = 0; r < registers; ++r)
    for (unsigned lane = 0; lane < kWarpLanes; ++lane)
      warp.slots[slot + r][lane] = elements.word(first + lane, r, registers);
}

void add(Checksum& sum, const Warp& warp, unsigned slot, unsigned registers) {
  for (unsigned lane = 0; lane < kWarpLanes; ++lane)
    for (unsigned r = 0; r < registers; ++r) sum.add(warp.slots[slot + r][lane]);
}

// A warpgroup's B: eight columns of 32 bytes, K-major, not swizzled.
void put_b(OneOp& op, const Elements& b, unsigned descriptor) {
  const unsigned bytes =
      tensor_cases::shape(b.format).exponent == 0 ? 1 : tensor_cases::shape(b.format).bits / 8;
  std::uint8_t all[256];
  for (unsigned n = 0; n < 8; ++n)
    for (unsigned k = 0; k < 32 / bytes; ++k) {
      const std::uint64_t value = b.along(n, k, 32 / bytes);
      const unsigned at = k * bytes;
      for (unsigned x = 0; x < bytes; ++x)
        all[at / 16 * 128 + n * 16 + at % 16 + x] = static_cast<std::uint8_t>(value >> (8 * x));
    }
  for (unsigned at = 0; at < 256; at += 16) {
    Datum d;
    std::memcpy(d.bytes.data(), all + at, 16);
    ASSERT_TRUE(op.block().shared.write(kStart + at, 16, d));
  }
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    op.warp().slots[kUniformSlot + descriptor + 2u][lane] = kStart / 16 | 128 / 16 << 16;
    op.warp().slots[kUniformSlot + descriptor + 3u][lane] = 256 / 16;
  }
}

TEST(Tensor, ProductsAreThoseOfTheGpu) {
  std::ifstream in = recorded("products.txt");
  unsigned products = 0;
  for (Product p; read(in, p); ++products) {
    const bool group = p.name.starts_with("wgmma");
    OneOp op(p.word, {90, 'a'});
    op.block().shared.reset(4096, kStart);
    const auto operands = op.warp().program->ops[0].instruction->operands();
    unsigned wrong = 0;
    for (unsigned c = 0; c < p.cases; ++c) {
      std::uint32_t expected = 0;
      in >> std::hex >> expected;
      const Elements a{format_named(p.a), Role::kA, p.number, c};
      const Elements b{format_named(p.b), Role::kB, p.number, c};
      const Elements d{format_named(p.c), Role::kC, p.number, c};
      const Elements m{format_named(p.metadata), Role::kMetadata, p.number, c};
      Checksum sum;
      for (unsigned w = 0; w < (group ? 4u : 1u); ++w) {
        Warp& warp = op.warp();
        warp.index = w;
        put(warp, operands[1].index, a, 32 * w, p.registers_a);
        if (group) {
          put_b(op, b, operands[2].uniform);
        } else {
          put(warp, operands[2].index, b, 0, p.registers_b);
        }
        // C of RZ stands for a product that starts from zero: there is nothing to set.
        if (operands[3].index != read::kZeroRegister)
          put(warp, operands[3].index, d, 32 * w, p.registers_c);
        for (std::size_t k = 4; k < operands.size() && p.metadata != "-"; ++k)
          if (operands[k].is_register(read::RegisterFile::kGeneral))
            put(warp, operands[k].index, m, 0, 1);
        ASSERT_TRUE(op.run()) << op.text();
        add(sum, warp, operands[0].index, p.registers_c);
      }
      wrong += sum.value != expected;
    }
    EXPECT_EQ(wrong, 0u) << "of " << p.cases << " cases: " << op.text() << " (" << p.name << ")";
  }
  EXPECT_EQ(products, 65u);
}

TEST(Tensor, DescriptorsNameTheElementsThatTheGpuTakes) {
  std::ifstream in = recorded("layouts.txt");
  unsigned layouts = 0;
  unsigned wrong = 0;
  std::string matrix;
  for (unsigned bits, lines, depth, transposed, mode, start, leading, stride, base, expected;
       in >> matrix >> std::dec >> bits >> lines >> depth >> transposed >> mode >> start >>
       leading >> stride >> base >> std::hex >> expected;
       ++layouts) {
    const MatrixDescriptor m = read_descriptor((kStart + start) / 16 | leading / 16 << 16,
                                               stride / 16 | base << 17 | mode << 30);
    Checksum sum;
    for (unsigned line = 0; line < lines; ++line)
      for (unsigned k = 0; k < depth; ++k) {
        const unsigned byte = k * bits / 8;
        sum.add(transposed != 0 ? m.address(line / 8 * 8, k, true) + line % 8 * 2
                                : m.address(line, byte / 16 * 16, false) + byte % 16);
      }
    wrong += sum.value != expected;
  }
  EXPECT_EQ(layouts, 1420u);
  EXPECT_EQ(wrong, 0u);
}

TEST(Tensor, AnUnknownElementSpoilsItsRowOrColumnOnly) {
  OneOp op({0x000000060810723c, 0x004fee000000180c});  // HMMA.16816.F32 R16, R8, R6, R12
  op.warp().unknown[8] = Mask{1} << 5;                 // row 1 of A
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().unknown[16], Mask{0xf0});  // row 1 of D
  EXPECT_EQ(op.warp().unknown[18], Mask{0});     // row 9
  op.warp().unknown[8] = 0;
  op.warp().unknown[6] = Mask{1} << 12;  // column 3 of B
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().unknown[16], Mask{0x22222222});  // lanes with columns 2 and 3
}

TEST(Tensor, SparseProductsOfAWarpgroupAreRefused) {
  OneOp op({0x000121000c1879f0, 0x000fe20008002a18}, {90, 'a'});
  ASSERT_TRUE(op.text().starts_with("HGMMA.SP")) << op.text();
  EXPECT_FALSE(op.run());
}

// The kernel `matrices` of the recording: rows in the order 3, 10, 17 … of 2 KB of random words.
class Matrices : public testing::Test {
 protected:
  static std::uint32_t word(unsigned x) {
    return static_cast<std::uint32_t>(tensor_cases::mix(x + 77));
  }
  static void fill(OneOp& op) {
    op.block().shared.reset(kStart + 4096, kStart);
    for (unsigned x = 0; x < 512; ++x) {
      Datum d;
      const std::uint32_t w = word(x);
      std::memcpy(d.bytes.data(), &w, 4);
      ASSERT_TRUE(op.block().shared.write(kStart + 4 * x, 4, d));
    }
    for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
      op.warp().slots[14][lane] = kStart + (lane * 7 + 3) % 32 * 16;
      for (unsigned r = 0; r < 4; ++r) op.warp().slots[8 + r][lane] = word(32 * r + lane);
      op.warp().slots[15][lane] = word(lane);
    }
  }
  static std::uint32_t registers(const OneOp::Word& word, unsigned slot, unsigned count) {
    OneOp op(word);
    fill(op);
    EXPECT_TRUE(op.run()) << op.text();
    Checksum sum;
    for (unsigned r = 0; r < count; ++r)
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) sum.add(op.warp().slots[slot + r][lane]);
    return sum.value;
  }
  static std::uint32_t memory(const OneOp::Word& word) {
    OneOp op(word);
    fill(op);
    EXPECT_TRUE(op.run()) << op.text();
    Checksum sum;
    for (unsigned x = 0; x < 128; ++x) {
      Datum d;
      EXPECT_TRUE(op.block().shared.read(kStart + 1024 + 4 * x, 4, d));
      std::uint32_t w;
      std::memcpy(&w, d.bytes.data(), 4);
      sum.add(w);
    }
    return sum.value;
  }
};

TEST_F(Matrices, AreThoseOfTheGpu) {
  EXPECT_EQ(registers({0x000000040e08783b, 0x000e620008000200}, 8, 4), 0x120480f0u);
  EXPECT_EQ(registers({0x000000040e04783b, 0x001e220008004200}, 4, 4), 0xe40ade44u);
  EXPECT_EQ(registers({0x000000000f0f723a, 0x004e280000000000}, 15, 1), 0xffb4084bu);
  EXPECT_EQ(memory({0x000400080e007844, 0x004fe20000000200}), 0x88ac69ccu);
  EXPECT_EQ(memory({0x000400080e007844, 0x000fe80000004200}), 0x74f1df94u);
}

}  // namespace
}  // namespace burin::emulate
