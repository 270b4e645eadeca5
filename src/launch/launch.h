// A kernel launch: grid and block shape, cluster, shared memory and arguments.
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
#include "launch/texture.h"
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

// Limits that apply to all CUDA GPUs since sm_70; the limits of a specific machine may be lower.
inline constexpr Dims kMaxGrid{0x7fffffff, 65535, 65535};
inline constexpr Dims kMaxBlock{1024, 1024, 64};
inline constexpr std::uint64_t kMaxBlockThreads = 1024;
inline constexpr std::uint64_t kMaxClusterBlocks = 16;
inline constexpr std::uint64_t kMaxSharedBytes = 227 * 1024;  // static and dynamic, per block

// A buffer at a fixed address, as in a capture.
struct PlacedBuffer {
  std::string name;  // for messages: "allocation 0x7fc5cb600000"
  std::uint64_t address = 0;
  Buffer buffer;
};

// A variable of the module (`__device__ int counter;`) at a fixed address, which is inside one of
// the launch's placed buffers.
struct PlacedVariable {
  read::VariablePlace place;
  std::uint64_t address = 0;
};

struct Launch {
  Dims grid{};   // in blocks
  Dims block{};  // in threads
  std::optional<Dims> cluster{};
  std::uint64_t shared_bytes = 0;  // dynamic shared memory per block
  std::vector<Argument> arguments{};
  std::vector<Setting> settings{};  // initial values of the module's variables
  // Contents of memory other than the arguments' buffers. Arguments that point there are plain
  // bytes: the emulator keeps these addresses, but a GPU cannot guarantee them.
  std::vector<PlacedBuffer> memory{};
  std::vector<PlacedVariable> variables{};  // the emulator places all others
  // Variables that the program may have written before the launch, with what is not known. All
  // others have the module's initial values.
  std::vector<read::VariablePlace> unknown_variables{};
  std::vector<Texture> textures{};  // texture objects that the kernel may fetch from
};

// Returns the cluster shape of the launch: its own, otherwise the one the kernel was compiled with,
// otherwise none.
std::optional<Dims> cluster_of(const Launch& launch, const read::Function& kernel);

// Returns an Error for the first hardware or kernel limit that the launch exceeds, or for the first
// argument that does not fit its parameter. After the arguments for the parameters, there may be
// further buffers that tensor maps refer to; their addresses are not passed to the kernel. The
// message says "the kernel"; callers that know the kernel's name prepend it.
Result<void> check_launch(const Launch& launch, const read::Function& kernel);

// Returns the kernel's parameters as laid out in constant bank 0 from Function::parameter_base on.
// `addresses` has one entry per argument; only the entries of buffers are used, for the buffer
// arguments themselves and for tensor maps over them. The launch must have passed check_launch.
std::vector<std::uint8_t> parameter_block(const Launch& launch, const read::Function& kernel,
                                          std::span<const std::uint64_t> addresses);

// Returns the buffer of argument `position`, or an Error if that argument is not a buffer.
Result<const Buffer*> buffer_at(const Launch& launch, std::size_t position);

}  // namespace burin::launch
