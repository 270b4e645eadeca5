#include "base/usable_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "base/temporary_folder.h"

namespace burin {
namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

TEST(UsableMemory, IsSomeAndNotAllThereCouldBe) {
  EXPECT_GT(usable_memory(), std::uint64_t{1} << 20);
  EXPECT_LT(usable_memory(), std::uint64_t{1} << 60);
}

TEST(UsableMemory, TheSmallestLimitAroundTheGroupCounts) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string root = folder->path();
  const auto write = [&](const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  };
  EXPECT_EQ(control_group_memory("0::/job/step\n", root), kNone);
  write("/job/step/memory.max", "max\n");
  EXPECT_EQ(control_group_memory("0::/job/step\n", root), kNone);
  write("/job/memory.max", "4096\n");
  EXPECT_EQ(control_group_memory("0::/job/step\n", root), 4096u);
  write("/memory/old/memory.limit_in_bytes", "1024\n");
  EXPECT_EQ(control_group_memory("7:cpu:/x\n4:memory:/old\n0::/job/step\n", root), 1024u);
  write("/memory.max", "512");
  EXPECT_EQ(control_group_memory("0::/\n", root), 512u);
  EXPECT_EQ(control_group_memory("nonsense\n:\n", root), kNone);
}

}  // namespace
}  // namespace burin
