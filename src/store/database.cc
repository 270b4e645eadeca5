#include "store/database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::store {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

Result<void> execute(sqlite3* handle, const std::string& sql, const std::string& path) {
  const int code = sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Result<void>() : sqlite_error(handle, code, path);
}

Result<std::int64_t> ask(sqlite3* handle, const char* sql, const std::string& path) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr);
  std::int64_t answer = 0;
  if (code == SQLITE_OK) code = sqlite3_step(statement);
  if (code == SQLITE_ROW) answer = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  if (code != SQLITE_ROW) return sqlite_error(handle, code, path);
  return answer;
}

// The steps from `version` on, and what tells others of the result.
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

// A 32-bit number of the header: big-endian, unlike all that is ours.
std::uint32_t header_number(Bytes file, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t k = 0; k < 4; ++k) number = number << 8 | file[at + k];
  return number;
}

// False where a number of the header is one that SQLite never writes. SQLite's own words for these
// ("read-only", "unsupported file format") would mislead.
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

// SQLite itself notices a missing tail only when it happens to read there.
Result<void> check_whole(Bytes file, const std::string& path) {
  constexpr std::size_t kPageBytesAt = 16, kPagesAt = 28;
  if (file.size() < Database::kHeaderBytes) return Error{path + ": is truncated; copy it again"};
  const std::uint32_t size = header_number(file, kPageBytesAt) >> 16;
  const std::uint64_t page = size == 1 ? 65536 : size;
  const std::uint64_t pages = header_number(file, kPagesAt);
  if (file.size() >= pages * page) return {};
  return Error{fmt::format("{}: is truncated: has {} of {} bytes; copy it again", path,
                           with_commas(file.size()), with_commas(pages * page))};
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const {
  sqlite3_close_v2(handle);
}

bool Database::is_database(Bytes begin) {
  return begin.size() >= kMagic.size() &&
         std::memcmp(begin.data(), kMagic.data(), kMagic.size()) == 0;
}

bool Database::has_mark(Bytes begin, const FileKind& kind) {
  constexpr std::size_t kMarkAt = 68;
  return begin.size() >= kHeaderBytes && header_number(begin, kMarkAt) == kind.mark;
}

Result<Database::Handle> Database::connect(const std::string& path, const std::string& file,
                                           int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &raw, flags, nullptr);
  Handle handle(raw);
  if (code != SQLITE_OK) return sqlite_error(raw, code, path);
  sqlite3_extended_result_codes(raw, 1);
  // The file may come from anywhere: its schema calls no functions, and a page that lies is
  // noticed.
  sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (Result<void> set = execute(raw, "PRAGMA cell_size_check = ON", path); !set) {
    return set.error();
  }
  return handle;
}

Result<Database> Database::create(const std::string& path, const FileKind& kind) {
  if (std::filesystem::is_directory(path)) {
    return Error{path + ": is a directory; name a file in it"};
  }
  // The finished file takes the place of what is there: of /dev/null, too.
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    return Error{fmt::format("{}: is a device or a pipe; name a file for the {}", path, kind.noun)};
  }
  Database made;
  made.path_ = path;
  made.version_ = kind.version();
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  made.place_ = real ? real.get() : path;
  static std::atomic<unsigned> count{0};
  made.temporary_ = fmt::format("{}.part-{}-{}", made.place_, ::getpid(), count.fetch_add(1));
  Result<Handle> handle =
      connect(path, made.temporary_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!handle) return Error{path + ": cannot be written; check that its folder exists"};
  made.handle_ = std::move(*handle);
  // What is not finished is thrown away, so there is nothing to roll back to. Every table takes a
  // page at least: with small ones a small file stays small.
  const Result<void> ready = execute(made.handle_.get(),
                                     "PRAGMA page_size = 1024; PRAGMA journal_mode = OFF; "
                                     "PRAGMA synchronous = OFF; BEGIN",
                                     path);
  if (!ready) return ready.error();
  if (Result<void> built = bring_up_to_date(made.handle_.get(), kind, 0, path); !built) {
    return built.error();
  }
  return made;
}

// SQLite's database without a name is a private file that it deletes itself.
Result<Database::Handle> Database::migrate(Handle from, const std::string& path,
                                           const FileKind& kind, int version) {
  Result<Handle> copy = connect(path, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!copy) return copy;
  sqlite3_backup* backup = sqlite3_backup_init(copy->get(), "main", from.get(), "main");
  if (backup == nullptr) return sqlite_error(copy->get(), sqlite3_errcode(copy->get()), path);
  sqlite3_backup_step(backup, -1);
  if (const int code = sqlite3_backup_finish(backup); code != SQLITE_OK) {
    return sqlite_error(copy->get(), code, path);
  }
  if (Result<void> done = bring_up_to_date(copy->get(), kind, version, path); !done) {
    return done.error();
  }
  return copy;
}

Result<Database> Database::open(const std::string& path, const FileKind& kind) {
  {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    if (!is_database(file->bytes()) || !is_sound_header(file->bytes())) {
      return Error{
          has_mark(file->bytes(), kind)
              ? fmt::format("{}: is a {} with a damaged header; copy it again", path, kind.noun)
              : fmt::format("{}: is not a {}, or its header is damaged", path, kind.noun)};
    }
    if (Result<void> whole = check_whole(file->bytes(), path); !whole) return whole.error();
  }
  Database opened;
  opened.path_ = path;
  Result<Handle> handle = connect(path, path, SQLITE_OPEN_READONLY);
  if (!handle) return handle.error();
  const Result<std::int64_t> mark = ask(handle->get(), "PRAGMA application_id", path);
  if (!mark) return mark.error();
  if (static_cast<std::uint32_t>(*mark) != kind.mark) {
    return Error{fmt::format("{}: is a database but not a {}", path, kind.noun)};
  }
  const Result<std::int64_t> version = ask(handle->get(), "PRAGMA user_version", path);
  if (!version) return version.error();
  if (*version > kind.version()) {
    return Error{fmt::format(
        "{}: is a {} of version {}, but this burin reads up to version {}; install a newer burin",
        path, kind.noun, *version, kind.version())};
  }
  if (*version < 1) return Error{fmt::format("{}: is not a complete {}", path, kind.noun)};
  opened.version_ = static_cast<int>(*version);
  if (opened.version_ < kind.version()) {
    handle = migrate(std::move(*handle), path, kind, opened.version_);
    if (!handle) return handle.error();
  }
  opened.handle_ = std::move(*handle);
  return opened;
}

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, {})),
      version_(other.version_),
      handle_(std::move(other.handle_)),
      error_(std::move(other.error_)) {}

Database::~Database() {
  handle_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Statement Database::statement(std::string_view sql) const {
  Statement made(error_);
  made.path_ = path_;
  if (!ok()) return made;
  sqlite3_stmt* raw = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  made.statement_.reset(raw);
  if (code != SQLITE_OK) error_->emplace(sqlite_error(handle_.get(), code, path_));
  return made;
}

std::uint64_t Database::last_row() const {
  return static_cast<std::uint64_t>(sqlite3_last_insert_rowid(handle_.get()));
}

Result<void> Database::finish() {
  if (!ok()) return error();
  if (Result<void> done = execute(handle_.get(), "COMMIT", path_); !done) return done;
  // Statements that still live would keep the file open; it is renamed all the same.
  handle_.reset();
  if (std::rename(temporary_.c_str(), place_.c_str()) != 0) {
    return Error{path_ + ": cannot rename: " + std::strerror(errno)};
  }
  temporary_.clear();
  return {};
}

}  // namespace burin::store
