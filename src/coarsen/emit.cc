#include "coarsen/emit.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.h"
#include "read/ptx/roles.h"

namespace burin::coarsen {
namespace {

using read::kNoIndex;
using namespace read::ptx;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string_view trimmed_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

// A word that no name of the function, or of the functions that it calls, ends with: "_x", "_xx", …
std::string unused_tag(const Plan& plan) {
  const std::string_view text =
      plan.callees.empty() ? plan.module.text_of(plan.function.span) : *plan.module.text;
  const std::string letter(1, "xyz"[plan.how.axis]);
  std::string tag = (plan.how.level == Level::kThread ? "_" : "_b") + letter;
  while (text.find(tag) != std::string_view::npos) tag += letter;
  return tag;
}

class Emitter {
 public:
  explicit Emitter(const Plan& plan)
      : plan_(plan), body_(plan.body), tag_(unused_tag(plan)), copies_(plan.how.factor) {
    for (const Declaration* variable : plan.variables) own_.insert(variable->name);
    for (const Declaration* variable : plan.dynamic_shared) dynamic_.insert(variable->name);
    for (const auto& [function, names] : plan.callees) {
      if (std::ranges::any_of(names, [&](std::string_view name) { return is_own(name); })) {
        cloned_.insert(function);
      }
    }
  }

  std::string emit() {
    std::string shared;
    for (const Declaration* variable : plan_.variables) {
      for (unsigned k = 1; k < copies_; ++k) {
        (variable->space == "shared" ? shared : declarations_) += declaration_of(*variable, k);
      }
    }
    declare_registers();
    count_indices();
    if (plan_.counts_lanes) count_lanes();
    emit_together();
    for (const auto& [end, branches] : parted_) emit_apart(end, branches);
    return shared + functions_of_copies() + header() + "{\n" + declarations_ + code_ + "}";
  }

 private:
  // ---- names -----------------------------------------------------------------------------------

  std::string register_name(Register number, unsigned copy) const {
    const std::string_view name = body_.registers[number].name;
    if (copy == 0 || !plan_.replicated.contains(number)) return std::string(name);
    return fmt::format("{}{}{}", name, tag_, copy);
  }
  std::string index_name(unsigned copy) const { return fmt::format("%index{}{}", tag_, copy); }
  std::string lane_name(unsigned copy) const { return fmt::format("%lane{}{}", tag_, copy); }
  std::string extent_name() const { return fmt::format("%extent{}", tag_); }

  // Whether a name means something else in each copy, or than before.
  bool is_own(std::string_view name) const {
    return name == index_register(plan_.how) || name == extent_register(plan_.how) ||
           own_.contains(name) || dynamic_.contains(name);
  }

  // A variable, a special register, a function or a label.
  std::string name_of(std::string_view name, unsigned copy) const {
    if (name == index_register(plan_.how)) return index_name(copy);
    if (name == extent_register(plan_.how)) return extent_name();
    if (plan_.counts_lanes && name == kLaneId) return lane_name(copy);
    if (cloned_.contains(name)) return fmt::format("{}{}{}", name, tag_, copy);
    if (copy > 0 && own_.contains(name)) return fmt::format("{}{}{}", name, tag_, copy);
    if (copy > 0 && dynamic_.contains(name)) {
      return fmt::format("{}+{}", name, copy * plan_.shared_bytes_per_copy);
    }
    return std::string(name);
  }
  std::string name_of(const NameUse& use, unsigned copy) const {
    return use.number != kNoIndex ? register_name(use.number, copy) : name_of(use.text, copy);
  }

  std::string together_label(std::uint32_t block) const {
    return fmt::format("$L{}_{}", tag_, block);
  }
  std::string apart_label(std::uint32_t branch) const {
    return fmt::format("{}{}_at{}", kColdLabel, tag_, branch);
  }
  // By the block where the copies meet again.
  std::string start_label(std::uint32_t end, unsigned copy) const {
    return fmt::format("{}{}_to{}_start{}", kColdLabel, tag_, end, copy);
  }
  std::string end_label(std::uint32_t end, unsigned copy) const {
    return fmt::format("{}{}_to{}_end{}", kColdLabel, tag_, end, copy);
  }
  std::string copy_label(std::uint32_t end, unsigned copy, std::uint32_t block) const {
    return fmt::format("{}{}_to{}_{}_{}", kColdLabel, tag_, end, copy, block);
  }

