// Times of a kernel over problem sizes and block shapes: what a launch shape is chosen from.
//
//   n,block_x,block_y,block_z,time_us
//   4096,32,1,1,2.1
//   4096,256,1,1,1.9
//
//   Result<ShapeTimes> times = read_trials_csv(text);
//   times->sizes            {{4096}}
//   times->shapes           {{32, 1, 1}, {256, 1, 1}}
//   times->time_us[0][1]    1.9
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/rational/rational_program.h"

namespace burin::model {

using Sizes = std::vector<std::int64_t>;  // one value per name

// What counts of several times of one size and shape.
enum class Repeats : std::uint8_t {
  kMedian,
  kFenced,  // the mean without outliers, as KLARAPTOR has it: those above Q3 + 1.5 (Q3 − Q1)
};
double combined(Repeats repeats, std::vector<double> times);  // not empty

struct ShapeTimes {
  std::vector<std::string> names;  // of the sizes
  std::vector<Sizes> sizes;        // those sampled, by their product, then by value
  std::vector<formula::Shape> shapes;
  std::vector<std::vector<double>> time_us;  // [size][shape]; NaN: not sampled

  bool has(std::size_t size, std::size_t shape) const { return !std::isnan(time_us[size][shape]); }
  // The fastest shape of a size; shapes.size() if none was sampled.
  std::size_t best(std::size_t size) const;
  std::size_t sampled() const;  // how many times there are
  // NaN where the shape was not sampled at that size.
  double time_of(const Sizes& at, const formula::Shape& shape) const;

  // Adds one time; several for one size and shape are combined by sorted().
  void add(const Sizes& at, const formula::Shape& shape, double us);
  // With sizes and shapes in order, and one time for each.
  ShapeTimes sorted(Repeats repeats = Repeats::kMedian) const;
  // Only those sizes.
  ShapeTimes only(const std::vector<std::size_t>& kept) const;
  // Without shapes that are far from the fastest: those within 5 % at some size, or within 35 % at
  // one of the larger half of the sizes, stay.
  ShapeTimes promising() const;

 private:
  std::vector<std::vector<std::vector<double>>> repeated_;  // [size][shape]: the times added
};

// Columns block_x, time_us and at least one size are needed; block_y and block_z are 1 where they
// are missing; every other column is a size. An Error names the line.
Result<ShapeTimes> read_trials_csv(std::string_view text, Repeats repeats = Repeats::kMedian);

// log of the product of the sizes: how much work there is.
double log_work(const Sizes& sizes);

}  // namespace burin::model
