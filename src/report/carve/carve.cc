#include "report/carve/carve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "tune/spec.h"

namespace burin::report {
namespace {

using jobs::CarvedSize;
using jobs::CarvedSpace;
using jobs::CarveRow;
using jobs::TimeSource;
using model::Fate;

constexpr std::size_t kMaxListed = 12;

std::string configuration_text(const tune::Space& space, const tune::Point& point) {
  std::string text;
  for (const std::size_t parameter : space.free_parameters()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", space.parameters()[parameter].name,
                        formula::plain_text(space.value(point, parameter)));
  }
  return text.empty() ? "the only configuration" : text;
}

std::string source_text(const CarvedSize& size) {
  switch (size.source) {
    case TimeSource::kRecorded:
      return "times recorded on " + size.device;
    case TimeSource::kMeasured:
      return "times below measured on " + size.device + "; this table by the estimate";
    case TimeSource::kPredicted:
      return "times predicted by " + size.device + ", none measured";
    case TimeSource::kEstimated:
      return "times estimated in closed form, none measured; --predict or --run for better ones";
  }
  return "";
}

void write_rows(Output& out, const CarvedSize& size) {
  out.put("\n", Left{"selection", 16}, Right{"kept", 6}, Right{"pruned", 9}, Right{"best kept", 11},
          Right{"of best", 9}, Right{"random", 9}, Right{"beats", 9}, '\n');
  for (const CarveRow& row : size.rows) {
    const model::Outcome& o = row.outcome;
    out.put(Left{row.name, 16}, Right{with_commas(o.kept), 6}, Right{percent(o.pruned), 9},
            Right{o.best ? time_text(o.best_us) : std::string("none"), 11},
            Right{percent(o.share_of_best), 9}, Right{percent(o.random_share), 9},
            Right{percent(o.percentile), 9}, '\n');
  }
  out.put(
      "of best: performance of the best kept, as a share of the best of all; random: expected "
      "for a random sample\nof the same size; beats: share of such samples with a worse best\n",
      source_text(size), '\n');
}

std::array<double, 3> largest_axes(const CarvedSize& size) {
  std::array<double, 3> most{};
  for (const model::Metrics& metrics : size.carving().metrics) {
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], metrics.axes[i]);
  }
  return most;
}

void write_kept(Output& out, const CarvedSpace& carved, const CarvedSize& size, bool all) {
  const model::Carving& carving = size.carving();
  const std::size_t dimensions = carving.options.metrics.dimensions();
  const std::array<double, 3> most = largest_axes(size);
  out.put("\nkept, by estimated time (efficiency, utilization", dimensions > 2 ? ", bytes" : "",
          ": largest = 1):\n");
  out.put(Right{"eff.", 7}, Right{"util.", 7});
  if (dimensions > 2) out.put(Right{"bytes", 7});
  out.put(Right{"instr.", 9}, Right{"regions", 9}, Right{"warps", 7}, Right{"blocks", 7},
          Right{"estimate", 10});
  const bool timed = size.source == TimeSource::kRecorded || size.source == TimeSource::kMeasured ||
                     size.source == TimeSource::kPredicted;
  if (timed) out.put(Right{"time", 10});
  out.put("  configuration\n");
  std::size_t listed = 0;
  for (std::size_t place = 0; place < carving.kept.size(); ++place) {
    const std::size_t i = carving.kept[place];
    if (!all && ++listed > kMaxListed) {
      out.put("  … ", carving.kept.size() - kMaxListed, " more (--all lists them)\n");
      return;
    }
    const model::Metrics& m = carving.metrics[i];
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
      out.put(Right{fmt::format("{:.3f}", m.axes[axis] / most[axis]), 7});
    }
    out.put(Right{whole(m.instructions), 9}, Right{whole(m.regions), 9}, Right{whole(m.warps), 7},
            Right{whole(m.resident_blocks), 7},
            Right{time_text(m.cycles / carved.cycles_per_us), 10});
    if (timed) {
      const double time_us = size.trials.empty() ? size.times_us[i]
                             : size.trials[place].status == tune::Status::kOk
                                 ? size.trials[place].time_us
                                 : INFINITY;
      out.put(Right{std::isfinite(time_us) ? time_text(time_us) : std::string("failed"), 10});
    }
    out.put("  ", configuration_text(size.space, size.counted[i].point));
    if (carving.verdicts[i].fate != Fate::kFront) {
      out.put(" (", model::name(carving.verdicts[i].fate), ")");
    }
    out.put('\n');
  }
}

