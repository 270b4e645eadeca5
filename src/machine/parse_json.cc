#include "machine/parse_json.h"

#include <string>
#include <string_view>

namespace burin::machine {
namespace {

void erase_up_to(std::string& text, std::string_view mark) {
  if (const std::size_t at = text.find(mark); at != std::string::npos) {
    text.erase(0, at + mark.size());
  }
}

}  // namespace

// "[json.exception.parse_error.101] parse error at line 3, column 14: syntax error while parsing
// object key - unexpected '}'; expected string literal" -> "line 3, column 14: unexpected '}'; …"
std::string json_sentence(const nlohmann::json::exception& error) {
  std::string what = error.what();
  if (what.starts_with('[')) erase_up_to(what, "] ");
  if (what.starts_with("parse error")) erase_up_to(what, " at ");
  const std::size_t said = what.find(": syntax error"), dash = what.find(" - ");
  if (said != std::string::npos && dash != std::string::npos) {
    what.replace(said, dash + 3 - said, ": ");
  }
  // A hostile file must not flood the terminal.
  constexpr std::size_t kMax = 200;
  if (what.size() > kMax) what = what.substr(0, kMax) + "…";
  return "is not valid JSON: " + what;
}

Result<nlohmann::json> parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    return Error{json_sentence(error)};
  }
}

}  // namespace burin::machine
