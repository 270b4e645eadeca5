#include "app/options/output_option.h"

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "jobs/input/output_file.h"

namespace burin::app {
namespace {

enum class Names : std::uint8_t { kFile, kKeyedFile, kFileOrDash };
constexpr std::array<std::pair<Names, const char*>, 3> kMarkers{{{Names::kFile, "output"},
                                                                 {Names::kKeyedFile, "KEY=output"},
                                                                 {Names::kFileOrDash, "output|-"}}};

CLI::Validator marker(Names names) {
  return {[](std::string&) { return std::string(); }, "",
          kMarkers[static_cast<std::size_t>(names)].second};
}

// What the values of an option for output are; nothing for any other option.
std::optional<Names> marked_as(CLI::Option& option) {
  for (const auto& [names, marker] : kMarkers) {
    try {
      if (option.get_validator(marker) != nullptr) return names;
    } catch (const CLI::OptionNotFound&) {
    }
  }
  return std::nullopt;
}

// "-o,--output" -> "--output"
std::string shown_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames().front();
}

Result<void> add_outputs(const CLI::Option& option, Names names,
                         std::vector<jobs::OutputFile>& outputs) {
  for (const std::string& value : option.results()) {
    const std::size_t equals = names == Names::kKeyedFile ? value.find('=') : std::string::npos;
    const std::string path = equals == std::string::npos ? value : value.substr(equals + 1);
    if (path == kStandardOutput) {
      if (names == Names::kFileOrDash) continue;
      return Error{shown_name(option) + ": cannot write to standard output; name a file",
                   Exit::kUsage};
    }
    if (!path.empty()) outputs.push_back({shown_name(option), path});
  }
  return {};
}

// The parts of a word that may be the path of an input: from its begin, or from after a '=' or ':',
// to a ':' or its end.
void add_paths(const std::string& word, std::vector<std::string>& paths) {
  std::vector<std::size_t> begins{0}, ends;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '=' || word[i] == ':') begins.push_back(i + 1);
    if (word[i] == ':') ends.push_back(i);
  }
  ends.push_back(word.size());
  constexpr std::size_t kMaxParts = 16;  // no path in the grammar of an argument is that far inside
  for (std::size_t b = 0; b < begins.size() && b < kMaxParts; ++b) {
    for (std::size_t e = 0; e < ends.size() && e < kMaxParts; ++e) {
      if (begins[b] < ends[e]) paths.push_back(word.substr(begins[b], ends[e] - begins[b]));
    }
  }
}

}  // namespace

CLI::Validator output_file() {
  return marker(Names::kFile);
}

CLI::Validator keyed_output_file() {
  return marker(Names::kKeyedFile);
}

CLI::Validator output_file_or_dash() {
  return marker(Names::kFileOrDash);
}

Result<void> check_output_options(CLI::App& app) {
  std::vector<jobs::OutputFile> outputs;
  std::vector<std::string> inputs;
  for (CLI::Option* option : app.get_options()) {
    const bool is_flag = option->get_items_expected_max() == 0;
    if (const std::optional<Names> names = marked_as(*option)) {
      if (Result<void> added = add_outputs(*option, *names, outputs); !added) return added;
    } else if (!is_flag && option->get_type_name() != "NAME") {
      for (const std::string& word : option->results()) add_paths(word, inputs);
    }
  }
  return jobs::check_distinct(outputs, inputs);
}

}  // namespace burin::app
