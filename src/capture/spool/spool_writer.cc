#include "capture/spool/spool_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

namespace burin::capture {
namespace {

constexpr std::size_t kGathered = 256 << 10;

// Beyond the limit on the size of files a write sends a signal that ends the program: it is taken
// here, where it belongs.
class LimitSignalTaken {
 public:
  LimitSignalTaken() {
    ::sigemptyset(&limit_);
    ::sigaddset(&limit_, SIGXFSZ);
    ::pthread_sigmask(SIG_BLOCK, &limit_, &before_);
  }
  ~LimitSignalTaken() {
    const int error = errno;
    const timespec at_once{};
    if (error == EFBIG) ::sigtimedwait(&limit_, nullptr, &at_once);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  LimitSignalTaken(const LimitSignalTaken&) = delete;
  LimitSignalTaken& operator=(const LimitSignalTaken&) = delete;

 private:
  sigset_t limit_{}, before_{};
};

// 0, or why not.
int write_all(int descriptor, Bytes bytes) {
  const LimitSignalTaken taken;
  errno = 0;
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
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
  const int error = write_all(descriptor_, gathered_);
  if (error == 0) {
    written_ += gathered_.size();
  } else {
    full_ = true;
    write_last(error);
  }
  gathered_.clear();
}

// The space of what did not fit whole is free again, and a sentence takes little.
void SpoolWriter::write_last(int error) {
  // A file that cannot be cut stays readable up to the half record.
  const auto end = static_cast<off_t>(written_);
  if (::ftruncate(descriptor_, end) != 0 || ::lseek(descriptor_, end, SEEK_SET) != end) return;
  const SpoolProblem problem{.what = SpoolProblem::kDiskFull,
                             .sentence = std::string("writing the recording failed (") +
                                         std::strerror(error) +
                                         "), so everything after that is missing; free disk space, "
                                         "or record less with --first, --kernel or --no-samples"};
  if (write_all(descriptor_, encode_record(problem)) != 0 && ::ftruncate(descriptor_, end) != 0) {
    errno = 0;
  }
}

void SpoolWriter::forget() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  gathered_.clear();
  written_ = 0;
  full_ = false;
}

}  // namespace burin::capture
