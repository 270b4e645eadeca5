// Is PTX printed as it was read, and changed only where somebody wants it changed?
#include "read/ptx/print.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/child.h"
#include "base/temporary_folder.h"
#include "corpus_files.h"
#include "ptx_text.h"
#include "toolchain/tools.h"

namespace burin::read::ptx {
namespace {

// Where both differ first, in a few words; "" if they do not.
std::string first_difference(const std::string& text) {
  const Result<Module> module = parse(text);
  if (!module) return module.error().message;
  const std::string printed = print(*module);
  if (printed == text) return "";
  const auto at = std::mismatch(text.begin(), text.end(), printed.begin(), printed.end());
  const Position position =
      module->position_of(static_cast<std::uint32_t>(at.first - text.begin()));
  return "differs in line " + std::to_string(position.line);
}

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(PtxPrint, EveryByteComesBack) {
  EXPECT_EQ(first_difference(kHeader), "");
  EXPECT_EQ(first_difference("\t// first\r\n" + kHeader +
                             "/* last"
                             " */\n\n"),
            "");
  EXPECT_EQ(first_difference(module_of("{ .reg .b32 a,b ; }\n\n/**/L : @ p bra L ; // end")), "");
  EXPECT_EQ(first_difference(kHeader + ".func f;.func g(){}.global .b32 a,b,c;\n# 1 \"x\"\n"), "");
}

TEST(PtxPrint, SeedsOfTheFuzzer) {
  std::size_t identical = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(BURIN_SOURCE_DIR "/fuzz/corpus/ptx")) {
    const std::string text = text_of_file(entry.path());
    if (!parse(text)) continue;
    EXPECT_EQ(first_difference(text), "") << entry.path();
    ++identical;
  }
  EXPECT_GE(identical, 3u);
}

// A parser that loses a statement is found out: what no piece holds is not printed.
TEST(PtxPrint, LostStatementsAreMissing) {
  Module module = parsed(module_of("mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nret;"));
  auto& kernel = std::get<Function>(module.items.back());
  kernel.body.erase(kernel.body.begin() + 1);
  EXPECT_EQ(print(module), kHeader + ".visible .entry k() {\nmov.u32 %r1, 1;ret;\n}\n");
}

TEST(PtxPrint, Replacements) {
  const Module module = parsed(module_of("mov.u32 %r1, 1;\n\tmov.u32 %r2, 2; // two\nret;"));
  const Function& kernel = *module.find_function("k");
  const Span second = span_of(kernel.body[1]);
  const auto& first = std::get<Instruction>(kernel.body[0]);
  const std::vector<Replacement> replacements = {
      {kernel.name_span, "kernel_of_two"},
      {{kernel.body_span.begin + 1, kernel.body_span.begin + 1}, "\n// inserted"},
      {first.operands[1].span, "7"},
      {second, ""},
      {{kernel.body_span.end - 1, kernel.body_span.end - 1}, "exit;\n"}};
  EXPECT_EQ(print(module, replacements), kHeader +
                                             ".visible .entry kernel_of_two() {\n// inserted\n"
                                             "mov.u32 %r1, 7;\n\t // two\nret;\nexit;\n}\n");
}

TEST(PtxPrint, WholeFunctionsAndTheEnd) {
  const Module module = parsed(kHeader + ".func f() { ret; }\n.func g();\n");
  const auto size = static_cast<std::uint32_t>(module.text->size());
  const std::vector<Replacement> replacements = {{module.find_function("f")->span, ".func f();"},
                                                 {{size, size}, ".func h();\n"}};
  EXPECT_EQ(print(module, replacements), kHeader + ".func f();\n.func g();\n.func h();\n");
}

// A few kernels of every kind; bench/coarsening/round_trip.py takes all there are.
TEST(PtxPrint, OutputOfNvcc) {
  const Result<std::string> nvcc = toolchain::find_tool("nvcc");
  if (!nvcc) GTEST_SKIP() << "no nvcc here";
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder.ok());
  struct Compiled {
    std::string source;
    std::vector<std::string> options;
  };
  const std::string own = BURIN_SOURCE_DIR "/bench/coarsening/kernels/";
  for (const Compiled& one :
       std::vector<Compiled>{{kCorpus + "warps.cu", {"-arch=sm_90", "-lineinfo"}},
                             {own + "textures.cu", {"-arch=sm_75"}},
                             {own + "calls.cu", {"-arch=sm_90", "-G", "-w"}},
                             {own + "inline_asm.cu", {"-arch=sm_90a"}}}) {
    const std::string output = folder->path() + "/out.ptx";
    std::vector<std::string> arguments = {"-ptx", one.source, "-o", output};
    arguments.insert(arguments.end(), one.options.begin(), one.options.end());
    const Answer answer = run_program(*nvcc, arguments, 300);
    ASSERT_TRUE(answer.ok()) << one.source << ": " << answer.text;
    const std::string text = text_of_file(output);
    EXPECT_FALSE(parsed(text).entries().empty()) << one.source;
    EXPECT_EQ(first_difference(text), "") << one.source;
  }
}

}  // namespace
}  // namespace burin::read::ptx
