// Are the places found that launch a kernel, each with its launches, its time and its samples?
#include "capture/call_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/two_callers.h"

namespace burin::capture {
namespace {

TEST(CallPaths, AreNamedByWhereTheyDiffer) {
  const test::TwoCallers program;
  const Result<Capture> capture = program.assembled();
  ASSERT_TRUE(capture) << capture.error().message;
  const Result<std::vector<CallPath>> paths = call_paths(*capture, 1);
  ASSERT_TRUE(paths) << paths.error().message;
  ASSERT_EQ(paths->size(), 2u);
  const CallPath& first = (*paths)[0];
  const CallPath& second = (*paths)[1];
  // 12 of 20 µs; the frames inside of them are the same.
  EXPECT_EQ(first.caller, "train.py:42");
  EXPECT_NEAR(first.share, 0.6, 1e-9);
  EXPECT_EQ(first.launches.size(), 1u);
  EXPECT_EQ(first.frames.size(), 3u);
  EXPECT_EQ(second.caller, "train.py:57");
  EXPECT_NEAR(second.share, 0.4, 1e-9);
  EXPECT_EQ(second.launches.size(), 2u);
}

TEST(CallPaths, HaveTheSamplesOfTheirLaunches) {
  for (const bool serialized : {false, true}) {
    const test::TwoCallers program(serialized);
    const Result<Capture> capture = program.assembled();
    ASSERT_TRUE(capture) << capture.error().message;
    const Result<std::vector<CallPath>> paths = call_paths(*capture, 1);
    ASSERT_TRUE(paths) << paths.error().message;
    ASSERT_EQ(paths->size(), 2u);
    const Result<launch::StallProfile> first = profile_of(*capture, (*paths)[0]);
    const Result<launch::StallProfile> second = profile_of(*capture, (*paths)[1]);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->total(), serialized ? 111 : 0);
    EXPECT_EQ(second->total(), 0);
  }
}

TEST(CallPaths, TheOnlyOneHasNoCaller) {
  const test::RecordedProgram program;
  const Result<Capture> capture = program.assembled();
  ASSERT_TRUE(capture) << capture.error().message;
  const Result<std::vector<CallPath>> paths = call_paths(*capture, 1);
  ASSERT_TRUE(paths) << paths.error().message;
  ASSERT_EQ(paths->size(), 1u);
  EXPECT_EQ(paths->front().caller, "");
  EXPECT_EQ(paths->front().launches.size(), 3u);
}

TEST(CallPaths, FramesHaveALineOrAnOffset) {
  EXPECT_EQ(frame_place({"/home/user/train.py:42", 0, "forward"}), "train.py:42");
  EXPECT_EQ(frame_place({"/home/user/app", 0x1140, "_ZN1a4stepEi"}), "step at app+0x1140");
  EXPECT_EQ(frame_place({"/home/user/app", 0x1140, ""}), "app+0x1140");
  EXPECT_EQ(frame_place({"", 0x7f00, ""}), "0x7f00");
}

}  // namespace
}  // namespace burin::capture
