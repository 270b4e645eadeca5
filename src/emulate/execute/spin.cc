#include "emulate/execute/spin.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <ranges>
#include <set>

#include "base/format.h"
#include "base/hash.h"
#include "base/text.h"
#include "emulate/access/access.h"
#include "emulate/state/block.h"
#include "emulate/state/split.h"
#include "read/program/source.h"

namespace burin::emulate {

namespace {

constexpr unsigned kMaxSteps = 4096;     // executed to find a repetition
constexpr unsigned kMaxChanges = 8;      // of memory, before it is taken to make progress
constexpr unsigned kMaxReturns = 64;     // returns to the same place with other values
constexpr std::size_t kMaxWords = 8;     // polled words that are kept
constexpr std::size_t kFiles = 5;        // register files
constexpr std::size_t kRegisters = 512;  // of a file, at most

using Registers = std::bitset<kFiles * kRegisters>;

// What another warp must do for it to go on is not seen from here: barriers and bulk copies.
bool is_opaque(const read::Instruction& i) {
  const read::Sync sync = read::sync_of(i);
  return read::is_barrier(i) || sync == read::Sync::kMbarrier || sync == read::Sync::kCopyArrive ||
         (i.known() && i.opcode->pipe == read::Pipe::kBulk);
}

// Calls visit(k) for each register that the instruction reads, by its place in Registers.
template <typename Visit>
void for_each_register_read(const read::Instruction& i, Visit visit) {
  read::for_each_read(i, [&](read::RegisterFile file, std::uint16_t first, unsigned count) {
    for (unsigned k = 0; k < count && first + k < kRegisters; ++k) {
      visit(static_cast<std::size_t>(file) * kRegisters + first + k);
    }
  });
}

// … that it writes.
template <typename Visit>
void for_each_register_write(const read::Instruction& i, Visit visit) {
  read::for_each_write(i, [&](read::RegisterFile file, std::uint16_t first, unsigned count) {
    for (unsigned k = 0; k < count && first + k < kRegisters; ++k) {
      visit(static_cast<std::size_t>(file) * kRegisters + first + k);
    }
  });
}

bool writes_any(const read::Instruction& i, const Registers& of) {
  bool writes = false;
  for_each_register_write(i, [&](std::size_t k) { writes = writes || of[k]; });
  return writes;
}

bool same_position(const Split& a, const Split& b) {
  return a.pc == b.pc && a.lanes == b.lanes && a.state == b.state && a.target == b.target &&
         a.mask == b.mask;
}

// The current split of a warp, from one point of its execution on.
class Repetition {
 public:
  Repetition(Warp& warp, Tally& tally, Listener* listener)
      : warp_(warp), tally_(tally), listener_(listener) {}

  // Two repetitions in which memory did not change.
  bool prove();
  Spin spin() const;

 private:
  void remember();
  bool is_back() const;
  bool same_values();
  bool note_accesses();
  bool note(const Access& access);
  Registers needed() const;
  std::vector<PolledWord> awaited() const;

