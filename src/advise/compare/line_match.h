// Which line of one build is which of the other, and what changed on it.
//
//   LineMatch match(before_files, after_files, before_source, after_source);
//   match.after({"v1/a.cu", 14})         {"v2/a.cu", 16}
//
// One file under one path is compared line by line, as it is numbered. Two files whose texts are
// both there are aligned by their text first, as diff does, so that lines that moved are still the
// same.
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

// For each line of `before`, the line of `after` that it became (both counted from 1; 0: it is
// gone). Unequal lines between equal ones are paired in their order.
std::vector<std::uint32_t> align_lines(std::span<const std::string_view> before,
                                       std::span<const std::string_view> after);

class LineMatch {
 public:
  LineMatch(const KernelFacts& before, const KernelFacts& after, read::SourceText& before_source,
            read::SourceText& after_source);

  // Nothing where the line is gone.
  std::optional<LineKey> after(const LineKey& before) const;

 private:
  struct Partner {
    std::string file;
    std::vector<std::uint32_t> lines;  // as align_lines gives them; empty: numbered alike
  };
  std::map<std::string, Partner> partners_;
};

struct LineChange {
  std::optional<LineKey> before{}, after{};
  LineFacts was{}, is{};

  bool is_changed() const { return was.instructions != is.instructions; }
};

// All lines of the two, what changed most in share of the time first, then in instructions.
std::vector<LineChange> line_changes(const KernelFacts& before, const KernelFacts& after,
                                     const LineMatch& match);

// Advice of the one that the other has not, and that of both.
struct AdviceChange {
  const AdviceFacts* before = nullptr;  // null: it is new
  const AdviceFacts* after = nullptr;   // null: it is gone
};
std::vector<AdviceChange> advice_changes(const KernelFacts& before, const KernelFacts& after,
                                         const LineMatch& match);

}  // namespace burin::advise
