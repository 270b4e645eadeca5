// How the times of the shapes go on beyond the largest size that was sampled.
//
// Every model says time = slope · reference + offset for each shape, where the reference is the
// time of the fastest shape at the same size: how the time grows with the sizes is left to the
// reference, and what remains is which shape is how much slower. They differ in how they estimate
// slope and offset from the samples:
//
//   largest     the ratio at the largest size sampled, no offset: "the best shape of the nearest
//   size" weighted    the mean ratio, larger sizes counting more, no offset line        a line
//   through the times, larger sizes counting more: what a launch costs beside its
//               work (start, tail of the last wave) shrinks as the work grows
//
//   RankModel model = fit_rank_model(RankKind::kLine, times);
//   model.time_us(3, reference_us)
//
// Which one serves a kernel is decided by sizes that are left out: judge_rank_model().
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/fit/shape_times.h"

namespace burin::model {

enum class RankKind : std::uint8_t { kLargest, kWeighted, kLine };
std::string_view name_of(RankKind kind);
std::span<const RankKind> rank_kinds();  // the simplest first

struct RankModel {
  RankKind kind = RankKind::kLargest;
  std::vector<double> slope;      // per shape; infinite: no sample tells anything of it
  std::vector<double> offset_us;  // per shape

  double time_us(std::size_t shape, double reference_us) const {
    return slope[shape] * reference_us + offset_us[shape];
  }
  // The shape of the smallest time.
  std::size_t best(double reference_us) const;
};

RankModel fit_rank_model(RankKind kind, const ShapeTimes& times);

// How good the shapes are that a model chooses at sizes it has not seen: each of the largest sizes
// is left out together with all larger ones.
struct RankQuality {
  RankKind kind = RankKind::kLargest;
  double mean = 0;   // geometric mean of (fastest time ÷ time of the chosen shape)
  double worst = 0;  // the smallest
  double error = 0;  // median |predicted ratio ÷ measured − 1| of shapes within 1.5 of the fastest
  std::size_t cases = 0;
};
RankQuality judge_rank_model(RankKind kind, const ShapeTimes& times);

}  // namespace burin::model
