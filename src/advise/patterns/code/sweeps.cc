#include "advise/patterns/code/sweeps.h"

#include <algorithm>
#include <set>
#include <vector>

#include "advise/case/origin.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// What defines the registers of the address.
std::set<std::uint32_t> address_producers(const Case& c, std::uint32_t i) {
  std::set<std::uint32_t> producers;
  for (const read::Dependence& d : c.kernel.dependences_of(i)) {
    if (read::feeds_address(c.at(i), d.file, d.index)) producers.insert(d.producer);
  }
  return producers;
}

bool is_same_place(const Case& c, std::uint32_t load, std::uint32_t store) {
  const read::Operand& from = *read::address_of(c.at(load));
  const read::Operand& to = *read::address_of(c.at(store));
  return from.base == to.base && from.uniform == to.uniform && from.value == to.value &&
         address_producers(c, load) == address_producers(c, store);
}

bool may_meet(const Origins& origins, std::uint32_t load, std::uint32_t store) {
  const std::set<std::uint32_t> from = origins.address_parameters(load);
  const std::set<std::uint32_t> to = origins.address_parameters(store);
  return from.empty() || to.empty() ||
         std::ranges::any_of(from, [&](std::uint32_t pointer) { return to.contains(pointer); });
}

bool sweeps(const Case& c, const Origins& origins, std::uint32_t loop) {
  std::vector<std::uint32_t> loads;
  std::vector<std::uint32_t> stores;
  bool barrier = false;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (!c.places.in_loop(i, loop) || !c.at(i).known() || !c.executed(i)) continue;
    if (read::is_fence(c.at(i))) return false;
    barrier |= read::sync_of(c.at(i)) == read::Sync::kBlockBarrier;
    if (!read::may_be_global(c.at(i)) || read::address_of(c.at(i)) == nullptr) continue;
    if (read::is_plain_load(c.at(i)) && !read::is_read_only_load(c.at(i))) loads.push_back(i);
    if (read::is_plain_store(c.at(i))) stores.push_back(i);
  }
  return barrier && std::ranges::any_of(loads, [&](std::uint32_t load) {
           const auto own = [&](std::uint32_t store) { return is_same_place(c, load, store); };
           const auto meets = [&](std::uint32_t store) { return may_meet(origins, load, store); };
           return std::ranges::none_of(stores, own) && std::ranges::any_of(stores, meets);
         });
}

}  // namespace

double share_of_sweeps(const Case& c) {
  const Origins origins(c.kernel);
  read::InstructionSet in_sweeps(c.size());
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    if (!sweeps(c, origins, loop)) continue;
    const read::InstructionSet inside = c.places.instructions_of_loop(loop);
    for (std::uint32_t i = 0; i < c.size(); ++i) in_sweeps[i] |= inside[i];
  }
  double inside = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (in_sweeps[i] != 0) inside += c.blamed.total_of(i);
  }
  return c.blamed.total > 0 ? inside / c.blamed.total : 0;
}

}  // namespace burin::advise
