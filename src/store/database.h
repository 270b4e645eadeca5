// One file that is a database. Whoever keeps something in one says what kind of file it is and how
// its tables came to be; this room knows neither, and is the only one that sees SQLite.
//
//   const FileKind kCaptures{.noun = "capture", .mark = 0x6275'7263, .steps = kSteps};
//   Result<Database> file = Database::create("app.burin", kCaptures);
//   Statement insert = file->statement("INSERT INTO process VALUES (?, ?)");
//   insert.run(1, "python train.py");
//   if (Result<void> done = file->finish(); !done) return done.error();
//
// Errors are remembered, as a Cursor does: after the first one nothing is read or written any more,
// and error() has the sentence.
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

// `steps[k]` is the SQL that brings a file of version k to version k + 1; the first one makes all
// tables, and the newest version is the number of steps. A step is never changed once files exist
// that were made with it.
struct FileKind {
  std::string_view noun;   // for messages: "capture"
  std::uint32_t mark = 0;  // SQLite's application_id, so that no other database is taken for one
  std::span<const char* const> steps{};

  int version() const { return static_cast<int>(steps.size()); }
};

class Database {
 public:
  // A new file that appears whole at `path` when finish() is called, or not at all. Everything is
  // one transaction.
  static Result<Database> create(const std::string& path, const FileKind& kind);

  // To be read. A file of an older version is brought up to date in a private copy; it stays as it
  // is. A newer version, a damaged or truncated file and any other file are refused in words.
  static Result<Database> open(const std::string& path, const FileKind& kind);

  // Whether the file begins as databases do. Says nothing of its kind or health.
  static bool is_database(Bytes begin);

  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();  // unfinished: nothing is left of it

  Statement statement(std::string_view sql) const;
  std::uint64_t last_row() const;  // the number of the row that was inserted last

  bool ok() const { return !*error_; }
  const Error& error() const { return **error_; }
  const std::string& path() const { return path_; }
  int version() const { return version_; }  // that the file had when it was opened

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
  std::string place_;      // where a new file goes
  std::string temporary_;  // where it is meanwhile
  int version_ = 0;
  Handle handle_;
  std::shared_ptr<std::optional<Error>> error_;
};

}  // namespace burin::store
