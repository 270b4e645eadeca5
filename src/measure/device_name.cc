#include "measure/device_name.h"

#include <optional>

#include "base/format.h"
#include "launch/number.h"

namespace burin::measure {
namespace {

struct KindName {
  DeviceKind kind;
  std::string_view name;
};
constexpr KindName kKinds[] = {{DeviceKind::kCuda, "cuda"}, {DeviceKind::kOpencl, "opencl"}};

}  // namespace

std::string DeviceName::text() const {
  for (const KindName& row : kKinds) {
    if (row.kind == kind) return fmt::format("{}:{}", row.name, number);
  }
  return "";
}

Result<DeviceName> parse_device_name(std::string_view text) {
  for (const KindName& row : kKinds) {
    if (!text.starts_with(row.name)) continue;
    std::string_view rest = text.substr(row.name.size());
    if (rest.empty()) return DeviceName{row.kind, 0};
    if (!rest.starts_with(':')) continue;
    const std::optional<std::uint16_t> number =
        launch::parse_integer<std::uint16_t>(rest.substr(1));
    if (number) return DeviceName{row.kind, *number};
  }
  return Error{
      fmt::format("unknown device '{}'; a device is cuda:N or opencl:N, such as cuda:0", text),
      Exit::kUsage};
}

}  // namespace burin::measure
