#include "formula/rational/chooser.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "formula/rational/names.h"

namespace burin::formula {
namespace {

constexpr std::uint64_t kMaxGrid[] = {2147483647, 65535, 65535};

// A positive whole number of at most `most`; 0 for anything else.
std::uint64_t count_in(const Scalar& value, std::uint64_t most) {
  if (value.kind == Scalar::Kind::kText) return 0;
  const double number = value.number();
  if (!(number >= 1) || number > static_cast<double>(most) || std::floor(number) != number) {
    return 0;
  }
  return static_cast<std::uint64_t>(number);
}

// Letters and digits in lower case: "NVIDIA H200" -> "nvidiah200".
std::string letters_of(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      text += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      text += c;
    }
  }
  return text;
}

// "NVIDIA H200" has "h200", and "NVIDIA H200" does not have "h20".
bool has_name(std::string_view whole, std::string_view part) {
  const std::string text = letters_of(whole);
  const std::string wanted = letters_of(part);
  const std::size_t at = text.find(wanted);
  if (wanted.empty() || at == std::string::npos) return false;
  const std::size_t after = at + wanted.size();
  return after == text.size() || text[after] < '0' || text[after] > '9';
}

}  // namespace

struct Chooser::Frame {
  std::array<Scalar, kMaxNames> values;
  std::array<Scalar, kMaxStack> stack;

  bool evaluate(const Formula& formula, Scalar& result) {
    return formula.evaluator.evaluate(values, stack, result);
  }
};

std::string_view name_of(Grade grade) {
  static constexpr std::string_view kNames[] = {"inside", "extrapolated", "unknown device"};
  return kNames[static_cast<std::size_t>(grade)];
}

Result<Chooser> Chooser::prepare(RationalProgram program) {
  if (const Result<void> checked = check(program); !checked) return checked.error();
  Chooser chooser;
  const std::vector<std::string> names = names_of(program, Scope::kDefinition);
  chooser.slots_ = static_cast<std::uint32_t>(names.size());
  const auto slot_of = [&](const std::string& name) {
    return static_cast<std::uint32_t>(std::ranges::find(names, name) - names.begin());
  };
  // check() has compiled all of them once.
  const auto formula = [&](const Expression& expression, std::uint32_t slot = 0) {
    return Formula{*expression.evaluator(names), slot};
  };
  for (const NamedExpression& axis : program.axes) {
    chooser.axes_.push_back(formula(axis.value, slot_of(axis.name)));
  }
  static constexpr const char* kGrid[] = {"grid_x", "grid_y", "grid_z"};
  for (std::size_t i = 0; i < program.grid.size(); ++i) {
    chooser.grid_.push_back(formula(program.grid[i], slot_of(kGrid[i])));
  }
  chooser.shared_.push_back(formula(program.shared_bytes));
  for (const Expression& constraint : program.constraints) {
    chooser.constraints_.push_back(formula(constraint));
  }
  std::vector<std::string> varying = {"bx", "by", "bz", "grid_x", "grid_y", "grid_z"};
  for (const auto& [name, values] : program.per_shape) varying.push_back(name);
  for (const NamedExpression& definition : program.definitions) {
    const bool varies = std::ranges::any_of(definition.value.names(), [&](const std::string& name) {
      return std::ranges::find(varying, name) != varying.end();
    });
    if (varies) varying.push_back(definition.name);
    (varies ? chooser.varying_ : chooser.fixed_)
        .push_back(formula(definition.value, slot_of(definition.name)));
  }
  chooser.time_.push_back(formula(program.time_us));
  chooser.program_ = std::move(program);
  return chooser;
}

int Chooser::device(std::string_view name, unsigned major, unsigned minor) const {
  int alike = -1;
  for (std::size_t i = 0; i < program_.devices.size(); ++i) {
    const DeviceTable& device = program_.devices[i];
    if (device.major != major || device.minor != minor) continue;
    if (device.name == name) return static_cast<int>(i);
    if (alike < 0 && (has_name(name, device.name) || has_name(device.name, name))) {
      alike = static_cast<int>(i);
    }
  }
  return alike;
}

