// A diff as a summary for a pull request.
#include <algorithm>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "report/advice/diff.h"

namespace burin::report {
namespace {

constexpr std::size_t kMaxRows = 200;

// Names from a binary must not end the cell or begin markup.
std::string cell(std::string_view text) {
  std::string out = "`";
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '`' ? '\'' : (c == '\n' || c == '\r') ? ' ' : c;
  }
  return out + "`";
}

std::string change_text(std::uint64_t was, std::uint64_t is) {
  if (was == is) return with_commas(is);
  return fmt::format("{} → {}", with_commas(was), with_commas(is));
}

std::string interval_text(const advise::KernelFacts& facts) {
  if (facts.measured_us) return time_text(*facts.measured_us) + " measured";
  if (!facts.predicted_us) return "–";
  return fmt::format("{} ({} … {})", time_text(*facts.predicted_us),
                     time_text(facts.certainty.low_us), time_text(facts.certainty.high_us));
}

std::string verdict_text(const advise::KernelVerdict& verdict) {
  static constexpr std::string_view kMarks[] = {"🟢 **faster**", "🔴 **slower**", "same",
                                                "unclear"};
  std::string text(kMarks[static_cast<std::size_t>(verdict.verdict)]);
  if (verdict.ratio && verdict.verdict != timing::Verdict::kSame) {
    text += fmt::format(" {:.2f}× ({:.2f} … {:.2f})", verdict.ratio->ratio, verdict.ratio->low,
                        verdict.ratio->high);
  }
  return text;
}

void write_markdown_row(Output& out, const advise::KernelDiff& kernel) {
  const advise::KernelFacts& a = *kernel.pair.before;
  const advise::KernelFacts& b = *kernel.pair.after;
  out.put("| ", cell(b.demangled));
  if (kernel.pair.renamed) out.put(" (was ", cell(a.demangled), ")");
  out.put(" | ", change_text(a.registers, b.registers), " | ", change_text(a.spills, b.spills),
          " | ", change_text(a.instructions, b.instructions), " | ", interval_text(a), " | ",
          interval_text(b), " | ", verdict_text(advise::verdict_of(kernel.pair)), " |\n");
}

void write_new_advice(Output& out, const advise::Diff& diff) {
  bool first = true;
  for (const advise::KernelDiff& kernel : diff.kernels) {
    for (const advise::AdviceChange& change : kernel.advice) {
      if (change.before != nullptr) continue;
      if (first) out.put("\nNew advice:\n\n");
      first = false;
      out.put("- ", cell(kernel.pair.after->demangled), ": ",
              fmt::format("{:.2f}× {}", change.after->speedup, change.after->rule));
      if (!change.after->where.file.empty()) {
        out.put(" at ", cell(line_name(change.after->where.file, change.after->where.line)));
      }
      out.put('\n');
    }
  }
}

void write_names(Output& out, const char* what,
                 const std::vector<const advise::KernelFacts*>& list) {
  if (list.empty()) return;
  out.put('\n', what, ": ");
  const std::size_t shown = std::min(list.size(), kMaxRows);
  for (std::size_t k = 0; k < shown; ++k) out.put(k == 0 ? "" : ", ", cell(list[k]->demangled));
  if (shown < list.size()) out.put(" and ", list.size() - shown, " more");
  out.put(".\n");
}

}  // namespace

void write_diff_markdown(Output& out, const advise::Diff& diff) {
  std::vector<const advise::KernelDiff*> changed;
  std::size_t counts[4] = {};
  for (const advise::KernelDiff& kernel : diff.kernels) {
    ++counts[static_cast<std::size_t>(advise::verdict_of(kernel.pair).verdict)];
    if (kernel.is_changed() || kernel.pair.after->predicted_us) changed.push_back(&kernel);
  }
  out.put("### GPU kernels: ", cell(diff.before.file), " → ", cell(diff.after.file), "\n\n");
  out.put(count_of(diff.kernels.size(), "kernel"), " in both: ", counts[0], " faster, ", counts[1],
          " slower, ", counts[2], " the same, ", counts[3],
          " unclear; predicted without a GPU where a launch is given.\n");
  if (!changed.empty()) {
    out.put(
        "\n| kernel | registers | spills | instructions | time before | time after | verdict |\n"
        "|---|--:|--:|--:|--:|--:|---|\n");
    const std::size_t shown = std::min(changed.size(), kMaxRows);
    for (std::size_t k = 0; k < shown; ++k) write_markdown_row(out, *changed[k]);
    if (shown < changed.size()) {
      out.put("\n", changed.size() - shown, " more changed kernels are not shown.\n");
    }
  }
  write_new_advice(out, diff);
  write_names(out, "Removed", diff.gone);
  write_names(out, "Added", diff.added);
  bool first = true;
  for (const advise::DiffSide* side : {&diff.before, &diff.after}) {
    for (const std::string& note : side->notes) {
      if (first) out.put('\n');
      first = false;
      out.put("Note: ", cell(side->file + ": " + note), "\n");
    }
  }
}

}  // namespace burin::report
