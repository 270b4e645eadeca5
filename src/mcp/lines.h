// Lines from a descriptor, without waiting for them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace burin::mcp {

class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}

  struct Line {
    std::string text;
    bool too_long = false;  // longer than kMaxLine: the text is dropped
  };

  void receive();              // one read(); call it when the descriptor is readable
  std::optional<Line> next();  // the next whole line; after the end, also what has no line end
  bool ended() const { return ended_; }
  int descriptor() const { return descriptor_; }

 private:
  static constexpr std::size_t kMaxLine = 4 << 20;  // bytes

  int descriptor_;
  std::string buffer_;
  std::size_t searched_ = 0;  // no line end before this
  bool skipping_ = false;     // inside a line that is too long
  bool ended_ = false;
};

}  // namespace burin::mcp