bool Chooser::fill_sizes(const Question& question, Frame& frame) const {
  if (question.sizes.size() != program_.sizes.size()) return false;
  if (program_.required_block[0] != 0) return false;
  std::size_t at = 0;
  for (const std::int64_t size : question.sizes) frame.values[at++] = Scalar::of(size);
  at += program_.axes.size() + 3;  // bx, by, bz: fill_shape()
  for (const std::int64_t threads : question.launch) frame.values[at++] = Scalar::of(threads);
  frame.values[at++] = Scalar::of(question.smem);
  at += kGridSlots + program_.per_shape.size();
  std::span<const double> inputs = question.inputs;
  if (question.device >= 0) {
    if (static_cast<std::size_t>(question.device) >= program_.devices.size()) return false;
    inputs = program_.devices[static_cast<std::size_t>(question.device)].inputs;
  }
  if (inputs.size() != program_.inputs.size()) return false;
  for (const double input : inputs) frame.values[at++] = Scalar::of(input);
  for (const Formula& axis : axes_) {
    if (!frame.evaluate(axis, frame.values[axis.slot])) return false;
  }
  for (const Formula& definition : fixed_) {
    if (!frame.evaluate(definition, frame.values[definition.slot])) return false;
  }
  return true;
}

bool Chooser::fill_shape(std::uint32_t shape, Frame& frame) const {
  const Shape& block = program_.shapes[shape];
  if (std::uint64_t{block[0]} * block[1] * block[2] > program_.max_threads) return false;
  const std::size_t at = program_.axis_count();
  for (std::size_t i = 0; i < block.size(); ++i) {
    frame.values[at + i] = Scalar::of(std::int64_t{block[i]});
  }
  Scalar value;
  for (const Formula& constraint : constraints_) {
    if (!frame.evaluate(constraint, value) || !value.truth()) return false;
  }
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    if (!frame.evaluate(grid_[i], value)) return false;
    const std::uint64_t blocks = count_in(value, kMaxGrid[i]);
    if (blocks == 0) return false;
    frame.values[grid_[i].slot] = Scalar::of(static_cast<std::int64_t>(blocks));
  }
  const std::size_t coefficients = at + kShapeSlots + kGridSlots;
  for (std::size_t i = 0; i < program_.per_shape.size(); ++i) {
    frame.values[coefficients + i] = Scalar::of(program_.per_shape[i].second[shape]);
  }
  return true;
}

// After fill_shape(), whose slots `frame` has.
bool Chooser::time_of(Frame& frame, double& us) const {
  for (const Formula& definition : varying_) {
    if (!frame.evaluate(definition, frame.values[definition.slot])) return false;
  }
  Scalar value;
  if (!frame.evaluate(time_[0], value) || value.kind == Scalar::Kind::kText) return false;
  us = value.number();
  return std::isfinite(us);
}

bool Chooser::finish(std::uint32_t shape, Frame& frame, Choice& choice) const {
  if (!fill_shape(shape, frame)) return false;
  choice.shape = shape;
  choice.block = program_.shapes[shape];
  choice.has_grid = !grid_.empty();
  for (std::size_t i = 0; i < grid_.size(); ++i) {
    choice.grid[i] = static_cast<std::uint32_t>(frame.values[grid_[i].slot].integer);
  }
  Scalar bytes;
  if (!frame.evaluate(shared_[0], bytes) || bytes.kind == Scalar::Kind::kText) return false;
  const double shared = bytes.number();
  if (!(shared >= 0) || shared > 1e9) return false;
  choice.shared_bytes = static_cast<std::uint64_t>(shared);
  if (!time_of(frame, choice.predicted_us)) {
    choice.predicted_us = std::numeric_limits<double>::quiet_NaN();
  }
  return true;
}

void Chooser::rank_all(Frame& frame, Choice& choice) const {
  std::array<double, kMaxRanked> times{};
  choice.ranked_count = 0;
  for (std::uint32_t shape = 0; shape < program_.shapes.size(); ++shape) {
    if (!fill_shape(shape, frame)) continue;
    double us = 0;
    if (!time_of(frame, us)) continue;
    std::uint32_t place = choice.ranked_count;
    while (place > 0 && times[place - 1] > us) --place;
    if (place == kMaxRanked) continue;
    if (choice.ranked_count < kMaxRanked) ++choice.ranked_count;
    for (std::uint32_t i = choice.ranked_count - 1; i > place; --i) {
      times[i] = times[i - 1];
      choice.ranked[i] = choice.ranked[i - 1];
    }
    times[place] = us;
    choice.ranked[place] = shape;
  }
}

