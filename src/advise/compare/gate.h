// A threshold set with --fail-on: the command exits with status 1 if it is crossed.
//
//   EXPR     = MEASURE [ OPERATOR NUMBER ]        default: > 0
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

// A measure that a command accepts a threshold on.
struct Measure {
  std::string_view name;
  std::string_view part;  // after the colon: "" nothing, "ID" required, "[ID]" optional
  std::string_view meaning;
};

struct Gate {
  enum class Operator : std::uint8_t { kAbove, kAtLeast, kBelow, kAtMost };

  std::string text;     // as written by the user
  std::string measure;  // name of a Measure
  std::string part{};
  Operator comparison = Operator::kAbove;
  double limit = 0;

  bool is_crossed_by(double value) const;
};

// Parses a threshold. The Error lists the valid measures.
Result<Gate> parse_gate(std::string_view text, std::span<const Measure> measures);

// A crossed gate and what crossed it: "spills: 12 more than before, in transpose(float*, int)".
struct Crossing {
  std::string gate;
  std::string sentence;
};

}  // namespace burin::advise
