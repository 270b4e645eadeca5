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
  std::string words;  // behind the command
  std::string input;  // copied to {input}
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
      const std::string force = each.command == "record" ? "" : " --force";
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
  const std::string words = "run examples/vector_add.sm_90.cubin" + kOutputLaunch;
  const Ran ran = burin(words + " --out 0=" + at("x") + " --out 2=" + at("x"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("is given for arguments 0 and 2; choose two files"));
}

// A new output option must be added to the table above: every option whose help says that it
// writes a file.
TEST_F(OutputFilesTest, TheTableHasEveryOption) {
  std::set<std::string> tried;
  for (const OutputOption& each : kOutputs) tried.insert(each.command + " " + each.option);
  const std::regex option("^ +(?:-[a-z],)?(--[a-z-]+).* (?:[Ww]rite|to write)( |$)");
  for (const char* command : {"inspect", "run", "predict", "explain", "advise", "diff", "record",
                              "cut", "calibrate", "machines", "doctor", "completion"}) {
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
