// A program that finds the driver as NVIDIA's static CUDA runtime does: dlopen(), dlsym() for
// cuGetProcAddress_v2, and that for the rest. It runs the scenarios named on its command line and
// prints one line for each: its name, and ok if the results are right.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

struct Attribute {
  unsigned id;
  unsigned padding;
  unsigned value[16];
};

struct Config {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void* stream;
  Attribute* attributes;
  unsigned count;
};

using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void*, void**, void**);

void* library = nullptr;
int (*get_address)(const char*, void**, int, std::uint64_t, int*) = nullptr;

template <typename Function>
Function entry(const char* name, std::uint64_t flags = 0) {
  void* function = nullptr;
  get_address(name, &function, 13000, flags, nullptr);
  return reinterpret_cast<Function>(function);
}

struct Data {
  explicit Data(int count) : n(count), x(static_cast<std::size_t>(n), 1), y(x.size(), 0) {}

  void** arguments() {
    pointers[0] = &n;
    pointers[1] = &a;
    pointers[2] = &x_at;
    pointers[3] = &y_at;
    return pointers;
  }
  bool is(float value) const {
    for (const float element : y) {
      if (element != value) return false;
    }
    return true;
  }

  int n;
  float a = 2;
  std::vector<float> x, y;
  float* x_at = x.data();
  float* y_at = y.data();
  void* pointers[4];
};

void* saxpy() {
  static void* const function = [] {
    void* module = nullptr;
    void* found = nullptr;
    entry<int (*)(void**, const void*)>("cuModuleLoadData")(&module, "image");
    entry<int (*)(void**, void*, const char*)>("cuModuleGetFunction")(&found, module,
                                                                      "_Z5saxpyifPKfPf");
    return found;
  }();
  return function;
}

int launch(Data& data, void* function = saxpy(), void* stream = nullptr, std::uint64_t flags = 0) {
  const auto blocks = static_cast<unsigned>((data.n + 255) / 256);
  return entry<Launch>("cuLaunchKernel", flags)(function, blocks, 1, 1, 256, 1, 1, 0, stream,
                                                data.arguments(), nullptr);
}

bool plain() {
  Data small(1000);
  Data large(100000);
  return launch(small) == 0 && launch(large) == 0 && launch(small) == 0 && small.is(4) &&
         large.is(2);
}

bool by_dlsym() {
  Data data(1000);
  auto* function = reinterpret_cast<Launch>(dlsym(library, "cuLaunchKernel"));
  return function(saxpy(), 4, 1, 1, 256, 1, 1, 0, nullptr, data.arguments(), nullptr) == 0 &&
         data.is(2);
}

bool kernel_handle() {
  void* loaded = nullptr;
  void* kernel = nullptr;
  entry<int (*)(void**, const void*, void*, void**, unsigned, void*, void**, unsigned)>(
      "cuLibraryLoadData")(&loaded, "image", nullptr, nullptr, 0, nullptr, nullptr, 0);
  entry<int (*)(void**, void*, const char*)>("cuLibraryGetKernel")(&kernel, loaded,
                                                                   "_Z5saxpyifPKfPf");
  Data data(1000);
  return launch(data, kernel) == 0 && data.is(2);
}

bool buffer() {
  Data data(1000);
  char bytes[24];
  std::memcpy(bytes, &data.n, 4);
  std::memcpy(bytes + 4, &data.a, 4);
  std::memcpy(bytes + 8, &data.x_at, 8);
  std::memcpy(bytes + 16, &data.y_at, 8);
  std::size_t size = sizeof bytes;
  void* extra[] = {reinterpret_cast<void*>(1), bytes, reinterpret_cast<void*>(2), &size, nullptr};
  return entry<Launch>("cuLaunchKernel")(saxpy(), 4, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra) ==
             0 &&
         data.is(2);
}

bool ex(unsigned attribute, std::uint64_t flags = 0) {
  Data data(1000);
  Attribute attributes[] = {{attribute, 0, {1, 1, 1}}};
  const Config config = {{4, 1, 1}, {256, 1, 1}, 0, nullptr, attributes, 1};
  return entry<int (*)(const Config*, void*, void**, void**)>("cuLaunchKernelEx", flags)(
             &config, saxpy(), data.arguments(), nullptr) == 0 &&
         data.is(2);
}

bool cooperative() {
  Data data(1000);
  using Cooperative = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                              unsigned, void*, void**);
  return entry<Cooperative>("cuLaunchCooperativeKernel")(saxpy(), 4, 1, 1, 256, 1, 1, 0, nullptr,
                                                         data.arguments()) == 0 &&
         data.is(2);
}

bool captured() {
  Data data(1000);
  void* const stream = reinterpret_cast<void*>(0x10);
  entry<int (*)(void*, int)>("cuStreamBeginCapture")(stream, 0);
  const int status = launch(data, saxpy(), stream);
  void* graph = nullptr;
  entry<int (*)(void*, void**)>("cuStreamEndCapture")(stream, &graph);
  return status == 0 && launch(data, saxpy(), stream) == 0 && data.is(4);
}

// The program launches fewer threads than elements on purpose.
bool part() {
  Data data(1000);
  const int status = entry<Launch>("cuLaunchKernel")(saxpy(), 2, 1, 1, 256, 1, 1, 0, nullptr,
                                                     data.arguments(), nullptr);
  float sum = 0;
  for (const float element : data.y) sum += element;
  return status == 0 && sum == 2 * 512;
}

