// The two libraries inside programs: libburin_launch.so by LD_PRELOAD, libburin_launch.a by the
// linker's --wrap, over a fake driver that records every launch (fake/driver.cc).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/child.h"
#include "base/sha256.h"
#include "base/text.h"
#include "runtime/saxpy_rp.h"

namespace burin::runtime {
namespace {

using testing::HasSubstr;
using testing::Not;

struct HooksTest : testing::Test {
  using Environment = std::map<std::string, std::string>;

  // The output of a fake program; the launches that the driver saw are in launches(), the log in
  // log().
  std::string run(const std::string& program, const std::vector<std::string>& scenarios,
                  const Environment& extra = {}) {
    Environment environment = {{"LD_LIBRARY_PATH", BURIN_FAKE_CUDA_FOLDER},
                               {"BURIN_LAUNCH_PATH", folder.path()},
                               {"BURIN_LAUNCH_LOG", folder.path() + "/log"},
                               {"FAKE_CUDA_RECORD", folder.path() + "/launches"}};
    for (const auto& [name, value] : extra) environment[name] = value;
    std::remove((folder.path() + "/log").c_str());
    std::remove((folder.path() + "/launches").c_str());
    const Answer answer = run_program(program, scenarios, 60, "", environment);
    EXPECT_TRUE(answer.ok()) << answer.text;
    return answer.text;
  }
  std::string preload(const std::vector<std::string>& scenarios, Environment extra = {}) {
    extra["LD_PRELOAD"] = BURIN_LAUNCH_SO;
    return run(BURIN_FAKE_LAUNCHER, scenarios, extra);
  }
  std::string log() const { return read_text(folder.path() + "/log"); }
  std::string launches() const { return read_text(folder.path() + "/launches"); }
  long launches_with(const std::string& part) const {
    const std::string text = launches();
    const std::vector<std::string_view> lines = split(text, '\n');
    return std::count_if(lines.begin(), lines.end(), [&](std::string_view line) {
      return line.find(part) != std::string_view::npos;
    });
  }

