#include "coarsen/copy_names.h"

#include <algorithm>

#include "base/format.h"

namespace burin::coarsen {
namespace {

using read::kNoIndex;
using namespace read::ptx;

// "_x", "_xx", …
std::string unused_tag(const Plan& plan) {
  const std::string_view text =
      plan.callees.empty() ? plan.module.text_of(plan.function.span) : *plan.module.text;
  const std::string letter(1, "xyz"[plan.how.axis]);
  std::string tag = (plan.how.level == Level::kThread ? "_" : "_b") + letter;
  while (text.find(tag) != std::string_view::npos) tag += letter;
  return tag;
}

}  // namespace

CopyNames::CopyNames(const Plan& plan) : plan_(plan), tag_(unused_tag(plan)) {
  for (const Declaration* variable : plan.variables) variables_.insert(variable->name);
  for (const Declaration* variable : plan.dynamic_shared) dynamic_.insert(variable->name);
  for (const auto& [function, names] : plan.callees) {
    if (std::ranges::any_of(names, [&](std::string_view name) { return is_own(name); })) {
      functions_.insert(function);
    }
  }
}

std::string CopyNames::index(unsigned copy) const {
  return fmt::format("%index{}{}", tag_, copy);
}
std::string CopyNames::extent() const {
  return fmt::format("%extent{}", tag_);
}
std::string CopyNames::lane(unsigned copy) const {
  return fmt::format("%lane{}{}", tag_, copy);
}

std::string CopyNames::of(Register number, unsigned copy) const {
  const std::string_view name = plan_.body.registers[number].name;
  if (copy == 0 || !plan_.replicated.contains(number)) return std::string(name);
  return fmt::format("{}{}{}", name, tag_, copy);
}

bool CopyNames::is_own(std::string_view name) const {
  return name == index_register(plan_.how) || name == extent_register(plan_.how) ||
         variables_.contains(name) || dynamic_.contains(name);
}

std::string CopyNames::of(std::string_view name, unsigned copy) const {
  if (name == index_register(plan_.how)) return index(copy);
  if (name == extent_register(plan_.how)) return extent();
  if (plan_.counts_lanes && name == kLaneId) return lane(copy);
  if (functions_.contains(name) || (copy > 0 && variables_.contains(name))) {
    return fmt::format("{}{}{}", name, tag_, copy);
  }
  if (copy > 0 && dynamic_.contains(name)) {
    return fmt::format("{}+{}", name, copy * plan_.shared_bytes_per_copy);
  }
  return std::string(name);
}

std::string CopyNames::of(const NameUse& use, unsigned copy) const {
  return use.number != kNoIndex ? of(use.number, copy) : of(use.text, copy);
}

std::string index_declarations(const Plan& plan, const CopyNames& names) {
  return fmt::format("\t.reg .u32 %index{0}<{1}>;\n\t.reg .u32 %extent{0};\n", names.tag(),
                     plan.how.factor + 1);
}

std::string index_code(const Plan& plan, const CopyNames& names) {
  const unsigned copies = plan.how.factor;
  const unsigned stride = plan.how.stride;
  const std::string first = names.index(0);
  std::string code = fmt::format("\tmov.u32 {}, {};\n", first, index_register(plan.how));
  if (plan.how.level == Level::kBlock) {
    code += fmt::format("\tmul.lo.u32 {0}, {0}, {1};\n", first, copies);
  } else if (stride * copies != plan.launch.block[plan.how.axis]) {
    const std::string rest = names.index(copies);
    code += fmt::format("\trem.u32 {}, {}, {};\n", rest, first, stride);
    code += fmt::format("\tsub.u32 {0}, {0}, {1};\n", first, rest);
    code += fmt::format("\tmad.lo.u32 {0}, {0}, {1}, {2};\n", first, copies, rest);
  }
  const unsigned step = plan.how.level == Level::kBlock ? 1 : stride;
  for (unsigned k = 1; k < copies; ++k) {
    code += fmt::format("\tadd.u32 {}, {}, {};\n", names.index(k), first, k * step);
  }
  const std::uint32_t grid = plan.launch.grid[plan.how.axis];
  if (plan.how.level == Level::kBlock && grid % copies != 0) {
    return code + fmt::format("\tmov.u32 {}, {};\n", names.extent(), grid);
  }
  return code + fmt::format("\tmov.u32 {0}, {1};\n\tmul.lo.u32 {0}, {0}, {2};\n", names.extent(),
                            extent_register(plan.how), copies);
}

}  // namespace burin::coarsen
