#include "machine/parse_json.h"

#include <string>

namespace burin::machine {
namespace {

// "[json.exception.parse_error.101] parse error at line 3, column 14: syntax error while parsing
// object key - unexpected '}'; expected string literal" -> "line 3, column 14: unexpected '}'; …"
std::string shortened(std::string what) {
  const std::size_t line = what.find("line ");
  if (line != std::string::npos) what.erase(0, line);
  const std::size_t said = what.find(": syntax error"), dash = what.find(" - ");
  if (said != std::string::npos && dash != std::string::npos) {
    what.replace(said, dash + 3 - said, ": ");
  }
  // A hostile file must not flood the terminal.
  constexpr std::size_t kMax = 200;
  return what.size() > kMax ? what.substr(0, kMax) + "…" : what;
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    return Error{"is not valid JSON: " + shortened(error.what())};
  }
}

}  // namespace burin::machine
