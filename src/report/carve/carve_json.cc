#include <array>
#include <cmath>

#include "report/carve/carve.h"

namespace burin::report {
namespace {

using jobs::CarvedSize;
using jobs::CarveRow;
using jobs::TimeSource;

constexpr std::array<std::string_view, 4> kSources = {"recorded", "measured", "predicted",
                                                      "estimated"};

void put_value(Json& json, std::string_view key, const formula::Value& value) {
  std::visit([&](const auto& plain) { json.field(key, plain); }, value);
}

void put_configuration(Json& json, const tune::Space& space, const tune::Point& point) {
  json.open("config", '{');
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    put_value(json, space.parameters()[i].name, space.value(point, i));
  }
  json.close();
}

void put_row(Json& json, const CarvedSize& size, const CarveRow& row) {
  const model::Outcome& o = row.outcome;
  json.open('{');
  json.field("selection", row.name);
  json.field("kept", o.kept);
  json.field("pruned", o.pruned);
  json.field("best_us", o.best ? o.best_us : NAN);
  json.field("share_of_best", o.share_of_best);
  json.field("random_share_of_best", o.random_share);
  json.field("percentile", o.percentile);
  json.field("picks_to_90", o.picks_to_90);
  json.field("picks_to_95", o.picks_to_95);
  json.field("random_to_90", o.random_to_90);
  json.field("random_to_95", o.random_to_95);
  json.field("cost_saved", o.cost_saved);
  if (o.best) put_configuration(json, size.space, size.counted[*o.best].point);
  json.close();
}

void put_one(Json& json, const CarvedSize& size, std::size_t i) {
  const model::Carving& carving = size.carving();
  const model::Metrics& m = carving.metrics[i];
  const model::Counted& counted = size.counted[i];
  json.open('{');
  put_configuration(json, size.space, counted.point);
  json.field("fate", model::name(carving.verdicts[i].fate));
  if (!carving.verdicts[i].reason.empty()) json.field("reason", carving.verdicts[i].reason);
  if (counted.ok() && counted.compiled) {
    for (std::size_t axis = 0; axis < carving.options.metrics.dimensions(); ++axis) {
      json.field(model::kAxisNames[axis], m.axes[axis]);
    }
    json.field("cycles", m.cycles);
    json.field("instructions", m.instructions);
    json.field("regions", m.regions);
    json.field("warps_per_block", m.warps);
    json.field("resident_blocks", m.resident_blocks);
    json.field("registers", m.registers);
    json.field("spill_bytes", m.spill_bytes);
    json.field("occupancy", m.occupancy);
    json.field("coalescing", m.coalescing);
    json.field("demand", m.demand);
    json.field("predicted_us", counted.predicted_us);
  }
  if (size.source == TimeSource::kRecorded) json.field("time_us", size.times_us[i]);
  json.close();
}

void put_size(Json& json, const CarvedSize& size, bool all) {
  json.open('{');
  json.open("problem", '{');
  for (const auto& [name, value] : size.size) put_value(json, name, value);
  json.close();
  json.field("configurations", size.space.size());
  json.field("compiled", size.compiled);
  json.field("complete", size.complete);
  if (!size.rows.empty()) {
    json.field("times", kSources[static_cast<std::size_t>(size.source)]);
    json.field("device", size.device);
    json.open("rows", '[');
    for (const CarveRow& row : size.rows) put_row(json, size, row);
    json.close();
    json.open("kept", '[');
    for (const std::size_t i : size.carving().kept) put_one(json, size, i);
    json.close();
    if (!size.trials.empty()) {
      json.open("trials", '[');
      for (const tune::Trial& trial : size.trials) {
        json.open('{');
        put_configuration(json, size.space, trial.point);
        json.field("status", tune::name(trial.status));
        json.field("time_us", trial.status == tune::Status::kOk ? trial.time_us : NAN);
        if (!trial.reason.empty()) json.field("reason", trial.reason);
        json.close();
      }
      json.close();
    }
    if (all) {
      json.open("pruned", '[');
      for (std::size_t i = 0; i < size.counted.size(); ++i) {
        if (!model::is_kept(size.carving().verdicts[i].fate)) put_one(json, size, i);
      }
      json.close();
    }
    json.open("unseen_parameters", '[');
    for (const model::BlindSpot& spot : size.blind) {
      json.open('{');
      json.field("parameter", spot.parameter);
      json.field("pairs", spot.pairs);
      json.field("differing", spot.differing);
      json.field("largest_ratio", spot.largest);
      json.close();
    }
    json.close();
  }
  json.close();
}

}  // namespace

void write_carved_json(Json& json, const jobs::CarvedSpace& carved, bool all) {
  json.open('{');
  json.field("schema", "burin.carve/1");
  json.field("kernel", carved.spec.launches.front().kernel);
  json.field("machine", carved.machine);
  json.open("sizes", '[');
  for (const CarvedSize& size : carved.sizes) put_size(json, size, all);
  json.close();
  json.open("notes", '[');
  for (const std::string& note : carved.notes) json.element(note);
  json.close();
  json.close();
}

}  // namespace burin::report
