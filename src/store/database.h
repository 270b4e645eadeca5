// A database in one file. The caller defines the kind of file and the SQL that creates its tables;
// this folder knows neither, and is the only one that uses SQLite.
//
//   const FileKind kCaptures{.noun = "capture", .mark = 0x6275'7263, .steps = kSteps};
//   Result<Database> file = Database::create("app.burin", kCaptures);
//   Statement insert = file->statement("INSERT INTO process VALUES (?, ?)");
//   insert.run(1, "python train.py");
//   if (Result<void> done = file->finish(); !done) return done.error();
//
// A file that grows while others read it:
//
//   Result<Database> file = Database::append("a.session", kSessions);   // new, or existing
//   insert.run(…)                  // on disk when run() returns: kill -9 and power loss keep it
//   file->begin(); …; file->commit()                                    // several rows at once
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
#include "base/temporary_folder.h"
#include "store/connection.h"
#include "store/statement.h"
#include "store/writer_lock.h"

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

  // Opens a file for appending and reading, and creates it if it does not exist or is empty. An
  // older version is upgraded in place, in one transaction. There is one writer at a time: a second
  // one gets an Error that names the first. What a killed writer had committed is kept, what it had
  // not is dropped. When the last Database closes it, the file is complete in itself; until then
  // its newest rows are in PATH-wal.
  static Result<Database> append(const std::string& path, const FileKind& kind);

  // Opens a file for reading. A file of an older version is upgraded in a private copy; the file
  // itself is not changed. A file that is being appended to, here or on another host, or that a
  // killed writer left, is read as it was when it was opened. Returns an Error for a newer version,
  // a damaged or truncated file, and a file of any other kind.
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
  std::uint64_t changes() const;   // rows that the last INSERT, UPDATE or DELETE changed

  bool ok() const { return !*error_; }
  const Error& error() const { return **error_; }
  const std::string& path() const { return path_; }
  int version() const { return version_; }  // version of the file when it was opened

  Result<void> finish();  // after create()

  // After append(): what is run between them is written together or not at all. Without them each
  // statement is a transaction of its own.
  Result<void> begin();
  Result<void> commit();

 private:
  Database() : error_(std::make_shared<std::optional<Error>>()) {}
  Result<void> run(const char* sql);
  Result<void> prepare_to_append(const FileKind& kind);

  std::string path_;       // for messages
  std::string place_;      // final path of a new file
  std::string temporary_;  // path until finish()
  int version_ = 0;
  std::optional<WriterLock> lock_;       // after append()
  std::optional<TemporaryFolder> copy_;  // of a private copy that is read
  Connection handle_;
  std::shared_ptr<std::optional<Error>> error_;
};

}  // namespace burin::store
