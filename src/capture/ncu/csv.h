// Reads comma-separated values as written by spreadsheets and profilers: fields may be quoted, a
// quote inside a quoted field is doubled, and a quoted field may contain commas and line breaks.
//
//   CsvReader in(text);
//   while (in.next()) in.fields()[0] …
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace burin::capture {

class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : rest_(text) {}

  // Reads the next row; returns false at the end. Text between a closing quote and the comma
  // belongs to the field, so every row can be read.
  bool next();
  const std::vector<std::string>& fields() const { return fields_; }

 private:
  bool read_field();  // true if another field of the row follows

  std::string_view rest_;
  std::vector<std::string> fields_;
};

}  // namespace burin::capture
