#include "mcp/tools.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/concat.h"
#include "base/text.h"
#include "mcp/compiler_flags.h"

namespace burin::mcp {
namespace {

using nlohmann::json;
using Kind = Field::Kind;

constexpr Field kLaunchFields[] = {
    {"kernel", Kind::kText, "--kernel",
     "Name of the kernel or a part of it; not needed if the file has one"},
    {"grid", Kind::kShape, "--grid", "Grid size in blocks: 4096, \"64,64\" or [64, 64]"},
    {"block", Kind::kShape, "--block", "Block size in threads: 256, \"32,8\" or [32, 8]"},
    {"args", Kind::kList, "--arg",
     "Kernel arguments in order: \"i32:1024\", \"f32:1.5\", \"buf:4M:f32\" (4 MiB of floats), "
     "\"buf:4M:int:1000\" (integers below 1000), \"buf:4M:undef\" (output)"},
    {"smem", Kind::kText, "--smem", "Dynamic shared memory per block, in bytes"},
    {"cluster", Kind::kShape, "--cluster", "Cluster size in blocks"},
    {"set", Kind::kList, "--set",
     "Values of __constant__ and __device__ variables: \"scale=f32:1.5\""},
    {"nvcc_flags", Kind::kFlags, "--nvcc-flag", "Flags for nvcc, if the file is CUDA source"},
    {"arch", Kind::kText, "--arch", "Architecture to use: \"sm_90\""},
};

constexpr Field kMachine = {"machine", Kind::kText, "--machine",
                            "GPU: h200, h100, a100 … (default: one of the code's architecture)"};
constexpr Field kWarm = {"warm", Kind::kSwitch, "--warm",
                         "Buffers are in the L2 cache at the start, as far as they fit"};
constexpr Field kTrips = {"trips", Kind::kList, "--trip",
                          "Trip counts of loops that depend on data: \"kernel.cu:12=100\""};
constexpr Field kFile = {"file",
                         Kind::kFile,
                         "",
                         "CUDA source (.cu; needs nvcc), PTX, cubin, fatbin, executable, object, "
                         "library, or a launch of a capture (FILE.burin:N)",
                         "",
                         true};

constexpr Field kInspect[] = {
    kFile,
    {"kernel", Kind::kText, "--kernel", "Only kernels whose name contains this"},
    {"arch", Kind::kText, "--arch", "Only code for this architecture: \"sm_90\""},
    {"view", Kind::kView, "",
     "The code instead of the table of kernels: sass (instructions), lines (instructions under "
     "their source lines), loops",
     "sass lines loops"},
};
constexpr Field kPredict[] = {
    kFile,
    kMachine,
    kWarm,
    kTrips,
    {"lines", Kind::kSwitch, "--lines", "All source lines, not only the ten hottest"},
};
constexpr Field kExplain[] = {
    kFile,
    kMachine,
    kWarm,
    kTrips,
    {"what_if", Kind::kList, "--what-if",
     "Changes to predict: \"dram.bandwidth=2x\", \"block=128\", \"registers=64\", "
     "\"machine=a100\""},
    {"regions", Kind::kList, "--region", "Source lines to split sensitivities by: \"load=11-12\""},
    {"ladder", Kind::kSwitch, "--ladder", "Time for each number of resident blocks per SM"},
    {"all", Kind::kSwitch, "--all", "All rows"},
};
constexpr Field kAdvise[] = {
    kFile,
    kMachine,
    kWarm,
    kTrips,
    {"top", Kind::kNumber, "--top", "Number of findings"},
    {"all", Kind::kSwitch, "--all", "All findings"},
    {"rules", Kind::kList, "--rule", "Only these rules"},
    {"try_changes", Kind::kSwitch, "--try",
     "Make the changes that burin can make, compile and predict them (CUDA source; 30 s)"},
    {"plan", Kind::kSwitch, "--plan", "The findings one after the other, and how far that gets"},
    {"fail_on", Kind::kList, "--fail-on", "Limits: \"speedup>1.2\", \"rule:bank-conflicts\""},
};
constexpr Field kRun[] = {
    kFile,
    kTrips,
    {"check", Kind::kList, "--check",
     "Compare a buffer with a file: \"1=expected.bin:f32:1e-5\" (argument 1)"},
    {"sectors", Kind::kSwitch, "--sectors", "Count global memory sectors per line"},
    {"max_instructions", Kind::kNumber, "--max-instructions", "Stop after this many"},
    {"reshape", Kind::kSwitch, "--reshape",
     "Which block shapes give the same results; runs nothing"},
};
constexpr Field kDiff[] = {
    {"before", Kind::kFile, "", "Binary, CUDA source or capture", "", true},
    {"after", Kind::kFile, "", "Another of the same kind", "", true},
    kMachine,
    kWarm,
    kTrips,
    {"after_kernel", Kind::kText, "--after-kernel", "Name of the kernel in `after`, if different"},
    {"all", Kind::kSwitch, "--all", "Unchanged rows too"},
    {"fail_on", Kind::kList, "--fail-on", "Limits: \"time>1.05\", \"registers>8\", \"spills\""},
};

constexpr Tool kTools[] = {
    {"inspect",
     "What is in a CUDA binary, or in CUDA source once compiled: kernels with registers, shared "
     "memory and source lines; on request SASS or loops. Needs no GPU.",
     kInspect,
     {}},
    {"predict",
     "Predicts how long a kernel launch takes on a GPU, with an interval, and where the cycles go: "
     "occupancy, busy resources, cache hits, stalls, hottest lines. Needs no GPU.",
     kPredict, kLaunchFields},
    {"explain",
     "Which resource limits a kernel launch (sensitivity of its time to each), where in the code, "
     "lower bounds, and what-if predictions. Needs no GPU.",
     kExplain, kLaunchFields},
    {"advise",
     "What to change in a kernel: ranked findings with source line, cause, change and estimated "
     "speedup. Needs no GPU.",
     kAdvise, kLaunchFields},
    {"run",
     "Executes a kernel launch exactly on the CPU: instruction counts per line, divergence, and "
     "faults (races, out-of-bounds and uninitialised accesses). Use small inputs.",
     kRun, kLaunchFields},
    {"diff",
     "What changed between two builds of a kernel: registers, spills, instructions; with a launch "
     "(grid, block, args) also predicted time, stalls and advice. Needs no GPU.",
     kDiff, kLaunchFields},
};

// Of every tool.
constexpr std::string_view kFormat = "format", kTokens = "max_tokens", kMore = "more";

std::vector<const Field*> fields_of(const Tool& tool) {
  std::vector<const Field*> all;
  for (const std::span<const Field> part : {tool.fields, tool.launch}) {
    for (const Field& field : part) all.push_back(&field);
  }
  return all;
}

Error bad_field(const Field& field, std::string_view wanted) {
  return {concat(field.name, ": must be ", wanted), Exit::kUsage};
}

bool is_whole(const json& value) {
  return value.is_number_unsigned() || (value.is_number_integer() && value.get<long long>() >= 0);
}

// A name that begins with a dash is still a file.
std::string file_word(const std::string& path) {
  return path.starts_with('-') ? "./" + path : path;
}

std::optional<std::string> shape_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (is_whole(value)) return value.dump();
  if (!value.is_array() || value.empty() || value.size() > 3) return std::nullopt;
  std::string text;
  for (const json& each : value) {
    if (!is_whole(each)) return std::nullopt;
    text += (text.empty() ? "" : ",") + each.dump();
  }
  return text;
}

bool is_strings(const json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const json& each) { return each.is_string(); });
}

