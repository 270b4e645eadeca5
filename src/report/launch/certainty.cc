#include "report/launch/certainty.h"

#include "base/numbers.h"

namespace burin::report {

std::string interval_text(double low_us, double high_us) {
  return time_range(low_us, high_us) + " for 80 % of such launches";
}

void write_interval(Output& out, const timing::Certainty& certainty) {
  if (certainty.high_us <= 0) return;
  out.put("Interval: ", interval_text(certainty.low_us, certainty.high_us), ".\n");
  if (!certainty.validation.empty()) out.put("Machine file: ", certainty.validation, ".\n");
  if (!certainty.defer) return;
  out.put(Style::kBad, "Measure this launch instead", Style::kPlain, ": ", certainty.reason, ".\n");
}

void write_certainty(Json& json, const timing::Certainty& certainty) {
  if (certainty.high_us <= 0) return;
  json.open("certainty", '{');
  json.field("low_us", certainty.low_us);
  json.field("high_us", certainty.high_us);
  json.field("kind", certainty.kind);
  json.field("approximated_share", certainty.approximated_share);
  json.field("defer", certainty.defer);
  if (certainty.defer) json.field("reason", certainty.reason);
  if (!certainty.validation.empty()) json.field("validation", certainty.validation);
  json.close();
}

}  // namespace burin::report
