#include "report/saturate/saturate.h"
#include "report/tune/tune.h"

namespace burin::report {
namespace {

void write_sample(Json& json, const model::SizeSample& sample, const model::Saturation& found,
                  std::size_t index) {
  json.open('{');
  json.field("size", sample.size);
  json.field("work", sample.work);
  json.field("time_us", sample.time_us);
  json.field("throughput", sample.throughput());
  if (!found.share.empty()) json.field("of_plateau", found.share[index]);
  json.field("in_regime", static_cast<bool>(found.in_regime[index]));
  if (sample.waves > 0) json.field("waves", sample.waves);
  json.field("working_set_bytes", sample.working_set_bytes);
  if (sample.l2_hit_rate) json.field("l2_hit_rate", *sample.l2_hit_rate);
  if (sample.memory_busy) json.field("memory_busy", *sample.memory_busy);
  json.close();
}

void write_configuration_json(Json& json, const jobs::SaturatedConfiguration& configuration) {
  json.open('{');
  json.field("config", configuration.configuration);
  json.field("coarsening", configuration.coarsening);
  const model::Saturation& found = configuration.found;
  if (found.plateau > 0) {
    json.field("plateau", found.plateau);
  } else {
    json.field("plateau", nullptr);
  }
  json.field("plateau_from", model::name(found.plateau_from));
  if (found.fit) {
    json.open("fit", '{');
    json.field("overhead_us", found.fit->overhead_us);
    json.field("throughput", found.fit->throughput);
    json.field("max_error", found.fit->max_error);
    json.close();
  }
  if (found.msp) {
    json.field("saturation_point", configuration.samples[*found.msp].size);
  } else {
    json.field("saturation_point", nullptr);
    json.field("reason", found.reason);
  }
  if (!configuration.samples.empty()) {
    json.field("plain_rule", configuration.samples[found.plain_msp].size);
  }
  json.open("samples", '[');
  for (std::size_t i = 0; i < configuration.samples.size(); ++i) {
    write_sample(json, configuration.samples[i], found, i);
  }
  json.close();
  json.close();
}

}  // namespace

void write_saturated_fields(Json& json, const jobs::SaturatedKernel& found) {
  json.field("kernel", found.kernel);
  json.field("device", found.device);
  json.field("caches", found.warm ? "warm" : "cold");
  json.field("size", found.varied);
  json.field("target", found.target);
  json.field("target_work", found.target_work);
  json.field("work", found.work);
  json.field("unit", found.unit);
  json.field("threshold", found.threshold);
  json.field("saturation_point", found.msp());
  json.field("kernel_time_us", found.kernel_time_us());
  if (found.l2_bytes > 0) json.field("l2_bytes", found.l2_bytes);
  if (found.limit) {
    json.open("limit", '{');
    json.field("resource", machine::name(found.limit->busiest));
    json.field("busy", found.limit->busy);
    json.field("waves", found.limit->waves);
    json.close();
  }
  json.open("configurations", '[');
  for (const jobs::SaturatedConfiguration& configuration : found.configurations) {
    write_configuration_json(json, configuration);
  }
  json.close();
  if (!found.svg.empty()) json.field("svg", found.svg);
  json.open("notes", '[');
  for (const std::string& note : found.notes) json.element(note);
  json.close();
}

void write_saturated_json(Json& json, const jobs::SaturatedKernel& found) {
  json.open('{');
  json.field("schema", "burin.saturate/1");
  write_saturated_fields(json, found);
  json.close();
}

void write_tuned_at_saturation_json(Json& json, const jobs::TunedAtSaturation& tuned) {
  json.open('{');
  json.field("schema", "burin.tune_at_saturation/1");
  json.open("saturation", '{');
  write_saturated_fields(json, tuned.curve);
  json.close();
  json.field("at_target", tuned.at_target());
  json.open("savings", '{');
  json.field("curve_us", tuned.savings.curve_us);
  json.field("tuning_us", tuned.savings.tuning_us);
  json.field("verification_us", tuned.savings.verification_us);
  if (tuned.savings_known) {
    json.field("target_us", tuned.savings.target_us);
    json.field("speedup", tuned.savings.speedup());
    json.field("paper_speedup", tuned.savings.paper_speedup());
  }
  json.close();
  json.open("searches", '[');
  for (const jobs::TunedKernel& rung : tuned.rungs) write_tuned_json(json, rung);
  json.close();
  json.open("written", '[');
  for (const std::string& path : tuned.written) json.element(path);
  json.close();
  json.close();
}

}  // namespace burin::report