// A command line cannot have the character that ends a string in C.
bool has_nul(const json& value) {
  if (value.is_array()) return std::ranges::any_of(value, has_nul);
  return value.is_string() && value.get_ref<const std::string&>().find('\0') != std::string::npos;
}

// The words of one field; `files` go to the end.
Result<void> add_words(const Field& field, const json& value, std::vector<std::string>& words,
                       std::vector<std::string>& files) {
  const std::string option = std::string(field.option) + "=";
  if (has_nul(value)) return bad_field(field, "free of NUL characters");
  switch (field.kind) {
    case Kind::kFile:
      if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
        return bad_field(field, "a path");
      }
      files.push_back(file_word(value.get<std::string>()));
      return {};
    case Kind::kFiles:
      if (!is_strings(value) || value.empty()) return bad_field(field, "a list of paths");
      for (const json& each : value) files.push_back(file_word(each.get<std::string>()));
      return {};
    case Kind::kText:
      if (is_whole(value)) {
        words.push_back(option + value.dump());
        return {};
      }
      if (!value.is_string()) return bad_field(field, "a string");
      words.push_back(option + value.get<std::string>());
      return {};
    case Kind::kShape: {
      const std::optional<std::string> text = shape_text(value);
      if (!text) return bad_field(field, "a string like \"32,8\", an integer or up to three");
      words.push_back(option + *text);
      return {};
    }
    case Kind::kNumber:
      if (!is_whole(value)) return bad_field(field, "a whole number, not negative");
      words.push_back(option + value.dump());
      return {};
    case Kind::kFlags:
      if (!is_strings(value)) return bad_field(field, "a list of strings");
      for (const json& each : value) {
        const auto& flag = each.get_ref<const std::string&>();
        if (is_harmless_flag(flag)) continue;
        return Error{concat(field.name, ": '", flag.substr(0, 80),
                            "' is not allowed; use only flags for macros, include folders, the "
                            "language, optimization or the architecture, as in -std=c++20"),
                     Exit::kUsage};
      }
      [[fallthrough]];
    case Kind::kList:
      if (!is_strings(value)) return bad_field(field, "a list of strings");
      for (const json& each : value) words.push_back(option + each.get<std::string>());
      return {};
    case Kind::kSwitch:
      if (!value.is_boolean()) return bad_field(field, "true or false");
      if (value.get<bool>()) words.emplace_back(field.option);
      return {};
    case Kind::kView: {
      const std::vector<std::string_view> choices = split(field.choices, ' ');
      if (!value.is_string() ||
          std::ranges::find(choices, value.get_ref<const std::string&>()) == choices.end()) {
        return bad_field(field, concat("one of ", field.choices));
      }
      words.push_back("--" + value.get<std::string>());
      return {};
    }
  }
  return {};
}

