// Does `burin advise` say what to change from every kind of input, in every form, and do its gates
// end as they should?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "app/command.h"
#include "app/refusal.h"
#include "capture/recorded_program.h"
#include "capture/two_callers.h"
#include "corpus_files.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::string kLaunch =
    " examples/transpose.sm_90.cubin --kernel transpose --grid 32,32 --block 32,8"
    " --arg buf:4M:f32 --arg buf:4M:undef --arg i32:1024";
const std::string kTranspose = "advise" + kLaunch;
const std::string kLocal =
    "advise tests/data/golden/local.sm_86.cubin --grid 82 --block 128 --arg buf:1M:int:100"
    " --arg buf:1M:undef --arg i32:24 --machine rtx3090";

const std::string kSpilled =
    "advise tests/data/emulate/advised.fatbin --kernel spills --grid 264 --block 1024"
    " --arg buf:51904512:f32 --arg buf:51904512:undef --arg i32:20 --machine h200";

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/burin-advise-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

json advice_of(const std::string& arguments) {
  const Ran ran = burin(arguments + " --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  return json::parse(ran.out);
}

void expect_schema(const json& advice) {
  EXPECT_EQ(advice["schema"], "burin.advise/1");
  for (const char* key : {"kernel", "source", "findings", "time_us", "resources", "stalls"}) {
    EXPECT_TRUE(advice.contains(key)) << key;
  }
  double last = 1e9;
  for (const json& finding : advice["findings"]) {
    for (const char* key : {"rule", "speedup", "speedup_paper", "share", "where", "cause",
                            "hotspots", "coverage", "text", "hint", "confidence"}) {
      EXPECT_TRUE(finding.contains(key)) << key;
    }
    for (const char* place : {"where", "cause"}) {
      for (const char* key : {"file", "line", "offset"}) {
        EXPECT_TRUE(finding[place].contains(key)) << place << " " << key;
      }
    }
    EXPECT_GE(finding["speedup"], 1.01);
    // Of findings that look equally good in the report, the one with a check command comes first.
    const double shown = std::round(100 * finding["speedup"].get<double>());
    EXPECT_LE(shown, last);
    last = shown;
    EXPECT_LE(finding["hotspots"].size(), 5u);
    for (const json& spot : finding["hotspots"]) {
      for (const char* key : {"share", "speedup", "distance", "def", "use", "loop", "function"}) {
        EXPECT_TRUE(spot.contains(key)) << key;
      }
    }
  }
}

TEST(Advise, SaysWhatLimitsAndWhatToChange) {
  const Ran ran = burin(kTranspose);
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_THAT(ran.out, StartsWith("transpose on h200: "));
  EXPECT_THAT(ran.out, HasSubstr("predicted; no GPU used\n"));
  EXPECT_THAT(ran.out, HasSubstr("\nShared memory throughput limits this kernel"));
  EXPECT_THAT(ran.out, HasSubstr("\n1  "));
  EXPECT_THAT(ran.out, HasSubstr("transpose.cu:"));
  EXPECT_THAT(ran.out, HasSubstr("\nlower bounds   "));
  EXPECT_THAT(ran.out, HasSubstr("burin explain"));
}

TEST(Advise, JsonHasTheSchemaOfTheDocs) {
  const json advice = advice_of(kTranspose);
  expect_schema(advice);
  EXPECT_EQ(advice["kernel"], "transpose");
  EXPECT_EQ(advice["source"], "emulated");
  ASSERT_FALSE(advice["findings"].empty());
  EXPECT_EQ(advice["time_us"], advice["predicted_us"]);
  const json one = advice_of(kTranspose + " --top 1");
  EXPECT_EQ(one["findings"].size(), 1u);
}

TEST(Advise, AsksTheRulesThatAreWanted) {
  const std::string first = advice_of(kTranspose)["findings"][0]["rule"];
  const json only = advice_of(kTranspose + " --rule " + first);
  for (const json& finding : only["findings"]) {
    EXPECT_EQ(finding["rule"], first);
  }
  const json others = advice_of(kTranspose + " --no-rule " + first);
  for (const json& finding : others["findings"]) {
    EXPECT_NE(finding["rule"], first);
  }
}

TEST(Advise, ABudgetOfNothingLeavesTheEquations) {
  const json advice = advice_of(kTranspose + " --budget 0");
  ASSERT_FALSE(advice["findings"].empty());
  EXPECT_TRUE(advice["findings"][0]["speedup_emulated"].is_null());
  EXPECT_THAT(advice["notes"].dump(), HasSubstr("no time left to re-emulate"));
}

TEST(Advise, CausesAreAllOfTheTime) {
  const json causes = advice_of(kTranspose + " --causes");
  EXPECT_EQ(causes["schema"], "burin.causes/1");
  EXPECT_EQ(causes["source"], "emulated");
  for (const char* rows : {"causes", "loops"}) {
    double sum = causes["issued"].get<double>() + causes["unattributed"].get<double>();
    for (const json& row : causes[rows]) {
      sum += row["share"].get<double>();
      EXPECT_TRUE(row["share_unpruned"].is_null());  // the emulator knows the cause
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
  const json& first = causes["causes"][0];
  for (const char* key : {"stall", "dependency", "distance", "pairs", "def", "use", "loop"}) {
    EXPECT_TRUE(first.contains(key)) << key;
  }
  EXPECT_EQ(advice_of(kTranspose + " --causes --top 2")["causes"].size(), 2u);
  const std::string text = burin(kTranspose + " --causes --top 1").out;
  EXPECT_THAT(text, HasSubstr("stalls by line"));
  EXPECT_THAT(text, HasSubstr("more rows; use --top or --all"));
  EXPECT_THAT(burin(kTranspose + " --causes --all").out, Not(HasSubstr("more row")));
  expect_refusal(kTranspose + " --causes --fail-on spills", 2,
                 "--causes: makes no findings; remove --fail-on");
  expect_refusal(kTranspose + " --all --top 3", 2, "--all");
}

TEST(Advise, ListsItsRules) {
  const Ran ran = burin("advise --list-rules");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("memory-transaction-reduction  "));
  const json rules = json::parse(burin("advise --list-rules --json").out);
  EXPECT_EQ(rules["schema"], "burin.rules/1");
  EXPECT_GE(rules["rules"].size(), 3u);
}

TEST(Advise, GatesEndWithStatusOneAndASentence) {
  const Ran crossed = burin(kTranspose + " --fail-on \"speedup>1.01\"");
  EXPECT_EQ(crossed.status, 1);
  EXPECT_THAT(crossed.out, StartsWith("transpose on h200: "));
  EXPECT_THAT(crossed.err, StartsWith("burin: --fail-on speedup>1.01: transpose: "));
  EXPECT_EQ(burin(kTranspose + " --fail-on \"speedup>50\" --fail-on spills").status, 0);
  EXPECT_EQ(burin(kTranspose + " --fail-on \"registers>4\"").status, 1);
  const Ran spills = burin(kSpilled + " --fail-on spills");
  EXPECT_EQ(spills.status, 1) << spills.out << spills.err;
  EXPECT_THAT(spills.err, HasSubstr("spills is "));
}

TEST(Advise, AgainstABaselineOnlyWhatIsNewCounts) {
  const Folder folder;
  const std::string file = folder.file("before.json");
  const std::string gate = " --fail-on \"speedup>1.01\" --baseline " + file;
  json advice = advice_of(kTranspose);
  std::ofstream(file) << advice;
  const Ran same = burin(kTranspose + gate);
  EXPECT_EQ(same.status, 0) << same.err;
  advice["findings"].erase(0);
  std::ofstream(file) << advice;
  const Ran fresh = burin(kTranspose + gate);
  EXPECT_EQ(fresh.status, 1);
  EXPECT_THAT(fresh.err, HasSubstr("new or worse"));
  std::ofstream(file) << advice.dump().substr(0, 100);
  expect_refusal(kTranspose + gate, 3, "before.json: is not valid JSON: line 1, column 101: ");
}

// The properties that SARIF 2.1.0 requires, and those that code hosts need to show a result.
TEST(Advise, SarifIsWhatCodeHostsTake) {
  const Folder folder;
  const std::string file = folder.file("advice.sarif");
  ASSERT_EQ(burin(kTranspose + " --sarif " + file).status, 0);
  const json sarif = json::parse(std::ifstream(file));
  EXPECT_EQ(sarif["version"], "2.1.0");
  ASSERT_EQ(sarif["runs"].size(), 1u);
  const json& run = sarif["runs"][0];
  const json& driver = run["tool"]["driver"];
  EXPECT_EQ(driver["name"], "burin");
  std::vector<std::string> ids;
  for (const json& rule : driver["rules"]) {
    ids.push_back(rule["id"]);
    EXPECT_FALSE(rule["shortDescription"]["text"].get<std::string>().empty());
    EXPECT_FALSE(rule["help"]["text"].get<std::string>().empty());
  }
  ASSERT_FALSE(run["results"].empty());
  for (const json& result : run["results"]) {
    EXPECT_THAT(ids, testing::Contains(result["ruleId"]));
    EXPECT_THAT((std::vector<std::string>{"error", "warning", "note"}),
                testing::Contains(result["level"]));
    EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
    ASSERT_FALSE(result["locations"].empty());
    const json& place = result["locations"][0]["physicalLocation"];
    EXPECT_EQ(place["artifactLocation"]["uri"], "examples/transpose.cu");
    EXPECT_GE(place["region"]["startLine"], 1);
    EXPECT_EQ(result["partialFingerprints"]["burinFinding/v1"].get<std::string>().size(), 16u);
  }
}

TEST(Advise, WithoutLinesPlacesAreOffsets) {
  const json advice = advice_of(kLocal);
  expect_schema(advice);
  EXPECT_EQ(advice["resources"]["spills"], 0);  // an array that is indexed at run time
  for (const json& finding : advice["findings"]) {
    EXPECT_TRUE(finding["where"]["file"].is_null());
  }
}

TEST(Advise, RefusesInASentence) {
  expect_refusal("advise", 2, "FILE is required; see burin advise --help");
  expect_refusal("advise examples/transpose.sm_90.cubin --block 32", 2, "--grid is required");
  for (const char* command : {"advise", "explain", "predict", "run"}) {
    expect_refusal(command + std::string(" /proc/nowhere/a.cubin"), 3,
                   "/proc/nowhere/a.cubin: cannot open: No such file or directory");
  }
  expect_refusal(kTranspose + " --rule bank-conflict", 2, "--rule: unknown rule 'bank-conflict'");
  expect_refusal(kTranspose + " --no-rule x", 2, "`burin advise --list-rules` lists them");
  expect_refusal(kTranspose + " --fail-on fast", 2, "--fail-on: 'fast': unknown metric 'fast'");
  expect_refusal(kTranspose + " --fail-on rule:x", 2, "unknown rule 'x'");
  expect_refusal(kTranspose + " --baseline x.json", 2, "--baseline needs --fail-on");
  expect_refusal(kTranspose + " --fail-on spills --baseline /proc/nowhere/x.json", 3,
                 "--baseline: ");
  expect_refusal(kTranspose + " --sarif /proc/nowhere/x.sarif", 3, "--sarif: ");
  expect_refusal(kTranspose + " --cubin a.out", 2, "--cubin is for Nsight Compute reports");
  expect_refusal(kTranspose + " --rules /proc/nowhere/rules.so", 3, "/proc/nowhere/rules.so");
}

class AdviseCaptureTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(program_.assembled()); }

  std::string file() const { return program_.capture(); }

  RecordedProgram program_;
};

