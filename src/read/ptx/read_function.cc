#include "read/ptx/read_function.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "read/ptx/read_declaration.h"
#include "read/ptx/read_operand.h"

namespace burin::read::ptx {
namespace {

// Words of the next item: a function without a body may lack its semicolon, as in PTX 1.
bool starts_item(std::string_view word) {
  constexpr std::array<std::string_view, 9> kWords = {
      "visible", "extern", "weak", "common", "entry", "func", "file", "section", "alias"};
  return is_space(word) || std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// `.maxntid 256, 1, 1`, `.noreturn`, `.pragma "nounroll";`, `.attribute(.unified(1, 2))`
bool read_attribute(TokenStream& tokens, Attribute& attribute) {
  const std::uint32_t begin = tokens.current().span.begin;
  attribute.word = tokens.dot_word();
  tokens.advance();
  if (tokens.at(TokenKind::kString)) {
    while (tokens.at(TokenKind::kString) || tokens.at(',')) tokens.advance();
    if (!tokens.take(';')) {
      return tokens.expected(fmt::format("';' after .{}", attribute.word));
    }
  } else if (tokens.at('(')) {
    if (!tokens.skip_brackets(fmt::format(".{}", attribute.word))) return false;
  } else if (tokens.at(TokenKind::kNumber)) {
    do {
      std::uint64_t& value = attribute.values.emplace_back();
      if (!tokens.read_integer(value, fmt::format("the value of .{}", attribute.word)))
        return false;
    } while (tokens.take(','));
  }
  attribute.span = {begin, tokens.previous_end()};
  return true;
}

bool read_attributes(TokenStream& tokens, Function& function) {
  while (tokens.at(TokenKind::kDotWord) && !starts_item(tokens.dot_word())) {
    if (!read_attribute(tokens, function.attributes.emplace_back())) return false;
  }
  return true;
}

// `@!%p1 bra $L__BB0_2;`
bool read_instruction(TokenStream& tokens, Instruction& instruction) {
  const Token first = tokens.current();
  instruction.position = first.position;
  if (tokens.take('@')) {
    Guard& guard = instruction.guard.emplace();
    guard.negated = tokens.take('!');
    if (!tokens.at(TokenKind::kWord)) return tokens.expected("a predicate after '@'");
    guard.predicate = tokens.text();
    tokens.advance();
  }
  if (!read_opcode_and_operands(tokens, instruction)) return false;
  instruction.span = {first.span.begin, tokens.previous_end()};
  return true;
}

bool read_dot_statement(TokenStream& tokens, std::vector<Statement>& body) {
  const Token first = tokens.current();
  const bool is_extern = tokens.at_dot_word("extern");
  if (is_extern) tokens.advance();
  if (!tokens.at(TokenKind::kDotWord)) return tokens.expected("a variable after .extern");
  if (!is_extern && !is_space(tokens.dot_word())) {
    return read_directive(tokens, std::get<Directive>(body.emplace_back(Directive{})));
  }
  std::vector<Declaration> declarations;
  if (!read_variables(tokens, first, is_extern, declarations)) return false;
  for (Declaration& declaration : declarations) body.emplace_back(std::move(declaration));
  return true;
}

}  // namespace

bool read_body(TokenStream& tokens, Function& function) {
  std::vector<Statement>& body = function.body;
  const Token opening = tokens.current();
  function.has_body = true;
  function.body_span.begin = opening.span.begin;
  std::size_t scopes = 0;
  tokens.advance();
  while (true) {
    const Token token = tokens.current();
    if (token.kind == TokenKind::kWord && tokens.after_current().is(':')) {
      const std::string_view name = tokens.text();
      tokens.advance();
      tokens.advance();
      body.emplace_back(Label{{token.span.begin, tokens.previous_end()}, token.position, name});
    } else if (token.kind == TokenKind::kWord || token.is('@')) {
      if (!read_instruction(tokens, std::get<Instruction>(body.emplace_back(Instruction{})))) {
        return false;
      }
    } else if (token.kind == TokenKind::kDotWord) {
      if (!read_dot_statement(tokens, body)) return false;
    } else if (token.kind == TokenKind::kDwarf) {
      if (!read_directive(tokens, std::get<Directive>(body.emplace_back(Directive{}))))
        return false;
    } else if (token.is('{')) {
      ++scopes;
      body.emplace_back(ScopeBegin{token.span});
      tokens.advance();
    } else if (token.is('}')) {
      tokens.advance();
      if (scopes == 0) break;
      --scopes;
      body.emplace_back(ScopeEnd{token.span});
    } else if (token.kind == TokenKind::kEnd) {
      return tokens.fail_at(opening.position, fmt::format("the body of {} has no closing '}}'",
                                                          quoted(function.name)));
    } else {
      return tokens.expected(fmt::format("a statement of {} or '}}'", quoted(function.name)));
    }
  }
  function.body_span.end = tokens.previous_end();
  return true;
}

bool read_function(TokenStream& tokens, const Token& begin, Function& function) {
  function.position = begin.position;
  function.is_entry = tokens.at_dot_word("entry");
  tokens.advance();
  if (!read_attributes(tokens, function)) return false;
  if (tokens.at('(') && !read_parameters(tokens, function.results)) return false;
  if (!tokens.at(TokenKind::kWord)) return tokens.expected("the name of the function");
  function.name = tokens.text();
  function.name_span = tokens.current().span;
  tokens.advance();
  if (tokens.at('(') && !read_parameters(tokens, function.parameters)) return false;
  if (!read_attributes(tokens, function)) return false;
  if (tokens.at('{')) {
    if (!read_body(tokens, function)) return false;
  } else if (!tokens.take(';') && !tokens.at(TokenKind::kDotWord) &&
             !tokens.at(TokenKind::kDwarf) && !tokens.at(TokenKind::kEnd)) {
    return tokens.expected(fmt::format("the body of {} or ';'", quoted(function.name)));
  }
  function.span = {begin.span.begin, tokens.previous_end()};
  return true;
}

}  // namespace burin::read::ptx