// A launch that CUDA refuses: the program sees the error.
bool refused() {
  Data data(1000);
  return entry<Launch>("cuLaunchKernel")(saxpy(), 1, 1, 1, 2048, 1, 1, 0, nullptr, data.arguments(),
                                         nullptr) == 701 &&
         entry<Launch>("cuLaunchKernel")(saxpy(), 0, 1, 1, 256, 1, 1, 0, nullptr, data.arguments(),
                                         nullptr) == 1 &&
         data.is(0);
}

// The handle of an unloaded module's kernel comes back for another kernel.
bool reloaded() {
  auto* load = entry<int (*)(void**, const void*)>("cuModuleLoadData");
  auto* get = entry<int (*)(void**, void*, const char*)>("cuModuleGetFunction");
  auto* unload = entry<int (*)(void*)>("cuModuleUnload");
  void* module = nullptr;
  void* first = nullptr;
  load(&module, "image");
  get(&first, module, "_Z5saxpyifPKfPf");
  Data data(1000);
  if (launch(data, first) != 0) return false;
  unload(module);
  void* second = nullptr;
  load(&module, "image");
  get(&second, module, "_Z5otherifPKfPf");
  return first == second && launch(data, second) == 0 && data.is(4);
}

// A module whose image is a cubin with saxpy's code, "the code of saxpy".
bool image() {
  const std::string names = std::string("\0.text._Z5saxpyifPKfPf\0.shstrtab\0", 34);
  const std::string code = "the code of saxpy";
  std::vector<char> elf(64 + 3 * 64 + names.size() + code.size());
  const auto put = [&](std::size_t at, auto value) { std::memcpy(&elf[at], &value, sizeof value); };
  const std::size_t names_at = 64 + 3 * 64;
  const std::size_t code_at = names_at + names.size();
  std::memcpy(elf.data(), "\177ELF\2", 5);
  put(40, std::uint64_t{64});  // section headers
  put(58, std::uint16_t{64});
  put(60, std::uint16_t{3});
  put(62, std::uint16_t{2});  // names
  put(128, std::uint32_t{1});
  put(128 + 24, std::uint64_t{code_at});
  put(128 + 32, std::uint64_t{code.size()});
  put(192, std::uint32_t{23});
  put(192 + 24, std::uint64_t{names_at});
  put(192 + 32, std::uint64_t{names.size()});
  std::memcpy(&elf[names_at], names.data(), names.size());
  std::memcpy(&elf[code_at], code.data(), code.size());
  void* module = nullptr;
  void* function = nullptr;
  entry<int (*)(void**, const void*)>("cuModuleLoadData")(&module, elf.data());
  entry<int (*)(void**, void*, const char*)>("cuModuleGetFunction")(&function, module,
                                                                    "_Z5saxpyifPKfPf");
  Data data(1000);
  return launch(data, function) == 0 && data.is(2);
}

bool many_threads() {
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  saxpy();
  for (std::size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([&right, t] {
      for (int i = 0; i < 200; ++i) {
        Data data(100 + 37 * (i % 50));
        right[t] += launch(data) == 0 && data.is(2) ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int count : right) {
    if (count != 200) return false;
  }
  return true;
}

// The function that launches is not the driver's own.
bool hooked() {
  Dl_info info;
  return dladdr(entry<void*>("cuLaunchKernel"), &info) != 0 &&
         std::strstr(info.dli_fname, "libburin_launch") != nullptr;
}

// RTLD_NEXT means the library after the caller's, which for a program is the preloaded one.
bool next() {
  Dl_info info;
  void* const found = dlsym(RTLD_NEXT, "cuLaunchKernel");
  return found != nullptr && dladdr(found, &info) != 0 &&
         std::strstr(info.dli_fname, "libburin_launch") != nullptr;
}

bool repeated() {
  Data data(100000);
  for (int i = 0; i < 100; ++i) {
    if (launch(data) != 0) return false;
  }
  return data.is(200);
}

const std::map<std::string, std::function<bool()>> kScenarios = {
    {"plain", plain},
    {"dlsym", by_dlsym},
    {"per_thread",
     [] {
       Data data(1000);
       return launch(data, saxpy(), nullptr, 2) == 0 && data.is(2);
     }},
    {"kernel", kernel_handle},
    {"buffer", buffer},
    {"priority", [] { return ex(8); }},
    {"ex_per_thread", [] { return ex(8, 2); }},
    {"cluster", [] { return ex(4); }},
    {"cooperative", cooperative},
    {"captured", captured},
    {"part", part},
    {"refused", refused},
    {"reloaded", reloaded},
    {"image", image},
    {"hooked", hooked},
    {"next", next},
    {"threads", many_threads},
    {"repeated", repeated},
};

}  // namespace

int main(int count, char** arguments) {
  library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return 2;
  get_address = reinterpret_cast<decltype(get_address)>(dlsym(library, "cuGetProcAddress_v2"));
  // dlsym() as everybody else uses it.
  if (dlsym(RTLD_NEXT, "no_such_function") != nullptr || dlsym(RTLD_DEFAULT, "malloc") == nullptr) {
    return 2;
  }
  for (int i = 1; i < count; ++i) {
    const auto found = kScenarios.find(arguments[i]);
    if (found == kScenarios.end()) return 2;
    std::printf("%s %s\n", arguments[i], found->second() ? "ok" : "WRONG");
  }
  return 0;
}
