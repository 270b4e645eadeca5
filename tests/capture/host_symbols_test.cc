// Names of functions that the dynamic linker does not know.
#include "capture/assemble/host_symbols.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"

namespace burin {
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

// Distributions strip their libraries of all other names.
TEST(HostSymbolsTest, FunctionsThatALibraryExports) {
  const auto function = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "qsort"));
  Dl_info info{};
  ASSERT_NE(::dladdr(reinterpret_cast<void*>(function), &info), 0);
  HostSymbols symbols;
  EXPECT_EQ(
      symbols.find(info.dli_fname, function - reinterpret_cast<std::uintptr_t>(info.dli_fbase)),
      "qsort");
}

TEST(HostSymbolsTest, NothingWhereThereIsNoTable) {
  HostSymbols symbols;
  EXPECT_EQ(symbols.find("/no/such/file", 16), "");
  EXPECT_EQ(symbols.find("/proc/self/maps", 16), "");
  EXPECT_EQ(symbols.find(BURIN_SOURCE_DIR "/README.md", 16), "");
  EXPECT_THAT(host_functions({}), testing::IsEmpty());
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
}  // namespace burin
