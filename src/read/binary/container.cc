#include "read/binary/container.h"

#include <algorithm>
#include <string_view>

#include "base/format.h"
#include "base/timings.h"
#include "read/binary/archive.h"
#include "read/binary/elf.h"
#include "read/binary/fatbin.h"
#include "read/binary/members.h"
#include "read/binary/ptx_text.h"
#include "read/binary/toolkit_note.h"
#include "read/binary/zip.h"

namespace burin::read {
namespace {

constexpr const char* kExpected =
    "expected CUDA source (.cu), PTX, a cubin, fatbin, host executable, object, library or wheel";

bool starts_with(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() &&
         std::equal(text.begin(), text.end(), bytes.begin(),
                    [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; });
}

// Files that people hand in by mistake, told apart so that the answer helps.
Error unknown_kind(Bytes file) {
  struct Known {
    std::string_view magic;
    const char* words;
  };
  static constexpr Known kKnown[] = {
      {"BC\xc0\xde", "is LLVM bitcode, not a CUDA binary"},
      {"MZ", "is a Windows executable; only ELF files are supported"},
      {"\xcf\xfa\xed\xfe", "is a macOS executable; only ELF files are supported"},
      {"\x1f\x8b", "is a gzip file; unpack it first"},
      {"\x28\xb5\x2f\xfd", "is a zstd file; unpack it first"},
  };
  for (const Known& known : kKnown)
    if (starts_with(file, known.magic)) return Error{fmt::format("{}: {}", known.words, kExpected)};
  const Bytes head = file.first(std::min<std::size_t>(file.size(), 4096));
  const bool text = std::all_of(head.begin(), head.end(), [](std::uint8_t c) {
    return c >= 0x20 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
  return Error{fmt::format("is {}not a CUDA binary: {}", text ? "a text file, " : "", kExpected)};
}

Result<void> add_elf(Bytes file, Container& container) {
  Result<Elf> elf = read_elf(file);
  if (!elf) return elf.error();
  if (elf->machine == kElfMachineCuda) {
    Entry entry;
    entry.arch = cubin_architecture(*elf, read_toolkit_note(*elf));
    entry.data = file;
    entry.raw_size = file.size();
    container.entries.push_back(std::move(entry));
    return {};
  }
  container.format = Container::Format::kHostElf;
  for (const ElfSection& section : elf->sections) {
    if (section.name == ".nv_fatbin" || section.name == "__nv_relfatbin") {
      scan_fatbins(section.contents, container);
    } else if (section.type == kSectionProgram && (section.flags & kFlagAlloc) &&
               !(section.flags & kFlagExecutable)) {
      // Arrays are aligned in the file; a section that begins off a boundary is no measure.
      const std::uint64_t skipped = std::min<std::uint64_t>(-section.offset % 8, section.size);
      scan_data_for_fatbins(section.contents.subspan(skipped), container);
    }
  }
  return {};
}

Result<void> add_fatbin(Bytes file, Container& container) {
  container.format = Container::Format::kFatbin;
  const FatbinSpan span = read_fatbin(file, container.entries);
  if (!span.problem.empty()) return Error{span.problem};
  scan_fatbins(file.subspan(span.bytes), container);  // some were joined by `cat`
  return {};
}

Result<void> add_archive(Bytes file, Container& container) {
  Result<std::vector<ArchiveMember>> members = read_archive(file);
  if (!members) return members.error();
  for (const ArchiveMember& member : *members) {
    add_member(member.name, member.contents, container, true);
  }
  container.format = Container::Format::kArchive;
  return {};
}

}  // namespace

void add_member(const std::string& name, Bytes contents, Container& container,
                bool inside_library) {
  Container inside;
  Result<void> added;
  if (is_fatbin(contents)) {
    scan_fatbins(contents, inside);
  } else if (is_elf(contents)) {
    added = add_elf(contents, inside);
  } else if (!inside_library && is_archive(contents)) {
    added = add_archive(contents, inside);
  }
  if (!added) inside.problems.push_back(added.error().message);
  for (Entry& entry : inside.entries) {
    entry.member = entry.member.empty() ? name : name + "/" + entry.member;
    container.entries.push_back(std::move(entry));
  }
  for (const std::string& problem : inside.problems)
    container.problems.push_back(fmt::format("member {}: {}", name, problem));
}

bool may_have_gpu_code(Bytes first) {
  return is_elf(first) || is_fatbin(first) || is_archive(first);
}

Result<Container> open_container(Bytes file) {
  Timed timed("open container");
  Container container;
  Result<void> added;
  if (is_elf(file)) {
    added = add_elf(file, container);
  } else if (is_fatbin(file)) {
    added = add_fatbin(file, container);
  } else if (is_archive(file)) {
    added = add_archive(file, container);
  } else if (is_zip(file)) {
    added = add_zip(file, container);
  } else if (const auto ptx = read_ptx_text(file)) {
    container.format = Container::Format::kPtx;
    container.entries.push_back(*ptx);
  } else {
    return unknown_kind(file);
  }
  if (!added) return added.error();
  if (!container.entries.empty()) return container;
  if (!container.problems.empty())
    return Error{fmt::format("its GPU code cannot be read: {}", container.problems.front())};
  switch (container.format) {
    case Container::Format::kFatbin:
      return Error{"the fatbin is empty"};
    case Container::Format::kArchive:
      return Error{"contains no GPU code: no member has a fatbin"};
    case Container::Format::kZip:
      return Error{"contains no GPU code: no member is a cubin, or a library with a fatbin"};
    default:
      return Error{
          "contains no GPU code: it is a host binary without a fatbin (no .nv_fatbin section); "
          "name "
          "the program or library that has the kernels"};
  }
}

}  // namespace burin::read
