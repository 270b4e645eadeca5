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

#include "toolchain/dependencies.h"
#include "toolchain/tools.h"

namespace burin::toolchain {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using Language = CompileRequest::Language;

// Writes the words it was called with as the cubin, and the rule for header.h beside it.
constexpr const char* kCompiler = R"sh(#!/bin/sh
echo "$@" >> FOLDER/calls
while [ $# -gt 0 ]; do
  case $1 in -o) out=$2 ;; -MF) rule=$2 ;; -arch=*) arch=$1 ;; esac
  last=$1; shift
done
if grep -q wrong "$last"; then
  printf 'note\n%s(1): error: one\n%s(2): error: two\n3 errors detected in x\n' "$last" "$last"
  exit 1
fi
if grep -q slow "$last"; then sleep 20; fi
echo "$arch $(cat "$last")" > "$out"
[ -z "$rule" ] || printf '%s : %s \\\n  FOLDER/toolkit/own.h FOLDER/header.h\n' "$out" "$last" > "$rule"
)sh";

class CompileTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/burin-test-XXXXXX";
    folder_ = ::mkdtemp(name);
    fs::create_directories(at("toolkit/bin"));
    for (const char* tool : {"nvcc", "ptxas"}) {
      std::string script = kCompiler;
      for (std::size_t i; (i = script.find("FOLDER")) != std::string::npos;) {
        script.replace(i, 6, folder_);
      }
      write(std::string("toolkit/bin/") + tool, script);
      fs::permissions(at(std::string("toolkit/bin/") + tool), fs::perms::owner_all);
    }
    write("toolkit/own.h", "of the toolkit");
    write("header.h", "first");
    write("a.cu", "kernel");
    ::setenv("CUDA_HOME", at("toolkit").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("CUDA_HOME");
    fs::remove_all(folder_);
  }

  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(at(name)) << text;
  }
  std::size_t calls() const {
    std::ifstream file(at("calls"));
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }
  Result<Compiled> make(const std::string& name, std::vector<std::string> flags = {},
                        const std::string& arch = "") const {
    const Language language = name.ends_with(".ptx") ? Language::kPtx : Language::kCuda;
    return compile({at(name), language, arch, std::move(flags)}, CompileCache(at("cache")));
  }
  static std::string text_of(const Compiled& compiled) {
    return {compiled.cubin.begin(), compiled.cubin.end()};
  }

  std::string folder_;
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

TEST_F(CompileTest, TheCacheThrowsOutWhatWasUsedLongestAgo) {
  const CompileCache cache(at("cache"), 450);  // two files of 100 bytes and their digests
  const std::vector<std::uint8_t> hundred(100, 7);
  const auto age = [&](const char* name, int hours) {
    fs::last_write_time(at(std::string("cache/") + name),
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  cache.keep("a", hundred);
  cache.keep("b", hundred);
  age("a", 2);
  age("b", 3);
  EXPECT_TRUE(cache.find("b"));  // now used last
  cache.keep("c", hundred);
  EXPECT_FALSE(cache.find("a"));
  EXPECT_TRUE(cache.find("b"));
  EXPECT_TRUE(cache.find("c"));
  cache.keep("large", std::vector<std::uint8_t>(500, 7));
  EXPECT_FALSE(cache.find("large"));
}

TEST(Dependencies, RulesAreReadAsMakeReadsThem) {
  EXPECT_THAT(parse_rule("o.cubin : a.cu \\\n    with\\ blank.h $$x.h\n"),
              ElementsAre("a.cu", "with blank.h", "$x.h"));
  EXPECT_THAT(parse_rule("o.cubin: a.cu"), ElementsAre("a.cu"));
  EXPECT_THAT(parse_rule(""), ElementsAre());
}

}  // namespace
}  // namespace burin::toolchain
