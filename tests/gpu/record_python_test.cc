// Launches out of Python: do they name the lines of the program?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "gpu/recorded_run.h"

namespace burin::gpu {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;

// A library that was built for a sanitizer cannot be loaded into a Python that was not.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// With the fake driver in place of PyTorch; ctypes gives up the interpreter's lock as it does.
constexpr const char* kProgram = R"(import ctypes, struct, sys, threading
cuda = ctypes.CDLL(sys.argv[1])
image = open(sys.argv[2], "rb").read()
buffer = ctypes.create_string_buffer(struct.pack("Q", len(image)) + image)
context, module, function, pointer = (ctypes.c_void_p() for _ in range(4))
cuda.cuInit(0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0)
cuda.cuModuleLoadData(ctypes.byref(module), ctypes.byref(buffer, 8))
cuda.cuModuleGetFunction(ctypes.byref(function), module, b"vector_add")
values = [ctypes.c_uint64(0) for _ in range(4)]
parameters = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
def launch():
    cuda.cuLaunchKernel(function, 2, 1, 1, 128, 1, 1, 0, None, parameters, None)
class Model:
    def step(self):
        launch()
        launch()
list(map(Model.step, [Model()]))
worker = threading.Thread(target=launch)
worker.start()
worker.join()
)";

class RecordPythonTest : public RecordTest {
 protected:
  void SetUp() override {
    RecordTest::SetUp();
    if (kSanitized) GTEST_SKIP() << "built with a sanitizer, which Python is not";
    python_ = find_program("python3", {});
    if (python_.empty()) GTEST_SKIP() << "python3 is not installed";
    const Answer version = run_program(
        python_, {"-c", "import sys; print((3, 11) <= sys.version_info < (3, 14))"}, 60);
    if (!version.text.starts_with("True")) GTEST_SKIP() << "this python3 is not 3.11 to 3.13";
    script_ = folder_->path() + "/train.py";
    std::ofstream(script_) << kProgram;
  }
  std::string python_, script_;
};

TEST_F(RecordPythonTest, LaunchesNameTheLinesThatLedToThem) {
  const Spool spool = record_program(python_, {script_, BURIN_FAKE_CUPTI, cubin_});
  const auto launches = spool.all<capture::SpoolLaunch>();
  ASSERT_THAT(launches, SizeIs(3));
  const auto stack_of = [&](const capture::SpoolLaunch& launch) {
    for (const capture::SpoolStack& stack : spool.all<capture::SpoolStack>()) {
      if (stack.stack == launch.stack) return stack.frames;
    }
    return std::vector<capture::SpoolFrame>{};
  };
  const auto at = [&](const char* symbol, int line) {
    return testing::AllOf(
        Field(&capture::SpoolFrame::symbol, symbol),
        Field(&capture::SpoolFrame::object, script_ + ":" + std::to_string(line)));
  };
  const auto outermost = [&](const capture::SpoolLaunch& launch, std::size_t count) {
    std::vector<capture::SpoolFrame> frames = stack_of(launch);
    frames.erase(frames.begin(),
                 frames.end() - std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(count),
                                                         std::ssize(frames)));
    return frames;
  };
  EXPECT_THAT(outermost(launches[0], 3),
              ElementsAre(at("launch", 13), at("Model.step", 16), at("<module>", 18)));
  EXPECT_THAT(outermost(launches[1], 3),
              ElementsAre(at("launch", 13), at("Model.step", 17), at("<module>", 18)));
  EXPECT_THAT(stack_of(launches[2]), testing::Contains(at("launch", 13)));
}

}  // namespace
}  // namespace burin::gpu
