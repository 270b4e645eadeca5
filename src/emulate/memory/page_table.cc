#include "emulate/memory/page_table.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace burin::emulate {

namespace {

// Clear of null, of small offsets from null and of the windows of generic addresses (grid.h).
constexpr std::uint64_t kFirstAddress = std::uint64_t{3} << 40;

std::atomic<std::uint64_t> last_table_id{0};

// Calls copy(unit, offset) over `size` bytes at `at`, in the largest naturally aligned units, so
// that an aligned value of up to 8 bytes goes in one piece.
template <typename Copy>
void in_units(std::uint32_t at, unsigned size, Copy copy) {
  for (unsigned k = 0; k < size;) {
    const std::uint32_t here = at + k;
    const unsigned left = size - k;
    if (left >= 8 && here % 8 == 0) {
      copy(std::uint64_t{}, k);
      k += 8;
    } else if (left >= 4 && here % 4 == 0) {
      copy(std::uint32_t{}, k);
      k += 4;
    } else if (left >= 2 && here % 2 == 0) {
      copy(std::uint16_t{}, k);
      k += 2;
    } else {
      copy(std::uint8_t{}, k);
      ++k;
    }
  }
}

void copy_out(const Page& page, std::uint32_t at, unsigned size, std::uint8_t* to) {
  in_units(at, size, [&](auto unit, unsigned k) {
    unit = relaxed_load<decltype(unit)>(page.bytes() + at + k);
    std::memcpy(to + k, &unit, sizeof(unit));
  });
}

void copy_in(const Page& page, std::uint32_t at, unsigned size, const std::uint8_t* from) {
  in_units(at, size, [&](auto unit, unsigned k) {
    std::memcpy(&unit, from + k, sizeof(unit));
    relaxed_store(page.bytes() + at + k, unit);
  });
}

// What the page at `address` has of a placed buffer.
void fill_part(const launch::PlacedBuffer& part, Page& page, std::uint64_t address) {
  const std::uint64_t from = std::max(part.address, address);
  const std::uint64_t end = std::min(part.address + part.buffer.size, address + page.size());
  if (from >= end) return;
  const auto at = static_cast<std::uint32_t>(from - address);
  const auto size = static_cast<std::uint32_t>(end - from);
  const launch::Contents contents = part.buffer.contents();
  if (contents == launch::Contents::kKnown)
    part.buffer.fill(from - part.address, {page.bytes() + at, size});
  if (contents == launch::Contents::kUndefined) return;  // as the whole page is so far
  const std::uint32_t unknown = contents == launch::Contents::kKnown ? 0 : 0xffff;
  for (std::uint32_t k = 0; k < size; k += 16) {
    page.doubt()->written(at + k, (1u << std::min(16u, size - k)) - 1, unknown);
  }
}

}  // namespace

thread_local std::array<PageTable::Cached, 512> PageTable::cached_;

PageTable::PageTable() : id_(++last_table_id), next_(kFirstAddress) {}

PageTable::~PageTable() {
  for (Page* page = made_.load(); page != nullptr;) {
    delete std::exchange(page, page->made_before_);
  }
}

void PageTable::insert(Allocation a) {
  a.pages.reset(
      static_cast<Page**>(std::calloc(std::max<std::size_t>(a.page_count(), 1), sizeof(Page*))));
  if (!a.pages) throw std::bad_alloc();
  const auto behind = std::ranges::upper_bound(allocations_, a.address, {}, &Allocation::address);
  allocations_.insert(behind, std::move(a));
}

std::uint64_t PageTable::add(std::string name, const launch::Buffer& buffer, bool internal) {
  Allocation a{.name = std::move(name),
               .buffer = buffer,
               .address = next_,
               .internal = internal,
               .pages = {},
               .parts = {}};
  const std::uint64_t room = a.room();
  for (const Allocation& other : allocations_) {  // by address; only placed ones can be in the way
    if (other.address >= a.address + room) break;
    a.address = std::max(a.address, other.address + other.room());
  }
  const std::uint64_t address = a.address;
  next_ = address + room;
  insert(std::move(a));
  return address;
}

