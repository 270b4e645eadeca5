// Progress of a job, reported to its caller: a command line, a server, a Python module.
//
//   Progress progress{
//       .on_step = [](std::string_view doing, std::size_t done, std::size_t all) {…}};
//   predict_launch(request, progress);
//
// Both functions may be empty. They are called on the thread that runs the job.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace burin::jobs {

struct Progress {
  std::function<void(std::string_view doing, std::size_t done, std::size_t all)> on_step{};
  std::function<void()> on_done{};  // the last reported work has ended

  void step(std::string_view doing, std::size_t done, std::size_t all) const {
    if (on_step) on_step(doing, done, all);
  }
  void done() const {
    if (on_done) on_done();
  }
};

}  // namespace burin::jobs
