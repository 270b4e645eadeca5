// What the fake driver and the fake CUPTI know of each other.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/record/driver/cupti_types.h"
#include "gpu/record/driver/driver.h"

namespace burin::gpu::fake {

// Whether BURIN_FAKE, a list of words, has this one.
bool told(const char* word);

// Two GPUs, each with a context of its own.
struct Context {
  std::uint32_t id;
  std::uint32_t device;
};
inline Context contexts[] = {{1, 0}, {2, 1}};
inline thread_local Context* current = &contexts[0];

struct Function {
  std::string name;
  void* module = nullptr;
};

struct Node {
  CudaKernelNode kernel{};
  std::uint32_t cluster[3] = {};
};

// A call of the driver's as CUPTI tells it: on entry when made, on exit when `end` is called.
class Told {
 public:
  Told(std::uint32_t function, const void* parameters, const char* symbol = nullptr);
  void end(CudaStatus result);
  std::uint32_t correlation() const { return data_.correlation; }

 private:
  std::uint32_t function_;
  CuptiCallbackData data_{};
  int result_ = 0;
};

void tell_resource(std::uint32_t event, const void* descriptor);
void tell_kernel(const Function& function, const std::uint32_t* grid, const std::uint32_t* block,
                 std::uint32_t correlation, std::uint64_t graph_node);

}  // namespace burin::gpu::fake
