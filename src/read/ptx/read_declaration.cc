#include "read/ptx/read_declaration.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.h"

namespace burin::read::ptx {
namespace {

constexpr std::array<std::string_view, 8> kSpaces = {"reg",    "param", "shared", "local",
                                                     "global", "const", "tex",    "sreg"};

struct TypeSize {
  std::string_view type;
  unsigned bytes;
};
constexpr std::array<TypeSize, 28> kTypeSizes = {{
    {"b32", 4},    {"b64", 8},   {"b8", 1},    {"b16", 2},     {"f32", 4},    {"f64", 8},
    {"u32", 4},    {"u64", 8},   {"s32", 4},   {"s64", 8},     {"u8", 1},     {"u16", 2},
    {"s8", 1},     {"s16", 2},   {"b128", 16}, {"f16", 2},     {"f16x2", 4},  {"bf16", 2},
    {"bf16x2", 4}, {"tf32", 4},  {"e4m3", 1},  {"e5m2", 1},    {"e4m3x2", 2}, {"e5m2x2", 2},
    {"u16x2", 4},  {"s16x2", 4}, {"ue8m0", 1}, {"ue8m0x2", 2},
}};

// 0 for predicates, textures and types of later versions.
unsigned bytes_of(std::string_view type) {
  for (const TypeSize& entry : kTypeSizes) {
    if (entry.type == type) return entry.bytes;
  }
  return 0;
}

// What the names of one declaration share.
struct Head {
  Declaration shared{};
  std::uint64_t element_bytes = 0;  // 0: unknown
};

bool read_alignment(TokenStream& tokens, std::uint32_t& alignment) {
  tokens.advance();
  std::uint64_t value = 0;
  const Position position = tokens.current().position;
  if (!tokens.read_integer(value, "the alignment")) return false;
  if (value > std::numeric_limits<std::uint32_t>::max()) {
    return tokens.fail_at(position, "the alignment does not fit into 32 bits");
  }
  alignment = static_cast<std::uint32_t>(value);
  return true;
}

// `.ptr .global .align 16`, after the type of a kernel's parameter: what it points to. None of it
// is the parameter's own.
bool skip_pointer(TokenStream& tokens) {
  tokens.advance();
  while (tokens.at(TokenKind::kDotWord)) {
    std::uint32_t ignored = 0;
    if (!tokens.at_dot_word("align")) {
      tokens.advance();
    } else if (!read_alignment(tokens, ignored)) {
      return false;
    }
  }
  return true;
}

// From the state space to the type. A type that is not in the table is one of a later version.
bool read_head(TokenStream& tokens, Head& head) {
  if (!tokens.at(TokenKind::kDotWord) || !is_space(tokens.dot_word())) {
    return tokens.expected("a state space such as .param or .reg");
  }
  Declaration& shared = head.shared;
  shared.space = tokens.dot_word();
  tokens.advance();
  if (tokens.at('[') && !tokens.skip_brackets("the bank of .const")) return false;  // .const[2]
  std::string_view lanes;                                                           // "v4"
  while (tokens.at(TokenKind::kDotWord)) {
    const std::string_view word = tokens.dot_word();
    if (word == "align") {
      if (!read_alignment(tokens, shared.alignment)) return false;
    } else if (word == "attribute") {
      tokens.advance();
      if (!tokens.at('(')) return tokens.expected("'(' after .attribute");
      if (!tokens.skip_brackets(".attribute")) return false;
    } else if (word == "ptr") {
      if (!skip_pointer(tokens)) return false;
    } else if (word == "v2" || word == "v4" || word == "v8") {
      lanes = word;
      tokens.advance();
    } else if (shared.type.empty()) {
      shared.type = word;
      tokens.advance();
    } else {
      return tokens.expected("the name that is declared");
    }
  }
  if (shared.type.empty()) return tokens.expected("a type such as .b32");
  head.element_bytes = bytes_of(shared.type);
  if (!lanes.empty()) {
    head.element_bytes *= static_cast<unsigned>(lanes[1] - '0');
    shared.type = tokens.join(fmt::format("{}.{}", lanes, shared.type));
  }
  return true;
}

// `[4][2]` → 8. Nothing for `[]`, whose size is not known here; 0 for a size beyond 64 bits.
struct Elements {
  std::uint64_t count = 1;
  bool is_open = false;  // the first is []
};

bool read_elements(TokenStream& tokens, const Declaration& declaration, Elements& elements) {
  while (tokens.at('[')) {
    const Position position = tokens.current().position;
    tokens.advance();
    if (tokens.take(']')) {
      elements.is_open = true;
      continue;
    }
    std::uint64_t count = 0;
    if (!tokens.read_integer(count, "the number of elements")) return false;
    if (__builtin_mul_overflow(elements.count, count, &elements.count)) {
      return tokens.fail_at(position, fmt::format("the size of {} does not fit into 64 bits",
                                                  quoted(declaration.name)));
    }
    if (!tokens.take(']')) return tokens.expected("']' after the number of elements");
  }
  return true;
}

// `= 3` or `= {1, {2, 3}, symbol+4}`; counts the elements of the outermost braces.
bool read_value(TokenStream& tokens, std::uint64_t& elements) {
  elements = 0;
  tokens.advance();
  if (!tokens.at('{')) {
    const Token first = tokens.current();
    while (!tokens.at(',') && !tokens.at(';')) {
      if (tokens.at('(')) {
        if (!tokens.skip_brackets("the value")) return false;
      } else if (tokens.at_end() || tokens.at('{') || tokens.at('}')) {
        return tokens.expected("';' after the value");
      } else {
        tokens.advance();
      }
    }
    elements = 1;
    return tokens.current().span.begin != first.span.begin || tokens.expected("a value after '='");
  }
  const Token opening = tokens.current();
  tokens.advance();
  bool in_element = false;
  while (!tokens.at('}')) {
    if (tokens.at('{') || tokens.at('(')) {
      if (!tokens.skip_brackets("the value")) return false;
      elements += in_element ? 0 : 1;
      in_element = true;
    } else if (tokens.at(TokenKind::kEnd)) {
      return tokens.fail_at(opening.position, "the value has no closing '}'");
    } else if (tokens.at_end() || tokens.at(';') || tokens.at(')') || tokens.at(']')) {
      return tokens.expected("'}' after the value");
    } else {
      if (!tokens.at(',') && !in_element) ++elements;
      in_element = !tokens.at(',');
      tokens.advance();
    }
  }
  tokens.advance();
  return true;
}

// `%r<10>`, `tile[32][33] = {…}`
bool read_name(TokenStream& tokens, const Head& head, Declaration& declaration) {
  declaration = head.shared;
  if (!tokens.at(TokenKind::kWord)) return tokens.expected("the name that is declared");
  declaration.name = tokens.text();
  tokens.advance();
  if (tokens.take('<')) {
    const Position position = tokens.current().position;
    std::uint64_t count = 0;
    if (!tokens.read_integer(count, "the number of registers")) return false;
    if (count > std::numeric_limits<std::uint32_t>::max()) {
      return tokens.fail_at(position, "the number of registers does not fit into 32 bits");
    }
    declaration.count = static_cast<std::uint32_t>(count);
    if (!tokens.take('>')) return tokens.expected("'>' after the number of registers");
  }
  const Position position = tokens.current().position;
  Elements elements;
  if (!read_elements(tokens, declaration, elements)) return false;
  if (tokens.at('=')) {
    declaration.has_value = true;
    std::uint64_t values = 0;
    if (!read_value(tokens, values)) return false;
    if (elements.is_open && values > 0) {
      elements.is_open = false;
      if (__builtin_mul_overflow(elements.count, values, &elements.count)) elements.count = 0;
    }
  }
  if (declaration.space == "reg" || elements.is_open || head.element_bytes == 0) return true;
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(elements.count, head.element_bytes, &bytes)) {
    return tokens.fail_at(position, fmt::format("the size of {} does not fit into 64 bits",
                                                quoted(declaration.name)));
  }
  declaration.bytes = bytes;
  return true;
}

}  // namespace

