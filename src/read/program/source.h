// The text of source files that line tables name, where they can still be found.
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
  // A file is looked for where the line table says, then in `near` (the folder of the binary) and
  // in the working directory by its name alone.
  explicit SourceText(std::string near) : near_(std::move(near)) {}

  // Line `number` (from 1) of `path`, without its indentation; "" where it is not known.
  std::string_view line(const std::string& path, std::uint32_t number);

 private:
  struct File {
    std::vector<MappedFile> text;  // one, or none where it was not found
    std::vector<std::string_view> lines;
  };
  const File& find(const std::string& path);

  std::string near_;
  std::map<std::string, File> files_;
};

// The place where the function starts in the source ("" and 0 where there is no line information).
// Code inlined there counts for the line that calls it.
struct Place {
  std::string_view file;
  std::uint32_t line = 0;
};
Place start_of(const Image& image, const Function& function);

// `location` and what it was inlined from, innermost first. Damaged chains end at a sane length.
std::vector<const Location*> call_chain(const Image& image, std::int32_t location);

// The path of a location's file, "?" where the table has no such file.
std::string_view path_of(const Image& image, const Location& location);

// The location of each instruction in turn, in one walk along the line table.
class LineWalk {
 public:
  explicit LineWalk(const Function& function) : rows_(function.lines) {}

  // Offsets must not go down from call to call. -1 where no source is known.
  std::int32_t at(std::uint32_t offset);

 private:
  const std::vector<LineRow>& rows_;
  std::size_t next_ = 0;
};

}  // namespace burin::read
