// Parses JSON that a user wrote, so that errors name their position and not the parser.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::machine {

// Error: "is not valid JSON: line 3, column 14: unexpected '}'; expected string literal".
Result<nlohmann::json> parse_json(std::string_view text);

// What a parser's exception says, as one sentence of the above.
std::string json_sentence(const nlohmann::json::exception& error);

}  // namespace burin::machine
