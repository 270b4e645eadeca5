// Does `burin inspect` show what is in the file, and say so where it cannot?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "app/command.h"

namespace burin::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kTransposeCubin = "examples/transpose.sm_90.cubin";
constexpr const char* kInlined = "tests/data/golden/inlined.sm_90.cubin";
constexpr const char* kMany = "tests/data/binary/many.fatbin";  // sm_75, sm_90a, sm_100f, PTX, LTO

const fs::path kSourceRoot = BURIN_SOURCE_DIR;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A file that is gone when the test ends.
struct Scratch {
  explicit Scratch(const std::string& contents) {
    std::ofstream(path, std::ios::binary) << contents;
  }
  ~Scratch() { fs::remove(path); }
  std::string path = fs::temp_directory_path() / ("burin-test-" + std::to_string(::getpid()));
};

std::vector<std::string> all_samples() {
  std::vector<std::string> files;
  for (const char* folder : {"examples", "tests/data/golden", "tests/data/binary"}) {
    for (const auto& entry : fs::directory_iterator(kSourceRoot / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".cubin" || extension == ".fatbin" || extension == ".so" ||
          extension == ".a") {
        files.push_back(fs::relative(entry.path(), kSourceRoot));
      }
    }
  }
  return files;
}

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

void expect_keys(const json& object, std::initializer_list<const char*> names) {
  const std::set<std::string> keys = keys_of(object);
  for (const char* name : names)
    EXPECT_TRUE(keys.contains(name)) << name << " in " << object.dump().substr(0, 200);
}

bool is_count(const json& value) {
  return value.is_number_unsigned();
}

// The control fields must be those of the raw word.
void check_instruction(const json& i, std::size_t index) {
  expect_keys(i, {"offset", "raw", "text", "opcode", "stall", "yield", "write_barrier",
                  "read_barrier", "wait_mask", "reuse", "line"});
  EXPECT_EQ(i["offset"], 16 * index);
  const std::string raw = i["raw"];
  ASSERT_TRUE(std::regex_match(raw, std::regex("[0-9a-f]{32}"))) << raw;
  const std::uint64_t high = std::stoull(raw.substr(0, 16), nullptr, 16);
  const auto bits = [&](unsigned first, unsigned count) {
    return high >> (first - 64) & ((1u << count) - 1);
  };
  EXPECT_EQ(i["stall"], bits(105, 4));
  EXPECT_EQ(i["yield"], bits(109, 1) == 0);
  EXPECT_EQ(i["write_barrier"], bits(110, 3) == 7 ? json(nullptr) : json(bits(110, 3)));
  EXPECT_EQ(i["read_barrier"], bits(113, 3) == 7 ? json(nullptr) : json(bits(113, 3)));
  EXPECT_EQ(i["wait_mask"], bits(116, 6));
  EXPECT_EQ(i["reuse"].get<unsigned>() & 7, bits(122, 3));
  EXPECT_NE(i["text"], "");
  if (!i["line"].is_null()) {
    EXPECT_TRUE(i["line"]["file"].is_string());
    EXPECT_TRUE(is_count(i["line"]["line"]));
  }
}

TEST(InspectJson, FollowsItsSchemaForEverySample) {
  std::size_t instructions = 0;
  for (const std::string& file : all_samples()) {
    SCOPED_TRACE(file);
    const Ran ran = burin("inspect --json --sass " + file);
    ASSERT_EQ(ran.status, 0) << ran.err;
    const json document = json::parse(ran.out);
    EXPECT_EQ(document["schema"], "burin.inspect/1");
    for (const json& image : document["images"]) {
      EXPECT_TRUE(std::regex_match(image["arch"].get<std::string>(), std::regex("sm_\\d+[af]?")));
      for (const json& kernel : image["kernels"]) {
        expect_keys(kernel,
                    {"name", "demangled", "registers", "shared_bytes", "local_bytes", "stack_bytes",
                     "barriers", "max_threads", "required_block", "cluster", "params"});
        EXPECT_TRUE(kernel["max_threads"].is_null() || is_count(kernel["max_threads"]));
        for (const char* shape : {"required_block", "cluster"}) {
          EXPECT_TRUE(kernel[shape].is_null() || kernel[shape].size() == 3) << kernel[shape];
        }
        for (const json& parameter : kernel["params"]) {
          EXPECT_TRUE(is_count(parameter["offset"]) && is_count(parameter["size"]));
        }
        EXPECT_EQ(kernel["instructions"].size() * 16, kernel["code_bytes"]);
        for (std::size_t i = 0; i < kernel["instructions"].size(); ++i) {
          check_instruction(kernel["instructions"][i], i);
          ++instructions;
        }
      }
    }
    EXPECT_TRUE(document["problems"].empty());
  }
  EXPECT_GT(instructions, 1000u);
}

