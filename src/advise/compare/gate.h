// A threshold that the user sets with --fail-on: the command ends with status 1 where it is
// crossed.
//
//   EXPR     = MEASURE [ OPERATOR NUMBER ]        without them: > 0
//   MEASURE  = NAME [ ":" PART ]
//   OPERATOR = ">" | ">=" | "<" | "<="
//
//   Result<Gate> gate = parse_gate("rule:bank-conflicts>1.1", kMeasures);
//   gate->measure, gate->part        "rule", "bank-conflicts"
//   gate->is_crossed_by(1.2)         true
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::advise {

// What a command lets its user set a threshold on.
struct Measure {
  std::string_view name;
  std::string_view part;  // what stands behind the colon: "" nothing, "ID" must, "[ID]" may
  std::string_view meaning;
};

struct Gate {
  enum class Operator : std::uint8_t { kAbove, kAtLeast, kBelow, kAtMost };

  std::string text;     // as the user wrote it
  std::string measure;  // a Measure's name
  std::string part{};
  Operator comparison = Operator::kAbove;
  double limit = 0;

  bool is_crossed_by(double value) const;
};

// The Error names the measures that there are.
Result<Gate> parse_gate(std::string_view text, std::span<const Measure> measures);

// A gate that was crossed, and by what: "spills: 12 more than before, in transpose(float*, int)".
struct Crossing {
  std::string gate;
  std::string sentence;
};

}  // namespace burin::advise
