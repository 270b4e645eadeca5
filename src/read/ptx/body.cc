#include "read/ptx/body.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/format.h"
#include "read/ptx/roles.h"

namespace burin::read::ptx {
namespace {

Error at(Position position, const std::string& sentence) {
  return Error{fmt::format("line {}: {}", position.line, sentence)};
}

bool is_branch(const Instruction& instruction) {
  const std::string_view base = instruction.base();
  return base == "bra" || base == "ret" || base == "exit" || base == "brx";
}

bool reads_carry(const Instruction& instruction) {
  const std::string_view base = instruction.base();
  return base == "addc" || base == "subc" || base == "madc";
}

void add_once(std::vector<Register>& to, Register number) {
  if (std::ranges::find(to, number) == to.end()) to.push_back(number);
}

class BodyBuilder {
 public:
  BodyBuilder(const Module& module, const Function& function) {
    body_.module = &module;
    body_.function = &function;
  }

  Result<Body> build() {
    const std::vector<Statement>& statements = body_.function->body;
    declare(statements);
    open_block();
    for (std::size_t i = 0; i < statements.size(); ++i) {
      if (Result<void> done = add(statements, i); !done) return done.error();
    }
    close_block(Branch{.kind = Branch::Kind::kReturn});
    for (std::uint32_t b = 0; b < body_.blocks.size(); ++b) {
      Branch& branch = body_.blocks[b].branch;
      if (branch.kind != Branch::Kind::kJump && branch.kind != Branch::Kind::kConditional) continue;
      const std::string_view label = branch.instruction->operands.front().name;
      const auto target = labels_.find(label);
      if (target == labels_.end()) {
        return at(branch.instruction->position, fmt::format("there is no label '{}'", label));
      }
      branch.target = target->second;
    }
    return std::move(body_);
  }

 private:
  // The registers of the outermost scope. Their declarations may stand anywhere in it.
  void declare(const std::vector<Statement>& statements) {
    int depth = 0;
    for (const Statement& statement : statements) {
      if (std::holds_alternative<ScopeBegin>(statement)) ++depth;
      if (std::holds_alternative<ScopeEnd>(statement)) --depth;
      const auto* declaration = std::get_if<Declaration>(&statement);
      if (declaration == nullptr || depth > 0) continue;
      body_.declarations.push_back(declaration);
      if (declaration->space == "reg") declared_.emplace(declaration->name, declaration);
    }
  }

  // The declaration of a register: of its own name, or of the name without its number.
  const Declaration* declaration_of(std::string_view name) const {
    if (const auto own = declared_.find(name); own != declared_.end() && !own->second->count) {
      return own->second;
    }
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (digits == 0 || digits >= name.size()) return nullptr;
    const auto group = declared_.find(name.substr(0, digits));
    if (group == declared_.end() || !group->second->count) return nullptr;
    return group->second;
  }

  Register number_of(std::string_view name) {
    if (const auto known = numbers_.find(name); known != numbers_.end()) {
      return known->second;
    }
    if (const Declaration* declaration = declaration_of(name)) {
      const auto number = static_cast<Register>(body_.registers.size());
      body_.registers.push_back({name, declaration->type});
      numbers_.emplace(name, number);
      return number;
    }
    return kNoIndex;
  }

  // The register of `%v.x` is `%v`.
  NameUse use_of(std::string_view name) {
    if (const Register whole = number_of(name); whole != kNoIndex) return {name, whole};
    const std::string_view vector = name.substr(0, name.rfind('.'));
    const Register part = number_of(vector);
    return part == kNoIndex ? NameUse{name} : NameUse{vector, part};
  }

  void open_block() {
    body_.blocks.push_back({});
    body_.blocks.back().first = static_cast<std::uint32_t>(body_.operations.size());
  }
  void close_block(const Branch& branch) {
    body_.blocks.back().end = static_cast<std::uint32_t>(body_.operations.size());
    body_.blocks.back().branch = branch;
  }
  bool block_is_empty() const { return body_.blocks.back().first == body_.operations.size(); }

  Result<void> add(const std::vector<Statement>& statements, std::size_t& i) {
    const Statement& statement = statements[i];
    if (const auto* label = std::get_if<Label>(&statement)) {
      carries_ = false;
      if (!block_is_empty()) {
        close_block({});
        open_block();
      }
      if (body_.blocks.back().label.empty()) body_.blocks.back().label = label->name;
      labels_.emplace(label->name, static_cast<std::uint32_t>(body_.blocks.size() - 1));
      return {};
    }
    if (const auto* directive = std::get_if<Directive>(&statement)) {
      if (carries_) return {};  // a .loc within a chain
      body_.operations.push_back({.span = directive->span, .position = directive->position});
      return {};
    }
    if (const auto* instruction = std::get_if<Instruction>(&statement)) {
      if (is_branch(*instruction)) return add_branch(*instruction);
      if (!carries_) {
        body_.operations.push_back({.span = instruction->span, .position = instruction->position});
      }
      Operation& operation = body_.operations.back();
      operation.span.end = instruction->span.end;
      operation.instructions.push_back(instruction);
      note_registers(*instruction, {}, operation);
      // The chain ends with the instruction that reads the carry and leaves none.
      carries_ = instruction->has_modifier("cc") || (carries_ && !reads_carry(*instruction));
      return {};
    }
    if (std::holds_alternative<ScopeBegin>(statement)) return add_scope(statements, i);
    return {};
  }

