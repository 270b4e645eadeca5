// Does the report say what the prediction holds? The prediction is made up; kernel and machine are
// real.
#include "report/launch/predict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "machine/load.h"
#include "read/binary/container.h"

namespace burin::report {
namespace {

using testing::HasSubstr;
using testing::Not;

class PredictReportTest : public testing::Test {
 protected:
  PredictReportTest()
      : file_(std::move(*MappedFile::open(BURIN_SOURCE_DIR "/examples/reduction.sm_90.cubin"))),
        container_(*read::open_container(file_.bytes())),
        image_(*read::load(container_.entries[0])),
        kernel_(*read::build_kernel(image_, image_.functions[0])),
        machine_(*machine::load_machine("h200")) {
    machine_.sm.count = 132;
    machine_.sm.clock_mhz = 1980;
    launch_.grid = {1056};
    launch_.block = {256};
    p_.occupancy = *machine::occupancy(machine_, {.threads = 256, .registers = 40});
    p_.time_us = 12.345;
    p_.cycles = 24443;
    p_.clock_mhz = 1980;
    p_.launch_cycles = 2444.3;
    p_.waves = 1056.0 / (132.0 * static_cast<double>(p_.occupancy.blocks));
    p_.tail_share = 0.125;
    p_.ipc = 1.5;
    p_.busy[static_cast<std::size_t>(machine::Resource::kIssue)] = 0.375;
    p_.busy[static_cast<std::size_t>(machine::Resource::kDram)] = 0.84;
    p_.l1_hit_rate = 0.25;
    p_.l2_hit_rate = 0.125;
    p_.l2_bytes = 3 << 20;
    p_.dram_read_bytes = 2 << 20;
    p_.dram_write_bytes = 1 << 20;
    p_.costs.resize(kernel_.instructions.size());
    for (std::size_t i = 0; i < 60; ++i) {
      add(i, launch::Stall::kWait, {10, 30});
      if (kernel_.instructions[i].mnemonic() == "FADD")
        add(i, launch::Stall::kLongScoreboard, {600, 2400});
    }
    p_.instructions = p_.issued;
  }

  void add(std::size_t i, launch::Stall stall, launch::StallCycles cycles) {
    const auto s = static_cast<std::size_t>(stall);
    p_.costs[i].issued += 10;
    p_.costs[i].sectors += 1024;
    p_.costs[i].stalls[s] += cycles;
    p_.stalls[s] += cycles;
    p_.issued += 10;
    p_.warp_cycles += 10 + cycles.sum();
  }

  PredictReport report() const {
    return {.kernel = kernel_,
            .launch = launch_,
            .machine = machine_,
            .options = options_,
            .prediction = p_,
            .machine_assumed = assumed_,
            .most_lines = most_lines_};
  }
  template <typename Write>
  static std::string written(Write write) {
    std::string text;
    Output out([&](std::string_view piece) { return text += piece, true; });
    write(out);
    out.flush();
    return text;
  }
  std::string text() const {
    return written([&](Output& out) {
      read::SourceText source(BURIN_SOURCE_DIR "/examples");
      write_prediction(out, report(), source);
    });
  }
  nlohmann::json json() const {
    return nlohmann::json::parse(written([&](Output& out) {
      Json document(out);
      document.open('{');
      write_prediction_json(document, report(), "a.cubin");
      document.close();
    }));
  }

