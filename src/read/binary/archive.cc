#include "read/binary/archive.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "base/format.h"

namespace burin::read {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr std::size_t kLongestMemberName = 1024;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A decimal number padded with spaces.
std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{}) return std::nullopt;
  return value;
}

// A name from GNU's table of long names: up to "/\n".
std::string_view long_name(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset, kLongestMemberName);
  const std::size_t end = rest.find('\n');
  if (end == std::string_view::npos) return {};
  return rest.substr(0, end > 0 && rest[end - 1] == '/' ? end - 1 : end);
}

}  // namespace

bool is_archive(Bytes bytes) {
  return text_of(bytes).starts_with(kMagic) || text_of(bytes).starts_with(kThinMagic);
}

Result<std::vector<ArchiveMember>> read_archive(Bytes bytes) {
  if (text_of(bytes).starts_with(kThinMagic))
    return Error{"is a thin archive, which only references other files; pass those files instead"};
  std::vector<ArchiveMember> members;
  std::string_view long_names;
  Cursor in(bytes);
  in.skip(kMagic.size());
  while (!in.at_end()) {
    std::string_view name = text_of(in.bytes(16));
    in.skip(12 + 6 + 6 + 8);  // time, owner, group, mode
    const auto size = number(text_of(in.bytes(10)));
    const std::string_view end = text_of(in.bytes(2));
    if (!in.ok()) return Error{"the archive is truncated inside a member header"};
    if (end != "`\n" || !size)
      return Error{
          fmt::format("the archive is corrupt: no member header at byte {}", in.position() - 60)};
    Bytes contents = in.bytes(*size);
    if (!in.ok()) return Error{"the archive is truncated inside a member"};
    in.align(2);

    if (name.starts_with("// ")) {
      long_names = text_of(contents);
      continue;
    }
    if (name.starts_with("/ ") || name.starts_with("/SYM64/")) continue;  // the linker's index
    if (name.starts_with("#1/")) {  // BSD: the name is in front of the contents
      const std::uint64_t length = number(name.substr(3)).value_or(0);
      if (length > contents.size())
        return Error{"the archive is corrupt: a member name is too long"};
      name = text_of(contents.first(length)).substr(0, kLongestMemberName);
      name = name.substr(0, name.find('\0'));
      contents = contents.subspan(length);
    } else if (name.starts_with('/')) {
      name = long_name(long_names, number(name.substr(1)).value_or(~std::uint64_t{0}));
    } else {
      name = name.substr(0, name.find_last_not_of("/ ") + 1);
    }
    members.push_back({std::string(name), contents});
  }
  return members;
}

}  // namespace burin::read
