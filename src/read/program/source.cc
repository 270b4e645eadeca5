#include "read/program/source.h"

#include "base/text.h"
#include "read/program/names.h"

namespace burin::read {

const SourceText::File& SourceText::find(const std::string& path) {
  const auto [at, is_new] = files_.try_emplace(path);
  File& file = at->second;
  if (!is_new) return file;
  const std::string name(file_name(path));
  for (const std::string& candidate : {path, near_ + "/" + name, name}) {
    Result<MappedFile> found = MappedFile::open(candidate);
    if (!found) continue;
    const Bytes bytes = found->bytes();
    file.lines = split({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, '\n');
    file.text.push_back(std::move(*found));
    break;
  }
  return file;
}

std::string_view SourceText::line(const std::string& path, std::uint32_t number) {
  const File& file = find(path);
  if (number == 0 || number > file.lines.size()) return {};
  std::string_view text = file.lines[number - 1];
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  text.remove_prefix(start);
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

std::vector<const Location*> call_chain(const Image& image, std::int32_t location) {
  static constexpr std::size_t kDeepest = 64;
  std::vector<const Location*> chain;
  while (location >= 0 && static_cast<std::size_t>(location) < image.locations.size() &&
         chain.size() < kDeepest) {
    chain.push_back(&image.locations[static_cast<std::size_t>(location)]);
    location = chain.back()->inlined_from;
  }
  return chain;
}

std::string_view path_of(const Image& image, const Location& location) {
  return location.file < image.files.size() ? std::string_view(image.files[location.file]) : "?";
}

Place start_of(const Image& image, const Function& function) {
  for (const LineRow& row : function.lines) {
    const auto chain = call_chain(image, row.location);
    if (!chain.empty()) return {path_of(image, *chain.back()), chain.back()->line};
  }
  return {};
}

std::int32_t LineWalk::at(std::uint32_t offset) {
  while (next_ < rows_.size() && rows_[next_].offset <= offset) ++next_;
  return next_ == 0 ? -1 : rows_[next_ - 1].location;
}

}  // namespace burin::read
