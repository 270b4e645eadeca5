#include "advise/patterns/mapping/unordered.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/mapping/lane_mapping.h"
#include "emulate/values/sector.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

// The most sectors of the whole launch that these accesses may touch.
double sectors_of_launch(const Case& c, const read::InstructionSet& accesses) {
  double from_dram = 0;
  std::uint64_t low = ~std::uint64_t{0};
  std::uint64_t high = 0;
  bool in_range = true;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0) continue;
    const timing::InstructionCost& cost = c.study->base().costs[i];
    from_dram += std::max(0.0, cost.sectors - cost.l1_hits - cost.l2_hits);
    const timing::Strides& strides = c.study->traced().strides.of[i];
    in_range &= strides.kind == timing::Strides::Kind::kIrregular;
    low = std::min(low, strides.low);
    high = std::max(high, strides.high);
  }
  if (!in_range || low >= high) return from_dram;
  return std::min(from_dram, static_cast<double>(high - low) / emulate::kSectorBytes);
}

// Whether the address is computed from what the thread loads from a row of its own, as in a sparse
// matrix. Sorted rows would still name other elements than those of the next lane.
bool is_named_by_row(const Case& c, const Requests& requests, const std::optional<RowWalk>& walk,
                     std::uint32_t access) {
  read::InstructionSet seen(c.size());
  std::vector<std::uint32_t> open;
  const auto visit = [&](const read::Dependence& d) {
    if (d.kind != read::Dependence::Kind::kRegister || seen[d.producer] != 0) return;
    seen[d.producer] = 1;
    open.push_back(d.producer);
  };
  for (const read::Dependence& d : c.kernel.dependences_of(access)) {
    if (read::feeds_address(c.at(access), d)) visit(d);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const bool of_row = touches_global(c.at(at)) && c.accesses[at].scattered() &&
                        (requests.of(at).stride || (walk && walk->accesses[at] != 0));
    if (of_row && !c.at(at).opcode->stores) return true;
    for (const read::Dependence& d : c.kernel.dependences_of(at)) visit(d);
  }
  return false;
}

// Whether a copy in shared memory takes no more sectors than the accesses of a block would if they
// were adjacent. A block copies the whole range, since only the values tell which parts it needs.
bool fits_block(const Case& c, const Requests& requests, const read::InstructionSet& accesses) {
  double accessed = 0;  // bytes
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0) continue;
    if (c.at(i).opcode->stores) return false;
    accessed += requests.of(i).requests * requests.of(i).lanes * read::access_bytes(c.at(i));
  }
  const double bytes = requests.span(accesses);
  const double room =
      c.machine.limit.shared / std::max(1.0, static_cast<double>(c.occupancy.blocks));
  return bytes <= room && accessed >= bytes;
}

}  // namespace

Unordered unordered_accesses(const Case& c, const std::optional<RowWalk>& walk) {
  Unordered found{.accesses = read::InstructionSet(c.size()),
                  .sortable = read::InstructionSet(c.size()),
                  .fits = read::InstructionSet(c.size())};
  if (c.study == nullptr || c.accesses.empty()) return found;
  const Requests requests(*c.study);
  const Origins origins(c.kernel);
  const read::InstructionSet structures = in_structures(c);
  std::map<std::set<std::uint32_t>, read::InstructionSet> arrays;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool apart = touches_global(c.at(i)) && c.accesses[i].scattered();
    if (!apart || (origins.of_address(i) & Origins::kLoaded) == 0 || requests.of(i).stride)
      continue;
    if (structures[i] != 0 || (walk && walk->accesses[i] != 0)) continue;
    found.accesses[i] = 1;
    // Sorted atomics would meet in one word.
    if (read::is_atomic(c.at(i))) continue;
    read::InstructionSet& array = arrays[origins.address_parameters(i)];
    array.resize(c.size());
    array[i] = 1;
  }
  for (const auto& [parameters, array] : arrays) {
    const bool fits = fits_block(c, requests, array);
    // Each block accesses a sector once at least, so that those it has in common with others count.
    const double of_blocks =
        requests.bytes(array) / emulate::kSectorBytes * static_cast<double>(c.grid.total());
    const double sharers = of_blocks / std::max(1.0, sectors_of_launch(c, array));
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (array[i] == 0) continue;
      found.fits[i] = fits ? 1 : 0;
      const bool many = sharers * c.accesses[i].ideal_sectors >= c.accesses[i].sectors;
      found.sortable[i] = many && !is_named_by_row(c, requests, walk, i) ? 1 : 0;
    }
  }
  return found;
}

}  // namespace burin::advise
