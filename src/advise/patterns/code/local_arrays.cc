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
#include "analyze/code/regions.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::int64_t kWord = 4;
constexpr std::int64_t kArrayGap = 16;  // bytes between accesses to different arrays, at least

// Elements of one array, in words: arrays side by side are accessed with one index, at offsets that
// are a whole array apart. Otherwise all of the frame is one array.
unsigned length_of(const Case& c, const read::InstructionSet& accesses) {
  // The bytes of each access, by block and address register: offset and width.
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::map<std::int64_t, std::int64_t>> offsets;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const read::Operand* address = accesses[i] != 0 ? read::address_of(c.at(i)) : nullptr;
    if (address == nullptr || frame_place(c.at(i))) continue;
    std::int64_t& bytes = offsets[{c.kernel.block_of[i], address->base}][address->value];
    bytes = std::max<std::int64_t>(bytes, read::access_bytes(c.at(i)));
  }
  const auto frame = static_cast<std::int64_t>(c.kernel.function->stack_bytes);
  std::int64_t pitch = frame;
  for (const auto& [base, all] : offsets) {
    std::int64_t begin = all.begin()->first;
    std::int64_t end = begin;
    for (const auto& [at, bytes] : all) {
      if (at - end >= kArrayGap) {
        if (frame % (at - begin) == 0) pitch = std::min(pitch, at - begin);
        begin = at;
      }
      end = std::max(end, at + bytes);
    }
  }
  return static_cast<unsigned>(std::max<std::int64_t>(1, pitch / kWord));
}

// Whether the access's own loop goes along the array: its address depends on a value that the loop
// carries from one iteration to the next, and on nothing loaded.
bool is_counted(const Case& c, const Slack& slack, const Origins& origins, std::uint32_t access) {
  const std::uint32_t loop = c.places.loop_of(access);
  if (loop == read::kNoIndex || (origins.of_address(access) & Origins::kLoaded) != 0) return false;
  std::vector<std::uint32_t> open{access};
  read::InstructionSet seen(c.size());
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    for (const read::Dependence& d : c.kernel.dependences_of(at)) {
      const bool value = d.kind == read::Dependence::Kind::kRegister &&
                         (at != access || read::feeds_address(c.at(at), d));
      if (!value || seen[d.producer] != 0 || c.places.loop_of(d.producer) != loop) continue;
      if (is_integer(c.at(d.producer)) && slack.recurrent(d.producer, loop)) return true;
      seen[d.producer] = 1;
      open.push_back(d.producer);
    }
  }
  return false;
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
  const std::vector<std::uint32_t> kinds = analyze::copy_kinds(c.kernel);
  std::set<std::uint32_t> counted;  // kinds; their copies before and after the loop belong to it
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0 || !is_counted(c, slack, origins, i)) continue;
    loops[c.places.loop_of(i)] = 1;
    counted.insert(kinds[i]);
  }
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    if (accesses[i] == 0 || !c.executed(i) || counted.contains(kinds[i])) continue;
    const bool fixed = frame_place(c.at(i)) || follows_arguments(c, slack, origins, i);
    chosen[i] = fixed ? 0 : 1;
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
