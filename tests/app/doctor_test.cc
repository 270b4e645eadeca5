// `burin doctor`: what it says of libraries that are there, are not, or do not work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "app/command.h"
#include "base/temporary_folder.h"

namespace burin::test {
namespace {

using nlohmann::json;
using testing::EndsWith;
using testing::HasSubstr;

// One of the checks, with these variables in the environment.
json doctors_check(const std::string& environment, const std::string& name) {
  const Ran ran = shell(environment + " \"$BURIN\" doctor --json");
  EXPECT_EQ(ran.status, 0) << ran.err;
  const json all = json::parse(ran.out, nullptr, false);
  for (const json& check : all.at("checks")) {
    if (check.at("name") == name) return check;
  }
  ADD_FAILURE() << "no check of " << name;
  return {};
}

TEST(DoctorLibraries, OpenclDevicesAreListedAsTuneNamesThem) {
  const json check = doctors_check("", "OpenCL");
  if (check.at("state") != "ok") GTEST_SKIP() << "no OpenCL here";
  EXPECT_THAT(check.at("detail"), testing::StartsWith("opencl:0 "));
  EXPECT_THAT(check.at("detail"), EndsWith(")"));  // the platform
  EXPECT_THAT(check.at("version"), HasSubstr("."));
}

TEST(DoctorLibraries, WithoutOpenclItSaysHowToInstallIt) {
  const json check = doctors_check("BURIN_LIBOPENCL=none", "OpenCL");
  EXPECT_EQ(check.at("state"), "missing");
  EXPECT_TRUE(check.at("detail").is_null());
  EXPECT_THAT(check.at("remedy"), HasSubstr("apt install ocl-icd-libopencl1"));
  EXPECT_THAT(check.at("remedy"), HasSubstr("pocl-opencl-icd"));
}

TEST(DoctorLibraries, ALoaderWithoutADriverIsOfNoUse) {
  const json check = doctors_check("OCL_ICD_VENDORS=/nonexistent", "OpenCL");
  if (check.at("state") == "missing") GTEST_SKIP() << "no OpenCL loader here";
  EXPECT_EQ(check.at("state"), "refused");
  EXPECT_EQ(check.at("detail"), "the loader finds no device");
}

// The NVRTC of the toolkit that tune would use.
TEST(DoctorLibraries, NvrtcIsThatOfTheToolkit) {
  Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const std::string toolkit = folder->path() + "/toolkit";
  std::filesystem::create_directories(toolkit + "/bin");
  std::filesystem::create_directories(toolkit + "/lib64");
  std::ofstream(toolkit + "/bin/nvcc") << "#!/bin/sh\necho release 99.9\n";
  std::filesystem::permissions(toolkit + "/bin/nvcc", std::filesystem::perms::owner_all);
  EXPECT_EQ(doctors_check("CUDA_HOME=" + toolkit, "NVRTC").at("state"), "missing");

  std::ofstream(toolkit + "/lib64/libnvrtc.so.13") << "not a library";
  const json damaged = doctors_check("CUDA_HOME=" + toolkit, "NVRTC");
  EXPECT_EQ(damaged.at("state"), "refused");
  EXPECT_EQ(damaged.at("detail"), toolkit + "/lib64/libnvrtc.so.13 cannot be loaded");
  EXPECT_THAT(damaged.at("remedy"), HasSubstr("cuda-nvrtc"));
}

}  // namespace
}  // namespace burin::test
