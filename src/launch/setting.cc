#include "launch/setting.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "read/binary/demangle.h"

namespace burin::launch {
namespace {

constexpr std::size_t kMaxNames = 8;

Result<const read::Variable*> find_variable(const read::Image& image, std::string_view name) {
  std::vector<std::string> names;
  for (const read::Variable& variable : image.variables) {
    names.push_back(read::demangle(variable.name));
    if (variable.name == name || names.back() == name) return &variable;
  }
  if (names.empty())
    return Error{fmt::format("unknown variable {}: the file has no variables", name)};
  const std::string meant = closest(name, names);
  if (!meant.empty()) {
    return Error{fmt::format("unknown variable {}; did you mean {}?", name, meant)};
  }
  return Error{
      fmt::format("unknown variable {}; the variables are {}", name, list_of(names, kMaxNames))};
}

// A value if the text is one (f32:1.5), otherwise a fill (f32:seed=3) of the variable's size.
Result<Argument> parse_contents(const std::string& text, std::uint64_t size, std::size_t position) {
  const bool of_memory = text.starts_with("buf:") || text.starts_with("map:");
  if (Result<Argument> value = parse_argument(text, position); value && !of_memory) {
    if (value->size() == size) return value;
    return Error{fmt::format("{} has {}, but the variable has {}", text,
                             count_of(value->size(), "byte"), size),
                 Exit::kUsage};
  }
  Result<Argument> filled = parse_argument(fmt::format("buf:{}:{}", size, text), position);
  if (!filled) return filled.error();
  if (filled->buffer()->contents() != Contents::kKnown) {
    return Error{"a variable cannot be undefined: it is zero by default", Exit::kUsage};
  }
  return filled;
}

Result<Setting> resolve_setting(const std::string& text, const read::Image& image,
                                std::size_t position) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    return Error{fmt::format("expected SYMBOL=FILL such as table=f32:seed=3, not '{}'", text),
                 Exit::kUsage};
  }
  const Result<const read::Variable*> variable =
      find_variable(image, std::string_view(text).substr(0, equals));
  if (!variable) return variable.error();
  Result<Argument> contents =
      parse_contents(text.substr(equals + 1), (*variable)->place.size, position);
  if (!contents) return contents.error().within(text.substr(0, equals));
  return Setting{text, std::string((*variable)->name), (*variable)->place, std::move(*contents)};
}

}  // namespace

std::vector<std::uint8_t> Setting::bytes() const {
  if (const auto* given = std::get_if<std::vector<std::uint8_t>>(&value.value)) return *given;
  std::vector<std::uint8_t> filled(place.size);
  value.buffer()->fill(0, filled);
  return filled;
}

Result<std::vector<Setting>> resolve_settings(std::span<const std::string> texts,
                                              const read::Image& image) {
  std::vector<Setting> settings;
  for (const std::string& text : texts) {
    Result<Setting> setting = resolve_setting(text, image, settings.size());
    if (!setting) return setting.error().within("--set");
    if (std::ranges::find(settings, setting->symbol, &Setting::symbol) != settings.end()) {
      return Error{fmt::format("--set: {} is set twice", text.substr(0, text.find('='))),
                   Exit::kUsage};
    }
    settings.push_back(std::move(*setting));
  }
  return settings;
}

}  // namespace burin::launch
