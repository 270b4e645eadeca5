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

struct sqlite3;
struct sqlite3_stmt;

namespace burin {

// `steps[k]` is the SQL that brings a file of version k to version k + 1; the first one makes all
// tables, and the newest version is the number of steps. A step is never changed once files exist
// that were made with it.
struct FileKind {
  std::string_view noun;   // for messages: "capture"
  std::uint32_t mark = 0;  // SQLite's application_id, so that no other database is taken for one
  std::span<const char* const> steps{};

  int version() const { return static_cast<int>(steps.size()); }
};

// A query or a change, compiled once and run many times. Must not outlive its Database.
class Statement {
 public:
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;
  ~Statement() = default;

  // For what returns no rows: the values are those of the question marks, in order. A whole number,
  // a real one, text, bytes, or an optional of these, where nothing is NULL.
  template <typename... Values>
  bool run(const Values&... values) {
    start(values...);
    next();
    return ok();
  }

  // For what returns rows: start(values…), and then `while (next())` reads the columns.
  template <typename... Values>
  void start(const Values&... values) {
    begin();
    int at = 0;
    (bind(++at, values), ...);
  }
  bool next();

  std::int64_t integer(int column) const;
  std::uint64_t number(int column) const { return static_cast<std::uint64_t>(integer(column)); }
  double real(int column) const;
  std::string text(int column) const;
  Bytes bytes(int column) const;  // until the next call of next() or start()
  bool is_null(int column) const;
  std::optional<std::int64_t> maybe(int column) const;

  bool ok() const { return !*error_; }
  const Error& error() const { return **error_; }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(std::shared_ptr<std::optional<Error>> error) : error_(std::move(error)) {}

  void begin();
  void bind(int at, std::int64_t value);
  void bind(int at, std::uint64_t value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, std::uint32_t value) { bind(at, std::int64_t{value}); }
  void bind(int at, std::int32_t value) { bind(at, std::int64_t{value}); }
  void bind(int at, bool value) { bind(at, std::int64_t{value}); }
  void bind(int at, double value);
  void bind(int at, std::string_view value);
  void bind(int at, const std::string& value) { bind(at, std::string_view(value)); }
  void bind(int at, const char* value) { bind(at, std::string_view(value)); }
  void bind(int at, Bytes value);
  template <typename T>
  void bind(int at, const std::optional<T>& value) {
    if (value) bind(at, *value);  // begin() has made every parameter NULL
  }

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  // One per database, as after a failed write nothing else is to be trusted either.
  std::shared_ptr<std::optional<Error>> error_;
  std::string path_;
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

}  // namespace burin
