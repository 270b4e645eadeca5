// T1 files: what they mean for a launch, and that whatever cannot be expressed is named by its
// field.
#include "tune/formats/t1_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tune/configuration.h"
#include "tune/formats/value_list.h"
#include "tune/space/build_space.h"

namespace burin::tune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// As Kernel Tuner has them: the grid counts blocks, the scalars are problem sizes.
constexpr std::string_view kCuda = R"T1({
  "General": {"BenchmarkName": "transpose", "OutputFormat": "JSON"},
  "ConfigurationSpace": {
    "TuningParameters": [
      {"Name": "tile", "Type": "int", "Values": "[2**i for i in range(3)]", "Default": 1},
      {"Name": "block_size_y", "Type": "int", "Values": [4, 8.0], "Default": 4},
      {"Name": "block_size_x", "Type": "int", "Values": "[16, 32, 64]", "Default": 16},
      {"Name": "layout", "Type": "string", "Values": "['rows', 'columns']"}
    ],
    "Conditions": [{"Expression": "block_size_x * block_size_y <= 256",
                    "Parameters": ["block_size_x", "block_size_y"]}]
  },
  "Search": {"Name": "GeneticAlgorithm"},
  "Budget": [{"Type": "ConfigurationCount", "BudgetValue": 100}],
  "KernelSpecification": {
    "Language": "CUDA", "KernelName": "transpose", "KernelFile": "transpose.cu",
    "CompilerOptions": ["-std=c++17 --use_fast_math", "-DBRACES={}"],
    "GlobalSizeType": "CUDA",
    "LocalSize": {"X": "block_size_x", "Y": "block_size_y", "Z": 1},
    "GlobalSize": {"X": "ceil(n / (block_size_x * tile))", "Y": "n // block_size_y"},
    "SharedMemory": "4 * block_size_x * block_size_y",
    "Stream": null,
    "Arguments": [
      {"Name": "in", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "Size": "n * n", "FillType": "Random", "FillValue": 1.0},
      {"Name": "out", "Type": "half", "MemoryType": "Vector", "AccessType": "WriteOnly",
       "Size": 1048576},
      {"Name": "coefficients", "Type": "float", "MemoryType": "Symbol", "Size": 16,
       "FillType": "Random"},
      {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillType": "Constant",
       "FillValue": 1024.0},
      {"Name": "alpha", "Type": "double", "MemoryType": "Scalar", "FillValue": 0.5},
      {"Name": "flag", "Type": "int16", "MemoryType": "Scalar", "FillValue": -2},
      {"Name": "scale", "Type": "half", "MemoryType": "Scalar", "FillValue": 1}
    ]
  }
})T1";

// As KTT and BAT have them: the grid counts threads.
constexpr std::string_view kOpencl = R"T1({
  "ConfigurationSpace": {"TuningParameters": [
    {"Name": "WG", "Type": "uint", "Values": ["32", "64"], "Default": "32"}]},
  "KernelSpecification": {
    "Language": "OpenCL", "KernelName": "sum", "KernelFile": "/kernels/sum.cl",
    "GlobalSizeType": "OpenCL",
    "LocalSize": {"X": "WG"}, "GlobalSize": {"X": 1000, "Y": "2 if WG == 32 else 3"},
    "Arguments": [
      {"Name": "x", "Type": "int32", "MemType": "Vector", "AccessType": "ReadWrite",
       "Size": 1000, "FillType": "Random", "FillValue": 9},
      {"Name": "weights", "Type": "float4", "MemoryType": "Vector", "AccessType": "ReadOnly",
       "Size": 10, "FillType": "BinaryRaw", "DataSource": "weights{1}.bin"},
      {"Name": "scratch", "Type": "float", "MemoryType": "Local", "Size": "WG"},
      {"Name": "wg", "Type": "uint32", "MemoryType": "Scalar", "FillValue": "WG // 2"}
    ]
  }
})T1";

