// Is a launch that is cut out complete, and free of what was to be left out?
#include "capture/cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "capture/recorded_program.h"
#include "read/binary/image.h"

namespace burin::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CaptureCut, HasAllOfTheLaunch) {
  const RecordedProgram program;
  const Result<capture::Capture> whole = program.assembled();
  ASSERT_TRUE(whole);
  const std::string path = program.folder() + "/cut.burin";
  ASSERT_TRUE(cut_capture(*whole, whole->launches()[1], {}, path));
  const Result<capture::Capture> cut = capture::Capture::open(path);
  ASSERT_TRUE(cut) << cut.error().message;
  ASSERT_EQ(cut->launches().size(), 1u);
  const capture::CapturedLaunch& launch = cut->launches()[0];
  EXPECT_EQ(launch.number, 2u);
  EXPECT_EQ(launch.duration_ns, 5'000u);
  EXPECT_TRUE(launch.has_memory);
  EXPECT_EQ(*cut->cubin(1), program.cubin());
  EXPECT_EQ(cut->memory(1)->before.size(), 3u);
  EXPECT_EQ(cut->memory(1)->after.size(), 1u);
  EXPECT_EQ(cut->arguments(1)->allocations.size(), 3u);
  EXPECT_EQ(cut->profile(1)->total(), 111);
  EXPECT_EQ(cut->stack(launch.stack)->at(0).symbol, "main");
  EXPECT_EQ(cut->gpu(launch.gpu)->name, "NVIDIA H200");
}

TEST(CaptureCut, LeavesOutMemoryAndSource) {
  const RecordedProgram program;
  const Result<capture::Capture> whole = program.assembled();
  ASSERT_TRUE(whole);
  const std::string path = program.folder() + "/cut.burin";
  ASSERT_TRUE(cut_capture(*whole, whole->launches()[1],
                          {.strip_memory = true, .strip_source = true}, path));
  const Result<capture::Capture> cut = capture::Capture::open(path);
  ASSERT_TRUE(cut) << cut.error().message;
  EXPECT_FALSE(cut->launches()[0].has_memory);
  EXPECT_EQ(cut->launches()[0].stack, 0u);
  EXPECT_TRUE(cut->processes()[0].command.empty());
  const Result<std::vector<std::uint8_t>> cubin = cut->cubin(1);
  ASSERT_TRUE(cubin);
  const Result<read::Image> image = read::read_cubin(*cubin, std::nullopt);
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_TRUE(image->files.empty());
  ASSERT_EQ(image->functions.size(), 1u);
  EXPECT_TRUE(image->functions[0].lines.empty());
  EXPECT_THAT(std::string(cubin->begin(), cubin->end()), Not(HasSubstr("vector_add.cu")));
  EXPECT_THAT(std::string(program.cubin().begin(), program.cubin().end()),
              HasSubstr("vector_add.cu"));
  EXPECT_THAT(contents(path), Not(HasSubstr("/home/user")));
  EXPECT_THAT(contents(path), Not(HasSubstr("laptop")));
  EXPECT_THAT(contents(path), Not(HasSubstr("app.burin")));
}

TEST(CaptureCut, StripsNothingFromWhatIsNoElf) {
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  EXPECT_EQ(capture::strip_source(bytes), bytes);
}

}  // namespace
}  // namespace burin::test
