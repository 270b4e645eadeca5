#include "base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace burin {
namespace {

// O_NONBLOCK: a FIFO nobody writes to is refused, not waited for.
int open_to_read(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

// What cannot be mapped, with its remedy; "" for a regular file.
std::string unreadable_kind(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "is a directory; name a file in it";
  if (S_ISFIFO(mode)) return "is a pipe, and burin reads its input twice; save it to a file first";
  if (S_ISSOCK(mode)) return "is a socket; name a file";
  return "is a device; name a file";
}

}  // namespace

std::vector<std::uint8_t> first_bytes(const std::string& path, std::size_t count) {
  const int descriptor = open_to_read(path);
  if (descriptor < 0) return {};
  std::vector<std::uint8_t> bytes(count);
  struct stat status{};
  ssize_t size = 0;
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    size = ::pread(descriptor, bytes.data(), count, 0);
  }
  ::close(descriptor);
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

bool is_same_file(const std::string& a, const std::string& b) {
  struct stat first{}, second{};
  return ::stat(a.c_str(), &first) == 0 && ::stat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int descriptor = open_to_read(path);
  if (descriptor < 0) return Error{path + ": cannot open: " + std::strerror(errno)};
  struct stat status{};
  std::string wrong;
  if (::fstat(descriptor, &status) != 0) {
    wrong = std::string("cannot read: ") + std::strerror(errno);
  } else if (wrong = unreadable_kind(status.st_mode); wrong.empty() && status.st_size == 0) {
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
