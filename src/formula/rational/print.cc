// A rational program as the text of its file.
#include <array>
#include <charconv>
#include <cmath>

#include "base/crc32.h"
#include "formula/rational/rational_program.h"

namespace burin::formula {
namespace {

class ProgramPrinter {
 public:
  explicit ProgramPrinter(const RationalProgram& program)
      : program_(program), axes_(program.axis_names()) {}

  std::string print() {
    line("burin-rp 1");
    line("kernel " + program_.kernel);
    std::string parameters = "parameters";
    for (const Parameter& parameter : program_.parameters) {
      parameters += ' ' + std::to_string(parameter.offset) + ':' + std::to_string(parameter.bytes);
    }
    line(parameters);
    line("code " + program_.code);
    line("registers " + std::to_string(program_.registers));
    line("shared " + std::to_string(program_.shared));
    line("max_threads " + std::to_string(program_.max_threads));
    line("required_block " + words(program_.required_block));
    line("proof " + proof());
    for (const NamedExpression& size : program_.sizes) define("size " + size.name, size.value);
    for (const NamedExpression& axis : program_.axes) define("axis " + axis.name, axis.value);
    static constexpr std::array<const char*, 3> kGrid = {"grid_x", "grid_y", "grid_z"};
    for (std::size_t i = 0; i < program_.grid.size(); ++i) define(kGrid[i], program_.grid[i]);
    define("shared_bytes", program_.shared_bytes);
    for (const Expression& constraint : program_.constraints) {
      line("constraint " + constraint.text());
    }
    for (const Shape& shape : program_.shapes) line("shape " + words(shape));
    for (const auto& [name, values] : program_.per_shape) {
      line("per_shape " + name + numbers(values));
    }
    if (!program_.inputs.empty()) {
      std::string inputs = "input";
      for (const std::string& input : program_.inputs) inputs += ' ' + input;
      line(inputs);
    }
    for (const NamedExpression& definition : program_.definitions) {
      define("let " + definition.name, definition.value);
    }
    define("time_us", program_.time_us);
    for (const DeviceTable& device : program_.devices) print_device(device);
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += text + '\n'; }
  void define(const std::string& name, const Expression& value) {
    line(name + " = " + value.text());
  }

  static std::string words(const Shape& shape) {
    return std::to_string(shape[0]) + ' ' + std::to_string(shape[1]) + ' ' +
           std::to_string(shape[2]);
  }
  static std::string numbers(const std::vector<double>& values) {
    std::string text;
    for (const double value : values) text += ' ' + shortest(value);
    return text;
  }
  std::string proof() const {
    if (program_.proof == RationalProgram::Proof::kNone) return "none";
    const bool proved = program_.proof == RationalProgram::Proof::kProved;
    return std::string(proved ? "proved" : "declared") +
           (program_.reason.empty() ? "" : " " + program_.reason);
  }

  void print_device(const DeviceTable& device) {
    std::string head = "device \"" + device.name + "\" cc " + std::to_string(device.major) + '.' +
                       std::to_string(device.minor);
    for (std::size_t i = 0; i < device.inputs.size(); ++i) {
      head += ' ' + program_.inputs[i] + ' ' + shortest(device.inputs[i]);
    }
    line(head);
    line("  validated " + device.validated);
    for (const Domain& domain : device.domain) {
      line("  domain " + axes_[domain.axis] + ' ' + shortest(domain.least) + ' ' +
           shortest(domain.most));
    }
    line(std::string("  outside ") +
         (device.outside == DeviceTable::Outside::kTable ? "table" : "program"));
    if (!device.table.empty()) print_node(device.table, 0, 2);
  }

  // The depth is limited by check().
  void print_node(const std::vector<TableNode>& table, std::size_t at, std::size_t indent) {
    const TableNode& node = table[at];
    const std::string before(indent, ' ');
    if (node.otherwise == 0) {
      std::string use = before + "use";
      for (const std::uint32_t shape : node.ranked) use += ' ' + std::to_string(shape);
      return line(use);
    }
    line(before + "if " + axes_[node.axis] + " <= " + shortest(node.at_most));
    print_node(table, at + 1, indent + 2);
    line(before + "else");
    print_node(table, node.otherwise, indent + 2);
  }

  const RationalProgram& program_;
  std::vector<std::string> axes_;
  std::string text_;
};

}  // namespace

std::string shortest(double value) {
  constexpr double kFixedBelow = 1e15;
  if (std::floor(value) == value && std::abs(value) < kFixedBelow) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 40> text;
  const auto [end, fault] = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), end);
}

std::string to_string(const RationalProgram& program) {
  std::string text = ProgramPrinter(program).print();
  const std::uint32_t sum =
      crc32({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  static constexpr char kDigits[] = "0123456789abcdef";
  text += "end ";
  for (int shift = 28; shift >= 0; shift -= 4) text += kDigits[(sum >> shift) & 15];
  return text + '\n';
}

}  // namespace burin::formula
