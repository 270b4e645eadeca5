// Values of trials as JSON, for the formats that are JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "formula/expression.h"
#include "tune/formats/export.h"

namespace burin::tune {

// Members stay in the order in which they were added.
using OrderedJson = nlohmann::ordered_json;

OrderedJson json_value(const formula::Value& value);
OrderedJson json_config(const ExportedRun& run, const Point& point);
OrderedJson json_values(const formula::Names& names);  // the values alone, in order of the names

// The text. What is not UTF-8, as in a compiler's message, is replaced.
std::string json_text(const OrderedJson& json, int indent);

}  // namespace burin::tune
