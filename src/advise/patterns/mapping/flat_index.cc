#include "advise/patterns/mapping/flat_index.h"

#include <algorithm>
#include <vector>

#include "advise/case/origin.h"
#include "advise/case/requests.h"
#include "emulate/values/lanes.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

bool is_one_row(const Case& c) {
  return c.grid.y * c.grid.z == 1 && c.block.y * c.block.z == 1;
}

// The array that contains the address: the last one that begins at or before it.
std::optional<std::uint64_t> array_at(const Case& c, std::uint64_t address) {
  std::optional<std::uint64_t> found;
  for (const std::uint64_t begin : c.study->traced().buffers) {
    if (begin != 0 && begin <= address && begin >= found.value_or(0)) found = begin;
  }
  return found;
}

struct Element {
  std::uint64_t number = 0;  // of the thread; in a loop over the grid, of its element
  std::uint64_t index = 0;   // in the array
};

// The elements of the first lanes, by number; empty if not all are known. Copies of an access in an
// unrolled loop take turns.
std::vector<Element> elements_of(const Case& c, std::uint32_t access) {
  const timing::BlockTrace& trace = c.study->traced().reference;
  const std::uint64_t threads = c.grid.total() * c.block.total();
  const Origins origins(c.kernel);
  const auto array = origins.address_parameters(access);
  const auto is_copy = [&](std::uint32_t i) {
    return i == access ||
           (touches_global(c.at(i)) && c.at(i).opcode->stores == c.at(access).opcode->stores &&
            origins.address_parameters(i) == array);
  };
  std::vector<Element> elements;
  for (std::uint64_t w = 0; w < trace.warps.size(); ++w) {
    std::uint64_t number = trace.linear * c.block.total() + w * emulate::kWarpLanes;
    for (const timing::TraceStep& step : trace.warps[w]) {
      if (step.request == timing::kNoRequest || !is_copy(step.instruction)) continue;
      const timing::Request& request = trace.requests[step.request];
      const std::optional<std::uint64_t> begin = array_at(c, request.first_address);
      if (!begin || request.lanes < emulate::kWarpLanes) return {};
      elements.push_back(
          {number, (request.first_address - *begin) / read::access_bytes(c.at(access))});
      number += threads;
    }
  }
  std::ranges::sort(elements, {}, &Element::number);
  return elements;
}

// Elements from lane to lane, if the lanes of successive warps go on at the same distance.
std::uint64_t pitch_of(const std::vector<Element>& elements) {
  for (std::size_t k = 1; k < elements.size(); ++k) {
    const Element& a = elements[k - 1];
    const Element& b = elements[k];
    const bool next = b.number > a.number && b.index > a.index;
    if (next && (b.index - a.index) % (b.number - a.number) == 0)
      return (b.index - a.index) / (b.number - a.number);
  }
  return 0;
}

}  // namespace

std::optional<FlatIndex> flat_index(const Case& c, std::uint32_t access) {
  if (c.study == nullptr || !is_one_row(c)) return std::nullopt;
  const std::vector<Element> elements = elements_of(c, access);
  FlatIndex flat{.pitch = pitch_of(elements)};
  if (flat.pitch < 2) return std::nullopt;
  std::uint64_t last = 0;  // in the first row, as far as is known
  for (const auto& [number, index] : elements) {
    const std::uint64_t along = index / flat.pitch;
    const std::uint64_t row = index % flat.pitch;
    if (row == 0) {
      if (along != number) return std::nullopt;
      last = std::max(last, along);
      continue;
    }
    if (number < along || (number - along) % row != 0) return std::nullopt;
    const std::uint64_t width = (number - along) / row;
    if (along >= width || (flat.width != 0 && flat.width != width)) return std::nullopt;
    flat.width = width;
  }
  // A loop along a row of the thread's own advances in the same way.
  const std::uint64_t threads = c.grid.total() * c.block.total();
  const bool own_row = flat.width % threads == 0 && elements.back().number >= threads;
  return flat.width > last && !own_row ? std::optional(flat) : std::nullopt;
}

}  // namespace burin::advise