bool is_space(std::string_view word) {
  return std::find(kSpaces.begin(), kSpaces.end(), word) != kSpaces.end();
}

bool read_variables(TokenStream& tokens, const Token& begin, bool is_extern,
                    std::vector<Declaration>& declarations) {
  Head head;
  head.shared.position = begin.position;
  head.shared.is_extern = is_extern;
  if (!read_head(tokens, head)) return false;
  const std::size_t first = declarations.size();
  do {
    if (!read_name(tokens, head, declarations.emplace_back())) return false;
  } while (tokens.take(','));
  if (!tokens.take(';')) {
    return tokens.expected(
        fmt::format("';' after the declaration of {}", quoted(declarations.back().name)));
  }
  for (std::size_t i = first; i < declarations.size(); ++i) {
    declarations[i].span = {begin.span.begin, tokens.previous_end()};
  }
  return true;
}

bool read_parameters(TokenStream& tokens, std::vector<Declaration>& parameters) {
  tokens.advance();
  while (!tokens.take(')')) {
    if (!parameters.empty() && !tokens.take(',')) {
      return tokens.expected("',' or ')' after a parameter");
    }
    Head head;
    head.shared.position = tokens.current().position;
    const std::uint32_t begin = tokens.current().span.begin;
    if (!read_head(tokens, head)) return false;
    Declaration& parameter = parameters.emplace_back();
    if (!read_name(tokens, head, parameter)) return false;
    parameter.span = {begin, tokens.previous_end()};
  }
  return true;
}

}  // namespace burin::read::ptx
