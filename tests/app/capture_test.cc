// Do the commands take captures, as a user would give them?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "capture/recorded_program.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class CaptureCommandTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(program_.assembled()); }

  std::string file() const { return program_.capture(); }

  RecordedProgram program_;
};

TEST_F(CaptureCommandTest, InspectListsLaunchesWithTimesAndShares) {
  const Ran ran = burin("inspect " + file());
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("3 launches of 1 kernel, 8.00 µs on the GPU (NVIDIA H200)"));
  EXPECT_THAT(ran.out, HasSubstr("process 4711: ./app --size 1000; 113 samples, 2 dropped"));
  EXPECT_THAT(ran.out, HasSubstr("       2     5.00 µs   62.5 %  2,1,1            128,1,1      "
                                 "vector_add  (memory)"));
}

// The file is said to be what it is, whatever is wrong with it, and never "--grid is required".
TEST_F(CaptureCommandTest, ADamagedCaptureIsCalledSo) {
  const auto damaged = [&](const std::string& name, std::size_t at, const std::string& bytes) {
    const std::string copy = file() + name;
    std::filesystem::copy_file(file(), copy, std::filesystem::copy_options::overwrite_existing);
    std::fstream(copy, std::ios::in | std::ios::out).seekp(static_cast<std::streamoff>(at))
        << bytes;
    return copy;
  };
  const std::string magic = damaged(".magic", 0, "XXXXXXXXXXXXXXXX");
  const std::string both = damaged(".both.burin", 0, std::string(100, 'X'));
  const std::string version = damaged(".version", 60, "zzzz");
  const std::string format = damaged(".format", 18, "zz");
  const std::string cut = file() + ".cut";
  std::filesystem::copy_file(file(), cut);
  std::filesystem::resize_file(cut, 2000);
  const std::string empty = file() + ".empty.burin";
  std::ofstream(empty).close();
  const std::pair<std::string, std::string> cases[] = {
      {magic, magic + ": is a capture with a damaged header; copy it again"},
      {both, both + ": is not a capture, or its header is damaged"},
      {version, version + ": is a capture with a damaged header; copy it again"},
      {format, format + ": is a capture with a damaged header; copy it again"},
      {cut, cut + ": is truncated: has 2,000 of "},
      {empty, empty + ": is empty"},
  };
  for (const auto& [name, sentence] : cases) {
    for (const char* command : {"run ", "predict ", "explain ", "advise ", "inspect "}) {
      const Ran ran = burin(command + name);
      EXPECT_EQ(ran.status, 3) << command << name;
      EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
      EXPECT_THAT(ran.err, HasSubstr(sentence)) << command;
    }
  }
}

TEST_F(CaptureCommandTest, InspectShowsOneLaunchInFull) {
  const Ran ran = burin("inspect " + file() + ":2");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("launch 2 of " + file() + ": vector_add\n"));
  EXPECT_THAT(ran.out, HasSubstr("argument 2    0x7fc5cb602000, byte 0 of 3.906 KiB\n"));
  EXPECT_THAT(ran.out, HasSubstr("argument 3    1000 (as float 1.4013e-42)\n"));
  EXPECT_THAT(ran.out, HasSubstr("called from   main (app)\n"));
  const json report = json::parse(burin("inspect --json " + file() + ":2").out);
  EXPECT_EQ(report["stack"][0]["symbol"], "main");
  EXPECT_EQ(report["allocations"].size(), 3u);
}

TEST_F(CaptureCommandTest, InspectFoldsCallStacks) {
  EXPECT_EQ(burin("inspect --stacks " + file()).out, "main;vector_add 8000\n");
}

