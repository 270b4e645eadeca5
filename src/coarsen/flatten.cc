#include "coarsen/flatten.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "read/ptx/print.h"
#include "read/ptx/roles.h"

namespace burin::coarsen {
namespace {

using namespace read::ptx;

bool is_flow(const Statement& statement) {
  if (std::holds_alternative<Label>(statement)) return true;
  const auto* instruction = std::get_if<Instruction>(&statement);
  if (instruction == nullptr) return false;
  const std::string_view base = instruction->base();
  return base == "bra" || base == "ret" || base == "exit";
}

// The statement after the brace that closes the one at `begin`.
std::size_t end_of_scope(const std::vector<Statement>& statements, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < statements.size(); ++i) {
    if (std::holds_alternative<ScopeBegin>(statements[i])) ++depth;
    if (std::holds_alternative<ScopeEnd>(statements[i]) && --depth == 0) return i + 1;
  }
  return statements.size();
}

// A name that a scope declares, and what it is called outside.
struct Renamed {
  std::string_view name{};
  bool is_group = false;  // %r of %r<4>
  std::string to{};
};

class Flattener {
 public:
  Flattener(const Module& module, const Function& function)
      : module_(module), statements_(function.body) {
    while (module.text_of(function.span).find(tag_) != std::string_view::npos) tag_ += '_';
  }

  std::optional<std::string> run() {
    for (std::size_t i = 0; i < statements_.size();) {
      if (!std::holds_alternative<ScopeBegin>(statements_[i])) {
        ++i;
        continue;
      }
      const std::size_t end = end_of_scope(statements_, i);
      const auto inside =
          std::ranges::subrange(statements_.begin() + static_cast<std::ptrdiff_t>(i),
                                statements_.begin() + static_cast<std::ptrdiff_t>(end));
      if (std::ranges::any_of(inside, is_flow) && std::ranges::all_of(inside, declares_registers)) {
        flatten(i, end);
      }
      i = end;
    }
    if (replacements_.empty()) return std::nullopt;
    return print(module_, replacements_);
  }

 private:
  static bool declares_registers(const Statement& statement) {
    const auto* declaration = std::get_if<Declaration>(&statement);
    return declaration == nullptr || declaration->space == "reg";
  }

  Span span_of_name(std::string_view name) const {
    const auto begin = static_cast<std::uint32_t>(name.data() - module_.text->data());
    return {begin, begin + static_cast<std::uint32_t>(name.size())};
  }

  void flatten(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Statement& statement = statements_[i];
      if (std::holds_alternative<ScopeBegin>(statement)) {
        replacements_.push_back({span_of(statement), ""});
        open_scope(i);
      } else if (std::holds_alternative<ScopeEnd>(statement)) {
        replacements_.push_back({span_of(statement), ""});
        scopes_.pop_back();
      } else if (const auto* declaration = std::get_if<Declaration>(&statement)) {
        declare(*declaration);
      } else if (const auto* label = std::get_if<Label>(&statement)) {
        rename(label->name);
      } else if (const auto* instruction = std::get_if<Instruction>(&statement)) {
        rename_in(*instruction);
      }
    }
  }

  // What the scope declares, labels included: a branch may go forward.
  void open_scope(std::size_t begin) {
    std::vector<Renamed>& names = scopes_.emplace_back();
    const std::string suffix = fmt::format("{}{}", tag_, count_++);
    int depth = 0;
    for (std::size_t i = begin; i < end_of_scope(statements_, begin); ++i) {
      const Statement& statement = statements_[i];
      if (std::holds_alternative<ScopeBegin>(statement)) ++depth;
      if (std::holds_alternative<ScopeEnd>(statement)) --depth;
      if (depth != 1) continue;
      if (const auto* label = std::get_if<Label>(&statement)) {
        names.push_back({label->name, false, fmt::format("{}{}", label->name, suffix)});
      } else if (const auto* declared = std::get_if<Declaration>(&statement)) {
        names.push_back(
            {declared->name, declared->count.has_value(),
             fmt::format("{}{}{}", declared->name, suffix, declared->count ? "_" : "")});
      }
    }
  }

  // The new name of a word; empty: it keeps its own.
  std::string renamed(std::string_view word) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      for (const Renamed& known : *scope) {
        const std::string_view rest =
            word.starts_with(known.name) ? word.substr(known.name.size()) : "?";
        const bool number = !rest.empty() && rest.find_first_not_of("0123456789") == rest.npos;
        if (known.is_group ? number : rest.empty() || rest.starts_with('.')) {
          return known.to + std::string(rest);
        }
      }
    }
    return "";
  }

  void rename(std::string_view word) {
    std::string to = renamed(word);
    if (!to.empty()) replacements_.push_back({span_of_name(word), std::move(to)});
  }

  // One statement may declare several names, each of which is a Declaration with its span.
  void declare(const Declaration& declaration) {
    std::string text =
        declaration.type.find('.') == std::string_view::npos
            ? fmt::format(".reg .{} ", declaration.type)
            : fmt::format(".reg .{} .{} ", declaration.type.substr(0, declaration.type.find('.')),
                          declaration.type.substr(declaration.type.find('.') + 1));
    for (const Renamed& known : scopes_.back()) {
      if (known.name == declaration.name) text += known.to;
    }
    text += declaration.count ? fmt::format("<{}>;", *declaration.count) : ";";
    if (!replacements_.empty() && replacements_.back().span == declaration.span) {
      replacements_.back().text += " " + text;
    } else {
      replacements_.push_back({declaration.span, std::move(text)});
    }
  }

  void rename_in(const Instruction& instruction) {
    if (instruction.guard) rename(instruction.guard->predicate);
    std::vector<std::string_view> words;
    visit_names(instruction, [&](const Operand& operand, bool) { words.push_back(operand.name); });
    if (instruction.base() == "bra") words = {instruction.operands.front().name};
    std::ranges::sort(words, {}, [](std::string_view word) { return word.data(); });
    for (const std::string_view word : words) rename(word);
  }

  const Module& module_;
  const std::vector<Statement>& statements_;
  std::string tag_ = "_asm";
  unsigned count_ = 0;
  std::vector<std::vector<Renamed>> scopes_;
  std::vector<Replacement> replacements_;
};

}  // namespace

std::optional<std::string> flattened(const Module& module, const Function& function) {
  return Flattener(module, function).run();
}

}  // namespace burin::coarsen
