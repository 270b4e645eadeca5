#include "timing/trace/work_sample.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "timing/trace/strides.h"

namespace burin::timing {

namespace {

constexpr double kEven = 0.02;
// Times the work of the cell, for a face to count as different.
constexpr double kMinFaceExcess = 2;
constexpr std::array kGridAxes = {&launch::Dims::x, &launch::Dims::y, &launch::Dims::z};

// Cell k of n covers [first, first of k + 1) of `size`.
std::uint32_t first_of(std::uint32_t k, std::uint32_t n, std::uint32_t size) {
  return static_cast<std::uint32_t>((std::uint64_t{k} * size + n - 1) / n);
}

std::uint32_t scattered(std::uint32_t value) {
  value ^= value >> 16;
  value *= 0x7feb352du;
  value ^= value >> 15;
  value *= 0x846ca68bu;
  return value ^ value >> 16;
}

std::uint32_t pick(std::uint32_t k, std::uint32_t n, std::uint32_t size, std::uint32_t salt) {
  const std::uint32_t first = first_of(k, n, size);
  return first + scattered(k * 3 + salt) % (first_of(k + 1, n, size) - first);
}

}  // namespace

WorkSample::WorkSample(launch::Dims grid, std::uint64_t most, bool has_faces)
    : grid_(grid), cells_{1, 1, 1}, has_faces_(has_faces) {
  // Splits the axis with the widest cells further, as long as the number of cells stays within the
  // limit.
  struct Axis {
    std::uint32_t size;
    std::uint32_t* cells;
  };
  std::vector<Axis> axes{{grid.x, &cells_.x}, {grid.y, &cells_.y}, {grid.z, &cells_.z}};
  while (!axes.empty()) {
    const auto widest =
        std::max_element(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) {
          return std::uint64_t{a.size} * *b.cells < std::uint64_t{b.size} * *a.cells;
        });
    const std::uint32_t before = *widest->cells;
    *widest->cells = std::min(2 * before, widest->size);
    if (cells_.total() > most) *widest->cells = before;
    if (*widest->cells == before) axes.erase(widest);
  }
  // The remaining factor goes to the axis that profits most.
  const std::uint64_t others = cells_.total() / cells_.x;
  cells_.x = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(most / others, cells_.x, std::max(cells_.x, grid.x)));
}

WorkSample::WorkSample(ActiveBlocks active, BlockWork idle, std::uint64_t most)
    : WorkSample(launch::Dims{static_cast<std::uint32_t>(active.size()), 1, 1}, most) {
  active_ = std::move(active);
  idle_ = std::move(idle);
}

std::vector<std::uint64_t> WorkSample::blocks() const {
  std::vector<std::uint64_t> chosen;
  std::uint32_t salt = 0;
  const auto at = [&](std::size_t axis, std::uint32_t k) {
    const std::uint32_t n = cells_.*kGridAxes[axis];
    const std::uint32_t size = grid_.*kGridAxes[axis];
    const std::uint32_t picked = pick(k, n, size, salt + static_cast<std::uint32_t>(axis));
    const bool on_face = has_faces_ && picked == size - 1 && picked > first_of(k, n, size);
    return std::uint64_t{on_face ? picked - 1 : picked};
  };
  for (std::uint32_t z = 0; z < cells_.z; ++z) {
    for (std::uint32_t y = 0; y < cells_.y; ++y) {
      for (std::uint32_t x = 0; x < cells_.x; ++x, salt += 7) {
        chosen.push_back(at(0, x) + grid_.x * (at(1, y) + grid_.y * at(2, z)));
      }
    }
  }
  return chosen;
}

std::uint64_t WorkSample::cell_of(std::uint64_t position) const {
  const launch::Dims at = block_index(position, grid_);
  const auto cell = [](std::uint32_t i, std::uint32_t n, std::uint32_t size) {
    return static_cast<std::uint32_t>(std::uint64_t{i} * n / size);
  };
  return cell(at.x, cells_.x, grid_.x) +
         std::uint64_t{cells_.x} * (cell(at.y, cells_.y, grid_.y) +
                                    std::uint64_t{cells_.y} * cell(at.z, cells_.z, grid_.z));
}

void WorkSample::scale(double by) {
  even_out(by, 1);
}

void WorkSample::even_out(double by, double unevenness) {
  const auto change = [&](BlockWork& work) {
    if (work.warps.empty()) return;
    const double mean = by * work.steps / static_cast<double>(work.warps.size());
    for (double& steps : work.warps) steps = mean + unevenness * (by * steps - mean);
    work.steps *= by;
    work.longest = std::ranges::max(work.warps);
  };
  std::ranges::for_each(works_, change);
  for (std::optional<BlockWork>& face : faces_) {
    if (face) change(*face);
  }
}

