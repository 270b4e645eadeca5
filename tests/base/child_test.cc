#include "base/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace burin {
namespace {

TEST(Child, AnswersWhatTheQuestionReturns) {
  const std::string large(300, 'x');
  const Answer answer = ask([&] { return large; }, 10);
  EXPECT_TRUE(answer.ok());
  EXPECT_EQ(answer.text, large);
}

TEST(Child, OneThatHangsIsGivenUp) {
  const auto start = std::chrono::steady_clock::now();
  const Answer answer = ask(
      []() -> std::string {
        for (;;) ::pause();
      },
      0.2);
  EXPECT_EQ(answer.end, Answer::End::kTimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(Child, OneThatCrashesOrFailsIsTold) {
  EXPECT_EQ(ask([]() -> std::string { std::abort(); }, 10).end, Answer::End::kFailed);
  EXPECT_EQ(run_program("/bin/sh", {"-c", "exit 3"}, 10).end, Answer::End::kFailed);
  EXPECT_EQ(run_program("/proc/nowhere", {}, 10).end, Answer::End::kFailed);
}

TEST(Child, ProgramsAreFoundAndHeard) {
  const std::string shell = find_program("sh", {"/proc/nowhere", "/bin"});
  EXPECT_EQ(shell, "/bin/sh");
  EXPECT_EQ(find_program("no-such-program-at-all", {}), "");
  EXPECT_EQ(run_program(shell, {"-c", "echo out; echo err >&2"}, 10).text, "out\nerr\n");
}

TEST(Child, ProgramsReadTheirInput) {
  const std::string large(300000, 'x');  // more than a pipe holds
  EXPECT_EQ(run_program("/bin/sh", {"-c", "wc -c"}, 10, large).text, "300000\n");
  EXPECT_EQ(run_program("/bin/cat", {}, 10).text, "");
}

// In a fork: afterwards no program can be started any more.
TEST(Child, EndingThemEndsTheirChildrenToo) {
  const Answer ended = ask(
      [] {
        std::thread later([] {
          ::usleep(50000);
          end_children();
        });
        // The shell waits for a child of its own, which holds the pipe open.
        const Answer first = run_program("/bin/sh", {"-c", "sleep 30; echo awake"}, 20);
        later.join();
        const Answer second = run_program("/bin/sh", {"-c", "sleep 30; echo awake"}, 20);
        return std::to_string(static_cast<int>(first.end)) + first.text +
               std::to_string(static_cast<int>(second.end)) + second.text;
      },
      15);
  const std::string failed = std::to_string(static_cast<int>(Answer::End::kFailed));
  EXPECT_EQ(ended.text, failed + failed);
}

}  // namespace
}  // namespace burin
