// Are sources compiled, once, and are the compiler's words passed on? The compilers are scripts
// that note each call, so that no CUDA toolkit is needed.
#include "toolchain/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "toolchain/fake_toolkit.h"
#include "toolchain/tools.h"

namespace burin::toolchain {
namespace {

namespace fs = std::filesystem;
using test::text_of;
using testing::ElementsAre;
using testing::HasSubstr;
using Language = CompileRequest::Language;

class CompileTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return toolkit_.at(name); }
  void write(const std::string& name, const std::string& text) const { toolkit_.write(name, text); }
  std::size_t calls() const { return toolkit_.nvcc_calls(); }
  Result<Compiled> make(const std::string& name, std::vector<std::string> flags = {},
                        const std::string& arch = "") const {
    const Language language = name.ends_with(".ptx") ? Language::kPtx : Language::kCuda;
    return compile({at(name), language, arch, std::move(flags)}, CompileCache(at("cache")));
  }

  test::FakeToolkit toolkit_;
};

TEST_F(CompileTest, MakesACubinAndKeepsIt) {
  const Result<Compiled> first = make("a.cu");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(text_of(*first), "-arch=sm_90 kernel\n");
  EXPECT_EQ(first->arch, "sm_90");
  EXPECT_FALSE(first->cached);
  const Result<Compiled> second = make("a.cu");
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->cached);
  EXPECT_EQ(second->cubin, first->cubin);
  EXPECT_EQ(calls(), 1u);
}

TEST_F(CompileTest, WhateverChangesIsCompiledAgain) {
  ASSERT_TRUE(make("a.cu"));
  EXPECT_FALSE(make("a.cu", {"-DN=2"})->cached);
  EXPECT_FALSE(make("a.cu", {}, "sm_80")->cached);
  EXPECT_FALSE(make("a.cu", {"-DN=", "2"})->cached);
  EXPECT_TRUE(make("a.cu")->cached);
  write("header.h", "second");
  EXPECT_FALSE(make("a.cu")->cached);
  EXPECT_TRUE(make("a.cu")->cached);
  write("a.cu", "other kernel");
  EXPECT_FALSE(make("a.cu")->cached);
  write("toolkit/bin/nvcc", "#!/bin/sh\nexit 1\n");
  EXPECT_FALSE(make("a.cu"));
}

// A file that was cut short or changed on the disk is made again.
TEST_F(CompileTest, ADamagedCacheIsMadeAgain) {
  const std::vector<std::uint8_t> cubin = make("a.cu")->cubin;
  const auto damage_all = [&](const auto& damage) {
    for (const auto& entry : fs::directory_iterator(at("cache"))) damage(entry.path());
  };
  const auto is_made_again = [&] {
    const Result<Compiled> made = make("a.cu");
    return made && !made->cached && made->cubin == cubin && make("a.cu")->cached;
  };
  damage_all([](const fs::path& file) { fs::resize_file(file, fs::file_size(file) - 1); });
  EXPECT_TRUE(is_made_again()) << "cut short by a byte";
  damage_all([](const fs::path& file) { fs::resize_file(file, 3); });
  EXPECT_TRUE(is_made_again()) << "cut short to three bytes";
  damage_all([](const fs::path& file) {
    std::fstream bytes(file, std::ios::in | std::ios::out);
    bytes.seekp(-1, std::ios::end);
    bytes.put('?');
  });
  EXPECT_TRUE(is_made_again()) << "changed";
}

// What an interrupted compilation leaves is gone after the next one, with what the compiler put
// into TMPDIR.
TEST_F(CompileTest, AnInterruptedCompilationLeavesNothing) {
  fs::create_directory(at("tmp"));
  ::setenv("TMPDIR", at("tmp").c_str(), 1);
  write("slow.cu", "slow");
  const pid_t child = ::fork();
  if (child == 0) {
    (void)make("slow.cu");
    ::_exit(0);
  }
  while (calls() == 0) ::usleep(1000);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(fs::is_empty(at("tmp")));
  EXPECT_TRUE(make("a.cu"));
  EXPECT_TRUE(fs::is_empty(at("tmp")));
  ::unsetenv("TMPDIR");
}

TEST_F(CompileTest, TheCompilersTemporaryFilesGoToTheFolderThatIsRemoved) {
  write("toolkit/bin/nvcc", "#!/bin/sh\necho \"$TMPDIR\" > " + at("tmpdir") +
                                "\nwhile [ $1 != -o ]; do shift; done; echo x > $2\n");
  ASSERT_TRUE(make("a.cu"));
  std::string used;
  std::getline(std::ifstream(at("tmpdir")) >> std::ws, used);
  EXPECT_THAT(used, HasSubstr("/burin-tmp-"));
  EXPECT_FALSE(fs::exists(used));
}

TEST_F(CompileTest, WithoutACacheItStillCompiles) {
  const CompileRequest request{at("a.cu")};
  EXPECT_TRUE(compile(request, CompileCache("")));
  EXPECT_TRUE(compile(request, CompileCache("/proc/nowhere")));
  EXPECT_EQ(calls(), 2u);
}

