#include "tune/formats/t1_spec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/format.h"
#include "base/text.h"
#include "launch/argument.h"
#include "machine/parse_json.h"
#include "tune/formats/t1_argument.h"
#include "tune/formats/t1_fields.h"
#include "tune/formats/value_list.h"

namespace burin::tune {
namespace {

using formula::Expression;
using formula::Template;
using formula::Value;

constexpr std::string_view kAxes[] = {"X", "Y", "Z"};
constexpr std::string_view kT1Blocks[] = {"block_size_x", "block_size_y", "block_size_z"};
constexpr std::string_view kProblemSizes[] = {"problem_size_x", "problem_size_y", "problem_size_z"};

bool is_name(const std::string& text) {
  const Result<Expression> expression = Expression::parse(text);
  return expression && expression->names() == std::vector<std::string>{text};
}

// "add<float, tile>" becomes "add<float, {tile}>".
std::string instance_template(std::string_view text, const std::vector<std::string>& tunables) {
  std::string made;
  while (!text.empty()) {
    const std::size_t end = std::ranges::find_if_not(text, is_word_character) - text.begin();
    const std::string word(text.substr(0, std::max<std::size_t>(end, 1)));
    const bool tunable = std::ranges::find(tunables, word) != tunables.end();
    made += tunable ? "{" + word + "}" : literal_template(word);
    text.remove_prefix(word.size());
  }
  return made;
}

// Reads one document. The first error is kept; what follows it is of no consequence.
class T1Reader {
 public:
  T1Reader(const std::string& path, const T1Json& root) : root_(root), in_(path) {}

  Result<Spec> read(std::string_view text);

 private:
  // For an error that begins with the name of a field of `parent`: "FillType: …".
  void fail_within(const std::string& parent, const Error& error);

  void read_source(const T1Json& kernel);
  void read_tunables();
  std::vector<Value> values_of(const T1Json& parameter, const std::string& parent);
  void read_conditions();
  void read_arguments(const T1Json& kernel);
  T1Argument read_argument(const T1Json& from, const std::string& field);
  void read_sizes(const T1Json& kernel);
  void add_arguments();
  void read_options(const T1Json& kernel);
  void read_launch(const T1Json& kernel);
  std::vector<Expression> axes(const T1Json& kernel, std::string_view key);
  std::vector<Expression> default_block();
  std::vector<Expression> grid_of(const T1Json& kernel, const std::vector<Expression>& block);

