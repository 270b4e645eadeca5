#include "advise/patterns/mapping/flat_index.h"

#include <algorithm>

#include "advise/case/requests.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr std::uint32_t kWarp = 32;

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

}  // namespace

std::optional<std::uint64_t> flat_width(const Case& c, std::uint32_t access, std::uint64_t pitch) {
  if (c.study == nullptr || !is_one_row(c) || pitch < 2) return std::nullopt;
  const timing::BlockTrace& trace = c.study->traced().reference;
  const std::uint64_t threads = c.grid.total() * c.block.total();
  const unsigned bytes = read::access_bytes(c.at(access));
  std::optional<std::uint64_t> width;
  std::uint64_t last = 0;  // in the first row, as far as is known
  for (std::uint64_t w = 0; w < trace.warps.size(); ++w) {
    // In a loop over the grid, the thread's number advances by all threads in each iteration.
    std::uint64_t number = trace.linear * c.block.total() + w * kWarp;
    for (const timing::TraceStep& step : trace.warps[w]) {
      if (step.instruction != access || step.request == timing::kNoRequest) continue;
      const timing::Request& request = trace.requests[step.request];
      const std::optional<std::uint64_t> begin = array_at(c, request.first_address);
      if (!begin || request.lanes < kWarp) return std::nullopt;
      const std::uint64_t index = (request.first_address - *begin) / bytes;
      const std::uint64_t along = index / pitch;
      const std::uint64_t row = index % pitch;
      if (row == 0 && along != number) return std::nullopt;
      if (row == 0) last = std::max(last, along);
      if (row > 0) {
        if (number < along || (number - along) % row != 0) return std::nullopt;
        const std::uint64_t own = (number - along) / row;
        if (along >= own || width.value_or(own) != own) return std::nullopt;
        width = own;
      }
      number += threads;
    }
  }
  return width && last < *width ? width : std::nullopt;
}

}  // namespace burin::advise
