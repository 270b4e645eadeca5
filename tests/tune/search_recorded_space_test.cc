// Recorded spaces, as tuners write them and as damage leaves them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "tune/formats/recorded_space.h"

namespace burin::tune {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kT4File = R"({
  "metadata": {"timeunit": "miliseconds", "kernel_name": "copy", "device_name": "A4000"},
  "results": [
    {"configuration": {"tile": 4, "block": 32, "layout": "row"},
     "times": {"compilation": 900, "framework": 50, "validation": 10, "runtimes": [2, 3]},
     "invalidity": "correct", "objectives": ["time"],
     "measurements": [{"name": "time", "value": 2.5, "unit": ""}]},
    {"configuration": {"tile": 2, "block": 32, "layout": "column"},
     "times": {"compilation_time": 800}, "invalidity": "runtime", "objectives": ["time"],
     "measurements": [{"name": "time", "value": "RuntimeFailedConfig", "unit": ""}]},
    {"configuration": {"tile": 4, "block": 16, "layout": "row"},
     "times": {"compilation": 700}, "invalidity": "correct", "objectives": ["GFLOP/s"],
     "measurements": [{"name": "GFLOP/s", "value": 99, "unit": ""},
                      {"name": "time", "value": 1500, "unit": "us"}]}
  ],
  "schema_version": "1.0.0"
})";

constexpr std::string_view kCacheFile = R"({
"device_name": "RTX 3090",
"kernel_name": "copy",
"problem_size": [64],
"tune_params_keys": ["block", "tile"],
"tune_params": {"block": [64, 32], "tile": [1, 2]},
"objective": "time",
"cache": {
"64,1": {"block": 64, "tile": 1, "time": 2.0, "times": [1.5, 2.5], "compile_time": 100, "verification_time": 20, "benchmark_time": 30, "strategy_time": 99, "framework_time": 5},
"64,2": {"block": 64, "tile": 2, "time": "CompilationFailedConfig", "compile_time": 50},
"32,1": {"block": 32, "tile": 1, "__error__": "InvalidConfig"},
"32,2": {"block": 32, "tile": 2, "time": 1.0, "times": [1.0, 1.0], "compile_time": 100}}
}
)";

std::string space_refusal(std::string_view text) {
  const Result<RecordedSpace> recorded = parse_recorded_space(text);
  return recorded.ok() ? "it was read" : recorded.error().message;
}

std::string with_replaced(std::string_view text, const std::string& from, const std::string& to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return result.replace(at, from.size(), to);
}

