#include "mufu/sweeper.h"

#include <array>
#include <cstring>

#include "base/format.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"

namespace burin {
namespace {

constexpr std::uint32_t kThreads = 256;  // sweep.cu knows
constexpr std::array<const char*, 3> kFormatNames = {"", ".F16", ".BF16"};
constexpr std::size_t kResultBytes = std::size_t{4} * MufuSweeper::kMaxInputs;

bool on_doubles(emulate::MufuFunction function) {
  return function == emulate::MufuFunction::kRcp64h || function == emulate::MufuFunction::kRsq64h;
}

// The bits of a MUFU that say which.
std::uint64_t exchanged(std::uint64_t high, MufuForm form) {
  return (high & ~(std::uint64_t{0x3f} << 8)) | static_cast<std::uint64_t>(form.function) << 10 |
         static_cast<std::uint64_t>(form.format) << 8;
}

// "MUFU.EX2.F16" names {kEx2, kHalf}.
bool names(const std::string& text, MufuForm form) {
  const std::string rest = text.substr(text.find('.') + 1);
  const std::size_t end = rest.find('.');
  return emulate::mufu_named(rest.substr(0, end)) == form.function &&
         (end == std::string::npos ? "" : rest.substr(end)) ==
             kFormatNames[static_cast<std::size_t>(form.format)];
}

}  // namespace

std::vector<MufuForm> all_mufu_forms() {
  std::vector<MufuForm> forms;
  for (const MufuFormat format : {MufuFormat::kSingle, MufuFormat::kHalf, MufuFormat::kBfloat}) {
    for (int f = 0; f <= static_cast<int>(emulate::MufuFunction::kTanh); ++f) {
      const auto function = static_cast<emulate::MufuFunction>(f);
      if (format == MufuFormat::kSingle || !on_doubles(function))
        forms.push_back({function, format});
    }
  }
  return forms;
}

Result<MufuSweeper> MufuSweeper::open(const std::string& cubin) {
  Result<MappedFile> file = MappedFile::open(cubin);
  if (!file) return file.error();
  Result<read::Image> image = read::read_cubin(file->bytes(), {});
  if (!image) return image.error().within(cubin);
  Result<gpu::GpuContext> gpu = gpu::GpuContext::open(0);
  if (!gpu) return gpu.error();
  MufuSweeper sweeper(std::move(*file), std::move(*image), std::move(*gpu));
  const gpu::Cuda& cuda = sweeper.gpu_.cuda();
  if (auto done = sweeper.gpu_.check(cuda.allocate(&sweeper.device_, kResultBytes), "cuMemAlloc");
      !done) {
    return done.error();
  }
  void* results = nullptr;
  if (auto done =
          sweeper.gpu_.check(cuda.allocate_host(&results, kResultBytes, 0), "cuMemHostAlloc");
      !done) {
    return done.error();
  }
  sweeper.results_ = static_cast<std::uint32_t*>(results);
  return sweeper;
}

Result<std::string> MufuSweeper::load(MufuForm form) {
  const Bytes file = file_.bytes();
  const Bytes code = image_.functions.front().code;
  std::vector<std::uint8_t> cubin(file.begin(), file.end());
  name_.clear();
  read::Instruction instruction;
  for (std::uint32_t i = 0; i < code.size() / 16 && name_.empty(); ++i) {
    read::decode_at(code, i, image_.arch, instruction);
    if (instruction.mnemonic() != "MUFU") continue;
    const std::uint64_t high = exchanged(instruction.high, form);
    std::memcpy(&cubin[static_cast<std::size_t>(code.data() - file.data()) + 16 * i + 8], &high, 8);
    std::string text;
    read::print(read::decode(instruction.low, high, image_.arch, 0), text);
    name_ = text.substr(0, text.find(' '));
  }
  if (!names(name_, form)) return Error{fmt::format("the exchanged MUFU reads '{}'", name_)};
  gpu::CudaHandle module = nullptr;
  const gpu::Cuda& cuda = gpu_.cuda();
  if (auto done = gpu_.check(cuda.module_load(&module, cubin.data()), "cuModuleLoadData"); !done) {
    return done.error();
  }
  if (auto done =
          gpu_.check(cuda.module_function(&function_, module, "sweep"), "cuModuleGetFunction");
      !done) {
    return done.error();
  }
  return name_;
}

Result<std::span<const std::uint32_t>> MufuSweeper::run(std::uint32_t first, std::uint32_t stride,
                                                        std::uint32_t count) {
  const gpu::Cuda& cuda = gpu_.cuda();
  void* parameters[] = {&device_, &first, &stride};
  const gpu::CudaLaunchConfig config{.grid = {(count + kThreads - 1) / kThreads, 1, 1},
                                     .block = {kThreads, 1, 1},
                                     .shared_bytes = 0,
                                     .stream = gpu_.stream(),
                                     .attributes = nullptr,
                                     .attribute_count = 0};
  if (auto done = gpu_.check(cuda.launch(&config, function_, parameters, nullptr), "cuLaunch");
      !done) {
    return done.error();
  }
  if (auto done = gpu_.finish(name_); !done) return done.error();
  if (auto done = gpu_.check(cuda.copy_out(results_, device_, std::size_t{4} * count), "cuMemcpy");
      !done) {
    return done.error();
  }
  return std::span<const std::uint32_t>(results_, count);
}

}  // namespace burin
