// Is NVRTC used where it can be, and nvcc where it must be? NVRTC is fake/nvrtc.cc, nvcc a script.
#include "toolchain/nvrtc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "toolchain/fake_toolkit.h"
#include "toolchain/tools.h"

namespace burin::toolchain {
namespace {

namespace fs = std::filesystem;
using test::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NvrtcTest : public testing::Test {
 protected:
  NvrtcTest() { toolkit_.add_nvrtc(BURIN_FAKE_NVRTC); }

  std::string at(const std::string& name) const { return toolkit_.at(name); }
  CompileRequest request(Compiler compiler = Compiler::kAuto) const {
    return {.source = at("a.cu"), .compiler = compiler};
  }
  Result<Compiled> make(const CompileRequest& request) const {
    return compile(request, CompileCache(at("cache")));
  }
  CompileRequest with(const std::string& define) const {
    CompileRequest asked = request();
    asked.defines = {define};
    return asked;
  }

  test::FakeToolkit toolkit_;
};

TEST_F(NvrtcTest, AutoPrefersItAndCachesWhatItMade) {
  for (const bool cached : {false, true}) {
    const Result<Compiled> made = make(request());
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(text_of(*made), "-arch=sm_90 -lineinfo kernel");
    EXPECT_EQ(made->compiler, Compiler::kNvrtc);
    EXPECT_EQ(made->cached, cached);
  }
  EXPECT_EQ(toolkit_.nvrtc_calls(), 1u);
  EXPECT_EQ(toolkit_.nvcc_calls(), 0u);
}

TEST_F(NvrtcTest, UnlessAskedOtherwiseNvccCompiles) {
  const Result<Compiled> made = make({.source = at("a.cu")});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->compiler, Compiler::kNvcc);
  EXPECT_EQ(toolkit_.nvrtc_calls(), 0u);
}

TEST_F(NvrtcTest, OptionsNamesAndPtx) {
  CompileRequest asked = request(Compiler::kNvrtc);
  asked.arch = "sm_90a";
  asked.defines = {"TILE=32"};
  asked.max_registers = 40;
  asked.flags = {"-O3", "-Xptxas", "-v", "-I", "inc", "--use_fast_math"};
  asked.output = CompileRequest::Output::kPtx;
  asked.name_expressions = {"sum<4>", "plain"};
  for (const bool cached : {false, true}) {
    const Result<Compiled> made = make(asked);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->cached, cached);
    EXPECT_EQ(made->ptx,
              "//ptx -arch=compute_90a -lineinfo -DTILE=32 -maxrregcount=40 -Xptxas=-v "
              "--use_fast_math kernel");
    EXPECT_THAT(made->cubin, IsEmpty());
    EXPECT_THAT(made->lowered_names, ElementsAre("_Zsum<4>", "_Zplain"));
  }
}

TEST_F(NvrtcTest, WhateverChangesIsCompiledAgain) {
  toolkit_.write("a.cu", "#include \"header.h\"\n");
  ASSERT_TRUE(make(request()));
  EXPECT_FALSE(make(with("N=1"))->cached);
  EXPECT_TRUE(make(with("N=1"))->cached);
  toolkit_.write("header.h", "second");
  EXPECT_FALSE(make(with("N=1"))->cached);
  toolkit_.write("a.cu", "#include \"header.h\"\nother");
  EXPECT_FALSE(make(with("N=1"))->cached);
  EXPECT_TRUE(make(with("N=1"))->cached);
  // What is included is not known, so it may have changed.
  toolkit_.write("a.cu", "#include TABLE\n");
  EXPECT_FALSE(make(request())->cached);
  EXPECT_FALSE(make(request())->cached);
}

TEST_F(NvrtcTest, HostCodeGoesToNvccAndIsNotTriedAgain) {
  toolkit_.write("a.cu", "host_code");
  for (int i = 0; i < 5; ++i) {
    const Result<Compiled> made = make(with("N=" + std::to_string(i)));
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->compiler, Compiler::kNvcc);
  }
  EXPECT_EQ(toolkit_.nvrtc_calls(), 1u);
  EXPECT_EQ(toolkit_.nvcc_calls(), 5u);
  EXPECT_THAT(make(request(Compiler::kNvrtc)).error().message,
              HasSubstr("NVRTC failed:\n  " + at("a.cu") + "(1): error: host functions"));
}

TEST_F(NvrtcTest, AMistakeIsToldByNvcc) {
  toolkit_.write("a.cu", "wrong");
  EXPECT_THAT(make(request()).error().message, HasSubstr("nvcc failed:\n  " + at("a.cu")));
  // Both rejected it, which says nothing about NVRTC.
  EXPECT_THAT(make(request()).error().message, HasSubstr("nvcc failed"));
  EXPECT_EQ(toolkit_.nvrtc_calls(), 2u);
}

