// Is a row safe once its statement has returned, whatever happens to the writer, and can others
// read meanwhile?
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <thread>

#include "store/database.h"

namespace burin::store {
namespace {

constexpr std::array kFirst = {
    "CREATE TABLE row(id INTEGER PRIMARY KEY, name TEXT UNIQUE, bytes BLOB)"};
constexpr std::array kSecond = {kFirst[0], "ALTER TABLE row ADD COLUMN size INTEGER DEFAULT 7"};
const FileKind kOldLog{.noun = "log", .mark = 0x6c6f67, .steps = kFirst};
const FileKind kLog{.noun = "log", .mark = 0x6c6f67, .steps = kSecond};

// A child process that runs `work` with the writing end of a pipe.
struct Child {
  pid_t id = -1;
  int pipe = -1;

  explicit Child(const std::function<void(int)>& work) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    id = ::fork();
    if (id == 0) {
      ::close(ends[0]);
      work(ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    pipe = ends[0];
  }
  ~Child() {
    ::kill(id, SIGKILL);
    ::waitpid(id, nullptr, 0);
    ::close(pipe);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // The next number that the child reported; 0 at the end.
  std::uint32_t next() const {
    std::uint32_t number = 0;
    return ::read(pipe, &number, sizeof number) == sizeof number ? number : 0;
  }
};

void report(int pipe, std::uint32_t number) {
  if (::write(pipe, &number, sizeof number) != sizeof number) ::_exit(1);
}

class AppendTest : public testing::Test {
 protected:
  AppendTest()
      : folder_(std::filesystem::temp_directory_path() /
                ("burin-append-" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~AppendTest() override {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder_);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  static void insert(const Database& file, std::int64_t id, std::size_t bytes = 300) {
    const std::vector<std::uint8_t> filling(bytes, 42);
    Statement row = file.statement("INSERT INTO row(id, name, bytes) VALUES (?, ?, ?)");
    EXPECT_TRUE(row.run(id, "row " + std::to_string(id), Bytes(filling))) << row.error().message;
  }

  static std::vector<std::int64_t> rows(const Database& file) {
    std::vector<std::int64_t> found;
    Statement row = file.statement("SELECT id FROM row ORDER BY id");
    for (row.start(); row.next();) found.push_back(row.integer(0));
    EXPECT_TRUE(row.ok()) << row.error().message;
    return found;
  }
  std::vector<std::int64_t> rows(const std::string& name) const {
    const Result<Database> file = Database::open(path(name), kLog);
    EXPECT_TRUE(file) << file.error().message;
    return file ? rows(*file) : std::vector<std::int64_t>{};
  }

  // A child that appends row after row and reports each when it is safe.
  std::function<void(int)> endless_writer(const std::string& name) const {
    return [this, name](int pipe) {
      const Result<Database> file = Database::append(path(name), kLog);
      if (!file) ::_exit(1);
      const std::vector<std::int64_t> before = rows(*file);
      for (std::int64_t id = before.empty() ? 1 : before.back() + 1;; ++id) {
        insert(*file, id);
        report(pipe, static_cast<std::uint32_t>(id));
      }
    };
  }

  std::filesystem::path folder_;
};

using Ids = std::vector<std::int64_t>;

TEST_F(AppendTest, CreatesAFileAndContinuesIt) {
  {
    const Result<Database> file = Database::append(path("a"), kLog);
    ASSERT_TRUE(file) << file.error().message;
    insert(*file, 1);
  }
  EXPECT_EQ(files(), 1u);  // no log, journal or lock remains
  {
    const Result<Database> file = Database::append(path("a"), kLog);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(rows(*file), Ids{1});
    insert(*file, 2);
  }
  EXPECT_EQ(rows("a"), (Ids{1, 2}));
}

TEST_F(AppendTest, AnEmptyFileIsANewOne) {
  std::ofstream(path("a")).flush();
  const Result<Database> file = Database::append(path("a"), kLog);
  ASSERT_TRUE(file) << file.error().message;
  insert(*file, 1);
}

TEST_F(AppendTest, IsReadWhileItGrows) {
  const Child writer(endless_writer("a"));
  for (int k = 0; k < 20; ++k) {
    const std::uint32_t safe = writer.next();
    ASSERT_GT(safe, 0u);
    const Ids seen = rows("a");
    ASSERT_GE(seen.size(), safe);
    EXPECT_EQ(seen.back(), static_cast<std::int64_t>(seen.size()));  // no gap
  }
}

// Each transaction changes all rows, so that the log soon exceeds the file and is begun anew.
TEST_F(AppendTest, IsReadWhileItsLogIsBegunAnew) {
  const Child writer([this](int pipe) {
    Result<Database> file = Database::append(path("a"), kLog);
    if (!file || !file->begin()) ::_exit(1);
    for (std::int64_t id = 1; id <= 2000; ++id) insert(*file, id, 3000);
    if (!file->commit()) ::_exit(1);
    Statement update = file->statement("UPDATE row SET size = ?");
    for (std::uint32_t generation = 8;; ++generation) {
      if (!update.run(generation)) ::_exit(1);
      report(pipe, generation);
    }
  });
  for (int k = 0; k < 30; ++k) {
    const std::uint32_t safe = writer.next();
    ASSERT_GT(safe, 0u);
    const Result<Database> file = Database::open(path("a"), kLog);
    ASSERT_TRUE(file) << file.error().message;
    Statement row = file->statement("SELECT min(size), max(size), count(*) FROM row");
    row.start();
    ASSERT_TRUE(row.next()) << row.error().message;
    EXPECT_GE(row.integer(0), safe);
    EXPECT_EQ(row.integer(0), row.integer(1));  // transactions are seen whole
    EXPECT_EQ(row.integer(2), 2000);
  }
}

TEST_F(AppendTest, TheWritersProcessReadsToo) {
  const Result<Database> file = Database::append(path("a"), kLog);
  ASSERT_TRUE(file);
  insert(*file, 1);
  EXPECT_EQ(rows("a"), Ids{1});
  insert(*file, 2);
  EXPECT_EQ(rows("a"), (Ids{1, 2}));
  // Reading has not released the writer's lock.
  int status = 0;
  const pid_t other = ::fork();
  if (other == 0) ::_exit(Database::append(path("a"), kLog) ? 1 : 0);
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

TEST_F(AppendTest, KeepsEveryCommittedRowOfAKilledWriter) {
  std::mt19937 random(7);
  std::int64_t safe = 0;
  for (int round = 0; round < 25; ++round) {
    {
      const Child writer(endless_writer("a"));
      const std::uint32_t first = writer.next();
      ASSERT_EQ(first, safe + 1) << "a row was lost or is there twice";
      safe = first;
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
      ::kill(writer.id, SIGKILL);
      while (const std::uint32_t id = writer.next()) safe = id;
    }
    const Ids seen = rows("a");
    // One row may have been committed but not yet reported.
    ASSERT_GE(seen.size(), static_cast<std::size_t>(safe));
    ASSERT_LE(seen.size(), static_cast<std::size_t>(safe) + 1);
    ASSERT_EQ(seen.back(), static_cast<std::int64_t>(seen.size()));
    safe = seen.back();
  }
}

TEST_F(AppendTest, SurvivesAKillAtAnyMomentOfItsCreation) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    const std::string name = "a" + std::to_string(round);
    {
      const Child writer(endless_writer(name));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    }
    const Result<Database> file = Database::append(path(name), kLog);
    ASSERT_TRUE(file) << file.error().message;
    insert(*file, 1'000'000);
  }
}

TEST_F(AppendTest, AnUncommittedTransactionIsDropped) {
  {
    const Child writer([this](int pipe) {
      Result<Database> file = Database::append(path("a"), kLog);
      insert(*file, 1);
      if (!file->begin()) ::_exit(1);
      for (std::int64_t id = 2; id < 5000; ++id) insert(*file, id, 2000);  // more than is cached
      report(pipe, 1);
      ::pause();
    });
    ASSERT_EQ(writer.next(), 1u);
    EXPECT_EQ(rows("a"), Ids{1});
  }
  EXPECT_EQ(rows("a"), Ids{1});
  const Result<Database> file = Database::append(path("a"), kLog);
  ASSERT_TRUE(file);
  EXPECT_EQ(rows(*file), Ids{1});
}

TEST_F(AppendTest, ASecondWriterIsRefusedInWords) {
  const Child writer(endless_writer("a"));
  ASSERT_EQ(writer.next(), 1u);
  std::filesystem::create_symlink(path("a"), path("link"));
  for (const char* name : {"a", "link"}) {
    const Result<Database> second = Database::append(path(name), kLog);
    ASSERT_FALSE(second);
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    EXPECT_EQ(second.error().message, path(name) + ": this log is being written by process " +
                                          std::to_string(writer.id) + " on host " + host.data() +
                                          "; wait until it ends or name another file");
  }
}

TEST_F(AppendTest, ASecondWriterInTheSameProcessIsRefused) {
  const Result<Database> first = Database::append(path("a"), kLog);
  ASSERT_TRUE(first);
  const Result<Database> second = Database::append(path("a"), kLog);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("is being written by this process"), std::string::npos);
  insert(*first, 1);
}

TEST_F(AppendTest, TheLockOfADeadWriterIsNone) {
  {
    const Child writer(endless_writer("a"));
    ASSERT_EQ(writer.next(), 1u);
  }
  EXPECT_TRUE(std::filesystem::exists(path("a.lock")));
  EXPECT_TRUE(Database::append(path("a"), kLog));
  EXPECT_FALSE(std::filesystem::exists(path("a.lock")));
}

// A worker that a tuner forked may outlive it.
TEST_F(AppendTest, AChildOfADeadWriterDoesNotKeepTheLock) {
  const Child writer([this](int pipe) {
    const Result<Database> file = Database::append(path("a"), kLog);
    insert(*file, 1);
    const pid_t orphan = ::fork();
    if (orphan == 0) {
      ::pause();
      ::_exit(0);
    }
    report(pipe, static_cast<std::uint32_t>(orphan));
    ::pause();
  });
  const auto orphan = static_cast<pid_t>(writer.next());
  ASSERT_GT(orphan, 0);
  ::kill(writer.id, SIGKILL);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(writer.id), &ended, WEXITED | WNOWAIT), 0);
  const Result<Database> file = Database::append(path("a"), kLog);
  EXPECT_TRUE(file) << file.error().message;
  ::kill(orphan, SIGKILL);
}

TEST_F(AppendTest, UpgradesAnOlderVersionInPlace) {
  {
    const Result<Database> old = Database::append(path("a"), kOldLog);
    ASSERT_TRUE(old);
    insert(*old, 1);
  }
  {
    const Result<Database> file = Database::append(path("a"), kLog);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->version(), 1);
    Statement row = file->statement("SELECT size FROM row");
    row.start();
    ASSERT_TRUE(row.next());
    EXPECT_EQ(row.integer(0), 7);
  }
  const Result<Database> again = Database::append(path("a"), kLog);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->version(), 2);
  const Result<Database> newer = Database::open(path("a"), kOldLog);
  ASSERT_FALSE(newer);
  EXPECT_NE(newer.error().message.find("install a newer burin"), std::string::npos);
}

