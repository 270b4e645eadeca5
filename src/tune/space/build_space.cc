#include "tune/space/build_space.h"

#include <algorithm>
#include <unordered_set>

#include "base/format.h"
#include "base/text.h"
#include "tune/space/diagram.h"

namespace burin::tune {
namespace {

using formula::Expression;

Result<void> check_parameters(std::span<const Parameter> parameters) {
  constexpr std::size_t kMaxValues = 65'536;  // a Point has 16 bits for each
  std::unordered_set<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (!names.insert(parameter.name).second) {
      return Error{fmt::format("there are two parameters named {}", parameter.name)};
    }
    if (parameter.values.empty()) {
      return Error{fmt::format("parameter {} has no values", parameter.name)};
    }
    if (parameter.values.size() > kMaxValues) {
      return Error{fmt::format("parameter {} has {} values; {} is the maximum", parameter.name,
                               with_commas(parameter.values.size()), with_commas(kMaxValues))};
    }
    std::unordered_set<std::string> values;
    for (const formula::Value& value : parameter.values) {
      if (!values.insert(formula::to_string(value)).second) {
        return Error{fmt::format("parameter {} has the value {} twice", parameter.name,
                                 formula::to_string(value))};
      }
    }
  }
  return {};
}

// The restrictions over parameters and constants alone.
Result<std::vector<Expression>> without_definitions(std::span<const Parameter> parameters,
                                                    std::span<const Expression> restrictions,
                                                    const formula::Names& constants,
                                                    Definitions definitions) {
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : constants) known.push_back(name);
  std::map<std::string, Expression, std::less<>> defined;
  for (const auto& [name, expression] : definitions) {
    if (const Result<void> checked = expression.check_names(known); !checked) {
      return checked.error().within(name);
    }
    Result<Expression> written_out = expression.replace_names(defined);
    if (!written_out) return written_out.error().within(name);
    defined.insert_or_assign(name, std::move(*written_out));
    known.push_back(name);
  }
  std::vector<Expression> written_out;
  for (const Expression& restriction : restrictions) {
    if (const Result<void> checked = restriction.check_names(known); !checked) {
      return checked.error().within("restriction");
    }
    Result<Expression> one = restriction.replace_names(defined);
    if (!one) return one.error().within("restriction");
    written_out.push_back(std::move(*one));
  }
  return written_out;
}

// Parts of a conjunction are decided one by one, and so the earlier. Should one of them have no
// value where Python would not have looked at it ("d != 0 and n % d == 0", with d known last), the
// restrictions are taken as they are.
Diagram build_in_parts(std::span<const Parameter> parameters,
                       std::span<const Expression> restrictions, const formula::Names& constants,
                       std::size_t max_words) {
  std::vector<Expression> parts;
  for (const Expression& restriction : restrictions) {
    for (Expression& part : restriction.conjuncts()) parts.push_back(std::move(part));
  }
  Diagram diagram = build_diagram(parameters, parts, constants, max_words);
  const bool whole = parts.size() == restrictions.size();
  if (whole || !diagram.failure || diagram.failure->kind != Diagram::Failure::Kind::kRestriction) {
    return diagram;
  }
  Diagram again = build_diagram(parameters, restrictions, constants, max_words);
  const bool too_large = again.failure && again.failure->kind == Diagram::Failure::Kind::kSize;
  return too_large ? std::move(diagram) : std::move(again);
}

// Finds a small set of restrictions that nothing satisfies.
class ConflictSearch {
 public:
  ConflictSearch(std::span<const Parameter> parameters, std::span<const Expression> restrictions,
                 const formula::Names& constants)
      : parameters_(parameters), restrictions_(restrictions), constants_(constants) {
    for (const Expression& restriction : restrictions) names_.push_back(restriction.names());
  }

  std::vector<std::size_t> search() {
    std::vector<std::size_t> conflict(restrictions_.size());
    for (std::size_t i = 0; i < conflict.size(); ++i) conflict[i] = i;
    if (!contradictory(conflict, kMaxDiagramWords)) return {};
    // What can be left out is left out: the rest is needed, every one of it.
    for (std::size_t i = conflict.size(); i-- > 0;) {
      std::vector<std::size_t> others = conflict;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (contradictory(others)) conflict = std::move(others);
    }
    // A smaller one may exist that shares nothing with it.
    for (std::size_t size = 1; size < conflict.size(); ++size) {
      std::vector<std::size_t> set;
      if (find_of_size(size, 0, set)) return set;
    }
    return conflict;
  }

