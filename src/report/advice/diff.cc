#include "report/advice/diff.h"

#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/program/classes.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

constexpr std::size_t kChangeLabel = 20;
constexpr std::size_t kColumn = 12;
constexpr double kMinShare = 0.01;  // smaller changes of a share are not shown

void write_row(Output& out, std::string_view label, const std::string& was, const std::string& is,
               const std::string& change, Style style = Style::kPlain) {
  out.put(Left{label, kChangeLabel}, Right{was, kColumn}, Right{is, kColumn});
  if (!change.empty()) out.put("   ", style, change, Style::kPlain);
  out.put('\n');
}

std::string signed_count(std::uint64_t was, std::uint64_t is, bool is_bytes) {
  if (was == is) return "";
  const std::uint64_t by = is > was ? is - was : was - is;
  return (is > was ? "+" : "-") + (is_bytes ? human_bytes(by) : with_commas(by));
}

void write_count(Output& out, std::string_view label, std::uint64_t was, std::uint64_t is,
                 bool is_bytes, bool all) {
  if (was == is && !all) return;
  const auto text = [&](std::uint64_t n) { return is_bytes ? human_bytes(n) : with_commas(n); };
  write_row(out, label, text(was), text(is), signed_count(was, is, is_bytes));
}

void write_time(Output& out, const char* label, std::optional<double> was,
                std::optional<double> is) {
  if (!was && !is) return;
  std::string change;
  Style style = Style::kPlain;
  if (was && is && *was > 0 && *is > 0) {
    const double ratio = *was / *is;
    style = ratio >= 1.005 ? Style::kGood : ratio <= 0.995 ? Style::kBad : Style::kPlain;
    change = ratio >= 1 ? fmt::format("{:.2f}× faster", ratio)
                        : fmt::format("{:.2f}× slower", 1 / ratio);
    if (std::abs(ratio - 1) < 0.005) change = "unchanged";
  }
  const auto text = [](std::optional<double> us) { return us ? time_text(*us) : "-"; };
  write_row(out, label, text(was), text(is), change, style);
}

void write_share(Output& out, std::string_view label, double was, double is, bool all) {
  if (std::abs(is - was) < kMinShare && !(all && (was > 0 || is > 0))) return;
  write_row(out, label, percent(was), percent(is), fmt::format("{:+.1f} %", 100 * (is - was)));
}

void write_resources(Output& out, const advise::KernelFacts& a, const advise::KernelFacts& b,
                     bool all) {
  for (const advise::CountedChange& each : advise::counted_changes()) {
    write_count(out, each.name, a.*(each.value), b.*(each.value), each.is_bytes, all);
  }
  const auto classes = read::instruction_classes();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (a.classes[c] == 0 && b.classes[c] == 0) continue;
    write_count(out, fmt::format("  {}", classes[c]), a.classes[c], b.classes[c], false, all);
  }
  write_time(out, "measured", a.measured_us, b.measured_us);
  write_time(out, "predicted", a.predicted_us, b.predicted_us);
  if (a.predicted_us && b.predicted_us) {
    const advise::KernelVerdict verdict = advise::verdict_of({&a, &b, false});
    if (!verdict.measured) {
      out.put(Left{"verdict", kChangeLabel}, timing::name(verdict.verdict));
      if (verdict.verdict != timing::Verdict::kSame) {
        out.put(fmt::format(": {:.2f} to {:.2f} times the time before (80 % of such pairs)",
                            verdict.ratio->low, verdict.ratio->high));
      }
      out.put('\n');
    }
  }
  if (a.profiled <= 0 || b.profiled <= 0) return;
  write_share(out, "issuing", a.issued, b.issued, all);
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    write_share(out, launch::name(static_cast<launch::Stall>(s)), a.stalls[s], b.stalls[s], all);
  }
}

std::string key_name(const std::optional<advise::LineKey>& key) {
  return key ? line_name(key->file, key->line) : "-";
}