Result<void> check_names(const Tool& tool, const json& arguments) {
  std::vector<std::string> names = {std::string(kFormat), std::string(kTokens), std::string(kMore)};
  for (const Field* field : fields_of(tool)) names.emplace_back(field->name);
  for (const auto& [name, value] : arguments.items()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string near = closest(name, names);
    std::string remedy = "; did you mean " + near + "?";
    if (near.empty()) {
      remedy = "; it has";
      for (const std::string& each : names) remedy += (each == names.front() ? " " : ", ") + each;
    }
    return Error{concat(tool.name, " has no field '", name.substr(0, 80), "'", remedy),
                 Exit::kUsage};
  }
  return {};
}

Result<void> take_common(const json& arguments, ToolRequest& request) {
  if (const auto format = arguments.find(kFormat); format != arguments.end()) {
    if (*format == "json") {
      request.words.emplace_back("--json");
    } else if (*format != "text") {
      return Error{"format: must be \"text\" or \"json\"", Exit::kUsage};
    }
  }
  if (const auto tokens = arguments.find(kTokens); tokens != arguments.end()) {
    if (!is_whole(*tokens) || tokens->get<std::size_t>() < kMinTokens ||
        tokens->get<std::size_t>() > kMaxTokens) {
      return Error{concat("max_tokens: must be from ", kMinTokens, " to ", kMaxTokens),
                   Exit::kUsage};
    }
    request.tokens = tokens->get<std::size_t>();
  }
  if (const auto more = arguments.find(kMore); more != arguments.end()) {
    if (!more->is_string()) return Error{"more: must be a handle, a string", Exit::kUsage};
    request.more = more->get<std::string>();
  }
  return {};
}

json schema_of(const Field& field) {
  const json text = {{"type", "string"}};
  const json whole = {{"type", "integer"}, {"minimum", 0}};
  json schema;
  switch (field.kind) {
    case Kind::kFile:
    case Kind::kText:
      schema = text;
      break;
    case Kind::kFiles:
    case Kind::kFlags:
    case Kind::kList:
      schema = {{"type", "array"}, {"items", text}};
      break;
    case Kind::kShape:
      schema = {{"anyOf", {text, whole, {{"type", "array"}, {"items", whole}, {"maxItems", 3}}}}};
      break;
    case Kind::kNumber:
      schema = whole;
      break;
    case Kind::kSwitch:
      schema = {{"type", "boolean"}};
      break;
    case Kind::kView:
      schema = {{"type", "string"}, {"enum", split(field.choices, ' ')}};
      break;
  }
  schema["description"] = field.description;
  return schema;
}

}  // namespace

std::span<const Tool> tools() {
  return kTools;
}

const Tool* find_tool(std::string_view name) {
  const auto* tool = std::ranges::find(kTools, name, &Tool::name);
  return tool == std::end(kTools) ? nullptr : tool;
}

Result<ToolRequest> parse_arguments(const Tool& tool, const json& arguments) {
  if (!arguments.is_object()) return Error{"arguments: must be an object", Exit::kUsage};
  if (Result<void> known = check_names(tool, arguments); !known) return known.error();
  ToolRequest request{.words = {std::string(tool.name), "--quiet"}};
  if (Result<void> taken = take_common(arguments, request); !taken) return taken.error();
  if (!request.more.empty()) return request;
  std::vector<std::string> files;
  for (const Field* field : fields_of(tool)) {
    const auto value = arguments.find(field->name);
    if (value == arguments.end()) {
      if (field->required) {
        return Error{concat(tool.name, " needs the field '", field->name, "'"), Exit::kUsage};
      }
      continue;
    }
    if (Result<void> added = add_words(*field, *value, request.words, files); !added) {
      return added.error();
    }
  }
  request.words.emplace_back("--");
  request.words.insert(request.words.end(), files.begin(), files.end());
  return request;
}

json description_of(const Tool& tool) {
  json properties = json::object();
  for (const Field* field : fields_of(tool)) {
    properties[std::string(field->name)] = schema_of(*field);
  }
  properties[std::string(kFormat)] = {
      {"type", "string"}, {"enum", {"text", "json"}}, {"description", "Default: text"}};
  properties[std::string(kTokens)] = {
      {"type", "integer"},
      {"minimum", kMinTokens},
      {"maximum", kMaxTokens},
      {"description", "Length of the answer, in tokens (default: 4000)"}};
  properties[std::string(kMore)] = {
      {"type", "string"},
      {"description", "Handle from the end of an answer that was cut: returns what follows"}};
  // `file` may be missing beside `more`: the server says what is missing.
  return {{"name", tool.name},
          {"description", tool.description},
          {"inputSchema",
           {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}}},
          {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}};
}

}  // namespace burin::mcp
