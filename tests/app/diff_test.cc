// Does `burin diff` tell what changed between two builds, two launches, two captures?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/refusal.h"
#include "capture/recorded_program.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kFile = "examples/transpose.sm_90.cubin";
const std::string kPadded = "diff " + kFile + " " + kFile +
                            " --kernel transpose --after-kernel transpose_padded --grid 32,32"
                            " --block 32,8 --arg buf:4M:f32 --arg buf:4M:undef --arg i32:1024";

TEST(Diff, FindsNoChangeWhereThereIsNone) {
  const Ran ran = burin("diff " + kFile + " " + kFile + " --fail-on instructions");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.out, kFile + " -> " + kFile + ": 2 kernels in both, none changed\n");
}

TEST(Diff, ComparesTwoBuildsOfOneSource) {
  const std::string builds = "diff examples/transpose.sm_80.cubin " + kFile;
  const Ran ran = burin(builds);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("2 kernels in both, 2 changed\n"));
  EXPECT_THAT(ran.out, HasSubstr("no common architecture: it has sm_90, the other sm_80"));
  EXPECT_THAT(ran.out, HasSubstr("\ntranspose_padded\n"));
  EXPECT_THAT(ran.out, HasSubstr("\ninstructions "));
  EXPECT_THAT(ran.out, HasSubstr("transpose.cu:"));
  const json diff = json::parse(burin(builds + " --json").out);
  EXPECT_EQ(diff["schema"], "burin.diff/1");
  ASSERT_EQ(diff["kernels"].size(), 2u);
  const json& kernel = diff["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "transpose");
  EXPECT_TRUE(kernel["time_ratio"].is_null());
  std::uint64_t by_line = 0;
  for (const json& line : kernel["lines"]) {
    if (!line["after"].is_null()) by_line += line["after"]["instructions"].get<std::uint64_t>();
  }
  EXPECT_EQ(by_line, kernel["after"]["instructions"]);
  std::uint64_t by_class = 0;
  for (const json& count : kernel["after"]["classes"]) by_class += count.get<std::uint64_t>();
  EXPECT_EQ(by_class, kernel["after"]["instructions"]);
}

TEST(Diff, PredictsALaunchOfBoth) {
  const Ran ran = burin(kPadded);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("transpose_padded, renamed from transpose\n"));
  EXPECT_THAT(ran.out, HasSubstr("× faster\n"));
  EXPECT_THAT(ran.out, HasSubstr("shared                     4 KiB   4.125 KiB   +128 B\n"));
  EXPECT_THAT(ran.out, HasSubstr("mio_throttle"));
  const json kernel = json::parse(burin(kPadded + " --json").out)["kernels"][0];
  EXPECT_LT(kernel["time_ratio"], 0.9);
  double shares = 0;
  for (const json& line : kernel["lines"]) {
    if (!line["before"].is_null()) shares += line["before"]["share"].get<double>();
  }
  EXPECT_NEAR(shares, 1, 1e-6);
}

TEST(Diff, GatesEndWithStatusOneAndASentence) {
  EXPECT_EQ(burin(kPadded + " --fail-on \"time>1.05\" --fail-on spills").status, 0);
  const Ran crossed = burin(kPadded + " --fail-on shared");
  EXPECT_EQ(crossed.status, 1);
  EXPECT_EQ(crossed.err, "burin: --fail-on shared: transpose_padded: shared is 4,224, was 4,096\n");
  EXPECT_EQ(burin(kPadded + " --fail-on \"time<0.9\"").status, 1);
}

TEST(Diff, ComparesCaptures) {
  RecordedProgram program;
  ASSERT_TRUE(program.assembled());
  const std::string captures = "diff " + program.capture() + ":1 " + program.capture() + ":2";
  const Ran ran = burin(captures + " --fail-on \"time>1.5\"");
  EXPECT_EQ(ran.status, 1) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("measured"));
  EXPECT_THAT(ran.err, HasSubstr("vector_add: takes 5.00 µs, was 3.00 µs"));
  const json kernel = json::parse(burin(captures + " --predict --json").out)["kernels"][0];
  EXPECT_EQ(kernel["before"]["measured_us"], 3.0);
  EXPECT_GT(kernel["after"]["predicted_us"], 0);
  EXPECT_GT(kernel["after"]["stalls"]["long_scoreboard"], 0);
}

TEST(Diff, RefusesInASentence) {
  RecordedProgram program;
  ASSERT_TRUE(program.assembled());
  const std::string both = "diff " + kFile + " " + kFile;
  expect_refusal("diff " + kFile, 2, "AFTER");
  expect_refusal("diff " + kFile + " /proc/nowhere/b.cubin", 3, "/proc/nowhere/b.cubin");
  expect_refusal("diff " + kFile + " " + program.capture(), 2,
                 "compare two captures or two binaries");
  expect_refusal(both + " --predict", 2, "--predict is for captures");
  expect_refusal(both + " --grid 4", 2, "--block is required");
  expect_refusal(both + " --after-kernel x", 2, "--after-kernel needs a launch");
  expect_refusal(both + " --arch sm_80", 3, "contains no machine code for sm_80");
  expect_refusal(both + " --kernel gemm", 3, "no kernel name contains gemm");
  expect_refusal(both + " --fail-on \"time>1\"", 2, "no times to compare");
  expect_refusal(both + " --fail-on stall:rain", 2, "unknown stall reason 'rain'");
  expect_refusal(both + " --fail-on speed", 2, "unknown metric 'speed'");
  const std::string captures = program.capture() + " " + program.capture();
  expect_refusal("diff " + captures + " --grid 4", 2, "captures already define their launches");
}

}  // namespace
}  // namespace burin::test
