#include "emulate/access/constants.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "emulate/state/grid.h"

namespace burin::emulate {

namespace {

void put(ConstantMemory::Bank& bank, std::size_t offset, std::uint32_t value) {
  for (unsigned k = 0; k < 4; ++k) {
    if (offset + k >= bank.bytes.size()) return;
    bank.bytes[offset + k] = static_cast<std::uint8_t>(value >> (8 * k));
    bank.unknown[offset + k] = false;
  }
}

void put_wide(ConstantMemory::Bank& bank, std::size_t offset, std::uint64_t value) {
  put(bank, offset, static_cast<std::uint32_t>(value));
  put(bank, offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void put_dims(ConstantMemory::Bank& bank, std::size_t offset, launch::Dims dims) {
  put(bank, offset, dims.x);
  put(bank, offset + 4, dims.y);
  put(bank, offset + 8, dims.z);
}

// The bits of 1 / n as a float, rounded up: k n times it is k at least.
std::uint32_t reciprocal_bits(std::uint32_t n) {
  float reciprocal = 1.0f / static_cast<float>(n);
  if (static_cast<double>(reciprocal) * n < 1) reciprocal = std::nextafter(reciprocal, 1.0f);
  return std::bit_cast<std::uint32_t>(reciprocal);
}

void add_banks(ConstantMemory& memory, const std::vector<read::ConstantBank>& banks) {
  for (const read::ConstantBank& b : banks) {
    if (b.bank == 0) continue;
    memory.banks[b.bank].bytes.assign(b.contents.begin(), b.contents.end());
  }
}

}  // namespace

ConstantMemory launch_constants(const read::Kernel& kernel, const launch::Launch& launch,
                                const launch::Dims& cluster, const LaunchAddresses& addresses) {
  const read::Function& function = *kernel.function;
  const bool clustered = launch::cluster_of(launch, function).has_value();
  ConstantMemory memory;
  add_banks(memory, kernel.image->constants);
  add_banks(memory, function.constants);

  const std::vector<std::uint8_t> parameters =
      launch::parameter_block(launch, function, addresses.arguments);
  ConstantMemory::Bank& bank = memory.banks[0];
  bank.bytes.resize(function.parameter_base + parameters.size());
  std::ranges::copy(parameters, bank.bytes.begin() + function.parameter_base);
  // What of the driver's part we have not seen used is Unknown.
  bank.unknown.resize(bank.bytes.size());
  std::fill_n(bank.unknown.begin(), function.parameter_base, true);
  // Seen in what ptxas 13.0 makes of blockDim, gridDim, generic addresses, the stack, cooperative
  // groups, clusters and tensor maps. sm_80 to sm_90; from sm_100 on the block is laid out anew.
  put_dims(bank, 0x0, launch.block);
  put_dims(bank, 0xc, launch.grid);
  put_wide(bank, 0x18, kSharedWindow);
  put_wide(bank, 0x20, kLocalWindow);
  put(bank, 0x28, addresses.stack_top);
  put(bank, 0x44, static_cast<std::uint32_t>(addresses.grid_workspace >> 32));
  put(bank, 0x48, static_cast<std::uint32_t>(addresses.grid_workspace));
  if (kernel.image->arch.sm >= 90) {
    put(bank, 0x140, clustered ? 1 : 0);
    put_dims(bank, 0x144, cluster);
    // What a block's index is multiplied by for that of its cluster (cuBLAS's TF32 products).
    put(bank, 0x150, reciprocal_bits(cluster.x));
    put(bank, 0x154, reciprocal_bits(cluster.y));
    put(bank, 0x158, reciprocal_bits(cluster.z));
    put(bank, 0x188, static_cast<std::uint32_t>(cluster.total()));
    put_wide(bank, 0x198, addresses.parameters);
    // Where this bank lies in memory: cuBLAS reads its tensor maps through it.
    put_wide(bank, 0xc0, addresses.parameters - function.parameter_base);
  }
  return memory;
}

}  // namespace burin::emulate
