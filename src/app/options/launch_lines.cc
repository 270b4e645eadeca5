#include "app/options/launch_lines.h"

#include "base/file.h"
#include "base/text.h"

namespace burin::app {

Result<std::vector<NumberedLine>> launch_lines(const std::string& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error().within("--launches");
  const Bytes bytes = file->bytes();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<NumberedLine> lines;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || line[first] == '#') continue;
    const std::size_t last = line.find_last_not_of(" \t\r");
    lines.push_back({number, std::string(line.substr(first, last + 1 - first))});
  }
  if (lines.empty()) return Error{path + ": contains no launches"};
  return lines;
}

}  // namespace burin::app
