// Comma-separated values, as spreadsheets and profilers write them: fields may stand in quotes, a
// quote in them is doubled, and a quoted field may hold commas and line ends.
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

  // Reads the next row; false at the end. What follows a closing quote up to the comma belongs to
  // the field: there is no row that cannot be read.
  bool next();
  const std::vector<std::string>& fields() const { return fields_; }

 private:
  bool read_field();  // true where another one of the row follows

  std::string_view rest_;
  std::vector<std::string> fields_;
};

}  // namespace burin::capture
