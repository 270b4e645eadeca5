#include "runtime/hooks/image_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "base/file.h"
#include "base/sha256.h"
#include "read/binary/container.h"
#include "read/binary/elf.h"
#include "runtime/hooks/unpack_image.h"

namespace burin::runtime {
namespace {

const std::vector<std::string> kAdd = {"_Z10vector_addPKfS0_Pfi", "no_such_kernel"};

struct ImageCodeTest : testing::Test {
  void SetUp() override {
    Result<MappedFile> opened =
        MappedFile::open(std::string(BURIN_SOURCE_DIR) + "/examples/vector_add.sm_90.cubin");
    ASSERT_TRUE(opened.ok());
    file.emplace(std::move(*opened));
    const Result<read::Elf> elf = read::read_elf(file->bytes());
    ASSERT_TRUE(elf.ok());
    for (const read::ElfSection& section : elf->sections) {
      if (!section.name.starts_with(".text.")) continue;
      kernels.emplace_back(section.name.substr(6));
      hashes.push_back(sha256_hex(section.contents));
    }
    ASSERT_FALSE(kernels.empty());
  }

  // A fatbin with the cubin as its only entry.
  std::vector<std::uint8_t> fatbin(std::uint64_t flags = 0) const {
    const Bytes cubin = file->bytes();
    const std::uint64_t padded = (cubin.size() + 7) / 8 * 8;
    std::vector<std::uint8_t> bytes(16 + 64 + padded);
    const auto put = [&](std::size_t at, auto value) {
      std::memcpy(&bytes[at], &value, sizeof value);
    };
    put(0, std::uint32_t{0xba55ed50});
    put(4, std::uint16_t{1});
    put(6, std::uint16_t{16});
    put(8, std::uint64_t{64 + padded});
    put(16, std::uint16_t{2});
    put(20, std::uint32_t{64});
    put(24, padded);
    put(56, flags);
    std::memcpy(&bytes[80], cubin.data(), cubin.size());
    return bytes;
  }

  void expect_found(const ImageCode& code) const {
    EXPECT_TRUE(code.complete);
    ASSERT_EQ(code.hashes.size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      EXPECT_EQ(code.hashes[i], std::pair(kernels[i], hashes[i]));
    }
  }

  std::optional<MappedFile> file;
  std::vector<std::string> kernels;
  std::vector<std::string> hashes;
};

TEST_F(ImageCodeTest, ACubin) {
  expect_found(read_image_code(file->bytes().data(), kernels));
  EXPECT_TRUE(read_image_code(file->bytes().data(), kAdd).complete);
}

TEST_F(ImageCodeTest, AFatbinAndItsWrapper) {
  const std::vector<std::uint8_t> bytes = fatbin();
  expect_found(read_image_code(bytes.data(), kernels));
  struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* data = nullptr;
    void* unused = nullptr;
  } wrapper;
  EXPECT_FALSE(read_image_code(&wrapper, kernels).complete);
  wrapper.data = bytes.data();
  expect_found(read_image_code(&wrapper, kernels));
}

// nvcc's own fatbins, with the code that burin's reader finds in them.
TEST(CompressedImage, HasTheCodeOfItsKernels) {
  for (const char* name : {"lz4.fatbin", "zstd.fatbin"}) {
    const Result<MappedFile> file =
        MappedFile::open(std::string(BURIN_SOURCE_DIR) + "/tests/data/binary/" + name);
    ASSERT_TRUE(file.ok());
    std::vector<std::string> kernels;
    std::vector<std::pair<std::string, std::string>> expected;
    const Result<read::Container> container = read::open_container(file->bytes());
    ASSERT_TRUE(container.ok());
    for (const read::Entry& entry : container->entries) {
      if (entry.kind != read::Entry::Kind::kCubin) continue;
      const Result<std::vector<std::uint8_t>> cubin = read::unpack(entry, 1u << 30);
      ASSERT_TRUE(cubin.ok());
      const Result<read::Elf> elf = read::read_elf(*cubin);
      ASSERT_TRUE(elf.ok());
      for (const read::ElfSection& section : elf->sections) {
        if (!section.name.starts_with(".text.")) continue;
        kernels.emplace_back(section.name.substr(6));
        expected.emplace_back(kernels.back(), sha256_hex(section.contents));
      }
    }
    ASSERT_FALSE(expected.empty()) << name;
    std::ranges::sort(kernels);
    kernels.erase(std::ranges::unique(kernels).begin(), kernels.end());
    const ImageCode code = read_image_code(file->bytes().data(), kernels);
    EXPECT_TRUE(code.complete) << name;
    EXPECT_EQ(code.hashes, expected) << name;
  }
}

TEST(CompressedImage, DamagedOnesAreRefused) {
  const std::vector<std::uint8_t> cut = {0xf0};  // 15 literals and more: none is there
  std::vector<std::uint8_t> raw;
  EXPECT_FALSE(unpack_lz4(cut, 20, raw));
  const std::vector<std::uint8_t> before = {0x10, 'a', 2, 0};  // a match before the first byte
  EXPECT_FALSE(unpack_lz4(before, 5, raw));
  const std::vector<std::uint8_t> run = {0x10, 'a', 1, 0};  // "a" and four more of it
  ASSERT_TRUE(unpack_lz4(run, 5, raw));
  EXPECT_EQ(raw, std::vector<std::uint8_t>(5, 'a'));
  EXPECT_FALSE(unpack_lz4(run, 4, raw));
  EXPECT_FALSE(unpack_lz4(run, 6, raw));
  EXPECT_FALSE(unpack_zstd(run, 5, raw));
}

TEST_F(ImageCodeTest, WhatCannotBeReadIsIncomplete) {
  const std::vector<std::uint8_t> compressed = fatbin(0x8000);
  EXPECT_FALSE(read_image_code(compressed.data(), kernels).complete);
  EXPECT_TRUE(read_image_code(compressed.data(), kernels).hashes.empty());
  EXPECT_FALSE(read_image_code(".version 9.0", kernels).complete);
  EXPECT_FALSE(read_image_code("", kernels).complete);
  EXPECT_FALSE(read_image_code(nullptr, kernels).complete);
}

}  // namespace
}  // namespace burin::runtime
