// Checks and times the versions of one kernel:  harness JOB LAUNCHES SECONDS
// The GPU and what its driver supports:         harness --device
//
// Generates the inputs and the expected outputs on the CPU, then starts a process for each version,
// so that a fault in one does not harm the next. Prints one JSON object per version:
//
//   {"version": "naive", "status": "ok", "error": 1.2e-07, "differing": 0, "clock_mhz": 1980,
//   "times_us": [812.1, …]}
//   {"version": "step1", "status": "wrong", "reason": "output 2: 3 % of the elements differ, by up
//   to 0.7"}
//   {"version": "step2", "status": "failed", "reason": "cuLaunchKernel: invalid argument"}
//
// A launch is timed with two events. A short kernel that waits runs before the first one, so
// launch, events and all are queued when the GPU gets there and the time does not include the
// host's. L2 is not flushed.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "compare.h"
#include "fill.h"
#include "job.h"

using paths::Argument;
using paths::Job;
using paths::Output;
using paths::Version;

namespace {

using Launch = void (*)(void** arguments, cudaStream_t stream);
using Memory = std::unique_ptr<char[]>;

constexpr int kWarmUps = 5;
constexpr long long kDelayCycles = 60'000;     // about 30 µs
constexpr long long kClockCycles = 2'000'000;  // about 1 ms

// Waits, and returns how long it took in cycles and nanoseconds.
__global__ void wait(long long cycles, long long* taken) {
  const long long start = clock64();
  unsigned long long begin, end;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  while (clock64() - start < cycles) {
  }
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
  if (taken != nullptr) {
    taken[0] = clock64() - start;
    taken[1] = static_cast<long long>(end - begin);
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= ' ') result += c;
  }
  return result + '"';
}

[[noreturn]] void end_with(const Version& version, const char* status, const std::string& reason) {
  std::printf("{\"version\": %s, \"status\": \"%s\", \"reason\": %s}\n",
              quoted(version.name).c_str(), status, quoted(reason).c_str());
  std::fflush(stdout);
  _exit(0);
}

void check(cudaError_t status, const char* call, const Version& version) {
  if (status != cudaSuccess)
    end_with(version, "failed", std::string(call) + ": " + cudaGetErrorString(status));
}

void check(CUresult status, const char* call, const Version& version) {
  if (status == CUDA_SUCCESS) return;
  const char* words = nullptr;
  cuGetErrorString(status, &words);
  end_with(version, "failed", std::string(call) + ": " + (words ? words : "unknown error"));
}

struct Inputs {
  std::vector<Memory> buffers;   // per argument; null for scalars
  std::vector<Memory> expected;  // per output
};

Inputs prepare(const Job& job) {
  Inputs inputs;
  for (const Argument& argument : job.arguments) {
    Memory& memory = inputs.buffers.emplace_back();
    if (!argument.is_buffer) continue;
    memory.reset(new char[argument.bytes]);
    if (!paths::fill(memory.get(), argument.bytes, argument.fill, argument.fill_n, argument.seed)) {
      std::fprintf(stderr, "fill '%s' is not supported here\n", argument.fill.c_str());
      std::exit(3);
    }
  }
  void* library = dlopen(job.expected.c_str(), RTLD_NOW);
  const auto expected =
      library ? reinterpret_cast<void (*)(void**)>(dlsym(library, "expected")) : nullptr;
  if (expected == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(3);
  }
  std::vector<uint64_t> values;
  for (size_t i = 0; i < job.arguments.size(); ++i) {
    const Argument& argument = job.arguments[i];
    values.push_back(argument.is_buffer ? reinterpret_cast<uint64_t>(inputs.buffers[i].get())
                                        : argument.value);
  }
  for (const Output& output : job.outputs) {
    const size_t bytes = job.arguments[output.argument].bytes;
    Memory& copy = inputs.expected.emplace_back(new char[bytes]);
    std::memcpy(copy.get(), inputs.buffers[output.argument].get(), bytes);
    values[output.argument] = reinterpret_cast<uint64_t>(copy.get());
  }
  std::vector<void*> pointers;
  for (uint64_t& value : values) pointers.push_back(&value);
  expected(pointers.data());
  return inputs;
}