// 111 samples of its kernel are enough to say something.
TEST_F(AdviseCaptureTest, TakesTheSamplesOfACapture) {
  const json advice = advice_of("advise " + file());
  expect_schema(advice);
  EXPECT_EQ(advice["source"], "samples");
  EXPECT_EQ(advice["samples"], 111);
  EXPECT_EQ(advice["measured_us"], 4.0);
  EXPECT_GT(advice["predicted_us"], 0);
  EXPECT_TRUE(advice["causes"]["agreement"].is_number());
  EXPECT_TRUE(advice_of("advise " + file() + " --samples-only")["predicted_us"].is_null());
  const json causes = advice_of("advise " + file() + " --causes");
  EXPECT_EQ(causes["source"], "samples");
  double before = 0;
  double after = 0;
  for (const json& row : causes["causes"]) {
    before += row["share_unpruned"].get<double>();
    after += row["share"].get<double>();
  }
  EXPECT_NEAR(before, 100.0 / 111, 1e-6);
  EXPECT_NEAR(after, 100.0 / 111, 1e-6);
  const Ran ran = burin("advise " + file() + ":2");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("vector_add on h200, launch 2 of "));
  EXPECT_THAT(ran.out, HasSubstr("5.00 µs measured, "));
}

// One of two places launches a larger grid. The samples do not name their launches.
TEST(AdviseCallers, EachGetsAdviceOfItsOwn) {
  const TwoCallers program;
  ASSERT_TRUE(program.assembled());
  const json advice = advice_of("advise " + program.capture());
  ASSERT_EQ(advice.size(), 2u);
  EXPECT_EQ(advice[0]["callers"][0]["place"], "train.py:42");
  EXPECT_NEAR(advice[0]["callers"][0]["share"], 0.6, 1e-9);
  EXPECT_EQ(advice[0]["grid"][0], 4);
  EXPECT_EQ(advice[0]["measured_us"], 12.0);
  EXPECT_EQ(advice[1]["callers"][0]["place"], "train.py:57");
  EXPECT_EQ(advice[1]["grid"][0], 2);
  EXPECT_EQ(advice[1]["measured_us"], 4.0);
  for (const json& each : advice) {
    expect_schema(each);
    EXPECT_EQ(each["source"], "emulated");
    EXPECT_THAT(each["notes"].dump(), HasSubstr("the samples are of all call paths"));
  }
  const std::string text = burin("advise " + program.capture() + ":3 --causes").out;
  EXPECT_THAT(text, HasSubstr("\ncalled from train.py:42 (60.0 % of the time)\n"));
  const TwoCallers serialized(true);
  ASSERT_TRUE(serialized.assembled());
  const json sampled = advice_of("advise " + serialized.capture());
  EXPECT_EQ(sampled[0]["source"], "samples");
  EXPECT_EQ(sampled[0]["samples"], 111);
  EXPECT_EQ(sampled[1]["source"], "emulated");
  EXPECT_THAT(sampled[1]["notes"].dump(), Not(HasSubstr("samples")));
  // Against itself nothing is new.
  const Folder folder;
  std::ofstream(folder.file("before.json")) << advice.dump();
  EXPECT_EQ(burin("advise " + program.capture() + " --fail-on findings --baseline " +
                  folder.file("before.json"))
                .status,
            0);
}

