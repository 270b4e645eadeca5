#include "report/write/output.h"

#include <algorithm>
#include <charconv>

namespace burin::report {
namespace {

// "µ" and "×" take two bytes and one column.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

void Output::flush() {
  if (!closed_ && !buffer_.empty()) closed_ = !sink_(buffer_);
  buffer_.clear();
}

void Output::add(Style style) {
  if (!options_.color) return;
  static constexpr const char* kCodes[] = {"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[31m"};
  buffer_ += kCodes[static_cast<std::size_t>(style)];
}

void append(std::string& out, const Hex& hex) {
  char digits[16];
  const char* const end = std::to_chars(digits, digits + sizeof digits, hex.value, 16).ptr;
  if (!hex.bare) out += "0x";
  for (auto written = end - digits; written < hex.digits; ++written) out += '0';
  out += std::string_view(digits, end);
}

void Output::add(const Right& right) {
  const std::size_t columns = columns_of(right.text);
  if (columns < right.width) buffer_.append(right.width - columns, ' ');
  buffer_ += right.text;
}

void Output::add(const Left& left) {
  buffer_ += left.text;
  const std::size_t columns = columns_of(left.text);
  if (columns < left.width) buffer_.append(left.width - columns, ' ');
}

void Output::add_unsigned(std::uint64_t number) {
  char digits[20];
  buffer_.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void pad_since(std::string& out, std::size_t start, std::size_t width) {
  const std::size_t written = out.size() - start;
  if (written < width) out.append(width - written, ' ');
}

}  // namespace burin::report
