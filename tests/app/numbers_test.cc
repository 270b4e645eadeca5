// Is every wrong number answered by one sentence that names the option, the value and what is
// allowed?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/command.h"

namespace burin::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kNumbersFile = " examples/vector_add.sm_90.cubin";
const std::string kNumbersShape = " --grid 1 --block 32";
const std::string kNumbersArguments =
    " --arg buf:128:f32 --arg buf:128:f32 --arg buf:128 --arg i32:32";
const std::string kNumbersLaunch = kNumbersFile + kNumbersShape + kNumbersArguments;

struct NumberOption {
  std::string command, option, allowed;
  bool zero_allowed = false;
};

const NumberOption kNumbers[] = {
    {"run" + kNumbersLaunch, "--max-instructions", "a whole number of at least 0", true},
    {"run" + kNumbersLaunch, "--threads", "a whole number from 0 to 1024", true},
    {"run" + kNumbersLaunch + " --device cuda:0", "--launches", "a whole number from 20 to "},
    {"run" + kNumbersFile + " --block 32" + kNumbersArguments, "--grid", "X, X,Y or X,Y,Z"},
    {"run" + kNumbersFile + " --grid 1" + kNumbersArguments, "--block", "X, X,Y or X,Y,Z"},
    {"run" + kNumbersLaunch, "--cluster", "X, X,Y or X,Y,Z"},
    {"run" + kNumbersLaunch, "--smem", "a number of bytes", true},
    {"run" + kNumbersLaunch, "--unknown-access", "likely, worst, coalesced or a number from 1"},
    {"predict" + kNumbersLaunch, "--max-instructions", "a whole number of at least 0", true},
    {"predict" + kNumbersLaunch, "--threads", "a whole number from 0 to 1024", true},
    {"predict" + kNumbersLaunch, "--l2-hit", "a rate from 0 to 1", true},
    {"explain" + kNumbersLaunch, "--step", "a percentage"},
    {"advise" + kNumbersLaunch, "--top", "a whole number of at least 0", true},
    {"advise" + kNumbersLaunch, "--kernels", "a whole number of at least 1"},
    {"advise" + kNumbersLaunch, "--budget", "a number from 0 to 1", true},
    {"record", "--period", "a whole number from 5 to 31"},
    {"record", "--first", "a whole number of at least 1"},
    {"record", "--every", "a whole number of at least 1"},
    {"record", "--per-kernel", "a whole number of at least 1"},
    {"record", "--for", "a number from 0 to 1", true},
    {"record", "--memory-limit", "a number of bytes", true},
};

TEST(Numbers, WrongOnesAreOneSentence) {
  for (const NumberOption& each : kNumbers) {
    std::vector<std::string> values = {"-3",    "abc", "",    "99999999999999999999999999",
                                       "1e999", "3x",  "nan", "0x"};
    if (!each.zero_allowed) values.push_back("0");
    for (const std::string& value : values) {
      if (value == "-3" && each.option == "--step") continue;
      const std::string between = value.empty() ? " " : "=";
      const std::string words = each.command + " " + each.option + between + "'" + value + "'";
      const Ran ran = burin(words + (each.command == "record" ? " -- true" : ""));
      EXPECT_EQ(ran.status, 2) << words << ": " << ran.err;
      EXPECT_EQ(ran.out, "") << words;
      EXPECT_TRUE(is_one_line(ran.err)) << words << ": " << ran.err;
      EXPECT_THAT(ran.err, HasSubstr("burin: " + each.option)) << words;
      if (value.empty()) {
        EXPECT_THAT(ran.err, testing::AnyOf(HasSubstr("needs a value"), HasSubstr("not ''")))
            << words;
        continue;
      }
      EXPECT_THAT(ran.err, HasSubstr("expected " + each.allowed)) << words;
      EXPECT_THAT(ran.err, HasSubstr("not '" + value + "'")) << words;
      EXPECT_LT(ran.err.size(), 250u) << words << ": " << ran.err;
    }
  }
}

TEST(Numbers, AnOptionWithoutItsValueIsToldSo) {
  for (const char* option : {"--threads", "--grid", "--machine", "--arg"}) {
    const Ran ran = burin("predict" + kNumbersLaunch + " " + option);
    EXPECT_EQ(ran.status, 2) << option;
    EXPECT_THAT(ran.err, HasSubstr(std::string(option) + " needs a value"));
  }
}

TEST(Numbers, WhatIfsOutOfRangeAreToldWithTheRange) {
  const std::pair<const char*, const char*> cases[] = {
      {"registers=0", "registers=0: expected a whole number from 1 to 255"},
      {"registers=256", "from 1 to 255"},
      {"registers=-1", "from 1 to 255"},
      {"registers=", "from 1 to 255"},
      {"shared=1G", "shared=1G: expected a whole number from 0 to 232448"},
      {"shared=999999999", "from 0 to 232448"},
      {"block=0", "expected X, X,Y or X,Y,Z"},
      {"dram.bandwidth=0x", "the factor 0 is out of range"},
      {"dram.bandwidth=-2x", "expected a number or a factor such as 2x"},
      {"sm.count=0", "sm.count must be 1 to "},
      {"dram.bandwith=2x", "did you mean dram.bandwidth?"},
      {"dram.bandwidth", "expected NAME=VALUE"},
      {"machine=h300", "unknown machine 'h300'"},
  };
  for (const auto& [text, sentence] : cases) {
    const Ran ran = burin("explain" + kNumbersLaunch + " --what-if " + text);
    EXPECT_NE(ran.status, 0) << text;
    EXPECT_TRUE(is_one_line(ran.err)) << text << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("--what-if")) << text;
    EXPECT_THAT(ran.err, HasSubstr(sentence)) << text;
  }
}

}  // namespace
}  // namespace burin::test
