// A launch of the first kernel of a cubin, for the fuzz targets of what burin computes: every
// parameter of 8 bytes is a buffer, one of 4 bytes a number, others are 0. Nothing where the bytes
// hold no kernel that burin executes.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "jobs/input/load_kernel.h"
#include "launch/launch.h"
#include "machine/load.h"

namespace burin::fuzz {

inline constexpr std::uint64_t kMaxInstructions = 20'000;  // executed for one input
inline constexpr double kMaxSeconds = 10;

struct Launched {
  std::unique_ptr<jobs::ChosenKernel> code;
  launch::Launch launch;
};

inline std::optional<Launched> launch_first(Bytes data) {
  const Result<read::Container> container = read::open_container(data);
  if (!container) return std::nullopt;
  for (const read::Entry& entry : container->entries) {
    if (!jobs::is_executed(entry.arch)) continue;
    Launched made{.code = std::make_unique<jobs::ChosenKernel>(), .launch = {}};
    Result<read::Image> image = read::load(entry);
    if (!image) continue;
    made.code->image = std::move(*image);
    for (const read::Function& function : made.code->image.functions) {
      if (!function.is_kernel) continue;
      Result<read::Kernel> kernel = read::build_kernel(made.code->image, function);
      if (!kernel) continue;
      made.code->kernel = std::move(*kernel);
      std::vector<std::string> texts;
      for (const read::Parameter& p : function.parameters) {
        texts.push_back(p.size == 8   ? "buf:4096:f32"
                        : p.size == 4 ? "i32:100"
                                      : "hex:" + std::string(2 * std::size_t{p.size}, '0'));
      }
      Result<std::vector<launch::Argument>> arguments = launch::parse_arguments(texts);
      if (!arguments) continue;
      made.launch = {.grid = {3}, .block = {64}, .arguments = std::move(*arguments)};
      if (launch::check_launch(made.launch, function)) return made;
    }
  }
  return std::nullopt;
}

inline const machine::Machine& fuzz_machine(const read::Architecture& arch) {
  static const machine::Machine kA100 = *machine::load_machine("a100");
  static const machine::Machine kH200 = *machine::load_machine("h200");
  return arch.sm < 90 ? kA100 : kH200;
}

// Ends the process where an input takes too long: no input may.
class TimeLimit {
 public:
  ~TimeLimit() {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (spent.count() <= kMaxSeconds) return;
    std::fprintf(stderr, "the input took %.1f s\n", spent.count());
    std::abort();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace burin::fuzz
