#include "read/binary/ptx_text.h"

#include <string_view>

namespace burin::read {
namespace {

// `text` without the white space and comments it begins with.
std::string_view skip_comments(std::string_view text) {
  for (;;) {
    const std::size_t word = text.find_first_not_of(" \t\r\n");
    if (word == std::string_view::npos) return {};
    text.remove_prefix(word);
    const bool line = text.starts_with("//"), block = text.starts_with("/*");
    if (!line && !block) return text;
    const std::size_t end = line ? text.find('\n') : text.find("*/", 2);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (line ? 1 : 2));
  }
}

}  // namespace

std::optional<Entry> read_ptx_text(Bytes file) {
  const std::string_view text =
      skip_comments({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!text.starts_with(".version")) return std::nullopt;
  Entry entry;
  entry.kind = Entry::Kind::kPtx;
  entry.data = file;
  entry.raw_size = file.size();
  // ".target sm_90a, debug": among the first few lines.
  std::string_view target = text.substr(0, 4096);
  if (const std::size_t at = target.find(".target"); at != std::string_view::npos) {
    target.remove_prefix(at + 7);
    target.remove_prefix(std::min(target.find_first_not_of(" \t"), target.size()));
    target = target.substr(0, target.find_first_of(", \t\r\n"));
    if (const auto arch = parse_architecture(target)) entry.arch = *arch;
  }
  return entry;
}

}  // namespace burin::read
