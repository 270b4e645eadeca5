#include "report/html/source_json.h"

#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/regions.h"
#include "base/format.h"
#include "read/program/names.h"

namespace burin::report {
namespace {

constexpr std::size_t kWholeFile = 1500;  // lines; of larger files only what is near the code …
constexpr std::uint32_t kAround = 20;     // … so many lines before and after
constexpr std::uint32_t kNear = 10;       // parts that are so close are one
constexpr std::size_t kMaxLineBytes = 400;

class Places {
 public:
  explicit Places(const read::Kernel& kernel) : kernel_(kernel) {
    read::LineWalk walk(*kernel.function);
    std::map<std::int32_t, int> known;
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      const std::int32_t location = walk.at(kernel.instructions[i].offset);
      const auto chain = read::call_chain(*kernel.image, location);
      if (chain.empty()) {
        of_.push_back(-1);
        continue;
      }
      const auto [at, is_new] = known.try_emplace(location, static_cast<int>(list_.size()));
      of_.push_back(at->second);
      if (is_new) list_.push_back({i, chain});
    }
  }

  void write(Json& json) {
    json.open("place", '[');
    for (const int place : of_) json.element(place);
    json.close();
    json.open("places", '[');
    for (const Place& place : list_) write(json, place);
    json.close();
  }

  // The files, by their number, with the lines that the code comes from.
  struct File {
    std::string path;
    std::set<std::uint32_t> lines{};
  };
  const std::vector<File>& files() const { return files_; }

 private:
  struct Place {
    std::uint32_t instruction = 0;
    std::vector<const read::Location*> chain{};
  };

  void write(Json& json, const Place& place) {
    const analyze::SourceLine own = analyze::line_of(kernel_, place.instruction);
    json.open('{');
    json.field("file", number(own.file, own.line));
    json.field("line", own.line);
    if (place.chain.size() > 1) {
      json.open("chain", '[');
      for (const read::Location* call : place.chain) {
        const std::size_t file = number(read::path_of(*kernel_.image, *call), call->line);
        json.open('[');
        json.element(file);
        json.element(call->line);
        json.element(read::bare_name(call->function));
        json.close();
      }
      json.close();
    }
    json.close();
  }

  std::size_t number(std::string_view path, std::uint32_t line) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(path), files_.size());
    if (is_new) files_.push_back({at->first});
    files_[at->second].lines.insert(line);
    return at->second;
  }

  const read::Kernel& kernel_;
  std::vector<int> of_;
  std::vector<Place> list_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<File> files_;
};

void write_part(Json& json, const std::vector<std::string_view>& lines, std::uint32_t first,
                std::uint32_t last) {
  json.open('{');
  json.field("first", first);
  json.open("text", '[');
  for (std::uint32_t line = first; line <= last; ++line) {
    std::string_view text = lines[line - 1].substr(0, kMaxLineBytes);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    json.element(text);
  }
  json.close();
  json.close();
}

void write_file(Json& json, const Places::File& file, read::SourceText& source) {
  const std::vector<std::string_view>& lines = source.lines(file.path);
  const auto count = static_cast<std::uint32_t>(lines.size());
  json.open('{');
  json.field("path", file.path);
  json.field("lines", count);
  json.open("parts", '[');
  if (count > 0 && count <= kWholeFile) {
    write_part(json, lines, 1, count);
  } else if (count > 0) {
    std::uint32_t first = 0, last = 0;  // 0: none yet
    for (const std::uint32_t line : file.lines) {
      if (line == 0 || line > count) continue;
      const std::uint32_t from = line > kAround ? line - kAround : 1;
      if (first != 0 && from > last + kNear) {
        write_part(json, lines, first, last);
        first = 0;
      }
      if (first == 0) first = from;
      last = std::min(count, line + kAround);
    }
    if (first != 0) write_part(json, lines, first, last);
  }
  json.close();
  json.close();
}

}  // namespace

double rounded(double value) {
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

void write_source_json(Json& json, const read::Kernel& kernel, read::SourceText& source) {
  Places places(kernel);
  places.write(json);
  json.open("files", '[');
  for (const Places::File& file : places.files()) write_file(json, file, source);
  json.close();
}

}  // namespace burin::report
