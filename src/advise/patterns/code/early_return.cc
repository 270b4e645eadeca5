#include "advise/patterns/code/early_return.h"

#include <algorithm>
#include <regex>
#include <vector>

#include "advise/case/place.h"
#include "analyze/code/regions.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr std::size_t kNamedReturns = 3;
constexpr Origins::Mask kByThread =
    Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ | Origins::kLoadedByLane;

// Whether the line of the exit, or the one after it, returns. Yes without a source.
bool returns_in_source(const Case& c, std::uint32_t exit) {
  static const std::regex word(R"(\breturn\b)");
  const analyze::SourceLine at = analyze::line_of(c.kernel, exit);
  if (!c.source_line || at.line == 0) return true;
  const std::string text = c.source_line(at.file, at.line);
  return text.empty() || std::regex_search(text, word) ||
         std::regex_search(c.source_line(at.file, at.line + 1), word);
}

}  // namespace

std::string early_return_text(const Case& c, const Origins& origins) {
  std::vector<std::string> places;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Instruction& at = c.at(i);
    const bool some = at.known() && at.opcode->flow == read::Opcode::kExit && !at.guard.always();
    if (!some || c.places.function_of(i) != 0 || c.places.loop_of(i) != read::kNoIndex) continue;
    if ((origins.of(i) & kByThread) == 0 || !returns_in_source(c, i)) continue;
    // The compiler's own exits, past a loop or a store, have no work after them in all threads.
    if (c.source_line == nullptr && !places.empty()) break;
    const std::string place = place_name(c.kernel, i);
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  }
  if (places.empty()) return "";
  return fmt::format(
      " Threads that return at {} would not reach the new __syncthreads(): make {} around their "
      "work, and let all threads of the block reach the barriers.",
      list_of(places, kNamedReturns), places.size() == 1 ? "it a condition" : "these conditions");
}

}  // namespace burin::advise
