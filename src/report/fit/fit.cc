#include "report/fit/fit.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::report {
namespace {

using formula::TableNode;

// A region of the decision table: its conditions in words, and its shapes.
struct Region {
  std::string where;
  std::vector<std::uint32_t> ranked;
};

void collect_regions(const std::vector<TableNode>& table, const std::vector<std::string>& axes,
                     std::size_t at, const std::string& where, std::vector<Region>& regions) {
  const TableNode& node = table[at];
  if (node.otherwise == 0) {
    regions.push_back({where.empty() ? "all sizes" : where, node.ranked});
    return;
  }
  const std::string before = where.empty() ? "" : where + ", ";
  const std::string limit = formula::shortest(node.at_most);
  collect_regions(table, axes, at + 1, before + axes[node.axis] + " <= " + limit, regions);
  collect_regions(table, axes, node.otherwise, before + axes[node.axis] + " > " + limit, regions);
}

std::vector<Region> regions_of(const jobs::FittedKernel& fitted) {
  std::vector<Region> regions;
  if (fitted.fit.table.table.empty()) return regions;
  collect_regions(fitted.fit.table.table, fitted.program.axis_names(), 0, "", regions);
  return regions;
}

// Characters, not bytes.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

void write_models(Output& out, const jobs::FittedKernel& fitted) {
  if (fitted.fit.models.empty() || fitted.fit.models.front().cases == 0) return;
  out.put("\nranking     of the fastest time at sizes that were left out (",
          fitted.fit.models.front().cases, "):\n");
  for (const model::RankQuality& quality : fitted.fit.models) {
    const std::string_view name = model::name_of(quality.kind);
    out.put("  ", name, std::string(12 - name.size(), ' '),
            fmt::format("{:.3f} mean, {:.3f} worst; times within {}", quality.mean, quality.worst,
                        percent(quality.error)),
            quality.kind == fitted.fit.chosen ? "  chosen\n" : "\n");
  }
}

// Models from the literature, and their inputs.
void write_published(Output& out, const jobs::FittedKernel& fitted) {
  if (fitted.published.empty() || fitted.published.front().cases == 0) return;
  out.put("\npublished   models, which see counts and no times, at the sampled sizes (",
          fitted.published.front().cases, "):\n");
  for (const model::PublishedQuality& quality : fitted.published) {
    out.put("  ", quality.name, std::string(12 - quality.name.size(), ' '),
            fmt::format("{:.3f} mean, {:.3f} worst\n", quality.mean, quality.worst));
  }
  for (const model::MetricFit& metric : fitted.metrics) {
    out.put("  ", metric.name, std::string(20 - std::min<std::size_t>(19, metric.name.size()), ' '),
            "degrees ", metric.fit.degrees, "; ", percent(metric.fit.held_out),
            " off at sizes left out\n");
  }
}

}  // namespace

std::string shape_text(const formula::Shape& shape) {
  std::string text = std::to_string(shape[0]);
  if (shape[1] > 1 || shape[2] > 1) text += fmt::format(" × {}", shape[1]);
  if (shape[2] > 1) text += fmt::format(" × {}", shape[2]);
  return text;
}

void write_fitted(Output& out, const jobs::FittedKernel& fitted) {
  out.put("kernel      ", fitted.kernel == "-" ? "not named" : fitted.kernel, '\n');
  out.put("samples     ", count_of(fitted.times.sampled(), "time"), " of ",
          count_of(fitted.times.shapes.size(), "shape"), " at ",
          count_of(fitted.times.sizes.size(), "size"), ", from ", fitted.source, '\n');
  if (fitted.predicted) {
    out.put("explored    ", count_of(fitted.predicted->sampled(), "prediction"), " of ",
            count_of(fitted.predicted->shapes.size(), "shape"), " at ",
            count_of(fitted.predicted->sizes.size(), "size"), ", by the emulator\n");
  }
  const model::RationalFit& reference = fitted.fit.reference;
  out.put("reference   ", reference.text, " µs: the fastest shape's time\n");
  out.put("            degrees ", reference.degrees, "; ", percent(reference.held_out),
          " off at sizes left out\n");
  write_models(out, fitted);
  write_published(out, fitted);
  const std::vector<Region> regions = regions_of(fitted);
  std::size_t widest = 0;
  for (const Region& region : regions) widest = std::max(widest, width_of(region.where));
  if (!fitted.model.empty()) {
    out.put("\nmodel       ", fitted.model, " ranks all shapes at every size: there is no table\n");
  } else {
    out.put("\nregions     and their shapes, best first:\n");
  }
  for (const Region& region : regions) {
    constexpr std::size_t kShown = 4;
    std::string shapes;
    for (std::size_t i = 0; i < std::min(kShown, region.ranked.size()); ++i) {
      shapes += (i > 0 ? ", " : "") + shape_text(fitted.program.shapes[region.ranked[i]]);
    }
    out.put("  ", region.where, std::string(widest - width_of(region.where) + 2, ' '), shapes,
            '\n');
  }
  if (!fitted.notes.empty()) out.put('\n');
  for (const std::string& note : fitted.notes) out.put("note        ", note, '\n');
  if (!fitted.output.empty()) out.put("\nwritten     ", fitted.output, '\n');
  if (!fitted.proposed.empty()) {
    out.put("proposed    ", fitted.proposed, ": check its sizes, grid and buffers\n");
  }
  if (!fitted.samples_file.empty()) out.put("written     ", fitted.samples_file, '\n');
}