TEST(RecordedSpace, ReadsT4) {
  const Result<RecordedSpace> recorded = parse_recorded_space(kT4File);
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  const Space& space = recorded->space;
  EXPECT_EQ(space.size(), 3u);
  EXPECT_EQ(recorded->kernel, "copy");
  EXPECT_EQ(recorded->device, "A4000");
  EXPECT_TRUE(recorded->fully_recorded);
  // Parameters in the order of the file; numbers sorted, texts as they appear.
  EXPECT_EQ(space.parameters()[0].name, "tile");
  EXPECT_EQ(describe(space, {1, 1, 0}), "tile=4, block=32, layout=row");
  EXPECT_EQ(describe(space, {0, 1, 1}), "tile=2, block=32, layout=column");

  const Trial ok = recorded->trial({1, 1, 0});
  EXPECT_EQ(ok.status, Status::kOk);
  EXPECT_DOUBLE_EQ(ok.time_us, 2500);
  EXPECT_DOUBLE_EQ(ok.objective, 2500);
  EXPECT_DOUBLE_EQ(ok.compile_seconds, 0.9);
  EXPECT_DOUBLE_EQ(ok.measure_seconds, 0.065);  // framework, validation and both runs
  const Trial failed = recorded->trial({0, 1, 1});
  EXPECT_EQ(failed.status, Status::kRuntime);
  EXPECT_EQ(failed.objective, std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(failed.compile_seconds, 0.8);
  // The time, whatever was the objective, in the unit of its measurement.
  EXPECT_DOUBLE_EQ(recorded->trial({1, 0, 0}).time_us, 1500);
  EXPECT_EQ(space.at(*recorded->best()), (Point{1, 0, 0}));
}

TEST(RecordedSpace, ReadsCacheFiles) {
  const Result<RecordedSpace> recorded = parse_recorded_space(kCacheFile);
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  EXPECT_EQ(recorded->space.size(), 4u);
  EXPECT_EQ(recorded->device, "RTX 3090");
  EXPECT_TRUE(recorded->fully_recorded);
  const Trial ok = recorded->trial({1, 0});  // block 64: values are sorted
  EXPECT_DOUBLE_EQ(ok.time_us, 2000);
  EXPECT_DOUBLE_EQ(ok.compile_seconds, 0.1);
  EXPECT_DOUBLE_EQ(ok.measure_seconds, 0.055);  // not the tuner's own search
  EXPECT_EQ(recorded->trial({1, 1}).status, Status::kCompile);
  EXPECT_EQ(recorded->trial({1, 1}).reason, "CompilationFailedConfig");
  EXPECT_EQ(recorded->trial({0, 0}).status, Status::kConstraints);
  EXPECT_DOUBLE_EQ(recorded->trial({0, 1}).measure_seconds, 0.002);  // the samples
}

TEST(RecordedSpace, ReadsCacheFilesWithoutTheirEnd) {
  std::string text(kCacheFile);
  text.resize(text.rfind("}\n}"));  // both braces
  const Result<RecordedSpace> recorded = parse_recorded_space(text + ",\n");
  ASSERT_TRUE(recorded.ok()) << recorded.error().message;
  EXPECT_EQ(recorded->space.size(), 4u);
  EXPECT_FALSE(recorded->fully_recorded);
  // In the middle of a configuration: those before it.
  const Result<RecordedSpace> half =
      parse_recorded_space(text.substr(0, text.find("\"32,2\"") + 40));
  ASSERT_TRUE(half.ok()) << half.error().message;
  EXPECT_EQ(half->space.size(), 3u);
}

TEST(RecordedSpace, CutsAnywhereAreReadOrRefused) {
  for (const std::string_view text : {kT4File, kCacheFile}) {
    for (std::size_t size = 0; size < text.size(); ++size) {
      const Result<RecordedSpace> recorded = parse_recorded_space(text.substr(0, size));
      if (recorded) {
        EXPECT_LE(recorded->space.size(), 4u);
      } else {
        EXPECT_FALSE(recorded.error().message.empty());
      }
    }
  }
}

TEST(RecordedSpace, KnowsWhenPointsAreMissing) {
  const std::string more =
      with_replaced(kT4File, "\"metadata\": {", "\"metadata\": {\"space_size\": 12, ");
  EXPECT_FALSE(parse_recorded_space(more)->fully_recorded);
  const std::string all =
      with_replaced(kT4File, "\"metadata\": {", "\"metadata\": {\"space_size\": 3, ");
  EXPECT_TRUE(parse_recorded_space(all)->fully_recorded);
}

TEST(RecordedSpace, RepeatedConfigurationsCountOnce) {
  const std::string twice =
      with_replaced(kT4File, "\"tile\": 2, \"block\": 32, \"layout\": \"column\"",
                    "\"tile\": 4.0, \"block\": 32, \"layout\": \"row\"");
  const Result<RecordedSpace> recorded = parse_recorded_space(twice);
  ASSERT_TRUE(recorded.ok());
  EXPECT_EQ(recorded->space.size(), 2u);
  EXPECT_EQ(recorded->trial({0, 1, 0}).status, Status::kRuntime);  // the later one
}

TEST(RecordedSpace, FailuresWithoutNamesAreFailures) {
  for (const std::string time : {"1e20", "-1", "null", "0", "\"whatever\""}) {
    const std::string text = with_replaced(kCacheFile, "\"time\": 2.0", "\"time\": " + time);
    const Result<RecordedSpace> recorded = parse_recorded_space(text);
    ASSERT_TRUE(recorded.ok()) << time;
    EXPECT_EQ(recorded->trial({1, 0}).status, Status::kRuntime) << time;
    EXPECT_FALSE(recorded->trial({1, 0}).reason.empty());
  }
}

TEST(RecordedSpace, RefusesInWords) {
  EXPECT_THAT(space_refusal(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(space_refusal("{\"results\": [}"), HasSubstr("line 1, column 14"));
  EXPECT_THAT(space_refusal("{}"), HasSubstr("neither a T4 file"));
  EXPECT_THAT(space_refusal("[1, 2]"), HasSubstr("neither a T4 file"));
  EXPECT_THAT(space_refusal("{\"results\": []}"), HasSubstr("without results"));
  EXPECT_THAT(space_refusal("{\"results\": [{}]}"), HasSubstr("result 1 has no configuration"));
  EXPECT_THAT(space_refusal("{\"cache\": {}}"), HasSubstr("without tune_params_keys"));
  EXPECT_THAT(space_refusal("{\"tune_params_keys\": [\"a\"], \"cache\": {}}"),
              HasSubstr("without results"));
  EXPECT_THAT(space_refusal("{\"cache\": {\"1\": {\"a"), HasSubstr("cache file"));
  EXPECT_THAT(space_refusal(with_replaced(kT4File, "\"block\": 16, ", "")),
              HasSubstr("result 3: has no value of block"));
  EXPECT_THAT(space_refusal(with_replaced(kT4File, "\"block\": 16", "\"block\": [16]")),
              HasSubstr("the value of block is neither"));
  EXPECT_THAT(space_refusal(with_replaced(kT4File, "\"runtime\"", "\"melted\"")),
              HasSubstr("result 2: unknown invalidity 'melted'"));
  EXPECT_THAT(space_refusal(with_replaced(kCacheFile, "\"time\": 2.0, ", "")),
              HasSubstr("configuration 64,1 has neither time nor __error__"));
}

class RecordedSpaceFile : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& contents) {
    const std::string path = testing::TempDir() + "/recorded_space_" + name;
    std::ofstream(path, std::ios::binary) << contents;
    paths_.push_back(path);
    return path;
  }
  ~RecordedSpaceFile() override {
    for (const std::string& path : paths_) std::filesystem::remove(path);
  }

  static std::string packed(std::string_view text) {
    std::string out(text.size() + 100, '\0');
    z_stream stream{};
    EXPECT_EQ(::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
  }

 private:
  std::vector<std::string> paths_;
};

TEST_F(RecordedSpaceFile, IsPlainOrCompressed) {
  const std::string half(kT4File.substr(0, kT4File.size() / 2)),
      rest(kT4File.substr(kT4File.size() / 2));
  for (const std::string& contents :
       {std::string(kT4File), packed(kT4File), packed(half) + packed(rest)}) {
    const Result<RecordedSpace> recorded = read_recorded_space(write("good.json", contents));
    ASSERT_TRUE(recorded.ok()) << recorded.error().message;
    EXPECT_EQ(recorded->space.size(), 3u);
  }
}

TEST_F(RecordedSpaceFile, IsNamedInErrors) {
  const std::string gzip = packed(kT4File);
  std::string damaged = gzip;
  damaged[gzip.size() / 2] = static_cast<char>(damaged[gzip.size() / 2] ^ 0x55);
  const std::vector<std::pair<std::string, std::string>> cases{
      {gzip.substr(0, gzip.size() / 2), "cut short"},
      {damaged, "damaged"},
      {"{", "not valid JSON"},
      {"", "empty"}};
  for (const auto& [contents, message] : cases) {
    const std::string path = write("bad.json", contents);
    const Result<RecordedSpace> recorded = read_recorded_space(path);
    ASSERT_FALSE(recorded.ok()) << message;
    EXPECT_THAT(recorded.error().message, StartsWith(path + ": "));
    EXPECT_THAT(recorded.error().message, HasSubstr(message));
    EXPECT_EQ(recorded.error().exit, Exit::kInput);
  }
  EXPECT_FALSE(read_recorded_space("/nowhere/at/all.json").ok());
}

}  // namespace
}  // namespace burin::tune
