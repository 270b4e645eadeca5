// A launch: how many threads, in what shape, with which arguments.
//
//   Launch launch{.grid = {256, 256}, .block = {32, 8}, .arguments = *parse_arguments(texts)};
//   if (Result<void> fits = check_launch(launch, function); !fits) return fits.error();
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/argument.h"
#include "launch/setting.h"
#include "read/binary/image.h"

namespace burin::launch {

struct Dims {
  std::uint32_t x = 1;
  std::uint32_t y = 1;
  std::uint32_t z = 1;

  bool operator==(const Dims&) const = default;
  std::uint64_t total() const { return std::uint64_t{x} * y * z; }  // exact within the limits below
};
std::string to_string(Dims dims);  // "32,8,1"

// What every CUDA GPU since sm_70 grants, and none exceeds; a machine's own limits may be lower.
inline constexpr Dims kMaxGrid{0x7fffffff, 65535, 65535};
inline constexpr Dims kMaxBlock{1024, 1024, 64};
inline constexpr std::uint64_t kMaxBlockThreads = 1024;
inline constexpr std::uint64_t kMaxClusterBlocks = 16;
inline constexpr std::uint64_t kMaxSharedBytes = 227 * 1024;  // static and dynamic, per block

// A buffer at an address of its own, as a capture has them.
struct PlacedBuffer {
  std::string name;  // for messages: "allocation 0x7fc5cb600000"
  std::uint64_t address = 0;
  Buffer buffer;
};

// A variable of the module (`__device__ int counter;`) at the address it had: in memory that the
// launch places.
struct PlacedVariable {
  read::VariablePlace place;
  std::uint64_t address = 0;
};

struct Launch {
  Dims grid{};   // in blocks
  Dims block{};  // in threads
  std::optional<Dims> cluster{};
  std::uint64_t shared_bytes = 0;  // dynamic
  std::vector<Argument> arguments{};
  std::vector<Setting> settings{};  // of the module's variables
  // What lies in memory beside the arguments' buffers. Arguments that point there are plain bytes:
  // the emulator keeps these addresses, a GPU cannot promise them.
  std::vector<PlacedBuffer> memory{};
  std::vector<PlacedVariable> variables{};  // the others lie where the emulator likes
};

// The cluster that the launch runs with: its own, else the one the kernel was compiled with, else
// none.
std::optional<Dims> cluster_of(const Launch& launch, const read::Function& kernel);

// An Error for the first limit of the hardware or the kernel that the launch breaks, or the first
// argument that does not fit its parameter. Behind the arguments for the parameters there may be
// buffers that tensor maps name: the kernel does not get their addresses. The sentence says "the
// kernel"; whoever knows its name puts it in front.
Result<void> check_launch(const Launch& launch, const read::Function& kernel);

// The kernel's parameters as they lie in constant bank 0 from Function::parameter_base on.
// `addresses` has one entry per argument, of which only the buffers' are used: their own, and as
// those of the tensor maps over them. The launch must have passed check_launch.
std::vector<std::uint8_t> parameter_block(const Launch& launch, const read::Function& kernel,
                                          std::span<const std::uint64_t> addresses);

// The buffer that is argument `position`; an Error where there is none.
Result<const Buffer*> buffer_at(const Launch& launch, std::size_t position);

}  // namespace burin::launch
