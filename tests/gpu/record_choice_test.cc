// Which launches are kept.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "gpu/record/choice.h"
#include "gpu/record/cubin_names.h"
#include "gpu/record/modules.h"
#include "gpu/record/settings.h"

namespace burin::gpu {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The numbers of the kept ones among so many launches of one kernel.
std::vector<int> kept(const RecordSettings& settings, int launches, const std::string& name = "f",
                      const std::vector<std::string>& ranges = {}) {
  Choice choice(settings);
  std::vector<int> numbers;
  for (int i = 1; i <= launches; ++i) {
    const auto now = static_cast<std::uint64_t>(i) * 1000000;
    if (choice.consider(choice.kernel(name), ranges, now).keep) numbers.push_back(i);
  }
  return numbers;
}

TEST(RecordChoiceTest, AllUnlessToldOtherwise) {
  EXPECT_THAT(kept({}, 3), ElementsAre(1, 2, 3));
}

TEST(RecordChoiceTest, FirstEveryAndPerKernel) {
  EXPECT_THAT(kept({.first = 2}, 5), ElementsAre(1, 2));
  EXPECT_THAT(kept({.every = 2}, 5), ElementsAre(1, 3, 5));
  EXPECT_THAT(kept({.first = 2, .every = 2}, 9), ElementsAre(1, 3));
  EXPECT_THAT(kept({.per_kernel = 1}, 5), ElementsAre(1));
}

TEST(RecordChoiceTest, MemoryOfTheFirstLaunchOfEachShape) {
  Choice choice({.memory = {parse_memory_wish("f:auto")}});
  const auto wanted = [&](const std::string& kernel, std::uint32_t blocks) {
    const Verdict verdict =
        choice.consider(choice.kernel(kernel), {}, 1, {blocks, 1, 1, 256, 1, 1});
    EXPECT_EQ(verdict.memory, verdict.needed_only);
    return verdict.memory;
  };
  EXPECT_TRUE(wanted("f", 10));
  EXPECT_FALSE(wanted("f", 10));
  EXPECT_TRUE(wanted("f", 11));
  EXPECT_FALSE(wanted("g", 10));
}

TEST(RecordChoiceTest, ByMangledAndReadableName) {
  EXPECT_THAT(kept({.kernel = "gemm<float>"}, 1, "_Z4gemmIfEvPT_"), ElementsAre(1));
  EXPECT_THAT(kept({.kernel = "^_Z4gemm"}, 1, "_Z4gemmIfEvPT_"), ElementsAre(1));
  EXPECT_THAT(kept({.kernel = "axpy"}, 1, "_Z4gemmIfEvPT_"), IsEmpty());
}

// Its 30 levels would be gigabytes of text: such a name is held against as it is.
TEST(RecordChoiceTest, NamesThatUnfoldWithoutEndStayMangled) {
  std::string name = "_Z1f1pI1aS0_E";
  for (int i = 0; i < 30; ++i) {
    const char digit = static_cast<char>(i < 9 ? '1' + i : 'A' + i - 9);
    name += std::string("S_IS") + digit + "_S" + digit + "_E";
  }
  EXPECT_THAT(kept({.kernel = "^_Z1f1p"}, 1, name), ElementsAre(1));
  EXPECT_THAT(kept({.kernel = "p<a, a>"}, 1, name), IsEmpty());
}

TEST(RecordChoiceTest, InsideARange) {
  EXPECT_THAT(kept({.range = "step"}, 1, "f", {"epoch", "step"}), ElementsAre(1));
  EXPECT_THAT(kept({.range = "step"}, 1, "f", {"epoch"}), IsEmpty());
}

TEST(RecordChoiceTest, ForAWhile) {
  EXPECT_THAT(kept({.milliseconds = 2}, 5), ElementsAre(1, 2));
}

TEST(RecordChoiceTest, LaunchesWithMemoryAreAlwaysKept) {
  RecordSettings settings{.first = 1, .memory = {{"f", 3}}};
  Choice choice(settings);
  std::vector<int> with_memory;
  for (int i = 1; i <= 4; ++i) {
    const Verdict verdict = choice.consider(choice.kernel("f"), {}, 1);
    if (verdict.memory) with_memory.push_back(i);
    EXPECT_EQ(verdict.keep, i == 1 || i == 3);
  }
  EXPECT_THAT(with_memory, ElementsAre(3));
}

// "f:2" is the second launch in the range that is recorded, and of each kernel.
TEST(RecordChoiceTest, MemoryIsCountedByKernelInsideTheRange) {
  Choice choice({.range = "step", .memory = {{"f|g", 2}}});
  const auto has_memory = [&](const std::string& kernel, const std::vector<std::string>& ranges) {
    return choice.consider(choice.kernel(kernel), ranges, 1).memory;
  };
  EXPECT_FALSE(has_memory("f", {}));
  EXPECT_FALSE(has_memory("f", {"step"}));
  EXPECT_FALSE(has_memory("g", {"step"}));
  EXPECT_FALSE(has_memory("f", {}));
  EXPECT_TRUE(has_memory("f", {"step"}));
  EXPECT_TRUE(has_memory("g", {"step"}));
  EXPECT_FALSE(has_memory("f", {"step"}));
}

TEST(RecordChoiceTest, MemoryOfAllLaunches) {
  Choice choice({.memory = {{"gemm", MemoryWish::kAll}}});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(choice.consider(choice.kernel("gemm"), {}, 1).memory);
  EXPECT_FALSE(choice.consider(choice.kernel("axpy"), {}, 1).memory);
}

TEST(RecordSettingsTest, GoThroughTheEnvironment) {
  RecordSettings settings{.folder = "/tmp/a=b", .cupti = {"libcupti.so.13", "/x/libcupti.so"}};
  settings.samples = false;
  settings.serialize = true;
  settings.kernel = "a|b=.*";
  settings.memory = {{"gemm:x", 3}, {".*", MemoryWish::kAll}};
  const Result<RecordSettings> again = parse_settings(write_settings(settings));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(write_settings(*again), write_settings(settings));
  EXPECT_EQ(again->folder, "/tmp/a=b");
  EXPECT_FALSE(again->samples);
  EXPECT_EQ(again->memory[0].kernel, "gemm:x");
  EXPECT_EQ(again->memory[0].number, 3u);
  EXPECT_EQ(again->memory[1].number, MemoryWish::kAll);
}

TEST(RecordSettingsTest, RefusesWhatItDoesNotUnderstand) {
  EXPECT_THAT(parse_settings("colour=red").error().message, HasSubstr("colour=red"));
  EXPECT_THAT(parse_settings("first=many").error().message, HasSubstr("first=many"));
  EXPECT_THAT(parse_settings("kernel=(").error().message, HasSubstr("not a regular expression"));
}

TEST(RecordSettingsTest, MemoryWishes) {
  EXPECT_EQ(parse_memory_wish("gemm").number, 1u);
  EXPECT_EQ(parse_memory_wish("gemm:12").number, 12u);
  EXPECT_EQ(parse_memory_wish("a::b").kernel, "a::b");
  EXPECT_EQ(parse_memory_wish("a::b:all").kernel, "a::b");
  EXPECT_EQ(parse_memory_wish("a::b:all").number, MemoryWish::kAll);
}

// CUPTI has one checksum for different kernels of cuBLAS, whose cubins are of one size as well.
TEST(RecordModulesTest, CubinsAreToldApartByTheirContents) {
  capture::SpoolWriter out;
  Choice choice({});
  Modules modules(out, choice, false);
  const std::vector<std::uint8_t> one(100, 1), other(100, 2);
  EXPECT_EQ(modules.add(one, 7), 1u);
  EXPECT_EQ(modules.add(other, 7), 2u);
  EXPECT_EQ(modules.add(one, 7), 1u);
}

TEST(RecordModulesTest, FunctionsOfACubin) {
  const Result<MappedFile> cubin =
      MappedFile::open(BURIN_SOURCE_DIR "/examples/transpose.sm_90.cubin");
  ASSERT_TRUE(cubin.ok());
  EXPECT_THAT(function_names(cubin->bytes()), Contains("transpose_padded"));
  EXPECT_THAT(function_names(cubin->bytes().first(100)), IsEmpty());
  EXPECT_THAT(function_names({}), IsEmpty());
}

}  // namespace
}  // namespace burin::gpu
