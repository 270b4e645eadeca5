#include "jobs/fit/spec_kernel.h"

#include <algorithm>
#include <set>

#include "analyze/reshape/reshape.h"
#include "base/format.h"
#include "base/sha256.h"
#include "jobs/tune/spec_compiler.h"
#include "model/carve/counted.h"
#include "model/opened_request.h"
#include "tune/configuration.h"

namespace burin::jobs {
namespace {

using formula::Expression;
using formula::Shape;

constexpr const char* kSides[] = {"bx", "by", "bz"};

// "arg2_i32" for an argument "i32:{n}", "" if no argument is the size itself.
std::string argument_of(const tune::LaunchSpec& launch, const std::string& size) {
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    for (const char* type : {"i32", "u32", "i64", "u64"}) {
      if (launch.arguments[i].text() == fmt::format("{}:{{{}}}", type, size)) {
        return fmt::format("arg{}_{}", i, type);
      }
    }
  }
  return "";
}

}  // namespace

Result<std::unique_ptr<SpecKernel>> SpecKernel::open(const TuneRequest& request, tune::Spec spec) {
  std::unique_ptr<SpecKernel> kernel(new SpecKernel(request, std::move(spec)));
  if (Result<void> done = kernel->read(); !done) return done.error().within(kernel->spec_.path);
  Result<std::unique_ptr<MeasuredSizes>> measured =
      MeasuredSizes::open(kernel->request_, kernel->spec_);
  if (!measured) return measured.error();
  kernel->measured_ = std::move(*measured);
  if (!kernel->device().device().note.empty()) {
    kernel->notes_.push_back(kernel->device().device().note);
  }
  std::set<Shape> shapes;
  for (const model::Sizes& sizes : kernel->given_) {
    const Result<const AtSize*> there = kernel->at(sizes);
    if (!there) return there.error();
    for (const auto& [shape, point] : (*there)->points) shapes.insert(shape);
  }
  if (shapes.empty()) {
    return Error{fmt::format("{}: no shape is valid at any size", kernel->spec_.path)};
  }
  kernel->shapes_.assign(shapes.begin(), shapes.end());
  return kernel;
}

Result<void> SpecKernel::read() {
  if (spec_.launches.size() != 1) {
    return Error{fmt::format("fit chooses the shape of one launch, and the spec has {}",
                             spec_.launches.size())};
  }
  const tune::LaunchSpec& launch = spec_.launches.front();
  for (std::size_t i = 0; i < launch.block.size() && i < 3; ++i) {
    sides_[launch.block[i].to_string()] = kSides[i];
  }
  for (const tune::Parameter& tunable : spec_.tunables) {
    if (sides_.contains(tunable.name) || tunable.values.size() < 2) continue;
    return Error{fmt::format(
        "{} is no side of the block: fit chooses launch shapes; give the tunable one value",
        tunable.name)};
  }
  for (const auto& [name, value] : spec_.sizes.front()) {
    if (formula::integer(value)) names_.push_back(name);
  }
  if (names_.empty()) return Error{"there is no problem size to choose by"};
  for (const formula::Names& size : spec_.sizes) given_.push_back(values_of(size));
  std::ranges::sort(given_, {}, [](const model::Sizes& sizes) {
    return std::pair(model::log_work(sizes), sizes);
  });
  given_.erase(std::ranges::unique(given_).begin(), given_.end());
  for (const Expression& blocks : launch.grid) {
    const Result<std::string> text = over_shape(blocks);
    if (!text) return text.error();
    grid_.push_back(*text);
  }
  while (grid_.size() < 3) grid_.emplace_back("1");
  for (const Expression& restriction : spec_.restrictions) {
    const Result<std::string> text = over_shape(restriction);
    if (!text) return text.error();
    // What depends on the shape alone holds for every candidate.
    const std::vector<std::string> used = Expression::parse(*text)->names();
    const bool sized = std::ranges::any_of(used, [&](const std::string& name) {
      return std::ranges::find(names_, name) != names_.end();
    });
    if (sized) constraints_.push_back(*text);
  }
  return {};
}

Result<std::string> SpecKernel::over_shape(const Expression& expression) const {
  std::map<std::string, Expression, std::less<>> definitions;
  for (const auto& [name, side] : sides_) definitions.emplace(name, *Expression::parse(side));
  for (const tune::Parameter& tunable : spec_.tunables) {
    if (definitions.contains(tunable.name)) continue;
    definitions.emplace(tunable.name,
                        *Expression::parse(formula::to_string(tunable.values.front())));
  }
  for (const auto& [name, value] : spec_.derived) {
    const Result<Expression> replaced = value.replace_names(definitions);
    if (!replaced) return replaced.error();
    definitions.emplace(name, *Expression::parse(replaced->to_string()));
  }
  const Result<Expression> replaced = expression.replace_names(definitions);
  if (!replaced) return replaced.error();
  return replaced->to_string();
}

model::Sizes SpecKernel::values_of(const formula::Names& size) const {
  model::Sizes values;
  for (const std::string& name : names_) values.push_back(*formula::integer(size.at(name)));
  return values;
}