TEST_F(AppendTest, AFailedUpgradeChangesNothing) {
  constexpr std::array kWrong = {kFirst[0],
                                 "ALTER TABLE row ADD COLUMN x INTEGER; CREATE TABLE row(id)"};
  const FileKind wrong{.noun = "log", .mark = kLog.mark, .steps = kWrong};
  {
    const Result<Database> old = Database::append(path("a"), kOldLog);
    insert(*old, 1);
  }
  EXPECT_FALSE(Database::append(path("a"), wrong));
  const Result<Database> file = Database::append(path("a"), kOldLog);
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(rows(*file), Ids{1});
}

TEST_F(AppendTest, ReadsAnOlderVersionThatHasAWriter) {
  const Result<Database> old = Database::append(path("a"), kOldLog);
  ASSERT_TRUE(old);
  insert(*old, 1);
  const Result<Database> file = Database::open(path("a"), kLog);
  ASSERT_TRUE(file) << file.error().message;
  Statement row = file->statement("SELECT size FROM row");
  row.start();
  ASSERT_TRUE(row.next());
  EXPECT_EQ(row.integer(0), 7);
}

TEST_F(AppendTest, RefusesOtherFilesAndLeavesThem) {
  std::ofstream(path("text")) << "hello";
  const Result<Database> text = Database::append(path("text"), kLog);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message, path("text") + ": is not a log, or its header is damaged");
  EXPECT_EQ(std::filesystem::file_size(path("text")), 5u);

  {
    EXPECT_TRUE(Database::append(path("log"), kLog));
  }
  const FileKind other{.noun = "capture", .mark = 1, .steps = kFirst};
  const Result<Database> capture = Database::append(path("log"), other);
  ASSERT_FALSE(capture);
  EXPECT_EQ(capture.error().message, path("log") + ": is a database but not a capture");

  const Result<Database> folder = Database::append(folder_.string(), kLog);
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("is a directory"), std::string::npos);
  const Result<Database> nowhere = Database::append(path("nowhere/a"), kLog);
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("its folder does not exist"), std::string::npos);
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(Database::append(path("pipe"), kLog));
}

