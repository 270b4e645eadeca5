// The small binaries in tests/data/binary (made by make.sh there), and ways to damage them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "read/binary/container.h"

namespace burin::test {

using Buffer = std::vector<std::uint8_t>;

inline Buffer data(const std::string& name) {
  std::ifstream in(std::string(BURIN_SOURCE_DIR "/tests/data/binary/") + name, std::ios::binary);
  Buffer bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

inline Bytes text_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <typename T>
T get(const Buffer& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename T>
void put(Buffer& bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// Where the header of section `index` stands, and the number of sections.
inline std::size_t section_header(const Buffer& elf, std::size_t index) {
  return static_cast<std::size_t>(get<std::uint64_t>(elf, 40)) + 64 * index;
}
inline std::size_t section_count(const Buffer& elf) {
  return get<std::uint16_t>(elf, 60);
}

inline std::string section_name(const Buffer& elf, std::size_t index) {
  const std::size_t names = section_header(elf, get<std::uint16_t>(elf, 62));
  const auto at =
      get<std::uint64_t>(elf, names + 24) + get<std::uint32_t>(elf, section_header(elf, index));
  return reinterpret_cast<const char*>(elf.data() + at);
}

// The header of the section named `name`.
inline std::size_t find_section(const Buffer& elf, const std::string& name) {
  for (std::size_t i = 0; i < section_count(elf); ++i)
    if (section_name(elf, i) == name) return section_header(elf, i);
  ADD_FAILURE() << "no section " << name;
  return 0;
}

inline const read::Function& function(const read::Image& image, const std::string& name) {
  for (const read::Function& f : image.functions)
    if (f.name == name) return f;
  ADD_FAILURE() << "no function " << name;
  static const read::Function none;
  return none;
}

// "nested.cu:3 inner(float) < nested.cu:6 middle(float, float) < nested.cu:13" for the code at
// `offset`; "" where no source is known.
inline std::string chain_at(const read::Image& image, const read::Function& f,
                            std::uint32_t offset) {
  std::int32_t location = -1;
  for (const read::LineRow& row : f.lines)
    if (row.offset <= offset) location = row.location;
  std::string text;
  while (location >= 0) {
    const read::Location& l = image.locations.at(static_cast<std::size_t>(location));
    const std::string& file = image.files.at(l.file);
    if (!text.empty()) text += " < ";
    text += file.substr(file.rfind('/') + 1) + ":" + std::to_string(l.line);
    if (!l.function.empty()) text += " " + std::string(l.function);
    location = l.inlined_from;
  }
  return text;
}

}  // namespace burin::test
