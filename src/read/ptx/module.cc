#include "read/ptx/module.h"

#include <algorithm>

namespace burin::read::ptx {
namespace {

struct Anchor {
  std::uint32_t byte = 0;
  Position position{1, 1};
};

// The last statement before `byte` that knows its position.
void advance_within(const Function& function, std::uint32_t byte, Anchor& anchor) {
  auto after = std::upper_bound(
      function.body.begin(), function.body.end(), byte,
      [](std::uint32_t b, const Statement& statement) { return b < span_of(statement).begin; });
  while (after != function.body.begin()) {
    --after;
    const Position* position = std::visit(
        [](const auto& statement) -> const Position* {
          if constexpr (requires { statement.position; }) return &statement.position;
          return nullptr;
        },
        *after);
    if (position != nullptr) {
      anchor = {span_of(*after).begin, *position};
      return;
    }
  }
}

}  // namespace

bool Instruction::has_modifier(std::string_view modifier) const {
  std::size_t dot = opcode.find('.');
  while (dot != std::string_view::npos) {
    const std::size_t next = opcode.find('.', dot + 1);
    if (opcode.substr(dot + 1, next - dot - 1) == modifier) return true;
    dot = next;
  }
  return false;
}

Span span_of(const Statement& statement) {
  return std::visit([](const auto& s) { return s.span; }, statement);
}

Position Module::position_of(std::uint32_t byte) const {
  byte = std::min(byte, static_cast<std::uint32_t>(text->size()));
  Anchor anchor;
  const auto after =
      std::upper_bound(items.begin(), items.end(), byte, [](std::uint32_t b, const Item& item) {
        return b < std::visit([](const auto& i) { return i.span.begin; }, item);
      });
  if (after != items.begin()) {
    std::visit([&](const auto& item) { anchor = {item.span.begin, item.position}; }, *(after - 1));
    if (const auto* function = std::get_if<Function>(&*(after - 1))) {
      advance_within(*function, byte, anchor);
    }
  }
  Position position = anchor.position;
  for (std::uint32_t i = anchor.byte; i < byte; ++i) {
    ++position.column;
    if ((*text)[i] == '\n') {
      ++position.line;
      position.column = 1;
    }
  }
  return position;
}

const Function* Module::find_function(std::string_view name) const {
  const Function* found = nullptr;
  for (const Item& item : items) {
    const auto* function = std::get_if<Function>(&item);
    if (function == nullptr || function->name != name) continue;
    if (function->has_body) return function;
    if (found == nullptr) found = function;
  }
  return found;
}

std::vector<const Function*> Module::entries() const {
  std::vector<const Function*> found;
  for (const Item& item : items) {
    const auto* function = std::get_if<Function>(&item);
    if (function != nullptr && function->is_entry && function->has_body) found.push_back(function);
  }
  return found;
}

}  // namespace burin::read::ptx