TEST_F(CaptureCommandTest, InspectComparesPredictedWithMeasured) {
  const Ran ran = burin("inspect --json --compare " + file());
  ASSERT_EQ(ran.status, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["schema"], "burin.capture/1");
  EXPECT_EQ(report["launches"].size(), 3u);
  const json& comparison = report["comparison"];
  EXPECT_EQ(comparison["machine"], "h200");
  EXPECT_EQ(comparison["machine_assumed"], false);
  EXPECT_EQ(comparison["compared"], 1);
  ASSERT_EQ(comparison["groups"].size(), 2u);
  const json& group = comparison["groups"][0];
  EXPECT_EQ(group["launches"], 2);
  EXPECT_EQ(group["measured_us"], 5.0);  // of the launch whose memory was kept
  EXPECT_GT(group["predicted_us"], 0.5);
  EXPECT_LT(group["predicted_us"], 20.0);
  EXPECT_GT(group["stall_overlap"], 0.1);
}

TEST_F(CaptureCommandTest, BuffersThatALaunchBeforeUsedAreInTheCache) {
  const auto caches = [&](const std::string& words) {
    return json::parse(burin("predict --json " + file() + words).out)["caches"];
  };
  EXPECT_EQ(caches(":1"), "cold");
  EXPECT_EQ(caches(":2"), "warm");
  EXPECT_EQ(caches(":2 --cold"), "cold");
  EXPECT_EQ(caches(":1 --warm"), "warm");
  const auto groups = [&](const std::string& words) {
    return json::parse(
        burin("inspect --json --compare " + file() + words).out)["comparison"]["groups"];
  };
  EXPECT_EQ(groups("")[0]["caches"], "warm");  // of the launch that is compared, the second
  EXPECT_EQ(groups("")[1]["caches"], "warm");
  EXPECT_EQ(groups(" --cold")[1]["caches"], "cold");
}

TEST_F(CaptureCommandTest, RunReplaysALaunchAndChecksIt) {
  const Ran ran = burin("run " + file() + ":2 --check");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("vector_add"));
  EXPECT_EQ(burin("run --check " + file() + ":2").out.substr(0, 20), ran.out.substr(0, 20));
  const Ran unknown = burin("run " + file() + ":1 --check");
  EXPECT_EQ(unknown.status, 3);
  EXPECT_THAT(unknown.err, HasSubstr("has no memory contents to compare with"));
  EXPECT_TRUE(is_one_line(unknown.err));
}

// Launches as an H200 executed them: tensor maps, warpgroup products, gathers and bit streams.
TEST(RealCaptures, AreReplayedBitForBitAndPredicted) {
  unsigned count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(BURIN_SOURCE_DIR "/tests/data/capture/h200")) {
    const std::string file = entry.path().string();
    const Ran ran = burin("run --json --check -- " + file);
    EXPECT_EQ(ran.status, 0) << file << ": " << ran.err;
    EXPECT_FALSE(json::parse(ran.out)["checks"].empty()) << file;
    const json prediction = json::parse(burin("predict --json " + file).out);
    EXPECT_LT(prediction["error"], 1) << file;
    EXPECT_EQ(prediction["machine"], "h200") << file;
    ++count;
  }
  EXPECT_GE(count, 4u);
}

TEST_F(CaptureCommandTest, PredictTakesALaunchAndTellsItsRecordedTime) {
  const Ran ran = burin("predict " + file() + ":2");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("on h200"));
  EXPECT_THAT(ran.out, HasSubstr("recorded      5.00 µs by launch 2"));
  const json report = json::parse(burin("predict --json " + file() + ":2").out);
  EXPECT_EQ(report["captured_launch"], 2);
  EXPECT_EQ(report["recorded_us"], 5.0);
}

TEST_F(CaptureCommandTest, CutMakesASmallCapture) {
  const std::string cut = program_.folder() + "/cut.burin";
  const Ran ran = burin("cut " + file() + ":2 -o " + cut + " --strip-source");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(burin("run " + cut + " --check").status, 0);
  EXPECT_THAT(burin("inspect " + cut).out, HasSubstr("1 launch of 1 kernel"));
  EXPECT_EQ(burin("cut " + file() + ":9 -o " + cut).status, 3);
}

