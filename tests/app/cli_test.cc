// Does the frame hold: help, errors, exit statuses, completion, pipes and terminals?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "app/command.h"

namespace burin::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kCubin = "examples/transpose.sm_90.cubin";
constexpr const char* kCommands[] = {"inspect", "run", "machines", "doctor", "completion"};

std::vector<std::string> options_in_help(const std::string& help) {
  std::vector<std::string> options;
  const std::regex option("^ +(?:-[a-z],)?(--[a-z-]+)");
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = help.find('\n', at);
    const std::string line = help.substr(at, end - at);
    if (std::smatch match; std::regex_search(line, match, option)) options.push_back(match[1]);
    at = end + 1;
  }
  return options;
}

TEST(Cli, VersionAndHelp) {
  const Ran version = burin("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(std::regex_match(version.out, std::regex("burin \\d+\\.\\d+\\.\\d+\n")))
      << version.out;
  const Ran help = burin("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* command : kCommands) EXPECT_THAT(help.out, HasSubstr(command));
  EXPECT_THAT(help.out, HasSubstr("Examples:\n  burin "));
}

TEST(Cli, HelpIsAlsoACommand) {
  EXPECT_EQ(burin("help").out, burin("--help").out);
  EXPECT_EQ(burin("-v").out, burin("--version").out);
  for (const char* command : kCommands) {
    const Ran help = burin(std::string("help ") + command);
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_EQ(help.out, burin(std::string(command) + " --help").out);
  }
}

TEST(Cli, HelpForAnUnknownCommandNamesTheNearest) {
  for (const char* arguments : {"pedict --help", "help pedict", "--help pedict", "pedict -h"}) {
    const Ran ran = burin(arguments);
    EXPECT_EQ(ran.status, 2) << arguments;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_EQ(ran.err, "burin: unknown command pedict; did you mean predict? See burin --help\n");
  }
}

TEST(Cli, EveryCommandHasHelpWithExamples) {
  for (const char* command : kCommands) {
    const Ran help = burin(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0) << command;
    EXPECT_EQ(help.err, "");
    EXPECT_THAT(help.out, HasSubstr(std::string("Usage: burin ") + command));
    EXPECT_THAT(help.out, HasSubstr("Examples:\n"));
    EXPECT_THAT(help.out.substr(help.out.find("Examples:")),
                HasSubstr(std::string("burin ") + command));
    EXPECT_THAT(help.out, HasSubstr("--json"));
  }
}

TEST(Cli, WrongUsageIsOneLineAndStatus2) {
  for (const char* arguments :
       {"--json", "inspcet x", "inspect", "inspect --sas x", "inspect a b", "inspect --arch",
        "completion fish", "completion", "--sass", "doctor now",
        "inspect examples/transpose.sm_90.cubin --arch nonsense",
        "inspect examples/transpose.sm_90.cubin --dump --json",
        "inspect examples/transpose.sm_90.cubin --sass --loops"}) {
    const Ran ran = burin(arguments);
    EXPECT_EQ(ran.status, 2) << arguments << ran.err;
    EXPECT_EQ(ran.out, "") << arguments;
    EXPECT_TRUE(is_one_line(ran.err)) << arguments << ": " << ran.err;
  }
}

TEST(Cli, TheParsersMessagesAreSentences) {
  for (const auto& [words, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"predict --lines=3", "--lines takes no value"},
           {"predict --json=abc", "--json takes no value"},
           {"mcp --limit x", "--limit: expected a number from 1 to 86400, not 'x'"}}) {
    const Ran ran = burin(words);
    EXPECT_EQ(ran.status, 2) << words;
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(sentence)) << words;
  }
}

