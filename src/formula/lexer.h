// The words of an expression's text, one at a time.
//
//   "bx <= 0x20"    kName "bx", kSign "<=", kInteger 32, kEnd
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formula/value.h"

namespace burin::formula {

struct Token {
  enum class Kind : unsigned char {
    kEnd,
    kName,     // also the words and, or, not, in, if, else
    kSign,     // "&&", "||" and "!" too
    kLiteral,  // a number, a text, True or False
  };
  Kind kind = Kind::kEnd;
  std::size_t offset = 0;
  std::string_view text;  // as written
  Value value;            // kLiteral
};

// The token at or after `offset`, which the next call starts after. Errors name the position.
Result<Token> next_token(std::string_view text, std::size_t offset);

}  // namespace burin::formula
