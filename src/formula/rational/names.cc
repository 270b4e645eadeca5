#include "formula/rational/names.h"

#include <algorithm>
#include <charconv>

namespace burin::formula {
namespace {

// Takes a number off the front of `text`; nothing if there is none or it is too large.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

std::vector<std::string> names_of(const RationalProgram& program, Scope scope) {
  std::vector<std::string> names;
  for (const NamedExpression& size : program.sizes) names.push_back(size.name);
  if (scope == Scope::kAxis) return names;
  for (const NamedExpression& axis : program.axes) names.push_back(axis.name);
  for (const char* name : {"bx", "by", "bz", "launch_x", "launch_y", "launch_z", "smem"}) {
    names.emplace_back(name);
  }
  if (scope == Scope::kShape) return names;
  for (const char* name : {"grid_x", "grid_y", "grid_z"}) names.emplace_back(name);
  for (const auto& [name, values] : program.per_shape) names.push_back(name);
  for (const std::string& input : program.inputs) names.push_back(input);
  for (const NamedExpression& definition : program.definitions) names.push_back(definition.name);
  return names;
}

std::optional<ArgumentName> argument_named(std::string_view name) {
  ArgumentName found;
  if (!take(name, "arg")) return std::nullopt;
  const std::optional<std::uint32_t> parameter = take_number(name);
  if (!parameter) return std::nullopt;
  found.parameter = *parameter;
  if (take(name, "_at")) {
    const std::optional<std::uint32_t> offset = take_number(name);
    if (!offset) return std::nullopt;
    found.offset = *offset;
  }
  if (name != "_i32" && name != "_u32" && name != "_i64" && name != "_u64") return std::nullopt;
  found.is_signed = name[1] == 'i';
  found.bytes = name.ends_with("64") ? 8 : 4;
  return found;
}

std::vector<std::string> own_launch_names() {
  return {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "smem"};
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace burin::formula
