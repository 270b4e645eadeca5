#include "report/advice/advise.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "advise/case/estimate.h"
#include "advise/case/source_text.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/program/names.h"
#include "report/advice/fix.h"
#include "report/advice/plan.h"
#include "report/advice/tried.h"
#include "report/launch/certainty.h"
#include "report/launch/faults.h"
#include "timing/result/launch_faults.h"

namespace burin::report {
namespace {

constexpr std::size_t kTopUnasked = 10;
constexpr double kMinShownGain = 1.05;  // findings with a smaller speedup are shown on request
constexpr std::size_t kIndent = 10;
constexpr std::size_t kWidth = 100;    // columns of text if there is no terminal
constexpr std::size_t kMinWidth = 40;  // minimum columns of a paragraph
constexpr std::size_t kMaxBounds = 5;
constexpr std::size_t kMaxCallers = 3;
constexpr double kMinDifference = 0.02;  // estimates that differ by less are shown as one
constexpr double kMinBound = 0.05;       // of the time
constexpr double kSpread = 0.5;          // hotspots that cover less than this are called a part

std::string gain(double speedup) {
  return fmt::format("{:.2f}×", speedup);
}

// Wraps text to the terminal's width and indents each line.
void write_paragraph(Output& out, std::string_view text, std::size_t indent) {
  const std::size_t width = std::max(kMinWidth, (out.width() == 0 ? kWidth : out.width()) - indent);
  std::size_t column = 0;
  for (const std::string_view word : split(text, ' ')) {
    if (word.empty()) continue;
    if (column > 0 && column + 1 + word.size() > width) {
      out.put('\n');
      column = 0;
    }
    if (column == 0) {
      out.put(std::string(indent, ' '));
    } else {
      out.put(' ');
      ++column;
    }
    out.put(word);
    column += word.size();
  }
  if (column > 0) out.put('\n');
}

// "335 µs predicted; no GPU used", "12.4 ms measured (3 launches), 11.9 ms predicted".
std::string times(const AdviseReport& report) {
  const timing::Prediction* predicted = report.given.prediction();
  std::string text;
  if (report.measured_us) {
    text = time_text(*report.measured_us) + " measured";
    if (report.launches > 1) text += fmt::format(" (median of {} launches)", report.launches);
  }
  if (predicted != nullptr) {
    text += (text.empty() ? "" : ", ") + time_text(predicted->time_us) + " predicted";
  }
  if (report.samples > 0) {
    text += fmt::format("{}{} samples", text.empty() ? "" : "; ", whole(report.samples));
  } else if (!report.measured_us) {
    text += "; no GPU used";
  }
  return text;
}

// "called from main.cpp:42 (60.0 % of the time), main.cpp:50 (40.0 %)".
std::string callers_text(const std::vector<jobs::Caller>& callers) {
  std::string text = "called from ";
  const std::size_t shown = std::min(callers.size(), kMaxCallers);
  for (std::size_t k = 0; k < shown; ++k) {
    text += fmt::format("{}{} ({}{})", k == 0 ? "" : ", ",
                        callers[k].place.empty() ? "an unknown place" : callers[k].place,
                        percent(callers[k].share), k == 0 ? " of the time" : "");
  }
  if (shown < callers.size()) text += " and " + count_of(callers.size() - shown, "more place");
  return text;
}

}  // namespace

void write_advice_head(Output& out, const AdviseReport& report) {
  const advise::Case& c = report.given;
  out.put(Style::kBold, read::shorten(c.kernel.function->demangled, out.width()), Style::kPlain,
          " on ", c.machine.name);
  if (report.launch != 0) out.put(", launch ", report.launch, " of ", report.file);
  out.put(": ", times(report), '\n');
  if (report.machine_assumed) {
    out.put("no --machine given: assuming ", c.machine.name, " for ",
            read::to_string(c.machine.arch), '\n');
  }
  if (!report.callers.empty()) out.put(callers_text(report.callers), '\n');
  if (!report.limit.empty()) out.put(report.limit, '\n');
  if (c.prediction() != nullptr) write_interval(out, c.prediction()->certainty);
}

std::string opcode_at(const analyze::CodePlace& place) {
  const std::size_t from = place.instruction.starts_with('@') ? place.instruction.find(' ') + 1 : 0;
  const std::size_t end = place.instruction.find(' ', from);
  return fmt::format("{} at 0x{:04x}", std::string_view(place.instruction).substr(from, end - from),
                     place.offset);
}

namespace {

// Both estimates if they differ, and why one of them is used.
std::string estimates(const AdviseReport& report, const advise::Finding& finding) {
  std::string text;
  const std::optional<double> emulated = finding.speedup_emulated;
  if (emulated) {
    text = "re-emulated without the cause: " + gain(*emulated);
    if (const timing::Prediction* p = report.given.prediction()) {
      text += fmt::format(" ({})", time_text(p->time_us / *emulated));
    }
    const bool alike = std::abs(finding.speedup_paper / *emulated - 1) < kMinDifference;
    if (alike && gain(finding.speedup) == gain(*emulated)) return text;
  }
  text += fmt::format("{}{}: {}", text.empty() ? "" : "; ",
                      finding.computed ? "computed from the launch" : "GPA estimate",
                      gain(finding.speedup_paper));
  if (!finding.computed && finding.speedup_paper >= advise::kMaxEquation)
    text += ", the most that its equations give";
  if (emulated) return finding.trust.empty() ? text : text + "; using " + finding.trust;
  // The only estimate need not be named again.
  const std::string_view name =
      finding.computed ? "the value computed from the launch" : "the GPA estimate";
  const std::string_view trust = finding.trust;
  if (trust.empty()) return text;
  return text.append(trust.starts_with(name) ? "" : "; using ")
      .append(trust.starts_with(name) ? trust.substr(name.size()) : trust);
}

void write_hotspot(Output& out, const AdviseReport& report, const advise::Hotspot& spot) {
  const analyze::CodePlace waits = analyze::code_place(report.given.kernel, spot.waits);
  std::string text = fmt::format("{:>6}  {}  {}  {}", percent(spot.share), gain(spot.speedup),
                                 waits.name(), opcode_at(waits));
  if (spot.cause != spot.waits && spot.cause != read::kNoIndex) {
    const analyze::CodePlace cause = analyze::code_place(report.given.kernel, spot.cause);
    text += " stalls on " + opcode_at(cause);
    if (cause.name() != waits.name() && !cause.file.empty()) text += ", " + cause.name();
    if (spot.distance > 0)
      text += fmt::format(", {} earlier", count_of(spot.distance, "instruction"));
  }
  if (!spot.loop.empty()) text += "; " + spot.loop;
  const std::string library = advise::library_call(report.given.kernel, spot.waits);
  if (!library.empty() && !waits.file.empty()) {
    text += fmt::format("; inside {}(), called at {}", library, waits.name());
  } else if (!waits.inlined.empty()) {
    const analyze::CodePlace::Call& outer = waits.inlined[1];
    const std::string function = read::readable_name(waits.inlined[0].function);
    text += fmt::format("; {}inlined at {}",
                        function.empty() ? "" : fmt::format("in {}, ", read::bare_name(function)),
                        line_name(outer.file, outer.line));
  } else if (!spot.function.empty() &&
             spot.function != read::plain_name(report.given.kernel.function->demangled) &&
             spot.function != report.given.kernel.function->demangled) {
    text += "; in " + spot.function;
  }
  if (!waits.called.empty()) {
    const analyze::CodePlace::Call& first = waits.called[0];
    text += "; called at " + line_name(first.file, first.line);
    if (waits.called.size() > 1) text += fmt::format(" and {} more", waits.called.size() - 1);
  }
  out.put(std::string(kIndent, ' '), text, '\n');
}

void write_hotspots(Output& out, const AdviseReport& report, const advise::Finding& finding) {
  if (finding.hotspots.empty()) return;
  if (finding.coverage < kSpread && finding.spread > finding.hotspots.size()) {
    write_paragraph(out,
                    fmt::format("spread over {}; the {} hottest account for {}:",
                                count_of(finding.spread, "location"), finding.hotspots.size(),
                                percent(finding.coverage)),
                    kIndent);
  }
  for (const advise::Hotspot& spot : finding.hotspots) write_hotspot(out, report, spot);
}

// Widths of the columns of a finding's first line.
struct FindingColumns {
  std::size_t gain = 7, rule = 0, place = 0;
};

void write_finding(Output& out, const AdviseReport& report, std::size_t number,
                   std::span<const advise::Finding> shown, const FindingColumns& columns) {
  const advise::Finding& finding = shown[number - 1];
  std::string place = "whole launch";
  std::string_view line;
  if (finding.where != read::kNoIndex) {
    const analyze::CodePlace at = analyze::code_place(report.given.kernel, finding.where);
    place = at.name();
    line = report.source.line(std::string(at.file), at.line);
  }
  out.put('\n', Left{std::to_string(number), 3}, Style::kBold,
          Left{gain(finding.speedup), columns.gain}, Left{finding.rule, columns.rule},
          Style::kPlain);
  if (line.empty()) {
    out.put(place, '\n');
  } else {
    out.put(Left{place, columns.place}, line, '\n');
  }
  write_paragraph(out, finding.text, kIndent);
  write_paragraph(out, finding.hint, kIndent);
  write_paragraph(out, finding.tried ? tried_text(finding) : estimates(report, finding), kIndent);
  // Only findings that are shown too.
  std::vector<std::string> overlaps = finding.overlaps;
  std::erase_if(overlaps, [&](const std::string& rule) {
    return std::ranges::find(shown, rule, &advise::Finding::rule) == shown.end();
  });
  if (!overlaps.empty()) {
    write_paragraph(
        out,
        "overlaps with " + list_of(overlaps, overlaps.size()) + ": the speedups are not additive",
        kIndent);
  }
  write_hotspots(out, report, finding);
}

// The number of findings, largest first, whose gain is worth the work. A smaller gain may be a
// model error; a change that was compiled and predicted is more certain, and already made.
std::size_t worthwhile(const std::vector<advise::Finding>& findings) {
  std::size_t large = findings.size();
  while (large > 0 && !findings[large - 1].tried && findings[large - 1].speedup < kMinShownGain) {
    --large;
  }
  return large;
}

void write_findings(Output& out, const AdviseReport& report) {
  const std::vector<advise::Finding>& findings = report.advice.findings;
  const std::size_t large = report.top ? findings.size() : worthwhile(findings);
  const std::size_t shown = std::min(large, report.top.value_or(kTopUnasked));
  FindingColumns columns;
  for (std::size_t k = 0; k < shown; ++k) {
    columns.gain = std::max(columns.gain, gain(findings[k].speedup).size() + 1);  // "×": two bytes
    columns.rule = std::max(columns.rule, findings[k].rule.size() + 2);
    if (findings[k].where == read::kNoIndex) continue;
    columns.place =
        std::max(columns.place,
                 analyze::code_place(report.given.kernel, findings[k].where).name().size() + 2);
  }
  for (std::size_t k = 0; k < shown; ++k) {
    write_finding(out, report, k + 1, std::span(findings).first(shown), columns);
  }
  if (findings.empty()) out.put("\nno rule finds a speedup above 1 %\n");
  if (shown < large) {
    out.put("\nand ", count_of(large - shown, "more finding"), "; use --top to show more\n");
  }
  if (large < findings.size()) {
    out.put(large == 0 ? "\nnothing worth a change: " : "\nnot shown: ",
            count_of(findings.size() - large, "finding"), " below ", gain(kMinShownGain),
            ", within the error of the estimates; use --all to show ",
            findings.size() - large == 1 ? "it" : "them", '\n');
  }
}

void write_foot(Output& out, const AdviseReport& report) {
  const timing::Prediction* predicted = report.given.prediction();
  std::string text;
  std::size_t shown = 0;
  for (const analyze::Bound& bound : report.limits.bounds) {
    if (shown == kMaxBounds || predicted == nullptr) break;
    if (bound.time_us < kMinBound * predicted->time_us) continue;
    text += fmt::format("   {} {}", bound.name, time_text(bound.time_us));
    ++shown;
  }
  if (!text.empty()) out.put("\nlower bounds", text, '\n');
  const advise::BlamedProfile& blamed = report.given.blamed;
  out.put(text.empty() ? "\n" : "", "causes        ", percent(blamed.coverage_after),
          " of the stalled instructions have a single cause");
  if (report.agreement) {
    out.put("; sampled and emulated stalls agree to ", percent(*report.agreement));
  }
  out.put('\n');
  for (const std::string& note : report.notes) out.put("note: ", note, '\n');
  for (const std::string& note : report.advice.notes) out.put("note: ", note, '\n');
  if (predicted != nullptr) {
    out.put("run `burin explain` on the same launch for bottlenecks and what-ifs\n");
  }
}

}  // namespace

void write_advice(Output& out, const AdviseReport& report) {
  if (const analyze::Study* study = report.given.study) {
    write_fault_notes(out, report.given.kernel,
                      timing::launch_faults(study->launch(), study->machine()),
                      study->base().faults);
  }
  write_advice_head(out, report);
  if (report.plan != nullptr) write_headroom(out, *report.plan);
  write_findings(out, report);
  if (report.plan != nullptr) write_plan(out, *report.plan);
  if (report.tried != nullptr) write_tried(out, *report.tried);
  if (report.fix != nullptr) write_fix(out, *report.fix, report.patch);
  write_foot(out, report);
}

std::string_view name(advise::BlamedProfile::Source source) {
  return source == advise::BlamedProfile::Source::kSamples ? "samples" : "emulated";
}

AdviseReport report_of(jobs::AdvisedLaunch& advised, const std::string& file) {
  const jobs::AdviseInput& input = advised.input;
  return {.file = file,
          .given = *advised.given,
          .advice = advised.advice,
          .source = *advised.source,
          .machine_assumed = input.machine_assumed,
          .launch = input.number,
          .launches = input.launches,
          .samples = advised.blamed.source == advise::BlamedProfile::Source::kSamples
                         ? input.samples.total()
                         : 0,
          .measured_us = input.measured_us,
          .limit = limit_text(*advised.given, advised.limits),
          .limits = advised.limits,
          .agreement = advised.agreement,
          .callers = input.callers,
          .notes = input.notes,
          .fix = advised.fix ? &*advised.fix : nullptr,
          .plan = advised.plan ? &*advised.plan : nullptr,
          .tried = advised.tried ? &*advised.tried : nullptr,
          .top = advised.request.top};
}

}  // namespace burin::report
