#include "report/advice/causes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "advise/blame/causes.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::report {
namespace {

constexpr std::size_t kRowsUnasked = 10;

// "global memory"; docs/blame.md explains the classes.
std::string dependency_words(advise::Dependency dependency) {
  std::string words(advise::name(dependency));
  std::ranges::replace(words, '_', ' ');
  return words;
}

std::string stalled_text(const AdviseReport& report, const advise::StallCause& row) {
  const analyze::CodePlace place = analyze::code_place(report.given.kernel, row.waits);
  return place.file.empty() ? opcode_at(place) : place.name() + " " + opcode_at(place);
}

std::string blamed_text(const AdviseReport& report, const advise::StallCause& row) {
  std::string text;
  if (row.dependency == advise::Dependency::kUnknown) {
    text = "unknown";
  } else if (row.cause == row.waits) {
    text = "itself";
  } else {
    const analyze::CodePlace cause = analyze::code_place(report.given.kernel, row.cause);
    text = fmt::format("{}{}, {} earlier", cause.file.empty() ? "" : cause.name() + " ",
                       opcode_at(cause), count_of(row.distance, "instruction"));
  }
  if (row.pairs > 1) {
    text +=
        fmt::format("; {} such {}", row.pairs, row.cause == row.waits ? "instructions" : "pairs");
  }
  return text;
}

// Columns of text, as wide as their widest cell; the last one is not padded.
class Columns {
 public:
  explicit Columns(std::vector<std::string> heads) { add(std::move(heads)); }

  void add(std::vector<std::string> cells) {
    widths_.resize(std::max(widths_.size(), cells.size()));
    for (std::size_t k = 0; k < cells.size(); ++k)
      widths_[k] = std::max(widths_[k], cells[k].size());
    rows_.push_back(std::move(cells));
  }

  // The first `numbers` columns are aligned to the right.
  void write(Output& out, std::size_t numbers) const {
    for (const std::vector<std::string>& row : rows_) {
      for (std::size_t k = 0; k < row.size(); ++k) {
        out.put("  ");
        if (k < numbers) {
          out.put(Right{row[k], widths_[k]});
        } else {
          out.put(Left{row[k], k + 1 == row.size() ? 0 : widths_[k]});
        }
      }
      out.put('\n');
    }
  }

 private:
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> rows_;
};

void write_table(Output& out, const AdviseReport& report,
                 const std::vector<advise::StallCause>& rows, bool by_loop) {
  const bool pruned = !report.given.blamed.unpruned.empty();
  std::vector<std::string> heads{"share"};
  if (pruned) heads.emplace_back("unpruned");
  heads.insert(heads.end(), {"stall", "dependency"});
  if (by_loop) heads.emplace_back("loop");
  heads.insert(heads.end(), {by_loop ? "mostly" : "stalled", "blamed"});
  Columns columns(std::move(heads));
  const std::size_t shown = std::min(rows.size(), report.top.value_or(kRowsUnasked));
  for (const advise::StallCause& row : std::span(rows).first(shown)) {
    std::vector<std::string> cells{percent(row.share)};
    if (pruned) cells.push_back(percent(row.share_unpruned.value_or(0)));
    cells.insert(cells.end(),
                 {std::string(launch::name(row.stall)), dependency_words(row.dependency)});
    if (by_loop) {
      const std::string loop = report.given.places.loop_name(row.loop);
      cells.push_back(loop.empty() ? "outside loops" : loop);
    }
    cells.insert(cells.end(), {stalled_text(report, row), blamed_text(report, row)});
    columns.add(std::move(cells));
  }
  out.put("\n", Style::kBold, by_loop ? "stalls by loop" : "stalls by line", Style::kPlain,
          ", in shares of warp time\n");
  columns.write(out, pruned ? 2 : 1);
  if (shown < rows.size()) {
    out.put("  and ", count_of(rows.size() - shown, "more row"), "; use --top or --all\n");
  }
}

// The whole warp time, and how certain the causes are.
void write_sums(Output& out, const AdviseReport& report, const advise::StallCauses& causes) {
  double other = 0;
  double own = 0;
  double unknown = 0;
  for (const advise::StallCause& row : causes.lines) {
    (row.dependency == advise::Dependency::kOwn       ? own
     : row.dependency == advise::Dependency::kUnknown ? unknown
                                                      : other) += row.share;
  }
  out.put("\nwarp time     ", percent(other), " stalled on another instruction, ", percent(own),
          " on the instruction's own unit or fetch, ", percent(unknown), " of unknown cause; ",
          percent(causes.issued), " issued; ", percent(causes.unattributed), " unattributed\n");
  const advise::BlamedProfile& blamed = report.given.blamed;
  if (blamed.source == advise::BlamedProfile::Source::kEmulated) {
    out.put("causes        known to the emulator: nothing to prune\n");
  } else {
    out.put("causes        single for ", percent(blamed.coverage_before),
            " of the stalled instructions before pruning, ", percent(blamed.coverage_after),
            " after");
    if (report.agreement) {
      out.put("; sampled and emulated stalls agree to ", percent(*report.agreement));
    }
    out.put('\n');
  }
  for (const std::string& note : report.notes) out.put("note: ", note, '\n');
}

}  // namespace

void write_causes(Output& out, const AdviseReport& report) {
  write_advice_head(out, report);
  const advise::StallCauses causes = advise::causes_of(report.given.kernel, report.given.blamed);
  write_table(out, report, causes.lines, false);
  if (!report.given.kernel.loops.empty()) write_table(out, report, causes.loops, true);
  write_sums(out, report, causes);
}

namespace {

void write_rows(Json& json, const AdviseReport& report, const char* key,
                const std::vector<advise::StallCause>& rows) {
  json.open(key, '[');
  const std::size_t shown = std::min(rows.size(), report.top.value_or(rows.size()));
  for (const advise::StallCause& row : std::span(rows).first(shown)) {
    json.open('{');
    json.field("share", row.share);
    json.field("share_unpruned", row.share_unpruned);
    json.field("stall", launch::name(row.stall));
    json.field("dependency", advise::name(row.dependency));
    json.field("distance", row.distance);
    json.field("pairs", row.pairs);
    for (const auto& [name, instruction] : {std::pair("def", row.cause), {"use", row.waits}}) {
      json.open(name, '{');
      write_place_fields(json, report, instruction);
      json.close();
    }
    json.field("loop", report.given.places.loop_name(row.loop));
    json.close();
  }
  json.close();
}

}  // namespace

void write_causes_json(Json& json, const AdviseReport& report) {
  const advise::BlamedProfile& blamed = report.given.blamed;
  const advise::StallCauses causes = advise::causes_of(report.given.kernel, blamed);
  json.open('{');
  write_launch_fields(json, report, "burin.causes/1");
  json.field("issued", causes.issued);
  json.field("unattributed", causes.unattributed);
  json.field("coverage_before", blamed.coverage_before);
  json.field("coverage_after", blamed.coverage_after);
  json.field("agreement", report.agreement);
  write_rows(json, report, "causes", causes.lines);
  write_rows(json, report, "loops", causes.loops);
  json.open("notes", '[');
  for (const std::string& note : report.notes) json.element(note);
  json.close();
  json.close();
}

}  // namespace burin::report
