// Is what a capture has no contents for filled with what the kernel takes it for?
#include "advise/patterns/code/likely_contents.h"

#include <gtest/gtest.h>

#include <cstring>

#include "advised.h"
#include "timing/timed_launch.h"

namespace burin::advise {
namespace {

// A launch as a capture without memory has it: buffers at addresses, of which only the size is
// known.
launch::Launch captured(const launch::Launch& launch) {
  launch::Launch other = launch;
  std::uint64_t next = 0x7f0000000000;
  for (launch::Argument& argument : other.arguments) {
    const launch::Buffer* buffer = argument.buffer();
    if (buffer == nullptr) continue;
    other.memory.push_back({"memory", next, launch::Buffer{.size = buffer->size}});
    std::vector<std::uint8_t> bytes(8);
    std::memcpy(bytes.data(), &next, 8);
    next += (buffer->size + 0xfffff) & ~std::uint64_t{0xfffff};
    argument.value = std::move(bytes);
  }
  return other;
}

std::optional<launch::Launch> likely(const std::string& line) {
  const timing::TimedLaunch launch(line);
  const Result<read::Kernel> kernel =
      read::build_kernel(*launch.kernel().image, *launch.kernel().function);
  if (!kernel) throw std::runtime_error(kernel.error().message);
  return likely_launch(*kernel, captured(launch.launch()), timing::h200(), {});
}

TEST(LikelyContents, FloatsIndicesAndRowPointersOfASparseMatrix) {
  const std::optional<launch::Launch> filled = likely("spmv_scalar/large");
  ASSERT_TRUE(filled);
  const std::vector<launch::PlacedBuffer>& memory = filled->memory;
  ASSERT_EQ(memory.size(), 5u);
  EXPECT_EQ(memory[0].buffer.kind, launch::Fill::kRowptr);
  EXPECT_EQ(memory[0].buffer.limit, 12u);  // 72,000 entries in 6,000 rows
  EXPECT_EQ(memory[1].buffer.kind, launch::Fill::kInt);
  EXPECT_EQ(memory[1].buffer.limit, 6000u);  // elements of x
  EXPECT_EQ(memory[2].buffer.kind, launch::Fill::kF32);
  EXPECT_EQ(memory[3].buffer.kind, launch::Fill::kF32);
  EXPECT_EQ(memory[4].buffer.kind, launch::Fill::kNone);  // is only written
}

TEST(LikelyContents, DoublesAndBytes) {
  const std::optional<launch::Launch> sparse = likely("spmv_vector/odd");
  ASSERT_TRUE(sparse);
  EXPECT_EQ(sparse->memory[2].buffer.kind, launch::Fill::kF64);
  const std::optional<launch::Launch> histogram = likely("histogram_global/odd");
  ASSERT_TRUE(histogram);
  EXPECT_EQ(histogram->memory[0].buffer.kind, launch::Fill::kU8);
}

TEST(LikelyContents, IntegersAreOfTheKindsThatAreAskedFor) {
  const timing::TimedLaunch launch("tissue_doses", "tissue_doses",
                                   {.grid = {8},
                                    .block = {256},
                                    .arguments = {"buf:8192:int:3", "buf:8192:f32", "buf:8192:f32",
                                                  "buf:8192:undef", "i32:2048", "i32:20"}});
  const Result<read::Kernel> kernel =
      read::build_kernel(*launch.kernel().image, *launch.kernel().function);
  ASSERT_TRUE(kernel.ok());
  const std::optional<launch::Launch> filled =
      likely_launch(*kernel, captured(launch.launch()), timing::h200(), {});
  ASSERT_TRUE(filled);
  EXPECT_EQ(filled->memory[0].buffer.kind, launch::Fill::kInt);
  EXPECT_EQ(filled->memory[0].buffer.limit, 3u);  // air, soft or bone
}

// Rows of a dense matrix are chosen, of which only the kernel knows how long they are.
TEST(LikelyContents, IndicesLeadToMemoryThatIsThere) {
  const std::optional<launch::Launch> filled = likely("spmm/large");
  ASSERT_TRUE(filled);
  const launch::Buffer& columns = filled->memory[1].buffer;
  const launch::Buffer& dense = filled->memory[3].buffer;
  EXPECT_EQ(columns.kind, launch::Fill::kInt);
  EXPECT_LT(columns.limit, dense.size / 4 / 8);
  EXPECT_GT(columns.limit, 1u);
}

TEST(LikelyContents, NothingWhereAllIsKnown) {
  const timing::TimedLaunch launch("saxpy/odd");
  const Result<read::Kernel> kernel =
      read::build_kernel(*launch.kernel().image, *launch.kernel().function);
  ASSERT_TRUE(kernel);
  EXPECT_FALSE(likely_launch(*kernel, launch.launch(), timing::h200(), {}));
}

TEST(LikelyContents, IsTold) {
  std::vector<Finding> findings(2);
  findings[0].speedup_emulated = 1.5;
  findings[0].confidence = findings[1].confidence = 0.5;
  note_made_up_contents(findings);
  EXPECT_LT(findings[0].confidence, 0.5);
  EXPECT_NE(findings[0].trust.find("memory contents were synthesised"), std::string::npos);
  EXPECT_EQ(findings[1].confidence, 0.5);
}

}  // namespace
}  // namespace burin::advise
