// What NVIDIA's own compilers do, where they are installed: NVRTC and nvcc must agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "toolchain/compile.h"
#include "toolchain/pool.h"
#include "toolchain/tools.h"

namespace burin::toolchain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kSource = R"(#include <cuda_runtime.h>
#include <stdint.h>
#include <cstdio>
#include <math.h>
#include "tile.h"
namespace tiles {
template <int N, typename T>
__global__ void scale(T* a, uint64_t n) {
  const uint64_t i = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * N * FACTOR + (T)M_PI + TILE;
}
}
extern "C" __global__ void plain(float* a) { a[threadIdx.x] = INFINITY; }
)";

class RealCompilersTest : public testing::TestWithParam<Compiler> {
 protected:
  void SetUp() override {
    if (!find_tool("nvcc")) GTEST_SKIP() << "no nvcc here";
    if (!find_nvrtc()) GTEST_SKIP() << "no NVRTC here";
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
    write("tile.h", "#define FACTOR 2\n");
    write("a.cu", kSource);
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }
  CompileRequest request() const {
    return {.source = folder_ + "/a.cu",
            .arch = "sm_90",
            .defines = {"TILE=32"},
            .max_registers = 32,
            .compiler = GetParam(),
            .name_expressions = {"tiles::scale<4, float>", "plain"}};
  }

  std::string folder_;
};

TEST_P(RealCompilersTest, CompileAKernelWithItsInstances) {
  const Result<Compiled> made = compile(request(), CompileCache(""));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->compiler, GetParam());
  EXPECT_THAT(made->lowered_names, ElementsAre("_ZN5tiles5scaleILi4EfEEvPT0_m", "plain"));
  ASSERT_GT(made->cubin.size(), 64u);
  EXPECT_EQ(std::string(made->cubin.begin(), made->cubin.begin() + 4),
            "\x7f"
            "ELF");
  const std::string cubin(made->cubin.begin(), made->cubin.end());
  EXPECT_THAT(cubin, HasSubstr(".text._ZN5tiles5scaleILi4EfEEvPT0_m"));
  EXPECT_THAT(cubin, HasSubstr("a.cu")) << "line information";
  EXPECT_THAT(cubin, testing::Not(HasSubstr("burin_instance")));
}

TEST_P(RealCompilersTest, WritePtx) {
  CompileRequest asked = request();
  asked.output = CompileRequest::Output::kPtx;
  const Result<Compiled> made = compile(asked, CompileCache(""));
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_THAT(made->ptx, HasSubstr(".target sm_90"));
  EXPECT_THAT(made->ptx, HasSubstr(".entry _ZN5tiles5scaleILi4EfEEvPT0_m(\n"));
  EXPECT_THAT(made->ptx, HasSubstr(".loc")) << "line information";
  EXPECT_THAT(made->ptx, testing::Not(HasSubstr("burin_instance")));
  EXPECT_EQ(made->ptx.find('\0'), std::string::npos);
}

TEST_P(RealCompilersTest, NameWhatIsWrong) {
  CompileRequest asked = request();
  asked.name_expressions = {"tiles::none<4>"};
  EXPECT_THAT(compile(asked, CompileCache("")).error().message,
              HasSubstr("namespace \"tiles\" has no member \"none\""));
  write("a.cu", "__global__ void k(float* a) { a[0] = x; }");
  asked.name_expressions = {};
  EXPECT_THAT(compile(asked, CompileCache("")).error().message,
              HasSubstr("a.cu(1): error: identifier \"x\" is undefined"));
}

TEST_P(RealCompilersTest, WorkInThePoolToo) {
  CompilePool pool(BURIN_BINARY, 2, CompileCache(""));
  CompileRequest asked = request();
  const auto first = pool.submit(asked);
  asked.defines = {"TILE=16"};
  const auto second = pool.submit(asked);
  const Result<Compiled> here = compile(asked, CompileCache(""));
  ASSERT_TRUE(pool.wait(first));
  const Result<Compiled> there = pool.wait(second);
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_EQ(there->cubin, here->cubin);
  EXPECT_EQ(there->lowered_names, here->lowered_names);
}

INSTANTIATE_TEST_SUITE_P(All, RealCompilersTest, testing::Values(Compiler::kNvcc, Compiler::kNvrtc),
                         [](const auto& compiler) {
                           return compiler.param == Compiler::kNvcc ? "nvcc" : "NVRTC";
                         });

}  // namespace
}  // namespace burin::toolchain
