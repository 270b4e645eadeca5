#include "emulate/access/local.h"

#include "emulate/state/block.h"
#include "emulate/state/grid.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

namespace {

// Makes room, and takes the lanes that are outside out of the mask.
Mask inside(Warp& warp, const std::uint64_t* address, Mask lanes, unsigned bytes, Mask& outside) {
  const std::uint32_t size = warp.block->grid->local_bytes;
  if (warp.local.empty()) {
    warp.local.resize((std::size_t{size} + 3) / 4);
    warp.local_known.resize(warp.local.size());
  }
  for_each_lane(lanes, [&](unsigned i) {
    outside |= Mask{address[i] > size || bytes > size - address[i]} << i;
  });
  return lanes & ~outside;
}

// Whether all lanes use the same address, as they do for the stack.
BURIN_LANES bool all_same(const std::uint64_t* address) {
  std::uint64_t stray = 0;
  for (unsigned i = 1; i < kWarpLanes; ++i) stray |= address[i] ^ address[0];
  return stray == 0;
}

}  // namespace

void load_local(Warp& warp, WarpLoad& l) {
  const Mask lanes = inside(warp, l.address, l.lanes, l.bytes, l.outside);
  const unsigned size = l.bytes < 4 ? l.bytes : 4;
  Mask written = 0;
  for (unsigned k = 0; k < words_of(l.bytes); ++k) {
    if (lanes == kAllLanes && size == 4 && all_same(l.address)) {
      const std::size_t word = l.address[0] / 4 + k;
      const Warp::LocalBytes& b = warp.local_known[word];
      l.words[k] = warp.local[word];
      l.unknown[k] = ~(b.known[0] & b.known[1] & b.known[2] & b.known[3]);
      written |= b.written[0] | b.written[1] | b.written[2] | b.written[3];
      continue;
    }
    for_each_lane(lanes, [&](unsigned i) {
      const std::uint64_t at = l.address[i] + 4 * k;
      const Warp::LocalBytes& b = warp.local_known[at / 4];
      const std::uint32_t value = warp.local[at / 4].lane[i] >> (8 * (at % 4));
      l.words[k].lane[i] = size == 4 ? value : value & ((1u << 8 * size) - 1);
      Mask known = kAllLanes;
      for (unsigned n = 0; n < size; ++n) {
        known &= b.known[at % 4 + n];
        written |= b.written[at % 4 + n] & Mask{1} << i;
      }
      l.unknown[k] |= ~known & Mask{1} << i;
    });
  }
  l.undefined |= lanes & ~written;
}

bool read_local(const Warp& warp, unsigned lane, std::uint64_t address, Datum& out) {
  out = {};
  if (address >= warp.block->grid->local_bytes) return false;
  const bool known =
      !warp.local.empty() && (warp.local_known[address / 4].known[address % 4] >> lane & 1) != 0;
  if (known) {
    const std::uint32_t word = warp.local[address / 4].lane[lane];
    out.bytes[0] = static_cast<std::uint8_t>(word >> 8 * (address % 4));
  } else {
    out.unknown = 1;
  }
  return true;
}

void store_local(Warp& warp, WarpStore& s) {
  const Mask lanes = inside(warp, s.address, s.lanes, s.bytes, s.outside);
  const unsigned size = s.bytes < 4 ? s.bytes : 4;
  for (unsigned k = 0; k < words_of(s.bytes); ++k) {
    if (size == 4 && lanes == kAllLanes && all_same(s.address)) {
      const std::size_t word = s.address[0] / 4 + k;
      warp.local[word] = *s.words[k];
      warp.local_known[word].written.fill(kAllLanes);
      warp.local_known[word].known.fill(~s.unknown[k]);
      continue;
    }
    for_each_lane(lanes, [&](unsigned i) {
      const std::uint64_t at = s.address[i] + 4 * k;
      Warp::LocalBytes& b = warp.local_known[at / 4];
      std::uint32_t& value = warp.local[at / 4].lane[i];
      const unsigned shift = 8 * (at % 4);
      const std::uint32_t mask = (size == 4 ? ~0u : (1u << 8 * size) - 1) << shift;
      value = (value & ~mask) | (s.words[k]->lane[i] << shift & mask);
      const Mask bit = Mask{1} << i;
      for (unsigned n = 0; n < size; ++n) {
        b.written[at % 4 + n] |= bit;
        b.known[at % 4 + n] = (b.known[at % 4 + n] & ~bit) | (~s.unknown[k] & bit);
      }
    });
  }
}

}  // namespace burin::emulate
