#include "advise/patterns/mapping/footprint.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/access_run.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr Origins::Mask kOfThread = Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ;
constexpr std::size_t kMinElements = 3;
constexpr std::size_t kMaxElements = 512;
constexpr double kMinFootprintReuse = 1.8;  // times that a block requests each sector
constexpr double kMaxScattered = 2.1;       // sectors over the minimum; allows unaligned rows
constexpr double kMinLanes = 30;            // active lanes of a warp away from the image border

// The addresses of the first lane in the warp with the most requests.
std::set<std::uint64_t> addresses(const timing::BlockTrace& trace,
                                  const read::InstructionSet& loads, double& requests) {
  std::set<std::uint64_t> most;
  for (const auto& warp : trace.warps) {
    std::set<std::uint64_t> own;
    double count = 0;
    for (const timing::TraceStep& step : warp) {
      if (step.request == timing::kNoRequest || loads[step.instruction] == 0) continue;
      const timing::Request& request = trace.requests[step.request];
      if (request.lanes < kMinLanes) continue;
      own.insert(request.first_address);
      ++count;
    }
    if (own.size() <= most.size()) continue;
    most = std::move(own);
    requests = count;
  }
  return most;
}

// Whether the address is computed from a rounded float. When an image is scaled or rotated,
// neighbouring threads do not load shifted elements.
bool is_computed_in_float(const read::Kernel& kernel, std::uint32_t load) {
  std::vector<std::uint32_t> open;
  std::set<std::uint32_t> seen;
  for (const read::Dependence& d : kernel.dependences_of(load)) {
    if (read::feeds_address(kernel.instructions[load], d)) open.push_back(d.producer);
  }
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    const read::Instruction& i = kernel.instructions[at];
    if (!seen.insert(at).second || !i.known()) continue;
    if (read::is_conversion(i) && i.opcode->operand_type == read::ValueType::kF32) return true;
    for (const read::Dependence& d : kernel.dependences_of(at)) {
      if (d.kind == read::Dependence::Kind::kRegister) open.push_back(d.producer);
    }
  }
  return false;
}

// Whether the next lane loads some of the same elements: shifting the elements of a lane by the
// lane stride gives elements that the lane itself loads.
bool overlaps_next_lane(const std::set<std::uint64_t>& all, const Requests& requests,
                        const read::InstructionSet& loads) {
  for (std::uint32_t i = 0; i < loads.size(); ++i) {
    const std::uint64_t stride = loads[i] != 0 ? requests.of(i).stride.value_or(0) : 0;
    if (stride == 0) continue;
    return std::ranges::any_of(all, [&](std::uint64_t a) { return all.contains(a + stride); });
  }
  return true;  // the lane stride is unknown
}

// Runs of adjacent elements, and their start addresses.
void find_runs(const std::set<std::uint64_t>& all, Footprint& found) {
  std::vector<std::uint64_t> begins;
  std::uint64_t last = 0;
  for (const std::uint64_t address : all) {
    if (begins.empty() || address != last + found.element_bytes) {
      begins.push_back(address);
      found.runs.push_back(0);
    }
    ++found.runs.back();
    last = address;
  }
  // The rows of a star have different lengths, so rows are compared by their centres.
  std::vector<std::uint64_t> middles;
  for (std::size_t k = 0; k < begins.size(); ++k) {
    middles.push_back(begins[k] + std::uint64_t{found.runs[k] / 2} * found.element_bytes);
  }
  for (std::size_t a = 0; a + 1 < middles.size(); ++a) {
    const std::uint64_t pitch = middles[a + 1] - middles[a];
    unsigned rows = 1;
    for (std::uint64_t next = middles[a] + pitch; std::ranges::binary_search(middles, next);
         next += pitch) {
      ++rows;
    }
    found.stacked = std::max(found.stacked, rows);
  }
}

}  // namespace

RowLoads row_loads(unsigned run, unsigned across, unsigned at_once) {
  const unsigned window = run + across - 1;
  if (run == 1 || at_once <= 1) return {.wide = window / at_once, .single = window % at_once};
  const unsigned before = (run - 1) / 2;  // elements of the row before the first result's own
  const unsigned head = std::min(window, before % at_once);
  const RowLoads exact{.wide = (window - head) / at_once,
                       .single = head + (window - head) % at_once};
  const unsigned skipped = head > 0 ? at_once - head : 0;
  const RowLoads wide{.wide = (skipped + window + at_once - 1) / at_once};
  return exact.wide + exact.single <= wide.wide ? exact : wide;
}

double Footprint::vectors(unsigned across, unsigned down) const {
  const unsigned at_once = std::max(1u, kWidestAccess / element_bytes);
  double row = 0;  // mean loads per row
  for (const unsigned run : runs) {
    const RowLoads of_row = row_loads(run, across, at_once);
    row += of_row.wide + of_row.single;
  }
  row /= static_cast<double>(runs.size());
  return row * rows(down) / (across * down);
}

double Footprint::rows(unsigned down) const {
  return (static_cast<double>(runs.size()) - stacked) * down + stacked + down - 1;
}

std::vector<Footprint> footprints(const Case& c) {
  std::vector<Footprint> found;
  if (c.study == nullptr || c.accesses.empty()) return found;
  const Origins origins(c.kernel);
  std::map<std::set<std::uint32_t>, read::InstructionSet> arrays;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const bool load = touches_global(c.at(i)) && !c.at(i).opcode->stores && c.executed(i);
    const bool by_data = load && ((origins.of_address(i) & Origins::kLoaded) != 0 ||
                                  is_computed_in_float(c.kernel, i));
    const AccessCount& count = c.accesses[i];
    // All lanes access one address: no neighbours.
    const bool same = (origins.of_address(i) & kOfThread) == 0;
    // Bytes belong to packed structures, whose neighbours are not adjacent elements.
    if (!load || by_data || same || read::access_bytes(c.at(i)) < 2 ||
        count.sectors < 0.6 * count.ideal_sectors)
      continue;
    read::InstructionSet& set = arrays[origins.address_parameters(i)];
    set.resize(c.size());
    set[i] = 1;
  }
  const Requests requests(*c.study);
  for (auto& [parameters, loads] : arrays) {
    double sectors = 0;
    double ideal = 0;
    Footprint footprint{.loads = loads};
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (loads[i] == 0) continue;
      sectors += c.accesses[i].sectors;
      ideal += c.accesses[i].ideal_sectors;
      footprint.element_bytes = read::access_bytes(c.at(i));
    }
    if (sectors > kMaxScattered * ideal || requests.reuse(loads) < kMinFootprintReuse) continue;
    const auto all = addresses(c.study->traced().reference, loads, footprint.requests);
    if (all.size() < kMinElements || all.size() > kMaxElements) continue;
    if (!overlaps_next_lane(all, requests, loads)) continue;
    footprint.elements = static_cast<double>(all.size());
    find_runs(all, footprint);
    // Elements that are not adjacent in memory are no neighbourhood: a ray, a column.
    if (*std::ranges::max_element(footprint.runs) < kMinElements) continue;
    found.push_back(std::move(footprint));
  }
  return found;
}

}  // namespace burin::advise
