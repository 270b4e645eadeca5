// Bad input: truncated at every byte, lying sizes, overlapping sections, bombs. Each ends in one
// sentence; nothing crashes, and nothing that is wrong passes for right.
#include <sys/resource.h>
#include <zstd.h>

#include <limits>

#include "read/binary/data.h"
#include "read/binary/elf.h"

namespace burin::test {
namespace {

std::string complaint(const Buffer& bytes) {
  const Result<read::Container> container = read::open_container(bytes);
  if (!container) return container.error().message;
  for (const read::Entry& entry : container->entries) {
    if (entry.kind != read::Entry::Kind::kCubin) continue;
    const Result<read::Image> image = load(entry);
    if (!image) return image.error().message;
  }
  return "";
}

class Truncated : public testing::TestWithParam<const char*> {};

TEST_P(Truncated, AtEveryByteIsRefusedInOneSentence) {
  const Buffer whole = data(GetParam());
  ASSERT_EQ(complaint(whole), "");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Buffer part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const std::string words = complaint(part);
    ASSERT_NE(words, "") << size << " of " << whole.size() << " bytes pass for the whole file";
    ASSERT_EQ(words.find('\n'), std::string::npos);
    ASSERT_LT(words.size(), 200u);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Truncated,
                         testing::Values("nested_sm75.cubin", "nested_sm90a.cubin", "zstd.fatbin",
                                         "lz4.fatbin", "required_sm75.cubin", "dense.o",
                                         "dense.so"));

TEST(Damage, NeverCrashesWhicheverByteIsWrong) {
  for (const char* name : {"nested_sm75.cubin", "dense_sm90.cubin", "zstd.fatbin", "lz4.fatbin"}) {
    Buffer bytes = data(name);
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      const std::uint8_t before = bytes[at];
      for (const int wrong : {0x00, 0x7f, 0xff, before ^ 0x80}) {
        bytes[at] = static_cast<std::uint8_t>(wrong);
        (void)complaint(bytes);
      }
      bytes[at] = before;
    }
  }
}

TEST(Damage, OfTheElfHeaderIsNamed) {
  Buffer narrow = data("nested_sm75.cubin");
  narrow[4] = 1;
  EXPECT_EQ(complaint(narrow), "is a 32-bit ELF file; only 64-bit files are supported");
  Buffer big = data("nested_sm75.cubin");
  big[5] = 2;
  EXPECT_EQ(complaint(big), "is a big-endian ELF file; only little-endian files are supported");
  Buffer other = data("nested_sm75.cubin");
  put<std::uint16_t>(other, 18, 62);
  EXPECT_EQ(complaint(other),
            "contains no GPU code: it is a host binary without a fatbin (no .nv_fatbin "
            "section); name the program or library that has the kernels");
  EXPECT_EQ(read::read_cubin(other, {}).error().message,
            "is an ELF file for another machine (number 62), not a cubin");
  Buffer far_away = data("nested_sm75.cubin");
  put<std::uint64_t>(far_away, 40, std::numeric_limits<std::uint64_t>::max() - 8);
  EXPECT_EQ(complaint(far_away), "the ELF file is truncated: its section table is past the end");
}

TEST(Damage, SectionsThatOverlapAreRefused) {
  Buffer bytes = data("resources_sm75.cubin");
  const std::size_t one = find_section(bytes, ".text._Z6barredPi");
  const std::size_t other = find_section(bytes, ".text._Z6framedPii");
  put<std::uint64_t>(bytes, one + 24, get<std::uint64_t>(bytes, other + 24) + 64);
  EXPECT_EQ(complaint(bytes),
            "the cubin is corrupt: its sections .text._Z6framedPii and .text._Z6barredPi overlap");
}

TEST(Damage, SectionSizesThatLieAreRefused) {
  for (const std::uint64_t size :
       {std::uint64_t{1} << 20, std::numeric_limits<std::uint64_t>::max()}) {
    Buffer bytes = data("nested_sm75.cubin");
    put<std::uint64_t>(bytes, find_section(bytes, ".text.nested") + 32, size);
    EXPECT_EQ(complaint(bytes).substr(0, 38), "the ELF file is truncated or corrupt: ");
  }
}

// A fatbin of one compressed entry.
Buffer fatbin(const Buffer& packed, std::uint64_t raw_size, std::uint64_t flags) {
  const std::size_t padded = (packed.size() + 7) / 8 * 8;
  Buffer bytes(16 + 64 + padded);
  put<std::uint32_t>(bytes, 0, 0xba55ed50);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, 16);
  put<std::uint64_t>(bytes, 8, 64 + padded);
  put<std::uint16_t>(bytes, 16, 2);
  put<std::uint32_t>(bytes, 20, 64);
  put<std::uint64_t>(bytes, 24, padded);
  put<std::uint32_t>(bytes, 32, static_cast<std::uint32_t>(packed.size()));
  put<std::uint32_t>(bytes, 44, 90);
  put<std::uint64_t>(bytes, 56, flags);
  put<std::uint64_t>(bytes, 72, raw_size);
  std::copy(packed.begin(), packed.end(), bytes.begin() + 80);
  return bytes;
}

