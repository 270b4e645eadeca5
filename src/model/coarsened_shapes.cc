#include "model/coarsened_shapes.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/format.h"
#include "model/block_shapes.h"
#include "tune/compiled_kernels.h"

namespace burin::model {
namespace {

using coarsen::Coarsening;
using coarsen::LaunchShape;
using coarsen::Level;

constexpr unsigned kCoarsenedAxes = 3;
constexpr std::array<unsigned, 4> kThreadFactors = {1, 2, 4, 8};
constexpr std::array<unsigned, 3> kStrides = {0, 1, 32};  // 0: the new block size
constexpr std::array<unsigned, 3> kBlockFactors = {1, 2, 4};
// Original threads that one thread does the work of. The code grows with them, and three axes have
// too many combinations for all to be listed.
constexpr std::uint64_t kMaxCopies = 32;

// The parameters of the space after block_size_x, _y and _z, in this order for each axis.
struct AxisParameters {
  bool threads = false;
  bool blocks = false;
};
using Axes = std::array<AxisParameters, kCoarsenedAxes>;

tune::Parameter parameter_of(std::string name, std::span<const unsigned> values) {
  tune::Parameter made{.name = std::move(name), .values = {}};
  for (const unsigned value : values) made.values.emplace_back(std::int64_t{value});
  return made;
}

std::uint32_t number(const tune::Space& space, const tune::Point& point, std::size_t dimension) {
  return static_cast<std::uint32_t>(*formula::integer(space.value(point, dimension)));
}

// The axes along which the kernel can be coarsened at all, tried on the launch as it is given.
Axes possible_axes(const launch::Launch& launch, const std::string& ptx,
                   const std::string& kernel) {
  const LaunchShape shape{.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                          .block = {launch.block.x, launch.block.y, launch.block.z},
                          .shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes)};
  const auto works = [&](const Coarsening& how) {
    return coarsen::coarsen(ptx, kernel, shape, std::span(&how, 1)).ok();
  };
  Axes axes;
  for (unsigned axis = 0; axis < kCoarsenedAxes; ++axis) {
    for (const unsigned stride : kStrides) {
      axes[axis].threads =
          axes[axis].threads || (shape.block[axis] > 1 && works({Level::kThread, axis, 2, stride}));
    }
    axes[axis].blocks = shape.grid[axis] > 1 && works({Level::kBlock, axis, 2, 0});
  }
  return axes;
}

struct Configured {
  LaunchShape launch{};
  std::vector<Coarsening> coarsenings{};
};

Configured configured(const tune::Space& space, const tune::Point& point,
                      const launch::Launch& launch) {
  Configured made;
  const launch::Dims block{number(space, point, 0), number(space, point, 1),
                           number(space, point, 2)};
  const launch::Dims grid = covering_grid(launch, block);
  made.launch = {.grid = {grid.x, grid.y, grid.z},
                 .block = {block.x, block.y, block.z},
                 .shared_bytes = static_cast<std::uint32_t>(launch.shared_bytes)};
  for (std::size_t d = 3; d < space.dimensions(); ++d) {
    const std::string& name = space.parameters()[d].name;
    const auto axis = static_cast<unsigned>(name.back() - 'x');
    const std::uint32_t value = number(space, point, d);
    if (name.starts_with("coarsen_stride_")) {
      if (!made.coarsenings.empty() && made.coarsenings.back().axis == axis &&
          made.coarsenings.back().level == Level::kThread) {
        made.coarsenings.back().stride = value;
      }
    } else if (value > 1) {
      const bool thread = name.starts_with("coarsen_thread_");
      made.coarsenings.push_back({thread ? Level::kThread : Level::kBlock, axis, value, 0});
    }
  }
  return made;
}

bool is_stride(const tune::Parameter& parameter) {
  return parameter.name.starts_with("coarsen_stride_");
}

// Also whether every stride belongs to a factor.
bool has_few_copies(const std::vector<tune::Parameter>& parameters, const tune::Point& point) {
  std::uint64_t copies = 1;
  for (std::size_t d = 3; d < parameters.size(); ++d) {
    if (is_stride(parameters[d])) {
      if (point[d] != 0 && point[d - 1] == 0) return false;
    } else {
      copies *= static_cast<std::uint64_t>(*formula::integer(parameters[d].values[point[d]]));
    }
  }
  return copies <= kMaxCopies;
}

// Every size divides, no configuration is there twice, and a warp stays full.
bool is_valid(const Configured& made) {
  std::uint64_t threads = std::uint64_t{1};
  for (const std::uint32_t size : made.launch.block) threads *= size;
  for (const Coarsening& how : made.coarsenings) {
    if (how.level == Level::kBlock) {
      if (made.launch.grid[how.axis] < 2 * how.factor) return false;
      continue;
    }
    const std::uint32_t size = made.launch.block[how.axis];
    if (size % how.factor != 0) return false;
    const std::uint32_t left = size / how.factor;
    if (how.stride != 0 && (left % how.stride != 0 || left == how.stride)) return false;
    threads /= how.factor;
  }
  return made.coarsenings.empty() || threads >= 32;
}

}  // namespace

