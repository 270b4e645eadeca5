// Names and values as one flat JSON object, the form in which a session stores configurations,
// problem sizes and figures, so that SQL can query them:
//
//   write_flat_json({{"tile", Value{4}}, {"layout", Value{"NHWC"}}})    {"tile":4,"layout":"NHWC"}
//   SELECT avg(time_us) FROM trial WHERE json_extract(config, '$.tile') = 4
//
// JSON has no infinity and no NaN: they are written as 1e999 and null.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formula/value.h"

namespace burin::tune {

using NamedValue = std::pair<std::string, formula::Value>;

std::string write_flat_json(std::span<const NamedValue> values);
std::optional<std::vector<NamedValue>> parse_flat_json(std::string_view text);

// The same for values without names: [1,2,4].
std::string write_json_list(std::span<const formula::Value> values);
std::optional<std::vector<formula::Value>> parse_json_list(std::string_view text);

}  // namespace burin::tune