TEST(InspectJson, LeavesInstructionsToSass) {
  const json document = json::parse(burin(std::string("inspect --json ") + kTransposeCubin).out);
  for (const json& kernel : document["images"][0]["kernels"])
    EXPECT_FALSE(kernel.contains("instructions"));
}

TEST(InspectJson, TakesLoopsAndBlocksToo) {
  const json document =
      json::parse(burin("inspect --json --loops examples/matrix_product.sm_90.cubin").out);
  const json& kernel = document["images"][0]["kernels"][0];
  ASSERT_FALSE(kernel["loops"].empty());
  const json& loop = kernel["loops"][0];
  EXPECT_EQ(loop["depth"], 1);
  EXPECT_TRUE(loop["parent"].is_null());
  EXPECT_THAT(loop["lines"]["file"].get<std::string>(), HasSubstr("matrix_product.cu"));
  const json& header = kernel["blocks"][loop["header"].get<std::size_t>()];
  EXPECT_FALSE(header["loop"].is_null());
}

TEST(InspectJson, ListsWhatIsNoCubin) {
  const json document = json::parse(burin(std::string("inspect --json ") + kMany).out);
  std::set<std::string> kinds;
  for (const json& entry : document["entries"]) kinds.insert(entry["kind"]);
  EXPECT_EQ(kinds, (std::set<std::string>{"ptx", "lto"}));
  EXPECT_EQ(document["images"].size(), 3u);
}

TEST(Inspect, TableHasEveryKernelOnItsLine) {
  const Ran ran = burin(std::string("inspect ") + kTransposeCubin);
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  EXPECT_TRUE(std::regex_search(
      ran.out, std::regex("\nsm_90 +\\d+ +4096 +0 +1 +20 +\\d+  transpose  transpose.cu:\\d+\n")))
      << ran.out;
  EXPECT_TRUE(std::regex_search(ran.out, std::regex("\nsm_90 +\\d+ +4224 .* transpose_padded ")))
      << ran.out;
}

TEST(Inspect, TableFitsTheTerminal) {
  const Ran ran = burin_on_terminal("inspect --quiet tests/data/binary/resources_sm90.cubin", 60);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("staged"));
  EXPECT_THAT(ran.out, Not(HasSubstr("staged<300>(")));
  EXPECT_THAT(burin("inspect tests/data/binary/resources_sm90.cubin").out,
              HasSubstr("staged<300>("));
}

TEST(Inspect, TableListsPtxAndLto) {
  const std::string out = burin(std::string("inspect ") + kMany).out;
  EXPECT_TRUE(std::regex_search(out, std::regex("\nptx +compute_90 +1 "))) << out;
  EXPECT_TRUE(std::regex_search(out, std::regex("\nlto +sm_90 +1 "))) << out;
}

TEST(Inspect, SassHasOneLineForEachInstruction) {
  const std::string sass =
      burin(std::string("inspect --sass --kernel transpose ") + kTransposeCubin).out;
  const json document = json::parse(
      burin(std::string("inspect --json --sass --kernel transpose ") + kTransposeCubin).out);
  const json& instructions = document["images"][0]["kernels"][0]["instructions"];
  EXPECT_THAT(sass, Not(HasSubstr("UNKNOWN")));
  const std::regex line(" +[0-9a-f]{4,}  B[-0-5]{6}:R[-0-5]:W[-0-5]:[-Y]:S\\d\\d  .*\\S");
  std::istringstream text(sass);
  std::size_t count = 0;
  for (std::string one; std::getline(text, one);) {
    if (one.empty() || one.starts_with("//")) continue;
    EXPECT_TRUE(std::regex_match(one, line)) << one;
    EXPECT_THAT(one, HasSubstr(instructions[count]["text"].get<std::string>()));
    ++count;
  }
  EXPECT_EQ(count, instructions.size());
}

TEST(Inspect, LinesShowTheSourceAndInlining) {
  const Ran ran = burin(std::string("inspect --lines ") + kInlined);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("inlined from inlined.cu:"));
  // A line of the source itself, found beside the cubin.
  EXPECT_TRUE(std::regex_search(ran.out, std::regex("// inlined.(cu|h):\\d+.*  \\S.*;")))
      << ran.out.substr(0, 2000);
}

TEST(Inspect, LoopsShowTheNest) {
  const std::string out = burin("inspect --loops tests/data/golden/loops.sm_90.cubin").out;
  EXPECT_TRUE(std::regex_search(out, std::regex("\n[0-9a-f]{4}-[0-9a-f]{4} +1 "))) << out;
  EXPECT_TRUE(std::regex_search(out, std::regex("\n  [0-9a-f]{4}-[0-9a-f]{4} +2 "))) << out;
  EXPECT_TRUE(std::regex_search(burin("inspect --loops examples/matrix_product.sm_90.cubin").out,
                                std::regex("  matrix_product.cu:\\d+-\\d+\n")));
}

