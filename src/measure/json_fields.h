// Reads a JSON object field by field for the worker's protocol, and remembers the first field that
// does not fit, so that a reader is a list of its fields:
//
//   Fields fields(value);
//   fields.take("kernel", step.kernel, true);   // required
//   fields.take("count", step.count);           // keeps its value if left out
//   if (std::string wrong = fields.wrong(); !wrong.empty()) …   // "kernel is missing"
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/format.h"
#include "launch/launch.h"

namespace burin::measure {

using Json = nlohmann::ordered_json;

// A number that may be infinite, which is null in JSON.
struct Extended {
  double value = 0;
};

class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {
    if (!object.is_object()) wrong_ = "it is not an object";
  }

  // A field that may be left out keeps the value it has.
  template <typename T>
  void take(const char* key, T& into, bool needed = false) {
    const Json* value = find(key, needed);
    if (value != nullptr && !read(*value, into)) {
      wrong_ = fmt::format("{} has the invalid value {}", key, shown(*value));
    }
  }

  // A field with words of its own: `read_value(json)` returns what is wrong with it, or "".
  template <typename Read>
  void take_with(const char* key, Read read_value, bool needed = false) {
    const Json* value = find(key, needed);
    if (value != nullptr) wrong_ = read_value(*value);
  }

  // What is wrong, or "". A field that was not taken is wrong too.
  std::string wrong() const {
    if (wrong_.empty() && object_.size() != seen_) return "it has an unknown field";
    return wrong_;
  }

 private:
  // Null if there is nothing to read.
  const Json* find(const char* key, bool needed) {
    const auto found = object_.find(key);
    if (found != object_.end()) ++seen_;
    if (!wrong_.empty()) return nullptr;
    if (found != object_.end()) return &*found;
    if (needed) wrong_ = fmt::format("{} is missing", key);
    return nullptr;
  }

  static std::string shown(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200);
  }

  static bool read(const Json& value, std::string& into) {
    if (value.is_string()) into = value.get<std::string>();
    return value.is_string();
  }
  static bool read(const Json& value, bool& into) {
    if (value.is_boolean()) into = value.get<bool>();
    return value.is_boolean();
  }
  static bool read(const Json& value, double& into) {
    if (value.is_number()) into = value.get<double>();
    return value.is_number();
  }
  static bool read(const Json& value, Extended& into) {
    if (value.is_null()) into.value = std::numeric_limits<double>::infinity();
    return value.is_null() || read(value, into.value);
  }
  static bool read(const Json& value, std::uint64_t& into) {
    if (value.is_number_unsigned()) into = value.get<std::uint64_t>();
    return value.is_number_unsigned();
  }
  static bool read(const Json& value, std::uint32_t& into) {
    std::uint64_t wide = 0;
    if (!read(value, wide) || wide > 0xffffffff) return false;
    into = static_cast<std::uint32_t>(wide);
    return true;
  }
  static bool read(const Json& value, launch::Dims& into) {
    return value.is_array() && value.size() == 3 && read(value[0], into.x) &&
           read(value[1], into.y) && read(value[2], into.z);
  }
  template <typename T>
  static bool read(const Json& value, std::optional<T>& into) {
    T inside{};
    if (!read(value, inside)) return false;
    into = inside;
    return true;
  }
  template <typename T>
  static bool read(const Json& value, std::vector<T>& into) {
    if (!value.is_array()) return false;
    into.resize(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!read(value[i], into[i])) return false;
    }
    return true;
  }

  const Json& object_;
  std::size_t seen_ = 0;
  std::string wrong_;
};

// `read_one(json, element)` reads one element of an array and returns what is wrong, or "".
template <typename T, typename Read>
std::string read_list(const Json& value, std::vector<T>& into, const char* what, Read read_one) {
  if (!value.is_array()) return fmt::format("the list of {}s is not an array", what);
  into.resize(value.size());
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string wrong = read_one(value[i], into[i]);
    if (!wrong.empty()) return fmt::format("{} {}: {}", what, i, wrong);
  }
  return "";
}

// The word of a value in a table of {value, word}, and back.
template <typename T>
struct Word {
  T value;
  const char* word;
};
template <typename T, std::size_t N>
const char* word_of(const Word<T> (&table)[N], T value) {
  for (const Word<T>& row : table) {
    if (row.value == value) return row.word;
  }
  return "";
}
// For Fields::take_with.
template <typename T, std::size_t N>
auto word_reader(const char* key, const Word<T> (&table)[N], T& into) {
  return [key, &table, &into](const Json& value) -> std::string {
    for (const Word<T>& row : table) {
      if (value != row.word) continue;
      into = row.value;
      return "";
    }
    return fmt::format("{} has the invalid value {}", key,
                       value.dump(-1, ' ', false, Json::error_handler_t::replace));
  };
}

}  // namespace burin::measure
