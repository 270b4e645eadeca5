// Local memory: spilled registers, and arrays that registers cannot hold.
//
// Registers need no loads and stores, but cannot be indexed: a store to an array element becomes a
// select between two values, and with a data-dependent index one select for each element. Without
// register pressure, a loop with spills can issue its loads earlier, or all at once.
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/local_arrays.h"
#include "advise/patterns/code/loop_values.h"
#include "advise/patterns/code/needless.h"
#include "advise/patterns/code/slack.h"
#include "advise/patterns/mapping/register_room.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr std::uint32_t kWordsInRegisters = 64;  // of an array, in addition to all other values
constexpr double kMaxArrayElements = 64;         // of an array that registers can hold
constexpr std::size_t kMaxArrayPlaces = 6;       // places in a text
constexpr double kSelectCost = 2;          // instructions: compare the index, select the value
constexpr double kUnrolledIterations = 4;  // unroll factor of compilers for a loop without branches
constexpr double kMaxUnrolledCode = 128;   // instructions per iteration up to which they unroll

bool is_local(const read::Instruction& i) {
  return i.known() && i.opcode->space == read::Space::kLocal;
}

// Whether the dependence carries the stored value, not an address or a guard.
bool is_kept(const Case& c, const read::Dependence& d) {
  const read::Instruction& at = c.at(d.consumer);
  if (!is_local(at) || !at.opcode->stores || d.file != read::RegisterFile::kGeneral) return false;
  return !read::feeds_address(at, d);
}

// The contents of local memory: spilled registers and arrays.
struct Kept {
  explicit Kept(const read::Kernel& kernel) : origins(kernel), spills(spills_in(kernel)) {}

  bool is_spill(std::uint32_t i) const { return spills[i] != 0; }
  // Whether the array index is data-dependent.
  bool is_by_data(const Case& c, std::uint32_t i) const {
    return is_local(c.at(i)) && !is_spill(i) && (origins.of_address(i) & Origins::kLoaded) != 0;
  }

  // Whether it accesses a fixed address whose value is computed from constants: an index that the
  // compiler knows once the loop is unrolled.
  bool is_index(const Case& c, std::uint32_t i) const {
    return frame_place(c.at(i)) && !is_spill(i) && (origins.of(i) & ~Origins::kMemory) == 0;
  }

  Origins origins;
  read::InstructionSet spills;
};

// Maximum number of elements of an array in the stack frame.
double places_of(const Case& c, std::uint32_t i) {
  return c.kernel.function->stack_bytes / std::max(1.0, 1.0 * read::access_bytes(c.at(i)));
}

// Whether the loaded element is updated and stored in the same basic block: `count[k] += 1`.
bool is_put_back(const Case& c, std::uint32_t load) {
  const auto place = [&](std::uint32_t i) { return read::address_of(c.at(i)); };
  const read::BasicBlock& block = c.kernel.blocks[c.kernel.block_of[load]];
  for (std::uint32_t i = load + 1; i <= block.last; ++i) {
    if (!is_local(c.at(i)) || !c.at(i).opcode->stores) continue;
    if (place(i)->base == place(load)->base && place(i)->value == place(load)->value) return true;
  }
  return false;
}

// Whether a branch depends on array elements, for example on the length of a loop over them.
bool tests_elements(const Case& c, const Kept& kept) {
  std::vector<std::uint32_t> open;
  read::InstructionSet seen(c.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (c.at(i).known() && c.at(i).opcode->flow == read::Opcode::kBranch && c.executed(i)) {
      open.push_back(i);
    }
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      if (d.kind != read::Dependence::Kind::kRegister || seen[d.producer] != 0) continue;
      seen[d.producer] = 1;
      if (is_local(c.at(d.producer)) && !kept.is_spill(d.producer)) return true;
      if (is_arithmetic(c.at(d.producer))) open.push_back(d.producer);
    }
  }
  return false;
}

