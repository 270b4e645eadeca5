#include "store/database.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/file.h"
#include "base/format.h"
#include "store/snapshot.h"

namespace burin::store {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

// The same database with the schema of today, in a private file that SQLite deletes itself: its
// database without a name.
Result<Connection> migrated_copy(Connection from, const std::string& path, const FileKind& kind,
                                 int version) {
  Result<Connection> copy = connect(path, "", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
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

// SQLite itself notices a missing tail only when it happens to read there. Where a writer was
// killed while it copied pages from its log to the file, the file ends early, but nothing is
// missing once the log has been read.
Result<void> check_pages(sqlite3* handle, const std::string& path, std::uint64_t size,
                         std::uint64_t whole) {
  if (size >= whole) return {};
  const Result<std::string> answer = ask_text(handle, "PRAGMA quick_check(1)", path);
  if (!answer || *answer != "ok") return truncated(path, size, whole);
  return {};
}

// After each commit: copies the pages of the log to the file once the log has become as large as
// the file, after which SQLite begins the log anew. SQLite's own limit of a thousand pages would
// not leave a reader the time to copy a large file in between (store/snapshot.h).
int copy_log_to_file(void* descriptor, sqlite3* handle, const char* database, int frames) {
  constexpr std::int64_t kMinFrames = 1000, kPageBytes = 4096;
  struct stat status{};
  ::fstat(static_cast<const Descriptor*>(descriptor)->number(), &status);
  if (frames < std::max<std::int64_t>(kMinFrames, status.st_size / kPageBytes)) return SQLITE_OK;
  // If it fails, as on a full disk, the log goes on to grow, and nothing is lost.
  sqlite3_wal_checkpoint_v2(handle, database, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  return SQLITE_OK;
}

}  // namespace

bool Database::is_database(Bytes begin) {
  return begin.size() >= kMagic.size() &&
         std::memcmp(begin.data(), kMagic.data(), kMagic.size()) == 0;
}

bool Database::has_mark(Bytes begin, const FileKind& kind) {
  constexpr std::size_t kMarkAt = 68;
  if (begin.size() < kHeaderBytes) return false;
  std::uint32_t mark = 0;
  for (std::size_t k = 0; k < 4; ++k) mark = mark << 8 | begin[kMarkAt + k];
  return mark == kind.mark;
}

Result<Database> Database::create(const std::string& path, const FileKind& kind) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    return Error{path + ": is a directory; name a file in it"};
  }
  // The finished file takes the place of what is there: of /dev/null, too.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
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
  Result<Connection> handle =
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

Result<Database> Database::open(const std::string& path, const FileKind& kind) {
  Database opened;
  opened.path_ = path;
  std::string file = path;
  int flags = SQLITE_OPEN_READONLY;
  if (needs_snapshot(path)) {
    Result<Snapshot> snapshot = take_snapshot(path);
    if (!snapshot) return snapshot.error();
    opened.copy_.emplace(std::move(snapshot->folder));
    file = snapshot->file;
    flags = SQLITE_OPEN_READWRITE;  // SQLite completes the copy from its log
  }
  std::uint64_t size = 0, whole = 0;
  {
    const Result<MappedFile> mapped = MappedFile::open(file);
    if (!mapped) return opened.copy_ ? Error{path + ": is empty"} : mapped.error();
    if (Result<void> checked = check_header(mapped->bytes(), kind, path); !checked) {
      return checked.error();
    }
    size = mapped->bytes().size();
    whole = size_in_header(mapped->bytes());
  }
  if (!opened.copy_ && size < whole) return truncated(path, size, whole);
  Result<Connection> handle = connect(path, file, flags);
  if (!handle) return handle.error();
  if (Result<void> all = check_pages(handle->get(), path, size, whole); !all) return all.error();
  const Result<int> version = check_kind(handle->get(), kind, path);
  if (!version) return version.error();
  opened.version_ = *version;
  if (opened.version_ < kind.version()) {
    handle = migrated_copy(std::move(*handle), path, kind, opened.version_);
    if (!handle) return handle.error();
  }
  opened.handle_ = std::move(*handle);
  return opened;
}

// A write-ahead log, because a transaction then costs one fsync instead of four (2.8 ms against
// 20 ms on a virtual disk), and because readers can copy it at any time (store/snapshot.h). With
// locking_mode EXCLUSIVE the log's index is in the writer's memory: SQLite maps no file, so that
// the writer may be on NFS, and programs other than burin cannot open the file meanwhile.
// synchronous FULL is what makes a commit survive a power failure; with NORMAL it would survive
// only the end of the process.
Result<void> Database::prepare_to_append(const FileKind& kind) {
  const Result<std::int64_t> pages = ask_integer(handle_.get(), "PRAGMA page_count", path_);
  if (!pages) return pages.error();
  version_ = kind.version();
  int upgrade_from = 0;
  if (*pages > 0) {
    const Result<int> version = check_kind(handle_.get(), kind, path_);
    if (!version) return version.error();
    version_ = upgrade_from = *version;
  }
  // The tables come first and the log second: a writer that is killed in between leaves an empty
  // file or a file of its kind.
  if (upgrade_from < kind.version()) {
    if (Result<void> begun = run("BEGIN IMMEDIATE"); !begun) return begun;
    if (Result<void> done = bring_up_to_date(handle_.get(), kind, upgrade_from, path_); !done) {
      return done;
    }
    if (Result<void> done = run("COMMIT"); !done) return done;
  }
  sqlite3_wal_hook(handle_.get(), copy_log_to_file, lock_->file());
  const Result<std::string> mode = ask_text(handle_.get(), "PRAGMA journal_mode = WAL", path_);
  if (!mode) return mode.error();
  // Where there can be no log, a journal does: slower, and as safe with EXTRA.
  return *mode == "wal" ? Result<void>() : run("PRAGMA synchronous = EXTRA");
}

Result<Database> Database::append(const std::string& path, const FileKind& kind) {
  Database opened;
  opened.path_ = path;
  Result<WriterLock> lock = WriterLock::take(path, kind.noun);
  if (!lock) return lock.error();
  opened.lock_.emplace(std::move(*lock));
  const std::string& file = opened.lock_->real();
  std::array<std::uint8_t, kHeaderBytes> header{};
  struct stat status{};
  const ssize_t read = ::pread(opened.lock_->file()->number(), header.data(), header.size(), 0);
  if (read < 0 || ::fstat(opened.lock_->file()->number(), &status) != 0) {
    return Error{path + ": cannot read: " + std::strerror(errno)};
  }
  const Bytes begin(header.data(), static_cast<std::size_t>(read));
  std::uint64_t whole = 0;
  if (!begin.empty()) {
    if (Result<void> checked = check_header(begin, kind, path); !checked) return checked.error();
    whole = size_in_header(begin);
  }
  Result<Connection> handle = connect(path, file, SQLITE_OPEN_READWRITE);
  if (!handle) return handle.error();
  opened.handle_ = std::move(*handle);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  Result<void> ready = opened.run("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL");
  if (!ready && size < whole) ready = truncated(path, size, whole);
  if (ready) ready = check_pages(opened.handle_.get(), path, size, whole);
  if (ready) ready = opened.prepare_to_append(kind);
  if (!ready) {
    opened.handle_.reset();
    if (opened.lock_->created()) ::unlink(file.c_str());
    return ready.error();
  }
  return opened;
}

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, {})),
      version_(other.version_),
      lock_(std::exchange(other.lock_, std::nullopt)),
      copy_(std::exchange(other.copy_, std::nullopt)),
      handle_(std::move(other.handle_)),
      error_(std::move(other.error_)) {}

Database::~Database() {
  // The log is copied to the file and removed. Where that fails, as on a full disk, nothing is
  // lost.
  if (lock_ && handle_ != nullptr) {
    if (lock_->is_ours()) {
      (void)run("PRAGMA journal_mode = DELETE");
    } else {
      (void)handle_.release();  // a forked child must not touch its parent's connection
    }
  }
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

std::uint64_t Database::changes() const {
  return static_cast<std::uint64_t>(sqlite3_changes64(handle_.get()));
}

Result<void> Database::run(const char* sql) {
  return execute(handle_.get(), sql, path_);
}

Result<void> Database::begin() {
  if (!ok()) return error();
  Result<void> begun = run("BEGIN IMMEDIATE");
  if (!begun) error_->emplace(begun.error());
  return begun;
}

Result<void> Database::commit() {
  if (!ok()) return error();
  Result<void> done = run("COMMIT");
  if (!done) error_->emplace(done.error());
  return done;
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
