#include "advise/patterns/mapping/launch_shape.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "advise/case/place.h"
#include "base/format.h"
#include "emulate/values/lanes.h"
#include "machine/occupancy.h"
#include "read/isa/traits.h"
#include "read/program/launch_size.h"

namespace burin::advise {

namespace {

using analyze::Freedom;
using analyze::ShapeReason;

}  // namespace

launch::Launch launch_of(const Case& c) {
  return c.study != nullptr ? c.study->launch() : launch::Launch{.grid = c.grid, .block = c.block};
}

bool is_shape_analysed(const Case& c) {
  return c.kernel.image->arch.sm >= 70 && c.kernel.image->arch.sm <= 90;
}

bool knows_sizes(const Case& c) {
  return c.machine.arch.sm >= 80 && c.machine.arch.sm <= 90;
}

LaunchShape::LaunchShape(const Case& c)
    : c_(c), launch_(launch_of(c)), reshape_(analyze::reshape_proof(c.kernel, launch_)) {
  const std::array<std::uint64_t, analyze::kAxes> threads{std::uint64_t{c.grid.x} * c.block.x,
                                                          std::uint64_t{c.grid.y} * c.block.y,
                                                          std::uint64_t{c.grid.z} * c.block.z};
  longest_ = static_cast<unsigned>(std::ranges::max_element(threads) - threads.begin());
}

std::optional<launch::Launch> LaunchShape::with_block(launch::Dims block) const {
  machine::KernelNeeds needs = c_.needs;
  needs.threads = block.total();
  if (!machine::occupancy(c_.machine, needs)) return std::nullopt;
  const Result<launch::Dims> grid = analyze::reshaped_grid(reshape_, c_.kernel, launch_, block);
  if (!grid) return std::nullopt;
  launch::Launch shaped = launch_;
  shaped.grid = *grid;
  shaped.block = block;
  return shaped;
}

std::string LaunchShape::obstacle(std::string_view blocks) const {
  // Where blockDim in place of a number is not enough, what remains then is the obstacle.
  const bool scaled = longest().reason == ShapeReason::kScaledBlock;
  const std::string& rest = edited().axes[longest_].text;
  const std::string& why = scaled && !rest.empty() ? rest : why_fixed();
  return why.empty() ? "" : fmt::format("{} need other code: {}.", blocks, why);
}

const analyze::Reshape& LaunchShape::edited() const {
  if (!edited_)
    edited_ = analyze::reshape_proof(c_.kernel, launch_, analyze::LiteralSize::kBlockDim);
  return *edited_;
}

std::optional<LaunchShape::Edited> LaunchShape::after_edit(launch::Dims block) const {
  analyze::Reshape proof = edited();
  const std::array<std::uint32_t, analyze::kAxes> sides{block.x, block.y, block.z};
  const std::array<std::uint32_t, analyze::kAxes> old{c_.block.x, c_.block.y, c_.block.z};
  const std::array<std::uint32_t, analyze::kAxes> grid{c_.grid.x, c_.grid.y, c_.grid.z};
  std::string edit;
  const auto add = [&](std::string clause) {
    edit += edit.empty() ? std::move(clause) : " and " + std::move(clause);
  };
  for (unsigned d = 0; d < analyze::kAxes; ++d) {
    if (sides[d] == old[d]) continue;
    const std::uint64_t threads = std::uint64_t{grid[d]} * old[d];
    if (sides[d] > threads) return std::nullopt;  // there is no work for its threads
    const analyze::AxisFreedom& now = reshape_.axes[d];
    const char axis = analyze::kAxisNames[d];
    const std::string at =
        now.instruction == read::kNoIndex ? "" : place_name(c_.kernel, now.instruction);
    if (now.freedom == Freedom::kFixed && now.reason == ShapeReason::kScaledBlock) {
      add(fmt::format("{}: use blockDim.{} there first", now.text, axis));
    } else if (now.freedom == Freedom::kFixed && old[d] == 1) {
      add(
          fmt::format("use blockIdx.{0} * blockDim.{0} + threadIdx.{0} in place of blockIdx.{0} "
                      "at {1}",
                      axis, at));
    } else if (now.freedom == Freedom::kFixed) {
      add(fmt::format("use blockDim.{} in place of {}", axis, old[d]));
    }
    analyze::AxisFreedom& then = proof.axes[d];
    if (then.freedom != Freedom::kDivisors || then.reason != ShapeReason::kExtraThreads) continue;
    if (threads % sides[d] != 0) {
      add(fmt::format("let threads from number {} in {} on return before {}", threads, axis,
                      place_name(c_.kernel, then.instruction)));
    }
    then.freedom = Freedom::kAny;
  }
  if (edit.empty()) return std::nullopt;
  machine::KernelNeeds needs = c_.needs;
  needs.threads = block.total();
  if (!machine::occupancy(c_.machine, needs)) return std::nullopt;
  const Result<launch::Dims> shaped = analyze::reshaped_grid(proof, c_.kernel, launch_, block);
  if (!shaped) return std::nullopt;
  if (edit.starts_with("use ") || edit.starts_with("let "))
    edit[0] = static_cast<char>(edit[0] - 'a' + 'A');
  Edited result{.launch = launch_, .edit = std::move(edit)};
  result.launch.grid = *shaped;
  result.launch.block = block;
  return result;
}

namespace {

bool has_barrier(const read::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions,
                             [](const read::Instruction& i) { return read::is_barrier(i); });
}

}  // namespace

