// The metadata that Triton's cache has beside a cubin.
#include <gtest/gtest.h>

#include "read/triton/metadata.h"

namespace burin::test {
namespace {

std::string complaint_about_metadata(const std::string& text) {
  const auto metadata = read::parse_triton_metadata(text, "k.json");
  return metadata ? "" : metadata.error().message;
}

TEST(TritonMetadata, SaysHowTheKernelIsLaunched) {
  const auto metadata = read::parse_triton_metadata(
      R"({"num_warps": 8, "num_ctas": 1, "num_stages": 3, "shared": 49152, "name": "k",
          "global_scratch_size": null, "profile_scratch_size": 0, "triton_version": "3.6.0",
          "target": {"backend": "cuda", "arch": 90, "warp_size": 32}})",
      "k.json");
  ASSERT_TRUE(metadata.ok()) << metadata.error().message;
  ASSERT_TRUE(metadata->has_value());
  EXPECT_EQ((*metadata)->num_warps, 8u);
  EXPECT_EQ((*metadata)->shared_bytes, 49152u);
  EXPECT_EQ((*metadata)->global_scratch_bytes, 0u);
}

TEST(TritonMetadata, OfAnotherVersionIsRefused) {
  EXPECT_EQ(complaint_about_metadata(R"({"triton_version": "9.0", "num_warps": 4})"),
            "k.json: has no shared; burin reads the metadata of Triton 2.1 to 3.8, and this is of "
            "9.0");
  EXPECT_EQ(complaint_about_metadata(R"({"num_warps": "four", "shared": 0})"),
            "k.json: num_warps is not a whole number from 0 to 32");
  EXPECT_EQ(complaint_about_metadata(R"({"num_warps": 0, "shared": 0})"), "k.json: num_warps is 0");
  EXPECT_EQ(complaint_about_metadata(
                R"({"num_warps": 4, "shared": 0, "target": {"backend": "hip", "arch": "gfx942"}})"),
            "k.json: the kernel is compiled for the GPU of another vendor; burin reads NVIDIA's");
}

TEST(TritonMetadata, AnothersFileIsLeftAlone) {
  for (const char* text : {"", "[1]", "{}", "{\"shared\": 3}", "not JSON"}) {
    const auto metadata = read::parse_triton_metadata(text, "k.json");
    ASSERT_TRUE(metadata.ok()) << text;
    EXPECT_FALSE(metadata->has_value()) << text;
  }
  EXPECT_FALSE(read::triton_metadata_path("/no/such.cubin").has_value());
}

}  // namespace
}  // namespace burin::test
