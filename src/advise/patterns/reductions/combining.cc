#include "advise/patterns/reductions/combining.h"

#include <algorithm>

#include "advise/case/fewer_accesses.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/access_run.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Basic blocks that contain a global load, or from which one can still be reached.
std::vector<bool> leads_to_load(const Case& c) {
  std::vector<bool> leads(c.kernel.blocks.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!touches_global(c.at(i)) || read::is_atomic(c.at(i)) || c.at(i).opcode->stores) continue;
    if (!leads[c.kernel.block_of[i]]) open.push_back(c.kernel.block_of[i]);
    leads[c.kernel.block_of[i]] = true;
  }
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const read::Edge& edge : c.kernel.blocks[block].predecessors) {
      if (leads[edge.block]) continue;
      leads[edge.block] = true;
      open.push_back(edge.block);
    }
  }
  return leads;
}

// The first barrier after all loads; kNoIndex: there is none.
std::uint32_t first_barrier(const Case& c, const std::vector<bool>& leads) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!read::is_barrier(c.at(i)) || !c.executed(i)) continue;
    const std::uint32_t block = c.kernel.block_of[i];
    bool before_load = false;
    for (const read::Edge& edge : c.kernel.blocks[block].successors) {
      before_load = before_load || leads[edge.block];
    }
    for (std::uint32_t k = i; k <= c.kernel.blocks[block].last; ++k) {
      before_load = before_load ||
                    (touches_global(c.at(k)) && c.at(k).opcode->loads && !read::is_atomic(c.at(k)));
    }
    if (!before_load) return i;
  }
  return read::kNoIndex;
}

// Whether the instruction computes something other than sums, minima or maxima of loaded values.
bool transforms(const Case& c, const Origins& origins, std::uint32_t i) {
  if ((origins.of(i) & Origins::kLoaded) == 0) return false;
  const read::Arithmetic kind = read::arithmetic_of(c.at(i));
  return kind == read::Arithmetic::kMultiply || kind == read::Arithmetic::kMatrix ||
         read::is_conversion(c.at(i)) || read::has(c.at(i), read::Trait::kSpecialFunction) ||
         (kind == read::Arithmetic::kMultiplyAdd && read::float_operations(c.at(i)) > 0);
}

bool of_one_thread(const Case& c, std::uint32_t i) {
  if (c.study == nullptr) return false;
  const timing::BlockTrace& trace = c.study->traced().reference;
  return i < trace.lanes.size() && trace.lanes[i].guarded <= 1;
}

}  // namespace

read::InstructionSet combining_code(const Case& c, const Origins& origins, Results results) {
  read::InstructionSet set(c.size());
  const std::uint32_t barrier = first_barrier(c, leads_to_load(c));
  if (barrier == read::kNoIndex) return set;
  const std::uint32_t from = c.kernel.block_of[barrier];
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const std::uint32_t block = c.kernel.block_of[i];
    const bool behind = block == from ? i >= barrier : c.kernel.dominates(from, block);
    if (!behind || !c.at(i).known() || !c.executed(i)) continue;
    const bool stores = touches_global(c.at(i)) && c.at(i).opcode->stores;
    const bool result = results == Results::kByOneThread && of_one_thread(c, i);
    if ((stores && !read::is_atomic(c.at(i)) && !result) || transforms(c, origins, i)) {
      return read::InstructionSet(c.size());
    }
    const bool leaves = c.at(i).opcode->flow == read::Opcode::kExit;
    set[i] = !leaves && !read::is_atomic(c.at(i)) ? 1 : 0;
  }
  return set;
}

bool combines_as(const Case& c, const Origins& origins, const read::InstructionSet& combining,
                 std::string_view operation) {
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (combining[i] == 0 || (origins.of(i) & Origins::kLoaded) == 0) continue;
    // Of the smaller and the larger value, the predicate at the end of the operands chooses.
    const bool extremum = read::is_extremum(c.at(i));
    const bool larger = extremum && c.at(i).operands().back().inverted;
    const bool sum = read::adds_integers(c.at(i)) || read::float_operations(c.at(i)) > 0;
    // Code that keeps the larger value by a comparison keeps something else with it.
    if (read::has(c.at(i), read::Trait::kCompare)) return false;
    if (sum && operation != "ADD") return false;
    if (extremum && operation != (larger ? "MAX" : "MIN")) return false;
    const bool bitwise = read::arithmetic_of(c.at(i)) == read::Arithmetic::kLogic;
    if (bitwise && operation != "AND" && operation != "OR" && operation != "XOR") return false;
  }
  return true;
}

double elements_at_once(const Case& c) {
  unsigned bytes = 1;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool load = touches_global(c.at(i)) && c.at(i).opcode->loads && c.executed(i);
    if (load && !read::is_atomic(c.at(i))) bytes = std::max(bytes, read::access_bytes(c.at(i)));
  }
  return std::max(1.0, static_cast<double>(kWidestAccess) / bytes);
}

Work streamed(const Case& c, const read::InstructionSet& combining,
              const read::InstructionSet& updates, double fewer, double atomics) {
  constexpr double kSectorsOfPass = 4;
  Work work = work_of(c);
  const read::InstructionSet index = index_code(c);
  const double at_once = elements_at_once(c);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool loads = touches_global(c.at(i)) && updates[i] == 0;
    const bool once = combining[i] != 0 || updates[i] != 0 ||
                      (touches_shared(c.at(i)) && c.places.loop_of(i) == read::kNoIndex);
    const double left = once ? fewer : loads || index[i] != 0 ? 1 / at_once : 1;
    work.issued[i] *= left;
    work.passes[i] =
        loads ? std::max(work.passes[i] / at_once, c.accesses[i].ideal_sectors / kSectorsOfPass)
              : work.passes[i] * left;
    if (once) work.l2_bytes[i] *= fewer;
  }
  work.atomic_cycles *= atomics;
  return work;
}

}  // namespace burin::advise
