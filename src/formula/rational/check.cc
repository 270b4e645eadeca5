// What every rational program has to hold before anything is chosen by it.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "formula/evaluator.h"
#include "formula/rational/names.h"
#include "formula/rational/rational_program.h"

namespace burin::formula {
namespace {

constexpr Shape kMaxBlock = {1024, 1024, 64};
constexpr std::uint64_t kMaxBlockThreads = 1024;

Error in(const std::string& what, const Error& error) {
  return {what + ": " + error.message};
}

// The expression knows its names, and a Chooser has room for its values.
Result<void> check_expression(const std::string& what, const Expression& expression,
                              std::span<const std::string> known) {
  const Result<Evaluator> evaluator = expression.evaluator(known);
  if (!evaluator) return in(what, evaluator.error());
  if (evaluator->depth() > kMaxStack) return Error{what + ": the expression is nested too deeply"};
  return {};
}

Result<void> check_size(const RationalProgram& program, const NamedExpression& size) {
  const std::vector<std::string> own = own_launch_names();
  std::vector<std::string> known = own;
  for (const std::string& name : size.value.names()) {
    if (std::ranges::find(own, name) != own.end()) continue;
    const std::optional<ArgumentName> argument = argument_named(name);
    if (!argument) {
      return Error{"size " + size.name + ": \"" + name +
                   "\" is neither an argument such as arg0_i32 nor one of " + list_of(own, 8)};
    }
    if (argument->parameter >= program.parameters.size()) {
      return Error{"size " + size.name + ": the kernel has no parameter " +
                   std::to_string(argument->parameter)};
    }
    const std::uint64_t end = std::uint64_t{argument->offset} + argument->bytes;
    if (end > program.parameters[argument->parameter].bytes) {
      return Error{"size " + size.name + ": " + name + " is wider than parameter " +
                   std::to_string(argument->parameter)};
    }
    known.push_back(name);
  }
  return check_expression("size " + size.name, size.value, known);
}

Result<void> check_names(const RationalProgram& program) {
  const std::vector<std::string> names = names_of(program, Scope::kDefinition);
  if (names.size() > kMaxNames) {
    return Error{"the program has more than " + std::to_string(kMaxNames) + " names"};
  }
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!is_identifier(name)) return Error{"\"" + name + "\" is not a name"};
    if (!seen.insert(name).second) return Error{"the name " + name + " has two meanings"};
  }
  return {};
}

Result<void> check_expressions(const RationalProgram& program) {
  for (const NamedExpression& size : program.sizes) {
    // A size whose value is only ever given by name needs no kernel: `size n = n`.
    if (size.value.text() == size.name) continue;
    if (const Result<void> checked = check_size(program, size); !checked) return checked;
  }
  const std::vector<std::string> sizes = names_of(program, Scope::kAxis);
  for (const NamedExpression& axis : program.axes) {
    const Result<void> checked = check_expression("axis " + axis.name, axis.value, sizes);
    if (!checked) return checked;
  }
  const std::vector<std::string> shape = names_of(program, Scope::kShape);
  static constexpr std::array<const char*, 3> kGrid = {"grid_x", "grid_y", "grid_z"};
  if (!program.grid.empty() && program.grid.size() != kGrid.size()) {
    return Error{"a grid needs grid_x, grid_y and grid_z"};
  }
  for (std::size_t i = 0; i < program.grid.size(); ++i) {
    const Result<void> checked = check_expression(kGrid[i], program.grid[i], shape);
    if (!checked) return checked;
  }
  if (const Result<void> checked = check_expression("shared_bytes", program.shared_bytes, shape);
      !checked) {
    return checked;
  }
  for (const Expression& constraint : program.constraints) {
    const Result<void> checked = check_expression("constraint", constraint, shape);
    if (!checked) return checked;
  }

  // A definition sees the names before it, and the grid only where there is one.
  std::vector<std::string> known = names_of(program, Scope::kDefinition);
  known.resize(known.size() - program.definitions.size());
  if (program.grid.empty()) {
    std::erase_if(known, [](const std::string& name) { return name.starts_with("grid_"); });
  }
  for (const NamedExpression& definition : program.definitions) {
    const Result<void> checked =
        check_expression("let " + definition.name, definition.value, known);
    if (!checked) return checked;
    known.push_back(definition.name);
  }
  return check_expression("time_us", program.time_us, known);
}