  // ---- pieces of text --------------------------------------------------------------------------

  void line(const std::string& text) { code_ += "\t" + text + "\n"; }
  void label(const std::string& name) { code_ += name + ":\n"; }

  void operation(std::uint32_t index, unsigned copy) {
    const Operation& operation = body_.operations[index];
    const char* const base = plan_.module.text->data();
    code_ += '\t';
    std::size_t from = operation.span.begin;
    const std::string_view whole = plan_.module.text_of(operation.span);
    from += static_cast<std::size_t>(trimmed(whole).data() - whole.data());
    for (const NameUse& use : operation.names) {
      const auto begin = static_cast<std::size_t>(use.text.data() - base);
      code_.append(base + from, begin - from);
      code_ += name_of(use, copy);
      from = begin + use.text.size();
    }
    code_.append(base + from, operation.span.end - from);
    code_ += '\n';
  }

  static std::string type_of(std::string_view type) {
    const std::size_t dot = type.find('.');
    if (dot == std::string_view::npos) return fmt::format(".{}", type);
    return fmt::format(".{} .{}", type.substr(0, dot), type.substr(dot + 1));
  }

  std::string declaration_of(const Declaration& variable, unsigned copy) const {
    return fmt::format(".{} .align {} .b8 {}{}{}[{}];\n", variable.space,
                       variable.alignment == 0 ? 16 : variable.alignment, variable.name, tag_, copy,
                       std::max<std::uint64_t>(1, *variable.bytes));
  }

  void declare_registers() {
    for (const Declaration* declaration : body_.declarations) {
      // One statement may declare several names.
      const std::string_view text = trimmed(plan_.module.text_of(declaration->span));
      if (!declarations_.ends_with(fmt::format("{}\n", text))) {
        declarations_ += fmt::format("\t{}\n", text);
      }
    }
    plan_.replicated.visit([&](Register r) {
      for (unsigned k = 1; k < copies_; ++k) {
        declarations_ +=
            fmt::format("\t.reg {} {};\n", type_of(body_.registers[r].type), register_name(r, k));
      }
    });
    declarations_ += index_declarations();
    if (plan_.counts_lanes) {
      declarations_ += fmt::format("\t.reg .u32 %lane{}<{}>;\n", tag_, copies_ + 1);
    }
    declarations_ += fmt::format("\t.reg .pred %all{0}, %any{0};\n\t.reg .u32 %from{0};\n", tag_);
  }

  std::string index_declarations() const {
    return fmt::format("\t.reg .u32 %index{}<{}>;\n\t.reg .u32 %extent{};\n", tag_, copies_ + 1,
                       tag_);
  }

  // The index of each copy, and the extent that the original launch had.
  void count_indices() {
    const unsigned stride = plan_.how.stride;
    const std::string_view index = index_register(plan_.how);
    const std::string first = index_name(0);
    line(fmt::format("mov.u32 {}, {};", first, index));
    if (plan_.how.level == Level::kBlock) {
      line(fmt::format("mul.lo.u32 {0}, {0}, {1};", first, copies_));
    } else if (stride * copies_ != plan_.launch.block[plan_.how.axis]) {
      const std::string rest = index_name(copies_);
      line(fmt::format("rem.u32 {}, {}, {};", rest, first, stride));
      line(fmt::format("sub.u32 {0}, {0}, {1};", first, rest));
      line(fmt::format("mad.lo.u32 {0}, {0}, {1}, {2};", first, copies_, rest));
    }
    const unsigned step = plan_.how.level == Level::kBlock ? 1 : stride;
    for (unsigned k = 1; k < copies_; ++k) {
      line(fmt::format("add.u32 {}, {}, {};", index_name(k), first, k * step));
    }
    line(fmt::format("mov.u32 {}, {};", extent_name(), extent_register(plan_.how)));
    const std::uint32_t grid = plan_.launch.grid[plan_.how.axis];
    if (plan_.how.level == Level::kBlock && grid % copies_ != 0) {
      line(fmt::format("mov.u32 {}, {};", extent_name(), grid));
    } else {
      line(fmt::format("mul.lo.u32 {0}, {0}, {1};", extent_name(), copies_));
    }
  }

