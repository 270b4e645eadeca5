#include "toolchain/tools.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/child.h"
#include "base/format.h"

namespace burin::toolchain {
namespace {

std::string parent_of(const std::string& path) {
  return path.substr(0, path.find_last_of('/'));
}

// 13.0 of "cuda-13.0", for putting the newest first.
double version_in(const std::string& path) {
  const std::size_t dash = path.find_last_of('-');
  double version = 0;
  std::from_chars(path.data() + dash + 1, path.data() + path.size(), version);
  return version;
}

constexpr const char* kNvrtcNames[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};

std::string nvrtc_in(const std::string& root) {
  std::error_code none;
  for (const char* folder : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/",
                             "/targets/sbsa-linux/lib/", "/lib/x86_64-linux-gnu/"}) {
    for (const char* name : kNvrtcNames) {
      std::string path = root + folder + name;
      if (std::filesystem::is_regular_file(path, none)) return path;
    }
  }
  return "";
}

// Whether the dynamic linker finds a library by its name alone.
bool can_load(const char* name) {
  void* library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return false;
  ::dlclose(library);
  return true;
}

std::vector<std::string> versioned_roots() {
  std::vector<std::string> roots;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/local", none)) {
    if (entry.path().filename().string().starts_with("cuda-")) roots.push_back(entry.path());
  }
  std::ranges::sort(roots, std::greater{}, version_in);
  return roots;
}

}  // namespace

std::vector<std::string> toolkit_roots() {
  std::vector<std::string> roots;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(variable); value != nullptr && *value != 0) {
      roots.emplace_back(value);
    }
  }
  if (const std::string nvcc = find_program("nvcc", {}); !nvcc.empty()) {
    roots.push_back(parent_of(parent_of(nvcc)));
  }
  roots.emplace_back("/usr/local/cuda");
  for (std::string& root : versioned_roots()) roots.push_back(std::move(root));
  return roots;
}

Result<std::string> find_tool(const std::string& name) {
  std::vector<std::string> folders;
  for (const std::string& root : toolkit_roots()) folders.push_back(root + "/bin");
  std::string path = find_program(name, folders);
  if (!path.empty()) return path;
  return Error{name +
               " not found in $CUDA_HOME/bin, PATH or /usr/local/cuda*/bin; install the CUDA "
               "toolkit, set CUDA_HOME, or pass a precompiled cubin"};
}

Result<std::string> find_nvrtc() {
  if (const Result<std::string> nvcc = find_tool("nvcc")) {
    std::string path = nvrtc_in(parent_of(parent_of(*nvcc)));
    if (!path.empty()) return path;
    return Error{
        fmt::format("libnvrtc.so not found beside {}; install the toolkit's NVRTC, or set "
                    "CUDA_HOME to a toolkit that has it",
                    *nvcc)};
  }
  for (const std::string& root : toolkit_roots()) {
    if (std::string path = nvrtc_in(root); !path.empty()) return path;
  }
  for (const char* name : kNvrtcNames) {
    if (can_load(name)) return std::string(name);
  }
  return Error{
      "libnvrtc.so not found in $CUDA_HOME, /usr/local/cuda* or by the dynamic linker; install the "
      "CUDA toolkit or set CUDA_HOME"};
}

std::vector<std::string> toolkit_headers(const std::string& path) {
  std::vector<std::string> folders;
  std::error_code none;
  // A library may be in lib64/ or in targets/x86_64-linux/lib/: the include folder is in one of its
  // parents.
  for (std::filesystem::path at = std::filesystem::path(path).parent_path(); at.has_relative_path();
       at = at.parent_path()) {
    const std::filesystem::path include = at / "include";
    if (!std::filesystem::is_regular_file(include / "cuda_runtime.h", none)) continue;
    folders.push_back(include);
    if (std::filesystem::is_directory(include / "cccl", none)) folders.push_back(include / "cccl");
    break;
  }
  return folders;
}

}  // namespace burin::toolchain