  MappedFile file_;
  read::Container container_;
  read::Image image_;
  read::Kernel kernel_;
  machine::Machine machine_;
  launch::Launch launch_;
  timing::PredictOptions options_;
  timing::Prediction p_;
  bool assumed_ = false;
  std::size_t most_lines_ = 3;
};

TEST_F(PredictReportTest, TextIsThis) {
  p_.unknown_share = 0.05;
  p_.extrapolated_share = 0.5;
  p_.notes = {"a policy was applied"};
  EXPECT_EQ(
      text(),
      R"(reduction on h200: 12.3 µs predicted (24,443 cycles at 1980 MHz), caches cold; no GPU used

occupancy     75.0 % theoretical (48 of 64 warps: 6 blocks of 256 threads per SM), limited by registers
              0.0 % achieved (0.011 of 64 warps on average)
waves         1.33 (1,056 blocks, 792 at once); 12.5 % of the time is the tail wave
instructions  700 warp-level; IPC 1.50 per SM
launch        10.0 % of the time is launch overhead

resource         busy
issue          37.5 %  █████████▍
dram           84.0 %  █████████████████████

memory           hits  traffic
l1             25.0 %  2.188 MiB
l2             12.5 %  3 MiB
dram                   2 MiB read, 1 MiB written, 255 GB/s

warp state            share  active
issued                2.1 %
long_scoreboard      90.6 %  20.0 %
wait                  7.3 %  25.0 %

line                share  top stall               source
reduction.cu:8     83.2 %  long_scoreboard 98 %    value += __shfl_down_sync(0xffffffff, value, delta);
reduction.cu:19     9.7 %  long_scoreboard 93 %    sum += values[i];
reduction.cu:18     2.3 %  wait 80 %               for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
and 10 more lines; --lines shows them all

loop                 share  top stall
reduction.cu:18-19  10.0 %  long_scoreboard 91 %

5.0 % of the warp cycles depend on Unknown values
50.0 % of the time was extrapolated from a steady state
note: a policy was applied
)");
}

TEST_F(PredictReportTest, TheHeadSaysWhatWasAssumed) {
  EXPECT_THAT(text(), Not(HasSubstr("no --machine")));
  assumed_ = true;
  options_.warm = true;
  options_.model = timing::PredictOptions::Model::kSaake;
  EXPECT_THAT(text(), HasSubstr("caches warm; no GPU used\n"
                                "using the SAAKE model\n"
                                "no --machine given: assuming h200 for sm_90\n"));
}

TEST_F(PredictReportTest, TimesHaveThreeDigits) {
  const auto head = [&](double us) {
    p_.time_us = us;
    return text().substr(0, text().find(" predicted"));
  };
  EXPECT_EQ(head(0.51234), "reduction on h200: 0.512 µs");
  EXPECT_EQ(head(9.876), "reduction on h200: 9.88 µs");
  EXPECT_EQ(head(98.76), "reduction on h200: 98.8 µs");
  EXPECT_EQ(head(1234.4), "reduction on h200: 1,234 µs");
  EXPECT_EQ(head(12345), "reduction on h200: 12.3 ms");
}

TEST_F(PredictReportTest, TotalsAreConserved) {
  double lines = 0;
  for (const LineCost& sum : costs_by_line(report())) lines += sum.warp_cycles;
  EXPECT_NEAR(lines, p_.warp_cycles, 1e-6);
  for (const LoopCost& sum : costs_by_loop(report())) EXPECT_LE(sum.warp_cycles, p_.warp_cycles);
}

// What programs count on: the names and places of the issue's schema.
TEST_F(PredictReportTest, JsonHasTheSchema) {
  const nlohmann::json j = json();
  EXPECT_EQ(j["schema"], "burin.predict/1");
  EXPECT_EQ(j["kernel"], "reduction");
  EXPECT_EQ(j["machine"], "h200");
  EXPECT_EQ(j["model"], "burin");
  EXPECT_EQ(j["caches"], "cold");
  EXPECT_EQ(j["time_us"], 12.345);
  EXPECT_EQ(j["cycles"], 24443);
  EXPECT_EQ(j["occupancy"], static_cast<double>(p_.occupancy.warps) / 64);
  EXPECT_EQ(j["resident_blocks"], 6);
  EXPECT_EQ(j["resident_warps"], 48);
  EXPECT_EQ(j["limiters"], (std::vector<std::string>{"registers"}));
  EXPECT_EQ(j["waves"], p_.waves);
  EXPECT_EQ(j["tail_share"], 0.125);
  EXPECT_EQ(j["instructions"], p_.issued);
  EXPECT_EQ(j["ipc"], 1.5);
  ASSERT_EQ(j["resources"].size(), machine::kResources);
  EXPECT_EQ(j["resources"]["dram"]["busy"], 0.84);
  EXPECT_EQ(j["resources"]["fetch"]["busy"], 0);
  EXPECT_EQ(j["dram_bytes"], 3 << 20);
  EXPECT_EQ(j["dram_read_bytes"], 2 << 20);
  EXPECT_EQ(j["dram_write_bytes"], 1 << 20);
  EXPECT_EQ(j["l2_hit_rate"], 0.125);
  EXPECT_EQ(j["l1_hit_rate"], 0.25);
  EXPECT_EQ(j["unknown_share"], 0);
  EXPECT_EQ(j["launch"]["grid"], (std::vector<unsigned>{1056, 1, 1}));
  EXPECT_EQ(j["notes"].size(), 0u);
}

TEST_F(PredictReportTest, JsonStallsAndIssueAreAllOfIt) {
  const nlohmann::json j = json();
  ASSERT_EQ(j["stalls"].size(), launch::kStalls);
  double sum = j["issued_share"];
  for (const auto& [reason, share] : j["stalls"].items()) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_GT(j["stalls"]["long_scoreboard"], j["stalls_active"]["long_scoreboard"]);
  double lines = 0;
  for (const auto& line : j["lines"]) lines += line["share"].get<double>();
  EXPECT_NEAR(lines, 1, 1e-9);
  EXPECT_EQ(j["lines"][0]["line"], 8);
  EXPECT_EQ(j["lines"][1]["line"], 19);
  EXPECT_EQ(j["loops"][0]["first_line"], 18);
}

// A grid that leaves SMs idle: the occupancy that could be is not the one that is.
TEST_F(PredictReportTest, AFewBlocksAreNotAFullGpu) {
  const std::string theoretical = "occupancy     75.0 % theoretical (48 of 64 warps: 6 blocks of ";
  const double cycles = p_.cycles - p_.launch_cycles;
  const auto expect = [&](std::uint32_t blocks, double warps, const std::string& text_of_waves,
                          const std::string& text_of_achieved) {
    launch_.grid = {blocks};
    p_.waves = blocks / (132.0 * 6);
    p_.tail_share = 0;
    p_.warp_cycles = warps * cycles * std::min(blocks, 132u);
    EXPECT_THAT(text(), HasSubstr(theoretical)) << blocks;
    EXPECT_THAT(text(), HasSubstr("\n              " + text_of_achieved + "\n")) << blocks;
    EXPECT_THAT(text(), HasSubstr("\nwaves         " + text_of_waves + "\n")) << blocks;
    EXPECT_NEAR(json()["achieved_occupancy"], warps / 64, 1e-9) << blocks;
    EXPECT_EQ(json()["sms_in_use"], std::min(blocks, 132u));
  };
  expect(1, 8, "0.001 (1 block, 792 at once); 1 of 132 SMs in use",
         "12.5 % achieved (8.00 of 64 warps on average)");
  expect(16, 8, "0.020 (16 blocks, 792 at once); 16 of 132 SMs in use",
         "12.5 % achieved (8.00 of 64 warps on average)");
  expect(132, 8, "0.167 (132 blocks, 792 at once)",
         "12.5 % achieved (8.00 of 64 warps on average)");
  expect(7920, 40, "10.0 (7,920 blocks, 792 at once)",
         "62.5 % achieved (40.0 of 64 warps on average)");
}

TEST_F(PredictReportTest, ARowIsOneLine) {
  const std::string row =
      written([&](Output& out) { write_prediction_row(out, report(), "--grid 1056 --block 256"); });
  EXPECT_THAT(row, testing::StartsWith("12.3 µs"));
  EXPECT_THAT(row, HasSubstr("dram 84 %"));
  EXPECT_THAT(row, testing::EndsWith("--grid 1056 --block 256\n"));
}

}  // namespace
}  // namespace burin::report
