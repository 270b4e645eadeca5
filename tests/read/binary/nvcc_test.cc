// The same sources through the nvcc of this machine, whichever version that is: what the kept
// binaries prove for one toolkit must hold for the next. Skipped where there is no nvcc.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "read/binary/data.h"

namespace burin::test {
namespace {

std::string nvcc() {
  for (const char* path : {"nvcc", "/usr/local/cuda/bin/nvcc"}) {
    if (std::system((std::string(path) + " --version >/dev/null 2>&1").c_str()) == 0) return path;
  }
  return "";
}

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    if (nvcc().empty())
      GTEST_SKIP() << "no nvcc here: the kept binaries are tested, fresh ones not";
    folder_ = std::filesystem::temp_directory_path() / ("burin-nvcc-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Compiles a source of tests/data/binary and opens the result.
  Result<read::Container> build(const std::string& options, const std::string& source) {
    const std::string out = (folder_ / "out").string();
    const std::string command = nvcc() + " " + options + " -o " + out +
                                " " BURIN_SOURCE_DIR "/tests/data/binary/" + source + " 2>" + out +
                                ".log";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    Result<MappedFile> file = MappedFile::open(out);
    if (!file) return file.error();
    file_.emplace(std::move(*file));
    return read::open_container(file_->bytes());
  }

 private:
  std::filesystem::path folder_;
  std::optional<MappedFile> file_;
};

TEST_F(Nvcc, ItsLineTablesFollowInlinedCalls) {
  for (const char* arch : {"sm_80", "sm_100"}) {
    const Result<read::Container> container =
        build(std::string("-lineinfo -cubin -arch=") + arch, "nested.cu");
    ASSERT_TRUE(container.ok());
    const Result<read::Image> image = load(container->entries.at(0));
    ASSERT_TRUE(image.ok());
    const read::Function& f = function(*image, "nested");
    bool found = false;
    for (std::uint32_t offset = 0; offset < f.code.size(); offset += 16)
      found |= chain_at(*image, f, offset) ==
               "nested.cu:3 inner(float) < nested.cu:6 middle(float, float) < nested.cu:13";
    EXPECT_TRUE(found) << arch;
  }
}

TEST_F(Nvcc, ItsExecutablesCarryEveryArchitecture) {
  const Result<read::Container> container = build(
      "-shared -Xcompiler -fPIC -gencode arch=compute_80,code=sm_80 "
      "-gencode arch=compute_90a,code=[sm_90a,compute_90a]",
      "resources.cu");
  ASSERT_TRUE(container.ok()) << container.error().message;
  std::string found;
  for (const read::Entry& entry : container->entries) {
    found += (entry.kind == read::Entry::Kind::kPtx ? "ptx " : "") + to_string(entry.arch) + " ";
    if (entry.kind != read::Entry::Kind::kCubin) continue;
    const Result<read::Image> image = load(entry);
    ASSERT_TRUE(image.ok());
    if (image->functions.empty()) continue;  // the linker adds an empty one
    EXPECT_EQ(function(*image, "_Z6barredPi").shared_bytes, 256u);
  }
  EXPECT_NE(found.find("sm_80 "), std::string::npos) << found;
  EXPECT_NE(found.find("sm_90a "), std::string::npos) << found;
  EXPECT_NE(found.find("ptx sm_90a "), std::string::npos) << found;
}

}  // namespace
}  // namespace burin::test