  // The position of each copy in its warp: x + size of x · (y + size of y · z), modulo 32.
  void count_lanes() {
    const std::string size = lane_name(copies_);
    for (unsigned k = 0; k < copies_; ++k) {
      const std::string lane = lane_name(k);
      const auto index = [&](unsigned axis) {
        return axis == plan_.how.axis ? index_name(k) : fmt::format("%tid.{}", "xyz"[axis]);
      };
      line(fmt::format("mov.u32 {}, {};", lane, index(2)));
      for (const unsigned axis : {1u, 0u}) {
        const std::string extent =
            axis == plan_.how.axis ? extent_name() : fmt::format("%ntid.{}", "xyz"[axis]);
        line(fmt::format("mov.u32 {}, {};", size, extent));
        line(fmt::format("mul.lo.u32 {0}, {0}, {1};", lane, size));
        line(fmt::format("mov.u32 {}, {};", size, index(axis)));
        line(fmt::format("add.u32 {0}, {0}, {1};", lane, size));
      }
      line(fmt::format("and.b32 {0}, {0}, 31;", lane));
    }
  }

  // ---- functions that are called
  // -------------------------------------------------------------------

  // A function that uses what is a copy's own becomes one for each copy. All are declared first, as
  // one may call another.
  std::string functions_of_copies() {
    std::string before;
    std::string text;
    for (const std::string_view name : cloned_) {
      const Function& function = *plan_.module.find_function(name);
      for (unsigned k = 0; k < copies_; ++k) {
        before += head_of(function, k) + ";\n";
        text += head_of(function, k) + body_of(function, k) + "\n";
      }
    }
    return before + text;
  }

  std::string head_of(const Function& function, unsigned copy) const {
    const Span first{function.span.begin, function.name_span.begin};
    const Span rest{function.name_span.end, function.body_span.begin};
    return fmt::format("{}{}{}", plan_.module.text_of(first), name_of(function.name, copy),
                       trimmed_end(plan_.module.text_of(rest)));
  }

  std::string body_of(const Function& function, unsigned copy) {
    const std::string saved = std::exchange(code_, "");
    count_indices();
    std::string text = "\n{\n" + index_declarations() + std::exchange(code_, saved);
    const char* const base = plan_.module.text->data();
    std::size_t from = function.body_span.begin + 1;
    for (const Statement& statement : function.body) {
      const auto* instruction = std::get_if<Instruction>(&statement);
      if (instruction == nullptr) continue;
      std::vector<std::string_view> names;
      visit_names(*instruction, [&](const Operand& operand, bool) {
        if (is_own(operand.name) || cloned_.contains(operand.name)) names.push_back(operand.name);
      });
      std::ranges::sort(names, {}, [](std::string_view name) { return name.data(); });
      for (const std::string_view name : names) {
        const auto begin = static_cast<std::size_t>(name.data() - base);
        text.append(base + from, begin - from);
        text += name_of(name, copy);
        from = begin + name.size();
      }
    }
    return text.append(base + from, function.body_span.end - from);
  }

