// Is a capture that is no capture, or not whole, refused in words? Do launches have names?
#include "capture/capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "capture/buffer_reuse.h"
#include "capture/groups.h"
#include "capture/rebuilt_launch.h"
#include "capture/recorded_program.h"
#include "capture/schema.h"
#include "capture/writer.h"

namespace burin::test {
namespace {

using testing::HasSubstr;

TEST(Capture, RefusesWhatIsNoneInWords) {
  const RecordedProgram program;
  const std::string path = program.folder() + "/other";
  std::ofstream(path) << "no capture";
  const Result<capture::Capture> text = capture::Capture::open(path);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, path + ": is not a capture, or its header is damaged");
  std::vector<const char*> newer(capture::kCaptureFile.steps.begin(),
                                 capture::kCaptureFile.steps.end());
  newer.push_back("CREATE TABLE future(id)");
  const store::FileKind future{capture::kCaptureFile.noun, capture::kCaptureFile.mark, newer};
  {
    Result<store::Database> made = store::Database::create(path, future);
    ASSERT_TRUE(made && made->finish());
  }
  const Result<capture::Capture> too_new = capture::Capture::open(path);
  ASSERT_FALSE(too_new);
  EXPECT_THAT(too_new.error().message, HasSubstr("install a newer burin"));
}

// Files that people have stay readable, whatever the version becomes.
TEST(Capture, ReadsTheFirstVersion) {
  const Result<capture::Capture> capture =
      capture::Capture::open(BURIN_SOURCE_DIR "/tests/data/capture/vector_add.v1.burin");
  ASSERT_TRUE(capture) << capture.error().message;
  ASSERT_EQ(capture->launches().size(), 3u);
  EXPECT_EQ(capture->launches()[1].duration_ns, 5'000u);
  EXPECT_EQ(capture->cubin(1)->size(), capture->modules()[0].size);
  EXPECT_EQ(capture->memory(2)->before.size(), 3u);
  EXPECT_EQ(capture->profile(1)->total(), 111);
}

TEST(Capture, RefusesATruncatedOneInWords) {
  const RecordedProgram program;
  ASSERT_TRUE(program.assembled());
  std::filesystem::resize_file(program.capture(),
                               std::filesystem::file_size(program.capture()) / 2);
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_FALSE(capture);
  EXPECT_THAT(capture.error().message, HasSubstr("is truncated"));
}

// Listed numbers are places in lists, so none may lead outside.
TEST(Capture, RefusesListsThatDoNotFitTogether) {
  const RecordedProgram program;
  Result<capture::CaptureWriter> writer = capture::CaptureWriter::create(program.capture());
  ASSERT_TRUE(writer);
  writer->add(capture::CapturedProcess{});
  writer->add(capture::CapturedLaunch{.process = 1, .number = 1, .kernel = 7}, {});
  ASSERT_TRUE(writer->finish());
  const Result<capture::Capture> capture = capture::Capture::open(program.capture());
  ASSERT_FALSE(capture);
  EXPECT_THAT(capture.error().message, HasSubstr("its tables are inconsistent"));
}

TEST(Capture, DamagedPagesCostASentenceAndNoMore) {
  const RecordedProgram program;
  ASSERT_TRUE(program.assembled());
  std::ifstream in(program.capture(), std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(in), {}};
  unsigned refused = 0;
  for (std::size_t at = 100; at < whole.size(); at += 509) {
    std::string damaged = whole;
    for (std::size_t k = at; k < std::min(at + 64, whole.size()); ++k) damaged[k] ^= 0x5a;
    const std::string path = program.folder() + "/damaged";
    std::ofstream(path, std::ios::binary) << damaged;
    const Result<capture::Capture> capture = capture::Capture::open(path);
    if (!capture) {
      EXPECT_FALSE(capture.error().message.empty());
      ++refused;
      continue;
    }
    for (const capture::CapturedLaunch& launch : capture->launches()) {
      (void)capture->arguments(launch.id);
      (void)capture->memory(launch.id);
    }
    for (const capture::CapturedModule& module : capture->modules())
      (void)capture->cubin(module.id);
  }
  EXPECT_GT(refused, 0u);
}

TEST(Capture, LaunchesHaveNumbersAndNames) {
  const RecordedProgram program;
  const Result<capture::Capture> capture = program.assembled();
  ASSERT_TRUE(capture);
  const auto id = [&](const char* which) {
    const Result<const capture::CapturedLaunch*> found = find_launch(*capture, which);
    return found ? (*found)->id : 0;
  };
  EXPECT_EQ(id("2"), 2u);
  EXPECT_EQ(id("vector_add"), 1u);
  EXPECT_EQ(id("vector#3"), 3u);
  EXPECT_THAT(find_launch(*capture, "").error().message,
              HasSubstr("contains 3 launches; select one"));
  EXPECT_THAT(find_launch(*capture, "4").error().message, HasSubstr("numbered 1 to 3"));
  EXPECT_THAT(find_launch(*capture, "gemm").error().message, HasSubstr("no launch of a kernel"));
  EXPECT_THAT(find_launch(*capture, "vector#9").error().message, HasSubstr("has 3 launches"));
}

TEST(Capture, ANameIsSplitBehindTheFile) {
  const RecordedProgram program;
  std::ofstream(program.folder() + "/odd:name") << "x";
  EXPECT_EQ(capture::parse_capture_name(program.folder() + "/odd:name").launch, "");
  const capture::CaptureName name = capture::parse_capture_name(program.folder() + "/odd:name:17");
  EXPECT_EQ(name.file, program.folder() + "/odd:name");
  EXPECT_EQ(name.launch, "17");
  EXPECT_EQ(capture::parse_capture_name("missing").file, "missing");
}

TEST(CaptureGroups, EqualLaunchesAreOneGroup) {
  const RecordedProgram program;
  const Result<capture::Capture> capture = program.assembled();
  ASSERT_TRUE(capture);
  const Result<std::vector<capture::LaunchGroup>> groups = group_launches(*capture);
  ASSERT_TRUE(groups);
  ASSERT_EQ(groups->size(), 2u);
  EXPECT_EQ((*groups)[0].launches.size(), 2u);
  EXPECT_EQ((*groups)[0].median_us, 4);
  EXPECT_EQ((*groups)[0].example->id, 2u);  // the one with memory
  EXPECT_EQ((*groups)[1].median_us, 0);
  EXPECT_TRUE((*groups)[0].is_warm);  // the second launch of all
  EXPECT_TRUE((*groups)[1].is_warm);
}

capture::CapturedArguments pointers(std::initializer_list<std::uint64_t> to) {
  capture::CapturedArguments arguments{.bytes = std::vector<std::uint8_t>(8 * to.size()),
                                       .allocations = {}};
  std::uint32_t offset = 0;
  for (const std::uint64_t pointer : to) {
    std::memcpy(arguments.bytes->data() + offset, &pointer, 8);
    arguments.allocations.push_back({offset, 0x1000, 0x10000, 0});
    offset += 8;
  }
  return arguments;
}

capture::CapturedGpu gpu_with_l2(std::uint64_t id, std::uint64_t bytes) {
  capture::CapturedGpu gpu;
  gpu.id = id;
  gpu.l2_bytes = bytes;
  return gpu;
}

std::vector<capture::Reuse> reuse_of(const std::vector<capture::CapturedArguments>& arguments,
                                     const std::vector<std::uint64_t>& gpus,
                                     std::optional<std::uint64_t> duration_ns = std::nullopt) {
  std::vector<capture::CapturedLaunch> launches;
  for (const std::uint64_t gpu : gpus) {
    launches.push_back({.id = launches.size() + 1, .gpu = gpu, .duration_ns = duration_ns});
  }
  return capture::find_reuse({gpu_with_l2(1, 0x8000), gpu_with_l2(2, 0x8000)}, launches, arguments,
                             std::vector<bool>(launches.size(), true));
}

TEST(BufferReuse, IsOfOneGpu) {
  const capture::CapturedArguments one = pointers({0x1000, 0x1000});
  const std::vector<capture::Reuse> reuse = reuse_of({one, one, one}, {1, 2, 1});
  EXPECT_FALSE(reuse[0].is_warm());
  EXPECT_FALSE(reuse[1].is_warm());
  EXPECT_TRUE(reuse[2].is_warm());
}

TEST(BufferReuse, EndsWhereHalfACacheFullOfOtherDataCameBetween) {
  // Four buffers of 0x2000 bytes in one allocation, and what is left of it.
  std::vector<capture::CapturedArguments> launches;
  for (const std::uint64_t at : {0x1000, 0x3000, 0x1000, 0x5000, 0x7000, 0x1000, 0x9000, 0x1000}) {
    launches.push_back(pointers({at}));
  }
  const std::vector<capture::Reuse> reuse = reuse_of(launches, {1, 1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(reuse[0].share, 0);
  EXPECT_EQ(reuse[2].share, 1) << "0x2000 bytes came between";
  EXPECT_EQ(reuse[5].share, 1) << "0x4000 bytes came between, as much as half of the cache holds";
  EXPECT_EQ(reuse[7].share, 0) << "the rest of the allocation came between";
  ASSERT_EQ(reuse[2].recent.size(), 2u);
  EXPECT_EQ(reuse[2].recent[0], (launch::RecentUse{0x1000, 0x2000, 1})) << "oldest first";
  EXPECT_EQ(reuse[2].recent[1], (launch::RecentUse{0x3000, 0x2000, 2}));
}

TEST(BufferReuse, NoLaunchUsesMoreThanTheCacheDeliversInItsTime) {
  const capture::CapturedArguments one = pointers({0x1000});
  const std::vector<capture::Reuse> reuse = reuse_of({one, one}, {1, 1}, 1);
  ASSERT_EQ(reuse[1].recent.size(), 1u);
  EXPECT_EQ(reuse[1].recent[0].bytes, 9000u) << "in a nanosecond";
}

}  // namespace
}  // namespace burin::test