TEST_F(AdviseCaptureTest, EmulatesWhereSamplesAreFew) {
  const json advice = advice_of("advise tests/data/record/softmax.burin");
  expect_schema(advice);
  EXPECT_EQ(advice["source"], "emulated");
  EXPECT_GT(advice["measured_us"], 1);
  const json one = advice_of("advise tests/data/record/serialized.burin --kernels 1");
  EXPECT_THAT(one["demangled"].get<std::string>(), StartsWith("plain("));
  const json several = advice_of("advise tests/data/record/shapes.burin --kernel ed");
  ASSERT_EQ(several.size(), 2u);  // shared and clustered
}

TEST_F(AdviseCaptureTest, TellsWhatIsMissing) {
  const std::string report = "advise tests/data/ncu/recursion.source.csv";
  expect_refusal(report, 3, "pass its cubin or program with --cubin FILE");
  expect_refusal(report + " --cubin examples/transpose.sm_90.cubin", 3, "recursion");
  expect_refusal("advise " + file() + " --kernel gemm", 3, "no kernel name contains gemm");
  expect_refusal("advise " + file() + ":gemm", 3, "no launch of a kernel named gemm");
}

// A source page as Nsight Compute writes it: `samples` of each instruction of vector_add.
std::string write_report(const Folder& folder, int samples) {
  const json listing =
      json::parse(burin("inspect --sass --json examples/vector_add.sm_90.cubin").out);
  const std::string path = folder.file("report.csv");
  std::ofstream out(path);
  out << "\"Kernel Name\",\"vector_add\"\n\"Address\",\"Source\",\"Instructions Executed\","
         "\"stall_long_sb\",\"stall_long_sb (Not Issued)\"\n";
  for (const json& instruction : listing["images"][0]["kernels"][0]["instructions"]) {
    out << '"' << 4096 + instruction["offset"].get<int>() << "\",\""
        << instruction["text"].get<std::string>() << "\",\"8\",\"" << samples << "\",\"" << samples
        << "\"\n";
  }
  return path;
}

