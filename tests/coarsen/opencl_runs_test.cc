// The coarsened kernels of corpus/coarsen/opencl/ on an OpenCL device: their outputs are those of
// the original kernels, bit for bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/format.h"
#include "coarsen/opencl/allowed.h"
#include "coarsen/opencl/coarsen_opencl.h"
#include "coarsen/opencl/outline.h"
#include "gpu/opencl/context.h"
#include "gpu/opencl/platforms.h"
#include "gpu/opencl/program.h"
#include "gpu/worker/worker_device.h"
#include "launch/argument.h"
#include "measure/scratch_folder.h"
#include "sanitized.h"

namespace burin::coarsen {
namespace {

using Sizes = std::array<std::uint32_t, 3>;

// A launch of a kernel in its original form. Each list of arguments is one run: those that fill the
// launch, and those that do not.
struct KindLaunch {
  std::string file;
  std::string kernel;
  std::size_t axis;  // along which it is coarsened
  Sizes local_size;
  Sizes groups;
  std::vector<std::vector<std::string>> arguments;
};

constexpr std::string_view kFloating[] = {"black_scholes", "mri_q", "nbody",
                                          "sgemm",         "sobel", "stencil"};

std::string f32(std::size_t count) {
  return fmt::format("buf:{}:f32", 4 * count);
}
std::string blank(std::size_t count) {
  return fmt::format("buf:{}:zero", 4 * count);
}
std::string ints(std::size_t count, std::size_t below) {
  return fmt::format("buf:{}:int:{}", 4 * count, below);
}
std::string i32(std::size_t value) {
  return fmt::format("i32:{}", value);
}

// The launches of the twelve kinds. Three or five work-groups are no multiple of a block factor.
std::vector<KindLaunch> kind_launches(const std::string& sorted_keys) {
  const std::string keys = fmt::format("buf:10240:file:{}", sorted_keys);
  const Sizes line = {256, 1, 1};
  const Sizes five = {5, 1, 1};
  std::vector<KindLaunch> kinds = {
      {"binary_search", "find_segment", 0, line, five, {{keys, blank(4), "u32:3500", "u32:2"}}},
      {"binary_search",
       "find_keys",
       0,
       line,
       five,
       {{keys, ints(1280, 8000), blank(1280), "i32:2560", "i32:1280"},
        {keys, ints(1280, 8000), blank(1280), "i32:2501", "i32:1111"}}},
      {"black_scholes",
       "black_scholes",
       0,
       line,
       five,
       {{blank(2560), blank(2560), f32(2560), f32(2560), f32(2560), "f32:0.02", "f32:0.3",
         "u32:2560"},
        {blank(2560), blank(2560), f32(2560), f32(2560), f32(2560), "f32:0.02", "f32:0.3",
         "u32:2001"}}},
      {"convolution",
       "convolve",
       0,
       line,
       five,
       {{blank(1280), ints(1280, 256), f32(25), "hex:5000000010000000", "hex:0500000005000000"},
        {blank(1280), ints(1280, 256), f32(21), "hex:2f0000001b000000", "hex:0700000003000000"}}},
      {"fast_walsh", "walsh_step", 0, line, five, {{f32(2560), "i32:4"}, {f32(2560), "i32:256"}}},
      {"mri_q",
       "compute_q",
       0,
       line,
       five,
       {{"i32:300", "i32:128", f32(256), f32(1280), f32(1280), f32(1280), f32(1280), f32(1280)},
        {"i32:150", "i32:128", f32(256), f32(1280), f32(1280), f32(1280), f32(1280), f32(1280)}}},
      {"matrix_vector",
       "multiply_rows",
       0,
       line,
       five,
       {{f32(1280 * 16), f32(16), "u32:16", "u32:1280", blank(1280)},
        {f32(1280 * 16), f32(16), "u32:13", "u32:1033", blank(1280)}}},
      {"nbody",
       "nbody_step",
       0,
       line,
       {3, 1, 1},
       {{f32(4 * 768), f32(4 * 768), "i32:768", "f32:0.01", "f32:0.5", blank(4 * 768),
         blank(4 * 768)},
        {f32(4 * 768), f32(4 * 768), "i32:701", "f32:0.01", "f32:0.5", blank(4 * 768),
         blank(4 * 768)}}},
  };
  for (std::size_t axis = 0; axis < 2; ++axis) {
    // 768 work-items along the axis, 24 along the other.
    const std::size_t x = axis == 0 ? 768 : 24;
    const std::size_t y = axis == 0 ? 24 : 768;
    const Sizes local = axis == 0 ? Sizes{256, 8, 1} : Sizes{8, 256, 1};
    const Sizes groups = {3, 3, 1};
    kinds.push_back({"floyd_warshall",
                     "floyd_warshall_pass",
                     axis,
                     local,
                     groups,
                     {{ints(600 * 600, 1000), blank(600 * 600), "u32:600", "u32:17"},
                      {ints(600 * 600, 1000), blank(600 * 600), "u32:555", "u32:554"}}});
    kinds.push_back({"transpose",
                     "transpose_naive",
                     axis,
                     local,
                     groups,
                     {{blank(x * y), f32(x * y), "i32:0", i32(x), i32(y)},
                      {blank(x * y), f32(x * y), "i32:3", i32(x - 5), i32(y - 1)}}});
    kinds.push_back({"sgemm",
                     "sgemm_nt",
                     axis,
                     local,
                     groups,
                     {{f32(x * 9), i32(x), f32(y * 9), i32(y), f32(x * y), i32(x), "i32:9",
                       "f32:1.5", "f32:0.25"}}});
    kinds.push_back({"sobel",
                     "sobel",
                     axis,
                     local,
                     groups,
                     {{fmt::format("buf:{}:u8", 4 * x * y), blank(x * y)}}});
    kinds.push_back({"stencil",
                     "stencil7",
                     axis,
                     local,
                     {3, 3, 3},
                     {{"f32:0.5", "f32:0.1", f32((x + 2) * (y + 2) * 5),
                       blank((x + 2) * (y + 2) * 5), i32(x + 2), i32(y + 2), "i32:5"},
                      {"f32:0.5", "f32:0.1", f32((x + 2) * (y + 2) * 5),
                       blank((x + 2) * (y + 2) * 5), i32(x - 7), i32(y - 3), "i32:4"}}});
  }
  kinds.push_back({"stencil",
                   "stencil7",
                   2,
                   {2, 1, 256},
                   {3, 2, 3},
                   {{"f32:0.5", "f32:0.1", f32(6 * 4 * 770), blank(6 * 4 * 770), "i32:6", "i32:4",
                     "i32:701"}}});
  return kinds;
}

// The text with a number in every name that it defines, so that several fit into one program. PoCL
// takes longer for the program than for a kernel.
std::string numbered(const std::string& text, const OpenclOutline& outline, std::size_t number) {
  std::string result;
  std::size_t copied = 0;
  const auto copy_word = [&](const OpenclToken& token) {
    if (!token.is_word()) return;
    const bool ours = token.text.starts_with("burin");
    if (!ours && !outline.names.contains(token.text)) return;
    result += text.substr(copied, token.end - copied) + fmt::format("_{}", number);
    copied = token.end;
  };
  OpenclScan scan = scan_opencl(text);
  std::vector<OpenclToken> tokens = std::move(scan.tokens);
  for (OpenclDirective& directive : scan.directives) {
    std::ranges::move(directive.tokens, std::back_inserter(tokens));
  }
  std::ranges::sort(tokens, {}, &OpenclToken::begin);
  for (const OpenclToken& token : tokens) copy_word(token);
  result += text.substr(copied);
  for (const OpenclIdFunction& function : kOpenclIdFunctions) {
    result += fmt::format("#undef {}\n", function.name);
  }
  return result;
}

class OpenclCoarsenRuns : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    devices_ = new std::vector(gpu::find_opencl_devices());
    device_ = new gpu::WorkerDevice(BURIN_BINARY);
  }
  static void TearDownTestSuite() {
    delete device_;
    delete devices_;
  }

