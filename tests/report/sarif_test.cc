// Do findings stand at paths that a code host knows, and at the right level?
#include "report/advice/sarif.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace burin::report {
namespace {

class PathBelowTest : public testing::Test {
 protected:
  PathBelowTest() {
    char name[] = "/tmp/burin-sarif-XXXXXX";
    root_ = ::mkdtemp(name);
    std::filesystem::create_directories(root_ + "/src/kernels");
    std::ofstream(root_ + "/src/kernels/a.cu") << "x\n";
  }
  ~PathBelowTest() override { std::filesystem::remove_all(root_); }

  std::string root_;
};

TEST_F(PathBelowTest, IsRelative) {
  EXPECT_EQ(path_below(root_, root_ + "/src/kernels/a.cu"), "src/kernels/a.cu");
  EXPECT_EQ(path_below(root_, root_ + "/src/../src/kernels/a.cu"), "src/kernels/a.cu");
  EXPECT_EQ(path_below(root_, "src/kernels/a.cu"), "src/kernels/a.cu");
}

TEST_F(PathBelowTest, OfAFileCompiledElsewhereIsItsLongestEndThatIsThere) {
  EXPECT_EQ(path_below(root_, "/builds/42/project/src/kernels/a.cu"), "src/kernels/a.cu");
  EXPECT_EQ(path_below(root_, "/usr/local/cuda/include/math.hpp"), "math.hpp");
  EXPECT_EQ(path_below(root_, "../other/b.cu"), "b.cu");
}

TEST(SarifLevel, FollowsTheGain) {
  EXPECT_EQ(sarif_level(1.02), "note");
  EXPECT_EQ(sarif_level(1.1), "warning");
  EXPECT_EQ(sarif_level(1.5), "error");
}

}  // namespace
}  // namespace burin::report