  const T1Json& root_;
  T1Fields in_;
  Spec spec_;
  LaunchSpec launch_;
  Language language_ = Language::kCuda;
  std::vector<T1Argument> arguments_;
};

void T1Reader::read_source(const T1Json& kernel) {
  const std::string field = "KernelSpecification.";
  const std::string given = in_.text(kernel, field + "Language", "Language");
  const std::string language = lower_case(given);
  if (language != "cuda" && language != "opencl") {
    in_.fail(field + "Language", fmt::format("'{}' is neither CUDA nor OpenCL", given));
  }
  language_ = language == "opencl" ? Language::kOpencl : Language::kCuda;
  const std::string file = in_.text(kernel, field + "KernelFile", "KernelFile");
  if (file.empty()) in_.fail(field + "KernelFile", "the path is empty");
  spec_.sources[language_] = in_.file_path(file);
  launch_.kernel = in_.text(kernel, field + "KernelName", "KernelName");
  if (launch_.kernel.empty()) in_.fail(field + "KernelName", "the name is empty");
  if (const std::size_t bracket = launch_.kernel.find('<'); bracket != std::string::npos) {
    spec_.instance = in_.text_template(instance_template(launch_.kernel, in_.known), field);
    launch_.kernel.resize(bracket);
  }
}

// Values as a list, or as the text of one. An integer type turns 16.0 into 16.
std::vector<Value> T1Reader::values_of(const T1Json& parameter, const std::string& parent) {
  const std::string field = parent + ".Values";
  const T1Json* given = member_of(parameter, "Values");
  if (given == nullptr) {
    in_.fail(field, "the field is missing");
    return {};
  }
  const std::string type = lower_case(in_.text(parameter, parent + ".Type", "Type", false));
  const bool whole = type.starts_with("int") || type.starts_with("uint");
  const bool texts = type.empty() || type.starts_with("str") || type.starts_with("char");
  std::vector<Value> found;
  if (given->is_array()) {
    for (const T1Json& element : *given) {
      if (element.is_string() && !texts) {
        Result<std::vector<Value>> one = parse_value_list(element.get<std::string>());
        if (!one) in_.fail(field, one.error());
        if (one) found.insert(found.end(), one->begin(), one->end());
      } else if (std::optional<Value> one = in_.value(element, field)) {
        found.push_back(std::move(*one));
      }
    }
  } else if (given->is_string()) {
    Result<std::vector<Value>> list = parse_value_list(given->get<std::string>());
    if (!list) in_.fail(field, list.error());
    if (list) found = std::move(*list);
  } else {
    in_.fail(field, "a list, or a text such as \"[16, 32]\", is needed");
  }
  for (Value& one : found) {
    if (!whole) break;
    const std::optional<std::int64_t> integer = formula::integer(one);
    if (!integer) in_.fail(field, fmt::format("{} is not an integer", formula::to_string(one)));
    if (integer) one = *integer;
  }
  return found;
}

void T1Reader::read_tunables() {
  const std::string list = "ConfigurationSpace.TuningParameters";
  const T1Json& space = in_.object(root_, "ConfigurationSpace", "ConfigurationSpace");
  for (const T1Json& from : in_.array(space, list, "TuningParameters")) {
    const std::string field = fmt::format("{}[{}]", list, spec_.tunables.size());
    Parameter parameter{.name = in_.text(from, field + ".Name", "Name"), .values = {}};
    if (!is_name(parameter.name)) {
      in_.fail(field + ".Name", fmt::format("'{}' cannot be the name of a macro", parameter.name));
    }
    if (std::ranges::find(in_.known, parameter.name) != in_.known.end()) {
      in_.fail(field + ".Name", fmt::format("there are two parameters {}", parameter.name));
    }
    parameter.values = values_of(from, field);
    if (parameter.values.empty()) in_.fail(field + ".Values", "the list is empty");
    in_.known.push_back(parameter.name);
    spec_.tunables.push_back(std::move(parameter));
  }
  if (spec_.tunables.empty()) in_.fail(list, "there are no parameters");
}

void T1Reader::read_conditions() {
  const std::string list = "ConfigurationSpace.Conditions";
  const T1Json& space = in_.object(root_, "ConfigurationSpace", "ConfigurationSpace");
  for (const T1Json& from : in_.array(space, list, "Conditions")) {
    const std::string field = fmt::format("{}[{}].Expression", list, spec_.restrictions.size());
    const T1Json* condition = member_of(from, "Expression");
    if (condition == nullptr) return in_.fail(field, "the field is missing");
    spec_.restrictions.push_back(in_.expression(*condition, field));
  }
}

T1Argument T1Reader::read_argument(const T1Json& from, const std::string& field) {
  T1Argument argument;
  const auto read = [&](std::string_view key) {
    return in_.text(from, fmt::format("{}.{}", field, key), key, false);
  };
  argument.name = read("Name");
  argument.type = read("Type");
  argument.memory = read("MemoryType");
  if (argument.memory.empty()) argument.memory = read("MemType");  // in older files
  argument.access = read("AccessType");
  argument.fill = read("FillType");
  argument.data_source = in_.file_path(read("DataSource"));
  const T1Json* size = member_of(from, "Size");
  if (size != nullptr) argument.size = in_.value(*size, field + ".Size");
  const T1Json* filled = member_of(from, "FillValue");
  if (filled != nullptr) argument.fill_value = in_.value(*filled, field + ".FillValue");
  return argument;
}

void T1Reader::fail_within(const std::string& parent, const Error& error) {
  const std::size_t colon = error.message.find(':');
  in_.fail(parent + "." + error.message.substr(0, colon), error.message.substr(colon + 2));
}

void T1Reader::read_arguments(const T1Json& kernel) {
  const std::string list = "KernelSpecification.Arguments";
  for (const T1Json& from : in_.array(kernel, list, "Arguments")) {
    const std::string field = fmt::format("{}[{}]", list, arguments_.size());
    if (!from.is_object()) return in_.fail(field, "an object is needed");
    arguments_.push_back(read_argument(from, field));
    // Before anything else misses the name of a scalar whose value is wrong.
    if (lower_case(arguments_.back().memory) != "scalar") continue;
    const Result<std::string> scalar = t1_argument_text(arguments_.back());
    if (!scalar) return fail_within(field, scalar.error());
  }
}

// The problem size: the integer scalars and the numbers of ProblemSize, as far as their names are
// free.
void T1Reader::read_sizes(const T1Json& kernel) {
  formula::Names& names = spec_.sizes.emplace_back();
  const auto add = [&](const std::string& name, std::int64_t size) {
    const bool free = is_name(name) && std::ranges::find(in_.known, name) == in_.known.end();
    if (!free) return false;
    in_.known.push_back(name);
    names[name] = size;
    return true;
  };
  for (T1Argument& argument : arguments_) {
    if (!is_integer_scalar(argument)) continue;
    // From now on the argument is the name, so that both follow a size that the user overrides.
    if (add(argument.name, *formula::integer(*argument.fill_value))) {
      argument.fill_value = Value{argument.name};
    }
  }
  const T1Json* problem = member_of(kernel, "ProblemSize");
  if (problem == nullptr || member_of(kernel, "GlobalSize") != nullptr) return;
  const std::string field = "KernelSpecification.ProblemSize";
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const T1Json* size = !problem->is_array()     ? (axis == 0 ? problem : nullptr)
                         : axis < problem->size() ? &(*problem)[axis]
                                                  : nullptr;
    if (size == nullptr || !size->is_number()) continue;
    const std::optional<Value> given = in_.value(*size, field);
    const std::optional<std::int64_t> integer = given ? formula::integer(*given) : std::nullopt;
    if (integer) add(std::string(kProblemSizes[axis]), *integer);
  }
}

void T1Reader::add_arguments() {
  for (std::size_t i = 0; i < arguments_.size() && !in_.error(); ++i) {
    const T1Argument& argument = arguments_[i];
    const std::string field = fmt::format("KernelSpecification.Arguments[{}]", i);
    for (const auto& [given, key] :
         {std::pair(&argument.size, ".Size"), std::pair(&argument.fill_value, ".FillValue")}) {
      if (*given && std::holds_alternative<std::string>(**given)) {
        in_.parse(std::get<std::string>(**given), field + key);
      }
    }
    const Result<std::string> written = t1_argument_text(argument);
    const Result<bool> output = is_output(argument);
    if (!written) return fail_within(field, written.error());
    if (!output) return fail_within(field, output.error());
    Template made = in_.text_template(*written, field);
    const T1Memory memory = *memory_of(argument);
    if (memory == T1Memory::kSymbol || memory == T1Memory::kLocal) {
      const bool opencl = language_ == Language::kOpencl;
      if (opencl != (memory == T1Memory::kLocal)) {
        in_.fail(field + ".MemoryType",
                 opencl ? "symbols are possible in CUDA only"
                        : "Local is possible in OpenCL only; give SharedMemory for CUDA");
      }
    }
    if (memory == T1Memory::kSymbol) {
      spec_.settings.push_back(std::move(made));
      continue;
    }
    // What does not depend on tunables can be checked here; files are opened when they are needed.
    const Result<std::string> filled = made.fill(spec_.sizes.front());
    if (filled && filled->find(":file:") == std::string::npos) {
      const Result<launch::Argument> parsed = launch::parse_step_argument(*filled, i);
      if (!parsed) in_.fail(field, parsed.error());
    }
    if (*output) {
      spec_.reference.outputs.push_back(
          {.argument = launch_.arguments.size(), .type = element_type_of(argument)});
    }
    launch_.arguments.push_back(std::move(made));
  }
}

void T1Reader::read_options(const T1Json& kernel) {
  const std::string field = "KernelSpecification.CompilerOptions";
  const T1Json* options = member_of(kernel, "CompilerOptions");
  if (options == nullptr) return;
  const auto add = [&](const T1Json& json) {
    if (!json.is_string()) return in_.fail(field, "texts are needed");
    const std::string written = json.get<std::string>();
    for (const std::string_view option : split(written, ' ')) {
      if (option.empty()) continue;
      spec_.options.push_back(in_.text_template(literal_template(option), field));
    }
  };
  if (!options->is_array()) return add(*options);
  for (const T1Json& option : *options) add(option);
}

// The expressions of {"X": …, "Y": …, "Z": …}; empty if the field is missing.
std::vector<Expression> T1Reader::axes(const T1Json& kernel, std::string_view key) {
  const T1Json* from = member_of(kernel, key);
  if (from == nullptr) return {};
  const std::string field = fmt::format("KernelSpecification.{}", key);
  if (!from->is_object()) {
    in_.fail(field, "an object such as {\"X\": \"block_size_x\"} is needed");
    return {};
  }
  std::vector<Expression> found;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const T1Json* one = member_of(*from, kAxes[axis]);
    const std::string full = fmt::format("{}.{}", field, kAxes[axis]);
    if (one == nullptr && axis == 0) in_.fail(full, "the field is missing");
    found.push_back(one == nullptr ? in_.parse("1", full) : in_.expression(*one, full));
  }
  return found;
}