const TableNode* Chooser::leaf(const DeviceTable& device, const Frame& frame) const {
  if (device.table.empty()) return nullptr;
  std::size_t at = 0;
  while (device.table[at].otherwise != 0) {
    const TableNode& node = device.table[at];
    const Scalar& value = frame.values[node.axis];
    if (value.kind == Scalar::Kind::kText) return nullptr;
    at = value.number() <= node.at_most ? at + 1 : node.otherwise;
  }
  return &device.table[at];
}

bool Chooser::choose(const Question& question, Choice& choice) const {
  Frame frame;
  if (!fill_sizes(question, frame)) return false;
  choice.grade = Grade::kUnknownDevice;
  choice.ranked_count = 0;
  if (question.device >= 0) {
    const DeviceTable& device = program_.devices[static_cast<std::size_t>(question.device)];
    const bool inside = std::ranges::all_of(device.domain, [&](const Domain& domain) {
      const Scalar& value = frame.values[domain.axis];
      return value.kind != Scalar::Kind::kText && value.number() >= domain.least &&
             value.number() <= domain.most;
    });
    choice.grade = inside ? Grade::kInside : Grade::kExtrapolated;
    if (inside || device.outside == DeviceTable::Outside::kTable) {
      if (const TableNode* found = leaf(device, frame)) {
        for (const std::uint32_t shape : found->ranked) {
          if (fill_shape(shape, frame)) choice.ranked[choice.ranked_count++] = shape;
        }
      }
    }
  }
  if (choice.ranked_count == 0) rank_all(frame, choice);
  return choice.ranked_count > 0 && finish(choice.ranked[0], frame, choice);
}

bool Chooser::apply(const Question& question, std::uint32_t shape, Choice& choice) const {
  Frame frame;
  if (shape >= program_.shapes.size() || !fill_sizes(question, frame)) return false;
  return finish(shape, frame, choice);
}

Result<SizeReader> SizeReader::prepare(const RationalProgram& program) {
  if (const Result<void> checked = check(program); !checked) return checked.error();
  SizeReader reader;
  std::vector<std::string> slots = own_launch_names();
  for (const NamedExpression& size : program.sizes) {
    for (const std::string& name : size.value.names()) {
      const std::optional<ArgumentName> argument = argument_named(name);
      if (!argument || std::ranges::find(slots, name) != slots.end()) continue;
      reader.arguments_.push_back(
          {argument->parameter, argument->offset, argument->bytes, argument->is_signed});
      slots.push_back(name);
    }
  }
  if (slots.size() > kMaxNames) return Error{"the sizes read too many arguments"};
  for (const NamedExpression& size : program.sizes) {
    Result<Evaluator> evaluator = size.value.evaluator(slots);
    if (!evaluator) return Error{"size " + size.name + " is not read from the kernel's arguments"};
    reader.formulas_.push_back(std::move(*evaluator));
  }
  return reader;
}

bool SizeReader::read(std::span<const void* const> arguments, const OwnLaunch& launch,
                      std::span<std::int64_t> sizes) const {
  std::array<Scalar, kMaxNames> values;
  std::array<Scalar, kMaxStack> stack;
  std::size_t at = 0;
  for (const Shape* shape : {&launch.grid, &launch.block}) {
    for (const std::uint32_t side : *shape) values[at++] = Scalar::of(std::int64_t{side});
  }
  values[at++] = Scalar::of(static_cast<std::int64_t>(launch.smem));
  for (const Argument& argument : arguments_) {
    if (argument.parameter >= arguments.size() || arguments[argument.parameter] == nullptr) {
      return false;
    }
    const auto* bytes =
        static_cast<const std::uint8_t*>(arguments[argument.parameter]) + argument.offset;
    std::int64_t value = 0;
    if (argument.bytes == 8) {
      std::memcpy(&value, bytes, sizeof(value));
      if (!argument.is_signed && value < 0) return false;  // beyond what expressions compute with
    } else {
      std::uint32_t half = 0;
      std::memcpy(&half, bytes, sizeof(half));
      value =
          argument.is_signed ? std::int64_t{static_cast<std::int32_t>(half)} : std::int64_t{half};
    }
    values[at++] = Scalar::of(value);
  }
  if (sizes.size() != formulas_.size()) return false;
  for (std::size_t i = 0; i < formulas_.size(); ++i) {
    Scalar size;
    if (!formulas_[i].evaluate(values, stack, size)) return false;
    const std::uint64_t value = count_in(size, std::uint64_t{1} << 62);
    if (value == 0) return false;
    sizes[i] = static_cast<std::int64_t>(value);
  }
  return true;
}

}  // namespace burin::formula
