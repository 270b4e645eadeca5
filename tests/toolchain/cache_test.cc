// Does the cache find what it kept, stay within its size, and read its folder rarely?
#include "toolchain/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace burin::toolchain {
namespace {

namespace fs = std::filesystem;

class CacheTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void age(const std::string& name, int hours) const {
    fs::last_write_time(at(name), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  }
  std::string total() const {
    std::ifstream file(at("total-bytes"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // The bytes of all files but the total itself.
  std::uint64_t bytes_kept() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename() != "total-bytes") bytes += entry.file_size();
    }
    return bytes;
  }

  std::string folder_;
  const std::vector<std::uint8_t> hundred_ = std::vector<std::uint8_t>(100, 7);  // 164 as a file
};

TEST_F(CacheTest, ThrowsOutWhatWasUsedLongestAgo) {
  const CompileCache cache(folder_, 450);  // two files of 100 bytes and their digests
  cache.keep("a", hundred_);
  cache.keep("b", hundred_);
  age("a", 2);
  age("b", 3);
  EXPECT_TRUE(cache.find("b"));  // now used last
  cache.keep("c", hundred_);
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
  cache.keep("large", std::vector<std::uint8_t>(500, 7));
  EXPECT_FALSE(cache.find("large"));
}

TEST_F(CacheTest, TheNewestFileStaysHoweverLarge) {
  const CompileCache cache(folder_, 450);
  cache.keep("a", hundred_);
  age("a", 1);
  cache.keep("large", std::vector<std::uint8_t>(380, 7));
  EXPECT_TRUE(cache.find("large"));
  EXPECT_FALSE(cache.find("a"));
}

TEST_F(CacheTest, ReadsItsFolderOnceForManyFiles) {
  const CompileCache cache(folder_, 100 * 164);
  const std::uint64_t before = CompileCache::folder_scans();
  for (int i = 0; i < 100; ++i) cache.keep(std::to_string(i), hundred_);
  EXPECT_EQ(CompileCache::folder_scans() - before, 1u) << "only for the first total";
  EXPECT_EQ(bytes_kept(), 100u * 164);
  EXPECT_EQ(total(), "00000000000000016400\n");
  // From now on each scan makes room for 12 files.
  for (int i = 100; i < 1000; ++i) cache.keep(std::to_string(i), hundred_);
  EXPECT_LE(CompileCache::folder_scans() - before, 1u + 900 / 12);
  EXPECT_LE(bytes_kept(), 100u * 164);
  EXPECT_GE(bytes_kept(), 80u * 164);
  EXPECT_TRUE(cache.find("999"));
}

TEST_F(CacheTest, ADamagedOrMissingTotalIsCountedAgain) {
  const CompileCache cache(folder_);
  cache.keep("a", hundred_);
  cache.keep("b", hundred_);
  for (const char* damage : {"", "12", "0000000000000000032x\n", "000000000000000003280\n"}) {
    std::ofstream(at("total-bytes")) << damage;
    cache.keep("b", hundred_);
    EXPECT_EQ(total(), "00000000000000000328\n") << damage;
  }
  fs::remove(at("total-bytes"));
  cache.keep("b", hundred_);
  EXPECT_EQ(total(), "00000000000000000328\n");
}

// Files that were deleted by hand or replaced make the total too large, which only the next scan
// notices.
TEST_F(CacheTest, ATotalThatIsTooLargeIsCorrected) {
  const CompileCache cache(folder_, 450);
  for (int i = 0; i < 3; ++i) cache.keep("a", hundred_);
  EXPECT_EQ(total(), "00000000000000000164\n");
  EXPECT_TRUE(cache.find("a"));
}

TEST_F(CacheTest, ManyProcessesShareOneTotal) {
  constexpr int kProcesses = 4;
  constexpr int kFiles = 50;
  CompileCache(folder_).keep("first", hundred_);
  const std::uint64_t before = CompileCache::folder_scans();
  for (int process = 0; process < kProcesses; ++process) {
    if (::fork() != 0) continue;
    const CompileCache cache(folder_);
    for (int i = 0; i < kFiles; ++i) {
      cache.keep(std::to_string(process) + "-" + std::to_string(i), hundred_);
    }
    ::_exit(CompileCache::folder_scans() == before ? 0 : 1);
  }
  for (int process = 0; process < kProcesses; ++process) {
    int status = -1;
    ::wait(&status);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(std::stoull(total()), (kProcesses * kFiles + 1) * 164u);
  EXPECT_EQ(std::stoull(total()), bytes_kept());
}

}  // namespace
}  // namespace burin::toolchain
