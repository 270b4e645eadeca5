#include "gpu/record/modules.h"

#include <algorithm>
#include <string_view>

#include "base/crc32.h"

namespace burin {
namespace {

constexpr std::size_t kMostParameters = 4096;

}  // namespace

std::vector<std::string> function_names(Bytes cubin) {
  constexpr std::string_view kText = ".text.";
  Cursor header(cubin);
  std::vector<std::string> names;
  if (header.u32() != 0x464c457f) return names;  // "\x7f" "ELF"
  header.seek(0x28);
  const std::uint64_t sections = header.u64();
  header.seek(0x3a);
  const std::uint16_t section_bytes = header.u16(), count = header.u16(),
                      names_index = header.u16();
  if (!header.ok() || section_bytes < 0x40 || names_index >= count) return names;
  const auto section = [&](std::uint32_t index) {
    Cursor in(cubin);
    in.seek(sections + std::uint64_t{index} * section_bytes);
    return in;
  };
  Cursor names_section = section(names_index);
  names_section.skip(0x18);
  const std::uint64_t names_offset = names_section.u64();
  for (std::uint32_t i = 0; i < count; ++i) {
    Cursor at = section(i);
    Cursor name(cubin);
    name.seek(names_offset + at.u32());
    const std::string_view text = name.c_string();
    if (!at.ok() || !name.ok()) return names;
    if (text.starts_with(kText)) names.emplace_back(text.substr(kText.size()));
  }
  return names;
}

std::uint32_t Modules::add(Bytes cubin, std::uint64_t crc) {
  const std::uint64_t key = crc != 0 ? crc : crc32(cubin);
  const auto next = static_cast<std::uint32_t>(contents_.size() + 1);
  const auto [at, is_new] = contents_.try_emplace({key, cubin.size()}, next);
  if (!is_new) return at->second;
  out_.add(SpoolModule{next, crc, cubin});
  for (const std::string& name : function_names(cubin)) modules_with_[name].push_back(next);
  return next;
}

void Modules::forget_handles() {
  handles_.clear();
  functions_.clear();
}

std::uint32_t Modules::module_of(CudaHandle function, const std::string& name) {
  CudaHandle module = nullptr;
  CudaHandle loaded = function;
  bool found = driver_.function_module(&module, loaded) == 0;
  if (!found && driver_.kernel_function != nullptr &&
      driver_.kernel_function(&loaded, function) == 0) {
    found = driver_.function_module(&module, loaded) == 0;
  }
  if (const auto known = handles_.find(module); found && known != handles_.end()) {
    return known->second;
  }
  const auto with_name = modules_with_.find(name);
  if (with_name == modules_with_.end()) return 0;
  // Of several, the first that no other handle claims, in the order of loading.
  const auto claimed = [&](std::uint32_t number) {
    return std::any_of(handles_.begin(), handles_.end(),
                       [&](const auto& handle) { return handle.second == number; });
  };
  const std::vector<std::uint32_t>& candidates = with_name->second;
  const auto free = std::find_if_not(candidates.begin(), candidates.end(), claimed);
  const std::uint32_t number = free == candidates.end() ? candidates.front() : *free;
  if (found) handles_[module] = number;
  return number;
}

std::vector<SpoolParameter> Modules::parameters_of(CudaHandle function) const {
  std::vector<SpoolParameter> parameters;
  const auto read = [&](auto* info) {
    std::size_t offset = 0, size = 0;
    while (info != nullptr && parameters.size() < kMostParameters &&
           info(function, parameters.size(), &offset, &size) == 0) {
      parameters.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
    }
  };
  read(driver_.function_parameter);
  if (parameters.empty()) read(driver_.kernel_parameter);
  return parameters;
}

RecordedKernel& Modules::add_kernel(std::uint32_t module, const std::string& name,
                                    CudaHandle function) {
  const auto [at, is_new] = kernels_.try_emplace({module, name});
  RecordedKernel& kernel = at->second;
  if (!is_new) return kernel;
  kernel.id = static_cast<std::uint32_t>(kernels_.size());
  kernel.name = name;
  if (function != nullptr) kernel.parameters = parameters_of(function);
  for (const SpoolParameter& parameter : kernel.parameters) {
    kernel.argument_bytes =
        std::max<std::size_t>(kernel.argument_bytes, parameter.offset + parameter.size);
  }
  kernel.chosen = &choice_.kernel(name);
  out_.add(SpoolKernel{kernel.id, module, name, kernel.parameters});
  return kernel;
}

const RecordedKernel& Modules::kernel(CudaHandle function, const char* name) {
  if (const auto known = functions_.find(function); known != functions_.end()) {
    return *known->second;
  }
  const char* text = name;
  if (text == nullptr && driver_.function_name != nullptr) driver_.function_name(&text, function);
  if (text == nullptr && driver_.kernel_name != nullptr) driver_.kernel_name(&text, function);
  const std::string known_name = text == nullptr ? "" : text;
  const RecordedKernel& kernel = add_kernel(module_of(function, known_name), known_name, function);
  functions_[function] = &kernel;
  return kernel;
}

const RecordedKernel& Modules::kernel_named(const std::string& name) {
  const auto with_name = modules_with_.find(name);
  return add_kernel(with_name == modules_with_.end() ? 0 : with_name->second.front(), name,
                    nullptr);
}

}  // namespace burin
