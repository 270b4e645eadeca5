// Does the text of advice keep its columns?
#include "report/advice/advise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/advise.h"

namespace burin::report {
namespace {

TEST(AdviseText, AWideSpeedupDoesNotTouchTheRule) {
  jobs::AdviseRequest request;
  request.predict.launch = {
      .source = {.file = BURIN_SOURCE_DIR "/examples/transpose.sm_90.cubin", .kernel = "transpose"},
      .grid = "8,8",
      .block = "32,8",
      .arguments = {"buf:256K:f32", "buf:256K:undef", "i32:256"}};
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
    std::string text;
    Output out([&](std::string_view part) { return text += part, true; });
    write_advice(out, report_of(launch, "a.cubin"));
    out.flush();
    EXPECT_THAT(text, testing::HasSubstr(head + rule + "  ")) << text;
  }
}

}  // namespace
}  // namespace burin::report
