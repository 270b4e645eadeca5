// A database in one file. The caller defines the kind of file and the SQL that creates its tables;
// this folder knows neither, and is the only one that uses SQLite.
//
//   const FileKind kCaptures{.noun = "capture", .mark = 0x6275'7263, .steps = kSteps};
//   Result<Database> file = Database::create("app.burin", kCaptures);
//   Statement insert = file->statement("INSERT INTO process VALUES (?, ?)");
//   insert.run(1, "python train.py");
//   if (Result<void> done = file->finish(); !done) return done.error();
//
// Errors are sticky, as in a Cursor: after the first error nothing more is read or written, and
// error() returns it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "store/statement.h"

struct sqlite3;

namespace burin::store {

// Identifies a kind of file and its schema. `steps[k]` is the SQL that upgrades a file from version
// k to version k + 1; steps[0] creates all tables, and the current version is the number of steps.
// A step must never change once files exist that were made with it.
struct FileKind {
  std::string_view noun;   // for messages: "capture"
  std::uint32_t mark = 0;  // SQLite's application_id, which distinguishes it from other databases
  std::span<const char* const> steps{};

  int version() const { return static_cast<int>(steps.size()); }
};

class Database {
 public:
  // Creates a new file, which appears at `path` complete when finish() is called, or not at all.
  // Everything is one transaction.
  static Result<Database> create(const std::string& path, const FileKind& kind);

  // Opens a file for reading. A file of an older version is upgraded in a private copy; the file
  // itself is not changed. Returns an Error for a newer version, a damaged or truncated file, and a
  // file of any other kind.
  static Result<Database> open(const std::string& path, const FileKind& kind);

  static constexpr std::size_t kHeaderBytes = 100;

  // True if the file starts like a database. Does not check its kind or whether it is damaged.
  static bool is_database(Bytes begin);

  // True if the header has the mark of this kind of file. The first bytes may be damaged.
  static bool has_mark(Bytes begin, const FileKind& kind);

  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();  // an unfinished new file is removed

  Statement statement(std::string_view sql) const;
  std::uint64_t last_row() const;  // row id of the last inserted row

  bool ok() const { return !*error_; }
  const Error& error() const { return **error_; }
  const std::string& path() const { return path_; }
  int version() const { return version_; }  // version of the file when it was opened

  Result<void> finish();

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  using Handle = std::unique_ptr<sqlite3, Close>;

  Database() : error_(std::make_shared<std::optional<Error>>()) {}
  static Result<Handle> connect(const std::string& path, const std::string& file, int flags);
  static Result<Handle> migrate(Handle from, const std::string& path, const FileKind& kind,
                                int version);

  std::string path_;       // for messages
  std::string place_;      // final path of a new file
  std::string temporary_;  // path until finish()
  int version_ = 0;
  Handle handle_;
  std::shared_ptr<std::optional<Error>> error_;
};

}  // namespace burin::store
