// Is it true what the hints say? tests/data/advise/hints.cu has a small kernel before and after
// each change that a hint names; both are compiled, and the promised effect is looked for in the
// SASS. Skipped where there is no nvcc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "machine/load.h"
#include "machine/occupancy.h"
#include "read/binary/container.h"
#include "read/isa/print.h"
#include "read/program/kernel.h"
#include "toolchain/compile.h"
#include "toolchain/tools.h"

namespace burin::advise {
namespace {

constexpr const char* kSource = BURIN_SOURCE_DIR "/tests/data/advise/hints.cu";

// The instructions of a kernel as text, and whether each is in a loop.
struct HintCode {
  std::vector<std::string> all;
  std::vector<std::string> looped;
  unsigned registers = 0;

  static std::ptrdiff_t count_in(const std::vector<std::string>& lines, const std::string& part) {
    return std::ranges::count_if(
        lines, [&](const std::string& line) { return line.find(part) != std::string::npos; });
  }
  std::ptrdiff_t count(const std::string& part) const { return count_in(all, part); }
  std::ptrdiff_t in_loop(const std::string& part) const { return count_in(looped, part); }
  std::ptrdiff_t size() const { return static_cast<std::ptrdiff_t>(all.size()); }
};

// All kernels of hints.cu, compiled with these flags.
class HintImage {
 public:
  explicit HintImage(const std::vector<std::string>& flags) {
    Result<toolchain::Compiled> made = toolchain::compile(
        {.source = kSource, .arch = "sm_90", .flags = flags}, toolchain::CompileCache(""));
    if (!made) throw std::runtime_error(made.error().message);
    cubin_ = std::move(made->cubin);
    const Result<read::Container> container = read::open_container(cubin_);
    if (!container) throw std::runtime_error(container.error().message);
    Result<read::Image> image = read::load(container->entries.at(0));
    if (!image) throw std::runtime_error(image.error().message);
    image_ = std::move(*image);
  }
  HintImage(const HintImage&) = delete;
  HintImage& operator=(const HintImage&) = delete;

  HintCode operator[](const std::string& name) const {
    const auto function = std::ranges::find(image_.functions, name, &read::Function::name);
    if (function == image_.functions.end()) throw std::runtime_error("no kernel " + name);
    const Result<read::Kernel> kernel =
        read::build_kernel(image_, *function, {.dependences = false});
    if (!kernel) throw std::runtime_error(kernel.error().message);
    HintCode code;
    code.registers = function->registers;
    for (const read::BasicBlock& block : kernel->blocks) {
      if (!block.reachable) continue;
      for (std::uint32_t i = block.first; i <= block.last; ++i) {
        std::string text;
        read::print(kernel->instructions[i], text);
        if (block.loop != read::kNoIndex) code.looped.push_back(text);
        code.all.push_back(std::move(text));
      }
    }
    return code;
  }

