// Writes JSON incrementally, so that a document of any size needs no memory. Keys keep their order;
// each object in an array starts a new line. Text that is not UTF-8 is repaired, so the document is
// valid whatever a binary contains.
//
//   Json json(out);
//   json.open('{');
//   json.field("schema", "burin.inspect/1");
//   json.open("images", '[');
//   …
//   json.close();
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "report/write/output.h"

namespace burin::report {

// 128 bits, written as 32 hexadecimal digits, high word first.
struct Word {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

class Json {
 public:
  explicit Json(Output& out) : out_(out) {}

  void open(char bracket);  // '{' or '[', as the document or as an element
  void open(std::string_view key, char bracket);
  void close();  // closes the innermost open bracket

  template <typename T>
  void field(std::string_view key, const T& value) {
    begin(key);
    write(value);
  }
  template <typename T>
  void element(const T& value) {
    begin({});
    write(value);
  }

 private:
  void begin(std::string_view key);
  void write(std::string_view text);
  void write(const char* text) { write(std::string_view(text)); }
  void write(std::same_as<bool> auto value) { out_.put(value ? "true" : "false"); }
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  void write(T value) {
    out_.put(value);
  }
  void write(double value);  // null if not finite: JSON has no such number
  void write(std::nullptr_t) { out_.put("null"); }
  void write(const Word& word) {
    out_.put('"', Hex{word.high, 16, true}, Hex{word.low, 16, true}, '"');
  }
  template <typename T, std::size_t N>
  void write(const std::array<T, N>& values) {
    for (std::size_t i = 0; i < N; ++i) {
      out_.put(i == 0 ? '[' : ',');
      write(values[i]);
    }
    out_.put(']');
  }
  template <typename T>
  void write(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      write(nullptr);
    }
  }

  Output& out_;
  struct Level {
    char bracket;
    bool empty;
  };
  std::vector<Level> levels_;
};

}  // namespace burin::report
