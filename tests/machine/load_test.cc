// Machine files: those inside the binary load, what is wrong with another is said in one sentence.
#include "machine/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "machine/entries.h"
#include "machine/write.h"

namespace burin::machine {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of_h200() {
  return write_machine(*load_machine("h200"));
}

// What parse_machine says of h200's file after `change`.
template <typename Change>
std::string refusal(Change change) {
  Json file = Json::parse(text_of_h200());
  change(file);
  const Result<Machine> parsed = parse_machine(file.dump());
  return parsed ? "" : parsed.error().message;
}

TEST(LoadMachine, EveryMachineInsideTheBinaryLoads) {
  ASSERT_FALSE(known_machines().empty());
  for (const std::string& name : known_machines()) {
    const Result<Machine> machine = load_machine(name);
    ASSERT_TRUE(machine.ok()) << machine.error().message;
    EXPECT_EQ(machine->name, name);
    for (const auto& [entry, origin] : machine->origins)
      EXPECT_GT(machine->sources.at(origin.source).size(), 10u) << name << " " << entry;
  }
}

TEST(LoadMachine, EveryEntryOfH200IsThere) {
  const Result<Machine> h200 = load_machine("h200");
  ASSERT_TRUE(h200.ok()) << h200.error().message;
  for (const MachineEntry& entry : machine_entries())
    EXPECT_TRUE(h200->origins.contains(entry.name)) << entry.name;
  EXPECT_EQ(h200->sm.count, 132);
  EXPECT_EQ(h200->arch, (read::Architecture{90}));
  EXPECT_EQ(h200->limit.carve_outs.back(), h200->limit.shared);
  EXPECT_DOUBLE_EQ(h200->seconds(h200->sm.clock_mhz * 1e6), 1);
}

TEST(LoadMachine, WhatIsWrittenReadsBackTheSame) {
  Result<Machine> h200 = load_machine("h200");
  ASSERT_TRUE(h200.ok());
  h200->l1.latency = 32.000000001;
  h200->origins["l1.latency"].spread = 0.0125;
  h200->sources["quote"] = "a \"quoted\" sentence — with\ta tab";
  const std::string text = write_machine(*h200);
  const Result<Machine> again = parse_machine(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->l1.latency, 32.000000001);
  EXPECT_EQ(again->origins.at("l1.latency").spread, 0.0125);
  EXPECT_EQ(again->sources, h200->sources);
  EXPECT_EQ(write_machine(*again), text);
}

// The files in the repository are as write_machine writes them, so that calibrating changes lines
// and not layout.
TEST(LoadMachine, TheFilesHaveTheWritersLayout) {
  for (const std::string& name : known_machines()) {
    std::ifstream in(std::string(BURIN_SOURCE_DIR) + "/data/machines/" + name + ".json");
    std::istringstream written(write_machine(*load_machine(name)));
    std::string expected;
    for (std::string line; std::getline(in, line);) {
      std::getline(written, expected);
      ASSERT_EQ(line, expected) << name;
    }
    EXPECT_FALSE(std::getline(written, expected)) << name;
  }
}

TEST(LoadMachine, AnUnknownNameListsThoseKnown) {
  const Result<Machine> none = load_machine("h300");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().exit, Exit::kInput);
  EXPECT_NE(none.error().message.find("unknown machine 'h300'"), std::string::npos);
  for (const std::string& name : known_machines())
    EXPECT_NE(none.error().message.find(name), std::string::npos) << none.error().message;
}

TEST(LoadMachine, NamesMayBeInAnyCase) {
  const Result<Machine> upper = load_machine("H200");
  ASSERT_TRUE(upper.ok()) << upper.error().message;
  EXPECT_EQ(upper->name, "h200");
}

TEST(LoadMachine, APathIsRead) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / "burin_load_test_machine.json";
  std::ofstream(path) << text_of_h200();
  const Result<Machine> machine = load_machine(path.string());
  EXPECT_TRUE(machine.ok());
  std::filesystem::remove(path);
  const Result<Machine> gone = load_machine(path.string());
  ASSERT_FALSE(gone.ok());
  EXPECT_NE(gone.error().message.find(path.string()), std::string::npos);
}

