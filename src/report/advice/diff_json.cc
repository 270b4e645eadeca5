// A diff for programs.
#include "read/program/classes.h"
#include "report/advice/diff.h"

namespace burin::report {
namespace {

void write_side(Json& json, const advise::KernelFacts& facts) {
  json.field("kernel", facts.name);
  json.field("demangled", facts.demangled);
  for (const advise::CountedChange& each : advise::counted_changes())
    json.field(each.name, facts.*(each.value));
  json.open("classes", '{');
  const auto classes = read::instruction_classes();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    if (facts.classes[c] > 0) json.field(classes[c], facts.classes[c]);
  }
  json.close();
  if (facts.launches > 0) json.field("launches", facts.launches);
  json.field("measured_us", facts.measured_us);
  json.field("predicted_us", facts.predicted_us);
  if (facts.predicted_us) {
    json.field("predicted_low_us", facts.certainty.low_us);
    json.field("predicted_high_us", facts.certainty.high_us);
  }
  json.open("stalls", '{');
  if (facts.profiled > 0) {
    json.field("issuing", facts.issued);
    for (std::size_t s = 0; s < launch::kStalls; ++s) {
      if (facts.stalls[s] > 0)
        json.field(launch::name(static_cast<launch::Stall>(s)), facts.stalls[s]);
    }
  }
  json.close();
}

void write_line_side(Json& json, std::string_view key, const std::optional<advise::LineKey>& line,
                     const advise::LineFacts& facts) {
  if (!line) {
    json.field(key, nullptr);
    return;
  }
  json.open(key, '{');
  const bool known = !line->file.empty();
  json.field("file", known ? std::string_view(line->file) : std::optional<std::string_view>());
  json.field("line", known ? line->line : std::optional<std::uint32_t>());
  json.field("instructions", facts.instructions);
  json.field("share", facts.share);
  json.open("stalls", '{');
  for (std::size_t s = 0; s < launch::kStalls; ++s) {
    if (facts.stalls[s] > 0)
      json.field(launch::name(static_cast<launch::Stall>(s)), facts.stalls[s]);
  }
  json.close();
  json.close();
}

void write_lines(Json& json, const advise::KernelDiff& kernel) {
  json.open("lines", '[');
  for (const advise::LineChange& change : kernel.lines) {
    json.open('{');
    write_line_side(json, "before", change.before, change.was);
    write_line_side(json, "after", change.after, change.is);
    json.close();
  }
  json.close();
}

void write_advice(Json& json, const advise::KernelDiff& kernel) {
  json.open("advice", '[');
  for (const advise::AdviceChange& change : kernel.advice) {
    const advise::AdviceFacts& facts = change.after != nullptr ? *change.after : *change.before;
    json.open('{');
    json.field("rule", facts.rule);
    json.field("change", change.after == nullptr    ? "gone"
                         : change.before == nullptr ? "new"
                                                    : "still");
    json.field("before",
               change.before == nullptr ? std::optional<double>() : change.before->speedup);
    json.field("after", change.after == nullptr ? std::optional<double>() : change.after->speedup);
    const bool known = !facts.where.file.empty();
    json.field("file",
               known ? std::string_view(facts.where.file) : std::optional<std::string_view>());
    json.field("line", known ? facts.where.line : std::optional<std::uint32_t>());
    json.close();
  }
  json.close();
}

void write_one_sided(Json& json, std::string_view key,
                     const std::vector<const advise::KernelFacts*>& list) {
  json.open(key, '[');
  for (const advise::KernelFacts* facts : list) {
    json.open('{');
    write_side(json, *facts);
    json.close();
  }
  json.close();
}

}  // namespace

void write_diff_json(Json& json, const advise::Diff& diff) {
  json.open('{');
  json.field("schema", "burin.diff/1");
  json.field("before", diff.before.file);
  json.field("after", diff.after.file);
  json.open("kernels", '[');
  for (const advise::KernelDiff& kernel : diff.kernels) {
    json.open('{');
    json.field("kernel", kernel.pair.after->name);
    json.field("renamed", kernel.pair.renamed);
    json.field("changed", kernel.is_changed());
    const std::optional<advise::TimeChange> time = advise::time_change(kernel.pair);
    json.field("time_ratio", time ? time->after_us / time->before_us : std::optional<double>());
    const advise::KernelVerdict verdict = advise::verdict_of(kernel.pair);
    json.field("verdict", timing::name(verdict.verdict));
    json.field("time_ratio_low", verdict.ratio ? verdict.ratio->low : std::optional<double>());
    json.field("time_ratio_high", verdict.ratio ? verdict.ratio->high : std::optional<double>());
    json.open("before", '{');
    write_side(json, *kernel.pair.before);
    json.close();
    json.open("after", '{');
    write_side(json, *kernel.pair.after);
    json.close();
    write_lines(json, kernel);
    write_advice(json, kernel);
    json.close();
  }
  json.close();
  write_one_sided(json, "gone", diff.gone);
  write_one_sided(json, "added", diff.added);
  json.open("notes", '[');
  for (const advise::DiffSide* side : {&diff.before, &diff.after}) {
    for (const std::string& note : side->notes) json.element(side->file + ": " + note);
  }
  json.close();
  json.close();
}

}  // namespace burin::report
