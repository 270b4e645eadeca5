// Names of functions that the dynamic linker does not know.
#include "capture/assemble/host_symbols.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file.h"

namespace burin::capture {
namespace {

[[gnu::noinline]] int not_exported(int x) {
  return x * 7 + 1;
}

TEST(HostSymbolsTest, FunctionsOfThisProgram) {
  int (*volatile function)(int) = not_exported;
  Dl_info info{};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(function), &info), 0);
  const std::uint64_t offset =
      reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const std::string here = std::filesystem::read_symlink("/proc/self/exe");
  HostSymbols symbols;
  EXPECT_THAT(symbols.find(here, offset), testing::HasSubstr("not_exported"));
  EXPECT_THAT(symbols.find(here, offset + 1), testing::HasSubstr("not_exported"));
  EXPECT_EQ(symbols.find(here, ~std::uint64_t{0}), "");
}

// Distributions strip their libraries of all other names. No sanitizer intercepts this function.
TEST(HostSymbolsTest, FunctionsThatALibraryExports) {
  constexpr const char* kFunction = "gnu_get_libc_version";
  const auto function = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, kFunction));
  Dl_info info{};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(function), &info), 0);
  HostSymbols symbols;
  EXPECT_EQ(
      symbols.find(info.dli_fname, function - reinterpret_cast<std::uintptr_t>(info.dli_fbase)),
      kFunction);
}

TEST(HostSymbolsTest, NothingWhereThereIsNoTable) {
  HostSymbols symbols;
  EXPECT_EQ(symbols.find("/proc/nowhere/file", 16), "");
  EXPECT_EQ(symbols.find("/proc/self/maps", 16), "");
  EXPECT_EQ(symbols.find(BURIN_SOURCE_DIR "/README.md", 16), "");
  EXPECT_THAT(host_functions({}), testing::IsEmpty());
}

// A program compiled with -g, if there is a compiler.
TEST(HostSymbolsTest, LinesOfAProgramWithDebugInformation) {
  char folder[] = "/tmp/burin-lines-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string source = std::string(folder) + "/app.c";
  const std::string program = std::string(folder) + "/app";
  std::ofstream(source) << "int step(int x) {\n  return x * 7;\n}\n\n"
                           "int main(int n, char** words) {\n  return step(n);\n}\n";
  const std::string command = "cc -g -O0 -o " + program + " " + source + " 2>/dev/null";
  const bool compiled = std::system(command.c_str()) == 0;
  if (compiled) {
    const Result<MappedFile> file = MappedFile::open(program);
    ASSERT_TRUE(file.ok());
    HostSymbols symbols;
    for (const HostFunction& function : host_functions(file->bytes())) {
      if (function.name != "step" && function.name != "main") continue;
      EXPECT_THAT(symbols.line(program, function.begin),
                  testing::EndsWith(function.name == "step" ? "app.c:1" : "app.c:5"));
      EXPECT_THAT(symbols.line(program, function.end - 1),
                  testing::EndsWith(function.name == "step" ? "app.c:3" : "app.c:7"));
    }
    EXPECT_EQ(symbols.line(program, 0), "");
    EXPECT_EQ(symbols.line(program, ~std::uint64_t{0}), "");
  }
  std::filesystem::remove_all(folder);
  if (!compiled) GTEST_SKIP() << "no compiler";
}

// Offsets count from the first address that is loaded, which programs at fixed addresses do not
// have at 0.
TEST(HostSymbolsTest, OffsetsCountFromTheFirstLoadedAddress) {
  constexpr std::uint64_t kMoved = 0x1000;
  const Result<MappedFile> file = MappedFile::open(std::filesystem::read_symlink("/proc/self/exe"));
  ASSERT_TRUE(file.ok());
  std::vector<std::uint8_t> bytes(file->bytes().begin(), file->bytes().end());
  Cursor header(bytes);
  header.seek(0x20);
  const std::uint64_t segments = header.u64();
  header.seek(0x36);
  const std::uint64_t entry_bytes = header.u16(), count = header.u16();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t at = segments + i * entry_bytes;
    if (bytes[at] != 1) continue;        // PT_LOAD
    bytes[at + 17] += kMoved >> 8;       // the second byte of its address,
    if (bytes[at + 17] < kMoved >> 8) {  // with carry
      ++bytes[at + 18];
    }
  }
  const auto begin_of = [](const std::vector<HostFunction>& functions) {
    const auto found = std::ranges::find_if(functions, [](const HostFunction& function) {
      return function.name.find("not_exported") != std::string::npos;
    });
    return found == functions.end() ? 0 : found->begin;
  };
  const std::uint64_t before = begin_of(host_functions(file->bytes()));
  ASSERT_GT(before, kMoved);
  EXPECT_EQ(begin_of(host_functions(bytes)), before - kMoved);
}

TEST(HostSymbolsTest, CutFilesAreRead) {
  const Result<MappedFile> file = MappedFile::open(std::filesystem::read_symlink("/proc/self/exe"));
  ASSERT_TRUE(file.ok());
  const std::size_t size = file->bytes().size();
  for (const std::size_t part :
       {size / 2, size / 4, std::size_t{64}, std::size_t{63}, std::size_t{5}}) {
    host_functions(file->bytes().first(part));  // must end, and read nothing outside
  }
}

}  // namespace
}  // namespace burin::capture
