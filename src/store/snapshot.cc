#include "store/snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "base/file.h"
#include "store/writer_lock.h"

namespace burin::store {
namespace {

constexpr const char* kLog = "-wal";
constexpr const char* kJournal = "-journal";

// What must not change while a file and its log are copied.
struct WriterState {
  std::vector<std::uint8_t> log_header;  // contains the log's mark
  std::array<std::int64_t, 6> journal{};
  std::array<std::int64_t, 6> file{};  // only without a log: with one, it may change
  bool operator==(const WriterState&) const = default;
};

// Identity, size and time of the last change.
std::array<std::int64_t, 6> stamp(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {1,
          static_cast<std::int64_t>(status.st_dev),
          static_cast<std::int64_t>(status.st_ino),
          status.st_size,
          status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec};
}

WriterState state_of(const std::string& real) {
  constexpr std::size_t kLogHeaderBytes = 32;
  WriterState state;
  state.log_header = first_bytes(real + kLog, kLogHeaderBytes);
  state.journal = stamp(real + kJournal);
  if (state.log_header.empty()) state.file = stamp(real);
  return state;
}

// Copies an open file from its beginning. errno says why it failed.
bool copy(int from, const std::string& to) {
  const Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (target.number() < 0) return false;
  std::vector<char> buffer(std::size_t{1} << 20);
  off_t at = 0;
  for (;;) {
    const ssize_t size = ::pread(from, buffer.data(), buffer.size(), at);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    for (ssize_t done = 0; done < size;) {
      const ssize_t written =
          ::write(target.number(), buffer.data() + done, static_cast<std::size_t>(size - done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      done += written;
    }
    at += size;
  }
}

// A file that is not there is not copied, and a copy from an earlier attempt is removed.
bool copy_if_present(const std::string& from, const std::string& to) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (source.number() >= 0) return copy(source.number(), to);
  if (errno != ENOENT) return false;
  ::unlink(to.c_str());
  return true;
}

}  // namespace

bool needs_snapshot(const std::string& path) {
  constexpr std::size_t kReadVersionAt = 19;
  constexpr std::uint8_t kWithLog = 2;
  const std::string real = real_path(path);
  if (file_written_here(real) != nullptr) return true;
  const std::vector<std::uint8_t> begin = first_bytes(real, kReadVersionAt + 1);
  if (begin.empty()) return false;  // it cannot be read at all
  if (begin.size() > kReadVersionAt && begin[kReadVersionAt] == kWithLog) return true;
  std::error_code ignored;
  return std::filesystem::exists(real + kLog, ignored) ||
         std::filesystem::exists(real + kJournal, ignored);
}

Result<Snapshot> take_snapshot(const std::string& path) {
  constexpr int kAttempts = 50;
  const std::string real = real_path(path);
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  if (!folder) return folder.error();
  std::string file = folder->path() + "/copy";
  std::shared_ptr<Descriptor> source = file_written_here(real);
  if (source == nullptr) {
    source = std::make_shared<Descriptor>(::open(real.c_str(), O_RDONLY | O_CLOEXEC));
  }
  if (source->number() < 0) return Error{path + ": cannot open: " + std::strerror(errno)};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const WriterState before = state_of(real);
    if (!copy(source->number(), file) || !copy_if_present(real + kLog, file + kLog) ||
        !copy_if_present(real + kJournal, file + kJournal)) {
      return Error{path + ": cannot copy to " + folder->path() + ": " + std::strerror(errno)};
    }
    if (state_of(real) == before) return Snapshot{std::move(*folder), std::move(file)};
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return Error{path + ": changes faster than it can be read; try again when its writer is done"};
}

}  // namespace burin::store