TEST_F(AppendTest, RefusesATruncatedFile) {
  {
    const Result<Database> file = Database::append(path("whole"), kLog);
    for (std::int64_t id = 1; id < 200; ++id) insert(*file, id);
  }
  const auto size = std::filesystem::file_size(path("whole"));
  for (std::uintmax_t keep = 1; keep < size; keep += 1 + size / 20) {
    std::filesystem::copy_file(path("whole"), path("part"),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path("part"), keep);
    const Result<Database> appended = Database::append(path("part"), kLog);
    ASSERT_FALSE(appended) << keep;
    const Result<Database> opened = Database::open(path("part"), kLog);
    ASSERT_FALSE(opened) << keep;
    EXPECT_EQ(appended.error().message, opened.error().message);
  }
}

// What a killed writer left, truncated: its log may or may not fill the gap. Rows that are given
// are rows that were there.
TEST_F(AppendTest, ATruncatedFileWithALogGivesNoWrongRows) {
  {
    const Child writer([this](int pipe) {
      const Result<Database> file = Database::append(path("a"), kLog);
      for (std::int64_t id = 1; id < 600; ++id) insert(*file, id, 2000);
      report(pipe, 1);
      ::pause();
    });
    ASSERT_EQ(writer.next(), 1u);
  }
  const auto size = std::filesystem::file_size(path("a"));
  std::filesystem::copy_file(path("a-wal"), path("part-wal"));
  for (std::uintmax_t keep = 0; keep < size; keep += 4096 * 7) {
    std::filesystem::copy_file(path("a"), path("part"),
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(path("part"), keep);
    const Result<Database> opened = Database::open(path("part"), kLog);
    if (!opened) continue;
    Statement row = opened->statement("SELECT id, name FROM row");
    for (row.start(); row.next();) EXPECT_EQ(row.text(1), "row " + std::to_string(row.integer(0)));
  }
}

TEST_F(AppendTest, ReadsFromAReadOnlyFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "nothing is read-only for root";
  const Child writer(endless_writer("a"));
  ASSERT_EQ(writer.next(), 1u);
  std::filesystem::permissions(
      folder_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_GE(rows("a").size(), 1u);
  ::kill(writer.id, SIGKILL);
  while (writer.next() != 0) {
  }
  EXPECT_GE(rows("a").size(), 1u);
  const Result<Database> second = Database::append(path("b"), kLog);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("cannot be written"), std::string::npos);
}

// A reader leaves nothing behind and changes nothing, not even what a killed writer left.
TEST_F(AppendTest, ReadingChangesNothing) {
  {
    const Child writer(endless_writer("a"));
    while (writer.next() < 10) {
    }
  }
  const std::size_t before = files();
  const auto log = std::filesystem::file_size(path("a-wal"));
  const auto time = std::filesystem::last_write_time(path("a"));
  EXPECT_GE(rows("a").size(), 10u);
  EXPECT_EQ(files(), before);
  EXPECT_EQ(std::filesystem::file_size(path("a-wal")), log);
  EXPECT_EQ(std::filesystem::last_write_time(path("a")), time);
}

// A limit on the size of files stands for a full disk.
TEST_F(AppendTest, AFullDiskLosesNothingCommitted) {
  std::uint32_t safe = 0;
  {
    const Child writer([this](int pipe) {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{200'000, 200'000};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      Result<Database> file = Database::append(path("a"), kLog);
      const std::vector<std::uint8_t> filling(2000, 42);
      for (std::uint32_t id = 1;; ++id) {
        Statement row = file->statement("INSERT INTO row(id, bytes) VALUES (?, ?)");
        if (!row.run(id, Bytes(filling))) break;
        report(pipe, id);
      }
      // Nothing is written after the first error.
      const bool refused = !file->begin() && !file->commit() && !file->ok();
      const bool in_words = file->error().message.find("full") != std::string::npos;
      if (!refused || !in_words) report(pipe, 1'000'000);
    });
    while (const std::uint32_t id = writer.next()) safe = id;
  }
  ASSERT_GT(safe, 10u);
  ASSERT_LT(safe, 1'000'000u);
  EXPECT_EQ(rows("a").size(), safe);
  const Result<Database> file = Database::append(path("a"), kLog);
  ASSERT_TRUE(file) << file.error().message;
  insert(*file, 1'000'000);
}

TEST_F(AppendTest, CountsChanges) {
  const Result<Database> file = Database::append(path("a"), kLog);
  Statement row = file->statement("INSERT OR IGNORE INTO row(name) VALUES (?)");
  EXPECT_TRUE(row.run("x"));
  EXPECT_EQ(file->changes(), 1u);
  EXPECT_TRUE(row.run("x"));
  EXPECT_EQ(file->changes(), 0u);
}

}  // namespace
}  // namespace burin::store
