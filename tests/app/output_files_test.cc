// Does no command destroy a file that it should not?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "app/command.h"
#include "base/temporary_folder.h"

namespace burin::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One output option: {input} is a file that the command reads, {output} the file that it writes.
struct OutputOption {
  std::string command, option;
  std::string words;     // behind the command
  std::string input;     // copied to {input}
  bool is_text = false;  // what is written is text, or has a refusal of its own
};

const std::string kOutputLaunch =
    " --grid 1 --block 32 --arg buf:128:f32 --arg buf:128:f32 --arg buf:128 --arg i32:32";

const OutputOption kOutputs[] = {
    {"run", "--out", "{input}" + kOutputLaunch + " --out 2={output}",
     "examples/vector_add.sm_90.cubin"},
    {"run", "--out",
     "examples/vector_add.sm_90.cubin --grid 1 --block 32 --arg buf:128:f32 "
     "--arg buf:$(stat -c %s {input}):file:{input} --arg buf:128 --arg i32:32 --out 2={output}",
     "examples/vector_add.cu"},
    {"run", "--out",
     "examples/vector_add.sm_90.cubin" + kOutputLaunch +
         " --check 2={input} "
         "--out 2={output}",
     "examples/vector_add.cu"},
    {"advise", "--sarif", "{input}" + kOutputLaunch + " --sarif {output}",
     "examples/vector_add.sm_90.cubin"},
    {"advise", "--sarif",
     "examples/vector_add.sm_90.cubin" + kOutputLaunch + " --machine {input} --sarif {output}",
     "data/machines/h200.json"},
    {"advise", "--html", "{input}" + kOutputLaunch + " --html {output}",
     "examples/vector_add.sm_90.cubin"},
    {"predict", "--html", "{input}" + kOutputLaunch + " --html {output}",
     "examples/vector_add.sm_90.cubin"},
    {"predict", "--trace", "{input}" + kOutputLaunch + " --trace {output}",
     "examples/vector_add.sm_90.cubin"},
    {"explain", "--html", "{input}" + kOutputLaunch + " --html {output}",
     "examples/vector_add.sm_90.cubin"},
    {"explain", "--trace", "{input}" + kOutputLaunch + " --trace {output}",
     "examples/vector_add.sm_90.cubin"},
    {"inspect", "--html", "{input} --html {output}",
     "tests/data/capture/h200/huffman_decode.burin"},
    {"inspect", "--html", "{input} --html {output}", "examples/vector_add.sm_90.cubin"},
    {"inspect", "--trace", "{input} --trace {output}",
     "tests/data/capture/h200/huffman_decode.burin"},
    {"diff", "--html", "{input} examples/vector_add.sm_90.cubin --html {output}",
     "examples/vector_add.sm_90.cubin"},
    {"advise", "--fix",
     "examples/vector_add.cu" + kOutputLaunch + " --machine {input} --fix {output}",
     "data/machines/h200.json"},
    {"cut", "--output", "{input}:1 -o {output}", "tests/data/capture/h200/huffman_decode.burin"},
    {"calibrate", "--out", "--from {input} --out {output}", "data/machines/h200.json"},
    {"tune", "--export", "{input} --device emulator:h200 --export t4={output}",
     "examples/tune/gemm.toml"},
    {"tune", "--emit", "{input} --device emulator:h200 --emit json={output}",
     "examples/tune/gemm.toml"},
    {"tune", "--html", "{input} --device emulator:h200 --html {output}", "examples/tune/gemm.toml"},
    {"tune", "--session", "{input} --device emulator:h200 --resume --session {output}",
     "examples/tune/gemm.toml", true},
    {"fit", "--output", "{input} -o {output}", "examples/fit/saxpy.toml", true},
    {"fit", "--output", "--trials {input} -o {output}", "examples/fit/trials.csv", true},
    {"fit", "--samples-file", "--trials {input} -o k.rp --samples-file {output}",
     "examples/fit/trials.csv", true},
    {"fit", "--html", "--trials {input} -o k.rp --html {output}", "examples/fit/trials.csv"},
    {"choose", "--emit-cpp", "{input} --emit-cpp {output}", "examples/fit/trials.csv", true},
    {"carve", "--svg", "{input} --svg {output}", "examples/tune/gemm.toml", true},
    {"carve", "--counts", "{input} --counts {output}", "examples/tune/gemm.toml", true},
    {"carve", "--counts", "examples/tune/gemm.toml --machine {input} --counts {output}",
     "data/machines/h200.json", true},
    {"carve", "--html", "{input} --html {output}", "examples/tune/gemm.toml"},
    {"saturate", "--svg", "{input} --svg {output}", "examples/tune/gemm.toml", true},
    {"saturate", "--html", "{input} --html {output}", "examples/tune/gemm.toml"},
    {"coarsen", "--output", "{input} --grid 1 --block 32 --coarsen-thread x=2 -o {output}",
     "examples/vector_add.cu", true},
    {"coarsen", "--html", "{input} --grid 1 --block 32 --coarsen-thread x=2 --html {output}",
     "examples/vector_add.cu"},
    {"record", "--out", "-o {output} --force -- {input}", "/bin/true"},
    {"record", "--out", "-o {output} --force -- cat {input}", "examples/vector_add.cu"},
};

