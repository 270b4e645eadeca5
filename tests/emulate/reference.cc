#include "reference.h"

#include <bit>
#include <map>
#include <string_view>

namespace burin::emulate {
namespace {

__extension__ using Wide = unsigned __int128;

struct Lane {
  const read::Instruction& i;
  const Warp& before;
  unsigned lane;
  const ConstantMemory& constants;
  Outcome out{};

  const read::Operand& operand(unsigned k) const { return i.operands()[k]; }
  bool has(std::string_view name, std::string_view text) const { return i.modifier(name) == text; }

  // The bits of a source, sign left out; `word` is 1 for the upper half of a pair.
  std::uint32_t raw(unsigned k, unsigned word = 0) const {
    const read::Operand& o = operand(k);
    if (o.kind == read::Operand::Kind::kConstant) {
      return constants.word(o.bank, static_cast<std::uint64_t>(o.value) + 4 * word).value;
    }
    if (o.kind != read::Operand::Kind::kRegister) {
      return static_cast<std::uint32_t>(o.value >> (32 * word));
    }
    if (o.index == read::kZeroRegister) return 0;
    const unsigned first = o.file == read::RegisterFile::kUniform ? kUniformSlot : 0;
    return before.slots[first + o.index + word].lane[lane];
  }
  std::uint32_t value(unsigned k) const {
    const std::uint32_t v = raw(k);
    return operand(k).negated ? 0 - v : operand(k).inverted ? ~v : v;
  }
  std::int64_t number(unsigned k, bool is_signed) const {
    return is_signed ? std::int64_t{static_cast<std::int32_t>(value(k))} : std::int64_t{value(k)};
  }
  // A summand of `bits` bits whose negative is 2^bits - x, so that carries come out.
  Wide summand(unsigned k, unsigned bits) const {
    Wide v = raw(k);
    if (bits == 64) v += Wide{raw(k, 1)} << 32;
    const Wide whole = Wide{1} << bits;
    return operand(k).negated ? whole - v : operand(k).inverted ? whole - 1 - v : v;
  }
  bool predicate(unsigned k) const {
    const read::Operand& o = operand(k);
    const unsigned first =
        o.file == read::RegisterFile::kUniformPredicate ? kUniformPredicateSlot : 0;
    const bool p =
        o.index == read::kZeroRegister || (before.predicates[first + o.index] >> lane & 1) != 0;
    return p != o.inverted;
  }

