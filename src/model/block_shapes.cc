#include "model/block_shapes.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/format.h"
#include "tune/compiled_kernels.h"

namespace burin::model {
namespace {

using launch::Dims;

std::uint32_t blocks_for(std::uint32_t grid, std::uint32_t old_block, std::uint32_t block) {
  const std::uint64_t threads = std::uint64_t{grid} * old_block;
  return static_cast<std::uint32_t>((threads + block - 1) / block);
}

// An axis along which the launch has a single thread keeps it.
std::vector<std::uint32_t> sizes_along(std::uint32_t grid, std::uint32_t block, std::uint32_t most,
                                       bool along_x) {
  std::set<std::uint32_t> sizes{block};
  const std::uint64_t threads = std::uint64_t{grid} * block;
  if (threads > 1) {
    for (std::uint32_t size = 1; size <= most; size *= 2) sizes.insert(size);
    for (std::uint32_t size = 32; along_x && size <= most; size += 32) sizes.insert(size);
  }
  return {sizes.begin(), sizes.end()};
}

tune::Parameter parameter(const char* name, const std::vector<std::uint32_t>& sizes) {
  tune::Parameter made{.name = name, .values = {}};
  for (const std::uint32_t size : sizes) made.values.emplace_back(std::int64_t{size});
  return made;
}

bool fits(const read::Function& kernel, Dims block) {
  if (block.total() > launch::kMaxBlockThreads) return false;
  if (!kernel.max_threads) return true;
  const auto& most = *kernel.max_threads;
  return block.total() <= std::uint64_t{most[0]} * most[1] * most[2];
}

std::string why_fixed(const analyze::Reshape& reshape) {
  for (const analyze::AxisFreedom& axis : reshape.axes) {
    if (!axis.text.empty()) return axis.text;
  }
  return "the grid has one thread along each axis";
}

Dims block_of(const tune::Space& shapes, const tune::Point& point) {
  const auto size = [&](std::size_t axis) {
    return static_cast<std::uint32_t>(*formula::integer(shapes.value(point, axis)));
  };
  return {size(0), size(1), size(2)};
}

}  // namespace

Dims covering_grid(const launch::Launch& launch, Dims block) {
  return {blocks_for(launch.grid.x, launch.block.x, block.x),
          blocks_for(launch.grid.y, launch.block.y, block.y),
          blocks_for(launch.grid.z, launch.block.z, block.z)};
}

tune::Space own_shape(const launch::Launch& launch) {
  return tune::Space::of_points(
      {parameter("block_size_x", {launch.block.x}), parameter("block_size_y", {launch.block.y}),
       parameter("block_size_z", {launch.block.z})},
      {tune::Point{0, 0, 0}});
}

Result<tune::Space> block_shapes(const read::Kernel& kernel, const launch::Launch& launch,
                                 ShapeTrust trust) {
  const analyze::Reshape reshape = analyze::reshape_proof(kernel, launch);
  const std::array<std::vector<std::uint32_t>, 3> sizes{
      sizes_along(launch.grid.x, launch.block.x, launch::kMaxBlock.x, true),
      sizes_along(launch.grid.y, launch.block.y, launch::kMaxBlock.y, false),
      sizes_along(launch.grid.z, launch.block.z, launch::kMaxBlock.z, false)};
  std::vector<tune::Point> points;
  for (std::uint16_t x = 0; x < sizes[0].size(); ++x) {
    for (std::uint16_t y = 0; y < sizes[1].size(); ++y) {
      for (std::uint16_t z = 0; z < sizes[2].size(); ++z) {
        const Dims block{sizes[0][x], sizes[1][y], sizes[2][z]};
        if (!fits(*kernel.function, block)) continue;
        // Blocks below a warp waste lanes; only the launch's own may.
        if (block.total() < 32 && block != launch.block) continue;
        const bool same = block == launch.block;
        if (!same && trust == ShapeTrust::kProof &&
            !analyze::reshaped_grid(reshape, kernel, launch, block)) {
          continue;
        }
        points.push_back({x, y, z});
      }
    }
  }
  if (points.size() < 2) {
    return Error{fmt::format("{}: the block shape is fixed: {}; --any-block tries others all the "
                             "same",
                             kernel.function->demangled, why_fixed(reshape)),
                 Exit::kInput};
  }
  return tune::Space::of_points(
      {parameter("block_size_x", sizes[0]), parameter("block_size_y", sizes[1]),
       parameter("block_size_z", sizes[2])},
      std::move(points));
}

tune::Built ShapeBuilder::built(Dims grid, Dims block) const {
  tune::Built built;
  measure::Step step{.kernel = kernel_.function->name, .launch = launch_};
  step.launch.grid = grid;
  step.launch.block = block;
  if (Result<void> fine = launch::check_launch(step.launch, *kernel_.function); !fine) {
    built.status = tune::Status::kConstraints;
    built.reason = fine.error().message;
    return built;
  }
  tune::add_figures(*kernel_.function, step.launch, built.figures);
  built.request.program = cubin_;
  built.request.settings = settings_;
  built.request.steps.push_back(std::move(step));
  return built;
}

Result<tune::Built> ShapeBuilder::finish(const tune::Point& point) {
  const Dims block = block_of(shapes_, point);
  return built(covering_grid(launch_, block), block);
}

// The launch as it was given.
Result<std::optional<tune::Built>> ShapeBuilder::reference(const tune::Point&) {
  return std::optional(built(launch_.grid, launch_.block));
}

}  // namespace burin::model
