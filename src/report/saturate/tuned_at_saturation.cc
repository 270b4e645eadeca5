#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "report/saturate/saturate.h"
#include "report/tune/tune.h"

namespace burin::report {
namespace {

using tune::Trial;

std::string verified_words(const tune::Space& space, const tune::Point& point) {
  std::string text;
  for (const std::size_t parameter : space.free_parameters()) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", space.parameters()[parameter].name,
                        formula::plain_text(space.value(point, parameter)));
  }
  return text.empty() ? "the only configuration" : text;
}

// The finalists with their times at every size that they climbed.
void write_climb(Output& out, const jobs::TunedAtSaturation& tuned) {
  out.put("\nconfigurations and their best time at each size:\n");
  for (const jobs::TunedKernel& rung : tuned.rungs) {
    if (rung.runs.empty()) continue;
    const jobs::TunedRun& run = rung.runs.front();
    out.put(Right{tune::describe(run.size), 16}, Right{with_commas(run.tuned.trials.size()), 8},
            Right{run.best() == nullptr ? "–" : time_text(run.best()->time_us), 12}, '\n');
  }
  const jobs::TunedRun& target = tuned.rungs.back().runs.front();
  std::vector<const Trial*> order;
  for (const Trial& trial : target.tuned.trials) order.push_back(&trial);
  std::ranges::stable_sort(order, {}, &Trial::objective);
  out.put("\nat ", tune::describe(target.size), ":\n");
  for (const Trial* trial : order) {
    out.put(Right{trial->status == tune::Status::kOk ? time_text(trial->time_us)
                                                     : std::string(tune::name(trial->status)),
                  14},
            "  ", verified_words(target.space, trial->point), '\n');
  }
}

void write_savings(Output& out, const jobs::TunedAtSaturation& tuned) {
  const model::Savings& savings = tuned.savings;
  out.put("\nkernel time ", time_text(savings.spent_us()), ": curve ", time_text(savings.curve_us),
          ", search ", time_text(savings.tuning_us), ", verification ",
          time_text(savings.verification_us), '\n');
  if (!tuned.savings_known) return;
  out.put(fmt::format("saved       {:.3g}×", savings.speedup()), " against about ",
          time_text(savings.target_us), " for the same trials at the target",
          fmt::format(" ({:.3g}× by the paper's formula 2, without verification)\n",
                      savings.paper_speedup()));
}

}  // namespace

void write_tuned_at_saturation(Output& out, const jobs::TunedAtSaturation& tuned) {
  write_saturated(out, tuned.curve);
  out.put('\n');
  write_tuned(out, tuned.rungs.front());
  if (!tuned.at_target() && !tuned.rungs.back().runs.empty()) {
    write_climb(out, tuned);
    if (const jobs::TunedRun* winner = tuned.winner()) {
      out.put("\nbest        ", Style::kGood,
              complete_configuration(winner->space, winner->best()->point), Style::kPlain,
              "\ntime        ", time_text(winner->best_time_us()));
      const tune::Spec& spec = tuned.rungs.back().spec;
      if (spec.objective.expression) {
        out.put(", ", objective_text(spec, *winner->best(), winner->best_time_us()));
      }
      out.put(" at ", tune::describe(winner->size), '\n');
    } else {
      out.put("\nno configuration worked at the target\n");
    }
  }
  write_savings(out, tuned);
  for (const std::string& path : tuned.written) out.put("written     ", path, '\n');
}

}  // namespace burin::report
