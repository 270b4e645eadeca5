#include "app/options/option_values.h"

#include <algorithm>
#include <optional>

#include "base/format.h"

namespace burin::app {

std::string check_whole(const std::string& text, std::uint64_t least, std::uint64_t most) {
  const std::optional<std::uint64_t> value = launch::parse_integer<std::uint64_t>(text);
  if (value && *value >= least && *value <= most) return "";
  return most == kNoLimit
             ? fmt::format("expected a whole number of at least {}, not '{}'", least, text)
             : fmt::format("expected a whole number from {} to {}, not '{}'", least, most, text);
}

std::string check_real(const std::string& text, double least, double most) {
  const std::optional<double> value = launch::parse_real<double>(text);
  if (value && *value >= least && *value <= most) return "";
  return fmt::format("expected a number from {} to {}, not '{}'", least, most, text);
}

std::function<std::string(const std::string&)> one_of(std::vector<std::string> words) {
  return [words](const std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return fmt::format("expected {}, not '{}'", fmt::join(words, " or "), text);
  };
}

std::string sentence_of(const CLI::ParseError& error) {
  const std::string said = error.what();
  const std::string option = said.substr(0, said.find_first_of(": "));
  if (error.get_name() == "ArgumentMismatch") {
    if (said.find("flag override") != std::string::npos) {
      return (option.starts_with('-') ? "" : "--") + option + " takes no value";
    }
    if (said.find("At Most") != std::string::npos) return option + " is given more than once";
    return option + " needs a value";
  }
  return said;
}

}  // namespace burin::app