TEST(LoadMachine, MissingEntriesAreNamed) {
  EXPECT_EQ(refusal([](Json& f) { f["entries"].erase("dram.latency"); }),
            "1 entry is missing: dram.latency");
  const std::string all = refusal([](Json& f) { f["entries"] = Json::object(); });
  EXPECT_EQ(all,
            std::to_string(machine_entries().size()) +
                " entries are missing: sm.count, sm.schedulers, sm.clock_mhz, sm.tensor_clock_mhz, "
                "sm.full_tensor_clock_mhz and " +
                std::to_string(machine_entries().size() - 5) + " more");
}

TEST(LoadMachine, WhatIsNotOfTheFormatIsRefused) {
  EXPECT_EQ(parse_machine("[1]").error().message, "it is not a JSON object; a machine file is one");
  EXPECT_EQ(parse_machine("{").error().message.find("is not valid JSON: line 1, column 2: "), 0u);
  EXPECT_EQ(parse_machine("{\n \"name\": }")
                .error()
                .message.find("is not valid JSON: line 2, column 10: "),
            0u);
  EXPECT_EQ(parse_machine("{\"a\": 1e999}").error().message.find("is not valid JSON: number"), 0u);
  EXPECT_EQ(parse_machine("{}").error().message, "schema is missing");
  EXPECT_EQ(refusal([](Json& f) { f["schema"] = "burin.machine/2"; }),
            "its schema is \"burin.machine/2\"; this burin reads burin.machine/1");
  EXPECT_EQ(refusal([](Json& f) { f["title"] = 3; }), "its title is 3, not a string");
  EXPECT_EQ(refusal([](Json& f) { f["architecture"] = "gfx90a"; }),
            "unknown architecture \"gfx90a\"; write it as sm_90");
  EXPECT_EQ(refusal([](Json& f) { f["policy"] = "fair"; }),
            "unknown policy \"fair\"; use greedy_oldest_block, greedy_any, "
            "greedy_youngest, greedy_oldest or round_robin");
  EXPECT_EQ(refusal([](Json& f) { f["entries"]["dram.latencie"] = 1; }),
            "unknown entry \"dram.latencie\"; did you mean dram.latency?");
  EXPECT_EQ(refusal([](Json& f) { f["entries"]["sm.count"] = 132; }),
            "sm.count is 132, not an object");
  EXPECT_EQ(refusal([](Json& f) { f["entries"]["sm.count"].erase("value"); }),
            "sm.count has no value");
  EXPECT_EQ(refusal([](Json& f) { f["entries"]["sm.count"].erase("source"); }),
            "sm.count has no source");
  EXPECT_EQ(refusal([](Json& f) { f["entries"]["sm.count"]["source"] = "hearsay"; }),
            "the source \"hearsay\" of sm.count is not listed in sources");
  EXPECT_EQ(refusal([](Json& f) { f["carve_outs"] = {"big"}; }), "a carve-out is \"big\"");
  EXPECT_EQ(refusal([](Json& f) { f["entries"]["sm.count"]["value"] = "many"; }),
            "sm.count has \"value\" \"many\": expected a number as value and spread and a "
            "string as source");
}

// A variant of a100 after `change`, and what parse_machine says of it.
Json variant() {
  return {{"schema", "burin.machine/1"},
          {"name", "small"},
          {"title", "a smaller A100"},
          {"base", "a100"},
          {"sources", {{"sheet", "the data sheet of the smaller one"}}},
          {"entries", {{"sm.count", {{"value", 56}, {"source", "sheet"}}}}}};
}
template <typename Change>
std::string refusal_of_variant(Change change) {
  Json file = variant();
  change(file);
  const Result<Machine> parsed = parse_machine(file.dump());
  return parsed ? "" : parsed.error().message;
}

