// Occupancy is the toolkit's: the same blocks, limits and limiters on random launches.
#include "machine/occupancy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <map>
#include <random>

#include "machine/load.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>
#define BURIN_HAS_CALCULATOR 1
#else
#define BURIN_HAS_CALCULATOR 0
#endif

namespace burin::machine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Machine machine(const char* name) {
  Result<Machine> loaded = load_machine(name);
  EXPECT_TRUE(loaded.ok()) << loaded.error().message;
  return *loaded;
}

std::string refusal(const KernelNeeds& needs, const char* on = "h200") {
  const Result<Occupancy> found = occupancy(machine(on), needs);
  return found ? "" : found.error().message;
}

TEST(Occupancy, TheExampleOfTheHeader) {
  const Result<Occupancy> found = occupancy(machine("h200"), {.threads = 256, .registers = 64});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->blocks, 4u);
  EXPECT_EQ(found->warps, 32u);
  EXPECT_THAT(found->limiters(), ElementsAre("registers"));
  EXPECT_EQ(found->limits[3].blocks, 228u);
  EXPECT_EQ(found->carve_out, 8192u);
  EXPECT_EQ(found->l1, 262144u - 8192u);
}

TEST(Occupancy, TheCarveOutHoldsAllResidentBlocks) {
  // 8 blocks of 256 threads, 20 KiB and the system's 1 KiB each: 168 KiB, so 196.
  const Result<Occupancy> found =
      occupancy(machine("h200"), {.threads = 256, .registers = 32, .shared = 20480});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->blocks, 8u);
  EXPECT_EQ(found->carve_out, 196u * 1024);
}

TEST(Occupancy, SeveralLimitersAreAllNamed) {
  const Result<Occupancy> found = occupancy(machine("h200"), {.threads = 1024, .registers = 32});
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->limiters(), ElementsAre("warps", "registers"));
}

TEST(Occupancy, ALaunchThatCannotBeResidentNamesTheLimit) {
  EXPECT_EQ(refusal({.threads = 2048, .registers = 32}),
            "a block of 2048 threads does not fit on an SM: h200 allows at most 1024 threads per "
            "block");
  EXPECT_EQ(refusal({.threads = 1024, .registers = 65}),
            "a block of 1024 threads with 65 registers each does not fit on an SM: it needs 73728 "
            "registers and h200 allows at most 65536 per block");
  EXPECT_THAT(refusal({.threads = 32, .registers = 256}),
              HasSubstr("allows at most 255 registers per thread"));
  EXPECT_THAT(
      refusal({.threads = 32, .registers = 32, .shared = 232449}),
      HasSubstr("shared memory does not fit on an SM: h200 allows at most 232448 bytes per block"));
  EXPECT_THAT(refusal({.threads = 32, .registers = 32, .barriers = 65}),
              HasSubstr("an SM of h200 has too few barriers"));
  EXPECT_THAT(refusal({.threads = 32, .registers = 32, .cluster = 17}),
              HasSubstr("1 to 16 blocks"));
  EXPECT_EQ(refusal({.threads = 0, .registers = 32}), "a block needs at least 1 thread");
}

#if BURIN_HAS_CALCULATOR

cudaOccDeviceProp properties_of(const Machine& machine) {
  cudaOccDeviceProp p;
  p.computeMajor = machine.arch.sm / 10;
  p.computeMinor = machine.arch.sm % 10;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsPerMultiprocessor = static_cast<int>(machine.limit.warps) * 32;
  p.regsPerBlock = static_cast<int>(machine.limit.registers_per_block);
  p.regsPerMultiprocessor = static_cast<int>(machine.limit.registers);
  p.warpSize = 32;
  p.sharedMemPerBlock = 48 * 1024;
  p.sharedMemPerMultiprocessor = static_cast<std::size_t>(machine.limit.shared);
  p.numSms = static_cast<int>(machine.sm.count);
  p.sharedMemPerBlockOptin = static_cast<std::size_t>(machine.limit.shared_per_block);
  p.reservedSharedMemPerBlock = static_cast<std::size_t>(machine.limit.shared_reserved);
  return p;
}