// A page belongs to one allocation, so those that come close to each other are put together.
void PageTable::place(std::span<const launch::PlacedBuffer> buffers) {
  std::vector<launch::PlacedBuffer> sorted(buffers.begin(), buffers.end());
  std::erase_if(sorted, [](const launch::PlacedBuffer& b) { return b.buffer.size == 0; });
  std::ranges::stable_sort(sorted, {}, &launch::PlacedBuffer::address);
  for (std::size_t first = 0; first < sorted.size();) {
    Allocation a{.name = sorted[first].name,
                 .buffer = {},
                 .address = sorted[first].address >> kRoomShift << kRoomShift,
                 .pages = {},
                 .parts = {}};
    std::uint64_t end = sorted[first].address;
    while (first < sorted.size() &&
           (a.parts.empty() || sorted[first].address >> kRoomShift <= (end - 1) >> kRoomShift)) {
      end = std::max(end, sorted[first].address + sorted[first].buffer.size);
      a.parts.push_back(std::move(sorted[first++]));
    }
    a.buffer.size = end - a.address;
    insert(std::move(a));
  }
}

const Allocation* PageTable::allocation_of(std::uint64_t address) const {
  const auto has = [&](const Allocation& a) { return address - a.address < a.buffer.size; };
  // Lanes of a warp mostly go to the same buffer.
  thread_local std::size_t last = 0;
  if (last < allocations_.size() && has(allocations_[last])) return &allocations_[last];
  const auto behind = std::ranges::upper_bound(allocations_, address, {}, &Allocation::address);
  if (behind == allocations_.begin() || !has(behind[-1])) return nullptr;
  last = static_cast<std::size_t>(behind - allocations_.begin()) - 1;
  return &allocations_[last];
}

void PageTable::limit(std::uint64_t bytes, std::function<void()> exceeded) {
  limit_ = bytes;
  exceeded_ = std::move(exceeded);
}

void PageTable::hold(std::uint64_t bytes) {
  const std::uint64_t before = held_.fetch_add(bytes);
  if (before <= limit_ && before + bytes > limit_ && exceeded_) exceeded_();
}

PageTable::Found PageTable::find_slowly(std::uint64_t number, bool to_write) {
  const std::uint64_t address = number << kPageShift;
  const Allocation* allocation = allocation_of(address);
  if (allocation == nullptr) return {};
  const Allocation& a = *allocation;
  const std::uint64_t index = (address - a.address) >> kPageShift;
  Page* page = __atomic_load_n(&a.pages[index], __ATOMIC_ACQUIRE);
  if (page == nullptr) {
    if (!to_write && a.parts.empty() && a.buffer.contents() != launch::Contents::kKnown) {
      return {.allocation = &a};
    }
    page = make(a, index);
  }
  cached_[number % cached_.size()] = {.table = id_, .number = number, .page = page};
  return {.page = page};
}

