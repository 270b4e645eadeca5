// Source text and source locations of instructions. Reads the source files that line tables name,
// if they still exist.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "read/binary/image.h"

namespace burin::read {

class SourceText {
 public:
  // A file is searched at the path in the line table, then by its name alone in `near` (the folder
  // of the binary) and in the working directory.
  explicit SourceText(std::string near) : near_(std::move(near)) {}

  // Line `number` (from 1) of `path`, without its indentation; "" if the file or line was not
  // found.
  std::string_view line(const std::string& path, std::uint32_t number);

  // All lines of `path`, with their indentation; none if the file was not found.
  const std::vector<std::string_view>& lines(const std::string& path) { return find(path).lines; }

 private:
  struct File {
    std::vector<MappedFile> text;  // one element, or none if the file was not found
    std::vector<std::string_view> lines;
  };
  const File& find(const std::string& path);

  std::string near_;
  std::map<std::string, File> files_;
};

// The source location at which a function starts; "" and 0 without line information. Inlined code
// counts as the line that calls it.
struct Place {
  std::string_view file;
  std::uint32_t line = 0;
};
Place start_of(const Image& image, const Function& function);

// `location` and the call sites it was inlined into, innermost first. The length of a damaged chain
// is limited.
std::vector<const Location*> call_chain(const Image& image, std::int32_t location);

// The path of a location's file; "?" if the table has no such file.
std::string_view path_of(const Image& image, const Location& location);

// Looks up the locations of successive instructions in a single pass over the line table.
class LineWalk {
 public:
  explicit LineWalk(const Function& function) : rows_(function.lines) {}

  // The location at `offset`, or -1 if no source is known. Offsets must not decrease from call to
  // call.
  std::int32_t at(std::uint32_t offset);

 private:
  const std::vector<LineRow>& rows_;
  std::size_t next_ = 0;
};

}  // namespace burin::read