TEST(Inspect, CfgIsWholeDot) {
  const std::string dot = burin("inspect --cfg tests/data/golden/loops.sm_90.cubin").out;
  EXPECT_THAT(dot, HasSubstr("digraph \""));
  EXPECT_THAT(dot, HasSubstr("subgraph cluster"));
  EXPECT_EQ(std::count(dot.begin(), dot.end(), '{'), std::count(dot.begin(), dot.end(), '}'));
  std::set<std::string> nodes;
  const std::regex node("\n  (b\\d+) \\[label"), edge("\n  (b\\d+) -> (b\\d+)");
  for (std::sregex_iterator at(dot.begin(), dot.end(), node), end; at != end; ++at)
    nodes.insert((*at)[1]);
  std::size_t edges = 0;
  for (std::sregex_iterator at(dot.begin(), dot.end(), edge), end; at != end; ++at, ++edges) {
    EXPECT_TRUE(nodes.contains((*at)[1]) && nodes.contains((*at)[2])) << at->str();
  }
  EXPECT_GT(edges, 2u);
  if (shell("command -v dot").status == 0) {
    EXPECT_EQ(
        shell("\"$BURIN\" inspect --cfg tests/data/golden/loops.sm_90.cubin | dot -Tsvg").status,
        0);
  }
}

TEST(Inspect, ArchSelects) {
  const json one = json::parse(burin(std::string("inspect --json --arch sm_90a ") + kMany).out);
  ASSERT_EQ(one["images"].size(), 1u);
  EXPECT_EQ(one["images"][0]["arch"], "sm_90a");
  EXPECT_TRUE(one["entries"].empty());
  const Ran none = burin(std::string("inspect --arch sm_86 ") + kMany);
  EXPECT_EQ(none.status, 3);
  EXPECT_TRUE(is_one_line(none.err)) << none.err;
  EXPECT_THAT(none.err, HasSubstr("sm_90a"));
}

TEST(Inspect, KernelIsFoundByNameOrPart) {
  const std::string file = " tests/data/binary/resources_sm90.cubin";
  const auto names = [&](const std::string& wanted) {
    std::vector<std::string> found;
    const Ran ran = burin("inspect --json --kernel '" + wanted + "'" + file);
    if (ran.status != 0) return found;
    const json document = json::parse(ran.out);
    for (const json& kernel : document["images"][0]["kernels"])
      found.push_back(kernel["demangled"]);
    return found;
  };
  using testing::ElementsAre;
  const std::string staged = "void staged<300>(Numbers<300>, int*)";
  EXPECT_THAT(names(staged), ElementsAre(staged));
  EXPECT_THAT(names("staged<300>"), ElementsAre(staged));
  EXPECT_THAT(names("staged"), ElementsAre(staged));
  EXPECT_THAT(names("tage"), ElementsAre(staged));
  EXPECT_THAT(names("_Z6framedPii"), ElementsAre("framed(int*, int)"));
  EXPECT_GT(names("(int*)").size(), 1u);  // a part filters the table
}

TEST(Inspect, TheExactNameWinsOverAPart) {
  const Ran ran = burin(std::string("inspect --sass --kernel transpose ") + kTransposeCubin);
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, Not(HasSubstr("transpose_padded")));
}

TEST(Inspect, AnAmbiguousPartListsTheCandidates) {
  const Ran ran = burin(std::string("inspect --sass --kernel transp ") + kTransposeCubin);
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("matches 2 kernels"));
  EXPECT_THAT(ran.err, HasSubstr("\n  transpose\n  transpose_padded\n"));
}

TEST(Inspect, AnEmptyKernelNameIsWrongUsage) {
  const Ran ran = burin(std::string("inspect --kernel '' ") + kTransposeCubin);
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("--kernel needs a value"));
}

TEST(Inspect, AnUnknownKernelIsToldWithTheNearest) {
  const Ran ran = burin(std::string("inspect --kernel transpoze ") + kTransposeCubin);
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("did you mean transpose?"));
}

// As `burin run` does. The compiler is a script, so that no CUDA toolkit is needed.
TEST(Inspect, CudaSourceIsCompiled) {
  const Ran ran = shell(R"sh(set -e
    folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
    mkdir -p "$folder/bin"; echo 'a kernel' > "$folder/a.cu"
    cat > "$folder/bin/nvcc" <<'END'
#!/bin/sh
for word; do
  case $word in -arch=sm_80) from=80 ;; -arch=sm_90) from=90 ;; -DX) echo "$0" > "${0%/bin/nvcc}/flag" ;; esac
  [ "$last" = -o ] && out=$word; last=$word
