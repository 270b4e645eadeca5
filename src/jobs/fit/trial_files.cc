#include "jobs/fit/trial_files.h"

#include <algorithm>

#include "base/file.h"
#include "base/format.h"

namespace burin::jobs {

using model::ShapeTimes;
using model::Sizes;

namespace {

void add_rows(const ShapeTimes& times, std::string& text) {
  for (std::size_t size = 0; size < times.sizes.size(); ++size) {
    for (std::size_t shape = 0; shape < times.shapes.size(); ++shape) {
      if (!times.has(size, shape)) continue;
      text += fmt::format("{},{},{:.6g}\n", fmt::join(times.sizes[size], ","),
                          fmt::join(times.shapes[shape], ","), times.time_us[size][shape]);
    }
  }
}

}  // namespace

Result<ShapeTimes> read_trials(const std::string& path, model::Repeats repeats) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Bytes bytes = file->bytes();
  Result<ShapeTimes> times =
      model::read_trials_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, repeats);
  if (!times) return times.error().within(path);
  return times;
}

Result<ShapeTimes> with_names(const ShapeTimes& times, const std::vector<std::string>& names,
                              const std::string& path) {
  std::vector<std::size_t> from;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(times.names, name);
    if (found == times.names.end()) {
      return Error{fmt::format("{}: a column for the spec's size {} is missing", path, name)};
    }
    from.push_back(static_cast<std::size_t>(found - times.names.begin()));
  }
  if (names.size() != times.names.size()) {
    return Error{fmt::format("{}: its sizes are {}, the spec's are {}", path,
                             fmt::join(times.names, ", "), fmt::join(names, ", "))};
  }
  ShapeTimes result;
  result.names = names;
  for (std::size_t size = 0; size < times.sizes.size(); ++size) {
    Sizes sizes;
    for (const std::size_t column : from) sizes.push_back(times.sizes[size][column]);
    for (std::size_t shape = 0; shape < times.shapes.size(); ++shape) {
      if (times.has(size, shape)) {
        result.add(sizes, times.shapes[shape], times.time_us[size][shape]);
      }
    }
  }
  return result.sorted();
}

std::string trials_text(const ShapeTimes& times, const ShapeTimes* predicted) {
  std::string text =
      fmt::format("{},block_x,block_y,block_z,time_us\n", fmt::join(times.names, ","));
  add_rows(times, text);
  if (predicted != nullptr) {
    text += "# predicted by the emulator\n";
    add_rows(*predicted, text);
  }
  return text;
}

}  // namespace burin::jobs
