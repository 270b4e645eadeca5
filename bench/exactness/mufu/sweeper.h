// MUFU on a GPU of sm_90, one function at a time over many inputs.
//
//   Result<MufuSweeper> gpu = MufuSweeper::open("bench/exactness/mufu/sweep.sm_90.cubin");
//   gpu->load({MufuFunction::kEx2, MufuFormat::kHalf});     // "MUFU.EX2.F16"
//   gpu->run(0, 1, 65536)                                   // its results of 0, 1, 2, …
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"
#include "emulate/numbers/mufu.h"
#include "gpu/context.h"
#include "read/binary/image.h"

namespace burin {

enum class MufuFormat : std::uint8_t {
  kSingle,
  kHalf,
  kBfloat
};  // as the instruction encodes them
struct MufuForm {
  emulate::MufuFunction function;
  MufuFormat format;
};
std::vector<MufuForm> all_mufu_forms();

class MufuSweeper {
 public:
  static constexpr std::uint32_t kMaxInputs = 1u << 28;  // of one run

  static Result<MufuSweeper> open(const std::string& cubin);

  // Exchanges the function in the kernel's MUFU. The name is what our decoder then reads there.
  Result<std::string> load(MufuForm form);

  // The results of first, first + stride, …; good until the next call.
  Result<std::span<const std::uint32_t>> run(std::uint32_t first, std::uint32_t stride,
                                             std::uint32_t count);

  const gpu::GpuContext& gpu() const { return gpu_; }
  const std::string& toolkit() const { return image_.toolkit; }  // "ptxas 13.0"

 private:
  MufuSweeper(MappedFile file, read::Image image, gpu::GpuContext gpu)
      : file_(std::move(file)), image_(std::move(image)), gpu_(std::move(gpu)) {}

  MappedFile file_;
  read::Image image_;
  gpu::GpuContext gpu_;
  gpu::CudaPointer device_ = 0;
  std::uint32_t* results_ = nullptr;
  gpu::CudaHandle function_ = nullptr;
  std::string name_;
};

}  // namespace burin
