// Parses JSON that a user wrote, so that errors name their position.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "base/result.h"

namespace burin::machine {

// Error: "line 3, column 14: unexpected '}'; expected string literal".
Result<nlohmann::json> parse_json(std::string_view text);

}  // namespace burin::machine