 private:
  std::vector<std::uint8_t> cubin_;
  read::Image image_;
};

class Hints : public testing::Test {
 protected:
  void SetUp() override {
    if (!toolchain::find_tool("nvcc")) GTEST_SKIP() << "no nvcc here: hints are not compiled";
  }
  static HintCode of(const std::string& kernel) {
    static const HintImage image({});
    return image[kernel];
  }
};

TEST_F(Hints, FastFunctionsAreShorter) {
  for (const char* name :
       {"divide", "exponential", "exponential10", "logarithm", "logarithm2", "power", "sine",
        "cosine", "tangent", "both_sines", "hyperbolic", "inverse_root", "rounded_root"}) {
    const HintCode precise = of(name);
    const HintCode fast = of(std::string(name) + "_changed");
    EXPECT_LT(fast.size(), precise.size()) << name;
    EXPECT_EQ(fast.count("CALL"), 0) << name;
    EXPECT_GT(fast.count("MUFU"), 0) << name;
  }
}

TEST_F(Hints, FlagsMakeFunctionsFast) {
  const HintImage fast({"--use_fast_math"});
  const HintImage roots({"-prec-sqrt=false"});
  const HintImage quotients({"-prec-div=false"});
  for (const char* name :
       {"divide", "exponential", "exponential10", "logarithm", "logarithm2", "power", "sine",
        "cosine", "tangent", "both_sines", "hyperbolic", "inverse_root", "root"}) {
    EXPECT_LT(fast[name].size(), of(name).size()) << name;
    EXPECT_EQ(fast[name].count("CALL"), 0) << name;
  }
  EXPECT_LT(roots["root"].size(), of("root").size());
  EXPECT_EQ(roots["root"].count("CALL"), 0);
  EXPECT_LT(quotients["divide"].size(), of("divide").size());
  EXPECT_EQ(quotients["divide"].count("CALL"), 0);
  // No flag changes functions that name their rounding.
  EXPECT_EQ(fast["rounded_root"].count("CALL"), of("rounded_root").count("CALL"));
  EXPECT_EQ(roots["rounded_root"].count("CALL"), of("rounded_root").count("CALL"));
}

TEST_F(Hints, FloatLiteralsAndFunctionsNeedNoDoubles) {
  for (const std::string name : {"literals", "double_function"}) {
    const HintCode before = of(name);
    EXPECT_GT(before.count("DFMA") + before.count("DMUL") + before.count("DADD"), 0) << name;
    EXPECT_GT(before.count("F2F"), 0) << name;
    const HintCode after = of(name + "_changed");
    EXPECT_EQ(after.count("DFMA") + after.count("DMUL") + after.count("DADD"), 0) << name;
    EXPECT_EQ(after.count("F2F"), 0) << name;
  }
}

TEST_F(Hints, DivisionsBecomeProducts) {
  EXPECT_GT(of("modulus").count("MUFU.RCP"), 0);
  EXPECT_EQ(of("modulus_changed").count("MUFU.RCP"), 0);
  EXPECT_GT(of("quotient").count("MUFU.RCP"), 0);
  for (const char* name :
       {"quotient_shifted", "quotient_multiplied", "quotient_template", "quotient_constexpr"}) {
    EXPECT_EQ(of(name).count("MUFU.RCP"), 0) << name;
    EXPECT_LT(of(name).size(), of("quotient").size()) << name;
  }
  EXPECT_GT(of("wide_quotient").count("CALL"), 0);
  EXPECT_EQ(of("wide_quotient_changed").count("CALL"), 0);
  // Two nested loops in place of a counter that is divided.
  EXPECT_GT(of("counted").in_loop("IMAD.HI"), 0);
  EXPECT_EQ(of("counted_changed").in_loop("IMAD.HI"), 0);
  EXPECT_GT(of("same_divisor").in_loop("FCHK"), 0);
  EXPECT_EQ(of("same_divisor_changed").in_loop("FCHK"), 0);
  EXPECT_GT(of("converting").in_loop("I2F"), 0);
  EXPECT_EQ(of("converting_changed").in_loop("I2F"), 0);
}

TEST_F(Hints, UnrolledLoopsHaveMoreLoadsInFlight) {
  EXPECT_EQ(of("sum_loads").in_loop("LDG"), 1);
  EXPECT_GE(of("sum_loads_changed").in_loop("LDG"), 8);
  const HintCode chained = of("chained_changed");
  std::set<std::string> results;  // of the loop's FFMAs
  for (const std::string& line : chained.looped) {
    std::smatch found;
    if (std::regex_search(line, found, std::regex(R"(FFMA\S* (R\d+))"))) results.insert(found[1]);
  }
  EXPECT_GE(results.size(), 4u);
  // Several loads for each test of the exit condition, one branch back.
  const auto branches = [&](const std::string& name) {
    return static_cast<double>(of(name).in_loop("BRA")) /
           static_cast<double>(of(name).in_loop("LDG"));
  };
  EXPECT_LT(branches("late_exit_changed"), 0.5 * branches("late_exit"));
}

// The load stands above the arithmetic of the value before.
TEST_F(Hints, PrefetchedLoadsStandFirst) {
  const auto arithmetic_after_load = [&](const std::string& name) {
    const HintCode code = of(name);
    const auto load = std::ranges::find_if(
        code.looped, [](const std::string& line) { return line.find("LDG") != std::string::npos; });
    const auto next = std::find_if(load, code.looped.end(), [&](const std::string& line) {
      const std::string value =
          load->substr(load->find(" R") + 1, load->find(',') - load->find(" R") - 1);
      return line.find("FFMA") != std::string::npos && line.find(value + ",") != std::string::npos;
    });
    return HintCode::count_in(std::vector<std::string>(load, next), "FFMA");
  };
  EXPECT_EQ(arithmetic_after_load("fetched_late"), 0);
  EXPECT_GE(arithmetic_after_load("fetched_late_changed"), 7);
}

TEST_F(Hints, FunctionsAreInlinedOrNot) {
  EXPECT_GT(of("call").count("CALL"), 0);
  EXPECT_EQ(of("call_changed").count("CALL"), 0);
  EXPECT_LT(of("large_changed").size(), of("large").size());
  EXPECT_LT(of("many_calls_changed").size(), of("many_calls").size());
}

TEST_F(Hints, WideAccessesReplaceNarrowOnes) {
  EXPECT_EQ(of("words").count("LDG"), 4);
  EXPECT_EQ(of("words_changed").count("LDG"), 1);
  EXPECT_EQ(of("words_changed").count(".128"), 1);
  EXPECT_EQ(of("records").count("LDG"), 4);
  EXPECT_EQ(of("records_changed").count("LDG"), 1);
  for (const std::string name : {"bytes", "halves"}) {
    EXPECT_EQ(of(name).count("LDG"), 4) << name;
    EXPECT_EQ(of(name).count("STG"), 4) << name;
    EXPECT_EQ(of(name + "_changed").count("LDG"), 1) << name;
    EXPECT_EQ(of(name + "_changed").count("STG"), 1) << name;
  }
}

TEST_F(Hints, ArgumentsAndConstantsAreNotLoaded) {
  EXPECT_EQ(of("from_memory").count("LDG"), 2);
  EXPECT_EQ(of("from_memory_argument").count("LDG"), 1);
  EXPECT_EQ(of("from_memory_constant").count("LDG"), 1);
}

TEST_F(Hints, LocalAccumulatorsAreStoredOnce) {
  EXPECT_GT(of("sum_in_memory").in_loop("STG"), 0);
  EXPECT_EQ(of("sum_in_memory_changed").in_loop("STG"), 0);
}

TEST_F(Hints, ArraysInRegistersAndNoSpills) {
  EXPECT_GT(of("indexed").count("STL"), 0);
  EXPECT_EQ(of("indexed_changed").count("STL"), 0);
  EXPECT_EQ(of("indexed_shared").count("STL"), 0);
  EXPECT_GT(of("indexed_shared").count("STS"), 0);
  // __launch_bounds__ with fewer threads, or -maxrregcount, allows more registers; with more blocks
  // it allows fewer.
  EXPECT_GT(of("spilled").count("STL"), 0);
  EXPECT_EQ(of("spilled_changed").count("STL"), 0);
  EXPECT_LT(of("spilled").registers, of("spilled_changed").registers);
  const HintImage few({"-maxrregcount=32"});
  EXPECT_GT(of("crowded").registers, 32u);
  EXPECT_LE(few["crowded"].registers, 32u);
}

TEST_F(Hints, CopiesBypassRegisters) {
  EXPECT_GT(of("through_registers").count("STS"), 0);
  EXPECT_EQ(of("through_registers").count("LDGSTS"), 0);
  EXPECT_EQ(of("through_registers_changed").count("STS "), 0);
  EXPECT_GT(of("through_registers_changed").in_loop("LDGSTS"), 0);
}

TEST_F(Hints, SelectionsNeedNoBranch) {
  EXPECT_GT(of("chosen").in_loop("BRA"), 1);
  EXPECT_GT(of("maximum").in_loop("BRA"), 1);
  EXPECT_EQ(of("maximum_changed").in_loop("BRA"), 1);
  EXPECT_EQ(of("chosen_changed").in_loop("BRA"), 1);  // the loop's own
}

TEST_F(Hints, WarpsNeedNoBlockBarrier) {
  EXPECT_GT(of("whole_block").count("BAR.SYNC"), 0);
  EXPECT_EQ(of("whole_block_changed").count("BAR.SYNC"), 0);
}

TEST_F(Hints, AtomicsAreCombined) {
  EXPECT_EQ(of("one_word").count("SHFL"), 0);
  EXPECT_GT(of("one_word_changed").count("SHFL"), 0);
  EXPECT_EQ(of("one_word_changed").count("REDG"), 1);
  EXPECT_GT(of("one_count_changed").count("REDUX"), 0);
  EXPECT_EQ(of("few_words").count("ATOMS"), 0);
  EXPECT_EQ(of("few_words").count("REDG"), 1);
  EXPECT_GE(of("few_words_changed").count("ATOMS"), 16);  // elements of a thread,
  EXPECT_EQ(of("few_words_changed").count("REDG"), 1);    // … and one word
  EXPECT_EQ(of("few_bytes_changed").count("LDG.E.128"), 1);
  EXPECT_GE(of("few_bytes_changed").count("ATOMS"), 16);
  for (const char* name : {"places_changed", "places_group"}) {
    EXPECT_EQ(of(name).count("ATOMG"), 1) << name;
    EXPECT_GT(of(name).count("POPC"), 0) << name;
    EXPECT_GT(of(name).count("SHFL"), 0) << name;
  }
}

TEST_F(Hints, ScansNeedOneBarrier) {
  EXPECT_GE(of("scanned").count("BAR.SYNC"), 3);  // in a loop of eight steps, or written out
  EXPECT_EQ(of("scanned").count("SHFL"), 0);
  EXPECT_EQ(of("scanned_changed").count("BAR.SYNC"), 1);
  EXPECT_EQ(of("scanned_changed").count("SHFL.UP"), 10);
  EXPECT_EQ(of("flags_changed").count("BAR.SYNC"), 1);
  EXPECT_EQ(of("flags_changed").count("SHFL.UP"), 5);
  EXPECT_EQ(of("flags_changed").count("VOTE"), 1);
  EXPECT_EQ(of("flags_changed").count("POPC"), 1);
}

TEST_F(Hints, ValuesThatNoStoreChangesAreLoadedOnce) {
  const auto both = of("reloaded").in_loop("LDG");
  EXPECT_GT(both, 1);
  EXPECT_EQ(both % 2, 0);  // a weight for each element
  EXPECT_EQ(of("reloaded_changed").in_loop("LDG.E R"), 0);
  EXPECT_GT(of("reloaded_changed").in_loop("LDG.E.CONSTANT"), 0);  // the elements
}

TEST_F(Hints, PowersThatTheSourceNamesAreCheap) {
  EXPECT_GT(of("fourth_power").count("MUFU"), 0);
  EXPECT_EQ(of("fourth_power_changed").count("MUFU"), 0);
  EXPECT_LE(of("fourth_power_changed").count("FMUL"), 3);
  EXPECT_GT(of("power_of_two").count("F"), 20);
  EXPECT_EQ(of("power_of_two_changed").count("MUFU.EX2"), 1);
  EXPECT_LT(of("power_of_two_changed").count("F"), 8);
}

// Every intrinsic, flag, pragma, type and qualifier that a rule's text names is one of these tests.
TEST(HintNames, AreAllTested) {
  const std::set<std::string> tested = {
      // functions
      "__fdividef", "__expf", "__exp10f", "__logf", "__log2f", "__powf", "__sinf", "__cosf",
      "__tanf", "__sincosf", "__tanhf", "rsqrtf", "fmaxf", "__umulhi", "__pipeline_memcpy_async",
      "__shfl_down_sync", "__shfl_up_sync", "__shfl_sync", "__reduce_add_sync", "__ballot_sync",
      "__activemask", "__popc", "coalesced_threads", "__syncwarp",
      // flags
      "--use_fast_math", "-prec-sqrt=false", "-prec-div=false", "-maxrregcount",
      // pragmas, qualifiers and types
      "#pragma unroll", "__launch_bounds__", "__forceinline__", "__noinline__", "__shared__",
      "__constant__", "__align__", "__restrict__", "float4", "uint4", "uchar4", "ushort4"};
  // A place, not a change; and options of burin, not of a compiler.
  const std::set<std::string> named_only = {"int4",     "__syncthreads", "--coarsen", "--grid",
                                            "--block",  "--smem",        "__fsqrt_r", "__fsqrt_rn",
                                            "__fdiv_r", "__fdiv_rn",     "__frcp_r",  "__frsqrt_r"};
  const std::regex literal(R"rx("((?:[^"\\]|\\.)*)")rx");
  const std::regex name(
      R"rx(__[a-z]\w+|--[a-z]\w+|-(?:prec-|maxr|dlto)[-\w=]*|#pragma \w+|\b(?:float|u?char|u?short|u?int)4\b|\w+_threads|\b(?:rsqrtf|fmaxf)\b)rx");
  std::set<std::string> unknown;
  unsigned seen = 0;
  for (const char* folder : {"rules", "patterns"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::string(BURIN_SOURCE_DIR "/src/advise/") + folder)) {
      if (entry.path().extension() != ".cc") continue;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      for (std::sregex_iterator s(text.begin(), text.end(), literal), end; s != end; ++s) {
        const std::string words = (*s)[1];
        if (words.find(".h") != std::string::npos) continue;  // an #include
        for (std::sregex_iterator n(words.begin(), words.end(), name); n != end; ++n) {
          ++seen;
          if (!tested.contains(n->str()) && !named_only.contains(n->str()))
            unknown.insert(n->str());
        }
      }
    }
  }
  EXPECT_GT(seen, 20u);
  EXPECT_THAT(unknown, testing::IsEmpty());
}

}  // namespace
}  // namespace burin::advise
