#include "timing/trace/observed_shifts.h"

#include <algorithm>
#include <array>

namespace burin::timing {

namespace {

struct Axis {
  std::int32_t BlockStep::* step;
  std::int64_t Strides::* stride;
};
constexpr std::array kAxes = {
    Axis{&BlockStep::x, &Strides::x}, Axis{&BlockStep::row_x, &Strides::row_x},
    Axis{&BlockStep::y, &Strides::y}, Axis{&BlockStep::row_y, &Strides::row_y},
    Axis{&BlockStep::z, &Strides::z},
};

// The stride along one axis that most of its moves agree on, given the strides of earlier axes.
// Moves along later axes do not count.
std::int64_t stride_along(const Seen& seen, std::size_t axis, const Strides& known) {
  std::int64_t best = 0;
  std::uint32_t votes = 0;
  const auto later = [&](const BlockStep& step) {
    return std::any_of(kAxes.begin() + static_cast<std::ptrdiff_t>(axis) + 1, kAxes.end(),
                       [&](const Axis& a) { return step.*a.step != 0; });
  };
  for (const Observation& m : seen.moves) {
    const std::int32_t along = m.step.*kAxes[axis].step;
    if (along == 0 || later(m.step)) continue;
    const std::int64_t rest = m.shift - known.shift(m.step);
    if (rest % along != 0 || m.count <= votes) continue;
    best = rest / along;
    votes = m.count;
  }
  return best;
}

}  // namespace

Explained explain(const Seen& seen) {
  constexpr double kMaxExceptions = 0.3;
  Explained out;
  Strides& strides = out.strides;
  if (seen.irregular) {
    strides.kind = Strides::Kind::kIrregular;
    return out;
  }
  if (seen.moves.empty()) return out;
  strides.kind = Strides::Kind::kAffine;
  for (std::size_t axis = 0; axis < kAxes.size(); ++axis) {
    strides.*kAxes[axis].stride = stride_along(seen, axis, strides);
  }
  double all = 0;
  for (const Observation& m : seen.moves) {
    all += m.count;
    if (strides.shift(m.step) != m.shift) out.exceptions += m.count;
  }
  if (out.exceptions > kMaxExceptions * all) strides.kind = Strides::Kind::kIrregular;
  if (strides.kind == Strides::Kind::kAffine && strides.axes() == 0) {
    strides.kind = Strides::Kind::kSame;
  }
  return out;
}

}  // namespace burin::timing
