// Reads a tuning spec from a TOML file. docs/tune.md has the fields.
//
//   Result<Spec> spec = read_toml_spec("transpose.toml");
//   // transpose.toml:7: launch.grid: column 9: there is no 'bloc_size_x'; did you mean
//   block_size_x?
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "tune/spec.h"

namespace burin::tune {

// Paths of sources and files in the spec are relative to the spec's folder.
Result<Spec> read_toml_spec(const std::string& path);

// The same for a text; `path` is for messages and relative paths.
Result<Spec> parse_toml_spec(std::string_view text, const std::string& path);

}  // namespace burin::tune