TEST(LoadMachine, AVariantIsItsBaseButForItsOwnEntries) {
  const Machine a100 = *load_machine("a100");
  const Result<Machine> small = parse_machine(variant().dump());
  ASSERT_TRUE(small.ok()) << small.error().message;
  EXPECT_EQ(small->name, "small");
  EXPECT_EQ(small->base, "a100");
  EXPECT_EQ(small->arch, a100.arch);
  EXPECT_EQ(small->limit.carve_outs, a100.limit.carve_outs);
  EXPECT_EQ(small->sm.count, 56);
  for (const MachineEntry& entry : machine_entries()) {
    if (!a100.origins.contains(entry.name) || entry.name == "sm.count") continue;
    EXPECT_EQ(entry.in(*small), entry.in(a100)) << entry.name;
    const std::string& source = small->origins.at(entry.name).source;
    EXPECT_TRUE(small->is_inherited(source)) << entry.name;
    EXPECT_EQ(small->sources.at(source).find("taken from a100: "), 0u) << entry.name;
  }
  EXPECT_EQ(small->origins.at("sm.count").source, "sheet");
  // What was said of the base's predictions was not said of the variant's.
  EXPECT_EQ(small->sources.at("validation"),
            "not compared with times of this GPU; a variant of a100");
}

TEST(LoadMachine, AVariantIsWrittenAsOne) {
  const Machine small = *parse_machine(variant().dump());
  const std::string text = write_machine(small);
  EXPECT_EQ(Json::parse(text)["entries"].size(), 1u);
  const Result<Machine> again = parse_machine(text);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(write_machine(*again), text);
}

TEST(LoadMachine, AtAnotherClockAVariantsMemoryKeepsItsOwn) {
  const Machine a100 = *load_machine("a100");
  Json file = variant();
  file["entries"]["sm.clock_mhz"] = {{"value", 705}, {"source", "sheet"}};
  file["entries"]["dram.latency"] = {{"value", 400}, {"source", "sheet"}};
  const Result<Machine> slow = parse_machine(file.dump());
  ASSERT_TRUE(slow.ok()) << slow.error().message;
  EXPECT_DOUBLE_EQ(slow->dram.bandwidth * slow->sm.clock_mhz,
                   a100.dram.bandwidth * a100.sm.clock_mhz);
  EXPECT_EQ(slow->dram.latency, 400);
  EXPECT_EQ(slow->l1.latency, a100.l1.latency);
}

TEST(LoadMachine, AVariantThatIsNoneIsRefused) {
  EXPECT_EQ(refusal_of_variant([](Json&) {}), "");
  EXPECT_EQ(refusal_of_variant([](Json& f) { f["base"] = 3; }), "its base is 3, not a string");
  EXPECT_EQ(refusal_of_variant([](Json& f) {
              f["base"] = "a300";
            }).find("its base \"a300\" is unknown; burin has a100, "),
            0u);
  EXPECT_EQ(refusal_of_variant([](Json& f) { f["name"] = "A100"; }),
            "its base is \"a100\", itself; name the machine that it varies");
  EXPECT_EQ(refusal_of_variant([](Json& f) { f["base"] = "rtx_a4000"; }),
            "its base \"rtx_a4000\" is a variant itself, of \"rtx3090\"; start from that one");
  EXPECT_EQ(refusal_of_variant([](Json& f) { f["entries"]["sm.cuont"] = 1; }),
            "unknown entry \"sm.cuont\"; did you mean sm.count?");
  EXPECT_EQ(refusal_of_variant([](Json& f) { f.erase("entries"); }), "entries is missing");
  EXPECT_EQ(refusal_of_variant([](Json& f) { f["policy"] = "fair"; }).find("unknown policy"), 0u);
  EXPECT_EQ(refusal_of_variant([](Json& f) { f["entries"]["sm.count"]["source"] = "a100:guide"; }),
            "the source \"a100:guide\" of sm.count is not listed in sources");
  EXPECT_EQ(refusal_of_variant([](Json& f) { f["sources"]["a100:guide"] = "mine"; }),
            "the source \"a100:guide\" has a name of the base's sources");
  EXPECT_EQ(refusal_of_variant([](Json& f) {
              f["entries"]["sm.clock_mhz"] = {{"value", 0}, {"source", "sheet"}};
            }).find("sm.clock_mhz is 0"),
            0u);
}

}  // namespace
}  // namespace burin::machine
