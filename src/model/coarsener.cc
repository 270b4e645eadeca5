#include "model/coarsener.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "coarsen/coarsen.h"
#include "coarsen/opencl/coarsen_opencl.h"
#include "read/binary/demangle.h"
#include "read/ptx/parse.h"

namespace burin::model {
namespace {

using coarsen::Coarsening;
using coarsen::LaunchShape;
using coarsen::Level;
using tune::Configuration;
using tune::ConfiguredStep;

std::int64_t value_of(const Configuration& configuration, const std::string& name,
                      std::int64_t otherwise) {
  const auto found = configuration.names.find(name);
  if (found == configuration.names.end()) return otherwise;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? -1 : *number;
}

Result<std::vector<Coarsening>> coarsenings_of(const Configuration& configuration) {
  std::vector<Coarsening> made;
  for (const Level level : {Level::kThread, Level::kBlock}) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::string name =
          fmt::format("coarsen_{}_{}", level == Level::kThread ? "thread" : "block", "xyz"[axis]);
      const std::int64_t factor = value_of(configuration, name, 1);
      const std::int64_t stride =
          value_of(configuration, fmt::format("coarsen_stride_{}", "xyz"[axis]), 0);
      if (factor < 1 || factor > 1024 || stride < 0 || stride > 1024) {
        return Error{fmt::format("{} = {}: it must be a whole number from 1 to 1024", name, factor),
                     Exit::kInput};
      }
      if (factor == 1) continue;
      made.push_back({level, axis, static_cast<unsigned>(factor),
                      level == Level::kThread ? static_cast<unsigned>(stride) : 0});
    }
  }
  return made;
}

LaunchShape shape_of(const launch::Launch& launch) {
  return {.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
          .block = {launch.block.x, launch.block.y, launch.block.z},
          .shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes)};
}

// The steps that launch the kernel; all must have one shape.
Result<std::vector<ConfiguredStep*>> steps_of(Configuration& configuration) {
  std::vector<ConfiguredStep*> steps;
  for (ConfiguredStep& step : configuration.steps) {
    if (step.kernel != configuration.steps.front().kernel) continue;
    const launch::Launch& first = configuration.steps.front().launch;
    if (step.launch.grid != first.grid || step.launch.block != first.block) {
      return Error{
          fmt::format("{} is launched with different grids and cannot be coarsened for all",
                      step.kernel),
          Exit::kInput};
    }
    steps.push_back(&step);
  }
  return steps;
}

void set_shape(const std::vector<ConfiguredStep*>& steps, const LaunchShape& shape) {
  for (ConfiguredStep* step : steps) {
    step->launch.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
    step->launch.block = {shape.block[0], shape.block[1], shape.block[2]};
    step->launch.shared_bytes = shape.shared_bytes;
  }
}

// The name in the PTX of what people call "gemm".
Result<std::string> name_in_ptx(const std::string& ptx, const std::string& kernel) {
  const Result<read::ptx::Module> module = read::ptx::parse(ptx);
  if (!module) return module.error();
  for (const read::ptx::Function* entry : module->entries()) {
    const std::string name(entry->name);
    const std::string demangled = read::demangle(name);
    if (name == kernel || demangled == kernel ||
        std::string_view(demangled).substr(0, demangled.find('(')) == kernel) {
      return name;
    }
  }
  return Error{fmt::format("the source has no kernel '{}'", kernel), Exit::kInput};
}

}  // namespace

Result<std::string> Coarsener::change_ptx(std::string ptx, const std::string& kernel,
                                          Configuration& configuration) const {
  const Result<std::vector<Coarsening>> asked = coarsenings_of(configuration);
  if (!asked) return asked.error();
  const Result<std::vector<ConfiguredStep*>> steps = steps_of(configuration);
  if (!steps) return steps.error();
  const Result<std::string> name = name_in_ptx(ptx, kernel);
  if (!name) return name.error();
  Result<coarsen::Coarsened> made =
      coarsen::coarsen(std::move(ptx), *name, shape_of(steps->front()->launch), *asked);
  if (!made) return made.error();
  set_shape(*steps, made->launch);
  return std::move(made->ptx);
}

Result<std::string> Coarsener::change_opencl(const std::string& source, const std::string& options,
                                             Configuration& configuration) const {
  const Result<std::vector<Coarsening>> asked = coarsenings_of(configuration);
  if (!asked) return asked.error();
  const Result<std::vector<ConfiguredStep*>> steps = steps_of(configuration);
  if (!steps) return steps.error();
  const LaunchShape shape = shape_of(steps->front()->launch);
  coarsen::OpenclCoarsening how{
      .local_size = shape.block, .groups = shape.grid, .options = options};
  for (const Coarsening& one : *asked) {
    if (one.level == Level::kBlock) {
      how.block_factor[one.axis] = one.factor;
      continue;
    }
    how.thread_factor[one.axis] = one.factor;
    how.thread_stride[one.axis] =
        one.stride == 0 ? std::max(1u, shape.block[one.axis] / one.factor) : one.stride;
  }
  Result<coarsen::CoarsenedOpencl> made =
      coarsen::coarsen_opencl(source, steps->front()->kernel, how);
  if (!made) return made.error();
  set_shape(*steps,
            {.grid = made->groups, .block = made->local_size, .shared_bytes = shape.shared_bytes});
  return std::move(made->text);
}

}  // namespace burin::model
