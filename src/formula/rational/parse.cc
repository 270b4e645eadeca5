// From the text of an .rp file to a rational program.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "base/crc32.h"
#include "base/text.h"
#include "formula/evaluator.h"
#include "formula/rational/names.h"
#include "formula/rational/rational_program.h"

namespace burin::formula {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

// The first word, which is taken off `text`; "" at the end.
std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return '"' + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "…\"" : "\"");
}

template <typename T>
std::optional<T> number_in(std::string_view word) {
  T value{};
  const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::optional<double> finite_in(std::string_view word) {
  const std::optional<double> value = number_in<double>(word);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<RationalProgram> read() {
    bool ended = false;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      const std::string_view line = trimmed(text_.substr(at, end - at));
      ++line_;
      if (!line.empty() && line[0] != '#') {
        if (ended) return fail("the file goes on after its end");
        if (const Result<void> done = statement(line, at); !done) return fail(done.error().message);
        ended = line.starts_with("end ");
      }
      at = end + 1;
    }
    if (!started_) return Error{"the file is empty: it is no rational program"};
    if (!ended) return fail("the last line, \"end CHECKSUM\", is missing: the file is cut short");
    if (!timed_) return Error{"time_us is missing: what to minimise over the shapes"};
    if (const Result<void> checked = check(program_); !checked) return checked.error();
    return std::move(program_);
  }

 private:
  using Handler = Result<void> (Reader::*)(std::string_view rest);
  struct Statement {
    std::string_view keyword;
    Handler handler;
  };
  static std::span<const Statement> statements();

  Error fail(const std::string& message) const {
    return {"line " + std::to_string(line_) + ": " + message};
  }

  Result<void> statement(std::string_view line, std::size_t at) {
    std::string_view rest = line;
    const std::string_view keyword = take_word(rest);
    rest = trimmed(rest);
    if (!started_) {
      if (keyword != "burin-rp") return Error{"this is no rational program of burin"};
      if (rest != "1") {
        return Error{"the file has version " + quoted(rest) + ", and only version 1 is known"};
      }
      started_ = true;
      return {};
    }
    if (keyword == "end") return compare_checksum(rest, at);
    for (const Statement& known : statements()) {
      if (keyword != known.keyword) continue;
      return (this->*known.handler)(rest);
    }
    return Error{quoted(keyword) + " is no statement of a rational program"};
  }

  Result<void> compare_checksum(std::string_view rest, std::size_t at) {
    if (!open_.empty()) return Error{"the table of the last device is not complete"};
    if (rest == "-") return {};
    std::uint32_t stated = 0;
    const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), stated, 16);
    if (rest.size() != 8 || fault != std::errc{} || end != rest.data() + rest.size()) {
      return Error{"\"end\" needs a checksum of 8 hexadecimal digits, or -"};
    }
    const std::uint32_t found = crc32({reinterpret_cast<const std::uint8_t*>(text_.data()), at});
    if (found != stated) return Error{"the checksum does not match: the file is damaged or edited"};
    return {};
  }

  // "NAME = EXPRESSION", or only the expression where `name` is null.
  static Result<Expression> expression_in(std::string_view rest, std::string* name) {
    if (name != nullptr) {
      const std::size_t sign = rest.find('=');
      if (sign == std::string_view::npos) return Error{"\"=\" is missing"};
      *name = trimmed(rest.substr(0, sign));
      if (!is_identifier(*name)) return Error{quoted(*name) + " is not a name"};
      rest = rest.substr(sign + 1);
    }
    return Expression::parse(trimmed(rest));
  }
  Result<void> add_named(std::string_view rest, std::vector<NamedExpression>& to) {
    NamedExpression added;
    Result<Expression> value = expression_in(rest, &added.name);
    if (!value) return value.error();
    added.value = std::move(*value);
    if (&to != &program_.sizes) {
      const Scope scope = &to == &program_.axes ? Scope::kAxis : Scope::kDefinition;
      if (const Result<void> known = added.value.check_names(names_of(program_, scope)); !known) {
        return known.error();
      }
    }
    to.push_back(std::move(added));
    return {};
  }
  Result<Expression> shape_expression(std::string_view rest, Scope scope) {
    if (rest.starts_with("=")) rest.remove_prefix(1);
    Result<Expression> value = Expression::parse(trimmed(rest));
    if (!value) return value;
    const Result<void> known = value->check_names(names_of(program_, scope));
    if (!known) return known.error();
    return value;
  }

  Result<void> read_kernel(std::string_view rest) {
    program_.kernel = rest;
    return {};
  }
  Result<void> read_parameters(std::string_view rest) {
    program_.parameters.clear();
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const std::size_t colon = std::min(word.find(':'), word.size());
      const auto offset = number_in<std::uint32_t>(word.substr(0, colon));
      const auto bytes = number_in<std::uint32_t>(word.substr(std::min(colon + 1, word.size())));
      if (!offset || !bytes) return Error{quoted(word) + " is not OFFSET:BYTES"};
      program_.parameters.push_back({*offset, *bytes});
    }
    return {};
  }
  Result<void> read_code(std::string_view rest) {
    program_.code = rest;
    return {};
  }
  static Result<void> read_count(std::string_view rest, std::uint32_t& value) {
    const auto found = number_in<std::uint32_t>(rest);
    if (!found) return Error{quoted(rest) + " is not a count"};
    value = *found;
    return {};
  }
  Result<void> read_registers(std::string_view rest) {
    return read_count(rest, program_.registers);
  }
  Result<void> read_shared(std::string_view rest) { return read_count(rest, program_.shared); }
  Result<void> read_max_threads(std::string_view rest) {
    return read_count(rest, program_.max_threads);
  }
  static Result<Shape> shape_in(std::string_view rest) {
    Shape shape{};
    for (std::uint32_t& side : shape) {
      const std::string_view word = take_word(rest);
      const auto value = number_in<std::uint32_t>(word);
      if (!value) return Error{quoted(word) + " is not a number of threads"};
      side = *value;
    }
    if (!trimmed(rest).empty()) return Error{"a shape has three numbers"};
    return shape;
  }
  Result<void> read_required_block(std::string_view rest) {
    const Result<Shape> shape = shape_in(rest);
    if (!shape) return shape.error();
    program_.required_block = *shape;
    return {};
  }
  Result<void> read_proof(std::string_view rest) {
    static constexpr std::pair<std::string_view, RationalProgram::Proof> kProofs[] = {
        {"none", RationalProgram::Proof::kNone},
        {"proved", RationalProgram::Proof::kProved},
        {"declared", RationalProgram::Proof::kDeclared}};
    const std::string_view word = take_word(rest);
    for (const auto& [name, proof] : kProofs) {
      if (word != name) continue;
      program_.proof = proof;
      program_.reason = proof == RationalProgram::Proof::kNone ? "" : trimmed(rest);
      return {};
    }
    return Error{"a proof is \"proved\", \"declared\" or \"none\", not " + quoted(word)};
  }
  Result<void> read_size(std::string_view rest) { return add_named(rest, program_.sizes); }
  Result<void> read_axis(std::string_view rest) { return add_named(rest, program_.axes); }
  Result<void> read_grid(std::string_view rest, std::size_t index) {
    if (program_.grid.size() != index) return Error{"grid_x, grid_y and grid_z come in this order"};
    Result<Expression> value = shape_expression(rest, Scope::kShape);
    if (!value) return value.error();
    program_.grid.push_back(std::move(*value));
    return {};
  }
  Result<void> read_grid_x(std::string_view rest) { return read_grid(rest, 0); }
  Result<void> read_grid_y(std::string_view rest) { return read_grid(rest, 1); }
  Result<void> read_grid_z(std::string_view rest) { return read_grid(rest, 2); }
  Result<void> read_shared_bytes(std::string_view rest) {
    Result<Expression> value = shape_expression(rest, Scope::kShape);
    if (!value) return value.error();
    program_.shared_bytes = std::move(*value);
    return {};
  }
  Result<void> read_constraint(std::string_view rest) {
    Result<Expression> value = shape_expression(rest, Scope::kShape);
    if (!value) return value.error();
    program_.constraints.push_back(std::move(*value));
    return {};
  }
  Result<void> read_shape(std::string_view rest) {
    const Result<Shape> shape = shape_in(rest);
    if (!shape) return shape.error();
    program_.shapes.push_back(*shape);
    return {};
  }
  Result<void> read_per_shape(std::string_view rest) {
    std::string name(take_word(rest));
    if (!is_identifier(name)) return Error{quoted(name) + " is not a name"};
    std::vector<double> values;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const std::optional<double> value = finite_in(word);
      if (!value) return Error{quoted(word) + " is not a number"};
      values.push_back(*value);
    }
    if (values.size() != program_.shapes.size()) {
      return Error{name + " has " + count_of(values.size(), "value") + " for " +
                   count_of(program_.shapes.size(), "shape")};
    }
    program_.per_shape.emplace_back(std::move(name), std::move(values));
    return {};
  }
  Result<void> read_input(std::string_view rest) {
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (!is_identifier(word)) return Error{quoted(word) + " is not a name"};
      program_.inputs.emplace_back(word);
    }
    return {};
  }
  Result<void> read_let(std::string_view rest) { return add_named(rest, program_.definitions); }
  Result<void> read_time(std::string_view rest) {
    Result<Expression> value = shape_expression(rest, Scope::kDefinition);
    if (!value) return value.error();
    program_.time_us = std::move(*value);
    timed_ = true;
    return {};
  }

  Result<void> read_device(std::string_view rest) {
    if (!open_.empty()) return Error{"the table of the device before is not complete"};
    DeviceTable device;
    const std::size_t close = rest.starts_with("\"") ? rest.find('"', 1) : std::string_view::npos;
    if (close == std::string_view::npos) return Error{"a device's name must be in quotes"};
    device.name = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    const std::string_view cc = take_word(rest);
    const std::string_view capability = take_word(rest);
    const std::size_t dot = std::min(capability.find('.'), capability.size());
    const auto major = number_in<std::uint32_t>(capability.substr(0, dot));
    const auto minor =
        number_in<std::uint32_t>(capability.substr(std::min(dot + 1, capability.size())));
    if (cc != "cc" || !major || !minor) {
      return Error{"a device needs its compute capability: device \"NAME\" cc 9.0"};
    }
    device.major = *major;
    device.minor = *minor;
    for (const std::string& input : program_.inputs) {
      const std::string_view name = take_word(rest);
      const std::optional<double> value = finite_in(take_word(rest));
      if (name != input || !value) return Error{"the value of " + input + " is missing"};
      device.inputs.push_back(*value);
    }
    if (!trimmed(rest).empty()) return Error{quoted(trimmed(rest)) + " is no input of the program"};
    program_.devices.push_back(std::move(device));
    return {};
  }
  Result<DeviceTable*> current_device() {
    if (program_.devices.empty()) return Error{"this line belongs to a device, and none came yet"};
    return &program_.devices.back();
  }
  Result<std::uint32_t> axis_named(std::string_view name) const {
    const std::vector<std::string> axes = program_.axis_names();
    const auto found = std::ranges::find(axes, name);
    if (found == axes.end()) return Error{quoted(name) + " is neither a size nor an axis"};
    return static_cast<std::uint32_t>(found - axes.begin());
  }
  Result<void> read_validated(std::string_view rest) {
    const Result<DeviceTable*> device = current_device();
    if (!device) return device.error();
    (*device)->validated = rest;
    return {};
  }
  Result<void> read_domain(std::string_view rest) {
    const Result<DeviceTable*> device = current_device();
    if (!device) return device.error();
    const Result<std::uint32_t> axis = axis_named(take_word(rest));
    if (!axis) return axis.error();
    const std::optional<double> least = finite_in(take_word(rest));
    const std::optional<double> most = finite_in(trimmed(rest));
    if (!least || !most) return Error{"a domain has two numbers"};
    (*device)->domain.push_back({*axis, *least, *most});
    return {};
  }
  Result<void> read_outside(std::string_view rest) {
    const Result<DeviceTable*> device = current_device();
    if (!device) return device.error();
    if (rest != "table" && rest != "program") {
      return Error{"outside the domain decides \"program\" or \"table\", not " + quoted(rest)};
    }
    (*device)->outside =
        rest == "table" ? DeviceTable::Outside::kTable : DeviceTable::Outside::kProgram;
    return {};
  }

  Result<std::vector<TableNode>*> next_node() {
    const Result<DeviceTable*> device = current_device();
    if (!device) return device.error();
    std::vector<TableNode>& table = (*device)->table;
    if (open_.empty() && !table.empty()) return Error{"the table is complete already"};
    if (table.size() >= kMaxTableNodes || open_.size() >= kMaxTableDepth) {
      return Error{"the table is too large"};
    }
    if (!open_.empty() && open_.back().second == 1) return Error{"\"else\" is missing"};
    return &table;
  }
  Result<void> read_if(std::string_view rest) {
    const Result<std::vector<TableNode>*> table = next_node();
    if (!table) return table.error();
    const Result<std::uint32_t> axis = axis_named(take_word(rest));
    if (!axis) return axis.error();
    const std::string_view sign = take_word(rest);
    const std::optional<double> at_most = finite_in(trimmed(rest));
    if (sign != "<=" || !at_most) return Error{"a decision is \"if SIZE <= NUMBER\""};
    TableNode node;
    node.axis = *axis;
    node.at_most = *at_most;
    open_.emplace_back((*table)->size(), 0);
    (*table)->push_back(std::move(node));
    return {};
  }
  Result<void> read_else(std::string_view rest) {
    if (!rest.empty()) return Error{"\"else\" must be alone on its line"};
    if (open_.empty() || open_.back().second != 1) return Error{"\"else\" has no \"if\""};
    std::vector<TableNode>& table = program_.devices.back().table;
    table[open_.back().first].otherwise = static_cast<std::uint32_t>(table.size());
    open_.back().second = 2;  // the branch after else may come
    return {};
  }
  Result<void> read_use(std::string_view rest) {
    const Result<std::vector<TableNode>*> table = next_node();
    if (!table) return table.error();
    TableNode leaf;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
      const auto shape = number_in<std::uint32_t>(word);
      if (!shape || *shape >= program_.shapes.size()) {
        return Error{quoted(word) + " is not the number of a shape"};
      }
      leaf.ranked.push_back(*shape);
    }
    if (leaf.ranked.empty()) return Error{"\"use\" needs at least one shape"};
    if (leaf.ranked.size() > kMaxRanked) {
      return Error{"\"use\" has more than " + std::to_string(kMaxRanked) + " shapes"};
    }
    (*table)->push_back(std::move(leaf));
    // This completes a branch, and with a second branch the node above.
    while (!open_.empty() && open_.back().second == 2) open_.pop_back();
    if (!open_.empty()) open_.back().second = 1;
    return {};
  }

  std::string_view text_;
  std::size_t line_ = 0;
  bool started_ = false;
  RationalProgram program_;
  bool timed_ = false;
  // The inner nodes of the table that are not complete, each with what is awaited: 0 its first
  // branch, 1 "else", 2 its second branch.
  std::vector<std::pair<std::size_t, int>> open_;
};