  void SetUp() override {
    // PoCL compiles with LLVM in its process, which the address sanitizer does not get along with.
    if (kSanitized) GTEST_SKIP() << "not under the address sanitizer";
    if (devices_->empty()) GTEST_SKIP() << "there is no OpenCL device; install pocl-opencl-icd";
    folder_ = *measure::ScratchFolder::make();
    std::string keys;
    for (std::uint32_t i = 0; i < 2560; ++i) {
      const std::uint32_t key = 3 * i;
      keys.append(reinterpret_cast<const char*>(&key), sizeof key);
    }
    kinds_ = kind_launches(write("keys.bin", keys));
  }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder_->path() + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string contents(const std::string& path) {
    const Result<MappedFile> file = MappedFile::open(path);
    return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
  }
  static std::string source_of(const KindLaunch& kind) {
    return contents(fmt::format("{}/corpus/coarsen/opencl/{}.cl", BURIN_SOURCE_DIR, kind.file));
  }

  // The contents of all buffers after a launch that changes some.
  std::vector<std::string> outputs(const std::string& kernel, const Sizes& local,
                                   const Sizes& groups, const std::vector<std::string>& arguments) {
    launch::Launch launch{.grid = {groups[0], groups[1], groups[2]},
                          .block = {local[0], local[1], local[2]}};
    launch.arguments = *launch::parse_step_arguments(arguments);
    measure::DeviceRequest request = measure::single_launch(program_, kernel, std::move(launch));
    request.device = "opencl:0";
    request.options = options_;
    request.stopping = measure::exactly(0);
    request.warm_up_ms = 0;
    request.outputs = folder_->path();
    const measure::DeviceAnswer answer = device_->run(request);
    if (!answer) {
      ADD_FAILURE() << answer.error().message;
      return {};
    }
    std::vector<std::string> all;
    bool changed = false;
    for (const measure::DeviceOutput& output : answer->outputs) {
      all.push_back(contents(output.path));
      changed = changed || output.changed;
    }
    EXPECT_TRUE(changed);
    return all;
  }

