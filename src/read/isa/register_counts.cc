#include "read/isa/register_counts.h"

#include <algorithm>
#include <bit>

namespace burin::read::isa {
namespace {

// The number at the start of `text`, and what stands behind it.
unsigned leading_number(std::string_view& text) {
  unsigned value = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    value = 10 * value + static_cast<unsigned>(text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

struct Shape {
  std::string_view text;
  unsigned m, n, k;
};
constexpr Shape kShapes[] = {
    {"884", 8, 8, 4},       {"8x8x4", 8, 8, 4},   {"16x8x4", 16, 8, 4},   {"16x8x8", 16, 8, 8},
    {"16x8x16", 16, 8, 16}, {"1684", 16, 8, 4},   {"1688", 16, 8, 8},     {"16816", 16, 8, 16},
    {"16832", 16, 8, 32},   {"16864", 16, 8, 64}, {"168128", 16, 8, 128}, {"168256", 16, 8, 256},
    {"8816", 8, 8, 16},     {"8832", 8, 8, 32},   {"88128", 8, 8, 128},
};

unsigned element_bits(std::string_view type) {
  if (type.ends_with("64")) return 64;
  if (type.ends_with("32")) return 32;
  if (type.starts_with('E') || type.ends_with("8")) return 8;
  if (type.ends_with("4")) return 4;
  return 16;  // F16, BF16, and HMMA's silent default
}

// A warp holds a matrix spread evenly over its 32 lanes.
unsigned fragment(char matrix, const Instruction& i) {
  const auto* shape = std::find_if(std::begin(kShapes), std::end(kShapes),
                                   [&](const Shape& s) { return s.text == i.modifier("shape"); });
  if (shape == std::end(kShapes)) return 1;
  const std::string_view name = i.mnemonic();
  unsigned bits_a = element_bits(i.modifier(name == "HMMA" ? "from" : "a"));
  unsigned bits_b = element_bits(i.modifier(name == "HMMA" ? "from" : "b"));
  unsigned bits_c = i.modifier("to") == "F16" ? 16 : 32;
  if (name == "BMMA") bits_a = bits_b = 1;
  if (name == "DMMA") bits_a = bits_b = bits_c = 64;
  const unsigned sparse = i.modifier("sp") == "SP" ? 2 : 1;  // half of A is left out
  const unsigned bits = matrix == 'A'   ? shape->m * shape->k * bits_a / sparse
                        : matrix == 'B' ? shape->k * shape->n * bits_b
                                        : shape->m * shape->n * bits_c;
  return std::max(1u, bits / (32 * 32));
}

// Coordinates come as two operands: the first two of them, then the rest, the depth reference, the
// offsets and, for a bindless texture, its handle.
unsigned coordinates(unsigned which, const Word& word, const Instruction& i) {
  static constexpr unsigned kDimensions[] = {1, 2, 3, 3};
  const std::uint64_t dimension = word.bits(61, 3);
  unsigned total = kDimensions[dimension & 3] + static_cast<unsigned>(dimension >> 2);
  const std::string_view lod = i.modifier("lod");
  if (lod.starts_with("LL") || lod.starts_with("LB")) ++total;
  for (std::string_view extra : {"offset", "depth", "samples"})
    if (!i.modifier(extra).empty()) ++total;
  if (which == 0) return std::min(total, 2u);
  return std::max(1u, total - std::min(total, 2u) + (i.modifier("b").empty() ? 0u : 1u));
}

}  // namespace

unsigned registers_of(std::string_view text, bool narrow) {
  if (text.starts_with("64x")) {
    text.remove_prefix(3);
    const unsigned columns = leading_number(text);  // 64 rows over 128 lanes
    return std::max(1u, narrow ? columns / 4 : columns / 2);
  }
  if (text == "2" || text == "4") return static_cast<unsigned>(text[0] - '0');
  if (const std::size_t x = text.find('x'); x != text.npos) {
    std::string_view rest = text.substr(x + 1);
    const unsigned elements = leading_number(rest);
    if (x == 0) return elements;
    const unsigned bits = text.starts_with('E') ? 8 : text[x - 1] == '2' ? 32 : 16;
    return std::max(1u, elements * bits / 32);
  }
  if (text.find("128") != text.npos) return 4;
  return text.find("64") != text.npos ? 2 : 1;
}

std::optional<unsigned> registers_by_rule(std::string_view rule, const Word& word,
                                          const Instruction& instruction) {
  if (rule.starts_with("frag")) return fragment(rule.back(), instruction);
  if (rule.starts_with("place")) {
    return coordinates(rule.back() == '0' ? 0 : 1, word, instruction);
  }
  if (rule.starts_with("result")) {
    auto components = static_cast<unsigned>(std::popcount(word.bits(72, 4)));
    if (!instruction.modifier("f16").empty()) components = (components + 1) / 2;
    return rule.back() == '0' ? std::min(components, 2u) : components - std::min(components, 2u);
  }
  return std::nullopt;
}

}  // namespace burin::read::isa
