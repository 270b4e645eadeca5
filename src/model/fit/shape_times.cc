#include "model/fit/shape_times.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "formula/rational/names.h"

namespace burin::model {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Between the two values nearest to `share` of the way; `sorted` is not empty.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

template <typename T>
std::optional<T> number_of(std::string_view text) {
  T value{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view cell(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '"' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

class TrialsReader {
 public:
  explicit TrialsReader(Repeats repeats) : repeats_(repeats) {}

  Result<ShapeTimes> read(std::string_view text) {
    std::size_t number = 0;
    for (std::string_view line : split(text, '\n')) {
      ++number;
      line = line.substr(0, line.find_last_not_of(" \r\t") + 1);
      if (line.empty() || line[0] == '#') continue;
      const Result<void> done = columns_.empty() ? read_header(line) : read_row(line);
      if (!done) return Error{fmt::format("line {}: {}", number, done.error().message)};
    }
    if (columns_.empty()) return Error{"the file is empty: it needs a line with column names"};
    if (times_.sizes.empty()) return Error{"the file has no trials, only column names"};
    return times_.sorted(repeats_);
  }

 private:
  Result<void> read_header(std::string_view line) {
    for (const std::string_view part : split(line, ',')) {
      const std::string name(cell(part));
      if (std::ranges::find(columns_, name) != columns_.end()) {
        return Error{fmt::format("column {} occurs twice", name)};
      }
      columns_.push_back(name);
      const bool own = name.starts_with("block_") || name == "time_us";
      if (own && std::ranges::find(kOwn, name) == std::end(kOwn)) {
        return Error{fmt::format("\"{}\" is no column of trials", name)};
      }
      if (own) continue;
      if (!formula::is_identifier(name)) {
        return Error{fmt::format("\"{}\" is no name for a size", name)};
      }
      times_.names.push_back(name);
    }
    for (const char* needed : {"block_x", "time_us"}) {
      if (std::ranges::find(columns_, needed) == columns_.end()) {
        return Error{fmt::format(
            "column {} is missing: trials have block_x, block_y, block_z, time_us and one column "
            "for each size",
            needed)};
      }
    }
    if (times_.names.empty()) return Error{"there is no column for a size, such as n"};
    return {};
  }

  Result<void> read_row(std::string_view line) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != columns_.size()) {
      return Error{fmt::format("{} for {}", count_of(cells.size(), "value"),
                               count_of(columns_.size(), "column"))};
    }
    formula::Shape shape = {1, 1, 1};
    Sizes sizes;
    double us = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string_view text = cell(cells[i]);
      if (columns_[i] == "time_us") {
        const std::optional<double> value = number_of<double>(text);
        if (!value || !std::isfinite(*value) || *value <= 0) {
          return Error{fmt::format("time_us is \"{}\", not a positive time", text)};
        }
        us = *value;
        continue;
      }
      const std::optional<std::int64_t> value = number_of<std::int64_t>(text);
      if (!value || *value < 1) {
        return Error{fmt::format("{} is \"{}\", not a positive integer", columns_[i], text)};
      }
      if (!columns_[i].starts_with("block_")) {
        sizes.push_back(*value);
        continue;
      }
      if (*value > 1024) {
        return Error{
            fmt::format("{} is {}: a block has at most 1024 threads", columns_[i], *value)};
      }
      shape[static_cast<std::size_t>(columns_[i].back() - 'x')] =
          static_cast<std::uint32_t>(*value);
    }
    const std::uint64_t threads = std::uint64_t{shape[0]} * shape[1] * shape[2];
    if (threads > 1024 || shape[2] > 64) {
      return Error{fmt::format("a block of {} × {} × {} threads cannot be launched", shape[0],
                               shape[1], shape[2])};
    }
    times_.add(sizes, shape, us);
    return {};
  }

  static constexpr std::string_view kOwn[] = {"block_x", "block_y", "block_z", "time_us"};
  std::vector<std::string> columns_;
  Repeats repeats_;
  ShapeTimes times_;
};

}  // namespace

double log_work(const Sizes& sizes) {
  double sum = 0;
  for (const std::int64_t size : sizes) sum += std::log(static_cast<double>(size));
  return sum;
}

