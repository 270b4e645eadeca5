// Small text functions shared by all folders.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace burin {

// A count with its noun: "1 kernel", "3 kernels", "4,096 blocks".
std::string count_of(std::uint64_t n, std::string_view noun);

// With thousands separators: 1234567 -> "1,234,567".
std::string with_commas(std::uint64_t n);

// A size with its unit: 1536 -> "1.5 KiB"; below 1 KiB the exact number of bytes.
std::string human_bytes(std::uint64_t bytes);

// ASCII letters in lower case: "H200" -> "h200".
std::string lower_case(std::string_view text);

// The candidate closest to `word` by edit distance, for "did you mean"; "" if none is close.
std::string closest(std::string_view word, std::span<const std::string> candidates);

// A list of at most `most` names and the number of remaining ones: "a, b and 3 more".
std::string list_of(std::span<const std::string> names, std::size_t most);

// The last part of a path: "kernels/a.cu" -> "a.cu".
inline std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The folder of a path, for finding files next to it: "kernels/a.cubin" -> "kernels/.".
inline std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.find_last_of('/') + 1)) + ".";
}

// A source line, "a.cu:12", or a range of lines up to `last`, "a.cu:12-29". "no line info" if
// `path` is empty.
std::string line_name(std::string_view path, std::uint32_t line, std::uint32_t last = 0);

std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace burin