class OutputFilesTest : public testing::Test {
 protected:
  std::string at(const std::string& name) const { return folder_->path() + "/" + name; }

  // The command with its input at in.json (the name serves every kind).
  std::string command(const OutputOption& each, const std::string& output) const {
    fs::copy_file(
        fs::path(each.input).is_absolute() ? each.input : BURIN_SOURCE_DIR "/" + each.input,
        at("in.json"), fs::copy_options::overwrite_existing);
    std::string words = each.command + " " + each.words;
    for (const auto& [name, value] :
         {std::pair<std::string, std::string>("{input}", at("in.json")), {"{output}", output}}) {
      for (std::size_t i; (i = words.find(name)) != std::string::npos;) {
        words.replace(i, name.size(), value);
      }
    }
    return words;
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
};

TEST_F(OutputFilesTest, AnInputIsNeverOverwritten) {
  for (const OutputOption& each : kOutputs) {
    for (const char* name : {"in.json", "soft", "hard"}) {
      const std::string words = command(each, at(name));
      const std::string before = contents_of(at("in.json"));
      fs::remove(at("soft"));
      fs::remove(at("hard"));
      fs::create_symlink(at("in.json"), at("soft"));
      fs::create_hard_link(at("in.json"), at("hard"));
      const bool forced = words.find("--force") != std::string::npos;
      const std::string force = forced ? "" : " --force";
      const Ran ran = burin(words + force);
      EXPECT_EQ(ran.status, 2) << words << ran.err;
      EXPECT_TRUE(is_one_line(ran.err)) << words << ran.err;
      EXPECT_THAT(ran.err,
                  HasSubstr(each.option + ": " + at(name) + " is an input of this command"))
          << words;
      EXPECT_TRUE(contents_of(at("in.json")) == before) << words;
    }
  }
}

TEST_F(OutputFilesTest, AFileOfAnotherKindNeedsForce) {
  const std::string text = "my thesis\n";
  for (const OutputOption& each : kOutputs) {
    if (each.is_text) continue;
    std::ofstream(at("thesis.txt")) << text;
    std::string words = command(each, at("thesis.txt"));
    if (const std::size_t i = words.find(" --force"); i != std::string::npos) words.erase(i, 8);
    const Ran ran = burin(words);
    EXPECT_EQ(ran.status, 2) << words << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("thesis.txt exists and is a text file, not ")) << words;
    EXPECT_THAT(ran.err, HasSubstr("--force")) << words;
    EXPECT_EQ(contents_of(at("thesis.txt")), text) << words;
  }
}

