// Advice as it is remembered: what --json wrote once is what --baseline reads, and what --fail-on
// is held against.
//
//   AdviceRecord now = record_of(given, advice, source);
//   Result<std::vector<AdviceRecord>> before = read_records(json_text);
//   std::vector<Crossing> crossed = crossings(gates, {now}, *before);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/advise.h"
#include "advise/compare/gate.h"
#include "base/result.h"
#include "read/program/source.h"

namespace burin::advise {

struct RecordedFinding {
  std::string rule;
  double speedup = 1;
  std::string file{};  // its name alone; "": no line is known, or it is the whole launch
  std::uint32_t line = 0;
  std::string fingerprint{};
};

struct AdviceRecord {
  std::string kernel;                        // mangled
  std::map<std::string, double> measures{};  // "time", "registers", "spills" … as --fail-on names
  std::map<std::string, double> stalls{};    // shares, by reason
  std::vector<RecordedFinding> findings{};
};

// What is said of one launch.
AdviceRecord record_of(const Case& c, const Advice& advice, read::SourceText& source);

// The same from build to build as long as the rule, the kernel and the text of the line are: what
// tells a finding that was there before from a new one.
std::string fingerprint(const read::Kernel& kernel, read::SourceText& source,
                        const Finding& finding);

// One document of `burin advise --json`, or an array of them. Whatever else is in the text is an
// Error in words.
Result<std::vector<AdviceRecord>> read_records(std::string_view json);

// What --fail-on of `burin advise` takes.
std::span<const Measure> advise_measures();

// The gates that are crossed, a sentence for each kernel that does. Against a baseline only what is
// new or worse counts: a finding that was there with the same gain, a number that was as large.
std::vector<Crossing> crossings(std::span<const Gate> gates, std::span<const AdviceRecord> now,
                                const std::vector<AdviceRecord>* baseline);

// Whether the baseline has it, and as large.
bool is_known(const RecordedFinding& finding, const AdviceRecord& before);

}  // namespace burin::advise
