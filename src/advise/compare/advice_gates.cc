// Thresholds that advice crosses.
#include <algorithm>

#include "advise/compare/advice_record.h"
#include "base/format.h"
#include "read/binary/demangle.h"

namespace burin::advise {
namespace {

constexpr double kSameGrowth = 0.01;  // times or gains that grew by less count as equal (noise)

constexpr Measure kMeasures[] = {
    {"speedup", "", "the largest estimated speedup of a finding"},
    {"rule", "ID", "the estimated speedup of that rule's findings"},
    {"findings", "", "number of findings"},
    {"spills", "", "loads and stores of spilled registers in the code"},
    {"registers", "", "registers per thread"},
    {"shared", "", "shared memory per block in bytes, static and dynamic"},
    {"local", "", "local memory per thread in bytes"},
    {"time", "", "kernel time in µs: measured if available, else predicted"},
    {"occupancy", "", "resident warps per SM as a share of the maximum"},
    {"stall", "REASON", "share of warp time"},
};

// The earlier record of the kernel: that of the same caller, if there are several.
const AdviceRecord* earlier_record(const std::vector<AdviceRecord>* records,
                                   const AdviceRecord& now) {
  const AdviceRecord* found = nullptr;
  if (records == nullptr) return found;
  for (const AdviceRecord& each : *records) {
    if (each.kernel != now.kernel) continue;
    if (each.caller == now.caller) return &each;
    if (found == nullptr) found = &each;
  }
  return found;
}

bool is_upper(const Gate& gate) {
  return gate.comparison == Gate::Operator::kAbove || gate.comparison == Gate::Operator::kAtLeast;
}

// Whether a number that crosses the gate did not cross it before, or is worse now.
bool is_worse(const Gate& gate, double now, std::optional<double> before) {
  if (!before) return true;
  const double slack = gate.measure == "time" ? kSameGrowth * *before : 0;
  return is_upper(gate) ? now > *before + slack : now < *before - slack;
}

std::string place_of(const RecordedFinding& finding) {
  if (finding.file.empty()) return "";
  return fmt::format(" at {}:{}", finding.file, finding.line);
}

std::optional<double> value_in(const std::map<std::string, double>& values,
                               const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// The sentence for the worst of the findings.
void check_findings(const Gate& gate, const AdviceRecord& now, const AdviceRecord* before,
                    std::vector<Crossing>& crossed) {
  std::vector<const RecordedFinding*> counted;
  for (const RecordedFinding& finding : now.findings) {
    if (gate.measure == "rule" && finding.rule != gate.part) continue;
    if (before != nullptr && is_known(finding, *before)) continue;
    counted.push_back(&finding);
  }
  const std::string of = read::demangle(now.kernel);
  const char* const fresh = before == nullptr ? "" : ", new or worse";
  if (gate.measure == "findings") {
    const auto count = static_cast<double>(counted.size());
    if (!gate.is_crossed_by(count)) return;
    crossed.push_back({gate.text, fmt::format("{} has {} findings{}", of, counted.size(), fresh)});
    return;
  }
  for (const RecordedFinding* finding : counted) {
    if (!gate.is_crossed_by(finding->speedup)) continue;
    crossed.push_back(
        {gate.text, fmt::format("{}: {} has an estimated speedup of {:.2f}×{}{}", of, finding->rule,
                                finding->speedup, place_of(*finding), fresh)});
    return;
  }
}

void check_number(const Gate& gate, const AdviceRecord& now, const AdviceRecord* before,
                  std::vector<Crossing>& crossed) {
  const bool is_stall = gate.measure == "stall";
  const auto& values = is_stall ? now.stalls : now.measures;
  const std::string& name = is_stall ? gate.part : gate.measure;
  const std::optional<double> value = value_in(values, name);
  if (!value || !gate.is_crossed_by(*value)) return;
  std::optional<double> old;
  if (before != nullptr) {
    old = value_in(is_stall ? before->stalls : before->measures, name);
    if (!is_worse(gate, *value, old)) return;
  }
  crossed.push_back({gate.text, fmt::format("{}: {} is {:.6g}{}", read::demangle(now.kernel), name,
                                            *value, old ? fmt::format(", was {:.6g}", *old) : "")});
}

}  // namespace

std::span<const Measure> advise_measures() {
  return kMeasures;
}

bool is_known(const RecordedFinding& finding, const AdviceRecord& before) {
  return std::ranges::any_of(before.findings, [&](const RecordedFinding& old) {
    if (old.rule != finding.rule || finding.speedup > old.speedup * (1 + kSameGrowth)) return false;
    const bool same_text = !old.fingerprint.empty() && old.fingerprint == finding.fingerprint;
    return same_text || (old.file == finding.file && old.line == finding.line);
  });
}

std::vector<Crossing> crossings(std::span<const Gate> gates, std::span<const AdviceRecord> now,
                                const std::vector<AdviceRecord>* baseline) {
  std::vector<Crossing> crossed;
  for (const Gate& gate : gates) {
    const bool of_findings =
        gate.measure == "speedup" || gate.measure == "rule" || gate.measure == "findings";
    for (const AdviceRecord& record : now) {
      const AdviceRecord* const before = earlier_record(baseline, record);
      (of_findings ? check_findings : check_number)(gate, record, before, crossed);
    }
  }
  return crossed;
}

}  // namespace burin::advise
