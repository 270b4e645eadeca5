#include "advise/patterns/reductions/accumulator.h"

#include <algorithm>
#include <tuple>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// Whether the loop computes any part of the address.
bool stays(const Case& c, std::uint32_t access, std::uint32_t loop) {
  const read::Operand& address = *read::address_of(c.at(access));
  if (address.base == read::Operand::kNoRegister || address.base == read::kZeroRegister)
    return false;
  return std::ranges::none_of(c.kernel.dependences_of(access), [&](const read::Dependence& d) {
    return read::feeds_address(c.at(access), d) && c.places.in_loop(d.producer, loop);
  });
}

bool shows_others(const read::Instruction& i) {
  return machine::timing_class(i) == machine::TimingClass::kBarrier;
}

bool same_place(const read::Instruction& a, const read::Instruction& b) {
  const auto place = [](const read::Operand& o) {
    return std::tuple(o.base, o.uniform, o.value, o.base_count);
  };
  return place(*read::address_of(a)) == place(*read::address_of(b)) &&
         read::access_bytes(a) == read::access_bytes(b);
}

void look_at(const Case& c, std::uint32_t loop, MemoryAccumulators& found) {
  std::vector<std::uint32_t> loads;
  std::vector<std::uint32_t> stores;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    // Other threads may read the sum at synchronisation points.
    if (c.places.in_loop(i, loop) && shows_others(c.at(i))) return;
    if (c.places.loop_of(i) != loop || !touches_global(c.at(i)) || !c.executed(i)) continue;
    if (read::address_of(c.at(i)) == nullptr) return;
    const bool both = c.at(i).opcode->loads && c.at(i).opcode->stores;
    if (both) return;  // an atomic: other threads may add as well
    (c.at(i).opcode->stores ? stores : loads).push_back(i);
  }
  bool sums = false;
  bool others = false;  // other stores, which stay
  for (const std::uint32_t store : stores) {
    bool sum = false;
    const bool same = stays(c, store, loop);
    for (const std::uint32_t load : loads) {
      if (!same || !same_place(c.at(load), c.at(store))) continue;
      found.accesses[load] = found.accesses[store] = 1;
      sum = true;
    }
    (sum ? sums : others) = true;
  }
  if (!sums) return;
  for (const std::uint32_t load : loads) {
    // Remaining stores hold back other loads, except loads of read-only data.
    if (others && !read::is_read_only_load(c.at(load))) continue;
    const std::uint32_t block = c.kernel.block_of[load];
    const bool follows = std::ranges::any_of(loads, [&](std::uint32_t other) {
      return other < load && c.kernel.block_of[other] == block && found.accesses[other] == 0;
    });
    if (follows && found.accesses[load] == 0) found.held[load] = 1;
  }
}

}  // namespace

MemoryAccumulators::MemoryAccumulators(const Case& c) : accesses(c.size()), held(c.size()) {
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) look_at(c, loop, *this);
}

}  // namespace burin::advise