  Warp& warp_;
  Tally& tally_;
  Listener* listener_;
  // As it was at the point that it is compared with.
  std::vector<Split> splits_;
  std::uint32_t current_ = 0;
  std::vector<Lanes> slots_;
  std::array<Mask, kSlots> unknown_{};
  std::array<Mask, kPredicateSlots> predicates_{};
  std::array<Mask, kPredicateSlots> predicate_unknown_{};
  std::array<Lanes, kConvergenceBarriers> convergence_{};
  // Since then.
  std::vector<std::uint32_t> sequence_;                                      // as executed
  std::vector<std::uint32_t> instructions_;                                  // in code order
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> memory_;  // values by address
  std::vector<PolledWord> words_;
};

void Repetition::remember() {
  splits_ = warp_.splits;
  current_ = warp_.current;
  slots_.assign(warp_.slots.begin(), warp_.slots.end());
  unknown_ = warp_.unknown;
  predicates_ = warp_.predicates;
  predicate_unknown_ = warp_.predicate_unknown;
  convergence_ = warp_.convergence;
  sequence_.clear();
  instructions_.clear();
  memory_.clear();
  words_.clear();
}

bool Repetition::is_back() const {
  return warp_.current == current_ && std::ranges::equal(warp_.splits, splits_, same_position);
}

// The registers on which control flow and memory depend, as far as the executed instructions go.
Registers Repetition::needed() const {
  Registers needed;
  const auto add = [&](std::size_t k) { needed.set(k); };
  const auto& code = warp_.program->kernel->instructions;
  for (const std::uint32_t i : instructions_) {
    if (!read::is_computation(code[i])) for_each_register_read(code[i], add);
  }
  for (std::size_t before = 0; before != needed.count();) {
    before = needed.count();
    for (const std::uint32_t i : instructions_) {
      if (writes_any(code[i], needed)) for_each_register_read(code[i], add);
    }
  }
  return needed;
}

// The words on which the loop's branches depend.
std::vector<PolledWord> Repetition::awaited() const {
  const auto& code = warp_.program->kernel->instructions;
  Registers live;  // what the branches after this point depend on
  std::set<std::uint32_t> deciding;
  for (const std::uint32_t at : std::views::reverse(sequence_)) {
    const read::Instruction& i = code[at];
    if (!i.known()) continue;
    const bool writes = writes_any(i, live);
    if (writes) deciding.insert(at);
    if (writes && i.guard.always())
      for_each_register_write(i, [&](std::size_t k) { live.reset(k); });
    if (writes || i.opcode->flow != read::Opcode::kNext) {
      for_each_register_read(i, [&](std::size_t k) { live.set(k); });
    }
  }
  std::vector<PolledWord> words = words_;
  std::erase_if(words, [&](const PolledWord& w) { return !deciding.contains(w.instruction); });
  return words;
}

bool Repetition::same_values() {
  const Registers all = needed();
  const auto same_slot = [&](std::size_t slot) {
    return unknown_[slot] == warp_.unknown[slot] &&
           std::ranges::equal(slots_[slot].lane, warp_.slots[slot].lane);
  };
  const auto same_predicate = [&](std::size_t p) {
    return predicates_[p] == warp_.predicates[p] &&
           predicate_unknown_[p] == warp_.predicate_unknown[p];
  };
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (!all[k]) continue;
    const std::size_t index = k % kRegisters;
    switch (static_cast<read::RegisterFile>(k / kRegisters)) {
      case read::RegisterFile::kGeneral:
        if (index < kZeroSlot && !same_slot(index)) return false;
        break;
      case read::RegisterFile::kUniform:
        if (kUniformSlot + index < kSlots && !same_slot(kUniformSlot + index)) return false;
        break;
      case read::RegisterFile::kPredicate:
        if (index < kTrueSlot && !same_predicate(index)) return false;
        break;
      case read::RegisterFile::kUniformPredicate:
        if (index < kTrueSlot && !same_predicate(kUniformPredicateSlot + index)) return false;
        break;
      case read::RegisterFile::kConvergence:
        break;
    }
  }
  return std::ranges::equal(convergence_, warp_.convergence, [](const Lanes& a, const Lanes& b) {
    return std::ranges::equal(a.lane, b.lane);
  });
}

// Whether what the access reads or has written is what was there before.
bool Repetition::note(const Access& access) {
  Mask lanes = access.lanes & ~access.unknown;
  for_each_lane(lanes, [&](unsigned i) {
    if (access.address[i] % access.bytes != 0) lanes &= ~(Mask{1} << i);
  });
  if (lanes == 0) return true;
  std::array<Lanes, 4> words{};
  Loaded loaded{.words = words.data()};
  read_lanes(warp_, access, lanes, loaded, false);
  bool same = true;
  const bool local = access.space == read::Space::kLocal;
  for_each_lane(lanes, [&](unsigned i) {
    std::uint64_t value = 0;
    for (unsigned k = 0; k < words_of(access.bytes); ++k) {
      value = hash_combine(value, words[k][i] | std::uint64_t{loaded.unknown[k] >> i & 1} << 32);
    }
    const std::uint64_t space = static_cast<std::uint64_t>(access.space) << 8 | (local ? i : 0);
    const auto [at, is_new] = memory_.try_emplace({space, access.address[i]}, value);
    same = same && at->second == value;
    if (is_new && access.load && !local && words_.size() < kMaxWords) {
      words_.push_back({warp_.pc, access.space, access.address[i], access.bytes, words[0][i]});
    }
  });
  return same;
}

bool Repetition::note_accesses() {
  for (unsigned k = 0; k < warp_.access_count; ++k) {
    const Access& access = warp_.accesses[k];
    if (access.space == read::Space::kConstant || access.bytes == 0) continue;
    if (!note(access)) return false;
  }
  return true;
}

bool Repetition::prove() {
  const Grid& grid = *warp_.block->grid;
  unsigned since = 0;   // steps since the point that it is compared with
  unsigned limit = 64;  // of them, before the point moves on
  unsigned repeated = 0;
  unsigned changes = 0;
  unsigned returns = 0;
  remember();
  for (unsigned step_count = 0; step_count < kMaxSteps; ++step_count) {
    const Split& split = warp_.splits[warp_.current];
    if (!split.forks.empty() || !split.trips.empty()) return false;
    if (step(warp_, tally_, listener_) != StepResult::kRan || grid.stopped) return false;
    warp_.copied.clear();
    warp_.changed.clear();
    if (is_opaque(warp_.program->kernel->instructions[warp_.pc])) return false;
    sequence_.push_back(warp_.pc);
    const auto at = std::ranges::lower_bound(instructions_, warp_.pc);
    if (at == instructions_.end() || *at != warp_.pc) instructions_.insert(at, warp_.pc);
    ++since;
    const bool constant = note_accesses();
    if (constant && is_back()) {
      if (same_values()) {
        if (++repeated == 2) return true;
      } else if (++returns > kMaxReturns) {
        return false;
      }
    }
    if (constant && (since < limit || repeated > 0)) continue;
    if (!constant && ++changes > kMaxChanges) return false;
    if (constant) limit *= 2;
    since = repeated = 0;
    remember();
  }
  return false;
}

Spin Repetition::spin() const {
  return {.instruction = instructions_.front(), .words = awaited()};
}

// The line in the kernel's own file, not in a header that it is inlined from.
std::string loop_place(const read::Kernel& kernel, std::uint32_t instruction) {
  const auto chain = read::call_chain(*kernel.image, kernel.location_at(16 * instruction));
  for (const read::Location* location : chain) {
    if (location->file != chain.back()->file) continue;
    return fmt::format("{}:{}", kernel.image->files[location->file], location->line);
  }
  return named_place(kernel, instruction);
}

std::string place_of(const PolledWord& word, const Warp& warp) {
  if (word.space == read::Space::kShared) {
    return fmt::format("shared memory at {:#x}", word.address & kWindowMask);
  }
  return warp.block->grid->memory->describe(word.address);
}

}  // namespace

