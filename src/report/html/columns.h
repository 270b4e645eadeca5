// Columns of numbers in the documents of the HTML report. A kernel of 20,000 instructions has one
// element of each column for each of them, so columns are written short: numbers with six digits,
// sorted ones as differences, and repeated values once.
//
//   write_differences(json, "live", {3, 3, 4, 4, 2});   "live":[3,0,1,0,-2]
//
//   Distinct<std::string> texts;
//   for (…) texts.add(text);
//   texts.indices();   0, 1, 0, 2, …   element i is the index of text i in texts.values()
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "report/write/json.h"

namespace burin::report {

// The value with six digits.
double rounded(double value);

template <typename T>
void write_column(Json& json, std::string_view key, const std::vector<T>& values) {
  json.open(key, '[');
  for (const T& value : values) json.element(value);
  json.close();
}

// Each element is the difference to the one before, the first to 0.
inline void write_differences(Json& json, std::string_view key,
                              const std::vector<std::int64_t>& values) {
  json.open(key, '[');
  std::int64_t before = 0;
  for (const std::int64_t value : values) {
    json.element(value - before);
    before = value;
  }
  json.close();
}

// Values that repeat: each one once, in the order of their first appearance.
template <typename T>
class Distinct {
 public:
  std::size_t add(const T& value) {
    const auto [at, is_new] = known_.try_emplace(value, values_.size());
    if (is_new) values_.push_back(value);
    indices_.push_back(at->second);
    return at->second;
  }
  const std::vector<T>& values() const { return values_; }
  const std::vector<std::size_t>& indices() const { return indices_; }

 private:
  std::map<T, std::size_t> known_;
  std::vector<T> values_;
  std::vector<std::size_t> indices_;
};

}  // namespace burin::report
