#include "store/database.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "store/pack.h"

namespace burin::store {
namespace {

constexpr std::array kOld = {"CREATE TABLE thing(id INTEGER PRIMARY KEY, name TEXT, bytes BLOB)"};
constexpr std::array kNew = {kOld[0], "ALTER TABLE thing ADD COLUMN size INTEGER DEFAULT 7"};
const FileKind kOldThings{.noun = "thing", .mark = 0x7468, .steps = kOld};
const FileKind kThings{.noun = "thing", .mark = 0x7468, .steps = kNew};

class DatabaseTest : public testing::Test {
 protected:
  DatabaseTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("burin-store-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~DatabaseTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  void make(const char* name, const FileKind& kind, int rows = 3) const {
    Result<Database> made = Database::create(path(name), kind);
    ASSERT_TRUE(made) << made.error().message;
    {
      Statement insert = made->statement("INSERT INTO thing(name, bytes) VALUES (?, ?)");
      const std::vector<std::uint8_t> bytes(1000, 42);
      for (int k = 0; k < rows; ++k)
        EXPECT_TRUE(insert.run("thing " + std::to_string(k), Bytes(bytes)));
    }
    const Result<void> finished = made->finish();
    ASSERT_TRUE(finished) << finished.error().message;
  }

  std::filesystem::path folder_;
};

TEST_F(DatabaseTest, KeepsWhatWasWritten) {
  make("a", kThings);
  const Result<Database> file = Database::open(path("a"), kThings);
  ASSERT_TRUE(file) << file.error().message;
  Statement row = file->statement("SELECT id, name, bytes, size, NULL FROM thing WHERE id > ?");
  row.start(1);
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.number(0), 2u);
  EXPECT_EQ(row.text(1), "thing 1");
  EXPECT_EQ(row.bytes(2).size(), 1000u);
  EXPECT_EQ(row.bytes(2)[999], 42);
  EXPECT_EQ(row.maybe(3), 7);
  EXPECT_EQ(row.maybe(4), std::nullopt);
  ASSERT_TRUE(row.next());
  EXPECT_FALSE(row.next());
  EXPECT_TRUE(row.ok());
}

TEST_F(DatabaseTest, AppearsWholeOrNotAtAll) {
  {
    const Result<Database> made = Database::create(path("a"), kThings);
    ASSERT_TRUE(made);
    EXPECT_FALSE(std::filesystem::exists(path("a")));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(DatabaseTest, LeavesWhatStoodThereUntilItIsDone) {
  make("a", kThings, 1);
  {
    const Result<Database> abandoned = Database::create(path("a"), kThings);
  }
  Result<Database> file = Database::open(path("a"), kThings);
  ASSERT_TRUE(file);
  Statement row = file->statement("SELECT count(*) FROM thing");
  row.start();
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.integer(0), 1);
}

TEST_F(DatabaseTest, RemembersTheFirstError) {
  Result<Database> made = Database::create(path("a"), kThings);
  ASSERT_TRUE(made);
  Statement wrong = made->statement("INSERT INTO nothing VALUES (?)");
  EXPECT_FALSE(wrong.run(1));
  Statement right = made->statement("INSERT INTO thing(name) VALUES (?)");
  EXPECT_FALSE(right.run("x"));
  const Result<void> finished = made->finish();
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().message.find("nothing"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path("a")));
}

TEST_F(DatabaseTest, BringsAnOlderVersionUpToDateInACopy) {
  make("old", kOldThings);
  const auto size = std::filesystem::file_size(path("old"));
  const Result<Database> file = Database::open(path("old"), kThings);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->version(), 1);
  Statement row = file->statement("SELECT size, name FROM thing WHERE id = 3");
  row.start();
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.integer(0), 7);
  EXPECT_EQ(row.text(1), "thing 2");
  // The file itself is as it was, for the burin that made it.
  EXPECT_EQ(std::filesystem::file_size(path("old")), size);
  EXPECT_TRUE(Database::open(path("old"), kOldThings));
}

TEST_F(DatabaseTest, RefusesANewerVersionInWords) {
  make("new", kThings);
  const Result<Database> file = Database::open(path("new"), kOldThings);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message,
            path("new") +
                ": is a thing of version 2, but this burin reads up to version 1; "
                "install a newer burin");
}

TEST_F(DatabaseTest, RefusesOtherFilesInWords) {
  make("thing", kThings);
  const FileKind other{.noun = "capture", .mark = 1, .steps = kNew};
  const Result<Database> wrong_kind = Database::open(path("thing"), other);
  ASSERT_FALSE(wrong_kind);
  EXPECT_EQ(wrong_kind.error().message, path("thing") + ": is a database but not a capture");
  std::ofstream(path("text")) << "hello";
  const Result<Database> text = Database::open(path("text"), kThings);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, path("text") + ": is not a thing, or its header is damaged");
  EXPECT_FALSE(Database::open(path("missing"), kThings));
}

TEST_F(DatabaseTest, SaysWhatAFileWithADamagedHeaderIs) {
  make("thing", kThings);
  std::fstream(path("thing"), std::ios::in | std::ios::out) << "damaged";
  const Result<Database> damaged = Database::open(path("thing"), kThings);
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error().message,
            path("thing") + ": is a thing with a damaged header; copy it again");
}

TEST_F(DatabaseTest, RefusesEveryTruncationInWords) {
  make("whole", kThings, 100);
  const auto size = std::filesystem::file_size(path("whole"));
  for (std::uintmax_t keep = 1; keep < size; keep += 1 + size / 50) {
    std::filesystem::copy_file(path("whole"), path("part"),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path("part"), keep);
    const Result<Database> file = Database::open(path("part"), kThings);
    ASSERT_FALSE(file) << keep;
    EXPECT_TRUE(file.error().message.find("is truncated") != std::string::npos ||
                file.error().message.find("is not a thing") != std::string::npos)
        << file.error().message;
  }
}

// A pipe, as nobody should try it with /dev/null.
TEST_F(DatabaseTest, ADeviceOrPipeIsNotReplaced) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  const Result<Database> made = Database::create(path("pipe"), kThings);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            path("pipe") + ": is a device or a pipe; name a file for the thing");
}

TEST_F(DatabaseTest, SaysWhenTheFolderIsMissing) {
  const Result<Database> made = Database::create(path("nowhere/a"), kThings);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("check that its folder exists"), std::string::npos);
}

TEST(Pack, GivesTheBytesBack) {
  std::vector<std::uint8_t> bytes(100'000);
  for (std::size_t k = 0; k < bytes.size(); ++k) bytes[k] = static_cast<std::uint8_t>(k * k >> 8);
  const std::vector<std::uint8_t> packed = pack(bytes);
  const Result<std::vector<std::uint8_t>> back = unpack(packed, bytes.size());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, bytes);
  EXPECT_EQ(unpack(pack({}), 0)->size(), 0u);
}

TEST(Pack, RefusesDamageAndMoreThanTheLimit) {
  const std::vector<std::uint8_t> zeros(1'000'000);
  std::vector<std::uint8_t> packed = pack(zeros);
  EXPECT_LT(packed.size(), 1000u);
  EXPECT_FALSE(unpack(packed, zeros.size() - 1));
  EXPECT_FALSE(unpack(Bytes(packed).first(packed.size() / 2), zeros.size()));
  EXPECT_FALSE(unpack(Bytes(packed).first(3), zeros.size()));
  packed[0] ^= 1;
  EXPECT_FALSE(unpack(packed, zeros.size()));
}

}  // namespace
}  // namespace burin::store