std::optional<LaunchShape::Stacked> LaunchShape::stacked(std::uint32_t blocks) const {
  constexpr std::uint32_t kMaxZ = 64;
  if (!is_shape_analysed(c_) || c_.kernel.function->required_block ||
      launch::cluster_of(launch_, *c_.kernel.function)) {
    return std::nullopt;
  }
  Stacked stack{.grid = c_.grid, .block = c_.block};
  unsigned layer = 0;
  if (c_.block.y == 1 && c_.block.z == 1 && !read::reads_thread_axis(c_.kernel, 1)) {
    layer = 1;
    stack.block.y = blocks;
  } else if (c_.block.z == 1 && blocks <= kMaxZ && !read::reads_thread_axis(c_.kernel, 2)) {
    layer = 2;
    stack.block.z = blocks;
  } else {
    return std::nullopt;
  }
  // Lanes that exchange values stay in a warp of their own only where a block is whole warps.
  const bool by_warps = c_.block.total() % emulate::kWarpLanes == 0;
  if (!by_warps && lanes_cooperate(c_.kernel)) return std::nullopt;
  const std::array<std::uint32_t launch::Dims::*, analyze::kAxes> sides{
      &launch::Dims::x, &launch::Dims::y, &launch::Dims::z};
  const auto most = static_cast<unsigned>(
      std::ranges::max_element(sides, {}, [&](auto side) { return c_.grid.*side; }) -
      sides.begin());
  const std::uint32_t before = c_.grid.*sides[most];
  if (before < blocks) return std::nullopt;
  stack.grid.*sides[most] = (before + blocks - 1) / blocks;
  const char a = analyze::kAxisNames[most];
  const char s = analyze::kAxisNames[layer];
  const bool one_warp = c_.block.total() == emulate::kWarpLanes;
  stack.steps = fmt::format(
      "Put {} blocks into one{}: launch dim3({}, {}, {}) in a grid of dim3({}, {}, {}) and replace "
      "blockIdx.{} by blockIdx.{} * blockDim.{} + threadIdx.{}",
      blocks, one_warp ? ", a warp for each" : "", stack.block.x, stack.block.y, stack.block.z,
      stack.grid.x, stack.grid.y, stack.grid.z, a, a, s, s);
  if (read::grid_sizes_read(c_.kernel)[most])
    stack.steps += fmt::format(", and gridDim.{} by gridDim.{} * blockDim.{}", a, a, s);
  stack.steps += fmt::format("; {} stay as they are.",
                             layer == 1 ? "threadIdx.x and blockDim.x" : "x and y of threads");
  if (c_.needs.shared > 0)
    stack.steps += fmt::format(" Each threadIdx.{} needs shared arrays of its own.", s);
  if (has_barrier(c_.kernel)) {
    stack.steps += one_warp ? " Replace __syncthreads() by __syncwarp()."
                            : fmt::format(
                                  " Threads of every threadIdx.{} must reach each "
                                  "__syncthreads().",
                                  s);
  }
  if (before % blocks != 0)
    stack.steps += fmt::format(" Threads whose block is {} or more must do nothing.", before);
  return stack;
}

bool LaunchShape::cooperates() const {
  const ShapeReason reason = longest().reason;
  return reason == ShapeReason::kBarrier || reason == ShapeReason::kSharedMemory ||
         reason == ShapeReason::kWarp;
}

bool lanes_cooperate(const read::Kernel& kernel) {
  static constexpr std::string_view kOfLane[] = {"SR_LANEID", "SR_EQMASK", "SR_LTMASK",
                                                 "SR_LEMASK", "SR_GTMASK", "SR_GEMASK"};
  return std::ranges::any_of(kernel.instructions, [](const read::Instruction& i) {
    if (!i.known()) return true;
    if (read::has(i, read::Trait::kCrossLane) || i.opcode->pipe == read::Pipe::kTensor) return true;
    return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
      return o.kind == read::Operand::Kind::kSpecial &&
             std::ranges::find(kOfLane, o.suffix) != std::end(kOfLane);
    });
  });
}

}  // namespace burin::advise
