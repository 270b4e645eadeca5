#include "gpu/record/modules.h"

#include <algorithm>

#include "base/crc32.h"
#include "gpu/record/cubin_names.h"

namespace burin::gpu {
namespace {

constexpr std::size_t kMaxParameters = 4096;

std::vector<capture::SpoolParameter> parameters_of(const RecordDriver& driver,
                                                   CudaHandle function) {
  std::vector<capture::SpoolParameter> parameters;
  const auto read = [&](auto* info) {
    std::size_t offset = 0, size = 0;
    while (info != nullptr && parameters.size() < kMaxParameters &&
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
  facts.module = module_handle(driver, function);
  return facts;
}

std::optional<CudaHandle> module_handle(const RecordDriver& driver, CudaHandle function) {
  CudaHandle module = nullptr, loaded = function;
  if (driver.function_module(&module, loaded) == 0) return module;
  if (driver.kernel_function == nullptr || driver.kernel_function(&loaded, function) != 0 ||
      driver.function_module(&module, loaded) != 0) {
    return std::nullopt;
  }
  return module;
}

std::vector<capture::SpoolVariable> ask_variables(const RecordDriver& driver, CudaHandle function,
                                                  const std::vector<std::string>& names) {
  std::vector<capture::SpoolVariable> variables;
  if (names.empty() || driver.module_variable == nullptr) return variables;
  const std::optional<CudaHandle> module = module_handle(driver, function);
  for (const std::string& name : names) {
    CudaPointer address = 0;
    std::size_t size = 0;
    // One that the driver does not give out, as it may not with static ones, is left out.
    if (!module || driver.module_variable(&address, &size, *module, name.c_str()) != 0) continue;
    variables.push_back({0, name, address, size});
  }
  return variables;
}

std::uint32_t Modules::add(Bytes cubin, std::uint64_t crc) {
  // CUPTI's own checksum is the same for several kernels of cuBLAS.
  const auto next = static_cast<std::uint32_t>(contents_.size() + 1);
  const auto [at, is_new] = contents_.try_emplace({crc32(cubin), cubin.size()}, next);
  if (!is_new) return at->second;
  out_.add(capture::SpoolModule{next, crc, cubin});
  for (const std::string& name : function_names(cubin)) modules_with_[name].push_back(next);
  variables_[next] = variable_names(cubin, wants_variables_);
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
  kernel.module = module;
  kernel.name = facts.name;
  kernel.parameters = facts.parameters;
  for (const capture::SpoolParameter& parameter : kernel.parameters) {
    kernel.argument_bytes =
        std::max<std::size_t>(kernel.argument_bytes, parameter.offset + parameter.size);
  }
  kernel.chosen = &choice_.kernel(facts.name);
  out_.add(capture::SpoolKernel{kernel.id, module, facts.name, kernel.parameters});
  return kernel;
}

std::vector<std::string> Modules::variables(const RecordedKernel& kernel) const {
  const auto known = variables_.find(kernel.module);
  return known == variables_.end() ? std::vector<std::string>{} : known->second;
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

}  // namespace burin::gpu
