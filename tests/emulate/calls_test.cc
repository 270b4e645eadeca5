// Are the functions that the driver provides executed as CUDA does: printf, malloc, free, assert?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulate/execute/device_print.h"
#include "emulate/launched.h"
#include "emulate/memory/device_heap.h"

namespace burin::emulate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(DeviceCalls, PrintfPrintsInTheOrderOfTheBlocks) {
  for (const unsigned sm : {80u, 90u}) {
    Launched::Shape shape{.grid = {2}, .block = {64}, .arguments = {"i32:2", "f32:1.5"}, .sm = sm};
    shape.options.threads = 2;
    const Launched run("calls", "print", shape);
    EXPECT_EQ(run.error(), "");
    EXPECT_EQ(run.run().printed,
              "block 0 thread 0: 0.00 word 1099511627776 q 0xff 100%\n"
              "block 0 thread 1: 1.50 word 1099511627776 q 0xff 100%\n"
              "block 1 thread 0: 0.00 word 1099511627776 q 0xff 100%\n"
              "block 1 thread 1: 1.50 word 1099511627776 q 0xff 100%\n");
  }
}

TEST(DeviceCalls, MallocGivesEachThreadItsOwn) {
  const Launched run("calls", "allocate",
                     {.grid = {2}, .block = {64}, .arguments = {"u64:4", "buf:256:undef"}});
  EXPECT_EQ(run.error(), "");
  EXPECT_TRUE(run.run().faults.empty());
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(run.word(1, t), 6 * t);
}

TEST(DeviceCalls, AnExhaustedHeapGivesNull) {
  // 8 MiB, as CUDA's heap has unless a program asks for more: three pieces of 2.5 MiB.
  const Launched run("calls", "keep", {.block = {4}, .arguments = {"u64:2621440", "buf:16:undef"}});
  EXPECT_EQ(run.words(1, 0, 4), (Words{1, 1, 1, 0}));
  const Launched all("calls", "allocate",
                     {.block = {1}, .arguments = {"u64:100000000", "buf:4:undef"}});
  EXPECT_EQ(all.word(1, 0), 0xffffffff);
}

TEST(DeviceCalls, FreeingTwiceIsAFault) {
  const Launched run("calls", "free_twice", {.block = {1}, .arguments = {"buf:4:zero"}});
  const Fault* fault = run.fault(Fault::Kind::kInvalidFree);
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(run.line_of(fault->instruction), run.line("out[0] = 1") - 1);
}

TEST(DeviceCalls, AFailedAssertionSaysWhichAndWhere) {
  const Launched run("calls", "check", {.block = {64}, .arguments = {"buf:256:zero"}});
  EXPECT_THAT(run.error(), AllOf(StartsWith("assertion `x[threadIdx.x] > 0` failed at "),
                                 HasSubstr("calls.cu:" + std::to_string(run.line("assert(x")) +
                                           " in block 0,0,0 thread 0,0,0")));
  ASSERT_NE(run.fault(Fault::Kind::kAssert), nullptr);
  const Launched good("calls", "check", {.block = {64}, .arguments = {"buf:256:int:1000000"}});
  EXPECT_EQ(good.fault(Fault::Kind::kAssert), nullptr);
}

TEST(DeviceCalls, AStackThatOverflowsIsSaidToDoSo) {
  const Launched run("calls", "recurse", {.block = {32}, .arguments = {"i32:40", "buf:256:zero"}});
  EXPECT_THAT(run.error(), AllOf(StartsWith("stack overflow at "), HasSubstr("calls.cu:"),
                                 HasSubstr("exceeds its 1024 bytes (cudaLimitStackSize)")));
  EXPECT_NE(run.fault(Fault::Kind::kStackOverflow), nullptr);
  const Launched few("calls", "recurse", {.block = {32}, .arguments = {"i32:2", "buf:256:zero"}});
  EXPECT_EQ(few.error(), "");
}

std::string printed(std::string_view format, std::vector<std::uint32_t> words) {
  return format_print(format,
                      {.value = [&](unsigned at, unsigned bytes) -> std::optional<std::uint64_t> {
                         if (at / 4 + bytes / 4 > words.size()) return std::nullopt;
                         std::uint64_t value = words[at / 4];
                         if (bytes == 8) value |= std::uint64_t{words[at / 4 + 1]} << 32;
                         return value;
                       },
                       .string = [](std::uint64_t address) -> std::optional<std::string> {
                         if (address == 0) return std::nullopt;
                         return "text";
                       }})
      .text;
}

TEST(DevicePrint, ArgumentsLieAsCudaLaysThem) {
  EXPECT_EQ(printed("%d %5u|%-5d|%05d %x", {static_cast<std::uint32_t>(-1), 7, 7, 7, 255}),
            "-1     7|7    |00007 ff");
  EXPECT_EQ(printed("%d %f", {1, 0, 0, 0x3ff80000}), "1 1.500000") << "aligned to 8";
  EXPECT_EQ(printed("%ld %zu %p", {0, 1, 5, 0, 16, 0}), "4294967296 5 0x10");
  EXPECT_EQ(printed("%s|%.2s|%6s", {1, 0, 1, 0, 1, 0}), "text|te|  text");
  EXPECT_EQ(printed("%*d%%", {4, 7}), "   7%");
}

TEST(DevicePrint, WhatIsNotKnownIsSaid) {
  EXPECT_EQ(printed("%d %s", {}), "Unknown Unknown");
  EXPECT_EQ(printed("%s", {0, 0}), "Unknown");
  EXPECT_EQ(printed("%y %", {}), "%y %");
  EXPECT_EQ(printed("%999999999d", {1}).size(), 4096u);
}

TEST(DeviceHeap, FreedPiecesAreJoined) {
  DeviceHeap heap(1 << 20, 64);
  const std::uint64_t a = heap.allocate(20);
  const std::uint64_t b = heap.allocate(1);
  EXPECT_EQ(a, 1u << 20);
  EXPECT_EQ(b, a + 32);
  EXPECT_EQ(heap.allocate(17), 0u);
  EXPECT_TRUE(heap.release(a));
  EXPECT_FALSE(heap.release(a));
  EXPECT_FALSE(heap.release(a + 16));
  EXPECT_TRUE(heap.release(b));
  EXPECT_TRUE(heap.release(0));
  EXPECT_EQ(heap.allocate(64), a);
}

}  // namespace
}  // namespace burin::emulate
