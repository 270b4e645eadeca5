// Is everything that a command does callable without the command line?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "jobs/advise.h"
#include "jobs/check_up.h"
#include "jobs/compare_builds.h"
#include "jobs/compare_capture.h"
#include "jobs/cut_launch.h"
#include "jobs/explain_launch.h"
#include "jobs/input/choose_machine.h"
#include "jobs/input/open_capture.h"
#include "jobs/open_images.h"
#include "jobs/predict_launch.h"
#include "jobs/run_launch.h"

namespace burin::jobs {
namespace {

using testing::HasSubstr;

std::string example(const std::string& name) {
  return std::string(BURIN_SOURCE_DIR) + "/examples/" + name;
}

LaunchRequest transpose() {
  return {.source = {.file = example("transpose.sm_90.cubin"), .kernel = "transpose"},
          .grid = "8,8",
          .block = "32,8",
          .arguments = {"buf:256K:f32", "buf:256K:undef", "i32:256"}};
}

TEST(Jobs, AMachineIsChosenByTheGpusName) {
  EXPECT_EQ(machine_named("NVIDIA A100-SXM4-80GB")->name, "a100");
  EXPECT_EQ(machine_named("NVIDIA A100-PCIE-40GB")->name, "a100_pcie_40gb");
  EXPECT_EQ(machine_named("NVIDIA RTX A4000")->name, "rtx_a4000");
  EXPECT_FALSE(machine_named("NVIDIA T4").has_value());
  bool is_assumed = true;
  EXPECT_EQ(machine_of_gpu("NVIDIA RTX A6000", {86}, 84, is_assumed)->name, "rtx_a6000");
  EXPECT_FALSE(is_assumed);
  // The same name with other SMs is another GPU.
  EXPECT_EQ(machine_of_gpu("NVIDIA RTX A4000 Laptop GPU", {86}, 40, is_assumed)->name, "rtx3090");
  EXPECT_TRUE(is_assumed);
}

TEST(Jobs, ALaunchIsRun) {
  const auto ran = run_launch({.launch = transpose()}, {});
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  EXPECT_TRUE((*ran)->passed());
  EXPECT_GT((*ran)->run.executed(), 0u);
  EXPECT_FALSE((*ran)->device.has_value());
}

TEST(Jobs, AFaultIsAValueNotAnError) {
  LaunchRequest launch{.source = {.file = example("mistakes.sm_90.cubin"), .kernel = "race"},
                       .grid = "1",
                       .block = "64",
                       .arguments = {"buf:256:int:100"}};
  const auto ran = run_launch({.launch = launch}, {});
  ASSERT_TRUE(ran.ok()) << ran.error().message;
  EXPECT_FALSE((*ran)->passed());
  EXPECT_FALSE((*ran)->run.faults.empty());
}

TEST(Jobs, ALaunchIsPredictedAndProgressIsTold) {
  std::size_t steps = 0;
  const Progress progress{.on_step = [&](std::string_view, std::size_t, std::size_t) { ++steps; }};
  const auto predicted = predict_launch({.launch = transpose(), .machine = "h200"}, progress);
  ASSERT_TRUE(predicted.ok()) << predicted.error().message;
  EXPECT_GT((*predicted)->prediction.time_us, 0);
  EXPECT_FALSE((*predicted)->on.machine_assumed);
  EXPECT_EQ((*predicted)->known_us(), 0);
  EXPECT_FALSE((*predicted)->options.heartbeat);
  EXPECT_GT(steps, 0u);
}

TEST(Jobs, ALaunchIsExplained) {
  const auto explained =
      explain_launch({.predict = {.launch = transpose(), .machine = "h200"}, .step = "20"}, {});
  ASSERT_TRUE(explained.ok()) << explained.error().message;
  EXPECT_DOUBLE_EQ((*explained)->options.step, 0.2);
  EXPECT_FALSE((*explained)->explanation.limits.bounds.empty());
}

TEST(Jobs, AWrongStepIsAnErrorBeforeAnyWork) {
  const auto explained = explain_launch({.predict = {.launch = transpose()}, .step = "fast"}, {});
  ASSERT_FALSE(explained.ok());
  EXPECT_THAT(explained.error().message, HasSubstr("--step"));
}

TEST(Jobs, AdviceAndItsGates) {
  const AdviseRequest request{.predict = {.launch = transpose(), .machine = "h200"},
                              .gates = {"rule:bank-conflicts>1.01"}};
  const auto prepared = prepare_advice(request);
  ASSERT_TRUE(prepared.ok()) << prepared.error().message;
  const auto advised = advise_launches(request, **prepared, {});
  ASSERT_TRUE(advised.ok()) << advised.error().message;
  ASSERT_EQ(advised->launches.size(), 1u);
  EXPECT_FALSE(advised->launches[0]->advice.findings.empty());
  const auto crossed = crossings(**prepared, *advised);
  ASSERT_EQ(crossed.size(), 1u);
  EXPECT_THAT(crossed[0].sentence, HasSubstr("bank-conflicts"));
}

TEST(Jobs, TwoBuildsAreCompared) {
  const auto result = compare_builds({.before = example("transpose.sm_90.cubin"),
                                      .after = example("transpose.sm_90.cubin"),
                                      .gates = {"registers"}},
                                     {});
  ASSERT_TRUE(result.ok()) << result.error().message;
  ASSERT_FALSE((*result)->diff->kernels.empty());
  EXPECT_FALSE((*result)->diff->kernels[0].is_changed());
  EXPECT_TRUE((*result)->crossed.empty());
}

TEST(Jobs, ImagesAreOpenedAndTheKernelIsChosen) {
  const auto images = OpenImages::open(
      {.file = example("mistakes.sm_90.cubin"), .kernel = "race", .needs_code = true}, {});
  ASSERT_TRUE(images.ok()) << images.error().message;
  ASSERT_EQ((*images)->cubins().size(), 1u);
  const auto image = (*images)->load(0);
  ASSERT_TRUE(image.ok());
  std::size_t meant = 0;
  for (const auto& function : image->functions) meant += (*images)->means(function) ? 1 : 0;
  EXPECT_EQ(meant, 1u);
}

TEST(Jobs, ACaptureIsComparedAndCut) {
  const std::string file = std::string(BURIN_SOURCE_DIR) + "/tests/data/record/shapes.burin";
  const auto capture = open_capture(file);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const auto comparison = compare_capture(*capture, {}, {});
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_GT(comparison->groups.size(), 0u);

  const std::string to = testing::TempDir() + "jobs_cut.burin";
  std::filesystem::remove(to);
  const auto number = std::to_string(capture->launches().front().id);
  const auto cut = cut_launch({.from = file + ":" + number, .to = to});
  ASSERT_TRUE(cut.ok()) << cut.error().message;
  EXPECT_EQ(cut->bytes, std::filesystem::file_size(to));
  std::filesystem::remove(to);
}

TEST(Jobs, TheCheckUpNamesEveryToolOnce) {
  const auto checks = check_up();
  std::set<std::string> names;
  for (const Check& check : checks) EXPECT_TRUE(names.insert(check.name).second) << check.name;
  EXPECT_TRUE(names.contains("driver"));
}

}  // namespace
}  // namespace burin::jobs