constexpr std::uint64_t kZstd = 0x8000, kLz4 = 0x2000;

Buffer zeros_by_zstd(std::size_t size) {
  const Buffer zeros(size);
  Buffer packed(ZSTD_compressBound(size));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), zeros.data(), size, 3));
  return packed;
}

Result<Buffer> unpack_first(const Buffer& file, std::uint64_t limit) {
  const Result<read::Container> container = read::open_container(file);
  if (!container) return container.error();
  return unpack(container->entries.at(0), limit);
}

long peak_memory_kib() {
  struct rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(Bomb, IsRefusedByItsClaim) {
  const Buffer packed = zeros_by_zstd(64 << 20);
  ASSERT_LT(packed.size(), 16384u);
  const Result<Buffer> unpacked = unpack_first(fatbin(packed, 64 << 20, kZstd), 1 << 20);
  ASSERT_FALSE(unpacked.ok());
  EXPECT_EQ(unpacked.error().message,
            "the image announces 64 MiB decompressed; the limit is 1 MiB");
}

TEST(Bomb, IsRefusedWhenItGivesMoreThanItClaims) {
  const Result<Buffer> unpacked =
      unpack_first(fatbin(zeros_by_zstd(64 << 20), 4096, kZstd), 1 << 20);
  ASSERT_FALSE(unpacked.ok());
  EXPECT_EQ(unpacked.error().message,
            "the compressed image is corrupt: it does not decompress to the 4096 bytes announced");
}

TEST(Bomb, ThatGivesLessThanItClaimsCostsNoMemory) {
  // Half a gigabyte is claimed, 64 bytes come: the claim must not be allocated.
  const long before_kib = peak_memory_kib();
  const Buffer file = fatbin(zeros_by_zstd(64), 1ull << 29, kZstd);
  const Result<Buffer> unpacked = unpack_first(file, 1ull << 29);
  ASSERT_FALSE(unpacked.ok());
  const Buffer block(64, 0x10);
  EXPECT_FALSE(unpack_first(fatbin(block, 1ull << 29, kLz4), 1ull << 29).ok());
  EXPECT_EQ(complaint(fatbin({}, std::numeric_limits<std::uint64_t>::max(), kZstd)).substr(0, 20),
            "the image announces ");
  EXPECT_LT(peak_memory_kib() - before_kib, 256 << 10);
}

TEST(Fatbin, ThatLiesAboutItsEntriesIsRefused) {
  Buffer bytes = data("many.fatbin");
  put<std::uint64_t>(bytes, 24, 1ull << 40);  // the first entry's size
  EXPECT_EQ(complaint(bytes), "the fatbin is corrupt: an entry extends past its end");
  Buffer longer = data("many.fatbin");
  put<std::uint64_t>(longer, 8, get<std::uint64_t>(longer, 8) + 8);
  EXPECT_EQ(complaint(longer).substr(0, 28), "the fatbin is truncated: its");
}

TEST(Fatbin, DamageInAHostFileLeavesTheRest) {
  Buffer archive = data("both.a");
  const std::string magic = "\x50\xed\x55\xba";
  const auto first =
      std::search(archive.begin(), archive.end(), magic.begin(), magic.end(),
                  [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); });
  ASSERT_NE(first, archive.end());
  put<std::uint64_t>(archive, static_cast<std::size_t>(first - archive.begin()) + 8, 1ull << 40);
  const Result<read::Container> container = read::open_container(archive);
  ASSERT_TRUE(container.ok());
  ASSERT_EQ(container->problems.size(), 1u);
  EXPECT_TRUE(container->problems[0].starts_with("member dense.o: the fatbin is truncated"));
  EXPECT_GE(container->entries.size(), 2u);
}

}  // namespace
}  // namespace burin::test
