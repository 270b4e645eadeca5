// Matches source lines between two builds, and lists what changed on each line.
//
//   LineMatch match(before, after, before_source, after_source);
//   match.after({"v1/a.cu", 14})         {"v2/a.cu", 16}
//
// A file with the same path on both sides is compared line number by line number. Two files whose
// texts are both available are first aligned by text, as diff does, so that lines that moved still
// match.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "advise/compare/kernel_facts.h"
#include "read/program/source.h"

namespace burin::advise {

// Returns, for each line of `before`, the matching line of `after` (both counted from 1; 0:
// removed). Unequal lines between equal lines are paired in order.
std::vector<std::uint32_t> align_lines(std::span<const std::string_view> before,
                                       std::span<const std::string_view> after);

class LineMatch {
 public:
  LineMatch(const KernelFacts& before, const KernelFacts& after, read::SourceText& before_source,
            read::SourceText& after_source);

  // Returns the matching line; empty if the line was removed.
  std::optional<LineKey> after(const LineKey& before) const;

 private:
  struct Partner {
    std::string file;
    std::vector<std::uint32_t> lines;  // result of align_lines(); empty: same line numbers
  };
  std::map<std::string, Partner> partners_;
};

struct LineChange {
  std::optional<LineKey> before{}, after{};
  LineFacts was{}, is{};

  bool is_changed() const { return was.instructions != is.instructions; }
};

// Returns all lines of both kernels, sorted by change in share of the time, then by change in
// instructions, largest first.
std::vector<LineChange> line_changes(const KernelFacts& before, const KernelFacts& after,
                                     const LineMatch& match);

// A finding that only one side has, or that both have.
struct AdviceChange {
  const AdviceFacts* before = nullptr;  // null: new finding
  const AdviceFacts* after = nullptr;   // null: finding is gone
};
std::vector<AdviceChange> advice_changes(const KernelFacts& before, const KernelFacts& after,
                                         const LineMatch& match);

}  // namespace burin::advise
