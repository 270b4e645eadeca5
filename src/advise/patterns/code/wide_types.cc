#include "advise/patterns/code/wide_types.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/case/rule.h"
#include "base/format.h"
#include "base/text.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kDense = 0.6;      // of the sectors of 32 adjacent lanes
constexpr double kMinLoads = 0.01;  // of the instructions

// Whether floating-point arithmetic reads the loaded value.
bool feeds_float(const Case& c, std::uint32_t load) {
  return std::ranges::any_of(c.kernel.dependences, [&](const read::Dependence& d) {
    return d.producer == load && d.kind == read::Dependence::Kind::kRegister &&
           read::float_operations(c.at(d.consumer)) > 0;
  });
}

std::string_view wide_type(unsigned bytes, bool is_float) {
  if (bytes == 4) return is_float ? "float4" : "uint4";
  if (bytes == 8) return is_float ? "double2" : "ulonglong2";
  return "";
}

}  // namespace

std::string wide_types(const Case& c, const read::InstructionSet& loads) {
  std::vector<std::string> types;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (loads[i] == 0) continue;
    const unsigned bytes = read::access_bytes(c.at(i));
    std::string type(wide_type(bytes, feeds_float(c, i)));
    if (!type.empty() && std::ranges::find(types, type) == types.end())
      types.push_back(std::move(type));
  }
  return list_of(types, types.size());
}

read::InstructionSet streaming_loads(const Case& c) {
  constexpr Origins::Mask kByLane = Origins::kThreadX | Origins::kLoadedByLane;
  read::InstructionSet loads(c.size());
  const Origins origins(c.kernel);
  for (std::uint32_t i = 0; i < c.size() && !c.accesses.empty(); ++i) {
    const AccessCount& count = c.accesses[i];
    const bool load = read::is_plain_load(c.at(i)) && touches_global(c.at(i)) && c.executed(i);
    const bool adjacent = (origins.of_address(i) & kByLane) == Origins::kThreadX &&
                          !count.scattered() && count.sectors >= kDense * count.ideal_sectors;
    loads[i] = load && adjacent && c.places.loop_of(i) == read::kNoIndex ? 1 : 0;
  }
  return loads;
}

std::string wide_loads_clause(const Case& c) {
  if (c.study == nullptr) return "";
  const read::InstructionSet loads = streaming_loads(c);
  if (issued_share(c, loads) < kMinLoads) return "";
  const std::string types = wide_types(c, loads);
  return types.empty() ? "" : fmt::format(", 16 bytes at a time, as {}", types);
}

}  // namespace burin::advise