TEST(Cli, DidYouMean) {
  EXPECT_THAT(burin("inspcet x").err, HasSubstr("did you mean inspect?"));
  EXPECT_THAT(burin("docter").err, HasSubstr("did you mean doctor?"));
  EXPECT_THAT(burin("inspect x --sas").err, HasSubstr("did you mean --sass?"));
  EXPECT_THAT(burin("inspect x --kernal=a").err, HasSubstr("did you mean --kernel?"));
  EXPECT_THAT(burin("--quite").err, HasSubstr("did you mean --quiet?"));
  EXPECT_THAT(burin("xyzzy").err, Not(HasSubstr("did you mean")));
}

TEST(Cli, CommonOptionsStandBeforeOrBehindTheCommand) {
  const std::string file = kCubin;
  const Ran before = burin("--json inspect " + file);
  EXPECT_EQ(before.status, 0);
  EXPECT_EQ(before.out, burin("inspect " + file + " --json").out);
}

TEST(Cli, TimingsGoToStandardError) {
  const std::string inspect = std::string("inspect ") + kCubin;
  const Ran timed = burin(inspect + " --timings");
  EXPECT_EQ(timed.status, 0);
  EXPECT_EQ(timed.out, burin(inspect).out);
  EXPECT_THAT(timed.err, HasSubstr("open file"));
  EXPECT_THAT(timed.err, HasSubstr("total"));
}

TEST(Cli, AClosedPipeEndsQuietly) {
  for (const char* arguments : {"inspect examples/transpose.sm_90.cubin --sass", "--help", "doctor",
                                "inspect examples/transpose.sm_90.cubin --json --sass"}) {
    const Ran ran = burin_unread(arguments);
    EXPECT_EQ(ran.status, 0) << arguments;
    EXPECT_EQ(ran.err, "") << arguments;
  }
}

TEST(Cli, AFullDiskIsAnError) {
  const Ran ran = shell(std::string("exec \"$BURIN\" inspect --sass ") + kCubin + " > /dev/full");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("No space left"));
}

TEST(Cli, ColourOnlyOnATerminalThatWantsIt) {
  const std::string inspect = std::string("inspect ") + kCubin;
  EXPECT_THAT(burin(inspect).out, Not(HasSubstr("\x1b")));
  ::setenv("TERM", "xterm", 1);
  ::unsetenv("NO_COLOR");
  EXPECT_THAT(burin_on_terminal(inspect, 100).out, HasSubstr("\x1b["));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(burin_on_terminal(inspect, 100).out, Not(HasSubstr("\x1b")));
  ::unsetenv("NO_COLOR");
}

TEST(Cli, BashCompletionIsWholeAndKnowsEveryOption) {
  const Ran script = burin("completion bash");
  EXPECT_EQ(script.status, 0);
  EXPECT_EQ(shell("\"$BURIN\" completion bash | bash -n").status, 0);
  for (const char* command : kCommands) {
    for (const std::string& option : options_in_help(burin(std::string(command) + " --help").out)) {
      const Ran completed =
          shell("source <(\"$BURIN\" completion bash); COMP_WORDS=(burin " + std::string(command) +
                " " + option + "); COMP_CWORD=2; _burin; echo \"${COMPREPLY[@]}\"");
      EXPECT_THAT(completed.out, HasSubstr(option)) << command << ": " << completed.err;
    }
  }
  EXPECT_EQ(
      shell("source <(\"$BURIN\" completion bash); COMP_WORDS=(burin do); COMP_CWORD=1; _burin; "
            "echo \"${COMPREPLY[@]}\"")
          .out,
      "doctor\n");
}

TEST(Cli, ZshCompletionIsWholeAndKnowsEveryOption) {
  const std::string script = burin("completion zsh").out;
  for (const std::string& option : options_in_help(burin("inspect --help").out)) {
    EXPECT_THAT(script, HasSubstr("'" + option + "["));
  }
  if (shell("command -v zsh").status != 0) GTEST_SKIP() << "no zsh here to parse the script";
  EXPECT_EQ(shell("\"$BURIN\" completion zsh | zsh -n /dev/stdin").status, 0);
}

