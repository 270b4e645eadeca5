// Recording on a real GPU. Opt-in: BURIN_DEVICE names the GPU (it must be the first), and nvcc
// builds the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/child.h"
#include "launch/capture.h"
#include "measure/scratch_folder.h"

namespace burin {
namespace {

using testing::SizeIs;

TEST(DeviceRecordTest, EveryKindOfLaunchIsKeptWithItsTimeAndRunsAgain) {
  if (std::getenv("BURIN_DEVICE") == nullptr) {
    GTEST_SKIP() << "BURIN_DEVICE names no GPU, such as cuda:0";
  }
  const std::string nvcc = find_program("nvcc", {"/usr/local/cuda/bin"});
  if (nvcc.empty()) GTEST_SKIP() << "nvcc, which builds the program, is not installed";
  const auto folder = *ScratchFolder::make();
  const std::string program = folder->path() + "/shapes", file = folder->path() + "/shapes.burin";
  ASSERT_TRUE(run_program(nvcc,
                          {"-std=c++17", "-arch=native", "-o", program,
                           BURIN_SOURCE_DIR "/bench/record/shapes.cu"},
                          300)
                  .ok());
  const Answer recorded =
      run_program(BURIN_BINARY, {"record", "--memory", "plain", "-o", file, "--", program}, 120);
  ASSERT_TRUE(recorded.ok()) << recorded.text;
  const Result<Capture> capture = Capture::open(file);
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  ASSERT_THAT(capture->launches(), SizeIs(8));
  for (const CapturedLaunch& launch : capture->launches()) {
    EXPECT_TRUE(launch.duration_ns.has_value()) << launch.id;
  }
  const Answer replayed = run_program(BURIN_BINARY, {"run", file + ":1", "--check"}, 60);
  EXPECT_TRUE(replayed.ok()) << replayed.text;
}

}  // namespace
}  // namespace burin
