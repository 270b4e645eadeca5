// Online refinement of one launch (kernel, sizes, device): alternatives are timed over repeated
// launches of the program, each a launch that the program wants anyway, so results stay right.
//
//   Refinement refinement(alternatives, api);
//   LaunchShape shape;
//   const bool timed = refinement.begin(shape);     // the shape of this launch
//   if (timed) refinement.start(stream);
//   …launch…
//   if (timed) refinement.stop(stream);
//   if (refinement.take_winner(winner)) …            // once, when all are timed
//
// A program queues launches long before the GPU runs them, so timings are begun without waiting for
// those before; once all are begun, launches use the best shape known. Nothing waits for the GPU.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "runtime/launch/cuda_api.h"
#include "runtime/launch/launch_shape.h"

namespace burin::runtime {

class Refinement {
 public:
  static constexpr std::size_t kMaxShapes = 5;
  // Each shape is timed once per round. Another shape than the first must beat it clearly in every
  // round: times of a few microseconds are mostly the time between event and launch.
  static constexpr std::uint32_t kRounds = 6;
  static constexpr double kClearWin = 0.97;  // of the first shape's time in the same round

  struct Result {
    LaunchShape shape;
    double time_us = 0;  // the fastest of all rounds
    double last_us = 0;  // of the last alternative, which is the program's own shape
  };

  // At most kMaxShapes are used. The first is the best shape known at the start.
  // `key` is only kept.
  Refinement(std::span<const LaunchShape> shapes, const CudaApi& api, std::uint64_t key = 0);

  const LaunchShape& best() const { return shapes_[best_.load(std::memory_order_relaxed)]; }
  std::uint64_t key() const { return key_; }

  bool begin(LaunchShape& shape);
  void start(void* stream);
  void stop(void* stream);
  void cancel();   // instead of start() and stop(): there is no launch
  void abandon();  // after a launch that failed: nothing more is timed

  // True once, for one caller, after the last timing. False for ever if timing failed.
  bool take_winner(Result& result);

 private:
  enum class State : std::uint32_t { kTiming, kDone, kTaken, kAbandoned };

  struct Timing {
    void* start = nullptr;
    void* stop = nullptr;
    double us = 0;
  };

  bool make_events(Timing& timing);
  void collect();  // the timings that are ready
  void decide();
  double fastest_us(std::uint32_t shape) const;

  std::array<LaunchShape, kMaxShapes> shapes_ = {};
  std::uint32_t count_ = 0;
  CudaApi api_;
  std::uint64_t key_ = 0;
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;  // held from begin() that returns true to stop()
  std::atomic<std::uint32_t> best_{0};
  std::atomic<State> state_{State::kTiming};

  // Guarded by busy_.
  double us_of(std::uint32_t shape, std::uint32_t round) const {
    return timings_[round * count_ + shape].us;
  }

  // Guarded by busy_. Events live from a timing's begin to its end. Round robin, so that slow
  // changes of clocks hit all shapes alike.
  std::array<Timing, kMaxShapes * kRounds> timings_ = {};
  std::uint32_t begun_ = 0;
  std::uint32_t finished_ = 0;
};

}  // namespace burin::runtime
