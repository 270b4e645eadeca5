#include "analyze/study/private_atomics.h"

#include <algorithm>

#include "emulate/traffic.h"

namespace burin::analyze {

namespace {

constexpr unsigned kWarpLanes = 32;
constexpr unsigned kSectorsPerLine = timing::kLineBytes / emulate::kSectorBytes;
// Wavefronts that combine 32 lanes: five shuffles, and one store of the result.
constexpr std::uint8_t kCombining = 6;

bool is_global_atomic(const timing::Request& request) {
  return request.kind == timing::Request::Kind::kGlobal && request.atomic && request.lines > 0;
}

bool has_one_address(const timing::Request& request) {
  return request.collisions >= request.lanes;
}

}  // namespace

void PrivateAtomics::combine(timing::Request& request) {
  if (!is_global_atomic(request) || !has_one_address(request)) return;
  request.lanes = 1;
  request.collisions = 1;
  request.passes.alone = 1;
  request.passes.full = request.passes.other = 0;
}

// Consecutive words, one per lane.
void PrivateAtomics::add_finally(timing::Request& request) {
  if (has_one_address(request)) return combine(request);
  const std::uint64_t line = trace_.lines[request.first_line].line();
  const unsigned lines = std::max(1u, kWarpLanes * request.bytes / timing::kLineBytes);
  request.first_line = static_cast<std::uint32_t>(trace_.lines.size());
  request.lines = lines;
  for (unsigned k = 0; k < lines; ++k) {
    trace_.lines.emplace_back((line + k) * timing::kLineBytes, (1u << kSectorsPerLine) - 1);
  }
  request.lanes = kWarpLanes;
  request.collisions = 1;
  request.wavefronts = static_cast<std::uint8_t>(lines);
  request.partial = false;
  request.passes.alone = request.passes.other = 0;
  request.passes.full = static_cast<std::uint8_t>(lines * kSectorsPerLine);
}

void PrivateAtomics::make_private(timing::Request& request, double final_additions) {
  if (!is_global_atomic(request)) return;
  due_ += final_additions;
  if (due_ >= 1) {
    due_ -= 1;
    return add_finally(request);
  }
  if (has_one_address(request)) {
    request.atomic = false;
    request.wavefronts = request.lanes > 1 ? kCombining : std::uint8_t{1};
  }
  request.kind = timing::Request::Kind::kShared;
  request.lines = 0;
}

}  // namespace burin::analyze