  Result<void> add_branch(const Instruction& instruction) {
    carries_ = false;
    Branch branch{.instruction = &instruction};
    const bool returns = instruction.base() != "bra";
    if (instruction.base() == "brx") {
      return at(instruction.position, "brx is an indirect branch, whose targets are not followed");
    }
    if (!returns && (instruction.operands.size() != 1 ||
                     instruction.operands.front().kind != Operand::Kind::kName)) {
      return at(instruction.position, "a branch needs one label");
    }
    if (instruction.guard) {
      branch.kind = returns ? Branch::Kind::kGuardedReturn : Branch::Kind::kConditional;
      branch.predicate = number_of(instruction.guard->predicate);
      branch.negated = instruction.guard->negated;
      if (branch.predicate == kNoIndex) {
        return at(instruction.position,
                  fmt::format("there is no register '{}'", instruction.guard->predicate));
      }
    } else {
      branch.kind = returns ? Branch::Kind::kReturn : Branch::Kind::kJump;
    }
    close_block(branch);
    open_block();
    return {};
  }

  using Names = std::unordered_set<std::string_view>;

  Result<void> add_scope(const std::vector<Statement>& statements, std::size_t& i) {
    carries_ = false;
    Operation operation{.span = span_of(statements[i]), .is_scope = true};
    operation.position = body_.module->position_of(operation.span.begin);
    std::vector<Names> scopes;
    for (;; ++i) {
      if (i == statements.size()) return at(operation.position, "'{' without '}'");
      const Statement& statement = statements[i];
      operation.span.end = span_of(statement).end;
      if (std::holds_alternative<ScopeBegin>(statement)) {
        scopes.emplace_back();
      } else if (std::holds_alternative<ScopeEnd>(statement)) {
        scopes.pop_back();
        if (scopes.empty()) break;
      } else if (const auto* declaration = std::get_if<Declaration>(&statement)) {
        if (!declaration->count) scopes.back().insert(declaration->name);
        for (std::uint32_t n = 0; n < declaration->count.value_or(0) && n < 4096; ++n) {
          hidden_.push_back(fmt::format("{}{}", declaration->name, n));
        }
      } else if (const auto* label = std::get_if<Label>(&statement)) {
        return at(label->position, "a label within inline assembly");
      } else if (const auto* instruction = std::get_if<Instruction>(&statement)) {
        if (is_branch(*instruction)) {
          return at(instruction->position,
                    fmt::format("{} within inline assembly", instruction->opcode));
        }
        operation.instructions.push_back(instruction);
        note_registers(*instruction, scopes, operation);
      }
    }
    hidden_.clear();
    body_.operations.push_back(std::move(operation));
    return {};
  }

  bool is_hidden(std::string_view name, const std::vector<Names>& scopes) const {
    return std::ranges::any_of(scopes, [&](const Names& names) { return names.contains(name); }) ||
           std::ranges::find(hidden_, name) != hidden_.end();
  }

  void note_registers(const Instruction& instruction, const std::vector<Names>& scopes,
                      Operation& operation) {
    if (instruction.guard && !is_hidden(instruction.guard->predicate, scopes)) {
      const NameUse guard = use_of(instruction.guard->predicate);
      operation.names.push_back(guard);
      if (guard.number != kNoIndex) add_once(operation.reads, guard.number);
    }
    visit_names(instruction, [&](const Operand& operand, bool written) {
      if (is_hidden(operand.name, scopes)) return;
      const NameUse use = use_of(operand.name);
      operation.names.push_back(use);
      if (use.number == kNoIndex) return;
      const bool partial = use.text.size() < operand.name.size();
      if (written) add_once(operation.writes, use.number);
      if (!written || partial || instruction.guard) add_once(operation.reads, use.number);
    });
  }

  Body body_;
  std::unordered_map<std::string_view, const Declaration*> declared_;
  std::unordered_map<std::string_view, Register> numbers_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;
  bool carries_ = false;  // the last operation ends with a carry that the next one may read
  std::vector<std::string> hidden_;  // %r<4> of an inner scope, spelled out
};

}  // namespace

Graph Body::flow() const {
  std::vector<Graph::Arc> arcs;
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    const Branch& branch = blocks[b].branch;
    const auto falls = branch.kind == Branch::Kind::kNone ||
                       branch.kind == Branch::Kind::kConditional ||
                       branch.kind == Branch::Kind::kGuardedReturn;
    if (falls) arcs.emplace_back(b, b + 1);
    if (branch.target != kNoIndex && !(falls && branch.target == b + 1)) {
      arcs.emplace_back(b, branch.target);
    }
    if (branch.kind == Branch::Kind::kReturn || branch.kind == Branch::Kind::kGuardedReturn) {
      arcs.emplace_back(b, exit());
    }
  }
  return {exit() + 1, arcs};
}

Result<Body> build_body(const Module& module, const Function& function) {
  return BodyBuilder(module, function).build();
}

}  // namespace burin::read::ptx