  // Everything before the body, with the size of the block divided.
  std::string header() const {
    const Span before{plan_.function.span.begin, plan_.function.body_span.begin};
    std::string text(plan_.module.text_of(before));
    if (plan_.how.level == Level::kBlock) return text;
    for (auto at = plan_.function.attributes.rbegin(); at != plan_.function.attributes.rend();
         ++at) {
      std::vector<std::uint64_t> values = at->values;
      if (at->word == "reqntid") {
        values.resize(3, 1);
        values[plan_.how.axis] /= copies_;
      } else if (at->word == "maxntid") {
        // Only the product counts.
        std::uint64_t threads = 1;
        for (const std::uint64_t value : values) threads *= value;
        values = {(threads + copies_ - 1) / copies_, 1, 1};
      } else {
        continue;
      }
      const std::size_t first = at->span.begin - before.begin;
      text.replace(first, at->span.end - at->span.begin,
                   fmt::format(".{} {}, {}, {}\n", at->word, values[0], values[1], values[2]));
    }
    return text;
  }

  // ---- all copies together ---------------------------------------------------------------------

  bool parts(std::uint32_t block) const { return plan_.divergence.branches.contains(block); }

  // The blocks that all copies may reach together, in the order of the text.
  std::vector<std::uint32_t> blocks_together() const {
    std::vector<bool> seen(body_.blocks.size() + 1, false);
    std::vector<std::uint32_t> work = {0};
    seen[0] = true;
    const auto follow = [&](std::uint32_t b) {
      if (seen[b]) return;
      seen[b] = true;
      if (b != body_.exit()) work.push_back(b);
    };
    while (!work.empty()) {
      const std::uint32_t b = work.back();
      work.pop_back();
      if (parts(b)) follow(plan_.flow.post_dominator[b]);
      if (parts(b) && !plan_.merged.contains(b)) continue;
      for (const std::uint32_t next : plan_.flow.graph.successors(b)) {
        if (!parts(b) || !plan_.is_cold(next)) follow(next);
      }
    }
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t b = 0; b < body_.blocks.size(); ++b) {
      if (seen[b]) blocks.push_back(b);
    }
    return blocks;
  }

  void go_together(std::uint32_t to, std::uint32_t next) {
    if (to == body_.exit()) return line("ret;");
    if (to != next) line(fmt::format("bra {};", together_label(to)));
  }

  // Also for a guarded return.
  std::uint32_t target_of(const Branch& branch) const {
    return branch.target == kNoIndex ? body_.exit() : branch.target;
  }

  void emit_together() {
    const std::vector<std::uint32_t> blocks = blocks_together();
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      const std::uint32_t b = blocks[i];
      const std::uint32_t next = i + 1 < blocks.size() ? blocks[i + 1] : body_.exit();
      label(together_label(b));
      const Block& block = body_.blocks[b];
      for (std::uint32_t o = block.first; o < block.end; ++o) {
        const unsigned copies = plan_.is_shared(o) ? 1 : copies_;
        for (unsigned k = 0; k < copies; ++k) operation(o, k);
      }
      if (parts(b)) {
        part(b, next);
        continue;
      }
      const Branch& branch = block.branch;
      switch (branch.kind) {
        case Branch::Kind::kNone:
          go_together(b + 1, next);
          break;
        case Branch::Kind::kJump:
          go_together(branch.target, next);
          break;
        case Branch::Kind::kReturn:
          line("ret;");
          break;
        case Branch::Kind::kConditional:
        case Branch::Kind::kGuardedReturn: {
          const std::string guard =
              (branch.negated ? "@!" : "@") + register_name(branch.predicate, 0);
          const std::uint32_t target = target_of(branch);
          line(target == body_.exit() ? guard + " ret;"
                                      : fmt::format("{} bra {};", guard, together_label(target)));
          go_together(b + 1, next);
          break;
        }
      }
    }
  }

