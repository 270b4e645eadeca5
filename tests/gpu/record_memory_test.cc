// --memory: the contents of a launch's buffers, on a fake driver with a fake CUPTI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/assemble/assemble.h"
#include "capture/capture.h"
#include "capture/rebuilt_launch.h"
#include "gpu/record/floating_point.h"
#include "gpu/record/pages.h"
#include "gpu/recorded_run.h"

namespace burin::gpu {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class RecordMemoryTest : public RecordTest {
 protected:
  static std::vector<capture::SpoolMemory> told(const Spool& spool, bool after) {
    std::vector<capture::SpoolMemory> found;
    for (const capture::SpoolMemory& memory : spool.all<capture::SpoolMemory>()) {
      if ((memory.moment == capture::SpoolMemory::kAfter) == after) found.push_back(memory);
    }
    return found;
  }
};

TEST_F(RecordMemoryTest, OfTheChosenLaunch) {
  settings_.memory = {{"vector_add", 2}};
  const Spool spool = record({"launch", "ex", "launch"});
  EXPECT_THAT(told(spool, false), SizeIs(3));
  EXPECT_THAT(told(spool, true), IsEmpty());  // the first launch had left the same sums
  for (const capture::SpoolMemory& memory : spool.all<capture::SpoolMemory>()) {
    EXPECT_EQ(memory.launch, 2u);
    ASSERT_THAT(memory.contents, SizeIs(1));
    EXPECT_EQ(spool.content(memory.contents[0]).size(), 1024u);
  }
}

TEST_F(RecordMemoryTest, WhatTheLaunchChanged) {
  settings_.memory = {{"vector_add", 1}};
  const Spool spool = record({"launch"});
  const std::vector<capture::SpoolMemory> changed = told(spool, true);
  ASSERT_THAT(changed, SizeIs(1));
  EXPECT_EQ(changed[0].address, spool.all<capture::SpoolLaunch>()[0].allocations[2].address);
  float sum = 0;
  std::memcpy(&sum, spool.content(changed[0].contents[0]).data() + 4 * 10, 4);
  EXPECT_EQ(sum, 11);
  const auto kind_at = [&](std::size_t index) { return spool.records[index].index(); };
  std::size_t launch_at = 0, memory_at = 0;  // a launch is told before its memory
  for (std::size_t i = 0; i < spool.records.size(); ++i) {
    if (kind_at(i) == capture::SpoolRecord(capture::SpoolLaunch{}).index()) launch_at = i;
    if (memory_at == 0 && kind_at(i) == capture::SpoolRecord(capture::SpoolMemory{}).index())
      memory_at = i;
  }
  EXPECT_LT(launch_at, memory_at);
}

// Three launches work in an allocation of four pages, one of which the first of them changes.
TEST_F(RecordMemoryTest, PagesThatStayTheSameAreWrittenOnce) {
  settings_.memory = {{"vector_add", MemoryWish::kAll}};
  const Spool spool = record({"pool", "launch", "launch", "launch"});
  EXPECT_THAT(spool.all<capture::SpoolContent>(), SizeIs(5));
  const std::vector<capture::SpoolMemory> before = told(spool, false), after = told(spool, true);
  ASSERT_THAT(before, SizeIs(3));
  ASSERT_THAT(after, SizeIs(1));
  EXPECT_EQ(before[0].size, 4u * capture::kSpoolPageBytes);
  EXPECT_THAT(before[0].contents, ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(after[0].contents, ElementsAre(0, 0, 5, 0));
  EXPECT_THAT(before[1].contents, ElementsAre(1, 2, 5, 4));
  EXPECT_THAT(before[2].contents, ElementsAre(1, 2, 5, 4));
}

TEST_F(RecordMemoryTest, PagesBecomeTheMemoryOfTheCapture) {
  settings_.memory = {{"vector_add", MemoryWish::kAll}};
  const Spool spool = record({"pool", "launch", "launch"});
  const std::string file = folder_->path() + "/app.burin";
  ASSERT_TRUE(capture::assemble_capture(folder_->path(), file, {}, {}));
  const Result<capture::Capture> capture = capture::Capture::open(file);
  ASSERT_TRUE(capture);
  const Result<capture::CapturedMemory> first = capture->memory(1), second = capture->memory(2);
  ASSERT_TRUE(first && second);
  ASSERT_THAT(first->before, SizeIs(4));
  ASSERT_THAT(first->after, SizeIs(1));
  EXPECT_EQ(first->after[0].address, first->before[0].address + 2 * capture::kSpoolPageBytes);
  ASSERT_THAT(second->before, SizeIs(4));
  EXPECT_THAT(second->after, IsEmpty());
  EXPECT_EQ(second->before[2].bytes, first->after[0].bytes);
  EXPECT_NE(second->before[2].bytes, first->before[2].bytes);
}

TEST_F(RecordMemoryTest, AutomaticallyOfEachShapeOnce) {
  settings_.memory = {parse_memory_wish("auto")};
  const Spool spool = record({"launch", "launch", "launch"});
  const std::vector<capture::SpoolMemory> before = told(spool, false);
  ASSERT_THAT(before, SizeIs(3));  // small buffers, whatever is in them
  for (const capture::SpoolMemory& memory : before) EXPECT_EQ(memory.launch, 1u);
  EXPECT_THAT(told(spool, true), SizeIs(1));
  EXPECT_THAT(spool.all<capture::SpoolProblem>(), IsEmpty());
}

TEST_F(RecordMemoryTest, AutomaticallyNoMoreThanTheLimitInTotal) {
  settings_.memory = {parse_memory_wish("auto")};
  settings_.memory_limit = 1024;
  const Spool spool = record({"launch", "ex"});  // of two shapes
  EXPECT_THAT(told(spool, false), SizeIs(1));    // one of three buffers of 1024 bytes
  EXPECT_THAT(spool.all<capture::SpoolLaunch>(), SizeIs(2));
  ASSERT_THAT(spool.all<capture::SpoolProblem>(), SizeIs(1));
  EXPECT_EQ(spool.all<capture::SpoolProblem>()[0].launch, 2u);
}

TEST(RecordFloatingPointTest, TellsItFromEverythingElse) {
  const auto holds = [](const auto& numbers) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(numbers.data());
    return holds_floating_point({first, numbers.size() * sizeof(numbers[0])});
  };
  std::vector<float> floats;
  std::vector<double> doubles;
  std::vector<std::uint32_t> indices;
  std::vector<std::uint64_t> pointers;
  std::vector<std::uint8_t> pixels, masks;
  std::vector<std::uint16_t> halves;
  for (std::uint32_t i = 0; i < 4096; ++i) {
    const std::uint32_t random = i * 2654435761u;
    floats.push_back(i % 7 == 0 ? 0.0f : static_cast<float>(random % 1000) / 250 - 2);
    doubles.push_back(static_cast<double>(random % 1000) / 250 - 2);
    indices.push_back(6000 + i * 4);
    pointers.push_back(0x7f3200000000 + random / 4096 * 512);
    pixels.push_back(static_cast<std::uint8_t>(random >> 24));
    masks.push_back(static_cast<std::uint8_t>(random >> 31));
    halves.push_back(static_cast<std::uint16_t>((random >> 31) << 15 | (11 + random % 6) << 10 |
                                                (random >> 10) % 1024));
  }
  EXPECT_TRUE(holds(floats));
  EXPECT_TRUE(holds(doubles));
  EXPECT_TRUE(holds(halves));
  EXPECT_FALSE(holds(indices));  // as half precision they would be ordinary numbers
  EXPECT_FALSE(holds(pointers));
  EXPECT_FALSE(holds(pixels));
  EXPECT_FALSE(holds(masks));
  EXPECT_FALSE(holds(std::vector<std::uint32_t>(100, 0)));
}

TEST_F(RecordMemoryTest, OverTheLimitIsLeftOutAndTold) {
  settings_.memory = {{"vector_add", 1}};
  settings_.memory_limit = 3000;
  const Spool spool = record({"launch"});
  EXPECT_THAT(spool.all<capture::SpoolMemory>(), IsEmpty());
  ASSERT_THAT(spool.all<capture::SpoolProblem>(), SizeIs(1));
  EXPECT_EQ(spool.all<capture::SpoolProblem>()[0].count, 3072u);
}

TEST(RecordPagesTest, NoMoreIsKeptThanAllowed) {
  const auto folder = *measure::ScratchFolder::make();
  capture::SpoolWriter out;
  ASSERT_TRUE(out.create(folder->path() + "/a.spool"));
  Pages pages(out, 200);
  const std::vector<std::uint8_t> one(100, 1), other(100, 2);
  EXPECT_EQ(pages.number(0x1000, one), 1u);
  EXPECT_EQ(pages.number(0x2000, one), 2u);
  EXPECT_EQ(pages.number(0x1000, one), 1u);
  EXPECT_EQ(pages.number(0x3000, other), 3u);  // the others are forgotten
  EXPECT_EQ(pages.number(0x1000, one), 4u);
  EXPECT_EQ(pages.number(0x3000, other), 3u);
}

// The kernel gets the handle of a texture object, and reads memory to which no argument points.
TEST_F(RecordMemoryTest, WhatATextureObjectReadsIsRecorded) {
  settings_.memory = {{"vector_add", MemoryWish::kAll}};
  const Spool spool = record({"launch", "texture", "launch"});
  const auto launches = spool.all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(2));
  // The first launch had the pointer.
  EXPECT_EQ(launches[1].allocations.size(), 3u);
  EXPECT_NE(launches[1].arguments, launches[0].arguments);

