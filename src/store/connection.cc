#include "store/connection.h"

#include <sqlite3.h>

#include <bit>

#include "base/format.h"
#include "base/text.h"
#include "store/database.h"

namespace burin::store {
namespace {

// A 32-bit number of the header: big-endian, unlike all that is ours.
std::uint32_t header_number(Bytes file, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < 4; ++k) number = number << 8 | file[at + k];
  return number;
}

// False if a number of the header is one that SQLite never writes.
bool is_sound_header(Bytes file) {
  constexpr std::uint32_t kMaxVersion = 10'000;           // far above any of ours
  if (file.size() < Database::kHeaderBytes) return true;  // it is truncated
  const std::uint32_t page = header_number(file, 16) >> 16;
  const bool plausible_page = page == 1 || (page >= 512 && std::has_single_bit(page));
  const bool known_format = (file[18] == 1 || file[18] == 2) && (file[19] == 1 || file[19] == 2);
  const bool fixed = file[21] == 64 && file[22] == 32 && file[23] == 32;
  const std::uint32_t schema = header_number(file, 44), version = header_number(file, 60);
  return plausible_page && known_format && fixed && schema <= 4 && version <= kMaxVersion;
}

// The first row of the answer; `read` takes its value.
template <typename T, typename Read>
Result<T> first_row(sqlite3* handle, const char* sql, const std::string& path, Read read) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr);
  T answer{};
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  if (code == SQLITE_ROW) answer = read(statement);
  const Error failed = code == SQLITE_ROW ? Error{} : sqlite_error(handle, code, path);
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW) return failed;
  return answer;
}

}  // namespace

void CloseConnection::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

Result<Connection> connect(const std::string& path, const std::string& file, int flags) {
  constexpr int kPatienceMs = 10'000;  // another program, such as the sqlite3 shell, has the file
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Connection handle(raw);
  if (code != SQLITE_OK) return sqlite_error(raw, code, path);
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, kPatienceMs);
  // The file may come from anywhere: its schema calls no functions, and a page that lies is
  // noticed.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (Result<void> set = execute(raw, "PRAGMA cell_size_check = ON", path); !set) {
    return set.error();
  }
  return handle;
}

Result<void> execute(sqlite3* handle, const std::string& sql, const std::string& path) {
  const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Result<void>() : sqlite_error(handle, code, path);
}

Result<std::int64_t> ask_integer(sqlite3* handle, const char* sql, const std::string& path) {
  return first_row<std::int64_t>(handle, sql, path, [](sqlite3_stmt* row) {
    return static_cast<std::int64_t>(sqlite3_column_int64(row, 0));
  });
}

Result<std::string> ask_text(sqlite3* handle, const char* sql, const std::string& path) {
  return first_row<std::string>(handle, sql, path, [](sqlite3_stmt* row) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
    return std::string(text == nullptr ? "" : text);
  });
}

Result<void> bring_up_to_date(sqlite3* handle, const FileKind& kind, int version,
                              const std::string& path) {
  for (auto step = static_cast<std::size_t>(version); step < kind.steps.size(); ++step) {
    if (Result<void> done = execute(handle, kind.steps[step], path); !done) return done;
  }
  return execute(handle,
                 fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}",
                             static_cast<std::int32_t>(kind.mark), kind.version()),
                 path);
}

Result<int> check_kind(sqlite3* handle, const FileKind& kind, const std::string& path) {
  const Result<std::int64_t> mark = ask_integer(handle, "PRAGMA application_id", path);
  if (!mark) return mark.error();
  if (static_cast<std::uint32_t>(*mark) != kind.mark) {
    return Error{fmt::format("{}: is a database but not a {}", path, kind.noun)};
  }
  const Result<std::int64_t> version = ask_integer(handle, "PRAGMA user_version", path);
  if (!version) return version.error();
  if (*version > kind.version()) {
    return Error{fmt::format(
        "{}: is a {} of version {}, but this burin reads up to version {}; install a newer burin",
        path, kind.noun, *version, kind.version())};
  }
  if (*version < 1) return Error{fmt::format("{}: is not a complete {}", path, kind.noun)};
  return static_cast<int>(*version);
}

Result<void> check_header(Bytes file, const FileKind& kind, const std::string& path) {
  if (!Database::is_database(file) || !is_sound_header(file)) {
    return Error{
        Database::has_mark(file, kind)
            ? fmt::format("{}: is a {} with a damaged header; copy it again", path, kind.noun)
            : fmt::format("{}: is not a {}, or its header is damaged", path, kind.noun)};
  }
  if (file.size() < Database::kHeaderBytes) return Error{path + ": is truncated; copy it again"};
  return {};
}

std::uint64_t size_in_header(Bytes file) {
  constexpr std::size_t kPageBytesAt = 16, kPagesAt = 28;
  const std::uint32_t size = header_number(file, kPageBytesAt) >> 16;
  const std::uint64_t page = size == 1 ? 65536 : size;
  return header_number(file, kPagesAt) * page;
}

Error truncated(const std::string& path, std::uint64_t size, std::uint64_t whole) {
  return {fmt::format("{}: is truncated: has {} of {} bytes; copy it again", path,
                      with_commas(size), with_commas(whole))};
}

}  // namespace burin::store
