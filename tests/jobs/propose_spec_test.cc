// Does the proposed spec say what the recorded launches have in common, and what they leave open?
#include "jobs/fit/propose_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace burin::jobs {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

template <typename T>
ObservedArgument number(T value) {
  ObservedArgument argument{.bytes = std::vector<std::uint8_t>(sizeof(T))};
  std::memcpy(argument.bytes.data(), &value, sizeof(T));
  return argument;
}

ObservedArgument buffer(std::uint64_t bytes) {
  ObservedArgument argument = number(std::uint64_t{0x7f0000000000});
  argument.buffer_bytes = bytes;
  return argument;
}

// image(in, out, width, height, factor): a thread per pixel.
ObservedLaunch image(int width, int height) {
  const auto pixels = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  return {.grid = {static_cast<std::uint32_t>((width + 31) / 32),
                   static_cast<std::uint32_t>((height + 7) / 8)},
          .block = {32, 8},
          .arguments = {buffer(4 * pixels), buffer(pixels), number(width), number(height),
                        number(0.5f)}};
}

TEST(ProposeSpec, FindsSizesGridAndBuffers) {
  const std::vector<ObservedLaunch> launches = {image(640, 480), image(1920, 1080), image(99, 70)};
  const Result<ProposedSpec> spec = propose_spec("image", "image.cubin", launches);
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  EXPECT_THAT(spec->text, HasSubstr("source = \"image.cubin\""));
  EXPECT_THAT(spec->text, HasSubstr("{ n2 = 99, n3 = 70 },\n  { n2 = 640, n3 = 480 }"));
  EXPECT_THAT(spec->text,
              HasSubstr("grid = [\"ceildiv(n2, block_size_x)\", \"ceildiv(n3, block_size_y)\", "
                        "\"1\"]"));
  EXPECT_THAT(spec->text, HasSubstr("block = [\"block_size_x\", \"block_size_y\"]"));
  EXPECT_THAT(spec->text, HasSubstr("\"buf:{4*n2*n3}:zero\",\n  \"buf:{1*n2*n3}:zero\""));
  EXPECT_THAT(spec->text, HasSubstr("\"i32:{n2}\",\n  \"i32:{n3}\",\n  \"i32:1056964608\""));
}

TEST(ProposeSpec, SeveralResultsPerThreadAndAStrideAreSeen) {
  std::vector<ObservedLaunch> launches;
  for (const int n : {1000, 5000, 40000}) {
    launches.push_back(
        {.grid = {static_cast<std::uint32_t>((n + 1023) / 1024)},
         .block = {256},
         .arguments = {number(n), number(2 * n), buffer(8 * static_cast<std::uint64_t>(n))}});
  }
  const Result<ProposedSpec> spec = propose_spec("k", "k.cubin", launches);
  ASSERT_TRUE(spec.ok());
  EXPECT_THAT(spec->text, HasSubstr("ceildiv(n0, 4 * block_size_x)"));
  EXPECT_THAT(spec->text, HasSubstr("\"i32:{2*n0}\""));
  EXPECT_THAT(spec->text, HasSubstr("\"buf:{8*n0}:zero\""));
}

TEST(ProposeSpec, SquaresAreToldAndAnOtherSizeIsKept) {
  std::vector<ObservedLaunch> launches = {image(512, 512), image(1024, 1024)};
  launches[0].arguments.push_back(number(100));
  launches[1].arguments.push_back(number(77));
  const Result<ProposedSpec> spec = propose_spec("image", "image.cubin", launches);
  ASSERT_TRUE(spec.ok());
  EXPECT_THAT(spec->notes, Contains(HasSubstr("arguments 2 and 3 are equal in all launches")));
  EXPECT_THAT(spec->text, HasSubstr("n5 = 77"));
}

TEST(ProposeSpec, AGridThatNoArgumentExplainsIsAnError) {
  std::vector<ObservedLaunch> launches = {image(640, 480), image(1920, 1080)};
  launches[0].grid.x = 3;
  const Result<ProposedSpec> spec = propose_spec("image", "image.cubin", launches);
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().message, HasSubstr("along x"));
  EXPECT_FALSE(propose_spec("image", "image.cubin", {}).ok());
}

TEST(ProposeSpec, OneLaunchOfPersistentBlocksIsNoGround) {
  const std::vector<ObservedLaunch> launches = {
      {.grid = {264}, .block = {256}, .arguments = {buffer(4096)}}};
  const Result<ProposedSpec> spec = propose_spec("k", "k.cubin", launches);
  ASSERT_FALSE(spec.ok());
  EXPECT_THAT(spec.error().message, HasSubstr("no argument explains the grid"));
}

}  // namespace
}  // namespace burin::jobs
