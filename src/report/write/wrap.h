// Lines that fit a terminal. A line that is too long goes on below its last column, so that tables
// and labelled lines stay readable and nothing is lost:
//
//   occupancy     100.0 % theoretical (64 of 64 warps: 8 blocks of 256
//                 threads per SM), limited by warps and registers
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace burin::report {

// The line, without its end, in as many lines as it needs at `width` columns. Columns are separated
// by two spaces or more; escape sequences of colours take no room.
std::string wrapped(std::string_view line, std::size_t width);

// Wraps a stream of text that arrives in pieces.
class LineWrapper {
 public:
  using Sink = std::function<bool(std::string_view)>;
  LineWrapper(std::size_t width, Sink sink) : width_(width), sink_(std::move(sink)) {}

  bool write(std::string_view text);
  bool finish();  // writes a last line that has no end

 private:
  std::size_t width_;
  Sink sink_;
  std::string pending_;
};

}  // namespace burin::report
