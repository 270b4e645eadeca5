// A SQL statement of a database.
//
//   Statement row = database.statement("SELECT id, name FROM kernel WHERE module = ?");
//   for (row.start(module); row.next();) row.number(0), row.text(1) …
//   if (!row.ok()) return row.error();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace burin::store {

// A prepared statement, compiled once and run many times. Must not outlive its Database.
class Statement {
 public:
  Statement(Statement&&) noexcept = default;
  Statement& operator=(Statement&&) noexcept = default;
  ~Statement() = default;

  // Runs a statement that returns no rows. `values` are the parameters (question marks), in order:
  // integers, floating-point numbers, text, bytes, or optionals of these types, where nullopt is
  // NULL.
  template <typename... Values>
  bool run(const Values&... values) {
    start(values...);
    next();
    return ok();
  }

  // Runs a statement that returns rows: call start(values…), then read the columns in `while
  // (next())`.
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
  Bytes bytes(int column) const;  // valid until the next call of next() or start()
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
    if (value) bind(at, *value);  // begin() has set every parameter to NULL
  }

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  // Shared by all statements of a database: after a failed write nothing else can be trusted.
  std::shared_ptr<std::optional<Error>> error_;
  std::string path_;
};

// Describes an SQLite result code as an Error about the file at `path`; `handle` may be null.
Error sqlite_error(sqlite3* handle, int code, const std::string& path);

}  // namespace burin::store
