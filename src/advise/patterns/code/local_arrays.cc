#include "advise/patterns/code/local_arrays.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "advise/patterns/code/constant_trips.h"
#include "advise/patterns/code/loop_values.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::int64_t kWord = 4;
constexpr std::int64_t kArrayGap = 16;  // bytes between accesses to different arrays, at least

// Elements of one array, in words: arrays side by side are accessed with one index, at offsets that
// are a whole array apart. Otherwise all of the frame is one array.
unsigned length_of(const Case& c, const read::InstructionSet& accesses) {
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::set<std::int64_t>> offsets;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Operand* address = accesses[i] != 0 ? read::address_of(c.at(i)) : nullptr;
    if (address == nullptr || frame_place(c.at(i))) continue;
    offsets[{c.kernel.block_of[i], address->base}].insert(address->value);
  }
  const auto frame = static_cast<std::int64_t>(c.kernel.function->stack_bytes);
  std::int64_t pitch = frame;
  for (const auto& [base, all] : offsets) {
    std::int64_t begin = *all.begin();
    std::int64_t last = begin;
    for (const std::int64_t at : all) {
      if (at - last >= kArrayGap) {
        if (at - begin > 0 && frame % (at - begin) == 0) pitch = std::min(pitch, at - begin);
        begin = at;
      }
      last = at;
    }
  }
  return static_cast<unsigned>(std::max<std::int64_t>(1, pitch / kWord));
}

// Whether the loop counts with the address of the access.
bool is_counted(const Case& c, const LoopValues& values, std::uint32_t access) {
  return std::ranges::any_of(c.kernel.dependences_of(access), [&](const read::Dependence& d) {
    return read::feeds_address(c.at(access), d) && values.counts(d.producer);
  });
}

// Whether the address follows from arguments alone: an element such as the last of the length in
// use, whose index is a constant as soon as the length is one.
bool follows_arguments(const Case& c, const Slack& slack, const Origins& origins,
                       std::uint32_t access) {
  if (origins.of_address(access) != 0) return false;
  std::vector<std::uint32_t> open{access};
  read::InstructionSet seen(c.size());
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      const bool value = d.kind == read::Dependence::Kind::kRegister &&
                         (at != access || read::feeds_address(c.at(at), d));
      if (!value || seen[d.producer] != 0) continue;
      const std::uint32_t loop = c.places.loop_of(d.producer);
      if (loop != read::kNoIndex && slack.recurrent(d.producer, loop)) return false;
      seen[d.producer] = 1;
      open.push_back(d.producer);
    }
  }
  return true;
}

}  // namespace

LocalArrays::LocalArrays(const Case& c, const Slack& slack, const read::InstructionSet& accesses)
    : length(length_of(c, accesses)),
      loops(c.kernel.loops.size()),
      open(c.kernel.loops.size()),
      chosen(c.size()),
      more_often_(c.kernel.loops.size(), 1) {
  const Origins origins(c.kernel);
  std::map<std::uint32_t, LoopValues> values;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0) continue;
    const std::uint32_t loop = c.places.loop_of(i);
    const bool counted =
        loop != read::kNoIndex &&
        is_counted(c, values.try_emplace(loop, c, loop).first->second, i);
    if (counted) loops[loop] = 1;
    const bool fixed = frame_place(c.at(i)) || follows_arguments(c, slack, origins, i);
    if (!counted && !fixed && c.executed(i)) chosen[i] = 1;
  }
  for (std::uint32_t loop = 0; loop < loops.size(); ++loop) {
    if (loops[loop] == 0 || has_constant_trips(c, loop)) continue;
    open[loop] = 1;
    unsigned copies = 1;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (accesses[i] != 0 && c.places.loop_of(i) == loop)
        copies = std::max(copies, slack.copies(i, loop));
    }
    if (c.executed(c.kernel.blocks[c.kernel.loops[loop].header].first))
      more_often_[loop] = std::max(1.0, length / (slack.trips(loop) * copies));
  }
}

bool LocalArrays::any_open() const {
  return std::ranges::find(open, 1) != open.end();
}

}  // namespace burin::advise
