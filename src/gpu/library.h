// Shared libraries opened at run time, so that one burin works with and without them.
//
//   Library cuda = Library::open({"libcuda.so.1"});
//   if (!cuda) …
//   auto* init = cuda.symbol<int(unsigned)>("cuInit");   // null where it has none
#pragma once

#include <string>
#include <vector>

namespace burin::gpu {

// A library stays open until the process ends: drivers do not like to be unloaded.
class Library {
 public:
  // The first of `names` that opens.
  static Library open(const std::vector<std::string>& names);

  explicit operator bool() const { return handle_ != nullptr; }

  template <typename Function>
  Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(address(name));
  }

  // Where the file lies that holds the symbol; "" where there is none.
  std::string path_of(const char* symbol) const;

 private:
  void* address(const char* name) const;

  void* handle_ = nullptr;
};

// The functions of a library, put into pointers of their types:
//
//   Entries entry(library);
//   entry("cuInit", init);                        // needed
//   entry.optional("cuFuncGetName", function_name);
//   if (!entry.missing().empty()) …               // the first that is needed and not there
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

// The names under which to look for NVIDIA's libraries. A variable of the environment names another
// file instead, or none with the word `none`:
//
//   BURIN_LIBCUDA    the driver, libcuda.so.1
//   BURIN_LIBCUPTI   libcupti of a CUDA toolkit, by its name alone and then in `folders`
//   BURIN_LIBNVML    the driver's management library, libnvidia-ml.so.1
std::vector<std::string> cuda_names();
std::vector<std::string> cupti_names(const std::vector<std::string>& folders);
std::vector<std::string> nvml_names();

// "libcupti.so.13", "libcupti.so.12", "libcupti.so" by name alone, then inside every folder.
std::vector<std::string> versioned_names(const std::string& name,
                                         const std::vector<std::string>& folders);

// The folders of a toolkit's libraries, CUPTI's own among them.
std::vector<std::string> toolkit_library_folders(const std::vector<std::string>& roots);

}  // namespace burin::gpu
