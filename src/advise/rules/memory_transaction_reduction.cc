// Requests to global memory come faster than the memory system takes them.
#include <algorithm>

#include "advise/rules/all.h"
#include "base/format.h"

namespace burin {

namespace {

bool reaches_global(const Instruction& instruction) {
  if (!instruction.known()) return false;
  const Space space = instruction.opcode->space;
  return space == Space::kGlobal || space == Space::kGeneric;
}

// The queue to global memory is full in front of a request.
bool throttled(const Case& c, const BlamedStall& stall) {
  return stall.stall == Stall::kLgThrottle && reaches_global(c.at(stall.waits));
}

// How many sectors a request of this instruction touches, and how many its bytes need.
std::string sectors_text(const Case& c, std::uint32_t instruction) {
  if (c.accesses.empty() || c.accesses[instruction].executed <= 0) return {};
  const AccessCount& count = c.accesses[instruction];
  if (count.sectors <= 1.1 * count.ideal_sectors) return {};
  return fmt::format(" Each request touches {:.1f} sectors of 32 bytes where {:.1f} would do.",
                     count.sectors / count.executed, count.ideal_sectors / count.executed);
}

std::string hint_for(const Case& c, std::uint32_t instruction) {
  const Instruction& i = c.at(instruction);
  const AccessCount count = c.accesses.empty() ? AccessCount{} : c.accesses[instruction];
  const unsigned bytes = access_bytes(i);
  const std::string where = place_name(c.kernel, instruction);
  if (count.sectors > 1.5 * count.ideal_sectors) {
    return fmt::format(
        "Let neighbouring threads touch neighbouring elements at {}, or go through "
        "shared memory.",
        where);
  }
  if (i.opcode->loads && !i.opcode->stores && count.executed > 0 &&
      count.sectors < 1.5 * count.executed) {
    return fmt::format(
        "All lanes read the same few bytes at {}: pass them as a kernel argument "
        "or put them into __constant__ memory.",
        where);
  }
  if (bytes > 0 && bytes < 16) {
    return fmt::format(
        "{} {} bytes per thread at {}: move {} at once (float4 or the like), or keep "
        "what is used again in registers or shared memory.",
        i.opcode->stores ? "Stores of" : "Loads of", bytes, where, bytes < 8 ? "8 or 16" : "16");
  }
  return fmt::format("Keep what is used again at {} in registers or shared memory.", where);
}

class MemoryTransactionReduction final : public Rule {
  std::string_view id() const override { return "memory-transaction-reduction"; }
  std::string_view summary() const override {
    return "global memory requests that wait for room in the queue";
  }
  std::vector<Match> match(const Case& c) const override {
    Match match;
    match.stalls = stalls_where(c, [&](const BlamedStall& s) { return throttled(c, s); });
    if (match.stalls.empty()) return {};
    InstructionSet requests(c.size());
    for (const MatchedStall& m : match.stalls) requests[c.blamed.stalls[m.stall].waits] = 1;
    match.edits = {{.kind = Edit::Kind::kIdealSectors, .instructions = requests}};
    match.relieves = {Resource::kLsu, Resource::kL1, Resource::kL2};
    const BlamedStall& hot = hottest(c, match.stalls);
    match.text = fmt::format(
        "{:.0f} % of the time warps wait to send a request to global memory: there are more "
        "requests than the queue takes.{}",
        100 * share_of(c, match.stalls), sectors_text(c, hot.waits));
    match.hint = hint_for(c, hot.waits);
    return {std::move(match)};
  }
};

}  // namespace

const Rule* memory_transaction_reduction() {
  static const MemoryTransactionReduction rule;
  return &rule;
}

}  // namespace burin
