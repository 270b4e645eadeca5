// Formats numbers for reports.
#pragma once

#include <string>

namespace burin {

// Three significant digits: "0.512", "12.4", "335", "12,400".
std::string three_digits(double value);

// At most three significant digits: "0.5", "12.4", "335", "12,400".
std::string short_number(double value);

// A time given in microseconds: "0.512 µs", "335 µs", "12.4 ms".
std::string time_text(double us);

// A range of times in microseconds, in one unit: "262 to 514 µs", "8.2 to 12.4 ms".
std::string time_range(double low_us, double high_us);

// The value rounded to an integer, "12,400". Negative values are shown as 0.
std::string whole(double value);

// A fraction as a percentage: 0.583 -> "58.3 %".
std::string percent(double share);

}  // namespace burin
