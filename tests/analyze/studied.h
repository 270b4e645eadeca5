// A launch of the corpus as analyze/ sees it, on an h200.
//
//   Studied chain("bound_arithmetic", "logistic", {.grid = {132}, .block = {128}, …});
//   chain.study().base().cycles
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "analyze/study/study.h"
#include "timing/timed_launch.h"

namespace burin::analyze {

class Studied {
 public:
  explicit Studied(const std::string& line, std::uint32_t seed = 0) : launch_(line) {
    options_.seed = seed;
    open();
  }
  Studied(const std::string& file, const std::string& kernel,
          const timing::TimedLaunch::Shape& shape)
      : launch_(file, kernel, shape) {
    open();
  }

  const Study& study() const { return *study_; }
  const timing::TimedLaunch& launch() const { return launch_; }
  const machine::Machine& machine() const { return machine_; }
  read::InstructionSet executed() const {
    read::InstructionSet all;
    for (const timing::InstructionCost& cost : study_->base().costs)
      all.push_back(cost.issued > 0 ? 1 : 0);
    return all;
  }

 private:
  void open() {
    Result<std::unique_ptr<Study>> study =
        Study::open(launch_.kernel(), launch_.launch(), machine_, options_);
    if (!study) throw std::runtime_error(study.error().message);
    study_ = std::move(*study);
  }

  timing::TimedLaunch launch_;
  machine::Machine machine_ = timing::h200();
  timing::PredictOptions options_{};
  std::unique_ptr<Study> study_;
};

// A chain of FFMA, each of which needs the one before, one warp per scheduler.
inline Studied fma_chain() {
  return Studied(
      "bound_arithmetic", "logistic",
      {.grid = {132}, .block = {128}, .arguments = {"buf:67584:undef", "f32:0.75", "i32:4000"}});
}
// A stream through memory that no cache holds.
inline Studied stream() {
  return Studied("stream", "triad",
                 {.grid = {1056},
                  .block = {256},
                  .arguments = {"buf:80000000:undef", "buf:80000000:f64", "buf:80000000:f64",
                                "f64:0.75", "i32:10000000"}});
}
// Atomics of all threads on so few words.
inline Studied contended(unsigned words) {
  return Studied("bound_atomics", "add_to_some",
                 {.grid = {1056},
                  .block = {256},
                  .arguments = {"buf:1200:zero", "i32:" + std::to_string(words), "i32:8"}});
}

}  // namespace burin::analyze
