#include "jobs/carve/survivors.h"

#include <algorithm>
#include <map>

#include "base/format.h"

namespace burin::jobs {

Result<std::vector<tune::Trial>> measure_points(tune::Lab& lab,
                                                const std::vector<tune::Point>& points,
                                                const Progress& progress) {
  std::map<tune::Point, tune::Trial> trials;
  std::size_t started = 0;
  for (std::size_t ended = 0; ended < points.size(); ++ended) {
    for (; started < points.size() && started < ended + lab.width(); ++started) {
      lab.submit(points[started], {});
    }
    Result<tune::Trial> trial = lab.wait();
    if (!trial) return trial.error();
    trials[trial->point] = std::move(*trial);
    progress.step("measured: configuration", ended + 1, points.size());
  }
  progress.done();
  std::vector<tune::Trial> ordered;
  for (const tune::Point& point : points) ordered.push_back(std::move(trials[point]));
  return ordered;
}

Result<RecordedTimes> recorded_times(const tune::RecordedSpace& recorded, const CarvedSize& size) {
  // Where the recording has each parameter, and each of its values.
  std::vector<std::size_t> place;
  std::vector<std::map<std::string, std::uint16_t>> values;
  const auto parameters = recorded.space.parameters();
  for (const tune::Parameter& parameter : size.space.parameters()) {
    const auto found = std::ranges::find(parameters, parameter.name, &tune::Parameter::name);
    if (found == parameters.end()) {
      return Error{fmt::format("the recorded space has no parameter '{}'", parameter.name)};
    }
    place.push_back(static_cast<std::size_t>(found - parameters.begin()));
    auto& of = values.emplace_back();
    for (std::size_t v = 0; v < found->values.size(); ++v) {
      of[formula::plain_text(found->values[v])] = static_cast<std::uint16_t>(v);
    }
  }
  RecordedTimes times;
  for (const model::Counted& counted : size.counted) {
    tune::Point point(parameters.size(), 0);
    bool known = true;
    for (std::size_t p = 0; p < place.size(); ++p) {
      const auto value = values[p].find(formula::plain_text(size.space.value(counted.point, p)));
      known = known && value != values[p].end();
      if (known) point[place[p]] = value->second;
    }
    if (!known || !recorded.space.contains(point)) {
      return Error{fmt::format("the recorded space has no configuration {}",
                               tune::describe(size.space, counted.point))};
    }
    const tune::RecordedPoint& found = recorded.at(point);
    times.times_us.push_back(found.time_us);
    times.costs.push_back(found.cost_seconds());
  }
  return times;
}

}  // namespace burin::jobs