done
cp examples/vector_add.sm_$from.cubin "$out"
END
    chmod +x "$folder/bin/nvcc"
    export CUDA_HOME=$folder XDG_CACHE_HOME=$folder/cache
    "$BURIN" inspect "$folder/a.cu"
    "$BURIN" inspect "$folder/a.cu" --arch sm_80 --nvcc-flag=-DX
    "$BURIN" inspect "$folder/a.cu" --sass | grep -c EXIT
    cp "$folder/bin/nvcc" "$folder/bin/ptxas"
    printf '.version 8.0\n.target sm_90\n.address_size 64\n' > "$folder/a.ptx"
    "$BURIN" inspect "$folder/a.ptx" | grep compute_90
    "$BURIN" inspect "$folder/a.ptx" --sass | grep -c EXIT
    test -f "$folder/flag")sh");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("vector_add"));
  EXPECT_THAT(ran.out, HasSubstr("sm_90"));
  EXPECT_THAT(ran.out, HasSubstr("sm_80"));
}

// Nobody writes to the pipe: burin must not wait for it.
TEST(InspectBadInput, APipeIsRefusedAtOnce) {
  for (const char* command : {"inspect", "run", "predict", "advise", "cut -o x"}) {
    const Ran ran = shell(std::string("f=$(mktemp -u); mkfifo $f; timeout 20 \"$BURIN\" ") +
                          command + " $f; status=$?; rm $f; exit $status");
    EXPECT_EQ(ran.status, 3) << command << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("is a pipe, and burin reads its input twice")) << command;
    const Ran substituted =
        shell(std::string("\"$BURIN\" ") + command + " <(cat examples/transpose.sm_90.cubin)");
    EXPECT_EQ(substituted.status, 3) << command << substituted.err;
    EXPECT_THAT(substituted.err, HasSubstr("save it to a file first")) << command;
  }
}

TEST(InspectBadInput, IsOneLineAndStatus3) {
  for (const char* file :
       {"README.md", "src", "/proc/nowhere", "/dev/null", "tests/data/binary/plain.o"}) {
    for (const char* view : {"", " --sass", " --json --sass", " --dump", " --kernel x"}) {
      const Ran ran = burin(std::string("inspect ") + file + view);
      EXPECT_EQ(ran.status, 3) << file << view;
      EXPECT_EQ(ran.out, "") << file << view;
      EXPECT_TRUE(is_one_line(ran.err)) << file << view << ": " << ran.err;
    }
  }
}

TEST(InspectBadInput, TruncatedAnywhere) {
  const std::string whole = bytes_of(kSourceRoot / kTransposeCubin);
  for (std::size_t size = 1; size < whole.size(); size += 97) {
    const Scratch cut(whole.substr(0, size));
    const Ran ran = burin("inspect --json --sass " + cut.path);
    EXPECT_EQ(ran.status, 3) << size;
    EXPECT_TRUE(is_one_line(ran.err)) << size << ": " << ran.err;
  }
}

// One damaged image costs that image: the rest is shown, the problem told, the JSON valid.
TEST(InspectBadInput, ADamagedImageInTheMiddle) {
  std::string fatbin = bytes_of(kSourceRoot / kMany);
  const std::size_t first = fatbin.find(
      "\x7f"
      "ELF");
  const std::size_t second = fatbin.find(
      "\x7f"
      "ELF",
      first + 4);
  ASSERT_NE(second, std::string::npos);
  fatbin[second + 1] = 'X';
  const Scratch damaged(fatbin);
  const Ran ran = burin("inspect --json --sass " + damaged.path);
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  const json document = json::parse(ran.out);
  EXPECT_EQ(document["images"].size(), 2u);
  EXPECT_EQ(document["problems"].size(), 1u);
  const Ran table = burin("inspect " + damaged.path);
  EXPECT_EQ(table.status, 3);
  EXPECT_THAT(table.out, HasSubstr("\nsm_75 "));
}

TEST(InspectBadInput, PtxThatCannotBeCompiledHasNoSass) {
  const std::string ptx = "tests/data/binary/required.ptx";
  EXPECT_EQ(burin("inspect " + ptx).status, 0);
  const Ran ran = shell(R"sh(
    folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; mkdir "$folder/bin"
    printf '#!/bin/sh\necho "fatal   : refused"; exit 1\n' > "$folder/bin/ptxas"
    chmod +x "$folder/bin/ptxas"
    CUDA_HOME=$folder XDG_CACHE_HOME=$folder "$BURIN" inspect --sass )sh" +
                        ptx);
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("required.ptx: ptxas failed:\n  fatal   : refused"));
}

}  // namespace
}  // namespace burin::test
