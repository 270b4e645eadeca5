#include "report/saturate/saturate.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "report/launch/limit_sentence.h"

namespace burin::report {
namespace {

using jobs::SaturatedConfiguration;
using jobs::SaturatedKernel;
using model::SizeSample;

constexpr std::size_t kBar = 24;  // columns of a full bar

const SizeSample* sample_at(const SaturatedConfiguration& configuration, double size) {
  const auto found = std::ranges::find(configuration.samples, size, &SizeSample::size);
  return found == configuration.samples.end() ? nullptr : &*found;
}

std::string throughput_bar(double share) {
  const double eighths = std::clamp(share, 0.0, 1.25) * kBar * 8;
  std::string text;
  for (auto left = static_cast<int>(std::lround(eighths)); left > 0; left -= 8) {
    static constexpr std::string_view kParts[] = {"▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
    text += kParts[std::min(left, 8) - 1];
  }
  return text;
}

// Sizes of all configurations, ascending.
std::vector<double> sizes_of(const SaturatedKernel& found) {
  std::vector<double> sizes;
  for (const SaturatedConfiguration& configuration : found.configurations) {
    for (const SizeSample& sample : configuration.samples) sizes.push_back(sample.size);
  }
  std::ranges::sort(sizes);
  sizes.erase(std::ranges::unique(sizes).begin(), sizes.end());
  return sizes;
}

void write_curve(Output& out, const SaturatedKernel& found) {
  const SaturatedConfiguration& base = found.base();
  double most = 0;
  for (const SizeSample& sample : base.samples) most = std::max(most, sample.throughput());
  if (base.found.plateau > 0) most = base.found.plateau;
  const std::optional<std::int64_t> msp = found.msp();
  out.put('\n', Right{found.varied, 12}, Right{"time", 12}, Right{"throughput", 22},
          Right{"of plateau", 12}, "\n");
  for (std::size_t i = 0; i < base.samples.size(); ++i) {
    const SizeSample& sample = base.samples[i];
    const bool is_msp = msp && static_cast<double>(*msp) == sample.size;
    out.put(Right{fmt::format("{:.0f}", sample.size), 12}, Right{time_text(sample.time_us), 12},
            Right{throughput_text(found, sample.throughput()), 22},
            Right{base.found.share.empty() ? "–" : percent(base.found.share[i]), 12}, "  ",
            is_msp ? Style::kGood : Style::kPlain, throughput_bar(sample.throughput() / most),
            Style::kPlain, is_msp ? " saturation point" : "", '\n');
  }
}

// A column for each configuration.
void write_variants(Output& out, const SaturatedKernel& found) {
  if (found.configurations.size() < 2) return;
  out.put("\nthroughput per coarsening factor", found.unit.empty() ? "" : " in ", found.unit, ":\n",
          Right{found.varied, 12});
  for (const SaturatedConfiguration& configuration : found.configurations) {
    out.put(Right{fmt::format("{}×", configuration.coarsening), 12});
  }
  out.put('\n');
  for (const double size : sizes_of(found)) {
    out.put(Right{fmt::format("{:.0f}", size), 12});
    for (const SaturatedConfiguration& configuration : found.configurations) {
      const SizeSample* sample = sample_at(configuration, size);
      out.put(Right{sample == nullptr ? "–" : three_digits(sample->throughput()), 12});
    }
    out.put('\n');
  }
  out.put(Right{"saturated at", 12});
  for (const SaturatedConfiguration& configuration : found.configurations) {
    const auto& msp = configuration.found.msp;
    out.put(Right{msp ? fmt::format("{:.0f}", configuration.samples[*msp].size) : "target", 12});
  }
  out.put('\n');
}

void write_plateau(Output& out, const SaturatedKernel& found) {
  const SaturatedConfiguration& base = found.base();
  out.put('\n');
  if (base.found.plateau > 0) {
    out.put("plateau     ", throughput_text(found, base.found.plateau), " at ", found.varied, '=',
            found.target, ", ", model::name(base.found.plateau_from));
    if (base.found.plateau_from == model::PlateauFrom::kExtrapolated) {
      out.put(": ", time_text(base.found.fit->overhead_us), " and ",
              throughput_text(found, base.found.fit->throughput), ", off by at most ",
              percent(base.found.fit->max_error));
    }
    out.put('\n');
  }
  if (const std::optional<std::int64_t> msp = found.msp()) {
    const SizeSample* sample = sample_at(base, static_cast<double>(*msp));
    out.put("saturated   from ", Style::kGood, found.varied, '=', *msp, Style::kPlain,
            " on: within ", percent(found.threshold), " of the plateau");
    if (sample != nullptr) {
      out.put(fmt::format(", {:.3g}× less work than the target", found.target_work / sample->work));
    }
    out.put('\n');
  } else {
    const auto without = std::ranges::find_if(
        found.configurations, [](const SaturatedConfiguration& c) { return !c.found.msp; });
    out.put("saturated   not below the target: ", without->found.reason);
    if (without != found.configurations.begin()) {
      out.put(" (coarsened ", without->coarsening, "×)");
    }
    out.put("; tune at ", found.varied, '=', found.target, '\n');
  }
  if (!base.samples.empty()) {
    out.put("plain rule  ", found.varied,
            fmt::format("={:.0f}", base.samples[base.found.plain_msp].size), " (within ",
            percent(found.threshold), " of the maximum)\n");
  }
  if (found.limit) {
    out.put("limited by  ");
    if (found.limit->waves < 1) {
      out.put("the grid: its blocks fill ", percent(found.limit->waves),
              " of the block slots of the GPU at the target\n");
    } else {
      out.put(words_of(found.limit->busiest), ": busy ", percent(found.limit->busy),
              " of the time at the target, in ", three_digits(found.limit->waves),
              " waves of blocks (predicted)\n");
    }
  }
}

}  // namespace

std::string throughput_text(const SaturatedKernel& found, double throughput) {
  if (!found.unit.empty()) return three_digits(throughput) + " " + found.unit;
  struct Prefix {
    double scale;
    std::string_view name;
  };
  static constexpr Prefix kPrefixes[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const Prefix& prefix : kPrefixes) {
    if (throughput >= prefix.scale) {
      return fmt::format("{} {}/s", three_digits(throughput / prefix.scale), prefix.name);
    }
  }
  return three_digits(throughput) + " /s";
}

void write_saturated(Output& out, const SaturatedKernel& found) {
  out.put(Style::kBold, found.kernel, " on ", found.device, Style::kPlain, ": throughput over ",
          found.varied, ", caches ", found.warm ? "warm" : "cold", '\n');
  out.put("work        ", found.work, '\n');
  out.put("measured    ", found.base().configuration, '\n');
  write_curve(out, found);
  write_variants(out, found);
  write_plateau(out, found);
  if (!found.svg.empty()) out.put("written     ", found.svg, '\n');
  for (const std::string& note : found.notes) out.put("note: ", note, '\n');
}

}  // namespace burin::report
