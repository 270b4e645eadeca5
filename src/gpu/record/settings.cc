#include "gpu/record/settings.h"

#include <algorithm>
#include <charconv>
#include <regex>

namespace burin::gpu {
namespace {

const std::string kEvery = "all";
const std::string kNeeded = "auto";

struct Number {
  const char* key;
  std::uint64_t RecordSettings::* value;
};
constexpr Number kNumbers[] = {
    {"period", &RecordSettings::period},
    {"first", &RecordSettings::first},
    {"every", &RecordSettings::every},
    {"per_kernel", &RecordSettings::per_kernel},
    {"milliseconds", &RecordSettings::milliseconds},
    {"memory_limit", &RecordSettings::memory_limit},
};
struct Flag {
  const char* key;
  bool RecordSettings::* value;
};
constexpr Flag kFlags[] = {
    {"samples", &RecordSettings::samples},
    {"serialize", &RecordSettings::serialize},
    {"stacks", &RecordSettings::stacks},
    {"counters", &RecordSettings::counters},
};
struct Text {
  const char* key;
  std::string RecordSettings::* value;
};
constexpr Text kTexts[] = {
    {"folder", &RecordSettings::folder},
    {"kernel", &RecordSettings::kernel},
    {"range", &RecordSettings::range},
};

bool set(RecordSettings& settings, std::string_view key, std::string_view value) {
  for (const Number& number : kNumbers) {
    if (key != number.key) continue;
    const char* const begin = value.data();
    const char* const end = begin + value.size();
    return std::from_chars(begin, end, settings.*number.value).ptr == end;
  }
  for (const Flag& flag : kFlags) {
    if (key == flag.key) return settings.*flag.value = value == "1", true;
  }
  for (const Text& text : kTexts) {
    if (key == text.key) return settings.*text.value = value, true;
  }
  if (key == "cupti") return settings.cupti.emplace_back(value), true;
  if (key == "memory") return settings.memory.push_back(parse_memory_wish(value)), true;
  return false;
}

bool is_expression(const std::string& text) {
  try {
    return std::regex(text), true;
  } catch (const std::regex_error&) {
    return false;
  }
}

}  // namespace

std::string write_settings(const RecordSettings& settings) {
  std::string lines;
  const auto line = [&](const std::string& key, const std::string& value) {
    lines += key + "=" + value + "\n";
  };
  for (const Text& text : kTexts) line(text.key, settings.*text.value);
  for (const Flag& flag : kFlags) line(flag.key, settings.*flag.value ? "1" : "0");
  for (const Number& number : kNumbers) line(number.key, std::to_string(settings.*number.value));
  for (const std::string& name : settings.cupti) line("cupti", name);
  for (const MemoryWish& wish : settings.memory) {
    line("memory", wish.kernel + ":" +
                       (wish.number == MemoryWish::kAll      ? kEvery
                        : wish.number == MemoryWish::kNeeded ? kNeeded
                                                             : std::to_string(wish.number)));
  }
  return lines;
}

Result<RecordSettings> parse_settings(std::string_view text) {
  RecordSettings settings;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos ||
        !set(settings, line.substr(0, equals), line.substr(equals + 1))) {
      return Error{"the recorder does not know the setting " + std::string(line), Exit::kUsage};
    }
  }
  settings.every = settings.every == 0 ? 1 : settings.every;
  std::vector<std::string> expressions = {settings.kernel};
  for (const MemoryWish& wish : settings.memory) expressions.push_back(wish.kernel);
  for (const std::string& expression : expressions) {
    if (!is_expression(expression)) {
      return Error{expression + " is not a regular expression", Exit::kUsage};
    }
  }
  return settings;
}

MemoryWish parse_memory_wish(std::string_view text) {
  MemoryWish wish{.kernel = std::string(text)};
  if (text == kNeeded) return {".*", MemoryWish::kNeeded};
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return wish;
  if (text.substr(colon + 1) == kEvery) {
    return {std::string(text.substr(0, colon)), MemoryWish::kAll};
  }
  if (text.substr(colon + 1) == kNeeded) {
    return {std::string(text.substr(0, colon)), MemoryWish::kNeeded};
  }
  const char* end = text.data() + text.size();
  std::uint64_t number = 0;
  if (std::from_chars(text.data() + colon + 1, end, number).ptr != end || number == 0) return wish;
  return {std::string(text.substr(0, colon)), number};
}

}  // namespace burin::gpu
