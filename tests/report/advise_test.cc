// Does the text of advice keep its columns?
#include "report/advice/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/advise.h"

namespace burin::report {
namespace {

jobs::AdviseRequest transpose() {
  jobs::AdviseRequest request;
  request.predict.launch = {
      .source = {.file = BURIN_SOURCE_DIR "/examples/transpose.sm_90.cubin", .kernel = "transpose"},
      .grid = "8,8",
      .block = "32,8",
      .arguments = {"buf:256K:f32", "buf:256K:undef", "i32:256"}};
  return request;
}

std::string text_of(jobs::AdvisedLaunch& launch) {
  std::string text;
  Output out([&](std::string_view part) { return text += part, true; });
  write_advice(out, report_of(launch, "a.cubin"));
  out.flush();
  return text;
}

TEST(AdviseText, AWideSpeedupDoesNotTouchTheRule) {
  const jobs::AdviseRequest request = transpose();
  const auto prepared = jobs::prepare_advice(request);
  ASSERT_TRUE(prepared) << prepared.error().message;
  const auto advised = jobs::advise_launches(request, **prepared, {});
  ASSERT_TRUE(advised) << advised.error().message;
  jobs::AdvisedLaunch& launch = *advised->launches.front();
  ASSERT_FALSE(launch.advice.findings.empty());
  const std::string rule = launch.advice.findings[0].rule;
  for (const auto& [speedup, head] : {std::pair(2.35, "\n1  2.35×  "),
                                      {64.64, "\n1  64.64×  "},
                                      {646.39, "\n1  646.39×  "},
                                      {12345.67, "\n1  12345.67×  "}}) {
    launch.advice.findings[0].speedup = speedup;
    const std::string text = text_of(launch);
    EXPECT_THAT(text, testing::HasSubstr(head + rule + "  ")) << text;
  }
}

// The text of the first finding alone, with this speedup.
std::string with_gain(double speedup, std::optional<std::size_t> top) {
  jobs::AdviseRequest request = transpose();
  request.top = top;
  const auto prepared = jobs::prepare_advice(request);
  if (!prepared) return prepared.error().message;
  const auto advised = jobs::advise_launches(request, **prepared, {});
  if (!advised) return advised.error().message;
  jobs::AdvisedLaunch& launch = *advised->launches.front();
  launch.advice.findings.resize(1);
  launch.advice.findings[0].speedup = speedup;
  return text_of(launch);
}

TEST(AdviseText, TheOnlyEstimateIsNamedOnce) {
  const jobs::AdviseRequest request = transpose();
  const auto prepared = jobs::prepare_advice(request);
  ASSERT_TRUE(prepared) << prepared.error().message;
  const auto advised = jobs::advise_launches(request, **prepared, {});
  ASSERT_TRUE(advised) << advised.error().message;
  jobs::AdvisedLaunch& launch = *advised->launches.front();
  ASSERT_FALSE(launch.advice.findings.empty());
  advise::Finding& finding = launch.advice.findings[0];
  finding.speedup_emulated.reset();
  finding.speedup_paper = finding.speedup = 1.25;
  finding.computed = true;
  finding.trust = "the value computed from the launch";
  EXPECT_THAT(text_of(launch), testing::HasSubstr("computed from the launch: 1.25×\n"));
  finding.computed = false;
  finding.trust = "the GPA estimate: no emulation";
  EXPECT_THAT(text_of(launch), testing::HasSubstr("GPA estimate: 1.25×: no emulation\n"));
}

TEST(AdviseText, SmallFindingsAreShownOnRequest) {
  EXPECT_THAT(with_gain(1.05, {}), testing::HasSubstr("\n1  1.05×"));
  const std::string small = with_gain(1.04, {});
  EXPECT_THAT(small, testing::Not(testing::HasSubstr("\n1  1.04×")));
  EXPECT_THAT(small, testing::HasSubstr("nothing worth a change: 1 finding below 1.05×"));
  EXPECT_THAT(with_gain(1.04, 10), testing::HasSubstr("\n1  1.04×"));
}

}  // namespace
}  // namespace burin::report
