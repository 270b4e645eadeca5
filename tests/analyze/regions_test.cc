// Do regions divide a kernel, and are those that match nothing refused in words?
#include "analyze/code/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "studied.h"

namespace burin::analyze {
namespace {

using testing::HasSubstr;

// Each executed instruction is in one of `parts`.
void expect_divided(const Regions& regions, const std::vector<std::size_t>& parts,
                    const read::InstructionSet& whole) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    int in = 0;
    for (const std::size_t part : parts) in += regions.list[part].instructions[i];
    EXPECT_LE(in, 1) << i;
    EXPECT_GE(in, static_cast<int>(whole[i])) << i;
  }
}

TEST(Regions, DivideTheKernelAndOneAnother) {
  for (const char* name : {"heat_tile/odd", "bitonic/odd", "spmm/odd", "softmax/odd"}) {
    const Studied launch(name);
    const read::InstructionSet executed = launch.executed();
    const Regions regions = find_regions(launch.study().kernel(), executed);
    expect_divided(regions, regions.top, executed);
    std::set<std::string> names;
    for (const Region& region : regions.list) {
      EXPECT_FALSE(region.name.empty());
      EXPECT_TRUE(names.insert(region.name).second) << region.name;
      if (region.inside.empty()) continue;
      read::InstructionSet both = region.instructions;
      for (std::size_t i = 0; i < both.size(); ++i) {
        both[i] = static_cast<std::uint8_t>(both[i] & executed[i]);
      }
      expect_divided(regions, region.inside, both);
    }
  }
}

TEST(Regions, AreParsed) {
  const Result<RegionLines> both = parse_region("load=a.cu:11-12");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->name, "load");
  EXPECT_EQ(both->file, "a.cu");
  EXPECT_EQ(both->first, 11u);
  EXPECT_EQ(both->last, 12u);
  const Result<RegionLines> line = parse_region("x=7");
  ASSERT_TRUE(line);
  EXPECT_EQ(line->file, "");
  EXPECT_EQ(line->last, 7u);
  for (const char* wrong :
       {"", "x", "=1", "x=", "x=a:", "x=:3", "x=0", "x=3-2", "x=3-", "x=3-4-5", "x=a.cu:b"}) {
    EXPECT_FALSE(parse_region(wrong)) << wrong;
  }
}

TEST(Regions, OfTheUserLeaveTheRestElsewhere) {
  const Studied launch = stream();
  const read::InstructionSet executed = launch.executed();
  const read::Kernel& kernel = launch.study().kernel();
  std::uint32_t line = 0;
  for (std::uint32_t i = 0; i < kernel.instructions.size() && line == 0; ++i) {
    if (kernel.instructions[i].mnemonic() == "DFMA") line = line_of(kernel, i).line;
  }
  ASSERT_NE(line, 0u);
  const RegionLines sum{.name = "sum", .file = "stream.cu", .first = line, .last = line};
  const Result<Regions> regions = named_regions(kernel, executed, std::array{sum});
  ASSERT_TRUE(regions);
  ASSERT_EQ(regions->list.size(), 2u);
  EXPECT_EQ(regions->list[0].name, "sum");
  EXPECT_EQ(regions->list[1].name, "elsewhere");
  expect_divided(*regions, regions->top, executed);

  const RegionLines nothing{.name = "void", .file = "", .first = 9999, .last = 9999};
  const Result<Regions> refused = named_regions(kernel, executed, std::array{nothing});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("region void: no executed instruction"));
  EXPECT_THAT(refused.error().message, HasSubstr("the kernel's code is at lines"));
}

}  // namespace
}  // namespace burin::analyze