class Runner {
 public:
  Runner(const Job& job, const Inputs& inputs, const Version& version)
      : job_(job), inputs_(inputs), version_(version) {
    check(cudaFree(nullptr), "cudaFree", version);  // creates the context
    check(cudaStreamCreate(&stream_), "cudaStreamCreate", version);
    for (const Argument& argument : job.arguments) {
      values_.push_back(argument.value);
      if (!argument.is_buffer) continue;
      void* memory = nullptr;
      check(cudaMalloc(&memory, argument.bytes), "cudaMalloc", version);
      values_.back() = reinterpret_cast<uint64_t>(memory);
    }
    for (uint64_t& value : values_) pointers_.push_back(&value);
    version.kernel.empty() ? load_library() : load_cubin();
    reset();
  }

  // Fresh contents for every buffer.
  void reset() {
    for (size_t i = 0; i < job_.arguments.size(); ++i) {
      if (!job_.arguments[i].is_buffer) continue;
      check(cudaMemcpy(reinterpret_cast<void*>(values_[i]), inputs_.buffers[i].get(),
                       job_.arguments[i].bytes, cudaMemcpyHostToDevice),
            "cudaMemcpy", version_);
    }
  }

  void launch() {
    if (launch_ != nullptr) {
      launch_(pointers_.data(), stream_);
      check(cudaPeekAtLastError(), "launch", version_);
      return;
    }
    const unsigned *grid = version_.grid, *block = version_.block;
    check(cuLaunchKernel(function_, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                         version_.shared_bytes, stream_, pointers_.data(), nullptr),
          "cuLaunchKernel", version_);
  }

  void wait_for_end() { check(cudaStreamSynchronize(stream_), "running the kernel", version_); }

  // The largest difference among the outputs, and the largest share that differs; ends the process
  // if one is wrong.
  paths::Difference verify() {
    paths::Difference worst;
    for (size_t i = 0; i < job_.outputs.size(); ++i) {
      const Output& output = job_.outputs[i];
      const size_t bytes = job_.arguments[output.argument].bytes;
      Memory got(new char[bytes]);
      check(cudaMemcpy(got.get(), reinterpret_cast<void*>(values_[output.argument]), bytes,
                       cudaMemcpyDeviceToHost),
            "cudaMemcpy", version_);
      paths::Difference found;
      if (!paths::compare(output.type, got.get(), inputs_.expected[i].get(), bytes,
                          output.tolerance, found)) {
        end_with(version_, "failed", "outputs of type " + output.type + " are not supported here");
      }
      if (found.share > output.may_differ) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "output %zu: %.3g %% of the elements differ, by up to %.3g", output.argument,
                      100 * found.share, found.largest);
        end_with(version_, "wrong", text);
      }
      worst.largest = std::max(worst.largest, found.largest);
      worst.share = std::max(worst.share, found.share);
    }
    return worst;
  }

  float time_us() {
    if (begin_ == nullptr) {
      check(cudaEventCreate(&begin_), "cudaEventCreate", version_);
      check(cudaEventCreate(&end_), "cudaEventCreate", version_);
    }
    wait<<<1, 1, 0, stream_>>>(kDelayCycles, nullptr);
    check(cudaEventRecord(begin_, stream_), "cudaEventRecord", version_);
    launch();
    check(cudaEventRecord(end_, stream_), "cudaEventRecord", version_);
    wait_for_end();
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime", version_);
    return 1000 * milliseconds;
  }

  // The clock of the SM that ran a millisecond of nothing, directly after the last launch.
  double clock_mhz() {
    long long *taken = nullptr, result[2] = {};
    check(cudaMalloc(&taken, sizeof result), "cudaMalloc", version_);
    launch();
    wait<<<1, 1, 0, stream_>>>(kClockCycles, taken);
    wait_for_end();
    check(cudaMemcpy(result, taken, sizeof result, cudaMemcpyDeviceToHost), "cudaMemcpy", version_);
    return 1000.0 * result[0] / result[1];
  }

 private:
  void load_library() {
    void* library = dlopen(version_.file.c_str(), RTLD_NOW);
    if (library == nullptr) end_with(version_, "failed", dlerror());
    launch_ = reinterpret_cast<Launch>(dlsym(library, "launch"));
    if (launch_ == nullptr) end_with(version_, "failed", "there is no function 'launch'");
  }

  void load_cubin() {
    CUmodule module;
    check(cuModuleLoad(&module, version_.file.c_str()), "cuModuleLoad", version_);
    check(cuModuleGetFunction(&function_, module, version_.kernel.c_str()), "cuModuleGetFunction",
          version_);
    size_t parameters = 0, offset = 0, size = 0;
    while (cuFuncGetParamInfo(function_, parameters, &offset, &size) == CUDA_SUCCESS) ++parameters;
    if (parameters != job_.arguments.size()) {
      end_with(version_, "failed",
               "the kernel has " + std::to_string(parameters) + " parameters, the case " +
                   std::to_string(job_.arguments.size()) + " arguments");
    }
    if (version_.shared_bytes > 48 * 1024) {
      check(cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               static_cast<int>(version_.shared_bytes)),
            "cuFuncSetAttribute", version_);
    }
  }

  const Job& job_;
  const Inputs& inputs_;
  const Version& version_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  std::vector<uint64_t> values_;
  std::vector<void*> pointers_;
  CUfunction function_ = nullptr;
  Launch launch_ = nullptr;
};

