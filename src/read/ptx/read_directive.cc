#include <algorithm>
#include <array>

#include "base/format.h"
#include "read/ptx/read_function.h"

namespace burin::read::ptx {
namespace {

// `9.0` of .version, `64` of .address_size
bool take_number(TokenStream& tokens, std::string_view word) {
  if (!tokens.at(TokenKind::kNumber))
    return tokens.expected(fmt::format("a number after .{}", word));
  tokens.advance();
  return true;
}

// `sm_90a, debug`
bool read_target(TokenStream& tokens, std::string_view) {
  do {
    if (!tokens.at(TokenKind::kWord)) return tokens.expected("a target such as sm_90");
    tokens.advance();
  } while (tokens.take(','));
  return true;
}

// `1 "kernel.cu", 1700000000, 4096`: time and size of the file may be missing.
bool read_file(TokenStream& tokens, std::string_view word) {
  if (!take_number(tokens, word)) return false;
  if (!tokens.at(TokenKind::kString)) return tokens.expected("the name of the file");
  tokens.advance();
  while (tokens.take(',')) {
    if (!take_number(tokens, word)) return false;
  }
  return true;
}

// `1 13 3, function_name $L__info_string0+4, inlined_at 1 20 5`
bool read_location(TokenStream& tokens, std::string_view word) {
  for (int i = 0; i < 3; ++i) {
    if (!take_number(tokens, word)) return false;
  }
  while (tokens.take(',')) {
    if (!tokens.at(TokenKind::kWord)) return tokens.expected("function_name or inlined_at");
    const bool is_name = tokens.text() == "function_name";
    tokens.advance();
    if (is_name) {
      if (!tokens.at(TokenKind::kWord)) return tokens.expected("the label of the function's name");
      tokens.advance();
      if (tokens.take('+') && !take_number(tokens, word)) return false;
    }
    while (tokens.at(TokenKind::kNumber)) tokens.advance();
  }
  return true;
}

// `.debug_str { … }`
bool read_section(TokenStream& tokens, std::string_view) {
  while (tokens.at(TokenKind::kDotWord) || tokens.at(TokenKind::kWord)) tokens.advance();
  if (!tokens.at('{')) return tokens.expected("'{' after .section");
  return tokens.skip_brackets("the section");
}

struct Form {
  std::string_view word;
  bool (*read)(TokenStream&, std::string_view word);
};
constexpr std::array<Form, 6> kForms = {{
    {"loc", read_location},
    {"file", read_file},
    {"section", read_section},
    {"version", take_number},
    {"target", read_target},
    {"address_size", take_number},
}};

// Those known to end with a semicolon. One that is not in either table may also end where another
// directive starts on a line of its own.
constexpr std::array<std::string_view, 5> kWithSemicolon = {"pragma", "alias", "branchtargets",
                                                            "calltargets", "callprototype"};

bool read_unknown(TokenStream& tokens, std::string_view word) {
  const bool has_semicolon =
      std::find(kWithSemicolon.begin(), kWithSemicolon.end(), word) != kWithSemicolon.end();
  std::uint32_t line = tokens.current().position.line;
  tokens.advance();
  while (!tokens.take(';')) {
    const bool is_block = tokens.at('{');
    if (!has_semicolon) {
      const bool starts_line = tokens.current().position.line != line;
      if (tokens.at(TokenKind::kEnd) || tokens.at('}')) return true;
      if (starts_line && tokens.at(TokenKind::kDotWord)) return true;
    }
    line = tokens.current().position.line;
    if (tokens.at('(') || tokens.at('[') || is_block) {
      if (!tokens.skip_brackets(fmt::format("what .{} holds", word))) return false;
      if (is_block && !has_semicolon) return true;
    } else if (tokens.at_end() || tokens.at(')') || tokens.at(']') || tokens.at('}')) {
      return tokens.expected(fmt::format("';' after .{}", word));
    } else {
      tokens.advance();
    }
  }
  return true;
}

}  // namespace

bool read_directive(TokenStream& tokens, Directive& directive) {
  const Token first = tokens.current();
  directive.position = first.position;
  bool read = true;
  if (first.kind == TokenKind::kDwarf) {
    directive.word = tokens.text().substr(2, 5);
    tokens.advance();
  } else {
    directive.word = tokens.dot_word();
    const auto form = std::find_if(kForms.begin(), kForms.end(), [&](const Form& candidate) {
      return candidate.word == directive.word;
    });
    if (form == kForms.end()) {
      read = read_unknown(tokens, directive.word);
    } else {
      tokens.advance();
      read = form->read(tokens, directive.word);
    }
  }
  directive.span = {first.span.begin, tokens.previous_end()};
  return read;
}

}  // namespace burin::read::ptx
