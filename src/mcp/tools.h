// The tools that the server offers: each is a command of burin with some of its options, as fields.
//
//   const Tool* tool = find_tool("predict");
//   Result<ToolRequest> request = parse_arguments(*tool, R"({"file": "a.cubin", "grid": [4,
//   1]})"_json); request->words       {"predict", "--quiet", "--grid=4,1", "--", "a.cubin"}
//
// A field that the tool does not have is refused. No tool writes a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace burin::mcp {

// One field of a tool's arguments, and the option that it stands for.
struct Field {
  enum class Kind : std::uint8_t {
    kFile,    // positional
    kFiles,   // positional, several
    kText,    // --option=TEXT
    kShape,   // the same; also an integer or up to three: "32,8", 256, [32, 8]
    kNumber,  // --option=N
    kList,    // --option=TEXT for each element
    kFlags,   // the same; only flags of nvcc that write no file and run no program
    kSwitch,  // --option, if true
    kView,    // the option is --VALUE, for one of `choices`
  };
  std::string_view name;
  Kind kind;
  std::string_view option;  // "--grid"; unused for kFile and kView
  std::string_view description;
  std::string_view choices{};  // "sass lines loops"; kView only
  bool required = false;
};

struct Tool {
  std::string_view name;  // also the command
  std::string_view description;
  std::span<const Field> fields;  // of this tool only
  std::span<const Field> launch;  // shared by the tools that take a launch; may be empty
};

std::span<const Tool> tools();
const Tool* find_tool(std::string_view name);  // null: none

inline constexpr std::size_t kDefaultTokens = 4000;
inline constexpr std::size_t kMinTokens = 100;
inline constexpr std::size_t kMaxTokens = 100'000;

struct ToolRequest {
  std::vector<std::string> words;  // of the command line, without the program's name
  std::size_t tokens = kDefaultTokens;
  std::string more{};  // a handle: nothing is run
};

// The Error is a sentence that names the field.
Result<ToolRequest> parse_arguments(const Tool& tool, const nlohmann::json& arguments);

// The tool as `tools/list` describes it: name, description, JSON schema of its arguments.
nlohmann::json description_of(const Tool& tool);

}  // namespace burin::mcp
