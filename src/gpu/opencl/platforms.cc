#include "gpu/opencl/platforms.h"

#include <algorithm>
#include <charconv>

#include "base/child.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::gpu {
namespace {

using InfoCall = OpenclStatus (*)(OpenclHandle, std::uint32_t, std::size_t, void*, std::size_t*);

std::string text_info(InfoCall call, OpenclHandle of, std::uint32_t key) {
  std::size_t size = 0;
  if (call(of, key, 0, nullptr, &size) != 0 || size == 0) return "";
  std::string text(size, '\0');
  if (call(of, key, size, text.data(), nullptr) != 0) return "";
  text.resize(text.find('\0'));
  return text;
}

template <typename T>
T number_info(const Opencl& opencl, OpenclHandle device, std::uint32_t key) {
  T value{};
  opencl.device_info(device, key, sizeof value, &value, nullptr);
  return value;
}

// "OpenCL 3.0 PoCL HSTR: cpu-x86_64" -> "OpenCL 3.0"
std::string version_of(const std::string& text) {
  return text.substr(0, text.find(' ', std::min(text.size(), text.find(' ') + 1)));
}

OpenclDeviceInfo describe_device(const Opencl& opencl, OpenclHandle platform, OpenclHandle device) {
  OpenclDeviceInfo info;
  info.handle = device;
  info.name = text_info(opencl.device_info, device, Opencl::kDeviceName);
  info.platform = text_info(opencl.platform_info, platform, Opencl::kPlatformName);
  info.version = version_of(text_info(opencl.device_info, device, Opencl::kDeviceVersion));
  info.driver = text_info(opencl.device_info, device, Opencl::kDriverVersion);
  info.is_gpu =
      (number_info<OpenclFlags>(opencl, device, Opencl::kDeviceType) & Opencl::kGpuDevice) != 0;
  info.compute_units = number_info<std::uint32_t>(opencl, device, Opencl::kComputeUnits);
  info.cache_bytes = number_info<std::uint64_t>(opencl, device, Opencl::kCacheBytes);
  info.memory_bytes = number_info<std::uint64_t>(opencl, device, Opencl::kMemoryBytes);
  info.max_allocation_bytes = number_info<std::uint64_t>(opencl, device, Opencl::kMaxAllocation);
  info.local_memory_bytes = number_info<std::uint64_t>(opencl, device, Opencl::kLocalMemoryBytes);
  return info;
}

// One line per device, for the way out of the child process.
std::string line_of(const OpenclDeviceInfo& info) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", info.name, info.platform,
                     info.version, info.driver, info.is_gpu ? 1 : 0, info.compute_units,
                     info.cache_bytes, info.memory_bytes, info.max_allocation_bytes,
                     info.local_memory_bytes);
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Result<std::vector<OpenclDeviceInfo>> list_opencl_devices() {
  const Result<const Opencl*> opened = open_opencl();
  if (!opened) return opened.error();
  const Opencl& opencl = **opened;
  std::uint32_t platform_count = 0;
  std::vector<OpenclDeviceInfo> found;
  // Without any driver the loader reports an error: that is no device.
  if (opencl.platforms(0, nullptr, &platform_count) != 0 || platform_count == 0) return found;
  std::vector<OpenclHandle> platforms(platform_count);
  if (auto done = opencl.check(opencl.platforms(platform_count, platforms.data(), nullptr),
                               "clGetPlatformIDs");
      !done) {
    return done.error();
  }
  for (const OpenclHandle platform : platforms) {
    std::uint32_t count = 0;
    if (opencl.devices(platform, Opencl::kAllDevices, 0, nullptr, &count) != 0) continue;
    std::vector<OpenclHandle> devices(count);
    if (opencl.devices(platform, Opencl::kAllDevices, count, devices.data(), nullptr) != 0) {
      continue;
    }
    for (const OpenclHandle device : devices) {
      found.push_back(describe_device(opencl, platform, device));
    }
  }
  return found;
}

std::vector<OpenclDeviceInfo> find_opencl_devices(double limit_seconds) {
  const Answer answer = ask(
      [] {
        std::string lines;
        const Result<std::vector<OpenclDeviceInfo>> devices = list_opencl_devices();
        if (!devices) return lines;
        for (const OpenclDeviceInfo& info : *devices) lines += line_of(info);
        return lines;
      },
      limit_seconds);
  std::vector<OpenclDeviceInfo> found;
  if (!answer.ok()) return found;
  for (const std::string_view line : split(answer.text, '\n')) {
    const auto cells = split(line, '\t');
    if (cells.size() != 10) continue;
    OpenclDeviceInfo& info = found.emplace_back();
    info.name = cells[0];
    info.platform = cells[1];
    info.version = cells[2];
    info.driver = cells[3];
    info.is_gpu = cells[4] == "1";
    info.compute_units = static_cast<std::uint32_t>(number_of(cells[5]));
    info.cache_bytes = number_of(cells[6]);
    info.memory_bytes = number_of(cells[7]);
    info.max_allocation_bytes = number_of(cells[8]);
    info.local_memory_bytes = number_of(cells[9]);
  }
  return found;
}

}  // namespace burin::gpu
