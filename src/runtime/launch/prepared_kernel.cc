#include "runtime/launch/prepared_kernel.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "formula/rational/names.h"
#include "runtime/launch/identity.h"

namespace burin::runtime {
namespace {

constexpr std::size_t kMaxParameters = 256;

Limits limits_of(const formula::RationalProgram& program, const KernelFacts& kernel,
                 const DeviceFacts& device) {
  Limits limits;
  limits.max_threads = std::min({program.max_threads, kernel.max_threads, device.max_threads});
  limits.max_block = device.max_block;
  limits.max_grid = device.max_grid;
  limits.max_dynamic_shared = kernel.max_dynamic_shared;
  return limits;
}

// The values of the program's inputs on a device that it does not know.
Result<std::vector<double>> inputs_of(const formula::RationalProgram& program,
                                      const DeviceFacts& device) {
  std::vector<double> values;
  for (const std::string& name : program.inputs) {
    const auto found =
        std::ranges::find(device.inputs, name, &std::pair<std::string, double>::first);
    if (found == device.inputs.end()) {
      return Error{device.name + " is not among its devices, and " + name + " is unknown for it"};
    }
    values.push_back(found->second);
  }
  return values;
}

LaunchShape shape_of(const formula::Choice& choice) {
  return {choice.grid, choice.block, choice.shared_bytes};
}

}  // namespace

Result<PreparedKernel> PreparedKernel::prepare(const ProgramFile& file, const KernelFacts& kernel,
                                               const DeviceFacts& device) {
  const formula::RationalProgram& program = file.program;
  if (std::string reason = mismatch(program, kernel); !reason.empty()) return Error{reason};
  if (program.sizes.size() > kMaxSizes) return Error{"more than 16 sizes"};
  if (program.parameters.size() > kMaxParameters) return Error{"more than 256 parameters"};
  Result<formula::Chooser> chooser = formula::Chooser::prepare(program);
  if (!chooser) return chooser.error();
  Result<formula::SizeReader> sizes = formula::SizeReader::prepare(program);
  if (!sizes) return sizes.error();
  Result<OwnGrid> own_grid = OwnGrid::prepare(program);
  if (!own_grid) return own_grid.error();
  PreparedKernel prepared(file, std::move(*chooser), std::move(*sizes), std::move(*own_grid));
  if (Result<void> found = prepared.find_raw_sizes(); !found) return found.error();
  prepared.device_ = device;
  prepared.limits_ = limits_of(program, kernel, device);
  prepared.device_index_ = prepared.chooser_.device(device.name, device.major, device.minor);
  if (prepared.device_index_ < 0) {
    Result<std::vector<double>> inputs = inputs_of(program, device);
    if (!inputs) return inputs.error();
    prepared.inputs_ = std::move(*inputs);
  }
  return prepared;
}

Result<void> PreparedKernel::find_raw_sizes() {
  const formula::RationalProgram& program = chooser_.program();
  std::vector<std::string> names;
  for (const auto& size : program.sizes) {
    for (const std::string& name : size.value.names()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  for (const std::string& name : names) {
    const std::optional<formula::ArgumentName> argument = formula::argument_named(name);
    if (!argument) continue;  // grid_x … smem, which are part of a launch's key anyway
    if (argument->parameter >= program.parameters.size() ||
        std::uint64_t{argument->offset} + argument->bytes >
            program.parameters[argument->parameter].bytes) {
      return Error{name + " lies outside the kernel's parameters"};
    }
    raw_sizes_.push_back({argument->parameter, argument->offset, argument->bytes});
  }
  if (raw_sizes_.size() > kMaxRawSizes) return Error{"the sizes read more than 8 arguments"};
  return {};
}

ArgumentRecipe PreparedKernel::recipe() const {
  ArgumentRecipe recipe;
  for (const RawSize& size : raw_sizes_) recipe.add(size.parameter, size.offset, size.bytes);
  return recipe;
}

bool PreparedKernel::read(const Arguments& arguments, RawSizes& raw) const {
  raw = {};
  const std::vector<formula::Parameter>& parameters = file_->program.parameters;
  for (std::size_t i = 0; i < raw_sizes_.size(); ++i) {
    const RawSize& size = raw_sizes_[i];
    const char* bytes = nullptr;
    if (arguments.pointers != nullptr) {
      bytes = static_cast<const char*>(arguments.pointers[size.parameter]);
    } else {
      const formula::Parameter& parameter = parameters[size.parameter];
      if (std::uint64_t{parameter.offset} + parameter.bytes > arguments.buffer_bytes) return false;
      bytes = static_cast<const char*>(arguments.buffer) + parameter.offset;
    }
    if (bytes == nullptr) return false;
    if (size.bytes == 8) {
      std::memcpy(&raw[i], bytes + size.offset, 8);
    } else {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + size.offset, 4);
      raw[i] = word;
    }
  }
  return true;
}

bool PreparedKernel::read_sizes(const Arguments& arguments, const LaunchShape& own,
                                Outcome& outcome) const {
  const std::vector<formula::Parameter>& parameters = file_->program.parameters;
  std::array<const void*, kMaxParameters> at;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (arguments.pointers != nullptr) {
      at[i] = arguments.pointers[i];
    } else {
      const std::uint64_t end = std::uint64_t{parameters[i].offset} + parameters[i].bytes;
      if (end > arguments.buffer_bytes) return false;
      at[i] = static_cast<const char*>(arguments.buffer) + parameters[i].offset;
    }
  }
  outcome.size_count = sizes_.count();
  return sizes_.read(std::span<const void* const>(at.data(), parameters.size()),
                     {own.grid, own.block, own.shared_bytes},
                     std::span(outcome.sizes).first(outcome.size_count));
}

// The program may have raised the kernel's limit of dynamic shared memory since the kernel was
// described: what it asks for itself is allowed.
Limits PreparedKernel::limits_for(const LaunchShape& own) const {
  Limits limits = limits_;
  limits.max_dynamic_shared = std::max(limits.max_dynamic_shared, own.shared_bytes);
  return limits;
}

formula::Question PreparedKernel::question(const Outcome& outcome, const LaunchShape& own) const {
  formula::Question question;
  question.sizes = std::span(outcome.sizes).first(outcome.size_count);
  question.device = device_index_;
  question.inputs = inputs_;
  for (std::size_t i = 0; i < 3; ++i) {
    question.launch[i] = std::int64_t{own.grid[i]} * own.block[i];
  }
  question.smem = static_cast<std::int64_t>(own.shared_bytes);
  return question;
}

void PreparedKernel::choose(const Arguments& arguments, const LaunchShape& own,
                            Outcome& outcome) const {
  outcome = {};
  outcome.shape = own;
  // A launch that CUDA would refuse stays one: the program may rely on the error.
  if (exceeded_limit(own, limits_for(own)) != nullptr) {
    outcome.reason = "the program's own launch exceeds a limit";
    return;
  }
  if (!read_sizes(arguments, own, outcome)) {
    outcome.reason = "the arguments hold no sizes for it";
    return;
  }
  if (!own_grid_.matches(std::span(outcome.sizes).first(outcome.size_count), own)) {
    outcome.reason = "the program's own grid is not the one that its sizes call for";
    return;
  }
  const formula::Question asked = question(outcome, own);
  formula::Choice choice;
  if (!chooser_.choose(asked, choice) || !choice.has_grid) {
    outcome.reason = "no shape is allowed for these sizes";
    return;
  }
  outcome.grade = choice.grade;
  outcome.predicted_us = choice.predicted_us;
  const char* first_limit = nullptr;
  for (std::uint32_t i = 0; i < choice.ranked_count; ++i) {
    formula::Choice candidate;
    if (!chooser_.apply(asked, choice.ranked[i], candidate)) continue;
    const LaunchShape shape = shape_of(candidate);
    if (const char* limit = exceeded_limit(shape, limits_for(own))) {
      if (first_limit == nullptr) first_limit = limit;
      continue;
    }
    outcome.alternatives[outcome.alternative_count++] = shape;
    if (outcome.alternative_count == kMaxAlternatives) break;
  }
  if (outcome.alternative_count == 0) {
    outcome.reason = first_limit != nullptr ? first_limit : "no shape is allowed for these sizes";
    return;
  }
  outcome.shape = outcome.alternatives[0];
  outcome.changed = outcome.shape != own;
}

bool PreparedKernel::with_block(const Outcome& outcome, const LaunchShape& own, const Extent& block,
                                LaunchShape& shape) const {
  if (block == own.block) {
    shape = own;
    return true;
  }
  const std::vector<formula::Shape>& shapes = file_->program.shapes;
  const auto found = std::ranges::find(shapes, block);
  if (found == shapes.end()) return false;
  formula::Choice choice;
  const auto index = static_cast<std::uint32_t>(found - shapes.begin());
  if (!chooser_.apply(question(outcome, own), index, choice) || !choice.has_grid) return false;
  shape = shape_of(choice);
  return exceeded_limit(shape, limits_for(own)) == nullptr;
}

}  // namespace burin::runtime
