#include "emulate/memory/memory.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "emulate/memory/page_table.h"

namespace burin::emulate {

namespace {

// How many of the `size` bytes from `address` on are in its page.
unsigned in_first_page(std::uint64_t address, unsigned size) {
  return static_cast<unsigned>(std::min<std::uint64_t>(size, kPageBytes - within_page(address)));
}

template <typename T>
void fetch_and_update(std::uint8_t* at, const Update& u, Before& before) {
  T* const place = reinterpret_cast<T*>(at);
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  T next;
  do {
    next = static_cast<T>(u.combine(old, u.operand, u.compare));
  } while (
      !__atomic_compare_exchange_n(place, &old, next, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
  before.value = old;
  before.same = next == old;
}

}  // namespace

GlobalMemory::GlobalMemory() : table_(std::make_unique<PageTable>()) {}
GlobalMemory::~GlobalMemory() = default;

std::uint64_t GlobalMemory::add(std::string name, const launch::Buffer& buffer, bool internal) {
  return table_->add(std::move(name), buffer, internal);
}

void GlobalMemory::place(std::span<const launch::PlacedBuffer> buffers) {
  table_->place(buffers);
}

MemoryStatus GlobalMemory::read(std::uint64_t address, unsigned size, Datum& out) const {
  out = {};
  const unsigned first = in_first_page(address, size);
  if (!table_->read(address, first, out, 0) ||
      (first < size && !table_->read(address + first, size - first, out, first))) {
    out = {};
    return MemoryStatus::kOutOfBounds;
  }
  return MemoryStatus::kDone;
}

MemoryStatus GlobalMemory::write(std::uint64_t address, unsigned size, const Datum& in) {
  const unsigned first = in_first_page(address, size);
  if (first < size && !table_->cell(address + first, size - first, true).inside) {
    return MemoryStatus::kOutOfBounds;
  }
  if (!table_->write(address, first, in, 0)) return MemoryStatus::kOutOfBounds;
  if (first < size) table_->write(address + first, size - first, in, first);
  return MemoryStatus::kDone;
}

MemoryStatus GlobalMemory::update(std::uint64_t address, unsigned size, const Update& u,
                                  Before& before) {
  const PageTable::Cell c = table_->cell(address, size, true);
  if (!c.inside) return MemoryStatus::kOutOfBounds;
  Page& page = *c.found.page;
  std::uint8_t* const at = page.bytes() + c.at;
  const auto fetch = [&] {
    size == 4 ? fetch_and_update<std::uint32_t>(at, u, before)
              : fetch_and_update<std::uint64_t>(at, u, before);
  };
  const Doubt* known = page.doubt();
  if (!u.unknown && (known == nullptr || known->unknown.get(c.at, size) == 0)) {
    fetch();
    return MemoryStatus::kDone;
  }
  const bool decides = !u.unknown && u.replaces;
  if (known != nullptr && !decides && known->only_unknown(c.at, size)) {
    before.unknown = true;  // and so it stays
    before.value = size == 4 ? relaxed_load<std::uint32_t>(at) : relaxed_load<std::uint64_t>(at);
    return MemoryStatus::kDone;
  }
  const std::lock_guard lock(table_->lock_of(address));
  Doubt& doubt = page.make_doubt();
  before.unknown = doubt.unknown.get(c.at, size) != 0;
  before.undefined = before.unknown && doubt.undefined.get(c.at, size) != 0;
  const std::uint32_t all = (1u << size) - 1;
  if (decides || (!u.unknown && !before.unknown)) {
    fetch();
    doubt.written(c.at, all, 0);
  } else {
    before.value = size == 4 ? relaxed_load<std::uint32_t>(at) : relaxed_load<std::uint64_t>(at);
    doubt.written(c.at, all, all);
  }
  return MemoryStatus::kDone;
}

MemoryStatus GlobalMemory::update(std::uint64_t address, unsigned size, Datum& before,
                                  const std::function<Datum(const Datum&)>& update) {
  const std::lock_guard lock(table_->lock_of(address));
  if (const MemoryStatus status = read(address, size, before); status != MemoryStatus::kDone) {
    return status;
  }
  return write(address, size, update(before));
}

std::string GlobalMemory::describe(std::uint64_t address) const {
  if (address < kRoomBytes) return "a null pointer";
  std::vector<launch::PlacedBuffer> all;  // by address
  for (const Allocation& a : table_->allocations()) {
    if (a.internal && address - a.address >= a.buffer.size) continue;
    all.insert(all.end(), a.parts.begin(), a.parts.end());
    if (a.parts.empty()) all.push_back({a.name, a.address, a.buffer});
  }
  const auto behind = std::ranges::upper_bound(all, address, {}, &launch::PlacedBuffer::address);
  const auto named = [](const launch::PlacedBuffer& a) {
    return fmt::format("{} ({})", a.name, count_of(a.buffer.size, "byte"));
  };
  if (behind != all.begin()) {
    const launch::PlacedBuffer& a = behind[-1];
    const std::uint64_t from = address - a.address;
    if (from < a.buffer.size) {
      return fmt::format("byte {} of {}", with_commas(from), named(a));
    }
    const std::uint64_t past = from - a.buffer.size;
    if (behind == all.end() || past <= behind->address - address) {
      if (past >> 40 != 0) return "far from any buffer";
      return past == 0 ? fmt::format("just past the end of {}", named(a))
                       : fmt::format("{} past the end of {}", count_of(past, "byte"), named(a));
    }
  }
  if (behind == all.end() || (behind->address - address) >> 40 != 0) return "far from any buffer";
  return fmt::format("{} before {}", count_of(behind->address - address, "byte"), named(*behind));
}

Result<void> GlobalMemory::for_each_chunk(std::uint64_t address, const Visit& visit) const {
  const auto found = std::ranges::find(table_->allocations(), address, &Allocation::address);
  if (found == table_->allocations().end()) return Error{"no buffer at that address"};
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t k = 0; k < found->page_count(); ++k) {
    bytes.assign(found->page_size(k), 0);
    bool known = true;
    if (const Page* page = __atomic_load_n(&found->pages[k], __ATOMIC_ACQUIRE); page == nullptr) {
      known = found->buffer.contents() == launch::Contents::kKnown;
      if (known) found->buffer.fill(k << kPageShift, bytes);
    } else {
      std::memcpy(bytes.data(), page->bytes(), bytes.size());
      const Doubt* doubt = page->doubt();
      for (std::uint32_t at = 0; doubt != nullptr && at < bytes.size(); ++at) {
        if (doubt->unknown.load(at / 64) == 0) {
          at |= 63;  // none of these 64
        } else if (doubt->unknown.get(at, 1) != 0) {
          bytes[at] = 0;
          known = false;
        }
      }
    }
    if (Result<void> done = visit(bytes, known); !done) return done;
  }
  return {};
}

std::uint64_t GlobalMemory::touched_bytes() const {
  return table_->touched_bytes();
}

void GlobalMemory::limit(std::uint64_t bytes, std::function<void()> exceeded) {
  table_->limit(bytes, std::move(exceeded));
}

std::vector<GlobalMemory::Extent> GlobalMemory::extents() const {
  std::vector<Extent> all;
  for (const Allocation& a : table_->allocations()) all.push_back({a.address, a.buffer.size});
  return all;
}

}  // namespace burin::emulate