// The results of measuring the remaining configurations.
void write_best(Output& out, const CarvedSize& size) {
  const tune::Trial* best = nullptr;
  for (const tune::Trial& trial : size.trials) {
    const bool worked = trial.status == tune::Status::kOk;
    if (worked && (best == nullptr || trial.time_us < best->time_us)) best = &trial;
  }
  if (size.trials.empty()) return;
  if (best == nullptr) {
    out.put("\nnone of those that were measured worked; the first: ", size.trials.front().reason,
            '\n');
    return;
  }
  out.put("\nfastest of ", size.trials.size(), " measured on ", size.device, ": ", Style::kGood,
          time_text(best->time_us), Style::kPlain, ", ",
          configuration_text(size.space, best->point), '\n');
}

void write_pruned(Output& out, const CarvedSize& size, bool all) {
  std::map<Fate, std::vector<std::size_t>> pruned;
  const model::Carving& carving = size.carving();
  for (std::size_t i = 0; i < carving.verdicts.size(); ++i) {
    if (!model::is_kept(carving.verdicts[i].fate)) pruned[carving.verdicts[i].fate].push_back(i);
  }
  if (pruned.empty()) return;
  out.put(all ? "\npruned:\n" : "\npruned, with the first of each kind:\n");
  for (const auto& [fate, which] : pruned) {
    const std::size_t shown = all ? which.size() : 1;
    for (std::size_t k = 0; k < shown; ++k) {
      out.put(Right{k == 0 ? with_commas(which.size()) : std::string(), 7}, "  ",
              Left{k == 0 ? model::name(fate) : std::string_view(), 12},
              configuration_text(size.space, size.counted[which[k]].point), ": ",
              carving.verdicts[which[k]].reason, '\n');
    }
  }
}

void write_blind(Output& out, const CarvedSize& size) {
  for (const model::BlindSpot& spot : size.blind) {
    out.put("\nthe metrics cannot see ", Style::kBold, spot.parameter, Style::kPlain, ": ",
            spot.differing, " of ", spot.pairs,
            " pairs that differ only in it have the same metrics and other predicted times, up to ",
            fmt::format("{:.2f}×", spot.largest), '\n');
  }
}

void write_size(Output& out, const CarvedSpace& carved, const CarvedSize& size, bool all) {
  const std::string problem = tune::describe(size.size);
  out.put(Style::kBold, carved.spec.launches.front().kernel, " on ", carved.machine,
          problem.empty() ? "" : ", ", problem, Style::kPlain, ": ");
  if (size.rows.empty()) {
    out.put(with_commas(size.compiled), " of ", with_commas(size.space.size()),
            " configurations counted", size.complete ? "" : "; stopped, the time was over", '\n');
    return;
  }
  out.put(with_commas(size.carving().kept.size()), " of ", with_commas(size.space.size()),
          " configurations are worth trying; ", with_commas(size.compiled), " compiled",
          size.complete ? "" : ", the others not: the time was over", '\n');
  write_rows(out, size);
  write_kept(out, carved, size, all);
  write_best(out, size);
  write_pruned(out, size, all);
  write_blind(out, size);
}

}  // namespace

void write_carved(Output& out, const CarvedSpace& carved, bool all) {
  for (std::size_t i = 0; i < carved.sizes.size(); ++i) {
    if (i > 0) out.put('\n');
    write_size(out, carved, carved.sizes[i], all);
  }
  for (const std::string& note : carved.notes) out.put(note, '\n');
}

}  // namespace burin::report