std::optional<tune::Space> coarsened_space(const tune::Space& shapes, const launch::Launch& launch,
                                           const std::string& ptx, const std::string& kernel) {
  const Axes axes = possible_axes(launch, ptx, kernel);
  std::vector<tune::Parameter> parameters(shapes.parameters().begin(), shapes.parameters().end());
  for (unsigned axis = 0; axis < kCoarsenedAxes; ++axis) {
    const char letter = "xyz"[axis];
    if (axes[axis].threads) {
      parameters.push_back(parameter_of(fmt::format("coarsen_thread_{}", letter), kThreadFactors));
      parameters.push_back(parameter_of(fmt::format("coarsen_stride_{}", letter), kStrides));
    }
    if (axes[axis].blocks) {
      parameters.push_back(parameter_of(fmt::format("coarsen_block_{}", letter), kBlockFactors));
    }
  }
  if (parameters.size() == 3) return std::nullopt;
  // Every combination as the digits of a number, to be asked which of them are valid.
  std::vector<tune::Point> candidates;
  for (std::uint64_t i = 0; i < shapes.size(); ++i) {
    tune::Point point = shapes.at(i);
    point.resize(parameters.size(), 0);
    for (bool more = true; more;) {
      if (has_few_copies(parameters, point)) candidates.push_back(point);
      std::size_t d = 3;
      while (d < parameters.size() && ++point[d] == parameters[d].values.size()) point[d++] = 0;
      more = d < parameters.size();
    }
  }
  const tune::Space all = tune::Space::of_points(parameters, candidates);
  std::erase_if(candidates, [&](const tune::Point& point) {
    return !is_valid(configured(all, point, launch));
  });
  return tune::Space::of_points(std::move(parameters), std::move(candidates));
}

CoarsenedShapeBuilder::Started CoarsenedShapeBuilder::started(
    const LaunchShape& launch, const std::vector<Coarsening>& coarsenings,
    const std::string& name) {
  Started made{.coarsened = coarsen::coarsen(source_.ptx, source_.kernel, launch, coarsenings)};
  if (!made.coarsened) return made;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(made.coarsened->ptx.data());
  const Result<std::string> path =
      folder_->write(name + ".ptx", Bytes(bytes, made.coarsened->ptx.size()));
  if (!path) {
    made.coarsened = path.error();
    return made;
  }
  made.ticket = pool_.submit({.source = *path,
                              .language = toolchain::CompileRequest::Language::kPtx,
                              .arch = source_.arch});
  return made;
}

void CoarsenedShapeBuilder::start(const tune::Point& point) {
  const Configured made = configured(space_, point, launch_);
  started_.insert_or_assign(
      point, started(made.launch, made.coarsenings, std::to_string(space_.index_of(point))));
}

Result<tune::Built> CoarsenedShapeBuilder::built(Started& started, const std::string& name) {
  tune::Built built;
  const auto fail = [&](tune::Status status, const Error& error) {
    built.status = status;
    built.reason = error.message;
    return built;
  };
  if (!started.coarsened) return fail(tune::Status::kConstraints, started.coarsened.error());
  const Result<toolchain::Compiled> compiled = pool_.wait(*started.ticket);
  if (!compiled) return fail(tune::Status::kCompile, compiled.error());
  built.compile_seconds = compiled->seconds;
  const Result<tune::CompiledKernels> kernels = tune::CompiledKernels::read(compiled->cubin);
  if (!kernels) return fail(tune::Status::kCompile, kernels.error());
  const Result<const read::Function*> kernel = kernels->find(source_.kernel);
  if (!kernel) return fail(tune::Status::kCompile, kernel.error());
  measure::Step step{.kernel = source_.kernel, .launch = launch_};
  const LaunchShape& shape = started.coarsened->launch;
  step.launch.grid = {shape.grid[0], shape.grid[1], shape.grid[2]};
  step.launch.block = {shape.block[0], shape.block[1], shape.block[2]};
  step.launch.shared_bytes = shape.shared_bytes;
  if (Result<void> fine = launch::check_launch(step.launch, **kernel); !fine) {
    return fail(tune::Status::kConstraints, fine.error());
  }
  tune::add_figures(**kernel, step.launch, built.figures);
  Result<std::string> path = folder_->write(name + ".cubin", compiled->cubin);
  if (!path) return path.error();
  built.request.program = std::move(*path);
  built.request.settings = source_.settings;
  built.request.steps.push_back(std::move(step));
  return built;
}

Result<tune::Built> CoarsenedShapeBuilder::finish(const tune::Point& point) {
  if (!started_.contains(point)) start(point);
  auto node = started_.extract(point);
  return built(node.mapped(), std::to_string(space_.index_of(point)));
}

// The launch as it was given.
Result<std::optional<tune::Built>> CoarsenedShapeBuilder::reference(const tune::Point&) {
  Started original = started({.grid = {launch_.grid.x, launch_.grid.y, launch_.grid.z},
                              .block = {launch_.block.x, launch_.block.y, launch_.block.z},
                              .shared_bytes = static_cast<std::uint32_t>(launch_.shared_bytes)},
                             {}, "reference");
  Result<tune::Built> made = built(original, "reference");
  if (!made) return made.error();
  return std::optional(std::move(*made));
}

}  // namespace burin::model