namespace {

// The parameters of the regions, with their sampled ranges.
void write_axes(Json& json, const jobs::FittedKernel& fitted) {
  const std::vector<std::string> names = fitted.program.axis_names();
  json.open("axes", '[');
  if (!fitted.program.devices.empty()) {
    for (const formula::Domain& domain : fitted.program.devices.front().domain) {
      json.open('{');
      json.field("name", names[domain.axis]);
      json.field("low", domain.least);
      json.field("high", domain.most);
      json.close();
    }
  }
  json.close();
}

// The fastest shape at each sampled size.
void write_fastest(Json& json, const jobs::FittedKernel& fitted) {
  const model::ShapeTimes& times = fitted.times;
  json.open("fastest", '[');
  for (std::size_t k = 0; k < times.sizes.size(); ++k) {
    const std::size_t best = times.best(k);
    if (best == times.shapes.size()) continue;
    json.open('{');
    json.open("sizes", '{');
    for (std::size_t n = 0; n < times.names.size(); ++n) {
      json.field(times.names[n], times.sizes[k][n]);
    }
    json.close();
    json.field("shape", times.shapes[best]);
    json.field("time_us", times.time_us[k][best]);
    json.close();
  }
  json.close();
}

}  // namespace

void write_fitted_json(Json& json, const jobs::FittedKernel& fitted) {
  json.open('{');
  json.field("schema", "burin.fit/1");
  json.field("kernel", fitted.kernel);
  json.field("source", fitted.source);
  json.field("samples", fitted.times.sampled());
  json.field("sizes", fitted.times.sizes.size());
  json.field("shapes", fitted.times.shapes.size());
  if (fitted.predicted) {
    json.field("explored", fitted.predicted->sampled());
  } else {
    json.field("explored", 0);
  }
  json.open("reference", '{');
  json.field("expression", fitted.fit.reference.text);
  json.field("degrees", fitted.fit.reference.degrees);
  json.field("held_out_error", fitted.fit.reference.held_out);
  json.field("training_error", fitted.fit.reference.training);
  json.field("rank", fitted.fit.reference.rank);
  json.field("refused", fitted.fit.reference.refused);
  json.close();
  json.open("models", '[');
  for (const model::RankQuality& quality : fitted.fit.models) {
    json.open('{');
    json.field("model", model::name_of(quality.kind));
    json.field("mean", quality.mean);
    json.field("worst", quality.worst);
    json.field("error", quality.error);
    json.field("cases", quality.cases);
    json.field("chosen", quality.kind == fitted.fit.chosen);
    json.close();
  }
  json.close();
  json.open("published", '[');
  for (const model::PublishedQuality& quality : fitted.published) {
    json.open('{');
    json.field("model", quality.name);
    json.field("mean", quality.mean);
    json.field("worst", quality.worst);
    json.field("cases", quality.cases);
    json.close();
  }
  json.close();
  json.open("metrics", '[');
  for (const model::MetricFit& metric : fitted.metrics) {
    json.open('{');
    json.field("name", metric.name);
    json.field("expression", metric.fit.text);
    json.field("degrees", metric.fit.degrees);
    json.field("held_out_error", metric.fit.held_out);
    json.close();
  }
  json.close();
  write_axes(json, fitted);
  write_fastest(json, fitted);
  json.open("regions", '[');
  for (const Region& region : regions_of(fitted)) {
    json.open('{');
    json.field("where", region.where);
    json.open("shapes", '[');
    for (const std::uint32_t shape : region.ranked) json.element(fitted.program.shapes[shape]);
    json.close();
    json.close();
  }
  json.close();
  json.open("notes", '[');
  for (const std::string& note : fitted.notes) json.element(note);
  json.close();
  json.field("output", fitted.output);
  json.close();
}

}  // namespace burin::report
