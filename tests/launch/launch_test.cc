#include "launch/launch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "launch/options.h"

namespace burin::launch {
namespace {

std::vector<Argument> arguments(const std::vector<std::string>& texts) {
  Result<std::vector<Argument>> parsed = parse_arguments(texts);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().message;
    return {};
  }
  return *parsed;
}

// "fits", or what check_launch says.
std::string verdict(const Launch& launch, const read::Function& kernel = {}) {
  const Result<void> checked = check_launch(launch, kernel);
  if (checked) return "fits";
  EXPECT_EQ(checked.error().exit, Exit::kInput);
  return checked.error().message;
}

TEST(CheckLaunch, HoldsTheGridAgainstTheHardware) {
  EXPECT_EQ(verdict({.grid = {0x7fffffff, 65535, 65535}}), "fits");
  EXPECT_EQ(verdict({.grid = {0x80000000, 1, 1}}),
            "the grid's x is 2147483648; it must be at most 2147483647");
  EXPECT_EQ(verdict({.grid = {1, 65536, 1}}), "the grid's y is 65536; it must be at most 65535");
  EXPECT_EQ(verdict({.grid = {1, 1, 65536}}), "the grid's z is 65536; it must be at most 65535");
  EXPECT_EQ(verdict({.grid = {1, 0, 1}}), "the grid's y is 0; it must be at least 1");
}

TEST(CheckLaunch, HoldsTheBlockAgainstTheHardware) {
  EXPECT_EQ(verdict({.block = {1024, 1, 1}}), "fits");
  EXPECT_EQ(verdict({.block = {1, 16, 64}}), "fits");
  EXPECT_EQ(verdict({.block = {1025, 1, 1}}), "the block's x is 1025; it must be at most 1024");
  EXPECT_EQ(verdict({.block = {1, 1025, 1}}), "the block's y is 1025; it must be at most 1024");
  EXPECT_EQ(verdict({.block = {1, 1, 65}}), "the block's z is 65; it must be at most 64");
  EXPECT_EQ(verdict({.block = {32, 33, 1}}),
            "the block 32,33,1 has 1056 threads; the limit is 1024");
  EXPECT_EQ(verdict({.block = {32, 32, 0}}), "the block's z is 0; it must be at least 1");
}

TEST(CheckLaunch, HoldsTheBlockAgainstTheKernel) {
  read::Function bounded;
  bounded.max_threads = {256, 1, 1};
  EXPECT_EQ(verdict({.block = {16, 16, 1}}, bounded), "fits");
  EXPECT_EQ(verdict({.block = {257, 1, 1}}, bounded),
            "the block 257,1,1 has 257 threads, but the kernel was compiled for at most 256");
  read::Function required;
  required.required_block = {64, 2, 1};
  EXPECT_EQ(verdict({.block = {64, 2, 1}}, required), "fits");
  EXPECT_EQ(verdict({.block = {128, 1, 1}}, required),
            "the block is 128,1,1, but the kernel was compiled for 64,2,1 only");
}

TEST(CheckLaunch, HoldsTheClusterAgainstGridAndKernel) {
  EXPECT_EQ(verdict({.grid = {8, 4, 1}, .cluster = Dims{4, 2, 1}}), "fits");
  EXPECT_EQ(verdict({.grid = {10, 1, 1}, .cluster = Dims{4, 1, 1}}),
            "the grid 10,1,1 is not a multiple of the cluster of 4,1,1 blocks");
  EXPECT_EQ(verdict({.grid = {17, 1, 1}, .cluster = Dims{17, 1, 1}}),
            "the cluster's x is 17; it must be at most 16");
  EXPECT_EQ(verdict({.grid = {8, 4, 1}, .cluster = Dims{8, 4, 1}}),
            "the cluster 8,4,1 has 32 blocks; the limit is 16");
  EXPECT_EQ(verdict({.cluster = Dims{0, 1, 1}}), "the cluster's x is 0; it must be at least 1");

  read::Function clustered;
  clustered.cluster = {2, 1, 1};
  EXPECT_EQ(verdict({.grid = {8, 1, 1}}, clustered), "fits");
  EXPECT_EQ(verdict({.grid = {8, 1, 1}, .cluster = Dims{2, 1, 1}}, clustered), "fits");
  EXPECT_EQ(verdict({.grid = {7, 1, 1}}, clustered),
            "the grid 7,1,1 is not a multiple of the cluster of 2,1,1 blocks");
  EXPECT_EQ(verdict({.grid = {8, 1, 1}, .cluster = Dims{4, 1, 1}}, clustered),
            "the cluster is 4,1,1, but the kernel was compiled for 2,1,1 only");

  clustered.cluster = {0, 0, 0};
  EXPECT_EQ(verdict({.grid = {7, 1, 1}}, clustered), "fits");
  EXPECT_EQ(verdict({.grid = {8, 1, 1}, .cluster = Dims{4, 1, 1}}, clustered), "fits");
}

TEST(CheckLaunch, KnowsTheClusterInForce) {
  read::Function clustered;
  clustered.cluster = {2, 1, 1};
  EXPECT_EQ(cluster_of({}, {}), std::nullopt);
  EXPECT_EQ(cluster_of({}, clustered), (Dims{2, 1, 1}));
  EXPECT_EQ(cluster_of({.cluster = Dims{4, 1, 1}}, {}), (Dims{4, 1, 1}));
}

TEST(CheckLaunch, HoldsSharedMemoryAgainstTheHardware) {
  read::Function kernel;
  kernel.shared_bytes = 1024;
  EXPECT_EQ(verdict({.shared_bytes = 226 * 1024}, kernel), "fits");
  EXPECT_EQ(
      verdict({.shared_bytes = 226 * 1024 + 1}, kernel),
      "231425 bytes of dynamic and 1024 bytes of static shared memory are too much: the limit "
      "per block is 232448");
  EXPECT_NE(verdict({.shared_bytes = ~std::uint64_t{0}}, kernel), "fits");  // the sum would wrap
}

read::Function two_parameters() {
  read::Function kernel;
  kernel.parameters = {{0, 8}, {8, 4}};
  kernel.parameter_bytes = 12;
  return kernel;
}

TEST(CheckArguments, CountsThem) {
  const read::Function kernel = two_parameters();
  EXPECT_EQ(verdict({.arguments = arguments({"buf:64", "i32:5"})}, kernel), "fits");
  EXPECT_EQ(verdict({.arguments = arguments({"u64:0", "hex:00112233"})}, kernel), "fits");
  EXPECT_EQ(verdict({}, kernel),
            "the kernel has 2 parameters, but 0 arguments are given:\n"
            "   0  offset 0      8 bytes: missing\n"
            "   1  offset 8      4 bytes: missing");
  EXPECT_EQ(verdict({.arguments = arguments({"buf:64"})}, kernel),
            "the kernel has 2 parameters, but 1 argument is given:\n"
            "   0  offset 0      8 bytes: buf:64\n"
            "   1  offset 8      4 bytes: missing");
  EXPECT_EQ(verdict({.arguments = arguments({"buf:64", "i32:5", "f32:1"})}, kernel),
            "the kernel has 2 parameters, but 3 arguments are given:\n"
            "   0  offset 0      8 bytes: buf:64\n"
            "   1  offset 8      4 bytes: i32:5\n"
            "   2  no such parameter: f32:1");
  EXPECT_EQ(verdict({.arguments = arguments({"i32:5"})}),
            "the kernel has 0 parameters, but 1 argument is given:\n"
            "   0  no such parameter: i32:5");
}

TEST(CheckArguments, ShowsTheTypesThatTheNameTells) {
  read::Function kernel = two_parameters();
  for (const char* name : {"scale(float*, int)", "void ns::scale<Tile<3, 4>>(float*, int)",
                           "void (anonymous namespace)::scale<int>(float*, int)"}) {
    kernel.demangled = name;
    EXPECT_EQ(verdict({}, kernel),
              "the kernel has 2 parameters, but 0 arguments are given:\n"
              "   0  offset 0      8 bytes  float*: missing\n"
              "   1  offset 8      4 bytes  int: missing")
        << name;
  }
  kernel.demangled = "scale(float*)";  // not one for each parameter
  EXPECT_EQ(verdict({}, kernel).find("float"), std::string::npos);
}

TEST(CheckArguments, ComparesSizes) {
  const read::Function kernel = two_parameters();
  EXPECT_EQ(verdict({.arguments = arguments({"i32:5", "i32:5"})}, kernel),
            "argument 0 is i32 (4 bytes), but the kernel's parameter 0 has 8 bytes:\n"
            "   0  offset 0      8 bytes: i32:5\n"
            "   1  offset 8      4 bytes: i32:5");
  EXPECT_EQ(verdict({.arguments = arguments({"buf:64", "buf:64"})}, kernel),
            "argument 1 is a buffer (8 bytes), but the kernel's parameter 1 has 4 bytes:\n"
            "   0  offset 0      8 bytes: buf:64\n"
            "   1  offset 8      4 bytes: buf:64");
  EXPECT_EQ(verdict({.arguments = arguments({"buf:64", "hex:00"})}, kernel),
            "argument 1 is hex (1 byte), but the kernel's parameter 1 has 4 bytes:\n"
            "   0  offset 0      8 bytes: buf:64\n"
            "   1  offset 8      4 bytes: hex:00");
  // The size tells where the missing one belongs, so it is spoken of first.
  EXPECT_EQ(verdict({.arguments = arguments({"i32:5"})}, kernel),
            "argument 0 is i32 (4 bytes), but the kernel's parameter 0 has 8 bytes:\n"
            "   0  offset 0      8 bytes: i32:5\n"
            "   1  offset 8      4 bytes: missing");
}

TEST(ParameterBlock, LaysArgumentsAtTheirOffsets) {
  read::Function kernel;
  kernel.parameters = {{0, 1}, {8, 8}, {16, 4}};
  kernel.parameter_bytes = 24;
  const Launch launch{.arguments = arguments({"hex:7f", "buf:64", "i32:-2"})};
  const std::vector<std::uint64_t> addresses{0, 0x7f0012345678, 0};
  EXPECT_EQ(parameter_block(launch, kernel, addresses),
            (std::vector<std::uint8_t>{0x7f, 0,    0,    0,    0,    0,    0, 0,  //
                                       0x78, 0x56, 0x34, 0x12, 0x00, 0x7f, 0, 0,  //
                                       0xfe, 0xff, 0xff, 0xff, 0,    0,    0, 0}));
  kernel.parameter_bytes = 0;  // a binary that lies about it
  EXPECT_EQ(parameter_block(launch, kernel, addresses).size(), 20u);
}

TEST(BufferAt, WantsABuffer) {
  const Launch launch{.arguments = arguments({"i32:5", "buf:64"})};
  ASSERT_TRUE(buffer_at(launch, 1));
  EXPECT_EQ(*buffer_at(launch, 1), launch.arguments[1].buffer());
  EXPECT_EQ(buffer_at(launch, 0).error().message, "argument 0 'i32:5' is not a buffer");
  EXPECT_EQ(buffer_at(launch, 2).error().message,
            "there is no argument 2: the launch has 2 arguments, counted from 0");
}

TEST(ParseDims, TakesOneToThree) {
  EXPECT_EQ(*parse_dims("256"), (Dims{256, 1, 1}));
  EXPECT_EQ(*parse_dims("32,8"), (Dims{32, 8, 1}));
  EXPECT_EQ(*parse_dims("2147483647,2,3"), (Dims{0x7fffffff, 2, 3}));
  EXPECT_EQ(to_string(Dims{32, 8}), "32,8,1");
  for (const std::string wrong :
       {"", "1,", "1,2,3,4", "0", "1,0", "-1", "x", "2147483648", "4294967296", "1x2"}) {
    const Result<Dims> dims = parse_dims(wrong);
    ASSERT_FALSE(dims) << wrong;
    EXPECT_EQ(dims.error().message,
              "expected X, X,Y or X,Y,Z with integers from 1 to 2147483647, not '" + wrong + "'");
    EXPECT_EQ(dims.error().exit, Exit::kUsage);
  }
}

TEST(ParseOutput, TakesAnArgumentAndAFile) {
  const Result<OutputFile> output = parse_output("2=c=d.bin");
  ASSERT_TRUE(output);
  EXPECT_EQ(output->argument, 2u);
  EXPECT_EQ(output->path, "c=d.bin");
  for (const std::string wrong : {"", "2", "2=", "=c", "x=c", "-1=c"}) {
    const Result<OutputFile> refused = parse_output(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().message,
              "expected I=FILE with I an argument number, from 0, not '" + wrong + "'");
    EXPECT_EQ(refused.error().exit, Exit::kUsage);
  }
}

TEST(ParseExpected, TakesATolerance) {
  const Result<ExpectedFile> exact = parse_expected("0=c.bin");
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->path, "c.bin");
  EXPECT_EQ(exact->tolerance, std::nullopt);

