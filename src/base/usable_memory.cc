#include "base/usable_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace burin {

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || bytes <= 0) return kNoLimit;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
}

std::uint64_t process_limit(int resource) {
  rlimit limit{};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0) return kNoLimit;
  return limit.rlim_cur == RLIM_INFINITY ? kNoLimit : limit.rlim_cur;
}

// "max", or a file that is not there, is no limit.
std::uint64_t limit_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  return file >> bytes ? bytes : kNoLimit;
}

// The limits of the group and of those around it.
std::uint64_t smallest_limit(const std::string& root, std::string group, const char* file) {
  std::uint64_t smallest = limit_in(root + file);
  while (group.size() > 1) {
    smallest = std::min(smallest, limit_in(root + group + file));
    group.resize(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
  }
  return smallest;
}

}  // namespace

std::uint64_t control_group_memory(std::string_view groups, const std::string& root) {
  std::uint64_t smallest = kNoLimit;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {  // "4:memory:/job", or "0::/job"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      smallest = std::min(smallest, smallest_limit(root, group, "/memory.max"));
    } else if (controllers == "memory") {
      smallest =
          std::min(smallest, smallest_limit(root + "/memory", group, "/memory.limit_in_bytes"));
    }
  }
  return smallest;
}

std::uint64_t usable_memory() {
  std::ifstream file("/proc/self/cgroup");
  std::ostringstream groups;
  groups << file.rdbuf();
  return std::min({physical_memory(), control_group_memory(groups.str(), "/sys/fs/cgroup"),
                   process_limit(RLIMIT_AS), process_limit(RLIMIT_DATA)});
}

}  // namespace burin
