// Do other tools find in an exported file what they expect?
#include "tune/formats/export.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tune/formats/recorded_space.h"

namespace burin::tune {
namespace {

using formula::Value;
using Json = nlohmann::ordered_json;

std::string read_file(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ExportTest : public testing::Test {
 protected:
  ExportTest() {
    trials_.push_back({.point = {1, 0, 1},
                       .objective = -80,
                       .time_us = 1500,
                       .times_us = {1500, 1490, 1520},
                       .compile_seconds = 0.25,
                       .measure_seconds = 0.01,
                       .figures = {{"registers", 40}, {"GFLOP/s", 80}},
                       .device = "NVIDIA H200",
                       .host = "node7",
                       .unix_ms = 1'703'238'828'691});
    trials_.push_back({.point = {0, 1, 0},
                       .status = Status::kTimeout,
                       .reason = "did not end, in \"10\" s\nsecond line \xff",
                       .compile_seconds = 0.5,
                       .measure_seconds = 10,
                       .unix_ms = 1'703'238'829'000});
    trials_.push_back({.point = {1, 1, 0},
                       .objective = -120,
                       .time_us = 1000,
                       .times_us = {1000},
                       .cut_short = true,
                       .device = "NVIDIA H200",
                       .unix_ms = 1'703'238'830'000});
    trials_.push_back({.point = {0, 0, 0}, .status = Status::kCompile, .reason = "expected ';'"});
    trials_.push_back({.point = {0, 0, 1}, .status = Status::kConstraints, .reason = "52 KB"});
    trials_.push_back({.point = {0, 1, 1}, .status = Status::kCorrectness, .reason = "differs"});
    trials_.push_back({.point = {1, 0, 0}, .status = Status::kRuntime, .reason = "fault"});
  }

  ExportedRun run() const {
    return {.parameters = parameters_,
            .trials = trials_,
            .kernel = "gemm",
            .device = "NVIDIA H200",
            .problem_size = {{"m", Value{std::int64_t{64}}}, {"n", Value{std::int64_t{4096}}}}};
  }

  std::vector<Parameter> parameters_ = {
      {"tile", {Value{std::int64_t{2}}, Value{std::int64_t{4}}}},
      {"layout", {Value{std::string("NHWC")}, Value{std::string("a,\"b\"")}}},
      {"fast", {Value{false}, Value{true}}}};
  std::vector<Trial> trials_;
};

// A space of which a search has seen a part is not taken for the whole.
TEST_F(ExportTest, T4SaysHowManyConfigurationsThereAre) {
  EXPECT_FALSE(Json::parse(t4_text(run())).at("metadata").contains("space_size"));
  ExportedRun part = run();
  part.space_size = trials_.size() + 1;
  EXPECT_EQ(Json::parse(t4_text(part)).at("metadata").at("space_size"), trials_.size() + 1);
  const Result<RecordedSpace> read = parse_recorded_space(t4_text(part));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->fully_recorded);
  EXPECT_EQ(read->space_size, trials_.size() + 1);
  part.space_size = trials_.size();
  EXPECT_TRUE(parse_recorded_space(t4_text(part))->fully_recorded);
}

TEST_F(ExportTest, T4HasTheFieldsOfTheFormat) {
  const Json t4 = Json::parse(t4_text(run()));
  EXPECT_EQ(t4["schema_version"], "1.0.0");
  ASSERT_EQ(t4["results"].size(), trials_.size());
  const Json& first = t4["results"][0];
  EXPECT_EQ(first["timestamp"], "2023-12-22 09:53:48.691000+00:00");
  EXPECT_EQ(first["configuration"].dump(), R"({"tile":4,"layout":"NHWC","fast":true})");
  EXPECT_EQ(first["invalidity"], "correct");
  EXPECT_EQ(first["correctness"], 1);
  EXPECT_EQ(first["objectives"], Json::array({"time"}));
  EXPECT_EQ(first["times"]["compilation"], 250.0);
  EXPECT_EQ(first["times"]["runtimes"], Json::array({1.5, 1.49, 1.52}));
  EXPECT_EQ(first["times"]["validation"], 0);
  EXPECT_EQ(first["times"]["search_algorithm"], 0);
  // Compiling apart, the times add up to the 10 ms that the trial took.
  EXPECT_NEAR(first["times"]["framework"].get<double>(), 10 - 4.51, 1e-9);
  EXPECT_EQ(first["measurements"][0], Json({{"name", "time"}, {"value", 1.5}, {"unit", "ms"}}));
  EXPECT_EQ(first["measurements"].size(), 3u);
}

TEST_F(ExportTest, T4NamesEveryWayToFail) {
  const Json t4 = Json::parse(t4_text(run()));
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"correct", ""},
      {"timeout", "RuntimeFailedConfig"},
      {"correct", ""},
      {"compile", "CompilationFailedConfig"},
      {"constraints", "InvalidConfig"},
      {"correctness", "RuntimeFailedConfig"},
      {"runtime", "RuntimeFailedConfig"}};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const Json& result = t4["results"][k];
    EXPECT_EQ(result["invalidity"], expected[k].first);
    EXPECT_EQ(result["correctness"], expected[k].second.empty() ? 1 : 0);
    EXPECT_EQ(result["times"].contains("runtimes"), expected[k].second.empty());
    if (!expected[k].second.empty()) {
      EXPECT_EQ(result["measurements"][0]["value"], expected[k].second);
    }
  }
}

