// Progress as one line on a terminal, from the steps that a job reports:
//
//   predicting launch 34 of 120  8.2/s  11 s left
//   executing: million warp instructions 96  31/s  3 s
//
// The line appears when the work takes longer than a moment and repaints itself, so that the time
// goes on where a step takes long. Nothing is shown where standard error is not a terminal.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace burin::app {

// One kind of work: steps with the same total that count up.
struct WorkPhase {
  std::string doing{};
  std::size_t done = 0;
  std::size_t all = 0;    // 0: not known
  std::size_t first = 0;  // `done` when the phase began
  double began = 0;       // seconds

  // The steps of another kind of work begin a new phase.
  void step(std::string_view what, std::size_t now_done, std::size_t of, double now);
};

// The line at `now`, not longer than `width` columns (0: any). Rate and time left are shown once
// the phase has run for a second.
std::string progress_text(const WorkPhase& phase, double now, std::size_t width);

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void step(std::string_view doing, std::size_t done, std::size_t all);
  void clear();  // until the next step

 private:
  void repaint();  // the thread
  void paint(double now);
  void wipe();

  bool is_terminal_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
  WorkPhase phase_;
  double first_step_ = 0;  // seconds; 0: none since the last clear()
  double painted_ = 0;
  bool shown_ = false;
  bool ended_ = false;
};

}  // namespace burin::app
