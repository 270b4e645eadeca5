// SQLite connections, and the checks that a file must pass before SQLite may read it: SQLite's own
// messages about damaged files ("read-only", "unsupported file format") would mislead.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

struct sqlite3;

namespace burin::store {

struct FileKind;

struct CloseConnection {
  void operator()(sqlite3* handle) const;
};
using Connection = std::unique_ptr<sqlite3, CloseConnection>;

// Opens `file` with SQLite's `flags`. Errors name `path`.
Result<Connection> connect(const std::string& path, const std::string& file, int flags);

// Runs SQL that returns nothing of interest.
Result<void> execute(sqlite3* handle, const std::string& sql, const std::string& path);

// The first column of the first row.
Result<std::int64_t> ask_integer(sqlite3* handle, const char* sql, const std::string& path);
Result<std::string> ask_text(sqlite3* handle, const char* sql, const std::string& path);

// Runs the kind's steps from `version` on and sets its mark and version. The caller has begun a
// transaction, or works on a private copy.
Result<void> bring_up_to_date(sqlite3* handle, const FileKind& kind, int version,
                              const std::string& path);

// The file's version, at least 1. Returns an Error for another kind and for a newer version.
Result<int> check_kind(sqlite3* handle, const FileKind& kind, const std::string& path);

// Returns an Error unless the file begins like a database.
Result<void> check_header(Bytes file, const FileKind& kind, const std::string& path);

// Size of the file according to its header, in bytes. The header must be complete.
std::uint64_t size_in_header(Bytes file);

// The Error for a file that has `size` bytes and should have `whole`.
Error truncated(const std::string& path, std::uint64_t size, std::uint64_t whole);

}  // namespace burin::store
