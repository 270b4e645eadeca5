#include "toolchain/dependencies.h"

#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"

namespace burin::toolchain {
namespace {

constexpr std::string_view kFirstLine = "burin headers 1";

// "-" where the file cannot be read (it may be empty, or gone).
std::string digest_of(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  return file ? sha256_hex(file->bytes()) : "-";
}

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
    if (plain(file).starts_with(inside)) continue;
    list += digest_of(file) + " " + file + "\n";
  }
  return list;
}

bool headers_unchanged(std::string_view list) {
  const std::vector<std::string_view> lines = split(list, '\n');
  if (lines.front() != kFirstLine) return false;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const std::size_t blank = lines[i].find(' ');
    if (blank == std::string_view::npos) return false;
    if (digest_of(std::string(lines[i].substr(blank + 1))) != lines[i].substr(0, blank)) {
      return false;
    }
  }
  return true;
}

}  // namespace burin::toolchain
