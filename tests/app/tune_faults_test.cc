// The small form of `bench/tuning.py faults`: configurations that hang, crash, lie or do not
// compile, and a burin that is killed twice, cost exactly the trials they should.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/command.h"
#include "base/child.h"

namespace burin::test {
namespace {

constexpr const char* kFaults =
    "python3 bench/tuning.py faults --burin \"$BURIN\" --kills 2 --warm --limit 5 ";

TEST(TuneFaults, OnOpenclsCpuDevice) {
  const std::filesystem::path vendors = "/etc/OpenCL/vendors";
  if (!std::filesystem::exists(vendors) || std::filesystem::is_empty(vendors)) {
    GTEST_SKIP() << "no OpenCL here";
  }
  const Ran ran = shell(std::string(kFaults) + "--trials 40");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

// The same of CUDA source, with compiler processes: the emulator stands for the GPU.
TEST(TuneFaults, OfCudaSource) {
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) GTEST_SKIP() << "no nvcc here";
  const Ran ran = shell(std::string(kFaults) + "--trials 30 --device emulator:h200");
  EXPECT_EQ(ran.status, 0) << ran.out << ran.err;
}

}  // namespace
}  // namespace burin::test