  // A branch that the copies need not take together.
  void part(std::uint32_t b, std::uint32_t next) {
    parted_[plan_.flow.post_dominator[b]].push_back(b);
    if (!plan_.merged.contains(b)) {
      line(fmt::format("bra {};", apart_label(b)));
      return;
    }
    const Branch& branch = body_.blocks[b].branch;
    const std::string all = "%all" + tag_;
    const std::string any = "%any" + tag_;
    for (const auto& [result, word] : {std::pair(all, "and"), std::pair(any, "or")}) {
      line(fmt::format("{}.pred {}, {}, {};", word, result, register_name(branch.predicate, 0),
                       register_name(branch.predicate, 1)));
      for (unsigned k = 2; k < copies_; ++k) {
        line(fmt::format("{0}.pred {1}, {1}, {2};", word, result,
                         register_name(branch.predicate, k)));
      }
    }
    const std::uint32_t target = target_of(branch);
    const std::string go =
        target == body_.exit() ? "ret;" : fmt::format("bra {};", together_label(target));
    // Nobody stays together in cold code.
    if (!plan_.is_cold(target)) {
      line(fmt::format("{} {}", branch.negated ? "@!" + any : "@" + all, go));
    }
    line(fmt::format("{} bra {};", branch.negated ? "@!" + all : "@" + any, apart_label(b)));
    if (plan_.is_cold(b + 1)) {
      line(fmt::format("bra {};", apart_label(b)));
    } else {
      go_together(b + 1, next);
    }
  }

  // ---- one copy after the other ----------------------------------------------------------------

  // Branches whose copies meet at the same block share the code in which these go alone: a ladder
  // of early returns would otherwise repeat the rest of the kernel for each of its steps. %from
  // says where the copies parted.

  std::string apart_target(std::uint32_t end, unsigned copy, std::uint32_t to) const {
    return to == body_.exit() || to == end ? end_label(end, copy) : copy_label(end, copy, to);
  }

  // The branch at the end of a block, as one copy takes it.
  void branch_apart(std::uint32_t end, unsigned copy, std::uint32_t b) {
    const Branch& branch = body_.blocks[b].branch;
    const bool conditional = branch.predicate != kNoIndex;
    if (conditional) {
      line(fmt::format("{}{} bra {};", branch.negated ? "@!" : "@",
                       register_name(branch.predicate, copy),
                       apart_target(end, copy, target_of(branch))));
    }
    const bool falls = conditional || branch.kind == Branch::Kind::kNone;
    line(fmt::format("bra {};", apart_target(end, copy, falls ? b + 1 : target_of(branch))));
  }

  void emit_apart(std::uint32_t end, const std::vector<std::uint32_t>& branches) {
    const std::string from = "%from" + tag_;
    std::set<std::uint32_t> region;
    for (const std::uint32_t b : branches) {
      const std::vector<std::uint32_t>& own = plan_.divergence.branches.at(b);
      region.insert(own.begin(), own.end());
      label(apart_label(b));
      if (branches.size() > 1) line(fmt::format("mov.u32 {}, {};", from, b));
      line(fmt::format("bra {};", start_label(end, 0)));
    }
    for (unsigned k = 0; k < copies_; ++k) {
      label(start_label(end, k));
      for (std::size_t i = 0; i + 1 < branches.size(); ++i) {
        const std::string next = fmt::format("{}_{}", start_label(end, k), branches[i]);
        line(fmt::format("setp.ne.u32 %any{}, {}, {};", tag_, from, branches[i]));
        line(fmt::format("@%any{} bra {};", tag_, next));
        branch_apart(end, k, branches[i]);
        label(next);
      }
      branch_apart(end, k, branches.back());
      for (const std::uint32_t b : region) {
        label(copy_label(end, k, b));
        const Block& block = body_.blocks[b];
        for (std::uint32_t o = block.first; o < block.end; ++o) operation(o, k);
        branch_apart(end, k, b);
      }
      label(end_label(end, k));
    }
    line(end == body_.exit() ? "ret;" : fmt::format("bra {};", together_label(end)));
  }

  const Plan& plan_;
  const Body& body_;
  const std::string tag_;
  const unsigned copies_;
  std::set<std::string_view> own_;      // variables of which every copy has its own
  std::set<std::string_view> dynamic_;  // dynamic shared memory
  std::set<std::string_view> cloned_;   // functions of which every copy has its own
  std::string declarations_;
  std::string code_;
  // Branches at which copies part, by the block where these meet again.
  std::map<std::uint32_t, std::vector<std::uint32_t>> parted_;
};

}  // namespace

std::string emit(const Plan& plan) {
  return Emitter(plan).emit();
}

}  // namespace burin::coarsen
