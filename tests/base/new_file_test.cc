#include "base/new_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace burin {
namespace {

namespace fs = std::filesystem;

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class NewFileTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string contents(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_;
};

TEST_F(NewFileTest, AppearsWhenItIsFinished) {
  std::ofstream(at("a")) << "old";
  Result<NewFile> file = NewFile::create(at("a"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(bytes_of("ne")));
  ASSERT_TRUE(file->write(bytes_of("w")));
  EXPECT_EQ(contents("a"), "old");
  ASSERT_TRUE(file->finish());
  EXPECT_EQ(contents("a"), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(NewFileTest, UnfinishedLeavesNothing) {
  {
    Result<NewFile> file = NewFile::create(at("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write(bytes_of("half")));
    EXPECT_EQ(files(), 1u);
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(NewFileTest, ALinkIsFollowed) {
  std::ofstream(at("target")) << "old";
  fs::create_symlink("target", at("link"));
  Result<NewFile> file = NewFile::create(at("link"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->write(bytes_of("new")));
  ASSERT_TRUE(file->finish());
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(contents("target"), "new");
}

TEST_F(NewFileTest, DevicesAreWrittenNotReplaced) {
  Result<NewFile> nowhere = NewFile::create("/dev/null");
  ASSERT_TRUE(nowhere);
  EXPECT_TRUE(nowhere->write(bytes_of("x")));
  EXPECT_TRUE(nowhere->finish());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  Result<NewFile> full = NewFile::create("/dev/full");
  ASSERT_TRUE(full);
  const Result<void> written = full->write(bytes_of("x"));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, testing::HasSubstr("/dev/full: cannot write: No space"));
}

TEST_F(NewFileTest, SaysWhyItCannot) {
  EXPECT_THAT(NewFile::create(at("no/such")).error().message,
              testing::HasSubstr("its folder does not exist; create it first"));
  EXPECT_THAT(NewFile::create(folder_).error().message, testing::HasSubstr("is a directory"));
}

}  // namespace
}  // namespace burin
