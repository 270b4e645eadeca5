#include "gpu/record/driver/facts.h"

#include <unistd.h>

#include <chrono>
#include <fstream>

namespace burin::gpu {
namespace {

std::vector<std::string> command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

capture::SpoolProcess this_process(const RecordDriver& driver) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  capture::SpoolProcess process;
  process.pid = static_cast<std::uint64_t>(::getpid());
  process.parent = static_cast<std::uint64_t>(::getppid());
  process.begin_unix_ns =
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  char text[4096] = "";
  if (::gethostname(text, sizeof text - 1) == 0) process.host = text;
  if (::getcwd(text, sizeof text) != nullptr) process.folder = text;
  process.command = command_line();
  int version = 0;
  if (driver.version != nullptr && driver.version(&version) == 0) {
    process.driver_version = static_cast<std::uint32_t>(version);
  }
  return process;
}

capture::SpoolDevice facts_of_device(const RecordDriver& driver, std::uint32_t ordinal) {
  const auto device = static_cast<int>(ordinal);
  capture::SpoolDevice facts;
  facts.ordinal = ordinal;
  char text[256] = "";
  if (driver.device_name(text, sizeof text, device) == 0) facts.name = text;
  if (driver.device_bus_id(text, sizeof text, device) == 0) facts.bus = text;
  const auto attribute = [&](int which) {
    int value = 0;
    const bool known = driver.device_attribute(&value, which, device) == 0;
    return known ? static_cast<std::uint32_t>(value) : 0;
  };
  facts.capability_major = attribute(Cuda::kCapabilityMajor);
  facts.capability_minor = attribute(Cuda::kCapabilityMinor);
  facts.multiprocessors = attribute(Cuda::kMultiprocessors);
  facts.clock_khz = attribute(RecordDriver::kClockRate);
  facts.l2_bytes = attribute(Cuda::kL2CacheSize);
  std::size_t memory = 0;
  if (driver.device_memory(&memory, device) == 0) facts.memory_bytes = memory;
  return facts;
}

}  // namespace burin::gpu
