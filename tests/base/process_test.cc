#include "base/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

namespace burin {
namespace {

using Status = Process::Line::Status;

Process shell(const std::string& script, Process::Errors errors = Process::Errors::kWithOutput) {
  Result<Process> process = Process::start("/bin/sh", {"-c", script}, errors);
  EXPECT_TRUE(process.ok());
  return std::move(*process);
}

TEST(Process, AnswersLineByLine) {
  Process process = shell("while read line; do echo \"got $line\"; done");
  for (const char* word : {"one", "two", ""}) {
    ASSERT_TRUE(process.send(std::string(word) + "\n"));
    const Process::Line line = process.read_line(10);
    ASSERT_EQ(line.status, Status::kLine);
    EXPECT_EQ(line.text, std::string("got ") + word);
  }
}

TEST(Process, LinesThatComeTogetherAreSeparate) {
  Process process = shell("printf 'a\\nb\\nrest'");
  EXPECT_EQ(process.read_line(10).text, "a");
  EXPECT_TRUE(process.has_line());
  EXPECT_EQ(process.read_line(10).text, "b");
  const Process::Line last = process.read_line(10);
  EXPECT_EQ(last.status, Status::kEnded);
  EXPECT_EQ(last.text, "rest");
  EXPECT_EQ(process.read_line(10).status, Status::kEnded);
}

TEST(Process, BytesAfterALine) {
  Process process = shell("printf '5\\nabcdexyz\\n'");
  EXPECT_EQ(process.read_line(10).text, "5");
  const Process::Line bytes = process.read_bytes(5, 10);
  EXPECT_EQ(bytes.status, Status::kLine);
  EXPECT_EQ(bytes.text, "abcde");
  EXPECT_EQ(process.read_line(10).text, "xyz");
  EXPECT_EQ(process.read_bytes(1, 10).status, Status::kEnded);
}

TEST(Process, ALimitIsKept) {
  Process process = shell("echo first; sleep 60");
  EXPECT_EQ(process.read_line(10).text, "first");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(process.read_line(0.05).status, Status::kTimedOut);
  EXPECT_EQ(process.read_line(0).status, Status::kTimedOut);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(Process, AProgramThatIsNotThereEndsAtOnce) {
  Result<Process> process = Process::start("/no/such/program", {});
  ASSERT_TRUE(process.ok());  // the fork succeeded
  EXPECT_EQ(process->read_line(10).status, Status::kEnded);
}

TEST(Process, WritingToOneThatEndedFailsInsteadOfKilling) {
  Process process = shell("exit 0");
  EXPECT_EQ(process.read_line(10).status, Status::kEnded);
  bool written = true;
  for (int i = 0; i < 100 && written; ++i) written = process.send(std::string(10000, 'x'));
  EXPECT_FALSE(written);
}

TEST(Process, ErrorsGoWhereTheyShould) {
  Process together = shell("echo words >&2");
  EXPECT_EQ(together.read_line(10).text, "words");
  Process apart = shell("echo words >&2; echo out", Process::Errors::kInherit);
  EXPECT_EQ(apart.read_line(10).text, "out");
}

TEST(Process, AllOfItsGroupIsKilled) {
  Process process = shell("sleep 1000 & echo $!; wait");
  const pid_t grandchild = static_cast<pid_t>(std::stol(process.read_line(10).text));
  ASSERT_EQ(::kill(grandchild, 0), 0);
  process.kill();
  // Its parent is gone; whoever inherits it may take a moment to notice that it ended.
  bool gone = false;
  for (int i = 0; i < 1000 && !gone; ++i) {
    std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat");
    std::string number, name, state;
    gone = !(status >> number >> name >> state) || state == "Z" || state == "X";
    if (!gone) ::usleep(10000);
  }
  EXPECT_TRUE(gone);
}

TEST(Process, CanBeMoved) {
  Process first = shell("while read line; do echo \"1 $line\"; done");
  Process second = shell("while read line; do echo \"2 $line\"; done");
  first = std::move(second);
  ASSERT_TRUE(first.send("x\n"));
  EXPECT_EQ(first.read_line(10).text, "2 x");
}

// A fork that calls it, with a pipe as its standard input, ends when the pipe is closed, although
// it does not read.
TEST(Process, AChildCanEndWithItsParent) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  int alive[2];  // at its end when the child is gone
  ASSERT_EQ(::pipe(alive), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[1]);
    ::close(alive[0]);
    ::dup2(ends[0], 0);
    exit_with_parent();
    if (::write(alive[1], "1", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(ends[0]);
  ::close(alive[1]);
  char byte = 0;
  ASSERT_EQ(::read(alive[0], &byte, 1), 1);
  ::close(ends[1]);
  EXPECT_EQ(::read(alive[0], &byte, 1), 0);  // would wait for ever if the child stayed
  ::close(alive[0]);
}

}  // namespace
}  // namespace burin
