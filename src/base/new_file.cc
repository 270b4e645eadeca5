#include "base/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace burin {

Error NewFile::failure(const char* what) const {
  return {path_ + ": cannot " + what + ": " + std::strerror(errno)};
}

Result<NewFile> NewFile::create(const std::string& path) {
  NewFile file;
  file.path_ = path;
  struct stat status{};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    return Error{path + ": is a directory; name a file in it"};
  }
  if (exists && !S_ISREG(status.st_mode)) {
    file.descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return file.failure("write");
    return file;
  }
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  file.place_ = real ? real.get() : path;
  static std::atomic<unsigned> count{0};
  file.temporary_ = file.place_ + ".part-" + std::to_string(::getpid()) + "-" +
                    std::to_string(count.fetch_add(1));
  file.descriptor_ = ::open(file.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file.descriptor_ < 0) {
    file.temporary_.clear();
    if (errno == ENOENT) return Error{path + ": its folder does not exist; create it first"};
    return file.failure("write");
  }
  return file;
}

NewFile::NewFile(NewFile&& other) noexcept
    : path_(std::move(other.path_)),
      place_(std::move(other.place_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> NewFile::write(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> NewFile::finish() {
  if (::close(std::exchange(descriptor_, -1)) != 0) return failure("write");
  if (temporary_.empty()) return {};
  if (::rename(temporary_.c_str(), place_.c_str()) != 0) return failure("rename");
  temporary_.clear();
  return {};
}

}  // namespace burin
