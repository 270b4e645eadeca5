// The list of entries covers each number of Machine, and each once.
#include "machine/entries.h"

#include <gtest/gtest.h>

#include <set>

namespace burin::machine {
namespace {

TEST(Entries, NamesAndFieldsAreDistinct) {
  Machine machine;
  std::set<std::string> names;
  std::set<const double*> fields;
  for (const MachineEntry& entry : machine_entries()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(fields.insert(&entry.in(machine)).second) << entry.name;
    EXPECT_LT(entry.least, entry.most) << entry.name;
    EXPECT_FALSE(entry.meaning.empty()) << entry.name;
  }
}

// The numbers of a Machine are its groups of doubles; a field without an entry would stay 0
// whatever the file says.
TEST(Entries, EveryFieldIsListed) {
  const auto doubles = [](const auto& group) { return sizeof(group) / sizeof(double); };
  const Machine m;
  const std::size_t limits = (sizeof(m.limit) - sizeof(m.limit.carve_outs)) / sizeof(double);
  const std::size_t issue = (sizeof(m.issue) - sizeof(double)) / sizeof(double);  // policy, padded
  const std::size_t untimed_classes = 2;                                          // memory, bulk
  const std::size_t all = doubles(m.sm) + limits + issue + 2 * (kTimingClasses - untimed_classes) +
                          doubles(m.lsu) + doubles(m.shared) + doubles(m.l1) + doubles(m.l2) +
                          doubles(m.dram) + doubles(m.constant) + doubles(m.fetch) +
                          doubles(m.barrier) + doubles(m.dispatch) + doubles(m.bulk) +
                          doubles(m.cluster);
  EXPECT_EQ(machine_entries().size(), all);
}

}  // namespace
}  // namespace burin::machine