// One configuration of a source that NVRTC can compile: nvcc would only say the same, later.
TEST_F(NvrtcTest, AMistakeOfOneConfigurationIsToldByNvrtc) {
  ASSERT_TRUE(make(with("N=1")));
  const Result<Compiled> made = make(with("WRONG"));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            at("a.cu") + ": NVRTC failed:\n  " + at("a.cu") + "(1): error: NVRTC says so");
  EXPECT_EQ(made.error().exit, Exit::kInput);
  EXPECT_EQ(toolkit_.nvcc_calls(), 0u);
}

TEST_F(NvrtcTest, ATemplateThatDoesNotExistIsNamed) {
  CompileRequest asked = request(Compiler::kNvrtc);
  asked.name_expressions = {"none<4>"};
  EXPECT_THAT(make(asked).error().message, HasSubstr("identifier \"none\" is undefined"));
}

TEST_F(NvrtcTest, FlagsThatItDoesNotKnowGoToNvcc) {
  CompileRequest asked = request();
  asked.flags = {"--expt-relaxed-constexpr"};
  EXPECT_EQ(make(asked)->compiler, Compiler::kNvcc);
  EXPECT_EQ(toolkit_.nvrtc_calls(), 0u);
  asked.compiler = Compiler::kNvrtc;
  EXPECT_THAT(make(asked).error().message,
              HasSubstr("not for NVRTC: --expt-relaxed-constexpr; use nvcc"));
}

TEST_F(NvrtcTest, ACrashOfItIsNotOneOfBurin) {
  toolkit_.write("a.cu", "crash");
  EXPECT_EQ(make(request())->compiler, Compiler::kNvcc);
  EXPECT_THAT(make(request(Compiler::kNvrtc)).error().message, HasSubstr("NVRTC crashed"));
}

TEST_F(NvrtcTest, ACompilationWithoutEndIsGivenUp) {
  toolkit_.write("a.cu", "hang");
  CompileRequest asked = request();
  asked.limit_seconds = 0.3;
  EXPECT_THAT(make(asked).error().message, HasSubstr("NVRTC did not finish within 0.3 seconds"));
  EXPECT_EQ(toolkit_.nvcc_calls(), 0u);
}

TEST_F(NvrtcTest, WithoutItNvccCompiles) {
  fs::remove(at("toolkit/lib64/libnvrtc.so.13"));
  EXPECT_EQ(make(request())->compiler, Compiler::kNvcc);
  EXPECT_THAT(make(request(Compiler::kNvrtc)).error().message,
              HasSubstr("libnvrtc.so not found beside " + at("toolkit/bin/nvcc")));
}

TEST_F(NvrtcTest, ALibraryThatIsNotNvrtcIsRefused) {
  fs::remove(at("toolkit/lib64/libnvrtc.so.13"));
  toolkit_.write("toolkit/lib64/libnvrtc.so.13", "no library");
  EXPECT_THAT(Nvrtc::open(at("toolkit/lib64/libnvrtc.so.13")).error().message,
              HasSubstr("cannot open NVRTC: "));
  EXPECT_THAT(Nvrtc::open("libc.so.6").error().message,
              HasSubstr("libc.so.6 has no function nvrtc"));
  EXPECT_EQ(make(request())->compiler, Compiler::kNvcc);
}

TEST_F(NvrtcTest, MissingSourcesAreNamed) {
  CompileRequest asked = request();
  asked.source = at("none.cu");
  EXPECT_THAT(make(asked).error().message, HasSubstr("none.cu: cannot open: "));
}

TEST(NvrtcFlags, AreTranslatedOrRefused) {
  const auto flags = nvrtc_flags({"-I", "a", "-Ib", "-D", "N=1", "-DM", "-O2", "-Xcompiler",
                                  "-Wall", "-std=c++20", "--std", "c++17", "-lineinfo", "-w"});
  ASSERT_TRUE(flags);
  EXPECT_THAT(flags->options,
              ElementsAre("-Ia", "-Ib", "-DN=1", "-DM", "-std=c++20", "--std=c++17", "-w"));
  EXPECT_THAT(flags->include_folders, ElementsAre("a", "b"));
  for (const char* unknown : {"-isystem", "-stdx", "-wx", "-dc", "@file", "-include=x", "x.o"}) {
    EXPECT_FALSE(nvrtc_flags({unknown})) << unknown;
  }
  EXPECT_FALSE(nvrtc_flags({"-I"})) << "its folder is missing";
}

}  // namespace
}  // namespace burin::toolchain
