#include "toolchain/tools.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/child.h"

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

}  // namespace burin::toolchain