Standstill standstill_of(Warp& warp, Tally& tally, Listener* listener) {
  if (warp.splits.empty()) return {.proven = true};
  wake(warp);
  const auto ready = static_cast<std::size_t>(
      std::ranges::count(warp.splits, Split::State::kReady, &Split::state));
  Standstill still{.proven = true};
  // Each of the lanes that went different ways has its turn.
  for (std::size_t k = 0; k < ready; ++k) {
    if (warp.splits[warp.current].state != Split::State::kReady && !next_split(warp)) return {};
    Repetition repetition(warp, tally, listener);
    if (!repetition.prove()) return {};
    if (!still.spin) still.spin = repetition.spin();
    if (k + 1 < ready && !give_way(warp)) return {};
  }
  return still;
}

std::string describe_place(const Warp& warp, std::uint32_t instruction, const Tally& tally) {
  const read::Kernel& kernel = *warp.program->kernel;
  const std::string who =
      fmt::format("warp {} of block {}", warp.index, launch::to_string(warp.block->index));
  const std::uint32_t at =
      std::min(instruction, static_cast<std::uint32_t>(kernel.instructions.size() - 1));
  const std::uint32_t loop =
      kernel.blocks.empty() ? read::kNoIndex : kernel.blocks[kernel.block_of[at]].loop;
  if (loop == read::kNoIndex) return fmt::format("{} is at {}", who, named_place(kernel, at));
  const std::uint32_t header = kernel.blocks[kernel.loops[loop].header].first;
  return fmt::format("{} is in the loop at {}, which has run {} times", who,
                     loop_place(kernel, header), with_commas(tally.counts[header].warps));
}

std::string describe(const Spin& spin, const Warp& warp, const Tally& tally) {
  const std::string place = describe_place(warp, spin.instruction, tally);
  if (spin.words.empty()) return place + " and changes nothing that its end depends on";
  const PolledWord& word = spin.words[0];
  return fmt::format("{} and waits for {}, which stays {:#x}: no running block writes it", place,
                     place_of(word, warp), word.value);
}

}  // namespace burin::emulate
