// Choosing by a rational program: table, program, constraints, grades, and its cost.
#include "formula/rational/chooser.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "formula/saxpy_program.h"

namespace {
std::atomic<long> allocations = 0;
}  // namespace

// Not inlined: GCC takes what it then sees for new and free mixed up.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace burin::formula {
namespace {

Chooser chooser_of(const std::string& text) {
  Result<RationalProgram> program = parse_rational_program(text);
  EXPECT_TRUE(program.ok()) << program.error().message;
  Result<Chooser> chooser = Chooser::prepare(std::move(*program));
  EXPECT_TRUE(chooser.ok()) << chooser.error().message;
  return *chooser;
}

Choice choice_for(const Chooser& chooser, std::int64_t n, int device = 0,
                  std::span<const double> inputs = {}) {
  Choice choice;
  const std::int64_t sizes[] = {n};
  EXPECT_TRUE(chooser.choose({.sizes = sizes, .device = device, .inputs = inputs}, choice));
  return choice;
}

TEST(Chooser, TheTableDecidesInsideItsDomain) {
  const Chooser chooser = chooser_of(kSaxpyProgram);
  const Choice small = choice_for(chooser, 4096);
  EXPECT_EQ(small.block, (Shape{256, 1, 1}));
  EXPECT_EQ(small.grid, (Shape{16, 1, 1}));
  EXPECT_EQ(small.grade, Grade::kInside);
  EXPECT_EQ(small.ranked_count, 2u);
  EXPECT_EQ(small.ranked[1], 1u);
  EXPECT_DOUBLE_EQ(small.predicted_us, 2 + 1.5 * 16 / 132);
  EXPECT_EQ(choice_for(chooser, 4097).block, (Shape{32, 1, 1}));
  EXPECT_EQ(choice_for(chooser, 100000).block, (Shape{32, 1, 1}));  // 800,000 bytes
  EXPECT_EQ(choice_for(chooser, 100001).block, (Shape{128, 1, 1}));
  EXPECT_EQ(choice_for(chooser, 1000000).grade, Grade::kInside);
}

TEST(Chooser, TheProgramDecidesOutside) {
  const Chooser chooser = chooser_of(kSaxpyProgram);
  const Choice large = choice_for(chooser, 1000001);
  EXPECT_EQ(large.grade, Grade::kExtrapolated);
  EXPECT_EQ(large.block, (Shape{256, 1, 1}));  // the fewest waves
  EXPECT_EQ(large.ranked_count, 3u);
  EXPECT_EQ(large.ranked[2], 0u);

  std::string by_table = kSaxpyProgram;
  by_table.replace(by_table.find("outside program"), 15, "outside table");
  const Choice nearest = choice_for(chooser_of(by_table), 1000001);
  EXPECT_EQ(nearest.grade, Grade::kExtrapolated);
  EXPECT_EQ(nearest.block, (Shape{128, 1, 1}));
}

TEST(Chooser, AnUnknownDeviceNeedsItsValues) {
  const Chooser chooser = chooser_of(kSaxpyProgram);
  EXPECT_EQ(chooser.device("NVIDIA H200", 9, 0), 0);
  EXPECT_EQ(chooser.device("NVIDIA H200", 8, 0), -1);
  EXPECT_EQ(chooser.device("h200", 9, 0), 0);
  EXPECT_EQ(chooser.device("NVIDIA H20", 9, 0), -1);
  EXPECT_EQ(chooser.device("NVIDIA H200 NVL", 9, 0), 0);
  const double inputs[] = {40};
  const Choice choice = choice_for(chooser, 4096, -1, inputs);
  EXPECT_EQ(choice.grade, Grade::kUnknownDevice);
  EXPECT_DOUBLE_EQ(choice.predicted_us, 2 + 1.5 * 16 / 40);
  Choice none;
  const std::int64_t sizes[] = {4096};
  EXPECT_FALSE(chooser.choose({.sizes = sizes, .device = -1}, none));
  EXPECT_FALSE(chooser.choose({.sizes = sizes, .device = 1}, none));
  EXPECT_FALSE(chooser.choose({.sizes = {}, .device = 0}, none));
}

TEST(Chooser, ConstraintsAndLimitsHold) {
  const Chooser chooser = chooser_of(kSaxpyProgram);
  EXPECT_EQ(choice_for(chooser, 100).block, (Shape{32, 1, 1}));
  std::string bounded = kSaxpyProgram;
  bounded.replace(bounded.find("max_threads 1024"), 16, "max_threads 128");
  EXPECT_EQ(choice_for(chooser_of(bounded), 4096).block, (Shape{128, 1, 1}));
  EXPECT_EQ(choice_for(chooser_of(bounded), 2000000).block, (Shape{128, 1, 1}));

  std::string required = kSaxpyProgram;
  required.replace(required.find("required_block 0"), 16, "required_block 64");
  Choice none;
  const std::int64_t sizes[] = {4096};
  EXPECT_FALSE(chooser_of(required).choose({.sizes = sizes, .device = 0}, none));
  const std::int64_t zero[] = {0};  // no grid has 0 blocks
  EXPECT_FALSE(chooser.choose({.sizes = zero, .device = 0}, none));
}

TEST(Chooser, OneShapeIsApplied) {
  const Chooser chooser = chooser_of(kSaxpyProgram);
  const std::int64_t sizes[] = {1000};
  Choice choice;
  ASSERT_TRUE(chooser.apply({.sizes = sizes, .device = 0, .smem = 96}, 1, choice));
  EXPECT_EQ(choice.grid, (Shape{8, 1, 1}));
  EXPECT_EQ(choice.shared_bytes, 96u);
  EXPECT_FALSE(chooser.apply({.sizes = sizes, .device = 0}, 3, choice));
}

TEST(Chooser, AllocatesNothing) {
  const Chooser chooser = chooser_of(kSaxpyProgram);
  const Result<SizeReader> reader = SizeReader::prepare(chooser.program());
  ASSERT_TRUE(reader.ok());
  const std::int32_t n = 4096;
  const void* arguments[] = {&n, &n, &n, &n};
  std::int64_t sizes[1] = {};
  const double inputs[] = {40};
  Choice choice;
  const long before = allocations;
  bool chosen = true;
  for (const int device : {-1, 0}) {
    chosen = chosen && reader->read(arguments, {}, sizes);
    chosen = chosen && chooser.choose({.sizes = sizes, .device = device, .inputs = inputs}, choice);
    sizes[0] = 5000000;  // outside the domain
    chosen = chosen && chooser.choose({.sizes = sizes, .device = device, .inputs = inputs}, choice);
    sizes[0] = 0;  // no shape
    chosen =
        chosen && !chooser.choose({.sizes = sizes, .device = device, .inputs = inputs}, choice);
  }
  const long after = allocations;
  EXPECT_TRUE(chosen);
  EXPECT_EQ(after, before);
}

TEST(SizeReader, ReadsArgumentsOfEveryType) {
  std::string text = kSaxpyProgram;
  text.replace(
      text.find("size n = arg0_i32"), 17,
      "size n = arg0_i32 + 2 * arg1_u32\nsize m = arg2_at4_u32\nsize k = arg3_i64 * block_x");
  const Result<RationalProgram> program = parse_rational_program(text);
  ASSERT_TRUE(program.ok()) << program.error().message;
  const Result<SizeReader> reader = SizeReader::prepare(*program);
  ASSERT_TRUE(reader.ok());
  const std::int32_t a = -5;
  const std::uint32_t b = 4000000000u;
  const std::uint32_t c[2] = {1, 77};
  std::int64_t d = 3;
  const void* arguments[] = {&a, &b, c, &d};
  std::int64_t sizes[3] = {};
  ASSERT_TRUE(reader->read(arguments, {.block = {64, 1, 1}}, sizes));
  EXPECT_EQ(sizes[0], 8000000000 - 5);
  EXPECT_EQ(sizes[1], 77);
  EXPECT_EQ(sizes[2], 192);
  d = 0;
  EXPECT_FALSE(reader->read(arguments, {}, sizes));  // a size of 0
  EXPECT_FALSE(reader->read(std::span(arguments, 2), {}, sizes));
}

}  // namespace
}  // namespace burin::formula
