#include "read/binary/fatbin.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/format.h"

namespace burin::read {
namespace {

constexpr std::uint64_t kEntryHeaderBytes = 64;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagChipOnly = 0x100000;  // sm_90a
constexpr std::uint64_t kFlagFamily = 0x200000;    // sm_100f
constexpr std::uint64_t kLongestEntryName = 4096;

Entry::Kind kind_of(std::uint16_t code) {
  switch (code) {
    case 1:
      return Entry::Kind::kPtx;
    case 2:
      return Entry::Kind::kCubin;
    case 8:
      return Entry::Kind::kLtoIr;
    default:
      return Entry::Kind::kOther;
  }
}

// The entry at the start of `bytes`, and how many it spans; 0 where it does not fit.
std::uint64_t read_entry(Bytes bytes, Entry& entry) {
  Cursor in(bytes);
  entry.kind = kind_of(in.u16());
  in.skip(2);  // version
  const std::uint32_t header_bytes = in.u32();
  const std::uint64_t padded_bytes = in.u64();
  const std::uint32_t packed_bytes = in.u32();
  in.skip(4 + 2 + 2);  // options, version of the code
  entry.arch.sm = static_cast<std::uint16_t>(in.u32());
  const std::uint32_t name_offset = in.u32();
  const std::uint32_t name_bytes = in.u32();
  const std::uint64_t flags = in.u64();
  in.skip(8);
  entry.raw_size = in.u64();
  if (!in.ok() || header_bytes < kEntryHeaderBytes) return 0;

  const auto padded = slice(bytes, header_bytes, padded_bytes);
  if (!padded) return 0;
  if (flags & kFlagChipOnly) entry.arch.variant = 'a';
  if (flags & kFlagFamily) entry.arch.variant = 'f';
  if (flags & kFlagZstd) entry.packing = Entry::Packing::kZstd;
  if (flags & kFlagLz4) entry.packing = Entry::Packing::kLz4;
  entry.data = *padded;
  if (entry.packing == Entry::Packing::kRaw) {
    entry.raw_size = padded_bytes;
  } else if (packed_bytes <= padded_bytes) {
    entry.data = padded->first(packed_bytes);
  } else {
    return 0;
  }
  if (const auto name = slice(bytes.first(header_bytes), name_offset, name_bytes);
      name && name_offset >= kEntryHeaderBytes) {
    std::string_view text(reinterpret_cast<const char*>(name->data()),
                          std::min(kLongestEntryName, std::uint64_t{name->size()}));
    entry.name = text.substr(0, text.find('\0'));
  }
  return header_bytes + padded_bytes;
}

}  // namespace

bool is_fatbin(Bytes bytes) {
  Cursor in(bytes);
  return in.u32() == kFatbinMagic;
}

FatbinSpan read_fatbin(Bytes bytes, std::vector<Entry>& entries) {
  Cursor in(bytes);
  in.skip(4);
  const std::uint16_t version = in.u16();
  const std::uint16_t header_bytes = in.u16();
  const std::uint64_t claimed = in.u64();
  if (!in.ok() || header_bytes < 16) return {4, "the fatbin header is truncated or corrupt"};
  if (version != 1)
    return {4,
            fmt::format("the fatbin has format version {}; only version 1 is supported", version)};
  if (header_bytes > bytes.size()) return {4, "the fatbin is truncated inside its header"};

  const std::uint64_t present = bytes.size() - header_bytes;
  Bytes rest = bytes.subspan(header_bytes, std::min(claimed, present));
  const auto position = [&] { return static_cast<std::uint64_t>(rest.data() - bytes.data()); };
  while (!rest.empty()) {
    Entry entry;
    const std::uint64_t span = read_entry(rest, entry);
    if (span == 0) {
      if (claimed > present) break;
      return {position(), "the fatbin is corrupt: an entry extends past its end"};
    }
    entries.push_back(std::move(entry));
    rest = rest.subspan(span);
  }
  if (claimed > present)
    return {position(),
            fmt::format("the fatbin is truncated: its header announces {} bytes, {} follow",
                        claimed, present)};
  return {position(), ""};
}

namespace {

// Calls `visit` with the rest of `bytes` at every fatbin magic; it says how far to go on. Going on
// from where a fatbin stopped making sense, not from its start, keeps this linear.
template <typename Visit>
void for_each_fatbin(Bytes bytes, Visit visit) {
  constexpr std::uint64_t kGranule = 8;
  for (std::uint64_t at = 0; at < bytes.size();) {
    const Bytes rest = bytes.subspan(at);
    at += is_fatbin(rest) ? (visit(rest) + kGranule - 1) / kGranule * kGranule : kGranule;
  }
}

}  // namespace

void scan_fatbins(Bytes bytes, Container& container) {
  constexpr std::size_t kMaxProblems = 100;
  for_each_fatbin(bytes, [&](Bytes rest) {
    const FatbinSpan span = read_fatbin(rest, container.entries);
    if (!span.problem.empty() && container.problems.size() < kMaxProblems)
      container.problems.push_back(span.problem);
    return span.bytes;
  });
}

void scan_data_for_fatbins(Bytes bytes, Container& container) {
  for_each_fatbin(bytes, [&](Bytes rest) {
    const std::size_t before = container.entries.size();
    const FatbinSpan span = read_fatbin(rest, container.entries);
    if (!span.problem.empty()) container.entries.resize(before);
    return span.bytes;
  });
}

}  // namespace burin::read
