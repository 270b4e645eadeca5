#include "runtime/refinement.h"

#include <algorithm>

namespace burin::runtime {

Refinement::Refinement(std::span<const LaunchShape> shapes, const CudaApi& api, std::uint64_t key)
    : api_(api), key_(key) {
  count_ = static_cast<std::uint32_t>(std::min(shapes.size(), kMaxShapes));
  std::copy_n(shapes.begin(), count_, shapes_.begin());
  if (api_.create_event == nullptr || count_ < 2) state_ = State::kAbandoned;
}

bool Refinement::begin(LaunchShape& shape) {
  shape = best();
  if (state_.load(std::memory_order_relaxed) != State::kTiming) return false;
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  if (start_ == nullptr) {
    start_ = api_.create_event();
    stop_ = start_ == nullptr ? nullptr : api_.create_event();
    if (stop_ == nullptr) state_ = State::kAbandoned;
  }
  collect();
  if (in_flight_ || state_.load(std::memory_order_relaxed) != State::kTiming) {
    shape = best();
    busy_.clear(std::memory_order_release);
    return false;
  }
  shape = shapes_[timings_ % count_];  // round robin, so that slow changes of clocks hit all alike
  return true;
}

void Refinement::start(void* stream) {
  if (!api_.record_event(start_, stream)) state_ = State::kAbandoned;
}

void Refinement::stop(void* stream) {
  in_flight_ = api_.record_event(stop_, stream);
  if (!in_flight_) state_ = State::kAbandoned;
  busy_.clear(std::memory_order_release);
}

void Refinement::cancel() {
  busy_.clear(std::memory_order_release);
}

void Refinement::abandon() {
  best_ = 0;
  in_flight_ = false;
  state_ = State::kAbandoned;
  busy_.clear(std::memory_order_release);
}

void Refinement::collect() {
  if (!in_flight_) return;
  double us = 0;
  switch (api_.elapsed(start_, stop_, us)) {
    case CudaApi::EventState::kPending:
      return;
    case CudaApi::EventState::kFailed:
      state_ = State::kAbandoned;
      return;
    case CudaApi::EventState::kReady:
      break;
  }
  in_flight_ = false;
  times_us_[timings_ % count_][timings_ / count_] = us;
  if (++timings_ == count_ * kRounds) finish();
}

void Refinement::finish() {
  std::uint32_t best = 0;
  for (std::uint32_t shape = 1; shape < count_; ++shape) {
    bool wins = true;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      wins &= times_us_[shape][round] < kClearWin * times_us_[0][round];
    }
    if (wins && fastest_us(shape) < fastest_us(best)) best = shape;
  }
  best_ = best;
  state_ = State::kDone;
}

double Refinement::fastest_us(std::uint32_t shape) const {
  return *std::min_element(times_us_[shape].begin(), times_us_[shape].end());
}

bool Refinement::take_winner(Result& result) {
  State expected = State::kDone;
  if (!state_.compare_exchange_strong(expected, State::kTaken)) return false;
  const std::uint32_t best = best_.load(std::memory_order_relaxed);
  result = {shapes_[best], fastest_us(best), fastest_us(count_ - 1)};
  return true;
}

}  // namespace burin::runtime