  const std::string file = folder_->path() + "/app.burin";
  ASSERT_TRUE(capture::assemble_capture(folder_->path(), file, {}, {}));
  const Result<capture::Capture> capture = capture::Capture::open(file);
  ASSERT_TRUE(capture);
  EXPECT_THAT(*capture->textures(capture->launches()[0]), IsEmpty());  // created later
  const Result<read::Image> image = read::read_cubin(*capture->cubin(1), std::nullopt);
  const Result<capture::RebuiltLaunch> rebuilt =
      capture::rebuild_launch(*capture, capture->launches()[1], image->functions[0]);
  ASSERT_TRUE(rebuilt) << rebuilt.error().message;
  ASSERT_THAT(rebuilt->launch.textures, SizeIs(1));
  const launch::Texture& texture = rebuilt->launch.textures[0];
  EXPECT_EQ(texture.handle, 1u);
  EXPECT_EQ(texture.width, 256u);
  EXPECT_EQ(texture.height, 0u);
  EXPECT_EQ(texture.texel_bytes, 4u);
  EXPECT_FALSE(texture.is_array);
  EXPECT_FALSE(texture.is_normalized);
  EXPECT_EQ(rebuilt->launch.arguments[1].text, "u64:1");
  const auto memory =
      std::ranges::find(rebuilt->launch.memory, texture.address, &launch::PlacedBuffer::address);
  ASSERT_NE(memory, rebuilt->launch.memory.end());
  EXPECT_EQ(memory->buffer.contents(), launch::Contents::kKnown);
}

TEST_F(RecordMemoryTest, AnArrayHasAnAddressOfItsOwnAndNoContents) {
  settings_.memory = {{"vector_add", MemoryWish::kAll}};
  const Spool spool = record({"texture_array", "launch"});
  const auto textures = spool.all<capture::SpoolTexture>();
  ASSERT_THAT(textures, SizeIs(1));
  EXPECT_EQ(textures[0].width, 100u);
  EXPECT_EQ(textures[0].height, 20u);
  EXPECT_EQ(textures[0].pitch, 400u);
  EXPECT_EQ(textures[0].is_array, 1u);
  EXPECT_EQ(textures[0].is_normalized, 1u);
  const auto launches = spool.all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(1));
  ASSERT_THAT(launches[0].allocations, SizeIs(3));
  EXPECT_EQ(launches[0].allocations.back().address, textures[0].address);
  EXPECT_EQ(launches[0].allocations.back().size, 7u * 3 * 512);  // in tiles
  EXPECT_THAT(told(spool, false), SizeIs(2));
}

}  // namespace
}  // namespace burin::gpu