  RpFolder folder;
};

TEST_F(HooksTest, PreloadChangesLaunches) {
  EXPECT_EQ(preload({"plain"}), "plain ok\n");
  EXPECT_EQ(launches_with("grid 32 1 1 block 32 1 1"), 2);
  EXPECT_EQ(launches_with("grid 782 1 1 block 128 1 1"), 1);
  EXPECT_THAT(log(), HasSubstr("n=1000: block 256 1 1 -> 32 1 1"));
}

TEST_F(HooksTest, EveryWayToLaunch) {
  const std::pair<const char*, const char*> ways[] = {
      {"dlsym", "block 32 1 1 shared 0 stream 0 by cuLaunchKernel\n"},
      {"per_thread", "block 32 1 1 shared 0 stream 0 by cuLaunchKernel_ptsz\n"},
      {"kernel", "block 32 1 1 shared 0 stream 0 by cuLaunchKernel\n"},
      {"buffer", "block 32 1 1 shared 0 stream 0 by cuLaunchKernel\n"},
      {"priority", "block 32 1 1 shared 0 stream 0 by cuLaunchKernelEx\n"},
      {"ex_per_thread", "block 32 1 1 shared 0 stream 0 by cuLaunchKernelEx_ptsz\n"},
      {"cluster", "block 256 1 1 shared 0 stream 0 by cuLaunchKernelEx\n"},
      {"cooperative", "block 256 1 1 shared 0 stream 0 by cuLaunchCooperativeKernel\n"},
      {"part", "grid 2 1 1 block 256 1 1"},
  };
  for (const auto& [scenario, launch] : ways) {
    EXPECT_EQ(preload({scenario}), std::string(scenario) + " ok\n");
    EXPECT_THAT(launches(), HasSubstr(launch)) << scenario;
    EXPECT_EQ(launches_with("block"), 1) << scenario;
  }
}

TEST_F(HooksTest, ProgramsLinkedWithTheDriver) {
  EXPECT_EQ(run(BURIN_FAKE_LINKED, {}, {{"LD_PRELOAD", BURIN_LAUNCH_SO}}), "linked ok\n");
  EXPECT_EQ(launches_with("block 32 1 1"), 1);
}

TEST_F(HooksTest, CapturedLaunches) {
  EXPECT_EQ(preload({"captured"}), "captured ok\n");
  EXPECT_EQ(launches_with("block 256 1 1"), 1);
  EXPECT_EQ(launches_with("block 32 1 1"), 1);  // after the capture
  EXPECT_EQ(preload({"captured"}, {{"BURIN_LAUNCH_GRAPHS", "on"}}), "captured ok\n");
  EXPECT_EQ(launches_with("block 32 1 1"), 2);
}

TEST_F(HooksTest, ErrorsOfTheProgramStayErrors) {
  EXPECT_EQ(preload({"refused"}), "refused ok\n");
}

TEST_F(HooksTest, AHandleThatIsReused) {
  EXPECT_EQ(preload({"reloaded"}), "reloaded ok\n");
  EXPECT_EQ(launches_with("_Z5saxpyifPKfPf grid 32 1 1 block 32 1 1"), 1);
  EXPECT_EQ(launches_with("_Z5otherifPKfPf grid 4 1 1 block 256 1 1"), 1);
}

TEST_F(HooksTest, ManyThreads) {
  EXPECT_EQ(preload({"threads"}), "threads ok\n");
  EXPECT_EQ(launches_with("block 256 1 1"), 0);
  EXPECT_EQ(launches_with("block 32 1 1"), 800);
}

TEST_F(HooksTest, SwitchedOff) {
  for (const char* mode : {"off", "log", "nonsense"}) {
    EXPECT_THAT(preload({"plain"}, {{"BURIN_LAUNCH", mode}}), HasSubstr("plain ok\n"));
    EXPECT_EQ(launches_with("block 256 1 1"), 3) << mode;
  }
}

TEST_F(HooksTest, NothingToDoMeansTheDriversOwnFunctions) {
  EXPECT_EQ(preload({"hooked"}), "hooked ok\n");
  EXPECT_EQ(preload({"hooked"}, {{"BURIN_LAUNCH", "off"}}), "hooked WRONG\n");
  EXPECT_EQ(preload({"hooked"}, {{"BURIN_LAUNCH_PATH", ""}}), "hooked WRONG\n");
}

TEST_F(HooksTest, DlsymKnowsItsCaller) {
  EXPECT_EQ(preload({"next"}), "next ok\n");
}

TEST_F(HooksTest, AnotherBuildOrDevice) {
  const HooksTest::Environment cases[] = {{{"FAKE_CUDA_REGISTERS", "20"}},
                                          {{"FAKE_CUDA_NO_LAYOUT", "1"}},
                                          {{"FAKE_CUDA_MAX_THREADS", "256"}},
                                          {{"BURIN_LAUNCH_PATH", "/no/such/folder"}},
                                          {{"BURIN_LAUNCH_PATH", ""}}};
  for (const auto& environment : cases) {
    EXPECT_EQ(preload({"plain"}, environment), "plain ok\n");
    if (!environment.contains("FAKE_CUDA_MAX_THREADS")) {
      EXPECT_EQ(launches_with("block 256 1 1"), 3) << environment.begin()->first;
    }
  }
  EXPECT_EQ(preload({"plain"}, {{"FAKE_CUDA_DEVICE", "NVIDIA Unknown"}}), "plain ok\n");
  EXPECT_THAT(log(), HasSubstr("(unknown device)"));
  EXPECT_EQ(preload({"plain"}, {{"FAKE_CUDA_DEVICES", "2"}}), "plain ok\n");
  EXPECT_EQ(launches_with("block 32 1 1"), 2);
}

TEST_F(HooksTest, CodeIsComparedWhereItIsSeen) {
  const std::string path = folder.path() + "/saxpy.rp";
  const std::string code = "the code of saxpy";  // fake/program.cc
  const std::string hash =
      sha256_hex(Bytes(reinterpret_cast<const std::uint8_t*>(code.data()), code.size()));
  write_text(path, saxpy_rp_with("code -", "code " + hash));
  EXPECT_EQ(preload({"image"}), "image ok\n");
  EXPECT_EQ(launches_with("block 32 1 1"), 1);
  write_text(path, saxpy_rp_with("code -", "code " + std::string(64, '0')));
  EXPECT_EQ(preload({"image"}), "image ok\n");
  EXPECT_EQ(launches_with("block 256 1 1"), 1);
  EXPECT_THAT(log(), HasSubstr("the kernel's code differs"));
}

TEST_F(HooksTest, ALaunchThatTheDriverRefuses) {
  EXPECT_EQ(preload({"plain"}, {{"FAKE_CUDA_REFUSE", "32"}}), "plain ok\n");
  EXPECT_EQ(launches_with("block 256 1 1"), 2);
  EXPECT_THAT(log(), HasSubstr("CUDA refused the chosen launch"));
}

TEST_F(HooksTest, Refinement) {
  const std::string wisdom = folder.path() + "/wisdom";
  const Environment refine = {{"BURIN_LAUNCH", "refine"}, {"BURIN_LAUNCH_WISDOM", wisdom}};
  EXPECT_EQ(preload({"repeated"}, refine), "repeated ok\n");
  EXPECT_THAT(log(),
              HasSubstr("refined: block 64 1 1, 10.00 us; the program's own 256 1 1, 20.00"));
  EXPECT_GT(launches_with("block 64 1 1"), 50);
  EXPECT_EQ(launches_with("block 256 1 1"), 6);  // one per round
  EXPECT_THAT(read_text(wisdom), HasSubstr(" 64 1 1 10.000 20.000 _Z5saxpyifPKfPf NVIDIA H200\n"));
  // The next run starts with the winner.
  EXPECT_EQ(preload({"repeated"}, {{"BURIN_LAUNCH_WISDOM", wisdom}}), "repeated ok\n");
  EXPECT_EQ(launches_with("block 64 1 1"), 100);
  EXPECT_THAT(log(), HasSubstr("(wisdom)"));
}

constexpr char kWrapped[] =
    "chevrons ok\nper_thread ok\nsymbol ok\npriority ok\ncluster ok\ncaptured ok\nheader ok\n";

TEST_F(HooksTest, RelinkedPrograms) {
  EXPECT_EQ(run(BURIN_FAKE_WRAPPED, {}), kWrapped);
  EXPECT_EQ(launches_with("block 32 1 1"), 5);
  EXPECT_EQ(launches_with("block 256 1 1"), 2);  // in clusters, captured
  EXPECT_EQ(launches_with("by cuLaunchKernel_ptsz"), 1);
}

TEST_F(HooksTest, RelinkedProgramsSwitchedOff) {
  EXPECT_EQ(run(BURIN_FAKE_WRAPPED, {}, {{"BURIN_LAUNCH", "off"}}), kWrapped);
  EXPECT_EQ(launches_with("block 256 1 1"), 7);
}

// An error of a changed launch that was repeated is not left behind for cudaGetLastError().
TEST_F(HooksTest, RelinkedProgramsWhoseLaunchIsRefused) {
  EXPECT_EQ(run(BURIN_FAKE_WRAPPED, {}, {{"FAKE_CUDA_REFUSE", "32"}}), kWrapped);
}

TEST_F(HooksTest, RelinkedAndPreloadedChangeALaunchOnce) {
  EXPECT_EQ(run(BURIN_FAKE_WRAPPED, {}, {{"LD_PRELOAD", BURIN_LAUNCH_SO}}), kWrapped);
  EXPECT_EQ(launches_with("grid 32 1 1 block 32 1 1"), 6);
}

// What other programs get must not clash with what they have.
TEST(LaunchLibraries, ExportNothingButTheirInterface) {
  const std::string nm = find_program("nm", {});
  if (nm.empty()) GTEST_SKIP() << "nm is not installed";
  const Answer archive = run_program(nm, {"-C", BURIN_LAUNCH_ARCHIVE}, 60);
  EXPECT_THAT(archive.text, Not(HasSubstr("fmt::")));
  EXPECT_THAT(archive.text, HasSubstr("burin_launch_kernel"));
  const Answer shared = run_program(nm, {"-D", "--defined-only", BURIN_LAUNCH_SO}, 60);
  for (const std::string_view line : split(shared.text, '\n')) {
    if (line.empty()) continue;
    const std::string_view name = line.substr(line.rfind(' ') + 1);
    EXPECT_TRUE(name.starts_with("cu") || name == "dlsym" || name == "burin_launch_preloaded")
        << name;
  }
}

}  // namespace
}  // namespace burin::runtime