  void write(unsigned k, std::uint32_t v, unsigned word = 0) {
    const read::Operand& o = operand(k);
    if (o.index == read::kZeroRegister) return;
    const unsigned first = o.file == read::RegisterFile::kUniform ? kUniformSlot : 0;
    out.registers.emplace_back(static_cast<std::uint16_t>(first + o.index + word), v);
  }
  void write_predicate(unsigned k, bool v) {
    const read::Operand& o = operand(k);
    if (o.index == read::kZeroRegister) return;
    const unsigned first =
        o.file == read::RegisterFile::kUniformPredicate ? kUniformPredicateSlot : 0;
    out.predicates.emplace_back(static_cast<std::uint8_t>(first + o.index), v);
  }
  void write_pair(unsigned k, Wide v) {
    write(k, static_cast<std::uint32_t>(v));
    write(k, static_cast<std::uint32_t>(v >> 32), 1);
  }
};

bool combine(std::string_view logic, bool a, bool b) {
  return logic == "AND" ? a && b : logic == "OR" ? a || b : a != b;
}

bool compare(std::string_view how, std::int64_t a, std::int64_t b) {
  return how == "LT"   ? a < b
         : how == "EQ" ? a == b
         : how == "LE" ? a <= b
         : how == "GT" ? a > b
         : how == "NE" ? a != b
         : how == "GE" ? a >= b
                       : how == "T";
}

void iadd3(Lane& l) {
  const unsigned bits = l.has("wide", "64") ? 64 : 32;
  Wide sum = l.summand(3, bits) + l.summand(4, bits) + l.summand(5, bits);
  if (l.has("x", "X")) sum += Wide{l.predicate(6)} + Wide{l.predicate(7)};
  l.write(0, static_cast<std::uint32_t>(sum));
  if (bits == 64) l.write(0, static_cast<std::uint32_t>(sum >> 32), 1);
  l.write_predicate(1, sum >> bits >= 1);
  l.write_predicate(2, sum >> bits >= 2);
}

void imad(Lane& l) {
  const bool is_signed = l.has("u32", "");
  const bool wide = l.has("wide", "WIDE");
  const bool high = l.has("hi", "HI");
  const unsigned a = wide || high ? 2 : 1;
  const auto product = static_cast<std::uint64_t>(l.number(a, is_signed)) *
                       static_cast<std::uint64_t>(l.number(a + 1, is_signed));
  const Wide carry = l.has("x", "X") ? l.predicate(a + 3) : 0;
  const Wide sum = Wide{product} + l.summand(a + 2, wide || high ? 64 : 32) + carry;
  if (wide) {
    l.write_pair(0, sum);
  } else {
    l.write(0, static_cast<std::uint32_t>(high ? sum >> 32 : sum));
  }
  if (wide || high) l.write_predicate(1, sum >> 64 != 0);
}

void lea(Lane& l) {
  const bool high = l.has("hi", "HI");
  const bool sign = l.has("sx32", "SX32");
  unsigned next = 4;
  std::uint64_t a = l.raw(2);
  if (sign && a >> 31 != 0) a |= ~std::uint64_t{0} << 32;
  if (high && !sign) a |= std::uint64_t{l.raw(next++)} << 32;
  const auto shift = static_cast<unsigned>(l.operand(next++).value);
  std::uint64_t shifted = a << shift;
  if (high) shifted >>= 32;
  shifted &= 0xffffffff;
  if (l.operand(2).negated) shifted = (std::uint64_t{1} << 32) - shifted;
  if (l.operand(2).inverted) shifted = 0xffffffff - shifted;
  Wide sum = Wide{shifted} + l.summand(3, 32);
  if (l.has("x", "X")) sum += l.predicate(next) ? 1 : 0;
  l.write(0, static_cast<std::uint32_t>(sum));
  l.write_predicate(1, sum >> 32 != 0);
}

void lop3(Lane& l) {
  const auto table = static_cast<unsigned>(l.operand(5).value);
  std::uint32_t result = 0;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const unsigned index =
        (l.value(2) >> bit & 1) << 2 | (l.value(3) >> bit & 1) << 1 | (l.value(4) >> bit & 1);
    result |= (table >> index & 1) << bit;
  }
  l.write(1, result);
  l.write_predicate(0, combine(l.has("pand", "PAND") ? "AND" : "OR", result != 0, l.predicate(6)));
}

void plop3(Lane& l) {
  unsigned index = 0;
  for (unsigned k = 2; k < 5; ++k) {
    const bool sign = l.operand(k).suffix == "SIGN";
    index = index << 1 | (sign ? l.raw(k) >> 31 : unsigned{l.predicate(k)});
  }
  l.write_predicate(0, (l.operand(5).value >> index & 1) != 0);
  l.write_predicate(1, (l.operand(6).value >> index & 1) != 0);
}

void isetp(Lane& l) {
  const bool is_signed = l.has("u32", "");
  const std::int64_t a = l.number(2, is_signed);
  const std::int64_t b = l.number(3, is_signed);
  bool result = compare(l.i.modifier("compare"), a, b);
  if (l.has("ex", "EX") && a == b) result = l.predicate(5);
  const std::string_view logic = l.i.modifier("logic");
  l.write_predicate(0, combine(logic, result, l.predicate(4)));
  l.write_predicate(1, combine(logic, !result, l.predicate(4)));
}

void imnmx(Lane& l) {
  const bool is_signed = l.has("u32", "");
  const bool a_less = l.number(1, is_signed) < l.number(2, is_signed);
  l.write(0, a_less == l.predicate(3) ? l.value(1) : l.value(2));
}

// The V forms, part by part: `f` gets the parts as numbers.
template <typename F>
void by_parts(Lane& l, unsigned first, unsigned count, F f) {
  const std::string_view type = l.i.modifier("type");
  const unsigned bits = type.ends_with("x2") ? 16 : 32;
  const bool is_signed = !type.starts_with('U');
  const auto fit = [&](std::int64_t v) {  // wraps
    const auto low = static_cast<std::uint64_t>(v) << (64 - bits);
    return is_signed ? static_cast<std::int64_t>(low) >> (64 - bits)
                     : static_cast<std::int64_t>(low >> (64 - bits));
  };
  std::uint32_t result = 0;
  for (unsigned at = 0; at < 32; at += bits) {
    std::int64_t v[3] = {};
    for (unsigned k = 0; k < count; ++k) v[k] = fit(l.value(first + k) >> at);
    std::int64_t chosen = f(v, fit);
    if (l.has("relu", "RELU") && chosen < 0) chosen = 0;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    result |= static_cast<std::uint32_t>((static_cast<std::uint64_t>(chosen) & mask) << at);
  }
  l.write(0, result);
}

std::int64_t pick(bool smaller, std::int64_t a, std::int64_t b) {
  return smaller ? (a < b ? a : b) : (a > b ? a : b);
}

void vimnmx(Lane& l) {
  by_parts(l, 3, 2, [&](const std::int64_t* v, auto) { return pick(l.predicate(5), v[0], v[1]); });
}
void vimnmx3(Lane& l) {
  const bool smaller = l.predicate(4);
  by_parts(l, 1, 3, [&](const std::int64_t* v, auto) {
    return pick(smaller, pick(smaller, v[0], v[1]), v[2]);
  });
}
void viaddmnmx(Lane& l) {
  by_parts(l, 1, 3, [&](const std::int64_t* v, auto fit) {
    return pick(l.predicate(4), fit(v[0] + v[1]), v[2]);
  });
}

void viadd(Lane& l) {
  const std::uint32_t a = l.value(1);
  const std::uint32_t b = l.value(2);
  const std::uint32_t halves =
      ((a & 0xffff) + (b & 0xffff)) % 0x10000 + (((a >> 16) + (b >> 16)) % 0x10000) * 0x10000;
  l.write(0, l.has("x2", "16x2") ? halves : a + b);
}

void iabs(Lane& l) {
  const std::int64_t a = l.number(1, true);
  l.write(0, static_cast<std::uint32_t>(a < 0 ? -a : a));
}

std::int64_t part(std::uint32_t word, unsigned at, unsigned bits, bool is_signed) {
  const std::int64_t v = word >> at & ((1u << bits) - 1);
  return is_signed && v >> (bits - 1) != 0 ? v - (1 << bits) : v;
}

void idp(Lane& l) {
  const bool signed_a = l.i.modifier("a").starts_with('S');
  const bool signed_b = l.i.modifier("b").starts_with('S');
  std::int64_t sum = l.value(3);
  if (l.has("size", "4A")) {
    for (unsigned k = 0; k < 4; ++k)
      sum += part(l.value(1), 8 * k, 8, signed_a) * part(l.value(2), 8 * k, 8, signed_b);
  } else {
    const unsigned from = l.has("half", "HI") ? 16 : 0;
    for (unsigned k = 0; k < 2; ++k)
      sum += part(l.value(1), 16 * k, 16, signed_a) * part(l.value(2), from + 8 * k, 8, signed_b);
  }
  l.write(0, static_cast<std::uint32_t>(sum));
}

void vabsdiff(Lane& l) {
  const bool is_signed = l.has("type", "");
  const std::int64_t d = l.number(1, is_signed) - l.number(2, is_signed);
  l.write(0, static_cast<std::uint32_t>(d < 0 ? -d : d) + l.value(3));
}

void vabsdiff4(Lane& l) {
  const bool is_signed = l.has("type", "");
  std::uint32_t bytes = 0;
  std::uint32_t sum = l.value(3);
  for (unsigned at = 0; at < 32; at += 8) {
    const std::int64_t d = part(l.value(1), at, 8, is_signed) - part(l.value(2), at, 8, is_signed);
    const auto size = static_cast<std::uint32_t>(d < 0 ? -d : d);
    bytes |= size << at;
    sum += size;
  }
  l.write(0, l.has("acc", "ACC") ? sum : bytes);
}

void bmsk(Lane& l) {
  const bool wraps = l.has("w", "W");
  const std::uint32_t start = wraps ? l.value(1) % 32 : l.value(1);
  const std::uint32_t width = wraps ? l.value(2) % 32 : l.value(2);
  std::uint32_t mask = 0;
  for (std::uint64_t bit = 0; bit < 32; ++bit)
    if (bit >= start && bit - start < width) mask |= 1u << bit;
  l.write(0, mask);
}

void sgxt(Lane& l) {
  const std::uint32_t width = l.has("w", "W") ? l.value(2) % 32 : l.value(2);
  std::uint32_t v = l.value(1);
  if (width == 0) v = 0;
  if (width > 0 && width < 32) {
    v = static_cast<std::uint32_t>(part(v, 0, width, l.has("u32", "")));
  }
  l.write(0, v);
}

void shf(Lane& l) {
  const std::string_view type = l.i.modifier("type");
  const unsigned bits = type.ends_with("64") ? 64 : 32;
  const bool is_signed = type.starts_with('S');
  std::uint32_t by = l.value(2);
  by = l.has("w", "W") ? by % bits : by > bits ? bits : by;
  std::uint64_t v = std::uint64_t{l.value(3)} << 32 | l.value(1);
  for (unsigned k = 0; k < by; ++k) {
    const std::uint64_t top = is_signed ? v & (std::uint64_t{1} << 63) : 0;
    v = l.has("direction", "L") ? v << 1 : v >> 1 | top;
  }
  l.write(0, static_cast<std::uint32_t>(l.has("hi", "HI") ? v >> 32 : v));
}

void flo(Lane& l) {
  const std::uint32_t v = l.value(2);
  const bool is_signed = l.has("u32", "");
  std::uint32_t found = 0xffffffff;
  for (unsigned bit = 0; bit < 32; ++bit) {
    const bool sign = is_signed && v >> 31 != 0;
    if (((v >> bit & 1) != 0) != sign) found = l.has("sh", "SH") ? 31 - bit : bit;
  }
  l.write(0, found);
}

void popc(Lane& l) {
  l.write(0, static_cast<std::uint32_t>(std::popcount(l.value(1))));
}

void brev(Lane& l) {
  std::uint32_t out = 0;
  for (unsigned bit = 0; bit < 32; ++bit) out |= (l.value(1) >> bit & 1) << (31 - bit);
  l.write(0, out);
}

void prmt(Lane& l) {
  const std::uint64_t bytes = std::uint64_t{l.value(3)} << 32 | l.value(1);
  const std::string_view mode = l.i.modifier("mode");
  const std::uint32_t b = l.value(2);
  const std::uint32_t at = b & 3;
  std::uint32_t out = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    std::uint32_t pick = b >> (4 * k) & 15;
    if (mode == "F4E") pick = at + k;
    if (mode == "B4E") pick = (at - k) & 7;
    if (mode == "RC8") pick = at;
    if (mode == "ECL") pick = k < at ? at : k;
    if (mode == "ECR") pick = k > at ? at : k;
    if (mode == "RC16") pick = 2 * (at & 1) + (k & 1);
    auto byte = static_cast<std::uint32_t>(bytes >> (8 * (pick & 7)) & 0xff);
    if (pick >= 8) byte = byte >= 0x80 ? 0xff : 0;
    out |= byte << (8 * k);
  }
  l.write(0, out);
}

