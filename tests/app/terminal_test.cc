// Does burin fit the terminal: width, colour, progress, manual pages, and what to do next?
#include "app/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "app/command.h"
#include "app/progress_line.h"
#include "app/what_next.h"
#include "base/temporary_folder.h"

namespace burin::app {
namespace {

using test::burin;
using test::Ran;
using test::shell;
using testing::HasSubstr;
using testing::Not;

TEST(ProgressText, SaysRateAndTimeLeftAfterASecond) {
  WorkPhase phase;
  phase.step("predicting launch", 1, 100, 10.0);
  EXPECT_EQ(progress_text(phase, 10.5, 0), "predicting launch 1 of 100");
  phase.step("predicting launch", 21, 100, 12.0);
  EXPECT_EQ(progress_text(phase, 12.0, 0), "predicting launch 21 of 100  10/s  8 s left");
  // A step that takes long: the rate falls while nothing is reported.
  EXPECT_EQ(progress_text(phase, 20.0, 0), "predicting launch 21 of 100  2.0/s  40 s left");
}

TEST(ProgressText, WithoutATotalSaysHowLongItTook) {
  WorkPhase phase;
  phase.step("planning: step", 1, 0, 100.0);
  phase.step("planning: step", 2, 0, 120.0);
  EXPECT_EQ(progress_text(phase, 220.0, 0), "planning: step 2  0.5/min  2 min 0 s");
}

TEST(ProgressText, AnotherKindOfWorkBeginsAnew) {
  WorkPhase phase;
  phase.step("reading image", 1, 50, 1.0);
  phase.step("reading image", 50, 50, 4.0);
  phase.step("predicting", 1, 3, 5.0);
  EXPECT_EQ(progress_text(phase, 5.5, 0), "predicting 1 of 3");
  // A text that changes with every step is the same work.
  phase.step("best 3 µs; trial", 10, 90, 6.0);
  phase.step("best 2 µs; trial", 20, 90, 8.0);
  EXPECT_EQ(progress_text(phase, 8.0, 0), "best 2 µs; trial 20 of 90  5.0/s  14 s left");
}

TEST(ProgressText, FitsTheTerminal) {
  WorkPhase phase;
  phase.step("best µµµ", 10, 90, 1.0);
  EXPECT_EQ(progress_text(phase, 1.0, 7), "best µµ");
}

TEST(WhatNext, ThreeCommandsFromWhatIsThere) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  const std::string at = folder->path();
  ASSERT_EQ(suggestions(at).size(), 3u);
  EXPECT_EQ(suggestions(at)[0].command, "burin doctor");
  std::ofstream(at + "/a kernel.cu") << "x";
  EXPECT_EQ(suggestions(at)[2].command, "burin inspect 'a kernel.cu' --sass");
  std::ofstream(at + "/app.burin") << "x";
  EXPECT_EQ(suggestions(at)[1].command, "burin advise app.burin --html app.html");
  EXPECT_EQ(suggestions("/no/such/folder").size(), 3u);
}

TEST(WhatNext, BurinAlone) {
  const Ran ran = burin("");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, HasSubstr("What to do next:\n\n  burin "));
  EXPECT_THAT(ran.out, HasSubstr("burin --help"));
}

TEST(Terminal, ColourByOptionAndEnvironment) {
  const std::string show = "inspect examples/transpose.sm_90.cubin --sass";
  EXPECT_THAT(burin(show).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(burin(show + " --color always").out, HasSubstr("\x1b["));
  EXPECT_THAT(test::burin_on_terminal(show, 120).out, HasSubstr("\x1b["));
  EXPECT_THAT(test::burin_on_terminal(show + " --color never", 120).out, Not(HasSubstr("\x1b[")));
  EXPECT_THAT(shell("NO_COLOR=1 $BURIN " + show + " --color always").out, HasSubstr("\x1b["));
  EXPECT_EQ(burin(show + " --color sometimes").status, 2);
}

TEST(Terminal, LinesFitTheWidth) {
  for (const unsigned short width : std::array<unsigned short, 3>{60, 80, 100}) {
    for (const char* command :
         {"machines --color never", "doctor --color never", "--color never"}) {
      std::size_t column = 0;
      for (const char c : test::burin_on_terminal(command, width).out) {
        column = c == '\n' || c == '\r' ? 0 : column + ((c & 0xc0) != 0x80 ? 1 : 0);
        ASSERT_LE(column, width) << command;
      }
    }
  }
  // What a program reads is not cut.
  EXPECT_EQ(shell("COLUMNS=60 $BURIN machines").out, burin("machines").out);
}

TEST(ManPages, AreWhatTroffTakes) {
  const Ran ran = burin("man advise");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr(".TH BURIN-ADVISE 1"));
  EXPECT_THAT(ran.out, HasSubstr(".SH SYNOPSIS\n.B burin advise\n"));
  EXPECT_THAT(ran.out, HasSubstr("\\fB\\-\\-html\\fR \\fIFILE\\fR\n"));
  EXPECT_THAT(ran.out, HasSubstr(".SH EXAMPLES\n.nf\n"));
  EXPECT_EQ(burin("man avdise").status, 2);
  if (shell("command -v groff").status != 0) GTEST_SKIP() << "no groff here";
  const Ran all = shell(
      "for c in '' $($BURIN man | sed -n 's/^.BR burin.-\\([a-z]*\\) .*/\\1/p'); do "
      "$BURIN man $c | groff -ww -man -K utf8 -T utf8 > /dev/null || exit 1; echo \"$c\"; done");
  EXPECT_EQ(all.status, 0);
  EXPECT_EQ(all.err, "");  // no warning either
  EXPECT_THAT(all.out, HasSubstr("predict\n"));
  EXPECT_THAT(all.out, HasSubstr("serve\n"));
}

// The text of --help and of the manual page are one.
TEST(ManPages, HaveEveryOptionOfTheHelp) {
  const std::string help = burin("coarsen --help").out;
  std::string page = burin("man coarsen").out;
  for (std::size_t at; (at = page.find("\\-")) != std::string::npos;) page.erase(at, 1);
  std::size_t options = 0;
  for (std::size_t at = 0; (at = help.find("--", at)) != std::string::npos; ++options) {
    const std::size_t end = help.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
    EXPECT_THAT(page, HasSubstr(help.substr(at, end - at)));
    at = end;
  }
  EXPECT_GT(options, 10u);
}

}  // namespace
}  // namespace burin::app
