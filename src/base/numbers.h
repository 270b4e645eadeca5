// Numbers as reports write them.
#pragma once

#include <string>

namespace burin {

// Three digits, whatever the magnitude: "0.512", "12.4", "335", "12,400".
std::string three_digits(double value);

// "0.512 µs", "335 µs", "12.4 ms".
std::string time_text(double us);

// "12,400"; not below 0.
std::string whole(double value);

// 0.583 -> "58.3 %".
std::string percent(double share);

}  // namespace burin
