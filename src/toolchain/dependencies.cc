#include "toolchain/dependencies.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/text.h"
#include "toolchain/file_digest.h"

namespace burin::toolchain {
namespace {

constexpr std::string_view kFirstLine = "burin headers 1";

// `path` without links and dots, as far as it exists.
std::string plain(const std::string& path) {
  std::error_code none;
  return std::filesystem::weakly_canonical(path, none).string();
}

}  // namespace

std::vector<std::string> parse_rule(std::string_view rule) {
  std::vector<std::string> files;
  std::string word;
  bool behind_colon = false;
  const auto end_word = [&] {
    if (word == ":" || (word.ends_with(':') && !behind_colon)) {
      behind_colon = true;
    } else if (behind_colon && !word.empty()) {
      files.push_back(word);
    }
    word.clear();
  };
  for (std::size_t i = 0; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (c == '\\' && (next == '\n' || next == '\r')) {
      end_word();
      ++i;
    } else if ((c == '\\' && (next == ' ' || next == '#' || next == '\\')) ||
               (c == '$' && next == '$')) {
      word += next;
      ++i;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      end_word();
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

std::string list_headers(std::string_view rule, const std::string& toolkit) {
  std::string list = std::string(kFirstLine) + "\n";
  const std::string inside = plain(toolkit) + "/";
  for (const std::string& file : parse_rule(rule)) {
    std::error_code none;
    if (plain(file).starts_with(inside) || !std::filesystem::exists(file, none)) continue;
    list += file_digest(file) + " " + file + "\n";
  }
  return list;
}

FoundHeaders find_headers(const std::string& source, const std::vector<std::string>& folders,
                          const std::vector<std::string>& built_in) {
  FoundHeaders found{std::string(kFirstLine) + "\n"};
  std::set<std::string> listed{plain(source)};
  std::vector<std::string> pending{source};
  const auto is_file = [](const std::string& path) {
    std::error_code none;
    return std::filesystem::is_regular_file(path, none);
  };
  while (!pending.empty()) {
    const std::string file = std::move(pending.back());
    pending.pop_back();
    for (const Include& include : file_includes(file)) {
      if (include.form == Include::Form::kMacro) {
        found.complete = false;
        continue;
      }
      std::vector<std::string> places;
      if (include.name.starts_with('/')) {
        places.push_back(include.name);
      } else {
        if (include.form == Include::Form::kQuoted) {
          places.push_back(file.substr(0, file.find_last_of('/') + 1) + include.name);
        }
        for (const std::string& folder : folders) places.push_back(folder + "/" + include.name);
      }
      if (std::ranges::find(built_in, include.name) != built_in.end()) continue;
      for (const std::string& place : places) {
        const bool exists = is_file(place);
        // Under one name, or "../a/b.h" in a/b.h would never end.
        if (listed.insert(exists ? plain(place) : place).second) {
          found.list += (exists ? file_digest(place) : "-") + " " + place + "\n";
          if (exists) pending.push_back(place);
        }
        if (exists) break;
      }
    }
  }
  return found;
}

bool headers_unchanged(std::string_view list) {
  const std::vector<std::string_view> lines = split(list, '\n');
  if (lines.front() != kFirstLine) return false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::size_t blank = lines[i].find(' ');
    if (blank == std::string_view::npos) return false;
    if (file_digest(std::string(lines[i].substr(blank + 1))) != lines[i].substr(0, blank)) {
      return false;
    }
  }
  return true;
}

}  // namespace burin::toolchain