TEST_F(CompileTest, PtxGoesToPtxasWithItsOwnTarget) {
  write("a.ptx", ".version 8.0\n.target sm_90a, debug\n");
  EXPECT_THAT(text_of(*make("a.ptx")), HasSubstr("-arch=sm_90a"));
  write("a.ptx", ".version 8.0\n.target sm_52\n");
  EXPECT_THAT(text_of(*make("a.ptx")), HasSubstr("-arch=sm_90 "));
  write("a.ptx", ".version 8.0\n.target sm_100\n");
  EXPECT_THAT(text_of(*make("a.ptx")), HasSubstr("-arch=sm_100 "));
  EXPECT_THAT(text_of(*make("a.ptx", {}, "sm_86")), HasSubstr("-arch=sm_86 "));
}

TEST_F(CompileTest, TheCompilersFirstErrorsAreTold) {
  write("a.cu", "wrong");
  const Result<Compiled> made = make("a.cu");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().exit, Exit::kInput);
  EXPECT_EQ(made.error().message, at("a.cu") + ": nvcc failed:\n  " + at("a.cu") +
                                      "(1): error: one\n  " + at("a.cu") + "(2): error: two");
}

TEST_F(CompileTest, ACompilerThatHangsIsGivenUp) {
  write("a.cu", "slow");
  const CompileRequest request{.source = at("a.cu"), .limit_seconds = 0.3};
  EXPECT_THAT(compile(request, CompileCache("")).error().message,
              HasSubstr("nvcc did not finish within 0.3 seconds"));
}

TEST_F(CompileTest, MissingFilesAndToolsAreNamed) {
  EXPECT_THAT(make("none.cu").error().message, HasSubstr("none.cu: cannot open: "));
  EXPECT_THAT(find_tool("no-such-tool").error().message,
              HasSubstr("no-such-tool not found in $CUDA_HOME/bin"));
}

// Each option of a tuned kernel reaches nvcc, and each is part of what is cached.
TEST_F(CompileTest, TheOptionsOfTuningReachNvcc) {
  CompileRequest request{.source = at("a.cu"), .defines = {"TILE=32", "FAST"}, .max_registers = 64};
  const CompileCache cache(at("cache"));
  EXPECT_EQ(text_of(*compile(request, cache)), "-arch=sm_90 -DTILE=32 -DFAST kernel\n");
  EXPECT_THAT(toolkit_.read("calls"), HasSubstr("-cubin"));
  EXPECT_THAT(toolkit_.read("calls"), HasSubstr("-maxrregcount=64"));
  EXPECT_TRUE(compile(request, cache)->cached);
  request.max_registers = 32;
  EXPECT_FALSE(compile(request, cache)->cached);
  request.defines = {"TILE=32"};
  EXPECT_FALSE(compile(request, cache)->cached);
  request.output = CompileRequest::Output::kPtx;
  const Result<Compiled> ptx = compile(request, cache);
  ASSERT_TRUE(ptx) << ptx.error().message;
  EXPECT_EQ(ptx->ptx, "-arch=sm_90 -DTILE=32 kernel\n");
  EXPECT_TRUE(ptx->cubin.empty());
  EXPECT_TRUE(compile(request, cache)->cached);
}

TEST_F(CompileTest, NvccInstantiatesTemplatesThroughAFileOfItsOwn) {
  const CompileRequest request{.source = at("a.cu"), .name_expressions = {"sum<4>", "plain"}};
  const CompileCache cache(at("cache"));
  for (const bool cached : {false, true}) {
    const Result<Compiled> made = compile(request, cache);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->cached, cached);
    EXPECT_THAT(made->lowered_names, ElementsAre("_Zsum<4>", "_Zplain"));
    // What ptxas gets has no variables that hold addresses.
    EXPECT_EQ(text_of(*made), "-arch=sm_90 .version 8.0\n.visible .entry k\n");
  }
  EXPECT_EQ(calls(), 2u);
}

TEST_F(CompileTest, NamesThatNvccDoesNotTellAreAnError) {
  write("toolkit/bin/nvcc", "#!/bin/sh\nwhile [ $1 != -o ]; do shift; done; echo x > $2\n");
  const CompileRequest request{.source = at("a.cu"), .name_expressions = {"sum<4>"}};
  EXPECT_THAT(compile(request, CompileCache("")).error().message,
              HasSubstr("the names of its 1 instance are not in nvcc's PTX"));
}

TEST_F(CompileTest, PtxHasNeitherMacrosNorTemplates) {
  write("a.ptx", ".version 8.0\n.target sm_90\n");
  const CompileCache cache("");
  CompileRequest request{.source = at("a.ptx"), .language = Language::kPtx, .defines = {"N=1"}};
  EXPECT_THAT(compile(request, cache).error().message, HasSubstr("PTX has no macros"));
  request.defines = {};
  request.name_expressions = {"k<1>"};
  EXPECT_THAT(compile(request, cache).error().message, HasSubstr("PTX has no templates"));
  request.name_expressions = {};
  request.output = CompileRequest::Output::kPtx;
  EXPECT_THAT(compile(request, cache).error().message, HasSubstr("it is PTX already"));
  EXPECT_EQ(calls(), 0u);
}

}  // namespace
}  // namespace burin::toolchain
