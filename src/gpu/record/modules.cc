#include "gpu/record/modules.h"

#include <algorithm>
#include <string_view>

#include "base/crc32.h"

namespace burin {
namespace {

constexpr std::size_t kMostParameters = 4096;

std::vector<SpoolParameter> parameters_of(const RecordDriver& driver, CudaHandle function) {
  std::vector<SpoolParameter> parameters;
  const auto read = [&](auto* info) {
    std::size_t offset = 0, size = 0;
    while (info != nullptr && parameters.size() < kMostParameters &&
           info(function, parameters.size(), &offset, &size) == 0) {
      parameters.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
    }
  };
  read(driver.function_parameter);
  if (parameters.empty()) read(driver.kernel_parameter);
  return parameters;
}

}  // namespace

FunctionFacts ask_driver(const RecordDriver& driver, CudaHandle function, const char* name) {
  FunctionFacts facts;
  if (name == nullptr && driver.function_name != nullptr) driver.function_name(&name, function);
  if (name == nullptr && driver.kernel_name != nullptr) driver.kernel_name(&name, function);
  facts.name = name == nullptr ? "" : name;
  facts.parameters = parameters_of(driver, function);
  CudaHandle module = nullptr, loaded = function;
  bool is_known = driver.function_module(&module, loaded) == 0;
  if (!is_known && driver.kernel_function != nullptr &&
      driver.kernel_function(&loaded, function) == 0) {
    is_known = driver.function_module(&module, loaded) == 0;
  }
  if (is_known) facts.module = module;
  return facts;
}

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

std::uint32_t Modules::module_of(const FunctionFacts& facts) {
  if (facts.module) {
    if (const auto known = handles_.find(*facts.module); known != handles_.end()) {
      return known->second;
    }
  }
  const auto with_name = modules_with_.find(facts.name);
  if (with_name == modules_with_.end()) return 0;
  // Of several, the first that no other handle claims, in the order of loading.
  const auto claimed = [&](std::uint32_t number) {
    return std::any_of(handles_.begin(), handles_.end(),
                       [&](const auto& handle) { return handle.second == number; });
  };
  const std::vector<std::uint32_t>& candidates = with_name->second;
  const auto free = std::find_if_not(candidates.begin(), candidates.end(), claimed);
  const std::uint32_t number = free == candidates.end() ? candidates.front() : *free;
  if (facts.module) handles_[*facts.module] = number;
  return number;
}

RecordedKernel& Modules::add_kernel(std::uint32_t module, const FunctionFacts& facts) {
  const auto [at, is_new] = kernels_.try_emplace({module, facts.name});
  RecordedKernel& kernel = at->second;
  if (!is_new) return kernel;
  kernel.id = static_cast<std::uint32_t>(kernels_.size());
  kernel.name = facts.name;
  kernel.parameters = facts.parameters;
  for (const SpoolParameter& parameter : kernel.parameters) {
    kernel.argument_bytes =
        std::max<std::size_t>(kernel.argument_bytes, parameter.offset + parameter.size);
  }
  kernel.chosen = &choice_.kernel(facts.name);
  out_.add(SpoolKernel{kernel.id, module, facts.name, kernel.parameters});
  return kernel;
}

const RecordedKernel* Modules::find(CudaHandle function) const {
  const auto known = functions_.find(function);
  return known == functions_.end() ? nullptr : known->second;
}

const RecordedKernel& Modules::add(CudaHandle function, const FunctionFacts& facts) {
  return *(functions_[function] = &add_kernel(module_of(facts), facts));
}

const RecordedKernel& Modules::named(const std::string& name) {
  const auto with_name = modules_with_.find(name);
  return add_kernel(with_name == modules_with_.end() ? 0 : with_name->second.front(),
                    FunctionFacts{.name = name});
}

}  // namespace burin