std::size_t ShapeTimes::best(std::size_t size) const {
  std::size_t best = shapes.size();
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!has(size, i)) continue;
    if (best == shapes.size() || time_us[size][i] < time_us[size][best]) best = i;
  }
  return best;
}

std::size_t ShapeTimes::sampled() const {
  std::size_t count = 0;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) count += has(size, shape) ? 1 : 0;
  }
  return count;
}

double ShapeTimes::time_of(const Sizes& at, const formula::Shape& shape) const {
  const auto size = static_cast<std::size_t>(std::ranges::find(sizes, at) - sizes.begin());
  const auto column = static_cast<std::size_t>(std::ranges::find(shapes, shape) - shapes.begin());
  return size < sizes.size() && column < shapes.size() ? time_us[size][column] : kNone;
}

void ShapeTimes::add(const Sizes& at, const formula::Shape& shape, double us) {
  const auto size = static_cast<std::size_t>(std::ranges::find(sizes, at) - sizes.begin());
  const auto column = static_cast<std::size_t>(std::ranges::find(shapes, shape) - shapes.begin());
  if (size == sizes.size()) {
    sizes.push_back(at);
    repeated_.emplace_back(shapes.size());
  }
  if (column == shapes.size()) {
    shapes.push_back(shape);
    for (auto& row : repeated_) row.emplace_back();
  }
  repeated_[size][column].push_back(us);
}

double combined(Repeats repeats, std::vector<double> times) {
  std::ranges::sort(times);
  if (repeats == Repeats::kMedian) return quantile(times, 0.5);
  const double third = quantile(times, 0.75);
  const double fence = third + 1.5 * (third - quantile(times, 0.25));
  const auto kept = std::ranges::upper_bound(times, fence);
  return std::accumulate(times.begin(), kept, 0.0) / static_cast<double>(kept - times.begin());
}

ShapeTimes ShapeTimes::sorted(Repeats repeats) const {
  std::vector<std::size_t> rows(sizes.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::sort(rows, [&](std::size_t a, std::size_t b) {
    return std::pair(log_work(sizes[a]), sizes[a]) < std::pair(log_work(sizes[b]), sizes[b]);
  });
  std::vector<std::size_t> columns(shapes.size());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::ranges::sort(columns, [&](std::size_t a, std::size_t b) { return shapes[a] < shapes[b]; });
  ShapeTimes result;
  result.names = names;
  for (const std::size_t column : columns) result.shapes.push_back(shapes[column]);
  for (const std::size_t row : rows) {
    result.sizes.push_back(sizes[row]);
    result.repeated_.emplace_back();
    std::vector<double>& single = result.time_us.emplace_back();
    for (const std::size_t column : columns) {
      const std::vector<double>& all = repeated_[row][column];
      single.push_back(all.empty() ? kNone : combined(repeats, all));
      result.repeated_.back().push_back(all);
    }
  }
  return result;
}

ShapeTimes ShapeTimes::only(const std::vector<std::size_t>& kept) const {
  ShapeTimes result;
  result.names = names;
  result.shapes = shapes;
  for (const std::size_t size : kept) {
    result.sizes.push_back(sizes[size]);
    result.time_us.push_back(time_us[size]);
    result.repeated_.push_back(repeated_[size]);
  }
  return result;
}

ShapeTimes ShapeTimes::promising() const {
  constexpr double kNear = 1.05;
  constexpr double kNearAtLarge = 1.35;
  ShapeTimes result;
  result.names = names;
  for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
    bool stays = false;
    for (std::size_t size = 0; size < sizes.size(); ++size) {
      if (!has(size, shape)) continue;
      const double limit = 2 * size >= sizes.size() ? kNearAtLarge : kNear;
      stays = stays || time_us[size][shape] <= limit * time_us[size][best(size)];
    }
    if (!stays) continue;
    for (std::size_t size = 0; size < sizes.size(); ++size) {
      if (has(size, shape)) result.add(sizes[size], shapes[shape], time_us[size][shape]);
    }
  }
  return result.sorted();
}

Result<ShapeTimes> read_trials_csv(std::string_view text, Repeats repeats) {
  return TrialsReader(repeats).read(text);
}

}  // namespace burin::model
