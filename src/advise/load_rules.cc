#include "advise/load_rules.h"

#include <dlfcn.h>

#include <algorithm>

#include "advise/rules/all.h"
#include "base/format.h"

namespace burin::advise {

namespace {

constexpr const char* kEntry = "burin_rules";

void add_rule(void* to, const Rule* rule) {
  static_cast<std::vector<const Rule*>*>(to)->push_back(rule);
}

}  // namespace

Result<std::vector<const Rule*>> load_rules(const std::string& path) {
  // dlopen searches a name without a slash in the system's library paths.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = dlerror();
    return Error{fmt::format("{}: cannot load this rule library: {}", path,
                             why == nullptr ? "no reason given" : why)};
  }
  const auto entry = reinterpret_cast<RulesEntry>(dlsym(library, kEntry));
  if (entry == nullptr) {
    return Error{fmt::format(
        "{}: does not export {}; a rule library exports it as extern \"C\" (see examples/rules)",
        path, kEntry)};
  }
  std::vector<const Rule*> found;
  entry(kRulesVersion, &found, add_rule);
  if (found.empty()) {
    return Error{
        fmt::format("{}: has no rules for version {} of the rule interface; build it against the "
                    "headers of this burin",
                    path, kRulesVersion)};
  }
  for (const Rule* rule : found) {
    if (rule == nullptr || rule->id().empty()) {
      return Error{fmt::format("{}: contains a rule without an id", path)};
    }
    const auto has_id = [&](const Rule* other) { return other->id() == rule->id(); };
    if (std::ranges::any_of(rules(), has_id) || std::ranges::count_if(found, has_id) > 1) {
      return Error{
          fmt::format("{}: rule id {} is already in use; rename the rule", path, rule->id())};
    }
  }
  return found;
}

}  // namespace burin::advise
