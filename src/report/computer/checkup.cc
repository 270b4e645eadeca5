#include "report/computer/checkup.h"

#include <algorithm>

#include "report/write/json.h"

namespace burin::report {

std::string_view name(jobs::Check::State state) {
  static constexpr std::string_view kNames[] = {"ok", "missing", "refused"};
  return kNames[static_cast<std::size_t>(state)];
}

void write_checks(Output& out, std::span<const jobs::Check> checks) {
  std::size_t name_width = 0;
  std::size_t version_width = 0;
  for (const jobs::Check& check : checks) {
    name_width = std::max(name_width, check.name.size());
    version_width = std::max(version_width, check.version.size());
  }
  for (const jobs::Check& check : checks) {
    const bool ok = check.state == jobs::Check::State::kOk;
    out.put(ok ? Style::kGood : Style::kBad, Left{name(check.state), 7}, Style::kPlain, "  ",
            Left{check.name, name_width}, "  ", Left{check.version, version_width}, "  ",
            check.detail, check.detail.empty() ? "for " : "; for ", check.needed_for, '\n');
    if (!ok) out.put("         → ", check.remedy, '\n');
  }
}

void write_checks_json(Output& out, std::span<const jobs::Check> checks, std::string_view version) {
  const auto text = [](const std::string& value) {
    return value.empty() ? std::nullopt : std::optional<std::string>(value);
  };
  Json json(out);
  json.open('{');
  json.field("schema", "burin.doctor/1");
  json.field("version", version);
  json.open("checks", '[');
  for (const jobs::Check& check : checks) {
    json.open('{');
    json.field("name", check.name);
    json.field("state", name(check.state));
    json.field("version", text(check.version));
    json.field("detail", text(check.detail));
    json.field("needed_for", check.needed_for);
    json.field("remedy", check.remedy);
    json.close();
  }
  json.close();
  json.close();
}

}  // namespace burin::report
