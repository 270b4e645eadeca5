#include "tune/formats/toml_spec.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"
#include "launch/number.h"
#include "tune/formats/toml_fields.h"

namespace burin::tune {
namespace {

using formula::Expression;
using formula::Template;
using formula::Value;

// Reads one document.
class TomlReader : private TomlFields {
 public:
  TomlReader(const std::string& path, const toml::table& root) : TomlFields(path), root_(root) {}

  Result<Spec> read(std::string_view text);

 private:
  void read_sources(Spec& spec);
  void read_sizes(Spec& spec);
  void read_tunables(Spec& spec);
  void read_names(Spec& spec);
  void read_launches(Spec& spec);
  LaunchSpec read_launch(const toml::table& from, const std::string& field);
  std::vector<Expression> grid_of(const toml::table& from, const std::string& field);
  void read_compile(Spec& spec);
  void read_reference(Spec& spec);
  std::optional<OutputSpec> output_of(const toml::node& node);
  void read_expected_files(const toml::table& files, ReferenceSpec& reference);
  void read_objective(Spec& spec);
  void read_saturation(Spec& spec);

  const toml::table& root_;
  std::string kernel_;
};

void TomlReader::read_sources(Spec& spec) {
  const toml::node* node = root_.get("source");
  if (node == nullptr) return;
  if (const toml::table* by_language = node->as_table()) {
    only(*by_language, "source", {"cuda", "opencl"});
    for (const Language language : {Language::kCuda, Language::kOpencl}) {
      const std::string key(name(language));
      if (const toml::node* source = by_language->get(key)) {
        spec.sources[language] = file_path(text_of(*source, "source." + key));
      }
    }
    return;
  }
  const std::string source = text_of(*node, "source");
  Language language = source.ends_with(".cl") ? Language::kOpencl : Language::kCuda;
  if (const toml::node* given = root_.get("language")) {
    const std::string text = text_of(*given, "language");
    if (text != "cuda" && text != "opencl") {
      fail(given, "language", fmt::format("'{}' is neither cuda nor opencl", text));
    }
    language = text == "opencl" ? Language::kOpencl : Language::kCuda;
  }
  spec.sources[language] = file_path(source);
}

void TomlReader::read_sizes(Spec& spec) {
  const toml::table* problem = table(root_, "problem", "problem");
  if (problem == nullptr) return;
  const auto names_in = [&](const toml::table& from, const std::string& field) {
    formula::Names names;
    for (const auto& [key, node] : in_order(from)) {
      if (&from == problem && key == "sizes") continue;
      if (auto value = value_of(*node, field + "." + key)) names[key] = std::move(*value);
    }
    return names;
  };
  const formula::Names common = names_in(*problem, "problem");
  const toml::node* sizes = problem->get("sizes");
  if (sizes == nullptr) {
    spec.sizes.push_back(common);
    return;
  }
  each(*sizes, "problem.sizes", [&](const toml::node& element) {
    if (!element.is_table()) {
      return fail(&element, "problem.sizes", "tables such as {n = 1024} are needed");
    }
    formula::Names names = names_in(*element.as_table(), "problem.sizes");
    names.insert(common.begin(), common.end());
    spec.sizes.push_back(std::move(names));
  });
}

void TomlReader::read_tunables(Spec& spec) {
  const toml::table* tunables = table(root_, "tunables", "tunables");
  if (tunables == nullptr) return;
  for (const auto& [key, node] : in_order(*tunables)) {
    Parameter parameter{.name = key, .values = {}};
    const std::string field = "tunables." + key;
    keep_line(field, *node);
    each(*node, field, [&](const toml::node& element) {
      std::optional<Value> value = value_of(element, field);
      if (!value) return;
      const bool repeated = std::ranges::any_of(
          parameter.values, [&](const Value& known) { return formula::equal(known, *value); });
      if (repeated) {
        return fail(&element, field,
                    fmt::format("the value {} is listed twice", formula::plain_text(*value)));
      }
      parameter.values.push_back(std::move(*value));
    });
    spec.tunables.push_back(std::move(parameter));
  }
}

void TomlReader::read_names(Spec& spec) {
  const toml::table* names = table(root_, "names", "names");
  if (names == nullptr) return;
  for (const auto& [key, node] : in_order(*names)) {
    const std::string field = "names." + key;
    keep_line(field, *node);
    if (auto expression = expression_of(*node, field)) {
      spec.derived.emplace_back(key, std::move(*expression));
    }
  }
}

// `grid` in blocks; or `problem_size` in elements, divided by grid_div_x, _y, _z as Kernel Tuner
// does.
std::vector<Expression> TomlReader::grid_of(const toml::table& from, const std::string& field) {
  const toml::node* size = from.get("problem_size");
  if (size == nullptr) return expressions_of(from.get("grid"), field + ".grid");
  if (from.contains("grid")) fail(size, field + ".problem_size", "grid is given too");
  std::vector<Expression> grid;
  for (const Expression& extent : expressions_of(size, field + ".problem_size")) {
    if (grid.size() == 3) break;
    const char axis = "xyz"[grid.size()];
    const std::string key = fmt::format("grid_div_{}", axis);
    std::string divisor;
    for (const Expression& factor : expressions_of(from.get(key), field + "." + key)) {
      divisor += fmt::format("{}({})", divisor.empty() ? "" : " * ", factor.text());
    }
    if (divisor.empty()) divisor = fmt::format("block_size_{}", axis);
    Result<Expression> blocks =
        Expression::parse(fmt::format("ceildiv({}, {})", extent.text(), divisor));
    if (!blocks) {
      fail(size, field + ".problem_size", blocks.error().message);
      break;
    }
    grid.push_back(std::move(*blocks));
  }
  return grid;
}

LaunchSpec TomlReader::read_launch(const toml::table& from, const std::string& field) {
  only(from, field,
       {"kernel", "block", "grid", "problem_size", "grid_div_x", "grid_div_y", "grid_div_z",
        "shared_bytes", "repeat", "args", "settings"});
  LaunchSpec launch;
  launch.kernel = kernel_;
  if (const toml::node* kernel = from.get("kernel")) {
    launch.kernel = text_of(*kernel, field + ".kernel");
  }
  launch.block = expressions_of(from.get("block"), field + ".block");
  launch.grid = grid_of(from, field);
  if (const toml::node* bytes = from.get("shared_bytes")) {
    launch.shared_bytes = expression_of(*bytes, field + ".shared_bytes");
  }
  if (const toml::node* repeat = from.get("repeat")) {
    launch.repeat = expression_of(*repeat, field + ".repeat");
  }
  const toml::node* arguments = from.get("args");
  if (arguments != nullptr && !(arguments->is_array() && arguments->as_array()->empty())) {
    launch.arguments = templates_of(arguments, field + ".args");
  }
  return launch;
}

void TomlReader::read_launches(Spec& spec) {
  if (const toml::table* launch = table(root_, "launch", "launch")) {
    spec.launches.push_back(read_launch(*launch, "launch"));
    spec.settings = templates_of(launch->get("settings"), "launch.settings");
  }
  const toml::node* several = root_.get("launches");
  if (several == nullptr) return;
  if (!spec.launches.empty()) fail(several, "launches", "[launch] is given too");
  each(*several, "launches", [&](const toml::node& element) {
    if (!element.is_table()) return fail(&element, "launches", "write [[launches]]");
    const std::string field = fmt::format("launches[{}]", spec.launches.size());
    keep_line(field, element);
    spec.launches.push_back(read_launch(*element.as_table(), field));
  });
  spec.settings = templates_of(root_.get("settings"), "settings");
}

void TomlReader::read_compile(Spec& spec) {
  const toml::table* compile = table(root_, "compile", "compile");
  if (compile == nullptr) return;
  only(*compile, "compile", {"options", "max_registers", "instance"});
  spec.options = templates_of(compile->get("options"), "compile.options");
  if (const toml::node* registers = compile->get("max_registers")) {
    spec.max_registers = expression_of(*registers, "compile.max_registers");
  }
  if (const toml::node* instance = compile->get("instance")) {
    spec.instance = template_of(*instance, "compile.instance");
  }
}

void TomlReader::read_expected_files(const toml::table& files, ReferenceSpec& reference) {
  for (const auto& [key, file] : in_order(files)) {
    if (key.empty() || key.find_first_not_of("0123456789") != std::string::npos || key.size() > 3) {
      fail(file, "reference.files", fmt::format("'{}' is not the number of an argument", key));
      continue;
    }
    reference.files[std::stoul(key)] = file_path(text_of(*file, "reference.files." + key));
  }
}

// 2, or "2:f16".
std::optional<OutputSpec> TomlReader::output_of(const toml::node& node) {
  OutputSpec output;
  const auto* index = node.as_integer();
  std::string text =
      index != nullptr ? std::to_string(index->get()) : text_of(node, "reference.outputs");
  if (const std::size_t colon = text.find(':'); colon != std::string::npos) {
    output.type = launch::parse_element_type(std::string_view(text).substr(colon + 1));
    if (!output.type) {
      fail(&node, "reference.outputs",
           fmt::format("'{}' does not end in u8, u32, f16, bf16, f32 or f64", text));
      return std::nullopt;
    }
    text.resize(colon);
  }
  const std::optional<std::uint16_t> argument = launch::parse_integer<std::uint16_t>(text);
  if (!argument) {
    fail(&node, "reference.outputs",
         "numbers of arguments, from 0, are needed: [1] or [\"1:f16\"]");
    return std::nullopt;
  }
  output.argument = *argument;
  return output;
}

void TomlReader::read_reference(Spec& spec) {
  const toml::node* node = root_.get("reference");
  if (node == nullptr) return;
  ReferenceSpec& reference = spec.reference;
  if (const auto* text = node->as_string()) {
    reference.skip = text->get() == "none";
    if (!reference.skip && text->get() != "first") {
      fail(node, "reference", "write \"first\", \"none\", or a table [reference]");
    }
    return;
  }
  const toml::table* from = table(root_, "reference", "reference");
  if (from == nullptr) return;
  only(*from, "reference",
       {"kernel", "grid", "block", "shared_bytes", "files", "tolerance", "outputs"});
  if (const toml::node* kernel = from->get("kernel")) {
    LaunchSpec launch;
    launch.kernel = text_of(*kernel, "reference.kernel");
    launch.grid = expressions_of(from->get("grid"), "reference.grid");
    launch.block = expressions_of(from->get("block"), "reference.block");
    if (const toml::node* bytes = from->get("shared_bytes")) {
      launch.shared_bytes = expression_of(*bytes, "reference.shared_bytes");
    }
    reference.launch = std::move(launch);
  }
  if (const toml::table* files = table(*from, "files", "reference.files")) {
    read_expected_files(*files, reference);
  }
  if (const toml::node* tolerance = from->get("tolerance")) {
    reference.tolerance = tolerance->value<double>();
    if (!reference.tolerance || !(*reference.tolerance >= 0)) {
      fail(tolerance, "reference.tolerance", "a number of at least 0 is needed");
    }
  }
  if (const toml::node* outputs = from->get("outputs")) {
    each(*outputs, "reference.outputs", [&](const toml::node& element) {
      if (std::optional<OutputSpec> output = output_of(element)) {
        reference.outputs.push_back(*output);
      }
    });
  }
}

void TomlReader::read_objective(Spec& spec) {
  const toml::table* from = table(root_, "objective", "objective");
  if (from == nullptr) return;
  only(*from, "objective", {"minimise", "minimize", "maximise", "maximize", "unit"});
  for (const char* key : {"minimise", "minimize", "maximise", "maximize"}) {
    const toml::node* node = from->get(key);
    if (node == nullptr) continue;
    if (spec.objective.expression) fail(node, "objective", "there can be only one objective");
    spec.objective.expression = expression_of(*node, fmt::format("objective.{}", key));
    spec.objective.maximise = key[1] == 'a';
  }
  if (const toml::node* unit = from->get("unit")) {
    spec.objective.unit = text_of(*unit, "objective.unit");
  }
}

void TomlReader::read_saturation(Spec& spec) {
  const toml::table* from = table(root_, "saturation", "saturation");
  if (from == nullptr) return;
  only(*from, "saturation", {"size", "from", "to", "step", "work", "whole_waves", "config"});
  SaturationSpec saturation;
  const auto text = [&](const char* key) {
    const toml::node* node = from->get(key);
    return node == nullptr ? std::string() : text_of(*node, fmt::format("saturation.{}", key));
  };
  const auto integer = [&](const char* key) -> std::optional<std::int64_t> {
    const toml::node* node = from->get(key);
    if (node == nullptr) return std::nullopt;
    const auto value = node->value_exact<std::int64_t>();
    if (!value) fail(node, fmt::format("saturation.{}", key), "an integer is needed");
    return value;
  };
  for (const char* key : {"size", "from", "to", "step", "work"}) {
    if (const toml::node* node = from->get(key)) {
      keep_line(fmt::format("saturation.{}", key), *node);
    }
  }
  keep_line("saturation", *from);
  saturation.size = text("size");
  saturation.config = text("config");
  saturation.from = integer("from");
  saturation.to = integer("to");
  if (const toml::node* step = from->get("step")) {
    const auto value = step->value<double>();
    if (!value) fail(step, "saturation.step", "a number is needed");
    saturation.step = value.value_or(2);
  }
  if (const toml::node* work = from->get("work")) {
    saturation.work = expression_of(*work, "saturation.work");
  }
  if (const toml::node* whole = from->get("whole_waves")) {
    const auto value = whole->value_exact<bool>();
    if (!value) fail(whole, "saturation.whole_waves", "true or false is needed");
    saturation.whole_waves = value.value_or(false);
  }
  spec.saturation = std::move(saturation);
}

Result<Spec> TomlReader::read(std::string_view text) {
  Spec spec;
  spec.path = path();
  spec.text = text;
  only(root_, "",
       {"kernel", "source", "language", "restrictions", "problem", "tunables", "names", "launch",
        "launches", "settings", "compile", "reference", "objective", "saturation"});
  if (const toml::node* kernel = root_.get("kernel")) kernel_ = text_of(*kernel, "kernel");
  read_sources(spec);
  read_sizes(spec);
  read_tunables(spec);
  read_names(spec);
  const toml::node* restrictions = root_.get("restrictions");
  if (restrictions != nullptr && !(restrictions->is_array() && restrictions->as_array()->empty())) {
    spec.restrictions = expressions_of(restrictions, "restrictions");
  }
  read_launches(spec);
  read_compile(spec);
  read_reference(spec);
  read_objective(spec);
  read_saturation(spec);
  if (error()) return *error();
  if (Result<void> complete = check_spec(spec); !complete) return with_line(complete.error());
  return spec;
}

}  // namespace

Result<Spec> parse_toml_spec(std::string_view text, const std::string& path) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return Error{fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()),
                 Exit::kInput};
  }
  return TomlReader(path, parsed.table()).read(text);
}

Result<Spec> read_toml_spec(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  return parse_toml_spec({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

}  // namespace burin::tune
