#include "toolchain/file_digest.h"

#include <sys/stat.h>

#include <atomic>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "base/file.h"
#include "base/sha256.h"
#include "base/text.h"
#include "toolchain/message.h"

namespace burin::toolchain {
namespace {

constexpr std::time_t kSettledSeconds = 2;

struct FileFacts {
  // device, inode, size, seconds and nanoseconds of the last change
  std::tuple<dev_t, ino_t, off_t, std::time_t, long> state;
  std::string digest = "-";
  std::vector<Include> includes{};
};

std::mutex facts_mutex;
std::atomic<std::uint64_t> reads = 0;

std::map<std::string, FileFacts>& known_facts() {
  static auto& facts = *new std::map<std::string, FileFacts>;
  return facts;
}

FileFacts facts_of(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {};
  const auto state = std::tuple(status.st_dev, status.st_ino, status.st_size, status.st_mtim.tv_sec,
                                status.st_mtim.tv_nsec);
  {
    const std::lock_guard lock(facts_mutex);
    const auto known = known_facts().find(path);
    if (known != known_facts().end() && known->second.state == state) return known->second;
  }
  FileFacts facts{.state = state};
  const std::time_t now = std::time(nullptr);
  ++reads;
  if (const Result<MappedFile> file = MappedFile::open(path)) {
    facts.digest = sha256_hex(file->bytes());
    facts.includes =
        parse_includes({reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()});
  }
  if (status.st_mtim.tv_sec + kSettledSeconds < now) {
    const std::lock_guard lock(facts_mutex);
    known_facts()[path] = facts;
  }
  return facts;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? "" : text.substr(first);
}

// What follows `word` at the start of the text, or nullopt.
std::optional<std::string_view> after(std::string_view text, std::string_view word) {
  text = without_blanks(text);
  if (!text.starts_with(word)) return std::nullopt;
  return without_blanks(text.substr(word.size()));
}

}  // namespace

std::vector<Include> parse_includes(std::string_view text) {
  std::vector<Include> includes;
  for (const std::string_view line : split(text, '\n')) {
    const auto directive = after(line, "#");
    if (!directive) continue;
    const auto name = after(*directive, "include");
    if (!name || name->empty()) continue;
    if (name->front() == '"' || name->front() == '<') {
      const bool quoted = name->front() == '"';
      const std::size_t end = name->find(quoted ? '"' : '>', 1);
      if (end == std::string_view::npos) continue;
      includes.push_back({std::string(name->substr(1, end - 1)),
                          quoted ? Include::Form::kQuoted : Include::Form::kAngled});
    } else {
      includes.push_back({std::string(*name), Include::Form::kMacro});
    }
  }
  return includes;
}

std::string file_digest(const std::string& path) {
  return facts_of(path).digest;
}

std::vector<Include> file_includes(const std::string& path) {
  return facts_of(path).includes;
}

std::uint64_t files_read() {
  return reads;
}

}  // namespace burin::toolchain
