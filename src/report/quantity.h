// Numbers as people read them.
#pragma once

#include <string>

namespace burin {

std::string three_digits(double value);  // "0.512", "12.4", "335", "12,400"
std::string time_text(double us);        // "12.4 µs", "12.4 ms"
std::string whole(double value);         // "12,400"; not below 0
std::string percent(double share);       // 0.583 -> "58.3 %"

}  // namespace burin
