// Any text is an expression or a refusal with a column. An expression prints as one that gives the
// same tree, and has the same value or error however it is evaluated.
#include "formula/expression.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "formula/evaluator.h"
#include "formula/node.h"

using namespace burin;

namespace {

std::string outcome(const Result<formula::Value>& value) {
  return value ? formula::to_string(*value) : value.error().message;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<formula::Expression> parsed = formula::Expression::parse(text);
  if (!parsed) {
    if (!parsed.error().message.starts_with("column ")) std::abort();
    return 0;
  }
  const Result<formula::Expression> again = formula::Expression::parse(parsed->to_string());
  if (!again || !formula::same_tree(parsed->root(), again->root())) std::abort();
  if (parsed->to_cpp().empty()) std::abort();

  // The names have values of every kind.
  const std::vector<std::string> slots = parsed->names();
  const std::vector<formula::Value> kinds = {std::int64_t{32}, 2.5, true, std::string("text"),
                                             std::int64_t{-3}};
  formula::Names names;
  std::vector<formula::Value> values;
  for (const std::string& name : slots) {
    values.push_back(kinds[values.size() % kinds.size()]);
    names.emplace(name, values.back());
  }
  const Result<formula::Evaluator> evaluator = parsed->evaluator(slots);
  if (!evaluator) std::abort();
  const std::string value = outcome(parsed->evaluate(names));
  if (value != outcome(evaluator->evaluate(std::span<const formula::Value>(values)))) std::abort();
  if (!parsed->evaluate(names) && !value.starts_with("column ")) std::abort();

  // The parts of a conjunction hold together where the whole does.
  const Result<bool> holds = parsed->holds(names);
  bool all = true;
  for (const formula::Expression& part : parsed->conjuncts()) {
    const Result<bool> one = part.holds(names);
    if (!one) return 0;
    all = all && *one;
  }
  if (!holds || *holds != all) std::abort();
  return 0;
}
