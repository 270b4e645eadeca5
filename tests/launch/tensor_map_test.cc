#include "launch/tensor_map.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "launch/launch.h"

namespace burin::launch {
namespace {

TensorMap parsed(const std::string& text) {
  const Result<TensorMap> map = parse_tensor_map(text);
  if (!map) {
    ADD_FAILURE() << map.error().message;
    return {};
  }
  return *map;
}

std::string map_refusal(const std::string& text) {
  const Result<TensorMap> map = parse_tensor_map(text);
  if (map) return "accepted";
  EXPECT_EQ(map.error().exit, Exit::kUsage);
  return map.error().message;
}

template <typename T>
void read_list(const std::string& text, unsigned first, std::array<T, 5>& out) {
  if (text == "-") return;
  for (const std::string_view part : split(text, ',')) {
    out.at(first++) = static_cast<T>(std::stoull(std::string(part)));
  }
}

// One of a matrix product on an H200, with what stood behind it in the kernel's parameters.
TEST(TensorMap, CublasMakesItsOwn) {
  std::array<std::uint8_t, kTensorMapBytes> bytes;
  bytes.fill(0xff);
  const std::uint32_t words[] = {0x2be00000, 0x7f02, 0x46322, 0x20, 0, 0x10000000, 0,    0,
                                 0xff,       0xff,   0,       0,    0, 0x3f000000, 0x1f, 0};
  std::memcpy(bytes.data(), words, sizeof words);
  const Result<TensorMap> map = decode_tensor_map(bytes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->address, 0x7f022be00000u);
  EXPECT_EQ(map->type, TensorType::kF16);
  EXPECT_EQ(map->rank, 3u);
  EXPECT_EQ(map->size[1], 256u);
  EXPECT_EQ(map->stride[1], 512u);
  EXPECT_EQ(map->box[0], 64u);
  EXPECT_EQ(map->box[1], 32u);
  EXPECT_EQ(map->swizzle, TensorSwizzle::k128);
}

// One of a convolution of cuDNN with 3×3 weights, padding 1 and stride 2, on 64 images of 64×64.
TEST(TensorMap, CudnnCopiesPixels) {
  std::array<std::uint8_t, kTensorMapBytes> bytes{};
  const std::uint32_t words[] = {0xff600000, 0x7fdc,     0x46543,    8,   0x200, 0x8000,
                                 0x8000,     0,          63,         63,  63,    0,
                                 63,         0x3f000048, 0x03ff03ff, 0x3f};
  std::memcpy(bytes.data(), words, sizeof words);
  const Result<TensorMap> map = decode_tensor_map(bytes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ(map->rank, 5u);
  EXPECT_EQ(map->box[0], 64u);
  EXPECT_EQ(map->step, (std::array<std::uint32_t, 5>{1, 2, 2, 1, 1}));
  ASSERT_TRUE(map->pixels);
  EXPECT_EQ(map->pixels->lower, (std::array<std::int32_t, 3>{-1, -1, 0}));
  EXPECT_EQ(map->pixels->upper, (std::array<std::int32_t, 3>{-1, -1, 0}));
  EXPECT_EQ(map->pixels->pixels, 64u);
  const Result<TensorMap> again = decode_tensor_map(encode(*map));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *map);
}

TEST(TensorMap, IsEncodedAsTheDriverDoes) {
  std::ifstream file(BURIN_SOURCE_DIR "/tests/data/launch/tensor_maps.txt");
  ASSERT_TRUE(file);
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    SCOPED_TRACE(line);
    std::istringstream in(line);
    TensorMap map;
    unsigned type, interleave, swizzle, promotion;
    std::string sizes, strides, box, steps, bytes;
    in >> type >> map.rank >> std::hex >> map.address >> std::dec >> sizes >> strides >> box >>
        steps >> interleave >> swizzle >> promotion >> map.fill_nan >> bytes;
    ASSERT_TRUE(in);
    map.type = static_cast<TensorType>(type);
    map.interleave = static_cast<TensorInterleave>(interleave);
    map.swizzle = static_cast<TensorSwizzle>(swizzle);
    map.promotion = static_cast<TensorPromotion>(promotion);
    read_list(sizes, 0, map.size);
    read_list(strides, 1, map.stride);
    read_list(box, 0, map.box);
    read_list(steps, 0, map.step);

    std::array<std::uint8_t, kTensorMapBytes> expected{};
    for (std::size_t i = 0; i < bytes.size() / 2; ++i) {
      expected[i] = static_cast<std::uint8_t>(std::stoul(bytes.substr(2 * i, 2), nullptr, 16));
    }
    EXPECT_EQ(encode(map), expected);
    const Result<TensorMap> back = decode_tensor_map(expected);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(*back == map);
    ++count;
  }
  EXPECT_GT(count, 150u);
}

TEST(TensorMap, DecodingRefusesWhatIsNone) {
  std::array<std::uint8_t, kTensorMapBytes> bytes = encode(parsed("0:f32:64:16"));
  EXPECT_TRUE(decode_tensor_map(bytes));
  bytes[8] |= 1;
  const Result<TensorMap> im2col = decode_tensor_map(bytes);
  ASSERT_FALSE(im2col);
  EXPECT_NE(im2col.error().message.find("im2col"), std::string::npos);
  bytes.fill(0xff);
  bytes[8] = 0xf0;
  EXPECT_FALSE(decode_tensor_map(bytes));
}

TEST(ParseTensorMap, TakesDenseStridesWhereNoneAreGiven) {
  const TensorMap map = parsed("3:f16:1024x512x3:64x128x1");
  EXPECT_EQ(map.argument, 3u);
  EXPECT_EQ(map.type, TensorType::kF16);
  EXPECT_EQ(map.rank, 3u);
  EXPECT_EQ(map.size, (std::array<std::uint64_t, 5>{1024, 512, 3, 1, 1}));
  EXPECT_EQ(map.stride, (std::array<std::uint64_t, 5>{0, 2048, 1048576, 0, 0}));
  EXPECT_EQ(map.box, (std::array<std::uint32_t, 5>{64, 128, 1, 1, 1}));
  EXPECT_EQ(span_bytes(map), std::uint64_t{1024} * 512 * 3 * 2);
}

TEST(ParseTensorMap, TakesItsOptionsInAnyOrder) {
  const TensorMap map =
      parsed("0:bf16:100x37:32x16:fill=nan:swizzle=64:l2=256:stride=208:step=1x2");
  EXPECT_EQ(map.stride[1], 208u);
  EXPECT_EQ(map.step[1], 2u);
  EXPECT_EQ(map.swizzle, TensorSwizzle::k64);
  EXPECT_EQ(map.promotion, TensorPromotion::k256);
  EXPECT_TRUE(map.fill_nan);
  EXPECT_EQ(span_bytes(map), 36u * 208 + 200);
  EXPECT_EQ(parsed("0:u8:16x8x4x2:1x1x1x1:interleave=16").interleave, TensorInterleave::k16);
}

TEST(ParseTensorMap, SaysWhatTheDriverWouldRefuse) {
  EXPECT_EQ(map_refusal("0:f32:64"),
            "expected map:I:TYPE:SIZES:BOX, such as map:0:f16:1024x512:64x64:swizzle=128");
  EXPECT_NE(map_refusal("x:f32:64:16").find("'x' is not an argument number"), std::string::npos);
  EXPECT_NE(map_refusal("0:f33:64:16").find("unknown element type f33"), std::string::npos);
  EXPECT_EQ(map_refusal("0:f32:64x0:16x1"),
            "'0' in the sizes is not a number from 1 to 4294967296");
  EXPECT_EQ(map_refusal("0:f32:64x2:16"), "the box must be given for each of the 2 dimensions");
  EXPECT_EQ(map_refusal("0:f32:1x1x1x1x1x1:1"),
            "6 numbers in the sizes; a tensor has at most 5 dimensions");
  EXPECT_EQ(map_refusal("0:f32:64:257"), "'257' in the box is not a number from 1 to 256");
  EXPECT_EQ(map_refusal("0:f32:64:6"), "the box is 24 bytes wide; it must be a multiple of 16");
  EXPECT_EQ(map_refusal("0:f32:65x2:16x1"),
            "the stride of dimension 1 is 260 bytes; it must be a multiple of 16");
  EXPECT_EQ(map_refusal("0:f32:64x2:16x1:swizzle=32"),
            "the box is 64 bytes wide; with swizzle=32 the limit is 32");
  EXPECT_EQ(map_refusal("0:f32:64x2:16x1:swizzle=48"), "swizzle=48 is not one of 32, 64, 128");
  EXPECT_EQ(map_refusal("0:f32:64x2:16x1:interleave=16"),
            "an interleaved tensor needs at least 3 dimensions");
  EXPECT_NE(map_refusal("0:f32:64x2:16x1:tile").find("unknown option 'tile'"), std::string::npos);
  EXPECT_EQ(map_refusal("0:u32:64:16:fill=nan"), "fill=nan is for floating-point types");
}

// A kernel of one tensor map.
read::Function mapped_kernel() {
  read::Function kernel;
  kernel.parameters = {read::Parameter{.offset = 48, .size = kTensorMapBytes}};
  kernel.parameter_bytes = 48 + kTensorMapBytes;
  return kernel;
}

std::string verdict(const std::vector<std::string>& texts) {
  Result<std::vector<Argument>> arguments = parse_arguments(texts);
  if (!arguments) return arguments.error().message;
  const Result<void> checked = check_launch({.arguments = *arguments}, mapped_kernel());
  return checked ? "fits" : checked.error().message;
}

TEST(CheckLaunch, WantsABufferUnderEachTensorMap) {
  EXPECT_EQ(verdict({"map:1:f32:64x2:16x1", "buf:512"}), "fits");
  EXPECT_EQ(
      verdict({"map:1:f32:64x2:16x1", "buf:508"}),
      "argument 0 'map:1:f32:64x2:16x1' maps 512 bytes, but the buffer of argument 1 has 508");
  EXPECT_EQ(verdict({"map:1:f32:64x2:16x1"}),
            "argument 0: there is no argument 1: the launch has 1 argument, counted from 0");
  EXPECT_EQ(verdict({"map:0:f32:64x2:16x1"}),
            "argument 0: argument 0 'map:0:f32:64x2:16x1' is not a buffer");
  EXPECT_EQ(verdict({"map:1:f32:64x2:16x1", "buf:512", "buf:512"}),
            "the kernel has 1 parameter, but 3 arguments are given:\n"
            "   0  offset 48   128 bytes: map:1:f32:64x2:16x1\n"
            "   1  under a tensor map: buf:512\n"
            "   2  no such parameter: buf:512");
}

TEST(ParameterBlock, HoldsTheMapWithTheBuffersAddress) {
  Result<std::vector<Argument>> arguments =
      parse_arguments(std::vector<std::string>{"map:1:f32:64x2:16x1", "buf:512"});
  ASSERT_TRUE(arguments);
  const std::vector<std::uint64_t> addresses{0, 0x7f0000001200};
  const std::vector<std::uint8_t> block =
      parameter_block({.arguments = *arguments}, mapped_kernel(), addresses);
  ASSERT_EQ(block.size(), 48 + kTensorMapBytes);
  const Result<TensorMap> map = decode_tensor_map(
      std::span<const std::uint8_t, kTensorMapBytes>(block.data() + 48, kTensorMapBytes));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->address, 0x7f0000001200u);
  EXPECT_EQ(map->size[0], 64u);
}

}  // namespace
}  // namespace burin::launch
