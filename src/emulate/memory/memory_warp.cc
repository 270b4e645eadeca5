// Whole-warp loads and stores of global memory: fast where all lanes fall into one page.
#include <bit>

#include "emulate/memory/memory.h"
#include "emulate/memory/page_table.h"

namespace burin::emulate {

namespace {

// Whether all lanes' addresses lie in the page with this number.
BURIN_LANES bool all_in_page(const std::uint64_t* address, Mask lanes, std::uint64_t number) {
  std::uint64_t stray = 0;
  if (lanes == kAllLanes) {
    for (unsigned i = 0; i < kWarpLanes; ++i) stray |= (address[i] >> kPageShift) ^ number;
  } else {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const std::uint64_t in = 0 - std::uint64_t{lanes >> i & 1};
      stray |= ((address[i] >> kPageShift) ^ number) & in;
    }
  }
  return stray == 0;
}

// Takes visit(lane, byte in the page) to every lane.
template <typename Visit>
BURIN_INLINE inline void for_page_lanes(const std::uint64_t* address, Mask lanes, Visit visit) {
  for_lanes(lanes, [&](unsigned i) BURIN_INLINE { visit(i, within_page(address[i])); });
}

// Whether all lanes are within the page; its end may come early in an allocation's last one.
bool all_inside(const Page& page, const std::uint64_t* address, Mask lanes, unsigned bytes) {
  if (page.size() == kPageBytes) return true;
  std::uint32_t last = 0;
  for_page_lanes(address, lanes, [&](unsigned, std::uint32_t at) { last = at > last ? at : last; });
  return last + bytes <= page.size();
}

BURIN_INLINE inline void load_one(const std::uint8_t* at, WarpLoad& l, unsigned i) {
  switch (l.bytes) {
    case 1:
      l.words[0].lane[i] = relaxed_load<std::uint8_t>(at);
      return;
    case 2:
      l.words[0].lane[i] = relaxed_load<std::uint16_t>(at);
      return;
    case 4:
      l.words[0].lane[i] = relaxed_load<std::uint32_t>(at);
      return;
    default:
      for (unsigned k = 0; k < l.bytes / 8; ++k) {
        const auto v = relaxed_load<std::uint64_t>(at + 8 * k);
        l.words[2 * k].lane[i] = static_cast<std::uint32_t>(v);
        l.words[2 * k + 1].lane[i] = static_cast<std::uint32_t>(v >> 32);
      }
  }
}

BURIN_INLINE inline void store_one(std::uint8_t* at, const WarpStore& s, unsigned i) {
  switch (s.bytes) {
    case 1:
      return relaxed_store(at, static_cast<std::uint8_t>(s.words[0]->lane[i]));
    case 2:
      return relaxed_store(at, static_cast<std::uint16_t>(s.words[0]->lane[i]));
    case 4:
      return relaxed_store(at, s.words[0]->lane[i]);
    default:
      for (unsigned k = 0; k < s.bytes / 8; ++k) {
        relaxed_store(at + 8 * k,
                      s.words[2 * k]->lane[i] | std::uint64_t{s.words[2 * k + 1]->lane[i]} << 32);
      }
  }
}

// The common size alone, in which the processor does a lane per cycle.
void load_words(const std::uint8_t* bytes, WarpLoad& l) {
  Lanes& out = l.words[0];
  for_page_lanes(l.address, l.lanes, [&](unsigned i, std::uint32_t at) {
    out.lane[i] = relaxed_load<std::uint32_t>(bytes + at);
  });
}

void store_words(std::uint8_t* bytes, const WarpStore& s) {
  const Lanes& in = *s.words[0];
  for_page_lanes(s.address, s.lanes,
                 [&](unsigned i, std::uint32_t at) { relaxed_store(bytes + at, in.lane[i]); });
}

// Says that the lanes' bytes are known. Neighbouring lanes' bytes are gathered into one step.
void mark_known(Doubt& doubt, const WarpStore& s) {
  std::size_t word = 0;
  std::uint64_t bits = 0;
  const auto flush = [&] {
    doubt.unknown.change(word, bits, false);
    doubt.undefined.change(word, bits, false);
    bits = 0;
  };
  for_page_lanes(s.address, s.lanes, [&](unsigned, std::uint32_t at) {
    if (at / 64 != word) {
      flush();
      word = at / 64;
    }
    bits |= ((std::uint64_t{1} << s.bytes) - 1) << (at % 64);
  });
  flush();
}

}  // namespace

