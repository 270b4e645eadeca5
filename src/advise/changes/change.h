// A change that burin can make itself: to the source text, the compiler's flags or the launch. What
// it gains is found by compiling the result and predicting it, not by an estimate.
//
//   Change c{.family = "unroll", .place = "k.cu:14", .title = "#pragma unroll 4 at k.cu:14",
//            .rules = {"loop-unrolling"}, .line = 14, .edits = {…}};
//
// Changes of one family at one place are alternatives: unroll by 2, 4 or 8.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/changes/text_edit.h"
#include "coarsen/coarsen.h"
#include "launch/launch.h"

namespace burin::advise {

// A change of text and launch together, as it would be if the unchanged launch had another grid.
struct GridForm {
  std::vector<TextEdit> edits{};
  launch::Dims grid{};
};

struct Change {
  std::string family{};              // "unroll", "flags", …
  std::string place{};               // "k.cu:14"; "": the whole kernel
  std::string title{};               // what is done: "#pragma unroll 4 at k.cu:14"
  std::string condition{};           // what must hold for it: a sentence, or ""
  std::vector<std::string> rules{};  // findings that ask for exactly this
  std::uint32_t line = 0;            // findings of these lines only; 0: of any line
  std::uint32_t last_line = 0;
  bool rounds_differently = false;  // results differ in rounding: compared within a tolerance
  // Where neither is set, the change is to the launch or made in PTX.
  std::vector<TextEdit> edits{};
  std::vector<std::string> flags{};  // for nvcc
  std::optional<launch::Dims> grid{}, block{};
  std::vector<coarsen::Coarsening> coarsenings{};
  // Set where text and launch belong together: results are compared on a part of the launch's
  // blocks. A launch that is changed alone is proved to have the same results.
  std::function<GridForm(launch::Dims grid)> for_grid{};

  bool in_source() const { return !edits.empty(); }
  bool of_launch() const { return grid.has_value() || block.has_value(); }
  bool launch_only() const { return of_launch() && !in_source(); }
};

// Whether both can be made at once: alternatives cannot, nor edits of the same text, nor two
// changes of the launch.
bool combine(const Change& a, const Change& b);

// A change that was not made, and why.
struct RefusedChange {
  std::string title{};
  std::string why{};
};

}  // namespace burin::advise
