// Are temporary folders gone when they should be, and only then?
#include "base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace burin {
namespace {

namespace fs = std::filesystem;

class TemporaryFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    root_ = ::mkdtemp(name);
    ::setenv("TMPDIR", root_.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("TMPDIR");
    fs::remove_all(root_);
  }

  std::string root_;
};

TEST_F(TemporaryFolderTest, IsRemovedWithItsFiles) {
  {
    const Result<TemporaryFolder> made = TemporaryFolder::make();
    ASSERT_TRUE(made);
    std::ofstream(made->path() + "/a") << "a";
    EXPECT_TRUE(made->path().starts_with(root_));
  }
  EXPECT_TRUE(fs::is_empty(root_));
}

TEST_F(TemporaryFolderTest, OneInUseIsLeftAlone) {
  const Result<TemporaryFolder> first = TemporaryFolder::make();
  const Result<TemporaryFolder> second = TemporaryFolder::make();
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(fs::exists(first->path()));
  EXPECT_TRUE(fs::exists(second->path()));
}

TEST_F(TemporaryFolderTest, WhatADeadProcessLeftIsRemovedByTheNext) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Result<TemporaryFolder> made = TemporaryFolder::make();
    std::ofstream(made->path() + "/a") << "a";
    ::_exit(made ? 0 : 1);  // without destructors, as if it were killed
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(fs::is_empty(root_));
  fs::create_directory(root_ + "/somebody-else");
  {
    ASSERT_TRUE(TemporaryFolder::make());
  }
  EXPECT_THAT(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
  EXPECT_TRUE(fs::exists(root_ + "/somebody-else"));
}

TEST_F(TemporaryFolderTest, AFolderThatCannotBeMadeIsTold) {
  ::setenv("TMPDIR", "/proc/nowhere", 1);
  EXPECT_THAT(TemporaryFolder::make().error().message,
              testing::HasSubstr("set TMPDIR to a writable folder"));
}

}  // namespace
}  // namespace burin
