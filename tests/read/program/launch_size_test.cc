// Which of threadIdx, blockIdx, blockDim and gridDim does the code read, along which axis?
#include "read/program/launch_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/file.h"
#include "read/binary/container.h"

namespace burin::read {
namespace {

using testing::ElementsAre;

struct Example {
  explicit Example(const std::string& name) {
    Result<MappedFile> opened =
        MappedFile::open(BURIN_SOURCE_DIR "/examples/" + name + ".sm_90.cubin");
    if (!opened) throw std::runtime_error(opened.error().message);
    file.emplace(std::move(*opened));
    image = std::move(*load(open_container(file->bytes())->entries.at(0)));
    for (const Function& function : image.functions) {
      if (function.name == name) kernel = std::move(*build_kernel(image, function));
    }
  }

  std::optional<MappedFile> file;
  Image image;
  Kernel kernel;
};

// transpose.cu: a tile of 32 × 32 by blocks of 32 × 8, all of them constants.
TEST(LaunchSize, OfATransposition) {
  const Example transpose("transpose");
  EXPECT_THAT(block_indices_read(transpose.kernel), ElementsAre(true, true, false));
  EXPECT_TRUE(reads_thread_axis(transpose.kernel, 0));
  EXPECT_TRUE(reads_thread_axis(transpose.kernel, 1));
  EXPECT_FALSE(reads_thread_axis(transpose.kernel, 2));
  EXPECT_FALSE(reads_block_size(transpose.kernel));
  EXPECT_FALSE(reads_grid_size(transpose.kernel));
}

// reduction.cu: a loop over the grid; blockDim.x is a constant.
TEST(LaunchSize, OfALoopOverTheGrid) {
  const Example reduction("reduction");
  EXPECT_THAT(block_indices_read(reduction.kernel), ElementsAre(true, false, false));
  EXPECT_THAT(grid_sizes_read(reduction.kernel), ElementsAre(true, false, false));
  EXPECT_TRUE(reads_thread_axis(reduction.kernel, 0));
  EXPECT_FALSE(reads_thread_axis(reduction.kernel, 1));
}

// vector_add.cu reads blockDim.x.
TEST(LaunchSize, OfTheBlock) {
  const Example add("vector_add");
  EXPECT_TRUE(reads_block_size(add.kernel));
  EXPECT_TRUE(reads_thread_axis(add.kernel, 0));
  EXPECT_FALSE(reads_thread_axis(add.kernel, 1));
}

}  // namespace
}  // namespace burin::read
