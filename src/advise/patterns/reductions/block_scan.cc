#include "advise/patterns/reductions/block_scan.h"

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/loop_values.h"
#include "base/format.h"
#include "emulate/values/lanes.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr unsigned kMaxStepCode = 24;   // instructions between two barriers
constexpr double kMinLastStores = 0.4;  // of the threads store in a scan's last step
constexpr unsigned kMinThreads = 64;    // the threads of one warp need no barrier

// What a block does between two barriers.
struct Part {
  std::set<std::uint32_t> instructions{};
  std::uint32_t barrier = read::kNoIndex;  // at its end; kNoIndex: the block ends
  unsigned longest = 0;                    // instructions of a warp
  double stored = 0;                       // lanes that store to shared memory
  double loaded = 0;
  bool elsewhere = false;  // accesses other memory, or updates shared memory atomically
};

void add_step(const Case& c, const timing::BlockTrace& trace, const timing::TraceStep& step,
              Part& part) {
  const read::Instruction& at = c.at(step.instruction);
  part.instructions.insert(step.instruction);
  const bool accesses = at.opcode->loads || at.opcode->stores;
  if (!accesses || at.opcode->space == read::Space::kConstant) return;
  if (!touches_shared(at) || read::is_atomic(at)) {
    part.elsewhere = true;
  } else if (step.request != timing::kNoRequest) {
    (at.opcode->stores ? part.stored : part.loaded) += trace.requests[step.request].lanes;
  }
}

// The parts of a block; empty if its warps meet at different barriers.
std::vector<Part> parts_of(const Case& c) {
  const timing::BlockTrace& trace = c.study->traced().reference;
  std::vector<Part> parts;
  for (const std::vector<timing::TraceStep>& steps : trace.warps) {
    std::size_t at = 0;
    unsigned length = 0;
    for (const timing::TraceStep& step : steps) {
      if (!c.at(step.instruction).known()) return {};
      if (at == parts.size()) parts.emplace_back();
      Part& part = parts[at];
      part.longest = std::max(part.longest, ++length);
      if (read::sync_of(c.at(step.instruction)) != read::Sync::kBlockBarrier) {
        add_step(c, trace, step, part);
        continue;
      }
      if (part.barrier != read::kNoIndex && part.barrier != step.instruction) return {};
      part.barrier = step.instruction;
      length = 0;
      ++at;
    }
  }
  return parts;
}

bool is_step(const Part& part) {
  return part.barrier != read::kNoIndex && !part.elsewhere && part.stored + part.loaded > 0 &&
         part.longest <= kMaxStepCode;
}

struct Run {
  std::size_t first = 0;  // of the parts
  std::size_t last = 0;
};

// The steps of a scan over all threads are as many as it takes to double the distance up to their
// number.
std::optional<Run> longest_run(const Case& c, const std::vector<Part>& parts) {
  const auto wanted = static_cast<std::size_t>(std::bit_width(c.block.total() - 1));
  for (std::size_t first = 1; first < parts.size(); ++first) {
    if (!is_step(parts[first])) continue;
    std::size_t last = first;
    while (last + 1 < parts.size() && is_step(parts[last + 1])) ++last;
    const auto from = parts.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(last) + 1;
    const auto stores = static_cast<std::size_t>(
        std::count_if(from, end, [](const Part& p) { return p.stored > 0; }));
    if (stores + 1 >= wanted && stores <= wanted + 1) return Run{first, last};
    first = last;
  }
  return std::nullopt;
}

// The stores and branches of the code, and what they depend on. The compiler also puts code between
// barriers whose results are needed only later.
std::set<std::uint32_t> stored_from(const Case& c, const std::set<std::uint32_t>& code) {
  std::set<std::uint32_t> from;
  std::vector<std::uint32_t> open;
  for (const std::uint32_t i : code) {
    const bool decides = c.at(i).opcode->stores || c.at(i).opcode->flow == read::Opcode::kBranch;
    if (decides && from.insert(i).second) open.push_back(i);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      const bool value = d.kind == read::Dependence::Kind::kRegister && code.contains(d.producer);
      if (value && from.insert(d.producer).second) open.push_back(d.producer);
    }
  }
  return from;
}

// How the steps combine two values; empty: in none of the ways in which warps can, or in several.
std::string combination(const Case& c, const std::set<std::uint32_t>& code) {
  const Origins origins(c.kernel);
  std::set<std::string> kinds;
  for (const std::uint32_t i : stored_from(c, code)) {
    const read::Instruction& at = c.at(i);
    if (!is_arithmetic(at) || (origins.of(i) & Origins::kLoaded) == 0) continue;
    const read::Arithmetic kind = read::arithmetic_of(at);
    if (read::has(at, read::Trait::kCompare)) return "";
    if (read::is_extremum_of_sum(at)) return "";
    if (read::is_extremum(at)) {
      kinds.insert(at.operands().back().inverted ? "v = max(v, other)" : "v = min(v, other)");
    } else if (kind == read::Arithmetic::kAdd || read::adds_integers(at)) {
      kinds.insert("v += other");
    } else if (kind != read::Arithmetic::kNone) {
      // Values move through the multiply-add unit as well: 0 * 0 + v.
      const auto reads = std::ranges::count_if(at.operands(), [](const read::Operand& o) {
        return o.is_register(read::RegisterFile::kGeneral) && o.read && !o.written &&
               o.index != read::kZeroRegister;
      });
      if (reads > 1) return "";
    }
  }
  return kinds.size() == 1 ? *kinds.begin() : "";
}

