// How much memory this process can use before the system refuses more, or ends it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace burin {

// The computer's memory in bytes, or less where a control group (of a container or a batch system)
// or `ulimit` allows less.
std::uint64_t usable_memory();

// The smallest limit of the memory control groups in the text of /proc/self/cgroup, whose files are
// below `root`. The highest number if there is none.
std::uint64_t control_group_memory(std::string_view groups, const std::string& root);

}  // namespace burin