TEST_F(CaptureCommandTest, InspectReadsAReportOfNsightCompute) {
  const Ran ran = burin("inspect tests/data/ncu/recursion.source.csv");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("recursion(const int *, int *, int)"));
  EXPECT_THAT(ran.out, HasSubstr(" 11  recursion"));
}

// A report itself is read by ncu, whose part a script plays here.
TEST_F(CaptureCommandTest, InspectReadsAReportThroughNcu) {
  if (std::filesystem::exists("/usr/local/cuda/bin/ncu")) GTEST_SKIP() << "there is a real ncu";
  const std::string folder = program_.folder();
  std::ofstream(folder + "/report.ncu-rep") << "NVR";
  std::ofstream(folder + "/raw.csv")
      << "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Block Size\",\"Grid "
         "Size\",\"CC\",\"gpu__time_duration.sum\"\n"
         "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ns\"\n"
         "\"0\",\"499\",\"app\",\"recursion(const int *, int *, int)\",\"(32, 1, "
         "1)\",\"(2, 1, 1)\",\"9.0\",\"12345\"\n";
  std::ofstream(folder + "/ncu") << "#!/bin/sh\n[ \"$4\" = raw ] && exec cat " + folder +
                                        "/raw.csv\nexec cat " BURIN_SOURCE_DIR
                                        "/tests/data/ncu/recursion.source.csv\n";
  std::filesystem::permissions(folder + "/ncu", std::filesystem::perms::owner_all);
  const std::string report = folder + "/report.ncu-rep";
  const Ran ran = shell("PATH=" + folder + ":$PATH $BURIN inspect " + report);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("1 launch of 1 kernel, 12.3 µs on the GPU"));
  EXPECT_THAT(ran.out,
              HasSubstr("2,1,1            32,1,1       recursion(const int *, int *, int)"));
  const Ran without = shell("PATH=/bin:/usr/bin $BURIN inspect " + report);
  EXPECT_EQ(without.status, 3);
  EXPECT_THAT(without.err, HasSubstr("needs ncu, which is not installed"));
  const Ran replayed = shell("PATH=" + folder + ":$PATH $BURIN run " + report + ":1");
  EXPECT_EQ(replayed.status, 3);
  EXPECT_THAT(replayed.err, HasSubstr("has no code in the capture"));
}

TEST_F(CaptureCommandTest, WhatCannotBeServedIsToldInASentence) {
  const struct {
    std::string arguments;
    int status;
    const char* words;
  } cases[] = {
      {"run " + file(), 3, "contains 3 launches; select one"},
      {"run " + file() + ":2 --grid 4", 2, "already defines it"},
      {"run " + file() + ":2 --device cuda:0", 2, "contains addresses of the original process"},
      {"predict " + file() + ":gemm", 3, "no launch of a kernel named gemm"},
      {"inspect " + file() + " --sass", 2, "a capture cannot be disassembled"},
      {"inspect " + file() + " --kernel gemm", 3, "no kernel name contains gemm"},
      {"inspect examples/vector_add.sm_90.cubin --compare", 2, "is not one"},
      {"run examples/vector_add.sm_90.cubin --grid 1 --block 32 --arg buf:4 --arg buf:4 --arg "
       "buf:4 "
       "--arg i32:1 --check",
       2, "only a capture contains it"},
      {"cut " + file() + ":2 -o /proc/nowhere/x", 3, "its folder does not exist"},
      {"run " + program_.folder() + "/missing.burin:2", 3,
       "missing.burin:2: cannot open: No such file"},
  };
  for (const auto& [arguments, status, words] : cases) {
    const Ran ran = burin(arguments);
    EXPECT_EQ(ran.status, status) << arguments << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(words)) << arguments;
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    EXPECT_EQ(ran.out, "") << arguments;
  }
}

}  // namespace
}  // namespace burin::test
