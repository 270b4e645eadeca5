// The output of every report: one buffer, flushed in large chunks, so that a listing of a million
// lines costs a million appends and a few hundred writes. Numbers are formatted here, not by a
// stream.
//
//   Output out([](std::string_view text) { return write_somewhere(text); });
//   out.put("loop at ", Hex{0x40, 4}, ", ", Right{12, 6}, " instructions\n");
//   out.flush();
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace burin::report {

// A hexadecimal number: "0x0040"; `bare` leaves out the "0x".
struct Hex {
  std::uint64_t value = 0;
  int digits = 1;  // minimum number of digits
  bool bare = false;
};

void append(std::string& out, const Hex& hex);

// Text or a number right-aligned in a column, or text left-aligned. Longer text is not cut.
struct Right {
  Right(std::string_view text_, std::size_t width_) : text(text_), width(width_) {}
  Right(std::unsigned_integral auto number, std::size_t width_)
      : text(std::to_string(number)), width(width_) {}
  std::string text;
  std::size_t width;
};
struct Left {
  std::string_view text;
  std::size_t width = 0;
};

// Terminal styles; ignored if the Output has no colour.
enum class Style : std::uint8_t { kPlain, kBold, kDim, kGood, kBad };

class Output {
 public:
  // Receives the text. Returns false once the reader is gone; it is not called again after that.
  using Sink = std::function<bool(std::string_view)>;

  struct Options {
    bool color = false;
    std::size_t width = 0;  // terminal width in columns; 0: not a terminal, nothing is shortened
  };

  explicit Output(Sink sink) : Output(std::move(sink), Options{}) {}
  Output(Sink sink, Options options) : sink_(std::move(sink)), options_(options) {}

  template <typename... Parts>
  void put(const Parts&... parts) {
    (add(parts), ...);
    if (buffer_.size() >= kChunk) flush();
  }

  // For code that appends directly; the next `put` may empty the buffer.
  std::string& buffer() { return buffer_; }
  void flush();

  bool closed() const { return closed_; }  // the sink returned false; further output is dropped
  std::size_t width() const { return options_.width; }
  void set_color(bool color) { options_.color = color; }

 private:
  static constexpr std::size_t kChunk = 1 << 16;

  void add(std::string_view text) { buffer_ += text; }
  void add(const char* text) { buffer_ += text; }
  void add(char c) { buffer_ += c; }
  void add(Style style);
  void add(const Hex& hex) { append(buffer_, hex); }
  void add(const Right& right);
  void add(const Left& left);
  void add(std::unsigned_integral auto number) { add_unsigned(number); }
  void add(std::signed_integral auto number) {
    if (number < 0) buffer_ += '-';
    const auto magnitude = static_cast<std::uint64_t>(number);
    add_unsigned(number < 0 ? 0 - magnitude : magnitude);
  }
  void add_unsigned(std::uint64_t number);

  Sink sink_;
  Options options_;
  std::string buffer_;
  bool closed_ = false;
};

// Pads the text appended to `out` since `start` to `width` columns, if it is narrower.
void pad_since(std::string& out, std::size_t start, std::size_t width);

}  // namespace burin::report
