#include "gpu/library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <optional>

namespace burin::gpu {
namespace {

std::optional<std::string> chosen(const char* variable) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == 0) return std::nullopt;
  return value;
}

std::vector<std::string> names_or(const char* variable, std::vector<std::string> names) {
  const std::optional<std::string> other = chosen(variable);
  if (!other) return names;
  if (*other == "none") return {};
  return {*other};
}

}  // namespace

Library Library::open(const std::vector<std::string>& names) {
  Library library;
  for (const std::string& name : names) {
    library.handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) break;
  }
  return library;
}

void* Library::address(const char* name) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

std::string Library::path_of(const char* symbol) const {
  Dl_info info{};
  void* at = address(symbol);
  return at != nullptr && ::dladdr(at, &info) != 0 ? info.dli_fname : "";
}

std::vector<std::string> cuda_names() {
  return names_or("BURIN_LIBCUDA", {"libcuda.so.1"});
}

std::vector<std::string> cupti_names(const std::vector<std::string>& folders) {
  return names_or("BURIN_LIBCUPTI", versioned_names("libcupti", folders));
}

std::vector<std::string> nvml_names() {
  return names_or("BURIN_LIBNVML", {"libnvidia-ml.so.1"});
}

std::vector<std::string> opencl_names() {
  return names_or("BURIN_LIBOPENCL", {"libOpenCL.so.1"});
}

std::vector<std::string> versioned_names(const std::string& name,
                                         const std::vector<std::string>& folders) {
  const std::vector<std::string> forms = {name + ".so.13", name + ".so.12", name + ".so"};
  std::vector<std::string> names = forms;
  for (const std::string& folder : folders) {
    for (const std::string& form : forms) names.push_back(folder + "/" + form);
  }
  return names;
}

std::vector<std::string> toolkit_library_folders(const std::vector<std::string>& roots) {
  std::vector<std::string> folders;
  for (const char* inside : {"/extras/CUPTI/lib64", "/lib64"}) {
    for (const std::string& root : roots) folders.push_back(root + inside);
  }
  return folders;
}

}  // namespace burin::gpu