void GlobalMemory::expect(const std::uint64_t* address, Mask lanes) const {
  if (lanes == 0) return;
  if (all_in_page(address, lanes, address[std::countr_zero(lanes)] >> kPageShift)) return;
  for_each_lane(lanes, [&](unsigned i) { table_->expect(address[i]); });
}

void GlobalMemory::load(WarpLoad& l) const {
  if (l.lanes == 0) return;
  const std::uint64_t number = l.address[std::countr_zero(l.lanes)] >> kPageShift;
  if (all_in_page(l.address, l.lanes, number)) {
    const PageTable::Found found = table_->find(number, false);
    const Page* page = found.page;
    if (page == nullptr && found.allocation == nullptr) {
      l.outside |= l.lanes;
      return for_each_lane(l.lanes, [&](unsigned i) { l.put(i, {}); });
    }
    if (page != nullptr && page->doubt() == nullptr &&
        all_inside(*page, l.address, l.lanes, l.bytes)) {
      const std::uint8_t* bytes = page->bytes();
      if (l.bytes == 4) return load_words(bytes, l);
      return for_page_lanes(l.address, l.lanes,
                            [&](unsigned i, std::uint32_t at) { load_one(bytes + at, l, i); });
    }
  }
  expect(l.address, l.lanes);
  for_each_lane(l.lanes, [&](unsigned i) {
    const std::uint64_t address = l.address[i];
    const std::uint32_t at = within_page(address);
    alignas(16) std::uint8_t peeked[16];
    if (table_->peek(address, l.bytes, peeked)) return load_one(peeked, l, i);
    const Page* page = table_->find(address >> kPageShift, false).page;
    if (page != nullptr && page->doubt() == nullptr && at + l.bytes <= page->size()) {
      return load_one(page->bytes() + at, l, i);
    }
    Datum d;
    if (!table_->read(address, l.bytes, d, 0)) l.outside |= Mask{1} << i;
    l.put(i, d);
  });
}

void GlobalMemory::store(WarpStore& s) {
  if (s.lanes == 0) return;
  const std::uint64_t number = s.address[std::countr_zero(s.lanes)] >> kPageShift;
  const bool known = s.all_known();
  if (known && all_in_page(s.address, s.lanes, number)) {
    Page* page = table_->find(number, true).page;
    if (page != nullptr && all_inside(*page, s.address, s.lanes, s.bytes)) {
      std::uint8_t* bytes = page->bytes();
      if (s.bytes == 4) {
        store_words(bytes, s);
      } else {
        for_page_lanes(s.address, s.lanes,
                       [&](unsigned i, std::uint32_t at) { store_one(bytes + at, s, i); });
      }
      if (Doubt* doubt = page->doubt(); doubt != nullptr) mark_known(*doubt, s);
      return;
    }
  }
  for_each_lane(s.lanes, [&](unsigned i) {
    const std::uint64_t address = s.address[i];
    const std::uint32_t at = within_page(address);
    Page* page = known ? table_->find(address >> kPageShift, true).page : nullptr;
    if (page != nullptr && page->doubt() == nullptr && at + s.bytes <= page->size()) {
      return store_one(page->bytes() + at, s, i);
    }
    if (!table_->write(address, s.bytes, s.get(i), 0)) s.outside |= Mask{1} << i;
  });
}

}  // namespace burin::emulate
