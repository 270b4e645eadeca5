#include "advise/patterns/code/library_tables.h"

#include <algorithm>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Names that begin with two underscores belong to the implementation.
bool has_own_variables(const read::Image& image) {
  return std::ranges::any_of(image.variables, [](const read::Variable& v) {
    return v.place.kind != read::VariablePlace::Kind::kConstant && !v.name.starts_with("__");
  });
}

}  // namespace

read::InstructionSet library_tables(const Case& c) {
  read::InstructionSet tables(c.size());
  if (c.kernel.image == nullptr || has_own_variables(*c.kernel.image)) return tables;
  const bool any = std::ranges::any_of(c.kernel.image->variables, [](const read::Variable& v) {
    return v.place.kind != read::VariablePlace::Kind::kConstant;
  });
  if (!any) return tables;
  const Origins origins(c.kernel);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool load = read::is_read_only_load(c.at(i)) && touches_global(c.at(i));
    if (!load) continue;
    // The index may follow from arguments; the array is that of a pointer among them.
    const std::set<std::uint32_t> from = origins.address_parameters(i);
    const bool of_argument = std::ranges::any_of(from, [&](std::uint32_t offset) {
      return pointer_at(*c.kernel.function, offset).has_value();
    });
    tables[i] = of_argument ? 0 : 1;
  }
  return tables;
}

}  // namespace burin::advise
