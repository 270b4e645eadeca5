// Which coarsenings are tried for a kernel that has no tunable parameter?
#include "model/coarsened_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace burin::model {
namespace {

using testing::Contains;
using testing::Not;

// Doubles the element of each thread of a 3-D grid.
constexpr const char* kVolume = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry volume(.param .u64 data)
{
  .reg .b32 %r<16>;
  .reg .f32 %f<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mov.u32 %r5, %ctaid.y;
  mov.u32 %r6, %ntid.y;
  mov.u32 %r7, %tid.y;
  mad.lo.s32 %r8, %r5, %r6, %r7;
  mov.u32 %r9, %ctaid.z;
  mov.u32 %r10, %ntid.z;
  mov.u32 %r11, %tid.z;
  mad.lo.s32 %r12, %r9, %r10, %r11;
  shl.b32 %r13, %r12, 12;
  shl.b32 %r14, %r8, 6;
  add.s32 %r15, %r13, %r14;
  add.s32 %r15, %r15, %r4;
  mul.wide.s32 %rd2, %r15, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}
)";

tune::Space only_shape(std::int64_t x, std::int64_t y, std::int64_t z) {
  std::vector<tune::Parameter> parameters = {{.name = "block_size_x", .values = {x}},
                                             {.name = "block_size_y", .values = {y}},
                                             {.name = "block_size_z", .values = {z}}};
  return tune::Space::of_points(std::move(parameters), {{0, 0, 0}});
}

launch::Launch launch_of(launch::Dims grid, launch::Dims block) {
  launch::Launch launch;
  launch.grid = grid;
  launch.block = block;
  return launch;
}

std::vector<std::string> names_of(const tune::Space& space) {
  std::vector<std::string> names;
  for (const tune::Parameter& parameter : space.parameters()) names.push_back(parameter.name);
  return names;
}

TEST(CoarsenedSpace, HasAllThreeAxes) {
  const std::optional<tune::Space> space =
      coarsened_space(only_shape(16, 4, 4), launch_of({4, 16, 16}, {16, 4, 4}), kVolume, "volume");
  ASSERT_TRUE(space);
  const std::vector<std::string> names = names_of(*space);
  for (const char axis : {'x', 'y', 'z'}) {
    EXPECT_THAT(names, Contains(std::string("coarsen_thread_") + axis));
    EXPECT_THAT(names, Contains(std::string("coarsen_block_") + axis));
  }
  // Original threads for each thread, and threads of a block.
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < space->size(); ++i) {
    const tune::Point point = space->at(i);
    std::int64_t copies = 1;
    std::int64_t threads = 16 * 4 * 4;
    for (std::size_t d = 3; d < names.size(); ++d) {
      const std::int64_t value = *formula::integer(space->value(point, d));
      if (names[d].starts_with("coarsen_stride")) {
        EXPECT_TRUE(value == 0 || *formula::integer(space->value(point, d - 1)) > 1);
        continue;
      }
      copies *= value;
      if (names[d].starts_with("coarsen_thread")) threads /= value;
    }
    most = std::max(most, static_cast<std::uint64_t>(copies));
    EXPECT_GE(threads, 32);
  }
  EXPECT_EQ(most, 32u);
  EXPECT_LT(space->size(), 2000u);
}

// A grid that is flat along z gives nothing to coarsen there.
TEST(CoarsenedSpace, LeavesOutAxesThatAreFlat) {
  const std::optional<tune::Space> space =
      coarsened_space(only_shape(64, 4, 1), launch_of({1, 16, 1}, {64, 4, 1}), kVolume, "volume");
  ASSERT_TRUE(space);
  EXPECT_THAT(names_of(*space), Not(Contains("coarsen_thread_z")));
  EXPECT_THAT(names_of(*space), Not(Contains("coarsen_block_z")));
  EXPECT_THAT(names_of(*space), Not(Contains("coarsen_block_x")));
  EXPECT_THAT(names_of(*space), Contains("coarsen_block_y"));
}

}  // namespace
}  // namespace burin::model
