#include "store/statement.h"

#include <sqlite3.h>

#include <array>

#include "base/format.h"

namespace burin::store {
namespace {

// What SQLite's result codes are to the user; any other is told in SQLite's own words.
struct Cause {
  int code;
  const char* sentence;
};
constexpr std::array<Cause, 8> kCauses = {{
    {SQLITE_FULL, "the disk is full; free some space and try again"},
    {SQLITE_IOERR, "I/O error; check that the disk is neither full nor disconnected"},
    {SQLITE_CORRUPT, "is corrupt; copy it again or record it again"},
    {SQLITE_NOTADB, "is corrupt; copy it again or record it again"},
    {SQLITE_NOMEM, "not enough memory to read it"},
    {SQLITE_READONLY, "cannot be written; the file or its folder is read-only"},
    {SQLITE_BUSY, "is in use by another program; close it and try again"},
    {SQLITE_TOOBIG, "an item in it is too large for the database"},
}};

}  // namespace

Error sqlite_error(sqlite3* handle, int code, const std::string& path) {
  for (const Cause& cause : kCauses) {
    if (cause.code == (code & 0xff)) return Error{path + ": " + cause.sentence};
  }
  return Error{fmt::format("{}: SQLite error: {}", path,
                           handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle))};
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::begin() {
  if (!ok()) return;
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

bool Statement::next() {
  if (!ok()) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) {
    error_->emplace(sqlite_error(sqlite3_db_handle(statement_.get()), code, path_));
  }
  sqlite3_reset(statement_.get());
  return false;
}

void Statement::bind(int at, std::int64_t value) {
  if (ok()) sqlite3_bind_int64(statement_.get(), at, value);
}
void Statement::bind(int at, double value) {
  if (ok()) sqlite3_bind_double(statement_.get(), at, value);
}
// Text and bytes outlive the statement's step: run() has them as its arguments, and whoever calls
// start() goes on to next() at once. They are copied all the same, as a row may be asked for later.
void Statement::bind(int at, std::string_view value) {
  if (!ok()) return;
  sqlite3_bind_text64(statement_.get(), at, value.data(), value.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
}
void Statement::bind(int at, Bytes value) {
  if (!ok()) return;
  // An empty span's null pointer would be taken for NULL.
  if (value.empty()) {
    sqlite3_bind_zeroblob(statement_.get(), at, 0);
    return;
  }
  const int code =
      sqlite3_bind_blob64(statement_.get(), at, value.data(), value.size(), SQLITE_TRANSIENT);
  if (code != SQLITE_OK) error_->emplace(sqlite_error(nullptr, code, path_));
}

std::int64_t Statement::integer(int column) const {
  return ok() ? sqlite3_column_int64(statement_.get(), column) : 0;
}
double Statement::real(int column) const {
  return ok() ? sqlite3_column_double(statement_.get(), column) : 0;
}
std::string Statement::text(int column) const {
  if (!ok()) return "";
  const auto* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return "";
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
Bytes Statement::bytes(int column) const {
  if (!ok()) return {};
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  if (bytes == nullptr) return {};
  return {static_cast<const std::uint8_t*>(bytes),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}
bool Statement::is_null(int column) const {
  return !ok() || sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}
std::optional<std::int64_t> Statement::maybe(int column) const {
  if (is_null(column)) return std::nullopt;
  return integer(column);
}

}  // namespace burin::store
