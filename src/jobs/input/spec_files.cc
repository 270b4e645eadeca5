#include "jobs/input/spec_files.h"

#include <filesystem>
#include <string_view>

#include "tune/formats/t1_spec.h"
#include "tune/formats/toml_spec.h"

namespace burin::jobs {
namespace {

Result<tune::Spec> read_spec_at(const std::string& path) {
  if (path.ends_with(".toml")) return tune::read_toml_spec(path);
  if (path.ends_with(".json")) return tune::read_t1_spec(path);
  return Error{path + ": is no spec"};
}

std::vector<std::string> texts_of(const std::vector<formula::Template>& templates) {
  std::vector<std::string> texts;
  for (const formula::Template& each : templates) texts.push_back(each.text());
  return texts;
}

}  // namespace

void add_fill_files(const std::vector<std::string>& texts, std::vector<std::string>& files) {
  constexpr std::string_view kFill = "file:";
  for (const std::string& text : texts) {
    const std::size_t at = text.find(kFill);
    if (at != std::string::npos) files.push_back(text.substr(at + kFill.size()));
  }
}

std::vector<std::string> spec_files(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  const Result<tune::Spec> spec = read_spec_at(path);
  if (!spec) return {};
  std::vector<std::string> files;
  for (const auto& [language, source] : spec->sources) files.push_back(source);
  for (const auto& [argument, file] : spec->reference.files) files.push_back(file);
  for (const tune::LaunchSpec& launch : spec->launches) {
    add_fill_files(texts_of(launch.arguments), files);
  }
  add_fill_files(texts_of(spec->settings), files);
  return files;
}

}  // namespace burin::jobs
