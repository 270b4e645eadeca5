// Shared libraries opened at run time, so that the same burin works with and without them.
//
//   Library cuda = Library::open({"libcuda.so.1"});
//   if (!cuda) …
//   auto* init = cuda.symbol<int(unsigned)>("cuInit");   // null if there is no such symbol
#pragma once

#include <string>
#include <vector>

namespace burin::gpu {

// A library stays open until the process ends, because drivers do not support being unloaded well.
class Library {
 public:
  // Opens the first of `names` that can be opened.
  static Library open(const std::vector<std::string>& names);

  explicit operator bool() const { return handle_ != nullptr; }

  template <typename Function>
  Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

  // The path of the file that contains the symbol; "" if there is none.
  std::string path_of(const char* symbol) const;

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
};

// Loads functions of a library into typed function pointers:
//
//   Entries entry(library);
//   entry("cuInit", init);                        // required
//   entry.optional("cuFuncGetName", function_name);
//   if (!entry.missing().empty()) …               // the first required function that is missing
class Entries {
 public:
  explicit Entries(const Library& library) : library_(library) {}

  template <typename Function>
  void optional(const char* name, Function*& into) const {
    into = library_.symbol<Function>(name);
  }
  template <typename Function>
  void operator()(const char* name, Function*& into) {
    optional(name, into);
    if (into == nullptr && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  const Library& library_;
  std::string missing_;
};

// The file names under which to search for libraries of drivers. An environment variable overrides
// the file name; the value `none` disables the library:
//
//   BURIN_LIBCUDA    the driver, libcuda.so.1
//   BURIN_LIBCUPTI   libcupti of a CUDA toolkit, by its bare name and then in `folders`
//   BURIN_LIBNVML    the driver's management library, libnvidia-ml.so.1
//   BURIN_LIBOPENCL  OpenCL, libOpenCL.so.1
std::vector<std::string> cuda_names();
std::vector<std::string> cupti_names(const std::vector<std::string>& folders);
std::vector<std::string> nvml_names();
std::vector<std::string> opencl_names();

// File names to try: "libcupti.so.13", "libcupti.so.12", "libcupti.so" by bare name, then in every
// folder.
std::vector<std::string> versioned_names(const std::string& name,
                                         const std::vector<std::string>& folders);

// The library folders of the toolkits, including CUPTI's folder.
std::vector<std::string> toolkit_library_folders(const std::vector<std::string>& roots);

}  // namespace burin::gpu