TEST_F(ExportTest, AMaximisedObjectiveIsPositiveAgain) {
  ExportedRun maximised = run();
  maximised.objective = "GFLOP/s";
  maximised.maximise = true;
  const Json t4 = Json::parse(t4_text(maximised));
  EXPECT_EQ(t4["results"][2]["objectives"], Json::array({"GFLOP/s"}));
  EXPECT_EQ(t4["results"][2]["measurements"][1],
            Json({{"name", "GFLOP/s"}, {"value", 120.0}, {"unit", ""}}));
  const Json cache = Json::parse(cachefile_text(maximised));
  EXPECT_EQ(cache["objective"], "GFLOP/s");
  EXPECT_EQ(cache["cache"].front()["GFLOP/s"], 80.0);
  EXPECT_NE(csv_text({&maximised, 1}).find(",1000,120,1,1,"), std::string::npos);
}

TEST_F(ExportTest, TheCachefileIsKernelTuners) {
  const std::string text = cachefile_text(run());
  const Json cache = Json::parse(text);
  EXPECT_EQ(cache["device_name"], "NVIDIA H200");
  EXPECT_EQ(cache["kernel_name"], "gemm");
  EXPECT_EQ(cache["problem_size"], Json::array({64, 4096}));
  EXPECT_EQ(cache["tune_params_keys"], Json::array({"tile", "layout", "fast"}));
  EXPECT_EQ(cache["tune_params"]["tile"], Json::array({2, 4}));
  EXPECT_EQ(cache["objective"], "time");
  ASSERT_EQ(cache["cache"].size(), trials_.size());
  const Json& first = cache["cache"]["4,NHWC,True"];
  EXPECT_EQ(first["tile"], 4);
  EXPECT_EQ(first["layout"], "NHWC");
  EXPECT_EQ(first["fast"], true);
  EXPECT_EQ(first["time"], 1.5);
  EXPECT_EQ(first["times"], Json::array({1.5, 1.49, 1.52}));
  EXPECT_EQ(first["compile_time"], 250.0);
  EXPECT_EQ(first["benchmark_time"], 10.0);
  EXPECT_EQ(first["registers"], 40.0);
  for (const char* name : {"verification_time", "strategy_time", "framework_time"}) {
    EXPECT_EQ(first[name], 0) << name;
  }
  EXPECT_EQ(first["timestamp"], "2023-12-22 09:53:48.691000+00:00");
  const Json& failed = cache["cache"]["2,a,\"b\",False"];
  EXPECT_EQ(failed["time"], "RuntimeFailedConfig");
  EXPECT_EQ(failed["invalidity"], "timeout");
  EXPECT_FALSE(failed.contains("times"));
  EXPECT_EQ(failed["reason"].get<std::string>().find("did not end"), 0u);
  // One entry on each line, which is what Kernel Tuner relies on when it repairs a file.
  EXPECT_NE(text.find("\"cache\": {\n\"4,NHWC,True\": {"), std::string::npos);
  EXPECT_TRUE(text.ends_with("}}\n}\n"));
}

TEST_F(ExportTest, CsvHasOneLineForEachTrialOfAllRuns) {
  ExportedRun second = run();
  second.problem_size = {{"n", Value{std::int64_t{1}}}};
  second.trials = second.trials.first(1);
  const std::vector<ExportedRun> runs = {run(), second};
  const std::string text = csv_text(runs);
  const std::string head =
      "kernel,device,m,n,tile,layout,fast,status,time_us,objective,samples,cut_short,"
      "compile_seconds,measure_seconds,GFLOP/s,registers,host,timestamp,reason\n";
  ASSERT_EQ(text.substr(0, head.size()), head);
  EXPECT_NE(text.find("gemm,NVIDIA H200,64,4096,4,NHWC,1,ok,1500,-80,3,0,0.25,0.01,80,40,node7,"
                      "2023-12-22 09:53:48.691000+00:00,\n"),
            std::string::npos);
  EXPECT_NE(text.find("gemm,NVIDIA H200,64,4096,2,\"a,\"\"b\"\"\",0,timeout,,,0,0,0.5,10,,,,"
                      "2023-12-22 09:53:49.000000+00:00,\"did not end, in \"\"10\"\" s\nsecond"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("gemm,NVIDIA H200,,1,4,NHWC,1,ok,"), std::string::npos);
}

TEST_F(ExportTest, WisdomIsOneJsonObjectOnEachLine) {
  const ExportedRun exported = run();
  std::istringstream lines(wisdom_text({&exported, 1}));
  std::vector<Json> read;
  for (std::string line; std::getline(lines, line);) read.push_back(Json::parse(line));
  ASSERT_EQ(read.size(), 3u);  // a header, and the two that worked
  EXPECT_EQ(read[0]["version"], "1.0");
  EXPECT_EQ(read[0]["key"], "gemm");
  EXPECT_EQ(read[0]["problem_size"], Json::array({"m", "n"}));
  EXPECT_EQ(read[1]["time"], 1.0);  // fastest first
  EXPECT_EQ(read[1]["config"].dump(), R"({"tile":4,"layout":"a,\"b\"","fast":false})");
  EXPECT_EQ(read[1]["problem_size"], Json::array({64, 4096}));
  EXPECT_EQ(read[1]["environment"]["device_name"], "NVIDIA H200");
  EXPECT_EQ(read[2]["time"], 1.5);
}

