#include "store/writer_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>

#include "base/format.h"
#include "base/host_name.h"

namespace burin::store {
namespace {

// The files that this process writes. A forked child has a copy of the list but not the locks.
struct FilesWritten {
  std::mutex mutex;
  pid_t process = 0;
  std::map<std::string, std::shared_ptr<Descriptor>> files;
};
FilesWritten& files_written() {
  static FilesWritten written;
  return written;
}

Error locked_by(const std::string& path, std::string_view noun, const std::string& holder) {
  return {fmt::format("{}: this {} is being written by {}; wait until it ends or name another file",
                      path, noun, holder)};
}

// "process 1234 on host node7", from the lock file's text "1234 node7\n".
std::string holder(int lock) {
  std::array<char, HOST_NAME_MAX + 32> text{};
  const ssize_t size = ::pread(lock, text.data(), text.size(), 0);
  const std::string_view line(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  const std::size_t space = line.find(' '), end = line.find('\n');
  if (space == std::string_view::npos || end == std::string_view::npos || space > end) {
    return "another process";  // which is about to write the line
  }
  return fmt::format("process {} on host {}", line.substr(0, space),
                     line.substr(space + 1, end - space - 1));
}

bool is_at(int descriptor, const std::string& path) {
  struct stat opened{}, there{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
         opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
}

Error cannot_write(const std::string& path) {
  if (errno == ENOENT) return {path + ": its folder does not exist; create it first"};
  return {path + ": cannot be written: " + std::strerror(errno)};
}

Result<std::unique_ptr<Descriptor>> lock_file(const std::string& path, const std::string& real,
                                              std::string_view noun) {
  const std::string name = real + ".lock";
  for (;;) {
    auto lock = std::make_unique<Descriptor>(
        ::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (lock->number() < 0) return cannot_write(path);
    struct flock whole{};
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(lock->number(), F_SETLK, &whole) != 0) {
      if (errno == EACCES || errno == EAGAIN) {
        return locked_by(path, noun, holder(lock->number()));
      }
      return Error{fmt::format("{}: cannot be locked: {}; put the {} on another file system", path,
                               std::strerror(errno), noun)};
    }
    // The previous writer may have removed the lock file after this process opened it.
    if (!is_at(lock->number(), name)) continue;
    const std::string text = fmt::format("{} {}\n", ::getpid(), host_name());
    // The text is only for messages: a full disk does not matter here.
    [[maybe_unused]] const bool written =
        ::ftruncate(lock->number(), 0) == 0 &&
        ::pwrite(lock->number(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
    return lock;
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

std::string real_path(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : std::filesystem::absolute(real, failed).string();
}

Result<WriterLock> WriterLock::take(const std::string& path, std::string_view noun) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    return Error{path + ": is a directory; name a file in it"};
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return Error{fmt::format("{}: is a device or a pipe; name a file for the {}", path, noun)};
  }
  WriterLock made;
  made.real_ = real_path(path);
  FilesWritten& written = files_written();
  const std::lock_guard guard(written.mutex);
  if (written.process != ::getpid()) {
    written.files.clear();
    written.process = ::getpid();
  }
  if (written.files.contains(made.real_)) {
    return locked_by(path, noun, fmt::format("this process, {}", ::getpid()));
  }
  Result<std::unique_ptr<Descriptor>> lock = lock_file(path, made.real_, noun);
  if (!lock) return lock.error();
  made.created_ = !std::filesystem::exists(status);
  made.file_ =
      std::make_shared<Descriptor>(::open(made.real_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (made.file_->number() < 0) {
    const Error error = cannot_write(path);
    ::unlink((made.real_ + ".lock").c_str());
    return error;
  }
  made.lock_ = std::move(*lock);
  made.process_ = ::getpid();
  written.files.emplace(made.real_, made.file_);
  return made;
}

bool WriterLock::is_ours() const {
  return process_ == ::getpid();
}

WriterLock::~WriterLock() {
  if (lock_ == nullptr || !is_ours()) return;
  FilesWritten& written = files_written();
  const std::lock_guard guard(written.mutex);
  written.files.erase(real_);
  ::unlink((real_ + ".lock").c_str());  // before it is unlocked: see is_at() above
}

std::shared_ptr<Descriptor> file_written_here(const std::string& real) {
  FilesWritten& written = files_written();
  const std::lock_guard guard(written.mutex);
  if (written.process != ::getpid()) return nullptr;
  const auto found = written.files.find(real);
  return found == written.files.end() ? nullptr : found->second;
}

}  // namespace burin::store