TEST_F(OutputFilesTest, WithForceItIsReplaced) {
  for (const std::string& words :
       {"run examples/vector_add.sm_90.cubin" + kOutputLaunch + " --out 2=",
        "advise examples/vector_add.sm_90.cubin" + kOutputLaunch + " --sarif ",
        std::string("cut tests/data/capture/h200/huffman_decode.burin:1 -o ")}) {
    std::ofstream(at("old.txt")) << "old";
    const Ran ran = burin(words + at("old.txt") + " --force");
    EXPECT_EQ(ran.status, 0) << words << ran.err;
    EXPECT_NE(contents_of(at("old.txt")), "old") << words;
    // Once it is of the right kind, no force is needed.
    EXPECT_EQ(burin(words + at("old.txt")).status, 0) << words;
  }
}

// Two floats, none of whose bytes is a control character.
TEST_F(OutputFilesTest, NumbersAreNoText) {
  std::ofstream(at("old.bin")) << "\xd6\x3d\x91\x3e\xa4\x70\x4f\x3f";
  const Ran ran =
      burin("run examples/vector_add.sm_90.cubin" + kOutputLaunch + " --out 2=" + at("old.bin"));
  EXPECT_EQ(ran.status, 0) << ran.err;
}

TEST_F(OutputFilesTest, OneFileIsNotWrittenTwice) {
  std::ofstream(at("old.json")) << "{}";
  fs::create_symlink(at("old.json"), at("link"));
  const std::string launch = "examples/vector_add.sm_90.cubin" + kOutputLaunch;
  const std::string x = at("x"), gemm = "tune examples/tune/gemm.toml --device emulator:h200";
  const std::pair<std::string, std::string> cases[] = {
      {"run " + launch + " --out 0=" + x + " --out 2=" + x, "--out: " + x + " is given twice"},
      {"run " + launch + " --out 0=" + x + " --out 2=" + at("./x"), "is given twice"},
      {"predict " + launch + " --html " + x + " --trace " + x, "is also given to --"},
      {"advise " + launch + " --html " + at("old.json") + " --sarif " + at("link"),
       "is also given to --"},
      {gemm + " --export t4=" + x + " --export cachefile=" + x, "--export: " + x},
      {gemm + " --export t4=" + x + " --emit header=" + x, "is also given to --"},
      {gemm + " --session " + x + " --html " + x, "is also given to --"},
      {"fit --trials examples/fit/trials.csv -o " + x + " --samples-file " + x,
       "is also given to --"},
      {"coarsen examples/vector_add.cu --grid 1 --block 32 --coarsen-thread x=2 -o " + x +
           " --html " + x,
       "is also given to --"},
  };
  for (const auto& [words, sentence] : cases) {
    const Ran ran = burin(words);
    EXPECT_EQ(ran.status, 2) << words;
    EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr(sentence)) << words;
    EXPECT_THAT(ran.err, HasSubstr("; choose two files")) << words;
    EXPECT_FALSE(fs::exists(x)) << words;
  }
  // A device takes all that is written.
  EXPECT_EQ(burin("run " + launch + " --out 0=/dev/null --out 2=/dev/null").status, 0);
}

// The name of a kernel is no file.
TEST_F(OutputFilesTest, AKernelMayBeCalledAsTheOutput) {
  const std::string name = "vector_add";
  std::ofstream(at(name)) << "";
  const Ran ran =
      shell("cp examples/vector_add.sm_90.cubin " + at("k.cubin") + "; cd " + at("") +
            "; $BURIN run k.cubin --kernel " + name + kOutputLaunch + " --out 2=" + name);
  EXPECT_EQ(ran.status, 0) << ran.err;
}

