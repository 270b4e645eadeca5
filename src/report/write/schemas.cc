#include "report/write/schemas.h"

namespace burin::report {

const Schema* find_schema(std::string_view name) {
  static constexpr std::string_view kPrefix = "burin.";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  const Schema* found = nullptr;
  for (const Schema& schema : schemas()) {
    const std::string_view full = schema.name.substr(kPrefix.size());
    // In order of their numbers: the last one is the newest.
    if (full == name || full.substr(0, full.find('/')) == name) found = &schema;
  }
  return found;
}

}  // namespace burin::report
