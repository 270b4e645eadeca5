// Finding GPU code in every kind of file.
#include "read/binary/archive.h"
#include "read/binary/data.h"

namespace burin::test {
namespace {

using Kind = read::Entry::Kind;
using Packing = read::Entry::Packing;

read::Container open(const Buffer& bytes) {
  Result<read::Container> container = read::open_container(bytes);
  EXPECT_TRUE(container.ok()) << (container ? "" : container.error().message);
  return container ? *container : read::Container{};
}

std::string complaint(Bytes bytes) {
  const Result<read::Container> container = read::open_container(bytes);
  return container ? "" : container.error().message;
}
std::string complaint(std::string_view text) {
  return complaint(text_bytes(text));
}

// The code of the one kernel in tests/data/binary/dense.cu.
Buffer code_of(const read::Entry& entry) {
  const Result<read::Image> image = load(entry);
  EXPECT_TRUE(image.ok()) << (image ? "" : image.error().message);
  if (!image) return {};
  const read::Function& f = function(*image, "_Z5densePii");
  return {f.code.begin(), f.code.end()};
}

TEST(Container, OfACubinIsTheCubin) {
  const Buffer bytes = data("nested_sm90a.cubin");
  const read::Container container = open(bytes);
  EXPECT_EQ(container.format, read::Container::Format::kCubin);
  ASSERT_EQ(container.entries.size(), 1u);
  EXPECT_EQ(to_string(container.entries[0].arch), "sm_90a");
  EXPECT_TRUE(load(container.entries[0]).ok());
}

TEST(Container, OfAFatbinListsEveryArchitecture) {
  const Buffer bytes = data("many.fatbin");
  const read::Container container = open(bytes);
  EXPECT_EQ(container.format, read::Container::Format::kFatbin);
  EXPECT_TRUE(container.problems.empty());
  ASSERT_EQ(container.entries.size(), 5u);
  const std::pair<Kind, std::string> expected[] = {{Kind::kCubin, "sm_75"},
                                                   {Kind::kCubin, "sm_90a"},
                                                   {Kind::kCubin, "sm_100f"},
                                                   {Kind::kPtx, "sm_90"},
                                                   {Kind::kLtoIr, "sm_90"}};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(container.entries[i].kind, expected[i].first);
    EXPECT_EQ(to_string(container.entries[i].arch), expected[i].second);
    if (expected[i].first != Kind::kCubin) continue;
    const Result<read::Image> image = load(container.entries[i]);
    ASSERT_TRUE(image.ok());
    EXPECT_EQ(image->arch, container.entries[i].arch);
  }
  EXPECT_FALSE(load(container.entries[3]).ok());
  const auto ptx = unpack(container.entries[3]);
  ASSERT_TRUE(ptx.ok());
  const std::string text(ptx->begin(), ptx->end());
  EXPECT_NE(text.find(".visible .entry _Z5densePii"), std::string::npos);
}

TEST(Container, UnpacksZstdAndLz4ToTheSameImage) {
  const Buffer cubin = data("dense_sm80.cubin"), zstd = data("zstd.fatbin"),
               lz4 = data("lz4.fatbin");
  const read::Container plain = open(cubin), small = open(zstd), fast = open(lz4);
  ASSERT_EQ(small.entries.size(), 2u);
  ASSERT_EQ(fast.entries.size(), 2u);
  EXPECT_EQ(small.entries[0].packing, Packing::kZstd);
  EXPECT_EQ(fast.entries[0].packing, Packing::kLz4);
  EXPECT_EQ(small.entries[0].raw_size, cubin.size());
  EXPECT_EQ(code_of(small.entries[0]), code_of(plain.entries[0]));
  EXPECT_EQ(code_of(fast.entries[0]), code_of(plain.entries[0]));
}

TEST(Container, TheImageOwnsWhatWasUnpacked) {
  Result<read::Image> image = Error{""};
  {
    const Buffer bytes = data("zstd.fatbin");
    image = load(open(bytes).entries.at(0));
  }
  ASSERT_TRUE(image.ok());
  const read::Image copy = *image;
  image = Error{""};
  EXPECT_EQ(copy.functions.at(0).code.size() % 16, 0u);
  EXPECT_NE(copy.functions.at(0).code[0] | copy.functions.at(0).code[1], 0);
}

TEST(Container, FindsCodeInHostObjectsAndLibraries) {
  for (const char* name : {"dense.o", "dense.so"}) {
    const Buffer bytes = data(name);
    const read::Container container = open(bytes);
    EXPECT_EQ(container.format, read::Container::Format::kHostElf);
    ASSERT_EQ(container.entries.size(), 2u) << name;
    EXPECT_EQ(container.entries[0].kind, Kind::kCubin);
    EXPECT_EQ(container.entries[1].kind, Kind::kPtx);
    EXPECT_FALSE(code_of(container.entries[0]).empty());
  }
}

TEST(Container, FindsFatbinsThatAProgramKeepsAsData) {
  Buffer host = data("dense.so");
  // The same file with the section under another name: the data is found by what it is.
  const std::size_t header = find_section(host, ".nv_fatbin");
  const std::size_t names = section_header(host, get<std::uint16_t>(host, 62));
  host[get<std::uint64_t>(host, names + 24) + get<std::uint32_t>(host, header) + 1] = 'x';
  EXPECT_EQ(open(host).entries.size(), 2u);
  // What only looks like a fatbin is data, not a problem.
  put<std::uint64_t>(host, get<std::uint64_t>(host, header + 24) + 8, 1ull << 40);
  EXPECT_EQ(complaint(host),
            "contains no GPU code: it is a host binary without a fatbin (no .nv_fatbin "
            "section); name the program or library that has the kernels");
}

TEST(Container, NamesTheMembersOfAnArchive) {
  const Buffer bytes = data("both.a");
  const read::Container container = open(bytes);
  EXPECT_EQ(container.format, read::Container::Format::kArchive);
  ASSERT_EQ(container.entries.size(), 4u);
  EXPECT_EQ(container.entries[0].member, "dense.o");
  EXPECT_EQ(container.entries[2].member, "relocatable_code_with_a_long_name.o");
  EXPECT_TRUE(load(container.entries[2])->relocatable);
}

TEST(Archive, ReadsBsdNamesAndRefusesThinOnes) {
  const std::string header = "#1/8            0           0     0     644     11        `\n";
  const std::string bsd = "!<arch>\n" + header + std::string("long.o\0\0abc", 11);
  const auto members = read::read_archive(text_bytes(bsd));
  ASSERT_TRUE(members.ok());
  ASSERT_EQ(members->size(), 1u);
  EXPECT_EQ(members->at(0).name, "long.o");
  EXPECT_EQ(members->at(0).contents.size(), 3u);
  EXPECT_EQ(complaint("!<thin>\n/               0 "),
            "is a thin archive, which only references other files; pass those files instead");
}

TEST(Container, ListsPtxText) {
  const Buffer bytes = data("required.ptx");
  const read::Container container = open(bytes);
  EXPECT_EQ(container.format, read::Container::Format::kPtx);
  ASSERT_EQ(container.entries.size(), 1u);
  EXPECT_EQ(container.entries[0].kind, Kind::kPtx);
  EXPECT_EQ(to_string(container.entries[0].arch), "sm_75");
  EXPECT_EQ(unpack(container.entries[0])->size(), bytes.size());
}

TEST(Container, SaysWhatAStrangeFileIs) {
  const std::string expected =
      ": expected CUDA source (.cu), PTX, a cubin, fatbin, host executable, object, "
      "library or wheel";
  EXPECT_EQ(complaint("#include <cstdio>\n"), "is a text file, not a CUDA binary" + expected);
  EXPECT_EQ(complaint(std::string_view("\x01\x02\x03\x00\x05", 5)),
            "is not a CUDA binary" + expected);
  EXPECT_EQ(complaint("BC\xc0\xde...."), "is LLVM bitcode, not a CUDA binary" + expected);
  EXPECT_EQ(complaint("MZ\x90"),
            "is a Windows executable; only ELF files are supported" + expected);
  EXPECT_EQ(complaint("PK\x03\x04"), "the zip file is damaged: it has no directory; is it whole?");
  EXPECT_EQ(complaint("// only a comment"), "is a text file, not a CUDA binary" + expected);
  EXPECT_EQ(complaint(data("plain.o")),
            "contains no GPU code: it is a host binary without a fatbin (no "
            ".nv_fatbin section); name the program or library that has the kernels");
  EXPECT_EQ(complaint("!<arch>\n"), "contains no GPU code: no member has a fatbin");
}

}  // namespace
}  // namespace burin::test
