#include "launch/spool_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace burin {
namespace {

constexpr std::size_t kGathered = 256 << 10;

bool write_all(int descriptor, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

SpoolWriter::~SpoolWriter() {
  flush();
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> SpoolWriter::create(const std::string& path) {
  const std::lock_guard lock(mutex_);
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0) return Error{"cannot write " + path + ": " + std::strerror(errno)};
  gathered_ = spool_header();
  return {};
}

void SpoolWriter::add(const SpoolRecord& record) {
  const std::vector<std::uint8_t> bytes = encode_record(record);
  const std::lock_guard lock(mutex_);
  if (descriptor_ < 0 || full_) return;
  gathered_.insert(gathered_.end(), bytes.begin(), bytes.end());
  if (gathered_.size() >= kGathered) write_gathered();
}

void SpoolWriter::flush() {
  const std::lock_guard lock(mutex_);
  if (descriptor_ >= 0 && !full_) write_gathered();
}

void SpoolWriter::write_gathered() {
  if (write_all(descriptor_, gathered_)) {
    written_ += gathered_.size();
  } else {
    full_ = true;
    // A file that cannot be cut stays readable up to the half record.
    if (::ftruncate(descriptor_, static_cast<off_t>(written_)) != 0) errno = 0;
  }
  gathered_.clear();
}

void SpoolWriter::forget() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  gathered_.clear();
  written_ = 0;
  full_ = false;
}

}  // namespace burin