// A spec's source, the files of its buffers and its expected outputs are inputs, too.
TEST_F(OutputFilesTest, AFileThatASpecNamesIsNotOverwritten) {
  std::ofstream(at("k.toml")) << R"toml(kernel = "k"
source = "k.cu"
[problem]
sizes = [{ n = 32 }, { n = 64 }]
[tunables]
block_size_x = [32]
[launch]
grid = [1]
args = ["buf:128:file:)toml" << at("in.bin")
                              << R"toml(", "buf:128:f32"]
[reference]
files = { 1 = "expected.bin" }
)toml";
  const std::string text = "what was there\n";
  const std::string spec = at("k.toml");
  for (const char* input : {"k.cu", "in.bin", "expected.bin"}) {
    const std::string path = at(input);
    std::ofstream(path) << text;
    for (const std::string& words :
         {"tune " + spec + " --device emulator:h200 --export csv=" + path,
          "tune " + spec + " --device emulator:h200 --emit header=" + path,
          "tune " + spec + " --device emulator:h200 --html " + path,
          "tune " + spec + " --device emulator:h200 --session " + path,
          "fit " + spec + " -o " + path, "fit " + spec + " -o k.rp --samples-file " + path,
          "carve " + spec + " --svg " + path, "carve " + spec + " --counts " + path,
          "saturate " + spec + " --vary n=32:64 --svg " + path,
          "saturate " + spec + " --vary n=32:64 --html " + path}) {
      const Ran ran = burin(words + (words.find("session") == std::string::npos &&
                                             words.find("counts") == std::string::npos
                                         ? " --force"
                                         : ""));
      EXPECT_EQ(ran.status, 2) << words << ran.err;
      EXPECT_THAT(ran.err, HasSubstr(path + " is an input of this command")) << words;
      EXPECT_EQ(contents_of(path), text) << words;
    }
  }
  // Names that follow from the kernel, or from problem sizes.
  fs::rename(at("k.cu"), at("x.n_32.json"));
  const Ran ran = shell("sed -i s/k.cu/x.n_32.json/ " + spec + "; $BURIN tune " + spec +
                        " --device emulator:h200 --force --export t4=" + at("x.json"));
  EXPECT_EQ(ran.status, 2) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("x.n_32.json is an input of this command"));
}

TEST_F(OutputFilesTest, StandardOutputIsAFileOnlyWhereItIsSaid) {
  const std::string launch = "examples/vector_add.sm_90.cubin" + kOutputLaunch;
  for (const std::string& words :
       {"predict " + launch + " --html -", "run " + launch + " --out 2=-",
        "explain " + launch + " --trace -",
        std::string("fit --trials examples/fit/trials.csv -o -")}) {
    const Ran ran = burin(words);
    EXPECT_EQ(ran.status, 2) << words;
    EXPECT_THAT(ran.err, HasSubstr("cannot write to standard output; name a file")) << words;
  }
  const Ran sarif = burin("advise " + launch + " --sarif -");
  EXPECT_EQ(sarif.status, 0) << sarif.err;
  EXPECT_THAT(sarif.out, testing::StartsWith("{"));
  EXPECT_THAT(sarif.out, HasSubstr("sarif"));
  EXPECT_EQ(burin("advise " + launch + " --sarif - --json").status, 2);
  EXPECT_FALSE(fs::exists(BURIN_SOURCE_DIR "/-"));
}

// A new output option must be added to the table above: every option whose help says that it
// writes a file.
TEST_F(OutputFilesTest, TheTableHasEveryOption) {
  std::set<std::string> tried;
  for (const OutputOption& each : kOutputs) tried.insert(each.command + " " + each.option);
  const std::regex option("^ +(?:-[a-z],)?(--[a-z-]+).* (?:[Ww]rite|to write)( |$)");
  for (const char* command :
       {"inspect", "run",       "predict",  "explain", "advise",     "diff",  "record",
        "cut",     "calibrate", "machines", "doctor",  "completion", "tune",  "carve",
        "coarsen", "saturate",  "fit",      "choose",  "compare",    "serve", "mcp"}) {
    const std::string help = burin(std::string(command) + " --help").out;
    // Descriptions may be on the line behind the option.
    const std::string joined = std::regex_replace(help, std::regex("\n {20,}"), " ");
    for (std::size_t from = 0; from < joined.size();) {
      const std::size_t end = joined.find('\n', from);
      const std::string line = joined.substr(from, end - from);
      if (std::smatch match; std::regex_search(line, match, option)) {
        EXPECT_TRUE(tried.contains(std::string(command) + " " + match[1].str())) << line;
      }
      from = end == std::string::npos ? joined.size() : end + 1;
    }
  }
}

}  // namespace
}  // namespace burin::test