std::span<const Reader::Statement> Reader::statements() {
  static constexpr Statement kStatements[] = {
      {"kernel", &Reader::read_kernel},
      {"parameters", &Reader::read_parameters},
      {"code", &Reader::read_code},
      {"registers", &Reader::read_registers},
      {"shared", &Reader::read_shared},
      {"max_threads", &Reader::read_max_threads},
      {"required_block", &Reader::read_required_block},
      {"proof", &Reader::read_proof},
      {"size", &Reader::read_size},
      {"axis", &Reader::read_axis},
      {"grid_x", &Reader::read_grid_x},
      {"grid_y", &Reader::read_grid_y},
      {"grid_z", &Reader::read_grid_z},
      {"shared_bytes", &Reader::read_shared_bytes},
      {"constraint", &Reader::read_constraint},
      {"shape", &Reader::read_shape},
      {"per_shape", &Reader::read_per_shape},
      {"input", &Reader::read_input},
      {"let", &Reader::read_let},
      {"time_us", &Reader::read_time},
      {"device", &Reader::read_device},
      {"validated", &Reader::read_validated},
      {"domain", &Reader::read_domain},
      {"outside", &Reader::read_outside},
      {"if", &Reader::read_if},
      {"else", &Reader::read_else},
      {"use", &Reader::read_use},
  };
  return kStatements;
}

}  // namespace

Result<RationalProgram> parse_rational_program(std::string_view text) {
  return Reader(text).read();
}

}  // namespace burin::formula
