#include "api/burin.h"
#include "jobs/open_images.h"
#include "read/isa/decode.h"
#include "read/isa/print.h"
#include "read/program/source.h"
#include "report/inspect/listing.h"

namespace burin::api {
namespace {

constexpr std::uint32_t kInstructionBytes = 16;

Kernel kernel_of(const read::Image& image, const read::Function& function) {
  return {.name = function.name,
          .demangled = function.demangled,
          .arch = read::to_string(image.arch),
          .registers = function.registers,
          .shared_bytes = function.shared_bytes,
          .stack_bytes = function.stack_bytes,
          .instructions = static_cast<std::uint32_t>(function.code.size() / kInstructionBytes)};
}

Result<std::vector<Instruction>> decode_function(const read::Image& image,
                                                 const read::Function& function) {
  if (Result<void> whole = report::check_code(image, function); !whole) return whole.error();
  const Result<std::vector<read::Instruction>> decoded =
      read::decode_all(function.code, image.arch);
  if (!decoded) return decoded.error().within(function.name);
  std::vector<Instruction> code(decoded->size());
  read::LineWalk lines(function);
  for (std::size_t k = 0; k < code.size(); ++k) {
    const read::Instruction& instruction = (*decoded)[k];
    code[k].offset = static_cast<std::uint32_t>(k) * kInstructionBytes;
    report::append_control(instruction.control, code[k].control);
    read::print(instruction, code[k].text);
    const std::int32_t location = lines.at(code[k].offset);
    if (location < 0) continue;
    const read::Location& place = image.locations[static_cast<std::size_t>(location)];
    code[k].file = read::path_of(image, place);
    code[k].line = place.line;
  }
  return code;
}

}  // namespace

std::string_view version() {
  return BURIN_VERSION;
}

Result<Binary> Binary::open(const std::string& file) {
  const Result<std::unique_ptr<jobs::OpenImages>> images =
      jobs::OpenImages::open({.file = file}, {});
  if (!images) return images.error();
  Binary binary;
  binary.file_ = file;
  for (std::size_t k = 0; k < (*images)->cubins().size(); ++k) {
    const Result<read::Image> image = (*images)->load(k);
    if (!image) return image.error().within(file);
    for (const read::Function& function : image->functions) {
      if (function.is_kernel) binary.kernels_.push_back(kernel_of(*image, function));
    }
  }
  return binary;
}

Result<std::vector<Instruction>> Binary::decode(const Kernel& kernel) const {
  const Result<std::unique_ptr<jobs::OpenImages>> images =
      jobs::OpenImages::open({.file = file_, .arch = kernel.arch, .needs_code = true}, {});
  if (!images) return images.error();
  for (std::size_t k = 0; k < (*images)->cubins().size(); ++k) {
    const Result<read::Image> image = (*images)->load(k);
    if (!image) return image.error().within(file_);
    for (const read::Function& function : image->functions) {
      if (function.is_kernel && function.name == kernel.name) {
        return decode_function(*image, function);
      }
    }
  }
  return Error{file_ + ": contains no kernel " + kernel.name + " for " + kernel.arch};
}

}  // namespace burin::api
