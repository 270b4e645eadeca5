// Does the pool compile everything it is given, whatever happens to single compilations?
#include "toolchain/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>

#include "toolchain/fake_toolkit.h"
#include "toolchain/message.h"

namespace burin::toolchain {
namespace {

using test::text_of;
using testing::HasSubstr;

class PoolTest : public testing::Test {
 protected:
  PoolTest() {
    toolkit_.add_nvrtc(BURIN_FAKE_NVRTC);
    toolkit_.write("crash.cu", "crash");
    toolkit_.write("hang.cu", "hang");
    toolkit_.write("slow.cu", "host_code slow");
  }

  CompileRequest request(const std::string& name, const std::string& define = "N") const {
    return {.source = toolkit_.at(name),
            .limit_seconds = 20,
            .defines = {define},
            .compiler = Compiler::kAuto};
  }
  CompilePool::Ticket submit(CompilePool& pool, const std::string& name,
                             const std::string& define = "N", int priority = 0) const {
    return pool.submit(request(name, define), priority);
  }
  void wait_for(const std::string& name) const {
    while (toolkit_.lines_of(name) == 0) ::usleep(1000);
  }

  test::FakeToolkit toolkit_;
  CompileCache no_cache_{""};
};

TEST_F(PoolTest, CompilesAllWithFewProcesses) {
  CompilePool pool(BURIN_BINARY, 3, no_cache_);
  std::vector<CompilePool::Ticket> tickets;
  for (int i = 0; i < 50; ++i) tickets.push_back(submit(pool, "a.cu", "N=" + std::to_string(i)));
  for (int i = 0; i < 50; ++i) {
    const Result<Compiled> made = pool.wait(tickets[static_cast<std::size_t>(i)]);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(text_of(*made), "-arch=sm_90 -lineinfo -DN=" + std::to_string(i) + " kernel");
    EXPECT_EQ(made->compiler, Compiler::kNvrtc);
  }
  EXPECT_EQ(pool.counts().submitted, 50u);
  EXPECT_EQ(pool.counts().finished, 50u);
  EXPECT_LE(pool.counts().processes_started, 3u);
}

// Each compilation waits for the other one to begin.
TEST_F(PoolTest, CompilesAtTheSameTime) {
  toolkit_.write("toolkit/bin/nvcc", "#!/bin/sh\ntouch " + toolkit_.at("begun-") +
                                         "$$\nwhile [ $(ls " + toolkit_.at("") +
                                         " | grep -c begun-) -lt 2 ]; do sleep 0.01; done\n"
                                         "while [ $1 != -o ]; do shift; done; echo x > $2\n");
  CompilePool pool(BURIN_BINARY, 2, no_cache_);
  CompileRequest asked = request("a.cu", "N=1");
  asked.compiler = Compiler::kNvcc;
  const auto first = pool.submit(asked);
  asked.defines = {"N=2"};
  const auto second = pool.submit(asked);
  EXPECT_TRUE(pool.wait(first));
  EXPECT_TRUE(pool.wait(second));
}

TEST_F(PoolTest, ItsProcessesShareTheCache) {
  const CompileCache cache(toolkit_.at("cache"));
  CompilePool pool(BURIN_BINARY, 2, cache);
  ASSERT_TRUE(pool.wait(submit(pool, "a.cu")));
  EXPECT_TRUE(pool.wait(submit(pool, "a.cu"))->cached);
  EXPECT_TRUE(compile(request("a.cu"), cache)->cached);
}

// Also that a source needs nvcc: one try of NVRTC, by whichever process.
TEST_F(PoolTest, ItsProcessesShareWhatNvrtcRejects) {
  toolkit_.write("a.cu", "host_code");
  const CompileCache cache(toolkit_.at("cache"));
  for (int i = 0; i < 3; ++i) {
    CompilePool pool(BURIN_BINARY, 1, cache);
    EXPECT_EQ(pool.wait(submit(pool, "a.cu", "N=" + std::to_string(i)))->compiler, Compiler::kNvcc);
  }
  EXPECT_EQ(toolkit_.nvrtc_calls(), 1u);
  EXPECT_EQ(toolkit_.nvcc_calls(), 3u);
}

TEST_F(PoolTest, HigherPrioritiesGoFirst) {
  CompilePool pool(BURIN_BINARY, 1, no_cache_);
  submit(pool, "slow.cu");
  wait_for("calls");  // the only process is busy: the others wait
  const auto last = submit(pool, "a.cu", "ORDER=3", -1);
  submit(pool, "a.cu", "ORDER=1", 2);
  submit(pool, "a.cu", "ORDER=2", 2);
  pool.cancel(1);
  ASSERT_TRUE(pool.wait(last));
  EXPECT_EQ(toolkit_.read("calls-nvrtc"),
            "-arch=sm_90 -lineinfo -DN \n-arch=sm_90 -lineinfo -DORDER=1 \n"
            "-arch=sm_90 -lineinfo -DORDER=2 \n-arch=sm_90 -lineinfo -DORDER=3 \n");
}

TEST_F(PoolTest, ResultsAreTakenOnceInAnyOrder) {
  CompilePool pool(BURIN_BINARY, 2, no_cache_);
  EXPECT_EQ(pool.wait_any(), std::nullopt) << "nothing is submitted";
  std::set<CompilePool::Ticket> left;
  for (int i = 0; i < 10; ++i) left.insert(submit(pool, "a.cu", "N=" + std::to_string(i)));
  while (const auto ticket = pool.wait_any()) {
    const auto made = pool.try_take(*ticket);
    ASSERT_TRUE(made && *made);
    EXPECT_EQ(left.erase(*ticket), 1u);
    EXPECT_THAT(pool.wait(*ticket).error().message, HasSubstr("taken before"));
  }
  EXPECT_TRUE(left.empty());
  const auto slow = submit(pool, "slow.cu");
  EXPECT_EQ(pool.try_take(slow), std::nullopt);
  EXPECT_EQ(pool.wait_any(0.05), std::nullopt) << "not finished";
  EXPECT_THAT(pool.wait(99).error().message, HasSubstr("cancelled, or its result was taken"));
}

TEST_F(PoolTest, ACrashCostsOneCompilation) {
  CompilePool pool(BURIN_BINARY, 1, no_cache_);
  const auto before = submit(pool, "a.cu", "N=1");
  const auto crash = submit(pool, "crash.cu");
  const auto after = submit(pool, "a.cu", "N=2");
  EXPECT_TRUE(pool.wait(before));
  EXPECT_THAT(pool.wait(crash).error().message,
              HasSubstr("crash.cu: the compiler process ended unexpectedly"));
  EXPECT_TRUE(pool.wait(after));
  EXPECT_EQ(pool.counts().crashes, 1u);
  EXPECT_EQ(pool.counts().processes_started, 2u);
}

TEST_F(PoolTest, ACompilationWithoutEndIsGivenUp) {
  CompilePool pool(BURIN_BINARY, 1, no_cache_);
  CompileRequest hang = request("hang.cu");
  hang.limit_seconds = 0.3;
  const auto first = pool.submit(hang);
  const auto after = submit(pool, "a.cu");
  const CompileResult hung = pool.wait(first);
  EXPECT_TRUE(hung.timed_out());
  EXPECT_THAT(hung.error().message, HasSubstr("hang.cu: NVRTC did not finish within 0.3 seconds"));
  EXPECT_TRUE(pool.wait(after));
  EXPECT_EQ(pool.counts().timeouts, 1u);
  // nvcc's limit does not cost the process.
  CompileRequest slow = request("slow.cu");
  slow.limit_seconds = 0.3;
  const CompileResult late = pool.wait(pool.submit(slow));
  EXPECT_TRUE(late.timed_out());
  EXPECT_THAT(late.error().message, HasSubstr("slow.cu: nvcc did not finish within 0.3 seconds"));
  EXPECT_EQ(pool.counts().timeouts, 1u);
  // A source that is rejected is something else.
  toolkit_.write("a.cu", "wrong");
  EXPECT_FALSE(pool.wait(submit(pool, "a.cu")).timed_out());
}

TEST_F(PoolTest, WhatIsCancelledIsNotCompiled) {
  CompilePool pool(BURIN_BINARY, 1, no_cache_);
  const auto running = submit(pool, "hang.cu");
  wait_for("calls-nvrtc");
  const auto waiting = submit(pool, "a.cu", "CANCELLED");
  pool.cancel(waiting);
  pool.cancel(running);
  EXPECT_THAT(pool.wait(running).error().message, HasSubstr("cancelled"));
  EXPECT_THAT(pool.wait(waiting).error().message, HasSubstr("cancelled"));
  EXPECT_TRUE(pool.wait(submit(pool, "a.cu", "N")));
  EXPECT_THAT(toolkit_.read("calls-nvrtc"), testing::Not(HasSubstr("CANCELLED")));
}

// nvcc's own children too: each is in a process group of nvcc's, not of the compiler process's.
TEST_F(PoolTest, NothingGoesOnAfterThePool) {
  {
    CompilePool pool(BURIN_BINARY, 1, no_cache_);
    submit(pool, "slow.cu");
    wait_for("slow.pid");
  }
  const pid_t slow = std::stoi(toolkit_.read("slow.pid"));
  // It may be a zombie until init has noticed.
  for (int i = 0; i < 1000 && ::kill(slow, 0) == 0; ++i) ::usleep(1000);
  std::ifstream state("/proc/" + std::to_string(slow) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(state), {}};
  EXPECT_TRUE(text.empty() || text.find(") Z ") != std::string::npos) << text;
}

TEST_F(PoolTest, WithoutBurinItCompilesInThisProcess) {
  CompilePool pool("", 4, no_cache_);
  const auto crash = submit(pool, "crash.cu");
  const auto first = submit(pool, "a.cu", "N=1");
  EXPECT_EQ(text_of(*pool.wait(first)), "-arch=sm_90 -lineinfo -DN=1 kernel");
  EXPECT_EQ(pool.wait(crash)->compiler, Compiler::kNvcc);
  EXPECT_EQ(pool.counts().processes_started, 0u);
}

TEST_F(PoolTest, ACompilerProcessThatCannotStartIsNamed) {
  CompilePool missing("/no/such/burin", 2, no_cache_);
  EXPECT_THAT(missing.wait(submit(missing, "a.cu")).error().message, HasSubstr("a.cu: "));
  CompilePool other("/bin/echo", 2, no_cache_);
  EXPECT_THAT(other.wait(submit(other, "a.cu")).error().message, HasSubstr("a.cu: "));
}

TEST_F(PoolTest, MistakesAreTold) {
  CompilePool pool(BURIN_BINARY, 1, no_cache_);
  EXPECT_THAT(pool.wait(submit(pool, "none.cu")).error().message, HasSubstr("cannot open"));
  toolkit_.write("a.cu", "wrong");
  EXPECT_THAT(pool.wait(submit(pool, "a.cu")).error().message, HasSubstr("(1): error: one"));
  EXPECT_EQ(pool.counts().crashes, 0u);
}

TEST(Messages, ArriveAsTheyWereSent) {
  const CompileOrder order{.request = {.source = "a b\n:,.cu",
                                       .language = CompileRequest::Language::kPtx,
                                       .arch = "sm_90",
                                       .flags = {"", "-O3"},
                                       .limit_seconds = 1.5,
                                       .defines = {"A=\"x\""},
                                       .max_registers = 64,
                                       .output = CompileRequest::Output::kPtx,
                                       .compiler = Compiler::kNvrtc,
                                       .name_expressions = {"k<1, 2>"}},
                           .cache_folder = "/cache",
                           .cache_bytes = 123};
  const auto read = unpack_order(pack(order));
  ASSERT_TRUE(read);
  EXPECT_EQ(pack(*read), pack(order));
  EXPECT_EQ(read->request.source, order.request.source);
  EXPECT_EQ(read->request.flags, order.request.flags);
  EXPECT_EQ(read->request.limit_seconds, 1.5);

  const CompileResult made = Compiled{.cubin = {0, 10, 255},
                                      .arch = "sm_90",
                                      .cached = true,
                                      .ptx = "ptx",
                                      .lowered_names = {"_Z1kv"},
                                      .compiler = Compiler::kNvrtc};
  const auto result = unpack_result(pack(made));
  ASSERT_TRUE(result && *result);
  EXPECT_EQ(pack(*result), pack(made));
  const auto error = unpack_result(pack(CompileResult(Error{"why", Exit::kDevice}, true)));
  ASSERT_TRUE(error && !*error);
  EXPECT_TRUE(error->timed_out());
  EXPECT_EQ(error->error().message, "why");
  EXPECT_EQ(error->error().exit, Exit::kDevice);
}

TEST(Messages, ThatAreCutShortOrWrongAreRefused) {
  const std::string packed = pack(CompileOrder{.request = {.source = "a.cu"}});
  for (std::size_t i = 0; i < packed.size(); ++i) EXPECT_FALSE(unpack_order(packed.substr(0, i)));
  EXPECT_FALSE(unpack_order(packed + "1:x,"));
  const std::string result = pack(CompileResult(Compiled{.cubin = {1, 2}, .arch = "sm_90"}));
  for (std::size_t i = 0; i < result.size(); ++i) EXPECT_FALSE(unpack_result(result.substr(0, i)));
  for (const char* wrong : {"x", "18446744073709551615:a,", "1:", "1:a;", ":,", "-1:,"}) {
    EXPECT_FALSE(unpack_result(wrong)) << wrong;
    EXPECT_FALSE(unpack_order(wrong)) << wrong;
  }
  EXPECT_EQ(frame_length("12"), 12u);
  for (const char* wrong : {"", "a", "1a", "-1", "99999999999", "burin: error"}) {
    EXPECT_FALSE(frame_length(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace burin::toolchain