 private:
  // Over the parameters that the restrictions mention; the others cannot matter.
  bool contradictory(std::span<const std::size_t> set, std::size_t max_words = 10'000'000) const {
    std::vector<Parameter> used;
    std::vector<Expression> together;
    for (const std::size_t i : set) together.push_back(restrictions_[i]);
    for (const Parameter& parameter : parameters_) {
      if (std::ranges::any_of(set, [&](std::size_t i) { return mentions(i, parameter.name); })) {
        used.push_back(parameter);
      }
    }
    const Diagram diagram = build_in_parts(used, together, constants_, max_words);
    return !diagram.failure && diagram.empty;
  }

  bool mentions(std::size_t restriction, const std::string& name) const {
    return std::ranges::find(names_[restriction], name) != names_[restriction].end();
  }

  bool share_a_name(std::size_t a, std::size_t b) const {
    return std::ranges::any_of(names_[a],
                               [&](const std::string& name) { return mentions(b, name); });
  }

  // Each has a name in common with another, directly or by way of others.
  bool connected(std::span<const std::size_t> set) const {
    std::vector<std::size_t> reached = {set.front()};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::size_t other : set) {
        const bool known = std::ranges::find(reached, other) != reached.end();
        if (!known && share_a_name(reached[i], other)) reached.push_back(other);
      }
    }
    return reached.size() == set.size();
  }

  // Completes `set` with restrictions from `first` on. Gives up after a thousand sets built.
  bool find_of_size(std::size_t size, std::size_t first, std::vector<std::size_t>& set) {
    constexpr std::size_t kMaxBuilt = 1000;
    constexpr std::size_t kMaxTries = 100'000;
    if (set.size() == size) {
      ++tries_;
      if (!connected(set)) return false;
      ++built_;
      return contradictory(set);
    }
    for (std::size_t i = first; i < restrictions_.size(); ++i) {
      if (built_ >= kMaxBuilt || tries_ >= kMaxTries) return false;
      set.push_back(i);
      if (find_of_size(size, i + 1, set)) return true;
      set.pop_back();
    }
    return false;
  }

  std::span<const Parameter> parameters_;
  std::span<const Expression> restrictions_;
  const formula::Names& constants_;
  std::vector<std::vector<std::string>> names_;  // of each restriction
  std::size_t tries_ = 0;
  std::size_t built_ = 0;
};

}  // namespace

std::vector<std::size_t> conflicting_restrictions(std::span<const Parameter> parameters,
                                                  std::span<const Expression> restrictions,
                                                  const formula::Names& constants) {
  return ConflictSearch(parameters, restrictions, constants).search();
}

Result<Space> build_space(std::vector<Parameter> parameters,
                          std::span<const Expression> restrictions, const formula::Names& constants,
                          Definitions definitions) {
  if (const Result<void> checked = check_parameters(parameters); !checked) return checked.error();
  const Result<std::vector<Expression>> written_out =
      without_definitions(parameters, restrictions, constants, definitions);
  if (!written_out) return written_out.error();
  Diagram diagram = build_in_parts(parameters, *written_out, constants, kMaxDiagramWords);
  if (diagram.failure) return diagram.failure->error;
  if (!diagram.empty) return Space(std::move(parameters), std::move(diagram.layers));

  std::string named;
  const std::vector<std::size_t> conflict =
      conflicting_restrictions(parameters, *written_out, constants);
  for (const std::size_t i : conflict) {
    named += fmt::format("{}\"{}\"", named.empty() ? "" : ", ", restrictions[i].text());
  }
  if (conflict.empty()) return Error{"no configuration is valid: the restrictions exclude all"};
  if (conflict.size() == 1) {
    return Error{
        fmt::format("no configuration is valid: no values satisfy the restriction {}", named)};
  }
  return Error{fmt::format(
      "no configuration is valid: these restrictions contradict each other: {}", named)};
}

}  // namespace burin::tune
