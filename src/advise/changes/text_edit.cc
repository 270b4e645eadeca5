#include "advise/changes/text_edit.h"

#include <algorithm>

#include "base/format.h"

namespace burin::advise {
namespace {

constexpr std::uint32_t kContext = 3;  // lines

void put_in_order(std::vector<TextEdit>& edits) {
  std::ranges::stable_sort(edits, {},
                           [](const TextEdit& e) { return std::pair(e.offset, e.length); });
  edits.erase(std::ranges::unique(edits).begin(), edits.end());
}

// Replaces lines [first, last) of the old text by `lines`.
struct ChangedLines {
  std::uint32_t first = 0, last = 0;
  std::vector<std::string> lines{};
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', at));
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return lines;
}

std::vector<ChangedLines> changed_lines(const CudaText& source,
                                        const std::vector<TextEdit>& edits) {
  std::vector<ChangedLines> all;
  std::vector<std::vector<TextEdit>> parts;
  for (const TextEdit& e : edits) {
    const std::uint32_t first = source.line_at(e.offset);
    const bool inserts_lines =
        e.length == 0 && e.text.ends_with('\n') && source.line_start(first) == e.offset;
    const std::uint32_t last =
        inserts_lines ? first
                      : source.line_at(e.offset + std::max<std::size_t>(e.length, 1) - 1) + 1;
    if (!all.empty() && first <= all.back().last) {
      all.back().last = std::max(all.back().last, last);
      parts.back().push_back(e);
    } else {
      all.push_back({first, last, {}});
      parts.push_back({e});
    }
  }
  const auto start = [&](std::uint32_t line) {
    return line <= source.lines() ? source.line_start(line) : source.text().size();
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::size_t from = start(all[k].first);
    for (TextEdit& e : parts[k]) e.offset -= from;
    const Result<std::string> made =
        apply_edits(source.text().substr(from, start(all[k].last) - from), parts[k]);
    if (made) all[k].lines = lines_of(*made);
  }
  return all;
}

void put_line(std::string& diff, char mark, std::string_view line) {
  diff += mark;
  diff += line;
  if (!line.ends_with('\n')) diff += "\n\\ No newline at end of file\n";
}

}  // namespace

Result<std::string> apply_edits(const std::string& text, std::vector<TextEdit> edits) {
  put_in_order(edits);
  std::string made;
  std::size_t at = 0;
  for (const TextEdit& e : edits) {
    if (e.offset < at || e.offset + e.length > text.size()) {
      return Error{"two changes edit the same text"};
    }
    made += text.substr(at, e.offset - at);
    made += e.text;
    at = e.offset + e.length;
  }
  return made + text.substr(at);
}

std::string unified_diff(const CudaText& source, const std::string& path,
                         std::vector<TextEdit> edits) {
  put_in_order(edits);
  const std::vector<ChangedLines> all = changed_lines(source, edits);
  if (all.empty()) return "";
  std::string diff = fmt::format("--- a/{0}\n+++ b/{0}\n", path);
  const auto lines = static_cast<std::uint32_t>(source.lines());
  std::uint32_t taken = 1;  // first line that no hunk covers
  std::int64_t shift = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ChangedLines& change = all[k];
    const std::uint32_t before =
        std::max(taken, change.first > kContext ? change.first - kContext : 1);
    // `git apply` assumes that a hunk which ends with a change is at the end of the file.
    std::uint32_t after = std::min(lines + 1, change.last + kContext);
    if (k + 1 < all.size()) {
      const std::uint32_t gap = all[k + 1].first - change.last;
      after = std::min(after, change.last + std::max<std::uint32_t>(1, gap / 2));
    }
    taken = after;
    const std::uint32_t old_count = after - before;
    const auto new_count =
        static_cast<std::uint32_t>(old_count - (change.last - change.first) + change.lines.size());
    diff += fmt::format("@@ -{},{} +{},{} @@\n", old_count == 0 ? before - 1 : before, old_count,
                        before + shift - (new_count == 0 ? 1 : 0), new_count);
    for (std::uint32_t l = before; l < change.first; ++l) put_line(diff, ' ', source.line(l));
    for (std::uint32_t l = change.first; l < change.last; ++l) put_line(diff, '-', source.line(l));
    for (const std::string& line : change.lines) put_line(diff, '+', line);
    for (std::uint32_t l = change.last; l < after; ++l) put_line(diff, ' ', source.line(l));
    shift += static_cast<std::int64_t>(new_count) - old_count;
  }
  return diff;
}

}  // namespace burin::advise
