#include "runtime/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace burin::runtime {
namespace {

std::map<std::string, std::string> variables;

Settings settings_with(std::map<std::string, std::string> values) {
  variables = std::move(values);
  return read_settings([](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Settings, Defaults) {
  const Settings settings = settings_with({});
  EXPECT_EQ(settings.mode, Settings::Mode::kOn);
  EXPECT_TRUE(settings.path.empty());
  EXPECT_EQ(settings.log, "");
  EXPECT_FALSE(settings.graphs);
}

TEST(Settings, AllVariables) {
  const Settings settings = settings_with({{"BURIN_LAUNCH", "refine"},
                                           {"BURIN_LAUNCH_PATH", "/a::b.rp:"},
                                           {"BURIN_LAUNCH_LOG", "stderr"},
                                           {"BURIN_LAUNCH_WISDOM", "w"},
                                           {"BURIN_LAUNCH_GRAPHS", "on"}});
  EXPECT_EQ(settings.mode, Settings::Mode::kRefine);
  EXPECT_EQ(settings.path, (std::vector<std::string>{"/a", "b.rp"}));
  EXPECT_EQ(settings.log, "-");
  EXPECT_EQ(settings.wisdom, "w");
  EXPECT_TRUE(settings.graphs);
}

TEST(Settings, LogGoesToStandardErrorUnlessAFileIsNamed) {
  EXPECT_EQ(settings_with({{"BURIN_LAUNCH", "log"}}).log, "-");
  EXPECT_EQ(settings_with({{"BURIN_LAUNCH", "log"}, {"BURIN_LAUNCH_LOG", "f"}}).log, "f");
}

TEST(Settings, AnUnknownModeSwitchesOff) {
  const Settings settings = settings_with({{"BURIN_LAUNCH", "yes"}});
  EXPECT_EQ(settings.mode, Settings::Mode::kOff);
  EXPECT_THAT(settings.problem, testing::HasSubstr("BURIN_LAUNCH=yes: use off, log, on or refine"));
}

}  // namespace
}  // namespace burin::runtime
