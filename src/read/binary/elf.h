// Reads the parts of an ELF file that burin needs, for both cubins and host files: segments,
// sections, symbols and relocations, as views into the file. Supports only 64-bit little-endian
// ELF, the only kind that CUDA writes. The recorder links this file too and runs inside other
// programs, so it depends on nothing but the C++ standard library.
//
//   Result<Elf> elf = read_elf(bytes);
//   for (const ElfSection& s : elf->sections)
//     if (s.name.starts_with(".text.")) … s.contents …
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace burin::read {

inline constexpr std::uint16_t kElfRelocatable = 1;  // e_type
inline constexpr std::uint16_t kElfMachineCuda = 190;

inline constexpr std::uint32_t kSectionProgram = 1;  // sh_type
inline constexpr std::uint32_t kSectionSymbols = 2;
inline constexpr std::uint32_t kSectionRela = 4;
inline constexpr std::uint32_t kSectionNoBits = 8;
inline constexpr std::uint32_t kSectionRel = 9;
inline constexpr std::uint32_t kSectionExportedSymbols = 11;  // present in stripped files too
inline constexpr std::uint32_t kSectionSymbolIndices = 18;
inline constexpr std::uint32_t kSectionCudaInfo = 0x70000000;

inline constexpr std::uint64_t kFlagAlloc = 2;  // sh_flags
inline constexpr std::uint64_t kFlagExecutable = 4;

inline constexpr std::uint32_t kSegmentLoaded = 1;  // p_type

inline constexpr std::uint8_t kSymbolSection = 3;  // st_info & 15
inline constexpr std::uint8_t kSymbolObject = 1;
inline constexpr std::uint8_t kSymbolFunction = 2;

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint64_t address = 0;  // virtual address at link time
};

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;  // from the header; `contents` is empty if the file holds none
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  Bytes contents;
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0;   // st_info & 15
  std::uint8_t other = 0;  // CUDA: bit 4 marks a kernel, bits 5-7 the memory space
  std::uint32_t section = 0;
  std::uint64_t value = 0;
  std::uint64_t size = 0;
};

struct ElfRelocation {
  std::uint64_t offset = 0;
  std::uint32_t type = 0;
  std::uint32_t symbol = 0;
  std::int64_t addend = 0;  // 0 for REL, which stores the addend in the relocated bits
};

struct Elf {
  std::uint16_t type = 0;
  std::uint16_t machine = 0;
  std::uint32_t flags = 0;
  std::uint8_t abi_version = 0;
  std::vector<ElfSegment> segments;
  std::vector<ElfSection> sections;

  const ElfSection* find(std::string_view name) const;  // the first section of that name, or null
};

// The zero-terminated text at `offset` of a string table. Returns "" if there is none or if it is
// longer than 64 KiB; the limit prevents quadratic cost when many offsets point into one very long
// string.
std::string_view string_at(Bytes table, std::uint64_t offset);

bool is_elf(Bytes bytes);  // starts with the ELF magic

// Reads the headers. Every section whose contents are read is checked to lie inside the file.
Result<Elf> read_elf(Bytes bytes);

// The symbols of the first symbol table of that type; empty if there is none. A name outside the
// string table is returned as "".
Result<std::vector<ElfSymbol>> read_symbols(const Elf& elf, std::uint32_t type = kSectionSymbols);

// The entries of a REL or RELA section; a truncated last entry is skipped.
std::vector<ElfRelocation> read_relocations(const ElfSection& section);

}  // namespace burin::read
