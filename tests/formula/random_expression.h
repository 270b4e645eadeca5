// Random expressions over the names a, b (integers) and x (a number), as a user might write them:
// with superfluous parentheses and with C's operators.
#pragma once

#include <array>
#include <random>
#include <string>

namespace burin::formula {

class RandomExpression {
 public:
  explicit RandomExpression(std::uint32_t seed) : random_(seed) {}

  std::string text(int depth) {
    if (depth == 0) return leaf();
    const auto inner = [&] { return text(static_cast<int>(below(static_cast<unsigned>(depth)))); };
    switch (below(14)) {
      case 0:
        return leaf();
      case 1:
        return "(" + inner() + ")";
      case 2:
        return pick<6>({"-", "+", "~", "!", "not ", "- -"}) + ("(" + inner() + ")");
      case 3:
        return operand(inner()) + pick<4>({" or ", " and ", "||", " && "}) + operand(inner());
      case 4:
        return operand(inner()) + pick<6>({"==", " != ", "<", "<=", " >", ">="}) + operand(inner());
      case 5:
        return operand(inner()) + " <= " + operand(inner()) + " < " + operand(inner());
      case 6:
        return operand(inner()) + pick<2>({" in ", " not in "}) + list(inner());
      case 7:
        return operand(inner()) + " if " + operand(inner()) + " else " + operand(inner());
      case 8:
        return operand(inner()) + "?" + inner() + ":" + operand(inner());
      case 9:
        return pick<6>({"abs(", "ceil(", "floor(", "round(", "int(", "float("}) + inner() + ")";
      case 10:
        return pick<2>({"min(", "max("}) + inner() + ", " + inner() + ", " + inner() + ")";
      case 11:
        return pick<2>({"ceildiv(", "pow("}) + inner() + ", " + inner() + ")";
      default:
        return operand(inner()) +
               pick<12>({"+", " - ", "*", " / ", "//", "%", "**", "<<", ">>", "&", "|", "^"}) +
               operand(inner());
    }
  }

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

 private:
  std::string leaf() {
    return pick<12>({"a", "b", "x", "a", "b", "0", "1", "2", "7", "0x10", "2.5", "True"});
  }

  // Mostly in parentheses, since a conditional or "not" cannot stand everywhere.
  static std::string operand(const std::string& inner) {
    const bool simple =
        inner.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.*+-/%T") == std::string::npos;
    return simple ? inner : "(" + inner + ")";
  }

  template <std::size_t n>
  std::string pick(const std::array<const char*, n>& choices) {
    return choices[below(n)];
  }
  std::string list(const std::string& element) {
    const std::string pair = pick<3>({"[]", "()", "{}"});
    return pair.substr(0, 1) + "1, 2, " + element + pair.substr(1);
  }

  std::mt19937 random_;
};

}  // namespace burin::formula