Spec spec_of(std::string_view text) {
  Result<Spec> spec = parse_t1_spec(text, "folder/t.json");
  EXPECT_TRUE(spec) << (spec ? "" : spec.error().message);
  return spec ? *spec : Spec{};
}

std::string replaced(std::string_view whole, std::string_view from, std::string_view to) {
  std::string text(whole);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string error_of(std::string_view text) {
  const Result<Spec> spec = parse_t1_spec(text, "t.json");
  if (spec) return "no error";
  EXPECT_EQ(spec.error().exit, Exit::kInput);
  return spec.error().message;
}

std::string mistake(std::string_view from, std::string_view to, std::string_view whole = kCuda) {
  return error_of(replaced(whole, from, to));
}

std::vector<std::string> texts_of(const std::vector<formula::Template>& templates) {
  std::vector<std::string> texts;
  for (const formula::Template& text : templates) texts.push_back(text.text());
  return texts;
}

Configuration configured(const Spec& spec, const Point& point) {
  const Result<Space> space =
      build_space(spec.tunables, space_restrictions(spec), spec.sizes.front(), spec.derived);
  EXPECT_TRUE(space) << space.error().message;
  const Result<Configuration> made = configure(spec, spec.sizes.front(), *space, point);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : Configuration{};
}

TEST(T1Spec, ConfiguresACudaKernel) {
  const Spec spec = spec_of(kCuda);
  EXPECT_EQ(spec.sources.at(Language::kCuda), "folder/transpose.cu");
  EXPECT_EQ(describe(spec.sizes.front()), "n=1024");
  const Configuration made = configured(spec, {1, 0, 2, 1});
  EXPECT_THAT(made.defines,
              ElementsAre("tile=2", "block_size_y=4", "block_size_x=64", "layout=columns"));
  EXPECT_THAT(made.options, ElementsAre("-std=c++17", "--use_fast_math", "-DBRACES={}"));
  EXPECT_THAT(made.settings, ElementsAre("coefficients=f32"));
  ASSERT_EQ(made.steps.size(), 1u);
  EXPECT_EQ(made.steps[0].kernel, "transpose");
  EXPECT_EQ(made.steps[0].launch.grid, (launch::Dims{8, 256, 1}));
  EXPECT_EQ(made.steps[0].launch.block, (launch::Dims{64, 4, 1}));
  EXPECT_EQ(made.steps[0].launch.shared_bytes, 1024u);
  // hex: in memory order; 3c00 is the half 1.0.
  EXPECT_THAT(made.steps[0].arguments, ElementsAre("buf:4194304:f32", "buf:2097152:zero",
                                                   "i32:1024", "f64:0.5", "hex:feff", "hex:003c"));
}

TEST(T1Spec, ConditionsRestrictTheSpace) {
  const Spec spec = spec_of(kCuda);
  const Result<Space> space =
      build_space(spec.tunables, space_restrictions(spec), spec.sizes.front());
  ASSERT_TRUE(space);
  EXPECT_EQ(space->size(), 3u * (2 * 3 - 1) * 2);  // 64 × 8 threads exceed 256
}

TEST(T1Spec, ComparesVectorsThatAreWritten) {
  const Spec cuda = spec_of(kCuda);
  ASSERT_EQ(cuda.reference.outputs.size(), 1u);
  EXPECT_EQ(cuda.reference.outputs[0].argument, 1u);
  EXPECT_EQ(cuda.reference.outputs[0].type, launch::ElementType::kF16);
  const Spec opencl = spec_of(kOpencl);
  ASSERT_EQ(opencl.reference.outputs.size(), 1u);
  EXPECT_EQ(opencl.reference.outputs[0].type, launch::ElementType::kU32);
}

TEST(T1Spec, OpenclCountsThreads) {
  Spec spec = spec_of(kOpencl);
  EXPECT_EQ(spec.sources.at(Language::kOpencl), "/kernels/sum.cl");
  EXPECT_THAT(texts_of(spec.launches[0].arguments),
              ElementsAre("buf:4000:int:10", "buf:160:file:folder/weights{{1}}.bin",
                          "local:{4*(WG)}", "u32:{(WG // 2)}"));
  spec.launches[0].arguments.erase(spec.launches[0].arguments.begin() + 1);  // there is no file
  const Configuration made = configured(spec, {1});
  EXPECT_EQ(made.steps[0].launch.grid, (launch::Dims{16, 3, 1}));
  EXPECT_EQ(made.steps[0].launch.block, (launch::Dims{64, 1, 1}));
  EXPECT_THAT(made.steps[0].arguments, ElementsAre("buf:4000:int:10", "local:256", "u32:32"));
}

TEST(T1Spec, GridFollowsFromProblemSize) {
  const std::string grid =
      R"T1("GlobalSize": {"X": "ceil(n / (block_size_x * tile))", "Y": "n // block_size_y"})T1";
  Spec spec = spec_of(replaced(
      kCuda, grid, R"T1("ProblemSize": [1000, "n"], "GridDivX": ["block_size_x", "tile"])T1"));
  EXPECT_EQ(describe(spec.sizes.front()), "n=1024, problem_size_x=1000");
  EXPECT_EQ(configured(spec, {1, 0, 2, 0}).steps[0].launch.grid, (launch::Dims{8, 256, 1}));
  spec.sizes.front()["problem_size_x"] = std::int64_t{2000};
  EXPECT_EQ(configured(spec, {1, 0, 2, 0}).steps[0].launch.grid, (launch::Dims{16, 256, 1}));
  spec = spec_of(
      replaced(kCuda, grid, R"T1("ProblemSize": "[n, 3]", "GridDivX": [], "GridDivY": null)T1"));
  EXPECT_EQ(configured(spec, {1, 0, 2, 0}).steps[0].launch.grid, (launch::Dims{1024, 1, 1}));
}

TEST(T1Spec, BlockIsByDefaultThatOfItsParameters) {
  const Spec spec = spec_of(
      replaced(kCuda, R"("LocalSize": {"X": "block_size_x", "Y": "block_size_y", "Z": 1},)", ""));
  EXPECT_EQ(configured(spec, {1, 0, 2, 0}).steps[0].launch.block, (launch::Dims{64, 4, 1}));
  EXPECT_THAT(mistake(R"("LocalSize": {"X": "WG"},)", "", kOpencl),
              HasSubstr("LocalSize: the field is missing, and no parameter is named block_size_x"));
}

TEST(T1Spec, TemplateArgumentsMayBeTunables) {
  const Spec spec = spec_of(
      replaced(kCuda, R"("KernelName": "transpose")", R"("KernelName": "transpose<float, tile>")"));
  EXPECT_EQ(spec.launches[0].kernel, "transpose");
  EXPECT_EQ(configured(spec, {2, 0, 2, 0}).steps[0].kernel, "transpose<float, 4>");
}

TEST(T1Spec, NamesTheFieldOfAMistake) {
  EXPECT_THAT(error_of("{"), HasSubstr("t.json: is not valid JSON: line 1, column 2: unexpected"));
  EXPECT_THAT(error_of("[]"), HasSubstr("is no JSON object"));
  EXPECT_EQ(error_of("{}"), "t.json: KernelSpecification: the field is missing");
  EXPECT_EQ(mistake("\"CUDA\"", "\"HIP\""),
            "t.json: KernelSpecification.Language: 'HIP' is neither CUDA nor OpenCL");
  EXPECT_THAT(mistake("\"KernelFile\"", "\"KernelFiles\""),
              HasSubstr("KernelSpecification.KernelFile: the field is missing"));
  EXPECT_THAT(mistake("block_size_x * block_size_y <=", "block_size_q * block_size_y <="),
              HasSubstr("t.json: ConfigurationSpace.Conditions[0].Expression: column 1"));
  EXPECT_THAT(mistake("n // block_size_y", "m // block_size_y"),
              HasSubstr("KernelSpecification.GlobalSize.Y: column 1"));
  EXPECT_THAT(mistake("\"GlobalSizeType\": \"CUDA\"", "\"GlobalSizeType\": \"Vulkan\""),
              HasSubstr("GlobalSizeType: 'Vulkan' is neither CUDA nor OpenCL"));
  EXPECT_THAT(mistake("\"X\": \"WG\"", "\"Y\": \"WG\"", kOpencl),
              HasSubstr("LocalSize.X: the field is missing"));
  EXPECT_THAT(mistake("{\"X\": \"WG\"}", "[\"WG\"]", kOpencl), HasSubstr("LocalSize: an object"));
  EXPECT_THAT(mistake("[\"-std", "[7, \"-std"), HasSubstr("CompilerOptions: texts are needed"));
}

TEST(T1Spec, NamesTheParameterOfAMistake) {
  const std::string first = "t.json: ConfigurationSpace.TuningParameters[0].";
  EXPECT_EQ(mistake("\"tile\"", "\"2 tiles\""),
            first + "Name: '2 tiles' cannot be the name of a macro");
  EXPECT_THAT(mistake("\"tile\"", "\"block_size_x\""),
              HasSubstr("TuningParameters[2].Name: there are two parameters block_size_x"));
  EXPECT_EQ(mistake("\"[2**i for i in range(3)]\"", "\"[]\""), first + "Values: the list is empty");
  EXPECT_EQ(mistake("\"[2**i for i in range(3)]\"", "\"[1, 2.5]\""),
            first + "Values: 2.5 is not an integer");
  EXPECT_EQ(mistake("\"[2**i for i in range(3)]\"", "[[1]]"),
            first + "Values: a number, a boolean or a text is needed");
  EXPECT_THAT(mistake("\"[2**i for i in range(3)]\"", "\"[1, x]\""),
              HasSubstr(first + "Values: c"));
  EXPECT_THAT(mistake("\"TuningParameters\"", "\"Tunables\""),
              HasSubstr("ConfigurationSpace.TuningParameters: there are no parameters"));
}

TEST(T1Spec, NamesTheFieldOfAnArgumentThatCannotBeExpressed) {
  const std::string field = "t.json: KernelSpecification.Arguments";
  EXPECT_THAT(mistake("\"Type\": \"float\"", "\"Type\": \"quad\""),
              HasSubstr(field + "[0].Type: there is no type 'quad'"));
  EXPECT_THAT(mistake("\"FillValue\": 1.0", "\"FillValue\": 5"),
              HasSubstr(field + "[0].FillValue: Random floating-point numbers are from 0 to 1"));
  EXPECT_THAT(mistake("\"Random\", \"FillValue\": 1.0", "\"Constant\", \"FillValue\": 2"),
              HasSubstr(field + "[0].FillValue: a vector can be filled with 0 only, not with 2"));
  EXPECT_THAT(mistake("\"FillType\": \"Random\", \"FillValue\": 1.0", "\"FillType\": \"Script\""),
              HasSubstr(field + "[0].FillType: 'Script' is none of"));
  EXPECT_THAT(mistake("\"ReadOnly\"", "\"Maybe\""), HasSubstr(field + "[0].AccessType: 'Maybe'"));
  EXPECT_THAT(mistake("\"Vector\"", "\"Texture\""), HasSubstr(field + "[0].MemoryType: 'Texture'"));
  EXPECT_THAT(mistake("n * n", "n * k"), HasSubstr(field + "[0].Size: column 5"));
  EXPECT_THAT(mistake("\"Size\": 1048576", "\"Length\": 1048576"),
              HasSubstr(field + "[1].Size: the field is missing"));
  EXPECT_THAT(mistake("1048576", "-1"), HasSubstr(field + "[1].Size: -1 is not a number of"));
  EXPECT_THAT(mistake("1024.0", "1024.5"), HasSubstr(field + "[3].FillValue: 1024.5 is not an"));
  EXPECT_THAT(mistake("1024.0", "5e9"), HasSubstr(field + "[3]: argument 3 'i32:5000000000'"));
  EXPECT_THAT(mistake("-2", "40000"), HasSubstr(field + "[5].FillValue: an integer from -32768"));
  EXPECT_THAT(mistake("\"Symbol\"", "\"Local\""),
              HasSubstr(field + "[2].MemoryType: Local is possible in OpenCL only"));
  EXPECT_THAT(mistake("\"Local\"", "\"Symbol\", \"FillType\": \"Random\"", kOpencl),
              HasSubstr(field + "[2].MemoryType: symbols are possible in CUDA only"));
  EXPECT_THAT(mistake("\"DataSource\"", "\"File\"", kOpencl),
              HasSubstr(field + "[1].DataSource: the path of the file is missing"));
}

TEST(T1Spec, IsRecognisedByItsParts) {
  EXPECT_TRUE(is_t1(kCuda));
  EXPECT_TRUE(is_t1(kOpencl));
  EXPECT_FALSE(is_t1(R"({"results": []})"));
  EXPECT_FALSE(is_t1("[1]"));
  EXPECT_FALSE(is_t1("kernel = \"add\""));
}

std::string list(std::string_view text) {
  const Result<std::vector<formula::Value>> values = parse_value_list(text);
  if (!values) return "error: " + values.error().message;
  std::string written;
  for (const formula::Value& value : *values) {
    written += (written.empty() ? "" : " ") + formula::to_string(value);
  }
  return written;
}

TEST(ValueList, ReadsWhatPythonWrites) {
  EXPECT_EQ(list("[16, 32, 64]"), "16 32 64");
  EXPECT_EQ(list(" (16, 2.5, True,) "), "16 2.5 True");
  EXPECT_EQ(list("16, 2 + 3"), "16 5");
  EXPECT_EQ(list("(2 + 3)"), "5");
  EXPECT_EQ(list("['a, [b', \"c\\\"]\"]"), R"("a, [b" "c\"]")");
  EXPECT_EQ(list("range(3)"), "0 1 2");
  EXPECT_EQ(list("list(range(8, 0, -3))"), "8 5 2");
  EXPECT_EQ(list("[1] + list(range(2, 5)) + [max(7, 8)]"), "1 2 3 4 8");
  EXPECT_EQ(list("[1, *range(2, 4), 9]"), "1 2 3 9");
  EXPECT_EQ(list("[32 * i for i in range(1, 5) if i != 2]"), "32 96 128");
  EXPECT_EQ(list("[i for i in [4, 5]]"), "4 5");
  EXPECT_EQ(list("[]"), "");
}

TEST(ValueList, RefusesWhatItCannotEvaluate) {
  EXPECT_THAT(list("[1, x]"), HasSubstr("error: column 1: \"x\" has no value"));
  EXPECT_THAT(list("[1, 2"), HasSubstr("error: "));
  EXPECT_THAT(list("[1,, 2]"), HasSubstr("error: "));
  EXPECT_THAT(list("[[1], [2]]"), HasSubstr("error: "));
  EXPECT_THAT(list("[i for i on range(3)]"), HasSubstr("\"in\" is missing"));
  EXPECT_THAT(list("range(1, 2, 3, 4)"), HasSubstr("one to three"));
  EXPECT_THAT(list("range(1, 2, 0)"), HasSubstr("step"));
  EXPECT_THAT(list("range(10**12)"), HasSubstr("more than 65536 values"));
  std::string deep = "range(2)";
  for (int i = 0; i < 1000; ++i) deep = "list(" + deep + ")";
  EXPECT_THAT(list(deep), HasSubstr("nested more than 20 levels"));
  EXPECT_EQ(list("range(9223372036854775806, 9223372036854775807, 5)"), "9223372036854775806");
}

}  // namespace
}  // namespace burin::tune