// Loops over an array in registers must be unrolled completely: the innermost loops around its
// accesses, except accesses with a data-dependent index.
read::InstructionSet unrolled_loops(const Case& c, const Kept& kept, bool executed) {
  read::InstructionSet loops(c.kernel.loops.size());
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t loop = c.places.loop_of(i);
    if (!is_local(c.at(i)) || loop == read::kNoIndex || kept.is_spill(i)) continue;
    if (executed && !c.executed(i)) continue;
    if (!kept.is_by_data(c, i)) loops[loop] = 1;
  }
  return loops;
}

// Marks the loops' branches and the values that the compiler then knows as removed. If data decides
// when a loop ends, it no longer ends early; its branches stay, for the cost of the additional
// iterations.
void mark_unrolled(const Case& c, const Origins& origins, const read::InstructionSet& loops,
                   read::InstructionSet& gone) {
  for (std::uint32_t loop = 0; loop < loops.size(); ++loop) {
    if (loops[loop] == 0) continue;
    const LoopValues values(c, loop);
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (c.places.loop_of(i) != loop || !c.at(i).known()) continue;
      const bool by_data = (origins.of(i) & Origins::kMemory) != 0;
      const bool branch = c.at(i).opcode->flow == read::Opcode::kBranch && !by_data;
      if (branch || (is_integer(c.at(i)) && values.known_on_entry(i))) gone[i] = 1;
    }
  }
}

class RegisterReuse final : public Rule {
  std::string_view id() const override { return "register-reuse"; }
  std::string_view summary() const override { return "local memory stalls"; }

