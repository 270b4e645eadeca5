// burin's own PTX kernels, assembled by ptxas and run in the emulator, against the comparison on
// the host. Skipped without a toolkit.
#include "gpu/comparer_ptx.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <span>

#include "base/child.h"
#include "base/file.h"
#include "base/format.h"
#include "gpu/buffer_contents.h"
#include "launch/compare.h"
#include "measure/scratch_folder.h"

namespace burin::gpu {
namespace {

class ComparerPtxTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string ptxas = find_program("ptxas", {"/usr/local/cuda/bin"});
    if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas";
    folder_ = *measure::ScratchFolder::make();
    std::ofstream(file("comparer.ptx")) << kComparerPtx;
    const Answer assembled =
        run_program(ptxas, {"-arch=sm_90", "-o", file("comparer.cubin"), file("comparer.ptx")}, 60);
    ASSERT_TRUE(assembled.ok()) << assembled.text;
  }

  std::string file(const std::string& name) const { return folder_->path() + "/" + name; }

  void write(const std::string& name, Bytes bytes) const {
    std::ofstream(file(name), std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  template <typename T>
  static Bytes bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)};
  }

  // What the kernel leaves in its results, which begin with `initial`.
  std::vector<std::uint64_t> results(const std::string& kernel, std::vector<std::string> arguments,
                                     const std::vector<std::uint64_t>& initial) const {
    write("initial", bytes_of(initial));
    arguments.push_back(fmt::format("buf:{}:file:{}", initial.size() * 8, file("initial")));
    std::vector<std::string> words{
        "run",      file("comparer.cubin"),
        "--kernel", kernel,
        "--grid",   "2",
        "--block",  "64",
        "--out",    fmt::format("{}={}", arguments.size() - 1, file("results"))};
    for (const std::string& argument : arguments) words.insert(words.end(), {"--arg", argument});
    const Answer ran = run_program(BURIN_BINARY, words, 60);
    EXPECT_TRUE(ran.ok()) << ran.text;
    std::vector<std::uint64_t> left(initial.size());
    const Result<MappedFile> contents = MappedFile::open(file("results"));
    EXPECT_TRUE(contents.ok());
    if (contents) std::memcpy(left.data(), contents->bytes().data(), left.size() * 8);
    return left;
  }

  template <typename T>
  void expect_same_as_host(launch::ElementType type, std::optional<double> tolerance,
                           const std::vector<T>& got, const std::vector<T>& expected) const {
    launch::Comparer host(type, tolerance);
    host.add(bytes_of(got), bytes_of(expected));
    write("got", bytes_of(got));
    write("expected", bytes_of(expected));
    const auto buffer = [&](const std::string& name) {
      return fmt::format("buf:{}:file:{}", got.size() * sizeof(T), file(name));
    };
    const std::vector<std::uint64_t> left = results(
        "burin_compare",
        {buffer("got"), buffer("expected"), fmt::format("u64:{}", got.size()),
         fmt::format("u64:{}", static_cast<unsigned>(type)),
         fmt::format("u64:{}", tolerance ? 1 : 0), fmt::format("f64:{}", tolerance.value_or(0))},
        {0, ~std::uint64_t{0}, 0});
    SCOPED_TRACE(fmt::format("{} {}", launch::name(type), tolerance.value_or(-1)));
    EXPECT_EQ(left[0], host.result().different);
    if (host.result().equal()) return;
    EXPECT_EQ(left[1], host.result().first);
    EXPECT_EQ(std::bit_cast<double>(left[2]), host.result().largest_error);
  }

  std::shared_ptr<measure::ScratchFolder> folder_;
};

TEST_F(ComparerPtxTest, FloatingPoint) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 100);
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> expected(300), got;
  for (float& value : expected) value = normal(random);
  got = expected;
  for (std::size_t i = 40; i < got.size(); i += 3) got[i] *= i % 2 == 0 ? 1.0001f : 1.01f;
  got[7] = expected[7] = kNan;
  got[7] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(kNan) ^ 1);
  got[150] = kNan;
  expected[151] = kNan;
  got[152] = kInfinity;
  expected[153] = -kInfinity;
  got[154] = expected[154] = kInfinity;
  for (const auto tolerance : {std::optional<double>(), std::optional(1e-3), std::optional(0.0)}) {
    expect_same_as_host(launch::ElementType::kF32, tolerance, got, expected);
    const std::vector<double> wide_got(got.begin(), got.end());
    const std::vector<double> wide_expected(expected.begin(), expected.end());
    expect_same_as_host(launch::ElementType::kF64, tolerance, wide_got, wide_expected);
    // The upper halves of the floats are bf16; as halves they are any numbers.
    std::vector<std::uint16_t> half_got, half_expected;
    for (std::size_t i = 0; i < got.size(); ++i) {
      half_got.push_back(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(got[i]) >> 16));
      half_expected.push_back(
          static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(expected[i]) >> 16));
    }
    expect_same_as_host(launch::ElementType::kBf16, tolerance, half_got, half_expected);
    expect_same_as_host(launch::ElementType::kF16, tolerance, half_got, half_expected);
  }
}

TEST_F(ComparerPtxTest, Integers) {
  std::vector<std::uint32_t> expected(200), got;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<std::uint32_t>(i * 0x9e3779b9);
  }
  got = expected;
  expect_same_as_host(launch::ElementType::kU32, std::nullopt, got, expected);
  got[120] ^= 0x80000000;
  got[199] ^= 1;
  expect_same_as_host(launch::ElementType::kU32, std::nullopt, got, expected);
  std::vector<std::uint8_t> bytes(100, 7), others(100, 7);
  others[99] = 200;
  expect_same_as_host(launch::ElementType::kU8, std::nullopt, bytes, others);
}

TEST_F(ComparerPtxTest, TheDigestIsThatOfTheHost) {
  std::vector<std::uint64_t> words(300);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i * i;
  write("words", bytes_of(words));
  const std::vector<std::uint64_t> left =
      results("burin_digest", {fmt::format("buf:2400:file:{}", file("words")), "u64:300"}, {0});
  EXPECT_EQ(left[0], digest_of(bytes_of(words), 0));
  std::swap(words[3], words[4]);
  EXPECT_NE(left[0], digest_of(bytes_of(words), 0));
}

}  // namespace
}  // namespace burin::gpu
