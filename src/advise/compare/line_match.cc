#include "advise/compare/line_match.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "read/program/names.h"

namespace burin::advise {
namespace {

constexpr std::size_t kMaxCells = 16 << 20;  // of the table that aligns two files

std::set<std::string> files_of(const KernelFacts& facts) {
  std::set<std::string> files;
  for (const auto& [key, line] : facts.lines) {
    if (!key.file.empty()) files.insert(key.file);
  }
  return files;
}

std::uint32_t last_line(const KernelFacts& facts, const std::string& file) {
  std::uint32_t last = 0;
  for (const auto& [key, line] : facts.lines) {
    if (key.file == file) last = std::max(last, key.line);
  }
  return last;
}

// The lines of the file up to the kernel's last line; empty if the text is not found.
std::vector<std::string_view> text_of(read::SourceText& source, const std::string& file,
                                      std::uint32_t last) {
  std::vector<std::string_view> lines;
  bool found = false;
  for (std::uint32_t number = 1; number <= last; ++number) {
    lines.push_back(source.line(file, number));
    found = found || !lines.back().empty();
  }
  return found ? lines : std::vector<std::string_view>{};
}

}  // namespace

std::vector<std::uint32_t> align_lines(std::span<const std::string_view> before,
                                       std::span<const std::string_view> after) {
  const std::size_t rows = before.size();
  const std::size_t columns = after.size();
  std::vector<std::uint32_t> partner(rows, 0);
  if ((rows + 1) * (columns + 1) > kMaxCells) {
    for (std::size_t i = 0; i < std::min(rows, columns); ++i) {
      partner[i] = static_cast<std::uint32_t>(i + 1);
    }
    return partner;
  }
  // The longest common subsequence of the lines from (i, j) on.
  std::vector<std::uint32_t> common((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return common[i * (columns + 1) + j];
  };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      at(i, j) =
          before[i] == after[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  std::vector<std::size_t> left;  // unequal lines since the last equal ones
  std::vector<std::size_t> right;
  const auto pair_up = [&] {
    for (std::size_t k = 0; k < std::min(left.size(), right.size()); ++k) {
      partner[left[k]] = static_cast<std::uint32_t>(right[k] + 1);
    }
    left.clear();
    right.clear();
  };
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] == after[j]) {
      pair_up();
      partner[i++] = static_cast<std::uint32_t>(++j);
    } else if (j == columns || (i < rows && at(i + 1, j) >= at(i, j + 1))) {
      left.push_back(i++);
    } else {
      right.push_back(j++);
    }
  }
  pair_up();
  return partner;
}

LineMatch::LineMatch(const KernelFacts& before, const KernelFacts& after,
                     read::SourceText& before_source, read::SourceText& after_source) {
  const std::set<std::string> old_files = files_of(before);
  std::set<std::string> new_files = files_of(after);
  for (const std::string& file : old_files) {
    if (new_files.erase(file) > 0) partners_[file] = {file, {}};
  }
  const auto join = [&](const std::string& old_file, const std::string& new_file) {
    const auto old_text = text_of(before_source, old_file, last_line(before, old_file));
    const auto new_text = text_of(after_source, new_file, last_line(after, new_file));
    Partner partner{new_file, {}};
    if (!old_text.empty() && !new_text.empty()) partner.lines = align_lines(old_text, new_text);
    partners_[old_file] = std::move(partner);
    new_files.erase(new_file);
  };
  std::vector<std::string> alone;
  for (const std::string& file : old_files) {
    if (partners_.contains(file)) continue;
    const auto named = std::ranges::find_if(
        new_files, [&](const std::string& other) { return file_name(other) == file_name(file); });
    if (named != new_files.end()) {
      join(file, std::string(*named));
    } else {
      alone.push_back(file);
    }
  }
  // A renamed file.
  if (alone.size() == 1 && new_files.size() == 1)
    join(alone.front(), std::string(*new_files.begin()));
}

std::optional<LineKey> LineMatch::after(const LineKey& before) const {
  if (before.file.empty()) return before;
  const auto found = partners_.find(before.file);
  if (found == partners_.end()) return std::nullopt;
  const Partner& partner = found->second;
  if (partner.lines.empty()) return LineKey{partner.file, before.line};
  if (before.line == 0 || before.line > partner.lines.size()) return std::nullopt;
  const std::uint32_t line = partner.lines[before.line - 1];
  return line == 0 ? std::nullopt : std::optional(LineKey{partner.file, line});
}

std::vector<LineChange> line_changes(const KernelFacts& before, const KernelFacts& after,
                                     const LineMatch& match) {
  std::vector<LineChange> changes;
  std::set<LineKey> taken;
  for (const auto& [key, facts] : before.lines) {
    LineChange change{.before = key, .was = facts};
    const std::optional<LineKey> partner = match.after(key);
    const auto found = partner ? after.lines.find(*partner) : after.lines.end();
    if (found != after.lines.end()) {
      change.after = found->first;
      change.is = found->second;
      taken.insert(found->first);
    }
    changes.push_back(std::move(change));
  }
  for (const auto& [key, facts] : after.lines) {
    if (!taken.contains(key)) changes.push_back({.after = key, .is = facts});
  }
  const auto weight = [](const LineChange& c) {
    return std::pair(
        std::abs(c.is.share - c.was.share),
        std::abs(static_cast<double>(c.is.instructions) - static_cast<double>(c.was.instructions)));
  };
  std::ranges::stable_sort(changes, std::ranges::greater{}, weight);
  return changes;
}

std::vector<AdviceChange> advice_changes(const KernelFacts& before, const KernelFacts& after,
                                         const LineMatch& match) {
  std::vector<AdviceChange> changes;
  if (!before.advice || !after.advice) return changes;
  std::set<const AdviceFacts*> taken;
  // The same rule on the same line; a rule's only finding may have moved.
  const auto partner_of = [&](const AdviceFacts& old) -> const AdviceFacts* {
    const std::optional<LineKey> where = match.after(old.where);
    const AdviceFacts* elsewhere = nullptr;
    std::size_t others = 0;
    for (const AdviceFacts& each : *after.advice) {
      if (each.rule != old.rule || taken.contains(&each)) continue;
      if (where && each.where == *where) return &each;
      elsewhere = &each;
      ++others;
    }
    return others == 1 ? elsewhere : nullptr;
  };
  for (const AdviceFacts& old : *before.advice) {
    const AdviceFacts* partner = partner_of(old);
    if (partner != nullptr) taken.insert(partner);
    changes.push_back({&old, partner});
  }
  for (const AdviceFacts& each : *after.advice) {
    if (!taken.contains(&each)) changes.push_back({nullptr, &each});
  }
  return changes;
}

}  // namespace burin::advise
