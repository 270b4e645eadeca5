// A rational program prepared for choosing: nothing is allocated per choice, and several threads
// may choose at once.
//
//   Result<Chooser> chooser = Chooser::prepare(*program);
//   const int device = chooser->device("NVIDIA H200", 9, 0);        // -1: not among its devices
//   const std::int64_t sizes[] = {4096};
//   Choice choice;
//   if (chooser->choose({.sizes = sizes, .device = device}, choice)) …
//   choice.block         {256, 1, 1}
//   choice.grid          {16, 1, 1}
//   choice.grade         Grade::kInside
//
// choose() is false where the program has no answer: no shape satisfies the constraints, or an
// expression has no value for these sizes (division by zero, overflow).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/evaluator.h"
#include "formula/rational/rational_program.h"

namespace burin::formula {

enum class Grade : std::uint8_t {
  kInside,         // a device and sizes that the table was trained for
  kExtrapolated,   // sizes outside
  kUnknownDevice,  // a device without a table
};
std::string_view name_of(Grade grade);  // "inside", "extrapolated", "unknown device"

struct Question {
  std::span<const std::int64_t> sizes;             // in the program's order
  int device = -1;                                 // index into the program's devices
  std::span<const double> inputs = {};             // of the device, if that is -1
  std::array<std::int64_t, 3> launch = {1, 1, 1};  // threads of the program's own launch
  std::int64_t smem = 0;                           // dynamic shared memory of that launch, bytes
};

struct Choice {
  std::uint32_t shape = 0;  // index into the program's shapes
  Shape block = {1, 1, 1};
  bool has_grid = false;
  Shape grid = {1, 1, 1};
  std::uint64_t shared_bytes = 0;  // dynamic
  double predicted_us = 0;         // NaN where the program has no time for it
  Grade grade = Grade::kInside;
  // The best shapes that are allowed, best first; the first is the choice.
  std::array<std::uint32_t, kMaxRanked> ranked = {};
  std::uint32_t ranked_count = 0;
};

class Chooser {
 public:
  static Result<Chooser> prepare(RationalProgram program);

  const RationalProgram& program() const { return program_; }

  // The device of that name and compute capability, or one with a name for it: a table for "h200"
  // serves "NVIDIA H200". Else -1.
  int device(std::string_view name, unsigned major, unsigned minor) const;

  bool choose(const Question& question, Choice& choice) const;
  // Grid, shared memory and time of one shape; false where the constraints forbid it.
  bool apply(const Question& question, std::uint32_t shape, Choice& choice) const;

 private:
  struct Formula {
    Evaluator evaluator;
    std::uint32_t slot = 0;  // of its value, if it has one
  };
  struct Frame;  // the values of all names, on the stack of a call

  bool fill_sizes(const Question& question, Frame& frame) const;
  bool fill_shape(std::uint32_t shape, Frame& frame) const;  // false: not allowed
  bool time_of(Frame& frame, double& us) const;
  void rank_all(Frame& frame, Choice& choice) const;
  bool finish(std::uint32_t shape, Frame& frame, Choice& choice) const;
  const TableNode* leaf(const DeviceTable& device, const Frame& frame) const;

  RationalProgram program_;
  std::vector<Formula> axes_;
  std::vector<Formula> grid_;
  std::vector<Formula> shared_;
  std::vector<Formula> constraints_;
  std::vector<Formula> fixed_;    // definitions that do not depend on the shape
  std::vector<Formula> varying_;  // definitions that do
  std::vector<Formula> time_;
  std::uint32_t slots_ = 0;
};

// The sizes of a launch, read from its arguments.
class SizeReader {
 public:
  struct OwnLaunch {
    Shape grid = {1, 1, 1};
    Shape block = {1, 1, 1};
    std::uint64_t smem = 0;
  };

  static Result<SizeReader> prepare(const RationalProgram& program);

  std::size_t count() const { return formulas_.size(); }

  // `arguments` points to each parameter's bytes, as cuLaunchKernel takes them. False where a size
  // has no value or is not positive.
  bool read(std::span<const void* const> arguments, const OwnLaunch& launch,
            std::span<std::int64_t> sizes) const;

 private:
  struct Argument {
    std::uint32_t parameter = 0;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    bool is_signed = false;
  };
  std::vector<Argument> arguments_;
  std::vector<Evaluator> formulas_;
};

}  // namespace burin::formula
