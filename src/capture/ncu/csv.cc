#include "capture/ncu/csv.h"

namespace burin::capture {

bool CsvReader::next() {
  if (rest_.empty()) return false;
  fields_.clear();
  while (read_field()) {
  }
  return true;
}

bool CsvReader::read_field() {
  std::string& field = fields_.emplace_back();
  bool quoted = false;
  while (!rest_.empty()) {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (rest_.starts_with('"')) {
        field += c;
        rest_.remove_prefix(1);
      } else {
        quoted = false;
      }
    } else if (c == '"' && field.empty()) {
      quoted = true;
    } else if (c == ',') {
      return true;
    } else if (c == '\n') {
      return false;
    } else if (c != '\r' || !rest_.starts_with('\n')) {
      field += c;
    }
  }
  return false;
}

}  // namespace burin::capture
