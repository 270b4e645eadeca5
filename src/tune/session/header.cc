// What a session was made for, and how two of these differ.
#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "base/sha256.h"
#include "base/text.h"
#include "tune/session/session.h"
#include "tune/spec.h"

namespace burin::tune {
namespace {

std::string values_text(const Parameter& parameter) {
  constexpr std::size_t kShown = 16;
  if (parameter.values.size() > kShown) return with_commas(parameter.values.size()) + " values";
  std::vector<std::string> values;
  for (const formula::Value& value : parameter.values) values.push_back(formula::to_string(value));
  return fmt::format("values {}", fmt::join(values, ", "));
}

// The type counts too: a kernel may see 1 and 1.0 differently. Unlike Value's own comparison, NaN
// equals itself.
bool same_values(const Parameter& a, const Parameter& b) {
  return std::ranges::equal(a.values, b.values, [](const auto& x, const auto& y) {
    return x.index() == y.index() && formula::to_string(x) == formula::to_string(y);
  });
}

const Parameter* find(const std::vector<Parameter>& parameters, const std::string& name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

std::string parameter_difference(const std::vector<Parameter>& was,
                                 const std::vector<Parameter>& now) {
  for (const Parameter& parameter : was) {
    const Parameter* other = find(now, parameter.name);
    if (other == nullptr) {
      return fmt::format("tunable '{}' is missing; it had {}", parameter.name,
                         values_text(parameter));
    }
    if (!same_values(parameter, *other)) {
      if (values_text(parameter) == values_text(*other)) {
        return fmt::format("tunable '{}' had other values", parameter.name);
      }
      return fmt::format("tunable '{}' had {} and now has {}", parameter.name,
                         values_text(parameter), values_text(*other));
    }
  }
  for (const Parameter& parameter : now) {
    if (find(was, parameter.name) == nullptr) {
      return fmt::format("tunable '{}' is new", parameter.name);
    }
  }
  for (std::size_t k = 0; k < was.size(); ++k) {
    if (was[k].name != now[k].name) {
      return fmt::format("tunable {} was '{}' and now is '{}'", k + 1, was[k].name, now[k].name);
    }
  }
  return "";
}

std::string restriction_difference(const std::vector<std::string>& was,
                                   const std::vector<std::string>& now) {
  for (const std::string& restriction : was) {
    if (std::ranges::find(now, restriction) == now.end()) {
      return fmt::format("restriction '{}' is missing", restriction);
    }
  }
  for (const std::string& restriction : now) {
    if (std::ranges::find(was, restriction) == was.end()) {
      return fmt::format("restriction '{}' is new", restriction);
    }
  }
  return was == now ? "" : "the restrictions are in another order";
}

std::string line_difference(std::string_view was, std::string_view now) {
  const std::vector<std::string_view> before = split(was, '\n'), after = split(now, '\n');
  std::size_t at = 0;
  while (at < before.size() && at < after.size() && before[at] == after[at]) ++at;
  if (at >= before.size()) return fmt::format("line {} is new: {}", at + 1, after[at]);
  return fmt::format("line {} was: {}", at + 1, before[at]);
}

}  // namespace

bool SessionHeader::operator==(const SessionHeader& other) const {
  return burin == other.burin && describe_difference(*this, other).empty();
}

SessionHeader header_of(const Spec& spec) {
  SessionHeader header;
  if (!spec.launches.empty()) header.kernel = spec.launches.front().kernel;
  header.spec = spec.text;
  header.parameters = spec.tunables;
  for (const formula::Expression& restriction : spec.restrictions) {
    header.restrictions.push_back(restriction.text());
  }
  if (spec.objective.expression) {
    header.objective = fmt::format("{}{}", spec.objective.maximise ? "maximise " : "",
                                   spec.objective.expression->text());
  }
  return header;
}

std::string space_digest(const SessionHeader& header) {
  std::string text;
  for (const Parameter& parameter : header.parameters) {
    text += fmt::format("{}\n", parameter.name);
    for (const formula::Value& value : parameter.values) {
      text += fmt::format("  {} {}\n", value.index(), formula::to_string(value));
    }
  }
  for (const std::string& restriction : header.restrictions) text += "where " + restriction + '\n';
  return sha256_hex({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

std::string describe_difference(const SessionHeader& was, const SessionHeader& now) {
  if (was.kernel != now.kernel) {
    return fmt::format("the kernel was {} and now is {}", was.kernel, now.kernel);
  }
  if (std::string text = parameter_difference(was.parameters, now.parameters); !text.empty()) {
    return text;
  }
  if (std::string text = restriction_difference(was.restrictions, now.restrictions);
      !text.empty()) {
    return text;
  }
  if (was.objective != now.objective) {
    return fmt::format("the objective was '{}' and now is '{}'", was.objective, now.objective);
  }
  if (was.spec != now.spec) return line_difference(was.spec, now.spec);
  if (was.source_digest != now.source_digest) return "the kernel's source has changed";
  return "";
}

}  // namespace burin::tune