void write_lines(Output& out, const advise::KernelDiff& kernel, const DiffView& view,
                 read::SourceText& source) {
  const bool profiled = kernel.pair.before->profiled > 0 && kernel.pair.after->profiled > 0;
  std::vector<const advise::LineChange*> shown;
  for (const advise::LineChange& change : kernel.lines) {
    const bool moved = profiled && std::abs(change.is.share - change.was.share) >= kMinShare;
    if (view.all || moved || change.is_changed()) shown.push_back(&change);
  }
  if (shown.empty()) return;
  const std::size_t count = view.all ? shown.size() : std::min(shown.size(), view.most_lines);
  std::size_t width = 18;
  for (std::size_t k = 0; k < count; ++k) {
    width =
        std::max(width, key_name(shown[k]->after ? shown[k]->after : shown[k]->before).size() + 2);
  }
  out.put('\n', Style::kBold, Left{"line", width}, Right{"instructions", 16});
  if (profiled) out.put(Right{"share of time", 20});
  out.put("  source", Style::kPlain, '\n');
  for (std::size_t k = 0; k < count; ++k) {
    const advise::LineChange& change = *shown[k];
    const std::optional<advise::LineKey>& key = change.after ? change.after : change.before;
    out.put(
        Left{key_name(key), width},
        Right{fmt::format("{:>5} -> {:<5}", change.was.instructions, change.is.instructions), 16});
    if (profiled) {
      out.put(Right{
          fmt::format("{:>7} -> {:>7}", percent(change.was.share), percent(change.is.share)), 20});
    }
    out.put("  ", change.after ? source.line(key->file, key->line) : "(removed)", '\n');
  }
  if (count < shown.size()) {
    out.put("and ", count_of(shown.size() - count, "more line"), "; --all shows them\n");
  }
}

void write_advice_row(Output& out, const char* what, const advise::AdviceFacts& advice) {
  out.put(Left{what, kChangeLabel}, fmt::format("{:.2f}×  ", advice.speedup), advice.rule);
  if (!advice.where.file.empty()) out.put(" at ", key_name(advice.where));
  out.put('\n');
}

// The finding with the largest speedup in the new build; null: there is none.
const advise::AdviceChange* largest(const advise::KernelDiff& kernel) {
  const advise::AdviceChange* best = nullptr;
  for (const advise::AdviceChange& change : kernel.advice) {
    if (change.after == nullptr) continue;
    if (best == nullptr || change.after->speedup > best->after->speedup) best = &change;
  }
  return best;
}

// New and removed findings, and the largest of those in both builds, which is the next thing to do.
void write_advice(Output& out, const advise::KernelDiff& kernel, bool all) {
  bool first = true;
  const advise::AdviceChange* const next = largest(kernel);
  for (const advise::AdviceChange& change : kernel.advice) {
    if (change.before != nullptr && change.after != nullptr && !all && &change != next) continue;
    if (first) out.put('\n');
    first = false;
    if (change.after == nullptr) {
      write_advice_row(out, "advice fixed", *change.before);
    } else {
      write_advice_row(out, change.before == nullptr ? "advice new" : "advice kept", *change.after);
    }
  }
}

void write_kernel(Output& out, const advise::KernelDiff& kernel, const DiffView& view,
                  read::SourceText& source) {
  const advise::KernelFacts& a = *kernel.pair.before;
  const advise::KernelFacts& b = *kernel.pair.after;
  out.put('\n', Style::kBold, read::shorten(b.demangled, out.width()), Style::kPlain);
  if (kernel.pair.renamed) out.put(", renamed from ", read::shorten(a.demangled, out.width()));
  out.put('\n', Style::kDim, Left{"", kChangeLabel}, Right{"before", kColumn},
          Right{"after", kColumn}, Style::kPlain, '\n');
  write_resources(out, a, b, view.all);
  write_lines(out, kernel, view, source);
  write_advice(out, kernel, view.all);
}

void write_one_sided(Output& out, const char* what,
                     const std::vector<const advise::KernelFacts*>& list) {
  for (const advise::KernelFacts* facts : list) {
    out.put('\n', what, "  ", read::shorten(facts->demangled, out.width()), ": ",
            count_of(facts->registers, "register"), ", ",
            count_of(facts->instructions, "instruction"));
    if (facts->measured_us) out.put(", ", time_text(*facts->measured_us));
  }
  if (!list.empty()) out.put('\n');
}

}  // namespace

void write_diff(Output& out, const advise::Diff& diff, const DiffView& view,
                read::SourceText& source) {
  const auto changed = static_cast<std::size_t>(
      std::ranges::count_if(diff.kernels, &advise::KernelDiff::is_changed));
  out.put(Style::kBold, diff.before.file, " -> ", diff.after.file, Style::kPlain, ": ",
          count_of(diff.kernels.size(), "kernel"), " in both, ",
          changed == 0 ? "none" : std::to_string(changed), " changed");
  if (!diff.gone.empty()) out.put(", ", diff.gone.size(), " removed");
  if (!diff.added.empty()) out.put(", ", diff.added.size(), " added");
  out.put('\n');
  for (const advise::DiffSide* side : {&diff.before, &diff.after}) {
    for (const std::string& note : side->notes) out.put("note: ", side->file, ": ", note, '\n');
  }
  for (const advise::KernelDiff& kernel : diff.kernels) {
    if (kernel.is_changed() || view.all) write_kernel(out, kernel, view, source);
  }
  write_one_sided(out, "removed", diff.gone);
  write_one_sided(out, "added  ", diff.added);
}

}  // namespace burin::report