std::uint32_t WorkSample::interior(std::size_t axis) const {
  return grid_.*kGridAxes[axis] - (faces_[axis] ? 1 : 0);
}

std::vector<std::uint64_t> WorkSample::face_blocks() const {
  std::vector<std::uint64_t> blocks;
  for (const auto axis : kGridAxes) {
    launch::Dims at{grid_.x / 2, grid_.y / 2, grid_.z / 2};
    at.*axis = grid_.*axis - 1;
    blocks.push_back(at.x + std::uint64_t{grid_.x} * (at.y + std::uint64_t{grid_.y} * at.z));
  }
  return blocks;
}

void WorkSample::set_faces(std::vector<BlockWork> works) {
  const std::vector<std::uint64_t> blocks = face_blocks();
  for (std::size_t axis = 0; axis < kGridAxes.size(); ++axis) {
    const double cell = works_[cell_of(blocks[axis])].steps;
    const double face = works[axis].steps;
    const bool known = cells_.*kGridAxes[axis] == grid_.*kGridAxes[axis];
    if (known || face < kMinFaceExcess * cell) continue;
    faces_[axis] = std::move(works[axis]);
  }
}

const BlockWork& WorkSample::of_active(std::uint64_t position) const {
  const launch::Dims at = block_index(position, grid_);
  for (std::size_t axis = 0; axis < kGridAxes.size(); ++axis) {
    if (faces_[axis] && at.*kGridAxes[axis] == interior(axis)) return *faces_[axis];
  }
  return works_[cell_of(position)];
}

const BlockWork& WorkSample::of(std::uint64_t block) const {
  if (!has_idle()) return of_active(block);
  const std::optional<std::uint64_t> position = active_.find(block);
  return position ? of_active(*position) : idle_;
}

double WorkSample::share_up_to(double steps) const {
  if (works_.empty()) return 1;
  const auto light =
      std::ranges::count_if(works_, [&](const BlockWork& w) { return w.steps <= steps; });
  return static_cast<double>(light) / static_cast<double>(works_.size());
}

std::uint64_t WorkSample::lightest() const {
  const auto least = std::ranges::min_element(works_, {}, &BlockWork::steps);
  return blocks()[static_cast<std::size_t>(least - works_.begin())];
}

std::uint64_t WorkSample::longest() const {
  const auto most = std::ranges::max_element(works_, {}, &BlockWork::longest);
  std::uint64_t block = blocks()[static_cast<std::size_t>(most - works_.begin())];
  double steps = most->longest;
  for (std::size_t axis = 0; axis < kGridAxes.size(); ++axis) {
    if (!faces_[axis] || faces_[axis]->longest <= steps) continue;
    block = face_blocks()[axis];
    steps = faces_[axis]->longest;
  }
  return block;
}

double WorkSample::mean_steps() const {
  double sum = 0;
  double blocks = 0;
  std::size_t k = 0;
  const auto width = [&](std::size_t axis, std::uint32_t i) {
    const std::uint32_t n = cells_.*kGridAxes[axis];
    const std::uint32_t size = grid_.*kGridAxes[axis];
    return static_cast<double>(std::min(first_of(i + 1, n, size), interior(axis)) -
                               std::min(first_of(i, n, size), interior(axis)));
  };
  for (std::uint32_t z = 0; z < cells_.z; ++z) {
    for (std::uint32_t y = 0; y < cells_.y; ++y) {
      for (std::uint32_t x = 0; x < cells_.x; ++x) {
        const double size = width(0, x) * width(1, y) * width(2, z);
        sum += size * works_[k++].steps;
        blocks += size;
      }
    }
  }
  // A block on two faces belongs to the first.
  for (std::size_t axis = 0; axis < kGridAxes.size(); ++axis) {
    if (!faces_[axis]) continue;
    double size = 1;
    for (std::size_t other = 0; other < kGridAxes.size(); ++other) {
      if (other != axis) size *= other < axis ? interior(other) : grid_.*kGridAxes[other];
    }
    sum += size * faces_[axis]->steps;
    blocks += size;
  }
  return blocks > 0 ? sum / blocks : 0;
}

bool WorkSample::active_even() const {
  if (std::ranges::any_of(faces_, [](const auto& face) { return face.has_value(); })) return false;
  const auto [least, most] =
      std::minmax_element(works_.begin(), works_.end(),
                          [](const BlockWork& a, const BlockWork& b) { return a.steps < b.steps; });
  return works_.empty() || most->steps - least->steps <= kEven * most->steps;
}

}  // namespace burin::timing