// Launches as they come: mostly whole warps and small shared memory, the rest anything.
KernelNeeds random_needs(std::mt19937& random) {
  const auto below = [&](unsigned n) { return random() % n; };
  KernelNeeds needs;
  needs.threads = below(2) != 0 ? 32 * (1 + below(32)) : 1 + below(1200);
  needs.registers = below(256);
  if (below(20) == 0) needs.registers = 257 + below(50);
  needs.shared = below(3) == 0 ? 0 : below(below(2) != 0 ? 16 * 1024 : 240 * 1024);
  needs.barriers = below(17);
  return needs;
}

void expect_equal(const Machine& machine, const KernelNeeds& needs) {
  const cudaOccDeviceProp properties = properties_of(machine);
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = INT_MAX;
  attributes.numRegs = static_cast<int>(needs.registers);
  attributes.sharedSizeBytes = 0;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = needs.shared;
  attributes.numBlockBarriers = static_cast<int>(needs.barriers);
  cudaOccResult expected{};
  ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes,
                                                    std::make_unique<cudaOccDeviceState>().get(),
                                                    static_cast<int>(needs.threads), needs.shared),
            CUDA_OCC_SUCCESS);
  const Result<Occupancy> found = occupancy(machine, needs);
  ASSERT_EQ(found.ok(), expected.activeBlocksPerMultiprocessor > 0);
  if (!found.ok()) return;
  EXPECT_EQ(found->blocks, static_cast<unsigned>(expected.activeBlocksPerMultiprocessor));
  EXPECT_EQ(found->registers_per_block, static_cast<unsigned>(expected.allocatedRegistersPerBlock));
  EXPECT_EQ(found->shared_per_block, expected.allocatedSharedMemPerBlock);
  const std::pair<int, unsigned> limits[] = {
      {expected.blockLimitWarps, OCC_LIMIT_WARPS},
      {expected.blockLimitBlocks, OCC_LIMIT_BLOCKS},
      {expected.blockLimitRegs, OCC_LIMIT_REGISTERS},
      {expected.blockLimitSharedMem, OCC_LIMIT_SHARED_MEMORY},
      {expected.blockLimitBarriers, OCC_LIMIT_BARRIERS}};
  for (std::size_t i = 0; i < std::size(limits); ++i) {
    const Occupancy::Limit& limit = found->limits[i];
    const auto& [blocks, flag] = limits[i];
    EXPECT_EQ(limit.blocks, blocks == INT_MAX ? Occupancy::kUnlimited : unsigned(blocks))
        << limit.name;
    // The calculator keeps the flags of the limits it met before it looked at barriers.
    if (expected.blockLimitBarriers > expected.activeBlocksPerMultiprocessor) {
      EXPECT_EQ(limit.blocks == found->blocks, (expected.limitingFactors & flag) != 0)
          << limit.name;
    }
  }
}

TEST(Occupancy, EqualsTheToolkitsCalculator) {
  const std::map<unsigned, const char*> machines = {
      {80, "a100"}, {86, "rtx3090"}, {89, "rtx4090"}, {90, "h200"}};
  for (const auto& [arch, name] : machines) {
    const Machine on = machine(name);
    ASSERT_EQ(on.arch.sm, arch);
    std::mt19937 random(arch);
    unsigned resident = 0;
    for (int i = 0; i < 10000; ++i) {
      const KernelNeeds needs = random_needs(random);
      resident += occupancy(on, needs).ok() ? 1 : 0;
      expect_equal(on, needs);
      if (testing::Test::HasFailure()) {
        FAIL() << name << ": " << needs.threads << " threads, " << needs.registers << " registers, "
               << needs.shared << " bytes, " << needs.barriers << " barriers";
      }
    }
    EXPECT_GT(resident, 3000u) << name;  // the draw is not all refusals
    EXPECT_LT(resident, 10000u) << name;
  }
}

#else

TEST(Occupancy, EqualsTheToolkitsCalculator) {
  GTEST_SKIP() << "cuda_occupancy.h is not here: it comes with the CUDA toolkit";
}

#endif

}  // namespace
}  // namespace burin::machine
