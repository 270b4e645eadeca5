#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace burin {

Result<MappedFile> MappedFile::open(const std::string& path) {
  // O_NONBLOCK: a FIFO nobody writes to is refused below, not waited for.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Error{path + ": cannot open: " + std::strerror(errno)};
  struct stat status{};
  std::string wrong;
  if (::fstat(descriptor, &status) != 0) {
    wrong = std::string("cannot read: ") + std::strerror(errno);
  } else if (S_ISDIR(status.st_mode)) {
    wrong = "is a directory; name a file in it";
  } else if (!S_ISREG(status.st_mode)) {
    wrong = "is not a regular file; save it to a file first";
  } else if (status.st_size == 0) {
    wrong = "is empty";
  }
  void* address = MAP_FAILED;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (wrong.empty()) {
    address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED) wrong = std::string("cannot map: ") + std::strerror(errno);
  }
  ::close(descriptor);
  if (!wrong.empty()) return Error{path + ": " + wrong};
  MappedFile file;
  file.path_ = path;
  file.bytes_ = Bytes(static_cast<const std::uint8_t*>(address), size);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    reset();
    path_ = std::move(other.path_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

MappedFile::~MappedFile() {
  reset();
}

void MappedFile::reset() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
  bytes_ = {};
}

}  // namespace burin
