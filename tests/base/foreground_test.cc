#include "base/foreground.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace burin {
namespace {

TEST(ForegroundTest, StatusIsTheProgramsOwn) {
  const Result<Ending> ending = run_in_foreground({"sh", "-c", "exit 7"}, {});
  ASSERT_TRUE(ending.ok());
  EXPECT_EQ(ending->status, 7);
  EXPECT_EQ(words(*ending), "status 7");
  EXPECT_FALSE(ending->ok());
}

TEST(ForegroundTest, EnvironmentIsAdded) {
  const Result<Ending> ending = run_in_foreground(
      {"sh", "-c", "test \"$BURIN_X\" = 'a b' && test -n \"$PATH\""}, {{"BURIN_X", "a b"}});
  ASSERT_TRUE(ending.ok());
  EXPECT_TRUE(ending->ok());
}

TEST(ForegroundTest, SignalsAreTold) {
  const Result<Ending> ending = run_in_foreground({"sh", "-c", "kill -9 $$"}, {});
  ASSERT_TRUE(ending.ok());
  EXPECT_EQ(ending->signal, SIGKILL);
  EXPECT_THAT(words(*ending), testing::HasSubstr("signal 9"));
}

// burin itself ignores a closed pipe and, while it waits, an interrupt; the program must not.
TEST(ForegroundTest, SignalsAreAsAShellLeavesThem) {
  std::signal(SIGPIPE, SIG_IGN);
  for (const char* signal : {"PIPE", "INT", "TERM"}) {
    const Result<Ending> ending =
        run_in_foreground({"sh", "-c", std::string("kill -") + signal + " $$; exit 0"}, {});
    ASSERT_TRUE(ending.ok());
    EXPECT_NE(ending->signal, 0) << signal;
  }
  std::signal(SIGPIPE, SIG_DFL);
}

TEST(ForegroundTest, WhatCannotBeStarted) {
  const Result<Ending> ending = run_in_foreground({"/proc/nowhere/program"}, {});
  ASSERT_FALSE(ending.ok());
  EXPECT_THAT(ending.error().message, testing::HasSubstr("/proc/nowhere/program"));
}

}  // namespace
}  // namespace burin