  // Runs a kernel in all its coarsened forms, and compares with the original.
  void compare(const KindLaunch& kind, const std::vector<OpenclCoarsening>& forms) {
    const std::string source = source_of(kind);
    const Result<OpenclOutline> outline = outline_opencl(source, "");
    std::string text = source;
    std::vector<CoarsenedOpencl> coarsened;
    for (const OpenclCoarsening& form : forms) {
      const Result<CoarsenedOpencl> made = coarsen_opencl(source, kind.kernel, form);
      ASSERT_TRUE(made) << made.error().message;
      coarsened.push_back(*made);
      text += numbered(made->text, *outline, coarsened.size());
    }
    program_ = write("program.cl", text);
    for (const std::vector<std::string>& arguments : kind.arguments) {
      const std::vector<std::string> expected =
          outputs(kind.kernel, kind.local_size, kind.groups, arguments);
      ASSERT_FALSE(expected.empty());
      for (std::size_t i = 0; i < forms.size(); ++i) {
        ASSERT_TRUE(outputs(fmt::format("{}_{}", kind.kernel, i + 1), coarsened[i].local_size,
                            coarsened[i].groups, arguments) == expected)
            << coarsened[i].text.substr(0, coarsened[i].text.find('\n'));
      }
    }
  }

  static OpenclCoarsening form_of(const KindLaunch& kind, std::uint32_t factor,
                                  std::uint32_t stride, std::uint32_t block) {
    OpenclCoarsening form{.local_size = kind.local_size, .groups = kind.groups};
    form.thread_factor[kind.axis] = factor;
    form.thread_stride[kind.axis] = stride;
    form.block_factor[kind.axis] = block;
    return form;
  }

