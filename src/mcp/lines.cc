#include "mcp/lines.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace burin::mcp {

void LineReader::receive() {
  char bytes[1 << 16];
  const ssize_t got = ::read(descriptor_, bytes, sizeof bytes);
  if (got > 0) {
    buffer_.append(bytes, static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
    ended_ = true;
  }
}

std::optional<LineReader::Line> LineReader::next() {
  const std::size_t end = buffer_.find('\n', searched_);
  if (end == std::string::npos) {
    searched_ = buffer_.size();
    if (buffer_.size() > kMaxLine) {
      skipping_ = true;
      buffer_.clear();
      searched_ = 0;
    }
    if (!ended_ || (buffer_.empty() && !skipping_)) return std::nullopt;
    searched_ = 0;
    return Line{std::exchange(buffer_, ""), std::exchange(skipping_, false)};
  }
  Line line{buffer_.substr(0, end), std::exchange(skipping_, false)};
  if (line.text.size() > kMaxLine) line.too_long = true;
  if (line.too_long) line.text.clear();
  buffer_.erase(0, end + 1);
  searched_ = 0;
  return line;
}

}  // namespace burin::mcp
