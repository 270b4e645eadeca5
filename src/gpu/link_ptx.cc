#include "gpu/link_ptx.h"

#include <string>
#include <string_view>

#include "base/format.h"

namespace burin::gpu {
namespace {

using measure::FailureKind;

constexpr std::size_t kLogBytes = 8192;
constexpr std::size_t kMaxLogShown = 600;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool is_ptx(Bytes program) {
  const std::string_view text = text_of(program);
  return !text.starts_with(
             "\x7f"
             "ELF") &&
         text.find(".version") != std::string_view::npos;
}

Attempt<std::vector<std::uint8_t>> link_ptx(const GpuContext& gpu, Bytes ptx) {
  const Cuda& cuda = gpu.cuda();
  std::string text(text_of(ptx));  // the driver reads it up to its final zero
  std::vector<char> log(kLogBytes);
  int options[] = {Cuda::kErrorLog, Cuda::kErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(kLogBytes - 1)};
  CudaHandle linker = nullptr;
  if (auto done = gpu.check(cuda.link_create(2, options, values, &linker), "cuLinkCreate"); !done) {
    return {done.error(), FailureKind::kDevice};
  }
  CudaStatus status = cuda.link_add(linker, Cuda::kPtxInput, text.data(), text.size() + 1, "ptx", 0,
                                    nullptr, nullptr);
  void* cubin = nullptr;
  std::size_t size = 0;
  if (status == 0) status = cuda.link_complete(linker, &cubin, &size);
  std::vector<std::uint8_t> bytes;
  if (status == 0) {
    const auto* begin = static_cast<const std::uint8_t*>(cubin);
    bytes.assign(begin, begin + size);
  }
  cuda.link_destroy(linker);
  if (status == 0) return bytes;
  std::string said = std::string(log.data()).substr(0, kMaxLogShown);
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  return {Error{fmt::format("{} cannot compile the PTX: {}{}{}", gpu.label(), cuda.words(status),
                            said.empty() ? "" : ":\n", said)},
          FailureKind::kCompile};
}

}  // namespace burin::gpu
