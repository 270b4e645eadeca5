// Any text is PTX or a refusal with line and column. PTX prints as it was, its pieces hold all of
// it and know where they stand, and it can lose any statement without harm.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "read/ptx/lex.h"
#include "read/ptx/parse.h"
#include "read/ptx/print.h"

using namespace burin;
using namespace burin::read::ptx;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_within(Span inner, Span outer) {
  return outer.begin <= inner.begin && inner.begin <= inner.end && inner.end <= outer.end;
}

void check_operand(const Operand& operand, Span around) {
  require(is_within(operand.span, around) && operand.span.begin < operand.span.end);
  std::uint32_t end = operand.span.begin;
  for (const Operand& part : operand.parts) {
    check_operand(part, operand.span);
    require(part.span.begin >= end);
    end = part.span.end;
  }
  require((operand.kind == Operand::Kind::kName) == !operand.name.empty());
}

// Without its operands an instruction is its guard, its opcode, commas and the semicolon.
void check_instruction(const Module& module, const Instruction& instruction) {
  std::string rest;
  std::uint32_t at = instruction.span.begin;
  for (const Operand& operand : instruction.operands) {
    check_operand(operand, instruction.span);
    rest += module.text_of({at, operand.span.begin});
    rest += ' ';
    at = operand.span.end;
  }
  rest += module.text_of({at, instruction.span.end});
  std::string expected;
  if (instruction.guard) {
    expected += instruction.guard->negated ? "@!" : "@";
    expected += instruction.guard->predicate;
  }
  expected += instruction.opcode;
  for (std::size_t i = 1; i < instruction.operands.size(); ++i) expected += ',';
  expected += ';';
  std::string without_blanks;
  Lexer lexer(rest);
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    // A plus before a number is not part of the operand.
    if (token.kind == TokenKind::kBad) return;  // `#` after an operand that was on its line
    if (token.is('+')) continue;
    without_blanks += rest.substr(token.span.begin, token.span.end - token.span.begin);
  }
  require(without_blanks == expected);
}

void check_position(const Module& module, Span span, Position position) {
  const Position found = module.position_of(span.begin);
  require(found.line == position.line && found.column == position.column);
}

void check_function(const Module& module, const Function& function) {
  require(is_within(function.name_span, function.span));
  require(module.text_of(function.name_span) == function.name);
  for (const Declaration& parameter : function.parameters) {
    require(is_within(parameter.span, function.span));
  }
  for (const Attribute& attribute : function.attributes) {
    require(is_within(attribute.span, function.span));
  }
  if (!function.has_body) return require(function.body.empty());
  require(is_within(function.body_span, function.span));
  for (const Statement& statement : function.body) {
    require(is_within(span_of(statement), function.body_span));
    std::visit(
        [&](const auto& s) {
          if constexpr (requires { s.position; }) check_position(module, s.span, s.position);
        },
        statement);
    if (const auto* instruction = std::get_if<Instruction>(&statement)) {
      check_instruction(module, *instruction);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<Module> module = parse(text);
  if (!module) {
    require(module.error().message.starts_with("line "));
    return 0;
  }
  require(print(*module) == text);
  std::vector<Span> spans;
  for (const Item& item : module->items) {
    std::visit([&](const auto& i) { check_position(*module, i.span, i.position); }, item);
    const auto* function = std::get_if<Function>(&item);
    if (function == nullptr) continue;
    check_function(*module, *function);
    spans.push_back(function->span);
    for (const Statement& statement : function->body) spans.push_back(span_of(statement));
  }
  // At most a few are left out, so that large inputs stay fast.
  for (std::size_t i = 0; i < spans.size(); i += 1 + spans.size() / 8) {
    const std::vector<Replacement> removal = {{spans[i], ""}};
    const std::string shorter = print(*module, removal);
    require(shorter.size() + (spans[i].end - spans[i].begin) == text.size());
    const Result<Module> again = parse(shorter);
    require(again ? print(*again) == shorter : again.error().message.starts_with("line "));
  }
  return 0;
}