  // Factors 2, 4 and 8, strides 1 and 32, one and two work-groups in one. In two dimensions the
  // axis of the launch has the stride 32, and the other one the stride 1.
  static std::vector<OpenclCoarsening> forms_of(const KindLaunch& kind) {
    std::vector<OpenclCoarsening> forms;
    for (const std::uint32_t factor : {2u, 4u, 8u}) {
      const std::uint32_t block = factor == 4 ? 1 : 2;
      forms.push_back(form_of(kind, factor, 32, block));
      if (kind.local_size[0] == 1 || kind.local_size[1] == 1) {
        forms.push_back(form_of(kind, factor, 1, 3 - block));
      } else {
        forms.back().thread_factor[1 - kind.axis] = factor == 8 ? 2 : 2 * factor;
        forms.back().block_factor[1 - kind.axis] = 3 - block;
      }
    }
    return forms;
  }

  static inline std::vector<gpu::OpenclDeviceInfo>* devices_ = nullptr;
  static inline gpu::WorkerDevice* device_ = nullptr;
  std::shared_ptr<measure::ScratchFolder> folder_;
  std::vector<KindLaunch> kinds_;
  std::string program_;
  std::string options_;
};

// A suite of its own, so that ctest runs it beside the others.
class OpenclCoarsenKinds : public OpenclCoarsenRuns {};

// Without optimization, which would take most of the time.
TEST_F(OpenclCoarsenKinds, TwelveKindsAreTheSameBitForBit) {
  options_ = "-cl-opt-disable";
  std::set<std::string> files;
  for (const KindLaunch& kind : kinds_) {
    SCOPED_TRACE(kind.kernel + " along " + "xyz"[kind.axis]);
    files.insert(kind.file);
    compare(kind, forms_of(kind));
  }
  EXPECT_EQ(files.size(), 12u);
}

// Every id function in every way of calling it, along several axes at once; and a kernel beside it,
// which is not coarsened but shares functions with it.
TEST_F(OpenclCoarsenRuns, IdsAreThoseOfTheOriginal) {
  const std::string source = R"(
#define GLOBAL get_global_id
#define SIZE(d) get_global_##d
#define PLACE place()
size_t place(void);
void put(__global uint* out, uint k, size_t value) { out[PLACE * 32 + k] = value; }
size_t place(void) {
  return (GLOBAL(2) * SIZE(size(1)) + GLOBAL (1)) * get_global_size(0) + GLOBAL( 0 );
}
void put_all(__global uint* out) {
  for (uint d = 0; d < 4; ++d) {
    put(out, d, get_global_id(d));
    put(out, 4 + d, get_local_id(d));
    put(out, 8 + d, get_group_id(d));
    put(out, 12 + d, get_global_size(d));
    put(out, 16 + d, get_local_size(d));
    put(out, 20 + d, get_num_groups(d));
  }
  put(out, 24, get_work_dim() + get_global_offset(0));
}
__kernel __attribute__((reqd_work_group_size(8, 4, 2)))
void ids(__global uint* out, const uint skipped, __constant uint* marks) {
  put_all(out);
  if (PLACE % skipped == 0) return;
  put(out, 25, marks[PLACE % 4]);
#ifdef LINEAR
  put(out, 26, get_global_linear_id());
  put(out, 27, get_local_linear_id());
  put(out, 28, get_enqueued_local_size(1));
#endif
}
__kernel void beside(__global uint* out) { put_all(out); }
)";
  const Sizes local = {8, 4, 2};
  const Sizes groups = {3, 5, 2};
  const OpenclCoarsening form{.thread_factor = {2, 1, 2},
                              .thread_stride = {2, 1, 1},
                              .block_factor = {1, 3, 1},
                              .local_size = local,
                              .groups = groups};
  const Result<CoarsenedOpencl> coarsened = coarsen_opencl(source, "ids", form);
  ASSERT_TRUE(coarsened) << coarsened.error().message;
  const std::vector<std::string> ids = {blank(8 * 3 * 4 * 5 * 2 * 2 * 32), "u32:3", "buf:16:u8"};
  const std::vector<std::string> beside = {ids[0]};
  for (const char* options :
       {"-cl-opt-disable -cl-std=CL1.2", "-cl-opt-disable -cl-std=CL3.0 -DLINEAR"}) {
    SCOPED_TRACE(options);
    options_ = options;
    program_ = write("original.cl", source);
    const std::vector<std::string> expected = outputs("ids", local, groups, ids);
    const std::vector<std::string> expected_beside = outputs("beside", local, groups, beside);
    program_ = write("coarsened.cl", coarsened->text);
    EXPECT_TRUE(outputs("ids", coarsened->local_size, coarsened->groups, ids) == expected);
    EXPECT_TRUE(outputs("beside", local, groups, beside) == expected_beside);
  }
}

