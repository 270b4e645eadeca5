// The name of this computer, for messages and records.
#pragma once

#include <string>

namespace burin {

std::string host_name();  // "" if it has none

}  // namespace burin
