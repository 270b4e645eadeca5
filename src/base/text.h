// Small text helpers shared by every room.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace burin {

// "1 kernel", "3 kernels".
std::string count_of(std::uint64_t n, std::string_view noun);

// 1234567 -> "1,234,567".
std::string with_commas(std::uint64_t n);

// 1536 -> "1.5 KiB"; below 1 KiB the exact number of bytes.
std::string human_bytes(std::uint64_t bytes);

// The candidate that `word` most likely meant (small edit distance), or "" when none is close.
std::string closest(std::string_view word, std::span<const std::string> candidates);

// "a, b and 3 more": at most `most` names, the rest counted.
std::string list_of(std::span<const std::string> names, std::size_t most);

// The last part of a path: "kernels/a.cu" -> "a.cu".
inline std::string_view file_name(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

// The folder of a path, with which a file beside it is found: "kernels/a.cubin" -> "kernels/.".
inline std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.find_last_of('/') + 1)) + ".";
}

// "a.cu:12"; "a.cu:12-29" for lines up to `last`; in words where no file is known.
std::string line_name(std::string_view path, std::uint32_t line, std::uint32_t last = 0);

std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace burin