// Requests have no global offset, so this one is launched by hand.
TEST_F(OpenclCoarsenRuns, AGlobalOffsetIsAdded) {
  const std::string source =
      "__kernel void f(__global uint* out) {\n"
      "  out[get_global_id(0) - 100] = get_global_id(0) * 100 + get_local_id(0);\n"
      "}\n";
  const Result<CoarsenedOpencl> coarsened =
      coarsen_opencl(source, "f", {.thread_factor = {4, 1, 1}, .local_size = {16, 1, 1}});
  ASSERT_TRUE(coarsened) << coarsened.error().message;
  const Result<gpu::OpenclContext> device = gpu::OpenclContext::open(0);
  ASSERT_TRUE(device) << device.error().message;
  const gpu::Opencl& opencl = device->opencl();
  const auto program = gpu::OpenclProgram::build(*device, coarsened->text, "");
  ASSERT_TRUE(program) << program.error().message;
  const gpu::OpenclHandle kernel = opencl.kernel_create(program->handle(), "f", nullptr);
  std::vector<std::uint32_t> out(32);
  const std::size_t bytes = 4 * out.size();
  const gpu::OpenclHandle memory =
      opencl.allocate(device->context(), gpu::Opencl::kReadWrite, bytes, nullptr, nullptr);
  const gpu::OpenclHandle queue = device->queue();
  const std::size_t offset = 100;
  const std::size_t global = 8;
  const std::size_t local = 4;
  EXPECT_EQ(opencl.kernel_argument(kernel, 0, sizeof memory, &memory), 0);
  EXPECT_EQ(opencl.launch(queue, kernel, 1, &offset, &global, &local, 0, nullptr, nullptr), 0);
  EXPECT_EQ(opencl.read(queue, memory, 1, 0, bytes, out.data(), 0, nullptr, nullptr), 0);
  for (std::uint32_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], (100 + i) * 100 + i % 16);
  opencl.release(memory);
  opencl.kernel_release(kernel);
}

TEST_F(OpenclCoarsenRuns, MessagesOfTheCompilerNameTheLine) {
  const std::string source =
      "__kernel void first(__global int* a) {\n  a[get_global_id(0)] = 0;\n}\n"
      "\n__kernel void second(__global int* a) {\n  a[0] = missing;\n}\n";
  const Result<CoarsenedOpencl> coarsened =
      coarsen_opencl(source, "first", {.thread_factor = {2, 1, 1}, .local_size = {2, 1, 1}});
  ASSERT_TRUE(coarsened) << coarsened.error().message;
  measure::DeviceRequest request = measure::single_launch(
      write("wrong.cl", coarsened->text), "first", launch::Launch{.grid = {1}, .block = {1}});
  request.device = "opencl:0";
  const measure::DeviceAnswer answer = device_->run(request);
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, testing::ContainsRegex(":6:[0-9]+: .*missing"));
}

// Those whose arithmetic an optimizer could order differently.
TEST_F(OpenclCoarsenRuns, FloatingPointIsTheSameWhenOptimized) {
  for (const KindLaunch& kind : kinds_) {
    if (kind.axis != 0 || std::ranges::find(kFloating, kind.file) == std::end(kFloating)) continue;
    SCOPED_TRACE(kind.kernel);
    compare(kind, {form_of(kind, 2, 32, 2)});
  }
}

}  // namespace
}  // namespace burin::coarsen