// A kernel of Triton's on a matrix stored by columns. Of more blocks on an SM none gains anything.
TEST(AdviseCapture, NamesTheStrideOfATritonKernel) {
  const json advice = advice_of("advise tests/data/capture/triton_softmax.burin");
  expect_schema(advice);
  EXPECT_EQ(advice["source"], "samples");
  ASSERT_FALSE(advice["findings"].empty());
  EXPECT_EQ(advice["findings"][0]["rule"], "coalescing");
  EXPECT_THAT(advice["findings"][0]["hint"].dump(), HasSubstr("32,768 bytes apart"));
  EXPECT_GT(advice["findings"][0]["speedup"], 2);
}

TEST(AdviseReport, OfNsightComputeNeedsTheCubin) {
  const Folder folder;
  const std::string report = "advise " + write_report(folder, 5);
  expect_refusal(report, 3, "pass its cubin or program with --cubin FILE");
  const std::string cubin = report + " --cubin examples/vector_add.sm_90.cubin";
  const json advice = advice_of(cubin);
  expect_schema(advice);
  EXPECT_EQ(advice["source"], "samples");
  EXPECT_TRUE(advice["predicted_us"].is_null());
  EXPECT_THAT(advice["notes"].dump(),
              HasSubstr("a report has no kernel arguments; pass them with --arg"));
  EXPECT_THAT(advice["notes"].dump(),
              HasSubstr("grid and block size unknown: launch-shape rules skipped"));
  const json emulated = advice_of(cubin +
                                  " --grid 8 --block 128 --arg buf:4K:f32 --arg buf:4K:f32"
                                  " --arg buf:4K:undef --arg i32:1000");
  EXPECT_EQ(emulated["source"], "samples");
  EXPECT_GT(emulated["predicted_us"], 0);
  EXPECT_EQ(emulated["grid"][0], 8);
}

