// The text that names a device of this computer: "cuda:0", "opencl:1".
//
//   Result<DeviceName> name = parse_device_name("opencl:1");
//   name->kind == DeviceKind::kOpencl, name->number == 1, name->text() == "opencl:1"
//
// "cuda" and "opencl" mean number 0. OpenCL devices are counted over all platforms, in the order in
// which the OpenCL library lists them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace burin::measure {

enum class DeviceKind : std::uint8_t { kCuda, kOpencl };

struct DeviceName {
  DeviceKind kind = DeviceKind::kCuda;
  unsigned number = 0;

  std::string text() const;
  bool operator==(const DeviceName&) const = default;
};

// Returns a usage Error for any other text.
Result<DeviceName> parse_device_name(std::string_view text);

}  // namespace burin::measure