void mov(Lane& l) {
  const bool all = l.i.operands().size() < 3;
  if (all || (l.operand(2).value >> (l.lane % 4) & 1) != 0) l.write(0, l.value(1));
}

void sel(Lane& l) {
  l.write(0, l.predicate(3) ? l.value(1) : l.value(2));
}

using Reference = void (*)(Lane&);
const std::map<std::string_view, Reference> kFunctions = {
    {"IADD3", iadd3}, {"IMAD", imad},     {"LEA", lea},
    {"LOP3", lop3},   {"PLOP3", plop3},   {"ISETP", isetp},
    {"IMNMX", imnmx}, {"VIMNMX", vimnmx}, {"VIMNMX3", vimnmx3},
    {"VIADD", viadd}, {"IABS", iabs},     {"VIADDMNMX", viaddmnmx},
    {"IDP", idp},     {"SHF", shf},       {"VABSDIFF", vabsdiff},
    {"FLO", flo},     {"BMSK", bmsk},     {"VABSDIFF4", vabsdiff4},
    {"POPC", popc},   {"SGXT", sgxt},     {"BREV", brev},
    {"PRMT", prmt},   {"MOV", mov},       {"SEL", sel},
};

}  // namespace

std::optional<Outcome> reference(const read::Instruction& i, const Warp& before, unsigned lane,
                                 const ConstantMemory& constants) {
  const std::string_view name = i.mnemonic();
  auto found = kFunctions.find(name);
  if (found == kFunctions.end() && name.starts_with('U')) {
    found = kFunctions.find(name.substr(1));  // the uniform datapath's twin
  }
  if (found == kFunctions.end()) return std::nullopt;
  Lane l{.i = i, .before = before, .lane = lane, .constants = constants};
  found->second(l);
  return std::move(l.out);
}

}  // namespace burin::emulate