std::vector<Expression> T1Reader::default_block() {
  std::vector<Expression> block;
  const auto tunable = [&](std::string_view name) {
    return std::ranges::find(spec_.tunables, name, &Parameter::name) != spec_.tunables.end();
  };
  if (!tunable(kT1Blocks[0])) {
    in_.fail("KernelSpecification.LocalSize",
             "the field is missing, and no parameter is named block_size_x");
  }
  for (const std::string_view name : kT1Blocks) {
    block.push_back(*Expression::parse(tunable(name) ? name : std::string_view("1")));
  }
  return block;
}

std::vector<Expression> T1Reader::grid_of(const T1Json& kernel,
                                          const std::vector<Expression>& block) {
  const std::string field = "KernelSpecification.";
  std::vector<Expression> grid = axes(kernel, "GlobalSize");
  if (!grid.empty()) {
    std::string given = in_.text(kernel, field + "GlobalSizeType", "GlobalSizeType", false);
    if (given.empty()) given = name(language_);
    const std::string counts = lower_case(given);
    if (counts == "cuda") return grid;
    if (counts != "opencl") {
      in_.fail(field + "GlobalSizeType", fmt::format("'{}' is neither CUDA nor OpenCL", given));
    }
    for (std::size_t axis = 0; axis < grid.size() && axis < block.size(); ++axis) {
      grid[axis] = in_.parse(fmt::format("ceildiv({}, {})", grid[axis].text(), block[axis].text()),
                             fmt::format("{}GlobalSize.{}", field, kAxes[axis]));
    }
    return grid;
  }
  const T1Json* problem = member_of(kernel, "ProblemSize");
  if (problem == nullptr) {
    in_.fail(field + "GlobalSize", "the field is missing, and so is ProblemSize");
    return {};
  }
  grid = in_.expressions(*problem, field + "ProblemSize");
  if (grid.empty() || grid.size() > 3) {
    in_.fail(field + "ProblemSize", "one to three sizes are needed");
  }
  for (std::size_t axis = 0; axis < grid.size() && axis < block.size(); ++axis) {
    const std::string extent = spec_.sizes.front().contains(kProblemSizes[axis])
                                   ? std::string(kProblemSizes[axis])
                                   : grid[axis].text();
    const std::string key = fmt::format("GridDiv{}", kAxes[axis]);
    std::string divisor;
    if (const T1Json* given = member_of(kernel, key)) {
      for (const Expression& factor : in_.expressions(*given, field + key)) {
        divisor += fmt::format("{}({})", divisor.empty() ? "" : " * ", factor.text());
      }
      if (divisor.empty()) divisor = "1";
    } else {
      divisor = block[axis].text();
    }
    grid[axis] = in_.parse(fmt::format("ceildiv({}, {})", extent, divisor), field + "ProblemSize");
  }
  return grid;
}