  std::vector<Match> match(const Case& c) const override {
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) {
      return s.dependency == Dependency::kLocalMemory || is_local(c.at(s.cause)) ||
             is_local(c.at(s.waits));
    });
    if (match.stalls.empty()) return {};
    analyze::Edit gone{.kind = analyze::Edit::Kind::kSkipped,
                       .instructions = read::InstructionSet(c.size())};
    unsigned spills = 0;
    unsigned arrays = 0;
    const Kept kept(c.kernel);
    read::InstructionSet by_data(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!is_local(c.at(i)) || !c.executed(i)) continue;
      ++(kept.is_spill(i) ? spills : arrays);
      by_data[i] = kept.is_by_data(c, i) ? 1 : 0;
      gone.instructions[i] = by_data[i] == 0 || places_of(c, i) <= kMaxArrayElements ? 1 : 0;
    }
    const Slack slack(c);
    const LocalArrays local(c, slack, array_accesses(c, kept));
    const bool unbounded =
        arrays > 0 && local.any_open() && c.kernel.function->stack_bytes / 4 <= kWordsInRegisters;
    // Loops of which each step is needed stay as long as they are.
    const bool open = unbounded && tests_elements(c, kept);
    for (std::uint32_t i = 0; i < c.size() && open; ++i) by_data[i] |= local.chosen[i];
    const read::InstructionSet unrolled = open ? local.loops : unrolled_loops(c, kept, true);
    mark_unrolled(c, kept.origins, unrolled, gone.instructions);
    const read::InstructionSet first = gone.instructions;
    add_dead_code(c.kernel, gone.instructions, [&](const read::Dependence& d) {
      return first[d.consumer] == 0 || by_data[d.consumer] != 0 ||
             (is_kept(c, d) && !kept.is_index(c, d.consumer));
    });
    match.edits = {chosen(c, kept, by_data, gone.instructions),
                   chosen_of_all(c, by_data, open ? local.length / kSelectCost : kMaxArrayElements,
                                 gone.instructions)};
    if (open) run_for_all(c, local, gone.instructions, match);
    // A fixed place in the frame can also be an array element.
    match.edits.push_back(
        in_time(c, arrays == 0 ? scarce_loops(c, kept, gone.instructions) : unrolled));
    if (!open) add_loads_ahead(c, slack, unrolled_loops(c, kept, false), match);
    if (open && c.study != nullptr)
      match.added_us = more_registers_us(c, c.kernel.function->stack_bytes / 4);
    match.edits.push_back(std::move(gone));
    match.relieves = {machine::Resource::kIssue, machine::Resource::kLsu,
                      machine::Resource::kL1,    machine::Resource::kL2,
                      machine::Resource::kDram,  machine::Resource::kAlu,
                      machine::Resource::kFma,   machine::Resource::kUniform};
    describe(c, kept, unbounded ? &local : nullptr, match, spills, arrays);
    return {std::move(match)};
  }

  static read::InstructionSet array_accesses(const Case& c, const Kept& kept) {
    read::InstructionSet set(c.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      set[i] = is_local(c.at(i)) && !kept.is_spill(i) ? 1 : 0;
    }
    return set;
  }

  // Loops with constant bounds run for all elements. Their steps become that many more; the first
  // of the edits has the selects among them.
  static void run_for_all(const Case& c, const LocalArrays& local, const read::InstructionSet& gone,
                          Match& match) {
    std::map<std::pair<double, std::string_view>, read::InstructionSet> sets;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      if (loop == read::kNoIndex || local.more_often(loop) <= 1 || gone[i] != 0) continue;
      const bool select = match.edits[0].instructions[i] != 0;
      if (!select && !is_arithmetic(c.at(i))) continue;
      match.edits[0].instructions[i] = 0;
      const std::string_view type = select ? "alu" : machine::name(machine::timing_class(c.at(i)));
      sets.try_emplace({local.more_often(loop), type}, c.size()).first->second[i] = 1;
    }
    for (auto& [key, set] : sets) {
      match.edits.push_back({.kind = analyze::Edit::Kind::kRetyped,
                             .instructions = std::move(set),
                             .value = key.first,
                             .to_class = std::string(key.second)});
    }
  }

  // Stores to arrays become selects instead of disappearing.
  static analyze::Edit chosen(const Case& c, const Kept& kept, const read::InstructionSet& by_data,
                              read::InstructionSet& gone) {
    analyze::Edit edit{.kind = analyze::Edit::Kind::kRetyped,
                       .instructions = read::InstructionSet(c.size()),
                       .to_class = "alu"};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (gone[i] == 0 || !is_local(c.at(i)) || !c.at(i).opcode->stores) continue;
      if (kept.is_spill(i) || by_data[i] != 0 || kept.is_index(c, i)) continue;
      edit.instructions[i] = 1;
      gone[i] = 0;
    }
    return edit;
  }

  // Loads and stores with a data-dependent index: one select for each array element.
  static analyze::Edit chosen_of_all(const Case& c, const read::InstructionSet& by_data,
                                     double length, read::InstructionSet& gone) {
    analyze::Edit edit{.kind = analyze::Edit::Kind::kRetyped,
                       .instructions = read::InstructionSet(c.size()),
                       .to_class = "alu"};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (gone[i] == 0 || by_data[i] == 0) continue;
      if (c.at(i).opcode->loads && is_put_back(c, i)) continue;
      edit.value = std::max(edit.value, kSelectCost * std::min(length, places_of(c, i)));
      edit.instructions[i] = 1;
      gone[i] = 0;
    }
    return edit;
  }

  // Loops that contain spills, and all loops inside the outermost of them.
  static read::InstructionSet scarce_loops(const Case& c, const Kept& kept,
                                           const read::InstructionSet& gone) {
    read::InstructionSet outermost(c.kernel.loops.size());
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const std::uint32_t loop = c.places.outermost(c.places.loop_of(i));
      if (loop != read::kNoIndex && gone[i] != 0 && kept.is_spill(i)) outermost[loop] = 1;
    }
    read::InstructionSet scarce(c.kernel.loops.size());
    for (std::uint32_t loop = 0; loop < scarce.size(); ++loop) {
      scarce[loop] = outermost[c.places.outermost(loop)];
    }
    return scarce;
  }

  // In these loops, loads from shared memory, and global loads that could be issued directly after
  // another one.
  static analyze::Edit in_time(const Case& c, const read::InstructionSet& loops) {
    analyze::Edit edit{.kind = analyze::Edit::Kind::kHidden,
                       .instructions = read::InstructionSet(c.size())};
    for (const read::BasicBlock& block : c.kernel.blocks) {
      if (block.loop == read::kNoIndex || loops[block.loop] == 0) continue;
      bool follows = false;
      for (std::uint32_t i = block.first; i <= block.last; ++i) {
        if (!c.at(i).known() || !c.at(i).opcode->loads) continue;
        const bool global = touches_global(c.at(i));
        if (touches_shared(c.at(i)) || (global && follows)) edit.instructions[i] = 1;
        follows |= global;
      }
    }
    return edit;
  }

  // Instructions of one iteration, including inner loops.
  static double iteration_of(const Case& c, const Slack& slack, std::uint32_t loop) {
    double issued = 0;
    for (const std::uint32_t b : c.kernel.loops[loop].blocks) {
      for (std::uint32_t i = c.kernel.blocks[b].first; i <= c.kernel.blocks[b].last; ++i) {
        issued += c.blamed.issued[i];
      }
    }
    const double iterations = slack.issued(c.kernel.loops[loop].header);
    return iterations > 0 ? issued / iterations : 0;
  }

  // A loop whose inner loops are all unrolled completely is itself unrolled partially: its own
  // loads are issued for several iterations at once.
  static void add_loads_ahead(const Case& c, const Slack& slack,
                              const read::InstructionSet& unrolled, Match& match) {
    read::InstructionSet around(c.kernel.loops.size());
    for (const read::Loop& loop : c.kernel.loops) {
      if (loop.parent != read::kNoIndex) around[loop.parent] = 1;
    }
    for (std::uint32_t loop = 0; loop < around.size(); ++loop) {
      const std::uint32_t parent = c.kernel.loops[loop].parent;
      if (parent != read::kNoIndex && unrolled[loop] == 0) around[parent] = 0;
    }
    for (std::uint32_t loop = 0; loop < around.size(); ++loop) {
      if (iteration_of(c, slack, loop) > kMaxUnrolledCode) around[loop] = 0;
    }
    for (std::uint32_t i = 0; i < c.size() && c.study != nullptr; ++i) {
      const std::uint32_t loop = c.places.loop_of(i);
      const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores;
      if (!load || loop == read::kNoIndex || around[loop] == 0) continue;
      if (slack.has_barrier(loop) || slack.recurrent(i, loop)) continue;
      analyze::Edit edit{.kind = analyze::Edit::Kind::kEarlier,
                         .instructions = read::InstructionSet(c.size()),
                         .value = (1 - 1 / kUnrolledIterations) * latency_of(*c.study, i)};
      edit.instructions[i] = 1;
      match.edits.push_back(std::move(edit));
    }
  }

  // The alternative place for a thread's array: registers if it is small, otherwise shared memory.
  static std::string array_hint(const Case& c, std::string& check) {
    const std::uint32_t words = c.kernel.function->local_bytes / 4;
    std::string hint;
    if (words <= kWordsInRegisters) {
      hint =
          " Fully unroll the loops over it (#pragma unroll, with constant bounds): it is then in "
          "registers.";
    }
    add_shared_place(c, hint, check);
    return hint.empty() ? " Use smaller arrays, or fewer threads per block with the arrays in "
                          "shared memory."
                        : hint;
  }

  static void add_shared_place(const Case& c, std::string& hint, std::string& check) {
    const std::uint32_t words = c.kernel.function->local_bytes / 4;
    const std::uint64_t block_bytes = std::uint64_t{words} * 4 * c.block.total();
    if (block_bytes > 0 &&
        static_cast<double>(c.needs.shared + block_bytes) <= c.machine.limit.shared_per_block) {
      hint += fmt::format(
          " {} `__shared__` memory: {:.0f} KB for the block, element k of a thread at array[k * {} "
          "+ thread number], with the block's size as a constant, so that no banks conflict.",
          hint.empty() ? "Move it to" : "Or move it to", static_cast<double>(block_bytes) / 1024,
          c.block.total());
      add_dynamic_shared(c, static_cast<double>(block_bytes), hint, check);
    }
  }

  // The bounds of loops over the array are not constants. `ends`: its own elements end a loop, too.
  static std::string open_hint(const Case& c, const LocalArrays& local, const std::string& place,
                               bool ends) {
    std::vector<std::string> loops;
    for (std::uint32_t loop = 0; loop < local.loops.size(); ++loop) {
      if (local.loops[loop] == 0) continue;
      std::string name = "the " + loop_name(c, loop);
      if (std::ranges::find(loops, name) == loops.end()) loops.push_back(std::move(name));
    }
    std::vector<std::string> others;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (local.chosen[i] == 0) continue;
      std::string name = place_name(c.kernel, i);
      if (std::ranges::find(others, name) == others.end()) others.push_back(std::move(name));
    }
    std::string hint = fmt::format(
        "The array at {} is indexed by a value unknown at compile time. It is in registers only if "
        "all loops over it have #pragma unroll and one constant bound: {}. Each step is then "
        "executed for all elements, whether it applies or not{}, so let the bound be the length in "
        "use, as a template parameter; the arrays here have room for {} elements.",
        place, list_of(loops, kMaxArrayPlaces),
        ends ? " (choose with min(), max() or ?: instead of leaving the loop)" : "", local.length);
    if (!others.empty()) {
      hint += fmt::format(
          " Do what is done at {} in such loops, too: an element at any other index takes a chain "
          "of selects.",
          list_of(others, kMaxArrayPlaces));
    }
    return hint;
  }

  static void describe(const Case& c, const Kept& kept, const LocalArrays* unbounded, Match& match,
                       unsigned spills, unsigned arrays) {
    const BlamedStall& hot = hottest(c, match.stalls);
    const std::uint32_t at = is_local(c.at(hot.cause)) ? hot.cause : hot.waits;
    const std::string place = place_name(c.kernel, at);
    const bool spill = kept.is_spill(at);
    match.text = fmt::format(
        "Local memory stalls take {:.0f} % of warp time: {} loads and stores of spilled registers, "
        "{} of arrays. Hottest: {}.",
        100 * share_of(c, match.stalls), spills, arrays, place);
    const read::Function& f = *c.kernel.function;
    if (!spill && unbounded != nullptr) {
      const bool ends = tests_elements(c, kept);
      match.hint = open_hint(c, *unbounded, place, ends);
      if (!ends) add_shared_place(c, match.hint, match.check);
    } else if (!spill && tests_elements(c, kept)) {
      match.hint = fmt::format(
          "The array at {} is indexed by a value unknown at compile time: the array's own elements "
          "determine how far the loop there runs. Let it run over all of them, with constant "
          "bounds and "
          "#pragma unroll on it and on the loops around it, and choose with min(), max() or ?: in "
          "each step instead of leaving it: to sort, exchange pairs of elements in a fixed order "
          "(a = min(x, y), b = max(x, y)). The array is then in registers.",
          place);
    } else if (!spill) {
      match.hint = fmt::format("The array at {} is indexed by a value unknown at compile time.{}",
                               place, array_hint(c, match.check));
    } else if (f.max_registers && *f.max_registers < 255) {
      match.hint = fmt::format(
          "The kernel is limited to {} registers. Raise the limit (__launch_bounds__, "
          "-maxrregcount), or split the loop at {} to reduce live values.",
          *f.max_registers, place);
    } else if (f.registers + kRegisterGranularity > kMaxThreadRegisters) {
      match.hint = fmt::format(
          "The kernel uses {} registers, and a thread cannot have more than {}. Keep fewer values "
          "alive at {}: smaller tiles or arrays per thread, less unrolling, or a loop split in "
          "two.",
          f.registers, kMaxThreadRegisters, place);
    } else {
      match.hint = fmt::format(
          "The kernel uses {} registers. Allow more with __launch_bounds__({}), or split the loop "
          "at {} to reduce live values.",
          f.registers, c.block.total(), place);
    }
  }
};

}  // namespace

const Rule* register_reuse() {
  static const RegisterReuse rule;
  return &rule;
}

}  // namespace burin::advise
