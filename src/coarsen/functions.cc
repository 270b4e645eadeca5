// A function that uses what is a copy's own becomes one for each copy.
#include <algorithm>
#include <vector>

#include "base/format.h"
#include "coarsen/copy_names.h"
#include "read/ptx/roles.h"

namespace burin::coarsen {
namespace {

using namespace read::ptx;

std::string_view trimmed_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// Everything before the body.
std::string head_of(const Module& module, const Function& function, const std::string& name) {
  const Span first{function.span.begin, function.name_span.begin};
  const Span rest{function.name_span.end, function.body_span.begin};
  return fmt::format("{}{}{}", module.text_of(first), name, trimmed_end(module.text_of(rest)));
}

std::string body_of(const Plan& plan, const Function& function, const CopyNames& names,
                    unsigned copy) {
  std::string text = "\n{\n" + index_declarations(plan, names) + index_code(plan, names);
  const char* const base = plan.module.text->data();
  std::size_t from = function.body_span.begin + 1;
  for (const Statement& statement : function.body) {
    const auto* instruction = std::get_if<Instruction>(&statement);
    if (instruction == nullptr) continue;
    std::vector<std::string_view> changed;
    visit_names(*instruction, [&](const Operand& operand, bool) {
      if (names.is_own(operand.name) || names.functions().contains(operand.name)) {
        changed.push_back(operand.name);
      }
    });
    std::ranges::sort(changed, {}, [](std::string_view name) { return name.data(); });
    for (const std::string_view name : changed) {
      const auto begin = static_cast<std::size_t>(name.data() - base);
      text.append(base + from, begin - from);
      text += names.of(name, copy);
      from = begin + name.size();
    }
  }
  return text.append(base + from, function.body_span.end - from);
}

}  // namespace

// All are declared first, as one may call another.
std::string functions_of_copies(const Plan& plan, const CopyNames& names) {
  std::string declared;
  std::string text;
  for (const std::string_view name : names.functions()) {
    const Function& function = *plan.module.find_function(name);
    for (unsigned k = 0; k < plan.how.factor; ++k) {
      const std::string head = head_of(plan.module, function, names.of(name, k));
      declared += head + ";\n";
      text += head + body_of(plan, function, names, k) + "\n";
    }
  }
  return declared + text;
}

}  // namespace burin::coarsen
