// A CUDA program for the recorder's tests: `program CUBIN WORD…` does what the words say, in order.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "gpu/cuda.h"
#include "gpu/record/driver/driver.h"

using namespace burin::gpu;

extern "C" {
CudaStatus cuInit(unsigned);
CudaStatus cuCtxCreate_v2(CudaHandle*, unsigned, int);
CudaStatus cuModuleLoadData(CudaHandle*, const void*);
CudaStatus cuModuleGetFunction(CudaHandle*, CudaHandle, const char*);
CudaStatus cuMemAlloc_v2(CudaPointer*, std::size_t);
CudaStatus cuLaunchKernel(CudaHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                          unsigned, CudaHandle, void**, void**);
CudaStatus cuTexObjectCreate(std::uint64_t*, const CudaResource*, const CudaTexture*, const void*);
CudaStatus cuLaunchKernelEx(const CudaLaunchConfig*, CudaHandle, void**, void**);
CudaStatus cuStreamBeginCapture_v2(CudaHandle, int);
CudaStatus cuStreamEndCapture(CudaHandle, CudaHandle*);
CudaStatus cuGraphInstantiateWithFlags(CudaHandle*, CudaHandle, std::uint64_t);
CudaStatus cuGraphLaunch(CudaHandle, CudaHandle);
CudaStatus cuGraphGetNodes(CudaHandle, CudaHandle*, std::size_t*);
CudaStatus cuGraphExecKernelNodeSetParams_v2(CudaHandle, CudaHandle, const CudaKernelNode*);
}

namespace {

constexpr int kElements = 256;

struct Program {
  std::string cubin;  // with its size before it, as the fake driver wants it
  CudaHandle function = nullptr;
  CudaPointer a = 0, b = 0, sum = 0;
  int n = kElements;
  void* parameters[4] = {&a, &b, &sum, &n};

  explicit Program(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    const std::size_t size = bytes.size();
    cubin.assign(reinterpret_cast<const char*>(&size), sizeof size);
    cubin += bytes;
    cuInit(0);
    CudaHandle context = nullptr;
    cuCtxCreate_v2(&context, 0, 0);
    load();
    for (CudaPointer* buffer : {&a, &b, &sum}) cuMemAlloc_v2(buffer, kElements * 4);
    fill();
  }

  void fill() const {
    for (int i = 0; i < kElements; ++i) {
      reinterpret_cast<float*>(a)[i] = static_cast<float>(i);
      reinterpret_cast<float*>(b)[i] = 1;
    }
  }

  // As frameworks do: buffers are parts of one large allocation, here pages of 64 KiB.
  void take_from_pool() {
    constexpr std::size_t kPage = 64 << 10;
    CudaPointer pool = 0;
    cuMemAlloc_v2(&pool, 4 * kPage);
    a = pool;
    b = pool + kPage;
    sum = pool + 2 * kPage;
    fill();
  }

  // `b` as a texture object: of its own memory, or of an array of 100 by 20 floats.
  void read_texture(bool array) {
    CudaResource resource{};
    resource.type = array ? CudaResource::kArray : CudaResource::kLinear;
    if (!array) resource.linear = {b, 0x20 /* float */, 1, kElements * 4};
    CudaTexture texture{};
    if (array) texture.flags = CudaTexture::kNormalized;
    cuTexObjectCreate(&b, &resource, &texture, nullptr);
  }

  void load() {
    CudaHandle module = nullptr;
    cuModuleLoadData(&module, cubin.data() + sizeof(std::size_t));
    cuModuleGetFunction(&function, module, "vector_add");
  }

  [[gnu::noinline]] void launch(unsigned grid = 2) {
    cuLaunchKernel(function, grid, 1, 1, 128, 1, 1, 64, nullptr, parameters, nullptr);
  }

  void launch_ex() {
    CudaLaunchAttribute cluster{
        .id = CudaLaunchAttribute::kClusterDimension, .padding = 0, .value = {2, 1, 1}};
    CudaLaunchConfig config{{4, 1, 1}, {64, 1, 1}, 0, nullptr, &cluster, 1};
    cuLaunchKernelEx(&config, function, parameters, nullptr);
  }

  void graph(bool change) {
    CudaHandle graph = nullptr, ready = nullptr;
    cuStreamBeginCapture_v2(nullptr, 0);
    for (int i = 0; i < 3; ++i) launch();
    cuStreamEndCapture(nullptr, &graph);
    cuGraphInstantiateWithFlags(&ready, graph, 0);
    for (int i = 0; i < 2; ++i) cuGraphLaunch(ready, nullptr);
    if (!change) return;
    CudaHandle captured[3];
    std::size_t count = 3;
    cuGraphGetNodes(graph, captured, &count);
    int fewer = 100;
    void* others[4] = {&a, &b, &sum, &fewer};
    CudaKernelNode changed{};
    changed.function = function;
    changed.parameters = others;
    cuGraphExecKernelNodeSetParams_v2(ready, captured[0], &changed);
    cuGraphLaunch(ready, nullptr);
  }

  void cluster_graph() {
    CudaHandle graph = nullptr, ready = nullptr;
    cuStreamBeginCapture_v2(nullptr, 0);
    launch_ex();
    launch();
    cuStreamEndCapture(nullptr, &graph);
    cuGraphInstantiateWithFlags(&ready, graph, 0);
    cuGraphLaunch(ready, nullptr);
  }

  void threads() {
    std::vector<std::thread> all;
    for (int i = 0; i < 4; ++i) {
      all.emplace_back([this] {
        for (int k = 0; k < 100; ++k) launch();
      });
    }
    for (std::thread& thread : all) thread.join();
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::strcmp(argv[2], "none") == 0) return 0;  // uses no CUDA
  Program program(argv[1]);
  const std::map<std::string, std::function<void()>> words = {
      {"launch", [&] { program.launch(); }},
      {"many",
       [&] {
         for (int i = 0; i < 1000; ++i) program.launch();
       }},
      {"refused", [&] { program.launch(0); }},
      {"pool", [&] { program.take_from_pool(); }},
      {"texture", [&] { program.read_texture(false); }},
      {"texture_array", [&] { program.read_texture(true); }},
      {"ex", [&] { program.launch_ex(); }},
      {"graph", [&] { program.graph(false); }},
      {"changed_graph", [&] { program.graph(true); }},
      {"cluster_graph", [&] { program.cluster_graph(); }},
      {"threads", [&] { program.threads(); }},
      {"late", [&] { program.load(); }},
      {"second_gpu",
       [] {
         CudaHandle context = nullptr;
         cuCtxCreate_v2(&context, 0, 1);
       }},
      {"no_room",
       [] {
         const rlimit files{100'000, 100'000};
         ::setrlimit(RLIMIT_FSIZE, &files);
       }},
      {"fork",
       [] {
         if (const pid_t child = ::fork(); child != 0)
           ::waitpid(child, nullptr, 0);
         else
           std::exit(0);
       }},
      {"second", [] { ::usleep(1200000); }},
      {"killed", [] { ::raise(SIGKILL); }},
      {"seven", [] { std::exit(7); }},
  };
  for (int i = 2; i < argc; ++i) words.at(argv[i])();
  return 0;
}
