// What SpecBuilder compiles for a configuration and for the reference. The compiler is a script.
#include "tune/spec_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "toolchain/fake_toolkit.h"
#include "tune/formats/toml_spec.h"
#include "tune/space/build_space.h"

namespace burin::tune {
namespace {

constexpr const char* kCoarsenedSpec = R"(
kernel = "vector_add"
source = "a.cu"
[tunables]
coarsen_thread_x = [2]
[launch]
grid = ["4"]
block = ["128"]
args = ["buf:2048:f32", "buf:2048:f32", "buf:2048:f32", "i32:512"]
[reference]
kernel = "vector_add"
grid = ["4"]
block = ["128"]
)";

// Copies a cubin, whatever it is asked to compile.
std::string copying_compiler() {
  return "#!/bin/sh\nwhile [ $# -gt 0 ]; do [ \"$1\" = -o ] && out=$2; shift; done\ncp " +
         std::string(BURIN_SOURCE_DIR) + "/examples/vector_add.sm_90.cubin \"$out\"\n";
}

class HalfTheThreads : public CodeChanger {
 public:
  Result<std::string> change_ptx(std::string ptx, const std::string&,
                                 Configuration& configuration) const override {
    configuration.steps.front().launch.block.x /= 2;
    return ptx;
  }
  Result<std::string> change_opencl(const std::string& source, const std::string&,
                                    Configuration&) const override {
    return source;
  }
};

class SpecBuilderTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* tool : {"toolkit/bin/nvcc", "toolkit/bin/ptxas"}) {
      toolkit_.write(tool,
                     copying_compiler() + "echo " + tool + " >> " + toolkit_.at("calls") + "\n");
    }
    Result<Spec> spec = parse_toml_spec(kCoarsenedSpec, toolkit_.at("spec.toml"));
    ASSERT_TRUE(spec) << spec.error().message;
    spec_ = std::move(*spec);
    Result<Space> space =
        build_space(spec_.tunables, space_restrictions(spec_), spec_.sizes[0], spec_.derived);
    ASSERT_TRUE(space) << space.error().message;
    space_ = std::move(*space);
    BuildOptions options;
    options.arch = "sm_90";
    options.changer = &changer_;
    auto builder = SpecBuilder::make(spec_, spec_.sizes[0], space_, &pool_, options);
    ASSERT_TRUE(builder) << builder.error().message;
    builder_ = std::move(*builder);
  }

  const toolchain::test::FakeToolkit toolkit_;
  const HalfTheThreads changer_;
  Spec spec_;
  Space space_;
  toolchain::CompilePool pool_{"", 1, toolchain::CompileCache("")};
  std::unique_ptr<SpecBuilder> builder_;
};

// The reference of a point is the unchanged code. Its file must not replace that of the point,
// which is launched with fewer threads.
TEST_F(SpecBuilderTest, TheReferenceLeavesTheCodeOfItsPointAlone) {
  const Result<Built> own = builder_->finish(space_.at(0));
  ASSERT_TRUE(own) << own.error().message;
  ASSERT_EQ(own->status, Status::kOk) << own->reason;
  const Result<std::optional<Built>> reference = builder_->reference(space_.at(0));
  ASSERT_TRUE(reference) << reference.error().message;
  ASSERT_TRUE(reference->has_value());
  EXPECT_EQ(own->request.steps.front().launch.block.x, 64u);
  EXPECT_EQ((*reference)->request.steps.front().launch.block.x, 128u);
  EXPECT_NE(own->request.program, (*reference)->request.program);
  EXPECT_TRUE(std::filesystem::exists(own->request.program));
}

// A point whose compilation was started before the reference was asked for is not started again.
TEST_F(SpecBuilderTest, TheReferenceLeavesWhatWasStartedAlone) {
  builder_->start(space_.at(0));
  ASSERT_TRUE(builder_->reference(space_.at(0)));
  const Result<Built> own = builder_->finish(space_.at(0));
  ASSERT_TRUE(own) << own.error().message;
  EXPECT_EQ(own->request.steps.front().launch.block.x, 64u);
  EXPECT_EQ(toolkit_.nvcc_calls(), 3u);  // the point's nvcc and ptxas, the reference's nvcc
}

}  // namespace
}  // namespace burin::tune
