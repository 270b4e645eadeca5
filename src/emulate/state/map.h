// Helpers for the common instruction form: one result from one, two or three sources, per lane.
#pragma once

#include "emulate/state/op.h"
#include "emulate/state/warp.h"
#include "emulate/values/lanes.h"

namespace burin::emulate {

template <typename F>
BURIN_INLINE inline void map1(Warp& warp, const Op& op, F f) {
  Lanes sa;
  Lanes out;
  const Lanes& a = warp.get(op.source[0], sa);
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = f(a.lane[i]);
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]));
}

template <typename F>
BURIN_INLINE inline void map2(Warp& warp, const Op& op, F f) {
  Lanes sa;
  Lanes sb;
  Lanes out;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = f(a.lane[i], b.lane[i]);
  warp.set(op.destination[0], out, warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]));
}

template <typename F>
BURIN_INLINE inline void map3(Warp& warp, const Op& op, F f) {
  Lanes sa;
  Lanes sb;
  Lanes sc;
  Lanes out;
  const Lanes& a = warp.get(op.source[0], sa);
  const Lanes& b = warp.get(op.source[1], sb);
  const Lanes& c = warp.get(op.source[2], sc);
  for (unsigned i = 0; i < kWarpLanes; ++i) out.lane[i] = f(a.lane[i], b.lane[i], c.lane[i]);
  warp.set(op.destination[0], out,
           warp.unknown_of(op.source[0]) | warp.unknown_of(op.source[1]) |
               warp.unknown_of(op.source[2]));
}

// Evaluates the comparison f(lane) for each lane and returns the mask of lanes where it is true.
template <typename F>
BURIN_INLINE inline Mask mask_of(F f) {
  Mask out = 0;
  for (unsigned i = 0; i < kWarpLanes; ++i) out |= Mask{f(i)} << i;
  return out;
}

}  // namespace burin::emulate