bool has_same_address(const read::Instruction& load, const read::Instruction& store) {
  const read::Operand* from = read::address_of(load);
  const read::Operand* to = read::address_of(store);
  return from != nullptr && to != nullptr && from->base == to->base &&
         from->uniform == to->uniform && from->value == to->value;
}

// Whether the values that are stored before the first step are 0 or 1.
bool are_flags(const Case& c, const Part& before) {
  const auto is_flag = [&](std::uint32_t i) {
    unsigned others = 0;
    bool one = false;
    for (const read::Operand& o : c.at(i).operands()) {
      if (o.written || o.file != read::RegisterFile::kGeneral) continue;
      if (o.kind == read::Operand::Kind::kImmediate) {
        one |= o.value == 1;
        others += o.value > 1 ? 1 : 0;
      } else if (o.kind == read::Operand::Kind::kRegister) {
        others += o.index != read::kZeroRegister ? 1 : 0;
      }
    }
    const bool zero = read::has(c.at(i), read::Trait::kMove) ||
                      read::arithmetic_of(c.at(i)) != read::Arithmetic::kNone;
    return others == 0 && (one || zero);
  };
  bool any = false;
  for (const std::uint32_t store : before.instructions) {
    if (!touches_shared(c.at(store)) || !c.at(store).opcode->stores) continue;
    for (const read::Dependence& d : c.kernel.dependences_of(store)) {
      if (d.kind != read::Dependence::Kind::kRegister || read::feeds_address(c.at(store), d) ||
          d.file != read::RegisterFile::kGeneral)
        continue;
      if (!is_flag(d.producer)) return false;
      any = true;
    }
  }
  return any;
}

}  // namespace

std::optional<BlockScan> block_scan(const Case& c) {
  if (c.study == nullptr || c.block.total() < kMinThreads) return std::nullopt;
  const std::vector<Part> parts = parts_of(c);
  const std::optional<Run> run = longest_run(c, parts);
  if (!run) return std::nullopt;
  BlockScan scan{.needless = read::InstructionSet(c.size())};
  std::set<std::uint32_t> code;
  double last_stored = 0;
  for (std::size_t k = run->first; k <= run->last; ++k) {
    code.insert(parts[k].instructions.begin(), parts[k].instructions.end());
    if (parts[k].stored <= 0) continue;
    last_stored = parts[k].stored;
    ++scan.steps;
  }
  if (last_stored < kMinLastStores * static_cast<double>(c.block.total())) return std::nullopt;
  scan.combine = combination(c, code);
  if (scan.combine.empty()) return std::nullopt;
  scan.flags = scan.combine == "v += other" && are_flags(c, parts[run->first - 1]);
  const std::uint32_t kept = parts[run->first - 1].barrier;
  for (std::size_t k = run->first; k <= run->last; ++k) {
    ++scan.barriers;
    if (parts[k].barrier == kept) continue;
    scan.needless[parts[k].barrier] = 1;
    scan.barrier = parts[k].barrier;
  }
  if (scan.barrier == read::kNoIndex) return std::nullopt;
  for (const std::uint32_t i : code) {
    if (!touches_shared(c.at(i))) continue;
    const bool own = std::ranges::any_of(code, [&](std::uint32_t store) {
      return touches_shared(c.at(store)) && c.at(store).opcode->stores &&
             has_same_address(c.at(i), c.at(store));
    });
    if (c.at(i).opcode->stores || own) scan.needless[i] = 1;
  }
  return scan;
}

std::string block_scan_text(const Case& c, const BlockScan& scan) {
  return fmt::format(
      "The block scans the {} of its {} threads in {} steps through shared memory, with {} "
      "barriers.",
      scan.flags ? "flags" : "values", c.block.total(), scan.steps, scan.barriers);
}

std::string block_scan_hint(const Case& c, const BlockScan& scan) {
  const std::uint64_t warps = (c.block.total() + emulate::kWarpLanes - 1) / emulate::kWarpLanes;
  const std::string loop = fmt::format(
      "for (int d = 1; d < 32; d *= 2) {{ other = __shfl_up_sync(0xffffffff, v, d); if (lane >= d) "
      "{}; }}",
      scan.combine);
  std::string text =
      scan.flags
          ? fmt::format(
                "Let each warp count its flags without a barrier: with m = "
                "__ballot_sync(0xffffffff, "
                "flag), a lane's inclusive count is v = __popc(m & (0xffffffff >> (31 - lane))).")
          : fmt::format("Let each warp scan its 32 values without a barrier: {}.", loop);
  text += fmt::format(
      " Lane 31 of each warp stores its v to a __shared__ array of {} words; after one "
      "__syncthreads() each warp scans these {} values{}, and its lanes combine their v with the "
      "result of the warps before. All threads must reach the {}, and a second __syncthreads() is "
      "needed only before the array is written again. The launch stays the same.",
      warps, warps, scan.flags ? " by shuffles: " + loop : " the same way",
      scan.flags ? "ballot" : "shuffles");
  return text;
}

}  // namespace burin::advise