  const Result<ExpectedFile> near = parse_expected("1=c.bin:1e-6");
  ASSERT_TRUE(near);
  EXPECT_EQ(near->argument, 1u);
  EXPECT_EQ(near->path, "c.bin");
  EXPECT_EQ(near->tolerance, 1e-6);

  const Result<ExpectedFile> colon = parse_expected("1=a:b.bin");
  ASSERT_TRUE(colon);
  EXPECT_EQ(colon->path, "a:b.bin");
  EXPECT_EQ(colon->tolerance, std::nullopt);

  EXPECT_EQ(parse_expected("c.bin").error().message,
            "expected I=FILE, I=FILE:TOL or I=FILE:TYPE:TOL with I an argument number, from 0, "
            "not 'c.bin'");
  for (const std::string wrong : {"1=c.bin:-1", "1=c.bin:inf", "1=c.bin:nan"}) {
    EXPECT_EQ(parse_expected(wrong).error().message,
              "expected a tolerance of 0 or more after the last colon, not '" + wrong + "'");
  }
}

TEST(ParseExpected, TakesATypeOfElements) {
  const Result<ExpectedFile> both = parse_expected("1=a:b.bin:f32:1e-6");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->path, "a:b.bin");
  EXPECT_EQ(both->type, ElementType::kF32);
  EXPECT_EQ(both->tolerance, 1e-6);

  const Result<ExpectedFile> type = parse_expected("1=c.bin:bf16");
  ASSERT_TRUE(type);
  EXPECT_EQ(type->path, "c.bin");
  EXPECT_EQ(type->type, ElementType::kBf16);
  EXPECT_EQ(type->tolerance, std::nullopt);

  EXPECT_EQ(parse_expected("1=c.bin:f33:1")->path, "c.bin:f33");
  EXPECT_EQ(parse_expected("1=c.bin:u32:1").error().message,
            "a tolerance needs f16, bf16, f32 or f64, not u32, in '1=c.bin:u32:1'");
}

