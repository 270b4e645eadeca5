#include "runtime/history/wisdom.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/new_file.h"

namespace burin::runtime {
namespace {

constexpr std::string_view kFirstLine = "burin-wisdom 1";

// Holds an exclusive lock on a file for as long as it lives.
class FileLock {
 public:
  explicit FileLock(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    if (descriptor_ < 0) return;
    while (flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  bool ok() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

bool parse_winner(const std::string& line, std::uint64_t& key, Winner& winner) {
  int about = 0;
  if (std::sscanf(line.c_str(), "%16" SCNx64 " %u %u %u %lf %lf %n", &key, &winner.block[0],
                  &winner.block[1], &winner.block[2], &winner.time_us, &winner.own_us,
                  &about) != 6) {
    return false;
  }
  if (about > 0) winner.about = line.substr(static_cast<std::size_t>(about));
  return winner.block[0] != 0 && winner.block[1] != 0 && winner.block[2] != 0;
}

std::string line_of(std::uint64_t key, const Winner& winner) {
  char text[160];
  std::snprintf(text, sizeof text, "%016" PRIx64 " %u %u %u %.3f %.3f ", key, winner.block[0],
                winner.block[1], winner.block[2], winner.time_us, winner.own_us);
  return text + winner.about + "\n";
}

}  // namespace

Wisdom::Wisdom(std::string path) : path_(std::move(path)) {
  if (!path_.empty()) winners_ = read(path_);
}

Wisdom::Winners Wisdom::read(const std::string& path) {
  Winners winners;
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return winners;
  std::string_view rest(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  for (bool first = true; !rest.empty(); first = false) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (first && line != kFirstLine) return winners;
    std::uint64_t key = 0;
    Winner winner;
    if (!first && parse_winner(std::string(line), key, winner)) {
      winners[key] = std::move(winner);
    }
  }
  return winners;
}

bool Wisdom::find(std::uint64_t key, Extent& block) const {
  const std::lock_guard lock(mutex_);
  const auto found = winners_.find(key);
  if (found == winners_.end()) return false;
  block = found->second.block;
  return true;
}

Result<void> Wisdom::add(std::uint64_t key, Winner winner) {
  const std::lock_guard lock(mutex_);
  winners_[key] = std::move(winner);
  if (path_.empty()) return {};
  const FileLock file_lock(path_ + ".lock");
  if (!file_lock.ok()) return Error{path_ + ".lock: " + std::strerror(errno)};
  Winners all = read(path_);
  all[key] = winners_[key];
  std::string text = std::string(kFirstLine) + "\n";
  for (const auto& [each, value] : all) text += line_of(each, value);
  Result<NewFile> file = NewFile::create(path_);
  if (!file) return file.error();
  const Bytes bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  if (Result<void> written = file->write(bytes); !written) return written;
  return file->finish();
}

}  // namespace burin::runtime
