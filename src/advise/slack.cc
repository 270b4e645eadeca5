#include "advise/slack.h"

#include <algorithm>
#include <set>

#include "analyze/regions.h"

namespace burin {

namespace {

bool is_meeting(const Instruction& i) {
  return i.mnemonic() == "BAR" || i.mnemonic() == "WARPSYNC" || i.mnemonic() == "SYNCS";
}

double issue_cycles(const Instruction& i) {
  return std::max<double>(1, i.control.stall);
}

}  // namespace

Slack::Slack(const Case& c)
    : c_(c), consumers_(c.size()), memory_waits_(c.size()), other_waits_(c.size()) {
  for (const BlamedStall& s : c.blamed.stalls) {
    if (!s.has_cause() || s.stall == Stall::kWait) continue;
    const bool memory = s.stall == Stall::kLongScoreboard;
    (memory ? memory_waits_ : other_waits_)[s.waits] += s.cycles.latency;
  }
  for (const Dependence& d : c.kernel.dependences) {
    if (d.kind == Dependence::Kind::kRegister) consumers_[d.producer].push_back(d.consumer);
  }
}

double Slack::issued(std::uint32_t block) const {
  const BasicBlock& b = c_.kernel.blocks[block];
  double sum = 0;
  for (std::uint32_t i = b.first; i <= b.last; ++i) sum += c_.blamed.issued[i];
  return sum / (b.last - b.first + 1);
}

double Slack::wait(const BlamedStall& stall) const {
  const double times = issued(c_.kernel.block_of[stall.waits]);
  return times > 0 ? stall.cycles.latency / times : 0;
}

double Slack::cycles_of(std::uint32_t instruction) const {
  const double times = issued(c_.kernel.block_of[instruction]);
  const double waits = memory_waits_[instruction] + other_waits_[instruction];
  return issue_cycles(c_.at(instruction)) + (times > 0 ? waits / times / 2 : 0);
}

// A load that no store of the kernel can come in the way of.
bool Slack::moves_freely(std::uint32_t cause) const {
  const Instruction& i = c_.at(cause);
  return i.mnemonic() == "LDG" && i.modifier("order").starts_with("CONSTANT");
}

double Slack::cycles_before(std::uint32_t cause) const {
  const bool free = moves_freely(cause);
  const std::uint32_t loop = c_.places.loop_of(cause);
  const double times = issued(c_.kernel.block_of[cause]);
  std::set<std::uint32_t> needed{cause};
  double cycles = 0;
  std::uint32_t end = cause;
  for (std::uint32_t b = c_.kernel.block_of[cause]; b != kNoIndex;) {
    const double part = times > 0 ? std::min(1.0, issued(b) / times) : 0;
    for (std::uint32_t i = end; i-- > c_.kernel.blocks[b].first;) {
      if (is_meeting(c_.at(i)) && !free) return cycles;
      const bool needs = std::ranges::any_of(
          consumers_[i], [&](std::uint32_t k) { return k > i && needed.contains(k); });
      if (needs) {
        needed.insert(i);
      } else {
        cycles += part * cycles_of(i);
      }
    }
    b = free ? c_.kernel.blocks[b].immediate_dominator : kNoIndex;
    if (b == kNoIndex || c_.kernel.blocks[b].loop != loop) break;
    end = c_.kernel.blocks[b].last + 1;
  }
  return cycles;
}

double Slack::cycles_after(std::uint32_t waits, std::uint32_t cause) const {
  const std::uint32_t last = c_.kernel.blocks[c_.kernel.block_of[waits]].last;
  std::set<std::uint32_t> tainted{cause, waits};
  for (const std::uint32_t first : {cause, waits}) {
    for (const std::uint32_t k : consumers_[first]) tainted.insert(k);
  }
  double cycles = 0;
  for (std::uint32_t i = waits + 1; i <= last && !is_meeting(c_.at(i)); ++i) {
    if (!tainted.contains(i)) {
      if (c_.at(i).known() && c_.at(i).opcode->flow == Opcode::kNext) {
        cycles += cycles_of(i);
      }
      continue;
    }
    for (const std::uint32_t k : consumers_[i]) tainted.insert(k);
  }
  return cycles;
}

double Slack::filler(const BlamedStall& stall) const {
  const double near = cycles_before(stall.cause) + cycles_after(stall.waits, stall.cause);
  const std::uint32_t loop = c_.places.common_loop(stall.cause, stall.waits);
  if (loop == kNoIndex || recurrent(stall.cause, loop)) return near;
  if (has_barrier(loop) && !moves_freely(stall.cause)) return near;
  return std::max(near, body_cycles(stall, loop));
}

// An iteration without its waits for memory.
double Slack::body_cycles(const BlamedStall& stall, std::uint32_t loop) const {
  const double times = issued(c_.kernel.block_of[stall.waits]);
  if (times <= 0) return 0;
  double body = 0;
  for (const std::uint32_t b : c_.kernel.loops[loop].blocks) {
    const BasicBlock& block = c_.kernel.blocks[b];
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      body += (issued(b) * issue_cycles(c_.at(i)) + other_waits_[i]) / times;
    }
  }
  return body;
}

bool Slack::recurrent(std::uint32_t instruction, std::uint32_t loop) const {
  std::vector<std::uint32_t> open{instruction};
  std::set<std::uint32_t> seen;
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const std::uint32_t next : consumers_[at]) {
      if (next == instruction) return true;
      if (c_.places.in_loop(next, loop) && seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

double Slack::entries(std::uint32_t loop) const {
  const std::uint32_t header = c_.kernel.loops[loop].header;
  double from_outside = 0;
  for (const Edge& edge : c_.kernel.blocks[header].predecessors) {
    if (!c_.places.in_loop(c_.kernel.blocks[edge.block].first, loop)) {
      from_outside += issued(edge.block);
    }
  }
  return std::min(from_outside, issued(header));
}

double Slack::trips(std::uint32_t loop) const {
  const double times = entries(loop);
  return times > 0 ? issued(c_.kernel.loops[loop].header) / times : 1;
}

unsigned Slack::copies(std::uint32_t instruction, std::uint32_t loop) const {
  const SourceLine line = line_of(c_.kernel, instruction);
  unsigned same = 0;
  for (const std::uint32_t b : c_.kernel.loops[loop].blocks) {
    const BasicBlock& block = c_.kernel.blocks[b];
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      if (c_.at(i).mnemonic() != c_.at(instruction).mnemonic()) continue;
      const SourceLine other = line_of(c_.kernel, i);
      same += line.line != 0 && other.line == line.line && other.file == line.file ? 1u : 0u;
    }
  }
  return std::max(1u, same);
}

bool Slack::has_barrier(std::uint32_t loop) const {
  for (const std::uint32_t b : c_.kernel.loops[loop].blocks) {
    const BasicBlock& block = c_.kernel.blocks[b];
    for (std::uint32_t i = block.first; i <= block.last; ++i) {
      if (is_meeting(c_.at(i))) return true;
    }
  }
  return false;
}

bool Slack::innermost(std::uint32_t loop) const {
  return std::ranges::none_of(c_.kernel.loops, [&](const Loop& l) { return l.parent == loop; });
}

}  // namespace burin
