#include "report/html/source_json.h"

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analyze/code/regions.h"
#include "read/program/names.h"
#include "report/html/columns.h"

namespace burin::report {
namespace {

// Lines; of larger files, only parts near the code are included.
constexpr std::size_t kWholeFile = 1500;
constexpr std::uint32_t kAround = 20;  // lines before and after the code
constexpr std::uint32_t kNear = 10;    // parts that are this close are merged
constexpr std::size_t kMaxLineBytes = 400;

class Places {
 public:
  explicit Places(const read::Kernel& kernel) : kernel_(kernel) {
    read::LineWalk walk(*kernel.function);
    std::map<std::int32_t, std::int64_t> known;
    for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
      const std::int32_t location = walk.at(kernel.instructions[i].offset);
      const auto chain = read::call_chain(*kernel.image, location);
      if (chain.empty()) {
        of_.push_back(-1);
        continue;
      }
      const auto [at, is_new] =
          known.try_emplace(location, static_cast<std::int64_t>(list_.size()));
      of_.push_back(at->second);
      if (is_new) list_.push_back({i, chain});
    }
  }

  void write(Json& json) {
    write_differences(json, "place", of_);
    std::vector<std::int64_t> files, lines;
    for (const Place& place : list_) {
      const analyze::SourceLine own = analyze::line_of(kernel_, place.instruction);
      files.push_back(static_cast<std::int64_t>(number(own.file, own.line)));
      lines.push_back(own.line);
    }
    json.open("places", '{');
    write_column(json, "file", files);
    write_differences(json, "line", lines);
    write_chains(json);
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

  // [place, call, …] of each place in inlined code; the calls and their functions once.
  void write_chains(Json& json) {
    Distinct<std::array<std::size_t, 3>> calls;
    Distinct<std::string> functions;
    json.open("chains", '[');
    for (std::size_t k = 0; k < list_.size(); ++k) {
      if (list_[k].chain.size() <= 1) continue;
      json.open('[');
      json.element(k);
      for (const read::Location* call : list_[k].chain) {
        const std::size_t file = number(read::path_of(*kernel_.image, *call), call->line);
        const std::size_t function = functions.add(std::string(read::bare_name(call->function)));
        json.element(calls.add({file, call->line, function}));
      }
      json.close();
    }
    json.close();
    write_column(json, "calls", calls.values());
    write_column(json, "functions", functions.values());
  }

  std::size_t number(std::string_view path, std::uint32_t line) {
    const auto [at, is_new] = numbers_.try_emplace(std::string(path), files_.size());
    if (is_new) files_.push_back({at->first});
    files_[at->second].lines.insert(line);
    return at->second;
  }

  const read::Kernel& kernel_;
  std::vector<std::int64_t> of_;
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

void write_source_json(Json& json, const read::Kernel& kernel, read::SourceText& source) {
  Places places(kernel);
  places.write(json);
  json.open("files", '[');
  for (const Places::File& file : places.files()) write_file(json, file, source);
  json.close();
}

}  // namespace burin::report
