#include "report/launch/compare.h"

#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

constexpr std::size_t kInterval = 23;  // columns
constexpr std::size_t kTime = 9;
constexpr std::size_t kRatio = 7;
constexpr std::size_t kRange = 14;
constexpr std::size_t kVerdict = 9;

// "1.86 … 2.60", right-aligned by what is seen, not by bytes.
void put_right(Output& out, const std::string& text, std::size_t columns) {
  std::size_t seen = 0;
  for (const char c : text) seen += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  if (seen < columns) out.put(std::string(columns - seen, ' '));
  out.put(text);
}

std::string range_text(const timing::TimeRatio& ratio) {
  return fmt::format("{:.2f} … {:.2f}", ratio.low, ratio.high);
}

void write_row(Output& out, const jobs::Comparison& comparison, std::size_t place) {
  const jobs::Version& version = comparison.versions[comparison.order[place]];
  const timing::Prediction& p = version.predicted->prediction;
  out.put(Right{place + 1, 2}, "  ");
  put_right(out, time_text(p.time_us), kTime);
  put_right(out, time_text(p.certainty.low_us) + " … " + time_text(p.certainty.high_us), kInterval);
  put_right(out, place == 0 ? "1" : fmt::format("{:.2f}", version.to_best.ratio), kRatio);
  put_right(out, place == 0 ? "" : range_text(version.to_best), kRange);
  out.put("  ", Left{place == 0 ? "" : timing::name(version.verdict), kVerdict}, version.name,
          '\n');
}

// "a.cu, b.cu and c.cu".
std::string names_of(const jobs::Comparison& comparison, const std::vector<std::size_t>& which) {
  std::string text;
  for (std::size_t k = 0; k < which.size(); ++k) {
    if (k > 0) text += k + 1 == which.size() ? " and " : ", ";
    text += comparison.versions[which[k]].name;
  }
  return text;
}

bool all_same(const jobs::Comparison& comparison, const std::vector<std::size_t>& which) {
  for (std::size_t k = 1; k < which.size(); ++k) {
    if (comparison.versions[which[k]].verdict != timing::Verdict::kSame) return false;
  }
  return true;
}

std::string conclusion(const jobs::Comparison& comparison) {
  const std::vector<std::size_t> contenders = comparison.contenders();
  if (comparison.order.size() == 1) {
    return comparison.best().name + " is the only version with a prediction.";
  }
  if (contenders.size() == 1) {
    const jobs::Version& second = comparison.versions[comparison.order[1]];
    return fmt::format("{} is the fastest: {} takes {:.2f} to {:.2f} times as long.",
                       comparison.best().name, second.name, second.to_best.low,
                       second.to_best.high);
  }
  if (all_same(comparison, contenders)) {
    return names_of(comparison, contenders) + " are the same code.";
  }
  return fmt::format("No difference I would bet on between {}: measure them.",
                     names_of(comparison, contenders));
}

}  // namespace

void write_comparison(Output& out, const jobs::Comparison& comparison) {
  const jobs::PredictedLaunch& first = *comparison.best().predicted;
  out.put(count_of(comparison.versions.size(), "version"), " on ", Style::kBold,
          first.on.machine.name, Style::kPlain, ", caches ", first.options.warm ? "warm" : "cold",
          "; no GPU used\n");
  if (first.on.machine_assumed) {
    out.put("no --machine given: assuming ", first.on.machine.name, " for ",
            read::to_string(first.on.machine.arch), '\n');
  }
  out.put("\n    ");
  put_right(out, "time", kTime);
  put_right(out, "80 % between", kInterval);
  put_right(out, "ratio", kRatio);
  put_right(out, "80 % between", kRange);
  out.put("  ", Left{"", kVerdict}, "version\n");
  for (std::size_t k = 0; k < comparison.order.size(); ++k) write_row(out, comparison, k);
  for (const jobs::Version& version : comparison.versions) {
    if (version.predicted != nullptr && version.predicted->prediction.certainty.defer) {
      out.put(version.name, ": measure it, ", version.predicted->prediction.certainty.reason, '\n');
    }
    if (version.predicted == nullptr) {
      out.put(" –  ", version.name, ": no prediction: ", version.problem, '\n');
    }
  }
  out.put('\n', conclusion(comparison), '\n');
}

void write_comparison_json(Json& json, const jobs::Comparison& comparison) {
  const jobs::PredictedLaunch& first = *comparison.best().predicted;
  json.open('{');
  json.field("schema", "burin.compare/1");
  json.field("machine", first.on.machine.name);
  json.field("machine_assumed", first.on.machine_assumed);
  json.field("caches", first.options.warm ? "warm" : "cold");
  json.field("best", comparison.best().name);
  json.field("certain", comparison.order.size() > 1 && comparison.contenders().size() == 1);
  json.open("contenders", '[');
  for (const std::size_t k : comparison.contenders()) json.element(comparison.versions[k].name);
  json.close();
  json.open("versions", '[');
  for (std::size_t k = 0; k < comparison.order.size(); ++k) {
    const jobs::Version& version = comparison.versions[comparison.order[k]];
    const timing::Prediction& p = version.predicted->prediction;
    json.open('{');
    json.field("version", version.name);
    json.field("rank", k + 1);
    json.field("kernel", version.predicted->on.launch.loaded->function().demangled);
    json.field("registers", version.predicted->on.launch.loaded->function().registers);
    json.field("time_us", p.time_us);
    json.field("low_us", p.certainty.low_us);
    json.field("high_us", p.certainty.high_us);
    json.field("kind", p.certainty.kind);
    json.field("defer", p.certainty.defer);
    json.open("to_best", '{');
    json.field("ratio", version.to_best.ratio);
    json.field("low", version.to_best.low);
    json.field("high", version.to_best.high);
    json.close();
    json.field("verdict", k == 0 ? "best" : timing::name(version.verdict));
    json.close();
  }
  json.close();
  json.open("problems", '[');
  for (const jobs::Version& version : comparison.versions) {
    if (version.predicted != nullptr) continue;
    json.open('{');
    json.field("version", version.name);
    json.field("message", version.problem);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
