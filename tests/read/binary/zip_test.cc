// Python wheels and other zip files, folders, and what is wrong with them.
#include "read/binary/zip.h"

#include <zlib.h>

#include <filesystem>

#include "base/temporary_folder.h"
#include "read/binary/data.h"

namespace burin::test {
namespace {

using Format = read::Container::Format;

Buffer corpus(const std::string& name) {
  std::ifstream in(BURIN_SOURCE_DIR "/fuzz/corpus/zip/" + name, std::ios::binary);
  Buffer bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

std::string complaint_about(Bytes bytes) {
  const Result<read::Container> container = read::open_container(bytes);
  return container ? "" : container.error().message;
}

std::string complaint_about_path(const std::string& path) {
  const Result<read::Container> container = read::open_path(path);
  return container ? "" : container.error().message;
}

void write(const std::string& path, const Buffer& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// A zip file with one member, stored as it is.
Buffer zip_of(const std::string& name, const Buffer& contents, std::uint16_t flags = 0,
              std::uint16_t method = 0) {
  Buffer out;
  const auto u16 = [&](std::size_t v) {
    out.push_back(static_cast<std::uint8_t>(v));
    out.push_back(static_cast<std::uint8_t>(v >> 8));
  };
  const auto u32 = [&](std::size_t v) {
    u16(v & 0xffff);
    u16(v >> 16);
  };
  const auto text = [&](const std::string& t) { out.insert(out.end(), t.begin(), t.end()); };
  const auto middle = [&] {
    u16(20);
    u16(flags);
    u16(method);
    u32(0);
    u32(crc32_z(0, contents.data(), contents.size()));
    u32(contents.size());
    u32(contents.size());
    u16(name.size());
    u16(0);
  };
  text("PK\x03\x04");
  middle();
  text(name);
  out.insert(out.end(), contents.begin(), contents.end());
  const std::size_t directory = out.size();
  text("PK\x01\x02");
  u16(20);
  middle();
  u16(0);
  u16(0);
  u16(0);
  u32(0);
  u32(0);
  text(name);
  const std::size_t size = out.size() - directory;
  text("PK\x05\x06");
  u32(0);
  u16(1);
  u16(1);
  u32(size);
  u32(directory);
  u16(0);
  return out;
}

TEST(Zip, AWheelHasTheCodeOfItsMembers) {
  const Buffer bytes = corpus("wheel.whl");
  const Result<read::Container> container = read::open_container(bytes);
  ASSERT_TRUE(container.ok()) << container.error().message;
  EXPECT_EQ(container->format, Format::kZip);
  ASSERT_EQ(container->entries.size(), 1u);
  EXPECT_EQ(container->entries[0].member, "pkg/dense.cubin");
  const Buffer cubin = data("dense_sm90.cubin");
  EXPECT_TRUE(std::ranges::equal(container->entries[0].data, cubin));
  EXPECT_TRUE(read::load(container->entries[0]).ok());
}

TEST(Zip, ReadsMembersThatAreStoredAsTheyAre) {
  const Buffer bytes = corpus("stored.zip");
  const Result<read::Container> container = read::open_container(bytes);
  ASSERT_TRUE(container.ok()) << container.error().message;
  ASSERT_FALSE(container->entries.empty());
  EXPECT_EQ(container->entries[0].member, "a.fatbin");
  EXPECT_TRUE(container->storage.empty());  // not copied
}

TEST(Zip, NamesTheMembersOfLibrariesInIt) {
  const Buffer bytes = zip_of("lib/both.a", data("both.a"));
  const Result<read::Container> container = read::open_container(bytes);
  ASSERT_TRUE(container.ok()) << container.error().message;
  EXPECT_TRUE(container->entries[0].member.starts_with("lib/both.a/"))
      << container->entries[0].member;
}

TEST(Zip, SizesOf64BitsAreRead) {
  const Buffer bytes = corpus("local64.zip");
  const Result<std::vector<read::ZipMember>> members = read::read_zip(bytes);
  ASSERT_TRUE(members.ok()) << members.error().message;
  ASSERT_EQ(members->size(), 1u);
  EXPECT_EQ(members->front().raw_size, 4u);
}

TEST(Zip, SaysWhatIsWrong) {
  const std::string none = "contains no GPU code: no member is a cubin, or a library with a fatbin";
  EXPECT_EQ(complaint_about(zip_of("pkg/__init__.py", {'p', 'a', 's', 's'})), none);
  EXPECT_EQ(complaint_about(corpus("empty.zip")), none);
  EXPECT_EQ(complaint_about(corpus("cut.whl")),
            "the zip file is damaged: it has no directory; is it whole?");
  EXPECT_EQ(complaint_about(zip_of("a.cubin", data("dense_sm90.cubin"), 1)),
            "its GPU code cannot be read: member a.cubin: is encrypted; unpack it first");
  Buffer flipped = zip_of("a.cubin", data("dense_sm90.cubin"));
  const Result<std::vector<read::ZipMember>> members = read::read_zip(flipped);
  ASSERT_TRUE(members.ok());
  flipped[100] ^= 0x55;
  EXPECT_EQ(read::unpack(members->front()).error().message,
            "is damaged: it does not unpack to what the zip file's directory says");
  EXPECT_EQ(read::unpack(members->front(), 10).error().message.substr(0, 9), "announces");
}

// Every prefix, and every single wrong byte of a small one: an Error or an answer, never a crash.
TEST(Zip, SurvivesDamage) {
  const Buffer whole = corpus("wheel.whl");
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    (void)read::open_container(Bytes(whole).first(size));
  }
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    Buffer damaged = whole;
    damaged[at] ^= 0xff;
    (void)read::open_container(damaged);
  }
}

TEST(Path, NamesAMemberOfAZipFileAsIfThatWereAFolder) {
  const std::string wheel = BURIN_SOURCE_DIR "/fuzz/corpus/zip/wheel.whl";
  const Result<read::Container> member = read::open_path(wheel + "/pkg/dense.cubin");
  ASSERT_TRUE(member.ok()) << member.error().message;
  EXPECT_EQ(member->format, Format::kCubin);
  EXPECT_TRUE(read::load(member->entries.front()).ok());
  EXPECT_EQ(complaint_about_path(wheel + "/pkg/dense.cubi"),
            wheel + " has no member pkg/dense.cubi; did you mean pkg/dense.cubin?");
  const std::string text = BURIN_SOURCE_DIR "/README.md";
  EXPECT_EQ(complaint_about_path(text + "/x.so"),
            text + " is not a folder or a zip file, so it has no x.so");
}

TEST(Path, AFolderHasTheCodeOfItsFiles) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  const std::string& path = folder->path();
  EXPECT_EQ(complaint_about_path(path),
            path + ": contains no GPU code: no file in it is a cubin, or a library with a fatbin");
  std::filesystem::create_directories(path + "/HASH1");
  write(path + "/HASH1/dense.cubin", data("dense_sm90.cubin"));
  write(path + "/HASH1/dense.ptx", data("required.ptx"));
  write(path + "/plain.o", data("plain.o"));
  const Result<read::Container> container = read::open_path(path);
  ASSERT_TRUE(container.ok()) << container.error().message;
  EXPECT_EQ(container->format, Format::kFolder);
  ASSERT_EQ(container->entries.size(), 1u);
  EXPECT_EQ(container->entries[0].member, "HASH1/dense.cubin");
}

}  // namespace
}  // namespace burin::test
