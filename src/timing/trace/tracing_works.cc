// Tracing: the work of the blocks of the grid.
#include <cmath>

#include "timing/trace/tracing.h"

namespace burin::timing {

namespace {

constexpr std::uint64_t kMaxBlockSteps = 3'200'000;  // of whole blocks
constexpr std::uint64_t kMaxWarpSteps = 2'400'000;   // of single warps
// From this error of the mean on, few blocks do most of the work, and up to kMaxCountedHeavy blocks
// are counted.
constexpr double kMinTailError = 0.1;
constexpr std::uint64_t kMaxCountedHeavy = 32'768;
constexpr double kMaxError = 0.1;  // of the mean of single warps, except for heavy tails
// Up to this error of the mean of blocks, single warps are not needed.
constexpr double kMaxSureError = 0.01;

// The relative standard error of the mean of a sample.
double error_of_mean(const std::vector<BlockWork>& works) {
  double sum = 0;
  double squares = 0;
  for (const BlockWork& work : works) {
    sum += work.steps;
    squares += work.steps * work.steps;
  }
  const auto n = static_cast<double>(works.size());
  return sum > 0 ? std::sqrt(std::max(0.0, squares / (sum * sum) - 1 / n)) : 0;
}

}  // namespace

// Steps per block: of the reference, as long as no others are known.
double Tracing::steps_each() const {
  return std::max(
      1.0, to_.works.empty() ? static_cast<double>(to_.reference.steps) : to_.works.mean_steps());
}

// Samples the work of blocks from all over the grid.
Result<void> Tracing::sample_work(std::uint64_t steps, std::uint64_t most) {
  // A first sample shows the cost of a block, since the reference may be exceptional.
  const double each = steps_each();
  // Long blocks are assumed to equal the few compared ones, if those are equal.
  const bool has_idle = to_.works.has_idle();
  if (to_.strides.alike && static_cast<double>(steps) < 4 * each && !has_idle) return {};
  const std::uint64_t cells = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(static_cast<double>(steps) / each), 4, most);
  WorkSample sample = has_idle ? WorkSample(to_.works.active(), to_.works.idle_work(), cells)
                               : WorkSample(to_.launch->grid, cells, has_faces_);
  const std::vector<std::uint64_t> blocks = sample.blocks();
  if (!to_.works.empty() && blocks == to_.works.blocks())
    return {};  // of long blocks: as few again
  Result<std::vector<BlockWork>> works = source_->count(numbers_of(blocks));
  if (!works) return works.error();
  work_error_ = error_of_mean(*works);
  sample.set(std::move(*works));
  to_.works = std::move(sample);
  return {};
}

// If blocks have many warps, only few blocks can be executed, and the mean of their work is
// inaccurate. Single warps of many more blocks give a better mean.
Result<void> Tracing::sample_warps(std::uint64_t steps) {
  const std::uint64_t warps = to_.reference.warps.size();
  const bool alone = to_.kernel->function->barriers == 0 && sync_ == InterBlockSync::kNone;
  if (warps < 2 || !alone || work_error_ < kMaxSureError || to_.works.has_idle()) return {};
  const double each = steps_each() / static_cast<double>(warps);
  WorkSample sample(
      to_.launch->grid,
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(static_cast<double>(steps) / each), 4,
                                kMaxCounted));
  Result<std::vector<BlockWork>> works =
      source_->count(sample.blocks(), static_cast<std::uint32_t>(warps));
  if (!works) return works.error();
  const double error = error_of_mean(*works);
  sample.set(std::move(*works));
  if (error < std::min(work_error_, kMaxError)) {
    to_.works.scale(sample.mean_steps() / to_.works.mean_steps());
  }
  return {};
}

// Determines the work of blocks, and whether one block can represent all.
Result<void> Tracing::sample_works() {
  if (Result<void> done = sample_work(kMaxConfirmSteps); !done) return done.error();
  if (Result<void> done = set_idle_aside(); !done) return done.error();
  if (counters()) {
    // Blocks that take work from a queue take what is left, so all blocks end together.
    to_.works = {};
    source_->share_counters(to_.share.sms);
    source_->advance_counters(0);
  }
  if (counters() || sync_ == InterBlockSync::kOwnBlock) to_.strides.alike = false;
  if (Result<void> done = look_at_last(); !done) return done.error();
  if (!to_.works.active_even() || has_faces_) {
    to_.strides.alike = false;  // although the few compared blocks may have done the same
    if (Result<void> done = sample_work(kMaxBlockSteps); !done) return done.error();
    if (work_error_ > kMinTailError) {
      if (Result<void> done = sample_work(kMaxBlockSteps, kMaxCountedHeavy); !done)
        return done.error();
    }
    if (has_faces_) {
      if (Result<void> done = sample_faces(); !done) return done.error();
    }
    if (Result<void> done = sample_warps(kMaxWarpSteps); !done) return done.error();
  }
  return {};
}

// Whether the last block of the grid, which is the last along each axis, does much more work than
// others. Less work, at the end of the data, does not matter.
Result<void> Tracing::look_at_last() {
  const std::uint64_t last = to_.launch->grid.total() - 1;
  if (sync_ != InterBlockSync::kNone || clusters_ || to_.works.has_idle() || last == 0) return {};
  const Result<std::vector<BlockWork>> work = source_->count(std::array{last});
  if (!work) return work.error();
  has_faces_ = does_more((*work)[0].steps, steps_each());
  return {};
}

Result<void> Tracing::sample_faces() {
  Result<std::vector<BlockWork>> works = source_->count(to_.works.face_blocks());
  if (!works) return works.error();
  to_.works.set_faces(std::move(*works));
  return {};
}

}  // namespace burin::timing
