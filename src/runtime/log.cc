#include "runtime/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/hash.h"

namespace burin::runtime {

Log::Log(const std::string& path) {
  if (path.empty()) return;
  descriptor_ = STDERR_FILENO;
  if (path == "-") return;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) {
    line("%s: %s; the log goes to standard error", path.c_str(), std::strerror(errno));
    return;
  }
  descriptor_ = file;
  owned_ = true;
}

Log::~Log() {
  if (owned_) close(descriptor_);
}

void Log::line(const char* format, ...) {
  if (!enabled()) return;
  char text[1024] = "burin: ";
  const std::size_t start = std::strlen(text);
  std::va_list values;
  va_start(values, format);
  const int length = std::vsnprintf(text + start, sizeof text - start - 1, format, values);
  va_end(values);
  if (length < 0) return;
  const std::size_t end = std::min(start + static_cast<std::size_t>(length), sizeof text - 2);
  text[end] = '\n';
  [[maybe_unused]] const ssize_t written = write(descriptor_, text, end + 1);
}

bool Log::first_time(std::uint64_t hash) {
  hash |= 1;  // 0 is an empty place
  std::size_t place = fibonacci_hash(hash) >> 54;
  for (std::size_t i = 0; i < seen_.size(); ++i, place = (place + 1) % seen_.size()) {
    std::uint64_t expected = 0;
    if (seen_[place].compare_exchange_strong(expected, hash)) return true;
    if (expected == hash) return false;
  }
  return false;
}

}  // namespace burin::runtime
