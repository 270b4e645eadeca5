#include "capture/spool/spool.h"

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <type_traits>

#include "base/crc32.h"

namespace burin::capture {
namespace {

constexpr std::string_view kSpoolMagic = "BURINSPL";
constexpr std::size_t kFrameBytes = 12;    // size, kind, checksum
constexpr std::size_t kUsualBytes = 2048;  // hold most launches

template <typename T>
concept Composite = requires(T& value) { T::fields(value, [](auto&...) {}); };

class Encoder {
 public:
  explicit Encoder(std::vector<std::uint8_t>& out) : out_(out) {}

  template <typename... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }

 private:
  template <std::unsigned_integral T>
  void put(T value) {
    std::uint8_t bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
    out_.insert(out_.end(), bytes, bytes + sizeof(T));
  }
  void put_sized(const std::uint8_t* data, std::size_t size) {
    put(std::uint64_t{size});
    out_.insert(out_.end(), data, data + size);
  }
  void put(const std::string& text) {
    put_sized(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  void put(Bytes bytes) { put_sized(bytes.data(), bytes.size()); }
  void put(const std::vector<std::uint8_t>& bytes) { put_sized(bytes.data(), bytes.size()); }
  void put(const std::array<std::uint32_t, 3>& values) {
    for (const std::uint32_t value : values) put(value);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    for (const T& value : values) put(value);
  }
  template <Composite T>
  void put(const T& record) {
    T::fields(record, *this);
  }

  std::vector<std::uint8_t>& out_;
};

class Decoder {
 public:
  explicit Decoder(Bytes payload) : in_(payload) {}

  // Whether all was there; a newer burin may have added fields behind those we know.
  bool ok() const { return in_.ok(); }

  template <typename... Fields>
  void operator()(Fields&... fields) {
    (get(fields), ...);
  }

 private:
  void get(std::uint8_t& value) { value = in_.u8(); }
  void get(std::uint32_t& value) { value = in_.u32(); }
  void get(std::uint64_t& value) { value = in_.u64(); }
  void get(Bytes& bytes) { bytes = in_.bytes(in_.u64()); }
  void get(std::string& text) {
    const Bytes bytes = in_.bytes(in_.u64());
    text.assign(bytes.begin(), bytes.end());
  }
  void get(std::vector<std::uint8_t>& values) {
    const Bytes bytes = in_.bytes(in_.u64());
    values.assign(bytes.begin(), bytes.end());
  }
  void get(std::array<std::uint32_t, 3>& values) {
    for (std::uint32_t& value : values) value = in_.u32();
  }
  template <typename T>
  void get(std::vector<T>& values) {
    // No element takes less than four bytes, so a number that is not true ends here.
    const std::uint64_t count = in_.u64();
    if (count > in_.remaining() / 4) return in_.skip(in_.remaining() + 1);
    for (std::uint64_t i = 0; i < count && in_.ok(); ++i) get(values.emplace_back());
  }
  template <Composite T>
  void get(T& record) {
    T::fields(record, *this);
  }

  Cursor in_;
};

template <std::size_t... Index>
std::optional<SpoolRecord> decode(std::uint32_t kind, Bytes payload,
                                  std::index_sequence<Index...>) {
  std::optional<SpoolRecord> record;
  const auto as = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    if (kind != I + 1) return;
    std::variant_alternative_t<I, SpoolRecord> value;
    Decoder in(payload);
    value.fields(value, in);
    if (in.ok()) record = std::move(value);
  };
  (as(std::integral_constant<std::size_t, Index>{}), ...);
  return record;
}

void put_u32(std::vector<std::uint8_t>& out, std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

}  // namespace

std::vector<std::uint8_t> spool_header() {
  std::vector<std::uint8_t> header(kSpoolMagic.begin(), kSpoolMagic.end());
  header.resize(kSpoolMagic.size() + 8);
  put_u32(header, kSpoolMagic.size(), kSpoolVersion);
  return header;
}

std::vector<std::uint8_t> encode_record(const SpoolRecord& record) {
  std::vector<std::uint8_t> out;
  out.reserve(kUsualBytes);
  out.resize(kFrameBytes);
  Encoder encoder(out);
  std::visit([&](const auto& value) { value.fields(value, encoder); }, record);
  const Bytes payload = Bytes(out).subspan(kFrameBytes);
  put_u32(out, 0, static_cast<std::uint32_t>(payload.size()));
  put_u32(out, 4, static_cast<std::uint32_t>(record.index() + 1));
  put_u32(out, 8, crc32(payload));
  return out;
}

std::string spool_file_name(std::uint64_t pid, std::uint64_t begin_unix_ns) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string moment;
  for (int shift = 60; shift >= 0; shift -= 4) moment += kDigits[(begin_unix_ns >> shift) & 15];
  return std::to_string(pid) + "-" + moment + ".spool";
}

std::string counters_folder(const std::string& folder) {
  return folder + "/counters";
}

Result<std::vector<std::string>> spool_files(const std::string& folder) {
  std::error_code failed;
  std::vector<std::string> files;
  for (auto entry = std::filesystem::directory_iterator(folder, failed);
       !failed && entry != std::filesystem::directory_iterator(); entry.increment(failed)) {
    if (entry->path().extension() == ".spool") files.push_back(entry->path().string());
  }
  if (failed) return Error{"cannot read the folder " + folder + ": " + failed.message()};
  std::sort(files.begin(), files.end());
  return files;
}

Result<SpoolReader> SpoolReader::open(Bytes file) {
  SpoolReader reader(file);
  const Bytes magic = reader.in_.bytes(kSpoolMagic.size());
  const std::uint32_t version = reader.in_.u32();
  reader.in_.skip(4);
  if (!reader.in_.ok() ||
      !std::equal(magic.begin(), magic.end(), kSpoolMagic.begin(), kSpoolMagic.end())) {
    return Error{"this is not a recording"};
  }
  if (version != kSpoolVersion) {
    return Error{std::string("this recording was written by ") +
                 (version > kSpoolVersion ? "a newer burin; update this one to read it"
                                          : "an older burin; make the capture with that one")};
  }
  return reader;
}

std::optional<SpoolRecord> SpoolReader::next() {
  while (!truncated_ && !in_.at_end()) {
    const std::uint64_t begin = in_.position();
    const std::uint32_t size = in_.u32(), kind = in_.u32(), checksum = in_.u32();
    const Bytes payload = in_.bytes(size);
    truncated_ = !in_.ok() || crc32(payload) != checksum;
    if (truncated_) break;
    if (kind == 0 || kind > std::variant_size_v<SpoolRecord>) continue;
    std::optional<SpoolRecord> record =
        decode(kind, payload, std::make_index_sequence<std::variant_size_v<SpoolRecord>>{});
    if (record) return record;
    truncated_ = true;  // the checksum is right and the fields are not: no recorder wrote this
    in_.seek(begin);
  }
  return std::nullopt;
}

StallReasonName stall_reason(std::string_view cupti_name) {
  constexpr std::string_view kStalled = "issue_stalled_", kWithoutIssue = "_not_issued";
  const std::size_t at = cupti_name.find(kStalled);
  if (at == std::string_view::npos) return {};
  std::string_view reason = cupti_name.substr(at + kStalled.size());
  const bool not_issued = reason.ends_with(kWithoutIssue);
  if (not_issued) reason.remove_suffix(kWithoutIssue.size());
  return {reason, not_issued};
}

}  // namespace burin::capture
