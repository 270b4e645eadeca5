#include "runtime/history/refinement.h"

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
  collect();
  const bool more = state_.load(std::memory_order_relaxed) == State::kTiming &&
                    begun_ < count_ * kRounds && make_events(timings_[begun_]);
  if (!more) {
    shape = best();
    busy_.clear(std::memory_order_release);
    return false;
  }
  shape = shapes_[begun_ % count_];
  return true;
}

bool Refinement::make_events(Timing& timing) {
  if (timing.start == nullptr) timing.start = api_.create_event();
  if (timing.start != nullptr && timing.stop == nullptr) timing.stop = api_.create_event();
  if (timing.stop == nullptr) state_ = State::kAbandoned;
  return timing.stop != nullptr;
}

void Refinement::start(void* stream) {
  if (!api_.record_event(timings_[begun_].start, stream)) state_ = State::kAbandoned;
}

void Refinement::stop(void* stream) {
  if (api_.record_event(timings_[begun_].stop, stream)) {
    ++begun_;
  } else {
    state_ = State::kAbandoned;
  }
  busy_.clear(std::memory_order_release);
}

void Refinement::cancel() {
  busy_.clear(std::memory_order_release);
}

void Refinement::abandon() {
  best_ = 0;
  state_ = State::kAbandoned;
  busy_.clear(std::memory_order_release);
}

void Refinement::collect() {
  if (state_.load(std::memory_order_relaxed) != State::kTiming) return;
  for (; finished_ < begun_; ++finished_) {
    Timing& timing = timings_[finished_];
    switch (api_.elapsed(timing.start, timing.stop, timing.us)) {
      case CudaApi::EventState::kPending:
        return;
      case CudaApi::EventState::kFailed:
        state_ = State::kAbandoned;
        return;
      case CudaApi::EventState::kReady:
        break;
    }
    api_.destroy_event(timing.start);
    api_.destroy_event(timing.stop);
  }
  if (finished_ == count_ * kRounds) decide();
}

void Refinement::decide() {
  std::uint32_t best = 0;
  for (std::uint32_t shape = 1; shape < count_; ++shape) {
    bool wins = true;
    for (std::uint32_t round = 0; round < kRounds; ++round) {
      wins &= us_of(shape, round) < kClearWin * us_of(0, round);
    }
    if (wins && fastest_us(shape) < fastest_us(best)) best = shape;
  }
  best_ = best;
  state_ = State::kDone;
}

double Refinement::fastest_us(std::uint32_t shape) const {
  double fastest = us_of(shape, 0);
  for (std::uint32_t round = 1; round < kRounds; ++round) {
    fastest = std::min(fastest, us_of(shape, round));
  }
  return fastest;
}

bool Refinement::take_winner(Result& result) {
  State expected = State::kDone;
  if (!state_.compare_exchange_strong(expected, State::kTaken)) return false;
  const std::uint32_t best = best_.load(std::memory_order_relaxed);
  result = {shapes_[best], fastest_us(best), fastest_us(count_ - 1)};
  return true;
}

}  // namespace burin::runtime
