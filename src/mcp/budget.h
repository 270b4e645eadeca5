// Answers of bounded length: as much of a text as a number of tokens allows, cut at the end of a
// line, and a handle for the rest.
//
//   Answers answers;
//   Part part = answers.first(text, 4000);   // part.text, and part.more = "1@15873" if it was cut
//   answers.rest("1@15873", 4000)            // the part that follows
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::mcp {

// An estimate from above of the tokens that a language model reads `text` as: four letters, three
// digits or one other character each; runs of spaces count once.
std::size_t estimate_tokens(std::string_view text);

// Returns how many bytes of `text` fit into `tokens`: whole lines, or where the first line is
// longer, whole characters of it.
std::size_t fitting_bytes(std::string_view text, std::size_t tokens);

struct Part {
  std::string text;
  std::string more{};          // handle of what follows; "": nothing
  std::size_t left_bytes = 0;  // how much that is
};

// The last few answers that were cut.
class Answers {
 public:
  Part first(std::string text, std::size_t tokens);
  Result<Part> rest(std::string_view handle, std::size_t tokens) const;

 private:
  static constexpr std::size_t kKept = 16;

  struct Kept {
    std::size_t number;
    std::string text;
  };
  std::deque<Kept> kept_;
  std::size_t next_ = 1;
};

}  // namespace burin::mcp
