// Changes to source text, and their form as a patch.
//
//   const TextEdit pragma{.offset = source.line_start(7), .length = 0, .text = "#pragma unroll
//   4\n"}; apply_edits(source.text(), {pragma})                     the whole new text
//   unified_diff(source, "k.cu", {pragma})                   what `git apply` takes:
//
//   --- a/k.cu
//   +++ b/k.cu
//   @@ -5,4 +5,5 @@
//      int i = 0;
//   …
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "advise/changes/cuda_text.h"
#include "base/result.h"

namespace burin::advise {

// Replaces `length` bytes from `offset` on.
struct TextEdit {
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string text{};

  bool operator==(const TextEdit&) const = default;
};

// Error: two edits that change the same text differently. Equal edits count once.
Result<std::string> apply_edits(const std::string& text, std::vector<TextEdit> edits);

// A unified diff with one hunk for each group of changed lines, up to three lines of context, and
// `path` as both names. Lines of neighbouring hunks are not shared, so that every hunk can be
// applied or left out alone. "" without edits. The edits must not overlap.
std::string unified_diff(const CudaText& source, const std::string& path,
                         std::vector<TextEdit> edits);

}  // namespace burin::advise
