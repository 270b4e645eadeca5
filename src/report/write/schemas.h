// The JSON schemas of what commands print with --json: docs/schemas/, embedded into the binary.
//
//   const Schema* schema = find_schema("predict");      // also "predict/1", "burin.predict/1"
//   schema->name, schema->text                          // "burin.predict/1"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace burin::report {

struct Schema {
  std::string_view name;
  std::string_view text;
};

std::span<const Schema> schemas();  // sorted by name

// The schema with this name; without a number, the newest. Null: none.
const Schema* find_schema(std::string_view name);

}  // namespace burin::report
