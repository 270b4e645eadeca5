// A kernel of the program together with its rational program, ready for choosing on one device.
//
//   Result<PreparedKernel> kernel = PreparedKernel::prepare(file, kernel_facts, device_facts);
//   PreparedKernel::RawSizes raw;                     // the arguments that the sizes depend on
//   kernel->read(arguments, raw)                      // a few nanoseconds
//   PreparedKernel::Outcome outcome;
//   kernel->choose(arguments, own, outcome);          // microseconds; allocates nothing
//   outcome.changed       the launch to make is outcome.shape
//   outcome.reason        else why not, or null if the program's own shape is the best
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formula/rational/chooser.h"
#include "runtime/launch/cuda_api.h"
#include "runtime/launch/launch_limits.h"
#include "runtime/launch/launch_shape.h"
#include "runtime/launch/own_grid.h"
#include "runtime/launch/packed_shape.h"
#include "runtime/launch/program_files.h"

namespace burin::runtime {

class PreparedKernel {
 public:
  static constexpr std::size_t kMaxRawSizes = 8;  // arguments that the sizes of a program read
  static constexpr std::size_t kMaxSizes = 16;
  static constexpr std::size_t kMaxAlternatives = 4;

  using RawSizes = std::array<std::uint64_t, kMaxRawSizes>;  // unused ones are 0

  struct Outcome {
    bool changed = false;
    LaunchShape shape;
    const char* reason = nullptr;
    formula::Grade grade = formula::Grade::kInside;
    double predicted_us = 0;
    std::array<std::int64_t, kMaxSizes> sizes = {};
    std::size_t size_count = 0;
    // What refinement may try, the best first; shape is the first of them.
    std::array<LaunchShape, kMaxAlternatives> alternatives = {};
    std::size_t alternative_count = 0;
  };

  static Result<PreparedKernel> prepare(const ProgramFile& file, const KernelFacts& kernel,
                                        const DeviceFacts& device);

  const ProgramFile& file() const { return *file_; }
  const DeviceFacts& device() const { return device_; }

  // For the same by one word.
  ArgumentRecipe recipe() const;
  // False if the arguments are not where the program says: a buffer that is too short.
  bool read(const Arguments& arguments, RawSizes& raw) const;

  void choose(const Arguments& arguments, const LaunchShape& own, Outcome& outcome) const;

  // The launch with the given block, which must be a shape of the rational program. False if it is
  // not one, or exceeds a limit.
  bool with_block(const Outcome& outcome, const LaunchShape& own, const Extent& block,
                  LaunchShape& shape) const;

 private:
  struct RawSize {
    std::uint32_t parameter = 0;
    std::uint32_t offset = 0;  // in the parameter
    std::uint32_t bytes = 0;   // 4 or 8
  };

  explicit PreparedKernel(const ProgramFile& file, formula::Chooser chooser,
                          formula::SizeReader sizes, OwnGrid own_grid)
      : file_(&file),
        chooser_(std::move(chooser)),
        sizes_(std::move(sizes)),
        own_grid_(std::move(own_grid)) {}

  Result<void> find_raw_sizes();
  Limits limits_for(const LaunchShape& own) const;
  formula::Question question(const Outcome& outcome, const LaunchShape& own) const;
  bool read_sizes(const Arguments& arguments, const LaunchShape& own, Outcome& outcome) const;

  const ProgramFile* file_;
  DeviceFacts device_;
  Limits limits_;
  formula::Chooser chooser_;
  formula::SizeReader sizes_;
  OwnGrid own_grid_;
  std::vector<RawSize> raw_sizes_;
  int device_index_ = -1;       // in the rational program; -1: not among its devices
  std::vector<double> inputs_;  // hardware values of a device that is not
};

}  // namespace burin::runtime