[[noreturn]] void run_version(const Job& job, const Inputs& inputs, const Version& version,
                              int launches) {
  Runner runner(job, inputs, version);
  runner.launch();
  runner.wait_for_end();
  const paths::Difference difference = runner.verify();
  runner.reset();
  for (int i = 0; i < kWarmUps; ++i) runner.time_us();
  std::string times;
  for (int i = 0; i < launches; ++i) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%.2f", i == 0 ? "" : ", ", runner.time_us());
    times += text;
  }
  std::printf(
      "{\"version\": %s, \"status\": \"ok\", \"error\": %.3g, \"differing\": %.3g, \"clock_mhz\": "
      "%.0f, "
      "\"times_us\": [%s]}\n",
      quoted(version.name).c_str(), std::isinf(difference.largest) ? 1e300 : difference.largest,
      difference.share, runner.clock_mhz(), times.c_str());
  std::fflush(stdout);
  _exit(0);
}

// Waits for the child; says so if it hung or crashed.
void await(pid_t child, const Version& version, double seconds) {
  int status = 0;
  for (double waited = 0; waitpid(child, &status, WNOHANG) == 0; waited += 0.005) {
    usleep(5000);
    if (waited > seconds) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      std::printf(
          "{\"version\": %s, \"status\": \"failed\", \"reason\": \"did not end in %.0f "
          "seconds\"}\n",
          quoted(version.name).c_str(), seconds);
      return;
    }
  }
  if (WIFSIGNALED(status)) {
    std::printf(
        "{\"version\": %s, \"status\": \"failed\", \"reason\": \"crashed with signal %d\"}\n",
        quoted(version.name).c_str(), WTERMSIG(status));
  }
}

int print_device() {
  cudaDeviceProp properties;
  int driver = 0, clock_khz = 0;
  const cudaError_t status = cudaGetDeviceProperties(&properties, 0);
  if (status != cudaSuccess) {
    std::fprintf(stderr, "no GPU: %s\n", cudaGetErrorString(status));
    return 4;
  }
  cudaDriverGetVersion(&driver);
  cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0);
  std::printf("{\"gpu\": %s, \"driver_api\": \"%d.%d\", \"max_clock_mhz\": %d}\n",
              quoted(properties.name).c_str(), driver / 1000, driver % 1000 / 10, clock_khz / 1000);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "--device") == 0) return print_device();
  if (count != 4) {
    std::fprintf(stderr, "harness JOB LAUNCHES SECONDS, or harness --device\n");
    return 2;
  }
  Job job;
  const std::string problem = paths::read_job(words[1], job);
  if (!problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 3;
  }
  const Inputs inputs = prepare(job);
  for (const Version& version : job.versions) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) run_version(job, inputs, version, std::atoi(words[2]));
    await(child, version, std::atof(words[3]));
    std::fflush(stdout);
  }
  return 0;
}