TEST(AdviseReport, SaysHowManySamplesAreMissing) {
  const Folder folder;
  const Ran ran =
      burin("advise " + write_report(folder, 0) + " --cubin examples/vector_add.sm_90.cubin");
  EXPECT_EQ(ran.status, 3) << ran.out;
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("report.csv: contains no launches and no samples"));
  const Folder other;
  std::ofstream(other.file("few.csv"))
      << "\"Kernel Name\",\"vector_add\"\n\"Address\",\"Source\",\"stall_wait\",\"# "
         "Samples\"\n\"0\",\"LDC R1, c[0x0][0x28]\",\"11\",\"11\"\n";
  const Ran few =
      burin("advise " + other.file("few.csv") + " --cubin examples/vector_add.sm_90.cubin");
  EXPECT_EQ(few.status, 3) << few.out;
  EXPECT_THAT(few.err, HasSubstr("only 11 samples, 89 more needed"));
}

TEST(AdviseReport, RefusesAnotherBuild) {
  const Folder folder;
  expect_refusal("advise " + write_report(folder, 5) + " --cubin examples/vector_add.sm_80.cubin",
                 3, "pass the exact file that ran");
}

// The headline of a finding is one of the estimates below it, and no hotspot gains more.
void check_headlines(const std::string& arguments) {
  const Ran ran = burin("advise " + arguments);
  ASSERT_EQ(ran.status, 0) << arguments << ran.err;
  static const std::regex headline(R"(^\d+ +(\d+\.\d\d×) *[a-z-]+)");
  static const std::regex hotspot(R"(^ +\d+\.\d %  (\d+\.\d\d)×  )");
  std::istringstream lines(ran.out);
  std::string line;
  std::string number;
  std::string below;
  const auto check = [&] {
    if (number.empty()) return;
    const std::size_t first =
        std::min({below.find("re-emulated without the cause: "), below.find("GPA estimate: "),
                  below.find("computed from the launch: ")});
    ASSERT_NE(first, std::string::npos) << arguments << below;
    EXPECT_NE(below.find(" " + number, first), std::string::npos)
        << arguments << ": " << number << below;
  };
  while (std::getline(lines, line)) {
    std::smatch found;
    if (std::regex_search(line, found, headline)) {
      check();
      number = found[1];
      below.clear();
    } else if (std::regex_search(line, found, hotspot)) {
      EXPECT_LE(std::stod(found[1]), std::stod(number) + 0.005) << arguments << line;
    } else {
      below += "\n" + line;
    }
  }
  check();
}

TEST(AdviseHeadlines, AreAmongTheEstimates) {
  std::vector<std::filesystem::path> captures;
  for (const auto& entry : std::filesystem::directory_iterator(corpus_file("captures"))) {
    if (entry.path().extension() == ".burin") captures.push_back(entry.path());
  }
  std::ranges::sort(captures);
  ASSERT_GT(captures.size(), 100u);
  for (std::size_t k = 3; k < captures.size(); k += 15) {
    check_headlines(captures[k].string());
    check_headlines(captures[k].string() + " --samples-only");
  }
  check_headlines(
      "examples/transpose.sm_90.cubin --kernel transpose --grid 64,64 --block 32,8 --arg "
      "buf:16M:f32 --arg buf:16M:undef --arg i32:2048 --machine h200");
}

}  // namespace
}  // namespace burin::test