Result<const SpecKernel::AtSize*> SpecKernel::at(const model::Sizes& sizes) {
  if (const auto found = known_.find(sizes); found != known_.end()) return &found->second;
  AtSize there;
  formula::Names wanted = spec_.sizes.front();
  for (std::size_t i = 0; i < names_.size(); ++i) wanted[names_[i]] = sizes[i];
  const auto same = std::ranges::find_if(
      spec_.sizes, [&](const formula::Names& size) { return values_of(size) == sizes; });
  there.index = static_cast<std::size_t>(same - spec_.sizes.begin());
  if (same == spec_.sizes.end()) spec_.sizes.push_back(std::move(wanted));
  const Result<tune::Space> space = space_of(spec_, there.index);
  if (!space) return space.error();
  for (std::uint64_t i = 0; i < space->size(); ++i) {
    const tune::Point point = space->at(i);
    const Result<tune::Configuration> made =
        tune::configure(spec_, spec_.sizes[there.index], *space, point);
    if (!made) continue;
    const launch::Dims& block = made->steps.front().launch.block;
    there.points.emplace(Shape{block.x, block.y, block.z}, point);
  }
  return &known_.emplace(sizes, std::move(there)).first->second;
}

bool SpecKernel::fits(const model::Sizes& sizes) {
  const Result<const AtSize*> there = at(sizes);
  if (!there || (*there)->points.empty()) return false;
  return measured_->check_memory((*there)->index, (*there)->points.begin()->second).ok();
}

Result<double> SpecKernel::time_us(const model::Sizes& sizes, const Shape& shape) {
  const Result<const AtSize*> there = at(sizes);
  if (!there) return there.error();
  const auto point = (*there)->points.find(shape);
  if (point == (*there)->points.end()) return Error{"the shape is not valid at this size"};
  const Result<model::SizeSample> sample = measured_->measure((*there)->index, point->second);
  if (!sample) return sample.error();
  return sample->time_us;
}

Result<model::LaunchCounts> SpecKernel::counts(const model::Sizes& sizes, const Shape& shape,
                                               const machine::Machine& machine) {
  const Result<const AtSize*> there = at(sizes);
  if (!there) return there.error();
  const auto point = (*there)->points.find(shape);
  if (point == (*there)->points.end()) return Error{"the shape is not valid at this size"};
  const Result<tune::Built> made = measured_->built((*there)->index, point->second);
  if (!made) return made.error();
  const Result<std::vector<model::LaunchCounts>> counted =
      model::count_request(made->request, machine, {});
  if (!counted) return counted.error();
  return counted->front();
}

Result<formula::RationalProgram> SpecKernel::facts(const std::string& declared) {
  using Proof = formula::RationalProgram::Proof;
  const Result<const AtSize*> there = at(given_.back());
  if (!there) return there.error();
  if ((*there)->points.empty()) return Error{"no shape is valid at the largest size"};
  const Result<tune::Built> made =
      measured_->built((*there)->index, (*there)->points.begin()->second);
  if (!made) return made.error();
  const Result<model::OpenedRequest> opened =
      model::OpenedRequest::open(made->request, {.dependences = true});
  if (!opened) return opened.error();
  const model::OpenedStep& step = opened->steps().front();
  const read::Function& function = *step.kernel.function;
  formula::RationalProgram facts;
  facts.kernel = function.name;
  for (const read::Parameter& parameter : function.parameters) {
    facts.parameters.push_back({parameter.offset, parameter.size});
  }
  facts.code = sha256_hex(function.code);
  facts.registers = function.registers;
  facts.shared = function.shared_bytes;
  if (function.max_threads) {
    std::uint64_t most = 1;
    for (const std::uint32_t side : *function.max_threads) most *= std::max(1u, side);
    facts.max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(1024, most));
  }
  if (function.required_block) facts.required_block = *function.required_block;
  const tune::LaunchSpec& launch = spec_.launches.front();
  for (const std::string& name : names_) {
    const std::string argument = argument_of(launch, name);
    if (argument.empty()) {
      notes_.push_back(fmt::format(
          "{} is no argument of the kernel: the program serves `burin choose`, not the runtime",
          name));
    }
    facts.sizes.push_back({name, *Expression::parse(argument.empty() ? name : argument)});
  }
  if (launch.shared_bytes) {
    const Result<std::string> text = over_shape(*launch.shared_bytes);
    if (!text) return text.error();
    facts.shared_bytes = *Expression::parse(*text);
  }
  if (!declared.empty()) {
    facts.proof = Proof::kDeclared;
    facts.reason = declared;
    return facts;
  }
  const analyze::Reshape reshape = analyze::reshape_proof(step.kernel, step.launch);
  for (std::size_t axis = 0; axis < launch.block.size() && axis < 3; ++axis) {
    if (reshape.free(static_cast<unsigned>(axis))) continue;
    notes_.push_back(fmt::format(
        "it is not proved that the shape may change: {}; the runtime leaves launches alone unless "
        "you declare it with --declare",
        reshape.axes[axis].text));
    return facts;
  }
  facts.proof = Proof::kProved;
  facts.reason = "what a thread does depends on blockIdx * blockDim + threadIdx alone";
  return facts;
}

}  // namespace burin::jobs
