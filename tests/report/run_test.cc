// Does the report of a run say what the run's counts say? The run is made up; the kernel is real.
#include "report/launch/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "read/binary/container.h"
#include "read/isa/decode.h"
#include "read/program/classes.h"

namespace burin::report {
namespace {

using testing::HasSubstr;
using testing::Not;

class RunReportTest : public testing::Test {
 protected:
  RunReportTest()
      : file_(std::move(*MappedFile::open(BURIN_SOURCE_DIR "/examples/transpose.sm_90.cubin"))),
        container_(*read::open_container(file_.bytes())),
        image_(*read::load(container_.entries[0])) {
    for (const read::Function& function : image_.functions) {
      if (function.name == "transpose") kernel_ = *read::build_kernel(image_, function);
    }
    launch_.block = {32, 8};
    run_.blocks = 2;
    run_.warps = 16;
    for (const read::Instruction& instruction : kernel_.instructions) {
      // All of it was executed, up to the last EXIT; half of the lanes from 0x100 on.
      const bool executed = !ended_;
      ended_ = ended_ || instruction.mnemonic() == "EXIT";
      const std::uint64_t lanes = instruction.offset < 0x100 ? 32 : 16;
      run_.counts.push_back(
          executed ? emulate::InstructionCount{1000, 1000 * lanes, lanes == 32 ? 0 : 250u}
                   : emulate::InstructionCount{});
    }
  }

  std::string text(std::size_t most_lines = 10) {
    std::string written;
    Output out([&](std::string_view piece) { return written += piece, true; });
    read::SourceText source(BURIN_SOURCE_DIR "/examples");
    write_run(out, report(most_lines), source);
    out.flush();
    return written;
  }
  nlohmann::json json() {
    std::string written;
    Output out([&](std::string_view piece) { return written += piece, true; });
    Json document(out);
    document.open('{');
    write_run_json(document, report(10), "a.cubin");
    document.close();
    out.flush();
    return nlohmann::json::parse(written);
  }
  RunReport report(std::size_t most_lines) const {
    return {.kernel = kernel_, .launch = launch_, .run = run_, .most_lines = most_lines};
  }

  MappedFile file_;
  read::Container container_;
  read::Image image_;
  read::Kernel kernel_;
  launch::Launch launch_;
  burin::emulate::Run run_;
  bool ended_ = false;
};

TEST_F(RunReportTest, TotalsAreConserved) {
  const std::uint64_t all = run_.executed();
  EXPECT_EQ(in_all(report(10)).count.warps, all);
  std::uint64_t classes = 0;
  for (const ClassSum& sum : by_class(report(10))) classes += sum.count.warps;
  EXPECT_EQ(classes, all);
  std::uint64_t lines = 0;
  for (const LineSum& sum : by_line(report(10))) lines += sum.count.warps;
  EXPECT_EQ(lines, all);
  const nlohmann::json document = json();
  EXPECT_EQ(document["warp_instructions"], all);
  std::uint64_t instructions = 0;
  for (const auto& i : document["instructions"]) {
    instructions += i["warp_instructions"].get<std::uint64_t>();
  }
  EXPECT_EQ(instructions, all);
}

TEST_F(RunReportTest, TextNamesClassesLinesAndDivergence) {
  const std::string written = text();
  EXPECT_THAT(written,
              HasSubstr(" warp instructions in 2 blocks of 256 threads (sm_90); no faults found"));
  EXPECT_THAT(written, HasSubstr("global loads"));
  EXPECT_THAT(written, HasSubstr("shared stores"));
  EXPECT_THAT(written, HasSubstr("tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];"));
  EXPECT_THAT(written, HasSubstr("of 32 lanes active on average; "));
  EXPECT_THAT(written, Not(HasSubstr("unknown")));
  EXPECT_THAT(written, Not(HasSubstr("sectors")));
  EXPECT_THAT(text(1), HasSubstr("more lines; --lines shows them all"));
}

TEST_F(RunReportTest, FaultsAreToldWithTheirPlace) {
  emulate::Fault fault;
  fault.kind = emulate::Fault::Kind::kOutOfBounds;
  while (kernel_.instructions[fault.instruction].mnemonic() != "LDG") ++fault.instruction;
  fault.block = {1, 0, 0};
  fault.thread = {5, 2, 0};
  fault.address = 0x1234;
  fault.bytes = 4;
  fault.detail = "4 bytes past the end of argument 0 (1024 bytes)";
  fault.count = 77;
  run_.faults.push_back(fault);
  const std::string written = text();
  EXPECT_THAT(written, HasSubstr("; 1 fault found"));
  EXPECT_THAT(written, HasSubstr("out-of-bounds  transpose.cu:"));
  EXPECT_THAT(written, HasSubstr("  block 1,0,0 thread 5,2,0: LDG.E "));
  EXPECT_THAT(written, HasSubstr(", 4 bytes at 0x1234\n  4 bytes past the end of argument 0 (1024 "
                                 "bytes); on a GPU the kernel fails"));
  EXPECT_THAT(written, HasSubstr("\n  77 occurrences\n"));
  const nlohmann::json told = json()["faults"][0];
  EXPECT_EQ(told["kind"], "out-of-bounds");
  EXPECT_EQ(told["address"], 0x1234);
  EXPECT_EQ(told["count"], 77);
  EXPECT_EQ(told["thread"], nlohmann::json({5, 2, 0}));
}

TEST_F(RunReportTest, FaultsOfOneLineAreOne) {
  // The four loads of the unrolled loop.
  for (std::uint32_t i = 0; i < kernel_.instructions.size(); ++i) {
    if (kernel_.instructions[i].mnemonic() == "LDG") {
      run_.faults.push_back({.kind = emulate::Fault::Kind::kOutOfBounds,
                             .instruction = i,
                             .detail = "",
                             .count = 10});
    }
  }
  ASSERT_EQ(run_.faults.size(), 4u);
  EXPECT_THAT(text(), HasSubstr("; 1 fault found"));
  EXPECT_THAT(text(), HasSubstr("\n  40 occurrences in 4 instructions of this line\n"));
  EXPECT_EQ(json()["faults"].size(), 4u);
}

TEST_F(RunReportTest, WhatRestsOnUnknownIsTold) {
  run_.unknown = {.branches = 3, .instructions = 4000, .accesses = 0, .guards = 1};
  EXPECT_THAT(text(), HasSubstr("unknown values  3 branches on an Unknown condition, 4,000 warp "
                                "instructions on one path of such a branch and 1 instructions"));
  EXPECT_EQ(json()["unknown"]["branches"], 3);
}

TEST(Classes, EveryInstructionHasOne) {
  const auto class_name = [](std::uint64_t low, std::uint64_t high) {
    return read::instruction_classes()[read::class_of(read::decode(low, high, {90}, 0))];
  };
  EXPECT_EQ(class_name(0x0000000203047210, 0x004fe20007ffe0ff), "integer");  // IADD3
  EXPECT_EQ(class_name(0, 0), "other");                                      // no instruction
}

}  // namespace
}  // namespace burin::report