Result<void> check_shapes(const RationalProgram& program) {
  if (program.shapes.empty()) return Error{"the program has no shape to choose"};
  if (program.shapes.size() > kMaxShapes) {
    return Error{"the program has more than " + std::to_string(kMaxShapes) + " shapes"};
  }
  for (const Shape& shape : program.shapes) {
    std::uint64_t threads = 1;
    bool fits = true;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      fits = fits && shape[i] >= 1 && shape[i] <= kMaxBlock[i];
      threads *= shape[i];
    }
    if (!fits || threads > kMaxBlockThreads) {
      return Error{"the shape " + std::to_string(shape[0]) + ' ' + std::to_string(shape[1]) + ' ' +
                   std::to_string(shape[2]) + " is no block that a GPU launches"};
    }
  }
  for (const auto& [name, values] : program.per_shape) {
    if (values.size() != program.shapes.size()) {
      return Error{name + " has " + count_of(values.size(), "value") + " for " +
                   count_of(program.shapes.size(), "shape")};
    }
  }
  return {};
}

// The nodes of a branch lie together; the index after its last one, or 0 for a table that is none.
std::size_t end_of_branch(const DeviceTable& device, std::size_t at, std::size_t depth) {
  if (at >= device.table.size() || depth > kMaxTableDepth) return 0;
  const TableNode& node = device.table[at];
  if (node.otherwise == 0) return at + 1;
  if (end_of_branch(device, at + 1, depth + 1) != node.otherwise) return 0;
  return end_of_branch(device, node.otherwise, depth + 1);
}

Result<void> check_device(const RationalProgram& program, const DeviceTable& device) {
  const std::string where = "device \"" + device.name + "\"";
  if (device.name.find_first_of("\"\n") != std::string::npos) {
    return Error{"a device's name has a quote or a line break"};
  }
  if (device.inputs.size() != program.inputs.size()) {
    return Error{where + " has " + count_of(device.inputs.size(), "hardware value") + " for " +
                 count_of(program.inputs.size(), "input")};
  }
  for (const Domain& domain : device.domain) {
    if (domain.axis >= program.axis_count() || domain.least > domain.most) {
      return Error{where + " has a domain that is none"};
    }
  }
  if (device.table.empty()) return {};
  if (device.table.size() > kMaxTableNodes) return Error{where + ": the table is too large"};
  if (end_of_branch(device, 0, 1) != device.table.size()) {
    return Error{where + ": the table is not complete"};
  }
  for (const TableNode& node : device.table) {
    const bool is_leaf = node.otherwise == 0;
    const auto known = [&](std::uint32_t shape) { return shape < program.shapes.size(); };
    if (is_leaf ? node.ranked.empty() || node.ranked.size() > kMaxRanked ||
                      !std::ranges::all_of(node.ranked, known)
                : node.axis >= program.axis_count()) {
      return Error{where + ": the table refers to what is not there"};
    }
  }
  return {};
}

}  // namespace

RationalProgram::RationalProgram() : shared_bytes(*Expression::parse("smem")) {}

std::vector<std::string> RationalProgram::axis_names() const {
  std::vector<std::string> names;
  for (const NamedExpression& size : sizes) names.push_back(size.name);
  for (const NamedExpression& axis : axes) names.push_back(axis.name);
  return names;
}

Result<void> check(const RationalProgram& program) {
  if (const Result<void> checked = check_names(program); !checked) return checked;
  if (const Result<void> checked = check_shapes(program); !checked) return checked;
  if (const Result<void> checked = check_expressions(program); !checked) return checked;
  for (const DeviceTable& device : program.devices) {
    if (const Result<void> checked = check_device(program, device); !checked) return checked;
  }
  for (const std::string* text : {&program.kernel, &program.code, &program.reason}) {
    if (text->find('\n') != std::string::npos) return Error{"a text has a line break"};
  }
  return {};
}

}  // namespace burin::formula