TEST_F(ExportTest, ARunWithoutTrialsIsStillAFile) {
  ExportedRun empty = run();
  empty.trials = {};
  EXPECT_EQ(Json::parse(t4_text(empty))["results"].size(), 0u);
  EXPECT_EQ(Json::parse(cachefile_text(empty))["cache"].size(), 0u);
  EXPECT_EQ(csv_text({&empty, 1}).find('\n'), csv_text({&empty, 1}).size() - 1);
}

TEST_F(ExportTest, WritesFilesCompressedIfTheirNameSaysSo) {
  const std::string folder =
      std::filesystem::temp_directory_path() / ("burin-export-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const ExportedRun exported = run();
  ASSERT_TRUE(export_trials(ExportFormat::kT4, {&exported, 1}, folder + "/a.json"));
  EXPECT_EQ(read_file(folder + "/a.json"), t4_text(exported));
  ASSERT_TRUE(export_trials(ExportFormat::kCachefile, {&exported, 1}, folder + "/a.json.gz"));
  const gzFile packed = gzopen((folder + "/a.json.gz").c_str(), "rb");
  ASSERT_NE(packed, nullptr);
  std::string text(1'000'000, '\0');
  const int size = gzread(packed, text.data(), static_cast<unsigned>(text.size()));
  gzclose(packed);
  ASSERT_GT(size, 0);
  EXPECT_EQ(text.substr(0, static_cast<std::size_t>(size)), cachefile_text(exported));
  EXPECT_LT(std::filesystem::file_size(folder + "/a.json.gz"), static_cast<std::size_t>(size));
  // Longer than one buffer of the compressor, both before and after.
  std::string noise;
  for (std::uint32_t k = 0, x = 1; k < 300'000; ++k) {
    x = x * 1664525 + 1013904223;
    noise += static_cast<char>(x >> 24);
  }
  ASSERT_TRUE(write_text_file(folder + "/noise.gz", noise));
  const gzFile long_file = gzopen((folder + "/noise.gz").c_str(), "rb");
  std::string back(noise.size() + 1, '\0');
  EXPECT_EQ(gzread(long_file, back.data(), static_cast<unsigned>(back.size())),
            static_cast<int>(noise.size()));
  gzclose(long_file);
  back.pop_back();
  EXPECT_EQ(back, noise);
  ASSERT_TRUE(export_trials(ExportFormat::kCsv, {&exported, 1}, folder + "/a.csv"));
  ASSERT_TRUE(export_trials(ExportFormat::kWisdom, {&exported, 1}, folder + "/a.wisdom"));
  const Result<void> nowhere =
      export_trials(ExportFormat::kCsv, {&exported, 1}, folder + "/nowhere/a.csv");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("folder does not exist"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_F(ExportTest, SeveralRunsDoNotFitIntoOneT4File) {
  const std::vector<ExportedRun> two = {run(), run()};
  for (const ExportFormat format : {ExportFormat::kT4, ExportFormat::kCachefile}) {
    const Result<void> written = export_trials(format, two, "never-written");
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().exit, Exit::kUsage);
    EXPECT_NE(written.error().message.find("one device and problem size"), std::string::npos);
  }
  EXPECT_FALSE(export_trials(ExportFormat::kCsv, {}, "never-written"));
  EXPECT_FALSE(std::filesystem::exists("never-written"));
}

TEST(ExportFormats, AreKnownByName) {
  EXPECT_EQ(*parse_export_format("t4"), ExportFormat::kT4);
  EXPECT_EQ(*parse_export_format("wisdom"), ExportFormat::kWisdom);
  const Result<ExportFormat> wrong = parse_export_format("xml");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().exit, Exit::kUsage);
  EXPECT_EQ(wrong.error().message,
            "there is no export format 'xml'; use t4, cachefile, csv and wisdom");
}

TEST(ExportFormats, TimestampsAreUtc) {
  EXPECT_EQ(timestamp(0), "1970-01-01 00:00:00.000000+00:00");
  EXPECT_EQ(timestamp(951'782'399'999), "2000-02-28 23:59:59.999000+00:00");
  EXPECT_EQ(timestamp(951'868'800'000), "2000-03-01 00:00:00.000000+00:00");
  EXPECT_EQ(timestamp(-1), "1969-12-31 23:59:59.999000+00:00");
}

}  // namespace
}  // namespace burin::tune
