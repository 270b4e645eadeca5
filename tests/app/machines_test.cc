// `burin machines` as a user runs it: list, one, several, JSON, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "machine/entries.h"
#include "machine/load.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(Machines, TheListNamesEveryMachine) {
  const Ran ran = burin("machines");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.err, "");
  for (const std::string& name : machine::known_machines())
    EXPECT_THAT(ran.out, HasSubstr("\n" + name));
  EXPECT_THAT(ran.out, HasSubstr("NVIDIA A100 SXM4 80GB"));
}

TEST(Machines, OneShowsEveryEntryAndEverySource) {
  const Ran ran = burin("machines h200");
  EXPECT_EQ(ran.status, 0);
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    EXPECT_THAT(ran.out, HasSubstr("\n" + entry.name + " "));
    EXPECT_THAT(ran.out, HasSubstr(entry.meaning + "\n"));
  }
  const machine::Machine h200 = *machine::load_machine("h200");
  for (const auto& [key, sentence] : h200.sources) EXPECT_THAT(ran.out, HasSubstr(sentence + "\n"));
}

TEST(Machines, TwoStandSideBySideWithTheirRatio) {
  const Ran ran = burin("machines a100 rtx3090");
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("rtx3090/a100"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("limit.warps +64 +48 +0.75\n"));
  // Neither has TMA; next to a machine that has, the place is marked.
  EXPECT_THAT(ran.out, Not(HasSubstr("bulk.tma_gap")));
  EXPECT_THAT(burin("machines a100 h100").out,
              testing::ContainsRegex("bulk.tma_gap +cycles +- +[0-9.]+ +-\n"));
}

TEST(Machines, JsonHasTheSameNumbers) {
  const json list = json::parse(burin("machines --json").out);
  EXPECT_EQ(list["schema"], "burin.machines/1");
  EXPECT_EQ(list["machines"].size(), machine::known_machines().size());
  const json one = json::parse(burin("machines a100 --json").out)["machines"][0];
  const machine::Machine a100 = *machine::load_machine("a100");
  EXPECT_EQ(one["entries"].size(), a100.origins.size());
  for (const json& entry : one["entries"]) {
    EXPECT_TRUE(one["sources"].contains(entry["source"])) << entry;
    if (entry["name"] == "dram.latency") {
      EXPECT_EQ(entry["value"], a100.dram.latency);
    }
  }
}

TEST(Machines, AFileOfOnesOwnIsShownAndABadOneRefusedInOneLine) {
  const std::string path = testing::TempDir() + "burin_machines_test.json";
  json file;
  std::ifstream(std::string(BURIN_SOURCE_DIR) + "/data/machines/h200.json") >> file;
  file["name"] = "mine";
  std::ofstream(path) << file;
  EXPECT_THAT(burin("machines " + path).out, HasSubstr("mine: NVIDIA H200"));
  file["entries"].erase("dram.latency");
  std::ofstream(path) << file;
  const Ran refused = burin("machines " + path);
  EXPECT_EQ(refused.status, 3);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err, "burin: " + path + ": 1 entry is missing: dram.latency\n");
}

TEST(Machines, AVariantNamesItsBaseAndCountsItsOwnEntriesOnly) {
  EXPECT_THAT(burin("machines").out,
              testing::ContainsRegex("\nrtx_a4000 +sm_86 .* 9 of 190  NVIDIA RTX A4000\n"));
  const Ran one = burin("machines rtx_a4000");
  EXPECT_THAT(one.out, HasSubstr("rtx_a4000: NVIDIA RTX A4000, sm_86, a variant of rtx3090\n"));
  EXPECT_THAT(one.out, testing::ContainsRegex("\nlimit.warps +48 +rtx3090:guide "));
  const json listed = json::parse(burin("machines rtx3090 rtx_a4000 --json").out)["machines"];
  EXPECT_FALSE(listed[0].contains("base"));
  EXPECT_EQ(listed[1]["base"], "rtx3090");
}

TEST(Machines, AnUnknownNameListsThoseKnown) {
  const Ran ran = burin("machines h300");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(is_one_line(ran.err)) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("burin knows a100, a100_pcie_40gb, h100, h200, rtx3090"));
}

TEST(Machines, TheDocumentExplainsEveryEntryInTheProgramsWords) {
  std::ifstream in(std::string(BURIN_SOURCE_DIR) + "/docs/machines.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const machine::MachineEntry& entry : machine::machine_entries()) {
    const std::string name = entry.name.starts_with("class.")
                                 ? entry.name.substr(0, entry.name.find_last_of('.'))
                                 : entry.name;
    EXPECT_THAT(text, HasSubstr("| `" + name + "` |"));
    if (name == entry.name) {
      EXPECT_THAT(text, HasSubstr("| " + entry.meaning + " |"));
    }
  }
}

}  // namespace
}  // namespace burin::test
