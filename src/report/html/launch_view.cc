#include "report/html/launch_view.h"

#include "read/program/names.h"
#include "report/html/timeline_json.h"

namespace burin::report {

void write_launch_view(Json& json, const LaunchView& view) {
  json.open('[');
  if (view.predict != nullptr) {
    json.open('{');
    write_prediction_json(json, *view.predict, view.file);
    if (view.measured_us) json.field("recorded_us", *view.measured_us);
    json.open("occupancy_limits", '[');
    for (const machine::Occupancy::Limit& limit : view.predict->prediction.occupancy.limits) {
      if (limit.blocks == machine::Occupancy::kUnlimited) continue;
      json.open('{');
      json.field("name", limit.name);
      json.field("blocks", limit.blocks);
      json.close();
    }
    json.close();
    json.field("max_warps", view.predict->machine.limit.warps);
    json.close();
  }
  if (view.explain != nullptr) write_explanation_json(json, *view.explain, view.file);
  if (view.advise != nullptr) write_advice_json(json, *view.advise);
  write_code_json(json, view.code);
  if (view.predict != nullptr && !view.predict->prediction.timeline.intervals.empty()) {
    write_timeline_json(json, view.predict->prediction.timeline);
  }
  json.close();
}

std::string title_of(const LaunchView& view) {
  std::string title(read::bare_name(view.code.kernel.function->demangled));
  if (view.predict != nullptr) title += " on " + view.predict->machine.name;
  return title;
}

}  // namespace burin::report
