// Measures where burin itself spends its time. A Timed at the top of a scope adds the scope's wall
// time to a named total; `--timings` prints the totals when the command ends.
//
//   Result<Image> read_image(...) {
//     Timed timed("read image");
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace burin {

struct Timing {
  std::string name;
  std::uint64_t calls = 0;
  double seconds = 0;
};

class Timed {
 public:
  explicit Timed(std::string_view name) : name_(name), start_(Clock::now()) {}
  ~Timed();
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  std::string_view name_;  // must outlive the scope, e.g. a string literal
  Clock::time_point start_;
};

// All totals so far, in order of first use. This function and Timed may be used from any thread.
std::vector<Timing> timings();

}  // namespace burin