TEST(Doctor, AlwaysAnswers) {
  const Ran text = burin("doctor");
  EXPECT_EQ(text.status, 0);
  EXPECT_EQ(text.err, "");
  const Ran told = burin("doctor --json");
  EXPECT_EQ(told.status, 0);
  const auto document = nlohmann::json::parse(told.out);
  EXPECT_EQ(document["schema"], "burin.doctor/1");
  EXPECT_GE(document["checks"].size(), 12u);
  for (const auto& check : document["checks"]) {
    const std::string name = check["name"];
    EXPECT_THAT(text.out, HasSubstr(name));
    EXPECT_TRUE(check["state"] == "ok" || check["state"] == "missing" ||
                check["state"] == "refused");
    EXPECT_NE(check["needed_for"], "") << name;
    EXPECT_NE(check["remedy"], "") << name;
  }
}

// What is missing is said, with the remedy, on a computer that has nothing.
TEST(Doctor, NamesWhatIsMissing) {
  const Ran bare = shell("env -i PATH=/proc/nowhere \"$BURIN\" doctor --json");
  EXPECT_EQ(bare.status, 0);
  const auto document = nlohmann::json::parse(bare.out);
  for (const auto& check : document["checks"]) {
    if (check["name"] != "g++" && check["name"] != "MPI") continue;
    EXPECT_EQ(check["state"], "missing") << check;
  }
  EXPECT_THAT(shell("env -i PATH=/proc/nowhere \"$BURIN\" doctor").out, HasSubstr("→ apt install"));
}

TEST(Doctor, AProgramThatFailsIsRefused) {
  const Ran ran = shell(
      "d=$(mktemp -d); printf '#!/bin/sh\\nexit 9\\n' > $d/mpirun; chmod +x $d/mpirun; "
      "PATH=$d:$PATH \"$BURIN\" doctor --json; rm -r $d");
  const auto document = nlohmann::json::parse(ran.out);
  for (const auto& check : document["checks"]) {
    if (check["name"] != "MPI") continue;
    EXPECT_EQ(check["state"], "refused") << check;
  }
}

// The doctor's answer about a driver library made from this C source.
nlohmann::json driver_check(const std::string& source) {
  const Ran ran = shell("d=$(mktemp -d); printf '%s' '" + source +
                        "' > $d/fake.c; cc -shared -fPIC -o $d/libcuda.so.1 $d/fake.c && "
                        "LD_LIBRARY_PATH=$d \"$BURIN\" doctor --json; rm -r $d");
  const auto document = nlohmann::json::parse(ran.out);
  for (const auto& check : document["checks"]) {
    if (check["name"] == "driver") return check;
  }
  return {};
}

TEST(Doctor, AsksTheDriver) {
  if (shell("command -v cc").status != 0)
    GTEST_SKIP() << "no C compiler here to make a driver with";
  const std::string rest =
      "int cuDriverGetVersion(int* v) { *v = 12080; return 0; }"
      "int cuDeviceGetCount(int* n) { *n = 2; return 0; }"
      "int cuDeviceGetName(char* name, int size, int device) {"
      "  name[0] = 65 + device; name[1] = 0; return 0; }"
      "int cuGetErrorString(int e, const char** text) { *text = \"no device\"; return 0; }";
  const auto good = driver_check("int cuInit(unsigned f) { return 0; }" + rest);
  EXPECT_EQ(good["state"], "ok") << good;
  EXPECT_EQ(good["version"], "12.8");
  EXPECT_EQ(good["detail"], "2 GPUs: A and B");
  const auto without_gpu = driver_check("int cuInit(unsigned f) { return 100; }" + rest);
  EXPECT_EQ(without_gpu["state"], "refused") << without_gpu;
  EXPECT_EQ(without_gpu["detail"], "no device");
  const auto crashing = driver_check("int cuInit(unsigned f) { __builtin_trap(); }" + rest);
  EXPECT_EQ(crashing["state"], "refused") << crashing;
}

}  // namespace
}  // namespace burin::test
