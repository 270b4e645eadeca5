#include "coarsen/emit.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "coarsen/copy_names.h"
#include "coarsen/unfinished_loops.h"

namespace burin::coarsen {
namespace {

using read::kNoIndex;
using namespace read::ptx;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

class Emitter {
 public:
  explicit Emitter(const Plan& plan)
      : plan_(plan),
        body_(plan.body),
        names_(plan),
        tag_(names_.tag()),
        copies_(plan.how.factor),
        loops_(plan.flow) {}

  std::string emit() {
    std::string shared;
    for (const Declaration* variable : plan_.variables) {
      for (unsigned k = 1; k < copies_; ++k) {
        (variable->space == "shared" ? shared : declarations_) += declaration_of(*variable, k);
      }
    }
    declare_registers();
    code_ += index_code(plan_, names_);
    if (plan_.counts_lanes) count_lanes();
    emit_together();
    for (const auto& [end, branches] : parted_) emit_apart(end, branches);
    return shared + functions_of_copies(plan_, names_) + header() + "{\n" + declarations_ + code_ +
           "}";
  }

 private:
  // ---- labels ----------------------------------------------------------------------------------

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
  std::string copy_label(std::uint32_t end, unsigned copy, Place place) const {
    const std::string block =
        fmt::format("{}{}_to{}_{}_{}", kColdLabel, tag_, end, copy, place.block);
    return place.unfinished == kNoIndex ? block : fmt::format("{}_in{}", block, place.unfinished);
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
      code_ += names_.of(use, copy);
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
            fmt::format("\t.reg {} {};\n", type_of(body_.registers[r].type), names_.of(r, k));
      }
    });
    declarations_ += index_declarations(plan_, names_);
    if (plan_.counts_lanes) {
      declarations_ += fmt::format("\t.reg .u32 %lane{}<{}>;\n", tag_, copies_ + 1);
    }
    declarations_ += fmt::format("\t.reg .pred %all{0}, %any{0};\n\t.reg .u32 %from{0};\n", tag_);
  }

  // The position of each copy in its warp: x + size of x · (y + size of y · z), modulo 32.
  void count_lanes() {
    const std::string size = names_.lane(copies_);
    for (unsigned k = 0; k < copies_; ++k) {
      const std::string lane = names_.lane(k);
      const auto index = [&](unsigned axis) {
        return axis == plan_.how.axis ? names_.index(k) : fmt::format("%tid.{}", "xyz"[axis]);
      };
      line(fmt::format("mov.u32 {}, {};", lane, index(2)));
      for (const unsigned axis : {1u, 0u}) {
        const std::string extent =
            axis == plan_.how.axis ? names_.extent() : fmt::format("%ntid.{}", "xyz"[axis]);
        line(fmt::format("mov.u32 {}, {};", size, extent));
        line(fmt::format("mul.lo.u32 {0}, {0}, {1};", lane, size));
        line(fmt::format("mov.u32 {}, {};", size, index(axis)));
        line(fmt::format("add.u32 {0}, {0}, {1};", lane, size));
      }
      line(fmt::format("and.b32 {0}, {0}, 31;", lane));
    }
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
          const std::string guard = (branch.negated ? "@!" : "@") + names_.of(branch.predicate, 0);
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
      line(fmt::format("{}.pred {}, {}, {};", word, result, names_.of(branch.predicate, 0),
                       names_.of(branch.predicate, 1)));
      for (unsigned k = 2; k < copies_; ++k) {
        line(fmt::format("{0}.pred {1}, {1}, {2};", word, result, names_.of(branch.predicate, k)));
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

  // The blocks that may follow a block.
  std::vector<std::uint32_t> next_of(std::uint32_t b) const {
    const Branch& branch = body_.blocks[b].branch;
    if (branch.predicate != kNoIndex) return {target_of(branch), b + 1};
    return {branch.kind == Branch::Kind::kNone ? b + 1 : target_of(branch)};
  }
  bool is_end(std::uint32_t end, std::uint32_t block) const {
    return block == body_.exit() || block == end;
  }

  // The places that a copy may reach from where it parted.
  std::set<Place> places_apart(std::uint32_t end,
                               const std::vector<std::uint32_t>& branches) const {
    std::set<Place> found;
    std::vector<Place> work;
    for (const std::uint32_t b : branches) work.push_back(loops_.parted_at(b));
    while (!work.empty()) {
      const Place from = work.back();
      work.pop_back();
      for (const std::uint32_t to : next_of(from.block)) {
        const Place next = loops_.follow(from, to);
        if (!is_end(end, to) && found.insert(next).second) work.push_back(next);
      }
    }
    return found;
  }

  // The branch at the end of a block, as one copy takes it.
  void branch_apart(std::uint32_t end, unsigned copy, Place from) {
    const Branch& branch = body_.blocks[from.block].branch;
    const auto jump = [&](const std::string& guard, std::uint32_t to) {
      line(fmt::format(
          "{}bra {};", guard,
          is_end(end, to) ? end_label(end, copy) : copy_label(end, copy, loops_.follow(from, to))));
    };
    const std::vector<std::uint32_t> next = next_of(from.block);
    if (next.size() > 1) {
      jump((branch.negated ? "@!" : "@") + names_.of(branch.predicate, copy) + " ", next.front());
    }
    jump("", next.back());
  }

  void emit_apart(std::uint32_t end, const std::vector<std::uint32_t>& branches) {
    const std::string from = "%from" + tag_;
    for (const std::uint32_t b : branches) {
      label(apart_label(b));
      if (branches.size() > 1) line(fmt::format("mov.u32 {}, {};", from, b));
      line(fmt::format("bra {};", start_label(end, 0)));
    }
    const std::set<Place> places = places_apart(end, branches);
    for (unsigned k = 0; k < copies_; ++k) {
      label(start_label(end, k));
      for (std::size_t i = 0; i + 1 < branches.size(); ++i) {
        const std::string next = fmt::format("{}_{}", start_label(end, k), branches[i]);
        line(fmt::format("setp.ne.u32 %any{}, {}, {};", tag_, from, branches[i]));
        line(fmt::format("@%any{} bra {};", tag_, next));
        branch_apart(end, k, loops_.parted_at(branches[i]));
        label(next);
      }
      branch_apart(end, k, loops_.parted_at(branches.back()));
      for (const Place place : places) {
        label(copy_label(end, k, place));
        const Block& block = body_.blocks[place.block];
        for (std::uint32_t o = block.first; o < block.end; ++o) operation(o, k);
        branch_apart(end, k, place);
      }
      label(end_label(end, k));
    }
    line(end == body_.exit() ? "ret;" : fmt::format("bra {};", together_label(end)));
  }

  const Plan& plan_;
  const Body& body_;
  const CopyNames names_;
  const std::string& tag_;
  const unsigned copies_;
  const UnfinishedLoops loops_;
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
