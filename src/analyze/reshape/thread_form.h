// A 32-bit value of a thread as an affine form of the thread's and the launch's coordinates:
//
//   constant + Σ over x, y, z of
//     a·threadIdx + b·(blockIdx·blockDim) + c·blockIdx + d·blockDim + e·gridDim +
//     f·(gridDim·blockDim)
//
// The form answers how a value changes when the launch gets another block shape with the same
// threads: a thread is known by its position, blockIdx·blockDim + threadIdx, along each axis. Where
// a = b and c … f are 0, the value depends on the position alone, so no shape changes it. f alone
// makes it depend on the number of threads.
//
//   ThreadForm i = form_sum(form_product(block_index, block_size, 0), thread_index, 1);
//   i.change(0)           ShapeChange::kNone: blockIdx.x * blockDim.x + threadIdx.x
//
// All coefficients are modulo 2^32, as the arithmetic is. What is not affine keeps only how it
// changes with the shape of each axis.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::analyze {

inline constexpr unsigned kAxes = 3;
inline constexpr std::array<char, kAxes> kAxisNames{'x', 'y', 'z'};

// What changes a value if the block shape changes along an axis, in order of severity.
enum class ShapeChange : std::uint8_t {
  kNone,         // nothing: it depends on the position alone
  kThreadCount,  // another number of threads
  kShape,        // another block size, even with the same number of threads
};

// How code uses the coordinates of an axis such that the block shape matters.
struct ShapeUse {
  enum class Kind : std::uint8_t {
    kNone,
    kThreadCount,   // gridDim * blockDim
    kScaledBlock,   // blockIdx * `factor` + threadIdx
    kThreadIndex,   // threadIdx without its block
    kBlockIndex,    // blockIdx without its threads
    kBlockSize,     // blockDim
    kGridSize,      // gridDim
    kUnknown,       // not followed
    kWarpPosition,  // the lane, the warp, the SM or the time
  };
  Kind kind = Kind::kNone;
  std::uint32_t factor = 0;                    // for kScaledBlock
  std::uint32_t instruction = read::kNoIndex;  // that combines them, or reads them
};

struct AxisForm {
  enum Term : std::uint8_t {
    kThread,      // threadIdx
    kBlockStart,  // blockIdx * blockDim
    kBlock,       // blockIdx
    kBlockSize,   // blockDim
    kGridSize,    // gridDim
    kThreads,     // gridDim * blockDim
  };
  static constexpr unsigned kTerms = 6;
  std::array<std::uint32_t, kTerms> factors{};
  ShapeChange bent = ShapeChange::kNone;  // of the part that is not affine
  ShapeUse use{};                         // of that part

  bool constant() const { return factors == decltype(factors){}; }
  // A multiple of the position and nothing else.
  bool of_position() const;
  ShapeChange change() const;
};

struct ThreadForm {
  bool reached = false;  // false: no value yet, in an analysis that has not ended
  bool known = true;     // false: plus a part that is not affine
  std::uint32_t constant = 0;
  std::uint32_t instruction = read::kNoIndex;  // that combined its terms
  std::array<AxisForm, kAxes> axes{};

  bool is_constant() const;  // a number, the same in all threads
  ShapeChange change(unsigned axis) const { return axes[axis].change(); }
  // Why it changes; for the affine part, told from its factors.
  ShapeUse use(unsigned axis) const;
  bool same_value(const ThreadForm& other) const;
};

ThreadForm constant_form(std::uint32_t value);
ThreadForm term_form(unsigned axis, AxisForm::Term term, std::uint32_t instruction);
// A value that no shape changes, of which nothing else is known.
ThreadForm unknown_form();
// A value that changes with every axis: kWarpPosition, such as the number of the lane, or kUnknown.
ThreadForm changing_form(ShapeUse::Kind kind, std::uint32_t instruction);

ThreadForm form_sum(const ThreadForm& a, const ThreadForm& b, std::uint32_t instruction);
ThreadForm form_scaled(const ThreadForm& a, std::uint32_t factor);
ThreadForm form_product(const ThreadForm& a, const ThreadForm& b, std::uint32_t instruction);
// Some function of both that is not affine.
ThreadForm form_bent(const ThreadForm& a, const ThreadForm& b);
// One or the other, depending on a path that no shape changes.
ThreadForm form_either(const ThreadForm& a, const ThreadForm& b);

// The positions that are considered along each axis, and with them the values of a form.
struct Positions {
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  std::array<Range, kAxes> position{};
  std::array<std::int64_t, kAxes> most{};  // threads along each axis, in any shape
};
// Empty where the form is not affine, or wraps around at 2^31.
std::optional<Positions::Range> form_range(const ThreadForm& form, const Positions& positions);
// All positions of the launch in any block shape: rounding up to whole blocks adds some.
Positions all_positions(const launch::Launch& launch);

}  // namespace burin::analyze
