// `burin run --device`, over a fake of NVIDIA's libraries that can compute vector_add.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/command.h"

namespace burin::test {
namespace {

using testing::HasSubstr;

Ran run_with(const std::string& variables, const std::string& more) {
  return shell("export BURIN_LIBCUDA=" BURIN_FAKE_NVIDIA " BURIN_LIBCUPTI=" BURIN_FAKE_NVIDIA
               " BURIN_LIBNVML=" BURIN_FAKE_NVIDIA " " +
               variables +
               "; exec $BURIN run examples/vector_add.sm_90.cubin --grid 4 --block 256 --arg "
               "buf:4000:f32 --arg buf:4000:f32 --arg buf:4000:undef --arg i32:1000 " +
               more);
}

TEST(DeviceRun, TimesAndAgrees) {
  const Ran ran = run_with("", "--device cuda:0");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("on cuda:0 (Fake GPU, driver 580.00.01): 2.50 µs, median of 20 "
                        "launches; interquartile range 2.50 to 2.50 µs, 1980 MHz, caches flushed\n"
                        "3 buffers match the emulator's result bit for bit\n"));
}

TEST(DeviceRun, WarmCachesAndEvents) {
  const Ran ran = run_with("BURIN_LIBCUPTI=none", "--device cuda:0 --cache warm --launches 30");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("5.50 µs, median of 30 launches"));
  EXPECT_THAT(ran.out, HasSubstr("caches warm\ntimed with CUDA events"));
}

TEST(DeviceRun, ADifferenceIsShownAndIsAGate) {
  const Ran ran = run_with("BURIN_FAKE=noise", "--device cuda:0");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("argument 2 differs from cuda:0 in 1 of 1,000 elements"));
  EXPECT_THAT(ran.out, HasSubstr("2 buffers match the emulator's result bit for bit\n"));
}

TEST(DeviceRun, Json) {
  const Ran ran = run_with("", "--device cuda:0 --json");
  ASSERT_EQ(ran.status, 0) << ran.err;
  const auto document = nlohmann::json::parse(ran.out);
  const auto& device = document["device"];
  EXPECT_EQ(device["name"], "cuda:0");
  EXPECT_EQ(device["median_us"], 2.5);
  EXPECT_EQ(device["times_us"].size(), 20u);
  EXPECT_EQ(device["agrees"], true);
  EXPECT_EQ(device["buffers"].size(), 3u);
}

TEST(DeviceRun, ErrorsAreOneLine) {
  const auto refusal = [](const Ran& ran, int status) {
    EXPECT_EQ(ran.status, status);
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    return ran.err;
  };
  EXPECT_THAT(refusal(run_with("BURIN_FAKE=fault", "--device cuda:0"), 4),
              HasSubstr("an illegal memory access was encountered"));
  EXPECT_THAT(refusal(run_with("", "--device cuda:1"), 4), HasSubstr("cuda:1 does not exist"));
  EXPECT_THAT(refusal(run_with("", "--device gpu"), 2), HasSubstr("a GPU is cuda:N"));
  EXPECT_THAT(refusal(run_with("", "--device cuda:0 --launches 3"), 2),
              HasSubstr("--launches: expected a whole number from 20 to 10000, not '3'"));
  EXPECT_THAT(refusal(run_with("BURIN_LIBCUDA=none", "--device cuda:0"), 4),
              HasSubstr("no NVIDIA driver found"));
}

TEST(Worker, IsNotForUsers) {
  EXPECT_EQ(burin("--help").out.find("worker"), std::string::npos);
  EXPECT_EQ(burin("completion bash").out.find("worker"), std::string::npos);
  const Ran ran = shell("echo '{}' | $BURIN worker");
  EXPECT_EQ(ran.status, 4);
  EXPECT_THAT(ran.out, HasSubstr("the worker's request is invalid: schema is missing"));
}

}  // namespace
}  // namespace burin::test
