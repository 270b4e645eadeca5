#include "jobs/compare_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace burin::jobs {
namespace {

using testing::ElementsAre;

const std::string kTranspose = BURIN_SOURCE_DIR "/examples/transpose.sm_90.cubin";

PredictRequest launch_of_32() {
  PredictRequest request;
  request.launch.grid = "32,32";
  request.launch.block = "32,8";
  request.launch.arguments = {"buf:4M:f32", "buf:4M:undef", "i32:1024"};
  request.machine = "h200";
  return request;
}

Result<Comparison> compared(const std::vector<std::string>& names) {
  std::vector<VersionRequest> requests;
  for (const std::string& name : names) requests.push_back(parse_version(name, launch_of_32()));
  return compare_versions(requests, {});
}

TEST(CompareVersions, ANameIsAFileAndAKernel) {
  const VersionRequest plain = parse_version(kTranspose, {});
  EXPECT_EQ(plain.request.launch.source.file, kTranspose);
  EXPECT_FALSE(plain.request.launch.source.kernel);
  const VersionRequest kernel = parse_version(kTranspose + ":space::copy<int>", {});
  EXPECT_EQ(kernel.request.launch.source.file, kTranspose);
  EXPECT_EQ(kernel.request.launch.source.kernel, "space::copy<int>");
}

TEST(CompareVersions, TheFasterOfTwoIsNamed) {
  const Result<Comparison> found =
      compared({kTranspose + ":transpose", kTranspose + ":transpose_padded"});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_THAT(found->order, ElementsAre(1, 0));
  EXPECT_EQ(found->versions[1].verdict, timing::Verdict::kFaster);
  EXPECT_EQ(found->versions[0].verdict, timing::Verdict::kSlower);
  EXPECT_GT(found->versions[0].to_best.low, 1);
  EXPECT_THAT(found->contenders(), ElementsAre(1));
}

TEST(CompareVersions, TheSameCodeIsTheSame) {
  const Result<Comparison> found = compared({kTranspose + ":transpose", kTranspose + ":transpose"});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->versions[1].verdict, timing::Verdict::kSame);
  EXPECT_EQ(found->contenders().size(), 2u);
}

TEST(CompareVersions, AVersionWithoutAPredictionIsToldOf) {
  const Result<Comparison> found = compared({kTranspose + ":transpose", kTranspose + ":nothing"});
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->order, ElementsAre(0));
  EXPECT_THAT(found->versions[1].problem, testing::HasSubstr("nothing"));
  EXPECT_FALSE(compared({kTranspose + ":nothing", "no.cubin"}).ok());
  EXPECT_FALSE(compared({kTranspose}).ok());
}

}  // namespace
}  // namespace burin::jobs
