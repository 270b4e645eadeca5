// Progress of a job, reported to its caller: a command line, a server, a Python module.
//
//   Progress progress{
//       .on_step = [](std::string_view doing, std::size_t done, std::size_t all) {…}};
//   predict_launch(request, progress);
//
// Both functions may be empty. They are called by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>

namespace burin::jobs {

struct Progress {
  // `all`: 0 if not known.
  std::function<void(std::string_view doing, std::size_t done, std::size_t all)> on_step{};
  std::function<void()> on_done{};  // the last reported work has ended

  void step(std::string_view doing, std::size_t done, std::size_t all) const {
    if (on_step) on_step(doing, done, all);
  }
  void done() const {
    if (on_done) on_done();
  }
};

// Returns a function that reports how many warp instructions have been executed. It may be called
// from any thread, as long as `progress` exists.
inline std::function<void(std::uint64_t executed)> heartbeat_of(const Progress& progress) {
  if (!progress.on_step) return {};
  return [&progress, mutex = std::make_shared<std::mutex>()](std::uint64_t executed) {
    const std::lock_guard lock(*mutex);
    progress.step("executing: million warp instructions", executed / 1'000'000, 0);
  };
}

}  // namespace burin::jobs
