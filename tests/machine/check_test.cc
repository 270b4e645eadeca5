// The sanity check names what is missing, unknown, absurd or inconsistent.
#include "machine/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "machine/entries.h"
#include "machine/load.h"

namespace burin::machine {
namespace {

Machine h200() {
  return *load_machine("h200");
}

TEST(CheckMachine, H200IsSane) {
  EXPECT_TRUE(check_machine(h200()).ok()) << check_machine(h200()).sentence();
}

TEST(CheckMachine, EveryEntryHasARangeThatRefuses) {
  for (const MachineEntry& entry : machine_entries()) {
    for (const double value : {entry.least - 1, entry.most * 2 + 1, std::nan("")}) {
      Machine machine = h200();
      entry.in(machine) = value;
      const MachineCheck found = check_machine(machine);
      ASSERT_EQ(found.absurd.size(), 1u) << entry.name << " " << value;
      EXPECT_TRUE(found.absurd[0].starts_with(entry.name + " is ")) << found.absurd[0];
    }
  }
}

TEST(CheckMachine, EveryEntryIsMissedByName) {
  for (const MachineEntry& entry : machine_entries()) {
    Machine machine = h200();
    machine.origins.erase(entry.name);
    EXPECT_EQ(check_machine(machine).missing, std::vector{entry.name});
  }
}

TEST(CheckMachine, WhatAnArchitectureHasNotIsNotMissed) {
  Machine machine = h200();
  machine.arch = {80};
  for (const MachineEntry& entry : machine_entries())
    if (!entry.required) machine.origins.erase(entry.name);
  EXPECT_TRUE(check_machine(machine).ok()) << check_machine(machine).sentence();
  machine.arch = {90};
  EXPECT_FALSE(check_machine(machine).missing.empty());
}

TEST(CheckMachine, RelationsAreHeld) {
  Machine machine = h200();
  machine.l2.latency = 700;
  machine.dram.latency = 600;
  machine.l2.slice_stretch = 1000;
  const MachineCheck found = check_machine(machine);
  ASSERT_GE(found.inconsistent.size(), 2u);
  EXPECT_EQ(found.inconsistent[0], "l2.latency (700) must be less than dram.latency (600)");
  EXPECT_EQ(found.inconsistent[1],
            "l2.slice_stretch (1000) must be a multiple of l2.slice_interleave (256)");
}

TEST(CheckMachine, CarveOutsEndAtTheLimit) {
  Machine machine = h200();
  machine.limit.carve_outs.pop_back();
  EXPECT_EQ(check_machine(machine).inconsistent.size(), 1u);
  machine.limit.carve_outs.clear();
  EXPECT_EQ(check_machine(machine).missing, std::vector<std::string>{"carve_outs"});
}

TEST(CheckMachine, UnknownOriginsAreNamed) {
  Machine machine = h200();
  machine.origins["l3.latency"] = {"device", 0};
  EXPECT_EQ(check_machine(machine).sentence(), "unknown entry l3.latency");
}

}  // namespace
}  // namespace burin::machine
