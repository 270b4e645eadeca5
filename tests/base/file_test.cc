#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace burin {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() {
    std::string name = testing::TempDir() + "burin-XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~MappedFileTest() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& contents) {
    std::ofstream(folder_ / name, std::ios::binary) << contents;
    return folder_ / name;
  }

  // The message for a path that must be refused; it must begin with the path.
  std::string refusal(const std::string& path) {
    const Result<MappedFile> file = MappedFile::open(path);
    if (file.ok()) return "opened " + path;
    EXPECT_THAT(file.error().message, StartsWith(path + ": "));
    EXPECT_EQ(file.error().exit, Exit::kInput);
    return file.error().message;
  }

  fs::path folder_;
};

std::string text(const MappedFile& file) {
  return {file.bytes().begin(), file.bytes().end()};
}

TEST_F(MappedFileTest, ShowsTheBytesAndThePath) {
  const std::string path = write("a", std::string("cub\0in", 6));
  const Result<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(text(*file), std::string("cub\0in", 6));
  EXPECT_EQ(file->path(), path);
}

TEST_F(MappedFileTest, KeepsTheBytesWhenMoved) {
  Result<MappedFile> first = MappedFile::open(write("a", "first"));
  Result<MappedFile> second = MappedFile::open(write("b", "second"));
  ASSERT_TRUE(first.ok() && second.ok());
  MappedFile moved = std::move(*first);
  EXPECT_EQ(text(moved), "first");
  moved = std::move(*second);
  EXPECT_EQ(text(moved), "second");
}

TEST_F(MappedFileTest, KeepsTheBytesOfAFileThatIsRemoved) {
  const std::string path = write("a", "first");
  const Result<MappedFile> file = MappedFile::open(path);
  ASSERT_TRUE(file.ok());
  fs::remove(path);
  EXPECT_EQ(text(*file), "first");
}

TEST_F(MappedFileTest, RefusesInWords) {
  EXPECT_THAT(refusal(folder_ / "none"), HasSubstr("No such file"));
  EXPECT_THAT(refusal(folder_), HasSubstr("is a directory"));
  EXPECT_THAT(refusal(write("empty", "")), HasSubstr("is empty"));
  EXPECT_THAT(refusal("/dev/null"), HasSubstr("is a device"));
}

// Nobody writes to the pipe: opening it must not wait.
TEST_F(MappedFileTest, APipeIsNotWaitedFor) {
  const std::string path = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(refusal(path), HasSubstr("is a pipe"));
  EXPECT_TRUE(first_bytes(path, 16).empty());
}

TEST_F(MappedFileTest, TheFirstBytesOfARegularFile) {
  const std::vector<std::uint8_t> expected = {'f', 'i', 'r'};
  EXPECT_EQ(first_bytes(write("a", "first"), 3), expected);
  EXPECT_EQ(first_bytes(write("a", "first"), 100).size(), 5u);
  EXPECT_TRUE(first_bytes(folder_ / "none", 3).empty());
  EXPECT_TRUE(first_bytes("/dev/zero", 3).empty());
}

TEST_F(MappedFileTest, LinksLeadToOneFile) {
  const std::string path = write("a", "same"), other = write("b", "same");
  fs::create_symlink(path, folder_ / "soft");
  fs::create_hard_link(path, folder_ / "hard");
  for (const char* name : {"a", "soft", "hard"}) EXPECT_TRUE(is_same_file(path, folder_ / name));
  EXPECT_FALSE(is_same_file(path, other));
  EXPECT_FALSE(is_same_file(folder_ / "none", folder_ / "none"));
}

TEST_F(MappedFileTest, RefusesAFileItMayNotRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read every file";
  const std::string path = write("a", "first");
  ::chmod(path.c_str(), 0);
  EXPECT_THAT(refusal(path), HasSubstr("Permission denied"));
}

}  // namespace
}  // namespace burin
