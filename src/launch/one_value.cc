#include "launch/one_value.h"

#include <map>

#include "base/format.h"

namespace burin::launch {

Result<void> check_one_value_each(std::span<const std::string> texts) {
  std::map<std::string, std::string> values;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const bool has_key = equals != std::string::npos;
    const std::string key = has_key ? text.substr(0, equals) : "";
    const std::string value = has_key ? text.substr(equals + 1) : text;
    const auto [before, is_new] = values.emplace(key, value);
    if (is_new || before->second == value) continue;
    return Error{fmt::format("{}{} and {} are both given; leave one of them out",
                             has_key ? key + ": " : "", before->second, value),
                 Exit::kUsage};
  }
  return {};
}

}  // namespace burin::launch
