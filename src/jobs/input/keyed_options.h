// Options of the form KEY=VALUE that may be repeated, each time for another key.
#pragma once

#include <string>
#include <vector>

#include "jobs/input/launch_request.h"
#include "launch/one_value.h"

namespace burin::jobs {

// As parse_each(), where a key has one value.
template <typename T, typename Parse>
Result<std::vector<T>> parse_each_key(const std::string& option,
                                      const std::vector<std::string>& texts, Parse parse) {
  Result<std::vector<T>> values = parse_each<T>(option, texts, parse);
  if (!values) return values;
  if (Result<void> fine = launch::check_one_value_each(texts); !fine) {
    return fine.error().within(option);
  }
  return values;
}

}  // namespace burin::jobs
