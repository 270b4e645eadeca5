// A change that burin can make itself: to the source text, the compiler's flags or the launch. Its
// gain is found by compiling and predicting the result, not by an estimate.
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

// The form of a joint change of text and launch, for any grid of the unchanged launch.
struct GridForm {
  std::vector<TextEdit> edits{};
  launch::Dims grid{};
};

struct Change {
  std::string family{};              // "unroll", "flags", …
  std::string place{};               // "k.cu:14"; "": the whole kernel
  std::string title{};               // what is done: "#pragma unroll 4 at k.cu:14"
  std::string condition{};           // condition for the change: a sentence, or ""
  std::vector<std::string> rules{};  // rules whose findings ask for exactly this change
  std::uint32_t line = 0;            // findings of these lines only; 0: of any line
  std::uint32_t last_line = 0;
  bool rounds_differently = false;  // results differ in rounding: compared within a tolerance
  // If neither edits nor flags are set, the change is to the launch or made in PTX.
  std::vector<TextEdit> edits{};
  std::vector<std::string> flags{};  // for nvcc
  std::optional<launch::Dims> grid{}, block{};
  std::vector<coarsen::Coarsening> coarsenings{};
  // Set if text and launch change together: results are then compared on a part of the launch's
  // blocks. If only the launch changes, equal results are proved instead.
  std::function<GridForm(launch::Dims grid)> for_grid{};

  bool in_source() const { return !edits.empty(); }
  bool of_launch() const { return grid.has_value() || block.has_value(); }
  bool launch_only() const { return of_launch() && !in_source(); }
};

// Whether both changes can be made at once. Alternatives, edits of the same text and two changes of
// the launch cannot.
bool combine(const Change& a, const Change& b);

// A change that was not made, with the reason.
struct RefusedChange {
  std::string title{};
  std::string why{};
};

}  // namespace burin::advise