void T1Reader::read_launch(const T1Json& kernel) {
  launch_.block = axes(kernel, "LocalSize");
  if (launch_.block.empty()) launch_.block = default_block();
  if (in_.error()) return;
  launch_.grid = grid_of(kernel, launch_.block);
  if (const T1Json* bytes = member_of(kernel, "SharedMemory")) {
    launch_.shared_bytes = in_.expression(*bytes, "KernelSpecification.SharedMemory");
  }
}

Result<Spec> T1Reader::read(std::string_view text) {
  spec_.path = in_.path();
  spec_.text = text;
  const T1Json& kernel = in_.object(root_, "KernelSpecification", "KernelSpecification");
  read_tunables();
  read_source(kernel);
  read_arguments(kernel);
  if (in_.error()) return *in_.error();
  read_sizes(kernel);
  read_conditions();
  add_arguments();
  read_options(kernel);
  read_launch(kernel);
  if (in_.error()) return *in_.error();
  spec_.launches.push_back(std::move(launch_));
  if (Result<void> complete = check_spec(spec_); !complete) {
    return complete.error().within(in_.path());
  }
  return std::move(spec_);
}

}  // namespace

Result<Spec> parse_t1_spec(std::string_view text, const std::string& path) {
  T1Json root;
  try {
    root = T1Json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    return Error{machine::json_sentence(error), Exit::kInput}.within(path);
  }
  if (!root.is_object()) {
    return Error{fmt::format("{}: is not a T1 file: it is no JSON object", path), Exit::kInput};
  }
  return T1Reader(path, root).read(text);
}

Result<Spec> read_t1_spec(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  return parse_t1_spec({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
}

bool is_t1(std::string_view text) {
  const T1Json root = T1Json::parse(text, nullptr, false);
  return member_of(root, "ConfigurationSpace") != nullptr ||
         member_of(root, "KernelSpecification") != nullptr;
}

}  // namespace burin::tune