TEST(ParseUnknownAccess, TakesAPolicy) {
  // 32 lanes of 4 bytes, in sectors of 32 bytes.
  EXPECT_EQ(parse_unknown_access("worst")->transactions(32, 4, 32), 32u);
  EXPECT_EQ(parse_unknown_access("coalesced")->transactions(32, 4, 32), 4u);
  EXPECT_EQ(parse_unknown_access("coalesced")->transactions(3, 16, 32), 2u);
  EXPECT_EQ(parse_unknown_access("8")->transactions(32, 4, 32), 8u);
  EXPECT_EQ(parse_unknown_access("8")->transactions(5, 4, 32), 5u);
  for (const char* wrong : {"", "best", "0", "-1"}) {
    EXPECT_EQ(parse_unknown_access(wrong).error().exit, Exit::kUsage) << wrong;
  }
}

TEST(ParseTrip, TakesALineAndACount) {
  const Result<TripCount> plain = parse_trip("42=1000");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->file, "");
  EXPECT_EQ(plain->line, 42u);
  EXPECT_EQ(plain->count, 1000u);

  const Result<TripCount> named = parse_trip("src/a=b.cu:7=0");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->file, "src/a=b.cu");
  EXPECT_EQ(named->line, 7u);
  EXPECT_EQ(named->count, 0u);

  for (const std::string wrong : {"", "42", "42=", "=5", "0=5", ":42=5", "a.cu=5", "42=-1"}) {
    const Result<TripCount> refused = parse_trip(wrong);
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().message, "expected LINE=N or FILE:LINE=N, not '" + wrong + "'");
  }
}

}  // namespace
}  // namespace burin::launch
