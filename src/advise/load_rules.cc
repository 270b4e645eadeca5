#include "advise/load_rules.h"

#include <dlfcn.h>

#include <algorithm>

#include "base/format.h"

namespace burin {

namespace {

constexpr const char* kEntry = "burin_rules";

void add_rule(void* to, const Rule* rule) {
  static_cast<std::vector<const Rule*>*>(to)->push_back(rule);
}

}  // namespace

Result<std::vector<const Rule*>> load_rules(const std::string& path) {
  // A name without a slash would be looked for where the system's libraries are.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Error{fmt::format("{}: cannot be loaded as a library of rules: {}", path,
                             why == nullptr ? "no reason given" : why)};
  }
  const auto entry = reinterpret_cast<RulesEntry>(dlsym(library, kEntry));
  if (entry == nullptr) {
    return Error{
        fmt::format("{}: has no function {}; a library of rules exports one as extern "
                    "\"C\" (see examples/rules)",
                    path, kEntry)};
  }
  std::vector<const Rule*> found;
  entry(kRulesVersion, &found, add_rule);
  if (found.empty()) {
    return Error{
        fmt::format("{}: adds no rule for version {} of burin's rules; build it against "
                    "the headers of this burin",
                    path, kRulesVersion)};
  }
  for (const Rule* rule : found) {
    if (rule == nullptr || rule->id().empty()) {
      return Error{fmt::format("{}: adds a rule without an id", path)};
    }
    const auto has_id = [&](const Rule* other) { return other->id() == rule->id(); };
    if (std::ranges::any_of(rules(), has_id) || std::ranges::count_if(found, has_id) > 1) {
      return Error{
          fmt::format("{}: the id {} is taken already; give the rule another", path, rule->id())};
    }
  }
  return found;
}

}  // namespace burin
