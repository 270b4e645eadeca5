// Advice in its recorded form: written by --json, read back by --baseline, and checked by
// --fail-on.
//
//   AdviceRecord now = record_of(given, advice, source);
//   Result<std::vector<AdviceRecord>> before = read_records(json_text);
//   std::vector<Crossing> crossed = crossings(gates, {now}, &*before);
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
  std::string file{};  // file name only; "": no line information, or the whole launch
  std::uint32_t line = 0;
  std::string fingerprint{};
};

struct AdviceRecord {
  std::string kernel;    // mangled
  std::string caller{};  // the place in the program whose launches it is for; "": all
  // By their --fail-on names: "time", "registers", "spills" …
  std::map<std::string, double> measures{};
  std::map<std::string, double> stalls{};  // fractions, by stall reason
  std::vector<RecordedFinding> findings{};
};

// Makes the record of the advice for one launch.
AdviceRecord record_of(const Case& c, const Advice& advice, read::SourceText& source);

// Returns a key that is the same from build to build as long as the rule, the kernel and the text
// of the source line are. It separates new findings from known ones.
std::string fingerprint(const read::Kernel& kernel, read::SourceText& source,
                        const Finding& finding);

// Reads one document of `burin advise --json`, or an array of documents. Any other text is an
// Error.
Result<std::vector<AdviceRecord>> read_records(std::string_view json);

// Returns the measures that --fail-on of `burin advise` accepts.
std::span<const Measure> advise_measures();

// Returns the gates that are crossed, with a sentence for each kernel that crosses one. With a
// baseline, only new or worse values count: a finding with the same speedup or a number as large as
// in the baseline does not.
std::vector<Crossing> crossings(std::span<const Gate> gates, std::span<const AdviceRecord> now,
                                const std::vector<AdviceRecord>* baseline);

// Returns whether the baseline has the finding with at least the same speedup.
bool is_known(const RecordedFinding& finding, const AdviceRecord& before);

}  // namespace burin::advise
