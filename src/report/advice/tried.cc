#include "report/advice/tried.h"

#include <map>

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"

namespace burin::report {
namespace {

constexpr std::size_t kMaxNotFaster = 8;

std::string times_faster(double speedup) {
  return fmt::format("{:.2f}×", speedup);
}

// The best change of each family and place, if none of them gains.
std::vector<std::string> not_faster(const jobs::TriedChanges& tried) {
  std::map<std::pair<std::string, std::string>, const jobs::TriedChange*> best;
  for (const jobs::TriedChange& change : tried.changes) {
    if (change.speedup <= 0) continue;
    const jobs::TriedChange*& most = best[{change.change.family, change.change.place}];
    if (most == nullptr || change.speedup > most->speedup) most = &change;
  }
  std::vector<std::string> texts;
  for (const auto& [key, change] : best) {
    if (change->gains()) continue;
    texts.push_back(
        fmt::format("{} ({})", change->change.title,
                    change->result.same_code ? "same code" : times_faster(change->speedup)));
  }
  return texts;
}

std::vector<std::string> not_tried(const jobs::TriedChanges& tried) {
  std::vector<std::string> texts;
  for (const advise::RefusedChange& refused : tried.refused) {
    texts.push_back(refused.title + ": " + refused.why);
  }
  std::map<std::string, bool> told;
  for (const jobs::TriedChange& change : tried.changes) {
    if (change.result.refused.empty() || told[change.change.family + change.result.refused])
      continue;
    told[change.change.family + change.result.refused] = true;
    texts.push_back(change.change.title + ": " + change.result.refused);
  }
  return texts;
}

}  // namespace

std::string tried_text(const advise::Finding& finding) {
  const advise::TriedResult& tried = *finding.tried;
  const bool estimated = finding.hint.find("Check the new code") != std::string::npos;
  return fmt::format("tried: {}: compiled and predicted {}, {}{}{}{}", tried.change,
                     time_text(tried.time_us), times_faster(tried.speedup),
                     estimated ? "; the time above is an estimate for the whole change" : "",
                     tried.condition.empty() ? "" : ". ", tried.condition);
}

void write_tried(Output& out, const jobs::TriedChanges& tried) {
  out.put("\ntried         ", count_of(tried.changes.size() - tried.not_reached, "change"));
  if (tried.not_reached > 0) {
    out.put(fmt::format("; no time for {} more, see --try-time", tried.not_reached));
  }
  out.put('\n');
  const std::vector<std::string> slower = not_faster(tried);
  if (!slower.empty()) out.put("not faster    ", list_of(slower, kMaxNotFaster), '\n');
  for (const std::string& text : not_tried(tried)) out.put("not tried     ", text, '\n');
}

void write_tried_json(Json& json, const jobs::TriedChanges& tried) {
  json.open("tried", '{');
  json.field("predicted_us", tried.base_us);
  json.field("not_reached", tried.not_reached);
  json.open("changes", '[');
  for (const jobs::TriedChange& each : tried.changes) {
    json.open('{');
    json.field("family", each.change.family);
    json.field("place", each.change.place);
    json.field("change", each.change.title);
    json.field("condition", each.change.condition);
    json.field("in_source", each.change.in_source());
    json.field("predicted_us", each.result.time_us);
    json.field("speedup", each.speedup > 0 ? std::optional<double>(each.speedup) : std::nullopt);
    json.field("same_code", each.result.same_code);
    json.field("registers", each.result.registers);
    json.field("local", each.result.local_bytes);
    json.field("refused", each.result.refused);
    json.close();
  }
  json.close();
  json.open("refused", '[');
  for (const advise::RefusedChange& refused : tried.refused) {
    json.open('{');
    json.field("change", refused.title);
    json.field("why", refused.why);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