Page* PageTable::make(const Allocation& a, std::uint64_t index) {
  const std::uint32_t size = a.page_size(index);
  const std::uint64_t address = a.address + (index << kPageShift);
  // The buffer that the page belongs to. A page with parts of several buffers starts as an
  // unwritten buffer, into which the parts are filled one by one.
  const auto holds_all = [&](const launch::PlacedBuffer& part) {
    return part.address <= address && address + size <= part.address + part.buffer.size;
  };
  const auto part = std::ranges::find_if(a.parts, holds_all);
  const bool is_mixed = !a.parts.empty() && part == a.parts.end();
  const launch::Buffer& buffer = part == a.parts.end() ? a.buffer : part->buffer;
  const launch::Contents contents = is_mixed ? launch::Contents::kUndefined : buffer.contents();
  std::unique_ptr<Page> made(new (size) Page(size, contents != launch::Contents::kKnown,
                                             contents == launch::Contents::kUndefined));
  if (contents == launch::Contents::kKnown) {
    const std::uint64_t begin = part == a.parts.end() ? a.address : part->address;
    buffer.fill(address - begin, {made->bytes(), size});
  }
  if (is_mixed) {
    for (const launch::PlacedBuffer& each : a.parts) fill_part(each, *made, address);
  }
  Page* there = nullptr;
  if (!__atomic_compare_exchange_n(&a.pages[index], &there, made.get(), false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    return there;  // another thread was first
  }
  touched_ += size;
  Page* const page = made.release();
  hold(page->host_bytes());
  page->made_before_ = made_.load();
  while (!made_.compare_exchange_weak(page->made_before_, page)) {
  }
  return page;
}

void PageTable::expect(std::uint64_t address) const {
  const std::uint64_t number = address >> kPageShift;
  const Cached& cached = cached_[number % cached_.size()];
  const Page* page = cached.page;
  if (cached.number != number || cached.table != id_) {
    const Allocation* a = allocation_of(address);
    if (a == nullptr) return;
    page = __atomic_load_n(&a->pages[(address - a->address) >> kPageShift], __ATOMIC_ACQUIRE);
    if (page == nullptr) return;
  }
  __builtin_prefetch(page);  // its size, and whether its bytes are known
  __builtin_prefetch(page->bytes() + within_page(address));
}

bool PageTable::peek(std::uint64_t address, unsigned size, std::uint8_t* out) {
  // A permutation is expensive to compute: a whole page costs as much as this many single words.
  constexpr std::uint8_t kOften = 48, kOftenPermuted = 250;
  const std::uint64_t number = address >> kPageShift;
  const Cached& cached = cached_[number % cached_.size()];
  if (cached.number == number && cached.table == id_) return false;
  std::atomic<std::uint8_t>& peeks = peeks_[number % peeks_.size()];
  const std::uint8_t before = peeks.load(std::memory_order_relaxed);
  if (before >= kOftenPermuted) return false;
  const Allocation* allocation = allocation_of(address);
  if (allocation == nullptr) return false;
  const Allocation& a = *allocation;
  const std::uint64_t offset = address - a.address;
  if (!a.parts.empty() || offset + size > a.buffer.size ||
      a.buffer.contents() != launch::Contents::kKnown) {
    return false;
  }
  if (before >= kOften && a.buffer.kind != launch::Fill::kPerm) return false;
  if (__atomic_load_n(&a.pages[offset >> kPageShift], __ATOMIC_ACQUIRE) != nullptr) return false;
  peeks.store(static_cast<std::uint8_t>(before + 1), std::memory_order_relaxed);
  a.buffer.fill(offset, {out, size});
  return true;
}

bool PageTable::read(std::uint64_t address, unsigned size, Datum& out, unsigned from) {
  const Cell c = cell(address, size, false);
  if (!c.inside) return false;
  const std::uint32_t all = (1u << size) - 1;
  std::uint32_t unknown = 0;
  std::uint32_t undefined = 0;
  if (c.found.page == nullptr) {
    unknown = all;
    if (c.found.allocation->buffer.contents() == launch::Contents::kUndefined) undefined = all;
  } else {
    if (const Doubt* doubt = c.found.page->doubt(); doubt != nullptr) {
      unknown = doubt->unknown.get(c.at, size);
      if (unknown != 0) undefined = unknown & doubt->undefined.get(c.at, size);
    }
    copy_out(*c.found.page, c.at, size, out.bytes.data() + from);
  }
  out.unknown = static_cast<std::uint16_t>(out.unknown | unknown << from);
  out.undefined = static_cast<std::uint16_t>(out.undefined | undefined << from);
  return true;
}

bool PageTable::write(std::uint64_t address, unsigned size, const Datum& in, unsigned from) {
  const Cell c = cell(address, size, true);
  if (!c.inside) return false;
  const std::uint32_t all = (1u << size) - 1;
  const std::uint32_t unknown = std::uint32_t{in.unknown} >> from & all;
  if (unknown == 0) {
    copy_in(*c.found.page, c.at, size, in.bytes.data() + from);
  } else {
    for (unsigned k = 0; k < size; ++k)
      if (!(unknown >> k & 1)) copy_in(*c.found.page, c.at + k, 1, in.bytes.data() + from + k);
  }
  Doubt* doubt = unknown != 0 ? &c.found.page->make_doubt() : c.found.page->doubt();
  if (doubt != nullptr) doubt->written(c.at, all, unknown);
  return true;
}

}  // namespace burin::emulate
